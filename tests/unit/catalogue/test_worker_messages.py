"""What passes between the catalogue and its worker is plain JSON, and means the same on both sides."""

import pickle
from datetime import UTC, date, datetime, time
from decimal import Decimal

import pytest

from tacit.catalogue import Answer, Column
from tacit.catalogue.worker_messages import (
    decode_answer,
    decode_schema,
    encode_answer,
    encode_schema,
    encode_tables,
    pack,
    unpack,
)
from tacit.errors import InvalidInput
from tests.unit.catalogue.clinic import CLINIC


def test_a_schema_arrives_as_it_was():
    assert decode_schema(unpack(pack(encode_schema(CLINIC)))) == CLINIC


def test_an_answer_arrives_as_it_was():
    kinds = {
        16: True,
        17: b"\x00x",
        20: 1 << 40,
        25: "ü\x00",
        701: 1.5,
        1009: ["a", None],
        1082: date(2026, 1, 2),
        1083: time(3, 4),
        1114: datetime(2026, 1, 2, 3),  # noqa: DTZ001
        1184: datetime(2026, 1, 2, 3, tzinfo=UTC),
        1700: Decimal("1.25"),
    }
    columns = tuple(Column(f"c{oid}", oid) for oid in kinds)
    answer = Answer(columns, (tuple(kinds.values()), (None,) * len(kinds)), (("a", "b"),))
    assert decode_answer(unpack(pack(encode_answer(answer)))) == answer


def test_what_arrives_is_never_unpickled():
    with pytest.raises(ValueError, match=r"JSON|codec|Expecting"):
        unpack(pickle.dumps({"do": print}))
    with pytest.raises(TypeError):
        unpack(b"[1]")


def test_only_tables_and_answers_are_released():
    with pytest.raises(InvalidInput):
        encode_tables({"x": [1, 2]})
