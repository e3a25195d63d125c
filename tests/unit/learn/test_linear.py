"""Regressions find the coefficients of the law that rows come from, in the columns' own units."""

import numpy as np
import pytest

from tacit.errors import InvalidInput
from tacit.learn import LinearRegression, LogisticRegression
from tests.laws.every_estimator import make_rows, make_vault, protect_columns, rows_of


def make_table(count=6_000):
    draw = np.random.default_rng(3)
    age, group = draw.integers(0, 101, count), draw.integers(0, 3, count)
    cost = 200 + 4 * age + 50 * (group == 2) + draw.normal(size=count) * 20
    odds = 1 / (1 + np.exp(-(age - 50) / 8))
    return {
        "age": age.tolist(),
        "group": ["abc"[each] for each in group],
        "cost": cost.tolist(),
        "ill": (draw.random(count) < odds).tolist(),
    }


TABLE = make_table()
COLUMNS = {"age": (0, 100), "group": ["a", "b", "c"], "cost": (0, 1000), "ill": "boolean"}


@pytest.fixture(scope="module")
def vault():
    return protect_columns(TABLE, unit="row", columns=COLUMNS, epsilon=100, delta=1e-6)


def test_linear_coefficients_are_near_the_true_ones_and_inside_their_intervals(vault):
    """At epsilon 50 the reach is far wider than six deviations of what is left of the noise."""
    model = LinearRegression(epsilon=50).fit(vault.table("data"), "cost", columns=["age", "group"])
    found = dict(zip(model.coef_names_, model.coef_, strict=True))
    assert abs(found["age"] - 4) < 0.3
    assert abs(found["group=c"] - 50) < 15
    assert abs(model.intercept_ - 200) < 30
    assert np.all(model.coef_low_ < model.coef_high_)
    assert model.score(TABLE) > 0.9
    assert model.predict({"age": [1000], "group": ["zz"]})[0] <= 1000


def test_logistic_coefficients_are_near_the_true_ones(vault):
    model = LogisticRegression(epsilon=50, intervals=True)
    model.fit(vault.table("data"), "ill", columns=["age", "group"])
    found = dict(zip(model.coef_names_, model.coef_, strict=True))
    assert abs(found["age"] - 1 / 8) < 0.03
    assert model.coef_low_[0] < found["age"] < model.coef_high_[0]
    assert model.score(TABLE) > 0.8
    odds = model.predict_proba({"age": [10, 90], "group": ["a", "a"]})
    assert odds[0, 0] > 0.9 > odds[1, 0]
    assert np.allclose(odds.sum(axis=1), 1)
    assert np.all(model.decision_function({"age": [10, 90], "group": ["a", "a"]}) * [-1, 1] > 0)


def test_a_direction_that_noise_hides_has_no_interval():
    tiny = make_vault(make_rows(12))
    model = LinearRegression(epsilon=0.01).fit(rows_of(tiny), "cost")
    assert np.isinf(model.coef_high_).all()


def test_a_target_without_bounds_or_with_many_classes_is_refused(vault):
    with pytest.raises(InvalidInput, match="two classes"):
        LogisticRegression(epsilon=1).fit(vault.table("data"), "group")
    with pytest.raises(InvalidInput, match="bounds"):
        LinearRegression(epsilon=1).fit(vault.table("data"), "group")
    assert not list(vault.ledger.entries()) or vault.budget.left > 0


def test_a_value_that_no_row_has_leaves_the_other_coefficients_their_intervals(vault):
    """NULL is a value of every column that may have it: its own coefficient is unknown, the others are not."""
    model = LinearRegression(epsilon=50).fit(vault.table("data"), "cost", columns=["age", "group"])
    finite = dict(zip(model.coef_names_, np.isfinite(model.coef_high_).tolist(), strict=True))
    assert finite == {"age": True, "group=b": True, "group=c": True, "group=None": False}
