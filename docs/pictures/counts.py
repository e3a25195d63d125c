"""The pictures of marginals and workloads: a table of counts with its intervals, and ranges beside asking one by one.

Run `python docs/pictures/counts.py`; it writes marginals.png and workloads.png beside itself.
"""

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import tacit
from tacit.curator import Vault

__all__ = ["main"]

HERE = Path(__file__).parent
INK, WARM = "#33415c", "#bc6c25"
COLUMNS: dict[str, Any] = {
    "age": (18, 100),
    "male": {"type": "boolean", "nullable": False},
    "died": {"type": "boolean", "nullable": False},
}


def draw_marginal(clinic: Vault) -> None:
    """How many women and men of each cell of ages died, by one of the tables that `marginals` releases."""
    found = clinic.marginals("patients", ways=3, epsilon=1)
    names = ("age", "male", "died")
    counts, reach = found.counts(names), found.error(names)
    middles, sexes = found.values("age"), found.values("male")
    known = [at for at, age in enumerate(middles) if age is not None]
    ages = np.array([float(middles[at]) for at in known])
    died = found.values("died").index(True)
    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    axes = figure.subplots()
    for male, colour, shift in ((False, WARM, -0.35), (True, INK, 0.35)):
        cells = counts[known, sexes.index(male), died]
        axes.errorbar(
            ages + shift,
            cells,
            yerr=reach,
            fmt="o",
            markersize=3,
            linewidth=1,
            color=colour,
            label="men" if male else "women",
        )
    axes.axhline(0, color="#a0a0a0", linewidth=0.8)
    axes.set_xlabel("age")
    axes.set_ylabel("patients who died, by cell of ages")
    axes.set_title(
        f"One of {len(found)} marginals released at epsilon 1, with 95 % intervals", fontsize=11
    )
    axes.legend(frameon=False)
    figure.savefig(HERE / "marginals.png", dpi=150)


def draw_workload(clinic: Vault) -> None:
    """Answers to all ranges of ten ages, and the ± of all ranges beside asking one by one."""
    expected = clinic.explain_workload("patients", ranges=["age"], epsilon=0.3)
    answers = clinic.workload("patients", ranges=["age"], epsilon=0.3)
    ages = range(18, 101)
    asked = {(low, high): f"{low} <= age <= {high}" for low in ages for high in range(low, 101)}
    counts = dict(zip(answers["question"], answers["count"], strict=True))
    starts = [low for low in ages if (low, low + 9) in asked]
    tens = [asked[low, low + 9] for low in starts]
    figure = Figure(figsize=(9.6, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.errorbar(
        starts,
        [counts[name] for name in tens],
        yerr=[expected.errors[name] for name in tens],
        fmt="o",
        markersize=2.5,
        linewidth=1,
        color=INK,
    )
    left.set_ylim(0)
    left.set_xlabel("lowest of ten ages")
    left.set_ylabel("patients")
    left.set_title("Released ranges of ten ages, 95 % intervals", fontsize=11)
    widths = [high - low + 1 for low, high in asked]
    right.scatter(
        widths,
        [expected.errors[name] for name in asked.values()],
        s=3,
        linewidths=0,
        alpha=0.5,
        color=INK,
        label=f"one workload of {len(asked):,} ranges",
    )
    right.axhline(expected.one_by_one, color=WARM, linestyle="--", label="asked one by one")
    right.set_yscale("log")
    right.set_xlabel("ages in the range")
    right.set_ylabel("± patients")
    right.set_title("Known before paying: epsilon 0.3 for all", fontsize=11)
    right.legend(frameon=False, loc="center right")
    figure.savefig(HERE / "workloads.png", dpi=150)


def main() -> None:
    """Draw both."""
    clinic = tacit.protect(
        tacit.example("patients"),
        unit="patient",
        contributions=1,
        columns=COLUMNS,
        epsilon=2,
        delta=1e-6,
    )
    draw_marginal(clinic)
    draw_workload(clinic)


if __name__ == "__main__":
    main()
