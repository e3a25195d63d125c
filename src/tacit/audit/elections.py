"""Elections that hide each ballot: added random voters, re-randomised rows, plurality with random ties."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product

from tacit.errors import InvalidInput
from tacit.exact import count_of

__all__ = ["election", "plurality"]

Candidate = Hashable


def plurality(ballots: Sequence[Candidate]) -> dict[Candidate, Fraction]:
    """The chance of each candidate to win: most votes, a tie broken uniformly at random.

    >>> plurality("AAB")
    {'A': Fraction(1, 1)}
    >>> plurality("ABC")["C"]
    Fraction(1, 3)
    """
    votes = Counter(ballots)
    best = max(votes.values(), default=0)
    winners = [candidate for candidate, count in votes.items() if count == best]
    return {candidate: Fraction(1, len(winners)) for candidate in winners}


def election(
    candidates: Sequence[Candidate], added: int = 1, rerandomised: int = 1
) -> Callable[[tuple[Candidate, ...]], dict[Candidate, Fraction]]:
    """A mechanism for `verify` that takes the ballots and returns every candidate's exact chance to win.

    First `added` voters join who vote uniformly at random. Then `rerandomised` different rows, drawn
    uniformly from all rows with the added ones among them, are each replaced by a fresh uniform vote (which
    may repeat the old one). Then plurality decides, ties broken uniformly. Nothing but the winner is published.

    Claim:      the probabilities are exact.
    Because:    all choices of rows and all random votes are equally likely, and all of them are enumerated.
    Checked by: tests/unit/audit/test_elections.py

    >>> election("ABCDE", added=1, rerandomised=0)(("A", "B"))["C"]
    Fraction(1, 15)
    >>> election("ABCDE", added=1, rerandomised=1)(("A", "B"))["C"]
    Fraction(23, 225)
    """
    running = tuple(candidates)
    added, rerandomised = count_of(added, "added"), count_of(rerandomised, "rerandomised")
    if not running or len(set(running)) != len(running):
        raise InvalidInput(
            "candidates", candidates, "name at least one candidate, each of them once"
        )

    def chances(ballots: tuple[Candidate, ...]) -> dict[Candidate, Fraction]:
        totals = dict.fromkeys(running, Fraction(0))
        if not ballots and not added:
            return {candidate: Fraction(1, len(running)) for candidate in running}
        cases = Counter(_ballot_boxes(ballots, running, added, rerandomised))
        share = Fraction(1, cases.total())
        for box, times in cases.items():
            for candidate, chance in plurality(box).items():
                totals[candidate] += times * share * chance
        return totals

    return chances


def _ballot_boxes(
    ballots: tuple[Candidate, ...], running: tuple[Candidate, ...], added: int, rerandomised: int
) -> Iterator[tuple[Candidate, ...]]:
    """Every ballot box that may come to be counted, all of them equally likely."""
    voters = len(ballots) + added
    if rerandomised > voters:
        raise InvalidInput(
            "rerandomised",
            rerandomised,
            f"there are {voters} rows, added ones included; take no more",
        )
    rank = {candidate: position for position, candidate in enumerate(running)}
    for extra in product(running, repeat=added):
        for chosen in combinations(range(voters), rerandomised):
            for fresh in product(running, repeat=rerandomised):
                box = [*ballots, *extra]
                for row, vote in zip(chosen, fresh, strict=True):
                    box[row] = vote
                yield tuple(sorted(box, key=rank.__getitem__))
