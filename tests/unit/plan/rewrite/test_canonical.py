"""The canonical form: equal for equal questions, and of the same meaning."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tacit.errors import InvalidPlan
from tacit.plan import (
    Arithmetic,
    Both,
    Column,
    Counted,
    Key,
    KeyOf,
    Kind,
    Literal,
    MeanOf,
    MeasureOf,
    Plan,
    Question,
    Scan,
    Shown,
    Summed,
    View,
    Where,
    canonical,
    fingerprint,
    read_sql,
    type_of,
)
from tests.unit.plan.cases import TABLES, VISITS, conditions, evaluate, field, numbers, rows


def accepted(expression):
    try:
        type_of(expression)
    except InvalidPlan:
        assume(False)
    return expression


def where(condition):
    return Plan(
        Question(Where(Scan(VISITS), condition), (), (Counted(),)),
        View((Shown("n", MeasureOf(0)),)),
    )


@given(conditions, st.lists(rows, min_size=1, max_size=6))
def test_the_canonical_question_means_the_same(condition, tried):
    found = canonical(where(accepted(condition))).question.rows.condition
    assert [evaluate(found, row) for row in tried] == [evaluate(condition, row) for row in tried]


@given(numbers, st.lists(rows, min_size=1, max_size=6))
def test_a_canonical_sum_adds_the_same_values(expression, tried):
    accepted(expression)
    measure = Summed(expression, Fraction(1), 0, 1)
    (found,) = canonical(Plan(Question(Scan(VISITS), (), (measure,)), View(()))).question.measures
    assert type_of(found.value).kind is type_of(expression).kind
    assert [evaluate(found.value, row) for row in tried] == [
        evaluate(expression, row) for row in tried
    ]


@given(conditions)
def test_canonical_twice_is_canonical_once(condition):
    once = canonical(where(accepted(condition)))
    assert canonical(once) == once
    assert fingerprint(once.question) == fingerprint(where(condition).question)


SAME = [
    ("COUNT(*)", "age >= 65", "65 <= age"),
    ("COUNT(*)", "age >= 65", "NOT (age < 65)"),
    ("COUNT(*)", "age >= 65", "age >= 65.0"),
    ("COUNT(*)", "age = 5 AND cost > 1 AND sex = 'f'", "sex = 'f' AND (cost > 1 AND age = 5)"),
    ("COUNT(*)", "age = 5 OR cost > 1 OR age = 5", "cost > 1 OR age = 5"),
    ("COUNT(*)", "NOT (age = 5 OR cost > 1)", "cost <= 1 AND age <> 5"),
    ("COUNT(*)", "NOT (age = 5 AND NOT cost > 1)", "cost > 1 OR age <> 5"),
    ("COUNT(*)", "NOT NOT age IS NULL", "age IS NULL"),
    ("COUNT(*)", "age BETWEEN 5 AND 9", "age <= 9 AND age >= 5"),
    ("COUNT(*)", "age NOT BETWEEN 5 AND 9", "age > 9 OR age < 5"),
    ("COUNT(*)", "age IN (3, 1, 2, 1)", "age IN (1, 2, 3.0)"),
    ("COUNT(*)", "age IN (3)", "3 = age"),
    ("COUNT(*)", "age NOT IN (3)", "3 <> age"),
    ("COUNT(*)", "ward = 'A'", "'A' = ward"),
    ("COUNT(*)", "day >= '2025-01-31'", "DATE '2025-01-31' <= day"),
    ("COUNT(*)", "seen >= '2025-01-31'", "seen >= TIMESTAMP '2025-01-31 00:00:00'"),
    (
        "COUNT(*)",
        "CASE age WHEN 3 THEN TRUE ELSE FALSE END",
        "CASE WHEN age = 3 THEN TRUE ELSE FALSE END",
    ),
    ("COUNT(*)", "CAST(age AS BIGINT) = 3", "TRY_CAST(age AS INTEGER) = 3"),
    ("COUNT(*)", "age + cost > 3", "cost + age > 3"),
    ("COUNT(*)", "cost * 2.0 > 3", "2 * cost > 3"),
    ("COUNT(*)", "- -age > 3", "age > 3"),
    ("COUNT(*)", "LEAST(age, change, 3) > 1", "LEAST(3, LEAST(change, age)) > 1"),
    ("COUNT(*)", "GREATEST(age, age, NULL) > 1", "age > 1"),
    (
        "COUNT(*)",
        "COALESCE(age, COALESCE(change, 0)) > 1",
        "IFNULL(age, COALESCE(change, 0, 5)) > 1",
    ),
    ("COUNT(*)", "COALESCE(stay, 0) > 1", "stay > 1"),
    ("COUNT(*)", "COALESCE(stay, 0.5) > 1", "CAST(stay AS DOUBLE) > 1"),
    ("COUNT(*)", "ward IS DISTINCT FROM sex", "sex IS DISTINCT FROM ward"),
    ("COUNT(*)", "ward IS NOT DISTINCT FROM sex", "NOT (sex IS DISTINCT FROM ward)"),
    ("COUNT(*)", "age IS DISTINCT FROM NULL", "age IS NOT NULL"),
    ("COUNT(*)", "ROUND(age) > 1", "FLOOR(age) > 1"),
    ("COUNT(*)", "ROUND(cost) > 1", "ROUND(cost, 0) > 1"),
    ("COUNT(*)", "IF(age > 3, smoker, FALSE)", "CASE WHEN age > 3 THEN smoker ELSE FALSE END"),
    ("COUNT(*)", "name ILIKE 'A%'", "LOWER(name) LIKE 'a%'"),
    ("COUNT(*)", "YEAR(day) = 2025", "EXTRACT(year FROM day) = 2025"),
    (
        "COUNT(*)",
        "day > DATE '2025-01-31' + INTERVAL 1 DAY",
        "day > TIMESTAMP '2025-02-01 00:00:00'",
    ),
    ("COUNT(*)", "seen + INTERVAL 1 MONTH > seen", "seen < INTERVAL '1 months' + seen"),
    ("COUNT(ABS(cost))", "TRUE", "TRUE"),
]
DIFFERENT = [
    ("age > 65", "age >= 65"),
    ("UPPER(ward) = 'A'", "UPPER(ward) = 'a'"),
    ("age - change > 0", "change - age > 0"),
    ("age + 1.0 > 0", "age + 1 > 0"),
    ("age IN (1, 2)", "age IN (1, 2, NULL)"),
    ("name LIKE 'a%'", "name LIKE 'a_'"),
    ("age = 5 AND cost > 1", "age = 5 OR cost > 1"),
    ("cost / 2 > age", "cost * 2 > age"),
    ("CASE WHEN age > 1 THEN 1 ELSE 2 END = 1", "CASE WHEN age > 1 THEN 2 ELSE 1 END = 1"),
    ("CAST(cost AS BIGINT) = 1", "cost = 1"),
    ("COALESCE(age, change) = 1", "COALESCE(change, age) = 1"),
    ("NULLIF(age, change) = 1", "NULLIF(change, age) = 1"),
    ("LEAST(age, change) = 1", "GREATEST(age, change) = 1"),
    ("age // change = 1", "change // age = 1"),
    ("ROUND(cost, 1) = 1", "ROUND(cost, 2) = 1"),
    ("ROUND(age, -1) = 1", "ROUND(age) = 1"),
    ("DATE_TRUNC('month', seen) > seen", "DATE_TRUNC('year', seen) > seen"),
    ("seen + INTERVAL 1 DAY > day", "seen + INTERVAL 1 HOUR > day"),
    ("EXTRACT(dow FROM day) = 1", "EXTRACT(isodow FROM day) = 1"),
    ("SUBSTR(name, 1) = 'a'", "SUBSTR(name, 1, 1) = 'a'"),
    ("name || sex = 'a'", "CONCAT(name, sex) = 'a'"),
    ("DATE_DIFF('day', day, seen) = 1", "DATE_DIFF('day', seen, day) = 1"),
    ("LOWER(name) = 'a'", "UPPER(name) = 'a'"),
]


def print_of(condition):
    return fingerprint(read_sql(f"SELECT COUNT(*) FROM visits WHERE {condition}", TABLES).question)


@pytest.mark.parametrize(("measure", "one", "other"), SAME)
def test_the_same_question_in_other_words(measure, one, other):
    plans = [
        read_sql(f"SELECT {measure} AS n FROM visits WHERE {text}", TABLES) for text in (one, other)
    ]
    assert canonical(plans[0]) == canonical(plans[1])
    assert print_of(one) == print_of(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_other_questions_have_other_fingerprints(one, other):
    assert print_of(one) != print_of(other)


def test_keys_and_measures_have_one_order():
    one = read_sql(
        "SELECT ward, sex, SUM(age) AS s, COUNT(*) AS n FROM visits GROUP BY ward, sex", TABLES
    )
    other = read_sql(
        "SELECT ward, sex, SUM(age) AS s, COUNT(*) AS n FROM visits GROUP BY 2, 1 HAVING n > 0",
        TABLES,
    )
    assert one.question != other.question
    assert canonical(one).question == canonical(other).question
    assert canonical(one).view.columns == canonical(other).view.columns
    assert fingerprint(one.question) == fingerprint(other.question)


def test_the_view_follows_its_keys_and_measures():
    text = (
        "SELECT ward, sex, AVG(cost) AS m, COUNT(*) AS n, SUM(age) AS s "
        "FROM visits GROUP BY ward, sex ORDER BY n + s"
    )
    plan = read_sql(text, TABLES)
    found = canonical(plan)

    def told(expression, question):
        match expression:
            case KeyOf(place):
                return question.keys[place]
            case MeasureOf(place):
                return question.measures[place]
            case MeanOf(sum_place, count_place):
                return question.measures[sum_place], question.measures[count_place]
            case Arithmetic(operator, left, right):
                return operator, {told(left, question), told(right, question)}

    before = [told(shown.value, plan.question) for shown in plan.view.columns]
    assert [told(shown.value, found.question) for shown in found.view.columns] == before
    assert told(found.view.order[0].value, found.question) == told(
        plan.view.order[0].value, plan.question
    )


def test_what_is_measured_twice_is_measured_once():
    measures = (Counted(), Summed(field("age"), Fraction(1), 0, 120), Counted())
    view = View(tuple(Shown(f"c{place}", MeasureOf(place)) for place in range(3)))
    found = canonical(Plan(Question(Scan(VISITS), (), measures), view))
    assert len(found.question.measures) == 2
    assert found.view.columns[0].value == found.view.columns[2].value


def test_conditions_of_several_steps_are_one():
    one, other = read_sql("SELECT COUNT(*) FROM visits WHERE age > 3 AND cost > 1", TABLES), None
    rows_ = one.question.rows
    assert isinstance(rows_.condition, Both)
    other = replace(
        one.question, rows=Where(Where(Scan(VISITS), rows_.condition.right), rows_.condition.left)
    )
    assert fingerprint(one.question) == fingerprint(other)


def test_bounds_units_and_values_are_part_of_a_question():
    def asked(table, values=("A", "B")):
        ward = next(column for column in table.columns if column.name == "ward")
        cost = next(column for column in table.columns if column.name == "cost")
        measures = (Summed(type(field("cost"))(cost), Fraction(1), 0, 5),)
        return Question(Scan(table), (Key(type(field("ward"))(ward), values),), measures)

    wider = tuple(
        Column("cost", Kind.NUMBER, 0, 9) if c.name == "cost" else c for c in VISITS.columns
    )
    loose = tuple(Column("age", Kind.INTEGER) if c.name == "age" else c for c in VISITS.columns)
    bounded = tuple(
        Column("age", Kind.INTEGER, 0, 9) if c.name == "age" else c for c in VISITS.columns
    )
    prints = [
        fingerprint(asked(VISITS)),
        fingerprint(asked(VISITS, ("B", "A"))),
        fingerprint(asked(replace(VISITS, columns=wider))),
        fingerprint(asked(replace(VISITS, unit=None))),
        fingerprint(asked(replace(VISITS, name="stays"))),
        # A row without an age is there, or is not, whatever is asked of it; without bounds no infinite one has an age.
        fingerprint(
            asked(
                replace(VISITS, columns=tuple(replace(c, nullable=c.name != "age") for c in loose))
            )
        ),
        fingerprint(
            asked(
                replace(
                    VISITS, columns=tuple(replace(c, nullable=c.name != "age") for c in bounded)
                )
            )
        ),
    ]
    assert len(set(prints)) == len(prints)
    # What no part of the question looks at is no part of the question.
    assert fingerprint(asked(replace(VISITS, columns=loose, rows=5))) == prints[0]


def test_a_fingerprint_does_not_change_between_versions():
    # A stored answer is found by it: changing this number means that every stored answer is lost.
    text = "SELECT ward, AVG(cost) FROM visits WHERE age > 3 AND name LIKE 'ä%' GROUP BY ward"
    free = replace(
        VISITS, columns=tuple(replace(column, nullable=True) for column in VISITS.columns)
    )
    pinned = {
        free: "1e977b88cd225637f90cfb33203af72f8c7e4b251cb4d9f2c87da313a9055f94",
        # which leaves rows out
        VISITS: "19b6956865e2828bcea8861b4f77fe58a05c928f520a2a335e5aa9e55147c1af",
    }
    for table, found in pinned.items():
        assert fingerprint(read_sql(text, {"visits": table}).question).hex() == found


def test_texts_cannot_be_mistaken_for_structure():
    one = where(Both(_is("a"), _is('b"],["literal')))
    other = where(Both(_is('a"],["literal'), _is("b")))
    assert fingerprint(one.question) != fingerprint(other.question)


def _is(text):
    from tacit.plan import Compared

    return Compared("=", field("name"), Literal(text, Kind.TEXT))
