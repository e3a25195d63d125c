"""Tuning: the best of a random number of fits, chosen by a noisy score and paid for with one price."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.accounting import stop_for
from tacit.curator import Correct, Feature, Lesson, Price, TrialNoise, Trials, VectorNoise
from tacit.errors import InvalidInput
from tacit.exact import at_least
from tacit.frozen import frozen
from tacit.learn.estimator import Classifier, ask, source_of
from tacit.learn.linear import LogisticRegression
from tacit.learn.model_bytes import read_model, write_model
from tacit.learn.model_card import ModelCard, Step
from tacit.learn.model_settings import check_settings
from tacit.learn.naive_bayes import GaussianNB, HistogramNB
from tacit.learn.scorecard import Scorecard

__all__ = ["TunedModel", "explain_tune", "tune"]

Array = NDArray[np.float64]

SCORE = Fraction(1, 10)  # of a trial's price: how many rows it predicts right
MOST_CANDIDATES = 1_000
TUNABLE: tuple[type[Classifier], ...] = (GaussianNB, HistogramNB, LogisticRegression, Scorecard)
"""Those whose score of a class is a sum over columns, so that one kernel can count what they predict right."""


@frozen(eq=False)
class TunedModel:
    """The best candidate, fitted; which settings it has, and a noisy count of the rows it predicted correctly."""

    model: Any
    settings: Mapping[str, Any]
    right: float

    def __str__(self) -> str:
        said = ", ".join(f"{name}={value!r}" for name, value in self.settings.items())
        name = type(self.model).__name__
        return f"{name}({said}), about {self.right:,.0f} rows predicted correctly; cost: {self.model.price}"

    __repr__ = __str__


def tune(
    estimator: type[Classifier],
    grid: Mapping[str, Sequence[Any]],
    rows: Any,
    target: str,
    *,
    epsilon: Any,
    trials: Any = 4,
    columns: Sequence[str] | None = None,
) -> TunedModel:
    """The best of a random number of fits with settings from a grid, chosen by a noisy count of right predictions.

    A random number of trials is run, `trials` in the mean; each fits random settings of the grid and is scored, all at
    a trial's price; the best alone is released.  Without a delta, a trial has half of epsilon.  With one, its rho is
    about 1/16 of the price's: for fewer than some sixteen settings, defaults, or fits one by one, are cheaper.

    Claim:      the charge pays for the best trial, however many there were; nothing else of the trials leaves.
    Because:    Papernot and Steinke 2022; docs/proofs/selected-trials.md.
    Checked by: tests/laws/test_tune.py::test_the_best_of_concentrated_trials_costs_no_more_than_is_charged and
                tests/laws/test_tune.py::test_only_the_best_of_independent_trials_leaves

    >>> import tacit
    >>> from tacit.learn import HistogramNB, tune
    >>> people = [{"age": age, "ill": age > 50} for age in range(20, 80)] * 50
    >>> columns = {"age": (0, 100), "ill": "boolean"}
    >>> clinic = tacit.protect(people, unit="row", columns=columns, epsilon=4, delta=0)
    >>> best = tune(HistogramNB, {"bins": [2, 32]}, clinic.table("data"), "ill", epsilon=2)
    >>> best.model.predict({"age": [25, 75]}).tolist()
    [False, True]
    """
    lesson, candidates = _open(estimator, grid, rows, target, trials, columns)
    answered = lesson.release_best(epsilon, _trial_maker(estimator, candidates, lesson))
    found = read_model(answered.stored.model)
    place, right = int(found.pop("candidate")), float(found.pop("right"))
    model = _make(estimator, epsilon, candidates[place])
    model._take(lesson, found)  # noqa: SLF001 -- of this room
    model.price, model.receipt = answered.price, answered.receipt
    model._card = _describe(model, lesson, epsilon, answered.price, len(candidates), is_fitted=True)  # noqa: SLF001 -- of this room
    return TunedModel(model, candidates[place], right)


def explain_tune(
    estimator: type[Classifier],
    grid: Mapping[str, Sequence[Any]],
    rows: Any,
    target: str,
    *,
    epsilon: Any,
    trials: Any = 4,
    columns: Sequence[str] | None = None,
) -> ModelCard:
    """What `tune` would release and cost; it is free, and no data are looked at."""
    lesson, candidates = _open(estimator, grid, rows, target, trials, columns)
    model, price = _make(estimator, epsilon, candidates[0]), lesson.price(epsilon)
    return _describe(model, lesson, epsilon, price, len(candidates), is_fitted=False)


def _open(
    estimator: type[Classifier],
    grid: Mapping[str, Sequence[Any]],
    rows: Any,
    target: str,
    trials: Any,
    columns: Sequence[str] | None,
) -> tuple[Lesson, list[dict[str, Any]]]:
    """The lesson that all trials share, and the candidates; refused where the call makes no sense."""
    if estimator not in TUNABLE:
        names = ", ".join(sorted(each.__name__ for each in TUNABLE))
        given = getattr(estimator, "__name__", estimator)
        raise InvalidInput("estimator", given, f"give one of: {names}")
    values_of = _read_grid(estimator, grid)
    candidates = [dict(zip(values_of, each, strict=True)) for each in product(*values_of.values())]
    if not 2 <= len(candidates) <= MOST_CANDIDATES:
        raise InvalidInput("grid", values_of, f"give 2 to {MOST_CANDIDATES} settings")
    for settings in candidates:
        check_settings(settings)
    declared = Trials(len(candidates), at_least(trials, "trials"))
    stop_for(declared.mean)  # which refuses a mean that is out of range
    found: Lesson = source_of(rows).lesson(
        rows,
        kind=f"tuned {estimator.__name__}",
        target=target,
        columns=columns,
        classes=True,
        settings=[f"{name}={values_of[name]!r}" for name in sorted(values_of)],
        trials=declared,
    )
    return found, candidates


def _read_grid(estimator: type[Classifier], grid: Any) -> dict[str, list[Any]]:
    """The values of every setting, numbers of NumPy as Python's; refused where it is no grid of this estimator."""
    if not isinstance(grid, Mapping):
        raise InvalidInput("grid", grid, 'give values by setting, as in {"bins": [4, 16]}')
    known = [name for name in estimator._parameters() if name != "epsilon"]  # noqa: SLF001 -- of this room
    found = {}
    for name, values in grid.items():
        if name not in known:
            named = f"{', '.join(known)}; settings other than epsilon are tuned"
            raise InvalidInput("grid", name, f"{estimator.__name__} has {named}")
        if isinstance(values, str | bytes) or not isinstance(values, Iterable):
            raise InvalidInput(f"{name} in the grid", values, "give a list of values to try")
        found[name] = [each.item() if isinstance(each, np.generic) else each for each in values]
    return found


