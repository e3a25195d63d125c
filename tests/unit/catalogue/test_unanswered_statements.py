"""What was not answered is listed once, shortened, and the file has an end."""

from tacit.catalogue.unanswered_statements import LARGEST, LONGEST, Misses
from tacit.errors import CatalogueError


def test_whoever_asks_nonsense_fills_no_disk(tmp_path):
    file = tmp_path / "misses.jsonl"
    misses = Misses(file)
    for number in range(2_000):
        misses.note(f"{number} {'x' * 20_000}", CatalogueError("42883", "not known", None))
    assert LARGEST <= file.stat().st_size < LARGEST + 2 * LONGEST
    assert max(len(each.sql) for each in misses) == LONGEST


def test_what_is_known_is_not_listed_again(tmp_path):
    misses = Misses(tmp_path / "misses.jsonl")
    for _ in range(3):
        misses.note("SELECT 1", CatalogueError("42883", "not known", None))
    assert len(list(misses)) == 1
