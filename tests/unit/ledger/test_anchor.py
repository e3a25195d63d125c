"""The anchor: a small file that remembers how far a ledger had come."""

import os
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path

import pytest

from tacit.errors import LedgerRefused, LedgerUnavailable
from tacit.ledger import Anchor, Head, anchors_folder
from tacit.ledger.anchor import SLOT
from tacit.ledger.store import EMPTY


def head(records: int) -> Head:
    """A head after so many records."""
    return Head(records, bytes([records % 256]) * 32)


def slots(anchor: Anchor) -> tuple[bytes, bytes, bytes]:
    """Both slots of an anchor, and what comes after them."""
    held = anchor.file.read_bytes()
    return held[:SLOT], held[SLOT : 2 * SLOT], held[2 * SLOT :]


def test_nothing_is_remembered_at_first_and_reading_creates_nothing(tmp_path):
    assert Anchor("here", tmp_path / "anchors").read() is None
    assert list(tmp_path.iterdir()) == []


def test_a_head_is_remembered_with_its_place(tmp_path):
    anchor = Anchor("here", tmp_path / "deep" / "anchors")
    anchor.advance(head(3))
    assert anchor.read() == Anchor("here", tmp_path / "deep" / "anchors").read() == head(3)
    slot, empty, place = slots(anchor)
    said = f"3 {'03' * 32}"
    assert slot.decode().split() == [*said.split(), sha256(f"{said} here".encode()).hexdigest()]
    assert (empty.strip(), place) == (b"", b"here\n")
    assert not anchor.file.with_suffix(".draft").exists()


def test_it_never_goes_back(tmp_path):
    anchor = Anchor("here", tmp_path)
    for records in (3, 5, 4, 5, 1):
        anchor.advance(head(records))
    assert anchor.read() == head(5)
    anchor.advance(Head(5, bytes(32)))
    assert anchor.read() == head(5)


@pytest.mark.parametrize("before", [[], [1], [1, 2]])
def test_who_is_overtaken_on_the_way_to_the_lock_turns_nothing_back(tmp_path, monkeypatch, before):
    anchor, other = Anchor("here", tmp_path), Anchor("here", tmp_path)
    for records in before:
        anchor.advance(head(records))
    alone = anchor._lock
    monkeypatch.setattr(anchor, "_lock", lambda: (other.advance(head(9)), alone())[1])
    anchor.advance(head(5))
    assert anchor.read() == head(9)


def test_it_is_replaced_only_when_told_so(tmp_path):
    anchor = Anchor("here", tmp_path)
    anchor.advance(head(5))
    anchor.replace(head(2))
    assert anchor.read() == head(2)


def test_a_beginning_is_remembered_and_takes_nothing_away(tmp_path):
    anchor = Anchor("here", tmp_path)
    anchor.begin()
    assert anchor.read() == EMPTY
    anchor.advance(head(2))
    anchor.begin()
    assert anchor.read() == head(2)


def test_each_place_has_a_file_of_its_own(tmp_path):
    one, other = Anchor("here", tmp_path), Anchor("there", tmp_path)
    one.advance(head(1))
    other.advance(head(2))
    assert (one.read(), other.read()) == (head(1), head(2))
    one.file.write_bytes(other.file.read_bytes())
    with pytest.raises(LedgerRefused, match="tacit ledger adopt"):
        one.read()


@pytest.fixture
def calls(monkeypatch):
    """What is asked of the system, in order."""
    noted: list[str] = []
    for of, name in ((os, "fsync"), (os, "fdatasync"), (os, "pwrite"), (Path, "replace")):
        call = getattr(of, name)
        monkeypatch.setattr(
            of, name, lambda *given, call=call, name=name: (noted.append(name), call(*given))[1]
        )
    return noted


def test_a_new_one_is_on_the_disk_before_it_is_renamed_and_its_name_is_after(tmp_path, calls):
    anchor = Anchor("here", tmp_path)
    for change in (anchor.advance, anchor.replace):
        calls.clear()
        change(head(1))
        assert calls == ["fsync", "replace", "fsync"]


def test_a_later_one_is_written_in_place_and_on_the_disk(tmp_path, calls):
    anchor = Anchor("here", tmp_path)
    anchor.begin()
    for records in (1, 2, 3):
        calls.clear()
        anchor.advance(head(records))
        assert calls == ["pwrite", "fdatasync"]


def test_the_newest_slot_is_read_and_the_other_one_written(tmp_path):
    anchor = Anchor("here", tmp_path)
    anchor.begin()
    for records in (1, 2, 3, 7):
        before = slots(anchor)
        anchor.advance(head(records))
        assert anchor.read() == head(records)
        changed = [old != new for old, new in zip(before, slots(anchor), strict=True)]
        assert changed == ([False, True, False] if changed[1] else [True, False, False])
    assert [slot.split()[0] for slot in slots(anchor)[:2]] == [b"7", b"3"]


