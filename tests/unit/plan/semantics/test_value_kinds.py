"""What cells, bounds and literals are, and how kinds become one another."""

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from math import inf, nan

import numpy as np
import pandas as pd
import pytest

from tacit.plan import Column, Kind
from tacit.plan.semantics.value_kinds import (
    INT64,
    bounds_of,
    cast,
    clamp_cell,
    constant,
    parse_text,
    plain,
)
from tests.together import together

HUGE = 10**400


@together
@pytest.mark.parametrize(
    ("raw", "kind", "value"),
    [
        (True, Kind.BOOLEAN, True),
        (np.bool_(False), Kind.BOOLEAN, False),
        (1, Kind.BOOLEAN, None),
        (7, Kind.INTEGER, 7),
        (np.int8(7), Kind.INTEGER, 7),
        (True, Kind.INTEGER, None),
        (7.0, Kind.INTEGER, None),
        ("7", Kind.INTEGER, None),
        (1 << 63, Kind.INTEGER, INT64[1]),
        (-HUGE, Kind.INTEGER, INT64[0]),
        (7, Kind.NUMBER, 7.0),
        (Fraction(1, 10), Kind.NUMBER, 0.1),
        (Decimal("0.1"), Kind.NUMBER, 0.1),
        (Decimal("sNaN"), Kind.NUMBER, None),
        (np.float32(0.5), Kind.NUMBER, 0.5),
        (HUGE, Kind.NUMBER, inf),
        (Fraction(-HUGE), Kind.NUMBER, -inf),
        (True, Kind.NUMBER, None),
        ("é", Kind.TEXT, "é"),
        ("\ud800", Kind.TEXT, None),
        (b"e", Kind.TEXT, None),
        (date(1970, 1, 2), Kind.DATE, 1),
        (datetime(1970, 1, 2, tzinfo=UTC), Kind.DATE, None),
        (date(1969, 12, 31), Kind.TIMESTAMP, -86_400_000_000),
        (datetime(1970, 1, 1, 0, 0, 0, 5, tzinfo=UTC), Kind.TIMESTAMP, 5),
        (datetime(1970, 1, 1, 1, tzinfo=timezone(timedelta(hours=1))), Kind.TIMESTAMP, 0),
        (pd.NaT, Kind.TIMESTAMP, None),
        (pd.NA, Kind.TIMESTAMP, None),
        (pd.NA, Kind.INTEGER, None),
        (None, Kind.TEXT, None),
    ],
)
def test_a_cell_becomes_a_value_of_its_kind_or_null(raw, kind, value):
    found = plain(raw, kind)
    assert found == value
    assert type(found) is type(value)


def test_a_missing_number_stays_what_it_is_until_it_is_held():
    assert np.isnan(plain(nan, Kind.NUMBER))
    assert clamp_cell(nan, Column("x", Kind.NUMBER)) is None


@pytest.mark.parametrize(
    ("value", "kind", "low", "high", "expected"),
    [
        (inf, Kind.NUMBER, 0, 10, 10.0),
        (-inf, Kind.NUMBER, 0, 10, 0.0),
        (-inf, Kind.NUMBER, None, 10, None),
        (inf, Kind.NUMBER, 0, None, None),
        (nan, Kind.NUMBER, 0, 10, None),
        (0.35, Kind.NUMBER, 0, Fraction(1, 3), 1 / 3),
        (99, Kind.INTEGER, Fraction(1, 2), Fraction(9, 2), 4),
        (0, Kind.INTEGER, Fraction(1, 2), Fraction(9, 2), 1),
        (INT64[1], Kind.INTEGER, None, None, INT64[1]),
        (40_000, Kind.DATE, None, date(1970, 1, 11), 10),
        (None, Kind.NUMBER, 0, 10, None),
        ("zz", Kind.TEXT, None, None, "zz"),
        (False, Kind.BOOLEAN, None, None, False),
    ],
)
def test_a_cell_is_held_between_the_bounds_of_its_column(value, kind, low, high, expected):
    assert clamp_cell(value, Column("x", kind, low, high)) == expected


def test_bounds_of_integers_are_rounded_inward():
    assert bounds_of(Column("x", Kind.INTEGER, Fraction(-5, 2), Fraction(5, 2))) == (-2, 2)
    assert bounds_of(Column("x", Kind.INTEGER, -(1 << 70), 1 << 70)) == INT64


def test_a_literal_is_the_nearest_double():
    assert constant(Fraction(1, 3), Kind.NUMBER) == 1 / 3
    assert constant(None, Kind.NUMBER) is None


@pytest.mark.parametrize(
    ("value", "since", "to", "expected"),
    [
        (2.5, Kind.NUMBER, Kind.INTEGER, 2),
        (3.5, Kind.NUMBER, Kind.INTEGER, 4),
        (-2.5, Kind.NUMBER, Kind.INTEGER, -2),
        (2.0**63, Kind.NUMBER, Kind.INTEGER, None),
        (-(2.0**63), Kind.NUMBER, Kind.INTEGER, INT64[0]),
        (2**53 + 1, Kind.INTEGER, Kind.NUMBER, 2.0**53),
        (True, Kind.BOOLEAN, Kind.INTEGER, 1),
        (-7, Kind.INTEGER, Kind.TEXT, "-7"),
        ("+12", Kind.TEXT, Kind.INTEGER, 12),
        ("12.5", Kind.TEXT, Kind.INTEGER, None),
        ("9223372036854775808", Kind.TEXT, Kind.INTEGER, None),
        ("١٢", Kind.TEXT, Kind.INTEGER, None),
        ("12\n", Kind.TEXT, Kind.INTEGER, None),
        (".5e1", Kind.TEXT, Kind.NUMBER, 5.0),
        ("nan", Kind.TEXT, Kind.NUMBER, None),
        ("1e999", Kind.TEXT, Kind.NUMBER, None),
        ("2024-02-29", Kind.TEXT, Kind.DATE, 19_782),
        ("2023-02-29", Kind.TEXT, Kind.DATE, None),
        ("0000-01-01", Kind.TEXT, Kind.DATE, None),
        (-1, Kind.TIMESTAMP, Kind.DATE, -1),
        (1, Kind.DATE, Kind.TIMESTAMP, 86_400_000_000),
        (None, Kind.TEXT, Kind.DATE, None),
        ("x", Kind.TEXT, Kind.TEXT, "x"),
    ],
)
def test_what_cannot_be_cast_is_null(value, since, to, expected):
    assert cast(value, since, to) == expected


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("TRUE", Kind.BOOLEAN, True),
        ("0", Kind.BOOLEAN, False),
        ("perhaps", Kind.BOOLEAN, None),
        ("1970-01-01 00:00:00.5", Kind.TIMESTAMP, 500_000),
        ("1970-01-01T00:00:01", Kind.TIMESTAMP, 1_000_000),
        ("1970-01-01 24:00:00", Kind.TIMESTAMP, None),
        ("1970-01-01", Kind.TIMESTAMP, None),
        ("x", Kind.TEXT, "x"),
    ],
)
def test_texts_of_files_are_read_as_their_kind(text, kind, expected):
    assert parse_text(text, kind) == expected
