"""Releases on disjoint parts of the data: each unit pays for the part it is in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import lru_cache

from tacit.accounting.totals import Total, losses_of
from tacit.errors import InvalidInput, TooLarge
from tacit.exact import Ball, count_of, upper
from tacit.frozen import frozen
from tacit.privacy import Composed, Loss, Neighbours, Order, is_loss

__all__ = ["OneOf", "Parallel", "parallel"]

_MOST_CASES = 1024


@frozen
class OneOf(Loss):
    """One of several losses, and it is not known which: every figure is the largest.

    Claim:      a figure that holds for each of the cases holds here.
    Because:    between any two neighbours the loss is that of one case.
    Checked by: tests/laws/test_accounting.py

    >>> from tacit.privacy import PureLoss
    >>> float(OneOf((PureLoss(1) * 1, PureLoss(2) * 1)).rho()) == float(PureLoss(2).rho())
    True
    """

    cases: tuple[Composed, ...]

    @property
    def neighbours(self) -> Neighbours:
        """The relation of the cases."""
        return self.cases[0].neighbours

    def delta(self, epsilon: Fraction) -> Ball | None:
        """The largest delta."""
        return self._largest(lambda case: Total(case).profile(epsilon)[0])

    def renyi(self, order: Order) -> Ball | None:
        """The largest divergence."""
        return self._largest(lambda case: case.renyi(order))

    def rho(self) -> Ball | None:
        """The largest rho."""
        return self._largest(lambda case: case.rho())

    def split_failure(self) -> tuple[Fraction, Loss]:
        """The largest failure, and one of the rests."""
        halves = [case.split_failure() for case in self.cases]
        failure = max(failure for failure, _ in halves)
        return failure, OneOf(tuple(rest for _, rest in halves)) if failure else self

    def group(self, size: int) -> OneOf:
        """One of the groups' losses."""
        return OneOf(tuple(case.group(size) for case in self.cases))

    def _largest(self, figure: Callable[[Composed], Ball | None]) -> Ball | None:
        found = [figure(case) for case in self.cases]
        return None if None in found else max((one for one in found if one is not None), key=upper)


@frozen
class Parallel(Loss):
    """Releases on the parts of a partition that was fixed in advance, as seen by a group of `size` units.

    Claim:      one unit costs the largest loss under add-or-remove, and the sum of two of them under replace.
    Because:    an added or removed unit changes one part; a replaced one may leave a part and enter another.  A group's
                units change parts k_1, k_2, ... times, each at most `size` times, and every way to do so is a case.
    Checked by: tests/laws/test_accounting.py
    """

    parts: tuple[tuple[Composed, int], ...]
    size: int = 1

    @property
    def neighbours(self) -> Neighbours:
        """The relation of the parts."""
        return self.parts[0][0].neighbours

    def cases(self) -> OneOf:
        """All ways in which the units of the group can touch the parts."""
        changes = min(
            self.size * self.neighbours.steps, self.size * sum(times for _, times in self.parts)
        )
        return _cases(self.parts, changes, self.size)

    def delta(self, epsilon: Fraction) -> Ball | None:
        """The largest delta of any case."""
        return self.cases().delta(epsilon)

    def renyi(self, order: Order) -> Ball | None:
        """The largest divergence of any case."""
        return self.cases().renyi(order)

    def rho(self) -> Ball | None:
        """The largest rho of any case."""
        return self.cases().rho()

    def split_failure(self) -> tuple[Fraction, Loss]:
        """The largest failure of any case, and one of the rests."""
        failure, rest = self.cases().split_failure()
        return (failure, rest) if failure else (failure, self)

    def group(self, size: int) -> Parallel:
        """The same parts, seen by a larger group."""
        return Parallel(self.parts, self.size * count_of(size, "the size of a group", least=1))


def parallel(*losses: Loss | Iterable[Loss]) -> Parallel:
    """The loss of releases on disjoint parts of the data, each unit being in one part, fixed in advance.

    Each loss is that of the release as a function of the whole data, of which it looks at its part only.

    >>> from tacit.accounting import total
    >>> from tacit.privacy import PureLoss
    >>> total(parallel(PureLoss(1), PureLoss(2), PureLoss(3))).epsilon(delta=0)
    3.0
    >>> total(parallel(PureLoss(e, Neighbours.REPLACE) for e in (1, 2, 3))).epsilon(delta=0)
    5.0
    """
    parts: Counter[Composed] = Counter()
    for given in losses:
        for loss in (given,) if is_loss(given) else losses_of(given):
            parts[Composed.of((loss, 1))] += 1
    if len({part.neighbours for part in parts}) != 1:
        raise InvalidInput(
            "the parts",
            "missing, or stated for two relations",
            "give the losses of all parts, for one relation",
        )
    return Parallel(tuple(parts.items()))


@lru_cache(maxsize=256)
def _cases(parts: tuple[tuple[Composed, int], ...], changes: int, most: int) -> OneOf:
    """Every way to spread so many changes over copies of the parts, each changed at most so often."""
    found: dict[Composed, None] = {}
    for count, way in enumerate(_ways(parts, changes, most)):
        if count >= _MOST_CASES:
            raise TooLarge(
                "a group can be spread over these parts in too many ways; bound the losses of the parts by one"
            )
        found[Composed.of(*((part.group(times), 1) for part, times in way))] = None
    return OneOf(tuple(found))


def _ways(
    parts: tuple[tuple[Composed, int], ...], changes: int, most: int
) -> Iterator[tuple[tuple[Composed, int], ...]]:
    """The ways as (part, how often it is changed), one for every copy that is."""
    if not parts:
        if not changes:
            yield ()
        return
    (part, copies), *others = parts
    for share in range(changes + 1):
        for shares in _partitions(share, most, copies):
            for way in _ways(tuple(others), changes - share, most):
                yield (*((part, times) for times in shares), *way)


def _partitions(whole: int, largest: int, most: int) -> Iterator[tuple[int, ...]]:
    """The ways to write a number as a sum of at most so many, none above the largest, in falling order."""
    if not whole:
        yield ()
    elif most:
        for first in range(min(whole, largest), 0, -1):
            for others in _partitions(whole - first, first, most - 1):
                yield (first, *others)
