"""How far a learnt table is from the real one, estimated from what was released and nothing
else."""

from __future__ import annotations

from itertools import combinations
from math import tanh

import numpy as np

from tacit.synth.domain import Array
from tacit.synth.table_model import Model

__all__ = ["distance_of", "estimate_errors", "poisson_deviation", "saturate"]

# How much further from real rows drawn rows are than the model: drawn rows are scattered, too.
_DRAWN = 1.2
_USUAL = 0.18  # the distance of usual pairs of columns from independence
_POWER = 1.5  # how errors of single columns and of missing dependence add up: between 1 and 2


def poisson_deviation(mean: Array) -> Array:
    """How far a count of so many expected rows is from that on average.

    Below one it is 2 m exp(-m), exactly; above, nearly sqrt(2 m / pi).

    >>> poisson_deviation(np.array([0.0, 1.0, 100.0])).round(3).tolist()
    [0.0, 0.736, 7.973]
    """
    few = 2 * mean * np.exp(-mean)
    return np.where(mean < 1, few, np.sqrt(2 / np.pi * np.maximum(mean - 0.15, 0.5)))


def saturate(error: float) -> float:
    """A distance of two tables, from 0 to 2, by the sum of the errors of their cells.

    Small errors add up.  Large ones do not: half of the distance is the share of rows that the two
    tables do not share, and every error takes its part of what the others have left.

    >>> round(saturate(0.1), 3), round(saturate(1.0), 2), round(saturate(100.0), 2)
    (0.1, 0.92, 2.0)
    """
    return 2 * tanh(error / 2)


def estimate_errors(model: Model) -> dict[tuple[int, int], float]:
    """The expected L1 distance, from 0 to 2, between the model's table of each pair of columns and
        the real one.

    Of a pair that was measured, noise splitting estimates the squared error of its groups; of
    another one, the released distances from independence say how far it is off, if there are any.  To both come the
    errors of single columns, and chance: real counts are scattered around any smooth table.
    """
    facts, pairs = model.facts, list(combinations(range(len(model.parts)), 2))
    squares = dict(zip(map(tuple, facts["pairs"]), facts.get("misfit", ()), strict=True))
    depends = dict(zip(pairs, _dependence(model, len(pairs)), strict=True))
    relative = [_relative_errors(model, column) for column in range(len(model.parts))]
    found = {}
    for a, b in pairs:
        table = model.marginal((a, b))
        chance = poisson_deviation(table)
        if (a, b) in squares:
            error = _measured_error(model, (a, b), table, chance, squares[a, b], relative)
        else:
            singles = _single_errors(model, a, b)
            alone = float(np.hypot(_DRAWN * chance, singles).sum())
            error = float((alone**_POWER + depends[a, b] ** _POWER) ** (1 / _POWER))
        found[a, b] = saturate(error / model.total)
    return found


def _dependence(model: Model, pairs: int) -> Array:
    """How far each pair is from independence, in rows, by the released distances; where there are
    none, as far as usual tables are.

    A distance is a sum of |d + z| over cells, z being chance: where d is spread as z is, it is the
    root of the sum of their squares.  Noisy distances are drawn toward their mean, by as much as
    their spread is noise.
    """
    gaps, chance = np.array(model.facts["scores"]), np.array(model.facts.get("chance", ()))
    if not len(chance):
        return np.full(pairs, _USUAL * model.total)
    noise, mean = model.facts["score sigma"] ** 2, gaps.mean()
    kept = max(0.0, 1 - noise / max(float(gaps.var()), 1e-9)) if len(gaps) > 1 else 1.0
    likely = np.maximum(mean + kept * (gaps - mean) + chance, 0.0)
    return np.asarray(np.sqrt(np.maximum(likely**2 - chance**2, 0.0)))


def _relative_errors(model: Model, column: int) -> Array:
    """Of each value of a column: the expected absolute error of its count, squared and relative to
    it; between groups, and inside its own."""
    counts = model.total * (model.weights @ model.values(column))
    groups, sigma, square = (
        model.groups[column],
        model.facts["sigmas"][column],
        model.facts["errors"][column],
    )
    likely = np.maximum(counts, sigma)
    variance = 2 / np.pi * square * likely / likely.sum()
    part = variance / np.maximum(counts, 1e-9) ** 2
    share = counts / np.maximum(np.bincount(groups, counts)[groups], 1e-9)
    return np.stack([part * share, part * (1 - share)], axis=1)


def _single_errors(model: Model, a: int, b: int) -> Array:
    """The expected error of each cell of a product of two columns, in rows, by the errors of both.

    A value that noise hid has a count of zero in the model and an error all the same.
    """
    (one, off_one), (two, off_two) = (_counts_and_errors(model, column) for column in (a, b))
    square = (
        np.outer(one, off_two) ** 2 + np.outer(off_one, two) ** 2 + np.outer(off_one, off_two) ** 2
    )
    return np.asarray(np.sqrt(square) / model.total)


def _counts_and_errors(model: Model, column: int) -> tuple[Array, Array]:
    """The counts of a column's values, and the expected absolute error of each."""
    counts = model.total * (model.weights @ model.values(column))
    likely = np.maximum(counts, model.facts["sigmas"][column])
    square = model.facts["errors"][column]
    off = np.sqrt(2 / np.pi * square * likely / likely.sum())
    return counts, np.asarray(off * (distance_of(model, column) / max(float(off.sum()), 1e-9)))


def distance_of(model: Model, column: int) -> float:
    """The expected L1 distance of a column's counts from the real ones, in rows."""
    known = model.facts.get("distances")  # which tables that were learnt before do not have
    if known is not None:
        return float(known[column])
    size = len(model.groups[column])
    return float(np.sqrt(2 / np.pi * model.facts["errors"][column] * size))


def _measured_error(
    model: Model,
    pair: tuple[int, int],
    table: Array,
    chance: Array,
    square: float,
    relative: list[Array],
) -> float:
    """The expected error of a pair, from the squared errors of its groups and from what happens
    inside of them."""
    rows, columns = (model.groups[place] for place in pair)
    coarse = np.zeros((int(rows.max()) + 1, int(columns.max()) + 1))
    np.add.at(coarse, (rows[:, None], columns[None, :]), table)
    variance = max(square, 0.0) * model.total**2 / coarse.size
    share = table / np.maximum(coarse, 1e-9)[rows[:, None], columns[None, :]]
    between = 2 / np.pi * variance * share**2
    inside = table**2 * (relative[pair[0]][:, 1][:, None] + relative[pair[1]][:, 1][None, :])
    return float(
        np.sqrt(chance**2 * (np.maximum(1 - share, 0.0) + _DRAWN**2 - 1) + between + inside).sum()
    )
