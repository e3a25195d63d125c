"""Tables that protect nobody: declared or read as they are, joined from both doors, and asked anew once they change."""

from datetime import date
from fractions import Fraction

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacit
from tacit.curator import read_policy
from tacit.errors import InvalidInput, InvalidPlan, InvalidPolicy
from tacit.plan import Column, Kind

POLICY = """\
[limit]
epsilon = 100
delta = 0

[tables.visits]
source = "visits.parquet"
unit = "patient"
contributions = 4

[tables.visits.columns]
ward = { type = "text" }
cost = { type = "number", low = 0, high = 100 }

[tables.wards]
source = "wards.csv"
public = true
"""
VISITS = [
    {"patient": n // 2, "ward": ["A1", "B1", "A2"][n % 3], "cost": float(n % 7)} for n in range(60)
]
WARDS = "ward,floor,name,opened,beds\nA1,1,Alpha,2001-02-03,10.5\nB1,1,Beta,,8\nA2,2,Gamma,2003-01-01,\nC9,7,Empty,,1\n"


@pytest.fixture
def folder(tmp_path):
    pq.write_table(pa.Table.from_pylist(VISITS), tmp_path / "visits.parquet")
    (tmp_path / "wards.csv").write_text(WARDS)
    (tmp_path / "tacit.toml").write_text(POLICY)
    return tmp_path


def faults_of(folder, text):
    (folder / "tacit.toml").write_text(text)
    with pytest.raises(InvalidPolicy) as raised:
        read_policy(folder)
    return raised.value.faults


def test_what_is_not_declared_is_read_from_public_rows(folder):
    table = read_policy(folder).policy.tables["wards"].table
    assert table.public
    assert table.unit is None
    assert table.unique == ("ward", "name", "opened", "beds")
    assert table.columns == (
        Column("ward", Kind.TEXT, values=("A1", "A2", "B1", "C9")),
        Column("floor", Kind.INTEGER, 1, 7, (1, 2, 7)),
        Column("name", Kind.TEXT, values=("Alpha", "Beta", "Empty", "Gamma")),
        Column(
            "opened",
            Kind.DATE,
            date(2001, 2, 3),
            date(2003, 1, 1),
            (date(2001, 2, 3), date(2003, 1, 1)),
        ),
        Column("beds", Kind.NUMBER, 1, Fraction(21, 2)),
    )


def test_what_is_declared_of_a_public_table_holds(folder):
    declared = POLICY + (
        'unique = ["ward"]\n[tables.wards.columns]\nward = { type = "text", values = ["A1", "B1"] }\n'
        'floor = { type = "integer", low = 0, high = 3 }\n'
    )
    (folder / "tacit.toml").write_text(declared)
    table = read_policy(folder).policy.tables["wards"].table
    assert table.columns == (
        Column("ward", Kind.TEXT, values=("A1", "B1")),
        Column("floor", Kind.INTEGER, 0, 3),
    )
    assert table.unique == ("ward",)


KEYS = "SELECT floor, COUNT(*) AS n FROM visits JOIN wards USING (ward) GROUP BY floor"


def test_the_values_of_a_public_column_are_keys_also_without_delta(folder):
    with tacit.open(folder) as vault:
        answer = vault.sql(KEYS, epsilon=50)
        assert answer.column("floor") == [1, 2, 7]
        assert [abs(n - e) < 15 for n, e in zip(answer.column("n"), [40, 20, 0], strict=True)] == [
            True
        ] * 3
        frame = (
            vault.table("visits")
            .join(vault.table("wards"), on="ward")
            .group_by("floor")
            .agg(n=tacit.count())
        )
        assert (
            vault.ask(frame.plan(), epsilon=50).rows == answer.rows
        )  # the same question, asked before


def test_a_changed_public_table_asks_anew(folder):
    with tacit.open(folder) as vault:
        first = vault.sql(KEYS, epsilon=10)
        assert vault.sql(KEYS, epsilon=10).receipt == first.receipt
        other = vault.sql("SELECT COUNT(*) AS n FROM visits", epsilon=10)
        before = vault.budget.spent
    # rows in another order are the same table
    head, *rows = WARDS.splitlines()
    (folder / "wards.csv").write_text("\n".join([head, *reversed(rows)]))
    with tacit.open(folder) as vault:
        assert vault.sql(KEYS, epsilon=10).rows == first.rows
        assert vault.budget.spent == before
        spent = vault.budget.spent
    # a ward moves to another floor: keys, ends and uniqueness stay what they were
    (folder / "wards.csv").write_text(WARDS.replace("B1,1,", "B1,2,"))
    with tacit.open(folder) as vault:
        assert vault.sql(KEYS, epsilon=10).rows != first.rows
        assert vault.budget.spent > spent
        spent = vault.budget.spent
        assert vault.sql("SELECT COUNT(*) AS n FROM visits", epsilon=10).rows == other.rows
        assert vault.budget.spent == spent


@pytest.mark.parametrize(
    ("added", "place", "problem"),
    [
        ('unit = "ward"', "tables.wards.unit", "it is public and protects nobody"),
        ("contributions = 3", "tables.wards.contributions", "no unit has rows in it"),
        ("keys = 3", "tables.wards.keys", "no unit has keys in it"),
        ('unique = ["floor"]', "tables.wards.unique", "floor"),
        ('unique = "ward"', "tables.wards.unique", "it is"),
    ],
)
def test_what_a_public_table_cannot_have_is_a_fault(folder, added, place, problem):
    (fault,) = faults_of(folder, POLICY + added + "\n")
    assert fault.key == place
    assert problem in fault.problem
    assert fault.remedy


def test_unique_is_said_of_public_tables_alone(folder):
    (fault,) = faults_of(
        folder, POLICY.replace("contributions = 4", 'contributions = 4\nunique = ["ward"]')
    )
    assert (fault.key, "public = true" in fault.remedy) == ("tables.visits.unique", True)


def test_a_unit_is_never_found_by_way_of_a_public_table(folder):
    text = POLICY.replace('unit = "patient"', 'unit = "ward.name"').replace(
        "contributions = 4", 'contributions = 4\nreferences = { ward = "wards.ward" }'
    )
    assert any(
        "is public: it leads to no unit" in fault.problem for fault in faults_of(folder, text)
    )


def test_a_policy_of_public_tables_alone_protects_nobody(folder):
    text = POLICY[: POLICY.index("[tables.visits]")] + POLICY[POLICY.index("[tables.wards]") :]
    assert any("nobody is protected" in fault.problem for fault in faults_of(folder, text))


def test_codes_stay_texts(folder):
    (folder / "wards.csv").write_text("ward,area\nA1,0151\nB1,151\n")
    table = read_policy(folder).policy.tables["wards"].table
    assert table.columns[1] == Column("area", Kind.TEXT, values=("0151", "151"))


def test_many_values_are_no_keys(folder):
    lines = [f"W{n},{n}" for n in range(10_001)]
    (folder / "wards.csv").write_text("\n".join(["ward,floor", *lines]))
    table = read_policy(folder).policy.tables["wards"].table
    assert table.columns == (Column("ward", Kind.TEXT), Column("floor", Kind.INTEGER, 0, 10_000))
    assert table.unique == ("ward", "floor")


def protect(public, **more):
    return tacit.protect(
        VISITS,
        unit="patient",
        contributions=4,
        columns={"ward": ["A1", "B1", "A2"], "cost": (0, 100)},
        epsilon=100,
        public=public,
        **more,
    )


ROWS = [{"ward": "A1", "floor": 1}, {"ward": "B1", "floor": 1}, {"ward": "A2", "floor": 3}]


@pytest.mark.parametrize(
    "given",
    [
        ROWS,
        {"source": ROWS},
        pa.Table.from_pylist(ROWS),
        pd.DataFrame(ROWS),
        pl.DataFrame(ROWS),
        {"source": ROWS, "unique": ["ward"]},
    ],
    ids=["rows", "source", "arrow", "pandas", "polars", "unique"],
)
def test_protect_reads_public_rows_as_they_are(given):
    text = "SELECT floor, AVG(cost) AS mean FROM data JOIN wards USING (ward) GROUP BY floor"
    with protect({"wards": given}) as vault:
        assert vault.sql(text, epsilon=50).column("floor") == [1, 3]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"rows": ROWS}, "public"),
        ({"source": ROWS, "unique": "ward"}, "write a list"),
        ({"source": ROWS, "unique": ["wing"]}, "list some of its columns"),
        ({"source": ROWS, "columns": {"wing": [1]}}, "the source has"),
    ],
)
def test_what_protect_cannot_take_as_public_is_refused(given, words):
    if words == "list some of its columns":
        given["columns"] = {"ward": ["A1"]}
    with pytest.raises(InvalidInput, match=words):
        protect({"wards": given})


