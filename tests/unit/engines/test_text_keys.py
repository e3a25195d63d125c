"""Texts that are longer than texts are read: as keys they are found, or not, as in memory."""

import pytest

from tacit.engines import DuckDB, Memory
from tacit.plan import (
    MOST_CHARACTERS,
    Column,
    Counted,
    Field,
    Key,
    Kind,
    Question,
    Scan,
    Table,
    Weighing,
    Weights,
)

LONGEST, SHORTER = "x" * MOST_CHARACTERS, "x" * (MOST_CHARACTERS - 1)
CELLS = [
    "a",
    "",
    None,
    SHORTER,
    LONGEST,
    LONGEST + "y",
    LONGEST + "z" * 9,
    "a" + LONGEST,
    "é" * 9_000,
]
NAME = Column("name", Kind.TEXT)
TABLE = Table("visits", (NAME,), unit="who", contributions=9)


@pytest.mark.parametrize("null", [False, True])
@pytest.mark.parametrize(
    "declared",
    [
        ("a",),
        ("a", SHORTER),
        ("a", "", SHORTER),
        ("a", LONGEST),
        (LONGEST, SHORTER),
        ("é" * 9_000, "b"),
    ],
    ids=lambda declared: " ".join(f"{len(each)}" for each in declared),
)
def test_long_texts_are_found_among_declared_keys_as_in_memory(declared, null):
    rows = [{"who": i, "name": cell} for i, cell in enumerate(CELLS)]
    question = Question(Scan(TABLE), (Key(Field(NAME), declared, null),), (Counted(),))
    weights = Weights(Weighing.L1, 9, 1, 0)
    found = []
    for opened in (Memory({TABLE: rows}), DuckDB({TABLE: rows})):
        found.append(opened.evaluate(question, weights).tolist())
        opened.close()
    assert found[0] == found[1]
    cut = [cell if cell is None else cell[:MOST_CHARACTERS] for cell in CELLS]
    assert found[0] == [[cut.count(each)] for each in (*declared, *([None] if null else []))]
