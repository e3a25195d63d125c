"""A policy file is read whole: what it says, or every fault with its line and its remedy."""

import os
import random
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import FrozenInstanceError
from datetime import UTC, date, datetime
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit.curator import Address, Limit, Shared, read_policy
from tacit.engines import DuckDB, Linked, Memory, Step, Stored, ingest, source_of
from tacit.errors import Fault, InvalidInput, InvalidPolicy, TacitError
from tacit.plan import Column, Counted, Kind, Question, Scan, Table, Units, Weighing, Weights
from tacit.privacy import Neighbours

GOOD = """\
[limit]
epsilon = 3.0
delta = 1e-6
neighbours = "add-or-remove"
unit = "patient"

[tables.visits]
source = "visits.parquet"
unit = "patient_id"
contributions = 10
rows = 1_000_000

[tables.visits.columns]
ward = { type = "text", values = ["A", "B"] }
cost = { type = "number", low = 0.1, high = 5000 }
age  = { type = "integer", low = 0, high = 120, nullable = false }
day  = { type = "date", low = 2025-01-01, high = 2025-12-31 }
seen = { type = "timestamp", low = 2025-01-01T00:00:00Z }

[tables.doses]
source = "doses.csv"
unit = "visit_id.patient_id"
contributions = 20
references = { visit_id = "visits.id" }

[tables.doses.columns]
drug = { type = "text" }
dose = { low = 0, high = 10 }

[analysts.alice]
epsilon = 1.5
"""

