"""A statement around several questions costs what it names, once; and nothing if it cannot be answered."""

import asyncio
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import pytest

from tacit.errors import AllowanceExceeded, CatalogueError, LimitExceeded
from tacit.server.jobs import Question
from tacit.server.wire.questions_in_statement import Part, divide, refuse_sum, stand_in
from tacit.server.wire.value_types import BOOL, DATE, FLOAT8, INT8, TEXT, TIMESTAMP, Field
from tests.unit.server.clinics import make_folder, who
from tests.unit.server.wire.rooms import SmallCatalogue, fields_of, open_room

THREE = (
    "SELECT a.n, b.n, c.n, md5('a') FROM (SELECT COUNT(*) AS n FROM visits WHERE cost > 1) a, "
    "(SELECT COUNT(*) AS n FROM visits WHERE cost > 2) b, (SELECT COUNT(*) AS n FROM visits WHERE cost > 3) c"
)


@pytest.fixture
def room(tmp_path):
    with open_room(make_folder(tmp_path / "clinic")) as made:
        yield made


def spent(room, name="ana"):
    return float(room.desk._vault.of(name).budget.own.spent)


def notices(said):
    return [fields_of(body)["M"] for kind, body in said if kind == "N"]


def test_three_questions_cost_the_named_price_together_and_nothing_the_second_time(room):
    client = room.client()
    client.ask("/* tacit: epsilon=6 */ SELECT COUNT(*) AS n FROM visits WHERE cost > 40")
    one = spent(room)
    said = client.ask(f"/* tacit: epsilon=6 */ {THREE}")
    assert "E" not in [kind for kind, _ in said]
    assert room.charges() == 4
    assert spent(room) <= 2 * one + 1e-9, "each part paid the whole price"
    assert notices(said)[-1].startswith(
        "3 questions in one statement, 3 of them paid for; together: epsilon 6, "
    )
    again = client.ask(f"/* tacit: epsilon=6 */ {THREE}")
    assert room.charges() == 4
    assert "together: nothing" in notices(again)[-1]


def test_a_part_that_is_known_costs_nothing_and_leaves_the_price_to_the_others(room):
    client = room.client(options="-c tacit.epsilon=3")
    client.rows("SELECT COUNT(*) AS n FROM visits WHERE cost > 2")
    said = notices(client.ask(THREE))
    assert [" epsilon 1.5," in each for each in said[:3]] == [True, False, True]
    assert "nothing: the stored answer, which cost epsilon 3," in said[1]
    assert room.charges() == 3


def test_explain_tells_the_price_of_each_part(room):
    client = room.client(options="-c tacit.epsilon=3")
    lines = [line for (line,) in client.rows(f"EXPLAIN {THREE}")]
    alone = "/* tacit: epsilon=1 */ EXPLAIN SELECT COUNT(*) AS n FROM visits WHERE cost > 1"
    (price,) = [line for (line,) in client.rows(alone) if line.startswith("Price: ")]
    assert [line for line in lines if line.startswith("Price: ")] == [price] * 3


def test_nothing_is_charged_if_all_together_do_not_fit(room):
    client = room.client("ben")  # whose limit is 1
    said = client.ask(f"/* tacit: epsilon=1.8 */ {THREE}")  # two of them would fit
    assert [fields_of(body)["C"] for kind, body in said if kind == "E"] == ["53400"]
    assert room.charges() == 0
    assert spent(room, "ben") == 0


class Narrow(SmallCatalogue):
    """Takes one row at most."""

    def ask(self, who, sql, values=(), settings=None, tables=None):
        if any(len(table.rows) > 1 for table in (tables or {}).values()):
            raise CatalogueError("54000", "too large")
        return super().ask(who, sql, values, settings, tables)


def test_nothing_is_charged_for_what_is_too_large_around_a_question(tmp_path):
    with open_room(make_folder(tmp_path / "clinic"), catalogue=Narrow()) as room:
        client = room.client(options="-c tacit.epsilon=1")
        text = "SELECT STRING_AGG(ward, ',') FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) x"
        said = client.ask(text)
        assert [fields_of(body)["C"] for kind, body in said if kind == "E"] == ["54000"]
        assert room.charges() == 0


