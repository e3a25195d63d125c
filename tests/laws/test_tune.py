"""Tuning by private selection: the law of the number of trials, its price, and that the best trial alone leaves."""

from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest

from tacit.accounting import (
    mean_trials,
    selected_epsilon,
    selected_rho,
    stop_for,
    trial_epsilon,
    trial_rho,
)
from tacit.accounting import selected_trials as prices
from tacit.curator.vectors import pay_for_vector_sums as lesson_file
from tacit.curator.vectors.vectors_noise import TrialNoise, VectorNoise
from tacit.errors import InvalidInput
from tacit.exact import ball, lower, upper, working
from tacit.learn import KMeans, LogisticRegression, Scorecard, explain_tune, tune, tuning
from tacit.mechanisms import draw_trials, law_of_best, random_trials
from tacit.privacy import Neighbours
from tests.laws.every_estimator import make_rows, make_vault, rows_of

F = Fraction
FAILURE = F(1, 10**7)
GRID = {"bins": [2, 8, 16]}


def test_the_number_of_trials_has_its_law(monkeypatch):
    """Coins and dice by a script: heads end a geometric number, which stays if a die of that many sides shows zero."""
    coins, dice, asked = iter([0, 0, 1, 0, 1, 1]), iter([2, 0]), []
    monkeypatch.setattr(random_trials, "bernoulli", lambda stop: bool(next(coins)))
    monkeypatch.setattr(random_trials, "below", lambda sides: asked.append(sides) or next(dice))
    assert draw_trials(F(1, 10)) == 2
    assert asked == [3, 2]


def test_the_mean_is_that_of_the_law():
    for trials in (2, 4, 30):
        stop = float(stop_for(trials))
        law = (1 - stop) ** np.arange(1, 20_000) / np.arange(1, 20_000)
        mean = float((law * np.arange(1, 20_000)).sum() / law.sum())
        assert mean_trials(stop_for(trials)) == pytest.approx(mean, rel=1e-6)
        assert trials <= mean <= trials * 1.01
    with pytest.raises(InvalidInput, match="above 1"):
        stop_for(1)


def small_laws(rows):
    """A trial on a table of at most five rows: a count with geometric noise, cut off at both ends."""
    half = F(1, 2)
    inside = [half ** abs(at - rows) / 3 for at in range(1, 5)]
    return [half**rows * 2 / 3, *inside, half ** (5 - rows) * 2 / 3]


def test_the_best_of_pure_trials_costs_twice_their_price():
    """Exactly, on small universes: every order of the outcomes, both neighbours; never above, and nearly reached."""
    growth, worst = F(2), F(0)
    pairs = [(small_laws(rows), small_laws(rows + 1)) for rows in range(4)]
    pairs.append(([F(1, 100), F(2, 100), F(97, 100)], [F(2, 100), F(1, 100), F(97, 100)]))
    for (one, two), stop in product(pairs, (F(1, 3), F(1, 1000))):
        trial = max(max(a / b, b / a) for a, b in zip(one, two, strict=True))
        assert trial <= growth * (1 + F(1, 10**9))
        for order in permutations(range(len(one))):
            first, second = ([law[at] for at in order] for law in (one, two))
            for a, b in ((first, second), (second, first)):
                with working():
                    ratios = [
                        p / q
                        for p, q in zip(law_of_best(a, stop), law_of_best(b, stop), strict=True)
                    ]
                    worst = max(worst, *(upper(each) for each in ratios))
    assert selected_epsilon(F(1)) == 2
    assert trial_epsilon(selected_epsilon(F(1, 3))) == F(1, 3)
    assert F(35, 10) < worst <= growth**2 * (1 + F(1, 10**8))


def gaussian_trial(rho, points=4_001):
    """A trial whose outcome is a Gaussian number on a fine grid, and its neighbour, from the worst to the best."""
    shift = np.sqrt(2 * rho)
    x = np.linspace(-9, 9 + shift, points)
    one, two = np.exp(-(x**2) / 2), np.exp(-((x - shift) ** 2) / 2)
    return one / one.sum(), two / two.sum()


def best_of(law, stop):
    """The law of the best in doubles, without cancellation: by what lies above each outcome."""
    above = np.concatenate([np.cumsum(law[::-1])[::-1][1:], [0.0]])
    return np.log1p((1 - stop) * law / (stop + (1 - stop) * above)) / -np.log(stop)


