"""Expressions of PostgreSQL as DuckDB writes them.

Checked by: tests/unit/catalogue/test_database.py
"""

from __future__ import annotations

from sqlglot import exp

from tacit.catalogue.rewrite.casts import rewrite_cast
from tacit.catalogue.rewrite.functions import (
    is_json_list,
    json_list,
    rewrite_call,
    rewrite_series,
    within_json_list,
)
from tacit.catalogue.rewrite.operators import (
    OPERATORS,
    escape_pattern,
    first_name,
    list_in_quantifier,
    names_for_oids,
    rewrite_division,
    rewrite_operator,
    rewrite_quantifier,
    rewrite_subscript,
    unescape,
)
from tacit.catalogue.rewrite.relations import (
    SAID,
    rewrite_function,
    rewrite_table,
    rewrite_unnest,
)
from tacit.catalogue.rewrite.session import Session
from tacit.catalogue.rewrite.session_values import fill_parameter, rewrite_column
from tacit.catalogue.rewrite.walk import call, from_leaves, peel, text
from tacit.errors import CatalogueError

__all__ = ["fold_case", "rewrite_expressions"]


def fold_case(node: exp.Expr) -> exp.Expr:
    """Names without quotes are written in small letters."""
    if isinstance(node, exp.Identifier) and not node.args.get("quoted"):
        node.set("this", str(node.this).lower())
    return node


def rewrite_expressions(tree: exp.Expr, session: Session) -> exp.Expr:
    """The whole tree with every node as DuckDB understands it."""

    def rule(node: exp.Expr) -> exp.Expr:
        made = _rewrite(node, session)
        if isinstance(node, exp.Func) and made is not node:
            made.meta.setdefault(SAID, _function_name(node))  # in FROM, a function names its column
        return made

    return from_leaves(tree, rule)


def _function_name(node: exp.Func) -> str:
    return (node.name if isinstance(node, exp.Anonymous) else node.sql_name()).lower()


def _rewrite(node: exp.Expr, session: Session) -> exp.Expr:
    match node:
        case exp.Table():
            return rewrite_table(node, session)
        case exp.Unnest() if isinstance(node.parent, exp.From | exp.Join):
            return rewrite_unnest(node, node.args.get("alias"), node.args.get("offset"))
        case exp.Lateral():
            return _lateral(node)
        case exp.Dot():
            return _dot(node)
        case exp.Column():
            return rewrite_column(node, session)
        case exp.Parameter() | exp.Placeholder():
            return fill_parameter(node, session)
        case exp.Cast():
            return rewrite_cast(node, session)
        case exp.Collate():
            return peel(node.this)
        case exp.Any() | exp.All():
            return list_in_quantifier(node)
        case exp.Operator():
            return rewrite_operator(node)
        case exp.RegexpLike():
            return OPERATORS["~"](node.this, node.expression)
        case exp.RegexpILike():
            return OPERATORS["~*"](node.this, node.expression)
        case exp.ArrayContainsAll():
            return OPERATORS["@>"](node.this, node.expression)
        case exp.ArrayContainedBy():
            return OPERATORS["<@"](node.this, node.expression)
        case exp.ArrayOverlaps():
            return OPERATORS["&&"](node.this, node.expression)
        case exp.DPipe() | exp.Concat() | exp.ConcatWs():
            return names_for_oids(node)
        case exp.Coalesce():
            return first_name(node)
        case exp.ByteString():  # E'...': the parser keeps its escapes
            return text(unescape(str(node.this)))
        case exp.Bracket():
            return rewrite_subscript(node)
        case exp.Like() | exp.ILike():
            return escape_pattern(rewrite_quantifier(node))
        case exp.EQ() | exp.NEQ() | exp.GT() | exp.LT() | exp.GTE() | exp.LTE():
            return rewrite_quantifier(node)
        case exp.Div():
            return rewrite_division(node, session)
        case exp.JSONArrayAgg():
            return json_list([node.this], session)
        case exp.Filter() | exp.Window() if is_json_list(node.this):
            return within_json_list(node)
        case exp.JSONObjectAgg() | exp.JSONBObjectAgg():
            return call("json_group_object", *(node.expressions or (node.this, node.expression)))
        case exp.Repeat():
            return call("fn.repeat", node.this, node.args["times"])
        case exp.GenerateSeries() | exp.ExplodingGenerateSeries():
            return rewrite_series(node)
        case exp.Lock() | exp.Hint():
            raise CatalogueError("25006", "a vault is read-only: there is nothing to lock")
        case exp.Func():
            return rewrite_call(node, session)
        case _:
            return node


# ---------------------------------------------------------------- functions


def _dot(node: exp.Dot) -> exp.Expr:
    """`pg_catalog.f(x)` is `f(x)`; `(x).n` is a field."""
    left = node.this
    if isinstance(left, exp.Identifier | exp.Column) and not isinstance(
        node.expression, exp.Identifier
    ):
        if left.name.lower() not in ("pg_catalog", "information_schema", "public"):
            raise CatalogueError("3F000", f'schema "{left.name}" does not exist')
        return peel(node.expression)
    return node


def _lateral(node: exp.Lateral) -> exp.Expr:
    """`LATERAL f(x)` is `f(x)`: what stands in FROM sees the tables before it anyway."""
    if isinstance(node.this, exp.Subquery):
        return node
    return rewrite_function(
        node.this, node.args.get("alias"), ordinality=bool(node.args.get("ordinality"))
    )
