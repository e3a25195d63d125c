"""What holds for every ledger: charges fit, are made once a question, and are never given back."""

import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import FrozenInstanceError, replace
from datetime import UTC, datetime
from fractions import Fraction
from functools import partial
from threading import Barrier
from time import sleep
from typing import Any
from unittest.mock import patch
from warnings import catch_warnings, simplefilter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tacit.accounting import Charge, ConcentratedFilter, PureFilter
from tacit.errors import InvalidInput, LedgerRefused, LimitExceeded, NotChargeable
from tacit.ledger import Entry, Ledger, durable, fields_of
from tacit.mechanisms import Gaussian, Laplace
from tacit.privacy import (
    ApproximateLoss,
    Composed,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    Neighbours,
    Norm,
    PureLoss,
    Sensitivity,
    ZeroConcentratedLoss,
)
from tests.laws.every_ledger import (
    CONCENTRATED,
    LEDGERS,
    PLACES,
    PURE,
    Yielding,
    both_currencies,
    every_ledger,
    every_place,
    pure_loss,
)
from tests.laws.sampled import few

F = Fraction
WORKERS = 16


def summed(entries: Any) -> Charge:
    """The sum of what entries cost."""
    total = Charge()
    for entry in entries:
        total += entry.charge
    return total


def granted(ledger: Ledger, keys: Any, charge: Callable[[bytes], Entry]) -> int:
    """How many of the keys can be charged before the first that cannot; nothing later fits either."""
    count = 0
    for key in keys:
        try:
            charge(key)
        except LimitExceeded:
            return count
        count += 1
    return count


def names(count: int, prefix: str = "question") -> list[bytes]:
    """So many different keys."""
    return [f"{prefix} {number}".encode() for number in range(count)]


@contextmanager
def impatient() -> Iterator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def together(tasks: list[Callable[[], Any]]) -> list[Any]:
    """What every task returns, all of them started at the same moment."""
    barrier = Barrier(len(tasks))

    def started(task: Callable[[], Any]) -> Any:
        barrier.wait()
        return task()

    with impatient(), ThreadPoolExecutor(len(tasks)) as pool:
        return list(pool.map(started, tasks))


# ---------------------------------------------------------------- limits


@every_ledger
@both_currencies
@pytest.mark.parametrize("share", [1, 2, 3, 7, 40])
@pytest.mark.parametrize("more", [0, 1])
def test_as_many_charges_are_granted_as_fit_and_not_one_more(opened, currency, share, more):
    limit = currency.limit.limit.amount
    price = limit // share + more
    with opened(currency.limit, None) as ledger:
        count = granted(
            ledger, names(share + 2), lambda key: ledger.charge(key, currency.loss(price))
        )
        assert count == limit // price
        assert ledger.total_spent() == Charge(count * price)


@every_ledger
@pytest.mark.parametrize("share", [1, 3, 40])
@pytest.mark.parametrize("more", [0, 1])
def test_the_reserve_for_failures_is_a_limit_of_its_own(opened, share, more):
    reserve = CONCENTRATED.limit.limit.failure
    price = reserve // share + more
    with opened(CONCENTRATED.limit, None) as ledger:
        count = granted(
            ledger, names(share + 2), lambda key: ledger.charge(key, CONCENTRATED.loss(1, price))
        )
        assert count == reserve // price
        assert ledger.total_spent() == Charge(count, count * price)


@every_ledger
@both_currencies
def test_the_last_unit_can_be_spent_and_nothing_after_it(opened, currency):
    limit = currency.limit.limit.amount
    with opened(currency.limit, None) as ledger:
        ledger.charge(b"most", currency.loss(limit - 1))
        ledger.charge(b"last", currency.loss(1))
        with pytest.raises(LimitExceeded):
            ledger.charge(b"one more", currency.loss(1))
        assert ledger.total_spent() == Charge(limit)


@every_ledger
@both_currencies
@pytest.mark.parametrize("epsilon", [0.3, 1, 3])
def test_a_price_asked_for_by_its_epsilon_is_granted_floor_of_limit_over_price_times(
    opened, currency, epsilon
):
    price = currency.limit.price_of(epsilon)
    fitting = currency.limit.limit.amount // price.amount
    with opened(currency.limit, None) as ledger:
        count = granted(
            ledger, names(fitting + 2), lambda key: ledger.charge(key, currency.loss(price.amount))
        )
        assert (
            count
            == fitting
            == {"pure": {0.3: 10, 1: 3, 3: 1}, "concentrated": {0.3: 74, 1: 7, 3: 1}}[
                currency.name
            ][epsilon]
        )


@every_ledger
@both_currencies
@pytest.mark.parametrize("part", [F(1, 3), F(1), F(3)])
def test_an_analyst_is_held_at_the_smaller_of_both_limits(opened, currency, part):
    own = currency.scaled(part)
    price = min(own.limit.amount, currency.limit.limit.amount) // 5
    fitting = min(own.limit.amount, currency.limit.limit.amount) // price
    with opened(currency.limit, {"ann": own, "bob": currency.limit}) as ledger:
        count = granted(
            ledger, names(9), lambda key: ledger.charge(key, currency.loss(price), "ann")
        )
        assert count == fitting
        assert ledger.total_spent("ann") == ledger.total_spent() == Charge(count * price)
        assert ledger.total_spent("bob") == Charge()


