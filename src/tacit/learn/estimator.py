"""What all estimators share: parameters, a fit that pays once, what it says beforehand and afterwards."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Generator, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from tacit.curator import Feature, Kernel, Lesson, Price, Sums, VectorNoise, in_units
from tacit.errors import InvalidInput, TacitError
from tacit.learn.model_bytes import read_model, write_model
from tacit.learn.model_card import ModelCard, Step, join_some, write_settings_call
from tacit.learn.model_json import (
    FORMAT,
    Declarations,
    Declared,
    read_array,
    read_declared,
    read_field,
    read_settings,
    refuse_model,
    write_array,
    write_declared,
    write_settings,
)
from tacit.learn.model_settings import check_settings
from tacit.learn.prediction_frames import column_of

__all__ = ["Classifier", "Estimator", "Learning", "NotFitted", "ask", "source_of"]

Array = NDArray[np.float64]
MOST_MADE_UP = 1_000  # rows that a model that was read is tried on
Learning = Generator[Any, Any, dict[str, Any]]
"""What yields requests, is sent released numbers, and ends with a model."""


class NotFitted(TacitError):
    """An estimator was asked for a prediction before it was fitted."""

    def __init__(self, estimator: str) -> None:
        super().__init__(
            f'this {estimator} is not fitted yet; call fit(vault.table("…"), target="…") first'
        )


class Estimator(ABC):
    """An estimator that learns from released numbers alone; see the estimators for what each learns.

    Claim:      a fitted estimator is a function of what was released and of public declarations.
    Because:    it holds a lesson's public features and the model that the ledger keeps; it imports no engine and no
                file of one, and has no other way to rows.
    Checked by: tests/laws/test_learn.py::test_with_constant_noise_a_fitted_estimator_is_the_same_on_neighbours
    """

    predicts: ClassVar[str | None] = None
    """What is predicted: "classes", "a number", or nothing."""

    epsilon: Any
    _encoder: Any

    def fit(
        self, rows: Any, target: str | None = None, *, columns: Sequence[str] | None = None
    ) -> Self:
        """Learn from the rows of a vault's frame, such as `vault.table("visits").where(...)`, and pay once.

        The same fit again is free.  All columns with declared values or bounds are features, or those that are named.
        """
        lesson = self._open(rows, target, columns)
        answered = lesson.release(self.epsilon, lambda noise: self._begin(lesson, noise))
        self._take(lesson, read_model(answered.stored.model))
        self.price, self.receipt = answered.price, answered.receipt
        noise = lesson.noise(self.epsilon)
        self._card = self._describe(lesson, noise, answered.price, is_fitted=True)
        return self

    def explain(
        self, rows: Any, target: str | None = None, *, columns: Sequence[str] | None = None
    ) -> ModelCard:
        """What a fit would release and cost; it is free, and no data are looked at."""
        lesson = self._open(rows, target, columns)
        noise = lesson.noise(self.epsilon)
        return self._describe(lesson, noise, lesson.price(self.epsilon), is_fitted=False)

    def card(self) -> ModelCard:
        """What was learnt, at what price, and what it must not be used for."""
        self._check_fitted()
        return self._card

    def to_dict(self) -> dict[str, Any]:
        """The fitted model as values that JSON holds: settings, public features, released numbers, price, receipt.

        >>> from tacit.learn import Estimator, PCA
        >>> import tacit
        >>> rows = [{"age": age, "bmi": 20 + age / 10} for age in range(20, 80)]
        >>> clinic = tacit.protect(rows, unit="row", columns={"age": (0, 100), "bmi": (0, 50)}, epsilon=3, delta=1e-6)
        >>> fields = PCA(1, epsilon=1).fit(clinic.table("data")).to_dict()
        >>> Estimator.from_dict(fields).card().model
        'PCA'
        """
        self._check_fitted()
        return {
            "format": FORMAT,
            "model": type(self).__name__,
            "settings": write_settings(self.get_params()),
            **write_declared(self._declared),
            "learnt": {name: write_array(each) for name, each in self._model.items()},
            "card": self._card.to_dict(),
            "receipt": dict(self.receipt),
        }

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Estimator:
        """The fitted model that `to_dict` wrote: it predicts as before, and reads nothing else.

        Anything else is refused (`InvalidInput`), also where its parts do not fit one another.
        """
        kinds = {each.__name__: each for each in _all_estimators()}
        name = read_field(fields, "model", str)
        if read_field(fields, "format", str) != FORMAT or name not in kinds:
            raise InvalidInput(
                "a model", fields["format"], "give what to_dict() of a fitted model returned"
            )
        try:
            with np.errstate(all="ignore"):
                return _read_fitted(kinds[name], fields)
        except InvalidInput:
            raise
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as problem:
            raise refuse_model(
                "settings, features and numbers", f"inconsistent ({problem})"
            ) from None

    def to_bytes(self) -> bytes:
        """What was learnt, as the ledger keeps it: named arrays of numbers."""
        self._check_fitted()
        return write_model(self._model)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name, as scikit-learn asks for them."""
        return {name: getattr(self, name) for name in self._parameters()}

    def set_params(self, **params: Any) -> Self:
        """The same estimator with other parameters, as scikit-learn sets them."""
        for name, value in params.items():
            if name not in self._parameters():
                raise InvalidInput(
                    "parameter", name, f"give one of: {', '.join(self._parameters())}"
                )
            setattr(self, name, value)
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "features_")

    def __sklearn_tags__(self) -> Any:
        from tacit.extras import extra

        with extra("learn", "scikit-learn's tags"):
            from sklearn.utils import (
                ClassifierTags,
                InputTags,
                RegressorTags,
                Tags,
                TargetTags,
                TransformerTags,
            )
        kind = {"classes": "classifier", "a number": "regressor"}.get(self.predicts or "")
        return Tags(
            estimator_type=kind,
            target_tags=TargetTags(required=self.predicts is not None),
            transformer_tags=TransformerTags() if hasattr(self, "transform") else None,
            classifier_tags=ClassifierTags() if kind == "classifier" else None,
            regressor_tags=RegressorTags() if kind == "regressor" else None,
            input_tags=InputTags(two_d_array=False, string=True, categorical=True),
            non_deterministic=True,
            requires_fit=True,
        )

    def __repr__(self) -> str:
        """The call that makes such an estimator."""
        return f"{type(self).__name__}({write_settings_call(self.get_params())})"

    @classmethod
    def _parameters(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def _open(self, rows: Any, target: str | None, columns: Sequence[str] | None) -> Lesson:
        """The lesson of a frame; refused where the call makes no sense, by declarations alone."""
        name = type(self).__name__
        source = source_of(rows)
        check_settings(self.get_params())
        if self.predicts is not None and not isinstance(target, str):
            given = target if target is None else type(target).__name__
            raise InvalidInput("target", given, f"name the column that this {name} is to predict")
        if self.predicts is None and target is not None:
            raise InvalidInput("target", target, f"{name} predicts nothing; leave it out")
        _check_columns(columns)
        return self._lesson(source, rows, target, columns)

    def _lesson(
        self, vault: Any, rows: Any, target: str | None, columns: Sequence[str] | None
    ) -> Lesson:
        found: Lesson = vault.lesson(
            rows,
            kind=type(self).__name__,
            target=target,
            columns=self._columns(rows, columns),
            classes=self.predicts == "classes",
            settings=self._settings(),
        )
        return found

    def _columns(self, rows: Any, columns: Sequence[str] | None) -> Sequence[str] | None:
        return columns

    def _settings(self) -> list[str]:
        """What else decides what is released, for the name of the fit in the ledger; a list is as good as a tuple."""
        params = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in self.get_params().items()
        }
        return [f"{name}={params[name]!r}" for name in sorted(params) if name != "epsilon"]

    def _begin(self, lesson: Lesson, noise: VectorNoise) -> Generator[Any, Any, bytes]:
        model = yield from self._learn(lesson, noise)
        return write_model(model)

    @abstractmethod
    def _learn(self, lesson: Lesson, noise: VectorNoise) -> Learning:
        """Ask for released numbers, and make a model of them."""

    @abstractmethod
    def _steps(self, lesson: Lesson, noise: VectorNoise) -> tuple[Step, ...]:
        """What is released in a fit."""

    def _notes(self, lesson: Lesson, noise: VectorNoise) -> tuple[str, ...]:
        return ()

    def _learnt(self) -> tuple[str, ...]:
        """What was learnt, in a few lines."""
        return ()

    def _error(self) -> str:
        """How far off the model is, or how to find out."""
        return (
            "not measured: that would be a question about protected rows; score(frame) is for rows of your own, and "
            "empirical_error gives it an interval"
        )

    def _take(self, lesson: Declarations, model: Mapping[str, Array]) -> None:
        """Keep the model and what is public about the features."""
        self.features_: tuple[Feature, ...] = lesson.features
        self.target_ = None if lesson.target is None else lesson.target.name
        self.feature_names_in_ = np.array([each.name for each in lesson.features], dtype=object)
        self.n_features_in_ = len(lesson.features)
        if lesson.classes:
            self.classes_ = np.array(lesson.classes)
        self._model = dict(model)
        self._declared = Declared(lesson.features, lesson.target, lesson.classes)

    def _describe(
        self, lesson: Lesson, noise: VectorNoise, price: Price, *, is_fitted: bool
    ) -> ModelCard:
        return ModelCard(
            type(self).__name__,
            lesson.asked.shared.table.name,
            None if lesson.target is None else lesson.target.name,
            tuple(each.name for each in lesson.features),
            lesson.classes,
            lesson.unit,
            lesson.contributions,
            price,
            self._steps(lesson, noise),
            (*self._notes(lesson, noise), *_name_unused(lesson)),
            self.get_params(),
            is_fitted,
            self._learnt() if is_fitted else (),
            self._error() if is_fitted else "",
        )

    def _try(self) -> None:
        """Predict for made-up rows: arrays that do not fit the features are found when they are read, not later."""
        columns = {each.name: _made_up(each) for each in self.features_}
        most = max(map(len, columns.values()), default=1)
        frame = {name: (each * most)[:most] for name, each in columns.items()}
        getattr(self, "transform" if hasattr(self, "transform") else "predict")(frame)

    def _read(self, frame: Any) -> NDArray[Any]:
        """The rows of a frame of one's own as the model's numbers, or bins."""
        self._check_fitted()
        found: NDArray[Any] = self._encoder.transform(frame)
        return found

    def _check_fitted(self) -> None:
        if not hasattr(self, "features_"):
            raise NotFitted(type(self).__name__)

    def _true(self, frame: Any, y: Any, count: int) -> Sequence[Any]:
        """The true targets of the rows of a frame, of which there are `count`: those given, or its own column."""
        assert self.target_ is not None, "there is a target"
        true = column_of(frame if y is None else {"y": y}, self.target_ if y is None else "y")
        if len(true) != count:
            raise InvalidInput("y", f"{len(true)} values", f"give one for each of the {count} rows")
        if not count:
            raise InvalidInput("frame", "no rows", "give at least one row to score")
        return true


