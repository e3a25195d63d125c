"""Bounds and contributions that are not declared: found privately, at a price, and then used by whom they bind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256
from math import ceil
from typing import Any

from tacit.curator.answer.release import Price
from tacit.curator.policy.policy import Shared
from tacit.curator.record.stored_answer import Stored
from tacit.errors import InvalidInput
from tacit.exact import Number, at_least
from tacit.frozen import frozen
from tacit.ledger import Entry, Ledger
from tacit.plan import (
    Column,
    Even,
    Field,
    Folded,
    Folding,
    Grid,
    Inner,
    Kind,
    Powers,
    Question,
    Ranked,
    Scan,
    Table,
)

__all__ = [
    "FACTS",
    "FoundBounds",
    "FoundContributions",
    "as_declared",
    "bounds_asked",
    "bounds_in",
    "contributions_asked",
    "contributions_in",
    "standing_facts",
    "topic_of_facts",
    "with_facts",
]

FACTS = sha256(b"tacit facts 1").digest()
"""The topic of all that the curator found: facts are looked up by it."""

_SEARCHED = {Kind.INTEGER: Powers(0, 63), Kind.NUMBER: Powers(-64, 128)}
_MOST_ROWS = 4096
_SURE = 0.95


@frozen
class FoundBounds:
    """Bounds of a column: about `share` of its rows lie between them, but for `reach` rows at 95 %."""

    column: str
    low: int | Fraction
    high: int | Fraction
    share: Fraction
    reach: float
    price: Price
    receipt: Mapping[str, Any]

    @property
    def needed(self) -> int:
        """How many rows a table must have for the bounds to say anything about it: with fewer they are noise."""
        return ceil(2 * Fraction(self.reach) / self.share)

    def __str__(self) -> str:
        return (
            f"{self.column} is clipped to {_format_bound(self.low)} to "
            f"{_format_bound(self.high)}: values outside are moved to the nearest bound.\n"
            f"About {float(self.share):.4g} of its rows lie within, give or take "
            f"{self.reach:,.0f} rows at either end (95%).\n"
            f"For a table of fewer than {self.needed:,} rows these bounds are meaningless: "
            "estimate them at a higher price, or declare them.\n"
            f"Cost: {self.price}"
        )


@frozen
class FoundContributions:
    """How many rows of a unit count in full: about `share` of the units have no more, but for `reach` units at 95 %."""

    table: str
    contributions: int
    share: Fraction
    reach: float
    price: Price
    receipt: Mapping[str, Any]

    @property
    def needed(self) -> int:
        """How many units a table must have for the number to say anything about it: with fewer it is noise."""
        return ceil(Fraction(self.reach) / min(self.share, 1 - self.share))

    def __str__(self) -> str:
        return (
            f"{self.contributions} rows of one unit of {self.table} count in full: about "
            f"{float(self.share):.4g} of the units have no more, give or take "
            f"{self.reach:,.0f} units (95%); the rows of a unit with more weigh less.\n"
            f"For a table of fewer than {self.needed:,} units this is meaningless: estimate it "
            "at a higher price.\n"
            f"Cost: {self.price}"
        )


def bounds_asked(shared: Shared, name: str, share: Number) -> Question:
    """The question whose answer are the bounds of a column: a low and a high quantile, on a grid without bounds.

    Claim:      what is found depends on the rows through two cells of a public grid, which are paid for.
    Because:    the grid is the same for every column of a kind; a value of any size has a cell, and NULL has none.
    Checked by: tests/unit/curator/record/test_found_bounds.py
    """
    column = next((each for each in shared.table.columns if each.name == name), None)
    if column is None:
        known = ", ".join(each.name for each in shared.table.columns)
        raise InvalidInput("column", name, f"name one of {shared.table.name}: {known}")
    _check_protected(shared)
    if column.kind not in _SEARCHED:
        reason = (
            "bounds can be estimated for integers and numbers, but this is of type "
            f"{column.kind.value}; declare them"
        )
        raise InvalidInput("column", name, reason)
    if column.low is not None and column.high is not None:
        raise InvalidInput(
            "column",
            name,
            "its bounds are declared in the policy and take precedence; remove them there to "
            "estimate others",
        )
    wanted, grid = _share(share), _SEARCHED[column.kind]
    ranks = (1 - wanted) / 2, (1 + wanted) / 2
    value = Field(replace(column, low=None, high=None))
    return Question(
        Scan(shared.asked_table), (), tuple(Ranked(value, grid, rank, ends=False) for rank in ranks)
    )


def contributions_asked(shared: Shared, share: Number) -> Question:
    """The question whose answer is how many rows of a unit count: a quantile of the units' numbers of rows.

    Claim:      a unit weighs one here, however many rows it has.
    Because:    its rows are folded into one, their number.
    Checked by: tests/unit/curator/record/test_found_bounds.py
    """
    _check_protected(shared)
    if shared.table.unit is None:
        raise InvalidInput(
            "table", shared.table.name, "every row is its own unit, so there is nothing to estimate"
        )
    if shared.contributions is not None:
        raise InvalidInput(
            "table",
            shared.table.name,
            f"contributions = {shared.contributions} is declared in the policy and takes "
            "precedence; remove it there first",
        )
    counted = Column("rows", Kind.INTEGER, low=1, high=_MOST_ROWS, nullable=False)
    rows = Inner(Scan(shared.asked_table), (), (Folded(counted, Folding.COUNT),))
    grid = Even(Fraction(1), 1, _MOST_ROWS)
    return Question(rows, (), (Ranked(Field(counted), grid, _share(share), ends=False),))


def bounds_in(stored: Stored, kind: Kind) -> tuple[Fraction, Fraction]:
    """The bounds that were found: the outer ends of two cells, with some room between them."""
    grid = _SEARCHED[kind]
    cells = sorted(_cell(each, grid) for each in stored.integers[0])
    low, high = grid.ends(cells[0])[0], grid.ends(cells[-1])[1]
    return low, high if high > low else grid.value(grid.middle + 1)


def contributions_in(stored: Stored) -> int:
    """The contributions that were found."""
    return 1 + _cell(stored.integers[0][0], Even(Fraction(1), 1, _MOST_ROWS))


def _cell(drawn: int | tuple[int, ...], grid: Grid) -> int:
    assert isinstance(drawn, tuple), "what is ranked is a cell"
    return min(max(drawn[0], 0), grid.count - 1)


def topic_of_facts(analyst: str | None) -> bytes:
    """What the facts of the curator (None), or those that one analyst found for herself, are looked up by."""
    return FACTS if analyst is None else sha256(FACTS + analyst.encode()).digest()


def standing_facts(ledger: Ledger, analyst: str | None) -> dict[str, Any]:
    """What was found and counts for whoever asks, by the name of what it is of.

    Claim:      what an analyst finds binds nobody else; what the curator finds binds everyone; a fact stands until one
                that says that it takes its place.
    Because:    of all facts only the curator's and the asker's own are read, oldest first, and a later one counts only
                if there was none or it says so.  Facts of older ledgers do not say: of those, the last counts.
    Checked by: tests/unit/curator/record/test_found_bounds.py
    """
    known: dict[str, Any] = {}
    for entry in sorted(_facts_for(ledger, analyst), key=lambda entry: entry.number):
        found = Stored.from_bytes(entry.payload or b"").asked["found"]
        if found["of"] not in known or found.get("replaces", True):
            known[found["of"]] = {**found, "entry": entry.number}
    return known


def _facts_for(ledger: Ledger, analyst: str | None) -> Iterator[Entry]:
    """The entries of facts that may bind an asker: the curator's and her own."""
    yield from (entry for entry in ledger.find_answered(FACTS) if entry.analyst in (None, analyst))
    if analyst is not None:
        yield from ledger.find_answered(topic_of_facts(analyst))


