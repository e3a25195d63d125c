"""RAPPOR: a permanent lie is kept for ever, and told with fresh noise every time."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Any

from tacit.errors import InvalidInput
from tacit.exact import Number, at_most
from tacit.frozen import frozen
from tacit.local.bits_protocol import BitsProtocol
from tacit.local.client_coins import SECURE, Draws
from tacit.local.packed_bits import Octets, hex_of
from tacit.local.protocol import Integers, Values, loss_of, read_values
from tacit.local.unary_encoding import Coin, randomise_rows
from tacit.privacy import PureLoss, fill

__all__ = ["PermanentResponse", "Rappor"]


@frozen(init=False)
class Rappor(BitsProtocol):
    """Bits for the values, lied about once for all with probability `lie`, then tossed anew every time.

    A permanent bit is the true one with probability 1 - lie/2.  A report sets it with probability
    `shown` if it is one, and with `unshown` if it is zero (Erlingsson, Pihur, Korolova 2014, with one
    bit for each value instead of a Bloom filter).

    Claim:      one report costs ln of `ratio`; all reports of one value together cost ln of
                `lasting_ratio`, however many they are.
    Because:    two values differ in two bits, each of which is a coin; and any number of reports is a
                function of the permanent bits and of fresh coins.
    Checked by: tests/laws/test_local.py::test_the_exact_law_costs_what_is_claimed_and_no_less,
                tests/unit/local/test_rappor.py::test_many_reports_cost_no_more_than_the_permanent_bits

    >>> rappor = Rappor(4, lie=Fraction(1, 2), shown=Fraction(3, 4), unshown=Fraction(1, 2))
    >>> round(rappor.epsilon, 4), round(float(rappor.lasting_loss().epsilon), 4)
    (0.5371, 2.1972)
    """

    values: Values
    lie: Fraction
    shown: Fraction
    unshown: Fraction

    def __init__(
        self, values: int | Sequence[Hashable], lie: Number, shown: Number, unshown: Number
    ) -> None:
        exact = [
            at_most(each, name)
            for each, name in ((lie, "lie"), (shown, "shown"), (unshown, "unshown"))
        ]
        if not 0 < exact[0] < 1:
            raise InvalidInput("lie", lie, "give a probability above 0 and below 1")
        if not 0 <= exact[2] < exact[1] <= 1:
            raise InvalidInput("unshown", unshown, "give a probability below `shown`")
        fill(self, values=read_values(values), lie=exact[0], shown=exact[1], unshown=exact[2])

    @property
    def ratio(self) -> Fraction:
        """That of one report."""
        p, q = self.truth, self.stray
        return p * (1 - q) / ((1 - p) * q)

    @property
    def lasting_ratio(self) -> Fraction:
        """That of all reports of one value together: that of the permanent bits."""
        return ((2 - self.lie) / self.lie) ** 2

    def lasting_loss(self, changes: int = 0) -> PureLoss:
        """What any number of reports cost their owner, whose value changes so many times."""
        return loss_of(self.lasting_ratio, 1 + changes)

    @property
    def truth(self) -> Fraction:
        """The probability that the held bit is set in a report."""
        return (1 - self.lie / 2) * self.shown + self.lie / 2 * self.unshown

    @property
    def stray(self) -> Fraction:
        """The probability that another bit is."""
        return self.lie / 2 * self.shown + (1 - self.lie / 2) * self.unshown

    @property
    def report_bits(self) -> int:
        """One for every value."""
        return len(self.values)

    def keep(self, value: Hashable) -> PermanentResponse:
        """A client with permanent bits for this value; keep it, and ask it for every report."""
        return self.keep_index(self.index_of(value), SECURE)

    def keep_index(self, index: int, draws: Draws) -> PermanentResponse:
        """The same of the value with this index."""
        honest, lying = _coin(1 - self.lie / 2), _coin(self.lie / 2)
        coins = (honest if place == index else lying for place in range(len(self.values)))
        return PermanentResponse(self, tuple(draws.coin(coin.yes, coin.no) for coin in coins))

    def randomise(self, index: int, draws: Draws) -> str:
        """One report, whose permanent bits are forgotten."""
        return self.keep_index(index, draws).randomise(draws)

    def randomise_all(self, indices: Integers, draws: Draws) -> Octets:
        """One report of each: bit by bit that is one coin."""
        return randomise_rows(
            indices, len(self.values), _coin(self.truth), _coin(self.stray), draws
        )

    def describe(self) -> dict[str, Any]:
        """The number of values and the three probabilities."""
        named = (("lie", self.lie), ("shown", self.shown), ("unshown", self.unshown))
        coins = {name: [str(_coin(chance).yes), str(_coin(chance).no)] for name, chance in named}
        return {"protocol": "rappor", "values": len(self.values), **coins}


@frozen
class PermanentResponse:
    """The permanent bits of one person's value: a report is fresh noise on them, and on nothing else."""

    rappor: Rappor
    bits: tuple[bool, ...]

    def report(self) -> str:
        """A report for today."""
        return self.randomise(SECURE)

    def randomise(self, draws: Draws) -> str:
        """The same, by these draws."""
        shown, unshown = _coin(self.rappor.shown), _coin(self.rappor.unshown)
        coins = (shown if bit else unshown for bit in self.bits)
        return hex_of([draws.coin(coin.yes, coin.no) for coin in coins])


def _coin(chance: Fraction) -> Coin:
    return Coin(chance.numerator, chance.denominator - chance.numerator)
