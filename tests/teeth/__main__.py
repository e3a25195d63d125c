"""Plants every known bug, runs the test that must notice it, and prints a table: `python -m tests.teeth`."""

import argparse
import json
import sys
import time
from collections.abc import Sequence

from tests.teeth.bug import ROOT, Bug, all_bugs, planted
from tests.teeth.trial import Trial, as_text, trials


def main(arguments: Sequence[str]) -> int:
    """Zero if every bug is killed and every test that kills passes on the sound source."""
    options = _parser().parse_args(arguments)
    if options.serve:
        return serve()
    bugs = [bug for bug in all_bugs() if not options.names or bug.name in options.names]
    for bug in bugs:
        # or says why the bug does not fit any more
        planted(bug, (ROOT / bug.file).read_text(encoding="utf-8"))
    start = time.monotonic()
    sound = {
        (trial.tests[0], trial.renewed): verdict
        for trial, verdict in trials(sound_trials(bugs), options.workers)
    }
    broken = {test: verdict for test, verdict in sound.items() if not verdict.passes}
    for (test, _), verdict in broken.items():
        print(f"{test} does not pass on the sound source:\n{verdict.in_words()}")
    others = survival_of(bugs, options.workers) if options.survives else {}
    alive = [
        bug for turn in range(options.turns) for bug in table(bugs, others, options.workers, turn)
    ]
    seconds = time.monotonic() - start
    tests, dead = len({test for test, _ in sound}), len(bugs) - len({bug.name for bug in alive})
    print(f"\n{dead} of {len(bugs)} planted bugs killed, by {tests} tests, in {seconds:.0f} s")
    return 1 if alive or broken else 0


def table(bugs: Sequence[Bug], others: dict[str, str], workers: int, turn: int = 0) -> list[Bug]:
    """Prints one line a bug, and returns those that live."""
    alive = []
    outputs = []
    width = max((len(bug.name) for bug in bugs), default=3)
    print(
        f"{'bug':<{width}}  {'room':<11} {'verdict':<8} {'CPU s':>6}  {'others pass':<11}  killed by"
    )
    for trial, verdict in trials(
        [Trial((bug.killed_by,), bug, turn=turn) for bug in bugs], workers
    ):
        assert trial.bug is not None
        killed = verdict.kills(trial.bug)
        others_pass = others.get(trial.bug.name, "-")
        line = (
            f"{trial.bug.name:<{width}}  {trial.bug.room:<11} {'killed' if killed else 'ALIVE':<8}"
        )
        print(
            f"{line} {verdict.seconds:>6.2f}  {others_pass:<11}  {trial.bug.killed_by}", flush=True
        )
        if not killed:
            alive.append(trial.bug)
            outputs.append(f"\n{trial.bug.name} ({trial.bug.note}) lives:\n{verdict.in_words()}")
    print(*outputs, sep="\n")
    return alive


def survival_of(bugs: Sequence[Bug], workers: int) -> dict[str, str]:
    """By bug: do the other tests of its room's unit folder pass? Then the bug needed the test that kills it."""
    wanted = []
    found = {}
    for bug in bugs:
        folder = f"tests/unit/{bug.room}"
        if (ROOT / folder).is_dir():
            wanted.append(Trial((folder,), bug, without=(bug.killed_by,)))
        else:
            found[bug.name] = "no folder"
    for trial, verdict in trials(wanted, workers):
        assert trial.bug is not None
        found[trial.bug.name] = "yes" if verdict.code == 0 else "no"
    return found


def sound_trials(bugs: Sequence[Bug]) -> list[Trial]:
    """The tests that kill, on the sound source, once for each file whose bugs they kill."""
    return [
        Trial((test,), environment=bug.environment, renewed=file)
        for (test, file), bug in {(b.killed_by, b.file): b for b in bugs}.items()
    ]


def serve() -> int:
    """Answers requests, one a line: a test, and the bug or none. The fixture `tried` of conftest.py asks."""
    for line in sys.stdin:
        request = json.loads(line)
        bug = Bug(**request["bug"]) if request["bug"] else None
        trial = Trial(
            (request["test"],),
            bug,
            environment=request["environment"],
            renewed=request["renewed"],
        )
        ((_, verdict),) = trials([trial])
        print(as_text(verdict), flush=True)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.teeth", description=__doc__)
    parser.add_argument("names", nargs="*", help="bugs to plant; all if none is named")
    parser.add_argument("--workers", type=int, default=2, help="trials at a time")
    parser.add_argument(
        "--survives", action="store_true", help="also run the other unit tests of the bug's room"
    )
    parser.add_argument(
        "--turns", type=int, default=1, help="streams of randomness that each bug must die under"
    )
    parser.add_argument("--serve", action="store_true", help="answer requests on standard input")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
