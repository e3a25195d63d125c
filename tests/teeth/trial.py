"""Runs tests against a copy of the source, each time in a fork of one warm process.

Starting Python, pytest, NumPy and Hypothesis costs more than most tests do. So they are imported once, here, and pytest
reads its options once; every trial is a fork that finds them ready. Tacit is imported once, too, from a copy of the
sound source; a trial forgets the planted module and all that import it, and finds them in a copy of its own
(reimport.py).
"""

import atexit
import compileall
import contextlib
import gc
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import traceback
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlglot
from _pytest.config import _prepareconfig, default_plugins
from _pytest.pathlib import rm_rf
from hypothesis import given, settings
from hypothesis.errors import HypothesisSideeffectWarning
from hypothesis.internal.conjecture import providers
from hypothesis.strategies import booleans, text

from tests import postgres
from tests.missing import ServerMissing
from tests.teeth.bug import ROOT, Bug, module_of, replaced
from tests.teeth.reimport import code_in, dependents_in, forget, import_all, imports_in
from tests.teeth.steady import SteadyBytes

CPU_SECONDS = 120  # a planted bug may loop for ever
WALL_SECONDS = 1200  # or wait for ever
_READY = (
    *(
        "cryptography.hazmat.primitives.ciphers",
        "flint",
        "hypothesis.strategies",
        "hypothesis.extra.numpy",
        "hypothesis.stateful",
        "numpy",
        "numpy.ma",
        "numpy.random",
        "pdb",
        "unittest.mock",
    ),
    *(
        "apsw",
        "argon2",
        "duckdb",
        "pandas",
        "psycopg",
        "pyarrow",
        "pyarrow.parquet",
        "pyarrow.pandas_compat",
        "pydantic.v1",
        "rich.console",
        "rich.status",
        "sqlglot.dialects.duckdb",
        "sqlite3",
        "typer.rich_utils",
        "typer.testing",
    ),
    *(f"_pytest.{plugin}" for plugin in default_plugins),
)
# What no trial needs.
_IDLE = (
    *("cacheprovider", "xdist", "xdist.looponfail", "unraisableexception", "faulthandler"),
    *("doctest", "junitxml", "pastebin", "setuponly", "setupplan", "stepwise"),
)
_OPTIONS = (
    *("-c", str(ROOT / "pyproject.toml"), "-q", "-x", "--tb=line", "--no-header"),
    "--capture=no",  # what a trial prints is its output
    *(option for plugin in _IDLE for option in ("-p", f"no:{plugin}")),
    # Hypothesis is imported already: that is the point of forking.
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),
)
# A text that is not Python, or that uses what is not there, breaks every test, and so does a server that is missing: it
# shows nothing about this one.
NO_KILL = frozenset(
    {
        *("SyntaxError", "IndentationError", "ImportError", "ModuleNotFoundError"),
        *("NameError", "UnboundLocalError", "AttributeError", "TypeError"),
        ServerMissing.__name__,
    }
)


