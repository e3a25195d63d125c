"""Report noisy max, min and the best few, by example; their laws are in tests/laws/test_selection.py."""

from fractions import Fraction

import numpy as np
import pytest

from tacit.errors import InvalidData, InvalidInput, TooLarge
from tacit.exact import ball, upper
from tacit.mechanisms import Exponential, Laplace, NoisyMax, NoisyTopK, PermuteAndFlip
from tacit.mechanisms import noisy_max as file
from tacit.privacy import BoundedRangeLoss, Neighbours, PureLoss, Sensitivity

F = Fraction
REPLACED = Sensitivity(1, neighbours=Neighbours.REPLACE)


def test_counts_need_the_scale_once_by_add_or_remove_and_twice_by_replace():
    assert NoisyMax.calibrate(F(1, 2), 1, monotone=True).scale == 2
    assert NoisyMax.calibrate(F(1, 2), REPLACED).scale == 4
    assert NoisyMax.calibrate(F(1, 2), 1).scale == 4


def test_its_loss_is_pure():
    assert NoisyMax(4).loss(REPLACED) == PureLoss(F(1, 2), Neighbours.REPLACE)
    assert NoisyMax(4, noise="exponential").loss(1) == PureLoss(F(1, 2))


@pytest.mark.parametrize("noise", ["gumbel", "Laplace", "", None, 1, []])
def test_other_noise_is_refused(noise):
    with pytest.raises((InvalidInput, TypeError)):
        NoisyMax(1, noise=noise)


@pytest.mark.parametrize(
    ("noise", "sampler"), [("laplace", "discrete_laplace"), ("exponential", "geometric")]
)
def test_the_noisy_scores_decide(noise, sampler, monkeypatch):
    drawn = np.array([0, 5, -9, 1])
    monkeypatch.setattr(file, sampler, lambda scale, size: np.resize(drawn, size))
    assert NoisyMax(3, noise=noise).release([10, 4, 99, 0]) == 2
    assert NoisyMax(3, noise=noise).release([10, 6, 0, 0]) == 1
    assert NoisyMax(3, noise=noise).release([10, 6, 0, 0], times=5).tolist() == [1] * 5
    # Scores are turned round before noise is added: the smallest of 10, 1, 12, 6 with these wins by its noise.
    assert NoisyMax(3, noise=noise).release([3, 5, 0, 6], smallest=True) == 1


def test_equal_sums_are_decided_by_lot(monkeypatch):
    monkeypatch.setattr(file, "discrete_laplace", lambda scale, size: np.zeros(size, np.int64))
    seen = set(NoisyMax(3).release([4, 1, 4, 4], times=300).tolist())
    assert seen == {0, 2, 3}


def test_noise_beyond_64_bits_is_added_all_the_same():
    assert NoisyMax(2**80).release([0, 2**200, 5]) == 1
    assert NoisyMax(2).release(np.array([2**63 - 1, 2**63 - 1, 0]), times=200).max() == 1


def test_laplace_noise_errs_more_than_exponential_noise():
    assert NoisyMax(2).error(0.95, 1000) == 22
    assert (
        NoisyMax(2, noise="exponential").error(0.95, 1000)
        == PermuteAndFlip(2).error(0.95, 1000)
        == 18
    )


def test_a_law_that_takes_too_long_is_refused():
    with pytest.raises(TooLarge, match="; "):
        NoisyMax(2).distribution([0, 2**62])
    with pytest.raises(TooLarge, match="; "):
        NoisyMax(10**9).distribution([0, 1])
    assert upper(NoisyMax(10**9).distribution([7])[0]) == 1


# ------------------------------------------------------------------------------- the best few


def test_the_best_few_leave_in_order():
    # so far apart that noise of scale 1 never changes their order
    scores = [0, 100_000, 1_000, 10_000]
    for each in (Exponential(1), PermuteAndFlip(1), NoisyMax(1)):
        assert NoisyTopK(3, each).release(scores).tolist() == [1, 3, 2]
        assert NoisyTopK(2, each).release(scores, smallest=True).tolist() == [0, 2]
        assert NoisyTopK(4, each).release(scores, times=5).shape == (5, 4)
        assert NoisyTopK(4, each).release(scores, times=0).shape == (0, 4)


def test_every_one_of_the_best_few_is_paid_for():
    assert NoisyTopK(3, Exponential(4)).loss(2) == BoundedRangeLoss(1) * 3
    assert NoisyTopK(1, PermuteAndFlip(4)).loss(2).pure() == 1
    assert NoisyTopK.calibrate(5, 1, 1, kind=NoisyMax, noise="exponential").each == NoisyMax(
        10, noise="exponential"
    )
    assert NoisyTopK.calibrate(5, 1, 1, monotone=True).loss(1).pure() == 1


def test_fewer_candidates_than_are_to_be_chosen_are_refused():
    with pytest.raises(InvalidData, match="smaller k"):
        NoisyTopK(3, Exponential(1)).release([1, 2])
    with pytest.raises(InvalidData, match="smaller k"):
        NoisyTopK(3, Exponential(1)).distribution([1, 2])


def test_only_what_chooses_one_can_be_repeated():
    for wrong in (Laplace(1), None, 3, Exponential):
        with pytest.raises(InvalidInput, match="each"):
            NoisyTopK(2, wrong)
    with pytest.raises(InvalidInput, match="rho"):
        NoisyTopK.calibrate_rho(2, 0, 1)
    with pytest.raises(InvalidInput, match="k cannot"):
        NoisyTopK.calibrate(0, 1, 1)


def test_a_law_of_very_many_choices_is_refused():
    with pytest.raises(TooLarge, match="; "):
        NoisyTopK(5, Exponential(1)).distribution(list(range(20)))


def test_the_law_of_the_best_few_counts_scores_in_steps():
    law = NoisyTopK(2, Exponential(F(1, 4), grid=F(1, 4))).distribution([0.5, 0.25, 0.0])
    whole = NoisyTopK(2, Exponential(1)).distribution([2, 1, 0])
    assert all(law[choice].overlaps(whole[choice]) for choice in whole)
    assert upper(abs(sum(law.values(), ball(0)) - 1)) < F(1, 2**40)
