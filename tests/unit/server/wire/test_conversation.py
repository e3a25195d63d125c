"""A conversation: who signs in, what is set, described, returned and cancelled, and what is said of it."""

import asyncio
import json
import struct

import pytest

from tacit.server import Slots
from tacit.server.wire.connection_options import read_options
from tacit.server.wire.problems import INTERNAL, Problem
from tests.unit.server.clinics import BY_WARD, COUNT, make_folder
from tests.unit.server.wire import rooms
from tests.unit.server.wire.rooms import (
    SYNC,
    Client,
    Proof,
    bind,
    cells_of,
    columns_of,
    describe,
    execute,
    fields_of,
    kinds,
    open_room,
    parse,
    query,
    start,
)


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    with open_room(
        make_folder(tmp_path_factory.mktemp("wire") / "clinic"), database="clinic"
    ) as found:
        yield found


@pytest.fixture
def ana(room):
    return room.client(options="-c tacit.epsilon=0.01")


def errors(said):
    return [fields_of(body) for kind, body in said if kind == "E"]


# -------------------------------------------------------------------- signing in


def test_who_signs_in_is_told_of_settings_and_given_a_key(room):
    said = room.client(database="clinic", application_name="psql").greeting
    told = dict(
        body.rstrip(b"\0").split(b"\0")
        for kind, body in said
        if kind == "S" and body.count(b"\0") == 2 and not body.endswith(b"\0\0")
    )
    assert told[b"server_version"].startswith(b"15.")
    assert told[b"application_name"] == b"psql"
    assert told[b"session_authorization"] == b"ana"
    assert kinds(said).endswith("KZ")
    (key,) = [body for kind, body in said if kind == "K"]
    assert len(key) == 8


def refused(room, user="ana", token=None, **given):
    return errors(room.client(user, token=token, **given).greeting)


def test_everybody_who_cannot_sign_in_is_told_the_same(room):
    room.identities.add("zoe", "analyst")
    found = {
        str(sorted(refused(room, user, token)[0].items()))
        for user, token in (
            ("ana", "tct_wrong"),
            ("nobody", "tct_wrong"),
            ("zoe", "x"),
            ("ben", room.tokens["ana"]),
        )
    }
    assert len(found) == 1
    assert "28P01" in found.pop()


def test_a_name_that_nobody_has_has_a_salt_of_its_own(room):
    def salt(user):
        client = Client(room, token=False)
        client.send(start(user))
        ((_, body),) = client.send(Proof("x").first())
        return body.split(b",")[1], body.split(b",")[2]

    assert salt("nobody") == salt("nobody") != salt("somebody")
    assert salt("nobody")[1] == salt("ana")[1]
    assert salt("ana") == salt("ana")


def test_nothing_is_read_before_somebody_has_signed_in(room):
    for first in (query(COUNT), SYNC, parse(COUNT)):
        client = Client(room, token=False)
        client.send(start())
        assert errors(client.send(first))[0]["C"] == "08P01"
        assert client.conversation.is_over
    client = Client(room, token=False)
    client.send(start())
    assert errors(client.send(rooms.message(b"p", b"plain text password\0")))[0]["C"] == "28P01"


def test_what_is_given_at_the_start_is_set_or_refused(room):
    client = room.client(
        options="-c tacit.epsilon=0.5 --application-name=a\\ b", tacit__confidence="0.9"
    )
    assert client.rows("SHOW tacit.epsilon") == [("0.5",)]
    assert client.rows("SHOW application_name") == [("a b",)]
    assert client.rows("SHOW tacit.confidence") == [("0.9",)]
    for given in (
        {"nothing": "x"},
        {"tacit__epsilon": "-1"},
        {"options": "-z"},
        {"database": "other"},
        {"options": "-c a"},
    ):
        (wrong,) = refused(room, **given)
        assert wrong["S"] == "FATAL"
    assert refused(room, replication="true")[0]["C"] == "28000"
    with pytest.raises(Problem):
        read_options("-c")


def test_newer_versions_are_told_which_is_spoken(room):
    client = Client(room, token=False)
    body = struct.pack("!i", 196610) + b"user\0ana\0_pq_.x\0y\0\0"
    said = client.send(struct.pack("!i", len(body) + 4) + body)
    assert kinds(said) == "vR"


