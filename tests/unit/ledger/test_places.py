"""A ledger belongs to the vault that it was opened for: no link, copy or other spelling gives back what was spent."""

import os
import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

import tacit
from tacit.accounting import PureFilter
from tacit.curator import adopt_ledger
from tacit.errors import InvalidPolicy, LedgerRefused
from tacit.ledger import DurableLedger, Founding, fields_of, postgres_ledger, sqlite_ledger
from tacit.ledger.places import Note, locate, spell
from tests import postgres
from tests.laws.every_ledger import pure_loss

POLICY = """[limit]
epsilon = 1
delta = 0
unit = "p"
[ledger]
anchors = "{anchors}"
[tables.t]
source = "{folder}/t.csv"
unit = "p"
contributions = 1
columns = {{ cost = {{ type = "number", low = 0, high = 200 }} }}
"""
NEARLY_ALL = 0.875


@dataclass(frozen=True)
class Clinic:
    """A vault of which nearly all is spent; its rows and its anchors lie elsewhere."""

    root: Path

    @property
    def folder(self) -> Path:
        """The vault."""
        return self.root / "clinic"

    @property
    def ledger(self) -> Path:
        """Its ledger."""
        return self.folder / "ledger.sqlite"

    def spent(self, name: Path | str | None = None) -> float:
        """What is spent of the vault that is opened by this name."""
        with tacit.open(self.folder if name is None else name) as vault:
            return vault.budget.spent

    def move_folder(self) -> Path:
        """Rename the vault's folder."""
        return self.folder.rename(self.root / "moved")

    def make_again(self) -> None:
        """Put a vault with the same policy and no ledger where the vault was."""
        self.folder.mkdir()
        shutil.copy(self.root / "tacit.toml", self.folder)

    def add_log(self, link: Callable[[Path], None]) -> None:
        """Let a file that SQLite keeps beside the ledger be a link."""
        link(self.ledger.with_name("ledger.sqlite-wal"))


@pytest.fixture
def clinic(tmp_path) -> Clinic:
    (tmp_path / "t.csv").write_text(
        "p,cost\n" + "".join(f"{n},{50 + n % 100}\n" for n in range(50))
    )
    (tmp_path / "tacit.toml").write_text(
        POLICY.format(anchors=tmp_path / "anchors", folder=tmp_path)
    )
    made = Clinic(tmp_path)
    made.make_again()
    with tacit.open(made.folder) as vault:
        vault.sql("SELECT COUNT(*) AS n FROM t", epsilon=NEARLY_ALL)
    return made


# ---------------------------------------------------------------- every way to come to a ledger by another name

Change = Callable[[Clinic], Path | str | None]


def elsewhere(clinic: Clinic) -> Path:
    """A folder where nothing is yet."""
    (clinic.root / "elsewhere").mkdir(exist_ok=True)
    return clinic.root / "elsewhere"


def link_to_nothing(clinic: Clinic) -> None:
    clinic.ledger.unlink()
    clinic.ledger.symlink_to(elsewhere(clinic) / "other.sqlite")


def link_to_itself_elsewhere(clinic: Clinic) -> None:
    clinic.ledger.rename(elsewhere(clinic) / "ledger.sqlite")
    clinic.ledger.symlink_to(elsewhere(clinic) / "ledger.sqlite")


def hard_link(clinic: Clinic) -> None:
    os.link(clinic.ledger, elsewhere(clinic) / "second.sqlite")


def link_of_the_log(clinic: Clinic) -> None:
    clinic.add_log(lambda log: log.symlink_to(elsewhere(clinic) / "log"))


def hard_link_of_the_log(clinic: Clinic) -> None:
    (elsewhere(clinic) / "log").write_bytes(b"")
    clinic.add_log(lambda log: os.link(elsewhere(clinic) / "log", log))


def link_of_shared_memory(clinic: Clinic) -> None:
    clinic.ledger.with_name("ledger.sqlite-shm").symlink_to(elsewhere(clinic) / "shm")


def removed(clinic: Clinic) -> None:
    clinic.ledger.unlink()


def folder_made_again(clinic: Clinic) -> None:
    clinic.move_folder()
    clinic.make_again()


