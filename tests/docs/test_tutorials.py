"""Tutorials run from their text: their files, their commands, and what these print but for the noise.

Their Python examples are run with those of all pages, in test_examples.py.
"""

import pytest

from docs.outputs import shape
from docs.tutorials.tutorial import played, written
from tests.docs.sources import ROOT, shown

PAGES = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
WITH_COMMANDS = [page for page in PAGES if "```console" in page.read_text(encoding="utf-8")]


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=shown)
def test_a_tutorial_prints_what_it_shows(page):
    told = list(played(page.read_text(encoding="utf-8")))
    assert told
    for command, shows, printed in told:
        assert shape(printed) == shape(shows), command


def test_the_tutorials_that_newcomers_need_are_there_and_have_something_to_run():
    names = {page.stem for page in PAGES}
    assert names >= {
        *("first-vault", "three-analysts", "notebook", "question-to-price", "check-our-claims"),
        *("synthetic-table", "first-model", "survey", "server"),
    }
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert "```console" in text or ">>> " in text or page.name == "README.md"


SAMPLE = "```text note.txt\n12 apples\n```\n```console\n$ cat note.txt\n7 apples\n```\n"


def test_what_is_shown_is_compared_but_for_digits():
    ((command, shows, printed),) = played(SAMPLE)
    assert (command, shows, printed) == ("cat note.txt", "7 apples\n", "12 apples\n")
    assert shape(printed) == shape(shows)
    assert "12 apples" in written(SAMPLE).split("console")[1]


@pytest.mark.parametrize("other", ["7 pears", "7 apples\nmore", ""])
def test_a_tutorial_that_shows_something_else_is_caught(other):
    ((_, shows, printed),) = played(SAMPLE.replace("7 apples", other))
    assert shape(printed) != shape(shows)


def test_a_command_that_fails_says_so_and_others_are_not_run():
    page = "```console\n$ tacit sql nowhere 'SELECT 1' --epsilon 1\n```\n"
    ((_, _, printed),) = played(page)
    assert printed.endswith("(exit code 4)\n")
    with pytest.raises(AssertionError, match="cannot run"):
        list(played("```console\n$ rm -r x\n```\n"))
