"""Opacus's DP-SGD on digits and on pictures: the same network, rows, public bounds and promise as ours."""

import warnings
from collections.abc import Callable, Sequence
from itertools import pairwise, product
from time import process_time

import numpy as np
import torch  # type: ignore[import-not-found]
from images import KINDS, folder, pictures, public_features
from lessons import FRESH, load, split
from opacus import PrivacyEngine  # type: ignore[import-not-found]
from timing import emit, serve

CLIP, MOMENTUM = 1.0, 0.9
DIGITS_DELTA, PICTURES_DELTA = 2e-6, 1e-5
RATES = {"digits": (0.5, 2.0), "pixels": (0.5, 1.0), "gradients": (2.0, 4.0)}
"""Two learning rates each, both shown: it has no defaults of its own.  Those of pictures are the best of some that
were tried on 10,000 of MNIST's pictures for training."""


def _train(
    rows: tuple[np.ndarray, np.ndarray],
    hidden: Sequence[int],
    promise: tuple[float, float],
    rate: float,
    size: tuple[int, int],
    seed: int,
) -> torch.nn.Module:
    """A network of tanh: `size` is epochs and rows of a batch; norms are clipped without a gradient of each row."""
    torch.manual_seed(seed)
    x, y = rows
    (epsilon, delta), (epochs, batch) = promise, size
    layers: list[torch.nn.Module] = []
    for inputs, outputs in pairwise([x.shape[1], *hidden, 10]):
        layers += [torch.nn.Linear(inputs, outputs), torch.nn.Tanh()]
    model = torch.nn.Sequential(*layers[:-1])
    optimizer = torch.optim.SGD(model.parameters(), lr=rate, momentum=MOMENTUM)
    table = torch.utils.data.TensorDataset(
        torch.tensor(x, dtype=torch.float32), torch.tensor(y.astype(np.int64))
    )
    loader = torch.utils.data.DataLoader(table, batch_size=batch)
    model, optimizer, loss, loader = PrivacyEngine(accountant="prv").make_private_with_epsilon(
        module=model,
        optimizer=optimizer,
        criterion=torch.nn.CrossEntropyLoss(),
        data_loader=loader,
        target_epsilon=epsilon,
        target_delta=delta,
        epochs=epochs,
        max_grad_norm=CLIP,
        poisson_sampling=True,
        grad_sample_mode="ghost",
    )
    for _ in range(epochs):
        for block, goal in loader:
            optimizer.zero_grad()
            if len(block):
                loss(model(block), goal).backward()
                optimizer.step()
    return model


def _measure(
    rate: float,
    case: str,
    make: Callable[[], torch.nn.Module],
    test: tuple[np.ndarray, np.ndarray],
) -> None:
    start = process_time()
    model = make()
    seconds = process_time() - start
    with torch.no_grad():
        found = model(torch.tensor(test[0], dtype=torch.float32)).argmax(1).numpy()
    right = float((found == test[1]).mean())
    emit(f"Opacus, rate {rate:g}", case, right=right, seconds=seconds)


def network() -> None:
    """A network on digits, five splits: 60 epochs of batches of 144."""
    frame, said = load("digits")
    names = [name for name in said["columns"] if name != "digit"]
    for seed in FRESH:
        train, test = (
            (part[names].to_numpy(float) / 8 - 1, part["digit"].to_numpy())
            for part in split(frame, None, seed)
        )
        for epsilon, rate in product((1.0, 4.0), RATES["digits"]):
            _measure(
                rate,
                f"digits, {epsilon:g}, {seed}",
                lambda train=train, epsilon=epsilon, rate=rate, seed=seed: _train(
                    train, (64,), (epsilon, DIGITS_DELTA), rate, (60, 144), seed
                ),
                test,
            )


def images(name: str, kind: str, epsilon: str, seeds: str) -> None:
    """A network on pixels, or softmax regression on gradients: 20 epochs of batches of 2,048."""
    if folder() is None:
        return
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore")
    train, labels, test, truth = pictures(name)
    inside, outside = (public_features(each, kind) for each in (train, test))
    for rate, seed in product(RATES[kind], range(int(seeds))):
        _measure(
            rate,
            f"{name} {kind}, {epsilon}, {seed}",
            lambda rate=rate, seed=seed: _train(
                (inside, labels),
                KINDS[kind],
                (float(epsilon), PICTURES_DELTA),
                rate,
                (20, 2_048),
                seed,
            ),
            (outside, truth),
        )


def learning(part: str = "all") -> None:
    """Accuracy and CPU seconds of a network on digits."""
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    if part in {"all", "network"}:
        network()


if __name__ == "__main__":
    serve(learning=learning, images=images)
