"""Sample-and-aggregate: a curator's own function, run on blocks of units, and the private middle of what it says."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.accounting import Charge
from tacit.curator.aggregate.run_blocks import (
    Block,
    Function,
    check_processes,
    choose_blocks,
    order_rows,
    run_blocks,
)
from tacit.curator.answer.release import Price, Release
from tacit.curator.policy.policy import Shared
from tacit.curator.priced_question import read_confidence
from tacit.curator.question_context import Access, table_named
from tacit.curator.record.receipt import receipt_of, tag
from tacit.curator.record.stored_answer import Stored
from tacit.curator.rehearse_before_payment import look_at, refuse_unforeseen
from tacit.curator.tables.column_codes import CodedColumn, code_columns
from tacit.engines import CodedRows, Engine
from tacit.errors import EngineFailed, InvalidInput
from tacit.exact import Number, at_least, below, count_of, random_bits, rekey
from tacit.frozen import frozen
from tacit.ledger import Entry
from tacit.mechanisms import BlockMedian, Gaussian, Laplace
from tacit.plan import Coding, Kind, Scan
from tacit.privacy import (
    Loss,
    Neighbours,
    PureLoss,
    Sensitivity,
    ZeroConcentratedLoss,
    root_at_least,
)
from tacit.stability import weights_for_tables

__all__ = ["Aggregation", "aggregate"]

CODES = 1 << 14
"""Into so many steps the range of a number is divided before the function sees it."""

_MOST_BLOCKS = 1 << 16
_MOST_SECONDS = 3600.0


@frozen(eq=False)
class Aggregation:
    """What is asked: a table and its columns, how many blocks, between which bounds, and how results are combined."""

    shared: Shared
    columns: tuple[CodedColumn, ...]
    blocks: int
    low: Fraction
    high: Fraction
    cells: int
    default: Fraction
    by: Literal["median", "mean"]
    amount: Fraction
    concentrated: bool
    neighbours: Neighbours

    @property
    def coding(self) -> Coding:
        """The rows, their columns as codes, and their units."""
        axes = tuple(each.axis for each in self.columns)
        return Coding(Scan(self.shared.asked_table), axes, units=True)

    @property
    def step(self) -> Fraction:
        """How wide a cell is."""
        return (self.high - self.low) / self.cells

    @property
    def median(self) -> BlockMedian:
        """The private median at the price."""
        made = BlockMedian.of_rho if self.concentrated else BlockMedian.of_epsilon
        return made(self.amount, self.blocks, self.cells, self.neighbours)

    @property
    def moved(self) -> Sensitivity:
        """How far the sum of all cells moves between neighbours."""
        return Sensitivity(self.neighbours.steps * (self.cells - 1), neighbours=self.neighbours)

    @property
    def noise(self) -> Laplace | Gaussian:
        """The noise on the sum of all cells, at the price."""
        if self.concentrated:
            return Gaussian(root_at_least(self.moved.bound**2 / (2 * self.amount)))
        return Laplace.calibrate(self.amount, self.moved)

    @property
    def loss(self) -> Loss:
        """What is paid: the price, which both the median and the mean keep.

        Claim:      the released numbers together cost no more.
        Because:    a unit is in one block, and neither chooses nor orders the rows of another one, so that one result
                    changes, or two under replace, whatever the function is.
        Checked by: tests/laws/test_aggregate.py::test_the_price_is_kept
        """
        if self.concentrated:
            return ZeroConcentratedLoss(self.amount, 0, self.neighbours)
        return PureLoss(self.amount, self.neighbours)

    def cell_of(self, result: float) -> int:
        """The cell of a result: the first or the last one where it lies beyond the bounds."""
        place = (Fraction(result) - self.low) / self.step
        return min(max(int(place // 1), 0), self.cells - 1)

    def value_of(self, place: Fraction) -> float:
        """A place on the grid as a number."""
        return float(self.low + place * self.step)


def aggregate(
    access: Access,
    function: Function,
    *,
    of: str,
    columns: Sequence[str] | None,
    blocks: int,
    low: Number,
    high: Number,
    epsilon: Number,
    default: Number | None,
    by: str,
    cells: int,
    seconds: float,
    confidence: float,
) -> Release:
    """The middle of what a function says of blocks of units: see `Vault.aggregate`.

    Claim:      the price is recorded before a row is read, and what leaves is a function of released integers.
    Because:    the order of the lines below.
    Checked by: tests/laws/test_aggregate.py::test_it_is_paid_for_before_rows_are_looked_at
    """
    check_processes()
    if not callable(function):
        raise InvalidInput("function", function, "give a Python function of one block of rows")
    if not 0 < at_least(seconds, "seconds") <= _MOST_SECONDS:
        raise InvalidInput("seconds", seconds, "give the seconds that one block may take")
    sure = read_confidence(confidence)
    charge = access.rule.price_of(epsilon)
    asked = _read(
        access, access.rule.amount(charge), of, columns, blocks, low, high, default, by, cells
    )
    engine = access.engine_of([asked.shared.table])
    engine.code(asked.coding, _weights(asked), rehearsing=True)
    _rehearse(access, asked, charge, sure)
    version = access.ledger.version(asked.shared.table.name)
    key = tag(b"aggregate", access.scope, version, None, random_bits(256).to_bytes(32))
    about = f"aggregate of {asked.shared.table.name} in {asked.blocks} blocks, by {asked.by}"
    entry = access.ledger.charge(key, asked.loss, access.analyst, topic=key, about=about)  # pay
    rekey()
    results = _evaluate(engine, asked, function, float(seconds))  # look
    released = _release(asked, results, sure)  # let go
    return _render(
        access, asked, access.ledger.settle(entry, _store(access, asked, released)), sure
    )


def _rehearse(access: Access, asked: Aggregation, charge: Charge, sure: float) -> None:
    """Release, store and show made-up cells, the first and the last: what fails, fails before it is paid for."""
    with refuse_unforeseen():
        for place in (0, asked.cells - 1):
            made_up = _store(access, asked, _draw(asked, [place] * asked.blocks, sure))
            look_at(_render(access, asked, Entry(0, b"", access.analyst, charge, made_up), sure))


def _read(
    access: Access,
    amount: Fraction,
    of: str,
    columns: Sequence[str] | None,
    blocks: int,
    low: Number,
    high: Number,
    default: Number | None,
    by: str,
    cells: int,
) -> Aggregation:
    """What is asked, refused where it makes no sense; by the policy alone."""
    shared = table_named(of, access.read_tables())
    if shared.table.public:
        raise InvalidInput("table", of, "it is public; read it directly, it is not protected")
    first, last = at_least(low, "low"), at_least(high, "high")
    if not first < last:
        raise InvalidInput("high", high, "give a high end above the low one")
    if by not in ("median", "mean"):
        raise InvalidInput("by", by, 'give "median" or "mean"')
    instead = (first + last) / 2 if default is None else at_least(default, "default")
    if not first <= instead <= last:
        raise InvalidInput("default", default, "give a number between low and high")
    if amount <= 0:
        raise InvalidInput(
            "a price",
            "nothing",
            "it is smaller than the ledger's smallest unit; give a larger epsilon",
        )
    limit = access.policy.limit
    return Aggregation(
        shared,
        code_columns(shared.table, columns, CODES, CODES),
        count_of(blocks, "blocks", least=2, most=_MOST_BLOCKS),
        first,
        last,
        count_of(cells, "cells", least=2, most=1 << 16),
        instead,
        "mean" if by == "mean" else "median",
        amount,
        bool(limit.delta),
        limit.neighbours,
    )


def _weights(asked: Aggregation) -> Any:
    """Weights that nobody looks at: all rows of a unit are in one block, however many they are."""
    return weights_for_tables(asked.coding.rows, asked.shared.contributions or 1)


def _evaluate(
    engine: Engine, asked: Aggregation, function: Function, seconds: float
) -> list[float]:
    """The exact result of every block, which exists here and nowhere else.

    Claim:      one unit changes the results of the blocks that it is in, and of no other, whatever the function is.
    Because:    which rows are in a block follows from their units alone, and so does the order in which it sees them.
    Checked by: tests/laws/test_aggregate.py::test_a_function_never_sees_the_order_that_an_engine_gives
    """
    rows = None
    with suppress(Exception):
        rows = engine.code(asked.coding, _weights(asked))
    if rows is None:
        raise EngineFailed
    count = len(rows.codes[0])
    if rows.units is None:  # every row is a unit of its own, and has no name: its block is drawn
        places, marks = np.asarray(below(asked.blocks, count), np.int64), None
    else:
        places, marks = choose_blocks(rows.units, asked.blocks, random_bits(256).to_bytes(32))
    order = order_rows(rows.codes, marks)
    block = {name: cells[order] for name, cells in decode_columns(asked.columns, rows).items()}
    return run_blocks(function, block, places[order], asked.blocks, seconds, float(asked.default))


def decode_columns(columns: Sequence[CodedColumn], rows: CodedRows) -> Block:
    """Every column's values: numbers as doubles, the middle of their step where they were rounded."""
    return {
        column.name: _decode(column, np.array(column.order, np.int64)[codes])
        for column, codes in zip(columns, rows.codes, strict=True)
    }


