"""Surveys in the local model: reports per CPU second, variances against their closed form, peers, heavy hitters."""

import resource
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import inf, sqrt
from time import process_time
from typing import Any

import columns
import numpy as np
from environments import Readings, measure, say
from report import Requirement, Result, Table, ratio, shown
from timing import best

from tacit.local import (
    CountMeanSketch,
    FrequencyProtocol,
    HadamardResponse,
    HeavyHitters,
    KaryResponse,
    LocalHashing,
    SubsetSelection,
    Unary,
    measure_poisoning,
)
from tacit.privacy import shuffled_epsilon

MILLION = 10**6
WIDTH = 31
PROTOCOLS: dict[str, Callable[[int, float], FrequencyProtocol]] = {
    "k-ary": KaryResponse,
    "unary, optimised": Unary,
    "unary, symmetric": Unary.symmetric,
    "local hashing": LocalHashing,
    "Hadamard": HadamardResponse,
    "subset": SubsetSelection,
    "count-mean sketch": partial(CountMeanSketch, width=WIDTH),
}
REQUIRED = {"unary, optimised": 1e6, "unary, symmetric": 1e6, "local hashing": 1e6, "Hadamard": 1e7}
NARROW = 0.007  # how far a measured variance may stray by chance, as one standard deviation
LEAST = 20_000  # squared errors, before their own spread is believed
SLOW = (
    "subset"  # a tenth of the people: what each adds to the variance does not depend on the others
)
SPARE = 20  # times as often as at a peer's, our error is measured beside it
HITTERS = {"Zipf 1.0 of 1,000 values": (1.0, 1_000), "Zipf 1.3 of 100,000 values": (1.3, 100_000)}
BESIDE = (
    "Above an epsilon of one, pure-ldp's Hadamard response divides values into blocks and has no closed form here; "
    "ours takes more bits of a row."
)
RETURNED, WANTED, TURNS = 20, 20, 5


def run() -> Result:
    """All tables, and what is required of them."""
    hitters = {name: find_hitters(*law) for name, law in HITTERS.items()}
    memory = peak_memory()  # of these alone: everything else comes after them
    rates = {name: rate(made(columns.AGES, 1.0)) for name, made in PROTOCOLS.items()}
    variances = measure_variances()
    peers = measure("multi_freq_ldpy", "local") | measure("pure_ldp", "local")
    ours = compare_peers()
    tables = [
        rate_table(rates),
        variance_table(variances),
        *(peer_table(ours, peers, *case) for case in columns.PEER_CASES),
        hitter_table(hitters),
        shuffle_table(),
        poison_table(),
    ]
    return Result(
        "The local model",
        tables,
        [
            Requirement(
                "encode and collect 10^6 reports: 10^6 a CPU second, Hadamard 10^7",
                {name: rates[name] / wanted for name, wanted in REQUIRED.items()},
            ),
            Requirement(
                "empirical variance within 3 % of the closed form",
                {case: 0.03 / max(abs(found - 1), 1e-9) for case, (found, _) in variances.items()},
            ),
            Requirement(
                "expected error, by closed form, at most 1.001 of pure-ldp's",
                compare_closed_forms(peers),
            ),
            Requirement(
                "measured error at most 1.08 of the peers', which is measured to 2 %",
                margins(ours, peers),
            ),
            Requirement(
                f"of the {WANTED} most frequent values 90 % among {RETURNED} returned",
                {name: found[0] / 0.9 for name, found in hitters.items()},
            ),
        ],
        [
            f"Columns: {columns.source()}. In brackets: one standard deviation of what was measured. {BESIDE}",
            f"Peak memory of the process that found heavy hitters: {memory:,} MB.",
            *describe_failures(peers),
        ],
    )


def rate(protocol: FrequencyProtocol) -> float:
    """Reports per CPU second, encoded and collected."""
    held = np.resize(columns.age_column(), MILLION)
    return MILLION / best(lambda: protocol.collect(protocol.encode_all(held)), least=3)


