"""A plan while it is read: the one place where both doors turn names and aggregates into keys, measures and a view.

Checked by: tests/unit/plan/sql/test_statement.py
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import Enum
from fractions import Fraction
from math import prod
from typing import Any, TypeVar

from tacit.errors import InvalidPlan, Unbounded, how_to_declare
from tacit.frozen import frozen
from tacit.plan.model import expressions as e
from tacit.plan.model.combined_answers import CombinedPlan, ReadAnswers
from tacit.plan.model.describe_plan import phrase
from tacit.plan.model.expressions import walk_expression
from tacit.plan.model.nodes import (
    MOST_NUMBERS,
    Distinct,
    Key,
    Measure,
    Ordering,
    Plan,
    Question,
    Rows,
    Scan,
    Shown,
    Units,
    View,
    Where,
)
from tacit.plan.model.schema import OTHER, Column, Kind, Scalar, Table
from tacit.plan.questions.aggregate_per_unit import has_null_group
from tacit.plan.questions.build_expressions import NULL, Forms, meeting
from tacit.plan.questions.groups_of_public_rows import value_by_keys
from tacit.plan.questions.measures import (
    centred_sum,
    count_measure,
    pair_with,
    pairs,
    product_sum,
    sum_measure,
)
from tacit.plan.questions.public_values_of_inner_keys import lists_all_groups, seen_values
from tacit.plan.questions.quantile_grids import check_cells, rank_measure
from tacit.plan.questions.unit_membership import is_unit_of
from tacit.plan.questions.where_bounds import (
    clamp_to_conditions,
    conditions_of,
    has_far_logarithm,
    within_declared_values,
)
from tacit.plan.semantics.infer_expression_types import condition_type, type_of
from tacit.plan.semantics.widen_to_type_bounds import widen

__all__ = [
    "DEEPEST",
    "KEPT",
    "NOTHING",
    "SELECTED",
    "SORTED",
    "Draft",
    "Name",
    "Named",
    "close_to",
    "find",
]

T = TypeVar("T")
DEEPEST = 64
"""The most calculations that may build on each other."""
NOTHING = NULL
"""What a key of another grouping set is."""


@frozen
class Name:
    """A name as it is written: one in double quotes is taken exactly, another one without regard to case."""

    text: str
    exact: bool = False

    def means(self, other: str) -> bool:
        """Whether it is a name of the other."""
        return self.text == other if self.exact else self.text.casefold() == other.casefold()


def find(name: Name, names: Sequence[str], what: str) -> str | None:
    """The one that is meant, None if there is none."""
    found = [other for other in names if name.means(other)]
    if len(found) > 1 and name.text in found:
        found = [name.text]
    if len(found) > 1:
        raise InvalidPlan(
            f"{name.text!r} is ambiguous: it may be any of {_list_names(found)}",
            f"put the name of the {what} in double quotes",
        )
    return found[0] if found else None


def _as_written(name: str) -> str:
    """A name as it is written in a question: one with a blank needs double quotes."""
    return repr(name) if name.isidentifier() else f'"{name}", in double quotes'


def close_to(name: Name, names: Sequence[str], what: str) -> str:
    """A remedy for a name that does not exist: the closest one, and all of them."""
    folded = {other.casefold(): other for other in names}
    close = get_close_matches(name.text[:64].casefold(), folded, n=1)
    guess = f"did you mean {_as_written(folded[close[0]])}? " if close else ""
    return (
        f"{guess}the {what}s are {_list_names(names)}"
        if names
        else f"no {what} is declared; declare what may be asked about: columns={{...}} in Python, --column on the "
        "shell, or in the policy"
    )


def _list_names(names: Sequence[str]) -> str:
    written = [each if each.isidentifier() else f'"{each}"' for each in names[:20]]
    return ", ".join(written) + (f" and {len(names) - 20} more" if len(names) > 20 else "")


class Named(Enum):
    """What a name of the view may mean."""

    KEY = "a key"
    COLUMN = "a column of the answer"


SELECTED = (Named.KEY,)
"""What names mean in the columns of the answer."""
KEPT = (Named.KEY, Named.COLUMN)
"""What names mean in HAVING."""
SORTED = (Named.COLUMN, Named.KEY)
"""What names mean in ORDER BY."""


@dataclass(slots=True, eq=False, repr=False)
class Draft:
    """A question about rows that look like a table, being read; `plan` closes it.

    Without `rows` they are those of the table itself.
    """

    table: Table
    conditions: list[e.Expression] = field(default_factory=list)
    keys: list[Key] = field(default_factory=list)
    key_names: list[str] = field(default_factory=list)
    measures: dict[Measure, int] = field(default_factory=dict)
    columns: list[Shown] = field(default_factory=list)
    rows: Rows | None = None
    grouped: bool = False
    """Whether what comes out are groups: then windows look at them."""
    named: dict[str, Any] = field(default_factory=dict)
    """The windows that WINDOW names, as they were written."""
    flags: list[tuple[Rows, e.Expression]] = field(default_factory=list)
    """Rows among which units were looked for, and whether a row's unit is among them."""
    lookups: dict[int, e.Expression] = field(default_factory=dict)
    """What correlated subqueries are for a row, by the identity of their nodes."""
    outer_keys: tuple[e.Expression, ...] | None = None
    """What released groups are added up by, in a question around another; None if they are not."""
    finding: bool = False
    """Whether keys whose values are not public are found in the data, which takes a delta."""
    beside: ReadAnswers | None = None
    """Other answers that the view reads: their measures come before those of this question."""
    closed: bool = False
    """Whether nothing is asked but what `beside` holds: keys are those of its rows."""
    determined: dict[str, tuple[e.Expression, e.Expression]] = field(default_factory=dict)
    """Columns of an answer that GROUP BY names, by their names: each over rows, and over the keys that decide it."""
    absent: dict[str, e.Expression] = field(default_factory=dict)
    """Keys of another grouping set, by their names: they are NULL here."""

    # ------------------------------------------------------------ rows

    def column(self, name: Name) -> Column:
        """The column of the table that a name means."""
        names = [column.name for column in self.table.columns]
        found = find(name, names, "column")
        if found is None:
            if self.table.unit is not None and find(name, [self.table.unit], "column"):
                reason = (
                    f"{name.text[:64]!r} is the protected unit, which can be counted but not used "
                    "otherwise"
                )
                raise InvalidPlan(
                    reason, "use other columns, or count units with COUNT(DISTINCT …)"
                )
            reason = f"the table {self.table.name!r} has no declared column {name.text[:64]!r}"
            raise InvalidPlan(reason, self._name_or_declare(name, names))
        return self.table.columns[names.index(found)]

    def _name_or_declare(self, name: Name, names: Sequence[str]) -> str:
        """A remedy for a column that is not declared: another name or, of a table itself, a declaration."""
        listed = close_to(name, names, "column")
        if not isinstance(self.rows, Scan | None) or not names or listed.startswith("did you mean"):
            return listed
        given = name.text[:64]
        if name.exact:
            return f"{listed}; a text stands in single quotes: '{given}'"
        return (
            f"{listed}; if the data have {given!r}, declare it with bounds or values: "
            f'columns={{"{given}": (..., ...)}} in Python, --column {given}=LOW..HIGH or '
            f'{given}=A,B on the shell, or {given} = {{ type = "number", low = ..., high = ... }} '
            "in the policy"
        )

    def row_name(self, name: Name) -> e.Expression:
        """What a name means in a row."""
        return e.Field(self.column(name))

    def where(self, condition: e.Expression) -> None:
        """Keep only the rows for which the condition is true."""
        _shallow(condition)
        condition_type(condition)
        self.conditions.append(condition)

    def key(self, value: e.Expression, name: str | None = None) -> None:
        """Group by an expression whose values are public or, where that is possible, found in the data."""
        _shallow(value)
        value = self._prove_key(value)
        called = name or (value.column.name if isinstance(value, e.Field) else phrase(value))
        rows = self.rows or Scan(self.table)
        if (isinstance(value, e.Field) and value.column.name == self.table.unit) or is_unit_of(
            value, rows
        ):
            raise InvalidPlan(
                f"{called!r} is the protected unit: grouping by it would give one answer per "
                "person",
                "group by a column that many units share, or count units: COUNT(DISTINCT "
                + called
                + ")",
            )
        if not any(isinstance(part, e.Field) for part in walk_expression(value)):
            raise InvalidPlan("this is constant, so it does not define groups", "group by a column")
        possible = seen_values(value, rows, self.conditions)
        values = None if possible is None else tuple(each for each in possible if each is not None)
        if not values and not self.finding:
            reason = (
                f"the values of {called!r} are private and not declared; unknown keys need delta > "
                "0"
            )
            raise InvalidPlan(reason, _how_to_know(value))
        null = has_null_group(value) and (
            type_of(value).nullable if possible is None else None in possible
        )
        key = Key(value, values or None, null)
        if values and isinstance(value, e.Field) and value.column.other:
            key = _key_with_other(value, values, null=null)
        if key not in self.keys:
            self.keys.append(key)
            self.key_names.append(called)

    def _prove_key(self, value: e.Expression) -> e.Expression:
        """A key of which no row can fail: one that is found in the data needs no bounds but those of its type."""
        try:
            type_of(value)
        except Unbounded:
            if not self.finding:
                raise
            value = widen(value)
            type_of(value)
        return value

    # ------------------------------------------------------------ measures

    def count(self, value: e.Expression | None = None) -> e.Expression:
        """The released number of rows, or of rows in which a value is not NULL."""
        _shallow(value)
        if isinstance(value, e.Literal) and value.value is None:
            raise InvalidPlan("NULL is never counted", "count the rows: COUNT(*)")
        return self._place(count_measure(value))

    def units(self, condition: e.Expression | None = None) -> e.Expression:
        """The released number of units, with a row for which a condition is true; where every row is one, of rows."""
        _shallow(condition)
        found = count_measure(meeting(condition))
        return self._place(found if self.table.unit is None else Units(found.value))

    def distinct(self, value: e.Expression) -> e.Expression:
        """The released number of different values."""
        _shallow(value)
        if isinstance(value, e.Literal):
            raise InvalidPlan("a constant has only one value", "count the rows: COUNT(*)")
        type_of(value)
        return self._place(Distinct(value))

    def sum(self, value: e.Expression) -> e.Expression:
        """The released sum of a value."""
        _shallow(value)
        return self._place(self.within_where(sum_measure, value))

    def mean(self, value: e.Expression) -> e.Expression:
        """The mean of a value, from its released centred sum and count."""
        _shallow(value)
        total, count = self.within_where(lambda x: (centred_sum(x), count_measure(x)), value)
        return e.MeanOf(self._place(total).place, self._place(count).place)

    def rank_value(self, value: e.Expression, rank: Fraction) -> e.Expression:
        """The value of a rank: a quantile, or about the least (0) or the greatest (1)."""
        _shallow(value)
        return self._place(self.within_where(lambda x: rank_measure(x, rank), value))

    def moment(
        self, moment: e.Moment, first: e.Expression, second: e.Expression | None = None
    ) -> e.Expression:
        """A variance, or a covariance or correlation of two values, from released counts and sums.

        What is of two values is of the rows in which neither is NULL.
        """
        _shallow(first, second)
        first = self.within_where(_check_bounded, first)
        if second is None:
            total = centred_sum(first)
            return self._moment(moment, count_measure(first), total, product_sum(total, total))
        second = self.within_where(_check_bounded, second)
        one, two = centred_sum(pair_with(first, second)), centred_sum(pair_with(second, first))
        squares = (
            [product_sum(one, one), product_sum(two, two)] if moment is e.Moment.CORRELATION else []
        )
        return self._moment(moment, pairs(first, second), one, two, *squares, product_sum(one, two))

    def within_bounds(self, value: e.Expression) -> e.Expression:
        """A value whose range is known, of the column or of WHERE; refused where there is none."""
        _shallow(value)
        return self.within_where(_check_bounded, value)

    def regression(self, part: str, y: e.Expression, x: e.Expression) -> e.Expression:
        """A part of the line through pairs of values: slope, intercept, r2, count, avgx, avgy, sxx, syy or sxy.

        It is of the rows in which neither is NULL, as in SQL.
        """
        x, y = (
            self.within_where(_check_bounded, each) if has_far_logarithm(each) else each
            for each in (x, y)
        )
        one, other = pair_with(x, y), pair_with(y, x)
        match part:
            case "count":
                return self.count(one)
            case "avgx":
                return self.mean(one)
            case "avgy":
                return self.mean(other)
            case "r2":
                root = self.moment(e.Moment.CORRELATION, x, y)
                return e.Arithmetic("*", root, root)
            case "sxx" | "syy":
                spread = one if part == "sxx" else other
                return e.Arithmetic(
                    "*", self.count(one), self.moment(e.Moment.POPULATION_VARIANCE, spread)
                )
            case "sxy":
                both = self.moment(e.Moment.POPULATION_COVARIANCE, x, y)
                return e.Arithmetic("*", self.count(one), both)
        slope = e.Arithmetic(
            "/",
            self.moment(e.Moment.POPULATION_COVARIANCE, x, y),
            self.moment(e.Moment.POPULATION_VARIANCE, one),
        )
        if part == "slope":
            return slope
        return e.Arithmetic("-", self.mean(other), e.Arithmetic("*", slope, self.mean(one)))

    def _moment(self, moment: e.Moment, *measures: Measure) -> e.Expression:
        return e.MomentOf(moment, tuple(self._place(measure).place for measure in measures))

    def within_where(self, make: Callable[[e.Expression], T], value: e.Expression) -> T:
        """What is made of a value; where its bounds do not suffice, with those of WHERE or of declared values."""
        known = [*conditions_of(self.rows), *self.conditions]
        if has_far_logarithm(value):
            held = clamp_to_conditions(value, known)
            if not has_far_logarithm(held):
                with suppress(InvalidPlan):
                    return make(held)
        try:
            return make(value)
        except InvalidPlan:
            listed = within_declared_values(value)
            clamped = (clamp_to_conditions(each, known) for each in (value, listed))
            for each in (*clamped, listed):
                if each == value:
                    continue
                with suppress(InvalidPlan):
                    return make(each)
            raise

    def _place(self, measure: Measure) -> e.MeasureOf:
        if self.closed:
            raise InvalidPlan(
                "an aggregate of rows is not allowed here, among columns of answers",
                "write the aggregate in a subquery or in WITH, and use its column here",
            )
        before = 0 if self.beside is None else len(self.beside.question.measures)
        return e.MeasureOf(before + self.measures.setdefault(measure, len(self.measures)))

    # ------------------------------------------------------------ view

    @property
    def question(self) -> Question:
        """The question as far as it has been read."""
        if self.beside is None:
            return self.own_question
        return (
            self.beside.question if self.closed else self.beside.beside(self.own_question).question
        )

    @property
    def own_question(self) -> Question:
        """What is asked of its own rows, whatever other answers the view reads."""
        rows: Rows = Scan(self.table) if self.rows is None else self.rows
        if self.conditions:
            rows = Where(rows, e.chain_conditions(e.Both, self.conditions))
        return Question(rows, tuple(self.keys), tuple(self.measures))

    @property
    def released_forms(self) -> Forms:
        """How expressions over the release are written."""
        return Forms(lambda: self.question)

    def released_name(self, name: Name, among: Sequence[Named]) -> e.Expression:
        """What a name means in the view: the first of a key and a column of the answer that has it."""
        for kind in among:
            meant = self._key_named(name) if kind is Named.KEY else self._column_named(name)
            if meant is not None:
                return meant
        column = self.column(name)
        if column.name == self.table.unit:
            reason = f"{column.name!r} is the protected unit and is never shown"
            raise InvalidPlan(reason, f"count units: COUNT(DISTINCT {column.name})")
        if (known := self.value_by_keys(e.Field(column))) is not None:
            return known
        if self.keys:
            reason = f"{column.name!r} is not in GROUP BY: a group has many values of it"
            raise InvalidPlan(
                reason, f"add it to GROUP BY, or aggregate it with COUNT, SUM or AVG({column.name})"
            )
        measure = "AVG" if column.kind in (Kind.INTEGER, Kind.NUMBER) else "COUNT"
        raise InvalidPlan(
            f"{column.name!r} would be shown for single rows, and single rows are never released",
            f"aggregate the rows: COUNT(*), {measure}({column.name}), or GROUP BY {column.name}",
        )

    def _key_named(self, name: Name) -> e.Expression | None:
        known = dict.fromkeys([*self.key_names, *self.absent, *self.determined])
        found = find(name, list(known), "column")
        if found in self.absent:
            return NOTHING
        if found in self.determined:
            return self.determined[found][1]
        return None if found is None else e.KeyOf(self.key_names.index(found))

    def key_of(self, value: e.Expression) -> e.Expression | None:
        """The key that is calculated like this, if there is one; NULL if it is one of another grouping set."""
        same = (value, widen(value)) if self.finding else (value,)
        if any(each in same for each in self.absent.values()):
            return NOTHING
        told = [over_keys for over_rows, over_keys in self.determined.values() if over_rows in same]
        if told:
            return told[0]
        return next(
            (e.KeyOf(place) for place, key in enumerate(self.keys) if key.value in same), None
        )

    def value_by_keys(self, value: e.Expression) -> e.Expression | None:
        """What a value of public tables is in every row of a group, over its keys; None if they do not decide it."""
        if not self.keys or self.closed or self.absent:
            return None
        return value_by_keys(self.own_question.rows, [key.value for key in self.keys], value)

    def _column_named(self, name: Name) -> e.Expression | None:
        found = find(name, [shown.name for shown in self.columns], "column")
        return (
            None
            if found is None
            else next(shown.value for shown in self.columns if shown.name == found)
        )

    def show(self, name: str, value: e.Expression) -> None:
        """Add a column to the answer."""
        _shallow(value)
        type_of(value, self.question)
        if not name.strip():
            raise InvalidPlan("a column of the answer has no name", "give it one: ... AS name")
        if name.casefold() in {shown.name.casefold() for shown in self.columns}:
            raise InvalidPlan(
                f"two columns have the name {name!r}", "give one of them another name: ... AS other"
            )
        self.columns.append(Shown(name, value))

    def plan(
        self,
        having: e.Expression | None = None,
        order: Sequence[Ordering] = (),
        limit: int | None = None,
        offset: int = 0,
        qualify: e.Expression | None = None,
    ) -> Plan:
        """The plan that has been read."""
        _shallow(having, qualify, *(ordering.value for ordering in order))
        if not self.measures and self.question.unknown:
            # which keys there are is all that is asked: they are measured, or nobody would know of what
            self.count()
        question = self.question
        if having is not None:
            condition_type(having, question)
        if qualify is not None:
            condition_type(qualify, question)
        for ordering in order:
            type_of(ordering.value, question)
        if not self.measures:
            self._lists_all_groups(question)
        self._is_not_too_wide()
        self._intervals_have_names()
        return Plan(
            question, View(tuple(self.columns), having, tuple(order), limit, offset, qualify)
        )

    def _lists_all_groups(self, question: Question) -> None:
        """Refuse a question that measures nothing, unless it lists groups that are public, all of them."""
        if not question.keys:
            raise InvalidPlan(
                "this contains no aggregate",
                "add an aggregate: COUNT(*), COUNT(x), COUNT(DISTINCT x), SUM(x), AVG(x), "
                "VARIANCE(x), STDDEV(x) or MEDIAN(x)",
            )
        if not lists_all_groups(question):
            raise InvalidPlan(
                "this contains no aggregate: the groups are public, and which of them have such rows is not",
                "add COUNT(*) to see how many rows each has"
                + (", or leave the condition out" if conditions_of(question.rows) else ""),
            )

    def combined_plan(
        self,
        merge: Callable[[Any, Sequence[Question], View], CombinedPlan],
        having: e.Expression | None,
        order: Sequence[Ordering],
        limit: int | None,
        offset: int,
        qualify: e.Expression | None,
    ) -> CombinedPlan:
        """The plan of several answers that has been read; `merge` makes it of them and a view."""
        _shallow(having, qualify, *(ordering.value for ordering in order))
        question = self.question
        for condition in (having, qualify):
            if condition is not None:
                condition_type(condition, question)
        for ordering in order:
            type_of(ordering.value, question)
        self._intervals_have_names()
        view = View(tuple(self.columns), having, tuple(order), limit, offset, qualify)
        read = self.beside
        assert read is not None, "there are other answers"
        if not self.closed:
            own = self.own_question
            self._is_not_too_wide()
            read = read.beside(own)
        return merge(read.answers, read.questions, view)

    def _is_not_too_wide(self) -> None:
        public = self.own_question.public
        numbers = max(1, len(self.measures)) * prod(len(key.public_values) for key in public)
        if numbers > MOST_NUMBERS:
            reason = (
                f"the group keys have too many combinations: {numbers:,} numbers would be released"
            )
            raise InvalidPlan(
                reason, f"group by fewer columns; at most {MOST_NUMBERS:,} numbers can be released"
            )
        check_cells(tuple(self.measures), tuple(self.keys))

    def _intervals_have_names(self) -> None:
        """Every measured column n brings n_low and n_high, which no other column may be called."""
        names = {shown.name.casefold(): shown.name for shown in self.columns}
        for shown in self.columns:
            for end in ("_low", "_high"):
                other = names.get((shown.name + end).casefold())
                if other is not None and not isinstance(shown.value, e.KeyOf | e.Literal):
                    reason = f"{other!r} is the name of an interval column that {shown.name!r} adds"
                    raise InvalidPlan(reason, f"give the column {other!r} another name")


