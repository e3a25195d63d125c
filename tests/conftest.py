"""What all tests share: Hypothesis profiles, seconds per folder, and no silent skips in CI."""

import os
from collections import defaultdict
from collections.abc import Iterable

import pytest
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


def seconds_by_folder(durations: Iterable[tuple[str, float]]) -> dict[str, tuple[int, float]]:
    """The number of tests and their seconds, by folder, from (node id, seconds) pairs."""
    seconds: dict[str, float] = defaultdict(float)
    tests: dict[str, set[str]] = defaultdict(set)
    for nodeid, duration in durations:
        seconds[folder_of(nodeid)] += duration
        tests[folder_of(nodeid)].add(nodeid)
    return {folder: (len(tests[folder]), seconds[folder]) for folder in sorted(seconds)}


class Bookkeeper:
    """Counts seconds and skips. It sits where reports arrive, so it sees the reports of every xdist worker, once."""

    def __init__(self, *, skips_fail: bool) -> None:
        self.skips_fail = skips_fail
        self.durations: list[tuple[str, float]] = []
        self.skipped: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.durations.append((report.nodeid, report.duration))
        if report.skipped and not hasattr(report, "wasxfail"):
            self.skipped.append(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self.skipped.append(report.nodeid)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.skips_fail and self.skipped and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        folders = seconds_by_folder(self.durations)
        if len(folders) > 1:
            terminalreporter.section("seconds per folder")
            for folder, (tests, seconds) in folders.items():
                terminalreporter.line(f"{folder:<20} {tests:>6} tests {seconds:>9.2f} s")
        if self.skips_fail and self.skipped:
            terminalreporter.section("skipped tests fail this run: CI is set")
            for nodeid in dict.fromkeys(self.skipped):
                terminalreporter.line(nodeid)


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        in_ci = os.environ.get("CI", "") not in {"", "0", "false"}
        config.pluginmanager.register(Bookkeeper(skips_fail=in_ci), "bookkeeper")
