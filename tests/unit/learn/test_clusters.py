"""Clusters and components of rows whose shape is known."""

import numpy as np
import pytest

from tacit.errors import InvalidInput
from tacit.learn import PCA, KMeans
from tests.laws.every_estimator import protect_columns

DRAW = np.random.default_rng(5)
CENTRES = np.array([[10.0, 10.0], [90.0, 20.0], [50.0, 80.0]])
POINTS = CENTRES[DRAW.integers(0, 3, 9_000)] + DRAW.normal(size=(9_000, 2)) * 4
TABLE = {"x": POINTS[:, 0].tolist(), "y": POINTS[:, 1].tolist()}


@pytest.fixture(scope="module")
def vault():
    return protect_columns(
        TABLE, unit="row", columns={"x": (0, 100), "y": (0, 100)}, epsilon=99, delta=1e-6
    )


def test_three_clusters_are_found_in_the_columns_own_units(vault):
    """Six deviations of a centre's noise at this price are below one unit of the 100."""
    model = KMeans(3, epsilon=5).fit(vault.table("data"))
    far = np.linalg.norm(model.cluster_centers_[:, None] - CENTRES[None], axis=2)
    assert far.min(axis=0).max() < 5
    assert sorted(set(model.predict(TABLE).tolist())) == [0, 1, 2]
    assert -0.03 < model.score(TABLE) < 0


def test_the_first_component_is_the_longest_direction():
    long = DRAW.normal(size=5_000) * 12
    table = {"x": (50 + long).tolist(), "y": (50 + 0.5 * long + DRAW.normal(size=5_000)).tolist()}
    vault = protect_columns(
        table, unit="row", columns={"x": (0, 100), "y": (0, 100)}, epsilon=9, delta=1e-6
    )
    model = PCA(1, epsilon=5).fit(vault.table("data"))
    assert abs(model.components_[0] @ np.array([2, 1]) / 5**0.5) > 0.999
    assert model.transform(table).shape == (5_000, 1)
    assert model.score(table) > 0.98


def test_more_components_than_numbers_are_refused_before_anything_is_paid(vault):
    before = len(list(vault.ledger.entries()))
    with pytest.raises(InvalidInput, match="n_components"):
        PCA(3, epsilon=1).fit(vault.table("data"))
    with pytest.raises(InvalidInput, match="n_clusters"):
        KMeans(0, epsilon=1).fit(vault.table("data"))
    with pytest.raises(InvalidInput, match="predicts nothing"):
        KMeans(2, epsilon=1).fit(vault.table("data"), "x")
    assert len(list(vault.ledger.entries())) == before


def test_a_declared_norm_makes_noise_smaller_and_shortens_longer_rows():
    """Points near the middle: of a tenth of the norm, noise in the second moment is a hundredth."""
    near = {
        "x": (50 + DRAW.normal(size=3_000)).tolist(),
        "y": (50 + DRAW.normal(size=3_000)).tolist(),
    }
    vault = protect_columns(
        near, unit="row", columns={"x": (0, 100), "y": (0, 100)}, epsilon=9, delta=1e-6
    )
    wide, narrow = (PCA(1, epsilon=1, norm=norm).fit(vault.table("data")) for norm in (3.0, 0.1))
    assert float(narrow._model["noise"]) < float(wide._model["noise"]) / 5
    with pytest.raises(InvalidInput, match="norm"):
        PCA(1, epsilon=1, norm=-1.0).fit(vault.table("data"))
