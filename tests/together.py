"""Cases that are one test: for many small ones, of which each would take longer to start and report than to run."""

import inspect
from collections.abc import Callable, Iterator
from functools import wraps
from itertools import product
from typing import Any

import pytest


def together(test: Callable[..., None]) -> Callable[..., None]:
    """Make one test of all cases that the `parametrize` marks below name; every case runs, and all that fail are told.

    The first failure is raised as it is, with the other cases that fail in a note.
    """
    every = test.__dict__.pop("pytestmark", [])
    marks = [mark for mark in every if mark.name == "parametrize"]
    assert marks, "there are no cases"
    sets = [list(_cases(*mark.args, **mark.kwargs)) for mark in marks]
    assert all(sets), "there are no cases"
    named = {name for cases in sets for name in cases[0]}

    @wraps(test)
    def all_cases(**fixtures: Any) -> None:
        failures: list[tuple[dict[str, Any], BaseException]] = []
        for parts in product(*sets):
            case = {name: value for part in parts for name, value in part.items()}
            try:
                test(**fixtures, **case)
            except (Exception, pytest.fail.Exception) as failure:  # noqa: BLE001 -- the first is raised again
                failures.append((case, failure))
        if failures:
            first = failures[0][1]
            first.add_note(f"{len(failures)} cases fail:")
            for case, each in failures[:20]:
                told = ", ".join(f"{name}={value!r}" for name, value in case.items())
                first.add_note(f"  {told[:300]}: {type(each).__name__}")
            raise first

    given = inspect.signature(test).parameters.values()
    fixtures = [each for each in given if each.name not in named]
    all_cases.pytestmark = [mark for mark in every if mark not in marks]  # type: ignore[attr-defined]
    all_cases.__signature__ = inspect.Signature(fixtures)  # type: ignore[attr-defined]
    return all_cases


def _cases(names: Any, values: Any, **_: Any) -> Iterator[dict[str, Any]]:
    """The arguments of a `parametrize`, one dictionary for each case."""
    listed = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    for value in values:
        if isinstance(value, type(pytest.param())):
            assert not value.marks, "a case of its own has marks of its own"
            yield dict(zip(listed, value.values, strict=True))
        else:
            yield dict(zip(listed, (value,) if len(listed) == 1 else value, strict=True))
