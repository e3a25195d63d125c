"""A notebook: vaults open with and without ipywidgets, and a refusal is its sentence."""

import subprocess
import sys

import pytest

from tacit import protect
from tacit.errors import InvalidPlan, TacitError

# DuckDB takes a process for a notebook by what IPython says of it, and draws with ipywidgets if it is there.
PRETEND = """
import sys, types

ipython, shell = types.ModuleType("IPython"), types.SimpleNamespace(config={"IPKernelApp": {}})
ipython.get_ipython = lambda: shell
ipython.display = types.ModuleType("IPython.display")
ipython.display.display = lambda *_, **__: drawn.append(1)
sys.modules |= {"IPython": ipython, "IPython.display": ipython.display}
drawn = []
if "with widgets" in sys.argv:
    widgets = types.ModuleType("ipywidgets")
    widgets.FloatProgress = lambda **_: types.SimpleNamespace(value=0, close=lambda: None)
    widgets.Layout = lambda **_: None
    sys.modules["ipywidgets"] = widgets
"""
CELLS = """
import duckdb, tacit

refused = False
try:
    duckdb.connect().execute("SET enable_progress_bar = false")
except duckdb.InvalidInputException:
    refused = True
rows = [{"who": i, "cost": i} for i in range(9)]
vault = tacit.protect(rows, unit="who", contributions=1, columns={"cost": (0, 10)}, epsilon=9)
vault.sql("SELECT SUM(cost) AS s FROM data", epsilon=1)
print(refused, drawn)
"""


@pytest.mark.parametrize("widgets", ["with widgets", "without widgets"])
def test_a_vault_opens_in_a_notebook(widgets):
    ran = subprocess.run(
        [sys.executable, "-c", PRETEND + CELLS, widgets],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stderr == ""
    # without widgets DuckDB itself refuses, so that the pretence is one
    assert ran.stdout.split() == [str(widgets == "without widgets"), "[]"]


def test_a_refusal_is_shown_as_its_sentence_and_the_text_that_it_is_about():
    vault = protect([{"who": 1, "cost": 2}], unit="who", columns={"cost": (0, 9)}, epsilon=1)
    with pytest.raises(InvalidPlan) as refused:
        vault.sql("SELECT MEDAIN(cost) FROM data", epsilon=1)
    lines = refused.value._render_traceback_()
    assert lines == [
        "InvalidPlan: " + str(refused.value).splitlines()[0],
        *str(refused.value).splitlines()[1:],
    ]
    assert any(set(line.strip()) == {"^"} for line in lines)
    assert len(lines) <= 5
    assert not any("File" in line or ".py" in line for line in lines)


def test_every_refusal_is_shown_so_and_no_bug_is():
    def below(kind):
        return {kind, *(each for child in kind.__subclasses__() for each in below(child))}

    assert len(below(TacitError)) > 15
    assert all(hasattr(each, "_render_traceback_") for each in below(TacitError))
    assert not hasattr(AssertionError, "_render_traceback_")
