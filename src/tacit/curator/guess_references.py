"""Foreign keys that tables seem to have, by the names of their columns alone: examples for a starter policy.

Checked by: tests/unit/curator/test_starter_policy.py
"""

from __future__ import annotations

from tacit.curator.tables_in_files import FileTable
from tacit.curator.write_toml import write_comment, write_key, write_text

__all__ = ["suggest_path", "suggest_references"]


def suggest_path(unit: str, table: FileTable, tables: list[FileTable]) -> list[str]:
    """An example of a path to the unit, by a column that seems to be a foreign key if there is one."""
    owner = next(other for other in tables if unit in other.kinds)
    likely = [each for each in foreign_keys(table, tables) if each[1] is owner]
    common = next((name for name in table.kinds if name in owner.kinds), "…")
    column, key = (likely[0][0], likely[0][2]) if likely else (common, common)
    return [
        "# If this table is about nobody, write public = true in place of unit, contributions and columns.",
        (
            f"# {owner.name} has {unit}. If a column here refers to a key there, write a path to "
            "it, for example:"
        ),
        f"# unit = {write_text(f'{column}.{unit}')}",
        f"# references = {{ {write_key(column)} = {write_text(f'{owner.name}.{key}')} }}",
    ]


def suggest_references(table: FileTable, tables: list[FileTable]) -> list[str]:
    """What seem to be foreign keys, by their names alone, as a comment."""
    found = ", ".join(
        f"{write_key(column)} = {write_text(f'{other.name}.{key}')}"
        for column, other, key in foreign_keys(table, tables)
    )
    if not found:
        return []
    lines = write_comment(
        "references: by their names, these columns seem to refer to keys of other tables. Check that each key is "
        "there once, and declare them if the unit is found by way of them."
    )
    return [*lines, f"# references = {{ {found} }}"]


def foreign_keys(table: FileTable, tables: list[FileTable]) -> list[tuple[str, FileTable, str]]:
    """The columns that are called after another table, each with that table and its key: by their names alone.

    A column `patient` or `patient_id` of visits seems to refer to `id` of patients, or to a column of the same name.
    """
    found = []
    for column in table.kinds:
        for other in tables:
            key = _key_in(column, other) if other is not table else None
            if key is not None:
                found.append((column, other, key))
                break
    return found


def _key_in(column: str, other: FileTable) -> str | None:
    """The key of a table that a column seems to refer to."""
    name = column.lower().replace(" ", "_")
    called = other.name.lower().replace(" ", "_")
    single = {called, called.removesuffix("s"), called.removesuffix("es")}
    if called.endswith("ies"):
        single.add(called.removesuffix("ies") + "y")
    stem = name.removesuffix("_id").removesuffix("id").rstrip("_") or name
    if stem not in single:
        return None
    names = {each.lower(): each for each in reversed(list(other.kinds))}
    return names.get("id") or names.get(name)
