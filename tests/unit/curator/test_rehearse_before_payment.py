"""What is done with an answer is done with made-up ones first: whatever fails, fails before the charge."""

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

import tacit
from tacit.accounting import Charge
from tacit.curator import LeftOut, Release, find_bounds
from tacit.curator import rehearse_before_payment as rehearse
from tacit.curator.answer.release import Price
from tacit.curator.answer.view_rows import view_answer
from tacit.curator.pricing.noise_of_measures import terms_of, worth_of
from tacit.curator.record import release_from_stored
from tacit.curator.rehearse_before_payment import made_up_answers, made_up_plan, rehearsal_of
from tacit.errors import InvalidInput, InvalidPlan, TacitError
from tacit.ledger import Entry
from tacit.mechanisms import Gaussian
from tacit.plan import Scan, Table
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
DESCRIPTION = {
    "limit": {"epsilon": "3", "delta": "0"},
    "neighbours": "add-or-remove",
    "question": "ab" * 32,
    "made up": False,
}
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
        with pytest.raises(InvalidPlan, match="the sum could exceed the range of doubles"):
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

    monkeypatch.setattr(release_from_stored, "view_answer", broken)
    with vault() as asked:
        with pytest.raises(AssertionError, match="planted"):
            asked.sql("SELECT COUNT(*) AS n FROM t", epsilon=1)
        assert asked.budget.spent == 0


def test_what_is_found_is_rehearsed_too(monkeypatch):
    def broken(*_):
        raise ValueError("planted")

    with vault(columns={"x": {"type": "integer"}}) as asked:
        monkeypatch.setattr(find_bounds, "bounds_in", broken)
        with pytest.raises(InvalidPlan):
            asked.find_bounds("t.x", epsilon=1)
        assert asked.budget.spent == 0


def rehearsed(plan, terms, charge, **more):
    """The rehearsal of a plan about the clinic."""
    given = {"description": DESCRIPTION, "confidence": 0.95, "left_out": (), "raw": False} | more
    entry, price = Entry(0, b"", None, charge), Price(1.0, 0.5)
    return rehearsal_of(plan, terms, entry=entry, price=price, **given)


def a_rehearsal(text="SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward", limit=PURE, **more):
    plan = plan_of(text)
    charge = more.pop("charge", None) or limit.filter().price_of(more.pop("epsilon", 1))
    terms = terms_of(plan.question, shared(), limit, limit.filter().amount(charge))
    return rehearsed(plan, terms, charge, **more)


def test_a_shape_is_rehearsed_once_and_whatever_differs_is_another(monkeypatch):
    """Of questions that differ in their rows alone one is rehearsed; whatever else differs is rehearsed, too."""
    looked = []
    real = rehearse.look_at

    def note(release):
        looked.append((release.columns[1], len(release)))
        real(release)

    monkeypatch.setattr(rehearse, "look_at", note)
    columns = {"x": (0, 10), "y": {"type": "integer", "values": [1, 2, 3, 4]}}
    rows = [{"p": i, "x": i % 9, "y": 1 + i % 4} for i in range(9)]
    given = {"unit": "p", "contributions": 1, "columns": columns, "epsilon": 300, "name": "t"}

    def looks(asked, text, **more):
        looked.clear()
        asked.sql(text, **({"epsilon": 1} | more))
        return tuple(looked)

    count = "SELECT y, COUNT(*) AS n FROM t WHERE x < 3 GROUP BY y"
    with tacit.protect(rows, **given) as asked:
        assert looks(asked, count) == (("n", 4),)  # all rows, with the names
        assert looks(asked, count.replace("3", "4")) == ()
        assert looks(asked, count.replace("x < 3", "x * 2 + 1 < 7")) == ()
        assert looks(asked, count.replace(" n ", " other ").replace("3", "5")) == (("other", 1),)
        others = (
            (count, {"confidence": 0.9}),
            (count, {"raw": True}),
            (count, {"epsilon": 2}),
            (count.replace(" n ", " m "), {}),
            (count.replace("COUNT(*)", "COUNT(x)"), {}),
            (count.replace("COUNT(*)", "COUNT(*) * 2"), {}),
            (count.replace("GROUP BY y", "GROUP BY y HAVING COUNT(*) > 2"), {}),
            (count.replace("GROUP BY y", "GROUP BY y ORDER BY n LIMIT 2"), {}),
            (count.replace("y", "y = 1"), {}),
            (count.replace("x < 3", "x < 30"), {}),  # which is always so, and the caption says it
        )
        for number, (text, more) in enumerate(others):
            # about other rows each: nothing is known before
            assert looks(asked, text.replace("WHERE", f"WHERE x <> {number} AND"), **more), text
    with tacit.protect(rows, **given) as another:
        assert looks(another, count) == (("n", 4),)  # whatever another vault has rehearsed


