"""A tour of the mechanisms on a small survey, with a picture: what `make demo` shows."""

from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tacit.audit import verify
from tacit.exact import below, upper, working
from tacit.mechanisms import Gaussian, Laplace, RandomizedResponse, analytic_gaussian_sigma
from tacit.privacy import Neighbours, Norm, Sensitivity

__all__ = ["main"]

_AGES = 90
_PICTURE = Path("out") / "tour.png"


def main() -> None:
    """Nothing; but the tour is printed and its picture written."""
    ages = _survey()
    _count(ages)
    _histogram(ages)
    _gaussian(ages)
    _coins(ages)
    _verified()
    _draw(_PICTURE)
    print(f"\nThe picture is in {_PICTURE}.")


def _survey(people: int = 2_000) -> NDArray[np.int64]:
    """Ages between 0 and 89, made up anew at every call; the tour needs no real person."""
    return np.asarray(below(45, people) + below(46, people), dtype=np.int64)


def _headline(text: str) -> None:
    print(f"\n{text}\n{'-' * len(text)}")


def _count(ages: NDArray[np.int64]) -> None:
    _headline("1. One count")
    older = int((ages >= 65).sum())
    counter = Laplace.calibrate(epsilon=Fraction(1, 2), sensitivity=1)
    print(f"People of 65 or more, released at epsilon 1/2:  {counter.release(older)}")
    print(
        f"The noise stays within ±{counter.error(0.95)} with probability 95 %, known before anything is released."
    )
    sharper = Laplace.within(error=2, confidence=0.95)
    price = sharper.loss(1).renyi(float("inf"))
    with working():
        cost = float(upper(price)) if price is not None else float("nan")
    print(f"To stay within ±2 instead, the price would be epsilon {cost:.2f}.")


def _histogram(ages: NDArray[np.int64]) -> None:
    _headline("2. A histogram, in one release")
    decades = np.bincount(ages // 10, minlength=_AGES // 10)
    moved = Sensitivity(2, Norm.L1, Neighbours.REPLACE, dimension=len(decades))
    mechanism = Laplace.calibrate(epsilon=1, sensitivity=moved)
    noisy = mechanism.release(decades)
    print("Decade   " + "".join(f"{10 * decade:>7}" for decade in range(len(decades))))
    print("Released " + "".join(f"{count:>7}" for count in noisy))
    print(
        f"Replacing one person moves two cells by one, so the scale is {mechanism.scale}; all nine cells are within",
        end=" ",
    )
    print(f"±{mechanism.error(0.95, answers=len(decades))} together, 95 times in 100.")


def _gaussian(ages: NDArray[np.int64]) -> None:
    _headline("3. Gaussian noise, calibrated on its own law")
    own = Gaussian.calibrate(epsilon=8, delta=1e-6, sensitivity=1)
    borrowed = analytic_gaussian_sigma(epsilon=8, delta=1e-6, sensitivity=1)
    with working():
        reached = Gaussian(borrowed).loss(1).delta(Fraction(8))
        factor = float(upper(reached)) / 1e-6 if reached is not None else float("nan")
    print(f"For epsilon 8 and delta 1e-6, integer noise needs sigma {float(own.sigma):.4f}.")
    print(
        f"The formula for continuous noise says {float(borrowed):.4f}; on integers its delta is",
        end=" ",
    )
    print(f"{factor:.1f} times the claim.")
    mean = Gaussian(sigma=Fraction(1, 4), grid=Fraction(1, 1024)).release(float(ages.mean()))
    print(f"A real number on a grid of 1/1024: the mean age, released as {mean}.")


def _coins(ages: NDArray[np.int64]) -> None:
    _headline("4. Randomized response: nobody is trusted")
    smokes = (ages % 4 == 0).astype(np.int64)
    coins = RandomizedResponse.two_coin()
    judged = coins.estimate(coins.release(smokes))[1]
    print(f"Everyone answers with two coins of their own (epsilon = ln 3 = {coins.epsilon:.4f}).")
    print(
        f"Estimated share of smokers: {100 * float(judged.share):.1f} %, standard deviation",
        end=" ",
    )
    print(
        f"{100 * judged.deviation / len(smokes):.1f} points; the plain share of yes-answers would be biased."
    )


def _verified() -> None:
    _headline("5. Verified, not believed")
    coins = RandomizedResponse.two_coin()
    report = verify(
        lambda rows: coins.distribution(int(str(rows[0]))),
        universe=(0, 1),
        size=1,
        neighbours=Neighbours.REPLACE,
    )
    print("Every neighbouring pair of two-coin answers, enumerated in exact fractions:")
    print(f"e**epsilon is exactly {report.ratio()}, and no pair exceeds it.")


def _draw(path: Path) -> None:
    """The exact laws of two kinds of noise, and how the error falls with the price."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    path.parent.mkdir(exist_ok=True)
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    places = np.arange(-12, 13)
    for label, mechanism in (("Laplace, scale 3", Laplace(3)), ("Gaussian, sigma 3", Gaussian(3))):
        with working():
            masses = [
                float(upper(mechanism.distribution(0).probability(int(place)))) for place in places
            ]
        drawn = mechanism.release(0, times=100_000)
        seen = [(drawn == place).mean() for place in places]
        (line,) = left.plot(places, masses, label=f"{label}: exact law")
        left.plot(places, seen, "o", ms=4, color=line.get_color(), label="100,000 draws")
    left.set(title="Exact noise", xlabel="noise", ylabel="probability")
    left.legend(frameon=False, fontsize=8)
    prices = [Fraction(k, 20) for k in range(1, 41)]
    right.plot(
        prices,
        [Laplace.calibrate(price, 1).error(0.95) for price in prices],
        drawstyle="steps-mid",
        label="one count",
    )
    both = Sensitivity(2, Norm.L1, Neighbours.REPLACE, dimension=9)
    right.plot(
        prices,
        [Laplace.calibrate(price, both).error(0.95, 9) for price in prices],
        drawstyle="steps-mid",
        label="nine cells together",
    )
    right.set(title="What a price buys", xlabel="epsilon", ylabel="± at 95 %", yscale="log")
    right.yaxis.set_major_formatter("{x:g}")
    right.legend(frameon=False, fontsize=8)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)
    plt.close(figure)


if __name__ == "__main__":
    main()
