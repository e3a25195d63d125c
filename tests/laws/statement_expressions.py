"""Writes expressions in SQL, of a kind and over the columns of a source; most have the bounds that they need."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from tacit.plan import Kind

__all__ = [
    "BOOLEAN",
    "INTEGER",
    "KINDS",
    "LETTERS",
    "NUMBER",
    "TEXT",
    "ExpressionWriter",
    "Named",
    "Source",
]

BOOLEAN, INTEGER, NUMBER, TEXT, DATE, MOMENT = "bintdm"
LETTERS = dict(zip(Kind, "bintdm", strict=True))
KINDS = "bintdm"
_LARGEST = 2.0**50  # how large a calculated number may become

_COLUMN = re.compile(r"\b(?:[rp]\d+|visits|doses|labs|trips|stations|prices)\.")
_TEXTS = (
    "''",
    "'A'",
    "'é b'",
    "'it''s'",
    "'%'",
    "'7'",
    "' -3.5e1'",
    "'2024-02-29'",
    "'x_y'",
    "'hdl'",
    "'NaN'",
)
_CASTS = {
    ("i", "n"): "DOUBLE",
    ("t", "n"): "DOUBLE",
    ("n", "i"): "BIGINT",
    ("t", "i"): "BIGINT",
    ("b", "i"): "BIGINT",
    ("i", "t"): "VARCHAR",
    ("t", "d"): "DATE",
    ("m", "d"): "DATE",
    ("d", "m"): "TIMESTAMP",
}
_PATTERNS = ("'%'", "'_'", "'A%'", "'%7'", r"'50\%'", "'é_%'", "''", r"'\\'", "'%a%b%'")
_DAYS = ("DATE '2024-02-29'", "DATE '2024-12-31'", "DATE '1969-12-31'", "DATE '2023-06-15'")
_MOMENTS = (
    "TIMESTAMP '2024-02-29 23:59:59'",
    "TIMESTAMP '1970-01-01 00:00:00'",
    "TIMESTAMP '2024-07-01 12:00:00'",
)
_PARTS = ("year", "quarter", "month", "week", "day", "dow", "isodow", "doy")
_UNITS = ("year", "quarter", "month", "week", "day", "hour")
_CLAMPS = (
    "LEAST(GREATEST({x}, {low}), {high})",
    "CASE WHEN {x} > {high} THEN {high} WHEN {x} < {low} THEN {low} ELSE {x} END",
    "GREATEST(LEAST({x}, {high}), {low})",
    "CASE WHEN {x} BETWEEN {low} AND {high} THEN {x} END",
)


@dataclass(frozen=True)
class Named:
    """A column in scope: how it is written, its kind, about how large it is, and how many public values it has."""

    text: str
    kind: str
    reach: float | None = None
    values: int | None = None


@dataclass(frozen=True)
class Source:
    """What stands in FROM: columns and unit as they are written there."""

    text: str
    columns: tuple[Named, ...]
    unit: str | None
    owner: str
    levels: int = 0
    width: int = 1


@dataclass
class ExpressionWriter:
    """Writes expressions; all that is random comes from its dice.

    A hostile one tries what must not go through, here and there.
    """

    dice: Random
    features: set[str] = field(default_factory=set)
    exact: bool = True
    hostile: bool = False

    def happens(self, of: float) -> bool:
        """Whether something that happens so often happens."""
        return self.dice.random() < of

    def is_hostile(self) -> bool:
        """Whether a hostile statement does something here that should not go through."""
        if self.hostile and self.happens(0.3):
            self.features.add("hostile")
            return True
        return False

    def write_value(self, kind: str, scope: Source, depth: int) -> Named:
        """An expression of a kind, over the columns of a source."""
        if depth > 0 and self.happens(0.65):
            return (
                self.write_choice(kind, scope, depth)
                if self.happens(0.25)
                else _BUILT[kind](self, scope, depth)
            )
        return self.write_leaf(kind, scope)

    def write_varying(self, made: Callable[[], Named], scope: Source) -> Named:
        """An expression that is not the same in every row: what is made, or a column in its place."""
        for _ in range(3):
            found = made()
            if _COLUMN.search(found.text):
                return found
        return self.dice.choice(scope.columns)

    def write_leaf(self, kind: str, scope: Source) -> Named:
        """A column, or a constant."""
        columns = [column for column in scope.columns if column.kind == kind]
        if columns and self.happens(0.85):
            return self.dice.choice(columns)
        others = [column for column in scope.columns if (column.kind, kind) in _CASTS]
        if others and self.happens(0.7):
            other = self.dice.choice(others)
            self.features.add("cast")
            if other.kind == TEXT and kind in "in" and self.happens(0.6):
                length = f"LENGTH({other.text})"
                return Named(length if kind == INTEGER else f"CAST({length} AS DOUBLE)", kind, None)
            return Named(
                f"CAST({other.text} AS {_CASTS[other.kind, kind]})",
                kind,
                other.reach if kind in "in" else None,
            )
        match kind:
            case "b":
                return Named(self.dice.choice(["TRUE", "FALSE", "1 = 1"]), kind)
            case "i":
                constant = self.dice.choice([0, 1, 2, 3, 7, -1, 40, 1000])
                return Named(
                    f"({constant})" if constant < 0 else str(constant), kind, abs(constant)
                )
            case "n":
                decimal = self.dice.choice(["0.5", "1.0", "2.25", "100.0", "0.1"])
                return Named(decimal, kind, float(decimal))
            case "t":
                return Named(self.dice.choice(_TEXTS), kind)
            case "d":
                return Named(self.dice.choice(_DAYS), kind)
            case _:
                return Named(self.dice.choice(_MOMENTS), kind)

    def write_choice(self, kind: str, scope: Source, depth: int) -> Named:
        """An expression that there is of every kind."""
        one, two = (
            self.write_value(kind, scope, depth - 1),
            self.write_value(kind, scope, depth - 1),
        )
        reach = None if one.reach is None or two.reach is None else max(one.reach, two.reach)
        match self.dice.choice(["case", "case", "tower", "coalesce", "nullif", "greatest", "if"]):
            case "case":
                return Named(
                    f"CASE WHEN {self.write_condition(scope, depth - 1)} THEN {one.text} ELSE {two.text} END",
                    kind,
                    reach,
                )
            case "if":
                return Named(
                    f"IF({self.write_condition(scope, depth - 1)}, {one.text}, {two.text})",
                    kind,
                    reach,
                )
            case "tower":
                self.features.add("case tower")
                whens = [
                    (self.write_condition(scope, 0), self.write_value(kind, scope, depth - 2))
                    for _ in range(3)
                ]
                reaches = [one.reach, *(value.reach for _, value in whens)]
                told = " ".join(f"WHEN {condition} THEN {value.text}" for condition, value in whens)
                known = (
                    None if None in reaches else max(each for each in reaches if each is not None)
                )
                return Named(f"CASE {told} ELSE {one.text} END", kind, known)
            case "coalesce":
                self.features.add("coalesce")
                return Named(f"COALESCE({one.text}, {two.text})", kind, reach)
            case "nullif":
                self.features.add("nullif")
                return Named(f"NULLIF({one.text}, {two.text})", kind, one.reach)
            case _:
                if kind == BOOLEAN:
                    return one
                self.features.add("greatest")
                return Named(
                    f"{self.dice.choice(['GREATEST', 'LEAST'])}({one.text}, {two.text})",
                    kind,
                    reach,
                )

    def write_summed(self, scope: Source, depth: int) -> str:
        """A number that has bounds and is not the same in every row."""
        for _ in range(4):
            found = self.write_bounded(self.dice.choice("in"), scope, depth).text
            if _COLUMN.search(found):
                return found
        return f"CASE WHEN {self.dice.choice(scope.columns).text} IS NULL THEN 1 ELSE 2 END"

    def write_bounded(self, kind: str, scope: Source, depth: int) -> Named:
        """A number that has bounds: one that has none is held between two."""
        found = self.write_value(kind, scope, depth)
        if found.reach is not None and found.reach <= _LARGEST:
            return found
        high = self.dice.choice([1, 9, 250])
        low = self.dice.choice([-high, 0])
        ends = {"low": f"({low})" if low < 0 else low, "high": high}
        return Named(self.dice.choice(_CLAMPS).format(x=f"({found.text})", **ends), kind, high)

    def write_condition(self, scope: Source, depth: int) -> str:
        """A condition on a row."""
        if depth <= 0:
            return self.compare_column(self.dice.choice(scope.columns))
        found = self.write_varying(lambda: self.write_value(BOOLEAN, scope, depth), scope)
        return f"({found.text})" if found.kind == BOOLEAN else f"({found.text} IS NOT NULL)"

    def compare_column(self, column: Named) -> str:
        """A condition on one column, which many rows meet."""
        sign = self.dice.choice(["<", ">=", "<>", ">", "="])
        match column.kind:
            case "b":
                return f"({self.dice.choice(['{}', 'NOT {}', '{} IS NULL', '{} IS NOT FALSE']).format(column.text)})"
            case "i" | "n":
                return f"({column.text} {sign} {self.dice.choice([0, 1, 7, 100])})"
            case "t":
                return f"({column.text} {sign} {self.dice.choice(_TEXTS)})"
            case "d" | "m" as kind:
                return (
                    f"({column.text} {sign} {self.dice.choice(_DAYS if kind == 'd' else _MOMENTS)})"
                )
            case _:
                return f"({column.text} IS NOT NULL)"


# ---------------------------------------------------------------- expressions of one kind


def write_boolean(writer: ExpressionWriter, scope: Source, depth: int) -> Named:
    dice = writer.dice

    def of(kind: str) -> str:
        return writer.write_value(kind, scope, depth - 1).text

    shapes = [
        "compare",
        "compare",
        "compare",
        "between",
        "in",
        "like",
        "null",
        "true",
        "and",
        "or",
        "not",
        "distinct",
    ]
    match dice.choice([*shapes, "starts"]):
        case "compare":
            kind = dice.choice("iinntdm")
            return Named(
                f"{of(kind)} {dice.choice(['=', '<>', '<', '<=', '>', '>='])} {of(kind)}", BOOLEAN
            )
        case "between":
            writer.features.add("between")
            kind = dice.choice("ind")
            negated = dice.choice(["", "NOT "])
            return Named(f"{of(kind)} {negated}BETWEEN {of(kind)} AND {of(kind)}", BOOLEAN)
        case "in":
            writer.features.add("in")
            kind, options = dice.choice(
                [("i", "0, 1, -7, 40"), ("t", "'A', '', 'é b', 'it''s'"), ("n", "0.5, 1, NULL")]
            )
            return Named(f"{of(kind)} {dice.choice(['IN', 'NOT IN'])} ({options})", BOOLEAN)
        case "like":
            writer.features.add("like")
            negated = dice.choice(["", "NOT "])
            return Named(
                f"{of(TEXT)} {negated}{dice.choice(['LIKE', 'ILIKE'])} {dice.choice(_PATTERNS)}",
                BOOLEAN,
            )
        case "null":
            return Named(f"{of(dice.choice(KINDS))} IS {dice.choice(['', 'NOT '])}NULL", BOOLEAN)
        case "true":
            return Named(
                f"({of(BOOLEAN)}) IS {dice.choice(['', 'NOT '])}{dice.choice(['TRUE', 'FALSE'])}",
                BOOLEAN,
            )
        case "and":
            return Named(f"({of(BOOLEAN)}) AND ({of(BOOLEAN)})", BOOLEAN)
        case "or":
            return Named(f"({of(BOOLEAN)}) OR ({of(BOOLEAN)})", BOOLEAN)
        case "not":
            return Named(f"NOT ({of(BOOLEAN)})", BOOLEAN)
        case "distinct":
            kind = dice.choice(KINDS)
            return Named(
                f"({of(kind)}) IS {dice.choice(['', 'NOT '])}DISTINCT FROM ({of(kind)})", BOOLEAN
            )
        case _:
            how = dice.choice(["STARTS_WITH", "ENDS_WITH", "CONTAINS"])
            return Named(f"{how}({of(TEXT)}, {dice.choice(_TEXTS)})", BOOLEAN)


def write_integer(writer: ExpressionWriter, scope: Source, depth: int) -> Named:
    dice = writer.dice

    def of(kind: str) -> str:
        return writer.write_value(kind, scope, depth - 1).text

    match dice.choice(
        [
            "sum",
            "product",
            "quotient",
            "modulo",
            "abs",
            "sign",
            "length",
            "part",
            "days",
            "cast",
            "cast",
            "less",
        ]
    ):
        case "sum" | "less" as shape:
            one, two = (writer.write_bounded(INTEGER, scope, depth - 1) for _ in range(2))
            return Named(
                f"({one.text} {'+' if shape == 'sum' else '-'} {two.text})",
                INTEGER,
                add_reaches(one, two),
            )
        case "product":
            one, two = (writer.write_bounded(INTEGER, scope, depth - 1) for _ in range(2))
            if (one.reach or 1) * (two.reach or 1) > _LARGEST:
                return one
            return Named(f"({one.text} * {two.text})", INTEGER, (one.reach or 1) * (two.reach or 1))
        case "quotient":
            one = writer.write_bounded(INTEGER, scope, depth - 1)
            return Named(
                f"({one.text} // {dice.choice(['2', '7', of(INTEGER)])})", INTEGER, one.reach
            )
        case "modulo":
            return Named(f"({of(INTEGER)} % {dice.choice([2, 3, 10])})", INTEGER, 10.0)
        case "abs":
            one = writer.write_bounded(INTEGER, scope, depth - 1)
            return Named(f"ABS({one.text})", INTEGER, one.reach)
        case "sign":
            return Named(f"SIGN({of(dice.choice('in'))})", INTEGER, 1.0)
        case "length":
            return Named(f"LENGTH({of(TEXT)})", INTEGER, None)
        case "part":
            writer.features.add("date function")
            return Named(
                f"EXTRACT({dice.choice(_PARTS)} FROM {of(dice.choice('dm'))})", INTEGER, 9999.0
            )
        case "days":
            writer.features.add("date function")
            unit = dice.choice(["year", "month", "day"])
            return Named(f"DATE_DIFF('{unit}', {of(DATE)}, {of(DATE)})", INTEGER, 4e6)
        case _:
            writer.features.add("cast")
            kind = dice.choice("nbt")
            known = (
                writer.write_bounded(NUMBER, scope, depth - 1)
                if kind == NUMBER
                else writer.write_value(kind, scope, depth - 1)
            )
            return Named(
                f"CAST({known.text} AS BIGINT)", INTEGER, 1.0 if kind == BOOLEAN else known.reach
            )


def add_reaches(one: Named, two: Named) -> float | None:
    return None if one.reach is None or two.reach is None else one.reach + two.reach


def write_number(writer: ExpressionWriter, scope: Source, depth: int) -> Named:
    dice = writer.dice

    def of(kind: str) -> str:
        return writer.write_value(kind, scope, depth - 1).text

    shapes = [
        "sum",
        "less",
        "product",
        "quotient",
        "guarded",
        "round",
        "floor",
        "sqrt",
        "cast",
        "decimal",
        "negated",
    ]
    match dice.choice([*shapes, "library"]):
        case "sum" | "less" as shape:
            one, two = (writer.write_bounded(dice.choice("in"), scope, depth - 1) for _ in range(2))
            return make_number(
                f"({one.text} {'+' if shape == 'sum' else '-'} {two.text})", add_reaches(one, two)
            )
        case "product":
            one, two = (writer.write_bounded(NUMBER, scope, depth - 1) for _ in range(2))
            reach = (one.reach or 1) * (two.reach or 1)
            return one if reach > _LARGEST else Named(f"({one.text} * {two.text})", NUMBER, reach)
        case "quotient":
            one = writer.write_bounded(dice.choice("in"), scope, depth - 1)
            return Named(f"({one.text} / {dice.choice([2, 0.5, 3])})", NUMBER, (one.reach or 1) * 2)
        case "guarded":
            one, divisor = writer.write_bounded(NUMBER, scope, depth - 1), of(NUMBER)
            return Named(
                f"({one.text} / CASE WHEN {divisor} >= 0.25 THEN {divisor} END)",
                NUMBER,
                (one.reach or 1) * 4,
            )
        case "round":
            one = writer.write_bounded(NUMBER, scope, depth - 1)
            return Named(
                f"ROUND({one.text}, {dice.choice([0, 1, 2])})", NUMBER, (one.reach or 1) + 1
            )
        case "floor":
            one = writer.write_bounded(NUMBER, scope, depth - 1)
            return Named(
                f"{dice.choice(['FLOOR', 'CEIL', 'TRUNC', 'ABS'])}({one.text})",
                NUMBER,
                (one.reach or 1) + 1,
            )
        case "sqrt":
            one = writer.write_bounded(NUMBER, scope, depth - 1)
            return Named(f"SQRT({one.text})", NUMBER, (one.reach or 1) ** 0.5)
        case "negated":
            one = writer.write_bounded(NUMBER, scope, depth - 1)
            return Named(f"(-{one.text})", NUMBER, one.reach)
        case "decimal":
            writer.features.add("decimal")
            one = writer.write_bounded(NUMBER, scope, depth - 1)
            return Named(
                f"CAST({one.text} AS DECIMAL(18, {dice.choice([0, 2])}))",
                NUMBER,
                (one.reach or 1) + 1,
            )
        case "library":
            writer.exact = False
            one = writer.write_bounded(NUMBER, scope, depth - 1)
            return Named(f"LN(1 + ABS({one.text}))", NUMBER, 50.0)
        case _:
            writer.features.add("cast")
            kind = dice.choice("it")
            known = writer.write_value(kind, scope, depth - 1)
            return Named(
                f"CAST({known.text} AS DOUBLE)", NUMBER, known.reach if kind == INTEGER else None
            )


def make_number(text: str, reach: float | None) -> Named:
    return Named(f"CAST({text} AS DOUBLE)", NUMBER, reach)


def write_text(writer: ExpressionWriter, scope: Source, depth: int) -> Named:
    dice = writer.dice

    def of(kind: str) -> str:
        return writer.write_value(kind, scope, depth - 1).text

    match dice.choice(
        ["case", "trim", "cut", "end", "replace", "concat", "pipe", "cast", "format"]
    ):
        case "case":
            return Named(f"{dice.choice(['LOWER', 'UPPER'])}({of(TEXT)})", TEXT)
        case "trim":
            return Named(f"{dice.choice(['TRIM', 'LTRIM', 'RTRIM'])}({of(TEXT)})", TEXT)
        case "cut":
            return Named(
                f"SUBSTR({of(TEXT)}, {dice.choice([1, 2])}, {dice.choice([0, 1, 3])})", TEXT
            )
        case "end":
            return Named(
                f"{dice.choice(['LEFT', 'RIGHT'])}({of(TEXT)}, {dice.choice([0, 1, 3])})", TEXT
            )
        case "replace":
            return Named(f"REPLACE({of(TEXT)}, 'a', {dice.choice(_TEXTS)})", TEXT)
        case "concat":
            return Named(f"CONCAT({of(TEXT)}, {of(dice.choice('ti'))})", TEXT)
        case "pipe":
            return Named(f"({of(TEXT)} || {of(TEXT)})", TEXT)
        case "format":
            writer.features.add("date function")
            return Named(
                f"STRFTIME({of(dice.choice('dm'))}, {dice.choice(['%Y-%m', '%A %j', '%d.%m.%y %H'])!r})",
                TEXT,
            )
        case _:
            writer.features.add("cast")
            return Named(f"CAST({of(INTEGER)} AS VARCHAR)", TEXT)


def write_date(writer: ExpressionWriter, scope: Source, depth: int) -> Named:
    def of(kind: str) -> str:
        return writer.write_value(kind, scope, depth - 1).text

    match writer.dice.choice(["text", "moment", "later"]):
        case "text":
            writer.features.add("cast")
            return Named(f"CAST(({of(TEXT)} || '') AS DATE)", DATE)
        case "moment":
            writer.features.add("cast")
            return Named(f"CAST({of(MOMENT)} AS DATE)", DATE)
        case _:
            writer.features.add("date function")
            return Named(
                f"({of(DATE)} {writer.dice.choice('+-')} {writer.dice.choice([0, 7, 400])})", DATE
            )


def write_moment(writer: ExpressionWriter, scope: Source, depth: int) -> Named:
    def of(kind: str) -> str:
        return writer.write_value(kind, scope, depth - 1).text

    match writer.dice.choice(["day", "trunc", "later"]):
        case "day":
            writer.features.add("cast")
            return Named(f"CAST({of(DATE)} AS TIMESTAMP)", MOMENT)
        case "trunc":
            writer.features.add("date function")
            unit = writer.dice.choice(_UNITS)
            return Named(f"DATE_TRUNC('{unit}', {of(writer.dice.choice('dm'))})", MOMENT)
        case _:
            writer.features.add("date function")
            unit = writer.dice.choice(["YEAR", "MONTH", "DAY", "HOUR"])
            return Named(
                f"({of(writer.dice.choice('dm'))} + INTERVAL {writer.dice.choice([1, 3, 900])} {unit})",
                MOMENT,
            )


_BUILT: dict[str, Callable[[ExpressionWriter, Source, int], Named]] = {
    BOOLEAN: write_boolean,
    INTEGER: write_integer,
    NUMBER: write_number,
    TEXT: write_text,
    DATE: write_date,
    MOMENT: write_moment,
}
