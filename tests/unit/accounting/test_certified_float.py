"""Figures: floats on the safe side."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from tacit.accounting import Figure, total
from tacit.privacy import GaussianLoss


@given(st.fractions())
def test_a_loss_is_shown_rounded_up_and_a_protection_rounded_down(exact):
    up, down = Figure.above(exact, "x"), Figure.below(exact, "x")
    assert Fraction(down) <= exact <= Fraction(up)
    assert Fraction(up) - Fraction(down) <= abs(exact) / 2**51 + Fraction(1, 2**1000)
    assert (up.by, up.certified) == ("x", exact)


def test_a_figure_is_a_float():
    figure = total(GaussianLoss(1)).epsilon(1e-6)
    assert isinstance(figure, float)
    assert figure * 2 == float(figure) * 2
    assert repr(figure) == repr(float(figure))
