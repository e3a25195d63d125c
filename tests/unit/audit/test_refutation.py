"""The guided search for neighbours on which a function moves too far.

The search is random. Where a test needs it to find something, it may begin anew thousands of times, of which at least
one in ten succeeds: it fails by chance less than once in 1e50 runs.
"""

from fractions import Fraction

import pytest

from tacit.audit import Columns, Range, distance, refute_sensitivity
from tacit.audit.refutation import rows_of
from tacit.errors import InvalidData, InvalidInput
from tacit.privacy import Neighbours, Norm

F = Fraction
ADD, REPLACE = Neighbours.ADD_OR_REMOVE, Neighbours.REPLACE


def mean(rows):
    return F(sum(rows), max(1, len(rows)))


def median(rows):
    return sorted(rows)[len(rows) // 2]


# A function, its universe, the relation, the size, the norm, and its true sensitivity.
KNOWN = {
    "sum": (sum, range(-5, 1_000_001), ADD, 8, Norm.L1, 1_000_000),
    "sum by replace": (sum, range(-5, 1_000_001), REPLACE, 8, Norm.L1, 1_000_005),
    "mean by replace": (mean, range(10**9 + 1), REPLACE, 10, Norm.L1, 10**8),
    "mean": (mean, range(10**9 + 1), ADD, 10, Norm.L1, 10**9),
    "largest": (max, range(10**12), REPLACE, 5, Norm.L1, 10**12 - 1),
    "median": (median, range(10**9), REPLACE, 7, Norm.L1, 10**9 - 1),
    "different ones": (lambda rows: len(set(rows)), range(10**6), REPLACE, 6, Norm.L1, 1),
    "histogram": (lambda rows: [rows.count(c) for c in "AB"], "AB", REPLACE, 5, Norm.L2, None),
    "cost of one ward": (
        lambda rows: sum(cost for ward, cost in rows if ward == "B"),
        Columns("ABC", range(5001)),
        ADD,
        5,
        Norm.L1,
        5000,
    ),
}


@pytest.mark.parametrize("name", KNOWN)
def test_a_true_sensitivity_is_reached_and_never_refuted(name):
    function, universe, neighbours, size, norm, true = KNOWN[name]
    claimed = true if true is not None else F("1.41421357")
    found = refute_sensitivity(
        function, universe, claimed, neighbours, size=size, norm=norm, tries=1000
    )
    assert not found.refuted
    assert found.tries == 1000
    less = claimed * F(999_999, 10**6)
    assert refute_sensitivity(
        function, universe, less, neighbours, size=size, norm=norm, tries=10**6
    ).refuted


@pytest.mark.parametrize("name", KNOWN)
def test_the_witness_is_a_pair_of_neighbours_that_lie_so_far_apart(name):
    function, universe, neighbours, size, norm, _ = KNOWN[name]
    found = refute_sensitivity(function, universe, 0, neighbours, size=size, norm=norm)
    x, y = found.pair
    assert distance(x, y, neighbours) == 1
    assert max(len(x), len(y)) <= size
    assert neighbours is ADD or len(x) == len(y) == size
    if norm is Norm.L1:
        assert abs(F(function(x)) - F(function(y))) == found.found


def test_a_claim_that_is_met_with_equality_is_not_refuted():
    assert not refute_sensitivity(len, "AB", 1, ADD, size=3, tries=500).refuted
    assert refute_sensitivity(len, "AB", F(999, 1000), ADD, size=3, tries=500).refuted


def test_what_only_copies_of_a_row_show_is_found():
    """The function moves only where a row is there three times: equal rows are tried on purpose."""
    found = refute_sensitivity(
        lambda rows: max((rows.count(row) for row in rows), default=0) // 3,
        range(10**6),
        0,
        ADD,
        size=6,
        tries=10**6,
    )
    assert found.refuted


def test_a_universe_may_be_drawn_by_a_function_or_listed_or_spelled_out():
    assert refute_sensitivity(sum, lambda: 7, 6, ADD, size=3).refuted
    assert refute_sensitivity(sum, [3, 4, 9], 8, ADD, size=3).refuted

    class Odd:
        def draw_row(self):
            return 1

        def extreme(self):
            return 99

        def near(self, row):
            return row + 2

    assert refute_sensitivity(sum, Odd(), 98, ADD, size=3).refuted
    with pytest.raises(InvalidInput):
        rows_of(5)
    for empty in (range(0), []):
        with pytest.raises(InvalidInput):
            rows_of(empty)


@pytest.mark.parametrize(
    "numbers", [range(1), range(-3, 4), range(0, 10**18, 7), range(10, -10, -1), range(5, 9)]
)
def test_a_range_stays_within_itself(numbers):
    rows = Range(numbers)
    drawn = [rows.draw_row() for _ in range(50)] + [rows.extreme() for _ in range(100)]
    assert all(row in numbers and rows.near(row) in numbers for row in drawn)
    assert {numbers[0], numbers[-1]} <= set(drawn)


def test_it_can_be_read():
    said = str(refute_sensitivity(max, [0, 9], 1, REPLACE, size=1))
    assert said.startswith("a sensitivity of 1 by replace is refuted after ")
    assert said.endswith("lie 9 apart")
    assert "not refuted by 50 pairs" in str(refute_sensitivity(len, "A", 1, ADD, size=2, tries=50))


@pytest.mark.parametrize(
    "wrong",
    [{"size": 0}, {"tries": 0}, {"claimed": "1"}, {"neighbours": "replaced"}, {"universe": None}],
)
def test_what_makes_no_sense_is_refused(wrong):
    right = {"function": len, "universe": "AB", "claimed": 1, "neighbours": ADD, "size": 2}
    with pytest.raises(InvalidInput):
        refute_sensitivity(**(right | wrong))


def test_a_function_that_returns_no_number_is_refused():
    with pytest.raises(InvalidData) as error:
        refute_sensitivity(str, "AB", 1, ADD, size=2)
    assert "on the database" in error.value.__notes__[0]
