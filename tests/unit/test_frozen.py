"""Frozen values are what the standard library makes of the same class."""

import copy
import inspect
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from threading import Barrier, Thread
from typing import Any

import pytest

from tacit.frozen import frozen

NAN = float("nan")


def standard(cls: type) -> type:
    return dataclass(frozen=True, slots=True)(cls)


def nothing(make: Any) -> Any:
    @make
    class Nothing:
        """Holds nothing."""

    return Nothing


def single(make: Any) -> Any:
    @make
    class Single:
        """Holds one thing."""

        of: Any

    return Single


def several(make: Any) -> Any:
    @make
    class Several:
        """Holds several, some by default."""

        first: int
        second: str = "two"
        third: list[int] = field(default_factory=list, compare=False, repr=False)

        def doubled(self) -> int:
            return 2 * self.first

    return Several


def checked(make: Any) -> Any:
    @make
    class Checked:
        """Looks at what it is given."""

        least: int

        def __post_init__(self) -> None:
            if self.least < 0:
                raise ValueError("negative")

    return Checked


def inherited(make: Any) -> Any:
    @make
    class Heir(several(make)):  # type: ignore[misc]
        """Holds more than what it inherits from."""

        fourth: float = 0.5

    return Heir


GIVEN = [
    (nothing, [()]),
    (single, [(1,), (True,), ("text",), ((1, 2),)]),
    (several, [(1,), (1, "two"), (2,), (1, "other"), (1, "two", [3])]),
    (checked, [(0,), (5,)]),
    (inherited, [(1,), (1, "two", [], 0.5), (1, "two", [], 0.25)]),
]


@pytest.mark.parametrize(("shape", "given"), GIVEN, ids=lambda each: getattr(each, "__name__", ""))
def test_values_are_equal_shown_and_hashed_as_those_of_the_standard_library(shape, given):
    ours, theirs = shape(frozen), shape(standard)
    for one in given:
        assert repr(ours(*one)).rpartition(".")[2] == repr(theirs(*one)).rpartition(".")[2]
        assert hash(ours(*one)) == hash(theirs(*one))
        assert ours(*one) != theirs(*one)
        for other in given:
            assert (ours(*one) == ours(*other)) is (theirs(*one) == theirs(*other))
    assert ours.__match_args__ == theirs.__match_args__
    assert [each.name for each in fields(ours)] == [each.name for each in fields(theirs)]
    assert inspect.signature(ours).parameters.keys() == inspect.signature(theirs).parameters.keys()


@pytest.mark.parametrize("given", [(), (1, 2, 3, 4), ("x", {"second": 1, "nothing": 2})])
def test_what_does_not_fit_is_refused(given):
    named = given[-1] if given and isinstance(given[-1], dict) else {}
    with pytest.raises(TypeError):
        several(frozen)(*[each for each in given if each is not named], **named)


def test_a_value_is_equal_to_itself_whatever_it_holds():
    assert single(frozen)(NAN) != single(frozen)(NAN)  # of two classes
    made = single(frozen)
    assert made(NAN) == made(NAN)  # on every version of Python


def test_nothing_of_a_value_can_change():
    value = several(frozen)(1)
    with pytest.raises(FrozenInstanceError):
        value.first = 2
    with pytest.raises(FrozenInstanceError):
        value.fifth = 2
    with pytest.raises(FrozenInstanceError):
        del value.first
    assert not hasattr(value, "__dict__")
    assert value.first == 1


def test_defaults_are_made_anew_for_every_value():
    made = several(frozen)
    assert made(1).third is not made(1).third
    assert made(first=3, third=[4]).third == [4]


def test_what_a_class_says_of_itself_stays():
    @frozen
    class Loud:
        """Says how it is shown, compared and hashed."""

        of: int

        def __repr__(self) -> str:
            return "loud"

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 7

    assert (repr(Loud(1)), Loud(1) == Loud(2), hash(Loud(1))) == ("loud", True, 7)


def test_a_class_may_bring_its_own_beginning_or_be_told_apart_by_identity():
    @frozen(init=False)
    class Read:
        """Reads what it holds."""

        of: int

        def __init__(self, text: str) -> None:
            object.__setattr__(self, "of", int(text))

    @frozen(eq=False)
    class Only:
        """There is no other like it."""

        of: int

    assert Read("3").of == 3
    assert Only(1) != Only(1)
    assert len({Only(1), Only(1)}) == 2


def test_post_init_is_heard():
    with pytest.raises(ValueError, match="negative"):
        checked(frozen)(-1)


def test_values_are_replaced_matched_and_inherited():
    heir = inherited(frozen)
    changed = replace(heir(1), fourth=2.0)
    assert (changed.first, changed.fourth, changed.doubled()) == (1, 2.0, 2)
    match several(frozen)(5, "six"):
        case object(first=first, second=second):
            assert (first, second) == (5, "six")


@frozen
class Sent:
    """What other processes are sent."""

    of: int
    by: str = "nobody"


def test_values_are_copied_and_sent_to_other_processes():
    value = Sent(1, "somebody")
    assert pickle.loads(pickle.dumps(value)) == copy.copy(value) == copy.deepcopy(value) == value


def test_threads_that_make_the_first_values_all_make_them():
    made, ready = several(frozen), Barrier(8)
    found: list[Any] = []

    def make() -> None:
        ready.wait()
        found.append(made(1, second="two"))

    threads = [Thread(target=make) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [made(1)] * 8
