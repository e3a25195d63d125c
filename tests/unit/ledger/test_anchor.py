"""The anchor: a small file that remembers how far a ledger had come."""

import json
import os
from multiprocessing import get_context
from pathlib import Path

import pytest

from tacit.errors import LedgerRefused, LedgerUnavailable
from tacit.ledger import Anchor, Head, anchors_folder
from tacit.ledger.store import EMPTY


def head(records: int) -> Head:
    """A head after so many records."""
    return Head(records, bytes([records % 256]) * 32)


def test_nothing_is_remembered_at_first_and_reading_creates_nothing(tmp_path):
    assert Anchor("here", tmp_path / "anchors").read() is None
    assert list(tmp_path.iterdir()) == []


def test_a_head_is_remembered_with_its_place(tmp_path):
    anchor = Anchor("here", tmp_path / "deep" / "anchors")
    anchor.advance(head(3))
    assert anchor.read() == Anchor("here", tmp_path / "deep" / "anchors").read() == head(3)
    assert json.loads(anchor.file.read_text()) == {"place": "here", "records": 3, "head": "03" * 32}
    assert not anchor.file.with_suffix(".draft").exists()


def test_it_never_goes_back(tmp_path):
    anchor = Anchor("here", tmp_path)
    for records in (3, 5, 4, 5, 1):
        anchor.advance(head(records))
    assert anchor.read() == head(5)
    anchor.advance(Head(5, bytes(32)))
    assert anchor.read() == head(5)


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


def test_it_is_on_the_disk_before_it_is_renamed(tmp_path, monkeypatch):
    anchor, calls = Anchor("here", tmp_path), []
    sync, rename = os.fsync, Path.replace
    monkeypatch.setattr(os, "fsync", lambda file: (calls.append("sync"), sync(file))[1])
    monkeypatch.setattr(Path, "replace", lambda draft, file: (calls.append("rename"), rename(draft, file))[1])
    anchor.advance(head(1))
    assert calls == ["sync", "rename", "sync"]  # and the folder, the first time
    anchor.advance(head(2))
    assert calls[3:] == ["sync", "rename"]


def test_a_crash_before_the_rename_leaves_what_was_remembered(tmp_path, monkeypatch):
    anchor = Anchor("here", tmp_path)
    anchor.advance(head(1))
    monkeypatch.setattr(Path, "replace", lambda draft, file: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        anchor.advance(head(2))
    assert anchor.read() == head(1)


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
    workers = [context.Process(target=advance_often, args=(str(tmp_path), list(range(n, 200, 4)))) for n in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * 4
    assert Anchor("here", tmp_path).read() == head(199)


def test_a_folder_that_cannot_be_made_is_told_with_a_remedy(tmp_path):
    (tmp_path / "file").write_text("")
    for call in (Anchor("here", tmp_path / "file" / "anchors").read, Anchor("here", tmp_path / "file").begin):
        with pytest.raises(LedgerUnavailable, match="TACIT_ANCHORS"):
            call()


def test_what_is_as_far_already_need_not_be_written(tmp_path, monkeypatch):
    anchor = Anchor("here", tmp_path)
    anchor.advance(head(3))
    monkeypatch.setattr(Anchor, "_write", lambda self, head: pytest.fail("written"))
    monkeypatch.setattr(Anchor, "_alone", lambda self: pytest.fail("locked"))
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
