"""What a curator sees of the policy: what changed since the last charge, and what other bounds would do.

Checked by: tests/unit/server/test_policy_changes.py
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from difflib import unified_diff
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

from tacit.curator import Policy, Shared, Vault, twin
from tacit.errors import InvalidInput, TacitError
from tacit.exact import Number
from tacit.frozen import frozen
from tacit.server.identities import Identities, Identity
from tacit.server.rights import check_right
from tacit.server.served_vault import ServedVault

__all__ = ["Change", "Compared", "PolicyPages", "note_policy"]

FILE = "tacit.toml"
_SETTING = "policies"
_KEPT = 10  # texts
_RECENT = 10  # questions


@frozen
class Change:
    """What a curator would like to try: other contributions of a table, another range of a column, other prices."""

    table: str | None = None
    contributions: int | None = None
    column: str | None = None
    low: int | Fraction | None = None
    high: int | Fraction | None = None
    times: Number = 1
    """How many times as much is paid for each question."""


@frozen
class Compared:
    """A question that was asked, and the ± of each of its measures before and after a change."""

    words: str
    measures: tuple[tuple[str, float, float], ...]
    refused: str = ""


def note_policy(identities: Identities, folder: Path, vault: Vault) -> None:
    """Keep the text under which a vault was opened, with the number of charges that there were then."""
    file = folder / FILE
    if not file.is_file():
        return
    text = file.read_text(encoding="utf-8")
    charges = sum(1 for _ in vault.ledger.entries())
    with identities.writing() as settings:
        kept = [each for each in _read(settings) if each[0] < charges]
        if not kept or kept[-1][1] != text:
            kept.append([charges, text])
        settings.execute(
            "INSERT INTO settings VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            (_SETTING, json.dumps(kept[-_KEPT:])),
        )


class PolicyPages:
    """The policy as its curator tries it out.

    Claim:      nothing here reads a row, a file that the policy does not name, or is charged.
    Because:    a change is a few numbers put into the policy that is open, and questions are explained by its twin,
                which is made from the policy alone.
    Checked by: tests/unit/server/test_policy_changes.py::test_a_change_is_tried_without_rows_and_for_nothing
    """

    def __init__(
        self,
        served: ServedVault,
        identities: Identities,
        folder: Path | None,
    ) -> None:
        self._served, self._identities, self._folder = served, identities, folder

    def changes(self, who: Identity) -> list[str] | None:
        """What the file says now and did not say at the last charge, as a diff; None if that is not known."""
        check_right(who, "decide")
        charges = sum(1 for _ in self._seen().ledger.entries())
        with self._identities.writing() as settings:
            texts = [text for before, text in _read(settings) if before < charges]
        if not texts or self._folder is None:
            return None
        now = (self._folder / FILE).read_text(encoding="utf-8")
        names = ("at the last charge", "now")
        return list(
            unified_diff(texts[-1].splitlines(), now.splitlines(), *names, n=2, lineterm="")
        )

    def try_out(self, who: Identity, change: Change) -> list[Compared]:
        """The newest questions, and the ± that each measure has and would have."""
        check_right(who, "decide")
        vault = self._seen()
        policy = _with_tables(vault.policy, vault.declared())
        then = changed_policy(policy, change)
        with twin(policy) as before, twin(then) as after:
            return [
                _compared(words, body, before, after, change.times)
                for words, body in islice(self._asked(vault), _RECENT)
            ]

    def _asked(self, vault: Vault) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """The questions whose texts are known, newest first."""
        curators = [each.name for each in self._identities.people() if each.role != "analyst"]
        for entry in reversed(list(vault.ledger.entries())):
            for name in curators if entry.analyst is None else [entry.analyst]:
                body = self._identities.texts(name, [entry.number]).get(entry.number)
                if body is not None:
                    yield entry.about, body
                    break

    def _seen(self) -> Vault:
        return self._served.seen(self._served.current)


def changed_policy(policy: Policy, change: Change) -> Policy:
    """A policy with other contributions of one table, or another range of one of its columns."""
    if change.table is None:
        return policy
    if change.table not in policy.tables:
        raise InvalidInput("table", change.table, f"name one of: {', '.join(policy.tables)}")
    shared = policy.tables[change.table]
    table, contributions = shared.table, shared.contributions
    if change.contributions is not None:
        contributions = change.contributions
    if change.column is not None:
        if change.low is None or change.high is None or change.low >= change.high:
            raise InvalidInput("range", "these ends", "write two numbers, the smaller one first")
        columns = tuple(
            replace(each, low=change.low, high=change.high) if each.name == change.column else each
            for each in table.columns
        )
        table = replace(table, columns=columns)
    return _with_tables(
        policy, {**policy.tables, change.table: Shared(table, contributions, shared.keys)}
    )


def _with_tables(policy: Policy, tables: Mapping[str, Shared]) -> Policy:
    return Policy(policy.limit, dict(tables), policy.unit, policy.analysts, policy.replay)


def _compared(
    words: str, body: Mapping[str, Any], before: Vault, after: Vault, times: Number
) -> Compared:
    epsilon, within = (None if body[name] is None else Fraction(body[name]) for name in _PRICES)
    terms = {"within": within, "confidence": body["confidence"]}
    try:
        now = before.explain(body["sql"], epsilon=epsilon, **terms).expected
        paid = None if epsilon is None else epsilon * Fraction(str(times))
        then = after.explain(body["sql"], epsilon=paid, **terms).expected
    except TacitError as refusal:
        return Compared(words, (), str(refusal))
    pairs = zip(now, then, strict=False)
    return Compared(words, tuple((one.measure, one.reach, other.reach) for one, other in pairs))


_PRICES = ("epsilon", "within")


def _read(settings: Any) -> list[Any]:
    row = settings.execute("SELECT value FROM settings WHERE name = ?", (_SETTING,)).fetchone()
    return [] if row is None else list(json.loads(row[0]))
