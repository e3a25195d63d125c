"""Policy, catalogue and `ask`: the one place where plan, sensitivity, noise and ledger meet."""

from typing import TYPE_CHECKING

from tacit.curator.answer.column_types import AnswerColumn
from tacit.curator.answer.explanation import Expected, Explanation
from tacit.curator.answer.intervals import Interval, Noisy
from tacit.curator.answer.left_out_captions import LeftOut
from tacit.curator.answer.randomized_survey import SurveyTable
from tacit.curator.answer.release import Price, Release
from tacit.curator.ask_text import Params
from tacit.curator.budget import Budget
from tacit.curator.describe_tables import Listing
from tacit.curator.policy.policy import Limit, Policy, Replay, Shared
from tacit.curator.policy.read_column_shorthand import column_of
from tacit.curator.pricing.noise_of_measures import Terms, terms_of
from tacit.curator.protect import protect
from tacit.curator.record.found_bounds import FoundBounds, FoundContributions
from tacit.curator.record.measure_clipping import Clipping
from tacit.curator.vault import Vault
from tacit.later import later

if TYPE_CHECKING:
    from tacit.curator.compare_two_limits import Comparison, compare_limits
    from tacit.curator.database_rights import check_rights
    from tacit.curator.duration_class_of_plan import KINDS, PlanClass
    from tacit.curator.hide_new_ledger_entries import (
        Board,
        Reserved,
        Unseen,
        View,
        merge_released,
        still_needed,
    )
    from tacit.curator.inspect_rows import RowsInspection, inspect_rows
    from tacit.curator.json_exchange import (
        budget_fields,
        explanation_fields,
        read_budget,
        read_explanation,
        read_release,
        read_table,
        release_fields,
        table_fields,
    )
    from tacit.curator.open_folder import adopt_ledger, limits_agree, limits_changed, open_vault
    from tacit.curator.parameters_as_json import parameter_fields, read_parameters
    from tacit.curator.policy.ledger_section import Address
    from tacit.curator.policy.policy_file import Document, read_ledger_place, read_policy
    from tacit.curator.shipped_real_data import example
    from tacit.curator.starter_policy import columns_of, policy_text
    from tacit.curator.tables.answer_workload import ExpectedWorkload
    from tacit.curator.tables.marginals import ExpectedMarginals, Marginals
    from tacit.curator.tables.quality_report import PairError, SyntheticReport
    from tacit.curator.tables.release_tables import Answered
    from tacit.curator.tables.synthetic_table import SyntheticTable
    from tacit.curator.trial.audit_question import Closest, QuestionAudit, audit_question
    from tacit.curator.trial.mock_vault import rows_for, twin
    from tacit.curator.vectors.features import Feature
    from tacit.curator.vectors.learner_lesson import Lesson
    from tacit.curator.vectors.summable_vectors import (
        GRID,
        Assigned,
        Backpropagated,
        ClassMoments,
        Correct,
        Curvature,
        Encoding,
        FeatureMap,
        Gradient,
        Kernel,
        Moments,
        Regression,
        Waves,
        in_units,
    )
    from tacit.curator.vectors.vectors_noise import (
        RATES,
        Sampling,
        Sums,
        TrialNoise,
        Trials,
        VectorNoise,
        ask_tables,
    )
    from tacit.curator.watch_threshold import Watch, WatchAnswer
    from tacit.curator.write_toml import write_key