@every_ledger
@both_currencies
def test_all_analysts_together_are_held_at_the_limit_for_everyone(opened, currency):
    limit = currency.limit.limit.amount
    price = limit // 5
    analysts = {"ann": currency.limit, "bob": currency.limit, "eve": currency.limit}
    with opened(currency.limit, analysts) as ledger:
        who = ["ann", "bob", "eve", None] * 3
        keys = iter(who)
        assert (
            granted(
                ledger, names(12), lambda key: ledger.charge(key, currency.loss(price), next(keys))
            )
            == 5
        )
        spent = [ledger.total_spent(name).amount // price for name in ("ann", "bob", "eve", None)]
        assert spent == [2, 1, 1, 5]


@every_ledger
@both_currencies
def test_what_one_analyst_may_not_spend_another_still_may(opened, currency):
    small = currency.scaled(F(1, 4))
    price = small.limit.amount
    with opened(currency.limit, {"ann": small, "bob": currency.limit}) as ledger:
        ledger.charge(b"first", currency.loss(price), "ann")
        with pytest.raises(LimitExceeded) as refused:
            ledger.charge(b"second", currency.loss(price), "ann")
        assert refused.value.analyst == "ann"
        assert ledger.charge(b"second", currency.loss(price), "bob").analyst == "bob"


@every_ledger
def test_an_analyst_may_not_be_limited_in_another_currency(opened):
    for limit, own in ((PURE, CONCENTRATED), (CONCENTRATED, PURE)):
        with pytest.raises(InvalidInput), opened(limit.limit, {"ann": own.limit}):
            pass


@every_ledger
@pytest.mark.parametrize("analyst", ["nobody", "ANN", "", b"ann", 1, True])
def test_an_analyst_whom_the_policy_does_not_name_is_refused(opened, analyst):
    with opened(PURE.limit, {"ann": PURE.limit}) as ledger:
        with pytest.raises(InvalidInput):
            ledger.charge(b"question", pure_loss(1), analyst)
        assert list(ledger.entries()) == []


# ---------------------------------------------------------------- races


@every_ledger
@pytest.mark.parametrize("fitting", [1, 7, 40])
def test_racing_threads_are_granted_exactly_what_fits(opened, fitting):
    limit = Yielding(3)
    price = limit.limit.amount // fitting

    def asks(worker):
        return lambda: granted(
            ledger, names(41, f"of {worker}"), lambda key: ledger.charge(key, pure_loss(price))
        )

    with opened(limit, None) as ledger:
        assert sum(together([asks(worker) for worker in range(WORKERS)])) == fitting
        assert ledger.total_spent() == summed(ledger.entries()) == Charge(fitting * price)
        assert [entry.number for entry in ledger.entries()] == list(range(fitting))


@every_ledger
def test_racing_threads_are_granted_exactly_what_fits_an_analyst(opened):
    limit, own = Yielding(3), Yielding(1)
    price = own.limit.amount // 6

    def asks(worker):
        return lambda: granted(
            ledger,
            names(8, f"of {worker}"),
            lambda key: ledger.charge(key, pure_loss(price), "ann"),
        )

    with opened(limit, {"ann": own}) as ledger:
        assert sum(together([asks(worker) for worker in range(WORKERS)])) == 6
        assert ledger.total_spent("ann") == ledger.total_spent() == Charge(6 * price)


@every_ledger
def test_threads_that_race_with_one_question_pay_once(opened):
    with opened(Yielding(3), None) as ledger:
        found = together([lambda: ledger.charge(b"question", pure_loss(5))] * WORKERS)
        assert len(set(found)) == 1
        assert ledger.total_spent() == Charge(5)


@every_ledger
def test_threads_that_race_to_answer_all_leave_with_one_answer(opened):
    with opened(Yielding(3), None) as ledger:
        entry = ledger.charge(b"question", pure_loss(5))

        def answers(worker):
            return lambda: ledger.settle(entry, f"noise of {worker}".encode())

        found = together([answers(worker) for worker in range(WORKERS)])
        assert len(set(found)) == 1
        assert ledger.charge(b"question", pure_loss(5)) == found[0]


@every_ledger
def test_entries_may_be_read_while_others_are_charged(opened):
    with opened(PURE.limit, None) as ledger:
        for key in names(3):
            ledger.charge(key, pure_loss(1))
        seen = ledger.entries()
        for entry in seen:
            ledger.charge(b"after " + entry.key, pure_loss(1))
            ledger.settle(entry, b"answer")
        assert len(list(ledger.entries())) == 6


@every_ledger
def test_some_entries_are_those_of_all_with_their_numbers(opened):
    with opened(PURE.limit, None) as ledger:
        for key in names(5):
            ledger.charge(key, pure_loss(1))
        whole = list(ledger.entries())
        for first in range(-1, 7):
            assert list(ledger.entries(first)) == whole[max(first, 0) :]
            assert (
                list(ledger.entries(first, first + 2)) == whole[max(first, 0) : max(first + 2, 0)]
            )
        assert list(ledger.entries(2**61, 2**61 + 1)) == list(ledger.entries(3, 3)) == []


# ---------------------------------------------------------------- one question, one charge


@every_ledger
@both_currencies
def test_the_same_question_at_the_same_price_is_charged_once(opened, currency):
    with opened(currency.limit, None) as ledger:
        first = ledger.charge(b"question", currency.loss(7))
        assert ledger.charge(b"question", currency.loss(7)) == first
        assert ledger.total_spent() == Charge(7)
        assert list(ledger.entries()) == [first]


@every_ledger
@both_currencies
def test_a_lower_price_is_free_and_has_the_earlier_answer(opened, currency):
    with opened(currency.limit, None) as ledger:
        paid = ledger.settle(ledger.charge(b"question", currency.loss(7)), b"answer")
        assert ledger.charge(b"question", currency.loss(6)) == paid
        assert ledger.charge(b"question", currency.loss(0)) == paid
        assert ledger.total_spent() == Charge(7)


@every_ledger
@both_currencies
def test_a_higher_price_is_a_new_charge_in_full(opened, currency):
    with opened(currency.limit, None) as ledger:
        ledger.settle(ledger.charge(b"question", currency.loss(7)), b"rough")
        finer = ledger.charge(b"question", currency.loss(8))
        assert (finer.is_answered, ledger.total_spent()) == (False, Charge(15))
        ledger.settle(finer, b"fine")
        assert ledger.charge(b"question", currency.loss(8)).payload == b"fine"
        assert ledger.total_spent() == Charge(15)


@every_ledger
@both_currencies
def test_with_once_a_key_is_charged_once_whatever_its_price(opened, currency):
    with opened(currency.limit, None) as ledger:
        first = ledger.charge(b"question", currency.loss(7), once=True)
        assert ledger.charge(b"question", currency.loss(9), once=True) == first
        assert ledger.total_spent() == Charge(7)
        assert ledger.charge(b"another", currency.loss(9), once=True).number == 1
        assert ledger.charge(b"question", currency.loss(9)).number == 2


@every_ledger
def test_with_once_one_of_many_pays(opened):
    with opened(PURE.limit, None) as ledger:
        found = together(
            [
                lambda amount=amount: ledger.charge(b"question", pure_loss(amount), once=True)
                for amount in range(1, WORKERS + 1)
            ]
        )
        assert len({entry.number for entry in found}) == 1
        assert ledger.total_spent() == found[0].charge


@every_ledger
def test_a_price_is_higher_if_either_part_of_it_is(opened):
    with opened(CONCENTRATED.limit, None) as ledger:
        ledger.charge(b"question", CONCENTRATED.loss(7, 7))
        assert ledger.charge(b"question", CONCENTRATED.loss(7, 6)).number == 0
        assert ledger.charge(b"question", CONCENTRATED.loss(6, 8)).number == 1
        assert ledger.charge(b"question", CONCENTRATED.loss(8, 6)).number == 2
        assert ledger.charge(b"question", CONCENTRATED.loss(6, 8)).number == 1
        assert ledger.total_spent() == Charge(7 + 6 + 8, 7 + 8 + 6)


@every_ledger
@both_currencies
def test_a_question_asked_before_is_free_when_nothing_is_left(opened, currency):
    with opened(currency.limit, None) as ledger:
        paid = ledger.settle(
            ledger.charge(b"all", currency.loss(currency.limit.limit.amount)), b"answer"
        )
        with pytest.raises(LimitExceeded):
            ledger.charge(b"more", currency.loss(1))
        assert ledger.charge(b"all", currency.loss(currency.limit.limit.amount)) == paid


@every_ledger
@given(keys=st.lists(st.binary(min_size=1, max_size=4), min_size=2, max_size=12, unique=True))
@settings(max_examples=10)
def test_different_keys_are_different_questions(opened, keys):
    with opened(PURE.limit, None) as ledger:
        for key in keys:
            ledger.charge(key, pure_loss(1))
        assert ledger.total_spent() == Charge(len(keys))
        assert [entry.key for entry in ledger.entries()] == keys


@every_ledger
@both_currencies
def test_an_entry_says_what_was_spent_before_it_by_all(opened, currency):
    with opened(currency.limit, None) as ledger:
        for number, (analyst, price) in enumerate([("ann", 3), (None, 4), ("bob", 5), ("ann", 0)]):
            before = ledger.total_spent()
            entry = ledger.charge(b"%d" % number, currency.loss(price), analyst)
            assert entry.before == before
            assert ledger.total_spent() == entry.before + entry.charge
        assert [entry.before.amount for entry in ledger.entries()] == [0, 3, 7, 12]


@every_ledger
def test_a_question_asked_again_keeps_the_words_and_the_topic_of_the_first_time(opened):
    with opened(PURE.limit, None) as ledger:
        first = ledger.charge(
            b"question", pure_loss(3), topic=b"visits", about="how many visits? – “all”"
        )
        assert (first.topic, first.about) == (b"visits", "how many visits? – “all”")
        assert (
            ledger.charge(b"question", pure_loss(3), "ann", topic=b"other", about="other") == first
        )
        assert list(ledger.entries()) == [first]


@every_ledger
def test_every_entry_has_a_hash_of_its_own_and_a_time(opened):
    with opened(PURE.limit, None) as ledger:
        entries = [ledger.charge(key, pure_loss(1)) for key in names(5)]
        assert len({entry.hash for entry in entries}) == 5
        assert {len(entry.hash) for entry in entries} == {32}
        assert all(datetime.fromisoformat(entry.at).tzinfo is UTC for entry in entries)


@every_ledger
@pytest.mark.parametrize(
    "wrong", [{"topic": "text"}, {"topic": None}, {"about": b"bytes"}, {"about": None}]
)
def test_topics_are_bytes_and_words_are_text(opened, wrong):
    with opened(PURE.limit, None) as ledger:
        with pytest.raises(InvalidInput):
            ledger.charge(b"question", pure_loss(1), **wrong)
        assert list(ledger.entries()) == []


@every_ledger
@pytest.mark.parametrize("analyst", ["ann\0", "\ud800", "two\nlines"])
def test_an_analyst_has_a_name_that_can_be_printed(opened, analyst):
    with opened(PURE.limit, None) as ledger:
        with pytest.raises(InvalidInput):
            ledger.charge(b"question", pure_loss(1), analyst)
        assert list(ledger.entries()) == []


# ---------------------------------------------------------------- topics and versions


@every_ledger
def test_answers_are_found_by_their_topic_newest_first(opened):
    with opened(PURE.limit, None) as ledger:
        entries = [
            ledger.charge(key, pure_loss(1), topic=topic)
            for key, topic in zip(names(6), [b"a", b"b"] * 3, strict=True)
        ]
        for entry in entries[:4]:
            ledger.settle(entry, entry.key.upper())
        assert [entry.number for entry in ledger.find_answered(b"a")] == [2, 0]
        assert [entry.payload for entry in ledger.find_answered(b"b")] == [
            entries[3].key.upper(),
            entries[1].key.upper(),
        ]
        assert list(ledger.find_answered(b"c")) == []
        ledger.settle(entries[4], b"late")
        assert [entry.number for entry in ledger.find_answered(b"a")] == [4, 2, 0]


@every_ledger
def test_charges_are_found_by_their_key_answered_or_not_oldest_first(opened):
    with opened(PURE.limit, None) as ledger:
        cheap = ledger.charge(b"a", pure_loss(1), topic=b"t")
        ledger.charge(b"b", pure_loss(1), topic=b"t")
        dear = ledger.charge(b"a", pure_loss(2), topic=b"t")
        assert list(ledger.find_charged(b"a")) == [cheap, dear]
        settled = ledger.settle(dear, b"answer")
        assert list(ledger.find_charged(b"a")) == [cheap, settled]
        assert list(ledger.find_charged(b"t")) == []


@every_ledger
def test_a_topic_may_have_more_answers_than_are_read_at_a_time(opened):
    with opened(PURE.limit, None) as ledger, patch.object(durable, "MANY", 5):
        entries = [ledger.charge(key, pure_loss(1), topic=b"all") for key in names(13)]
        for entry in entries:
            ledger.settle(entry, entry.key)
        assert [entry.number for entry in ledger.find_answered(b"all")] == list(reversed(range(13)))
        assert [entry.number for entry in ledger.entries()] == list(range(13))


@every_ledger
def test_versions_start_at_nought_and_count_one_by_one_for_each_table(opened):
    with opened(PURE.limit, None) as ledger:
        assert (ledger.version("visits"), ledger.version("wards")) == (0, 0)
        assert [ledger.refresh("visits") for _ in range(3)] == [1, 2, 3]
        assert (ledger.version("visits"), ledger.version("wards")) == (3, 0)
        assert (ledger.total_spent(), list(ledger.entries())) == (Charge(), [])


@every_ledger
def test_a_refresh_gives_nothing_back(opened):
    with opened(PURE.limit, None) as ledger:
        ledger.charge(b"all", pure_loss(PURE.limit.limit.amount))
        ledger.refresh("visits")
        with pytest.raises(LimitExceeded):
            ledger.charge(b"more", pure_loss(1))


@every_ledger
def test_threads_that_refresh_at_once_each_have_a_version_of_their_own(opened):
    with opened(PURE.limit, None) as ledger:
        assert sorted(together([lambda: ledger.refresh("visits")] * WORKERS)) == list(
            range(1, WORKERS + 1)
        )


@every_ledger
@pytest.mark.parametrize("table", [None, 1, b"visits", "a\0b"])
def test_a_table_has_a_name(opened, table):
    with opened(PURE.limit, None) as ledger:
        for call in (ledger.version, ledger.refresh):
            with pytest.raises(InvalidInput):
                call(table)


# ---------------------------------------------------------------- answers


@every_ledger
@given(first=st.binary(max_size=50), second=st.binary(max_size=50))
@settings(max_examples=10)
def test_an_answer_is_stored_once_and_replayed_byte_for_byte(opened, first, second):
    with opened(PURE.limit, None) as ledger:
        entry = ledger.charge(b"question", pure_loss(1))
        assert (entry.is_answered, entry.payload) == (False, None)
        settled = ledger.settle(entry, first)
        assert (settled.is_answered, settled.payload) == (True, first)
        assert ledger.settle(entry, second) == ledger.settle(settled, second) == settled
        assert ledger.charge(b"question", pure_loss(1)) == settled
        assert list(ledger.entries()) == [settled]


@every_ledger
def test_answers_cost_nothing_and_come_in_any_order(opened):
    with opened(PURE.limit, None) as ledger:
        entries = [ledger.charge(key, pure_loss(1)) for key in names(5)]
        for entry in reversed(entries):
            ledger.settle(entry, entry.key.upper())
        assert [entry.payload for entry in ledger.entries()] == [key.upper() for key in names(5)]
        assert ledger.total_spent() == Charge(5)


@every_ledger
def test_a_question_that_was_paid_for_and_not_answered_is_run_again_under_the_same_charge(opened):
    with opened(PURE.limit, None) as ledger:
        lost = ledger.charge(b"question", pure_loss(PURE.limit.limit.amount))
        again = ledger.charge(b"question", pure_loss(PURE.limit.limit.amount))
        assert (again, again.is_answered) == (lost, False)


@every_ledger
def test_only_what_was_charged_here_can_be_answered(opened):
    with opened(PURE.limit, None) as ledger:
        entry = ledger.charge(b"question", pure_loss(3))
        forged = [
            replace(entry, number=1),
            replace(entry, number=-1),
            replace(entry, number=2**70),
            replace(entry, key=b"other"),
            replace(entry, charge=Charge(2)),
            replace(entry, analyst="ann"),
            replace(entry, before=Charge(1)),
            replace(entry, topic=b"other"),
            replace(entry, about="other"),
            replace(entry, hash=bytes(32)),
            replace(entry, at="1970-01-01T00:00:00+00:00"),
        ]
        for other in forged:
            with pytest.raises(InvalidInput):
                ledger.settle(other, b"answer")
        assert list(ledger.entries()) == [entry]


@every_ledger
@pytest.mark.parametrize("payload", ["text", 5, None, bytearray(b"x"), [1, 2]])
def test_an_answer_is_bytes(opened, payload):
    with opened(PURE.limit, None) as ledger:
        entry = ledger.charge(b"question", pure_loss(3))
        with pytest.raises(InvalidInput):
            ledger.settle(entry, payload)
        assert list(ledger.entries()) == [entry]


# ---------------------------------------------------------------- refusals


class Giving(PureLoss):
    """A loss that would give something back."""

    def __init__(self) -> None:
        super().__init__(1)

    def pure(self) -> Fraction:
        """Less than nothing."""
        return Fraction(-1)


WRONG_LOSSES = [
    (PURE, PureLoss(1, Neighbours.REPLACE), NotChargeable),
    (PURE, Laplace(1).loss(Sensitivity(1, neighbours=Neighbours.REPLACE)), NotChargeable),
    (PURE, GaussianLoss(1), NotChargeable),
    (PURE, DiscreteGaussianLoss(1, 1), NotChargeable),
    (PURE, ZeroConcentratedLoss(F(1, 100), 0), NotChargeable),
    (PURE, ApproximateLoss(F(1, 100), F(1, 10**9)), NotChargeable),
    (PURE, PureLoss(F(1, 100)) + GaussianLoss(F(1, 100)), NotChargeable),
    (PURE, Giving(), InvalidInput),
    (PURE, PureLoss(2**1000), LimitExceeded),
    (CONCENTRATED, ZeroConcentratedLoss(F(1, 100), 0, Neighbours.REPLACE), NotChargeable),
    (CONCENTRATED, GaussianLoss(F(1, 100), Neighbours.REPLACE), NotChargeable),
    (CONCENTRATED, ZeroConcentratedLoss(F(1, 10**9), F(1, 10**3)), LimitExceeded),
    (CONCENTRATED, GaussianLoss(10**6), LimitExceeded),
    *[
        (currency, wrong, InvalidInput)
        for currency in (PURE, CONCENTRATED)
        for wrong in (
            0,
            1,
            0.1,
            -0.0,
            float("nan"),
            1e-320,
            True,
            "1",
            None,
            b"1",
            Charge(1),
            [PureLoss(1)],
        )
    ],
]


@every_ledger
@pytest.mark.parametrize(
    ("currency", "loss", "error"),
    WRONG_LOSSES,
    ids=[f"{case[0].name}-{case[1]!r:.50}" for case in WRONG_LOSSES],
)
def test_a_loss_that_cannot_be_summed_or_does_not_fit_is_refused_and_leaves_no_trace(
    opened, currency, loss, error
):
    with opened(currency.limit, {"ann": currency.limit}) as ledger:
        before = [ledger.charge(b"before", currency.loss(1), "ann")]
        for key in (b"before", b"new"):
            with pytest.raises(error):
                ledger.charge(key, loss, "ann")
        assert list(ledger.entries()) == before
        assert ledger.total_spent() == ledger.total_spent("ann") == Charge(1)
        assert ledger.charge(b"new", currency.loss(1)).number == 1


@every_ledger
@both_currencies
@pytest.mark.parametrize(
    "key", ["question", b"", None, 1, bytearray(b"question"), memoryview(b"question"), (b"q",)]
)
def test_a_key_is_bytes_and_not_empty(opened, currency, key):
    with opened(currency.limit, None) as ledger:
        with pytest.raises(InvalidInput):
            ledger.charge(key, currency.loss(1))
        assert (list(ledger.entries()), ledger.total_spent()) == ([], Charge())


@every_ledger
@both_currencies
def test_a_refusal_says_what_was_asked_and_what_is_left(opened, currency):
    limit = currency.limit.limit.amount
    with opened(currency.limit, None) as ledger:
        ledger.charge(b"first", currency.loss(limit // 4))
        with pytest.raises(LimitExceeded) as refused:
            ledger.charge(b"second", currency.loss(limit))
        assert refused.value.asked == 1
        assert refused.value.left == 1 - F(limit // 4, limit)
        assert "100.00%" in str(refused.value)
        assert "75.00%" in str(refused.value)


@every_ledger
def test_after_a_refusal_what_is_left_can_still_be_spent(opened):
    limit = PURE.limit.limit.amount
    with opened(PURE.limit, {"ann": PureFilter(1)}) as ledger:
        with pytest.raises(LimitExceeded):
            ledger.charge(b"too much", pure_loss(limit + 1))
        with pytest.raises(LimitExceeded):
            ledger.charge(b"too much for one", pure_loss(limit), "ann")
        assert ledger.charge(b"all", pure_loss(limit)).charge == Charge(limit)


# ---------------------------------------------------------------- the record


# What looks after a durable ledger without adding to it.
LOOKING = {"has_limits", "close", "place", "records", "verify", "before_fork", "after_fork", "note"}


@every_ledger
def test_nothing_gives_back_what_was_charged(opened):
    protocol = {name for name in vars(Ledger) if not name.startswith("_")}
    with opened(PURE.limit, None) as ledger:
        assert {name for name in dir(ledger) if not name.startswith("_")} - LOOKING == protocol
        assert protocol == {
            "charge",
            "settle",
            "total_spent",
            "entries",
            "find_answered",
            "find_charged",
            "version",
            "refresh",
        }


@every_ledger
def test_an_entry_cannot_be_changed_from_outside(opened):
    with opened(PURE.limit, None) as ledger:
        entry = ledger.charge(b"question", pure_loss(1))
        with pytest.raises(FrozenInstanceError):
            entry.charge = Charge()
        spent = ledger.total_spent()
        with pytest.raises(FrozenInstanceError):
            spent.amount = 0
        assert ledger.total_spent() == Charge(1)


@every_ledger
@both_currencies
def test_losses_of_mechanisms_are_charged_at_their_price(opened, currency):
    sensitivity = Sensitivity(2, Norm.L2 if currency is CONCENTRATED else Norm.L1, dimension=3)
    mechanism = Gaussian(40) if currency is CONCENTRATED else Laplace(40)
    loss = mechanism.loss(sensitivity)
    with opened(currency.limit, None) as ledger:
        ledger.charge(b"one", loss)
        ledger.charge(b"two", Composed.of((loss, 2)))
        prices = [currency.limit.price(loss), currency.limit.price(loss * 2)]
        assert [entry.charge for entry in ledger.entries()] == prices
        assert ledger.total_spent() == prices[0] + prices[1]
        assert prices[0].amount > 0


@every_ledger
def test_pure_noise_is_charged_in_a_concentrated_ledger_too(opened):
    with opened(CONCENTRATED.limit, None) as ledger:
        loss = DiscreteLaplaceLoss(10, 1)
        assert ledger.charge(b"question", loss).charge == CONCENTRATED.limit.price(loss)


# ---------------------------------------------------------------- durability


@every_place
@both_currencies
def test_what_is_opened_again_is_the_same(place, currency):
    analysts = {"ann": currency.limit, "bob": currency.scaled(F(1, 2))}
    with place() as here:
        with closing(here(currency.limit, analysts)) as ledger:
            for number, analyst in enumerate(["ann", "bob", None] * 3):
                key = b"%d" % number
                entry = ledger.charge(
                    key, currency.loss(number), analyst, topic=key[:1], about=f"question {number} –"
                )
                if number % 2:
                    ledger.settle(entry, key * 3)
            ledger.refresh("visits")
            before = told(ledger)
        with closing(here(currency.limit, analysts)) as again:
            assert told(again) == before


def told(ledger: Any) -> tuple[Any, ...]:
    """All that a durable ledger has to tell."""
    answers = [list(ledger.find_answered(b"%d" % number)) for number in range(9)]
    spent = [ledger.total_spent(name) for name in ("ann", "bob", "eve", None)]
    return list(ledger.records()), list(ledger.entries()), answers, spent, ledger.version("visits")


@every_place
def test_two_handles_on_one_ledger_share_limit_answers_and_versions(place):
    limit = PURE.limit.limit.amount
    with place() as here, closing(here(PURE.limit)) as one, closing(here(PURE.limit)) as other:
        entry = one.charge(b"most", pure_loss(limit - 1))
        assert other.charge(b"most", pure_loss(limit - 1)) == entry
        assert other.settle(entry, b"answer") == one.settle(entry, b"another")
        assert one.refresh("visits") == other.version("visits") == 1
        other.charge(b"last", pure_loss(1))
        with pytest.raises(LimitExceeded):
            one.charge(b"more", pure_loss(1))
        assert one.total_spent() == other.total_spent() == Charge(limit)


@every_place
def test_a_limit_that_was_raised_is_recorded_and_holds_from_then_on(place):
    small, large = PureFilter(1), PureFilter(2)
    with place() as here:
        with closing(here(small)) as ledger:
            ledger.charge(b"all", pure_loss(small.limit.amount))
            with pytest.raises(LimitExceeded):
                ledger.charge(b"more", pure_loss(1))
        with closing(here(large)) as ledger:
            ledger.charge(b"more", pure_loss(small.limit.amount))
            kinds = [fields_of(record)["kind"] for record in ledger.records()]
            assert kinds == ["founded", "limited", "charged", "limited", "charged"]
        with closing(here(small)) as ledger, pytest.raises(LimitExceeded) as refused:
            ledger.charge(b"yet more", pure_loss(1))
        assert refused.value.left == 0


@every_place
def test_who_holds_old_limits_is_refused_and_charges_nothing(place):
    with place() as here, closing(here(PureFilter(2))) as old, closing(here(PureFilter(1))) as new:
        with pytest.raises(LedgerRefused, match="open the vault again"):
            old.charge(b"question", pure_loss(1))
        assert list(new.entries()) == list(old.entries()) == []
        assert new.charge(b"question", pure_loss(1)).number == 0


@every_place
@pytest.mark.parametrize(
    "changed",
    [PureFilter(3, Neighbours.REPLACE), ConcentratedFilter(3, 1e-6)],
    ids=["neighbours", "currency"],
)
def test_what_a_ledger_was_founded_with_never_changes(place, changed):
    with place() as here:
        here(PURE.limit).close()
        with pytest.raises(LedgerRefused, match="unit, neighbours and whether delta is 0 cannot"):
            here(changed)
        here(PURE.limit).close()


@every_place
def test_a_forked_child_charges_the_same_ledger(place):
    with place() as here, closing(here(PURE.limit)) as ledger:
        ledger.charge(b"before", pure_loss(1))

        def child() -> None:
            assert ledger.charge(b"before", pure_loss(1)).number == 0
            ledger.settle(ledger.charge(b"of the child", pure_loss(2)), b"answer")

        for _ in range(3):
            assert in_a_fork(child) == 0
        assert ledger.charge(b"of the parent", pure_loss(4)).number == 2
        assert ledger.charge(b"of the child", pure_loss(2)).payload == b"answer"
        assert ledger.total_spent() == Charge(7)
    with place() as here, closing(here(PURE.limit)) as ledger:
        assert in_a_fork(lambda: None) == 0  # a child that does nothing harms nothing
        assert ledger.charge(b"question", pure_loss(1)).number == 0


@every_place
def test_children_forked_while_threads_charge_do_nothing_of_theirs(place):
    with place() as here, closing(here(PURE.limit)) as ledger:

        def charges(worker):
            return lambda: [ledger.charge(key, pure_loss(1)) for key in names(20, f"of {worker}")]

        def forks() -> list[int]:
            return [
                in_a_fork(lambda: ledger.charge(b"of the child", pure_loss(1))) for _ in range(5)
            ]

        *_, codes = together([*[charges(worker) for worker in range(6)], forks])
        assert codes == [0] * 5
        assert ledger.total_spent() == Charge(121)
        assert ledger.verify().records == 123


def in_a_fork(task: Callable[[], Any]) -> int:
    """The exit code of a child that does this."""
    with catch_warnings():
        # newer Pythons warn of forks among threads, which is the point
        simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    code = 1
    try:
        task()
        code = 0
    finally:
        os._exit(code)


@every_place
def test_sixty_four_threads_are_served_by_two_commits(place):
    with place() as here, closing(here(PURE.limit)) as ledger:
        turns = []
        commit = ledger._turns._together

        def counted(batch):
            turns.append(len(batch))
            while len(turns) == 1 and len(ledger._turns._waiting) < 63:
                sleep(0.001)  # until all others wait for this one
            commit(batch)

        ledger._turns._together = counted
        alone, *others = [partial(ledger.charge, key, pure_loss(1)) for key in names(64)]
        with ThreadPoolExecutor(1) as pool:
            first = pool.submit(alone)
            while not turns:  # who come meanwhile would be served with it
                sleep(0.001)
            entries = [*together(others), first.result()]
        assert turns == [1, 63]
        assert ledger.total_spent() == Charge(64)
        assert {entry.number for entry in entries} == set(range(64))


# ---------------------------------------------------------------- a ledger against a list

ANALYSTS = ("ann", "bob", None)


def bare(entry: Entry) -> Entry:
    """The entry without what no list can foretell."""
    return replace(entry, hash=b"", at="")


class AgainstList(RuleBasedStateMachine):
    """Whatever is done to a ledger is done to a list that adds up everything anew each time."""

    opened: Any
    currency: Any
    handles: list[Any]

    @initialize()
    def start(self):
        self.stack = ExitStack()
        limit = self.currency.limit
        self.limits = {
            None: limit.limit,
            "ann": self.currency.scaled(F(1, 3)).limit,
            "bob": limit.limit,
        }
        analysts = {"ann": self.currency.scaled(F(1, 3)), "bob": limit}
        self.handles = self.open(limit, analysts)
        self.model = []  # key, analyst, charge, payload, before

    def open(self, limit, analysts):
        return [self.stack.enter_context(self.opened(limit, analysts))]

    @property
    def ledger(self) -> Any:
        """One handle after the other, if there are several."""
        self.handles = self.handles[1:] + self.handles[:1]
        return self.handles[0]

    def teardown(self):
        if hasattr(self, "stack"):
            self.stack.close()

    def spent(self, analyst: str | None) -> Charge:
        charges = [charge for _, payer, charge, *_ in self.model if analyst in (None, payer)]
        return Charge(sum(each.amount for each in charges), sum(each.failure for each in charges))

    def left(self, analyst: str | None) -> Charge:
        spent = {payer: self.spent(payer) for payer in {None, analyst}}
        return Charge(
            min(self.limits[payer].amount - each.amount for payer, each in spent.items()),
            min(self.limits[payer].failure - each.failure for payer, each in spent.items()),
        )

    def prices(self, analyst: str | None, size: str, failing: str) -> Charge:
        """A price near to what is left, or some small one; failures only where the currency knows them."""
        left = self.left(analyst)

        def of(rest: int, most: int, how: str) -> int:
            known = {
                "nothing": 0,
                "one": 1,
                "seventh": most // 7,
                "rest": rest,
                "beyond": rest + 1,
                "less": rest - 1,
            }
            return max(0, known[how])

        failure = (
            of(left.failure, self.limits[None].failure, failing)
            if self.currency is CONCENTRATED
            else 0
        )
        return Charge(of(left.amount, self.limits[None].amount, size), failure)

    @rule(
        key=st.sampled_from(names(4)),
        analyst=st.sampled_from(ANALYSTS),
        size=st.sampled_from(["nothing", "one", "seventh", "seventh", "less", "rest", "beyond"]),
        failing=st.sampled_from(["nothing", "nothing", "one", "seventh", "rest", "beyond"]),
    )
    def charge(self, key, analyst, size, failing):
        price = self.prices(analyst, size, failing)
        expected = next(
            (n for n, entry in enumerate(self.model) if entry[0] == key and price.fits(entry[2])),
            len(self.model),
        )
        if expected == len(self.model) and not price.fits(self.left(analyst)):
            with pytest.raises(LimitExceeded):
                self.ledger.charge(key, self.currency.loss(price.amount, price.failure), analyst)
            return
        if expected == len(self.model):
            self.model.append([key, analyst, price, None, self.spent(None)])
        entry = self.ledger.charge(key, self.currency.loss(price.amount, price.failure), analyst)
        assert bare(entry) == Entry(expected, *self.model[expected])

    @precondition(lambda self: self.model)
    @rule(data=st.data(), payload=st.binary(max_size=3), stale=st.booleans())
    def settle(self, data, payload, stale):
        number = data.draw(st.integers(0, len(self.model) - 1))
        known = self.model[number]
        entry = list(self.ledger.entries())[number]
        if known[3] is None:
            known[3] = payload
        settled = self.ledger.settle(replace(entry, payload=None) if stale else entry, payload)
        assert bare(settled) == Entry(number, *known)

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def forge(self, data):
        number = data.draw(st.integers(0, len(self.model) - 1))
        entry = list(self.ledger.entries())[number]
        with pytest.raises(InvalidInput):
            self.ledger.settle(replace(entry, charge=entry.charge + Charge(1)), b"forged")

    @invariant()
    def nothing_else_is_recorded(self):
        if hasattr(self, "handles"):
            assert list(map(bare, self.ledger.entries())) == [
                Entry(n, *entry) for n, entry in enumerate(self.model)
            ]
            for analyst in ANALYSTS:
                assert self.ledger.total_spent(analyst) == self.spent(analyst)
                assert self.spent(analyst).fits(self.limits[analyst])


@pytest.mark.parametrize("opened", [LEDGERS["memory"]], ids=["memory"])
@both_currencies
def test_a_ledger_behaves_like_a_list_that_is_added_up_each_time(opened, currency):
    """Durable ledgers do the same below, through two handles at once."""

    class Machine(AgainstList):
        pass

    Machine.opened = staticmethod(opened)
    Machine.currency = currency
    run_state_machine_as_test(Machine, settings=settings(max_examples=25, stateful_step_count=25))


class AgainstListTwice(AgainstList):
    """The same with two handles on one durable ledger, which is closed and opened again now and then."""

    def open(self, limit, analysts):
        self.how = (limit, analysts)
        self.here = self.stack.enter_context(self.opened())
        return [self.stack.enter_context(closing(self.here(*self.how))) for _ in range(2)]

    @rule()
    def reopen(self):
        self.handles.pop().close()
        self.handles.append(self.stack.enter_context(closing(self.here(*self.how))))


# How a place keeps charges does not depend on what they count, which the ledger in memory tries above: a currency a
# place, and in `make soak` both.
KEPT = [
    pytest.param(place, currency, id=f"{name}-{currency.name}")
    for number, (name, place) in enumerate(PLACES.items())
    for other, currency in enumerate((PURE, CONCENTRATED))
    if few(0, 1) or (number + other) % 2 == 0
]


@pytest.mark.drawn
@pytest.mark.parametrize(("place", "currency"), KEPT)
def test_a_durable_ledger_behaves_like_that_list_through_two_handles_and_restarts(place, currency):
    class Machine(AgainstListTwice):
        pass

    Machine.opened = staticmethod(place)
    Machine.currency = currency
    run_state_machine_as_test(
        Machine, settings=settings(max_examples=few(8, 100), stateful_step_count=25)
    )


def test_both_currencies_count_whole_units_exactly():
    for currency, units in ((PURE, (0, 1, 12345)), (CONCENTRATED, (0, 1, 2**55 + 1))):
        for amount in units:
            assert currency.limit.price(currency.loss(amount)) == Charge(amount)
    assert isinstance(CONCENTRATED.limit, ConcentratedFilter)
    assert CONCENTRATED.limit.price(CONCENTRATED.loss(3, 2**70 + 1)) == Charge(3, 2**70 + 1)