def _check_bounded(value: e.Expression) -> e.Expression:
    """The value, refused if no sum of it is bounded."""
    centred_sum(value)
    return value


def _key_with_other(value: e.Field, values: tuple[Scalar, ...], *, null: bool) -> Key:
    """A key whose undeclared values are one; NULL is among them, unless it has a group of its own."""
    listed = e.OneOf(
        value, tuple(e.Literal(each, value.column.kind) for each in value.column.values or values)
    )
    nothing = ((e.IsNull(value), e.Literal(None, Kind.TEXT)),) if null else ()
    return Key(
        e.Case((*nothing, (listed, value)), e.Literal(OTHER, Kind.TEXT)), (*values, OTHER), null
    )


def _how_to_know(value: e.Expression) -> str:
    """How the values of a key become public."""
    if not isinstance(value, e.Field):
        return (
            "group by an expression with few known values: a CASE of constants, FLOOR(x / 10) "
            "* 10 or DATE_TRUNC('month', x) of a column with declared bounds"
        )
    name, kind = value.column.name, value.column.kind
    if kind in {Kind.TEXT, Kind.BOOLEAN}:
        return f"declare its values: {how_to_declare(name, kind.value, 'values')}"
    bounds = f"declare its values, or narrow bounds: {how_to_declare(name, kind.value, 'bounds')}"
    return bounds if kind in {Kind.INTEGER, Kind.DATE} else f"{bounds}, and group by buckets of it"


def _shallow(*expressions: e.Expression | None) -> None:
    """Refuse an expression so deep that those who read it after us might not come to its end."""
    left = [(expression, 1) for expression in expressions if expression is not None]
    while left:
        expression, depth = left.pop()
        if depth > DEEPEST:
            raise InvalidPlan(
                f"expressions are nested more than {DEEPEST} levels deep", "ask a simpler question"
            )
        if type(expression) not in e.LEAVES:
            left += [(operand, depth + 1) for operand in e.operands(expression)]
