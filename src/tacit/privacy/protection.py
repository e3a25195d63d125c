"""Who is protected, and from being told apart from what."""

from __future__ import annotations

from enum import Enum

from tacit.errors import InvalidInput
from tacit.frozen import frozen

__all__ = ["Neighbours", "Protection", "fill", "relation"]


class Neighbours(Enum):
    """Which two databases must be hard to tell apart.

    >>> Neighbours("replace")
    <Neighbours.REPLACE: 'replace'>
    """

    ADD_OR_REMOVE = "add-or-remove"
    """One unit is present in one and absent from the other; the number of units is itself protected."""

    REPLACE = "replace"
    """One unit has other data in one than in the other; the number of units is public."""

    @property
    def steps(self) -> int:
        """How many units must be added or removed to get from one neighbour to the other.

        >>> Neighbours.REPLACE.steps
        2
        """
        return 2 if self is Neighbours.REPLACE else 1


def relation(neighbours: object) -> Neighbours:
    """The relation that was given, itself or by its name; refused if it is none.

    >>> relation("replace")
    <Neighbours.REPLACE: 'replace'>
    """
    try:
        return Neighbours(neighbours)
    except ValueError:
        raise InvalidInput("neighbours", neighbours, 'give "add-or-remove" or "replace"') from None


def fill(value: object, **fields: object) -> None:
    """Set the fields of a frozen value, once, by its own `__init__`; its relation may be given by name."""
    for name, field in fields.items():
        object.__setattr__(value, name, relation(field) if name == "neighbours" else field)


@frozen
class Protection:
    """All rows that share one value of `unit` are protected together.

    Protected is whatever one unit's rows say, and under add-or-remove whether it is there at all.  Not protected
    is what would be learned without it: a fact about everyone is a fact about each.

    >>> Protection("patient_id")
    Protection(unit='patient_id', neighbours=<Neighbours.ADD_OR_REMOVE: 'add-or-remove'>)
    """

    unit: str
    neighbours: Neighbours = Neighbours.ADD_OR_REMOVE

    def __post_init__(self) -> None:
        if not isinstance(self.unit, str) or not self.unit:
            raise InvalidInput(
                "unit", self.unit, 'name the column that identifies a unit, or "row"'
            )
        object.__setattr__(self, "neighbours", relation(self.neighbours))
