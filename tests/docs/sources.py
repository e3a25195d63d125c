"""The files that the tests of this folder read."""

import ast
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src"
# Folders that are made by tools and kept out of the repository by .gitignore, beside all hidden ones but .ci.
NOT_OURS = {"out", "build", "dist", "htmlcov", "__pycache__"}
TEXT = {
    "",
    ".cfg",
    ".ini",
    ".json",
    ".lock",
    ".md",
    ".py",
    ".toml",
    ".txt",
    ".typed",
    ".yml",
    ".yaml",
    ".csv",
}


def shown(path: Path) -> str:
    """A path as seen from the root of the repository."""
    return path.relative_to(ROOT).as_posix()


def modules() -> list[Path]:
    """Every Python file of Tacit."""
    return sorted((SRC / "tacit").rglob("*.py"))


def sources() -> list[tuple[str, str]]:
    """Every Python file of Tacit: the name under which it is imported, and its text."""
    found = [(dotted(path), path.read_text(encoding="utf-8")) for path in modules()]
    assert len(found) > 200, "the sources were not found"
    return found


def pages() -> list[Path]:
    """Every page of documentation."""
    return sorted(path for path in files() if path.suffix == ".md")


def files() -> list[Path]:
    """Every text file of the project."""
    found = []
    for place, folders, names in os.walk(ROOT):
        folders[:] = [folder for folder in folders if _ours(folder)]
        ours = [name for name in names if name != ".git"]  # a file, in a worktree
        found += [Path(place, name) for name in ours if Path(name).suffix in TEXT]
    return sorted(found)


def _ours(folder: str) -> bool:
    hidden = folder.startswith(".") and folder != ".ci"
    return not hidden and folder not in NOT_OURS and not folder.endswith(".egg-info")


def dotted(path: Path) -> str:
    """The name under which a file of Tacit is imported."""
    parts = path.relative_to(SRC).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def parsed(source: str) -> ast.Module:
    """The syntax tree of a text, made once for all tests that look at it."""
    return ast.parse(source)


def docstrings(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The name and docstring of the module and of every class and function in it that has one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text is not None:
                yield getattr(node, "name", "the module"), text
