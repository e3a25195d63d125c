"""A multi-layer perceptron, trained by noisy gradients of samples: DP-SGD with exact noise."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.curator import (
    RATES,
    Backpropagated,
    FeatureMap,
    Lesson,
    Moments,
    Sampling,
    VectorNoise,
)
from tacit.errors import InvalidInput
from tacit.learn.encoders import Dense
from tacit.learn.estimator import Classifier, Learning, ask
from tacit.learn.model_card import Step
from tacit.learn.model_json import Declarations
from tacit.learn.model_settings import check_positive
from tacit.learn.pseudo_random import made_up_normals
from tacit.progress import show_progress

__all__ = ["MLPClassifier"]

Array = NDArray[np.float64]

MOMENTS = Fraction(15, 100)  # of the price: the components that the network reads
RATE, MOMENTUM = 4.0, 0.9
LOUD = 0.08  # the norm of the noise in a mean gradient above which steps are shorter
CLIP, RADIUS, TYPICAL = 1.0, 12.0, 4.0
SAMPLED = 6_554  # a tenth of 2**16
WHOLE_STEPS = 60  # where samples may not be taken, of all rows


class MLPClassifier(Classifier):
    """A network of hidden layers of tanh, read off private principal components; `hidden=()` is softmax regression.

    Units are sampled under add-or-remove: each step sees a tenth of them, and all steps are one charge.
    Otherwise every step sees all rows.  It needs a limit with a delta.  `norm` may declare the largest norm of a row's
    features, each from -1 to 1 by its bounds, as for images of unit length.
    """

    def __init__(
        self,
        hidden: Sequence[int] = (64,),
        *,
        epsilon: Any,
        components: int = 50,
        steps: int = 200,
        norm: float | None = None,
        logs: tuple[str, ...] = (),
    ) -> None:
        self.hidden, self.epsilon, self.components = hidden, epsilon, components
        self.steps, self.norm, self.logs = steps, norm, logs

    def scores(self, frame: Any) -> Array:
        """What the last layer says of each class."""
        signals = self._read(frame) @ self._model["map"].T
        norms = np.maximum(np.linalg.norm(signals, axis=1, keepdims=True), 1e-12)
        signals = signals * np.minimum(1, RADIUS / norms)
        layers = self._layers()
        for place, layer in enumerate(layers):
            signals = signals @ layer[:-1] + layer[-1]
            if place < len(layers) - 1:
                signals = np.tanh(signals)
        return np.asarray(signals, np.float64)

    def _layers(self) -> list[Array]:
        return [self._model[f"layer {place}"] for place in range(len(tuple(self.hidden)) + 1)]

    def _lesson(
        self, vault: Any, rows: Any, target: str | None, columns: Sequence[str] | None
    ) -> Lesson:
        check_positive(self.steps, "steps")
        check_positive(self.components, "components")
        for neurons in self.hidden:
            check_positive(neurons, "hidden")
        plain = super()._lesson(vault, rows, target, columns)
        if plain.is_pure:
            raise InvalidInput(
                "a limit without delta", "0", "a network needs one with a delta, such as 1e-6"
            )
        if not plain.may_sample:
            return plain
        found: Lesson = vault.lesson(
            rows,
            kind=type(self).__name__,
            target=target,
            columns=columns,
            classes=True,
            settings=self._settings(),
            sampling=Sampling(self.steps, SAMPLED, 1 - MOMENTS),
        )
        return found

    def _learn(self, lesson: Lesson, noise: VectorNoise) -> Learning:
        encoder = self._encode(lesson)
        encoding, d = encoder.encoding(), len(encoder.names)
        ((moments, off),) = yield from ask(
            Moments(FeatureMap(encoding, encoder.typical(pure=False, norm=self.norm))), MOMENTS
        )
        rows = max(float(moments[-1, -1]), 10.0)
        mean = np.clip(moments[-1, :d] / rows, -1, 1)
        values, vectors = np.linalg.eigh(moments[:d, :d] / rows - np.outer(mean, mean))
        order = np.argsort(values)[::-1][: min(self.components, d)]
        floor = off * np.sqrt(2 * d) / rows
        values = np.maximum(values[order], floor / 4)
        scale = values**-0.25
        scale = scale * TYPICAL / np.sqrt((values * scale**2).sum())
        matrix = vectors[:, order].T * scale[:, None]
        matrix = np.c_[matrix, -matrix @ mean]
        mapping = FeatureMap(encoding, RADIUS, matrix)
        sizes = [len(order), *self.hidden, len(lesson.classes)]
        layers = [
            np.r_[made_up_normals((a, b), 50 + place) / np.sqrt(a), np.zeros((1, b))]
            for place, (a, b) in enumerate(pairwise(sizes))
        ]
        part = SAMPLED if lesson.is_sampled else None
        steps = self.steps if lesson.is_sampled else min(self.steps, WHOLE_STEPS)
        seen = rows * (SAMPLED / RATES if lesson.is_sampled else 1.0)
        speed = [np.zeros_like(layer) for layer in layers]
        total = [np.zeros_like(layer) for layer in layers]
        for step in show_progress(range(steps), steps, "steps"):
            kernel = Backpropagated(mapping, tuple(layers), CLIP, part)
            ((flat, off),) = yield from ask(kernel, (1 - MOMENTS) / steps)
            rate = RATE * min(1.0, LOUD * seen / (off * float(np.sqrt(flat.size))))
            for place, gradient in enumerate(_unpack(flat, layers)):
                speed[place] = MOMENTUM * speed[place] + gradient / seen
                layers[place] = np.clip(layers[place] - rate * speed[place], -8, 8)
                if step >= steps // 2:
                    total[place] = total[place] + layers[place]
        averaged = [each / (steps - steps // 2) for each in total]
        named = {f"layer {place}": each for place, each in enumerate(averaged)}
        return {"map": matrix, "rows": rows, **named}

    def _encode(self, lesson: Declarations) -> Dense:
        return Dense(lesson.features, tuple(self.logs))

    def _take(self, lesson: Declarations, model: Mapping[str, Array]) -> None:
        super()._take(lesson, model)
        self._encoder = self._encode(lesson)

    def _weights(self, lesson: Lesson) -> int:
        inputs = min(self.components, len(self._encode(lesson).names))
        sizes = [inputs, *self.hidden, len(lesson.classes)]
        return sum((a + 1) * b for a, b in pairwise(sizes))

    def _steps(self, lesson: Lesson, noise: VectorNoise) -> tuple[Step, ...]:
        d = len(self._encode(lesson).names)
        steps = self.steps if lesson.is_sampled else min(self.steps, WHOLE_STEPS)
        of_whom = "rows" if lesson.unit == "row" else "units"
        what = f"a sampled tenth of the {of_whom}" if lesson.is_sampled else "all rows"
        return (
            Step("mean and second moments", float(MOMENTS), (d + 1) * (d + 2) // 2),
            Step(f"{steps} gradients of {what}", float(1 - MOMENTS), steps * self._weights(lesson)),
        )

    def _notes(self, lesson: Lesson, noise: VectorNoise) -> tuple[str, ...]:
        """The cost model: what a step takes, a row and in all, and what is held in memory."""
        weights = self._weights(lesson)
        inputs = min(self.components, len(self._encode(lesson).names))
        neurons = inputs + sum(self.hidden) + len(lesson.classes)
        return (
            f"a step takes about {6 * weights:,} operations a row, and {weights:,} draws of noise",
            f"memory: {2 * inputs:,} bytes a row for what is read, and {8 * 3 * neurons:,} a row of a block of 16,384",
        )


def _unpack(flat: Array, layers: Sequence[Array]) -> list[Array]:
    """The gradient of each layer, from one row of numbers."""
    found, start = [], 0
    for layer in layers:
        found.append(flat[start : start + layer.size].reshape(layer.shape))
        start += layer.size
    return found
