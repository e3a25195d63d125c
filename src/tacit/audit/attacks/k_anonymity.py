"""The checker of k-anonymity, and a release that passes it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from tacit.audit.attacks.made_up_town import Person
from tacit.errors import InvalidInput

__all__ = ["QUASI_IDENTIFIERS", "anonymity", "generalise"]

QUASI_IDENTIFIERS = ("postcode", "born", "sex")
"""What the made-up town's people can be recognised by, together."""


def anonymity(rows: Iterable[Mapping[str, object]], quasi_identifiers: Sequence[str]) -> int:
    """The largest k for which the rows are k-anonymous: the size of the smallest class of rows that look alike.

    >>> rows = [{"born": "1950s", "ill": True}, {"born": "1950s", "ill": True}, {"born": "1960s", "ill": False}]
    >>> anonymity(rows, ["born"])
    1
    >>> anonymity(rows[:2], ["born"])
    2
    """
    classes = Counter(tuple(row[name] for name in quasi_identifiers) for row in rows)
    if not classes:
        raise InvalidInput("rows", "none", "an empty table has no classes; give at least one row")
    return min(classes.values())


def generalise(people: Sequence[Person], k: int) -> list[tuple[dict[str, str], list[int]]]:
    """The people in classes of k who live near each other: what is published of each class, and who is in it.

    The last class takes those who are left over, so that none is smaller than k.

    >>> from tacit.audit.attacks.made_up_town import town
    >>> [len(members) for _, members in generalise(town(11), 3)]
    [3, 3, 5]
    """
    if not 1 <= k <= len(people):
        raise InvalidInput("k", k, "give a whole number from 1 to the number of people")
    order = sorted(range(len(people)), key=lambda number: (people[number], number))
    starts = range(0, len(order) - k + 1, k)
    classes = [order[start : start + k] for start in starts[:-1]] + [order[starts[-1] :]]
    return [
        (_publish_class([people[number] for number in members], place), members)
        for place, members in enumerate(classes)
    ]


def _publish_class(members: Sequence[Person], place: int) -> dict[str, str]:
    """Ranges that hold all members; the class's number keeps two classes with equal ranges apart."""
    postcodes, years = [one.postcode for one in members], [one.born for one in members]
    return {
        "postcode": f"{min(postcodes)}-{max(postcodes)} ({place})",
        "born": f"{min(years)}-{max(years)}",
        "sex": "".join(sorted({one.sex for one in members})),
    }
