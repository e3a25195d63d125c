"""Unknown keys whose texts were counted when a table was ingested: all is as in memory."""

from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from random import Random

import duckdb
import pytest

from tacit.engines import DuckDB, Memory, ingest
from tacit.engines.duckdb import ingest as ingesting
from tacit.engines.duckdb.ingested_key_counts import counted_keys_of
from tacit.engines.duckdb.load_tables import load_table
from tacit.engines.sources.source_kinds import source_of
from tacit.engines.sql.names_of_stored_rows import CountedKeys, Relation, Rowset
from tacit.errors import EngineFailed
from tacit.plan import (
    MOST_CHARACTERS,
    Column,
    Compared,
    Counted,
    Even,
    Field,
    Keeping,
    Key,
    Kind,
    Literal,
    Question,
    Ranked,
    Scan,
    Summed,
    Table,
    Units,
    Weighing,
    Weights,
    Where,
)
from tests.scratch import scratch

CODE = Column("code", Kind.TEXT)
NOTE = Column("note", Kind.TEXT)
SEX = Column("sex", Kind.TEXT, values=("f", "m"))
COST = Column("cost", Kind.NUMBER, low=0, high=10)
VISITS = Table("visits", (SEX, CODE, NOTE, COST), unit="who")
COSTS = Summed(Field(COST), Fraction(1, 4), 0, 40, 3)
ADDED = (Counted(), COSTS, Counted(Field(COST)))
MEDIAN = Ranked(Field(COST), Even(Fraction(1, 4), 0, 40), Fraction(1, 2))
BY_CODE = Question(Scan(VISITS), (Key(Field(CODE), None),), ADDED)
LONG = "x" * MOST_CHARACTERS
ODD = [None, "", "A", "é", LONG + "1", LONG + "2", "a' --"]
SOME = (
    Weights(Weighing.L2, 3, 9, 12),
    Weights(Weighing.L2, 40, 9, 12),
    Weights(Weighing.L1, 3, 9, 12),
)
KEEPINGS = [Keeping(most, 20, secret) for most in (1, 3, 50) for secret in (b"one", b"two")]


def drawn_rows(seed):
    """Visits of units with few codes and with many, some of them again and again to the same."""
    random, rows = Random(seed), []
    codes = [f"code {i}" for i in range(12)] + ODD
    for who in range(40):
        usual = random.choice(codes)
        for _ in range(random.choice([1, 2, 3, 4, 7, 12, 20])):
            code = usual if random.random() < 0.4 else random.choice(codes)
            cost = random.choice([None, float("nan"), -3.0, 0.3, 2.5, 99.0])
            sex, note = random.choice("fmx"), random.choice("uvw")
            rows.append({"who": who, "code": code, "note": note, "sex": sex, "cost": cost})
    random.shuffle(rows)
    return rows


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    rows = drawn_rows(3)
    return rows, ingest(rows, VISITS, tmp_path_factory.mktemp("counted") / "visits.duckdb")


def rowset_of(path, table=VISITS):
    with scratch() as connection:
        return Rowset(load_table(connection, 0, table, source_of(path)))


def check_alike(rows, path, question, table=VISITS, keepings=KEEPINGS, weights=SOME):
    """Compare what is gathered, and what is asked of every key, of every second one, and of none, with the oracle."""
    memory = Memory({table: rows})
    with DuckDB({table: path}, threads=1) as engine:
        for keeping in keepings:
            engine.dry_run(question, weights[0])
            with memory.gather(question, keeping) as one, engine.gather(question, keeping) as two:
                names = one.keys(range(len(one.weights)))
                assert two.keys(range(len(two.weights))) == names
                assert two.weights.tolist() == one.weights.tolist()
                assert len(names) > 2
                for chosen in (list(range(len(names))), list(range(0, len(names), 2))[::-1], []):
                    found = replace(question, found=tuple(names[place] for place in chosen))
                    for each in weights:
                        expected = one.evaluate(chosen, found, each).tolist()
                        assert two.evaluate(chosen, found, each).tolist() == expected


@pytest.mark.parametrize("measures", [ADDED, (Counted(),), (*ADDED, Units(), MEDIAN)])
def test_counted_keys_weigh_alike(measures, stored):
    rows, path = stored
    question = replace(BY_CODE, measures=measures)
    assert counted_keys_of(question, rowset_of(path)).of == "code"
    check_alike(rows, path, question)


def test_every_text_column_is_counted_that_is_not_declared(stored):
    rows, path = stored
    assert [each.of for each in rowset_of(path).relation.counted_keys] == ["code", "note"]
    by_note = replace(BY_CODE, keys=(Key(Field(NOTE), None),))
    check_alike(rows, path, by_note, keepings=KEEPINGS[:2])


