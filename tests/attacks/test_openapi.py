"""Whatever is sent, nothing fails on the server's side, and what comes back is what the document declares."""

import os

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tacit.server import Slots
from tests.attacks.openapi import mismatch, requests, undeclared
from tests.unit.server.clinics import POLICY, make_folder, running_app

MANY = 5_000 if os.environ.get("HYPOTHESIS_PROFILE") == "soak" else 300
AMPLE = POLICY.replace("epsilon = 20\n", "epsilon = 2000\n").replace(
    "epsilon = 10\n", "epsilon = 1000\n"
)


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    folder = make_folder(tmp_path_factory.mktemp("fuzzed") / "clinic", AMPLE, rows=40)
    slots = Slots(workers=8, lengths=(0.005, 0.01))
    with running_app(folder, slots=slots, passwords=True) as made:
        yield made


@pytest.fixture(scope="module")
def document(clinic):
    return clinic.stranger().get("/api/v1/openapi.json").json()


@pytest.mark.drawn
def test_no_request_fails_or_is_answered_by_what_is_not_declared(clinic, document):
    seen = set()

    @settings(
        max_examples=MANY,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
        database=None,
    )
    @given(requests(document), st.sampled_from(["cleo", "ana", "otto", None]))
    def check(request, name):
        operation, method, path, headers, body = request
        browser = clinic.stranger() if name is None else clinic.browsers[name]
        said = browser.request(method, path, raw=body, headers=headers)
        assert said.status < 500, (method, path, headers, body, said.text)
        wrong = undeclared(
            operation, document, said.status, said.headers.get("content-type"), said.body
        )
        assert wrong is None, (wrong, method, path, headers, body, said.text)
        seen.add((operation["operationId"], said.status // 100))

    check()
    operations = {each for each, _ in seen}
    assert len(operations) > 20
    assert {2, 4} == {status for _, status in seen}


def test_what_departs_from_a_schema_is_found(document):
    """The judge itself: each wrong response is called undeclared."""
    operation = document["paths"]["/api/v1/budget"]["get"]
    right = b'{"epsilon": 1.0, "delta": 0.0, "spent": 0.0, "left": 1.0, "own": null}'
    media = "application/json"
    assert undeclared(operation, document, 200, media, right) is None
    assert undeclared(operation, document, 418, media, right)
    assert undeclared(operation, document, 200, "text/html", right)
    assert undeclared(operation, document, 200, media, right.replace(b"1.0", b'"much"'))
    assert undeclared(operation, document, 200, media, b"{}")
    assert mismatch(True, {"type": "integer"}, document, "$")
    assert mismatch({"x": 1}, {"type": "object", "additionalProperties": False}, document, "$")
