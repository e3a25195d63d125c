"""Statements that combine several answers, drawn at random, over one table of visits; and rows to ask them of."""

from itertools import product

WARDS, SEXES = ("A", "B", "C"), ("f", "m")
COLUMNS = {
    "ward": list(WARDS),
    "sex": list(SEXES),
    "age": {"type": "integer", "low": 0, "high": 3},
    "cost": {"type": "integer", "low": 0, "high": 8},
    "name": "text",
}
KEYS = ("ward", "sex", "age")
AGGREGATES = (
    "COUNT(*)",
    "SUM(cost)",
    "AVG(cost)",
    "COUNT(DISTINCT patient)",
    "SUM(age * 2)",
    "COUNT(*) FILTER (WHERE cost > 2)",
)
CONDITIONS = (
    "",
    "WHERE cost > 2",
    "WHERE sex = 'f'",
    "WHERE age BETWEEN 1 AND 2",
    "WHERE ward <> 'B'",
)


def rows_of(dice, units=30, most=4):
    """Rows of patients, each with a few, none of whose cells is NULL: sums and means mean the same to every engine."""
    every = product(WARDS, SEXES, range(4), (1, 6))  # so that no group is empty
    first = [
        {"patient": 1000 + at, "ward": ward, "sex": sex, "age": age, "cost": cost, "name": "ann"}
        for at, (ward, sex, age, cost) in enumerate(every)
    ]
    return first + [
        {
            "patient": unit,
            "ward": dice.choice(WARDS),
            "sex": dice.choice(SEXES),
            "age": dice.randrange(4),
            "cost": dice.randrange(9),
            "name": dice.choice(["ann", "bob"]),
        }
        for unit in range(units)
        for _ in range(dice.randint(1, most))
    ]


def draw(dice, turn):
    """A statement, and what it is an example of: one kind after the other."""
    kind = list(KINDS)[turn % len(KINDS)]
    return kind, KINDS[kind](dice)


def _scalar(dice, *, plain=False):
    aggregate = dice.choice(AGGREGATES[:2] if plain else AGGREGATES)
    return f"(SELECT {aggregate} FROM visits {dice.choice(CONDITIONS)})"


def _grouped(dice, keys, name="n"):
    listed = ", ".join(keys)
    aggregate, condition = dice.choice(AGGREGATES), dice.choice(CONDITIONS)
    return f"SELECT {listed}, {aggregate} AS {name} FROM visits {condition} GROUP BY {listed}"


def _share(dice):
    key = dice.choice(KEYS)
    return (
        f"SELECT {key}, {dice.choice(AGGREGATES)} AS n, COUNT(*) * 1.0 / {_scalar(dice, plain=True)} AS share "
        f"FROM visits GROUP BY {key} ORDER BY {key}"
    )


def _scalars_alone(dice):
    sign = dice.choice("+-*")
    return f"SELECT {_scalar(dice)} AS a, {_scalar(dice)} {sign} {_scalar(dice)} AS b"


def _joined(dice):
    keys = dice.sample(KEYS, dice.randint(1, 2))
    join = dice.choice(["JOIN", "LEFT JOIN", "FULL JOIN", "INNER JOIN"])
    using = f"USING ({', '.join(keys)})"
    on = "ON " + " AND ".join(f"a.{key} = b.{key}" for key in keys)
    how = using if join == "FULL JOIN" else dice.choice([using, on])
    shown = ", ".join(key if how == using else f"a.{key} AS {key}" for key in keys)
    return (
        f"WITH a AS ({_grouped(dice, keys, 'n')}), b AS ({_grouped(dice, keys, 'm')}) "
        f"SELECT {shown}, n, m, n + m AS both_of_them FROM a {join} b {how} ORDER BY {', '.join(keys)}"
    )


def _before(dice):
    return (
        f"WITH a AS ({_grouped(dice, ['age'])}) SELECT cur.age AS age, cur.n AS n, prev.n AS before, "
        f"cur.n - prev.n AS more FROM a cur {dice.choice(['LEFT JOIN', 'JOIN'])} a prev "
        "ON prev.age = cur.age - 1 ORDER BY 1"
    )


def _wider(dice):
    one, two = dice.sample(KEYS, 2)
    return (
        f"SELECT a.{one}, a.{two}, a.n, b.n AS whole, a.n - b.n AS rest FROM ({_grouped(dice, [one, two])}) a "
        f"JOIN ({_grouped(dice, [one])}) b ON a.{one} = b.{one} ORDER BY 1, 2"
    )


def _cross(dice):
    key = dice.choice(KEYS)
    return (
        f"SELECT {key}, n, n - total AS d FROM ({_grouped(dice, [key])}) x CROSS JOIN "
        f"(SELECT {dice.choice(AGGREGATES)} AS total FROM visits) t ORDER BY {key}"
    )


