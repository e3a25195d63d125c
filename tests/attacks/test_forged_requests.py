"""Every route against every role, and every unsafe route against requests that a browser was made to send.

The routes are those of the application itself: one that is added and not listed here fails.
"""

import pytest

from tests.unit.server.clinics import COUNT, PASSWORD, add_survey, make_folder, running_app

QUESTION = {"sql": COUNT, "epsilon": 0.01}
EVERYBODY = "curator analyst auditor"
# method and path: (who may, a body); a path in braces is filled in below
API = {
    ("POST", "/api/v1/tokens"): (
        "nobody needs to be",
        {"name": "ana", "password": "wrong password"},
    ),
    ("GET", "/api/v1/me"): (EVERYBODY, None),
    ("GET", "/api/v1/tables"): (EVERYBODY, None),
    ("GET", "/api/v1/tables/{name}"): (EVERYBODY, None),
    ("POST", "/api/v1/explanations"): ("curator analyst", QUESTION),
    ("POST", "/api/v1/answers"): ("curator analyst", QUESTION),
    ("POST", "/api/v1/synthetic-tables"): (
        "curator analyst",
        {"table": "visits", "epsilon": 0.01, "columns": ["ward"], "rows": 5},
    ),
    ("POST", "/api/v1/models"): (
        "curator analyst",
        {"model": "GaussianNB", "table": "visits", "target": "ward", "epsilon": 0.01},
    ),
    ("GET", "/api/v1/surveys"): (EVERYBODY, None),
    ("GET", "/api/v1/surveys/{survey}"): (EVERYBODY, None),
    ("GET", "/api/v1/answers"): ("curator analyst", None),
    ("GET", "/api/v1/answers/{id}"): ("owner", None),
    ("DELETE", "/api/v1/answers/{id}"): ("owner", None),
    ("POST", "/api/v1/twin/answers"): ("curator analyst", QUESTION),
    ("GET", "/api/v1/receipts/{entry}"): ("owner auditor curator", None),
    ("POST", "/api/v1/receipts/check"): (EVERYBODY, {"entry": "x"}),
    ("GET", "/api/v1/budget"): (EVERYBODY, None),
    ("GET", "/api/v1/budget/analysts"): ("curator auditor", None),
    ("GET", "/api/v1/budget/forecast"): (EVERYBODY, None),
    ("POST", "/api/v1/bounds"): ("curator", {"column": "visits.cost", "epsilon": 0.01}),
    ("POST", "/api/v1/contributions"): ("curator", {"table": "visits", "epsilon": 0.01}),
    ("GET", "/api/v1/ledger/records"): ("curator auditor", None),
    ("POST", "/api/v1/ledger/verifications"): ("curator auditor", None),
    ("GET", "/api/v1/ledger/verifications/{number}"): ("curator auditor", None),
    ("POST", "/api/v1/tables/{name}/refresh"): ("curator", None),
    ("POST", "/api/v1/policy/reload"): ("curator", None),
}
OPEN = {"/healthz", "/readyz", "/api/v1/openapi.json"}
PEOPLE = {"cleo": "curator", "ana": "analyst", "ben": "analyst", "otto": "auditor"}


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    folder = add_survey(make_folder(tmp_path_factory.mktemp("matrix") / "clinic"))
    with running_app(folder, passwords=True) as made:
        yield made


def routes_of(app):
    def flat(routes):
        for route in routes:
            if hasattr(route, "original_router"):
                yield from flat(route.original_router.routes)
            elif hasattr(route, "methods"):
                yield route

    return {
        (method, route.path)
        for route in flat(app.app.routes)
        for method in route.methods - {"HEAD"}
    }


def api_routes(app):
    return {(method, path) for method, path in routes_of(app) if path.startswith("/api/")} - {
        ("GET", "/api/v1/openapi.json")
    }


FORMS = {"/signin", "/signout", "/welcome/{secret}", "/explain", "/ask", "/people"} | {
    *("/policy/reload", "/ledger/verify", "/answers/{id}/leave"),
}


def test_every_route_of_the_interface_is_in_the_table(clinic):
    assert api_routes(clinic.app) == set(API)


