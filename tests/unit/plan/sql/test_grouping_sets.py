"""ROLLUP, CUBE and GROUPING SETS: one question for each set of keys."""

import pytest

import tacit
from tacit.errors import InvalidPlan
from tacit.plan import CombinedPlan, Field, read_asked
from tests.unit.plan.cases import TABLES

SETS = {
    "ROLLUP (ward, smoker)": ["ward smoker", "ward", ""],
    "CUBE (ward, smoker)": ["ward smoker", "ward", "smoker", ""],
    "GROUPING SETS ((ward, smoker), (smoker), ())": ["ward smoker", "smoker", ""],
    "GROUPING SETS (ward, smoker)": ["ward", "smoker"],
    "GROUPING SETS (ROLLUP (ward), CUBE (smoker))": ["ward", "", "smoker"],
    "ward, ROLLUP (smoker)": ["ward smoker", "ward"],
    "ROLLUP ((ward, smoker))": ["ward smoker", ""],
    "ward, smoker WITH ROLLUP": ["ward smoker", "ward", ""],
}


@pytest.mark.parametrize("by", SETS)
def test_each_set_of_keys_is_a_question(by):
    text = f"SELECT ward, smoker, COUNT(*) AS n FROM visits GROUP BY {by}"
    plan = read_asked(text, TABLES)[0]
    assert isinstance(plan, CombinedPlan)
    found = {
        frozenset(
            key.value.column.name for key in part.question.keys if isinstance(key.value, Field)
        )
        for part in plan.parts
    }
    assert found == {frozenset(keys.split()) for keys in SETS[by]}
    assert len(plan.answers.branches) == len(SETS[by])


REFUSED = {
    "QUALIFY cannot be combined with grouping sets": (
        "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ROLLUP (ward) QUALIFY RANK() OVER (ORDER BY COUNT(*)) = 1"
    ),
    "DISTINCT cannot be combined with grouping sets": (
        "SELECT DISTINCT ward, COUNT(*) AS n FROM visits GROUP BY ROLLUP (ward)"
    ),
    "a window cannot be combined with grouping sets": (
        "SELECT ward, RANK() OVER (ORDER BY COUNT(*)) AS r FROM visits GROUP BY ROLLUP (ward)"
    ),
    "this has 128 grouping sets": (
        "SELECT COUNT(*) AS n FROM visits GROUP BY CUBE (ward, smoker, sex, LOWER(ward), ABS(age), SIGN(age), age)"
    ),
    "this is not a key": "SELECT GROUPING(age) AS g, COUNT(*) AS n FROM visits GROUP BY ROLLUP (ward)",
}


@pytest.mark.parametrize("reason", REFUSED)
def test_what_cannot_stand_beside_them_is_refused(reason):
    with pytest.raises(InvalidPlan) as refusal:
        read_asked(REFUSED[reason], TABLES)
    assert refusal.value.reason == reason
    assert refusal.value.remedy


def test_keys_are_shown_as_they_are_declared():
    rows = [{"patient": n, "month": n % 3 + 1} for n in range(30)]
    columns = {"month": [1, 2, 3]}
    with tacit.protect(rows, unit="patient", contributions=1, columns=columns, epsilon=50) as vault:
        found = vault.sql(
            "SELECT month, COUNT(*) AS n FROM data GROUP BY ROLLUP (month)", epsilon=20
        )
    assert [type(month) for month in found["month"]] == [int, int, int, type(None)]
