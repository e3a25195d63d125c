"""Bad input: one class, one sentence with its remedy, and not one random word drawn."""

import re
from fractions import Fraction

import numpy as np
import pytest

from tacit.errors import InvalidInput, TacitError
from tacit.exact import (
    ball,
    below,
    bernoulli,
    bernoulli_exp,
    discrete_gaussian,
    discrete_laplace,
    erfc,
    exp,
    gaussian_tail,
    geometric,
    log,
    random_bits,
    sqrt,
    words,
)
from tests.together import together
from tests.unit.exact.wrong import NAN, NO_NUMBERS, NO_SIZES

pytestmark = pytest.mark.usefixtures("nothing_drawn")

# A sampler, a good parameter, and parameters out of its own range.
SAMPLERS = {
    "below": (below, 10, [0, -1, 0.5, 10.0, Fraction(10), 1 << 8192]),
    "bernoulli": (
        bernoulli,
        Fraction(1, 2),
        [-1, 2, 1.0000000000000002, Fraction(-1, 10**9), -0.1],
    ),
    "bernoulli_exp": (bernoulli_exp, 1, [-1, -1e-9, (1 << 40) + 1, 1e300]),
    "geometric": (
        geometric,
        3,
        [0, -1, 0.0, -0.0, Fraction(1, 1001), 0.000999, (1 << 1024) + 1, 5e-324],
    ),
    "discrete_laplace": (
        discrete_laplace,
        3,
        [0, -1, 0.0, -0.0, Fraction(1, 1001), 0.000999, (1 << 1024) + 1, -(2**54)],
    ),
    "discrete_gaussian": (
        discrete_gaussian,
        3,
        [0, -1, 0.0, -0.0, Fraction(1, 10**6 + 1), (1 << 2048) + 1, 5e-324],
    ),
}
every_sampler = pytest.mark.parametrize("name", SAMPLERS)


def refusal(call, *arguments):
    """The refusal that a call ends in, after a look at how it is put."""
    with pytest.raises(InvalidInput) as caught:
        call(*arguments)
    message = str(caught.value)
    assert isinstance(caught.value, TacitError)
    assert isinstance(caught.value, ValueError)
    wrong = "is missing" if caught.value.given == "missing" else f"cannot be {caught.value.given}"
    assert message == f"{caught.value.name} {wrong}; {caught.value.remedy}"
    assert re.match(r"(give|choose|it has)\b", caught.value.remedy)
    assert "\n" not in message
    assert len(message) < 250
    return caught.value


@together
@every_sampler
@pytest.mark.parametrize("wrong", NO_NUMBERS.values(), ids=NO_NUMBERS)
@pytest.mark.parametrize("size", [None, 3])
def test_what_is_no_number_is_refused(name, wrong, size):
    sampler, _, _ = SAMPLERS[name]
    assert refusal(sampler, wrong, size).name in {
        "bound",
        "probability",
        "exponent",
        "scale",
        "variance",
    }


@every_sampler
def test_what_is_out_of_range_is_refused(name):
    sampler, _, out_of_range = SAMPLERS[name]
    for wrong in out_of_range:
        refusal(sampler, wrong)
        refusal(sampler, wrong, 3)


@together
@every_sampler
@pytest.mark.parametrize("size", NO_SIZES.values(), ids=NO_SIZES)
def test_a_wrong_size_is_refused(name, size):
    sampler, good, _ = SAMPLERS[name]
    assert refusal(sampler, good, size).name == "size"


@pytest.mark.parametrize("count", [*NO_SIZES.values(), None], ids=[*NO_SIZES, "none"])
def test_a_wrong_number_of_words_is_refused(count):
    refusal(words, count)


def test_a_wrong_parameter_is_named_before_a_wrong_size():
    assert refusal(discrete_laplace, NAN, -1).name == "scale"


@pytest.mark.parametrize("count", [-5, "3", None, True, 0.5, NAN])
def test_a_wrong_number_of_bits_is_refused(count):
    refusal(random_bits, count)


@together
@pytest.mark.parametrize(
    "wrong",
    ["1/3", True, NAN, float("inf"), None, np.array([1])],
    ids=["text", "bool", "nan", "infinity", "none", "array"],
)
@pytest.mark.parametrize("function", [ball, exp, log, sqrt, erfc])
def test_what_is_no_rational_has_no_ball(function, wrong):
    refusal(function, wrong)


@pytest.mark.parametrize("variance", [Fraction(0), Fraction(-1)])
def test_a_tail_needs_a_positive_variance(variance):
    refusal(gaussian_tail, variance, 1)
