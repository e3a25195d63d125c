"""The interpreters that measure: ours, and one virtual environment for each peer under .bench/."""

import json
import os
import subprocess
import sys
import venv
from functools import cache
from pathlib import Path

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parent
HOMES = ROOT / ".bench"
OURS = ("tacit", "numpy")  # measured with our own interpreter

Readings = dict[tuple[str, str, str], float]
"""What was measured: (who, case, figure) and its value."""


@cache
def interpreter(peer: str) -> Path | None:
    """The interpreter of a peer, set up with the versions pinned in peers/<peer>.txt; None if that fails."""
    if peer in OURS:
        return Path(sys.executable)
    home = HOMES / peer / ".venv"
    python, pins, stamp = (
        home / "bin" / "python",
        BENCH / "peers" / f"{peer}.txt",
        home / "installed.txt",
    )
    wanted = pins.read_text()
    if stamp.exists() and stamp.read_text() == wanted:
        return python
    say(f"setting up {peer} in {home.relative_to(ROOT)}")
    HOMES.mkdir(exist_ok=True)
    (HOMES / ".gitignore").write_text("*\n")
    venv.create(home, clear=True, with_pip=True)
    # The pins are complete, and some of what Qrlew asks for besides cannot be installed nor is it needed here.
    options = ["-qq", "--disable-pip-version-check", "--only-binary", ":all:", "--no-deps"]
    install = [str(python), "-m", "pip", "install", *options, "-r", str(pins)]
    if subprocess.run(install, check=False).returncode:
        say(f"{peer} could not be installed: its figures are left out")
        return None
    stamp.write_text(wanted)
    return python


def measure(peer: str, job: str, *arguments: str) -> Readings:
    """What peers/<peer>.py reports of one job, in its own interpreter on one thread."""
    kept = _kept(peer, job, *arguments)
    if kept is not None and kept.exists():
        return _read(kept.read_text())
    python = interpreter(peer)
    if python is None:
        return {}
    say(" ".join((f"{job}: {peer}", *arguments)))
    command = [str(python), "-m", f"peers.{peer}", job, *arguments]
    one_thread = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        command,
        cwd=BENCH,
        env=os.environ | one_thread,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        say(f"{job}: {peer} stopped: {(done.stderr.strip().splitlines() or ['no message'])[-1]}")
    elif kept is not None:
        kept.write_text(done.stdout)
    return _read(done.stdout)


def _kept(*names: str) -> Path | None:
    """Where readings are kept, if TACIT_READINGS names a folder: a long bench can be stopped, and goes on."""
    folder = os.environ.get("TACIT_READINGS")
    name = "-".join("".join(c if c.isalnum() else "_" for c in each) for each in names)
    return None if folder is None else Path(folder) / f"{name}.jsonl"


def _read(printed: str) -> Readings:
    lines = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
    return {(line["who"], line["case"], line["figure"]): line["value"] for line in lines}


def say(text: str) -> None:
    """Progress, apart from the result."""
    print(f"  … {text}", file=sys.stderr, flush=True)
