"""Words of a text that nothing was read of are refused, with a remedy that does not change what is asked."""

import re
from datetime import date

import pytest

from docs.sql import CALLS, NAMES
from tacit.errors import InvalidPlan
from tacit.plan import Column, Kind, Table, list_row_expressions, read_sql, walk_expression
from tacit.plan.sql.parse import TYPES, tokenise
from tacit.plan.sql.precheck import MOST_TOKENS
from tacit.plan.sql.source_positions import MOST_PARTS, Account


@pytest.mark.parametrize(
    ("text", "unread", "remedy"),
    [
        ("f(day, x)", "day", "write it in quotes if it is a text or a unit of time"),
        ("f(x, day)", "day", "write it in quotes if it is a text or a unit of time"),
        ("f(x, day, y)", "day", "write it in quotes if it is a text or a unit of time"),
        ("f(x day)", "day", "leave it out"),
        ("x day", "day", "leave it out"),
        ("x IS UNKNOWN", "UNKNOWN", "write IS NULL"),
    ],
)
def test_an_argument_is_not_to_be_left_out(text, unread, remedy):
    _, tokens = tokenise(text)
    account = Account(text, tokens)
    account.places.update(token.start for token in tokens if token.text != unread)
    with pytest.raises(InvalidPlan, match=f"'{unread}' is not supported here") as refusal:
        account.close(TYPES)
    assert refusal.value.remedy == remedy


# ------------------------------------------------------------ what is written out is bounded

VISITS = Table(
    "visits",
    (
        Column("age", Kind.INTEGER, 0, 100),
        Column("cost", Kind.NUMBER, 0, 5000),
        Column("ward", Kind.TEXT, values=("A", "B")),
        Column("note", Kind.TEXT),
        Column("day", Kind.DATE, low=date(2020, 1, 1), high=date(2030, 1, 1)),
        Column("seen", Kind.TIMESTAMP, low="2020-01-01 00:00:00", high="2030-01-01 00:00:00"),
        Column("flag", Kind.BOOLEAN),
    ),
    unit="patient",
)
PHRASES = (
    "age BETWEEN 1 AND 2",
    "age NOT BETWEEN 1 AND 2",
    "50 BETWEEN age AND 60",
    "(age, cost) IN ((1, 2), (2, 3))",
    "CASE age WHEN 1 THEN 2 WHEN 2 THEN 1 ELSE 3 END",
    "CASE WHEN age > 1 THEN 2 WHEN age > 3 THEN 1 END",
    "IF(age > 2, age, 3)",
    "age IN (1, 2, 3)",
    "age IS DISTINCT FROM 3",
    "age IS NOT DISTINCT FROM 3",
    "note LIKE ANY ('a%', '%b')",
    "note || 'a'",
    "age + 1",
    "age % 7",
    "NOT flag",
    "flag AND age > 3",
    "flag IS TRUE",
)
# What an expression is made into, to stand where a column stood.
AS = {
    "age": ("{}", "CASE WHEN {} THEN 1 ELSE 0 END", "LENGTH({})", "CAST({} AS BIGINT)", "YEAR({})"),
    "cost": ("{}", "CASE WHEN {} THEN 1 ELSE 0 END", "LENGTH({})", "YEAR({})"),
    "note": ("{}", "CAST({} AS VARCHAR)", "CASE WHEN {} THEN 'a' ELSE 'b' END"),
    "ward": ("{}", "CAST({} AS VARCHAR)", "CASE WHEN {} THEN 'A' ELSE 'B' END"),
    "flag": ("{}", "{} > 1", "{} = 'a'", "{} > DATE '2022-01-01'"),
    "day": ("{}", "CAST({} AS DATE)", "CASE WHEN {} THEN day END", "CASE WHEN {} > 1 THEN day END"),
    "seen": ("{}", "CAST({} AS TIMESTAMP)", "CASE WHEN {} THEN seen END"),
}
DEPTH, FEW = 12, 1_000


def parts_of(text):
    """Of how many parts the largest expression of a statement is; None, if it is refused."""
    try:
        plan = read_sql(text, {"visits": VISITS}, finding=True)
    except InvalidPlan as refusal:
        return refusal
    return max(len(walk_expression(each)) for each in list_row_expressions(plan.question.rows))


def nested(example, column, wrapped, depth):
    text = column
    before, after = re.split(rf"\b{column}\b", example, maxsplit=1)
    for _ in range(depth):
        is_closed = re.match(r"CASE|\w+$|\w+\(", text)  # levels of parentheses are counted
        inner = text if is_closed else f"({text})"
        text = wrapped.format(before + inner + after)
    return f"SELECT COUNT(*) AS n FROM visits WHERE {text} IS NULL"


def ways_inside_itself(example):
    """How an expression may stand where a column of it stood."""
    for column, wraps in AS.items():
        if re.search(rf"\b{column}\b", example):
            yield from ((column, wrapped) for wrapped in wraps)


def test_what_is_written_out_is_bounded(monkeypatch):
    """Every function and phrase, as often inside itself as types allow: what repeats its parts is refused in time."""
    monkeypatch.setattr("tacit.plan.sql.source_positions.MOST_PARTS", FEW)
    composed, refused = set(), set()
    examples = [*PHRASES, *CALLS.values(), *NAMES.values()]
    for example in examples:
        for column, wrapped in ways_inside_itself(example):
            if isinstance(parts_of(nested(example, column, wrapped, 2)), int):
                composed.add(example)
                found = parts_of(nested(example, column, wrapped, DEPTH))
                if isinstance(found, int):
                    assert found <= FEW
                elif "parts when it is written out" in found.reason:
                    refused.add(example)
                break
    assert {"age BETWEEN 1 AND 2", "CASE age WHEN 1 THEN 2 WHEN 2 THEN 1 ELSE 3 END"} <= refused
    assert len(composed) > 0.8 * len(examples)


def test_what_people_write_is_within_the_bound():
    terms = " AND ".join(f"age BETWEEN {i} AND {i + 1}" for i in range(300))
    assert isinstance(parts_of(f"SELECT COUNT(*) AS n FROM visits WHERE {terms}"), int)
    assert MOST_PARTS == 2 * MOST_TOKENS
