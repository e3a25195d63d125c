"""The pictures of the pages about learning; run `python docs/pictures/learning.py`.  Noise is drawn anew each time."""

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import tacit
from tacit.learn import (
    PCA,
    HistogramNB,
    KMeans,
    LinearRegression,
    LogisticRegression,
    MLPClassifier,
    NearestClassifier,
    Scorecard,
    uniform_deviation,
)

HERE = Path(__file__).parent
COLUMNS = {
    "age": (18, 100),
    "male": "boolean",
    "bmi": (10, 90),
    "days_followed": (0, 8000),
    "died": "boolean",
}
FEATURES = ["age", "male", "bmi", "days_followed"]


def main() -> None:
    """Draw all of them."""
    _classify()
    _regress()
    _cluster()
    _network()
    _rows()


def _clinic() -> Any:
    patients = tacit.example("patients")
    return tacit.protect(
        patients, unit="patient", contributions=1, columns=COLUMNS, epsilon=300, delta=1e-6
    )


def _axes(width: float = 5.6, height: float = 3.6) -> tuple[Figure, Any]:
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots()


def _classify() -> None:
    """What a scorecard says of the age and the weight of patients, at three prices."""
    figure = Figure(figsize=(8, 3.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    clinic, ages = _clinic(), np.arange(18, 101)
    for epsilon, shade in ((0.1, "#d9a441"), (1, "#4f7cac"), (10, "#33415c")):
        for axes, kind in ((left, Scorecard), (right, LogisticRegression)):
            model = kind(epsilon=epsilon).fit(clinic.table("patients"), "died", columns=FEATURES)
            own = {"age": ages, "male": [True] * 83, "bmi": [28] * 83, "days_followed": [2000] * 83}
            odds = model.predict_proba(own)[:, 1]
            axes.plot(ages, odds, color=shade, label=f"epsilon {epsilon}", drawstyle="steps-mid")
            axes.set_title(kind.__name__, fontsize=10)
            axes.set_xlabel("age")
    left.set_ylabel("probability of death")
    left.legend(frameon=False, fontsize=8)
    figure.savefig(HERE / "classify.png", dpi=110)


def _regress() -> None:
    """Coefficients and their intervals, at three prices."""
    figure, axes = _axes(6.4, 3)
    clinic, names = _clinic(), ["age", "male", "days_followed"]
    for at, (epsilon, shade) in enumerate(((0.3, "#d9a441"), (1, "#4f7cac"), (10, "#33415c"))):
        model = LinearRegression(epsilon=epsilon).fit(
            clinic.table("patients"), "bmi", columns=names
        )
        worth = np.array([10, *[1] * (len(model.coef_) - 2), 1000])
        keep = [0, list(model.coef_names_).index("male=True"), len(worth) - 1]
        places = np.arange(3) + 0.2 * (at - 1)
        reach = np.nan_to_num((model.coef_high_ - model.coef_low_) / 2, posinf=9) * worth
        axes.errorbar(
            places,
            (model.coef_ * worth)[keep],
            yerr=reach[keep],
            fmt="o",
            color=shade,
            capsize=3,
            label=f"epsilon {epsilon}",
        )
    axes.axhline(0, color="#999999", linewidth=0.8)
    axes.set_xticks(range(3), ["ten years of age", "male", "1,000 days followed"])
    axes.set_ylabel("points of BMI")
    axes.set_ylim(-3, 3)
    axes.legend(frameon=False, fontsize=8)
    figure.savefig(HERE / "predict-a-number.png", dpi=110)


def _cluster() -> None:
    """Made-up points, and where clusters and components were found."""
    draw = np.random.default_rng(0)
    centres = np.array([[20, 25], [75, 30], [50, 80], [85, 85]])
    points = centres[draw.integers(0, 4, 4_000)] + draw.normal(size=(4_000, 2)) * 6
    points = np.clip(points, 0, 100)
    rows = [{"x": float(x), "y": float(y)} for x, y in points]
    vault = tacit.protect(
        rows, unit="row", columns={"x": (0, 100), "y": (0, 100)}, epsilon=20, delta=1e-6
    )
    figure = Figure(figsize=(8, 3.4), layout="constrained")
    for axes, epsilon in zip(figure.subplots(1, 2), (0.1, 1), strict=True):
        found = KMeans(4, epsilon=epsilon).fit(vault.table("data")).cluster_centers_
        parts = PCA(1, epsilon=epsilon).fit(vault.table("data"))
        axes.plot(points[::4, 0], points[::4, 1], ".", color="#c9d3df", markersize=2)
        axes.plot(found[:, 0], found[:, 1], "o", color="#33415c")
        middle, way = 50 + 50 * parts.mean_, 30 * parts.components_[0]
        axes.annotate(
            "", middle + way, middle - way, arrowprops={"arrowstyle": "<->", "color": "#b5651d"}
        )
        axes.set_title(f"epsilon {epsilon}", fontsize=10)
    figure.savefig(HERE / "find-clusters.png", dpi=110)


def _network() -> None:
    """A disc, as four estimators see it."""
    draw = np.random.default_rng(1)
    points = draw.random((20_000, 2))
    inside = np.linalg.norm(points - 0.5, axis=1) < 0.3
    rows = [
        {"x": float(x), "y": float(y), "inside": bool(z)}
        for (x, y), z in zip(points, inside, strict=True)
    ]
    columns = {"x": (0, 1), "y": (0, 1), "inside": "boolean"}
    vault = tacit.protect(rows, unit="row", columns=columns, epsilon=20, delta=1e-6)
    grid = np.stack(np.meshgrid(np.linspace(0, 1, 60), np.linspace(0, 1, 60)), axis=-1).reshape(
        -1, 2
    )
    figure = Figure(figsize=(9, 2.6), layout="constrained")
    models = (
        LogisticRegression(epsilon=2),
        HistogramNB(epsilon=2),
        NearestClassifier(epsilon=2, waves=300),
        MLPClassifier((16,), epsilon=2),
    )
    for axes, model in zip(figure.subplots(1, 4), models, strict=True):
        model.fit(vault.table("data"), "inside")
        odds = model.predict_proba({"x": grid[:, 0], "y": grid[:, 1]})[:, 1].reshape(60, 60)
        axes.imshow(odds, origin="lower", extent=(0, 1, 0, 1), cmap="YlGnBu", vmin=0, vmax=1)
        axes.set_title(type(model).__name__, fontsize=9)
        axes.set_xticks([])
        axes.set_yticks([])
    figure.savefig(HERE / "train-a-network.png", dpi=110)


def _rows() -> None:
    """The error of a private classifier against the number of rows, and what uniform convergence says."""
    figure, axes = _axes()
    draw = np.random.default_rng(2)
    counts = [100, 300, 1_000, 3_000, 10_000, 30_000]

    def sample(count: int) -> list[dict[str, int]]:
        value = draw.integers(0, 10, count)
        wrong = draw.random(count) < 0.1
        return [{"v": int(v), "y": int((v >= 6) ^ w)} for v, w in zip(value, wrong, strict=True)]

    fresh = sample(20_000)
    for epsilon, shade in ((0.03, "#d9a441"), (0.1, "#4f7cac"), (1, "#33415c")):
        errors = []
        for count in counts:
            vault = tacit.protect(
                sample(count),
                unit="row",
                columns={"v": list(range(10)), "y": [0, 1]},
                epsilon=5,
                delta=1e-6,
            )
            model = HistogramNB(epsilon=epsilon).fit(vault.table("data"), "y")
            errors.append(1 - model.score(fresh))
        axes.plot(counts, errors, "o-", color=shade, label=f"epsilon {epsilon}")
    axes.plot(
        counts,
        [min(0.5, 0.1 + uniform_deviation(n, 1)) for n in counts],
        "--",
        color="#999999",
        label="best + bound for thresholds",
    )
    axes.axhline(0.1, color="#999999", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_xlabel("rows")
    axes.set_ylabel("error on fresh rows")
    axes.legend(frameon=False, fontsize=8)
    figure.savefig(HERE / "how-many-rows.png", dpi=110)


if __name__ == "__main__":
    main()
