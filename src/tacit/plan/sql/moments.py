"""Variances, standard deviations, covariances and correlations in SQL."""

from typing import Any

from tacit.plan.model.expressions import Called, Expression, Moment
from tacit.plan.model.functions import Function
from tacit.plan.questions.draft import Draft
from tacit.plan.questions.expression_forms import only
from tacit.plan.sql.reader import ROWS, Reader, node_kind

__all__ = ["MOMENTS", "moment", "standard_deviation"]

MOMENTS = {
    "Variance": Moment.VARIANCE,
    "VariancePop": Moment.POPULATION_VARIANCE,
    "Stddev": Moment.VARIANCE,
    "StddevSamp": Moment.VARIANCE,
    "StddevPop": Moment.POPULATION_VARIANCE,
    "CovarSamp": Moment.COVARIANCE,
    "CovarPop": Moment.POPULATION_COVARIANCE,
    "Corr": Moment.CORRELATION,
}
"""What the parser's nodes mean; a standard deviation is the root of a variance."""


def moment(reader: Reader, node: Any, draft: Draft, condition: Expression | None) -> Expression:
    """What a node of MOMENTS means; with a condition, of some rows."""
    parts = [node.args[name] for name in ("this", "expression") if node.args.get(name)]
    reader.account.claim(node, "COMMA", len(parts) - 1)
    values = [only(reader.read(part, draft, ROWS), condition) for part in parts]
    with reader.account.about(node):
        found = draft.moment(MOMENTS[node_kind(node)], *values)
    return standard_deviation(found) if node_kind(node).startswith("Stddev") else found


def standard_deviation(variance: Expression) -> Expression:
    """The standard deviation of what has a variance."""
    return Called(Function.SQRT, (variance,))
