"""What every function means: a table of functions, kinds and places, from which statements are generated.

A line of FUNCTIONS adds a function, a line of AGGREGATES an aggregate, and a line of PLACES a place in which functions
may stand; everything else follows.  A cell is a function with arguments of certain kinds in a place.  It is either
accepted, and then it has a statement of ours and one of plain DuckDB that mean the same, or refused for a reason.

A kind is a letter: b(oolean), i(nteger), n(umber), t(ext), d(ate), m(oment).
"""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from itertools import product
from typing import Any

from tacit.plan import Column, Kind

KINDS = dict(zip("bintdm", Kind, strict=True))

# ---------------------------------------------------------------- the rows

POOLS: dict[str, list[Any]] = {
    "b": [True, False],
    "i": [0, 1, -1, 2, 3, -3, 7, 10, -10, 100],
    "n": [0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 1.0, 3.0, -3.5, 10.0, 0.125, -1.0],
    "t": [
        *("a", "A", "", "b", "ab", "aab", "a%b", "a_b", "a\\b", "é", "a\nb", "it's", "true"),
        *("12", "-3", "+7", "2.5", "1e2", "-.5", "x12", " 12", "99999999999999999999"),
        *("2024-02-29", "2023-02-29", "2024-02-29 12:30:00", "1999-12-31"),
    ],
    "d": [
        date(1970, 1, 1),
        date(2024, 2, 29),
        date(2024, 2, 28),
        date(1999, 12, 31),
        date(1969, 12, 31),
    ],
    "m": [
        datetime(2024, 2, 29),  # noqa: DTZ001 -- columns without a zone hold UTC
        datetime(2024, 2, 29, 12, 30, 15, 1),  # noqa: DTZ001
        datetime(1969, 12, 31, 23, 59, 59, 999999),  # noqa: DTZ001
        datetime(1970, 1, 1),  # noqa: DTZ001
        datetime(2025, 1, 1),  # noqa: DTZ001
    ],
}
"""What is in the columns of each kind."""
KEYS: dict[str, tuple[Any, ...]] = {
    "b": (False, True),
    "i": (3, -1, 2, 10),
    "n": (Fraction(5, 2), Fraction(-1, 2), 0, Fraction(1, 2)),
    "t": ("b", "a", "12", "A"),
    "d": (date(2024, 2, 29), date(1970, 1, 1), date(2024, 2, 28)),
    "m": (POOLS["m"][0], POOLS["m"][2], POOLS["m"][1], POOLS["m"][3]),
}
"""The public values of the keys of each kind, in no order; constants of the kind are among them."""
UNDECLARED: dict[str, Any] = {
    "i": 77,
    "n": 0.1,
    "t": "B",
    "d": date(2000, 1, 1),
    "m": datetime(2000, 1, 1, 1),  # noqa: DTZ001
}
LITERALS = {
    "b": ("FALSE", "TRUE", "TRUE"),
    "i": ("-1", "2", "10"),
    "n": ("-0.5", "0.5", "2.5"),
    "t": ("'A'", "'a'", "'b'"),
    "d": ("DATE '1970-01-01'", "DATE '2024-02-28'", "DATE '2024-02-29'"),
    "m": (
        "TIMESTAMP '1970-01-01'",
        "TIMESTAMP '2024-02-29 00:00:00'",
        "TIMESTAMP '2024-02-29 12:30:15.000001'",
    ),
}
"""Three constants of each kind, in order."""


def written(literal: str, *, plain: bool) -> str:
    """A constant as DuckDB has to be told: a number with a point is a double here, and would be a DECIMAL there."""
    return f"{literal}e0" if plain and "." in literal and literal[-1].isdigit() else literal


ROWS = 36
BOUNDS = {"i": (-128, 128), "n": (-128, 128)}
STORED = {
    "b": "BOOLEAN",
    "i": "BIGINT",
    "n": "DOUBLE",
    "t": "VARCHAR",
    "d": "DATE",
    "m": "TIMESTAMP",
}


def columns() -> dict[str, tuple[Column, list[Any]]]:
    """By name: every column and its cells.  Of each kind two that may be NULL and two that may not, and as many keys.

    The sum of `code` over some rows tells which rows they are.
    """
    dice = random.Random(8)
    found: dict[str, tuple[Column, list[Any]]] = {
        "row": (
            Column("row", Kind.INTEGER, values=tuple(range(ROWS)), nullable=False),
            list(range(ROWS)),
        ),
        "code": (
            Column("code", Kind.INTEGER, 0, 1 << ROWS, nullable=False),
            [1 << row for row in range(ROWS)],
        ),
        "who": (Column("who", Kind.INTEGER), [row % 7 for row in range(ROWS)]),
    }
    for letter, full, slot in product(KINDS, (False, True), (0, 1)):
        name = f"{letter}{slot}{'_full' if full else ''}"
        cells = _dealt(dice, POOLS[letter], nulls=0 if full else 7)
        low, high = BOUNDS.get(letter, (None, None))
        found[name] = Column(name, KINDS[letter], low, high, nullable=not full), cells
        declared = [float(key) if letter == "n" else key for key in KEYS[letter]]
        cells = _dealt(
            dice, declared if full else [*declared, UNDECLARED.get(letter)], nulls=0 if full else 4
        )
        key = Column(f"k{name}", KINDS[letter], low, high, KEYS[letter], nullable=not full)
        found[f"k{name}"] = key, cells
    return found


def _dealt(dice: random.Random, pool: list[Any], nulls: int) -> list[Any]:
    """Cells with every value of the pool, some of them NULL."""
    cells = [pool[place % len(pool)] for place in range(ROWS - nulls)] + [None] * nulls
    dice.shuffle(cells)
    return cells


# ---------------------------------------------------------------- functions


@dataclass(frozen=True, slots=True)
class Function:
    """One function or operator.

    `text` is its form, with {0} and {1} for its arguments and {0.low}, {0.mid}, {0.high} for constants of their kinds.
    `takes` lists the kinds of arguments with which it is accepted; with all others it is refused, for `reason`.
    `gives` is the kind of what it gives: a letter, the place of an argument, or + for the wider of both.
    `plain` is what plain DuckDB has to be asked where our meaning differs from its own, on purpose: this is the one
    place that says so.  `over` are the kinds that are tried, all of them if it is empty, but for those that another
    line tries, `elsewhere`; `after` are kinds that are
    taken after release too, where no bounds are needed; `bounded` says whether what it gives can be summed, and
    `literals` whether constants may stand for its arguments; `keyed`, whether what it gives can be listed, as a key.
    """

    text: str
    takes: str
    gives: str
    reason: str = ""
    plain: str = ""
    over: str = ""
    elsewhere: str = ""
    after: str = ""
    bounded: bool = True
    literals: bool = True
    keyed: bool = True

    @property
    def slots(self) -> int:
        return 1 + max((int(slot) for slot in re.findall(r"\{(\d)", self.text)), default=-1)

    @property
    def tried(self) -> list[str]:
        """The kinds of arguments with which it is tried."""
        every = self.over.split() or ["".join(kinds) for kinds in product(KINDS, repeat=self.slots)]
        return [kinds for kinds in every if kinds not in self.elsewhere.split()]

    def result(self, kinds: str) -> str:
        if self.gives == "+":
            return {frozenset("in"): "n", frozenset("dm"): "m"}.get(frozenset(kinds), kinds[0])
        return kinds[int(self.gives)] if self.gives.isdigit() else self.gives