__all__ = [
    "Address",
    "AnswerColumn",
    "Answered",
    "Assigned",
    "Backpropagated",
    "Board",
    "Budget",
    "ClassMoments",
    "Clipping",
    "Closest",
    "Comparison",
    "Correct",
    "Curvature",
    "Document",
    "Encoding",
    "Expected",
    "ExpectedMarginals",
    "ExpectedWorkload",
    "Explanation",
    "Feature",
    "FeatureMap",
    "FoundBounds",
    "FoundContributions",
    "GRID",
    "Gradient",
    "Interval",
    "KINDS",
    "Kernel",
    "LeftOut",
    "Lesson",
    "Limit",
    "Listing",
    "Marginals",
    "Moments",
    "Noisy",
    "PairError",
    "Params",
    "PlanClass",
    "Policy",
    "Price",
    "QuestionAudit",
    "RATES",
    "Regression",
    "Release",
    "Replay",
    "RowsInspection",
    "Sampling",
    "Reserved",
    "Shared",
    "Sums",
    "SurveyTable",
    "SyntheticReport",
    "SyntheticTable",
    "Terms",
    "TrialNoise",
    "Trials",
    "Unseen",
    "View",
    "Vault",
    "Watch",
    "WatchAnswer",
    "VectorNoise",
    "Waves",
    "adopt_ledger",
    "ask_tables",
    "audit_question",
    "check_rights",
    "budget_fields",
    "column_of",
    "columns_of",
    "compare_limits",
    "example",
    "explanation_fields",
    "in_units",
    "inspect_rows",
    "limits_agree",
    "limits_changed",
    "merge_released",
    "open_vault",
    "policy_text",
    "protect",
    "read_budget",
    "parameter_fields",
    "read_explanation",
    "read_parameters",
    "read_ledger_place",
    "read_policy",
    "read_release",
    "read_table",
    "release_fields",
    "rows_for",
    "table_fields",
    "terms_of",
    "still_needed",
    "twin",
    "write_key",
]

_LATER = {
    "KINDS": "duration_class_of_plan",
    "Board": "hide_new_ledger_entries",
    "Reserved": "hide_new_ledger_entries",
    "Unseen": "hide_new_ledger_entries",
    "View": "hide_new_ledger_entries",
    "merge_released": "hide_new_ledger_entries",
    "still_needed": "hide_new_ledger_entries",
    "PlanClass": "duration_class_of_plan",
    "Address": "policy.ledger_section",
    "Document": "policy.policy_file",
    "read_ledger_place": "policy.policy_file",
    "read_policy": "policy.policy_file",
    "example": "shipped_real_data",
    "budget_fields": "json_exchange",
    "explanation_fields": "json_exchange",
    "read_budget": "json_exchange",
    "read_explanation": "json_exchange",
    "read_release": "json_exchange",
    "read_table": "json_exchange",
    "release_fields": "json_exchange",
    "table_fields": "json_exchange",
    "parameter_fields": "parameters_as_json",
    "read_parameters": "parameters_as_json",
    "RowsInspection": "inspect_rows",
    "inspect_rows": "inspect_rows",
    "check_rights": "database_rights",
    "adopt_ledger": "open_folder",
    "limits_agree": "open_folder",
    "limits_changed": "open_folder",
    "open_vault": "open_folder",
    "Watch": "watch_threshold",
    "WatchAnswer": "watch_threshold",
    "rows_for": "trial.mock_vault",
    "twin": "trial.mock_vault",
    "Closest": "trial.audit_question",
    "QuestionAudit": "trial.audit_question",
    "audit_question": "trial.audit_question",
    "ExpectedMarginals": "tables.marginals",
    "ExpectedWorkload": "tables.answer_workload",
    "Marginals": "tables.marginals",
    "PairError": "tables.quality_report",
    "SyntheticReport": "tables.quality_report",
    "SyntheticTable": "tables.synthetic_table",
    "Feature": "vectors.features",
    "Assigned": "vectors.summable_vectors",
    "Backpropagated": "vectors.summable_vectors",
    "ClassMoments": "vectors.summable_vectors",
    "Correct": "vectors.summable_vectors",
    "Curvature": "vectors.summable_vectors",
    "Encoding": "vectors.summable_vectors",
    "FeatureMap": "vectors.summable_vectors",
    "Gradient": "vectors.summable_vectors",
    "Kernel": "vectors.summable_vectors",
    "Moments": "vectors.summable_vectors",
    "Regression": "vectors.summable_vectors",
    "Waves": "vectors.summable_vectors",
    "in_units": "vectors.summable_vectors",
    "GRID": "vectors.summable_vectors",
    "Lesson": "vectors.learner_lesson",
    "Sampling": "vectors.vectors_noise",
    "Sums": "vectors.vectors_noise",
    "Trials": "vectors.vectors_noise",
    "TrialNoise": "vectors.vectors_noise",
    "VectorNoise": "vectors.vectors_noise",
    "ask_tables": "vectors.vectors_noise",
    "RATES": "vectors.vectors_noise",
    "Answered": "tables.release_tables",
    "Comparison": "compare_two_limits",
    "compare_limits": "compare_two_limits",
    "columns_of": "starter_policy",
    "policy_text": "starter_policy",
    "write_key": "write_toml",
}

__getattr__ = later(__name__, _LATER)
