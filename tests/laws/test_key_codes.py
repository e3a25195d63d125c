"""Unknown keys without a delta: codes are one for each key, and what is shown has the law of noise on all of them."""

from contextlib import nullcontext
from dataclasses import replace
from datetime import date, datetime
from fractions import Fraction
from itertools import product
from math import comb
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.curator import Limit, Policy, Shared, Vault, terms_of
from tacit.curator.pricing.key_codes import code_of, key_of
from tacit.curator.pricing.unknown_key_threshold import LONGEST, RARE, CodeFinder, Hiding
from tacit.engines import DuckDB, Memory, Postgres, Spark
from tacit.exact import upper, working
from tacit.ledger import MemoryLedger
from tacit.mechanisms import CodeThreshold, Laplace, LaplaceLaw, code_threshold
from tacit.plan import (
    Column,
    Counted,
    Field,
    Keeping,
    Key,
    Kind,
    Question,
    Scan,
    Table,
    Weighing,
    read_sql,
)
from tacit.privacy import Neighbours, PureLoss
from tacit.stability import key_sensitivity, keys_of, weights_for
from tests import database, spark

F = Fraction
VALUES: dict[Kind, st.SearchStrategy[Any]] = {
    Kind.TEXT: st.text(max_size=6) | st.text(alphabet="aZ9 .\0\x01é-", max_size=6),
    Kind.INTEGER: st.integers(-(1 << 63), (1 << 63) - 1) | st.integers(-20, 20),
    Kind.NUMBER: st.floats(allow_nan=False, allow_infinity=False).map(F)
    | st.integers(-50, 50).map(lambda n: F(float(n / 10))),
    Kind.BOOLEAN: st.booleans(),
    Kind.DATE: st.dates(),
    Kind.TIMESTAMP: st.datetimes(),
}


@st.composite
def keys(draw: Any) -> tuple[tuple[Kind, ...], tuple[Any, ...]]:
    """Kinds of keys, and a value or NULL for each."""
    kinds = tuple(draw(st.lists(st.sampled_from(list(VALUES)), min_size=1, max_size=3)))
    return kinds, tuple(draw(st.none() | VALUES[kind]) for kind in kinds)


@given(keys())
def test_codes_are_read_back(given_key):
    kinds, values = given_key
    code = code_of(values, kinds)
    assert 0 <= code[1] < 1 << code[0]
    found = key_of(code, kinds)
    assert found == values
    assert [type(each) for each in found] == [type(each) for each in values]


@given(st.integers(0, 80), st.data())
def test_what_is_no_code_is_no_key_and_what_is_one_is_written_so(length, data):
    kinds = tuple(data.draw(st.lists(st.sampled_from(list(VALUES)), min_size=1, max_size=2)))
    code = length, data.draw(st.integers(0, (1 << length) - 1))
    found = key_of(code, kinds)
    assert found is None or code_of(found, kinds) == code


def test_a_code_has_six_bits_for_a_letter_and_four_for_a_digit_of_a_number():
    assert code_of(("Mr",), (Kind.TEXT,))[0] == 12
    assert code_of((2013, "LAX"), (Kind.INTEGER, Kind.TEXT))[0] == 4 * 4 + 4 + 18
    assert code_of((F(0.31),), (Kind.NUMBER,))[0] == 16
    assert code_of((date(1970, 1, 11),), (Kind.DATE,))[0] == 8
    assert code_of((datetime(1970, 1, 1),), (Kind.TIMESTAMP,))[0] == 4  # noqa: DTZ001 -- UTC


# ---------------------------------------------------------------- the law of what noise alone shows

SMALL = CodeThreshold(LaplaceLaw(F(2)), rare=-1, longest=2)


def law_of_counts(threshold: CodeThreshold) -> dict[tuple[int, ...], float]:
    """How many codes of every length are drawn, and with which probability: every sequence of coins is followed."""
    found: dict[tuple[int, ...], float] = {}
    left: list[tuple[bool, ...]] = [()]
    while left:
        script = left.pop()
        weight, tossed = 1.0, 0

        def toss(chance: Any, script: tuple[bool, ...] = script) -> bool:
            nonlocal weight, tossed
            heads = chance.floor(80) / 2**80
            outcome = script[tossed] if tossed < len(script) else True
            if tossed >= len(script):
                left.append((*script, *[True] * (tossed - len(script)), False))
            tossed += 1
            weight *= heads if outcome else 1 - heads
            return outcome

        def codes(length: int, count: int) -> set[tuple[int, int]]:
            return {(length, number) for number in range(count)}

        with (
            patch.object(code_threshold, "_toss", toss),
            patch.object(
                code_threshold,
                "_toss_none",
                lambda each, length: toss(code_threshold._none_from(each, length)[1]),
            ),
            patch.object(code_threshold, "_draw_codes", codes),
        ):
            drawn = threshold.draw_phantoms()
        counts = tuple(
            sum(length == each for length, _ in drawn) for each in range(threshold.longest + 1)
        )
        found[counts] = found.get(counts, 0.0) + weight
    return found


