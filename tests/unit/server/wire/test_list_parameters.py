"""A list is compared with as its values are, one parameter each; nothing of it becomes text."""

import pytest

from tacit.server.wire.lexer import split_statements
from tacit.server.wire.list_parameters import list_numbers, spread_lists
from tacit.server.wire.problems import Problem
from tests.unit.server.clinics import make_folder
from tests.unit.server.wire.rooms import (
    SYNC,
    bind,
    cells_of,
    describe,
    execute,
    fields_of,
    kinds,
    open_room,
    parse,
)

PRICE = "-c tacit.epsilon=0.5"
ASKED = "SELECT COUNT(*) AS n FROM visits WHERE ward {} AND cost < $2"


def statement(text):
    return split_statements(text)[0]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("ward = ANY($1)", "ward IN ($1, $3)"),
        ("ward = any ( $1 :: text[] )", "ward IN ($1, $3)"),
        ("ward = SOME($1)", "ward IN ($1, $3)"),
        ("ward <> ALL($1)", "ward NOT IN ($1, $3)"),
        ("ward != ALL($1::pg_catalog.text[])", "ward NOT IN ($1, $3)"),
        ("ward = ANY($1) OR ward = ANY($1)", "ward IN ($1, $3) OR ward IN ($1, $3)"),
    ],
)
def test_a_list_is_written_as_parameters(text, written):
    found = spread_lists(
        statement(f"SELECT 1 WHERE {text} AND b < $2"), [["A", "B"], 7], [1009, 20]
    )
    assert found.statement.text == f"SELECT 1 WHERE {written} AND b < $2"
    assert found.values == ("A", 7, "B")
    assert found.types == (25, 20, 25)


@pytest.mark.parametrize(
    "text", ["a = $1", "'= ANY($1)' = $1", "a = ANY(ARRAY[$1])", "a < ANY($1)", '"any" = $1', "a ="]
)
def test_other_comparisons_stay(text):
    made = statement(f"SELECT 1 WHERE {text}")
    assert not list_numbers(made)
    assert spread_lists(made, ["x"]).statement is made


@pytest.mark.parametrize("given", [[], ["A"] * 501, "A", None])
def test_what_is_no_list_or_has_no_values_or_too_many_is_refused(given):
    with pytest.raises(Problem):
        spread_lists(statement("SELECT 1 WHERE a = ANY($1)"), [given])


@pytest.mark.parametrize(
    "text", ["a = ANY($1) AND b = $1", "b < $1 OR a <> ALL($1)", "a = ANY($1) AND b < ANY($01)"]
)
def test_a_list_that_stands_elsewhere_too_is_refused(text):
    with pytest.raises(Problem, match="elsewhere"):
        spread_lists(statement(f"SELECT 1 WHERE {text}"), [["x", "y"]])


def test_the_values_of_all_lists_are_bounded():
    many = " OR ".join(["a = ANY($1)"] * 20)
    assert len(spread_lists(statement(f"SELECT 1 WHERE {many}"), [["A"] * 500]).values) == 500
    with pytest.raises(Problem, match="10,000"):
        spread_lists(statement(f"SELECT 1 WHERE {many} OR a = ANY($2)"), [["A"] * 500, ["B"]])


@pytest.mark.parametrize(
    ("text", "values", "written"),
    [
        ("a IN ($1::VARCHAR, $2::text)", ["x", "y"], "a IN ($1, $2)"),
        ("a IN ($1::double precision)", [1.5], "a IN ($1)"),
        ("a IN ($1::VARCHAR(3))", ["x"], None),
        ("a IN ($1::VARCHAR)", [5], None),
        ("a IN ($1::INTEGER)", [True], None),
        ("a = $1::VARCHAR", ["x"], None),
        ("a IN (SELECT $1::VARCHAR)", ["x"], "a IN (SELECT $1)"),
    ],
)
def test_types_that_tools_write_behind_values_of_a_list_are_left_out(text, values, written):
    """SQLAlchemy writes .in_() so; a type that would change its value stays."""
    found = spread_lists(statement(f"SELECT 1 WHERE {text}"), values)
    assert found.statement.text == f"SELECT 1 WHERE {written or text}"


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    with open_room(make_folder(tmp_path_factory.mktemp("lists") / "clinic")) as found:
        yield found


def ask(room, text, *values, types=()):
    client = room.client(options=PRICE)
    said = client.send(parse(text, types=types), bind(values=values), describe(), execute(), SYNC)
    assert "E" not in kinds(said), [fields_of(body) for kind, body in said if kind == "E"]
    return [cells_of(body) for kind, body in said if kind == "D"]


def test_a_question_about_a_list_is_the_question_about_its_values(room):
    before = room.charges()
    listed = ask(room, ASKED.format("= ANY($1)"), b"{A,B}", b"40")
    written = ask(room, ASKED.format("IN ('A', 'B')").replace("$2", "$1"), b"40")
    typed = ask(room, ASKED.format("IN ($1::VARCHAR, $3::VARCHAR)"), b"A", b"40", b"B")
    assert listed == written == typed
    assert room.charges() == before + 1


def test_types_of_lists_are_found_and_told(room):
    client = room.client(options=PRICE)
    said = client.send(parse(ASKED.format("= ANY($1)"), "s"), describe("S", "s"), SYNC)
    (told,) = [body for kind, body in said if kind == "t"]
    assert told[2:6] == (1009).to_bytes(4, "big")
    said = client.send(parse(ASKED.format("= ANY($1)"), "t", types=(1009, 20)), SYNC)
    assert "E" not in kinds(said)


@pytest.mark.parametrize("value", [b"{\"A') OR ('1'='1\"}", b'{"$2"}', b'{"x\\\\"}'])
def test_a_value_of_a_list_is_a_value(room, value):
    """A text that is declared nowhere is refused, or compared; it is never read as SQL."""
    client = room.client(options=PRICE)
    sent = [parse(ASKED.format("= ANY($1)")), bind(values=(value, b"40")), execute(), SYNC]
    said = [fields_of(body) for kind, body in client.send(*sent) if kind == "E"]
    assert said, "it was read as the question about all wards"
    assert "42601" not in {each["C"] for each in said}


def test_the_catalogue_is_given_lists_as_they_are(room):
    client = room.client()
    sent = [parse("SELECT 1 WHERE 1 = ANY($1)", types=(1007,)), bind(values=(b"{1,2}",))]
    client.send(*sent, execute(), SYNC)
    assert room.catalogue.asked[-1][2] == ([1, 2],)
