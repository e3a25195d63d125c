"""What an answer would be made of and cost, in words; from the plan and the policy, before any data are looked at."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import sqrt
from typing import TYPE_CHECKING

from tacit.accounting import Charge
from tacit.curator.answer.evaluate_shown_columns import Group
from tacit.curator.answer.expected_ranges import describe_expected_ranges
from tacit.curator.answer.intervals import Interval, Noisy
from tacit.curator.answer.left_out_captions import LeftOut
from tacit.curator.answer.release import percent
from tacit.curator.answer.remarks_on_rows import remarks_on_rows
from tacit.curator.policy.policy import Limit, Shared
from tacit.curator.pricing.answer_size import MOST_BYTES, Size, size_of
from tacit.curator.pricing.key_codes import LETTER_BITS
from tacit.curator.pricing.noise_of_measures import Terms
from tacit.curator.pricing.unknown_key_threshold import PURE_SHARE, SHARE, Hiding
from tacit.frozen import frozen
from tacit.mechanisms import Gaussian, RankedCells
from tacit.plan import (
    Called,
    Case,
    Counted,
    Expression,
    Function,
    MeanOf,
    Measure,
    MeasureOf,
    MomentOf,
    Plan,
    Ranked,
    Summed,
    coarse_step,
    group_filter,
    has_far_logarithm,
    in_words,
    list_group_expressions,
)
from tacit.printing import html_lines, printable_lines

if TYPE_CHECKING:
    from tacit.curator.pricing.selection_price import SelectionTerms

__all__ = [
    "Expected",
    "ExpectedMean",
    "Explanation",
    "explain_choice",
    "explain_plan",
    "name_measure",
    "of_the_limit",
]

GROUP_SIZES = (100, 1_000, 10_000)
"""The numbers of rows for which the ± of a mean is told: nobody knows how many a group has."""

_MANY = 10
_WORTH_TELLING = MOST_BYTES // 8


@frozen
class Expected:
    """One measure of an answer: what it is, the noise it gets, and the ± to expect, `rows` of what is ranked."""

    measure: str
    noise: str
    reach: float
    rows: bool = False


@frozen
class ExpectedMean:
    """The ± to expect of a mean about the middle of its range, for groups of `rows` rows each."""

    column: str
    rows: tuple[int, ...]
    reach: tuple[float, ...]

    def __str__(self) -> str:
        first, *rest = (
            f"±{reach:.3g} in {{}} of {rows:,}"
            for rows, reach in zip(self.rows, self.reach, strict=True)
        )
        others = " and ".join(each.format("one") for each in rest)
        return f"{self.column}: about {first.format('a group')} rows, {others}"


@frozen
class Explanation:
    """Everything about an answer that is known without the data."""

    words: str
    unit: str
    neighbours: str
    contributions: int
    groups: int
    expected: tuple[Expected, ...]
    confidence: float
    share: float
    left: float
    affordable: bool
    halving: str
    free: bool = False
    hiding: Hiding | None = None
    size: Size = Size(0, 0)
    left_out: tuple[LeftOut, ...] = ()
    selection: str = ""
    """What choosing saves, where only which groups come first is asked for."""
    own: tuple[float, float] | None = None
    """Of an analyst with a limit of her own: which share of it the answer costs, and which is left."""
    paid: bool = False
    """Whether it is free because it was charged before and never answered."""
    fitting: Fraction | None = None
    """An epsilon that still fits, where the price does not."""
    means: tuple[ExpectedMean, ...] = ()
    """The ± of each mean by the size of a group, since it depends on that."""
    remarks: tuple[str, ...] = ()
    """What the spelling of the question means elsewhere, where a grid limits an answer more than the noise, and where
    next to nothing is to be expected."""

    def __str__(self) -> str:
        lines = [
            self.words,
            *self.remarks,
            (
                f"Protected: {self.unit}, under {self.neighbours}, with a total weight of at most "
                f"{self.contributions}."
            ),
            *self._describe_groups(),
        ]
        lines += [
            f"  {each.measure}: {each.noise}, ±{each.reach:.3g}{' rows of rank' if each.rows else ''} at "
            f"{percent(self.confidence)}"
            for each in self.expected
        ]
        lines += [f"  {each}, at {percent(self.confidence)}" for each in self.means]
        if self.selection:
            lines.append(self.selection)
        if self.left_out:
            lines += ["Left out or clipped:", *(f"  {each}" for each in self.left_out)]
        if not self.size.fits or (self.hiding is None and self.size.bytes > _WORTH_TELLING):
            lines.append(f"Stored: {self.size}{'' if self.size.fits else ', which is too large'}.")
        fits = "" if self.affordable else ", which does not fit"
        if self.free:
            why = "it is already paid" if self.paid else "it follows from earlier answers"
            lines.append(
                f"Price: nothing, since {why}; {self.left:.2%} of the limit is left. "
                f"Asked for the first time it would cost {of_the_limit(self.share, 2)}."
            )
        else:
            lines.append(f"Price: {of_the_limit(self.share, 2)}; {self.left:.2%} is left{fits}.")
        if self.own is not None and not self.free:
            share, left = self.own
            lines.append(f"  of the analyst's own limit: {share:.2%}; {left:.2%} is left.")
        lines.append(f"To halve the error: {self.halving}")
        return printable_lines("\n".join(lines))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_lines(str(self))

    def _describe_groups(self) -> list[str]:
        """Which groups are released."""
        if self.hiding is None:
            if self.selection:
                return ["Released: which groups come first, and nothing else."]
            many = "1 group" if self.groups == 1 else f"{self.groups} groups, including empty ones"
            return [f"Released: {many}."]
        found, keys = self.hiding, self.hiding.keys
        part = "1/k" if found.per_bit else "1/√k"
        kept = (
            "a unit adds 1 to the weight of its key"
            if keys == 1
            else f"a unit adds {part} to the weight of each of its k keys, at most {keys}"
        )
        if found.per_bit:
            scale, each = float(found.sigma) / sqrt(2), float(found.per_bit * LETTER_BITS)
            noise = (
                f"Laplace noise of scale {scale:.3g}, threshold {float(found.threshold):.3g} and {each:.3g} for every "
                "letter of the key"
            )
            price = f"{float(PURE_SHARE):.0%} of the price, no delta"
        else:
            noise = f"Gaussian noise of sigma {float(found.sigma):.3g}, threshold {float(found.threshold):.3g}"
            price = f"{float(SHARE):.0%} of the price, delta {float(found.delta):.2g}"
        return [
            f"Released: at most {self.groups:,} groups, those above a threshold; {kept}.",
            (
                f"  threshold: {noise}, {price}; groups of fewer than about "
                f"{found.units_shown(self.confidence):,} units{found.of_keys} may be hidden"
            ),
        ]


def explain_plan(
    plan: Plan,
    terms: Terms,
    shared: Shared,
    limit: Limit,
    spent: Charge,
    confidence: float,
    entity: str,
    left_out: tuple[LeftOut, ...] = (),
) -> Explanation:
    """The explanation of a plan at its terms."""
    rule = limit.filter()
    price = rule.price(terms.loss)
    unit = f"all rows of one {entity}" if shared.table.unit else "each row"
    expected = tuple(
        Expected(
            name_measure(place, measure, plan),
            _noise(terms, place),
            float(terms.reach(place, confidence)),
            isinstance(measure, Ranked),
        )
        for place, measure in enumerate(plan.question.measures)
    )
    return Explanation(
        words=in_words(plan),
        unit=unit,
        neighbours=limit.neighbours.value,
        contributions=terms.weights.bound,
        groups=_groups_shown(plan, terms),
        expected=expected,
        confidence=confidence,
        share=float(rule.share(price)),
        left=float(1 - rule.share(spent)),
        affordable=rule.admits(spent, price),
        fitting=None if rule.admits(spent, price) else rule.epsilon_left(spent, price),
        halving=_halving(terms, shared, rule.share(price), entity, confidence),
        hiding=None if terms.finder is None else terms.finder.hiding,
        size=size_of(terms),
        left_out=left_out,
        means=_expect_means(plan, terms, confidence),
        remarks=(
            *remarks_on_rows(plan),
            *_limited_by_grids(plan, terms, confidence),
            *describe_expected_ranges(
                plan, terms, confidence, float(rule.epsilon_of(price)), GROUP_SIZES
            ),
        ),
    )


def _groups_shown(plan: Plan, terms: Terms) -> int:
    """How many groups an answer has before HAVING: those that can have rows, of unknown keys the most."""
    if terms.finder is not None or (can_have_rows := group_filter(plan.question)) is None:
        return terms.groups
    return sum(map(can_have_rows, plan.question.groups))


_ROWS_THAT_DO_NOT_MATTER = 1


def _limited_by_grids(plan: Plan, terms: Terms, confidence: float) -> tuple[str, ...]:
    """What no price makes finer: quantiles whose noise is of about one row, on a grid that is coarse."""
    steps = [
        step
        for place, measure in enumerate(plan.question.measures)
        if (step := coarse_step(measure)) is not None and _is_exact(terms, place, confidence)
    ]
    return tuple(
        f"a quantile is read in steps of {step} here: no price makes it finer, a narrower range does, "
        "as in LEAST(x, 100)"
        for step in dict.fromkeys(steps)
    )


def _is_exact(terms: Terms, place: int, confidence: float) -> bool:
    """Whether the noise of what is ranked is of no more than a row."""
    return terms.reach(place, confidence) <= _ROWS_THAT_DO_NOT_MATTER


def _expect_means(plan: Plan, terms: Terms, confidence: float) -> tuple[ExpectedMean, ...]:
    """The ± of each mean, by the rule that makes the intervals of answers, for made-up groups in the middle."""
    return tuple(
        ExpectedMean(
            shown.name,
            GROUP_SIZES,
            tuple(
                _reach_of_mean(shown.value, plan, terms, rows, confidence) for rows in GROUP_SIZES
            ),
        )
        for shown in plan.view.columns
        if isinstance(shown.value, MeanOf)
    )


def _reach_of_mean(mean: MeanOf, plan: Plan, terms: Terms, rows: int, confidence: float) -> float:
    made_up: list[Noisy | None] = [None] * len(plan.question.measures)
    for place, number in ((mean.sum_place, 0), (mean.count_place, rows)):
        noise, worth = terms.mechanisms[place], terms.worth(place)
        assert not isinstance(noise, RankedCells), "a mean is made of a sum and a count"
        made_up[place] = Noisy(round(number / worth), noise, worth)
    keys = (None,) * len(plan.question.keys)
    found = Group(plan.question, keys, tuple(made_up), confidence, False, {}).value(mean)
    assert isinstance(found, Interval), "noise has touched it"
    return float(max(found.high - found.value, found.value - found.low))


def explain_choice(told: Explanation, terms: SelectionTerms) -> Explanation:
    """The explanation of a plan whose groups are chosen: no number of it is released."""
    many, k = terms.candidates, terms.top.k
    way = "exponential weights" if terms.concentrated else "permute-and-flip"
    which = "smallest" if terms.top.smallest else "greatest"
    chosen = Expected(
        f"the {which} {k} of {many:,} groups",
        f"chosen by {way} with scale {float(terms.mechanism.each.scale * terms.worth):.3g}",
        float(terms.error(told.confidence)),
    )
    saving = (
        f"  No number is released. To sort all {many:,} numbers as accurately would cost "
        f"{terms.saving:,.1f} times as much."
    )
    return replace(told, groups=k, expected=(chosen,), selection=saving, means=(), remarks=())


def name_measure(place: int, measure: Measure, plan: Plan) -> str:
    """The measure by the columns of the answer that it makes."""
    for shown in plan.view.columns:
        match shown.value:
            case MeasureOf(at) if at == place:
                return shown.name
            case MeanOf(total, count) if place in (total, count):
                part = (
                    "count" if isinstance(measure, Counted) else "sum about the middle of its range"
                )
                return f"{shown.name}'s {part}"
            case value if (role := _role(value, place)) is not None:
                return f"{shown.name}'s {role}"
            case Case(branches, _) if any(then == MeasureOf(place) for _, then in branches):
                return shown.name
            case _:
                continue
    what = {Summed: "sum", Ranked: "quantile"}.get(type(measure), "count")
    return f"a {what} in an expression"


_ROLES = {
    3: ("count", "sum about the middle of its range", "sum of squares"),
    4: ("count", "first sum", "second sum", "sum of products"),
    6: (
        "count",
        "first sum",
        "second sum",
        "first sum of squares",
        "second sum of squares",
        "sum of products",
    ),
}


def _role(value: Expression, place: int) -> str | None:
    """What a measure is for a variance, a covariance or a correlation, or for the root of one."""
    match value:
        case MomentOf(_, places) | Called(Function.SQRT, (MomentOf(_, places),)) if place in places:
            return _ROLES[len(places)][places.index(place)]
        case _:
            return None


def _noise(terms: Terms, place: int) -> str:
    mechanism = terms.mechanisms[place]
    if isinstance(mechanism, Gaussian):
        return f"Gaussian noise of sigma {float(mechanism.sigma * terms.worth(place)):.3g}"
    if isinstance(mechanism, RankedCells):
        cells = f"{mechanism.draws} cell{'s' if mechanism.draws > 1 else ''} of {mechanism.cells:,}"
        step = coarse_step(terms.question.measures[place])
        cells += "" if step is None else f" in steps of {step}"
        return (
            f"{cells}, drawn by rank with scale {float(mechanism.scale * terms.worth(place)):.3g}"
        )
    return f"Laplace noise of scale {float(mechanism.scale * terms.worth(place)):.3g}"


def of_the_limit(share: float, digits: int) -> str:
    """A share of the limit, or how many times the limit it is."""
    return f"{share:.{digits}%} of the limit" if share < _MANY else f"{share:,.0f} times the limit"


def _halving(terms: Terms, shared: Shared, share: Fraction, entity: str, confidence: float) -> str:
    """What would halve the error: a higher price, or a smaller bound."""
    factor = 4 if terms.concentrated else 2
    ways = [f"pay {factor} times as much ({of_the_limit(float(share * factor), 1)})"]
    measures = terms.question.measures
    if all(
        coarse_step(measure) is not None and _is_exact(terms, place, confidence)
        for place, measure in enumerate(measures)
    ):
        return (
            "narrow the range of what is ranked, as in LEAST(x, 100); a higher price does not help."
        )
    if shared.table.unit and shared.contributions is not None and shared.contributions > 1:
        ways.append(
            f"or set contributions for each {entity} to {max(1, shared.contributions // 2)} "
            f"instead of {shared.contributions}"
        )
    if any(isinstance(measure, Summed) for measure in terms.question.measures):
        ways.append("or declare bounds half as wide")
    if any(map(has_far_logarithm, list_group_expressions(terms.question))):
        ways.append("or keep logarithms away from that of zero, as in WHERE x >= 0.01")
    return ", ".join(ways) + "."
