"""What an answer leaves out or holds back, in plain words: from the policy and the plan alone, never from rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction
from math import isqrt, prod
from typing import Any

from tacit.curator.answer.group_windows import parts_shown
from tacit.curator.pricing.noise_of_measures import Terms
from tacit.engines import MOST_PAIRS, may_leave_out
from tacit.frozen import frozen
from tacit.plan import (
    OTHER,
    Across,
    Both,
    Case,
    Compared,
    Computed,
    Counted,
    Distinct,
    Expression,
    Field,
    Folded,
    Folding,
    Inner,
    IsNull,
    Joined,
    Kept,
    Key,
    Kind,
    Like,
    Literal,
    Look,
    Not,
    OneOf,
    Owner,
    Placed,
    Plan,
    Question,
    Rows,
    Scan,
    Stacked,
    Table,
    Units,
    View,
    Weighing,
    Where,
    Window,
    Windowed,
    find_reference,
    groups_of,
    list_folds,
    list_group_expressions,
    list_row_expressions,
    operands,
    outcomes,
    owner_of,
    phrase,
    tables_of,
    type_of,
    walk_expression,
    walk_rows,
)

__all__ = ["LeftOut", "add_measured", "list_empty_groups", "list_left_out"]


@frozen
class LeftOut:
    """One reason why an answer is not about every row as it is.

    `kind` is one of "unit", "null", "unread", "join", "pairs", "key", "empty", "keys", "contributions", "bounds" and
    "constant"; `about` names the table, the column or the expression; `sentence` says it.
    """

    kind: str
    about: str
    sentence: str

    def __str__(self) -> str:
        return self.sentence


def list_left_out(
    plan: Plan, terms: Terms, entity: str, text_tables: frozenset[str] = frozenset()
) -> tuple[LeftOut, ...]:
    """What the answer to a plan leaves out or holds back, only what can apply to it, each once.

    `text_tables` are the names of tables whose cells are written as text.

    Claim:      nothing here depends on a row.
    Because:    the plan, its terms and names that the policy declares are all that is passed in.
    Checked by: tests/unit/curator/answer/test_left_out_captions.py and tests/laws/test_left_out.py
    """
    question, tables = plan.question, tables_of(plan.question.rows)
    nodes = walk_rows(question.rows)
    inside, folds = _list_read(question, nodes)
    parts = walk_expression(*inside, *list_group_expressions(question))
    joined = any(isinstance(each, Joined | Stacked) for each in nodes)
    found = [
        *_tell_missing_units(tables, entity),
        *_tell_missing_cells(tables),
        *_tell_unread_cells(parts, tables, text_tables),
        *(_tell_unjoined_rows(question.rows, entity) if joined else ()),
        *(_tell_many_pairs(question.rows, entity) if joined else ()),
        *_tell_missing_groups(plan),
        *_tell_many_rows(question, terms, entity),
        *_tell_many_keys(terms, entity),
        *_tell_bounds(question, inside, tables),
        *_tell_folds(folds, entity),
        *_tell_constants(parts),
    ]
    return tuple(dict.fromkeys(found))


def _list_read(question: Question, nodes: Sequence[Rows]) -> tuple[list[Expression], list[Folded]]:
    """The expressions over rows, and what rows are folded into, that anything further out reads; others are not asked.

    A join or a subquery hands on all of its columns, whether they are used or not.
    """
    inside: list[Expression] = []
    named: set[str] = set()

    def read(expressions: Iterable[Expression]) -> None:
        for each in expressions:
            inside.append(each)
            named.update(
                part.column.name for part in walk_expression(each) if isinstance(part, Field)
            )

    read(list_group_expressions(question))
    outside = len(inside)
    for rows in nodes:  # from the outside to the inside
        read(list_row_expressions(_without_unread(rows, named)))
    return inside[outside:], [fold for fold in list_folds(nodes) if fold.column.name in named]


def _without_unread(rows: Rows, named: Collection[str]) -> Rows:
    """A node without those of its new columns that nothing further out names."""
    match rows:
        case Computed(_, columns):
            return replace(rows, columns=tuple(each for each in columns if each.name in named))
        case Inner(_, _, folds):
            return replace(rows, folds=tuple(each for each in folds if each.column.name in named))
        case Windowed(_, windows):
            return replace(
                rows, columns=tuple(each for each in windows if _window_name(each) in named)
            )
        case _:
            return rows


def _window_name(window: Window) -> str:
    return (window if isinstance(window, Placed) else window.folded).column.name


def add_measured(left_out: Sequence[LeftOut], measured: Mapping[str, str]) -> tuple[LeftOut, ...]:
    """The same, with what was measured of a table's units or a column's values, by their names."""
    return tuple(
        replace(each, sentence=f"{each.sentence} (measured: {measured[each.about]})")
        if each.kind in {"contributions", "bounds"} and each.about in measured
        else each
        for each in left_out
    )


# ---------------------------------------------------------------- rows


def _tell_missing_units(tables: Sequence[Table], entity: str) -> Iterator[LeftOut]:
    for table in tables:
        if not table.public and table.unit is not None and _may_be_null(table):
            yield LeftOut("unit", entity, f"rows with no {entity} are left out")


def _may_be_null(table: Table) -> bool:
    return all(column.nullable for column in table.columns if column.name == table.unit)


def _tell_missing_cells(tables: Sequence[Table]) -> Iterator[LeftOut]:
    """Columns that are declared never to be NULL: a row in which one is, is left out at the scan."""
    for table in tables:
        for column in table.columns:
            if not column.nullable and column.name != table.unit:
                yield LeftOut(
                    "null", column.name, f"rows in which {column.name} is NULL are left out"
                )


def _tell_unread_cells(
    parts: Sequence[Expression], tables: Sequence[Table], text_tables: frozenset[str]
) -> Iterator[LeftOut]:
    """Columns of text files that are no texts: a cell that is not written as one of its type is NULL."""
    for table in tables:
        if table.name in text_tables:
            used = {part.column for part in parts if isinstance(part, Field)}
            typed = [c.name for c in table.columns if c in used and c.kind is not Kind.TEXT]
            if typed:
                names = f"{', '.join(typed[:-1])} or {typed[-1]}" if len(typed) > 1 else typed[0]
                yield LeftOut(
                    "unread",
                    table.name,
                    f"a cell of {names} that cannot be read as its declared type counts as NULL",
                )


def _tell_unjoined_rows(rows: Rows, entity: str) -> Iterator[LeftOut]:
    for part in walk_rows(rows):
        if isinstance(part, Joined) and owner_of(part.right) is Owner.UNIT:
            yield from _tell_other_units(part, entity)
        if isinstance(part, Joined) and not part.outer:
            left, right = (_table_names_once(side) for side in (part.left, part.right))
            if left == right:
                yield LeftOut(
                    "join",
                    left,
                    f"rows of {left} without a match on the other side of the join are left out",
                )
            elif owner_of(part.right) is Owner.NOBODY:
                yield LeftOut(
                    "join", left, f"rows of {left} without a matching row in {right} are left out"
                )
            else:
                yield LeftOut(
                    "join",
                    left,
                    f"rows of {left} and {right} without a match in the other table are left out",
                )


def _tell_other_units(joined: Joined, entity: str) -> Iterator[LeftOut]:
    """That a foreign key which leads to a row of another unit matches nothing: its unit is declared, and enforced."""
    found = find_reference(joined)
    if found is not None and not found.is_path:
        by = f"{found.table.name}.{found.column}"
        yield LeftOut(
            "join",
            by,
            f"rows are matched by {by} only if they belong to the same {entity}; other matches are left out",
        )


def _tell_many_pairs(rows: Rows, entity: str) -> Iterator[LeftOut]:
    if may_leave_out(rows):
        few = "fewer if its texts are long"
        yield LeftOut(
            "pairs",
            entity,
            f"a {entity} with more than {MOST_PAIRS:,} pairs of rows in a join ({few}) is left out",
        )


def _table_names_once(rows: Rows) -> str:
    return ", ".join(dict.fromkeys(table.name for table in tables_of(rows)))


def _table_names(rows: Rows) -> str:
    return ", ".join(table.name for table in tables_of(rows))


# ---------------------------------------------------------------- keys


def _tell_missing_groups(plan: Plan) -> Iterator[LeftOut]:
    question, view = plan.question, plan.view
    shown = parts_shown(view)
    seen = shown if view.having is None else [*shown, *walk_expression(view.having)]
    across = Across in map(type, seen)
    conditions = list(_conditions(question.rows))
    for key in question.keys:
        why = _reason_without_group(key, conditions)
        if why:
            about = phrase(_key_label(key))
            totals = ", and of totals over groups" if across else ""
            yield LeftOut(
                "key", about, f"rows whose {about} is {why} are left out of every group{totals}"
            )
    yield from list_empty_groups(view, [question])


def list_empty_groups(view: View, questions: Sequence[Question]) -> Iterator[LeftOut]:
    """That what is computed over groups counts those of declared keys that no row has."""
    looks = {part.look for part in parts_shown(view) if isinstance(part, Across)}
    declared = [key for each in questions if not each.unknown for key in each.keys]
    if declared and looks & _OF_EVERY_GROUP and view.having is None:
        names = dict.fromkeys(phrase(_key_label(key)) for key in declared)
        yield LeftOut(
            "empty",
            ", ".join(names),
            "empty groups are included in what is computed over groups; HAVING COUNT(*) > 0 in the "
            "query that groups removes those whose noisy count is 0",
        )


_OF_EVERY_GROUP = {Look.COUNT, Look.MEAN, Look.MIDDLE, Look.LEAST}
"""What a group without rows changes, whose counts and sums are 0."""


def _reason_without_group(key: Key, conditions: Sequence[Expression]) -> str:
    """Why a row may belong to no group: as a key's value is NULL, not declared, or either."""
    value = key.value
    if _has_other(value):
        return ""
    columns = [part.column for part in walk_expression(value) if isinstance(part, Field)]
    undeclared = (
        key.values is not None
        and type_of(value).kind.value != "boolean"
        and any(c.values for c in columns)
    )
    null = (
        type_of(value).nullable
        and not key.null
        and not any(_is_strict(part, value) for part in conditions)
    )
    if any(isinstance(part, OneOf | Compared) and _is_equality(part, value) for part in conditions):
        undeclared = False  # WHERE leaves them out itself, as was asked
    return " or ".join(
        word for word, may_be in (("NULL", null), ("not declared", undeclared)) if may_be
    )