@pytest.mark.parametrize("kept", [0, 1, 40, 100, 125, 200])
@pytest.mark.parametrize("records", [2, 3])
def test_a_write_that_was_broken_off_leaves_what_was_remembered(
    tmp_path, monkeypatch, records, kept
):
    anchor = Anchor("here", tmp_path)
    for number in range(records + 1):
        anchor.advance(head(number))
    pwrite = os.pwrite

    def broken(file: int, data: bytes, offset: int) -> int:
        pwrite(file, data[:kept], offset)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(os, "pwrite", broken)
        with pytest.raises(KeyboardInterrupt):
            anchor.advance(head(100))
    assert anchor.read() in ([head(records)] if kept < 200 else [head(100)])
    anchor.advance(head(101))
    assert anchor.read() == head(101)


def test_a_slot_that_does_not_fit_is_no_success(tmp_path, monkeypatch):
    anchor = Anchor("here", tmp_path)
    anchor.begin()
    pwrite = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda file, data, offset: pwrite(file, data[:100], offset))
    with pytest.raises(LedgerUnavailable, match="No space left"):
        anchor.advance(head(1))
    assert anchor.read() == EMPTY


def test_every_changed_letter_of_a_slot_is_noticed(tmp_path):
    anchor = Anchor("here", tmp_path)
    anchor.advance(head(3))
    written = anchor.file.read_bytes()
    for place in range(len(written[:SLOT].rstrip())):
        anchor.file.write_bytes(
            written[:place] + bytes([written[place] ^ 1]) + written[place + 1 :]
        )
        with pytest.raises(LedgerRefused, match="damaged anchor"):
            anchor.read()


def test_a_reader_whom_writers_overtake_looks_again(tmp_path, monkeypatch):
    anchor = Anchor("here", tmp_path)
    anchor.advance(head(3))
    pread, broken = os.pread, [b"", b""]
    monkeypatch.setattr(os, "pread", lambda *where: broken.pop() if broken else pread(*where))
    assert anchor.read() == head(3)


def test_what_another_process_wrote_is_synced_before_it_is_relied_on(tmp_path, calls):
    one, other = Anchor("here", tmp_path), Anchor("here", tmp_path)
    one.advance(head(3))
    for synced in (["fdatasync"], []):  # once is enough
        calls.clear()
        other.advance(head(3))
        assert calls == synced


def test_a_crash_before_the_rename_leaves_what_was_remembered(tmp_path, monkeypatch):
    anchor = Anchor("here", tmp_path)
    anchor.advance(head(3))
    monkeypatch.setattr(
        Path, "replace", lambda draft, file: (_ for _ in ()).throw(KeyboardInterrupt)
    )
    with pytest.raises(KeyboardInterrupt):
        anchor.replace(head(2))
    assert anchor.read() == head(3)


def advance_often(folder: str, numbers: list[int]) -> None:
    """Advance to each of these."""
    anchor = Anchor("here", Path(folder))
    for number in numbers:
        anchor.advance(head(number))
        found = anchor.read()
        assert found is not None
        assert found.records >= number


def test_processes_that_write_at_once_never_turn_it_back(tmp_path):
    context = get_context("fork")
    workers = [
        context.Process(target=advance_often, args=(str(tmp_path), list(range(n, 200, 4))))
        for n in range(4)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * 4
    assert Anchor("here", tmp_path).read() == head(199)


def test_a_folder_that_cannot_be_made_is_told_with_a_remedy(tmp_path):
    (tmp_path / "file").write_text("")
    for call in (
        Anchor("here", tmp_path / "file" / "anchors").read,
        Anchor("here", tmp_path / "file").begin,
    ):
        with pytest.raises(LedgerUnavailable, match="TACIT_ANCHORS"):
            call()


def test_what_is_as_far_already_need_not_be_written(tmp_path, monkeypatch):
    anchor = Anchor("here", tmp_path)
    anchor.advance(head(3))
    monkeypatch.setattr(Anchor, "_write", lambda self, head: pytest.fail("written"))
    monkeypatch.setattr(Anchor, "_lock", lambda self: pytest.fail("locked"))
    anchor.advance(head(3))


def test_the_folder_is_outside_of_every_vault(monkeypatch):
    monkeypatch.setenv("TACIT_ANCHORS", "/elsewhere")
    assert anchors_folder() == Path("/elsewhere")
    monkeypatch.delenv("TACIT_ANCHORS")
    monkeypatch.setenv("XDG_STATE_HOME", "/state")
    assert anchors_folder() == Path("/state/tacit/anchors")
    monkeypatch.delenv("XDG_STATE_HOME")
    assert anchors_folder() == Path.home() / ".local" / "state" / "tacit" / "anchors"
    assert Anchor("here").file.parent == anchors_folder()