NUMERIC = "ii in ni nn"
TRUTHS = "bb bi bn ib nb"
"""Conditions are calculated with as 1 and 0, which DuckDB does not do: tests/laws/functions.py has them."""
ALIKE = f"bb tt dd dm md mm {NUMERIC}"
ORDERED = f"tt dd dm md mm {NUMERIC}"
LISTED = f"bb tt dd md mm {NUMERIC}"
EVERY = " ".join(KINDS)
TURNED = "bi in nt td dm mb"
UNLIKE = (
    r"values of type \w+ and \w+ cannot be compared|true and false cannot be ordered|"
    r"this is not a valid (date|timestamp)"
)
NO_NUMBER = (
    r"arithmetic needs numbers, but this is of type \w+|"
    r"\w+ [-+*/%] \w+ is not supported"
)
NO_CONDITION = r"a condition is needed here, but this is of type \w+"
MIXED = r"the branches of this CASE have different types: \w+ and \w+"
NO_TEXT = r"LIKE needs text, but this is of type \w+"
NO_BOUND = (
    r"the divisor may be arbitrarily close to zero, so the quotient has no bound|" + NO_NUMBER
)
NO_CAST = r"a value of type \w+ cannot be cast to \w+"
UNKNOWN = r"the values of .* are private and not declared; unknown keys need delta > 0"
NO_NUMERAL = r"\w+ takes numbers, but this is of type \w+"
NO_WORDS = r"(\w+|\|\|) takes text, but this is of type \w+"
NO_TIME = (
    r"\w+ takes dates and timestamps, but this is of type \w+|this is not a valid (date|timestamp)"
)
NO_CHOICE = (
    r"the arguments of [A-Z ]+ have different types: \w+ and \w+|"
    r"this is not a valid (date|timestamp)|true and false cannot be ordered"
)
ALWAYS_NULL = r"to (calculate|compare) with NULL always gives NULL"


READ_WHOLE = (
    "TRY_CAST(CASE WHEN regexp_full_match({0}, '[+-]?[0-9]{{1,19}}') THEN {0} END AS BIGINT)"
)
READ_NUMBER = "TRY_CAST(CASE WHEN regexp_matches({0}, '^[+-]?[0-9.]+([eE][+-]?[0-9]+)?$') THEN {0} END AS DOUBLE)"
READ_DAY = "TRY_CAST(CASE WHEN regexp_full_match({0}, '[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}') THEN {0} END AS DATE)"

