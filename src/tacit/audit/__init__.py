"""Whether a mechanism keeps its promise: exact verification on small universes, sampling, guided search."""

from __future__ import annotations

from tacit.audit.attacks import ATTACKS, AttackReport
from tacit.audit.audited_mechanisms import SUBJECTS, Subject, subject_of
from tacit.audit.counterexamples import name_and_shame, one_random_row
from tacit.audit.databases import databases, distance, neighbouring_pairs
from tacit.audit.distributions import Truncated, truncate
from tacit.audit.elections import election, plurality
from tacit.audit.enclosure import Enclosure
from tacit.audit.frontier import Breakpoint, Frontier, Witness
from tacit.audit.local_sensitivity import LocalSensitivities, local_sensitivities
from tacit.audit.posteriors import Games, Shift, posterior, posterior_games, posterior_shift
from tacit.audit.refutation import Columns, Range, Refutation, Rows, refute_sensitivity
from tacit.audit.report import Report
from tacit.audit.sensitivity import FoundSensitivity, sensitivity_by_search
from tacit.audit.statistical import Evidence, Findings, audit
from tacit.audit.verify import compare, verify

__all__ = [
    "ATTACKS",
    "AttackReport",
    "SUBJECTS",
    "Breakpoint",
    "Columns",
    "Enclosure",
    "Evidence",
    "Findings",
    "FoundSensitivity",
    "Frontier",
    "Games",
    "LocalSensitivities",
    "Range",
    "Refutation",
    "Report",
    "Rows",
    "Shift",
    "Subject",
    "Truncated",
    "Witness",
    "audit",
    "compare",
    "databases",
    "distance",
    "election",
    "local_sensitivities",
    "name_and_shame",
    "neighbouring_pairs",
    "one_random_row",
    "plurality",
    "posterior",
    "posterior_games",
    "posterior_shift",
    "refute_sensitivity",
    "sensitivity_by_search",
    "subject_of",
    "truncate",
    "verify",
]
