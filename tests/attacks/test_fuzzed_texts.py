"""Whatever is typed at a vault: nothing crashes, nothing of the data is said, and what is refused reads no data."""

import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import date, datetime
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import tacit
from tacit.curator import Vault
from tacit.engines import DuckDB
from tacit.errors import InvalidPlan, TacitError
from tacit.mechanisms import Laplace
from tacit.plan import Plan, Table, as_tree, canonical, fingerprint, in_words, read_sql
from tests.laws import clinic
from tests.laws.matrix import FUNCTIONS, KINDS, LITERALS, Argument
from tests.laws.test_statements import STATEMENTS as ASKED_OF_A_CLINIC
from tests.unit.plan.cases import VISITS
from tests.unit.plan.test_fuzz import STATEMENTS, gently, mutated

TABLES = {"visits": VISITS}
CANARIES = ("canary", "91827364", "4321.0987", "1987-06-05", "1234567")
"""Parts of what the rows hold, as they would be printed; no text holds them."""
RECORDS = [
    {
        "patient": 9182736400 + n,
        "ward": "canary-ward" if n % 4 == 3 else "ABC"[n % 3],
        "sex": "fm"[n % 2],
        "name": f"canary-{n}",
        "age": 1234567,
        "change": -1234567,
        "cost": 4321.0987,
        "drift": -1234567.5,
        "stay": 1234567,
        "weight": 4321.0987,
        "serial": 1234567 + n,
        "day": date(1987, 6, 5),
        "seen": datetime(1987, 6, 5, 4, 3, 2),  # noqa: DTZ001 -- columns without a zone hold UTC
        "smoker": n % 2 == 0,
        "Mixed Case": 1234567,
    }
    for n in range(20)
]


@contextmanager
def watched_engine() -> Iterator[list[str]]:
    """Every call of the engine, by name; releases are constant."""
    calls: list[str] = []
    evaluate, dry_run = DuckDB.evaluate, DuckDB.dry_run

    def looked(*arguments: Any) -> Any:
        calls.append("evaluate")
        return evaluate(*arguments)

    def tried(*arguments: Any) -> Any:
        calls.append("dry_run")
        return dry_run(*arguments)

    def release(_: object, value: Any, times: int | None = None) -> Any:
        return np.arange(len(value))

    with (
        patch.object(DuckDB, "evaluate", looked),
        patch.object(DuckDB, "dry_run", tried),
        patch.object(Laplace, "release", release),
    ):
        yield calls


@pytest.fixture(scope="module")
def vault() -> Vault:
    columns = {column.name: column for column in VISITS.columns}
    return tacit.protect(
        RECORDS, unit="patient", contributions=5, columns=columns, epsilon=10**6, name="visits"
    )


# ---------------------------------------------------------------- texts

NAMES = {
    letter: [
        f'"{column.name}"' if " " in column.name else column.name
        for column in VISITS.columns
        if column.kind is kind
    ]
    for letter, kind in KINDS.items()
}
GIVING = {
    letter: [
        (function, kinds)
        for function in FUNCTIONS
        for kinds in function.takes.split()
        if function.result(kinds) == letter
    ]
    for letter in KINDS
}
AGGREGATES = ("COUNT(*)", "COUNT({0})", "SUM({0})", "AVG({0})", "COUNT(DISTINCT patient)")


def expression(dice: random.Random, kind: str, depth: int) -> str:
    """An expression, mostly of the kind."""
    if dice.random() < 0.04:
        kind = dice.choice(list(KINDS))
    if depth == 0 or dice.random() < 0.3:
        return dice.choice(NAMES[kind]) if dice.random() < 0.7 else dice.choice(LITERALS[kind])
    function, kinds = dice.choice(GIVING[kind])
    inside = [Argument(f"({expression(dice, each, depth - 1)})", each) for each in kinds]
    return function.text.format(*inside)


def released(dice: random.Random, depth: int) -> str:
    """A number or a condition over the release."""
    if depth and dice.random() < 0.4:
        return f"{released(dice, depth - 1)} {dice.choice(['+', '-', '*', '/', '%', '>', '='])} {released(dice, 0)}"
    return dice.choice(AGGREGATES).format(expression(dice, dice.choice("in"), dice.randint(0, 2)))


