"""What SQL engines say differently: the closed list of constructs through which every statement is written.

Statements are written once, in the files beside this one.  Wherever engines differ, the statement is made by a method
of a dialect: a new engine is one class with all of them, and a run of the suite of conformance.  Types that a relation
stores are called as DuckDB calls them, in every dialect; `type` gives the engine's own name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from tacit.errors import InvalidPlan
from tacit.plan import BOOLEAN_WORDS, Called, Kind, Value, Wild

__all__ = ["Listing", "SqlDialect", "boolean_cases", "like_pattern"]

Listing = tuple[str, Sequence[Value], Kind]
"""A column of constants: its name, its values and their kind."""


class SqlDialect(Protocol):
    """How one engine writes what engines write differently; what most write alike is written here.

    Claim:      whatever a dialect writes raises on no row, and means what the memory engine computes, bit for bit; what
                it cannot say so is refused while the statement is written, which is before the charge.
    Because:    statements have no other source of engine-specific SQL, and a dry run writes all statements of a
                question before it is paid for.
    Checked by: tests/laws/test_engine_conformance.py
    """

    @property
    def name(self) -> str:
        """What people call the engine."""
        ...

    @property
    def sorts_units(self) -> bool:
        """Whether the rows of a unit are brought together by a sort, where hash tables of units are slower."""
        return False

    # ------------------------------------------------------------ types and constants

    def type(self, stored: str) -> str:
        """A type that is called as DuckDB calls it, as the engine does."""
        ...

    def type_of_codes(self, size: int) -> str:
        """A type for whole numbers below `size`."""
        return self.type("BIGINT")

    def text(self, value: str) -> str:
        """A constant text."""
        ...

    def double(self, value: float) -> str:
        """A constant double, exactly."""
        ...

    def literal(self, value: Value, kind: Kind) -> str:
        """A constant of a kind, or a NULL of it."""
        ...

    def list_rows(self, columns: Sequence[Listing]) -> str:
        """A table of constants, in parentheses."""
        ...

    def list_numbers(self, count: int) -> str:
        """The whole numbers below `count`, as group_id of a table."""
        ...

    def pick(self, values: Sequence[float], place: str) -> str:
        """The constant at a place, counted from one; NULL beyond the last.  All are int, or all are doubles."""
        ...

    def place_of_text(self, value: str, enumeration: Callable[[], str]) -> tuple[str, str] | None:
        """Where a text stands among the members of an enumeration, from zero, and whether it is one of them.

        None if an engine has no such types, and a text is joined with a list instead.
        """
        ...

    # ------------------------------------------------------------ rows

    def semi_join(self, rows: str, among: str, *, anti: bool = False) -> str:
        """What stands after FROM for those rows whose unit is among those of another table, or is not."""
        ...

    def semi_join_on(self, left: str, right: str, condition: str, *, anti: bool = False) -> str:
        """The same for rows that meet a condition, in which the sides are left_side and right_side."""
        ...

    # ------------------------------------------------------------ whole numbers

    def total(self, value: str, *, wide: bool = False) -> str:
        """The exact sum of integers of 64 bits or, if `wide`, of 128."""
        ...

    def quotient(self, value: str, divisor: str, *, wide: bool) -> str:
        """A quotient of whole numbers above zero, rounded down; of 128 bits if `wide`."""
        ...

    def narrow(self, value: str, stored: str = "BIGINT") -> str:
        """A whole number, or a double without a fraction, that is known to fit into a narrower type."""
        ...

    def bit(self, place: str) -> str:
        """A word of 64 bits of which one is set."""
        ...

    def count_bits(self, word: str) -> str:
        """How many bits of a word are set."""
        ...

    def has_bit(self, word: str, place: str) -> str:
        """Whether a bit of a word is set."""
        ...

    # ------------------------------------------------------------ values

    def arithmetic(self, sign: str, kind: Kind, left: str, right: str, *, minus_one: bool) -> str:
        """A calculation of two values of a kind; `minus_one` says whether the right one may be minus one."""
        ...

    def negate(self, value: str, kind: Kind) -> str:
        """A number with the other sign."""
        ...

    def convert(self, value: str, since: Kind, kind: Kind) -> str:
        """A value as one of another kind; NULL where it is none."""
        ...

    def parse(self, value: str, kind: Kind) -> str:
        """A text read as a value of a kind: NULL unless it looks like one and is one."""
        ...

    def like(self, value: str, pattern: str) -> str:
        """Whether a text is like a pattern."""
        ...

    def call(self, expression: Called, operands: Sequence[str]) -> str:
        """A function of operands that are of the kinds that it wants."""
        ...

    def is_same(self, one: str, other: str, kind: Kind) -> str:
        """Whether two values of a kind are equal or both NULL, in a way in which rows can be joined by a hash."""
        ...

    def least(self, column: str, kind: Kind, *, greatest: bool = False) -> str:
        """The aggregate that finds the least value of a column, or the greatest."""
        return f"{'max' if greatest else 'min'}({column})"

    def count_distinct(self, column: str, over: str) -> str:
        """How many different values a column has, in a window unless `over` is empty."""
        if over:
            raise InvalidPlan(
                f"{self.name} cannot count distinct values in a window",
                "count them in a subquery that is grouped by the unit instead",
            )
        return f"count(DISTINCT {column})"

    def cut_text(self, text: str, most: int) -> str:
        """The first characters of a text."""
        long = f"{self.byte_length(text)} > {most}"  # most texts have fewer bytes than that
        return f"CASE WHEN {long} THEN substr({text}, 1, {most}) ELSE {text} END"

    def byte_length(self, text: str) -> str:
        """How many bytes a text has in UTF-8."""
        return f"octet_length({text})"

    def is_nan(self, number: str) -> str:
        """Whether a double is none."""
        ...

    def is_finite(self, number: str) -> str:
        """Whether a double is neither an infinity nor NaN."""
        ...

    def is_text(self, value: str) -> str:
        """Whether a text is there, and is one: most engines keep no others."""
        return f"{value} IS NOT NULL"

    def round_steps(self, number: str, scale: float) -> str:
        """A number times a power of two, to the nearest whole one, halves upward, as a double."""
        ...

    def log2(self, number: str) -> str:
        """The logarithm of a double to the base two, roughly; NULL where there is none."""
        ...

    # ------------------------------------------------------------ days, moments and hashes

    def days(self, value: str) -> str:
        """How many days after 1970 a date is."""
        ...

    def microseconds(self, value: str) -> str:
        """How many microseconds after 1970 a moment is."""
        ...

    def text_of(self, value: str, kind: Kind) -> str:
        """A value as a text, of which no two values have the same: of a double, its bits."""
        match kind:
            case Kind.TEXT:
                return value
            case Kind.NUMBER:
                return self.bits(value)
            case Kind.DATE:
                value = self.days(value)
            case Kind.TIMESTAMP:
                value = self.microseconds(value)
            case _:
                pass
        return f"CAST({value} AS {self.type('VARCHAR')})"

    def bits(self, number: str) -> str:
        """The bits of a double, as a text of zeros and ones."""
        ...

    def hash(self, text: str) -> str:
        """SHA-256 of a text, such that hashes are in the order of their digits."""
        ...

    def secret(self, digits: str) -> str:
        """The digits of the secret by which keys are hashed, or where the session keeps them."""
        ...

    def hash_digits(self, value: str) -> str:
        """The hexadecimal digits of a hash."""
        return value

    def hash_literal(self, digits: str) -> str:
        """A constant hash, by its digits."""
        return self.text(digits)


def boolean_cases(quote: Callable[[str], str]) -> str:
    """The cases of a word in lower case that stands for a truth value."""
    return " ".join(
        f"WHEN {quote(word)} THEN {str(truth).upper()}" for word, truth in BOOLEAN_WORDS.items()
    )


def like_pattern(tokens: Sequence[str | Wild]) -> str:
    r"""A pattern of LIKE in which a backslash makes any sign stand for itself.

    >>> like_pattern(["5", "%", Wild.ANY_TEXT])
    '5\\%%'
    """
    return "".join(
        token.value
        if isinstance(token, Wild)
        else f"\\{token}"
        if token in {"\\", "%", "_"}
        else token
        for token in tokens
    )
