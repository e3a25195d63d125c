"""The picture of docs/how-to/choose-the-best.md: who is chosen, and how far from the best."""

from fractions import Fraction
from pathlib import Path
from typing import Any

from tacit.exact import ball, upper, working
from tacit.mechanisms import Exponential, NoisyMax, PermuteAndFlip, Selection

__all__ = ["main"]

_PICTURE = Path(__file__).parent / "pictures" / "choose-the-best.png"
_VOTES = [30, 28, 27, 22, 21, 15, 9, 2]
_KINDS: dict[str, tuple[type[Selection], dict[str, Any]]] = {
    "exponential": (Exponential, {}),
    "permute-and-flip": (PermuteAndFlip, {}),
    "noisy max, Laplace": (NoisyMax, {"noise": "laplace"}),
}
_COLOURS = ("#1b4f8a", "#c8501e", "#2f7d4f")


def main() -> None:
    """Nothing; but the picture is written."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    prices = [Fraction(k, 40) for k in range(3, 61)]
    for turn, ((name, (kind, options)), colour) in enumerate(
        zip(_KINDS.items(), _COLOURS, strict=True)
    ):
        law = kind.calibrate(Fraction(1, 2), 1, monotone=True, **options).distribution(_VOTES)
        places = [place + 0.27 * (turn - 1) for place in range(len(_VOTES))]
        left.bar(
            places,
            [float(upper(chance)) for chance in law.values()],
            width=0.25,
            color=colour,
            label=name,
        )
        errors = [_expected(kind.calibrate(price, 1, monotone=True, **options)) for price in prices]
        right.plot(
            [float(price) for price in prices], errors, color=colour, linewidth=1.8, label=name
        )
    left.set(
        title="Who is chosen, epsilon 1/2", xlabel="votes of the candidate", ylabel="probability"
    )
    left.set_xticks(range(len(_VOTES)), [str(votes) for votes in _VOTES])
    right.set(
        title="What a price buys",
        xlabel="epsilon",
        ylabel="votes short of the best, on average",
        ylim=(0, None),
    )
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, fontsize=9)
    figure.savefig(_PICTURE, dpi=150)
    plt.close(figure)


def _expected(mechanism: Selection) -> float:
    """How many votes the chosen candidate has less than the best one, on average."""
    with working():
        law = mechanism.distribution(_VOTES).items()
        return float(
            upper(sum((chance * (max(_VOTES) - _VOTES[place]) for place, chance in law), ball(0)))
        )


if __name__ == "__main__":
    main()
