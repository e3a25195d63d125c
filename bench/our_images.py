"""Our networks on pictures: softmax regression on gradients of MNIST and Fashion, and components of 784 pixels."""

from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from images import folder, gradients, pictures
from timing import emit

import tacit
from tacit import learn

LEVELS = 4_000
"""A number of unit length is one of so many whole numbers: the bounds are public, and columns are coded fast."""

COMPONENTS, STEPS = 300, 400


def _columns(frame: pd.DataFrame, high: int) -> dict[str, Any]:
    return {
        name: {"type": "integer", "low": -high, "high": high, "nullable": False} for name in frame
    }


def _frame(features: Any) -> pd.DataFrame:
    names = [f"g{at}" for at in range(features.shape[1])]
    return pd.DataFrame(np.rint(features * LEVELS).astype(np.int16), columns=names)


def images(name: str = "mnist", seeds: str = "3") -> None:
    """Accuracy of softmax regression on gradients at epsilon 1, delta 1e-5."""
    if folder() is None:
        return
    train, labels, test, truth = pictures(name)
    inside, outside = _frame(gradients(train)), _frame(gradients(test))
    columns = {**_columns(inside, LEVELS), "label": list(range(10))}
    inside["label"] = labels.astype(int)
    vault = tacit.protect(inside, unit="row", columns=columns, epsilon=20, delta=1e-5)
    for seed in range(int(seeds)):
        model = learn.MLPClassifier(
            (), epsilon=1 + seed * 1e-9, components=COMPONENTS, steps=STEPS, norm=1.0
        )
        start = process_time()
        model.fit(vault.table("data"), "label")
        seconds = process_time() - start
        right = float((model.predict(outside) == truth).mean())
        emit("tacit", f"{name} gradients, 1, {seed}", right=right, seconds=seconds)


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
