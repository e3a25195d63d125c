"""All marginals at once, as people ask for them."""

import numpy as np
import pytest

from tacit.errors import TacitError
from tests.unit.curator.tables.test_synthesize import ROWS, vault

NAMES = ["ward", "age"]


def true_counts(names, marginals):
    counts = np.zeros([len(marginals.values(name)) for name in names])
    places = [{value: at for at, value in enumerate(marginals.values(name))} for name in names]
    for row in ROWS:
        counts[tuple(place[row[name]] for place, name in zip(places, names, strict=True))] += 1
    return counts


def test_marginals_agree_and_their_intervals_hold():
    clinic = vault()
    found = clinic.marginals("visits", ways=2, epsilon=3, columns=NAMES, cells=128)
    assert found.names == (("ward",), ("age",), ("ward", "age"))
    both = found.counts(NAMES)
    assert np.allclose(both.sum(axis=1), found.counts(["ward"]))
    assert np.allclose(both.sum(axis=0), found.counts(["age"]))
    inside = np.abs(both - true_counts(NAMES, found)) <= found.error(NAMES)
    assert 0.88 < inside.mean() <= 1
    table = found.table(["age", "ward"])
    assert table.columns == ("ward", "age", "count", "count_low", "count_high")
    assert len(table) == both.size


def test_intervals_are_known_before_anything_is_paid():
    clinic = vault()
    expected = clinic.explain_marginals("visits", ways=2, epsilon=3, columns=NAMES, cells=128)
    assert clinic.budget.spent == 0
    found = clinic.marginals("visits", ways=2, epsilon=3, columns=NAMES, cells=128)
    for names in found.names:
        assert found.error(names) == pytest.approx(expected.errors[names], rel=1e-3)
    assert "marginals" in str(expected)


def test_a_marginal_that_matters_more_has_less_noise():
    clinic = vault()
    plain = clinic.explain_marginals("visits", ways=2, epsilon=3, columns=NAMES)
    heavy = clinic.explain_marginals(
        "visits", ways=2, epsilon=3, columns=NAMES, weights={"ward": 10_000}
    )
    assert heavy.errors["ward",] < plain.errors["ward",]
    assert heavy.errors["ward", "age"] > plain.errors["ward", "age"]


def test_the_same_marginals_are_free_and_other_ones_are_not():
    clinic = vault()
    one = clinic.marginals("visits", ways=1, epsilon=2)
    again = clinic.marginals("visits", ways=1, epsilon=2, confidence=0.5)
    assert again.price.free
    assert np.array_equal(one.counts(["ward"]), again.counts(["ward"]))
    assert again.error(["ward"]) < one.error(["ward"])
    assert not clinic.marginals("visits", ways=1, epsilon=2, weights={"ward": 3}).price.free
    assert clinic.check_receipt(one.receipt) == []


@pytest.mark.parametrize(
    "more", [{"delta": 0}, {"neighbours": "replace"}, {"unit": "row", "contributions": 1}]
)
def test_intervals_hold_in_every_currency_and_relation(more):
    found = vault(**more).marginals("visits", ways=2, epsilon=5, columns=NAMES, cells=128)
    inside = np.abs(found.counts(NAMES) - true_counts(NAMES, found)) <= found.error(NAMES)
    assert 0.88 < inside.mean() <= 1


def test_what_is_too_large_is_refused_before_it_is_paid_for():
    clinic = vault()
    for wrong in (
        {"ways": 0},
        {"ways": 2, "weights": {"nothing": 2}},
        {"ways": 2, "confidence": 1},
    ):
        with pytest.raises(TacitError):
            clinic.marginals("visits", epsilon=1, **wrong)
    with pytest.raises(TacitError, match="cells of at most"):
        clinic.marginals("visits", ways=5, epsilon=1, cells=500)
    assert clinic.budget.spent == 0
