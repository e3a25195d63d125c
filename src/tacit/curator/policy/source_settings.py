"""Where the rows of a table are, and how their text is written, by the keys of its section.

Checked by: tests/unit/curator/policy/test_policy_file.py
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tacit.curator.policy.read_values import read_text, resolve_path
from tacit.curator.policy.toml_sections import Refused, Section, spell
from tacit.engines import (
    DIALECT_WORDS,
    Separated,
    Source,
    Stored,
    dialect_of,
    is_address,
    source_of,
    stored_kinds,
    with_format,
)
from tacit.errors import InvalidData, InvalidInput
from tacit.plan import Kind

__all__ = ["read_source"]
_SOURCE = (
    'write the path of a Parquet, CSV, JSON lines or DuckDB file, as in source = "visits.parquet", '
    "or the address of a table in PostgreSQL or on a Spark cluster"
)
_FORMAT = {
    "separator": 'write one character, such as separator = ";"',
    "decimal": 'write decimal = "." or decimal = ","',
    "thousands": 'write what separates thousands, such as thousands = "."',
    "encoding": 'write encoding = "utf-8", "latin-1" or "windows-1252"',
    "dates": 'write the date format, as in dates = "%d/%m/%Y"',
}


def read_source(
    section: Section, folder: Path
) -> tuple[Source | None, Mapping[str, tuple[Kind, ...]] | None]:
    """Where the rows are, and the kinds of its columns."""
    inside = section.take("table", read_text('name a table of the file, as in table = "visits"'))
    path = section.take("source", lambda value: _file(value, folder), _SOURCE)
    if path is None:
        return None, None
    try:
        source = source_of(path)
        if isinstance(source, Stored):
            source = Stored(source.path, inside or section.place[-1])
        elif section.has("table"):
            section.fault(
                "table",
                f"{Path(path).name} is one table",
                "remove it: only DuckDB files contain several tables",
            )
        if section.has("format"):
            source = _read_format(section, source)
        return source, stored_kinds(source)
    except InvalidData as refusal:
        problem, _, remedy = str(refusal).partition("; ")
        section.fault(
            "table" if section.has("table") else "source",
            problem,
            remedy or "write the path relative to the folder of the policy",
        )
    except OSError:
        section.fault(
            "source",
            f"{str(path)!r} cannot be read",
            "check that it is a file that you may read",
        )
    return None, None


def _read_format(section: Section, source: Source) -> Source:
    """The source, its text read as the section `format` declares; every key is judged by itself."""
    inner = section.inner("format")
    if not isinstance(source, Separated):
        section.fault(
            "format",
            "the source is not a text file",
            "remove it: only text files, such as CSV, have a format",
        )
        return source
    inner.only(DIALECT_WORDS)
    declared: dict[str, Any] = {}
    for key in [each for each in DIALECT_WORDS if inner.has(each)]:
        partner = {"true": "false", "false": "true"}.get(key)
        read = _words if key in {"true", "false", "nulls"} else read_text(_FORMAT[key])
        value = inner.take(key, read)
        if value is None or (partner is not None and partner in declared):
            if value is not None:
                declared[key] = value
            continue
        # which is judged when its turn comes
        others: dict[str, Any] = {partner: ["\0"]} if partner is not None else {}
        if key == "thousands":
            others["decimal"] = "," if value == "." else "."
        try:
            dialect_of(
                {key: value, **others},
                source.dialect.separator if key not in ("decimal", "thousands") else "\t",
            )
            declared[key] = value
        except InvalidInput as refusal:
            inner.fault(key, f"it is {spell(inner.values[key])}", refusal.remedy)
    try:
        return with_format(source, declared)
    except InvalidInput as refusal:
        inner.fault(refusal.name, "it does not agree with the rest of the format", refusal.remedy)
        return source


def _words(value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise Refused('list words in brackets, as in ["NA", "-"]')
    return value


def _file(value: Any, folder: Path) -> Path | str:
    given = read_text(_SOURCE)(value)
    if is_address(given):
        return given
    if "://" in given:
        raise Refused(f"other URLs than postgresql:// and spark:// are not supported; {_SOURCE}")
    return resolve_path(given, folder)
