"""Unknown keys on a server: what units keep of them is found where the rows are; hashes and sums come back.

Checked by: tests/laws/test_engine_conformance.py
"""

# ruff: noqa: S608 -- this is the SQL generator: every name and literal goes through `quote_name`, `text` and their like

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.engines.engine import Answer
from tacit.engines.sql.dialect import SqlDialect
from tacit.engines.sql.names_of_stored_rows import Rowset
from tacit.engines.sql.select_with_parameters import Fetched
from tacit.engines.sql.unknown_keys_sql import (
    hash_keys,
    is_present,
    key_names,
    plain_value,
    rows_with_keys,
)
from tacit.engines.unknown_keys_per_unit import key_weight
from tacit.frozen import frozen
from tacit.plan import Keeping, KeyValue, Kind, Question, Weights, key_value, type_of

__all__ = ["Fetch", "GatheredKeys", "KeyQueries", "gather_keys", "key_queries"]

Fetch = Callable[[str], Fetched]


@frozen
class KeyQueries:
    """The statements about unknown keys: one finds what each weighs, one the values of those with some hashes."""

    weights: str
    values: str
    kinds: tuple[Kind, ...]
    dialect: SqlDialect


def key_queries(question: Question, keeping: Keeping, rowset: Rowset) -> KeyQueries:
    """The statements of a question.

    Claim:      what comes back depends on a unit's own keys and the secret, as in the memory engine.
    Because:    every unit keeps the first of its keys in the order of their hashes, each with the weight of so many.
    Checked by: tests/laws/test_engine_conformance.py::test_unknown_keys_are_the_same_in_postgres
    """
    keys, dialect = question.unknown, rowset.relation.dialect
    names = key_names(keys)
    listed = ", ".join(names)
    pairs = zip(names, keys, strict=True)
    present = " AND ".join(is_present(name, key, dialect) for name, key in pairs)
    hashed = f"{hash_keys(keys, names, keeping.secret, dialect)} AS key_hash"
    kinds = tuple(type_of(key.value).kind for key in keys)
    ctes = [*rowset.ctes, rows_with_keys(question, rowset)]
    values = ", ".join(
        plain_value(name, kind, dialect) for name, kind in zip(names, kinds, strict=True)
    )
    distinct = f"SELECT DISTINCT {listed} FROM taken_rows WHERE {present}"
    found = f"SELECT {listed}, {hashed} FROM ({distinct}) AS distinct_keys"
    digits = dialect.hash_digits("key_hash")
    read = f"SELECT {digits} AS key_hash, {values} FROM ({found}) AS hashed"
    whole = f"WITH {', '.join(ctes)} {read}"
    if rowset.relation.unit is None:
        counted = (
            f"SELECT {listed}, count(*) AS many FROM taken_rows WHERE {present} GROUP BY {listed}"
        )
        weight = f"(many * {1 << keeping.bits}) AS weight"
        sums = f"SELECT {hashed}, {weight} FROM ({counted}) AS counted"
    else:
        owned = f"SELECT DISTINCT unit, {listed} FROM taken_rows WHERE {present}"
        place = "row_number() OVER (PARTITION BY unit ORDER BY key_hash) AS place"
        ranked = f"SELECT key_hash, {place}, count(*) OVER (PARTITION BY unit) AS many"
        kept = f"{ranked} FROM (SELECT unit, {hashed} FROM ({owned}) AS owned) AS hashed"
        shares = [key_weight(k, keeping) for k in range(1, keeping.most + 1)]
        share = dialect.pick(shares, f"least(many, {keeping.most})")
        sums = (
            f"SELECT key_hash, {dialect.total(share)} AS weight FROM ({kept}) AS ranked "
            f"WHERE place <= {keeping.most} GROUP BY key_hash"
        )
    weights = f"SELECT {digits}, weight FROM ({sums}) AS sums WHERE weight > 0"
    every = f"WITH {', '.join(ctes)} {weights} ORDER BY key_hash"
    return KeyQueries(every, whole, kinds, dialect)


@frozen(eq=False)
class GatheredKeys:
    """Keys by their hashes, and what each weighs; their values are asked for where they are let go."""

    fetch: Fetch
    run: Callable[[Question, Weights], Answer]
    queries: KeyQueries
    hashes: tuple[str, ...]
    weights: NDArray[Any]

    def keys(self, places: Sequence[int]) -> list[tuple[KeyValue, ...]]:
        """The values of some keys."""
        chosen = {self.hashes[place]: number for number, place in enumerate(places)}
        if not chosen:
            return []
        listed = ", ".join(map(self.queries.dialect.hash_literal, chosen))
        found: dict[int, tuple[KeyValue, ...]] = {}
        for digest, *values in self.fetch(
            f"{self.queries.values} WHERE key_hash IN ({listed})"
        ).rows:
            pairs = zip(values, self.queries.kinds, strict=True)
            found[chosen[digest]] = tuple(key_value(value, kind) for value, kind in pairs)
        return [found[number] for number in range(len(chosen))]

    def evaluate(
        self, places: Sequence[int | None], question: Question, weights: Weights
    ) -> Answer:
        """The exact measures of the question, which names the keys at these places."""
        assert question.found is not None
        assert len(question.found) == len(places), "the question is about the keys at these places"
        return self.run(question, weights)


def gather_keys(
    question: Question,
    keeping: Keeping,
    rowset: Rowset,
    fetch: Fetch,
    run: Callable[[Question, Weights], Answer],
) -> GatheredKeys:
    """What units keep of the unknown keys of a question."""
    queries = key_queries(question, keeping, rowset)
    rows = fetch(queries.weights).rows
    weights = np.array([weight for _, weight in rows], np.int64)
    return GatheredKeys(fetch, run, queries, tuple(digest for digest, _ in rows), weights)
