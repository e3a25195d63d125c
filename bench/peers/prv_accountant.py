"""prv-accountant: privacy random variables composed by Fourier transforms."""

import warnings

from cases import COMPOSITIONS, DELTA, Composition, Step
from prv_accountant import (  # type: ignore[import-not-found]
    GaussianMechanism,
    LaplaceMechanism,
    PoissonSubsampledGaussianMechanism,
    PRVAccountant,
)
from timing import best_of, emit, serve

ERROR = 0.1  # of epsilon, on either side: what its own documentation uses


def accounting() -> None:
    """Epsilon and seconds of every composition."""
    warnings.simplefilter("ignore")
    for case in COMPOSITIONS:
        # Some of these take seconds: three times are enough.
        seconds = best_of(epsilon, list(case.variants())[:3], least=3)
        emit("prv-accountant", case.name, epsilon=epsilon(case), seconds=seconds)


def epsilon(composition: Composition) -> float:
    """The upper end of epsilon for all steps."""
    variables = [variable(step) for step in composition.steps]
    counts = [step.times for step in composition.steps]
    accountant = PRVAccountant(
        prvs=variables, max_self_compositions=counts, eps_error=ERROR, delta_error=DELTA / 1000
    )
    return float(accountant.compute_epsilon(delta=DELTA, num_self_compositions=counts)[2])


def variable(step: Step) -> object:
    """A step in prv-accountant's terms."""
    scale = float(step.noise.scale)
    if step.sampled != 1:
        return PoissonSubsampledGaussianMechanism(
            noise_multiplier=scale, sampling_probability=float(step.sampled)
        )
    if step.noise.law == "Gaussian":
        return GaussianMechanism(noise_multiplier=scale)
    return LaplaceMechanism(mu=1 / scale)


if __name__ == "__main__":
    serve(accounting=accounting)
