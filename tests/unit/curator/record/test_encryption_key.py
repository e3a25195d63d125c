"""The key of a vault: made once, kept in its folder, read by its owner alone."""

import threading
from pathlib import Path

import pytest

from tacit.curator.record.encryption_key import KEY_FILE, file_secret, memory_secret
from tacit.errors import InvalidData


def test_a_key_in_a_folder_stays_the_same_and_belongs_to_its_owner(tmp_path: Path) -> None:
    key = file_secret(tmp_path)()
    assert [file.name for file in tmp_path.iterdir()] == [KEY_FILE]
    assert (tmp_path / KEY_FILE).stat().st_mode & 0o077 == 0
    assert file_secret(tmp_path)() == key == (tmp_path / KEY_FILE).read_bytes()


def test_a_folder_has_no_key_before_one_is_needed(tmp_path: Path) -> None:
    file_secret(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_who_makes_one_at_once_gets_the_same(tmp_path: Path) -> None:
    found: list[bytes] = []
    threads = [
        threading.Thread(target=lambda: found.append(file_secret(tmp_path)())) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(found)) == 1


def test_a_damaged_key_is_refused_and_not_replaced(tmp_path: Path) -> None:
    (tmp_path / KEY_FILE).write_bytes(b"short")
    with pytest.raises(InvalidData, match="is damaged; restore it from a backup"):
        file_secret(tmp_path)()
    assert (tmp_path / KEY_FILE).read_bytes() == b"short"


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidData, match="cannot be written"):
        file_secret(tmp_path / "missing")()


def test_a_key_in_memory_is_one_for_each_vault() -> None:
    one, two = memory_secret(), memory_secret()
    assert one() == one() != two()
