"""A function that computes once for the same values."""

import pytest

from tacit.plan.model import keep_by_identity as room
from tacit.plan.model.keep_by_identity import keep_by_identity


def test_equal_values_are_not_the_same():
    seen = []
    kept = keep_by_identity(lambda *values: seen.append(values) or len(seen))
    one, other = [1], [1]
    assert (kept(one), kept(other), kept(one), kept(one, other), kept(other, one)) == (
        1,
        2,
        1,
        3,
        4,
    )


def test_what_is_kept_lives_so_that_nothing_else_has_its_identity():
    kept = keep_by_identity(lambda value: value[0])
    assert [kept([number]) for number in range(1_000)] == list(range(1_000))


def test_what_is_raised_is_not_kept():
    answers = iter([ValueError, 3])

    def compute(_value):
        found = next(answers)
        if found is ValueError:
            raise ValueError
        return found

    kept, value = keep_by_identity(compute), object()
    with pytest.raises(ValueError, match=r"^$"):
        kept(value)
    assert kept(value) == 3


def test_no_more_is_kept_than_there_is_room_for(monkeypatch):
    monkeypatch.setattr(room, "_MOST", 2)
    seen = []
    kept = keep_by_identity(lambda value: seen.append(value) or value)
    values = [object() for _ in range(3)]
    assert [kept(value) for value in (*values, values[2], values[0])] == [
        *values,
        values[2],
        values[0],
    ]
    assert len(seen) == 4
