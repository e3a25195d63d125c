"""An answer as the ledger keeps it: noisy integers, and what is public about their noise."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, assert_never

import numpy as np

from tacit.curator.answer.intervals import Drawn, Noisy
from tacit.curator.integers_as_bytes import pack, unpack
from tacit.curator.pricing.noise_error import steps_off
from tacit.curator.pricing.noise_of_measures import Terms
from tacit.frozen import frozen
from tacit.mechanisms import Gaussian, Laplace, RankedCells
from tacit.plan import KeyValue, identity

if TYPE_CHECKING:
    from tacit.curator.pricing.unknown_key_threshold import Hiding


__all__ = ["Integers", "Stored", "release_exact", "stored_answer"]

_MECHANISMS: dict[str, type[Gaussian | Laplace]] = {"Gaussian": Gaussian, "Laplace": Laplace}

Integers = int | tuple[int, ...]
"""What is released of one measure of one group: a noisy integer, or the cells drawn for what is ranked."""

Ranks = tuple[Fraction, int, bool]
"""Of what is ranked: at which rank, in how many cells, and whether with the ends of an interval."""


@frozen
class Stored:
    """What was released: one row a group, one column a measure: an integer, or the cells drawn for what is ranked.

    `asked` says what was asked and paid for, and under which policy; `scales` are the noise's, in steps of the
    integers; `worths` what a step is worth in the measure's own unit; `measures` says what was measured; `ranks`, which
    of them are ranked, and how.  Of a choice of groups nothing is measured: `found` are the chosen ones, best first.
    """

    asked: Mapping[str, Any]
    mechanism: str
    integers: tuple[tuple[Integers, ...], ...]
    scales: tuple[Fraction, ...]
    worths: tuple[Fraction, ...]
    measures: tuple[str, ...]
    ranks: tuple[Ranks | None, ...]
    found: tuple[tuple[KeyValue, ...], ...] | None = None
    hiding: Hiding | None = None

    def to_bytes(self) -> bytes:
        """The bytes that are stored and replayed: a line that says what they are, one of JSON, and packed integers."""
        packed = [
            _pack_column([row[place] for row in self.integers])
            for place in range(len(self.measures))
        ]
        plain: dict[str, Any] = {
            "asked": dict(self.asked),
            "mechanism": self.mechanism,
            "groups": len(self.integers),
            "widths": [[draws, width] for draws, width, _ in packed],
            "scales": [str(scale) for scale in self.scales],
            "worths": [str(worth) for worth in self.worths],
            "measures": self.measures,
        }
        if any(self.ranks):
            plain["ranks"] = [each and [str(each[0]), each[1], each[2]] for each in self.ranks]
        if self.found is not None and (self.hiding is not None or not self.measures):
            plain["found"] = [[_write_key(value) for value in values] for values in self.found]
        if self.found is not None and self.hiding is not None:
            plain["hiding"] = self.hiding.to_fields()
        header = json.dumps(plain, separators=(",", ":")).encode()
        return b"\n".join((_FORMAT, header, b"".join(data for _, _, data in packed)))

    @classmethod
    def from_bytes(cls, payload: bytes) -> Stored:
        """What the bytes stand for."""
        plain, integers = _split_payload(payload)
        ranks = plain.get("ranks", [None] * len(plain["measures"]))
        return cls(
            plain["asked"],
            plain["mechanism"],
            integers,
            tuple(map(Fraction, plain["scales"])),
            tuple(map(Fraction, plain["worths"])),
            tuple(plain["measures"]),
            tuple([each and (Fraction(each[0]), each[1], each[2]) for each in ranks]),
            tuple(tuple(map(_read_key, values)) for values in plain["found"])
            if "found" in plain
            else None,
            _read_hiding(plain["hiding"]) if "hiding" in plain else None,
        )

    def plain(self) -> dict[str, Any]:
        """All of it as JSON can hold it, integers too, for whoever looks into the ledger."""
        _, header, _ = self.to_bytes().split(b"\n", 2)
        said = {
            name: value
            for name, value in json.loads(header).items()
            if name not in ("groups", "widths")
        }
        return {**said, "integers": [list(row) for row in self.integers]}

    def saying(self, **more: Any) -> Stored:
        """The same, with more said about what was asked."""
        return replace(self, asked={**self.asked, **more})

    def noisy(self, places: Sequence[int]) -> list[list[Noisy | Drawn]]:
        """The columns at these places, each number with its noise, each rank with its cells."""
        noise = {place: self._noise(place) for place in places}

        def attach_noise(found: int | tuple[int, ...], place: int) -> Noisy | Drawn:
            mechanism = noise[place]
            if isinstance(mechanism, RankedCells) or isinstance(found, tuple):
                assert isinstance(found, tuple), "of what is ranked, cells were drawn"
                return Drawn(found)
            return Noisy(found, mechanism, self.worths[place])

        return [[attach_noise(row[place], place) for place in places] for row in self.integers]

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
        return _noise_at(self.mechanism.partition(",")[0], scale)


# Remembered: measures of one question mostly share their scale, and so do a rehearsal and the answer.
@lru_cache(maxsize=256)
def _noise_at(mechanism: str, scale: Fraction) -> Laplace | Gaussian:
    return _MECHANISMS[mechanism](scale)


def release_exact(
    terms: Terms,
    exact: Any,
    asked: Mapping[str, Any],
    found: tuple[tuple[KeyValue, ...], ...] | None = None,
) -> Stored:
    """The exact integers, hidden; `found` are the unknown keys that passed, which are released already.

    Claim:      every integer is an exact one plus fresh noise of its measure's mechanism, or a cell that was drawn.
    Because:    each measure is released once, over all groups.
    Checked by: tests/laws/test_corridor.py
    """
    columns = [
        _add_noise(terms, place, exact[:, where]) for place, where in enumerate(terms.columns)
    ]
    integers = tuple(tuple(column[group] for column in columns) for group in range(len(exact)))
    return stored_answer(terms, integers, asked, found)


def stored_answer(
    terms: Terms,
    integers: tuple[tuple[Integers, ...], ...],
    asked: Mapping[str, Any],
    found: tuple[tuple[KeyValue, ...], ...] | None,
) -> Stored:
    """What was released, one row a group, with all that is public about it."""
    noise = terms.mechanisms
    names = sorted({type(each).__name__ for each in noise})
    return Stored(
        asked,
        ", ".join(names),
        integers,
        tuple([each.sigma if isinstance(each, Gaussian) else each.scale for each in noise]),
        tuple(map(terms.worth, range(len(noise)))),
        tuple(map(identity, terms.question.measures)),
        tuple(
            [
                (each.rank, each.cells, each.ends) if isinstance(each, RankedCells) else None
                for each in noise
            ]
        ),
        found,
        None if terms.finder is None else terms.finder.hiding,
    )


def _add_noise(terms: Terms, place: int, exact: Any) -> Sequence[Integers]:
    """What is released of one measure, group by group."""
    mechanism = terms.mechanisms[place]
    if isinstance(mechanism, RankedCells):
        return mechanism.release(exact)
    noisy = mechanism.release(
        np.array(terms.round_to_grid(place, exact[:, 0].tolist()), dtype=object)
    )
    return [int(number) for number in noisy]


def _read_hiding(fields: dict[str, str]) -> Hiding:
    from tacit.curator.pricing.unknown_key_threshold import Hiding

    return Hiding.from_fields(fields)


_FORMAT = b"tacit answer 2"


def _pack_column(column: Sequence[int | tuple[int, ...]]) -> tuple[int, int, bytes]:
    """A measure's integers: how many a group has of it (0: one that stands alone), how wide they are, and they."""
    if column and isinstance(column[0], tuple):
        rows = [row for row in column if isinstance(row, tuple)]
        return len(rows[0]), *pack([each for row in rows for each in row])
    return 0, *pack([each for each in column if isinstance(each, int)])


