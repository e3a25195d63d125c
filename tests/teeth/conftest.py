"""A warm process that runs trials for the tests of this folder."""

import dataclasses
import json
import os
import subprocess
import sys

import pytest

from tests import spark
from tests.teeth.bug import ROOT
from tests.teeth.trial import as_verdict


@pytest.fixture(scope="session")
def tried():
    """The verdict on a test, with a bug in the source or none, from a process that has imported a copy of Tacit."""
    command = [sys.executable, "-m", "tests.teeth", "--serve"]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONHASHSEED": "0", spark.OWNER: str(spark.owner())},
    ) as process:

        def tried(test, bug=None, environment=(), renewed=""):
            request = {
                "test": str(test),
                "bug": bug and dataclasses.asdict(bug),
                "environment": dict(environment),
                "renewed": renewed,
            }
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            return as_verdict(json.loads(process.stdout.readline()))

        yield tried
        process.stdin.close()
