"""Refusals have the codes that clients know, and mistakes one constant text."""

from fractions import Fraction

import pytest

import tacit
from tacit.errors import (
    AccessDenied,
    AllowanceExceeded,
    CatalogueError,
    EngineFailed,
    InvalidInput,
    InvalidPlan,
    LedgerBusy,
    LedgerRefused,
    LedgerUnavailable,
    LimitExceeded,
    NotFound,
    ServerUnavailable,
    TacitError,
    TooMany,
)
from tacit.server.wire.client_messages import InvalidMessage
from tacit.server.wire.problems import (
    INTERNAL,
    Problem,
    error_message,
    notice_message,
    placed,
    problem_from,
)
from tests.unit.server.wire.rooms import fields_of, messages_of

CANARY = "patient-4711"


@pytest.mark.parametrize(
    ("refusal", "code"),
    [
        (LimitExceeded(None, Fraction(1), Fraction(0)), "53400"),
        (AllowanceExceeded(0.1, 0.0), "53400"),
        (TooMany("questions", 1.0), "53000"),
        (NotFound("table", "x"), "42704"),
        (EngineFailed(), "58000"),
        (LedgerBusy("/secret/place", 1.0), "55P03"),
        (LedgerUnavailable("/secret/place", "is full", "x"), "57P03"),
        (LedgerRefused("/secret/place", "is old", "x"), "57P03"),
        (ServerUnavailable("x", "is stopping", "x"), "57P01"),
        (InvalidInput("epsilon", -1, "x"), "22023"),
        (InvalidInput("a price", None, "x"), "22023"),
        (AccessDenied("no", "x", signed_in=True), "42501"),
        (AccessDenied("no", "x", signed_in=False), "28000"),
        (CatalogueError("42P01", "no relation", 3), "42P01"),
        (InvalidMessage("bad", "22021"), "22021"),
        (TacitError("else"), "55000"),
    ],
)
def test_a_refusal_has_a_code_and_names_no_place_of_the_curators(refusal, code):
    found = problem_from(refusal)
    assert found.code == code
    assert found.fatal == (code == "28000")
    assert b"/secret/place" not in error_message(found)


@pytest.mark.parametrize(
    ("text", "code", "at"),
    [
        ("SELECT COUNT(*) AS n FROM nothing", "42P01", "nothing"),
        ("SELECT COUNT(*) AS n FROM data WHERE nothing = 1", "42703", "nothing"),
        ("SELECT * FROM data", "42501", "*"),
        ("SELECT COUNT(* FROM data", "42601", None),
        ("SELECT COUNT(*) FROM data WHERE ward = 'A", "42601", None),
        ("SELECT STRING_AGG(ward, ',') AS n FROM data", "42501", None),
        ("SELECT XMLAGG(ward) AS n FROM data", "0A000", None),
    ],
)
def test_refusals_of_questions_have_the_codes_that_clients_know(text, code, at):
    rows, columns = [{"patient": 1, "ward": "A"}], {"ward": ["A", "B"]}
    vault = tacit.protect(rows, unit="patient", contributions=1, columns=columns, epsilon=3)
    with pytest.raises(InvalidPlan) as refusal:
        vault.columns(text)
    found = problem_from(refusal.value, 100)
    assert found.code == code
    assert found.hint
    if at is not None:
        assert found.position == 100 + text.index(at) + 1


def test_mistakes_become_one_constant_text():
    for mistake in (
        ValueError(CANARY),
        KeyError(CANARY),
        AssertionError(CANARY),
        RuntimeError(CANARY),
    ):
        said = error_message(problem_from(mistake))
        assert CANARY.encode() not in said
        assert said == error_message(Problem("XX000", INTERNAL))


def test_places_are_those_of_the_whole_text():
    with pytest.raises(Problem) as refusal, placed(7):
        raise InvalidPlan("no", "yes", text="abc", start=2, end=3)
    assert refusal.value.position == 10
    with pytest.raises(Problem) as refusal, placed(7):
        raise CatalogueError("42601", "no", 2)
    assert refusal.value.position == 9


def test_what_is_said_can_be_printed():
    ((kind, body),) = messages_of(notice_message("a\x1b[31mb", "c\0d"))
    found = fields_of(body)
    assert kind == "N"
    assert "\x1b" not in found["M"]
    assert (found["S"], found["C"]) == ("NOTICE", "00000")
    fields = fields_of(
        messages_of(error_message(Problem("42601", "x", "y", position=3, detail="z")))[0][1]
    )
    assert {name: fields[name] for name in "SVCMHPD"} == {
        "S": "ERROR",
        "V": "ERROR",
        "C": "42601",
        "M": "x",
        "H": "y",
        "P": "3",
        "D": "z",
    }
