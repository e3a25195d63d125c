"""A question inside another one while it is read: it gives rows, and what it adds up, it adds up for each unit.

Checked by: tests/unit/plan/test_wide.py
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from tacit.errors import InvalidPlan
from tacit.plan.model.describe_plan import phrase
from tacit.plan.model.expressions import Expression, Field, Literal, Moment
from tacit.plan.model.nodes import (
    Computed,
    Defined,
    Folded,
    Folding,
    Inner,
    Ordering,
    Place,
    Placed,
    Rows,
    Where,
    Window,
    Windowed,
)
from tacit.plan.model.ownership import held_rows
from tacit.plan.model.schema import Column, Kind
from tacit.plan.questions.aggregate_per_unit import column_of, fold_rows, unused_name
from tacit.plan.questions.build_expressions import Forms
from tacit.plan.questions.draft import Draft, Name, Named, find
from tacit.plan.questions.quantile_grids import GREATEST, LEAST
from tacit.plan.questions.row_columns import columns_of, rename_window, window_column
from tacit.plan.questions.where_bounds import within_declared_values
from tacit.plan.semantics.infer_expression_types import condition_type, type_of

__all__ = ["Inside"]


@dataclass(slots=True, eq=False, repr=False)
class Inside(Draft):
    """Rows that are being read; with `grouped`, one for each unit and key.

    `listing` says that columns or QUALIFY are being read, the places where windows may stand; in the latter, with
    `qualifying`, columns that were named are known by their names, too.
    """

    listing: bool = False
    qualifying: bool = False
    by: list[Defined] = field(default_factory=list)
    folds: list[Folded] = field(default_factory=list)
    windows: list[Window] = field(default_factory=list)
    shown: list[Defined] = field(default_factory=list)
    chosen: list[Placed] = field(default_factory=list)
    """Places of rows among those of their unit, by which one is chosen: known before rows are added up."""

    # ------------------------------------------------------------ what is added up for each unit

    def group_by(self, value: Expression) -> None:
        """Add a key besides the unit."""
        type_of(value)
        if all(key.value != value for key in self.by):
            name = value.column.name if isinstance(value, Field) else phrase(value)
            self.by.append(Defined(unused_name(name, [key.name for key in self.by]), value))

    def key_column(self, value: Expression) -> Expression | None:
        """The column of a key, if the value is one."""
        return next((Field(column_of(key)) for key in self.by if key.value == value), None)

    def count(self, value: Expression | None = None) -> Expression:
        """How many rows a unit has, or in how many of them a value is not NULL."""
        if isinstance(value, Literal) and value.value is None:
            raise InvalidPlan("NULL is never counted", "count the rows: COUNT(*)")
        sure = value is not None and not type_of(value).nullable
        return self.fold(Folding.COUNT, None if sure else value)

    def sum(self, value: Expression) -> Expression:
        """The sum of a value over a unit's rows."""
        return self.fold(Folding.SUM, value)

    def mean(self, value: Expression) -> Expression:
        """The mean of a value over a unit's rows."""
        return self.fold(Folding.MEAN, value)

    def rank_value(self, value: Expression, rank: Fraction) -> Expression:
        """The least or the greatest value of a unit's rows."""
        folds = {LEAST: Folding.LEAST, GREATEST: Folding.GREATEST}
        if rank not in folds:
            reason = "quantiles per unit are not supported"
            raise InvalidPlan(
                reason,
                "aggregate a unit's rows with AVG, MIN or MAX, or ask for the quantile in the "
                "outer query",
            )
        return self.fold(folds[rank], value)

    def distinct(self, value: Expression) -> Expression:
        """How many different values a unit's rows have."""
        return self.fold(Folding.DISTINCT, value)

    def moment(
        self, moment: Moment, first: Expression, second: Expression | None = None
    ) -> Expression:
        """Nothing: what a unit's rows add up to are counts, sums and means."""
        reason = f"{moment.value} per unit is not supported"
        raise InvalidPlan(
            reason,
            "compute counts, sums or means per unit in the subquery, and their variance in "
            "the outer query",
        )

    def regression(self, part: str, y: Expression, x: Expression) -> Expression:
        """Nothing: a line through the rows of one unit is not answered."""
        reason = f"REGR_{part.upper()} of the rows of one unit is not supported"
        raise InvalidPlan(
            reason,
            "compute counts, sums or means per unit in the subquery, and the regression in the "
            "outer query",
        )

    def fold(self, fold: Folding, value: Expression | None) -> Expression:
        """What a unit's rows become."""
        if not self.grouped:
            raise InvalidPlan("an aggregate is not allowed here", "add GROUP BY with the unit")
        made = self.make_fold(fold, value)
        for known in self.folds:
            if replace(known, column=made.column) == made:
                return Field(known.column)
        used = [*(key.name for key in self.by), *(known.column.name for known in self.folds)]
        made = replace(made, column=replace(made.column, name=unused_name(made.column.name, used)))
        self.folds.append(made)
        return Field(made.column)

    def make_fold(self, fold: Folding, value: Expression | None) -> Folded:
        """What rows of one unit fold into."""
        needed = fold not in {Folding.LEAST, Folding.GREATEST, Folding.MEAN}
        most = held_rows(self.question.rows) if needed else 1
        try:
            return fold_rows(fold, value, most)
        except InvalidPlan:
            listed = None if value is None else within_declared_values(value)
            if listed == value:
                raise
            return fold_rows(fold, listed, most)

    # ------------------------------------------------------------ windows

    def place_row(
        self, place: Place, order: tuple[Ordering, ...], by: tuple[Expression, ...]
    ) -> Field:
        """The place of a row among those of its unit with the same values of `by`."""
        for known in self.chosen:
            if (known.place, known.order, known.by) == (place, order, by):
                return Field(known.column)
        name = unused_name(f"{place.value}()", self._names_of_rows())
        column = Column(name, Kind.INTEGER, 1, nullable=False)
        self.chosen.append(Placed(column, place, order, by))
        return Field(column)

    def window(self, window: Window) -> Expression:
        """What a window adds to a row."""
        column = window_column(window)
        for known in self.windows:
            if rename_window(known, column.name) == window:
                return Field(window_column(known))
        self.windows.append(rename_window(window, unused_name(column.name, self._names_of_rows())))
        return Field(window_column(self.windows[-1]))

    def _names_of_rows(self) -> list[str]:
        """What the columns of the rows are called: those of the table, of chosen places and of windows."""
        return [
            *(each.name for each in self.table.columns),
            *(each.column.name for each in self.chosen),
            *(window_column(each).name for each in self.windows),
        ]

    # ------------------------------------------------------------ names

    @property
    def released_forms(self) -> Forms:
        """How expressions over what was added up are written: rows are what comes out."""
        return Forms()

    def released_name(self, name: Name, among: Sequence[Named]) -> Expression:
        """What a name means beside aggregates: a key, or a column that was named before."""
        keys = {key.name: Field(column_of(key)) for key in self.by}
        columns = {each.name: each.value for each in self.shown}
        for known in (keys, columns):
            found = find(name, list(known), "column")
            if found is not None:
                return known[found]
        unit = self.unit_value() if name.means(self.table.unit or "") else None
        if unit is not None:
            return unit
        column = self.column(name)
        reason = f"{column.name!r} is not in GROUP BY: a unit has many values of it"
        raise InvalidPlan(
            reason,
            f"add it to GROUP BY, or aggregate it with COUNT, SUM, AVG, MIN or MAX({column.name})",
        )

    def row_name(self, name: Name) -> Expression:
        """What a name means in a row: a column of the table or, in QUALIFY, one that was named."""
        if (
            self.qualifying
            and find(name, [column.name for column in self.table.columns], "column") is None
        ):
            shown = {each.name: each.value for each in self.shown}
            found = find(name, list(shown), "column")
            if found is not None:
                return shown[found]
        return Field(self.column(name))

    def show(self, name: str, value: Expression) -> None:
        """Add a column to what comes out."""
        value = self.within_where(_check_type, value)
        if not name.strip():
            raise InvalidPlan("a column has no name", "give it one: ... AS name")
        if name.casefold() in {each.name.casefold() for each in self.shown}:
            raise InvalidPlan(
                f"two columns have the name {name!r}", "give one of them another name: ... AS other"
            )
        self.shown.append(Defined(name, value))

    # ------------------------------------------------------------ rows

    def folded_rows(self) -> Rows:
        """The rows, or one for each unit and key: the keys, and what is folded."""
        rows = self.question.rows
        if self.chosen:
            rows = Windowed(rows, tuple(self.chosen))
        return Inner(rows, tuple(self.by), tuple(self.folds)) if self.grouped else rows

    def finish_rows(self, having: Expression | None = None) -> Rows:
        """The rows that come out."""
        rows = self.folded_rows()
        if self.windows:
            rows = Windowed(rows, tuple(self.windows))
        if having is not None:
            condition_type(having)
            rows = Where(rows, having)
        same = tuple(Defined(column.name, Field(column)) for column in columns_of(rows))
        return rows if same == tuple(self.shown) else Computed(rows, tuple(self.shown))

    def unit_value(self) -> Expression | None:
        """The unit as a value, if it is a declared column; of many rows of one unit it is that of any."""
        declared = next(
            (column for column in self.table.columns if column.name == self.table.unit), None
        )
        if declared is None or (self.grouped and declared.kind is Kind.BOOLEAN):
            return None
        return self.fold(Folding.LEAST, Field(declared)) if self.grouped else Field(declared)


def _check_type(value: Expression) -> Expression:
    """The value, if its kind and range are known."""
    type_of(value)
    return value
