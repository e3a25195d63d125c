"""Which rows noise chose to show, and how sure the intervals of what it chose by must be for that."""

from __future__ import annotations

from tacit.curator.answer.intervals import all_at_once
from tacit.frozen import frozen
from tacit.plan import Across, Expression, MeanOf, MeasureOf, MomentOf, View, operands

__all__ = ["Choice", "choice_of", "measures_in"]


@frozen
class Choice:
    """By which measures noise chose the rows that are shown, and among how many groups; `last` if it did so after
    windows had looked at the groups: by QUALIFY, or by ORDER BY with LIMIT or OFFSET."""

    measures: frozenset[int]
    groups: int
    last: bool

    def confidence(self, value: Expression, confidence: float) -> float:
        """How sure an interval of an expression must be, so that those of all rows that are shown are as sure as asked.

        Claim:      with at least `confidence`, every interval that is shown in a column holds, whichever rows were
                    chosen; a column that shares no measure with the choice holds row by row, as without one.
        Because:    the intervals of all groups that might have been chosen hold at once, by Bonferroni, and with them
                    those of any that were.  Each measure has noise of its own, so that what is chosen by others says
                    nothing about it; and so have unknown keys, of which a threshold chooses some.  Windows over groups
                    that HAVING chose are as sure as that already: see `Peers`.
        Checked by: tests/statistics/test_choice.py
        """
        return all_at_once(confidence, self.groups) if self.concerns(value) else confidence

    def concerns(self, value: Expression) -> bool:
        """Whether the noise in an expression took part in choosing."""
        return bool(self.measures & measures_in(value, windows=self.last))


def choice_of(view: View, groups: int) -> Choice:
    """What noise chooses by in a view of so many groups.

    >>> from tacit.plan import Ordering, Shown
    >>> n = MeasureOf(0)
    >>> choice_of(View((Shown("n", n),), order=(Ordering(n, True),), limit=10), 366)
    Choice(measures=frozenset({0}), groups=366, last=True)
    >>> choice_of(View((Shown("n", n),), order=(Ordering(n, True),)), 366).measures
    frozenset()
    """
    cut = view.offset > 0 or (view.limit is not None and view.limit < groups)
    late = [] if view.qualify is None else [view.qualify]
    late += [order.value for order in view.order] if cut else []
    early = [] if view.having is None else [view.having]
    after = frozenset().union(*(measures_in(value) for value in late))
    before = frozenset().union(*(measures_in(value) for value in early))
    return Choice(after | before, groups, bool(after))


def measures_in(expression: Expression, *, windows: bool = True) -> frozenset[int]:
    """The measures that an expression is computed from; without `windows`, those of its own group alone."""
    match expression:
        case MeasureOf(place):
            return frozenset({place})
        case MeanOf(total, count):
            return frozenset({total, count})
        case MomentOf(_, places):
            return frozenset(places)
        case Across() if not windows:
            return frozenset()
        case _:
            return frozenset().union(
                *(measures_in(operand, windows=windows) for operand in operands(expression))
            )
