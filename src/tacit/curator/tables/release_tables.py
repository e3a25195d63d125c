"""Where many tables are paid for, counted and let go: what marginals, workloads and synthetic
tables have in common."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from hashlib import sha256
from math import prod
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tacit.accounting import Charge
from tacit.curator.answer.release import Price
from tacit.curator.budget import find_shortage
from tacit.curator.policy.policy import Shared
from tacit.curator.question_context import Access, table_named
from tacit.curator.record.receipt import receipt_of, tag
from tacit.curator.record.stored_tables import Released, StoredTables
from tacit.curator.tables.column_codes import CodedColumn
from tacit.curator.tables.tables_noise import Draw, Request, TableNoise, release
from tacit.engines import CodedRows, Engine
from tacit.errors import EngineFailed, InvalidInput, InvalidPlan
from tacit.exact import Number, rekey
from tacit.frozen import frozen
from tacit.ledger import Entry
from tacit.plan import Coding, Rows, Scan, Table, Weights, serial, tables_of
from tacit.stability import weights_for_tables
from tacit.synth import Distances, Noisy, Residuals, Tables

__all__ = ["MOST_CELLS", "Answered", "Desk", "Exchange", "Order", "TablesAsked"]

MOST_CELLS = 1 << 25
"""The most cells that the tables of one request may have together."""

# What is stored calls requests by these words: a class may be renamed, its word never.
_KINDS: Mapping[type[Request], str] = {
    Tables: "tables",
    Distances: "distances",
    Residuals: "residuals",
}

Result = TypeVar("Result")
Exchange = Generator[Request, tuple[Noisy, ...], Result]
"""What asks for tables, and is sent what was released of them."""


@frozen
class TablesAsked:
    """What is asked: a table, the columns that are coded, and a word for what is made of them."""

    kind: str
    shared: Shared
    columns: tuple[CodedColumn, ...]
    about: str
    more: tuple[str, ...] = ()
    """What else decides which tables are asked for, such as rules or weights."""
    rows: Rows | None = None
    """The rows that are coded, where they are not simply those of the table."""

    @property
    def coding(self) -> Coding:
        """The rows and their axes."""
        rows = Scan(self.shared.asked_table) if self.rows is None else self.rows
        return Coding(rows, tuple(each.axis for each in self.columns), self.needs_units)

    @property
    def needs_units(self) -> bool:
        """Whether rows come with the names of their units."""
        return False

    @property
    def tables(self) -> tuple[Table, ...]:
        """All tables whose rows are read."""
        return tuple(tables_of(self.coding.rows))

    @property
    def weights(self) -> Weights:
        """What every unit's rows weigh, in all tables."""
        return weights_for_tables(self.coding.rows, self.shared.contributions)

    @property
    def fingerprint(self) -> bytes:
        """The same for everything that asks for the same tables, and another one for all else.

        Claim:      it is the same in every version: ledgers find stored answers by it.
        Because:    it is taken of words that are written out, never of the names of classes.
        Checked by: tests/unit/curator/tables/test_release_tables.py::test_fingerprints_are_pinned
        """
        said = json.dumps([self.kind, serial(self.coding), *self.more], separators=(",", ":"))
        return sha256(said.encode()).digest()


@frozen(eq=False)
class Order:
    """What is asked, at which charge, and what begins its exchange; `quiet` is what is rehearsed, if not the same."""

    asked: TablesAsked
    charge: Charge
    begin: Callable[[TableNoise], Exchange[bytes]]
    quiet: Callable[[TableNoise], Exchange[bytes]] | None = None


@frozen(eq=False)
class _Opened:
    """An order with its noise, its names in the ledger, and an earlier answer if there is one."""

    order: Order
    noise: TableNoise
    key: bytes
    topic: bytes
    known: Entry | None


@frozen(eq=False)
class Answered:
    """What was released, its price and its receipt."""

    stored: StoredTables
    price: Price
    receipt: Mapping[str, Any]


