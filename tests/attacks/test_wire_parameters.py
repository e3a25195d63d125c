"""No value of a parameter becomes part of a statement: the plan is that of the literal, whatever the text holds."""

import pytest

from tests.unit.server.clinics import make_folder
from tests.unit.server.wire.rooms import (
    SYNC,
    bind,
    cells_of,
    describe,
    execute,
    fields_of,
    open_room,
    parse,
)

PAYLOADS = [
    *("'", "''", "'; DROP TABLE visits; --", "\\", "\\'", "E'\\''", "$$", "$1", "$tag$x$tag$"),
    *("/*", "*/", "--", ";", "x' OR 'a' = 'a", "x' UNION SELECT * FROM visits --", '"', "\n", "\t"),
    *("\u2019", "\uff07", "%s", "{}", "NULL", "1e400", "\ud7ff", "a" * 5_000),
]


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    with open_room(make_folder(tmp_path_factory.mktemp("parameters") / "clinic")) as found:
        yield found


def test_a_value_is_a_value(room):
    """The answer to a bound text is that to its literal: it was paid for once, and is the same number."""
    client = room.client(options="-c tacit.epsilon=0.001")
    for payload in PAYLOADS:
        before = room.charges()
        sql = "SELECT COUNT(*) AS n FROM visits WHERE icd = $1"
        said = client.send(
            parse(sql, types=(25,)), bind(values=(payload.encode(),)), describe(), execute(), SYNC
        )
        assert not [fields_of(body) for kind, body in said if kind == "E"], payload
        literal = (
            "SELECT COUNT(*) AS n FROM visits WHERE icd = '" + payload.replace("'", "''") + "'"
        )
        if (
            "\\" in payload
        ):  # the text of the literal is read as PostgreSQL does: a backslash is one
            assert room.charges() == before + 1
            continue
        (again,) = client.rows(literal)
        (bound,) = [cells_of(body)[0].decode() for kind, body in said if kind == "D"]
        assert again[0] == bound, payload
        assert room.charges() == before + 1, payload


def test_a_value_stands_for_no_name_and_no_word(room):
    client = room.client(options="-c tacit.epsilon=0.001")
    before = room.charges()
    for sql in (
        "SELECT COUNT(*) AS n FROM visits, $1",
        "SELECT COUNT(*) AS n FROM visits GROUP BY ward ORDER BY n $1",
        "SELECT COUNT(*) AS $1 FROM visits",
    ):
        said = client.send(parse(sql, types=(25,)), bind(values=(b"visits",)), execute(), SYNC)
        assert any(kind == "E" for kind, _ in said), sql
    assert room.charges() == before
