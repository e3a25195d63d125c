"""What an attacker believes after a release, with your row in it and with your row changed."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from tacit.audit.databases import Database
from tacit.audit.distributions import Distribution, Outcome, distribution_of
from tacit.audit.enclosure import Enclosure, Number, enclose, exp_of
from tacit.audit.verify import Mechanism
from tacit.errors import InvalidDistribution, InvalidInput, NotPrivate
from tacit.exact import PRECISION, working
from tacit.frozen import frozen
from tacit.privacy import Neighbours

__all__ = ["Games", "Shift", "posterior", "posterior_games", "posterior_shift"]

Belief = Mapping[Database, Fraction]
Enclosed = dict[Database, Enclosure]

ZERO = Enclosure(Fraction(0), Fraction(0))


def posterior(prior: Belief, mechanism: Mechanism, outcome: Outcome) -> dict[Database, Fraction]:
    """The attacker's belief about the database after seeing `outcome`, by Bayes' rule in rational arithmetic.

    >>> from tacit.audit import one_random_row
    >>> even = {("A", "B"): Fraction(1, 2), ("B", "B"): Fraction(1, 2)}
    >>> posterior(even, one_random_row, "B")[("B", "B")]
    Fraction(2, 3)
    """
    distribution_of(prior)
    weights = {
        database: belief * _chance(mechanism, database, outcome)
        for database, belief in prior.items()
    }
    total = sum(weights.values(), Fraction(0))
    if not total:
        raise InvalidDistribution(
            f"{outcome!r} cannot happen on any database the prior allows; give one that can"
        )
    return {database: weight / total for database, weight in weights.items()}


def posterior_shift(
    prior: Belief, mechanism: Mechanism, outcome: Outcome, change: Callable[[Database], Database]
) -> Fraction:
    """The total variation between the beliefs after `outcome` came from the database, and from `change` of it.

    Claim:      if `change` leads to a neighbour, or to the same database, and the mechanism's smallest e^epsilon is
                r, the shift is at most (r - 1)/(r + 1) = tanh(epsilon/2), for every prior and outcome. Replacing a
                row is two steps of add-or-remove and shifts by at most tanh(epsilon) there.
    Because:    the two posteriors are the same prior weighted by likelihoods whose quotient lies between 1/r and r;
                the largest shift puts r on a set of posterior mass s and 1/r elsewhere, and s = 1/(r + 1) is worst.
    Checked by: tests/laws/test_exact_verifier.py
    """
    seen = posterior(prior, mechanism, outcome)
    elsewhere = posterior(prior, lambda database: mechanism(change(database)), outcome)
    return sum((abs(seen[database] - elsewhere[database]) for database in seen), Fraction(0)) / 2


@frozen
class Shift:
    """How far a belief moves if one row is left out of the game, at one outcome; rows are counted from zero."""

    row: int
    outcome: Outcome
    shift: Enclosure


@dataclass(frozen=True, eq=False)
class Games:
    """The n + 1 games: an attacker sees a release of the database, or of the database without row 0, 1, …

    In game 0 the release is of the database itself; in the game of a row that row was replaced, or left out, before.
    The attacker does not know which game it is and believes in game 0.  `bound` is what no shift exceeds if the
    mechanism's claim is true.
    """

    prior: dict[Database, Fraction]
    rows: int
    outcomes: tuple[Outcome, ...]
    bound: Enclosure
    beliefs: dict[tuple[int | None, Outcome], Enclosed]

    def belief(self, row: int | None, outcome: Outcome) -> Enclosed:
        """What is believed after `outcome`, in the game without this row; with None, in the game with all rows."""
        return self.beliefs[row, outcome]

    def shift(self, row: int, outcome: Outcome) -> Enclosure:
        """The total variation between the beliefs with the row and without it."""
        return _total_variation(self.beliefs[None, outcome], self.beliefs[row, outcome])

    @property
    def shifts(self) -> tuple[Shift, ...]:
        """Every shift, by row and outcome."""
        return tuple(
            Shift(row, seen, self.shift(row, seen))
            for row in range(self.rows)
            for seen in self.outcomes
        )

    @property
    def worst(self) -> Shift:
        """The largest shift."""
        return max(self.shifts, key=lambda each: each.shift.high)

    @property
    def holds(self) -> bool:
        """Whether no shift certainly exceeds the bound."""
        return all(each.shift.low <= self.bound.high for each in self.shifts)

    def plot(self, path: str | Path | None = None) -> Any:
        """The beliefs at the worst outcome, and every shift against the bound; a matplotlib figure."""
        from tacit.audit.pictures import games_picture

        return games_picture(self, path)

    def __str__(self) -> str:
        worst = self.worst
        verdict = "within" if self.holds else "BEYOND"
        lines = [
            f"{self.rows + 1} games, {len(self.prior)} databases, {len(self.outcomes)} outcomes"
        ]
        lines += [
            f"  without row {each.row}, after {each.outcome!r}: {_format_enclosure(each.shift)}"
            for each in self.shifts
        ]
        lines.append(
            f"  the belief shifts by at most {_format_enclosure(worst.shift)}, "
            f"{verdict} the bound of {_format_enclosure(self.bound)}"
        )
        return "\n".join(lines)


def posterior_games(
    prior: Mapping[Any, Fraction],
    mechanism: Callable[[Any], object],
    neighbours: Neighbours,
    *,
    default: Hashable = None,
    claimed: Number | None = None,
) -> Games:
    """The n + 1 games on a small universe: a prior goes in, and beliefs with and without each row come out.

    Under replace the row becomes `default`, under add-or-remove it leaves.  The bound is that of the claimed epsilon;
    without a claim, of the smallest epsilon that holds for the pairs that the games compare.  Figures are exact
    rationals if the mechanism's probabilities are, and enclosures if they are balls.

    Claim:      no shift exceeds `bound` if the mechanism keeps `claimed`, or if nothing is claimed: for e**epsilon = r
                it is (r - 1)/(r + 1), which is tanh(epsilon / 2).
    Because:    that of `posterior_shift`; a row that is replaced, or leaves, is one step of the relation.
    Checked by: tests/unit/audit/test_posteriors.py

    >>> def two_coins(rows):
    ...     yes = Fraction(3, 4) if rows[0] == "yes" else Fraction(1, 4)
    ...     return {"yes": yes, "no": 1 - yes}
    >>> even = {("yes",): Fraction(1, 2), ("no",): Fraction(1, 2)}
    >>> games = posterior_games(even, two_coins, Neighbours.REPLACE, default="no")
    >>> games.worst.shift, games.bound
    (Enclosure(1/4), Enclosure(1/2))
    """
    rows = _count_rows(prior)
    if neighbours is Neighbours.REPLACE and default is None:
        remedy = "say which row takes the place of the one that is left out"
        raise InvalidInput("default", default, remedy)
    laws: dict[Database, Distribution] = {}

    def law(database: Database, row: int | None) -> Distribution:
        played = database if row is None else _drop_row(database, row, neighbours, default)
        if played not in laws:
            with working():
                laws[played] = distribution_of(mechanism(played))
        return laws[played]

    games = (None, *range(rows))
    played = {(game, database): law(database, game) for game in games for database in prior}
    outcomes = _outcomes(played.values())
    chances = {key: dict(one.listed) for key, one in played.items()}

    def chance(game: int | None, database: Database, outcome: Outcome) -> Enclosure:
        rest = Enclosure(Fraction(0), played[game, database].unlisted)
        return chances[game, database].get(outcome, rest)

    beliefs = {
        (game, outcome): _update_belief(
            prior, {database: chance(game, database, outcome) for database in prior}, outcome
        )
        for outcome in outcomes
        for game in games
    }
    if claimed is None:
        ratio = max(
            (
                _ratio(chance(None, database, outcome), chance(game, database, outcome))
                for game in games[1:]
                for database in prior
                for outcome in outcomes
            ),
            key=lambda found: found.high,
        )
    else:
        ratio = exp_of(enclose(claimed, "claimed"), PRECISION)
    bound = Enclosure(*((end - 1) / (end + 1) for end in (ratio.low, ratio.high)))
    return Games(dict(prior), rows, outcomes, bound, beliefs)


def _count_rows(prior: Mapping[Any, Fraction]) -> int:
    """How many rows each database of a prior has; a prior of several sizes is refused."""
    distribution_of(prior)
    sizes = {len(database) for database in prior}
    if len(sizes) != 1 or not (rows := sizes.pop()):
        remedy = "give databases of one size, of at least one row"
        raise InvalidInput("prior", "databases of several sizes", remedy)
    return rows


def _drop_row(database: Database, row: int, neighbours: Neighbours, default: Hashable) -> Database:
    """The database of the game without this row."""
    stands_in = (default,) if neighbours is Neighbours.REPLACE else ()
    return (*database[:row], *stands_in, *database[row + 1 :])


def _update_belief(prior: Belief, likely: Enclosed, outcome: Outcome) -> Enclosed:
    """Bayes' rule on enclosures: each weight at one end, all the others at the other."""
    weights = {
        x: Enclosure(belief * likely[x].low, belief * likely[x].high) for x, belief in prior.items()
    }
    least = sum((weight.low for weight in weights.values()), Fraction(0))
    most = sum((weight.high for weight in weights.values()), Fraction(0))
    if not least:
        raise NotPrivate(
            f"{outcome!r} can happen in one game and not in another: it proves that a row was there"
        )
    return {
        x: Enclosure(w.low / (most - w.high + w.low), w.high / (least - w.low + w.high))
        if w.high
        else ZERO
        for x, w in weights.items()
    }


