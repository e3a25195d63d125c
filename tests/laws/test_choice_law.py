"""The law that a choice's stored integers imply, rebuilt from them, is the ideal law.

Nothing is drawn but where a script says what. A weight is stored as an integer; a slot's places are taken surely, or
with a chance that can be asked for any number of bits. So the probability of every candidate follows as a fraction of
integers, and its ratio to the best one's must be exp(-distance / scale) to 128 bits and more. The ideal comes from
Python's `decimal`: no code is shared with Tacit's certified numbers.
"""

from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tacit.exact import (
    entropy,
    exponential_choice,
    exponential_slots,
    flipped_choice,
    uniform_choice,
    weigh,
)
from tacit.exact.selection import PADDING, SLACK, Slots, _heads

F = Fraction
WHOLE = 1 << 63
IDEAL = Context(prec=120, Emin=-(10**17), Emax=10**17)

scales = st.sampled_from(
    [
        F(1, 1000),
        F(1, 3),
        F(1),
        F(10, 3),
        F(355, 113),
        F(1000),
        F(10**6 + 1, 7),
        F(2**40),
        F(2**62),
        F(2**80),
    ]
)
near = st.integers(0, 3000)
far = st.integers(0, 2**64 - 1)
edges = st.sampled_from([0, 1, 255, 256, 257, 2**16, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1])
distances = st.one_of(near, far, edges)


def ideal(distance: int, scale: Fraction) -> Decimal:
    """exp(-distance / scale)."""
    exponent = distance / scale
    return IDEAL.exp(IDEAL.divide(Decimal(-exponent.numerator), Decimal(exponent.denominator)))


@given(st.lists(distances, min_size=1, max_size=30), scales)
@example([1 << 62], Fraction(1 << 62))
@settings(max_examples=200)
def test_a_weight_is_rounded_down_by_less_than_its_slack(far_off, scale):
    stored = weigh(np.array(far_off, np.uint64), scale).tolist()
    in_objects = weigh(np.array(far_off, dtype=object), scale).tolist()
    for distance, weight, other in zip(far_off, stored, in_objects, strict=True):
        exact = IDEAL.multiply(ideal(distance, scale), Decimal(WHOLE))
        assert weight <= exact
        assert exact < weight + SLACK
        assert other <= exact < other + 1 or (distance == 0 and other == WHOLE)
        assert (weight == WHOLE) is (distance == 0)


def owed(slots: Slots, candidate: int, bits: int) -> int:
    """How many places of a slot are its candidate's, chances summed, in units of 2**-bits."""
    length = int(slots.lengths[candidate])
    sure = max(0, length - PADDING)
    return (sure << bits) + sum(
        slots.chance_of(candidate, place).floor(bits) for place in range(sure, length)
    )


@settings(max_examples=30)
@given(
    st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-50, 50), min_size=1, max_size=5),
    scales,
)
def test_slots_imply_the_law_of_the_exponential_mechanism(scores, scale):
    slots = exponential_slots(np.array(scores, np.int64), scale)
    best = scores.index(max(scores))
    whole = owed(slots, best, 64)
    assert whole == slots.reach << 64
    for candidate, score in enumerate(scores):
        chance = ideal(max(scores) - score, scale)
        bits = 400 + max(0, -chance.adjusted() * 4)
        if bits > 20_000:
            # rarer than e**-3000: its first word of bits is nothing
            assert owed(slots, candidate, 64) == 0
            continue
        found, expected = (
            Decimal(owed(slots, candidate, bits)),
            IDEAL.multiply(chance, Decimal(slots.reach << bits)),
        )
        assert abs(IDEAL.divide(found, expected) - 1) < Decimal(2) ** -128


@given(
    st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-50, 50), min_size=1, max_size=200),
    scales,
)
def test_slots_fit_and_nearly_fill_the_integers_below_2_to_the_63(scores, scale):
    slots = exponential_slots(np.array(scores, np.int64), scale)
    lengths = [int(length) for length in slots.lengths]
    assert slots.ends.tolist() == [sum(lengths[: i + 1]) for i in range(len(lengths))]
    assert WHOLE - 2 * PADDING * len(scores) <= sum(lengths) <= WHOLE
    for candidate, score in enumerate(scores):
        exact = IDEAL.multiply(ideal(max(scores) - score, scale), Decimal(slots.reach))
        assert lengths[candidate] - PADDING <= exact <= lengths[candidate]


