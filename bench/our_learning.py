"""Our estimators, measured on the tables of `lessons`."""

import resource
from math import log
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from lessons import FRESH, SEEDS, encoded, load, plan_fits, split
from our_area import area
from timing import emit

import tacit
from tacit import learn
from tacit.curator import Vault


def vault_of(
    frame: pd.DataFrame, said: dict[str, Any], epsilon: float, delta: float, rows: int = 1
) -> Vault:
    """A vault in memory: one fit at `epsilon` alone is (epsilon, delta)-DP, its reserve for samples included."""
    columns: dict[str, Any] = {}
    for name, declared in said["columns"].items():
        if name in said["keys"]:
            columns[name] = list(declared)
        else:
            columns[name] = {"low": declared[0], "high": declared[1], "nullable": False}
            whole = pd.api.types.is_integer_dtype(frame[name])
            columns[name]["type"] = "integer" if whole else "number"
    unit = said["unit"]
    how = {"unit": "row"} if unit is None else {"unit": unit, "contributions": rows}
    return tacit.protect(
        frame.reset_index(drop=True),
        columns=columns,
        epsilon=max(20, 4 * epsilon),
        delta=delta,
        **how,
    )


def _fit(model: Any, vault: Vault, target: str | None, **how: Any) -> float:
    start = process_time()
    model.fit(vault.table("data"), target, **how)
    return process_time() - start


def _again(epsilon: float, fit: int) -> float:
    """A price that is a billionth higher for each fit before it: the same fit again would be the same model."""
    return epsilon * (1 + fit * 1e-9)


def classify(name: str, rows: int = 1) -> None:
    """AUROC and accuracy of the estimators of two classes."""
    frame, said = load(name)
    who = name if said["unit"] is None else f"{name}, {rows} rows"
    for seed, prices in plan_fits(name):
        train, test = split(frame, said["unit"], seed)
        vault = vault_of(train, said, 10, 2e-6, rows)
        truth = test[said["target"]].to_numpy()
        for epsilon, fit in prices:
            for kind in (learn.Scorecard, learn.LogisticRegression, learn.HistogramNB):
                model: Any = kind(epsilon=_again(epsilon, fit), logs=tuple(said["logs"]))
                seconds = _fit(model, vault, said["target"])
                scores = model.scores(test)
                margin = scores[:, 1] - scores[:, 0]
                right = float(((margin > 0) == truth).mean())
                case = f"{who}, {epsilon:g}, {seed} {fit}"
                emit(
                    f"tacit {kind.__name__}",
                    case,
                    area=area(truth, margin),
                    right=right,
                    seconds=seconds,
                )


def regress() -> None:
    """R squared on diamonds, at epsilon ln 3 and delta 1e-5."""
    frame, said = load("diamonds")
    for seed in range(SEEDS):
        train, test = split(frame, None, seed, 0.9)
        model = learn.LinearRegression(epsilon=log(3))
        seconds = _fit(model, vault_of(train, said, 1.2, 2e-5), "price")
        emit("tacit", f"diamonds, {seed}", r2=model.score(test), seconds=seconds)


def coverage(fits: int = 500) -> None:
    """How often intervals of coefficients at 95 % hold the coefficients of the law that rows are drawn from."""
    hits, truth = [], np.array([0.4, -0.3, 0.0])
    for trial in range(fits):
        draw = np.random.default_rng(trial)
        x = np.clip(draw.normal(size=(8_000, 3)) * 0.3, -1, 1)
        frame = pd.DataFrame(x, columns=["a", "b", "c"])
        frame["y"] = np.clip(x @ truth + 0.1 + draw.normal(size=8_000) * 0.15, -1, 1)
        columns = dict.fromkeys(frame, (-1, 1))
        vault = tacit.protect(frame, unit="row", columns=columns, epsilon=2, delta=1e-6)
        model = learn.LinearRegression(epsilon=1).fit(vault.table("data"), "y")
        hits.append((model.coef_low_ <= truth) & (truth <= model.coef_high_))
    emit("tacit", "intervals, 0", held=float(np.mean(hits)), fits=float(fits))