class Classifier(Estimator):
    """An estimator that predicts one of some declared classes."""

    predicts = "classes"
    classes_: NDArray[Any]

    @abstractmethod
    def scores(self, frame: Any) -> Array:
        """The logarithm of each class's odds, up to a number that is the same for all of a row."""

    def predict_proba(self, frame: Any) -> Array:
        """The estimated probability of each class, in the order of `classes_`, for rows of one's own."""
        self._check_fitted()
        scores = self.scores(frame)
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(odds / odds.sum(axis=1, keepdims=True), np.float64)

    def predict(self, frame: Any) -> NDArray[Any]:
        """The likeliest class of each row of a frame of one's own."""
        self._check_fitted()
        return np.asarray(self.classes_[self.scores(frame).argmax(axis=1)])

    def score(self, frame: Any, y: Any = None) -> float:
        """The share of rows of a frame of one's own that are predicted right."""
        found = self.predict(frame).tolist()
        true = self._true(frame, y, len(found))
        return float(np.mean([a == b for a, b in zip(found, true, strict=True)]))


def _all_estimators() -> list[type[Estimator]]:
    """Every estimator that can be made, by what the room offers."""
    import tacit.learn as room

    offered = (getattr(room, name) for name in room.__all__)
    return [
        each
        for each in offered
        if isinstance(each, type) and issubclass(each, Estimator) and not inspect.isabstract(each)
    ]


