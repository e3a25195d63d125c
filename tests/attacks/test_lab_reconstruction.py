"""A thousand bits from two thousand sums: rebuilt from answers within one, and not from Tacit's.

False alarm: on Tacit's answers the number of recovered bits is at most binomial with the rate that two steps of
add-or-remove allow, so a limit is accused with probability below 1e-6. Rebuilding fewer than 95 % of the bits from
answers within one would need errors of ten deviations in fifty bits.
"""

from functools import cache

import pytest

from tacit.audit.attacks import AttackReport, reconstruction
from tacit.audit.attacks.chances import most_wins, two_steps
from tacit.audit.attacks.noise_of_a_vault import DELTA
from tacit.audit.attacks.report import Rate

LIMITS = (0.1, 1.0, 100.0)


@cache
def run() -> AttackReport:
    return reconstruction(limits=LIMITS)


def test_nearly_all_bits_come_out_of_answers_within_one() -> None:
    assert run().naive.tries == 1000
    assert run().naive.share > 0.95


def test_from_tacit_no_more_comes_out_than_two_steps_allow() -> None:
    report = run()
    assert report.allowed == pytest.approx(most_wins(*two_steps(0.5, DELTA)))
    for rate in (report.tacit, *(rate for _, rate in report.also)):
        assert not rate.exceeds(report.allowed, 1e-6)


@pytest.mark.parametrize("which", [0, 1], ids=["linear programme", "least squares"])
def test_the_curve_stays_below_what_each_limit_allows(which: int) -> None:
    line = run().lines[which]
    for limit, share in zip(line.across, line.up, strict=True):
        assert not Rate(share * 1000, 1000).exceeds(most_wins(*two_steps(limit, DELTA)), 1e-6)


def test_the_same_attack_works_once_the_limit_is_no_limit() -> None:
    """Else it would prove nothing: at epsilon 100 the noise is small, and nine bits in ten come out."""
    for line in run().lines[:2]:
        assert dict(zip(line.across, line.up, strict=True))[100.0] > 0.9
