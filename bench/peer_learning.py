"""diffprivlib's estimators on the tables of `lessons`: the same encoding and public bounds as ours."""

import warnings
from math import log
from time import process_time
from typing import Any

import numpy as np
from diffprivlib.models import (  # type: ignore[import-not-found]
    GaussianNB,
    KMeans,
    LinearRegression,
    LogisticRegression,
)
from lessons import SEEDS, encoded, load, plan_fits, split
from our_area import area
from timing import emit


def _classify(name: str) -> None:
    frame, said = load(name)
    columns = len(said["columns"]) - 1
    for seed, prices in plan_fits(name):
        train, test = split(frame, said["unit"], seed)
        if said["unit"] is not None:  # one row a unit, as its guarantee is about rows
            train = train.groupby(said["unit"]).first().reset_index()
        (x, y), (fresh, truth) = encoded(train, said), encoded(test, said)
        for epsilon, fit in prices:
            for kind in (LogisticRegression, GaussianNB):
                model: Any = (
                    kind(epsilon=epsilon, data_norm=float(np.sqrt(columns)))
                    if kind is LogisticRegression
                    else kind(epsilon=epsilon, bounds=(-1, 1), priors=None)
                )
                start = process_time()
                model.fit(x, y)
                seconds = process_time() - start
                score = model.predict_proba(fresh)[:, 1]
                right = float(((score > 0.5) == truth).mean())
                who = name if said["unit"] is None else f"{name}, 1 rows"
                case = f"{who}, {epsilon:g}, {seed} {fit}"
                emit(
                    f"diffprivlib {kind.__name__}",
                    case,
                    area=area(truth, score),
                    right=right,
                    seconds=seconds,
                )


def _regress() -> None:
    frame, said = load("diamonds")
    for seed in range(SEEDS):
        train, test = split(frame, None, seed, 0.9)
        (x, _), (fresh, _) = encoded(train, said), encoded(test, said)
        y, truth = train["price"].to_numpy(float), test["price"].to_numpy(float)
        model = LinearRegression(epsilon=log(3), bounds_X=(-1, 1), bounds_y=(0, 20_000))
        start = process_time()
        model.fit(x, y)
        left = ((truth - model.predict(fresh)) ** 2).sum() / ((truth - truth.mean()) ** 2).sum()
        emit("diffprivlib", f"diamonds, {seed}", r2=float(1 - left), seconds=process_time() - start)


def _cluster() -> None:
    from sklearn.cluster import KMeans as Plain

    frame, said = load("letter")
    points = frame[[name for name in said["columns"] if name != "letter"]].to_numpy(float)
    for k in (8, 16, 64):
        best = min(Plain(k, n_init=1, random_state=seed).fit(points).inertia_ for seed in range(3))
        emit("scikit-learn", f"letter k={k}", inertia=float(best / len(points)))
        for seed in range(SEEDS):
            start = process_time()
            centres = KMeans(k, epsilon=1.0, bounds=(0, 15)).fit(points).cluster_centers_
            far = ((points[:, None] - centres[None]) ** 2).sum(2).min(1).mean()
            emit(
                "diffprivlib",
                f"letter k={k}, {seed}",
                inertia=float(far),
                seconds=process_time() - start,
            )


def learning(part: str = "all") -> None:
    """All of it, or one part."""
    warnings.filterwarnings("ignore")
    for name in ("adult", "tv16", "diabetes"):
        if part in {"all", name}:
            _classify(name)
    if part in {"all", "regress"}:
        _regress()
    if part in {"all", "cluster"}:
        _cluster()
