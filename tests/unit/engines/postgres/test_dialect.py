"""Small pieces of PostgreSQL's dialect."""

from math import fmod
from operator import add, mul, sub
from random import Random
from zlib import crc32

import psycopg
import pytest

from tacit.engines.postgres.dialect import POSTGRES
from tacit.engines.postgres.share_subexpression import write_once
from tacit.errors import InvalidPlan
from tacit.plan import Called, Column, Field, Function, Kind, Literal, spell_out
from tacit.plan.semantics.regular_expressions import find_pattern
from tests.postgres import running
from tests.unit.plan.semantics.test_regular_expressions import LETTERS, READ


def test_texts_do_not_grow_as_two_to_the_depth():
    value = "x"
    for _ in range(40):
        value = POSTGRES.parse(value, Kind.INTEGER)
    assert len(value) < 40 * 1_000


def test_a_long_value_is_written_once():
    value = "y" * 100
    assert write_once(value, lambda x: f"{x} + {x}").count(value) == 1


def test_no_value_hides_another_one():
    """These two texts have the same CRC-32, by which sub-queries were named once: a * b was b * b."""
    values = [
        f"CASE WHEN 1 = 1 THEN {n} ELSE length('{'y' * 80}{end}') END"
        for n, end in ((1, "a0a82392"), (2, "42c4b202"))
    ]
    assert len({crc32(value.encode()) for value in values}) == 1
    times = write_once(values[0], lambda a: write_once(values[1], lambda b: f"{a} * 10 + {b}"))
    assert running().execute(f"SELECT {times}") == [(12,)]


def test_integers_that_overflow_are_null():
    """A second net: that none overflows is proved of the plan."""
    least, greatest = -(1 << 63), (1 << 63) - 1
    cases = [
        *(
            (sign, a, b)
            for sign in "+-*"
            for a in (least, -1, 0, 3, greatest)
            for b in (least, -1, 7)
        ),
        ("%", least, -1),
    ]
    texts = [
        POSTGRES.arithmetic(sign, Kind.INTEGER, f"({a})::bigint", f"({b})::bigint", minus_one=True)
        for sign, a, b in cases
    ]
    exact = {"+": add, "-": sub, "*": mul, "%": fmod}
    expected: list[int | None] = [int(exact[sign](a, b)) for sign, a, b in cases]
    column = Column("x", Kind.INTEGER)
    for value in (least, -5, greatest, "NULL"):
        written = f"({value})::bigint"
        texts.append(POSTGRES.negate(written, Kind.INTEGER))
        called = Called(Function.ABS, (Field(column),))
        texts.append(POSTGRES.call(called, [written]))
        quotient = Called(Function.QUOTIENT, (Field(column), Literal(-1, Kind.INTEGER)))
        texts.append(POSTGRES.call(quotient, [written, "(-1)::bigint"]))
        known = None if isinstance(value, str) else value
        expected += [None] * 3 if known is None else [-known, abs(known), -known]
    wanted = [each if each is None or least <= each <= greatest else None for each in expected]
    assert list(running().execute(f"SELECT {', '.join(texts)}")[0]) == wanted
    assert wanted.count(None) > 9


def test_a_text_that_postgres_does_not_have_is_refused():
    with pytest.raises(InvalidPlan, match="NUL"):
        POSTGRES.text("a\0b")


def test_a_window_of_different_values_is_refused():
    assert POSTGRES.count_distinct("v", "") == "count(DISTINCT v)"
    with pytest.raises(InvalidPlan, match="in a window"):
        POSTGRES.count_distinct("v", " OVER ()")


def test_patterns_mean_what_the_memory_engine_means():
    dice = Random(4)
    texts = [
        "",
        "a",
        "b",
        "ab",
        "aab",
        "a\nb",
        "a\n",
        "\n",
        "é",
        "B 7",
        "a.b",
        "]",
        "\v",
        "😀",
        "٣",
    ]
    texts += ["".join(dice.choices(LETTERS, k=dice.randint(0, 6))) for _ in range(30)]
    matched = 'SELECT array_agg((t COLLATE "C") ~ %s ORDER BY n) FROM unnest(%s::text[]) WITH ORDINALITY AS u(t, n)'
    with psycopg.connect(running().address()) as connection:
        for pattern in READ:
            ((found,),) = connection.execute(matched, [spell_out(pattern), texts]).fetchall()
            assert found == [find_pattern(text, pattern) for text in texts], pattern
