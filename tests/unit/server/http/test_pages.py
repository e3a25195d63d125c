"""The workbench without scripts: every page for every role, forms that explain and ask, and nothing that breaks out."""

import html
import re
from hashlib import sha256

import pytest

from tacit.server.http.pages.rendering import share_text
from tests.docs.sources import SRC
from tests.unit.server.clinics import BY_WARD, COUNT, PASSWORD, Browser, make_folder, running_app

HTML = {"accept": "text/html"}
PAYLOADS = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{ 7 * 7 }}",
    "'; DROP TABLE visits; --",
    "=1+1",
    "\x1b[2J",
    "</textarea><script>",
]
PAGES = {
    "ana": "ask history budget tables tables/visits",
    "cleo": "ask history budget tables policy people ledger operations",
    "otto": "ledger budget tables tables/visits",
}
REFUSED = {
    "ana": "policy people ledger operations",
    "otto": "ask history policy people operations",
}


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    folder = make_folder(tmp_path_factory.mktemp("pages") / "clinic")
    with running_app(folder, passwords=True) as made:
        made.signed = {name: signed_in(made, name) for name in ("ana", "cleo", "otto")}
        yield made


def signed_in(clinic, name):
    browser = Browser(clinic.app, clinic.loop)
    said = browser.post("/signin", form={"name": name, "password": PASSWORD}, headers=HTML)
    assert (said.status, said.headers["location"]) == (303, "/")
    return browser


def csrf_of(browser):
    page = browser.get("/budget", headers=HTML).text
    return re.search(r'name="csrf" value="(\w+)"', page)[1]


def ask(browser, path="/ask", headers=None, **fields):
    form = {
        "csrf": csrf_of(browser),
        "by": "epsilon",
        "price": "0.1",
        "confidence": "0.95",
        **fields,
    }
    return browser.post(path, form=form, headers={**HTML, **(headers or {})})


@pytest.mark.parametrize("name", list(PAGES))
def test_every_page_of_a_role_is_shown_and_no_other(clinic, name):
    for path in PAGES[name].split():
        said = clinic.signed[name].get(f"/{path}", headers=HTML)
        assert said.status == 200, (path, said.text)
        assert "<h1" in said.text
        assert not re.search(
            r'\sstyle="|<script>|\son\w+=|https?://(?!testserver|127)', said.text
        ), path
    for path in REFUSED.get(name, "").split():
        said = clinic.signed[name].get(f"/{path}", headers=HTML)
        assert said.status == 403, path
        assert "This is not allowed" in said.text


def test_who_is_not_signed_in_is_asked_to(clinic):
    stranger = clinic.stranger()
    for path in ("/ask", "/history", "/ledger", "/receipts/1"):
        said = stranger.get(path, headers=HTML)
        assert (said.status, said.headers["location"]) == (303, "/signin")
    assert "Sign in" in stranger.get("/signin", headers=HTML).text
    said = stranger.post("/signin", form={"name": "eve", "password": "x"}, headers=HTML)
    assert said.status == 401
    assert "the name or the password is wrong" in said.text
    assert "tacit" not in stranger.cookies


def test_a_link_sets_a_password_once_and_signs_in(clinic):
    clinic.identities.add("zoe", "auditor")
    path = f"/welcome/{clinic.identities.new_link('zoe')}"
    browser = clinic.stranger()
    assert "Welcome, zoe" in browser.get(path, headers=HTML).text
    assert browser.post(path, form={"password": "a" * 10, "again": "b" * 10}).status == 422
    assert browser.post(path, form={"password": "short", "again": "short"}).status == 422
    said = browser.post(path, form={"password": PASSWORD, "again": PASSWORD})
    assert said.status == 303
    assert browser.get("/ledger", headers=HTML).status == 200
    late = clinic.stranger().get(path, headers=HTML)
    assert late.status == 404
    assert "this link was used, or is older than a day; ask the curator for another" in late.text
    lost = clinic.stranger().get("/nowhere", headers=HTML)
    assert (lost.status, "/nowhere is no page" in lost.text) == (404, True)