def with_facts(
    tables: Mapping[str, Shared], ledger: Ledger, analyst: str | None = None
) -> Mapping[str, Shared]:
    """The tables with what was found, for whoever asks, in the place of what is not declared.

    Claim:      this is a function of the policy and of what was released.
    Because:    facts are read from answers that the ledger keeps, and nothing else is looked at.
    Checked by: tests/unit/curator/record/test_found_bounds.py
    """
    if not any(_lacking(shared) for shared in tables.values()):
        return tables
    known = standing_facts(ledger, analyst)
    return {name: _fill_facts(shared, known) for name, shared in tables.items()}


def as_declared(table: Table, shared: Shared) -> bool:
    """Whether a table is as the policy declares it, but for what the policy leaves open.

    Claim:      a plan may bring bounds of its own for a column that declares none, and no others; they are part of the
                question, which is as private as with any bounds.
    Because:    rows are moved onto the bounds of the plan that is asked, its sensitivity follows from the same bounds,
                and they are part of its fingerprint: whoever asks chooses them without having looked.
    Checked by: tests/unit/curator/record/test_found_bounds.py
    """
    if table is shared.asked_table:
        return True
    if len(table.columns) != len(shared.table.columns):
        return False
    pairs = zip(table.columns, shared.table.columns, strict=True)
    columns = tuple(_left_open(column, declared) for column, declared in pairs)
    bare = replace(table, columns=columns, contributions=None)
    held = (shared.table.contributions, shared.contributions)
    return bare == replace(shared.table, contributions=None) and (
        None in held[1:] or table.contributions in held
    )


