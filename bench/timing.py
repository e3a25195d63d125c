"""CPU seconds, best of several: other processes on the machine can only make a figure worse, never better."""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from itertools import repeat
from math import inf
from time import perf_counter, process_time
from typing import Any

REPETITIONS = 7  # at least, of everything that is quick enough, ours and theirs alike,
ENOUGH = 0.5  # and until so many CPU seconds are spent

# Installed packages are compiled once.  Where compiled files are not to be written, ours would be compiled every time.
_COMPILED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def best(work: Callable[..., object], *arguments: Any, least: int = REPETITIONS) -> float:
    """The least CPU seconds that `work` took with these arguments."""
    return best_of(lambda _: work(*arguments), repeat(None), least)


def best_draw(draw: Callable[[Any], object], value: float, count: int) -> float:
    """The least CPU seconds that one of `count` draws took on average."""
    return best(lambda: [draw(value) for _ in range(count)]) / count


def best_of(
    work: Callable[[Any], object], variants: Iterable[Any], least: int = REPETITIONS
) -> float:
    """The least CPU seconds that `work` took, each time on another variant, so that nothing remembered helps."""
    shortest, spent = inf, 0.0
    for done, variant in enumerate(variants, 1):
        seconds = _once(work, variant)
        shortest, spent = min(shortest, seconds), spent + seconds
        if done >= least and spent >= ENOUGH:
            break
    return shortest


def _once(work: Callable[..., object], *arguments: Any) -> float:
    start = process_time()
    work(*arguments)
    return process_time() - start


def best_processes(commands: dict[str, list[str]], rounds: int) -> dict[str, float]:
    """The least CPU seconds that a fresh process of each command took from start to end, in turns."""
    return {name: cpu for name, (cpu, _) in best_processes_and_walls(commands, rounds).items()}


def best_processes_and_walls(
    commands: dict[str, list[str]], rounds: int
) -> dict[str, tuple[float, float]]:
    """The same, each with the least seconds on the clock on the wall."""
    turns = [
        {name: process_once(command) for name, command in commands.items()} for _ in range(rounds)
    ]
    return {
        name: (min(turn[name][0] for turn in turns), min(turn[name][1] for turn in turns))
        for name in commands
    }


def process_once(
    command: list[str], environment: Mapping[str, str] = _COMPILED
) -> tuple[float, float]:
    """The CPU seconds of a process, and those that passed."""
    start, clock = _spent_by_children(), perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=environment)
    return _spent_by_children() - start, perf_counter() - clock


def _spent_by_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def emit(who: str, case: object, **figures: float) -> None:
    """Hand readings to the process that asked for them: one line of JSON each."""
    for figure, value in figures.items():
        print(
            json.dumps({"who": who, "case": str(case), "figure": figure, "value": value}),
            flush=True,
        )


def serve(**jobs: Callable[..., None]) -> None:
    """Do the job that the command line names, with what follows there."""
    jobs[sys.argv[1]](*sys.argv[2:])