FUNCTIONS = [
    Function("{0}", EVERY, "0"),
    Function("({0})", EVERY, "0"),
    # comparisons
    Function("{0} = {1}", ALIKE, "b", UNLIKE),
    Function("{0} <> {1}", ALIKE, "b", UNLIKE),
    Function("{0} != {1}", "ii bb", "b", UNLIKE, over="ii bb it"),
    Function("{0} < {1}", ORDERED, "b", UNLIKE),
    Function("{0} <= {1}", ORDERED, "b", UNLIKE),
    Function("{0} > {1}", ORDERED, "b", UNLIKE),
    Function("{0} >= {1}", ORDERED, "b", UNLIKE),
    Function("{0} = '2024-02-29'", "t d m", "b", UNLIKE),
    Function("'2024-02-29 12:30:15.000001' > {0}", "t m", "b", UNLIKE),
    Function("{0} = NULL", "", "b", ALWAYS_NULL),
    Function("{0} BETWEEN {1} AND {1.high}", ORDERED, "b", UNLIKE),
    Function("{0} NOT BETWEEN {1.low} AND {1}", ORDERED, "b", UNLIKE),
    Function("{0} BETWEEN {1.high} AND {1.low}", ORDERED, "b", UNLIKE),
    Function("{0} IN ({1.low}, {1.high})", LISTED, "b", UNLIKE),
    Function("{0} NOT IN ({1.high}, {1.mid}, {1.high})", LISTED, "b", UNLIKE),
    Function("{0} IN ({1.mid})", LISTED, "b", UNLIKE),
    Function("{0} IN ({1.low}, NULL)", LISTED, "b", UNLIKE),
    Function("{0} NOT IN ({1.mid}, NULL)", LISTED, "b", UNLIKE),
    Function("{0} IS NULL", EVERY, "b"),
    Function("{0} IS NOT NULL", EVERY, "b"),
    # logic
    Function("{0} AND {1}", "bb", "b", NO_CONDITION),
    Function("{0} OR {1}", "bb", "b", NO_CONDITION),
    Function("NOT {0}", "b", "b", NO_CONDITION),
    Function("NOT ({0} AND NOT {1})", "bb", "b", NO_CONDITION),
    Function("{0} OR ({1} IS NULL AND NOT {0})", "bb bi bn bt bd bm", "b", NO_CONDITION),
    # text; a backslash takes the next character literally
    Function("{0} LIKE 'a%'", "t", "b", NO_TEXT),
    Function("{0} NOT LIKE '%b'", "t", "b", NO_TEXT),
    Function(
        "{0} LIKE ANY ('a%', '%b')", "t", "b", NO_TEXT, plain="({0} LIKE 'a%' OR {0} LIKE '%b')"
    ),
    Function(
        "{0} LIKE ALL ('a%', '%b')", "t", "b", NO_TEXT, plain="({0} LIKE 'a%' AND {0} LIKE '%b')"
    ),
    Function("{0} LIKE '_'", "t", "b", NO_TEXT),
    Function("{0} LIKE ''", "t", "b", NO_TEXT),
    Function("{0} LIKE 'a_b'", "t", "b", NO_TEXT),
    Function(r"{0} LIKE 'a\_b'", "t", "b", NO_TEXT, plain=r"{0} LIKE 'a\_b' ESCAPE '\'"),
    Function(r"{0} LIKE '%\%%'", "t", "b", NO_TEXT, plain=r"{0} LIKE '%\%%' ESCAPE '\'"),
    Function(r"{0} NOT LIKE 'a\\b'", "t", "b", NO_TEXT, plain=r"{0} NOT LIKE 'a\\b' ESCAPE '\'"),
    # calculating; what is divided by zero is NULL
    Function("{0} + {1}", NUMERIC, "+", NO_NUMBER, elsewhere=f"di id {TRUTHS}"),
    Function("{0} - {1}", NUMERIC, "+", NO_NUMBER, elsewhere=f"di dd {TRUTHS}"),
    Function("{0} * {1}", NUMERIC, "+", NO_NUMBER, elsewhere=TRUTHS),
    Function(
        *("{0} / {1}", "ii ni", "n", NO_BOUND, "{0} / NULLIF({1}, 0)"),
        elsewhere=TRUTHS,
        after="in nn",
        literals=False,
    ),
    Function("{0} / {1.mid}", NUMERIC, "n", NO_NUMBER, elsewhere=TRUTHS),
    Function(
        *("{0} / CASE WHEN {1} >= 0.5 THEN {1} END", NUMERIC, "n", f"{NO_NUMBER}|{UNLIKE}"),
        elsewhere=TRUTHS,
    ),
    Function("{0} % {1}", NUMERIC, "+", NO_NUMBER, plain="{0} % NULLIF({1}, 0)", elsewhere=TRUTHS),
    Function("{0} % {1.high}", NUMERIC, "+", NO_NUMBER, elsewhere=TRUTHS),
    Function("-{0}", "i n", "0", r"a minus sign needs a number, but this is of type \w+"),
    Function("- - {0}", "i n", "0", r"a minus sign needs a number, but this is of type \w+"),
    Function("{0} + NULL", "", "0", ALWAYS_NULL),
    Function("{0} - {1} * 2 + 1", NUMERIC, "+", NO_NUMBER, elsewhere=f"di db {TRUTHS}"),
    Function(
        *("({0} - {1}) * 2 + 1.5", f"dd {NUMERIC}", "n", NO_NUMBER),
        plain="({0} - {1}) * 2 + 1.5e0",
        elsewhere=TRUTHS,
    ),
    # choices
    Function("CASE WHEN {0} THEN {1} ELSE {1.low} END", "bb bi bn bt bd bm", "1", NO_CONDITION),
    Function("CASE WHEN {0} THEN {1} END", "bb bi bn bt bd bm", "1", NO_CONDITION),
    Function("CASE WHEN {0} THEN NULL ELSE {1} END", "bb bi bn bt bd bm", "1", NO_CONDITION),
    Function("CASE WHEN {0} IS NULL THEN {1} ELSE {0} END", "bb tt dd mm " + NUMERIC, "+", MIXED),
    Function(
        "CASE {0} WHEN {0.low} THEN {1} WHEN {0.mid} THEN {1.high} ELSE {1.low} END",
        TURNED,
        "1",
        over=TURNED,
    ),
    Function(
        "CASE {0} WHEN {1} THEN {1.high} END", LISTED.replace("md", "") + " dm md", "1", UNLIKE
    ),
    Function(
        "CASE WHEN {0} > {1} THEN {1} WHEN {0} < {1.low} THEN {1.low} ELSE {0} END",
        "tt dd mm " + NUMERIC,
        "+",
        f"{UNLIKE}|{MIXED}",
    ),
    # casts; of texts fewer are read than by DuckDB, and what cannot be read is NULL
    Function("CAST({0} AS BIGINT)", "b i n", "i", NO_CAST, over="b i n d m"),
    Function(
        "CAST({0} AS INT)", "b i n", "i", NO_CAST, plain="CAST({0} AS BIGINT)", over="b i n d m"
    ),
    Function("{0}::BIGINT", "b i n", "i", NO_CAST, over="b i n d m", literals=False),
    Function("TRY_CAST({0} AS BIGINT)", "t", "i", plain=READ_WHOLE, over="t", bounded=False),
    Function("CAST({0} AS DOUBLE)", "b i n", "n", NO_CAST, over="b i n d m"),
    Function("CAST({0} AS DOUBLE)", "t", "n", plain=READ_NUMBER, over="t", bounded=False),
    Function("CAST({0} AS VARCHAR)", "b i t d", "t", NO_CAST, after="n"),
    Function("{0}::TEXT", "b i t d", "t", NO_CAST, after="n", literals=False),
    Function("CAST({0} AS BOOLEAN)", "b i n", "b", NO_CAST),
    Function("CAST({0} AS DATE)", "d m", "d", NO_CAST, over="b i n d m"),
    Function("CAST({0} AS DATE)", "t", "d", plain=READ_DAY, over="t", literals=False, keyed=False),
    Function("CAST({0} AS TIMESTAMP)", "d m", "m", NO_CAST, literals=False),
    Function("CAST(CAST({0} AS BIGINT) AS VARCHAR)", "b i n", "t", NO_CAST, over="b i n d m"),
    # A DECIMAL is a double that was rounded, so a half of it that is cast to BIGINT becomes even, as of any double:
    # DuckDB rounds a half of its own DECIMAL away from zero, and has to be told to make it a double first.
    Function(
        "CAST({0} AS DECIMAL(10, 1))",
        "i n",
        "n",
        "only numbers can be cast to DECIMAL",
        plain="CAST(CAST({0} AS DECIMAL(10, 1)) AS DOUBLE)",
    ),
    Function(
        "TRY_CAST({0} AS NUMERIC)",
        "i n",
        "n",
        "only numbers can be cast to DECIMAL",
        plain="CAST(TRY_CAST({0} AS NUMERIC) AS DOUBLE)",
    ),
    Function(
        "CAST({0} AS SMALLINT)",
        "b i n",
        "i",
        NO_CAST,
        plain="CAST({0} AS BIGINT)",
        over="b i n d m",
    ),
    # functions that choose
    Function("COALESCE({0}, {1})", ALIKE, "+", NO_CHOICE),
    Function("IFNULL({0}, {1.low})", "bb tt dd mm " + NUMERIC, "+", NO_CHOICE, elsewhere="dm md"),
    Function(
        "COALESCE({0}, NULL, {1}, {1.high})",
        "tt mm " + NUMERIC,
        "+",
        NO_CHOICE,
        over="tt mm it " + NUMERIC,
    ),
    Function("NULLIF({0}, {1})", LISTED, "0", NO_CHOICE),
    Function("LEAST({0}, {1})", ORDERED, "+", NO_CHOICE),
    Function("GREATEST({0}, {1})", ORDERED, "+", NO_CHOICE),
    Function(
        "GREATEST({0}, NULL, {1}, {1.mid})",
        "tt mm " + NUMERIC,
        "+",
        NO_CHOICE,
        over="tt mm bb " + NUMERIC,
    ),
    Function("{0} IS DISTINCT FROM {1}", ALIKE, "b", NO_CHOICE),
    Function("{0} IS NOT DISTINCT FROM {1}", ALIKE, "b", NO_CHOICE),
    Function("{0} IS TRUE", "b", "b", NO_CONDITION),
    Function("{0} IS NOT FALSE", "b", "b", NO_CONDITION),
    Function("IF({0}, {1}, {1.low})", "bb bi bn bt bd bm", "1", NO_CONDITION),
    # functions of numbers; where there is none it is NULL
    Function(
        "{0} // {1}",
        "ii",
        "i",
        r"// takes whole numbers, but this is of type \w+",
        "{0} // NULLIF({1}, 0)",
    ),
    Function("MOD({0}, {1.high})", NUMERIC, "+", NO_NUMBER, elsewhere=TRUTHS),
    Function("ABS({0})", "i n", "0", NO_NUMERAL),
    Function("SIGN({0})", "i n", "i", NO_NUMERAL),
    Function("ROUND({0})", "i n", "0", NO_NUMERAL),
    Function("ROUND({0}, 1)", "i n", "0", NO_NUMERAL),
    Function("ROUND({0}, -1)", "i n", "0", NO_NUMERAL, literals=False),
    # of an integer an integer, where DuckDB gives a double, which as text has a point
    Function("FLOOR({0})", "i", "i", plain="CAST(FLOOR({0}) AS BIGINT)", over="i", literals=False),
    Function("FLOOR({0})", "n", "n", NO_NUMERAL, elsewhere="i", literals=False),
    Function("CEIL({0})", "i", "i", plain="CAST(CEIL({0}) AS BIGINT)", over="i"),
    Function("CEIL({0})", "n", "n", NO_NUMERAL, elsewhere="i"),
    Function("TRUNC({0})", "i n", "0", NO_NUMERAL, literals=False),
    Function("SQRT({0})", "i n", "n", NO_NUMERAL, plain="CASE WHEN {0} >= 0 THEN SQRT({0}) END"),
    Function(
        "LN({0})", "i n", "n", NO_NUMERAL, plain="CASE WHEN {0} > 0 THEN LN({0}) END", keyed=False
    ),
    Function(
        "LOG({0})",
        "i n",
        "n",
        NO_NUMERAL,
        plain="CASE WHEN {0} > 0 THEN LOG10({0}) END",
        keyed=False,
    ),
    Function("EXP({0})", "i n", "n", NO_NUMERAL, keyed=False),
    Function("POWER({0}, 2)", "i n", "n", NO_NUMERAL, keyed=False),
    Function("POWER(2, {0})", "i n", "n", NO_NUMERAL, keyed=False),
    *(
        Function(f"{name}({{0}})", "i n", "n", NO_NUMERAL, keyed=False)
        for name in ("SIN", "COS", "ATAN")
    ),
    Function("TAN(SIN({0}))", "i n", "n", NO_NUMERAL, keyed=False),
    *(
        Function(
            *(f"{name}({{0}})", "i n", "n", NO_NUMERAL),
            plain=f"CASE WHEN {{0}} BETWEEN -1 AND 1 THEN {name}({{0}}) END",
            keyed=False,
        )
        for name in ("ASIN", "ACOS")
    ),
    Function(
        *("ATAN2({0}, {1})", NUMERIC, "n", NO_NUMERAL),
        plain="ATAN2(0 - (0 - {0}), 0 - (0 - {1}))",
        keyed=False,
    ),
    *(
        Function(
            *(f"{name}({{0}})", "i n", "n", NO_NUMBER), plain=f"{{0}} * {share}", elsewhere="b"
        )
        for name, share in (
            ("RADIANS", "17453292519943295e-18"),
            ("DEGREES", "57.29577951308232e0"),
        )
    ),
    Function("{0} * PI()", "i n", "n", NO_NUMBER, elsewhere="b"),
    Function("CBRT({0})", "i n", "n", NO_NUMERAL, keyed=False),
    Function("{0} SIMILAR TO 'a%'", "t", "b", plain="REGEXP_FULL_MATCH({0}, '(?s)a.*')", over="t"),
    Function("{0} GLOB 'a*'", "t", "b", over="t"),
    # functions of texts
    Function("LOWER({0})", "t", "t", NO_WORDS),
    Function("UPPER({0})", "t", "t", NO_WORDS),
    Function("TRIM({0})", "t", "t", NO_WORDS),
    Function("LTRIM({0})", "t", "t", NO_WORDS),
    Function("RTRIM({0})", "t", "t", NO_WORDS),
    Function("LENGTH({0})", "t", "i", NO_WORDS, bounded=False),
    Function("LENGTH(SUBSTR({0}, 2, 3))", "t", "i", NO_WORDS),
    Function("SUBSTR({0}, 2)", "t", "t", NO_WORDS),
    Function("SUBSTRING({0}, 1, 2)", "t", "t", NO_WORDS),
    Function("RIGHT(LEFT({0}, 3), 2)", "t", "t", NO_WORDS),
    Function(
        "STARTS_WITH({0}, 'a_') OR ENDS_WITH({0}, 'b') OR CONTAINS({0}, '%') OR PREFIX({0}, '12') OR SUFFIX({0}, '-3')",
        "t",
        "b",
        NO_TEXT,
    ),
    Function("REPLACE({0}, 'a', 'bb')", "t", "t", NO_WORDS),
    Function("SPLIT_PART({0}, 'a', 2)", "t", "t", NO_WORDS),
    Function("STRPOS({0}, 'b')", "t", "i", NO_WORDS, bounded=False),
    Function("LPAD({0}, 3, 'x')", "t i", "t", NO_WORDS, plain="LPAD(CAST({0} AS VARCHAR), 3, 'x')"),
    Function("RPAD({0}, 3, 'é')", "t i", "t", NO_WORDS, plain="RPAD(CAST({0} AS VARCHAR), 3, 'é')"),
    Function("REGEXP_MATCHES({0}, '^[a-z]+_?b|[0-9]$')", "t", "b", NO_WORDS),
    Function("CONCAT_WS('-', {0}, {1})", "tt ti it ii", "t", NO_WORDS),
    Function("CONCAT({0}, '-', {1})", "tt ti it ii", "t", NO_WORDS),
    Function(
        "{0} || {1}", "tt ti it ii", "t", NO_WORDS, "CAST({0} AS VARCHAR) || CAST({1} AS VARCHAR)"
    ),
    Function("{0} ILIKE 'A%'", "t", "b", NO_WORDS),
    Function("{0} NOT ILIKE '%B'", "t", "b", NO_WORDS),
    # functions of days and moments
    Function("EXTRACT(year FROM {0})", "d m", "i", NO_TIME),
    Function("EXTRACT(epoch FROM {0})", "d m", "n", NO_TIME),
    Function("DATE_PART('dow', {0})", "d m", "i", NO_TIME),
    Function("YEAR({0}) * 100 + MONTH({0})", "d m", "i", NO_TIME),
    Function("QUARTER({0}) + WEEK({0})", "d m", "i", NO_TIME),
    Function("DAY({0}) - DAYOFMONTH({0})", "d m", "i", NO_TIME),
    Function("DAYOFWEEK({0}) + ISODOW({0}) * 10 + DAYOFYEAR({0}) * 100", "d m", "i", NO_TIME),
    Function("HOUR({0}) * 10000 + MINUTE({0}) * 100 + SECOND({0})", "d m", "i", NO_TIME),
    Function("EPOCH({0})", "d m", "n", NO_TIME),
    Function("DATE_TRUNC('month', {0})", "d m", "m", NO_TIME),
    Function("STRFTIME({0}, '%Y-%m')", "d m", "t", NO_TIME),
    Function(
        "STRFTIME({0}, 'it''s %a %H:%M:%S') || MONTHNAME({0}) || DAYNAME({0})",
        "d m",
        "t",
        NO_TIME,
        over="m t",
    ),
    Function(
        "TO_CHAR({0}, 'YYYY/MM/DD HH24:MI')",
        "d m",
        "t",
        NO_TIME,
        "STRFTIME({0}, '%Y/%m/%d %H:%M')",
        over="m",
    ),
    Function("DATE_TRUNC('week', {0})", "d m", "m", NO_TIME),
    # Of days DuckDB 2.0 compares hours wrongly: to it DATE_TRUNC('hour', day) > TIMESTAMP '2024-02-29' on that day.
    Function("DATE_TRUNC('hour', {0})", "m", "m", over="m"),
    Function("DATE_TRUNC('year', CAST({0} AS DATE))", "d m", "m", NO_CAST, over="b i n d m"),
    Function("{0} + INTERVAL 1 MONTH", "d m", "m", NO_TIME),
    Function("{0} - INTERVAL '40 days'", "d m", "m", NO_TIME),
    Function("INTERVAL 90 MINUTE + {0}", "d m", "m", NO_TIME),
    Function("{0} + {1}", "di", "d", plain="{0} + CAST({1} AS INTEGER)", over="di"),
    Function("{0} + {1}", "id", "d", plain="CAST({0} AS INTEGER) + {1}", over="id"),
    Function("{0} - {1}", "di", "d", plain="{0} - CAST({1} AS INTEGER)", over="di"),
    Function("{0} - {1}", "dd", "i", over="dd"),
    Function("EXTRACT(EPOCH FROM ({0} - {1}))", "mm", "n", over="mm"),
    Function("{0} - {1} < INTERVAL 3 DAY", "mm", "b", over="mm"),
    Function("DATE_DIFF('day', {0}, {1})", "dd dm md mm", "i", NO_TIME),
    Function("DATE_DIFF('month', {0}, {1})", "dd dm md mm", "i", NO_TIME),
    Function("DATEDIFF('hour', {0}, {1})", "dd dm md mm", "i", NO_TIME),
    # what is made of others
    Function("DATE({0})", "d m", "d", NO_CAST, "CAST({0} AS DATE)", over="d m"),
    Function("LAST_DAY({0})", "d m", "d", NO_TIME, over="m n"),
    Function(
        "MAKE_DATE(2024, 2, {0})",
        "i",
        "d",
        plain="CASE WHEN {0} BETWEEN 1 AND 29 THEN MAKE_DATE(2024, 2, {0}) END",
        over="i",
    ),
    Function("SAFE_DIVIDE({0}, {1.mid})", "in", "n", NO_NUMBER, "{0} / {1.mid}", over="in"),
    Function("TO_TIMESTAMP({0})", "i", "m", plain="make_timestamp({0} * 1000000)", over="i"),
    Function(
        "WIDTH_BUCKET({0}, 0, 10, 5)",
        "n",
        "i",
        NO_NUMBER,
        "CAST(FLOOR(LEAST(GREATEST({0} / 2, -1), 5)) AS BIGINT) + 1",
        over="n t",
    ),
    Function("TIME_BUCKET(INTERVAL '3 days', {0})", "m", "m", NO_TIME, over="m i"),
    Function(
        "{0} AT TIME ZONE 'UTC'",
        "d m",
        "m",
        r"AT TIME ZONE takes a timestamp, but this is of type \w+",
        "CAST({0} AS TIMESTAMP)",
        over="d m t",
        literals=False,
    ),
    Function(
        "DATE_ADD({0}, INTERVAL 1 MONTH)", "m", "m", NO_TIME, "{0} + INTERVAL 1 MONTH", over="m b"
    ),
    Function("REGEXP_FULL_MATCH({0}, '[a-z]+|[0-9]')", "t", "b", NO_WORDS, over="t d"),
]