def _left_open(column: Column, declared: Column) -> Column:
    """A column without the bounds that its declaration leaves open; one without any is read as it is."""
    if column.low is None and column.high is None:
        return replace(column, low=declared.low, high=declared.high)
    if not _is_unbounded(declared):
        return column
    low = None if declared.low is None else column.low
    high = None if declared.high is None else column.high
    return replace(column, low=low, high=high)


def _lacking(shared: Shared) -> bool:
    return not shared.table.public and (
        (shared.contributions is None and shared.table.unit is not None)
        or any(map(_is_unbounded, shared.table.columns))
    )


def _is_unbounded(column: Column) -> bool:
    return column.kind in _SEARCHED and (column.low is None or column.high is None)


def _fill_facts(shared: Shared, known: Mapping[str, Any]) -> Shared:
    if not _lacking(shared):
        return shared
    table = shared.table
    columns = tuple(
        _bound_column(column, known.get(f"{table.name}.{column.name}")) for column in table.columns
    )
    found = known.get(table.name)
    contributions = shared.contributions
    if contributions is None and found is not None:
        contributions = int(found["contributions"])
    return Shared(replace(table, columns=columns), contributions, shared.keys)


def _bound_column(column: Column, found: Mapping[str, Any] | None) -> Column:
    """A column with the bounds that were found, where it has none of its own."""
    if found is None or not _is_unbounded(column):
        return column
    low = column.low if column.low is not None else Fraction(found["low"])
    high = column.high if column.high is not None else Fraction(found["high"])
    assert isinstance(low, int | Fraction), "the bounds of numbers are numbers"
    assert isinstance(high, int | Fraction), "the bounds of numbers are numbers"
    return replace(column, low=low, high=max(low, high))


def _check_protected(shared: Shared) -> None:
    if shared.table.public:
        raise InvalidInput(
            "table", shared.table.name, "it is public; read it directly, it is not protected"
        )


def _share(share: Number) -> Fraction:
    exact = (
        Fraction(repr(share))
        if isinstance(share, float) and 0 < share < 1
        else at_least(share, "share")
    )
    if not 0 < exact < 1 or exact.denominator > 10**6:
        raise InvalidInput("share", share, "give a share strictly between 0 and 1, such as 0.98")
    return exact


def _format_bound(bound: int | Fraction) -> str:
    return f"{int(bound):,}" if bound == int(bound) else f"{float(bound):.6g}"
