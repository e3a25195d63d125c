"""What steps, expressions and aggregates are called in pandas, polars and SQLAlchemy, and what they are here.

Checked by: tests/unit/plan/frame/test_names.py
"""

from __future__ import annotations

__all__ = ["AGGREGATES", "OF_FRAMES", "OF_TERMS", "SHOWN_ROWS"]

_COUNT, _ASK = ".agg(n=tacit.count())", "ask(epsilon=…)"
_MEASURED = 'agg(name=…) or group_by(name=…), of terms such as col("age") // 10'

AGGREGATES = {
    **{name: f"tacit.{name}" for name in ("sum", "mean", "median", "min", "max", "std", "var")},
    "count": "tacit.count",
    "quantile": "tacit.quantile",
    "count_distinct": "tacit.count_distinct",
    **dict.fromkeys(("avg", "average"), "tacit.mean"),
    **dict.fromkeys(("nunique", "n_unique", "approx_count_distinct"), "tacit.count_distinct"),
    **dict.fromkeys(("stddev", "stdev"), "tacit.std"),
    **dict.fromkeys(("variance",), "tacit.var"),
    **dict.fromkeys(("corr",), "tacit.correlation"),
    **dict.fromkeys(("cov",), "tacit.covariance"),
    **dict.fromkeys(("len", "size"), "tacit.count"),
}
"""Aggregates by their names elsewhere."""


def _as_step(name: str) -> str:
    """How an aggregate is asked for of a frame."""
    ours = AGGREGATES[name]
    if ours == "tacit.count":
        return _COUNT
    if ours in {"tacit.correlation", "tacit.covariance"}:
        return f'.agg(c={ours}("age", "cost"))'
    return f'.agg(m={ours}("cost"{", 0.9" if name == "quantile" else ""}))'


OF_FRAMES = {
    **{name: _as_step(name) for name in AGGREGATES},
    **dict.fromkeys(("filter", "filter_by", "query"), "where(condition)"),
    **dict.fromkeys(("loc", "iloc"), "where(condition)"),
    "groupby": "group_by(column)",
    "value_counts": f'group_by("ward"){_COUNT}',
    **dict.fromkeys(("shape", "height"), _COUNT),
    **dict.fromkeys(("collect", "compute", "execute", "run", "show", "fetch", "result"), _ASK),
    **dict.fromkeys(("scalar", "scalars", "one", "all", "first"), _ASK),
    **dict.fromkeys(("fetchone", "fetchall", "fetchmany"), _ASK),
    **dict.fromkeys(
        ("to_pandas", "to_polars", "to_arrow", "to_dict", "to_df", "df", "pl", "to_dicts"),
        "ask(epsilon=…).to_pandas(), .to_polars(), .to_arrow() or .to_dict()",
    ),
    "select": "agg(name=…)",
    **dict.fromkeys(("with_columns", "with_column", "assign", "mutate", "eval"), _MEASURED),
    "rename": "agg(name=…) or group_by(name=…)",
    **dict.fromkeys(("aggregate", "summarize", "summarise"), "agg(name=…)"),
    **dict.fromkeys(("sort", "sort_values", "sort_by", "arrange"), "order_by(column)"),
    **dict.fromkeys(("head", "nlargest", "take", "slice"), "limit(number)"),
    "merge": "join(other)",
    **dict.fromkeys(("union", "union_all", "concat", "append", "vstack"), "stack(other)"),
    **dict.fromkeys(("drop_duplicates", "unique"), "distinct()"),
    **dict.fromkeys(("dropna", "drop_nulls"), 'where(~col("age").is_null())'),
    **dict.fromkeys(("fillna", "fill_null"), 'col("age").fill_null(0), within agg or where'),
    **dict.fromkeys(("schema", "dtypes", "info", "describe"), "vault.describe(table)"),
    **dict.fromkeys(
        ("apply", "map", "pipe", "map_batches"), "vault.aggregate(function, of=table, …)"
    ),
    "explain": "vault.explain(frame, epsilon=…)",
    "mock": "vault.mock().table(name), a twin of made-up rows",
}
"""What steps are called elsewhere, and here."""

SHOWN_ROWS = frozenset({"tail", "sample", "itertuples", "iterrows", "iter_rows", "values"})
"""What shows single rows elsewhere."""

_NAMED = "the name of an argument, as in agg(n=tacit.count()) or group_by(decade=…)"

OF_TERMS = {
    **{
        name: f'{ours}("age")' if ours != "tacit.quantile" else f'{ours}("age", 0.9)'
        for name, ours in AGGREGATES.items()
    },
    **dict.fromkeys(("isin", "in_"), 'is_in(["A", "B"])'),
    **dict.fromkeys(("notin_", "not_in"), '~col("ward").is_in(["A", "B"])'),
    **dict.fromkeys(("isnull", "isna", "is_none", "is_"), "is_null()"),
    **dict.fromkeys(("notnull", "notna", "is_not_null", "isnot", "is_not"), "~x.is_null()"),
    **dict.fromkeys(("is_between",), "between(low, high)"),
    "desc": "descending()",
    "asc": "ascending()",
    **dict.fromkeys(("alias", "label", "name", "as_", "rename"), _NAMED),
    **dict.fromkeys(("fillna", "coalesce"), "fill_null(0)"),
    **dict.fromkeys(("astype", "as_type"), 'cast("integer")'),
    **dict.fromkeys(("str", "dt", "list"), "a method of the expression itself: lower(), year()"),
    **dict.fromkeys(("startswith",), 'starts_with("A")'),
    **dict.fromkeys(("endswith",), 'ends_with("A")'),
    **dict.fromkeys(("to_lowercase", "casefold"), "lower()"),
    **dict.fromkeys(("to_uppercase",), "upper()"),
    **dict.fromkeys(("strip",), "trim()"),
    **dict.fromkeys(("len_chars",), "length()"),
    **dict.fromkeys(("pow",), "power(2)"),
    **dict.fromkeys(("log",), "ln() or log10()"),
    **dict.fromkeys(("weekday", "dayofweek"), 'extract("dow")'),
    **dict.fromkeys(
        ("apply", "map", "replace_strict"), "tacit.when(condition).then(…).otherwise(…)"
    ),
    **dict.fromkeys(("clip",), "tacit.greatest(low, tacit.least(x, high))"),
}
"""What is done with expressions elsewhere, and here."""
