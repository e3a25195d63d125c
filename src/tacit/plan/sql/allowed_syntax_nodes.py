"""Which SQL is read: the nodes of sqlglot's tree by name, what each may hold, and what is said about the others.

Checked by: tests/unit/plan/test_refusals.py
"""

from __future__ import annotations

from sqlglot import exp

from tacit.plan.model.schema import Kind

__all__ = [
    "AGGREGATES",
    "ARITHMETIC",
    "COMPARISONS",
    "KINDS",
    "NODES",
    "ONE_COLUMN_EACH",
    "PERMITTED",
    "TAUGHT_ARGUMENTS",
    "TAUGHT_FUNCTIONS",
    "TAUGHT_NODES",
    "VARIANTS",
]

PERMITTED = (
    "use COUNT, SUM, AVG, MEDIAN, MIN, MAX, ROUND, COALESCE, EXTRACT, DATE_TRUNC, LOWER, SUBSTR, other functions of "
    "DuckDB that are computed from one row, CAST, CASE, comparisons and + - * / %"
)
"""What to say where nothing better is known."""

_OF_ONE: tuple[type[exp.Expr], ...] = (
    *(
        exp.Abs,
        exp.Sign,
        exp.Floor,
        exp.Ceil,
        exp.Sqrt,
        exp.Ln,
        exp.Exp,
        exp.Sin,
        exp.Cos,
        exp.Tan,
        exp.Asin,
        exp.Acos,
        exp.Atan,
        exp.Radians,
        exp.Degrees,
        exp.Cbrt,
        exp.Lower,
        exp.Upper,
        exp.Length,
        exp.TimeToUnix,
    ),
    *(
        exp.Year,
        exp.Quarter,
        exp.Month,
        exp.Week,
        exp.Day,
        exp.DayOfMonth,
        exp.DayOfWeek,
        exp.DayOfWeekIso,
        exp.DayOfYear,
    ),
    *(exp.Hour, exp.Minute, exp.Second, exp.Monthname, exp.Dayname),
)

_MOMENTS: dict[type[exp.Expr], str] = {
    **dict.fromkeys(
        (exp.Variance, exp.VariancePop, exp.Stddev, exp.StddevSamp, exp.StddevPop), "this"
    ),
    **dict.fromkeys((exp.CovarSamp, exp.CovarPop, exp.Corr), "this expression"),
    **dict.fromkeys((exp.RegrSlope, exp.RegrIntercept, exp.RegrR2), "this expression"),
    **dict.fromkeys((exp.RegrCount, exp.RegrAvgx, exp.RegrAvgy), "this expression"),
    **dict.fromkeys((exp.RegrSxx, exp.RegrSyy, exp.RegrSxy), "this expression"),
}

