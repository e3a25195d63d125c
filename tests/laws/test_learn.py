"""Every estimator: only noise tells neighbours apart, all noise is paid for, a fit is free the second time."""

import pickle
from fractions import Fraction

import numpy as np
import pytest

from tacit.accounting import sampled_rho
from tacit.curator.vectors.vectors_noise import RATES, VectorNoise
from tacit.engines import Memory
from tacit.errors import InvalidInput
from tacit.learn import LinearRegression, LogisticRegression, MLPClassifier
from tacit.learn.network import SAMPLED
from tacit.mechanisms import Gaussian, Laplace
from tacit.plan import col
from tacit.privacy import Neighbours
from tests.laws.every_estimator import (
    EVERY,
    NEEDS_DELTA,
    TAKES_SAMPLES,
    make_rows,
    make_vault,
    rows_of,
)

both_neighbours = pytest.mark.parametrize("neighbours", list(Neighbours))
every_estimator = pytest.mark.parametrize("name", EVERY)
STEPS = 5  # of the networks among them

every_estimator_and_currency = pytest.mark.parametrize(
    ("name", "delta"),
    [
        (name, delta)
        for name in EVERY
        for delta in (Fraction(0), Fraction(1, 10**6))
        if delta or name not in NEEDS_DELTA
    ],
)


def copy_of(name):
    estimator, target = EVERY[name]
    return type(estimator)(**estimator.get_params()), target


def constant_release(self, value, times=None):
    numbers = np.asarray(value)
    wide = max(1, int(self.sigma if hasattr(self, "sigma") else self.scale))
    return (np.arange(numbers.size, dtype=np.int64) * 977 % 89 * wide).reshape(numbers.shape)


@every_estimator_and_currency
@both_neighbours
def test_with_constant_noise_a_fitted_estimator_is_the_same_on_neighbours(
    monkeypatch, name, delta, neighbours
):
    """Grey box: where noisy numbers are a constant, the fitted object and the ledger are equal byte for byte."""
    monkeypatch.setattr(Gaussian, "release", constant_release)
    monkeypatch.setattr(Laplace, "release", constant_release)
    rows = make_rows(8)
    odd = {"patient": "me", "ward": "Z", "age": 10**6, "cost": 100.0, "ill": None}
    found = []
    for owned in (True, False):
        for private in (rows, [*rows, *[odd] * 5], [*reversed(rows), {**odd, "ill": True}], []):
            vault = make_vault(private, neighbours=neighbours, delta=delta, owned=owned)
            estimator, target = copy_of(name)
            estimator.fit(rows_of(vault), target)
            del estimator.receipt["hash"]
            entries = [(entry.key, entry.charge, entry.payload) for entry in vault.ledger.entries()]
            found.append((pickle.dumps(estimator), str(estimator.card()), entries))
    assert all(each == found[0] for each in found[1:4])
    assert all(each == found[4] for each in found[5:])


@pytest.mark.parametrize("name", [name for name in EVERY if "norm" in EVERY[name][0].get_params()])
def test_a_norm_is_refused_before_it_is_paid_for_or_fits(name):
    for norm in (5e-324, 1e-9, 1e-7, 1e-5, 1 / 1024, 1.0, 999_999.0):
        vault = make_vault(make_rows(20))
        estimator, target = copy_of(name)
        estimator.set_params(norm=norm)
        if norm < 1 / 1024:
            with pytest.raises(InvalidInput, match="norm"):
                estimator.fit(rows_of(vault), target)
            assert not list(vault.ledger.entries())
        else:
            estimator.fit(rows_of(vault), target)


@every_estimator_and_currency
@both_neighbours
def test_all_noise_of_a_fit_is_paid_for(monkeypatch, name, delta, neighbours):
    """Every array that noise is added to after the look is counted at the mechanism, and adds up to the charge."""
    hidden, looked, sums = [], [], []
    for mechanism in (Gaussian, Laplace):
        release = mechanism.release
        monkeypatch.setattr(
            mechanism,
            "release",
            lambda self, value, times=None, release=release: (
                hidden.append(self) or release(self, value, times)
            ),
        )
    for method in ("sum_draws", "draws"):
        draw = getattr(VectorNoise, method)
        monkeypatch.setattr(
            VectorNoise,
            method,
            lambda self, *given, draw=draw: sums.extend(draw(self, *given)) or draw(self, *given),
        )
    code = Memory.code
    monkeypatch.setattr(
        Memory,
        "code",
        lambda self, *given, **how: (
            looked.append((len(hidden), len(sums))) or code(self, *given, **how)
        ),
    )
    vault = make_vault(make_rows(40), neighbours=neighbours, delta=delta)
    estimator, target = copy_of(name)
    estimator.fit(rows_of(vault), target)
    (entry,) = vault.ledger.entries()
    rule = vault.policy.limit.filter()
    paid, (start, first) = Fraction(0), looked[-1]
    assert len(looked) == 2
    assert [draw.mechanism for draw in sums[first:]] == hidden[start:]
    steps = STEPS if name in TAKES_SAMPLES and neighbours is Neighbours.ADD_OR_REMOVE else 0
    drawn = sums[first:]
    for draw in drawn[: len(drawn) - steps]:
        if delta:
            paid += draw.sensitivity.bound**2 / (2 * draw.mechanism.sigma**2)
        else:
            paid += draw.sensitivity.bound / draw.mechanism.scale
    if steps:  # on samples of units, which are accounted for together
        (noise,) = {draw.mechanism.sigma / draw.sensitivity.bound for draw in drawn[-steps:]}
        paid += sampled_rho(noise, Fraction(SAMPLED, RATES), steps, rule.failure(entry.charge))
    amount = rule.amount(entry.charge)
    # the fitted multiplier of samples, and the sigma made of it, are rounded up
    least = 1 - (Fraction(1, 200) if steps else Fraction(1, 10**6))
    assert amount * least <= paid <= amount


