"""How DuckDB writes what engines write differently; its literals are used wherever its SQL is written.

Checked by: tests/unit/engines/sql/test_expressions.py and tests/laws/test_engines.py
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tacit.engines.sql.dialect import Listing, SqlDialect, boolean_cases, like_pattern
from tacit.engines.sql.duckdb_functions import caught, function_sql
from tacit.frozen import frozen
from tacit.plan import (
    DATE_TEXT,
    INTEGER_TEXT,
    NEGATION,
    NUMBER_TEXT,
    TIMESTAMP_TEXT,
    Called,
    Kind,
    Value,
    Wild,
    can_raise,
    tokens_of,
)

__all__ = ["DUCKDB", "TEXT_PATTERNS", "double", "literal", "quote_name", "text", "type_name"]

_NAMES = {
    Kind.BOOLEAN: "BOOLEAN",
    Kind.INTEGER: "BIGINT",
    Kind.NUMBER: "DOUBLE",
    Kind.TEXT: "VARCHAR",
    Kind.DATE: "DATE",
    Kind.TIMESTAMP: "TIMESTAMP",
}
TEXT_PATTERNS = {
    Kind.INTEGER: INTEGER_TEXT,
    Kind.NUMBER: NUMBER_TEXT,
    Kind.DATE: DATE_TEXT,
    Kind.TIMESTAMP: TIMESTAMP_TEXT,
}
"""What a text looks like that can be read as a value of a kind."""

_LONG_PATTERN = 16
"""A longer pattern of LIKE is a regular expression, which takes as long as the text and not as often as the pattern."""
_WILD = {Wild.ANY_TEXT: ".*", Wild.ANY_ONE: "."}
_CODES = {8: "UTINYINT", 16: "USMALLINT", 32: "UINTEGER", 62: "BIGINT"}


def type_name(kind: Kind) -> str:
    """What DuckDB calls the type of a kind."""
    return _NAMES[kind]


def quote_name(name: str) -> str:
    """An identifier in quotes.

    >>> print(quote_name('say "b" twice'))
    "say ""b"" twice"
    """
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    """A text in quotes.

    >>> text("it's")
    "'it''s'"
    """
    return "'" + value.replace("'", "''") + "'"


def double(value: float) -> str:
    """A double, by the shortest decimal that reads back as itself.

    >>> double(0.1), double(1e30)
    ('0.1e0', '1e+30')
    """
    shortest = repr(float(value))
    return shortest if "e" in shortest else f"{shortest}e0"


def literal(value: Value, kind: Kind) -> str:
    """A constant of the kind.

    >>> literal(1, Kind.DATE), literal(None, Kind.NUMBER)
    ("(DATE '1970-01-01' + CAST(1 AS INTEGER))", 'CAST(NULL AS DOUBLE)')
    """
    match kind:
        case _ if value is None:
            return f"CAST(NULL AS {type_name(kind)})"
        case Kind.BOOLEAN:
            return "TRUE" if value else "FALSE"
        case Kind.INTEGER:
            return f"CAST({int(value):d} AS BIGINT)"
        case Kind.NUMBER:
            return double(float(value))
        case Kind.TEXT:
            return text(str(value))
        case Kind.DATE:
            return f"(DATE '1970-01-01' + CAST({int(value):d} AS INTEGER))"
        case Kind.TIMESTAMP:
            return f"make_timestamp({int(value):d})"


@frozen
class DuckDBDialect(SqlDialect):
    """DuckDB: casts that cannot fail are TRY_CAST, and one operation that could raise stands within TRY."""

    name: str = "DuckDB"

    def type(self, stored: str) -> str:
        """DuckDB's own name."""
        return stored

    def type_of_codes(self, size: int) -> str:
        """The narrowest type."""
        return next(name for bits, name in _CODES.items() if size <= 1 << bits)

    def text(self, value: str) -> str:
        """A text in quotes."""
        return text(value)

    def double(self, value: float) -> str:
        """The shortest decimal that reads back as itself."""
        return double(value)

    def literal(self, value: Value, kind: Kind) -> str:
        """A constant of the kind."""
        return literal(value, kind)

    def list_rows(self, columns: Sequence[Listing]) -> str:
        """Lists that are unnested beside each other; numbers are read from one text, a fiftieth of the time.

        >>> DUCKDB.list_rows([("place", [0, 1], Kind.INTEGER)])
        "(SELECT unnest(CAST('[0, 1]' AS BIGINT[])) AS place)"
        """
        listed = ", ".join(f"{_column(values, kind)} AS {name}" for name, values, kind in columns)
        return f"(SELECT {listed})"

    def list_numbers(self, count: int) -> str:
        """A range."""
        return f"range({count}) AS every(group_id)"

    def pick(self, values: Sequence[float], place: str) -> str:
        """An element of a list."""
        written = (double(each) if isinstance(each, float) else str(each) for each in values)
        return f"[{', '.join(written)}][{place}]"

    def place_of_text(self, value: str, enumeration: Callable[[], str]) -> tuple[str, str]:
        """The code of an ENUM."""
        found = f"TRY_CAST({value} AS {enumeration()})"
        return f"enum_code({found})", f"{found} IS NOT NULL"

    def semi_join(self, rows: str, among: str, *, anti: bool = False) -> str:
        """DuckDB has the join."""
        return f"{rows} {'ANTI' if anti else 'SEMI'} JOIN {among} USING (unit)"

    def semi_join_on(self, left: str, right: str, condition: str, *, anti: bool = False) -> str:
        """DuckDB has the join."""
        join = f"{left} AS left_side {'ANTI' if anti else 'SEMI'} JOIN {right} AS right_side"
        return f"{join} ON {condition}"

    def total(self, value: str, *, wide: bool = False) -> str:
        """Sums of integers have 128 bits."""
        return f"sum({value})"

    def quotient(self, value: str, divisor: str, *, wide: bool) -> str:
        """The operator that cuts off."""
        return f"{value} // {divisor}"

    def narrow(self, value: str, stored: str = "BIGINT") -> str:
        """A cast that cannot fail."""
        return f"TRY_CAST({value} AS {stored})"

    def bit(self, place: str) -> str:
        """A shift of one."""
        return f"1::UBIGINT << {place}::UBIGINT"

    def count_bits(self, word: str) -> str:
        """The function."""
        return f"bit_count({word})"

    def has_bit(self, word: str, place: str) -> str:
        """A shift and a mask."""
        return f"({word} >> {place}::UBIGINT) & 1 = 1"

    def arithmetic(self, sign: str, kind: Kind, left: str, right: str, *, minus_one: bool) -> str:
        """The operator; a division by zero is NULL by a setting that is locked."""
        match sign:
            case "%" if kind is Kind.INTEGER and minus_one:
                # DuckDB fails on the remainder of the least integer of 64 bits by minus one, which is zero.
                return f"TRY_CAST((CAST({left} AS HUGEINT) % {right}) AS BIGINT)"
            case "%" if kind is Kind.INTEGER:
                return caught(f"({left} % {right})")  # should the divisor be minus one after all
            case "+" | "-" | "*" | "/" | "%" as operator:
                found = f"({left} {operator} {right})"
                return caught(found) if can_raise(operator, kind) else found
            case operator:
                raise AssertionError(operator)

    def negate(self, value: str, kind: Kind) -> str:
        """The operator."""
        found = f"(- {value})"
        return caught(found) if can_raise(NEGATION, kind) else found

    def convert(self, value: str, since: Kind, kind: Kind) -> str:
        """A cast, or one that cannot fail."""
        match since, kind:
            case (
                (Kind.INTEGER, Kind.NUMBER)
                | (Kind.BOOLEAN, Kind.INTEGER)
                | (Kind.INTEGER, Kind.TEXT)
            ):
                return f"CAST({value} AS {type_name(kind)})"
            case (Kind.TIMESTAMP, Kind.DATE):
                return f"CAST({value} AS DATE)"
            case (Kind.NUMBER, Kind.INTEGER) | (Kind.DATE, Kind.TIMESTAMP):
                return f"TRY_CAST({value} AS {type_name(kind)})"
            case _:
                raise AssertionError((since, kind))

    def parse(self, value: str, kind: Kind) -> str:
        """A cast that cannot fail of what matches a pattern; the rest becomes the empty text, which is no value."""
        if kind is Kind.TEXT:
            return value
        if kind is Kind.BOOLEAN:
            words = boolean_cases(text)
            return f"CASE lower({value}) {words} END"
        return f"TRY_CAST(regexp_extract({value}, {text(f'^({TEXT_PATTERNS[kind]})$')}) AS {type_name(kind)})"

    def like(self, value: str, pattern: str) -> str:
        """The operator, or a regular expression if the pattern is long."""
        tokens = tokens_of(pattern)
        if tokens is None:
            return f"CASE WHEN {value} IS NOT NULL THEN FALSE END"
        if len(tokens) > _LONG_PATTERN:
            expression = "".join(
                _WILD[token] if isinstance(token, Wild) else _literal_sign(token)
                for token in tokens
            )
            return f"regexp_matches({value}, {text(f'(?s)^{expression}$')})"
        return f"({value} LIKE {text(like_pattern(tokens))} ESCAPE '\\')"

    def call(self, expression: Called, operands: Sequence[str]) -> str:
        """A function, as `duckdb_functions.py` writes it."""
        return function_sql(expression, operands)

    def is_same(self, one: str, other: str, kind: Kind) -> str:
        """The operator."""
        return f"{one} IS NOT DISTINCT FROM {other}"

    def count_distinct(self, column: str, over: str) -> str:
        """The aggregate, which may be a window."""
        return f"count(DISTINCT {column}){over}"

    def byte_length(self, text: str) -> str:
        """The function."""
        return f"strlen({text})"

    def is_nan(self, number: str) -> str:
        """The function."""
        return f"isnan({number})"

    def is_finite(self, number: str) -> str:
        """The function."""
        return f"isfinite({number})"

    def round_steps(self, number: str, scale: float) -> str:
        """A product of doubles that is exact, and a floor."""
        return f"floor({number}::DOUBLE * {double(scale)} + 0.5e0)"

    def log2(self, number: str) -> str:
        """The function, caught."""
        return caught(f"log2({number})")

    def days(self, value: str) -> str:
        """A difference of dates."""
        return f"({value} - DATE '1970-01-01')"

    def microseconds(self, value: str) -> str:
        """The function."""
        return f"epoch_us({value})"

    def bits(self, number: str) -> str:
        """A cast to bits, and to a text."""
        return f"CAST(CAST({number} AS BIT) AS VARCHAR)"

    def hash(self, text: str) -> str:
        """The function, which gives hexadecimal digits."""
        return f"sha256({text})"

    def secret(self, digits: str) -> str:
        """A text: nothing is written down of statements that run in our own process."""
        return self.text(digits)


DUCKDB = DuckDBDialect()
"""The dialect of the default engine."""


def _column(values: Sequence[Value], kind: Kind) -> str:
    """A column of values, one below the other."""
    if kind in {Kind.TEXT, Kind.BOOLEAN}:
        return f"unnest(CAST([{', '.join(literal(value, kind) for value in values)}] AS {type_name(kind)}[]))"
    return _numbers(values, kind)


def _numbers(values: Iterable[Value], kind: Kind) -> str:
    """A column of numbers, dates or timestamps."""
    numbers = "DOUBLE[]" if kind is Kind.NUMBER else "BIGINT[]"
    written = ", ".join("NULL" if value is None else repr(value) for value in values)
    listed = f"unnest(CAST('[{written}]' AS {numbers}))"
    if kind is Kind.DATE:
        return f"{literal(0, kind)} + CAST({listed} AS INTEGER)"
    return f"make_timestamp({listed})" if kind is Kind.TIMESTAMP else listed


def _literal_sign(character: str) -> str:
    """A character as a regular expression that matches it and nothing else."""
    return f"\\{character}" if character.isascii() and not character.isalnum() else character