def test_a_column_with_a_value_twice_is_not_unique():
    with pytest.raises(tacit.errors.InvalidData, match="floor"):
        protect({"wards": {"source": ROWS, "unique": ["floor"]}})


def test_a_row_that_is_a_unit_meets_one_public_row_at_most():
    """Which columns hold no value twice is read from public rows; what a row meets is bounded by it."""
    text = "SELECT COUNT(*) AS n FROM data JOIN wards USING (ward)"
    rows = {"columns": {"ward": ["A1", "B1", "A2"]}, "unit": "row", "epsilon": 100}
    with tacit.protect(VISITS, public={"wards": ROWS}, **rows) as vault:
        assert vault.explain(text, epsilon=1)
    twice = [*ROWS, {"ward": "A1", "floor": 9}]
    with (
        tacit.protect(VISITS, public={"wards": twice}, **rows) as vault,
        pytest.raises(InvalidPlan, match="unique"),
    ):
        vault.explain(text, epsilon=1)


def test_init_writes_public_files_down(folder):
    text = tacit.curator.policy_text(
        [folder / "visits.parquet"],
        public=[folder / "wards.csv"],
        unit="patient",
        contributions=4,
        epsilon=100,
        delta=0,
        folder=folder,
    )
    assert '[tables.wards]\nsource = "wards.csv"\npublic = true\n' in text
    assert not any(word in text for word in ("Alpha", "A1", "Gamma"))
    (folder / "tacit.toml").write_text(text)
    with tacit.open(folder) as vault:
        assert vault.sql(KEYS, epsilon=10).column("floor") == [1, 2, 7]
    with pytest.raises(InvalidInput, match="two tables"):
        tacit.curator.policy_text([folder / "wards.csv"], public=[folder / "wards.csv"], epsilon=1)


def test_rows_are_listed_as_questions_see_them():
    """What a cell is in a question: between the ends of its column, and NULL where it is no number."""
    rows = [
        {"ward": ward, "rate": rate}
        for ward, rate in zip("ABCDE", (1.5, 2.5, 2.5, float("inf"), None), strict=True)
    ]
    with protect({"wards": rows}) as vault:
        table = vault.policy.tables["wards"].table
    low, high = table.columns[1].low, table.columns[1].high
    assert (low, high) == (Fraction(3, 2), Fraction(5, 2))
    assert table.listed.rows == tuple(zip("ABCDE", (low, high, high, high, None), strict=True))
