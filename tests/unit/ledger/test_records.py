"""Records of a durable ledger, and the chain that binds them."""

import json
from fractions import Fraction
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.accounting import Charge, ConcentratedFilter, Filter, PureFilter
from tacit.errors import InvalidInput
from tacit.ledger import Entry, Founding, fields_of
from tacit.ledger.records import (
    adoption_fields,
    answer_fields,
    chain_record,
    charge_fields,
    encode_fields,
    entry_of,
    founding_fields,
    limit_fields,
    terms_in,
)
from tacit.ledger.store import EMPTY, Head
from tacit.privacy import Neighbours

heads = st.builds(Head, st.integers(0, 2**40), st.binary(min_size=32, max_size=32))
entries = st.builds(
    Entry,
    number=st.integers(0, 2**40),
    key=st.binary(min_size=1),
    analyst=st.none() | st.text(),
    charge=st.builds(Charge, st.integers(0, 2**130), st.integers(0, 2**130)),
    payload=st.none(),
    before=st.builds(Charge, st.integers(0, 2**130), st.integers(0, 2**130)),
    topic=st.binary(),
    about=st.text(),
    at=st.text(),
)


def test_a_hash_is_of_the_hash_before_the_number_and_the_body():
    first = chain_record(EMPTY, b"one")
    second = chain_record(Head(1, first.hash), b"two")
    assert first.hash == sha256(bytes(32) + bytes(8) + b"one").digest()
    assert second.hash == sha256(first.hash + bytes(7) + b"\x01" + b"two").digest()
    assert (first.number, second.number) == (0, 1)


@given(head=heads, body=st.binary(), other=heads)
def test_a_hash_depends_on_every_part(head, body, other):
    seen = [
        (head, body),
        (head, body + b"x"),
        (Head(head.records + 1, head.hash), body),
        (other, body),
    ]
    assert len({chain_record(*each).hash for each in seen}) == len(set(seen))


@given(entry=entries)
def test_an_entry_is_read_back_as_it_was_written(entry):
    record = chain_record(EMPTY, encode_fields(charge_fields(entry, 1)))
    assert entry_of(record, b"answer") == Entry(
        **{
            name: getattr(entry, name)
            for name in ("number", "key", "analyst", "charge", "before", "topic", "about", "at")
        },
        payload=b"answer",
        hash=record.hash,
    )


def test_amounts_are_text_since_they_exceed_what_other_readers_of_json_keep_exact():
    fields = charge_fields(Entry(0, b"key", None, Charge(2**90, 2**99)), 1)
    assert fields["charge"] == {"amount": str(2**90), "failure": str(2**99)}


def test_what_is_written_is_canonical():
    assert (
        encode_fields({"b": 1, "a": "é"})
        == encode_fields({"a": "é", "b": 1})
        == b'{"a":"\\u00e9","b":1}'
    )


def test_an_answer_has_no_time_since_how_long_it_took_depends_on_the_rows():
    assert answer_fields(3, b"42") == {
        "kind": "answered",
        "entry": 3,
        "digest": sha256(b"42").hexdigest(),
    }


@pytest.mark.parametrize(
    ("limit", "currency", "neighbours"),
    [
        (PureFilter(1), "pure", Neighbours.ADD_OR_REMOVE),
        (PureFilter(1, Neighbours.REPLACE), "pure", Neighbours.REPLACE),
        (ConcentratedFilter(1, 1e-6), "zero-concentrated", Neighbours.ADD_OR_REMOVE),
    ],
)
def test_founding_terms_follow_from_the_limit_and_are_read_back(limit, currency, neighbours):
    terms = Founding.of("patient", limit)
    assert terms == Founding("patient", neighbours, currency)
    assert terms_in(json.loads(encode_fields(founding_fields(terms)))) == terms


def test_a_filter_of_another_kind_is_refused():
    class Other(Filter):
        limit = Charge(1)
        price = price_of = amount = epsilon_of = None

    with pytest.raises(InvalidInput):
        Founding.of("patient", Other())


def test_limits_are_recorded_in_units_and_as_they_were_given():
    fields = limit_fields(
        ConcentratedFilter(3, Fraction(1, 10**6)),
        {"ann": ConcentratedFilter(1, Fraction(1, 10**6))},
    )
    assert (fields["everyone"]["epsilon"], fields["everyone"]["delta"]) == ("3", "1/1000000")
    assert fields["everyone"]["amount"] == str(
        ConcentratedFilter(3, Fraction(1, 10**6)).limit.amount
    )
    assert fields["analysts"]["ann"]["epsilon"] == "1"
    assert limit_fields(PureFilter(1), {})["everyone"]["delta"] == "0"


def test_an_adoption_tells_why_and_what_was_remembered():
    fields = adoption_fields("moved", None, EMPTY)
    assert (fields["why"], fields["remembered"], fields["found"]["records"]) == ("moved", None, 0)


def test_a_record_says_what_was_written():
    assert fields_of(chain_record(EMPTY, encode_fields({"kind": "refreshed"}))) == {
        "kind": "refreshed"
    }