NOT_RANKED = (
    r"quantiles, MIN and MAX need a number, a date or a timestamp, but this is of type \w+"
    "|this has no declared range, and quantiles, MIN and MAX need one"
)
AGGREGATES = [
    Function("COUNT(*)", "", "i"),
    Function("COUNT({0})", EVERY, "i"),
    Function("COUNT(DISTINCT who)", "", "i"),
    Function(
        "SUM({0})",
        "i n b",
        "0",
        r"SUM and AVG need a number, but this is of type \w+",
        "COALESCE(SUM({0}), 0)",
        literals=False,
    ),
    Function(
        "AVG({0})",
        "i n b",
        "n",
        r"SUM and AVG need a number, but this is of type \w+",
        "AVG(CAST({0} AS DOUBLE))",
        literals=False,
    ),
    Function("AVG({0} * {1.low})", NUMERIC, "n", NO_NUMBER, elsewhere=TRUTHS),
    *(
        Function(text, "i n", "0", NOT_RANKED, f"COALESCE({plain}, -128)", literals=False)
        for text, plain in {
            "MEDIAN({0})": "QUANTILE_DISC({0}, 0.5)",
            "QUANTILE_DISC({0}, 0.9)": "QUANTILE_DISC({0}, 0.9)",
            "MIN({0})": "MIN({0})",
            "MAX({0})": "MAX({0})",
        }.items()
    ),
    Function("COUNT(DISTINCT {0})", EVERY, "i", literals=False),
    Function("COUNT(*) FILTER (WHERE {0})", "b", "i", NO_CONDITION),
    Function(
        "COUNT({0}) FILTER (WHERE {1})",
        "bb ib nb tb db mb",
        "i",
        NO_CONDITION,
        over="bb ib nb tb db mb it",
    ),
    Function("COUNT(DISTINCT who) FILTER (WHERE {0})", "b", "i", NO_CONDITION, literals=False),
    Function(
        "COUNT(DISTINCT {0}) FILTER (WHERE {1})",
        "tb",
        "i",
        NO_CONDITION,
        over="tb ti",
        literals=False,
    ),
    Function("COUNT_IF({0})", "b", "i", NO_CONDITION, "COALESCE(COUNT_IF({0}), 0)"),
    Function("COUNTIF({0})", "b", "i", NO_CONDITION, "COALESCE(COUNTIF({0}), 0)", over="b i"),
    Function(
        "SUM({0}) FILTER (WHERE {1})",
        "ib",
        "0",
        plain="COALESCE(SUM({0}) FILTER (WHERE {1}), 0)",
        over="ib",
        literals=False,
    ),
    Function("AVG({0}) FILTER (WHERE {1})", "nb", "n", over="nb", literals=False),
    Function(
        "VARIANCE({0})",
        "i n",
        "n",
        r"SUM and AVG need a number, but this is of type \w+",
        literals=False,
    ),
    Function("VAR_SAMP({0})", "i n", "n", over="i n", literals=False),
    Function("VAR_POP({0})", "i n", "n", over="i n", literals=False),
    Function("VAR_POP({0}) FILTER (WHERE {1})", "nb", "n", over="nb", literals=False),
    Function(
        "STDDEV({0})",
        "i n",
        "n",
        r"SUM and AVG need a number, but this is of type \w+",
        literals=False,
    ),
    Function("STDDEV_SAMP({0})", "i n", "n", over="i n", literals=False),
    Function("STDDEV_POP({0})", "i n", "n", over="i n", literals=False),
    Function("COVAR_SAMP({0}, {1})", NUMERIC, "n", over=NUMERIC, literals=False),
    Function("COVAR_POP({0}, {1})", NUMERIC, "n", over=NUMERIC, literals=False),
    Function(
        "CORR({0}, {1})",
        NUMERIC,
        "n",
        r"SUM and AVG need a number, but this is of type \w+",
        over=f"{NUMERIC} it",
        literals=False,
    ),
    Function(
        "APPROX_COUNT_DISTINCT({0})",
        "t",
        "i",
        plain="COUNT(DISTINCT {0})",
        over="t",
        literals=False,
    ),
    *(
        Function(f"REGR_{part}({{0}}, {{1}})", "in", "n", over="in", literals=False)
        for part in ("SLOPE", "INTERCEPT", "AVGX", "AVGY")
    ),
    *(
        Function(f"REGR_{part}({{0}}, {{1}})", "in", "n", plain=plain, over="in", literals=False)
        for part, plain in {
            "R2": "CORR({0}, {1}) * CORR({0}, {1})",
            "COUNT": "REGR_COUNT({0}, {1})",
            "SXX": "REGR_SXX({0}, {1})",
            "SYY": "REGR_SYY({0}, {1})",
            "SXY": "REGR_SXY({0}, {1})",
        }.items()
    ),
    Function(
        "SUM(CASE WHEN {0} IS NULL THEN 1 ELSE 0 END)",
        EVERY,
        "i",
        plain="COALESCE(COUNT_IF({0} IS NULL), 0)",
    ),
]

