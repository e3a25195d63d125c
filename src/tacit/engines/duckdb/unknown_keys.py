"""Unknown keys in DuckDB: a temporary table of their values in the order of their hashes, and who has them."""

# ruff: noqa: S608 -- this is the SQL generator: every name and literal goes through `quoted`, `text` and their like

from collections.abc import Sequence
from contextlib import suppress
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.engines.duckdb.key_weights import Held, hold_rows
from tacit.engines.engine import Answer, blank, check_fits, conditions_of, needed_columns
from tacit.engines.sql.casts import read_unit, scan_conditions, whole_unit
from tacit.engines.sql.expressions import Reader, quote_name, render, text
from tacit.engines.sql.groups import Enumeration, equality, grouping
from tacit.engines.sql.relation import Relation
from tacit.engines.sql.rows import reader
from tacit.engines.sql.statement import histogram, statement
from tacit.engines.unknown_keys import Gathered
from tacit.errors import EngineFailed
from tacit.frozen import frozen
from tacit.plan import (
    Keeping,
    Key,
    KeyValue,
    Kind,
    Question,
    Ranked,
    Weights,
    columns_of_answer,
    key_value,
    type_of,
)

__all__ = ["Finding", "finding", "gather_keys"]

KEYS, FOUND, LIGHT = "tacit_keys", "tacit_found", "tacit_light"
"""Temporary tables: the values x0, x1, … of unknown keys and their places g; those that were found; light units."""


@frozen
class Finding:
    """The statements that gather: one makes the table of keys, one gives units and cells, or keys and their weights.

    `units` makes a table of units by numbers, where they are not numbers themselves.
    """

    keys: str
    units: str | None
    rows: str
    public: int


def finding(
    question: Question,
    keeping: Keeping,
    relation: Relation,
    read: Reader,
    enumerated: Enumeration,
    nested: Sequence[str],
) -> Finding:
    """The statements of a question.

    Claim:      keys have their places in the order of their hashes, which depend on their values and the secret alone,
                and no row can make a statement fail.
    Because:    a key has a hash as `hash_of` has it; what is rendered raises on no row, nor does a text of a value.
    Checked by: tests/laws/test_keys.py::test_memory_and_duckdb_gather_the_same
    """
    unknown, groups = question.unknown, grouping(question.public, read, enumerated)
    names = [f"x{i}" for i in range(len(unknown))]
    columns = [f"{_value(key, read)} AS {name}" for key, name in zip(unknown, names, strict=True)]
    columns.append(f"{groups.place} AS p")
    conditions = [*groups.conditions, *scan_conditions(needed_columns(question), read)]
    conditions += [render(condition, read) for condition in conditions_of(question.rows)]
    by_unit = relation.unit is not None
    whole = False
    if relation.unit is not None:
        unit = read_unit(quote_name(relation.unit[0]), relation.unit[1])
        whole = whole_unit(relation.unit[1])
        columns.append(f"{f'CAST({unit} AS BIGINT)' if whole else unit} AS u")
        conditions.append(f"{unit} IS NOT NULL")
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    taken = f"SELECT {', '.join(columns)} FROM {quote_name(relation.name)}{groups.joins}{where}"
    parts = ", ".join([*nested, f"taken AS ({taken})"])
    present = [_present(name, key) for name, key in zip(names, unknown, strict=True)]
    listed = ", ".join(names)
    distinct = f"SELECT DISTINCT {listed} FROM taken WHERE {' AND '.join(present)}"
    order = f"{_hash(unknown, names, keeping.secret)}, {listed}"
    keys = (
        f"CREATE OR REPLACE TEMP TABLE {KEYS} AS WITH {parts} "
        f"SELECT {listed}, row_number() OVER (ORDER BY {order}) - 1 AS g FROM ({distinct})"
    )
    public = prod(len(key.public_values) for key in question.public)
    same = " AND ".join(
        equality(f"t.{name}", f"f.{name}", key) for name, key in zip(names, unknown, strict=True)
    )
    met = f"taken AS t JOIN {KEYS} AS f ON {same}"
    if not by_unit:
        count = f"(count(*) << {keeping.bits})::BIGINT AS w"
        return Finding(
            keys, None, f"WITH {parts} SELECT g, {count} FROM {met} GROUP BY g ORDER BY g", public
        )
    cell = f"(g * {public} + p)::BIGINT AS c" if public > 1 else "g AS c"
    if whole:
        return Finding(keys, None, f"WITH {parts} SELECT t.u AS u, {cell} FROM {met}", public)
    numbered = "SELECT u, row_number() OVER () - 1 AS i FROM (SELECT DISTINCT u FROM taken)"
    units = f"CREATE OR REPLACE TEMP TABLE tacit_units AS WITH {parts} {numbered}"
    return Finding(
        keys,
        units,
        f"WITH {parts} SELECT i AS u, {cell} FROM {met} JOIN tacit_units AS n ON t.u = n.u",
        public,
    )


def _value(key: Key, read: Reader) -> str:
    """A key's value; zero has no sign."""
    value = render(key.value, read)
    return f"({value} + 0e0)" if type_of(key.value).kind is Kind.NUMBER else value


def _present(name: str, key: Key) -> str:
    """Whether a key is one that can be told: not NULL, unless NULL is a group; and not beyond what was proved of it."""
    within = _within_kind(name, type_of(key.value).kind)
    return f"({name} IS NULL OR {within})" if key.null else within


def _within_kind(name: str, kind: Kind) -> str:
    """Whether a value is there and, were it ever beyond what was proved of it, not that either.

    >>> _within_kind("x0", Kind.NUMBER)
    'isfinite(x0)'
    """
    match kind:
        case Kind.NUMBER:
            return f"isfinite({name})"
        case Kind.DATE | Kind.TIMESTAMP:
            return f"{name} BETWEEN DATE '0001-01-01' AND TIMESTAMP '9999-12-31 23:59:59.999999'"
        case _:
            return f"{name} IS NOT NULL"