def _has_other(value: Expression) -> bool:
    return isinstance(value, Case) and value.otherwise == Literal(OTHER, type_of(value).kind)


def _key_label(key: Key) -> Expression:
    """What people call a key: of one with a group of others, its column."""
    if _has_other(key.value):
        return next(part for part in walk_expression(key.value) if isinstance(part, Field))
    return key.value


def _is_strict(condition: Expression, value: Expression) -> bool:
    """Whether a condition is true of no row in which a value is NULL."""
    match condition:
        case Not(IsNull(operand)) | OneOf(operand, _) | Like(operand, _) | Not(OneOf(operand, _)):
            return operand == value
        case Compared(_, left, right):
            return value in (left, right)
        case _:
            return False


def _is_equality(condition: Expression, value: Expression) -> bool:
    match condition:
        case OneOf(operand, _):
            return operand == value
        case Compared("=", left, right):
            return value in (left, right)
        case _:
            return False


def _conditions(rows: Rows) -> Iterator[Expression]:
    """The conditions that the rows meet last, each of several that are joined by AND."""
    while isinstance(rows, Where):
        left = [rows.condition]
        while left:
            part = left.pop()
            if isinstance(part, Both):
                left += [part.left, part.right]
            else:
                yield part
        rows = rows.rows


def _tell_many_keys(terms: Terms, entity: str) -> Iterator[LeftOut]:
    if terms.finder is None:
        return
    if owner_of(terms.question.rows) is Owner.UNIT:
        most, about = (
            terms.finder.keeping.most,
            ", ".join(phrase(key.value) for key in terms.question.unknown),
        )
        few = f"a {entity} in more than {_plural(most, 'group')} by {about}"
        yield LeftOut(
            "keys", entity, f"{few} counts in {'one' if most == 1 else f'{most:,}'} of them"
        )
    letters = terms.finder.most_letters
    if letters is not None:
        yield LeftOut(
            "keys",
            entity,
            f"keys of more than {letters} letters or digits are not shown; other characters count for more",
        )


