"""From answers to integer steps of a public grid and back: where real numbers meet exact noise."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from fractions import Fraction
from math import floor
from numbers import Integral, Rational
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidData, InvalidInput
from tacit.exact import Number, at_least, count_of, float_at_least
from tacit.privacy import Neighbours, Norm, Sensitivity, root_at_least

__all__ = [
    "array_of",
    "centre_of",
    "checked_grid",
    "checked_scale",
    "copies_of",
    "error_on_grid",
    "narrow_integers",
    "noisy",
    "rounded_steps",
    "sensitivity_of",
    "steps_moved",
    "steps_moved_squared",
    "steps_within",
    "whole",
]

Noise = Callable[[int | None], Any]

_INTEGERS_NEEDED = (
    "release integers, or give the mechanism a grid such as Fraction(1, 1024) to release real numbers, which NaN and "
    "infinity are not"
)
_NO_PLACE = "NaN and infinity have no place on a grid; clamp them into their range first"


def checked_grid(grid: Number | None) -> Fraction | None:
    """The grid as a rational power of two, or None for integers.

    >>> checked_grid(0.25)
    Fraction(1, 4)
    """
    if grid is None:
        return None
    exact = at_least(grid, "grid")
    if isinstance(grid, float):
        # its binary value: what 2.0**-24 prints as is a little more, and no power of two
        exact = Fraction(float(grid))
    if (
        exact <= 0
        or (exact.numerator & (exact.numerator - 1))
        or (exact.denominator & (exact.denominator - 1))
    ):
        raise InvalidInput(
            "grid", grid, "give a power of two such as Fraction(1, 1024), or None for integers"
        )
    if max(exact, 1 / exact) > 1 << 256:
        raise InvalidInput("grid", grid, "give a power of two from 2**-256 to 2**256")
    return exact


def checked_scale(scale: Number, name: str, grid: Fraction | None) -> Fraction:
    """How wide the noise is, refused where it cannot be drawn or, on a grid, would outgrow the floats that leave.

    >>> checked_scale(2.5, "sigma", None)
    Fraction(5, 2)
    """
    exact = at_least(scale, name)
    if not Fraction(1, 1000) <= exact / (grid or 1) <= 1 << 1024:
        raise InvalidInput(name, scale, f"give a {name} from 1/1000 to 2**1024 steps of the grid")
    if grid is not None and exact > 1 << 960:
        raise InvalidInput(
            name, scale, f"floats end near 2**1024; give a {name} of at most 2**960, or no grid"
        )
    return exact


def sensitivity_of(
    sensitivity: Sensitivity | Number, neighbours: Neighbours = Neighbours.ADD_OR_REMOVE
) -> Sensitivity:
    """The sensitivity as a value; a bare number is one answer's, for the named relation.

    >>> sensitivity_of(2).dimension
    1
    """
    return (
        sensitivity
        if isinstance(sensitivity, Sensitivity)
        else Sensitivity(sensitivity, neighbours=neighbours)
    )


def steps_moved(sensitivity: Sensitivity, grid: Fraction | None) -> int:
    """How many steps of the grid the rounded answer moves between neighbours, coordinates summed (L1).

    Claim:      integers move by whole(bound); real numbers, rounded to the grid, by at most ceil(bound / grid) + d - 1
                steps in d coordinates.
    Because:    a sum of integers is an integer.  Rounding halves upward is monotone and commutes with whole steps, so
                a coordinate that moves by x moves by at most ceil(x / grid) steps; the worst sum of these has d - 1
                coordinates that barely move.  (Rounding halves to even does not commute: 0.5 and 1.5 become 0 and 2.)
    Checked by: tests/laws/test_steps.py
    """
    bound = sensitivity.in_norm(Norm.L1).bound
    if grid is None:
        return _some(whole(bound), sensitivity)
    return -(-bound // grid) + sensitivity.dimension - 1


def steps_moved_squared(sensitivity: Sensitivity, grid: Fraction | None) -> int:
    """The square of how many steps the rounded answer moves between neighbours, in L2.

    Claim:      integers move by at most whole(bound**2); real numbers by floor((bound / grid + sqrt d)**2).
    Because:    a sum of squares of integers is an integer.  Rounding moves each coordinate of either answer by at most
                half a step, so the difference by at most sqrt d in length; a single one as in `steps_moved`.
    Checked by: tests/laws/test_steps.py
    """
    if sensitivity.dimension == 1:
        return steps_moved(sensitivity, grid) ** 2
    bound = sensitivity.in_norm(Norm.L2).bound
    if grid is None:
        return _some(whole(bound**2), sensitivity)
    return floor((bound / grid + root_at_least(Fraction(sensitivity.dimension))) ** 2)


def whole(bound: Fraction) -> int:
    """The largest integer that is not above the bound by more than a float's rounding.

    math.sqrt(3)**2 lies below 3 and (0.1 + 0.7) * 10 below 8: a plain floor would lose a whole step of what was meant.

    >>> whole(Fraction((0.1 + 0.7) * 10)), whole(Fraction(79, 10))
    (8, 7)
    """
    return floor(bound * (1 + Fraction(1, 1 << 50)))


def _some(steps: int, sensitivity: Sensitivity) -> int:
    if steps < 1:
        raise InvalidInput(
            "sensitivity",
            sensitivity.bound,
            "a sensitivity below 1 means that an integer cannot change; " + _INTEGERS_NEEDED,
        )
    return steps


def noisy(value: Any, grid: Fraction | None, noise: Noise, times: int | None = None) -> Any:
    """The value, rounded to the grid, plus noise: an int for an int, an array for an array, a table for a table.

    Claim:      what leaves is (round(value / grid) + noise) * grid and nothing else; it never wraps around.
    Because:    the sum is taken in 64 bits and again in Python's integers where it did not fit; the kind of array that
                leaves is a function of the sums in it.  A sum beyond the largest float leaves as that float.
    Checked by: tests/unit/mechanisms/test_grid_steps.py
    """
    if isinstance(value, Mapping):
        if times is not None:
            raise InvalidData("a table is released once; release it again for another copy")
        columns = {name: rounded_steps(column, grid) for name, column in value.items()}
        return {name: _on_grid(_add_noise(column, noise), grid) for name, column in columns.items()}
    steps = rounded_steps(value, grid)
    if times is not None:
        if np.ndim(steps):
            raise InvalidData(
                "only one number can be released several times at once; release an array once"
            )
        steps = np.full(
            copies_of(times), steps, dtype=np.int64 if -(2**62) < steps < 2**62 else object
        )
    return _on_grid(_add_noise(steps, noise), grid)


def copies_of(times: int) -> int:
    """How often one number is released at once, refused where no memory would hold the copies.

    >>> copies_of(1000)
    1000
    """
    return count_of(times, "times", most=1 << 30)


def _add_noise(steps: int | NDArray[Any], noise: Noise) -> int | NDArray[Any]:
    if isinstance(steps, int):
        return steps + int(noise(None))
    drawn = noise(steps.size).reshape(steps.shape)
    if object not in (steps.dtype, drawn.dtype):
        total = np.asarray(steps + drawn)
        if not ((steps ^ total) & (drawn ^ total) < 0).any():
            return total
    return narrow_integers(np.asarray(steps.astype(object) + drawn.astype(object), dtype=object))


def narrow_integers(numbers: NDArray[Any]) -> NDArray[Any]:
    """The integers in 64 bits where all of them fit, else as Python's own.

    >>> narrow_integers(np.array([1, 2**62], dtype=object)).dtype
    dtype('int64')
    """
    fits = numbers.dtype != object or all(-(2**63) <= number < 2**63 for number in numbers.flat)
    return numbers.astype(np.int64) if fits else numbers


def _on_grid(steps: int | NDArray[Any], grid: Fraction | None) -> Any:
    if grid is None:
        return steps
    if isinstance(steps, int):
        return _nearest_float(steps * grid)
    if steps.dtype == object:
        return np.array([_nearest_float(number * grid) for number in steps.flat]).reshape(
            steps.shape
        )
    return np.asarray(steps.astype(np.float64) * float(grid))


def _nearest_float(exact: Fraction) -> float:
    try:
        return float(exact)
    except OverflowError:
        return sys.float_info.max if exact > 0 else -sys.float_info.max


def rounded_steps(value: Any, grid: Fraction | None) -> Any:
    """The value in whole steps of the grid, halves upward: an int, or an array of them.

    >>> rounded_steps(0.3, Fraction(1, 4))
    1
    """
    if isinstance(value, np.ndarray | list | tuple):
        return np.asarray(_array_steps(array_of(value), grid))
    if isinstance(value, bool | np.bool_):
        raise InvalidData(
            "True and False are not numbers; release int(value), or use RandomizedResponse"
        )
    if isinstance(value, Integral) and grid is None:
        return int(value)
    if isinstance(value, Rational) and grid is not None:
        return _nearest(Fraction(int(value.numerator), int(value.denominator)) / grid)
    if isinstance(value, float | np.float32 | np.float16) and grid is not None:
        if not np.isfinite(value):
            raise InvalidData(_NO_PLACE)
        return _nearest(Fraction(float(value)) / grid)
    raise InvalidData(f"a {type(value).__name__} cannot be released here; {_INTEGERS_NEEDED}")


def array_of(numbers: Any) -> NDArray[Any]:
    """The numbers as an array that holds each of them exactly.

    NumPy makes floats of [2**53 + 1, 0.5] and of [-1, 2**63]; floats move further apart than the integers were.

    >>> array_of([-1, 2**63]).dtype
    dtype('O')
    """
    try:
        array = np.asarray(numbers)
        if isinstance(numbers, np.ndarray) or array.dtype.kind != "f":
            return array
        each = np.asarray(numbers, dtype=object)
    except ValueError:
        raise InvalidData(
            "rows of a list must all have the same length; fill or cut them first"
        ) from None
    return array if all(isinstance(number, float) for number in each.flat) else each


def _array_steps(values: NDArray[Any], grid: Fraction | None) -> NDArray[Any]:
    if values.dtype == object:
        kinds = int if grid is None else int | float | Fraction
        if not all(
            isinstance(number, kinds) and not isinstance(number, bool) for number in values.flat
        ):
            raise InvalidData(
                f"an array of objects must hold numbers of Python's own only; {_INTEGERS_NEEDED}"
            )
        return values if grid is None else _one_by_one(values, grid)
    if values.dtype.kind == "b":
        raise InvalidData(
            "True and False are not numbers; release values.astype(int), or use RandomizedResponse"
        )
    if values.dtype.kind in "iu":
        if grid is not None:
            return _integer_steps(values, grid)
        return values.astype(object) if values.dtype == np.uint64 else values.astype(np.int64)
    if values.dtype.kind == "f" and values.dtype.itemsize <= 8 and grid is not None:
        return _float_steps(values.astype(np.float64), grid)
    if values.size == 0 and grid is None and values.dtype.kind == "f" and values.ndim == 1:
        return values.astype(np.int64)
    raise InvalidData(f"an array of {values.dtype} cannot be released here; {_INTEGERS_NEEDED}")


def _nearest(exact: Fraction) -> int:
    return floor(exact + Fraction(1, 2))


def _float_steps(values: NDArray[np.float64], grid: Fraction) -> NDArray[Any]:
    """The same rounding for floats: scaling by a power of two is exact, and so is the comparison with a half.

    Claim:      equal to rounding the exact value of each float.
    Because:    x - floor(x) is exact for |x| >= 1/2, and for smaller x its rounding does not cross 1/2; a result that
                underflows in the scaling is below half a step.
    Checked by: tests/unit/mechanisms/test_grid_steps.py
    """
    if not np.isfinite(values).all():
        raise InvalidData(_NO_PLACE)
    exponent = _halvings(grid)
    with np.errstate(over="ignore", under="ignore"):
        scaled = np.ldexp(values, exponent)
    if (np.abs(scaled) < 2.0**62).all():
        whole = np.floor(scaled)
        return whole.astype(np.int64) + (scaled - whole >= 0.5)
    return _one_by_one(values, grid)


def _integer_steps(values: NDArray[Any], grid: Fraction) -> NDArray[Any]:
    """The same rounding for integers: a shift, and the highest bit that a shift to the right drops."""
    exponent = _halvings(grid)
    widest = max(int(values.max()), -int(values.min())).bit_length() if values.size else 0
    if widest < 62 and -62 < exponent < 62 - widest:
        exact = values.astype(np.int64)
        return (
            exact << exponent
            if exponent >= 0
            else (exact >> -exponent) + (exact >> -exponent - 1 & 1)
        )
    return _one_by_one(values, grid)


def _halvings(grid: Fraction) -> int:
    return grid.denominator.bit_length() - grid.numerator.bit_length()


def _one_by_one(values: NDArray[Any], grid: Fraction) -> NDArray[Any]:
    steps = [rounded_steps(number, grid) for number in values.ravel().tolist()]
    fits = all(-(2**62) < number < 2**62 for number in steps)
    return np.array(steps, dtype=np.int64 if fits else object).reshape(values.shape)


def centre_of(exact: Any, grid: Fraction | None) -> int:
    """One number in whole steps of the grid.

    >>> centre_of(0.3, Fraction(1, 4))
    1
    """
    steps = rounded_steps(exact, grid)
    if not isinstance(steps, int):
        raise InvalidData("a law is that of one number; ask for each number's own")
    return steps


def error_on_grid(steps: int, grid: Fraction | None) -> int | float:
    """How far from the exact answer a release is whose noise is at most so many steps.

    On a grid the answer was rounded first, which moves it by up to half a step more.

    >>> error_on_grid(3, None), error_on_grid(3, Fraction(1, 4))
    (3, 0.875)
    """
    return steps if grid is None else float_at_least((steps + Fraction(1, 2)) * grid)


def steps_within(error: Fraction, grid: Fraction | None) -> int:
    """The most steps of noise with which a release stays within the error; negative if there is no room even for none.

    >>> steps_within(Fraction(7, 8), None), steps_within(Fraction(7, 8), Fraction(1, 4))
    (0, 3)
    """
    return floor(error) if grid is None else floor(error / grid - Fraction(1, 2))
