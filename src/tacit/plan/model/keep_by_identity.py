"""What is found of values that never change, kept by which value it is, and not by what it holds.

Expressions are trees: to compare two, or to hash one, is to walk all of it.

Checked by: tests/unit/plan/model/test_keep_by_identity.py
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

__all__ = ["keep_by_identity"]

_MOST = 4_000

Given = ParamSpec("Given")
Found = TypeVar("Found")


def keep_by_identity(compute: Callable[Given, Found]) -> Callable[Given, Found]:
    """A function that computes once for the same values, by their identity; what it raises is not kept.

    Claim:      what is given back was computed for these very values.
    Because:    a value that is kept lives, so that nothing else has its identity.
    Checked by: tests/unit/plan/model/test_keep_by_identity.py

    >>> computed = []
    >>> length = keep_by_identity(lambda text: computed.append(text) or len(text))
    >>> word = "word"
    >>> length(word), length(word), computed
    (4, 4, ['word'])
    """
    known: dict[tuple[int, ...], tuple[object, Found]] = {}

    @wraps(compute)
    def kept(*values: Given.args, **named: Given.kwargs) -> Found:
        assert not named, "values are told apart by their places"
        place = tuple(map(id, values))
        found = known.get(place)
        if found is None:
            found = values, compute(*values, **named)
            if len(known) >= _MOST:
                known.clear()
            known[place] = found
        return found[1]

    return kept
