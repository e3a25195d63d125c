"""How losses add up: compose, convert, amplify, calibrate, trade-off curves, filters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.accounting.privacy_filters import (
    DELTA_UNIT,
    EPSILON_UNIT,
    RHO_UNIT,
    Charge,
    ConcentratedFilter,
    Filter,
    PureFilter,
)
from tacit.later import later

if TYPE_CHECKING:
    from tacit.accounting.bound_protocol import Bound, Profile
    from tacit.accounting.calibration import least_noise, most_releases, split_epsilon, split_rho
    from tacit.accounting.certified_float import Figure
    from tacit.accounting.odometer import Odometer
    from tacit.accounting.parallel_composition import OneOf, Parallel, parallel
    from tacit.accounting.sampled_steps import sampled_multiplier, sampled_rho
    from tacit.accounting.selected_trials import (
        mean_trials,
        selected_epsilon,
        selected_rho,
        stop_for,
        trial_epsilon,
        trial_rho,
    )
    from tacit.accounting.tightest_bound import BOUNDS
    from tacit.accounting.totals import Total, total


__all__ = [
    "BOUNDS",
    "Bound",
    "Charge",
    "ConcentratedFilter",
    "DELTA_UNIT",
    "EPSILON_UNIT",
    "Figure",
    "Filter",
    "Odometer",
    "OneOf",
    "Parallel",
    "Profile",
    "PureFilter",
    "RHO_UNIT",
    "Total",
    "least_noise",
    "mean_trials",
    "most_releases",
    "parallel",
    "sampled_multiplier",
    "sampled_rho",
    "selected_epsilon",
    "selected_rho",
    "split_epsilon",
    "split_rho",
    "stop_for",
    "total",
    "trial_epsilon",
    "trial_rho",
]

_LATER = {
    "BOUNDS": "tightest_bound",
    "Bound": "bound_protocol",
    "Figure": "certified_float",
    "Odometer": "odometer",
    "OneOf": "parallel_composition",
    "Parallel": "parallel_composition",
    "Profile": "bound_protocol",
    "Total": "totals",
    "least_noise": "calibration",
    "mean_trials": "selected_trials",
    "most_releases": "calibration",
    "parallel": "parallel_composition",
    "sampled_multiplier": "sampled_steps",
    "sampled_rho": "sampled_steps",
    "selected_epsilon": "selected_trials",
    "selected_rho": "selected_trials",
    "split_epsilon": "calibration",
    "split_rho": "calibration",
    "stop_for": "selected_trials",
    "total": "totals",
    "trial_epsilon": "selected_trials",
    "trial_rho": "selected_trials",
}

__getattr__ = later(__name__, _LATER)
