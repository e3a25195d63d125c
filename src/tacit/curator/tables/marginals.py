"""All small marginals of a table at one price: every cell with its interval, all of them
consistent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import prod
from typing import Any

import numpy as np

from tacit.curator.answer.release import Price, Release
from tacit.curator.record.stored_tables import StoredTables
from tacit.curator.tables.column_codes import CodedColumn, code_columns
from tacit.curator.tables.release_tables import Desk, Exchange, TablesAsked
from tacit.curator.tables.tables_noise import TableNoise
from tacit.errors import InvalidInput
from tacit.exact import Number, at_least, count_of
from tacit.frozen import frozen
from tacit.printing import printable
from tacit.synth import NoiseOfCells, Residuals, plan_residuals, rebuild_marginal, single_reach

__all__ = ["ExpectedMarginals", "Marginals", "explain_marginals", "release_marginals"]

Places = tuple[int, ...]

CELLS = 32
"""Into how many cells a number is divided at most, if nothing is said."""


@frozen
class ExpectedMarginals:
    """The ± of every marginal's cells, known before anything is paid."""

    errors: Mapping[tuple[str, ...], float]
    one_by_one: float
    confidence: float

    @property
    def typical(self) -> float:
        """The ± of a typical cell: the root of the mean square over marginals."""
        return float(np.sqrt(np.mean(np.square(list(self.errors.values())))))

    def __str__(self) -> str:
        worst = max(self.errors, key=self.errors.__getitem__)
        return (
            f"{len(self.errors):,} marginals, each cell within ±{self.typical:,.4g} rows at "
            f"{self.confidence:.0%}; the widest is {' x '.join(map(printable, worst))} with "
            f"±{self.errors[worst]:,.4g}; asked one by one at the same price: ±{self.one_by_one:,.4g}"
        )

    __repr__ = __str__


class Marginals:
    """Noisy counts of all combinations of some columns, which agree with each other wherever they
    overlap."""

    def __init__(
        self,
        table: str,
        columns: tuple[CodedColumn, ...],
        workload: Mapping[Places, float],
        stored: StoredTables,
        confidence: float,
        price: Price,
        receipt: Mapping[str, Any],
    ) -> None:
        self.name, self.confidence, self.price, self.receipt = table, confidence, price, receipt
        self._columns, self._workload = columns, workload
        self._sizes = [each.axis.size for each in columns]
        (released,) = stored.released
        self._residuals = {
            places: released.counts(at, stored.worth) for at, places in enumerate(released.columns)
        }
        self._variances = {
            places: deviation**2
            for places, deviation in zip(released.columns, released.deviations, strict=True)
        }
        steps = min(
            deviation / float(stored.worth) for deviation in released.deviations if deviation
        )
        self._noise = NoiseOfCells(
            self._sizes, self._variances, steps, pure=stored.mechanism == "Laplace"
        )

    @property
    def names(self) -> tuple[tuple[str, ...], ...]:
        """The columns of every marginal."""
        return tuple(tuple(self._columns[at].name for at in places) for places in self._workload)

    def __len__(self) -> int:
        return len(self._workload)

    def __iter__(self) -> Iterator[Release]:
        return (self.table(names) for names in self.names)

    def counts(self, names: Sequence[str]) -> Any:
        """The estimated counts of a marginal as an array with an axis for each column, in the order
        of `values`."""
        return rebuild_marginal(self._places(names), self._sizes, self._residuals)

    def error(self, names: Sequence[str]) -> float:
        """The ± of each cell of a marginal at the stated confidence."""
        return self._noise.reach(self._places(names), self.confidence)

    def values(self, name: str) -> list[Any]:
        """The values of a column, in the order of the counts' axis; of cells, their middles."""
        (place,) = self._places([name])
        return self._columns[place].labels()

    def table(self, names: Sequence[str]) -> Release:
        """A marginal with one row for every cell: its values, the estimated count, and the ends of
        its interval."""
        counts, reach = self.counts(names), self.error(names)
        ordered = [self._columns[place].name for place in self._places(names)]
        values = [self.values(name) for name in ordered]
        rows = tuple(
            (
                *(listed[at] for listed, at in zip(values, cell, strict=True)),
                float(counts[cell]),
                float(max(0.0, counts[cell] - reach)),
                float(max(0.0, counts[cell] + reach)),
            )
            for cell in np.ndindex(*counts.shape)
        )
        heads = (*ordered, "count", "count_low", "count_high")
        return Release(heads, rows, ("count",), self.confidence, self.price, self.receipt)

    def __str__(self) -> str:
        cells = sum(prod(self._sizes[at] for at in places) for places in self._workload)
        return (
            f"{len(self):,} marginals of {printable(self.name)} with {cells:,} cells; "
            f"cost: {self.price}\nmarginals.table([...]) shows one of them"
        )

    __repr__ = __str__

    def _places(self, names: Sequence[str]) -> Places:
        known = {each.name: place for place, each in enumerate(self._columns)}
        for name in names:
            if name not in known:
                raise InvalidInput("column", name, f"name one of: {', '.join(sorted(known))}")
        places = tuple(sorted({known[name] for name in names}))
        if places not in self._residuals:
            raise InvalidInput(
                "columns", tuple(names), "no marginal of so many columns was asked for"
            )
        return places