def test_encryption_is_demanded_where_it_is_offered(tmp_path):
    with open_room(make_folder(tmp_path / "clinic"), encrypted=True) as room:
        client = Client(room, token=False)
        assert errors(client.send(start()))[0]["M"] == "TLS is required"
        request = struct.pack("!ii", 8, 80877103)
        for sent in (request + b"x", request + start(), request + request):
            client = Client(room, token=False)
            said = client.send(sent)
            assert errors(said)[0]["C"] == "08P01", "what waits behind the request is not believed"
            assert client.conversation.is_over
        client = Client(room, token=False)
        client.conversation.feed(request)
        assert not room.run(client.conversation.step())
        assert bytes(client.conversation.out) == b"S"
        assert client.conversation.starts_tls


def test_without_encryption_the_answer_is_no(room):
    for code in (80877103, 80877104):
        client = Client(room, token=False)
        client.conversation.feed(struct.pack("!ii", 8, code))
        room.run(client.conversation.step())
        assert bytes(client.conversation.out) == b"N"


def test_whoever_is_disabled_is_cut_off_at_the_next_statement(tmp_path):
    with open_room(make_folder(tmp_path / "clinic")) as room:
        client = room.client()
        client.rows("SELECT 1")
        room.identities.disable("ana")
        (wrong,) = errors(client.ask("SELECT 1"))
        assert (wrong["S"], wrong["C"]) == ("FATAL", "28000")
        assert client.conversation.is_over
        other = room.client("ben")
        (listed,) = room.identities.tokens("ben")
        room.identities.revoke(listed.id)
        assert errors(other.ask("SELECT 1"))[0]["S"] == "FATAL"


def test_an_answer_comes_with_a_notice_its_columns_and_its_rows(ana):
    said = ana.ask(BY_WARD)
    assert kinds(said) == "NTDDCZ"
    assert columns_of(said[1][1]) == [("ward", 25, 0), ("n", 20, 0), ("mean", 701, 0)]
    assert "receipt" in fields_of(said[0][1])["M"]
    assert said[-2][1] == b"SELECT 2\0"


def test_intervals_are_columns_if_they_are_asked_for(ana):
    ana.ask("SET tacit.intervals = on")
    (described,) = [body for kind, body in ana.ask(COUNT) if kind == "T"]
    assert [name for name, _, _ in columns_of(described)] == ["n", "n_low", "n_high"]
    ((n, low, high),) = ana.rows(COUNT)
    assert int(low) <= int(n) <= int(high)
    assert kinds(ana.send(parse(COUNT), bind(), describe(), execute(), SYNC)) == "12TNDCZ"


def test_notices_can_be_turned_off(ana):
    for text in ("SET tacit.notice = off", "SET client_min_messages = warning"):
        ana.ask(text)
        assert "N" not in kinds(ana.ask(COUNT))
        ana.ask("RESET ALL")
    assert "N" in kinds(ana.ask(COUNT))


def test_nameless_aggregates_are_named_as_postgresql_names_them(ana):
    def names(sql):
        return [
            name for kind, body in ana.ask(sql) if kind == "T" for name, _, _ in columns_of(body)
        ]

    assert names("SELECT COUNT(*), AVG(cost) FROM visits") == ["count", "avg"]
    assert names('SELECT COUNT(*) AS "COUNT(*)" FROM visits') == ["COUNT(*)"]


def test_binary_and_text_say_the_same(ana):
    texts = [cells_of(b) for k, b in ana.send(parse(BY_WARD), bind(), execute(), SYNC) if k == "D"]
    packed = [
        cells_of(b)
        for k, b in ana.send(parse(BY_WARD), bind(results=(0, 1, 1)), execute(), SYNC)
        if k == "D"
    ]
    for text, pack in zip(texts, packed, strict=True):
        assert text[0] == pack[0]
        assert int(text[1]) == struct.unpack("!q", pack[1])[0]
        assert float(text[2]) == struct.unpack("!d", pack[2])[0]
    wrong = ana.send(parse(BY_WARD), bind(results=(0, 1)), execute(), SYNC)
    assert errors(wrong)[0]["C"] == "08P01"


def test_portals_are_suspended_and_go_on(ana):
    ana.ask("BEGIN")
    said = ana.send(
        parse(BY_WARD), bind("p"), execute("p", 1), execute("p", 1), execute("p", 1), SYNC
    )
    assert kinds(said) == "12NDsDsCZ"
    ana.ask("COMMIT")


def test_errors_have_a_place_in_the_whole_text(ana):
    text = "SELECT 1; SELECT nothing FROM visits"
    (wrong,) = errors(ana.ask(text))
    assert wrong["C"] == "42703"
    assert int(wrong["P"]) == text.index("nothing") + 1
    (wrong,) = errors(ana.ask("COPY (SELECT nothing FROM visits) TO STDOUT"))
    assert int(wrong["P"]) == 14
    (wrong,) = errors(ana.ask("NONSENSE"))
    assert (wrong["C"], wrong["P"]) == ("42601", "1")