def _total_variation(one: Enclosed, other: Enclosed) -> Enclosure:
    """The total variation between two beliefs."""
    low = high = Fraction(0)
    for database, mine in one.items():
        theirs = other[database]
        low += max(Fraction(0), mine.low - theirs.high, theirs.low - mine.high)
        high += max(mine.high - theirs.low, theirs.high - mine.low)
    return Enclosure(low / 2, min(high / 2, Fraction(1)))


def _ratio(one: Enclosure, other: Enclosure) -> Enclosure:
    """How many times likelier the likelier of the two is."""
    if not (one.low and other.low):
        if not (one.high or other.high):
            return Enclosure(Fraction(1), Fraction(1))
        raise NotPrivate(
            "an outcome can happen with a row and not without it, and no bound holds; claim an epsilon"
        )
    return Enclosure(
        max(Fraction(1), one.low / other.high, other.low / one.high),
        max(one.high / other.low, other.high / one.low),
    )


def _outcomes(laws: Any) -> tuple[Outcome, ...]:
    """Every listed outcome of any game, each once."""
    return tuple(dict.fromkeys(outcome for one in laws for outcome, _ in one.listed))


def _format_enclosure(number: Enclosure) -> str:
    return (
        str(number.low)
        if number.exact and number.low.denominator < 10**6
        else f"{float(number):.6f}"
    )


def _chance(mechanism: Mechanism, database: Database, outcome: Outcome) -> Fraction:
    distribution = distribution_of(mechanism(database))
    mass = dict(distribution.listed).get(outcome)
    if distribution.unlisted or (mass is not None and not mass.exact):
        raise InvalidDistribution(
            "beliefs are exact; give a mechanism with Fractions for all outcomes"
        )
    return Fraction(0) if mass is None else mass.low
