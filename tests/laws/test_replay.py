"""The same question has the same answer and one charge, however it is spelled; another question is another charge."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

import tacit
from tacit.curator import Vault
from tacit.errors import LimitExceeded
from tests.laws.sampled import few

ROWS = [
    {
        "patient": n % 40,
        "ward": "ABC"[n % 3],
        "cost": float(n % 50),
        "age": n % 100,
        "note": "x" * (n % 3),
    }
    for n in range(400)
]
COLUMNS: dict[str, Any] = {
    "ward": ["A", "B", "C"],
    "cost": (0, 500),
    "age": {"type": "integer", "low": 0, "high": 120},
    "note": "text",
}


def clinic(epsilon: float = 3, delta: float = 1e-6) -> Vault:
    return tacit.protect(
        ROWS,
        unit="patient",
        contributions=10,
        columns=COLUMNS,
        epsilon=epsilon,
        delta=delta,
        name="visits",
    )


def charges(vault: Vault) -> int:
    return sum(1 for _ in vault.ledger.entries())


def _case(rng: random.Random, word: str) -> str:
    return rng.choice([word, word.lower(), word.title(), word.upper()])


def _name(rng: random.Random, name: str) -> str:
    return rng.choice([name, f'"{name}"', f"visits.{name}", f'visits."{name}"'])


def _comparison(rng: random.Random, left: str, operator: str, right: str) -> str:
    mirrored = {">=": "<=", "<": ">", "<=": ">=", ">": "<"}[operator]
    opposite = {">=": "<", "<": ">=", "<=": ">", ">": "<="}[operator]
    return rng.choice(
        [
            f"{left} {operator} {right}",
            f"{right} {mirrored} {left}",
            f"NOT {left} {opposite} {right}",
            f"NOT ({right} {({'<': '>', '>=': '<=', '>': '<', '<=': '>='})[opposite]} {left})",
            f"({left} {operator} {right})",
        ]
    )


def _wards(rng: random.Random) -> str:
    named = ["'A'", "'B'"]
    rng.shuffle(named)
    repeated = [*named, rng.choice(named)] if rng.random() < 0.3 else named
    ward = _name(rng, "ward")
    return f"{ward} {_case(rng, 'IN')} ({', '.join(repeated)})"


def spelled(rng: random.Random) -> str:
    """One way to ask for the number of rows and the mean cost of two wards' old patients."""
    count, mean = f"{_case(rng, 'COUNT')}(*)", f"{_case(rng, 'AVG')}({_name(rng, 'cost')})"
    aliases = rng.sample(
        ["n", "many", "how_many", '"How many"', "mean", "average", '"AVG cost"', "x"], 2
    )
    columns = [
        _name(rng, "ward"),
        f"{count} {_case(rng, 'AS')} {aliases[0]}",
        f"{mean} {_case(rng, 'AS')} {aliases[1]}",
    ]
    rng.shuffle(columns)
    conditions = [
        _comparison(rng, _name(rng, "age"), ">=", rng.choice(["65", "65.0", "6.5e1", "065"])),
        _comparison(rng, _name(rng, "cost"), "<", rng.choice(["100", "100.00", "1e2"])),
        _wards(rng),
    ]
    rng.shuffle(conditions)
    joined = f" {_case(rng, 'AND')} ".join(conditions)
    if rng.random() < 0.3:
        joined = f"({conditions[0]}) {_case(rng, 'AND')} ({conditions[1]} {_case(rng, 'AND')} {conditions[2]})"
    tail = rng.choice(
        [
            "",
            f" ORDER BY {aliases[0]} DESC",
            f" HAVING {count} > 3",
            " LIMIT 2",
            " ORDER BY ward LIMIT 1",
        ]
    )
    table = rng.choice(["visits", '"visits"'])
    text = (
        f"{_case(rng, 'SELECT')} {', '.join(columns)} {_case(rng, 'FROM')} {table} "
        f"{_case(rng, 'WHERE')} {joined} {_case(rng, 'GROUP')} {_case(rng, 'BY')} {_name(rng, 'ward')}{tail}"
    )
    return _spaced(rng, text) + rng.choice(["", ";", " ;\n"])


def _spaced(rng: random.Random, text: str) -> str:
    """The text with other white space, outside quotation marks."""
    parts = text.split('"')
    spaces = rng.choice([" ", "  ", "\n", "\t", " \n  "])
    return '"'.join(
        part.replace(" ", spaces) if place % 2 == 0 else part for place, part in enumerate(parts)
    )


