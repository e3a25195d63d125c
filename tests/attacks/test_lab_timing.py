"""A clock finds a sampler that loops, and not ours.

Which of two independent draws is larger is a fair coin given how long both took, unless time depends on size, whatever
the machine does. A sound sampler is accused with probability below 1e-6; a leak by which 57 % of 4,000 guesses are
right is found in 99 of 100 runs.
"""

from tacit.audit.attacks.report import Rate
from tacit.audit.attacks.timing import looping_laplace, perfect_clock, slower_is_larger, time_draws
from tacit.exact import discrete_gaussian, discrete_laplace

DRAWS = 8000


def test_a_loop_of_coins_is_found_and_tells_no_more_than_its_rounds():
    rate = Rate(*slower_is_larger(*time_draws(lambda: looping_laplace(1000), DRAWS)))
    assert rate.exceeds(0.5, 1e-6)
    assert not rate.exceeds(perfect_clock(), 1e-6)


def test_ours_is_a_fair_coin():
    for sampler in (lambda: discrete_laplace(1000), lambda: discrete_gaussian(10**6)):
        assert Rate(*slower_is_larger(*time_draws(sampler, DRAWS)), expected=0.5).agrees(1e-6)
