"""What is asked: rows, keys and measures, which are paid for; and a view of them, which is free."""

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from tacit.plan.expressions import Expression
from tacit.plan.schema import Scalar, Table

__all__ = [
    "Counted",
    "Key",
    "Measure",
    "Ordering",
    "Plan",
    "Question",
    "Rows",
    "Scan",
    "Shown",
    "Summed",
    "Units",
    "View",
    "Weighing",
    "Weights",
    "Where",
]


@dataclass(frozen=True, slots=True)
class Scan:
    """Every row of a table whose unit is not NULL."""

    table: Table


@dataclass(frozen=True, slots=True)
class Where:
    """The rows for which the condition is true, not false or NULL."""

    rows: "Rows"
    condition: Expression


Rows = Scan | Where
"""Where rows come from."""


@dataclass(frozen=True, slots=True)
class Key:
    """What to group by and its public values, in the order in which groups are released.

    A row whose value is none of them, or NULL, belongs to no group.  None means that no values are public.
    """

    value: Expression
    values: tuple[Scalar, ...] | None

    @property
    def listed(self) -> tuple[Scalar, ...]:
        """The public values, of a key that has them."""
        assert self.values is not None, "the values of this key are not public"
        return self.values


@dataclass(frozen=True, slots=True)
class Counted:
    """How many rows a group has; with an expression, how many in which it is not NULL."""

    value: Expression | None = None


@dataclass(frozen=True, slots=True)
class Summed:
    """The sum over rows of an expression in whole steps of a public grid, less `centre` steps for each row that counts.

    A row's expression, divided by `step` and rounded halves upward, is held between `low` and `high`; NULL adds
    nothing.
    """

    value: Expression
    step: Fraction
    low: int
    high: int
    centre: int = 0

    @property
    def reach(self) -> int:
        """The most that one row can add, in steps and either direction."""
        return max(abs(self.low - self.centre), abs(self.high - self.centre))


@dataclass(frozen=True, slots=True)
class Units:
    """How many units have at least one row in a group."""


Measure = Counted | Summed | Units
"""What is measured of a group, and paid for."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is paid for: rows, grouped by keys with public values, and what is measured of each group.

    Groups are released in the order of the product of the keys' values, the last key fastest, empty groups too.
    """

    rows: Rows
    keys: tuple[Key, ...]
    measures: tuple[Measure, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """One column of the answer: a name and how it is computed from a group's keys and released measures."""

    name: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Ordering:
    """By what the rows of the answer are sorted; NULLs come last."""

    value: Expression
    descending: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """What is done with the release: columns, HAVING, ORDER BY, LIMIT, OFFSET.  It costs nothing."""

    columns: tuple[Shown, ...]
    having: Expression | None = None
    order: tuple[Ordering, ...] = ()
    limit: int | None = None
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """A question and the view of its answer."""

    question: Question
    view: View


class Weighing(Enum):
    """How a unit's vector over the groups is measured before it is scaled down."""

    L1 = "L1"
    L2 = "L2"


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each row of a unit weighs, so that no unit's rows weigh more than a bound together.

    A unit's numbers of rows in the groups form a vector n.  Each of its rows weighs W, the largest integer up to
    2**bits with W |n| <= 2**bits bound in the named norm (in integers: W**2 sum(n**2) <= 4**bits bound**2, or
    W sum(n) <= 2**bits bound).  For `Units` the vector is 1 where n is positive, and its norm is held at the root of
    `units_squared`.
    Everything an engine returns is multiplied by 2**bits.
    """

    norm: Weighing
    bound: int
    units_squared: int
    bits: int