@every_estimator
def test_a_fit_is_free_the_second_time_and_another_one_is_not(name):
    vault = make_vault(make_rows(30))
    first, target = copy_of(name)
    again, _ = copy_of(name)
    first.fit(rows_of(vault), target)
    again.fit(rows_of(vault), target)
    assert not first.price.free
    assert again.price.free
    assert {key: each.tolist() for key, each in first._model.items()} == {
        key: each.tolist() for key, each in again._model.items()
    }
    assert len(list(vault.ledger.entries())) == 1
    assert vault.check_receipt(again.receipt) == []
    listed, _ = copy_of(name)
    tuples = {key: value for key, value in listed.get_params().items() if type(value) is tuple}
    listed.set_params(**{key: list(value) for key, value in tuples.items()})
    assert listed.fit(rows_of(vault), target).price.free
    other, _ = copy_of(name)
    other.fit(rows_of(vault).where(col("age") >= 0), target)
    assert not other.price.free


@every_estimator
def test_a_fitted_estimator_holds_nothing_of_the_vault(name):
    """What is pickled names no row, no engine and no vault, and predicts as before."""
    vault = make_vault([{**row, "ward": "A", "patient": "canary-7301"} for row in make_rows(30)])
    estimator, target = copy_of(name)
    estimator.fit(rows_of(vault), target)
    kept = pickle.dumps(estimator)
    assert b"canary" not in kept
    for room in (b"engines", b"ledger", b"vault", b"Memory", b"curator.policy"):
        assert room not in kept
    frame = make_rows(5)
    back = pickle.loads(kept)
    ask = "transform" if hasattr(back, "transform") else "predict"
    assert np.array_equal(getattr(back, ask)(frame), getattr(estimator, ask)(frame))


@every_estimator
def test_what_a_fit_would_cost_is_said_before_it_is_paid(name):
    vault = make_vault(make_rows(10))
    estimator, target = copy_of(name)
    card = estimator.explain(rows_of(vault), target)
    assert not list(vault.ledger.entries())
    assert sum(step.share for step in card.steps) == pytest.approx(1)
    assert str(card.price) == str(estimator.fit(rows_of(vault), target).price)
    assert "would cost" in str(card)


def test_a_network_without_delta_is_refused_before_anything_is_paid():
    vault = make_vault(make_rows(5), delta=Fraction(0))
    with pytest.raises(InvalidInput, match="delta"):
        MLPClassifier(epsilon=1).fit(rows_of(vault), "ill")
    assert not list(vault.ledger.entries())


def test_a_network_samples_units_unless_they_are_replaced():
    """Replacing a unit is not accounted for in samples: then every step sees all of them."""
    for vault, expected in (
        (make_vault(make_rows(5), owned=False), True),
        (make_vault(make_rows(5)), True),
        (make_vault(make_rows(5), owned=False, neighbours=Neighbours.REPLACE), False),
    ):
        lesson = MLPClassifier(epsilon=1)._open(rows_of(vault), "ill", None)
        assert lesson.is_sampled is expected


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["linear", "logistic"])
def test_intervals_of_coefficients_cover(kind):
    """500 fits on fresh rows of one law: 93 to 97 % of the intervals hold the law's own coefficients."""
    from tests.laws.every_estimator import protect_columns

    hits = []
    for trial in range(500):
        draw = np.random.default_rng(trial)
        x = np.clip(draw.normal(size=(8_000, 3)) * 0.3, -1, 1)
        signal = x @ np.array([0.4, -0.3, 0.0]) + 0.1
        columns = {"a": (-1, 1), "b": (-1, 1), "c": (-1, 1)}
        data = {name: x[:, at].tolist() for at, name in enumerate(columns)}
        if kind == "linear":
            data["y"] = np.clip(signal + draw.normal(size=8_000) * 0.15, -1, 1).tolist()
            vault = protect_columns(
                data, unit="row", columns={**columns, "y": (-1, 1)}, epsilon=2, delta=1e-6
            )
            model = LinearRegression(epsilon=1).fit(vault.table("data"), "y")
            truth = np.array([0.4, -0.3, 0.0])
        else:
            data["y"] = (draw.random(8_000) < 1 / (1 + np.exp(-4 * signal))).astype(int).tolist()
            vault = protect_columns(
                data, unit="row", columns={**columns, "y": [0, 1]}, epsilon=2, delta=1e-6
            )
            model = LogisticRegression(epsilon=1, intervals=True).fit(vault.table("data"), "y")
            truth = np.array([1.6, -1.2, 0.0])
        hits.append((model.coef_low_ <= truth) & (truth <= model.coef_high_))
    assert 0.93 <= np.mean(hits) <= 0.975