# ---------------------------------------------------------------- contributions


def _tell_many_rows(question: Question, terms: Terms, entity: str) -> Iterator[LeftOut]:
    """That a unit with many rows counts for less than all of them."""
    if owner_of(question.rows) is not Owner.UNIT or _has_one_row(question.rows):
        return
    weights, groups, about = terms.weights, groups_of(question), _table_names(question.rows)
    bound = weights.bound
    rows = f"a {entity} with more than {_plural(bound, 'row')}"
    for measure in question.measures:
        match measure:
            case Units():
                most = (
                    weights.units_squared
                    if weights.norm is Weighing.L2
                    else isqrt(weights.units_squared)
                )
                if most < _most_groups(question, terms):
                    sentence = (
                        f"a {entity} in more than {_plural(most, 'group')} counts for less in each"
                    )
                    yield LeftOut("contributions", entity, sentence)
            case Distinct():
                many = _plural(bound, "distinct value")
                yield LeftOut(
                    "contributions",
                    entity,
                    f"a {entity} with more than {many} counts with {bound:,} of them",
                )
            case _ if groups == 1 or weights.norm is Weighing.L1:
                yield LeftOut("contributions", about, f"{rows} counts as {bound:,}")
            case _:
                yield LeftOut("contributions", about, f"{rows} may be scaled down")


