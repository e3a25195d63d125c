"""Unknown keys in DuckDB: a temporary table of their values in the order of their hashes, and who has them."""

# ruff: noqa: S608 -- this is the SQL generator: every name and literal goes through `quote_name`, `text` and their like

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.engines.duckdb.ingested_key_counts import CountedPairs, counted_keys_of
from tacit.engines.duckdb.unknown_keys_in_arrays import Held, hold_rows
from tacit.engines.engine import Answer, blank, check_fits
from tacit.engines.sql.duckdb_dialect import DUCKDB
from tacit.engines.sql.group_index import Enumeration, equality, numbered_grouping
from tacit.engines.sql.names_of_stored_rows import CountedKeys, Rowset
from tacit.engines.sql.read_stored_columns import whole_unit
from tacit.engines.sql.select_with_parameters import Fetched
from tacit.engines.sql.statement import histogram, read_cells, statement
from tacit.engines.sql.unknown_keys_sql import (
    hash_keys,
    is_present,
    key_names,
    plain_value,
    rows_with_keys,
)
from tacit.engines.unknown_keys_per_unit import Gathered
from tacit.errors import EngineFailed
from tacit.frozen import frozen
from tacit.plan import (
    Counted,
    Keeping,
    Key,
    KeyValue,
    Kind,
    Question,
    Ranked,
    Summed,
    Weights,
    columns_of_answer,
    key_value,
    type_of,
)

__all__ = ["KeyStatements", "gather_keys", "key_statements"]

KEYS, FOUND, CHANGES = "tacit_keys", "tacit_found", "tacit_changes"
"""Temporary tables: the values key_0, key_1, … of unknown keys and their key_id; those that were found, with their
group_id; and the units whose rows weigh less, with their weight_change."""

_UNITS, _CHOSEN = "tacit_units", "tacit_chosen"


@frozen
class KeyStatements:
    """The statements that gather: one makes the table of keys, one gives every row's unit and cell.

    Without units, it gives every key and its weight.  `units` makes a table of units by numbers, where they are not
    numbers themselves.
    """

    keys: str
    units: str | None
    rows: str
    public: int


def key_statements(
    question: Question, keeping: Keeping, rowset: Rowset, enumerated: Enumeration
) -> KeyStatements:
    """The statements of a question.

    Claim:      keys have their places in the order of their hashes, which depend on their values and the secret alone,
                and no row can make a statement fail.
    Because:    a key has a hash as `hash_of` has it; what is rendered raises on no row, nor does a text of a value.
    Checked by: tests/laws/test_keys.py::test_memory_and_duckdb_gather_the_same
    """
    unknown = question.unknown
    names = key_names(unknown)
    ctes = ", ".join([*rowset.ctes, rows_with_keys(question, rowset, enumerated)])
    keys = _create_keys(unknown, names, ctes, keeping.secret)
    public = prod(len(key.public_values) for key in question.public)
    same = " AND ".join(
        equality(f"taken_rows.{name}", f"keys.{name}", key, DUCKDB)
        for name, key in zip(names, unknown, strict=True)
    )
    joined = f"taken_rows JOIN {KEYS} AS keys ON {same}"
    if rowset.relation.unit is None:
        weight = f"(count(*) << {keeping.bits})::BIGINT AS weight"
        counted = f"SELECT key_id, {weight} FROM {joined} GROUP BY key_id ORDER BY key_id"
        return KeyStatements(keys, None, f"WITH {ctes} {counted}", public)
    cell = f"(key_id * {public} + public_place)::BIGINT AS cell" if public > 1 else "key_id AS cell"
    if whole_unit(rowset.relation.unit[1]):
        rows = f"WITH {ctes} SELECT taken_rows.unit AS unit, {cell} FROM {joined}"
        return KeyStatements(keys, None, rows, public)
    numbered = "SELECT unit, row_number() OVER () - 1 AS unit_number FROM (SELECT DISTINCT unit FROM taken_rows)"
    units = f"CREATE OR REPLACE TEMP TABLE {_UNITS} AS WITH {ctes} {numbered}"
    joined += f" JOIN {_UNITS} AS units ON taken_rows.unit = units.unit"
    rows = f"WITH {ctes} SELECT unit_number AS unit, {cell} FROM {joined}"
    return KeyStatements(keys, units, rows, public)


