"""Every ledger that the laws are about, and the currencies in which they are kept: add a ledger here, not a test."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from time import sleep
from typing import Protocol

import pytest

from tacit.accounting import (
    DELTA_UNIT,
    EPSILON_UNIT,
    RHO_UNIT,
    Charge,
    ConcentratedFilter,
    Filter,
    PureFilter,
)
from tacit.ledger import (
    DurableLedger,
    Founding,
    Ledger,
    MemoryLedger,
    postgres_ledger,
    sqlite_ledger,
)
from tacit.privacy import Loss, Neighbours, PureLoss, ZeroConcentratedLoss
from tests import postgres

Opened = Callable[[Filter, Mapping[str, Filter] | None], AbstractContextManager[Ledger]]


@contextmanager
def memory(limit: Filter, analysts: Mapping[str, Filter] | None = None) -> Iterator[Ledger]:
    """A ledger in memory."""
    yield MemoryLedger(limit, analysts)


class Place(Protocol):
    """Where a durable ledger lies: each call opens it once more."""

    def __call__(
        self,
        limit: Filter,
        analysts: Mapping[str, Filter] | None = None,
        *,
        adopting: str | None = None,
    ) -> DurableLedger:
        """The ledger that lies here."""


@contextmanager
def in_a_file() -> Iterator[Place]:
    """A file of its own."""
    with folder() as anchors:

        def opened(
            limit: Filter,
            analysts: Mapping[str, Filter] | None = None,
            *,
            adopting: str | None = None,
        ) -> DurableLedger:
            founding = Founding.of("person", limit)
            file = anchors.parent / "ledger.sqlite"
            return sqlite_ledger(
                file, founding, limit, analysts, anchors=anchors, adopting=adopting
            )

        yield opened


@contextmanager
def in_postgres() -> Iterator[Place]:
    """A schema of its own in PostgreSQL."""
    with folder() as anchors:
        address = postgres.fresh_address()

        def opened(
            limit: Filter,
            analysts: Mapping[str, Filter] | None = None,
            *,
            adopting: str | None = None,
        ) -> DurableLedger:
            founding = Founding.of("person", limit)
            return postgres_ledger(
                address, founding, limit, analysts, anchors=anchors, adopting=adopting
            )

        yield opened


@contextmanager
def folder() -> Iterator[Path]:
    """A folder for anchors inside a folder of its own, in memory where there is such a thing: syncs are free there."""
    memory_disk = Path("/dev/shm")
    with TemporaryDirectory(dir=memory_disk if memory_disk.is_dir() else None) as place:
        yield Path(place) / "anchors"


def durable(place: Callable[[], AbstractContextManager[Place]]) -> Opened:
    """A ledger that lies somewhere, opened once."""

    @contextmanager
    def opened(limit: Filter, analysts: Mapping[str, Filter] | None = None) -> Iterator[Ledger]:
        with place() as here:
            ledger = here(limit, analysts)
            yield ledger
            ledger.close()

    return opened


PLACES: dict[str, Callable[[], AbstractContextManager[Place]]] = {
    "sqlite": in_a_file,
    "postgres": in_postgres,
}
LEDGERS: dict[str, Opened] = {
    "memory": memory,
    **{name: durable(place) for name, place in PLACES.items()},
}


@dataclass(frozen=True)
class Currency:
    """A filter with its limit, and losses that cost a whole number of its units."""

    name: str
    limit: Filter
    loss: Callable[..., Loss]

    def scaled(self, part: Fraction) -> Filter:
        """A filter of the same currency with about this part of the limit."""
        match self.limit:
            case ConcentratedFilter(epsilon=epsilon, delta=delta):
                return ConcentratedFilter(epsilon * part, delta * part)
            case PureFilter(epsilon=epsilon):
                return PureFilter(epsilon * part)
            case _:
                raise AssertionError("no such currency")


def pure_loss(
    amount: int, failure: int = 0, neighbours: Neighbours = Neighbours.ADD_OR_REMOVE
) -> Loss:
    """A loss that costs so many units of a pure ledger, in which nothing fails."""
    assert not failure
    return PureLoss(amount * EPSILON_UNIT, neighbours)


def concentrated_loss(
    amount: int, failure: int = 0, neighbours: Neighbours = Neighbours.ADD_OR_REMOVE
) -> Loss:
    """A loss that costs so many units of rho and of failure."""
    return ZeroConcentratedLoss(amount * RHO_UNIT, failure * DELTA_UNIT, neighbours)


class Yielding(PureFilter):
    """A pure filter that gives other threads their turn between looking and deciding."""

    def admits(self, spent: Charge, charge: Charge) -> bool:
        """The same answer, later; much later while nothing is spent, so that a second thread is sure to look too."""
        admitted = super().admits(spent, charge)
        sleep(1e-5 if spent.amount else 0.1)
        return admitted


PURE = Currency("pure", PureFilter(3), pure_loss)
CONCENTRATED = Currency("concentrated", ConcentratedFilter(3, 1e-6), concentrated_loss)

every_place = pytest.mark.parametrize("place", list(PLACES.values()), ids=list(PLACES))
every_ledger = pytest.mark.parametrize("opened", list(LEDGERS.values()), ids=list(LEDGERS))
both_currencies = pytest.mark.parametrize(
    "currency", [PURE, CONCENTRATED], ids=lambda currency: currency.name
)
