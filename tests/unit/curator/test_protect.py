"""From a source and a few words about it to a vault; what is declared wrongly is refused at once."""

from datetime import date, datetime
from fractions import Fraction

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tacit import protect
from tacit.curator import column_of
from tacit.errors import InvalidData, InvalidInput, InvalidPlan
from tacit.plan import Column, Kind
from tests.together import together

ROWS = [{"person": 1, "ward": "A", "cost": 3.0}, {"person": 2, "ward": None, "cost": None}]
ANY = tuple(Kind)
DECLARED = {
    "unit": "person",
    "contributions": 3,
    "columns": {"ward": ["A", "B"], "cost": (0, 10)},
    "epsilon": 3,
}


@pytest.fixture(scope="module", autouse=True)
def _opened_seldom():
    """Nothing is reused here: how often a database is opened is one of the subjects."""


def vault(**changed):
    return protect(ROWS, **(DECLARED | changed))


def test_a_table_is_protected_in_one_call():
    answer = vault().sql("SELECT ward, COUNT(*) AS n FROM data GROUP BY ward", epsilon=1)
    assert answer.columns == ("ward", "n", "n_low", "n_high")
    assert answer.column("ward") == ["A", "B"]


@pytest.mark.parametrize("contributions", [0, -1, True, 2.5, "3"])
def test_contributions_are_no_nonsense(contributions):
    with pytest.raises(InvalidInput, match="contributions"):
        vault(contributions=contributions)


def test_rows_need_no_contributions():
    assert vault(unit="row", contributions=None).budget.spent == 0


@pytest.mark.parametrize("unit", [None, "", 1, "persons", "Person"])
def test_a_unit_is_a_column_or_row(unit):
    with pytest.raises(InvalidInput):
        vault(unit=unit)


def test_a_column_that_is_not_there_is_named_with_one_that_is():
    with pytest.raises(InvalidInput, match="did you mean 'cost'"):
        vault(columns={"costs": (0, 1)})


@pytest.mark.parametrize(
    ("declared", "column"),
    [
        ((0, 10), Column("x", Kind.NUMBER, 0, 10)),
        ((0.1, 2.5), Column("x", Kind.NUMBER, Fraction(1, 10), Fraction(5, 2))),
        (["a", "b"], Column("x", Kind.TEXT, values=("a", "b"))),
        ([True, False], Column("x", Kind.BOOLEAN, values=(True, False))),
        (
            (date(2025, 1, 1), date(2025, 12, 31)),
            Column("x", Kind.DATE, date(2025, 1, 1), date(2025, 12, 31)),
        ),
        ("integer", Column("x", Kind.INTEGER)),
        (Kind.DATE, Column("x", Kind.DATE)),
        (int, Column("x", Kind.INTEGER)),
        (bool, Column("x", Kind.BOOLEAN)),
        (str, Column("x", Kind.TEXT)),
        (
            {"type": "integer", "low": 0, "high": 9, "nullable": False},
            Column("x", Kind.INTEGER, 0, 9, nullable=False),
        ),
        (
            {"type": "integer", "low": -0.5, "high": 9.5},
            Column("x", Kind.INTEGER, Fraction(-1, 2), Fraction(19, 2)),
        ),
        (Column("x", Kind.TEXT), Column("x", Kind.TEXT)),
    ],
    ids=str,
)
def test_short_forms_stand_for_columns(declared, column):
    assert column_of("x", declared, ANY) == column


@together
@pytest.mark.parametrize(
    "declared",
    [
        None,
        5,
        "whole number",
        (10, 0),
        (0, 0),
        (0, float("inf")),
        (0, float("nan")),
        (0, "x"),
        (None, None),
        (1, 2, 3),
        ("a", "b"),
        [],
        ["a", "a"],
        ["a", 1],
        ["a", None],
        [1, 1.0],
        [0.0, -0.0],
        [["a"]],
        {"low": 0, "highest": 10},
        {"type": "number", "values": [True]},
        {"type": "integer", "values": ["1"]},
        {"type": "integer", "values": [1.5]},
        {"type": "date", "low": 0, "high": 10},
        {"type": "text", "low": "a", "high": "b"},
        {"type": "boolean", "low": False, "high": True},
        {"type": "number", "low": 0, "high": 1, "nullable": "no"},
        {"values": []},
        Column("y", Kind.TEXT),
        Column("x", Kind.INTEGER, low="a"),
        Column("x", Kind.DATE, values=("2025-01-01",)),
    ],
    ids=str,
)
def test_a_declaration_that_makes_no_sense_is_refused_by_the_name_of_its_column(declared):
    with pytest.raises(InvalidInput, match="'x'"):
        column_of("x", declared, ANY)


