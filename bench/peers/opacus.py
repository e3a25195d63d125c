"""Opacus's DP-SGD on the digits of `lessons`: the same network, splits, public bounds and promise as ours."""

import warnings
from time import process_time

import numpy as np
import torch  # type: ignore[import-not-found]
from lessons import FRESH, load, split
from opacus import PrivacyEngine  # type: ignore[import-not-found]
from timing import emit

DELTA = 2e-6
HIDDEN, EPOCHS, BATCH, CLIP = 64, 60, 144, 1.0
RATES = (0.5, 2.0)
"""Two learning rates, both shown: it has no defaults of its own."""


def _train(x: np.ndarray, y: np.ndarray, epsilon: float, rate: float, seed: int) -> torch.nn.Module:
    torch.manual_seed(seed)
    model = torch.nn.Sequential(
        torch.nn.Linear(x.shape[1], HIDDEN), torch.nn.Tanh(), torch.nn.Linear(HIDDEN, 10)
    )
    rows = torch.utils.data.TensorDataset(torch.tensor(x, dtype=torch.float32), torch.tensor(y))
    loader = torch.utils.data.DataLoader(rows, batch_size=BATCH)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate, momentum=0.9)
    model, optimizer, loader = PrivacyEngine(accountant="prv").make_private_with_epsilon(
        module=model,
        optimizer=optimizer,
        data_loader=loader,
        target_epsilon=epsilon,
        target_delta=DELTA,
        epochs=EPOCHS,
        max_grad_norm=CLIP,
        poisson_sampling=True,
    )
    loss = torch.nn.CrossEntropyLoss()
    for _ in range(EPOCHS):
        for batch, goal in loader:
            optimizer.zero_grad()
            if len(batch):
                loss(model(batch), goal).backward()
                optimizer.step()
    return model


def learning(part: str = "all") -> None:
    """Accuracy and CPU seconds of a network on digits, five splits."""
    if part not in {"all", "network"}:
        return
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    frame, said = load("digits")
    names = [name for name in said["columns"] if name != "digit"]
    for seed in FRESH:
        train, test = split(frame, None, seed)
        x, y = train[names].to_numpy(float) / 8 - 1, train["digit"].to_numpy()
        fresh, truth = test[names].to_numpy(float) / 8 - 1, test["digit"].to_numpy()
        for epsilon in (1.0, 4.0):
            for rate in RATES:
                start = process_time()
                model = _train(x, y, epsilon, rate, seed)
                seconds = process_time() - start
                with torch.no_grad():
                    found = model(torch.tensor(fresh, dtype=torch.float32)).argmax(1).numpy()
                right = float((found == truth).mean())
                who = f"Opacus, rate {rate:g}"
                emit(who, f"digits, {epsilon:g}, {seed}", right=right, seconds=seconds)


if __name__ == "__main__":
    from timing import serve

    serve(learning=learning)
