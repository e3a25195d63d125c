"""Rates fill up with time and are kept for each name; at most so many questions are asked at once."""

import pytest

from tacit.errors import TooMany
from tacit.server.rate_limits import _MOST_NAMES, Rate, Rates, Waiting


def test_a_rate_is_kept_for_each_name_and_fills_up_again():
    now = [0.0]
    rates = Rates({"questions": Rate(2, 10.0)}, now=lambda: now[0])
    for name in ("ana", "ana", "ben"):
        rates.take("questions", name)
    with pytest.raises(TooMany) as refusal:
        rates.take("questions", "ana")
    assert refusal.value.seconds == 5.0
    rates.take("questions", "ben")
    now[0] = 5.0
    rates.take("questions", "ana")
    with pytest.raises(TooMany):
        rates.take("questions", "ana")
    now[0] = 1000.0  # no more than the rate is saved up
    for _ in range(2):
        rates.take("questions", "ana")
    with pytest.raises(TooMany):
        rates.take("questions", "ana")


def test_names_that_nobody_uses_are_forgotten_and_busy_ones_are_not():
    now = [0.0]
    rates = Rates({"questions": Rate(1, 10.0)}, now=lambda: now[0])
    for number in range(_MOST_NAMES):
        rates.take("questions", f"n{number}")
    now[0] = 5.0
    rates.take("questions", "one more")
    assert len(rates._left) == _MOST_NAMES
    now[0] = 11.0
    rates.take("questions", "and another")
    assert len(rates._left) == 2
    with pytest.raises(TooMany):
        rates.take("questions", "one more")


def test_so_many_questions_are_asked_at_once_and_no_more():
    waiting = Waiting(2)
    waiting.enter("ana")
    waiting.enter("ana")
    waiting.enter("ben")
    with pytest.raises(TooMany):
        waiting.enter("ana")
    waiting.leave("ana")
    waiting.enter("ana")
    waiting.leave("ana")
    waiting.leave("ana")
    assert waiting._now == {"ben": 1}


def test_checking_a_rate_takes_nothing():
    now = [0.0]
    rates = Rates({"questions": Rate(1, 10.0)}, now=lambda: now[0])
    for _ in range(5):
        rates.check("questions", "ana")
    rates.take("questions", "ana")
    with pytest.raises(TooMany) as refusal:
        rates.check("questions", "ana")
    assert refusal.value.seconds == 10.0
    now[0] = 10.0
    rates.check("questions", "ana")
