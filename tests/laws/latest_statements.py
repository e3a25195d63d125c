"""Statements with the latest constructs, written over what the grammar and the newer ones write: joins on a declared
foreign key alone, FULL JOIN on the unit, days that are made of numbers, keys that are discovered without a delta.

They have dice of their own, so that the statements of earlier seeds stay as they are.
"""

from dataclasses import dataclass, field, replace
from random import Random

from tests.laws.newer_statements import NewerWriter
from tests.laws.statement_expressions import DATE, INTEGER, LETTERS, Named, Source
from tests.laws.statement_grammar import Selected, Statement, quote, reach_of
from tests.laws.statement_tables import TABLES

__all__ = ["LATEST", "write_latest_statement"]

LATEST = (
    "foreign key",
    "outer join on a foreign key",
    "foreign key of a subquery",
    "full join",
    "full join beside its unit",
    "made day",
    "keys without delta",
)
"""What a latest statement may use; each is found among the accepted ones."""

REFERENCES = tuple(
    (name, own, target, key)
    for name, table in TABLES.items()
    for own, target, key in table.references
)


@dataclass
class LatestWriter(NewerWriter):
    """Writes one statement with the latest constructs."""

    latest: Random = field(default_factory=Random)

    def write(self) -> Statement:
        """The whole; of keys that nobody declared, some are discovered without a delta."""
        made = super().write()
        is_pure = self.finding and self.latest.random() < 0.7
        if is_pure and "unknown key" in made.features:
            made = replace(made, features=made.features | {"keys without delta"})
        return replace(made, is_pure=is_pure)

    def write_value(self, kind: str, scope: Source, depth: int) -> Named:
        """A value of the grammar, or a day that is made of numbers."""
        if kind != DATE or self.latest.random() > 0.4:
            return super().write_value(kind, scope, depth)
        self.features.add("made day")
        numbers = [each.text for each in scope.columns if each.kind == INTEGER]
        parts = [self.latest.choice([*numbers, *numbers, "2024", "2", "29", "0"]) for _ in range(3)]
        parts[0] = self.latest.choice(["2024", "2023", parts[0]])
        return Named(f"MAKE_DATE({', '.join(parts)})", DATE)

    def write_selection(self, depth: int, owner: str) -> Selected:
        """Rows of the grammar, or rows that a foreign key joins, or all rows of two tables."""
        chance = self.latest.random() if owner == "unit" else 1.0
        if chance < 0.35:
            return self._refer(depth)
        return self._join_all() if chance < 0.5 else super().write_selection(depth, owner)

    def _refer(self, depth: int) -> Selected:
        """Rows that meet along a declared foreign key, where the unit is in the condition or not."""
        name, own, target, key = self.latest.choice(REFERENCES)
        one, mine = self._side(name, own, depth)
        two, theirs = self._side(target, key, depth)
        if self.latest.random() < 0.4:
            one, two, mine, theirs = two, one, theirs, mine
        on = [self.latest.choice([f"{mine} = {theirs}", f"{theirs} = {mine}"])]
        if self.latest.random() < 0.2:
            on.append(f"{one.unit} = {two.unit}")
        if self.latest.random() < 0.3:
            on.append(self.write_condition(two, 0))
        how = self.latest.choice(["JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", ","])
        self.features.add("foreign key" if how in {"JOIN", ","} else "outer join on a foreign key")
        if how == "RIGHT JOIN":  # of an outer join, the side that stays
            one, two = two, one
        both = Source("", (*one.columns, *two.columns), one.unit, "unit")
        texts, columns = self.write_columns(both, 1, self.latest.randint(2, 4))
        named, unit = self.write_unit(both)
        if how == "RIGHT JOIN":
            one, two = two, one
        shown = f"SELECT {', '.join([*named, *texts])} FROM {one.text}"
        joined = f"{shown}, {two.text} WHERE" if how == "," else f"{shown} {how} {two.text} ON"
        if how not in {"JOIN", ","}:
            columns = tuple(replace(each, values=None) for each in columns)
        text = f"{joined} {' AND '.join(on)}"
        return Selected(text, columns, unit, "unit", max(one.levels, two.levels) + 1, 2)

    def _side(self, name: str, column: str, depth: int) -> tuple[Source, str]:
        """A table, as it is or in a subquery that may leave out its unit; and what its column is called there."""
        table, alias = TABLES[name], self.make_name("r")
        columns = tuple(
            Named(
                f"{alias}.{quote(each.name)}",
                LETTERS[each.kind],
                reach_of(each),
                None if each.values is None else len(each.values) + each.other,
            )
            for each in table.columns
            if each.name != table.unit
        )
        plain = Source(f"{name} AS {alias}", columns, f"{alias}.{table.unit}", "unit")
        if depth < 1 or self.latest.random() < 0.6:
            return plain, f"{alias}.{quote(column)}"
        self.features.add("foreign key of a subquery")
        other = self.latest.choice(columns)
        called, kept, unit, outer = (self.make_name(each) for each in ("c", "c", "u", "r"))
        shown = [f"{plain.unit} AS {unit}", f"{alias}.{quote(column)} AS {called}"]
        where = f" WHERE {self.write_condition(plain, 0)}" if self.latest.random() < 0.4 else ""
        rows = self.latest.choice(["SELECT", "SELECT", "SELECT DISTINCT"])
        text = f"({rows} {', '.join([*shown, f'{other.text} AS {kept}'])} FROM {plain.text}{where}) AS {outer}"
        source = Source(
            text, (replace(other, text=f"{outer}.{kept}"),), f"{outer}.{unit}", "unit", levels=1
        )
        return source, f"{outer}.{called}"

    def _join_all(self) -> Selected:
        """The rows of two tables beside those of the other, of all units that one of them has."""
        one, two = (self.write_table("unit") for _ in range(2))
        unit, names = self.make_name("u"), [self.make_name("r"), self.make_name("r")]
        sides, columns = [], []
        for scope, name in zip((one, two), names, strict=True):
            texts, kept = self.write_columns(scope, 1, self.latest.randint(1, 2))
            shown = ", ".join([f"{scope.unit} AS {unit}", *texts])
            sides.append(
                f"(SELECT {shown} FROM {scope.text}{self.write_where(scope, 0)}) AS {name}"
            )
            columns += [replace(each, text=f"{name}.{each.text}", values=None) for each in kept]
        self.features.add("full join")
        both = Source("", tuple(columns), unit, "unit")
        texts, made = self.write_columns(both, 1, self.latest.randint(2, 3))
        if self.latest.random() < 0.3:
            self.features.add("full join beside its unit")
            flag = self.make_name("c")
            texts.append(
                f"CASE WHEN {names[0]}.{unit} IS NULL THEN 1 WHEN {names[1]}.{unit} IS NULL THEN 2 ELSE 0 END AS {flag}"
            )
            made = (*made, Named(flag, INTEGER, 2.0, 3))
        own = self.make_name("u")
        text = f"SELECT {', '.join([f'{unit} AS {own}', *texts])} FROM {sides[0]} FULL JOIN {sides[1]} USING ({unit})"
        return Selected(text, made, own, "unit", 2, 2)


def write_latest_statement(seed: int, *, deep: bool = False) -> Statement:
    """The statement of a seed, with the latest constructs."""
    dice, newer, latest = Random(seed), Random(f"newer {seed}"), Random(f"latest {seed}")
    return LatestWriter(
        dice,
        finding=bool(seed % 2),
        hostile=seed % 5 == 0,
        deep=deep,
        newer=newer,
        latest=latest,
    ).write()
