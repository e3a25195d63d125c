"""The best of a random number of trials, as one charge: what tuning by private selection costs."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import log

from tacit.errors import InvalidInput
from tacit.exact import Ball, Number, at_least, ball, upper, working

__all__ = [
    "mean_trials",
    "selected_epsilon",
    "selected_rho",
    "stop_for",
    "trial_epsilon",
    "trial_rho",
]

_STEP = Fraction(102, 100)  # from one order to the next
_PARTS = 1 << 16
_PLACES = 16  # between 0 and 1, at which the second moment of a loss is bounded: the least holds


def mean_trials(stop: Number) -> float:
    """How many trials there are in the mean, where their number k has a probability proportional to (1 - stop)^k / k.

    >>> round(mean_trials(Fraction(1, 10)), 2)
    3.91
    """
    chance = _read_stop(stop)
    return (1 / float(chance) - 1) / -log(float(chance))


def stop_for(trials: Number) -> Fraction:
    """The `stop` at which there are so many trials in the mean, or a few more.

    >>> round(mean_trials(stop_for(5)), 2)
    5.0
    """
    wanted = at_least(trials, "trials")
    if not 1 < wanted <= 1000:
        raise InvalidInput("trials", trials, "give a number above 1, and at most 1000")
    low, high = 1, _PARTS - 1  # in parts: many trials, and few
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (
            (middle, high)
            if mean_trials(Fraction(middle, _PARTS)) >= float(wanted)
            else (low, middle)
        )
    return Fraction(low, _PARTS)


def selected_epsilon(epsilon: Fraction) -> Fraction:
    """The epsilon of the best of a random number of trials that have one epsilon each.

    Claim:      where a trial is epsilon-DP, the best of k trials is (2 epsilon)-DP, if k is drawn from the logarithmic
                law, whatever its mean, and is not released.
    Because:    Papernot and Steinke 2022, Corollary 3, at eta = 0; docs/proofs/selected-trials.md.
    Checked by: tests/laws/test_tune.py::test_the_best_of_pure_trials_costs_twice_their_price
    """
    return 2 * epsilon


def trial_epsilon(epsilon: Fraction) -> Fraction:
    """What a trial may cost where the best of them costs epsilon."""
    return epsilon / 2


def selected_rho(rho: Number, stop: Number, failure: Number) -> Fraction:
    """The rho of the best of a random number of trials that have one rho each, up to a failure.

    Claim:      where a trial is rho-zCDP, the best of k trials is `failure`-approximately zero-concentrated with what
                is returned, if k is drawn from the logarithmic law of `stop` and is not released.
    Because:    the loss of the best is that of a trial plus a tilt, ln p'/p for a probability p of at least `stop`
                whose logarithm is uniform.  Cut off the outcomes whose loss exceeds t: they are rare.  On the rest,
                the second moment of the loss and its bound t limit the divergence of every order.  The relative
                entropy of the best to a trial bounds that moment by a trial's; docs/proofs/selected-trials.md.
    Checked by: tests/laws/test_tune.py::test_the_best_of_concentrated_trials_costs_no_more_than_is_charged and
                tests/laws/test_tune.py::test_the_tilt_and_the_second_moment_bound_those_of_gaussian_trials

    >>> round(float(selected_rho(Fraction(1, 1000), Fraction(1, 10), Fraction(1, 10**7))), 4)
    0.0162
    """
    price, chance, missed = at_least(rho, "rho"), _read_stop(stop), at_least(failure, "failure")
    if not 0 < missed <= Fraction(1, 2) or price <= 0:
        raise InvalidInput("failure", failure, "give a probability between 0 and 1/2, and a price")
    with working():
        return _certify_rho(price, chance, missed)


def _certify_rho(rho: Fraction, stop: Fraction, failure: Fraction) -> Fraction:
    price, missed, chance = ball(rho), ball(failure), ball(stop)
    range_of_tilt = -chance.log()
    mean = ((1 / chance - 1) / range_of_tilt).log()
    tilt = range_of_tilt
    if upper(price - range_of_tilt) < 0:
        tilt = (2 * (price * range_of_tilt).sqrt() - price).min(range_of_tilt)
    rare = mean + (2 / missed).log()
    cut = tilt + price + 2 * (price * rare).sqrt() + 2 * missed
    moved = _root_mean_square_tilt(price, range_of_tilt).min(tilt)
    lost = _root_mean_square_loss(price, _entropy(chance))
    spread = (lost + moved) / (1 - missed).sqrt() + 2 * missed
    return _largest_ratio(spread * spread / (cut * cut), cut)


def _entropy(stop: Ball) -> Ball:
    """The relative entropy of the law of the best to that of a trial."""
    range_of_tilt = -stop.log()
    return ((1 - stop) / range_of_tilt).log() + range_of_tilt / 2


def _root_mean_square_tilt(rho: Ball, range_of_tilt: Ball) -> Ball:
    """The most that the root mean square of the tilt can be, among trials that are best."""
    return rho + (2 * rho * range_of_tilt).sqrt()


def _root_mean_square_loss(rho: Ball, entropy: Ball) -> Ball:
    """The most that the root mean square of a trial's own loss can be, among trials that are best."""
    squares = [
        4 * rho / part * (entropy + rho / 4 - (1 - part).log() / 2) + rho * rho / (1 - part)
        for part in (ball(Fraction(place, _PLACES)) for place in range(1, _PLACES))
    ]
    least = squares[0]
    for each in squares[1:]:
        least = least.min(each)
    return least.sqrt()


def _largest_ratio(share: Ball, cut: Ball) -> Fraction:
    """The largest D(1 + s) / (1 + s), where D is at most ln(1 + share g(s)) / s, at most `cut`, and grows with s."""
    worst, order = Fraction(0), Fraction(1)
    down, up = (-cut).expm1(), cut.expm1()
    while worst == 0 or upper(cut / ball(order)) > worst:
        following = order * _STEP
        s = ball(following - 1)
        above, below = (s * cut).expm1() + s * down, (-s * cut).expm1() + s * up
        divergence = (share * above.max(below)).log1p() / s
        worst = max(worst, upper(divergence.min(cut) / ball(order)))
        order = following
    return worst


@lru_cache(maxsize=64)
def trial_rho(rho: Fraction, stop: Fraction, failure: Fraction) -> Fraction:
    """The largest rho that a trial may have where the best of them costs rho; a little less.

    >>> price = trial_rho(Fraction(1, 10), Fraction(1, 10), Fraction(1, 10**7))
    >>> selected_rho(price, Fraction(1, 10), Fraction(1, 10**7)) <= Fraction(1, 10)
    True
    """
    bits = 0
    while selected_rho(rho / 2**bits, stop, failure) > rho:
        bits += 1
        if bits > 40:
            raise InvalidInput("rho", float(rho), "give a larger price: no trial is so cheap")
    low, high = Fraction(rho, 1 << bits), Fraction(rho, 1 << max(0, bits - 1))
    for _ in range(8):
        middle = (low + high) / 2
        low, high = (middle, high) if selected_rho(middle, stop, failure) <= rho else (low, middle)
    return low


def _read_stop(stop: Number) -> Fraction:
    chance = at_least(stop, "stop")
    if not 0 < chance < 1:
        raise InvalidInput("stop", stop, "give a probability between 0 and 1")
    return chance
