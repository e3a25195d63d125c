"""What it costs to learn which group is first: by private selection, and by sorting all released numbers.

Errors are expectations under the mechanisms' laws, not averages of draws: a ratio near its requirement is not left to
chance.  Noise of millions of steps is integrated as if it were continuous.
"""

from math import erfc
from random import Random

import numpy as np
from report import Requirement, Result, Table, ratio, shown

import tacit
from tacit.curator import Vault
from tacit.curator.priced_question import Asked, price_plan
from tacit.mechanisms import Gaussian
from tacit.plan import read_sql

CANDIDATES, ROWS, PEOPLE = 1000, 10, 20_000
GROUPS = [f"K{place:03}" for place in range(CANDIDATES)]
TEXT = "SELECT k FROM t GROUP BY k ORDER BY COUNT(DISTINCT person) DESC LIMIT 1"
EPSILONS, WANTED, MOST, HALVINGS = (0.1, 0.2, 0.5), 10, 400.0, 30
NODES, FAR = 12, 40  # of each piece of an integral, and how many scales of noise it reaches


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
    """How far the chosen group is behind the first in expectation, in people."""
    terms = asked.selection
    assert terms is not None, "a thousand groups are chosen from"
    law = terms.mechanism.each.distribution(scores)
    return sum(
        float(law[place].mid()) * int(scores.max() - scores[place]) for place in law
    ) * float(terms.worth)


def behind_by_sorting(asked: Asked, scores: np.ndarray, factor: float = 1) -> float:
    """The same for the largest of all noisy numbers, at so many times the price."""
    noise, worth = asked.terms.mechanisms[0], float(asked.terms.worth(0))
    steps, counts = np.unique(scores, return_counts=True)
    steps = steps / (1 << asked.terms.weights.bits)
    if isinstance(noise, Gaussian):
        scale = float(noise.sigma) * worth / factor**0.5
        density, below = _gaussian
    else:
        scale = float(noise.scale) * worth / factor
        density, below = _laplace
    places, widths = _pieces(steps, scale)
    away = (places[:, None] - steps) / scale
    log_below = np.log(np.maximum(below(away), 1e-300))
    others = np.exp((log_below * counts).sum(axis=1)[:, None] - log_below)
    chances = (widths[:, None] * density(away) / scale * others).sum(axis=0) * counts
    assert abs(chances.sum() - 1) < 1e-9, "some group is first"
    return float((chances * (steps.max() - steps)).sum())


def _laplace_density(away: np.ndarray) -> np.ndarray:
    return np.exp(-abs(away)) / 2


def _laplace_below(away: np.ndarray) -> np.ndarray:
    tail = np.exp(-abs(away)) / 2
    return np.where(away < 0, tail, 1 - tail)


def _gaussian_density(away: np.ndarray) -> np.ndarray:
    return np.exp(-(away**2) / 2) / np.sqrt(2 * np.pi)


def _gaussian_below(away: np.ndarray) -> np.ndarray:
    tails = [erfc(-each / 2**0.5) / 2 for each in away.ravel().tolist()]
    return np.array(tails).reshape(away.shape)


_laplace = _laplace_density, _laplace_below
_gaussian = _gaussian_density, _gaussian_below


def _pieces(steps: np.ndarray, scale: float) -> tuple[np.ndarray, np.ndarray]:
    """Places and weights of an integral over all numbers, whose integrand may have a kink at each step."""
    outside = scale * np.arange(1, FAR + 1)
    edges = [steps[0] - outside[::-1], steps, steps[-1] + outside]
    inside = np.arange(steps[0], steps[-1], scale / 2)
    edges = np.unique(np.concatenate([*edges, inside]))
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    middle, half = (edges[1:] + edges[:-1]) / 2, (edges[1:] - edges[:-1]) / 2
    places = middle[:, None] + half[:, None] * nodes
    return places.ravel(), (half[:, None] * weights).ravel()


def factor_of_sorting(asked: Asked, chosen: float, scores: np.ndarray) -> float:
    """The factor on the price at which sorting is behind as far as a choice is, by bisection: no more than it."""
    low, high = 1.0, MOST
    for _ in range(HALVINGS):
        middle = (low * high) ** 0.5
        is_behind = behind_by_sorting(asked, scores, middle) > chosen
        low, high = (middle, high) if is_behind else (low, middle)
    return low


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
            factor = factor_of_sorting(asked, chosen, scores)
            first = behind_by_sorting(asked, scores)
            lines.append((currency, f"{epsilon:g}", shown(chosen), shown(first), f"{factor:.4g}"))
            margins[f"{currency} {epsilon}"] = ratio(factor, WANTED)
    title = (
        f"Behind the first of {CANDIDATES:,} groups in expectation, in people; {ROWS} rows a person"
    )
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
