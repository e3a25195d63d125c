"""Settings of estimators: those of a wrong kind are refused before anything is paid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tacit.errors import InvalidInput

__all__ = ["check_positive", "check_settings"]


def check_settings(settings: Mapping[str, Any]) -> None:
    """Refuse settings of a wrong kind, before anything is paid; a price is checked where it is paid.

    >>> check_settings({"bins": 16, "logs": ("age",), "norm": "2"})
    Traceback (most recent call last):
    tacit.errors.InvalidInput: norm cannot be '2'; give a positive number, such as 1
    """
    for name, value in settings.items():
        match name:
            case "epsilon":
                continue
            case "norm":
                is_number = isinstance(value, int | float | np.number) and value is not True
                if value is not None and not (is_number and 0 < value < 1e6):
                    raise InvalidInput(name, value, "give a positive number, such as 1")
            case "logs":
                if not _is_list(value) or not all(isinstance(each, str) for each in value):
                    raise InvalidInput(name, value, "give a list of names of columns")
            case "hidden":
                if not _is_list(value):
                    raise InvalidInput(name, value, "give a list of whole numbers")
                for each in value:
                    check_positive(each, name)
            case "intervals" | "samples":
                if not isinstance(value, bool):
                    raise InvalidInput(name, value, "give True or False")
            case _:
                check_positive(value, name)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def check_positive(value: Any, name: str) -> None:
    """Refuse a setting that is not a positive whole number."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise InvalidInput(name, value, "give a whole number of at least 1")