def test_settings_that_change_are_told_also_when_they_return(ana):
    assert "S" in kinds(ana.ask("SET application_name = 'x'"))
    ana.ask("BEGIN")
    assert "S" in kinds(ana.ask("SET application_name = 'y'"))
    said = ana.ask("ROLLBACK")
    assert [body for kind, body in said if kind == "S"] == [b"application_name\0x\0"]
    assert ana.rows("SHOW application_name") == [("x",)]
    assert "S" not in kinds(ana.ask("SET application_name = 'x'"))


def test_the_status_of_a_transaction_is_told(ana):
    for text, status in (
        ("BEGIN", b"T"),
        ("SELECT nothing FROM visits", b"E"),
        ("SELECT 1", b"E"),
        ("COMMIT", b"I"),
    ):
        assert ana.ask(text)[-1] == ("Z", status)
    assert ana.ask("BEGIN; ROLLBACK TO x")[-1] == ("Z", b"E")
    assert ana.ask("COMMIT")[0] == ("C", b"ROLLBACK\0")


def test_explanations_can_be_read_by_programs(ana):
    (row,) = ana.rows(f"EXPLAIN (FORMAT JSON) {COUNT}")
    assert row[0].startswith('[{"Plan":')
    assert "Price" in "".join(line for (line,) in ana.rows(f"EXPLAIN {COUNT}"))
    assert ana.rows("EXPLAIN SELECT 1") == [
        ("A question about the database itself: free, answered from the policy alone.",)
    ]
    assert errors(ana.ask("EXPLAIN INSERT INTO visits VALUES (1)"))[0]["C"] == "25006"


def test_prices_come_from_the_header_the_comment_the_settings_or_the_identity(room):
    def cost(client, text):
        (notice,) = [fields_of(body)["M"] for kind, body in client.ask(text) if kind == "N"]
        return (
            notice.partition("cost: ")[2]
            .removeprefix("nothing: the stored answer, which cost ")
            .split(",")[0]
        )

    text = "SELECT COUNT(*) AS n FROM visits WHERE cost < 17"
    header = text.replace("SELECT", "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.04)")
    client = room.client(options="-c tacit.epsilon=0.01")
    assert cost(client, text) == "epsilon 0.01"
    client.ask("SET tacit.epsilon = 0.02")
    assert cost(client, text) == "epsilon 0.02"
    assert cost(client, f"/* tacit: epsilon=0.03 */ {text}") == "epsilon 0.03"
    assert cost(client, f"/* tacit: epsilon=0.03 */ {header}") == "epsilon 0.04"
    room.identities.set_terms("ben", price="0.05", allowance=None)
    plain = room.client("ben")
    assert cost(plain, text) == "epsilon 0.05"
    room.identities.set_terms("ben", price=None, allowance=None)
    (wrong,) = errors(plain.ask(text))
    assert wrong["C"] == "22023"
    assert "tacit.epsilon" in wrong["H"]


def test_listings_are_free(ana):
    assert ana.rows("SHOW TABLES")[0][0] == "visits"
    assert [row[0] for row in ana.rows("DESCRIBE visits")] == [
        "patient",
        "ward",
        "cost",
        "icd",
        "day",
    ]
    said = ana.send(parse("SHOW TABLES"), bind(), describe(), execute(), SYNC)
    assert kinds(said) == "12TDCZ"


# -------------------------------------------------------------------- what goes wrong


def test_a_mistake_of_ours_is_one_constant_text_wherever_it_happens(room, monkeypatch):
    client = room.client(options="-c tacit.epsilon=0.01")

    def fail(*_, **__):
        raise RuntimeError("patient 4711")

    for name in ("ask", "columns", "explain", "budget"):
        monkeypatch.setattr(room.desk, name, fail)
        for text in (f"{COUNT} -- {name}", f"EXPLAIN {COUNT}", "SHOW tacit.budget"):
            said = client.ask(text)
            assert b"4711" not in b"".join(body for _, body in said)
            for wrong in errors(said):
                assert (wrong["C"], wrong["M"]) == ("XX000", INTERNAL)
                noted = json.loads(room.desk.lines[-1])
                assert (noted["event"], noted["door"]) == ("mistake", "wire")
                assert noted["about"].startswith("server/wire/")
        monkeypatch.undo()
        assert "4711" not in "".join(room.desk.lines)
    monkeypatch.setattr(room.catalogue, "ask", fail)
    (wrong,) = errors(client.ask("SELECT 1"))
    assert wrong["M"] == INTERNAL