def test_the_kind_comes_from_the_type_of_the_source_and_not_from_its_values():
    whole = (Kind.INTEGER, Kind.NUMBER)
    assert column_of("x", (0, 10), whole).kind is Kind.INTEGER
    assert column_of("x", (0, 10.5), whole).kind is Kind.NUMBER
    assert column_of("x", None, (Kind.TEXT,)).kind is Kind.TEXT


def test_a_stream_is_read_once():
    batch = pa.record_batch({"who": [1, 2, 3], "x": [1, 2, 3]})
    stream = pa.RecordBatchReader.from_batches(batch.schema, [batch])
    with protect(
        stream, unit="who", contributions=1, columns={"x": (0, 9)}, epsilon=10**5
    ) as vault:
        (row,) = vault.sql("SELECT COUNT(*) AS n FROM data", epsilon=1000)
        assert row["n"] == 3


def test_a_source_is_described_and_asked_by_one_database(monkeypatch, tmp_path):
    duckdb.sql("SELECT 1 AS patient, 'A' AS ward").write_parquet(str(tmp_path / "visits.parquet"))
    connected, connect = [], duckdb.connect
    monkeypatch.setattr(
        duckdb, "connect", lambda *given: connected.append(given) or connect(*given)
    )
    with protect(
        tmp_path / "visits.parquet",
        unit="patient",
        contributions=1,
        columns={"ward": ["A"]},
        epsilon=1,
    ):
        assert len(connected) == 1


PATIENTS = [{"person": 1, "sex": "F"}, {"person": 2, "sex": "M"}]
DOSES = [{"visit": 10, "dose": 2}, {"visit": 11, "dose": 3}, {"visit": 99, "dose": 4}]
VISITS = [{"id": 10, "person": 1}, {"id": 11, "person": 2}]
SEVERAL = {
    "unit": "person",
    "contributions": {"people": 1, "data": 3},
    "columns": {"people": {"sex": ["F", "M"]}, "data": {"cost": (0, 10)}},
    "epsilon": 10**6,
}


def several(**changed):
    return protect({"people": PATIENTS, "data": ROWS}, **(SEVERAL | changed))


@pytest.mark.parametrize("frame", [list, pa.Table.from_pylist, pd.DataFrame, pl.DataFrame])
def test_several_frames_are_joined_in_memory(frame):
    vault = protect({"people": frame(PATIENTS), "data": frame(ROWS)}, **SEVERAL)
    text = "SELECT sex, SUM(cost) AS s FROM data JOIN people USING (person) GROUP BY sex"
    answer = vault.sql(text, epsilon=10**5)
    assert answer.column("sex") == ["F", "M"]
    assert [round(value) for value in answer.column("s")] == [3, 0]


def test_a_foreign_key_leads_to_the_unit_of_another_frame():
    vault = protect(
        {"doses": DOSES, "visits": VISITS},
        unit={"doses": "visit.person", "visits": "person"},
        contributions=3,
        columns={"doses": {"dose": (0, 10)}, "visits": {}},
        references={"doses": {"visit": "visits.id"}},
        epsilon=10**6,
    )
    assert vault.policy.unit == "person"
    answer = vault.sql("SELECT SUM(dose) AS s FROM doses", epsilon=10**5)
    assert round(answer.column("s")[0]) == 5  # the dose that leads nowhere is nobody's


