"""A vault over a network: who may ask, when answers leave, the HTTP interface and the workbench."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.later import later

if TYPE_CHECKING:
    from tacit.server.audit_log import AuditLog
    from tacit.server.calibration import (
        Calibration,
        calibrate,
        read_calibration,
        write_calibration,
    )
    from tacit.server.desk import Desk, Standing
    from tacit.server.identities import ROLES, Identities, Identity, Person, Token
    from tacit.server.jobs import Job, Question
    from tacit.server.ledger_views import PastQuestion
    from tacit.server.passwords import new_secret
    from tacit.server.rate_limits import Rate, Rates, Waiting
    from tacit.server.rights import RIGHTS
    from tacit.server.serve_vault import (
        Server,
        check_installed,
        check_port,
        identities_of,
        is_served,
        reload_policy,
        serve,
    )
    from tacit.server.slots import LENGTHS, Schedule, Slot, Slots

__all__ = [
    "AuditLog",
    "Calibration",
    "Desk",
    "Identities",
    "Identity",
    "Job",
    "LENGTHS",
    "PastQuestion",
    "Person",
    "Question",
    "RIGHTS",
    "ROLES",
    "Rate",
    "Rates",
    "Schedule",
    "Server",
    "Slot",
    "Slots",
    "Standing",
    "Token",
    "Waiting",
    "calibrate",
    "check_installed",
    "check_port",
    "identities_of",
    "new_secret",
    "read_calibration",
    "is_served",
    "reload_policy",
    "serve",
    "write_calibration",
]

_LATER = {
    "AuditLog": "audit_log",
    "Calibration": "calibration",
    "calibrate": "calibration",
    "read_calibration": "calibration",
    "write_calibration": "calibration",
    "Desk": "desk",
    "Job": "jobs",
    "PastQuestion": "ledger_views",
    "Question": "jobs",
    "RIGHTS": "rights",
    "Standing": "desk",
    "Identities": "identities",
    "Identity": "identities",
    "Person": "identities",
    "ROLES": "identities",
    "Token": "identities",
    "Rate": "rate_limits",
    "Rates": "rate_limits",
    "Waiting": "rate_limits",
    "new_secret": "passwords",
    "Server": "serve_vault",
    "check_installed": "serve_vault",
    "check_port": "serve_vault",
    "identities_of": "serve_vault",
    "is_served": "serve_vault",
    "reload_policy": "serve_vault",
    "serve": "serve_vault",
    "LENGTHS": "slots",
    "Schedule": "slots",
    "Slot": "slots",
    "Slots": "slots",
}

__getattr__ = later(__name__, _LATER)
