"""The tables in some files, as their sources describe them: names, stored types, how a text file is written; no row.

Checked by: tests/unit/curator/test_starter_policy.py
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from tacit.engines import (
    Seeming,
    Separated,
    Source,
    Stored,
    guess_format,
    guess_kinds,
    is_address,
    source_of,
    stored_kinds,
    stored_types,
    table_name,
    tables_inside,
    with_format,
)
from tacit.errors import InvalidInput
from tacit.frozen import frozen
from tacit.plan import Kind

__all__ = ["FileTable", "find_tables"]


@frozen
class FileTable:
    """A table in a file, and what its source says about it."""

    name: str
    path: str
    inside: str | None
    kinds: Mapping[str, tuple[Kind, ...]]
    form: Mapping[str, str | list[str]] | None  # how it is written, if it is a text file
    types: Mapping[str, str]  # as what columns are stored, in the words of the source
    likely: Mapping[
        str, Seeming
    ]  # as what the first cells of a text file's columns seem to be written

    @property
    def is_untyped(self) -> bool:
        """Whether its source says nothing about the types of its columns."""
        return self.form is not None or (bool(self.kinds) and not self.types)


def find_tables(
    sources: Iterable[str | Path], folder: Path | None, taken: Collection[str] = ()
) -> list[FileTable]:
    """The tables in some files and at some addresses, by names that are not taken."""
    found: dict[str, FileTable] = {}
    for given in sources:
        path: str | Path = str(given) if is_address(str(given)) else Path(given)
        seen = _as_seen_from(path, folder)
        inside = tables_inside(path)
        for name in [table_name(path)] if inside is None else inside:
            if name in found or name in taken:
                raise InvalidInput(
                    "sources", name, "two tables have this name; rename one of the files"
                )
            source: Source = source_of(path) if inside is None else Stored(_source_path(path), name)
            form = (
                guess_format(source.path, source.dialect) if isinstance(source, Separated) else None
            )
            if form:
                source = with_format(source, form)
            found[name] = FileTable(
                name,
                seen,
                None if inside is None else name,
                stored_kinds(source),
                form,
                stored_types(source),
                guess_kinds(source.path, source.dialect) if isinstance(source, Separated) else {},
            )
    if not found:
        raise InvalidInput(
            "sources",
            [],
            "name at least one Parquet, CSV, JSON lines or DuckDB file with a table in it, or a table "
            "in PostgreSQL or on a Spark cluster",
        )
    return list(found.values())


def _as_seen_from(path: str | Path, folder: Path | None) -> str:
    """A path as it is written into a policy in a folder; an address as it is."""
    if isinstance(path, str):
        return path
    if folder is None:
        return path.as_posix()
    return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()


def _source_path(path: str | Path) -> Path:
    source = source_of(path)
    assert isinstance(source, Stored), "only DuckDB files contain several tables"
    return source.path
