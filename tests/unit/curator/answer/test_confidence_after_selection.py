"""Which columns noise chose rows by, and how sure their intervals are for it."""

import pytest

from tacit.curator.answer.intervals import all_at_once
from tacit.mechanisms import Gaussian
from tests.unit.curator.asked import noisy, seen

REACH, SURER = Gaussian(10).error(0.95), Gaussian(10).error(1 - 0.05 / 3)
BY = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"
GROUPS = noisy(900), noisy(500), noisy(100)

CHOSEN = [
    "ORDER BY n DESC LIMIT 2",
    "ORDER BY ward, n LIMIT 2",
    "ORDER BY n OFFSET 1",
    "HAVING COUNT(*) > 50",
    "HAVING ward = 'A' OR COUNT(*) > 50",
    "QUALIFY RANK() OVER (ORDER BY COUNT(*)) <= 2",
]
FREE = [
    "",
    "ORDER BY n DESC",
    "ORDER BY n DESC LIMIT 3",
    "ORDER BY ward LIMIT 2",
    "LIMIT 1",
    "HAVING ward <> 'A'",
    "QUALIFY ROW_NUMBER() OVER (ORDER BY ward) <= 2",
]


def halves(found, name="n"):
    """How far the ends of a column lie from each other, halved."""
    at = found.columns.index(name)
    return {(row[at + 2] - row[at + 1]) / 2 for row in found.rows}


@pytest.mark.parametrize("end", CHOSEN)
def test_what_noise_chose_by_holds_for_every_group_at_once(end):
    found = seen(f"{BY} {end}", *GROUPS)
    assert halves(found) == {SURER}
    assert found.notes == (
        "intervals of n hold for all 3 groups simultaneously, since the rows were selected by noisy numbers",
    )


@pytest.mark.parametrize("end", FREE)
def test_where_noise_chooses_nothing_intervals_are_those_of_their_row(end):
    found = seen(f"{BY} {end}", *GROUPS)
    assert halves(found) == {REACH}
    assert found.notes == ()


def test_groups_that_were_not_chosen_count_too():
    found = seen(f"{BY} HAVING COUNT(*) > 800", *GROUPS)
    assert len(found.rows) == 1
    assert halves(found) == {SURER}


def test_a_column_with_other_noise_keeps_its_interval():
    text = "SELECT ward, COUNT(*) AS n, SUM(age) AS s FROM visits GROUP BY ward ORDER BY n DESC LIMIT 2"
    found = seen(text, noisy(900, 90), noisy(500, 50), noisy(100, 10))
    assert halves(found) == {SURER}
    assert halves(found, "s") == {REACH}


def test_a_mean_shares_the_noise_of_its_count():
    text = "SELECT ward, AVG(age) AS m FROM visits GROUP BY ward"
    groups = [noisy(9000 + ward, 60 * ward) for ward in range(3)]
    free, chosen = (seen(f"{text} {end}", *groups) for end in ("", "HAVING COUNT(age) > 10"))
    assert all(
        a >= b for a, b in zip(sorted(halves(chosen, "m")), sorted(halves(free, "m")), strict=True)
    )
    assert max(halves(chosen, "m")) > max(halves(free, "m"))


def test_a_window_beside_a_choice_by_having_is_as_sure_as_it_was():
    text = "SELECT ward, SUM(COUNT(*)) OVER () AS t FROM visits GROUP BY ward HAVING COUNT(*) > 50"
    (half,) = halves(seen(text, *GROUPS), "t")
    assert half == 3 * SURER  # the sum of three that hold at once
    assert seen(text, *GROUPS).notes == (
        (
            "intervals of t are for the groups that noisy numbers chose; "
            "exact numbers might choose others"
        ),
    )


def test_confidences_stay_below_certainty():
    assert all_at_once(1 - 1e-12, 10**9) < 1
    assert seen(f"{BY} ORDER BY n LIMIT 1", *GROUPS, confidence=1 - 1e-12).rows
