"""A small vault, its people, its desk, and a browser that speaks to the application without a network."""

import asyncio
import json
import threading
from contextlib import contextmanager
from urllib.parse import urlencode

import tacit
from tacit.server import Desk, Identities, Rate, Rates, Slots, Waiting
from tacit.server.audit_log import AuditLog
from tacit.server.rate_limits import RATES

PASSWORD = "correct horse battery"
POLICY = """\
[limit]
epsilon = 20
delta = 1e-6

[tables.visits]
source = "visits.csv"
unit = "patient"
contributions = 2

[tables.visits.columns]
ward = { type = "text", values = ["A", "B"] }
cost = { type = "number", low = 0, high = 50 }
icd = { type = "text" }
day = { type = "date", low = 2025-01-01, high = 2025-12-31 }

[analysts.ana]
epsilon = 10
[analysts.ben]
epsilon = 1
"""
COUNT = "SELECT COUNT(*) AS n FROM visits"
BY_WARD = "SELECT ward, COUNT(*) AS n, AVG(cost) AS mean FROM visits GROUP BY ward"
ROLES = {"cleo": "curator", "ana": "analyst", "ben": "analyst", "otto": "auditor"}


def make_folder(folder, policy=POLICY, rows=300):
    """A vault's directory."""
    lines = ["patient,ward,cost,icd,day"]
    lines += [
        f"{n // 2},{'AB'[n % 2]},{n % 50},x{n % 3},2025-03-{1 + n % 28:02d}" for n in range(rows)
    ]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "visits.csv").write_text("\n".join(lines) + "\n")
    (folder / "tacit.toml").write_text(policy)
    return folder


SURVEY = '\n[surveys.meals]\nsource = "sums.json"\nquestion = "dish"\n'


def add_survey(folder):
    """Let the policy of a vault name a survey that was collected."""
    promise = {"protocol": "KaryResponse", "epsilon": 1.0, "ratio": "3", "neighbours": "replace"}
    dish = {"values": ["soup", "stew"], "counts": ["60", "41/2"], "variances": ["25", "25"]}
    collected = {"tables": {"dish": {**dish, "promise": {**promise, "people": 80}}}}
    (folder / "sums.json").write_text(json.dumps(collected))
    file = folder / "tacit.toml"
    file.write_text(file.read_text() + SURVEY)
    return folder


def add_people(identities, *, passwords=False):
    for name, role in ROLES.items():
        identities.add(name, role, PASSWORD if passwords else None)
    return identities


PLENTY = dict.fromkeys(RATES, Rate(10**9, 1.0))


def make_desk(folder, **given):
    """A desk over a vault, whose slots are short and whose rates are generous."""
    lines = []
    made = {
        "slots": Slots(workers=4, lengths=(0.02, 0.05)),
        "audit": AuditLog(lines.append),
        "rates": Rates(PLENTY),
        "waiting": Waiting(1000),
        "reopen": lambda: tacit.open(folder),
        "folder": folder,
        **given,
    }
    identities = made.pop("identities", None)
    if identities is None:
        identities = add_people(Identities())
    desk = Desk(tacit.open(folder), identities, **made)
    desk.open_tables()  # as `serve` does
    desk.lines = lines
    return desk


def who(desk, name):
    """Somebody who is signed in."""
    return desk._identities._identity(name)


def new_token(desk, name):
    """A token of somebody's."""
    return desk._identities.new_token(name)


class Loop:
    """An event loop on a thread of its own, on which a desk lives."""

    def __init__(self):
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def run(self, coroutine, timeout=120):
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(timeout)

    def close(self):
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()


class Answered:
    """A response: status, headers, body."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def text(self):
        return self.body.decode()

    def json(self):
        return json.loads(self.body)


class Browser:
    """Speaks to an application; it keeps cookies, and says that its requests come from the same origin."""

    def __init__(self, app, loop, token=None):
        self.app, self.loop, self.token = app, loop, token
        self.cookies = {}

    def request(
        self, method, path, *, body=None, form=None, headers=None, raw=None, site="same-origin"
    ):
        sent = dict(headers or {})
        data = raw or b""
        if body is not None:
            data = json.dumps(body).encode()
            sent.setdefault("content-type", "application/json")
        if form is not None:
            data = urlencode(form).encode()
            sent.setdefault("content-type", "application/x-www-form-urlencoded")
        if self.token:
            sent.setdefault("authorization", f"Bearer {self.token}")
        if self.cookies:
            sent.setdefault("cookie", "; ".join(f"{k}={v}" for k, v in self.cookies.items()))
        if site:
            sent.setdefault("sec-fetch-site", site)
        sent.setdefault("content-length", str(len(data)))
        return self.loop.run(self._call(method, path, sent, data))

    def get(self, path, **given):
        return self.request("GET", path, **given)

    def post(self, path, body=None, **given):
        return self.request("POST", path, body=body, **given)

    async def _call(self, method, path, headers, data):
        path, _, query = path.partition("?")
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "scheme": "http",
            "headers": [(k.lower().encode(), v.encode("latin-1")) for k, v in headers.items()],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 80),
        }
        messages = iter([{"type": "http.request", "body": data, "more_body": False}])
        got = {"headers": [], "body": b"", "status": None}

        async def receive():
            try:
                return next(messages)
            except StopIteration:
                await asyncio.sleep(3600)

        async def send(message):
            if message["type"] == "http.response.start":
                got["status"] = message["status"]
                got["headers"] = [(k.decode(), v.decode("latin-1")) for k, v in message["headers"]]
            else:
                got["body"] += message.get("body", b"")

        await self.app(scope, receive, send)
        found = {}
        for name, value in got["headers"]:
            if name.lower() == "set-cookie":
                key, _, rest = value.partition("=")
                content = rest.partition(";")[0].strip('"')
                if content:
                    self.cookies[key] = content
                else:
                    self.cookies.pop(key, None)
            found[name.lower()] = value
        return Answered(got["status"], found, got["body"])


@contextmanager
def running_app(folder, **given):
    """An application over a small vault: its desk, its loop, a browser for each name with a token."""
    from tacit.server.http.app import make_app
    from tacit.server.sessions import Sessions

    passwords = given.pop("passwords", False)
    identities = add_people(Identities(), passwords=passwords)
    desk = make_desk(folder, identities=identities, **given)
    sessions = Sessions(identities)
    app = make_app(desk, sessions, secure=False)
    loop = Loop()
    browsers = {name: Browser(app, loop, identities.new_token(name)) for name in ROLES}
    try:
        yield Clinic(desk, identities, app, loop, browsers, sessions)
    finally:
        loop.run(desk.drain())
        loop.close()
        desk.close()


class Clinic:
    """All that a test of the application needs."""

    def __init__(self, desk, identities, app, loop, browsers, sessions):
        self.sessions = sessions
        self.desk, self.identities, self.app, self.loop = desk, identities, app, loop
        self.browsers = browsers

    def __getattr__(self, name):
        return self.browsers[name]

    def stranger(self):
        return Browser(self.app, self.loop)


def run(folder, scenario, **given):
    """What a scenario returns, which is given a desk."""

    async def whole():
        desk = make_desk(folder, **given)
        try:
            return await scenario(desk)
        finally:
            await desk.drain()
            desk.close()

    return asyncio.run(whole())


def entries(desk):
    return list(desk._vault.ledger.entries())


async def answer(desk, name, question, key=None):
    job = await desk.ask(who(desk, name), question, key)
    return await job.result()