def test_tables_are_joined_on_a_foreign_key_alone():
    stays = [{"person": who, "stay": 10 + who, "ward": "AB"[who % 2]} for who in range(4)]
    labs = [{"person": who, "stay": 10 + who // 2 * 2, "value": 3} for who in range(4)]
    vault = protect(
        {"stays": stays, "labs": labs},
        unit="person",
        contributions={"stays": 3, "labs": 5},
        columns={"stays": {"stay": int, "ward": ["A", "B"]}, "labs": {"stay": int}},
        references={"labs": {"stay": "stays.stay"}},
        epsilon=10**6,
    )
    text = "SELECT ward, COUNT(*) AS n FROM labs JOIN stays USING (stay) GROUP BY ward"
    answer = vault.sql(text, epsilon=10**5)
    assert answer.column("n") == [2, 0]  # labs of two others refer to stays that are not theirs
    told = "rows are matched by labs.stay only if they belong to the same person"
    assert told in str(answer)
    assert told in str(vault.explain(text, epsilon=1))
    assert "total weight of at most 5" in str(vault.explain(text, epsilon=1))
    with pytest.raises(InvalidInput, match="name the key that 'stay' of 'labs' refers to"):
        protect(
            {"stays": stays, "labs": labs},
            unit="person",
            contributions=3,
            columns={"stays": {}, "labs": {}},
            references={"labs": {"stay": "visits.stay"}},
            epsilon=1,
        )


@pytest.mark.parametrize(
    ("changed", "remedy"),
    [
        ({"name": "clinic"}, "the tables have their names already"),
        ({"columns": {"sex": ["F"]}}, "declare the columns of each table by its name"),
        ({"columns": {"people": {}, "data": {}, "x": {}}}, "the tables are: people, data"),
        ({"contributions": {"people": 1}}, "give it for table 'data', too"),
        ({"unit": {"people": "person"}}, "give it for table 'data', too"),
        ({"unit": {"people": "person", "data": ""}}, "name the column"),
        (
            {"unit": {"people": "person", "data": "a.b"}, "references": {"data": {"a": "x.id"}}},
            "name the key that 'a' of 'data' refers to",
        ),
    ],
)
def test_what_is_said_of_several_tables_is_said_of_each(changed, remedy):
    with pytest.raises(InvalidInput, match=remedy):
        several(**changed)


def test_one_table_has_no_references():
    with pytest.raises(InvalidInput, match="one table only"):
        vault(references={"data": {"a": "b.c"}})


def test_relations_series_and_indices_are_frames():
    connection = duckdb.connect()
    relation = connection.sql(
        "SELECT * FROM (VALUES (1, 'A', 3.0), (2, 'B', 4.0)) t(person, ward, cost)"
    )
    series = pd.Series([3.0, 4.0], index=pd.Index([1, 2], name="person"), name="cost")
    indexed = pd.DataFrame(ROWS).set_index("person")
    for source, total in ((relation, 7), (series, 7), (indexed, 3)):
        declared = DECLARED | {"columns": {"cost": (0, 10)}, "epsilon": 10**6}
        answer = protect(source, **declared).sql("SELECT SUM(cost) AS s FROM data", epsilon=10**5)
        assert round(answer.column("s")[0]) == total
    index = pd.MultiIndex.from_tuples([(1, 3.0), (2, 4.0)], names=["person", "cost"])
    assert protect(index, **(DECLARED | {"columns": {"cost": (0, 10)}})).budget.spent == 0


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (duckdb.connect, "give a relation of it"),
        (lambda: pd.Series([1.0]), "has no name to ask about; give it one"),
        (lambda: pd.Index([1.0]), "has no name to ask about; give it one"),
        (
            lambda: pd.DataFrame({"x": [1]}, index=pd.Index([1], name="x")),
            "a column and an index called 'x'; rename",
        ),
        (lambda: iter([{}]), "read only once"),
        (lambda: 7, "rows cannot come from a int; give"),
    ],
)
def test_what_cannot_give_rows_is_refused_in_a_sentence(source, problem):
    with pytest.raises(InvalidData, match=problem):
        protect(source(), **DECLARED)


@pytest.mark.parametrize(
    ("declared", "column"),
    [
        ((np.int64(0), np.float32(2.5)), Column("x", Kind.NUMBER, 0, Fraction(5, 2))),
        (
            ("2024-01-01", "2024-12-31"),
            Column("x", Kind.DATE, date(2024, 1, 1), date(2024, 12, 31)),
        ),
        (
            ("2024-01-01 08:00:00", "2024-12-31 09:30:00"),
            Column(
                "x",
                Kind.TIMESTAMP,
                datetime(2024, 1, 1, 8),  # noqa: DTZ001 -- columns without a zone hold UTC
                datetime(2024, 12, 31, 9, 30),  # noqa: DTZ001
            ),
        ),
        (
            (
                np.datetime64("2024-01-01"),
                pd.Timestamp("2024-12-31").to_datetime64().astype("M8[D]"),
            ),
            Column("x", Kind.DATE, date(2024, 1, 1), date(2024, 12, 31)),
        ),
        (np.array(["A", "B"]), Column("x", Kind.TEXT, values=("A", "B"))),
        (pd.Series(["A", "B"]), Column("x", Kind.TEXT, values=("A", "B"))),
        (pd.Index([1, 2]), Column("x", Kind.NUMBER, values=(1, 2))),
        ({"type": "date", "low": "2024-01-01"}, Column("x", Kind.DATE, date(2024, 1, 1))),
    ],
)
def test_scalars_of_numpy_and_days_as_texts_are_what_they_stand_for(declared, column):
    assert column_of("x", declared, ANY) == column


