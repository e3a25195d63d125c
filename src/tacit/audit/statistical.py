"""The statistical audit: what any mechanism certainly gives away, judged from what it returns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.accounting import total
from tacit.audit.binomial import share_at_least, share_at_most
from tacit.audit.events import Event, best_event, by_epsilon, by_mu
from tacit.audit.outcome_bins import Cells, views_of
from tacit.audit.runs import Outputs, Release, release_of, runs_of
from tacit.errors import InvalidInput
from tacit.exact import (
    Number,
    at_least,
    ball,
    count_of,
    float_at_most,
    log,
    lower,
    normal_quantile,
    upper,
    working,
)
from tacit.privacy import Loss

__all__ = ["Evidence", "Findings", "audit", "claimed_epsilon"]

Counts = NDArray[np.int64]
Seen = dict[int, tuple[Cells, Counts, Counts]]

_PREVIEW = 1 << 17
_FEWEST = 100
FIRST, SECOND = 0, 1
"""The two databases of a pair."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """An event that was chosen in advance, how often it happened on either database, and what that certifies.

    It happened in `hits` of `runs` runs on the database that it favours, and in `alarms` of as many on the other; its
    probability is at least `low` there and at most `high` here, but for the audit's chance of failure.
    """

    event: Event
    runs: int
    hits: int
    alarms: int
    low: Fraction
    high: Fraction

    def epsilon(self, delta: Fraction) -> Fraction:
        """A certified lower bound on epsilon at `delta`, not below zero.

        Claim:      if the probabilities are at least `low` and at most `high`, no smaller epsilon holds at `delta`.
        Because:    low <= e**epsilon high + delta is what (epsilon, delta) promises of this event.
        Checked by: tests/unit/audit/test_statistical.py
        """
        if self.low - delta <= self.high:
            return Fraction(0)
        with working():
            return max(Fraction(0), lower(log((self.low - delta) / self.high)))

    def mu(self) -> Fraction:
        """A certified lower bound on mu, not below zero.

        Claim:      if the probabilities are at least `low` and at most `high`, the mechanism is not Gaussian-DP for
                    any smaller mu.
        Because:    mu-GDP promises that a test with false alarms of `high` at most hits with probability at most
                    Phi(mu + Phi^-1(high)) (Dong, Roth, Su 2022).
        Checked by: tests/unit/audit/test_statistical.py
        """
        if not self.low > self.high:
            return Fraction(0)
        with working():
            return max(Fraction(0), lower(normal_quantile(self.low) - normal_quantile(self.high)))

    def __str__(self) -> str:
        return (
            f"{self.event}: {_rate(self.hits, self.runs)} on one database and {_rate(self.alarms, self.runs)} on the "
            f"other, so probabilities of at least {float(self.low):.6g} and of at most {float(self.high):.6g}"
        )

    __repr__ = __str__

    @property
    def total_variation(self) -> Fraction:
        """A certified lower bound on delta at epsilon 0."""
        return max(Fraction(0), self.low - self.high)


@dataclass(frozen=True, eq=False)
class Findings:
    """What an audit certifies: lower bounds that all hold together, with probability at least `confidence`.

    `claimed` is the claimed epsilon at `delta`, `claimed_mu` the claimed mu; a claim below its bound is refuted.
    """

    subject: str
    pair: tuple[object, object]
    samples: int
    confidence: Fraction
    delta: Fraction
    evidence: tuple[Evidence, ...]
    counts: tuple[tuple[Cells, Counts, Counts], ...]
    claimed: Fraction | None
    claimed_mu: Fraction | None

    @property
    def witness(self) -> Evidence:
        """The evidence for the bound on epsilon."""
        return max(self.evidence, key=lambda each: each.epsilon(self.delta))

    @property
    def witness_mu(self) -> Evidence:
        """The evidence for the bound on mu."""
        return max(self.evidence, key=lambda each: each.mu())

    @property
    def epsilon(self) -> float:
        """The certified lower bound on epsilon at `delta`, rounded down."""
        return self.epsilon_at(self.delta)

    @property
    def mu(self) -> float:
        """The certified lower bound on mu, rounded down."""
        return _rounded_down(max(each.mu() for each in self.evidence))

    def epsilon_at(self, delta: Number) -> float:
        """The certified lower bound on epsilon at another delta; the events were chosen for `self.delta`."""
        given = at_least(delta, "delta")
        return _rounded_down(max(each.epsilon(given) for each in self.evidence))

    @property
    def total_variation(self) -> float:
        """The certified lower bound on delta at epsilon 0, rounded down."""
        return _rounded_down(max(each.total_variation for each in self.evidence))

    @property
    def refuted(self) -> bool:
        """Whether a claim is certainly false; if there is none, nothing is refuted."""
        return self.refuted_epsilon or self.refuted_mu

    @property
    def refuted_epsilon(self) -> bool:
        """Whether the claimed epsilon is certainly too small."""
        return self.claimed is not None and self.witness.epsilon(self.delta) > self.claimed

    @property
    def refuted_mu(self) -> bool:
        """Whether the claimed mu is certainly too small."""
        return self.claimed_mu is not None and self.witness_mu.mu() > self.claimed_mu

    def plot(self, path: str | Path | None = None) -> Any:
        """What came out on either database, and the witness against the claim; a matplotlib figure."""
        from tacit.audit.pictures import findings_picture

        return findings_picture(self, path)

    def __str__(self) -> str:
        found, other = self.witness, self.pair[1 - self.witness.event.favours]
        epsilon = f"  epsilon is at least {self.epsilon:.4f} at delta {float(self.delta):g}"
        rates = (
            f"{_rate(found.hits, found.runs)} on {_short(self.pair[found.event.favours])}, "
            f"{_rate(found.alarms, found.runs)} on {_short(other)}"
        )
        lines = [
            f"{self.subject}: {self.samples:,} runs on each of two databases, confidence 1 - {_small(self)}",
            epsilon + _verdict(self.claimed, self.refuted_epsilon),
            f"  mu is at least {self.mu:.4f}" + _verdict(self.claimed_mu, self.refuted_mu),
            f"  witness: {found.event}: {rates}",
        ]
        return "\n".join(lines)


def audit(
    mechanism: object,
    pair: tuple[object, object],
    samples: int = 100_000,
    confidence: Number = 0.99,
    *,
    delta: Number = 0,
    claimed: Loss | Number | None = None,
    claimed_mu: Number | None = None,
    subject: str | None = None,
) -> Findings:
    """Certified lower bounds on epsilon at `delta` and on mu, from so many runs on each database of a pair.

    The mechanism is one with `release`, or any function from data to an output: a number, a string, a tuple.  A
    function with a parameter `times` is asked for many outputs at once.  Runs must be independent of each other.

    Claim:      all bounds hold together with probability at least `confidence`, whatever the mechanism does: one that
                keeps its claim on this pair is accused with probability at most 1 - confidence.
    Because:    the three events (for epsilon, one each way round; for mu) are fixed by the first half of the runs
                and counted on the second, which is independent of them.  Each has two bounds by Clopper and Pearson,
                each of the six fails with probability (1 - confidence)/6 at most, and both bounds of an event are used
                on the safe side.
    Checked by: tests/attacks/test_statistical_audit.py

    >>> from tacit.mechanisms import Laplace
    >>> found = audit(Laplace(scale=1), (0, 1), samples=20_000, confidence=0.999999, claimed=1)
    >>> 0.7 < found.epsilon <= 1, found.refuted
    (True, False)
    >>> audit(Laplace(scale=1), (0, 2), samples=20_000, confidence=0.999999, claimed=1).refuted
    True
    """
    release, runs = release_of(mechanism), count_of(samples, "samples", least=_FEWEST)
    wanted, failure = at_least(delta, "delta"), 1 - at_least(confidence, "confidence")
    if not 0 < failure < Fraction(1, 2):
        raise InvalidInput(
            "confidence", confidence, "give a probability above 1/2 and below 1, such as 0.999999"
        )
    if not 0 <= wanted < 1:
        raise InvalidInput("delta", delta, "give a probability from 0 to below 1")
    if len(pair) != 2:
        raise InvalidInput(
            "pair", pair, "give two databases, or two exact answers, that are neighbours"
        )
    each = failure / 6
    events, _first = _choose_events(release, pair, runs // 2, wanted, each)
    second = _observe(release, pair, runs - runs // 2, [event.cells for event in events])
    return Findings(
        subject or _name(mechanism),
        (pair[0], pair[1]),
        runs,
        1 - failure,
        wanted,
        tuple(_measure_event(event, second, each) for event in events),
        tuple(second.values()),
        None if claimed is None else claimed_epsilon(claimed, wanted),
        None if claimed_mu is None else at_least(claimed_mu, "claimed_mu"),
    )


def _choose_events(
    release: Release, pair: tuple[object, object], runs: int, delta: Fraction, failure: Fraction
) -> tuple[tuple[Event, ...], Seen]:
    """The events to measure, from the first half of the runs, and what that half looked like."""
    streams = [runs_of(release, data, runs) for data in pair]
    previews = [_preview(stream) for stream in streams]
    views = views_of(*previews)
    counts = [
        _count_cells(views, preview, stream)
        for preview, stream in zip(previews, streams, strict=True)
    ]
    seen = list(zip(views, *counts, strict=True))
    aims = ((FIRST, by_epsilon(delta)), (SECOND, by_epsilon(delta)), (FIRST, by_mu()))
    events = tuple(best_event(seen, favours, aim, failure)[1] for favours, aim in aims)
    return events, {id(each[0]): each for each in seen}


def _observe(release: Release, pair: tuple[object, object], runs: int, views: list[Cells]) -> Seen:
    """What fresh runs on either database look like, through views that were fixed before."""
    each = list({id(view): view for view in views}.values())
    counts = [_count_cells(each, [], runs_of(release, data, runs)) for data in pair]
    return {id(view): (view, *both) for view, *both in zip(each, *counts, strict=True)}


def _measure_event(event: Event, seen: Seen, failure: Fraction) -> Evidence:
    """What counts say about an event, if it was chosen without them."""
    _, *counts = seen[id(event.cells)]
    runs = int(counts[FIRST].sum())
    both = [int(count[event.inside].sum()) for count in counts]
    hits, alarms = both[event.favours], both[1 - event.favours]
    low, high = share_at_least(hits, runs, failure), share_at_most(alarms, runs, failure)
    return Evidence(event, runs, hits, alarms, low, high)


def _preview(stream: Iterator[Outputs]) -> list[Outputs]:
    """The first blocks, enough of them to draw the cells by."""
    kept: list[Outputs] = []
    for block in stream:
        kept.append(block)
        if sum(len(each) for each in kept) >= _PREVIEW:
            break
    return kept


def _count_cells(views: list[Cells], first: list[Outputs], rest: Iterator[Outputs]) -> list[Counts]:
    """How many outputs fall into each cell, for every view."""
    counts = [np.zeros(view.count, dtype=np.int64) for view in views]
    for blocks in (first, rest):
        for block in blocks:
            for number, view in enumerate(views):
                counts[number] += np.bincount(view.places(block), minlength=view.count)
    return counts


def claimed_epsilon(claimed: Loss | Number, delta: Fraction) -> Fraction:
    """The epsilon that a number or a loss claims at `delta`, read so that nobody is accused who meant a little more."""
    if not isinstance(claimed, Loss):
        return at_least(claimed, "claimed")
    pure = None if delta else claimed.pure()
    if pure is None:
        return at_least(float(total(claimed).epsilon(delta)), "claimed")
    with working():
        return upper(ball(pure))


def _rounded_down(exact: Fraction) -> float:
    return float_at_most(exact) + 0.0  # zero, not minus zero


def _name(mechanism: object) -> str:
    name = getattr(mechanism, "__qualname__", None)
    # of a function inside another its own name alone
    return str(name).rpartition(".")[2].strip("<>") if name else _short(mechanism)


def _small(findings: Findings) -> str:
    return f"{float(1 - findings.confidence):g}"


def _verdict(claimed: Fraction | None, refuted: bool) -> str:
    return (
        ""
        if claimed is None
        else f"; claimed {float(claimed):.6g}, {'REFUTED' if refuted else 'not refuted'}"
    )


def _rate(hits: int, runs: int) -> str:
    return f"{hits:,} of {runs:,} times"


def _short(data: object) -> str:
    text = repr(data)
    return text if len(text) <= 60 else text[:57] + "..."
