"""Writes docs/sql.md, docs/http.md and docs/reference.md: every public name with the first sentence of its docstring.

`make reference` runs it, and a test fails while the page says something else than the docstrings.
"""

import ast
import importlib
import inspect
import re
import runpy
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[1]
INTRODUCTION = """# Reference

Every public name, by room, with the sentence it begins with; `help(name)` shows the rest and an example.
This page is written by `make reference`. What the words mean: [glossary](glossary.md).
"""


def rooms() -> list[str]:
    """The dotted names of the modules with public names: Tacit itself, its errors, its rooms."""
    top = ROOT / "src" / "tacit"
    inside = sorted(
        ".".join(path.parent.relative_to(top).parts)
        for path in top.glob("*/**/__init__.py")
        if "__all__" in path.read_text("utf-8")
    )
    return ["tacit", "tacit.errors", *(f"tacit.{room}" for room in inside)]


def public_names(module: ModuleType) -> list[str]:
    """The names in the module's `__all__`, and those that it leaves out because Python has them, too."""
    return [*getattr(module, "__all__", ()), *getattr(module, "_BUILTIN_TOO", ())]


def explained(module: ModuleType, name: str) -> str:
    """The first sentence of what explains a name: the string below its assignment, or its own docstring."""
    below = first_sentence(_below(module, name))
    if below:
        return below
    value = getattr(module, name)
    if inspect.isclass(value) or inspect.isroutine(value) or inspect.ismodule(value):
        text = value.__dict__.get("__doc__") if inspect.isclass(value) else value.__doc__
        generated = inspect.isclass(value) and (text or "").startswith(f"{value.__name__}(")
        return "" if generated else first_sentence(text or "")
    return ""


def first_sentence(text: str) -> str:
    """The first sentence of a docstring, on one line."""
    paragraph = " ".join(inspect.cleandoc(text).split("\n\n", maxsplit=1)[0].split())
    return re.split(r"(?<=[^.\s]\.)\s(?=[A-Z`])", paragraph, maxsplit=1)[0]


def reference() -> str:
    """The whole page."""
    sections = [INTRODUCTION]
    for room in rooms():
        module = importlib.import_module(room)
        lines = [
            f"- `{name}`: {explained(module, name)}"
            for name in sorted(public_names(module), key=str.lower)
        ]
        sections.append(
            "\n".join([f"## {room}", "", first_sentence(module.__doc__ or ""), "", *lines, ""])
        )
    return "\n".join(sections)


def _below(module: ModuleType, name: str) -> str:
    """The string that follows the assignment of a constant, in the room or in the file of the room that defines it."""
    top = Path(module.__file__ or "")
    files = [top, *sorted(top.parent.rglob("*.py"))] if top.name == "__init__.py" else [top]
    return next((explained[name] for explained in map(_constants, files) if name in explained), "")


@cache
def _constants(file: Path) -> dict[str, str]:
    """The constants of a file and the strings that follow their assignments."""
    found: dict[str, str] = {}
    for one, following in pairwise(ast.parse(file.read_text(encoding="utf-8")).body):
        match one, following:
            case (
                ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                found.setdefault(name, text)
    return found


if __name__ == "__main__":
    (ROOT / "docs" / "reference.md").write_text(reference(), encoding="utf-8")
    for page in ("sql.py", "http_page.py"):
        runpy.run_path(str(ROOT / "docs" / page), run_name="__main__")