async def settled(room):
    """Wait until nothing is being asked."""
    while room.desk.asking._running:
        await asyncio.sleep(0.01)


def test_what_is_cancelled_is_asked_to_its_end_and_kept(tmp_path):
    slots = Slots(workers=4, lengths=(1.5,))
    with open_room(make_folder(tmp_path / "clinic"), slots=slots) as room:
        client = room.client(options="-c tacit.epsilon=0.5")
        (key,) = [body for kind, body in client.greeting if kind == "K"]

        async def ask_and_cancel(text, sent):
            client.conversation.feed(query(text))
            asking = asyncio.ensure_future(client._pump())
            while not room.desk.asking._running:
                await asyncio.sleep(0.002)
            stranger = Client(room, token=False).conversation
            stranger.feed(struct.pack("!ii", 16, 80877102) + sent)
            await stranger.step()
            assert bytes(stranger.out) == b""
            return rooms.messages_of(await asking)

        assert "D" in kinds(room.run(ask_and_cancel(COUNT, bytes(8))))
        said = room.run(ask_and_cancel(BY_WARD, key))
        assert errors(said)[0]["C"] == "57014"
        room.run(settled(room))
        assert room.charges() == 2
        assert len(client.rows(BY_WARD)) == 2
        assert room.charges() == 2


def test_somebody_cancels_by_number_what_is_their_own(tmp_path):
    """As knex and DataGrip cancel: SELECT pg_cancel_backend(number) in another connection."""
    slots = Slots(workers=4, lengths=(1.5,))
    with open_room(make_folder(tmp_path / "clinic"), slots=slots) as room:
        client = room.client(options="-c tacit.epsilon=0.5")
        (key,) = [body for kind, body in client.greeting if kind == "K"]
        number = int.from_bytes(key[:4], "big")
        assert client.rows("SHOW tacit.backend_pid") == [(str(number),)]
        assert client.error(query("SET tacit.backend_pid = 1"))["C"] == "55P02"
        ben, again = room.client("ben"), room.client("ana")

        async def ask_and_cancel():
            client.conversation.feed(query(COUNT))
            asking = asyncio.ensure_future(client._pump())
            while not room.desk.asking._running:
                await asyncio.sleep(0.002)
            told = []
            for other in (ben, again):
                other.conversation.feed(query(f"SELECT pg_catalog.pg_cancel_backend({number})"))
                told += [
                    body for kind, body in rooms.messages_of(await other._pump()) if kind == "D"
                ]
            return told, rooms.messages_of(await asking)

        told, said = room.run(ask_and_cancel())
        assert [cells_of(body) for body in told] == [[b"f"], [b"t"]]
        assert errors(said)[0]["C"] == "57014"
        room.run(settled(room))
        assert len(client.rows(COUNT)) == 1
        assert room.charges() == 1


def test_a_statement_is_waited_for_as_long_as_the_session_says(tmp_path):
    slots = Slots(workers=4, lengths=(1.0,))
    with open_room(make_folder(tmp_path / "clinic"), slots=slots) as room:
        client = room.client(options="-c tacit.epsilon=0.5 -c statement_timeout=50ms")
        told = client.error(query(COUNT))
        assert (told["C"], told["M"]) == ("57014", "canceling statement due to statement timeout")
        said = client.send(parse(COUNT), bind(), execute(), SYNC)
        assert errors(said)[0]["C"] == "57014"
        room.run(settled(room))
        assert client.rows("SET statement_timeout = 0; SHOW statement_timeout") == [("0",)]
        assert len(client.rows(COUNT)) == 1, "it was asked to its end, and is free now"
        assert room.charges() == 1
        assert client.error(query("SET statement_timeout = 'soon'"))["C"] == "22023"


def test_there_is_an_end_to_statements_and_portals(ana):
    wrong = []
    for number in range(1_001):
        wrong += errors(ana.send(parse("SELECT 1", f"s{number}"), SYNC))
    assert [each["C"] for each in wrong] == ["53400"]
    ana.ask("DEALLOCATE ALL")
    ana.ask("BEGIN")
    ana.send(parse("SELECT 1", "s"), SYNC)
    wrong = [
        each for number in range(101) for each in errors(ana.send(bind(f"p{number}", "s"), SYNC))
    ]
    assert [each["C"] for each in wrong] == ["53400"]
    ana.ask("ROLLBACK")