def _make(estimator: type[Classifier], epsilon: Any, settings: Mapping[str, Any]) -> Any:
    """An estimator with some settings; all that can be tuned take epsilon and settings by name."""
    made: Callable[..., Any] = estimator
    return made(epsilon=epsilon, **settings)


def _describe(
    model: Any, lesson: Lesson, epsilon: Any, price: Price, candidates: int, *, is_fitted: bool
) -> ModelCard:
    """The card of a model, with what a trial releases, its score included."""
    noise, rest = lesson.noise(epsilon), float(1 - SCORE)
    card: ModelCard = model._describe(lesson, noise, price, is_fitted=is_fitted)  # noqa: SLF001 -- of this room
    steps = (
        *(replace(step, share=step.share * rest) for step in card.steps),
        Step("number of rows predicted correctly", float(SCORE), 1),
    )
    assert isinstance(noise, TrialNoise), "trials have noise of their own"
    assert lesson.asked.trials is not None, "trials were declared"
    part, what = float(noise.amount / noise.whole), "rho" if noise.concentrated else "epsilon"
    note = (
        f"the best of about {float(lesson.asked.trials.mean):g} trials of {candidates} candidates, by a noisy count of "
        f"correct predictions; each trial spends {part:.3g} of the price's {what}, and the shares "
        "above are shares of a trial"
    )
    return replace(card, steps=steps, notes=(*card.notes, note))


def _trial_maker(
    estimator: type[Classifier], candidates: Sequence[Mapping[str, Any]], lesson: Lesson
) -> Callable[[VectorNoise], Callable[[int], Any]]:
    def begin(noise: VectorNoise) -> Callable[[int], Any]:
        return lambda place: _try(_make(estimator, 1, candidates[place]), place, lesson, noise)

    return begin


def _try(model: Any, place: int, lesson: Lesson, noise: VectorNoise) -> Generator[Any, Any, Any]:
    """One trial: a fit for nine tenths of its price, then a noisy count of what it predicts right."""
    rest = 1 - SCORE
    learning = model._learn(lesson, replace(noise, amount=noise.amount * rest))  # noqa: SLF001 -- of this room
    found = yield from _scale_shares(learning, rest)
    arrays = read_model(write_model(found))
    model._take(lesson, arrays)  # noqa: SLF001 -- of this room
    points, prior = _points_of(model, lesson.features)
    ((right, _),) = yield from ask(Correct(points, prior), SCORE)
    score = float(right[0])
    return score, write_model({**arrays, "candidate": place, "right": score})


def _scale_shares(learning: Any, part: Fraction) -> Generator[Any, Any, Any]:
    """The same exchange, every request at a part of its share."""
    reply = None
    while True:
        try:
            request = learning.send(reply) if reply is not None else next(learning)
        except StopIteration as end:
            return end.value
        reply = yield replace(request, share=request.share * part)


def _points_of(model: Classifier, features: Sequence[Feature]) -> tuple[tuple[Array, ...], Array]:
    """What every place of every column adds to the scores of the classes, and what they begin with.

    A score is a sum over columns: it is asked of rows that differ from one row in one column.
    """
    first = {each.name: _values(each)[0] for each in features}
    prior = model.scores({name: [value] for name, value in first.items()})[0]
    found = []
    for each in features:
        values = _values(each)
        frame = {name: [value] * len(values) for name, value in first.items()} | {each.name: values}
        found.append(model.scores(frame) - prior)
    return tuple(found), prior


def _values(feature: Feature) -> list[Any]:
    """A value for every place of a column."""
    if feature.kind == "category":
        return list(feature.values)
    return [None if np.isnan(number) else float(number) for number in feature.numbers]
