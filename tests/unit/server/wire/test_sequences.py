"""Each sequence of messages is charged as often as its line of the table says."""

import pytest

from tests.unit.server.clinics import make_folder, who
from tests.unit.server.wire import rooms
from tests.unit.server.wire.rooms import fields_of, open_room
from tests.unit.server.wire.sequences import SEQUENCES

EPSILON = "0.01"


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    with open_room(make_folder(tmp_path_factory.mktemp("wire") / "clinic")) as found:
        yield found


def texts(number):
    """The questions of a sequence: no other one asks them."""
    cost = f"{40 + number / 1000:.3f}"
    return {
        "c": cost,
        "q": f"SELECT COUNT(*) AS n FROM visits WHERE cost < {cost}",
        "k": f"SELECT ward, COUNT(*) AS n FROM visits WHERE cost < {cost} GROUP BY ward",
        "p": f"SELECT COUNT(*) AS n FROM visits WHERE cost < $1 AND cost < {cost}"
        if number % 2
        else "SELECT COUNT(*) AS n FROM visits WHERE cost < $1",
    }


def message_of(line):
    """A line of the table as bytes."""
    word, _, rest = line.partition(" ")
    name, _, more = rest.partition(" ")
    match word:
        case "query":
            return rooms.query(rest)
        case "parse":
            return rooms.parse(more, name)
        case "bind":
            statement, _, value = more.partition(":")
            statement, _, form = statement.strip().partition(" ")
            values = (value.strip().encode(),) if value else ()
            return rooms.bind(name, statement, values, results=(1,) if form == "binary" else ())
        case "describe":
            return rooms.describe(name, more)
        case "execute":
            return rooms.execute(name, int(more or 0))
        case "close":
            return rooms.close(name, more)
        case "sync":
            return rooms.SYNC
        case "flush":
            return rooms.FLUSH
        case "copydata":
            return rooms.message(b"d", b"x")
        case "copydone":
            return rooms.message(b"c")
    raise AssertionError(line)


def run_sequence(room, number):
    """What was charged for a sequence, and whether each line ended as it says."""
    _, lines, _ = SEQUENCES[number]
    known = texts(number)
    before = room.charges()
    client = room.client(options=f"-c tacit.epsilon={EPSILON}")
    for line in lines:
        if line == "//":
            client = room.client(options=f"-c tacit.epsilon={EPSILON}")
            continue
        if line == "refresh":
            room.desk.refresh(who(room.desk, "cleo"), "visits")
            continue
        fails, text = line.startswith("!"), line.removeprefix("!")
        for name, value in known.items():
            text = text.replace("{" + name + "}", value)
        said = client.send(message_of(text))
        errors = [fields_of(body) for kind, body in said if kind == "E"]
        assert bool(errors) == fails, (line, errors)
    return room.charges() - before


@pytest.mark.parametrize("number", range(len(SEQUENCES)), ids=[name for name, _, _ in SEQUENCES])
def test_a_sequence_is_charged_as_its_line_says(room, number):
    assert run_sequence(room, number) == SEQUENCES[number][2]


def test_there_are_sixty_sequences_with_names_of_their_own():
    assert len({name for name, _, _ in SEQUENCES}) == len(SEQUENCES) >= 60
