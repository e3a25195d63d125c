"""Terms: expressions written in Python before it is known which table they are about.

Checked by: tests/unit/plan/frame/test_frame.py
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from tacit.errors import InvalidInput, InvalidPlan
from tacit.frozen import frozen
from tacit.plan.model import expressions as e
from tacit.plan.model.function_names import Function
from tacit.plan.model.schema import Kind
from tacit.plan.questions.build_expressions import Forms, literal
from tacit.plan.questions.draft import Draft, Name, Named
from tacit.plan.questions.time_zones import local_time

__all__ = [
    "Scope",
    "Sorted",
    "Term",
    "coalesce",
    "col",
    "column_term",
    "concat",
    "date_diff",
    "greatest",
    "least",
    "term_of",
]


@frozen
class Scope:
    """Where a term is read: over the rows of a draft or, if names can mean more, over what will be released of it."""

    draft: Draft
    among: Sequence[Named] = ()

    @property
    def forms(self) -> Forms:
        """How expressions are written here."""
        return self.draft.released_forms if self.among else Forms()

    def resolve_name(self, name: str) -> e.Expression:
        """What a name means here."""
        meant = Name(name, exact=True)
        return (
            self.draft.released_name(meant, self.among)
            if self.among
            else e.Field(self.draft.column(meant))
        )

    @property
    def rows(self) -> Scope:
        """The rows that an aggregate is about."""
        if not self.among:
            remedy = "put conditions on aggregates into .having(...); aggregates cannot be nested"
            raise InvalidPlan("an aggregate is not allowed here", remedy)
        return Scope(self.draft)


@frozen(eq=False)
class Term:
    """An expression that is written before it is known of which table: `col("age") >= 65`.

    >>> (col("age") >= 65) & ~col("ward").is_in(["A", "B"])
    (col('age') >= 65) & (~col('ward').is_in(['A', 'B']))
    """

    text: str
    read: Callable[[Scope], e.Expression]
    atom: bool = True

    def __repr__(self) -> str:
        return self.text

    def __bool__(self) -> NoReturn:
        remedy = "write & for and, | for or, ~ for not, and x.between(a, b) for a <= x <= b"
        raise InvalidPlan(
            "a condition has no truth value in Python",
            remedy,
            text=self.text,
            end=len(self.text),
        )

    if not TYPE_CHECKING:  # else a mistyped name of ours would go unnoticed

        def __getattr__(self, name: str) -> Any:
            """Refuse an unknown attribute, and say what it is called here if other libraries have it."""
            from tacit.plan.frame.names_elsewhere import OF_TERMS

            meant = f": here it is {OF_TERMS[name]}" if name in OF_TERMS else ""
            raise AttributeError(f"an expression has no {name!r}{meant}")

    def __add__(self, other: object) -> Term:
        return _arithmetic("+", self, other)

    def __radd__(self, other: object) -> Term:
        return _arithmetic("+", other, self)

    def __sub__(self, other: object) -> Term:
        return _arithmetic("-", self, other)

    def __rsub__(self, other: object) -> Term:
        return _arithmetic("-", other, self)

    def __mul__(self, other: object) -> Term:
        return _arithmetic("*", self, other)

    def __rmul__(self, other: object) -> Term:
        return _arithmetic("*", other, self)

    def __truediv__(self, other: object) -> Term:
        return _arithmetic("/", self, other)

    def __rtruediv__(self, other: object) -> Term:
        return _arithmetic("/", other, self)

    def __mod__(self, other: object) -> Term:
        return _arithmetic("%", self, other)

    def __rmod__(self, other: object) -> Term:
        return _arithmetic("%", other, self)

    def __floordiv__(self, other: object) -> Term:
        return _quotient(self, other)

    def __rfloordiv__(self, other: object) -> Term:
        return _quotient(other, self)

    def __pow__(self, exponent: object) -> Term:
        return self.power(exponent)

    def __abs__(self) -> Term:
        return self.abs()

    def __neg__(self) -> Term:
        return Term(f"-{_inner(self)}", lambda scope: e.negate(self.read(scope)), atom=False)

    def __eq__(self, other: object) -> Term:  # type: ignore[override]
        return _compare("=", "==", self, other)

    def __ne__(self, other: object) -> Term:  # type: ignore[override]
        return _compare("<>", "!=", self, other)

    __hash__ = None  # type: ignore[assignment]

    def __lt__(self, other: object) -> Term:
        return _compare("<", "<", self, other)

    def __le__(self, other: object) -> Term:
        return _compare("<=", "<=", self, other)

    def __gt__(self, other: object) -> Term:
        return _compare(">", ">", self, other)

    def __ge__(self, other: object) -> Term:
        return _compare(">=", ">=", self, other)

    def __and__(self, other: object) -> Term:
        return _join_terms("&", e.Both, self, other)

    def __rand__(self, other: object) -> Term:
        return _join_terms("&", e.Both, other, self)

    def __or__(self, other: object) -> Term:
        return _join_terms("|", e.Either, self, other)

    def __ror__(self, other: object) -> Term:
        return _join_terms("|", e.Either, other, self)

    def __invert__(self) -> Term:
        return Term(f"~{_inner(self)}", lambda scope: e.Not(self.read(scope)), atom=False)

    def is_null(self) -> Term:
        """Whether it is NULL."""
        return Term(f"{_inner(self)}.is_null()", lambda scope: e.IsNull(self.read(scope)))

    def is_in(self, options: Sequence[object]) -> Term:
        """Whether it is one of some constants."""
        listed = [term_of(option) for option in options]
        text = f"{_inner(self)}.is_in([{', '.join(map(repr, listed))}])"
        return Term(
            text,
            lambda scope: scope.forms.one_of(self.read(scope), [one.read(scope) for one in listed]),
        )

    def like(self, pattern: str) -> Term:
        """Whether it matches a pattern: % is any text, _ any one character, a backslash takes the next literally."""
        return Term(
            f"{_inner(self)}.like({pattern!r})",
            lambda scope: scope.forms.like(self.read(scope), literal(pattern)),
        )

    def between(self, low: object, high: object) -> Term:
        """Whether it lies between two values, both included."""
        least, most = term_of(low), term_of(high)
        return Term(
            f"{_inner(self)}.between({least!r}, {most!r})",
            lambda scope: scope.forms.is_between(
                self.read(scope), least.read(scope), most.read(scope)
            ),
        )

    def cast(self, kind: Kind | str) -> Term:
        """The same as another kind: integer, number, text, date or timestamp; NULL where that is not possible."""
        try:
            meant = Kind(kind)
        except ValueError:
            remedy = f"the types are {', '.join(known.value for known in Kind)}"
            raise InvalidInput("a kind", kind, remedy) from None
        return Term(
            f"{_inner(self)}.cast({meant.value!r})",
            lambda scope: scope.forms.cast(self.read(scope), meant),
        )

    def is_true(self) -> Term:
        """Whether a condition is true, and not false or NULL."""
        return Term(
            f"{_inner(self)}.is_true()", lambda scope: scope.forms.is_truth(self.read(scope), True)
        )

    def is_false(self) -> Term:
        """Whether a condition is false, and not true or NULL."""
        return Term(
            f"{_inner(self)}.is_false()",
            lambda scope: scope.forms.is_truth(self.read(scope), False),
        )

    def ilike(self, pattern: str) -> Term:
        """Whether it matches a pattern, whatever the case of either."""
        text = f"{_inner(self)}.ilike({pattern!r})"
        return Term(
            text, lambda scope: scope.forms.like_either_case(self.read(scope), literal(pattern))
        )

    def is_distinct_from(self, other: object) -> Term:
        """Whether it differs from another value, where NULL is a value like any other."""
        return _method("is_distinct_from", Function.DISTINCT, self, other)

    def null_if(self, other: object) -> Term:
        """Itself, or NULL where it equals another value."""
        return _method("null_if", Function.NULLIF, self, other)

    def fill_null(self, value: object) -> Term:
        """Itself, or another value where it is NULL."""
        return _method("fill_null", Function.COALESCE, self, value)

    def abs(self) -> Term:
        """Its absolute value."""
        return _method("abs", Function.ABS, self)

    def sign(self) -> Term:
        """1, 0 or -1: its sign."""
        return _method("sign", Function.SIGN, self)

    def round(self, decimals: int = 0) -> Term:
        """Rounded to so many decimals, halves away from zero; a negative number rounds to tens, hundreds, …"""
        return _method("round", Function.ROUND, self, decimals)

    def floor(self) -> Term:
        """The greatest whole number that is not above it."""
        return _method("floor", Function.FLOOR, self)

    def ceil(self) -> Term:
        """The least whole number that is not below it."""
        return _method("ceil", Function.CEIL, self)

    def trunc(self) -> Term:
        """What stands before the point: the next whole number towards zero."""
        return _method("trunc", Function.TRUNC, self)

    def sqrt(self) -> Term:
        """Its square root; NULL if it is negative."""
        return _method("sqrt", Function.SQRT, self)

    def ln(self) -> Term:
        """Its natural logarithm; NULL if it is not positive."""
        return _method("ln", Function.LN, self)

    def log10(self) -> Term:
        """Its logarithm to base ten; NULL if it is not positive."""
        return _method("log10", Function.LOG10, self)

    def exp(self) -> Term:
        """e to its power."""
        return _method("exp", Function.EXP, self)

    def power(self, exponent: object) -> Term:
        """Its power; NULL where there is none."""
        return _method("power", Function.POWER, self, exponent)

    def lower(self) -> Term:
        """In lower case, letter by letter."""
        return _method("lower", Function.LOWER, self)

    def upper(self) -> Term:
        """In upper case, letter by letter."""
        return _method("upper", Function.UPPER, self)

    def trim(self) -> Term:
        """Without the spaces at both ends."""
        return _method("trim", Function.TRIM, self)

    def ltrim(self) -> Term:
        """Without the spaces at its beginning."""
        return _method("ltrim", Function.LTRIM, self)

    def rtrim(self) -> Term:
        """Without the spaces at its end."""
        return _method("rtrim", Function.RTRIM, self)

    def substr(self, start: int, length: int | None = None) -> Term:
        """Its characters from a place on, counted from 1; only so many of them, if that is said."""
        return _method(
            "substr", Function.SUBSTR, self, start, *([] if length is None else [length])
        )

    def left(self, length: int) -> Term:
        """Its first characters, so many of them."""
        return self.substr(1, length)

    def right(self, length: int) -> Term:
        """Its last characters, so many of them."""
        return _method("right", Function.RIGHT, self, length)

    def replace(self, old: str, new: str) -> Term:
        """With one text in place of another, wherever that stands."""
        return _method("replace", Function.REPLACE, self, old, new)

    def starts_with(self, text: str) -> Term:
        """Whether it begins with a text."""
        return self._holds("starts_with", text, "", "%")

    def ends_with(self, text: str) -> Term:
        """Whether it ends with a text."""
        return self._holds("ends_with", text, "%", "")

    def contains(self, text: str) -> Term:
        """Whether a text stands in it."""
        return self._holds("contains", text, "%", "%")

    def _holds(self, name: str, text: str, before: str, after: str) -> Term:
        said = f"{_inner(self)}.{name}({text!r})"
        return Term(
            said, lambda scope: scope.forms.holds(self.read(scope), literal(text), before, after)
        )

    def strftime(self, text: str) -> Term:
        """A day or a moment as a text, in a format such as %Y-%m: %Y %y %m %b %B %d %j %a %A %H %M %S."""
        said = f"{_inner(self)}.strftime({text!r})"
        return Term(said, lambda scope: scope.forms.format_time(self.read(scope), text))

    def length(self) -> Term:
        """How many characters it has."""
        return _method("length", Function.LENGTH, self)

    def extract(self, part: str) -> Term:
        """A part of a day or a moment: year, quarter, month, week, day, dow, isodow, doy, hour, minute, …"""
        text = f"{_inner(self)}.extract({part!r})"
        return Term(text, lambda scope: scope.forms.moment_part(part, self.read(scope)))

    def year(self) -> Term:
        """The year of a day or a moment."""
        return self.extract("year")

    def month(self) -> Term:
        """The month of a day or a moment, from 1 to 12."""
        return self.extract("month")

    def day(self) -> Term:
        """The day of the month, from 1 to 31."""
        return self.extract("day")

    def hour(self) -> Term:
        """The hour of a moment, from 0 to 23."""
        return self.extract("hour")

    def date_trunc(self, unit: str) -> Term:
        """The first moment of the year, quarter, month, week, day, hour, minute or second in which it lies."""
        text = f"{_inner(self)}.date_trunc({unit!r})"
        return Term(
            text, lambda scope: scope.forms.in_units(Function.DATE_TRUNC, unit, self.read(scope))
        )

    def at_time_zone(self, zone: str) -> Term:
        """What clocks of a zone show at this moment, which is in UTC.

        >>> col("seen").at_time_zone("Europe/Berlin").hour()
        col('seen').at_time_zone('Europe/Berlin').extract('hour')
        """
        if not isinstance(zone, str):
            raise InvalidInput("zone", zone, "give a name such as 'Europe/Berlin'")
        return Term(
            f"{_inner(self)}.at_time_zone({zone!r})",
            lambda scope: local_time(scope.forms, self.read(scope), zone),
        )

    def later(self, count: int, unit: str) -> Term:
        """A moment so many years, months, days, hours, … later; a negative number is earlier."""
        text = f"{_inner(self)}.later({count!r}, {unit!r})"
        return Term(
            text, lambda scope: scope.forms.later(self.read(scope), whole_number(count), unit)
        )

    def ascending(self) -> Sorted:
        """Sort by this, smallest first."""
        return Sorted(self)

    def descending(self) -> Sorted:
        """Sort by this, largest first."""
        return Sorted(self, descending=True)


@frozen(eq=False)
class Sorted:
    """What `order_by` sorts by."""

    term: Term
    descending: bool = False


def term_of(value: object) -> Term:
    """A term, or a constant as one."""
    if isinstance(value, Term):
        return value
    constant = literal(value)  # a wrong constant is refused where it is written
    return Term(repr(value), lambda _: constant)


def _inner(term: Term) -> str:
    """The text of a term inside another one."""
    return term.text if term.atom else f"({term.text})"


def _arithmetic(operator: str, left: object, right: object) -> Term:
    one, two = term_of(left), term_of(right)
    return Term(
        f"{_inner(one)} {operator} {_inner(two)}",
        lambda scope: scope.forms.arithmetic(operator, one.read(scope), two.read(scope)),
        atom=False,
    )


def _quotient(left: object, right: object) -> Term:
    one, two = term_of(left), term_of(right)
    return Term(
        f"{_inner(one)} // {_inner(two)}",
        lambda scope: scope.forms.call(Function.QUOTIENT, [one.read(scope), two.read(scope)]),
        atom=False,
    )


def _method(name: str, function: Function, term: Term, *others: object) -> Term:
    """A function of a term, written as a method of it."""
    rest = [term_of(other) for other in others]
    text = f"{_inner(term)}.{name}({', '.join(map(repr, rest))})"
    return Term(
        text, lambda scope: scope.forms.call(function, [part.read(scope) for part in (term, *rest)])
    )


def _function(name: str, function: Function, values: Sequence[object]) -> Term:
    """A function of several terms or constants."""
    parts = [term_of(value) for value in values]
    text = f"{name}({', '.join(map(repr, parts))})"
    return Term(
        text, lambda scope: scope.forms.call(function, [part.read(scope) for part in parts])
    )


def whole_number(value: object) -> int:
    """A number of units of time."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidInput("a number of units", value, "give a whole number")
    return value


