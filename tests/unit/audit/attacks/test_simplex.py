"""Linear programmes, against all corners of small ones."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tacit.audit.attacks.simplex import corner, least
from tacit.errors import InvalidData


def corners(equations, right):
    """Every corner by brute force, in floats: choose a basis and solve."""
    matrix, values = np.array(equations, float), np.array(right, float)
    rank = int(np.linalg.matrix_rank(matrix))
    for basis in combinations(range(matrix.shape[1]), rank):
        part = matrix[:, basis]
        if np.linalg.matrix_rank(part) == rank:
            solved, *_ = np.linalg.lstsq(part, values, rcond=None)
            if np.allclose(part @ solved, values) and (solved > -1e-9).all():
                point = np.zeros(matrix.shape[1])
                point[list(basis)] = solved
                yield point


@settings(max_examples=60)
@given(data=st.data())
def test_the_least_cost_is_that_of_the_best_corner(data):
    variables, count = data.draw(st.integers(2, 5)), data.draw(st.integers(1, 3))
    equations = [[1] * variables]  # a total over all, so that the solutions are bounded
    equations += [
        [data.draw(st.integers(-2, 2)) for _ in range(variables)] for _ in range(count - 1)
    ]
    solution = [data.draw(st.integers(0, 4)) for _ in range(variables)]
    right = [sum(a * x for a, x in zip(row, solution, strict=True)) for row in equations]
    costs = [data.draw(st.integers(-3, 3)) for _ in range(variables)]
    found = list(corners(equations, right))
    assume(found)
    assert float(least(corner(equations, right), costs)) == pytest.approx(
        min(float(np.dot(costs, x)) for x in found)
    )


def test_redundant_equations_are_left_out():
    start = corner([[1, 1, 0], [0, 1, 1], [1, 2, 1]], [2, 3, 5])
    assert len(start.rows) == 2
    assert least(start, [0, 1, 0]) == 0
    assert -least(start, [0, -1, 0]) == 2


def test_rationals_stay_exact():
    assert -least(corner([[3, 7, 1]], [1]), [0, -1, 0]) == Fraction(1, 7)


def test_contradictions_are_refused():
    with pytest.raises(InvalidData, match="contradict"):
        corner([[1, 1], [1, 1]], [2, 3])
    with pytest.raises(InvalidData, match="contradict"):
        corner([[1, 1]], [-1])


def test_a_cost_without_a_least_value_is_refused():
    with pytest.raises(InvalidData, match="no least value"):
        least(corner([[1, -1]], [0]), [-1, 0])


def test_a_degenerate_corner_ends():
    """Beale's example, on which the plain rule of steepest descent cycles."""
    equations = [
        [100, 0, 0, 25, -6000, -4, 900],
        [0, 100, 0, 50, -9000, -2, 300],
        [0, 0, 1, 0, 0, 1, 0],
    ]
    assert least(corner(equations, [0, 0, 1]), [0, 0, 0, -75, 15000, -2, 600]) == -5
