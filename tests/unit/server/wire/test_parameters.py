"""Parameters are typed by the client, by a cast, or by what stands beside them."""

import asyncio
from datetime import date

import pytest

import tacit
from tacit.errors import InvalidPlan
from tacit.server.wire.lexer import split_statements
from tacit.server.wire.parameters import infer_types, known_types, sample_of
from tacit.server.wire.problems import Problem

ROWS = [{"patient": 1, "ward": "A", "stage": 3, "cost": 1.5, "day": date(2025, 1, 1), "note": "x"}]
COLUMNS = {
    "ward": ["A", "B"],
    "stage": [3, 4],
    "cost": (0.0, 50.0),
    "day": (date(2025, 1, 1), date(2025, 12, 31)),
}


@pytest.fixture(scope="module")
def vault():
    return tacit.protect(ROWS, unit="patient", contributions=1, columns=COLUMNS, epsilon=3)


def infer(vault, text, given=()):
    (statement,) = split_statements("SELECT COUNT(*) AS n FROM data " + text)

    async def try_with(values):
        vault.columns(statement.text, params=values or None)

    declared = {"ward": "A", "stage": 3}
    known = known_types(statement, given)
    return asyncio.run(infer_types(statement, known, declared, try_with))[0]


@pytest.mark.parametrize(
    ("text", "types"),
    [
        ("WHERE ward = $1", (25,)),
        ("WHERE cost > $1", (701,)),
        ("WHERE $1 < cost", (701,)),
        ("WHERE stage = $1", (20,)),
        ("WHERE day >= $1", (1082,)),
        ("WHERE cost BETWEEN $1 AND $2", (701, 701)),
        ("WHERE ward = $2 AND cost > $1", (701, 25)),
        ("HAVING COUNT(*) > $1", (701,)),
        ("LIMIT $1", (20,)),
        ("WHERE ward IN ($1, $2)", (25, 25)),
        ("", ()),
    ],
)
def test_what_stands_beside_a_parameter_decides(vault, text, types):
    assert infer(vault, text) == types


def test_the_client_and_casts_decide_first(vault):
    assert infer(vault, "WHERE cost > $1", (23,)) == (23,)
    assert infer(vault, "WHERE ward = $1", (1043,)) == (1043,)
    assert infer(vault, "WHERE cost > $1::int8") == (20,)
    (statement,) = split_statements(
        "SELECT $1::oid[], $2::pg_catalog.int4, $3::double precision, $4, $5::nonsense"
    )
    assert known_types(statement, ()) == [1028, 23, 701, None, None]
    assert known_types(statement, (0, 20, 705)) == [1028, 20, 701, None, None]


def test_what_no_type_mends_is_refused(vault):
    for text in ("WHERE nothing = $1", "WHERE cost > $1 AND ward > 5", "WHERE ward = cost + $1"):
        with pytest.raises(InvalidPlan):
            infer(vault, text)
    for wrong in ("$0", "$1001", "$99999999999"):
        with pytest.raises(Problem) as refusal:
            known_types(split_statements(f"SELECT {wrong}")[0], ())
        assert refusal.value.code == "42P02"


def test_every_type_has_a_sample():
    assert (sample_of(20), sample_of(25), sample_of(99999)) == (1, "a", "a")


@pytest.mark.parametrize(("count", "most"), [(1_000, 50), (60, 200)])
def test_a_statement_is_planned_a_bounded_number_of_times(count, most):
    text = "SELECT COUNT(*) FROM data WHERE " + " OR ".join(
        f"cost > ${n + 1}" for n in range(count)
    )
    (statement,) = split_statements(text)
    places = [token for token in statement.tokens if token.kind == "parameter"]
    planned = []

    async def try_with(values):
        planned.append(values)
        blamed = next(place for place, value in enumerate(values) if value is not True)
        at = places[blamed]
        raise InvalidPlan("no", "no", text=text, start=at.start, end=at.end)

    with pytest.raises(Problem) as refused:
        asyncio.run(infer_types(statement, [None] * count, {}, try_with))
    assert refused.value.code == "54000"
    assert "$1::text" in refused.value.hint
    assert len(planned) <= most
