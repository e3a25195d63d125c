"""How Spark writes what engines write differently: DECIMAL for 128 bits, try_cast, floors that are integers."""

# ruff: noqa: S608 -- this is the SQL generator: what stands in it was rendered

from __future__ import annotations

from collections.abc import Callable, Sequence

from tacit.engines.spark.functions import (
    call_sql,
    count_microseconds,
    floor_double,
    is_finite,
    nearest_integer,
)
from tacit.engines.spark.literals import TYPES, double_literal, text_literal, value_literal
from tacit.engines.spark.share_subexpression import write_once
from tacit.engines.sql.dialect import Listing, SqlDialect, boolean_cases
from tacit.engines.sql.duckdb_dialect import TEXT_PATTERNS
from tacit.frozen import frozen
from tacit.plan import Called, Kind, Value, Wild, tokens_of

__all__ = ["SECRET", "SPARK", "SparkDialect"]

SECRET = "tacit_secret"  # noqa: S105 -- the name of a view
"""A view of a session: one row with the digits of the secret by which keys are hashed."""

_WIDE = "DECIMAL(38,0)"
_STORED = {
    "BIGINT": "BIGINT",
    "INTEGER": "INT",
    "HUGEINT": _WIDE,
    "DOUBLE": "DOUBLE",
    "VARCHAR": "STRING",
    "BOOLEAN": "BOOLEAN",
    "DATE": "DATE",
    "TIMESTAMP": "TIMESTAMP_NTZ",
}
_TRIED = {"+": "try_add", "-": "try_subtract", "*": "try_multiply"}


