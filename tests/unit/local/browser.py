"""Chromium without a window: it opens a page, runs what is in it, and hands back what the page has become."""

import html
import re
import shutil
import subprocess

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
OPTIONS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-dev-shm-usage", "--timeout=120000"),
)


def opened(page, folder):
    """The text of the element `out` once the page has run."""
    browser = next(filter(None, map(shutil.which, NAMES)), None)
    assert browser, "Chromium is missing: `make system` installs it on Debian"
    file = folder / "page.html"
    file.write_text(page, encoding="utf-8")
    home = folder / "browser"
    command = [browser, *OPTIONS, f"--user-data-dir={home}", "--dump-dom", file.as_uri()]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=180, check=True)
    found = re.search(r'<pre id="out">(.*?)</pre>', ran.stdout, flags=re.DOTALL)
    assert found, f"the page did not finish: {ran.stderr[-2000:]}"
    return html.unescape(found[1])