def test_an_address_explains_and_never_asks(clinic):
    before = len(list(clinic.desk._vault.ledger.entries()))
    said = clinic.signed["ana"].get(f"/ask?q={BY_WARD.replace(' ', '+')}&epsilon=0.5", headers=HTML)
    assert "for each ward" in said.text
    assert "of your limit" in said.text
    assert len(list(clinic.desk._vault.ledger.entries())) == before


def test_a_form_explains_asks_and_shows_a_receipt_that_verifies(clinic):
    browser = clinic.signed["ana"]
    explained = ask(browser, "/explain", sql=BY_WARD).text
    assert "±" in explained
    assert "mean: about" in explained
    assert "in one of 1,000 and" in explained
    spread = ask(browser, "/explain", sql=BY_WARD.replace("AVG(", "STDDEV(")).text
    assert "mean: computed from several of these" in spread
    said = ask(browser, sql=BY_WARD)
    assert said.status == 200
    assert 'class="card answer"' in said.text
    assert "<svg" in said.text
    receipt = re.search(r"/receipts/(\d+)", said.text)[0]
    assert "all" in browser.get(receipt, headers=HTML).text
    assert "Verified against the ledger" in browser.get(receipt, headers=HTML).text
    assert clinic.signed["otto"].get(receipt, headers=HTML).status == 200
    again = ask(browser, sql=BY_WARD)
    assert "nothing: the stored answer" in html.unescape(again.text)
    assert BY_WARD in html.unescape(browser.get("/history", headers=HTML).text)
    assert browser.get("/history?table=visits", headers=HTML).status == 200


def test_what_intervals_do_not_cover_is_said_beside_them(clinic):
    page = html.unescape(ask(clinic.signed["ana"], sql=COUNT + " WHERE cost > 3", twin="on").text)
    shown = page[page.index("Intervals cover the noise with 95 % probability.") :]
    shown = shown[: shown.index("</details>")]
    assert "What is left out or clipped, which intervals do not cover</summary>" in shown
    assert "<li>cost is clipped to the range" in shown


def test_parts_of_pages_are_for_scripts(clinic):
    browser = clinic.signed["ana"]
    part = ask(browser, "/explain", {"x-part": "1"}, sql=COUNT)
    assert "<html" not in part.text
    waiting = ask(browser, "/ask", {"x-part": "1"}, sql="SELECT SUM(cost) AS s FROM visits")
    job = re.search(r'data-id="([\w-]+)"', waiting.text)[1]
    clinic.loop.run(clinic.desk.job(clinic.identities._identity("ana"), job).result())
    found = browser.get(f"/answers/{job}", headers={"x-part": "1"})
    assert "card answer" in found.text
    assert browser.get(f"/answers/{job}", headers=HTML).status == 200
    assert clinic.signed["cleo"].get(f"/answers/{job}", headers=HTML).status == 404
    refused = ask(browser, "/ask", {"x-part": "1"}, sql="SELECT cost FROM visits")
    assert 'data-start="7" data-end="11"' in refused.text


BY_CODE = "SELECT icd, COUNT(*) AS n FROM visits GROUP BY icd"
FREE = "SELECT DISTINCT ward FROM visits"


@pytest.mark.parametrize("headers", [{}, {"x-part": "1"}], ids=["page", "part"])
@pytest.mark.parametrize(
    ("sql", "by", "price", "said"),
    [
        (COUNT, "epsilon", "0.5", "Pay epsilon"),
        (COUNT, "within", "40", "Ask for ±20"),
        (COUNT, "epsilon", "50", "which still fits"),
        (COUNT, "within", "0.001", "which still fits"),
        (BY_CODE, "epsilon", "0.5", "Pay epsilon"),
        (BY_CODE, "epsilon", "50", "Pay less, or allow a larger ±"),
        ("SELECT AVG(cost) AS m FROM visits", "within", "3", "vault.refine"),
        (FREE, "within", "40", "Free"),
        (FREE, "epsilon", "0.1", "Free"),
    ],
)
def test_whatever_a_question_costs_its_explanation_is_shown(clinic, headers, sql, by, price, said):
    shown = ask(clinic.signed["ana"], "/explain", headers, sql=sql, by=by, price=price)
    assert shown.status == 200
    assert said in html.unescape(shown.text)


