"""A fitted model as values that JSON holds, and back: to be sent, or kept without pickling.

>>> write_array(np.array([[1.0, np.nan]]))
{'shape': [1, 2], 'numbers': [1.0, None]}
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import inf, isfinite
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tacit.curator import Feature, parameter_fields, read_parameters
from tacit.errors import InvalidInput
from tacit.frozen import frozen

__all__ = [
    "FORMAT",
    "Declarations",
    "Declared",
    "read_array",
    "read_declared",
    "read_settings",
    "write_array",
    "write_declared",
    "write_settings",
]

Array = NDArray[np.float64]

FORMAT = "tacit model 1"
_FAR = {"inf": inf, "-inf": -inf}


class Declarations(Protocol):
    """What has features, a target and classes, such as a lesson."""

    @property
    def features(self) -> tuple[Feature, ...]: ...

    @property
    def target(self) -> Feature | None: ...

    @property
    def classes(self) -> tuple[Any, ...]: ...


@frozen(eq=False)
class Declared:
    """What is public about the columns that a model reads and the one that it predicts."""

    features: tuple[Feature, ...]
    target: Feature | None
    classes: tuple[Any, ...]


def write_declared(declared: Declarations) -> dict[str, Any]:
    """What is declared, as JSON holds it."""
    target = declared.target
    return {
        "features": [_write_feature(each) for each in declared.features],
        "target": None if target is None else _write_feature(replace(target, numbers=np.zeros(0))),
        "classes": parameter_fields(list(declared.classes)),
    }


def read_declared(fields: Mapping[str, Any]) -> Declared:
    """What `write_declared` wrote."""
    target = fields["target"]
    return Declared(
        tuple(_read_feature(each) for each in fields["features"]),
        None if target is None else _read_feature(target),
        tuple(read_parameters(fields["classes"]) or ()),
    )


def write_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """An estimator's parameters, as JSON holds them.

    >>> write_settings({"epsilon": Fraction(1, 3), "hidden": (64,)})
    {'epsilon': {'fraction': '1/3'}, 'hidden': [64]}
    """
    return {name: _write_setting(value) for name, value in settings.items()}


def read_settings(fields: Mapping[str, Any]) -> dict[str, Any]:
    """What `write_settings` wrote."""
    return {name: _read_setting(value) for name, value in fields.items()}


def write_array(array: Any) -> dict[str, Any]:
    """An array of numbers; those that are none, or infinite, as JSON can say them."""
    found = np.asarray(array, np.float64)
    return {"shape": list(found.shape), "numbers": [_write_number(each) for each in found.flat]}


def read_array(fields: Mapping[str, Any]) -> Array:
    """What `write_array` wrote.

    >>> read_array({"shape": [2], "numbers": ["-inf", 0.5]})
    array([-inf,  0.5])
    """
    numbers = np.array([_read_number(each) for each in fields["numbers"]], np.float64)
    shape = tuple(int(each) for each in fields["shape"])
    if numbers.size != int(np.prod(shape, dtype=np.int64)) or min(shape, default=0) < 0:
        raise InvalidInput("numbers", len(numbers), f"give as many as the shape {shape} has")
    return numbers.reshape(shape)


def _write_feature(feature: Feature) -> dict[str, Any]:
    return {
        **feature.to_plain(),
        "values": parameter_fields(list(feature.values)),
        "numbers": write_array(feature.numbers),
    }


def _read_feature(fields: Mapping[str, Any]) -> Feature:
    return Feature(
        str(fields["name"]),
        str(fields["kind"]),
        tuple(read_parameters(fields["values"]) or ()),
        read_array(fields["numbers"]),
        float(fields["low"]),
        float(fields["high"]),
    )


def _write_setting(value: Any) -> Any:
    if isinstance(value, Fraction):
        return {"fraction": str(value)}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_write_setting(each) for each in value]
    (found,) = parameter_fields([value]) or [None]
    return found


def _read_setting(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_read_setting(each) for each in value)
    if isinstance(value, dict) and "fraction" in value:
        return Fraction(value["fraction"])
    (found,) = read_parameters([value]) or (None,)
    return found


def _write_number(number: float) -> float | str | None:
    if isfinite(number):
        return float(number)
    return None if np.isnan(number) else "inf" if number > 0 else "-inf"


def _read_number(written: Any) -> float:
    if written is None:
        return float("nan")
    return _FAR[written] if isinstance(written, str) else float(written)
