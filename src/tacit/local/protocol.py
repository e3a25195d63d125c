"""What every protocol for frequencies keeps: a report supports values, the held one more often."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidData, InvalidInput
from tacit.exact import count_of, float_at_least, log, upper
from tacit.local.client_coins import SECURE, Draws
from tacit.privacy import Neighbours, PureLoss

if TYPE_CHECKING:
    from tacit.local.frequencies import Frequencies

__all__ = ["FrequencyProtocol", "Report", "Values", "loss_of", "read_values"]

Values = range | tuple[Hashable, ...]
Report = Hashable
"""What a client sends, as JSON writes it: a number, a text, or a pair of those as a tuple."""
Integers = NDArray[np.int64]

MOST_VALUES = 1 << 24


class FrequencyProtocol(ABC):
    """A randomiser for one of several values, and the count of each value from many reports.

    A report supports some of the values: the one that its owner holds with probability `truth`, and
    each other one with probability `stray`.  All estimates follow from these two.
    """

    __slots__ = ()
    values: Values

    @property
    @abstractmethod
    def ratio(self) -> Fraction:
        """e to the loss of one report: the largest ratio of its probabilities under two values."""

    @property
    @abstractmethod
    def truth(self) -> Fraction:
        """The probability that a report supports the value of its owner."""

    @property
    @abstractmethod
    def stray(self) -> Fraction:
        """The probability that a report supports a value that its owner does not hold."""

    @property
    @abstractmethod
    def report_bits(self) -> int:
        """The length of a report in bits, the same for every value."""

    @abstractmethod
    def randomise(self, index: int, draws: Draws) -> Report:
        """A report of the value with this index."""

    @abstractmethod
    def randomise_all(self, indices: Integers, draws: Draws) -> NDArray[Any]:
        """An array with a report of each value, of the same law as `randomise`."""

    @abstractmethod
    def read_reports(self, reports: Iterable[Report]) -> NDArray[Any]:
        """Reports as an array, refused if one is malformed or outside the domain."""

    @abstractmethod
    def check_array(self, reports: NDArray[Any]) -> NDArray[Any]:
        """An array of reports, refused if one is malformed or outside the domain."""

    @abstractmethod
    def count_supports(self, reports: NDArray[Any]) -> Integers:
        """How many reports support each value."""

    @abstractmethod
    def distribution(self, value: Hashable) -> dict[Report, Fraction]:
        """The probability of every report of a value; for small domains."""

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """What a client needs to know, in JSON: whole numbers only."""

    @property
    def epsilon(self) -> float:
        """What one report costs its owner, rounded up."""
        return float_at_least(_epsilon(self.ratio))

    def loss(self, reports: int = 1) -> PureLoss:
        """What so many fresh reports cost their owner, by the replace relation.

        Claim:      one report costs ln(ratio) and no less; fresh ones add.
        Because:    `ratio` is the largest ratio of the rational probabilities with which reports are
                    drawn, and is attained.
        Checked by: tests/laws/test_local.py::test_the_exact_law_costs_what_is_claimed_and_no_less
        """
        return loss_of(self.ratio, reports)

    def encode(self, value: Hashable) -> Report:
        """A report of this value, by secure coins.

        Claim:      the report has exactly the law that `distribution` states.
        Because:    it is drawn by rational coins and uniform integers alone.
        Checked by: tests/laws/test_local.py::test_encode_has_the_exact_law
        """
        return self.randomise(self.index_of(value), SECURE)

    def encode_all(self, values: Any) -> NDArray[Any]:
        """A report of each value, as an array: many clients at once.

        Claim:      each report has the law of `encode`, independently of the others.
        Because:    every coin is tossed for its own report, whether or not it is used.
        Checked by: tests/laws/test_local.py::test_many_at_once_have_the_same_law
        """
        return self.randomise_all(self.indices_of(values), SECURE)

    def collect(self, reports: Any) -> Frequencies:
        """The estimated count of every value, from a list or an array of reports."""
        from tacit.local.frequencies import Frequencies

        known = isinstance(reports, np.ndarray)
        array = self.check_array(reports) if known else self.read_reports(reports)
        supports = self.count_supports(array)
        return Frequencies(self, len(array), tuple(supports.tolist()))

    def variance(self, share: Fraction | int = 0) -> Fraction:
        """What one person adds to the variance of the count of a value that this share holds.

        Claim:      the variance of an estimated count is the number of people times this.
        Because:    a report supports the value as a coin falls, with `truth` or `stray`, and the
                    count divides the number of supports by truth - stray.
        Checked by: tests/laws/test_local.py::test_estimates_are_unbiased_and_have_the_stated_variance
        """
        p, q = self.truth, self.stray
        held = Fraction(share)
        return (held * p * (1 - p) + (1 - held) * q * (1 - q)) / (p - q) ** 2

    def index_of(self, value: Hashable) -> int:
        """The number of a value, counted from zero; refused if it is none of them."""
        try:
            if isinstance(value, bool) and isinstance(self.values, range):
                return int(value)
            return self.values.index(cast(Any, value))
        except (ValueError, TypeError):
            raise InvalidData(
                "this is not one of the declared values; declare it, or encode another"
            ) from None

    def indices_of(self, values: Any) -> Integers:
        """The numbers of many values; for values that are numbers already, the array itself."""
        if isinstance(self.values, range):
            return _read_numbers(values, len(self.values))
        known = {value: index for index, value in enumerate(self.values)}
        try:
            return np.array([known[value] for value in values], dtype=np.int64)
        except (KeyError, TypeError):
            text = "some values are not declared; declare them, or leave them out"
            raise InvalidData(text) from None


def _read_numbers(values: Any, count: int) -> Integers:
    array = np.asarray(values)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "biu"):
        raise InvalidData("values must be a list of whole numbers; number them from zero")
    indices = array.astype(np.int64)
    if indices.size and not (indices.min() >= 0 and indices.max() < count):
        raise InvalidData(f"values must lie between 0 and {count - 1}; number them from zero")
    return indices


def loss_of(ratio: Fraction, reports: int = 1) -> PureLoss:
    """The loss of so many reports whose probabilities differ by this ratio at most.

    >>> float(loss_of(Fraction(3)).epsilon)
    1.0986122886681098
    """
    return PureLoss(_epsilon(ratio) * count_of(reports, "reports", least=1), Neighbours.REPLACE)


def _epsilon(ratio: Fraction) -> Fraction:
    return upper(log(ratio, 2 * ratio.denominator.bit_length() + 256))


def read_values(values: int | Sequence[Hashable]) -> Values:
    """The values of a protocol: a number stands for 0, 1, …; a list names each of them once.

    >>> read_values(3), read_values(["no", "yes"])
    (range(0, 3), ('no', 'yes'))
    """
    if isinstance(values, int | np.integer) and not isinstance(values, bool):
        return range(count_of(int(values), "values", least=2, most=MOST_VALUES))
    if isinstance(values, range):
        listed: Values = values
    elif isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidInput("values", values, "give a list of at least two values, or their number")
    else:
        listed = tuple(values)
    if isinstance(listed, range) and (listed.start, listed.step) != (0, 1):
        listed = tuple(listed)
    count_of(len(listed), "the number of values", least=2, most=MOST_VALUES)
    if isinstance(listed, tuple) and len(set(listed)) != len(listed):
        raise InvalidInput("values", listed, "name every value once")
    return listed
