"""A cursor moves as PostgreSQL's do, forwards and backwards, beyond both ends."""

import pytest

from tacit.server.wire.cursors import Outcome, Portal
from tacit.server.wire.lexer import split_statements
from tacit.server.wire.read_cursor_commands import Fetch, read_fetch
from tacit.server.wire.value_types import Field


def portal(size=5):
    made = Portal(None)
    rows = [(number,) for number in range(1, size + 1)]
    made.outcome = Outcome(f"SELECT {size}", (Field("n", 20),), rows)
    return made


@pytest.mark.parametrize(
    ("texts", "found"),
    [  # as PostgreSQL 15 answers them
        (["FETCH c", "FETCH NEXT c", "FETCH 2 c"], [[1], [2], [3, 4]]),
        (["FETCH ALL c", "FETCH c", "FETCH PRIOR c"], [[1, 2, 3, 4, 5], [], [5]]),
        (["FETCH 5 c", "FETCH PRIOR c"], [[1, 2, 3, 4, 5], [4]]),
        (["FETCH LAST c", "FETCH BACKWARD 2 FROM c", "FETCH c"], [[5], [4, 3], [4]]),
        (["FETCH ABSOLUTE 3 c", "FETCH RELATIVE -1 c", "FETCH RELATIVE 0 c"], [[3], [2], [2]]),
        (["FETCH ABSOLUTE -2 IN c", "FETCH FORWARD ALL c"], [[4], [5]]),
        (["FETCH ABSOLUTE 9 c", "FETCH BACKWARD ALL c", "FETCH c"], [[], [5, 4, 3, 2, 1], [1]]),
        (
            ["FETCH 3 c", "FETCH -2 c", "FETCH FIRST c", "FETCH PRIOR c"],
            [[1, 2, 3], [2, 1], [1], []],
        ),
        (["FETCH 0 c", "FETCH 2 c", "FETCH 0 c"], [[], [1, 2], [2]]),
    ],
)
def test_a_cursor_moves(texts, found):
    cursor = portal()
    got = [
        [row[0] for row in cursor.fetch(read_fetch(split_statements(text)[0]))] for text in texts
    ]
    assert got == found


def test_a_portal_is_read_in_pieces():
    cursor = portal(3)
    assert [len(cursor.take(2)), len(cursor.take(2)), len(cursor.take(2)), len(cursor.take(0))] == [
        *(2, 1, 0, 0)
    ]
    assert len(portal(3).take(0)) == 3
    assert portal(0).fetch(Fetch("forward", 1, "c")) == []
