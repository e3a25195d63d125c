"""What stays imported when a file changes holds nothing of what is imported anew: two copies of a class never meet."""

import ast
import sys
from collections import defaultdict
from functools import cache
from importlib import import_module
from types import ModuleType

import pytest

from tests.teeth.bug import ROOT, all_bugs
from tests.teeth.reimport import dependents_of, imported_by, imports_in, modules_in

SOURCE = ROOT / "src"


def values_in(module):
    """The names in a module, each with the module that its value comes from, if it says so."""
    for name, value in list(vars(sys.modules[module]).items()):
        if isinstance(value, ModuleType):
            # `forget` takes a forgotten module out of the package around it
            if value.__name__ != f"{module}.{name}":
                yield f"{module}.{name}", value.__name__
        else:
            yield f"{module}.{name}", getattr(value, "__module__", None)


@cache
def origins_in(module):
    """By the module that values come from: the names in a module that have them."""
    found = defaultdict(list)
    for name, origin in values_in(module):
        if isinstance(origin, str) and origin.startswith("tacit"):
            found[origin].append(name)
    return dict(found)


def remembered_in(kept, forgotten):
    """The names in a module that stays whose values come from modules that are forgotten."""
    origins = origins_in(kept)
    for origin in origins.keys() & forgotten:
        yield from origins[origin]


@pytest.fixture(scope="module")
def imports():
    for name in modules_in(SOURCE):
        import_module(name)
    return imports_in(SOURCE)


def test_no_module_that_stays_holds_anything_of_one_that_is_forgotten(imports):
    changed = sorted({bug.module for bug in all_bugs()})
    assert len(changed) > 150
    stayed = 0
    for module in changed:
        forgotten = dependents_of(module, imports)
        kept = imports.keys() - forgotten
        found = [name for other in sorted(kept) for name in remembered_in(other, forgotten)]
        assert not found, f"{module} changes, and these stay: {found}"
        stayed += len(kept)
    assert stayed > len(changed) * len(imports) / 3  # or little would be gained


def test_what_a_forgotten_import_leaves_behind_is_seen(imports):
    """With one edge of the graph left out, the check above fails."""
    blind = dict(imports)
    blind["tacit.curator.ask"] = blind["tacit.curator.ask"] - {"tacit.errors"}
    forgotten = dependents_of("tacit.errors", blind) - {"tacit.curator.ask"}
    assert list(remembered_in("tacit.curator.ask", forgotten))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import a.b", {"a.b"}),
        ("from a import b", {"a.b"}),
        ("from a import b, C", {"a", "a.b"}),
        ("from a.b import C", {"a.b"}),
        ("def f():\n    import a", {"a"}),
        ("import numpy", set()),
    ],
)
def test_imports_are_read(text, found):
    assert imported_by(ast.parse(text), dict.fromkeys(["a", "a.b"], SOURCE)) == found