VISITS = [
    {
        "id": n,
        "patient_id": f"p{n % 3}",
        "ward": "AB"[n % 2],
        "cost": 1.5 * n,
        "age": 30 + n,
        "day": date(2025, 1, 1 + n),
        "seen": datetime(2025, 1, 1, n, tzinfo=UTC),
        "photo": b"x",
        "weight": 1.5,
    }
    for n in range(9)
]
DOSES = [{"visit_id": n % 10, "drug": "aspirin", "dose": n % 4} for n in range(20)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("clinic")
    pq.write_table(pa.Table.from_pylist(VISITS), place / "visits.parquet")
    lines = ["visit_id,drug,dose", *(",".join(map(str, row.values())) for row in DOSES)]
    (place / "doses.csv").write_text("\n".join(lines))
    with duckdb.connect(place / "clinic.duckdb") as connection:
        connection.execute("CREATE TABLE stays AS SELECT 1 AS id, 'a' AS patient_id")
    (place / "broken.parquet").write_bytes(b"PAR1 canary")
    return place


@pytest.fixture
def read(folder):
    def reading(text):
        (folder / "tacit.toml").write_text(text, encoding="utf-8")
        return read_policy(folder)

    return reading


@pytest.fixture
def faults(read):
    """The faults of a text; there must be some."""

    def found(text):
        with pytest.raises(InvalidPolicy) as raised:
            read(text)
        return raised.value.faults

    return found


# ---------------------------------------------------------------- what a policy says


def test_a_policy_says_what_may_be_asked_and_how_much_it_may_tell(read, folder):
    document = read(GOOD)
    policy = document.policy
    assert policy.limit == Limit(3, Fraction(1, 10**6))
    assert (policy.unit, policy.replay) == ("patient", "analyst")
    assert policy.analysts == {"alice": Limit(Fraction(3, 2), Fraction(1, 10**6))}
    columns = (
        Column("ward", Kind.TEXT, values=("A", "B")),
        Column("cost", Kind.NUMBER, Fraction(1, 10), 5000),
        Column("age", Kind.INTEGER, 0, 120, nullable=False),
        Column("day", Kind.DATE, date(2025, 1, 1), date(2025, 12, 31)),
        Column("seen", Kind.TIMESTAMP, datetime(2025, 1, 1, tzinfo=UTC)),
    )
    assert policy.tables["visits"] == Shared(Table("visits", columns, "patient_id", 10**6), 10)
    assert policy.tables["doses"].table.unit == "visit_id.patient_id"
    visits = source_of(folder / "visits.parquet")
    assert document.sources["visits"] == visits
    doses = Linked(source_of(folder / "doses.csv"), (Step("visit_id", visits, "id"),), "patient_id")
    assert document.sources["doses"] == doses
    assert document.rows == {
        shared.table: document.sources[name] for name, shared in policy.tables.items()
    }
    assert (document.ledger, document.anchors) == (folder.resolve() / "ledger.sqlite", None)
    with pytest.raises(FrozenInstanceError):
        document.anchors = folder


def test_a_policy_can_be_asked(read):
    document = read(GOOD)
    table = document.policy.tables["doses"].table
    question = Question(Scan(table), (), (Counted(), Units()))
    weights = Weights(Weighing.L1, 100, 100, 0)
    with DuckDB(document.rows) as engine:
        found = engine.evaluate(question, weights).tolist()
    assert found == Memory(document.rows).evaluate(question, weights).tolist() == [[18, 3]]


def test_the_least_that_a_policy_says_is_a_limit_and_a_table(read, folder):
    document = read(
        '[limit]\nepsilon = 1\ndelta = 0\n[tables.visits]\nsource = "visits.parquet"\nunit = "row"\n'
    )
    assert document.policy.tables["visits"] == Shared(Table("visits", ()), 1)
    assert (document.policy.unit, document.policy.limit) == ("row", Limit(1))


def test_numbers_are_the_decimals_that_are_written(read):
    text = GOOD.replace("epsilon = 3.0", "epsilon = 0.3").replace("epsilon = 1.5", "epsilon = 0.1")
    policy = read(text).policy
    assert policy.limit.epsilon == Fraction(3, 10)
    assert policy.analysts["alice"].epsilon == Fraction(1, 10)
    assert policy.tables["visits"].table.columns[1].low == Fraction(1, 10)


def test_everyone_may_have_what_one_has_paid_for(read):
    assert (
        read(
            GOOD.replace('unit = "patient"\n', 'unit = "patient"\nreplay = "everyone"\n')
        ).policy.replay
        == "everyone"
    )
    assert (
        read(GOOD.replace("add-or-remove", "replace")).policy.limit.neighbours is Neighbours.REPLACE
    )


def test_the_entity_is_called_as_the_tables_call_it(read):
    assert read(GOOD.replace('unit = "patient"\n', "")).policy.unit == "patient_id"


def test_paths_go_over_several_tables(read, folder):
    steps = """
[tables.notes]
source = "doses.csv"
unit = "drug.visit_id.patient_id"
contributions = 1
references = { drug = "doses.dose" }
"""
    document = read(GOOD + steps)
    doses, visits = source_of(folder / "doses.csv"), source_of(folder / "visits.parquet")
    way = (Step("drug", doses, "dose"), Step("visit_id", visits, "id"))
    assert document.sources["notes"] == Linked(doses, way, "patient_id")
    assert document.sources["notes"].path == document.policy.tables["notes"].table.unit


def test_a_table_with_a_unit_of_its_own_may_refer_to_another(read):
    table = """
[tables.notes]
source = "visits.parquet"
unit = "patient_id"
contributions = 1
references = { age = "visits.id" }
"""
    document = read(GOOD + table)
    assert document.policy.tables["notes"].table.references == (("age", "visits", "id"),)
    assert document.sources["notes"] == document.sources["visits"]  # its unit needs no steps


def test_a_table_of_a_database_has_its_own_name_or_another(read, folder):
    for name, key in (("stays", ""), ("visits", 'table = "stays"\n')):
        text = '[limit]\nepsilon = 1\ndelta = 0\n[tables.{}]\nsource = "clinic.duckdb"\n{}unit = "row"\n'
        assert read(text.format(name, key)).sources[name] == Stored(
            (folder / "clinic.duckdb").resolve(), "stays"
        )


def test_an_ingested_file_has_its_unit(read, folder):
    table = Table("doses", (Column("dose", Kind.INTEGER, 0, 10),), unit="visit_id.patient_id")
    path = folder / "ingested.duckdb"
    if not path.exists():
        ingest(Linked(DOSES, (Step("visit_id", VISITS, "id"),), "patient_id"), table, path)
    text = GOOD.replace('"doses.csv"', '"ingested.duckdb"').replace(
        'references = { visit_id = "visits.id" }\n', ""
    )
    document = read(text.replace('drug = { type = "text" }\n', ""))
    assert document.sources["doses"] == Stored(path.resolve(), "doses")
    with DuckDB(document.rows) as engine:
        question = Question(Scan(document.policy.tables["doses"].table), (), (Counted(),))
        assert engine.evaluate(question, Weights(Weighing.L1, 100, 100, 0)).tolist() == [[18]]


def test_a_column_may_have_a_point_in_its_name(read, folder):
    (folder / "points.csv").write_text("a.b,c\n1,2\n")
    text = '[limit]\nepsilon = 1\ndelta = 0\n[tables.t]\nsource = "points.csv"\nunit = "a.b"\ncontributions = 1\n'
    document = read(text)
    assert document.policy.unit == document.policy.tables["t"].table.unit == "a.b"
    assert document.sources["t"] == source_of(folder / "points.csv")


def test_reading_a_policy_reads_no_values(read, folder, monkeypatch):
    """The same file with its rows taken away, and with others, is read alike."""
    before = read(GOOD)
    schema = pa.Table.from_pylist(VISITS).schema
    try:
        pq.write_table(schema.empty_table(), folder / "visits.parquet")
        (folder / "doses.csv").write_text("visit_id,drug,dose\n\xff,-1e999,\n")
        assert read(GOOD) == before
    finally:
        pq.write_table(pa.Table.from_pylist(VISITS), folder / "visits.parquet")
        lines = ["visit_id,drug,dose", *(",".join(map(str, row.values())) for row in DOSES)]
        (folder / "doses.csv").write_text("\n".join(lines))


# ---------------------------------------------------------------- ledger and anchors


def test_the_ledger_may_be_elsewhere(read, folder, tmp_path):
    section = f'\n[ledger]\nplace = "../other.sqlite"\nanchors = "{tmp_path}"\n'
    document = read(GOOD + section)
    assert (document.ledger, document.anchors) == (
        folder.resolve().parent / "other.sqlite",
        tmp_path.resolve(),
    )


def test_a_password_comes_from_the_environment_and_is_never_shown(read):
    document = read(
        GOOD + '\n[ledger]\nplace = "postgresql://tacit:${TACIT_SECRET}@host:5432/tacit"\n'
    )
    assert isinstance(document.ledger, Address)
    full = document.ledger.resolve({"TACIT_SECRET": "p@ss/word"})
    assert full == "postgresql://tacit:p%40ss%2Fword@host:5432/tacit"
    assert "p@ss" not in repr(document) + str(document.ledger)
    with pytest.raises(InvalidInput, match="set TACIT_SECRET in the environment"):
        document.ledger.resolve({})


@pytest.mark.parametrize(
    "address", ["tacit:secret@host/tacit", "host/tacit?password=secret", "t:$A-secret@host/t"]
)
def test_a_password_that_stands_in_the_file_is_refused(faults, address):
    (fault,) = faults(GOOD + f'\n[ledger]\nplace = "postgresql://{address}"\n')
    assert "secret" not in str(fault)


def test_an_anchor_inside_the_vault_is_refused(faults, folder):
    for place in ("anchors", ".", f"../{folder.name}/x"):
        (fault,) = faults(GOOD + f'\n[ledger]\nanchors = "{place}"\n')
        assert (fault.line, fault.key) == (34, "ledger.anchors")


def test_a_whole_address_may_come_from_the_environment(read, monkeypatch):
    ledger = read(GOOD + '\n[ledger]\nplace = "$LEDGER"\n').ledger
    assert isinstance(ledger, Address)
    monkeypatch.setenv("LEDGER", "postgresql://host/tacit")
    assert ledger.resolve() == "postgresql://host/tacit"
    with pytest.raises(InvalidInput, match="begins with postgresql"):
        ledger.resolve({"LEDGER": "mysql://host/tacit"})


# ---------------------------------------------------------------- faults, one at a time

LIMIT, TABLE, REFERENCE = "limit", "tables.visits", "tables.doses.references"
COLUMNS = "tables.visits.columns"
WARD, COST, AGE = (
    'ward = { type = "text", values = ["A", "B"] }',
    "low = 0.1, high = 5000",
    "low = 0, high = 120",
)

FAULTY = [
    # (what is replaced, by what, line, key, problem, remedy)
    (
        "epsilon = 3.0",
        'epsilon = "3"',
        2,
        "limit.epsilon",
        'it is "3", a text',
        "without quotes, such as epsilon = 3",
    ),
    ("epsilon = 3.0", "epsilon = true", 2, "limit.epsilon", "it is true", "a number above zero"),
    ("epsilon = 3.0", "epsilon = nan", 2, "limit.epsilon", "it is NaN", "a number above zero"),
    ("epsilon = 3.0", "epsilon = inf", 2, "limit.epsilon", "it is Infinity", "a number above zero"),
    ("epsilon = 3.0", "epsilon = 0", 2, "limit.epsilon", "it is 0", "a number above zero"),
    ("epsilon = 3.0", "epsilon = -0.0", 2, "limit.epsilon", "it is -0.0", "a number above zero"),
    ("epsilon = 3.0", "epsilon = -1", 2, "limit.epsilon", "it is -1", "a number above zero"),
    ("epsilon = 3.0", "epsilon = [3]", 2, "limit.epsilon", "it is a list", "a number above zero"),
    (
        "epsilon = 3.0",
        "epsilon = 2025-01-01",
        2,
        "limit.epsilon",
        "it is 2025-01-01",
        "a number above zero",
    ),
    (
        "epsilon = 3.0",
        "epsilon = 1e9999999999999999999999",
        2,
        "limit.epsilon",
        "it is NaN",
        "above zero",
    ),
    (
        "epsilon = 3.0",
        "epsilon = 1e200",
        2,
        "limit.epsilon",
        "it is 1E+200",
        "such a large limit protects nobody; give one",
    ),
    (
        "epsilon = 3.0",
        "epsilon = 1e-4000",
        2,
        "limit.epsilon",
        "it is 1E-4000",
        "a number above zero",
    ),
    (
        "epsilon = 3.0",
        'epsilon = "?"',
        2,
        "limit.epsilon",
        "to be filled in",
        "a number above zero",
    ),
    ("epsilon = 3.0\n", "", 1, "limit.epsilon", "it is missing", "such as epsilon = 3"),
    (
        "epsilon = 3.0",
        "epsilom = 3.0",
        2,
        "limit.epsilom",
        "no such key",
        "did you mean 'epsilon'?",
    ),
    (
        "delta = 1e-6\n",
        "",
        1,
        "limit.delta",
        "it is missing",
        "write 0 for pure differential privacy",
    ),
    ("delta = 1e-6", "delta = -1e-9", 3, "limit.delta", "it is -1E-9", "or a small probability"),
    ("delta = 1e-6", "delta = 1", 3, "limit.delta", "it is 1", "or a small probability"),
    ("delta = 1e-6", "delta = false", 3, "limit.delta", "it is false", "or a small probability"),
    (
        "add-or-remove",
        "add or remove",
        4,
        "limit.neighbours",
        "a text",
        "did you mean 'add-or-remove'?",
    ),
    (
        '"add-or-remove"',
        "7",
        4,
        "limit.neighbours",
        "it is 7",
        'write "add-or-remove" or "replace"',
    ),
    ('unit = "patient"\n', 'unit = ""\n', 5, "limit.unit", 'it is ""', 'as in unit = "patient"'),
    (
        'unit = "patient"\n',
        'replay = "all"\n',
        5,
        "limit.replay",
        'it is "all"',
        'write "analyst" or "everyone"',
    ),
    ("[limit]", "[limits]", 1, "limits", "no such key", "did you mean 'limit'?"),
    (
        '"visits.parquet"',
        '"visit.parquet"',
        8,
        f"{TABLE}.source",
        "no file '",
        "did you mean 'visits.parquet'?",
    ),
    (
        '"visits.parquet"',
        '"../gone/v.parquet"',
        8,
        f"{TABLE}.source",
        "gone/v.parquet'",
        "to the folder of the policy",
    ),
    (
        '"visits.parquet"',
        '"visits.xlsx"',
        8,
        f"{TABLE}.source",
        "'.xlsx' cannot be read",
        "Parquet, CSV, JSON lines or DuckDB",
    ),
    (
        '"visits.parquet"',
        '"broken.parquet"',
        8,
        f"{TABLE}.source",
        "broken.parquet cannot be read",
        "it is complete",
    ),
    (
        '"visits.parquet"',
        '"https://h/d"',
        8,
        f"{TABLE}.source",
        "a text",
        "postgresql:// and spark:// are not supported",
    ),
    (
        '"visits.parquet"',
        '"postgresql://h/d"',
        8,
        f"{TABLE}.source",
        "names no table",
        "schema.table",
    ),
    (
        '"visits.parquet"',
        '"clinic.duckdb"',
        8,
        f"{TABLE}.source",
        "no table 'visits'",
        "it has: stays",
    ),
    (
        '"visits.parquet"',
        f'"{"x" * 300}.parquet"',
        8,
        f"{TABLE}.source",
        "cannot be read",
        "that you may read",
    ),
    (
        'source = "visits.parquet"\n',
        "",
        7,
        f"{TABLE}.source",
        "it is missing",
        'as in source = "visits.parquet"',
    ),
    (
        "rows = 1_000_000",
        'table = "v"',
        11,
        f"{TABLE}.table",
        "is one table",
        "only DuckDB files contain several",
    ),
    (
        'unit = "patient_id"',
        'unit = "patientid"',
        9,
        f"{TABLE}.unit",
        "no column 'patientid'",
        "did you mean 'patient_id'?",
    ),
    (
        'unit = "patient_id"',
        "unit = 3",
        9,
        f"{TABLE}.unit",
        "it is 3",
        "name the column that identifies a person",
    ),
    (
        'unit = "patient_id"',
        'unit = "?"',
        9,
        f"{TABLE}.unit",
        "to be filled in",
        "name the column that identifies",
    ),
    (
        'unit = "patient_id"\n',
        "",
        7,
        f"{TABLE}.unit",
        "it is missing",
        "name the column that identifies a person",
    ),
    (
        'unit = "patient_id"',
        'unit = "row"',
        9,
        f"{TABLE}.unit",
        "this one protects single rows",
        "contributions = 1",
    ),
    (
        "contributions = 10",
        "contributions = 10\nkeys = 0",
        11,
        f"{TABLE}.keys",
        "it is 0",
        "how many undeclared keys",
    ),
    (
        "contributions = 10",
        "contributions = 10\nkeys = 2.5",
        11,
        f"{TABLE}.keys",
        "it is 2.5",
        "how many undeclared keys",
    ),
    (
        "contributions = 10",
        "contributions = 0",
        10,
        f"{TABLE}.contributions",
        "it is 0",
        "how many rows of one unit",
    ),
    (
        "contributions = 10",
        "contributions = 2.5",
        10,
        f"{TABLE}.contributions",
        "it is 2.5",
        "how many rows",
    ),
    (
        "contributions = 10",
        "contributions = true",
        10,
        f"{TABLE}.contributions",
        "it is true",
        "how many rows",
    ),
    (
        "contributions = 10",
        'contributions = "?"',
        10,
        f"{TABLE}.contributions",
        "to be filled in",
        "how many rows",
    ),
    (
        "rows = 1_000_000",
        "rows = 1099511627776",
        11,
        f"{TABLE}.rows",
        "it is 1099511627776",
        "1 to 1099511627775",
    ),
    (
        "rows = 1_000_000",
        "rows = 0",
        11,
        f"{TABLE}.rows",
        "it is 0",
        "the largest number of rows that the table",
    ),
    (
        "rows = 1_000_000",
        "public = true",
        9,
        f"{TABLE}.unit",
        "it is public and protects nobody",
        "remove it, or remove public = true",
    ),
    (
        "rows = 1_000_000",
        "heads = 3",
        11,
        f"{TABLE}.heads",
        "no such key",
        "it may be: source, table, format, public",
    ),
    (
        WARD,
        'wards = { type = "text" }',
        14,
        f"{COLUMNS}.wards",
        "no such column",
        "did you mean 'ward'?",
    ),
    (
        WARD,
        'photo = { type = "text" }',
        14,
        f"{COLUMNS}.photo",
        "storage type is not supported",
        "remove it",
    ),
    (WARD, 'ward = "text"', 14, f"{COLUMNS}.ward", 'it is "text", a text', "write it as { type"),
    (WARD, 'ward = ["A", "B"]', 14, f"{COLUMNS}.ward", "it is a list", "write it as { type"),
    (
        WARD,
        'ward = { type = "txt" }',
        14,
        f"{COLUMNS}.ward.type",
        'it is "txt"',
        "did you mean 'text'?",
    ),
    (
        WARD,
        'ward = { type = "integer" }',
        14,
        f"{COLUMNS}.ward.type",
        "but the source stores another type",
        'write type = "text"',
    ),
    (WARD, "ward = { type = 3 }", 14, f"{COLUMNS}.ward.type", "it is 3", '"boolean", "integer"'),
    (
        WARD,
        'ward = { value = ["A"] }',
        14,
        f"{COLUMNS}.ward.value",
        "no such key",
        "did you mean 'values'?",
    ),
    (
        WARD,
        "ward = { values = [1, 2] }",
        14,
        f"{COLUMNS}.ward.values",
        "of another type",
        "of its type, text",
    ),
    (
        WARD,
        'ward = { values = ["A", "A"] }',
        14,
        f"{COLUMNS}.ward.values",
        "it is empty, or contains a value of",
        "each public value once",
    ),
    (
        WARD,
        "ward = { values = [] }",
        14,
        f"{COLUMNS}.ward.values",
        "it is empty",
        "each public value once",
    ),
    (
        WARD,
        'ward = { values = "A" }',
        14,
        f"{COLUMNS}.ward.values",
        'it is "A"',
        "list the public values in brackets",
    ),
    (
        WARD,
        "ward = { nullable = false, null_group = true }",
        14,
        f"{COLUMNS}.ward.null_group",
        "it is true",
        "a column with nullable = false has no",
    ),
    (WARD, "ward = { null_group = 1 }", 14, f"{COLUMNS}.ward.null_group", "", "true or false"),
    (
        WARD,
        'ward = { values = [["A"]] }',
        14,
        f"{COLUMNS}.ward.values",
        "not a value",
        "list the public values",
    ),
    (WARD, 'ward = { low = "A" }', 14, f"{COLUMNS}.ward.low", 'it is "A"', "it has no range"),
    (
        COST,
        "low = 5000, high = 0.1",
        15,
        f"{COLUMNS}.cost.high",
        "it is 0.1, and low is 5000",
        "low below high",
    ),
    (
        COST,
        "low = 1, high = 1.0",
        15,
        f"{COLUMNS}.cost.high",
        "it is 1.0, and low is 1",
        "low below high",
    ),
    (
        COST,
        'low = "0", high = 1',
        15,
        f"{COLUMNS}.cost.low",
        'it is "0", a text',
        "of its type, number",
    ),
    (COST, "low = -inf, high = 1", 15, f"{COLUMNS}.cost.low", "it is -Infinity", "a finite number"),
    (
        COST,
        "low = 0, high = 1e400",
        15,
        f"{COLUMNS}.cost.high",
        "it is 1E+400",
        "declare a finite number in the range of",
    ),
    (
        AGE,
        'low = 0, high = "?"',
        16,
        f"{COLUMNS}.age.high",
        "to be filled in",
        "a number or a date",
    ),
    (
        "nullable = false",
        'nullable = "no"',
        16,
        f"{COLUMNS}.age.nullable",
        'it is "no"',
        "write true or false",
    ),
    ("low = 2025-01-01, ", "low = 0, ", 17, f"{COLUMNS}.day.low", "it is 0", "of its type, date"),
    (
        "00:00:00Z",
        "00:00:00Z, high = 2025-02-01T00:00:00",
        18,
        f"{COLUMNS}.seen.high",
        "and low is",
        "low below high",
    ),
    (
        "{ low = 0, high = 10 }",
        "{}",
        28,
        "tables.doses.columns.dose",
        "its type is missing, and the source has",
        "give its type, one of",
    ),
    (
        '"visits.id"',
        '"visit.id"',
        24,
        f"{REFERENCE}.visit_id",
        "no table 'visit'",
        "did you mean 'visits'?",
    ),
    (
        '"visits.id"',
        '"visits.key"',
        24,
        f"{REFERENCE}.visit_id",
        "visits has no column 'key'",
        "its columns are: id",
    ),
    (
        '"visits.id"',
        '"visits"',
        24,
        f"{REFERENCE}.visit_id",
        'it is "visits"',
        'as in visit_id = "visits.id"',
    ),
    ('"visits.id"', "7", 24, f"{REFERENCE}.visit_id", "it is 7", 'as in visit_id = "visits.id"'),
    (
        '"visits.id"',
        '"visits.weight"',
        24,
        f"{REFERENCE}.visit_id",
        "stored as number",
        "integers or texts",
    ),
    (
        '"visits.id"',
        '"doses.drug"',
        24,
        f"{REFERENCE}.visit_id",
        "leads back to its own table",
        "remove one of them",
    ),
    (
        '{ visit_id = "visits.id" }',
        "{}",
        22,
        "tables.doses.unit",
        "'visit_id' refers to no table",
        'visit_id = "table.key"',
    ),
    (
        '"visit_id.patient_id"',
        '"visit_id.ward"',
        22,
        "tables.doses.unit",
        "is 'patient_id', not",
        'visit_id.patient_id"',
    ),
    (
        '"visit_id.patient_id"',
        '"visits.patient_id"',
        22,
        "tables.doses.unit",
        "no column 'visits'",
        "did you mean 'visit_id'?",
    ),
    (
        "epsilon = 1.5",
        "epsilon = 3.5",
        31,
        "analysts.alice.epsilon",
        "above the common limit of 3",
        "give an analyst at most the common limit",
    ),
    (
        "epsilon = 1.5",
        "epsilon = 0",
        31,
        "analysts.alice.epsilon",
        "it is 0",
        "the most that this analyst may spend",
    ),
    (
        "epsilon = 1.5",
        "",
        30,
        "analysts.alice.epsilon",
        "it is missing",
        "the most that this analyst may spend",
    ),
    ("epsilon = 1.5", "delta = 1", 31, "analysts.alice.delta", "no such key", "it may be: epsilon"),
    (
        "[analysts.alice]\nepsilon = 1.5",
        "[analysts]\nalice = 1",
        31,
        "analysts.alice",
        "it is 1",
        "in brackets",
    ),
    (
        "[analysts.alice]",
        "[ledger]\nplace = 3\n[analysts.alice]",
        31,
        "ledger.place",
        "it is 3",
        "ledger.sqlite",
    ),
    (
        "[analysts.alice]",
        '[ledger]\nplace = "mysql://x"\n[analysts.alice]',
        31,
        "ledger.place",
        "mysql",
        "postgresql://",
    ),
    (
        "[analysts.alice]",
        '[ledger]\nplace = "no/l.sqlite"\n[analysts.alice]',
        31,
        "ledger.place",
        "does not exist",
        "file name",
    ),
    (
        "[analysts.alice]",
        '[ledger]\nplace = "postgresql://t:secret@h/d"\n[analysts.alice]',
        31,
        "ledger.place",
        "the file contains a password",
        "write $NAME in its place",
    ),
    (
        "[analysts.alice]",
        '[ledger]\nanchors = "anchors"\n[analysts.alice]',
        31,
        "ledger.anchors",
        "is inside the vault",
        "name a folder outside the vault",
    ),
    # What is not TOML
    ("epsilon = 3.0", "epsilon = three", 2, "", "not TOML: invalid value", "write texts in quotes"),
    ("epsilon = 3.0", "epsilon 3.0", 2, "", "expected '=' after a key", "write key = value"),
    (
        "delta = 1e-6",
        "epsilon = 1e-6",
        3,
        "",
        "cannot overwrite a value",
        "write each section and each key only once",
    ),
    (
        "[tables.doses]",
        "[tables.visits]",
        20,
        "",
        "cannot declare",
        "write each section and each key only once",
    ),
    ('["A", "B"]', '["A", "A', 14, "", "not TOML", "one key = value a line"),
    (
        "epsilon = 3.0",
        f"epsilon = {'9' * 5000}",
        1,
        "",
        "a number is too long or brackets are",
        "write a shorter policy",
    ),
    (
        "epsilon = 3.0",
        f"epsilon = {'[' * 5000}",
        1,
        "",
        "a number is too long or brackets are",
        "write a shorter policy",
    ),
]


@pytest.mark.parametrize(
    ("old", "new", "line", "key", "problem", "remedy"), FAULTY, ids=lambda part: str(part)[:40]
)
def test_a_fault_is_told_with_its_line_and_its_remedy(faults, old, new, line, key, problem, remedy):
    assert GOOD.count(old) == 1
    (fault, *others) = [fault for fault in faults(GOOD.replace(old, new)) if key in (fault.key, "")]
    assert fault.line == line
    assert problem in fault.problem
    assert remedy in fault.remedy
    assert not others


def test_there_are_many_kinds_of_faults():
    assert len(FAULTY) >= 90


def test_all_faults_are_told_at_once_in_the_order_of_their_lines(faults, folder):
    text = GOOD
    for old, new in (
        ("epsilon = 3.0", 'epsilon = "3"'),
        ("delta = 1e-6\n", ""),
        ('"visits.parquet"', '"visits.parket"'),
        ("contributions = 10", "contribution = 10"),
        (COST, "low = 9, high = 1"),
        (AGE, 'low = "a", high = true, bound = 2'),
        ("nullable = false", "nullable = 0"),
        ('"visits.id"', '"visitors.id"'),
        ("dose = { low", "doses = { low"),
        ("epsilon = 1.5", "epsilon = -1"),
    ):
        text = text.replace(old, new)
    found = faults(text + "[more]\n")
    assert [(fault.line, fault.key) for fault in found] == [
        (1, "limit.delta"),
        (2, "limit.epsilon"),
        (7, "tables.visits.source"),
        (9, "tables.visits.contribution"),
        (14, "tables.visits.columns.cost.high"),
        (15, "tables.visits.columns.age.bound"),
        (15, "tables.visits.columns.age.nullable"),
        (15, "tables.visits.columns.age.low"),
        (15, "tables.visits.columns.age.high"),
        (23, "tables.doses.references.visit_id"),
        (27, "tables.doses.columns.doses"),
        (30, "analysts.alice.epsilon"),
        (31, "more"),
    ]


def test_several_faults_are_a_list_and_one_is_a_sentence(faults, read, folder):
    with pytest.raises(InvalidPolicy) as raised:
        read(GOOD.replace("epsilon = 3.0", "epsilon = 0"))
    told = str(raised.value)
    assert (
        told
        == f"{folder / 'tacit.toml'}, line 2: limit.epsilon: it is 0; "
        + raised.value.faults[0].remedy
    )
    with pytest.raises(
        InvalidPolicy, match=r"tacit.toml has 2 errors:\n  line 1: limit.*\n  line 2: limit"
    ):
        read("[limit]\nepsilon = 0\n" + GOOD[GOOD.index("[tables.visits]") :])
    assert isinstance(raised.value, TacitError | ValueError)
    assert raised.value.file == str(folder / "tacit.toml")


def test_a_file_that_cannot_be_read_is_a_fault_without_a_line(folder, tmp_path):
    with pytest.raises(
        InvalidPolicy, match=r"there is no file .*tacit.toml; write one with `tacit init`"
    ):
        read_policy(tmp_path)
    with pytest.raises(InvalidPolicy, match="there is no file"):
        read_policy(tmp_path / "gone" / "tacit.toml")
    (tmp_path / "tacit.toml").mkdir()
    with pytest.raises(InvalidPolicy, match="it cannot be read") as raised:
        read_policy(tmp_path)
    assert raised.value.faults[0].line == 0
    with pytest.raises(InvalidPolicy, match="it cannot be read"):
        read_policy(Path("a\0b"))


def test_a_file_in_another_alphabet_is_a_fault_on_its_line(tmp_path):
    (tmp_path / "tacit.toml").write_bytes(b"[limit]\n# caf\xe9\n")
    with pytest.raises(InvalidPolicy, match="line 2: it is not UTF-8 text"):
        read_policy(tmp_path)


def test_files_of_other_systems_are_read_alike(folder):
    document = read_policy(_written(folder, GOOD.encode()))
    for form in (GOOD.replace("\n", "\r\n").encode(), b"\xef\xbb\xbf" + GOOD.encode()):
        assert read_policy(_written(folder, form)) == document


def _written(folder, form):
    (folder / "tacit.toml").write_bytes(form)
    return folder / "tacit.toml"


def test_what_only_a_curator_knows_has_no_default(faults):
    assert [fault.key for fault in faults("")] == ["limit", "tables"]
    assert [fault.key for fault in faults("[limit]\n[tables]\n")] == [
        "limit.epsilon",
        "limit.delta",
        "tables",
    ]
    found = [fault.key for fault in faults("[limit]\nepsilon = 1\n[tables.visits]\n")]
    assert found == ["limit.delta", *(f"tables.visits.{key}" for key in ("source", "unit"))]


def test_tables_that_call_their_unit_differently_need_a_name_for_it(faults, read, folder):
    other = '[tables.stays]\nsource = "clinic.duckdb"\nunit = "id"\ncontributions = 1\n'
    assert read(GOOD + other).policy.unit == "patient"
    (fault,) = faults(GOOD.replace('unit = "patient"\n', "") + other)
    assert (fault.line, fault.key) == (1, "limit.unit")
    assert "id, patient_id" in fault.problem


def test_a_path_goes_along_the_units_of_the_tables_it_enters(faults):
    """A visit goes with its patient; if its doses belonged to its ward, they would go with the patient too."""
    (fault,) = faults(GOOD.replace('"visit_id.patient_id"', '"visit_id.ward"'))
    assert fault.key == "tables.doses.unit"


def test_references_that_go_round_are_refused(faults):
    text = GOOD.replace("rows = 1_000_000", 'references = { id = "doses.visit_id" }')
    found = faults(text)
    assert [(fault.line, fault.key) for fault in found] == [
        (11, "tables.visits.references.id"),
        (24, "tables.doses.references.visit_id"),
    ]
    assert all("leads back" in fault.problem for fault in found)


def test_a_fault_in_a_list_of_many_lines_is_on_the_line_of_its_key(faults):
    listed = 'ward = { type = "text", values = ["A", "B"] }'
    text = GOOD.replace(
        listed, '[tables.visits.columns.ward]\ntype = "text"\nvalues = [\n  "A",\n  7,\n]'
    )
    text = text.replace("[tables.visits.columns]\n", "")
    text = text.replace("\ncost =", "\n[tables.visits.columns]\ncost =")
    (fault,) = faults(text)
    assert (fault.line, fault.key) == (15, "tables.visits.columns.ward.values")


# ---------------------------------------------------------------- whatever is written

PIECES = [
    *"[]{}=\"'.,#\n\\-+0_",
    "true",
    "nan",
    "1e999",
    "[[",
    '"""',
    "?",
    "\x00",
    "é",
    "\U0001f600",
    "2025-13-01",
    "==",
]


def mutated(text, chance):
    """The text with a few random changes."""
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(text) + 1)
        match chance.randrange(6):
            case 0:
                text = text[:at] + chance.choice(PIECES) + text[at:]
            case 1:
                text = text[:at] + text[at + chance.randint(1, 12) :]
            case 2:
                lines = text.split("\n")
                chance.shuffle(lines)
                text = "\n".join(lines)
            case 3:
                words = re.findall(r"[\w.\-]+|\S", text) or ["x"]
                one, other = chance.choice(words), chance.choice(words)
                text = text.replace(one, other, chance.randint(1, 2))
            case 4:
                lines = text.split("\n")
                lines.insert(chance.randrange(len(lines)), chance.choice(lines))
                text = "\n".join(lines)
            case _:
                value = chance.choice(
                    [
                        '"3"',
                        "true",
                        "nan",
                        "-1",
                        "[]",
                        "{}",
                        "1979-05-27",
                        "07:32:00",
                        "1e400",
                        '"?"',
                    ]
                )
                text = re.sub(r"= .*", f"= {value}", text, count=1) if at % 2 else text[:at]
    return text