# ---------------------------------------------------------------- which word does what


class Script:
    """Hands out the words it was given."""

    def __init__(self, *words: int) -> None:
        self.left = list(words)

    def __call__(self, count: int) -> np.ndarray:
        assert count <= len(self.left), f"{count} words are asked for and {len(self.left)} are left"
        drawn, self.left = self.left[:count], self.left[count:]
        return np.array(drawn, np.uint64)


@pytest.fixture
def script(monkeypatch):
    def script(*words):
        made = Script(*words)
        monkeypatch.setattr(entropy, "words", made)
        return made

    return script


SCORES, SCALE = np.array([3, 7, 7, 0]), F(2)
LAST = (1 << 64) - 1


def test_a_place_well_inside_a_slot_names_its_candidate(script):
    slots = exponential_slots(SCORES, SCALE)
    start = 0
    for candidate, length in enumerate(slots.lengths.tolist()):
        for place in (start, start + length // 2, start + length - PADDING - 1):
            words = script(place << 1, (place << 1) + 1)
            assert exponential_choice(SCORES, SCALE, times=2).tolist() == [candidate] * 2
            assert words.left == []
        start += length


def test_a_place_at_the_end_of_a_slot_is_settled_by_the_exact_chance(script):
    slots = exponential_slots(SCORES, SCALE)
    first = slots.lengths.tolist()[0]
    exact = IDEAL.multiply(ideal(4, SCALE), Decimal(slots.reach))
    part = int(exact)  # places before it are surely owed, places after it surely not
    threshold = int(IDEAL.multiply(exact - part, Decimal(1 << 64)))
    assert first - PADDING <= part < first
    elsewhere = first + 5  # the second candidate's slot
    for place, word, chosen in [
        (part - 1, LAST, 0),
        (part, threshold - 1, 0),
        (part, threshold + 1, 1),
        (part + 1, 0, 1),
        (first - 1, 0, 1),
    ]:
        # The first bits of a chance that is nothing tie with the word zero, and so do those of one with all ones.
        more = [1] if place > part else []
        words = script(place << 1, word, *more, *([elsewhere << 1] if chosen else []))
        assert exponential_choice(SCORES, SCALE).tolist() == [chosen]
        assert words.left == []


def test_a_place_beyond_all_slots_is_drawn_again(script):
    slots = exponential_slots(np.array([5, 0, 1]), F(1))
    words = script(int(slots.ends[-1]) << 1, LAST, 0)
    assert exponential_choice(np.array([5, 0, 1]), F(1)).tolist() == [0]
    assert words.left == []


def test_a_coin_is_tossed_by_63_bits_and_settled_by_more(script):
    distance, scale = np.array([0, 3], np.uint64), F(2)
    weights = weigh(distance, scale)
    exact = int(IDEAL.multiply(ideal(3, scale), Decimal(1 << 64)))
    for word, comes_up in [(exact - 1, True), (exact + 1, False), (0, True), (LAST, False)]:
        drawn = np.array([[LAST, word]], np.uint64)
        assert _heads(drawn, weights, distance, scale).tolist() == [[True, comes_up]]
    script(LAST, 0)
    assert _heads(np.array([[0, exact]], np.uint64), weights, distance, scale).tolist() == [
        [True, False]
    ]
    assert _heads(np.array([[0, exact]], np.uint64), weights, distance, scale).tolist() == [
        [True, True]
    ]


def test_of_those_that_come_up_the_highest_lot_is_chosen(script):
    words = script(LAST, 0, LAST, 9, 10, 8)
    assert flipped_choice(np.array([5, 5, 4]), F(1)).tolist() == [1]  # the third coin fails
    assert words.left == []
    script(0, 0, 0, 9, 10, 11)
    assert flipped_choice(np.array([5, 5, 4]), F(1)).tolist() == [2]


def test_lots_that_tie_are_drawn_again_among_those_that_tie(script):
    words = script(7, 7, 3, 1, 2, 9)
    assert uniform_choice(np.array([[True, True, True]])).tolist() == [1]
    assert words.left == []
    words = script(0, 5, 0, *[1, 0, 1], *[2, 2, 3])
    assert uniform_choice(np.array([[True, False, True]])).tolist() == [2]
    assert words.left == []


def test_a_place_that_is_closed_is_never_chosen_whatever_its_lot(script):
    script(LAST, 0, LAST)
    assert uniform_choice(np.array([[False, True, False]])).tolist() == [1]
