"""Other spellings are the same question."""

from datetime import UTC, datetime

import pytest

from tacit.errors import InvalidPlan
from tacit.plan import Column, Kind, Summed, Table, constant, fingerprint, read_sql
from tacit.plan.semantics.evaluate import compile_expression
from tacit.plan.sql.other_dialect_spellings import quote_names
from tests.unit.plan.cases import TABLES

SAME = [
    ("AVG(cost)", "MEAN(cost)"),
    ("QUANTILE_CONT(cost, 0.25)", "APPROX_QUANTILE(cost, 0.25)"),
    ("SUM(CAST(age AS DOUBLE))", "SUM(age::float)"),
    ("SUM(TRY_CAST(age AS DOUBLE))", "SUM(SAFE_CAST(age AS DOUBLE))"),
    ("COUNT(DISTINCT name)", "APPROX_COUNT_DISTINCT(name)"),
    (
        "COUNT_IF(DATE_TRUNC('month', day) = DATE '2025-01-01')",
        "COUNTIF(DATE_TRUNC(day, MONTH) = '2025-01-01')",
    ),
    (
        "COUNT_IF(DATE_DIFF('day', DATE '2025-01-01', day) > 3)",
        "COUNTIF(DATE_DIFF(day, DATE '2025-01-01', DAY) > 3)",
    ),
    (
        "COUNT_IF(DATE_DIFF('day', DATE '2025-01-01', day) > 3)",
        "COUNTIF(DATEDIFF(day, DATE '2025-01-01', day) > 3)",
    ),
    ("COUNT_IF(age = 7)", "COUNT_IF(age = '7')"),
    ("COUNT_IF(SUBSTR(name, 2) = 'a')", "COUNT_IF(SUBSTRING(name FROM 2) = 'a')"),
    ("COUNT_IF(SUBSTR(name, 2, 3) = 'a')", "COUNT_IF(SUBSTRING(name FROM 2 FOR 3) = 'a')"),
    ("COUNT_IF(age IN (7, 8))", "COUNT_IF(age IN ('7', '8'))"),
    ("COUNT_IF(cost > 7.5)", "COUNT_IF(cost > '7.5')"),
    ("COUNT_IF(ward = 'A')", "COUNT_IF(`ward` = 'A')"),
    ("COUNT_IF(CAST(day AS DATE) = DATE '2025-01-01')", "COUNT_IF(DATE(day) = '2025-01-01')"),
    ("AVG(cost / age)", "AVG(SAFE_DIVIDE(cost, age))"),
    ("QUANTILE_CONT(cost, 0.25)", "PERCENTILE_APPROX(cost, 0.25)"),
    ("SUM(CASE WHEN age > 7 THEN 1 WHEN NOT age > 7 THEN 0 END)", "SUM(age > 7)"),
    ("AVG(CASE WHEN smoker THEN 1 WHEN NOT smoker THEN 0 END)", "AVG(smoker)"),
    ("COUNT(*)", "COUNT(patient)"),
    ("AVG(LN(age) / LN(2))", "AVG(LOG(2, age))"),
    ("COUNT_IF(STRFTIME(day, '%Y') = '2025')", "COUNT_IF(STRFTIME('%Y', day) = '2025')"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_two_spellings_are_one_question(one, other):
    first, second = (
        read_sql(f"SELECT {each} AS x FROM visits WHERE age > 0", TABLES) for each in (one, other)
    )
    assert fingerprint(first.question) == fingerprint(second.question)


def test_the_unit_of_an_outer_join_may_be_missing():
    """COUNT(patient) is COUNT(*) where every row has a patient, and another question where some may not."""
    stay = (Column("days", Kind.INTEGER, 0, 9),)
    tables = {
        name: Table(name, stay, unit="patient", contributions=3) for name in ("stays", "trips")
    }
    joined = "FROM stays v {} JOIN trips w ON v.patient = w.patient"
    for side in ("", "INNER"):
        first, second = (
            read_sql(f"SELECT COUNT({each}) AS n {joined.format(side)}", tables)
            for each in ("v.patient", "*")
        )
        assert fingerprint(first.question) == fingerprint(second.question)
    theirs, all_rows = (
        read_sql(f"SELECT COUNT({each}) AS n {joined.format('LEFT')}", tables)
        for each in ("w.patient", "*")
    )
    assert fingerprint(theirs.question) != fingerprint(all_rows.question)


def test_seconds_between_two_moments():
    """Until minus since, in microseconds before they are seconds; an interval is as many seconds."""
    since = "TIMESTAMP '2025-01-01 00:00:00'"
    written = f"EXTRACT(EPOCH FROM (seen - {since}))"
    summed = read_sql(f"SELECT SUM({written}) AS s FROM visits", TABLES).question.measures
    later = {"seen": constant(datetime(2025, 1, 3, 0, 0, 0, 1, UTC), Kind.TIMESTAMP)}
    values = [compile_expression(each.value)(later) for each in summed if isinstance(each, Summed)]
    assert values == [2 * 86_400 + 0.000_001]
    pairs = [
        (f"seen - {since} < INTERVAL '2 days'", f"{written} < 172800"),
        (f"INTERVAL 1 HOUR >= (seen - {since})", f"3600 >= {written}"),
    ]
    for one, other in pairs:
        first, second = (
            read_sql(f"SELECT COUNT(*) FROM visits WHERE {each}", TABLES) for each in (one, other)
        )
        assert fingerprint(first.question) == fingerprint(second.question)


def test_a_column_without_a_name_is_called_as_it_was_typed():
    assert (
        read_sql("SELECT MEAN( cost ) FROM visits", TABLES).view.columns[0].name == "MEAN( cost )"
    )


@pytest.mark.parametrize(
    ("text", "underlined"),
    [
        ("SELECT COUNT(*) FROM visits WHERE age = '7.5'", "age = '7.5'"),
        ("SELECT COUNT(*) FROM visits WHERE age = 'old'", "age = 'old'"),
        ("SELECT COUNT(*) FROM visits WHERE `wrd` = 'A'", "wrd"),
        ("SELECT MEAN(nothing) FROM visits", "nothing"),
        ("SELECT COUNT(*) FROM visits WHERE DATE_TRUNC(nothing, MONTH) IS NULL", "nothing"),
    ],
)
def test_a_refusal_underlines_what_was_typed(text, underlined):
    with pytest.raises(InvalidPlan) as refusal:
        read_sql(text, TABLES)
    assert refusal.value.text == text
    assert underlined in text[refusal.value.start : refusal.value.end]


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("`a` '`b`' \"`c`\"", '"a" \'`b`\' "`c`"'),
        ("-- `a`\n`b`", '-- `a`\n"b"'),
        ("/* `a` */ `b", "/* `a` */ `b"),
        ("'it''s `x`' `y`", "'it''s `x`' \"y\""),
    ],
)
def test_backticks_are_quotes_but_in_texts_and_comments(text, quoted):
    assert quote_names(text) == quoted
    assert len(quote_names(text)) == len(text)
