"""Every example is run: those in docstrings, and those in the pages that teach."""

import doctest
import importlib
import re

import pytest

from tests.docs.sources import ROOT, dotted, modules, shown

FENCE = re.compile(r"(?ms)^( *)```(\w*)[^\n]*\n(.*?)^\1```")


def failures_of(examples):
    """How the examples went wrong, as doctest says it; nothing if they went right."""
    said = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(
        examples, out=said.append, clear_globs=False
    )
    return "".join(said)


def blocks_of(page):
    """The Python blocks of a page, each blank up to its own line so that messages name the right one."""
    for match in FENCE.finditer(page):
        if match[2] in {"python", "pycon"}:
            yield page.count("\n", 0, match.start(3)), match[3]


def failures_of_page(page, name):
    """How the Python blocks of a page went wrong; they share their names, top to bottom."""
    said, names = [], {"__name__": "__main__"}
    for line, block in blocks_of(page):
        if ">>>" in block:
            examples = doctest.DocTestParser().get_doctest(block, names, name, name, line)
            said.append(failures_of(examples))
            names = examples.globs
        else:
            try:
                compile(block, name, "exec")
            except SyntaxError as error:
                said.append(f"{name}, the block at line {line + 1}: {error}")
    return "".join(said)


NAMES = [
    dotted(module)
    for module in modules()
    if module.name != "__main__.py" and ">>>" in module.read_text(encoding="utf-8")
]
PAGES = [
    page
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if any(blocks_of(page.read_text(encoding="utf-8")))
]


def test_there_are_many_examples():
    assert len(NAMES) > 300
    assert len(PAGES) > 40


@pytest.mark.parametrize("name", NAMES)
def test_the_examples_of_a_module_are_true(name):
    module = importlib.import_module(name)
    found = doctest.DocTestFinder().find(module, name)
    assert "".join(failures_of(examples) for examples in found if examples.examples) == ""


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_the_examples_of_a_page_are_true(page):
    assert failures_of_page(page.read_text(encoding="utf-8"), shown(page)) == ""


def test_a_true_page_passes():
    assert (
        failures_of_page(
            "```python\n>>> x = 1\n```\ntext\n```python\n>>> x + 1\n2\n```\n", "sample"
        )
        == ""
    )


@pytest.mark.parametrize(
    "page",
    [
        "```python\n>>> 1 + 1\n3\n```\n",
        "```pycon\n>>> 1 + 1\n3\n```\n",
        "```python\n>>> 1 / 0\n0\n```\n",
        "1. a list\n\n   ```python\n   >>> 1 + 1\n   3\n   ```\n",
        "```python\nx = = 1\n```\n",
    ],
)
def test_a_false_page_is_caught(page):
    assert failures_of_page(page, "sample")


def test_a_false_docstring_is_caught():
    examples = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "sample", "sample", 0)
    assert failures_of(examples)
