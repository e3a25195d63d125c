"""Many counting questions about a few columns, answered together better than one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import prod

import numpy as np
from numpy.typing import NDArray

from tacit.accounting import Charge
from tacit.curator.answer.release import Release
from tacit.curator.tables.column_codes import CodedColumn, code_columns
from tacit.curator.tables.release_tables import Desk, Exchange, TablesAsked
from tacit.curator.tables.row_rules import Rule, read_condition, values_of
from tacit.curator.tables.tables_noise import TableNoise
from tacit.errors import InvalidInput, InvalidPlan
from tacit.exact import Number, at_least
from tacit.frozen import frozen
from tacit.printing import printable
from tacit.synth import (
    Strategy,
    Tables,
    gaussian_reach,
    laplace_reach,
    plan_strategy,
    single_reach,
)

__all__ = ["ExpectedWorkload", "explain_workload", "release_workload"]

MOST_CELLS = 1_024
"""The most cells that one question may be about: the product of its columns' values."""

MOST_RECTANGLE, MOST_QUESTIONS = 512, 20_000
"""The most cells of two columns of which all rectangles are asked, and the most rectangles."""

_SHARES = 1 << 40

Places = tuple[int, ...]


@frozen
class ExpectedWorkload:
    """The ± of every question, known before anything is paid, and the ± that asking one by one
    would have."""

    errors: Mapping[str, float]
    one_by_one: float
    tables: int
    confidence: float

    @property
    def typical(self) -> float:
        """The ± of a typical question: the root of the mean square."""
        return float(np.sqrt(np.mean(np.square(list(self.errors.values())))))

    def __str__(self) -> str:
        return (
            f"{len(self.errors):,} questions from {self.tables} tables: each within "
            f"±{self.typical:,.4g} rows at {self.confidence:.0%}; asked one by one at the same "
            f"price: ±{self.one_by_one:,.4g}"
        )

    __repr__ = __str__


@frozen(eq=False)
class _Planned:
    """What is asked, and for each set of columns the names of its questions, their cells, and a
    strategy."""

    asked: TablesAsked
    parts: Mapping[Places, tuple[tuple[str, ...], NDArray[np.float64], Strategy]]
    shares: Mapping[Places, float]
    confidence: float

    def requests(self) -> Iterator[tuple[Places, Tables]]:
        """A request for every table of every strategy; their shares add up to one."""
        wanted = [
            (places, at, self.shares[places] * float(share))
            for places, (_, _, strategy) in self.parts.items()
            for at, share in enumerate(strategy.shares)
        ]
        whole = sum(max(1, round(share * _SHARES)) for _, _, share in wanted)
        sizes = [each.axis.size for each in self.asked.columns]
        for places, at, share in wanted:
            groups = [tuple(range(size)) for size in sizes]
            for place, group in zip(places, self.parts[places][2].groups[at], strict=True):
                groups[place] = tuple(group.tolist())
            part = Fraction(max(1, round(share * _SHARES)), whole)
            yield places, Tables((places,), tuple(groups), part, (1,))

    def reaches(self, noise: TableNoise) -> dict[str, float]:
        """The ± of every answer."""
        found: dict[str, float] = {}
        for places, (names, questions, strategy) in self.parts.items():
            sigma = noise.law.sigma(self.shares[places])
            steps = sigma / float(noise.worth)
            if noise.concentrated:
                spread = np.sqrt(np.maximum(strategy.variances(questions), 0.0)) * sigma
                reach = gaussian_reach(spread, self.confidence, steps)
            else:
                scales = [
                    sigma / 2**0.5 / share * each
                    for share, each in zip(
                        strategy.shares, strategy.coefficients(questions), strict=True
                    )
                ]
                reach = laplace_reach(
                    np.concatenate(scales, axis=1), np.ones(1), self.confidence, steps
                )
            found |= dict(zip(names, reach.tolist(), strict=True))
        return found


def release_workload(
    desk: Desk,
    table: str,
    questions: Sequence[str],
    *,
    epsilon: Number,
    prefixes: Sequence[str | Sequence[str]],
    ranges: Sequence[str | Sequence[str]],
    confidence: Number,
) -> Release:
    """The answers to many questions; see `Vault.workload`."""
    planned = _plan(desk, table, questions, prefixes, ranges, confidence)

    def begin(_: TableNoise) -> Exchange[bytes]:
        for _places, request in planned.requests():
            yield request
        return b""

    answered = desk.answer(planned.asked, desk.price_of(epsilon), begin)
    stored = answered.stored
    tables: dict[Places, list[NDArray[np.float64]]] = {}
    for (places, _), released in zip(planned.requests(), stored.released, strict=True):
        tables.setdefault(places, []).append(released.counts(0, stored.worth))
    paid = Charge(int(answered.receipt["loss"]["charge"]["amount"]))  # now, or when it was answered
    reaches = planned.reaches(desk.noise(planned.asked, paid))
    rows: list[tuple[str, float, float, float]] = []
    for places, (names, cells, strategy) in planned.parts.items():
        estimates = cells @ strategy.estimate(tables[places])
        for name, value in zip(names, estimates.tolist(), strict=True):
            off = reaches[name]
            rows.append((name, value, max(0.0, value - off), max(0.0, value + off)))
    heads = ("question", "count", "count_low", "count_high")
    return Release(
        heads, tuple(rows), ("count",), planned.confidence, answered.price, answered.receipt
    )


