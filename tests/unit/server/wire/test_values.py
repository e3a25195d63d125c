"""Values leave in PostgreSQL's forms and come in by them; what is none of a type is refused."""

import math
import struct
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from uuid import UUID

import pytest

from tacit.server.wire.client_messages import InvalidMessage
from tacit.server.wire.read_values import read_value
from tacit.server.wire.value_types import TYPES, length_of, type_named
from tacit.server.wire.write_values import to_binary, to_text
from tests.together import together

MOMENT = datetime(2025, 3, 4, 5, 6, 7, 120000)  # noqa: DTZ001 -- as it is bound


@together
@pytest.mark.parametrize(
    ("value", "oid", "text"),
    [  # as PostgreSQL 15 prints them
        (True, 16, "t"),
        (False, 16, "f"),
        (5, 20, "5"),
        (5.0, 701, "5"),
        (-0.5, 701, "-0.5"),
        (1e15, 701, "1e+15"),
        (-1234567890123456.0, 701, "-1.234567890123456e+15"),
        (1e16, 701, "1e+16"),
        (123456789012345.0, 701, "123456789012345"),
        (0.0001, 701, "0.0001"),
        (1e-05, 701, "1e-05"),
        (math.inf, 701, "Infinity"),
        (-math.inf, 701, "-Infinity"),
        (math.nan, 701, "NaN"),
        (date(2025, 1, 2), 1082, "2025-01-02"),
        (MOMENT, 1114, "2025-03-04 05:06:07.12"),
        (MOMENT.replace(tzinfo=UTC), 1184, "2025-03-04 05:06:07.12+00"),
        (time(5, 6), 1083, "05:06:00"),
        (timedelta(days=1, hours=2), 1186, "1 day 02:00:00"),
        (timedelta(days=-2), 1186, "-2 days"),
        (timedelta(0), 1186, "00:00:00"),
        (timedelta(seconds=-1.5), 1186, "-00:00:01.5"),
        (b"\x01\xff", 17, "\\x01ff"),
        (
            ["a", "b c", None, "", 'q"\\', "null", "x,y", "{}"],
            1009,
            '{a,"b c",NULL,"","q\\"\\\\","null","x,y","{}"}',
        ),
        ([1, 2], 1007, "{1,2}"),
        ([[1, 2], [3, 4]], 1007, "{{1,2},{3,4}}"),
        ([True, None], 1000, "{t,NULL}"),
        ([], 1009, "{}"),
        ([1, 2], 22, "1 2"),
        (Decimal("1.50"), 1700, "1.50"),
        ("text", 25, "text"),
    ],
)
def test_a_value_is_printed_as_postgresql_prints_it(value, oid, text):
    assert to_text(value, oid) == text


@together
@pytest.mark.parametrize(
    ("value", "oid"),
    [
        *((True, 16), (False, 16), (-5, 20), (5, 21), (-5, 23), (5, 26), (1.5, 701), (0.5, 700)),
        *((date(1999, 12, 31), 1082), (MOMENT, 1114), (time(5, 6, 7, 8), 1083), ("x", 25)),
        *((b"\0\xff", 17), ([1, None, 3], 1007), (["a", None], 1009), ([], 1016)),
        *((str(UUID(int=7)), 2950), ('{"a": 1}', 3802)),
        *(
            (Decimal(text), 1700)
            for text in ("1.5", "-0.00012", "123456789.987654321", "1E+10", "0")
        ),
        *((Decimal("-1E-7"), 1700), (10**18, 1700)),
    ],
)
def test_what_leaves_in_binary_comes_in_as_it_was(value, oid):
    found = read_value(to_binary(value, oid), 1, oid)
    assert found == value
    if oid == 1700 and value == int(value):
        assert isinstance(found, int)


