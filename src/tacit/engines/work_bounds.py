"""How much an engine has to do for one unit, whatever its rows are: proved from the plan before it is paid for.

What one unit can make an engine do or hold is an answer if it is enough to be noticed: a question that fails, or takes
ten seconds, exactly if somebody is there.  So the rows that a unit becomes, the texts that are made of them and the
steps that are taken are bounded by numbers that everybody knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import ceil
from typing import assert_never

from tacit.engines.public_join_matches import Sharing, check_fan_out, partners_of
from tacit.errors import TooLarge
from tacit.frozen import frozen
from tacit.plan import (
    MOST_CHARACTERS,
    ROW_BYTES,
    Called,
    Cast,
    Column,
    Computed,
    Expression,
    Field,
    Inner,
    Joined,
    Kept,
    Kind,
    Like,
    Literal,
    Owner,
    Place,
    Placed,
    Question,
    Rows,
    Scan,
    Stacked,
    Table,
    Where,
    Windowed,
    columns_of,
    length_of,
    list_group_expressions,
    list_row_expressions,
    operands,
    owner_of,
    type_of,
    walk_expression,
    walk_rows,
)

__all__ = [
    "MOST_BYTES",
    "MOST_PAIRS",
    "Bounds",
    "Load",
    "bounds_of_question",
    "check_work",
    "may_leave_out",
]

MOST_BYTES = 1 << 24
"""So many bytes may the pairs of rows take that one unit has in a join; a unit that would have more is left out of it.

