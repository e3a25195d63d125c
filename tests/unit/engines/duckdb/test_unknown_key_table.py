"""Unknown keys in DuckDB: a failure says nothing, and cursors do not see each other's keys."""

from dataclasses import replace

import pytest

from tacit.engines import DuckDB
from tacit.engines.sql.select_with_parameters import Select
from tacit.errors import EngineFailed
from tacit.plan import (
    Column,
    Counted,
    Field,
    Keeping,
    Key,
    Kind,
    Question,
    Scan,
    Table,
    Weighing,
    Weights,
)

NOTE = Column("note", Kind.TEXT)
VISITS = Table("visits", (NOTE,), unit="who")
BY_NOTE = Question(Scan(VISITS), (Key(Field(NOTE), None),), (Counted(),))
KEEPING = Keeping(3, 20, b"secret")
WEIGHTS = Weights(Weighing.L2, 5, 25, 20)
ROWS = [{"who": who, "note": f"secret {who % 3}"} for who in range(9)]


def test_what_fails_while_keys_are_gathered_says_nothing():
    engine = DuckDB({VISITS: ROWS})
    engine.close()
    with pytest.raises(EngineFailed) as failure, engine.gather(BY_NOTE, KEEPING):
        pass
    assert failure.value.__cause__ is None
    assert "secret" not in str(failure.value)


def test_a_table_that_is_not_held_is_not_gathered_from():
    other = replace(BY_NOTE, rows=Scan(replace(VISITS, name="elsewhere")))
    with (
        DuckDB({VISITS: ROWS}) as engine,
        pytest.raises(EngineFailed),
        engine.gather(other, KEEPING),
    ):
        pass


def test_two_that_gather_at_once_do_not_see_each_other():
    with DuckDB({VISITS: ROWS}) as engine:
        fewer = replace(BY_NOTE, keys=(Key(Field(NOTE), None),))
        with (
            engine.gather(BY_NOTE, KEEPING) as one,
            engine.gather(fewer, replace(KEEPING, secret=b"other")) as two,
        ):
            places = range(3)
            assert (
                sorted(one.keys(places))
                == sorted(two.keys(places))
                == [(f"secret {i}",) for i in range(3)]
            )
            found = replace(BY_NOTE, found=tuple(one.keys(places)))
            assert one.evaluate(places, found, WEIGHTS).tolist() == [[3 << 20]] * 3


def test_nothing_of_what_was_gathered_is_left():
    with DuckDB({VISITS: ROWS}) as engine:
        with engine.gather(BY_NOTE, KEEPING) as found:
            found.keys([0])
        tables = "SELECT table_name FROM information_schema.tables WHERE table_name LIKE 'tacit%'"
        left = engine._fetch(Select(tables))
    assert left.rows == []


def test_what_fails_after_keys_were_gathered_says_nothing():
    with DuckDB({VISITS: ROWS}) as engine, engine.gather(BY_NOTE, KEEPING) as found:
        named = replace(BY_NOTE, found=tuple(found.keys([0])))
        found.cursor.close()
        for fails in (lambda: found.keys([0]), lambda: found.evaluate([0], named, WEIGHTS)):
            with pytest.raises(EngineFailed) as failure:
                fails()
            assert failure.value.__cause__ is None
            assert failure.value.__context__ is None
