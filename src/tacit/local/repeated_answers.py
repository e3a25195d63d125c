"""Repeated surveys: an answer is randomised once and repeated, so that asking again reveals nothing new."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from math import comb

from tacit.errors import InvalidInput
from tacit.exact import Number, count_of
from tacit.local.mean_protocol import MeanProtocol
from tacit.local.protocol import FrequencyProtocol, Report, loss_of
from tacit.privacy import PureLoss

__all__ = ["Memo", "guess_by_averaging"]


class Memo:
    """One person's reports, each made once for its value and repeated ever after; it stays on the device.

    Claim:      all reports together cost the loss of one, times the number of different values.
    Because:    they are a function of one fresh report for each different value, kept by the value.
    Checked by: tests/unit/local/test_repeated_answers.py::test_reports_are_kept_by_the_value

    >>> from tacit.local import KaryResponse
    >>> memo = Memo(KaryResponse.two_coin())
    >>> len({memo.encode(1) for _ in range(50)})
    1
    """

    def __init__(self, protocol: FrequencyProtocol | MeanProtocol) -> None:
        self._protocol = protocol
        self._kept: dict[Hashable, Report] = {}

    def encode(self, value: Number | Hashable) -> Report:
        """The report of this value: the same one whenever it is asked for."""
        key = self._key(value)
        if key not in self._kept:
            self._kept[key] = self._protocol.encode(value)  # type: ignore[arg-type]
        return self._kept[key]

    def loss(self) -> PureLoss:
        """What all reports so far cost together, however many there were."""
        return loss_of(self._protocol.ratio, max(1, len(self._kept)))

    def _key(self, value: Number | Hashable) -> int:
        if isinstance(self._protocol, MeanProtocol):
            return self._protocol.step_of(value)  # type: ignore[arg-type]
        return self._protocol.index_of(value)


def guess_by_averaging(protocol: FrequencyProtocol, reports: int) -> Fraction:
    """How often somebody who sees so many fresh reports of one person guesses the truth, of two values.

    It is the reason for `Memo`: at epsilon 1, a hundred daily reports reveal almost everybody.

    >>> from tacit.local import KaryResponse
    >>> [round(float(guess_by_averaging(KaryResponse.warner(1), days)), 4) for days in (1, 10, 100)]
    [0.7311, 0.9348, 1.0]
    """
    if len(protocol.values) != 2 or protocol.truth + protocol.stray != 1:
        raise InvalidInput("a protocol", "of another kind", "give a response for two values")
    count = count_of(reports, "reports", least=1, most=10_000)
    truth, lie = protocol.truth.numerator, protocol.stray.numerator
    more = range(count // 2 + 1, count + 1)
    right = Fraction(sum(comb(count, k) * truth**k * lie ** (count - k) for k in more))
    if count % 2 == 0:
        right += Fraction(comb(count, count // 2) * (truth * lie) ** (count // 2), 2)
    return right / Fraction(protocol.truth.denominator**count)
