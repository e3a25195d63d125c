"""How often intervals hold: docs/coverage.md, from many releases of each of many evaluated answers.

An answer is evaluated once, exactly, and released again and again: its noise is drawn in bulk, and every release is
shown as a vault would show it.  `python docs/coverage.py [releases]` writes the page.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf, isfinite
from pathlib import Path
from typing import Any

import numpy as np

from tacit.curator import Limit, Noisy, Shared, Terms, terms_of
from tacit.curator.answer.confidence_after_selection import measures_in
from tacit.curator.answer.evaluate_shown_columns import Group
from tacit.curator.answer.intervals import Drawn, point_of
from tacit.curator.answer.rounding_error import is_rounded
from tacit.curator.answer.variances_and_correlations import Released, released_moment
from tacit.curator.answer.view_rows import Viewed, _beside_each_other, view_answer
from tacit.curator.pricing.unknown_key_threshold import Finder
from tacit.engines import Memory
from tacit.mechanisms import Laplace, RankedCells
from tacit.plan import (
    Called,
    Column,
    Expression,
    Function,
    Kind,
    Measure,
    Moment,
    MomentOf,
    Plan,
    Question,
    Ranked,
    Summed,
    Table,
    canonical,
    columns_of_answer,
    operands,
    read_sql,
)

__all__ = ["ANSWERS", "CURRENCIES", "DATA", "Found", "cover", "main"]

Row = dict[str, Any]

_PAGE = Path(__file__).parent / "coverage.md"
SITES = ("A", "B", "C", "D", "E")
_COLUMNS = (
    Column("site", Kind.TEXT, values=SITES),
    Column("code", Kind.TEXT),
    Column("day", Kind.INTEGER, low=0, high=59, nullable=False),
    Column("spend", Kind.NUMBER, low=0, high=2000, nullable=False),
    Column("bill", Kind.INTEGER, low=0, high=1000, nullable=False),
    Column("age", Kind.INTEGER, low=0, high=120, nullable=False),
)
VISITS = Table("visits", _COLUMNS, unit="person")
CONTRIBUTIONS, KEYS = 2, 2

# ---------------------------------------------------------------- data


def _rows(
    sizes: Sequence[int], spend: Callable[[Any, int], Any], each: int = 1, seed: int = 5
) -> list[Row]:
    """Rows of sites of these sizes, `each` of them a person's in turn."""
    drawing = np.random.default_rng(seed)
    found: list[Row] = []
    for site, size in zip(SITES, sizes, strict=True):
        costs, ages = (
            np.clip(spend(drawing, size), 0, 2000),
            np.clip(drawing.normal(45, 18, size), 0, 120),
        )
        days = drawing.integers(0, 60, size)
        for cost, age, day in zip(costs, ages, days, strict=True):
            found.append(
                {
                    "person": len(found) // each,
                    "site": site,
                    "code": f"{site}-{day % 8}",
                    "day": int(day),
                }
                | {"spend": float(cost), "bill": min(int(cost), 1000), "age": int(age)}
            )
    return found


def _lognormal(drawing: Any, size: int) -> Any:
    return drawing.lognormal(4.5, 1, size)


