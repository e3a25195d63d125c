"""A curator's own function, run on every block by itself: in a process of its own, for a bounded time."""

from __future__ import annotations

import os
import select
import struct
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from itertools import pairwise
from math import isfinite
from signal import SIGKILL
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidInput

__all__ = ["Block", "Function", "check_processes", "choose_blocks", "order_rows", "run_blocks"]

Block = Mapping[str, NDArray[Any]]
"""The columns of a block by name: numbers as doubles, NaN for NULL; all else as objects, None for NULL."""

Function = Callable[[Block], Any]
"""What the curator wants to know of a block: a number."""

_RESULT = struct.Struct("<d")


def choose_blocks(
    units: NDArray[Any], blocks: int, secret: bytes
) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """The block of every row, and the mark by which units are ordered: both by the keyed hash of its unit's name.

    Claim:      which block a unit is in, and which mark it has, depends on the unit and the secret alone, and not on
                the other units nor on the order of rows.
    Because:    nothing else is hashed.
    Checked by: tests/laws/test_aggregate.py::test_a_unit_that_comes_or_goes_changes_its_own_block_alone

    >>> choose_blocks(np.array(["ann", "bob", "ann"], object), 1, b"key")[0].tolist()
    [0, 0, 0]
    """
    names, places = np.unique(np.asarray(units, dtype=object).astype(str), return_inverse=True)
    found = [divmod(_hash(name, secret), blocks) for name in names.tolist()]
    marks = np.array([whole % (1 << 64) for whole, _ in found], np.uint64)
    return np.array([block for _, block in found], np.int64)[places], marks[places]


def _hash(name: str, secret: bytes) -> int:
    return int.from_bytes(blake2b(name.encode("utf-8", "surrogatepass"), key=secret).digest())


def order_rows(
    codes: Sequence[NDArray[Any]], marks: NDArray[np.uint64] | None
) -> NDArray[np.int64]:
    """The order in which a function sees rows: by the marks of their units, and rows of one unit by all their codes.

    Claim:      in which order rows of a block are depends on these rows alone, and not on other units, nor on the
                order in which an engine gives them.
    Because:    rows that are neither told apart by their marks nor by a code are the same to a function, and any two
                others are ordered by what they are themselves.
    Checked by: tests/laws/test_aggregate.py::test_a_function_never_sees_the_order_that_an_engine_gives

    >>> order_rows([np.array([1, 0, 1]), np.array([5, 9, 4])], None).tolist()
    [1, 2, 0]
    """
    keys = codes if marks is None else (marks, *codes)
    return np.lexsort(tuple(keys)[::-1])


def check_processes() -> None:
    """Refuse to begin where functions cannot be run in processes of their own."""
    if not hasattr(os, "fork"):
        raise InvalidInput(
            "a system", os.name, "aggregate needs processes that are forked: Linux or macOS"
        )


def run_blocks(
    function: Function,
    columns: Block,
    places: NDArray[np.int64],
    blocks: int,
    seconds: float,
    default: float,
) -> list[float]:
    """What the function says of every block; the default where it fails, takes too long, or says no number.

    Claim:      the result of a block is a function of the rows of that block alone, as they are ordered.
    Because:    each runs in a process of its own, forked from one in which none has run; what it prints, changes or
                leaves behind goes with it, and whatever is not a finite number becomes the default.  That their order
                tells of no other unit is the claim of `order_rows`.
    Checked by: tests/laws/test_aggregate.py::test_what_a_function_does_changes_nothing_but_its_own_block
    """
    order = np.argsort(places, kind="stable")
    ends = np.searchsorted(places[order], np.arange(blocks + 1))
    found = []
    for start, end in pairwise(ends.tolist()):
        rows = order[start:end]
        result = _run_alone(
            function, {name: cells[rows] for name, cells in columns.items()}, seconds
        )
        found.append(default if result is None or not isfinite(result) else result)
    return found


def _run_alone(function: Function, block: Block, seconds: float) -> float | None:
    """The number that the function returns in a child process, or None."""
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that other threads do not live on in the child is meant
        child = os.fork()
    if child == 0:
        _be_child(function, block, reader, writer)
    os.close(writer)
    try:
        return _read_result(reader, monotonic() + seconds)
    finally:
        os.close(reader)
        os.kill(child, SIGKILL)
        os.waitpid(child, 0)


def _be_child(function: Function, block: Block, reader: int, writer: int) -> None:
    """Run the function, write its number, and end, whatever happens; nothing is printed."""
    try:
        os.close(reader)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)
        sys.stdout = sys.stderr = os.fdopen(nowhere, "w", encoding="utf-8")
        os.write(writer, _RESULT.pack(float(function(block))))
    finally:
        os._exit(0)


def _read_result(reader: int, until: float) -> float | None:
    """What the child writes before its time is over."""
    said = b""
    while len(said) < _RESULT.size:
        ready, _, _ = select.select([reader], [], [], max(0.0, until - monotonic()))
        part = os.read(reader, _RESULT.size - len(said)) if ready else b""
        if not part:
            return None
        said += part
    return float(_RESULT.unpack(said)[0])
