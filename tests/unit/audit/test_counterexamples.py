"""Mechanisms that publish rows although their total variation, or delta, is small."""

from fractions import Fraction

import pytest

from tacit.audit import name_and_shame, one_random_row, verify
from tacit.errors import InvalidInput, NotPrivate
from tacit.privacy import Neighbours

NAMES = ("Ann", "Bob", "Cy")


@pytest.mark.parametrize("neighbours", list(Neighbours))
@pytest.mark.parametrize("delta", [Fraction(1, 6), Fraction(1, 100), Fraction(0), Fraction(1)])
def test_name_and_shame_is_zero_delta_private_and_nothing_better(neighbours, delta):
    report = verify(name_and_shame(delta), NAMES, 3, neighbours)
    assert report.total_variation() == delta
    assert report.holds(epsilon=0, delta=delta)
    if delta:
        assert not report.holds(epsilon=1000, delta=delta * Fraction(99, 100))
        assert report.worst().under_x == delta
        with pytest.raises(NotPrivate):
            report.epsilon(delta * Fraction(99, 100))
    assert report.ratio(delta) == 1


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_one_random_row_is_within_one_nth_and_reveals_a_row(size):
    report = verify(one_random_row, NAMES, size, Neighbours.REPLACE)
    assert report.total_variation() == Fraction(1, size)
    with pytest.raises(NotPrivate):
        report.ratio()
    assert all(
        set(one_random_row(rows)) <= set(rows) for rows in (("Ann",) * size, ("Bob",) * size)
    )


def test_what_cannot_run_is_refused():
    with pytest.raises(InvalidInput, match="delta"):
        name_and_shame(Fraction(3, 2))
    with pytest.raises(InvalidInput, match="rows"):
        one_random_row(())
