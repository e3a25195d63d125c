"""All marginals at once: the plan, whole-number residuals, and marginals that agree with each
other."""

from itertools import combinations
from math import prod

import numpy as np
import pytest

from tacit.curator.tables.tables_noise import contrast as take_residual
from tacit.synth.pseudo_random import normals, uniforms
from tacit.synth.residuals import (
    cell_variance,
    plan_residuals,
    rebuild_marginal,
    subsets,
)

SIZES = (5, 3, 4)
WORKLOAD = {columns: 1.0 for size in range(1, 4) for columns in combinations(range(3), size)}
COUNTS = (uniforms(60, 1).reshape(SIZES) * 90).astype(np.int64)


def marginal_of(counts, columns):
    return counts.sum(axis=tuple(place for place in range(3) if place not in columns))


def exact_residuals():
    return {each: take_residual(marginal_of(COUNTS, each)) for each in subsets((0, 1, 2))}


def total_variance(parts, *, pure=False):
    variances = {}
    for each, part in parts.items():
        share = part / sum(parts.values())
        if pure:
            variances[each] = 2 * (prod(2 * (SIZES[i] - 1) for i in each) / share) ** 2
        else:
            variances[each] = prod(SIZES[i] * (SIZES[i] - 1) for i in each) / (2 * share)
    return sum(
        prod(SIZES[i] for i in each) * cell_variance(each, SIZES, variances) for each in WORKLOAD
    )


@pytest.mark.parametrize("columns", list(WORKLOAD))
def test_without_noise_marginals_are_rebuilt_as_they_are(columns):
    assert np.allclose(
        rebuild_marginal(columns, SIZES, exact_residuals()), marginal_of(COUNTS, columns)
    )


def test_marginals_of_noisy_residuals_agree():
    noisy = {
        each: table + np.rint(40 * normals(table.size, 2, *each).reshape(table.shape))
        for each, table in exact_residuals().items()
    }
    whole = rebuild_marginal((0, 1, 2), SIZES, noisy)
    for columns in WORKLOAD:
        assert np.allclose(rebuild_marginal(columns, SIZES, noisy), marginal_of(whole, columns))


@pytest.mark.parametrize("pure", [False, True])
def test_no_other_parts_are_better(pure):
    parts = plan_residuals(SIZES, WORKLOAD, pure=pure)
    best = total_variance(parts, pure=pure)
    for stream in range(30):
        tilt = np.exp(0.2 * normals(len(parts), 3, stream))
        other = {each: part * t for (each, part), t in zip(parts.items(), tilt, strict=True)}
        assert best <= total_variance(other, pure=pure) * (1 + 1e-9)


def test_one_row_moves_a_residual_by_what_the_plan_reckons_with():
    for columns in WORKLOAD:
        row = np.zeros([SIZES[place] for place in columns], np.int64)
        row[(0,) * row.ndim] = 1
        moved = take_residual(row)
        assert (moved**2).sum() == prod(SIZES[place] * (SIZES[place] - 1) for place in columns)
        assert np.abs(moved).sum() == prod(2 * (SIZES[place] - 1) for place in columns)


def test_the_variance_of_a_cell_is_what_noise_shows():
    parts = plan_residuals(SIZES, WORKLOAD, pure=False)
    variances = dict.fromkeys(parts, 30.0**2)
    columns, squares = (0, 2), []
    for stream in range(400):
        drawn = {
            each: 30
            * normals(prod([SIZES[i] for i in each]), 4, stream, *each).reshape(
                [SIZES[i] for i in each]
            )
            for each in parts
        }
        squares.append(rebuild_marginal(columns, SIZES, drawn) ** 2)
    assert np.mean(squares) == pytest.approx(cell_variance(columns, SIZES, variances), rel=0.1)


def test_adult_reaches_the_least_variance_that_is_possible():
    sizes = (85, 9, 100, 16, 7, 15, 6, 5, 2, 100, 100, 99, 42, 2)
    workload = {columns: 1.0 for size in range(4) for columns in combinations(range(14), size)}
    parts = plan_residuals(sizes, workload, pure=False)
    variances = {
        each: prod(sizes[i] * (sizes[i] - 1) for i in each) * sum(parts.values()) / part
        for each, part in parts.items()
    }
    cells = {each: prod(sizes[i] for i in each) for each in workload}
    whole = sum(cells[each] * cell_variance(each, sizes, variances) for each in workload)
    assert (whole / sum(cells.values())) ** 0.5 == pytest.approx(10.665, abs=0.001)