# ---------------------------------------------------------------- arguments


@dataclass(frozen=True, slots=True)
class Argument:
    """What stands for an argument: its text, and constants of its kind."""

    text: str
    kind: str
    plain: bool = False

    def __str__(self) -> str:
        return self.text

    @property
    def low(self) -> str:
        return written(LITERALS[self.kind][0], plain=self.plain)

    @property
    def mid(self) -> str:
        return written(LITERALS[self.kind][1], plain=self.plain)

    @property
    def high(self) -> str:
        return written(LITERALS[self.kind][2], plain=self.plain)


NULLABLE, FULL, LITERAL = "nullable", "full", "literal"
THOROUGH = [
    *product((NULLABLE, FULL), repeat=2),
    (NULLABLE, LITERAL),
    (LITERAL, NULLABLE),
    (FULL, LITERAL),
]
"""Whether each of two arguments is one that may be NULL, one that may not, or a constant."""
BOTH, FIRST, NEITHER = (NULLABLE, NULLABLE), (NULLABLE, FULL), (FULL, FULL)


def of_row(kind: str, null: str, slot: int) -> tuple[str, str]:
    """An argument over rows, ours and plain."""
    if null == LITERAL:
        return LITERALS[kind][1], written(LITERALS[kind][1], plain=True)
    text = f"{kind}{slot}{'_full' if null == FULL else ''}"
    return text, text