def test_phantoms_have_the_law_of_independent_noise():
    found = law_of_counts(SMALL)
    with working():
        tails = [
            float(upper(SMALL.law.tail(SMALL.start(bits)))) for bits in range(SMALL.longest + 1)
        ]
    expected = {
        counts: float(
            np.prod(
                [
                    comb(1 << bits, many) * tail**many * (1 - tail) ** ((1 << bits) - many)
                    for bits, (many, tail) in enumerate(zip(counts, tails, strict=True))
                ]
            )
        )
        for counts in product(*(range((1 << bits) + 1) for bits in range(SMALL.longest + 1)))
    }
    assert found.keys() == expected.keys()
    assert all(found[counts] == pytest.approx(expected[counts], rel=1e-9) for counts in expected)


def test_drawn_codes_are_different_and_of_their_length():
    assert code_threshold._draw_codes(3, 8) == {(3, number) for number in range(8)}
    assert code_threshold._draw_codes(0, 1) == {(0, 0)}


def test_a_key_that_nobody_has_is_shown_less_than_once_in_100_000_answers():
    threshold = CodeThreshold(LaplaceLaw(F(1 << 20) * 3), RARE, LONGEST)
    none, _ = code_threshold._none_from(threshold, 0)
    assert 0 < 1 - none / 2**64 < 1e-5
    for bits in (0, 6, 48, LONGEST):
        with working():
            passing = threshold.law.tail(threshold.start(bits)) * (1 << bits)
        assert 2 ** -(RARE + 1.1) < float(upper(passing)) <= 2**-RARE


@pytest.mark.parametrize("scale", [F(1), F(7, 3)])
def test_showing_a_key_costs_no_more_than_the_noise(scale):
    """Whether a code is shown moves by no more than exp(move / scale), in both directions, at every threshold."""
    law = LaplaceLaw(scale)
    with working():
        for start, here, there in product(range(1, 8), range(6), range(6)):
            one, two = law.tail(start - here), law.tail(start - there)
            most = (abs(here - there) / scale).limit_denominator(10**6)
            bound = 2.718281828459046 ** float(most) * (1 + 1e-12)
            assert float(upper(one / two)) <= bound
            assert float(upper((1 - one) / (1 - two))) <= bound


# ---------------------------------------------------------------- what is found


class Given:
    """Keys that weigh something."""

    def __init__(self, weights: dict[tuple[Any, ...], int]) -> None:
        self.named = list(weights)
        self.weights = np.array(list(weights.values()), np.int64)

    def keys(self, places: Any) -> list[tuple[Any, ...]]:
        return [self.named[place] for place in places]

    def evaluate(self, places: Any, question: Any, weights: Any) -> Any:
        raise AssertionError("nothing is measured here")


NOTE = Column("note", Kind.TEXT)
NOTES = Table("notes", (NOTE,), unit="who")
BY_NOTE = Question(Scan(NOTES), (Key(Field(NOTE), None),), (Counted(),))


def finder(epsilon: int = 1, most: int = 3, neighbours: Neighbours = Neighbours.ADD_OR_REMOVE):
    limit = Limit(10, 0, neighbours)
    return terms_of(BY_NOTE, Shared(NOTES, most), limit, F(epsilon)).finder


def test_what_is_found_has_the_law_of_all_codes():
    """Of keys that weigh something those whose own noise passes; of all others those that noise alone shows."""
    found = finder()
    start = {
        key: found.threshold.start(code_of((key,), (Kind.TEXT,))[0]) for key in ("a", "ab", "abc")
    }
    assert start["a"] < start["ab"] < start["abc"]
    noisy = np.array([start["a"], start["ab"] - 1, start["abc"] + 5])
    phantoms = {code_of((key,), (Kind.TEXT,)) for key in ("zz", "ab", "abc")} | {(7, 1)}
    gathered = Given({("a",): 1, ("ab",): 1, ("abc",): 1})
    with (
        patch.object(Laplace, "release", lambda self, weights: noisy),
        patch.object(CodeThreshold, "draw_phantoms", lambda self: set(phantoms)),
    ):
        places, names = found.find(gathered)
    assert dict(zip(names, places, strict=True)) == {("a",): 0, ("abc",): 2, ("zz",): None}


