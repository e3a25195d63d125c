"""Certified functions against another arithmetic, and their precision under threads.

The other arithmetic is Python's `decimal`: its exp and ln are correctly rounded, and erfc is summed here by its series.
"""

import math
import threading
from decimal import Context, Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import InvalidInput
from tacit.exact import (
    Ball,
    ball,
    erfc,
    exp,
    floor_of,
    gaussian_tail,
    hull,
    infinite,
    log,
    lower,
    normal_quantile,
    pi,
    precision,
    sqrt,
    upper,
    working,
)

PRECISIONS = [53, 128, 300]
few = settings(max_examples=40)
numbers = st.fractions(-200, 200, max_denominator=10**9)
positive = st.fractions(Fraction(1, 10**9), 10**9, max_denominator=10**9)


def wide(digits: int = 160) -> Context:
    return Context(prec=digits, Emin=-(10**15), Emax=10**15)


def decimal(number: Fraction, context: Context) -> Decimal:
    return context.divide(Decimal(number.numerator), Decimal(number.denominator))


def ideal_pi(context: Context) -> Decimal:
    """Machin: 16 arctan(1/5) - 4 arctan(1/239)."""

    def arctan_of_one_over(n: int) -> Decimal:
        total, power, k = Decimal(0), context.divide(Decimal(1), Decimal(n)), 0
        while power.adjusted() > -context.prec - 5:
            total = context.add(total, context.divide(power, Decimal(2 * k + 1) * (-1) ** k))
            power, k = context.divide(power, Decimal(n * n)), k + 1
        return total

    return context.subtract(
        context.multiply(Decimal(16), arctan_of_one_over(5)),
        context.multiply(Decimal(4), arctan_of_one_over(239)),
    )


def ideal_erfc(x: Fraction, digits: int = 60) -> Fraction:
    """1 - erf(x) by the series of erf, with digits enough for its largest terms and for what cancels."""
    context = wide(digits + 20 + int(1.8 * float(x) ** 2))
    x_squared = decimal(x * x, context)
    total, power, n = Decimal(0), decimal(x, context), 0
    while n < 10 or (power and power.adjusted() > -context.prec):
        total = context.add(total, context.divide(power, Decimal(2 * n + 1)))
        n += 1
        power = context.divide(context.multiply(context.minus(power), x_squared), Decimal(n))
    root = context.sqrt(ideal_pi(context))
    return 1 - Fraction(context.divide(context.multiply(Decimal(2), total), root))


def holds(enclosed: Ball, ideal: Fraction, bits: int) -> None:
    """The ball holds the ideal, up to the ideal's own last digits, and is as narrow as its precision promises."""
    slack = abs(ideal) / 10**50 if bits <= 140 else abs(ideal) / 10**110
    assert lower(enclosed) - slack <= ideal <= upper(enclosed) + slack
    assert upper(enclosed) - lower(enclosed) <= abs(ideal) * Fraction(1, 1 << bits - 24)


@pytest.mark.parametrize("bits", PRECISIONS)
@few
@given(number=numbers)
def test_the_exponential_is_enclosed(bits, number):
    holds(exp(number, bits), Fraction(wide().exp(decimal(number, wide(200)))), bits)


@pytest.mark.parametrize("bits", PRECISIONS)
@few
@given(number=positive)
def test_the_logarithm_is_enclosed(bits, number):
    if number != 1:
        ideal = Fraction(wide().ln(decimal(number, wide(200))))
        # what cancels near 1 widens the ball
        near_one = max(0, -math.frexp(float(abs(number - 1)))[1])
        holds(log(number, bits + near_one), ideal, bits)


def test_exact_values_are_exact():
    assert upper(exp(0)) == lower(exp(0)) == 1
    assert upper(log(1)) == lower(log(1)) == 0
    assert upper(erfc(0)) == lower(erfc(0)) == 1
    assert upper(sqrt(Fraction(9, 4))) == lower(sqrt(Fraction(9, 4))) == Fraction(3, 2)


@pytest.mark.parametrize("bits", PRECISIONS)
@few
@given(number=positive)
def test_the_square_root_is_enclosed(bits, number):
    root = sqrt(number, bits)
    assert lower(root) ** 2 <= number <= upper(root) ** 2
    assert upper(root) - lower(root) <= upper(root) * Fraction(1, 1 << bits - 8)


def test_pi_is_enclosed():
    holds(pi(300), Fraction(ideal_pi(wide())), 300)


@few
@given(number=st.fractions(-6, 12, max_denominator=10**6))
def test_the_complementary_error_function_is_enclosed(number):
    holds(erfc(number), ideal_erfc(number), 128)


@pytest.mark.parametrize("number", [Fraction(0), Fraction(1, 2), Fraction(20), Fraction(30)])
def test_the_complementary_error_function_keeps_its_digits_in_the_tail(number):
    holds(erfc(number), ideal_erfc(number), 128)


@few
@given(probability=st.fractions(0, 1, max_denominator=10**12).filter(lambda p: 0 < p < 1))
def test_the_normal_quantile_is_enclosed(probability):
    """The distribution function, by the other arithmetic, is at most p at the lower end and at least p at the upper."""
    point = normal_quantile(probability)
    root = Fraction(wide().sqrt(Decimal(2)))
    low, high = (
        ideal_erfc(-round_to_digits(end / root)) / 2 for end in (lower(point), upper(point))
    )
    slack = Fraction(1, 10**33)
    assert low - slack <= probability <= high + slack
    assert upper(point) - lower(point) < Fraction(1, 1 << 80)


def round_to_digits(number: Fraction) -> Fraction:
    return Fraction(wide(60).divide(Decimal(number.numerator), Decimal(number.denominator)))


