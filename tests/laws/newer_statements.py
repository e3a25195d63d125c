"""Statements with newer constructs, written over what the grammar writes: subqueries that are released first, lists of
public values, rows of values, constants in joins, chosen rows, modes, grouping sets, functions of declared texts, units
of two tables, combined answers, selections, parameters.

They have dice of their own, so that the statements of earlier seeds stay as they are.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import pairwise
from random import Random
from typing import Any

from sqlglot.dialects.duckdb import DuckDB
from sqlglot.tokenizer_core import TokenType

from tacit.plan import freeze_parameters
from tests.laws.statement_expressions import TEXT, Named, Source
from tests.laws.statement_grammar import Selected, Statement, Writer
from tests.laws.statement_tables import WARDS

__all__ = ["NEWER", "write_newer_statement"]

NEWER = (
    "scalar subquery",
    "scalar in a case",
    "scalar key",
    "released set",
    "public list",
    "public list with null",
    "rows of values",
    "constants in a join",
    "chosen rows",
    "declared text",
    "regular expression",
    "grouping sets",
    "mode",
    "units of two tables",
    "first of a unit",
    "stacked answers",
    "joined answers",
    "answer beside another",
    "selection",
    "parameters",
    "tied to its unit",
    "tied to its group",
)
"""What a newer statement may use; each is found among the accepted ones."""

_COMPARISONS = (
    TokenType.EQ,
    TokenType.NEQ,
    TokenType.LT,
    TokenType.LTE,
    TokenType.GT,
    TokenType.GTE,
)
_PATTERNS = ("[A-Z]", "^(.)", "[^ ]+$", "(A|B)?.", "é b|A")


@dataclass
class NewerWriter(Writer):
    """Writes one statement with newer constructs."""

    newer: Random = field(default_factory=Random)
    latest: Random = field(default_factory=Random)

    def write_where(self, scope: Source, depth: int, *, subqueries: bool = True) -> str:
        """A WHERE clause, which looks something up more often."""
        found = super().write_where(scope, depth, subqueries=subqueries)
        looked = (
            self.write_lookup(scope, depth) if subqueries and self.newer.random() < 0.15 else ""
        )
        tied = "" if looked or not subqueries else self._lately(scope)
        for more in filter(None, (looked, tied)):
            found = f"{found} AND {more}" if found else f" WHERE {more}"
        return found

    def write_lookup(self, scope: Source, depth: int) -> str:
        """A condition of the grammar, or one with something newer."""
        if self.newer.random() < 0.2:
            return super().write_lookup(scope, depth)
        found = self.newer.choice(
            [
                self._scalar,
                self._scalar,
                self._released_set,
                self._public_list,
                self._rows,
                self._units,
            ]
        )(scope)
        return found or super().write_lookup(scope, depth)

    def write_known_key(self, scope: Source) -> tuple[str, int] | None:
        """A key of the grammar, or one with something newer."""
        if self.newer.random() < 0.5:
            return super().write_known_key(scope)
        wards = _wards(scope)
        if self.newer.random() < 0.4 and _numbers(scope):
            self.features.add("scalar key")
            return f"{self._compared(scope)}", 2
        if not wards:
            return super().write_known_key(scope)
        value = self.newer.choice(wards).text
        self.features.add("declared text")
        if self.newer.random() < 0.3:
            return f"INITCAP(LOWER({value}))", len(WARDS)
        self.features.add("regular expression")
        pattern = self.newer.choice(_PATTERNS)
        if self.newer.random() < 0.5:
            return f"REGEXP_EXTRACT({value}, '{pattern}')", len(WARDS)
        return f"REGEXP_REPLACE({value}, '[A-Z]+', '-', 'g')", len(WARDS)

    def write_summed(self, scope: Source, depth: int) -> str:
        """What is added up, now and then only where it is above a mean."""
        found = super().write_summed(scope, depth)
        if self.newer.random() < 0.12 and _numbers(scope):
            self.features.add("scalar in a case")
            return f"CASE WHEN {self._compared(scope)} THEN {found} ELSE 0 END"
        return found

    def write_selection(self, depth: int, owner: str) -> Selected:
        """Rows of the grammar, or rows that constants or an order choose."""
        if self.newer.random() < 0.3:
            made = self.newer.choice([self._constants, self._chosen, self._first])(owner)
            if made is not None:
                return made
        return super().write_selection(depth, owner)

    def write(self) -> Statement:
        """The whole, perhaps with parameters."""
        made = self._write_answer()
        return bind_constants(made, self.newer) if self.newer.random() < 0.25 else made

    def _write_answer(self) -> Statement:
        """One answer, perhaps over several sets of keys, a mode of each group, which groups come first, or several."""
        kind = self.newer.random()
        if kind < 0.05:
            return self._modes()
        if kind < 0.3:
            return self._combine()
        made = super().write()
        if " GROUP BY k0, k1 " in f"{made.text} " and self.newer.random() < 0.6:
            sets = self.newer.choice(
                ["ROLLUP (k0, k1)", "CUBE (k0, k1)", "GROUPING SETS ((k0, k1), (k1), ())"]
            )
            # of grouping sets, no window looks at the groups
            if " OVER " not in made.text and "asked AS" not in made.text:
                self.features.add("grouping sets")
                text = made.text.replace(" GROUP BY k0, k1", f" GROUP BY {sets}")
                return Statement(text, frozenset(self.features), made.exact, made.finding)
        return Statement(made.text, frozenset(self.features), made.exact, made.finding)

    # ------------------------------------------------------------ conditions

    def _answer(self) -> str:
        """A number that is released first."""
        value, table = self.newer.choice(
            [("cost", "visits"), ("age", "visits"), ("mg", "doses"), ("value", "labs")]
        )
        shown = self.newer.choice(
            ["AVG({})", "MEDIAN({})", "MAX({})", "AVG({}) + STDDEV({})", "COUNT(*)", "2 * AVG({})"]
        ).replace("{}", value)
        where = self.newer.choice(["", "", f" WHERE {value} > 3", f" WHERE {value} IS NULL"])
        if not where and self.newer.random() < 0.15:
            where = f" WHERE {value} > (SELECT AVG({value}) FROM {table})"
        return f"(SELECT {shown} FROM {table}{where})"

    def _compared(self, scope: Source) -> str:
        value = self.newer.choice(_numbers(scope)).text
        how = self.newer.choice([">", "<=", "=", "<>"])
        return f"{value} {how} {self.newer.choice(['', '', '1 + ', '0.5 * '])}{self._answer()}"

    def _scalar(self, scope: Source) -> str:
        if not _numbers(scope):
            return ""
        self.features.add("scalar subquery")
        found = self._compared(scope)
        return self.newer.choice([found, f"NOT ({found})", f"({found} OR {found} IS NULL)"])

    def _released_set(self, scope: Source) -> str:
        wards = _wards(scope)
        if not wards:
            return ""
        self.features.add("released set")
        how = self.newer.choice(["IN", "NOT IN"])
        end = self.newer.choice(
            ["ORDER BY COUNT(*) DESC LIMIT 2", "HAVING COUNT(*) > 1", "ORDER BY AVG(age) LIMIT 1"]
        )
        return (
            f"{self.newer.choice(wards).text} {how} (SELECT ward FROM visits GROUP BY ward {end})"
        )

    def _lately(self, scope: Source) -> str:
        """Something that dice of their own choose, now and then."""
        chance = self.latest.random()
        wards = _wards(scope)
        if 0.08 <= chance < 0.12 and wards:
            self.features.add("public list with null")
            return f"{self.latest.choice(wards).text} NOT IN (SELECT ward FROM stations)"
        return self._tied(scope) if chance < 0.08 else ""

    def _tied(self, scope: Source) -> str:
        """A comparison with what the rows of the same unit add up to, or those of the same ward."""
        numbers, wards = _numbers(scope), [each for each in _wards(scope) if "." in each.text]
        ways = [f"z.person = {scope.unit}"] if scope.unit and "." in scope.unit else []
        ways += [f"z.ward = {each.text}" for each in wards]
        if not ways or not numbers:
            return ""
        tie = self.latest.choice(ways)
        self.features.add("tied to its unit" if "person" in tie else "tied to its group")
        value, how = self.latest.choice(numbers).text, self.latest.choice([">", "<=", "="])
        shown = self.latest.choice(["AVG(z.age)", "MAX(z.age)", "COUNT(*)", "MIN(z.age)"])
        more = self.latest.choice(["", " AND z.age > 3", f" AND z.age = {value}"])
        more = more if "person" in tie else more.partition(" AND z.age = ")[0]
        return f"{value} {how} (SELECT {shown} FROM visits z WHERE {tie}{more})"

    def _public_list(self, scope: Source) -> str:
        texts = [each for each in scope.columns if each.kind == TEXT]
        if not texts:
            return ""
        how = self.newer.choice(["IN", "NOT IN"])
        self.features.add("public list" if how == "IN" else "public list with null")
        column, table = self.newer.choice(
            [("drug", "prices"), ("class", "prices"), ("ward", "stations")]
        )
        value = self.newer.choice(texts).text
        where = self.newer.choice(["", f" WHERE {column} IS NOT NULL", f" WHERE {column} > 'b'"])
        more = self.newer.choice(["", "", f" OR {value} = 'x'"])
        return f"({value} {how} (SELECT {column} FROM {table}{where}){more})"

    def _rows(self, scope: Source) -> str:
        wards, numbers = _wards(scope), _numbers(scope)
        if not wards or not numbers:
            return ""
        self.features.add("rows of values")
        one, two = self.newer.choice(wards).text, self.newer.choice(numbers).text
        return (
            f"({one}, {two}) {self.newer.choice(['IN', 'NOT IN'])} (('A', 3), ('B', 0), ('A', 7))"
        )

    def _units(self, scope: Source) -> str:
        """Units that two tables have, or one of them alone."""
        if scope.unit is None:
            return ""
        self.features.add("units of two tables")
        one, two = (self.write_table("unit") for _ in range(2))
        how = self.newer.choice(["INTERSECT", "EXCEPT"])
        where = f" WHERE {self.write_condition(two, 0)}" if self.newer.random() < 0.5 else ""
        return (
            f"{scope.unit} {self.newer.choice(['IN', 'NOT IN'])} (SELECT {one.unit} FROM {one.text} "
            f"{how} SELECT {two.unit} FROM {two.text}{where})"
        )

    # ------------------------------------------------------------ several answers

    def _combine(self) -> Statement:
        """Answers that are stacked, joined or beside each other; or the first groups of one."""
        one, two = (self.write_source(self.newer.choice([0, 0, 1]), owner="unit") for _ in range(2))
        ward = [self.newer.choice(found).text for found in map(_wards, (one, two)) if found]
        ways: list[Callable[..., str]] = [self._stack, self._stand_beside]
        if len(ward) == 2:
            ways += [self._join, self._join, self._choose, self._choose]
        text = self.newer.choice(ways)(one, two, *ward)
        listed = [f"{name} AS ({selected.text})" for name, selected in self.common]
        text = f"WITH {', '.join(listed)} {text}" if listed else text
        return Statement(text, frozenset(self.features), self.exact, self.finding)

    def _stack(self, one: Source, two: Source, *_: str) -> str:
        self.features.add("stacked answers")
        first, second = (
            f"SELECT '{name}' AS k0, {self.write_measure(each, 1)} AS m0 FROM {each.text}{self.write_where(each, 0)}"
            for name, each in (("x", one), ("y", two))
        )
        return f"{first} UNION ALL {second}"

    def _stand_beside(self, one: Source, two: Source, *_: str) -> str:
        self.features.add("answer beside another")
        key = self.write_known_key(one)
        shown, end = (f"{key[0]} AS k0, ", " GROUP BY k0") if key else ("", "")
        other = f"(SELECT {self.write_measure(two, 1)} FROM {two.text}{self.write_where(two, 0)})"
        return (
            f"SELECT {shown}{self.write_measure(one, 3)} AS m0, COUNT(*) * 1.0 / {other} AS m1 "
            f"FROM {one.text}{end}"
        )

    def _join(self, one: Source, two: Source, *ward: str) -> str:
        self.features.add("joined answers")
        first, second = (
            f"(SELECT {key} AS k0, {self.write_measure(each, 3)} AS m0 FROM {each.text} GROUP BY k0)"
            for key, each in zip(ward, (one, two), strict=True)
        )
        how = self.newer.choice(["JOIN", "LEFT JOIN"])
        return f"SELECT a.k0, a.m0, b.m0 AS m1, a.m0 - b.m0 AS z FROM {first} AS a {how} {second} AS b ON a.k0 = b.k0"

    def _choose(self, one: Source, _: Source, ward: str, __: str) -> str:
        self.features.add("selection")
        score = self.newer.choice(["COUNT(*)", f"SUM({self.write_summed(one, 0)})"])
        return (
            f"SELECT {ward} AS k0 FROM {one.text}{self.write_where(one, 0)} GROUP BY k0 "
            f"ORDER BY {score} {self.newer.choice(['', 'DESC'])} LIMIT {self.newer.randint(1, 2)}"
        )

    # ------------------------------------------------------------ rows

    def _first(self, owner: str) -> Selected | None:
        """What the first row of each unit says, in every row or in one of each."""
        if owner != "unit":
            return None
        scope = self.write_source(0, owner=owner)
        self.features.add("first of a unit")
        own, unit = self.write_unit(scope)
        kept, told, order = (self.newer.choice(scope.columns) for _ in range(3))
        one, two = self.make_name("c"), self.make_name("c")
        columns = tuple(
            Named(name, each.kind, each.reach, each.values)
            for name, each in ((one, kept), (two, told))
        )
        if self.newer.random() < 0.5:
            frame = "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
            look = self.newer.choice(
                [
                    f"FIRST_VALUE({told.text}) OVER (PARTITION BY {scope.unit} ORDER BY {order.text})",
                    f"LAST_VALUE({told.text}) OVER (PARTITION BY {scope.unit} ORDER BY {order.text} {frame})",
                ]
            )
            text = f"SELECT {', '.join([*own, f'{kept.text} AS {one}', f'{look} AS {two}'])} FROM {scope.text}"
            return Selected(text, columns, unit, owner, scope.levels + 1, scope.width)
        how = self.newer.choice(["ARG_MAX", "ARG_MIN"])
        looks = [f"{how}({told.text}, {order.text}) AS {two}"]
        text = f"SELECT {', '.join([*own, *looks])} FROM {scope.text} GROUP BY {scope.unit}"
        return Selected(text, columns[1:], unit, owner, scope.levels + 1, scope.width)

    def _constants(self, owner: str) -> Selected | None:
        """Rows with what a list of constants says of them."""
        scope = self.write_table(owner)
        wards = _wards(scope)
        if not wards:
            return None
        self.features.add("constants in a join")
        own, unit = self.write_unit(scope)
        side = self.newer.choice(["", "LEFT "])
        value, name = self.newer.choice(wards).text, self.make_name("c")
        text = (
            f"SELECT {', '.join([*own, f'{value} AS {name}', 'listed.grade AS grade'])} FROM {scope.text} "
            f"{side}JOIN (VALUES ('A', 1), ('B', 5)) AS listed(code, grade) ON {value} = listed.code"
        )
        columns = (Named(name, TEXT, None, len(WARDS)), Named("grade", "i", 5.0, 2))
        return Selected(text, columns, unit, owner, scope.levels + 1, scope.width)

    def _chosen(self, owner: str) -> Selected | None:
        """The first row of each unit in some order."""
        if owner != "unit":
            return None
        scope = self.write_table(owner)
        self.features.add("chosen rows")
        kept = [self.newer.choice(scope.columns) for _ in range(2)]
        names = [self.make_name("c") for _ in kept]
        shown = [f"{each.text} AS {name}" for each, name in zip(kept, names, strict=True)]
        unit = self.make_name("u")
        order = f"{scope.unit}, {self.newer.choice(scope.columns).text} DESC"
        text = (
            f"SELECT DISTINCT ON ({scope.unit}) {scope.unit} AS {unit}, {', '.join(shown)} "
            f"FROM {scope.text} ORDER BY {order}"
        )
        columns = tuple(
            Named(name, each.kind, each.reach, each.values)
            for each, name in zip(kept, names, strict=True)
        )
        return Selected(text, columns, unit, owner, scope.levels + 1, scope.width)

    def _modes(self) -> Statement:
        self.features.add("mode")
        text = self.newer.choice(
            [
                "SELECT test, MODE(code) AS m FROM labs GROUP BY test",
                "SELECT MODE(ward) AS m FROM visits WHERE age > 3",
                "SELECT ward, MODE(km > 3) AS m FROM trips GROUP BY ward",
                "SELECT MODE(ward) AS m FROM trips WHERE km > (SELECT AVG(km) FROM trips)",
            ]
        )
        return Statement(text, frozenset(self.features), exact=True, finding=self.finding)


def bind_constants(statement: Statement, dice: Random) -> Statement:
    """The same statement, in which parameters stand for some of the constants that values are compared with."""
    tokens = DuckDB().tokenize(statement.text)
    places = [
        (token.start, token.end + 1, _value(token))
        for before, token in pairwise(tokens)
        if before.token_type in _COMPARISONS
        and token.token_type in {TokenType.STRING, TokenType.NUMBER}
    ]
    if not places:
        return statement
    chosen = sorted(dice.sample(places, min(len(places), dice.randint(1, 3))))
    form = dice.choice(["?", "${}", ":p{}"])
    text, bound = statement.text, [value for *_, value in chosen]
    for number, (start, end, _) in reversed(list(enumerate(chosen, 1))):
        text = f"{text[:start]}{form.format(number)} {text[end:]}"
    named = {f"p{place}": value for place, value in enumerate(bound, 1)}
    features = statement.features | {"parameters"}
    return replace(
        statement,
        text=text,
        features=features,
        bound=freeze_parameters(named if ":" in form else bound),
        constant=statement.text,
    )


def _value(token: Any) -> str | int | Decimal:
    """What a constant says, as a value of Python's."""
    if token.token_type is TokenType.STRING:
        return str(token.text)
    return int(token.text) if token.text.isdigit() else Decimal(token.text)


def _numbers(scope: Source) -> list[Named]:
    return [each for each in scope.columns if each.kind in "in" and each.reach is not None]


def _wards(scope: Source) -> list[Named]:
    return [each for each in scope.columns if each.kind == TEXT and each.values == len(WARDS)]


def write_newer_statement(seed: int, *, deep: bool = False) -> Statement:
    """The statement of a seed, with newer constructs."""
    dice, newer = Random(seed), Random(f"newer {seed}")
    return NewerWriter(
        dice,
        finding=bool(seed % 2),
        hostile=seed % 5 == 0,
        deep=deep,
        newer=newer,
        latest=Random(f"latest {seed}"),
    ).write()