def test_a_key_of_too_many_letters_is_never_found():
    found = finder()
    gathered = Given({("x" * 100,): 1 << 60, ("x" * 101,): 1 << 60})
    assert found.find(gathered)[1] == (("x" * 100,),)


@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_finding_costs_half_of_the_price_and_no_delta(neighbours):
    limit = Limit(10, 0, neighbours)
    terms = terms_of(BY_NOTE, Shared(NOTES, 4), limit, F(2))
    assert isinstance(terms.finder, CodeFinder)
    moved = key_sensitivity(BY_NOTE, terms.finder.keeping, neighbours)
    assert terms.finder.keeping.norm is Weighing.L1
    assert moved.bound == (1 << 20) * (2 if neighbours is Neighbours.REPLACE else 1)
    assert moved.bound / terms.finder.noise.scale <= 1
    assert terms.loss == PureLoss(2, neighbours)
    pairs = zip(terms.sensitivities, terms.mechanisms, strict=True)
    measured = sum(each.bound / mechanism.scale for each, mechanism in pairs)
    assert F(999, 500) < measured + moved.bound / terms.finder.noise.scale <= 2


def test_units_of_one_row_may_move_as_many_keys_as_it_has_copies():
    by_row = Question(Scan(Table("notes", (NOTE,))), (Key(Field(NOTE), None),), (Counted(),))
    keeping = keys_of(by_row, 5, Weighing.L1)
    assert keeping == Keeping(1, 0, b"", Weighing.L1)
    assert key_sensitivity(by_row, keeping, Neighbours.ADD_OR_REMOVE).bound == 1


# ---------------------------------------------------------------- asked


def vault(engine: Any, rows: Any, epsilon: int = 1000) -> Vault:
    limit = Limit(epsilon, 0)
    policy = Policy(limit, {"notes": Shared(NOTES, 2)}, "person")
    return Vault(policy, {"notes": engine({NOTES: rows})}, MemoryLedger(limit.filter()))


ROWS = [{"who": who, "note": note} for who in range(200) for note in ("fever", "cold")]
ROWS += [{"who": 1, "note": "alone"}]
engines = pytest.mark.parametrize(
    "engine", [Memory, lambda rows: DuckDB(rows, threads=1)], ids=["memory", "duckdb"]
)


@engines
def test_keys_are_found_without_a_delta_and_those_of_single_units_are_not(engine):
    asked = vault(engine, ROWS)
    answer = asked.sql("SELECT note, COUNT(*) AS n FROM notes GROUP BY note", epsilon=20)
    assert {row["note"]: abs(row["n"] - 200) < 40 for row in answer} == {
        "cold": True,
        "fever": True,
    }
    assert answer.hiding.delta == 0
    assert answer.hiding.per_bit > 0
    assert Hiding.from_fields(answer.hiding.to_fields()) == answer.hiding
    assert "keys of more than 100 letters or digits are not shown" in str(answer)
    again = asked.sql("SELECT note, COUNT(*) AS n FROM notes GROUP BY note", epsilon=20)
    assert again.price.free
    assert again.rows == answer.rows


@engines
def test_a_key_that_nobody_has_is_answered_like_an_empty_group(engine):
    phantom = {code_of(("aa",), (Kind.TEXT,))}
    with patch.object(CodeThreshold, "draw_phantoms", lambda self: set(phantom)):
        answer = vault(engine, ROWS).sql(
            "SELECT note, COUNT(*) AS n FROM notes GROUP BY note", epsilon=20
        )
    found = {row["note"]: row["n"] for row in answer}
    assert set(found) == {"aa", "cold", "fever"}
    assert found["aa"] < 40
    assert abs(found["cold"] - 200) < 40


@engines
def test_a_key_that_nobody_keeps_is_measured_like_any_other(engine):
    """Of "cold" and "fever" all units keep the same one: the other has no weight, but rows, and may pass by noise."""
    rows = [{"who": who, "note": note} for who in range(200) for note in ("fever", "cold")]
    phantoms = {code_of((note,), (Kind.TEXT,)) for note in ("fever", "cold", "aa")}
    limit = Limit(1000, 0)
    policy = Policy(limit, {"notes": Shared(NOTES, 2, keys=1)}, "person")
    asked = Vault(policy, {"notes": engine({NOTES: rows})}, MemoryLedger(limit.filter()))
    with patch.object(CodeThreshold, "draw_phantoms", lambda self: set(phantoms)):
        answer = asked.sql("SELECT note, COUNT(*) AS n FROM notes GROUP BY note", epsilon=20)
    found = {row["note"]: row["n"] for row in answer}
    assert set(found) == {"aa", "cold", "fever"}
    assert found["aa"] < 40
    assert all(abs(found[note] - 200) < 40 for note in ("cold", "fever"))


