"""Every sampler against its exact law: Pearson's test at a million draws.

Each test has a false-alarm rate of 1e-9. Each is run a second time on draws whose scale is 2 % too large, and must
reject them; it fails to with a probability below 1e-9. What Pearson's test cannot see, a wrong 53rd bit, is the
business of tests/laws/test_sampler_law.py.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tacit.exact import (
    below,
    bernoulli,
    bernoulli_exp,
    discrete_gaussian,
    discrete_laplace,
    gaussian,
    gaussian_table,
    geometric,
    words,
)
from tests.statistics.chi_square import (
    FALSE_ALARM,
    Cells,
    chi_square_tail,
    coin_cells,
    gaussian_cells,
    geometric_cells,
    laplace_cells,
    p_value,
    uniform_cells,
)

DRAWS = 10**6
TOO_LARGE = Fraction(102, 100)


def wider(parameter: Fraction, times: int = 1) -> Fraction:
    """The parameter of a scale that is 2 % too large."""
    return parameter * TOO_LARGE**times


# A sampler, its parameter, the parameter of the planted error, the law of the former.
CASES: dict[str, tuple[Any, Any, Any, Any]] = {
    **{
        f"below-{bound}": (below, bound, bound * 102 // 100, uniform_cells)
        for bound in (50, 100, 1000, 10**6 + 3, 2**40)
    },
    **{
        f"bernoulli-{p.numerator}_{p.denominator}": (
            bernoulli,
            p,
            wider(p),
            lambda p: coin_cells(float(p)),
        )
        for p in (Fraction(1, 2), Fraction(1, 3), Fraction(9, 10))
    },
    **{
        f"bernoulli_exp-{float(x)}": (
            bernoulli_exp,
            x,
            wider(x),
            lambda x: coin_cells(math.exp(-x)),
        )
        for x in (Fraction(1, 2), Fraction(1), Fraction(3))
    },
    **{
        f"geometric-{float(scale):.3g}": (geometric, scale, wider(scale), geometric_cells)
        for scale in (
            Fraction(1, 3),
            Fraction(1),
            Fraction(10, 3),
            Fraction(1000),
            Fraction(10**6),
            Fraction(2**53),
        )
    },
    **{
        f"discrete_laplace-{float(scale):.3g}": (
            discrete_laplace,
            scale,
            wider(scale),
            laplace_cells,
        )
        for scale in (
            Fraction(1, 3),
            Fraction(1),
            Fraction(10, 3),
            Fraction(1000),
            Fraction(10**6),
            Fraction(2**53),
        )
    },
    **{
        f"discrete_gaussian-{float(variance):.3g}": (
            discrete_gaussian,
            variance,
            wider(variance, 2),
            gaussian_cells,
        )
        for variance in (
            Fraction(1, 4),
            *map(Fraction, (1, 8, 100, 127, 10**6, 10**8)),
            Fraction(10**11, 7),
        )
    },
}


@pytest.mark.parametrize("case", CASES)
def test_a_million_draws_follow_the_exact_law(case):
    sampler, parameter, _, law = CASES[case]
    assert law(parameter).p_value(sampler(parameter, DRAWS)) > FALSE_ALARM


@pytest.mark.parametrize("case", CASES)
def test_a_scale_two_per_cent_too_large_is_rejected(case):
    sampler, parameter, planted, law = CASES[case]
    assert law(parameter).p_value(sampler(planted, DRAWS)) < FALSE_ALARM


# Single draws cost a thousand times as much: twenty thousand of them, which find a scale that is 20 % too large.
SINGLE: dict[str, tuple[Any, Any, Any, Any]] = {
    "below": (below, 1000, 1200, uniform_cells),
    "bernoulli": (bernoulli, Fraction(1, 2), Fraction(6, 10), lambda p: coin_cells(float(p))),
    "bernoulli_exp": (
        bernoulli_exp,
        Fraction(1),
        Fraction(6, 5),
        lambda x: coin_cells(math.exp(-x)),
    ),
    "geometric": (geometric, Fraction(10, 3), Fraction(4), geometric_cells),
    "discrete_laplace": (discrete_laplace, Fraction(10, 3), Fraction(4), laplace_cells),
    "discrete_laplace-1000": (discrete_laplace, Fraction(1000), Fraction(1200), laplace_cells),
    "discrete_gaussian": (discrete_gaussian, Fraction(100), Fraction(144), gaussian_cells),
}


@pytest.mark.parametrize("case", SINGLE)
def test_single_draws_follow_the_exact_law(case):
    sampler, parameter, planted, law = SINGLE[case]
    drawn = np.array([sampler(parameter) for _ in range(20_000)])
    assert law(parameter).p_value(drawn) > FALSE_ALARM
    assert law(parameter).p_value(sampler(planted, 20_000)) < FALSE_ALARM


def cut(numbers: list[int], unit: int) -> np.ndarray:
    """Wide numbers in whole thousandths of their scale, rounded down, which Pearson's test can count."""
    return np.array([number * 1000 // unit for number in numbers], np.int64)


def test_wide_laplace_numbers_follow_the_law():
    """At scale 2**200, in thousandths of it; detects a scale that is 20 % too large."""
    drawn = cut(discrete_laplace(2**200, 20_000).tolist(), 2**200)
    law = continuous_cells(lambda x: math.exp(-abs(x)) / 2 if x > 0 else 1 - math.exp(-abs(x)) / 2)
    assert law.p_value(drawn) > FALSE_ALARM
    assert (
        law.p_value(cut(discrete_laplace(2**200 * 6 // 5, 20_000).tolist(), 2**200)) < FALSE_ALARM
    )


def test_wide_gaussian_numbers_follow_the_law():
    """At deviation 2**100; detects a deviation that is 20 % too large."""
    law = continuous_cells(lambda x: math.erfc(x / math.sqrt(2)) / 2)
    for variance, right in ((2**200, True), (2**200 * 36 // 25, False)):
        proposed, accepted = gaussian._propose(gaussian_table(Fraction(variance)), 12_000)
        drawn = cut(proposed[accepted].tolist(), 2**100)
        assert len(drawn) > 5000
        assert (law.p_value(drawn) > FALSE_ALARM) is right


def continuous_cells(at_least):
    """Cells of a quarter, in thousandths, for a law that is continuous but for 2**-100."""
    edges = np.arange(-8000, 8001, 250)
    tails = np.array([1.0, *(at_least(edge / 1000) for edge in edges), 0.0])
    return Cells(edges, tails[:-1] - tails[1:])


def test_the_bytes_of_a_million_words_are_uniform():
    drawn = words(DRAWS)
    uniform = np.full(256, 1 / 256)
    assert p_value(np.bincount(drawn.view(np.uint8), minlength=256), uniform) > FALSE_ALARM
    drawn[: DRAWS // 50] = 0  # two words in a hundred that are not random
    assert p_value(np.bincount(drawn.view(np.uint8), minlength=256), uniform) < FALSE_ALARM


def test_every_bit_of_a_word_is_fair():
    """64 tests, each at its share of the false-alarm rate; finds a bit that is 51 : 49."""
    drawn = words(DRAWS)
    for bit in range(64):
        ones = np.count_nonzero(drawn >> np.uint64(bit) & np.uint64(1))
        assert p_value(np.array([DRAWS - ones, ones]), np.array([0.5, 0.5])) > FALSE_ALARM / 64
    assert p_value(np.array([490_000, 510_000]), np.array([0.5, 0.5])) < FALSE_ALARM / 64


def clipped_law(weight):
    """The probabilities of -3 or less, -2, …, 2, 3 or more, from the weights of the integers."""
    weights = [weight(z) for z in range(-60, 61)]
    clipped = [sum(weights[:58]), *weights[58:63], sum(weights[63:])]
    return np.array(clipped) / sum(weights)


@pytest.mark.parametrize(
    ("sampler", "weight"),
    [
        (discrete_laplace, lambda z: math.exp(-abs(z))),
        (discrete_gaussian, lambda z: math.exp(-z * z / 2)),
    ],
)
@pytest.mark.parametrize("apart", [1, 2, 64])
def test_draws_are_independent_of_those_before(sampler, weight, apart):
    """Half a million pairs of draws at scale one, each cut to -3 … 3: 49 cells. Finds one copy in fifty."""
    drawn = np.clip(sampler(1, DRAWS), -3, 3) + 3
    pairs = drawn[: DRAWS // (2 * apart) * 2 * apart].reshape(-1, 2, apart)
    first, second = pairs[:, 0].ravel(), pairs[:, 1].ravel()
    law = np.outer(clipped_law(weight), clipped_law(weight)).ravel()
    assert p_value(np.bincount(7 * first + second, minlength=49), law) > FALSE_ALARM
    second[::50] = first[::50]
    assert p_value(np.bincount(7 * first + second, minlength=49), law) < FALSE_ALARM


def test_the_tail_of_chi_square_is_right():
    """Against the textbook: two degrees are exponential, one is the normal's two tails."""
    assert chi_square_tail(10, 2) == pytest.approx(math.exp(-5), rel=1e-12)
    assert chi_square_tail(36, 1) == pytest.approx(math.erfc(6 / math.sqrt(2)), rel=1e-12)
    assert chi_square_tail(0, 5) == 1
    assert chi_square_tail(18.307, 10) == pytest.approx(0.05, abs=1e-5)