@pytest.mark.parametrize("rho", [1e-4, 5e-3, 0.1])
@pytest.mark.parametrize("stop", [0.3, 0.05])
def test_the_best_of_concentrated_trials_costs_no_more_than_is_charged(rho, stop):
    """Gaussian trials in both orders: without the rarest losses, the divergence of every order is at most its price."""
    price = float(selected_rho(F(rho), F(stop), FAILURE))
    for flip in (1, -1):
        one, two = (best_of(law[::flip], stop) for law in gaussian_trial(rho))
        for a, b in ((one, two), (two, one)):
            loss = np.log(np.maximum(a, 1e-300)) - np.log(np.maximum(b, 1e-300))
            order = np.argsort(-np.abs(loss))
            cut = np.cumsum(np.maximum(a, b)[order]) <= float(FAILURE) / 2
            kept = np.ones(len(a), bool)
            kept[order[cut]] = False
            p, q = a[kept] / a[kept].sum(), b[kept] / b[kept].sum()
            for power in np.geomspace(1.01, 300, 60):
                inside = power * np.log(p) - (power - 1) * np.log(q)
                moment = np.log(np.exp(inside - inside.max()).sum()) + inside.max()
                assert moment / (power - 1) <= price * power
    assert trial_rho(F(price), F(stop), FAILURE) <= F(rho) * F(1001, 1000)


def moments_of_best(one, two, stop):
    """The largest tilt, root mean squares of tilt and loss, and the relative entropy, among trials that are best."""
    best = best_of(one, stop)
    chances = [
        stop + (1 - stop) * np.concatenate([np.cumsum(law[::-1])[::-1][1:], [0.0]])
        for law in (one, two)
    ]
    tilt, loss = np.log(chances[1] / chances[0]), np.log(one / two)
    roots = [float(np.sqrt((best * each**2).sum())) for each in (tilt, loss)]
    return float(np.abs(tilt).max()), *roots, float((best * np.log(best / one)).sum())


@pytest.mark.parametrize("rho", [1e-3, 0.05])
@pytest.mark.parametrize("stop", [0.05, 0.0001])
def test_the_tilt_and_the_second_moment_bound_those_of_gaussian_trials(rho, stop):
    """The steps of the proof, each by itself, both orders and neighbours: never exceeded, not three times too large."""
    one, two = gaussian_trial(rho)
    pairs = [(one, two), (two, one), (one[::-1], two[::-1]), (two[::-1], one[::-1])]
    found = np.array([moments_of_best(*pair, stop) for pair in pairs])
    largest = 2 * np.sqrt(rho * np.log(1 / stop)) - rho
    with working():
        price, chance = ball(F(rho)), ball(F(stop))
        entropy = prices._entropy(chance)
        bounds = (
            prices._root_mean_square_tilt(price, -chance.log()),
            prices._root_mean_square_loss(price, entropy),
            entropy,
        )
        claimed = np.array([largest, *(float(upper(each)) for each in bounds)])
        known = prices._root_mean_square_loss(price, ball(F(found[:, 3].max())))
        least = (float(lower(known)) + min(float(lower(bounds[0])), largest)) ** 2 / 2
        charged = float(prices._certify_rho(F(rho), F(stop), FAILURE))
    assert (found <= claimed).all()
    assert (claimed <= 3 * found.max(axis=0)).all()
    assert least <= charged


@pytest.mark.parametrize(("cut", "up"), [(0.3, 0.01), (1.5, 0.01), (0.3, 0.3)])
def test_no_law_of_that_second_moment_has_a_larger_divergence(cut, up):
    """Losses of plus and minus the cut, and none, balanced so that both are laws: the price is above, and near."""
    down = up * (1 - np.exp(-cut)) / (np.exp(cut) - 1)  # that of -cut, if `up` is that of +cut
    second = (up + down) * cut**2
    with working():
        share, wide = ball(F(second)) / ball(F(cut)) ** 2, ball(F(cut))
        price = float(prices._largest_ratio(share, wide))
    worst = 0.0
    for s in np.geomspace(0.001, 200, 300):
        moment = 1 + up * np.expm1(s * cut) + down * np.expm1(-s * cut)
        worst = max(worst, np.log(moment) / s / (1 + s))
    mirrored = 0.0
    for s in np.geomspace(0.001, 200, 300):
        moment = 1 + down * np.exp(cut) * np.expm1(s * cut)
        mirrored = max(mirrored, np.log(max(moment, 1.0)) / s / (1 + s))
    assert worst <= price
    assert price <= 3 * max(worst, mirrored, second / 2)
    assert price >= second * (np.exp(cut) - 1 - cut) / cut**2


every_currency = pytest.mark.parametrize("delta", [F(0), F(1, 10**6)])


