"""The documentation site: every page is in its navigation, links have anchors, and pages load nothing from elsewhere.

`make test` builds the site first, reads all of it, and opens some pages and the printable companion in Chromium;
`make soak` opens every page.
"""

import re
import shutil
import subprocess
from fnmatch import fnmatch
from pathlib import Path

import pytest

from docs.site.build import anchor, companion
from tests.docs.sources import ROOT, pages, shown
from tests.unit.local.browser import NAMES, OPTIONS

INDEX = ROOT / "docs" / "site" / "index.md"
SITE = ROOT / "out" / "docs"
TOCTREE = re.compile(r"(?ms)^```\{toctree\}\n(.*?)^```$")
LINK = re.compile(r"\]\(([^)\s#]*)#([^)\s]+)\)")
FENCE = re.compile(r"(?ms)^( *)```.*?^\1```")
LOADED = re.compile(
    r"""(?i)<(?:script|link|img|iframe|source)\b[^>]*?\b(?:src|href)=["'](?:https?:)?//"""
)


def in_navigation(index, every):
    """The pages that a toctree of the index names, by name or by a pattern."""
    entries = [
        (INDEX.parent / line.strip()).resolve().relative_to(ROOT).as_posix() + ".md"
        for body in TOCTREE.findall(index)
        for line in body.splitlines()
        if line.strip() and not line.startswith(":")
    ]
    missing = [entry for entry in entries if not any(fnmatch(shown(p), entry) for p in every)]
    assert missing == []
    return {shown(page) for page in every if any(fnmatch(shown(page), e) for e in entries)}


def anchors_of(page):
    """The anchors of a page's headings."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    return {anchor(heading) for heading in re.findall(r"(?m)^#+ (.*)$", text)}


def lost_anchors(page):
    """The links of a page to headings that do not exist."""
    found = []
    for target, place in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        if "://" not in target and (not target or target.endswith(".md")):
            other = page.parent / target if target else page
            if place not in anchors_of(other):
                found.append(f"{target}#{place}")
    return found


# The number by which Chromium's log of requests names those that a page itself makes (blink_resource_loader).
OF_PAGES = '"traffic_annotation":101845102,'
REQUEST = re.compile(re.escape(OF_PAGES) + r'"url":"(https?:[^"]*)"')


def complaints_of(page, folder):
    """What the console says while Chromium opens a page, and what the page asks of other hosts; none answers."""
    browser = next(filter(None, map(shutil.which, NAMES)), None)
    assert browser, "Chromium is missing: `make system` installs it on Debian"
    requests = folder / "requests.json"
    command = [
        *(browser, *OPTIONS, f"--user-data-dir={folder}", "--enable-logging=stderr"),
        *("--log-level=0", f"--log-net-log={requests}"),
        *("--host-resolver-rules=MAP * ~NOTFOUND", "--dump-dom", page.as_uri()),
    ]
    folder.mkdir(exist_ok=True)
    ran = subprocess.run(command, capture_output=True, text=True, timeout=180, check=True)
    assert "<title>" in ran.stdout
    said = [line for line in ran.stderr.splitlines() if ":CONSOLE" in line]
    return said + REQUEST.findall(requests.read_text(encoding="utf-8"))


def test_every_page_is_in_the_navigation():
    every = [page for page in pages() if page != INDEX]
    named = in_navigation(INDEX.read_text(encoding="utf-8"), every)
    assert sorted({shown(page) for page in every} - named) == []


def test_the_four_parts_come_in_their_usual_order():
    captions = re.findall(r"(?m)^:caption: (.*)$", INDEX.read_text(encoding="utf-8"))
    assert captions == ["Tutorials", "How-to", "Reference", "Explanation"]


def test_links_lead_to_headings_that_exist():
    assert {shown(page): lost for page in pages() if (lost := lost_anchors(page))} == {}


def test_a_lost_anchor_is_caught(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "# One thing, two\n[a](#one-thing-two) [b](page.md#one-thing-two) [c](#three)\n"
    )
    assert lost_anchors(page) == ["#three"]


def test_the_printable_companion_stands_alone_and_opens_without_a_complaint(tmp_path):
    page = tmp_path / "companion.html"
    page.write_text(companion(), encoding="utf-8")
    text = page.read_text(encoding="utf-8")
    assert not LOADED.search(text)
    anchors = set(re.findall(r' id="([^"]+)"', text))
    assert set(re.findall(r' href="#([^"]+)"', text)) <= anchors
    assert {"a-setting", "h-accuracy", "exercises"} < anchors
    assert complaints_of(page, tmp_path / "browser") == []


def test_a_complaint_and_a_foreign_request_are_caught(tmp_path):
    page = tmp_path / "page.html"
    foreign = "http" + "s://example.org/x.png"
    page.write_text(f'<title>x</title><script>console.error("oh")</script><img src="{foreign}">')
    assert LOADED.search(page.read_text())
    said = complaints_of(page, tmp_path / "browser")
    assert any("oh" in line for line in said)
    assert foreign in said


@pytest.mark.soak
def test_every_page_of_the_site_opens_without_a_complaint_or_a_foreign_request(tmp_path):
    wrong = {
        path.relative_to(SITE).as_posix(): said
        for path in built_pages()
        if (said := complaints_of(path, tmp_path / "browser") or LOADED.findall(path.read_text()))
    }
    assert wrong == {}


def built_pages():
    """The pages of the site that was built."""
    assert (SITE / "index.html").is_file(), "`make docs` builds the site"
    found = sorted(path for path in SITE.rglob("*.html") if "_downloads" not in path.parts)
    assert len(found) > 100
    return found


def test_the_site_has_every_page_and_loads_nothing_from_elsewhere():
    built = {path.relative_to(SITE).as_posix(): path.read_text("utf-8") for path in built_pages()}
    missing = [
        shown(page)
        for page in pages()
        if page.relative_to(ROOT).with_suffix(".html").as_posix() not in built
    ]
    assert missing == []
    assert [name for name, text in built.items() if LOADED.search(text)] == []


@pytest.mark.parametrize("page", ["docs/site/index.html", "docs/sql.html", "search.html"])
def test_some_pages_of_the_site_open_without_a_complaint(page, tmp_path):
    assert complaints_of(SITE / page, tmp_path / "browser") == []


def test_the_site_can_be_searched():
    index = (SITE / "searchindex.js").read_text(encoding="utf-8")
    assert Path(SITE / "search.html").is_file()
    assert "theory/d-mechanisms" in index
