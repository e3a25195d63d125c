"""Words that would blur a meaning, by docs/glossary.md, are not used in names or in prose."""

import ast
import re

import pytest

from tests.docs.sources import ROOT, SRC, pages, parsed, shown, sources

# Words no name may contain, and what to say instead.
NOT_IN_NAMES = {
    "adjacency": "neighbours",
    "adjacent": "neighbouring",
    "neighbor": "neighbour",
    "neighbors": "neighbours",
    "neighboring": "neighbouring",
    "user": "unit",
    "users": "units",
}
NOT_IN_CLASSES = {"abstract", "base", "helper", "manager"}
NOT_MODULES = {"base", "common", "helpers", "misc", "util", "utils"}

# Words to avoid in prose, too. (A user of the library is a user; a protected person is a unit.)
NOT_IN_PROSE = {
    r"adjacenc\w+": "neighbours",
    r"adjacent (databases|datasets|tables)": "neighbours",
    r"neighbor\w*": "neighbour",
    r"randomised response": "randomized response, as the literature spells the mechanism",
}
PAGES = [
    page for page in pages() if page != ROOT / "docs" / "glossary.md"
]  # which must name what it avoids


def words_of(name):
    """The words of an identifier: `NoisyMaxBase` and `noisy_max_base` are noisy, max, base."""
    return [
        word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\da-zA-Z_]+", name)
    ]


def names_defined(tree):
    """Every (name, kind, line) that a module defines: what it imports or calls is others' choice."""
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(name=name):
                yield name, "class", node.lineno
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name, "function", node.lineno
            case ast.arg(arg=name):
                yield name, "parameter", node.lineno
            case ast.Name(id=name, ctx=ast.Store()):
                yield name, "variable", node.lineno
            case ast.Attribute(attr=name, ctx=ast.Store()):
                yield name, "attribute", node.lineno


def bad_names(source, module):
    """What is wrong with the names of a module, one sentence each."""
    found = []
    if module.rpartition(".")[2] in NOT_MODULES:
        found.append(f"{module}: a module is named after what it defines")
    for name, kind, line in names_defined(parsed(source)):
        where = f"{module}:{line}: {kind} {name}"
        found += [
            f"{where}: say {NOT_IN_NAMES[word]}" for word in words_of(name) if word in NOT_IN_NAMES
        ]
        if not name.isascii():
            found.append(f"{where}: Greek letters are spelled")
        if kind == "class" and NOT_IN_CLASSES & set(words_of(name)):
            found.append(f"{where}: a class is named after what it is")
    return found


def bad_words(text, where):
    """The words of a text that the glossary avoids, one sentence each."""
    return [
        f"{where}:{number}: {match[0]!r}: say {better}"
        for number, line in enumerate(text.splitlines(), start=1)
        for pattern, better in NOT_IN_PROSE.items()
        for match in re.finditer(rf"(?i)\b{pattern}\b", line)
    ]


def test_names_in_the_source_keep_to_the_glossary():
    assert [line for name, text in sources() for line in bad_names(text, name)] == []


def test_prose_in_the_source_keeps_to_the_glossary():
    assert [line for name, text in sources() for line in bad_words(text, name)] == []


def test_pages_keep_to_the_glossary():
    assert [
        line for page in PAGES for line in bad_words(page.read_text(encoding="utf-8"), shown(page))
    ] == []


def test_the_glossary_names_every_word_that_is_avoided():
    glossary = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").lower()
    words = {*NOT_IN_NAMES, *NOT_IN_CLASSES, *NOT_MODULES}
    assert [word for word in sorted(words) if word not in glossary] == []


def test_no_folder_is_called_by_a_word_that_says_nothing():
    assert [
        shown(path) for path in SRC.rglob("*") if path.is_dir() and path.name in NOT_MODULES
    ] == []


@pytest.mark.parametrize(
    "source",
    [
        "class MechanismBase: pass",
        "class AbstractLoss: pass",
        "class LedgerManager: pass",
        "class NoiseHelper: pass",
        "neighbor_count = 1",
        "self.user_id = 1",
        "Adjacency = 1",
        "σ = 1",
    ],
)
def test_a_wrong_name_is_caught(source):
    assert bad_names(source, "tacit.sample")


@pytest.mark.parametrize(
    "source",
    [
        "database = 1",
        "class Basement: pass",
        "def get_loss(): pass",
        "class A:\n    def back(self, backend): pass",
    ],
)
def test_a_right_name_passes(source):
    assert bad_names(source, "tacit.sample") == []


def test_a_module_called_utils_is_caught():
    assert bad_names("", "tacit.exact.utils")


@pytest.mark.parametrize(
    "word", ["adjacency", "adjacent tables", "Neighboring", "randomised response"]
)
def test_a_wrong_word_is_caught(word):
    assert bad_words(f"So {word} it is.", "sample")
