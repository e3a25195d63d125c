"""Many runs of anything that can be called."""

from fractions import Fraction

import numpy as np
import pytest

from tacit.audit.runs import release_of, runs_of, tidy
from tacit.errors import InvalidData, InvalidInput
from tacit.mechanisms import Laplace


def test_a_mechanism_is_asked_for_many_at_once_and_a_function_one_by_one():
    calls = []

    def slow(data):
        calls.append(data)
        return 1

    blocks = list(runs_of(slow, "x", 600))
    assert [len(block) for block in blocks] == [256, 256, 88]
    assert calls == ["x"] * 600
    (block,) = runs_of(release_of(Laplace(1)), 5, 1000)
    assert block.shape == (1000,)


def test_a_function_with_times_is_asked_for_many_at_once():
    asked = []

    def quick(data, times):
        asked.append(times)
        return [data] * times

    (block,) = runs_of(quick, 3, 1000)
    assert asked == [1000]
    assert block.tolist() == [3] * 1000
    with pytest.raises(InvalidData, match="returned 1"):
        list(runs_of(lambda data, times: [data], 3, 2))


def test_outputs_keep_their_kind():
    assert tidy([True, False]).tolist() == [1, 0]
    assert tidy([2**80, 1]).dtype == object
    assert tidy([2**63, 1]).tolist() == [2**63, 1]
    assert tidy([0.5, 1]).dtype == np.float64
    assert tidy(np.array([[1, 2], [3, 4]])).shape == (2, 2)
    assert tidy([[1, 2], (3, 4)]).shape == (2, 2)
    assert tidy([(1,), (1, 2)]) == [(1,), (1, 2)]
    assert tidy(["a", None, Fraction(1, 2)]) == ["a", None, Fraction(1, 2)]
    assert tidy([np.int64(3), [np.array([1]), "b"]]) == [3, ((1,), "b")]


def test_what_cannot_be_looked_up_is_refused():
    with pytest.raises(InvalidData, match="dict"):
        tidy([{"a": 1}])


def test_an_error_says_on_which_data_it_happened():
    with pytest.raises(ZeroDivisionError) as error:
        list(runs_of(lambda data: 1 / 0, "Ann", 3))
    assert "'Ann'" in error.value.__notes__[0]


def test_what_cannot_be_called_is_refused():
    with pytest.raises(InvalidInput):
        release_of(3)


def test_a_builtin_without_a_signature_is_called_all_the_same():
    (block,) = runs_of(release_of(max), (1, 3), 2)
    assert block.tolist() == [3, 3]


def test_a_function_that_needs_times_is_given_them_also_for_an_array():
    def release(data, times):
        return [int(data.sum())] * times

    assert [block.tolist() for block in runs_of(release, np.arange(3), 2)] == [[3, 3]]


def test_a_mechanism_that_may_leave_times_out_is_run_one_by_one_on_an_array():
    def release(data, times=None):
        assert times is None
        return int(data.sum())

    assert [block.tolist() for block in runs_of(release, np.arange(3), 2)] == [[3, 3]]
