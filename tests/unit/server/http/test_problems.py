"""Each refusal has its type and status, and what a client makes of it is the same refusal."""

from fractions import Fraction

import pytest

from tacit import errors
from tacit.remote.problem_to_exception import refusal_of
from tacit.server.http.problems import TYPES, problem_from, problem_response

REFUSALS = [
    (errors.AccessDenied("no", "sign in", signed_in=False), 401),
    (errors.AccessDenied("no", "ask", signed_in=True), 403),
    (errors.AllowanceExceeded(0.5, 0.25), 403),
    (errors.EngineFailed(), 500),
    (errors.InvalidInput("epsilon", Fraction(-1, 2), "give more"), 422),
    (errors.InvalidInput("a price", None, "give epsilon"), 422),
    (errors.InvalidPlan("a reason", "a remedy", text="SELECT x", start=7, end=8), 422),
    (errors.InvalidPlan("a reason", "a remedy"), 422),
    (errors.Unbounded("cost", "number", text="SELECT cost", start=7, end=11), 422),
    (errors.KeyReused("was used", "give another"), 422),
    (errors.KeyReused("is running", "wait", running=True), 409),
    (errors.LimitExceeded("ana", Fraction(1, 3), Fraction(1, 7)), 403),
    (errors.LimitExceeded(None, Fraction(1, 3), Fraction(1, 7)), 403),
    (errors.NotFound("receipt", 7), 404),
    (errors.TooMany("questions", 2.5), 429),
]


@pytest.mark.parametrize(("refusal", "status"), REFUSALS, ids=lambda each: type(each).__name__)
def test_a_refusal_is_the_same_on_the_other_side(refusal, status):
    said = problem_from(refusal)
    assert said["status"] == status
    assert said["type"].removeprefix("/problems/") in TYPES
    again = refusal_of(said, "there")
    assert type(again) is type(refusal)
    assert str(again) == str(refusal)
    for name in ("reason", "remedy", "text", "start", "end", "column", "asked", "left", "name"):
        assert getattr(again, name, None) == getattr(refusal, name, None)


def test_the_place_of_a_ledger_is_not_told():
    for refusal in (
        errors.LedgerBusy("/srv/secret/ledger.sqlite", 3.0),
        errors.LedgerUnavailable("/srv/secret/ledger.sqlite", "is gone", "look"),
        errors.LedgerUncertain("/srv/secret/ledger.sqlite"),
    ):
        said = problem_from(refusal)
        assert said["status"] == 503
        assert "secret" not in str(said)
        assert problem_response(said).headers["retry-after"] == "1"


def test_a_ledger_that_cannot_be_trusted_is_refused_without_its_place():
    said = problem_from(errors.LedgerRefused("/srv/secret/ledger", "is damaged", "restore it"))
    assert said["status"] == 503
    assert "secret" not in str(said)


def test_every_refusal_of_the_tree_has_a_problem():
    kinds = [getattr(errors, name) for name in errors.__all__ if name != "Fault"]
    for kind in kinds:
        said = problem_from(kind.__new__(kind)) if kind is errors.TacitError else None
        assert said is None or said["type"] == "/problems/refused"


def test_texts_that_move_a_cursor_are_made_harmless():
    said = problem_from(errors.InvalidInput("table", "\x1b[2J", "name another"))
    assert "\x1b" not in said["detail"]
