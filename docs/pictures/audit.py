"""The pictures of a how-to page: what an audit found out about two mechanisms, and what an attacker believes.

Run `python docs/pictures/audit.py`; it writes audit-a-mechanism.png, audit-refuted.png and posterior-games.png beside
itself.
"""

from fractions import Fraction
from pathlib import Path
from typing import Any

from tacit.audit import Findings, Games, audit, posterior_games
from tacit.exact import discrete_laplace
from tacit.mechanisms import Laplace, RandomizedResponse
from tacit.privacy import Neighbours

__all__ = ["main"]

SURE = 1 - Fraction(1, 10**6)


def main() -> None:
    """All pictures, as PNG files beside this one."""
    import matplotlib as mpl

    mpl.use("Agg")
    here = Path(__file__).parent
    _sound().plot(here / "audit-a-mechanism.png")
    _refuted().plot(here / "audit-refuted.png")
    _games().plot(here / "posterior-games.png")


def _sound() -> Findings:
    """A Laplace mechanism that keeps its claim."""
    mechanism = Laplace(scale=4)
    return audit(
        mechanism, (0, 4), 10**6, SURE, claimed=mechanism.loss(4), subject="Laplace noise, scale 4"
    )


def _refuted() -> Findings:
    """Laplace noise that is drawn again until the answer is not negative."""

    def resampled(count: int, times: int) -> Any:
        drawn = count + discrete_laplace(Fraction(2), times)
        while (bad := drawn < 0).any():
            drawn[bad] = count + discrete_laplace(Fraction(2), int(bad.sum()))
        return drawn

    subject = "Laplace noise, redrawn until not negative"
    return audit(resampled, (0, 1), 10**6, SURE, claimed=Fraction(1, 2), subject=subject)


def _games() -> Games:
    """Three people answer with two coins each; only how many said yes is told."""
    coins = RandomizedResponse.two_coin()
    # The first two are siblings and mostly alike; the third is seldom a yes.
    siblings = {(a, b): Fraction(3 if a == b else 1, 8) for a in (0, 1) for b in (0, 1)}
    prior = {
        (*pair, c): chance * Fraction(3 - 2 * c, 4)
        for pair, chance in siblings.items()
        for c in (0, 1)
    }
    return posterior_games(
        prior,
        lambda rows: coins.reports_law(sum(rows), len(rows) - sum(rows)),
        Neighbours.REPLACE,
        default=0,
    )


if __name__ == "__main__":
    main()
