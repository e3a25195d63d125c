"""Every attack of the lab succeeds on the naive release and on Tacit's as often as theory says, and no more.

One run of an attack is compared with its theory at a false-alarm rate of 1e-6, by Chernoff's bound: all sixteen
together accuse a sound release less than once in 60,000 runs. Found in 99 of 100 runs is a rate that is off by 13
percentage points at 1,000 games, by 4 at 10,000, and by 2.5 at the 25,000 of the resampled zero, whose breach is 3.9.
"""

from collections.abc import Callable
from functools import cache
from math import e, exp

import pytest

from tacit.audit import attacks
from tacit.audit.attacks import ATTACKS, AttackReport

FALSE_ALARM = 1e-6
# Naive, Tacit, the most allowed on Tacit's; None where theory gives a bound and no value. Worked out by hand.
THEORY: dict[str, tuple[float | None, float | None, float]] = {
    "averaging": (0.994, 1 - e**-0.25 / 2, e**0.5 / (1 + e**0.5)),
    "differencing": (1, 0.561, e / (1 + e)),
    "reconstruction": (1, None, e / (1 + e)),
    "membership": (0.988, 0.543, e / (1 + e)),
    "homogeneity": (1, 0.654, e / (1 + e)),
    "background-knowledge": (1, 0.672, e / (1 + e)),
    "intersection": (0.861, None, e**2 / (e**2 + 49)),
    "cell-bounds": ((65 / 81) ** 2, None, 1 / (1 + exp(-0.1) + exp(-0.2))),
    "bayesian-adversary": (0.968, 0.061, 0.061),
    "dalenius": (1, 1, 1),
    "name-and-shame": (1 - 0.99**100, 0.052, e / (e + 31)),
    "random-row": (1, 0.052, e / (e + 31)),
    "low-bits": (0.970, e / (1 + e), e / (1 + e)),
    "timing": (None, 0.5, 0.5),
    "non-negative": (0.770, e / (1 + e), e / (1 + e)),
    "local-sensitivity": (0.998, 0.516, e / (1 + e)),
}
LONG: dict[str, Callable[[], AttackReport]] = {
    "averaging": lambda: attacks.averaging(games=40_000, times=20),
    "differencing": lambda: attacks.differencing(games=40_000),
    "membership": lambda: attacks.membership(games=40_000, statistics=200),
    "homogeneity": lambda: attacks.homogeneity(classes=100_000),
    "background-knowledge": lambda: attacks.background_knowledge(classes=100_000),
    "intersection": lambda: attacks.intersection(patients=40_000),
    "cell-bounds": lambda: attacks.cell_bounds(tables=10_000),
    "bayesian-adversary": lambda: attacks.bayesian_adversary(games=100_000),
    "dalenius": lambda: attacks.dalenius(games=100_000),
    "name-and-shame": lambda: attacks.name_and_shame(games=200_000),
    "low-bits": lambda: attacks.low_bits(samples=10_000_000),
    "timing": lambda: attacks.timing(pairs=40_000),
    "non-negative": lambda: attacks.non_negative(games=3_000_000),
    "local-sensitivity": lambda: attacks.local_sensitivity(games=100_000),
}


@cache
def report_of(name: str) -> AttackReport:
    return (
        attacks.reconstruction(people=300, queries=900, limits=())
        if name == "reconstruction"
        else ATTACKS[name]()
    )


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_succeeds_as_often_as_theory_says(name: str) -> None:
    assert report_of(name).complaints(FALSE_ALARM) == []


@pytest.mark.soak
@pytest.mark.parametrize("name", LONG)
def test_many_more_games_agree_as_well(name: str) -> None:
    """The same at ten to a hundred times as many games: off by one percentage point is found in 99 of 100 runs."""
    assert LONG[name]().complaints(FALSE_ALARM) == []


@pytest.mark.parametrize("name", ATTACKS)
def test_theory_is_what_was_worked_out(name: str) -> None:
    report = report_of(name)
    for said, known in zip(
        (report.naive.expected, report.tacit.expected, report.allowed), THEORY[name], strict=True
    ):
        assert said == (known if known is None else pytest.approx(known, abs=1e-3))


@pytest.mark.parametrize("name", sorted(set(ATTACKS) - {"dalenius"}))
def test_the_naive_release_gives_more_than_theory_allows_on_ours(name: str) -> None:
    """By more than luck: the naive release is accused, and Tacit's is not; each goes wrong with at most 1e-6."""
    report = report_of(name)
    assert report.naive.exceeds(report.allowed, FALSE_ALARM)
    assert not report.tacit.exceeds(report.allowed, FALSE_ALARM)


def test_dalenius_succeeds_on_every_release_and_needs_both_parts() -> None:
    report = report_of("dalenius")
    assert report.naive.share == report.tacit.share == 1
    assert not any(rate.exceeds(0.5, FALSE_ALARM) for _, rate in report.also)


def test_the_bayesian_adversarys_score_is_a_fact_about_the_prior() -> None:
    """The same release: far below one half for one prior, and far above for another that needs no release at all."""
    report = report_of("bayesian-adversary")
    rates = dict(report.also)
    assert report.tacit.share < 0.1
    assert rates["Tacit's release, a knowing prior"].share > 0.9
    assert rates["no release, a knowing prior"].share > 0.9