def of_key(kind: str, null: str, slot: int) -> tuple[str, str]:
    """An argument that one may group by."""
    text = f"k{kind}{slot}{'_full' if null == FULL else ''}"
    return text, text


def of_release(kind: str, null: str, slot: int) -> tuple[str, str]:
    """An argument over the release: a key, a measure, or a key where a mean is positive, else NULL."""
    if kind == "n":
        ours = {NULLABLE: "AVG(n0)", FULL: "kn0" if slot == 0 else "COUNT(*)", LITERAL: "SUM(i0)"}[
            null
        ]
        return ours, {"AVG(n0)": "avg_n0", "COUNT(*)": "count_all", "SUM(i0)": "sum_i0"}.get(
            ours, ours
        )
    if null == LITERAL:
        return LITERALS[kind][1], LITERALS[kind][1]
    key = f"k{kind}{slot}"
    if null == FULL:
        return key, key
    return f"CASE WHEN AVG(n0) > 0 THEN {key} END", f"CASE WHEN avg_n0 > 0 THEN {key} END"


# ---------------------------------------------------------------- what is observed of an expression


def itself(text: str, kind: str) -> list[str]:
    return [text]


def condition(text: str, kind: str) -> list[str]:
    """A condition that tells values of a kind apart."""
    return [text if kind == "b" else f"({text}) > {LITERALS[kind][1]}"]


def rows_told(text: str, kind: str) -> list[str]:
    """Aggregates that tell in how many rows an expression is NULL, and in which it is what."""
    (test,) = condition(text, kind)
    return [f"COUNT({text})", f"SUM(CASE WHEN {test} THEN code ELSE 0 END)"]


def numbers_told(text: str, kind: str) -> list[str]:
    """Aggregates of numbers."""
    return [f"COUNT({text})", f"SUM({text})"]


# ---------------------------------------------------------------- places


