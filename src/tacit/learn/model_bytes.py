"""A model as bytes and back: named arrays and numbers, the same bytes every time."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Model", "read_model", "write_model"]

Model = Mapping[str, NDArray[np.float64]]


def write_model(model: Mapping[str, Any]) -> bytes:
    """The bytes of a model.

    >>> read_model(write_model({"slope": [1.0, 2.0]}))["slope"].tolist()
    [1.0, 2.0]
    """
    arrays = {name: np.asarray(value, np.float64) for name, value in model.items()}
    header = {name: list(array.shape) for name, array in arrays.items()}
    data = b"".join(array.astype("<f8").tobytes() for array in arrays.values())
    return json.dumps(header).encode() + b"\n" + data


def read_model(data: bytes) -> dict[str, NDArray[np.float64]]:
    """The model that the bytes stand for."""
    text, _, rest = data.partition(b"\n")
    found, place = {}, 0
    for name, shape in json.loads(text).items():
        count = int(np.prod(shape, dtype=np.int64))
        found[name] = np.frombuffer(rest, "<f8", count, place).reshape(shape).copy()
        place += 8 * count
    return found
