"""The law that the samplers' stored tables imply, rebuilt in integers, is the ideal law.

Nothing is drawn here. A word w is compared with a stored word T, and a tie is settled by the bits of a `Chance`; so
what a coin does, exactly, can be read off the table. From all coins of a sampler the probability of an integer z
follows as a fraction of two integers, and the ratio of two neighbours must be the ideal one to 128 bits and more.

The ideal comes from Python's `decimal`, whose exp is correctly rounded: no code is shared with Tacit's certified
numbers.
"""

import dataclasses
import random
from collections.abc import Iterator
from decimal import Context, Decimal
from fractions import Fraction
from functools import cache
from math import ceil, isqrt

import numpy as np
import pytest

from tacit.exact import Chance, GaussianTable, GeometricCoins, gaussian_table, geometric_coins
from tests.together import together

NEEDED = 128  # bits to which the ratio of neighbours must be right
KEPT = 192  # significant bits of every chance that is looked at
WORD = 1 << 64
IDEAL = Context(prec=140, Emin=-(10**17), Emax=10**17)


# ---------------------------------------------------------------- parameters


def ulps(number: Fraction) -> list[Fraction]:
    """A number and its two neighbours at the relative distance of a double's last bit."""
    return [number, number * (1 - Fraction(1, 1 << 53)), number * (1 + Fraction(1, 1 << 52))]


AWKWARD = [
    *(
        Fraction(*pair)
        for pair in [(1, 3), (2, 3), (10, 3), (22, 7), (355, 113), (7, 11), (99, 70), (577, 408)]
    ),
    *(
        Fraction(*pair)
        for pair in [(10**9 + 7, 998244353), (271801, 99990), (10**15 + 37, 3), (1, 7), (127, 128)]
    ),
    Fraction(0.1),
    Fraction(2.5066282746310002),
    Fraction(3**33, 2**31 + 11),
    Fraction(6700417, 641),
    Fraction(65537, 257),
]
SCALES = [
    Fraction(1, 1000),
    Fraction(1001, 10**6),
    Fraction(1, 100),
    Fraction(1, 45),
    Fraction(1, 45) + Fraction(1, 10**12),
    *AWKWARD,
    *(Fraction(10) ** power for power in (0, 1, 2, 3, 4, 6, 9, 12, 15)),
    # Powers of two, and 2**k / 45, at which one digit more is needed.
    *(
        near
        for power in (-9, -5, -1, 1, 5, 7, 8, 16, 24, 31, 32, 33, 40, 47, 53)
        for near in ulps(Fraction(2) ** power)
    ),
    *(near for power in (1, 8, 16, 20, 52) for near in ulps(Fraction(2**power, 45))),
    Fraction(2**54),
    Fraction(2**54) - Fraction(1, 3),
    # From here on Python's integers are used.
    Fraction(2**54 + 1),
    Fraction(2**60 - 1),
    Fraction(2**64 + 1),
    Fraction(10**30, 7),
    Fraction(2**200, 3),
    Fraction(2**1024),
]
VARIANCES = [
    Fraction(1, 10**6),
    Fraction(1, 5000),
    Fraction(1, 10**4),
    Fraction(1, 400),
    Fraction(1, 30),
    Fraction(1, 4),
    Fraction(5, 2),
    Fraction(31),
    Fraction(33, 8),
    Fraction(2047, 16),
    Fraction(65535, 2),
    *AWKWARD,
    *(Fraction(10) ** power for power in (0, 1, 2, 3, 4, 6, 8, 10, 12, 14, 16)),
    # The stride doubles at 8 * 4**k, and a digit of m is added where the stride's square grows by 256.
    *(
        near
        for power in (0, 1, 2, 3, 4, 6, 9, 13, 17, 21, 24, 26)
        for near in ulps(8 * Fraction(4) ** power)
    ),
    *(near for power in (-3, 0, 1, 2, 5, 8, 16) for near in ulps(Fraction(2) ** power)),
    Fraction(2**56),
    Fraction(2**56) - Fraction(1, 3),
    Fraction(2**56 + 1),
    Fraction(2**57),
    Fraction(10**20, 3),
    Fraction(2**64 - 1),
    Fraction(2**80 - 1),
    Fraction(2**100),
]


def random_parameters(
    count: int, smallest_power: float, largest_power: float
) -> Iterator[Fraction]:
    """Rationals spread evenly over the orders of magnitude, with denominators of many kinds."""
    dice = random.Random(20_240_229)
    for _ in range(count):
        denominator = dice.choice([1, 3, 7, 1000, 1 << 52, 10**9 + 7, dice.randrange(1, 10**6)])
        wanted = 2 ** dice.uniform(smallest_power, largest_power)
        yield max(Fraction(ceil(Fraction(wanted) * denominator), denominator), Fraction(1, 1000))


