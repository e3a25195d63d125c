"""What is set while rooms are opened is as it was before when they are open."""

import os
import subprocess
import sys

import pytest

NAME = "OPENBLAS_THREAD_TIMEOUT"
SCRIPT = f"""
import gc, os, sys, tacit
{{before}}
tacit.protect, tacit.col
print(gc.isenabled(), os.environ.get({NAME!r}), "numpy" in sys.modules)
"""


@pytest.mark.parametrize(
    ("before", "given", "after"),
    [
        ("", None, "True None True"),
        ("", "26", "True 26 True"),
        ("gc.disable()", None, "False None True"),
    ],
)
def test_the_process_is_as_it_was(before, given, after):
    environment = {name: value for name, value in os.environ.items() if name != NAME}
    environment |= {} if given is None else {NAME: given}
    script = SCRIPT.format(before=before)
    said = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    assert said.stdout.strip() == after


def test_rooms_are_found_by_their_names():
    import tacit

    assert tacit.audit.verify is sys.modules["tacit.audit"].verify
    assert {"audit", "mechanisms", "sum", "open"} <= set(dir(tacit))
    assert all(getattr(tacit, name) is not None for name in dir(tacit))


def test_names_that_python_has_are_left_alone():
    names: dict[str, object] = {}
    exec("from tacit import *", names)
    assert not {"max", "min", "open", "sum"} & names.keys()
    assert {"col", "count", "protect"} <= names.keys()


def test_a_name_that_does_not_exist_leaves_it_so_too():
    import tacit

    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        tacit.nothing  # noqa: B018 -- to look is the test
    assert NAME not in os.environ
