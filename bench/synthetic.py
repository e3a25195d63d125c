"""Synthetic tables: how far their marginals are from the real ones, and what they cost; ours and dpmm's."""

from environments import Readings, measure
from report import Requirement, Result, Table, shown

EPSILONS = ("0.03", "0.1", "1", "10")
# The most that the mean distance of pairs and of triples may be, on Adult.
MOST = {"0.1": (0.185, 0.335), "1": (0.065, 0.162), "10": (0.034, 0.115)}
SECONDS, SCORE = 5.0, 976.0
PEERS = ("dpmm MST", "dpmm AIM")
WHO = ("tacit", *PEERS, "shuffled columns")
NOTE = (
    "Mean L1 distance, 0 to 2, of all pairs and of 120 triples of columns between synthetic and real rows; (epsilon, "
    "1e-9)-DP, neighbours by add-or-remove, means over seeds; the peers are slow and get fewer. Shuffled "
    "columns are real ones without noise and without any pair. Estimated is the mean of what `report()` says of pairs. "
    "CPU seconds are those of one call."
)
FIGURES = ("pairs", "triples", "estimated", "score", "seconds")


def run() -> Result:
    """Tables of distances, scores and seconds."""
    readings: Readings = {}
    for peer in ("tacit", "dpmm"):
        readings |= measure(peer, "synthetic")
    cases = sorted(
        {case for _, case, _ in readings}, key=lambda case: (case.split(",")[0], len(case), case)
    )
    rows = [
        (
            f"{case}, {who}",
            shown(readings.get((who, case, "seeds")), 0),
            *(shown(readings.get((who, case, figure))) for figure in FIGURES),
        )
        for case in cases
        for who in WHO
        if (who, case, "pairs") in readings
    ]
    rows += [
        (f"{case}, {who}", f"did not finish in {value:g} CPU s", *["–"] * 5)
        for (who, case, figure), value in readings.items()
        if figure == "unfinished"
    ]
    heads = ("table, epsilon, who", "seeds", "pairs", "triples", "estimated", "k-marginal", "CPU s")
    requirements = [
        Requirement("pairs and triples of Adult no further off than required", _margins(readings)),
        Requirement("pairs of Adult nearer than each peer's", _peers(readings, "pairs")),
        Requirement("in less time than each peer", _peers(readings, "seconds")),
        Requirement(
            f"Adult at epsilon 1 in at most {SECONDS:g} CPU s",
            {"Adult, 1": _over(SECONDS, readings.get(("tacit", "Adult, 1", "seconds")))},
        ),
        Requirement(
            f"a k-marginal score of {SCORE:g} on NIST's excerpt",
            {"NIST, 1": _over(readings.get(("tacit", "NIST, 1", "score")), SCORE)},
        ),
        Requirement("estimated errors of pairs within a quarter", _estimates(readings)),
        Requirement(
            "all marginals of Adult within 1.002 of the least error",
            {"Adult": _over(1.002 * 10.665, readings.get(("tacit", "Adult, marginals", "error")))},
        ),
        Requirement(
            "94 to 96 % of their intervals hold",
            {"Adult": _coverage(readings.get(("tacit", "Adult, marginals", "held")))},
        ),
    ]
    marginals = _marginals(readings)
    return Result(
        "Synthetic tables", [Table("Distances", heads, rows), marginals], requirements, [NOTE]
    )


def _marginals(readings: Readings) -> Table:
    """The error of all marginals of at most three columns at rho = 1/2, and how often intervals hold."""
    found = [
        readings.get(("tacit", "Adult, marginals", figure))
        for figure in ("error", "held", "seconds")
    ]
    heads = ("all marginals of at most 3 columns", "RMSE", "intervals that hold", "CPU s")
    digits = (5, 4, 3)
    cells = [shown(value, count) for value, count in zip(found, digits, strict=True)]
    return Table("Marginals", heads, [("Adult, rho = 1/2", *cells)])


def _margins(readings: Readings) -> dict[str, float | None]:
    """How much nearer than required each case is."""
    found: dict[str, float | None] = {}
    for epsilon, limits in MOST.items():
        for figure, most in zip(("pairs", "triples"), limits, strict=True):
            value = readings.get(("tacit", f"Adult, {epsilon}", figure))
            found[f"{epsilon}, {figure}"] = _over(most, value)
    return found


def _estimates(readings: Readings) -> dict[str, float | None]:
    """By how much the error of an estimate stays below a quarter."""
    found: dict[str, float | None] = {}
    for (who, case, figure), value in readings.items():
        if who == "tacit" and figure == "estimated":
            off = abs(value / readings[who, case, "pairs"] - 1)
            found[case] = _over(0.25, max(off, 1e-9))
    return found


def _peers(readings: Readings, figure: str) -> dict[str, float | None]:
    """How many times as much each peer has of a figure, on Adult."""
    case = "Adult, 1"
    ours = readings.get(("tacit", case, figure))
    return {peer: _over(readings.get((peer, case, figure)), ours) for peer in PEERS}


def _coverage(held: float | None) -> float | None:
    """By how much the distance of a share from 95 % stays below one in a hundred."""
    return None if held is None else 0.01 / max(abs(held - 0.95), 1e-9)


def _over(above: float | None, below: float | None) -> float | None:
    return None if above is None or below is None else above / below
