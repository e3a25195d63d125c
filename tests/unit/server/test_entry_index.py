"""The index of entries reads each entry once, and knows whose it is."""

import tacit
from tacit.server.entry_index import EntryIndex
from tests.unit.server.clinics import COUNT, make_folder


class Counted:
    """A ledger that counts the entries that are read."""

    def __init__(self, ledger):
        self._ledger, self.read = ledger, 0

    def entries(self, first=0, below=None):
        for entry in self._ledger.entries(first, below):
            self.read += 1
            yield entry


class Shown:
    """A vault of which the index sees the ledger and the policy."""

    def __init__(self, vault):
        self.policy, self.ledger = vault.policy, Counted(vault.ledger)


def test_every_entry_is_read_once_and_belongs_to_who_paid(tmp_path):
    with tacit.open(make_folder(tmp_path / "clinic", rows=20)) as vault:
        shown, index = Shown(vault), EntryIndex()
        assert index.of(shown, "ana") == index.everyone(shown) == ()
        for turn, name in enumerate(["ana", "ben", None, "ana"], 1):
            vault.of(name).sql(f"{COUNT} WHERE cost > {turn}", epsilon=0.125)
            index.of(shown, name)
        assert [each.number for each in index.of(shown, "ana")] == [0, 3]
        assert [each.analyst for each in index.everyone(shown)] == ["ana", "ben", None, "ana"]
        assert shown.ledger.read == 4
        share = vault.budget.spent / 4
        assert all(abs(each.share - share) < 1e-9 for each in index.everyone(shown))
        again = Shown(vault)
        assert len(index.of(again, None)) == 1
        assert again.ledger.read == 4
