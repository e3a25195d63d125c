"""The pictures of the page on the net mechanism and multiplicative weights: errors beside their bounds.

Run `python docs/pictures/classical.py`; it writes net-mechanism.png and multiplicative-weights.png beside itself.
"""

from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from tacit.mechanisms import MultiplicativeWeights, Net, NetMechanism

__all__ = ["main"]

HERE = Path(__file__).parent
INK, WARM = "#33415c", "#bc6c25"
QUERIES = [(1, 0, 0), (0, 1, 1), (1, 0, 1)]
COUNTS = (1, 7, 4)
PARITIES = [query for query in product((0, 1), repeat=8) if sum(query) == 4]
PEOPLE = (300, 20, 60, 5, 10, 250, 5, 350)


def draw_net() -> None:
    """The exact expected error of the net mechanism, its 95 % point, and the bound, over epsilon."""
    net = Net.find(QUERIES, n=sum(COUNTS), alpha=Fraction(1, 2))
    errors = -net.scores(COUNTS) / (net.rows * sum(COUNTS))
    epsilons = np.geomspace(0.5, 32, 13)
    mean, high, bound = [], [], []
    for epsilon in epsilons:
        mechanism = NetMechanism.calibrate(net, float(epsilon))
        chances = np.array([float(each) for each in mechanism.distribution(COUNTS).values()])
        order = np.argsort(errors)
        mean.append(float(chances @ errors))
        high.append(errors[order][np.searchsorted(np.cumsum(chances[order]), 0.95)])
        bound.append(mechanism.usefulness(0.05))
    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    axes = figure.subplots()
    axes.plot(epsilons, bound, color=WARM, linestyle="--", label="bound at 95 %")
    axes.plot(
        epsilons, high, color=INK, drawstyle="steps-post", label="95 % of releases stay below"
    )
    axes.plot(epsilons, mean, color=INK, linestyle=":", label="mean error")
    axes.axhline(float(errors.min()), color="#a0a0a0", linewidth=0.8)
    axes.annotate("nearest of the net", (0.52, float(errors.min()) + 0.015), fontsize=8)
    axes.set_xscale("log")
    axes.set_ylim(0, 1)
    axes.set_xlabel("epsilon")
    axes.set_ylabel("largest error of all answers")
    axes.set_title(f"Net of {len(net.databases)} databases of {net.rows} rows", fontsize=11)
    axes.legend(frameon=False)
    figure.savefig(HERE / "net-mechanism.png", dpi=150)


def draw_weights() -> None:
    """The mean largest error of multiplicative weights over 20 runs, by the number of rounds and epsilon."""
    rounds = (1, 2, 4, 8, 16, 32)
    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    axes = figure.subplots()
    for epsilon, style in ((0.1, ":"), (0.3, "--"), (3, "-")):
        errors = []
        for count in rounds:
            weights = MultiplicativeWeights.calibrate(PARITIES, epsilon, count, sum(PEOPLE))
            found = [weights.error(PEOPLE, weights.release(PEOPLE)) for _ in range(20)]
            errors.append(np.mean(found))
        axes.plot(rounds, errors, color=INK, linestyle=style, label=f"epsilon {epsilon:g}")
    axes.set_xscale("log", base=2)
    axes.set_ylim(0)
    axes.set_xlabel("rounds")
    axes.set_ylabel("largest error of all answers")
    axes.set_title(
        f"Multiplicative weights: {len(PARITIES)} questions, {sum(PEOPLE):,} rows", fontsize=11
    )
    axes.legend(frameon=False)
    figure.savefig(HERE / "multiplicative-weights.png", dpi=150)


def main() -> None:
    """Draw both."""
    draw_net()
    draw_weights()


if __name__ == "__main__":
    main()
