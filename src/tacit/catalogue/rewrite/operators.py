"""PostgreSQL's operators, ANY and ALL, subscripts and division as DuckDB writes them.

Checked by: tests/unit/catalogue/test_database.py
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sqlglot import exp

from tacit.catalogue.rewrite.casts import as_name, kind_of_name, list_of, marked
from tacit.catalogue.rewrite.session import Session
from tacit.catalogue.rewrite.walk import call, peel, text, to_tree
from tacit.errors import CatalogueError

__all__ = [
    "FROM_ZERO",
    "OPERATORS",
    "escape_pattern",
    "first_name",
    "list_in_quantifier",
    "names_for_oids",
    "rewrite_division",
    "rewrite_operator",
    "rewrite_quantifier",
    "rewrite_subscript",
    "unescape",
]

FROM_ZERO = {
    "indkey",
    "indclass",
    "indcollation",
    "indoption",
    "proargtypes",
    "tgattr",
    "partattrs",
}
"""Columns of the types int2vector and oidvector, whose first element has the number 0."""

OPERATORS: dict[str, Callable[[exp.Expr, exp.Expr], exp.Expr]] = {
    "~": lambda a, b: call("regexp_matches", a, b),
    "!~": lambda a, b: exp.Not(this=call("regexp_matches", a, b)),
    "~*": lambda a, b: call("regexp_matches", a, b, text("i")),
    "!~*": lambda a, b: exp.Not(this=call("regexp_matches", a, b, text("i"))),
    "=": lambda a, b: exp.EQ(this=a, expression=b),
    "<>": lambda a, b: exp.NEQ(this=a, expression=b),
    "<": lambda a, b: exp.LT(this=a, expression=b),
    "<=": lambda a, b: exp.LTE(this=a, expression=b),
    ">": lambda a, b: exp.GT(this=a, expression=b),
    ">=": lambda a, b: exp.GTE(this=a, expression=b),
    "~~": lambda a, b: exp.Like(this=a, expression=b),
    "!~~": lambda a, b: exp.Not(this=exp.Like(this=a, expression=b)),
    "~~*": lambda a, b: exp.ILike(this=a, expression=b),
    "||": lambda a, b: exp.DPipe(this=a, expression=b),
    "+": lambda a, b: exp.Add(this=a, expression=b),
    "-": lambda a, b: exp.Sub(this=a, expression=b),
    "*": lambda a, b: exp.Mul(this=a, expression=b),
    "@>": lambda a, b: call("list_has_all", a, b),
    "<@": lambda a, b: call("list_has_all", b, a),
    "&&": lambda a, b: call("list_has_any", a, b),
}


# ---------------------------------------------------------------- operators and lists


def names_for_oids(node: exp.Expr) -> exp.Expr:
    """Where texts are joined, an oid that stands for a name is that name."""
    for key in ("this", "expression"):
        if isinstance(node.args.get(key), exp.Expr):
            node.set(key, as_name(node.args[key]))
    if node.args.get("expressions"):
        node.set("expressions", [as_name(each) for each in node.expressions])
    return node


def first_name(node: exp.Coalesce) -> exp.Expr:
    """The first of several oids that stand for names stands for one, too."""
    kinds = {kind_of_name(each) for each in (node.this, *node.expressions)}
    kind = kinds.pop() if len(kinds) == 1 else None
    return node if kind is None else marked(node, kind)


ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


def unescape(said: str) -> str:
    """The text that E'…' stands for."""
    return re.sub(r"\\(.)", lambda found: ESCAPES.get(found[1], found[1]), said)


def rewrite_operator(node: exp.Operator) -> exp.Expr:
    """`a OPERATOR(pg_catalog.~) b`: the operator by its name."""
    said = node.args["operator"]
    name = (said if isinstance(said, str) else said.name).rpartition(".")[2].strip()
    if name not in OPERATORS:
        raise CatalogueError("42883", f"operator does not exist: {name}")
    return escape_pattern(rewrite_quantifier(OPERATORS[name](node.this, node.expression)))


def escape_pattern(node: exp.Expr) -> exp.Expr:
    """A backslash escapes in LIKE, which DuckDB has to be told."""
    if not isinstance(node, exp.Like | exp.ILike) or isinstance(node.parent, exp.Escape):
        return node
    pattern = peel(node.expression)
    if isinstance(pattern, exp.Literal) and "\\" not in str(pattern.this):
        return node
    return exp.Escape(this=node.copy(), expression=text("\\"))


def list_in_quantifier(node: exp.Expr) -> exp.Expr:
    """ANY and ALL of a list that is written as a text, {a,b}."""
    inner = peel(node.this)
    if isinstance(inner, exp.Literal) and inner.is_string and str(inner.this).startswith("{"):
        node.set("this", exp.Paren(this=list_of(str(inner.this), "text")))
    return node


def rewrite_quantifier(node: exp.Expr) -> exp.Expr:
    """`x op ANY (list)` and `x op ALL (list)`: DuckDB has `=` ANY alone."""
    quantifier = node.args.get("expression")
    if not isinstance(quantifier, exp.Any | exp.All):
        return node
    inner = peel(quantifier.this)
    if isinstance(inner, exp.Query):
        return node
    if isinstance(node, exp.NEQ) and isinstance(quantifier, exp.All):
        return exp.Not(this=call("list_contains", inner, node.this))
    if isinstance(node, exp.EQ) and isinstance(quantifier, exp.Any):
        return node
    one = exp.column("k__one")
    each = type(node)(this=node.this.copy(), expression=one).sql("duckdb")
    if isinstance(quantifier, exp.All):
        each = f"NOT ({each})"
    count = f"len(list_filter({inner.sql('duckdb')}, lambda k__one: {each}))"
    return to_tree(f"({count} {'=' if isinstance(quantifier, exp.All) else '>'} 0)")


def rewrite_subscript(node: exp.Bracket) -> exp.Expr:
    """An element of a list; vectors of PostgreSQL's begin at 0."""
    base = peel(node.this)
    if isinstance(base, exp.Column) and base.name in FROM_ZERO and len(node.expressions) == 1:
        following = exp.Add(
            this=exp.Paren(this=node.expressions[0]), expression=exp.Literal.number(1)
        )
        node.set("expressions", [following])
    return node


def rewrite_division(node: exp.Div, session: Session) -> exp.Expr:
    """Integers are divided without a remainder."""
    if all(_is_integer(each, session) for each in (node.this, node.expression)):
        return exp.IntDiv(this=node.this, expression=node.expression)
    return node


def _is_integer(node: exp.Expr, session: Session) -> bool:
    node = peel(node)
    match node:
        case exp.Literal():
            return node.is_int
        case exp.Neg():
            return _is_integer(node.this, session)
        case exp.Add() | exp.Sub() | exp.Mul() | exp.IntDiv():
            return _is_integer(node.this, session) and _is_integer(node.expression, session)
        case exp.Count() | exp.Length():
            return True
        case exp.Cast():
            return str(node.to.sql("duckdb")) in ("INT", "BIGINT", "SMALLINT", "UINTEGER")
        case exp.Sum() | exp.Max() | exp.Min():
            return _is_integer(node.this, session)
        case exp.Column():
            kinds = {
                columns[node.name] for columns in session.relations.values() if node.name in columns
            }
            return bool(kinds) and kinds <= {"int2", "int4", "int8", "oid"}
        case _:
            return False