def test_what_is_left_of_an_allowance_is_told_before_anything_is_asked(clinic):
    cleo, ben = clinic.signed["cleo"], signed_in(clinic, "ben")
    clinic.identities.set_terms("ben", price=None, allowance=1e-5)
    try:
        few = ask(ben, "/explain", sql=COUNT, price="0.01").text
        none = ask(ben, "/explain", sql=COUNT, price="0.5").text
        clinic.identities.set_terms("ben", price=None, allowance=1e-3)
        dear = ask(ben, "/explain", sql=COUNT, price="0.9").text
        price = re.search(r"Pay epsilon ([\d.]+)</a> <span class=\"muted\">which still fits", dear)[
            1
        ]
        fits = ask(ben, "/explain", sql=COUNT, price=price).text
        budget = ben.get("/budget", headers=HTML).text
    finally:
        clinic.identities.set_terms("ben", price=None, allowance=None)
    assert re.search(r"more like this fit, \d+ of them today", few)
    for beyond in (none, dear):
        assert "does not fit today" in beyond
        assert 'data-affordable="no"' in beyond
    assert "Ask tomorrow" in none
    assert 'data-affordable="yes"' in fits
    assert "of your limit can be spent today" in budget
    assert "today" not in ask(cleo, "/explain", sql=COUNT, price="0.01").text


