"""The local model: everyone randomises their own answer, and nobody has to be trusted with it.

>>> from tacit.local import KaryResponse
>>> smokers = KaryResponse(["no", "yes"], epsilon=1)
>>> reports = [smokers.encode("yes") for _ in range(100)]    # each on its owner's own device
>>> smokers.collect(reports).people
100
"""

from __future__ import annotations

from tacit.local.choose_protocol import Candidate, Choice, best
from tacit.local.client_coins import Draws
from tacit.local.collect_reports import (
    Collected,
    CollectedTable,
    Refused,
    collect_reports,
    read_collected,
    write_collected,
    write_report,
    write_reports,
)
from tacit.local.count_mean_sketch import CountMeanSketch
from tacit.local.duchi_mean import Duchi
from tacit.local.frequencies import Frequencies, project
from tacit.local.hadamard import HadamardResponse
from tacit.local.heavy_hitters import HeavyHitters, Hitter
from tacit.local.hybrid_mean import Hybrid
from tacit.local.local_hashing import LocalHashing
from tacit.local.mean_protocol import Mean, MeanProtocol
from tacit.local.piecewise_mean import Piecewise
from tacit.local.poisoning import (
    Poisoning,
    forge_reports,
    measure_poisoning,
    poisoning_bound,
)
from tacit.local.protocol import FrequencyProtocol
from tacit.local.questionnaire import (
    TEMPLATE,
    Question,
    Questionnaire,
    read_questionnaire,
)
from tacit.local.randomized_response import KaryResponse
from tacit.local.rappor import PermanentResponse, Rappor
from tacit.local.repeated_answers import Memo, guess_by_averaging
from tacit.local.subset_selection import SubsetSelection
from tacit.local.survey_page import client_script, survey_page
from tacit.local.survey_planning import SurveyPlan, error_of_survey, people_for_survey, plan_survey
from tacit.local.truth_odds import Odds
from tacit.local.unary_encoding import Coin, Unary

__all__ = [
    "TEMPLATE",
    "Candidate",
    "Choice",
    "Coin",
    "Collected",
    "CollectedTable",
    "CountMeanSketch",
    "Draws",
    "Duchi",
    "Frequencies",
    "FrequencyProtocol",
    "HadamardResponse",
    "HeavyHitters",
    "Hitter",
    "Hybrid",
    "KaryResponse",
    "LocalHashing",
    "Mean",
    "MeanProtocol",
    "Memo",
    "Odds",
    "PermanentResponse",
    "Piecewise",
    "Poisoning",
    "Question",
    "Questionnaire",
    "Rappor",
    "Refused",
    "SubsetSelection",
    "SurveyPlan",
    "Unary",
    "best",
    "client_script",
    "collect_reports",
    "error_of_survey",
    "forge_reports",
    "guess_by_averaging",
    "measure_poisoning",
    "people_for_survey",
    "plan_survey",
    "poisoning_bound",
    "project",
    "read_collected",
    "read_questionnaire",
    "survey_page",
    "write_collected",
    "write_report",
    "write_reports",
]
