"""Discrete Gaussian numbers, word by word."""

import random
from decimal import Context, Decimal
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from tacit.exact import GaussianTable, discrete_gaussian, entropy, gaussian, gaussian_table

ALL_ONES = (1 << 64) - 1
SIGN = 1 << 63
DIGITS = Context(prec=300)
CASES = [
    Fraction(1, 10**6),
    Fraction(1),
    Fraction(8),
    Fraction(100),
    Fraction(10**6),
    Fraction(10**12),
    Fraction(2**56),
]


def as_the_table_says(table: GaussianTable, words: list[int]) -> tuple[int, bool]:
    """One proposal in Python's integers: the number, and whether it is accepted. No word may tie."""
    v = sum(words[0] < int(top) for top in table.step_tops)
    # the words of y, the highest first; its first bit is the sign
    count = -(-table.stride.bit_length() // 64)
    negative, y = (
        words[1] >> 63,
        sum(word << 64 * place for place, word in enumerate(words[count:0:-1])) % table.stride,
    )
    weight = y * (y + 2 * table.stride * v)
    digits = weight.to_bytes(len(table.digit_tops) + 1, "little")
    coins = zip(words[1 + count :], table.digit_tops, digits, strict=False)
    passes = all(word < int(row[digit]) for word, row, digit in coins)
    magnitude = table.stride * v + y
    return -magnitude if negative else magnitude, passes and not (negative and magnitude == 0)


def proposal_words(table: GaussianTable, dice: random.Random) -> list[int]:
    """Words for one proposal; the coins are tossed so that most of them pass, or nothing would be accepted."""
    coins = (
        dice.choice([dice.randrange(1, 1 << 64), dice.randrange(1, 1 << 58)])
        for _ in table.digit_tops
    )
    uniform = [dice.randrange(1 << 64) for _ in range(-(-table.stride.bit_length() // 64))]
    return [dice.randrange(1, 1 << 64) >> dice.choice([0, 0, 8, 40]) | 1, *uniform, *coins]


def by_rows(columns: list[list[int]]) -> list[int]:
    """The words of many proposals in the order in which the vector path asks for them."""
    return [word for row in zip(*columns, strict=True) for word in row]


@pytest.mark.parametrize("variance", [*CASES, Fraction(1, 10**6), Fraction(10**40, 3)])
def test_words_that_are_computed_together_are_those_that_are_computed_singly(monkeypatch, variance):
    together = gaussian_table(variance)
    monkeypatch.setattr(gaussian, "certain_floor", lambda *_: None)
    singly = gaussian_table.__wrapped__(variance)
    assert singly.step_tops.tolist() == together.step_tops.tolist()
    assert singly.digit_tops.tolist() == together.digit_tops.tolist()


@pytest.mark.parametrize("variance", CASES)
def test_proposals_do_what_the_table_says(script, variance):
    table = gaussian_table(variance)
    dice = random.Random(len(table.digit_tops))
    columns = [proposal_words(table, dice) for _ in range(600)]
    expected = [as_the_table_says(table, words) for words in columns]
    assert sum(accepted for _, accepted in expected) > 100
    script(*by_rows(columns))
    proposed, accepted = gaussian._propose(table, 600)
    assert accepted.tolist() == [verdict for _, verdict in expected]
    assert proposed[accepted].tolist() == [number for number, verdict in expected if verdict]


@pytest.mark.parametrize("variance", CASES)
def test_a_single_draw_is_the_first_of_64_proposals_that_is_accepted(script, variance):
    table = gaussian_table(variance)
    dice = random.Random(1)
    columns = [proposal_words(table, dice) for _ in range(64)]
    first = next(
        number
        for number, accepted in (as_the_table_says(table, words) for words in columns)
        if accepted
    )
    words = script(*by_rows(columns))
    assert discrete_gaussian(variance) == first
    assert words.asked == [64 * (2 + len(table.digit_tops))]


def test_a_single_draw_tries_again_when_all_64_are_refused(script):
    """At variance 1 every proposal with a negative zero is refused, and only those."""
    refused, accepted = [ALL_ONES] * 64 + [SIGN] * 64, [ALL_ONES] * 64 + [0] * 64
    words = script(*refused, *refused, *accepted)
    assert discrete_gaussian(1) == 0
    assert words.left == []


@pytest.mark.parametrize("variance", CASES)
def test_one_of_the_two_zeros_is_refused_and_no_other_number(script, variance):
    table = gaussian_table(variance)
    places = len(table.digit_tops)
    columns = [[ALL_ONES, 0, *[0] * places], [ALL_ONES, SIGN, *[0] * places]]
    script(*by_rows(columns))
    proposed, accepted = gaussian._propose(table, 2)
    assert proposed[0] == 0
    assert accepted.tolist() == [True, False]
    if table.stride > 1:
        script(*by_rows([[ALL_ONES, 1, *[0] * places], [ALL_ONES, SIGN | 1, *[0] * places]]))
        proposed, accepted = gaussian._propose(table, 2)
        assert proposed.tolist() == [1, -1]
        assert accepted.all()


def test_a_zero_digit_passes_even_the_largest_word(script):
    """Its chance is one, whose 65 bits no word can hold: the tie with the largest word must be settled as a pass."""
    table = gaussian_table(Fraction(10**6))
    script(*by_rows([[ALL_ONES, 0, *[ALL_ONES] * len(table.digit_tops)]]))
    proposed, accepted = gaussian._propose(table, 1)
    assert proposed.tolist() == [0]
    assert accepted.all()


@pytest.mark.parametrize("offset", [-1, 1])
def test_a_digit_resolves_its_tie_by_further_bits(script, offset):
    variance = Fraction(10**6)
    table = gaussian_table(variance)
    y = 200  # m = 40000 = 64 + 156 * 256
    for place, digit in enumerate((64, 156)):
        words = [ALL_ONES, y, *[1] * len(table.digit_tops)]
        words[2 + place] = int(table.digit_tops[place][digit])
        ideal = DIGITS.exp(DIGITS.divide(Decimal(-digit * 256**place), Decimal(2 * 10**6)))
        bits = int(DIGITS.multiply(ideal, Decimal(1 << 128)))
        assert bits >> 64 == words[2 + place]
        script(*by_rows([words]), (bits & ALL_ONES) + offset)
        proposed, accepted = gaussian._propose(table, 1)
        assert proposed.tolist() == [y]
        assert accepted.tolist() == [offset < 0]


def step_chances(decay: Fraction, count: int) -> list[Decimal]:
    """P(v >= 0), P(v >= 1), … by plain sums of another arithmetic."""
    rate = DIGITS.divide(Decimal(-decay.numerator), Decimal(decay.denominator))
    term, ratio = Decimal(1), DIGITS.exp(rate)
    square, terms = DIGITS.multiply(ratio, ratio), []
    for _ in range(count + 60):  # exp(-decay v**2), each from the one before
        terms.append(term)
        term, ratio = DIGITS.multiply(term, ratio), DIGITS.multiply(ratio, square)
    sums = [Decimal(0)]
    for term in reversed(terms):
        sums.append(DIGITS.add(sums[-1], term))
    whole = sums[-1]
    return [DIGITS.divide(part, whole) for part in sums[:0:-1]]


def words_between(above: Decimal, below: Decimal, length: int) -> list[int]:
    """A number between two chances, as words."""
    middle = DIGITS.divide(DIGITS.add(above, below), Decimal(2))
    bits = int(DIGITS.multiply(middle, Decimal(1 << 64 * length)))
    return [bits >> 64 * place & ALL_ONES for place in reversed(range(length))]


@pytest.mark.parametrize("v", [1, 12, 20, 40, 64, 80])
def test_steps_beyond_the_table_are_settled_exactly(script, v):
    """Variance 100 has a stride of 4; v >= 80 has a probability of about 2**-740, and comes out when it is its turn."""
    table = gaussian_table(Fraction(100))
    chances = step_chances(Fraction(16, 200), v + 2)
    for above, below, expected in (
        (chances[v - 1], chances[v], v - 1),
        (chances[v], chances[v + 1], v),
    ):
        words = words_between(above, below, 18)
        used = script(*words[1:])
        assert gaussian._steps(table, np.array(words[:1], np.uint64)).tolist() == [expected]
        assert len(used.asked) <= 17


def test_a_tie_between_two_steps_goes_both_ways(script):
    table = gaussian_table(Fraction(100))
    chances = step_chances(Fraction(16, 200), 4)
    for v in (1, 2, 3):
        bits = int(DIGITS.multiply(chances[v], Decimal(1 << 128)))
        assert bits >> 64 == int(table.step_tops[-v])
        for offset, expected in ((-1, v), (1, v - 1)):
            script((bits & ALL_ONES) + offset)
            assert gaussian._steps(table, np.array([bits >> 64], np.uint64)).tolist() == [expected]


def test_the_steps_of_all_words_fall_as_the_word_grows():
    table = gaussian_table(Fraction(10**6))
    edges = [int(top) + delta for top in table.step_tops[1:] for delta in (-1, 1)]
    steps = gaussian._steps(table, np.array(sorted(edges), np.uint64)).tolist()
    assert all(later <= earlier for earlier, later in pairwise(steps))
    assert steps == sorted([*range(len(edges) // 2), *range(1, len(edges) // 2 + 1)], reverse=True)


@pytest.mark.parametrize("variance", [Fraction(100), Fraction(1), Fraction(2**56)])
@pytest.mark.parametrize("sign", [0, 1])
def test_a_draw_far_beyond_the_table_is_exact(script, variance, sign):
    """v = 65, which happens once in 2**480 draws or less: one whole single draw, from the first word to the integer."""
    table = gaussian_table(variance)
    places, stride = len(table.digit_tops), table.stride
    chances = step_chances(stride**2 * table.rate, 66)
    first, *more = words_between(chances[65], chances[66], 60)
    y = min(3, stride - 1)
    weight = y * (y + 2 * stride * 65)
    nearly = DIGITS.exp(DIGITS.divide(Decimal(-weight), Decimal(2 * variance.numerator)))
    coin = min(int(DIGITS.multiply(nearly, Decimal(1 << 64))), ALL_ONES) - 1
    # The other 63 proposals are negative zeros, which are always refused: their coins do not matter.
    others = [[stride] + ([0] * places) for _ in range(63)]
    start = [[first, 0, *[0] * places], *([ALL_ONES, 0, *[0] * places] for _ in range(63))]
    needed = settling_words(chances, first, more)
    script(
        *by_rows(start),
        *needed,
        sign * stride + y,
        coin,
        *(word for words in others for word in words),
    )
    expected = 65 * stride + y
    assert discrete_gaussian(variance) == (-expected if sign else expected)


def settling_words(chances: list[Decimal], first: int, more: list[int]) -> list[int]:
    """As many of the words as it takes to tell 65 steps from 66."""
    bits, uniform = 64, first
    for used, word in enumerate(more):
        floors = [int(DIGITS.multiply(chance, Decimal(1 << bits))) for chance in chances[65:67]]
        if floors[1] < uniform < floors[0]:
            return more[:used]
        uniform, bits = uniform << 64 | word, bits + 64
    raise AssertionError("too few words")


def test_an_array_with_a_draw_far_beyond_the_table_is_exact(script, monkeypatch):
    """Variance 1, stride 1, no coins: the first of three proposals has 65 steps and is negative."""
    monkeypatch.setattr(gaussian, "_SINGLE", 1)
    chances = step_chances(Fraction(1, 2), 66)
    first, *more = words_between(chances[65], chances[66], 60)
    certain = 1  # a word for the coin of what is beyond the table: exp(0), which any word passes
    words = script(
        first, ALL_ONES, ALL_ONES, 0, 0, 0, *settling_words(chances, first, more), 1, certain, 0, 0
    )
    drawn = discrete_gaussian(1, 1)
    assert drawn.tolist() == [-65]
    assert drawn.dtype == np.int64
    assert words.left == []


WIDE = [
    2**56,
    2**57,
    2**58,
    10**20,
    2**64,
    10**30,
    2**111,
    2**112,
    2**114,
    2**128,
    2**130,
    2**200,
    2**300,
]


@pytest.mark.parametrize("variance", WIDE)
def test_proposals_of_any_width_are_those_of_pythons_integers(script, variance):
    table = gaussian_table(Fraction(variance))
    dice = random.Random(variance)
    columns = [proposal_words(table, dice) for _ in range(300)]
    count = -(-table.stride.bit_length() // 64)
    for y in (2**64 - 1, 2**63 - 1, 2**63, 0):  # as large as it gets, and nought, of either sign
        columns += [[words[0], *[y] * count, *words[1 + count :]] for words in columns[:20]]
    expected = [as_the_table_says(table, words) for words in columns]
    script(*by_rows(columns))
    proposed, accepted = gaussian._propose(table, len(columns))
    assert proposed.tolist() == [number for number, _ in expected]
    assert accepted.tolist() == [verdict for _, verdict in expected]
    assert 9 < accepted.sum() < len(columns) - 9


@pytest.mark.parametrize("variance", WIDE)
def test_the_digits_of_a_weight_are_exact_at_every_width(variance):
    table = gaussian_table(Fraction(variance))
    for y, v in [
        (table.stride - 1, 63),
        (table.stride - 1, 0),
        (1, 63),
        (0, 63),
        (table.stride // 3, 41),
    ]:
        words = np.array([[y >> 64 * place & 2**64 - 1] for place in range(40)], np.uint64)
        limbs = gaussian._limbs(words, table.bits)
        weight = y * (y + 2 * table.stride * v)
        digits = gaussian._digits_of_weight(table, limbs, np.array([v]))
        assert int.from_bytes(digits.tobytes(), "little") == weight < 256 ** len(table.digit_tops)
        assert gaussian._magnitude(table, limbs, np.array([v])).tolist() == [table.stride * v + y]


@pytest.mark.parametrize("variance", WIDE)
def test_noise_of_any_width_is_drawn_in_vectors(monkeypatch, variance):
    """A draw a number would ask for words a thousand times; a vector asks a few times, whatever is drawn."""
    asked = []
    words = entropy.words
    monkeypatch.setattr(entropy, "words", lambda count: (asked.append(count), words(count))[1])
    monkeypatch.setattr(gaussian, "random_bits", lambda bits: pytest.fail("drawn one by one"))
    assert len(discrete_gaussian(variance, 1000)) == 1000
    assert len(asked) <= 8


@pytest.mark.parametrize("variance", [2**116, 10**40, 2**200])
def test_wide_variances_draw_python_integers(variance):
    drawn = discrete_gaussian(variance, 20)
    assert drawn.dtype == object
    assert {type(number) for number in drawn.tolist()} == {int}
    # All 20 within a 2**20th of the deviation: probability below 2**-400.
    assert max(abs(number) for number in drawn.tolist()) ** 2 > variance >> 40


@pytest.mark.parametrize("variance", [2**56 + 1, 2**64, 10**30])
def test_variances_between_draw_words(variance):
    assert discrete_gaussian(variance, 20).dtype == np.int64


def test_the_wide_path_accepts_what_the_vector_path_accepts(script):
    """The same v, y, sign and coins give the same verdict in Python's integers as in int64."""
    table = gaussian_table(Fraction(2**56))
    dice = random.Random(5)
    columns = [proposal_words(table, dice) for _ in range(300)]
    expected = [as_the_table_says(table, words) for words in columns]
    steps = [sum(words[0] < int(top) for top in table.step_tops) for words in columns]
    flattened = []
    for words in columns:
        flattened += [(words[1] >> 63) * table.stride + words[1] % table.stride, *words[2:]]
    script(*flattened)
    proposed, accepted = gaussian._propose_singly(table, np.array(steps))
    assert accepted.tolist() == [verdict for _, verdict in expected]
    assert proposed.tolist() == [number for number, _ in expected]


def test_the_wide_path_refuses_one_zero(script):
    table = gaussian_table(Fraction(2**60))
    places = len(table.digit_tops)
    script(0, *[ALL_ONES] * places, table.stride, *[ALL_ONES] * places)
    _, accepted = gaussian._propose_singly(table, np.zeros(2, np.int64))
    assert accepted.tolist() == [True, False]


@pytest.mark.parametrize("variance", CASES)
def test_the_largest_weight_fits_its_digits_and_63_bits(variance):
    table = gaussian_table(variance)
    largest = (table.stride - 1) * (table.stride - 1 + 2 * table.stride * gaussian._MOST_STEPS)
    assert largest < 1 << min(63, 8 * len(table.digit_tops) + (table.stride == 1))


def test_kinds_and_shapes():
    assert type(discrete_gaussian(3)) is int
    assert discrete_gaussian(3, 0).shape == (0,)
    assert discrete_gaussian(3, 0).dtype == np.int64
    assert discrete_gaussian(0.5, 3).dtype == np.int64
    assert discrete_gaussian(np.int64(3), np.int32(7)).shape == (7,)
    assert discrete_gaussian(2**60, 0).shape == (0,)


def test_the_ends_of_a_block_are_drawn_too():
    """A cell that is not written would be zero or garbage; zero has chance 2**-21 here."""
    for size in ((1 << 14) - 1, 1 << 14, (1 << 14) + 1, (1 << 15) + 3):
        drawn = discrete_gaussian(1 << 40, size)
        assert len(drawn) == size
        assert np.count_nonzero(drawn == 0) < 6
        assert np.abs(drawn).max() < 40 << 20
