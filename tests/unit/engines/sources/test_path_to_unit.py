"""Rows whose unit stands in another table."""

from collections import Counter
from contextlib import closing
from dataclasses import replace
from datetime import date
from decimal import Decimal
from fractions import Fraction

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tacit.engines import DuckDB, Memory, ingest
from tacit.engines.duckdb.connection import open_connection
from tacit.engines.duckdb.load_tables import load_table
from tacit.engines.sources.path_to_unit import (
    Linked,
    Owners,
    Raw,
    Step,
    key_of,
    least_owners,
    owner,
    owners,
)
from tacit.engines.sources.rows import rows_of
from tacit.engines.sources.source_kinds import Stored, source_of
from tacit.errors import InvalidData
from tacit.plan import (
    Column,
    Counted,
    Field,
    Key,
    Kind,
    Question,
    Scan,
    Summed,
    Table,
    Units,
    Weighing,
    Weights,
)

DOSE = Column("dose", Kind.INTEGER, low=0, high=9)
DOSES = Table("doses", (DOSE,), unit="visit.patient")
ALL = tuple(range(10))
LOOSE = Weights(Weighing.L2, 100, 100, 0)
TIGHT = Weights(Weighing.L1, 2, 1, 12)


def question(table=DOSES):
    total = Summed(Field(DOSE), Fraction(1), 0, 9)
    return Question(Scan(table), (Key(Field(DOSE), ALL),), (Counted(), total, Units()))


def linked(doses, visits):
    return Linked(doses, (Step("visit", visits, "id"),), "patient")


def owned(source, table=DOSES):
    """Every row and whose it is, as both engines see it, which must be the same; units as texts."""
    memory = Counter((row.cells["dose"], _known(row.unit)) for row in rows_of(source, table))
    with closing(open_connection()) as connection:
        relation = load_table(connection, 0, table, source_of(source))
        rows = connection.execute(f"SELECT c0_dose, unit FROM {relation.name}").fetchall()
    assert Counter((int(dose), _known(unit)) for dose, unit in rows) == memory
    return memory


def _known(unit):
    """A unit by its text: 7.0 is who 7 is."""
    return str(int(unit) if isinstance(unit, float) and unit.is_integer() else unit)


def answers(source, table=DOSES):
    """What both engines say, which must be the same."""
    memory = Memory({table: source})
    with DuckDB({table: source}, threads=1) as engine:
        found = [engine.evaluate(question(table), weights).tolist() for weights in (LOOSE, TIGHT)]
    assert found == [
        memory.evaluate(question(table), weights).tolist() for weights in (LOOSE, TIGHT)
    ]
    return found


VISITS = [
    {"id": 1, "patient": "ann"},
    {"id": 2, "patient": "bob"},
    {"id": 3, "patient": "ann"},
    {"id": 4, "patient": None},
    {"id": None, "patient": "eve"},
]
GIVEN = [{"visit": visit, "dose": dose} for dose, visit in enumerate([1, 1, 2, 3, 4, None, 99])]


def test_rows_belong_to_the_unit_that_their_path_leads_to():
    found = [(row.unit, row.cells["dose"]) for row in rows_of(linked(GIVEN, VISITS), DOSES)]
    assert found == [
        ("ann", 0),
        ("ann", 1),
        ("bob", 2),
        ("ann", 3),
        (None, 4),
        (None, 5),
        (None, 6),
    ]
    assert len(owned(linked(GIVEN, VISITS))) == 7


def test_rows_that_lead_nowhere_are_left_out():
    loose, _ = answers(linked(GIVEN, VISITS))
    assert [row[0] for row in loose] == [1, 1, 1, 1, 0, 0, 0, 0, 0, 0]


def test_a_key_that_is_not_unique_belongs_to_the_least_unit_and_multiplies_no_row():
    visits = [{"id": 1, "patient": who} for who in ("eve", "bob", None, "dan")]
    assert [row.unit for row in rows_of(linked(GIVEN[:2], visits), DOSES)] == ["bob", "bob"]
    loose, _ = answers(linked(GIVEN[:2], visits))
    assert [row[0] for row in loose] == [1, 1, 0, 0, 0, 0, 0, 0, 0, 0]


UNITS = [
    ["ann", "bob", "\U0001f600", "é", ""],
    [3, -1, 2**62, 0, 10],
    [1.5, float("nan"), float("-inf"), -1.0, 0.5],
    [True, False, None, True, False],
    [date(2025, 1, 2), date(2025, 1, 1), None, date(2030, 1, 1), date(2024, 1, 1)],
]


@pytest.mark.parametrize("form", [list, pa.Table.from_pylist], ids=["list", "arrow"])
@pytest.mark.parametrize("units", UNITS, ids=str)
def test_the_least_unit_is_the_same_in_both_engines(units, form):
    visits = form([{"id": key, "patient": unit} for key in (1, 2) for unit in units[key - 1 :]])
    source = linked([{"visit": 1 + n % 2, "dose": n} for n in range(6)], visits)
    assert len(owned(source)) == 6
    assert sum(row[0] for row in answers(source)[0]) == 6


