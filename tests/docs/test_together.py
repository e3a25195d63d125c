"""Cases that are one test all run, and what fails is told as if each were a test of its own."""

import inspect

import pytest

from tests.together import together


def made_of(bad, seen):
    @together
    @pytest.mark.usefixtures("nothing")
    @pytest.mark.parametrize("letter", ["a", pytest.param("b", id="second")])
    @pytest.mark.parametrize(("one", "two"), [(1, 2), (3, 4)])
    def test(letter, one, two, fixture):
        seen.append((letter, one, two, fixture))
        assert (letter, one) not in bad
        if letter == "b" and one == 3:
            with pytest.raises(ValueError):
                pass

    return test


def test_every_case_runs_and_all_that_fail_are_told():
    seen = []
    with pytest.raises(AssertionError) as failed:
        made_of({("a", 1)}, seen)(fixture=0)
    assert sorted(seen) == [("a", 1, 2, 0), ("a", 3, 4, 0), ("b", 1, 2, 0), ("b", 3, 4, 0)]
    head, first, second = failed.value.__notes__
    assert head == "2 cases fail:"
    assert first == "  one=1, two=2, letter='a': AssertionError"
    assert second == "  one=3, two=4, letter='b': Failed"


def test_what_fails_without_an_exception_fails():
    with pytest.raises(pytest.fail.Exception):
        made_of(set(), [])(fixture=0)


def test_fixtures_and_other_marks_stay():
    test = made_of(set(), [])
    assert list(inspect.signature(test).parameters) == ["fixture"]
    assert [mark.name for mark in test.pytestmark] == ["usefixtures"]


@pytest.mark.parametrize("cases", [[], [pytest.param(1, marks=pytest.mark.soak)]])
def test_no_cases_and_cases_with_marks_are_refused(cases):
    with pytest.raises(AssertionError):
        together(pytest.mark.parametrize("x", cases)(lambda x: None))()
    with pytest.raises(AssertionError, match="no cases"):
        together(lambda: None)
