"""The statistical audit of every mechanism: it comes close to the truth, and never says more than is true.

Every audit here certifies at 1 - 1e-6, so each fails by chance at most once in 1e6 times: that is proved. Both ends of
an event must err together, which is rarer: all tests of this file that `make test` runs fail by chance less than once
in 1e6 runs. (For the slow mechanisms that is summed from exact binomial laws, over the worst event that attains the
exact epsilon; for the others it follows the normal law.) Each planted error is missed only if a bound errs by about six
standard deviations or more, as repeated audits show.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit.mechanisms
from tacit.audit import SUBJECTS, Subject, audit, subject_of
from tacit.exact import bernoulli, discrete_laplace
from tacit.mechanisms import Exponential, Gaussian, Laplace, NoisyMax, RandomizedResponse
from tacit.privacy import Neighbours

F = Fraction
SURE = 1 - F(1, 10**6)
MILLION = 10**6
RUNS, FEW_RUNS = 10**5, 600
QUICK = [
    name for name in SUBJECTS if subject_of(name, 1, F(1, 10**6) if name == "gaussian" else 0).quick
]

both_relations = pytest.mark.parametrize(
    "neighbours", list(Neighbours), ids=lambda neighbours: neighbours.value
)


def subject(name: str, neighbours: Neighbours, epsilon: int | Fraction = 1) -> Subject:
    return subject_of(name, epsilon, F(1, 10**6) if name == "gaussian" else 0, neighbours)


def never_above(one: Subject, samples: int) -> float:
    """The bound on epsilon, once it is known to be no larger than the pair's exact epsilon; the same for mu."""
    found = one.audit(samples, SURE)
    assert not found.refuted
    assert F(found.epsilon) <= one.exact <= one.claimed + F(1, 2**90)  # the width of the ball
    assert one.mu is None or F(found.mu) <= one.mu
    return found.epsilon


# Mechanisms of whole tables or of several steps, which no single pair stands for: their exact laws are compared on
# every pair of a small universe instead, which shows more than samples can.
VERIFIED_EXACTLY = {
    "BlockMedian": "test_sample_and_aggregate.py",
    "GradualLaplace": "test_gradual_release.py",
    "NetMechanism": "test_net.py",
    "ProposeTestRelease": "test_propose_test_release.py",
    "SmoothLaplace": "test_smooth_sensitivity.py",
    "SmoothQuantile": "test_smooth_sensitivity.py",
    "StudentNoise": "test_smooth_sensitivity.py",
}


def test_what_is_not_audited_is_verified_exactly() -> None:
    laws = Path(__file__).resolve().parents[1] / "laws"
    for name, file in VERIFIED_EXACTLY.items():
        assert name in (laws / file).read_text(encoding="utf-8")


def test_every_mechanism_has_a_subject() -> None:
    audited = {type(subject(name, Neighbours.REPLACE).mechanism).__name__ for name in SUBJECTS}
    for name in tacit.mechanisms.__all__:
        found = getattr(tacit.mechanisms, name)
        if (
            isinstance(found, type)
            and hasattr(found, "loss")
            and not getattr(found, "_is_protocol", False)
        ):
            assert name in {*audited, *VERIFIED_EXACTLY}, f"{name} is never audited"


@both_relations
@pytest.mark.parametrize("name", SUBJECTS)
def test_no_mechanism_shows_more_than_its_exact_epsilon(name: str, neighbours: Neighbours) -> None:
    """So many runs could certify an epsilon of 8, or of 2.9 where runs are slow: the exact ones are at most 1."""
    never_above(subject(name, neighbours), RUNS if name in QUICK else FEW_RUNS)


@both_relations
@pytest.mark.parametrize("name", SUBJECTS)
def test_a_mechanism_that_gives_away_much_more_is_seen(name: str, neighbours: Neighbours) -> None:
    """The same runs, of a mechanism of twice the price, or of twenty times the price where runs are slow and few."""
    quick = name in QUICK
    honest, broken = (subject(name, neighbours, price) for price in (1, 2 if quick else 20))
    found = audit(
        broken.release or broken.mechanism,
        honest.pair,
        RUNS if quick else FEW_RUNS,
        SURE,
        claimed_mu=honest.mu,
    )
    assert found.refuted_mu if honest.mu is not None else F(found.epsilon) > honest.exact


@pytest.mark.soak
@both_relations
@pytest.mark.parametrize("name", SUBJECTS)
def test_nor_do_many_more_runs(name: str, neighbours: Neighbours) -> None:
    never_above(subject(name, neighbours, 2), 10**7 if name in QUICK else 20_000)