def test_names_are_taken_once(ana):
    assert errors(ana.send(parse("SELECT 1", "s"), parse("SELECT 2", "s"), SYNC))[0]["C"] == "42P05"
    assert errors(ana.send(bind("p", "s"), bind("p", "s"), SYNC))[0]["C"] == "42P03"
    ana.ask("BEGIN")
    ana.ask("DECLARE c CURSOR FOR SELECT 1")
    assert errors(ana.ask("DECLARE c CURSOR FOR SELECT 1"))[0]["C"] == "42P03"
    ana.ask("ROLLBACK")
    assert not errors(ana.send(parse("SELECT 1"), parse("SELECT 2"), bind(), bind(), SYNC))


def test_messages_that_cannot_be_read_are_skipped_until_sync(ana):
    said = ana.send(rooms.message(b"P", b"broken"), bind(), execute(), SYNC)
    assert kinds(said) == "EZ"
    assert kinds(ana.send(rooms.message(b"Q", b"\xff\0"))) == "EZ"
    assert kinds(ana.send(b"~\0\0\0\4")) == "E"
    assert ana.conversation.is_over


# -------------------------------------------------------------------- SQL around answers


def test_sql_around_an_answer_is_given_the_released_rows_alone(room):
    client = room.client(options="-c tacit.epsilon=0.01")
    released = client.rows(BY_WARD)
    room.catalogue.asked.clear()
    before = room.charges()
    assert client.rows(f"SELECT STRING_AGG(ward, ',') FROM ({BY_WARD}) x") == [("1",)]
    assert room.charges() == before
    ((name, sql, values, tables),) = room.catalogue.asked
    assert (name, values) == ("ana", ())
    assert sql == "SELECT STRING_AGG(ward, ',') FROM (SELECT * FROM tacit_released_1) x"
    (table,) = tables.values()
    assert [field.name for field in table.fields] == ["ward", "n", "mean"]
    assert [tuple(map(str, row))[:2] for row in table.rows] == [row[:2] for row in released]
    room.catalogue.asked.clear()
    client.rows(f"SELECT STRING_AGG(ward, ',') FILTER (WHERE n_low > 5) FROM ({BY_WARD}) x")
    (table,) = room.catalogue.asked[0][3].values()
    assert [field.name for field in table.fields] == ["ward", "n", "n_low", "mean"]


def test_sql_around_what_is_no_question_is_refused_as_before(ana):
    before = ana.room.charges()
    for text in (
        "SELECT STRING_AGG(ward, ',') FROM (SELECT * FROM visits) x",
        f"SELECT STRING_AGG(x.ward, ',') FROM ({COUNT} AND) x",
    ):
        assert errors(ana.ask(text))
    assert ana.room.charges() == before
    lines = [
        line for (line,) in ana.rows(f"EXPLAIN SELECT STRING_AGG(ward, ',') FROM ({BY_WARD}) x")
    ]
    assert lines[0].startswith("SQL around questions")
    assert (
        kinds(
            ana.send(
                parse(f"SELECT STRING_AGG(ward, ',') FROM ({BY_WARD}) x"), bind(), describe(), SYNC
            )
        )
        == "12TZ"
    )


def test_rows_are_refused_or_made_up(room):
    client = room.client()
    assert errors(client.ask("SELECT * FROM visits LIMIT 200"))[0]["C"] == "42501"
    client.ask("SET tacit.preview = 'made-up'")
    room.catalogue.asked.clear()
    before = room.charges()
    said = client.ask("SELECT * FROM visits LIMIT 200")
    assert "made up" in fields_of(said[0][1])["M"]
    ((_, sql, _, tables),) = room.catalogue.asked
    assert sql == "SELECT * FROM visits LIMIT 200"
    assert len(tables["visits"].rows) == 1_000
    assert [field.name for field in tables["visits"].fields] == [
        "ward",
        "cost",
        "icd",
        "day",
        "patient",
    ]
    assert room.charges() == before
    assert errors(client.ask("SELECT nothing FROM visits"))[0]["C"] == "42703"


def test_a_cursor_that_is_read_again_says_that_nothing_is_paid(tmp_path):
    with open_room(make_folder(tmp_path / "clinic")) as room:
        client = room.client(options="-c tacit.epsilon=0.5")
        client.ask("BEGIN")
        client.ask(f"DECLARE c CURSOR FOR {BY_WARD}")

        def said(text):
            return [fields_of(body)["M"] for kind, body in client.ask(text) if kind == "N"]

        assert "cost: epsilon 0.5" in said("FETCH 1 FROM c")[0]
        assert said("FETCH 1 FROM c") == []
        assert said("MOVE ABSOLUTE 0 IN c") == []
        (again,) = said("FETCH 1 FROM c")
        assert "the stored answer" in again
        assert "cost" not in again
        assert room.charges() == 1
