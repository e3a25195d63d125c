"""diffprivlib's mechanisms: one value a call, so a loop is the only way to many."""

from math import log, sqrt
from typing import Any

from cases import NOISES, Noise
from diffprivlib.mechanisms import Gaussian, Laplace  # type: ignore[import-not-found]
from timing import best_draw, emit, serve

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
    return Gaussian(epsilon=epsilon, delta=delta, sensitivity=scale * epsilon / sqrt(2 * log(1.25 / delta)))


if __name__ == "__main__":
    serve(noise=noise)
