"""What a fingerprint is taken of: pinned for every kind of node, since ledgers find stored answers by it."""

from datetime import date, datetime
from fractions import Fraction
from typing import get_args

import pytest

from tacit.plan.model import expressions, nodes, rank_grids
from tacit.plan.model.expressions import (
    Across,
    Arithmetic,
    Both,
    Called,
    Case,
    Cast,
    Compared,
    Either,
    Field,
    IsNull,
    KeyOf,
    Like,
    Literal,
    Look,
    MeanOf,
    MeasureOf,
    Moment,
    MomentOf,
    Negated,
    Not,
    OneOf,
    SubqueryValue,
)
from tacit.plan.model.function_names import Function
from tacit.plan.model.nodes import (
    Computed,
    Counted,
    Defined,
    Distinct,
    Folded,
    Folding,
    Inner,
    Joined,
    Kept,
    Key,
    Ordering,
    Place,
    Placed,
    Question,
    Ranked,
    Running,
    Scan,
    Stacked,
    Summed,
    Units,
    Where,
    Windowed,
)
from tacit.plan.model.rank_grids import Even, Powers
from tacit.plan.model.schema import Column, Kind, Table
from tacit.plan.model.serialize import serial
from tests.together import together

AGE = Column("age", Kind.INTEGER, 0, 120)
FIELD = Field(AGE)
TRUE = Literal(True, Kind.BOOLEAN)
SCAN = Scan(Table("visits", (AGE, Column("patient", Kind.INTEGER)), unit="patient"))
TOTAL = Folded(Column("total", Kind.INTEGER, 0, 600), Folding.SUM, FIELD)
SORTED = (Ordering(FIELD, descending=True),)

_FIELD = '["field","age","integer",["number","0"],["number","120"]]'
_TOTAL = (
    '["folded",["field","total","integer",["number","0"],["number","600"]],"SUM",'
    + _FIELD
    + ',"1"]'
)
_SCAN = '["scan","visits","patient",["field","patient","integer",["null"],["null"]]]'
_TRUE = '["literal","boolean",["truth","True"]]'

