"""How much of all that is possible an interval is expected to cover, by the size of a group, before anything is read.

Checked by: tests/unit/curator/answer/test_expected_ranges.py
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from tacit.curator.answer.divide_confidence import ShownColumn, figures_of, shown_column
from tacit.curator.answer.evaluate_shown_columns import Group
from tacit.curator.answer.intervals import Noisy
from tacit.curator.answer.uninformative_intervals import NEARLY_ALL, possible_ends
from tacit.curator.pricing.noise_of_measures import Terms
from tacit.errors import InvalidInput
from tacit.frozen import frozen
from tacit.mechanisms import Gaussian, Laplace, RankedCells
from tacit.plan import (
    Across,
    Counted,
    KeyOf,
    MeanOf,
    MomentOf,
    Plan,
    Summed,
    walk_expression,
)

__all__ = ["describe_expected_ranges"]

_MOST_COLUMNS = 3
"""Of how many columns it is said what to expect: each takes a search, and the others are much like them."""

_MOST_TIMES = 1 << 12
"""With so many times the epsilon, the search ends."""


def describe_expected_ranges(
    plan: Plan, terms: Terms, confidence: float, epsilon: float, sizes: Sequence[int]
) -> Iterator[str]:
    """Of means, variances, correlations and slopes: where next to nothing is to be expected, and from which price more.

    Claim:      nothing here depends on a row.
    Because:    the groups are made up: their values lie evenly over declared bounds, and independently of each other.
    Checked by: tests/unit/curator/answer/test_expected_ranges.py
    """
    told = 0
    for shown in plan.view.columns:
        column = shown_column(shown, plan.question, confidence, raw=False)
        figures = figures_of(shown.value)
        if (
            column.has_interval
            and figures
            and all(isinstance(figure, MeanOf | MomentOf) for figure in figures)
            and not any(isinstance(part, Across | KeyOf) for part in walk_expression(shown.value))
        ):
            told += 1
            if told > _MOST_COLUMNS:
                return
            moments = [figure for figure in figures if isinstance(figure, MomentOf)]
            made_up = _MadeUp(plan, terms, confidence, column)
            yield from _describe_column(made_up, shown.name, bool(moments), epsilon, sizes)


def _describe_column(
    made_up: _MadeUp, name: str, has_moments: bool, epsilon: float, sizes: Sequence[int]
) -> Iterator[str]:
    covers = {rows: made_up.cover(rows, Fraction(1)) for rows in sizes}
    little = [rows for rows, cover in covers.items() if cover is None or cover[0] >= NEARLY_ALL]
    parts = [_describe_little(made_up, little, epsilon)] if little else []
    if has_moments:
        parts += [
            f"about ±{cover[1]:.3g} in one of {rows:,} rows"
            for rows, cover in covers.items()
            if cover is not None and rows not in little
        ]
    if parts:
        evenly = "; at best, with values spread evenly over their bounds" if has_moments else ""
        yield f"{name}: expect {', '.join(parts)}{evenly}"


def _describe_little(made_up: _MadeUp, little: Sequence[int], epsilon: float) -> str:
    """Groups of which next to nothing is to be expected, and at which epsilon more is."""
    is_open = made_up.is_open()
    what = "no interval" if is_open else "an interval of all that is possible"
    enough = "one" if is_open else "half of that"
    prices = [made_up.times_for_half(rows) for rows in little]
    found = [f"{epsilon * times:.2g}" for times in prices if times is not None]
    if len(found) == len(little):
        more = f" ({enough} takes an epsilon of about {_listed(found)})"
    else:
        more = "" if found else f" ({enough} takes more than {_MOST_TIMES:,} times the epsilon)"
    return f"{what} in a group of {_listed([f'{rows:,}' for rows in little])} rows{more}"


def _listed(parts: Sequence[str]) -> str:
    return " or ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else parts[0]


@frozen
class _MadeUp:
    """A column of made-up groups, with the noise of some terms."""

    plan: Plan
    terms: Terms
    confidence: float
    column: ShownColumn

    def cover(self, rows: int, times: Fraction) -> tuple[float, float] | None:
        """Which part of all that is possible the interval covers, and the ±, with less noise; None without one."""
        group = self._group(rows, times)
        value, low, high = group.cells(self.column)
        if value is None or low is None or high is None:
            return None
        ends = possible_ends(self.column, group)
        part = 0.0 if ends is None or ends[0] == ends[1] else (high - low) / (ends[1] - ends[0])
        return part, float(max(high - value, value - low))

    def is_open(self) -> bool:
        """Whether what is possible has no ends, as of a ratio."""
        return possible_ends(self.column, self._group(1, Fraction(1))) is None

    def times_for_half(self, rows: int) -> float | None:
        """With how many times less noise the interval covers half of what is possible, or has ends at all."""

        def is_enough(times: Fraction) -> bool:
            cover = self.cover(rows, times)
            return cover is not None and cover[0] <= 1 / 2

        most = Fraction(2)
        try:
            while not is_enough(most):
                most *= 2
                if most > _MOST_TIMES:
                    return None
        except InvalidInput:  # no noise is that small
            return None
        least = most / 2
        for _ in range(3):
            middle = (least + most) / 2
            least, most = (least, middle) if is_enough(middle) else (middle, most)
        return float(most)

    def _group(self, rows: int, times: Fraction) -> Group:
        """A group of so many rows, whose values lie evenly over their bounds; with so many times less noise."""
        question = self.plan.question
        values = {
            place: Fraction(rows if isinstance(measure, Counted) else 0)
            for place, measure in enumerate(question.measures)
        }
        for part in walk_expression(self.column.value):
            if isinstance(part, MomentOf):
                values |= _products(part, self.plan, rows)
        noisy = []
        for place, value in values.items():
            noise, worth = self.terms.mechanisms[place], self.terms.worth(place)
            noisy.append(
                None
                if isinstance(noise, RankedCells)
                else Noisy(round(value / worth), _quieter(noise, times), worth)
            )
        keys = (None,) * len(question.keys)
        return Group(question, keys, tuple(noisy), self.confidence, False, {})


def _products(moment: MomentOf, plan: Plan, rows: int) -> Mapping[int, Fraction]:
    """The sums of squares and products of values that lie evenly about the middles of their ranges."""
    match moment.places:
        case (_, one, squares):
            pairs = [(one, one, squares)]
        case (_, one, two, products):
            pairs = [(one, two, products)]
        case (_, one, two, one_squares, two_squares, products):
            pairs = [(one, one, one_squares), (two, two, two_squares), (one, two, products)]
        case _:
            return {}
    found = {}
    for one, two, at in pairs:
        measure = plan.question.measures[at]
        assert isinstance(measure, Summed), "a moment is made of counts and sums"
        exact = _width(plan, one) ** 2 / 12 if one == two else Fraction(0)
        found[at] = rows * (exact - measure.centre * measure.step)
    return found


def _width(plan: Plan, place: int) -> Fraction:
    measure = plan.question.measures[place]
    assert isinstance(measure, Summed), "a moment is made of counts and sums"
    return (measure.high - measure.low) * measure.step


def _quieter(noise: Laplace | Gaussian, times: Fraction) -> Laplace | Gaussian:
    if times == 1:
        return noise
    return (
        Laplace(noise.scale / times)
        if isinstance(noise, Laplace)
        else Gaussian(noise.sigma / times)
    )
