"""Quantiles of a thousand people's ages at epsilon 1: ours, diffprivlib's and OpenDP's, and what they cost."""

from ages import EPSILON, PEOPLE, REPETITIONS, source
from environments import Readings, measure
from report import Requirement, Result, Table, ratio, shown

MISRANKED, SECONDS = 15, 0.05
OURS = "tacit, chosen"
WHO = (
    OURS,
    "tacit, chosen, replace",
    "tacit, histogram",
    "tacit, joint",
    "tacit, joint, replace",
    "tacit, recursive",
    "diffprivlib",
    "OpenDP, tree",
    "OpenDP, candidates",
)
NOTE = (
    "Misranked are those between the released and the true quantile, by whole years; beyond the rank is how far the "
    "wanted rank is from those of people of the released age. diffprivlib and the candidates split epsilon evenly "
    "among the quantiles. All but the rows marked replace are for neighbours by add-or-remove."
)
FIGURES = ("29", "29 beyond", "99", "seconds 29", "seconds 99")


def run() -> Result:
    """The table of errors and CPU seconds."""
    readings: Readings = {}
    for peer in ("tacit", "diffprivlib", "opendp"):
        readings |= measure(peer, "quantiles")

    def figure(who: str, name: str) -> float | None:
        return readings.get((who, "ages", name))

    rows = [
        (
            who,
            *(shown(figure(who, name)) for name in FIGURES[:3]),
            *(shown(ratio(figure(who, name), 1e-3)) for name in FIGURES[3:]),
        )
        for who in WHO
    ]
    title = f"People misranked of {PEOPLE:,} ({source()} ages, epsilon {EPSILON:g}, mean of {REPETITIONS} samples)"
    return Result(
        "Quantiles",
        [
            Table(
                title,
                (
                    "who",
                    "29 quantiles",
                    "beyond the rank",
                    "99 quantiles",
                    "29, CPU ms",
                    "99, CPU ms",
                ),
                rows,
            )
        ],
        [
            Requirement(
                f"29 quantiles misrank at most {MISRANKED} people on average",
                {
                    who: ratio(MISRANKED, figure(who, "29"))
                    for who in (OURS, "tacit, chosen, replace")
                },
            ),
            Requirement(
                f"99 quantiles within {SECONDS * 1000:.0f} ms",
                {
                    who: ratio(SECONDS, figure(who, "seconds 99"))
                    for who in (OURS, "tacit, chosen, replace")
                },
            ),
        ],
        [NOTE],
    )
