"""DuckDB, locked down."""

import threading
import traceback
from dataclasses import replace

import duckdb
import pytest

from tacit.engines import DuckDB
from tacit.engines.duckdb import engine as ours
from tacit.engines.sql.select_with_parameters import Select
from tacit.engines.sql.statement import Statement
from tacit.errors import EngineFailed, InvalidInput, TooLarge
from tacit.plan import (
    Axis,
    Coding,
    Column,
    Counted,
    Field,
    IsNull,
    Key,
    Kind,
    Question,
    Scan,
    Table,
    Weighing,
    Weights,
    Where,
)
from tests.unit.engines.tables import AGE, EVERYTHING, LOOSE, ROWS, VISITS, WARD

CANARY = "canary-7c1f"


@pytest.fixture
def engine():
    with DuckDB({VISITS: ROWS}, threads=2, memory="500MB") as opened:
        yield opened


@pytest.mark.parametrize(
    "forbidden",
    [
        "SELECT * FROM read_csv('/etc/hostname')",
        "SELECT * FROM '/etc/hostname'",
        "SELECT * FROM glob('/*')",
        "COPY (SELECT 1) TO 'here.csv'",
        "ATTACH 'here.duckdb'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "EXPORT DATABASE 'here'",
        "SET threads = 1",
        "SET GLOBAL enable_external_access = true",
        "RESET lock_configuration",
        "SET GLOBAL temp_directory = '/tmp'",
        "SET GLOBAL error_on_division_by_zero = true",
        "CREATE PERSISTENT SECRET s (TYPE http)",
        "SELECT * FROM seen_from_python",
    ],
)
def test_nothing_but_its_tables_can_be_reached(engine, forbidden, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    seen_from_python = duckdb.values([1])
    with engine._connection.cursor() as cursor, pytest.raises(duckdb.Error):
        cursor.execute(forbidden).fetchall()
    assert seen_from_python is not None
    assert list(tmp_path.iterdir()) == []


def test_settings_reach_every_cursor(engine):
    with engine._connection.cursor() as cursor:
        kept = dict(cursor.execute("SELECT name, value FROM duckdb_settings()").fetchall())
        assert cursor.execute("SELECT 1 % 0, 1e0 / 0e0").fetchall() == [(None, None)]
    assert kept["temp_directory"] == ""
    assert kept["enable_external_access"] == kept["autoload_known_extensions"] == "false"
    assert kept["lock_configuration"] == "true"
    assert kept["TimeZone"] == "UTC"


def test_what_does_not_fit_into_memory_fails_and_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with DuckDB({VISITS: ROWS}, memory="30MB") as engine:
        with pytest.raises(EngineFailed):
            engine._fetch(
                Select(
                    "SELECT count(*) FROM (SELECT DISTINCT i::VARCHAR || 'x' FROM range(3000000) t(i))"
                )
            )
        engine.evaluate(EVERYTHING, LOOSE)
    assert list(tmp_path.rglob("*")) == []


def test_a_failure_says_nothing(engine, monkeypatch):
    monkeypatch.setattr(
        ours,
        "statement",
        lambda *_args: Statement(Select(f"SELECT CAST('{CANARY}' AS INTEGER)"), ()),
    )
    with pytest.raises(EngineFailed) as raised:
        engine.evaluate(EVERYTHING, LOOSE)
    failure = raised.value
    assert failure.__cause__ is failure.__context__ is None
    assert CANARY not in "".join(traceback.format_exception(failure))
    assert str(failure) == str(EngineFailed())


def test_a_dry_run_looks_at_no_row(engine, monkeypatch):
    seen, fetched = [], engine._fetch

    def watched(asked, shared):
        found = fetched(asked, shared)
        seen.append((asked, found.rows))
        return found

    monkeypatch.setattr(engine, "_fetch", watched)
    engine.dry_run(EVERYTHING, LOOSE)
    engine.evaluate(EVERYTHING, LOOSE)
    (rehearsed, nothing), (asked, something) = seen
    assert rehearsed == asked
    assert (nothing, len(something) > 0) == ([], True)


def test_every_table_has_a_twin_without_rows(engine):
    with engine._connection.cursor() as cursor:
        listed = "SELECT table_name FROM duckdb_columns() WHERE schema_name = ? AND table_name IN ? GROUP BY ALL"
        names = [relation.name for relation in engine._full.values()]
        assert sorted(cursor.execute(listed, ["rehearsal", names]).fetchall()) == sorted(
            (name,) for name in names
        )
        for name in names:
            assert cursor.execute(f"SELECT count(*) FROM rehearsal.{name}").fetchall() == [(0,)]
            types = [
                cursor.execute(f"DESCRIBE {schema}.{name}").fetchall()
                for schema in ("main", "rehearsal")
            ]
            assert types[0] == types[1]


def test_keys_are_rehearsed_where_there_are_no_rows(engine, monkeypatch):
    seen = []
    monkeypatch.setattr(
        "tacit.engines.duckdb.unknown_key_table.gather_keys",
        lambda cursor, _question, _keeping, rowset, _type: seen.append(
            cursor.execute(f"FROM {rowset.relation.name}").fetchall()
        ),
    )
    unknown = Question(Scan(VISITS), (Key(Field(replace(WARD, values=())), None),), (Counted(),))
    with pytest.raises(EngineFailed):
        engine.dry_run(unknown, LOOSE)
    assert seen == [[]]


def test_a_question_about_an_unknown_column_fails_in_the_dry_run(engine):
    for column in (replace(AGE, name="height"), replace(AGE, kind=Kind.TEXT, low=None, high=None)):
        with pytest.raises(EngineFailed):
            engine.dry_run(
                Question(Where(Scan(VISITS), IsNull(Field(column))), (), (Counted(),)), LOOSE
            )


def test_a_running_question_can_be_interrupted(engine, monkeypatch):
    endless = "SELECT 0, count(*), 0 FROM range(100000000) a, range(100000000) b WHERE (a.range * b.range) % 7 = 3"
    monkeypatch.setattr(ours, "statement", lambda *_args: Statement(Select(endless), ()))
    failures = []

    def ask():
        try:
            engine.evaluate(EVERYTHING, LOOSE)
        except EngineFailed as failure:
            failures.append(failure)

    thread = threading.Thread(target=ask)
    thread.start()
    while thread.is_alive():  # an interrupt that comes before the query has begun is lost
        engine.interrupt()
        thread.join(0.05)
    assert len(failures) == 1


def test_a_question_may_be_given_so_many_seconds(monkeypatch):
    endless = "SELECT 0, count(*), 0 FROM range(100000000) a, range(100000000) b WHERE (a.range * b.range) % 7 = 3"
    monkeypatch.setattr(ours, "statement", lambda *_args: Statement(Select(endless), ()))
    with DuckDB({VISITS: ROWS}, seconds=0.1) as engine, pytest.raises(EngineFailed):
        engine.evaluate(EVERYTHING, LOOSE)


def test_questions_may_be_asked_at_once(engine):
    expected = engine.evaluate(EVERYTHING, Weights(Weighing.L2, 1, 1, 20)).tolist()
    answers = []

    def ask():
        answers.extend(
            engine.evaluate(EVERYTHING, Weights(Weighing.L2, 1, 1, 20)).tolist() for _ in range(3)
        )

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [expected] * 12
    assert engine._connection.running == set()


def test_an_engine_can_be_closed_while_it_is_asked(monkeypatch):
    endless = "SELECT 0, count(*), 0 FROM range(100000000) a, range(100000000) b WHERE (a.range * b.range) % 7 = 3"
    monkeypatch.setattr(ours, "statement", lambda *_args: Statement(Select(endless), ()))
    for few in (True, False):
        engine, raised = DuckDB({VISITS: ROWS}), []
        engine._few = {VISITS.name} if few else set()

        def ask(engine=engine, raised=raised):
            try:
                engine.evaluate(EVERYTHING, LOOSE)
            except Exception as error:  # noqa: BLE001 -- all are looked at
                raised.append(type(error))

        threads = [threading.Thread(target=ask) for _ in range(3)]
        for thread in threads:
            thread.start()
        while not engine._connection.running:
            pass
        engine.close()
        for thread in threads:
            thread.join()
        assert raised == [EngineFailed] * 3
        assert engine._connection.running == set()


def test_a_closed_engine_fails():
    engine = DuckDB({VISITS: ROWS})
    engine.close()
    with pytest.raises(EngineFailed):
        engine.evaluate(EVERYTHING, LOOSE)


@pytest.mark.parametrize(
    "wrong", [{"threads": 0}, {"threads": True}, {"memory": "much"}, {"seconds": float("nan")}]
)
def test_wrong_parameters_are_refused(wrong):
    with pytest.raises(InvalidInput):
        DuckDB({VISITS: ROWS}, **wrong)


def test_many_columns_of_text_are_coded():
    """Columns that are read as they are make no row longer; the same one many times would."""
    columns = tuple(Column(f"c{place}", Kind.TEXT, values=("a", "b")) for place in range(60))
    table = Table("wide", columns)
    axes = tuple(Axis(Field(column), ("a", "b"), null=True) for column in columns)
    weights = Weights(Weighing.L1, bound=1, units_squared=1, bits=0)
    row = {column.name: "ab"[place % 2] for place, column in enumerate(columns)}
    with DuckDB({table: [row]}) as wide:
        found = wide.code(Coding(Scan(table), axes), weights)
        assert [int(codes[0]) for codes in found.codes] == [0, 1] * 30
        with pytest.raises(TooLarge, match="texts"):
            wide.code(Coding(Scan(table), axes[:1] * 60), weights)
