"""How PostgreSQL writes what engines write differently: casts are guarded, since none of them may fail."""

# ruff: noqa: S608 -- this is the SQL generator: what stands in it was rendered

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta

from tacit.engines.postgres.functions import call_sql, text_literal
from tacit.engines.postgres.numbers import arithmetic as doubles
from tacit.engines.postgres.numbers import (
    double_literal,
    integer_or_null,
    parse_number,
    scale_number,
    within_int64,
)
from tacit.engines.postgres.share_subexpression import write_once
from tacit.engines.sql.dialect import Listing, SqlDialect, boolean_cases, like_pattern
from tacit.engines.sql.duckdb_dialect import TEXT_PATTERNS
from tacit.frozen import frozen
from tacit.plan import Called, Kind, Value, tokens_of

__all__ = ["POSTGRES", "SECRET", "PostgresDialect"]

SECRET = "tacit.secret"  # noqa: S105 -- the name of a setting
"""A setting of a transaction: the digits of the secret by which keys are hashed."""

_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 -- columns without a zone hold UTC
_NAMES = {
    Kind.BOOLEAN: "boolean",
    Kind.INTEGER: "bigint",
    Kind.NUMBER: "float8",
    Kind.TEXT: "text",
    Kind.DATE: "date",
    Kind.TIMESTAMP: "timestamp",
}
_TYPES = {
    "BIGINT": "bigint",
    "INTEGER": "integer",
    "HUGEINT": "numeric",
    "DOUBLE": "float8",
    "VARCHAR": "text",
    "BOOLEAN": "boolean",
    "DATE": "date",
    "TIMESTAMP": "timestamp",
}
C = 'COLLATE "C"'
"""Texts are in the order of their code points, whatever the database's own order is."""


