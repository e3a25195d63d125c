"""A table whose source is another one in the policy is another version of it: nothing of before is replayed."""

from pathlib import Path

import pytest

import tacit
from tacit.curator.record import table_version_by_source as sources
from tacit.errors import LedgerRefused

POLICY = """
[limit]
epsilon = 10
delta = 0

[ledger]
anchors = "../anchors"

[tables.visits]
source = "visits.csv"
unit = "patient"
contributions = 2

[tables.labs]
source = "labs.csv"
unit = "visit.patient"
contributions = 2

[tables.labs.references]
visit = "visits.visit"
"""
COUNT = "SELECT COUNT(*) AS n FROM visits"
LABS = "SELECT COUNT(*) AS n FROM labs"


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    """A vault with two tables, the units of one of which are found by way of the other."""
    folder = tmp_path / "clinic"
    folder.mkdir()
    (folder / "tacit.toml").write_text(POLICY)
    for name in ("visits", "others"):
        (folder / f"{name}.csv").write_text("patient,visit\n1,10\n2,20\n")
    (folder / "labs.csv").write_text("visit,value\n10,1\n20,2\n")
    return folder


def change(clinic: Path, before: str, after: str) -> None:
    """Another policy."""
    file = clinic / "tacit.toml"
    assert before in file.read_text()
    file.write_text(file.read_text().replace(before, after))


def free(clinic: Path, *texts: str) -> list[bool]:
    """Whether each question is answered for nothing."""
    with tacit.open(clinic) as vault:
        return [vault.sql(text, epsilon=0.1).price.free for text in texts]


def test_another_source_asks_anew_of_the_table_and_of_those_that_follow_it(clinic):
    assert free(clinic, COUNT, LABS) == [False, False]
    assert free(clinic, COUNT, LABS) == [True, True]
    change(clinic, '"visits.csv"', '"others.csv"')
    assert free(clinic, COUNT, LABS) == [False, False]
    assert free(clinic, COUNT, LABS) == [True, True]
    change(clinic, '"others.csv"', '"visits.csv"')  # back again, which may be other rows by now
    assert free(clinic, COUNT) == [False]


def test_a_source_that_others_do_not_follow_changes_nothing_for_them(clinic):
    (clinic / "more.csv").write_text("visit,value\n10,1\n")
    assert free(clinic, COUNT, LABS) == [False, False]
    change(clinic, '"labs.csv"', '"more.csv"')
    assert free(clinic, COUNT, LABS) == [True, False]


def test_what_is_spent_stays(clinic):
    free(clinic, COUNT)
    with tacit.open(clinic) as vault:
        spent = vault.budget.spent
    change(clinic, '"visits.csv"', '"others.csv"')
    with tacit.open(clinic) as vault:
        assert vault.budget.spent == spent > 0
        assert [record["kind"] for record in vault.records()].count("refreshed") == 2


def test_a_crash_between_the_new_version_and_its_note_makes_one_more(clinic, monkeypatch):
    free(clinic, COUNT)
    change(clinic, '"visits.csv"', '"others.csv"')
    note = sources.DurableLedger.note
    with monkeypatch.context() as crashing:

        def broken(self, about):
            found = note(self, about)
            crashing.setattr(type(found), "write", lambda *_: (_ for _ in ()).throw(OSError))
            return found

        crashing.setattr(sources.DurableLedger, "note", broken)
        with pytest.raises(OSError):
            tacit.open(clinic)
    assert free(clinic, COUNT) == [False]
    assert free(clinic, COUNT) == [True]


def test_a_damaged_note_is_refused(clinic):
    free(clinic, COUNT)
    with tacit.open(clinic) as vault:
        vault.ledger.note("source of visits").file.write_text("nonsense")
    with pytest.raises(LedgerRefused, match="damaged note"):
        tacit.open(clinic)
