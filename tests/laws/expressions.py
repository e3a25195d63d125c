"""All expressions, two deep: every operation over every sort of operand, with the constants at which numbers end.

What is listed here follows from the function list, the casts and the table of partial cases; a new function, cast or
setting is in it by itself.
"""

import random
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from fractions import Fraction
from itertools import product
from typing import Any

from tacit.errors import InvalidPlan
from tacit.plan import (
    ANGLES,
    CASTS,
    NEGATION,
    SETTINGS,
    Arithmetic,
    Called,
    Case,
    Cast,
    Column,
    Compared,
    Expression,
    Field,
    Function,
    IsNull,
    Kind,
    Literal,
    Negated,
    OneOf,
    operands,
    type_of,
)

LEAST, MOST = -(1 << 63), (1 << 63) - 1
WHOLE, NUMBER, TEXT, FLAG = Kind.INTEGER, Kind.NUMBER, Kind.TEXT, Kind.BOOLEAN
DAY, MOMENT = Kind.DATE, Kind.TIMESTAMP
FIRST_DAY, LAST_DAY = date(1, 1, 1), date(9999, 12, 31)
FIRST_MOMENT, LAST_MOMENT = datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999999)  # noqa: DTZ001 -- in UTC

SIGNS = ("+", "-", "*", "/", "%")
LITERALS: dict[Kind, list[Any]] = {
    WHOLE: [LEAST, -1, 0, 1, 7, 1 << 53, MOST],
    NUMBER: [
        Fraction(0),
        Fraction(1, 2),
        Fraction(-1),
        Fraction(-3, 2),
        Fraction(2) ** 53,
        Fraction(10) ** 300,
    ],
    TEXT: ["", "12", "2024-02-29", "x"],
    FLAG: [True],
    DAY: [FIRST_DAY, date(2024, 2, 29), LAST_DAY],
    MOMENT: [FIRST_MOMENT, LAST_MOMENT],
}
"""Constants of each kind; NaN and the infinities are none, but cells may hold them."""

HONEST = (
    Column("i0", WHOLE, -5, 7),
    Column("i1", WHOLE, LEAST, MOST),
    Column("i2", WHOLE),
    Column("i3", WHOLE, -1, 0),
    Column("i4", WHOLE, 0, 120, nullable=False),
    Column("n0", NUMBER, -100, 1000),
    Column("n1", NUMBER),
    Column("n2", NUMBER, Fraction(1, 8), 5, nullable=False),
    Column("n3", NUMBER, -(Fraction(10) ** 200), Fraction(10) ** 200),
    Column("t0", TEXT),
    Column("b0", FLAG),
    Column("d0", DAY),
    Column("d1", DAY, date(2023, 11, 15), date(2025, 3, 10)),
    Column("m0", MOMENT),
    Column("m1", MOMENT, datetime(2024, 1, 30, 22), datetime(2024, 3, 2, 3, 30)),  # noqa: DTZ001
)
"""Columns that are read as they are declared."""

FALSE = (
    Column("i0", WHOLE, 0, 0, nullable=False),
    Column("i1", WHOLE, 0, 1, nullable=False),
    Column("i2", WHOLE, 1, 1, nullable=False),
    Column("i3", WHOLE, 2, 9),
    Column("n0", NUMBER, 1, 1, nullable=False),
    Column("n1", NUMBER, 0, 1),
    Column("n2", NUMBER, Fraction(1, 8), 5, nullable=False),
    Column("t0", TEXT),
    Column("b0", FLAG),
    Column("d0", DAY, date(2024, 1, 1), date(2024, 1, 1)),
    Column("m0", MOMENT, datetime(2024, 1, 1), datetime(2024, 1, 2)),  # noqa: DTZ001
)
"""Columns of which too little is declared: what is proved of them is wrong in most rows."""

Atoms = dict[Kind, list[Expression]]


def atoms_of(columns: Sequence[Column]) -> Atoms:
    """Columns and constants by their kinds."""
    fields = {kind: [Field(column) for column in columns if column.kind is kind] for kind in Kind}
    return {
        kind: [*fields[kind], *(Literal(value, kind) for value in LITERALS[kind])] for kind in Kind
    }


