"""Variances, standard deviations, covariances and correlations in SQL: which node of the parser's tree is which."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from tacit.plan.model.expressions import Called, Expression, Moment
from tacit.plan.model.function_names import Function
from tacit.plan.questions.draft import Draft
from tacit.plan.questions.shape_of_distribution import kurtosis, skewness

__all__ = ["MOMENTS", "REGRESSIONS", "SHAPES", "standard_deviation"]

MOMENTS: dict[type[exp.Expr], tuple[Moment, bool]] = {
    exp.Variance: (Moment.VARIANCE, False),
    exp.VariancePop: (Moment.POPULATION_VARIANCE, False),
    exp.Stddev: (Moment.VARIANCE, True),
    exp.StddevSamp: (Moment.VARIANCE, True),
    exp.StddevPop: (Moment.POPULATION_VARIANCE, True),
    exp.CovarSamp: (Moment.COVARIANCE, False),
    exp.CovarPop: (Moment.POPULATION_COVARIANCE, False),
    exp.Corr: (Moment.CORRELATION, False),
}
"""What the parser's nodes mean, and whether it is the root of it: a standard deviation is that of a variance."""


REGRESSIONS: dict[type[exp.Expr], str] = {
    exp.RegrSlope: "slope",
    exp.RegrIntercept: "intercept",
    exp.RegrR2: "r2",
    exp.RegrCount: "count",
    exp.RegrAvgx: "avgx",
    exp.RegrAvgy: "avgy",
    exp.RegrSxx: "sxx",
    exp.RegrSyy: "syy",
    exp.RegrSxy: "sxy",
}
"""What of a line through pairs of values the parser's nodes mean: REGR_SLOPE(y, x) and its like."""


SHAPES: dict[type[exp.Expr], Callable[[Draft, Expression], Expression]] = {
    exp.Skewness: skewness,
    exp.Kurtosis: kurtosis,
}
"""How the shape of a distribution is found."""


def standard_deviation(variance: Expression) -> Expression:
    """The standard deviation of what has a variance."""
    return Called(Function.SQRT, (variance,))
