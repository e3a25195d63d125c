"""How long a text can be that is read or made: proved from the plan, for every row, before one is looked at."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from operator import add, or_
from typing import assert_never

from tacit.frozen import frozen
from tacit.plan.model import expressions as e
from tacit.plan.model.function_names import Function
from tacit.plan.model.schema import Kind
from tacit.plan.semantics.function_meanings import LONGEST
from tacit.plan.semantics.infer_expression_types import type_of
from tacit.plan.semantics.value_kinds import MOST_CHARACTERS

__all__ = ["ROW_BYTES", "Length", "length_of"]

ROW_BYTES = 64
"""What a row is counted as that holds no text."""

_BYTES = 4  # of a character in UTF-8, at most
# a letter of two bytes may have an upper or a lower one of three, and none grows more
_CASE = Fraction(3, 2)
_INTEGER = 20  # the characters of the least integer
_NAME = 9  # those of September, the longest that a format writes for a sign


@frozen
class Length:
    """How long a text can be: in characters; and in bytes, which are at most `fixed` and `share` times those of all
    texts that the row holds."""

    characters: int
    fixed: Fraction = Fraction(0)
    share: Fraction = Fraction(0)

    def shorten(self, characters: int) -> Length:
        """The length of a part of so many characters at most."""
        least = min(self.characters, characters)
        alone = Length(least, Fraction(least * _BYTES))
        return alone if alone.weight < self.weight else Length(least, self.fixed, self.share)

    @property
    def weight(self) -> Fraction:
        """How many times as long as a row the text can be, where a row takes ROW_BYTES and the bytes of its texts."""
        return self.fixed / ROW_BYTES + self.share

    def __or__(self, other: Length) -> Length:
        """The length of one of two texts."""
        characters = max(self.characters, other.characters)
        return Length(characters, max(self.fixed, other.fixed), max(self.share, other.share))

    def __add__(self, other: Length) -> Length:
        """The length of both, one after the other."""
        return Length(
            self.characters + other.characters, self.fixed + other.fixed, self.share + other.share
        )

    def __mul__(self, times: Fraction) -> Length:
        """The length of a text each byte of which becomes so many, and no character more than one."""
        return Length(self.characters, self.fixed * times, self.share * times)


_NONE = Length(0)

# The lengths that were asked for of late, as types are kept: an expression that is kept here lives, and keeps its id.
_KNOWN: dict[int, tuple[e.Expression, Length]] = {}
_MOST_KNOWN = 4_000


def length_of(expression: e.Expression) -> Length:
    """How long the text can be that an expression over rows is; of another kind than text, nothing.

    Claim:      in no row is the text longer, in characters or in bytes.
    Because:    a cell is cut at MOST_CHARACTERS when it is read; case changes letter by letter; what is joined or
                replaced in is cut at LONGEST characters first, and what is replaced stands in a text at most as often
                as it fits; all else is a part of its operand, one of several, or of a fixed form.
    Checked by: tests/laws/test_bounds.py::test_no_text_is_longer_than_its_bound

    >>> from tacit.plan import Column
    >>> name = e.Field(Column("name", Kind.TEXT))
    >>> length_of(e.Called(Function.REPLACE, (name, e.Literal("a", Kind.TEXT), e.Literal("bcd", Kind.TEXT)))).characters
    3000
    """
    known = _KNOWN.get(id(expression))
    if known is None or known[0] is not expression:
        known = expression, _infer_length(expression)
        if len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.clear()
        _KNOWN[id(expression)] = known
    return known[1]


def _infer_length(expression: e.Expression) -> Length:
    match expression:
        case e.Literal(value, _):
            text = value if isinstance(value, str) else ""
            return Length(len(text), Fraction(len(text.encode())))
        case e.Field(column) | e.SubqueryValue(_, column, _):
            return Length(MOST_CHARACTERS, share=Fraction(1)) if column.kind is Kind.TEXT else _NONE
        case e.Case(branches, otherwise):
            return reduce(or_, (length_of(then) for _, then in branches), length_of(otherwise))
        case e.Cast(operand, kind):
            return _text(operand) if kind is Kind.TEXT else _NONE
        case e.Called():
            return _length_of_call(expression) if type_of(expression).kind is Kind.TEXT else _NONE
        case (
            e.Arithmetic()
            | e.Negated()
            | e.Compared()
            | e.Both()
            | e.Either()
            | e.Not()
            | e.IsNull()
            | e.OneOf()
            | e.Like()
            | e.KeyOf()
            | e.MeasureOf()
            | e.MeanOf()
            | e.MomentOf()
            | e.Across()
        ):
            return _NONE
        case _:
            assert_never(expression)


def _text(expression: e.Expression) -> Length:
    """The length of an expression that becomes a text: an integer is written in digits."""
    if type_of(expression).kind is Kind.INTEGER:
        return Length(_INTEGER, Fraction(_INTEGER))
    return length_of(expression)


def _length_of_call(expression: e.Called) -> Length:
    first, *rest = expression.operands
    match expression.function:
        case Function.LOWER | Function.UPPER:
            return length_of(first) * _CASE
        case Function.SUBSTR if len(rest) > 1:
            return length_of(first).shorten(_whole(rest[1]))
        case Function.RIGHT:
            return length_of(first).shorten(_whole(rest[0]))
        case Function.REPLACE:
            return _length_of_replace(
                length_of(first).shorten(LONGEST), _constant(rest[0]), _constant(rest[1])
            )
        case Function.LPAD | Function.RPAD:
            most = _whole(rest[0])
            fill = Length(most, Fraction(most * len(_constant(rest[1]).encode())))
            return length_of(first).shorten(most) + fill
        case Function.CONCAT | Function.JOINED:
            return reduce(add, (_text(part).shorten(LONGEST) for part in expression.operands))
        case Function.STRFTIME:
            most = _NAME * len(_constant(rest[0]))
            return Length(most, Fraction(most))
        case Function.COALESCE | Function.LEAST | Function.GREATEST:
            return reduce(or_, map(length_of, expression.operands))
        case _:
            # TRIM and its like, the rest of a text from a place on, NULLIF: the first operand or a part of it
            return length_of(first)


def _length_of_replace(text: Length, old: str, new: str) -> Length:
    """The length of a text in which one constant takes the place of another wherever that stands."""
    more = max(0, len(new) - len(old))
    times = Fraction(len(new.encode()), len(old.encode()))
    grown = text * max(Fraction(1), times)
    return Length(text.characters + text.characters // len(old) * more, grown.fixed, grown.share)


def _constant(part: e.Expression) -> str:
    assert isinstance(part, e.Literal), "a constant"
    return str(part.value)


def _whole(part: e.Expression) -> int:
    assert isinstance(part, e.Literal), "a constant"
    assert isinstance(part.value, int), "a whole number"
    return part.value