def coalesce(*values: object) -> Term:
    """The first of some terms or constants that is not NULL.

    >>> coalesce(col("cost"), 0)
    coalesce(col('cost'), 0)
    """
    return _function("coalesce", Function.COALESCE, values)


def least(*values: object) -> Term:
    """The least of some terms or constants; NULLs among them are passed over."""
    return _function("least", Function.LEAST, values)


def greatest(*values: object) -> Term:
    """The greatest of some terms or constants; NULLs among them are passed over."""
    return _function("greatest", Function.GREATEST, values)


def concat(*values: object) -> Term:
    """Some texts in a row; NULLs among them are passed over."""
    return _function("concat", Function.CONCAT, values)


def date_diff(unit: str, since: object, until: object) -> Term:
    """How many beginnings of a year, month, day, hour, … lie between two days or moments."""
    one, two = term_of(since), term_of(until)
    return Term(
        f"date_diff({unit!r}, {one!r}, {two!r})",
        lambda scope: scope.forms.in_units(
            Function.DATE_DIFF, unit, one.read(scope), two.read(scope)
        ),
    )


def _compare(operator: str, sign: str, left: object, right: object) -> Term:
    one, two = term_of(left), term_of(right)
    return Term(
        f"{_inner(one)} {sign} {_inner(two)}",
        lambda scope: scope.forms.compare(operator, one.read(scope), two.read(scope)),
        atom=False,
    )


def _join_terms(sign: str, join: type[e.Both | e.Either], left: object, right: object) -> Term:
    one, two = term_of(left), term_of(right)
    text = f"{_inner(one)} {sign} {_inner(two)}"
    return Term(
        text, lambda scope: e.join_conditions(join, one.read(scope), two.read(scope)), atom=False
    )


def col(name: str) -> Term:
    """A column of the table or, after `agg`, of the answer.

    >>> col("age") >= 65
    col('age') >= 65
    """
    return Term(f"col({name!r})", lambda scope: scope.resolve_name(name))


def column_term(value: Term | str) -> Term:
    """A term, or the column of a name as one."""
    return col(value) if isinstance(value, str) else term_of(value)
