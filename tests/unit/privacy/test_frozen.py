"""What people type for the fields of a loss: every field of every constructor refuses what makes no sense."""

import re
from decimal import Decimal
from fractions import Fraction

import pytest

from tacit.errors import InvalidInput
from tacit.privacy import (
    ApproximateLoss,
    BoundedRangeLoss,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    FiniteLoss,
    GaussianLoss,
    LaplaceLoss,
    Neighbours,
    PureLoss,
    Subsampled,
    ZeroConcentratedLoss,
)

F = Fraction

NO_NUMBER = [
    float("nan"),
    float("inf"),
    -float("inf"),
    True,
    False,
    "1",
    None,
    1j,
    [1],
    Decimal("NaN"),
    Decimal("sNaN"),
]
TOO_LONG = [10**3000, F(1, 10**3000), Decimal("1e999999"), Decimal("1e-999999")]
NEGATIVE = [-1, -0.5, -1e-300, F(-1, 10**400), Decimal("-0.1")]
NO_COUNT = [1.0, 0.5, F(3, 2), Decimal(1), 2**62, 10**3000]
NO_RELATION = ["Replace", "", None, 1, True, Neighbours]

NOT = NO_NUMBER + NEGATIVE + TOO_LONG
# field: how a loss is made of it, what it cannot be, and the name under which it is refused
FIELDS = {
    "PureLoss epsilon": (PureLoss, NOT, "epsilon"),
    "BoundedRangeLoss epsilon": (BoundedRangeLoss, NOT, "epsilon"),
    "LaplaceLoss epsilon": (LaplaceLoss, NOT, "epsilon"),
    "GaussianLoss squared": (GaussianLoss, NOT, "squared"),
    "ApproximateLoss epsilon": (lambda bad: ApproximateLoss(bad, 0), NOT, "epsilon"),
    "ApproximateLoss failure": (
        lambda bad: ApproximateLoss(1, bad),
        [*NOT, 2, 1.0000001, F(3, 2)],
        "delta",
    ),
    "ZeroConcentratedLoss concentration": (ZeroConcentratedLoss, NOT, "rho"),
    "ZeroConcentratedLoss failure": (
        lambda bad: ZeroConcentratedLoss(1, bad),
        [*NOT, 2, 1.0000001],
        "delta",
    ),
    "DiscreteLaplaceLoss scale": (
        lambda bad: DiscreteLaplaceLoss(bad, 1),
        [*NOT, 0, 0.0, -0.0],
        "scale",
    ),
    "DiscreteGaussianLoss variance": (
        lambda bad: DiscreteGaussianLoss(bad, 1),
        [*NOT, 0, 0.0, -0.0],
        "variance",
    ),
    "DiscreteLaplaceLoss distance": (
        lambda bad: DiscreteLaplaceLoss(1, bad),
        NOT + NO_COUNT,
        "distance",
    ),
    "DiscreteGaussianLoss distance": (
        lambda bad: DiscreteGaussianLoss(1, bad),
        NOT + NO_COUNT,
        "distance",
    ),
    "Subsampled rate": (lambda bad: Subsampled(PureLoss(1), bad), [*NOT, 2, 1.0000001], "rate"),
    "PureLoss neighbours": (lambda bad: PureLoss(1, bad), NO_RELATION, "neighbours"),
    "BoundedRangeLoss neighbours": (
        lambda bad: BoundedRangeLoss(1, bad),
        NO_RELATION,
        "neighbours",
    ),
    "LaplaceLoss neighbours": (lambda bad: LaplaceLoss(1, bad), NO_RELATION, "neighbours"),
    "GaussianLoss neighbours": (lambda bad: GaussianLoss(1, bad), NO_RELATION, "neighbours"),
    "ApproximateLoss neighbours": (
        lambda bad: ApproximateLoss(1, 0, bad),
        NO_RELATION,
        "neighbours",
    ),
    "ZeroConcentratedLoss neighbours": (
        lambda bad: ZeroConcentratedLoss(1, 0, bad),
        NO_RELATION,
        "neighbours",
    ),
    "DiscreteLaplaceLoss neighbours": (
        lambda bad: DiscreteLaplaceLoss(1, 1, bad),
        NO_RELATION,
        "neighbours",
    ),
    "DiscreteGaussianLoss neighbours": (
        lambda bad: DiscreteGaussianLoss(1, 1, bad),
        NO_RELATION,
        "neighbours",
    ),
    "FiniteLoss neighbours": (lambda bad: FiniteLoss([1], [1], bad), NO_RELATION, "neighbours"),
}


@pytest.mark.parametrize("field", FIELDS)
def test_a_field_refuses_what_makes_no_sense_in_one_sentence_with_a_remedy(field):
    made, refused, name = FIELDS[field]
    for bad in refused:
        with pytest.raises(InvalidInput) as refusal:
            made(bad)
        assert refusal.value.name == name
        assert re.fullmatch(
            rf"{name} (cannot be .+|is missing); give [^;\n]+", str(refusal.value)
        ), str(refusal.value)
        assert len(str(refusal.value)) < 250


@pytest.mark.parametrize(
    "field", [field for field in FIELDS if FIELDS[field][1] is not NO_RELATION]
)
def test_a_field_takes_every_kind_of_number_that_makes_sense(field):
    made, _, _ = FIELDS[field]
    count = "distance" in field
    for good in (
        (1, 7, 10**9) if count else (1, F(1, 3), 0.25, Decimal("0.125"), 1e-300, F(1, 10**400))
    ):
        assert made(good) == made(good)
        assert hash(made(good)) == hash(made(good))


@pytest.mark.parametrize(
    "made", [PureLoss, BoundedRangeLoss, LaplaceLoss, GaussianLoss, ZeroConcentratedLoss]
)
def test_minus_zero_is_zero(made):
    assert made(-0.0) == made(0)