def operations() -> list[Any]:
    """Every operation that there is: signs, functions, casts and what chooses and compares."""
    casts = [pair for pair in CASTS if pair[0] is not pair[1]]
    return [
        *SIGNS,
        NEGATION,
        *Function,
        *sorted(casts, key=str),
        "case",
        "compared",
        "one of",
        "is null",
    ]


CHOICES = {Function.COALESCE, Function.NULLIF, Function.LEAST, Function.GREATEST, Function.DISTINCT}
OWN = {Function.ABS, Function.SIGN, Function.ROUND, Function.FLOOR, Function.CEIL, Function.TRUNC}
TEXTS = {
    Function.LOWER,
    Function.UPPER,
    Function.TRIM,
    Function.LTRIM,
    Function.RTRIM,
    Function.LENGTH,
}
DOUBLES = {Function.SQRT, Function.LN, Function.LOG10, Function.EXP, *ANGLES} - {Function.ATAN2}


def slots(operation: Any) -> Iterator[list[Kind]]:
    """The kinds that an operation may be given."""
    numbers = (WHOLE, NUMBER)
    match operation:
        case str() if operation in SIGNS:
            yield from map(list, product(numbers, numbers))
        case "minus":
            yield from ([kind] for kind in numbers)
        case (since, _):
            yield [since]
        case "case" | "compared":
            yield from ([kind, kind] for kind in Kind if kind is not FLAG)
        case "one of" | "is null":
            yield from ([kind] for kind in Kind if kind is not FLAG)
        case Function.POWER | Function.ATAN2:
            yield from map(list, product(numbers, numbers))
        case Function.QUOTIENT:
            yield [WHOLE, WHOLE]
        case Function.CONCAT | Function.JOINED:
            yield from ([TEXT, TEXT], [TEXT, WHOLE])
        case Function.EXTRACT | Function.DATE_TRUNC | Function.STRFTIME:
            yield from ([DAY], [MOMENT])
        case Function.DATE_ADD:
            yield from ([DAY, WHOLE], [MOMENT, WHOLE])
        case Function.DATE_DIFF | Function.SECONDS_BETWEEN:
            yield from ([DAY, MOMENT], [MOMENT, MOMENT])
        case Function() if operation in CHOICES:
            yield from ([kind, kind] for kind in Kind if kind is not FLAG)
            yield [WHOLE, NUMBER]
        case Function() if operation in OWN | DOUBLES:
            yield from ([kind] for kind in numbers)
        case _:
            yield [TEXT]


def settings(function: Function) -> Iterator[dict[int, Literal]]:
    """The constants that a function may be told, by their places."""
    listed: Any = SETTINGS.get(function, ())
    kinds: dict[type, Kind] = {str: TEXT, int: WHOLE}
    for values in product(*(setting.good for setting in listed)):
        yield {
            s.place: Literal(value, kinds[type(value)])
            for s, value in zip(listed, values, strict=True)
        }


def applied(operation: Any, parts: Sequence[Expression], told: dict[int, Literal]) -> Expression:
    """An operation on operands, and on what it is told."""
    match operation:
        case str() if operation in SIGNS:
            return Arithmetic(operation, *parts)
        case "minus":
            return Negated(*parts)
        case (_, kind):
            return Cast(parts[0], kind)
        case "case":
            return Case(((Compared(">", parts[0], parts[1]), parts[0]),), parts[1])
        case "compared":
            return Compared("<=", *parts)
        case "one of":
            kind = type_of(parts[0]).kind
            return OneOf(parts[0], tuple(Literal(value, kind) for value in LITERALS[kind]))
        case "is null":
            return IsNull(parts[0])
        case _:
            given = iter(parts)
            places = range(len(parts) + len(told))
            return Called(
                operation, tuple(told[place] if place in told else next(given) for place in places)
            )


def accepted(expression: Expression) -> bool:
    """Whether the proof takes an expression."""
    try:
        type_of(expression)
    except InvalidPlan:
        return False
    return True


