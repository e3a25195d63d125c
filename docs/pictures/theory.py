"""The pictures of the theory companion, as SVG: the same bytes every time.

Run `python docs/pictures/theory.py`; it writes into docs/theory. Only laws and bounds are drawn, nothing is sampled.
"""

from fractions import Fraction
from math import exp, log, sqrt
from pathlib import Path
from statistics import NormalDist

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tacit.accounting import total
from tacit.mechanisms import (
    RandomizedResponse,
    analytic_gaussian_sigma,
    gaussian_bound,
    laplace_bound,
)
from tacit.privacy import GaussianLoss, LaplaceLoss, PureLoss, Sensitivity

__all__ = ["main"]

FOLDER = Path(__file__).resolve().parents[1] / "theory"
INK, WARM, CALM = "#33415c", "#bc6c25", "#5b8e7d"


def draw_tradeoff() -> None:
    """The smallest miss rate against the false-alarm rate, of three mechanisms and of no mechanism."""
    figure, axes = new_figure()
    alphas = np.linspace(0, 1, 101)
    losses = {
        "any 1-DP mechanism, at worst": (PureLoss(1), INK, "-"),
        "Laplace, ε = 1": (LaplaceLoss(1), WARM, "--"),
        "Gaussian, μ = 1": (GaussianLoss(squared=1), CALM, "-."),
    }
    for label, (loss, color, style) in losses.items():
        whole = total(loss)
        curve = [whole.tradeoff(float(alpha)) for alpha in alphas]
        axes.plot(alphas, curve, color=color, linestyle=style, label=label)
    axes.plot([0, 1], [1, 0], color="#a0a0a0", linewidth=0.8, label="a blind guess")
    axes.set_xlabel("false alarms")
    axes.set_ylabel("misses, at least")
    save(figure, axes, "tradeoff")


def draw_composition() -> None:
    """Epsilon at delta = 1e-6 of k releases at epsilon 0.1, by four bounds."""
    figure, axes = new_figure()
    numbers = [1, 2, 5, 10, 20, 30, 50, 70, 100]
    found: dict[str, list[float]] = {}
    for count in numbers:
        for name, value in total(PureLoss(Fraction(1, 10)) * count).compare(delta=1e-6).items():
            found.setdefault(name, []).append(float(value))
    styles = {
        "basic": (INK, "-"),
        "advanced": (WARM, "--"),
        "zCDP": (CALM, ":"),
        "optimal": (INK, "-."),
    }
    for name, (color, style) in styles.items():
        axes.plot(numbers, found[name], color=color, linestyle=style, label=name)
    axes.set_xlabel("releases at ε = 0.1")
    axes.set_ylabel("ε of all, at δ = 10⁻⁶")
    save(figure, axes, "composition")


def draw_crossover() -> None:
    """The error of m counts with Laplace and with Gaussian noise."""
    figure, axes = new_figure()
    counts = [1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100]
    laplace = [laplace_bound(Sensitivity(m, dimension=m), 0.5, 0.05, answers=m) for m in counts]
    gaussian = [
        gaussian_bound(Sensitivity.root(m, dimension=m), 0.5, 1e-6, 0.05, answers=m) for m in counts
    ]
    axes.plot(counts, laplace, color=WARM, linestyle="--", label="Laplace: grows as m ln m")
    axes.plot(counts, gaussian, color=INK, label="Gaussian, δ = 10⁻⁶: grows as √(m ln m)")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("counts, each of which one person moves by 1")
    axes.set_ylabel("error of the worst, at ε = 1/2")
    save(figure, axes, "crossover")


def draw_two_coins() -> None:
    """The law of the number of yes among 100 students."""
    figure, axes = new_figure()
    coins = RandomizedResponse.two_coin()
    for holders, color in ((0, INK), (20, WARM), (100, CALM)):
        law = coins.reports_law(holders=holders, others=100 - holders)
        chances = [float(law[count]) for count in range(101)]
        axes.plot(range(101), chances, color=color, label=f"{holders} of 100 cheated")
    axes.set_xlabel("answers yes")
    axes.set_ylabel("probability")
    save(figure, axes, "two-coins")