def release_marginals(
    desk: Desk,
    table: str,
    *,
    ways: int,
    epsilon: Number,
    columns: Sequence[str] | None,
    weights: Mapping[Any, Number] | None,
    cells: int,
    confidence: Number,
) -> Marginals:
    """All marginals of at most so many columns; see `Vault.marginals`."""
    asked, workload, sure = _ask(desk, table, ways, columns, weights, cells, confidence)

    def begin(noise: TableNoise) -> Exchange[bytes]:
        yield _plan(asked, workload, noise)
        return b""

    answered = desk.answer(asked, desk.price_of(epsilon), begin)
    return Marginals(
        table, asked.columns, workload, answered.stored, sure, answered.price, answered.receipt
    )


def explain_marginals(
    desk: Desk,
    table: str,
    *,
    ways: int,
    epsilon: Number,
    columns: Sequence[str] | None,
    weights: Mapping[Any, Number] | None,
    cells: int,
    confidence: Number,
) -> ExpectedMarginals:
    """The errors of all marginals; free, and no data are looked at."""
    asked, workload, sure = _ask(desk, table, ways, columns, weights, cells, confidence)
    noise = desk.noise(asked, desk.price_of(epsilon))
    sizes = [each.axis.size for each in asked.columns]
    request = _plan(asked, workload, noise)
    draws = noise.draws(request, [tuple(sizes[at] for at in places) for places in request.columns])
    worth = float(noise.worth)
    variances = {
        places: (draw.deviation * worth) ** 2
        for places, draw in zip(request.columns, draws, strict=True)
    }
    steps, pure = min(draw.deviation for draw in draws), not noise.concentrated
    found = NoiseOfCells(sizes, variances, steps, pure=pure)
    errors = {
        tuple(asked.columns[at].name for at in places): found.reach(places, sure)
        for places in workload
    }
    alone = noise.law.sigma(1 / max(1, len(workload)))
    return ExpectedMarginals(errors, single_reach(alone, sure, pure=pure), sure)


def _ask(
    desk: Desk,
    table: str,
    ways: int,
    columns: Sequence[str] | None,
    weights: Mapping[Any, Number] | None,
    cells: int,
    confidence: Number,
) -> tuple[TablesAsked, dict[Places, float], float]:
    """What is asked, how much each marginal matters, and the confidence."""
    shared = desk.shared(table)
    most_cells = count_of(cells, "cells", least=4)
    coded = code_columns(shared.table, columns, most_cells, most_cells)
    most = count_of(ways, "ways", least=1)
    places = {each.name: place for place, each in enumerate(coded)}
    workload = {
        found: 1.0
        for size in range(1, min(most, len(coded)) + 1)
        for found in combinations(range(len(coded)), size)
    }
    for names, weight in (weights or {}).items():
        named = (names,) if isinstance(names, str) else tuple(names)
        found = tuple(sorted(places.get(name, -1) for name in named))
        value = float(at_least(weight, "weight"))
        if found not in workload or value <= 0:
            remedy = "name columns of one marginal, and give it a weight above zero, such as 10"
            raise InvalidInput("weights", names, remedy)
        workload[found] = value
    sure = float(at_least(confidence, "confidence"))
    if not 0 < sure < 1:
        raise InvalidInput("confidence", confidence, "give a probability such as 0.95")
    more = (
        str(most),
        *(
            f"{','.join(map(str, each))}:{weight!r}"
            for each, weight in workload.items()
            if weight != 1
        ),
    )
    about = f"all marginals of at most {most} columns of {table}"
    return TablesAsked("marginals", shared, coded, about, more), workload, sure


def _plan(asked: TablesAsked, workload: Mapping[Places, float], noise: TableNoise) -> Residuals:
    """The request for all residuals below the marginals."""
    sizes = [each.axis.size for each in asked.columns]
    parts = plan_residuals(sizes, workload, pure=not noise.concentrated)
    return Residuals(tuple(parts), Fraction(1), tuple(parts.values()))