def folder_linked_to_an_empty_vault(clinic: Clinic) -> None:
    clinic.move_folder()
    shutil.copy(clinic.root / "tacit.toml", elsewhere(clinic))
    clinic.folder.symlink_to(elsewhere(clinic))


def folder_linked_to_where_it_was_moved(clinic: Clinic) -> None:
    clinic.folder.symlink_to(clinic.move_folder())


def parent_linked_to_an_empty_vault(clinic: Clinic) -> Path:
    (clinic.root / "site").mkdir()
    clinic.folder.rename(clinic.root / "site" / "clinic")
    adopt_ledger(clinic.root / "site" / "clinic", "moved")
    (clinic.root / "site").rename(clinic.root / "old")
    (clinic.root / "new" / "clinic").mkdir(parents=True)
    shutil.copy(clinic.root / "tacit.toml", clinic.root / "new" / "clinic")
    (clinic.root / "site").symlink_to(clinic.root / "new")
    return clinic.root / "site" / "clinic"


def alias_turned_to_an_empty_vault(clinic: Clinic) -> Path:
    alias = clinic.root / "alias"
    alias.symlink_to(clinic.folder)
    assert clinic.spent(alias) == clinic.spent()
    alias.unlink()
    shutil.copy(clinic.root / "tacit.toml", elsewhere(clinic))
    alias.symlink_to(elsewhere(clinic))
    return alias


def alias_turned_into_a_folder(clinic: Clinic) -> Path:
    alias = alias_turned_to_an_empty_vault(clinic)
    alias.unlink()
    alias.mkdir()
    shutil.copy(clinic.root / "tacit.toml", alias)
    return alias


def policy_linked_to_another_folder(clinic: Clinic) -> None:
    (clinic.folder / "tacit.toml").rename(elsewhere(clinic) / "tacit.toml")
    (clinic.folder / "tacit.toml").symlink_to(elsewhere(clinic) / "tacit.toml")


def another_place_in_the_policy(clinic: Clinic) -> None:
    policy = clinic.folder / "tacit.toml"
    policy.write_text(policy.read_text().replace("[ledger]", '[ledger]\nplace = "fresh.sqlite"'))


def moved(clinic: Clinic) -> Path:
    return clinic.move_folder()


def copied(clinic: Clinic) -> Path:
    return Path(shutil.copytree(clinic.folder, clinic.root / "copy"))


def left_behind_when_a_copy_was_adopted(clinic: Clinic) -> None:
    adopt_ledger(copied(clinic), "moved")


def copied_back_over_a_newer_one(clinic: Clinic) -> None:
    older = clinic.ledger.read_bytes()
    with tacit.open(clinic.folder) as vault:
        vault.sql("SELECT SUM(cost) AS s FROM t", epsilon=0.01)
    clinic.ledger.write_bytes(older)


def from_beside(clinic: Clinic) -> Path:
    return clinic.folder / ".." / "clinic"


def through_a_link_and_back(clinic: Clinic) -> Path:
    deep = clinic.root / "deep"
    (deep / "er").mkdir(parents=True)
    (clinic.root / "jump").symlink_to(deep / "er")
    (deep / "clinic").symlink_to(clinic.folder)
    return clinic.root / "jump" / ".." / "clinic"


def through_a_link(clinic: Clinic) -> Path:
    (clinic.root / "alias").symlink_to(clinic.folder)
    return clinic.root / "alias"


def through_a_linked_parent(clinic: Clinic) -> Path:
    (clinic.root / "parent").symlink_to(clinic.root)
    return clinic.root / "parent" / "clinic"


def by_its_policy(clinic: Clinic) -> Path:
    return clinic.folder / "tacit.toml"


def with_a_slash(clinic: Clinic) -> str:
    return f"{clinic.folder}/./"


OPENED: list[Change] = [
    from_beside,
    through_a_link_and_back,
    through_a_link,
    through_a_linked_parent,
    by_its_policy,
    with_a_slash,
]
"""Other spellings of the same vault: it opens, and has spent the same."""