def written(dice: random.Random) -> str:
    """A statement by the grammar."""
    keys = dice.sample(["ward", "sex", "smoker"], dice.choice([0, 0, 1, 2]))
    columns = [*keys, *(f"{released(dice, 1)} AS x{i}" for i in range(dice.randint(1, 3)))]
    text = f"SELECT {', '.join(columns)} FROM visits"
    if dice.random() < 0.6:
        text += f" WHERE {expression(dice, 'b', dice.randint(1, 3))}"
    if keys:
        text += f" GROUP BY {', '.join(keys)}"
    if dice.random() < 0.2:
        text += f" HAVING {released(dice, 1)} > {dice.randint(-3, 9)}"
    if dice.random() < 0.2:
        text += f" ORDER BY {dice.choice([*keys, 'x0', '1', released(dice, 0)])}{dice.choice(['', ' DESC'])}"
    if dice.random() < 0.1:
        text += f" LIMIT {dice.randint(0, 9)}"
    return text


def torn(text: str, dice: random.Random) -> str:
    """A text with some of its bytes changed, whatever characters that makes."""
    letters = bytearray(text.encode("utf-8", "surrogatepass"))
    for _ in range(dice.randint(1, 5)):
        place = dice.randrange(len(letters) + 1)
        match dice.randrange(4):
            case 0 if place < len(letters):
                letters[place] = dice.randrange(256)
            case 1:
                letters[place:place] = bytes(
                    dice.choices(b"()'\"-*/;,.%_\\\0\n \xc3\xa9", k=dice.randint(1, 3))
                )
            case 2:
                del letters[place : place + dice.randint(1, 6)]
            case _:
                letters[place:place] = letters[place : place + 12] * dice.choice([1, 3, 40])
    return letters.decode(
        dice.choice(["utf-8", "latin-1"]), dice.choice(["replace", "ignore", "surrogateescape"])
    )


def spliced(one: str, other: str, dice: random.Random) -> str:
    """The beginning of a text and the end of another."""
    return (
        one[: dice.randrange(len(one) + 1)]
        + dice.choice(["", " ", ";", "--", "/*", "*/", "'"])
        + other[dice.randrange(len(other) + 1) :]
    )


AROUND = [
    *(
        ("(", ")"),
        ("NOT (", ")"),
        ("- ", ""),
        ("NOT ", ""),
        ("-(", ")"),
        ("CASE WHEN smoker THEN ", " END"),
    ),
    *(
        ("CAST(", " AS BIGINT)"),
        ("age + ", ""),
        ("age IN (", ")"),
        ("COUNT(", ")"),
        ("SELECT (", ")"),
    ),
    *(
        ("'", "'"),
        ("/*", "*/"),
        ("age = ", ""),
        ("age IN (1,", ")"),
        ('"', '"'),
        ("age BETWEEN 1 AND ", ""),
    ),
]


def nested(dice: random.Random) -> str:
    """A text that is deep or long."""
    opening, closing = dice.choice(AROUND)
    depth = dice.choice([3, 20, 24, 25, 26, 60, 300, 900])
    rest = dice.choice(["", "> 3", "IS NULL", ")"])
    return f"SELECT COUNT(*) FROM visits WHERE {opening * depth}age{closing * depth} {rest}"


def typed(dice: random.Random) -> str:
    """Some text."""
    match dice.randrange(20):
        case 0 | 1 | 2 | 3 | 4 | 5 | 6:
            return written(dice)
        case 7 | 8 | 9:
            return str(gently(dice.choice(STATEMENTS), dice))
        case 10 | 11 | 12 | 13:
            return str(mutated(dice.choice(STATEMENTS), dice))
        case 14 | 15 | 16:
            return torn(dice.choice([dice.choice(STATEMENTS), written(dice)]), dice)
        case 17 | 18:
            return spliced(dice.choice(STATEMENTS), written(dice), dice)
        case _:
            return nested(dice)


# ---------------------------------------------------------------- what is seen


def read(text: str, tables: Mapping[str, Table], *, finding: bool = True) -> Plan | InvalidPlan:
    """The plan of a text, or why there is none; nothing else may be raised."""
    try:
        return read_sql(text, tables, finding=finding)
    except InvalidPlan as refusal:
        return refusal