KEYS = st.sampled_from([0, 1, 2, None])
WHO = st.one_of(st.none(), st.sampled_from(["ann", "bob", "eve"]))
VISIT_ROWS = st.lists(st.fixed_dictionaries({"id": KEYS, "patient": WHO}), min_size=1, max_size=6)
STAY_ROWS = st.lists(st.fixed_dictionaries({"stay": KEYS, "visit": KEYS}), min_size=1, max_size=6)
DOSE_ROWS = st.lists(
    st.fixed_dictionaries({"visit": KEYS, "dose": st.integers(0, 9)}), min_size=1, max_size=8
)
LONG_ROWS = st.lists(
    st.fixed_dictionaries({"at": KEYS, "dose": st.integers(0, 9)}), min_size=1, max_size=8
)
LONG = replace(DOSES, unit="at.visit.patient")


def long(doses, stays, visits):
    return Linked(doses, (Step("at", stays, "stay"), Step("visit", visits, "id")), "patient")


@settings(max_examples=12)
@example([{"visit": 1, "dose": 1}], [{"id": 1, "patient": "eve"}, {"id": 1, "patient": "ann"}])
@given(DOSE_ROWS, VISIT_ROWS)
def test_both_engines_see_the_same_links(doses, visits):
    owned(linked(doses, visits))


@settings(max_examples=12)
@given(LONG_ROWS, STAY_ROWS, VISIT_ROWS)
def test_both_engines_see_the_same_links_over_two_steps(doses, stays, visits):
    owned(long(doses, stays, visits), LONG)


@settings(max_examples=12)
@example(
    [{"at": 1, "dose": 1}] * 2, [{"stay": 1, "visit": 1}] * 3, [{"id": 1, "patient": "ann"}] * 3
)
@given(LONG_ROWS, STAY_ROWS, VISIT_ROWS)
def test_no_row_is_ever_multiplied(doses, stays, visits):
    """Whatever the keys are: each row counts once or not at all."""
    source = long(doses, stays, visits)
    assert len(rows_of(source, LONG)) == len(doses)
    counts = [row[0] for row in answers(source, LONG)[0]]
    assert all(
        count <= sum(row["dose"] == dose for row in doses) for dose, count in enumerate(counts)
    )


def unique(rows, key):
    return list({row[key]: row for row in rows if row[key] is not None}.values())


@settings(max_examples=60)
@example([{"at": 1, "dose": 1}], [{"stay": 1, "visit": 2}], [{"id": 2, "patient": "ann"}], "ann")
@given(LONG_ROWS, STAY_ROWS, VISIT_ROWS, st.sampled_from(["ann", "bob", "eve"]))
def test_removing_a_unit_with_all_its_rows_changes_that_units_rows_alone(
    doses, stays, visits, gone
):
    """Where keys are unique; the rows of a unit are those that lead to it, in every table."""
    stays, visits = unique(stays, "stay"), unique(visits, "id")
    owner_of_visit = {row["id"]: row["patient"] for row in visits}
    owner_of_stay = {row["stay"]: owner_of_visit.get(row["visit"]) for row in stays}
    before = rows_of(long(doses, stays, visits), LONG)
    after = rows_of(
        long(
            [row for row in doses if owner_of_stay.get(row["at"]) != gone],
            [row for row in stays if owner_of_visit.get(row["visit"]) != gone],
            [row for row in visits if row["patient"] != gone],
        ),
        LONG,
    )
    assert after == [row for row in before if row.unit != gone]


def written(folder, name, rows, form):
    frame = pa.Table.from_pylist(rows)
    path = folder / f"{name}.{form}"
    match form:
        case "parquet":
            pq.write_table(frame, path)
        case "csv":
            pacsv.write_csv(frame, path)
        case "polars":
            return pl.from_arrow(frame)
        case "arrow":
            return frame
        case _:
            return rows
    return path


