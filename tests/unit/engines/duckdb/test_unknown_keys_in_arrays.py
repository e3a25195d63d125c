"""What units hold of unknown keys, whatever the order of rows and the width of integers."""

from collections import Counter
from random import Random

import numpy as np
import pytest

from tacit.engines.duckdb.unknown_keys_in_arrays import hold_rows

UNITS = {
    "few": [0, 1, 2, 5],
    "negative": [-7, -1, 3],
    "32 bits": [5, 5 + (1 << 29) - 1],
    "33 bits": [5, 5 + (1 << 30)],
    "63 bits": [0, (1 << 60) - 1],
    "all bits": [-(1 << 63), -1, (1 << 63) - 1],
}


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("units", UNITS)
def test_rows_in_any_order_are_held_alike(units, ordered):
    random, keys = Random(units), 8
    rows = [(unit, random.randrange(keys)) for unit in UNITS[units] for _ in range(20)]
    random.shuffle(rows)
    if ordered:
        rows.sort(key=lambda row: row[0])
    unit, cell = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    held = hold_rows(unit.copy(), cell, keys, 1)
    counted = Counter(rows)
    expected = sorted(counted)
    assert held.units.tolist() == UNITS[units]
    assert held.cells.tolist() == [place for _, place in expected]
    assert held.counts.tolist() == [counted[pair] for pair in expected]
    assert held.starts.tolist() == [
        [each for each, _ in expected].index(unit) for unit in UNITS[units]
    ]
    assert held.cells.dtype == held.counts.dtype == held.units.dtype == np.int64


def test_nobody_holds_nothing():
    held = hold_rows(np.zeros(0, np.int64), np.zeros(0, np.int64), 0, 1)
    assert (len(held.units), len(held.cells)) == (0, 0)
