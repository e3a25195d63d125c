"""An answer as the ledger keeps it: noisy integers, and what is public about their noise."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from typing import Any, assert_never

import numpy as np

from tacit.curator.intervals import Noisy
from tacit.curator.terms import Terms
from tacit.curator.unknown import Hiding
from tacit.mechanisms import Gaussian, Laplace
from tacit.plan import Scalar, identity

__all__ = ["Stored", "released"]

_MECHANISMS: dict[str, type[Gaussian] | type[Laplace]] = {"Gaussian": Gaussian, "Laplace": Laplace}


@dataclass(frozen=True, slots=True)
class Stored:
    """What was released: one row of integers a group, one column a measure.

    `asked` says what was asked and paid for, and under which policy; `scales` are the noise's, in steps of the
    integers; `worths` what a step is worth in the measure's own unit; `measures` says what was measured.
    """

    asked: Mapping[str, Any]
    mechanism: str
    integers: tuple[tuple[int, ...], ...]
    scales: tuple[Fraction, ...]
    worths: tuple[Fraction, ...]
    measures: tuple[str, ...]
    found: tuple[tuple[Scalar, ...], ...] | None = None
    hiding: Hiding | None = None

    def written(self) -> bytes:
        """The bytes that are stored and replayed."""
        plain: dict[str, Any] = {
            "asked": dict(self.asked),
            "mechanism": self.mechanism,
            "integers": self.integers,
            "scales": [str(scale) for scale in self.scales],
            "worths": [str(worth) for worth in self.worths],
            "measures": self.measures,
        }
        if self.found is not None and self.hiding is not None:
            plain["found"] = [[_kept(value) for value in values] for values in self.found]
            plain["hiding"] = self.hiding.written()
        return json.dumps(plain, separators=(",", ":")).encode()

    @classmethod
    def read(cls, payload: bytes) -> "Stored":
        """What the bytes stand for."""
        plain = json.loads(payload)
        return cls(
            plain["asked"],
            plain["mechanism"],
            tuple(tuple(row) for row in plain["integers"]),
            tuple(Fraction(scale) for scale in plain["scales"]),
            tuple(Fraction(worth) for worth in plain["worths"]),
            tuple(plain["measures"]),
            tuple(tuple(map(_read, values)) for values in plain["found"]) if "found" in plain else None,
            Hiding.read(plain["hiding"]) if "hiding" in plain else None,
        )

    def noisy(self, places: Sequence[int]) -> list[list[Noisy]]:
        """The columns at these places, each number with its noise."""
        noise = [_MECHANISMS[self.mechanism](scale) for scale in self.scales]
        return [[Noisy(row[place], noise[place], self.worths[place]) for place in places] for row in self.integers]

    def reach(self, place: int, confidence: float) -> Fraction:
        """The ± of one measure at this confidence."""
        return Fraction(_MECHANISMS[self.mechanism](self.scales[place]).error(confidence)) * self.worths[place]


def released(
    terms: Terms, exact: Any, asked: Mapping[str, Any], found: tuple[tuple[Scalar, ...], ...] | None = None
) -> Stored:
    """The exact integers, hidden; `found` are the unknown keys that passed, which are released already.

    Claim:      every integer is an exact one plus fresh noise of its measure's mechanism.
    Because:    each measure is released once, over all groups.
    Checked by: tests/laws/test_corridor.py
    """
    columns = [
        mechanism.release(np.array(terms.rounded(place, exact[:, place].tolist()), dtype=object))
        for place, mechanism in enumerate(terms.mechanisms)
    ]
    return Stored(
        asked,
        type(terms.mechanisms[0]).__name__,
        tuple(tuple(int(column[group]) for column in columns) for group in range(len(exact))),
        tuple(mechanism.scale if isinstance(mechanism, Laplace) else mechanism.sigma for mechanism in terms.mechanisms),
        tuple(terms.worth(place) for place in range(len(columns))),
        tuple(identity(measure) for measure in terms.question.measures),
        found,
        None if terms.finder is None else terms.finder.hiding,
    )


def _kept(value: Scalar) -> list[str]:
    """A key's value as JSON keeps it: what it is, and its text."""
    match value:
        case bool():
            return ["truth", str(value)]
        case int():
            return ["whole", str(value)]
        case Fraction():
            return ["number", str(value)]
        case datetime():
            return ["moment", value.isoformat()]
        case date():
            return ["day", value.isoformat()]
        case str():
            return ["text", value]
        case _:
            assert_never(value)


_READ: dict[str, Callable[[str], Scalar]] = {
    "truth": lambda text: text == "True",
    "whole": int,
    "number": Fraction,
    "moment": datetime.fromisoformat,
    "day": date.fromisoformat,
    "text": str,
}


def _read(kept: Sequence[str]) -> Scalar:
    what, text = kept
    return _READ[what](text)
