"""What several rows of one unit become, as SQL: totals that are folded into a value, and windows over its rows.

Checked by: tests/unit/engines/test_rows.py
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import assert_never

from tacit.engines.sql.dialect import SqlDialect
from tacit.engines.sql.expressions import clamp_sql, render, whole
from tacit.engines.sql.select_with_parameters import Reader
from tacit.engines.sql.sums_of_terms import steps
from tacit.plan import Folded, Folding, Kind, Place, Running, Window, steps_of

__all__ = [
    "PEERS",
    "clamp_fold",
    "fold_totals",
    "row_place",
    "row_term",
    "window_columns",
    "window_inputs",
]

PEERS = {Place.RANK, Place.DENSE}
"""Windows that treat rows alike which their order does not tell apart."""


def row_term(fold: Folded, read_column: Reader) -> str | None:
    """What one row adds to what is folded."""
    if fold.value is None:
        return None
    value = render(fold.value, read_column)
    return (
        steps(steps_of(fold), value, read_column.dialect)
        if fold.fold in {Folding.SUM, Folding.MEAN}
        else value
    )


def fold_totals(i: int, fold: Folded, dialect: SqlDialect, over: str = "") -> list[str]:
    """The totals from which what is folded is made; `over` is the window that they are taken in."""
    total = f"{dialect.total(f'value_{i}')}{over} AS total_{i}"
    match fold.fold:
        case Folding.COUNT:
            return [f"count({'*' if fold.value is None else f'value_{i}'}){over} AS count_{i}"]
        case Folding.DISTINCT:
            return [f"{dialect.count_distinct(f'value_{i}', over)} AS count_{i}"]
        case Folding.SUM:
            return [total]
        case Folding.MEAN:
            return [total, f"count(value_{i}){over} AS count_{i}"]
        case Folding.LEAST | Folding.GREATEST:
            greatest = fold.fold is Folding.GREATEST
            found = dialect.least(f"value_{i}", fold.column.kind, greatest=greatest)
            return [f"{found}{over} AS total_{i}"]
        case _:
            assert_never(fold.fold)


def clamp_fold(i: int, fold: Folded, dialect: SqlDialect) -> str:
    """What is folded, from its totals, held between its bounds."""
    match fold.fold:
        case Folding.COUNT | Folding.DISTINCT:
            low, high = fold.column.low, fold.column.high
            ends = int(Fraction(low)), int(Fraction(high))  # type: ignore[arg-type]
            return clamp_sql(f"count_{i}", Kind.INTEGER, *ends, dialect)
        case Folding.LEAST | Folding.GREATEST:
            return f"total_{i}"
        case Folding.SUM:
            low, high = (
                int(Fraction(end) / fold.step)  # type: ignore[arg-type]
                for end in (fold.column.low, fold.column.high)
            )
            total = dialect.narrow(clamp_sql(f"total_{i}", Kind.INTEGER, low, high, dialect))
        case Folding.MEAN:
            least, wide = whole(steps_of(fold).low), dialect.type("HUGEINT")
            above = f"(2 * (total_{i} - {least}::{wide} * count_{i}) + count_{i})"
            quotient = dialect.quotient(above, f"(2 * count_{i}::{wide})", wide=True)
            total = dialect.narrow(f"CASE WHEN count_{i} > 0 THEN {least} + {quotient} END")
        case _:
            assert_never(fold.fold)
    return (
        total
        if fold.column.kind is Kind.INTEGER
        else f"(CAST({total} AS {dialect.type('DOUBLE')}) * {dialect.double(float(fold.step))})"
    )


def window_inputs(i: int, window: Window, read_column: Reader) -> dict[str, str]:
    """What a window needs of every row: by what it is divided and ordered, and the value that is looked at."""
    found = {f"partition_{i}_{j}": render(part, read_column) for j, part in enumerate(window.by)}
    found |= {f"order_{i}_{j}": render(by.value, read_column) for j, by in enumerate(window.order)}
    value = window.folded.value if isinstance(window, Running) else window.value
    if isinstance(window, Running) and (term := row_term(window.folded, read_column)):
        found[f"value_{i}"] = term
    elif value is not None:
        found[f"value_{i}"] = render(value, read_column)
    return found


def row_place(cells: Sequence[str]) -> str:
    """The place of every row among those of its unit, in the order of all columns."""
    order = ", ".join(f"{cell} ASC NULLS LAST" for cell in cells) or "1"
    return f"row_number() OVER (PARTITION BY unit ORDER BY {order}) AS row_place"


def window_columns(i: int, window: Window, cells: Sequence[str], dialect: SqlDialect) -> list[str]:
    """What a window sees, as columns total_0, count_0, window_0, …; `cells` complete its order."""
    within = ", ".join(["unit", *(f"partition_{i}_{j}" for j in range(len(window.by)))])
    order = [
        f"order_{i}_{j} {'DESC' if by.descending else 'ASC'} NULLS LAST"
        for j, by in enumerate(window.order)
    ]
    if isinstance(window, Running):
        by = f" ORDER BY {', '.join(order)}" if order else ""
        return fold_totals(i, window.folded, dialect, f" OVER (PARTITION BY {within}{by})")
    if window.place not in PEERS:
        order += [f"{cell} ASC NULLS LAST" for cell in cells]
    over = f"OVER (PARTITION BY {within} ORDER BY {', '.join(order) or '1'})"
    match window.place:
        case Place.NUMBER:
            return [f"row_number() {over} AS window_{i}"]
        case Place.RANK:
            return [f"rank() {over} AS window_{i}"]
        case Place.DENSE:
            return [f"dense_rank() {over} AS window_{i}"]
        case Place.BEFORE:
            return [f"lag(value_{i}, {window.offset:d}) {over} AS window_{i}"]
        case Place.AFTER:
            return [f"lead(value_{i}, {window.offset:d}) {over} AS window_{i}"]
        case _:
            assert_never(window.place)