def test_a_mistake_is_a_page_to_people_that_says_nothing_of_it(clinic, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("canary4711")

    monkeypatch.setattr(type(clinic.desk), "explain", fail)
    said = ask(clinic.signed["ana"], "/explain", sql=COUNT)
    assert (said.status, "<h1>The server failed</h1>" in said.text) == (500, True)
    assert "canary4711" not in said.text
    part = ask(clinic.signed["ana"], "/explain", {"accept": "*/*", "x-part": "1"}, sql=COUNT)
    assert part.json()["detail"] == "something went wrong here; try again"


def test_a_refusal_is_shown_with_a_text_that_mends_it(clinic):
    browser = clinic.signed["ana"]
    said = html.unescape(ask(browser, "/explain", sql="SELECT cost FROM visits").text)
    rewrite = re.search(r'data-rewrite="([^"]+)"', said)[1]
    assert rewrite == "SELECT AVG(cost) AS mean FROM visits"
    assert "of your limit" in ask(browser, "/explain", sql=rewrite).text


def test_made_up_rows_are_marked_and_cost_nothing(clinic):
    before = len(list(clinic.desk._vault.ledger.entries()))
    said = ask(clinic.signed["ana"], sql=COUNT + " WHERE cost > 3", twin="on")
    assert "made-up" in said.text
    assert "Made-up rows" in said.text
    assert len(list(clinic.desk._vault.ledger.entries())) == before


@pytest.mark.parametrize("field", ["price", "confidence"])
@pytest.mark.parametrize("wrong", ["x", "-1", "1e9", "", "٣", "9" * 99])
def test_what_is_typed_wrong_is_said_in_a_sentence(clinic, field, wrong):
    said = ask(clinic.signed["ana"], "/explain", sql=COUNT, **{field: wrong})
    assert said.status == 200


@pytest.mark.parametrize("payload", PAYLOADS)
def test_what_people_type_stays_text(clinic, payload):
    browser = clinic.signed["ana"]
    for said in (
        ask(browser, "/explain", sql=payload),
        ask(browser, sql=f"SELECT '{payload}' FROM visits"),
    ):
        assert said.status == 200
        assert "<script>" not in said.text
        assert "<img" not in said.text
        assert "onerror=alert(1)>" not in said.text.replace(
            "&#34;&gt;&lt;img src=x onerror=alert(1)&gt;", ""
        )


def test_a_form_without_its_token_is_refused(clinic):
    browser = clinic.signed["cleo"]
    for path in ("/ask", "/explain", "/signout", "/people", "/policy/reload", "/ledger/verify"):
        for csrf, site in (
            ("", "same-origin"),
            ("x", "same-origin"),
            (csrf_of(browser), "cross-site"),
        ):
            said = browser.post(path, form={"csrf": csrf, "act": "add"}, headers=HTML, site=site)
            assert said.status == 403, (path, csrf, site)
    for path in ("/signin", f"/welcome/{clinic.identities.new_link('ben')}"):
        said = clinic.stranger().post(
            path, form={"name": "ana", "password": PASSWORD}, site="cross-site"
        )
        assert said.status == 403


def test_people_are_managed_on_their_page(clinic):
    browser, csrf = clinic.signed["cleo"], csrf_of(clinic.signed["cleo"])

    def act(what, **fields):
        return browser.post(
            "/people", form={"csrf": csrf, "act": what, **fields}, headers=HTML
        ).text

    added = act("add", name="newcomer", role="analyst", price="0.1", allowance="5")
    assert "/welcome/" in added
    assert "no limit of their own" in added
    assert "tct_" in act("token", name="newcomer")
    (token,) = clinic.identities.tokens("newcomer")
    act("revoke", id=token.id)
    assert clinic.identities.tokens("newcomer") == []
    assert "/welcome/" in act("reset", name="newcomer")
    assert "disabled" in act("disable", name="newcomer")
    act("enable", name="newcomer")
    for wrong in (act("add", name="ana", role="analyst"), act("disable", name="cleo"), act("x")):
        assert 'role="alert"' in wrong
    assert 'role="alert"' in act("add", name="n", role="analyst", allowance="much")


def test_the_ledger_is_verified_on_its_page(clinic):
    browser = clinic.signed["otto"]
    said = browser.post("/ledger/verify", form={"csrf": csrf_of(browser)}, headers=HTML)
    assert said.status == 303
    while "Checking" in (page := browser.get(said.headers["location"], headers=HTML).text):
        pass
    assert "Intact:" in page


def test_faults_of_a_policy_stand_beside_their_lines(clinic):
    file = clinic.desk._folder / "tacit.toml"
    text = file.read_text()
    file.write_text(text.replace("contributions = 2", "contributions = 0"))
    try:
        page = clinic.signed["cleo"].get("/policy", headers=HTML).text
    finally:
        file.write_text(text)
    assert 'class="fault"' in page
    browser = clinic.signed["cleo"]
    said = browser.post("/policy/reload", form={"csrf": csrf_of(browser)}, headers=HTML)
    assert said.status == 303


def test_signing_out_forgets_the_session(clinic):
    browser = signed_in(clinic, "ben")
    stolen = dict(browser.cookies)
    browser.post("/signout", form={"csrf": csrf_of(browser)}, headers=HTML)
    assert browser.get("/ask", headers=HTML).status == 303
    browser.cookies = stolen
    assert browser.get("/ask", headers=HTML).status == 303


def test_a_page_of_the_ledger_beyond_all_pages_is_empty(clinic):
    browser = clinic.signed["cleo"]
    assert browser.get(f"/ledger?first={'9' * 30}", headers=HTML).status == 200


def test_scripts_and_styles_are_ours_and_the_bundle_is_the_one_that_was_built(clinic):
    for name in ("app.css", "app.js", "page.js", "editor.min.js", "icon.svg"):
        said = clinic.stranger().get(f"/static/{name}")
        assert said.status == 200
    folder = SRC / "tacit" / "server" / "http"
    digest = sha256((folder / "static" / "editor.min.js").read_bytes()).hexdigest()
    assert (folder / "vendor" / "SHA256").read_text().split()[0] == digest
    assert "MIT" in (folder / "vendor" / "LICENSES.txt").read_text()
    assert clinic.stranger().get("/static/../pages.py").status == 404
    assert share_text(0.5) == "50 %"


def test_a_token_signs_in_until_it_is_revoked(clinic):
    token = clinic.identities.new_token("ben")
    browser = clinic.stranger()
    wrong = browser.post("/signin", form={"token": "tct_wrong"}, headers=HTML)
    assert wrong.status == 401
    assert browser.post("/signin", form={"token": token}, headers=HTML).status == 303
    assert browser.get("/ask", headers=HTML).status == 200
    (kept,) = clinic.identities.tokens("ben")[-1:]
    clinic.identities.revoke(kept.id)
    assert browser.get("/ask", headers=HTML).status == 303


def test_answers_and_histories_are_saved_as_files(clinic):
    browser = clinic.signed["ana"]
    said = ask(browser, sql=BY_WARD)
    job = re.search(r"/answers/([\w-]+)\.csv", said.text)[1]
    saved = browser.get(f"/answers/{job}.csv")
    assert saved.text.startswith("ward,n,n_low")
    assert "attachment" in saved.headers["content-disposition"]
    assert browser.get(f"/answers/{job}.arrow").status in {200, 406}
    assert browser.get(f"/answers/{job}.exe").status == 404
    assert clinic.signed["cleo"].get(f"/answers/{job}.csv").status == 404
    assert BY_WARD in browser.get("/history.csv").text
    assert browser.get("/history?state=open", headers=HTML).status == 200


def test_who_waits_longer_than_a_slot_is_told_how_long(clinic, monkeypatch):
    monkeypatch.setattr(clinic.desk.asking.slots, "seconds_until", lambda _: 0.0)
    sql = "SELECT SUM(cost) AS s FROM visits WHERE ward = 'A'"
    said = ask(clinic.signed["ana"], "/ask", {"x-part": "1"}, sql=sql).text
    assert "It takes longer than usual" in said
    assert "data-late" in said


def test_who_stops_waiting_is_told_that_the_answer_is_kept(clinic):
    browser = clinic.signed["ana"]
    said = ask(browser, sql=COUNT + " WHERE cost > 17", headers={"x-part": "1"})
    job = re.search(r'data-id="([\w-]+)"', said.text)[1]
    form = {"csrf": csrf_of(browser)}
    left = browser.post(f"/answers/{job}/leave", form=form, headers={"x-part": "1"})
    assert "asking again is free" in left.text
    assert browser.post(f"/answers/{job}/leave", form=form, headers=HTML).status == 303
    assert browser.post("/answers/nothing/leave", form=form, headers=HTML).status == 404


def test_records_are_filtered_exported_and_compared_with_a_head(clinic):
    ask(clinic.signed["ana"], sql=COUNT)
    browser = clinic.signed["otto"]
    lines = browser.get("/ledger.jsonl").text.splitlines()
    assert lines[0].startswith('{"record": 0')
    assert clinic.signed["ana"].get("/ledger.jsonl").status == 403
    charged = browser.get("/ledger?kind=charged&analyst=ana&table=visits", headers=HTML).text
    assert '<td data-label="Kind">charged' in charged
    assert '<td data-label="Kind">answered' not in charged
    assert "no such records" in browser.get("/ledger?analyst=nobody", headers=HTML).text
    head = re.search(r'"hash": "(\w+)"', lines[1])[1]
    assert (
        "Record 1</strong> has this hash"
        in browser.get(f"/ledger?head={head[:12]}", headers=HTML).text
    )
    assert "no record has this hash" in browser.get("/ledger?head=00000000", headers=HTML).text
    assert "write at least 8" in browser.get("/ledger?head=0", headers=HTML).text


def test_a_policy_is_tried_out_on_its_page(clinic):
    ask(clinic.signed["ana"], sql=BY_WARD)
    browser = clinic.signed["cleo"]
    said = browser.get("/policy?bound=visits&high=1", headers=HTML).text
    assert "± then" in said
    assert "In visits, for each ward" in html.unescape(said)
    assert (
        'role="alert"' in browser.get("/policy?bound=visits.cost&low=9&high=1", headers=HTML).text
    )
    assert 'role="alert"' in browser.get("/policy?times=many", headers=HTML).text
    assert clinic.signed["ana"].get("/policy?times=2", headers=HTML).status == 403
