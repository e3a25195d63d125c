"""MODE(x) is the group that comes first, chosen privately and alone."""

import pytest

import tacit
from tacit.errors import InvalidPlan
from tacit.plan import Column, Kind, Table, read_sql
from tacit.plan.rewrite.top_k import top_k_of

WARD = Column("ward", Kind.TEXT, values=("A", "B", "C"))
NULLS = Column("ward", Kind.TEXT, values=("A", "B", "C"), null_group=True)


def tables(ward=WARD):
    columns = (ward, Column("cost", Kind.NUMBER, 0, 9), Column("code", Kind.TEXT))
    return {"visits": Table("visits", columns, unit="patient", contributions=2)}


LONG = "SELECT ward AS m FROM visits WHERE cost > 1 GROUP BY ward ORDER BY COUNT(*) DESC LIMIT 1"


def test_it_is_the_question_that_is_written_out():
    found = read_sql("SELECT MODE(ward) AS m FROM visits WHERE cost > 1", tables())
    assert found == read_sql(LONG, tables())
    assert top_k_of(found).k == 1


def test_its_column_is_called_as_it_is_written():
    (column,) = read_sql("SELECT MODE(ward) FROM visits", tables()).view.columns
    assert column.name == "MODE(ward)"


def test_null_is_no_mode():
    plan = read_sql("SELECT MODE(ward) AS m FROM visits", tables(NULLS))
    assert "IsNull" in repr(plan.question.rows)


def test_it_is_answered():
    rows = [{"patient": n, "ward": "AAABBC"[n % 6], "cost": 2.0} for n in range(600)]
    columns = {"ward": ["A", "B", "C"], "cost": (0, 9)}
    with tacit.protect(rows, unit="patient", contributions=1, columns=columns, epsilon=50) as vault:
        assert vault.sql("SELECT MODE(ward) AS m FROM data", epsilon=20).rows == (("A",),)


def test_of_each_group_the_first_by_its_count_is_shown():
    rows = [
        {"patient": n, "ward": "ABC"[n % 3], "sex": "fm"[n % 5 < 1 + n % 3]} for n in range(900)
    ]
    columns = {"ward": ["A", "B", "C"], "sex": ["f", "m"]}
    text = "SELECT ward, MODE(sex) AS s FROM data GROUP BY ward ORDER BY ward DESC LIMIT 2"
    with tacit.protect(rows, unit="patient", contributions=1, columns=columns, epsilon=50) as vault:
        found = vault.sql(text, epsilon=20)
    assert found.rows == (("C", "m"), ("B", "f"))
    assert found.measured == ()


def test_the_modes_of_groups_are_the_question_that_is_written_out():
    found = read_sql(
        "SELECT code, MODE(ward) AS m FROM visits GROUP BY code", tables(), finding=True
    )
    by_hand = (
        "SELECT code, ward AS m FROM visits GROUP BY code, ward "
        "QUALIFY ROW_NUMBER() OVER (PARTITION BY code ORDER BY COUNT(*) DESC) = 1"
    )
    assert found == read_sql(by_hand, tables(), finding=True)
    assert top_k_of(found) is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "SELECT code, MODE(ward), MODE(cost) FROM visits GROUP BY code",
            "only alone or with the keys",
        ),
        (
            "SELECT ward, MODE(ward) FROM visits GROUP BY ward HAVING ward = 'A'",
            "only alone or with the keys",
        ),
        ("SELECT MODE(ward), COUNT(*) FROM visits", "only alone or with the keys"),
        ("SELECT UPPER(MODE(ward)) FROM visits", "only alone or with the keys"),
        ("SELECT MODE(ward) FROM visits LIMIT 5", "needs no order"),
        ("SELECT MODE(code) FROM visits", "private and not declared"),
    ],
)
def test_beside_anything_else_it_is_refused(text, reason):
    with pytest.raises(InvalidPlan, match=reason):
        read_sql(text, tables())