def cluster() -> None:
    """The mean squared distance from k centres on Letter, and the energy that components keep."""
    frame, said = load("letter")
    numbers = [name for name in said["columns"] if name != "letter"]
    points = frame[numbers].to_numpy(float)
    centred = points - points.mean(0)
    values = np.linalg.eigvalsh(centred.T @ centred)
    for seed in range(SEEDS):
        vault = vault_of(frame, said, 1, 2e-6)
        for k in (8, 16, 64):
            model = learn.KMeans(k, epsilon=1)
            seconds = _fit(model, vault, None, columns=numbers)
            far = ((points[:, None] - model.cluster_centers_[None]) ** 2).sum(2).min(1).mean()
            emit("tacit", f"letter k={k}, {seed}", inertia=float(far), seconds=seconds)
        parts = learn.PCA(10, epsilon=1)
        seconds = _fit(parts, vault, None, columns=numbers)
        kept = np.trace(parts.components_ @ (centred.T @ centred) @ parts.components_.T)
        emit(
            "tacit",
            f"letter components, {seed}",
            energy=float(kept / values[-10:].sum()),
            seconds=seconds,
        )


def nearest() -> None:
    """Sketches on Letter, digits and Adult; networks on Letter."""
    for name, epsilons in (("letter", (1.0, 4.0)), ("digits", (1.0, 4.0)), ("adult", (1.0, 4.0))):
        frame, said = load(name)
        for seed in range(SEEDS):
            train, test = split(frame, None, seed)
            test = test.iloc[:2_000]
            vault = vault_of(train, said, 10, 2e-6)
            for epsilon in epsilons:
                models: dict[str, Any] = {
                    "tacit sketch": learn.NearestClassifier(
                        epsilon=epsilon, logs=tuple(said["logs"])
                    )
                }
                if name == "letter":
                    models["tacit network"] = learn.MLPClassifier(epsilon=epsilon)
                for who, model in models.items():
                    seconds = _fit(model, vault, said["target"])
                    case = f"{name}, {epsilon:g}, {seed}"
                    emit(who, case, right=model.score(test), seconds=seconds)
                    if name == "adult":
                        scores = model.scores(test)
                        found = area(test["income"].to_numpy(), scores[:, 1] - scores[:, 0])
                        emit(who, case, area=found)


def network() -> None:
    """A network on digits, on splits that nothing was chosen on."""
    frame, said = load("digits")
    for seed in FRESH:
        train, test = split(frame, None, seed)
        vault = vault_of(train, said, 10, 2e-6)
        for epsilon in (1.0, 4.0):
            model = learn.MLPClassifier(epsilon=epsilon)
            seconds = _fit(model, vault, said["target"])
            case = f"digits, {epsilon:g}, {seed}"
            emit("tacit network", case, right=model.score(test), seconds=seconds)


def neighbours() -> None:
    """The other two forms of nearest neighbours: among synthetic rows, and by votes of the true ones, simulated."""
    from sklearn.neighbors import NearestNeighbors

    for name, k in (("letter", 15), ("digits", 15), ("adult", 101)):
        frame, said = load(name)
        target = said["target"]
        for seed in range(SEEDS):
            train, test = split(frame, None, seed)
            test = test.iloc[:1_000]
            vault = vault_of(train, said, 10, 2e-6)
            x, y = encoded(train, said)
            fresh, truth = encoded(test, said)
            made = vault.synthesize("data", epsilon=1).to_pandas()
            points, labels = encoded(made, said)
            classes = np.array(said["columns"][target])
            near = (
                NearestNeighbors(n_neighbors=k).fit(points).kneighbors(fresh, return_distance=False)
            )
            _emit("synthetic", name, seed, _count(labels, near, classes), classes, truth)
            true = NearestNeighbors(n_neighbors=k).fit(x).kneighbors(fresh, return_distance=False)
            votes = _count(y, true, classes)
            _emit("not private", name, seed, votes, classes, truth)
            rho = float(
                vault.lesson(vault.table("data"), kind="x", target=target, classes=True)
                .noise(1)
                .amount
            )
            draw = np.random.default_rng(seed)  # a simulation: one vote comes, another goes
            wide = np.sqrt(2) / np.sqrt(2 * rho / len(test))
            noisy = votes + draw.normal(size=votes.shape) * wide
            _emit("votes", name, seed, noisy, classes, truth)


