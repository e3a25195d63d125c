"""What all tests share: Hypothesis profiles, CPU seconds per folder, and no silent skips in CI."""

import atexit
import gc
import os
import sys
import time
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from _pytest.assertion import rewrite
from _pytest.assertion.rewrite import assertstate_key
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, Phase, settings

# Deterministic by default: the same commit gives the same verdict. `explore` looks elsewhere each time.
# They are the same fifty each time: a bug that fewer notice has an `@example` of its own, and `make soak` tries more.
_STEADY = settings(
    derandomize=True, deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("ci", _STEADY)
settings.register_profile("explore", deadline=None, max_examples=200)
settings.register_profile("soak", _STEADY, max_examples=2_000)
# A planted bug must be found, not explained: no shrinking.
settings.register_profile(
    "teeth", _STEADY, phases=[Phase.explicit, Phase.generate], report_multiple_bugs=False
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def folder_of(nodeid: str) -> str:
    """The folder of tests/ that a test lives in: `tests/laws` for `tests/laws/test_x.py::test_y`."""
    parts = nodeid.split("::", maxsplit=1)[0].split("/")[:-1]
    return "/".join(parts[:2]) or "."


def cpu_seconds() -> float:
    """The CPU seconds of this process, of its children that ended and, on Linux, of those that run."""
    return _of_itself() + _of_children("self")


def _of_itself() -> float:
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def _of_children(process: str) -> float:
    try:
        children = Path(f"/proc/{process}/task/{_number(process)}/children").read_text("ascii")
    except OSError:  # another system, or a process that has just ended
        return 0.0
    return sum(map(_of_process, children.split()))


def _of_process(process: str) -> float:
    try:
        fields = Path(f"/proc/{process}/stat").read_text("utf-8", "replace").rpartition(")")[2]
    except OSError:
        return 0.0
    ticks = sum(map(int, fields.split()[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK") + _of_children(process)


def _number(process: str) -> int:
    return os.getpid() if process == "self" else int(process)


def seconds_by_folder(
    durations: Iterable[tuple[str, float, float]],
) -> dict[str, tuple[int, float, float]]:
    """The number of tests, their CPU seconds and their seconds, by folder, from (node id, CPU, seconds)."""
    found: dict[str, tuple[float, float]] = defaultdict(lambda: (0.0, 0.0))
    tests: dict[str, set[str]] = defaultdict(set)
    for nodeid, cpu, duration in durations:
        folder = folder_of(nodeid)
        found[folder] = found[folder][0] + cpu, found[folder][1] + duration
        tests[folder].add(nodeid)
    return {folder: (len(tests[folder]), *found[folder]) for folder in sorted(found)}


_GARBAGE = (20_000, 20, 20)
"""New objects between two collections of garbage: after Python's own 700, a test of a few milliseconds has many."""

_A_WHILE = (
    0.25  # seconds between two looks at children that run, which take as long as a small test
)


class Clock:
    """Writes on each report the CPU seconds since the one before. It sits where tests run: in every worker."""

    def __init__(self) -> None:
        self.last = cpu_seconds()
        self.looked, self.children = time.monotonic(), 0.0
        # Libraries would complain at the end of what was never freed. Not before: pytest collects garbage when it ends.
        atexit.register(gc.unfreeze)

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Any:
        # Tests and what they import stay: to look through them at every collection of garbage would take long.
        gc.set_threshold(*_GARBAGE)
        result = yield
        gc.freeze()
        self.last = self.cpu_seconds()
        return result

    def cpu_seconds(self) -> float:
        """`cpu_seconds`, with those of children that run as they were a while ago."""
        if time.monotonic() - self.looked >= _A_WHILE:
            self.looked, self.children = time.monotonic(), _of_children("self")
        return _of_itself() + self.children

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, call: pytest.CallInfo[None]) -> Any:
        report = yield
        if call.when == "teardown":
            now = self.cpu_seconds()
            report.cpu, self.last = now - self.last, now
        return report

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["cpu"] = cpu_seconds()


class Runner:
    """Runs the tests of a worker, and sends two reports of each: half of what a small test costs are messages.

    That a test begins, and that what it needs is there, is of no use to who hears of its end; how long that took is
    part of the report that follows.
    """

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
        if reports[0].passed:
            reports[1].duration += reports.pop(0).duration
        for report in reports:
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True


class Bookkeeper:
    """Counts seconds and skips. It sits where reports arrive, so it sees the reports of every xdist worker, once."""

    def __init__(self, *, skips_fail: bool) -> None:
        self.skips_fail = skips_fail
        self.durations: list[tuple[str, float, float]] = []
        self.in_workers = 0.0
        self.skipped: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.durations.append((report.nodeid, getattr(report, "cpu", 0.0), report.duration))
        if report.skipped and not hasattr(report, "wasxfail"):
            self.skipped.append(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self.skipped.append(report.nodeid)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        self.in_workers += getattr(node, "workeroutput", {}).get("cpu", 0.0)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.skips_fail and self.skipped and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        folders = seconds_by_folder(self.durations)
        if len(folders) > 1:
            terminalreporter.section("CPU seconds and seconds per folder")
            for folder, (tests, cpu, seconds) in folders.items():
                terminalreporter.line(
                    f"{folder:<20} {tests:>6} tests {cpu:>9.2f} CPU s {seconds:>9.2f} s"
                )
            used = self.in_workers or cpu_seconds()
            rest = used - sum(cpu for _, cpu, _ in folders.values())
            terminalreporter.line(f"{'starting, collecting':<33} {rest:>9.2f} CPU s")
        if self.skips_fail and self.skipped:
            terminalreporter.section("skipped tests fail this run: CI is set")
            for nodeid in dict.fromkeys(self.skipped):
                terminalreporter.line(nodeid)


def rewrite_asserts(config: pytest.Config, worker: int, workers: int) -> int:
    """Rewrite this worker's part of the files that will be collected, and keep it; how many that were.

    Every worker collects all tests. In a new clone each would rewrite every file at the same time as the others, which
    is a third of what collecting takes; so it finds the other parts done.
    """
    places = [config.rootpath / word.split("::")[0] for word in config.args]
    files = sorted({file for place in places for file in place.rglob("test_*.py")})
    count = 0
    for file in files[worker::workers]:
        folder = rewrite.get_cache_dir(file)
        kept = folder / f"{file.stem}{rewrite.PYC_TAIL}"
        if not kept.exists() and rewrite.try_makedirs(folder):
            version, code = rewrite._rewrite_test(file, config)
            rewrite._write_pyc(config.stash[assertstate_key], code, version, kept)
            count += 1
    return count


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Clock(), "clock")
    if hasattr(config, "workerinput"):
        config.pluginmanager.register(Runner(), "brief runner")
    if hasattr(config, "workerinput") and not sys.dont_write_bytecode:
        worker = int(config.workerinput["workerid"].removeprefix("gw"))
        rewrite_asserts(config, worker, config.workerinput["workercount"])
    if not hasattr(config, "workerinput"):
        in_ci = os.environ.get("CI", "") not in {"", "0", "false"}
        config.pluginmanager.register(Bookkeeper(skips_fail=in_ci), "bookkeeper")
