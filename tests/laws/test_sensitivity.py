"""What holds for every sensitivity."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.privacy import Neighbours, Norm, Sensitivity, root_at_least
from tests.together import together

numbers = st.fractions(-(10**6), 10**6, max_denominator=10**6)
# Random vectors never come near a bound: those with one coordinate, or with all alike, reach them.
vectors = st.one_of(
    st.lists(numbers, min_size=1, max_size=6),
    st.tuples(numbers, st.integers(1, 40)).map(lambda drawn: [drawn[0]] * drawn[1]),
    st.tuples(numbers, st.integers(0, 40)).map(lambda drawn: [drawn[0]] + [Fraction(0)] * drawn[1]),
).filter(any)
norms = st.sampled_from(list(Norm))
relations = st.sampled_from(list(Neighbours))
positive = st.one_of(
    st.fractions(0, 10**30).filter(bool),
    st.builds(Fraction, st.integers(1, 2**600), st.integers(1, 2**600)),
    st.integers(1, 2**300).map(lambda n: Fraction(n * n + 1, n * n)),
)


def squared(vector, norm):
    """The square of the length of a vector, exactly."""
    match norm:
        case Norm.L1:
            return sum(map(abs, vector)) ** 2
        case Norm.L2:
            return sum(x * x for x in vector)
        case Norm.LINF:
            return max(map(abs, vector)) ** 2


def length(vector, norm):
    """The sensitivity that just bounds a vector."""
    bound = root_at_least(squared(vector, norm))
    return Sensitivity(bound, norm, dimension=len(vector))


@settings(max_examples=50)
@given(vectors, norms, norms)
def test_a_bound_in_one_norm_becomes_one_that_holds_in_another(vector, stated, wanted):
    bound = length(vector, stated).in_norm(wanted).bound
    assert bound**2 >= squared(vector, wanted)


@together
@pytest.mark.parametrize("dimension", [1, 2, 3, 4, 7, 100])
@pytest.mark.parametrize("stated", list(Norm))
@pytest.mark.parametrize("wanted", list(Norm))
def test_no_smaller_bound_would_hold(dimension, stated, wanted):
    bound = Sensitivity(1, stated, dimension=dimension).in_norm(wanted).bound
    # The longest vector of length one is alike in all coordinates or has but one.
    alike, alone = [Fraction(1)] * dimension, [Fraction(1)] + [Fraction(0)] * (dimension - 1)
    longest = max(
        Fraction(squared(vector, wanted), squared(vector, stated)) for vector in (alike, alone)
    )
    assert longest <= bound**2 < longest * (1 + Fraction(1, 2**126))


@settings(max_examples=50)
@given(vectors, norms, norms, relations)
def test_another_norm_changes_nothing_else(vector, stated, wanted, relation):
    before = Sensitivity(length(vector, stated).bound, stated, relation, len(vector))
    after = before.in_norm(wanted)
    assert (after.norm, after.neighbours, after.dimension) == (wanted, relation, len(vector))
    assert before.in_norm(stated) == before


@settings(max_examples=50)
@given(positive)
def test_a_root_is_rounded_up_by_less_than_its_claim(square):
    root = root_at_least(square)
    assert root > 0
    assert root**2 >= square
    below = root / (1 + Fraction(1, 2**128))
    assert below**2 < square


@settings(max_examples=50)
@given(positive)
def test_the_root_of_a_square_is_exact(number):
    assert root_at_least(number**2) == number


@settings(max_examples=50)
@given(positive, st.integers(1, 100), relations)
def test_a_root_given_by_its_square_is_a_euclidean_length(square, dimension, relation):
    moved = Sensitivity.root(square, relation, dimension)
    assert moved == Sensitivity(root_at_least(square), Norm.L2, relation, dimension)
    assert moved.bound**2 >= square
