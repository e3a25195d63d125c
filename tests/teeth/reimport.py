"""Which modules of Tacit are imported anew when one of its files changes, and which may stay as they are.

The process that forks trials has imported the sound source. A trial forgets the planted module and all that import it,
directly or through others, and finds these in the planted copy; the rest cannot know the difference.
"""

import ast
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType


def import_all(source: Path) -> None:
    """Import every module of the package `tacit` that lies in the directory `source`."""
    sys.path.insert(0, str(source))
    for name in modules_in(source):
        import_module(name)
    sys.path.remove(str(source))


@cache
def modules_in(source: Path) -> Mapping[str, Path]:
    """The modules of Tacit by their dotted names, `tacit.__main__` and the like left out."""
    found = {}
    for file in sorted((source / "tacit").rglob("*.py")):
        parts = file.relative_to(source).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        if parts[-1] != "__main__":
            found[name] = file
    return found


@cache
def imports_in(source: Path) -> Mapping[str, frozenset[str]]:
    """By module: the modules that its text imports, at the top, in functions or for types alone.

    A package inside a room counts as importing the package around it, which Python runs first.
    """
    known = modules_in(source)
    found = {}
    for name, file in known.items():
        imported = imported_by(ast.parse(file.read_text(encoding="utf-8")), known)
        around = name.rpartition(".")[0] if file.name == "__init__.py" else ""
        found[name] = frozenset(imported | ({around} - {"", "tacit"}))
    return found


def imported_by(tree: ast.Module, known: Mapping[str, Path]) -> set[str]:
    """The modules among `known` that a text imports.

    >>> known = dict.fromkeys(["tacit.plan", "tacit.plan.model", "tacit.plan.sql"], Path())
    >>> text = "from tacit.plan import model as m, Frame\\nimport tacit.plan.sql"
    >>> sorted(imported_by(ast.parse(text), known))
    ['tacit.plan', 'tacit.plan.model', 'tacit.plan.sql']
    """
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                found |= {alias.name for alias in names}
            case ast.ImportFrom(module=str(module), names=names, level=0):
                # Whether the package itself is used, or only a file inside it, is seen from the names.
                inside = {f"{module}.{alias.name}" for alias in names}
                found |= inside & known.keys()
                if inside - known.keys():
                    found.add(module)
            case _:
                pass
    return found & known.keys()


def dependents_of(module: str, imports: Mapping[str, frozenset[str]]) -> set[str]:
    """The module and all that import it, directly or through others.

    >>> imports = {"a": frozenset(), "b": frozenset({"a"}), "c": frozenset({"b"}), "d": frozenset()}
    >>> sorted(dependents_of("a", imports)), sorted(dependents_of("c", imports))
    (['a', 'b', 'c'], ['c'])
    """
    found = {module}
    while more := {name for name, used in imports.items() if used & found} - found:
        found |= more
    return found


def forget(module: str, source: Path, planted: Path) -> None:
    """Forget a module and its dependents; when they are imported again they come from the directory `planted`."""
    forgotten = dependents_of(module, imports_in(source))
    for name in forgotten:
        parent, _, last = name.rpartition(".")
        if parent and getattr(sys.modules[parent], last, None) is sys.modules[name]:
            delattr(sys.modules[parent], last)
    for name in forgotten:
        del sys.modules[name]
    kept = {name: sys.modules[name] for name in modules_in(source) if name in sys.modules}
    for name, package in kept.items():
        if hasattr(package, "__path__"):
            package.__path__ = [str(planted / name.replace(".", "/"))]
    sys.path.insert(0, str(planted))
    sys.meta_path.insert(0, _Renewed(kept))


class _Renewed:
    """Finds packages as Python does, and gives them back those of their modules that were not forgotten."""

    def __init__(self, kept: Mapping[str, ModuleType]) -> None:
        self.kept = kept

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name.partition(".")[0] != "tacit":
            return None
        spec = PathFinder.find_spec(name, path, target)
        inside = {
            full.rpartition(".")[2]: module
            for full, module in self.kept.items()
            if full.rpartition(".")[0] == name
        }
        if spec is None or spec.loader is None or not inside:
            return spec
        run = spec.loader.exec_module

        def run_with_its_modules(module: ModuleType) -> None:
            vars(module).update(inside)
            run(module)

        spec.loader.exec_module = run_with_its_modules  # type: ignore[method-assign]
        return spec