def _stacked(dice):
    branches = [
        f"SELECT '{name}' AS which, {dice.choice(AGGREGATES)} AS n FROM visits {dice.choice(CONDITIONS)}"
        for name in "xyz"[: dice.randint(2, 3)]
    ]
    return f"{' UNION ALL '.join(branches)} ORDER BY which"


def _stacked_groups(dice):
    one, two = "ward", "sex"
    return (
        f"SELECT {one} AS k, COUNT(*) AS n FROM visits GROUP BY {one} UNION ALL "
        f"SELECT {two}, {dice.choice(AGGREGATES)} FROM visits {dice.choice(CONDITIONS)} GROUP BY {two} ORDER BY k"
    )


def _added_up(dice):
    outer = dice.choice(["SUM(n)", "AVG(n)", "COUNT(*)", "MAX(n)", "MIN(n)"])
    inner = _stacked(dice).removesuffix(" ORDER BY which")
    return f"SELECT which, {outer} AS s FROM ({inner}) GROUP BY which ORDER BY which"


def _sets(dice):
    keys = dice.sample(KEYS, 2)
    by = dice.choice(
        [
            f"ROLLUP ({keys[0]}, {keys[1]})",
            f"CUBE ({keys[0]}, {keys[1]})",
            f"GROUPING SETS (({keys[0]}), ({keys[1]}), ())",
            f"{keys[0]}, ROLLUP ({keys[1]})",
        ]
    )
    aggregate, condition = dice.choice(AGGREGATES), dice.choice(CONDITIONS)
    return (
        f"SELECT {keys[0]}, {keys[1]}, GROUPING({keys[0]}) AS g, GROUPING({keys[1]}) AS h, {aggregate} AS n "
        f"FROM visits {condition} GROUP BY {by} ORDER BY g, h, {keys[0]}, {keys[1]}"
    )


def _own_mean(dice):
    look = dice.choice(["AVG", "SUM", "MAX", "MIN"])
    key = dice.choice(KEYS)
    inner = _grouped(dice, [key])
    return f"WITH m AS ({inner}) SELECT {key}, n, n - (SELECT {look}(n) FROM m) AS d FROM m ORDER BY {key}"


def _above_scalar(dice):
    key = dice.choice(KEYS)
    return f"SELECT {key}, n FROM ({_grouped(dice, [key])}) x WHERE n > {_scalar(dice, plain=True)} / 4 ORDER BY {key}"


def _window_around(dice):
    keys = dice.sample(KEYS, 2)
    look = dice.choice(["SUM(n)", "COUNT(*)", "MAX(n)"])
    return (
        f"SELECT {keys[0]}, {keys[1]}, n, {look} OVER (PARTITION BY {keys[0]}) AS s FROM "
        f"(SELECT {keys[0]}, {keys[1]}, COUNT(*) AS n FROM visits GROUP BY ROLLUP ({keys[0]}, {keys[1]})) "
        f"WHERE n >= 0 ORDER BY {keys[0]}, {keys[1]}, n"
    )


def _windows_stacked(dice):
    look = dice.choice(["SUM(n)", "COUNT(*)", "MAX(n)"])
    one, two = (
        f"SELECT {key} AS k, {look} OVER () AS s FROM (SELECT {key}, COUNT(*) AS n FROM visits GROUP BY {key})"
        for key in ("ward", "sex")
    )
    return f"{one} UNION ALL {two} ORDER BY k"


def _first_added_up(dice):
    key = dice.choice(KEYS)
    first = f"{_grouped(dice, [key])} ORDER BY {key} LIMIT {dice.randint(1, 3)}"
    look = dice.choice(["MAX", "MIN", "AVG", "MEDIAN"])
    return (
        f"SELECT 'first' AS k, SUM(n) AS s FROM ({first}) UNION ALL "
        f"SELECT 'of all', {look}(n) FROM ({_grouped(dice, [key])}) ORDER BY k"
    )


KINDS = {
    "the first of an answer added up": _first_added_up,
    "a scalar subquery beside groups": _share,
    "scalar subqueries alone": _scalars_alone,
    "answers joined on all keys": _joined,
    "an answer joined with itself": _before,
    "answers joined on some keys": _wider,
    "an answer beside a total": _cross,
    "totals stacked": _stacked,
    "groups stacked": _stacked_groups,
    "stacked answers added up": _added_up,
    "windows in a branch": _windows_stacked,
    "grouping sets": _sets,
    "a scalar subquery about the same answer": _own_mean,
    "a condition with a scalar subquery": _above_scalar,
    "a window around grouping sets": _window_around,
}
