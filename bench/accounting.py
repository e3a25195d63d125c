"""Epsilon of six compositions and the CPU seconds it takes: ours and the peers', with no floor but the truth."""

from cases import COMPOSITIONS, DELTA
from environments import Readings, measure
from report import Requirement, Result, Table, ratio, shown

LOOSE = ("dp-accounting RDP", "OpenDP zCDP")  # bounds through moments
TIGHT = ("dp-accounting PLD", "prv-accountant")  # sums of privacy losses
SHOWN = ("tacit", *TIGHT, *LOOSE)
HAIR = 1.001  # how far above another tight epsilon ours may be
HALF = 0.5  # of their CPU time may ours be


def run() -> Result:
    """The table of epsilons and times."""
    readings: Readings = {}
    for peer in ("tacit", "dp_accounting", "prv_accountant", "opendp"):
        readings |= measure(peer, "accounting")
    cases = [composition.name for composition in COMPOSITIONS]

    def table(title: str, figure: str, digits: int, unit: float = 1) -> Table:
        rows = [
            (
                case,
                *(shown(ratio(readings.get((who, case, figure)), unit), digits) for who in SHOWN),
            )
            for case in cases
        ]
        return Table(title, ("composition", *SHOWN), rows)

    def margins(
        figure: str, rivals: tuple[str, ...], allowed: float = 1
    ) -> dict[str, float | None]:
        """How many times the allowed part of theirs is ours; more than one is better than needed."""
        return {
            f"{case}, {rival}": ratio(
                readings.get((rival, case, figure)),
                ratio(readings.get(("tacit", case, figure)), allowed),
            )
            for case in cases
            for rival in rivals
        }

    return Result(
        "Accounting",
        [
            table(f"Epsilon at delta {DELTA:g}", "epsilon", 6),
            table("CPU milliseconds", "seconds", 3, 1e-3),
        ],
        [
            Requirement("epsilon never above that of moments", margins("epsilon", LOOSE)),
            Requirement(
                "epsilon at most 0.1 % above other tight ones", margins("epsilon", TIGHT, HAIR)
            ),
            Requirement("time at most half of theirs", margins("seconds", TIGHT, HALF)),
        ],
    )
