"""How many people a survey needs, how exact it will be, and what a trusted curator would give instead.

Checked by: tests/unit/local/test_choose_protocol.py::test_people_and_error_are_inverse
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, log, sqrt
from pathlib import Path

from tacit.errors import InvalidInput
from tacit.exact import Number, at_least, at_most, count_of
from tacit.frozen import frozen
from tacit.local.frequencies import quantile_of
from tacit.local.mean_protocol import MeanProtocol
from tacit.local.protocol import FrequencyProtocol

__all__ = ["SurveyPlan", "error_of_survey", "people_for_survey", "plan_survey"]


def error_of_survey(
    protocol: FrequencyProtocol | MeanProtocol,
    people: int,
    confidence: Number = 0.95,
    share: Number = 0,
) -> float:
    """How far an estimated share, or a mean, may lie from the truth, by the normal law.

    `share` is that of the value in question: of most protocols a frequent one has the larger error.

    >>> from tacit.local import KaryResponse
    >>> round(error_of_survey(KaryResponse.warner(1), people=10_000), 4)
    0.0188
    """
    count = count_of(people, "people", least=1)
    return quantile_of(confidence) * sqrt(_variance(protocol, share) / count)


def people_for_survey(
    protocol: FrequencyProtocol | MeanProtocol,
    error: Number,
    confidence: Number = 0.95,
    share: Number = 0,
) -> int:
    """How many people a survey needs for an error of at most this.

    >>> from tacit.local import KaryResponse
    >>> people_for_survey(KaryResponse.warner(1), error=0.01)
    35368
    """
    wanted = at_most(error, "error")
    if wanted <= 0:
        raise InvalidInput("error", error, "give an error above zero")
    return ceil(Fraction(quantile_of(confidence)) ** 2 * _variance(protocol, share) / wanted**2)


def _variance(protocol: FrequencyProtocol | MeanProtocol, share: Number) -> Fraction:
    held = at_least(share, "share")
    if not 0 <= held <= 1:
        raise InvalidInput("share", share, "give a number from 0 to 1")
    if isinstance(protocol, MeanProtocol):
        return max(protocol.variance(step) for step in (0, protocol.steps // 2, protocol.steps))
    return protocol.variance(held)


@frozen
class SurveyPlan:
    """The error of a share for several numbers of people, in the local and in the central model."""

    epsilon: float
    confidence: float
    people: tuple[int, ...]
    local: tuple[float, ...]
    central: tuple[float, ...]

    def plot(self, path: str | Path) -> None:
        """Draw both errors against the number of people into a file."""
        from tacit.local.pictures import draw_plan

        draw_plan(path, self)

    def __str__(self) -> str:
        lines = [f"error of a share at epsilon {self.epsilon:g}, {self.confidence:.0%} of the time"]
        for people, local, central in zip(self.people, self.local, self.central, strict=True):
            lines.append(
                f"  {people:>12,} people: local ± {local:.3%}, with a curator ± {central:.5%}"
            )
        return "\n".join(lines)


def plan_survey(
    protocol: FrequencyProtocol,
    people: tuple[int, ...] = (100, 1_000, 10_000, 100_000, 1_000_000),
    confidence: Number = 0.95,
) -> SurveyPlan:
    """The error of a share in the local model, and that of a curator who adds Laplace noise once.

    The one falls as 1 / (epsilon sqrt(n)), the other as 1 / (epsilon n).

    >>> from tacit.local import KaryResponse
    >>> plan = plan_survey(KaryResponse.warner(1), people=(100, 10_000))
    >>> [round(error, 6) for error in plan.local + plan.central]
    [0.188062, 0.018806, 0.029957, 0.0003]
    """
    epsilon, wanted = protocol.epsilon, float(at_least(confidence, "confidence"))
    local = tuple(error_of_survey(protocol, count, confidence) for count in people)
    central = tuple(log(1 / (1 - wanted)) / (epsilon * count) for count in people)
    return SurveyPlan(epsilon, wanted, tuple(people), local, central)
