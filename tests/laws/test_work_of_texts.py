"""What a short text makes Tacit do is bounded: no text that grows by a line doubles the work, whatever is done with it.

Work is counted in calls of functions, so that a machine that is slow today decides nothing; who exceeds the bound is
stopped there.
"""

# ruff: noqa: E501 -- a statement is best read in one line

import sys

import pytest

import tacit
from tacit.errors import TacitError

MOST_CALLS = 2_500_000
"""What explaining or answering may take: about a second."""

WARDS = [f"w{i}" for i in range(12)]
ROWS = [{"p": i, "age": i % 90, "ward": WARDS[i % 12], "flag": i % 2 == 0} for i in range(24)]
COLUMNS = {"age": {"type": "integer", "low": 0, "high": 120}, "ward": WARDS, "flag": "boolean"}


class TooMuchError(Exception):
    """The bound is exceeded."""


def calls_of(work, *arguments, **named):
    """How many functions are called until something is done, or refused."""
    count = 0

    def note(_frame, event, _argument):
        nonlocal count
        if event in {"call", "c_call"}:
            count += 1
            if count > MOST_CALLS:
                sys.setprofile(None)
                raise TooMuchError

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work(*arguments, **named)
    except TacitError:
        pass
    finally:
        sys.setprofile(before)
    return count


def chain(first, step, last, steps):
    """A statement whose WITH names each query in the next one, as often as `step` has a place for it."""
    parts = [f"a0 AS ({first})"]
    parts += [f"a{i} AS ({step.replace('@', f'a{i - 1}')})" for i in range(1, steps)]
    return f"WITH {', '.join(parts)} {last.replace('@', f'a{steps - 1}')}"


def nested(step, steps, inner):
    """An expression, or a query, inside itself."""
    text = inner
    for _ in range(steps):
        text = step.replace("@", text)
    return text


