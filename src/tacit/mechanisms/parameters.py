"""What people type for a price, a failure, a confidence: read in the safe direction, refused if it makes no sense."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from tacit.errors import InvalidInput
from tacit.exact import Number, at_least, at_most

__all__ = ["confidence_of", "failure_of", "price_of", "scale_of"]


def price_of(epsilon: Number) -> Fraction:
    """Epsilon, never more than was meant.

    >>> price_of(0.1)
    Fraction(1, 10)
    """
    price = at_most(epsilon, "epsilon")
    if price <= 0:
        raise InvalidInput("epsilon", epsilon, "give a price above zero")
    return price


def failure_of(delta: Number, name: str = "delta") -> Fraction:
    """Delta, or another probability of failing, never more than was meant.

    >>> failure_of(1e-6)
    Fraction(4722366482869645, 4722366482869645213696)
    """
    failure = at_most(delta, name)
    if not 0 < failure < 1:
        raise InvalidInput(name, delta, "give a probability strictly between 0 and 1")
    return failure


def confidence_of(confidence: Number) -> Fraction:
    """The wanted confidence, never less than was meant.

    >>> confidence_of(Fraction(19, 20))
    Fraction(19, 20)
    """
    # everything else, and what cannot be hashed, is read anew
    if type(confidence) in (float, Fraction):
        return _read_known(confidence)
    return _read_confidence(confidence)


def _read_confidence(confidence: Number) -> Fraction:
    wanted = at_least(confidence, "confidence")
    if not 0 < wanted < 1:
        raise InvalidInput("confidence", confidence, "give a probability strictly between 0 and 1")
    return wanted


# Every number of an answer has its interval at the same confidence; a float is not read as the fraction that it equals.
_read_known = lru_cache(maxsize=256, typed=True)(_read_confidence)


def scale_of(scale: Number) -> Fraction:
    """The scale of a draw of cells, in rows."""
    exact = at_least(scale, "scale")
    if not Fraction(1, 1 << 40) <= exact <= 1 << 200:
        raise InvalidInput("scale", scale, "give a scale from 2**-40 to 2**200 rows")
    return exact
