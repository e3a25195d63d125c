"""A digest that changes when the rows of a table do: for a curator who gives the same table again.

Checked by: tests/unit/curator/test_persistent_limit.py
"""

# ruff: noqa: S608 -- names are our own: `quote_name` writes those of columns

from __future__ import annotations

from contextlib import closing

from tacit.engines.duckdb.connection import open_connection
from tacit.engines.duckdb.copy_from_server import copy_source
from tacit.engines.duckdb.load_tables import load_table
from tacit.engines.duckdb.public_table_facts import public_columns
from tacit.engines.sources.path_to_unit import Linked
from tacit.engines.sources.source_kinds import Source, source_of
from tacit.plan import Table

__all__ = ["digest_rows"]


def digest_rows(source: Source) -> str:
    """A digest of all cells that can be read, of rows in whatever order: not private, and for the curator alone.

    >>> visits = [{"patient": 1, "cost": 20}, {"patient": 2, "cost": 30}]
    >>> digest_rows(source_of(visits)) == digest_rows(source_of(visits[::-1]))
    True
    >>> digest_rows(source_of(visits)) == digest_rows(source_of([*visits, visits[0]]))
    False
    """
    own = source_of(source.source) if isinstance(source, Linked) else source
    table = Table("rows", public_columns("rows", own))
    own = copy_source(own, table)
    with closing(open_connection()) as connection:
        relation = load_table(connection, 0, table, own)
        cells = ", ".join(map(relation.reader(), table.columns)) or "1"
        counted = f"SELECT count(*), sum(hash({cells})::HUGEINT) FROM {relation.name}"
        ((rows, total),) = connection.execute(counted).fetchall()
    return f"{[(column.name, column.kind.value) for column in table.columns]} {rows} {total}"