def test_known_quantiles():
    assert float(upper(normal_quantile(Fraction(39, 40)))) == 1.959963984540054 + math.ulp(1.0)
    assert lower(normal_quantile(Fraction(1, 2))) <= 0 <= upper(normal_quantile(Fraction(1, 2)))
    assert float(lower(normal_quantile(Fraction(1, 10**9)))) == pytest.approx(
        -5.997807015007773, rel=1e-15
    )


@pytest.mark.parametrize("probability", [0, 1, -1, 2, Fraction(3, 2), Fraction(-1, 10**9)])
def test_a_quantile_needs_a_probability(probability):
    with pytest.raises(InvalidInput, match="strictly between"):
        normal_quantile(probability)


@pytest.mark.parametrize(
    "probability", [Fraction(1, 1 << 200), 1 - Fraction(1, 1 << 200)], ids=["left", "right"]
)
def test_a_quantile_far_in_either_tail_is_found(probability):
    assert 16 < abs(float(upper(normal_quantile(probability)))) < 17


# ---------------------------------------------------------------- ends of balls


@few
@given(st.fractions(-1000, 1000), st.integers(4, 400))
def test_a_ball_holds_its_rational_and_its_ends_are_exact_at_any_precision(number, bits):
    with working(bits):
        around = ball(number)
        ends = lower(around), upper(around)
    assert ends[0] <= number <= ends[1]
    assert ends[1] - ends[0] <= abs(number) * Fraction(4, 1 << bits)
    with working(2):
        assert (lower(around), upper(around)) == ends


def test_the_ends_of_a_wide_ball_are_its_own():
    with working(300):
        seven = ball(Fraction(1, 7))
    both = hull(ball(0), seven)
    assert lower(both) <= 0
    assert upper(both) >= Fraction(1, 7)
    assert lower(hull(ball(-1), ball(5))) <= -1
    assert upper(hull(ball(5), ball(-1))) >= 5


@pytest.mark.parametrize(
    "nothing", [infinite(), -infinite(), log(0), log(-1), sqrt(-1), exp(1 << 40) * 1]
)
def test_a_ball_without_a_bound_is_refused(nothing):
    for end in (upper, lower):
        with pytest.raises(InvalidInput, match="no finite bound"):
            end(nothing)


def test_what_is_too_small_for_a_rational_is_rounded_outwards():
    tiny, finest = exp(-(1 << 40)), Fraction(1, 1 << 131070)
    for number in (tiny, -tiny):
        assert -finest <= lower(number) < 0 < upper(number) <= finest
    assert upper(1 + tiny) - 1 < Fraction(1, 1 << 50)


# ---------------------------------------------------------------- floors


@few
@given(st.fractions(0, 50, max_denominator=1000).filter(bool), st.integers(0, 500))
def test_a_floor_is_exact(number, bits):
    ideal = Fraction(wide(300).exp(decimal(-number, wide(400))))

    def enclosed() -> Ball:
        return ball(-number).exp()  # anew at every precision

    assert floor_of(enclosed, bits) == math.floor(ideal * 2**bits)


def test_a_floor_close_to_an_integer_is_refined_until_it_is_certain():
    """1 - exp(-700) lies 2**-1009 below one: at 64 and at 128 bits it looks like one."""
    seen = []

    def nearly_one() -> Ball:
        seen.append(precision())
        return 1 - (-ball(700)).exp()

    assert floor_of(nearly_one, 0) == 0
    assert floor_of(nearly_one, 64) == (1 << 64) - 1
    assert max(seen) > 1000


def test_a_floor_of_a_value_just_above_an_integer_is_that_integer():
    assert floor_of(lambda: 1 + (-ball(700)).exp(), 64) == 1 << 64


def test_floors_do_not_depend_on_the_precision_around_them():
    floors = set()
    for bits in (2, 53, 1000):
        with working(bits):
            floors.add(floor_of(lambda: ball(-1).exp(), 200))
    assert len(floors) == 1


# ---------------------------------------------------------------- precision and threads


def test_the_precision_is_put_back_also_after_an_error():
    before = precision()
    with working(77), working(99):
        assert precision() == 99
    with pytest.raises(RuntimeError), working(77):
        raise RuntimeError
    assert precision() == before


def results() -> tuple[str, ...]:
    """Certified values that name their own precision, as exact texts."""
    with working(200):
        tail = gaussian_tail(Fraction(10), 3) + exp(Fraction(1, 3), 200)
    values = (exp(1), log(3), sqrt(2), pi(), erfc(2), normal_quantile(Fraction(1, 3)), tail)
    return (
        *(f"{lower(value)} {upper(value)}" for value in values),
        str(floor_of(lambda: ball(Fraction(-1, 7)).exp(), 256)),
    )


def test_a_thread_that_changes_the_precision_does_not_change_the_results_of_another():
    alone = results()
    stop = threading.Event()

    def meddle(bits: int) -> None:
        while not stop.is_set():
            with working(bits):
                exp(1, bits)

    threads = [threading.Thread(target=meddle, args=(bits,)) for bits in (2, 17, 4000)]
    for thread in threads:
        thread.start()
    try:
        assert {results() for _ in range(100)} == {alone}
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_a_thread_waits_for_the_precision_of_another_to_be_put_back():
    inside, enough, seen = threading.Event(), threading.Event(), []

    def hold() -> None:
        with working(10):
            inside.set()
            enough.wait(20)

    def compute() -> None:
        seen.append(exp(1))

    holder, computer = threading.Thread(target=hold), threading.Thread(target=compute)
    holder.start()
    inside.wait()
    computer.start()
    computer.join(0.1)
    assert not seen
    enough.set()
    holder.join()
    computer.join()
    assert upper(seen[0]) - lower(seen[0]) < Fraction(1, 1 << 120)
