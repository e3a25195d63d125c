"""How a bounded answer becomes a release: exact noise that states its own loss and error."""

from tacit.mechanisms.accuracy import (
    crossover,
    error_of_mean,
    error_of_response,
    gaussian_bound,
    laplace_bound,
    people_for_mean,
    people_for_response,
)
from tacit.mechanisms.after import clamped, rounded
from tacit.mechanisms.gaussian import Gaussian, analytic_gaussian_sigma, classical_gaussian_sigma
from tacit.mechanisms.laplace import Laplace
from tacit.mechanisms.law import GaussianLaw, LaplaceLaw, Law, Released
from tacit.mechanisms.mechanism import Mechanism
from tacit.mechanisms.response import Estimate, RandomizedResponse
from tacit.mechanisms.steps import steps_moved_squared

__all__ = [
    "Estimate",
    "Gaussian",
    "GaussianLaw",
    "Laplace",
    "LaplaceLaw",
    "Law",
    "Mechanism",
    "RandomizedResponse",
    "Released",
    "analytic_gaussian_sigma",
    "clamped",
    "classical_gaussian_sigma",
    "crossover",
    "error_of_mean",
    "error_of_response",
    "gaussian_bound",
    "laplace_bound",
    "people_for_mean",
    "people_for_response",
    "rounded",
    "steps_moved_squared",
]