@frozen
class PostgresDialect(SqlDialect):
    """PostgreSQL from version 14 on, in a database whose encoding is UTF-8.

    Claim:      no cell makes a statement fail, and texts are compared by their code points.
    Because:    PostgreSQL has no cast that cannot fail, so that a text is matched against a pattern and a range before
                it is cast, and a product or quotient that would underflow is found by a scaled one before; sums and
                quotients beyond 64 bits are numeric, which is exact; every text has the collation "C".
    Checked by: tests/laws/test_engine_conformance.py
    """

    name: str = "PostgreSQL"

    @property
    def sorts_units(self) -> bool:
        """A sort takes half of the time: a hash table of a million units is larger than the caches of a processor."""
        return True

    def type(self, stored: str) -> str:
        """PostgreSQL's name."""
        return _TYPES[stored]

    def text(self, value: str) -> str:
        """A text in the order of code points."""
        return f"(CAST({text_literal(value)} AS text) {C})"

    def double(self, value: float) -> str:
        """The shortest decimal that reads back as itself."""
        return double_literal(value)

    def literal(self, value: Value, kind: Kind) -> str:
        """A constant of the kind.

        >>> POSTGRES.literal(1, Kind.DATE), POSTGRES.literal(None, Kind.NUMBER)
        ("DATE '1970-01-02'", 'CAST(NULL AS float8)')
        """
        match kind:
            case Kind.TEXT:
                return f"(CAST(NULL AS text) {C})" if value is None else self.text(str(value))
            case _ if value is None:
                return f"CAST(NULL AS {_NAMES[kind]})"
            case Kind.BOOLEAN:
                return "TRUE" if value else "FALSE"
            case Kind.INTEGER:
                return f"CAST({int(value):d} AS bigint)"
            case Kind.NUMBER:
                return self.double(float(value))
            case Kind.DATE:
                return f"DATE '{_date(int(value))}'"
            case Kind.TIMESTAMP:
                return f"TIMESTAMP '{_moment(int(value))}'"

    def list_rows(self, columns: Sequence[Listing]) -> str:
        """Arrays that are unnested beside each other.

        >>> POSTGRES.list_rows([("place", [0, None], Kind.INTEGER)])
        "(SELECT * FROM unnest(CAST('{0,NULL}' AS bigint[])) AS listed(place))"
        """
        arrays = ", ".join(_array(values, kind) for _, values, kind in columns)
        names = ", ".join(name for name, _, _ in columns)
        return f"(SELECT * FROM unnest({arrays}) AS listed({names}))"

    def list_numbers(self, count: int) -> str:
        """A series."""
        return f"generate_series(0, {count - 1}) AS every(group_id)"

    def pick(self, values: Sequence[float], place: str) -> str:
        """An element of an array."""
        kind = "float8" if values and isinstance(values[0], float) else "bigint"
        return f"(CAST('{{{','.join(map(repr, values))}}}' AS {kind}[]))[({place})::integer]"

    def place_of_text(self, value: str, enumeration: Callable[[], str]) -> None:
        """A text is joined with a list: a cast to an enumeration fails."""

    def semi_join(self, rows: str, among: str, *, anti: bool = False) -> str:
        """EXISTS, which the planner makes such a join of."""
        same = f"SELECT 1 FROM {among} AS among WHERE among.unit = kept.unit"
        return f"{rows} AS kept WHERE {'NOT ' if anti else ''}EXISTS ({same})"

    def semi_join_on(self, left: str, right: str, condition: str, *, anti: bool = False) -> str:
        """EXISTS."""
        met = f"SELECT 1 FROM {right} AS right_side WHERE {condition}"
        return f"{left} AS left_side WHERE {'NOT ' if anti else ''}EXISTS ({met})"

    def total(self, value: str, *, wide: bool = False) -> str:
        """A sum of bigint, which is numeric; one of integer would have 64 bits."""
        return f"sum({value})" if wide else f"sum(({value})::bigint)"

    def quotient(self, value: str, divisor: str, *, wide: bool) -> str:
        """The operator of integers, or the function of numeric, which cuts off."""
        return f"div({value}, {divisor})" if wide else f"({value} / {divisor})"

    def narrow(self, value: str, stored: str = "BIGINT") -> str:
        """A cast, of what is known to fit."""
        return f"({value})::{self.type(stored)}"

    def bit(self, place: str) -> str:
        """A shift of one."""
        return f"1::bigint << ({place})::integer"

    def count_bits(self, word: str) -> str:
        """The function, of bits."""
        return f"bit_count(({word})::bit(64))"

    def has_bit(self, word: str, place: str) -> str:
        """A shift and a mask."""
        return f"({word} >> ({place})::integer) & 1 = 1"

    def arithmetic(self, sign: str, kind: Kind, left: str, right: str, *, minus_one: bool) -> str:
        """The operator; a division by zero is NULL, and of doubles an underflow is zero.

        That no integer leaves 64 bits is proved of the plan; were that wrong, it would be NULL, and no question fails.
        """
        if kind is not Kind.INTEGER:
            return doubles(sign, left, right)
        if sign == "%":
            return f"({left} % nullif({right}, 0))"
        return integer_or_null(f"({left})::numeric {sign} ({right})::numeric")

    def negate(self, value: str, kind: Kind) -> str:
        """The operator, of integers in numeric."""
        return (
            f"(- {value})" if kind is not Kind.INTEGER else integer_or_null(f"- ({value})::numeric")
        )

    def convert(self, value: str, since: Kind, kind: Kind) -> str:
        """A cast, of what is within its range."""
        match since, kind:
            case (Kind.NUMBER, Kind.INTEGER):
                return within_int64(value)
            case (Kind.BOOLEAN, Kind.INTEGER):
                return f"({value})::integer::bigint"
            case (Kind.INTEGER, Kind.TEXT):
                return f"(CAST({value} AS text) {C})"
            case _:
                return f"CAST({value} AS {_NAMES[kind]})"

    def parse(self, value: str, kind: Kind) -> str:
        """A cast of what looks like a value and is one."""
        if kind is Kind.TEXT:
            return value
        if kind is Kind.BOOLEAN:
            words = boolean_cases(text_literal)
            return f"CASE lower({value} {C}) {words} END"
        pattern = text_literal(f"^({TEXT_PATTERNS[kind]})$")

        def body(x: str) -> str:
            match kind:
                case Kind.INTEGER:
                    ends = "-9223372036854775808 AND 9223372036854775807"
                    found = f"CASE WHEN ({x})::numeric BETWEEN {ends} THEN ({x})::bigint END"
                case Kind.NUMBER:
                    found = parse_number(x)
                case Kind.DATE:
                    found = f"CASE WHEN {_is_day(x)} THEN ({x})::date END"
                case _:
                    found = f"CASE WHEN {_is_day(x)} THEN ({x})::timestamp END"
            return f"CASE WHEN {x} ~ {pattern} THEN {found} END"

        return write_once(value, body)

    def like(self, value: str, pattern: str) -> str:
        """The operator, whose matching takes no longer than the text times the pattern."""
        tokens = tokens_of(pattern)
        if tokens is None:
            return f"CASE WHEN {value} IS NOT NULL THEN FALSE END"
        return f"({value} LIKE {text_literal(like_pattern(tokens))} ESCAPE '\\')"

    def call(self, expression: Called, operands: Sequence[str]) -> str:
        """A function, as `functions.py` writes it."""
        return call_sql(expression, operands, self.microseconds)

    def is_same(self, one: str, other: str, kind: Kind) -> str:
        """Two equalities: by its own operator PostgreSQL would compare every row with every key."""
        value = self.literal("" if kind is Kind.TEXT else 0, kind)
        are_null = f"(({one}) IS NULL) = (({other}) IS NULL)"
        return f"({are_null} AND coalesce({one}, {value}) = coalesce({other}, {value}))"

    def least(self, column: str, kind: Kind, *, greatest: bool = False) -> str:
        """The aggregate; truth values have others."""
        if kind is Kind.BOOLEAN:
            return f"{'bool_or' if greatest else 'bool_and'}({column})"
        return f"{'max' if greatest else 'min'}({column})"

    def is_nan(self, number: str) -> str:
        """To PostgreSQL, NaN equals NaN."""
        return f"({number} = 'NaN'::float8)"

    def is_finite(self, number: str) -> str:
        """NaN is above all numbers."""
        return f"({number} > '-Infinity'::float8 AND {number} < 'Infinity'::float8)"

    def round_steps(self, number: str, scale: float) -> str:
        """A product of doubles, and a floor."""
        return f"floor({scale_number(f'({number})::float8', scale)} + '0.5'::float8)"

    def log2(self, number: str) -> str:
        """A quotient of logarithms."""
        return f"(ln(nullif({number}, '0'::float8)) / ln('2'::float8))"

    def days(self, value: str) -> str:
        """A difference of dates."""
        return f"({value} - DATE '1970-01-01')"

    def microseconds(self, value: str) -> str:
        """An epoch, which is numeric and exact."""
        return f"(extract(epoch FROM {value}) * 1000000)::bigint"

    def bits(self, number: str) -> str:
        """What is sent of a double, in base sixteen, as bits."""
        return f"(('x' || encode(float8send({number}), 'hex'))::bit(64))::text"

    def hash(self, text: str) -> str:
        """The function, whose bytes are in the order of their digits."""
        return f"sha256(convert_to({text}, 'UTF8'))"

    def secret(self, digits: str) -> str:
        """Where the transaction keeps them, looked up once: a server writes failed statements down."""
        return f"(SELECT current_setting('{SECRET}'))"

    def hash_digits(self, value: str) -> str:
        """The function."""
        return f"encode({value}, 'hex')"

    def hash_literal(self, digits: str) -> str:
        """The function, of digits."""
        return f"decode('{digits}', 'hex')"