def explain_workload(
    desk: Desk,
    table: str,
    questions: Sequence[str],
    *,
    epsilon: Number,
    prefixes: Sequence[str | Sequence[str]],
    ranges: Sequence[str | Sequence[str]],
    confidence: Number,
) -> ExpectedWorkload:
    """The errors of many questions; free, and no data are looked at."""
    planned = _plan(desk, table, questions, prefixes, ranges, confidence)
    noise = desk.noise(planned.asked, desk.price_of(epsilon))
    errors = planned.reaches(noise)
    alone = single_reach(
        noise.law.sigma(1 / len(errors)), planned.confidence, pure=not noise.concentrated
    )
    return ExpectedWorkload(errors, alone, sum(1 for _ in planned.requests()), planned.confidence)


def _plan(
    desk: Desk,
    table: str,
    questions: Sequence[str],
    prefixes: Sequence[str | Sequence[str]],
    ranges: Sequence[str | Sequence[str]],
    confidence: Number,
) -> _Planned:
    """The strategy of many questions, from declarations alone."""
    shared = desk.shared(table)
    coded = code_columns(shared.table, most_values=MOST_CELLS)
    sure = float(at_least(confidence, "confidence"))
    if not 0 < sure < 1:
        raise InvalidInput("confidence", confidence, "give a probability such as 0.95")
    rules = [read_condition(text, shared.asked_table, coded) for text in questions]
    asked: dict[Places, list[tuple[str, NDArray[np.float64]]]] = {}
    for rule in rules:
        places = tuple(at for at, each in enumerate(coded) if each.name in rule.names)
        asked.setdefault(places, []).append((rule.text, _cells(rule, [coded[at] for at in places])))
    for whole, names in ((False, prefixes), (True, ranges)):
        for name in names:
            at, listed = _ranges([name] if isinstance(name, str) else name, coded, whole=whole)
            asked.setdefault(at, []).extend(listed)
    if not asked:
        raise InvalidInput(
            "questions", questions, 'give at least one condition, such as "age < 30"'
        )
    used = sorted({at for places in asked for at in places})
    columns = tuple(coded[at] for at in used)
    pure = not desk.access.policy.limit.delta
    parts: dict[Places, tuple[tuple[str, ...], NDArray[np.float64], Strategy]] = {}
    for places, listed in asked.items():
        cells = np.array([each for _, each in listed])
        attributes = [coded[at].attribute for at in places]
        strategy = plan_strategy(attributes, cells.T @ cells, pure=pure)
        moved = tuple(used.index(at) for at in places)
        parts[moved] = tuple(name for name, _ in listed), cells, strategy
    root = 1 / 3 if pure else 1 / 2
    needed = {
        at: float(strategy.variances(cells).sum()) ** root
        for at, (_, cells, strategy) in parts.items()
    }
    shares = {at: each / sum(needed.values()) for at, each in needed.items()}
    texts = tuple(name for each, _, _ in parts.values() for name in each)
    about = f"{len(texts)} questions about {table}"
    return _Planned(TablesAsked("workload", shared, columns, about, texts), parts, shares, sure)


def _cells(rule: Rule, columns: Sequence[CodedColumn]) -> NDArray[np.float64]:
    """One where a combination of values meets a condition, zero elsewhere."""
    sizes = [each.axis.size for each in columns]
    if prod(sizes) > MOST_CELLS:
        raise InvalidPlan(
            f"{rule.text!r} is about {prod(sizes):,} combinations of at most {MOST_CELLS:,}",
            "ask about fewer columns at once, or declare narrower bounds",
        )
    coarse = [each.name for each in columns if not each.is_exact]
    if coarse:
        raise InvalidPlan(
            f"{coarse[0]!r} has more values than can be distinguished",
            "ask about columns with listed values, or whole numbers within narrow bounds",
        )
    listed = [values_of(each) for each in columns]
    names = [each.name for each in columns]
    rows = (dict(zip(names, row, strict=True)) for row in product(*listed))
    return np.array([float(rule.holds(row) is True) for row in rows])


def _ranges(
    names: Sequence[str], columns: Sequence[CodedColumn], *, whole: bool
) -> tuple[Places, list[tuple[str, NDArray[np.float64]]]]:
    """All ranges, or prefixes, of one column; of two, all rectangles of their ranges."""
    if not 1 <= len(set(names)) == len(names) <= 2:
        raise InvalidInput("columns", tuple(names), "name one column, or two for all rectangles")
    places = tuple(sorted(_place(name, columns) for name in names))
    listed = [list(_stretches(columns[at], whole=whole)) for at in places]
    if len(listed) == 1:
        return places, listed[0]
    cells = prod(columns[at].axis.size for at in places)
    count = len(listed[0]) * len(listed[1])
    if cells > MOST_RECTANGLE or count > MOST_QUESTIONS:
        raise InvalidPlan(
            f"there are {count:,} rectangles of {cells:,} cells; at most {MOST_QUESTIONS:,} "
            f"of {MOST_RECTANGLE:,} are answered at once",
            "declare narrower bounds, or ask for prefixes",
        )
    return places, [
        (f"{one} AND {two}", np.outer(first, second).ravel())
        for one, first in listed[0]
        for two, second in listed[1]
    ]


def _stretches(column: CodedColumn, *, whole: bool) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """All ranges of a column's values, or all that begin with the first."""
    size, labels = column.axis.size - column.axis.null, column.labels()
    if not column.attribute.ordered or column.axis.size > MOST_CELLS:
        raise InvalidInput(
            "column", column.name, "only numbers and dates within bounds have ranges"
        )
    for first, last in combinations_with_replacement(range(size), 2):
        if whole or first == 0:
            cells = np.zeros(column.axis.size)
            cells[first : last + 1] = 1
            start = f"{printable(column.name)} <= {labels[last]}"
            name = f"{labels[first]} <= {start}" if whole else start
            yield name, cells


def _place(name: str, columns: Sequence[CodedColumn]) -> int:
    for at, each in enumerate(columns):
        if each.name == name:
            return at
    raise InvalidInput("column", name, f"name one of: {', '.join(each.name for each in columns)}")
