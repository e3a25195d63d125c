"""What was released as many tables: requests, noisy integers, and the model that was made of them;
as bytes.

Checked by: tests/unit/curator/tables/test_marginals.py::test_the_same_marginals_are_free_and_other_ones_are_not
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen

__all__ = ["FORMAT", "Released", "StoredTables"]

FORMAT = b"tacit tables 1"


@frozen(eq=False)
class Released:
    """What was released for one request: its kind and columns, the groups of their values, and
    noisy integers.

    The integers of each array were rounded, after noise was added, to 2**`shifts` of its steps: to
    a sixteenth of the noise or less.  `deviations` are those of the noise, in rows.
    """

    kind: str
    columns: tuple[tuple[int, ...], ...]
    groups: tuple[tuple[int, ...], ...]
    arrays: tuple[NDArray[np.int64], ...]
    shifts: tuple[int, ...]
    scales: tuple[Fraction, ...]
    deviations: tuple[float, ...]

    def counts(self, place: int, worth: Fraction) -> NDArray[Any]:
        """One array's numbers in rows; `worth` is that of a step of the integers."""
        return self.arrays[place] * float(worth * (1 << self.shifts[place]))


@frozen(eq=False)
class StoredTables:
    """Everything that was released for one price.

    `asked` says what was asked and paid for, and under which policy; `worth` is what a step of the
    integers is in rows; `model` is what was learnt of them, as bytes.
    """

    asked: Mapping[str, Any]
    mechanism: str
    worth: Fraction
    released: tuple[Released, ...]
    model: bytes = b""

    @property
    def hiding(self) -> None:
        """Nothing is hidden: all keys are public."""
        return None

    @property
    def found(self) -> None:
        """Nothing was found: all keys are public."""
        return None

    @property
    def scales(self) -> tuple[Fraction, ...]:
        """The scale of every array's noise, in steps of the integers."""
        return tuple(scale for each in self.released for scale in each.scales)

    @property
    def worths(self) -> tuple[Fraction, ...]:
        """What a step of the integers is worth."""
        return (self.worth,)

    def to_bytes(self) -> bytes:
        """The bytes that are stored and replayed."""
        arrays = [_pack(array) for each in self.released for array in each.arrays]
        header = {
            "asked": dict(self.asked),
            "mechanism": self.mechanism,
            "worth": str(self.worth),
            "released": [_header(each) for each in self.released],
            "widths": [array.itemsize for array in arrays],
            "model": len(self.model),
        }
        data = zlib.compress(b"".join(array.tobytes() for array in arrays), 1)
        text = json.dumps(header, separators=(",", ":")).encode()
        return b"\n".join((FORMAT, text, self.model + data))

    @classmethod
    def from_bytes(cls, payload: bytes) -> StoredTables:
        """What the bytes stand for."""
        _, text, rest = payload.split(b"\n", 2)
        header, place = json.loads(text), 0
        model, data = rest[: header["model"]], zlib.decompress(rest[header["model"] :])
        widths = iter(header["widths"])
        released = []
        for each in header["released"]:
            arrays = []
            for shape in each["shapes"]:
                kind, count = f"<i{next(widths)}", int(np.prod(shape, dtype=np.int64))
                array = np.frombuffer(data, kind, count, place)
                place += array.nbytes
                arrays.append(array.astype(np.int64).reshape(shape))
            released.append(
                Released(
                    each["kind"],
                    tuple(map(tuple, each["columns"])),
                    tuple(map(tuple, each["groups"])),
                    tuple(arrays),
                    tuple(each["shifts"]),
                    tuple(Fraction(scale) for scale in each["scales"]),
                    tuple(each["deviations"]),
                )
            )
        return cls(
            header["asked"], header["mechanism"], Fraction(header["worth"]), tuple(released), model
        )

    def plain(self) -> dict[str, Any]:
        """All of it as JSON can hold it, integers too, for whoever looks into the ledger."""
        released = [
            {**_header(each), "integers": [array.tolist() for array in each.arrays]}
            for each in self.released
        ]
        return {
            "asked": dict(self.asked),
            "mechanism": self.mechanism,
            "worth": str(self.worth),
            "released": released,
        }


def _header(released: Released) -> dict[str, Any]:
    """What is said of one request, beside its integers."""
    return {
        "kind": released.kind,
        "columns": released.columns,
        "groups": released.groups,
        "shapes": [array.shape for array in released.arrays],
        "shifts": released.shifts,
        "scales": [str(scale) for scale in released.scales],
        "deviations": released.deviations,
    }


def _pack(array: NDArray[np.int64]) -> NDArray[Any]:
    """Integers as narrow as they can be."""
    low, high = (int(array.min()), int(array.max())) if array.size else (0, 0)
    width = next(w for w in (1, 2, 4, 8) if -(1 << 8 * w - 1) <= low and high < 1 << 8 * w - 1)
    return array.astype(f"<i{width}")
