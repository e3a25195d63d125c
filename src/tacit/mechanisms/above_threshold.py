"""Above threshold, the sparse vector: many questions asked, only those few paid for that are answered with yes."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from fractions import Fraction
from functools import cache
from math import ceil, exp, log1p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Exhausted, InvalidData, InvalidInput, TooLarge
from tacit.exact import (
    Ball,
    Number,
    at_most,
    ball,
    count_of,
    discrete_laplace,
    float_at_least,
    hull,
    log,
    upper,
    working,
)
from tacit.frozen import frozen
from tacit.mechanisms.grid_steps import checked_scale, sensitivity_of, whole
from tacit.mechanisms.noise_law import LaplaceLaw, Released
from tacit.mechanisms.parameters import confidence_of, price_of
from tacit.privacy import Loss, Neighbours, PureLoss, Sensitivity, fill

__all__ = ["AboveThreshold", "Session"]

Answer = bool | int
Outcome = tuple[bool | int | None, ...]
_QUESTIONS_AT_MOST = 12
_NATS = 80  # e**-80 < 2**-115: what the listed noise of the threshold leaves out
_FAR = 40  # and e**-40 < 1e-17, where an error is worked out in floats
_BLOCKS = 1 << 12


@frozen(init=False)
class AboveThreshold:
    """Whether one value after the other is above a threshold, until `count` of them were; all else is free.

    The threshold gets noise of `threshold_scale` once, every value noise of `value_scale`; with `answer_scale`, a value
    that is above is also told, with fresh noise.

    Claim:      if every value moves by at most D between neighbours, all answers of a session together cost the pure
                epsilon D / threshold_scale + 2 count D / value_scale + count D / answer_scale; without the 2 if all
                values move the same way (monotone, under add-or-remove).
    Because:    move the noisy threshold by D, and the noise of the `count` values above it by 2 D (by D if monotone:
                no value then crosses the moved threshold the wrong way): the same answers come out.  Values below
                only get further below.  What was compared is never told (Lyu, Su, Li 2017, Theorems 2 and 5).
    Checked by: tests/laws/test_sparse_vector.py

    >>> alarm = AboveThreshold.calibrate(epsilon=1, sensitivity=1, count=2)
    >>> session = alarm.begin(threshold=1000)
    >>> [session.ask(value) for value in (0, 5000, 10, 6000)]
    [False, True, False, True]
    >>> session.left
    0
    """

    threshold_scale: Fraction
    value_scale: Fraction
    answer_scale: Fraction | None
    count: int
    monotone: bool

    def __init__(
        self,
        threshold_scale: Number,
        value_scale: Number,
        answer_scale: Number | None = None,
        count: int = 1,
        monotone: bool = False,
    ) -> None:
        fill(
            self,
            threshold_scale=checked_scale(threshold_scale, "threshold_scale", None),
            value_scale=checked_scale(value_scale, "value_scale", None),
            answer_scale=None
            if answer_scale is None
            else checked_scale(answer_scale, "answer_scale", None),
            count=count_of(count, "count", least=1, most=1 << 40),
            monotone=bool(monotone),
        )

    @classmethod
    def calibrate(
        cls,
        epsilon: Number,
        sensitivity: Sensitivity | Number,
        count: int = 1,
        *,
        numeric: bool = False,
        monotone: bool = False,
    ) -> AboveThreshold:
        """The mechanism whose loss is at most epsilon, split between threshold and values so that errors are least.

        With w = 2 count (count if monotone), the threshold gets the share 1 / (1 + w**(2/3)); numbers get half of all.

        >>> AboveThreshold.calibrate(epsilon=1, sensitivity=1, count=4).value_scale
        Fraction(10, 1)
        """
        price, steps = price_of(epsilon), _steps(sensitivity)
        often = count_of(count, "count", least=1, most=1 << 40)
        _check_unit(sensitivity_of(sensitivity), monotone)
        numbers = price / 2 if numeric else Fraction(0)
        weight = often * (1 if monotone else 2)
        share = Fraction(round((1 << 20) / (1 + weight ** (2 / 3))), 1 << 20)
        share = Fraction(1, 5) if weight == 8 else max(share, Fraction(1, 1 << 20))  # 8**(2/3) is 4
        first = (price - numbers) * share
        second = price - numbers - first
        told = often * steps / numbers if numeric else None
        return cls(steps / first, weight * steps / second, told, often, monotone)

    @classmethod
    def within(
        cls,
        error: Number,
        confidence: Number,
        answers: int,
        sensitivity: Sensitivity | Number = 1,
        count: int = 1,
        *,
        numeric: bool = False,
        monotone: bool = False,
    ) -> AboveThreshold:
        """The cheapest mechanism that calls so many values rightly, but for those within `error` of the threshold.

        >>> AboveThreshold.within(error=50, confidence=0.95, answers=100).error(confidence=0.95, answers=100)
        50
        """
        most = at_most(error, "error")
        if most < 1:
            raise InvalidInput("error", error, "give an error of at least 1")

        def tried(price: Fraction) -> tuple[AboveThreshold, bool]:
            made = cls.calibrate(price, sensitivity, count, numeric=numeric, monotone=monotone)
            return made, made.error(confidence, answers) <= most

        low, high = Fraction(0), Fraction(1)
        while not tried(high)[1]:
            low, high = high, 2 * high
        for _ in range(20):
            middle = (low + high) / 2
            low, high = (low, middle) if tried(middle)[1] else (middle, high)
        return tried(high)[0]

    def begin(self, threshold: int) -> Session:
        """A session: the noise of the threshold is drawn now, and the whole price is to be paid now."""
        return Session(self, _integer(threshold))

    def draw_threshold(self, threshold: int) -> int:
        """The threshold with its noise: drawn once for all values of a session, and never told."""
        return _integer(threshold) + discrete_laplace(self.threshold_scale)

    def is_above(self, value: int, noisy_threshold: int) -> bool:
        """Whether a value with fresh noise is at or above a noisy threshold."""
        return _integer(value) + discrete_laplace(self.value_scale) >= noisy_threshold

    def loss(self, sensitivity: Sensitivity | Number) -> Loss:
        """What all answers of a session cost together, if each value moves by at most this much between neighbours."""
        unit, steps = sensitivity_of(sensitivity), _steps(sensitivity)
        _check_unit(unit, self.monotone)
        each = self.count * (1 if self.monotone else 2)
        told = Fraction(0) if self.answer_scale is None else self.count * steps / self.answer_scale
        return PureLoss(
            steps / self.threshold_scale + each * steps / self.value_scale + told, unit.neighbours
        )

    def error_bound(self, confidence: Number, answers: int) -> float:
        """The theorem: with this probability no value is called wrongly that is further from the threshold than this.

        It is threshold_scale ln(2 / beta) + value_scale ln(2 answers / beta).

        >>> round(AboveThreshold.calibrate(epsilon=1, sensitivity=1).error_bound(0.95, answers=100), 1)
        36.6
        """
        beta, many = 1 - confidence_of(confidence), count_of(answers, "answers", least=1)
        with working():
            first, second = upper(log(2 / beta)), upper(log(2 * many / beta))
        return float_at_least(self.threshold_scale * first + self.value_scale * second)

    def error(self, confidence: Number, answers: int = 1) -> int:
        """A distance beyond which no value of so many is called wrongly, with at least this probability.

        Claim:      with at least this probability, every value called above is at least threshold - error, and every
                    value called below is at most threshold + error, whatever the values are.
        Because:    that is so if the noise of every value, less that of the threshold, stays within the error; given
                    the latter they are independent.  The law of the threshold's noise is summed step by step,
                    or for a scale above 50 in 4096 blocks, each at its worse end.
        Checked by: tests/laws/test_sparse_vector.py

        >>> AboveThreshold.calibrate(epsilon=1, sensitivity=1).error(0.95, answers=100)
        26
        """
        wanted, many = float(confidence_of(confidence)), count_of(answers, "answers", least=1)
        low, high = -1, max(1, ceil(self.error_bound(confidence, many)))
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (
                (low, middle) if self._rightly(middle, many) >= wanted + 1e-12 else (middle, high)
            )
        return high

    def _rightly(self, error: int, answers: int) -> float:
        """The probability that all calls are right but for values within the error; a little less if in blocks."""
        scale, wide = float(self.threshold_scale), float(self.value_scale)
        reach = ceil(_FAR * scale)
        width = max(1, ceil((2 * reach + 1) / _BLOCKS))
        starts = np.arange(-reach, reach + 1, width, dtype=np.float64)
        ends = starts + width - 1
        masses = _upto(ends, scale) - _upto(starts - 1, scale)
        both = [
            _upto(error + place, wide) - _upto(place - error - 2, wide) for place in (starts, ends)
        ]
        with np.errstate(divide="ignore"):
            return float(
                (masses * np.exp(answers * np.log(np.maximum(np.minimum(*both), 0)))).sum()
            )

    def distribution(
        self, values: Sequence[int], threshold: int, low: int | None = None, high: int | None = None
    ) -> dict[Outcome, Ball]:
        """The exact probability of every sequence of answers to these values, asked one after the other.

        A sequence ends with the last answer that is paid for.  Numbers are clamped to low … high, which must then be
        given.

        >>> from tacit.exact import upper
        >>> law = AboveThreshold(1, 2).distribution([0, 0], threshold=0)
        >>> list(law), round(float(upper(sum(law.values()))), 9)
        ([(False, False), (False, True), (True,)], 1.0)
        """
        asked = [_integer(value) for value in values]
        if not 1 <= len(asked) <= _QUESTIONS_AT_MOST or self.threshold_scale > 1 << 10:
            raise TooLarge(
                f"list at most {_QUESTIONS_AT_MOST} values, for a threshold scale of at most 1024"
            )
        line, noise = LaplaceLaw(self.threshold_scale), LaplaceLaw(self.value_scale)
        reach = ceil(_NATS * self.threshold_scale)
        left_out = hull(ball(0), 2 * line.tail(reach + 1))
        sums: dict[tuple[bool, ...], Ball] = {}
        tail = cache(noise.tail)
        for drawn in range(-reach, reach + 1):
            above = [tail(_integer(threshold) + drawn - value) for value in asked]
            for calls, chance in _sequences(above, self.count):
                sums[calls] = sums.get(calls, ball(0)) + line.mass(drawn) * chance
        law: dict[Outcome, Ball] = {
            calls: chance + left_out for calls, chance in sorted(sums.items())
        }
        return law if self.answer_scale is None else self._outcome_law(law, asked, low, high)

    def _outcome_law(
        self, law: dict[Outcome, Ball], asked: list[int], low: int | None, high: int | None
    ) -> dict[Outcome, Ball]:
        if low is None or high is None or self.answer_scale is None:
            raise InvalidInput(
                "low",
                low,
                "this session releases numbers: give the range to which they are clamped",
            )
        numbers = [
            Released(value, LaplaceLaw(self.answer_scale)).clamp_law(low, high) for value in asked
        ]
        told: dict[Outcome, Ball] = {}
        for calls, chance in law.items():
            sequences: dict[Outcome, Ball] = {(): chance}
            for call, number in zip(calls, numbers, strict=False):
                grown: dict[Outcome, Ball] = {}
                for sequence, mass in sequences.items():
                    # A number may equal False: what is below is written as None here, where outcomes are compared.
                    choices: dict[int, Ball] | dict[None, Ball] = (
                        number if call else {None: ball(1)}
                    )
                    grown |= {(*sequence, answer): mass * p for answer, p in choices.items()}
                sequences = grown
            told |= sequences
        return told


class Session:
    """One run of an `AboveThreshold`: ask until it is exhausted.

    What it remembers, the noisy threshold and how many answers are left, lives in a generator of its own, which can be
    neither copied nor stored: the same noise is never met twice by two lines of questions.
    """

    __slots__ = ("_answers", "_left")

    def __init__(self, mechanism: AboveThreshold, threshold: int) -> None:
        self._left = mechanism.count
        self._answers = _answering(mechanism, threshold)
        next(self._answers)

    @property
    def left(self) -> int:
        """How many more times the session can say that a value is above."""
        return self._left

    def ask(self, value: int) -> Answer:
        """Whether the value is above the noisy threshold; with numbers, the noisy value if it is, else False.

        Zero equals False in Python: with numbers, test for `is False`.
        """
        exact = _integer(value)
        if not self._left:
            raise Exhausted(
                "this session has given all the answers that were paid for; begin another, and pay again"
            )
        answer = self._answers.send(exact)
        self._left -= answer is not False
        return answer

    def __reduce__(self) -> Any:
        raise InvalidData("a session cannot be copied or stored; begin another, and pay again")


def _answering(mechanism: AboveThreshold, threshold: int) -> Generator[Answer, int, None]:
    """Answers, a value at a time; the noisy threshold is drawn once and never leaves."""
    line = mechanism.draw_threshold(threshold)
    answer: Answer = False
    while True:
        value = yield answer
        answer = mechanism.is_above(value, line)
        if mechanism.answer_scale is not None:
            # drawn in any case: the work is the same
            number = value + discrete_laplace(mechanism.answer_scale)
            answer = answer and number


def _sequences(above: list[Ball], count: int) -> list[tuple[tuple[bool, ...], Ball]]:
    """Every sequence of calls with its probability, given that of each call, until `count` were above."""
    closed: list[tuple[tuple[bool, ...], Ball]] = []
    open_: list[tuple[tuple[bool, ...], Ball]] = [((), ball(1))]
    for chance in above:
        grown = closed[:0]
        for calls, mass in open_:
            grown.append(((*calls, False), mass * (1 - chance)))
            (closed if sum(calls) + 1 == count else grown).append(((*calls, True), mass * chance))
        open_ = grown
    return [*open_, *closed]


def _upto(place: NDArray[np.float64] | float, scale: float) -> NDArray[np.float64]:
    """The probability that discrete Laplace noise is at most this integer, in floats."""
    places = np.asarray(place, dtype=np.float64)
    base = -log1p(exp(-1 / scale))
    with np.errstate(over="ignore", under="ignore"):
        above = np.exp(base - (places + 1) / scale)  # from here on upwards
        under = np.exp(base + places / scale)
    return np.where(places >= 0, 1 - above, under)


def _steps(sensitivity: Sensitivity | Number) -> int:
    unit = sensitivity_of(sensitivity)
    steps = whole(unit.bound)
    if steps < 1 or unit.dimension != 1:
        raise InvalidInput(
            "sensitivity", unit.bound, "give the sensitivity of each value, at least 1"
        )
    return steps


def _check_unit(unit: Sensitivity, monotone: bool) -> None:
    if monotone and unit.neighbours is Neighbours.REPLACE:
        raise InvalidInput(
            "monotone",
            monotone,
            "values all move in the same direction only under add-or-remove; leave monotone out",
        )


def _integer(value: Any) -> int:
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise InvalidData(
            f"a {type(value).__name__} cannot be compared here; give whole numbers, in steps of a grid"
        )
    return int(value)
