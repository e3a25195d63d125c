"""Planted texts say what they mean: a bug that fails for a name that is not there shows nothing about its test."""

import ast
import re
import subprocess
import sys
from functools import cache

import pytest

from tests.teeth.bug import ROOT, Bug, Unplantable, all_bugs, replaced

BUGS = all_bugs()


def misfits(bugs, sources, tests):
    """The bugs that do not fit the source as it is today, and those whose test is not there."""
    found = []
    for bug in bugs:
        file, _, test = bug.killed_by.partition("::")
        named = f"def {test.partition('[')[0]}(" if test else ""  # without a name, the whole file
        if file not in tests or named not in tests[file]:
            found.append(f"{bug.name}: there is no test {bug.killed_by}")
        if bug.file not in sources:
            found.append(f"{bug.name}: there is no file {bug.file}")
            continue
        try:
            replaced(bug, sources[bug.file])
        except Unplantable as why:
            found.append(str(why))
    return found


def texts_of(files):
    """The texts of those files that are there."""
    there = {file: ROOT / file for file in files if (ROOT / file).is_file()}
    return {file: path.read_text(encoding="utf-8") for file, path in there.items()}


def test_every_bug_fits_the_source_as_it_is_today():
    sources = texts_of({bug.file for bug in BUGS})
    tests = texts_of({bug.killed_by.partition("::")[0] for bug in BUGS})
    assert misfits(BUGS, sources, tests) == []


@pytest.mark.parametrize(
    ("source", "test", "misfit"),
    [
        ("x = 1\n", "def test_it():", None),
        ("x = 2\n", "def test_it():", "sample: `before` occurs 0 times in src/x.py"),
        ("x = 1\nx = 1\n", "def test_it():", "sample: `before` occurs 2 times in src/x.py"),
        ("x = 1\n", "def test_it_too():", "sample: there is no test tests/test_x.py::test_it[a]"),
        (None, "def test_it():", "sample: there is no file src/x.py"),
    ],
)
def test_a_bug_that_does_not_fit_is_seen(source, test, misfit):
    bug = Bug("sample", "src/x.py", "x = 1", "x = 3", "tests/test_x.py::test_it[a]", "a sample")
    found = misfits(
        [bug], {} if source is None else {"src/x.py": source}, {"tests/test_x.py": test}
    )
    assert [each.partition(", it must")[0] for each in found] == ([misfit] if misfit else [])


def attributes_of(tree):
    """The attributes that are looked up in a text, and the names by which arguments are passed."""
    found = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return found | {node.arg for node in ast.walk(tree) if isinstance(node, ast.keyword)} - {None}


def names_of(tree):
    """Every name that occurs in a text as a name: of a function, an argument, a field, an attribute."""
    found = attributes_of(tree)
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.Name(id=name) | ast.arg(arg=name):
                found.add(name)
    return found


@cache
def names_of_the_source():
    files = sorted((ROOT / "src" / "tacit").rglob("*.py"))
    known = {
        name for kind in (str, bytes, int, float, list, dict, set, tuple) for name in dir(kind)
    }
    trees = (ast.parse(file.read_text(encoding="utf-8")) for file in files)
    return known.union(*map(names_of, trees))


def unknown_attributes(before, after, known):
    """The attributes that a planted text adds and that nothing has."""
    return sorted(attributes_of(ast.parse(after)) - attributes_of(ast.parse(before)) - known)


def undefined_names(texts, place):
    """What ruff says of names that are not defined, of texts by name."""
    for name, text in texts.items():
        (place / f"{name}.py").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--quiet"]
    command += ["--select", "F821,F822,F823", "--output-format", "concise", str(place)]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    assert said.returncode in {0, 1}, said.stderr
    return [line.rpartition("/")[2] for line in said.stdout.splitlines()]


def test_no_planted_text_names_what_is_not_defined(tmp_path):
    sources = {bug.file: (ROOT / bug.file).read_text(encoding="utf-8") for bug in BUGS}
    texts = {bug.name: sources[bug.file].replace(bug.before, bug.after) for bug in BUGS}
    assert undefined_names(texts, tmp_path) == []
    known = names_of_the_source()
    # what looks like an attribute or an argument and is unknown; only such texts are parsed, which takes long
    looks = re.compile(r"(?<=\.)[A-Za-z_]\w*|[A-Za-z_]\w*(?= ?=[^=])")
    suspects = [bug for bug in BUGS if not known.issuperset(looks.findall(bug.after))]
    found = {
        bug.name: unknown_attributes(sources[bug.file], texts[bug.name], known) for bug in suspects
    }
    assert {name: attributes for name, attributes in found.items() if attributes} == {}


@pytest.mark.parametrize("name", ["nowhere", "nowhere.text", "nowhere()"])
def test_a_name_that_is_not_defined_is_seen(tmp_path, name):
    assert undefined_names({"sample": f"def f() -> None:\n    return {name}\n"}, tmp_path)
    assert not undefined_names(
        {"sample": "def f(nowhere) -> None:\n    return nowhere\n"}, tmp_path
    )


@pytest.mark.parametrize("text", ["x.nowhere", "x(nowhere=1)", "x.nowhere()"])
def test_an_attribute_or_argument_that_nothing_has_is_seen(text):
    assert unknown_attributes("x", text, {"somewhere"}) == ["nowhere"]
    assert unknown_attributes("x", text, {"nowhere"}) == []
    assert unknown_attributes("y.nowhere or f(nowhere=2)", text, set()) == []
