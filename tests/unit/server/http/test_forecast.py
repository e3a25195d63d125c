"""A pace is the mean of a week, hidden while there is too little, and what fits never exceeds what is left."""

from datetime import UTC, datetime, timedelta

import pytest

from tacit.curator import Budget, Limit, Policy
from tacit.server import Standing
from tacit.server.http.forecast import forecast

NOW = datetime(2026, 1, 10, tzinfo=UTC)
POLICY = Policy(Limit(2, 1e-6), {}, "patient", {"ana": Limit(1, 1e-6)})


def standing(own):
    return Standing("ana", "analyst", Budget(2.0, 1e-6, 0.5, own), True, None, None, 0.0)


def at(days):
    return (NOW - timedelta(days)).isoformat()


def test_too_few_charges_make_no_pace():
    told = forecast(standing(None), [(at(1), 0.01)] * 4, POLICY, NOW)
    assert (told["per_day"], told["days_left"]) == (None, None)


def test_a_pace_is_the_mean_of_the_last_week():
    spending = [(at(30), 0.4), *[(at(day), 0.014) for day in (1, 2, 3, 4, 5)]]
    told = forecast(standing(None), spending, POLICY, NOW)
    assert told["per_day"] == pytest.approx(0.01)
    assert told["days_left"] == pytest.approx(50)


def test_what_fits_is_bound_by_ones_own_limit():
    everyone = forecast(standing(None), [], POLICY, NOW)["fits"]
    own = forecast(standing(Budget(1.0, 1e-6, 0.5)), [], POLICY, NOW)["fits"]
    assert [each["epsilon"] for each in own] == [0.01, 0.03, 0.1, 0.3, 1.0]
    assert all(mine["answers"] <= all_["answers"] for mine, all_ in zip(own, everyone, strict=True))
    rule = Limit(1, 1e-6).filter()
    for each in own:
        share = float(rule.share(rule.price_of(each["epsilon"])))
        assert each["answers"] * share <= 0.5 * (1 + 1e-6)
        assert (each["answers"] + 1) * share > 0.5 * (1 - 1e-6)
