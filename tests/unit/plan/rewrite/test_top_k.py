"""Which plans show only which groups come first."""

import pytest

import tacit
from tacit.plan import Column, Frame, Kind, Table, prove, read_sql, show_chosen, top_k_of

VISITS = Table(
    "visits",
    (
        Column("patient", Kind.INTEGER),
        Column("ward", Kind.TEXT, values=("A", "B", "C", "D")),
        Column("cost", Kind.INTEGER, low=0, high=100),
        Column("code", Kind.TEXT),
    ),
    unit="patient",
)


def plan_of(text):
    return prove(read_sql(text, {"visits": VISITS}, finding=True))


@pytest.mark.parametrize(
    ("text", "k", "smallest"),
    [
        ("SELECT ward FROM visits GROUP BY ward ORDER BY COUNT(*) DESC LIMIT 3", 3, False),
        ("SELECT ward FROM visits GROUP BY ward ORDER BY COUNT(*) LIMIT 1", 1, True),
        (
            "SELECT UPPER(ward) AS w FROM visits GROUP BY ward ORDER BY SUM(cost) DESC LIMIT 2",
            2,
            False,
        ),
        (
            "SELECT ward FROM visits GROUP BY ward ORDER BY COUNT(DISTINCT patient) DESC, ward LIMIT 1",
            1,
            False,
        ),
        (
            "SELECT ward FROM visits GROUP BY ward ORDER BY COUNT(DISTINCT cost) DESC LIMIT 1 OFFSET 2",
            3,
            False,
        ),
        (
            "SELECT ward FROM visits WHERE cost > 5 GROUP BY ward ORDER BY COUNT(cost) DESC LIMIT 1",
            1,
            False,
        ),
        (
            "SELECT ward FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) ORDER BY n DESC LIMIT 2",
            2,
            False,
        ),
    ],
)
def test_a_plan_that_shows_only_which_groups_come_first_is_a_selection(text, k, smallest):
    top = top_k_of(plan_of(text))
    assert (top.k, top.smallest) == (k, smallest)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY n DESC LIMIT 3",
        "SELECT ward FROM visits GROUP BY ward ORDER BY COUNT(*) DESC",
        "SELECT ward FROM visits GROUP BY ward ORDER BY COUNT(*) DESC LIMIT 4",  # all of them
        "SELECT ward FROM visits GROUP BY ward ORDER BY COUNT(*) DESC LIMIT 0",
        "SELECT ward FROM visits GROUP BY ward HAVING COUNT(*) > 5 ORDER BY COUNT(*) DESC LIMIT 1",
        "SELECT ward FROM visits GROUP BY ward ORDER BY AVG(cost) DESC LIMIT 1",
        "SELECT ward FROM visits GROUP BY ward ORDER BY MEDIAN(cost) DESC LIMIT 1",
        "SELECT ward FROM visits GROUP BY ward ORDER BY COUNT(*) + SUM(cost) DESC LIMIT 1",
        "SELECT ward FROM visits GROUP BY ward ORDER BY ward, COUNT(*) DESC LIMIT 1",
        "SELECT code FROM visits GROUP BY code ORDER BY COUNT(*) DESC LIMIT 1",  # unknown keys
        (
            "SELECT ward, RANK() OVER (ORDER BY COUNT(*) DESC) AS r FROM visits "
            "GROUP BY ward ORDER BY COUNT(*) DESC LIMIT 1"
        ),
        "SELECT ward, COUNT(*) > 3 AS big FROM visits GROUP BY ward ORDER BY COUNT(*) DESC LIMIT 1",
    ],
)
def test_every_other_plan_is_none(text):
    assert top_k_of(plan_of(text)) is None


def test_the_chosen_groups_are_shown_in_their_order():
    plan = plan_of("SELECT ward FROM visits GROUP BY ward ORDER BY COUNT(*) DESC LIMIT 2 OFFSET 1")
    shown = show_chosen(plan)
    assert (shown.question.measures, shown.view.order, shown.view.limit, shown.view.offset) == (
        (),
        (),
        2,
        1,
    )
    assert [key.values for key in shown.question.keys] == [None]


@pytest.mark.parametrize("smallest", [False, True])
def test_a_frame_asks_for_the_same(smallest):
    frame = Frame(VISITS).group_by("ward").top(2, by=tacit.units(), smallest=smallest)
    order = "" if smallest else " DESC"
    text = f"SELECT ward FROM visits GROUP BY ward ORDER BY COUNT(DISTINCT patient){order} LIMIT 2"
    assert top_k_of(prove(frame.plan())) == top_k_of(plan_of(text))
