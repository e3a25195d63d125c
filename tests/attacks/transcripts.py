"""The strongest attack on a fit: the likelihood ratio of everything that was released, for two neighbouring tables.

Whoever holds all noisy numbers of a fit and knows both tables can do no better (Neyman and Pearson 1933), and a fitted
model is made of those numbers alone.
"""

from contextlib import ExitStack
from dataclasses import dataclass, replace
from statistics import NormalDist
from unittest.mock import patch

import numpy as np

from tacit.curator.tables import tables_noise
from tacit.curator.vectors import pay_for_vector_sums as lessons
from tacit.curator.vectors import rows_to_vectors
from tacit.curator.vectors.vectors_noise import RATES, Sums
from tacit.engines import Memory
from tacit.learn import EmpiricalError
from tacit.mechanisms import Gaussian
from tests.laws.every_estimator import PEOPLE, make_vault, rows_of

CUTS = (-1.0, -0.3, 0.0, 0.3, 1.0)
"""Where likelihood ratios are cut in two."""


@dataclass
class Transcript:
    """What is known of one fit: the logarithm of its likelihood ratio, and the most that theory allows on its path."""

    ratio: float = 0.0
    """The logarithm of how much likelier the numbers are with the extra row than without it."""

    moved: float = 0.0
    """The sum of (move / deviation)**2 / 2 of all arrays that Gaussian noise hides and that are not of samples."""


class Attack:
    """Fits a model to a table without and with a row more, and keeps the transcripts."""

    def __init__(self, rows, extra, *, delta, epsilon, weaken=None):
        self.tables = (rows, [*rows, extra])
        self.extra, self.delta, self.epsilon = extra, delta, epsilon
        self.weaken = weaken  # what a bad sampler would make of noise

    def fit(self, model, target, *, has_extra):
        """The transcript of one fit, and the amount that the ledger charged for it."""
        vault = make_vault(self.tables[has_extra], delta=self.delta, owned=False, epsilon=80)
        other, alone = (
            Memory({PEOPLE: each}) for each in (self.tables[not has_extra], [self.extra])
        )
        found, sampled = Transcript(), []
        answer, blocks = lessons.VectorDesk.answer_request, rows_to_vectors._blocks

        def watch(desk, asked, request, rows, noise):
            with _capture(hidden := [], weaken=self.weaken):
                released = answer(desk, asked, request, rows, noise)
            rate = getattr(getattr(request, "kernel", None), "rate", None)
            if rate is None:
                exact = _exact(answer, desk, asked, request, other, noise)
                self._add(found, hidden, exact, has_extra=has_extra)
            else:
                whole = Sums(replace(request.kernel, rate=None), request.share)
                ((step,),) = _exact(answer, desk, asked, whole, alone, noise)
                self._add_sampled(found, hidden[0], step, sampled, rate, has_extra=has_extra)
            return released

        def watch_blocks(count, rate, size, units):
            drawn = list(blocks(count, rate, size, units))
            if rate is not None:
                sampled[:] = [has_extra and any(count - 1 in each for each in drawn)]
            return iter(drawn)

        with (
            patch.object(lessons.VectorDesk, "rehearse", lambda desk, order, noise: None),
            patch.object(lessons.VectorDesk, "answer_request", watch),
            patch.object(rows_to_vectors, "_blocks", watch_blocks),
            patch("tacit.learn.clusters.SURROGATE", 200),  # public points; fewer are as private
        ):
            model.set_params(epsilon=self.epsilon).fit(rows_of(vault), target)
        (entry,) = vault.ledger.entries()
        return found, float(vault.policy.limit.filter().amount(entry.charge))

    def _add(self, found, hidden, exact, *, has_extra):
        """The likelihood ratio of arrays of which all rows are summed."""
        for (draw, inside, noisy), (outside,) in zip(hidden, exact, strict=True):
            without, with_extra = (outside, inside) if has_extra else (inside, outside)
            moved = (with_extra - without).astype(float)
            if isinstance(draw.mechanism, Gaussian):
                variance = float(draw.mechanism.sigma) ** 2
                found.ratio += float((moved * (noisy - without - moved / 2)).sum()) / variance
                found.moved += float((moved**2).sum()) / variance / 2
            else:
                nearer = np.abs(noisy - without) - np.abs(noisy - with_extra)
                found.ratio += float(nearer.sum()) / float(draw.mechanism.scale)

    def _add_sampled(self, found, hidden, step, sampled, rate, *, has_extra):
        """That of a sampled step, for somebody who knows of every other row whether it is in the sample."""
        draw, exact, noisy = hidden
        (is_drawn,) = sampled
        moved = step.astype(float)
        base = exact - (step if has_extra and is_drawn else 0)
        variance = float(draw.mechanism.sigma) ** 2
        share = rate / RATES
        inside = float((moved * (noisy - base - moved / 2)).sum()) / variance
        found.ratio += float(np.log1p(share * np.expm1(inside)))


def _capture(hidden, *, weaken=None):
    """While it lasts, every array that noise is added to is written down; `weaken` is given the noise."""
    original = tables_noise.hide

    def hide(draw, exact):
        noisy = original(draw, exact)
        if weaken is not None:
            noisy = exact + weaken(noisy - exact)
        hidden.append((draw, exact, noisy))
        return noisy

    stack = ExitStack()
    stack.enter_context(patch.object(tables_noise, "hide", hide))
    stack.enter_context(patch.object(lessons, "hide", hide))
    return stack


def _exact(answer, desk, asked, request, engine, noise):
    """The exact arrays of a request on another table."""
    coded = engine.code(asked.coding, asked.weights)
    with _capture(hidden := [], weaken=np.zeros_like):
        answer(desk, asked, request, desk._encode(asked, coded), noise)
    return [(exact,) for _, exact, _ in hidden]


def refuted_epsilon(without, with_extra):
    """The largest epsilon of pure privacy that two samples of ratios refute, at one in a million for each end."""
    return max(
        (np.log(low / high) for low, high in _rates(without, with_extra) if low > 0), default=0.0
    )


def refuted_mu(without, with_extra):
    """The same for the distance of two normal laws (Dong, Roth and Su 2022)."""
    probit = NormalDist().inv_cdf
    return max(
        (
            probit(low) - probit(high)
            for low, high in _rates(without, with_extra)
            if low > 0 and high < 1
        ),
        default=0.0,
    )


def _rates(without, with_extra):
    """Probabilities of events that are fixed beforehand: at least on one table, at most on the other."""
    for cut in CUTS:
        for one, two in ((with_extra > cut, without > cut), (without <= cut, with_extra <= cut)):
            yield _at_least(int(one.sum()), len(one)), _at_most(int(two.sum()), len(two))


def _at_most(count, trials):
    """The upper end of a probability by Clopper and Pearson."""
    return EmpiricalError(count, trials, 1 - 1e-6).interval[1]


def _at_least(count, trials):
    return 0.0 if not count else 1 - _at_most(trials - count, trials)