def measure_variances() -> dict[str, tuple[float, float]]:
    """The mean squared error over that of the closed form, by protocol, column and epsilon."""
    found = {}
    for count, column in (
        (columns.AGES, columns.age_column()),
        (columns.LECTURERS, columns.lecturer_column()),
    ):
        for epsilon in columns.EPSILONS:
            for name, made in PROTOCOLS.items():
                case = columns.peer_case(name, count, epsilon)
                held = column[: len(column) // 10] if name == SLOW else column
                found[case] = variance_ratio(made(count, epsilon), held)
                say(f"{case}: {found[case][0]:.4f} ± {found[case][1]:.4f}")
    return found


def variance_ratio(protocol: FrequencyProtocol, held: Any) -> tuple[float, float]:
    """The mean squared error of all counts over its expected value, and the deviation of this ratio.

    Errors of one survey may go together, so the deviation is that between whole surveys.
    """
    count = len(protocol.values)
    truth = np.bincount(held, minlength=count)
    expected = sum(float(protocol.variance(Fraction(int(c), len(held)))) for c in truth) / count
    found: list[float] = []
    deviation = inf
    while len(found) * count < LEAST or deviation > NARROW:
        found.append(mean_error(protocol, held, truth)[0] / expected)
        deviation = float(np.std(found, ddof=1)) / sqrt(len(found)) if len(found) > 9 else inf
    return float(np.mean(found)), deviation


def mean_error(protocol: FrequencyProtocol, held: Any, truth: Any) -> tuple[float, float]:
    """The mean squared error of a count for each person: unbiased, and shrunk to the simplex."""
    found = protocol.collect(protocol.encode_all(held))
    return tuple(  # type: ignore[return-value]
        float(np.square(counts - truth).mean() / len(held))
        for counts in (found.counts, found.shrunk())
    )


def compare_peers() -> dict[str, tuple[float, float]]:
    """Our errors on what the peers are measured on."""
    found = {}
    for count, epsilon in columns.PEER_CASES:
        held = columns.peer_column(count)
        truth = np.bincount(held, minlength=count)
        for name, made in PROTOCOLS.items():
            protocol = made(count, epsilon)
            times = columns.peer_turns(count) * (3 if name == SLOW else SPARE)
            turns = np.array([mean_error(protocol, held, truth) for _ in range(times)])
            plain, shrunk = turns.mean(axis=0).tolist()
            found[columns.peer_case(name, count, epsilon)] = (plain, shrunk)
    return found


def compare_closed_forms(peers: Readings) -> dict[str, float | None]:
    """1.001 times the expected error of theirs over ours; our odds are rational, theirs are not."""
    margins = {}
    for count, epsilon in columns.PEER_CASES:
        for name, made in PROTOCOLS.items():
            case = columns.peer_case(name, count, epsilon)
            theirs = peers.get(("pure-ldp", case, "closed"))
            ours = float(made(count, epsilon).variance(Fraction(1, count)))
            margins[case] = ratio(None if theirs is None else 1.001 * theirs, ours)
    return margins


def margins(ours: dict[str, tuple[float, float]], peers: Readings) -> dict[str, float | None]:
    """1.08 times their error over ours, shrunk where theirs is clipped."""
    found = {}
    for (who, case, figure), value in peers.items():
        if figure in {"error", "clipped"}:
            found[f"{case}, {who}"] = ratio(1.08 * value, ours[case][figure == "clipped"])
    return found


def describe_failures(peers: Readings) -> list[str]:
    """What the peers said where they failed, once each."""
    said: dict[tuple[str, str, str], str] = {}
    for who, case, figure in peers:
        if figure not in {"error", "clipped", "rate", "closed"}:
            said.setdefault((who, case.split(", k = ")[0], figure), case)
    return [f"{who}, {name}: it fails ({text})." for who, name, text in said]


def find_hitters(power: float, values: int) -> tuple[float, float, float]:
    """Recall of the most frequent values, and CPU seconds to encode and to find them."""
    generator = np.random.default_rng(18)
    hitters = HeavyHitters(32, epsilon=2)
    recalls, encoding, finding = [], 0.0, 0.0
    for _ in range(TURNS):
        weights = 1 / np.arange(1, values + 1) ** power
        names = generator.integers(0, 1 << 32, values)
        held = names[generator.choice(values, MILLION, p=weights / weights.sum())]
        kinds, counts = np.unique(held, return_counts=True)
        wanted = set(kinds[np.argsort(-counts)[:WANTED]].tolist())
        start = process_time()
        reports = hitters.encode_all(held)
        middle = process_time()
        found = hitters.find(reports, top=RETURNED)
        encoding, finding = encoding + middle - start, finding + process_time() - middle
        recalls.append(len(wanted & {hitter.value for hitter in found}) / WANTED)
    return float(np.mean(recalls)), encoding / TURNS, finding / TURNS


def peak_memory() -> int:
    """Of this process until now, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def rate_table(rates: dict[str, float]) -> Table:
    """Reports per CPU second."""
    rows = [(name, shown(found / 1e6)) for name, found in rates.items()]
    return Table(
        "Encode and collect 10^6 reports, k = 85, epsilon 1: millions a CPU second",
        ("protocol", "M/s"),
        rows,
    )


def variance_table(variances: dict[str, tuple[float, float]]) -> Table:
    """A row for each protocol and column."""
    rows = [
        (
            f"{name}, k = {count}",
            *(
                "{:.3f} ({:.3f})".format(*variances[columns.peer_case(name, count, epsilon)])
                for epsilon in columns.EPSILONS
            ),
        )
        for count in (columns.AGES, columns.LECTURERS)
        for name in PROTOCOLS
    ]
    heads = ("protocol and column", *(f"epsilon {epsilon:g}" for epsilon in columns.EPSILONS))
    return Table("Empirical variance over the closed form", heads, rows)


def peer_table(
    ours: dict[str, tuple[float, float]], peers: Readings, count: int, epsilon: float
) -> Table:
    """Squared errors of a count for each person, ours and theirs."""
    rows = []
    for name, made in PROTOCOLS.items():
        case = columns.peer_case(name, count, epsilon)
        plain, shrunk = ours[case]
        expected = float(made(count, epsilon).variance(Fraction(1, count)))
        row = [name, shown(expected), shown(plain)]
        row.append(shown(peers.get(("pure-ldp", case, "error"))))
        row.append(shown(peers.get(("pure-ldp", case, "rate"), 0) / 1e6))
        row.append(shown(shrunk))
        row.append(shown(peers.get(("multi-freq-ldpy", case, "clipped"))))
        row.append(shown(peers.get(("multi-freq-ldpy", case, "rate"), 0) / 1e6))
        rows.append(tuple("–" if cell == "0.000" else cell for cell in row))
    heads = (
        "protocol",
        "closed form",
        "ours",
        "pure-ldp",
        "its M/s",
        "ours, shrunk",
        "multi-freq-ldpy, clipped",
        "its M/s",
    )
    title = f"k = {count}, epsilon {epsilon:g}: squared error of a count, for each person"
    return Table(title, heads, rows)


def hitter_table(hitters: dict[str, tuple[float, float, float]]) -> Table:
    """Recall and seconds."""
    rows = [
        (name, shown(found[0]), shown(found[1]), shown(found[2])) for name, found in hitters.items()
    ]
    heads = ("law", f"recall of {WANTED} among {RETURNED}", "encode, CPU s", "find, CPU s")
    return Table(
        f"Heavy hitters: 10^6 people, 2^32 values, epsilon 2, mean of {TURNS}", heads, rows
    )


def shuffle_table() -> Table:
    """Central epsilons of shuffled reports, and milliseconds."""
    rows = []
    for local in (0.5, 1.0, 2.0, 4.0):
        row = [f"{local:g}"]
        for people in (10**4, 10**5, 10**6):
            start = process_time()
            found = shuffled_epsilon(local, people, 1e-6)
            row.append(f"{found:.4f} ({(process_time() - start) * 1e3:.0f} ms)")
        rows.append(tuple(row))
    heads = ("local epsilon", "10^4 people", "10^5 people", "10^6 people")
    return Table("Shuffled reports of any protocol: central epsilon at delta 10^-6", heads, rows)


def poison_table() -> Table:
    """What one report in a hundred, forged, adds to the share of a value."""
    rows = []
    for name, made in PROTOCOLS.items():
        row = [name]
        for epsilon in columns.EPSILONS:
            found = measure_poisoning(
                made(columns.AGES, epsilon), columns.age_column()[:20_000], 80, Fraction(1, 100)
            )
            row.append(f"{found.gain:+.3f} (bound {found.bound:.3f})")
        rows.append(tuple(row))
    heads = ("protocol", *(f"epsilon {epsilon:g}" for epsilon in columns.EPSILONS))
    return Table("1 % forged reports for one value: what they add to its share", heads, rows)


if __name__ == "__main__":
    print(run())
