"""Rows that are drawn from a model, and the bytes that it is kept as."""

import numpy as np
import pytest

from tacit.synth import Attribute, Forbidden, Law, Model, learn_table
from tacit.synth.table_model import make_model
from tests.unit.synth.released import people, run

COLUMNS = (Attribute(40, ordered=True), Attribute(5), Attribute(2))


@pytest.fixture(scope="module")
def model():
    return run(learn_table(COLUMNS, Law(pure=False, cell=3.0, distance=3.0)), people())[0]


def test_rows_are_a_function_of_the_model(model):
    again = Model.read(model.write())
    assert np.array_equal(model.rows(500), again.rows(500))
    assert model.write() == again.write()


def test_there_are_as_many_rows_as_the_release_says(model):
    assert len(model.rows()) == round(model.total)
    assert len(model.rows(17)) == 17
    assert model.rows(0).shape == (0, 3)


def test_rows_follow_the_model_more_closely_than_chance(model):
    rows = model.rows(20_000)
    for columns in ((0,), (1,), (0, 1), (1, 2)):
        expected = model.marginal(columns) / model.total
        shape = [COLUMNS[place].size for place in columns]
        found = np.bincount(
            np.ravel_multi_index(rows[:, columns].T, shape), minlength=expected.size
        ) / len(rows)
        by_chance = np.sqrt(2 / np.pi * expected.ravel() / len(rows)).sum()
        assert np.abs(found - expected.ravel()).sum() < 0.9 * by_chance


def test_the_order_of_rows_follows_no_component(model):
    ages = model.rows(4000)[:, 0].astype(float)
    followed = np.corrcoef(ages[1:], ages[:-1])[0, 1]
    assert abs(followed) < 0.1


def test_rules_that_no_component_can_keep_leave_rows_out():
    one = make_model(
        10.0,
        np.ones(1),
        [np.ones((1, 1))] * 2,
        [np.zeros(2, int)] * 2,
        [np.array([1.0, 0.0])] * 2,
        {},
    )
    never = np.array([[True, False], [False, False]])
    assert len(one.rows(10, (Forbidden(0, 1, never),))) == 0


def test_values_that_have_no_mass_are_not_drawn():
    shares = [np.array([0.0, 0.5, 0.0, 0.5, 0.0])]
    one = make_model(10.0, np.ones(1), [np.ones((1, 1))], [np.zeros(5, int)], shares, {})
    assert set(one.rows(1000)[:, 0]) == {1, 3}
