"""Linear reconstruction: a whole secret column from many sums over random sets of people (Dinur and Nissim 2003)."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from tacit.audit.attacks.chances import below_normal, coins, most_wins, two_steps
from tacit.audit.attacks.noise_of_a_vault import DELTA, noise_for
from tacit.audit.attacks.report import AttackReport, Line, Rate
from tacit.exact import below
from tacit.frozen import frozen

__all__ = ["Decoder", "reconstruction"]

Floats = NDArray[np.float32]

ROUNDS, FLIPS = 40, 8


def reconstruction(
    people: int = 1000,
    queries: int = 2000,
    epsilon: Fraction = Fraction(1, 2),
    limits: tuple[float, ...] = (0.1, 1, 3, 10, 30, 100),
) -> AttackReport:
    """The report on rebuilding one secret bit of every person from sums over random halves of all people.

    The naive service answers every sum within 1. Tacit answers the same sums as one vector under the limit (epsilon,
    1e-6), with the Gaussian noise a vault would draw. A changed bit is a replaced row: two steps of add-or-remove.

    Claim:      the number of bits that any attack recovers from Tacit's answers is at most binomial, with the rate
                that two steps allow, up to an event of probability 1e-12.
    Because:    given the answers and all other bits, a fair bit is known with odds of at most e^(2 epsilon), unless its
                loss is above 2 epsilon, which for the noise of these limits is more than eight deviations away.
    Checked by: tests/attacks/test_lab_reconstruction.py

    >>> reconstruction(people=40, queries=600, limits=()).naive.share > 0.9
    True
    """
    bits = coins(people)
    chosen = coins(queries * people).reshape(queries, people)
    decoder = Decoder.of(chosen)
    exact = chosen @ bits

    def count_recovered(decoded: NDArray[np.int64]) -> int:
        return int((decoded == bits).sum())

    naive = count_recovered(decoder.by_linear_programme(exact + below(3, queries) - 1))
    programmed: dict[float, int] = {}
    squared: dict[float, int] = {}
    for limit in (float(epsilon), *limits):
        gaussian = noise_for(queries, Fraction(limit))
        answers = gaussian.release(exact)
        programmed[limit] = count_recovered(decoder.by_linear_programme(answers))
        squared[limit] = count_recovered(decoder.by_least_squares(answers, float(gaussian.sigma)))
    return AttackReport(
        "reconstruction",
        "what is this person's secret bit?",
        Rate(naive, people, 1.0),
        Rate(programmed[float(epsilon)], people),
        allowed=most_wins(*two_steps(epsilon, DELTA)),
        chance=0.5,
        sentence=(
            f"From {queries:,} sums within 1, a linear programme rebuilds the column; from Tacit's answers to the "
            f"same sums at epsilon {float(epsilon):g} it rebuilds hardly more than a coin would."
        ),
        also=(("Tacit's release, by least squares", Rate(squared[float(epsilon)], people)),),
        lines=_curve(people, queries, programmed, squared) if limits else (),
        across="limit, epsilon at delta 1e-6",
        logarithmic=True,
    )


def _curve(
    people: int, queries: int, programmed: dict[float, int], squared: dict[float, int]
) -> tuple[Line, ...]:
    """Recovered bits against the limit, measured and in theory."""
    limits = tuple(sorted(programmed))
    fine = tuple(float(limit) for limit in np.geomspace(min(limits), max(limits), 30))

    def shares(won: dict[float, int]) -> tuple[float, ...]:
        return tuple(count / people for _, count in sorted(won.items()))

    return (
        Line("Tacit, by linear programme", "tacit", limits, shares(programmed), measured=True),
        Line("Tacit, by least squares", "tacit", limits, shares(squared), measured=True),
        Line(
            "if all other bits were known",
            "other",
            fine,
            tuple(_informed_guess(limit, queries) for limit in fine),
        ),
        Line(
            "most that two steps allow",
            "allowed",
            fine,
            tuple(most_wins(*two_steps(limit, DELTA)) for limit in fine),
        ),
    )


def _informed_guess(epsilon: float, queries: int) -> float:
    """The chance to guess a bit that is in half of the sums, if all others are known."""
    return below_normal(sqrt(queries / 2) / float(noise_for(queries, Fraction(epsilon)).sigma) / 2)


@frozen
class Decoder:
    """The bits that fit given sums best, for sums over the people that each row of zeros and ones chooses."""

    chosen: Floats  # centred and scaled, so that a column's length is one
    members: Floats
    inverse: Floats

    @classmethod
    def of(cls, chosen: NDArray[np.int64]) -> Decoder:
        """The decoder; its one factorisation serves any number of answers."""
        scaled = ((chosen - 0.5) / sqrt(len(chosen) / 4)).astype(np.float32)
        inverse = np.asarray(
            np.linalg.inv(np.eye(chosen.shape[1]) + scaled.T @ scaled), dtype=np.float32
        )
        return cls(scaled, chosen.sum(axis=1).astype(np.float32), inverse)

    def by_linear_programme(self, answers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Numbers from 0 to 1 whose sums have the least total distance from the answers, rounded and mended.

        The programme is solved by alternating projections with multipliers (ADMM in graph form), nearly: bits that are
        wrong for want of more rounds are turned one by one, as long as that brings sums nearer to the answers.
        """
        target = self._centre(answers)
        step = np.float32(np.abs(target).mean() / 10)
        bits, sums = np.zeros(self.chosen.shape[1], np.float32), np.zeros(len(target), np.float32)
        bits_owed, sums_owed = np.zeros_like(bits), np.zeros_like(sums)
        for _ in range(ROUNDS):
            boxed = np.clip(bits - bits_owed, -0.5, 0.5)
            misfit = sums - sums_owed - target
            near = target + np.sign(misfit) * np.maximum(np.abs(misfit) - step, 0)
            bits_owed, sums_owed = boxed + bits_owed, near + sums_owed
            bits = self.inverse @ (bits_owed + self.chosen.T @ sums_owed)
            sums = self.chosen @ bits
            bits_owed, sums_owed = bits_owed - bits, sums_owed - sums
        return self._mend((boxed > 0).astype(np.int64), answers)

    def _mend(self, bits: NDArray[np.int64], answers: NDArray[np.int64]) -> NDArray[np.int64]:
        chosen = (self.chosen > 0).astype(np.float32)
        misfit = (answers - chosen @ bits).astype(np.float32)
        for _ in range(FLIPS):
            turns = (1 - 2 * bits).astype(np.float32)
            distances = np.abs(misfit[:, None] - chosen * turns).sum(axis=0)
            best = int(distances.argmin())
            if distances[best] >= np.abs(misfit).sum():
                break
            misfit -= chosen[:, best] * turns[best]
            bits[best] = 1 - bits[best]
        return bits

    def by_least_squares(self, answers: NDArray[np.int64], sigma: float) -> NDArray[np.int64]:
        """The most likely side of one half, if bits and noise were Gaussian: better than distances where noise is."""
        target = self._centre(answers)
        # of the scaled sums, against bits of variance 1/4
        noise = (2 * sigma) ** 2 / (len(target) / 4)
        ridge = self.chosen.T @ self.chosen + np.float32(noise) * np.eye(
            self.chosen.shape[1], dtype=np.float32
        )
        return np.asarray(np.linalg.solve(ridge, self.chosen.T @ target) > 0, dtype=np.int64)

    def _centre(self, answers: NDArray[np.int64]) -> Floats:
        """What the scaled sums of bits minus one half should be; twice the mean answer is the number of ones."""
        people = self.chosen.shape[1]
        centred = answers - answers.mean() - self.members / 2 + people / 4
        return np.asarray(centred / sqrt(len(answers) / 4), dtype=np.float32)
