"""A network learns what its layers can express, on samples or on all rows."""

import numpy as np
import pytest

from tacit.errors import InvalidInput
from tacit.learn import MLPClassifier
from tests.laws.every_estimator import protect_columns
from tests.unit.learn.test_nearest_neighbours import TABLE

COLUMNS = {"x": (0, 1), "y": (0, 1), "inside": "boolean"}


def test_a_hidden_layer_tells_a_disc_from_what_surrounds_it():
    vault = protect_columns(TABLE, unit="row", columns=COLUMNS, epsilon=40, delta=1e-6)
    model = MLPClassifier((16,), epsilon=20, steps=120).fit(vault.table("data"), "inside")
    assert model.score(TABLE) > 0.82
    (entry,) = vault.ledger.entries()
    assert vault.policy.limit.filter().failure(entry.charge) > 0


def test_on_all_rows_it_does_so_without_spending_delta():
    vault = protect_columns(TABLE, unit="row", columns=COLUMNS, epsilon=40, delta=1e-6)
    network = MLPClassifier((16,), epsilon=20, steps=120, samples=False)
    card = network.explain(vault.table("data"), "inside")
    assert [step.what for step in card.steps] == [
        "mean, and second moments around it",
        "120 gradients of all rows",
    ]
    assert network.fit(vault.table("data"), "inside").score(TABLE) > 0.82
    (entry,) = vault.ledger.entries()
    assert vault.policy.limit.filter().failure(entry.charge) == 0


def test_samples_are_taken_or_not():
    vault = protect_columns(TABLE, unit="row", columns=COLUMNS, epsilon=4, delta=1e-6)
    with pytest.raises(InvalidInput, match="samples"):
        MLPClassifier(epsilon=1, samples=0.1).fit(vault.table("data"), "inside")
    assert not list(vault.ledger.entries())


def test_without_one_it_cannot():
    vault = protect_columns(TABLE, unit="row", columns=COLUMNS, epsilon=40, delta=1e-6)
    model = MLPClassifier((), epsilon=20, steps=40).fit(vault.table("data"), "inside")
    assert model.score(TABLE) < 0.8


def test_the_cost_of_a_network_is_said_beforehand():
    vault = protect_columns(TABLE, unit="row", columns=COLUMNS, epsilon=40, delta=1e-6)
    card = MLPClassifier((8, 8), epsilon=1).explain(vault.table("data"), "inside")
    weights = 3 * 8 + 9 * 8 + 9 * 2
    assert any(f"{weights:,} draws of noise" in note for note in card.notes)
    assert card.steps[1].numbers == 200 * weights


def test_layers_have_neurons():
    vault = protect_columns(TABLE, unit="row", columns=COLUMNS, epsilon=4, delta=1e-6)
    with pytest.raises(InvalidInput, match="hidden"):
        MLPClassifier((0,), epsilon=1).fit(vault.table("data"), "inside")
    assert np.isclose(vault.budget.left, 1)
