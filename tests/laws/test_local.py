"""The laws of local protocols, in rationals: what a report costs, how it is drawn, what it estimates."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from tacit.audit import verify
from tacit.exact import ball, lower, working
from tacit.local import (
    CountMeanSketch,
    Duchi,
    HadamardResponse,
    Hybrid,
    KaryResponse,
    LocalHashing,
    Piecewise,
    SubsetSelection,
    Unary,
)
from tacit.privacy import Neighbours
from tests.laws.every_protocol import (
    crossed_law,
    enumerated_law,
    every_frequency,
    every_mean,
    names_of,
    positive,
)
from tests.together import together

F = Fraction


@every_frequency
def test_the_exact_law_costs_what_is_claimed_and_no_less(protocol):
    report = verify(
        lambda rows: protocol.distribution(rows[0]), protocol.values, 1, Neighbours.REPLACE
    )
    assert report.exact
    assert report.ratio() == protocol.ratio
    assert protocol.loss().neighbours is Neighbours.REPLACE
    with working(400):
        exact = lower(ball(protocol.ratio).log())
    assert exact <= protocol.loss().epsilon <= exact * (1 + F(1, 2**60))
    assert F(protocol.epsilon) >= exact


@together
@pytest.mark.parametrize("epsilon", [F(1, 1000), 0.1, F(1, 2), 1, 2, 4, 10, 20])
@pytest.mark.parametrize(
    "made",
    [
        KaryResponse,
        Unary,
        Unary.symmetric,
        LocalHashing,
        HadamardResponse,
        SubsetSelection,
        lambda k, e: CountMeanSketch(k, e, width=11),
        lambda k, e: Duchi(0, k, e),
        lambda k, e: Piecewise(0, k, e),
        lambda k, e: Hybrid(0, k, e),
    ],
)
def test_no_protocol_costs_more_than_was_asked_nor_much_less(made, epsilon):
    if epsilon == F(1, 1000):
        epsilon = F(1, 1024)
    ratio = made(20, epsilon).ratio
    with working(400):
        asked = ball(min(F(epsilon), F(str(epsilon)))).exp()
        assert ball(ratio) <= asked
        assert ball(ratio * (1 + F(1, 2**30))) >= asked


@every_frequency
def test_encode_has_the_exact_law(protocol):
    for index, value in enumerate(protocol.values):
        law = enumerated_law(lambda draws, index=index: protocol.randomise(index, draws))
        assert law == positive(protocol.distribution(value))


@every_frequency
def test_many_at_once_have_the_same_law(protocol):
    for index, value in enumerate(protocol.values):
        law = crossed_law(
            protocol.randomise_all, index, lambda reports: names_of(protocol, reports)
        )
        assert law == positive(protocol.distribution(value))


@every_frequency
def test_estimates_are_unbiased_and_have_the_stated_variance(protocol):
    size = len(protocol.values)
    supports = {
        report: protocol.collect([report]).supports
        for report in protocol.distribution(protocol.values[0])
    }
    for held, other in product(range(size), repeat=2):
        law = protocol.distribution(protocol.values[held])
        chance = sum(mass for report, mass in law.items() if supports[report][other])
        assert chance == (protocol.truth if held == other else protocol.stray)
        counts = {
            report: protocol.collect([report]).count(protocol.values[other]) for report in law
        }
        mean = sum(mass * counts[report] for report, mass in law.items())
        assert mean == (held == other)
        spread = sum(mass * (counts[report] - mean) ** 2 for report, mass in law.items())
        assert spread == protocol.variance(int(held == other))


def shape(report):
    """All that can be seen of a report before its digits are read."""
    if isinstance(report, tuple):
        return tuple(map(shape, report))
    return (type(report), len(report)) if isinstance(report, str) else type(report)


@every_frequency
def test_the_length_of_a_report_says_nothing(protocol):
    shapes = {shape(report) for value in protocol.values for report in protocol.distribution(value)}
    assert len(shapes) == 1
    for value in protocol.values:
        encoded = [protocol.encode(value) for _ in range(20)]
        assert {shape(report) for report in encoded} == shapes
        assert protocol.collect(encoded).people == 20


@every_mean
def test_a_number_costs_what_is_claimed_and_no_less(protocol):
    steps = range(protocol.steps + 1)
    report = verify(lambda rows: protocol.distribution(rows[0]), steps, 1, Neighbours.REPLACE)
    assert report.ratio() == protocol.ratio


@every_mean
def test_a_number_is_encoded_by_the_exact_law(protocol):
    for step in range(protocol.steps + 1):
        law = enumerated_law(lambda draws, step=step: protocol.randomise(step, draws))
        assert law == positive(protocol.distribution(step))


@every_mean
def test_many_numbers_at_once_have_the_same_law(protocol):
    def names(reports):
        return [protocol.name(int(report)) for report in reports]

    for step in range(protocol.steps + 1):
        assert crossed_law(protocol.randomise_all, step, names) == positive(
            protocol.distribution(step)
        )


@every_mean
def test_the_mean_of_numbers_is_unbiased(protocol):
    for step in range(protocol.steps + 1):
        law = protocol.law(step)
        mean = sum(protocol.score(report) * mass for report, mass in law.items())
        assert mean == protocol.low + (protocol.high - protocol.low) * F(step, protocol.steps)
        for report in law:
            assert protocol.collect([protocol.name(report)]).total == protocol.score(report)
            assert protocol.collect(np.array([report])).total == protocol.score(report)