FORMS = ["parquet", "csv", "polars", "arrow", "list"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("other", FORMS)
def test_every_source_can_be_linked_to_every_other(form, other, tmp_path):
    source = linked(
        written(tmp_path, "doses", GIVEN, form), written(tmp_path, "visits", VISITS, other)
    )
    assert answers(source) == answers(linked(GIVEN, VISITS))


def test_a_frame_of_pandas_can_be_linked():
    doses, visits = (pd.DataFrame(rows, dtype=object) for rows in (GIVEN, VISITS))
    assert answers(linked(doses, visits)) == answers(linked(GIVEN, VISITS))
    with DuckDB(
        {
            DOSES: linked(
                pd.DataFrame(GIVEN).astype("Int64"), pd.DataFrame(VISITS).astype({"id": "Int64"})
            )
        }
    ) as e:
        assert e.evaluate(question(), LOOSE).tolist() == answers(linked(GIVEN, VISITS))[0]


def test_a_table_of_a_database_can_be_linked(tmp_path):
    path = tmp_path / "clinic.duckdb"
    with duckdb.connect(path) as connection:
        for name, rows in {"given": GIVEN, "visits": VISITS}.items():
            frame = pa.Table.from_pylist(rows)
            connection.register("frame", frame)
            connection.execute(f"CREATE TABLE {name} AS SELECT * FROM frame")
    source = linked(Stored(path, "given"), Stored(path, "visits"))
    with DuckDB({DOSES: source}) as engine:
        assert engine.evaluate(question(), TIGHT).tolist() == answers(linked(GIVEN, VISITS))[1]


def test_a_linked_table_can_be_ingested_and_an_ingested_one_linked_to(tmp_path):
    expected = answers(linked(GIVEN, VISITS))[1]
    path = ingest(linked(GIVEN, VISITS), DOSES, tmp_path / "doses.duckdb")
    with DuckDB({DOSES: path}) as engine:
        assert engine.evaluate(question(), TIGHT).tolist() == expected
    visits = Table("visits", (Column("id", Kind.INTEGER),), unit="patient")
    other = ingest(VISITS, visits, tmp_path / "visits.duckdb")
    with DuckDB({DOSES: linked(GIVEN, other)}) as engine:
        assert engine.evaluate(question(), TIGHT).tolist() == expected


def test_a_file_that_is_linked_is_read_anew_and_nothing_else_is(tmp_path):
    doses, visits = (
        written(tmp_path, name, rows, "parquet") for name, rows in (("d", GIVEN), ("v", VISITS))
    )
    with DuckDB({DOSES: linked(doses, visits)}) as engine:
        before = engine.evaluate(question(), LOOSE).tolist()
        visits.unlink()
        assert engine.evaluate(question(), LOOSE).tolist() == before


@pytest.mark.parametrize(
    "keys", [[1.5, 2.5], [Decimal(1), Decimal(2)], [np.float32(1.5), np.float32(2)]], ids=str
)
@pytest.mark.parametrize("kind", [Memory, DuckDB])
def test_keys_with_fractions_are_refused(kind, keys):
    visits = [{"id": key, "patient": "ann"} for key in keys]
    for source in (
        linked(GIVEN, visits),
        linked([{"visit": key, "dose": 1} for key in keys], VISITS),
    ):
        with pytest.raises(InvalidData, match=r"integers or texts|texts or integers"):
            kind({DOSES: source})


def test_a_missing_key_does_not_change_those_of_others():
    whole = [row for row in GIVEN if row["visit"] is not None]
    source = linked(pd.DataFrame([*whole, {"visit": None, "dose": 9}]), pd.DataFrame(VISITS[:3]))
    assert source.source["visit"].dtype == np.float64  # pandas has made all of them doubles
    assert owned(source) == owned(linked([*whole, {"visit": None, "dose": 9}], VISITS[:3]))


@pytest.mark.parametrize("kind", [Memory, DuckDB])
@pytest.mark.parametrize(
    ("source", "told"),
    [
        (Linked(GIVEN, (Step("visits", VISITS, "id"),), "patient"), "declare the whole path"),
        (
            Linked([{"dose": 1, "visits": 1}], (Step("visit", VISITS, "id"),), "patient"),
            "did you mean 'visits'",
        ),
        (
            Linked(GIVEN, (Step("visit", [{"ids": 1, "patient": 1}], "id"),), "patient"),
            "did you mean 'ids'",
        ),
        (
            Linked(GIVEN, (Step("visit", [{"id": 1, "patients": 1}], "id"),), "patient"),
            "did you mean 'patients'",
        ),
    ],
)
def test_a_path_that_cannot_be_followed_is_refused_with_a_remedy(kind, source, told):
    with pytest.raises(InvalidData, match=told):
        kind({DOSES: source})


def test_a_link_to_a_link_is_refused():
    with pytest.raises(InvalidData, match="list its steps"):
        DuckDB({DOSES: linked(GIVEN, linked(VISITS, VISITS))})


def test_keys_are_compared_as_texts():
    assert [key_of(raw) for raw in (7, "7", "07", True, None, float("nan"), b"7")] == [
        "7",
        "7",
        "07",
        "true",
        *[None] * 3,
    ]
    assert least_owners([("a", 2), ("a", 1), (None, 0), ("b", None)]) == {"a": 1}
    assert least_owners([("x", "a"), ("y", "z")], {"a": 1}) == {"x": 1}


def test_keys_of_several_types_meet_as_texts_and_those_of_one_as_they_are():
    found = Owners("o", "BIGINT", "VARCHAR")
    assert owner(Raw("t.u", "INTEGER"), found).endswith("CAST(t.u AS BIGINT) = CAST(o.k AS BIGINT)")
    assert owner(Raw("t.u", "VARCHAR"), found).endswith(
        "CAST(t.u AS VARCHAR) = CAST(o.k AS VARCHAR)"
    )
    assert "min(CAST(who AS VARCHAR))" in owners(
        "s", Raw("k", "UUID"), Raw("who", "ENUM('b', 'a')"), None
    )
