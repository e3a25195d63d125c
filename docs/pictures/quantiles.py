"""The pictures of two how-to pages: what a quantile's draw looks like, and what above-threshold calls.

Run `python docs/pictures/quantiles.py`; it writes quantiles.png and find-what-exceeds.png beside itself.
"""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from tacit.exact import upper, working
from tacit.mechanisms import AboveThreshold, Quantile, quantiles_for

__all__ = ["main"]

_BLUE, _ORANGE, _GREY = "#1b4f8a", "#c8501e", "#999999"
# How many people are of each age from 0 on: made up, to look like a town.
AGES = np.array(
    [round(14 * np.exp(-(((age - 34) / 24) ** 2)) + 3 * (age < 75)) for age in range(101)]
)


def main() -> None:
    """Both pictures, as PNG files beside this one."""
    import matplotlib as mpl

    mpl.use("Agg")
    here = Path(__file__).parent
    for name, drawn in {"quantiles": _quantiles(), "find-what-exceeds": _threshold()}.items():
        drawn.savefig(here / f"{name}.png", dpi=130)


def _sheets() -> tuple[Any, Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    return figure, left, right


def _quantiles() -> Any:
    """The law of a median at three prices, and many quantiles against the exact ones."""
    figure, left, right = _sheets()
    median = int(np.searchsorted(np.cumsum(AGES), AGES.sum() / 2))
    shown = range(median - 8, median + 9)
    for epsilon, colour in (
        (Fraction(1, 20), _GREY),
        (Fraction(1, 5), _ORANGE),
        (Fraction(1), _BLUE),
    ):
        with working():
            law = Quantile.calibrate(epsilon, 1, Fraction(1, 2)).distribution(AGES)
            chances = [float(upper(law[age])) for age in shown]
        left.plot(
            list(shown), chances, "o-", ms=3, color=colour, label=f"epsilon {float(epsilon):g}"
        )
    left.axvline(median, color="#cccccc", linewidth=1, zorder=0)
    left.set(
        title=f"Which age is called the median of {AGES.sum():,} people",
        xlabel="age",
        ylabel="probability",
    )
    left.legend(frameon=False, fontsize=9)
    ranks = [Fraction(k, 30) for k in range(1, 30)]
    shares = np.cumsum(AGES) / AGES.sum()
    right.step(range(101), shares, where="mid", color=_GREY, linewidth=1, label="exact")
    for epsilon, colour in ((Fraction(1, 5), _ORANGE), (Fraction(1), _BLUE)):
        released = quantiles_for(epsilon, 1, 101, ranks).release(AGES)
        right.plot(
            released,
            [float(rank) for rank in ranks],
            "o",
            ms=4,
            color=colour,
            label=f"epsilon {float(epsilon):g}",
        )
    right.set(title="Twenty-nine quantiles in one release", xlabel="age", ylabel="rank")
    right.legend(frameon=False, fontsize=9)
    return figure


def _threshold() -> Any:
    """How likely a value is called above, and how the error grows with the number of questions."""
    figure, left, right = _sheets()
    values = list(range(-60, 61, 3))
    for epsilon, colour in ((Fraction(1, 4), _ORANGE), (Fraction(1), _BLUE)):
        mechanism = AboveThreshold.calibrate(epsilon, 1)
        with working():
            chances = [
                float(upper(mechanism.distribution([value], 0)[(True,)])) for value in values
            ]
        left.plot(values, chances, color=colour, label=f"epsilon {float(epsilon):g}")
    left.set(title="One question", xlabel="value - threshold", ylabel="probability of yes")
    left.axvline(0, color="#cccccc", linewidth=1, zorder=0)
    left.legend(frameon=False, fontsize=9)
    asked = [round(10 ** (k / 4)) for k in range(17)]
    for count, colour in ((1, _BLUE), (5, _ORANGE)):
        mechanism = AboveThreshold.calibrate(1, 1, count)
        name = "one yes" if count == 1 else f"up to {count} yeses"
        right.plot(asked, [mechanism.error(0.95, n) for n in asked], color=colour, label=name)
        right.plot(
            asked,
            [mechanism.error_bound(0.95, n) for n in asked],
            color=colour,
            linestyle=":",
            label="its theorem",
        )
    right.set(
        title="Any number of questions, epsilon 1",
        xlabel="questions",
        ylabel="± at 95 %",
        xscale="log",
    )
    right.set_ylim(bottom=0)
    right.legend(frameon=False, fontsize=9)
    return figure


if __name__ == "__main__":
    main()
