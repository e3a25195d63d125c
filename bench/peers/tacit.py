"""Ours: the exact samplers, the mechanisms on top of them, and the accounting."""

from fractions import Fraction
from typing import Any

import numpy as np
from ages import EPSILON, HIGHEST, LOWEST, mean_misranked, ranks, samples
from cases import COMPOSITIONS, DELTA, NOISES, SAMPLES, Composition, Noise, Step
from timing import best, best_draw, best_of, emit, serve

from tacit.accounting import total
from tacit.exact import discrete_gaussian, discrete_laplace
from tacit.mechanisms import (
    Cells,
    Gaussian,
    HistogramQuantiles,
    JointQuantiles,
    Laplace,
    RecursiveQuantiles,
    quantiles_for,
)
from tacit.privacy import GaussianLoss, LaplaceLoss, Loss, Neighbours, Sensitivity

DRAWS = 2_000


def noise() -> None:
    """Samples per CPU second of samplers and mechanisms, and seconds for a single release."""
    integers, reals = np.zeros(SAMPLES, np.int64), np.zeros(SAMPLES)
    for case in NOISES:
        emit("tacit sampler", case, rate=SAMPLES / best(sampled, case))
        emit("tacit integers", case, rate=SAMPLES / best(mechanism(case).release, integers))
        emit(
            "tacit reals",
            case,
            rate=SAMPLES / best(mechanism(case, fine_grid(case)).release, reals),
        )
        draw = best_draw(mechanism(case).release, 0, DRAWS)
        first = best_of(first_release, case.variants())
        emit("tacit", case, draw=draw, first=first)


def mechanism(case: Noise, grid: Fraction | None = None) -> Laplace | Gaussian:
    """The mechanism with this noise, on integers or on a grid for reals."""
    return Laplace(case.scale, grid) if case.law == "Laplace" else Gaussian(case.scale, grid)


def first_release(case: Noise) -> int:
    """A release by a mechanism that has to make its tables first."""
    return int(mechanism(case).release(0))


def sampled(case: Noise) -> Any:
    """Noise alone, without a mechanism around it."""
    if case.law == "Laplace":
        return discrete_laplace(case.scale, SAMPLES)
    return discrete_gaussian(case.scale**2, SAMPLES)


def fine_grid(case: Noise) -> Fraction:
    """The power of two at or just below a millionth of the noise."""
    return Fraction(1 << (case.scale.__floor__().bit_length() - 1), 1 << 20)


def accounting() -> None:
    """Epsilon and seconds of every composition."""
    for case in COMPOSITIONS:
        seconds = best_of(epsilon, case.variants())
        emit("tacit", case.name, epsilon=epsilon(case), seconds=seconds)


def epsilon(composition: Composition) -> float:
    """The certified epsilon of all steps."""
    return float(total([loss(step) * step.times for step in composition.steps]).epsilon(DELTA))


def loss(step: Step) -> Loss:
    """What one step costs when its answer moves by 1."""
    moved = 1 / step.noise.scale
    whole: Loss = (
        LaplaceLoss(moved) if step.noise.law == "Laplace" else GaussianLoss(squared=moved**2)
    )
    return whole if step.sampled == 1 else whole.subsample(step.sampled)


def quantiles() -> None:
    """How many people are misranked, and seconds, by every way there is; counting the ages is part of it."""
    grid = Cells(LOWEST, HIGHEST)
    one, moved = Sensitivity(1), Sensitivity(1, neighbours=Neighbours.REPLACE)
    ways = {
        "tacit, chosen": lambda wanted: quantiles_for(EPSILON, one, grid.count, wanted),
        "tacit, chosen, replace": lambda wanted: quantiles_for(EPSILON, moved, grid.count, wanted),
        "tacit, histogram": lambda wanted: HistogramQuantiles.calibrate(
            EPSILON, one, grid.count, wanted
        ),
        "tacit, joint": lambda wanted: JointQuantiles.calibrate(EPSILON, one, wanted),
        "tacit, joint, replace": lambda wanted: JointQuantiles.calibrate(EPSILON, moved, wanted),
        "tacit, recursive": lambda wanted: RecursiveQuantiles.calibrate(EPSILON, one, wanted),
    }
    for who, made in ways.items():
        for count in (29, 99):
            wanted = [Fraction(k, count + 1) for k in range(1, count + 1)]
            mechanism: Any = made(wanted)

            def release(ages: Any, mechanism: Any = mechanism) -> list[int]:
                return list(mechanism.release(grid.weigh(ages)))

            between, beyond = mean_misranked(release, ranks(count))
            seconds = best(release, next(samples(1)))
            emit(
                who,
                "ages",
                **{f"{count}": between, f"{count} beyond": beyond, f"seconds {count}": seconds},
            )


if __name__ == "__main__":
    from our_images import components, images
    from our_learning import large, learning
    from our_synthetic import synthetic
    from our_synthetic_scale import learn_from_rows, never_worse, scale

    serve(
        noise=noise,
        accounting=accounting,
        quantiles=quantiles,
        synthetic=synthetic,
        never_worse=never_worse,
        scale=scale,
        learn_from_rows=learn_from_rows,
        learning=learning,
        large=large,
        images=images,
        components=components,
    )
