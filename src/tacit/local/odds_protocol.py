"""What protocols share that tell the truth by odds: the ratio of their probabilities, and how often it is told.

Checked by: tests/laws/test_local.py, tests/unit/local/test_protocols.py
"""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction

from tacit.local.protocol import FrequencyProtocol
from tacit.local.truth_odds import Odds

__all__ = ["OddsProtocol"]


class OddsProtocol(FrequencyProtocol):
    """A protocol whose report tells the truth with the weight `odds.truth`, and each lie with `odds.lie`."""

    __slots__ = ()
    odds: Odds

    @property
    def ratio(self) -> Fraction:
        """truth / lie."""
        return self.odds.ratio

    @property
    def truth(self) -> Fraction:
        """The probability that a report tells the truth."""
        return Fraction(self.odds.truth, self.odds.truth + self._lies)

    @property
    @abstractmethod
    def _lies(self) -> int:
        """What all lies weigh together."""
