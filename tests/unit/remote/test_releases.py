"""What a client gets beside answers: synthetic rows, models that are fitted there, surveys."""

from datetime import date

import numpy as np
import pytest

import tacit
from tacit.errors import LimitExceeded, TacitError
from tacit.learn import PCA, KMeans, LogisticRegression, MLPClassifier
from tacit.server import Identities
from tests.unit.remote.serving import served
from tests.unit.server.clinics import add_survey, make_folder


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    folder = add_survey(make_folder(tmp_path_factory.mktemp("far") / "clinic"))
    with (
        served(folder, Identities()) as (url, desk, people),
        tacit.connect(url, token=people.new_token("ana")) as vault,
    ):
        yield vault, desk


def entries(desk):
    return len(list(desk._vault.ledger.entries()))


def test_synthetic_rows_are_made_there_and_paid_for_once(clinic):
    vault, desk = clinic
    made = vault.synthesize("visits", epsilon=0.25, columns=["ward", "cost"], rows=5)
    assert (made.columns, len(made.rows)) == (("ward", "cost"), 5)
    before = entries(desk)
    assert len(vault.synthesize("visits", epsilon=0.25, columns=["ward", "cost"], rows=9)) == 9
    assert entries(desk) == before
    assert vault.check_receipt(made.receipt) == []


def test_a_model_is_fitted_there_and_predicts_here(clinic):
    vault, desk = clinic
    rows = vault.table("visits").where(tacit.col("cost") > 2)
    before = entries(desk)
    model = LogisticRegression(epsilon=1).fit(rows, target="ward", columns=["cost", "day"])
    assert entries(desk) == before + 1
    assert set(model.predict({"cost": [3, 40], "day": [date(2025, 3, 1), None]})) <= {"A", "B"}
    assert model.card().is_fitted
    assert vault.check_receipt(model.receipt) == []
    again = LogisticRegression(epsilon=1).fit(rows, target="ward", columns=["cost", "day"])
    assert entries(desk) == before + 1
    assert again.price.free
    assert np.array_equal(again._model["theta"], model._model["theta"])
    told = LogisticRegression(epsilon=1).explain(rows, target="ward")
    assert not told.is_fitted


def test_settings_are_sent_along(clinic):
    vault, _ = clinic
    rows = vault.table("visits")
    found = KMeans(3, epsilon=1, logs=("cost",)).fit(rows, columns=["cost", "day"])
    assert found.cluster_centers_.shape[0] == 3
    assert PCA(1, epsilon=1).fit(rows, columns=["cost", "day"]).components_.shape[0] == 1


def test_what_does_not_fit_into_a_slot_or_a_limit_is_refused(clinic):
    vault, desk = clinic
    before = entries(desk)
    with pytest.raises(TacitError, match="longer than a slot"):
        MLPClassifier(epsilon=1).fit(vault.table("visits"), target="ward")
    with pytest.raises(LimitExceeded):
        LogisticRegression(epsilon=100).fit(vault.table("visits"), target="ward")
    assert entries(desk) == before


def test_surveys_cost_nothing(clinic):
    vault, _ = clinic
    assert vault.surveys == ("meals",)
    told = vault.sql("SELECT answer, COUNT(*) AS n FROM meals GROUP BY answer")
    assert [row[0] for row in told.rows] == ["soup", "stew"]
