"""Tables that protect nobody: declared as far as somebody likes, and read as they are where nothing is declared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tacit.curator.policy.read_column_shorthand import column_of
from tacit.engines import Source, public_columns, read_public, source_of, stored_kinds, with_format
from tacit.errors import InvalidInput
from tacit.plan import Column, Table

__all__ = ["public_of", "public_table"]

_WORDS = ("source", "columns", "unique", "format")


def public_table(
    name: str, source: Source, columns: Sequence[Column], unique: Sequence[str] = ()
) -> tuple[Table, str]:
    """A public table with the kinds, values and ends that its rows have where nothing is declared, and their digest.

    Claim:      a public table that changed asks anew what is asked of it, and says nothing about anybody.
    Because:    what is read is public; the digest of all its rows is a part of what a question about it is called, and
                so are the values, ends and unique columns that plans and prices depend on.
    Checked by: tests/unit/curator/test_public_tables.py
    """
    if unknown := [each for each in unique if columns and each not in {c.name for c in columns}]:
        listed = ", ".join(column.name for column in columns)
        raise InvalidInput("unique", unknown[0], f"list some of its columns: {listed}")
    declared = tuple(columns) or public_columns(name, source)
    return read_public(Table(name, declared, public=True, unique=tuple(unique)), source)


def public_of(name: str, given: object) -> tuple[Table, Source]:
    """The public table that `tacit.protect` is given: rows, or a mapping of them with what is declared."""
    spec: Mapping[str, Any] = given if isinstance(given, Mapping) else {"source": given}
    if "source" not in spec or not set(spec) <= set(_WORDS):
        remedy = (
            f"give its rows alone, or with {', '.join(_WORDS[1:])}, as in "
            '{"wards": {"source": wards, "unique": ["ward"]}}'
        )
        raise InvalidInput("public", name, remedy)
    source = source_of(spec["source"])
    if spec.get("format") is not None:
        source = with_format(source, spec["format"])
    unique = spec.get("unique", ())
    if isinstance(unique, str):
        raise InvalidInput("unique", unique, f"write a list, as in [{unique!r}]")
    columns = _columns(spec.get("columns") or {}, source)
    table, _ = public_table(name, source, columns, tuple(unique))
    return table, source


def _columns(declared: Mapping[str, Any], source: Source) -> tuple[Column, ...]:
    if not declared:
        return ()
    stored = stored_kinds(source)
    for each in declared:
        if each not in stored:
            raise InvalidInput("column", each, f"the source has: {', '.join(sorted(stored))}")
    return tuple(column_of(each, spec, stored[each]) for each, spec in declared.items())
