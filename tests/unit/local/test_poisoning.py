"""Forged reports: what they can do at most, and that they do it."""

from fractions import Fraction

import numpy as np
import pytest

from tacit.errors import InvalidInput
from tacit.local import forge_reports, measure_poisoning, poisoning_bound
from tests.laws.every_protocol import every_frequency

F = Fraction


@every_frequency
def test_no_forged_report_adds_more_than_the_bound(protocol):
    """Of every report that is accepted, the count above an honest report's: in rationals."""
    bound = poisoning_bound(protocol, 1)
    for value in protocol.values:
        counts = [
            protocol.collect([report]).count(value) for report in protocol.distribution(value)
        ]
        assert max(counts) == bound
        assert bound >= 1


@every_frequency
def test_forged_reports_are_accepted_and_support_their_value(protocol):
    for value in protocol.values:
        found = protocol.collect(forge_reports(protocol, value, 60))
        assert found.supports[protocol.index_of(value)] == 60


@every_frequency
def test_what_is_measured_is_what_the_bound_says(protocol):
    """Seven deviations: fails once in 10^11."""
    held = [protocol.values[turn % len(protocol.values)] for turn in range(4000)]
    found = measure_poisoning(protocol, held, protocol.values[0], F(1, 10))
    assert abs(found.gain - found.bound) < 7 * found.deviation


@pytest.mark.parametrize("share", [-1, 2])
def test_a_share_that_is_none_is_refused(share):
    with pytest.raises(InvalidInput):
        poisoning_bound(next(iter(every_frequency.args[1])), share)


def test_a_smaller_epsilon_makes_every_forged_report_weigh_more():
    from tacit.local import Unary

    bounds = [float(poisoning_bound(Unary(10, epsilon), F(1, 100))) for epsilon in (0.5, 1, 2, 4)]
    assert bounds == sorted(bounds, reverse=True)
    assert np.isclose(bounds[1], 0.01 * (1 - 0.26894) / (0.5 - 0.26894), rtol=1e-3)
