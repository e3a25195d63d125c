"""Our networks on pictures of MNIST and Fashion, by pixels and by gradients, and components of 784 pixels."""

from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from images import KINDS, folder, pictures, public_features
from timing import emit

import tacit
from tacit import learn

LEVELS = {"pixels": 255, "gradients": 4_000}
"""A feature is one of so many whole numbers: the bounds are public, and columns are coded fast."""

LOWEST = {"pixels": 0, "gradients": -4_000}
SETTINGS: dict[str, dict[str, Any]] = {
    "pixels": {"components": 80, "steps": 100, "samples": False},
    "gradients": {"components": 600, "steps": 100, "norm": 1.0, "samples": False},
}
"""Chosen by a simulation on pictures of MNIST and Fashion for training, of which 10,000 were held out."""

DELTA = 2e-5
"""Of the limit.  A fit without samples spends none of the half that is reserved: alone it is (epsilon, 1e-5)-DP."""


def _frame(features: Any, kind: str) -> pd.DataFrame:
    names = [f"g{at}" for at in range(features.shape[1])]
    return pd.DataFrame(np.rint(features * LEVELS[kind]).astype(np.int16), columns=names)


def _columns(frame: pd.DataFrame, kind: str) -> dict[str, Any]:
    declared = {"type": "integer", "low": LOWEST[kind], "high": LEVELS[kind], "nullable": False}
    return dict.fromkeys(frame, declared)


def images(name: str, kind: str, epsilon: str, seeds: str) -> None:
    """Accuracy of a network on pixels, or of softmax regression on gradients."""
    if folder() is None:
        return
    train, labels, test, truth = pictures(name)
    inside, outside = (_frame(public_features(each, kind), kind) for each in (train, test))
    columns = {**_columns(inside, kind), "label": list(range(10))}
    inside["label"] = labels.astype(int)
    vault = tacit.protect(inside, unit="row", columns=columns, epsilon=20, delta=DELTA)
    for seed in range(int(seeds)):
        price = float(epsilon) * (1 + seed * 1e-9)  # the same fit again would be the same model
        model = learn.MLPClassifier(KINDS[kind], epsilon=price, **SETTINGS[kind])
        start = process_time()
        model.fit(vault.table("data"), "label")
        seconds = process_time() - start
        right = float((model.predict(outside) == truth).mean())
        emit("tacit", f"{name} {kind}, {epsilon}, {seed}", right=right, seconds=seconds)


def components() -> None:
    """Ten components of 784 pixels of 60,000 pictures at epsilon 1: the energy that they keep, and CPU seconds."""
    if folder() is None:
        return
    pixels = pictures("mnist")[0].reshape(-1, 784)
    frame = pd.DataFrame(pixels.astype(np.int16), columns=[f"p{at}" for at in range(784)])
    columns = {
        name: {"type": "integer", "low": 0, "high": 255, "nullable": False} for name in frame
    }
    vault = tacit.protect(frame, unit="row", columns=columns, epsilon=4, delta=1e-6)
    model = learn.PCA(10, epsilon=1)
    start = process_time()
    model.fit(vault.table("data"))
    seconds = process_time() - start
    scaled = pixels / 127.5 - 1
    centred = scaled - scaled.mean(0)
    moments = centred.T @ centred
    kept = float(np.trace(model.components_ @ moments @ model.components_.T))
    best = float(np.linalg.eigvalsh(moments)[-10:].sum())
    emit("tacit", "mnist components, 0", energy=kept / best, seconds=seconds)
