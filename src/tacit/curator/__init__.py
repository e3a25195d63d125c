"""Policy, catalogue and `ask`: the one place where plan, sensitivity, noise and ledger meet."""

from typing import TYPE_CHECKING

from tacit.curator.clipping import Clipping
from tacit.curator.columns import column_of
from tacit.curator.explanation import Expected, Explanation
from tacit.curator.finding import FoundBounds, FoundContributions
from tacit.curator.intervals import Interval, Noisy
from tacit.curator.left_out import LeftOut
from tacit.curator.policy import Limit, Policy, Replay, Shared
from tacit.curator.protect import protect
from tacit.curator.release import Price, Release
from tacit.curator.terms import Terms, terms_of
from tacit.curator.vault import Budget, Vault
from tacit.later import later

if TYPE_CHECKING:
    from tacit.curator.document import Address, Document, read_policy
    from tacit.curator.examples import example
    from tacit.curator.inspection import RowsInspection, inspect_rows
    from tacit.curator.opening import adopt_ledger, open_vault
    from tacit.curator.questions import Closest, QuestionAudit, audit_question
    from tacit.curator.template import Comparison, compare_limits, policy_text

__all__ = [
    "Address",
    "Budget",
    "Clipping",
    "Closest",
    "Comparison",
    "Document",
    "Expected",
    "Explanation",
    "FoundBounds",
    "FoundContributions",
    "Interval",
    "LeftOut",
    "Limit",
    "Noisy",
    "Policy",
    "Price",
    "QuestionAudit",
    "Release",
    "Replay",
    "RowsInspection",
    "Shared",
    "Terms",
    "Vault",
    "adopt_ledger",
    "audit_question",
    "column_of",
    "compare_limits",
    "example",
    "inspect_rows",
    "open_vault",
    "policy_text",
    "protect",
    "read_policy",
    "terms_of",
]

_LATER = {
    "Address": "document",
    "Document": "document",
    "read_policy": "document",
    "example": "examples",
    "RowsInspection": "inspection",
    "inspect_rows": "inspection",
    "adopt_ledger": "opening",
    "open_vault": "opening",
    "Closest": "questions",
    "QuestionAudit": "questions",
    "audit_question": "questions",
    "Comparison": "template",
    "compare_limits": "template",
    "policy_text": "template",
}

__getattr__ = later(__name__, _LATER)