ANSWER = "SELECT ward, COUNT(*) AS n FROM t GROUP BY ward", "SELECT ward, n FROM @"
UNITS = "SELECT p, age AS x FROM t", "SELECT COUNT(x) AS n FROM @"
CHAINS = {
    "answers stacked": (*ANSWER, "SELECT ward, n FROM @ UNION ALL SELECT ward, n FROM @"),
    "answers joined": (
        *ANSWER,
        "SELECT a.ward, a.n + b.n AS n FROM @ AS a JOIN @ AS b ON a.ward = b.ward",
    ),
    "answers side by side": (
        *ANSWER,
        "SELECT COALESCE(a.ward, b.ward) AS ward, a.n AS n FROM @ AS a FULL JOIN @ AS b ON a.ward = b.ward",
    ),
    "numbers beside": (
        *ANSWER,
        "SELECT ward, n - (SELECT AVG(n) FROM @) + (SELECT MAX(n) FROM @) AS n FROM @",
    ),
    "numbers compared with": (
        *ANSWER,
        "SELECT ward, n FROM @ WHERE n > (SELECT AVG(n) FROM @) AND n < (SELECT MAX(n) FROM @)",
    ),
    "numbers in HAVING": (
        *ANSWER,
        "SELECT ward, COUNT(*) AS n FROM t GROUP BY ward HAVING COUNT(*) > (SELECT AVG(n) FROM @) AND COUNT(*) < (SELECT MAX(n) FROM @)",
    ),
    "keys among answers": (
        *ANSWER,
        "SELECT ward, COUNT(*) AS n FROM t WHERE ward IN (SELECT ward FROM @ WHERE n > 3) AND ward IN (SELECT ward FROM @ WHERE n < 9) GROUP BY ward",
    ),
    "rows joined with answers": (
        *ANSWER,
        "SELECT t.ward, COUNT(*) AS n FROM t JOIN @ AS a ON t.ward = a.ward JOIN @ AS b ON t.ward = b.ward WHERE a.n > 3 AND b.n < 9 GROUP BY t.ward",
    ),
    "choices of numbers": (
        *ANSWER,
        "SELECT ward, CASE WHEN n > 5 THEN n ELSE n + 1 END AS n FROM @",
    ),
    "sums of numbers": (*ANSWER, "SELECT ward, n + n AS n FROM @"),
    "windows of numbers": (*ANSWER, "SELECT ward, SUM(n) OVER (ORDER BY n) + n AS n FROM @"),
    "units among units": (
        *UNITS,
        "SELECT p, x FROM @ WHERE p IN (SELECT p FROM @) AND p IN (SELECT p FROM @)",
    ),
    "units that exist": (
        *UNITS,
        "SELECT p, x FROM @ AS a WHERE EXISTS (SELECT 1 FROM @ AS b WHERE b.p = a.p) AND NOT EXISTS (SELECT 1 FROM @ AS c WHERE c.p = a.p AND c.x > 3)",
    ),
    "rows joined": (*UNITS, "SELECT a.p, a.x FROM @ AS a JOIN @ AS b ON a.p = b.p"),
    "rows stacked": (*UNITS, "SELECT p, x FROM @ UNION ALL SELECT p, x FROM @"),
    "folds of folds": (
        *UNITS,
        "SELECT p, LEAST(SUM(x) + MAX(x) + MIN(x) + AVG(x), 100) AS x FROM @ GROUP BY p",
    ),
    "windows of windows": (
        *UNITS,
        "SELECT p, LEAST(SUM(x) OVER (PARTITION BY p) + MAX(x) OVER (PARTITION BY p), 100) AS x FROM @",
    ),
    "rows between": (
        *UNITS,
        "SELECT p, CASE WHEN x BETWEEN 1 AND 50 THEN x ELSE 3 END AS x FROM @",
    ),
    "rows chosen": (*UNITS, "SELECT p, CASE x WHEN 1 THEN x WHEN 2 THEN 3 END AS x FROM @"),
    "rows added": (*UNITS, "SELECT p, LEAST(x + x, 100) AS x FROM @"),
}
NESTED = {
    "keys of COALESCE": ("COALESCE(@)", "age", "SELECT COUNT(*) AS n FROM t GROUP BY @"),
    "keys of LEAST": ("LEAST(@)", "age", "SELECT COUNT(*) AS n FROM t GROUP BY @"),
    "keys of NULLIF": ("NULLIF(@, 3)", "age", "SELECT COUNT(*) AS n FROM t GROUP BY @"),
    "keys of CASE": ("CASE WHEN @ > 3 THEN 1 ELSE 2 END", "age", "SELECT COUNT(*) AS n FROM t GROUP BY @"),
    "keys among constants": ("CASE WHEN @ IN (1, 2, 3) THEN 1 ELSE 0 END", "age", "SELECT COUNT(*) AS n FROM t GROUP BY @"),
    "keys of texts": ("CONCAT(@, ward)", "ward", "SELECT COUNT(*) AS n FROM t GROUP BY @"),
    "keys of sums": ("(@ + age)", "age", "SELECT COUNT(*) AS n FROM t GROUP BY @"),
    "sums of choices": ("CASE WHEN @ BETWEEN 1 AND 2 THEN 1 ELSE 2 END", "age", "SELECT SUM(@) AS n FROM t"),
    "sums of extremes": ("GREATEST(@, LEAST(@, 5))", "age", "SELECT SUM(@) AS n FROM t"),
    "conditions": ("NOT (@ AND flag)", "flag", "SELECT COUNT(*) AS n FROM t WHERE @"),
    "equal truths": ("((@) = flag)", "flag", "SELECT COUNT(*) AS n FROM t WHERE @"),
    "released choices": ("CASE WHEN @ > 5 THEN @ ELSE 1 END", "COUNT(*)", "SELECT @ AS n FROM t"),
    "released NULLIF": ("NULLIF(@, 3)", "COUNT(*)", "SELECT ward, @ AS n FROM t GROUP BY ward"),
    "released extremes": ("GREATEST(@, LEAST(COUNT(*), 5))", "COUNT(*)", "SELECT ward, @ AS n FROM t GROUP BY ward"),
    "queries in FROM": ("(SELECT p, x FROM @)", "(SELECT p, age AS x FROM t)", "SELECT COUNT(*) AS n FROM @"),
    "limits in parentheses": ("( x LIMIT y @ )", "1", "SELECT COUNT(*) AS n FROM @"),
    "tables in parentheses": ("( @ )", "t", "SELECT COUNT(*) AS n FROM @"),
    "casts": ("CAST(@ AS BIGINT)", "age", "SELECT SUM(@) AS n FROM t"),
}  # fmt: skip
REPEATED = {
    "ROLLUP": ("SELECT COUNT(*) AS n FROM t GROUP BY @", "ROLLUP(flag, ward)", ", ", 12),
    "CUBE": ("SELECT COUNT(*) AS n FROM t GROUP BY CUBE(@)", "flag", ", ", 40),
    "CUBE of many": ("SELECT COUNT(*) AS n FROM t GROUP BY CUBE(@)", "age % {}", ", ", 40),
    "sets": ("SELECT COUNT(*) AS n FROM t GROUP BY GROUPING SETS (@)", "(flag, age % {})", ", ", 90),
    "stars": ("SELECT @ x FROM t", "*", " ", 1_000),
    "IS": ("SELECT @ x FROM t", "IS", " ", 1_000),
    "ones": ("SELECT age@ FROM t", "+1", "", 700),
    "minuses": ("SELECT SUM(@ age) AS n FROM t", "-", " ", 500),
    "conditions": ("SELECT COUNT(*) AS n FROM t WHERE @", "age > {}", " AND ", 300),
    "alternatives": ("SELECT COUNT(*) AS n FROM t WHERE @", "age = {}", " OR ", 300),
    "branches": ("SELECT SUM(CASE @ END) AS n FROM t", "WHEN age > {} THEN {}", " ", 150),
    "columns": ("SELECT @ FROM t", "COUNT(*) AS n{}", ", ", 300),
    "medians": ("SELECT @ FROM t", "MEDIAN(age) AS n{}", ", ", 60),
    "correlations": ("SELECT @ FROM t", "CORR(age, age) AS n{}", ", ", 20),
    "joins": ("SELECT COUNT(*) AS n FROM t AS a0 @", "JOIN t AS a{}1 ON a{}1.p = a0.p", " ", 20),
    "commas": ("SELECT COUNT(*) AS n FROM @ WHERE 1 = 1", "t AS a{}", ", ", 20),
    "branches of UNION ALL": ("SELECT COUNT(*) AS n FROM (@) AS a", "SELECT p, age FROM t", " UNION ALL ", 50),
    "answers of UNION ALL": ("@", "SELECT COUNT(*) AS n FROM t WHERE age > {}", " UNION ALL ", 60),
    "units among units": ("SELECT COUNT(*) AS n FROM t WHERE @", "p IN (SELECT p FROM t WHERE age > {})", " AND ", 40),
    "numbers beside": ("SELECT COUNT(*) @ AS n FROM t", "+ (SELECT COUNT(*) FROM t WHERE age > {})", " ", 60),
}  # fmt: skip
FRAMES = {
    f"{fold} of {2 * away + 1} groups": f"SELECT ward, {fold}(COUNT(*)) OVER (ORDER BY COUNT(*) ROWS BETWEEN {away} PRECEDING AND {away} FOLLOWING) AS n FROM t GROUP BY ward"
    for fold in ("MAX", "MIN", "SUM", "AVG")
    for away in (16, 50)
}
STATEMENTS = {
    **{f"chain: {name}": chain(first, step, last, 14) for name, (first, last, step) in CHAINS.items()},
    **{f"short chain: {name}": chain(first, step, last, 4) for name, (first, last, step) in CHAINS.items()},
    **{f"deeply nested: {name}": whole.replace("@", nested(step, 20, inner), 1) for name, (step, inner, whole) in NESTED.items() if step.count("@") == 1},
    **{f"nested: {name}": whole.replace("@", nested(step, 7, inner), 1) for name, (step, inner, whole) in NESTED.items()},
    **{f"repeated: {name}": whole.replace("@", between.join(part.replace("{}", str(i)) for i in range(times))) for name, (whole, part, between, times) in REPEATED.items()},
    **{f"middle chain: {name}": chain(CHAINS[name][0], CHAINS[name][2], CHAINS[name][1], 6) for name in ("choices of numbers", "sums of numbers")},
    **{f"frame: {name}": text for name, text in FRAMES.items()},
}  # fmt: skip


