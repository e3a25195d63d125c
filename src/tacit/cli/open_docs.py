"""`tacit docs`: opens the documentation that `make docs` built."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from tacit.cli.output import AsJson, say
from tacit.errors import MissingFile

__all__ = ["docs", "find_site"]

_SITE = Path("out", "docs", "index.html")


def docs(
    where: Annotated[
        bool, typer.Option("--where", help="Print where the page is, and do not open it.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Open the documentation in a browser: the copy that `make docs` built in this checkout."""
    page = find_site(Path.cwd(), Path(__file__).resolve())
    opened = not where and webbrowser.open(page.as_uri())
    say(str(page), {"page": str(page), "opened": opened}, as_json=as_json)


def find_site(*places: Path) -> Path:
    """The first page of the site, in the folder of one of the places or in one above it."""
    for place in places:
        for folder in (place, *place.parents):
            if (folder / _SITE).is_file():
                return folder / _SITE
    raise MissingFile(
        "there is no built documentation here: it is not part of the package. In a checkout of Tacit's source, `make "
        "docs` builds it, and its pages can be read in docs/ as they are; without one, `tacit --help` and "
        "help(tacit.protect) in Python say what there is"
    )