@engines
def test_rows_of_null_have_no_group_where_null_is_no_key(engine):
    rows = [{"who": who, "note": note} for who in range(3) for note in ("cold", None)]
    question = replace(BY_NOTE, found=((None,), ("cold",)))
    weights = weights_for(question, 2, Weighing.L1)
    answer = engine({NOTES: rows}).evaluate(question, weights)
    assert [int(number) >> weights.bits for (number,) in answer] == [0, 3]


SPELLINGS: dict[Kind, list[Any]] = {
    Kind.TEXT: ["it's", "\\n%_", "é", " ", "", "fever"],
    Kind.INTEGER: [-(1 << 63), (1 << 63) - 1, 0, 7],
    Kind.NUMBER: [F(0), F(0.1), F(5e-324), F(1.5), F(1e300)],
    Kind.DATE: [date(1, 1, 1), date(9999, 12, 31), date(2024, 2, 29)],
    Kind.TIMESTAMP: [
        datetime(1, 1, 1),  # noqa: DTZ001 -- columns without a zone hold UTC
        datetime(9999, 12, 31, 23, 59, 59, 999_999),  # noqa: DTZ001
    ],
}


def in_memory(rows: Any) -> Any:
    return nullcontext(Memory(rows))


def in_duckdb(rows: Any) -> Any:
    return DuckDB(rows, threads=1)


def in_postgres(rows: Any) -> Any:
    return Postgres(database.store(rows))


def on_spark(rows: Any) -> Any:
    return Spark(spark.store(rows))


def measured_keys(opened: Any, limit: Limit, table: Table) -> list[Any]:
    """Of every column, and of two, the keys that are shown and what is measured of them, if noise shows all keys."""
    answers = []
    names = [column.name for column in table.columns]
    with opened as engine:
        for listed in [*names, "text_null, number", "integer, date_null"]:
            text = f"SELECT {listed}, COUNT(*) AS n FROM marks GROUP BY {listed}"
            question = read_sql(text, {"marks": table}, finding=True).question
            terms = terms_of(question, Shared(table, 3, keys=1), limit, F(1))
            assert isinstance(terms.finder, CodeFinder)
            kinds = terms.finder.kinds
            phantoms = {
                code_of(values, kinds)
                for values in product(*([*SPELLINGS[k], None] for k in kinds))
            }
            keeping = replace(terms.finder.keeping, secret=b"s" * 32)
            with (
                engine.gather(question, keeping) as gathered,
                patch.object(Laplace, "release", lambda self, weights: weights + (1 << 60)),
                patch.object(
                    CodeThreshold, "draw_phantoms", lambda self, codes=phantoms: set(codes)
                ),
            ):
                places, found = terms.finder.find(gathered)
                exact = gathered.evaluate(places, replace(question, found=found), terms.weights)
            answers.append((found, exact.tolist()))
    return answers


@pytest.mark.parametrize(
    "engine", [in_duckdb, in_postgres, pytest.param(on_spark, marks=pytest.mark.soak)]
)
def test_engines_measure_keys_that_nobody_keeps_alike(engine):
    """A key that noise alone shows may have rows; where NULL is no group, no noise shows it."""
    columns = tuple(
        Column(f"{kind.value}{'_null' if null else ''}", kind, null_group=null)
        for kind in SPELLINGS
        for null in (False, True)
    )
    table = Table("marks", columns, unit="who", contributions=3)
    rows = [
        {"who": f"{number % 4}"}
        | {
            column.name: [*SPELLINGS[column.kind], None][
                (number + place) % (len(SPELLINGS[column.kind]) + 1)
            ]
            for place, column in enumerate(columns)
        }
        for number in range(16)
    ]
    for row in rows:
        row.update({name: float(cell) for name, cell in row.items() if isinstance(cell, F)})
    limit = Limit(10, 0)
    with database.knows_password():
        expected = measured_keys(in_memory({table: rows}), limit, table)
        assert measured_keys(engine({table: rows}), limit, table) == expected
    by_column = dict(zip([column.name for column in columns], expected, strict=False))
    for column in columns:
        found, exact = by_column[column.name]
        assert ((None,) in found) == column.null_group
        assert any(number for (number,) in exact)  # some have rows
