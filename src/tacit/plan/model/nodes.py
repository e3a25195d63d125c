"""What is asked: rows, keys and measures, which are paid for; and a view of them, which is free.

Claim:      the rows that a node of `Rows` gives for a unit depend on that unit's rows and on public tables, on nothing
            else; each belongs to one unit; without a unit's rows in the tables, only its rows are missing.
Because:    rows meet only within a unit, or with public ones: a join of private rows is on the unit by its nature, and
            no node has a place for a window, a group or a list of units that spans several.
Checked by: tests/laws/test_rows.py::test_a_unit_that_leaves_takes_its_rows_and_no_others
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from fractions import Fraction
from itertools import product

from tacit.frozen import frozen
from tacit.plan.model.expressions import Expression
from tacit.plan.model.rank_grids import Grid
from tacit.plan.model.schema import Column, KeyValue, Scalar, Table

__all__ = [
    "MOST_CELLS",
    "MOST_NUMBERS",
    "Computed",
    "Counted",
    "Defined",
    "Distinct",
    "Folded",
    "Folding",
    "Inner",
    "Joined",
    "Keeping",
    "Kept",
    "Key",
    "Measure",
    "Ordering",
    "Place",
    "Placed",
    "Plan",
    "Question",
    "Ranked",
    "Rows",
    "Running",
    "Scan",
    "Shown",
    "Stacked",
    "Summed",
    "Units",
    "View",
    "Weighing",
    "Weights",
    "Where",
    "Window",
    "Windowed",
    "groups_of",
]

MOST_NUMBERS = 1_000_000
"""The most numbers that one question may release: groups times measures."""

MOST_CELLS = 1 << 24
"""The most cells that an engine weighs for one question: groups times cells, over all that is ranked."""


@frozen
class Scan:
    """Every row of a table whose unit is not NULL."""

    table: Table


@frozen
class Where:
    """The rows for which the condition is true, not false or NULL."""

    rows: Rows
    condition: Expression


@frozen
class Defined:
    """A column that is calculated from a row."""

    name: str
    value: Expression


@frozen
class Computed:
    """The rows with these columns and no others; whose they are stays with them."""

    rows: Rows
    columns: tuple[Defined, ...]


class Folding(Enum):
    """What many rows of one unit become."""

    COUNT = "COUNT"
    DISTINCT = "COUNT DISTINCT"
    SUM = "SUM"
    MEAN = "AVG"
    LEAST = "MIN"
    GREATEST = "MAX"


@frozen
class Folded:
    """What an expression over rows of one unit becomes, held between the bounds of the column that it gives.

    Sums and means are taken in whole steps of a public grid; NULL adds nothing, and nothing at all is NULL, or zero if
    it is counted.
    """

    column: Column
    fold: Folding
    value: Expression | None = None
    step: Fraction = Fraction(1)


@frozen
class Inner:
    """One row for every unit and every combination of its keys, NULL among them: those keys, and what is folded."""

    rows: Rows
    keys: tuple[Defined, ...]
    folds: tuple[Folded, ...]


@frozen
class Stacked:
    """The rows of all parts, which have the same columns, one below the other."""

    parts: tuple[Rows, ...]


@frozen
class Joined:
    """Every pair of a row on the left and one on the right of the same unit, for which all of `on` are equal.

    On the right there may be public rows, which belong to no unit and meet those of every unit.  With `outer`, a row on
    the left that meets none is there once, with NULL for what is on the right.  No column is on both sides.
    """

    left: Rows
    right: Rows
    on: tuple[tuple[Expression, Expression], ...] = ()
    outer: bool = False


@frozen
class Kept:
    """The rows of those units that have a row among others or, if they must not be present, have none."""

    rows: Rows
    among: Rows
    present: bool = True


class Place(Enum):
    """What a row is among those of its unit."""

    NUMBER = "ROW_NUMBER"
    RANK = "RANK"
    DENSE = "DENSE_RANK"
    BEFORE = "LAG"
    AFTER = "LEAD"


@frozen
class Placed:
    """The number or the rank of a row, or a value of the row so many places before or after it.

    Rows are those of the same unit and the same values of `by`.  All but ranks are taken in an order that is completed
    by all columns of the rows, NULLs last: rows that it does not tell apart are the same.
    """

    column: Column
    place: Place
    order: tuple[Ordering, ...] = ()
    by: tuple[Expression, ...] = ()
    value: Expression | None = None
    offset: int = 1


@frozen
class Running:
    """What the rows of the same unit and the same values of `by` fold into.

    With an order, they are those before the row and its peers.
    """

    folded: Folded
    order: tuple[Ordering, ...] = ()
    by: tuple[Expression, ...] = ()


Window = Placed | Running
"""What is added to a row from others of its unit."""


@frozen
class Windowed:
    """The rows, with columns that look at other rows of the same unit."""

    rows: Rows
    columns: tuple[Window, ...]


Rows = Scan | Where | Computed | Inner | Stacked | Joined | Kept | Windowed
"""Where rows come from."""


@frozen
class Key:
    """What to group by and its public values, in the order in which groups are released.

    A row whose value is none of them, or NULL, belongs to no group.  None means that its values are unknown: none are
    public, and those that many units share have to be found.  With `null`, NULL is a value like the others, the last.
    """

    value: Expression
    values: tuple[Scalar, ...] | None
    null: bool = False

    @property
    def public_values(self) -> tuple[KeyValue, ...]:
        """The values of all its groups, of a key whose values are public."""
        assert self.values is not None, "the values of this key are not public"
        return (*self.values, None) if self.null else self.values


@frozen
class Counted:
    """How many rows a group has; with an expression, how many in which it is not NULL."""

    value: Expression | None = None


@frozen
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


@frozen
class Units:
    """How many units have at least one row in a group; with an expression, one in which it is not NULL."""

    value: Expression | None = None


@frozen
class Ranked:
    """The cell of a public grid in which the value of a given rank lies, from 0, the least, to 1, the greatest.

    NULL is not ranked.  A quantile, whose rank lies between, brings a cell below and one above it, `ends`, unless it is
    wanted alone; of the least and the greatest value one cell is released, near the extreme.
    An engine gives the weight of every cell.
    """

    value: Expression
    grid: Grid
    rank: Fraction
    ends: bool = True


@frozen
class Distinct:
    """How many values of an expression a group has, NULL not among them.

    A unit brings at most so many pairs of a group and a value as the bound of its weights says: of more, those whose
    hashes with the unit are the lowest.
    """

    value: Expression


Measure = Counted | Summed | Units | Ranked | Distinct
"""What is measured of a group, and paid for."""


@frozen
class Question:
    """What is paid for: rows, grouped by keys, and what is measured of each group.

    Groups are released in the order of the product of the keys' values, the last key fastest, empty groups too.
    Of keys whose values are unknown, `found` are the combinations that were released, one value for each such key; they
    come first, and each is crossed with the public values of the other keys.
    """

    rows: Rows
    keys: tuple[Key, ...]
    measures: tuple[Measure, ...]
    found: tuple[tuple[KeyValue, ...], ...] | None = None

    @property
    def unknown(self) -> tuple[Key, ...]:
        """The keys whose values are not public."""
        return tuple([key for key in self.keys if key.values is None])

    @property
    def public(self) -> tuple[Key, ...]:
        """The keys whose values are."""
        return tuple([key for key in self.keys if key.values is not None])

    @property
    def groups(self) -> Iterator[tuple[KeyValue, ...]]:
        """The values of all keys, group by group, in the order of the release."""
        unknown, public = self.unknown, [key.public_values for key in self.public]
        if not unknown and self.found is None:
            return product(*public)
        assert self.found is not None, "nothing was found of the unknown keys yet"
        numbered = {key: place for place, key in enumerate((*unknown, *self.public))}
        # once: a key of many values takes long to be looked up
        places = [numbered[key] for key in self.keys]
        both = ((*named, *known) for named in self.found for known in product(*public))
        return (tuple([group[place] for place in places]) for group in both)

    def places_beside(self, place: int) -> range:
        """The places of what is measured of the same rows in the same groups as a measure."""
        assert 0 <= place < len(self.measures), "there is such a measure"
        return range(len(self.measures))

    def may_be_missing(self, place: int) -> bool:
        """Whether a group may have nothing at the place of a measure: never, unless answers were combined."""
        assert 0 <= place < len(self.measures), "there is such a measure"
        return False


def groups_of(question: Question) -> int:
    """How many groups a question has; before unknown keys were found, the most that are released of it.

    >>> groups_of(Question(Scan(Table("visits", ())), (), (Counted(),)))
    1
    """
    known, all_public = 1, True
    for key in question.keys:
        if key.values is None:
            all_public = False
        else:
            known *= len(key.values) + key.null
    if all_public:
        return known
    if question.found is not None:
        return len(question.found) * known
    cells = sum(measure.grid.count for measure in question.measures if isinstance(measure, Ranked))
    most = min(MOST_NUMBERS // max(1, len(question.measures)), MOST_CELLS // max(1, cells))
    return max(1, most // known) * known


@frozen
class Shown:
    """One column of the answer: a name and how it is computed from a group's keys and released measures."""

    name: str
    value: Expression


