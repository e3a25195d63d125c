"""What is refused, and that nothing is drawn, computed or told before it is."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from tacit.errors import InvalidData, InvalidInput, TacitError
from tacit.mechanisms import (
    Gaussian,
    Laplace,
    RandomizedResponse,
    analytic_gaussian_sigma,
    clamp,
    classical_gaussian_sigma,
    crossover,
    error_of_mean,
    error_of_response,
    gaussian_bound,
    laplace_bound,
    people_for_mean,
    people_for_response,
    round_to,
)
from tacit.privacy import Norm, Sensitivity
from tests.together import together
from tests.unit.exact.wrong import NO_NUMBERS

F = Fraction
pytestmark = pytest.mark.usefixtures("nothing_drawn")

EPSILON = [0, -1, -0.0, F(-1, 3), Decimal("-1e-9")]
DELTA = [0, 1, -1e-9, 2, 1.0]
SENSITIVITY = [0, -1, F(-1, 2)]
# Each place where a number is taken, and what it refuses beyond what no place takes.
NUMBERS = {
    "Laplace scale": (Laplace, [0, -1, F(1, 1001), 2**1024 + 1, 5e-324]),
    "Laplace grid": (lambda bad: Laplace(1, grid=bad), [0, -1, 3, 0.1, F(3, 4)]),
    "Laplace epsilon": (lambda bad: Laplace.calibrate(bad, 1), EPSILON),
    "Laplace sensitivity": (lambda bad: Laplace.calibrate(1, bad), SENSITIVITY),
    "Laplace calibrated grid": (lambda bad: Laplace.calibrate(1, 1, grid=bad), [0, 3]),
    "Laplace wanted error": (lambda bad: Laplace.within(bad, 0.9), [-1, -0.5]),
    "Laplace wanted confidence": (lambda bad: Laplace.within(9, bad), [0, 1, -1, 1.5]),
    "Laplace confidence": (lambda bad: Laplace(1).error(bad), [0, 1, -1, 1.5, 1.0]),
    "Laplace loss": (lambda bad: Laplace(1).loss(bad), SENSITIVITY),
    "Gaussian sigma": (Gaussian, [0, -1, F(1, 1001), 2**1024 + 1]),
    "Gaussian grid": (lambda bad: Gaussian(1, grid=bad), [0, -2, 6, 0.3]),
    "Gaussian epsilon": (lambda bad: Gaussian.calibrate(bad, 1e-6, 1), EPSILON),
    "Gaussian delta": (lambda bad: Gaussian.calibrate(1, bad, 1), DELTA),
    "Gaussian sensitivity": (lambda bad: Gaussian.calibrate(1, 1e-6, bad), SENSITIVITY),
    "Gaussian wanted error": (lambda bad: Gaussian.within(bad, 0.9), [-1, F(-1, 9)]),
    "Gaussian wanted confidence": (lambda bad: Gaussian.within(9, bad), [0, 1]),
    "Gaussian confidence": (lambda bad: Gaussian(1).error(bad), [0, 1, 2]),
    "Gaussian loss": (lambda bad: Gaussian(1).loss(bad), SENSITIVITY),
    "response epsilon": (RandomizedResponse, [*EPSILON, 1025, F(1, 2**41)]),
    "response truth": (RandomizedResponse.telling, [0, 1, F(1, 2), F(1, 3), 1.5]),
    "response truth of five": (
        lambda bad: RandomizedResponse.telling(bad, categories=5),
        [F(1, 5), F(1, 6)],
    ),
    "response gamma": (RandomizedResponse.half_plus, [0, F(1, 2), -0.1, 0.6]),
    "response confidence": (lambda bad: RandomizedResponse(1).error(bad), [0, 1]),
    "response loss": (lambda bad: RandomizedResponse(1).loss(bad), [*SENSITIVITY, F(1, 2)]),
    "analytic epsilon": (lambda bad: analytic_gaussian_sigma(bad, 1e-6, 1), EPSILON),
    "analytic delta": (lambda bad: analytic_gaussian_sigma(1, bad, 1), DELTA),
    "analytic sensitivity": (lambda bad: analytic_gaussian_sigma(1, 1e-6, bad), SENSITIVITY),
    "classical epsilon": (lambda bad: classical_gaussian_sigma(bad, 1e-6, 1), [*EPSILON, 1, 1.5]),
    "classical delta": (lambda bad: classical_gaussian_sigma(0.5, bad, 1), DELTA),
    "classical sensitivity": (lambda bad: classical_gaussian_sigma(0.5, 1e-6, bad), SENSITIVITY),
    "laplace bound sensitivity": (lambda bad: laplace_bound(bad, 1, 0.1), SENSITIVITY),
    "laplace bound epsilon": (lambda bad: laplace_bound(1, bad, 0.1), EPSILON),
    "laplace bound beta": (lambda bad: laplace_bound(1, 1, bad), DELTA),
    "gaussian bound epsilon": (lambda bad: gaussian_bound(1, bad, 1e-6, 0.1), [*EPSILON, 1]),
    "gaussian bound delta": (lambda bad: gaussian_bound(1, 0.5, bad, 0.1), DELTA),
    "gaussian bound beta": (lambda bad: gaussian_bound(1, 0.5, 1e-6, bad), DELTA),
    "crossover epsilon": (lambda bad: crossover(bad, 1e-6, 0.1), [*EPSILON, 1]),
    "crossover delta": (lambda bad: crossover(0.5, bad, 0.1), DELTA),
    "crossover beta": (lambda bad: crossover(0.5, 1e-6, bad), DELTA),
    "mean alpha": (lambda bad: people_for_mean(bad, 1, 0.9), [0, -1]),
    "mean epsilon": (lambda bad: people_for_mean(0.1, bad, 0.9), EPSILON),
    "mean confidence": (lambda bad: people_for_mean(0.1, 1, bad), [0, 1]),
    "share alpha": (lambda bad: people_for_response(bad, 1, 0.9), [0, -1]),
    "share epsilon": (lambda bad: people_for_response(0.1, bad, 0.9), EPSILON),
    "share confidence": (lambda bad: people_for_response(0.1, 1, bad), [0, 1]),
    "error of mean confidence": (lambda bad: error_of_mean(10, 1, bad), [0, 1]),
    "error of share epsilon": (lambda bad: error_of_response(10, bad, 0.9), EPSILON),
    "low limit": (lambda bad: clamp(1, low=bad), []),
    "high limit": (lambda bad: clamp(np.array([1]), high=bad), []),
    "multiple": (lambda bad: round_to(1, to=bad), [0, -1, 1.0, 2**53 + 1]),
}
# None is an answer
OPTIONAL = {"Laplace grid", "Laplace calibrated grid", "Gaussian grid", "low limit", "high limit"}
COUNTS = {
    "times": lambda bad: Laplace(1).release(1, times=bad),
    "Gaussian times": lambda bad: Gaussian(1).release(1, times=bad),
    "response times": lambda bad: RandomizedResponse(1).release(1, times=bad),
    "answers": lambda bad: Laplace(1).error(0.9, answers=bad),
    "Gaussian answers": lambda bad: Gaussian(1).error(0.9, answers=bad),
    "response answers": lambda bad: RandomizedResponse(1).error(0.9, answers=bad),
    "answers within": lambda bad: Laplace.within(9, 0.9, answers=bad),
    "categories": lambda bad: RandomizedResponse(1, categories=bad),
    "categories told": lambda bad: RandomizedResponse.telling(0.9, categories=bad),
    "holders": lambda bad: RandomizedResponse(1).reports_law(bad, 1),
    "others": lambda bad: RandomizedResponse(1).reports_law(1, bad),
    "people": lambda bad: error_of_mean(bad, 1, 0.9),
    "responding people": lambda bad: error_of_response(bad, 1, 0.9),
    "answers bound": lambda bad: laplace_bound(1, 1, 0.1, answers=bad),
}
NO_COUNTS = [
    -1,
    -(10**5000),
    True,
    False,
    np.True_,
    3.0,
    0.5,
    float("nan"),
    "3",
    F(3),
    [3],
    1 << 63,
    10**5000,
]
POSITIVE = {name for name in COUNTS if "times" not in name and name not in {"holders", "others"}}


def is_a_sentence_with_a_remedy(error):
    """One line, one semicolon at least: what is wrong; how to mend it."""
    text = str(error)
    wrong, _, remedy = text.partition("; ")
    assert wrong
    assert remedy
    assert "\n" not in text
    assert len(text) < 300
    return True


@together
@pytest.mark.parametrize("place", NUMBERS)
def test_what_is_no_number_or_out_of_range_is_refused(place):
    call, more = NUMBERS[place]
    wrong = [
        number for name, number in NO_NUMBERS.items() if not (name == "none" and place in OPTIONAL)
    ]
    for bad in [*wrong, *more]:
        with pytest.raises(InvalidInput) as caught:
            call(bad)
        assert is_a_sentence_with_a_remedy(caught.value)
        assert caught.value.name
        assert caught.value.remedy


@pytest.mark.parametrize("place", COUNTS)
def test_what_is_no_count_is_refused(place):
    for bad in [*NO_COUNTS, *([0] if place in POSITIVE else [])]:
        with pytest.raises(InvalidInput) as caught:
            COUNTS[place](bad)
        assert is_a_sentence_with_a_remedy(caught.value)


def test_more_copies_than_memory_holds_are_refused():
    for mechanism in (Laplace(1), Gaussian(1), RandomizedResponse(1)):
        with pytest.raises(InvalidInput, match="times"):
            mechanism.release(1, times=2**30 + 1)


@pytest.mark.parametrize("categories", [0, 1, -1, 2**32 + 1, 2.0, True])
def test_a_wrong_number_of_categories_is_refused(categories):
    with pytest.raises(InvalidInput, match="categories"):
        RandomizedResponse(1, categories=categories)


def test_the_classical_formulas_refuse_epsilon_of_one_and_more_and_say_what_to_use():
    for call in (
        lambda: classical_gaussian_sigma(1, 1e-6, 1),
        lambda: gaussian_bound(1, 1, 1e-6, 0.1),
        lambda: crossover(2, 1e-6, 0.1),
    ):
        with pytest.raises(InvalidInput, match=r"Gaussian\.calibrate"):
            call()


def test_limits_the_wrong_way_round_are_refused():
    with pytest.raises(InvalidInput, match="high"):
        clamp(1, low=2, high=1)
    with pytest.raises(InvalidInput, match="high"):
        Laplace(1).distribution(0).clamp_law(3, 3)


@pytest.mark.parametrize("norm", [Norm.L2, Norm.LINF])
def test_reports_are_counted_and_not_measured(norm):
    with pytest.raises(InvalidInput, match="reports"):
        RandomizedResponse(1).loss(Sensitivity(1, norm))


def test_an_outcome_is_a_whole_number_of_steps():
    law = Laplace(1, grid=F(1, 4)).distribution(1.0)
    for bad in (0.5, 1.0, True, "1", None, F(1, 2)):
        with pytest.raises(InvalidInput, match="steps"):
            law.probability(bad)
        with pytest.raises(InvalidInput, match="steps"):
            law.clamp_law(0, bad)


# ------------------------------------------------------------------------------- data

SECRET = 987654321
NO_DATA: dict[str, object] = {
    "none": None,
    "text": f"{SECRET}",
    "bytes": b"987654321",
    "complex": 987654321j,
    "set": {SECRET},
    "true": True,
    "numpy true": np.True_,
    "float": 987654321.0,
    "fraction": F(SECRET, 2),
    "decimal": Decimal(SECRET),
    "array of floats": np.array([987654321.0]),
    "array of halves": np.array([987654321.5], np.float32),
    "array of booleans": np.array([True]),
    "array of complex": np.array([987654321j]),
    "array of texts": np.array([f"{SECRET}"]),
    "array of times": np.array([SECRET], "M8[s]"),
    "array of objects": np.array([None, SECRET], dtype=object),
    "array of booleans as objects": np.array([True, SECRET], dtype=object),
    "array of nothing": np.array([np.nan]),
    "list of floats": [987654321.0],
    "list of texts": [f"{SECRET}"],
    "ragged list": [[SECRET], [SECRET, SECRET]],
    "list of nothing": [None],
    "nested table": {"a": {"b": SECRET}},
    "table of floats": {"b": 987654321.5, "a": SECRET},
    "record": np.zeros(2, dtype=[("a", np.int64)]),
}
NOT_ON_A_GRID: dict[str, object] = {
    "nan": float("nan"),
    "infinity": float("inf"),
    "array of nan": np.array([1.0, np.nan]),
    "array of infinity": np.array([987654321.0, -np.inf]),
    "list of nan": [987654321.0, float("nan")],
    "mixed list of nan": [SECRET, float("nan")],
    "table of nan": {"b": float("nan"), "a": 987654321.5},
}
REALS = {"float", "fraction", "array of floats", "array of halves", "list of floats"}
REALS |= {"table of floats", "array of nothing"}


def refused(call):
    with pytest.raises(InvalidData) as caught:
        call()
    assert is_a_sentence_with_a_remedy(caught.value)
    assert str(SECRET) not in str(caught.value)
    return str(caught.value)


@together
@pytest.mark.parametrize("kind", [Laplace, Gaussian])
@pytest.mark.parametrize("name", NO_DATA)
def test_data_that_are_not_integers_are_refused_without_being_named(kind, name):
    refused(lambda: kind(1).release(NO_DATA[name]))
    if name not in REALS:
        refused(lambda: kind(1, grid=1).release(NO_DATA[name]))


@pytest.mark.parametrize("kind", [Laplace, Gaussian])
@pytest.mark.parametrize("name", NOT_ON_A_GRID)
def test_numbers_that_have_no_place_on_a_grid_are_refused_without_being_named(kind, name):
    refused(lambda: kind(1, grid=1).release(NOT_ON_A_GRID[name]))
    refused(lambda: kind(1).release(NOT_ON_A_GRID[name]))


NO_ANSWERS = {
    name: value
    for name, value in NO_DATA.items()
    if "true" not in name and name != "array of booleans"
}
NO_ANSWERS |= {
    "too large": SECRET,
    "negative": -SECRET,
    "one too many": [0, 1, 2],
    "uint64": np.array([2**64 - SECRET]),
}
NO_ANSWERS |= {"vast": 2**63 + SECRET, "minus one": -1, "table": {"a": 1}}


@together
@pytest.mark.parametrize("name", NO_ANSWERS)
def test_answers_that_are_no_categories_are_refused_without_being_named(name):
    for mechanism in (RandomizedResponse(1), RandomizedResponse.two_coin()):
        refused(lambda m=mechanism: m.release(NO_ANSWERS[name]))
        refused(lambda m=mechanism: m.estimate(NO_ANSWERS[name]))
        refused(lambda m=mechanism: m.distribution(NO_ANSWERS[name]))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (F(4, 2), F(1, 2)),
        (3.0, 3.5),
        ([1.0, 2.0], [1.5, float("nan")]),
        (np.array([0.0]), np.array([7.5])),
        (np.array([None, 1], dtype=object), np.array([None, 10**30], dtype=object)),
        ({"a": 1.0}, {"a": 0.25}),
    ],
)
def test_what_is_refused_is_a_kind_and_not_a_value(one, other):
    """Neighbours get the same refusal, word for word: an integer that happens to be a Fraction is no exception."""
    for kind in (Laplace, Gaussian):
        assert refused(lambda k=kind: k(1).release(one)) == refused(
            lambda k=kind: k(1).release(other)
        )


def test_only_one_number_is_released_several_times_at_once():
    for mechanism in (Laplace(1), Gaussian(1), RandomizedResponse(1)):
        for several in (
            [0, 1],
            np.array([0, 1]),
            np.zeros((1, 1), np.int64),
            np.zeros(0, np.int64),
        ):
            refused(lambda m=mechanism, s=several: m.release(s, times=3))
    for mechanism in (Laplace(1), Gaussian(1)):
        refused(lambda m=mechanism: m.release({"a": 1}, times=3))


def test_a_law_is_that_of_one_number():
    for mechanism in (Laplace(1), Gaussian(1), RandomizedResponse(1)):
        for several in ([0, 1], [1], np.array([0, 1]), []):
            refused(lambda m=mechanism, s=several: m.distribution(s))


def test_no_reports_give_no_estimate():
    refused(lambda: RandomizedResponse(1).estimate([]))


def test_what_is_no_release_is_neither_clamped_nor_rounded():
    for wrong in (None, "1", [1, 2], {1}, True, np.array(["a"]), np.array([True]), {"a": None}, 1j):
        refused(lambda w=wrong: clamp(w, low=0))
        refused(lambda w=wrong: round_to(w, to=10))


def test_nothing_is_drawn_for_a_table_if_one_of_its_columns_is_wrong():
    refused(lambda: Laplace(1).release({"good": np.arange(10), "bad": np.array([0.5])}))


def test_parameters_that_no_arithmetic_can_carry_are_refused_too():
    vast = F(2) ** 8000
    for call in (
        lambda: Gaussian.calibrate(vast, 0.5, 1),
        lambda: Gaussian.calibrate(1 / vast, 1e-300, vast),
        lambda: Laplace.calibrate(1 / vast, vast),
        lambda: Laplace.calibrate(vast, 1),
        lambda: Laplace.within(vast, 0.9),
        lambda: Gaussian.within(vast, 0.9),
        lambda: Laplace.within(vast, 0.9, grid=1),
    ):
        with pytest.raises(TacitError):
            call()