def test_a_rehearsal_that_failed_is_not_remembered(monkeypatch):
    def broken(*_):
        raise ValueError("planted")

    with vault() as asked:
        with monkeypatch.context() as planted:
            planted.setattr(Release, "to_csv", broken)
            for _ in range(2):
                with pytest.raises(InvalidPlan):
                    asked.sql("SELECT COUNT(*) AS n FROM t", epsilon=1)
        assert asked.sql("SELECT COUNT(*) AS n FROM t", epsilon=1).rows


@pytest.mark.parametrize("limit", [PURE, CONCENTRATED], ids=["pure", "concentrated"])
def test_one_reaches_as_far_as_all_prices_of_a_magnitude(limit):
    """Prices of as many bits are rehearsed once, and what was made up at one goes 64 scales far at each of them."""
    text, rule = (
        "SELECT ward, COUNT(*) AS n, SUM(age) AS s FROM visits GROUP BY ward",
        limit.filter(),
    )
    bits = rule.price_of(1).amount.bit_length()
    least, most = 1 << bits - 1, (1 << bits) - 1
    found = [(at, a_rehearsal(text, limit, charge=Charge(at))) for at in (least, most)]
    assert found[0][1] == found[1][1]
    for at in (least - 1, most + 1):
        assert a_rehearsal(text, limit, charge=Charge(at)) != found[0][1]
    (rows,) = {rehearsal.most for _, rehearsal in found}
    for _, one in found:
        (made_up,) = made_up_answers(one)
        for place, column in enumerate(zip(*made_up.integers, strict=True)):
            made_up_far = max(column) * made_up.worths[place]
            for _, other in found:
                terms = replace(other.terms, question=one.plan.question)
                mechanism, measure = terms.mechanisms[place], terms.question.measures[place]
                scale = mechanism.sigma if isinstance(mechanism, Gaussian) else mechanism.scale
                each = worth_of(measure, terms.weights) * getattr(measure, "reach", 1)
                assert made_up_far >= (rows << terms.weights.bits) * each + (
                    64 * scale - 1
                ) * terms.worth(place)


def test_names_that_cannot_be_shown_are_refused_before_the_charge(monkeypatch):
    """Of a shape that was rehearsed under other names the names are looked at all the same."""
    real = Release.to_csv

    def picky(release):
        if {"m", "m_low"} & set(release.columns):
            raise ValueError("planted")
        return real(release)

    monkeypatch.setattr(Release, "to_csv", picky)
    with vault() as asked:
        asked.sql("SELECT COUNT(*) AS n FROM t WHERE x < 3", epsilon=1)
        spent = asked.budget.spent
        with pytest.raises(InvalidPlan):
            asked.sql("SELECT COUNT(*) AS m FROM t WHERE x < 4", epsilon=1)
        assert asked.budget.spent == spent
        asked.sql("SELECT COUNT(*) AS o FROM t WHERE x < 5", epsilon=1)
        assert asked.budget.spent > spent


def test_rehearsals_are_equal_only_if_all_that_they_read_is():
    """Every part of a rehearsal tells it from others."""
    same = a_rehearsal()
    assert a_rehearsal() == same
    others = [
        a_rehearsal(raw=True),
        a_rehearsal(confidence=0.9),
        a_rehearsal(epsilon=2),
        a_rehearsal(limit=CONCENTRATED),
        a_rehearsal(description=DESCRIPTION | {"made up": True}),
        a_rehearsal(left_out=(LeftOut("unit", "person", "rows with no person are left out"),)),
        a_rehearsal("SELECT ward, COUNT(*) AS m FROM visits GROUP BY ward"),
        a_rehearsal("SELECT severe, COUNT(*) AS n FROM visits GROUP BY severe"),
        a_rehearsal("SELECT ward, SUM(age) AS n FROM visits GROUP BY ward"),
        a_rehearsal(
            "SELECT a.ward, COUNT(*) AS n FROM visits a JOIN visits b USING (person) GROUP BY a.ward"
        ),
    ]
    assert len({same, *others}) == 1 + len(others)
    filtered = "SELECT ward, COUNT(*) AS n FROM visits WHERE age > 7 GROUP BY ward"
    assert a_rehearsal(filtered) == same


