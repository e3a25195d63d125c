"""Our synthetic tables where they are hard: against independent columns at every price, large, and as training data."""

import os
import resource
from time import process_time
from typing import Any

import numpy as np
from coded import DELTA, SEEDS, Codes, independent, mean_distance, more_tables, tables
from our_synthetic import decoded, vault_of
from timing import emit

import tacit
from tacit.synth import table_learning

EPSILONS = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
LABEL = "income>50K"


def never_worse() -> None:
    """Distances of pairs and triples at every price, of ours and of the same price spent on single columns alone."""
    for name, codes in more_tables().items():
        if name == "diabetes" and "TACIT_DIABETES" not in os.environ:
            continue
        for epsilon in EPSILONS:
            for who, low in (("independent", float("inf")), ("tacit", table_learning.LOW)):
                found = [_distances(codes, epsilon, low) for _ in range(SEEDS)]
                means = {key: float(np.mean([each[key] for each in found])) for key in found[0]}
                errors = {
                    f"{key} error": float(np.std([each[key] for each in found]) / len(found) ** 0.5)
                    for key in ("pairs", "triples")
                }
                emit(who, f"{name}, {epsilon:g}", **means, **errors)


def _distances(codes: Codes, epsilon: float, low: float) -> dict[str, float]:
    kept, table_learning.LOW = table_learning.LOW, low
    try:
        made = vault_of(codes, epsilon).synthesize("data", epsilon=epsilon)
    finally:
        table_learning.LOW = kept
    rows = decoded(made, codes)
    return {
        "pairs": mean_distance(codes.rows, rows, 2),
        "triples": mean_distance(codes.rows, rows, 3),
        "estimated": made.report().mean_error,
        "spent": float(bool(made._model.facts["scores"])),
    }


def mixed_rows(count: int, sizes: list[int], seed: int = 7) -> Any:
    """Rows of codes whose columns depend on each other by way of one of twenty classes."""
    draw = np.random.default_rng(seed)
    kind = draw.integers(0, 20, count)
    columns = []
    for size in sizes:
        centre = draw.integers(0, size, 20)
        wide = max(1.0, size / 8)
        own = np.abs(np.rint(centre[kind] + draw.normal(0, wide, count))).astype(int)
        columns.append(np.minimum(own, size - 1))
    return np.stack(columns, 1)


CASES: dict[str, tuple[int, list[int], int]] = {
    "100 columns, 100,000 rows": (100_000, [8] * 100, 1),
    "a column of 5,000 values, 100,000 rows": (100_000, [5_000, 20, 12, 8, 4, 2], 1),
    "14 columns, 1,000,000 rows": (
        1_000_000,
        [85, 9, 16, 16, 7, 15, 6, 5, 2, 100, 100, 99, 42, 2],
        1,
    ),
    "10 rows a person, 10,000 persons": (100_000, [60, 12, 8, 8, 4, 2], 10),
}


def scale(name: str) -> None:
    """Seconds, memory and errors of one large case, beside shuffled columns."""
    count, sizes, each = CASES[name]
    rows = mixed_rows(count, sizes)
    if each > 1:  # rows of a person are alike
        rows = rows[np.sort(np.random.default_rng(1).permutation(count))]
    names = tuple(f"c{place}" for place in range(len(sizes)))
    codes = Codes(rows, names, tuple(sizes), tuple(size > 20 for size in sizes))
    vault = vault_of(codes, 1.0) if each == 1 else _vault_of_persons(codes, each)
    start = process_time()
    made = vault.synthesize("data", epsilon=1)
    seconds = process_time() - start
    found = decoded(made, codes)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    emit("tacit", name, seconds=seconds, memory=memory, pairs=_some_pairs(rows, found))
    emit(
        "shuffled columns",
        name,
        pairs=_some_pairs(rows, independent(rows, np.random.default_rng(0))),
    )


