"""Our synthetic tables and marginals, measured on the tables of `coded`."""

from itertools import combinations
from time import process_time
from typing import Any

import numpy as np
from coded import DELTA, SEEDS, Codes, independent, k_marginal, mean_distance, tables
from timing import emit

import tacit
from tacit.curator import Vault

EPSILONS = ("0.03", "0.1", "1", "10")


def vault_of(codes: Codes, epsilon: float, delta: float = DELTA) -> Vault:
    """A vault whose whole limit one release may spend: numbers have a range, the others a list of texts."""
    columns: dict[str, Any] = {}
    cells: dict[str, Any] = {}
    described = zip(codes.names, codes.sizes, codes.ordered, codes.rows.T, strict=True)
    for name, size, ordered, values in described:
        if ordered:
            columns[name] = {"type": "integer", "low": 0, "high": size - 1, "nullable": False}
            cells[name] = values
        else:
            words = [f"v{code}" for code in range(size)]
            columns[name] = {"type": "text", "values": words, "nullable": False}
            cells[name] = np.array(words, dtype=object)[values]
    import pandas as pd

    return tacit.protect(
        pd.DataFrame(cells), unit="row", columns=columns, epsilon=epsilon, delta=delta
    )


def decoded(synthetic: Any, codes: Codes) -> Any:
    """Synthetic rows as codes again."""
    found = synthetic.columns_of()
    columns = [
        [int(value[1:]) if isinstance(value, str) else value for value in found[name]]
        for name in codes.names
    ]
    return np.array(columns).T


def synthetic() -> None:
    """Distances, estimates, scores and seconds of synthetic tables, and of marginals."""
    for name, codes in tables().items():
        shuffled = independent(codes.rows, np.random.default_rng(0))
        for epsilon in EPSILONS:
            case = f"{name}, {epsilon}"
            found: list[dict[str, float]] = [
                one_table(name, codes, float(epsilon)) for _ in range(SEEDS)
            ]
            emit(
                "tacit",
                case,
                seeds=SEEDS,
                **{key: float(np.mean([each[key] for each in found])) for key in found[0]},
            )
            emit(
                "shuffled columns",
                case,
                pairs=mean_distance(codes.rows, shuffled, 2),
                triples=mean_distance(codes.rows, shuffled, 3),
            )
        if name == "Adult":
            marginals(name, codes)


def one_table(name: str, codes: Codes, epsilon: float) -> dict[str, float]:
    """The figures of one synthetic table."""
    vault = vault_of(codes, epsilon)
    start = process_time()
    made = vault.synthesize("data", epsilon=epsilon)
    rows = made.columns_of()
    seconds = process_time() - start
    assert rows
    table = decoded(made, codes)
    figures = {
        "pairs": mean_distance(codes.rows, table, 2),
        "triples": mean_distance(codes.rows, table, 3),
        "estimated": made.report().mean_error,
        "seconds": seconds,
    }
    return figures | ({"score": k_marginal(codes.rows, table)} if name == "NIST" else {})


def marginals(name: str, codes: Codes) -> None:
    """The error of all marginals of at most three columns at rho = 1/2, and how often intervals hold."""
    vault, epsilon = vault_of(codes, 20, 1e-6), 0.0
    rule = vault.policy.limit.filter()
    low, high = 0.0, 20.0
    for _ in range(50):  # the price whose rho is one half
        epsilon = (low + high) / 2
        low, high = (
            (epsilon, high) if float(rule.amount(rule.price_of(epsilon))) < 0.5 else (low, epsilon)
        )
    start = process_time()
    found = vault.marginals("data", ways=3, epsilon=epsilon, cells=128)
    seconds, square, inside, cells = process_time() - start, 0.0, 0, 0
    start = process_time()
    for size in (1, 2, 3):
        for columns in combinations(range(len(codes.names)), size):
            names = [codes.names[column] for column in columns]
            shape = [codes.sizes[column] for column in columns]
            places = np.ravel_multi_index([codes.rows[:, column] for column in columns], shape)
            exact = np.bincount(places, minlength=int(np.prod(shape))).reshape(shape)
            off = found.counts(names) - exact
            square += float((off**2).sum())
            inside += int((np.abs(off) <= found.error(names)).sum())
            cells += off.size
    emit(
        "tacit",
        f"{name}, marginals",
        error=(square / cells) ** 0.5,
        held=inside / cells,
        seconds=seconds,
    )
