"""Synthetic tables where they are hard: every price beside independent columns, large tables, and as training data."""

from math import hypot

from environments import Readings, measure
from our_synthetic_scale import CASES, EPSILONS
from report import Requirement, Result, Table, shown

NOTE = (
    "Mean L1 distance of pairs and triples, 0 to 2, means over seeds; (epsilon, 1e-9)-DP. Independent is the same "
    "price spent on single columns alone. Large tables are made up, at epsilon 1; memory is the most that the process "
    "held, the rows included. Income of Adult is predicted for 9,842 people who are in no training data; private "
    "counts are naive Bayes from `vault.marginals`."
)


def run() -> Result:
    """Tables of distances, seconds, memory, and of predictions."""
    readings: Readings = measure("tacit", "never_worse")
    for case in CASES:
        readings |= measure("tacit", "scale", case)
    readings |= measure("tacit", "learn_from_rows")
    names = sorted({case.rpartition(", ")[0] for who, case, _ in readings if who == "independent"})
    prices = [(name, f"{name}, {epsilon:g}") for name in names for epsilon in EPSILONS]
    distances = [
        (case, *(shown(readings.get((who, case, figure))) for figure, who in _COLUMNS))
        for _, case in prices
    ]
    large = [
        (
            case,
            *(
                shown(readings.get(("tacit", case, figure)))
                for figure in ("pairs", "seconds", "memory")
            ),
            shown(readings.get(("shuffled columns", case, "pairs"))),
        )
        for case in CASES
    ]
    learnt = [
        (f"{who}, {case}", shown(value), shown(readings.get((who, case, "area"))))
        for (who, case, figure), value in readings.items()
        if figure == "accuracy"
    ]
    tables = [
        Table(
            "Every price",
            ("table, epsilon", "pairs", "independent", "triples", "independent", "estimated pairs"),
            distances,
        ),
        Table("Large tables", ("table", "pairs", "CPU s", "MB", "shuffled columns"), large),
        Table("Income predicted", ("learnt from", "accuracy", "area under the curve"), learnt),
    ]
    never = {
        f"{case}, {figure}": _ratio(readings, case, figure)
        for _, case in prices
        for figure in ("pairs", "triples")
    }
    requirement = Requirement(
        "no further off than independent columns, two standard errors allowed for", never
    )
    return Result("Synthetic tables where they are hard", tables, [requirement], [NOTE])


_COLUMNS = (
    ("pairs", "tacit"),
    ("pairs", "independent"),
    ("triples", "tacit"),
    ("triples", "independent"),
    ("estimated", "tacit"),
)


def _ratio(readings: Readings, case: str, figure: str) -> float | None:
    """By how much ours is nearer, two standard errors allowed for; 1 where nothing is paid for pairs: one mechanism."""
    ours, theirs = (readings.get((who, case, figure)) for who in ("tacit", "independent"))
    if ours is None or theirs is None:
        return None
    if readings.get(("tacit", case, "spent")) == 0:
        return 1.0
    both = [readings.get((who, case, f"{figure} error"), 0.0) for who in ("tacit", "independent")]
    return (theirs + 2 * float(hypot(*both))) / ours
