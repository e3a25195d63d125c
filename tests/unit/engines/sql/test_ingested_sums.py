"""Sums by stratum are those of the memory engine, whichever rows of a unit are taken."""

from collections import Counter, defaultdict
from dataclasses import replace
from fractions import Fraction
from random import Random

import duckdb
import pytest

from tacit.engines import DuckDB, Memory, ingest
from tacit.engines.duckdb import engine as running
from tacit.engines.duckdb import ingest as ingesting
from tacit.engines.duckdb.load_tables import load_table
from tacit.engines.sources.source_kinds import source_of
from tacit.engines.sql.ingested_sums import strata_of, takes_whole_table
from tacit.engines.sql.names_of_stored_rows import Relation, Rowset, Strata
from tacit.plan import (
    MOST_CHARACTERS,
    Column,
    Compared,
    Counted,
    Even,
    Field,
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

TEXTS = ("A", "B", "C", "D")
WARD = Column("ward", Kind.TEXT, values=TEXTS)
SEX = Column("sex", Kind.TEXT, values=("f", "m"))
COST = Column("cost", Kind.NUMBER, low=0, high=10)
VISITS = Table("visits", (WARD, SEX, COST), unit="who")
ODD = [None, "", "a", "B ", "A" * (MOST_CHARACTERS + 5)]
COSTS = Summed(Field(COST), Fraction(1, 4), 0, 40, 3)
MEASURES = (Counted(), COSTS, Counted(Field(COST)), Units())
BY_WARD = (Key(Field(WARD), TEXTS),)
MEDIAN = Ranked(Field(COST), Even(Fraction(1, 4), 0, 40), Fraction(1, 2))
SOME = (Weights(Weighing.L1, 3, 9, 12), Weights(Weighing.L2, 3, 9, 12))


def drawn_rows(seed, odd):
    """Visits of units with few rows and with many, some of them to one ward; `odd` of 10 texts are odd."""
    random, rows = Random(seed), []
    for who in range(40):
        usual = random.choice(TEXTS)
        for _ in range(random.choice([1, 2, 3, 4, 7, 12])):
            ward = usual if random.random() < 0.5 else random.choice(TEXTS)
            if random.randrange(10) < odd:
                ward = random.choice(ODD)
            cost = random.choice([None, float("nan"), -3.0, 0.3, 2.5, 99.0])
            rows.append({"who": who, "ward": ward, "sex": random.choice("fmx"), "cost": cost})
    random.shuffle(rows)
    return rows


def check_alike(rows, path, questions, weights, table=VISITS):
    """Compare an ingested table with the oracle, by one column of strata and by the other."""
    memory = Memory({table: rows})
    with DuckDB({table: path}, threads=1) as engine:
        for question in questions:
            for each in weights:
                engine.dry_run(question, each)
                expected = memory.evaluate(question, each).tolist()
                assert engine.evaluate(question, each).tolist() == expected


def rowset_of(path, table=VISITS):
    with scratch() as connection:
        return Rowset(load_table(connection, 0, table, source_of(path)))


@pytest.fixture(params=["optimised", "as it is written"])
def _optimiser(request, monkeypatch):
    if request.param == "optimised":
        monkeypatch.setattr(running, "FEW", -1)


@pytest.mark.usefixtures("_optimiser")
@pytest.mark.parametrize("odd", [0, 1, 6])
def test_strata_answer_alike(odd, tmp_path):
    rows = drawn_rows(odd, odd)
    path = ingest(rows, VISITS, tmp_path / "visits.duckdb")
    some = (Key(Field(WARD), ("D", "B")),)
    by_sex = (Key(Field(SEX), ("f", "m")),)
    questions = [Question(Scan(VISITS), keys, MEASURES) for keys in (BY_WARD, some, by_sex)]
    rowset = rowset_of(path)
    assert [strata_of(question, rowset).of for question in questions] == ["ward", "ward", "sex"]
    check_alike(rows, path, questions, SOME)


@pytest.mark.usefixtures("_optimiser")
def test_whole_tables_answer_alike(tmp_path):
    rows = drawn_rows(7, 2)
    path = ingest(rows, VISITS, tmp_path / "visits.duckdb")
    questions = [Question(Scan(VISITS), (), measures) for measures in (MEASURES, (MEDIAN, COSTS))]
    assert all(takes_whole_table(question, rowset_of(path)) for question in questions)
    check_alike(rows, path, questions, SOME)
    empty = ingest([], VISITS, tmp_path / "empty.duckdb")
    check_alike([], empty, questions, SOME)


@pytest.mark.usefixtures("_optimiser")
def test_units_of_which_rows_are_not_taken_are_weighed_anew(tmp_path):
    rows = [{"who": 1, "ward": ward, "cost": 4.0} for ward in "AAABZZZZ"]
    rows += [{"who": 2, "ward": ward, "cost": 4.0} for ward in "AAABBBBB"]
    table = replace(VISITS, columns=(WARD, COST))
    path = ingest(rows, table, tmp_path / "visits.duckdb")
    question = Question(Scan(table), BY_WARD, (Counted(),))
    with DuckDB({table: path}) as engine:
        found = engine.evaluate(question, Weights(Weighing.L1, 2, 4, 10)).tolist()
    # of the first unit's four rows that are taken each weighs a half, of the second's eight each a quarter
    assert found == [[3 * 512 + 3 * 256], [512 + 5 * 256], [0], [0]]


@pytest.mark.usefixtures("_optimiser")
def test_a_row_that_is_not_there_weighs_on_nobody(tmp_path):
    present = replace(COST, nullable=False)
    table = replace(VISITS, columns=(WARD, SEX, present))
    rows = drawn_rows(11, 1)
    path = ingest(rows, table, tmp_path / "visits.duckdb")
    questions = [
        Question(Scan(table), BY_WARD, (Counted(), replace(COSTS, value=Field(present)))),
        Question(Scan(table), (), (Counted(),)),
    ]
    assert strata_of(questions[0], rowset_of(path, table)) is not None
    assert not takes_whole_table(questions[1], rowset_of(path, table))
    check_alike(rows, path, questions, SOME, table)


def test_a_unit_that_leaves_changes_the_strata_of_nobody(tmp_path):
    def strata(rows, name):
        """What is known of the strata of a row's text, by its unit, in the order of units."""
        path, found = ingest(rows, VISITS, tmp_path / name), defaultdict(Counter)
        with duckdb.connect(str(path), read_only=True) as connection:
            read = connection.execute(
                'SELECT "tacit unit", ward, cell, unit_rows, unit_squares FROM tacit_rows JOIN tacit_strata '
                "ON divided = 'ward' AND stratum = \"tacit stratum of ward\""
            ).fetchall()
        for unit, ward, *known in read:
            assert ward == known[0]
            found[unit][tuple(known)] += 1
        return [found[unit] for unit in sorted(found)]

    rows = drawn_rows(3, 2)
    everybody = strata(rows, "all.duckdb")
    assert strata([row for row in rows if row["who"] != 17], "one.duckdb") == [
        each for who, each in enumerate(everybody) if who != 17
    ]
    for each in everybody:
        by_text = Counter({cell: rows for (cell, *_), rows in each.items()})
        squares = sum(n * n for n in by_text.values())
        assert {key[1:] for key in each} == {(by_text.total(), squares)}


def test_too_many_strata_are_not_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(ingesting, "_MOST_STRATA", 20)
    rows = drawn_rows(5, 1)
    path = ingest(rows, VISITS, tmp_path / "visits.duckdb")
    question = Question(Scan(VISITS), BY_WARD, MEASURES)
    assert strata_of(question, rowset_of(path)) is None
    check_alike(rows, path, [question], SOME)


@pytest.mark.parametrize(
    "question",
    [
        Question(Scan(VISITS), (replace(BY_WARD[0], null=True),), MEASURES),
        Question(Scan(VISITS), (Key(Field(WARD), ("A", "A" * MOST_CHARACTERS)),), MEASURES),
        Question(Scan(VISITS), (*BY_WARD, Key(Field(SEX), ("f", "m"))), MEASURES),
        Question(
            Where(Scan(VISITS), Compared("<", Field(COST), Literal(Fraction(5), Kind.NUMBER))),
            BY_WARD,
            MEASURES,
        ),
    ],
    ids=["null", "long", "two keys", "where"],
)
def test_other_questions_do_not_ask_strata(question, tmp_path):
    rows = drawn_rows(13, 2)
    path = ingest(rows, VISITS, tmp_path / "visits.duckdb")
    assert strata_of(question, rowset_of(path)) is None
    check_alike(rows, path, [question], SOME)


def test_rows_of_several_tables_have_no_strata():
    relation = Relation(
        "t",
        {"ward": ("c0", "VARCHAR")},
        ("unit", "BIGINT"),
        "n",
        strata=(Strata("ward", "s", "x"),),
    )
    question = Question(Scan(VISITS), BY_WARD, (Counted(),))
    assert strata_of(question, Rowset(relation)) is not None
    assert strata_of(question, Rowset(relation, ("joined AS (SELECT 1)",))) is None
    assert not takes_whole_table(replace(question, keys=()), Rowset(relation, ("j AS (SELECT 1)",)))


def test_a_rehearsal_reads_no_stratum(tmp_path):
    path = ingest(drawn_rows(1, 0), VISITS, tmp_path / "visits.duckdb")
    with DuckDB({VISITS: path}, threads=1) as engine:
        cursor = engine._rehearsal.cursor
        for strata in engine._full["visits"].strata:
            assert cursor.execute(f"SELECT count(*) FROM {strata.table}").fetchall() == [(0,)]
        assert len(engine._full["visits"].strata) == 2