def _create_keys(keys: Sequence[Key], names: Sequence[str], ctes: str, secret: bytes) -> str:
    """The statement that makes the table of keys, numbered in the order of their hashes."""
    listed = ", ".join(names)
    present = " AND ".join(
        is_present(name, key, DUCKDB) for name, key in zip(names, keys, strict=True)
    )
    distinct = f"SELECT DISTINCT {listed} FROM taken_rows WHERE {present}"
    place = f"row_number() OVER (ORDER BY {hash_keys(keys, names, secret, DUCKDB)}, {listed}) - 1 AS key_id"
    return f"CREATE OR REPLACE TEMP TABLE {KEYS} AS WITH {ctes} SELECT {listed}, {place} FROM ({distinct})"


def _number_keys(
    cursor: Any, question: Question, keeping: Keeping, counted: CountedKeys
) -> CountedPairs:
    """Make the table of keys from texts that were counted, and find the place of each by its number."""
    (key,), (name,) = question.unknown, key_names(question.unknown)
    place = f"row_number() OVER (ORDER BY {hash_keys([key], [name], keeping.secret, DUCKDB)}, {name}) - 1 AS key_id"
    texts = f"SELECT cell AS {name}, number FROM {counted.table}"
    keys = f"SELECT {name}, number, {place} FROM ({texts})"
    cursor.execute(f"CREATE OR REPLACE TEMP TABLE {KEYS} AS {keys}").fetchall()
    numbered = cursor.execute(f"SELECT key_id FROM {KEYS} ORDER BY number").fetchnumpy()
    return CountedPairs(cursor, counted, numbered["key_id"])


# ---------------------------------------------------------------- what is gathered


