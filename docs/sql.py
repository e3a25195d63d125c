"""Writes docs/sql.md: every SQL function that is read, with an example and its cost, and everything that is refused.

The page is made from the tables that the reader of SQL itself uses, and every example is priced by a vault, so that it
cannot say what is not so. `make reference` runs it.
"""

import re
from pathlib import Path

from sqlglot import exp

import tacit
from tacit.curator import Vault
from tacit.plan.sql.allowed_syntax_nodes import (
    ARITHMETIC,
    COMPARISONS,
    KINDS,
    TAUGHT_ARGUMENTS,
    TAUGHT_NODES,
)
from tacit.plan.sql.precheck import _TAUGHT

__all__ = ["AGGREGATED", "CALLS", "INSIDE", "NAMES", "WINDOWS", "page", "statement_of"]

PAGE = Path(__file__).parent / "sql.md"
INSIDE = {exp.Interval, exp.Anonymous, exp.DateTrunc}
"""Nodes that are read as parts of others (INTERVAL 1 DAY), or that the parser places under another node."""

# An example for each function of one row: an expression over the columns below.
CALLS: dict[type[exp.Expr], str] = {
    exp.Coalesce: "COALESCE(cost, 0)",
    exp.Nullif: "NULLIF(age, 0)",
    exp.Least: "LEAST(cost, 100)",
    exp.Greatest: "GREATEST(cost, 100)",
    exp.Abs: "ABS(cost - 100)",
    exp.Sign: "SIGN(cost - 100)",
    exp.Floor: "FLOOR(cost / 10)",
    exp.Ceil: "CEIL(cost / 10)",
    exp.Trunc: "TRUNC(cost)",
    exp.Sqrt: "SQRT(cost)",
    exp.Ln: "LN(cost)",
    exp.Exp: "EXP(age / 100)",
    exp.Pow: "POWER(age, 2)",
    exp.Sin: "SIN(RADIANS(age))",
    exp.Cos: "COS(RADIANS(age))",
    exp.Tan: "TAN(age / 100)",
    exp.Asin: "ASIN(cost / 5000)",
    exp.Acos: "ACOS(cost / 5000)",
    exp.Atan: "ATAN(cost)",
    exp.Atan2: "ATAN2(cost, age)",
    exp.Radians: "RADIANS(age)",
    exp.Degrees: "DEGREES(age / 100)",
    exp.Pi: "PI() * age",
    exp.Cbrt: "CBRT(cost)",
    exp.Lower: "LOWER(ward)",
    exp.Upper: "UPPER(ward)",
    exp.Length: "LENGTH(note)",
    exp.Substring: "SUBSTR(note, 1, 3)",
    exp.Right: "RIGHT(note, 2)",
    exp.Replace: "REPLACE(note, '-', ' ')",
    exp.SplitPart: "SPLIT_PART(note, ' ', 1)",
    exp.RegexpLike: "REGEXP_MATCHES(note, 'ab+')",
    exp.Year: "YEAR(day)",
    exp.Quarter: "QUARTER(day)",
    exp.Month: "MONTH(day)",
    exp.Week: "WEEK(day)",
    exp.Day: "DAY(day)",
    exp.DayOfMonth: "DAYOFMONTH(day)",
    exp.DayOfWeek: "DAYOFWEEK(day)",
    exp.DayOfWeekIso: "ISODOW(day)",
    exp.DayOfYear: "DAYOFYEAR(day)",
    exp.Hour: "HOUR(seen)",
    exp.Minute: "MINUTE(seen)",
    exp.Second: "SECOND(seen)",
    exp.TimeToUnix: "EPOCH(seen)",
    exp.StrPosition: "STRPOS(note, 'a')",
    exp.Pad: "LPAD(note, 5, '0')",
    exp.ConcatWs: "CONCAT_WS('-', ward, note)",
    exp.Date: "DATE(seen)",
    exp.LastDay: "LAST_DAY(day)",
    exp.DateFromParts: "MAKE_DATE(2024, 2, age)",
    exp.WidthBucket: "WIDTH_BUCKET(age, 0, 120, 12)",
    exp.SafeDivide: "SAFE_DIVIDE(cost, age)",
    exp.DateBin: "TIME_BUCKET(INTERVAL 7 DAY, day)",
    exp.AtTimeZone: "seen AT TIME ZONE 'Europe/Paris'",
    exp.DateAdd: "DATE_ADD(day, INTERVAL 1 MONTH)",
    exp.RegexpFullMatch: "REGEXP_FULL_MATCH(note, 'ab+')",
    exp.Initcap: "INITCAP(ward)",
    exp.RegexpExtract: "REGEXP_EXTRACT(ward, '[A-Z]')",
    exp.RegexpReplace: "REGEXP_REPLACE(ward, '[a-z]+', '')",
    exp.Round: "ROUND(cost, -2)",
    exp.Log: "LOG10(cost)",
    exp.Trim: "TRIM(note)",
    exp.Concat: "CONCAT(ward, note)",
    exp.Left: "LEFT(note, 3)",
    exp.StartsWith: "STARTS_WITH(note, 'a')",
    exp.EndsWith: "ENDS_WITH(note, 'a')",
    exp.Contains: "CONTAINS(note, 'a')",
    exp.TimeToStr: "STRFTIME(day, '%Y-%m')",
    exp.ToChar: "TO_CHAR(day, 'YYYY-MM')",
    exp.Monthname: "MONTHNAME(day)",
    exp.Dayname: "DAYNAME(day)",
    exp.DPipe: "ward || note",
    exp.IntDiv: "age // 10",
    exp.Extract: "EXTRACT(year FROM day)",
    exp.TimestampTrunc: "DATE_TRUNC('hour', seen)",
    exp.DateDiff: "DATE_DIFF('day', DATE '2025-01-01', day)",
    exp.If: "CASE WHEN age < 18 THEN 0 ELSE 1 END",
    exp.NullSafeEQ: "ward IS NOT DISTINCT FROM 'A'",
    exp.NullSafeNEQ: "ward IS DISTINCT FROM 'A'",
}
# An example for each function that is read by its name alone.
NAMES: dict[str, str] = {
    "DECODE": "DECODE(ward, 'A', 1, 'B', 2, 0)",
    "DIV0": "DIV0(cost, age)",
    "DIV0NULL": "DIV0NULL(cost, age)",
    "DIV": "DIV(age, 10)",
    "SQUARE": "SQUARE(age)",
    "LOG1P": "LOG1P(cost)",
    "EXPM1": "EXPM1(age / 100)",
    "ZEROIFNULL": "ZEROIFNULL(age)",
    "NULLIFZERO": "NULLIFZERO(age)",
    "DATEADD": "DATEADD(month, 3, day)",
    "TIMESTAMPADD": "TIMESTAMPADD(HOUR, 3, seen)",
    "TIMESTAMPDIFF": "TIMESTAMPDIFF(MONTH, day, seen)",
    "TIMESTAMP_DIFF": "TIMESTAMP_DIFF(seen, day, HOUR)",
    "DATE_PART": "DATE_PART('hour', seen)",
    "DATEPART": "DATEPART(hour, seen)",
    "UNIX_TIMESTAMP": "UNIX_TIMESTAMP(seen)",
    "UNIX_SECONDS": "UNIX_SECONDS(seen)",
    "DAYOFWEEKISO": "DAYOFWEEKISO(day)",
    "ADD_MONTHS": "ADD_MONTHS(day, 3)",
    "DATEDIFF_IN_DAYS": "DATEDIFF(seen, day)",
    "TIME_SLICE": "TIME_SLICE(seen, 15, 'MINUTE')",
    "NVL2": "NVL2(cost, 1, 0)",
    "SUBSTRING_INDEX": "SUBSTRING_INDEX(note, '@', 1)",
    "CONVERT_TIMEZONE": "CONVERT_TIMEZONE('UTC', 'Europe/Paris', seen)",
    "TO_TIMESTAMP": "TO_TIMESTAMP(age)",
    "EOMONTH": "EOMONTH(day)",
    "FROM_UTC_TIMESTAMP": "FROM_UTC_TIMESTAMP(seen, 'Europe/Paris')",
    "DATETRUNC": "DATETRUNC(month, seen)",
    "TO_DATE": "TO_DATE(note, 'DD/MM/YYYY')",
    "STR_TO_DATE": "STR_TO_DATE(note, '%Y%m%d')",
    "STRPTIME": "STRPTIME(note, '%d.%m.%Y')",
    "PARSE_DATE": "PARSE_DATE('%Y-%m-%d', note)",
    "PARSE_TIMESTAMP": "PARSE_TIMESTAMP('%m/%d/%Y', note)",
    "PARSE_DATETIME": "PARSE_DATETIME('%Y-%m-%d', note)",
    "DATE_FORMAT": "DATE_FORMAT(seen, '%H:%i')",
    "FORMAT_DATE": "FORMAT_DATE('%Y-%m', day)",
    "FORMAT_TIMESTAMP": "FORMAT_TIMESTAMP('%Y-%m', seen)",
    "FORMAT_DATETIME": "FORMAT_DATETIME('%Y-%m', seen)",
    "DATENAME": "DATENAME(month, day)",
    "PREFIX": "PREFIX(note, 'a')",
    "SUFFIX": "SUFFIX(note, 'a')",
    "ISNUMERIC": "ISNUMERIC(note)",
    "FORMAT": "FORMAT(day, 'yyyy-MM')",
    "CHOOSE": "CHOOSE(age, 'a', 'b')",
    "ELT": "ELT(age, 'a', 'b')",
    "FIELD": "FIELD(ward, 'A', 'B')",
    "EQUAL_NULL": "EQUAL_NULL(cost, age)",
    "TO_DOUBLE": "TO_DOUBLE(note)",
    "TRY_TO_DOUBLE": "TRY_TO_DOUBLE(note)",
    "TRY_TO_DATE": "TRY_TO_DATE(note)",
    "TIMESTAMP": "TIMESTAMP(day)",
    "DATETIME": "DATETIME(day)",
}
_EACH = "SELECT AVG(x) AS mean FROM (SELECT patient, {} AS x FROM visits GROUP BY patient) AS t"
_BIT = (
    "SELECT COUNT(*) AS n FROM (SELECT patient, {} AS x FROM visits GROUP BY patient) AS t WHERE x"
)
# An example for each aggregate: a whole statement.
AGGREGATED: dict[type[exp.Expr], str] = {
    exp.Count: "SELECT COUNT(*) AS n FROM visits",
    exp.Sum: "SELECT SUM(cost) AS total FROM visits",
    exp.Avg: "SELECT AVG(cost) AS mean FROM visits",
    exp.ApproxDistinct: "SELECT APPROX_COUNT_DISTINCT(patient) AS patients FROM visits",
    exp.Min: "SELECT MIN(age) AS youngest FROM visits",
    exp.Max: "SELECT MAX(age) AS oldest FROM visits",
    exp.Median: "SELECT MEDIAN(age) AS middle FROM visits",
    exp.Quantile: "SELECT QUANTILE(age, 0.9) AS high FROM visits",
    exp.PercentileCont: "SELECT PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY age) AS high FROM visits",
    exp.PercentileDisc: "SELECT PERCENTILE_DISC(0.9) WITHIN GROUP (ORDER BY age) AS high FROM visits",
    exp.WithinGroup: "SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY cost) AS middle FROM visits",
    exp.Variance: "SELECT VAR_SAMP(age) AS v FROM visits",
    exp.VariancePop: "SELECT VAR_POP(age) AS v FROM visits",
    exp.Stddev: "SELECT STDDEV(age) AS s FROM visits",
    exp.StddevSamp: "SELECT STDDEV_SAMP(age) AS s FROM visits",
    exp.StddevPop: "SELECT STDDEV_POP(age) AS s FROM visits",
    exp.Skewness: "SELECT SKEWNESS(cost) AS s FROM visits",
    exp.Kurtosis: "SELECT KURTOSIS(cost) AS k FROM visits",
    exp.CovarSamp: "SELECT COVAR_SAMP(cost, age) AS c FROM visits",
    exp.CovarPop: "SELECT COVAR_POP(cost, age) AS c FROM visits",
    exp.Corr: "SELECT CORR(cost, age) AS c FROM visits",
    exp.RegrSlope: "SELECT REGR_SLOPE(cost, age) AS slope FROM visits",
    exp.RegrIntercept: "SELECT REGR_INTERCEPT(cost, age) AS intercept FROM visits",
    exp.RegrR2: "SELECT REGR_R2(cost, age) AS r2 FROM visits",
    exp.RegrCount: "SELECT REGR_COUNT(cost, age) AS n FROM visits",
    exp.RegrAvgx: "SELECT REGR_AVGX(cost, age) AS x FROM visits",
    exp.RegrAvgy: "SELECT REGR_AVGY(cost, age) AS y FROM visits",
    exp.RegrSxx: "SELECT REGR_SXX(cost, age) AS sxx FROM visits",
    exp.RegrSyy: "SELECT REGR_SYY(cost, age) AS syy FROM visits",
    exp.RegrSxy: "SELECT REGR_SXY(cost, age) AS sxy FROM visits",
    exp.AnyValue: _EACH.format("ANY_VALUE(age)"),
    exp.LogicalOr: _BIT.format("BOOL_OR(age > 65)"),
    exp.LogicalAnd: _BIT.format("BOOL_AND(age > 65)"),
    exp.ArgMax: _EACH.format("ARG_MAX(cost, day)"),
    exp.ArgMin: _EACH.format("ARG_MIN(cost, day)"),
    exp.First: _EACH.format("FIRST(cost ORDER BY day)"),
    exp.Last: _EACH.format("LAST(cost ORDER BY day)"),
}
_OVER = "SELECT ward, COUNT(*) AS n, {} AS x FROM visits GROUP BY ward"
# An example for each window function over released groups: a whole statement.
WINDOWS: dict[type[exp.Expr], str] = {
    exp.RowNumber: _OVER.format("ROW_NUMBER() OVER (ORDER BY COUNT(*) DESC)"),
    exp.Rank: _OVER.format("RANK() OVER (ORDER BY COUNT(*) DESC)"),
    exp.DenseRank: _OVER.format("DENSE_RANK() OVER (ORDER BY COUNT(*) DESC)"),
    exp.Count: _OVER.format("COUNT(*) OVER ()"),
    exp.Sum: _OVER.format("SUM(COUNT(*)) OVER ()"),
    exp.Avg: _OVER.format("AVG(COUNT(*)) OVER ()"),
    exp.Min: _OVER.format("MIN(COUNT(*)) OVER ()"),
    exp.Max: _OVER.format("MAX(COUNT(*)) OVER ()"),
    exp.Lag: _OVER.format("LAG(COUNT(*)) OVER (ORDER BY ward)"),
    exp.Lead: _OVER.format("LEAD(COUNT(*)) OVER (ORDER BY ward)"),
    exp.FirstValue: _OVER.format("FIRST_VALUE(COUNT(*)) OVER (ORDER BY ward)"),
    exp.LastValue: _OVER.format(
        "LAST_VALUE(COUNT(*)) OVER (ORDER BY ward ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)"
    ),
    exp.Median: _OVER.format("MEDIAN(COUNT(*)) OVER ()"),
}
COLUMNS = {
    "ward": ["A", "B", "C"],
    "note": "text",
    "cost": (0, 5000),
    "age": {"type": "integer", "low": 0, "high": 120},
    "day": {"type": "date", "low": "2025-01-01", "high": "2025-12-31"},
    "seen": {"type": "timestamp", "low": "2025-01-01", "high": "2025-12-31"},
}
TOP = """# SQL: what is answered, what it costs, what is refused

This page is generated by `make reference` from the tables that the SQL reader itself uses; every example on it was
read and priced. See also [ask in SQL](how-to/ask-in-sql.md), and [SQL coverage](sql-coverage.md) for how much of
analysts' SQL is supported.

The examples are about a table `visits` of a unit `patient`, ten rows of whom count in full, with the columns `ward`
(three declared values), `note` (text), `cost` (0 to 5,000), `age` (0 to 120), `day` (a date) and `seen` (a time).
The noise is that of epsilon 0.5, under a limit of epsilon 3 and delta 1e-6.
"""