@every_currency
@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_what_is_drawn_in_a_trial_is_what_its_price_allows(monkeypatch, delta, neighbours):
    """Every array of every trial is counted where it is hidden: a trial's add up to its price; the charge is more."""
    monkeypatch.setattr(lesson_file, "draw_trials", lambda stop: 3)
    drawn, trials = [], []
    for method in ("sum_draws", "draws"):
        draw = getattr(VectorNoise, method)
        monkeypatch.setattr(
            VectorNoise,
            method,
            lambda self, *given, draw=draw: drawn.extend(draw(self, *given)) or draw(self, *given),
        )
    run = lesson_file.VectorDesk._run_trial

    def counted(self, asked, trial, rows, noise):
        start = len(drawn)
        found = run(self, asked, trial, rows, noise)
        trials.append((drawn[start:], noise))
        return found

    monkeypatch.setattr(lesson_file.VectorDesk, "_run_trial", counted)
    vault = make_vault(make_rows(40), neighbours=neighbours, delta=delta)
    tune(Scorecard, GRID, rows_of(vault), "ill", epsilon=4)
    (entry,) = vault.ledger.entries()
    rule = vault.policy.limit.filter()
    charged = rule.amount(entry.charge)
    assert len(trials) == 3 + 3  # every candidate on no rows, then three trials
    for draws, noise in trials:
        assert isinstance(noise, TrialNoise)
        paid = sum(
            draw.sensitivity.bound**2 / (2 * draw.mechanism.sigma**2)
            if delta
            else draw.sensitivity.bound / draw.mechanism.scale
            for draw in draws
        )
        assert noise.amount * (1 - F(1, 10**6)) <= paid <= noise.amount
        price = (
            selected_rho(noise.amount, stop_for(4), rule.failure(entry.charge))
            if delta
            else selected_epsilon(noise.amount)
        )
        assert charged * F(9, 10) <= price <= charged * (1 + F(1, 10**9))


def test_only_the_best_of_independent_trials_leaves(monkeypatch):
    """Trials of a script: candidates are drawn anew, and the best is all that leaves, whatever the others were."""
    vault = make_vault(make_rows(5))
    lesson, _ = tuning._open(Scorecard, GRID, rows_of(vault), "ill", 4, None)
    began, found = [], []
    monkeypatch.setattr(
        lesson_file.VectorDesk, "_run_trial", lambda self, asked, trial, rows, noise: trial
    )
    for scores in ([5, 9, 1], [9], [9, 9, 8, 7], [1, 2, 3, 9]):
        dice, script = iter([2, 0, 1, 2]), iter(scores)
        count = len(scores)
        monkeypatch.setattr(lesson_file, "draw_trials", lambda stop, count=count: count)
        monkeypatch.setattr(lesson_file, "below", lambda sides, dice=dice: (sides, next(dice)))

        def begin(candidate, script=script):
            began.append(candidate)
            score = next(script)
            return (score, candidate[1]), score

        found.append(lesson.desk._run_trials(lesson.asked, lesson.asked.trials, begin, None, None))
        assert list(script) == []
    assert began == [(3, at) for at in (2, 0, 1, 2, 2, 0, 1, 2, 2, 0, 1, 2)]
    assert found == [(9, 0), (9, 2), (9, 2), (9, 2)]  # the first of equals


@every_currency
def test_tuning_is_paid_once_and_finds_a_model(delta):
    vault = make_vault(make_rows(400, each=1), delta=delta, epsilon=400)
    how = {"epsilon": 200, "trials": 3}
    card = explain_tune(Scorecard, GRID, rows_of(vault), "ill", **how)
    assert not list(vault.ledger.entries())
    assert "trials of 3 candidates" in str(card)
    assert sum(step.share for step in card.steps) == pytest.approx(1)
    best = tune(Scorecard, GRID, rows_of(vault), "ill", **how)
    again = tune(Scorecard, GRID, rows_of(vault), "ill", **how)
    assert best.settings == again.settings
    assert again.model.price.free
    assert not best.model.price.free
    assert len(list(vault.ledger.entries())) == 1
    assert best.model.score(make_rows(200, each=1)) > 0.8
    assert "predicted correctly" in str(best)
    assert 250 < best.right < 450
    same = tune(Scorecard, {"bins": np.array(GRID["bins"])}, rows_of(vault), "ill", **how)
    assert same.model.price.free
    other = tune(Scorecard, {"bins": [2, 4]}, rows_of(vault), "ill", epsilon=50)
    assert not other.model.price.free


def test_what_cannot_be_tuned_is_refused_before_anything_is_paid():
    vault = make_vault(make_rows(5))
    for estimator, grid, match in (
        (KMeans, {"n_clusters": [2, 3]}, "GaussianNB"),
        (Scorecard, {"bins": [2]}, "settings"),
        (Scorecard, {"epsilon": [1, 2]}, "other than epsilon"),
        (Scorecard, {"bins": [0, 2]}, "whole number"),
        (Scorecard, {"bins": 16}, "list of values"),
        (Scorecard, {"bins": "24"}, "list of values"),
        (Scorecard, {"C": [1, 2]}, "Scorecard has bins, logs"),
        (Scorecard, [("bins", [2, 4])], "values by setting"),
    ):
        with pytest.raises(InvalidInput, match=match):
            tune(estimator, grid, rows_of(vault), "ill", epsilon=1)
    with pytest.raises(InvalidInput, match="trials"):
        tune(Scorecard, GRID, rows_of(vault), "ill", epsilon=1, trials=1)
    with pytest.raises(InvalidInput, match="rows of a vault"):
        tune(LogisticRegression, {"logs": [(), ("age",)]}, [1], "ill", epsilon=1)
    assert not list(vault.ledger.entries())
