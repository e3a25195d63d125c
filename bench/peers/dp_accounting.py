"""dp-accounting: Renyi accounting, the rival, and privacy-loss distributions, for information."""

from functools import partial

import dp_accounting as da  # type: ignore[import-not-found]
from cases import COMPOSITIONS, DELTA, Composition, Step
from dp_accounting import pld, rdp
from timing import best_of, emit, serve

ACCOUNTANTS = {"dp-accounting RDP": rdp.RdpAccountant, "dp-accounting PLD": pld.PLDAccountant}
EVENTS = {"Gaussian": da.GaussianDpEvent, "Laplace": da.LaplaceDpEvent}


def accounting() -> None:
    """Epsilon and seconds of every composition."""
    for case in COMPOSITIONS:
        for who, accountant in ACCOUNTANTS.items():
            epsilon = partial(epsilon_by, accountant)
            seconds = best_of(epsilon, case.variants())
            emit(who, case.name, epsilon=epsilon(case), seconds=seconds)


def epsilon_by(accountant: type, composition: Composition) -> float:
    """The epsilon that an accountant gives for all steps."""
    book = accountant()
    for step in composition.steps:
        book.compose(event(step), step.times)
    return float(book.get_epsilon(DELTA))


def event(step: Step) -> object:
    """A step in dp-accounting's terms."""
    drawn = EVENTS[step.noise.law](float(step.noise.scale))
    return drawn if step.sampled == 1 else da.PoissonSampledDpEvent(float(step.sampled), drawn)


if __name__ == "__main__":
    serve(accounting=accounting)
