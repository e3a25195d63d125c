"""Values of parameters make the journey as they are, kinds included."""

import json
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis.strategies import (
    booleans,
    dates,
    datetimes,
    decimals,
    dictionaries,
    floats,
    integers,
    lists,
    none,
    one_of,
    text,
)

from tacit.curator import parameter_fields, read_parameters
from tacit.errors import InvalidInput
from tacit.plan import freeze_parameters

VALUES = one_of(
    none(),
    booleans(),
    integers(),
    text(max_size=20),
    floats(allow_nan=False, allow_infinity=False),
    decimals(allow_nan=False, allow_infinity=False),
    dates(),
    datetimes(),
)


@given(one_of(lists(VALUES, max_size=4), dictionaries(text(max_size=5), VALUES, max_size=4)))
def test_values_are_the_same_after_the_journey(given):
    back = read_parameters(json.loads(json.dumps(parameter_fields(given))))
    assert freeze_parameters(back) == freeze_parameters(given)
    kinds = [type(value) for _, value in freeze_parameters(given)]
    assert [type(value) for _, value in freeze_parameters(back)] == kinds


def test_a_statement_without_parameters_has_none():
    assert parameter_fields(None) is None
    assert read_parameters(None) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"day": "x"},
        {"date": "soon"},
        {"date": None},
        {"date": "x", "number": "1"},
        {"number": "many"},
    ],
)
def test_what_is_no_value_is_refused(wrong):
    with pytest.raises(InvalidInput):
        read_parameters([wrong])


def test_each_kind_has_a_form():
    kinds = [date(2025, 3, 1), datetime(2025, 3, 1, 12, tzinfo=UTC), Decimal("0.10"), True]
    assert parameter_fields(kinds) == [
        {"date": "2025-03-01"},
        {"moment": "2025-03-01T12:00:00"},
        {"number": "0.10"},
        True,
    ]
