"""Values that never change: frozen dataclasses with slots, made in a fraction of the time that `dataclass` takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from functools import cache
from operator import attrgetter
from reprlib import recursive_repr
from types import CodeType, FunctionType
from typing import Any, NoReturn, TypeVar, dataclass_transform, overload

__all__ = ["frozen"]

T = TypeVar("T")


@overload
def frozen(cls: type[T], /) -> type[T]: ...
@overload
def frozen(*, init: bool = ..., eq: bool = ...) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(
    cls: type[T] | None = None, /, *, init: bool = True, eq: bool = True
) -> type[T] | Callable[[type[T]], type[T]]:
    """What `dataclass(frozen=True, slots=True)` makes of a class, with nothing compiled for it.

    There are so many such classes that compiling six functions each took a tenth of the time from a cold process to an
    answer.

    >>> @frozen
    ... class Point:
    ...     x: int
    ...     y: int = 0
    >>> Point(3), Point(3) == Point(3, 0), len({Point(3), Point(3, 0)})
    (Point(x=3, y=0), True, 1)
    >>> Point(3).x = 4
    Traceback (most recent call last):
    dataclasses.FrozenInstanceError: cannot assign to field 'x'
    """
    return (
        (lambda made: _make_class(made, init=init, eq=eq))
        if cls is None
        else _make_class(cls, init=init, eq=eq)
    )


def _make_class(cls: type[T], *, init: bool, eq: bool) -> type[T]:
    own = cls.__dict__
    says_equal, says_shown = "__eq__" in own, "__repr__" in own
    says_hash = own.get("__hash__") is not None
    cls.__doc__ = cls.__doc__ or cls.__name__  # else its signature is worked out and written there
    made: Any = dataclass(init=False, repr=False, eq=False, slots=True)(cls)
    listed = fields(made)
    if init:
        made.__init__ = _initialiser(made, listed)
    if eq:
        names = [each.name for each in listed if each.compare]
        if not says_equal:
            made.__eq__ = _equal(names)
        if not says_hash:
            made.__hash__ = _make_hash(names)
    if not says_shown:
        made.__repr__ = _show
    made.__setattr__, made.__delattr__ = _refuse_assignment, _refuse_deletion
    made.__getstate__, made.__setstate__ = _state, _restore_state
    return made  # type: ignore[no-any-return]


def _initialiser(made: Any, listed: tuple[Field[Any], ...]) -> Callable[..., None]:
    """The function that sets every field, by the descriptor of its slot: the one of its shape, under other names."""
    # which fields are made anew for every value
    makes = tuple([each.default_factory is not MISSING for each in listed])
    names = [each.name for each in listed]
    known: dict[str, Any] = {"_missing": MISSING}
    defaults = []
    for at, each in enumerate(listed):
        known[f"_set{at}"] = getattr(made, each.name).__set__
        if makes[at]:
            known[f"_make{at}"] = each.default_factory
            defaults.append(MISSING)
        elif each.default is not MISSING:
            defaults.append(each.default)
    code = _code_of(makes, hasattr(made, "__post_init__"))
    shown = f"{made.__qualname__}.__init__"
    code = code.replace(co_varnames=("self", *names), co_qualname=shown)
    function: Any = FunctionType(code, known, "__init__", tuple(defaults))
    function.__module__ = made.__module__
    function.__annotations__ = {each.name: each.type for each in listed} | {"return": None}
    return function  # type: ignore[no-any-return]


@cache
def _code_of(makes: tuple[bool, ...], has_more: bool) -> CodeType:
    """What sets so many fields; compiled once, as compiling it for every class took as long as all other imports."""
    lines = [
        f"_set{at}(self, _make{at}() if f{at} is _missing else f{at})"
        if anew
        else f"_set{at}(self, f{at})"
        for at, anew in enumerate(makes)
    ]
    lines.append("self.__post_init__()" if has_more else "pass")
    given = ", ".join(["self", *(f"f{at}" for at in range(len(makes)))])
    known: dict[str, Any] = {}
    exec(f"def __init__({given}):\n " + "\n ".join(lines), known)  # noqa: S102 -- made of numbers
    return known["__init__"].__code__  # type: ignore[no-any-return]


def _equal(names: list[str]) -> Callable[[object, object], bool]:
    """What compares the fields of two values of a class."""
    held = attrgetter(*names) if names else _nothing

    def equal(self: object, other: object) -> bool:
        return held(self) == held(other) if other.__class__ is self.__class__ else NotImplemented

    def equal_in_one(self: object, other: object) -> bool:
        same = other.__class__ is self.__class__
        return (held(self),) == (held(other),) if same else NotImplemented

    return equal_in_one if len(names) == 1 else equal


def _make_hash(names: list[str]) -> Callable[[object], int]:
    """What hashes the fields of a value."""
    held = attrgetter(*names) if names else _nothing
    if len(names) == 1:
        return lambda value: hash((held(value),))
    return lambda value: hash(held(value))


def _nothing(_: object) -> tuple[Any, ...]:
    return ()


@recursive_repr()
def _show(self: Any) -> str:
    parts = ", ".join(
        f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr
    )
    return f"{self.__class__.__qualname__}({parts})"


def _refuse_assignment(_: object, name: str, __: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deletion(_: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, each.name) for each in fields(self)]


def _restore_state(self: Any, state: list[Any]) -> None:
    for each, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)
