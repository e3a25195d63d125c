"""What may be asked: tables and columns as the policy declares them, as an answer that costs nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tacit.curator.answer.release import Price, Release
from tacit.curator.policy.describe_policy import (
    column_rows,
    contributions_word,
    limit_words,
    protected_words,
)
from tacit.curator.policy.policy import Policy, Shared
from tacit.errors import InvalidInput
from tacit.printing import printable

__all__ = ["Listing", "describe_columns", "describe_tables", "read_listing"]

_STATEMENT = re.compile(
    r"\s*(?:SHOW\s+(?:ALL\s+)?TABLES|(DESCRIBE|DESC|SUMMARIZE|SHOW\s+COLUMNS\s+FROM)(?:\s+TABLE)?"
    r"(?:\s+(?P<name>\"[^\"]+\"|`[^`]+`|\w+))?)\s*;?\s*",
    re.IGNORECASE,
)
_FIRST_WORDS = ("SHOW", "DESC", "SUMM")


class Listing(Release):
    """What the policy says, as a table: it has no noise, no price and no receipt."""

    __slots__ = ()

    @staticmethod
    def of(columns: tuple[str, ...], rows: list[tuple[object, ...]], *notes: str) -> Listing:
        """A listing of some rows."""
        free = Price(0.0, 0.0, free=True)
        return Listing(columns, tuple(rows), (), 0.95, free, {}, None, (), notes)

    def caption(self) -> str:
        """What is said below the listing."""
        return "\n".join(map(printable, self.notes))


def read_listing(text: str, policy: Policy, tables: Mapping[str, Shared]) -> Listing | None:
    """What SHOW TABLES, DESCRIBE t or SUMMARIZE t lists; None for every other text.

    Claim:      it depends on the policy, and on facts that were found and paid for.
    Because:    no engine is within reach.
    Checked by: tests/unit/curator/test_describe_tables.py::test_nothing_is_looked_at
    """
    if not text.lstrip()[:4].upper().startswith(_FIRST_WORDS):
        return None
    found = _STATEMENT.fullmatch(text)
    if found is None:
        return None
    name = (found["name"] or "").strip('"`')
    if not name:
        return describe_tables(policy, tables)
    return describe_columns(policy, tables, _table_called(name, tables))


def describe_tables(policy: Policy, tables: Mapping[str, Shared]) -> Listing:
    """One row for each table: what is protected in it, and how many rows of a unit count in full."""
    rows: list[tuple[object, ...]] = [
        (
            name,
            protected_words(policy, shared),
            contributions_word(shared),
            len(shared.table.columns),
        )
        for name, shared in tables.items()
    ]
    notes = limit_words(policy), "columns of one: DESCRIBE t, or vault.describe(t)"
    return Listing.of(("table", "protects", "contributions", "columns"), rows, *notes)


def describe_columns(
    policy: Policy, tables: Mapping[str, Shared], table: str | None = None
) -> Listing:
    """One row for each column of a table, or of all: its type, what is declared of it, and what it is good for."""
    if table is None and len(tables) == 1:
        (table,) = tables
    names = list(tables) if table is None else [_table_called(table, tables)]
    rows: list[tuple[object, ...]] = []
    for name in names:
        first = (name,) if table is None else ()
        rows += [(*first, *row) for row in column_rows(tables[name])]
    head = ("table",) if table is None else ()
    notes = [limit_words(policy)]
    if table is not None:
        notes.insert(0, f"{names[0]} protects {protected_words(policy, tables[names[0]])}")
    public = any(tables[name].table.public for name in names)
    notes.append(
        "from the policy and the rows of public tables: no private row was read"
        if public
        else "from the policy alone: no row was read"
    )
    return Listing.of((*head, "column", "type", "declared", "use"), rows, *notes)


def _table_called(name: str, tables: Mapping[str, Shared]) -> str:
    """The name of a table as the policy writes it, whichever case it is asked for in."""
    if name in tables:
        return name
    found = [each for each in tables if each.casefold() == name.casefold()]
    if len(found) != 1:
        raise InvalidInput("table", name, f"name one of: {', '.join(sorted(tables))}")
    return found[0]
