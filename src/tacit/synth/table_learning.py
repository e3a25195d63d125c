"""How a table is learnt from noisy counts of one column and of two: what is asked next follows from
what was released.

The procedure is a generator: it yields requests, and is sent what was released for each.  Whoever
runs it may look at rows, adds noise, and pays for all of it together; the procedure itself sees
released numbers only.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from math import prod
from typing import Any, TypeAlias

import numpy as np

from tacit.progress import show_progress
from tacit.synth.domain import Array, Attribute, Distances, Forbidden, Groups, Law, Noisy, Tables
from tacit.synth.mixture import Targets, choose_rung, fit_mixture
from tacit.synth.smoothing import denoise, project
from tacit.synth.table_model import Model, make_model
from tacit.synth.value_groups import find_kinds, group_values

__all__ = ["FITS", "Procedure", "learn_table", "split_share"]

Procedure: TypeAlias = Generator[Tables | Distances, tuple[Noisy, ...], Model]

ONES = Fraction(35, 100)  # of the price: one-way tables,
SCORES = Fraction(5, 100)  # the distances of all pairs from independence,
MORE = Fraction(30, 100)  # and one-way tables again where they gain more by it than pairs do
LOW = 3.0  # information below which pairs get nothing
DAMPING = 0.3  # how much of a table's noise a fit lets through
PSEUDO, ZERO = (
    0.5,
    8.0,
)  # how much it counts that a pair was not measured, and that a cell is forbidden
FITS = 4
MOST_GROUPS, ALL_GROUPS = 64, 1_200  # of one column, and of all together


def split_share(sizes: Sequence[int], law: Law) -> tuple[int, ...]:
    """In which parts tables of so many cells share a price for the least expected error in all.

    >>> split_share([1, 8], Law(pure=False, cell=1, distance=1))
    (256, 1024)
    """
    return tuple(max(1, round(256 * size ** (1 / law.power))) for size in sizes)


class _Learner:
    """What is known so far, and how the next request follows from it."""

    def __init__(
        self, attributes: Sequence[Attribute], law: Law, forbidden: Sequence[Forbidden]
    ) -> None:
        self.attributes, self.law, self.forbidden = tuple(attributes), law, tuple(forbidden)
        self.pairs = list(combinations(range(len(attributes)), 2))
        self.kinds = [
            find_kinds(place, each, self.forbidden) for place, each in enumerate(attributes)
        ]
        self.most = min(MOST_GROUPS, max(8, ALL_GROUPS // len(attributes)))
        self.precisions = [0.0] * len(attributes)
        self.ones: list[Array] = [np.zeros(each.size) for each in attributes]
        self.total, self.shares, self.errors = 1.0, list[Array](), list[Array]()
        self.facts: dict[str, Any] = {"pairs": [], "scores": [], "chance": []}

    def ask_ones(self, share: Fraction) -> Tables:
        """Tables of all single columns."""
        sizes = [each.size for each in self.attributes]
        every = tuple(tuple(range(size)) for size in sizes)
        columns = tuple((place,) for place in range(len(sizes)))
        return Tables(columns, every, share, split_share(sizes, self.law))

    def take_ones(self, released: Sequence[Noisy]) -> None:
        """Pool them with what was known, by inverse variance, and make shares of them."""
        for place, table in enumerate(released):
            known, more = self.precisions[place], table.sigma**-2
            self.ones[place] = (self.ones[place] * known + table.counts * more) / (known + more)
            self.precisions[place] = known + more
        worth = np.array(
            [p / each.size for p, each in zip(self.precisions, self.attributes, strict=True)]
        )
        self.total = max(1.0, float(worth @ [counts.sum() for counts in self.ones] / worth.sum()))
        columns = enumerate(zip(self.ones, self.precisions, self.attributes, strict=True))
        found = [denoise(y, p**-0.5, self.total, each, place) for place, (y, p, each) in columns]
        self.shares = [each.shares for each in found]
        self.errors = [each.errors for each in found]
        self.facts["errors"] = [round(each.square, 3) for each in found]
        self.facts["distances"] = [round(each.absolute, 3) for each in found]
        self.facts["sigmas"] = [p**-0.5 for p in self.precisions]

    def noise(self, tables: float, share: Fraction) -> float:
        """The noise of a cell, if so many tables share that much of the price equally."""
        return self.law.sigma(float(share) / max(1.0, tables))

    def information(self) -> float:
        """Into how many groups a column can be divided before a pair's cell drowns in its noise."""
        return (
            float(np.sqrt(self.total / self.noise(len(self.pairs), 1 - ONES)))
            if self.pairs
            else 0.0
        )

    def group(self, tables: float, share: Fraction) -> list[Array]:
        """The groups of all columns, fit for so many tables at that share of the price."""
        k = float(np.clip(np.sqrt(self.total / self.noise(tables, share)), 2, self.most))
        columns = zip(self.shares, self.precisions, self.attributes, self.kinds, strict=True)
        return [
            group_values(
                p * self.total, each, self.total / k, 3 * precision**-0.5, self.most, kinds
            )
            for p, precision, each, kinds in columns
        ]

    def sum_groups(self, groups: list[Array]) -> tuple[list[Array], list[Array]]:
        """The share of each group of all columns, and by how much it could be off, one example a row."""
        mass = [np.bincount(g, p) for g, p in zip(groups, self.shares, strict=True)]
        off = [
            np.array([np.bincount(g, each) for each in errors]) / self.total
            for g, errors in zip(groups, self.errors, strict=True)
        ]
        return mass, off

    def ask_scores(self, groups: list[Array]) -> tuple[Distances, Array]:
        """How far all pairs are from independence, and how much of that chance and noise
        explain."""
        mass, off = self.sum_groups(groups)
        even = [self.total * np.outer(mass[a], mass[b]) for a, b in self.pairs]
        chance = np.array(
            [
                _distance_by_chance(table, mass[a] + off[a], mass[b] + off[b], self.total)
                for table, (a, b) in zip(even, self.pairs, strict=True)
            ]
        )
        public = tuple(np.rint(table).astype(np.int64) for table in even)
        return Distances(tuple(self.pairs), _plain(groups), SCORES, public), chance

    def take_scores(self, distances: Noisy, chance: Array) -> Array:
        """How much further all pairs are from independence than chance explains."""
        gaps = distances.counts - chance
        self.facts["scores"] = [round(float(gap), 3) for gap in gaps]
        self.facts["chance"] = [round(float(each), 3) for each in chance]
        self.facts["score sigma"] = distances.sigma
        return gaps

    def gain_of_ones(self, share: Fraction, chosen: Sequence[int], groups: list[Array]) -> float:
        """By how much errors of all pairs but the chosen ones shrink, in rows, if single columns get
        so much more of the price.

        It is looked at between groups, as the gain of pairs is, and beside chance, which no price takes away: what lies
        below that is not worth a price.
        """
        mass, off = self.sum_groups(groups)
        before = [self.total * float(np.abs(each).sum() / len(each)) for each in off]
        parts = split_share([each.size for each in self.attributes], self.law)
        after = list[float]()
        for error, known, part in zip(before, self.precisions, parts, strict=True):
            more = self.law.sigma(float(share) * part / sum(parts)) ** -2
            after.append(error * (known / (known + more)) ** 0.5)
        spread = [float(np.sqrt(each).sum()) for each in mass]
        gain = 0.0
        for place in set(range(len(self.pairs))) - set(chosen):
            a, b = self.pairs[place]
            chance = (2 / np.pi * self.total) ** 0.5 * spread[a] * spread[b]
            gain += float(
                np.hypot(chance, np.hypot(before[a], before[b]))
                - np.hypot(chance, np.hypot(after[a], after[b]))
            )
        return gain

    def divide_rest(self, gaps: Array, groups: list[Array], left: Fraction) -> Fraction:
        """How much of what is left single columns get: nothing, some, or all of it, whichever is
        expected to bring all pairs nearest."""
        found = dict[Fraction, float]()
        for share in (Fraction(0), MORE, left):
            chosen, gain = (
                self.choose_pairs(gaps, groups, left - share) if share < left else ([], 0)
            )
            found[share] = gain + (self.gain_of_ones(share, chosen, groups) if share else 0.0)
        return max(found, key=found.__getitem__)

    def choose_pairs(
        self, gaps: Array, groups: list[Array], left: Fraction
    ) -> tuple[list[int], float]:
        """The pairs that depart from independence by more than measuring them would cost, in the
        order of their places, and by how much.

        Claim:      which pairs are measured was paid for.
        Because:    it follows from the released distances alone.
        Checked by: tests/laws/test_tables.py::test_everything_that_is_drawn_is_paid_for
        """
        sizes = [int(g.max()) + 1 for g in groups]
        power = self.law.power
        cost = np.array([(sizes[a] * sizes[b]) ** (1 / power) for a, b in self.pairs])
        order = np.argsort(-gaps / cost, kind="stable")
        noise = DAMPING * np.sqrt(2 / np.pi) * self.noise(1, left) * np.cumsum(cost[order]) ** power
        gain = np.cumsum(gaps[order]) - noise
        if gain.max() <= 0:
            return [], 0.0
        return sorted(order[: int(gain.argmax()) + 1].tolist()), float(gain.max())

    def ask_pairs(
        self, chosen: Sequence[tuple[int, int]], groups: list[Array], left: Fraction
    ) -> Tables:
        """Tables of the chosen pairs."""
        sizes = [int(g.max()) + 1 for g in groups]
        cells = [prod(sizes[place] for place in pair) for pair in chosen]
        return Tables(tuple(chosen), _plain(groups), left, split_share(cells, self.law))

    def set_targets(
        self, chosen: Sequence[tuple[int, int]], released: Sequence[Noisy], groups: list[Array]
    ) -> Targets:
        """What a mixture shall come near to."""
        sizes = [int(g.max()) + 1 for g in groups]
        ends = np.concatenate([[0], np.cumsum(sizes)])
        at = [slice(int(start), int(end)) for start, end in pairwise(ends)]
        precision = [p / np.bincount(g) for g, p in zip(groups, self.precisions, strict=True)]
        weighed = [
            np.bincount(g, y) * p for g, y, p in zip(groups, self.ones, precision, strict=True)
        ]
        singles = np.concatenate(weighed) / np.concatenate(precision) / self.total
        single_weights = np.concatenate(precision) * self.total**2
        pairs, weights, prior = np.zeros((3, int(ends[-1]), int(ends[-1])))
        for (a, b), table in zip(chosen, released, strict=True):
            pairs[at[a], at[b]] = table.counts / self.total
            weights[at[a], at[b]] = (self.total / table.sigma) ** 2
            for place, other, axis in ((a, b, 1), (b, a, 0)):
                more = 1 / (sizes[other] * table.sigma**2)
                weighed[place] = weighed[place] + table.counts.sum(axis=axis) * more
                precision[place] = precision[place] + more
        shares = [
            project(y / p, self.total) / self.total for y, p in zip(weighed, precision, strict=True)
        ]
        light = PSEUDO * (self.total / float(np.median([table.sigma for table in released]))) ** 2
        for a, b in set(self.pairs) - set(chosen):  # independent, unless the others say otherwise
            pairs[at[a], at[b]], prior[at[a], at[b]] = np.outer(shares[a], shares[b]), light
        for rule in self.forbidden:
            cells = rule.cells if rule.first < rule.second else rule.cells.T
            a, b = sorted((rule.first, rule.second))
            never = _is_empty(cells, groups[a], groups[b])
            pairs[at[a], at[b]][never], prior[at[a], at[b]][never] = 0.0, ZERO * light
        start = np.log(np.concatenate(shares) + 0.1 / self.total)
        narrow = [
            each.astype(np.float32)
            for each in (start, pairs, weights, prior, singles, single_weights)
        ]
        return Targets(ends, *narrow)

    def independent(self) -> Model:
        """The model in which no column knows of another."""
        alone = [np.zeros(each.size, np.int64) for each in self.attributes]
        return make_model(
            self.total, np.ones(1), [np.ones((1, 1))] * len(alone), alone, self.shares, self.facts
        )


