"""The HTTP interface: what each route says, in which form, and which problem it ends in."""

import io
import json

import pyarrow as pa
import pytest

from tacit.curator import read_explanation, read_release, read_table
from tacit.server import Rate, Rates
from tacit.server.slots import Slots
from tests.unit.server.clinics import BY_WARD, COUNT, PASSWORD, PLENTY, make_folder, running_app


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    with running_app(
        make_folder(tmp_path_factory.mktemp("api") / "clinic"), passwords=True
    ) as made:
        yield made


def problem(response, status, kind):
    assert (response.status, response.headers["content-type"]) == (
        status,
        "application/problem+json",
    )
    said = response.json()
    assert (said["type"], said["status"]) == (f"/problems/{kind}", status)
    assert said["title"]
    assert said["detail"]
    return said


def test_a_password_buys_a_token_for_half_a_day(clinic):
    stranger = clinic.stranger()
    made = stranger.post("/api/v1/tokens", {"name": "ana", "password": PASSWORD})
    assert made.status == 201
    assert made.json()["expires_in"] == 43_200
    stranger.token = made.json()["token"]
    assert stranger.get("/api/v1/me").json()["name"] == "ana"
    for wrong in ({"name": "ana", "password": "x"}, {"name": "eve", "password": PASSWORD}):
        said = problem(clinic.stranger().post("/api/v1/tokens", wrong), 401, "not-signed-in")
        assert said["detail"] == "the name or the password is wrong; try again, or ask the curator"


def test_without_a_token_nothing_is_said(clinic):
    for header in ({}, {"authorization": "Basic x"}, {"authorization": "Bearer tct_wrong"}):
        response = clinic.stranger().get("/api/v1/me", headers=header)
        problem(response, 401, "not-signed-in")
        assert response.headers["www-authenticate"].startswith("Bearer")


def test_who_is_signed_in_and_what_is_left(clinic):
    me = clinic.ben.get("/api/v1/me").json()
    assert (me["name"], me["role"], me["has_limit"]) == ("ben", "analyst", True)
    assert me["budget"]["own"]["epsilon"] == 1.0
    assert clinic.otto.get("/api/v1/budget").json()["own"] is None


def test_tables_are_told_as_they_are_declared(clinic):
    said = clinic.ana.get("/api/v1/tables").json()
    (written,) = said["tables"]
    shared = clinic.desk.policy.tables["visits"]
    assert read_table(written) == shared.asked_table
    assert said["limit"]["delta"] == "1/1000000"
    one = clinic.ana.get("/api/v1/tables/visits").json()
    assert (one["table"], one["version"]) == ({k: v for k, v in written.items() if k != "keys"}, 0)
    assert read_release(one["listing"]) == clinic.desk._vault.describe("visits")
    problem(clinic.ana.get("/api/v1/tables/others"), 404, "not-found")


def test_an_explanation_is_the_vaults_own(clinic):
    body = {"sql": BY_WARD, "epsilon": 0.25, "confidence": 0.9}
    told = clinic.ana.post("/api/v1/explanations", body)
    own = clinic.desk._vault.of("ana").explain(BY_WARD, epsilon=0.25, confidence=0.9)
    assert read_explanation(told.json()) == own


def test_an_answer_in_all_forms(clinic):
    body = {"sql": BY_WARD, "epsilon": "1/3"}
    asked = clinic.ana.post("/api/v1/answers", body)
    release = read_release(asked.json())
    assert asked.status == 200
    assert not release.price.free
    kept = clinic.desk._vault.of("ana").replay(BY_WARD, epsilon=asked_price())
    assert kept.rows == release.rows
    lines = clinic.ana.post("/api/v1/answers", body, headers={"accept": "text/csv"})
    assert lines.text == release.to_csv()
    assert lines.headers["content-type"].startswith("text/csv")
    media = "application/vnd.apache.arrow.stream"
    arrow = clinic.ana.post("/api/v1/answers", body, headers={"accept": media})
    assert arrow.headers["content-type"] == media
    assert pa.ipc.open_stream(io.BytesIO(arrow.body)).read_all().equals(release.to_arrow())
    again = clinic.ana.get(f"/api/v1/answers/{asked.json()['id']}")
    assert again.json()["rows"] == asked.json()["rows"]
    problem(clinic.ben.get(f"/api/v1/answers/{asked.json()['id']}"), 404, "not-found")


