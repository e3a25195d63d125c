"""Every database of a small universe, every pair of neighbours, and how far two databases are apart."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import combinations_with_replacement, product
from math import comb
from typing import assert_never

from tacit.errors import InvalidData, InvalidInput, TooLarge
from tacit.exact import count_of
from tacit.privacy import Neighbours, relation

__all__ = [
    "Database",
    "Pair",
    "PAIRS_AT_MOST",
    "databases",
    "distance",
    "neighbouring_pairs",
    "pairs_needed",
]

Row = Hashable
Database = tuple[Row, ...]
Pair = tuple[Database, Database]

PAIRS_AT_MOST = 1_000_000


def databases(
    universe: Iterable[Row], size: int, neighbours: Neighbours | str, *, ordered: bool = True
) -> Iterator[Database]:
    """All databases over `universe`: of exactly `size` rows under replace, of at most `size` under add-or-remove.

    With `ordered=False` databases that hold the same rows are one, written in the universe's order.

    >>> list(databases("AB", 2, Neighbours.REPLACE))
    [('A', 'A'), ('A', 'B'), ('B', 'A'), ('B', 'B')]
    >>> list(databases("AB", 1, Neighbours.ADD_OR_REMOVE))
    [(), ('A',), ('B',)]
    """
    rows, size, named = _check_universe(universe, size, neighbours)
    for length in _lengths(size, named):
        yield from (
            product(rows, repeat=length) if ordered else combinations_with_replacement(rows, length)
        )


def neighbouring_pairs(
    universe: Iterable[Row], size: int, neighbours: Neighbours | str, *, ordered: bool = True
) -> Iterator[Pair]:
    """All pairs of neighbours among `databases(...)`, each pair once and in one direction.

    Claim:      every two databases that differ by one row under `neighbours` appear once.
    Because:    a row is replaced by a later one of the universe at every position, or removed at every
                position; a set drops the repetitions that equal rows cause.
    Checked by: tests/unit/audit/test_databases.py

    >>> list(neighbouring_pairs("AB", 1, Neighbours.REPLACE))
    [(('A',), ('B',))]
    >>> list(neighbouring_pairs("AB", 1, Neighbours.ADD_OR_REMOVE))
    [(('A',), ()), (('B',), ())]
    """
    rows, size, named = _check_universe(universe, size, neighbours)
    rank = {row: position for position, row in enumerate(rows)}
    for database in databases(rows, size, named, ordered=ordered):
        for other in _partners(database, rows, rank, named, ordered=ordered):
            yield database, other


def pairs_needed(
    universe: Iterable[Row],
    size: int,
    neighbours: Neighbours | str,
    *,
    ordered: bool = True,
    limit: int = PAIRS_AT_MOST,
) -> int:
    """An upper bound on the number of neighbouring pairs, refused if it is 0 or exceeds `limit`.

    >>> pairs_needed("AB", 2, Neighbours.REPLACE)
    4
    """
    rows, size, named = _check_universe(universe, size, neighbours)
    choices = len(rows)
    counts = {n: choices**n if ordered else comb(choices + n - 1, n) for n in _lengths(size, named)}
    match named:
        case Neighbours.REPLACE:
            pairs = counts[size] * size * (choices - 1) // 2
        case Neighbours.ADD_OR_REMOVE:
            pairs = sum(count * n for n, count in counts.items())
        case _:
            assert_never(named)
    if not pairs:
        raise InvalidInput(
            "size", size, "no two databases are neighbours; give a larger size or universe"
        )
    if pairs > count_of(limit, "limit"):
        raise TooLarge(
            f"{choices} kinds of row and size {size} make {sum(counts.values()):,} databases and up to {pairs:,} "
            f"pairs of neighbours, and the limit is {limit:,}; take a smaller universe or size, "
            "ordered=False if order never matters, or a higher `limit`"
        )
    return pairs


def distance(
    x: Sequence[object], y: Sequence[object], neighbours: Neighbours | str, *, ordered: bool = True
) -> int:
    """The number of single steps from `x` to `y`: rows replaced, or rows added and removed.

    >>> r = [[1, 2], [5, 6], [7, 8], [11, 5]]
    >>> s = [[1, 2], [5, 7], [7, 8], [5, 11]]
    >>> v = [[5, 6], [1, 2], [7, 8], [11, 5]]
    >>> distance(r, s, Neighbours.REPLACE), distance(r, v, Neighbours.REPLACE)
    (2, 2)
    >>> distance(r, v, Neighbours.REPLACE, ordered=False)
    0
    """
    x, y, named = _rows_of(x), _rows_of(y), relation(neighbours)
    match named:
        case Neighbours.REPLACE:
            if len(x) != len(y):
                raise InvalidData(
                    f"databases of {len(x)} and {len(y)} rows have no distance under replace; "
                    "give databases of one size, or measure under add-or-remove"
                )
            return (
                sum(a != b for a, b in zip(x, y, strict=True))
                if ordered
                else len(x) - _count_shared(x, y)
            )
        case Neighbours.ADD_OR_REMOVE:
            return len(x) + len(y) - 2 * (_longest_common(x, y) if ordered else _count_shared(x, y))
        case _:
            assert_never(named)


def _check_universe(
    universe: Iterable[Row], size: int, neighbours: Neighbours | str
) -> tuple[Database, int, Neighbours]:
    rows, named = tuple(universe), relation(neighbours)
    try:
        kinds = len(set(rows))
    except TypeError:
        raise InvalidInput(
            "universe", universe, "rows must be hashable: write a list as a tuple"
        ) from None
    if not rows or kinds != len(rows):
        raise InvalidInput("universe", universe, "name at least one kind of row, each of them once")
    return rows, count_of(size, "size"), named


def _lengths(size: int, neighbours: Neighbours) -> range:
    match neighbours:
        case Neighbours.REPLACE:
            return range(size, size + 1)
        case Neighbours.ADD_OR_REMOVE:
            return range(size + 1)
        case _:
            assert_never(neighbours)


def _partners(
    database: Database,
    rows: Database,
    rank: dict[Row, int],
    neighbours: Neighbours,
    *,
    ordered: bool,
) -> Iterator[Database]:
    """The neighbours that come after `database` (replace) or are shorter by one (add-or-remove), each once."""
    match neighbours:
        case Neighbours.REPLACE:
            found = (
                (*database[:i], row, *database[i + 1 :])
                for i, old in enumerate(database)
                for row in rows[rank[old] + 1 :]
            )
        case Neighbours.ADD_OR_REMOVE:
            found = ((*database[:i], *database[i + 1 :]) for i in range(len(database)))
        case _:
            assert_never(neighbours)
    if not ordered:
        found = (tuple(sorted(other, key=rank.__getitem__)) for other in found)
    yield from dict.fromkeys(found)


def _rows_of(database: Sequence[object]) -> list[object]:
    """The rows as a list that can be compared with ==, also when they come as a NumPy array."""
    to_list = getattr(database, "tolist", None)
    return list(database) if to_list is None else list(to_list())


def _count_shared(x: Sequence[object], y: Sequence[object]) -> int:
    """How many rows of `x` find a partner of their own in `y`."""
    left = list(y)
    for row in x:
        if row in left:
            left.remove(row)
    return len(y) - len(left)


def _longest_common(x: Sequence[object], y: Sequence[object]) -> int:
    """The length of the longest common subsequence."""
    best = [0] * (len(y) + 1)
    for row in x:
        before = best
        best = [0]
        for position, other in enumerate(y, start=1):
            best.append(
                before[position - 1] + 1 if row == other else max(before[position], best[-1])
            )
    return best[-1]
