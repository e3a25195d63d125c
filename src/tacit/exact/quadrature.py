"""Integrals of polynomials from 0 to 1, by Gauss and Legendre's rule in balls."""

from __future__ import annotations

from functools import lru_cache

from tacit.exact.certified import Ball, precision, working

__all__ = ["unit_rule"]


def unit_rule(degree: int) -> tuple[tuple[Ball, Ball], ...]:
    """Places between 0 and 1 and their weights: the weighted sum is the integral of any polynomial of this degree.

    Claim:      the ball of the weighted sum holds the integral.
    Because:    with n places Gauss and Legendre's rule is exact up to degree 2n - 1; places and weights are balls.
    Checked by: tests/unit/exact/test_quadrature.py

    >>> from tacit.exact import upper
    >>> with working():
    ...     float(upper(sum(weight * place**3 for place, weight in unit_rule(3))))
    0.25
    """
    return _rule(degree // 2 + 1, precision())


@lru_cache(maxsize=64)
def _rule(count: int, bits: int) -> tuple[tuple[Ball, Ball], ...]:
    with working(bits):
        pairs = (Ball.legendre_p_root(count, place, weight=True) for place in range(count))
        return tuple(((1 + root) / 2, weight / 2) for root, weight in pairs)
