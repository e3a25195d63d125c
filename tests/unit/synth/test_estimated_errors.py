"""Errors that are estimated from a release alone, beside the true ones."""

from itertools import combinations

import numpy as np
import pytest

from tacit.synth import Attribute, Law, learn_table
from tacit.synth.estimated_errors import estimate_errors, poisson_deviation
from tests.unit.synth.released import count_cells, people, run

COLUMNS = (Attribute(40, ordered=True), Attribute(5), Attribute(2))


@pytest.mark.parametrize("rho", [0.002, 0.05, 2.0])
def test_estimated_errors_are_near_the_true_ones(rho):
    rows = people(8000)
    width = (2 * rho) ** -0.5
    model, _ = run(learn_table(COLUMNS, Law(pure=False, cell=width, distance=width)), rows, rho)
    drawn, every = model.rows(), [range(each.size) for each in COLUMNS]
    true = [
        np.abs(
            count_cells(rows, pair, every) / len(rows)
            - count_cells(drawn, pair, every) / len(drawn)
        ).sum()
        for pair in combinations(range(3), 2)
    ]
    assert np.mean(list(estimate_errors(model).values())) == pytest.approx(np.mean(true), rel=0.5)


def test_the_deviation_of_a_count_is_that_of_its_law():
    for mean in (0.1, 0.7, 3.0, 20.0):
        counts = np.arange(200)
        logs = counts * np.log(mean) - mean - np.cumsum(np.r_[0.0, np.log(np.arange(1, 200))])
        exact = (np.exp(logs) * np.abs(counts - mean)).sum()
        assert poisson_deviation(np.array([mean]))[0] == pytest.approx(exact, rel=0.06)