@dataclass(frozen=True, slots=True)
class Place:
    """Where an expression may stand.

    `argument` says what its arguments are there, `nulls` which of them are tried in haste, and `observe` what is asked
    of it.  `ours` and, where it is not the same, `plain` are statements with {x} for what is observed and {keys} for
    the keys that it needs; so many cells are asked `together`.  If `refuses`, kinds that a function does not take are
    tried, too: once for rows, and once for the release.  `kinds` are the kinds of results that are observed there;
    `constants` says whether a constant may stand there alone.  Where it stands in a question inside, `inside` names it
    v0, v1, …, statements have {v} for that, and what is observed are those names.

    A function means the same wherever it stands, so what every kind does is asked in the first place of rows and in the
    first of the release.  In a place that is `sampled` by "kinds", each function is tried with the first kinds of each
    result, and with the first that are refused; by "accepted", with all that are refused; by "first arguments",
    with the first kinds of each result and each first argument, of which all but the first are NULL in one way only.
    """

    name: str
    argument: Callable[[str, str, int], tuple[str, str]]
    nulls: list[tuple[str, str]]
    observe: Callable[[str, str], list[str]]
    ours: str
    plain: str = ""
    together: int = 1
    refuses: bool = False
    kinds: str = "bintdm"
    constants: bool = True
    inside: str = ""
    sampled: str = ""

    @property
    def of_rows(self) -> bool:
        return self.argument is of_row


GROUPS = """(SELECT {keys}, count(row)::DOUBLE AS count_all, coalesce(sum(i0), 0)::DOUBLE AS sum_i0, avg(n0) AS avg_n0
    FROM {tables} LEFT JOIN t USING ({keys}) GROUP BY {keys})"""