def check(text: str, vault: Vault, calls: list[str], *, ask: bool) -> bool:
    """Type a text at a vault; whether it was accepted."""
    plan = check_read(text, TABLES)
    if ask:
        check_asked(text, plan, vault, calls)
    return isinstance(plan, Plan)


def check_read(text: str, tables: Mapping[str, Table]) -> Plan | InvalidPlan:
    """The plan of a text, in one normal form; or a refusal that says why, what to do and where, and nothing else."""
    plan = read(text, tables)
    if isinstance(plan, InvalidPlan):
        assert plan.reason
        assert plan.remedy
        assert 0 <= plan.start <= plan.end <= len(plan.text)
        check_silent(text, str(plan), repr(plan.args), plan.reason, plan.remedy)
    else:
        normal = canonical(plan)
        assert canonical(normal) == normal
        if len(text) % 4 == 0:
            assert read(f"\n{text}\n-- a comment", tables) == plan
    return plan


def check_asked(text: str, plan: Plan | InvalidPlan, vault: Vault, calls: list[str]) -> None:
    """Ask a vault, which refuses the same, without a look at anything."""
    calls.clear()
    spent = vault.budget.spent
    try:
        release = vault.sql(text, epsilon=1)
        said = [str(release), str(release.rows), repr(release.receipt), release._repr_html_()]
    except TacitError as refusal:
        said = [str(refusal), repr(refusal.args)]
        assert "evaluate" not in calls
        assert vault.budget.spent == spent
    check_silent(text, *said)
    if isinstance(plan, InvalidPlan):
        assert said[0] == str(read(text, TABLES, finding=bool(vault.policy.limit.delta)))
        assert not calls
    else:
        check_silent(text, in_words(plan), as_tree(plan))
        assert fingerprint(canonical(plan).question) == fingerprint(plan.question)


def check_silent(text: str, *said: str) -> None:
    """Nothing that is said holds a part of a row that the text did not hold."""
    for canary in CANARIES:
        assert canary not in text
        assert not any(canary in each for each in said), (canary, text)


def check_many(seed: int, texts: int, vault: Vault) -> None:
    dice = random.Random(seed)
    accepted = 0
    with watched_engine() as calls:
        for number in range(texts):
            text = typed(dice)
            if not any(canary in text for canary in CANARIES):
                accepted += check(text, vault, calls, ask=number % 50 == 0)
    assert accepted > texts / 20


def check_clinic(seed: int, texts: int) -> None:
    """Read texts about several tables: joins, questions inside, windows, what a unit's rows add up to."""
    dice, accepted = random.Random(seed), 0
    for _ in range(texts):
        _, statement = dice.choice(ASKED_OF_A_CLINIC)
        change = dice.choice((gently, mutated, mutated, cut))
        accepted += isinstance(check_read(change(statement, dice), clinic.TABLES), Plan)
    assert accepted > texts / 50


def cut(statement: str, dice: random.Random) -> str:
    """A statement with some bytes exchanged, left out or repeated; what is no text any more is replaced."""
    letters = bytearray(statement.encode())
    for _ in range(dice.randint(1, 4)):
        place = dice.randrange(len(letters))
        letters[place : place + dice.randrange(3)] = bytes(
            dice.choices(range(256), k=dice.randrange(3))
        )
        if not letters:
            return ""
    return letters.decode("utf-8", "replace")


@pytest.mark.parametrize("seed", range(3))
def test_a_thousand_texts_crash_nothing_and_tell_nothing(seed, vault):
    check_many(seed, 1_000, vault)


@pytest.mark.parametrize("seed", range(3))
def test_a_thousand_texts_about_several_tables_crash_nothing_and_tell_nothing(seed):
    check_clinic(seed, 1_000)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 250))
def test_many_more_texts_crash_nothing_and_tell_nothing(seed, vault):
    check_many(seed, 1_000, vault)
    check_clinic(seed, 1_000)


@pytest.mark.parametrize("joins", [7, 40])
def test_joins_that_wait_for_their_conditions_are_refused_before_they_take_long(vault, joins):
    chain = " JOIN loose" * joins
    with pytest.raises(InvalidPlan, match="joins have no condition yet"):
        vault.sql(f"SELECT COUNT(*) FROM visits{chain} ON visits.age = loose.x", epsilon=1)
