"""What is public about the columns that tables are made of, and what is asked of whoever may look
at rows.

Checked by: tests/unit/synth/test_table_learning.py::test_the_model_follows_from_the_release
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen

__all__ = ["Array", "Attribute", "Distances", "Forbidden", "Groups", "Law", "Noisy", "Tables"]

Array: TypeAlias = NDArray[Any]

Groups: TypeAlias = tuple[tuple[int, ...], ...]
"""For each column: the group of each of its values."""


@frozen
class Attribute:
    """A column whose values are numbered from 0; all of them are declared.

    Of a column that is `ordered` neighbours are alike, as numbers and dates are.  With `null`, the
    last value stands for NULL.
    """

    size: int
    ordered: bool = False
    null: bool = False


@frozen(eq=False)
class Forbidden:
    """Values of two columns that never meet, by a public rule: `cells[i, j]` is true where i and j
    do not."""

    first: int
    second: int
    cells: Array


@frozen
class Law:
    """How wide noise is: the standard deviation if the whole price bought one table, or one
    distance.

    >>> Law(pure=False, cell=2.0, distance=2.0).sigma(0.25)
    4.0
    """

    pure: bool
    cell: float
    distance: float

    def sigma(self, share: float) -> float:
        """The noise of a cell of a table that gets a share of the price."""
        return self.cell / (share if self.pure else share**0.5)

    @property
    def power(self) -> float:
        """How the error of tables grows that share a price as well as they can: with this power of
        a sum."""
        return 2.0 if self.pure else 1.5


@frozen
class Tables:
    """A request for noisy counts of all combinations of some columns' groups, table by table.

    They cost a `share` of the price together, and each its part of that.
    """

    columns: tuple[tuple[int, ...], ...]
    groups: Groups
    share: Fraction
    parts: tuple[int, ...]


@frozen(eq=False)
class Distances:
    """A request for noisy distances: how much each table differs from a public one, summed over
    cells."""

    columns: tuple[tuple[int, ...], ...]
    groups: Groups
    share: Fraction
    public: tuple[NDArray[np.int64], ...]


@frozen(eq=False)
class Noisy:
    """A released table of counts, or all released distances, and the standard deviation of the
    noise in each number."""

    counts: Array
    sigma: float
