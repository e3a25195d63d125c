"""In which cell of a public grid the value of a row lies.

Checked by: tests/laws/test_ranks.py
"""

from __future__ import annotations

from collections.abc import Callable
from math import floor

from tacit.plan import Even, Powers, Ranked, Row, compile_expression

__all__ = ["cell_in"]


def cell_in(measure: Ranked) -> Callable[[Row], int | None]:
    """The cell of a row; NULL has none."""
    value, grid = compile_expression(measure.value), measure.grid

    def even(row: Row, grid: Even) -> int | None:
        match value(row):
            case None:
                return None
            case int(x) if grid.step == 1:
                steps = x
            case x:
                steps = floor(min(max(float(x) * scale, grid.low - 1.0), grid.high + 1.0) + 0.5)
        return min(max(steps, grid.low), grid.high) - grid.low

    def power(row: Row, grid: Powers) -> int | None:
        found = value(row)
        return None if found is None else grid.place(float(found))

    if isinstance(grid, Even):
        scale = float(1 / grid.step)  # a power of two: multiplying by it is exact
        return lambda row: even(row, grid)
    return lambda row: power(row, grid)
