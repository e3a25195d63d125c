"""How far a sum of doubles may be off because each of them was rounded to the grid on which they are added."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.curator.answer.intervals import Drawn, Noisy
from tacit.plan import Counted, Kind, Measure, Question, Summed, count_measure, type_of

__all__ = ["count_of_rows", "grid_rounding", "is_rounded", "sure_of_noise"]

_SHARE = 1 / 64  # of the chance to be wrong, what is left for the number of rows that were rounded


def is_rounded(measure: Measure) -> bool:
    """Whether what is added up was rounded first: doubles are, integers are added as they are."""
    return isinstance(measure, Summed) and type_of(measure.value).kind is Kind.NUMBER


def count_of_rows(question: Question, place: int) -> int | None:
    """The place of a count of the rows that a sum adds up, perhaps among others; None if none was asked for."""
    measure = question.measures[place]
    assert isinstance(measure, Summed), "what is rounded is added up"
    enough = (Counted(), count_measure(measure.value))
    beside = question.places_beside(place)
    return next((at for at in beside if question.measures[at] in enough), None)


def sure_of_noise(confidence: float) -> float:
    """How sure the noise's part of an interval must be, where the number of rows takes a share."""
    return 1 - (1 - confidence) * (1 - _SHARE)


def grid_rounding(
    question: Question, noisy: Sequence[Noisy | Drawn | None], place: int, confidence: float
) -> float:
    """How far rounding moved a group's sum at most; zero where it moved nothing, or no count bounds the rows.

    Claim:      the sum of the values and that of the rounded ones differ by no more than this, but for a 64th of the
                chance that `confidence` leaves.
    Because:    rounding moves a value by half a step at most, so that the sum moves by half a step times the weight of
                the rows that it adds up.  That is at most the exact count of those rows, or of all rows of the group,
                which lies within the interval of the released one.
    Checked by: tests/unit/curator/answer/test_rounding_error.py
    """
    measure = question.measures[place]
    if not isinstance(measure, Summed) or not is_rounded(measure):
        return 0.0
    at = count_of_rows(question, place)
    count = None if at is None else noisy[at]
    if not isinstance(count, Noisy):
        return 0.0
    return max(0.0, count.interval(1 - (1 - confidence) * _SHARE).high) * float(measure.step / 2)
