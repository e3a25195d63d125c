"""VALUES in a join: a list of constants is a CASE of what it is joined on, and no row is there twice."""

import pytest

from tacit.errors import InvalidPlan
from tacit.plan import multiplicity, prove, read_sql
from tests.laws import clinic

FLOORS = "(VALUES ('A', 1), ('B', 2)) AS f(ward, floor)"
TEXT = "SELECT COUNT(*) AS n, SUM(floor) AS s FROM {} JOIN {} ON {}"


def read(text):
    return read_sql(text, clinic.TABLES)


def test_rows_stay_once_or_not_at_all():
    plan = read(TEXT.format("trips t", FLOORS, "t.ward = f.ward"))
    assert multiplicity(plan.question.rows) == 1
    prove(plan)


def test_it_is_the_case_that_people_write():
    map_ = "CASE WHEN ward = 'A' THEN 1 WHEN ward = 'B' THEN 2 END"
    by_hand = (
        f"SELECT COUNT(*) AS n, SUM(floor) AS s FROM (SELECT {map_} AS floor FROM trips "
        "WHERE ward IN ('A', 'B'))"
    )
    written = prove(read(TEXT.format("trips t", FLOORS, "t.ward = f.ward")))
    assert written.question == prove(read(by_hand)).question


def test_either_side_may_come_first_and_using_is_the_same():
    plan = prove(read(TEXT.format("trips t", FLOORS, "t.ward = f.ward")))
    for text in (
        TEXT.format("trips t", FLOORS, "(f.ward = t.ward)"),
        TEXT.format("trips t", FLOORS, "x").replace("ON x", "USING (ward)"),
        TEXT.format("trips t", FLOORS, "f.ward = t.ward").replace("JOIN", "INNER JOIN"),
    ):
        assert prove(read(text)) == plan


REFUSED = {
    "contains a value twice": TEXT.format(
        "trips t", "(VALUES ('A', 1), ('A', 2)) f(w, floor)", "t.ward = f.w"
    ),
    "or NULL": TEXT.format("trips t", "(VALUES ('A', 1), (NULL, 2)) f(w, floor)", "t.ward = f.w"),
    "joined on one of its columns": TEXT.format("trips t", FLOORS, "t.ward > f.ward"),
    "takes constants alone": TEXT.format(
        "trips t", "(VALUES ('A', 1 + 1)) f(w, floor)", "t.ward = f.w"
    ),
    "2 columns are named": TEXT.format(
        "trips t", "(VALUES ('A', 1), ('B')) f(w, floor)", "t.ward = f.w"
    ),
    "needs a name": TEXT.format("trips t", "(VALUES ('A', 1)) f", "t.ward = f.w"),
    "the same name": TEXT.format("trips t", "(VALUES ('A', 1)) f(w, W)", "t.ward = f.w"),
    "by JOIN or LEFT JOIN": TEXT.format("trips t", FLOORS, "t.ward = f.ward").replace(
        "JOIN", "FULL JOIN"
    ),
    "after JOIN only": f"SELECT COUNT(*) FROM {FLOORS}",
}


@pytest.mark.parametrize("reason", REFUSED)
def test_other_lists_are_refused(reason):
    with pytest.raises(InvalidPlan, match=reason) as refusal:
        read(REFUSED[reason])
    assert refusal.value.remedy


def test_columns_that_are_called_alike_are_told_apart():
    text = (
        "SELECT f.ward AS w, COUNT(*) AS n FROM trips t "
        "JOIN (VALUES ('A', 1)) f(ward, floor) ON t.ward = f.ward GROUP BY f.ward"
    )
    assert read(text).question.keys[0].values == ("A",)
    with pytest.raises(InvalidPlan):
        read(text.replace("f.ward AS", "ward AS").replace("BY f.ward", "BY ward"))
