"""Statements of real clients about the catalogue, recorded with a real PostgreSQL 15, and what the catalogue answers.

A ratchet: the share that is answered, and the share that is answered as PostgreSQL does but for the wanted differences
listed here, may only grow.
"""

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tacit.catalogue import CatalogueError, Schema
from tacit.catalogue.database import Database
from tests.unit.catalogue.clinic import CLINIC
from tests.vectors.catalogue.canonical import cell, digest, with_oids

HERE = Path(__file__).parent / "catalogue"
WHO = {"session_authorization": "analyst"}

# Statements whose answers are meant to be others, by the digest of their text, and why.
WANTED: dict[str, str] = json.loads((HERE / "wanted.json").read_text(encoding="utf-8"))


@cache
def database() -> Database:
    return Database(Schema("clinic", CLINIC.tables, "15.0"))


@cache
def oids() -> dict[str, int]:
    """The oids of declared objects, by the names that stand for them in the vectors."""
    found = {"@database clinic@": 16385, "@role analyst@": 16384}
    for kind, query in (
        ("class", "SELECT oid, relname FROM pg_class WHERE relnamespace = 2200"),
        ("type", "SELECT oid, typname FROM pg_type WHERE typnamespace = 2200"),
    ):
        found |= {f"@{kind} {name}@": oid for oid, name in database().ask(query).rows}
    return found


def vectors(file: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (HERE / file).read_text(encoding="utf-8").splitlines()]


def answer(vector: dict[str, Any]) -> tuple[list[str], str] | None:
    """The columns and the digest of our rows; None if there is no answer."""
    names = {oid: name for name, oid in oids().items()}
    parameters = [
        None if each is None else with_oids(each, oids()) for each in vector.get("parameters", ())
    ]
    try:
        found = database().ask(with_oids(vector["sql"], oids()), parameters, WHO)
    except CatalogueError:
        return None
    rows = [
        [
            cell(value, names, column.oid in (22, 30))
            for value, column in zip(row, found.columns, strict=True)
        ]
        for row in found.rows
    ]
    return [column.name for column in found.columns], digest(rows)


def is_wanted(sql: str) -> bool:
    return hashlib.sha256(sql.encode()).hexdigest()[:16] in WANTED


def shares(found: list[dict[str, Any]]) -> tuple[float, float]:
    """The share of statements that are answered, and, but for wanted differences, that are answered equally."""
    answers = {number: answer(vector) for number, vector in enumerate(found)}
    answered = sum(each is not None for each in answers.values())
    equal = sum(
        answers[n] == (vector["columns"], vector["digest"]) for n, vector in enumerate(found)
    )
    wanted = sum(
        answers[n] is not None
        and answers[n] != (vector["columns"], vector["digest"])
        and is_wanted(vector["sql"])
        for n, vector in enumerate(found)
    )
    print(f"{answered} of {len(found)} answered, {equal} equal, {wanted} differ as wanted")
    return answered / len(found), equal / (len(found) - wanted)


def test_statements_of_clients_are_answered_as_postgresql_answers_them():
    answered, equal = shares(vectors("statements.jsonl"))
    assert answered >= 0.99
    assert equal >= 0.95


def test_statements_of_clients_that_no_rule_was_written_for():
    answered, _ = shares(vectors("held_out.jsonl"))
    assert answered >= 0.93


def test_every_client_is_among_the_vectors():
    clients = {name for vector in vectors("statements.jsonl") for name in vector["clients"]}
    assert len(clients) >= 9
    assert len({name for vector in vectors("held_out.jsonl") for name in vector["clients"]}) == 5


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, None),
        (True, "t"),
        ([1, None], "{1,NULL}"),
        (2.0, "2"),
        (16400, "@class x@"),
        (17000, "<oid>"),
    ],
)
def test_cells_are_compared_as_texts(value, text):
    assert cell(value, {16400: "@class x@"}) == text
