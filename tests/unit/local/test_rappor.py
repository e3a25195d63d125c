"""RAPPOR over time."""

from collections import Counter
from fractions import Fraction
from itertools import product

import pytest

from tacit.audit import compare
from tacit.errors import InvalidInput
from tacit.local import PermanentResponse, Rappor
from tests.laws.every_protocol import enumerated_law

F = Fraction
RAPPOR = Rappor(2, lie=F(1, 2), shown=F(3, 4), unshown=F(1, 4))


def law_of_many(value, reports):
    """The exact law of so many reports of one client: the permanent bits once, then fresh coins."""
    permanent = enumerated_law(lambda draws: RAPPOR.keep_index(value, draws))
    law = Counter()
    for kept, chance in permanent.items():
        fresh = enumerated_law(lambda draws, kept=kept: kept.randomise(draws))
        for several in product(fresh.items(), repeat=reports):
            weight = chance
            for _, each in several:
                weight *= each
            law[tuple(report for report, _ in several)] += weight
    return law


def test_many_reports_cost_no_more_than_the_permanent_bits():
    ratios = [compare(law_of_many(0, count), law_of_many(1, count)).ratio() for count in (1, 2, 3)]
    assert ratios[0] == RAPPOR.ratio
    assert ratios[0] < ratios[1] < ratios[2] < RAPPOR.lasting_ratio


def test_the_permanent_bits_themselves_cost_the_lasting_loss():
    laws = [
        enumerated_law(lambda draws, value=value: RAPPOR.keep_index(value, draws).bits)
        for value in (0, 1)
    ]
    assert compare(*laws).ratio() == RAPPOR.lasting_ratio == 9
    assert RAPPOR.lasting_loss().epsilon == pytest.approx(2.1972245773)
    assert RAPPOR.lasting_loss(changes=2).epsilon == RAPPOR.lasting_loss().epsilon * 3


def test_a_kept_client_reports_from_its_bits_alone():
    sure = Rappor(3, lie=F(1, 2), shown=1, unshown=0)
    client = sure.keep(1)
    assert isinstance(client, PermanentResponse)
    assert len({client.report() for _ in range(20)}) == 1


@pytest.mark.parametrize(
    ("lie", "shown", "unshown"),
    [(0, 1, 0), (1, 1, 0), (F(1, 2), F(1, 4), F(1, 4)), (F(1, 2), 2, 0)],
)
def test_probabilities_that_make_no_sense_are_refused(lie, shown, unshown):
    with pytest.raises(InvalidInput):
        Rappor(2, lie, shown, unshown)
