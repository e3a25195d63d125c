"""The ranges of sines and their like, against values within them, at their turning points and next to their poles."""

from fractions import Fraction
from math import inf, nextafter, pi

import pytest

from tacit.plan import ANGLES, MEANINGS, Function
from tacit.plan.semantics.angles import PI, angle_range, range_of_two
from tacit.plan.semantics.ranges import Range

F = Function
ENDS = [
    *(-1e12, -1e6, -100.0, -7.0, -4.0, -pi, -3.0, -pi / 2, -1.0000001, -1.0, -0.5, -1e-9, -5e-324),
    *(0.0, 5e-324, 1e-9, 0.3, 0.5, 1.0, 1.0000001, 1.5, pi / 2, nextafter(pi / 2, 0), 2.0, pi, 4.0),
    *(3 * pi / 2, 5.0, 2 * pi, 7.0, 1e3, 1e6, 1e12, 1e300),
]


def within(low, high):
    """Numbers from one end to the other, both of them and every turning point between."""
    turns = [k * pi / 2 for k in range(-8, 9)]
    inside = [low + (high - low) * step / 7 for step in range(8)] if high - low < inf else []
    return [low, high, *(x for x in (*inside, *turns) if low <= x <= high)]


@pytest.mark.parametrize("function", sorted(ANGLES - {F.ATAN2}, key=str), ids=str)
def test_values_lie_in_the_range(function):
    """Every pair of ends; a range that is given is no wider than what all numbers have."""
    meaning, bounded = MEANINGS[function], 0
    for low in ENDS:
        for high in (end for end in ENDS if end >= low):
            found = angle_range(function, Range(Fraction(low), Fraction(high)))
            if found is None:
                continue
            bounded += 1
            values = [value for value in map(meaning, within(low, high)) if value is not None]
            assert all(found.low <= Fraction(value) <= found.high for value in values), (low, high)
            if function is not F.TAN:
                assert found.furthest <= (Fraction(1) if function in {F.SIN, F.COS} else 4)
    assert bounded > (20 if function is F.TAN else 400)


def test_a_tangent_has_no_bound_where_a_pole_may_be():
    for low, high in ((1, 2), (-2, -1), (0, 4), (4, 5), (PI / 2, PI / 2), (-1e13, -1e13 + 0.1)):
        assert angle_range(F.TAN, Range(Fraction(low), Fraction(high))) is None
    assert angle_range(F.TAN, None) is None
    # a degree away from it on both sides
    found = angle_range(F.TAN, Range(-PI * 89 / 180, PI * 89 / 180))
    assert float(found.high) == pytest.approx(57.28996163075943)
    assert float(angle_range(F.TAN, Range(Fraction(2), Fraction(4))).low) == pytest.approx(
        -2.185039863
    )


def test_a_range_is_as_narrow_as_the_angles():
    """What the distance between two places needs: of a few degrees, a sine is small."""
    found = angle_range(F.SIN, Range(Fraction(-1, 100), Fraction(1, 100)))
    assert float(found.high) == pytest.approx(0.009999833334166664)
    assert float(found.low) == pytest.approx(-0.009999833334166664)
    cosine = angle_range(F.COS, Range(Fraction(7, 10), Fraction(8, 10)))
    assert float(cosine.low) == pytest.approx(0.6967067093471654)
    assert float(cosine.high) == pytest.approx(0.7648421872844885)


def test_the_angle_of_a_point_lies_in_the_range_of_its_rectangle():
    meaning, ends, narrow = (
        MEANINGS[F.ATAN2],
        [-1e300, -2.0, -1.0, -0.0, 0.0, 1e-9, 1.0, 3.0, 1e9],
        0,
    )
    spans = [(low, high) for low in ends for high in ends if low <= high]
    for y in spans:
        for x in spans:
            found = range_of_two(*(Range(Fraction(low), Fraction(high)) for low, high in (y, x)))
            narrow += found.furthest < 3
            for side in (*y, sum(y) / 2):
                for end in (*x, sum(x) / 2):
                    assert found.low <= Fraction(meaning(side, end)) <= found.high, (y, x)
    assert narrow > 200
    assert range_of_two(None, Range(Fraction(1), Fraction(2))).furthest > 3