def _read_fitted(make: Any, fields: Mapping[str, Any]) -> Estimator:
    """A fitted estimator of what `to_dict` wrote; numpy and Python say where arrays do not fit."""
    settings = read_settings(read_field(fields, "settings", Mapping))
    check_settings(settings)
    found: Estimator = make(**settings)
    declared = read_declared(fields)
    learnt = read_field(fields, "learnt", Mapping)
    found._take(declared, {name: read_array(each) for name, each in learnt.items()})  # noqa: SLF001 -- of this file
    found._try()  # noqa: SLF001 -- as above
    card = ModelCard.from_dict(
        read_field(fields, "card", Mapping), declared.classes, found.get_params()
    )
    if card.model != make.__name__:
        raise refuse_model("card", f"that of a {card.model}")
    found._card = card  # noqa: SLF001 -- as above
    found.price, found.receipt = card.price, dict(read_field(fields, "receipt", Mapping))
    return found


def _made_up(feature: Feature) -> list[Any]:
    """Values of a feature, from its declaration: those of a category, or numbers between the bounds; none is missing
    and one is."""
    if feature.kind == "category":
        return [*feature.values[:MOST_MADE_UP], None]
    return [*np.linspace(feature.low, feature.high, 33).tolist(), None]


def ask(
    kernel: Kernel, share: Fraction, parts: tuple[int, ...] = (1,)
) -> Generator[Any, Any, list[tuple[Array, float]]]:
    """The released sums of a kernel and the deviation of their noise, in the kernel's units."""
    released = yield Sums(kernel, share, parts)
    return in_units(kernel, [(each.counts, each.sigma) for each in released])


def source_of(rows: Any) -> Any:
    """The vault of a frame's rows."""
    source = getattr(rows, "source", None)
    if source is None:
        raise InvalidInput(
            "rows",
            type(rows).__name__,
            'give rows of a vault, such as vault.table("visits"); tacit.protect makes a vault of a frame',
        )
    return source


def _check_columns(columns: Sequence[str] | None) -> None:
    """Refuse names of features that are no list, or name a column twice: each would be paid for."""
    if columns is None:
        return
    if isinstance(columns, str):
        raise InvalidInput("columns", columns, f"give a list of names, as in [{columns!r}]")
    names = list(columns)
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise InvalidInput("columns", twice, "name every column once")


def _name_unused(lesson: Lesson) -> tuple[str, ...]:
    """A note on the columns that no feature is made of, for want of a declaration."""
    names = lesson.left_out
    if not names:
        return ()
    return (f"not used, for want of declared values or bounds: {join_some(names)}",)
