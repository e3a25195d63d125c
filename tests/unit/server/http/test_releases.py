"""Synthetic tables, models and surveys over HTTP: each paid for once, or for nothing."""

import json
from typing import get_args

import pytest

from tacit.learn import Estimator
from tacit.server.http.request_models import ModelBody
from tacit.server.models_and_synthetic_tables import MODELS
from tests.unit.server.clinics import add_survey, make_folder, running_app
from tests.unit.server.http.test_api import problem

FIT = {"model": "GaussianNB", "table": "visits", "target": "ward", "epsilon": 0.25}


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    folder = add_survey(make_folder(tmp_path_factory.mktemp("releases") / "clinic"))
    with running_app(folder) as made:
        yield made


def test_synthetic_rows_are_paid_for_once(clinic):
    body = {"table": "visits", "epsilon": 0.25, "columns": ["ward", "cost"], "rows": 7}
    before = len(list(clinic.desk._vault.ledger.entries()))
    made = clinic.ana.post("/api/v1/synthetic-tables", body).json()
    assert (made["columns"], len(made["rows"])) == (["ward", "cost"], 7)
    assert {row[0] for row in made["rows"]} <= {"A", "B", None}
    entries = list(clinic.desk._vault.ledger.entries())
    assert len(entries) > before
    assert {entry.analyst for entry in entries[before:]} == {"ana"}
    more = clinic.ana.post("/api/v1/synthetic-tables", {**body, "rows": 9}).json()
    assert len(more["rows"]) == 9
    assert len(list(clinic.desk._vault.ledger.entries())) == len(entries)
    for wrong in ({**body, "table": "others"}, {**body, "columns": ["x"]}):
        assert clinic.ana.post("/api/v1/synthetic-tables", wrong).status == 422
    problem(
        clinic.ana.post("/api/v1/synthetic-tables", {**body, "epsilon": 500}), 403, "limit-exceeded"
    )
    problem(clinic.otto.post("/api/v1/synthetic-tables", body), 403, "forbidden")


def test_a_model_is_paid_for_once(clinic):
    before = len(list(clinic.desk._vault.ledger.entries()))
    made = clinic.ana.post("/api/v1/models", FIT).json()
    assert made["columns"] == ["model", "bytes"]
    assert Estimator.from_dict(json.loads(made["rows"][0][0])).card().is_fitted
    assert made["price"]["free"] is False
    (entry,) = list(clinic.desk._vault.ledger.entries())[before:]
    assert (entry.analyst, entry.number) == ("ana", made["receipt"]["entry"])
    again = clinic.ana.post("/api/v1/models", FIT).json()
    assert again["rows"][0][1] == made["rows"][0][1]
    assert again["price"]["free"] is True
    part = {**FIT, "table": None, "rows": "SELECT COUNT(*) AS n FROM visits WHERE cost > 5"}
    assert clinic.ana.post("/api/v1/models", part).json()["rows"][0][1] != made["rows"][0][1]
    assert len(list(clinic.desk._vault.ledger.entries())) == before + 2


@pytest.mark.parametrize(
    "wrong",
    [
        {"table": "others"},
        {"table": None},
        {"rows": "SELECT COUNT(*) AS n FROM visits"},
        {"table": None, "rows": "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"},
        {"table": None, "rows": "SELECT cost FROM visits"},
        {"target": None},
        {"target": "nothing"},
        {"columns": ["x"]},
        {"settings": {"weight": 3}},
        {"settings": {"logs": [3]}},
        {"settings": {"epsilon": 3}},
        {"model": "KMeans", "target": None, "settings": {"n_clusters": -1}},
        {"model": "KMeans", "target": None, "settings": {"n_clusters": "two"}},
        {"model": "KMeans", "target": None, "settings": {"n_clusters": 10**9}},
        {"model": "HistogramNB", "settings": {"bins": 0.5}},
        {"model": "HistogramNB", "settings": {"logs": "age"}},
        {"model": "LogisticRegression", "settings": {"intervals": "no"}},
        {"model": "PCA", "target": None, "settings": {"norm": "2"}},
        {"model": "PCA", "target": None, "settings": {"norm": 0}},
        {"model": "PCA", "target": None, "settings": {"norm": [1]}},
        {"model": "PCA", "target": None, "settings": {"n_components": 9_999}},
        {"model": "MLPClassifier"},
        {"model": "NearestClassifier", "settings": {"waves": 2_001}},
        {"model": "HistogramNB", "settings": {"bins": 257}},
        {"model": "KMeans", "target": None, "settings": {"n_clusters": 65}},
    ],
)
def test_what_cannot_be_fitted_is_refused_and_costs_nothing(clinic, wrong):
    before = len(list(clinic.desk._vault.ledger.entries()))
    assert clinic.ana.post("/api/v1/models", {**FIT, **wrong}).status == 422
    assert len(list(clinic.desk._vault.ledger.entries())) == before


def test_the_document_names_the_models_that_are_fitted():
    assert get_args(ModelBody.model_fields["model"].annotation) == MODELS


def test_models_are_not_for_auditors_and_not_beyond_the_limit(clinic):
    problem(clinic.otto.post("/api/v1/models", FIT), 403, "forbidden")
    problem(clinic.ben.post("/api/v1/models", {**FIT, "epsilon": 5}), 403, "limit-exceeded")


def test_surveys_are_listed_and_estimated_for_nothing(clinic):
    (meals,) = clinic.otto.get("/api/v1/surveys").json()["surveys"]
    assert (meals["name"], meals["answers"]) == ("meals", ["soup", "stew"])
    assert meals["promise"]["epsilon"] == 1.0
    told = clinic.ana.get("/api/v1/surveys/meals").json()
    assert [row[0] for row in told["rows"]] == ["soup", "stew"]
    assert told["price"]["share"] == 0
    problem(clinic.ana.get("/api/v1/surveys/visits"), 404, "not-found")
    sql = "SELECT answer, COUNT(*) AS n FROM meals GROUP BY answer"
    assert clinic.ana.post("/api/v1/answers", {"sql": sql}).json()["rows"] == told["rows"]
