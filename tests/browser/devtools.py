"""Chromium without a window, driven by the DevTools protocol by two pipes: pages are opened, typed into, looked at."""

import base64
import fcntl
import json
import os
import select
import shutil
import time
from pathlib import Path

from tests.missing import ServerMissing
from tests.unit.local.browser import NAMES

OPTIONS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-dev-shm-usage", "--disable-extensions", "--disable-default-apps", "--mute-audio"),
    *("--disable-features=Translate,OptimizationHints,MediaRouter", "--remote-debugging-pipe"),
    # whatever is not this machine cannot be reached, even if a page asks for it
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
PATIENCE = 60.0
"""Seconds that anything may take; a busy machine needs some."""
KEYS = {
    "Enter": ("Enter", 13, "\r"),
    "Tab": ("Tab", 9, ""),
    "Escape": ("Escape", 27, ""),
    "ArrowUp": ("ArrowUp", 38, ""),
    "ArrowDown": ("ArrowDown", 40, ""),
    "Backspace": ("Backspace", 8, ""),
    "?": ("Slash", 191, "?"),
    " ": ("Space", 32, " "),
}
ALT, CONTROL, SHIFT = 1, 2, 8


class Chromium:
    """One browser; `page` opens a page that shares nothing with the others."""

    def __init__(self, folder):
        program = next(filter(None, map(shutil.which, NAMES)), None)
        if not program:
            raise ServerMissing("Chromium is missing: `make system` installs it on Debian")
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()
        # It reads from 3 and writes to 4; both ends are moved up first, lest one covers the other.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (to_read, to_write)]
        nowhere = ((os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (0, 1, 2))
        self._process = os.posix_spawn(
            program,
            [program, *OPTIONS, f"--user-data-dir={folder}"],
            {**os.environ, "HOME": str(folder)},
            file_actions=[
                *nowhere,
                (os.POSIX_SPAWN_DUP2, ends[0], 3),
                (os.POSIX_SPAWN_DUP2, ends[1], 4),
            ],
        )
        for end in (to_read, to_write, *ends):
            os.close(end)
        self._rest, self._number, self._pages = b"", 0, {}

    def call(self, method, *, session=None, **parameters):
        """What a method of the protocol returns; events that come meanwhile are noted by their page."""
        self._number += 1
        number = self._number
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + PATIENCE
        while True:
            got = self._next(until)
            assert got is not None, f"{method} was not answered"
            if got.get("id") == number:
                assert "error" not in got, (method, got["error"])
                return got["result"]

    def listen(self, seconds):
        """Take what comes within some seconds, or the first event that comes."""
        self._next(time.monotonic() + seconds)

    def _next(self, until):
        while b"\0" not in self._rest:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self._read], [], [], left)[0]:
                return None
            self._rest += os.read(self._read, 1 << 16) or _ended()
        first, _, self._rest = self._rest.partition(b"\0")
        got = json.loads(first)
        page = self._pages.get(got.get("sessionId"))
        if page is not None and "method" in got:
            page.note(got["method"], got["params"])
        return got

    def page(self, **look):
        """A new page: cookies, scripts, colours and size of its own."""
        context = self.call("Target.createBrowserContext")["browserContextId"]
        target = self.call("Target.createTarget", url="about:blank", browserContextId=context)
        attached = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        page = Page(self, attached["sessionId"], context)
        self._pages[attached["sessionId"]] = page
        page.begin(**look)
        return page

    def close(self):
        """End the browser, and wait for it."""
        self.call("Browser.close")
        os.close(self._write)
        os.close(self._read)
        os.waitpid(self._process, 0)


