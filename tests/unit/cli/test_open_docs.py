"""The documentation is opened where it was built, and a missing one says how to build it."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tacit.cli import app
from tacit.cli.open_docs import find_site
from tacit.errors import MissingFile


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A built site, in a folder above the current one."""
    page = tmp_path / "out" / "docs" / "index.html"
    page.parent.mkdir(parents=True)
    page.write_text("<title>Tacit</title>")
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    return page


def test_it_is_opened(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    done = CliRunner().invoke(app, ["docs"])
    assert (done.exit_code, opened) == (0, [site.as_uri()])
    assert done.output.replace("\n", "") == str(site)


def test_where_it_is_can_be_asked(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webbrowser.open", lambda _: pytest.fail("it was opened"))
    done = CliRunner().invoke(app, ["docs", "--where", "--json"])
    assert json.loads(done.output) == {"page": str(site), "opened": False}


def test_a_missing_one_says_how_to_build_it(tmp_path: Path) -> None:
    with pytest.raises(MissingFile, match="make docs"):
        find_site(tmp_path / "a" / "b")
