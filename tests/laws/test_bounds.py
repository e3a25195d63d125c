"""What one unit can make an engine do is bounded by public numbers: rows, texts and pairs, in both engines alike."""

import sys
from collections import Counter

import pytest
from hypothesis import strategies as st

from tacit.engines import DuckDB, Memory
from tacit.engines import work_bounds as work
from tacit.engines.memory import rows as yielding
from tacit.engines.memory.rows import yield_rows
from tacit.engines.sql import units_with_huge_joins as pairs
from tacit.engines.work_bounds import Bounds, bounds_of_question
from tacit.errors import InvalidPlan, TooLarge
from tacit.plan import (
    MOST_CHARACTERS,
    Called,
    Case,
    Cast,
    Column,
    Field,
    Function,
    Joined,
    Kind,
    Like,
    Literal,
    Owner,
    Scan,
    Table,
    Where,
    compile_expression,
    length_of,
    owner_of,
    parts_of,
    tables_of,
)
from tests.laws import row_plans
from tests.laws.row_plans import ONE, TWO, row_questions, unit_rows, worlds
from tests.laws.sampled import each_of, sampled
from tests.laws.test_rows import in_duckdb, in_memory, of_others

# ---------------------------------------------------------------- texts

NAME, NOTE, AGE, DAY = (
    Field(Column(name, kind))
    for name, kind in (
        ("a", Kind.TEXT),
        ("b", Kind.TEXT),
        ("n", Kind.INTEGER),
        ("d", Kind.TIMESTAMP),
    )
)
TEXTS = [
    "",
    "a",
    "aa-b",
    "ß",
    "Ⱥɐ" * 7,
    "a" * 1500,
    "\U0001f600" * 1001,
    "é-" * 40_000,
    "ⱥ" * MOST_CHARACTERS,
]
SHORT = st.text(st.sampled_from("ab-é\U0001f600"), min_size=1, max_size=4)


def text(value):
    return Literal(value, Kind.TEXT)


def whole(number):
    return Literal(number, Kind.INTEGER)


@st.composite
def texts(draw, depth=3):
    """An expression that is a text."""
    if depth == 0:
        return draw(
            st.one_of(
                st.sampled_from([NAME, NOTE]), SHORT.map(text), st.just(text("\U0001f600" * 500))
            )
        )
    inner = texts(depth - 1)
    match draw(
        st.sampled_from(
            ["case", "choice", "cut", "letters", "replace", "replace", "join", "written", "none"]
        )
    ):
        case "case":
            return Case(((Like(draw(inner), "a%"), draw(inner)),), draw(inner))
        case "choice":
            functions = [Function.COALESCE, Function.LEAST, Function.GREATEST, Function.NULLIF]
            return Called(draw(st.sampled_from(functions)), (draw(inner), draw(inner)))
        case "cut":
            length = whole(draw(st.sampled_from([0, 3, 100, 20_000])))
            if draw(st.booleans()):
                return Called(Function.RIGHT, (draw(inner), length))
            return Called(
                Function.SUBSTR, (draw(inner), whole(2), *([length] if draw(st.booleans()) else []))
            )
        case "letters":
            functions = [
                Function.UPPER,
                Function.LOWER,
                Function.TRIM,
                Function.LTRIM,
                Function.RTRIM,
            ]
            return Called(draw(st.sampled_from(functions)), (draw(inner),))
        case "replace":
            new = draw(st.one_of(SHORT, st.sampled_from(["", "ab" * 5, "\U0001f600" * 9])))
            return Called(Function.REPLACE, (draw(inner), text(draw(SHORT)), text(new)))
        case "join":
            parts = [draw(st.one_of(inner, st.just(AGE))) for _ in range(draw(st.integers(1, 3)))]
            return Called(Function.CONCAT, tuple(parts))
        case "written":
            written = Called(
                Function.STRFTIME, (DAY, text(draw(st.sampled_from(["%A, %d %B %Y", "%Y", "x"]))))
            )
            return draw(st.sampled_from([written, Cast(AGE, Kind.TEXT)]))
        case _:
            return draw(inner)