POSTGRES = PostgresDialect()
"""The dialect of PostgreSQL."""


def _date(days: int) -> str:
    return str(date(1970, 1, 1) + timedelta(days))


def _moment(microseconds: int) -> str:
    return (_EPOCH + timedelta(microseconds=microseconds)).isoformat(" ")


def _array(values: Sequence[Value], kind: Kind) -> str:
    """A column of constants as an array."""
    if kind is Kind.TEXT:
        listed = ", ".join(
            "NULL" if value is None else text_literal(str(value)) for value in values
        )
        return f"CAST(ARRAY[{listed}] AS text[])"
    written = ",".join("NULL" if value is None else _element(value, kind) for value in values)
    return f"CAST('{{{written}}}' AS {_NAMES[kind]}[])"


def _element(value: bool | float | str, kind: Kind) -> str:
    match kind:
        case Kind.BOOLEAN:
            return str(bool(value)).lower()
        case Kind.DATE:
            return _date(int(value))
        case Kind.TIMESTAMP:
            return f'"{_moment(int(value))}"'
        case _:
            return repr(value)


def _is_day(text: str) -> str:
    """Whether a text that begins as a date does, year, month and day, names a day that there is."""
    year, month, day = (
        f"substr({text}, {start}, {length})::integer" for start, length in ((1, 4), (6, 2), (9, 2))
    )
    leap = f"{year} % 4 = 0 AND ({year} % 100 <> 0 OR {year} % 400 = 0)"
    last = (
        f"CASE WHEN {month} IN (4, 6, 9, 11) THEN 30 WHEN {month} <> 2 THEN 31 "
        f"WHEN {leap} THEN 29 ELSE 28 END"
    )
    return f"{month} BETWEEN 1 AND 12 AND {day} BETWEEN 1 AND {last}"