def learn_table(
    attributes: Sequence[Attribute],
    law: Law,
    forbidden: Sequence[Forbidden] = (),
) -> Procedure:
    """Learn a table from noisy counts; the shares of all requests add up to the price, no more.

    Claim:      everything but the requests is a function of what was released.
    Because:    the generator is sent released numbers, and holds nothing else.
    Checked by: tests/unit/synth/test_table_learning.py::test_the_model_follows_from_the_release
    """
    learner, left = _Learner(attributes, law, forbidden), 1 - ONES
    learner.take_ones((yield learner.ask_ones(ONES)))
    information, chosen = learner.information(), list[tuple[int, int]]()
    learner.facts["information"] = information
    if information >= LOW:
        left -= SCORES
        groups = learner.group(max(len(attributes), len(learner.pairs) / 4), left)
        request, chance = learner.ask_scores(groups)
        gaps = learner.take_scores((yield request)[0], chance)
        more = learner.divide_rest(gaps, groups, left)
        if 0 < more < left:
            learner.take_ones((yield learner.ask_ones(more)))
        if more < left:
            left -= more
            places, _ = learner.choose_pairs(gaps, groups, left)
            chosen = [learner.pairs[place] for place in places]
    if not chosen:
        learner.take_ones((yield learner.ask_ones(left)))
        return learner.independent()
    groups = learner.group(len(chosen), left)
    released = yield learner.ask_pairs(chosen, groups, left)
    targets = learner.set_targets(chosen, released, groups)
    rung, misfit = choose_rung(targets, 0)
    streams = show_progress(range(1, FITS + 1), FITS, "fits of a mixture")
    fits = [fit_mixture(targets, rung, stream)[:2] for stream in streams]
    weights = np.concatenate([w for w, _ in fits]).astype(float) / FITS
    distributions = np.concatenate([p for _, p in fits]).astype(float)
    parts = np.split(distributions, targets.ends[1:-1], axis=1)
    squares = [float(block.sum()) for block in _blocks(misfit, targets.ends, chosen)]
    learner.facts |= {"pairs": chosen, "rung": rung, "misfit": squares}
    return make_model(learner.total, weights, parts, groups, learner.shares, learner.facts)


def _distance_by_chance(table: Array, one: Array, other: Array, total: float) -> float:
    """How far a table of independent columns is expected from its product, if shares are off as those in the rows of
    `one` and `other` are: real counts are scattered, too."""
    off = total * one[:, :, None] * other[:, None, :] - table
    return float(np.sqrt(off**2 + 2 / np.pi * table).sum() / len(one))


def _blocks(matrix: Array, ends: Array, pairs: Sequence[tuple[int, int]]) -> list[Array]:
    """The parts of a matrix of all groups that belong to some pairs of columns."""
    return [matrix[ends[a] : ends[a + 1], ends[b] : ends[b + 1]] for a, b in pairs]


def _plain(groups: Sequence[Array]) -> Groups:
    """Groups as values that can be compared and written."""
    return tuple(tuple(each.tolist()) for each in groups)


def _is_empty(cells: Array, first: Array, second: Array) -> Array:
    """The cells of two columns' groups of which every pair of values is forbidden."""
    allowed = np.zeros((int(first.max()) + 1, int(second.max()) + 1))
    np.add.at(allowed, (first[:, None], second[None, :]), ~cells.astype(bool))
    return np.asarray(allowed == 0)
