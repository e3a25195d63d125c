"""A mixture of product distributions that comes near to noisy tables of one and two columns."""

from __future__ import annotations

import numpy as np

from tacit.frozen import frozen
from tacit.progress import show_progress
from tacit.synth.domain import Array
from tacit.synth.pseudo_random import normals

__all__ = ["LADDER", "Rung", "Targets", "choose_rung", "fit_mixture"]

Rung = tuple[int, int]
"""How many components are fitted, and in how many steps."""

LADDER: tuple[Rung, ...] = ((1, 300), (4, 300), (16, 300), (64, 300), (256, 600))
_SPLITS = 2


@frozen(eq=False)
class Targets:
    """What the mixture shall come near to, in shares of the total; a cell's weight is one over its
        noise squared.

    `ends` are the places where one column's groups end and the next one's begin.  `pairs` is a
    matrix of all groups with all groups, of which the blocks above the diagonal are looked at.
    `prior` weighs what is supposed rather than measured: it counts in a fit, and does not judge
    one.
    """

    ends: Array
    start: Array
    pairs: Array
    weights: Array
    prior: Array
    singles: Array
    single_weights: Array

    def disturb(self, noise: tuple[Array, Array]) -> Targets:
        """The same with more noise."""
        pairs, singles = self.pairs + noise[0] / 2, self.singles + noise[1] / 2
        lighter = self.weights / np.float32(1.25), self.single_weights / np.float32(1.25)
        return Targets(self.ends, self.start, pairs, lighter[0], self.prior, singles, lighter[1])

    def draw_noise(self, *stream: int) -> tuple[Array, Array]:
        """Fresh noise as wide as what was released."""

        def draw(weights: Array, which: int) -> Array:
            widths = np.where(weights > 0, np.maximum(weights, 1e-30) ** -0.5, 0.0)
            noise: Array = normals(weights.size, *stream, which).reshape(weights.shape) * widths
            return noise.astype(np.float32)

        return draw(self.weights, 0), draw(self.single_weights, 1)


def fit_mixture(targets: Targets, rung: Rung, stream: int) -> tuple[Array, Array, Array]:
    """The components' weights, their distributions side by side, and the table of all pairs that
        they give.

    It is Adam on weighted least squares: the mixture's pairs, the sum over components of w p p',
    are brought near the targets, and so are its singles.
    """
    ends, (components, steps) = targets.ends, rung
    starts, lengths = ends[:-1], np.diff(ends)
    weights, single_weights = targets.weights + targets.prior, targets.single_weights

    def spread(sums: Array) -> Array:
        return np.repeat(sums, lengths, axis=1)

    noise = 0.5 * normals(components * int(ends[-1]), stream).reshape(components, int(ends[-1]))
    x = np.concatenate([targets.start + noise, np.zeros((components, 1))], axis=1).astype(
        np.float32
    )
    first, second = np.zeros_like(x), np.zeros_like(x)
    for step in range(steps + 1):
        p = np.exp(x[:, :-1] - spread(np.maximum.reduceat(x[:, :-1], starts, axis=1)))
        p /= spread(np.add.reduceat(p, starts, axis=1))
        w = np.exp(x[:, -1] - x[:, -1].max())
        w /= w.sum()
        pairs, singles = p.T @ (w[:, None] * p), w @ p
        if step == steps:
            break
        off = weights * (pairs - targets.pairs)
        single_off = single_weights * (singles - targets.singles)
        pull = p @ (off + off.T)
        slope = w[:, None] * p * (pull + single_off)
        slope -= p * spread(np.add.reduceat(slope, starts, axis=1))
        gain = 0.5 * (p * pull).sum(axis=1) + p @ single_off
        slope = np.concatenate([slope, (w * (gain - w @ gain))[:, None]], axis=1)
        first += 0.1 * (slope - first)
        second += 0.01 * (slope * slope - second)
        rate = 0.05 * (1 + np.cos(np.pi * step / steps)) / (1 - 0.9 ** (step + 1))
        x -= (
            np.float32(rate)
            * first
            / (np.sqrt(second / np.float32(1 - 0.99 ** (step + 1))) + np.float32(1e-10))
        )
    return w, p, pairs


def choose_rung(targets: Targets, stream: int) -> tuple[Rung, Array]:
    """The rung of the ladder whose fit to y + z/2 predicts y - 2z best, z fresh noise of the
    released law.

    With it comes, for every cell of measured pairs, an unbiased estimate of the square of its
    error: the noise of what judges a fit is independent of the fit, and has five times the variance
    of what was released.

    Claim:      no data are looked at.
    Because:    what is fitted and what judges the fit are made of released numbers and fresh noise.
    Checked by: tests/unit/synth/test_table_learning.py::test_the_model_follows_from_the_release
    """
    noises = [targets.draw_noise(stream, split) for split in range(_SPLITS)]
    variance = np.where(targets.weights > 0, 5 / np.maximum(targets.weights, 1e-30), 0.0)
    best, chosen, misfit = np.inf, LADDER[0], np.zeros_like(variance)
    for rung in show_progress(LADDER, len(LADDER), "sizes of a mixture"):
        fits = [fit_mixture(targets.disturb(noise), rung, stream)[2] for noise in noises]
        squares = np.mean(
            [
                (fit - targets.pairs + 2 * noise[0]) ** 2
                for fit, noise in zip(fits, noises, strict=True)
            ],
            axis=0,
        )
        loss = float((targets.weights * squares).sum())
        if loss >= best:
            break
        best, chosen, misfit = loss, rung, np.where(targets.weights > 0, squares - variance, 0.0)
    return chosen, misfit
