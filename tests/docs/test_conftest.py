"""What tests/conftest.py adds to pytest: CPU seconds per folder, and skips that fail in CI."""

import os
import shutil
import subprocess
import sys
from types import SimpleNamespace

import pytest
from _pytest.assertion.rewrite import _read_pyc

from tests.conftest import cpu_seconds, folder_of, rewrite_asserts, seconds_by_folder
from tests.docs.sources import ROOT

FILES = {
    "tests/laws/test_skipped.py": "import pytest\n\n\ndef test_it():\n    pytest.skip('not here')\n",
    "tests/laws/test_not_collected.py": "import pytest\n\npytest.importorskip('nowhere_to_be_found')\n",
    "tests/unit/test_passed.py": "def test_it():\n    pass\n",
}
PHASES = """
import pytest

@pytest.fixture
def before():
    raise ValueError

@pytest.fixture
def after():
    yield
    raise ValueError

def test_before(before):
    pass

def test_after(after):
    pass

def test_itself():
    raise ValueError

def test_nothing():
    pass
"""


@pytest.fixture
def run(tmp_path):
    """Runs pytest on two small folders of tests and returns its exit code and the lines it printed."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path / "tests")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    clean = {
        name: value for name, value in os.environ.items() if not name.startswith(("CI", "PYTEST_"))
    }

    def run(*options, ci):
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options]
        answer = subprocess.run(
            command,
            cwd=tmp_path,
            env=clean | {"CI": ci},
            capture_output=True,
            text=True,
            check=False,
        )
        return answer.returncode, answer.stdout.splitlines()

    return run


@pytest.mark.parametrize("options", [(), ("-n", "1")], ids=["one process", "xdist"])
def test_skips_fail_in_ci_and_the_closing_line_is_last(run, options):
    code, lines = run(*options, ci="true")
    assert code == 1
    assert {"tests/laws/test_skipped.py::test_it", "tests/laws/test_not_collected.py"} <= set(lines)
    for folder in ("tests/laws", "tests/unit"):
        assert [line.split()[1:3] for line in lines if line.startswith(f"{folder} ")] == [
            ["1", "tests"]
        ]
    assert "1 passed, 2 skipped in" in lines[-1]


def test_a_worker_tells_of_every_failure(tmp_path):
    """Also of one before a test or after it, of which it sends no other report."""
    (tmp_path / "tests").mkdir()
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path / "tests")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "tests" / "test_it.py").write_text(PHASES)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-n", "1"]
    answer = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert answer.returncode == 1
    told = [line for line in answer.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    names = sorted(line.split(" - ")[0].partition("::")[2] for line in told)
    assert names == ["test_after", "test_before", "test_itself"]
    assert "1 failed, 2 passed, 2 errors" in answer.stdout.splitlines()[-1]


def test_skips_pass_elsewhere(run):
    assert run(ci="")[0] == 0


def test_seconds_add_up():
    durations = [
        ("tests/laws/test_a.py::test_x", 0.0, 1.0),
        ("tests/laws/test_a.py::test_x", 0.25, 0.5),
        ("tests/a/b/c.py::t", 4.0, 2.0),
    ]
    assert seconds_by_folder(durations) == {
        "tests/a": (1, 4.0, 2.0),
        "tests/laws": (1, 0.25, 1.5),
    }
    assert folder_of("test_top.py::test_x") == "."


def test_the_cpu_seconds_of_processes_that_run_and_that_have_ended_are_counted():
    burn = "import time\nwhile time.process_time() < 0.3: pass\nprint(flush=True)\ninput()"
    before = cpu_seconds()
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", burn], **pipes) as process:
        process.stdout.readline()
        assert cpu_seconds() - before > 0.25
        process.communicate(b"\n")
    assert cpu_seconds() - before > 0.25


def test_each_worker_rewrites_a_part_and_finds_the_others_done(tmp_path, pytestconfig):
    for name in "abc":
        (tmp_path / f"test_{name}.py").write_text("def test_it():\n    assert 1 == 1\n")
    config = SimpleNamespace(
        rootpath=tmp_path, args=["."], stash=pytestconfig.stash, getini=pytestconfig.getini
    )
    assert [rewrite_asserts(config, worker, 2) for worker in (0, 1, 0, 1)] == [2, 1, 0, 0]
    for file in tmp_path.glob("test_*.py"):
        (kept,) = (tmp_path / "__pycache__").glob(f"{file.stem}.*-pytest-*.pyc")
        assert _read_pyc(file, kept) is not None
