"""Naive Bayes recovers the odds that rows were made with."""

import numpy as np
import pytest

from tacit.errors import InvalidInput
from tacit.learn import GaussianNB, HistogramNB
from tests.laws.every_estimator import protect_columns

DRAW = np.random.default_rng(4)
LABEL = DRAW.integers(0, 3, 6_000)
TABLE = {
    "height": (LABEL * 20 + 100 + DRAW.normal(size=6_000) * 8).tolist(),
    "colour": [
        ("rgb"[each] if coin < 0.7 else "w")
        for each, coin in zip(LABEL, DRAW.random(6_000), strict=True)
    ],
    "kind": ["xyz"[each] for each in LABEL],
}
COLUMNS = {"height": (50, 200), "colour": ["r", "g", "b", "w"], "kind": ["x", "y", "z"]}


@pytest.fixture(scope="module")
def vault():
    return protect_columns(TABLE, unit="row", columns=COLUMNS, epsilon=100, delta=1e-6)


@pytest.mark.parametrize("model", [HistogramNB(epsilon=10), GaussianNB(epsilon=10)])
def test_three_classes_are_told_apart(vault, model):
    """A rule that knows the law has 88 % from the height alone; noise at this price moves that by little."""
    model.fit(vault.table("data"), "kind")
    assert model.classes_.tolist() == ["x", "y", "z"]
    assert model.score(TABLE) > 0.8
    assert np.allclose(model.predict_proba(TABLE).sum(axis=1), 1)


def test_a_class_that_nobody_has_is_a_class_all_the_same():
    columns = {**COLUMNS, "kind": ["x", "y", "z", "unheard of"]}
    model = HistogramNB(epsilon=5).fit(
        protect_columns(TABLE, unit="row", columns=columns, epsilon=9, delta=1e-6).table("data"),
        "kind",
    )
    assert model.classes_.tolist() == ["x", "y", "z", "unheard of"]
    assert model.predict_proba(TABLE).shape[1] == 4


def test_a_class_that_is_not_declared_is_never_seen():
    table = {**TABLE, "kind": ["secret", *TABLE["kind"][1:]]}
    vault = protect_columns(table, unit="row", columns=COLUMNS, epsilon=9, delta=1e-6)
    assert HistogramNB(epsilon=1).fit(vault.table("data"), "kind").classes_.tolist() == [
        "x",
        "y",
        "z",
    ]


def test_gaussians_need_a_number(vault):
    with pytest.raises(InvalidInput, match="number"):
        GaussianNB(epsilon=1).fit(vault.table("data"), "kind", columns=["colour"])
    with pytest.raises(InvalidInput, match="bins"):
        HistogramNB(epsilon=1, bins=0).fit(vault.table("data"), "kind")
