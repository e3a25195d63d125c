"""Requests that schemathesis draws from the OpenAPI document, sent to the application without a socket.

It runs in .venv-clients, which has schemathesis, for tests/attacks/test_openapi.py.
Each operation has its share of the cases, half of them as declared and half not; in some of both, places are filled
with what this vault has, so that they are answered.  Each is sent by somebody of another role, or by nobody.  What was
found is printed as one line of JSON.
"""

import json
import random
import resource
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tacit.server import Identities, Slots
from tacit.server.http.app import make_app
from tacit.server.sessions import Sessions
from tests.unit.server.clinics import (
    PASSWORD,
    POLICY,
    add_people,
    add_survey,
    make_desk,
    make_folder,
)

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    response_headers_conformance,
]
AMPLE = POLICY.replace("epsilon = 20\n", "epsilon = 2000\n").replace(
    "epsilon = 10\n", "epsilon = 1000\n"
)
QUESTIONS = [
    "SELECT COUNT(*) AS n FROM visits",
    "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward",
    "SELECT cost FROM visits",
    "SELECT COUNT(*) AS n FROM visits WHERE cost > ?",
    "SELECT icd, COUNT(*) AS n FROM visits GROUP BY icd",
    "SHOW TABLES",
    "SELECT",
    "SELECT COUNT(*) FROM visits LIMIT 0",
    "SELECT 1 / 0",
    "((((((((",
]
FILLED: dict[str, list[Any]] = {
    "sql": QUESTIONS,
    "table": ["visits"],
    "model": ["GaussianNB", "PCA"],
    "target": ["ward", None],
    "settings": [{}],
    "survey": ["meals"],
    "column": ["visits.cost", "visits.day"],
    "columns": [None, ["ward", "cost"]],
    "always": [[]],
    "rows": [3],
    "epsilon": [0.01, "1/64"],
    "within": [None],
    "params": [None],
    "name": ["visits", "ana"],
    "password": [PASSWORD],
    "entry": [0, 1],
    "number": [0],
}
SENDERS = ["cleo", "cleo", "ana", "otto"]
FORMS = ["application/json", "text/csv", "application/vnd.apache.arrow.stream", "text/html"]


class Report:
    """What was answered, and what should not have been."""

    def __init__(self) -> None:
        self.statuses: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.failures: list[str] = []


def fill(case: Any, rng: random.Random) -> None:
    """Put what this vault has into the places of a request that are known by name."""
    for place in (case.body, case.path_parameters):
        if isinstance(place, dict):
            wanted = {*place, "epsilon"} if "sql" in place else {*place}
            place.update(
                {field: rng.choice(FILLED[field]) for field in sorted(FILLED.keys() & wanted)}
            )


def run(many: int, folder: Path) -> dict[str, object]:
    """How many cases were sent, what they were answered, and what should not have been."""
    people = add_people(Identities(), passwords=True)
    desk = make_desk(folder, identities=people, slots=Slots(workers=8, lengths=(0.005, 0.01)))
    app = make_app(desk, Sessions(people), secure=False)
    tokens = [*(people.new_token(name) for name in SENDERS), None]
    schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", app)
    operations = [found.ok() for found in schema.get_all_operations()]
    report = Report()
    each, more = divmod(many, len(operations))
    for place, operation in enumerate(operations):
        send_drawn(operation, each + (place < more), place, tokens, report)
    desk.close()
    cpu = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    never = sorted(name for name, times in report.answered.items() if not times)
    return {
        "cases": report.statuses.total(),
        "operations": len(operations),
        "statuses": report.statuses,
        "never answered": never,
        "failures": report.failures,
        "cpu": round(cpu, 1),
    }


def send_drawn(
    operation: Any, many: int, number: int, tokens: list[str | None], report: Report
) -> None:
    """Send so many requests for one operation, and look at what comes back."""
    drawn = st.one_of(
        operation.as_strategy(generation_mode=GenerationMode.POSITIVE),
        operation.as_strategy(generation_mode=GenerationMode.NEGATIVE),
    )

    @seed(number)
    @settings(
        max_examples=many,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
    @given(drawn, st.sampled_from(tokens), st.randoms(use_true_random=False))
    def send(case: Any, token: str | None, rng: random.Random) -> None:
        if rng.random() < 0.6:
            fill(case, rng)
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        if rng.random() < 0.25:
            headers["Accept"] = rng.choice(FORMS)
        response = case.call(headers=headers)
        report.statuses[str(response.status_code)] += 1
        report.answered[operation.label] += response.status_code < 300
        try:
            case.validate_response(response, checks=CHECKS, headers=headers)
        except BaseExceptionGroup as found:
            report.failures += [f"{operation.label}: {each}" for each in found.exceptions]

    send()


if __name__ == "__main__":
    with TemporaryDirectory() as place:
        print(
            json.dumps(
                run(
                    int(sys.argv[1]),
                    add_survey(make_folder(Path(place) / "clinic", AMPLE, rows=40)),
                )
            )
        )