@pytest.fixture(scope="module")
def vault():
    made = tacit.protect(
        ROWS, unit="p", contributions=1, columns=COLUMNS, epsilon=1000, delta=1e-6, name="t"
    )
    made.sql(
        "SELECT ward, COUNT(*) AS n, AVG(age) AS m FROM t WHERE age > 3 GROUP BY ward", epsilon=1
    )
    return made


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_short_text_is_explained_and_answered_with_bounded_work(vault, name):
    """Refused, or done: never a mistake of ours, and never more than so many calls."""
    text = STATEMENTS[name]
    assert len(text) <= 20_000
    calls_of(vault.explain, text, epsilon=0.01)
    calls_of(vault.sql, text, epsilon=0.01)
    calls_of(vault.sql, text, epsilon=0.01)  # again, for nothing


@pytest.mark.parametrize("fold", ["MAX", "MIN"])
def test_frames_of_many_groups_have_extremes(vault, fold):
    """More groups than a call may have operands."""
    away = "ROWS BETWEEN 20 PRECEDING AND 20 FOLLOWING"
    seen = vault.sql(
        f"SELECT ward, COUNT(*) AS n, {fold}(COUNT(*)) OVER (ORDER BY COUNT(*) {away}) AS m FROM t GROUP BY ward",
        epsilon=1,
    )
    extreme = {"MAX": max, "MIN": min}[fold]
    assert {row[seen.columns.index("m")] for row in seen.rows} == {
        extreme(row[seen.columns.index("n")] for row in seen.rows)
    }


def test_the_bound_is_seen():
    with pytest.raises(TooMuchError):
        calls_of(lambda: [abs(number) for number in range(MOST_CALLS + 10)])
