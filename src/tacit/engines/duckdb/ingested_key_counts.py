"""Unknown keys of an ingested table: who has which texts was counted beforehand, and few units are looked at.

A unit with at most `most` texts keeps them all, so that its share is known from how many they are; texts that such
units share are added up by number.  The others have their texts in the order of the hashes, of which they keep the
first ones.
"""

# ruff: noqa: S608 -- this is the SQL generator: names are our own, and numbers come from weights

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.engines.duckdb.unknown_keys_in_arrays import Held, can_find_heavy, hold_pairs, hold_rows
from tacit.engines.engine import conditions_of, needed_columns
from tacit.engines.sql.names_of_stored_rows import CountedKeys, Rowset
from tacit.engines.unknown_keys_per_unit import key_weight
from tacit.frozen import frozen
from tacit.plan import Field, Keeping, Kind, Question, Weights

__all__ = ["CountedPairs", "counted_keys_of"]

Integers = NDArray[np.int64]


def counted_keys_of(question: Question, rowset: Rowset) -> CountedKeys | None:
    """The texts that were counted and are the unknown keys of a question, decided by the plan alone; None: count.

    Claim:      a key of the question is a text that was counted, and every row that has one is taken.
    Because:    the only key is a column of texts that are cut as when they were counted; there is no condition, and no
                column but this one has to be there; a row whose text is NULL has no key.
    Checked by: tests/unit/engines/duckdb/test_ingested_key_counts.py::test_counted_keys_weigh_alike and
                tests/unit/engines/duckdb/test_ingested_key_counts.py::test_other_questions_count_anew
    """
    if rowset.ctes or len(question.keys) != 1 or any(True for _ in conditions_of(question.rows)):
        return None
    (key,) = question.keys
    if key.values is not None or key.null or not isinstance(key.value, Field):
        return None
    column = key.value.column
    if column.kind is not Kind.TEXT or any(each != column for each in needed_columns(question)):
        return None
    known = rowset.relation.counted_keys
    return next((each for each in known if each.of == column.name), None)


@frozen
class CountedPairs:
    """Who has which texts, in a table of a cursor; `places` are those of texts in the order of hashes, by number."""

    cursor: Any
    keys: CountedKeys
    places: Integers

    def key_weights(self, keeping: Keeping) -> Integers:
        """What every key weighs, of which units keep the first ones.

        Claim:      the sums are those of `Held.key_weights` over all rows.
        Because:    a unit with k <= most texts keeps all of them, each with the weight of k; of a unit with more, every
                    text is here, once.
        Checked by: tests/unit/engines/duckdb/test_ingested_key_counts.py::test_counted_keys_weigh_alike
        """
        few = self._fetch(
            f"SELECT number, unit_keys, count(*) AS units FROM {self.keys.pairs} "
            f"WHERE unit_keys <= {keeping.most} GROUP BY number, unit_keys"
        )
        most = int(few["unit_keys"].max(initial=0))
        shares = np.array([0, *(key_weight(k, keeping) for k in range(1, most + 1))], np.int64)
        found = np.zeros(len(self.places), np.int64)
        np.add.at(found, self.places[few["number"]], shares[few["unit_keys"]] * few["units"])
        many = self._fetch(
            f"SELECT unit, number FROM {self.keys.pairs} WHERE unit_keys > {keeping.most}"
        )
        held = hold_rows(many["unit"], self.places[many["number"]], len(self.places), 1)
        return found + held.key_weights(keeping)

    def find_heavy(self, chosen: Integers, weights: Weights) -> tuple[Integers, Integers] | None:
        """The units whose rows of chosen keys weigh less than 2**bits, and by how much; None: ask SQL.

        Claim:      no unit is heavy that is not found here.
        Because:    without the keys that were not chosen, a sum of squares is no greater.
        Checked by: tests/unit/engines/duckdb/test_ingested_key_counts.py::test_counted_keys_weigh_alike
        """
        if not can_find_heavy(weights):
            return None
        found = self._fetch(
            f"SELECT unit, number, pair_rows FROM {self.keys.pairs} WHERE unit_squares > {weights.bound**2}"
        )
        held: Held = hold_pairs(
            found["unit"], self.places[found["number"]], found["pair_rows"], len(self.places)
        )
        return held.find_heavy(chosen, weights)

    def group_numbers(self, chosen: Integers) -> Integers:
        """By the number of a text its place among chosen keys, or -1."""
        groups = np.full(len(self.places), -1)
        groups[chosen] = np.arange(len(chosen))
        found: Integers = groups[self.places]
        return found

    def _fetch(self, sql: str) -> dict[str, Any]:
        found: dict[str, Any] = self.cursor.execute(sql).fetchnumpy()
        return found
