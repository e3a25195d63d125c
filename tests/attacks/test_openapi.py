"""Whatever is sent, nothing fails on the server's side, and what comes back is what the document declares."""

import json
import os
import subprocess

import pytest

from tests.clients.programs_of import HERE, PYTHON, ROOT


def drawn(many):
    """What schemathesis found in so many cases: it has an environment of its own."""
    command = [PYTHON, str(HERE / "openapi_cases.py"), str(many)]
    ours = {"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **ours}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"`make clients` installs schemathesis: {done.stderr[-2000:]}"
    return json.loads(done.stdout)


def check(found, many):
    assert found["failures"] == []
    assert found["cases"] >= many
    assert found["operations"] > 20
    assert {status[0] for status in found["statuses"]} == {"2", "4"}
    assert len(found["never answered"]) < found["operations"] / 2


def test_no_request_fails_or_is_answered_by_what_is_not_declared():
    check(drawn(300), 300)


@pytest.mark.soak
def test_none_of_five_thousand_requests_fails_or_is_answered_by_what_is_not_declared():
    found = drawn(5_000)
    check(found, 5_000)
    # A job has a name that cannot be drawn, and this policy declares all that could be found.
    named = {"GET /api/v1/answers/{id}", "DELETE /api/v1/answers/{id}"}
    declared = {"POST /api/v1/bounds", "POST /api/v1/contributions"}
    assert set(found["never answered"]) <= named | declared
