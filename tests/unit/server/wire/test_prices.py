"""The price that a statement names counts wherever it stands in it."""

import pytest

from tacit.server.wire.lexer import split_statements
from tacit.server.wire.problems import Problem
from tacit.server.wire.settings import Settings, read_price_comment
from tests.unit.server.clinics import make_folder
from tests.unit.server.wire.rooms import SYNC, bind, execute, open_room, parse

CHEAP = "/* tacit: epsilon=0.01 */"
PLACES = [
    "{c} SELECT COUNT(*) AS n FROM visits",
    "SELECT {c} COUNT(*) AS n FROM visits",
    "SELECT COUNT(*) AS n FROM visits {c}",
    "SELECT COUNT(*) AS n FROM visits {c};",
    "SELECT COUNT(*) AS n FROM visits; {c}",
    "SELECT COUNT(*) AS n FROM visits WHERE cost > {c} 3",
    "SELECT COUNT(*) AS n FROM visits -- tacit: epsilon=0.01",
    "SELECT STRING_AGG(ward, ',') FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward {c}) x",
    "SELECT STRING_AGG(ward, ',') FROM ({c} SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) x",
    "COPY (SELECT COUNT(*) AS n FROM visits {c}) TO STDOUT",
    "COPY (SELECT COUNT(*) AS n FROM visits) TO STDOUT {c}",
    "PREPARE p AS SELECT COUNT(*) AS n FROM visits {c}; EXECUTE p",
    "PREPARE p AS SELECT COUNT(*) AS n FROM visits; EXECUTE p {c}",
    "BEGIN; DECLARE c CURSOR FOR SELECT COUNT(*) AS n FROM visits {c}; FETCH c; COMMIT",
    "BEGIN; DECLARE c CURSOR FOR SELECT COUNT(*) AS n FROM visits; FETCH c {c}; COMMIT",
]


def spent(room):
    """What ana has spent of her epsilon of 10, by the budget."""
    return float(room.desk._vault.of("ana").budget.spent)


@pytest.mark.parametrize("text", PLACES)
def test_a_price_in_a_comment_counts_wherever_it_stands(tmp_path, text):
    with open_room(make_folder(tmp_path / "clinic")) as room:
        client = room.client(options="-c tacit.epsilon=5")
        said = client.ask(text.replace("{c}", CHEAP))
        assert "E" not in [kind for kind, _ in said]
        assert room.charges() == 1
        assert 0 < spent(room) < 0.01, "the price of the session was paid"


def test_a_price_in_a_comment_counts_in_a_prepared_statement(tmp_path):
    with open_room(make_folder(tmp_path / "clinic")) as room:
        client = room.client(options="-c tacit.epsilon=5")
        client.send(parse(f"SELECT COUNT(*) AS n FROM visits {CHEAP}"), bind(), execute(), SYNC)
        assert room.charges() == 1
        assert 0 < spent(room) < 0.01


def test_two_different_prices_are_refused_and_the_same_one_twice_is_not(tmp_path):
    with open_room(make_folder(tmp_path / "clinic")) as room:
        client = room.client(options="-c tacit.epsilon=5")
        said = client.ask(f"{CHEAP} SELECT COUNT(*) FROM visits /* tacit: epsilon=0.02 */")
        assert any(b"22023" in body for kind, body in said if kind == "E")
        assert room.charges() == 0
        client.rows(f"{CHEAP} SELECT COUNT(*) FROM visits {CHEAP}")
        assert room.charges() == 1


def test_an_epsilon_and_an_accuracy_are_two_prices():
    (asked,) = split_statements("SELECT /* tacit: epsilon=1 */ 1 -- tacit: within=1")
    with pytest.raises(Problem, match="different prices"):
        read_price_comment(asked.comments)


@pytest.mark.parametrize("value", ["1e999", "1e-999", "1", "0", "0.99999999999999999999999"])
def test_a_confidence_that_is_none_is_refused(value):
    with pytest.raises(Problem) as refused:
        Settings().set("tacit.confidence", value)
    assert refused.value.code == "22023"