@pytest.mark.parametrize(
    "text",
    [
        "SELECT generate_series(1, 100000000) FROM ({q}) y",
        'SELECT pg_catalog."generate_series"(1, n) FROM ({q}) y',
        "SELECT n FROM ({q}) y, UNNEST(ARRAY[1, 2]) z",
        "WITH RECURSIVE a AS ({q}), b AS (SELECT 1) SELECT * FROM a, md5('b') c",
    ],
)
def test_rows_are_not_made_around_a_question(room, text):
    client = room.client(options="-c tacit.epsilon=1")
    said = client.ask(text.format(q="SELECT COUNT(*) AS n FROM visits WHERE cost > 14"))
    assert "E" in [kind for kind, _ in said]
    assert room.charges() == 0


def told(**given):
    base = {"free": False, "share": 0.1, "left": 1.0, "own": None, "affordable": True, "groups": 1}
    return SimpleNamespace(**{**base, **given})


def asked(*texts, divided=True, epsilon=Fraction(1)):
    return [
        (f"t{n}", None, Question(text, epsilon=epsilon), divided) for n, text in enumerate(texts)
    ]


def explain_with(known):
    async def explain(question):
        return told(free=(question.sql, question.epsilon) in known)

    return explain


@pytest.mark.parametrize(
    ("known", "prices"),
    [
        (set(), ["1/3", "1/3", "1/3"]),
        ({("b", Fraction(1))}, ["1/2", "1", "1/2"]),
        ({(name, Fraction(1, 3)) for name in "abc"}, ["1/3", "1/3", "1/3"]),
        ({("a", Fraction(1)), ("b", Fraction(1)), ("c", Fraction(1, 2))}, ["1", "1", "1/2"]),
    ],
)
def test_a_price_is_divided_among_what_is_not_known(known, prices):
    parts = asyncio.run(divide(asked(*"abc"), explain_with(known)))
    assert [str(part.question.epsilon) for part in parts] == prices
    paid = [part.question.epsilon for part in parts if not part.told.free]
    assert sum(paid) <= 1


def test_the_same_question_twice_is_one_and_a_price_of_its_own_is_not_divided():
    parts = asyncio.run(divide(asked("a", "a"), explain_with(set())))
    assert [part.question.epsilon for part in parts] == [1, 1]
    parts = asyncio.run(divide(asked("a", "b", divided=False), explain_with(set())))
    assert [part.question.epsilon for part in parts] == [1, 1]


def part(name, **given):
    return Part(name, None, Question(name, epsilon=Fraction(1)), told(**given))


def test_a_sum_that_does_not_fit_is_refused(room):
    ana = who(room.desk, "ana")
    refuse_sum(ana, [part("a", left=0.2), part("b", left=0.2)], 0.0)
    refuse_sum(ana, [part("a", share=9.0, free=True)], 0.0)
    with pytest.raises(LimitExceeded):
        refuse_sum(ana, [part("a", left=0.19), part("b", left=0.19)], 0.0)
    with pytest.raises(LimitExceeded, match="'ana'"):
        refuse_sum(ana, [part("a", own=(0.5, 0.9)), part("b", own=(0.5, 0.9))], 0.0)
    with pytest.raises(LimitExceeded):
        refuse_sum(ana, [part("a", affordable=False)], 0.0)
    frugal = replace(ana, allowance=0.25)
    refuse_sum(frugal, [part("a"), part("b")], 0.0)
    with pytest.raises(AllowanceExceeded):
        refuse_sum(frugal, [part("a"), part("b")], 0.1)


def test_rows_that_stand_for_an_answer_differ_and_have_its_types():
    fields = [Field("x", oid) for oid in (BOOL, INT8, FLOAT8, DATE, TIMESTAMP, TEXT)]
    made = stand_in(fields, 3)
    assert len(made.rows) == len(set(made.rows)) == 3
    assert [type(cell).__name__ for cell in made.rows[0]] == [
        *("bool", "int", "float", "date", "datetime", "str")
    ]
    assert len(stand_in(fields, 0).rows) == 1
    assert len(stand_in(fields, 10**9).rows) == 200
