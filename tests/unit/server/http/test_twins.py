"""Every page has a twin in JSON, which the same people may read."""

import pytest

from tests.unit.server.clinics import COUNT, make_folder, running_app
from tests.unit.server.http.test_pages import HTML, PAGES, REFUSED, ask, signed_in


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    folder = make_folder(tmp_path_factory.mktemp("twins") / "clinic")
    with running_app(folder, passwords=True) as made:
        made.signed = {name: signed_in(made, name) for name in PAGES}
        ask(made.signed["ana"], sql=COUNT)
        yield made


def read(browser, path):
    """What a path gives, after being led on at most once."""
    said = browser.get(path)
    return browser.get(said.headers["location"]) if said.status == 307 else said


@pytest.mark.parametrize("name", list(PAGES))
def test_every_page_has_a_twin_for_the_same_people(clinic, name):
    browser = clinic.signed[name]
    for path in PAGES[name].split():
        twin = f"/{path}.json"
        if path == "ask":
            twin += f"?q={COUNT.replace(' ', '+')}&epsilon=0.1"
        said = read(browser, twin)
        assert (said.status, said.headers["content-type"]) == (200, "application/json"), path
        said.json()
        shown = browser.get(twin.replace(".json", ""), headers=HTML).text
        assert f'href="{twin.replace("&", "&amp;")}"' in shown
    for path in REFUSED.get(name, "").split():
        assert read(browser, f"/{path}.json").status in {403, 422}, path
        assert read(browser, f"/{path}.json?q=x&epsilon=1").status == 403, path


def test_a_receipt_and_an_answer_have_theirs(clinic):
    browser = clinic.signed["ana"]
    assert read(browser, "/receipts/0.json").json()["entry"] == 0
    job = clinic.ana.post("/api/v1/answers", {"sql": COUNT, "epsilon": 0.1}).json()["id"]
    assert read(browser, f"/answers/{job}.json").json()["id"] == job
    assert read(clinic.signed["cleo"], f"/answers/{job}.json").status == 404


def test_who_is_not_signed_in_reads_none(clinic):
    for path in {path for paths in PAGES.values() for path in paths.split()}:
        assert clinic.stranger().get(f"/{path}.json").status == 401
