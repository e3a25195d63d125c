"""Samples per CPU second, and the cost of one draw: ours, the peers' mechanisms, and NumPy's floats as the floor."""

from cases import NOISES, SAMPLES
from environments import Readings, measure
from report import Requirement, Result, Table, ratio, shown

INTEGERS, FLOATS, NUMPY_SHARE, DRAW_SECONDS = 40, 150, 0.1, 100e-6
RATES = (
    "tacit sampler",
    "tacit integers",
    "tacit reals",
    "OpenDP integers",
    "OpenDP floats",
    "diffprivlib",
    "NumPy floats",
)
DRAWS = ("tacit", "OpenDP", "diffprivlib")


def run(full: bool = False) -> Result:
    """The tables of rates, of ratios and of single draws; in full, OpenDP draws as many samples as the others."""
    readings: Readings = {}
    for peer in ("tacit", "numpy", "diffprivlib"):
        readings |= measure(peer, "noise")
    readings |= measure("opendp", "noise_full" if full else "noise")
    cases = [str(noise) for noise in NOISES]

    def rate(who: str, case: str) -> float | None:
        return readings.get((who, case, "rate"))

    def draw(who: str, case: str, figure: str = "draw") -> float | None:
        return readings.get((who, case, figure))

    against_integers = {
        case: ratio(rate("tacit integers", case), rate("OpenDP integers", case)) for case in cases
    }
    against_floats = {
        case: ratio(rate("tacit reals", case), rate("OpenDP floats", case)) for case in cases
    }
    against_diffprivlib = {
        case: ratio(rate("tacit reals", case), rate("diffprivlib", case)) for case in cases
    }
    against_numpy = {
        case: ratio(rate("tacit integers", case), rate("NumPy floats", case)) for case in cases
    }

    rates = [(case, *(shown(ratio(rate(who, case), 1e6)) for who in RATES)) for case in cases]
    ratios = [
        (
            case,
            shown(against_integers[case], unit=" ×"),
            shown(against_floats[case], unit=" ×"),
            shown(against_diffprivlib[case], unit=" ×"),
            shown(against_numpy[case], 2, unit=" ×"),
        )
        for case in cases
    ]
    draws = [
        (
            case,
            *(shown(ratio(draw(who, case), 1e-6)) for who in DRAWS),
            shown(ratio(draw("tacit", case, "first"), 1e-3)),
        )
        for case in cases
    ]
    laplaces = [case for case in cases if case.startswith("Laplace")]
    peer_samples = (
        f"OpenDP {SAMPLES if full else SAMPLES // 10:,}, diffprivlib 20,000, all others {SAMPLES:,}"
    )
    heads = (
        "noise",
        "integers / OpenDP integers",
        "reals / OpenDP floats",
        "reals / diffprivlib",
        "integers / NumPy floats",
    )
    return Result(
        "Noise",
        [
            Table(
                f"Million samples per CPU second (samples drawn: {peer_samples})",
                ("noise", *RATES),
                rates,
            ),
            Table("Ours over theirs", heads, ratios),
            Table(
                "One draw, CPU microseconds; and the first draw of a new scale",
                ("noise", *DRAWS, "tacit first, ms"),
                draws,
            ),
        ],
        [
            Requirement(
                f"at least {INTEGERS} × OpenDP's integer mechanism",
                _over(against_integers, INTEGERS),
            ),
            Requirement(
                f"at least {FLOATS} × OpenDP's float mechanism", _over(against_floats, FLOATS)
            ),
            Requirement(
                f"at least {NUMPY_SHARE} × NumPy's float Laplace",
                _over({case: against_numpy[case] for case in laplaces}, NUMPY_SHARE),
            ),
            Requirement(
                f"one draw below {DRAW_SECONDS * 1e6:.0f} µs",
                {case: ratio(DRAW_SECONDS, draw("tacit", case)) for case in cases},
            ),
        ],
    )


def _over(ratios: dict[str, float | None], least: float) -> dict[str, float | None]:
    return {case: ratio(value, least) for case, value in ratios.items()}
