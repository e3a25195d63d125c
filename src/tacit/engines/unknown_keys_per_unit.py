"""Keys that are not public: which of them units keep, and what they weigh; the same in every engine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import date, datetime
from fractions import Fraction
from hashlib import sha256
from math import isqrt
from struct import pack
from typing import Any, Protocol

from numpy.typing import NDArray

from tacit.plan import (
    Keeping,
    KeyValue,
    Kind,
    Question,
    Scalar,
    Value,
    Weighing,
    Weights,
    type_of,
)

__all__ = ["Gathered", "Gathering", "hash_of", "key_weight", "rehearsal_of", "write_key_value"]


class Gathered(Protocol):
    """What the units of a question keep of its unknown keys: keys, known by their places, and what each weighs.

    Claim:      without a unit's rows, the weights are less by what that unit keeps: of at most `most` keys that it has,
                what `key_weight` says of k each, if it keeps k; and no other key is here.
    Because:    which keys a unit keeps depends on its own rows, the secret and nothing else.
    Checked by: tests/laws/test_keys.py
    """

    @property
    def weights(self) -> NDArray[Any]:
        """What every key weighs, multiplied by 2**bits, in the order of their hashes; all are above zero."""
        ...

    def keys(self, places: Sequence[int]) -> list[tuple[KeyValue, ...]]:
        """The values of some keys, one for every unknown key of the question."""
        ...

    def evaluate(self, places: Sequence[int | None], question: Question, weights: Weights) -> Any:
        """The exact measures of the question, of which the keys at these places were found, in their order.

        Claim:      every key that was found is measured over all rows that have it, with a place or without one.
        Because:    a key that no unit keeps has no place, but there may be rows of it: it is looked up by its value.
        Checked by: tests/laws/test_key_codes.py::test_a_key_that_nobody_keeps_is_measured_like_any_other
        """
        ...


Gathering = AbstractContextManager[Gathered]
"""What is gathered, for as long as it is needed."""


def key_weight(kept: int, keeping: Keeping) -> int:
    """What each of so many keys weighs that a unit keeps.

    Claim:      it is floor(2**bits / sqrt kept), so that the squares of all add up to at most 4**bits; where sums are
                bounded, floor(2**bits / kept), so that all add up to at most 2**bits.
    Because:    W**2 <= x holds for a rational x exactly if W <= isqrt(floor(x)).
    Checked by: tests/laws/test_keys.py

    >>> key_weight(4, Keeping(10, 20, b"")) == 1 << 19
    True
    """
    if keeping.norm is Weighing.L1:
        return (1 << keeping.bits) // kept
    return isqrt((1 << 2 * keeping.bits) // kept)


def hash_of(values: Iterable[Value], kinds: Iterable[Kind], secret: bytes) -> str:
    """By what a unit's keys are sorted before it keeps the first ones: a hash of their values that nobody can foresee.

    >>> hash_of(["a"], [Kind.TEXT], b"one") == hash_of(["a"], [Kind.TEXT], b"two")
    False
    """
    parts = [
        b"-:" if value is None else _prefix_length(write_key_value(value, kind).encode())
        for value, kind in zip(values, kinds, strict=True)
    ]
    return sha256(secret.hex().encode() + b"".join(parts)).hexdigest()


def _prefix_length(part: bytes) -> bytes:
    return b"%d:%b" % (len(part), part)


def write_key_value(value: Value, kind: Kind) -> str:
    """The text that a key's value is hashed by, which no other value of its kind has; dialects write it as `text_of`.

    >>> write_key_value(0.5, Kind.NUMBER)[:12]
    '001111111110'
    """
    match kind:
        case Kind.NUMBER:
            assert isinstance(value, int | float), "a number is one"
            return "".join(f"{byte:08b}" for byte in pack(">d", float(value) + 0.0))
        case Kind.BOOLEAN:
            return "true" if value else "false"
        case _:
            return str(value)


def rehearsal_of(question: Question) -> Question:
    """The question as if one key had been found, whatever it is: what a dry run evaluates."""
    if not question.unknown or question.found is not None:
        return question
    return replace(
        question, found=(tuple(_ANY[type_of(key.value).kind] for key in question.unknown),)
    )


_ANY: dict[Kind, Scalar] = {
    Kind.BOOLEAN: True,
    Kind.INTEGER: 0,
    Kind.NUMBER: Fraction(0),
    Kind.TEXT: "",
    Kind.DATE: date(1970, 1, 1),
    Kind.TIMESTAMP: datetime(1970, 1, 1),  # noqa: DTZ001 -- columns without a zone hold UTC
}