@dataclass(frozen=True, slots=True)
class Trial:
    """Some tests, to be run with a bug in the source, or on the sound source with one file read anew."""

    tests: tuple[str, ...]
    bug: Bug | None = None
    without: tuple[str, ...] = ()  # tests of these that are left out
    renewed: str = ""  # a file that is imported anew though no bug is planted in it
    turn: int = 0  # which of many streams of randomness it sees: verdicts may not hang on it
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a trial."""

    code: int  # pytest's exit code, or minus the signal that ended it
    passed: int
    skipped: int
    # the kinds of exception that made tests fail, set-up and tear-down left aside
    failures: tuple[str, ...]
    imported: tuple[str, ...]  # modules of Tacit that came from the copy of this trial
    shared: tuple[str, ...]  # and from the copy of the sound source that all trials share
    strangers: tuple[str, ...]  # and from elsewhere: there must be none
    seconds: float  # of CPU
    output: str

    @property
    def on_the_copy(self) -> bool:
        """Tacit was imported, and every module of it came from one of the two copies."""
        return bool(self.imported or self.shared) and not self.strangers

    @property
    def passes(self) -> bool:
        """Every test ran and passed."""
        return self.code == 0 and self.passed > 0 and not self.skipped and self.on_the_copy

    def kills(self, bug: Bug) -> bool:
        """A test ran the planted module and failed, for a better reason than that the text makes no sense."""
        reasons = set(self.failures)
        return (
            self.code == 1
            and bool(reasons - (NO_KILL - {bug.crashes}))
            and self.on_the_copy
            and bug.module in self.imported
        )

    def in_words(self) -> str:
        """What happened, for people who expected something else."""
        return (
            f"exit code {self.code}: {self.passed} passed, {self.skipped} skipped, failures {list(self.failures)}; "
            f"{len(self.imported)} modules from the copy, {len(self.shared)} shared, "
            f"from elsewhere {list(self.strangers)}\n{self.output}"
        )


class Witness:
    """A pytest plugin that notes why tests failed and where Tacit was imported from."""

    def __init__(self, tree: Path) -> None:
        self.tree = tree
        self.passed = 0
        self.skipped = 0
        self.failures: list[str] = []
        self.imported: list[str] = []
        self.shared: list[str] = []
        self.strangers: list[str] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, call):
        report = yield
        self.passed += report.when == "call" and report.passed
        self.skipped += report.skipped
        if report.when == "call" and report.failed:
            self.failures.append(call.excinfo.typename if call.excinfo else "failed")
        return report

    def pytest_sessionfinish(self) -> None:
        places = {f"{self.tree}/": self.imported, f"{_sound()}/": self.shared}
        for name in sorted(name for name in sys.modules if name.partition(".")[0] == "tacit"):
            file = getattr(sys.modules[name], "__file__", None) or ""
            found = [names for place, names in places.items() if file.startswith(place)]
            (found[0] if found else self.strangers).append(name)


class Pointer:
    """A pytest plugin that passes over what the trial does not name: to list it takes longer than most trials.

    >>> pointer = Pointer(["tests/unit/exact/test_coins.py::test_a_coin[3]"])
    >>> pointer.names, [path.name for path in sorted(pointer.paths) if path.suffix]
    ({'test_a_coin'}, ['test_coins.py'])
    """

    def __init__(self, tests: Sequence[str]) -> None:
        files = [(ROOT / test.split("::")[0]).resolve() for test in tests]
        self.paths = {path for file in files for path in (file, *file.parents)}
        self.names = {part.split("[")[0] for test in tests for part in test.split("::")[1:]}

    @pytest.hookimpl(tryfirst=True)
    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        return None if collection_path in self.paths else True

    @pytest.hookimpl(tryfirst=True)
    def pytest_pycollect_makeitem(self, name: str) -> list[pytest.Item] | None:
        return None if name in self.names else []


@cache
def _compiled() -> tempfile.TemporaryDirectory[str]:
    """A copy of Tacit's source with every file compiled, for as long as this process lives."""
    place = tempfile.TemporaryDirectory(prefix="tacit-teeth-")
    atexit.register(place.cleanup)  # itself it would warn, which pytest has made an error here
    # by another process that imports Tacit just now
    half_written = shutil.ignore_patterns("*.pyc.*")
    shutil.copytree(ROOT / "src" / "tacit", Path(place.name) / "tacit", ignore=half_written)
    compileall.compile_dir(place.name, quiet=2)  # what is not compiled yet
    return place


def _sound() -> Path:
    return Path(_compiled().name).resolve()


@cache
def _copies() -> Path:
    """Where the trees of trials are, for as long as this process lives."""
    place = tempfile.TemporaryDirectory(prefix="tacit-teeth-")
    atexit.register(place.cleanup)
    return Path(place.name).resolve()


_FREE: dict[str, list[Path]] = defaultdict(list)
"""Trees that no trial uses, by the file that differs in them: the next bug of this file needs another text alone."""


@contextlib.contextmanager
def _tree_with(bug: Bug | None) -> Iterator[Path]:
    """A directory to be put first on the path: Tacit's source, with the bug in it."""
    free = _FREE[bug.file if bug else ""]
    tree = free.pop() if free else _new_tree(bug)
    if bug:
        file = Path(bug.file).relative_to("src")
        text = replaced(bug, (_sound() / file).read_text(encoding="utf-8"))
        (tree / file).write_text(text, encoding="utf-8")
    yield tree
    for written in tree.glob("tmp-*"):
        rm_rf(written)
    for made in ("output", "found", *([cache_from_source(str(file))] if bug else [])):
        (tree / made).unlink(missing_ok=True)
    free.append(tree)


