"""Policy, catalogue and `ask`: the one place where plan, sensitivity, noise and ledger meet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.curator.answer.column_types import AnswerColumn
from tacit.curator.answer.intervals import Interval, Noisy
from tacit.curator.answer.left_out_captions import LeftOut
from tacit.curator.answer.release import Price, Release
from tacit.curator.ask_text import Params
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
    from tacit.curator.accuracy_with_and_without_delta import Comparison, compare_limits
    from tacit.curator.answer.answers_from_collected_survey import SurveyTable
    from tacit.curator.answer.explanation import Expected, Explanation
    from tacit.curator.budget import Budget
    from tacit.curator.cells_of_text import has_text_files, how_cells_are_read
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
    from tacit.curator.how_vaults_are_called import (
        check_named,
        check_plan,
        check_question,
        check_sql,
        refuse_item,
        say_missing,
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
    from tacit.curator.open_folder import (
        adopt_ledger,
        limits_agree,
        limits_changed,
        open_tables,
        open_vault,
        was_opened,
    )
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
    from tacit.curator.vectors.describe_features import Feature
    from tacit.curator.vectors.estimator_access_to_sums import Lesson
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
    "check_named",
    "check_plan",
    "check_question",
    "check_sql",
    "refuse_item",
    "say_missing",
    "check_rights",
    "budget_fields",
    "column_of",
    "columns_of",
    "compare_limits",
    "example",
    "explanation_fields",
    "in_units",
    "has_text_files",
    "how_cells_are_read",
    "inspect_rows",
    "limits_agree",
    "limits_changed",
    "merge_released",
    "open_tables",
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
    "was_opened",
    "write_key",
]

_LATER = {
    "Address": "policy.ledger_section",
    "Answered": "tables.release_tables",
    "Assigned": "vectors.summable_vectors",
    "Backpropagated": "vectors.summable_vectors",
    "Board": "hide_new_ledger_entries",
    "Budget": "budget",
    "ClassMoments": "vectors.summable_vectors",
    "Closest": "trial.audit_question",
    "Comparison": "accuracy_with_and_without_delta",
    "Correct": "vectors.summable_vectors",
    "Curvature": "vectors.summable_vectors",
    "Document": "policy.policy_file",
    "Encoding": "vectors.summable_vectors",
    "Expected": "answer.explanation",
    "ExpectedMarginals": "tables.marginals",
    "ExpectedWorkload": "tables.answer_workload",
    "Explanation": "answer.explanation",
    "Feature": "vectors.describe_features",
    "FeatureMap": "vectors.summable_vectors",
    "GRID": "vectors.summable_vectors",
    "Gradient": "vectors.summable_vectors",
    "KINDS": "duration_class_of_plan",
    "Kernel": "vectors.summable_vectors",
    "Lesson": "vectors.estimator_access_to_sums",
    "Marginals": "tables.marginals",
    "Moments": "vectors.summable_vectors",
    "PairError": "tables.quality_report",
    "PlanClass": "duration_class_of_plan",
    "QuestionAudit": "trial.audit_question",
    "RATES": "vectors.vectors_noise",
    "Regression": "vectors.summable_vectors",
    "Reserved": "hide_new_ledger_entries",
    "RowsInspection": "inspect_rows",
    "Sampling": "vectors.vectors_noise",
    "Sums": "vectors.vectors_noise",
    "SurveyTable": "answer.answers_from_collected_survey",
    "SyntheticReport": "tables.quality_report",
    "SyntheticTable": "tables.synthetic_table",
    "TrialNoise": "vectors.vectors_noise",
    "Trials": "vectors.vectors_noise",
    "Unseen": "hide_new_ledger_entries",
    "VectorNoise": "vectors.vectors_noise",
    "View": "hide_new_ledger_entries",
    "Watch": "watch_threshold",
    "WatchAnswer": "watch_threshold",
    "Waves": "vectors.summable_vectors",
    "adopt_ledger": "open_folder",
    "ask_tables": "vectors.vectors_noise",
    "audit_question": "trial.audit_question",
    "budget_fields": "json_exchange",
    "check_named": "how_vaults_are_called",
    "check_plan": "how_vaults_are_called",
    "check_question": "how_vaults_are_called",
    "check_sql": "how_vaults_are_called",
    "refuse_item": "how_vaults_are_called",
    "say_missing": "how_vaults_are_called",
    "check_rights": "database_rights",
    "columns_of": "starter_policy",
    "compare_limits": "accuracy_with_and_without_delta",
    "example": "shipped_real_data",
    "explanation_fields": "json_exchange",
    "has_text_files": "cells_of_text",
    "how_cells_are_read": "cells_of_text",
    "in_units": "vectors.summable_vectors",
    "inspect_rows": "inspect_rows",
    "limits_agree": "open_folder",
    "limits_changed": "open_folder",
    "merge_released": "hide_new_ledger_entries",
    "open_tables": "open_folder",
    "open_vault": "open_folder",
    "parameter_fields": "parameters_as_json",
    "policy_text": "starter_policy",
    "read_budget": "json_exchange",
    "read_explanation": "json_exchange",
    "read_ledger_place": "policy.policy_file",
    "read_parameters": "parameters_as_json",
    "read_policy": "policy.policy_file",
    "read_release": "json_exchange",
    "read_table": "json_exchange",
    "release_fields": "json_exchange",
    "rows_for": "trial.mock_vault",
    "still_needed": "hide_new_ledger_entries",
    "table_fields": "json_exchange",
    "twin": "trial.mock_vault",
    "was_opened": "open_folder",
    "write_key": "write_toml",
}

__getattr__ = later(__name__, _LATER)
