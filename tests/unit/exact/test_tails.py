"""The discrete Gaussian's sums against plain addition in another arithmetic."""

import signal
from decimal import Context, Decimal
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.exact import (
    Ball,
    gaussian_mass,
    gaussian_moment,
    gaussian_tail,
    lower,
    precision,
    tails,
    upper,
    working,
)
from tests.together import together

SUMS = Context(prec=90, Emin=-(10**15), Emax=10**15)


def ideal_mass(variance: Fraction, start: int) -> Fraction:
    """The sum of exp(-z**2 / (2 variance)) from z = start on, to about 80 digits of the sum."""
    rate = SUMS.divide(Decimal(-variance.denominator), Decimal(2 * variance.numerator))
    term = SUMS.exp(SUMS.multiply(rate, Decimal(start**2)))
    ratio, square = (
        SUMS.exp(SUMS.multiply(rate, Decimal(2 * start + 1))),
        SUMS.exp(SUMS.multiply(rate, Decimal(2))),
    )
    total, smallest = Decimal(0), term.adjusted() - 88
    while term.adjusted() > smallest:
        total, term, ratio = (
            SUMS.add(total, term),
            SUMS.multiply(term, ratio),
            SUMS.multiply(ratio, square),
        )
    return Fraction(total)


def ideal_tail(variance: Fraction, start: int) -> Fraction:
    if start <= 0:
        return 1 - ideal_tail(variance, 1 - start)
    return ideal_mass(variance, start) / (2 * ideal_mass(variance, 0) - 1)


def holds(enclosed: Ball, ideal: Fraction, bits: int) -> None:
    slack = ideal / 10**70
    assert lower(enclosed) - slack <= ideal <= upper(enclosed) + slack
    assert upper(enclosed) - lower(enclosed) <= ideal * Fraction(1, 1 << bits)


@together
@pytest.mark.parametrize(
    "variance",
    [
        Fraction(1, 1000),
        Fraction(1, 10),
        Fraction(9, 4),
        Fraction(100),
        *map(Fraction, (1023, 1024, 5000)),
    ],
)
@pytest.mark.parametrize("deviations", [-5, -1, 0, 1, 3, 8])
def test_a_tail_holds_the_plain_sum(variance, deviations):
    start = deviations * max(1, round(float(variance) ** 0.5))
    with working(128):
        holds(gaussian_tail(variance, start), ideal_tail(variance, start), 90)


@given(st.fractions(Fraction(1, 10), 300, max_denominator=1000), st.integers(-20, 40))
def test_every_tail_holds_the_plain_sum(variance, start):
    with working(128):
        holds(gaussian_tail(variance, start), ideal_tail(variance, start), 90)


@together
@pytest.mark.parametrize("start", [0, 1, 2, 31, 32, 33, 100, 250, 320])
@pytest.mark.parametrize(
    "variance", [Fraction(1024), Fraction(1025), Fraction(2048), Fraction(10**4)]
)
def test_the_smooth_sum_and_the_sum_of_terms_agree_where_one_takes_over(variance, start):
    with working(128):
        smooth, summed = tails._smooth(variance, start), tails._sum_terms(variance, start)
    ideal = ideal_mass(variance, start)
    holds(summed, ideal, 100)
    holds(smooth, ideal, 64)
    assert smooth.overlaps(summed)


def test_the_switch_is_where_the_smooth_sum_is_good():
    assert tails._SMOOTH == 1024
    with working(128):
        below, above = (
            gaussian_mass(Fraction(1024) - Fraction(1, 10**9), 5),
            gaussian_mass(Fraction(1024), 5),
        )
    assert lower(above) > upper(below)
    assert upper(above) - lower(below) < Fraction(1, 10**9)


@pytest.mark.parametrize("corrections", [1, 2, 3, 6])
def test_the_remainder_covers_what_fewer_corrections_leave_out(monkeypatch, corrections):
    """With few corrections the remainder is large, and must still hold the sum."""
    monkeypatch.setattr(tails, "_CORRECTIONS", corrections)
    for variance in (Fraction(1), Fraction(2), Fraction(5), Fraction(50)):
        for start in range(5):
            with working(128):
                rough = tails._smooth(variance, start)
            ideal = ideal_mass(variance, start)
            assert lower(rough) <= ideal <= upper(rough)


def test_tails_fall_and_are_symmetric():
    variance = Fraction(7, 3)
    with working(128):
        chances = [gaussian_tail(variance, start) for start in range(-8, 9)]
        assert all(later < earlier for earlier, later in pairwise(chances))
        for start in range(8):
            total = gaussian_tail(variance, start + 1) + gaussian_tail(variance, -start)
            assert lower(total) <= 1 <= upper(total)


def test_the_mass_from_zero_is_the_known_theta_sum():
    """Jacobi: the whole sum at variance s is sqrt(2 pi s) times that at 1 / (4 pi**2 s); at s = 1/(2 pi) they agree."""
    with working(128):
        whole = 2 * gaussian_mass(Fraction(10**6), 0) - 1
        assert upper(whole) - lower(whole) < Fraction(1, 1 << 80)
        # sqrt(2 pi 10**6), to which the whole sum is equal but for exp(-2 pi**2 10**6)
        assert (whole**2 - 2 * Ball.pi() * 10**6).contains(0)


@pytest.mark.parametrize(
    "variance", [Fraction(1, 10), Fraction(3), Fraction(31, 2), Fraction(16), Fraction(100)]
)
@pytest.mark.parametrize("power", [0, 1, 2, 4, 10])
def test_a_moment_holds_the_plain_sum(variance, power):
    rate = SUMS.divide(Decimal(-variance.denominator), Decimal(2 * variance.numerator))
    whole, moment = Decimal(1), Decimal(0 if power else 1)
    for z in range(1, 300):
        term = SUMS.multiply(Decimal(2), SUMS.exp(SUMS.multiply(rate, Decimal(z * z))))
        whole, moment = (
            SUMS.add(whole, term),
            SUMS.add(moment, SUMS.multiply(term, Decimal(z**power))),
        )
    ideal = Fraction(0) if power % 2 else Fraction(SUMS.divide(moment, whole))
    with working(128):
        found = gaussian_moment(variance, power)
    assert lower(found) - ideal / 10**70 <= ideal <= upper(found) + ideal / 10**70
    assert upper(found) - lower(found) <= ideal / 2**90


def test_results_are_kept_apart_by_precision():
    widths = []
    for bits in (30, 200, 30):
        with working(bits):
            mass = gaussian_mass(Fraction(17, 5), 2)
            assert precision() == bits
        widths.append(upper(mass) - lower(mass))
    assert widths[0] == widths[2] > widths[1]


def stop(*_: object) -> None:
    raise TimeoutError("the sum does not end")


@pytest.mark.parametrize(("variance", "start"), [(Fraction(1), 2**100), (Fraction(1, 10**30), 1)])
def test_a_tail_too_small_for_any_ball_is_found_all_the_same(variance, start):
    """A sum that ends takes milliseconds; the alarm is there for one that does not."""
    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, 1)  # of CPU: a busy machine is no reason
    try:
        with working(64):
            tail = gaussian_tail(variance, start)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    assert lower(tail) <= 0 <= upper(tail) < Fraction(1, 1 << 10_000)
