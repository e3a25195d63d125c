"""What an attack achieved, on a naive release and on Tacit's, and what theory says about both."""

from __future__ import annotations

from collections.abc import Iterator
from math import exp, log, sqrt
from typing import Any, Literal

from tacit.frozen import frozen

__all__ = ["AttackReport", "Line", "Rate", "Subject"]

Subject = Literal["naive", "tacit", "allowed", "other"]


@frozen
class Rate:
    """The score of independent tries, each from 0 to 1, and the share that theory expects where it knows one.

    >>> Rate(990, 1000, expected=0.99).share
    0.99
    """

    score: float
    tries: int
    expected: float | None = None

    @property
    def share(self) -> float:
        """The mean score; 0 if nothing was tried."""
        return self.score / self.tries if self.tries else 0.0

    @property
    def within(self) -> float:
        """How far luck may carry the share of so many tries, 95 times in 100: for scores of 0 and 1, by the normal law.

        >>> round(Rate(600, 1000).within, 3)
        0.03
        """
        return 1.96 * sqrt(self.share * (1 - self.share) / max(self.tries, 1))

    def agrees(self, false_alarm: float) -> bool:
        """Whether the share is as near to the expected one as it should be; a right one fails this rarely.

        Claim:      if the tries are independent with the expected mean, this is false with at most `false_alarm`.
        Because:    each side of the mean is left by so much with probability at most exp(-tries * divergence)
                    (Chernoff; Hoeffding 1963, theorem 1, for scores between 0 and 1).
        Checked by: tests/unit/audit/attacks/test_report.py

        >>> Rate(500, 1000, 0.5).agrees(1e-6), Rate(600, 1000, 0.5).agrees(1e-6)
        (True, False)
        """
        return (
            self.expected is None
            or _chance(self.share, self.expected, self.tries) > false_alarm / 2
        )

    def exceeds(self, allowed: float, false_alarm: float) -> bool:
        """Whether the share is above the allowed one by more than luck; if it is allowed, this is true rarely.

        >>> Rate(600, 1000).exceeds(0.5, 1e-6), Rate(400, 1000).exceeds(0.5, 1e-6)
        (True, False)
        """
        return self.share > allowed and _chance(self.share, allowed, self.tries) <= false_alarm

    def __str__(self) -> str:
        return f"{self.share:.1%} of {self.tries:,}"


@frozen
class Line:
    """One line of a picture: what it shows, of whom, its points, and whether they were measured."""

    label: str
    of: Subject
    across: tuple[float, ...]
    up: tuple[float, ...]
    measured: bool = False


@frozen
class AttackReport:
    """How often an attack succeeded on the naive release and on Tacit's, and the most that theory allows on Tacit's.

    `chance` is the rate of a blind guess. `also` holds further rates by name. `lines` are what `plot` draws on the
    right, with `across` below and `up` beside.
    """

    name: str
    question: str
    naive: Rate
    tacit: Rate
    allowed: float
    chance: float
    sentence: str
    also: tuple[tuple[str, Rate], ...] = ()
    lines: tuple[Line, ...] = ()
    across: str = ""
    up: str = "success rate"
    logarithmic: bool = False

    def complaints(self, false_alarm: float = 1e-6) -> list[str]:
        """What departs from theory, one sentence each; if theory is right, any at all with at most `false_alarm`."""
        each = false_alarm / (3 + len(self.also))
        return list(self._complaints(each))

    def _complaints(self, each: float) -> Iterator[str]:
        for what, rate in (("naive", self.naive), ("Tacit", self.tacit), *self.also):
            if not rate.agrees(each):
                yield f"{self.name}, {what}: {rate}, but theory expects {rate.expected:.1%}"
        if self.tacit.exceeds(self.allowed, each):
            yield f"{self.name}, Tacit: {self.tacit}, but theory allows no attack more than {self.allowed:.1%}"

    def plot(self, path: str | None = None) -> Any:
        """The rates as bars and, if there are lines, these beside them; written to `path` if one is given."""
        from tacit.audit.attacks.pictures import draw_report

        figure = draw_report(self)
        if path is not None:
            figure.savefig(path, dpi=130)
        return figure

    def __str__(self) -> str:
        named = (("the naive release", self.naive), ("Tacit's release", self.tacit), *self.also)
        width = max(len(what) for what, _ in named)
        lines = [f"{self.name}: {self.question}"]
        for what, rate in named:
            theory = "" if rate.expected is None else f"   in theory {rate.expected:.1%}"
            share = f"{rate.share:>6.1%} ± {100 * rate.within:.1f}"
            lines.append(f"  {what:<{width}}  {share} of {rate.tries:,}{theory}")
        lines.append(
            f"  a blind guess has {self.chance:.1%}; on Tacit's release no attack has more than {self.allowed:.1%}"
        )
        return "\n".join([*lines, self.sentence])


def _chance(share: float, mean: float, tries: int) -> float:
    """At most the probability that the mean of so many scores is so far from its expectation, on that side."""
    return exp(-tries * _divergence(share, mean))


def _divergence(p: float, q: float) -> float:
    """The Kullback-Leibler divergence of two coins; infinite where the second cannot do what the first does."""
    parts = 0.0
    for one, other in ((p, q), (1 - p, 1 - q)):
        if one > 0:
            if other <= 0:
                return float("inf")
            parts += one * log(one / other)
    return max(parts, 0.0)