class Page:
    """A page in a browser: what it shows, what it said, what it asked for."""

    def __init__(self, browser, session, context):
        self._browser = browser
        self._session, self._context = session, context
        self.said, self.requests, self.dialogs = [], [], []
        self._loads = 0

    def begin(self, *, dark=False, scripts=True, width=1280, height=900, zoom=1):
        """Say how the page is looked at; a zoom of 2 leaves half of the width, as a browser's own does."""
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.look(dark=dark, width=width, height=height, zoom=zoom)
        if not scripts:
            self.call("Emulation.setScriptExecutionDisabled", value=True)

    def look(self, *, dark=False, width=1280, height=900, zoom=1):
        """Change colours and size."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width // zoom,
            height=height // zoom,
            deviceScaleFactor=zoom,
            mobile=False,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        still = {"name": "prefers-reduced-motion", "value": "reduce"}  # else colours change slowly
        self.call("Emulation.setEmulatedMedia", features=[scheme, still])

    def call(self, method, **parameters):
        """Call a method of the protocol for this page."""
        return self._browser.call(method, session=self._session, **parameters)

    def note(self, method, parameters):
        """Note an event: what a script or the browser says, a request, a dialogue, that a page has loaded."""
        match method:
            case "Runtime.consoleAPICalled":
                self.said.append([each.get("value") for each in parameters["args"]])
            case "Runtime.exceptionThrown":
                self.said.append(parameters["exceptionDetails"])
            case "Log.entryAdded":
                self.said.append(parameters["entry"]["text"])
            case "Network.requestWillBeSent":
                self.requests.append(parameters["request"]["url"])
            case "Page.javascriptDialogOpening":
                self.dialogs.append(parameters["message"])
            case "Page.loadEventFired":
                self._loads += 1

    def take_notes(self):
        """What was said and asked for, and the dialogues that were opened, since this was asked last."""
        notes = self.said, self.requests, self.dialogs
        self.said, self.requests, self.dialogs = [], [], []
        return notes

    def open(self, url):
        """Open a page, and wait until it has loaded."""
        before = self._loads
        result = self.call("Page.navigate", url=url)
        assert "errorText" not in result, (url, result)
        if "loaderId" in result:
            self.await_load(before)

    def await_load(self, before):
        """Wait until another page has loaded than those that had `before`."""
        self._until(lambda: self._loads > before, "the page has not loaded")

    @property
    def loads(self):
        """How many pages have loaded."""
        return self._loads

    def do(self, script):
        """What a piece of JavaScript gives, in the page; the page's policy on content does not bind it."""
        result = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in result, (script, result["exceptionDetails"])
        return result["result"].get("value")

    def wait_for(self, script, about=""):
        """Wait until a piece of JavaScript gives something true, and return it."""
        found = []
        tried = f"(() => {{ const v = {script}; return v instanceof Node ? true : v }})"
        safe = f"(() => {{ try {{ return {tried}() }} catch {{ return null }} }})()"

        def is_true():
            found[:] = [self.do(safe)]
            return found[0]

        self._until(is_true, about or script)
        return found[0]

    def _until(self, is_true, about):
        until = time.monotonic() + PATIENCE
        while not is_true():
            assert time.monotonic() < until, (about, self.said, self.text()[:2000])
            self._browser.listen(0.05)

    def text(self, selector="body"):
        """The text that an element shows."""
        return self.do(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''")

    def click(self, selector, down=0.5):
        """Click an element as a mouse does: its middle, or so far down."""
        spot = self.wait_for(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            " e.scrollIntoView({block: 'center'}); const b = e.getBoundingClientRect();"
            " return b.width && [b.x + b.width / 2, b.y + b.height * %s] })()" % down,
            f"{selector} is not there to be clicked",
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.call(
                "Input.dispatchMouseEvent",
                type=kind,
                x=spot[0],
                y=spot[1],
                button="left",
                clickCount=1,
            )

    def follow(self, selector):
        """Click an element that leads to another page, and wait for that."""
        before = self._loads
        self.click(selector)
        self.await_load(before)

    def type(self, text):
        """Type a text where the focus is."""
        self.call("Input.insertText", text=text)

    def press(self, key, modifiers=0):
        """Press a key."""
        if key in KEYS:
            code, number, text = KEYS[key]
        else:
            code, number, text = f"Key{key.upper()}", ord(key.upper()), key
        plain = modifiers & (ALT | CONTROL) == 0
        pressed = {
            "key": "Enter" if key == "\r" else key,
            "code": code,
            "modifiers": modifiers,
            "windowsVirtualKeyCode": number,
        }
        down = {"text": text} if plain and text else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", **pressed, **down)
        self.call("Input.dispatchKeyEvent", type="keyUp", **pressed)

    def fill(self, selector, text):
        """Replace what a field holds, by typing."""
        self.do(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.focus(); e.select() }})()"
        )
        self.type(text)

    def allow(self, *permissions):
        """Allow pages of this context what a browser asks its user for."""
        self._browser.call(
            "Browser.grantPermissions", permissions=permissions, browserContextId=self._context
        )

    def picture(self, file, *, whole=True):
        """Write the page as a PNG."""
        got = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        Path(file).write_bytes(base64.b64decode(got["data"]))

    def close(self):
        """Forget the page and what it kept."""
        self._browser.call("Target.disposeBrowserContext", browserContextId=self._context)


def _ended():
    raise AssertionError("Chromium has ended")