A row is counted as ROW_BYTES and the bytes of those of its texts that the question reads."""

MOST_PAIRS = MOST_BYTES // (2 * ROW_BYTES)
"""So many pairs they are at most."""

_FEW = 16  # copies of a row that nobody notices
_MOST_ROWS = 4 * MOST_PAIRS
_MOST_LIMITED = 16
_MOST_KEPT = 32
_MOST_MADE = 128
_MOST_STEPS = 10_000
_NOTHING = Fraction(0)
_TEXT_STEPS = 8  # for every ROW_BYTES of a text


@frozen
class Load:
    """How many rows a unit can have: `copies` of every row that it owns in the private tables, and `more` besides."""

    copies: int
    more: int = 0

    def __add__(self, other: Load) -> Load:
        return Load(self.copies + other.copies, self.more + other.more)

    def __mul__(self, times: int) -> Load:
        return Load(self.copies * times, self.more * times)

    @property
    def is_few(self) -> bool:
        """Whether the rows are few times those that the unit owns, and few besides."""
        return self.copies <= _FEW and self.more <= _FEW

    @property
    def times(self) -> int:
        """How many times the rows that a unit owns, or may have in a join, they are."""
        return self.copies - (-self.more // MOST_PAIRS)  # rounded up


class Bounds:
    """By what the rows of a question are bounded: from its plan and from public tables, whoever asks and is asked."""

    def __init__(self, rows: Rows, sharing: Sharing, read: frozenset[str] | None = None) -> None:
        self._sharing, self._read = sharing, read
        # of rows that live as long, so that no others have the id
        self._found: dict[int, tuple[Rows, Load, bool]] = {}
        self.load(rows)

    def reads(self, name: str) -> bool:
        """Whether a column of that name is looked at; what is not is NULL to the question, and takes no room."""
        return self._read is None or name in self._read

    def limits(self, rows: Joined) -> bool:
        """Whether units that would have too many pairs are left out of a join: where nothing proves that none does.

        Claim:      which units are left out depends on each unit's own rows and on public tables.
        Because:    whether any are follows from the plan and public tables; and which, from the pairs of each.
        Checked by: tests/laws/test_bounds.py::test_a_unit_becomes_no_more_rows_than_is_proved
        """
        return self._bound_rows(rows)[1]

    def load(self, rows: Rows) -> Load:
        """How many rows a unit can have.

        Claim:      a unit that owns at most n rows of each scan has at most `copies` times n, and `more`, here.
        Because:    a stack adds up; rows that are grouped by the unit alone are one; a join with rows of which a unit
                    has one for all values that it is on adds none; a public table has so many partners for a row; and
                    where they are not few, or nothing is known, units with more than MOST_PAIRS pairs are left out.
        Checked by: tests/laws/test_bounds.py::test_a_unit_becomes_no_more_rows_than_is_proved
        """
        return self._bound_rows(rows)[0]

    def partners(self, rows: Joined) -> int:
        """How many public rows a row meets in a join with them."""
        return partners_of(rows.right, rows.on, self._sharing)

    def _bound_rows(self, rows: Rows) -> tuple[Load, bool]:
        known = self._found.get(id(rows))
        if known is None or known[0] is not rows:
            known = rows, *self._infer_load(rows)
            self._found[id(rows)] = known
        return known[1], known[2]

    def _infer_load(self, rows: Rows) -> tuple[Load, bool]:
        match rows:
            case Scan():
                return Load(1), False
            case Where(inner, _) | Computed(inner, _) | Windowed(inner, _) | Kept(inner, _, _):
                return self.load(inner), False
            case Inner(inner, keys, _):
                return self.load(inner) if keys else Load(0, 1), False
            case Stacked(parts):
                return sum((self.load(part) for part in parts), Load(0)), False
            case Joined():
                return self._load_of_join(rows)
            case _:
                assert_never(rows)

    def _load_of_join(self, rows: Joined) -> tuple[Load, bool]:
        left = self.load(rows.left)
        unmatched = left if rows.outer else Load(0)
        limited = Load(0, MOST_PAIRS) + unmatched, True
        if owner_of(rows.right) is Owner.NOBODY:
            found = left * self.partners(rows)
            free = found == left or found.is_few or owner_of(rows.left) is not Owner.UNIT
            return (found, False) if free else limited
        right, on = self.load(rows.right), [pair for pair in rows.on if _are_of_one_kind(*pair)]
        if _has_one(rows.right, [two for _, two in on]):
            return left, False
        if _has_one(rows.left, [one for one, _ in on]):
            return right + unmatched, False
        pairs = Load(0, left.more * right.more)
        both_known = not left.copies and not right.copies
        return (pairs + unmatched, False) if both_known and pairs.is_few else limited


def bounds_of_question(question: Question, sharing: Sharing) -> Bounds:
    """The bounds of a question, with the names of all columns that it reads."""
    nodes, groups = walk_rows(question.rows), list_group_expressions(question)
    return Bounds(question.rows, sharing, _names_read(nodes, groups))


def _names_read(nodes: Sequence[Rows], groups: Sequence[Expression]) -> frozenset[str]:
    """The names of the columns that something is made of; a column that is only passed on under another is not read.

    Claim:      what is not read changes no answer.
    Because:    every expression is, but those that give a column whose name nobody reads; and an order that is
                completed by all columns of its rows reads all of them.
    Checked by: tests/laws/test_bounds.py::test_columns_that_nobody_reads_take_no_room_in_either_engine
    """
    passed = [each for rows in nodes if isinstance(rows, Computed) for each in rows.columns]
    read = {column.name for rows in nodes if _is_in_full_order(rows) for column in columns_of(rows)}
    for rows in nodes:
        if not isinstance(rows, Computed):
            read |= _fields(list_row_expressions(rows))
    read |= _fields(groups)
    while more := [each for each in passed if each.name in read]:
        passed = [each for each in passed if each.name not in read]
        read |= _fields(each.value for each in more)
    return frozenset(read)


def _fields(expressions: Iterable[Expression]) -> set[str]:
    """The names of the columns in some expressions."""
    return {part.column.name for part in walk_expression(*expressions) if isinstance(part, Field)}


def may_leave_out(rows: Rows) -> bool:
    """Whether a unit with very many rows could be left out of a join, by what is declared of public tables."""

    def declared(table: Table, column: Column | None) -> int:
        return 1 if column is not None and column.name in table.unique else table.rows

    bounds = Bounds(rows, declared)
    return any(isinstance(part, Joined) and bounds.limits(part) for part in walk_rows(rows))


def _is_in_full_order(rows: Rows) -> bool:
    """Whether there is an order in rows that is completed by all their columns."""
    windows = rows.columns if isinstance(rows, Windowed) else ()
    return any(
        isinstance(each, Placed) and each.place not in {Place.RANK, Place.DENSE} for each in windows
    )


def _are_of_one_kind(one: Expression, two: Expression) -> bool:
    """Whether values are compared as they are: of integers that become doubles, several may be equal to one."""
    return type_of(one).kind is type_of(two).kind


def _has_one(rows: Rows, on: list[Expression]) -> bool:
    """Whether a unit has at most one row with the same values of some expressions."""
    names = {part.column.name for part in on if isinstance(part, Field)}
    match rows:
        case Inner(_, keys, _):
            return {key.name for key in keys} <= names
        case Where(inner, _) | Windowed(inner, _) | Kept(inner, _, _):
            return _has_one(inner, on)
        case Computed(inner, columns):
            return _has_one(inner, [each.value for each in columns if each.name in names])
        case Scan() | Stacked() | Joined():
            return False
        case _:
            assert_never(rows)


# ---------------------------------------------------------------- all of it


def check_work(question: Question, sharing: Sharing) -> Bounds:
    """The bounds of a question; refuse one for which a unit could make an engine do or hold so much that it is seen.

    Claim:      for every unit, what is held and done is at most a public number times the rows that it owns, plus a
                public number; no text is longer than MOST_CHARACTERS.
    Because:    the rows of every step are bounded by `Bounds.load`, texts by `length_of`, and the steps of a row are
                counted; all of it from the plan and public tables.
    Checked by: tests/attacks/test_work.py, tests/laws/test_bounds.py
    """
    check_fan_out(question.rows, sharing)
    all_nodes, groups = walk_rows(question.rows), list_group_expressions(question)
    bounds = Bounds(question.rows, sharing, _names_read(all_nodes, groups))
    work = [_Work(bounds.load(question.rows).times, groups)]
    nodes = []
    for rows in all_nodes:
        is_public = owner_of(rows) is Owner.NOBODY
        nodes += [] if is_public else [rows]
        # public rows are no unit's, but their texts are bounded as well
        times = 0 if is_public else bounds.load(rows).times
        work.append(_Work(times, list_row_expressions(rows)))
    _check_lengths(work)
    _check_rows(nodes, bounds)
    _check_texts(work)
    steps = sum(each.times * (1 + each.steps) for each in work)
    if steps > _MOST_STEPS:
        raise TooLarge(
            f"the question takes {steps:,} computation steps per row, and at most "
            f"{_MOST_STEPS:,} are allowed; compute less, or ask two questions"
        )
    return bounds


class _Work:
    """What is computed `times` for every row of a unit: whole expressions, and the parts of each."""

    def __init__(self, times: int, expressions: Iterable[Expression]) -> None:
        self.times = times
        self.expressions = list(expressions)
        # neither a constant nor a column is calculated
        self.parts = [
            part
            for part in walk_expression(*self.expressions)
            if type(part) is not Literal and type(part) is not Field
        ]
        self.calculations = [part for part in self.parts if isinstance(part, Called | Cast)]
        """The parts that may make a text."""

    @property
    def steps(self) -> int:
        """The calculations of a row."""
        return sum(map(_steps, self.parts))


def _check_texts(work: list[_Work]) -> None:
    """Refuse too many texts: those that are kept, of all copies of a row, and those that are made on the way."""
    kept, made = _NOTHING, _NOTHING
    for each in [each for each in work if each.times]:
        for whole in each.expressions:
            weight = _text_weight(whole)
            kept += each.times * weight if weight else 0
        # a text that is read as something else is copied first
        for part in each.calculations:
            made += _text_weight(part.operand if isinstance(part, Cast) else part)
    for weight, most in ((kept, _MOST_KEPT), (made, _MOST_MADE)):
        if weight > most:
            raise TooLarge(
                f"the texts computed from one row could be {ceil(weight):,} times as long as "
                f"the row, and at most {most} times are allowed; compute fewer texts, or "
                "shorten them first: SUBSTR(x, 1, 10)"
            )


def _check_lengths(work: list[_Work]) -> None:
    for part in [part for each in work for part in each.calculations]:
        if length_of(part).characters > MOST_CHARACTERS:
            raise TooLarge(
                f"this text could have {length_of(part).characters:,} characters, and at "
                f"most {MOST_CHARACTERS:,} are allowed; shorten it first: SUBSTR(x, 1, 100)"
            )


def _check_rows(nodes: list[Rows], bounds: Bounds) -> None:
    most = max((bounds.load(rows).more for rows in nodes), default=0)
    if most > _MOST_ROWS:
        raise TooLarge(
            f"one unit could have {most:,} rows here, by joins and UNION ALL, and at most "
            f"{_MOST_ROWS:,} are allowed; use UNION ALL before joining, or group by the unit "
            "first"
        )
    limited = sum(isinstance(rows, Joined) and bounds.limits(rows) for rows in nodes)
    if limited > _MOST_LIMITED:
        raise TooLarge(
            f"the question has {limited} joins in which a unit may have many rows on both "
            f"sides, and at most {_MOST_LIMITED} are allowed; group one side by the unit and "
            "the join columns first"
        )


def _text_weight(expression: Expression) -> Fraction:
    """How many times as long as its row the text is that an expression gives."""
    return length_of(expression).weight if type_of(expression).kind is Kind.TEXT else _NOTHING


def _steps(part: Expression) -> int:
    """How many steps one calculation takes; one that goes through texts takes as many more as they are long.

    A pattern of LIKE goes through its text once: its length counts beside that.
    """
    texts = [_text_weight(each) for each in operands(part)]
    pattern = len(part.pattern) if isinstance(part, Like) else 0
    return 1 + pattern + (ceil(_TEXT_STEPS * sum(texts, Fraction(0))) if any(texts) else 0)
