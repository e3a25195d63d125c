"""Rates against theory: what is accused, what is not, and how a report reads."""

from dataclasses import replace
from math import comb
from pathlib import Path

import pytest

from tacit.audit.attacks.report import AttackReport, Line, Rate


def exact_tail(tries: int, mean: float, at_least: int) -> float:
    return sum(
        comb(tries, k) * mean**k * (1 - mean) ** (tries - k) for k in range(at_least, tries + 1)
    )


@pytest.mark.parametrize("mean", [0.02, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("false_alarm", [1e-2, 1e-6])
def test_a_right_rate_is_accused_no_more_often_than_stated(mean: float, false_alarm: float) -> None:
    tries = 200
    accused = [k for k in range(tries + 1) if not Rate(k, tries, mean).agrees(false_alarm)]
    chance = sum(comb(tries, k) * mean**k * (1 - mean) ** (tries - k) for k in accused)
    assert 0 < chance <= false_alarm
    first = min(
        (k for k in range(tries + 1) if Rate(k, tries).exceeds(mean, false_alarm)),
        default=tries + 1,
    )
    assert exact_tail(tries, mean, first) <= false_alarm


def test_what_never_happens_in_theory_is_accused_when_it_happens_once() -> None:
    assert not Rate(999, 1000, 1.0).agrees(1e-9)
    assert not Rate(1, 1000, 0.0).agrees(1e-9)
    assert Rate(1000, 1000, 1.0).agrees(1e-9)
    assert Rate(1, 1000).exceeds(0.0, 1e-9)


def test_nothing_tried_accuses_nobody() -> None:
    assert Rate(0, 0).share == 0
    assert Rate(0, 0, 0.5).agrees(1e-6)


def test_a_share_below_the_allowed_one_is_never_accused() -> None:
    assert not Rate(0, 10_000).exceeds(0.5, 1e-6)
    assert Rate(0, 10_000).agrees(1e-6)  # without an expectation there is none to miss


def report(naive: float = 0.99, tacit: float = 0.6, other: float = 0.5) -> AttackReport:
    return AttackReport(
        "sample",
        "yes or no?",
        Rate(1000 * naive, 1000, 0.99),
        Rate(1000 * tacit, 1000, 0.6),
        allowed=0.65,
        chance=0.5,
        sentence="A sentence.",
        also=(("a third", Rate(1000 * other, 1000, 0.5)),),
        lines=(
            Line("naive", "naive", (1, 10), (0.5, 0.9)),
            Line("Tacit", "tacit", (1,), (0.6,), measured=True),
            Line("most", "allowed", (1, 10), (0.65, 0.65)),
        ),
        across="things",
        logarithmic=True,
    )


def test_complaints_name_what_departs_from_theory() -> None:
    assert report().complaints() == []
    assert ["naive" in text for text in report(naive=0.8).complaints()] == [True]
    assert ["a third" in text for text in report(other=0.7).complaints()] == [True]
    both = report(tacit=0.9).complaints()
    assert len(both) == 2
    assert "allows no attack more than 65.0%" in both[1]


def test_a_report_reads_as_text() -> None:
    text = str(report())
    assert "the naive release   99.0% ± 0.6 of 1,000   in theory 99.0%" in text
    assert "no attack has more than 65.0%" in text
    assert text.endswith("A sentence.")


@pytest.mark.parametrize("lines", [True, False])
def test_a_report_is_drawn(tmp_path: Path, lines: bool) -> None:
    sample = report() if lines else replace(report(), lines=())
    path = tmp_path / "sample.png"
    figure = sample.plot(str(path))
    assert len(figure.axes) == 1 + lines
    assert path.stat().st_size > 5000
    labels = [label.get_text().replace("\n", " ") for label in figure.axes[0].get_xticklabels()]
    assert labels == ["naive release", "Tacit", "a third"]