# ---------------------------------------------------------------- what the tables say


def significant(nats: Fraction) -> int:
    """How many bits after the point give exp(-nats) its `KEPT` significant ones."""
    return KEPT + 8 + nats.numerator * 1443 // (nats.denominator * 1000)


def implied(top: int, chance: Chance, bits: int) -> int:
    """floor(2**bits * p), where p is the probability with which a coin passes that stores `top` for `chance`.

    A word below `top` passes, one above fails, and on the tie it is compared with the chance's own bits. Is `top` the
    first word of those, the coin has the chance exactly; otherwise the tie passes always or never.
    """
    prefix = chance.floor(64)
    if top == prefix:
        return chance.floor(bits)
    return (top + (top < prefix)) << (bits - 64)


def ideal_exp(nats: Fraction) -> Decimal:
    """exp(-nats) to 139 digits."""
    # An exponent rounded in its 300th digit is right to a hundred digits for any nats below 10**100.
    wide = Context(prec=300, Emin=IDEAL.Emin, Emax=IDEAL.Emax)
    return IDEAL.exp(wide.divide(Decimal(-nats.numerator), Decimal(nats.denominator)))


def right_bits(above: int, below: int, ideal: Decimal) -> int:
    """The number of bits to which above / below is the ideal: k if the relative error is under 2**-k."""
    exact = Fraction(ideal)
    wanted = exact.numerator * below
    off = abs(above * exact.denominator - wanted)
    return max(0, wanted.bit_length() - off.bit_length() - 1)


def product(factors: list[int]) -> int:
    """Their product, halves first, as long numbers want it."""
    half = len(factors) // 2
    return (
        product(factors[:half]) * product(factors[half:]) if half else factors[0] if factors else 1
    )


class LaplaceLaw:
    """The probabilities of one set of coins, as numerators over one common denominator."""

    def __init__(self, coins: GeometricCoins) -> None:
        self.count = len(coins.digits)
        self.bits = significant((1 << self.count) / coins.scale)
        whole = 1 << self.bits
        passes = [
            implied(int(top), chance, self.bits)
            for top, chance in zip(coins.tops, (*coins.digits, coins.escape), strict=True)
        ]
        self.digits = [(whole - chance, chance) for chance in passes[:-1]]
        self.stays, self.escapes = whole - passes[-1], passes[-1]
        self.negative = implied(
            int(coins.negative_top), coins.negative, significant(1 / coins.scale)
        )
        self.positive = (1 << significant(1 / coins.scale)) - self.negative
        self.coins = coins

    @property
    def beyond(self) -> "LaplaceLaw":
        """The law of what an escape adds, less one."""
        return laplace_law(geometric_coins(self.coins.tail_scale))

    def geometric(self, g: int) -> tuple[int, int]:
        """P(g) as a numerator and the number of bits of its denominator, a power of two."""
        numerator = product([digit[g >> place & 1] for place, digit in enumerate(self.digits)])
        bits = self.bits * (self.count + 1)
        rest = g >> self.count
        if rest == 0:
            return numerator * self.stays, bits
        further, further_bits = self.beyond.geometric(rest - 1)
        return numerator * self.escapes * further, bits + further_bits

    def signed(self, z: int) -> tuple[int, int]:
        """P(z) of the discrete Laplace number, in the same form, up to the sign's common denominator."""
        numerator, bits = self.geometric(z if z >= 0 else -1 - z)
        return numerator * (self.positive if z >= 0 else self.negative), bits


@cache
def laplace_law(coins: GeometricCoins) -> LaplaceLaw:
    return LaplaceLaw(coins)


