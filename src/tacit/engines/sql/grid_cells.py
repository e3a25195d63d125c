"""In which cell of a public grid a row's value lies: in Python, and as SQL."""

from __future__ import annotations

from tacit.engines.sql.dialect import SqlDialect
from tacit.engines.sql.expressions import clamp_sql, whole
from tacit.plan import Even, Kind, Powers, Ranked, type_of

__all__ = ["cell_sql", "steps_sql"]


def cell_sql(measure: Ranked, value: str, dialect: SqlDialect, steps: str | None = None) -> str:
    """The cell of a value as SQL; NULL has none.  `steps` is where `steps_sql` was computed before, if it was.

    Claim:      the SQL raises on no value, and gives what `cell_in` gives.
    Because:    whole numbers stay whole; doubles are multiplied by a power of two, rounded halves upward and held
                between the ends before they are cast.  Of a power of two the logarithm is a guess that is off by one at
                most, and comparisons with the exact powers set it right.
    Checked by: tests/laws/test_ranks.py::test_engines_give_the_same_cells
    """
    number = _number(value, type_of(measure.value).kind, dialect)
    match measure.grid:
        case Even(step, low, high) if step == 1 and type_of(measure.value).kind is not Kind.NUMBER:
            return f"({clamp_sql(number, Kind.INTEGER, low, high, dialect)} - {whole(low)})"
        case Even(step, low, high):
            steps = steps_sql(measure, value, dialect) if steps is None else steps
            held = clamp_sql(steps, Kind.NUMBER, float(low), float(high), dialect)
            return f"({dialect.narrow(held)} - {whole(low)})"
        case Powers() as grid:
            return _power(grid, f"{number}::{dialect.type('DOUBLE')}", dialect)


def steps_sql(measure: Ranked, value: str, dialect: SqlDialect) -> str:
    """How many steps of an even grid a value lies from zero, to the nearest, as SQL."""
    assert isinstance(measure.grid, Even), "there are even steps"
    number = _number(value, type_of(measure.value).kind, dialect)
    return dialect.round_steps(number, float(1 / measure.grid.step))


def _number(value: str, kind: Kind, dialect: SqlDialect) -> str:
    match kind:
        case Kind.DATE:
            return dialect.days(value)
        case Kind.TIMESTAMP:
            return dialect.microseconds(value)
        case _:
            return value


def _power(grid: Powers, number: str, dialect: SqlDialect) -> str:
    """The cell of a double on a grid of powers of two."""
    least, most, double = grid.least, grid.most, dialect.double
    powers = [2.0**power for power in range(least, most + 1)]
    size = f"abs({number})"
    # The first power that is not below the size, counted from 1; what lies outside belongs to the first or the last.
    guess = f"{dialect.narrow(f'ceil({dialect.log2(size)})', 'INTEGER')} - {least} + 1"
    inside = f"({guess})"
    here, before = dialect.pick(powers, inside), dialect.pick(powers, f"{inside} - 1")
    place = (
        f"CASE WHEN {size} > {here} THEN {inside} + 1 "
        f"WHEN {size} <= {before} THEN {inside} - 1 ELSE {inside} END"
    )
    steps = (
        f"CASE WHEN {number} IS NULL THEN NULL WHEN {number} = 0 THEN 0 "
        f"WHEN {size} <= {double(2.0**least)} THEN 1 "
        f"WHEN {size} > {double(2.0 ** (most - 1))} THEN {most - least + 1} ELSE {place} END"
    )
    return f"({grid.middle} + CASE WHEN {number} < 0 THEN -1 ELSE 1 END * ({steps}))"
