"""Private learning: estimators with `fit` and `predict`, paid for from the same limit as every question.

An estimator holds public features and released numbers; it cannot reach a row.

>>> import tacit
>>> from tacit.learn import LogisticRegression
>>> people = [{"age": age, "smokes": age % 2 == 0, "ill": age > 50} for age in range(20, 80)] * 50
>>> columns = {"age": (0, 100), "smokes": "boolean", "ill": "boolean"}
>>> clinic = tacit.protect(people, unit="row", columns=columns, epsilon=3, delta=1e-6)
>>> model = LogisticRegression(epsilon=1).fit(clinic.table("data"), target="ill")
>>> model.predict({"age": [25, 75], "smokes": [True, True]}).tolist()
[False, True]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.later import later

if TYPE_CHECKING:
    from tacit.learn.clusters import PCA, KMeans
    from tacit.learn.estimator import Estimator, NotFitted
    from tacit.learn.linear import LinearRegression, LogisticRegression
    from tacit.learn.model_card import ModelCard
    from tacit.learn.naive_bayes import GaussianNB, HistogramNB
    from tacit.learn.nearest_neighbours import NearestClassifier
    from tacit.learn.network import MLPClassifier
    from tacit.learn.sample_bounds import (
        EmpiricalError,
        empirical_error,
        net_size,
        sample_size,
        uniform_deviation,
        vc_dimension,
    )
    from tacit.learn.scorecard import Scorecard
    from tacit.learn.tuning import TunedModel, explain_tune, tune

__all__ = [
    "EmpiricalError",
    "Estimator",
    "GaussianNB",
    "HistogramNB",
    "KMeans",
    "LinearRegression",
    "LogisticRegression",
    "MLPClassifier",
    "ModelCard",
    "NearestClassifier",
    "NotFitted",
    "PCA",
    "Scorecard",
    "TunedModel",
    "empirical_error",
    "explain_tune",
    "net_size",
    "sample_size",
    "tune",
    "uniform_deviation",
    "vc_dimension",
]

_LATER = {
    "GaussianNB": "naive_bayes",
    "HistogramNB": "naive_bayes",
    "PCA": "clusters",
    "KMeans": "clusters",
    "Estimator": "estimator",
    "ModelCard": "model_card",
    "NotFitted": "estimator",
    "LinearRegression": "linear",
    "LogisticRegression": "linear",
    "NearestClassifier": "nearest_neighbours",
    "MLPClassifier": "network",
    "Scorecard": "scorecard",
    "EmpiricalError": "sample_bounds",
    "empirical_error": "sample_bounds",
    "net_size": "sample_bounds",
    "sample_size": "sample_bounds",
    "uniform_deviation": "sample_bounds",
    "vc_dimension": "sample_bounds",
    "TunedModel": "tuning",
    "explain_tune": "tuning",
    "tune": "tuning",
}

__getattr__ = later(__name__, _LATER)
