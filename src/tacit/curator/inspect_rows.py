"""What becomes of the rows of a vault when they are read: exact counts for the curator, which no analyst may see.

Checked by: tests/unit/curator/test_text_files.py
"""

from collections.abc import Iterator
from pathlib import Path

from tacit.curator.policy.policy_file import Document, read_policy
from tacit.engines import InspectedColumn, InspectedTable, Linked, Separated, inspect_source
from tacit.frozen import frozen
from tacit.plan import Column, Kind
from tacit.progress import show_progress

__all__ = ["RowsInspection", "inspect_rows"]

MARK = "NOT PRIVATE"
"""What stands at the beginning of every line."""

_HINTS = {
    Kind.DATE: 'declare the date format, as in dates = "%d/%m/%Y"',
    Kind.TIMESTAMP: 'declare the date format, as in dates = "%d/%m/%Y"',
    Kind.NUMBER: 'declare the decimal mark, as in decimal = ",", or the words for NULL: nulls = ["NA"]',
    Kind.INTEGER: (
        'declare the words for NULL, as in nulls = ["NA"], or the decimal mark, as in decimal = '
        '","; with fractions its type is "number"'
    ),
    Kind.BOOLEAN: 'declare the words for true and false, as in true = ["ja"] and false = ["nein"]',
}


@frozen
class RowsInspection:
    """Exact counts of every table; they are not private, and every line of their text says so."""

    document: Document
    tables: tuple[InspectedTable, ...]

    @property
    def lost(self) -> int:
        """How many cells and rows hold something that could not be read."""
        return sum(
            table.unreadable + sum(column.unread for column in table.columns)
            for table in self.tables
        )

    def counts(self) -> dict[str, dict[str, object]]:
        """The same, as JSON can hold it."""
        return {table.name: _counts(table) for table in self.tables}

    def __str__(self) -> str:
        return "\n".join(f"{MARK} | {line}" for line in self._lines())

    def _lines(self) -> Iterator[str]:
        yield "exact counts of the rows, for the curator alone: show them to no analyst"
        for table in self.tables:
            yield from _table_lines(table)
            shared = self.document.policy.tables[table.name].table
            source = self.document.sources[table.name]
            own = source.source if isinstance(source, Linked) else source
            for column, seen in zip(shared.columns, table.columns, strict=True):
                yield from _column_lines(table, column, seen, is_text=isinstance(own, Separated))


def inspect_rows(vault: str | Path | Document) -> RowsInspection:
    """Look at every row of a vault's tables, and count what becomes of their cells.

    The counts are exact: they are for the curator who writes the policy, and are on no vault that analysts hold.
    Nothing is charged, since nothing is released.

    >>> inspect_rows("clinic").lost  # doctest: +SKIP
    0
    """
    document = vault if isinstance(vault, Document) else read_policy(vault)
    shared = document.policy.tables
    names = show_progress(document.sources, len(document.sources), "tables")
    found = [
        inspect_source(shared[name].table, document.sources[name], shared[name].contributions)
        for name in names
    ]
    return RowsInspection(document, tuple(found))


def _counts(table: InspectedTable) -> dict[str, object]:
    names = (
        "rows",
        "unreadable",
        "without_unit",
        "incomplete",
        "units",
        "heavy_units",
        "shared_keys",
    )
    parts = ("missing", "unread", "out_of_range", "undeclared")
    columns = {
        column.name: {part: getattr(column, part) for part in parts} for column in table.columns
    }
    return {**{name: getattr(table, name) for name in names}, "columns": columns}


def _table_lines(table: InspectedTable) -> Iterator[str]:
    yield f"{table.name}: {table.rows:,} rows" + (
        f" of {table.units:,} units" if table.units else ""
    )
    if table.unreadable:
        problem = "have too few cells or bytes that are invalid in the encoding, and are left out"
        yield (
            f"  {table.unreadable:,} rows {problem}; declare the encoding, as in encoding = "
            '"latin-1", or fix them'
        )
    if table.without_unit:
        yield f"  {_part(table.without_unit, table.rows)} of the rows have no unit, and are left out"
    if table.incomplete:
        lacking = f"{_part(table.incomplete, table.rows)} of the rows"
        yield f"  {lacking} are NULL in a column with nullable = false, and are left out"
    if table.heavy_units:
        yield (
            f"  {_part(table.heavy_units, table.units)} of the units have more rows than "
            "contributions; their rows are scaled down"
        )
    if table.shared_keys:
        yield (
            f"  {table.shared_keys:,} keys refer to several units, for which the guarantee does "
            "not hold; make them unique"
        )


def _column_lines(
    table: InspectedTable, column: Column, seen: InspectedColumn, *, is_text: bool
) -> Iterator[str]:
    told = {
        "NULL": seen.missing,
        "not read": seen.unread,
        "out of range": seen.out_of_range,
        "not declared": seen.undeclared,
    }
    parts = [f"{_part(count, table.rows)} {what}" for what, count in told.items() if count]
    yield f"  {seen.name}: " + (", ".join(parts) or "every cell is read as it stands")
    if seen.unread:
        hint = _HINTS.get(column.kind) if is_text else None
        where = f"in [tables.{table.name}.format] " if hint else ""
        yield (
            "    unreadable cells count as NULL; "
            f"{where}{hint or 'convert the column, or declare another type'}"
        )


def _part(count: int, total: int) -> str:
    share = count / total if total else 0.0
    return f"{count:,} ({share:.1%})" if share >= 0.001 or not count else f"{count:,} (below 0.1%)"