# What is sharp: a mechanism whose scale is wrong by a factor, and a pair whose exact epsilon is 1, or mu about 1.
SHARP: dict[str, tuple[Callable[[Fraction], Any], tuple[Any, Any]]] = {
    "laplace": (Laplace, (0, 1)),
    "laplace, wide": (lambda error: Laplace(1000 * error), (0, 1000)),
    "randomized response": (lambda error: RandomizedResponse(1 / error), (0, 1)),
    "two candidates": (Exponential, ([0, 1], [1, 0])),
    "gaussian": (lambda error: Gaussian(64 * error), (0, 64)),
}
GAUSSIAN = Subject("gaussian", Gaussian(64), (0, 64), Gaussian(64).loss(64))
every_sharp = pytest.mark.parametrize("name", SHARP)


def shown(name: str, error: Fraction, samples: int) -> Fraction:
    """The bound as a share of the pair's exact figure, when the scale is wrong by this factor."""
    made, pair = SHARP[name]
    if name == "gaussian":
        exact = GAUSSIAN.mu
        found = audit(made(error), pair, samples, SURE, claimed_mu=exact)
    else:
        exact = F(1)
        found = audit(made(error), pair, samples, SURE, claimed=exact)
    share = F(found.mu if name == "gaussian" else found.epsilon) / (exact or 1)
    assert found.refuted == (share > 1)
    return share


@pytest.mark.parametrize("name", [name for name in SHARP if "wide" not in name])
def test_a_million_runs_come_within_four_per_cent_and_see_five(name: str) -> None:
    assert 0.96 <= shown(name, F(1), MILLION) <= 1
    assert all(shown(name, F(95, 100), MILLION) > 1 for _ in range(3))


@pytest.mark.soak
@every_sharp
def test_ten_million_runs_come_within_one_and_a_half_per_cent_and_see_two(name: str) -> None:
    assert 0.985 <= shown(name, F(1), 10 * MILLION) <= 1
    assert all(shown(name, F(98, 100), 10 * MILLION) > 1 for _ in range(3))


def test_a_thousand_audits_of_sound_mechanisms_accuse_nobody() -> None:
    subjects = [subject(name, neighbours) for name in QUICK for neighbours in Neighbours]
    exact = {id(one): (one.exact, one.mu) for one in subjects}
    accused = []
    for one in islice(cycle(subjects), 1000):
        found = one.audit(10**4, SURE)
        epsilon, mu = exact[id(one)]
        if F(found.epsilon) > epsilon or (mu is not None and F(found.mu) > mu):
            accused.append(one.name)
    assert accused == []


def resampled(count: int, times: int) -> np.ndarray:
    """Laplace noise, drawn again until the answer is not negative: not private at all where the answer is zero."""
    drawn = count + discrete_laplace(F(1), times)
    while (bad := drawn < 0).any():
        drawn[bad] = count + discrete_laplace(F(1), int(bad.sum()))
    return np.asarray(drawn)


def reused(values: tuple[int, ...]) -> tuple[bool, ...]:
    """A sparse vector whose threshold has noise and whose values have none (one of the broken ones in print)."""
    line = discrete_laplace(F(2))
    return tuple(value >= line for value in values)


def one_row(rows: tuple[str, ...]) -> str:
    return rows[int(bernoulli(F(1, 2)))]


BROKEN = {
    "resampled until not negative": (resampled, (0, 1), 1, 10**5),
    "no noise on the values": (reused, ((0, 0, 1, 1), (1, 1, 0, 0)), 1, 4000),
    "one row as it is": (one_row, (("Ann", "Bob"), ("Ann", "Cy")), 3, 4000),
    "noisy max at half its scale": (NoisyMax(1, noise="exponential"), ([0, 1], [1, 0]), 1, 10**5),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_refuted(name: str) -> None:
    mechanism, pair, claimed, samples = BROKEN[name]
    assert audit(mechanism, pair, samples, SURE, claimed=claimed).refuted


def shamed(rows: tuple[str, ...]) -> tuple[str, ...]:
    """Name and shame: each row is published as it is, with probability 1/4."""
    return tuple(row for row in rows if bernoulli(F(1, 4)))


def test_a_failure_probability_is_not_an_epsilon() -> None:
    """Name and shame is (0, 1/4)-private: at that delta nothing is found, and at a smaller one any epsilon fails."""
    pair = ("Ann", "Bob"), ("Ann", "Cy")
    assert audit(shamed, pair, 2000, SURE, delta=F(1, 4), claimed=0).epsilon == 0
    assert audit(shamed, pair, 2000, SURE, delta=F(1, 100), claimed=1).refuted