def _split_payload(
    payload: bytes,
) -> tuple[dict[str, Any], tuple[tuple[int | tuple[int, ...], ...], ...]]:
    """What is said of an answer, and its integers, group by group; answers that were kept as JSON are read as well."""
    if not payload.startswith(_FORMAT + b"\n"):
        plain = json.loads(payload)
        rows = plain["integers"]
        return plain, tuple(
            tuple(tuple(each) if isinstance(each, list) else each for each in row) for row in rows
        )
    _, header, data = payload.split(b"\n", 2)
    plain, start = json.loads(header), 0
    columns: list[Sequence[int | tuple[int, ...]]] = []
    for draws, width in plain["widths"]:
        end = start + plain["groups"] * max(draws, 1) * width
        numbers, start = unpack(width, data[start:end]), end
        columns.append(
            [tuple(numbers[at : at + draws]) for at in range(0, len(numbers), draws)]
            if draws
            else numbers
        )
    return plain, tuple(zip(*columns, strict=True))


def _write_key(value: KeyValue) -> list[str]:
    """A key's value as JSON keeps it: what it is, and its text."""
    match value:
        case None:
            return ["null", ""]
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


_READ: dict[str, Callable[[str], KeyValue]] = {
    "null": lambda _: None,
    "truth": lambda text: text == "True",
    "whole": int,
    "number": Fraction,
    "moment": datetime.fromisoformat,
    "day": date.fromisoformat,
    "text": str,
}


def _read_key(kept: Sequence[str]) -> KeyValue:
    what, text = kept
    return _READ[what](text)