def _vault_of_persons(codes: Codes, each: int) -> Any:
    import pandas as pd

    columns: dict[str, Any] = {
        name: {"type": "integer", "low": 0, "high": size - 1, "nullable": False}
        for name, size in zip(codes.names, codes.sizes, strict=True)
    }
    frame = pd.DataFrame(codes.rows, columns=list(codes.names))
    frame["person"] = np.arange(len(frame)) // each
    return tacit.protect(
        frame, unit="person", contributions=each, columns=columns, epsilon=1, delta=DELTA
    )


def _some_pairs(real: Any, made: Any) -> float:
    """The mean distance of a fixed choice of pairs of columns."""
    draw = np.random.RandomState(0)
    columns = draw.permutation(real.shape[1])[: min(real.shape[1], 12)]
    return mean_distance(real[:, columns], made[:, columns], 2)


def learn_from_rows() -> None:
    """How well income is predicted by what was learnt from synthetic rows, from private counts, and from real rows."""
    codes = tables()["Adult"]
    order = np.random.default_rng(3).permutation(len(codes.rows))
    train, test = codes.rows[order[:39_000]], codes.rows[order[39_000:]]
    at = codes.names.index(LABEL)
    emit("real rows", "logistic regression", **_score(_logistic(train, at, codes.sizes), test, at))
    some = Codes(train, codes.names, codes.sizes, codes.ordered)
    for epsilon in (0.1, 1.0, 10.0):
        made = decoded(vault_of(some, epsilon).synthesize("data", epsilon=epsilon), some)
        case = f"epsilon {epsilon:g}"
        emit("synthetic rows", case, **_score(_logistic(made, at, codes.sizes), test, at))
        emit("private counts", case, **_score(_bayes(some, at, epsilon), test, at))


def _one_hot(rows: Any, label: int, sizes: Any) -> Any:
    """A column for each value of each column but the label, numbers of many values in sixteen parts."""
    parts = [np.ones((len(rows), 1), np.float32)]
    for place, size in enumerate(sizes):
        if place != label:
            codes = rows[:, place] * min(size, 16) // size
            parts.append(np.eye(min(size, 16), dtype=np.float32)[codes])
    return np.concatenate(parts, axis=1)


def _logistic(rows: Any, label: int, sizes: Any) -> Any:
    """The scores that logistic regression gives to rows, by Newton's steps with a small ridge."""
    x, y = _one_hot(rows, label, sizes), rows[:, label].astype(float)
    weights = np.zeros(x.shape[1])
    for _ in range(12):
        likely = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        spread = x.T @ (x * (likely * (1 - likely))[:, None]) + np.eye(len(weights))
        weights = weights + np.linalg.solve(spread, x.T @ (y - likely) - weights)
    return lambda tested: _one_hot(tested, label, sizes) @ weights


def _bayes(codes: Codes, label: int, epsilon: float) -> Any:
    """The scores of naive Bayes from noisy counts of the label beside every other column."""
    others = [place for place in range(len(codes.names)) if place != label]
    heavy: dict[Any, Any] = {(codes.names[label], codes.names[place]): 10_000 for place in others}
    found = vault_of(codes, epsilon).marginals(
        "data", ways=2, epsilon=epsilon, weights=heavy, cells=128
    )
    logs = []
    for place in others:
        names = sorted((label, place))
        counts = found.counts([codes.names[each] for each in names])
        table = np.maximum(counts if names[0] == label else counts.T, 0.5)
        logs.append(np.log(table / table.sum(axis=1, keepdims=True)))
    prior = np.maximum(found.counts([codes.names[label]]), 1.0)

    def score(tested: Any) -> Any:
        gap = np.full(len(tested), np.log(prior[1] / prior[0]))
        for place, table in zip(others, logs, strict=True):
            gap += table[1][tested[:, place]] - table[0][tested[:, place]]
        return gap

    return score


def _score(model: Any, test: Any, label: int) -> dict[str, float]:
    """Accuracy, and the chance that somebody with a high income has a higher score."""
    scores, truth = model(test), test[:, label].astype(bool)
    ranks = np.argsort(np.argsort(scores)) + 1
    ones, zeros = truth.sum(), (~truth).sum()
    area = (ranks[truth].sum() - ones * (ones + 1) / 2) / (ones * zeros)
    return {"accuracy": float(((scores > 0) == truth).mean()), "area": float(area)}
