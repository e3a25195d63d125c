"""Many runs of a mechanism on the same data, whatever it is and whatever it returns."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidData, InvalidInput
from tacit.progress import show_progress

__all__ = ["Outputs", "Release", "release_of", "runs_of"]

Outputs = NDArray[Any] | list[Any]
"""What many runs returned: numbers, rows of numbers, or a list of anything that can be compared."""

Release = Callable[..., Any]

_AT_ONCE = 1 << 18
_ONE_BY_ONE = 256


def release_of(mechanism: object) -> Release:
    """What is called with the data: the mechanism's `release`, or the callable itself.

    >>> release_of(len)("abc")
    3
    """
    found = getattr(mechanism, "release", mechanism)
    if not callable(found):
        raise InvalidInput(
            "mechanism",
            mechanism,
            "give a mechanism with `release`, or a function from data to output",
        )
    return found


def runs_of(release: Release, data: object, times: int) -> Iterator[Outputs]:
    """The outputs of so many independent runs, in blocks.

    A function with a parameter `times` is asked for many at once and must return them as an array or a list.

    >>> [block.tolist() for block in runs_of(lambda rows: len(rows), "ab", 3)]
    [[2, 2, 2]]
    """
    at_once = _takes_times(release, data)
    size = _AT_ONCE if at_once else _ONE_BY_ONE
    starts = range(0, times, size)
    for start in show_progress(starts, len(starts), f"blocks of {size:,} runs"):
        wanted = min(size, times - start)
        try:
            found = (
                release(data, times=wanted) if at_once else [release(data) for _ in range(wanted)]
            )
        except Exception as error:
            error.add_note(f"while the mechanism ran on {_short(data)}")
            raise
        if len(found) != wanted:
            raise InvalidData(
                f"asked for {wanted:,} outputs, the mechanism returned {len(found):,}; return one a run"
            )
        yield tidy(found)


def tidy(found: Any) -> Outputs:
    """Outputs as an array of numbers, as rows of numbers, or as a list of values that can be looked up.

    >>> tidy([1, 2, True])
    array([1, 2, 1])
    >>> tidy([(1, 2), "none"])
    [(1, 2), 'none']
    """
    if isinstance(found, np.ndarray):
        if found.dtype.kind in "biuf" and found.ndim in {1, 2}:
            return found.astype(np.int64) if found.dtype.kind == "b" else found
        found = found.tolist()
    values = [_value(output) for output in found]
    kinds = {type(value) for value in values}
    if kinds <= {int, float, bool}:
        return _numbers(values)
    if kinds == {tuple} and len({len(value) for value in values}) == 1 and values[0]:
        parts = {type(part) for value in values for part in value}
        if parts <= {int, bool} or parts <= {float}:
            rows = _numbers([list(value) for value in values])
            return rows if rows.dtype != object else values
    return values


def _numbers(values: Sequence[Any]) -> NDArray[Any]:
    """Integers as such, also very long ones; floats only where there are some."""
    try:
        found = np.array(values)
    except OverflowError:
        return np.array(values, dtype=object)
    if found.dtype == object or found.dtype.kind == "u":
        return np.array(values, dtype=object)
    return found.astype(np.int64) if found.dtype.kind == "b" else found


def _value(output: Any) -> Any:
    """An output as a value with a hash: arrays and lists become tuples."""
    if isinstance(output, np.ndarray | np.generic):
        output = output.tolist()
    if isinstance(output, list | tuple):
        return tuple(_value(part) for part in output)
    try:
        hash(output)
    except TypeError:
        raise InvalidData(
            f"the mechanism returned a {type(output).__name__}, which cannot be looked up; "
            "return numbers, strings, or tuples of them"
        ) from None
    return output


def _takes_times(release: Release, data: object) -> bool:
    """Whether many runs are asked for at once: of an array, only where `times` cannot be left out."""
    try:
        times = inspect.signature(release).parameters.get("times")
    except (TypeError, ValueError):  # some built-in functions have no signature
        return False
    if times is None:
        return False
    return not isinstance(data, np.ndarray) or times.default is inspect.Parameter.empty


def _short(data: object) -> str:
    text = repr(data)
    return text if len(text) <= 80 else text[:77] + "..."