REFUSED: list[Change] = [
    link_to_nothing,
    link_to_itself_elsewhere,
    hard_link,
    link_of_the_log,
    hard_link_of_the_log,
    link_of_shared_memory,
    removed,
    folder_made_again,
    folder_linked_to_an_empty_vault,
    folder_linked_to_where_it_was_moved,
    parent_linked_to_an_empty_vault,
    alias_turned_to_an_empty_vault,
    alias_turned_into_a_folder,
    policy_linked_to_another_folder,
    another_place_in_the_policy,
    moved,
    copied,
    left_behind_when_a_copy_was_adopted,
    copied_back_over_a_newer_one,
]
"""What leads elsewhere, or could: it is refused, says how to mend it, and founds nothing."""


@pytest.mark.parametrize("change", OPENED)
def test_another_spelling_opens_the_same_ledger(clinic, change):
    spent = clinic.spent()
    assert clinic.spent(change(clinic)) == spent > 0.8
    assert clinic.spent() == spent


@pytest.mark.parametrize("change", REFUSED)
def test_what_leads_elsewhere_is_refused_and_founds_nothing(clinic, change):
    name = change(clinic)
    files = sorted(clinic.root.rglob("*"))
    for _ in range(2):
        with pytest.raises(LedgerRefused, match="tacit ledger adopt"):
            clinic.spent(name)
    assert sorted(clinic.root.rglob("*")) == files


@pytest.mark.parametrize("change", [moved, copied, folder_linked_to_where_it_was_moved])
def test_a_vault_that_was_moved_is_adopted_with_what_it_spent(clinic, change):
    spent = clinic.spent()
    name = change(clinic) or clinic.folder
    adopt_ledger(name, "moved to another disk")
    assert clinic.spent(name) == spent
    with tacit.open(name) as vault:
        assert [record["why"] for record in vault.records() if record["kind"] == "adopted"] == [
            "moved to another disk"
        ]


def test_of_a_vault_and_its_adopted_copy_one_counts(clinic):
    copy = copied(clinic)
    with tacit.open(clinic.folder) as running:
        adopt_ledger(copy, "moved")
        with pytest.raises(LedgerRefused, match=f"is a copy; the ledger in use is at {copy}"):
            running.sql("SELECT SUM(cost) AS s FROM t", epsilon=0.01)
    with tacit.open(copy) as vault:
        vault.sql("SELECT SUM(cost) AS s FROM t", epsilon=0.01)
    with pytest.raises(LedgerRefused, match=f"is a copy; the ledger in use is at {copy}"):
        clinic.spent()
    adopt_ledger(clinic.folder, "the copy was a mistake")
    assert clinic.spent() == pytest.approx(NEARLY_ALL, abs=1e-6)
    with pytest.raises(LedgerRefused, match="and what was spent there would be forgotten"):
        clinic.spent(copy)


def test_a_link_that_is_named_in_the_policy_is_refused_too(clinic):
    link_to_itself_elsewhere(clinic)
    policy = clinic.folder / "tacit.toml"
    for name in ("ledger.sqlite", "../clinic/ledger.sqlite"):
        policy.write_text(
            (clinic.root / "tacit.toml")
            .read_text()
            .replace("[ledger]", f'[ledger]\nplace = "{name}"')
        )
        with pytest.raises(LedgerRefused, match="is a symbolic link"):
            clinic.spent()
    real = elsewhere(clinic) / "ledger.sqlite"
    policy.write_text(
        (clinic.root / "tacit.toml").read_text().replace("[ledger]", f'[ledger]\nplace = "{real}"')
    )
    with pytest.raises(LedgerRefused, match="tacit ledger adopt"):
        clinic.spent()
    adopt_ledger(clinic.folder, "it lies on another disk now")
    assert clinic.spent() > 0.8


def test_a_folder_of_anchors_that_a_link_leads_into_the_vault_is_refused(clinic):
    (clinic.folder / "inside").mkdir()
    (clinic.root / "outside").symlink_to(clinic.folder / "inside")
    text = (clinic.root / "tacit.toml").read_text()
    text = text.replace(f'"{clinic.root}/anchors"', f'"{clinic.root}/outside"')
    (clinic.folder / "tacit.toml").write_text(text)
    with pytest.raises(InvalidPolicy, match="inside the vault"):
        clinic.spent()


