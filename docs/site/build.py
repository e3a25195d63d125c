"""Builds the documentation site in out/docs: `make docs`. A broken link or a page outside the navigation fails it.

Sphinx reads the pages of the repository where they are. The printable companion, one page with all chapters and their
pictures inside, needs markdown-it alone: `python docs/site/build.py --companion FILE` writes only that.
"""

import base64
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

__all__ = ["companion", "main"]

ROOT = Path(__file__).resolve().parents[2]
THEORY = ROOT / "docs" / "theory"
TYPES = {".svg": "image/svg+xml", ".png": "image/png"}
START = "docs/site/index.html"
PRINT = ROOT / "docs" / "site" / "static" / "print.css"


def companion() -> str:
    """The theory companion as one page of HTML that loads nothing."""
    chapters = [THEORY / "README.md", *sorted(THEORY.glob("[a-h]-*.md")), THEORY / "exercises.md"]
    body = "\n".join(map(chapter, chapters))
    head = [
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width">',
        f"<style>\n{PRINT.read_text(encoding='utf-8')}</style>",
        '<link rel="icon" href="data:,"><title>Tacit: the theory companion</title>',
    ]
    top = "".join(head)
    return f'<!doctype html>\n<html lang="en"><head>{top}</head>\n<body>\n{body}</body></html>\n'


def chapter(path: Path) -> str:
    """A chapter as HTML, its headings with anchors, its pictures inside, its links within the companion."""
    reader = MarkdownIt("commonmark").enable("table")
    tokens = reader.parse(path.read_text(encoding="utf-8"))
    for token, inside in pairwise(tokens):
        if token.type == "heading_open":
            token.attrSet("id", path.stem if token.tag == "h1" else anchor(inside.content))
    for token in tokens:
        for part in token.children or ():
            mend(part, path)
    return str(reader.renderer.render(tokens, reader.options, {}))


def mend(part: Token, path: Path) -> None:
    """Put a picture into the page itself, and turn a link to another chapter into one within the page."""
    if part.type == "image":
        file = path.parent / str(part.attrGet("src"))
        text = base64.b64encode(file.read_bytes()).decode()
        part.attrSet("src", f"data:{TYPES[file.suffix]};base64,{text}")
    if part.type == "link_open":
        target, _, place = str(part.attrGet("href")).partition("#")
        here = (path.parent / target).resolve() if target else path
        if here.parent == THEORY and here.suffix == ".md":
            part.attrSet("href", f"#{place or here.stem}")
        else:  # a file of the repository, or a page of the site: named, not linked
            part.attrs = {"title": target}


def anchor(heading: str) -> str:
    """The anchor of a heading, as in the repository and on the site."""
    return re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", heading.lower())).strip("-")


def build(out: Path) -> None:
    """The site, with warnings as errors, an entrance and the printable companion."""
    command = [sys.executable, "-m", "sphinx", "-q", "-E", "-a", "-W", "--keep-going", "-b", "html"]
    folders = [
        "-c",
        str(ROOT / "docs" / "site"),
        "-d",
        str(out.parent / ".doctrees"),
        str(ROOT),
        str(out),
    ]
    subprocess.run([*command, *folders], check=True)  # noqa: S603 - all of it is ours
    entrance = (
        f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={START}">'
        f'<title>Tacit</title><link rel="icon" href="data:,"><a href="{START}">Tacit</a>'
    )
    (out / "index.html").write_text(entrance, encoding="utf-8")
    (out / "companion.html").write_text(companion(), encoding="utf-8")


def main() -> None:
    """Build everything, or write the companion alone."""
    match sys.argv[1:]:
        case []:
            build(ROOT / "out" / "docs")
            print(
                "open out/docs/index.html, or say `tacit docs`; printable: out/docs/companion.html"
            )
        case ["--companion", file]:
            Path(file).write_text(companion(), encoding="utf-8")
        case _:
            sys.exit("python docs/site/build.py [--companion FILE]")


if __name__ == "__main__":
    main()