def _count(labels: Any, near: Any, classes: Any) -> Any:
    return (np.asarray(labels)[near][:, :, None] == classes[None, None]).sum(axis=1).astype(float)


def _emit(who: str, name: str, seed: int, votes: Any, classes: Any, truth: Any) -> None:
    case = f"{name}, 1, {seed}"
    emit(who, case, right=float((classes[votes.argmax(1)] == truth).mean()))
    if len(classes) == 2:
        emit(who, case, area=area((truth == classes[1]).astype(int), votes[:, 1] - votes[:, 0]))


LARGE: dict[str, Any] = {
    "HistogramNB": lambda: learn.HistogramNB(epsilon=1),
    "Scorecard": lambda: learn.Scorecard(epsilon=1),
    "LogisticRegression": lambda: learn.LogisticRegression(epsilon=1),
    "LinearRegression": lambda: learn.LinearRegression(epsilon=1),
    "KMeans, k = 8": lambda: learn.KMeans(8, epsilon=1),
    "PCA": lambda: learn.PCA(10, epsilon=1),
    "NearestClassifier": lambda: learn.NearestClassifier(epsilon=1),
    "MLPClassifier": lambda: learn.MLPClassifier(epsilon=1),
}


def large(name: str, rows: str = "1000000", columns: str = "50") -> None:
    """CPU seconds of one fit to a million rows of 50 numbers of two bytes, and the most memory beyond the rows' own."""
    draw = np.random.default_rng(0)
    frame = pd.DataFrame(
        draw.integers(0, 256, size=(int(rows), int(columns)), dtype=np.int16),
        columns=[f"x{at}" for at in range(int(columns))],
    )
    frame["y"] = (frame["x0"] + frame["x1"] > draw.integers(0, 512, len(frame))).astype(np.int8)
    declared: dict[str, Any] = {
        each: {"type": "integer", "low": 0, "high": 255, "nullable": False} for each in frame
    }
    declared["y"] = [0, 1]
    model = LARGE[name]()
    target = "x2" if model.predicts == "a number" else "y" if model.predicts else None
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = process_time()
    vault = tacit.protect(frame, unit="row", columns=declared, epsilon=2, delta=1e-6)
    opened = process_time() - start
    seconds = _fit(
        model, vault, target, columns=[each for each in frame if each not in {"y", "x2"}]
    )
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    emit(
        f"tacit {name}",
        f"large, {rows}",
        opened=opened,
        seconds=seconds,
        megabytes=(most - before) / 1024,
        frame=float(frame.memory_usage().sum()) / 2**20,
    )


def learning(part: str = "all") -> None:
    """All of it, or one part."""
    parts = {
        "adult": lambda: classify("adult"),
        "tv16": lambda: classify("tv16"),
        "diabetes 1": lambda: classify("diabetes", 1),
        "diabetes 4": lambda: classify("diabetes", 4),
        "diabetes 10": lambda: classify("diabetes", 10),
        "regress": regress,
        "coverage": coverage,
        "cluster": cluster,
        "nearest": nearest,
        "network": network,
        "neighbours": neighbours,
    }
    for name, work in parts.items():
        if part in {"all", name}:
            work()
