"""Which SQL is read: the nodes of sqlglot's tree by name, what each may hold, and what is said about the others."""

from tacit.plan.model.schema import Kind

__all__ = [
    "AGGREGATES",
    "ARITHMETIC",
    "COMPARISONS",
    "KINDS",
    "NODES",
    "PERMITTED",
    "TAUGHT_ARGUMENTS",
    "TAUGHT_NODES",
]

PERMITTED = (
    "use COUNT, SUM, AVG, MEDIAN, MIN, MAX, the functions of docs/how-to/ask-in-sql.md, CAST, CASE, comparisons and "
    "+ - * / %"
)
"""What to say where nothing better is known."""

_OF_ONE = (
    *(
        "Abs",
        "Sign",
        "Floor",
        "Ceil",
        "Trunc",
        "Sqrt",
        "Ln",
        "Exp",
        "Lower",
        "Upper",
        "Length",
        "TimeToUnix",
    ),
    *(
        "Year",
        "Quarter",
        "Month",
        "Week",
        "Day",
        "DayOfMonth",
        "DayOfWeek",
        "DayOfWeekIso",
        "DayOfYear",
    ),
    *("Hour", "Minute", "Second", "Monthname", "Dayname"),
)

_MOMENTS = {
    **dict.fromkeys(("Variance", "VariancePop", "Stddev", "StddevSamp", "StddevPop"), "this"),
    **dict.fromkeys(("CovarSamp", "CovarPop", "Corr"), "this expression"),
}

