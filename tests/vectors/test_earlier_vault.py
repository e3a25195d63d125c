"""A vault that an earlier version made: it opens, verifies, and gives every answer again, for nothing."""

import json
import shutil
from pathlib import Path

import pytest

import tacit
from tacit.curator import Vault
from tacit.errors import LedgerRefused
from tacit.ledger import Anchor
from tests.vectors.earlier_vault.make import QUESTIONS, found

EARLIER = Path(__file__).with_name("earlier_vault")
KEPT = json.loads((EARLIER / "answers.json").read_text(encoding="utf-8"))
PLACE = "/tmp/clinic/ledger.sqlite"
VAULT = ("tacit.toml", "ledger.sqlite", "visits.csv", "stays.csv", "bills.csv")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the vault, with its anchor in a folder of its own.

    An anchor belongs to one place: that of the copy remembers what the one that was kept remembers.
    """
    anchors, copy = tmp_path / "anchors", tmp_path / "vault"
    monkeypatch.setenv("TACIT_ANCHORS", str(anchors))
    anchors.mkdir()
    copy.mkdir()
    for name in VAULT:
        shutil.copyfile(EARLIER / name, copy / name)
    kept = Anchor(PLACE)
    shutil.copyfile(EARLIER / "anchor", kept.file)
    head = kept.read()
    assert head is not None
    assert head.totals
    kept.file.unlink()
    anchor_of(copy).replace(head)
    return copy


def anchor_of(folder: Path) -> Anchor:
    return Anchor(str((folder / "ledger.sqlite").resolve()))


def entries(vault: Vault) -> int:
    return sum(1 for _ in vault.ledger.entries())


def test_it_opens_and_verifies(folder: Path) -> None:
    with tacit.open(folder) as vault:
        vault.verify()
        assert entries(vault) == len({each["receipt"]["entry"] for each in answers()}) + len(
            KEPT["facts"]
        )


def answers() -> list[dict[str, dict[str, int]]]:
    return [*KEPT["answers"].values(), KEPT["alice"]]


def test_every_question_is_answered_again_for_nothing_with_the_same_numbers(folder: Path) -> None:
    with tacit.open(folder) as vault:
        spent, many = vault.budget.spent, entries(vault)
        for name, text in QUESTIONS.items():
            release = vault.sql(text, epsilon=8)
            assert release.price.free, name
            assert found(release) == KEPT["answers"][name], name
            assert vault.check_receipt(release.receipt) == [], name
        assert (vault.budget.spent, entries(vault)) == (spent, many)
        vault.verify()


def test_what_was_found_stands_and_is_free(folder: Path) -> None:
    kept = KEPT["facts"]
    with tacit.open(folder) as vault:
        spent = vault.budget.spent
        bounds = vault.find_bounds("visits.age", epsilon=20)
        assert [str(bounds.low), str(bounds.high), bounds.receipt["answer"]] == kept["bounds"]
        rows = vault.find_contributions("stays", epsilon=20)
        assert [rows.contributions, rows.receipt["answer"]] == kept["contributions"]
        clipping = vault.clipping("visits", epsilon=5)
        assert [str(clipping.units), clipping.receipt["answer"]] == kept["clipping"]
        assert bounds.price.free
        assert rows.price.free
        assert clipping.price.free
        assert vault.budget.spent == spent


def test_an_analyst_has_her_own_answers_again(folder: Path) -> None:
    with tacit.open(folder, analyst="alice") as hers:
        release = hers.sql(QUESTIONS["count"], epsilon=8)
        assert release.price.free
        assert found(release) == KEPT["alice"]
    assert KEPT["alice"]["receipt"]["answer"] != KEPT["answers"]["count"]["receipt"]["answer"]


def test_without_its_anchor_it_is_refused(folder: Path) -> None:
    anchor_of(folder).file.unlink()
    with pytest.raises(LedgerRefused):
        tacit.open(folder)