@pytest.mark.parametrize(
    "declared",
    [("2024-01-01", "2024-12-31"), (date(2024, 1, 1), date(2024, 12, 31)), {"type": "date"}],
)
@pytest.mark.parametrize("library", [pd, pl], ids=lambda library: library.__name__)
def test_of_days_that_a_frame_stores_as_texts_it_is_said_how_to_convert_them(library, declared):
    frame = library.DataFrame({"p": [1], "day": ["2024-01-05"]})
    with pytest.raises((InvalidData, InvalidInput)) as refused:
        protect(frame, unit="p", contributions=1, epsilon=1, columns={"day": declared})
    assert "stored as" in str(refused.value)
    assert "convert it, as pandas.to_datetime or polars' str.to_date do" in str(refused.value)


@pytest.mark.parametrize(
    "declared",
    [("2024-01-01", "2024-13-01"), ("a", "b"), {"type": "date", "low": "1.1.2024"}, (np.nan, 1)],
)
def test_texts_that_are_no_days_are_refused(declared):
    with pytest.raises(InvalidInput):
        column_of("x", declared, ANY)


# ---------------------------------------------------------------- public tables

VISITED = [{"patient": n, "ward": "AB"[n % 2], "cost": n % 90} for n in range(60)]
WARDS = {
    "source": [{"ward": "A", "floor": 1}, {"ward": "B", "floor": 2}],
    "columns": {"ward": ["A", "B"], "floor": {"type": "integer", "values": [1, 2, 3]}},
    "unique": ["ward"],
}


def with_wards(**changes):
    return protect(
        VISITED,
        unit="patient",
        contributions=1,
        columns={"ward": ["A", "B"], "cost": (0, 100)},
        epsilon=1000,
        public={"wards": {**WARDS, **changes}},
        name="visits",
    )


def test_a_public_table_is_joined_and_its_values_are_keys_without_a_delta():
    text = "SELECT floor, COUNT(*) AS n FROM visits JOIN wards USING (ward) GROUP BY floor ORDER BY floor"
    answer = with_wards().sql(text, epsilon=500)
    assert answer.column("floor") == [1, 2]  # no ward is on floor 3, although it is declared
    assert [round(n) for n in answer.column("n")] == [30, 30]


def test_a_public_table_chooses_rows():
    text = "SELECT COUNT(*) AS n FROM visits WHERE ward IN (SELECT ward FROM wards WHERE floor = 2)"
    assert round(with_wards().sql(text, epsilon=500).column("n")[0]) == 30


def test_a_public_table_alone_is_not_asked_about():
    with pytest.raises(InvalidPlan):
        with_wards().sql("SELECT COUNT(*) AS n FROM wards", epsilon=1)


def test_a_public_column_that_is_said_to_be_unique_is_so():
    with pytest.raises(InvalidData, match="twice"):
        with_wards(source=WARDS["source"] * 2).sql(
            "SELECT floor, COUNT(*) AS n FROM visits JOIN wards USING (ward) GROUP BY floor",
            epsilon=1,
        )


@pytest.mark.parametrize(
    "changes",
    [{"unique": ["beds"]}, {"unique": "ward"}, {"columns": {"beds": (0, 9)}}, {"unit": "row"}],
)
def test_what_a_public_table_does_not_have_is_refused(changes):
    with pytest.raises(InvalidInput):
        with_wards(**changes)


def test_a_public_table_has_a_name_of_its_own():
    with pytest.raises(InvalidInput):
        protect(VISITED, unit="patient", columns={}, epsilon=1, public={"data": WARDS})


@pytest.mark.parametrize("columns", [["ward", "cost"], "ward", [{"cost": 4711}]])
def test_columns_without_what_is_public_about_them_are_refused_and_not_shown(columns):
    with pytest.raises(InvalidInput, match=r'\{"cost": \(0, 500\)') as refused:
        protect([{"cost": 4711}], unit="row", columns=columns, epsilon=1)
    assert "4711" not in str(refused.value)


def test_a_table_without_a_name_is_called_data_and_how_to_name_it_is_said():
    rows = [{"patient": 1, "cost": 2}]
    given = {"unit": "patient", "contributions": 1, "epsilon": 1}
    question = "SELECT COUNT(*) AS n FROM visits"
    with protect(rows, **given) as vault, pytest.raises(InvalidPlan) as refused:
        vault.explain(question, epsilon=0.1)
    assert 'protect(..., name="visits")' in refused.value.remedy
    assert question in str(refused.value)
    with protect(rows, name="visit", **given) as vault, pytest.raises(InvalidPlan) as named:
        vault.explain(question, epsilon=0.1)
    assert "name=" not in named.value.remedy
