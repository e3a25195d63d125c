"""Frames of one's own are columns or rows; what is neither is refused with the spelling of both."""

import numpy as np
import pytest

from tacit.errors import InvalidInput
from tacit.learn.prediction_frames import column_of, read_columns, read_numbers
from tests.laws.every_estimator import make_rows, make_vault, rows_of


@pytest.fixture(scope="module")
def features():
    vault = make_vault(make_rows(3))
    return vault.lesson(rows_of(vault), kind="trial").features


def test_a_frame_may_be_columns_or_rows(features):
    rows = [{"a": 1}, {"a": 2}, {}]
    assert list(column_of(rows, "a")) == [1, 2, None]
    assert column_of({"a": np.array([1, 2])}, "a") == [1, 2]
    assert read_columns(make_rows(2, each=1), features)[1] == 2
    assert read_columns([], features)[1] == 0
    assert read_columns([{}, {}], ())[1] == 2


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        ({"b": [1]}, "no such column"),
        ([{"b": 1}], "no such column"),
        (None, "no such column"),
        (np.zeros((2, 2)), "no such column"),
        ({"a": 34}, "that is one value; give rows as"),
        ({"a": "old"}, "that is one value; give rows as"),
        ([[1, 2]], "list of values that are not rows.*give rows as"),
    ],
)
def test_what_is_no_frame_is_refused(frame, said):
    with pytest.raises(InvalidInput, match=said):
        column_of(frame, "a")


def test_columns_have_as_many_values_as_one_another(features):
    frame = {"ward": ["A"], "age": [1, 2], "cost": [1.0], "ill": [True]}
    with pytest.raises(InvalidInput, match="columns of 1 and of 2 values"):
        read_columns(frame, features)


def test_text_that_is_no_number_is_refused_and_what_is_missing_is_not(features):
    age = next(each for each in features if each.name == "age")
    found = read_numbers(age, ["34", None, float("nan"), ""])
    assert found[0] == 34
    assert np.isnan(found[1:]).all()
    with pytest.raises(InvalidInput, match="age cannot be 'old'; give numbers"):
        read_numbers(age, ["old"])
