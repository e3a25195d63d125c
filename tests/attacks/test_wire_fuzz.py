"""Recordings of sessions, mutated: nothing crashes, mistakes are told by constant text, memory stays flat."""

import gc
import os
import random
import re
import resource
import time
from pathlib import Path

import pytest

from tacit.server import Slots
from tacit.server.wire.conversation import Conversation
from tacit.server.wire.problems import INTERNAL
from tacit.server.wire.session import Session
from tacit.server.wire.settings import Settings
from tests.unit.server.clinics import make_folder
from tests.unit.server.wire import rooms
from tests.unit.server.wire.rooms import Proof, fields_of, messages_of, open_room
from tests.unit.server.wire.sequences import SEQUENCES
from tests.unit.server.wire.test_sequences import message_of, texts

CPU_SECONDS = 6.0
SOAK = 300_000
VALID = b"SPEQBDCHXpdcf"
OF_THE_SERVER = re.compile(r"Traceback|\.py\b|sqlglot|duckdb|object at 0x|site-packages|Error\(")


def recordings():
    """Each sequence of the table as the bytes that a client sends, a message an item."""
    found = []
    for number, (_, lines, _) in enumerate(SEQUENCES):
        known, sent = texts(number % 3), []
        for line in lines:
            text = line.removeprefix("!")
            if text in {"//", "refresh"}:
                continue
            for name, value in known.items():
                text = text.replace("{" + name + "}", value)
            sent.append(message_of(text))
        found.append(sent)
    return found


def mutated(chance, sent, others):
    """A recording with one to four changes: in bytes, in messages, in lengths."""
    sent = list(sent)
    for _ in range(chance.randrange(1, 5)):
        place = chance.randrange(len(sent)) if sent else 0
        match chance.randrange(9):
            case 0 if sent:
                sent[place] = flip(chance, sent[place])
            case 1 if sent:
                del sent[place]
            case 2 if sent:
                sent.insert(place, sent[place])
            case 3:
                sent.insert(place, chance.choice(chance.choice(others)))
            case 4 if sent:
                cut = chance.randrange(len(sent[place]) + 1)
                sent[place] = sent[place][:cut]
            case 5 if sent:
                sent[place] = framed(chance, sent[place])
            case 6 if sent:
                sent[place] = bytes([chance.choice(VALID)]) + sent[place][1:]
            case 7 if sent:
                body = sent[place][5:]
                extra = bytes(chance.randrange(256) for _ in range(chance.randrange(12)))
                at = chance.randrange(len(body) + 1)
                sent[place] = rooms.message(sent[place][:1], body[:at] + extra + body[at:])
            case 8:
                chance.shuffle(sent)
            case _:
                pass
    return b"".join(sent)


def flip(chance, data):
    """Bytes of which some are others; the length stays true, mostly."""
    changed = bytearray(data or b"x")
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(5 if len(changed) > 5 and chance.random() < 0.9 else 0, len(changed))
        changed[at] = chance.choice([0, 255, 39, 34, 59, 36, 40, 41, chance.randrange(256)])
    return bytes(changed)


def framed(chance, data):
    """A message whose length is a lie."""
    length = chance.choice(
        [0, 3, 4, 5, 2**31 - 1, 0xFFFFFFFF, len(data) + 7, max(0, len(data) - 3)]
    )
    return data[:1] + (length & 0xFFFFFFFF).to_bytes(4, "big") + data[5:]


def signed_in(room):
    """A conversation with somebody who has signed in already."""
    conversation = Conversation(room.door, "127.0.0.1")
    held = room.held
    settings = Settings({"tacit.epsilon": "0.001", "session_authorization": "ana"})
    conversation.session = Session(room.desk, room.catalogue, held, settings)
    conversation.incoming.started = conversation.incoming.signed_in = True
    return conversation


async def talk(conversation, data, chance):
    """What is said to bytes that arrive in pieces."""
    place = 0
    while place < len(data) and not conversation.is_over:
        size = chance.choice([1, 7, 100, 10_000])
        conversation.feed(data[place : place + size])
        place += size
        while await conversation.step():
            pass
    return bytes(conversation.out)


def check(said):
    """What is said is a message that servers send, and an error is about the statement, never about the server."""
    for kind, body in messages_of(said):
        assert kind in "ZTDCENIRS123nstHcdvK", kind
        if kind == "E":
            found = fields_of(body)
            assert len(found["C"]) == 5
            assert found["C"] != "XX000", found
            assert found["M"] != INTERNAL
            assert OF_THE_SERVER.search(" ".join(found.values())) is None, found


def run_fuzz(room, seconds, most, seed, note=lambda sent: None):
    """How many mutated recordings were sent; those of signing in are every tenth.

    What the desk reads on threads it reads here at once: half of the time went to handing it over.
    """
    chance, known = random.Random(seed), recordings()
    proof = Proof(room.tokens["ana"])
    starts = [rooms.start("ana"), rooms.start("ana", options="-c tacit.epsilon=0.1"), proof.first()]
    starts.append(rooms.message(b"p", b"c=biws,r=x,p=" + b"A" * 44))
    begun, sent = time.process_time(), 0
    while sent < most and time.process_time() - begun < seconds:
        if sent % 10:
            conversation = signed_in(room)
            data = mutated(chance, chance.choice(known), known)
        else:
            conversation = Conversation(room.door, f"10.0.0.{sent % 250}")
            data = mutated(chance, starts, [starts])
        check(room.run(talk(conversation, data, chance)))
        conversation.close()
        sent += 1
        note(sent)
    return sent


@pytest.fixture
def room(tmp_path):
    slots = Slots(workers=4, lengths=(0.001, 0.05))
    with open_room(make_folder(tmp_path / "clinic"), slots=slots) as found:
        listed = found.identities.tokens("ana")
        with found.identities.tables.reading() as file:
            found.held = file.execute(
                "SELECT hash FROM tokens WHERE substr(hash, 1, 12) = ?", (listed[0].id,)
            ).fetchone()[0]
        found.desk._read = found.desk.asking._read = read_at_once
        yield found


async def read_at_once(work):
    return work()


def resident():
    """Megabytes of this process."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 1e6


def test_mutated_recordings_crash_nothing(room):
    """How many fit into six CPU seconds; `make soak` sends 300,000."""
    run_fuzz(room, 1.0, 100, seed=0)
    gc.collect()
    before = resident()
    sent = run_fuzz(room, CPU_SECONDS, 10_000, seed=int(os.environ.get("TACIT_FUZZ_SEED", "1")))
    gc.collect()
    print(f"{sent} recordings")
    assert sent > 100
    assert resident() - before < 60


@pytest.mark.soak
def test_three_hundred_thousand_recordings_crash_nothing(room, capsys):
    """Memory does not grow with them: what was resident after the first sixth is, nearly, what is at the end."""
    sizes = []

    def note(sent):
        if sent % (SOAK // 6) == 0:
            gc.collect()
            sizes.append(resident())
            with capsys.disabled():
                print(f"{sent} recordings, {sizes[-1]:.1f} MB, {time.process_time():.0f} CPU s")

    assert run_fuzz(room, 1e9, SOAK, seed=2, note=note) == SOAK
    assert len(sizes) == 6
    assert max(sizes) - sizes[0] < 30
