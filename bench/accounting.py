"""Epsilon of three compositions and the CPU seconds it takes: ours and the peers', with no floor but the truth."""

from cases import COMPOSITIONS, DELTA
from environments import ROOT, Readings, measure
from report import Requirement, Result, Table, ratio, shown

RIVALS = ("dp-accounting RDP", "OpenDP zCDP")
SHOWN = ("tacit", *RIVALS, "dp-accounting PLD")


def run() -> Result:
    """The table of epsilons and times."""
    readings: Readings = {}
    peers = ["dp_accounting", "opendp"]
    notes = []
    if (ROOT / "src" / "tacit" / "accounting" / "__init__.py").exists():
        peers.insert(0, "tacit")
    else:
        notes.append(
            "Skipped for Tacit: there is no `tacit.accounting` yet; the peers' figures are what it has to meet."
        )
    for peer in peers:
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

    def margins(figure: str) -> dict[str, float | None]:
        return {
            f"{case}, {rival}": ratio(
                readings.get((rival, case, figure)), readings.get(("tacit", case, figure))
            )
            for case in cases
            for rival in RIVALS
        }

    return Result(
        "Accounting",
        [
            table(
                f"Epsilon at delta {DELTA:g} (dp-accounting's PLD for information)", "epsilon", 6
            ),
            table("CPU milliseconds", "seconds", 3, 1e-3),
        ],
        [
            Requirement("epsilon never above theirs", margins("epsilon")),
            Requirement("time at most theirs", margins("seconds")),
        ],
        notes,
    )
