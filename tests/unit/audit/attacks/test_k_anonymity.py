"""The checker of k-anonymity, and the release that passes it."""

import pytest

from tacit.audit.attacks import anonymity, generalise, town
from tacit.audit.attacks.k_anonymity import QUASI_IDENTIFIERS
from tacit.errors import InvalidInput


def test_the_smallest_class_counts():
    rows = [
        {"a": 1, "b": 1},
        {"a": 1, "b": 1},
        {"a": 1, "b": 2},
        {"a": 1, "b": 2},
        {"a": 1, "b": 2},
    ]
    assert anonymity(rows, ["a"]) == 5
    assert anonymity(rows, ["a", "b"]) == 2
    assert anonymity(rows[:3], ["a", "b"]) == 1
    with pytest.raises(InvalidInput, match="rows"):
        anonymity([], ["a"])


@pytest.mark.parametrize(("people", "k"), [(12, 3), (11, 3), (5, 5), (7, 4), (9, 1)])
def test_the_release_is_k_anonymous_and_holds_everybody_once(people, k):
    classes = generalise(town(people), k)
    rows = [shown for shown, members in classes for _ in members]
    assert anonymity(rows, QUASI_IDENTIFIERS) >= k
    assert sorted(one for _, members in classes for one in members) == list(range(people))


def test_the_ranges_hold_their_members():
    people = town(60)
    for shown, members in generalise(people, 5):
        low, high = map(int, shown["born"].split("-"))
        assert all(low <= people[one].born <= high for one in members)
        assert all(people[one].sex in shown["sex"] for one in members)


def test_classes_larger_than_the_town_are_refused():
    for k in (0, 4):
        with pytest.raises(InvalidInput, match="k"):
            generalise(town(3), k)


def test_the_town_is_always_the_same():
    assert town(3)[2] == town(100)[2]
    assert len(set(town(500))) > 450