def _heavy(rows: list[Row]) -> list[Row]:
    """The same rows, of which every tenth person has forty."""
    return [
        row | {"person": place // 40 if place % 400 < 200 else 10**6 + place}
        for place, row in enumerate(rows)
    ]


def _tied(rows: list[Row]) -> list[Row]:
    coarse = {"spend": 100, "bill": 100, "age": 10}
    return [row | {name: row[name] // step * step for name, step in coarse.items()} for row in rows]


MIXED = (30, 100, 300, 1000, 3000)
DATA: dict[str, list[Row]] = {
    "lognormal": _rows(MIXED, _lognormal),
    "tied": _tied(_rows(MIXED, _lognormal)),
    "tiny": _rows((1, 2, 5, 10, 20), _lognormal),
    "clipped": _heavy(_rows((400, 400, 400, 800, 1200), _lognormal)),
    "empty": _rows((0, 0, 0, 300, 1000), _lognormal),
    "constant": [
        row | {"age": 40} for row in _rows(MIXED, lambda _, size: np.full(size, 500.0004))
    ],
}

CURRENCIES: dict[str, tuple[Limit, Fraction]] = {
    "zCDP": (Limit(3, 1e-6), Fraction(1, 20)),
    "pure": (Limit(3), Fraction(1)),
}

BY_SITE = "FROM visits GROUP BY site"
TOP = "FROM visits GROUP BY day ORDER BY COUNT(*) DESC LIMIT 10"
ANSWERS: dict[str, str] = {
    "count": f"SELECT site, COUNT(*) AS x {BY_SITE}",
    "count of units": f"SELECT site, COUNT(DISTINCT person) AS x {BY_SITE}",
    "different values": f"SELECT site, COUNT(DISTINCT age) AS x {BY_SITE}",
    "sum of integers": f"SELECT site, SUM(age) AS x {BY_SITE}",
    "sum of doubles": f"SELECT site, SUM(spend) AS x {BY_SITE}",
    "sum of doubles and a count": f"SELECT site, SUM(spend) AS x, COUNT(*) AS n {BY_SITE}",
    "mean": f"SELECT site, AVG(spend) AS x {BY_SITE}",
    "ratio": f"SELECT site, SUM(age) / COUNT(*) AS x {BY_SITE}",
    "standard deviation": f"SELECT site, STDDEV(spend) AS x {BY_SITE}",
    "correlation": f"SELECT site, CORR(spend, age) AS x {BY_SITE}",
    "median": f"SELECT site, MEDIAN(bill) AS x {BY_SITE}",
    "median of ages": f"SELECT site, MEDIAN(age) AS x {BY_SITE}",
    "ninth decile": f"SELECT site, QUANTILE_CONT(bill, 0.9) AS x {BY_SITE}",
    "least": f"SELECT site, MIN(age) AS x {BY_SITE}",
    "greatest": f"SELECT site, MAX(bill) AS x {BY_SITE}",
    "two quantiles": f"SELECT site, QUANTILE_CONT(age, 0.75) - QUANTILE_CONT(age, 0.25) AS x {BY_SITE}",
    "two measures": f"SELECT site, SUM(age) - 2 * COUNT(*) AS x {BY_SITE}",
    "unknown keys": "SELECT code, COUNT(*) AS x FROM visits GROUP BY code",
    "share": f"SELECT site, COUNT(*) / SUM(COUNT(*)) OVER () AS x {BY_SITE}",
    "running total": f"SELECT site, SUM(COUNT(*)) OVER (ORDER BY site) AS x {BY_SITE}",
    "rank": f"SELECT site, RANK() OVER (ORDER BY COUNT(*) DESC) AS x {BY_SITE}",
    "HAVING": f"SELECT site, COUNT(*) AS x {BY_SITE} HAVING COUNT(*) > 250",
    "ten of sixty": f"SELECT day, COUNT(*) AS x {TOP}",
    "another measure of ten of sixty": f"SELECT day, SUM(age) AS x {TOP}",
    "QUALIFY": f"SELECT site, COUNT(*) AS x {BY_SITE} QUALIFY RANK() OVER (ORDER BY COUNT(*) DESC) <= 2",
}

# ---------------------------------------------------------------- exact answers


def _finer(measure: Measure) -> Measure:
    """A sum on a grid so fine that its rounding is nothing."""
    if not isinstance(measure, Summed) or not is_rounded(measure):
        return measure
    parts = 1 << 12
    ends = measure.low * parts - parts, measure.high * parts + parts
    return Summed(measure.value, measure.step / parts, *ends, measure.centre * parts)


@dataclass(frozen=True)
class Evaluated:
    """A question with its exact answer, ready to be released again and again."""

    plan: Plan
    terms: Terms
    exact: Any
    truths: dict[tuple[Any, ...], float | None]
    unclipped: dict[tuple[Any, ...], float | None]
    weights: Any = None

    def releases(self, times: int) -> Iterator[tuple[Question, list[list[Noisy | Drawn]]]]:
        """What leaves, so many times: the question with the keys that were found, and every group's numbers."""
        groups = len(self.exact)
        columns = [self._drawn(place, times) for place in range(len(self.terms.mechanisms))]
        for number in range(times):
            rows = [
                [column[number * groups + group] for column in columns] for group in range(groups)
            ]
            if self.terms.finder is None:
                yield self.plan.question, rows
                continue
            assert isinstance(self.terms.finder, Finder), "coverage is measured with a delta"
            found = self.plan.question.found or ()
            passing = sorted(self.terms.finder.passing(self.weights))
            yield (
                replace(self.plan.question, found=tuple(found[at] for at in passing)),
                [rows[at] for at in passing],
            )

    def _drawn(self, place: int, times: int) -> list[Noisy | Drawn]:
        mechanism, where = self.terms.mechanisms[place], self.terms.columns[place]
        part = self.exact[:, where]
        if isinstance(mechanism, RankedCells):
            return [Drawn(cells) for cells in mechanism.release(np.tile(part, (times, 1)))]
        rounded = np.array(
            self.terms.round_to_grid(place, part[:, 0].tolist()) * times, dtype=object
        )
        worth = self.terms.worth(place)
        return [Noisy(int(integer), mechanism, worth) for integer in mechanism.release(rounded)]

    @property
    def moment(self) -> Expression:
        """What the column is: a moment, if it is one or the root of one."""
        value = next(shown.value for shown in self.plan.view.columns if shown.name == "x")
        return (
            operands(value)[0]
            if isinstance(value, Called) and value.function is Function.SQRT
            else value
        )

    def moments(self, times: int) -> dict[tuple[Any, ...], list[tuple[Any, Any, Any]]]:
        """The moments of so many releases, computed all at once as each of them would be."""
        moment, question = self.moment, self.plan.question
        assert isinstance(moment, MomentOf)
        root = (
            np.sqrt
            if moment not in [shown.value for shown in self.plan.view.columns]
            else np.asarray
        )
        columns = {place: self._drawn(place, times) for place in moment.places}
        found = {}
        for group, keys in enumerate(question.groups):
            parts = []
            for place, drawn in columns.items():
                numbers = [
                    each for each in drawn[group :: len(self.exact)] if isinstance(each, Noisy)
                ]
                one = Released.of(numbers[0], question, place)
                parts.append(replace(one, values=np.array([float(each.value) for each in numbers])))
            seen = released_moment(moment.moment, parts, 0.95)
            ends = np.minimum(seen.low, seen.value), np.maximum(seen.high, seen.value)
            found[keys] = list(zip(*(root(each) for each in (seen.value, *ends)), strict=True))
        return found


def evaluated(text: str, rows: list[Row], limit: Limit, amount: Fraction) -> Evaluated:
    """The exact answer to a question, with what the first measured column is exactly, and is without clipping."""
    plan = canonical(read_sql(text, {"visits": VISITS}, finding=bool(limit.delta)))
    terms = terms_of(plan.question, Shared(VISITS, CONTRIBUTIONS, keys=KEYS), limit, amount)
    weights = None
    engine = Memory({VISITS: rows})
    unclipped = replace(terms.weights, bound=1 << 24, units_squared=1 << 48)
    if terms.finder is None:
        exact = engine.evaluate(terms.question, terms.weights)
        fine = replace(plan.question, measures=tuple(map(_finer, plan.question.measures)))
        parts = [engine.evaluate(fine, each) for each in (terms.weights, unclipped)]
    else:
        with engine.gather(terms.question, terms.finder.secret()) as gathered:
            order = range(len(gathered.weights))
            every = sorted(zip(gathered.keys(order), order, strict=True))
            places = tuple(place for _, place in every)
            fine = replace(terms.question, found=tuple(values for values, _ in every))
            weights = np.asarray(gathered.weights)[list(places)]
            exact = gathered.evaluate(places, fine, terms.weights)
            parts = [exact, gathered.evaluate(places, fine, unclipped)]
            plan = replace(plan, question=fine)
    truths = [_truths(replace(plan, question=fine), terms, part) for part in parts]
    return Evaluated(plan, terms, exact, truths[0], truths[1], weights)


def _truths(plan: Plan, terms: Terms, exact: Any) -> dict[tuple[Any, ...], float | None]:
    """For every group, what its first measured column is exactly; None where it is nothing."""
    question, value = (
        plan.question,
        next(shown.value for shown in plan.view.columns if shown.name == "x"),
    )
    used = measures_in(value)
    groups, absent = [], set()
    for place, keys in enumerate(question.groups):
        numbers: list[Noisy | Drawn] = []
        for at, (measure, where) in enumerate(
            zip(question.measures, columns_of_answer(question), strict=True)
        ):
            part = exact[place, where]
            if isinstance(measure, Ranked):
                cell = _cell(part, measure.rank)
                absent |= {keys} if cell is None and at in used else set()
                numbers.append(Drawn((cell or 0,) * (1 if measure.rank in (0, 1) else 3)))
            else:
                step = measure.step if isinstance(measure, Summed) else Fraction(1)
                numbers.append(Noisy(int(part[0]), Laplace(1), step / (1 << terms.weights.bits)))
        groups.append(Group(question, keys, tuple(numbers), 0.5, True, {}))
    seen = _beside_each_other(groups, replace(plan, view=replace(plan.view, having=None)))
    exactly = {
        group.keys: None if group.keys in absent else point_of(group.value(value)) for group in seen
    }
    if (
        isinstance(value, MomentOf) and value.moment is Moment.CORRELATION
    ):  # of two rows it is 1, but for its last digits
        return {
            keys: None if found is None else min(max(found, -1.0), 1.0)
            for keys, found in exactly.items()
        }
    return exactly


def _cell(weights: Any, rank: Fraction) -> int | None:
    """The cell of the value of a rank."""
    upto = np.cumsum(weights.astype(object))
    if not upto[-1]:
        return None
    return int(np.argmax(upto >= rank * upto[-1])) if rank else int(np.argmax(upto > 0))


# ---------------------------------------------------------------- releases


@dataclass(frozen=True)
class Found:
    """How often intervals held: of all rows, in the worst group, and of what is not clipped; how wide they are, in
    parts of how far the middle 95 % of the released numbers scatter; and what the caption says of them."""

    rows: int
    held: float
    worst: float
    unclipped: float
    width: float
    notes: tuple[str, ...]


def cover(answer: str, data: str, currency: str, times: int) -> Found | None:
    """How often intervals of an answer hold, over so many releases; None if there is no such answer."""
    limit, amount = CURRENCIES[currency]
    if answer == "unknown keys" and not limit.delta:
        return None
    given = evaluated(ANSWERS[answer], DATA[data], limit, amount)
    by_key: dict[tuple[Any, ...], list[tuple[Any, Any, Any]]] = {}
    notes: tuple[str, ...] = ()
    if isinstance(given.moment, MomentOf):
        by_key = given.moments(times)
    else:
        for question, released in given.releases(times):
            seen = view_answer(replace(given.plan, question=question), released, 0.95)
            notes = seen.notes or notes
            for key, *numbers in _shown(seen):
                by_key.setdefault(key, []).append(tuple(numbers))
    return _judged(given, by_key, notes, times)


def _judged(
    given: Evaluated,
    by_key: dict[tuple[Any, ...], list[tuple[Any, Any, Any]]],
    notes: tuple[str, ...],
    times: int,
) -> Found | None:
    """How often the intervals of every group hold what is exact."""
    held, unclipped, worst, ratios = [], [], [], []
    for key, released in by_key.items():
        truth, other = given.truths[key], given.unclipped[key]
        numbers = [each for each in released if each[0] is not None]
        if truth is None or other is None or not numbers:
            continue
        value, low, high = (
            np.array([_number(each[at], at) for each in numbers]) for at in range(3)
        )
        inside, beside = (
            (low <= each + 1e-9 * abs(each)) & (each - 1e-9 * abs(each) <= high)
            for each in (truth, other)
        )
        held.append(inside)
        unclipped.append(beside)
        if len(numbers) >= times / 4:  # of a group that is rarely shown a share says little
            worst.append(float(inside.mean()))
            scatter = np.quantile(value, 0.975) - np.quantile(value, 0.025)
            ratios.append(
                float(np.median(high - low) / scatter) if scatter else float(np.median(high - low))
            )
    if not held:
        return None
    every, other_too = np.concatenate(held), np.concatenate(unclipped)
    least, ratio = min(worst, default=float(every.mean())), float(np.median(ratios or [1.0]))
    return Found(len(every), float(every.mean()), least, float(other_too.mean()), ratio, notes)


def _number(value: float | None, at: int) -> float:
    """A number or an end; one that is not shown is as far away as can be."""
    return (0.0, -inf, inf)[at] if value is None else float(value)


def _shown(seen: Viewed) -> Iterator[tuple[tuple[Any, ...], Any, Any, Any]]:
    """Of every row its key, the number and the ends of its interval."""
    at = seen.columns.index("x")
    for row in seen.rows:
        yield (row[0],), row[at], row[at + 1], row[at + 2]


# ---------------------------------------------------------------- the page

_HEAD = """# How often intervals contain the exact value

Every figure is from {times:,} releases of one evaluated answer, at nominal 95 %; `python docs/coverage.py` regenerates
this page. *Held* is the share of all shown rows whose interval contains the exact (clipped) value; *worst* is that of
the worst group; *unclipped* is the same share for the value without clipping, which intervals are not about. *Width* is
the median width of the intervals, relative to the width of the middle 95 % of the released numbers: about 1 where
nothing is given away.

The data have five sites. *lognormal*: 30 to 3,000 rows, spending with a long tail; *tied*: the same in whole hundreds,
ages in tens; *tiny*: 1 to 20 rows; *clipped*: some people have forty rows, of which two count in full; *empty*: three
sites without rows; *constant*: one value for all. Groups without an exact value, such as the mean of no rows, do not
count. Spending is a double up to 2,000, bills are integers up to 1,000.

- A quantile of *tied* values may lie right at the edge of a wide gap without rows. Then its interval covers less often
  than it says, and the caption says that it may. In a group of few rows, and next to a tail without rows, it covers
  for any data.
- Rows selected by noisy numbers (`HAVING`, `QUALIFY`, ten of sixty) have intervals that hold for all groups
  simultaneously. A measure that took no part in the selection has its usual interval, and so has every measure of
  discovered keys.
- The interval of `MIN` and `MAX` reaches to the end of the range, whatever was released: it is wide by design.
- Ends of integer intervals are rounded outward: with little noise, this is much of the width.

| answer | data | currency | held | worst | unclipped | width | said in the caption |
|---|---|---|---|---|---|---|---|
"""


def main() -> None:
    """Write the page."""
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    lines = [_HEAD.format(times=times)]
    for answer in ANSWERS:
        for data in DATA:
            for currency in CURRENCIES:
                found = cover(answer, data, currency, times)
                if found is None:
                    continue
                width = f"{found.width:.2f}" if isfinite(found.width) else "no ends"
                shares = " | ".join(
                    f"{share:.1%}" for share in (found.held, found.worst, found.unclipped)
                )
                said = ", ".join(found.notes)
                lines.append(f"| {answer} | {data} | {currency} | {shares} | {width} | {said} |\n")
                print(lines[-1], end="", flush=True)
    # the last part is written by coverage_of_functions.py
    _, mark, rest = _PAGE.read_text().partition("## Functions on blocks of units\n")
    _PAGE.write_text(f"{''.join(lines)}\n{mark}{rest}" if mark else "".join(lines))


if __name__ == "__main__":
    main()