def is_named(expression: Expression) -> bool:
    """Whether an expression reads a column."""
    return isinstance(expression, Field) or any(map(is_named, operands(expression)))


def single(operation: Any, atoms: Atoms, dice: random.Random, most: int) -> list[Expression]:
    """Some expressions of one operation: all pairs of operands if they are few, and every setting."""
    found: list[Expression] = []
    told = list(settings(operation)) if isinstance(operation, Function) else [{}]
    for kinds in slots(operation):
        pairs = [
            parts
            for parts in product(*(atoms[kind] for kind in kinds))
            if any(map(is_named, parts))
        ]
        dice.shuffle(pairs)
        pairs = pairs[: max(most, len(told))]
        given = dice.sample(told, len(told))
        found += [
            applied(operation, parts, given[place % len(told)]) for place, parts in enumerate(pairs)
        ]
    return found


def listed(columns: Sequence[Column], *, most: int = 20, nested: int = 1) -> list[Expression]:
    """Expressions that the proof accepts: of one operation, and of every operation over every other."""
    dice, atoms = random.Random(20), atoms_of(columns)
    inner: dict[Any, Atoms] = {}
    found: list[Expression] = []
    for operation in operations():
        taken = [each for each in single(operation, atoms, dice, most) if accepted(each)]
        found += taken
        by_kind: Atoms = {kind: [] for kind in Kind}
        for each in taken:
            by_kind[type_of(each).kind].append(each)
        inner[operation] = by_kind
    for outer, below in product(operations(), operations()):
        for kinds in slots(outer):
            for place, kind in enumerate(kinds):
                if not inner[below][kind]:
                    continue
                told = list(settings(outer)) if isinstance(outer, Function) else [{}]
                for _ in range(nested):
                    parts = [dice.choice(atoms[other]) for other in kinds]
                    parts[place] = dice.choice(inner[below][kind])
                    made = applied(outer, parts, dice.choice(told))
                    found += [made] if accepted(made) else []
    return list(dict.fromkeys(found))


# ---------------------------------------------------------------- what cells hold

POISON: dict[Kind, list[Any]] = {
    WHOLE: [None, 0, 1, -1, 7, LEAST, MOST, LEAST + 1, (1 << 53) + 1, -5, 120, 1000],
    NUMBER: [
        *(
            None,
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            5e-324,
            -5e-324,
            1e308,
            -1e308,
            float("nan"),
            float("inf"),
            float("-inf"),
        ),
        *(2.0**53, 9.3e18, -2.5, 709.9, 1e-300),
    ],
    TEXT: [
        None,
        "",
        "x",
        "12",
        "-9223372036854775809",
        "9223372036854775807",
        "1e99",
        "2024-02-30",
        "0001-01-01",
        "ß%",
    ],
    FLAG: [None, True, False],
    DAY: [None, FIRST_DAY, LAST_DAY, date(2024, 2, 29), date(1969, 12, 31)],
    MOMENT: [
        None,
        FIRST_MOMENT,
        LAST_MOMENT,
        datetime(2024, 2, 29, 12, 30),  # noqa: DTZ001
        datetime(1969, 12, 31, 23, 59, 59, 999999),  # noqa: DTZ001
    ],
}
"""What cells of each kind hold."""


def rows(columns: Sequence[Column], count: int) -> list[dict[str, Any]]:
    """Rows in which every column goes through the poison of its kind at its own pace."""
    dice = random.Random(4)
    pools: dict[str, list[Any]] = {column.name: [] for column in columns}
    for column in columns:
        while len(pools[column.name]) < count:
            pools[column.name] += dice.sample(POISON[column.kind], len(POISON[column.kind]))
    found = [{name: pool[place] for name, pool in pools.items()} for place in range(count)]
    whole = [column.name for column in columns if column.kind is WHOLE]
    # in which the least integer meets minus one on either side
    for turn, row in enumerate(found[:2]):
        row |= {name: LEAST if place % 2 == turn else -1 for place, name in enumerate(whole)}
    return found
