"""One server, that of `tacit demo --serve`, and one browser for all tests of a run: each test has a page of its own."""

import re
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest

from tests.browser.devtools import Chromium
from tests.docs.sources import ROOT

EXPECTED = re.compile(
    r"status of (401|403|404)"  # said of a page that is refused, as it should be
    r"|^Autofocus processing was blocked"  # a test was in a field before the browser had chosen one
)


class Workbench:
    """The demo's server: its address, its password, and a page for each who is signed in."""

    def __init__(self, browser, url, password, folder):
        self.browser, self.url, self.password, self.folder = browser, url, password, folder
        self._cookies, self._readers, self.pages = {}, {}, []

    def page(self, name=None, **look):
        """A page of nobody, or of somebody who is signed in: by the form, but once, since attempts are counted."""
        page = self.browser.page(**look)
        self.pages.append(page)
        if name is None:
            return page
        if name not in self._cookies:
            sign_in(page, self.url, name, self.password)
            (cookie,) = page.call("Network.getCookies", urls=[self.url])["cookies"]
            self._cookies[name] = cookie["value"]
        page.call("Network.setCookie", name="tacit", value=self._cookies[name], url=self.url)
        return page

    def reader(self, name=None):
        """A page for tests that look at a page and change nothing: it is kept, since each new one starts a process."""
        if name not in self._readers:
            self._readers[name] = self.page(name)
            self.pages.remove(self._readers[name])
        return self._readers[name]

    def check(self):
        """No page complained, opened a dialogue or asked anybody else for anything."""
        pages, self.pages = self.pages, []
        for page in pages:
            page.close()
        notes = [page.take_notes() for page in (*pages, *self._readers.values())]
        for words, requests, dialogs in notes:
            foreign = [each for each in requests if not each.startswith((self.url, "about:"))]
            said = [each for each in words if not EXPECTED.search(str(each))]
            assert (said, foreign, dialogs) == ([], [], [])


def sign_in(page, url, name, password):
    """Sign in by the form."""
    page.open(f"{url}/signin")
    page.fill("#name", name)
    page.fill("#password", password)
    page.follow("button.main")


@pytest.fixture(scope="session")
def chromium(tmp_path_factory):
    browser = Chromium(tmp_path_factory.mktemp("chromium"))
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def served_demo(chromium, tmp_path_factory):
    folder = tmp_path_factory.mktemp("workbench") / "demo"
    with serving("demo", folder) as said:
        password = re.search(r"the password of all is (\S+)", said)[1]
        yield Workbench(chromium, address_in(said), password, folder)


@contextmanager
def serving(what, folder):
    """A server over the demo, or over a vault: what it says until it serves; it is told to stop, and stops in order."""
    command = [sys.executable, "-m", "tests.browser.serve_demo", what, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as server:
        said = ""
        while "Serving at" not in said:
            line = server.stdout.readline()
            assert line, f"the server has ended: {said}"
            said += line
        yield said
        server.send_signal(signal.SIGTERM)
        assert server.wait(60) == 0


def address_in(said):
    """The address of the server."""
    return re.search(r"Serving at (\S+)", said)[1]


@pytest.fixture
def workbench(served_demo):
    yield served_demo
    served_demo.check()
