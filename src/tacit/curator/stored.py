"""An answer as the ledger keeps it: noisy integers, and what is public about their noise."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from fractions import Fraction
from typing import Any, assert_never

import numpy as np

from tacit.curator.intervals import Drawn, Noisy, steps_off
from tacit.curator.terms import Terms
from tacit.curator.unknown import Hiding
from tacit.frozen import frozen
from tacit.mechanisms import Gaussian, Laplace, RankedCells
from tacit.plan import Scalar, identity

__all__ = ["Stored", "released"]

_MECHANISMS: dict[str, type[Gaussian] | type[Laplace]] = {"Gaussian": Gaussian, "Laplace": Laplace}

Ranks = tuple[Fraction, int, bool]
"""Of what is ranked: at which rank, in how many cells, and whether with the ends of an interval."""


@frozen
class Stored:
    """What was released: one row a group, one column a measure: an integer, or the cells drawn for what is ranked.

    `asked` says what was asked and paid for, and under which policy; `scales` are the noise's, in steps of the
    integers; `worths` what a step is worth in the measure's own unit; `measures` says what was measured; `ranks`, which
    of them are ranked, and how.
    """

    asked: Mapping[str, Any]
    mechanism: str
    integers: tuple[tuple[int | tuple[int, ...], ...], ...]
    scales: tuple[Fraction, ...]
    worths: tuple[Fraction, ...]
    measures: tuple[str, ...]
    ranks: tuple[Ranks | None, ...]
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
        if any(self.ranks):
            plain["ranks"] = [each and [str(each[0]), each[1], each[2]] for each in self.ranks]
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
            tuple(tuple(tuple(each) if isinstance(each, list) else each for each in row) for row in plain["integers"]),
            tuple(Fraction(scale) for scale in plain["scales"]),
            tuple(Fraction(worth) for worth in plain["worths"]),
            tuple(plain["measures"]),
            tuple(
                each and (Fraction(each[0]), each[1], each[2])
                for each in plain.get("ranks", [None] * len(plain["measures"]))
            ),
            tuple(tuple(map(_read, values)) for values in plain["found"]) if "found" in plain else None,
            Hiding.read(plain["hiding"]) if "hiding" in plain else None,
        )

    def saying(self, **more: Any) -> "Stored":
        """The same, with more said about what was asked."""
        return replace(self, asked={**self.asked, **more})

    def noisy(self, places: Sequence[int]) -> list[list[Noisy | Drawn]]:
        """The columns at these places, each number with its noise, each rank with its cells."""
        noise = {place: self._noise(place) for place in places}

        def told(found: int | tuple[int, ...], place: int) -> Noisy | Drawn:
            mechanism = noise[place]
            if isinstance(mechanism, RankedCells) or isinstance(found, tuple):
                assert isinstance(found, tuple), "of what is ranked, cells were drawn"
                return Drawn(found)
            return Noisy(found, mechanism, self.worths[place])

        return [[told(row[place], place) for place in places] for row in self.integers]

    def reach(self, place: int, confidence: float) -> Fraction:
        """The ± of one measure at this confidence; of what is ranked, in rows."""
        noise = self._noise(place)
        if isinstance(noise, RankedCells):
            return noise.error(confidence) * self.worths[place]
        return steps_off(noise, confidence) * self.worths[place]

    def _noise(self, place: int) -> Laplace | Gaussian | RankedCells:
        ranked, scale = self.ranks[place], self.scales[place]
        if ranked is not None:
            return RankedCells(ranked[0], scale, ranked[1], ends=ranked[2])
        return _MECHANISMS[self.mechanism.partition(",")[0]](scale)


def released(
    terms: Terms, exact: Any, asked: Mapping[str, Any], found: tuple[tuple[Scalar, ...], ...] | None = None
) -> Stored:
    """The exact integers, hidden; `found` are the unknown keys that passed, which are released already.

    Claim:      every integer is an exact one plus fresh noise of its measure's mechanism, or a cell that was drawn.
    Because:    each measure is released once, over all groups.
    Checked by: tests/laws/test_corridor.py
    """
    columns = [_hidden(terms, place, exact[:, where]) for place, where in enumerate(terms.columns)]
    names = sorted({type(mechanism).__name__ for mechanism in terms.mechanisms})
    return Stored(
        asked,
        ", ".join(names),
        tuple(tuple(column[group] for column in columns) for group in range(len(exact))),
        tuple(
            mechanism.sigma if isinstance(mechanism, Gaussian) else mechanism.scale for mechanism in terms.mechanisms
        ),
        tuple(terms.worth(place) for place in range(len(columns))),
        tuple(identity(measure) for measure in terms.question.measures),
        tuple(
            (mechanism.rank, mechanism.cells, mechanism.ends) if isinstance(mechanism, RankedCells) else None
            for mechanism in terms.mechanisms
        ),
        found,
        None if terms.finder is None else terms.finder.hiding,
    )


def _hidden(terms: Terms, place: int, exact: Any) -> Sequence[int | tuple[int, ...]]:
    """What is released of one measure, group by group."""
    mechanism = terms.mechanisms[place]
    if isinstance(mechanism, RankedCells):
        return mechanism.release(exact)
    noisy = mechanism.release(np.array(terms.rounded(place, exact[:, 0].tolist()), dtype=object))
    return [int(number) for number in noisy]


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
