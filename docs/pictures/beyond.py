"""The picture of the page on smooth sensitivity: two samples, and the laws of their released medians.

Run `python docs/pictures/beyond.py`; it writes smooth-sensitivity.png beside itself.
"""

from fractions import Fraction
from pathlib import Path

import numpy as np

from tacit.mechanisms import SmoothQuantile, StudentNoise

__all__ = ["main"]

_BLUE, _ORANGE, _GREY = "#1b4f8a", "#c8501e", "#999999"
_HIGH = 120


def main() -> None:
    """The picture, as a PNG file beside this one."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    places = np.arange(_HIGH + 1)
    median = SmoothQuantile(Fraction(1, 2), 0, _HIGH, StudentNoise.calibrate(1))
    samples = {"dense": 40 + np.arange(401) // 20, "sparse": 10 + np.arange(41) * 5 // 2}
    for (name, rows), colour in zip(samples.items(), (_BLUE, _ORANGE), strict=True):
        law = [float(mass.mid()) for mass in median.distribution(rows).values()]
        label = f"{name}: {len(rows)} rows, smooth bound {float(median.bound(rows)):.1f}"
        left.plot(places, law, color=colour, label=label)
    left.set_xlabel("released median, epsilon 1")
    left.set_ylabel("probability")
    left.legend(frameon=False, fontsize=8)
    counts = [11, 21, 41, 101, 201, 401, 1001, 2001]
    for epsilon, colour in ((0.3, _GREY), (1, _BLUE), (3, _ORANGE)):
        noise = StudentNoise.calibrate(epsilon)
        smooth = SmoothQuantile(Fraction(1, 2), 0, _HIGH, noise)
        bounds = [float(smooth.bound(20 + np.arange(n) * 50 // n)) for n in counts]
        right.loglog(counts, bounds, "o-", color=colour, ms=3, label=f"epsilon {epsilon}")
    right.axhline(_HIGH, color=_GREY, lw=0.8)
    right.annotate("global sensitivity", (counts[-3], _HIGH * 0.78), fontsize=8, color=_GREY)
    right.set_xlabel("rows, evenly from 20 to 70")
    right.set_ylabel("smooth bound of the median")
    right.legend(frameon=False, fontsize=8)
    figure.savefig(Path(__file__).parent / "smooth-sensitivity.png", dpi=110)


if __name__ == "__main__":
    main()
