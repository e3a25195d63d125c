"""Values of synthetic rows that keep public rules: what breaks one inside its cells is drawn again, at last left out.

Checked by: tests/unit/curator/tables/test_synthesize.py::test_rules_hold_in_every_row
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.curator.tables.column_codes import CodedColumn
from tacit.curator.tables.row_rules import Rule
from tacit.synth import uniforms

__all__ = ["decode_rows"]

_TRIES = 20
_NOTHING: Mapping[str, list[Any]] = {}

Values = dict[str, list[Any]]


def decode_rows(
    columns: Sequence[CodedColumn],
    places: NDArray[Any],
    rules: Sequence[Rule],
    streams: tuple[int, int],
    beside: Sequence[CodedColumn] = (),
    known: Mapping[str, list[Any]] = _NOTHING,
) -> tuple[Values, NDArray[np.bool_]]:
    """The values of some places, and which rows keep all rules.

    Columns that stand `beside` them have `known` values, which rules may be about and which stay as they are.
    """
    everything = [*columns, *beside]
    loose = [
        rule
        for rule in rules
        if not all(each.is_exact for each in everything if each.name in rule.names)
    ]
    inside = uniforms(places.size, streams[0]).reshape(places.shape)
    values = _decode(columns, places, inside)
    bad = _find_broken(loose, everything, values, known, len(places))
    for attempt in range(_TRIES):
        if not bad.any():
            break
        again = uniforms(int(bad.sum()) * places.shape[1], streams[1], attempt)
        inside[bad] = again.reshape(-1, places.shape[1])
        values = _decode(columns, places, inside)
        bad = _find_broken(loose, everything, values, known, len(places))
    return values, ~bad


def _decode(columns: Sequence[CodedColumn], places: NDArray[Any], inside: NDArray[Any]) -> Values:
    return {each.name: each.decode(places[:, at], inside[:, at]) for at, each in enumerate(columns)}


def _find_broken(
    rules: Sequence[Rule],
    columns: Sequence[CodedColumn],
    values: Mapping[str, list[Any]],
    known: Mapping[str, list[Any]],
    count: int,
) -> NDArray[np.bool_]:
    """Which rows break a rule."""
    bad = np.zeros(count, bool)
    for rule in rules:
        bad |= rule.breaks(columns, {**known, **values})
    return bad