def test_an_answer_is_shown_without_looking_at_rows():
    """A view whose rows are no rows at all shows the same: what is rehearsed without rows is what is shown."""
    texts = (
        "SELECT ward, COUNT(*) AS n, AVG(cost) AS m, SUM(gain) AS s FROM visits WHERE age > 7 GROUP BY ward",
        "SELECT severe, VARIANCE(cost) AS v, COUNT(DISTINCT label) AS d FROM visits GROUP BY severe",
        "SELECT ward, SUM(COUNT(*)) OVER (ORDER BY ward) AS s FROM visits GROUP BY ward ORDER BY s LIMIT 2",
        "SELECT ward, MEDIAN(cost) AS m, MAX(age) AS a FROM visits GROUP BY ward HAVING MEDIAN(cost) > 3",
    )
    for text in texts:
        plan = plan_of(text)
        charge = PURE.filter().price_of(1)
        terms = terms_of(plan.question, shared(), PURE, PURE.filter().amount(charge))
        (stored, *_) = made_up_answers(rehearsed(plan, terms, charge))
        small = made_up_plan(plan)
        none = replace(small, question=replace(small.question, rows=Scan(Table("none", ()))))
        whole = replace(small, question=replace(small.question, rows=plan.question.rows))
        released = stored.noisy(range(len(terms.mechanisms)))
        assert view_answer(none, released, 0.95) == view_answer(whole, released, 0.95)


@pytest.mark.parametrize("limit", [PURE, CONCENTRATED], ids=["pure", "concentrated"])
@pytest.mark.parametrize(
    ("text", "answers", "groups"),
    [
        ("SELECT COUNT(*) AS n FROM visits", 1, {4}),
        ("SELECT COUNT(*) AS n, SUM(gain) AS s FROM visits", 1, {4}),
        (
            "SELECT ward, severe, COUNT(*) AS n, SUM(gain) AS s FROM visits GROUP BY ward, severe",
            1,
            {4},
        ),
        ("SELECT VARIANCE(cost) AS v FROM visits", 1, {2}),
    ],
)
def test_few_answers_of_few_groups_are_made_up(limit, text, answers, groups):
    plan, charge = plan_of(text), limit.filter().price_of(1)
    terms = terms_of(plan.question, shared(), limit, limit.filter().amount(charge))
    made = list(made_up_answers(rehearsed(plan, terms, charge)))
    assert (len(made), {len(each.integers) for each in made}) == (answers, groups)
    numbers = [number for each in made for row in each.integers for number in row]
    assert 0 in numbers
    assert max(numbers) > 1 << 40


@pytest.mark.parametrize(
    "text",
    [
        "SELECT COUNT(*) AS n FROM visits LIMIT 1",
        "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY n DESC LIMIT 1 OFFSET 2",
        "SELECT ward, severe, COUNT(*) AS n FROM visits GROUP BY ward, severe LIMIT 0",
    ],
)
def test_everything_that_is_made_up_is_shown_whatever_limit_says(text):
    plan, charge = plan_of(text), PURE.filter().price_of(1)
    terms = terms_of(plan.question, shared(), PURE, PURE.filter().amount(charge))
    (stored,) = made_up_answers(rehearsed(plan, terms, charge))
    seen = view_answer(made_up_plan(plan), stored.noisy(range(len(terms.mechanisms))), 0.95)
    assert len(seen.rows) == len(stored.integers) == 4


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
        with pytest.raises(InvalidInput, match="simultaneously"):
            asked.sql(text, epsilon=1, confidence=1 - 1e-12)
        assert asked.budget.spent == 0
        assert len(asked.sql(text, epsilon=1, confidence=1 - 1e-11)) == 3
