"""Pages link to files that exist."""

import re

from tests.docs.sources import pages, shown

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def dead_links(page):
    """The relative links of a page that lead nowhere."""
    targets = LINK.findall(page.read_text(encoding="utf-8"))
    return [
        target for target in targets if "://" not in target and not (page.parent / target).exists()
    ]


def test_links_lead_somewhere():
    assert {shown(page): dead for page in pages() if (dead := dead_links(page))} == {}


def orphans(every):
    """The pages to which no other page links."""
    linked = {
        (page.parent / to).resolve()
        for page in every
        for to in LINK.findall(page.read_text(encoding="utf-8"))
    }
    return [page for page in every if page.resolve() not in linked]


def test_every_page_can_be_reached():
    entrances = {"README.md", "bench/README.md"}
    assert [shown(page) for page in orphans(pages()) if shown(page) not in entrances] == []


def test_an_orphan_is_caught(tmp_path):
    for name, text in {
        "index.md": "[one](one.md)",
        "one.md": "[index](index.md)",
        "two.md": "",
    }.items():
        (tmp_path / name).write_text(text)
    assert orphans(sorted(tmp_path.iterdir())) == [tmp_path / "two.md"]


def test_a_dead_link_is_caught(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "[here](page.md) [part](page.md#part) [web](https" + "://example.org) [gone](gone.md)"
    )
    assert dead_links(page) == ["gone.md"]
