"""Threats to the PostgreSQL door: cuts at any message, roles, races for a limit, guessing, bytes that tell of rows."""

import asyncio
import struct

import pytest

from tacit.errors import LimitExceeded
from tacit.server import Rate, Rates, Slots
from tacit.server.jobs import Job, Question
from tacit.server.wire.conversation import Conversation
from tests.unit.server.clinics import BY_WARD, COUNT, PLENTY, POLICY, make_folder, who
from tests.unit.server.wire.rooms import (
    SYNC,
    Client,
    bind,
    describe,
    execute,
    fields_of,
    kinds,
    messages_of,
    open_room,
    parse,
    query,
)

PRICE = "-c tacit.epsilon=0.01"


@pytest.fixture
def room(tmp_path):
    with open_room(make_folder(tmp_path / "clinic")) as found:
        yield found


def errors(said):
    return [fields_of(body) for kind, body in said if kind == "E"]


# -------------------------------------------------------------------- cuts


def test_a_connection_that_is_cut_after_any_message_pays_once_and_finds_the_same_answer(room):
    """After each message, and in the midst of each, while the question waits for its slot."""
    pieces = [
        *(query("BEGIN"), parse(BY_WARD, "s"), bind("p", "s"), describe("P", "p"), execute("p", 1)),
        *(execute("p"), SYNC, query("COMMIT"), query(BY_WARD)),
    ]
    whole = b"".join(pieces)
    ends = [sum(map(len, pieces[: n + 1])) for n in range(len(pieces))]
    cuts = sorted({cut for end in ends for cut in (end - 3, end, end + 1) if cut <= len(whole)})

    async def send_and_hang_up(conversation, data):
        conversation.feed(data)
        talking = asyncio.ensure_future(pump(conversation))
        await asyncio.sleep(0.004)
        conversation.cancel()
        conversation.close()
        await talking

    for cut in cuts * 2:
        client = room.client(options=PRICE)
        room.run(send_and_hang_up(client.conversation, whole[:cut]))
        assert room.charges() <= 1, cut
    first = room.client(options=PRICE).rows(BY_WARD)
    assert first == room.client(options=PRICE).rows(BY_WARD)
    assert room.charges() == 1


async def pump(conversation):
    while await conversation.step():
        pass


# -------------------------------------------------------------------- who may do what

STATEMENTS = {
    "ask": f"/* tacit: epsilon=0.01 */ {COUNT}",
    "copy": f"/* tacit: epsilon=0.01 */ COPY ({COUNT}) TO STDOUT",
    "explain": f"EXPLAIN /* x */ {COUNT}",
    "browse": "SELECT 1",
    "budget": "SHOW tacit.budget",
    "rows": "SELECT * FROM visits",
    "write": "DELETE FROM visits",
}
MAY = {
    "ana": {"ask", "copy", "explain", "browse", "budget"},
    "cleo": {"ask", "copy", "explain", "browse", "budget"},
    "otto": {"browse", "budget"},
}


@pytest.mark.parametrize("name", MAY)
def test_every_role_may_do_what_its_line_says(room, name):
    client = room.client(name, options=PRICE)
    done = {what for what, text in STATEMENTS.items() if not errors(client.ask(text))}
    assert done == MAY[name]
    wrong = {
        errors(client.ask(text))[0]["C"]
        for what, text in STATEMENTS.items()
        if what not in MAY[name]
    }
    assert wrong <= {"42501", "25006"}


def test_nobody_is_answered_what_somebody_else_has_paid_for_unless_the_policy_says_so(room):
    ana, ben = room.client(options=PRICE), room.client("ben", options=PRICE)
    first, second = ana.rows(COUNT), ben.rows(COUNT)
    assert room.charges() == 2
    assert first == ana.rows(COUNT)
    assert second == ben.rows(COUNT)


# -------------------------------------------------------------------- races and guesses


