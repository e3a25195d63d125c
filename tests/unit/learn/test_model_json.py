"""A fitted model goes through JSON and predicts as before."""

import json
from datetime import date
from fractions import Fraction

import numpy as np
import pytest

import tacit
from tacit.errors import InvalidInput
from tacit.learn import Estimator, HistogramNB, LinearRegression
from tacit.learn.model_json import read_array, read_settings, write_array, write_settings
from tests.laws.every_estimator import EVERY, make_rows, make_vault, rows_of


@pytest.mark.parametrize("name", EVERY)
def test_a_model_that_went_through_json_is_the_same(name):
    estimator, target = EVERY[name]
    model = type(estimator)(**estimator.get_params()).fit(rows_of(make_vault(make_rows(9))), target)
    sent = json.dumps(model.to_dict(), allow_nan=False)
    back = Estimator.from_dict(json.loads(sent))
    assert json.dumps(back.to_dict()) == sent
    assert type(back) is type(model)
    assert str(back.card()) == str(model.card())
    assert back.receipt == model.receipt
    own = make_rows(7)
    ask = "transform" if hasattr(back, "transform") else "predict"
    assert np.array_equal(getattr(back, ask)(own), getattr(model, ask)(own))
    if target is not None:
        assert back.score(own) == model.score(own)


def test_days_and_missing_values_come_back():
    days = [date(2025, 1, day) for day in range(1, 29)]
    rows = [{"day": day, "ward": "AB"[day.day % 2], "cost": day.day * 3.0} for day in days] * 40
    columns = {"day": (days[0], days[-1]), "ward": ["A", "B"], "cost": (0, 100)}
    clinic = tacit.protect(rows, unit="row", columns=columns, epsilon=9, delta=1e-6)
    model = LinearRegression(epsilon=3).fit(clinic.table("data"), "cost")
    back = Estimator.from_dict(json.loads(json.dumps(model.to_dict())))
    own = {"day": [days[3], None], "ward": ["A", None]}
    assert back.predict(own).tolist() == model.predict(own).tolist()
    kinds = HistogramNB(epsilon=1, bins=3).fit(clinic.table("data"), "ward")
    again = Estimator.from_dict(json.loads(json.dumps(kinds.to_dict())))
    assert again.predict({"day": days, "cost": [1.0] * 28}).tolist() == (
        kinds.predict({"day": days, "cost": [1.0] * 28}).tolist()
    )


def test_settings_and_numbers_that_json_does_not_know():
    settings = {"epsilon": Fraction(1, 3), "hidden": (8, 4), "logs": ("age",), "norm": None}
    assert read_settings(json.loads(json.dumps(write_settings(settings)))) == settings
    numbers = np.array([[np.inf, -np.inf, np.nan, 1e-300]])
    sent = json.dumps(write_array(numbers), allow_nan=False)
    assert np.array_equal(read_array(json.loads(sent)), numbers, equal_nan=True)


def test_what_is_no_model_is_refused():
    with pytest.raises(InvalidInput, match="to_dict"):
        Estimator.from_dict({})
    with pytest.raises(InvalidInput, match="to_dict"):
        Estimator.from_dict({"format": "tacit model 1", "model": "Estimator"})
    with pytest.raises(InvalidInput, match="to_dict"):
        Estimator.from_dict(["PCA"])
    with pytest.raises(InvalidInput, match="as many as"):
        read_array({"shape": [3], "numbers": [1.0]})


@pytest.mark.parametrize(
    "text", ["1e99999999", "1e-9", "1/0", "-1/-2", "0x1", " 1", "٣", "1_0", "9" * 401, "1/2/3", ""]
)
def test_a_fraction_is_digits_over_digits(text):
    assert read_settings({"epsilon": {"fraction": "-3/12"}}) == {"epsilon": Fraction(-1, 4)}
    with pytest.raises(InvalidInput, match="epsilon of a model"):
        read_settings({"epsilon": {"fraction": text}})


def test_decimal_numbers_and_shapes_are_bounded():
    for text in ("1e3000000", "-1e-3000000", "NaN", "1" * 401):
        with pytest.raises(InvalidInput, match="epsilon of a model"):
            read_settings({"epsilon": {"number": text}})
    for shape in ([2**32, 2**32], [-1, -1], [0, 2**62], [True], [1.0], [1] * 4, "1", None):
        with pytest.raises(InvalidInput):
            read_array({"shape": shape, "numbers": [1.0]})


GONE = object()
NESTED: list[object] = json.loads("[" * 90 + "]" * 90)
OTHERS: tuple[object, ...] = (GONE, None, "1e99999999", 10**5000, -1, {}, NESTED)


def places(value, path=()):
    """Every place in nested values, by the keys that lead there; of a long list the first two."""
    items = value.items() if isinstance(value, dict) else enumerate(value[:2])
    for key, inner in items:
        yield (*path, key)
        if isinstance(inner, dict | list):
            yield from places(inner, (*path, key))


def changed(value, path, new):
    """Nested values with another one at a place, or with none there."""
    copy, (key, *rest) = value.copy(), path
    if rest:
        copy[key] = changed(copy[key], rest, new)
    elif new is GONE:
        del copy[key]
    else:
        copy[key] = new
    return copy


@pytest.mark.parametrize("name", ["components", "histogram"])
def test_a_model_that_is_changed_anywhere_is_read_or_refused_by_one_error(name):
    estimator, target = EVERY[name]
    model = type(estimator)(**estimator.get_params())
    model.fit(rows_of(make_vault(make_rows(9))), target, columns=["ward", "age"])
    sent = json.loads(json.dumps(model.to_dict()))
    refused = 0
    for path in places(sent):
        for value in OTHERS:
            try:
                str(Estimator.from_dict(changed(sent, path, value)).card())
            except InvalidInput:
                refused += 1
    assert refused > 100