def check_length(expression, row):
    found, bound = compile_expression(expression)(row) or "", length_of(expression)
    read = sum(len(cell[:MOST_CHARACTERS].encode()) for cell in (row["a"], row["b"]))
    assert len(found) <= bound.characters
    assert len(found.encode()) <= bound.fixed + bound.share * read
    return len(found.encode()) / max(1, bound.fixed + bound.share * read)


@each_of(
    150,
    texts(),
    st.sampled_from(TEXTS),
    st.sampled_from(TEXTS),
    st.sampled_from([-(2**63), 7, None]),
    many=1_500,
)
def test_no_text_is_longer_than_its_bound(expression, one, two, number):
    check_length(expression, {"a": one, "b": two, "n": number, "d": 20_000 * 86_400_000_000})


@pytest.mark.parametrize(
    ("old", "new"),
    [("a", "\U0001f600"), ("aa", "bcd"), ("a", "bcd"), ("\U0001f600", "a"), ("a", "")],
)
def test_what_is_replaced_is_as_long_as_its_bound_at_worst(old, new):
    changed = Called(Function.REPLACE, (NAME, text(old), text(new)))
    filled = check_length(changed, {"a": old * (1_000 // len(old)), "b": ""})
    assert filled == 1 or len(new.encode()) < len(old.encode())


def test_a_letter_of_another_case_is_at_most_half_as_long_again():
    letters = [chr(number) for number in (*range(0xD800), *range(0xE000, sys.maxunicode + 1))]
    for function, other in ((Function.UPPER, str.upper), (Function.LOWER, str.lower)):
        change = compile_expression(Called(function, (NAME,)))
        changed = [letter for letter in letters if other(letter) != letter or letter == "ß"]
        assert len(changed) > 1_000
        assert all(
            2 * len(change({"a": letter}).encode()) <= 3 * len(letter.encode())
            for letter in changed
        )


def test_both_engines_read_as_much_of_a_cell():
    table = Table("visits", (Column("note", Kind.TEXT),), unit="who", contributions=1)
    cells = ["é" * n for n in (MOST_CHARACTERS // 2, MOST_CHARACTERS, MOST_CHARACTERS + 1)] + [
        "a" * 70_000,
        None,
    ]
    world = row_plans.World({table: [{"who": i, "note": cell} for i, cell in enumerate(cells)]})
    found = in_memory(Scan(table), world)
    assert found == in_duckdb(Scan(table), world)
    assert {cell and len(cell) for _, (cell,) in found} == {
        MOST_CHARACTERS // 2,
        MOST_CHARACTERS,
        None,
    }


# ---------------------------------------------------------------- rows

HEAVY = "new"


@pytest.fixture
def small(monkeypatch):
    """Bounds so low that a unit of twenty rows is far beyond them."""
    most = 40
    for room in (work, pairs, yielding):
        monkeypatch.setattr(room, "MOST_BYTES", most * 2 * work.ROW_BYTES)
    monkeypatch.setattr(work, "MOST_PAIRS", most)
    monkeypatch.setattr(work, "_FEW", 3)


def every_node(rows):
    yield rows
    for part in parts_of(rows):
        yield from every_node(part)


@st.composite
def crowds(draw, world, most=20):
    """The world with one unit more, which owns many rows, few of them different."""
    more = {}
    for table in (ONE, TWO):
        cells = {column.name: row_plans.CELLS[column.kind] for column in table.columns}
        pool = draw(st.lists(st.fixed_dictionaries(cells), min_size=1, max_size=2))
        rows = [
            dict(pool[i % len(pool)]) | {table.unit: HEAVY}
            for i in range(draw(st.sampled_from([1, 5, most])))
        ]
        more[table] = [*world.rows[table], *rows]
    return row_plans.World({**world.rows, **more})


def check_rows(data):
    """Look at every node of some rows; how many joins there were in which somebody was left out."""
    rows = data.draw(
        unit_rows(data.draw(st.integers(2, 4)), shapes=["joined", "stacked", "public"])
    )
    world, found = data.draw(worlds().flatmap(crowds)), Counter()
    memory = Memory(world.rows)
    bounds = Bounds(rows, memory._sharing)
    for node in every_node(rows):
        if owner_of(node) is Owner.NOBODY:
            continue
        load, held = (
            bounds.load(node),
            Counter(row.unit for row in yield_rows(node, memory._rows, bounds)),
        )
        for unit, number in held.items():
            tables = [table for table in tables_of(node) if not table.public]
            owned = max(
                sum(row[table.unit] == unit for row in world.rows[table]) for table in tables
            )
            assert number <= load.copies * owned + load.more
        if isinstance(node, Joined):
            found["limited" if bounds.limits(node) else "free"] += 1
            left = {row.unit for row in yield_rows(node.left, memory._rows, bounds)}
            found["left out"] += node.outer and HEAVY in left and HEAVY not in held
    return found


def test_a_unit_becomes_no_more_rows_than_is_proved(small):
    found = sampled(check_rows, 40)
    assert found["limited"] >= 20
    assert found["free"] >= 3
    assert found["left out"] >= 3


def check_engines(data):
    rows, world = (
        data.draw(unit_rows(3, shapes=["joined", "public", "kept"])),
        data.draw(worlds().flatmap(crowds)),
    )
    every = in_memory(rows, world)
    assert in_duckdb(rows, world) == every
    assert in_memory(rows, world.without(HEAVY)) == of_others(every, HEAVY)
    return Counter(there=any(unit == HEAVY for unit, _ in every), rows=bool(every))


def test_both_engines_leave_out_the_same_units(small):
    found = sampled(check_engines, 30)
    assert found["there"] >= 5
    assert found["there"] <= 25


def check_questions(data):
    """Both engines, and both ways of running a statement, on questions that read some columns only."""
    world = data.draw(worlds().flatmap(crowds))
    memory, seen = Memory(world.rows), Counter()
    with DuckDB(world.rows, threads=1) as engine:
        question = data.draw(
            row_questions(data.draw(unit_rows(3, shapes=["joined", "windowed", "inner"])))
        )
        weights = data.draw(row_plans.plans.weightings())
        try:
            found = memory.evaluate(question, weights).tolist()
        except (TooLarge, InvalidPlan):
            return seen
        assert engine.evaluate(question, weights).tolist() == found
        seen["answers"] += any(map(any, found))
        read = bounds_of_question(question, memory._sharing)
        seen["unread"] += any(
            not read.reads(c.name) for t in tables_of(question.rows) for c in t.columns
        )
    return seen


def test_columns_that_nobody_reads_take_no_room_in_either_engine(small):
    found = sampled(check_questions, 25)
    assert found["answers"] >= 8
    assert found["unread"] >= 8


def test_a_pair_is_as_long_as_both_its_texts():
    table = Table("visits", (Column("note", Kind.TEXT),), unit="who", contributions=1)
    other = Table("calls", (Column("word", Kind.TEXT),), unit="who", contributions=1)
    rows = Joined(Scan(table), Scan(other))
    # so that 1,024 pairs take as much as they may
    word = "a" * (16_384 - 2 * work.ROW_BYTES - 4_000)
    for number, stays in ((1_024, True), (1_025, False)):
        notes = [{"who": 1, "note": "é" * 2_000}] * number
        world = row_plans.World({table: notes, other: [{"who": 1, "word": word}]})
        found = in_memory(rows, world)
        assert found == in_duckdb(rows, world)
        assert found.total() == number * stays


LIKE_TEXTS = [
    "",
    "a",
    "a.b",
    "a\nb",
    "aé" * 20,
    "a_%b\\" * 9,
    "x" * 40,
    "^a$" * 7,
    "\U0001f600" * 17,
    "A" * 17,
]
SIGNS = st.sampled_from([*"aéx._%\\^$*+?()[]{}|-A \n", "%", "_", "\\%", "\\_", "\U0001f600"])


@each_of(
    25,
    st.lists(SIGNS, min_size=15, max_size=24).map("".join),
    st.sampled_from(LIKE_TEXTS),
    many=250,
)
def test_long_patterns_mean_the_same_in_both_engines(pattern, made):
    table = Table("visits", (Column("note", Kind.TEXT),), unit="who", contributions=1)
    cells = [*LIKE_TEXTS, made, pattern.replace("%", made).replace("_", "a")]
    world = row_plans.World({table: [{"who": i, "note": cell} for i, cell in enumerate(cells)]})
    rows = Where(Scan(table), Like(Field(table.columns[0]), pattern))
    assert in_memory(rows, world) == in_duckdb(rows, world)