def test_many_connections_exhaust_a_limit_exactly(tmp_path):
    policy = POLICY.replace("[analysts.ben]\nepsilon = 1", "[analysts.ben]\nepsilon = 0.5")
    slots = Slots(workers=8, lengths=(0.02, 0.05))
    with open_room(make_folder(tmp_path / "clinic", policy), slots=slots) as room:
        clients = [room.client("ben", options="-c tacit.epsilon=0.2") for _ in range(16)]
        others = [room.client("ana", options="-c tacit.epsilon=0.2") for _ in range(4)]

        async def ask_all():
            for number, client in enumerate([*clients, *others]):
                text = f"SELECT COUNT(*) AS n FROM visits WHERE cost < {number + 1}"
                client.conversation.feed(query(text))
            await asyncio.gather(*(pump(each.conversation) for each in [*clients, *others]))

        room.run(ask_all())
        said = [messages_of(bytes(client.conversation.out)) for client in clients]
        answered = sum("D" in kinds(each) for each in said)
        refused = [wrong for each in said for wrong in errors(each)]
        assert {wrong["C"] for wrong in refused} == {"53400"}
        assert answered + len(refused) == 16
        assert 1 <= answered < 16
        entries = [each for each in room.desk._vault.ledger.entries() if each.analyst == "ben"]
        assert len(entries) == answered
        assert all("D" in kinds(messages_of(bytes(each.conversation.out))) for each in others)
        with pytest.raises(LimitExceeded):  # one more does not fit
            room.desk._vault.of("ben").sql(
                "SELECT COUNT(*) AS n FROM visits WHERE cost < 49", epsilon=0.2
            )


def test_tokens_are_not_guessed_quickly(tmp_path):
    rare = {**PLENTY, "attempts to sign in by this name from this address": Rate(3, 1e9)}
    with open_room(make_folder(tmp_path / "clinic"), rates=Rates(rare)) as room:
        codes = [errors(room.client(token="tct_guess").greeting)[0]["C"] for _ in range(5)]
        assert codes == ["28P01"] * 3 + ["53000"] * 2
        assert errors(room.client().greeting)[0]["C"] == "53000"
        assert not errors(room.client("ben").greeting)


def test_refusals_are_in_the_audit_log_and_nothing_that_is_secret_is(room):
    token = room.tokens["ana"]
    room.client(token="tct_guess-of-mine")
    client = room.client(options=PRICE)
    client.ask("SELECT COUNT(*) AS n FROM visits WHERE icd = 'canary-4711'")
    client.ask("SELECT nothing FROM visits WHERE icd = 'canary-4711'")
    lines = "\n".join(room.desk.lines)
    assert '"refused to sign in"' in lines
    assert '"door": "wire"' in lines or '"door":"wire"' in lines
    for secret in ("canary-4711", token, "tct_guess-of-mine"):
        assert secret not in lines


# -------------------------------------------------------------------- bytes and rows


def test_what_is_said_depends_on_rows_by_the_release_alone(tmp_path, monkeypatch):
    """On neighbours, with one release: every byte and every notice is the same."""
    texts = [
        *(BY_WARD, f"EXPLAIN {COUNT}", f"COPY ({BY_WARD}) TO STDOUT CSV HEADER", "SHOW TABLES"),
        *("DESCRIBE visits", "SELECT * FROM visits", "SELECT ward FROM visits GROUP BY ward"),
        *(f"{BY_WARD} LIMIT 0", "SELECT nothing FROM visits", "SHOW ALL"),
    ]
    heard, release = [], None
    for rows in (300, 298):
        with open_room(make_folder(tmp_path / str(rows), rows=rows)) as room:
            client = room.client(options=PRICE)
            own = room.run(ask(room))
            release = release or own

            async def constant(somebody, question, key=None, given=release):
                job = Job(somebody.name)
                job.end(given)
                return job

            said = []
            for text in texts:
                with monkeypatch.context() as patched:
                    if not text.startswith(("SHOW", "DESCRIBE", "EXPLAIN")):
                        patched.setattr(room.desk, "ask", constant)
                        patched.setattr(room.desk, "replay", lambda *_, given=release: given)
                        patched.setattr(room.desk, "budget", lambda _, told=heard: BUDGET)
                    said.append(client.ask(text))
                    sent = [parse(text), bind(results=(1,)), describe(), execute(), SYNC]
                    said.append(client.send(*sent))
            heard.append(said)
    assert heard[0] == heard[1]


class BUDGET:
    """A budget that is the same for everybody."""

    own = None
    left = 0.5


async def ask(room):
    """A release of this room's."""
    job = await room.desk.ask(who(room.desk, "ana"), Question(BY_WARD, epsilon=0.01))
    return await job.result()


def test_a_stranger_who_sends_slowly_keeps_nobody_waiting(room):
    slow = [Conversation(room.door, "10.0.0.1") for _ in range(200)]

    async def drip():
        for each in slow:
            each.feed(struct.pack("!i", 9_000)[:3])
            assert not await each.step()

    room.run(drip())
    assert Client(room, "ana").rows("SELECT 1") == [("1",)]
    assert all(each.incoming.pending == 3 and not each.out for each in slow)
