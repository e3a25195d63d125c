"""A multi-layer perceptron, trained by noisy gradients of samples: DP-SGD with exact noise."""

from __future__ import annotations

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
    Sampling,
    VectorNoise,
)
from tacit.errors import InvalidInput
from tacit.frozen import frozen
from tacit.learn.encoders import Dense
from tacit.learn.estimator import Classifier, Learning, ask
from tacit.learn.model_card import Step
from tacit.learn.model_json import Declarations
from tacit.learn.model_settings import check_positive
from tacit.learn.network_inputs import (
    CENTRED,
    MOMENTS,
    RADIUS,
    find_centred_components,
    find_components,
)
from tacit.learn.pseudo_random import made_up_normals
from tacit.progress import show_progress

__all__ = ["MLPClassifier"]

Array = NDArray[np.float64]

CLIP = 1.0
SAMPLED = 6_554  # a tenth of 2**16
WHOLE_STEPS = 60  # where samples are wanted and may not be taken, of all rows


@frozen
class Pace:
    """How long steps are, and the norm of the noise in a mean gradient above which they are shorter."""

    rate: float
    momentum: float
    loud: float

    def length(self, noise: float) -> float:
        """How long a step is where the noise of a mean gradient has a norm."""
        return self.rate * min(1.0, self.loud / noise)


OF_SAMPLES = Pace(4.0, 0.9, 0.08)
OF_ALL_ROWS = Pace(40.0, 0.7, 0.033)


class MLPClassifier(Classifier):
    """A network of hidden layers of tanh, read off private principal components; `hidden=()` is softmax regression.

    Units are sampled under add-or-remove: each step sees a tenth of them, and all steps are one charge.
    With `samples=False` every step sees all rows, which takes longer, has less noise and spends no delta; components
    are then those around a released mean.  Under replace no samples are taken.  It needs a limit with a delta.  `norm`
    may declare the largest norm of a row's features, each from -1 to 1 by its bounds, as for images of unit length.
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
        samples: bool = True,
    ) -> None:
        self.hidden, self.epsilon, self.components = hidden, epsilon, components
        self.steps, self.norm, self.logs, self.samples = steps, norm, logs, samples

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
        if not (self.samples and plain.may_sample):
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
        find = find_components if self.samples else find_centred_components
        encoder = self._encode(lesson)
        inputs = yield from find(encoder, self.norm, self.components)
        matrix, rows = inputs.matrix, inputs.rows
        mapping = FeatureMap(encoder.encoding(), RADIUS, matrix)
        sizes = [len(matrix), *self.hidden, len(lesson.classes)]
        layers = [
            np.r_[made_up_normals((a, b), 50 + place) / np.sqrt(a), np.zeros((1, b))]
            for place, (a, b) in enumerate(pairwise(sizes))
        ]
        if not self.samples:
            layers[-1][:] = 0  # all classes are alike at first
        part = SAMPLED if lesson.is_sampled else None
        steps, pace = self._count_steps(lesson), OF_SAMPLES if self.samples else OF_ALL_ROWS
        seen = rows * (SAMPLED / RATES if lesson.is_sampled else 1.0)
        speed = [np.zeros_like(layer) for layer in layers]
        total = [np.zeros_like(layer) for layer in layers]
        for step in show_progress(range(steps), steps, "steps"):
            kernel = Backpropagated(mapping, tuple(layers), CLIP, part)
            ((flat, off),) = yield from ask(kernel, (1 - self._share_of_inputs()) / steps)
            length = pace.length(off * float(np.sqrt(flat.size)) / seen)
            for place, gradient in enumerate(_unpack(flat, layers)):
                speed[place] = pace.momentum * speed[place] + gradient / seen
                layers[place] = np.clip(layers[place] - length * speed[place], -8, 8)
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

    def _share_of_inputs(self) -> Fraction:
        """What of the price the components cost."""
        return MOMENTS if self.samples else CENTRED

    def _count_steps(self, lesson: Lesson) -> int:
        """As many as were asked for; fewer where samples were wanted and may not be taken."""
        is_short = self.samples and not lesson.is_sampled
        return min(self.steps, WHOLE_STEPS) if is_short else self.steps

    def _weights(self, lesson: Lesson) -> int:
        inputs = min(self.components, len(self._encode(lesson).names))
        sizes = [inputs, *self.hidden, len(lesson.classes)]
        return sum((a + 1) * b for a, b in pairwise(sizes))

    def _steps(self, lesson: Lesson, noise: VectorNoise) -> tuple[Step, ...]:
        d = len(self._encode(lesson).names)
        steps, share = self._count_steps(lesson), self._share_of_inputs()
        moments = (d + 1) * (d + 2) // 2 if self.samples else d + 2 + d * (d + 1) // 2
        said = "mean and second moments" if self.samples else "mean, and second moments around it"
        of_whom = "rows" if lesson.unit == "row" else "units"
        what = f"a sampled tenth of the {of_whom}" if lesson.is_sampled else "all rows"
        return (
            Step(said, float(share), moments),
            Step(f"{steps} gradients of {what}", float(1 - share), steps * self._weights(lesson)),
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
