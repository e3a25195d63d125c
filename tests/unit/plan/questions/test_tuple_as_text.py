"""Several values as one text: equal exactly if all of them are."""

from itertools import product

import pytest

from tacit.errors import InvalidPlan
from tacit.plan import Column, Field, Kind, compile_expression, type_of
from tacit.plan.questions.tuple_as_text import tuple_of

TEXTS = [None, "", "~", "1", ":", "1:", "1:a", "a~", "~~", "0:", "11:a"]
NUMBERS = [None, 0, 1, -1, 11]


def fields(*kinds, nullable=True):
    return [Field(Column(f"x{n}", kind, nullable=nullable)) for n, kind in enumerate(kinds)]


def texts_of(columns, rows):
    compute = compile_expression(tuple_of(columns))
    return [
        compute(dict(zip([each.column.name for each in columns], row, strict=True))) for row in rows
    ]


@pytest.mark.parametrize(
    ("kinds", "values"),
    [
        ((Kind.TEXT, Kind.TEXT), (TEXTS, TEXTS)),
        ((Kind.TEXT, Kind.INTEGER, Kind.TEXT), (TEXTS, NUMBERS, TEXTS[:5])),
        ((Kind.BOOLEAN, Kind.DATE), ([None, True, False], [None, 0, 20_000])),
    ],
)
def test_tuples_are_equal_exactly_if_their_values_are(kinds, values):
    rows = list(product(*values))
    found = texts_of(fields(*kinds), rows)
    assert None not in found
    assert len(set(found)) == len(rows)
    assert texts_of(fields(*kinds), rows) == found


def test_what_is_never_null_is_told_apart_too():
    rows = list(product(TEXTS[1:], TEXTS[1:]))
    assert len(set(texts_of(fields(Kind.TEXT, Kind.TEXT, nullable=False), rows))) == len(rows)
    assert not type_of(tuple_of(fields(Kind.TEXT, Kind.TEXT))).nullable


def test_decimals_are_refused():
    with pytest.raises(InvalidPlan, match="round it to an integer first"):
        tuple_of(fields(Kind.TEXT, Kind.NUMBER))
