"""Every door of a server: how somebody comes in by it, asks, and what is then said.  A new door is entered in `DOORS`.

A door is a function of the server (its address and its desk), a name and a password; it returns a visit, or raises
`Refused` with all that is said.  A visit has `ask(sql, epsilon)`, which returns the rows of an answer as text or raises
`Refused`.
`mistake` is what the door says, always, when the server has made one.
"""

import asyncio
import html
import json
import re
from http.client import HTTPConnection
from types import SimpleNamespace
from urllib.parse import urlencode, urlsplit

import tacit
from tacit.errors import TacitError
from tacit.server.wire.door import Door
from tests.unit.server.wire import rooms
from tests.unit.server.wire.rooms import SmallCatalogue

__all__ = ["DOORS", "Refused"]


class Refused(Exception):
    """What a door says instead of an answer."""


class Line:
    """Requests to one server, with what they have in common."""

    def __init__(self, url, **headers):
        place = urlsplit(url)
        self.place, self.headers = (place.hostname, place.port), headers

    def send(self, method, path, body=None, **headers):
        connection = HTTPConnection(*self.place, timeout=60)
        connection.request(method, path, body, {**self.headers, **headers})
        response = connection.getresponse()
        said = response.read().decode()
        connection.close()
        return response.status, dict(response.getheaders()), said

    def post(self, path, body):
        status, _, said = self.send(
            "POST", path, json.dumps(body), **{"Content-Type": "application/json"}
        )
        if status >= 400:
            raise Refused(json.loads(said)["detail"])
        return json.loads(said)


class Interface:
    """The HTTP interface."""

    mistake = "something went wrong here; try again"

    def __init__(self, server, name, password):
        url, _ = server
        token = Line(url).post("/api/v1/tokens", {"name": name, "password": password})["token"]
        self.line = Line(url, Authorization=f"Bearer {token}")

    def ask(self, sql, epsilon):
        return str(self.line.post("/api/v1/answers", {"sql": sql, "epsilon": epsilon})["rows"])


class Workbench:
    """The pages, as a browser without scripts uses them."""

    mistake = "something went wrong here; try again"

    def __init__(self, server, name, password):
        url, _ = server
        self.line = Line(url, **{"Sec-Fetch-Site": "same-origin", "Accept": "text/html"})
        status, headers, page = self._form("/signin", name=name, password=password)
        if status != 303:
            raise Refused(words(page))
        self.line.headers["Cookie"] = headers["set-cookie"].partition(";")[0]

    def ask(self, sql, epsilon):
        _, _, page = self.line.send("GET", "/tables")
        found = re.search(r'name="csrf" value="([^"]+)"', page)
        token = found.group(1) if found else ""
        status, headers, page = self._form(
            "/ask", csrf=token, sql=sql, by="epsilon", price=str(epsilon), confidence="0.95"
        )
        if status == 303:
            raise Refused(f"goes to {headers['location']}: nobody is signed in")
        if 'aria-label="Answer"' not in page:
            raise Refused(words(page))
        return words(page)

    def _form(self, path, **fields):
        kind = "application/x-www-form-urlencoded"
        return self.line.send("POST", path, urlencode(fields), **{"Content-Type": kind})


class Client:
    """`tacit.connect`."""

    mistake = "could not answer; ask again: you are charged at most once"

    def __init__(self, server, name, password):
        url, _ = server
        token = Line(url).post("/api/v1/tokens", {"name": name, "password": password})["token"]
        self.vault = tacit.connect(url, token=token)

    def ask(self, sql, epsilon):
        try:
            return str(self.vault.sql(sql, epsilon=epsilon).rows)
        except TacitError as refusal:
            raise Refused(str(refusal)) from None
        finally:
            self.vault.close()


class Wire:
    """The PostgreSQL door: a token is the password there, and statements that write have words of their own."""

    mistake = "something went wrong here; try again"
    own_words = frozenset({"DROP TABLE visits"})

    def __init__(self, server, name, password):
        url, desk = server
        token = Line(url).post("/api/v1/tokens", {"name": name, "password": password})["token"]
        room = SimpleNamespace(
            door=Door(desk, SmallCatalogue()),
            tokens={name: token},
            run=lambda work: asyncio.run_coroutine_threadsafe(work, desk.loop).result(60),
        )
        self.client = rooms.Client(room, name)
        self._refuse(self.client.greeting)

    def ask(self, sql, epsilon):
        self._refuse(self.client.ask(f"SET tacit.epsilon = {epsilon}"))
        said = self.client.ask(sql)
        self._refuse(said)
        return str([rooms.cells_of(body) for kind, body in said if kind == "D"])

    @staticmethod
    def _refuse(said):
        for kind, body in said:
            if kind == "E":
                raise Refused(" ".join(rooms.fields_of(body).values()))


def words(page):
    """What a page says, without its mark-up."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


DOORS = {"interface": Interface, "workbench": Workbench, "client": Client, "wire": Wire}
