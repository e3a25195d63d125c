"""The refutation of a claimed sensitivity: a guided search for neighbours on which a function moves too far."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol, assert_never

from tacit.audit.databases import Database, Pair
from tacit.audit.sensitivity import Length, difference, length_of, root_of_power, value_of
from tacit.errors import InvalidInput
from tacit.exact import Number, at_least, below, count_of
from tacit.frozen import frozen
from tacit.privacy import Neighbours, Norm, relation
from tacit.progress import show_progress

__all__ = ["Columns", "Range", "Refutation", "Rows", "refute_sensitivity"]

_PATIENCE = 200


class Rows(Protocol):
    """A universe of rows that is too large to list: how to draw from it, and where its extremes are."""

    def draw_row(self) -> Any:
        """Any row at all."""

    def extreme(self) -> Any:
        """A row at an end of the universe."""

    def near(self, row: Any) -> Any:
        """A row that differs a little from this one."""


@dataclass(frozen=True)
class Range:
    """The integers of a range, however many; extremes are its ends, its middle, and what lies closest to zero.

    >>> Range(range(0, 10**12)).extreme() in {0, 1, 2, 5 * 10**11, 10**12 - 1, 10**12 - 2}
    True
    """

    numbers: range

    def draw_row(self) -> int:
        """Any of them, each alike."""
        return self.numbers[below(len(self.numbers))]

    def extreme(self) -> int:
        """One of the ends, mostly."""
        last = len(self.numbers) - 1
        zero = min(max(-self.numbers.start // self.numbers.step, 0), last)
        places = (
            0,
            last,
            0,
            last,
            0,
            last,
            zero,
            min(zero + 1, last),
            max(last - 1, 0),
            (last + 1) // 2,
        )
        return self.numbers[places[below(len(places))]]

    def near(self, row: int) -> int:
        """Some power of two away, or half of it, or its negative, or one of the ends if that is outside."""
        away = self.numbers.step * (1 << below(len(self.numbers).bit_length()))
        moved = (row + away, row - away, row // 2, -row)[below(4)]
        if moved in self.numbers:
            return moved
        return self.numbers[0] if moved < row else self.numbers[-1]


@dataclass(frozen=True)
class _Listed:
    """Rows that are listed; the first and the last are the extremes."""

    rows: Sequence[Any]

    def draw_row(self) -> Any:
        return self.rows[below(len(self.rows))]

    def extreme(self) -> Any:
        return self.rows[-below(2)]

    def near(self, row: Any) -> Any:
        return self.draw_row()


@dataclass(frozen=True)
class _Drawn:
    """Rows that a function makes up; it knows no extremes."""

    draw: Callable[[], Any]

    def draw_row(self) -> Any:
        return self.draw()

    def extreme(self) -> Any:
        return self.draw()

    def near(self, row: Any) -> Any:
        return self.draw()


@dataclass(frozen=True)
class Columns:
    """Rows of several columns, each with a universe of its own; a near row differs in one column.

    >>> len(Columns(range(0, 121), "ABC").draw_row())
    2
    """

    parts: tuple[Rows, ...]

    def __init__(self, *columns: Universe) -> None:
        object.__setattr__(self, "parts", tuple(rows_of(column) for column in columns))

    def draw_row(self) -> tuple[Any, ...]:
        """Any value in each column."""
        return tuple(part.draw_row() for part in self.parts)

    def extreme(self) -> tuple[Any, ...]:
        """An extreme value in each column."""
        return tuple(part.extreme() for part in self.parts)

    def near(self, row: tuple[Any, ...]) -> tuple[Any, ...]:
        """Another value in one column."""
        place = below(len(self.parts))
        part = self.parts[place]
        moved = (part.near(row[place]), part.extreme())[below(2)]
        return (*row[:place], moved, *row[place + 1 :])


Universe = Rows | Iterable[Any] | Callable[[], Any]


def rows_of(universe: Universe) -> Rows:
    """A universe as something to draw rows from: a range, a listing, a function that makes a row up, or rows.

    >>> rows_of(range(5)).draw_row() in range(5)
    True
    """
    if isinstance(universe, range):
        found: Rows = Range(universe)
        empty = not universe
    elif all(hasattr(universe, name) for name in ("draw_row", "extreme", "near")):
        return universe  # type: ignore[return-value]
    elif callable(universe):
        return _Drawn(universe)
    elif isinstance(universe, Iterable):
        listed = tuple(universe)
        found, empty = _Listed(listed), not listed
    else:
        raise InvalidInput(
            "universe",
            universe,
            "give a range, a list of rows, a function that makes one, or Columns",
        )
    if empty:
        raise InvalidInput("universe", universe, "name at least one kind of row")
    return found


@frozen
class Refutation:
    """The furthest apart that a search found a function's values on neighbours, and the pair; a proof if refuted.

    `found` is the distance itself, or for an irrational L2 distance a rational just above it; `squared` is its square
    and always exact.
    """

    claimed: Fraction
    found: Fraction
    squared: Fraction
    pair: Pair
    norm: Norm | Length
    neighbours: Neighbours
    tries: int

    @property
    def refuted(self) -> bool:
        """Whether the pair lies further apart than was claimed; if not, nothing is proved."""
        return self.squared > self.claimed**2

    def __str__(self) -> str:
        x, y = (_short(database) for database in self.pair)
        verdict = (
            f"refuted after {self.tries:,} pairs"
            if self.refuted
            else f"not refuted by {self.tries:,} pairs"
        )
        return (
            f"a sensitivity of {_number(self.claimed)} by {self.neighbours.value} is {verdict}: "
            f"the values on {x} and {y} lie {_number(self.found)} apart"
        )


def refute_sensitivity(
    function: Callable[[Database], object],
    universe: Universe,
    claimed: Number,
    neighbours: Neighbours | str,
    *,
    size: int,
    norm: Norm | Length = Norm.L1,
    tries: int = 20_000,
) -> Refutation:
    """A pair of neighbours on which `function` moves by more than `claimed`, or the furthest of those that were tried.

    The search climbs: it begins with databases of at most `size` rows (of exactly so many under replace), full
    of extreme values, changes a row at a time, keeps what does not bring the two values closer, and begins again when
    nothing more is gained.  Once the claim is refuted it climbs to the top and stops.

    Claim:      a pair that is returned consists of neighbours and lies exactly sqrt(squared) apart: a refutation
                is a proof.  Nothing follows if none is found.
    Because:    the pair is made by one step of the relation, and values are read and compared as rationals.
    Checked by: tests/unit/audit/test_refutation.py

    >>> found = refute_sensitivity(max, range(0, 10**9), claimed=1000, neighbours=Neighbours.REPLACE, size=4)
    >>> found.refuted, found.found > 1000
    (True, True)
    """
    search = _Search(
        function, rows_of(universe), relation(neighbours), count_of(size, "size", least=1), norm
    )
    limit = at_least(claimed, "claimed")
    wanted = limit**2 if norm is Norm.L2 else limit
    best: tuple[Fraction, Pair] | None = None
    done = 0
    for _ in show_progress(
        range(many := count_of(tries, "tries", least=1)), many, "pairs of neighbours"
    ):
        done += 1
        ended = search.step()
        if best is None or search.apart > best[0]:
            best = search.apart, search.state.pair
        if ended and best[0] > wanted:
            break
    assert best is not None, "at least one pair was tried"
    found, squared = root_of_power(best[0], norm)
    return Refutation(limit, found, squared, best[1], norm, search.neighbours, done)


@frozen
class _State:
    """The rows that both databases share, and the row at `place` that one has and the other has not, or has changed."""

    shared: Database
    place: int
    row: Any
    other: Any  # the row that replaces it; under add-or-remove nothing does
    both: bool

    @property
    def pair(self) -> Pair:
        x = (*self.shared[: self.place], self.row, *self.shared[self.place :])
        y = (
            *self.shared[: self.place],
            *((self.other,) if self.both else ()),
            *self.shared[self.place :],
        )
        return x, y


class _Search:
    """Where the search stands, and for how many steps it has not got on."""

    def __init__(
        self,
        function: Callable[[Database], object],
        rows: Rows,
        neighbours: Neighbours,
        size: int,
        norm: Norm | Length,
    ) -> None:
        self.function, self.rows, self.neighbours, self.size, self.norm = (
            function,
            rows,
            neighbours,
            size,
            norm,
        )
        self.begin()

    def begin(self) -> None:
        """Anew, somewhere else."""
        self.state = self._start()
        self.apart = self._distance(self.state)
        self.idle = 0
        self.fresh = True

    def step(self) -> bool:
        """Whether a climb has ended here; the state is at its top, and the next step begins anew."""
        if self.idle >= _PATIENCE:
            self.begin()
        elif not self.fresh:
            tried = self._change_row(self.state)
            apart = self._distance(tried)
            self.idle = 0 if apart > self.apart else self.idle + 1
            if apart >= self.apart:
                self.state, self.apart = tried, apart
        self.fresh = False
        return self.idle >= _PATIENCE

    def _distance(self, state: _State) -> Fraction:
        x, y = (value_of(self.function, database) for database in state.pair)
        return length_of(difference(x, y), self.norm)

    def _start(self) -> _State:
        """All rows alike, or all extreme, or anything at all."""
        match self.neighbours:
            case Neighbours.REPLACE:
                count = self.size - 1
            case Neighbours.ADD_OR_REMOVE:
                count = below(self.size)
            case _:
                assert_never(self.neighbours)
        match below(4):
            case 0:
                shared: Database = (self.rows.extreme(),) * count
            case 1:
                shared = tuple(self.rows.draw_row() for _ in range(count))
            case _:
                shared = tuple(self.rows.extreme() for _ in range(count))
        both = self.neighbours is Neighbours.REPLACE
        return _State(
            shared,
            below(count + 1),
            self.rows.extreme(),
            self.rows.extreme() if both else None,
            both,
        )

    def _change_row(self, state: _State) -> _State:
        """The same but for one row: one of those that differ, one that is shared, or one more or less."""
        shared, place, row, other = state.shared, state.place, state.row, state.other
        match below(6):
            case 0:
                row = self._another(row, shared)
            case 1 if state.both:
                other = self._another(other, shared)
            case 2 if not state.both and len(shared) + 1 < self.size:
                shared = (*shared, self._another(row, shared))
            case 3 if not state.both and shared:
                gone = below(len(shared))
                shared = (*shared[:gone], *shared[gone + 1 :])
                place = min(place, len(shared))
            case 4:
                place = below(len(shared) + 1)
            case _ if shared:
                for _ in range(1 + below(2)):
                    at = below(len(shared))
                    shared = (*shared[:at], self._another(shared[at], shared), *shared[at + 1 :])
            case _:
                row = self._another(row, shared)
        return _State(shared, place, row, other, state.both)

    def _another(self, row: Any, shared: Database) -> Any:
        match below(5):
            case 0 if shared:
                return shared[below(len(shared))]  # equal rows are where counts and ties change
            case 1 | 2:
                return self.rows.extreme()
            case 3:
                return self.rows.draw_row()
            case _:
                return self.rows.near(row)


def _number(exact: Fraction) -> str:
    return str(exact) if len(str(exact)) <= 20 else f"{float(exact):.6g}"


def _short(database: Database) -> str:
    text = repr(database)
    return text if len(text) <= 120 else text[:117] + "..."