def test_every_page_that_changes_something_refuses_what_no_page_of_ours_sent(clinic):
    pages = {
        (method, path) for method, path in routes_of(clinic.app) if not path.startswith("/api/")
    }
    assert {method for method, _ in pages} == {"GET", "POST"}
    assert {path for method, path in pages if method == "POST"} == FORMS
    browser, csrf = session_of(clinic)
    for path in FORMS:
        where = path.format(secret="x", id="x")
        for given, site in (("", "same-origin"), (csrf, "cross-site"), (csrf, None)):
            said = browser.request("POST", where, form={"csrf": given}, site=site)
            open_form = path in {"/signin", "/welcome/{secret}"} and site == "same-origin"
            assert said.status == 403 or (open_form and said.status in {401, 404}), (path, site)


def filled(path, clinic):
    asked = clinic.ana.post("/api/v1/answers", QUESTION).json()
    clinic.otto.post("/api/v1/ledger/verifications")
    known = {"name": "visits", "survey": "meals", "number": 0}
    return path.format(**known, id=asked["id"], entry=asked["receipt"]["entry"])


@pytest.mark.parametrize(("method", "path"), sorted(API))
def test_each_role_gets_in_where_the_table_says_so(clinic, method, path):
    allowed, body = API[method, path]
    where = filled(path, clinic)
    nobody = clinic.stranger().request(method, where, body=body)
    assert nobody.status == 401
    if path.endswith("/tokens"):
        return
    for name, role in PEOPLE.items():
        said = clinic.browsers[name].request(method, where, body=body)
        words = allowed.split()
        if role in words or ("owner" in words and name == "ana"):
            assert said.status < 400 or said.status == 422, (name, said.text)
        elif "owner" in words and role == "analyst":
            assert said.status == 404, (name, said.text)
        else:
            assert said.status in {403, 404}, (name, said.text)


def session_of(clinic, name="cleo"):
    """A browser with a session, and the token of its pages."""
    browser = clinic.stranger()
    who = clinic.desk.people.sign_in(name, PASSWORD, "here")
    sessions = clinic.sessions
    browser.cookies["tacit"] = sessions.issue(who)
    return browser, sessions.read(browser.cookies["tacit"]).csrf


@pytest.mark.parametrize(("method", "path"), sorted(each for each in API if each[0] != "GET"))
def test_no_unsafe_request_of_a_browser_counts_unless_a_page_of_ours_sent_it(clinic, method, path):
    if path.endswith("/tokens"):
        return  # it takes a password, and no session
    body = API[method, path][1]
    where = filled(path, clinic)
    before = len(list(clinic.desk._vault.ledger.entries()))
    browser, csrf = session_of(clinic)
    _, foreign = session_of(clinic, "otto")
    assert csrf != foreign
    for headers, site in [
        ({}, "same-origin"),
        ({"x-csrf": foreign}, "same-origin"),
        ({"x-csrf": "x"}, "same-origin"),
        ({"x-csrf": csrf}, "cross-site"),
        ({"x-csrf": csrf}, "same-site"),
        ({"x-csrf": csrf}, "none"),
        ({"x-csrf": csrf}, None),
    ]:
        said = browser.request(method, where, body=body, headers=headers, site=site)
        assert said.status == 403, (headers, site, said.text)
    assert len(list(clinic.desk._vault.ledger.entries())) == before
    said = browser.request(method, where, body=body, headers={"x-csrf": csrf})
    assert said.status != 401
    assert "this request does not come" not in said.text


def test_a_bearer_request_may_not_use_the_cookie(clinic):
    browser, csrf = session_of(clinic)
    said = browser.get(
        "/api/v1/people", headers={"authorization": "Bearer tct_wrong", "x-csrf": csrf}
    )
    assert said.status in {401, 404}
    said = browser.get("/api/v1/me", headers={"authorization": "Bearer tct_wrong"})
    assert said.status == 401


def test_a_session_ends_with_a_change_of_rights(clinic):
    browser, _ = session_of(clinic, "ben")
    assert browser.get("/api/v1/me").status == 200
    clinic.identities.disable("ben")
    assert browser.get("/api/v1/me").status == 401
    clinic.identities.enable("ben")
    assert browser.get("/api/v1/me").status == 401
