"""What an audit certifies, on counts that are known in advance."""

from fractions import Fraction
from itertools import count
from math import comb, log

import numpy as np
import pytest

from tacit.audit import audit
from tacit.audit.events import Event
from tacit.audit.outcome_bins import NamedCells
from tacit.audit.statistical import Evidence
from tacit.errors import InvalidInput
from tacit.mechanisms import Gaussian, Laplace
from tacit.privacy import PureLoss

F = Fraction
SURE = 1 - F(1, 10**6)


def scripted(*halves):
    """A mechanism without chance: on either database, an output by the number of the call."""
    calls = {0: count(), 1: count()}
    return lambda data: halves[data](next(calls[data]))


def evidence(low, high):
    event = Event(NamedCells(("a",)), np.array([True, False]), 0)
    return Evidence(event, 100, 0, 0, F(low), F(high))


def tail(hits, runs, share):
    return sum(comb(runs, k) * share**k * (1 - share) ** (runs - k) for k in range(hits, runs + 1))


def test_what_only_the_first_half_shows_is_not_certified():
    """The first half tells the two databases apart for certain; the second half does not tell them apart at all."""
    mechanism = scripted(lambda n: "a" if n < 500 else n % 2, lambda n: "b" if n < 500 else n % 2)
    found = audit(mechanism, (0, 1), 1000, SURE)
    assert (found.epsilon, found.mu, found.total_variation) == (0, 0, 0)


def test_what_only_the_second_half_shows_is_missed():
    mechanism = scripted(lambda n: n % 2 if n < 500 else "a", lambda n: n % 2 if n < 500 else "b")
    assert audit(mechanism, (0, 1), 1000, SURE).epsilon == 0


def test_all_bounds_together_fail_as_rarely_as_was_said():
    """The chance that an event has of looking as it did, if it had exactly its bound, summed over all bounds."""
    mechanism = scripted(lambda n: "a" if n % 10 < 7 else "b", lambda n: "a" if n % 10 < 3 else "b")
    found = audit(mechanism, (0, 1), 400, 1 - F(1, 100))
    failures = [tail(each.hits, each.runs, each.low) for each in found.evidence]
    failures += [tail(each.runs - each.alarms, each.runs, 1 - each.high) for each in found.evidence]
    assert len(failures) == 6
    assert F(9, 1000) < sum(failures) <= F(1, 100)
    assert all(failure > F(1, 1000) for failure in failures), "both ends of every event are moved"


def test_both_directions_count():
    """An outcome that only one of the two can have: the other way round it shows next to nothing."""
    sometimes = (lambda n: "a", lambda n: "a" if n % 10 else "b")
    for mechanism in (scripted(*sometimes), scripted(*sometimes[::-1])):
        found = audit(mechanism, (0, 1), 2000, SURE)
        assert found.epsilon > 1
        assert str(found.witness.event) == "'b'"


def test_epsilon_is_what_the_event_forces():
    assert float(evidence(F(3, 4), F(1, 4)).epsilon(F(0))) == pytest.approx(log(3))
    assert float(evidence(F(3, 4), F(1, 4)).epsilon(F(1, 4))) == pytest.approx(log(2))
    assert evidence(F(1, 4), F(1, 4)).epsilon(F(0)) == 0
    assert evidence(F(1, 4), F(1, 8)).epsilon(F(1, 4)) == 0
    assert evidence(0, F(1, 8)).epsilon(F(0)) == 0
    assert evidence(F(3, 4), F(1, 4)).total_variation == F(1, 2)
    assert evidence(F(1, 4), F(3, 4)).total_variation == 0


def test_mu_is_what_the_event_forces():
    low, high = F("0.9772498680518208"), F("0.15865525393145707")  # two deviations up, one down
    assert float(evidence(low, high).mu()) == pytest.approx(3, abs=1e-9)
    assert evidence(high, low).mu() == 0
    assert evidence(0, high).mu() == 0


def test_a_claim_is_a_number_or_a_loss():
    pair, runs = (0, 3), 2000
    assert audit(Laplace(1), pair, runs, SURE, claimed=1).refuted
    assert audit(Laplace(1), pair, runs, SURE, claimed=PureLoss(1)).refuted
    assert not audit(Laplace(1), pair, runs, SURE, claimed=Laplace(1).loss(3)).refuted
    assert not audit(Laplace(1), pair, runs, SURE).refuted
    gaussian = Gaussian.calibrate(1, F(1, 10**6), 1)
    found = audit(gaussian, (0, 1), runs, SURE, delta=F(1, 10**6), claimed=gaussian.loss(1))
    assert found.claimed == pytest.approx(1)
    assert audit(Gaussian(1), pair, runs, SURE, claimed_mu=1).refuted_mu


def test_other_deltas_are_certified_by_the_same_runs():
    found = audit(Laplace(1), (0, 3), 5000, SURE)
    assert found.epsilon == found.epsilon_at(0) > found.epsilon_at(0.1) > found.epsilon_at(0.9) == 0


def test_the_report_can_be_read():
    found = audit(Laplace(1), (0, 3), 2000, SURE, claimed=1, claimed_mu=9)
    said = str(found)
    assert said.startswith(
        "Laplace(scale=Fraction(1, 1), grid=None): 2,000 runs on each of two databases, "
    )
    assert "confidence 1 - 1e-06" in said
    assert "at delta 0; claimed 1, REFUTED" in said
    assert "claimed 9, not refuted" in said
    assert "of 1,000 times on 3" in said
    witness = str(found.witness)
    assert witness == repr(found.witness)
    assert witness.startswith(str(found.witness.event))
    assert "of 1,000 times on one database and" in witness
    assert "array" not in witness
    assert str(audit(len, ("ab", "abc"), 200, SURE)).startswith("len: ")


def test_the_picture_is_drawn(tmp_path):
    for number, mechanism in enumerate(
        (Laplace(1), lambda data: "ab"[data // 3], lambda data: (data, 1))
    ):
        file = tmp_path / f"{number}.png"
        audit(mechanism, (0, 3), 500, SURE, claimed=1).plot(file)
        assert file.stat().st_size > 10_000


@pytest.mark.parametrize(
    "wrong",
    [
        {"samples": 99},
        {"samples": 1.5},
        {"confidence": 1},
        {"confidence": 0.5},
        {"confidence": "high"},
        {"delta": 1},
        {"delta": -0.1},
        {"pair": (1,)},
        {"mechanism": 3},
        {"claimed": "small"},
    ],
)
def test_what_makes_no_sense_is_refused(wrong):
    right = {"mechanism": Laplace(1), "pair": (0, 1), "samples": 100, "confidence": 0.99}
    with pytest.raises(InvalidInput):
        audit(**(right | wrong))
