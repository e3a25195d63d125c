"""In which cell of a public grid a row's value lies: in Python, and as SQL."""

from tacit.engines.sql.expressions import clamp_sql, double, whole
from tacit.engines.sql.functions import caught
from tacit.plan import Even, Kind, Powers, Ranked, type_of

__all__ = ["cell_sql"]


def cell_sql(measure: Ranked, value: str) -> str:
    """The cell of a value as SQL; NULL has none.

    Claim:      the SQL raises on no value, and gives what `cell_in` gives.
    Because:    whole numbers stay whole; doubles are multiplied by a power of two, rounded halves upward and held
                between the ends before they are cast.  Of a power of two the logarithm is a guess that is off by one at
                most, and comparisons with the exact powers set it right.
    Checked by: tests/laws/test_ranks.py::test_engines_give_the_same_cells
    """
    number = _number(value, type_of(measure.value).kind)
    match measure.grid:
        case Even(step, low, high) if step == 1 and type_of(measure.value).kind is not Kind.NUMBER:
            return f"({clamp_sql(number, Kind.INTEGER, low, high)} - {whole(low)})"
        case Even(step, low, high):
            steps = f"floor({number}::DOUBLE * {double(float(1 / step))} + 0.5e0)"
            return f"(TRY_CAST({clamp_sql(steps, Kind.NUMBER, float(low), float(high))} AS BIGINT) - {whole(low)})"
        case Powers() as grid:
            return _power(grid, f"{number}::DOUBLE")


def _number(value: str, kind: Kind) -> str:
    match kind:
        case Kind.DATE:
            return f"({value} - DATE '1970-01-01')"
        case Kind.TIMESTAMP:
            return f"epoch_us({value})"
        case _:
            return value


def _power(grid: Powers, number: str) -> str:
    """The cell of a double on a grid of powers of two."""
    least, most = grid.least, grid.most
    powers = f"[{', '.join(double(2.0**power) for power in range(least, most + 1))}]"
    size = f"abs({number})"
    # The first power that is not below the size, counted from 1; what lies outside belongs to the first or the last.
    guess = f"TRY_CAST(ceil({caught(f'log2({size})')}) AS INTEGER) - {least} + 1"
    inside = f"({guess})"
    place = (
        f"CASE WHEN {size} > {powers}[{inside}] THEN {inside} + 1 "
        f"WHEN {size} <= {powers}[{inside} - 1] THEN {inside} - 1 ELSE {inside} END"
    )
    steps = (
        f"CASE WHEN {number} IS NULL THEN NULL WHEN {number} = 0 THEN 0 "
        f"WHEN {size} <= {double(2.0**least)} THEN 1 "
        f"WHEN {size} > {double(2.0 ** (most - 1))} THEN {most - least + 1} ELSE {place} END"
    )
    return f"({grid.middle} + CASE WHEN {number} < 0 THEN -1 ELSE 1 END * ({steps}))"
