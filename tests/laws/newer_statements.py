"""Statements with newer constructs, written over what the grammar writes: subqueries that are released first, lists of
public values, rows of values, constants in joins, chosen rows, modes, grouping sets, functions of declared texts.

They have dice of their own, so that the statements of earlier seeds stay as they are.
"""

from dataclasses import dataclass, field
from random import Random

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
)
"""What a newer statement may use; each is found among the accepted ones."""

_PATTERNS = ("[A-Z]", "^(.)", "[^ ]+$", "(A|B)?.", "é b|A")


@dataclass
class NewerWriter(Writer):
    """Writes one statement with newer constructs."""

    newer: Random = field(default_factory=Random)

    def write_lookup(self, scope: Source, depth: int) -> str:
        """A condition of the grammar, or one with something newer."""
        if self.newer.random() < 0.2:
            return super().write_lookup(scope, depth)
        found = self.newer.choice(
            [self._scalar, self._scalar, self._released_set, self._public_list, self._rows]
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
            made = self._constants(owner) if self.newer.random() < 0.5 else self._chosen(owner)
            if made is not None:
                return made
        return super().write_selection(depth, owner)

    def write(self) -> Statement:
        """The whole, perhaps over several sets of keys, or a mode of each group."""
        if self.newer.random() < 0.1:
            return self._modes()
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

    # ------------------------------------------------------------ rows

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


def _numbers(scope: Source) -> list[Named]:
    return [each for each in scope.columns if each.kind in "in" and each.reach is not None]


def _wards(scope: Source) -> list[Named]:
    return [each for each in scope.columns if each.kind == TEXT and each.values == len(WARDS)]


def write_newer_statement(seed: int, *, deep: bool = False) -> Statement:
    """The statement of a seed, with newer constructs."""
    dice, newer = Random(seed), Random(f"newer {seed}")
    return NewerWriter(
        dice, finding=bool(seed % 2), hostile=seed % 5 == 0, deep=deep, newer=newer
    ).write()
