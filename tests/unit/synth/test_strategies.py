"""Strategies for linear questions: exact without noise, and better than what is simpler."""

import numpy as np
import pytest

from tacit.synth import Attribute, plan_strategy
from tacit.synth.pseudo_random import normals

AGES = Attribute(32, ordered=True)
RANGES = np.array(
    [[float(a <= x <= b) for x in range(32)] for a in range(32) for b in range(a, 32)]
)


def table_of(cells, groups, shape):
    counts = np.zeros([int(each.max()) + 1 for each in groups])
    for place in np.ndindex(*shape):
        counts[tuple(int(each[at]) for each, at in zip(groups, place, strict=True))] += cells[place]
    return counts


@pytest.mark.parametrize("pure", [False, True])
@pytest.mark.parametrize("attributes", [[AGES], [Attribute(6, ordered=True), Attribute(3)]])
def test_without_noise_cells_are_found_as_they_are(attributes, pure):
    shape = tuple(each.size for each in attributes)
    size = int(np.prod(shape))
    strategy = plan_strategy(attributes, np.eye(size), pure=pure)
    cells = np.arange(size, dtype=float).reshape(shape)
    tables = [table_of(cells, groups, shape) for groups in strategy.groups]
    assert np.allclose(strategy.estimate(tables), cells.reshape(-1))


@pytest.mark.parametrize("pure", [False, True])
def test_a_tree_answers_ranges_better_than_cells_do(pure):
    strategy = plan_strategy([AGES], RANGES.T @ RANGES, pure=pure)
    plain = (RANGES**2).sum(axis=1).mean()
    assert strategy.variances(RANGES).mean() < (0.8 if not pure else 1.001) * plain
    assert strategy.shares.sum() == pytest.approx(1)


def test_no_other_shares_are_much_better():
    strategy = plan_strategy([AGES], RANGES.T @ RANGES, pure=False)
    best = np.trace(strategy.inverse @ RANGES.T @ RANGES)
    blocks = [(g[0][:, None] == g[0][None, :]).astype(float) for g in strategy.groups]
    for stream in range(20):
        shares = strategy.shares * np.exp(0.3 * normals(len(blocks), 9, stream))
        matrix = sum(s * b for s, b in zip(shares / shares.sum(), blocks, strict=True))
        assert np.trace(np.linalg.pinv(matrix) @ RANGES.T @ RANGES) > 0.98 * best


def test_variances_are_those_of_drawn_noise():
    strategy = plan_strategy([AGES], RANGES.T @ RANGES, pure=False)
    answers = []
    for stream in range(300):
        tables = [
            share**-0.5 * normals(int(groups[0].max()) + 1, 8, stream, place)
            for place, (groups, share) in enumerate(
                zip(strategy.groups, strategy.shares, strict=True)
            )
        ]
        answers.append(RANGES @ strategy.estimate(tables))
    assert np.mean(np.square(answers)) == pytest.approx(strategy.variances(RANGES).mean(), rel=0.15)


@pytest.mark.parametrize("pure", [False, True])
def test_answers_are_sums_of_noise_with_the_coefficients_that_are_said(pure):
    shape = (6, 3)
    strategy = plan_strategy([Attribute(6, ordered=True), Attribute(3)], np.eye(18), pure=pure)
    questions = normals(5 * 18, 4).reshape(5, 18)
    tables = [
        normals(int(np.prod([each.max() + 1 for each in groups])), 5, place).reshape(
            [int(each.max()) + 1 for each in groups]
        )
        for place, groups in enumerate(strategy.groups)
    ]
    parts = zip(strategy.coefficients(questions), tables, strict=True)
    summed = sum(coefficients @ table.reshape(-1) for coefficients, table in parts)
    assert np.allclose(questions @ strategy.estimate(tables), summed)
    assert len(shape) == len(strategy.groups[0])
    power = 2 if pure else 1
    variances = sum(
        (coefficients**2).sum(axis=1) / share**power
        for coefficients, share in zip(
            strategy.coefficients(questions), strategy.shares, strict=True
        )
    )
    assert np.allclose(variances, strategy.variances(questions))


def test_shares_that_were_found_are_not_sought_again(monkeypatch):
    asked = {
        "prefixes": np.tril(np.ones((9, 9))),
        "cells": np.eye(9),
    }
    nine = [Attribute(9, ordered=True)]
    first = {
        (name, pure): plan_strategy(nine, each.T @ each, pure=pure).shares
        for name, each in asked.items()
        for pure in (False, True)
    }
    assert len(first["prefixes", False]) > len(first["cells", False]) == 1  # others are asked
    monkeypatch.setattr("tacit.synth.strategies._improve", None)
    for (name, pure), shares in first.items():
        again = plan_strategy(nine, asked[name].T @ asked[name], pure=pure)
        assert np.array_equal(again.shares, shares)
    with pytest.raises(TypeError):
        plan_strategy([Attribute(9)], np.eye(9), pure=True)
