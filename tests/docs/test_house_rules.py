"""Rules that hold in every file: no address or machine in the repository, no foreign randomness in the source."""

import ast
import re

import pytest

from tests.docs.sources import ROOT, files, parsed, shown, sources

# Spelled in pieces, or this file would break its own rule.
PLACES = re.compile(
    "/("
    + "|".join(["ro" + "ot/", "ho" + r"me/\w", "Us" + r"ers/\w", "wo" + "rk/", "op" + "t/py"])
    + ")"
)
RANDOM_MODULES = {"random", "secrets", "uuid"}


def machine_paths(text, where):
    """The lines of a text that name a place on somebody's machine."""
    return [
        f"{where}:{n}: {line.strip()}"
        for n, line in enumerate(text.splitlines(), 1)
        if PLACES.search(line)
    ]


def bad_lock(text):
    """What is wrong with a lock: an address, a requirement without an exact version, or one without a hash."""
    found = ["it names an address"] if "://" in text else []
    for requirement in re.split(r"(?m)^(?=\S)", text)[1:]:
        first = requirement.splitlines()[0]
        if not re.match(r"[A-Za-z0-9._-]+==\S+", first):
            found.append(f"{first}: no exact version")
        if "--hash=sha256:" not in requirement:
            found.append(f"{first}: no hash")
    return found


def foreign_randomness(source, module):
    """Where a module draws randomness that is not the secure source of `exact`, or lets somebody seed it."""
    found = []
    for node in ast.walk(parsed(source)):
        names = []
        match node:
            case ast.Import(names=aliases):
                names = [alias.name for alias in aliases]
            case ast.ImportFrom(module=str(base), names=aliases, level=0):
                names = [base, *(f"{base}.{alias.name}" for alias in aliases)]
            case ast.Attribute(value=ast.Name(id="np" | "numpy"), attr="random"):
                names = ["numpy.random"]
            case ast.Attribute(value=ast.Name(id="os"), attr="urandom" | "getrandom" as attr):
                names = [f"os.{attr}"]
            case ast.arg(arg=name) if name in {"seed", "random_state", "rng"}:
                found.append(
                    f"{module}:{node.lineno}: a parameter called {name}: noise cannot be chosen by the caller"
                )
        for name in names:
            top = name.partition(".")[0]
            system = name in {"os.urandom", "os.getrandom"} and not module.startswith("tacit.exact")
            if top in RANDOM_MODULES or name.startswith("numpy.random") or system:
                found.append(
                    f"{module}:{node.lineno}: {name}: randomness comes from tacit.exact alone"
                )
    return found


def bad_module_docstring(source):
    """Whether the docstring of a module is missing or does not begin with a sentence."""
    text = ast.get_docstring(parsed(source)) or ""
    first = " ".join(text.split("\n\n", maxsplit=1)[0].split())
    return not re.fullmatch(r"[^a-z].*[.:?!]", first) or len(first.split()) < 3


def test_no_file_names_a_place_on_a_machine():
    read = [(shown(path), path.read_text(encoding="utf-8")) for path in files()]
    assert len(read) > 400
    assert [line for name, text in read for line in machine_paths(text, name)] == []


def test_the_lock_has_hashes_and_no_address():
    for name in ("requirements.lock", "requirements-demo.lock", "requirements-docs.lock"):
        assert bad_lock((ROOT / name).read_text(encoding="utf-8")) == []


def test_randomness_has_one_source():
    assert [line for name, text in sources() for line in foreign_randomness(text, name)] == []


def test_a_module_says_in_one_sentence_what_it_is():
    assert [name for name, text in sources() if bad_module_docstring(text)] == []


@pytest.mark.parametrize(
    "place", ["ro" + "ot/x", "ho" + "me/ann", "wo" + "rk/main", "Us" + "ers/ann"]
)
def test_a_place_on_a_machine_is_caught(place):
    assert machine_paths(f"see /{place}/file", "sample")


def test_a_bad_lock_is_caught():
    good = "a==1 \\\n    --hash=sha256:00\nb==2 ; python_version < '4' \\\n    --hash=sha256:11\n"
    assert bad_lock(good) == []
    assert bad_lock(good + "--index-url https" + "://example.org/simple\n")
    assert bad_lock(good + "c>=1 \\\n    --hash=sha256:22\n")
    assert bad_lock(good + "c==1\n")


@pytest.mark.parametrize(
    "source",
    [
        "import random",
        "from random import gauss",
        "import secrets",
        "import numpy.random",
        "from numpy import random",
        "from numpy.random import default_rng",
        "import numpy as np\nx = np.random.default_rng()",
        "import os\nx = os.urandom(8)",
        "from os import urandom",
        "def release(x, seed=None): pass",
        "def release(x, *, rng): pass",
        "x = lambda seed: seed",
    ],
)
def test_foreign_randomness_is_caught(source):
    assert foreign_randomness(source, "tacit.mechanisms.sample")


def test_the_system_is_asked_for_randomness_in_exact_alone():
    assert foreign_randomness("import os\nx = os.urandom(8)", "tacit.exact.entropy") == []


@pytest.mark.parametrize(
    "source", ["", "x = 1", '"""todo"""', '"""Coins."""', '"""no capital, no full stop"""']
)
def test_a_bad_docstring_is_caught(source):
    assert bad_module_docstring(source)


def test_a_good_docstring_passes():
    assert not bad_module_docstring(
        '"""Numbers and coins: rationals, directed rounding.\n\nMore."""'
    )
