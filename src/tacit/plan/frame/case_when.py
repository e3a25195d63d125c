"""CASE of a frame: `when(condition).then(value).otherwise(value)`.

Checked by: tests/unit/plan/frame/test_frame.py
"""

from __future__ import annotations

from tacit.errors import InvalidPlan
from tacit.frozen import frozen
from tacit.plan.frame.column_expressions import Term, term_of

__all__ = ["When", "when"]


@frozen(eq=False)
class When:
    """A choice that is being written: `when(a).then(x).when(b).then(y).otherwise(z)`."""

    branches: tuple[tuple[Term, Term], ...]
    condition: Term | None

    def then(self, value: object) -> When:
        """The value if the condition is true."""
        if self.condition is None:
            raise InvalidPlan("then(...) has no condition", "write when(condition).then(value)")
        return When((*self.branches, (self.condition, term_of(value))), None)

    def when(self, condition: Term) -> When:
        """The next condition, if those before are not true."""
        if self.condition is not None:
            raise InvalidPlan(
                "a condition has no value", "write .then(value) before the next .when(condition)"
            )
        return When(self.branches, term_of(condition))

    def otherwise(self, value: object) -> Term:
        """The value if no condition is true; None is NULL."""
        if self.condition is not None or not self.branches:
            raise InvalidPlan(
                "a condition has no value", "write .then(value) before .otherwise(value)"
            )
        branches, last = self.branches, term_of(value)
        text = "".join(f".when({condition}).then({chosen})" for condition, chosen in branches)
        return Term(
            f"{text[1:]}.otherwise({last})",
            lambda scope: scope.forms.case(
                [(c.read(scope), v.read(scope)) for c, v in branches], last.read(scope)
            ),
        )


def when(condition: Term) -> When:
    """The first of several values whose condition is true.

    >>> from tacit.plan import col
    >>> when(col("age") < 18).then("young").otherwise("old")
    when(col('age') < 18).then('young').otherwise('old')
    """
    return When((), term_of(condition))
