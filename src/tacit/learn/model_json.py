"""A fitted model as values that JSON holds, and back: to be sent, or kept without pickling.

>>> write_array(np.array([[1.0, np.nan]]))
{'shape': [1, 2], 'numbers': [1.0, None]}
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from fractions import Fraction
from math import inf, isfinite, prod
from types import NoneType
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
    "read_field",
    "read_settings",
    "read_texts",
    "refuse_model",
    "write_array",
    "write_declared",
    "write_settings",
]

Array = NDArray[np.float64]

FORMAT = "tacit model 1"
_FAR = {"inf": inf, "-inf": -inf}
_FRACTION = re.compile(r"-?[0-9]{1,400}(?:/[0-9]{1,400})?")
_LARGEST = 10**300  # number that a model states
_DIGITS = 400  # of a decimal number
_MOST_LONG = 1_000_000  # places of one axis of an array
_MOST_AXES = 3


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


def refuse_model(what: str, given: object = None) -> InvalidInput:
    """The refusal of what `to_dict()` did not write; it says what is wrong, and of what is nested only its kind."""
    if not isinstance(given, str | int | float | NoneType):
        given = f"a {type(given).__name__} like this one"
    return InvalidInput(
        f"{what} of a model", given, "give what to_dict() of a fitted model returned"
    )


def read_field(fields: Any, name: str, *kinds: type) -> Any:
    """A field of a model, which is there and of one of some kinds; a number is not enormous.

    >>> read_field({"low": 0.5}, "low", int, float)
    0.5
    """
    if not isinstance(fields, Mapping) or name not in fields:
        raise refuse_model(name)
    found = fields[name]
    if not isinstance(found, kinds) or (isinstance(found, bool) and bool not in kinds):
        raise refuse_model(name, found)
    if isinstance(found, int | float) and not abs(found) < _LARGEST:
        raise refuse_model(name, found)
    return found


def read_texts(fields: Any, name: str) -> tuple[str, ...]:
    """A field of a model that is a list of texts."""
    found = read_field(fields, name, list)
    if not all(isinstance(each, str) for each in found):
        raise refuse_model(name, found)
    return tuple(found)


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
    target = read_field(fields, "target", Mapping, NoneType)
    return Declared(
        tuple(_read_feature(each) for each in read_field(fields, "features", list)),
        None if target is None else _read_feature(target),
        _read_values(fields, "classes"),
    )


def write_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """An estimator's parameters, as JSON holds them.

    >>> write_settings({"epsilon": Fraction(1, 3), "hidden": (64,)})
    {'epsilon': {'fraction': '1/3'}, 'hidden': [64]}
    """
    return {name: _write_setting(value) for name, value in settings.items()}


def read_settings(fields: Mapping[str, Any]) -> dict[str, Any]:
    """What `write_settings` wrote: single values, and lists of them."""
    return {
        name: tuple(_read_value(name, each) for each in value)
        if isinstance(value, list)
        else _read_value(name, value)
        for name, value in fields.items()
    }


def write_array(array: Any) -> dict[str, Any]:
    """An array of numbers; those that are none, or infinite, as JSON can say them."""
    found = np.asarray(array, np.float64)
    return {"shape": list(found.shape), "numbers": [_write_number(each) for each in found.flat]}


def read_array(fields: Mapping[str, Any]) -> Array:
    """What `write_array` wrote.

    >>> read_array({"shape": [2], "numbers": ["-inf", 0.5]})
    array([-inf,  0.5])
    """
    numbers = np.array([_read_number(each) for each in read_field(fields, "numbers", list)])
    shape = tuple(read_field(fields, "shape", list))
    if len(shape) > _MOST_AXES or not all(
        type(each) is int and 0 <= each <= _MOST_LONG for each in shape
    ):
        raise refuse_model("shape", shape)
    if numbers.size != prod(shape):
        raise InvalidInput("numbers", len(numbers), f"give as many as the shape {shape} has")
    return numbers.astype(np.float64).reshape(shape)


def _write_feature(feature: Feature) -> dict[str, Any]:
    return {
        **feature.to_plain(),
        "values": parameter_fields(list(feature.values)),
        "numbers": write_array(feature.numbers),
    }


def _read_feature(fields: Any) -> Feature:
    low, high = (float(read_field(fields, name, int, float)) for name in ("low", "high"))
    kind, values = read_field(fields, "kind", str), _read_values(fields, "values")
    if kind not in {"category", "number"} or low > high or (kind == "category" and not values):
        raise refuse_model("kind of a feature", kind)
    numbers = read_array(read_field(fields, "numbers", Mapping))
    if numbers.ndim != 1:
        raise refuse_model("numbers of a feature", numbers)
    return Feature(read_field(fields, "name", str), kind, values, numbers, low, high)


def _read_values(fields: Any, name: str) -> tuple[Any, ...]:
    written = read_field(fields, name, list, NoneType)
    return tuple(_read_value(name, each) for each in written or ())


def _write_setting(value: Any) -> Any:
    if isinstance(value, Fraction):
        return {"fraction": str(value)}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_write_setting(each) for each in value]
    (found,) = parameter_fields([value]) or [None]
    return found


def _read_value(name: str, written: Any) -> Any:
    """A single value; a fraction is digits alone, for one with an exponent could take hours to read."""
    if isinstance(written, dict) and "fraction" in written:
        text = written["fraction"]
        if not isinstance(text, str) or _FRACTION.fullmatch(text) is None:
            raise refuse_model(name, text)
        above, _, below = text.partition("/")
        if below and not int(below):
            raise refuse_model(name, text)
        return Fraction(int(above), int(below or 1))
    (found,) = read_parameters([written]) or (None,)
    if isinstance(found, Decimal):
        _check_decimal(name, found)
    elif isinstance(found, int | float):
        read_field({name: found}, name, bool, int, float)
    elif not isinstance(found, str | date | NoneType):
        raise refuse_model(name, found)
    return found


def _check_decimal(name: str, found: Decimal) -> None:
    """Refuse a decimal number that is none, or would be enormous if it was written out."""
    if not found.is_finite() or max(len(found.as_tuple().digits), abs(found.adjusted())) > _DIGITS:
        raise refuse_model(name, found)


def _write_number(number: float) -> float | str | None:
    if isfinite(number):
        return float(number)
    return None if np.isnan(number) else "inf" if number > 0 else "-inf"


def _read_number(written: Any) -> float:
    if type(written) is float:
        return written
    if written is None:
        return float("nan")
    if isinstance(written, str) and written in _FAR:
        return _FAR[written]
    found = read_field({"numbers": written}, "numbers", int, float)
    return float(found)
