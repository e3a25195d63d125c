"""What it costs to learn which group is first: by private selection, and by sorting all released numbers."""

from random import Random

import numpy as np
from report import Requirement, Result, Table, ratio, shown

import tacit
from tacit.curator import Vault
from tacit.curator.asked import Asked, price_plan
from tacit.plan import read_sql

CANDIDATES, ROWS, PEOPLE, TIMES = 1000, 10, 20_000, 500
GROUPS = [f"K{place:03}" for place in range(CANDIDATES)]
TEXT = "SELECT k FROM t GROUP BY k ORDER BY COUNT(DISTINCT person) DESC LIMIT 1"
EPSILON, WANTED, STEP = 0.1, 10, 1.1


def vault_of(delta: float) -> Vault:
    """People with ten rows each, in ten groups of a thousand; the first groups are a little larger."""
    dice = Random(1)
    sizes = [2 * CANDIDATES - place for place in range(CANDIDATES)]
    rows = [
        {"person": person, "k": group}
        for person in range(PEOPLE)
        for group in dict.fromkeys(dice.choices(GROUPS, sizes, k=ROWS))
    ]
    columns = {"k": GROUPS}
    return tacit.protect(
        rows, unit="person", contributions=ROWS, columns=columns, epsilon=3, delta=delta, name="t"
    )


def price(vault: Vault, epsilon: float) -> Asked:
    """The question at a price."""
    tables = {"t": vault.policy.tables["t"].asked_table}
    return price_plan(vault._access, read_sql(TEXT, tables), epsilon=epsilon)


def behind_by_choice(asked: Asked, scores: np.ndarray) -> float:
    """How far the chosen group is behind the first, on average, in people."""
    terms = asked.selection
    assert terms is not None, "a thousand groups are chosen from"
    chosen = terms.mechanism.release(scores, TIMES)[:, 0]
    return float((scores.max() - scores[chosen]).mean() * terms.worth)


def behind_by_sorting(asked: Asked, scores: np.ndarray) -> float:
    """The same for the largest of all noisy numbers."""
    noise = asked.terms.mechanisms[0]
    steps = np.array(asked.terms.round_to_grid(0, scores.tolist()), dtype=object)
    first = [int(np.argmax(noise.release(steps))) for _ in range(TIMES)]
    return float((scores.max() - scores[first]).mean()) / (1 << asked.terms.weights.bits)


def run() -> Result:
    """Errors at one price, and the factor on the price at which sorting is as accurate."""
    lines, margins = [], {}
    for currency, delta in (("epsilon", 0.0), ("rho", 1e-6)):
        vault = vault_of(delta)
        asked = price(vault, EPSILON)
        terms = asked.selection
        assert terms is not None, "a thousand groups are chosen from"
        engine = vault._access.engine_of(asked.tables)
        scores = np.array(engine.evaluate(terms.top.question, terms.weights)[:, 0], dtype=np.int64)
        chosen, epsilon = behind_by_choice(asked, scores), EPSILON
        before = factor = 1.0
        sorted_behind = first = behind_by_sorting(asked, scores)
        while sorted_behind > chosen:
            epsilon *= STEP
            more = price(vault, epsilon)
            before, factor = factor, float(more.terms.amount / asked.terms.amount)
            sorted_behind = behind_by_sorting(more, scores)
        lines.append((currency, shown(chosen), shown(first), f"{before:.3g} to {factor:.3g}"))
        margins[currency] = ratio(before, WANTED)
    title = f"Behind the first of {CANDIDATES:,} groups on average, in people; {ROWS} rows a person"
    heads = ("price in", "chosen", "sorted at the same price", "sorted is as accurate at × price")
    return Result(
        "Which group is first",
        [Table(title, heads, lines)],
        [Requirement("a choice costs at most a tenth of sorting as accurately", margins)],
    )


if __name__ == "__main__":
    print(run())
