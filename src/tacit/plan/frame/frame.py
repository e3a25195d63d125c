"""The frame door: questions written in Python, read into the same plans as SQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial, reduce
from typing import Any, Never, NoReturn

from tacit.errors import InvalidPlan
from tacit.exact import count_of
from tacit.frozen import frozen
from tacit.plan.frame import joins_and_unions as combining
from tacit.plan.frame.column_expressions import Scope, Sorted, Term, col, column_term, term_of
from tacit.plan.model.describe_plan import in_words
from tacit.plan.model.expressions import Both, Expression, KeyOf, join_conditions
from tacit.plan.model.nodes import Ordering, Plan, Rows
from tacit.plan.model.schema import Table
from tacit.plan.questions.draft import KEPT, SELECTED, SORTED, Draft
from tacit.plan.questions.group_windows import without_windows

__all__ = ["Frame"]


_STEPS = (
    *("where", "group_by", "agg", "having", "order_by", "limit", "top", "qualify", "distinct"),
    *("per_unit", "join", "among", "not_among", "flag", "stack", "ask", "plan", "sql"),
)
"""What a frame can do, in the order in which people need it."""

_HOW_TO_MEASURE = 'write name = measure, as in agg(n=tacit.count(), m=tacit.mean("cost"))'


@frozen(eq=False)
class Frame:
    """A question about a table, written step by step; every step is a new frame and the old one stays as it was.

    >>> from tacit.plan import Column, Kind, col, count, mean
    >>> visits = Table("visits", (Column("age", Kind.INTEGER, low=0, high=120),))
    >>> Frame(visits).where(col("age") >= 65).agg(n=count(), mean=mean("age")).plan().view.columns[0]
    Shown(name='n', value=MeasureOf(place=0))
    """

    table: Table
    asker: Callable[..., Any] | None = None
    conditions: tuple[Term, ...] = ()
    keys: tuple[tuple[str | None, Term], ...] = ()
    columns: tuple[tuple[str, Term], ...] = ()
    kept: tuple[Term, ...] = ()
    chosen: tuple[Term, ...] = ()
    order: tuple[Sorted, ...] = ()
    most: int | None = None
    skipped: int = 0
    rows: Rows | None = None
    finding: bool = False
    source: Any = None
    """What the frame was taken from, if anything: a vault."""

    def __dir__(self) -> list[str]:
        """What a person may call; the fields that it is made of are left out."""
        return [name for name in _STEPS if hasattr(type(self), name)]

    def __getattr__(self, name: str) -> Any:
        """Refuse an unknown attribute: name the step for a method of another library, and how to use a column."""
        from tacit.plan.frame.names_elsewhere import OF_FRAMES, SHOWN_ROWS

        meant = f": here it is {OF_FRAMES[name]}" if name in OF_FRAMES else ""
        if name in SHOWN_ROWS:
            meant = "; single rows are never shown, but vault.mock().table(name) has made-up ones"
        if (
            not meant
            and not name.startswith("_")
            and any(name == column.name for column in self.table.columns)
        ):
            meant = (
                f'; use the column in a step, as in where(col("{name}") > 5) or group_by("{name}")'
            )
        raise AttributeError(f"a frame has no {name!r}{meant}")

    def where(self, *conditions: Term, **named: Never) -> Frame:
        """Only the rows for which all the conditions are true."""
        for name in named:
            raise InvalidPlan(
                f"where({name}=…) is no condition", f'write where(col("{name}") == …)'
            )
        return _check_frame(replace(self, conditions=(*self.conditions, *map(term_of, conditions))))

    def group_by(self, *keys: Term | str, **named: Term) -> Frame:
        """One group for every combination of the values of some columns or, by name, of some terms.

        Values that are not public are found in the data, if the vault's limit has a delta.
        """
        for key in keys:
            if isinstance(key, list | tuple):
                names = ", ".join(
                    f'"{each}"' if isinstance(each, str) else str(each) for each in key
                )
                raise InvalidPlan(
                    f"group_by is given a {type(key).__name__}", f"write group_by({names})"
                )
        listed = [(None, column_term(key)) for key in keys] + [
            (name, column_term(key)) for name, key in named.items()
        ]
        return _check_frame(replace(self, keys=(*self.keys, *listed)))

    def per_unit(self, *by: str, **columns: Term) -> Frame:
        """One row for every unit, and for every value of some columns: what its rows add up to, by name."""
        with _about(next(iter(columns.values()), col(", ".join(by)))):
            return self._with_rows(*combining.per_unit(_rows_of(self), by, columns))

    def join(
        self,
        other: Frame,
        on: str | Sequence[str] = (),
        *,
        outer: bool = False,
        **unknown: Never,
    ) -> Frame:
        """Every row with those of the other of the same unit; `on` names more columns that have to be equal.

        With `outer`, rows that meet none are kept, with NULL for what the other has.
        """
        for name in unknown:
            raise InvalidPlan(
                f"join has no {name}=…",
                'write join(other, on="…") for rows that meet one, and outer=True for a left join; rows of one unit '
                "are joined in any case",
            )
        names = [on] if isinstance(on, str) else list(on)
        return self._with_rows(
            *combining.join_drafts(_rows_of(self), _rows_of(other), names, outer=outer)
        )

    def stack(self, other: Frame) -> Frame:
        """The rows of both, in the columns that they share."""
        return self._with_rows(*combining.stack_drafts(_rows_of(self), _rows_of(other)))

    def distinct(self) -> Frame:
        """The rows of each unit, those that are alike in all columns only once."""
        return self._with_rows(*combining.distinct(_rows_of(self)))

    def among(self, other: Frame) -> Frame:
        """Only the rows of units that have a row in the other."""
        return self._with_rows(
            *combining.semi_join_drafts(_rows_of(self), _rows_of(other), present=True)
        )

    def flag(self, name: str, other: Frame) -> Frame:
        """The rows, with a column that says whether their unit has a row in the other."""
        return self._with_rows(*combining.flag(_rows_of(self), name, _rows_of(other)))

    def not_among(self, other: Frame) -> Frame:
        """Only the rows of units that have no row in the other."""
        return self._with_rows(
            *combining.semi_join_drafts(_rows_of(self), _rows_of(other), present=False)
        )

    def _with_rows(self, rows: Rows, table: Table) -> Frame:
        return Frame(table, self.asker, rows=rows, finding=self.finding, source=self.source)

    def __getitem__(self, key: object) -> NoReturn:
        """Nothing; rows are kept by `where` and columns are named where they are used."""
        raise InvalidPlan(
            "a frame has no rows or columns to take out with [...]",
            'keep rows with where(col("age") > 5), and measure a column with agg(m=mean("age"))',
        )

    def agg(self, *unnamed: Never, **columns: Term) -> Frame:
        """What is measured of each group, by the name of its column in the answer."""
        for name, term in columns.items():
            if not isinstance(term, Term):
                raise InvalidPlan(
                    f"agg({name}=…) is given a {type(term).__name__}, which measures nothing",
                    _HOW_TO_MEASURE,
                )
        if unnamed:
            raise InvalidPlan("agg is given something without a name", _HOW_TO_MEASURE)
        return _check_frame(replace(self, columns=(*self.columns, *columns.items())))

    def having(self, *conditions: Term) -> Frame:
        """Only the groups for whose released values all the conditions are true."""
        return _check_frame(replace(self, kept=(*self.kept, *map(term_of, conditions))))

    def qualify(self, *conditions: Term) -> Frame:
        """Only the groups for which all the conditions on what `over` says of them are true."""
        return _check_frame(replace(self, chosen=(*self.chosen, *map(term_of, conditions))))

    def order_by(self, *terms: Term | Sorted | str, **unknown: Never) -> Frame:
        """Sort the answer, smallest first; `col("n").descending()` sorts the other way."""
        for name in unknown:
            raise InvalidPlan(
                f"order_by has no {name}=…",
                'write order_by(col("n").descending()) for largest first',
            )
        order = [term if isinstance(term, Sorted) else Sorted(column_term(term)) for term in terms]
        return _check_frame(replace(self, order=(*self.order, *order)))

    def limit(self, rows: int, offset: int = 0) -> Frame:
        """At most so many rows of the answer, after the first `offset`."""
        return replace(self, most=count_of(rows, "limit"), skipped=count_of(offset, "offset"))

    def top(self, k: int, by: Term, *, smallest: bool = False) -> Frame:
        """Which k groups have the most of something, or the least: they are chosen privately, and no number is shown.

        It costs less than sorting all numbers, and the more groups there are, the less by comparison.
        """
        first = Sorted(term_of(by), descending=not smallest)
        return self.order_by(first).limit(k)

    def plan(self) -> Plan:
        """The plan of what has been written."""
        draft = _draft_of(self)
        for place, name in enumerate(draft.key_names):
            draft.show(name, KeyOf(place))
        for name, term in self.columns:
            with _about(term):
                draft.show(name, term.read(Scope(draft, SELECTED)))
        kept, chosen = (
            [_read_term(term, Scope(draft, KEPT)) for term in terms]
            for terms in (self.kept, self.chosen)
        )
        having, qualify = (
            reduce(partial(join_conditions, Both), each) if each else None
            for each in (kept, chosen)
        )
        without_windows(having)
        order = [
            Ordering(_read_term(by.term, Scope(draft, SORTED)), by.descending) for by in self.order
        ]
        return draft.plan(having, order, self.most, self.skipped, qualify)

    def sql(self) -> str:
        """The question as SQL, which reads as the same plan; one that has no such text is refused.

        >>> from tacit.plan import Column, Kind, col, mean
        >>> visits = Table("visits", (Column("age", Kind.INTEGER, low=0, high=120),))
        >>> Frame(visits).where(col("age") >= 65).agg(mean=mean("age")).sql()
        'SELECT AVG("age") AS "mean" FROM "visits" WHERE ("age" >= 65)'
        """
        from tacit.plan.sql.plan_to_sql import write_sql

        return write_sql(self.plan(), finding=self.finding)

    def ask(self, *args: Any, **kwargs: Any) -> Any:
        """The answer, from the vault that this frame was taken from."""
        if self.asker is None:
            raise InvalidPlan(
                "this frame does not belong to a vault", "start from a vault: vault.table(name)"
            )
        return self.asker(self.plan(), *args, **kwargs)

    def __str__(self) -> str:
        """The question in words; before anything is asked for, what it is about."""
        if not self.columns:
            return (
                f"A question about {self.table.name} without an aggregate yet: "
                ".agg(n=tacit.count())"
            )
        return in_words(self.plan())

    __repr__ = __str__


def _draft_of(frame: Frame) -> Draft:
    """The rows and the keys of a frame."""
    draft = Draft(frame.table, rows=frame.rows, finding=frame.finding)
    for condition in frame.conditions:
        with _about(condition):
            draft.where(condition.read(Scope(draft)))
    for name, key in frame.keys:
        with _about(key):
            draft.key(key.read(Scope(draft)), name)
    return draft


def _rows_of(frame: Frame) -> Draft:
    """The rows of a frame, of which nothing is grouped or measured yet."""
    if (
        frame.keys
        or frame.columns
        or frame.kept
        or frame.chosen
        or frame.order
        or frame.most is not None
    ):
        raise InvalidPlan(
            "rows cannot be combined after group_by or agg", "combine rows before group_by and agg"
        )
    return _draft_of(frame)


def _check_frame(frame: Frame) -> Frame:
    """The frame itself: a mistake is refused where it is written."""
    if frame.columns:
        frame.plan()
    else:
        _draft_of(frame)
    return frame


def _read_term(term: Term, scope: Scope) -> Expression:
    with _about(term):
        return term.read(scope)


@contextmanager
def _about(term: Term) -> Iterator[None]:
    """Refusals, said about the term that they come from."""
    try:
        yield
    except InvalidPlan as refusal:
        if refusal.text:
            raise
        raise refusal.locate(term.text, 0, len(term.text)) from None
    except RecursionError:
        raise InvalidPlan("this term is nested too deeply", "write a simpler one") from None