# Every node that is read: what it may hold, and the words that it accounts for; those with a ? may be missing.
NODES: dict[str, tuple[str, str]] = {
    "Select": (
        "expressions distinct from_ joins where group having order limit offset with_ windows qualify",
        "SELECT",
    ),
    "With": ("expressions", "WITH"),
    "CTE": ("this alias", "ALIAS"),
    "Subquery": ("this alias", ""),
    "Union": ("this expression distinct order limit offset with_", "UNION ALL"),
    "Merged": ("this expression distinct order limit offset with_", "UNION"),
    "Join": ("this side kind on using", "JOIN"),
    "Beside": ("this", "COMMA"),
    "Exists": ("this", "EXISTS"),
    "Window": ("this partition_by order over alias", "OVER"),
    "NamedWindow": ("this partition_by order", "ALIAS"),
    "Qualify": ("this", "QUALIFY"),
    "RowNumber": ("", ""),
    "Rank": ("", ""),
    "DenseRank": ("", ""),
    "Lag": ("this offset", ""),
    "Lead": ("this offset", ""),
    "Min": ("this", "MIN"),
    "Max": ("this", "MAX"),
    "Median": ("this", ""),
    "Quantile": ("this quantile", "QUANTILE"),
    "PercentileCont": ("this expression", ""),
    "PercentileDisc": ("this expression", ""),
    "WithinGroup": ("this expression", "WITHIN GROUP"),
    "Array": ("expressions", "L_BRACKET R_BRACKET"),
    "From": ("this", "FROM"),
    "Table": ("this alias", ""),
    "TableAlias": ("this", ""),
    "Where": ("this", "WHERE"),
    "Group": ("expressions all", "GROUP_BY"),
    "Having": ("this", "HAVING"),
    "Order": ("expressions", "ORDER_BY"),
    "Ordered": ("this desc", "NULLS? LAST?"),
    "Limit": ("expression", "LIMIT"),
    "Offset": ("expression", "OFFSET"),
    "Alias": ("this alias", ""),
    "Column": ("this table", ""),
    "Identifier": ("this quoted", ""),
    "Literal": ("this is_string", ""),
    "Null": ("", "NULL"),
    "Boolean": ("this", ""),
    "Paren": ("this", ""),
    "Neg": ("this", "DASH"),
    "Add": ("this expression", "PLUS"),
    "Sub": ("this expression", "DASH"),
    "Mul": ("this expression", "STAR"),
    "Div": ("this expression", "SLASH"),
    "Mod": ("this expression", "MOD"),
    "EQ": ("this expression", "EQ"),
    "NEQ": ("this expression", "NEQ"),
    "LT": ("this expression", "LT"),
    "LTE": ("this expression", "LTE"),
    "GT": ("this expression", "GT"),
    "GTE": ("this expression", "GTE"),
    "And": ("this expression", "AND"),
    "Or": ("this expression", "OR"),
    "Not": ("this", "NOT"),
    "Is": ("this expression", "IS"),
    "In": ("this expressions query", "IN"),
    "Between": ("this low high", "BETWEEN AND"),
    "Like": ("this expression negate", "LIKE"),
    "Case": ("this ifs default", "CASE END"),
    "If": ("this true", "WHEN THEN"),
    "Cast": ("this to", "CAST? DCOLON?"),
    "TryCast": ("this to safe", "TRY_CAST"),
    "DataType": ("this", "TYPE"),
    "Decimal": ("this expressions", "TYPE"),
    "Count": ("this big_int", ""),
    "Sum": ("this", ""),
    "Avg": ("this", ""),
    "CountIf": ("this", ""),
    "Filter": ("this expression", "FILTER"),
    "Distinct": ("expressions", "DISTINCT"),
    "Star": ("", "STAR"),
    "Coalesce": ("this expressions", ""),
    "Nullif": ("this expression", ""),
    "Least": ("this expressions ignore_nulls", ""),
    "Greatest": ("this expressions ignore_nulls", ""),
    "Round": ("this decimals", ""),
    "Log": ("this expression", ""),
    "Pow": ("this expression", ""),
    "Substring": ("this start length", ""),
    "Concat": ("expressions safe coalesce", ""),
    "Left": ("this expression", ""),
    "Right": ("this expression", ""),
    "Replace": ("this expression replacement", ""),
    "StartsWith": ("this expression", ""),
    "EndsWith": ("this expression", ""),
    "Contains": ("this expression", ""),
    "TimeToStr": ("this format", "STRING"),
    "ToChar": ("this format", "STRING"),
    "DPipe": ("this expression safe", "DPIPE"),
    "IntDiv": ("this expression", "DIV"),
    "Trim": ("this position", ""),
    "Extract": ("this expression", "FROM"),
    "Anonymous": ("this expressions", ""),
    "TimestampTrunc": ("this unit", "STRING"),
    "DateTrunc": ("this unit", "STRING"),
    "DateDiff": ("this expression unit date_part_boundary", "STRING"),
    "Interval": ("this unit", "INTERVAL"),
    "Choice": ("this true false", ""),
    "NullSafeEQ": ("this expression", "IS NOT DISTINCT FROM"),
    "NullSafeNEQ": ("this expression", "IS DISTINCT FROM"),
    "ILike": ("this expression negate", "ILIKE"),
} | dict.fromkeys(_OF_ONE, ("this", ""))
NODES |= {name: (held, "") for name, held in _MOMENTS.items()}
_RANKS = ("Min", "Max", "Median", "Quantile", "PercentileCont", "PercentileDisc", "WithinGroup")
AGGREGATES = frozenset({"Count", "Sum", "Avg", *_RANKS, *_MOMENTS})
"""The nodes that make one number of many rows."""
ARITHMETIC = {"Add": "+", "Sub": "-", "Mul": "*", "Div": "/", "Mod": "%"}
COMPARISONS = {"EQ": "=", "NEQ": "<>", "LT": "<", "LTE": "<=", "GT": ">", "GTE": ">="}
KINDS = {
    "BIGINT": Kind.INTEGER,
    "INT": Kind.INTEGER,
    "DOUBLE": Kind.NUMBER,
    "TEXT": Kind.TEXT,
    "VARCHAR": Kind.TEXT,
    "BOOLEAN": Kind.BOOLEAN,
    "DATE": Kind.DATE,
    "TIMESTAMP": Kind.TIMESTAMP,
    "TIMESTAMPNTZ": Kind.TIMESTAMP,
}
NO_ROWS = ("every row would be shown, and no row ever leaves", "ask for COUNT(*), SUM(x) or AVG(x)")
# What to say about nodes and arguments that are not read.
TAUGHT_NODES: dict[str, tuple[str, str]] = {
    "Star": NO_ROWS,
    "Subquery": (
        "a question inside stands in FROM, or after IN and EXISTS among the conditions of WHERE",
        "write it in FROM and join it on the unit; units are looked for with unit IN (SELECT unit FROM ...) AND ...",
    ),
    "Exists": (
        "EXISTS stands by itself among the conditions of WHERE",
        "write WHERE EXISTS (SELECT ...) AND ..., or use CASE on a column of a LEFT JOIN",
    ),
    "Distinct": (
        "of distinct values only units are counted",
        "write COUNT(DISTINCT unit) or COUNT(*)",
    ),
    "Tuple": (
        "several values in parentheses are not compared at once",
        "compare them one by one, with AND",
    ),
    "Trim": ("TRIM takes away spaces only", "write TRIM(x), LTRIM(x) or RTRIM(x)"),
    "DateAdd": ("DATE_ADD is not read", "write x + INTERVAL 1 DAY"),
    "DateSub": ("DATE_SUB is not read", "write x - INTERVAL 1 DAY, or DATE_DIFF('day', a, b)"),
}
TAUGHT_ARGUMENTS = {
    "method": ("tables are joined by what ON or USING says", "write JOIN ... ON a.x = b.x"),
    "recursive": ("a question that names itself is not read", "leave RECURSIVE out"),
    "materialized": (
        "how a question inside is computed is not asked for",
        "leave MATERIALIZED out",
    ),
    "columns": ("columns are named where they are selected", "write AS inside: SELECT x AS name"),
    "spec": (
        "a window of some rows before and after is not read",
        "leave ROWS ... out, or use LAG and LEAD",
    ),
    "default": (
        "LAG and LEAD give NULL where there is no row",
        "write CASE WHEN x IS NULL THEN 0 ELSE x END",
    ),
    "by_name": (
        "columns are stacked by their places",
        "leave BY NAME out, and list the columns in the same order",
    ),
    "db": ("tables are known by their name alone", "leave out what stands before the point"),
    "field": ("IN needs a list", "list the constants in parentheses: x IN (1, 2)"),
    "nulls_first": ("NULLs come last", "leave NULLS FIRST out"),
    "decimals": (
        "FLOOR, CEIL and TRUNC give whole numbers",
        "write ROUND(x, 2), or FLOOR(x * 100) / 100",
    ),
    "binary": ("LENGTH takes one text", "write LENGTH(x)"),
    "limit_options": ("LIMIT counts rows", "write a whole number of rows"),
}
