"""Pictures are drawn, with what they should show in them."""

from fractions import Fraction

import pytest

from tacit.accounting import pictures, total
from tacit.privacy import ApproximateLoss, GaussianLoss, LaplaceLoss, PureLoss

pytest.importorskip("matplotlib")
F = Fraction


def words(figure):
    return " | ".join(text.get_text() for axes in figure.axes for text in axes.texts)


def test_tradeoff_curves_name_their_losses():
    figure = pictures.tradeoff_curves(
        {"one": total(PureLoss(1)), "two": total(GaussianLoss(1))}, points=6
    )
    assert "one" in words(figure)
    assert "guessing" in words(figure)
    assert len(figure.axes[0].lines) == 3


def test_delta_curves_fall_to_what_can_fail():
    figure = pictures.delta_curves(
        {"a": total(LaplaceLoss(1)), "b": total(ApproximateLoss(1, F(1, 10**4)))}, points=8
    )
    assert min(figure.axes[0].lines[1].get_ydata()) == pytest.approx(1e-4)


def test_every_bound_has_a_line():
    figure = pictures.epsilon_by_queries(PureLoss(F(1, 10)), 1e-6, [1, 10, 100], "title")
    assert {"basic", "advanced", "optimal", "zCDP", "Renyi"} <= set(words(figure).split(" | "))
    assert figure.axes[0].get_title(loc="left") == "title"


def test_the_crossovers_are_marked():
    assert "from 13 on, zCDP is quieter" in words(pictures.pure_and_concentrated(3, 1e-6, most=30))
    assert "Gaussian is quieter" in words(pictures.laplace_and_gaussian(1, 1e-6, most=30))
    assert "quieter" not in words(pictures.laplace_and_gaussian(1, 1e-6, most=3))
