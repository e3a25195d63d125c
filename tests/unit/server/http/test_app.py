"""The document declares every response; health says nothing; every response has the headers that protect pages."""

import re

import pytest

from tests.unit.server.clinics import make_folder, running_app


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    with running_app(make_folder(tmp_path_factory.mktemp("app") / "clinic")) as made:
        yield made


def test_the_document_declares_every_route_and_every_problem(clinic):
    document = clinic.ana.get("/api/v1/openapi.json").json()
    assert document["openapi"] == "3.1.0"
    declared = {
        (method.upper(), path)
        for path, operations in document["paths"].items()
        for method in operations
    }
    routes = {
        (method, route.path)
        for route in flat(clinic.app.app.routes)
        if route.path.startswith("/api/v1/") and not route.path.endswith("openapi.json")
        for method in route.methods - {"HEAD"}
    }
    assert declared == routes
    for path, operations in document["paths"].items():
        for operation in operations.values():
            responses = operation["responses"]
            assert {"401", "403", "413", "422", "429", "500", "503"} <= set(responses), path
            for status, said in responses.items():
                if int(status) >= 400:
                    assert list(said["content"]) == ["application/problem+json"]
    text = str(document)
    assert "HTTPValidationError" not in text
    for name in re.findall(r"#/components/schemas/(\w+)", text):
        assert name in document["components"]["schemas"]


def test_what_is_not_found_is_declared_where_something_is_named(clinic):
    document = clinic.cleo.get("/api/v1/openapi.json").json()
    named = [
        (method, path, operation)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if "{" in path
    ]
    assert len(named) >= 5
    for method, path, operation in named:
        said = clinic.cleo.request(method.upper(), re.sub(r"{\w+}", "77", path), body={})
        assert str(said.status) in operation["responses"], (method, path, said.text)
        assert said.status in {404, 422}
        assert "404" in operation["responses"], path


def flat(routes):
    for route in routes:
        if hasattr(route, "original_router"):
            yield from flat(route.original_router.routes)
        elif hasattr(route, "methods"):
            yield route


def test_health_is_constant_and_needs_nobody(clinic):
    stranger = clinic.stranger()
    assert stranger.get("/healthz").json() == {"state": "running"}
    assert stranger.get("/readyz").json() == {"state": "ready"}


def test_every_response_forbids_what_no_page_needs(clinic):
    for path in ("/healthz", "/api/v1/me", "/api/v1/nothing", "/nothing"):
        headers = clinic.stranger().get(path).headers
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self' 'nonce-")
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "server" not in headers
        assert not [name for name in headers if name.startswith("access-control")]
