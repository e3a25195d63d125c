"""What is said about an answer before any data are looked at."""

from fractions import Fraction

import pytest

import tacit
from tacit.accounting import Charge
from tacit.curator import Limit, terms_of
from tacit.curator.answer.explanation import explain_plan
from tacit.curator.answer.intervals import Noisy
from tacit.curator.answer.view_rows import view_answer
from tacit.plan import MeanOf
from tests.unit.curator.asked import CONCENTRATED, PURE, ROWS, VISITS, plan_of, shared

TEXT = "SELECT ward, COUNT(*) AS n, SUM(gain) AS s, AVG(cost) AS m FROM visits GROUP BY ward"
both_limits = pytest.mark.parametrize("limit", [PURE, CONCENTRATED], ids=["pure", "concentrated"])


NOTHING = Charge()


def told(
    text=TEXT,
    limit=PURE,
    epsilon=0.3,
    table=VISITS,
    contributions=5,
    spent=NOTHING,
    confidence=0.95,
):
    plan = plan_of(text, table)
    rule = limit.filter()
    own = shared(contributions, table)
    terms = terms_of(plan.question, own, limit, rule.amount(rule.price_of(epsilon)))
    return explain_plan(plan, terms, own, limit, spent, confidence, own.table.unit or "row"), terms


@both_limits
def test_every_measure_is_named_by_the_column_that_it_makes(limit):
    explanation, terms = told(limit=limit)
    names = {each.measure for each in explanation.expected}
    assert len(explanation.expected) == len(terms.mechanisms)
    assert {"n", "s"} <= names
    assert any(name.startswith("m's") for name in names)


def test_what_serves_an_expression_only_is_said_to():
    explanation, _ = told("SELECT SUM(gain) / COUNT(*) AS ratio FROM visits")
    assert {each.measure for each in explanation.expected} == {
        "a sum in an expression",
        "a count in an expression",
    }


@both_limits
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_the_expected_error_is_that_of_the_noise(limit, confidence):
    explanation, terms = told(limit=limit, confidence=confidence)
    for place, each in enumerate(explanation.expected):
        assert each.reach == pytest.approx(float(terms.reach(place, confidence)))
        assert ("Gaussian" if limit.delta else "Laplace") in each.noise
    assert f"at {100 * confidence:g}%" in str(explanation)


