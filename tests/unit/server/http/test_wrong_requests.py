"""A request that is not what is declared is refused in our words, and not in those of a library."""

import pytest

from tests.unit.server.clinics import COUNT, make_folder, running_app

SHOWN = "send what /api/v1/openapi.json declares"


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    with running_app(make_folder(tmp_path_factory.mktemp("wrong") / "clinic")) as app:
        yield app


@pytest.mark.parametrize(
    ("more", "name", "detail"),
    [
        ({"epsilon": 0}, "epsilon", "epsilon cannot be 0; give a number above zero"),
        ({"epsilon": -1.5}, "epsilon", "epsilon cannot be -1.5; give a number above zero"),
        ({"within": 0}, "within", "within cannot be 0; give a number above zero"),
        (
            {"epsilon": "much"},
            "epsilon",
            """epsilon cannot be 'much'; give a number above zero, or an exact one as text, such as "0.1" or "1/3\"""",
        ),
        ({"epsilon": "0"}, "epsilon", "epsilon cannot be 0; give a number above zero"),
        (
            {"epsilon": 1, "confidence": 2},
            "confidence",
            "confidence cannot be 2; give a number between 0 and 1",
        ),
    ],
)
def test_numbers_are_refused_as_on_the_command_line(clinic, more, name, detail):
    said = clinic.ana.post("/api/v1/answers", {"sql": COUNT, **more})
    assert said.status == 422
    assert (said.json()["name"], said.json()["detail"]) == (name, detail)


@pytest.mark.parametrize("raw", [b"abc", b"", b"[]", b'"abc"', b"{", b"null"])
def test_what_is_no_object_is_told_so(clinic, raw):
    said = clinic.ana.post("/api/v1/answers", raw=raw, headers={"content-type": "application/json"})
    assert said.status == 422
    assert said.json()["name"] == "the body"
    assert said.json()["detail"].startswith("the body is no JSON object; send one, with the header")


def test_a_body_without_its_header_is_told_so(clinic):
    said = clinic.ana.post("/api/v1/answers", raw=b'{"sql": "SELECT 1"}')
    assert "Content-Type: application/json" in said.json()["detail"]


def test_fields_are_named(clinic):
    def told(body, path="/api/v1/answers"):
        return clinic.ana.post(path, body).json()["detail"]

    assert told({"epsilon": 1}).startswith(f"sql is missing; {SHOWN}")
    assert told({"sql": COUNT, "eps": 1}).startswith(f"there is no field 'eps' here; {SHOWN}")
    assert told({"sql": 3}).startswith(f"sql: it should be a valid string; {SHOWN}")
    assert told({"sql": COUNT, "params": 3}).startswith("params: it should be ")


def test_a_password_is_not_repeated(clinic):
    said = clinic.stranger().post("/api/v1/tokens", {"name": "ana", "password": ["hunter2"]})
    assert said.status == 422
    assert "hunter2" not in said.text