def test_numbers_are_packed_as_postgresql_packs_them():
    assert to_binary(Decimal("12345.678"), 1700) == struct.pack(
        "!hhHhhhh", 3, 1, 0, 3, 1, 2345, 6780
    )
    assert to_binary(Decimal("NaN"), 1700)[4:6] == b"\xc0\0"
    assert to_binary([[1, 2], [3, 4]], 1007)[:28] == struct.pack("!iiIiiii", 2, 0, 23, 2, 1, 2, 1)
    assert to_binary(timedelta(days=1, seconds=2), 1186) == struct.pack("!qii", 2_000_000, 1, 0)
    assert to_binary("anything", 99999) == b"anything"


@pytest.mark.parametrize(
    ("raw", "oid", "value"),
    [
        (b"5", 20, 5),
        (b" -5 ", 23, -5),
        (b"5", 701, 5),
        (b"5.50", 701, Decimal("5.50")),
        (b"1e3", 701, 1000),
        (b"9007199254740993", 701, 9007199254740993),
        (b"yes", 16, True),
        (b"0", 16, False),
        (b"2025-03-04", 1082, date(2025, 3, 4)),
        (b"2025-03-04 05:06:07.12", 1114, MOMENT),
        (b"2025-03-04 07:06:07.12+02", 1184, MOMENT),
        (b'{a,"b\\"c",NULL,null2, d }', 1009, ["a", 'b"c', None, "null2", "d"]),
        (b'{"a", "b" , c}', 1009, ["a", "b", "c"]),
        (b"{1,2}", 1016, [1, 2]),
        (b"{}", 1016, []),
        (b"\\x01ff", 17, b"\x01\xff"),
        (b"it's", 25, "it's"),
        (b"it's", 1043, "it's"),
    ],
)
def test_a_text_is_read_as_its_type(raw, oid, value):
    assert read_value(raw, 0, oid) == value


def test_a_whole_float_is_the_whole_number():
    assert read_value(struct.pack("!d", 5.0), 1, 701) == 5
    assert isinstance(read_value(struct.pack("!d", 5.0), 1, 701), int)
    assert read_value(None, 1, 701) is None


@together
@pytest.mark.parametrize(
    ("raw", "form", "oid"),
    [
        *((b"x", 0, 20), (b"", 0, 20), (b"1.5", 0, 23), (b"9" * 50, 0, 20), (b"inf", 0, 701)),
        *((b"nan", 0, 701), (b"1e999999", 0, 701), (b"maybe", 0, 16), (b"2025-13-01", 0, 1082)),
        *((b"{1", 0, 1016), (b"{1,{2}}", 0, 1016), (b"x", 1, 20), (b"", 1, 16), (b"123", 1, 701)),
        *((struct.pack("!d", math.nan), 1, 701), (struct.pack("!d", math.inf), 1, 701)),
        (struct.pack("!i", 2**31 - 1), 1, 1082),
        (struct.pack("!q", 2**63 - 1), 1, 1114),
        (struct.pack("!iiI", 6, 0, 23), 1, 1007),
        (struct.pack("!iiIii", 1, 0, 23, 2**31 - 1, 1), 1, 1007),
        (struct.pack("!iiIiii", 1, 0, 23, 1, 1, 99), 1, 1007),
        (struct.pack("!iiIiii", 1, 0, 1007, 1, 1, 0), 1, 1007),
        (struct.pack("!hhHh", 2, 0, 0, 0), 1, 1700),
        (struct.pack("!hhHhh", 1, 32000, 0, 0, 1), 1, 1700),
        (struct.pack("!hhHhh", 1, 0, 0, 0, 10_000), 1, 1700),
        *((b"\xff", 0, 25), (b"a\0b", 0, 25), (b"a\0b", 1, 25), (b"x", 2, 25)),
    ],
)
def test_what_is_no_value_of_a_type_is_refused(raw, form, oid):
    with pytest.raises(InvalidMessage) as refusal:
        read_value(raw, form, oid)
    assert refusal.value.code in {"22P02", "22021", "22023"}


def test_types_have_names_and_lengths():
    assert {type_named(name) for each in TYPES.values() for name in each.names} == set(TYPES)
    assert (type_named("int8[]"), type_named("nothing[]")) == (1016, None)
    assert (length_of(20), length_of(25), length_of(99999)) == (8, -1, -1)
