"""Functions in SQL: which nodes of the parser's tree are calls of which function, and how each is read.

Checked by: tests/unit/plan/test_wide.py
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NoReturn

from sqlglot import exp

from tacit.errors import InvalidPlan
from tacit.frozen import frozen
from tacit.plan.model.expressions import Expression, Literal, Not
from tacit.plan.model.function_names import Function
from tacit.plan.model.schema import Kind
from tacit.plan.questions.build_expressions import NULL, Forms, literal, unit_named
from tacit.plan.questions.time_spans import (
    FIRST_DAYS,
    complete_units,
    complete_years,
    make_date,
    time_bucket,
    truncate_to_week,
    weeks_between,
)
from tacit.plan.questions.time_zones import local_time
from tacit.plan.semantics.angles import PI
from tacit.plan.semantics.infer_expression_types import type_of
from tacit.plan.sql.other_dialect_functions import NAMED
from tacit.plan.sql.source_positions import Account
from tacit.plan.sql.text_maps import read_text_map
from tacit.plan.sql.time_formats import from_java, from_mysql, from_to_char, read_time, write_time
from tacit.plan.sql.units_of_time import (
    first_day_of,
    is_unit,
    name_of_unit,
    says_when_weeks_begin,
)

__all__ = ["CALLED", "Calls", "is_span"]

# The nodes that are calls, the function that each means, and which of its arguments are operands.
_CALLS: dict[type[exp.Expr], tuple[Function, str]] = {
    exp.Coalesce: (Function.COALESCE, "this expressions"),
    exp.Nullif: (Function.NULLIF, "this expression"),
    exp.Least: (Function.LEAST, "this expressions"),
    exp.Greatest: (Function.GREATEST, "this expressions"),
    exp.Abs: (Function.ABS, "this"),
    exp.Sign: (Function.SIGN, "this"),
    exp.Floor: (Function.FLOOR, "this"),
    exp.Ceil: (Function.CEIL, "this"),
    exp.Sqrt: (Function.SQRT, "this"),
    exp.Ln: (Function.LN, "this"),
    exp.Exp: (Function.EXP, "this"),
    exp.Pow: (Function.POWER, "this expression"),
    exp.Sin: (Function.SIN, "this"),
    exp.Cos: (Function.COS, "this"),
    exp.Tan: (Function.TAN, "this"),
    exp.Asin: (Function.ASIN, "this"),
    exp.Acos: (Function.ACOS, "this"),
    exp.Atan: (Function.ATAN, "this"),
    exp.Atan2: (Function.ATAN2, "this expression"),
    exp.Lower: (Function.LOWER, "this"),
    exp.Upper: (Function.UPPER, "this"),
    exp.Length: (Function.LENGTH, "this"),
    exp.Substring: (Function.SUBSTR, "this start length"),
    exp.Right: (Function.RIGHT, "this expression"),
    exp.Replace: (Function.REPLACE, "this expression replacement"),
    exp.SplitPart: (Function.SPLIT_PART, "this delimiter part_index"),
    exp.RegexpLike: (Function.REGEXP, "this expression"),
}
_PARTS: dict[type[exp.Expr], str] = {
    exp.Year: "year",
    exp.Quarter: "quarter",
    exp.Month: "month",
    exp.Week: "week",
    exp.Day: "day",
    exp.DayOfMonth: "day",
    exp.DayOfWeek: "dow",
    exp.DayOfWeekIso: "isodow",
    exp.DayOfYear: "doy",
    exp.Hour: "hour",
    exp.Minute: "minute",
    exp.Second: "second",
    exp.TimeToUnix: "epoch",
}
_TRIMS = {None: Function.TRIM, "LEADING": Function.LTRIM, "TRAILING": Function.RTRIM}
# Those whose name the parser does not place are known by it.
_NAMES: dict[type[exp.Expr], str] = {
    exp.Floor: "FLOOR",
    exp.Ceil: "CEIL",
    exp.Substring: "SUBSTRING",
    exp.Trim: "TRIM",
    exp.Extract: "EXTRACT",
    exp.If: "IF",
}


@frozen
class Calls:
    """Reads calls at one place of a text; `read` reads what stands inside them."""

    account: Account
    forms: Forms
    read: Callable[[exp.Expr], Expression]

    def call(self, node: exp.Expr) -> Expression:
        """What a node of CALLED means."""
        kind = type(node)
        if kind in _CALLS:
            function, names = _CALLS[kind]
            parts = self._take_call(node)
            listed = [parts.get(name) for name in names.split()]
            flat = [
                part
                for each in listed
                for part in (each if isinstance(each, list) else [each])
                if part
            ]
            return self.forms.call(function, self._operands(node, flat))
        if kind in _PARTS:
            return self.part_of(_PARTS[kind], self._take_call(node)["this"])
        return _SPECIAL[kind](self, node)

    def _take_call(self, node: exp.Expr, kind: str | None = None) -> dict[str, Any]:
        """What a call holds; its name in the text is accounted for."""
        parts = self.account.take(node, kind)
        if "start" in node.meta:
            self.account.places.add(node.meta["start"])
        elif type(node) in _NAMES:
            self.account.claim(node, _NAMES[type(node)])
        return parts

    def _operands(
        self, node: exp.Expr, parts: Sequence[exp.Expr], commas: int = -1
    ) -> list[Expression]:
        """What stands in parentheses, with commas between."""
        self.account.claim(node, "COMMA", commas if commas >= 0 else max(0, len(parts) - 1))
        return [self.read(part) for part in parts]

    def position(self, node: exp.Expr) -> Expression:
        """STRPOS(x, 'a'), INSTR(x, 'a') and POSITION('a' IN x)."""
        parts = self.account.take(node)
        if "start" in node.meta:
            self.account.places.add(node.meta["start"])
            operands = self._operands(node, [parts["this"], parts["substr"]])
        else:
            for word in ("POSITION", "IN"):
                self.account.claim(node, word)
            operands = [self.read(parts["this"]), self.read(parts["substr"])]
        return self.forms.call(Function.STRPOS, operands)

    def pad(self, node: exp.Expr) -> Expression:
        """LPAD(x, 5, '0') and RPAD(x, 5, '-')."""
        parts = self._take_call(node)
        listed = [parts["this"], parts["expression"], parts.get("fill_pattern")]
        operands = self._operands(node, [part for part in listed if part])
        if type_of(operands[0], self.forms.question).kind is Kind.INTEGER:  # LPAD(MONTH(x), 2, '0')
            operands[0] = self.forms.cast(operands[0], Kind.TEXT)
        if len(operands) == 2:
            operands.append(Literal(" ", Kind.TEXT))
        function = Function.LPAD if parts.get("is_left") else Function.RPAD
        return self.forms.call(function, operands)

    def join_texts(self, node: exp.Expr) -> Expression:
        """CONCAT_WS('-', a, b)."""
        separator, *parts = self._operands(node, self._take_call(node)["expressions"])
        return self.forms.join_with(separator, parts)

    def date(self, node: exp.Expr) -> Expression:
        """DATE(x): its day."""
        (operand,) = self._operands(node, [self._take_call(node)["this"]])
        return self.forms.cast(operand, Kind.DATE)

    def last_day(self, node: exp.Expr) -> Expression:
        """LAST_DAY(x) and LAST_DAY(x, MONTH): the last day of its month."""
        parts = self._take_call(node)
        unit = parts.get("unit")
        if unit is not None:
            if name_of_unit(unit.name) != "month":
                remedy = "write DATE_TRUNC('year', x) for the first day of another unit"
                self.account.refuse(node, "LAST_DAY is the last day of a month", remedy)
            self.account.claim(node, unit.name.upper())
        (operand,) = self._operands(node, [parts["this"]], commas=0 if unit is None else 1)
        return self.forms.last_day(operand)

    def make_date(self, node: exp.Expr) -> Expression:
        """MAKE_DATE(year, month, day); NULL if there is no such day."""
        parts = self._take_call(node)
        operands = self._operands(node, [parts[name] for name in ("year", "month", "day")])
        return make_date(self.forms, *operands)

    def width_bucket(self, node: exp.Expr) -> Expression:
        """WIDTH_BUCKET(x, 0, 100, 10)."""
        parts = self._take_call(node)
        names = ("this", "min_value", "max_value", "num_buckets")
        return self.forms.bucket(*self._operands(node, [parts[name] for name in names]))

    def safe_divide(self, node: exp.Expr) -> Expression:
        """SAFE_DIVIDE(a, b)."""
        parts = self._take_call(node)
        return self.forms.divide(*self._operands(node, [parts["this"], parts["expression"]]))

    def time_bucket(self, node: exp.Expr) -> Expression:
        """TIME_BUCKET(INTERVAL '2 weeks', x) and TIME_BUCKET('2 weeks', x): the beginning of so many units of time."""
        parts = self._take_call(node)
        width, interval = parts["this"], dict[str, Any]()
        if isinstance(width, exp.Interval):
            interval = self.account.take(width)
        elif isinstance(width, exp.Literal) and width.is_string and len(width.name.split()) == 2:
            self.account.claim(width, "STRING")
            count, unit_name = width.name.split()
            interval = {"this": exp.Literal.number(count), "unit": exp.Var(this=unit_name)}
        unit = interval.get("unit")
        number: str = interval["this"].name if interval.get("this") else ""
        if not isinstance(unit, exp.Var) or not number.isdecimal() or len(number) > 4:
            reason = "these buckets of time are not understood"
            self.account.refuse(node, reason, "write TIME_BUCKET(INTERVAL '2 weeks', x)")
        (operand,) = self._operands(node, [parts["expression"]], commas=1)
        return time_bucket(self.forms, int(number), unit.name, operand)

    def at_zone(self, node: exp.Expr) -> Expression:
        """x AT TIME ZONE 'Europe/Berlin': what clocks there show."""
        parts = self.account.take(node)
        zone = parts["zone"]
        if not isinstance(zone, exp.Literal) or not zone.is_string:
            reason = "the zone must be a constant"
            self.account.refuse(node, reason, "write x AT TIME ZONE 'Europe/Berlin'")
        return local_time(self.forms, self.read(parts["this"]), zone.name)

    def added_interval(self, node: exp.Expr) -> Expression:
        """DATE_ADD(x, INTERVAL 1 DAY), and DATE_ADD(x, 1), in days."""
        parts = self._take_call(node)
        interval = parts["expression"]
        self.account.claim(node, "COMMA")
        if not isinstance(interval, exp.Interval):  # so many days
            return self.forms.arithmetic("+", self.read(parts["this"]), self.read(interval))
        return self.shift_moment(parts["this"], interval, 1)

    def log2(self, node: exp.Expr, value: exp.Expr) -> Expression:
        """LOG2(x), by natural logarithms."""
        found = self.forms.call(Function.LN, self._operands(node, [value]))
        return self.forms.arithmetic("/", found, Literal(_LN_2, Kind.NUMBER))

    def circle(self, node: exp.Expr) -> Expression:
        """PI()."""
        self._take_call(node)
        return Literal(PI, Kind.NUMBER)

    def turn(self, node: exp.Expr) -> Expression:
        """RADIANS(x) and DEGREES(x): a product."""
        share = PI / 180 if isinstance(node, exp.Radians) else 180 / PI
        (operand,) = self._operands(node, [self._take_call(node)["this"]])
        return self.forms.arithmetic("*", operand, Literal(share, Kind.NUMBER))

    def cube_root(self, node: exp.Expr) -> Expression:
        """CBRT(x), with the sign of x."""
        (operand,) = self._operands(node, [self._take_call(node)["this"]])
        third = Literal(Fraction(1, 3), Kind.NUMBER)
        size = self.forms.call(Function.POWER, [self.forms.call(Function.ABS, [operand]), third])
        return self.forms.arithmetic("*", self.forms.call(Function.SIGN, [operand]), size)

    def text_map(self, node: exp.Expr) -> Expression:
        """INITCAP(x), REGEXP_EXTRACT(x, 'a+') and REGEXP_REPLACE(x, 'a+', 'b') of declared values."""
        return read_text_map(self.account, self.forms, self.read, node)

    def full_match(self, node: exp.Expr) -> Expression:
        """REGEXP_FULL_MATCH(x, 'a|b'): the whole text matches."""
        parts = self._take_call(node)
        text, pattern = self._operands(node, [parts["this"], parts["expression"]])
        if isinstance(pattern, Literal) and isinstance(pattern.value, str):
            pattern = Literal(f"^({pattern.value})$", Kind.TEXT)
        return self.forms.call(Function.REGEXP, [text, pattern])

    def age(self, node: exp.Expr, part: str | None) -> Expression:
        """AGE(a, b) in days, and EXTRACT(YEAR FROM AGE(a, b)), of days."""
        parts = self._take_call(node)["expressions"]
        if len(parts) != 2 or part not in {None, "year"}:
            told = "AGE is supported as a number of days, and in EXTRACT(YEAR FROM AGE(a, b))"
            self.account.refuse(node, told, "write DATE_DIFF('day', b, a) for the days between")
        until, since = (self.forms.cast(each, Kind.DATE) for each in self._operands(node, parts))
        if part == "year":
            return complete_years(self.forms, until, since)
        return self.forms.in_units(Function.DATE_DIFF, "day", since, until)

    def round(self, node: exp.Expr) -> Expression:
        """ROUND(x) and ROUND(x, decimals)."""
        parts = self._take_call(node)
        listed = self._operands(
            node, [part for part in (parts["this"], parts.get("decimals")) if part]
        )
        return self.forms.call(Function.ROUND, [*listed, Literal(0, Kind.INTEGER)][:2])

    def truncate(self, node: exp.Expr) -> Expression:
        """TRUNC(x), TRUNC(x, 2) and TRUNC(day, 'month')."""
        parts = self._take_call(node)
        places = parts.get("decimals")
        if places is None:
            return self.forms.call(Function.TRUNC, self._operands(node, [parts["this"]]))
        if is_unit(places):
            self.account.places.add(places.meta["start"])
            (operand,) = self._operands(node, [parts["this"]], commas=1)
            return self.truncate_time(places.name, operand)
        operand, _ = self._operands(node, [parts["this"], places])
        sign, digits = (-1, places.this) if isinstance(places, exp.Neg) else (1, places)
        if not digits.name.isdecimal() or len(digits.name) > 2 or int(digits.name) > _MOST_DECIMALS:
            remedy = "write a whole number from -15 to 15, or a unit of time: TRUNC(day, 'month')"
            self.account.refuse(places, "TRUNC needs a constant number of decimals", remedy)
        scale = Literal(Fraction(10) ** (sign * int(digits.name)), Kind.NUMBER)
        whole = self.forms.call(Function.TRUNC, [self.forms.arithmetic("*", operand, scale)])
        return self.forms.arithmetic("/", whole, scale)

    def log(self, node: exp.Expr) -> Expression:
        """LOG(x) and LOG10(x), which are to base ten, and LOG(b, x)."""
        parts = self._take_call(node)
        base, value = (
            (parts["this"], parts["expression"])
            if parts.get("expression")
            else (None, parts["this"])
        )
        if base is not None and base.name == "2" and "start" not in base.meta:
            return self.log2(node, value)
        if base is not None and (base.name != "10" or "start" in base.meta):
            to, of = self._operands(node, [base, value])
            logarithms = (self.forms.call(Function.LN, [each]) for each in (of, to))
            return self.forms.arithmetic("/", *logarithms)
        return self.forms.call(Function.LOG10, self._operands(node, [value]))

    def trim(self, node: exp.Expr) -> Expression:
        """TRIM(x), LTRIM(x) and RTRIM(x)."""
        parts = self._take_call(node)
        position, typed = parts.get("position"), "start" in node.meta
        spaces = parts.get("expression")
        if position not in _TRIMS and position != "BOTH":
            self.account.unknown(node)
        if spaces is not None:
            if not isinstance(spaces, exp.Literal) or spaces.name != " ":
                remedy = "write TRIM(x), LTRIM(x) or RTRIM(x), or REPLACE(x, '-', '')"
                self.account.refuse(spaces, "TRIM removes spaces only", remedy)
            self.account.places.add(spaces.meta["start"])
            self.account.claim(node, "COMMA", 1 if typed else 0)
        if position and not typed:  # TRIM(BOTH ' ' FROM x)
            self.account.claim(node, position)
            self.account.claim(node, "FROM")
        position = None if position == "BOTH" else position
        return self.forms.call(_TRIMS[position], self._operands(node, [parts["this"]]))

    def concat(self, node: exp.Expr) -> Expression:
        """CONCAT(a, b, …); two texts that merely follow each other are not joined."""
        if "start" not in node.meta:
            self.account.refuse(
                node,
                "adjacent text constants are not joined",
                "write CONCAT('a', 'b') or 'a' || 'b'",
            )
        return self.forms.call(
            Function.CONCAT, self._operands(node, self._take_call(node)["expressions"])
        )

    def read_left(self, node: exp.Expr) -> Expression:
        """LEFT(x, n): the first n characters."""
        parts = self._take_call(node)
        text, length = self._operands(node, [parts["this"], parts["expression"]])
        return self.forms.call(Function.SUBSTR, [text, Literal(1, Kind.INTEGER), length])

    def holds(self, node: exp.Expr) -> Expression:
        """STARTS_WITH(x, 'a'), ENDS_WITH(x, 'a') and CONTAINS(x, 'a'): a LIKE."""
        parts = self._take_call(node)
        text, part = self._operands(node, [parts["this"], parts["expression"]])
        return self.forms.holds(text, part, *_HOLDS[type(node)])

    def strftime(self, node: exp.Expr) -> Expression:
        """STRFTIME(x, format), MONTHNAME(x), DAYNAME(x), and TO_CHAR(x, format) in the spelling of PostgreSQL."""
        kind = type(node)
        if kind is exp.ToChar and not node.args.get("format"):
            return self.forms.cast(self.read(self._take_call(node, "AsText")["this"]), Kind.TEXT)
        parts = self._take_call(node)
        if kind in _WRITTEN:
            return self.forms.format_time(self._operands(node, [parts["this"]])[0], _WRITTEN[kind])
        moment, format_ = parts["this"], parts.get("format")
        if kind is exp.TimeToStr and isinstance(moment, exp.Literal) and moment.is_string:
            moment, format_ = format_, moment  # STRFTIME('%Y-%m', x)
        text = self._format_of(node, format_)
        (operand,) = self._operands(node, [moment], commas=1)
        if kind is exp.TimeToStr:
            return self.forms.format_time(operand, text)
        return write_time(self.forms, operand, from_to_char(text))

    def _format_of(self, node: exp.Expr, given: exp.Expr | None) -> str:
        if not isinstance(given, exp.Literal) or not given.is_string:
            remedy = "write STRFTIME(x, '%Y-%m')"
            self.account.refuse(node, "the date format must be a constant text", remedy)
        return str(given.name)

    def write_time(self, moment: exp.Expr, given: exp.Expr) -> Expression:
        """DATE_FORMAT(x, format), in the signs of MySQL or of Spark."""
        text = self._format_of(given, given)
        self.account.places.add(given.meta["start"])
        form = from_mysql(text) if "%" in text else from_java(text)
        return write_time(self.forms, self.read(moment), form)

    def parse_time(self, operand: exp.Expr, given: exp.Expr, kind: Kind) -> Expression:
        """STRPTIME(x, '%d/%m/%Y') and TO_DATE(x, 'DD/MM/YYYY'); without a percent sign it is a format of TO_CHAR."""
        text = self._format_of(given, given)
        self.account.places.add(given.meta["start"])
        form = text if "%" in text else from_to_char(text)
        return read_time(self.forms, self.read(operand), form, kind)

    def read_concatenation(self, node: exp.Expr) -> Expression:
        """a || b."""
        parts = self.account.take(node)
        return self.forms.call(
            Function.JOINED, [self.read(parts["this"]), self.read(parts["expression"])]
        )

    def quotient(self, node: exp.Expr) -> Expression:
        """a // b."""
        parts = self.account.take(node)
        return self.forms.call(
            Function.QUOTIENT, [self.read(parts["this"]), self.read(parts["expression"])]
        )

    def extract(self, node: exp.Expr) -> Expression:
        """EXTRACT(part FROM x)."""
        parts = self._take_call(node)
        part = parts["this"]
        if isinstance(part, exp.Func):  # EXTRACT(WEEK(SUNDAY) FROM x)
            self.account.refuse(node, *_WEEK_OF_YEAR)
        word = "TYPE" if part.name.upper() == "DATE" else part.name.upper()
        self.account.claim(part, word if isinstance(part, exp.Var) else "STRING")
        return self.part_of(part.name, parts["expression"])

    def part_of(self, name: str, node: exp.Expr) -> Expression:
        """A part of a moment, of an AGE, or of the time between two moments."""
        between, part = node.unnest(), name_of_unit(name)
        if _is_age(between):
            return self.age(between, part)
        if isinstance(between, exp.Sub) and not isinstance(between.expression, exp.Interval):
            if part == "epoch":
                return self.seconds_between(between)
            if part in _WITHIN:
                return self._part_of_span(between, part)
        if part in _DEPENDS_ON_DIALECT:
            self.account.refuse(node, *_DEPENDS_ON_DIALECT[part])
        operand = self.read(node)
        if part == "date":
            return self.forms.cast(operand, Kind.DATE)
        if part in _YEARS:
            more, length = _YEARS[part]
            year = self.forms.moment_part("year", operand)
            later = self.forms.arithmetic("+", year, literal(more)) if more else year
            return self.forms.call(Function.QUOTIENT, [later, literal(length)])
        return self.forms.moment_part(part, operand)

    def _part_of_span(self, node: exp.Expr, part: str) -> Expression:
        """EXTRACT(HOUR FROM until - since): whole days, and of what is left whole hours, minutes or seconds."""
        parts = self.account.take(node)
        until, since = (self.read(parts[name]) for name in ("this", "expression"))
        found, most = complete_units(self.forms, part, since, until), _WITHIN[part]
        return self.forms.arithmetic("%", found, literal(most)) if most else found

    def seconds_between(self, node: exp.Expr) -> Expression:
        """EXTRACT(EPOCH FROM until - since): the seconds from one moment to another."""
        parts = self.account.take(node)
        until, since = (self.read(parts[name]) for name in ("this", "expression"))
        return self.forms.seconds_between(since, until)

    def named(self, node: exp.Expr) -> Expression:
        """AGE, DATE_SUB(x, INTERVAL 1 DAY), and the functions of NAMED; any other name is refused."""
        parts, name = node.args.get("expressions") or [], node.name.upper()
        if _is_age(node):
            return self.age(node, None)
        if name == "DATE_SUB" and len(parts) == 2:
            self._take_call(node)
            self.account.claim(node, "COMMA")
            if not isinstance(parts[1], exp.Interval):  # so many days
                return self.forms.arithmetic("-", self.read(parts[0]), self.read(parts[1]))
            return self.shift_moment(parts[0], parts[1], -1)
        if name not in NAMED:
            self.account.unknown(node)
        fewest, most, read = NAMED[name]
        if not fewest <= len(parts) <= most:
            count = f"{fewest}" if fewest == most else f"{fewest} to {most}"
            remedy = "list them in parentheses, with commas between"
            self.account.refuse(node, f"{name} takes {count} arguments", remedy)
        self._take_call(node)
        self.account.claim(node, "COMMA", len(parts) - 1)
        return read(self, parts)

    def date_trunc(self, node: exp.Expr) -> Expression:
        """DATE_TRUNC('unit', x)."""
        parts = self._take_call(node)
        (operand,) = self._operands(node, [parts["this"]], commas=1)
        return self.truncate_time(parts["unit"].name, operand)

    def truncate_time(self, unit: str, operand: Expression) -> Expression:
        """Where the unit of time begins in which a moment lies; a week begins on Monday if it names no day."""
        first = first_day_of(unit)
        if first is None:
            return self.forms.in_units(Function.DATE_TRUNC, name_of_unit(unit), operand)
        return truncate_to_week(self.forms, first, operand)

    def date_diff(self, node: exp.Expr) -> Expression:
        """DATE_DIFF('unit', since, until), whose last two the parser exchanges."""
        parts = self._take_call(node)
        if not parts.get("unit"):
            self.account.refuse(
                node, "DATE_DIFF needs a unit of time", "write DATE_DIFF('day', a, b)"
            )
        unit = parts["unit"].name
        since, until = self._operands(node, [parts["expression"], parts["this"]], commas=2)
        first = first_day_of(unit)
        if first is None:
            return self.forms.in_units(Function.DATE_DIFF, name_of_unit(unit), since, until)
        if not says_when_weeks_begin(unit):
            self.account.refuse(node, *_WEEKS_APART)
        return weeks_between(self.forms, first, since, until)

    def choice(self, node: exp.Expr) -> Expression:
        """IF(condition, a, b)."""
        parts = self._take_call(node, "Choice")
        sides = [parts[name] for name in ("this", "true", "false") if parts.get(name)]
        when, then, *otherwise = self._operands(node, sides)
        return self.forms.case([(when, then)], otherwise[0] if otherwise else NULL)

    def distinct(self, node: exp.Expr) -> Expression:
        """a IS DISTINCT FROM b, and a IS NOT DISTINCT FROM b."""
        parts = self.account.take(node)
        found = self.forms.call(
            Function.DISTINCT, [self.read(parts["this"]), self.read(parts["expression"])]
        )
        return found if isinstance(node, exp.NullSafeNEQ) else Not(found)

    def compare_span(
        self, operator: str, span: exp.Expr, interval: exp.Expr, *, exchanged: bool
    ) -> Expression:
        """until - since < INTERVAL '30 days': the seconds between, compared with those of the interval."""
        count, unit = self._read_interval(interval)
        seconds = _SECONDS.get(unit_named(unit))
        if seconds is None:
            remedy = "compare it with days, hours, minutes or seconds: INTERVAL 30 DAY"
            self.account.refuse(span, f"a {unit_named(unit)} has no fixed length", remedy)
        sides = [self.seconds_between(span), literal(count * seconds)]
        return self.forms.compare(operator, *(sides[::-1] if exchanged else sides))

    def shift_moment(self, moment: exp.Expr, interval: exp.Expr, sign: int) -> Expression:
        """moment + INTERVAL n unit, and moment + INTERVAL n unit * x."""
        product = interval.unnest()
        if isinstance(product, exp.Mul):
            sides = self._sides_of_product(interval)
            length, times = sides if isinstance(sides[0], exp.Interval) else sides[::-1]
            count, unit = self._read_interval(length)
            many = self.read(times)
            if sign * count != 1:
                many = self.forms.arithmetic("*", many, literal(sign * count))
            return self.later_by(self.read(moment), many, unit)
        count, unit = self._read_interval(interval)
        return self.forms.later(self.read(moment), sign * count, unit)

    def _sides_of_product(self, node: exp.Expr) -> tuple[exp.Expr, exp.Expr]:
        """The factors of x * INTERVAL 1 DAY, which may stand in parentheses."""
        while isinstance(node, exp.Paren):
            node = self.account.take(node)["this"]
        parts = self.account.take(node)
        return parts["this"], parts["expression"]

    def later_by(self, moment: Expression, count: Expression, unit: str) -> Expression:
        """A moment so many units of time later, as many as an expression says."""
        name = Literal(name_of_unit(unit), Kind.TEXT)
        return self.forms.call(Function.DATE_ADD, [moment, count, name])

    def _read_interval(self, interval: exp.Expr) -> tuple[int, str]:
        """The number and the unit of INTERVAL n unit."""
        parts = self.account.take(interval)
        count, unit = parts.get("this"), parts.get("unit")
        number: str = count.name if isinstance(count, exp.Literal) else ""
        if (
            not isinstance(unit, exp.Var)
            or not number.removeprefix("-").isdecimal()
            or len(number) > 18
        ):
            self._not_an_interval(interval)
        return int(number), unit.name

    def _not_an_interval(self, node: exp.Expr) -> NoReturn:
        remedy = (
            "write one whole number and one unit: INTERVAL 3 MONTH; to add a number of days, "
            "write day + x"
        )
        self.account.refuse(node, "this interval is not supported", remedy)

    def refuse_interval(self, node: exp.Expr) -> Expression:
        """An interval that nothing is added to."""
        raise InvalidPlan(
            "an interval is not a value of its own", "add it to a date: x + INTERVAL 1 DAY"
        )


