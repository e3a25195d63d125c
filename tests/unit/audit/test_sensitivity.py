"""Sensitivity of any Python function, by search."""

from fractions import Fraction

import numpy as np
import pytest

from tacit.audit import distance, sensitivity_by_search
from tacit.errors import InvalidData, InvalidInput, TooLarge
from tacit.privacy import Neighbours, Norm

ADD, REPLACE = Neighbours.ADD_OR_REMOVE, Neighbours.REPLACE
both = pytest.mark.parametrize("neighbours", [ADD, REPLACE])


def count(rows):
    return rows.count("A")


def histogram(rows):
    return tuple(rows.count(name) for name in "ABC")


@both
def test_counting_has_sensitivity_one(neighbours):
    found = sensitivity_by_search(count, "AB", 4, neighbours)
    assert (found.bound, found.squared, found.exact, found.dimension) == (1, 1, True, 1)
    assert abs(count(found.pair[0]) - count(found.pair[1])) == 1
    assert distance(*found.pair, neighbours) == 1


def test_counting_divided_by_the_public_size_has_sensitivity_one_nth():
    assert sensitivity_by_search(
        lambda rows: Fraction(count(rows), 4), "AB", 4, REPLACE
    ).bound == Fraction(1, 4)


@pytest.mark.parametrize(("norm", "squared"), [(Norm.L1, 4), (Norm.L2, 2), (Norm.LINF, 1)])
def test_a_histogram_moves_in_two_bins_under_replace_and_in_one_under_add_or_remove(norm, squared):
    found = sensitivity_by_search(histogram, "ABC", 3, REPLACE, norm)
    assert found.squared == squared
    assert sensitivity_by_search(histogram, "ABC", 3, ADD, norm).squared == 1
    assert found.dimension == 3


def test_an_irrational_sensitivity_is_rounded_up_by_very_little():
    found = sensitivity_by_search(histogram, "ABC", 2, REPLACE, Norm.L2)
    assert found.squared == 2
    assert not found.exact
    assert 2 < found.bound**2 < 2 + Fraction(1, 2**100)
    assert found.sensitivity.bound == found.bound
    assert found.sensitivity.norm is Norm.L2
    assert found.sensitivity.neighbours is REPLACE
    assert found.sensitivity.dimension == 3


@pytest.mark.parametrize("size", [1, 2, 5])
def test_the_mean_of_bounded_values_moves_by_one_nth_of_the_range(size):
    found = sensitivity_by_search(
        lambda rows: Fraction(sum(rows), len(rows)), (0, 1), size, REPLACE
    )
    assert found.bound == Fraction(1, size)


@pytest.mark.parametrize("norm", list(Norm))
def test_a_fall_counts_as_much_as_a_rise(norm):
    for neighbours in Neighbours:
        assert (
            sensitivity_by_search(lambda rows: 3 * rows.count("A"), "AB", 2, neighbours, norm).bound
            == 3
        )
        assert (
            sensitivity_by_search(
                lambda rows: -3 * rows.count("A"), "AB", 2, neighbours, norm
            ).bound
            == 3
        )


def test_a_maximum_moves_by_the_whole_range():
    found = sensitivity_by_search(max, (0, 3, 10), 3, REPLACE)
    assert found.bound == 10


def test_order_is_searched_unless_it_never_matters():
    def first(rows):
        return rows[0]

    assert sensitivity_by_search(first, (0, 1), 3, REPLACE).bound == 1

    def ranks(rows):
        return [position * row for position, row in enumerate(rows)]

    assert sensitivity_by_search(ranks, (0, 1), 4, REPLACE).bound == 3
    assert sensitivity_by_search(count, "ABC", 6, REPLACE, ordered=False).bound == 1


def test_arrays_lists_booleans_and_floats_are_read_exactly():
    def arrays(rows):
        return np.array([[rows.count("A"), 0], [0, rows.count("B")]])

    assert sensitivity_by_search(arrays, "AB", 2, REPLACE).bound == 2
    assert sensitivity_by_search(lambda rows: np.int64(count(rows)), "AB", 2, REPLACE).bound == 1
    assert sensitivity_by_search(lambda rows: "A" in rows, "AB", 2, REPLACE).bound == 1
    assert sensitivity_by_search(
        lambda rows: 0.1 * count(rows), "AB", 1, REPLACE
    ).bound == Fraction(0.1)
    assert Fraction(0.1) != Fraction(1, 10)


def test_large_integers_do_not_wrap():
    found = sensitivity_by_search(lambda rows: 10**30 * count(rows), "AB", 1, REPLACE, Norm.L2)
    assert found.bound == 10**30


def test_any_norm_may_be_given_as_a_function():
    def changed(gap):
        return sum(part != 0 for part in gap)

    found = sensitivity_by_search(histogram, "ABC", 2, REPLACE, changed)
    assert found.bound == 2
    with pytest.raises(InvalidInput, match="norm"):
        _ = found.sensitivity


def test_a_function_that_is_no_norm_is_tried_both_ways_round():
    def rise(gap):
        return max(gap[0], Fraction(0))

    assert sensitivity_by_search(len, "A", 1, ADD, rise).bound == 1
    assert sensitivity_by_search(lambda rows: -len(rows), "A", 1, ADD, rise).bound == 1


def test_a_constant_moves_by_nothing_and_needs_no_noise():
    found = sensitivity_by_search(lambda rows: 7, "AB", 2, REPLACE, Norm.L2)
    assert found.bound == 0
    with pytest.raises(InvalidInput, match="needs no noise"):
        _ = found.sensitivity


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("text", "returned a str"),
        (None, "returned a NoneType"),
        (float("nan"), "NaN"),
        ([1, float("inf")], "NaN"),
        (1j, "complex"),
    ],
)
def test_what_has_no_distance_is_refused(value, reason):
    with pytest.raises(InvalidData, match=reason):
        sensitivity_by_search(lambda rows: value, "AB", 2, REPLACE)


def test_answers_of_different_length_are_refused():
    with pytest.raises(InvalidData, match="equally many"):
        sensitivity_by_search(lambda rows: rows.count("A") * [1], "AB", 2, REPLACE)


def test_a_failing_function_says_on_which_database():
    with pytest.raises(ZeroDivisionError) as caught:
        sensitivity_by_search(lambda rows: Fraction(sum(rows), len(rows)), (0, 1), 2, ADD)
    assert "while the function ran on the database ()" in caught.value.__notes__


def test_too_large_a_search_is_refused_before_the_function_runs():
    def never(rows):
        raise AssertionError

    with pytest.raises(TooLarge):
        sensitivity_by_search(never, range(100), 10, REPLACE)


def test_a_relation_may_be_given_by_its_name():
    with pytest.raises(InvalidInput, match="neighbours"):
        sensitivity_by_search(count, "AB", 2, "replaced")
    named, spelled = (sensitivity_by_search(count, "AB", 2, each) for each in (REPLACE, "replace"))
    assert named == spelled
    assert spelled.neighbours is REPLACE