@both_limits
def test_the_price_is_shown_as_a_share_of_the_limit_and_beside_what_is_left(limit):
    rule = limit.filter()
    spent = Charge(rule.limit.amount // 4)
    explanation, terms = told(limit=limit, spent=spent)
    assert explanation.share == pytest.approx(float(rule.share(rule.price_of(0.3))))
    assert explanation.left == pytest.approx(0.75)
    assert explanation.affordable
    assert f"{explanation.share:.2%} of the limit; 75.00% is left." in str(explanation)
    assert terms.loss.neighbours is limit.neighbours


@both_limits
def test_what_does_not_fit_is_said_not_to(limit):
    explanation, _ = told(limit=limit, epsilon=2.9, spent=Charge(limit.filter().limit.amount // 2))
    assert not explanation.affordable
    assert "which does not fit" in str(explanation)


@both_limits
def test_a_price_far_beyond_the_limit_is_so_many_times_the_limit(limit):
    explanation, _ = told(limit=limit, epsilon=10**6)
    assert (
        f"Price: {explanation.share:,.0f} times the limit; 100.00% is left, which does not fit."
        in str(explanation)
    )


@both_limits
def test_the_whole_limit_fits_into_a_fresh_one(limit):
    explanation, _ = told(limit=limit, epsilon=3)
    assert explanation.affordable
    assert explanation.share == 1


@both_limits
@pytest.mark.parametrize("more", [0, 1])
def test_the_last_unit_decides_whether_it_fits(limit, more):
    rule = limit.filter()
    spent = Charge(rule.limit.amount - rule.price_of(2.9).amount + more)
    explanation, _ = told(limit=limit, epsilon=2.9, spent=spent)
    assert explanation.affordable is rule.admits(spent, rule.price_of(2.9)) is (more == 0)


def test_who_is_protected_is_said():
    persons, _ = told(limit=Limit(3, 0, "replace"))
    assert "all rows of one person, under replace, with a total weight of at most 5" in str(persons)
    rows, _ = told("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward", table=ROWS)
    assert "each row" in str(rows)
    assert (rows.contributions, rows.groups) == (1, 3)
    assert "3 groups, including empty ones" in str(rows)


def test_one_group_is_not_several():
    assert "Released: 1 group.\n" in str(told("SELECT COUNT(*) AS n FROM visits")[0])


@both_limits
def test_paying_as_much_more_as_is_said_halves_the_error(limit):
    explanation, terms = told(limit=limit)
    factor = 4 if limit.delta else 2
    assert f"pay {factor} times as much" in explanation.halving
    richer = terms_of(terms.question, shared(), limit, terms.amount * factor)
    for place in range(len(terms.mechanisms)):
        halved = richer.reach(place, Fraction(19, 20)) / terms.reach(place, Fraction(19, 20))
        assert float(halved) == pytest.approx(0.5, rel=1e-3)


def test_other_ways_to_halve_the_error_are_named_where_they_help():
    assert "set contributions for each person to 2 instead of 5" in told()[0].halving
    assert "or declare bounds half as wide" in told()[0].halving
    assert "range" not in told("SELECT COUNT(*) AS n FROM visits")[0].halving
    assert "or set contributions for each" not in told(contributions=1)[0].halving


def test_a_logarithm_that_may_be_of_zero_says_how_to_keep_it_away():
    rows = [{"person": 1, "cost": 3.0}]
    kept = {"unit": "person", "contributions": 1, "columns": {"cost": (0, 9)}, "epsilon": 9}
    vault = tacit.protect(rows, name="visits", **kept)
    far = vault.explain("SELECT AVG(LN(cost)) AS m FROM visits WHERE cost > 0", epsilon=1)
    assert "keep logarithms away from that of zero, as in WHERE x >= 0.01" in str(far)
    near = vault.explain("SELECT AVG(LN(cost)) AS m FROM visits WHERE cost >= 0.01", epsilon=1)
    assert "logarithms" not in str(near)
    assert near.expected[1].reach < far.expected[1].reach / 50


@both_limits
def test_the_error_of_a_mean_is_that_of_an_answer_for_a_group_of_that_size(limit):
    explanation, terms = told(limit=limit)
    (mean,) = explanation.means
    assert mean.column == "m"
    assert "  m: about ±" in str(explanation)
    plan = plan_of(TEXT)
    (made_of,) = [each.value for each in plan.view.columns if isinstance(each.value, MeanOf)]
    for rows, reach in zip(mean.rows, mean.reach, strict=True):
        numbers = [
            Noisy(
                round(rows / terms.worth(place)) if place == made_of.count_place else 0,
                mechanism,
                terms.worth(place),
            )
            for place, mechanism in enumerate(terms.mechanisms)
        ]
        seen = view_answer(plan, [numbers] * terms.groups, 0.95)
        row = dict(zip(seen.columns, seen.rows[0], strict=True))
        assert reach == pytest.approx(
            max(row["m_high"] - row["m"], row["m"] - row["m_low"]), rel=1e-9
        )
    assert sorted(mean.reach, reverse=True) == list(mean.reach)


def test_no_error_of_a_mean_is_told_where_groups_are_only_chosen_or_an_answer_is_known():
    rows = [{"person": i, "cost": i % 10} for i in range(100)]
    vault = tacit.protect(
        rows, unit="person", contributions=1, columns={"cost": (0, 10)}, epsilon=10, name="visits"
    )
    text = "SELECT AVG(cost) AS m FROM visits"
    assert len(vault.explain(text, epsilon=1).means) == 1
    vault.sql(text, epsilon=1)
    assert vault.explain(text, epsilon=1).means == ()


@both_limits
def test_the_grid_is_named_where_no_price_makes_a_quantile_finer(limit):
    text = "SELECT MEDIAN(cost) AS middle FROM visits"
    paid, terms = told(text, limit=limit, epsilon=10**5)
    step = f"{float(terms.question.measures[0].grid.step):.3g}"
    assert float(terms.reach(0, Fraction(19, 20))) <= 1
    assert f" in steps of {step}, " in paid.expected[0].noise
    (remark,) = paid.remarks
    assert remark.startswith(f"a quantile is read in steps of {step} here: no price makes it finer")
    assert remark in str(paid)
    assert "a higher price does not help" in paid.halving
    both, _ = told(text.replace(" FROM", ", COUNT(*) AS n FROM"), limit=limit, epsilon=10**5)
    assert both.remarks == paid.remarks
    assert "pay" in both.halving


@both_limits
def test_the_grid_is_not_to_blame_where_noise_is_or_where_every_value_has_a_cell(limit):
    noisy, terms = told("SELECT MEDIAN(cost) AS middle FROM visits", limit=limit, epsilon=0.3)
    assert float(terms.reach(0, Fraction(19, 20))) > 1
    assert noisy.remarks == ()
    assert "pay" in noisy.halving
    ages, _ = told("SELECT MEDIAN(age) AS middle FROM visits", limit=limit, epsilon=10**5)
    assert ages.remarks == ()
    assert "steps" not in ages.expected[0].noise
    assert "pay" in ages.halving
