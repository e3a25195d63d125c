"""Two server processes over one ledger in PostgreSQL: one limit, one charge an answer, the same people."""

import http.client
import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from urllib.parse import urlencode, urlsplit

import pytest

import tacit
from tacit.errors import AccessDenied, LimitExceeded
from tacit.server.serve_vault import identities_of
from tests import postgres
from tests.browser.conftest import address_in, serving
from tests.unit.server.clinics import PASSWORD, make_folder

POLICY = """\
[limit]
epsilon = {limit}
delta = 0

[ledger]
place = "$TACIT_LEDGER"

[tables.visits]
source = "visits.csv"
unit = "patient"
contributions = 2

[tables.visits.columns]
ward = {{ type = "text", values = ["A", "B"] }}
cost = {{ type = "number", low = 0, high = 50 }}

[analysts.ana]
epsilon = {limit}
[analysts.ben]
epsilon = {limit}
"""


def question(number):
    return f"SELECT COUNT(*) AS n FROM visits WHERE cost > {number}"


def send(url, method, path, body=b"", **headers):
    """Status, cookies and JSON of one request; `_` in the name of a header is a hyphen."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=60)
    connection.request(
        method, path, body, {name.replace("_", "-"): each for name, each in headers.items()}
    )
    response = connection.getresponse()
    cookie = (response.headers.get("set-cookie") or "").partition(";")[0]
    text = response.read().decode()
    connection.close()
    return response.status, cookie, text


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    """The folder of a vault, the addresses of its two servers, and a token for each of its people."""
    with pytest.MonkeyPatch.context() as surroundings, ExitStack() as stack:
        surroundings.setenv("TACIT_LEDGER", postgres.fresh_address())
        folder = make_folder(
            tmp_path_factory.mktemp("two") / "clinic", POLICY.format(limit=1), rows=40
        )
        people = identities_of(folder)
        stack.callback(people.close)
        people.add("ana", "analyst", PASSWORD)
        people.add("ben", "analyst")
        people.add("cleo", "curator", PASSWORD)
        tokens = {name: people.new_token(name) for name in ("ana", "ben", "cleo")}
        urls = [address_in(stack.enter_context(serving("vault", folder))) for _ in range(2)]
        vaults = {
            name: [stack.enter_context(tacit.connect(url, token=token)) for url in urls]
            for name, token in tokens.items()
        }
        yield folder, urls, tokens, people, vaults


def test_two_servers_keep_one_limit_and_know_the_same_people(clinic):
    folder, urls, tokens, people, vaults = clinic
    anas, bens = vaults["ana"], vaults["ben"]
    assert not (folder / "identities.sqlite").exists()

    def attempt(vault, number):
        try:
            return vault.sql(question(number), epsilon=0.125)
        except LimitExceeded:
            return None

    with ThreadPoolExecutor(8) as pool:
        same = list(pool.map(attempt, [*anas, *anas], [0] * 4))  # one question, at both doors
        assert len({repr((each.rows, each.receipt)) for each in same}) == 1
        who = [*anas, *bens] * 3
        found = list(pool.map(attempt, who, range(1, 13)))
    assert sum(each is not None for each in found) == 7  # with the one before, all of the limit
    for vault in (anas[0], bens[1]):
        assert vault.budget.spent == 1.0

    with tacit.open(folder) as opened:
        entries = list(opened.ledger.entries())
        assert len(entries) == 8
        assert sum(each.charge.amount for each in entries) == opened.ledger.total_spent().amount
        assert opened.policy.limit.filter().share(opened.ledger.total_spent()) == 1

    form = urlencode({"name": "ana", "password": PASSWORD}).encode()
    kind = {"Content_Type": "application/x-www-form-urlencoded", "Sec_Fetch_Site": "same-origin"}
    status, cookie, _ = send(urls[0], "POST", "/signin", form, **kind)
    assert status == 303
    assert send(urls[1], "GET", "/history", Cookie=cookie)[0] == 200  # it signed in elsewhere
    wrong = urlencode({"name": "zoe", "password": "wrong"}).encode()
    tried = [send(url, "POST", "/signin", wrong, **kind)[0] for url in urls * 3]
    assert tried == [401] * 5 + [429]  # five from one address, wherever they are made

    (folder / "tacit.toml").write_text(POLICY.format(limit=2))
    cleo = {"Authorization": f"Bearer {tokens['cleo']}"}
    assert send(urls[0], "POST", "/api/v1/policy/reload", **cleo)[0] == 204
    missing = next(number for number, each in zip(range(1, 13), found, strict=True) if not each)
    asker = [*anas, *bens][(missing - 1) % 4]
    assert asker.sql(
        question(missing), epsilon=0.125
    ).rows  # whichever server it was: it reads anew

    (own,) = people.tokens("ana")
    people.revoke(own.id)
    for vault in anas:
        with pytest.raises(AccessDenied):
            vault.explain(question(0), epsilon=0.125)
    assert json.loads(send(urls[0], "GET", "/readyz")[2]) == {"state": "ready"}
