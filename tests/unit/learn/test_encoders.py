"""Rows of a vault and rows of one's own become the same numbers."""

import numpy as np
import pytest

from tacit.curator import GRID
from tacit.errors import InvalidInput
from tacit.learn.encoders import Binned, Dense
from tests.laws.every_estimator import make_rows, make_vault, rows_of


@pytest.fixture(scope="module")
def features():
    vault = make_vault(make_rows(3))
    return vault.lesson(rows_of(vault), kind="trial").features


FRAME = {"ward": ["A", "C", "Z", None], "age": [0, 100, 250, None], "cost": [-10, 45, 100, 7.5]}
FRAME["ill"] = [True, False, None, True]


def test_numbers_go_from_minus_one_to_one_and_categories_have_a_place_each(features):
    encoder = Dense(features)
    found = encoder.transform(FRAME)
    named = dict(zip(encoder.names, found.T.tolist(), strict=False))
    assert named["age"] == [-1.0, 1.0, 1.0, 0.0]
    assert named["ward=A"] == [1.0, 0.0, 0.0, 0.0]
    assert named["ward=None"] == [0.0, 0.0, 1.0, 1.0]
    assert found[:, -1].tolist() == [1.0] * 4
    assert np.all(np.linalg.norm(found, axis=1) <= encoder.bound + 1e-12)
    assert np.all(np.abs(found).sum(axis=1) <= encoder.total + 1e-12)


def test_places_of_the_vault_have_the_numbers_of_their_values(features):
    encoder = Dense(features, logs=("age",))
    for at, feature in enumerate(features):
        table = encoder.encoding().tables[at] / GRID
        values = feature.values or feature.numbers.tolist()
        own = encoder._encode(feature, [None if value != value else value for value in values])  # noqa: PLR0124
        assert np.allclose(table, own, atol=0.51 / GRID)


def test_dropping_leaves_the_first_value_out(features):
    assert "ward=A" not in Dense(features, drop=True).names
    assert Dense(features, drop=True).encoding().width == len(Dense(features, drop=True).names) + 1


def test_bins_are_those_of_the_declared_bounds(features):
    encoder = Binned(features, 4)
    found = encoder.transform(FRAME)
    assert found[:, 1].tolist() == [0, 3, 3, 4]  # NULL has a bin of its own
    assert found[:, 0].tolist() == [0, 2, 3, 3]
    for group, size in zip(encoder.groups(), encoder.sizes, strict=True):
        assert set(group) <= set(range(size))


def test_a_logarithm_of_what_is_no_number_is_refused(features):
    with pytest.raises(InvalidInput, match="logs"):
        Dense(features, logs=("ward",))
