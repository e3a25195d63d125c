"""A failure is an answer: no question fails on the rows that somebody looks for, whoever made its plan."""

from dataclasses import replace

import pytest

import tacit
from tacit.errors import InvalidPlan, TacitError
from tacit.plan import (
    Arithmetic,
    Column,
    Compared,
    Counted,
    Field,
    Folded,
    Folding,
    Frame,
    Inner,
    Kind,
    Literal,
    MeasureOf,
    Plan,
    Question,
    Scan,
    Shown,
    View,
    Where,
)

LEAST, MOST = -(1 << 63), (1 << 63) - 1
SURE = {"type": "integer", "low": 0, "high": 120, "nullable": False}
COLUMNS = {
    "name": "text",
    "age": SURE,
    "free": "integer",
    "big": {"type": "integer", "low": 0, "high": 1 << 62},
}
CROWD = [
    {"p": i, "name": f"n{i}", "age": 20 + i % 60, "free": i, "big": 1 << 61} for i in range(60)
]
BOB = {"p": 900, "name": "Bob", "age": 40, "free": LEAST, "big": 1 << 62}
WORLDS = [[], [BOB], [{**BOB, "age": None}], [{**BOB, "age": None, "free": None, "big": None}]]


def opened(rows):
    return tacit.protect(
        CROWD + rows, unit="p", contributions=2, columns=COLUMNS, epsilon=100, delta=1e-6, name="t"
    )


def outcomes(ask):
    """How a question ends, and what it costs, in worlds that differ in one person."""
    found = set()
    for rows in WORLDS:
        vault = opened(rows)
        try:
            ask(vault)
            found.add(("answer", vault.budget.spent))
        except TacitError as error:
            found.add((type(error).__name__, vault.budget.spent))
    return found


SELECTED = "CASE WHEN name = 'Bob' THEN {} ELSE {} END"
QUESTIONS = [
    f"SELECT COUNT(*) AS c FROM t WHERE ({SELECTED.format(LEAST + 1, 5)} - 1) % (-1) = 0",
    "SELECT COUNT(*) AS c FROM t WHERE free % (age - 41) = 0",
    "SELECT MOD(free, age - 41) AS k, COUNT(*) AS c FROM t GROUP BY k",
    "SELECT free // (age - 41) AS k, COUNT(*) AS c FROM t GROUP BY k",
    "SELECT ABS(free) AS k, COUNT(*) AS c FROM t GROUP BY k",
    f"SELECT COUNT(*) AS c FROM t WHERE {SELECTED.format(f'COALESCE(age, {MOST})', 1)} + 9000000000000000000 > 0",
    f"SELECT COUNT(*) AS c FROM t WHERE {SELECTED.format(f'GREATEST(age, {LEAST + 1})', 1)} * 70000000000000000 > 0",
    f"SELECT COUNT(*) AS c FROM t WHERE {SELECTED.format(f'LEAST(age, {MOST})', 5)} + 1000 > 0",
    f"SELECT SUM(COALESCE(age, {MOST // 4})) AS s FROM t",
    "SELECT POWER(free, -1.5) AS k, COUNT(*) AS c FROM t GROUP BY k",
]


@pytest.mark.parametrize("text", QUESTIONS)
def test_how_a_question_ends_does_not_depend_on_whether_somebody_is_there(text):
    assert len(outcomes(lambda vault: vault.sql(text, epsilon=1e-3))) == 1


def of_ones_own(vault, question):
    return Plan(question, View((Shown("n", MeasureOf(0)),)))


def declared(vault):
    table = replace(vault.policy.tables["t"].table, contributions=2)
    return table, {column.name: Field(column) for column in table.columns}


def summed_beyond(vault):
    """A sum of a unit's rows, claimed to need more than 64 bits."""
    table, columns = declared(vault)
    total = Column("s", Kind.INTEGER, -(10**30), 10**30)
    rows = Where(Scan(table), Compared("=", columns["name"], Literal("Bob", Kind.TEXT)))
    return Question(
        Inner(rows, (), (Folded(total, Folding.SUM, columns["big"]),)), (), (Counted(Field(total)),)
    )


def overflowing(vault):
    table, columns = declared(vault)
    return Question(Scan(table), (), (Counted(Arithmetic("*", columns["big"], columns["big"])),))


def narrowed(vault):
    table, _ = declared(vault)
    narrow = Field(Column("free", Kind.INTEGER, 0, 1))
    return Question(Scan(table), (), (Counted(Arithmetic("*", narrow, narrow)),))


PLANS = [summed_beyond, overflowing, narrowed]


@pytest.mark.parametrize("question", PLANS)
def test_a_plan_of_ones_own_is_proved_like_any_other(question):
    ended = outcomes(lambda vault: vault.ask(of_ones_own(vault, question(vault)), epsilon=1e-3))
    assert ended == {("InvalidPlan", 0.0)}


class Pretended(Frame):
    """A frame that says of itself that it asks for another plan."""

    def __init__(self, plan):
        object.__setattr__(self, "made", plan)

    def plan(self):
        return self.made


@pytest.mark.parametrize("question", PLANS)
@pytest.mark.parametrize("door", ["explain", "audit"])
def test_free_doors_prove_what_they_are_given(question, door):
    vault = opened([])
    frame = Pretended(of_ones_own(vault, question(vault)))
    with pytest.raises(InvalidPlan):
        vault.explain(frame, epsilon=1) if door == "explain" else vault.audit(frame, pairs=2)


def test_a_proof_that_is_wrong_costs_a_value_and_no_failure(monkeypatch):
    """Were the table of what a plan may not hold empty of it, the engine would still not fail."""
    monkeypatch.setattr(
        "tacit.plan.semantics.infer_expression_types.refuse_partial", lambda *_: None
    )
    monkeypatch.setattr("tacit.plan.semantics.function_types.refuse_partial", lambda *_: None)
    for text in QUESTIONS:
        ended = {how for how, _ in outcomes(lambda vault, text=text: vault.sql(text, epsilon=1e-3))}
        assert ended in ({"answer"}, {"InvalidPlan"}, {"Unbounded"}), text