# Every node that is read: what it may hold, and the words that it accounts for; those with a ? may be missing.
NODES: dict[type[exp.Expr], tuple[str, str]] = {
    exp.Select: (
        "expressions distinct from_ joins where group having order limit offset with_ windows qualify",
        "SELECT",
    ),
    exp.With: ("expressions", "WITH"),
    exp.CTE: ("this alias", "ALIAS"),
    exp.Subquery: ("this alias", ""),
    exp.Intersect: ("this expression distinct with_", "INTERSECT"),
    exp.Except: ("this expression distinct with_", "EXCEPT"),
    exp.Union: ("this expression distinct order limit offset with_", "UNION ALL"),
    exp.Join: ("this side kind on using", "JOIN"),
    exp.Exists: ("this", "EXISTS"),
    exp.Window: ("this partition_by order over alias", "OVER"),
    exp.Qualify: ("this", "QUALIFY"),
    exp.WindowSpec: ("kind start start_side end end_side", ""),
    exp.Ntile: ("this", ""),
    exp.PercentRank: ("", ""),
    exp.CumeDist: ("", ""),
    exp.RowNumber: ("", ""),
    exp.Rank: ("", ""),
    exp.DenseRank: ("", ""),
    exp.Lag: ("this offset", ""),
    exp.Lead: ("this offset", ""),
    exp.Min: ("this", "MIN"),
    exp.Max: ("this", "MAX"),
    exp.Median: ("this", ""),
    exp.Quantile: ("this quantile", "QUANTILE"),
    exp.PercentileCont: ("this expression", ""),
    exp.PercentileDisc: ("this expression", ""),
    exp.WithinGroup: ("this expression", "WITHIN GROUP"),
    exp.Array: ("expressions", "L_BRACKET R_BRACKET"),
    exp.From: ("this", "FROM"),
    exp.Table: ("this alias db", ""),
    exp.Values: ("expressions alias", "VALUES"),
    exp.TableAlias: ("this", ""),
    exp.Where: ("this", "WHERE"),
    exp.Group: ("expressions all rollup", "GROUP_BY"),
    exp.Rollup: ("expressions", "ROLLUP"),
    exp.Cube: ("expressions", "CUBE"),
    exp.GroupingSets: ("expressions", "GROUPING_SETS"),
    exp.Grouping: ("expressions", ""),
    exp.GroupingId: ("expressions", ""),
    exp.Having: ("this", "HAVING"),
    exp.Order: ("expressions", "ORDER_BY"),
    exp.Ordered: ("this desc nulls_first", ""),
    exp.Limit: ("expression", "LIMIT"),
    exp.Fetch: ("direction count limit_options", "FETCH ONLY"),
    exp.LimitOptions: ("rows", "ROWS? TYPE?"),
    exp.Offset: ("expression", "OFFSET ROWS? TYPE?"),
    exp.Alias: ("this alias", ""),
    exp.Column: ("this table db", ""),
    exp.Identifier: ("this quoted", ""),
    exp.Literal: ("this is_string", ""),
    exp.Null: ("", "NULL"),
    exp.Boolean: ("this", ""),
    exp.Paren: ("this", ""),
    exp.Neg: ("this", "DASH"),
    exp.Add: ("this expression", "PLUS"),
    exp.Sub: ("this expression", "DASH"),
    exp.Mul: ("this expression", "STAR"),
    exp.Div: ("this expression", "SLASH"),
    exp.Mod: ("this expression", "MOD"),
    exp.EQ: ("this expression", "EQ"),
    exp.NEQ: ("this expression", "NEQ"),
    exp.LT: ("this expression", "LT"),
    exp.LTE: ("this expression", "LTE"),
    exp.GT: ("this expression", "GT"),
    exp.GTE: ("this expression", "GTE"),
    exp.And: ("this expression", "AND"),
    exp.Or: ("this expression", "OR"),
    exp.Not: ("this", "NOT"),
    exp.Is: ("this expression", "IS"),
    exp.In: ("this expressions query", "IN"),
    exp.Between: ("this low high symmetric", "BETWEEN AND"),
    exp.Any: ("this", "ANY"),
    exp.All: ("this", "ALL"),
    exp.Like: ("this expression negate", "LIKE"),
    exp.SimilarTo: ("this expression", "SIMILAR_TO"),
    exp.Glob: ("this expression", "GLOB"),
    exp.Case: ("this ifs default", "CASE END"),
    exp.If: ("this true", "WHEN THEN"),
    exp.Cast: ("this to", "CAST? DCOLON?"),
    exp.TryCast: ("this to safe", "TRY_CAST"),
    exp.DataType: ("this", "TYPE"),
    exp.Count: ("this big_int", ""),
    exp.Sum: ("this", ""),
    exp.Avg: ("this", ""),
    exp.CountIf: ("this", ""),
    exp.Skewness: ("this", ""),
    exp.Kurtosis: ("this", ""),
    exp.Filter: ("this expression", "FILTER"),
    exp.Distinct: ("expressions", "DISTINCT"),
    exp.Star: ("", "STAR"),
    exp.Coalesce: ("this expressions", ""),
    exp.Nullif: ("this expression", ""),
    exp.Least: ("this expressions ignore_nulls", ""),
    exp.Greatest: ("this expressions ignore_nulls", ""),
    exp.Round: ("this decimals", ""),
    exp.Trunc: ("this decimals", ""),
    exp.Log: ("this expression", ""),
    exp.Pow: ("this expression", ""),
    exp.Atan2: ("this expression", ""),
    exp.Pi: ("", ""),
    exp.Substring: ("this start length", ""),
    exp.Concat: ("expressions safe coalesce", ""),
    exp.Left: ("this expression", ""),
    exp.Right: ("this expression", ""),
    exp.Replace: ("this expression replacement", ""),
    exp.StartsWith: ("this expression", ""),
    exp.SplitPart: ("this delimiter part_index", ""),
    exp.RegexpLike: ("this expression", ""),
    exp.StrPosition: ("this substr", ""),
    exp.Pad: ("this expression fill_pattern is_left", ""),
    exp.ConcatWs: ("expressions safe coalesce", ""),
    exp.Date: ("this", ""),
    exp.LastDay: ("this unit", ""),
    exp.DateFromParts: ("year month day", ""),
    exp.WidthBucket: ("this min_value max_value num_buckets", ""),
    exp.SafeDivide: ("this expression", ""),
    exp.DateBin: ("this expression", ""),
    exp.AtTimeZone: ("this zone", "AT TYPE ZONE STRING"),
    exp.DateAdd: ("this expression", ""),
    exp.RegexpFullMatch: ("this expression", ""),
    exp.Initcap: ("this expression", ""),
    exp.RegexpExtract: ("this expression group null_if_pos_overflow", ""),
    exp.RegexpReplace: ("this expression replacement modifiers single_replace", ""),
    exp.ArgMax: ("this expression", "ARG_MAX"),
    exp.ArgMin: ("this expression", "ARG_MIN"),
    exp.First: ("this", ""),
    exp.Last: ("this", ""),
    exp.FirstValue: ("this", ""),
    exp.LastValue: ("this", ""),
    exp.Mode: ("this", ""),
    exp.ApproxDistinct: ("this", ""),
    exp.AnyValue: ("this", ""),
    exp.IgnoreNulls: ("this", ""),
    exp.LogicalOr: ("this", ""),
    exp.LogicalAnd: ("this", ""),
    exp.EndsWith: ("this expression", ""),
    exp.Contains: ("this expression", ""),
    exp.TimeToStr: ("this format", "STRING"),
    exp.ToChar: ("this format", "STRING"),
    exp.DPipe: ("this expression safe", "DPIPE"),
    exp.IntDiv: ("this expression", "DIV"),
    exp.Trim: ("this position expression", ""),
    exp.Extract: ("this expression", "FROM"),
    exp.Anonymous: ("this expressions", ""),
    exp.TimestampTrunc: ("this unit", "STRING"),
    exp.DateTrunc: ("this unit", "STRING"),
    exp.DateDiff: ("this expression unit date_part_boundary", "STRING"),
    exp.Interval: ("this unit", "INTERVAL"),
    exp.NullSafeEQ: ("this expression", "IS NOT DISTINCT FROM"),
    exp.NullSafeNEQ: ("this expression", "IS DISTINCT FROM"),
    exp.ILike: ("this expression negate", "ILIKE"),
}
NODES |= dict.fromkeys(_OF_ONE, ("this", ""))
NODES |= {name: (held, "") for name, held in _MOMENTS.items()}
_RANKS = (
    exp.Min,
    exp.Max,
    exp.Median,
    exp.Quantile,
    exp.PercentileCont,
    exp.PercentileDisc,
    exp.WithinGroup,
)
_CHOICES = (exp.ArgMax, exp.ArgMin, exp.First, exp.Last)
_OF_A_UNIT = (exp.AnyValue, exp.LogicalOr, exp.LogicalAnd, *_CHOICES)
AGGREGATES = frozenset(
    {
        exp.Count,
        exp.Sum,
        exp.Avg,
        exp.ApproxDistinct,
        exp.Skewness,
        exp.Kurtosis,
        *_RANKS,
        *_MOMENTS,
        *_OF_A_UNIT,
    }
)
"""The nodes that make one number of many rows."""
VARIANTS: dict[str, tuple[str, str]] = {
    "GroupWindow": ("this partition_by order over alias spec", "OVER"),
    "GroupingSet": ("expressions", ""),
    "NamedColumns": ("this columns", ""),
    "Row": ("expressions", ""),
    "DistinctOn": ("on", "DISTINCT ON"),
    "Chosen": ("this expressions", "ORDER_BY"),
    "FramedWindow": ("this partition_by order over alias spec", "OVER"),
    "Merged": ("this expression distinct order limit offset with_", "UNION"),
    "Beside": ("this", "COMMA"),
    "NamedWindow": ("this partition_by order", "ALIAS"),
    "Decimal": ("this expressions", "TYPE"),
    "AsText": ("this", ""),
    "Choice": ("this true false", ""),
}
"""Where one sort of node stands for two things, what it may hold as the second."""
ARITHMETIC: dict[type[exp.Expr], str] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Mod: "%",
}
COMPARISONS: dict[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
KINDS = {
    "BIGINT": Kind.INTEGER,
    "SMALLINT": Kind.INTEGER,
    "TINYINT": Kind.INTEGER,
    "INT": Kind.INTEGER,
    "DOUBLE": Kind.NUMBER,
    "FLOAT": Kind.NUMBER,
    "TEXT": Kind.TEXT,
    "VARCHAR": Kind.TEXT,
    "BOOLEAN": Kind.BOOLEAN,
    "DATE": Kind.DATE,
    "TIMESTAMP": Kind.TIMESTAMP,
    "TIMESTAMPNTZ": Kind.TIMESTAMP,
    "TIMESTAMPTZ": Kind.TIMESTAMP,
}
NO_ROWS = (
    "this would show single rows, and single rows are never released",
    "use an aggregate: COUNT(*), SUM(x) or AVG(x)",
)
# What to say about nodes and arguments that are not read.
TAUGHT_NODES: dict[type[exp.Expr], tuple[str, str]] = {
    exp.Star: NO_ROWS,
    exp.Subquery: (
        "a subquery cannot stand here",
        "write it in WHERE, among the columns or in FROM: WHERE x > (SELECT AVG(x) FROM ...)",
    ),
    exp.Exists: (
        "EXISTS must be a condition of its own in WHERE",
        "write WHERE EXISTS (SELECT ...) AND ..., or use CASE on a column of a LEFT JOIN",
    ),
    exp.Distinct: (
        "DISTINCT is supported in COUNT(DISTINCT x) only",
        "write COUNT(DISTINCT unit) or COUNT(*)",
    ),
    exp.Tuple: (
        "row values such as (a, b) cannot be compared",
        "compare them one by one, with AND; after GROUP BY, leave the parentheses out",
    ),
    exp.Trim: ("TRIM removes spaces only", "write TRIM(x), LTRIM(x) or RTRIM(x)"),
    exp.DateSub: (
        "DATE_SUB is not supported",
        "write x - INTERVAL 1 DAY, or DATE_DIFF('day', a, b)",
    ),
}
_LISTS_ROWS = "this would list values of single rows, and single rows are never released"
_COUNT_EACH = "count each value: SELECT x, COUNT(*) FROM ... GROUP BY x"
ONE_COLUMN_EACH = (
    "UNNEST would make several rows of one",
    "write one column for each element: COUNT(*) FILTER (WHERE CONTAINS(x, 'a')) AS a",
)
_NO_CLOCK = "the current time is not available: the same question must mean the same tomorrow"
_NO_DICE = "random values are not available: the same question must mean the same tomorrow"
# What to say about functions that are not read, by their names.
TAUGHT_FUNCTIONS: dict[str, tuple[str, str]] = {
    **dict.fromkeys(
        ("STRING_AGG", "GROUP_CONCAT", "LISTAGG", "ARRAY_AGG", "LIST"), (_LISTS_ROWS, _COUNT_EACH)
    ),
    **{
        name: (f"the function {name} is not supported", _COUNT_EACH)
        for name in ("HISTOGRAM", "APPROX_TOP_K", "APPROX_TOP_COUNT", "ENTROPY")
    },
    **dict.fromkeys(
        ("NOW", "GETDATE", "GETUTCDATE", "SYSDATETIME", "CURDATE", "TODAY", "UTC_TIMESTAMP"),
        (_NO_CLOCK, "write the date itself"),
    ),
    **dict.fromkeys(
        ("RAND", "RANDOM", "NEWID", "UUID"),
        (_NO_DICE, "leave it out: the noise already protects all rows"),
    ),
    **dict.fromkeys(("UNNEST", "FLATTEN"), ONE_COLUMN_EACH),
    "KURTOSIS_POP": ("the function KURTOSIS_POP is not supported", "write KURTOSIS(x)"),
    **{
        name: (f"the function {name} is not supported", "write EXP(AVG(LN(x))) with WHERE x >= 1")
        for name in ("PRODUCT",)
    },
    **{
        name: (f"the function {name} is not supported", remedy)
        for name, remedy in {
            "WEEKDAY": "write EXTRACT(ISODOW FROM x) - 1 if Monday is 0, or EXTRACT(DOW FROM x) if Sunday is",
            "YEARWEEK": "write DATE_TRUNC('week', x)",
            "TIMEDIFF": "write EXTRACT(EPOCH FROM a - b), which is in seconds",
            "MONTHS_BETWEEN": "write TIMESTAMPDIFF(MONTH, b, a) for complete months",
            "JULIANDAY": "write EXTRACT(EPOCH FROM a - b) / 86400 for the days between",
            "JULIAN": "write EXTRACT(EPOCH FROM a - b) / 86400 for the days between",
            "TO_DAYS": "write DATEDIFF(a, b) for the days between",
            "EPOCH_MS": "write EXTRACT(EPOCH FROM x) * 1000",
            **dict.fromkeys(
                ("TO_NUMBER", "TRY_TO_NUMBER", "TO_DECIMAL", "TRY_TO_DECIMAL"),
                "write TRY_CAST(x AS DOUBLE), or TRY_CAST(x AS DECIMAL(10, 2))",
            ),
            "PATINDEX": "write STRPOS(x, 'a') for the place of a text, or REGEXP_MATCHES(x, 'a[0-9]')",
            "SUMIF": "write SUM(CASE WHEN condition THEN x END)",
            "TO_UNIXTIME": "write EXTRACT(EPOCH FROM x)",
            "REVERSE": "write RIGHT(x, 3) for the last characters",
            "STUFF": "write CONCAT(LEFT(x, 3), 'new', SUBSTR(x, 5))",
            "HYPOT": "write SQRT(x * x + y * y)",
            "COT": "write 1 / TAN(x)",
            "FAVG": "write AVG(x)",
            "FSUM": "write SUM(x)",
        }.items()
    },
    "MAD": ("the function MAD is not supported", "ask for STDDEV(x), or for quantiles of x"),
    "IQR": (
        "the function IQR is not supported",
        "write QUANTILE_CONT(x, 0.75) - QUANTILE_CONT(x, 0.25)",
    ),
}
TAUGHT_ARGUMENTS = {
    "hints": ("table hints are not supported", "leave WITH (...) out"),
    "method": (
        "NATURAL joins are not supported: a join needs ON or USING",
        "write JOIN ... ON a.x = b.x",
    ),
    "recursive": ("recursive queries are not supported", "leave RECURSIVE out"),
    "materialized": (
        "MATERIALIZED is not supported",
        "leave MATERIALIZED out",
    ),
    "columns": (
        "column aliases after the name of a subquery are not supported",
        "write AS inside: SELECT x AS name",
    ),
    "spec": (
        "window frames (ROWS, RANGE) are not supported here",
        "leave ROWS ... out, or use LAG and LEAD",
    ),
    "default": (
        "LAG and LEAD take no default value: they return NULL where there is no row",
        "write CASE WHEN x IS NULL THEN 0 ELSE x END",
    ),
    "by_name": (
        "UNION ALL BY NAME is not supported: columns are matched by position",
        "leave BY NAME out, and list the columns in the same order",
    ),
    "catalog": (
        "catalogs are not supported: a table is called visits or public.visits",
        "remove the part before the first dot",
    ),
    "field": ("IN needs a list", "list the constants in parentheses: x IN (1, 2)"),
    "percent": ("a share of the rows cannot be fetched", "write a whole number of rows"),
    "with_ties": ("WITH TIES is not supported", "write ONLY"),
    "decimals": (
        "FLOOR and CEIL take one argument and return integers",
        "write ROUND(x, 2), or FLOOR(x * 100) / 100",
    ),
    "binary": ("LENGTH takes one text", "write LENGTH(x)"),
    "limit_options": ("LIMIT counts rows", "write a whole number of rows"),
}