def _spellings(count: int) -> Iterator[str]:
    rng, seen = random.Random(20_26), set[str]()
    while len(seen) < count:
        text = spelled(rng)
        if text not in seen:
            seen.add(text)
            yield text


@pytest.mark.drawn
def test_all_spellings_are_one_question_with_one_charge_and_the_same_noisy_integers() -> None:
    vault, answers, first = clinic(), set[str](), None
    for text in _spellings(few(300, 3_000)):
        answer = vault.sql(text, epsilon=0.3)
        answers.add(answer.receipt["answer"])
        assert answer.price.free is (first is not None)
        first = first or answer
    assert charges(vault) == 1
    assert len(answers) == 1


ASKED = "SELECT ward, COUNT(*) AS n, AVG(cost) AS mean FROM visits"
BASE = f"{ASKED} WHERE age >= 65 AND cost < 100 GROUP BY ward"
BOTH = "FROM visits WHERE age >= 65 AND cost < 100"
CASE = "CASE WHEN cost < 50 THEN cost ELSE 0 END"
NEAR_MISSES = [
    f"{ASKED} WHERE age > 65 AND cost < 100 GROUP BY ward",
    f"{ASKED} WHERE age >= 66 AND cost < 100 GROUP BY ward",
    f"{ASKED} WHERE age >= 65 OR cost < 100 GROUP BY ward",
    f"{ASKED} WHERE age >= 65 AND cost <= 100 GROUP BY ward",
    f"{ASKED} WHERE age >= 65 AND cost < 100.5 GROUP BY ward",
    f"{ASKED} WHERE age >= 65 GROUP BY ward",
    f"{ASKED} WHERE cost < 100 GROUP BY ward",
    f"{ASKED} WHERE cost >= 65 AND age < 100 GROUP BY ward",
    f"{ASKED} WHERE NOT age >= 65 AND cost < 100 GROUP BY ward",
    f"{ASKED} WHERE age >= 65 AND cost < 100 AND note LIKE 'x%' GROUP BY ward",
    f"{ASKED} WHERE age >= 65 AND cost < 100 AND note IS NULL GROUP BY ward",
    f"{ASKED} WHERE age >= 65 AND cost < 100 AND ward = 'A' GROUP BY ward",
    f"SELECT ward, COUNT(*) AS n, AVG(age) AS mean {BOTH} GROUP BY ward",
    f"SELECT ward, COUNT(*) AS n, SUM(cost) AS mean {BOTH} GROUP BY ward",
    f"SELECT ward, COUNT(*) AS n, AVG(cost + 1) AS mean {BOTH} GROUP BY ward",
    f"SELECT ward, COUNT(*) AS n, AVG(cost * 2) AS mean {BOTH} GROUP BY ward",
    f"SELECT ward, COUNT(DISTINCT patient) AS n {BOTH} GROUP BY ward",
    f"SELECT COUNT(*) AS n, AVG(cost) AS mean {BOTH}",
    f"SELECT ward, COUNT(note) AS n, AVG(cost) AS mean {BOTH} GROUP BY ward",
    f"SELECT ward, COUNT(*) AS n, AVG({CASE}) AS mean {BOTH} GROUP BY ward",
]


def test_twenty_near_misses_are_charged() -> None:
    vault = clinic()
    vault.sql(BASE, epsilon=0.1)
    for count, text in enumerate(NEAR_MISSES, start=2):
        assert not vault.sql(text, epsilon=0.1).price.free, text
        assert charges(vault) == count, text


DERIVABLE = [
    "SELECT ward, SUM(cost) / COUNT(cost) AS share, SUM(cost) AS s FROM visits GROUP BY ward",
    "SELECT ward, AVG(cost) AS mean FROM visits GROUP BY ward",
    "SELECT ward, SUM(cost) AS s, COUNT(cost) AS renamed FROM visits GROUP BY ward ORDER BY renamed LIMIT 1",
    "SELECT ward, COUNT(cost) AS n FROM visits GROUP BY ward HAVING SUM(cost) > 10",
    "SELECT ward, 2 * SUM(cost) AS twice, COUNT(cost) AS n FROM visits GROUP BY ward ORDER BY twice DESC",
]


@pytest.mark.parametrize("text", DERIVABLE)
@pytest.mark.parametrize("delta", [0, 1e-6])
def test_what_an_earlier_answer_tells_is_free(text: str, delta: float) -> None:
    vault = clinic(delta=delta)
    paid = vault.sql(
        "SELECT ward, SUM(cost) AS s, COUNT(cost) AS n FROM visits GROUP BY ward", epsilon=1
    )
    told = vault.sql(text, epsilon=1)
    assert told.price.free
    assert told.receipt["answer"] == paid.receipt["answer"]
    assert charges(vault) == 1


