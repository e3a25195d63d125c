"""What leaves a vault, as JSON can hold it, and back: answers, explanations, budgets and declared tables.

A server writes these fields and a client reads them; nothing is lost on the way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields as fields_of
from datetime import date, datetime
from fractions import Fraction
from math import isfinite
from typing import Any

from tacit.curator.answer.explanation import Expected, ExpectedMean, Explanation
from tacit.curator.answer.left_out_captions import LeftOut
from tacit.curator.answer.release import Price, Release
from tacit.curator.budget import Budget
from tacit.curator.describe_tables import Listing
from tacit.curator.pricing.answer_size import Size
from tacit.curator.pricing.unknown_key_threshold import Hiding
from tacit.plan import Column, Kind, Scalar, Table

__all__ = [
    "budget_fields",
    "explanation_fields",
    "read_budget",
    "read_explanation",
    "read_release",
    "read_table",
    "release_fields",
    "table_fields",
]

_WORDS = {"Infinity": float("inf"), "-Infinity": float("-inf"), "NaN": float("nan")}


def release_fields(release: Release) -> dict[str, Any]:
    """An answer as JSON can hold it; `types` say how the cells of a column are to be read.

    Claim:      what is written is a function of the release, and what is read from it again is the same release.
    Because:    every field is written, and each kind of cell has one form that is read back to itself.
    Checked by: tests/unit/curator/test_json_exchange.py
    """
    return {
        "kind": "listing" if isinstance(release, Listing) else "answer",
        "columns": list(release.columns),
        "types": [_type_of([row[place] for row in release.rows]) for place in _places(release)],
        "rows": [[_plain(cell) for cell in row] for row in release.rows],
        "measured": list(release.measured),
        "confidence": release.confidence,
        "price": {
            "epsilon": release.price.epsilon,
            "share": release.price.share,
            "free": release.price.free,
        },
        "receipt": dict(release.receipt),
        "hiding": _hiding(release.hiding),
        "left_out": [_left_out(each) for each in release.left_out],
        "notes": list(release.notes),
    }


def read_release(written: Mapping[str, Any]) -> Release:
    """The answer that was written.

    >>> price = Price(0.5, 0.25)
    >>> answer = Release(("day", "n"), ((date(2025, 1, 2), 7),), ("n",), 0.95, price, {"entry": 1})
    >>> read_release(release_fields(answer)) == answer
    True
    """
    types = written["types"]
    made = Listing if written["kind"] == "listing" else Release
    price = written["price"]
    return made(
        tuple(written["columns"]),
        tuple(
            tuple(_cell(cell, kind) for cell, kind in zip(row, types, strict=True))
            for row in written["rows"]
        ),
        tuple(written["measured"]),
        float(written["confidence"]),
        Price(float(price["epsilon"]), float(price["share"]), bool(price["free"])),
        dict(written["receipt"]),
        _read_hiding(written["hiding"]),
        tuple(LeftOut(**each) for each in written["left_out"]),
        tuple(written["notes"]),
    )


def explanation_fields(told: Explanation) -> dict[str, Any]:
    """An explanation as JSON can hold it."""
    plain = {each.name: getattr(told, each.name) for each in fields_of(told)}
    return {
        **plain,
        "expected": [
            {
                "measure": each.measure,
                "noise": each.noise,
                "reach": _plain(each.reach),
                "rows": each.rows,
            }
            for each in told.expected
        ],
        "means": [
            {"column": each.column, "rows": list(each.rows), "reach": list(each.reach)}
            for each in told.means
        ],
        "share": _plain(told.share),
        "hiding": _hiding(told.hiding),
        "size": {"numbers": told.size.numbers, "bytes": told.size.bytes},
        "left_out": [_left_out(each) for each in told.left_out],
        "own": None if told.own is None else [_plain(each) for each in told.own],
        "remarks": list(told.remarks),
    }


def read_explanation(written: Mapping[str, Any]) -> Explanation:
    """The explanation that was written."""
    known = {each.name for each in fields_of(Explanation)}
    plain = {name: value for name, value in written.items() if name in known}
    own = written["own"]
    return Explanation(
        **{
            **plain,
            "expected": tuple(
                Expected(each["measure"], each["noise"], _number(each["reach"]), each["rows"])
                for each in written["expected"]
            ),
            "means": tuple(
                ExpectedMean(each["column"], tuple(each["rows"]), tuple(each["reach"]))
                for each in written.get("means", ())
            ),
            "share": _number(written["share"]),
            "hiding": _read_hiding(written["hiding"]),
            "size": Size(written["size"]["numbers"], written["size"]["bytes"]),
            "left_out": tuple(LeftOut(**each) for each in written["left_out"]),
            "remarks": tuple(written.get("remarks", ())),
            "own": None if own is None else (_number(own[0]), _number(own[1])),
        }
    )


def budget_fields(budget: Budget) -> dict[str, Any]:
    """A budget as JSON can hold it; the shares that are left are written, too, for who does not reckon.

    >>> budget_fields(Budget(3.0, 1e-6, 0.25))
    {'epsilon': 3.0, 'delta': 1e-06, 'spent': 0.25, 'left': 0.75, 'own': None}
    """
    return {
        "epsilon": budget.epsilon,
        "delta": budget.delta,
        "spent": budget.spent,
        "left": budget.left,
        "own": None if budget.own is None else budget_fields(budget.own),
    }


def read_budget(written: Mapping[str, Any]) -> Budget:
    """The budget that was written."""
    own = written["own"]
    return Budget(
        float(written["epsilon"]),
        float(written["delta"]),
        float(written["spent"]),
        None if own is None else read_budget(own),
    )


def table_fields(table: Table) -> dict[str, Any]:
    """A table as the curator declares it, as JSON can hold it."""
    return {
        "name": table.name,
        "unit": table.unit,
        "rows": table.rows,
        "public": table.public,
        "unique": list(table.unique),
        "contributions": table.contributions,
        "references": [list(each) for each in table.references],
        "columns": [_column(each) for each in table.columns],
    }


def read_table(written: Mapping[str, Any]) -> Table:
    """The table that was written.

    >>> table = Table("visits", (Column("cost", Kind.NUMBER, low=0, high=Fraction(1, 3)),), unit="patient")
    >>> read_table(table_fields(table)) == table
    True
    """
    return Table(
        written["name"],
        tuple(_read_column(each) for each in written["columns"]),
        unit=written["unit"],
        rows=written["rows"],
        public=written["public"],
        unique=tuple(written["unique"]),
        contributions=written["contributions"],
        references=tuple((column, other, key) for column, other, key in written["references"]),
    )


def _places(release: Release) -> range:
    return range(len(release.columns))


def _type_of(cells: list[Any]) -> str:
    """What the cells of one column are, for who reads them."""
    kinds = {type(cell) for cell in cells if cell is not None}
    if not kinds:
        return "null"
    for kind, name in (
        (datetime, "timestamp"),
        (date, "date"),
        (str, "text"),
        (bool, "boolean"),
        (float, "number"),
        (int, "integer"),
    ):
        if kind in kinds:
            return name
    raise AssertionError(f"an answer holds a {kinds.pop().__name__}")


def _plain(cell: Any) -> Any:
    match cell:
        case date():
            return cell.isoformat()
        case float() if not isfinite(cell):
            return next(word for word, value in _WORDS.items() if repr(value) == repr(cell))
        case _:
            return cell


def _cell(cell: Any, kind: str) -> Any:
    if not isinstance(cell, str):
        return cell
    match kind:
        case "timestamp":
            return datetime.fromisoformat(cell)
        case "date":
            return date.fromisoformat(cell)
        case "number":
            return _number(cell)
        case _:
            return cell


def _number(written: Any) -> float:
    return _WORDS[written] if isinstance(written, str) else written


def _hiding(hiding: Hiding | None) -> dict[str, str] | None:
    return None if hiding is None else hiding.to_fields()


def _read_hiding(written: Mapping[str, str] | None) -> Hiding | None:
    return None if written is None else Hiding.from_fields(written)


def _left_out(each: LeftOut) -> dict[str, str]:
    return {"kind": each.kind, "about": each.about, "sentence": each.sentence}


def _column(column: Column) -> dict[str, Any]:
    return {
        "name": column.name,
        "type": column.kind.value,
        "low": _scalar(column.low),
        "high": _scalar(column.high),
        "values": None if column.values is None else [_scalar(each) for each in column.values],
        "nullable": column.nullable,
        "other": column.other,
        "null_group": column.null_group,
    }


def _read_column(written: Mapping[str, Any]) -> Column:
    values = written["values"]
    return Column(
        written["name"],
        Kind(written["type"]),
        low=_read_scalar(written["low"]),
        high=_read_scalar(written["high"]),
        values=None if values is None else tuple(_read_declared(each) for each in values),
        nullable=written["nullable"],
        other=written["other"],
        null_group=written["null_group"],
    )


def _scalar(value: Scalar | None) -> Any:
    """A public value; what JSON has no word for is written with the name of its kind."""
    match value:
        case Fraction():
            return {"fraction": str(value)}
        case datetime():
            return {"timestamp": value.isoformat()}
        case date():
            return {"date": value.isoformat()}
        case _:
            return value


def _read_scalar(written: Any) -> Scalar | None:
    match written:
        case {"fraction": str(text)}:
            return Fraction(text)
        case {"timestamp": str(text)}:
            return datetime.fromisoformat(text)
        case {"date": str(text)}:
            return date.fromisoformat(text)
        case _:
            return written  # type: ignore[no-any-return]


def _read_declared(written: Any) -> Scalar:
    value = _read_scalar(written)
    assert value is not None, "NULL is no declared value"
    return value
