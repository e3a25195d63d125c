"""Problems that no version of ours sends are refusals, too."""

import pytest

from tacit.errors import (
    EngineFailed,
    LedgerUnavailable,
    ServerUnavailable,
    TacitError,
    TooLarge,
)
from tacit.remote.problem_to_exception import refusal_of


@pytest.mark.parametrize(
    ("kind", "made"),
    [
        ("ledger-busy", LedgerUnavailable),
        ("ledger-unavailable", LedgerUnavailable),
        ("internal", ServerUnavailable),
        ("stopping", ServerUnavailable),
        ("too-large", TooLarge),
        ("engine-failed", EngineFailed),
        ("refused", TacitError),
        ("something-new", TacitError),
        ("invalid-input", TacitError),
    ],
)
def test_a_problem_becomes_a_refusal(kind, made):
    assert type(refusal_of({"type": f"/problems/{kind}", "detail": "x"}, "there")) is made


def test_a_problem_without_anything_is_a_refusal():
    assert "there" in str(refusal_of({}, "there"))
