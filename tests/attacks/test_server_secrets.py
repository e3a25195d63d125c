"""Canaries: what is private or secret is in no response, no log and no header, whatever goes wrong."""

import json
import re

import pytest

from tacit.server import Desk
from tacit.server.ledger_views import LedgerPages
from tacit.server.models_and_synthetic_tables import Releases
from tacit.server.people import People
from tests.unit.server.clinics import COUNT, PASSWORD, make_folder, running_app

CANARY = "patient-4711-is-ill"
QUESTION = {"sql": COUNT, "epsilon": 0.01}
CALLS = {
    "standing": ("GET", "/api/v1/me", None),
    "tables": ("GET", "/api/v1/tables", None),
    "describe": ("GET", "/api/v1/tables/visits", None),
    "explain": ("POST", "/api/v1/explanations", QUESTION),
    "ask": ("POST", "/api/v1/answers", QUESTION),
    "synthesize": ("POST", "/api/v1/synthetic-tables", {"table": "visits", "epsilon": 0.01}),
    "learn": (
        "POST",
        "/api/v1/models",
        {"model": "PCA", "table": "visits", "epsilon": 0.01},
    ),
    "surveys": ("GET", "/api/v1/surveys", None),
    "survey": ("GET", "/api/v1/surveys/meals", None),
    "ask_twin": ("POST", "/api/v1/twin/answers", QUESTION),
    "history": ("GET", "/api/v1/answers", None),
    "job": ("GET", "/api/v1/answers/x", None),
    "receipt": ("GET", "/api/v1/receipts/1", None),
    "check_receipt": ("POST", "/api/v1/receipts/check", {}),
    "budget": ("GET", "/api/v1/budget", None),
    "budgets": ("GET", "/api/v1/budget/analysts", None),
    "spending": ("GET", "/api/v1/budget/forecast", None),
    "records": ("GET", "/api/v1/ledger/records", None),
    "verify": ("POST", "/api/v1/ledger/verifications", None),
    "verification": ("GET", "/api/v1/ledger/verifications/0", None),
    "refresh": ("POST", "/api/v1/tables/visits/refresh", None),
    "reload": ("POST", "/api/v1/policy/reload", None),
    "of_token": ("GET", "/api/v1/me", None),
    "sign_in": ("POST", "/api/v1/tokens", {"name": "ana", "password": PASSWORD}),
}


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    folder = make_folder(tmp_path_factory.mktemp("secrets") / "clinic")
    with running_app(folder, passwords=True) as made:
        yield made


@pytest.mark.parametrize("method", sorted(CALLS))
def test_a_mistake_anywhere_is_one_constant_text(clinic, method, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError(CANARY)

    of = next(each for each in (Desk, Releases, People, LedgerPages) if method in vars(each))
    monkeypatch.setattr(of, method, fail)
    how, path, body = CALLS[method]
    said = clinic.cleo.request(how, path, body=body)
    assert said.status == 500
    assert said.json() == {
        "type": "/problems/internal",
        "title": "The server failed",
        "status": 500,
        "detail": "something went wrong here; try again",
    }
    assert CANARY not in f"{said.headers}{clinic.desk.lines}"
    noted = json.loads(clinic.desk.lines[-1])
    assert (noted["event"], noted["door"], noted["problem"]) == ("mistake", "http", "RuntimeError")
    assert re.fullmatch(r"server/[a-z_/]+\.py:\d+", noted["about"])


def test_no_secret_and_no_text_of_a_question_is_logged(clinic):
    sql = "SELECT COUNT(*) AS canary4711 FROM visits"
    clinic.ana.post("/api/v1/answers", {"sql": sql, "epsilon": 0.02})
    clinic.ana.post("/api/v1/answers", {"sql": "SELECT canary4711", "epsilon": 0.02})
    made = clinic.stranger().post("/api/v1/tokens", {"name": "ana", "password": PASSWORD}).json()
    clinic.stranger().post("/api/v1/tokens", {"name": "canary4711", "password": "canary4711"})
    log = "\n".join(clinic.desk.lines)
    assert len(clinic.desk.lines) >= 4
    for secret in ("canary4711", PASSWORD, made["token"], clinic.ana.token, "SELECT"):
        assert secret not in log
    for line in clinic.desk.lines:
        known = {
            "at",
            "event",
            "identity",
            "door",
            "address",
            "job",
            "entry",
            "share",
            "free",
            "problem",
            "about",
        }
        assert json.loads(line).keys() <= known


def test_health_and_refusals_say_nothing_of_names(clinic):
    said = [
        clinic.stranger().post("/api/v1/tokens", {"name": name, "password": "not this one"})
        for name in ("ana", "nobody", "cleo")
    ]
    assert len({each.text for each in said}) == 1