@frozen(eq=False)
class Desk:
    """What a vault has to offer for many tables at once: access to it, and its tables with what was found of them."""

    access: Access
    tables: Mapping[str, Shared]

    def shared(self, table: str) -> Shared:
        """A table that may be asked about."""
        found = table_named(table, self.tables)
        if found.table.public:
            raise InvalidInput(
                "table", table, "it is public; read it directly, it is not protected"
            )
        return found

    def price_of(self, epsilon: Number) -> Charge:
        """The charge of a price."""
        return self.access.rule.price_of(epsilon)

    def noise(self, asked: TablesAsked, charge: Charge) -> TableNoise:
        """What hides tables at a charge."""
        limit = self.access.policy.limit
        amount = self.access.rule.amount(charge)
        if amount <= 0:
            raise InvalidInput(
                "a price",
                "nothing",
                "it is smaller than the ledger's smallest unit; give a larger epsilon",
            )
        return TableNoise(asked.weights, limit.neighbours, amount, bool(limit.delta))

    def answer(
        self,
        asked: TablesAsked,
        charge: Charge,
        begin: Callable[[TableNoise], Exchange[bytes]],
        quiet: Callable[[TableNoise], Exchange[bytes]] | None = None,
    ) -> Answered:
        """Everything that an exchange asks for, paid for with one charge; the same is answered
        once.

        Claim:      the price is recorded before a row is read; what is read depends on the plan and
                    on what was released; what leaves is noisy integers and what is made of them.
        Because:    the order of the lines of `answer_all`: an exchange is sent released integers alone.
        Checked by: tests/laws/test_tables.py::test_everything_but_noise_is_the_same_on_neighbours
        """
        (found,) = self.answer_all([Order(asked, charge, begin, quiet)])
        return found

    def answer_all(self, orders: Sequence[Order]) -> list[Answered]:
        """Several exchanges, which are all paid for before a row is read for any of them.

        Claim:      if one of them cannot be run, or what is not paid yet does not fit into the limits together, nothing
                    is charged.  Only who spends between the check and the last charge, from another thread or process,
                    can still bring it about that a later charge is refused: the earlier ones then stay paid, and pay
                    for the same when it is asked for again.
        Because:    every one is rehearsed, and all are checked together, before the first charge; and no row is read
                    between the charges.
        Checked by: tests/unit/curator/tables/test_linked_synthetic_tables.py::test_both_parts_are_paid_for_or_neither
        """
        opened = [self._open(order) for order in orders]
        new = [each for each in opened if each.known is None]
        for each in new:
            self.rehearse(each.order, each.noise)  # what fails, fails before it is paid for
        if len(new) > 1:
            self._check_together(new)
        entries = [self._pay(each) if each.known is None else each.known for each in opened]
        return [self._look(each.order, entry) for each, entry in zip(opened, entries, strict=True)]

    def _open(self, order: Order) -> _Opened:
        """What is known of an order before anything is run."""
        noise = self.noise(order.asked, order.charge)
        key, topic = self._names(order.asked)
        return _Opened(order, noise, key, topic, self._find_known(key, topic, order.charge))

    def rehearse(self, order: Order, noise: TableNoise) -> None:
        """Run an exchange on no rows."""
        asked = order.asked
        engine = self.access.engine_of(asked.tables)
        nobody = engine.code(asked.coding, asked.weights, rehearsing=True)
        self.run(asked, (order.quiet or order.begin)(noise), nobody, noise)

    def _check_together(self, new: Sequence[_Opened]) -> None:
        """Refuse charges that do not fit into the limits together, but for what was paid before and not answered."""
        prices = [self.access.rule.price(each.noise.loss) for each in new]
        if find_shortage(self.access, sum(prices, Charge())) is None:
            return
        entries = list(self.access.ledger.entries())
        owed = [
            price
            for each, price in zip(new, prices, strict=True)
            if not any(entry.key == each.key and price.fits(entry.charge) for entry in entries)
        ]
        shortage = find_shortage(self.access, sum(owed, Charge())) if owed else None
        if shortage is not None:
            raise shortage

    def _pay(self, opened: _Opened) -> Entry:
        about, analyst = opened.order.asked.about, self.access.analyst
        ledger = self.access.ledger
        return ledger.charge(
            opened.key, opened.noise.loss, analyst, topic=opened.topic, about=about
        )

    def _look(self, order: Order, entry: Entry) -> Answered:
        """What was released for an entry: what is stored, or else what is released now."""
        if entry.is_answered:
            return self._read(entry, free=True)
        asked = order.asked
        noise = self.noise(asked, entry.charge)  # which may be an earlier charge, of a higher price
        rekey()
        rows = _code(self.access.engine_of(asked.tables), asked)  # look
        stored = self.run(asked, order.begin(noise), rows, noise)
        return self._read(self.access.ledger.settle(entry, stored.to_bytes()), free=False)  # let go

    def run(
        self, asked: TablesAsked, exchange: Exchange[bytes], rows: CodedRows, noise: TableNoise
    ) -> StoredTables:
        """Answer an exchange to its end, and keep what was released."""
        released: list[Released] = []
        reply: tuple[Noisy, ...] | None = None
        spent = Fraction(0)
        try:
            while True:
                request = exchange.send(reply) if reply is not None else next(exchange)
                spent += request.share
                if spent > 1:
                    raise AssertionError("more is asked for than is paid")
                kept = self.answer_request(asked, request, rows, noise)
                released.append(kept)
                reply = tuple(
                    Noisy(kept.counts(place, noise.worth), kept.deviations[place])
                    for place in range(len(kept.arrays))
                )
        except StopIteration as end:
            model = end.value
        mechanism = "Gaussian" if noise.concentrated else "Laplace"
        return StoredTables(self._describe(asked), mechanism, noise.worth, tuple(released), model)

    def answer_request(
        self, asked: TablesAsked, request: Request, rows: CodedRows, noise: TableNoise
    ) -> Released:
        """What is released for one request."""
        groups = _groups(request, asked.columns)
        _check_size(request, groups)
        arrays, draws = release(request, rows, groups, noise)
        return _keep(request, arrays, draws, noise.worth)

    def _names(self, asked: TablesAsked) -> tuple[bytes, bytes]:
        """What is asked is called so in the ledger, and what it is about."""
        version = self._version(asked)
        about = asked.fingerprint + self.access.formats_of(asked.tables)
        terms = self.access.scope, version, asked.shared.contributions, about
        return tag(b"tables", *terms), tag(b"about tables", *terms)

    def _version(self, asked: TablesAsked) -> int:
        """Versions only grow: their sum is another one whenever a table was refreshed."""
        return sum(self.access.ledger.version(table.name) for table in asked.tables)

    def _find_known(self, key: bytes, topic: bytes, charge: Charge) -> Entry | None:
        """An earlier answer to the same, at a price that was no lower."""
        entries = (entry for entry in self.access.ledger.find_answered(topic) if entry.key == key)
        return next((entry for entry in entries if charge.fits(entry.charge)), None)

    def _read(self, entry: Entry, *, free: bool) -> Answered:
        stored = StoredTables.from_bytes(entry.payload or b"")
        price = self.access.price_of(entry.charge, free=free)
        return Answered(stored, price, receipt_of(entry, stored))

    def _describe(self, asked: TablesAsked) -> dict[str, Any]:
        """What was asked, and under which policy, as it is kept with the answer."""
        policy, name = self.access.policy, asked.shared.table.name
        limit = policy.limit
        return {
            "unit": policy.unit,
            "neighbours": limit.neighbours.value,
            "question": asked.fingerprint.hex(),
            "table": name,
            "version": self._version(asked),
            "contributions": asked.shared.contributions,
            "limit": {"epsilon": str(limit.epsilon), "delta": str(limit.delta)},
            "made up": self.access.made_up,
            "kind": asked.kind,
            "columns": [each.name for each in asked.columns],
        }