def _new_tree(bug: Bug | None) -> Path:
    """A copy of the sound source without the file that has the bug: its folders are made, all else is linked."""
    tree, sound = Path(tempfile.mkdtemp(dir=_copies())), _sound()
    if bug is None:
        (tree / "tacit").symlink_to(sound / "tacit")
        return tree
    file = Path(bug.file).relative_to("src")
    compiled = Path(cache_from_source(str(file)))
    folders = [*reversed(file.parents), compiled.parent]
    own = {sound / each for each in (file, compiled, *folders)}
    for folder in folders:
        (tree / folder).mkdir(exist_ok=True)
        for entry in (sound / folder).iterdir():
            if entry not in own:
                (tree / folder / entry.name).symlink_to(entry)
    return tree


def trials(wanted: Sequence[Trial], workers: int = 1) -> Iterator[tuple[Trial, Verdict]]:
    """Every trial with its verdict, in the order in which they end."""
    _warm_up()
    waiting = list(reversed(wanted))
    running: dict[int, tuple[Trial, Path, contextlib.ExitStack]] = {}
    while waiting or running:
        while waiting and len(running) < workers:
            trial, held = waiting.pop(), contextlib.ExitStack()
            tree = held.enter_context(_tree_with(trial.bug))
            running[_forked(trial, tree)] = trial, tree, held
        pid, status, usage = os.wait4(-1, 0)
        trial, tree, held = running.pop(pid)
        with held:
            verdict = _verdict(tree, status, usage.ru_utime + usage.ru_stime)
        yield trial, verdict


@cache
def _used() -> None:
    """Use libraries once that make tables when they are used first, so that no trial has to.

    Nothing is drawn but truth values: what Hypothesis draws in a trial follows from the trial alone.
    """
    duckdb.connect().close()
    sqlglot.parse_one("SELECT 1", dialect="duckdb")

    @settings(max_examples=1, database=None, deadline=None)
    @given(booleans())
    def draw(_: bool) -> None:
        text().validate()

    with warnings.catch_warnings():
        # that this is slow while pytest starts: it is done once
        warnings.simplefilter("ignore", HypothesisSideeffectWarning)
        draw()
    # Hypothesis draws some of the constants that it finds in the source. They are those of the sound one in every
    # trial: to read all files again would take longer than most tests.
    constants = providers._get_local_constants()
    providers._get_local_constants = lambda: constants


@cache
def _begun() -> pytest.Session:
    """Pytest with its options read, its plugins loaded and its session begun, for trials to name their tests."""
    os.environ["HYPOTHESIS_PROFILE"] = "teeth"  # which tests/conftest.py reads
    config = _prepareconfig([*_OPTIONS, str(ROOT / "tests")])
    config._do_configure()
    session = pytest.Session.from_config(config)
    session.exitstatus = pytest.ExitCode.OK
    config.hook.pytest_sessionstart(session=session)
    return session


def _warm_up() -> None:
    # A process that forks has one thread.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("JE_ARROW_MALLOC_CONF", "background_thread:false")
    for name in _READY:  # none of which starts a thread
        with contextlib.suppress(ModuleNotFoundError):
            __import__(name)
    if "tacit" not in sys.modules:
        import_all(_sound())
        imports_in(_sound())  # remembered, as is the next
        code_in(_sound())
    # One Spark server for all trials: that of the run of tests that asks for them, or one of this process.
    os.environ.setdefault("TESTS_SHARE_SPARK_WITH", str(os.getpid()))
    _begun()
    _used()
    assert Path(sys.modules["tacit"].__file__ or "/").is_relative_to(_sound()), (
        "the process that forks trials must know Tacit from its copy alone"
    )


@cache
def _uses_postgres(file: str) -> bool:
    """Whether a file of tests, or what it shares with others, may ask for a PostgreSQL server."""
    path = ROOT / file
    words = ("postgres", "tests.database", "every_ledger")
    return path.is_file() and any(word in path.read_text(encoding="utf-8") for word in words)