class GaussianLaw:
    """The weights of one table's proposals."""

    def __init__(self, table: GaussianTable) -> None:
        self.table = table
        self.rate = table.rate
        self.decay = table.stride**2 * table.rate

    @cache  # noqa: B019 -- a law lives for one test
    def at_least(self, steps: int, bits: int) -> int:
        """P(v >= steps), as a numerator over 2**bits."""
        if steps == 0:
            return 1 << bits
        tops = self.table.step_tops
        top = int(tops[len(tops) - steps]) if steps <= len(tops) else 0
        return implied(top, self.table.step_chance(steps), bits)

    @cache  # noqa: B019
    def digit(self, place: int, digit: int) -> tuple[int, int]:
        """The chance of the coin of one digit of m, in the same form."""
        bits = significant(digit * 256**place * self.rate)
        return implied(
            int(self.table.digit_tops[place][digit]), self.table.digit_chance(place, digit), bits
        ), bits

    def weight(self, z: int) -> tuple[int, int]:
        """P(z) up to a constant: v and y are proposed, and every digit of m = y (y + 2 stride v) must pass."""
        v, y = divmod(abs(z), self.table.stride)
        bits = significant(self.decay * v**2)
        numerator = self.at_least(v, bits) - self.at_least(v + 1, bits)
        weight = y * (y + 2 * self.table.stride * v)
        for place in range(len(self.table.digit_tops)):
            chance, more = self.digit(place, weight >> 8 * place & 255)
            numerator, bits = numerator * chance, bits + more
        assert weight >> 8 * len(self.table.digit_tops) == 0
        return numerator, bits


def ratio_bits(next_one: tuple[int, int], this: tuple[int, int], ideal: Decimal) -> int:
    """`right_bits` of the ratio of two such pairs."""
    return right_bits(next_one[0] << this[1], this[0] << next_one[1], ideal)


def laplace_bits(coins: GeometricCoins) -> int:
    """The number of bits to which every ratio P(z + 1) / P(z) is right, over all integers z.

    The digits are independent, so the ratio at g depends only on how many ones g ends in: 2**t - 1 stands for all.
    Beyond the digits the law repeats itself, so its first steps stand for the others.
    """
    law = laplace_law(coins)
    ideal = ideal_exp(1 / coins.scale)
    places = range(law.count + 1) if law.count <= 70 else (0, 1, 8, 64, law.count)
    edges = [(1 << place) - 1 for place in places] + [(2 << law.count) - 1, (3 << law.count) - 1]
    found = [right_bits(law.negative, law.positive, ideal)]
    found += [ratio_bits(law.geometric(g + 1), law.geometric(g), ideal) for g in edges]
    for z in (edges[1], edges[-1]):
        found.append(ratio_bits(law.signed(z + 1), law.signed(z), ideal))
        found.append(ratio_bits(law.signed(-z - 1), law.signed(-z), ideal))
    return min(found)


