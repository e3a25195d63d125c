"""The attack lab: why releases that look safe are not, and what the same attacks find in Tacit's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from tacit.audit.attacks.averaging import averaging
from tacit.audit.attacks.background_knowledge import background_knowledge
from tacit.audit.attacks.bayesian_adversary import bayesian_adversary
from tacit.audit.attacks.cell_bounds import cell_bounds, frechet_bounds, linear_bounds, margins_of
from tacit.audit.attacks.dalenius import dalenius
from tacit.audit.attacks.differencing import differencing
from tacit.audit.attacks.homogeneity import homogeneity
from tacit.audit.attacks.intersection import intersection
from tacit.audit.attacks.k_anonymity import anonymity, generalise
from tacit.audit.attacks.local_sensitivity import local_sensitivity
from tacit.audit.attacks.low_bits import low_bits
from tacit.audit.attacks.made_up_town import town
from tacit.audit.attacks.membership import membership
from tacit.audit.attacks.name_and_shame import name_and_shame
from tacit.audit.attacks.non_negative import non_negative
from tacit.audit.attacks.random_row import random_row
from tacit.audit.attacks.reconstruction import reconstruction
from tacit.audit.attacks.report import AttackReport, Line, Rate
from tacit.audit.attacks.timing import timing

__all__ = [
    "ATTACKS",
    "AttackReport",
    "Line",
    "Rate",
    "anonymity",
    "averaging",
    "background_knowledge",
    "bayesian_adversary",
    "cell_bounds",
    "dalenius",
    "differencing",
    "frechet_bounds",
    "generalise",
    "homogeneity",
    "intersection",
    "linear_bounds",
    "local_sensitivity",
    "low_bits",
    "margins_of",
    "membership",
    "name_and_shame",
    "non_negative",
    "random_row",
    "reconstruction",
    "timing",
    "town",
]

ATTACKS: Mapping[str, Callable[[], AttackReport]] = MappingProxyType(
    {
        "averaging": averaging,
        "differencing": differencing,
        "reconstruction": reconstruction,
        "membership": membership,
        "homogeneity": homogeneity,
        "background-knowledge": background_knowledge,
        "intersection": intersection,
        "cell-bounds": cell_bounds,
        "bayesian-adversary": bayesian_adversary,
        "dalenius": dalenius,
        "name-and-shame": name_and_shame,
        "random-row": random_row,
        "low-bits": low_bits,
        "timing": timing,
        "non-negative": non_negative,
        "local-sensitivity": local_sensitivity,
    }
)
"""Every attack of the lab by the name it has on the command line."""
