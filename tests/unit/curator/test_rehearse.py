"""What is done with an answer is done with made-up ones first: whatever fails, fails before the charge."""

from datetime import UTC, date, datetime

import pytest

import tacit
from tacit.curator import Release
from tacit.curator import vault as room
from tacit.curator.pricing.terms import terms_of
from tacit.curator.rehearse import made_up_answers, made_up_plan
from tacit.errors import InvalidInput, InvalidPlan, TacitError
from tests.unit.curator.asked import CONCENTRATED, PURE, plan_of, shared

ROWS = [
    {
        "p": i,
        "day": date(2024, 1, 1 + i % 28),
        "at": datetime(2024, 1, 1 + i % 28, 5, tzinfo=UTC),
        "x": i % 9,
    }
    for i in range(400)
]
DAYS = (date(2024, 1, 1), date(2024, 12, 31))


def vault(**more):
    columns = {
        "day": DAYS,
        "at": (datetime(2024, 1, 1, tzinfo=UTC), datetime(2025, 1, 1, tzinfo=UTC)),
        "x": (0, 10),
    }
    given = {
        "unit": "p",
        "contributions": 1,
        "columns": columns,
        "epsilon": 300,
        "delta": 1e-6,
        "name": "t",
    }
    return tacit.protect(ROWS, **(given | more))


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("DATE_TRUNC('month', MEDIAN(day))", [datetime] * 3),
        ("EXTRACT(doy FROM MAX(day))", [int] * 3),
        ("STRFTIME(MIN(day), '%Y-%m')", [str]),
        ("MEDIAN(day) + INTERVAL 1 MONTH", [datetime] * 3),
        ("CAST(MEDIAN(at) AS DATE)", [date] * 3),
        ("DATE_DIFF('day', MIN(day), MAX(day))", [int] * 3),
        ("MEDIAN(day) > DATE '2024-06-01'", [bool]),
        ("GREATEST(MEDIAN(at), TIMESTAMP '2024-06-01 00:00:00')", [datetime] * 3),
    ],
)
def test_functions_of_released_days_and_moments_are_answered(text, kinds):
    with vault() as asked:
        (row,) = asked.sql(f"SELECT {text} AS m FROM t", epsilon=20).rows
        assert [type(cell) for cell in row] == kinds
        if len(row) == 3:
            assert row[1] <= row[0] <= row[2]


def test_an_answer_that_no_float_could_hold_is_refused_before_the_charge():
    with vault(columns={"x": (-(10**300), 10**300)}) as asked:
        with pytest.raises(InvalidPlan, match="larger than any number that can be shown"):
            asked.sql("SELECT SUM(x) AS s FROM t", epsilon=1)
        assert asked.budget.spent == 0


@pytest.mark.parametrize(
    "error", [TypeError, ValueError, OverflowError, KeyError, ZeroDivisionError, RecursionError]
)
@pytest.mark.parametrize("way", ["__str__", "_repr_html_", "to_csv", "typed_columns"])
def test_whatever_cannot_be_shown_is_refused_before_the_charge(way, error, monkeypatch):
    def broken(*_):
        raise error("planted")

    monkeypatch.setattr(Release, way, broken)
    with vault() as asked:
        for text in ("SELECT COUNT(*) AS n FROM t", "SELECT MEDIAN(day) AS n FROM t"):
            with pytest.raises(TacitError):
                asked.sql(text, epsilon=1)
        assert asked.budget.spent == 0


def test_a_bug_is_not_hidden_but_nothing_is_charged(monkeypatch):
    def broken(*_, **__):
        raise AssertionError("planted")

    monkeypatch.setattr(room, "view_answer", broken)
    with vault() as asked:
        with pytest.raises(AssertionError, match="planted"):
            asked.sql("SELECT COUNT(*) AS n FROM t", epsilon=1)
        assert asked.budget.spent == 0


def test_what_is_found_is_rehearsed_too(monkeypatch):
    def broken(*_):
        raise ValueError("planted")

    with vault(columns={"x": {"type": "integer"}}) as asked:
        monkeypatch.setattr(room, "bounds_in", broken)
        with pytest.raises(InvalidPlan):
            asked.find_bounds("t.x", epsilon=1)
        assert asked.budget.spent == 0


@pytest.mark.parametrize("limit", [PURE, CONCENTRATED], ids=["pure", "concentrated"])
@pytest.mark.parametrize(
    ("text", "answers", "groups"),
    [
        ("SELECT COUNT(*) AS n FROM visits", 3, {1}),
        ("SELECT COUNT(*) AS n, SUM(gain) AS s FROM visits", 4, {1}),
        (
            "SELECT ward, severe, COUNT(*) AS n, SUM(gain) AS s FROM visits GROUP BY ward, severe",
            2,
            {2},
        ),
        ("SELECT VARIANCE(cost) AS v FROM visits", 2, {1}),
    ],
)
def test_few_answers_of_few_groups_are_made_up(limit, text, answers, groups):
    plan = made_up_plan(plan_of(text))
    terms = terms_of(
        plan.question, shared(), limit, limit.filter().amount(limit.filter().price_of(1))
    )
    made = list(made_up_answers(plan, terms, {}))
    assert (len(made), {len(each.integers) for each in made}) == (answers, groups)
    numbers = [number for each in made for row in each.integers for number in row]
    assert 0 in numbers
    assert max(numbers) > 1 << 40


@pytest.mark.parametrize("confidence", [10**400, -(10**400), 0, 1, 1 - 1e-13, 1e-13, 10.0**-400])
def test_a_confidence_is_a_probability(confidence):
    with vault() as asked:
        with pytest.raises(InvalidInput, match="confidence"):
            asked.sql("SELECT COUNT(*) AS n FROM t", epsilon=1, confidence=confidence)
        assert asked.budget.spent == 0


@pytest.mark.parametrize(
    "given",
    [{"epsilon": 10**400}, {"within": 10**400}, {"within": 10.0**-300}, {"epsilon": 5e-324}],
)
def test_extreme_prices_are_answered_or_refused(given):
    with vault() as asked:
        try:
            answer = asked.sql("SELECT COUNT(*) AS n FROM t", **given)
        except TacitError:
            assert asked.budget.spent == 0
        else:
            assert str(answer)


def test_a_confidence_that_cannot_be_shared_out_among_groups_is_refused():
    columns = {"x": {"type": "integer", "values": list(range(2_000))}}
    text = "SELECT x, SUM(COUNT(*)) OVER (ORDER BY x) AS s FROM t GROUP BY x LIMIT 3"
    with vault(columns=columns) as asked:
        with pytest.raises(InvalidInput, match="at once"):
            asked.sql(text, epsilon=1, confidence=1 - 1e-12)
        assert asked.budget.spent == 0
        assert len(asked.sql(text, epsilon=1, confidence=1 - 1e-11)) == 3