def _hash(keys: Sequence[Key], names: Sequence[str], secret: bytes) -> str:
    parts = [
        _write_column(name, type_of(key.value).kind) for key, name in zip(keys, names, strict=True)
    ]
    return f"sha256({text(secret.hex())} || {' || '.join(_measure_part(part) for part in parts)})"


def _measure_part(part: str) -> str:
    return f"coalesce(CAST(strlen({part}) AS VARCHAR) || ':' || {part}, '-:')"


def _write_column(name: str, kind: Kind) -> str:
    match kind:
        case Kind.TEXT:
            return name
        case Kind.NUMBER:
            return f"format('{{:.17e}}', {name})"
        case Kind.DATE:
            return f"CAST({name} - DATE '1970-01-01' AS VARCHAR)"
        case Kind.TIMESTAMP:
            return f"CAST(epoch_us({name}) AS VARCHAR)"
        case Kind.INTEGER | Kind.BOOLEAN:
            return f"CAST({name} AS VARCHAR)"


# ---------------------------------------------------------------- what is gathered


@frozen
class _Gathered:
    """Keys in a temporary table of a cursor, and the arrays of who has how many rows of them."""

    cursor: Any
    relation: Relation
    enumerated: Enumeration
    nested: Sequence[str]
    kinds: tuple[Kind, ...]
    places: NDArray[np.int64]
    weights: NDArray[np.int64]
    held: Held | None

    def keys(self, places: Sequence[int]) -> list[tuple[KeyValue, ...]]:
        chosen = self.places[np.asarray(places, np.int64)]
        self._table("tacit_named", g=chosen, p=np.arange(len(chosen)))
        names = ", ".join(_plain(f"x{i}", kind) for i, kind in enumerate(self.kinds))
        rows = self._rows(f"SELECT {names} FROM {KEYS} JOIN tacit_named USING (g) ORDER BY p")
        return [tuple(map(key_value, row, self.kinds)) for row in rows]

    def evaluate(self, places: Sequence[int], question: Question, weights: Weights) -> Answer:
        check_fits(question, weights)
        answer, chosen = blank(question, weights), self.places[np.asarray(places, np.int64)]
        if not answer.size:
            return answer
        names = ", ".join(f"x{i}" for i in range(len(self.kinds)))
        self._table("tacit_named", g=chosen, p=np.arange(len(chosen)))
        self._rows(
            f"CREATE OR REPLACE TEMP TABLE {FOUND} AS SELECT {names}, p AS g FROM {KEYS} JOIN tacit_named USING (g)"
        )
        light = self.held.find_heavy(chosen, weights) if self.held is not None else None
        if light is not None:
            self._table(LIGHT, u=light[0], d=light[1])
        columns, given = (
            columns_of_answer(question),
            (self.relation, self.enumerated, self.nested, FOUND),
        )
        plain = [
            where.start
            for m, where in zip(question.measures, columns, strict=True)
            if not isinstance(m, Ranked)
        ]
        if plain:
            asked = statement(question, weights, *given, LIGHT if light is not None else None)
            for group, measures in asked.read_measures(self._rows(asked.sql), weights.bits):
                answer[group, plain] = measures
        for measure, where in zip(question.measures, columns, strict=True):
            if isinstance(measure, Ranked):
                cells = answer[:, where]
                for group, cell, rows, held in self._rows(
                    histogram(question, measure, weights, *given)
                ):
                    cells[group, cell] = (rows << weights.bits) + held
        return answer

    def _table(self, name: str, **columns: NDArray[np.int64]) -> None:
        """A temporary table of some columns."""
        with suppress(Exception):  # which the next line will say
            self.cursor.register("tacit_given", columns)
        self._rows(f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT * FROM tacit_given")
        with suppress(Exception):
            self.cursor.unregister("tacit_given")

    def _rows(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows of a statement; a failure says nothing, as in the engine itself."""
        rows: list[tuple[Any, ...]] | None = None
        with suppress(Exception):
            rows = self.cursor.execute(sql).fetchall()
        if rows is None:
            raise EngineFailed
        return rows


def gather_keys(
    cursor: Any,
    question: Question,
    keeping: Keeping,
    relation: Relation,
    enumerated: Enumeration,
    nested: Sequence[str],
) -> Gathered:
    """What units keep of the unknown keys of a question."""
    found = finding(question, keeping, relation, reader(relation), enumerated, nested)
    cursor.execute(found.keys).fetchall()
    if found.units is not None:
        cursor.execute(found.units).fetchall()
    kinds = tuple(type_of(key.value).kind for key in question.unknown)
    columns = cursor.execute(found.rows).fetchnumpy()
    if relation.unit is None:
        kept, places, weights = None, columns["g"], columns["w"]
    else:
        ((keys,),) = cursor.execute(f"SELECT count(*) FROM {KEYS}").fetchall()
        kept = hold_rows(columns["u"], columns["c"], keys, found.public)
        every = kept.key_weights(keeping)
        places = np.flatnonzero(every)
        weights = every[places]
        kept = kept if found.units is None else None
    return _Gathered(cursor, relation, enumerated, nested, kinds, places, weights, kept)


def _plain(name: str, kind: Kind) -> str:
    """The SQL of a stored key as engines know values: days and microseconds are integers."""
    match kind:
        case Kind.DATE:
            return f"{name} - DATE '1970-01-01'"
        case Kind.TIMESTAMP:
            return f"epoch_us({name})"
        case _:
            return name