def test_a_ledger_without_a_vault_is_bound_to_its_spelling_too(tmp_path):
    limit = PureFilter(1)

    def opened() -> DurableLedger:
        founding = Founding.of("person", limit)
        return sqlite_ledger(
            tmp_path / "books" / "ledger.sqlite", founding, limit, anchors=tmp_path / "anchors"
        )

    (tmp_path / "books").mkdir()
    with closing(opened()) as ledger:
        ledger.charge(b"question", pure_loss(1))
    (tmp_path / "books").rename(tmp_path / "old")
    (tmp_path / "new").mkdir()
    (tmp_path / "books").symlink_to(tmp_path / "new")
    with pytest.raises(LedgerRefused, match="tacit ledger adopt"):
        opened()


def test_names_are_noted_before_a_ledger_is_founded(clinic, monkeypatch):
    copy = clinic.root / "fresh"
    copy.mkdir()
    shutil.copy(clinic.root / "tacit.toml", copy)
    monkeypatch.setattr(
        DurableLedger, "_write_opening", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt)
    )
    with pytest.raises(KeyboardInterrupt):
        clinic.spent(copy)
    assert Note(str(spell(copy / "tacit.toml")), clinic.root / "anchors").read() == str(
        copy / "ledger.sqlite"
    )


# ---------------------------------------------------------------- notes and spellings


def test_a_note_says_what_was_written_and_a_damaged_one_is_refused(tmp_path):
    note = Note("clinic", tmp_path / "anchors")
    assert note.read() is None
    note.write("/here")
    assert Note("clinic", tmp_path / "anchors").read() == "/here"
    written = note.file.read_bytes()
    for place in range(len(written) - 1):
        note.file.write_bytes(written[:place] + bytes([written[place] ^ 1]) + written[place + 1 :])
        with pytest.raises(LedgerRefused, match="damaged note"):
            note.read()
    note.write("/there")
    assert note.read() == "/there"
    assert [path.suffix for path in note.file.parent.iterdir()] == [".note"]


def test_a_path_is_spelled_without_following_its_links(tmp_path):
    (tmp_path / "real" / "deep").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "real" / "deep")
    assert spell(tmp_path / "link" / "x") == tmp_path / "link" / "x"
    assert locate(tmp_path / "link" / "x") == tmp_path.resolve() / "real" / "deep" / "x"
    assert spell(tmp_path / "link" / ".." / "x") == tmp_path.resolve() / "real" / "x"
    (tmp_path / "real" / "deep" / "x").symlink_to(tmp_path)
    assert locate(tmp_path / "link" / "x").name == "x"


# ---------------------------------------------------------------- PostgreSQL


def test_a_vault_that_is_given_another_database_or_address_is_refused_until_it_is_adopted(tmp_path):
    limit = PureFilter(1)

    def opened(address: str, adopting: str | None = None) -> DurableLedger:
        founding = Founding.of("person", limit)
        return postgres_ledger(
            address,
            founding,
            limit,
            anchors=tmp_path / "anchors",
            vault=tmp_path / "tacit.toml",
            adopting=adopting,
        )

    address = postgres.fresh_address()
    with closing(opened(address)) as ledger:
        ledger.charge(b"question", pure_loss(5))
    with pytest.raises(LedgerRefused, match="tacit ledger adopt"):
        opened(postgres.fresh_address())  # an empty schema
    alias = address.replace("options=", "connect_timeout=9&options=")
    with closing(opened(alias)) as ledger:  # what is no part of where it lies may differ
        assert ledger.total_spent().amount == 5
    # the same schema, spelled in another way
    other = address.replace("options=-c", "options=-c%20")
    with pytest.raises(LedgerRefused, match="tacit ledger adopt"):
        opened(other)
    with closing(opened(other, adopting="the address changed")) as ledger:
        assert ledger.total_spent().amount == 5
        assert [fields_of(record)["kind"] for record in ledger.records()][-1] == "adopted"
    with pytest.raises(LedgerRefused, match="tacit ledger adopt"):
        opened(address)