@frozen
class _Gathered:
    """Keys in a temporary table of a cursor, and the arrays of who has how many rows of them."""

    cursor: Any
    rowset: Rowset
    enumerated: Enumeration
    kinds: tuple[Kind, ...]
    places: NDArray[np.int64]
    weights: NDArray[np.int64]
    held: Held | CountedPairs | None

    def keys(self, places: Sequence[int]) -> list[tuple[KeyValue, ...]]:
        self._choose(places)
        names = ", ".join(
            plain_value(f"key_{i}", kind, DUCKDB) for i, kind in enumerate(self.kinds)
        )
        chosen = f"{KEYS} JOIN {_CHOSEN} USING (key_id) ORDER BY group_id"
        rows = self._fetch(f"SELECT {names} FROM {chosen}").rows
        return [tuple(map(key_value, row, self.kinds)) for row in rows]

    def evaluate(
        self, places: Sequence[int | None], question: Question, weights: Weights
    ) -> Answer:
        check_fits(question, weights)
        answer = blank(question, weights)
        if not answer.size:
            return answer
        placed = [place for place in places if place is not None]
        if len(placed) < len(places):  # which is rare: the statement lists them by their values
            return self._add_up(answer, question, weights, None, None)
        chosen = self._choose(placed)
        heavy = self._find_heavy(chosen, weights)
        if heavy is not None:
            self._table(CHANGES, unit=heavy[0], weight_change=heavy[1])
            if isinstance(self.held, CountedPairs) and all(
                isinstance(each, Counted | Summed) for each in question.measures
            ):
                return self._add_numbered(answer, self.held, chosen, question, weights)
        names = ", ".join([*(f"key_{i}" for i in range(len(self.kinds))), "group_id"])
        found = f"SELECT {names} FROM {KEYS} JOIN {_CHOSEN} USING (key_id)"
        self._fetch(f"CREATE OR REPLACE TEMP TABLE {FOUND} AS {found}")
        changes = CHANGES if heavy is not None else None
        return self._add_up(answer, question, weights, FOUND, changes)

    def _add_up(
        self,
        answer: Answer,
        question: Question,
        weights: Weights,
        found: str | None,
        changes: str | None,
    ) -> Answer:
        """The answer by statements over all rows, with a table of the keys that were found, or a list of them."""
        columns, given = columns_of_answer(question), (self.rowset, self.enumerated, found)
        plain = [
            where.start
            for measure, where in zip(question.measures, columns, strict=True)
            if not isinstance(measure, Ranked)
        ]
        if plain:
            asked = statement(question, weights, *given, changes)
            rows = self._fetch(asked.select.sql)
            for group, measures in asked.read_measures(rows, weights.bits):
                answer[group, plain] = measures
        for measure, where in zip(question.measures, columns, strict=True):
            if isinstance(measure, Ranked):
                cells, select = answer[:, where], histogram(question, measure, weights, *given)
                for group, cell, weight in read_cells(self._fetch(select.sql), weights.bits):
                    cells[group, cell] = weight
        return answer

    def _add_numbered(
        self,
        answer: Answer,
        pairs: CountedPairs,
        chosen: NDArray[np.int64],
        question: Question,
        weights: Weights,
    ) -> Answer:
        """The answer, added up by the numbers of texts; those of keys that were not found are dropped."""
        by_number = numbered_grouping(pairs.keys.column)
        asked = statement(question, weights, self.rowset, self.enumerated, by_number, CHANGES)
        groups = pairs.group_numbers(chosen).tolist()
        for number, measures in asked.read_measures(self._fetch(asked.select.sql), weights.bits):
            if (group := groups[number]) >= 0:
                answer[group] = measures
        return answer

    def _find_heavy(self, chosen: NDArray[np.int64], weights: Weights) -> Any:
        """The units that are known to be heavy, and their changes; None if SQL has to find them."""
        if self.held is None:
            return None
        with suppress(Exception):
            return self.held.find_heavy(chosen, weights)
        raise EngineFailed

    def _choose(self, places: Sequence[int]) -> NDArray[np.int64]:
        """Make a table of the keys at some places, numbered in their order."""
        chosen = self.places[np.asarray(places, np.int64)]
        self._table(_CHOSEN, key_id=chosen, group_id=np.arange(len(chosen)))
        return chosen

    def _table(self, name: str, **columns: NDArray[np.int64]) -> None:
        """A temporary table of some columns."""
        with suppress(Exception):  # which the next line will say
            self.cursor.register("tacit_given", columns)
        self._fetch(f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT * FROM tacit_given")
        with suppress(Exception):
            self.cursor.unregister("tacit_given")

    def _fetch(self, sql: str) -> Fetched:
        """The rows of a statement; a failure says nothing, as in the engine itself."""
        found = None
        with suppress(Exception):
            ran = self.cursor.execute(sql)
            names = tuple(column[0] for column in ran.description)
            found = Fetched(names, ran.fetchall())
        if found is None:
            raise EngineFailed
        return found


def gather_keys(
    cursor: Any, question: Question, keeping: Keeping, rowset: Rowset, enumerated: Enumeration
) -> Gathered:
    """What units keep of the unknown keys of a question."""
    kinds = tuple(type_of(key.value).kind for key in question.unknown)
    if (counted := counted_keys_of(question, rowset)) is not None:
        pairs = _number_keys(cursor, question, keeping, counted)
        every = pairs.key_weights(keeping)
        places = np.flatnonzero(every)
        return _Gathered(cursor, rowset, enumerated, kinds, places, every[places], pairs)
    asked = key_statements(question, keeping, rowset, enumerated)
    cursor.execute(asked.keys).fetchall()
    if asked.units is not None:
        cursor.execute(asked.units).fetchall()
    columns = cursor.execute(asked.rows).fetchnumpy()
    if rowset.relation.unit is None:
        kept, places, weights = None, columns["key_id"], columns["weight"]
    else:
        ((keys,),) = cursor.execute(f"SELECT count(*) FROM {KEYS}").fetchall()
        kept = hold_rows(columns["unit"], columns["cell"], keys, asked.public)
        every = kept.key_weights(keeping)
        places = np.flatnonzero(every)
        weights = every[places]
        kept = kept if asked.units is None else None
    return _Gathered(cursor, rowset, enumerated, kinds, places, weights, kept)
