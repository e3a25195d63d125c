"""Trees are rewritten from the leaves to the root, so that what a rule makes is not rewritten again.

Checked by: tests/unit/catalogue/test_database.py
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

__all__ = ["arguments_of", "call", "from_leaves", "peel", "text", "to_tree"]

Rule = Callable[[exp.Expr], exp.Expr]


def from_leaves(node: exp.Expr, rule: Rule) -> exp.Expr:
    """The tree with the rule applied to every node, children before parents.

    >>> from_leaves(exp.maybe_parse("f(g(1))"), lambda n: call("h", n) if isinstance(n, exp.Literal) else n).sql()
    'F(G(H(1)))'
    """
    for key, value in list(node.args.items()):
        if isinstance(value, exp.Expr):
            node.set(key, from_leaves(value, rule))
        elif isinstance(value, list):
            node.set(
                key, [from_leaves(one, rule) if isinstance(one, exp.Expr) else one for one in value]
            )
    return rule(node)


def call(name: str, *arguments: exp.Expr) -> exp.Anonymous:
    """A call of a function."""
    return exp.Anonymous(this=name, expressions=[each.copy() for each in arguments])


def text(value: str) -> exp.Literal:
    """A literal text."""
    return exp.Literal.string(value)


def to_tree(sql: str) -> exp.Expr:
    """A piece of DuckDB's SQL as a tree; it is written by us, never by who asks."""
    return from_leaves(exp.maybe_parse(sql, dialect="duckdb"), _join_schema)


def _join_schema(node: exp.Expr) -> exp.Expr:
    """A macro's name with its schema, as `call` writes it."""
    if (
        not isinstance(node, exp.Dot)
        or node.this.name.lower() != "fn"
        or not isinstance(node.expression, exp.Func)
    ):
        return node
    function = node.expression
    name = function.name if isinstance(function, exp.Anonymous) else function.sql_name().lower()
    return call(f"fn.{name.lower()}", *arguments_of(function))


def arguments_of(function: exp.Func) -> list[exp.Expr]:
    """The arguments of a call, in the order in which they were written."""
    found: list[exp.Expr] = []
    for key in function.arg_types:
        value = function.args.get(key)
        if isinstance(value, list):
            found += value
        elif isinstance(value, exp.Expr):
            found.append(value)
    return found


def peel(node: exp.Expr) -> exp.Expr:
    """What stands inside parentheses."""
    while isinstance(node, exp.Paren):
        node = node.this
    return node