@frozen
class Ordering:
    """By what the rows of the answer are sorted; NULLs come last."""

    value: Expression
    descending: bool = False


@frozen
class View:
    """What is done with the release: columns, HAVING, QUALIFY, ORDER BY, LIMIT, OFFSET.  It costs nothing."""

    columns: tuple[Shown, ...]
    having: Expression | None = None
    order: tuple[Ordering, ...] = ()
    limit: int | None = None
    offset: int = 0
    qualify: Expression | None = None


@frozen
class Plan:
    """A question and the view of its answer."""

    question: Question
    view: View


class Weighing(Enum):
    """How a unit's vector over the groups is measured before it is scaled down."""

    L1 = "L1"
    L2 = "L2"


@frozen
class Weights:
    """How much each row of a unit weighs, so that no unit's rows weigh more than a bound together.

    A unit's numbers of rows in the groups form a vector n.  Each of its rows weighs W, the largest integer up to
    2**bits with W |n| <= 2**bits bound in the named norm (in integers: W**2 sum(n**2) <= 4**bits bound**2, or
    W sum(n) <= 2**bits bound).  For `Units` the vector is 1 where n is positive, and its norm is held at the root of
    `units_squared`.  For `Distinct` a unit has at most `bound` pairs of a group and a value.
    Everything an engine returns is multiplied by 2**bits.
    """

    norm: Weighing
    bound: int
    units_squared: int
    bits: int


@frozen
class Keeping:
    """Which unknown keys of a unit count, and how much.

    A unit keeps the `most` keys whose hash is lowest, of those that it has.  If it keeps k, each of them weighs
    floor(2**bits / sqrt k), or floor(2**bits / k) if `norm` is L1, whatever the number of its rows.  The hash is that
    of `secret` and the keys' values, and of nothing else.  Where every row is a unit, it has one key, which weighs
    2**bits.
    """

    most: int
    bits: int
    secret: bytes
    norm: Weighing = Weighing.L2
