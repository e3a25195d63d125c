"""OpenDP's vector and scalar mechanisms, and its zCDP composition."""

from functools import partial
from typing import Any

import numpy as np
import opendp.prelude as dp  # type: ignore[import-not-found]
from ages import EPSILON, HIGHEST, LOWEST, mean_misranked, ranks, samples
from cases import COMPOSITIONS, DELTA, NOISES, SAMPLES, Composition, Noise, Step
from timing import best, best_draw, best_of, emit, serve

dp.enable_features("contrib")
DRAWS = 2_000
MAKERS = {"Laplace": dp.m.make_laplace, "Gaussian": dp.m.make_gaussian}


def noise(count: int, repetitions: int) -> None:
    """Samples per CPU second on vectors of zeros, and seconds for a single integer."""
    for case in NOISES:
        for kind, zeros in (("integers", np.zeros(count, np.int32)), ("floats", np.zeros(count))):
            seconds = best(vector(case, integers=kind == "integers"), zeros, least=repetitions)
            emit(f"OpenDP {kind}", case, rate=count / seconds)
        emit("OpenDP", case, draw=best_draw(scalar(case, int), 0, DRAWS))


def vector(case: Noise, integers: bool) -> Any:
    """The mechanism for vectors; integers have 32 bits, OpenDP's own default: 64 were as fast."""
    kind = int if integers else float
    atoms = dp.atom_domain(T=int) if integers else dp.atom_domain(T=float, nan=False)
    metric = dp.l1_distance(T=kind) if case.law == "Laplace" else dp.l2_distance(T=float)
    return MAKERS[case.law](dp.vector_domain(atoms), metric, scale=float(case.scale))


def scalar(case: Noise, kind: type) -> Any:
    """The mechanism for one number."""
    atoms = dp.atom_domain(T=int) if kind is int else dp.atom_domain(T=float, nan=False)
    metric = dp.absolute_distance(T=kind if case.law == "Laplace" else float)
    return MAKERS[case.law](atoms, metric, scale=float(case.scale))


def accounting() -> None:
    """Epsilon and seconds of the compositions that OpenDP has: it knows no Poisson subsampling."""
    for case in COMPOSITIONS:
        if any(step.sampled != 1 for step in case.steps):
            continue
        seconds = best_of(epsilon, case.variants())
        emit("OpenDP zCDP", case.name, epsilon=epsilon(case), seconds=seconds)


def epsilon(composition: Composition) -> float:
    """By zero-concentrated privacy, which every step can be turned into."""
    measurements = [
        measurement
        for step in composition.steps
        for measurement in [concentrated(step)] * step.times
    ]
    return float(
        dp.c.make_zCDP_to_approxDP(dp.c.make_composition(measurements)).map(1.0).epsilon(DELTA)
    )


def concentrated(step: Step) -> Any:
    """A step as a mechanism with a zCDP guarantee."""
    measurement = scalar(step.noise, float)
    return dp.c.make_pureDP_to_zCDP(measurement) if step.noise.law == "Laplace" else measurement


def quantiles() -> None:
    """How many people are misranked, and seconds: by noise on a tree of counts, and by scored candidates."""
    for count in (29, 99):
        wanted = ranks(count)
        ways = {"OpenDP, tree": tree(wanted), "OpenDP, candidates": candidates(wanted)}
        for who, release in ways.items():
            between, beyond = mean_misranked(release, wanted)
            seconds = best(release, next(samples(1)))
            emit(
                who,
                "ages",
                **{f"{count}": between, f"{count} beyond": beyond, f"seconds {count}": seconds},
            )


def tree(wanted: list[float]) -> Any:
    """A tree of counts, cut as OpenDP advises and made to agree; a quantile is the first year that reaches it."""
    years = list(range(LOWEST, HIGHEST + 1))
    branching = dp.t.choose_branching_factor(size_guess=len(years))
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
    counts = space >> dp.t.then_count_by_categories(years, null_category=False)
    grown = counts >> dp.t.then_b_ary_tree(leaf_count=len(years), branching_factor=branching)
    noisy = dp.binary_search_chain(lambda scale: grown >> dp.m.then_laplace(scale), 1, EPSILON)
    agreed = noisy >> dp.t.make_consistent_b_ary_tree(branching_factor=branching)

    def release(ages: Any) -> Any:
        upto = np.cumsum(agreed(ages.tolist()))
        return np.minimum(np.searchsorted(upto, np.array(wanted) * upto[-1]), HIGHEST)

    return release


def candidates(wanted: list[float]) -> Any:
    """Every year a candidate, scored for one quantile after the other; each gets its share of epsilon."""
    years = list(range(LOWEST, HIGHEST + 1))
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()

    def scored(rank: float) -> Any:
        scores = space >> dp.t.then_quantile_score_candidates(years, rank)
        return dp.binary_search_chain(
            lambda scale: (
                scores >> dp.m.then_noisy_max(dp.max_divergence(), scale=scale, negate=True)
            ),
            1,
            EPSILON / len(wanted),
        )

    each = [scored(rank) for rank in wanted]
    return lambda ages: [one(ages.tolist()) for one in each]


if __name__ == "__main__":
    serve(
        noise=partial(noise, SAMPLES // 10, 2),
        noise_full=partial(noise, SAMPLES, 1),
        accounting=accounting,
        quantiles=quantiles,
    )
