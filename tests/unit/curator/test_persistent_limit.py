"""A limit in a folder goes on where the last call ended, for whatever rows; without a folder a new one begins."""

import sys
import warnings
from pathlib import Path

import pandas as pd
import pytest

from tacit import open as open_vault
from tacit import protect
from tacit.curator import persistent_limit
from tacit.errors import InvalidInput, LedgerRefused, LimitExceeded
from tests.laws.every_ledger import folder

ROWS = pd.DataFrame({"patient": [1, 2, 2, 3], "ward": ["A", "B", "A", None], "cost": [5, 6, 7, 8]})
COUNT = "SELECT ward, COUNT(*) AS n FROM data GROUP BY ward"


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch):
    with folder() as anchors:
        monkeypatch.setenv("TACIT_ANCHORS", str(anchors))
        yield anchors.parent / "kept"


def kept(place: Path, rows: object = ROWS, **given):
    said = {"unit": "patient", "contributions": 2, "columns": {"ward": ["A", "B"]}, "epsilon": 2}
    return protect(rows, **{**said, **given}, vault=place)


def test_a_limit_goes_on_and_answers_are_replayed(place):
    with kept(place) as vault:
        first = vault.sql(COUNT, epsilon=1)
    with kept(
        place, ROWS.sample(frac=1, random_state=1)
    ) as vault:  # the same rows in another order
        assert vault.budget.spent == pytest.approx(0.5)
        again = vault.sql(COUNT, epsilon=1)
        assert (again.price.free, again.rows) == (True, first.rows)
        with pytest.raises(LimitExceeded):
            vault.sql("SELECT COUNT(*) AS n FROM data", epsilon=1.5)


@pytest.mark.parametrize(
    "changed",
    [
        ROWS.head(3),
        ROWS.assign(cost=[5, 6, 7, 9]),
        ROWS.assign(ward=["A", "B", "A", "A"]),
        ROWS.assign(patient=[1, 2, 3, 3]),
        pd.concat([ROWS, ROWS.head(1)]),
    ],
)
def test_other_rows_are_asked_anew_under_the_same_limit(place, changed):
    with kept(place) as vault:
        vault.sql(COUNT, epsilon=1)
    with kept(place, changed) as vault:
        assert not vault.sql(COUNT, epsilon=1).price.free
        assert vault.budget.left == pytest.approx(0)


def test_what_is_noted_of_the_rows_is_keyed(place, monkeypatch):
    """The same rows in two folders: what is noted beside the anchors has nothing in common."""
    noted, real = [], persistent_limit.refresh_changed_sources

    def note(ledger, digests, followers):
        noted.append(digests["data"])
        return real(ledger, digests, followers)

    monkeypatch.setattr(persistent_limit, "refresh_changed_sources", note)
    for name in ("one", "two", "one"):
        kept(place / name).close()
    assert noted[0] == noted[2] != noted[1]


def test_declaring_another_column_forgets_no_answer(place):
    with kept(place) as vault:
        vault.sql("SELECT COUNT(*) AS n FROM data", epsilon=1)
    with kept(place, columns={"ward": ["A", "B"], "cost": (0, 10)}) as vault:
        assert vault.sql("SELECT COUNT(*) AS n FROM data", epsilon=1).price.free


def test_another_unit_or_currency_is_refused(place):
    kept(place).close()
    for other in ({"unit": "row", "contributions": None}, {"delta": 1e-6}):
        with pytest.raises(LedgerRefused):
            kept(place, **other)


def test_a_ledger_that_was_removed_does_not_begin_anew(place):
    with kept(place) as vault:
        vault.sql(COUNT, epsilon=1)
    (place / "ledger.sqlite").unlink()
    with pytest.raises(LedgerRefused):
        kept(place)


def test_a_vault_with_a_policy_is_opened_and_not_protected(place):
    place.mkdir()
    (place / "tacit.toml").write_text("")
    with pytest.raises(InvalidInput, match=r"tacit\.open"):
        kept(place)
    with pytest.raises(InvalidInput, match="folder"):
        kept(place / "tacit.toml" / "inside")


def test_a_folder_with_no_policy_cannot_be_opened(place):
    kept(place).close()
    with pytest.raises(FileNotFoundError):
        open_vault(place)


def test_who_protects_a_table_again_at_a_prompt_is_told(monkeypatch):
    monkeypatch.setattr(sys.modules["tacit.curator.protect"], "_begun", set())
    monkeypatch.setattr(sys, "ps1", ">>> ", raising=False)
    given = {"unit": "patient", "contributions": 2, "epsilon": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        protect(ROWS, **given)
        protect(ROWS, **given, name="others")
    with pytest.warns(UserWarning, match="a new limit begins here"):
        protect(ROWS, **given)
    monkeypatch.delattr(sys, "ps1")
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        protect(ROWS, **given)
