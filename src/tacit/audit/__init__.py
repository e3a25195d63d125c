"""Whether a mechanism keeps its promise: exact verification over every neighbour of a small universe."""

from tacit.audit.attacks import ATTACKS, AttackReport
from tacit.audit.databases import databases, distance, neighbouring_pairs
from tacit.audit.distributions import Truncated, truncated
from tacit.audit.elections import election, plurality
from tacit.audit.enclosure import Enclosure
from tacit.audit.frontier import Breakpoint, Frontier, Witness
from tacit.audit.games import posterior, posterior_shift
from tacit.audit.leaky import name_and_shame, one_random_row
from tacit.audit.report import Report
from tacit.audit.sensitivity import FoundSensitivity, sensitivity_by_search
from tacit.audit.verify import compare, verify

__all__ = [
    "ATTACKS",
    "AttackReport",
    "Breakpoint",
    "Enclosure",
    "FoundSensitivity",
    "Frontier",
    "Report",
    "Truncated",
    "Witness",
    "compare",
    "databases",
    "distance",
    "election",
    "name_and_shame",
    "neighbouring_pairs",
    "one_random_row",
    "plurality",
    "posterior",
    "posterior_shift",
    "sensitivity_by_search",
    "truncated",
    "verify",
]