@frozen
class SparkDialect(SqlDialect):
    """Spark from version 4 on, in sessions whose settings are those of `session.py`.

    Claim:      no cell makes a statement fail, and whole numbers are exact up to 126 bits, which is what `check_fits`
                allows.
    Because:    casts are try_cast or of what was checked before; sums are DECIMAL of 38 digits, more than 2**126 has;
                quotients of them are made of multiples of the divisor, whose division is exact.
    Checked by: tests/laws/test_engine_conformance.py
    """

    name: str = "Spark"

    def finish(self, sql: str) -> str:
        """A whole statement, without what Spark has no word for: it decides itself what is computed once.

        Claim:      no constant changes.
        Because:    what is taken out holds a parenthesis, and no constant does.
        Checked by: tests/unit/engines/spark/test_dialect.py::test_no_text_leaves_its_quotes
        """
        return sql.replace(" AS NOT MATERIALIZED (", " AS (").replace(" AS MATERIALIZED (", " AS (")

    def type(self, stored: str) -> str:
        """Spark's name."""
        return _STORED[stored]

    def text(self, value: str) -> str:
        """A text in quotes; texts are compared by their bytes."""
        return text_literal(value)

    def double(self, value: float) -> str:
        """The shortest decimal that reads back as itself."""
        return double_literal(value)

    def literal(self, value: Value, kind: Kind) -> str:
        """A constant of the kind."""
        return value_literal(value, kind)

    def list_rows(self, columns: Sequence[Listing]) -> str:
        """Rows of constants.

        >>> SPARK.list_rows([("place", [0, None], Kind.INTEGER)])
        '(SELECT * FROM VALUES (0L), (CAST(NULL AS BIGINT)) AS listed(place))'
        """
        names = ", ".join(name for name, _, _ in columns)
        rows = zip(*(values for _, values, _ in columns), strict=True)
        kinds = [kind for _, _, kind in columns]
        cells = [f"({', '.join(map(value_literal, row, kinds))})" for row in rows]
        if cells:
            return f"(SELECT * FROM VALUES {', '.join(cells)} AS listed({names}))"
        nothing = ", ".join(f"{value_literal(None, kind)} AS {name}" for name, _, kind in columns)
        return f"(SELECT {nothing} WHERE FALSE)"

    def list_numbers(self, count: int) -> str:
        """A range."""
        return f"(SELECT id AS group_id FROM range({count})) AS every"

    def pick(self, values: Sequence[float], place: str) -> str:
        """An element of an array; beyond its end, `get` is NULL."""
        kind = Kind.NUMBER if values and isinstance(values[0], float) else Kind.INTEGER
        listed = ", ".join(value_literal(each, kind) for each in values)
        return f"get(array({listed}), CAST(({place}) - 1 AS INT))"

    def place_of_text(self, value: str, enumeration: Callable[[], str]) -> None:
        """A text is joined with a list: there are no enumerations."""

    def semi_join(self, rows: str, among: str, *, anti: bool = False) -> str:
        """Spark has the join."""
        return f"{rows} LEFT {'ANTI' if anti else 'SEMI'} JOIN {among} USING (unit)"

    def semi_join_on(self, left: str, right: str, condition: str, *, anti: bool = False) -> str:
        """Spark has the join."""
        how = "ANTI" if anti else "SEMI"
        return f"{left} AS left_side LEFT {how} JOIN {right} AS right_side ON {condition}"

    def total(self, value: str, *, wide: bool = False) -> str:
        """A sum of decimals, which has ten digits more than they: one of BIGINT would overflow, and raise."""
        return f"sum({value})" if wide else f"sum(CAST(({value}) AS DECIMAL(19,0)))"

    def quotient(self, value: str, divisor: str, *, wide: bool) -> str:
        """The operator of integers; of decimals, a division of the multiple of the divisor below.

        NULL where a quotient of decimals has more than 32 digits, which only who is below every bound has.
        """
        if not wide:
            return f"(({value}) div ({divisor}))"
        one, two = f"CAST({value} AS {_WIDE})", f"CAST({divisor} AS {_WIDE})"
        return f"CAST(try_divide({one} - {one} % {two}, {two}) AS {_WIDE})"

    def narrow(self, value: str, stored: str = "BIGINT") -> str:
        """A cast that cannot fail."""
        return f"try_cast({value} AS {self.type(stored)})"

    def bit(self, place: str) -> str:
        """A shift of one."""
        return f"shiftleft(1L, CAST({place} AS INT))"

    def count_bits(self, word: str) -> str:
        """The function."""
        return f"bit_count({word})"

    def has_bit(self, word: str, place: str) -> str:
        """A shift and a mask."""
        return f"(shiftright({word}, CAST({place} AS INT)) & 1L) = 1L"

    def arithmetic(self, sign: str, kind: Kind, left: str, right: str, *, minus_one: bool) -> str:
        """The operator, or the function that is NULL where an integer overflows; a division by zero is NULL."""
        if sign in {"/", "%"}:
            zero = "0D" if kind is Kind.NUMBER else "0L"
            return f"({left} {sign} nullif({right}, {zero}))"
        if kind is Kind.INTEGER:
            return f"{_TRIED[sign]}({left}, {right})"
        return f"({left} {sign} {right})"

    def negate(self, value: str, kind: Kind) -> str:
        """The operator, or a difference that cannot fail."""
        return f"try_subtract(0L, {value})" if kind is Kind.INTEGER else f"(- {value})"

    def convert(self, value: str, since: Kind, kind: Kind) -> str:
        """A cast, of what is within its range."""
        if (since, kind) == (Kind.NUMBER, Kind.INTEGER):
            return nearest_integer(value)
        return f"CAST({value} AS {TYPES[kind]})"

    def parse(self, value: str, kind: Kind) -> str:
        """A cast that cannot fail of what looks like a value."""
        if kind is Kind.TEXT:
            return value
        if kind is Kind.BOOLEAN:
            words = boolean_cases(text_literal)
            plain = "CASE WHEN octet_length({x}) = length({x}) THEN CASE lower({x}) {words} END END"
            return write_once(value, lambda x: plain.format(x=x, words=words))
        pattern = text_literal(rf"\A(?:{TEXT_PATTERNS[kind]})\z")
        return write_once(
            value,
            lambda x: f"CASE WHEN {x} RLIKE {pattern} THEN try_cast({x} AS {TYPES[kind]}) END",
        )

    def like(self, value: str, pattern: str) -> str:
        """A regular expression that never goes back over what a wild card has taken.

        Claim:      matching takes no longer than the text times the pattern, and means what LIKE means.
        Because:    what stands between two % is found at the first place where it is, in a group that is never left
                    again: if a text is like the pattern, it is so with the first places.
        Checked by: tests/unit/engines/spark/test_dialect.py::test_patterns_take_no_longer_than_the_text
        """
        tokens = tokens_of(pattern)
        if tokens is None:
            return f"CASE WHEN {value} IS NOT NULL THEN FALSE END"
        parts = [""]
        for token in tokens:
            if token is Wild.ANY_TEXT:
                parts.append("")
            else:
                parts[-1] += "." if isinstance(token, Wild) else f"\\x{{{ord(token):x}}}"
        first, *rest = parts
        middle = "".join(f"(?>.*?{part})" for part in rest[:-1] if part)
        last = f".*{rest[-1]}" if rest else ""
        expression = rf"(?s)\A{first}{middle}{last}\z"
        return f"({value} RLIKE {text_literal(expression)})"

    def call(self, expression: Called, operands: Sequence[str]) -> str:
        """A function, as `functions.py` writes it."""
        return call_sql(expression, operands)

    def is_same(self, one: str, other: str, kind: Kind) -> str:
        """The operator, which rows can be joined by."""
        return f"({one} <=> {other})"

    def is_nan(self, number: str) -> str:
        """To Spark, NaN equals NaN; its function says of NULL that it is none."""
        return f"({number} = CAST('NaN' AS DOUBLE))"

    def is_finite(self, number: str) -> str:
        """NaN is above all numbers."""
        return is_finite(number)

    def is_text(self, value: str) -> str:
        """Spark keeps bytes that are no UTF-8, too, which no client can read."""
        return f"is_valid_utf8({value})"

    def round_steps(self, number: str, scale: float) -> str:
        """A product of doubles, and a floor that is one."""
        return floor_double(f"(CAST({number} AS DOUBLE) * {double_literal(scale)} + 0.5D)")

    def log2(self, number: str) -> str:
        """The function, which is NULL at zero."""
        return f"log2({number})"

    def days(self, value: str) -> str:
        """The function."""
        return f"unix_date({value})"

    def microseconds(self, value: str) -> str:
        """The function, of a moment in the session's zone, which is UTC."""
        return count_microseconds(value)

    def bits(self, number: str) -> str:
        """Its sign, its exponent and its mantissa, from its digits in base sixteen."""
        return write_once(number, _bits)

    def hash(self, text: str) -> str:
        """The function, which gives hexadecimal digits."""
        return f"sha2({text}, 256)"

    def secret(self, digits: str) -> str:
        """Where the session keeps them: Spark writes statements and plans down, and no rows that a client sends."""
        return f"(SELECT digits FROM {SECRET})"


SPARK = SparkDialect()
"""The dialect of Spark."""


def _bits(number: str) -> str:
    """The 64 bits of a double, from its digits in base sixteen: Spark has no function for them.

    Claim:      different numbers have different bits, and NULL has none, so that no two unknown keys share a hash.
    Because:    a double is its sign, exponent and mantissa; `format_string` writes NULL as a word, so NULL is kept out.
    Checked by: tests/laws/test_spark_conformance.py::test_keys_are_hashed_by_the_same_texts_in_spark
    """
    digits = f"format_string('%a', abs({number}))"
    mantissa = f"rpad(regexp_extract({digits}, '[.]([0-9a-f]+)p', 1), 13, '0')"
    exponent = (
        f"CASE WHEN startswith({digits}, '0x1') "
        f"THEN CAST(regexp_extract({digits}, 'p(.*)', 1) AS INT) + 1023 ELSE 0 END"
    )
    sign = f"CASE WHEN {number} < 0D THEN 2048 ELSE 0 END"
    bits = (
        f"concat(lpad(bin({sign} + {exponent}), 12, '0'), lpad(conv({mantissa}, 16, 2), 52, '0'))"
    )
    return f"CASE WHEN {number} IS NOT NULL THEN {bits} END"