def _forked(trial: Trial, tree: Path) -> int:
    if any(_uses_postgres(test.split("::")[0]) for test in trial.tests):
        postgres.lend()
    sys.stdout.flush()
    sys.stderr.flush()
    if changed := _changed(trial):
        dependents_in(module_of(changed), _sound())  # remembered for the next bug in this file
    gc.freeze()  # or the fork's collector would walk over, and so copy, all that was imported here
    pid = os.fork()
    if pid:
        gc.unfreeze()
        return pid
    code = 70
    try:
        code = _tested(trial, tree)
    except BaseException:
        traceback.print_exc()  # into the output of the trial
        raise
    finally:
        sys.stderr.flush()
        os._exit(code)


def _changed(trial: Trial) -> str:
    """The file that is imported anew, if any."""
    return trial.bug.file if trial.bug else trial.renewed


def _tested(trial: Trial, tree: Path) -> int:
    """Runs in the fork: the exit code of pytest."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    signal.alarm(WALL_SECONDS)
    with (tree / "output").open("w", encoding="utf-8") as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
    os.environ.update(
        {**(trial.bug.environment if trial.bug else {}), **trial.environment},
        PYTHONPATH=str(tree),
    )
    os.environ.pop("CI", None)
    settings.load_profile(os.environ["HYPOTHESIS_PROFILE"])
    os.chdir(ROOT)
    # The same commit gives the same verdict, also where a test draws noise.
    os.urandom = SteadyBytes(trial.turn)
    if changed := _changed(trial):
        forget(module_of(changed), _sound(), tree)
    sys.dont_write_bytecode = False  # or every trial would read the same tests anew
    witness = Witness(tree)
    code = _run_pytest(trial, witness)
    found = {name: value for name, value in vars(witness).items() if name != "tree"}
    (tree / "found").write_text(json.dumps(found), encoding="utf-8")
    sys.stdout.flush()
    return code


def _run_pytest(trial: Trial, witness: Witness) -> int:
    """What `pytest.main` does once its session has begun."""
    session = _begun()
    config = session.config
    # Where tests write: it goes with the trial, and nobody looks through the places of earlier runs. No two trials have
    # the same place: the anchor of a vault of one would say to the other that its ledger is gone.
    written = Path(tempfile.mkdtemp(prefix="tmp-", dir=witness.tree))
    config._tmp_path_factory._given_basetemp = written  # type: ignore[attr-defined]
    config.args[:] = trial.tests
    config.option.deselect = list(trial.without)
    config.pluginmanager.register(witness)
    if all("::" in test for test in trial.tests):
        config.pluginmanager.register(Pointer(trial.tests))
    try:
        config.hook.pytest_collection(session=session)
        config.hook.pytest_runtestloop(session=session)
    except pytest.UsageError as error:  # no such test
        print(*error.args, sep="\n", file=sys.stderr)
        return int(pytest.ExitCode.USAGE_ERROR)
    except (session.Failed, session.Interrupted) as stop:  # at the first failure, or without a test
        interrupted = isinstance(stop, session.Interrupted)
        session.exitstatus = (
            pytest.ExitCode.INTERRUPTED if interrupted else pytest.ExitCode.TESTS_FAILED
        )
    else:
        session.exitstatus = _exit_code(session)
    config.hook.pytest_sessionfinish(session=session, exitstatus=session.exitstatus)
    return int(session.exitstatus)


def _exit_code(session: pytest.Session) -> pytest.ExitCode:
    if session.testsfailed:
        return pytest.ExitCode.TESTS_FAILED
    return pytest.ExitCode.OK if session.testscollected else pytest.ExitCode.NO_TESTS_COLLECTED


def _verdict(tree: Path, status: int, seconds: float) -> Verdict:
    found: dict[str, Any] = {
        "passed": 0,
        "skipped": 0,
        "failures": (),
        "imported": (),
        "shared": (),
        "strangers": (),
    }
    with contextlib.suppress(FileNotFoundError):
        found |= json.loads((tree / "found").read_text(encoding="utf-8"))
    output = (
        (tree / "output").read_text(encoding="utf-8", errors="replace")
        if (tree / "output").exists()
        else ""
    )
    code = os.waitstatus_to_exitcode(status)
    return as_verdict({**found, "code": code, "seconds": seconds, "output": output[-4000:]})


def as_verdict(found: Mapping[str, Any]) -> Verdict:
    """A verdict from what JSON makes of one."""
    fields: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in found.items()
    }
    return Verdict(**fields)


def as_text(verdict: Verdict) -> str:
    """A verdict as one line of JSON."""
    return json.dumps(asdict(verdict))
