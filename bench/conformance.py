"""Published failures of other systems, run on the versions that are pinned in peers/: which are still there.

Nothing is required of the peers.  What Tacit does in each case is tested in tests/attacks/test_conformance.py.
"""

import json
import os
import subprocess

from environments import BENCH, interpreter, say
from report import Result, Table

PEERS = {
    "opendp_polars": "opendp",
    "qrlew": "pyqrlew",
    "smartnoise": "smartnoise-sql",
    "diffprivlib": "diffprivlib",
    "diffprivlib_newest": "diffprivlib",
    "pipeline_dp": "pipeline-dp",
}
LEFT_OUT = (
    "Not run: Tumult (V8), which needs Java and Spark, and DPSQL+ (V18, V19), which is on no package index; "
    "docs/conformance.md says what was seen there by hand."
)
VERDICTS = {True: "still there", False: "gone", None: "not run"}


def run() -> Result:
    """The table of cases: who, what was seen, and whether the failure is still there."""
    lines = [line for peer in PEERS for line in looked(peer)]
    heads = ("case", "system", "seen", "failure")
    return Result(
        "Conformance",
        [Table("Published failures of other systems", heads, lines)],
        notes=[LEFT_OUT],
    )


def looked(peer: str) -> list[tuple[str, str, str, str]]:
    """What the cases of one peer saw, in one process of its own interpreter."""
    python, who = interpreter(peer), f"{PEERS[peer]} {pinned(peer)}"
    if python is None:
        return [("–", who, "could not be installed", VERDICTS[None])]
    say(f"conformance: {peer}")
    command = [str(python), "-m", f"failures.{peer}"]
    done = subprocess.run(
        command, cwd=BENCH, env=dict(os.environ), capture_output=True, text=True, check=False
    )
    told = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode or not told:
        say(
            f"conformance: {peer} stopped: {(done.stderr.strip().splitlines() or ['no message'])[-1]}"
        )
    return [(line["case"], who, line["seen"], VERDICTS[line["fails"]]) for line in told]


def pinned(peer: str) -> str:
    """The version of a peer's own package."""
    pins = dict(
        line.split("==")
        for line in (BENCH / "peers" / f"{peer}.txt").read_text().split()
        if "==" in line
    )
    return pins[PEERS[peer]]
