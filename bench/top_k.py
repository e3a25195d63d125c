"""What it costs to learn which group is first: by private selection, and by sorting all released numbers."""

from random import Random

import numpy as np
from report import Requirement, Result, Table, ratio, shown

import tacit
from tacit.curator import Vault
from tacit.curator.asked import Asked, price_plan
from tacit.plan import read_sql

CANDIDATES, ROWS, PEOPLE, TIMES = 1000, 10, 20_000, 1500
GROUPS = [f"K{place:03}" for place in range(CANDIDATES)]
TEXT = "SELECT k FROM t GROUP BY k ORDER BY COUNT(DISTINCT person) DESC LIMIT 1"
EPSILONS, WANTED, MOST, HALVINGS = (0.1, 0.2, 0.5), 10, 40.0, 7


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


def factor_of_sorting(vault: Vault, epsilon: float, chosen: float, scores: np.ndarray) -> float:
    """The factor on the price at which sorting is behind as far as a choice is, by bisection."""
    paid, low, high = price(vault, epsilon).terms.amount, 1.0, MOST
    for _ in range(HALVINGS):
        middle = (low * high) ** 0.5
        more = price(vault, epsilon * middle)
        low, high = (middle, high) if behind_by_sorting(more, scores) > chosen else (low, middle)
    return float(price(vault, epsilon * low).terms.amount / paid)


def run() -> Result:
    """Errors at three prices, and the factor on each at which sorting is as accurate."""
    lines, margins = [], {}
    for currency, delta in (("epsilon", 0.0), ("rho", 1e-6)):
        vault = vault_of(delta)
        asked = price(vault, EPSILONS[0])
        engine = vault._access.engine_of(asked.tables)
        terms = asked.selection
        assert terms is not None, "a thousand groups are chosen from"
        scores = np.array(engine.evaluate(terms.top.question, terms.weights)[:, 0], dtype=np.int64)
        for epsilon in EPSILONS:
            asked = price(vault, epsilon)
            chosen = behind_by_choice(asked, scores)
            factor = factor_of_sorting(vault, epsilon, chosen, scores)
            first = behind_by_sorting(asked, scores)
            lines.append((currency, f"{epsilon:g}", shown(chosen), shown(first), f"{factor:.3g}"))
            margins[f"{currency} {epsilon}"] = ratio(factor, WANTED)
    title = f"Behind the first of {CANDIDATES:,} groups on average, in people; {ROWS} rows a person"
    heads = (
        "price in",
        "epsilon",
        "chosen",
        "sorted at the same price",
        "sorted is as accurate at × price",
    )
    return Result(
        "Which group is first",
        [Table(title, heads, lines)],
        [Requirement("a choice costs at most a tenth of sorting as accurately", margins)],
    )


if __name__ == "__main__":
    print(run())