def is_span(node: exp.Expr) -> bool:
    """Whether a node is an interval, or so many times one: INTERVAL 1 DAY * x."""
    product = node.unnest()
    if not isinstance(product, exp.Mul):
        return isinstance(node, exp.Interval)
    return isinstance(product.this, exp.Interval) != isinstance(product.expression, exp.Interval)


def _is_age(node: exp.Expr) -> bool:
    return isinstance(node, exp.Anonymous) and node.name.upper() == "AGE"


_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800}
_MOST_DECIMALS = 15
_LN_2 = Fraction("0.693147180559945309417232121458")
_HOLDS: dict[type[exp.Expr], tuple[str, str]] = {
    exp.StartsWith: ("", "%"),
    exp.EndsWith: ("%", ""),
    exp.Contains: ("%", "%"),
}
_WRITTEN: dict[type[exp.Expr], str] = {exp.Monthname: "%B", exp.Dayname: "%A"}
# Within what a part of the time between two moments is counted; days are all counted.
_WITHIN = {"day": 0, "hour": 24, "minute": 60, "second": 60}
_FIRST_DAY = (
    "which day of the week is 1 differs between dialects",
    "write EXTRACT(ISODOW FROM x), where Monday is 1, or EXTRACT(DOW FROM x) + 1, where Sunday is 1",
)
_WEEK_OF_YEAR = (
    "which week of a year is 1 differs between dialects",
    "write EXTRACT(ISOWEEK FROM x), or DATE_TRUNC(x, WEEK(SUNDAY)) for the day on which a week begins",
)
_WEEKS_APART = (
    "DATE_DIFF in weeks counts complete weeks in some dialects and beginnings of weeks in others",
    "write DATE_DIFF('day', a, b) // 7, or DATE_DIFF(b, a, ISOWEEK) for the Mondays after a and up to b",
)
# Parts that are counted in more than one way under one name.
_DEPENDS_ON_DIALECT = {
    **dict.fromkeys(("weekday", "dw"), _FIRST_DAY),
    **{f"week({day})": _WEEK_OF_YEAR for day in FIRST_DAYS if day != "monday"},
}
# What is added to a year, and how many years are counted as one.
_YEARS = {"decade": (0, 10), "century": (99, 100)}
_SPECIAL: dict[type[exp.Expr], Callable[[Calls, exp.Expr], Expression]] = {
    exp.StrPosition: Calls.position,
    exp.Pad: Calls.pad,
    exp.ConcatWs: Calls.join_texts,
    exp.Date: Calls.date,
    exp.LastDay: Calls.last_day,
    exp.DateFromParts: Calls.make_date,
    exp.WidthBucket: Calls.width_bucket,
    exp.SafeDivide: Calls.safe_divide,
    exp.DateBin: Calls.time_bucket,
    exp.AtTimeZone: Calls.at_zone,
    exp.DateAdd: Calls.added_interval,
    exp.Pi: Calls.circle,
    exp.Radians: Calls.turn,
    exp.Degrees: Calls.turn,
    exp.Cbrt: Calls.cube_root,
    exp.RegexpFullMatch: Calls.full_match,
    exp.Initcap: Calls.text_map,
    exp.RegexpExtract: Calls.text_map,
    exp.RegexpReplace: Calls.text_map,
    exp.Trunc: Calls.truncate,
    exp.Round: Calls.round,
    exp.Log: Calls.log,
    exp.Trim: Calls.trim,
    exp.Concat: Calls.concat,
    exp.Left: Calls.read_left,
    exp.StartsWith: Calls.holds,
    exp.EndsWith: Calls.holds,
    exp.Contains: Calls.holds,
    exp.TimeToStr: Calls.strftime,
    exp.ToChar: Calls.strftime,
    exp.Monthname: Calls.strftime,
    exp.Dayname: Calls.strftime,
    exp.DPipe: Calls.read_concatenation,
    exp.IntDiv: Calls.quotient,
    exp.Extract: Calls.extract,
    exp.Anonymous: Calls.named,
    exp.TimestampTrunc: Calls.date_trunc,
    exp.DateTrunc: Calls.date_trunc,
    exp.DateDiff: Calls.date_diff,
    exp.If: Calls.choice,
    exp.NullSafeEQ: Calls.distinct,
    exp.NullSafeNEQ: Calls.distinct,
    exp.Interval: Calls.refuse_interval,
}
CALLED = frozenset({*_CALLS, *_PARTS, *_SPECIAL})
"""The nodes of the parser's tree that are read here."""
