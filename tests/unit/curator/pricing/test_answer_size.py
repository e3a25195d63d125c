"""How large an answer is, is known before it is paid for; what is too large is refused with a sentence."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.curator import Limit, Policy, Shared, Vault
from tacit.curator.integers_as_bytes import pack, unpack
from tacit.curator.pricing import answer_size as sizes
from tacit.curator.pricing.answer_size import MOST_BYTES, check_size, size_of
from tacit.curator.pricing.noise_of_measures import terms_of
from tacit.curator.record.stored_answer import Stored
from tacit.engines import DuckDB
from tacit.errors import InvalidPlan
from tacit.exact import discrete_gaussian, entropy
from tacit.ledger import MemoryLedger
from tacit.plan import Column, Kind, Table, canonical, read_sql


def table(side: int) -> Table:
    """A table with so many groups, squared."""
    columns = (Column("a", Kind.INTEGER, 0, side - 1), Column("b", Kind.INTEGER, 0, side - 1))
    return Table(
        "t", (*columns, Column("cost", Kind.NUMBER, 0, 100), Column("word", Kind.TEXT)), unit="p"
    )


def vault(side: int, epsilon: float = 1, delta: float = 1e-6) -> Vault:
    """A vault over a few rows of it."""
    limit, made = Limit(epsilon, delta), table(side)
    rows = [{"p": n, "a": n % side, "b": 1, "cost": 1.0, "word": "x"} for n in range(40)]
    return Vault(
        Policy(limit, {"t": Shared(made, 2)}),
        {"t": DuckDB({made: rows}, threads=1)},
        MemoryLedger(limit.filter()),
    )


QUESTIONS = [
    "SELECT a, COUNT(*) AS n FROM t GROUP BY a",
    "SELECT a, COUNT(*) AS n, SUM(cost) AS s, AVG(cost) AS m FROM t GROUP BY a",
    "SELECT a, MEDIAN(cost) AS m, MAX(cost) AS h, COUNT(*) AS n FROM t GROUP BY a",
    "SELECT word, COUNT(*) AS n FROM t GROUP BY word",
]


class Passing:
    """Keys of which every one passes."""

    def __init__(self, *words: str) -> None:
        self.words = words
        self.weights = np.full(len(words), 1 << 40)

    def keys(self, places: list[int]) -> list[tuple[str, ...]]:
        """Their values."""
        return [(self.words[place],) for place in places]


def test_long_keys_are_let_go_as_far_as_there_is_room():
    """Of long texts that all pass the shortest are shown; all of them together are as small as was said."""
    plan = canonical(read_sql(QUESTIONS[-1], {"t": table(3)}, finding=True))
    limit = Limit(1, 1e-6)
    finder = terms_of(plan.question, Shared(table(3), 2), limit, Fraction(1, 10)).finder
    assert finder is not None
    long = ["\U0001f600" * 16_000 + str(n) for n in range(30)]  # 192,000 bytes each
    places, found = finder.find(Passing("short", *long))
    assert ("short",) in found
    assert 15 <= len(found) < 31
    assert list(found) == sorted(found)
    assert [("short", *long)[place] for place in places] == [values[0] for values in found]
    assert sum(map(sizes.bytes_of_key, found)) <= finder.room < MOST_BYTES
    few = ("short", *long[:5])
    assert {values[0] for values in finder.find(Passing(*few))[1]} == set(few)


@pytest.mark.parametrize("epsilon", [0.5, 1e-3, 1e-6])
@pytest.mark.parametrize("text", QUESTIONS)
def test_an_answer_takes_no_more_than_was_told_and_is_read_as_it_was_written(text, epsilon):
    with vault(30, epsilon=1) as asked:
        told = asked.explain(text, epsilon=epsilon).size
        asked.sql(text, epsilon=epsilon)
        (entry,) = asked.ledger.entries()
        stored = Stored.from_bytes(entry.payload)
        assert len(entry.payload) <= told.bytes
        assert len(stored.integers) * len(stored.measures) <= told.numbers
        assert Stored.from_bytes(stored.to_bytes()) == stored
        assert stored.to_bytes() == entry.payload


@pytest.mark.parametrize("text", QUESTIONS)
def test_answers_that_were_kept_as_json_are_read_as_ever(text):
    with vault(30) as asked:
        asked.sql(text, epsilon=0.5)
        (entry,) = asked.ledger.entries()
        stored = Stored.from_bytes(entry.payload)
        assert Stored.from_bytes(json.dumps(stored.plain()).encode()) == stored


def test_a_number_takes_a_byte_for_every_eight_of_its_bits():
    with vault(100) as asked:
        asked.sql("SELECT a, b, COUNT(*) AS n FROM t GROUP BY a, b", epsilon=0.5)
        (entry,) = asked.ledger.entries()
        assert len(entry.payload) < 5 * 10_000


@given(st.lists(st.integers(-(2**70), 2**70) | st.integers(-300, 300)))
def test_integers_come_back_as_they_were(numbers):
    assert unpack(*pack(numbers)) == numbers


@pytest.mark.parametrize("bits", [0, 1, 7, 8, 15, 16, 31, 32, 62, 63, 64, 127, 128])
def test_the_ends_of_every_width_come_back(bits):
    numbers = [2**bits - 1, -(2**bits), 0, -1]
    width, packed = pack(numbers)
    assert width == bits // 8 + 1
    assert unpack(width, packed) == numbers


def test_what_is_too_large_is_refused_before_it_is_paid_for():
    text = "SELECT a, COUNT(*) AS n FROM t GROUP BY a"
    with patch.object(sizes, "MOST_BYTES", 1 << 12), vault(30) as asked:
        with pytest.raises(
            InvalidPlan,
            match=r"in the ledger \(at most 4,096\), which is [\d,]+ bytes too many; group by",
        ):
            asked.sql(text, epsilon=0.1)
        assert (asked.budget.spent, list(asked.ledger.entries())) == (0, [])


def test_what_is_too_large_at_any_price_is_explained_and_refused():
    text = "SELECT a, b, SUM(cost) AS n FROM t GROUP BY a, b"
    with vault(800) as asked:
        with pytest.raises(
            InvalidPlan,
            match=r"[\d,]+ bytes in the ledger \(at most [\d,]+\), which is [\d,]+ bytes too",
        ):
            asked.sql(text, epsilon=1e-9)
        assert asked.budget.spent == 0
        assert list(asked.ledger.entries()) == []
        told = asked.explain(text, epsilon=1e-9)
        assert not told.size.fits
        assert "which is too large" in str(told)
        half = "SELECT a, b, COUNT(*) AS n FROM t WHERE a < 300 GROUP BY a, b"
        assert "at most 1,000,000 are possible" in str(asked.explain(half, epsilon=1e-9))
        assert "Kept" not in str(asked.explain("SELECT COUNT(*) AS n FROM t", epsilon=0.1))


def test_of_unknown_keys_no_more_are_let_go_than_are_kept():
    question = canonical(
        read_sql(
            "SELECT word, a, COUNT(*) AS n FROM t GROUP BY word, a", {"t": table(30)}, finding=True
        )
    ).question
    terms = terms_of(question, Shared(table(30), 2), Limit(1, 1e-6), Fraction(1, 100))
    assert size_of(terms).fits
    assert size_of(terms).bytes > MOST_BYTES * 0.9
    assert terms.groups == terms.finder.most * 30
    with patch.object(sizes, "MOST_BYTES", 1 << 13):
        assert (
            terms_of(question, Shared(table(30), 2), Limit(1, 1e-6), Fraction(1, 100)).finder.most
            == 1
        )


@contextmanager
def counted_words() -> Iterator[list[int]]:
    """How often random words are asked for."""
    asked: list[int] = []
    words = entropy.words

    def counted(count: int) -> Any:
        asked.append(count)
        return words(count)

    with patch.object(entropy, "words", counted):
        yield asked


@pytest.mark.parametrize("delta", [0, 1e-6])
def test_the_noise_of_a_cheap_question_of_many_groups_is_drawn_in_vectors(delta):
    made, limit = table(250), Limit(1, delta)
    question = canonical(
        read_sql("SELECT a, b, COUNT(*) AS n FROM t GROUP BY a, b", {"t": made})
    ).question
    amount = limit.filter().amount(limit.filter().price_of(1e-9))
    terms = terms_of(question, Shared(made, 1), limit, amount)
    with counted_words() as asked:
        drawn = terms.mechanisms[0].release(np.zeros(62_500, np.int64))
    assert len(drawn) == 62_500
    assert len(asked) < 100


@pytest.mark.parametrize("side", [10, 250, 1000])
def test_rounding_many_groups_adds_next_to_nothing_to_the_noise_of_a_cheap_question(side):
    made, limit = table(side), Limit(1, 1e-6)
    question = canonical(
        read_sql("SELECT a, b, COUNT(*) AS n FROM t GROUP BY a, b", {"t": made})
    ).question
    amount = limit.filter().amount(limit.filter().price_of(1e-9))
    terms = terms_of(question, Shared(made, 1), limit, amount)
    (noise,) = terms.mechanisms
    ideal = 2**40 / (2 * amount)  # the square of the sensitivity in the engine's steps
    assert 1 <= noise.sigma**2 * terms.grids[0] ** 2 / ideal < 1.003
    assert noise.sigma < 2**60
    assert discrete_gaussian(noise.law.parameter, 3).dtype == np.int64


def test_the_limit_is_public_and_the_same_at_every_price():
    made, limit = table(300), Limit(1, 1e-6)
    question = canonical(
        read_sql("SELECT a, b, COUNT(*) AS n FROM t GROUP BY a, b", {"t": made})
    ).question
    found = {
        size_of(terms_of(question, Shared(made, 1), limit, Fraction(1, 10**power))).fits
        for power in (1, 6, 12)
    }
    assert found == {True}
    check_size(terms_of(question, Shared(made, 1), limit, Fraction(1, 10)))
