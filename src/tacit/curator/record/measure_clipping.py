"""How much contributions and bounds cut off, measured privately: which share of units, and of each column's values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from tacit.curator.answer.intervals import Interval, Noisy, ratio_interval
from tacit.curator.answer.release import Price
from tacit.curator.policy.policy import Shared
from tacit.curator.record.receipt import tag
from tacit.curator.record.stored_answer import Stored
from tacit.errors import InvalidInput
from tacit.frozen import frozen
from tacit.ledger import Ledger
from tacit.plan import (
    Case,
    Column,
    Compared,
    Counted,
    Either,
    Expression,
    Field,
    Folded,
    Folding,
    Kind,
    Literal,
    Measure,
    MeasureOf,
    Plan,
    Question,
    Rows,
    Running,
    Scan,
    Shown,
    Table,
    Units,
    View,
    Windowed,
    bounds_of,
    canonical,
    scalar,
)

__all__ = [
    "Clipping",
    "clipping_subject",
    "clipping_topic",
    "latest_shares",
    "plan_clipping",
    "read_clipping",
]

_SURE = 0.95


@frozen
class Clipping:
    """The share of units of a table with more rows than count in full, and of each bounded column's values beyond.

    `units` is None where every row is a unit.  Every share is an interval at `confidence`; those of values weigh rows
    as every answer does.
    """

    table: str
    contributions: int | None
    units: Interval | None
    columns: Mapping[str, Interval]
    confidence: float
    price: Price
    receipt: Mapping[str, Any]

    @property
    def measured(self) -> Mapping[str, str]:
        """What captions say of it, by the names of the table and its columns."""
        columns = {f"{self.table}.{name}": share for name, share in self.columns.items()}
        units = {} if self.units is None else {self.table: self.units}
        return _captions({**columns, **units}, self.table)

    def __str__(self) -> str:
        lines = []
        if self.units is not None:
            rows = f"{self.contributions:,} row{'' if self.contributions == 1 else 's'}"
            lines.append(
                f"{_format_share(self.units)} of the units have more than {rows} in {self.table}."
            )
        lines += [
            f"{_format_share(share)} of the values of {name} are outside its bounds."
            for name, share in self.columns.items()
        ]
        return "\n".join(
            [
                *lines,
                (f"Each interval holds with probability {self.confidence:.0%}; cost: {self.price}"),
            ]
        )


def plan_clipping(shared: Shared) -> tuple[Plan, Mapping[str, tuple[int, int]]]:
    """The plan whose answer says what is cut off, in its canonical form, and where in it each share's two counts are.

    The share of units is under the table's name, that of values under "table.column".

    Claim:      a unit counts once among units, whatever it owns, and its rows weigh what they weigh in any answer.
    Because:    it is a question like any other: its rows know how many rows their unit has, and units that have a row
                beyond are counted as units; no column is held, so that what lies beyond its bounds can be counted.
    Checked by: tests/laws/test_left_out.py::test_no_unit_moves_what_is_measured_of_clipping_further_than_claimed
    """
    table = shared.table
    if table.public:
        raise InvalidInput(
            "table", table.name, "it is public; read it directly, it is not protected"
        )
    if table.unit is not None and shared.contributions is None:
        remedy = f"set `contributions` for {table.name}, or find it: vault.find_contributions(...)"
        raise InvalidInput("table", table.name, remedy)
    bounded = _bounded_columns(table)
    if table.unit is None and not bounded:
        raise InvalidInput(
            "table",
            table.name,
            "every row is a unit and no column has bounds, so nothing is clipped",
        )
    pairs = _count_pairs(shared)
    measures = tuple(dict.fromkeys(measure for pair in pairs.values() for measure in pair))
    shown = tuple(Shown(str(place), MeasureOf(place)) for place in range(len(measures)))
    plan = canonical(Plan(Question(_rows_with_counts(shared), (), measures), View(shown)))
    moved = [
        column.value.place for column in plan.view.columns if isinstance(column.value, MeasureOf)
    ]
    places = {
        name: (moved[measures.index(one)], moved[measures.index(two)])
        for name, (one, two) in pairs.items()
    }
    return plan, places


def clipping_subject(shared: Shared) -> bytes:
    """What is measured, as bytes: a table, its columns and their bounds."""
    bounds = [
        f"{column.name}\0{column.low}\0{column.high}" for column in _bounded_columns(shared.table)
    ]
    return "\0\0".join([shared.table.name, *bounds]).encode()


def clipping_topic(shared: Shared, scope: str | None, version: int, formats: bytes) -> bytes:
    """What measurements of clipping are looked up by: of a version of a table, and who may see them."""
    about = clipping_subject(shared) + formats
    return tag(b"clippings", scope, version, shared.contributions, about)


def read_clipping(
    stored: Stored, shared: Shared, price: Price, receipt: Mapping[str, Any]
) -> Clipping:
    """The shares that were released."""
    table, shares = shared.table.name, _read_shares(stored)
    units = shares.pop(table, None)
    columns = {name.removeprefix(f"{table}."): share for name, share in shares.items()}
    return Clipping(table, shared.contributions, units, columns, _SURE, price, receipt)


def latest_shares(ledger: Ledger, topics: Iterable[bytes], shared: Shared) -> Mapping[str, str]:
    """What captions say of clipping in a table: by the latest answer under the first topic that has one."""
    for topic in topics:
        for entry in ledger.find_answered(topic):  # newest first
            stored = Stored.from_bytes(entry.payload or b"")
            return _captions(_read_shares(stored), shared.table.name)
    return {}


def _read_shares(stored: Stored) -> dict[str, Interval]:
    (released,) = stored.noisy(tuple(range(len(stored.measures))))
    shares: dict[str, Interval] = {}
    for name, (beyond, every) in stored.asked["clipping"].items():
        top, bottom = released[beyond], released[every]
        assert isinstance(top, Noisy), "a count has noise"
        assert isinstance(bottom, Noisy), "a count has noise"
        shares[name] = ratio_interval(top, bottom, _SURE, 0, 1)
    return shares


def _captions(shares: Mapping[str, Interval], table: str) -> dict[str, str]:
    """What captions say, by the names of the table and its columns."""
    return {
        name: f"{_format_share(share)} of {'units' if name == table else 'values lie outside'}"
        for name, share in shares.items()
    }


def _rows_with_counts(shared: Shared) -> Rows:
    """Every row as it is, with the number of rows that its unit has."""
    bare = tuple(_strip_bounds(column) for column in shared.table.columns)
    scan = Scan(replace(shared.asked_table, columns=bare))
    return (
        scan
        if shared.table.unit is None
        else Windowed(scan, (Running(Folded(_unit_rows_column(shared), Folding.COUNT)),))
    )


def _unit_rows_column(shared: Shared) -> Column:
    """The number of rows of a unit, as far as it matters: one more than count in full."""
    assert shared.contributions is not None, "how many rows count is known"
    name = "rows"
    while name in {*(column.name for column in shared.table.columns), shared.table.unit}:
        name += " "
    return Column(name, Kind.INTEGER, low=0, high=shared.contributions + 1, nullable=False)


def _count_pairs(shared: Shared) -> dict[str, tuple[Measure, Measure]]:
    """What is counted beyond, and in all: of units, and of every bounded column."""
    pairs: dict[str, tuple[Measure, Measure]] = {}
    if shared.table.unit is not None:
        many = Compared(
            ">", Field(_unit_rows_column(shared)), Literal(shared.contributions, Kind.INTEGER)
        )
        pairs[shared.table.name] = Units(_null_unless(many)), Units()
    for column in _bounded_columns(shared.table):
        value = Field(_strip_bounds(column))
        pairs[f"{shared.table.name}.{column.name}"] = (
            Counted(_null_unless(_is_outside(column, value))),
            Counted(value),
        )
    return pairs


def _is_outside(column: Column, value: Field) -> Expression:
    """Whether a value lies beyond the bounds of a column."""
    low, high = (
        None if end is None else Literal(scalar(end, column.kind), column.kind)
        for end in bounds_of(column)
    )
    below = None if low is None else Compared("<", value, low)
    above = None if high is None else Compared(">", value, high)
    if below is not None and above is not None:
        return Either(below, above)
    found = below or above
    assert found is not None, "the column has bounds"
    return found


def _null_unless(condition: Expression) -> Expression:
    """What is NULL but where a condition is true."""
    return Case(((condition, Literal(1, Kind.INTEGER)),), Literal(None, Kind.INTEGER))


def _bounded_columns(table: Table) -> list[Column]:
    return [
        column
        for column in table.columns
        if column.name != table.unit and (column.low is not None or column.high is not None)
    ]


def _strip_bounds(column: Column) -> Column:
    return replace(column, low=None, high=None)


def _format_share(share: Interval) -> str:
    return f"{share.value:.1%} [{share.low:.1%}, {share.high:.1%}]"