def _code(engine: Engine, asked: TablesAsked) -> CodedRows:
    """The rows as codes.

    Claim:      if an engine fails, what leaves is one sentence that is always the same.
    Because:    whatever the engine raised is gone before that sentence is.
    Checked by: tests/unit/curator/tables/test_synthesize.py::test_an_engine_that_fails_says_nothing
    """
    with suppress(Exception):
        return engine.code(asked.coding, asked.weights)
    raise EngineFailed


def _groups(request: Request, columns: Sequence[CodedColumn]) -> list[NDArray[np.int64]]:
    """For every axis, the group of each of its codes: by the place of the code, and the group of
    the place."""
    orders = [np.array(each.order, np.int64) for each in columns]
    if isinstance(request, Residuals):
        return orders
    return [
        np.array(groups, np.int64)[order]
        for groups, order in zip(request.groups, orders, strict=True)
    ]


def _check_size(request: Request, groups: Sequence[NDArray[np.int64]]) -> None:
    """Refuse more cells than one release may have, from the request alone."""
    sizes = [int(each.max()) + 1 for each in groups]
    cells = sum(prod(sizes[axis] for axis in columns) for columns in request.columns)
    if cells > MOST_CELLS:
        raise InvalidPlan(
            f"these tables have {cells:,} cells of at most {MOST_CELLS:,}",
            "name fewer columns, ask for fewer of them at once, or divide numbers into fewer cells",
        )


def _keep(
    request: Request,
    arrays: Sequence[NDArray[np.int64]],
    draws: Sequence[Draw],
    worth: Fraction,
) -> Released:
    """What was released for a request, as it is kept: rounded where noise hides what is rounded
    off."""
    shifts = tuple(max(0, int(draw.deviation / 16).bit_length() - 1) for draw in draws)
    return Released(
        _KINDS[type(request)],
        request.columns,
        () if isinstance(request, Residuals) else request.groups,
        tuple(
            (array + (1 << shift >> 1)) >> shift
            for array, shift in zip(arrays, shifts, strict=True)
        ),
        shifts,
        tuple(draw.scale for draw in draws),
        tuple(draw.deviation * float(worth) for draw in draws),
    )