def test_a_mean_from_a_sum_and_a_count_is_their_ratio() -> None:
    vault = clinic(epsilon=20)  # under which no count comes near zero
    both = vault.sql(
        "SELECT ward, SUM(cost) AS s, COUNT(cost) AS n FROM visits GROUP BY ward",
        epsilon=20,
        raw=True,
    )
    mean = vault.sql(
        "SELECT ward, AVG(cost) AS mean FROM visits GROUP BY ward", epsilon=20, raw=True
    )
    assert mean.column("mean") == pytest.approx(
        [s / n for s, n in zip(both.column("s"), both.column("n"), strict=True)]
    )


def test_a_sum_is_not_told_by_a_mean_and_a_count_of_other_rows_is_not_told() -> None:
    vault = clinic()
    vault.sql("SELECT ward, AVG(cost) AS mean FROM visits GROUP BY ward", epsilon=0.5)
    assert not vault.sql(
        "SELECT ward, SUM(cost) AS s FROM visits GROUP BY ward", epsilon=0.5
    ).price.free
    assert not vault.sql("SELECT COUNT(cost) AS n FROM visits", epsilon=0.5).price.free


def test_a_part_of_an_answer_is_free_only_where_it_is_as_accurate_as_its_price() -> None:
    vault = clinic()
    vault.sql("SELECT COUNT(*) AS n, SUM(cost) AS s, SUM(age) AS a FROM visits", epsilon=0.6)
    assert not vault.sql("SELECT COUNT(*) AS n FROM visits", epsilon=0.6).price.free
    assert vault.sql("SELECT SUM(age) AS a FROM visits", epsilon=0.3).price.free


def test_an_answer_that_was_paid_for_is_not_replaced_by_a_newer_one_that_also_tells_it() -> None:
    vault = clinic()
    question = "SELECT COUNT(*) AS n FROM visits"
    first = vault.sql(question, epsilon=0.4)
    vault.sql(
        "SELECT COUNT(*) AS n, SUM(cost) AS s, SUM(age) AS a, SUM(cost * cost) AS b FROM visits",
        epsilon=0.4,
    )
    again = vault.sql(question, epsilon=0.4)
    assert again.rows == first.rows
    assert vault.explain(question, epsilon=0.4).free


def test_a_higher_price_is_a_new_charge_and_a_lower_one_is_free() -> None:
    vault = clinic()
    question = "SELECT COUNT(*) AS n FROM visits"
    vault.sql(question, epsilon=0.5)
    assert vault.sql(question, epsilon=0.4).price.free
    assert not vault.sql(question, epsilon=0.6).price.free
    assert charges(vault) == 2


def test_an_accuracy_that_an_earlier_answer_has_is_free_and_a_better_one_is_not() -> None:
    vault = clinic()
    vault.sql("SELECT COUNT(*) AS n, SUM(cost) AS s FROM visits", epsilon=1)
    reach = max(
        vault.explain("SELECT COUNT(*) AS n, SUM(cost) AS s FROM visits", epsilon=1)
        .expected[0]
        .reach,
        1,
    )
    assert vault.sql("SELECT COUNT(*) AS n FROM visits", within=2 * reach).price.free
    assert not vault.sql("SELECT COUNT(*) AS n FROM visits", within=0.9 * reach).price.free


def test_a_refreshed_table_is_asked_anew() -> None:
    vault = clinic()
    question = "SELECT COUNT(*) AS n FROM visits"
    vault.sql(question, epsilon=0.5)
    vault.refresh("visits")
    assert not vault.sql(question, epsilon=0.5).price.free
    assert charges(vault) == 2


def test_explain_says_that_an_answer_is_free() -> None:
    vault = clinic()
    question = "SELECT COUNT(*) AS n FROM visits"
    assert not vault.explain(question, epsilon=0.5).free
    vault.sql(question, epsilon=0.5)
    assert vault.explain(question, epsilon=0.5).free
    assert not vault.explain(question, epsilon=0.6).free


def test_a_free_answer_is_had_when_nothing_is_left() -> None:
    vault = clinic(epsilon=1)
    question = "SELECT COUNT(*) AS n FROM visits"
    vault.sql(question, epsilon=1)
    with pytest.raises(LimitExceeded):
        vault.sql("SELECT COUNT(*) AS n FROM visits WHERE age > 3", epsilon=0.1)
    assert vault.sql(question, epsilon=1).price.free
