"""diffprivlib's mechanisms: one value a call, so a loop is the only way to many."""

from math import log, sqrt
from typing import Any

from ages import EPSILON, HIGHEST, LOWEST, mean_misranked, ranks, samples
from cases import NOISES, Noise
from diffprivlib.mechanisms import Gaussian, Laplace  # type: ignore[import-not-found]
from diffprivlib.tools import quantile  # type: ignore[import-not-found]
from timing import best, best_draw, emit, serve

SAMPLES = 20_000


def noise() -> None:
    """Samples per CPU second of `randomise`, which is also the price of one draw."""
    for case in NOISES:
        seconds = best_draw(mechanism(case).randomise, 0.0, SAMPLES)
        emit("diffprivlib", case, rate=1 / seconds, draw=seconds)


def mechanism(case: Noise) -> Any:
    """The mechanism whose noise has this scale: diffprivlib asks for epsilon and sensitivity instead."""
    scale = float(case.scale)
    if case.law == "Laplace":
        return Laplace(epsilon=1.0, sensitivity=scale)
    epsilon, delta = 0.5, 1e-6
    return Gaussian(
        epsilon=epsilon, delta=delta, sensitivity=scale * epsilon / sqrt(2 * log(1.25 / delta))
    )


def quantiles() -> None:
    """How many people are misranked, and seconds; epsilon is split among the quantiles."""
    for count in (29, 99):
        wanted = ranks(count)

        def release(ages: Any, wanted: list[float] = wanted) -> Any:
            return quantile(ages, wanted, epsilon=EPSILON, bounds=(LOWEST, HIGHEST))

        between, beyond = mean_misranked(release, wanted)
        seconds = best(release, next(samples(1)))
        emit(
            "diffprivlib",
            "ages",
            **{f"{count}": between, f"{count} beyond": beyond, f"seconds {count}": seconds},
        )


def learning(part: str = "all") -> None:
    """Its classifiers, linear regression and k-means, by the bounds that our policy declares; see `peer_learning`."""
    from peer_learning import learning as work

    work(part)


if __name__ == "__main__":
    serve(noise=noise, quantiles=quantiles, learning=learning)
