"""How exact an answer can be for a price, and how many people it takes: the textbook bounds, and the exact counts."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

from tacit.errors import InvalidInput
from tacit.exact import Number, at_most, count_of, float_at_least, log, upper, working
from tacit.mechanisms.grid_steps import sensitivity_of
from tacit.mechanisms.parameters import confidence_of, failure_of, price_of
from tacit.mechanisms.randomized_response import RandomizedResponse
from tacit.privacy import Norm, Sensitivity, root_at_least

__all__ = [
    "crossover",
    "error_of_mean",
    "error_of_response",
    "gaussian_bound",
    "laplace_bound",
    "people_for_mean",
    "people_for_response",
]


def laplace_bound(
    sensitivity: Sensitivity | Number, epsilon: Number, beta: Number, answers: int = 1
) -> float:
    """(sensitivity / epsilon) ln(answers / beta): continuous noise stays within it, except with probability beta.

    The textbook's bound.  Tacit's noise is discrete, and `Laplace.error` is exact for it.
    A histogram of 10,000 first names under the replace relation, epsilon 1, beta 1 %:

    >>> from tacit.privacy import Neighbours
    >>> round(laplace_bound(Sensitivity(2, neighbours=Neighbours.REPLACE), epsilon=1, beta=0.01, answers=10_000), 2)
    27.63
    """
    moved = sensitivity_of(sensitivity).in_norm(Norm.L1).bound
    with working():
        return float_at_least(upper(log(_times(answers, beta))) * moved / price_of(epsilon))


def gaussian_bound(
    sensitivity: Sensitivity | Number,
    epsilon: Number,
    delta: Number,
    beta: Number,
    answers: int = 1,
) -> float:
    """(2 sensitivity / epsilon) sqrt(ln(1.25 / delta) ln(answers / beta)), for continuous noise and epsilon below one.

    >>> round(gaussian_bound(Sensitivity.root(100, dimension=100), 0.5, 1e-6, 0.01, answers=100), 1)
    454.8
    """
    price, failure = price_of(epsilon), failure_of(delta)
    if price >= 1:
        raise InvalidInput(
            "epsilon",
            epsilon,
            "the classical bound is proved only below 1; use Gaussian.calibrate(...).error",
        )
    moved = sensitivity_of(sensitivity).in_norm(Norm.L2).bound
    with working():
        inner = upper(log(Fraction(5, 4) / failure) * log(_times(answers, beta)))
    return float_at_least(2 * moved * root_at_least(inner) / price)


def crossover(epsilon: Number, delta: Number, beta: Number) -> int:
    """The fewest counts, one unit moving each by one, for which the Gaussian bound is below the Laplace one.

    >>> crossover(epsilon=0.5, delta=1e-6, beta=0.05)
    11
    """
    answers = 1
    while gaussian_bound(
        Sensitivity.root(answers, dimension=answers), epsilon, delta, beta, answers
    ) >= laplace_bound(Sensitivity(answers, dimension=answers), epsilon, beta, answers):
        answers += 1
    return answers


def error_of_mean(people: int, epsilon: Number, confidence: Number) -> float:
    """The error of the mean of so many values between 0 and 1, under the replace relation: ln(1 / beta) / (n epsilon).

    >>> error_of_mean(people=1000, epsilon=0.1, confidence=0.75)
    0.0138...
    """
    count = count_of(people, "people", least=1)
    return laplace_bound(Fraction(1, count), epsilon, 1 - confidence_of(confidence))


def people_for_mean(alpha: Number, epsilon: Number, confidence: Number) -> int:
    """How many people the mean of values between 0 and 1 needs for an error of at most alpha, with a curator.

    >>> people_for_mean(alpha=0.01, epsilon=0.1, confidence=0.75)
    1387
    """
    with working():
        needed = upper(log(1 / (1 - confidence_of(confidence)))) / (
            price_of(epsilon) * _error(alpha)
        )
    return ceil(needed)


def error_of_response(people: int, epsilon: Number, confidence: Number) -> float:
    """The error of a share estimated from so many randomized responses, by Chebyshev's inequality.

    >>> error_of_response(people=10_000, epsilon=1, confidence=0.75)
    0.0191...
    """
    count = count_of(people, "people", least=1)
    variance = RandomizedResponse(epsilon).variance / (count * (1 - confidence_of(confidence)))
    return float_at_least(root_at_least(variance))


def people_for_response(alpha: Number, epsilon: Number, confidence: Number) -> int:
    """How many people a share needs for an error of at most alpha when each randomizes alone.

    >>> people_for_response(alpha=0.01, epsilon=0.1, confidence=0.75)
    3996669
    """
    variance = RandomizedResponse(epsilon).variance / (1 - confidence_of(confidence))
    return ceil(variance / _error(alpha) ** 2)


def _times(answers: int, beta: Number) -> Fraction:
    return count_of(answers, "answers", least=1) / failure_of(beta, "beta")


def _error(alpha: Number) -> Fraction:
    error = at_most(alpha, "alpha")
    if error <= 0:
        raise InvalidInput("alpha", alpha, "give an error above zero")
    return error
