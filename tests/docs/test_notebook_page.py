"""The notebook in docs shows what its cells really give, but for the noise."""

import ast
import base64
import json
from pathlib import Path
from typing import Any

import pytest

from docs.outputs import ROOT, shape
from tacit.errors import TacitError

NOTEBOOK = ROOT / "docs" / "notebook.ipynb"
PNG = b"\x89PNG\r\n\x1a\n"


def cells(path: Path = NOTEBOOK) -> list[dict[str, Any]]:
    found = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in found if cell["cell_type"] == "code"]


def run(source: str, names: dict[str, Any]) -> Any:
    """The value of the last expression of a cell, or what refused it."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    try:
        exec(compile(tree, "cell", "exec"), names)
        if isinstance(last, ast.Expr):
            return eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    except TacitError as refusal:
        return refusal
    return None


def test_every_cell_gives_what_is_shown() -> None:
    names: dict[str, Any] = {}
    seen = []
    for place, cell in enumerate(cells(), start=1):
        assert cell["execution_count"] == place  # it was run from the top
        value, shown = run("".join(cell["source"]), names), cell["outputs"]
        if isinstance(value, TacitError):
            (error,) = shown
            assert (error["ename"], error["evalue"]) == (type(value).__name__, str(value))
            assert error["traceback"] == value._render_traceback_()
            seen.append("error")
            continue
        (given,) = shown
        if "image/png" in given["data"]:
            assert base64.b64decode(given["data"]["image/png"]).startswith(PNG)
            assert value._repr_png_().startswith(PNG)
            seen.append("picture")
            continue
        assert shape("".join(given["data"]["text/plain"])) == shape(repr(value))
        seen.append("table" if "text/html" in given["data"] else "value")
    assert {"error", "picture", "table", "value"} <= set(seen)


@pytest.mark.parametrize("word", ["/home", "/root", "/tmp", "/work", "site-packages"])
def test_the_notebook_names_no_machine(word: str) -> None:
    assert word not in NOTEBOOK.read_text(encoding="utf-8")