def gaussian_bits(table: GaussianTable) -> int:
    """The number of bits to which the ratios P(z + 1) / P(z) are right: small z, the edges of v, some in between."""
    law = GaussianLaw(table)
    dice = random.Random(table.stride)
    # exp(-1000) is as far out as it pays to look
    last = max(1, min(24, isqrt(int(1000 / law.decay))))
    found = {
        *range(min(table.stride * last, 8)),
        *(dice.randrange(table.stride * last) for _ in range(24)),
    }
    found |= {
        table.stride * v + delta for v in range(last + 1) for delta in (-1, 0) if v or not delta
    }
    if last == 24:
        found |= {table.stride * 62 + delta for delta in (-1, 0)}
    found -= {z for z in found if (z + 1) // table.stride > max(last, 62 * (last == 24))}
    return min(
        ratio_bits(law.weight(z + 1), law.weight(z), ideal_exp((2 * z + 1) * table.rate))
        for z in found
    )


def digit_bits(table: GaussianTable) -> int:
    """The number of bits to which every coin for a digit is right: with this, all z are covered and not only some."""
    law = GaussianLaw(table)
    found = [KEPT]
    for place in range(len(table.digit_tops)):
        base, ideal = ideal_exp(256**place * table.rate), Decimal(1)
        for digit in range(256):
            chance, bits = law.digit(place, digit)
            found.append(right_bits(chance, 1 << bits, ideal))
            ideal = IDEAL.multiply(ideal, base)
    return min(found)


def named(parameter: Fraction) -> str:
    if max(parameter.numerator, parameter.denominator) < 10**7:
        return str(parameter).replace("/", "_over_")
    return (
        f"{Context(prec=17).divide(Decimal(parameter.numerator), Decimal(parameter.denominator)):e}"
    )


# ---------------------------------------------------------------- the tests


def test_there_are_200_parameter_points():
    assert len(set(SCALES)) >= 100
    assert len(set(OTHERS)) >= 100
    assert min(SCALES) ** 2 == min(VARIANCES) == Fraction(1, 10**6)
    assert {Fraction(2**54), Fraction(2**1024)} <= set(SCALES)
    assert Fraction(2**56) in VARIANCES


@pytest.mark.parametrize("scale", SCALES, ids=named)
def test_the_laplace_law_is_right_to_128_bits(scale):
    assert laplace_bits(geometric_coins(scale)) >= NEEDED


# exp(-500000), the chance of a one at the smallest deviation, begins with 721,000 zeros: seconds, not milliseconds.
MOST_BITS, *OTHERS = VARIANCES
LAST_TO_WAIT_FOR = pytest.param(MOST_BITS)


@pytest.mark.parametrize("variance", [LAST_TO_WAIT_FOR, *OTHERS], ids=named)
def test_the_gaussian_law_is_right_to_128_bits(variance):
    table = gaussian_table(variance)
    assert gaussian_bits(table) >= NEEDED
    # A weight is a product of these, so the error of any ratio at all is at most a few times the worst of them.
    assert digit_bits(table) >= NEEDED + 8


@pytest.mark.parametrize("scale", SCALES, ids=named)
def test_the_stored_words_of_laplace_begin_the_chances(scale):
    coins = geometric_coins(scale)
    bits = significant((1 << len(coins.digits)) / scale)
    for top, chance in zip(coins.tops, (*coins.digits, coins.escape), strict=True):
        assert int(top) == chance.floor(64) == chance.floor(bits) >> bits - 64
    assert int(coins.negative_top) == coins.negative.floor(64)


@together
@pytest.mark.parametrize("variance", VARIANCES, ids=named)
def test_the_stored_words_of_gauss_begin_the_chances(variance):
    table = gaussian_table(variance)
    for steps, top in enumerate(reversed(table.step_tops.tolist()), start=1):
        assert (
            top == table.step_chance(steps).floor(64) == table.step_chance(steps).floor(192) >> 128
        )
    assert table.step_tops[0] == 0, "the table must end where a word can no longer decide"
    for place, row in enumerate(table.digit_tops.tolist()):
        assert row[0] == WORD - 1
        for digit in (1, 2, 127, 255):
            assert row[digit] == min(table.digit_chance(place, digit).floor(64), WORD - 1)


@together
@pytest.mark.parametrize("variance", VARIANCES, ids=named)
def test_the_stride_is_the_power_of_two_below_half_the_deviation(variance):
    stride = gaussian_table(variance).stride
    assert stride & (stride - 1) == 0
    assert stride == 1 or stride**2 * 2 <= variance < stride**2 * 8


def truncated(words: np.ndarray) -> np.ndarray:
    """What a double keeps of 64 bits."""
    return words >> np.uint64(11) << np.uint64(11)


@pytest.mark.parametrize("scale", [Fraction(1), Fraction(10, 3), Fraction(1000), Fraction(10**6)])
def test_a_laplace_table_cut_to_53_bits_is_caught(scale):
    sound = geometric_coins(scale)
    assert laplace_bits(sound) >= NEEDED
    assert laplace_bits(dataclasses.replace(sound, tops=truncated(sound.tops))) < 64
    assert laplace_bits(dataclasses.replace(sound, negative_top=truncated(sound.negative_top))) < 64


@pytest.mark.parametrize(
    "variance", [Fraction(1), Fraction(100), Fraction(10**6), Fraction(10**12)]
)
def test_a_gaussian_table_cut_to_53_bits_is_caught(variance):
    sound = gaussian_table(variance)
    assert gaussian_bits(sound) >= NEEDED
    assert gaussian_bits(dataclasses.replace(sound, step_tops=truncated(sound.step_tops))) < 64
    if len(sound.digit_tops):
        cut = dataclasses.replace(sound, digit_tops=truncated(sound.digit_tops))
        assert gaussian_bits(cut) < 64
        assert digit_bits(cut) < 64


def test_one_word_off_by_one_is_caught():
    sound = gaussian_table(Fraction(10**6))
    for place, digit in ((0, 1), (1, 200), (2, 3)):
        tops = sound.digit_tops.copy()
        tops[place, digit] -= np.uint64(1)
        assert digit_bits(dataclasses.replace(sound, digit_tops=tops)) < NEEDED


@pytest.mark.soak
@pytest.mark.parametrize("slice_of", range(50))
def test_5000_points_are_right_to_128_bits(slice_of):
    for scale in list(random_parameters(2500, -9.9, 54))[slice_of::50]:
        assert laplace_bits(geometric_coins(scale)) >= NEEDED, scale
    for sigma in list(random_parameters(2500, -6, 28))[slice_of::50]:
        table = gaussian_table(sigma**2)
        assert gaussian_bits(table) >= NEEDED, sigma
        assert digit_bits(table) >= NEEDED + 8, sigma