def test_a_key_that_must_be_there_is_counted_all_the_same(stored):
    rows, path = stored
    present = replace(CODE, nullable=False)
    table = replace(VISITS, columns=(present, COST))
    question = Question(Scan(table), (Key(Field(present), None),), ADDED)
    assert counted_keys_of(question, rowset_of(path, table)) is not None
    check_alike(rows, path, question, table, KEEPINGS[2:3])


FILLED = replace(COST, nullable=False)
ELSEWHERE = replace(VISITS, columns=(SEX, CODE, NOTE, FILLED))
OTHERS = {
    "null": replace(BY_CODE, keys=(Key(Field(CODE), None, null=True),)),
    "public": replace(BY_CODE, keys=(Key(Field(SEX), ("f", "m")), *BY_CODE.keys)),
    "two": replace(BY_CODE, keys=(*BY_CODE.keys, Key(Field(NOTE), None))),
    "number": replace(BY_CODE, keys=(Key(Field(COST), None),)),
    "where": replace(
        BY_CODE,
        rows=Where(Scan(VISITS), Compared("<", Field(COST), Literal(Fraction(5), Kind.NUMBER))),
    ),
    "filled": Question(
        Scan(ELSEWHERE), BY_CODE.keys, (Counted(), replace(COSTS, value=Field(FILLED)))
    ),
}


@pytest.mark.parametrize("question", OTHERS.values(), ids=OTHERS)
def test_other_questions_count_anew(question, stored):
    rows, path = stored
    table = question.rows.table if isinstance(question.rows, Scan) else VISITS
    assert counted_keys_of(question, rowset_of(path, table)) is None
    check_alike(rows, path, question, table, KEEPINGS[2:3], SOME[:1])


def test_rows_of_several_tables_were_not_counted():
    known = (CountedKeys("code", "n", "k", "p"),)
    relation = Relation("t", {"code": ("c0", "VARCHAR")}, ("unit", "BIGINT"), counted_keys=known)
    assert counted_keys_of(BY_CODE, Rowset(relation)) is known[0]
    assert counted_keys_of(BY_CODE, Rowset(relation, ("joined AS (SELECT 1)",))) is None


def test_too_many_keys_are_not_counted(stored, tmp_path, monkeypatch):
    monkeypatch.setattr(ingesting, "_MOST_KEYS", 10)
    rows, _ = stored
    path = ingest(rows, VISITS, tmp_path / "visits.duckdb")
    assert [each.of for each in rowset_of(path).relation.counted_keys] == ["note"]
    check_alike(rows, path, BY_CODE, keepings=KEEPINGS[2:3], weights=SOME[:1])


def test_who_leaves_changes_the_pairs_of_nobody(stored, tmp_path):
    def pairs(path):
        """What is known of a unit's texts, in the order of units."""
        found = defaultdict(dict)
        with duckdb.connect(str(path), read_only=True) as connection:
            read = connection.execute(
                "SELECT unit, cell, pair_rows, unit_keys, unit_squares FROM tacit_pairs_1 JOIN tacit_keys "
                "USING (number) WHERE counted = 'code'"
            ).fetchall()
        for unit, cell, *known in read:
            found[unit][cell] = known
        return [found[unit] for unit in sorted(found)]

    rows, path = stored
    everybody = pairs(path)
    fewer = [row for row in rows if row["who"] != 17]
    assert pairs(ingest(fewer, VISITS, tmp_path / "one.duckdb")) == [
        each for who, each in enumerate(everybody) if who != 17
    ]
    for each in everybody:
        counts = [rows for rows, *_ in each.values()]
        squares = sum(n * n for n in counts)
        assert {tuple(known[1:]) for known in each.values()} == {(len(counts), squares)}


def test_a_rehearsal_reads_no_pair(stored):
    with DuckDB({VISITS: stored[1]}, threads=1) as engine:
        cursor = engine._rehearsal.cursor
        for counted in engine._full["visits"].counted_keys:
            for name in (counted.table, counted.pairs):
                assert cursor.execute(f"SELECT count(*) FROM {name}").fetchall() == [(0,)]
        assert len(engine._full["visits"].counted_keys) == 2


def test_what_fails_among_pairs_says_nothing(stored):
    with DuckDB({VISITS: stored[1]}) as engine, engine.gather(BY_CODE, KEEPINGS[0]) as found:
        named = replace(BY_CODE, found=tuple(found.keys([0])))
        object.__setattr__(found.held, "cursor", None)
        with pytest.raises(EngineFailed) as failure:
            found.evaluate([0], named, SOME[0])
    assert failure.value.__cause__ is failure.value.__context__ is None