def draw_gaussian_variance() -> None:
    """The variance by the classical and by the analytic formula, against epsilon and against delta."""
    figure = Figure(figsize=(8, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    epsilons = np.geomspace(0.1, 5, 25)
    classical = [2 * log(1.25 / 0.1) / e**2 for e in epsilons]
    analytic = [float(analytic_gaussian_sigma(float(e), 0.1, 1)) ** 2 for e in epsilons]
    left.plot(epsilons, classical, color=WARM, linestyle="--", label="classical")
    left.plot(epsilons, analytic, color=INK, label="analytic")
    left.axvspan(1, 5, color="#a0a0a0", alpha=0.25, linewidth=0)
    left.annotate("classical formula\nnot proved", (1.1, 60), fontsize=8)
    left.set_xlabel("ε, at δ = 0.1")
    deltas = np.geomspace(1e-8, 0.5, 25)
    classical = [2 * log(1.25 / d) / 0.01 for d in deltas]
    analytic = [float(analytic_gaussian_sigma(0.1, float(d), 1)) ** 2 for d in deltas]
    right.plot(deltas, classical, color=WARM, linestyle="--", label="classical")
    right.plot(deltas, analytic, color=INK, label="analytic")
    right.set_xlabel("δ, at ε = 0.1")
    for axes in (left, right):
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_ylabel("σ²")
    save(figure, left, "gaussian-variance")


def draw_likelihood() -> None:
    """The likelihood of a mean after one and after two samples, each with its largest value as one."""
    figure, axes = new_figure()
    means = np.linspace(-1, 6, 141)
    for samples, color, style in (((2.0,), WARM, "--"), ((2.0, 3.0), INK, "-")):
        centre = sum(samples) / len(samples)
        law = NormalDist(centre, 1 / sqrt(len(samples)))
        peak = law.pdf(centre)
        label = f"after {', '.join(map(str, samples))}"
        curve = [law.pdf(float(mean)) / peak for mean in means]
        axes.plot(means, curve, color=color, linestyle=style, label=label)
        axes.axvline(centre, color=color, linewidth=0.6)
    axes.set_xlabel("mean")
    axes.set_ylabel("likelihood, of its largest")
    save(figure, axes, "likelihood")


def draw_laplace() -> None:
    """Laplace noise on two neighbours: a ratio of e^epsilon at most, everywhere."""
    figure, axes = new_figure()
    outcomes = np.arange(-8, 12)
    for answer, color in ((1, INK), (2, WARM)):
        masses = [(1 - exp(-1)) / (1 + exp(-1)) * exp(-abs(o - answer)) for o in outcomes.tolist()]
        axes.plot(outcomes, masses, color=color, marker="o", markersize=3, label=f"count {answer}")
    axes.set_yscale("log")
    axes.set_xlabel("released number, ε = 1")
    axes.set_ylabel("probability")
    save(figure, axes, "laplace")


def new_figure() -> tuple[Figure, Axes]:
    """A figure of one panel."""
    figure = Figure(figsize=(6.4, 3.4), layout="constrained")
    return figure, figure.subplots()


def save(figure: Figure, axes: Axes, name: str) -> None:
    """Write the figure, without a date and with the same names of its parts every time."""
    axes.legend(frameon=False, fontsize=9)
    with mpl.rc_context({"svg.hashsalt": "tacit", "svg.fonttype": "none"}):
        figure.savefig(FOLDER / f"{name}.svg", metadata={"Date": None, "Creator": None})


def main() -> None:
    """Draw all of them."""
    draw_tradeoff()
    draw_composition()
    draw_crossover()
    draw_two_coins()
    draw_gaussian_variance()
    draw_likelihood()
    draw_laplace()


if __name__ == "__main__":
    main()