def _most_groups(question: Question, terms: Terms) -> int:
    """In how many groups one unit can be: where keys are found, in those that it keeps."""
    kept = 1 if terms.finder is None else terms.finder.keeping.most
    known = prod(len(key.public_values) for key in question.public)
    return min(groups_of(question), kept * known) if question.unknown else known


def _has_one_row(rows: Rows) -> bool:
    """Whether no unit can have more than one row."""
    match rows:
        case Where(inner, _) | Computed(inner, _) | Windowed(inner, _) | Kept(inner, _, _):
            return _has_one_row(inner)
        case Inner(_, keys, _):
            return not keys
        case Joined(left, right, _, _):
            return _has_one_row(left) and owner_of(right) is Owner.UNIT and _has_one_row(right)
        case Scan() | Stacked():
            return False


def _plural(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


# ---------------------------------------------------------------- bounds


def _tell_bounds(
    question: Question, inside: Sequence[Expression], tables: Sequence[Table]
) -> Iterator[LeftOut]:
    """The columns whose values are moved onto declared bounds, of those whose values count."""
    counted = [measure for measure in question.measures if isinstance(measure, Counted | Units)]
    others = tuple(measure for measure in question.measures if measure not in counted)
    roots = [*inside, *list_group_expressions(Question(question.rows, question.keys, others))]
    read = [part.column for root in roots for part in _read_fields(root)]
    roots = [measure.value for measure in counted if measure.value is not None]
    read += [part.column for root in roots for part in _read_fields(root, counted=True)]
    for table in tables:
        for column in table.columns:
            if (
                not table.public
                and column in read
                and (column.low is not None or column.high is not None)
            ):
                yield LeftOut(
                    "bounds",
                    f"{table.name}.{column.name}",
                    f"{column.name} is clipped {_format_ends(column.low, column.high)}",
                )


def _read_fields(root: Expression, *, counted: bool = False) -> Iterator[Field]:
    """The columns whose values matter to an expression, and not only whether they are NULL."""
    left: list[tuple[Expression, bool]] = [(root, counted)]
    while left:
        part, only_null = left.pop()
        if isinstance(part, Field):
            if not only_null:
                yield part
        elif isinstance(part, IsNull):
            left.append((part.operand, True))
        else:
            left += [(inside, False) for inside in operands(part)]


def _format_ends(low: Any, high: Any) -> str:
    if low is None:
        return f"to at most {_format_value(high)}"
    return (
        f"to at least {_format_value(low)}"
        if high is None
        else f"to the range {_format_value(low)} to {_format_value(high)}"
    )


def _tell_folds(folds: Sequence[Folded], entity: str) -> Iterator[LeftOut]:
    """That what the rows of a unit add up to is held."""
    for fold in folds:
        if fold.fold in {Folding.COUNT, Folding.DISTINCT, Folding.SUM}:
            ends = _format_ends(fold.column.low, fold.column.high)
            yield LeftOut(
                "bounds", fold.column.name, f"{_fold_text(fold)} of one {entity} is clipped {ends}"
            )


def _fold_text(fold: Folded) -> str:
    inside = "*" if fold.value is None else phrase(fold.value)
    return (
        f"COUNT(DISTINCT {inside})"
        if fold.fold is Folding.DISTINCT
        else f"{fold.fold.value}({inside})"
    )


_FIVE_DIGITS = 10_000


def _format_value(value: Any) -> str:
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Fraction) and value.denominator != 1:
        return f"{float(value):,.6g}"
    whole = int(value)
    # a range of years has no thousands separators
    return f"{whole:,}" if abs(whole) >= _FIVE_DIGITS else str(whole)


# ---------------------------------------------------------------- constants


def _tell_constants(parts: Sequence[Expression]) -> Iterator[LeftOut]:
    """The comparisons with constants that are decided by declared bounds, whatever the rows are."""
    for part in parts:
        if isinstance(part, Compared | OneOf) and _is_worth_saying(part):
            (truth,) = outcomes(part)
            null = ", or NULL" if type_of(part).nullable else ""
            yield LeftOut(
                "constant",
                phrase(part),
                f"{phrase(part)} is {str(truth).lower()} in every row{null}",
            )


def _is_worth_saying(part: Compared | OneOf) -> bool:
    """Whether a comparison is always false, or true as its constant lies beyond the bounds: x >= low says nothing."""
    sides = [part.operand] if isinstance(part, OneOf) else [part.left, part.right]
    if not any(isinstance(inside, Field) for side in sides for inside in walk_expression(side)):
        return False
    known = outcomes(part)
    if known != {True} or isinstance(part, OneOf):
        return known == {False}
    left, right = (type_of(side).range for side in sides)
    if left is None or right is None:
        return False
    return left.high < right.low or right.high < left.low
