"""How the cells of text files are read, as their policy declares it: said before any row is read.

Checked by: tests/unit/curator/test_text_files.py
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from tacit.curator.policy.policy_file import read_policy
from tacit.engines import (
    Linked,
    Separated,
    declared_format,
    is_address,
    is_text_file,
    source_of,
)
from tacit.plan import Kind

__all__ = ["has_text_files", "how_cells_are_read"]

_DAY = date(2024, 12, 31)
_ISO = "%Y-%m-%d"


def has_text_files(sources: Iterable[str | Path]) -> bool:
    """Whether some of these files are text, whose cells may be written in another way than is declared."""
    return any(not is_address(str(each)) and is_text_file(source_of(each)) for each in sources)


def how_cells_are_read(vault: str | Path) -> Mapping[str, str]:
    """Of every text file with columns that are no texts: how a cell of each must be written, by table.

    Claim:      nothing here depends on a row.
    Because:    the policy says the types of columns and how the file is written; the file is not read.
    Checked by: tests/unit/curator/test_text_files.py::test_how_cells_are_read_is_said_without_reading_any
    """
    document = read_policy(vault)
    found = {}
    for name, shared in document.policy.tables.items():
        source = document.sources[name]
        own = source.source if isinstance(source, Linked) else source
        typed = [column for column in shared.table.columns if column.kind is not Kind.TEXT]
        if typed and is_text_file(source) and not shared.table.public:
            form = declared_format(own) if isinstance(own, Separated) else {}
            samples: dict[str, list[str]] = {}
            for column in typed:
                samples.setdefault(_sample(column.kind, form), []).append(column.name)
            written = (f"{' and '.join(names)} as {one}" for one, names in samples.items())
            found[name] = f"in {form.get('encoding', 'utf-8')}: {', '.join(written)}"
    return found


def _sample(kind: Kind, form: Mapping[str, Any]) -> str:
    """A cell of a kind, as a format has it."""
    day = _DAY.strftime(form.get("dates") or _ISO)
    match kind:
        case Kind.INTEGER:
            return f"1{form.get('thousands', '')}234"
        case Kind.NUMBER:
            return f"1{form.get('thousands', '')}234{form.get('decimal', '.')}5"
        case Kind.DATE:
            return day
        case Kind.TIMESTAMP:
            return f"{day} 10:30:00"
        case Kind.BOOLEAN:
            return f"{form.get('true', ('true',))[0]} or {form.get('false', ('false',))[0]}"
        case _:
            return "text"
