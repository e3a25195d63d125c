"""CPU seconds of a fresh process that imports and ends: ours, the peers', and the bare interpreter as the floor."""

import subprocess

from environments import ROOT, interpreter, say
from report import Requirement, Result, Table, ratio, shown
from timing import best_processes

LIMIT = 0.4
ROUNDS = 15
# `import tacit` alone loads no room, so the limit is also held against the rooms that every program needs.
GROUND = ("exact", "privacy", "mechanisms", "accounting", "audit")
GROUND_ROOMS = "tacit with its ground rooms"


def run() -> Result:
    """The table of import times."""
    statements = {
        "bare interpreter": ("tacit", "pass"),
        "NumPy": ("numpy", "import numpy"),
        "tacit": ("tacit", "import tacit"),
        GROUND_ROOMS: ("tacit", "import " + ", ".join(_rooms())),
        "OpenDP": ("opendp", "import opendp.prelude"),
        "diffprivlib": ("diffprivlib", "import diffprivlib"),
        "dp-accounting": ("dp_accounting", "import dp_accounting"),
    }
    commands = {name: _command(name, peer, code) for name, (peer, code) in statements.items()}
    say("imports: in turns")
    seconds = best_processes(
        {name: command for name, command in commands.items() if command}, ROUNDS
    )
    rows = [
        (
            name,
            shown(seconds.get(name)),
            shown(ratio(seconds.get(name), seconds.get(GROUND_ROOMS)), unit=" ×"),
        )
        for name in statements
    ]
    table = Table(
        f"CPU seconds of a process that only imports, best of {ROUNDS}",
        ("", "s", "of the ground rooms'"),
        rows,
    )
    margins = {name: ratio(LIMIT, seconds.get(name)) for name in ("tacit", GROUND_ROOMS)}
    return Result("Import", [table], [Requirement(f"`import tacit` under {LIMIT} s", margins)])


def _rooms() -> list[str]:
    built = [room for room in GROUND if (ROOT / "src" / "tacit" / room / "__init__.py").exists()]
    return ["tacit", *(f"tacit.{room}" for room in built)]


def _command(name: str, peer: str, code: str) -> list[str]:
    """What imports it, tried once, which also leaves compiled files behind; nothing if it does not work."""
    python = interpreter(peer)
    if python is None:
        return []
    command = [str(python), "-c", code]
    tried = subprocess.run(command, capture_output=True, text=True, check=False)
    if tried.returncode:
        say(f"imports: {name} failed: {tried.stderr.strip().splitlines()[-1]}")
        return []
    return command