def vault() -> Vault:
    """A vault without rows: prices and refusals depend on none."""
    return tacit.protect(
        [{"patient": 1, "ward": "A", "note": "a", "cost": 1.0, "age": 1, "day": None, "seen": None}],
        unit="patient", contributions=10, columns=COLUMNS, epsilon=3, delta=1e-6, name="visits",
    )  # fmt: skip


def statement_of(call: str) -> str:
    """A statement in which every row's value of an expression is looked at."""
    return f"SELECT COUNT(*) AS n FROM visits WHERE ({call}) IS NOT NULL"  # noqa: S608 - priced, never run


def noise_of(asked: Vault, statement: str) -> str:
    """With which noise a statement is answered."""
    lines = str(asked.explain(statement, epsilon=0.5)).splitlines()
    first = next(n for n, line in enumerate(lines) if line.startswith("Released:"))
    found = []
    for line in lines[first + 1 :]:
        if not line.startswith("  "):
            break
        found.append(line.strip())
    return "; ".join(found)


def name_of(node: type[exp.Expr]) -> str:
    """What a refused node is called."""
    return " ".join(re.findall(r"[A-Z][a-z]*", node.__name__)).upper()


def page() -> str:
    """The whole page."""
    asked = vault()
    parts = [TOP, "## Aggregates", "", "| example | noise |", "|---|---|"]
    parts += [f"| `{text}` | {noise_of(asked, text)} |" for text in AGGREGATED.values()]
    parts += ["", "## Functions of one row", ""]
    parts += [
        "They cost nothing of their own: the row's value is computed before anything is counted or added up.",
        "",
    ]
    calls = [*CALLS.values(), *NAMES.values()]
    for text in calls:
        asked.explain(statement_of(text), epsilon=0.5)
    parts += ["| example | example | example |", "|---|---|---|"]
    shown = [f"`{text.replace('|', chr(92) + '|')}`" for text in calls]
    shown += [""] * (-len(shown) % 3)
    parts += ["| " + " | ".join(shown[n : n + 3]) + " |" for n in range(0, len(shown), 3)]
    signs = ", ".join(f"`{sign}`" for sign in (*ARITHMETIC.values(), *COMPARISONS.values()))
    parts += [
        "",
        f"Operators: {signs}, `AND`, `OR`, `NOT`, `IN`, `BETWEEN`, `LIKE`, `ILIKE`, `IS NULL`.",
    ]
    parts += [f"Types for CAST: {', '.join(f'`{kind}`' for kind in KINDS)}.", ""]
    parts += [
        "## Window functions over groups",
        "",
        "They are computed from released numbers, and are free.",
        "",
    ]
    parts += ["| example | noise |", "|---|---|"]
    parts += [f"| `{text}` | {noise_of(asked, text)} |" for text in WINDOWS.values()]
    parts += [
        "",
        "## What is refused, and what to write instead",
        "",
        "| | reason | remedy |",
        "|---|---|---|",
    ]
    refused = dict(_TAUGHT)
    refused |= {
        "SELECT *" if node is exp.Star else name_of(node): taught
        for node, taught in TAUGHT_NODES.items()
    }
    refused |= {f"({argument})": taught for argument, taught in TAUGHT_ARGUMENTS.items()}
    for word, (reason, remedy) in refused.items():
        cells = (f"`{word}`", reason, remedy)
        parts.append(
            "| " + " | ".join(cell.replace("|", "\\|").replace("*", "\\*") for cell in cells) + " |"
        )
    parts += [
        "",
        "A word in parentheses is the name of a clause's part in the reader's own grammar.",
        "",
    ]
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