@pytest.mark.parametrize("part", range(6))
def test_whatever_is_written_is_a_policy_or_a_list_of_faults(folder, part):
    """300 random changes of a good policy: nothing is raised but faults, each with a line of the file and a remedy."""
    chance = random.Random(part)
    refused = 0
    for _ in range(50):
        text = mutated(GOOD, chance)
        (folder / "tacit.toml").write_bytes(text.encode())
        try:
            read_policy(folder)
        except InvalidPolicy as refusal:
            refused += 1
            for fault in refusal.faults:
                assert isinstance(fault, Fault)
                assert 1 <= fault.line <= text.count("\n") + 1
                assert fault.problem
                assert fault.remedy
                assert len(str(fault)) < 700
    assert refused > 20


@contextmanager
def as_another() -> Iterator[None]:
    """Someone who owns nothing, if this is someone who may do everything."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_source_that_may_not_be_read_is_a_fault(folder):
    with TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        clinic = Path(place) / "clinic"
        shutil.copytree(folder, clinic)
        clinic.chmod(0o755)
        (clinic / "shut.csv").write_bytes((clinic / "doses.csv").read_bytes())
        (clinic / "tacit.toml").write_text(GOOD.replace('"doses.csv"', '"shut.csv"'))
        # all that Python needs is loaded now
        assert read_policy(clinic).sources.keys() == {"visits", "doses"}
        (clinic / "shut.csv").chmod(0)
        with as_another(), pytest.raises(InvalidPolicy) as raised:
            read_policy(clinic)
        (fault,) = raised.value.faults
        assert fault.key == "tables.doses.source"
        assert "shut.csv cannot be read" in fault.problem
        assert "that you may read" in fault.remedy


PAGE = Path(__file__).resolve().parents[4] / "docs" / "how-to" / "write-a-policy.md"


def test_the_policy_that_the_documentation_shows_is_accepted(read, folder):
    doses = folder / "doses.csv"
    doses.write_text(doses.read_text(encoding="utf-8").replace(",", ";"), encoding="utf-8")
    (folder / "wards.csv").write_text("ward,floor\nA,1\nB,2\n", encoding="utf-8")
    blocks = re.findall(r"(?ms)^```toml\n(.*?)^```", PAGE.read_text(encoding="utf-8"))
    assert len(blocks) == 4
    document = read("".join(blocks))
    assert [shared.table.unit for shared in document.policy.tables.values()] == [
        "patient_id",
        "visit_id.patient_id",
        None,
    ]
    assert document.policy.tables["wards"].table.public
    assert isinstance(document.ledger, Address)
