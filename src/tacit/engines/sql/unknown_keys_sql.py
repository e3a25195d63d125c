"""Unknown keys as SQL: the rows that have them, which of them can be told, and the hashes by which units keep them.

Checked by: tests/laws/test_keys.py
"""

# ruff: noqa: S608 -- this is the SQL generator: every name and literal goes through `quote_name`, `text` and their like

from __future__ import annotations

from collections.abc import Sequence

from tacit.engines.engine import conditions_of, needed_columns
from tacit.engines.sql.dialect import SqlDialect
from tacit.engines.sql.expressions import quote_name, render
from tacit.engines.sql.group_index import Enumeration, enumeration, grouping
from tacit.engines.sql.names_of_stored_rows import Rowset
from tacit.engines.sql.read_stored_columns import read_unit, scan_conditions, whole_unit
from tacit.engines.sql.select_with_parameters import Reader, cte
from tacit.plan import Key, Kind, Question, type_of

__all__ = ["hash_keys", "is_present", "key_names", "plain_value", "rows_with_keys"]


def key_names(keys: Sequence[Key]) -> list[str]:
    """The columns of the keys, in their order."""
    return [f"key_{i}" for i in range(len(keys))]


def rows_with_keys(
    question: Question, rowset: Rowset, enumerated: Enumeration = enumeration
) -> str:
    """The rows that count: their unknown keys, their place among the public ones, and their units."""
    relation, read = rowset.relation, rowset.relation.reader()
    groups = grouping(question.public, read, enumerated)
    columns = [f"{_value(key, read)} AS key_{i}" for i, key in enumerate(question.unknown)]
    columns.append(f"{groups.place} AS public_place")
    conditions = [*groups.conditions, *scan_conditions(needed_columns(question), read)]
    conditions += [render(condition, read) for condition in conditions_of(question.rows)]
    if relation.unit is not None:
        unit = read_unit(quote_name(relation.unit[0]), relation.unit[1], relation.dialect)
        columns.append(
            f"{f'CAST({unit} AS BIGINT)' if whole_unit(relation.unit[1]) else unit} AS unit"
        )
        conditions.append(f"{unit} IS NOT NULL")
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    rows = f"{quote_name(relation.name)}{groups.joins}{where}"
    return cte("taken_rows", f"SELECT {', '.join(columns)} FROM {rows}")


def _value(key: Key, read: Reader) -> str:
    """A key's value; zero has no sign."""
    value = render(key.value, read)
    is_number = type_of(key.value).kind is Kind.NUMBER
    return f"({value} + {read.dialect.double(0)})" if is_number else value


def is_present(name: str, key: Key, dialect: SqlDialect) -> str:
    """Whether a key is one that can be told: not NULL, unless NULL is a group; and not beyond what was proved of it."""
    within = _within_kind(name, type_of(key.value).kind, dialect)
    return f"({name} IS NULL OR {within})" if key.null else within


def _within_kind(name: str, kind: Kind, dialect: SqlDialect) -> str:
    """Whether a value is there and can be read and, were it ever beyond what was proved of it, not that either.

    Claim:      no row makes reading a key's value fail.
    Because:    what Python cannot read is no key: infinities, other years, bytes that are no text.
    Checked by: tests/unit/engines/spark/test_engine.py::test_bytes_that_are_no_text_are_no_key
    """
    match kind:
        case Kind.NUMBER:
            return dialect.is_finite(name)
        case Kind.TEXT:
            return dialect.is_text(name)
        case Kind.DATE | Kind.TIMESTAMP:
            return f"{name} BETWEEN DATE '0001-01-01' AND TIMESTAMP '9999-12-31 23:59:59.999999'"
        case _:
            return f"{name} IS NOT NULL"


def hash_keys(keys: Sequence[Key], names: Sequence[str], secret: bytes, dialect: SqlDialect) -> str:
    """The hash of a combination of keys, as `hash_of` has it."""
    kinds = [type_of(key.value).kind for key in keys]
    parts = [
        _measure_part(dialect.text_of(name, kind), dialect)
        for name, kind in zip(names, kinds, strict=True)
    ]
    return dialect.hash(f"{dialect.secret(secret.hex())} || {' || '.join(parts)}")


def _measure_part(part: str, dialect: SqlDialect) -> str:
    length = f"CAST({dialect.byte_length(part)} AS {dialect.type('VARCHAR')})"
    return f"coalesce({length} || ':' || {part}, '-:')"


def plain_value(name: str, kind: Kind, dialect: SqlDialect) -> str:
    """The SQL of a stored key as engines know values: days and microseconds are integers."""
    match kind:
        case Kind.DATE:
            return dialect.days(name)
        case Kind.TIMESTAMP:
            return dialect.microseconds(name)
        case _:
            return name
