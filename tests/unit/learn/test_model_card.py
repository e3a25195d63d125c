"""A model card says what was learnt, from what, and with which settings."""

from fractions import Fraction

import pytest

import tacit
from tacit.learn import HistogramNB
from tacit.learn.model_card import join_some, write_settings_call
from tests.laws.every_estimator import EVERY, make_rows, make_vault, rows_of


@pytest.mark.parametrize("name", EVERY)
def test_a_card_says_what_was_learnt_and_with_which_error(name):
    estimator, target = EVERY[name]
    model = type(estimator)(**estimator.get_params())
    rows = rows_of(make_vault(make_rows(9)))
    before = str(model.explain(rows, target))
    after = str(model.fit(rows, target).card())
    assert "  learnt " not in before
    assert "  error " not in before
    assert "  error      " in after
    assert ("  learnt     " in after) is (
        name not in {"nearest", "network", "network on all rows", "softmax"}
    )


def test_a_card_names_the_columns_that_say_nothing():
    rows = [{"age": 30, "note": "x", "ill": True}] * 9
    columns = {"age": (0, 100), "note": "text", "ill": "boolean"}
    clinic = tacit.protect(rows, unit="row", columns=columns, epsilon=3, delta=1e-6)
    card = str(HistogramNB(epsilon=Fraction(1, 2)).explain(clinic.table("data"), "ill"))
    assert "not used, for want of declared values or bounds: note" in card
    assert "settings   epsilon=0.5, bins=16" in card
    named = HistogramNB(epsilon=1).explain(clinic.table("data"), "ill", columns=["age"])
    assert "declared values or bounds" not in str(named)


def test_settings_are_written_as_in_a_call():
    assert write_settings_call({"epsilon": Fraction(1, 2), "bins": 16}) == "epsilon=0.5, bins=16"
    assert write_settings_call({"epsilon": Fraction(1, 3)}) == "epsilon=Fraction(1, 3)"
    assert join_some(range(10)) == "0, 1, 2, 3, 4, 5, 6, 7, …"
