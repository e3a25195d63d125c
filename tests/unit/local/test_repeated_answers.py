"""Repeated surveys: what is kept, and what averaging would reveal."""

from fractions import Fraction

import pytest

from tacit.errors import InvalidInput
from tacit.local import Hybrid, KaryResponse, Memo, guess_by_averaging
from tests.laws.every_protocol import every_frequency

F = Fraction


class Counting:
    """A protocol whose reports are numbered, so that a fresh one is seen."""

    ratio = F(3)

    def __init__(self):
        self.made = []

    def index_of(self, value):
        return "abc".index(value)

    def encode(self, value):
        self.made.append(value)
        return len(self.made) % 2  # reports of different values coincide


def test_reports_are_kept_by_the_value():
    protocol = Counting()
    memo = Memo(protocol)
    days = [memo.encode(value) for value in "aababcacb"]
    assert protocol.made == ["a", "b", "c"]
    assert days == [1, 1, 0, 1, 0, 1, 1, 1, 0]
    assert memo.loss().epsilon == pytest.approx(3 * 1.0986122886681098)


@every_frequency
def test_a_memo_repeats_itself(protocol):
    memo = Memo(protocol)
    for value in protocol.values:
        assert len({memo.encode(value) for _ in range(5)}) == 1


def test_numbers_are_kept_by_their_step():
    memo = Memo(Hybrid(0, 10, 1, steps=10))
    assert len({memo.encode(number) for number in (3, 3.1, 2.9, F(3))}) == 1
    memo.encode(4)
    assert memo.loss().epsilon == pytest.approx(2, rel=1e-6)


def test_averaging_reveals_what_is_reported_afresh():
    response = KaryResponse.two_coin()
    assert guess_by_averaging(response, 1) == F(3, 4)
    assert guess_by_averaging(response, 2) == F(3, 4)
    assert guess_by_averaging(response, 3) == F(27, 64) + 3 * F(9, 64)
    assert guess_by_averaging(response, 101) > F(999_999, 10**6)
    with pytest.raises(InvalidInput):
        guess_by_averaging(KaryResponse(3, 1), 2)