def _decode(column: CodedColumn, places: NDArray[np.int64]) -> NDArray[Any]:
    """The values at some places of a column."""
    known, where = np.unique(places, return_inverse=True)
    values = column.decode(known, np.full(len(known), 0.5))
    if column.column.kind in (Kind.INTEGER, Kind.NUMBER):
        numbers = [np.nan if each is None else float(each) for each in values]
        return np.array(numbers, np.float64)[where]
    found = np.empty(len(values), object)
    found[:] = values
    return found[where]


def _release(asked: Aggregation, results: Sequence[float], confidence: float) -> tuple[int, ...]:
    """The noisy integers that hide the results of all blocks."""
    return _draw(asked, [asked.cell_of(result) for result in results], confidence)


def _draw(asked: Aggregation, cells: Sequence[int], confidence: float) -> tuple[int, ...]:
    """The noisy integers: three cells, or the sum of all cells."""
    if asked.by == "median":
        return asked.median.release(cells, confidence)
    return (int(asked.noise.release(sum(cells))),)


def _store(access: Access, asked: Aggregation, released: tuple[int, ...]) -> bytes:
    """What was released, as the ledger keeps it."""
    limit, name = access.policy.limit, asked.shared.table.name
    said = {
        "unit": access.policy.unit,
        "neighbours": limit.neighbours.value,
        "question": f"aggregate of {name}",
        "table": name,
        "version": access.ledger.version(name),
        "contributions": None,
        "limit": {"epsilon": str(limit.epsilon), "delta": str(limit.delta)},
        "made up": access.made_up,
        "aggregate": {
            "blocks": asked.blocks,
            "by": asked.by,
            "low": str(asked.low),
            "high": str(asked.high),
            "cells": asked.cells,
            "default": str(asked.default),
            "columns": [each.name for each in asked.columns],
        },
    }
    kept = released if asked.by == "median" else released[:1]
    noise = asked.noise
    mechanism = "BlockMedian" if asked.by == "median" else type(noise).__name__
    scale = (
        asked.median.scale
        if asked.by == "median"
        else noise.sigma
        if isinstance(noise, Gaussian)
        else noise.scale
    )
    names = ("low", "value", "high") if asked.by == "median" else ("sum",)
    many = len(names)
    stored = Stored(
        said, mechanism, (kept,), (scale,) * many, (asked.step,) * many, names, (None,) * many
    )
    return stored.to_bytes()


def _render(access: Access, asked: Aggregation, entry: Entry, confidence: float) -> Release:
    """The release, from what the ledger keeps of it."""
    stored = Stored.from_bytes(entry.payload or b"")
    released = [int(each) for each in stored.integers[0] if isinstance(each, int)]
    if asked.by == "median":
        low, middle, high = (Fraction(each) for each in released)
        ends = (middle + Fraction(1, 2), low, high + 1)
        about = "the interval is for the median of what such blocks give"
    else:
        middle = Fraction(released[0], asked.blocks) + Fraction(1, 2)
        reach = Fraction(asked.noise.error(confidence)) / asked.blocks
        ends = (middle, middle - reach, middle + reach)
        about = "the interval is for the mean of what these blocks give"
    value, *interval = (
        min(max(asked.value_of(each), float(asked.low)), float(asked.high)) for each in ends
    )
    price: Price = access.price_of(entry.charge, free=False)
    note = (
        f"The {asked.by} of {asked.blocks:,} blocks of units, each by itself; {about}, and a block is as large as "
        "all units divided by their number."
    )
    columns = ("value", "value_low", "value_high")
    row = (value, *interval)
    return Release(
        columns, (row,), ("value",), confidence, price, receipt_of(entry, stored), notes=(note,)
    )