def asked_price():
    from fractions import Fraction

    return Fraction(1, 3)


def test_history_and_receipts(clinic):
    asked = clinic.ana.post("/api/v1/answers", {"sql": COUNT, "epsilon": 0.5}).json()
    entry = asked["receipt"]["entry"]
    past = clinic.ana.get("/api/v1/answers?most=1").json()
    assert past["answers"][0]["sql"] == COUNT
    assert past["next"] == past["answers"][0]["entry"] == entry
    assert clinic.ana.get(f"/api/v1/receipts/{entry}").json() == asked["receipt"]
    problem(clinic.ben.get(f"/api/v1/receipts/{entry}"), 404, "not-found")
    check = clinic.ana.post("/api/v1/receipts/check", asked["receipt"])
    assert check.json() == {"faults": []}
    forged = {**asked["receipt"], "version": 7}
    assert clinic.ana.post("/api/v1/receipts/check", forged).json()["faults"]


def test_the_twin_answers_for_nothing(clinic):
    before = len(list(clinic.desk._vault.ledger.entries()))
    said = clinic.ben.post("/api/v1/twin/answers", {"sql": COUNT, "epsilon": 5}).json()
    assert said["receipt"]["made up"]
    assert len(list(clinic.desk._vault.ledger.entries())) == before


def test_an_idempotency_key_is_answered_once(clinic):
    body = {"sql": "SELECT SUM(cost) AS s FROM visits", "epsilon": 0.5}
    first = clinic.ana.post("/api/v1/answers", body, headers={"idempotency-key": "a"})
    again = clinic.ana.post("/api/v1/answers", body, headers={"idempotency-key": "a"})
    assert first.json()["rows"] == again.json()["rows"]
    other = {"sql": COUNT, "epsilon": 0.5}
    problem(
        clinic.ana.post("/api/v1/answers", other, headers={"idempotency-key": "a"}),
        422,
        "key-reused",
    )


def test_refusals_say_where_and_how_to_mend_it(clinic):
    said = problem(
        clinic.ana.post("/api/v1/answers", {"sql": "SELECT cost FROM visits", "epsilon": 1}),
        422,
        "invalid-plan",
    )
    assert said["text"][said["start"] : said["end"]] == "cost"
    assert said["remedy"]
    problem(clinic.ana.post("/api/v1/answers", {"sql": COUNT}), 422, "no-price")
    said = problem(
        clinic.ben.post("/api/v1/answers", {"sql": COUNT, "epsilon": 15}), 403, "limit-exceeded"
    )
    assert said["analyst"] == "ben"
    problem(clinic.otto.post("/api/v1/answers", {"sql": COUNT, "epsilon": 1}), 403, "forbidden")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"sql": 1, "epsilon": 1},
        {"sql": COUNT, "epsilon": -1},
        {"sql": COUNT, "epsilon": 0},
        {"sql": COUNT, "epsilon": "1e9"},
        {"sql": COUNT, "epsilon": "1/0"},
        {"sql": COUNT, "epsilon": True},
        {"sql": COUNT, "epsilon": 1, "confidence": 1},
        {"sql": COUNT, "epsilon": 1, "extra": 1},
        {"sql": "x" * 20_001, "epsilon": 1},
        [],
        None,
    ],
)
def test_a_body_that_is_not_declared_is_refused(clinic, body):
    raw = json.dumps(body).encode()
    response = clinic.ana.post(
        "/api/v1/answers", raw=raw, headers={"content-type": "application/json"}
    )
    problem(response, 422, "invalid-input")


def test_a_body_that_is_too_large_is_not_read(clinic):
    problem(clinic.ana.post("/api/v1/answers", raw=b"x" * 70_000), 413, "too-large")
    said = clinic.ana.post(
        "/api/v1/answers", raw=b"x" * 70_000, headers={"content-length": "5"}
    )  # which lies
    problem(said, 413, "too-large")


