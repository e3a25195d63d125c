"""Groups that no row can be in are not shown, and no other group is left out."""

from datetime import date, datetime, timedelta
from itertools import product

import pytest

import tacit
from tacit.plan import Column, Kind, Table, read_sql
from tacit.plan.questions.impossible_groups import group_filter
from tacit.plan.questions.public_values import key_value
from tacit.plan.semantics.evaluate import compile_expression
from tacit.plan.semantics.infer_expression_types import type_of
from tacit.plan.semantics.value_kinds import constant

SPAN = (date(2023, 12, 20), date(2024, 3, 20))
DAYS = [SPAN[0] + timedelta(n) for n in range((SPAN[1] - SPAN[0]).days + 1)]
EARLY, LATE = datetime(2023, 12, 30, 22, 30), datetime(2024, 1, 2, 1, 15)  # noqa: DTZ001 - no zone
VISITS = Table(
    "visits",
    (
        Column("day", Kind.DATE, *SPAN),
        Column("at", Kind.TIMESTAMP, EARLY, LATE),
        Column("age", Kind.INTEGER, 0, 39),
        Column("ward", Kind.TEXT, values=("A", "B")),
        Column("code", Kind.INTEGER, values=(1, 2, 3)),
    ),
)
ROWS = [
    *({"day": day, "at": None, "age": None, "ward": "A", "code": 7} for day in DAYS),
    *(
        {
            "day": None,
            "at": EARLY + timedelta(minutes=n),
            "age": n // 15 % 50,
            "ward": "Z",
            "code": None,
        }
        for n in range(0, 3045, 15)
    ),
    {"day": date(2025, 6, 30), "at": datetime(2030, 5, 5), "age": 77, "ward": None, "code": 1},  # noqa: DTZ001
    {"day": None, "at": None, "age": None, "ward": None, "code": None},
]
KEYS = [
    ("EXTRACT(month FROM day)", "EXTRACT(day FROM day)"),
    ("day", "DAYNAME(day)"),
    ("EXTRACT(year FROM day)", "EXTRACT(month FROM day)", "EXTRACT(week FROM day)"),
    ("COALESCE(EXTRACT(month FROM day), 0)", "DATE_TRUNC('week', day)"),
    ("COALESCE(EXTRACT(month FROM day), 0)", "COALESCE(EXTRACT(day FROM day), 0)"),
    ("at::date", "EXTRACT(dow FROM at)"),
    ("at::date", "EXTRACT(hour FROM at)"),
    ("DATE_TRUNC('hour', at)", "EXTRACT(day FROM at)", "EXTRACT(hour FROM at)"),
    ("STRFTIME(at, '%Y-%m-%d')", "EXTRACT(doy FROM at)"),
    ("age", "FLOOR(age / 10)"),
    ("CASE WHEN age < 18 THEN 'young' ELSE 'old' END", "FLOOR(age / 10)"),
    (
        "CASE WHEN code = 1 THEN 'one' ELSE 'more' END",
        "CASE WHEN code = 2 THEN 'two' ELSE 'other' END",
    ),
    ("CASE WHEN ward = 'A' THEN 'a' ELSE 'more' END", "ward = 'B'"),
]

UNRELATED = [("at::date", "EXTRACT(hour FROM at)"), *KEYS[-2:]]


@pytest.mark.parametrize("keys", KEYS)
def test_no_row_is_in_a_group_that_is_left_out(keys):
    question = read_sql(
        f"SELECT COUNT(*) FROM visits GROUP BY {', '.join(keys)}", {"visits": VISITS}
    ).question
    can_have_rows, groups = group_filter(question) or (lambda _: True), set(question.groups)
    kinds = {column.name: column.kind for column in VISITS.columns}
    computed = [(compile_expression(key.value), type_of(key.value).kind) for key in question.keys]
    met = set()
    for row in ROWS:
        cells = {name: constant(value, kinds[name]) for name, value in row.items()}
        group = tuple(key_value(compute(cells), kind) for compute, kind in computed)
        if group in groups:
            assert can_have_rows(group)
            met.add(group)
    shown = {each for each in groups if None not in each and can_have_rows(each)}
    assert met
    # no other group is shown, but for hours before the first moment and after the last
    assert keys in UNRELATED or shown <= met


@pytest.mark.parametrize(
    ("keys", "left_out"),
    [
        (("EXTRACT(month FROM day)", "EXTRACT(day FROM day)"), (2, 30)),
        (("EXTRACT(month FROM day)", "EXTRACT(day FROM day)"), (12, 1)),
        (("day", "DAYNAME(day)"), (date(2024, 1, 1), "Tuesday")),
        (("age", "FLOOR(age / 10)"), (15, 2)),
        (("at::date", "EXTRACT(day FROM at)"), (date(2024, 1, 1), 31)),
    ],
)
def test_what_no_row_can_have_is_left_out(keys, left_out):
    text = f"SELECT COUNT(*) FROM visits GROUP BY {', '.join(keys)}"
    question = read_sql(text, {"visits": VISITS}).question
    can_have_rows = group_filter(question)
    assert left_out in set(question.groups)
    assert not can_have_rows(left_out)


@pytest.mark.parametrize("keys", [*UNRELATED, ("day", "age")])
def test_keys_that_do_not_hang_together_have_all_groups(keys):
    text = f"SELECT COUNT(*) FROM visits GROUP BY {', '.join(keys)}"
    question = read_sql(text, {"visits": VISITS}).question
    assert group_filter(question) is None
    assert len(list(question.groups)) == len(
        list(product(*(key.public_values for key in question.keys)))
    )


def test_an_average_over_days_counts_no_thirtieth_of_february():
    rows = [{"day": day} for day in DAYS for _ in range(10)]
    vault = tacit.protect(
        rows, unit="row", columns={"day": SPAN}, epsilon=10**6, delta=0, name="visits"
    )
    inner = "SELECT EXTRACT(month FROM day) AS m, EXTRACT(day FROM day) AS d, COUNT(*) AS n FROM visits GROUP BY ALL"
    assert vault.sql(f"SELECT AVG(n) AS a FROM ({inner})", epsilon=1000).item() == pytest.approx(
        10, abs=0.1
    )
    both = f"WITH x AS ({inner}) SELECT COUNT(*) AS groups FROM x JOIN x AS y ON x.m = y.m AND x.d = y.d"
    assert vault.sql(both, epsilon=1000)["groups"] == [len(DAYS)]
