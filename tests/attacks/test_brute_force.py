"""Random questions over hostile tables: no unit moves an answer further than is claimed, and engines agree.

Written from the public surface, in SQL alone, without the plans and tables of tests/laws: what those do not think of
may be here.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest

from tacit.curator import Limit, Shared
from tacit.curator.pricing.noise_of_measures import Terms, terms_of
from tacit.engines import DuckDB, Memory
from tacit.errors import TacitError
from tacit.mechanisms import RankedCells
from tacit.plan import Column, Kind, Table, canonical, read_priced, tables_of
from tacit.privacy import Neighbours, Norm
from tacit.stability import key_sensitivity, sensitivity_of, weight_alone

ONE = (
    Column("g", Kind.TEXT, values=("a", "b", "", "a ", "A")),
    Column("h", Kind.INTEGER, low=0, high=3),
    Column("x", Kind.NUMBER, low=Fraction(-5), high=Fraction(10)),
    Column("n", Kind.INTEGER, low=-3, high=2),
    Column("s", Kind.TEXT),
    Column("d", Kind.DATE, low=date(2020, 1, 1), high=date(2020, 3, 5)),
    Column("z", Kind.INTEGER),
    Column("o", Kind.TEXT, values=("p", "q"), other=True),
)
TWO = (
    Column("g2", Kind.TEXT, values=("a", "b")),
    Column("y", Kind.NUMBER, low=Fraction(0), high=Fraction(7)),
    Column("m", Kind.INTEGER, low=0, high=5),
)
CELLS: dict[str, list[Any]] = {
    "g": ["a", "b", "", "a ", "A", "c", None],
    "h": [0, 1, 2, 3, 3, -1, 9],
    "x": [-5, 10, 10.0, 0.0, -0.0, 2.5, 100],
    "n": [-3, 2, 0, 1, 7, -9],
    "s": ["k1", "k2", "k3", "k 1", "K1", "", None, "k1 "],
    "d": [date(2020, 1, 1), date(2020, 2, 29), date(2020, 3, 5), date(1900, 1, 1)],
    "z": [0, 1, 2**63 - 1, -(2**63), 5],
    "o": ["p", "q", "other", "zz", None],
    "g2": ["a", "b", "c", None],
    "y": [0, 7, 7.0, 3.3, -1, 90],
    "m": [0, 5, 1, 8],
}
POISON: list[Any] = [
    *(
        None,
        float("nan"),
        float("inf"),
        -float("inf"),
        1e308,
        2**62,
        10**30,
        5e-324,
        Decimal("NaN"),
        True,
    ),
    *(
        "",
        "nan",
        "NULL",
        "x" * 300,
        "e\u0301",
        "\0",
        "1",
        "1.0",
        b"bytes",
        date(1, 1, 1),
        date(9999, 12, 31),
    ),
]
UNITS: list[list[Any]] = [
    [1, 2, 3, 10],
    ["", " ", "a", "a ", "A", "1", "1.0"],
    [0.0, 1.0, 10.5, 1e300],
    [2**70, 2**70 + 1, 1, 2],
    [datetime.fromisoformat(f"2020-01-{moment}") for moment in ("01", "01T05", "02")],
]
NUMBERS = {
    "a": [
        "x",
        "n",
        "h",
        "x*n",
        "n*n",
        "ABS(x)",
        "x % 3",
        "GREATEST(x, n)",
        "NULLIF(n, 0)",
        "EXTRACT(day FROM d)",
    ],
    "b": ["y", "m", "y*m", "CASE WHEN g2 = 'a' THEN y ELSE -m END"],
}
KEYS = {
    "a": [
        "g",
        "h",
        "s",
        "o",
        "CASE WHEN x > 0 THEN 'p' WHEN x <= 0 THEN 'n' END",
        "EXTRACT(month FROM d)",
        "LOWER(g)",
    ],
    "b": ["g2", "m", "m // 2"],
}
TESTS = {
    "a": ["x > 0", "g = 'a'", "s IS NOT NULL", "s LIKE 'k%'", "h = 1 OR x < 3"],
    "b": ["y > 1", "m <> 0"],
}


@dataclass(frozen=True)
class Chance:
    """Whatever is drawn by chance: a question, and tables for it."""

    random: Random

    def of(self, choices: Any) -> Any:
        return self.random.choice(choices)

    def among(self, lists: dict[str, list[str]], sides: str) -> str:
        return str(self.of([each for side in sides for each in lists[side]]))

    def source(self) -> tuple[str, str, str]:
        """A FROM clause, the tables whose columns it has, and its unit."""
        by, order = self.of(["u", "u, g", "u, s"]), self.of(["x", "x DESC", "d, n DESC", "s"])
        window = self.of(["ROW_NUMBER()", "RANK()", "LAG(n)", "LEAD(n, 2)", "SUM(n)", "COUNT(x)"])
        kept, fold = (
            self.among(TESTS, "b"),
            self.of(["SUM(y)", "AVG(y)", "MAX(y)", "COUNT(*)", "COUNT(DISTINCT m)"]),
        )
        nothing = self.of(["", "NOT "])
        seen = f"{window} OVER (PARTITION BY {by} ORDER BY {order}) AS n"
        exists = f"{nothing}EXISTS (SELECT 1 FROM b WHERE uu = u AND {kept})"
        found: tuple[str, str, str] = self.of(
            [
                ("a", "a", "u"),
                (
                    f"a {self.of(['JOIN', 'LEFT JOIN'])} b ON u = uu{self.of(['', ' AND g = g2'])}",
                    "ab",
                    "u",
                ),
                (f"b {self.of(['JOIN', 'LEFT JOIN'])} a ON uu = u", "ab", "uu"),
                (
                    "(SELECT uu, g2, y, m FROM b UNION ALL SELECT u AS uu, g AS g2, x AS y, n AS m FROM a) q",
                    "b",
                    "uu",
                ),
                (
                    f"(SELECT uu, g2, {fold} AS y, COUNT(*) AS m FROM b GROUP BY uu, g2) q",
                    "b",
                    "uu",
                ),
                (
                    f"(SELECT uu, MIN(g2) AS g2, {fold} AS y, MAX(m) AS m FROM b GROUP BY uu) q",
                    "b",
                    "uu",
                ),
                (f"(SELECT u, g, h, x, {seen}, s, d, z, o FROM a) q", "a", "u"),
                (
                    f"(SELECT * FROM a WHERE u {nothing}IN (SELECT uu FROM b WHERE {kept})) q",
                    "a",
                    "u",
                ),
                (f"(SELECT * FROM a WHERE {exists}) q", "a", "u"),
            ]
        )
        return found

    def measure(self, sides: str, unit: str) -> str:
        value, other = (self.among(NUMBERS, sides) for _ in range(2))
        plain = [
            "COUNT(*)",
            f"COUNT(DISTINCT {unit})",
            f"COUNT(DISTINCT {self.among(KEYS, sides)})",
        ]
        folds = [
            f"{name}({value})"
            for name in ("COUNT", "SUM", "AVG", "MEDIAN", "MIN", "MAX", "VAR_POP")
        ]
        return str(self.of([*plain, *folds, f"QUANTILE({value}, 0.1)", f"CORR({value}, {other})"]))

    def question(self) -> str:
        rows, sides, unit = self.source()
        keys = [self.among(KEYS, sides) for _ in range(self.of([0, 1, 1, 2]))]
        measures = [self.measure(sides, unit) for _ in range(self.of([1, 1, 2]))]
        shown = [f"{key} AS k{i}" for i, key in enumerate(keys)] + [
            f"{m} AS m{i}" for i, m in enumerate(measures)
        ]
        where = self.of(["", "", f" WHERE {self.among(TESTS, sides)}"])
        groups = ", ".join(f"k{i}" for i in range(len(keys)))
        return f"SELECT {', '.join(shown)} FROM {rows}{where}" + (
            f" GROUP BY {groups}" if keys else ""
        )

    def row(self, columns: tuple[Column, ...], name: str, unit: Any) -> dict[str, Any]:
        signed = self.of([0.0, -0.0]) if isinstance(unit, float) and not unit else unit
        cells = {
            each.name: self.of(CELLS[each.name] * 6 + POISON[:6] + [self.of(POISON)])
            for each in columns
        }
        return {name: signed, **cells}

    def rows(self, columns: tuple[Column, ...], name: str, unit: Any) -> list[dict[str, Any]]:
        """Rows of one unit: none, few or many, all different or nearly the same."""
        many, first = self.of([0, 1, 1, 2, 3, 5, 9]), self.row(columns, name, unit)
        if self.of([True, False]):
            return [self.row(columns, name, unit) for _ in range(many)]
        return [{**first, name: self.row(columns, name, unit)[name]} for _ in range(many)]


def moved(terms: Terms, place: int, one: Any, other: Any) -> list[Fraction]:
    """How far a measure moves in every group: its number, or the misranking of a cell, computed here anew."""
    where, mechanism = terms.columns[place], terms.mechanisms[place]
    if not isinstance(mechanism, RankedCells):
        return [
            Fraction(abs(int(a) - int(b)))
            for a, b in zip(one[:, where.start], other[:, where.start], strict=True)
        ]
    furthest = [Fraction(0)] * len(one)
    for aim in mechanism.aims if len(one) else ():
        parts = aim.share.denominator

        def misranked(weights: Any, aim: Any = aim, parts: int = parts) -> Any:
            upto = np.cumsum(weights.astype(np.int64), axis=1) * parts
            total = upto[:, -1:]
            target = total // parts * aim.share.numerator + aim.beyond * parts
            below = np.concatenate([np.zeros_like(total), upto[:, :-1]], axis=1)
            inside = np.maximum(0, np.maximum(below - target, target - upto))
            return np.concatenate(
                [np.maximum(0, target), inside, np.maximum(0, total - target)], axis=1
            )

        moves = abs(misranked(one[:, where]) - misranked(other[:, where])).max(axis=1).tolist()
        furthest = [
            max(so_far, Fraction(move, parts)) for so_far, move in zip(furthest, moves, strict=True)
        ]
    return furthest


def gathered(engine: Any, terms: Terms) -> dict[Any, int]:
    """The unknown keys that units keep, and what they weigh."""
    assert terms.finder is not None
    with engine.gather(terms.question, replace(terms.finder.keeping, secret=b"x" * 32)) as found:
        return dict(
            zip(found.keys(range(len(found.weights))), map(int, found.weights), strict=True)
        )


def faults(
    terms: Terms, relation: Neighbours, worlds: list[dict[Table, Any]], engine: Any
) -> Iterator[Any]:
    """What is claimed of a question and is not so for two neighbours; at last the exact answers."""
    engines = [engine(world) for world in worlds]
    found, keys = None, None
    if terms.finder is not None:
        keys = [gathered(each, terms) for each in engines]
        every = sorted({*keys[0], *keys[1]}, key=repr)
        square = sum((keys[0].get(key, 0) - keys[1].get(key, 0)) ** 2 for key in every)
        if square > key_sensitivity(terms.question, terms.finder.keeping, relation).bound ** 2:
            yield "unknown keys move too far"
        for mine, others in (keys, keys[::-1]):
            own = [mine[key] for key in mine if key not in others]
            if len(own) > terms.finder.keeping.most:
                yield "a unit is alone with too many keys"
            if own and max(own) > weight_alone(terms.question, terms.finder.keeping, 1, len(own)):
                yield "a key of one unit weighs too much"
        found = tuple(every[::2][: terms.finder.most])
    question = replace(terms.question, found=found)
    one, other = (each.evaluate(question, terms.weights) for each in engines)
    for each in engines:
        each.close()
    if (one.shape, one.dtype) != (other.shape, other.dtype):
        yield "the shape depends on rows"
    for place, claim in enumerate(sensitivity_of(terms.question, terms.weights, relation)):
        moves = moved(terms, place, one, other)
        reached = sum(moves) ** 2 if claim.norm is Norm.L1 else sum(move**2 for move in moves)
        if reached > claim.bound**2:
            yield f"measure {place} moves too far"
    yield (one.tolist(), other.tolist(), keys)


def tried(chance: Chance) -> bool:
    """Whether a question was understood; then it has been asked of neighbours, in both engines."""
    text, held = chance.question(), [chance.of([1, 2, 5]), chance.of([1, 2, 4])]
    one = Table("a", ONE, unit="u", contributions=held[0])
    two = Table("b", TWO, unit="uu", contributions=held[1])
    relation, delta = chance.of(list(Neighbours)), chance.of([0, Fraction(1, 10**6)])
    try:
        question = canonical(
            read_priced(text, {"a": one, "b": two}, finding=bool(delta))[0]
        ).question
        base = next(table for table in (one, two) if table in tables_of(question.rows))
        shared = Shared(base, base.contributions, chance.of([None, 1, 2]))
        terms = terms_of(question, shared, Limit(3, delta, relation), Fraction(1))
    except TacitError:
        return False
    mine, *others = chance.of(UNITS)
    spelled = str if chance.of([True, False]) and isinstance(mine, int) else lambda unit: unit
    others += [None]
    shared_rows = [row for unit in others for row in chance.rows(ONE, "u", unit)]
    more = [
        row
        for unit in others
        for row in chance.rows(TWO, "uu", None if unit is None else spelled(unit))
    ]
    for compared in (True, False, False):
        worlds = []
        for present in (True, relation is Neighbours.REPLACE):
            own = chance.rows(ONE, "u", mine) if present else []
            owned = chance.rows(TWO, "uu", spelled(mine)) if present else []
            worlds.append({one: [*own, *shared_rows], two: [*more, *owned]})
        exact = [
            list(faults(terms, relation, worlds, engine))
            for engine in ([Memory, DuckDB] if compared else [Memory])
        ]
        assert all(len(each) == 1 for each in exact), (text, relation, exact, worlds)
        assert exact[0] == exact[-1], (text, "engines differ", worlds)
    return True


def test_no_unit_moves_a_random_question_further_than_is_claimed() -> None:
    chance = Chance(Random(20))
    assert sum(tried(chance) for _ in range(26)) > 13


@pytest.mark.soak
@pytest.mark.parametrize("start", range(20))
def test_no_unit_moves_any_of_many_random_questions_further_than_is_claimed(start: int) -> None:
    chance = Chance(Random(1000 + start))
    assert sum(tried(chance) for _ in range(300)) > 150
