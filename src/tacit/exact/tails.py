"""Certified sums of exp(-z**2 / (2 variance)) over the integers: the discrete Gaussian's own law."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from tacit.errors import InvalidInput
from tacit.exact.certified import Ball, ball, hull, precision, working

__all__ = ["gaussian_mass", "gaussian_moment", "gaussian_tail"]

# From this variance on the sum is a smooth integral with corrections; below it the terms are few.
_SMOOTH = 1024
_CORRECTIONS = 24
# From this variance on the moments are those of the continuous law, but for less than 2**-220 of them.
_ALIKE = 16


def gaussian_tail(variance: Fraction, start: int) -> Ball:
    """The probability that a discrete Gaussian of this variance parameter is at least `start`.

    >>> from tacit.exact import upper
    >>> with working():
    ...     float(upper(gaussian_tail(Fraction(1), 1)))
    0.3005288608...

    Claim:      the ball holds the exact probability.
    Because:    numerator and denominator are certified sums (`gaussian_mass`); a start at or below zero is
                turned into one above it by symmetry, so that no digits cancel.
    Checked by: tests/unit/exact/test_tails.py
    """
    if not variance > 0:
        raise InvalidInput("variance", variance, "give a number above zero")
    if start <= 0:
        return 1 - gaussian_tail(variance, 1 - start)
    bits = precision()
    return _cache_tail(variance, start, bits) / (_cache_tail(variance, 0, bits) * 2 - 1)


@lru_cache(maxsize=4096)
def _cache_tail(variance: Fraction, start: int, bits: int) -> Ball:
    with working(bits):
        return _smooth(variance, start) if variance >= _SMOOTH else _sum_terms(variance, start)


def gaussian_mass(variance: Fraction, start: int) -> Ball:
    """The sum of exp(-z**2 / (2 variance)) over integers z >= start >= 0, at the working precision."""
    return _cache_tail(variance, start, precision())


def _sum_terms(variance: Fraction, start: int) -> Ball:
    """Term by term; what follows the last term is less than a geometric series, and is added as a ball."""
    rate = ball(1 / (2 * variance))
    square = (-2 * rate).exp()
    term, ratio = (-rate * start**2).exp(), (-rate * (2 * start + 1)).exp()
    total, smallest = ball(0), term * ball(2) ** -(precision() + 8)
    while True:
        total += term
        term *= ratio
        ratio *= square
        if not term > smallest:  # nor where both are too small for a ball that excludes zero
            return total + hull(ball(0), term / (1 - ratio))


def _smooth(variance: Fraction, start: int) -> Ball:
    """The integral from `start`, half the first term, and Euler and Maclaurin's corrections.

    Claim:      the ball holds the sum.
    Because:    with f(x) = exp(-x**2/(2 s)), the n-th derivative is (-1)**n s**(-n/2) He_n(x/sqrt s) f(x); the
                remainder after the correction of order 2p is at most 4 (2 pi)**(-2p) times the integral of
                |f^(2p)|, and Cramer's inequality |He_n(u)| exp(-u**2/4) <= 1.09 sqrt(n!) bounds that integral
                by 1.09 sqrt((2p)!) s**(-p) times that of exp(-x**2/(4 s)).
    Checked by: tests/unit/exact/test_tails.py
    """
    s = ball(variance)
    root = s.sqrt()
    x = start / root
    value = (-x * x / 2).exp()
    pi, two = Ball.pi(), ball(2)
    total = root * (two * pi).sqrt() / 2 * (x / two.sqrt()).erfc() + value / 2
    previous, current = ball(1), x  # He_0, He_1
    for k in range(1, _CORRECTIONS + 1):
        # The derivative of order 2k - 1 is -s**(-(2k-1)/2) He_(2k-1)(x) f, and it enters with -B_(2k)/(2k)!.
        total += Ball.bernoulli(2 * k) / Ball.fac_ui(2 * k) * current * value / root ** (2 * k - 1)
        for order in (2 * k - 1, 2 * k):
            previous, current = current, x * current - order * previous
    p = _CORRECTIONS
    spread = root * pi.sqrt() * (x / 2).erfc()
    integral = ball(Fraction(109, 100)) * Ball.fac_ui(2 * p).sqrt() / root ** (2 * p) * spread
    remainder = 4 / (2 * pi) ** (2 * p) * integral
    return total + hull(-remainder, remainder)


def gaussian_moment(variance: Fraction, power: int) -> Ball:
    """The mean of z**power under the discrete Gaussian of this variance parameter.

    >>> from tacit.exact import upper
    >>> float(upper(gaussian_moment(Fraction(100), 2)))
    100.0...

    Claim:      the ball holds the exact moment.
    Because:    odd moments vanish.  For a small variance the sum is taken term by term; for a large one Poisson's
                formula makes it that of the continuous law plus terms He_n(2 pi k sigma) exp(-2 (pi k sigma)**2), which
                Cramer's inequality |He_n(u)| exp(-u**2/4) <= 1.09 sqrt(n!) bounds by a geometric series.
    Checked by: tests/unit/accounting/test_moments.py
    """
    if power % 2:
        return ball(0)
    weigh = _alike if variance >= _ALIKE else _sum_powers
    return weigh(variance, power) / weigh(variance, 0)


def _alike(variance: Fraction, power: int) -> Ball:
    """The sum of z**power exp(-z**2 / (2 variance)), up to the factor sqrt(2 pi variance), by Poisson's formula."""
    double = Ball.fac_ui(power) / (Ball.fac_ui(power // 2) * ball(2) ** (power // 2))
    small = (-(Ball.pi() ** 2) * ball(variance)).exp()
    error = 2 * ball(Fraction(109, 100)) * Ball.fac_ui(power).sqrt() * small / (1 - small)
    return ball(variance) ** (power // 2) * (double + hull(-error, error))


def _sum_powers(variance: Fraction, power: int) -> Ball:
    """The same sum term by term, without that factor; what follows is less than the last term, and added as a ball."""
    rate, total, z = ball(1 / (2 * variance)), ball(0 if power else 1), 0
    while True:
        z += 1
        term = 2 * ball(z) ** power * (-rate * z**2).exp()
        ratio = ball(Fraction(z + 1, z)) ** power * (-rate * (2 * z + 1)).exp()
        total += term
        if 2 * ratio < 1 and term < total * ball(2) ** -(precision() + 8):
            return total + hull(ball(0), term)