def test_unknown_paths_and_methods(clinic):
    problem(clinic.ana.get("/api/v1/nothing"), 404, "not-found")
    problem(clinic.ana.request("PUT", "/api/v1/me"), 405, "method-not-allowed")


def test_large_whole_numbers_can_be_texts(clinic):
    from tacit.server.http.values import _exact

    assert [_exact(cell) for cell in (1 << 53, (1 << 53) + 1, True, 0.5, "a")] == [
        1 << 53,
        str((1 << 53) + 1),
        True,
        0.5,
        "a",
    ]
    said = clinic.ana.post(
        "/api/v1/answers", {"sql": COUNT, "epsilon": 0.5}, headers={"prefer": "exact"}
    )
    assert said.status == 200


def test_the_curators_routes(clinic):
    records = clinic.otto.get("/api/v1/ledger/records?most=2").json()
    assert [len(records["records"]), records["next"]] == [2, 2]
    check = clinic.otto.post("/api/v1/ledger/verifications").json()
    while check["state"] == "running":
        check = clinic.otto.get(f"/api/v1/ledger/verifications/{check['number']}").json()
    assert check["state"] == "whole"
    assert clinic.cleo.post("/api/v1/policy/reload").status == 204
    assert clinic.cleo.post("/api/v1/tables/visits/refresh").json()["version"] == 1
    problem(clinic.cleo.post("/api/v1/tables/none/refresh"), 404, "not-found")
    assert set(clinic.cleo.get("/api/v1/budget/analysts").json()) == {"ana", "ben"}
    fits = clinic.ana.get("/api/v1/budget/forecast").json()["fits"]
    assert fits[0]["answers"] > fits[-1]["answers"] > 0
    said = clinic.cleo.post("/api/v1/bounds", {"column": "visits.cost", "epsilon": 1})
    problem(said, 422, "invalid-input")  # they are declared
    said = clinic.cleo.post("/api/v1/contributions", {"table": "visits", "epsilon": 1})
    problem(said, 422, "invalid-input")


def test_a_long_slot_is_told_at_once_and_asked_for_later(tmp_path):
    slots = Slots(workers=2, lengths=(0.3,))
    with running_app(make_folder(tmp_path / "clinic"), slots=slots) as clinic:
        body = {"sql": COUNT, "epsilon": 0.5}
        waiting = clinic.ana.post("/api/v1/answers", body, headers={"prefer": "respond-async"})
        told = waiting.json()
        assert waiting.status == 202
        assert told["length"] == pytest.approx(0.3)
        assert waiting.headers["location"] == f"/api/v1/answers/{told['id']}"
        assert int(waiting.headers["retry-after"]) >= 1
        assert clinic.ana.request("DELETE", waiting.headers["location"]).status == 204
        clinic.loop.run(clinic.desk.drain())
        found = clinic.ana.get(waiting.headers["location"])
        assert found.status == 200
        assert len(list(clinic.desk._vault.ledger.entries())) == 1
        said = clinic.ana.post("/api/v1/answers", {"sql": BY_WARD, "epsilon": 0.5})
        problem(said, 503, "stopping")
        assert clinic.ana.get("/readyz").status == 503


def test_nothing_of_the_interface_is_kept_by_a_cache(clinic):
    for path in ("/api/v1/me", "/api/v1/answers", "/api/v1/receipts/999", "/api/v1/nothing"):
        assert clinic.ana.get(path).headers["cache-control"] == "no-store"


def test_every_request_is_counted(tmp_path):
    rates = Rates({**PLENTY, "requests": Rate(2, 1e9)})
    with running_app(make_folder(tmp_path / "clinic"), rates=rates) as small:
        assert small.ana.get("/api/v1/answers").status == 200
        assert small.ana.get("/api/v1/budget").status == 200
        for path in ("answers", "receipts/0", "tables", "budget", "me"):
            problem(small.ana.get(f"/api/v1/{path}"), 429, "too-many")
        assert small.ben.get("/api/v1/me").status == 200