PLACES = [
    Place(
        "an aggregate",
        of_row,
        [FIRST, (FULL, LITERAL)],
        rows_told,
        "SELECT {x} FROM t",
        together=12,
    ),
    Place(
        "a sum",
        of_row,
        [BOTH, FIRST],
        numbers_told,
        "SELECT row, {x} FROM t GROUP BY row",
        together=8,
        kinds="in",
    ),
    Place(
        "where",
        of_row,
        [BOTH],
        condition,
        "SELECT SUM(code) AS x FROM t WHERE {x}",
        refuses=True,
        sampled="accepted",
    ),
    Place(
        "a key",
        of_key,
        [BOTH, NEITHER],
        itself,
        "SELECT {x}, COUNT(*) AS x, SUM(i0) AS y FROM t GROUP BY {x}",
        constants=False,
        sampled="first arguments",
    ),
    Place(
        # Of keys that are never NULL a function means what it means in ORDER BY, which is asked below.
        "having",
        of_release,
        [BOTH],
        condition,
        "SELECT {keys}, COUNT(*) AS x FROM t GROUP BY {keys} HAVING {x}",
        f"SELECT {{keys}}, count_all FROM {GROUPS} WHERE {{x}}",
        refuses=True,
        sampled="kinds",
    ),
    Place(
        "the answer",
        of_release,
        [BOTH],
        itself,
        "SELECT {keys}, COUNT(*) AS n, {x} FROM t GROUP BY {keys}",
        f"SELECT {{keys}}, count_all, {{x}} FROM {GROUPS}",
        together=4,
    ),
    Place(
        "order",
        of_release,
        [NEITHER],
        itself,
        "SELECT {keys}, COUNT(*) AS x FROM t GROUP BY {keys} ORDER BY {x}, {keys}",
        f"SELECT {{keys}}, count_all FROM {GROUPS} ORDER BY {{x}} NULLS LAST, {{keys}}",
        constants=False,
        sampled="kinds",
    ),
    Place(
        "a CTE",
        of_row,
        [BOTH],
        rows_told,
        "WITH c AS (SELECT who, code, {v} FROM t) SELECT {x} FROM c",
        together=12,
        inside="{x} AS v{i}",
        sampled="kinds",
    ),
    Place(
        "a join",
        of_row,
        [BOTH],
        rows_told,
        "SELECT {x} FROM (SELECT who, row, code, {v} FROM t) AS a "
        "JOIN (SELECT who, row AS place FROM t) AS b ON a.who = b.who AND a.row = b.place",
        together=12,
        inside="{x} AS v{i}",
        sampled="kinds",
    ),
    Place(
        "an inner aggregate",
        of_row,
        [BOTH],
        rows_told,
        "SELECT {x} FROM (SELECT who, row, MAX(code) AS code, {v} FROM t GROUP BY who, row) AS c",
        together=12,
        kinds="intdm",
        inside="MAX({x}) AS v{i}",
        sampled="kinds",
    ),
]
AGGREGATE_PLACES = {
    "all rows": ("SELECT {x} FROM t", "{x} AS x{i}"),
    "some rows": ("SELECT {x} FROM t WHERE i0 > 0", "{x} AS x{i}"),
    "no rows": (
        "SELECT {x} FROM t WHERE i0 > 1000",
        "{x} AS x{i}",
    ),
    "groups": ("SELECT kt0_full, {x} FROM t GROUP BY kt0_full", "{x} AS x{i}"),
    "having": ("SELECT kt0_full, COUNT(*) AS x FROM t GROUP BY kt0_full HAVING {x}", "{x} > 2"),
    "the answer": ("SELECT kt0_full, {x} FROM t GROUP BY kt0_full", "2 * {x} - 1 AS x{i}"),
    "order": (
        "SELECT kt0_full, COUNT(*) AS x FROM t GROUP BY kt0_full ORDER BY {x}",
        "{x} DESC, kt0_full",
    ),
}
"""Where an aggregate may stand, and how it is written there; columns, which have numbers, stand beside each other."""
OF_A_UNIT = {
    "SELECT {x} FROM (SELECT who, MAX(code) AS code, {v} AS v FROM t GROUP BY who) AS c": {
        "MIN({0})": "intdm",
        "MAX({0})": "intdm",
        "COUNT({0})": "bintdm",
        "COUNT(DISTINCT {0})": "bintdm",
        "SUM({0})": "in",
        "AVG({0})": "in",
        "COUNT(*)": "i",
        "ANY_VALUE({0})": "intdm",
        "BOOL_OR({0})": "b",
        "BOOL_AND({0})": "b",
        "ARG_MAX({0}, row)": "bintdm",
        "ARG_MIN({0}, row)": "bintdm",
        "FIRST({0} ORDER BY row)": "bintdm",
        "LAST({0} ORDER BY row)": "bintdm",
    },
    "SELECT {x} FROM (SELECT who, code, {v} AS v FROM t) AS c": {
        "ROW_NUMBER() OVER (PARTITION BY who ORDER BY row)": "i",
        "RANK() OVER (PARTITION BY who ORDER BY {0})": "bintdm",
        "DENSE_RANK() OVER (PARTITION BY who ORDER BY {0})": "bintdm",
        "LAG({0}) OVER (PARTITION BY who ORDER BY row)": "bintdm",
        "LEAD({0}, 2) OVER (PARTITION BY who ORDER BY row DESC)": "bintdm",
        "COUNT({0}) OVER (PARTITION BY who)": "bintdm",
        "MAX({0}) OVER (PARTITION BY who, b0_full)": "intdm",
        "MIN({0}) OVER (PARTITION BY who ORDER BY row)": "intdm",
        "SUM({0}) OVER (PARTITION BY who ORDER BY row)": "in",
        "AVG({0}) OVER (PARTITION BY who)": "in",
        "FIRST_VALUE({0}) OVER (PARTITION BY who ORDER BY row)": "intdm",
        "LAST_VALUE({0}) OVER (PARTITION BY who ORDER BY row "
        "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)": "intdm",
    },
}
"""What the rows of one unit become, the statements in which that stands, and the kinds of which it is tried."""
PLAIN_OF_A_UNIT = {"ANY_VALUE({0})": "MIN({0})"}
"""What DuckDB is asked, where what we mean is one of the answers that it may give."""
OVER_GROUPS = {
    "NTILE(2) OVER (ORDER BY kt0_full)",
    "PERCENT_RANK() OVER (ORDER BY kt0_full)",
    "SUM(COUNT(*)) OVER (ORDER BY kt0_full ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)",
    "AVG(COUNT(*)) OVER (ORDER BY kt0_full rows between 1 preceding and 1 following)",
    "CUME_DIST() OVER (ORDER BY COUNT(*))",
    "MEDIAN(COUNT(*)) OVER ()",
    "FIRST_VALUE(COUNT(*)) OVER (ORDER BY kt0_full DESC)",
    "LAST_VALUE(kt0_full) OVER (ORDER BY kt0_full ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)",
}
"""Windows over groups that are made of others."""
NO_AGGREGATES = {
    "SELECT COUNT(*) AS x FROM t WHERE {x} > 2": "an aggregate is not allowed here",
    "SELECT COUNT(*) AS x FROM t GROUP BY {x}": "an aggregate is not allowed here",
    "SELECT SUM({x}) AS x FROM t": "an aggregate is not allowed here",
}
"""Where it may not, and why."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A function with arguments of some kinds, which may be NULL or not, in a place."""

    function: Function
    place: Place
    kinds: str
    nulls: tuple[str, ...]

    @property
    def accepted(self) -> bool:
        return self.taken and (self.function.keyed or self.place.argument is not of_key)

    @property
    def taken(self) -> bool:
        """Whether the function takes arguments of these kinds."""
        after = self.function.after if self.place.argument is of_release else ""
        return not self.kinds or self.kinds in f"{self.function.takes} {after}".split()

    @property
    def reason(self) -> str:
        return UNKNOWN if self.taken else self.function.reason

    @property
    def result(self) -> str:
        return self.function.result(self.kinds)

    @property
    def ours(self) -> str:
        return self._formed(self.function.text, 0)

    @property
    def plain(self) -> str:
        return self._formed(self.function.plain or self.function.text, 1)

    def _formed(self, text: str, side: int) -> str:
        found = [
            Argument(self.place.argument(kind, null, slot)[side], kind, plain=side == 1)
            for slot, (kind, null) in enumerate(zip(self.kinds, self.nulls, strict=True))
        ]
        return text.format(*found)

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys that a statement about the release needs."""
        return tuple(dict.fromkeys(re.findall(r"\bk[a-z][01]\b", self.ours))) or ("ki0",)

    def __str__(self) -> str:
        return f"{self.ours} in {self.place.name}"


def cells_of(function: Function, place: Place, *, thorough: bool = False) -> Iterator[Cell]:
    """Every cell of a function in a place; one of each sort that is refused."""
    seen: set[str] = set()
    for kinds in _tried(function, place):
        taken = Cell(function, place, kinds, ()).taken
        sort = function.result(kinds) if taken else "refused"
        first = thorough or sort not in seen
        seen.add(sort)
        if not first and (place.sampled == "kinds" or (place.sampled == "accepted" and taken)):
            continue
        if place.sampled == "first arguments" and not thorough:
            if sort + kinds[:1] in seen:
                continue
            seen.add(sort + kinds[:1])
        ways = place.nulls if first or place.sampled != "first arguments" else place.nulls[:1]
        tried = [nulls[: len(kinds)] for nulls in (THOROUGH if thorough else ways)]
        if function.slots == 1 and place.of_rows:
            tried += [(FULL,), (LITERAL,)]
        for nulls in dict.fromkeys(tried):
            if LITERAL in nulls and not (function.literals and (place.constants or len(nulls) > 1)):
                continue
            cell = Cell(function, place, kinds, nulls)
            yield cell
            if not cell.accepted:
                break


def _tried(function: Function, place: Place) -> Iterator[str]:
    for kinds in function.tried:
        taken = Cell(function, place, kinds, ()).taken
        if taken and (
            function.result(kinds) not in place.kinds
            or (place.kinds == "in" and not function.bounded)
        ):
            continue  # it is observed in another place
        if taken or place.refuses:
            yield kinds


def statements(batch: Sequence[Cell]) -> tuple[str, str]:
    """The statements about some cells of one place that need the same keys, ours and plain."""
    place, keys = batch[0].place, batch[0].keys
    names = {"keys": ", ".join(keys), "tables": " CROSS JOIN ".join(f"of_{key}" for key in keys)}
    found = []
    for form, texts in (
        (place.ours, [cell.ours for cell in batch]),
        (place.plain, [cell.plain for cell in batch]),
    ):
        named = [f"v{i}" for i in range(len(batch))] if place.inside else texts
        observed = [
            each
            for text, cell in zip(named, batch, strict=True)
            for each in place.observe(text, cell.result)
        ]
        if place.together > 1:
            observed = [f"{each} AS x{i}" for i, each in enumerate(observed)]
        defined = ", ".join(place.inside.format(x=text, i=i) for i, text in enumerate(texts))
        found.append((form or place.ours).format(x=", ".join(observed), v=defined, **names))
    return found[0], found[1]


def nested(dice: random.Random, kind: str, depth: int) -> tuple[str, str]:
    """An expression of a kind over rows, made of functions inside functions, ours and plain."""
    if depth == 0 or dice.random() < 0.2:
        return of_row(kind, dice.choice((NULLABLE, NULLABLE, FULL, LITERAL)), dice.choice((0, 1)))
    giving = [
        (each, kinds)
        for each in FUNCTIONS
        for kinds in each.takes.split()
        if each.result(kinds) == kind
    ]
    function, kinds = dice.choice(giving)
    inside = [nested(dice, each, depth - 1) for each in kinds]
    ours, plain = (
        [
            Argument(f"({texts[side]})", each, plain=side == 1)
            for texts, each in zip(inside, kinds, strict=True)
        ]
        for side in (0, 1)
    )
    return function.text.format(*ours), (function.plain or function.text).format(*plain)