# Every node of a plan, and the text that its fingerprint is taken of.  These texts never change: a class may be
# renamed, moved or given another field, and what it says here stays, or else every ledger forgets its answers.
PINNED = [
    (Literal(None, Kind.TEXT), '["literal","text",["null"]]'),
    (Literal(Fraction(1, 2), Kind.NUMBER), '["literal","number",["number","1/2"]]'),
    (Literal("ä", Kind.TEXT), '["literal","text",["text","\\u00e4"]]'),
    (Literal(date(2024, 2, 29), Kind.DATE), '["literal","date",["time","2024-02-29"]]'),
    (
        Literal(datetime(2024, 2, 29, 1), Kind.TIMESTAMP),  # noqa: DTZ001
        '["literal","timestamp",["time","2024-02-29T01:00:00"]]',
    ),
    (FIELD, _FIELD),
    (Arithmetic("+", FIELD, FIELD), f'["+",{_FIELD},{_FIELD}]'),
    (Negated(FIELD), f'["negated",{_FIELD}]'),
    (Compared("<=", FIELD, FIELD), f'["<=",{_FIELD},{_FIELD}]'),
    (Both(TRUE, TRUE), f'["both",{_TRUE},{_TRUE}]'),
    (Either(TRUE, TRUE), f'["either",{_TRUE},{_TRUE}]'),
    (Not(TRUE), f'["not",{_TRUE}]'),
    (IsNull(FIELD), f'["isnull",{_FIELD}]'),
    (
        SubqueryValue(2, Column("(SELECT AVG(x) FROM t)", Kind.NUMBER, 0, 5)),
        '["subquery","2","number",["number","0"],["number","5"]]',
    ),
    (OneOf(TRUE, (TRUE,)), f'["oneof",{_TRUE},{_TRUE}]'),
    (Like(FIELD, "a%"), f'["like",{_FIELD},"a%"]'),
    (Case(((TRUE, FIELD),), FIELD), f'["case",{_TRUE},{_FIELD},{_FIELD}]'),
    (Cast(FIELD, Kind.TEXT), f'["cast",{_FIELD},"text"]'),
    (Called(Function.ABS, (FIELD,)), f'["called","ABS",{_FIELD}]'),
    (KeyOf(1), '["keyof","1"]'),
    (MeasureOf(2), '["measureof","2"]'),
    (MeanOf(0, 1), '["meanof","0","1"]'),
    (MomentOf(Moment.VARIANCE, (0, 1, 2)), '["momentof","VAR_SAMP","0","1","2"]'),
    (
        Across(Look.SUM, KeyOf(0), (KeyOf(1),), ((KeyOf(2), True),)),
        '["across","SUM","True","1","True","1",["keyof","0"],["keyof","1"],["keyof","2"]]',
    ),
    (SCAN, _SCAN),
    (Where(SCAN, TRUE), f'["where",{_SCAN},{_TRUE}]'),
    (Defined("x", FIELD), f'["defined","x",{_FIELD}]'),
    (Computed(SCAN, (Defined("x", FIELD),)), f'["computed",{_SCAN},[["defined","x",{_FIELD}]]]'),
    (TOTAL, _TOTAL),
    (Inner(SCAN, (), (TOTAL,)), f'["inner",{_SCAN},[],[{_TOTAL}]]'),
    (Stacked((SCAN, SCAN)), f'["stacked",{_SCAN},{_SCAN}]'),
    (
        Joined(SCAN, SCAN, ((FIELD, FIELD),)),
        f'["joined",{_SCAN},{_SCAN},[[{_FIELD},{_FIELD}]],"False"]',
    ),
    (Kept(SCAN, SCAN, present=False), f'["kept",{_SCAN},{_SCAN},"False"]'),
    (
        Placed(AGE, Place.NUMBER, SORTED),
        f'["placed",{_FIELD},"ROW_NUMBER",[["ordering",{_FIELD},"True"]],[],null,"1"]',
    ),
    (
        Running(TOTAL, SORTED, (FIELD,)),
        f'["running",{_TOTAL},[["ordering",{_FIELD},"True"]],[{_FIELD}]]',
    ),
    (Windowed(SCAN, (Running(TOTAL),)), f'["windowed",{_SCAN},[["running",{_TOTAL},[],[]]]]'),
    (Counted(), '["counted",null]'),
    (Counted(FIELD), f'["counted",{_FIELD}]'),
    (Summed(FIELD, Fraction(1, 2), 0, 240, 120), f'["summed",{_FIELD},"1/2","0","240","120"]'),
    (Units(), '["units"]'),
    (Units(FIELD), f'["units",{_FIELD}]'),
    (
        Ranked(FIELD, Even(Fraction(1), 0, 120), Fraction(1, 2)),
        f'["ranked",{_FIELD},["even","1","0","120"],"1/2","True"]',
    ),
    (
        Ranked(FIELD, Powers(-2, 9), Fraction(1, 2), ends=False),
        f'["ranked",{_FIELD},["powers","-2","9"],"1/2","False"]',
    ),
    (Distinct(FIELD), f'["distinct",{_FIELD}]'),
    (
        Question(SCAN, (Key(FIELD, (1, 2)), Key(FIELD, None)), (Counted(),)),
        f'["question",{_SCAN},[["key",{_FIELD},[["number","1"],["number","2"]]],["key",{_FIELD},null]],[["counted",null]]]',
    ),
    (
        Question(SCAN, (Key(FIELD, (1,), null=True), Key(FIELD, None, null=True)), ()),
        f'["question",{_SCAN},[["key",{_FIELD},[["number","1"]],"null"],["key",{_FIELD},null,"null"]],[]]',
    ),
]


@together
@pytest.mark.parametrize(("node", "text"), PINNED, ids=[type(node).__name__ for node, _ in PINNED])
def test_the_text_of_a_node_never_changes(node, text):
    assert serial(node) == text


def test_every_kind_of_node_is_pinned():
    families = (expressions.Expression, nodes.Rows, nodes.Measure, nodes.Window)
    known = {kind for family in families for kind in get_args(family)}
    assert known <= {type(node) for node, _ in PINNED}
    held = {type(node.grid) for node, _ in PINNED if isinstance(node, Ranked)}
    assert set(get_args(rank_grids.Grid)) <= held


WORDS = {
    Folding: "COUNT | COUNT DISTINCT | SUM | AVG | MIN | MAX",
    Place: "ROW_NUMBER | RANK | DENSE_RANK | LAG | LEAD",
    Look: "ROW_NUMBER | RANK | DENSE_RANK | COUNT | SUM | AVG | MIN | MAX | LAG | LEAD",
    Moment: "VAR_SAMP | VAR_POP | COVAR_SAMP | COVAR_POP | CORR",
    Kind: "boolean | integer | number | text | date | timestamp",
    Function: "COALESCE | NULLIF | LEAST | GREATEST | IS DISTINCT FROM | // | ABS | SIGN | ROUND | FLOOR | CEIL | "
    "TRUNC | SQRT | LN | LOG10 | EXP | POWER | LOWER | UPPER | TRIM | LTRIM | RTRIM | SUBSTR | RIGHT | "
    "REPLACE | LENGTH | CONCAT | || | EXTRACT | DATE_TRUNC | DATE_ADD | DATE_DIFF | STRFTIME | "
    "SECONDS_BETWEEN",
}


@pytest.mark.parametrize("kind", WORDS)
def test_words_of_fingerprints_may_be_added_and_never_renamed(kind):
    assert set(WORDS[kind].split(" | ")) <= {each.value for each in kind}
