"""Calls of PostgreSQL's functions as DuckDB writes them.

Checked by: tests/unit/catalogue/test_database.py
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sqlglot import exp

from tacit.catalogue.rewrite.casts import as_name, marked
from tacit.catalogue.rewrite.macros import MACROS
from tacit.catalogue.rewrite.names import whole_number
from tacit.catalogue.rewrite.operators import FROM_ZERO, list_in_quantifier
from tacit.catalogue.rewrite.session import Session
from tacit.catalogue.rewrite.session_values import session_words
from tacit.catalogue.rewrite.walk import arguments_of, call, peel, text, to_tree
from tacit.errors import CatalogueError

__all__ = ["is_json_list", "json_list", "rewrite_call", "rewrite_series", "within_json_list"]


def rewrite_call(node: exp.Func, session: Session) -> exp.Expr:
    """A call of a function: by a rule of its own, by a macro, or as it is."""
    if (found := session_words(session).get(type(node).__name__)) is not None:
        return text(found)
    if isinstance(node, exp.CurrentSchemas):
        return call("fn.current_schemas", node.this or exp.true())
    if not isinstance(node, exp.Anonymous):
        name = node.sql_name().lower()
        if name in RULES:
            return _apply_rule(name, arguments_of(node), session)
        if name in MACROS and name != "array_length":
            return call(f"fn.{name}", *arguments_of(node))
        if isinstance(node, exp.ArraySize):
            return call("fn.cardinality", node.this)
        return node
    name, arguments = node.name.lower(), node.expressions
    if name == "all":  # the parser knows ALL before a subquery alone
        return list_in_quantifier(exp.All(this=exp.Paren(this=arguments[0])))
    if (found := session_words(session).get(name)) is not None and not arguments:
        return text(found)
    if name in RULES:
        return _apply_rule(name, arguments, session)
    if name in MACROS:
        return call(f"fn.{name}", *(map(as_name, arguments) if name in OF_TEXTS else arguments))
    return node


OF_TEXTS = {"quote_ident", "quote_literal", "quote_nullable"}


def _apply_rule(name: str, arguments: list[exp.Expr], session: Session) -> exp.Expr:
    if len(arguments) < ARITY.get(name, 1):
        raise CatalogueError("42883", f"function {name} does not take these arguments")
    return RULES[name](arguments, session)


def _format(arguments: list[exp.Expr], _session: Session) -> exp.Expr:
    """`format('%I.%I', a, b)` as a concatenation."""
    pattern = peel(arguments[0])
    if not isinstance(pattern, exp.Literal):
        raise CatalogueError("0A000", "format() takes a literal pattern here")
    rest = list(arguments[1:])
    pieces: list[exp.Expr] = []
    for piece in re.split(r"(%(?:\d+\$)?[sIL%])", str(pattern.this)):
        numbered = re.fullmatch(r"%(?:(\d+)\$)?([sIL])", piece)
        if piece == "%%":
            pieces.append(text("%"))
        elif numbered:
            if numbered[1] is None and not rest:
                raise CatalogueError("22023", "too few arguments for format()")
            number = whole_number(numbered[1] or "0")
            if number is None or number >= len(arguments):
                raise CatalogueError("22023", "too few arguments for format()")
            value = arguments[number] if number else rest.pop(0)
            shown = exp.Cast(this=as_name(value).copy(), to=exp.DataType.build("VARCHAR"))
            quote = {"I": "fn.quote_ident", "L": "fn.quote_nullable"}.get(numbered[2])
            pieces.append(call(quote, shown) if quote else shown)
        elif piece:
            pieces.append(text(piece))
    return call("concat", *pieces)


def _expand_array(arguments: list[exp.Expr], _session: Session) -> exp.Expr:
    """`_pg_expandarray(x)`: a row (x, n) for each element and its number."""
    given = arguments[0].sql("duckdb")
    pair = "{'x': " + given + "[k__], 'n': k__}"
    return to_tree(f"unnest(list_transform(range(1, len({given}) + 1), lambda k__: {pair}))")


def _subscripts(arguments: list[exp.Expr], _session: Session) -> exp.Expr:
    given = peel(arguments[0])
    start = 0 if isinstance(given, exp.Column) and given.name in FROM_ZERO else 1
    shown = given.sql("duckdb")
    return to_tree(f"unnest(range({start}, len({shown}) + {start}))")


def _setting(arguments: list[exp.Expr], session: Session) -> exp.Expr:
    name = peel(arguments[0])
    if (
        isinstance(name, exp.Literal)
        and (found := session.settings.get(str(name.this).lower())) is not None
    ):
        return text(found)
    return call("fn.current_setting", *arguments)


def _true_type(field: str, of_domain: str) -> Callable[[list[exp.Expr], Session], exp.Expr]:
    """`_pg_truetypid(a, t)` takes whole rows, which are named by their tables."""

    def rule(arguments: list[exp.Expr], _session: Session) -> exp.Expr:
        a, t = (peel(each) for each in arguments)
        names = [
            each.table if isinstance(each, exp.Column) and each.table else each.name
            for each in (a, t)
        ]
        attribute, kind = (exp.to_identifier(name, quoted=True).sql("duckdb") for name in names)
        return to_tree(
            f"CASE WHEN {kind}.typtype = 'd' THEN {kind}.{of_domain} ELSE {attribute}.{field} END"
        )

    return rule


def _rename(name: str) -> Callable[[list[exp.Expr], Session], exp.Expr]:
    return lambda arguments, _session: call(name, *arguments)


def _split_to_rows(name: str) -> Callable[[list[exp.Expr], Session], exp.Expr]:
    return lambda arguments, _session: call("unnest", call(name, *arguments))


def _look_up(kind: str) -> Callable[[list[exp.Expr], Session], exp.Expr]:
    """`to_regclass('name')`: at once, if the name is a literal; NULL if there is none."""

    def rule(arguments: list[exp.Expr], session: Session) -> exp.Expr:
        name = peel(arguments[0])
        if isinstance(name, exp.Cast):
            name = peel(name.this)
        if isinstance(name, exp.Literal) and name.is_string:
            found = session.find_oid(kind, str(name.this))
            made: exp.Expr = to_tree(f"CAST({'NULL' if found is None else found} AS UINTEGER)")
        else:
            made = call(f"fn.oid_of_{kind}", name)
        return marked(
            made,
            {"class": "regclass", "type": "regtype", "namespace": "regnamespace"}.get(
                kind, "regproc"
            ),
        )

    return rule


def _explode_rights(arguments: list[exp.Expr], _session: Session) -> exp.Expr:
    """`aclexplode(acl)`: a row for each right that a list of rights grants."""
    return to_tree(f"unnest(fn.acl_rows({arguments[0].sql('duckdb')}))")


def json_list(arguments: list[exp.Expr], _session: Session) -> exp.Expr:
    """`json_agg(x ORDER BY y)`: the list of the values, as JSON."""
    return call("to_json", exp.ArrayAgg(this=arguments[0]))


def _row_to_json(arguments: list[exp.Expr], _session: Session) -> exp.Expr:
    """`row_to_json(t.*)`: a row is what its table is called."""
    given = arguments[0]
    if isinstance(given, exp.Column) and given.is_star and given.table:
        given = exp.column(given.table, quoted=True)
    return call("to_json", given)


def is_json_list(node: exp.Expr) -> bool:
    """Whether a node is what `json_list` makes."""
    return (
        isinstance(node, exp.Anonymous)
        and node.name == "to_json"
        and isinstance(node.expressions[0], exp.ArrayAgg)
    )


def within_json_list(node: exp.Expr) -> exp.Expr:
    """`json_agg(x) FILTER (…)`: it is the list that has the filter, and not what is made of it."""
    made = node.this.copy()
    inner = node.copy()
    inner.set("this", made.expressions[0])
    return call("to_json", inner)


RULES: dict[str, Callable[[list[exp.Expr], Session], exp.Expr]] = {
    "format": _format,
    "_pg_expandarray": _expand_array,
    "generate_subscripts": _subscripts,
    "aclexplode": _explode_rights,
    "to_regclass": _look_up("class"),
    "to_regtype": _look_up("type"),
    "to_regnamespace": _look_up("namespace"),
    "to_regproc": _look_up("proc"),
    "current_setting": _setting,
    "_pg_truetypid": _true_type("atttypid", "typbasetype"),
    "_pg_truetypmod": _true_type("atttypmod", "typtypmod"),
    "json_build_object": _rename("json_object"),
    "jsonb_build_object": _rename("json_object"),
    "json_build_array": _rename("json_array"),
    "jsonb_build_array": _rename("json_array"),
    "json_agg": json_list,
    "jsonb_agg": json_list,
    "to_json": _row_to_json,
    "to_jsonb": _row_to_json,
    "row_to_json": _row_to_json,
    "regexp_split_to_array": _rename("regexp_split_to_array"),
    "regexp_split_to_table": _split_to_rows("regexp_split_to_array"),
    "string_to_table": _split_to_rows("string_split"),
    "btrim": _rename("trim"),
    "every": _rename("bool_and"),
    "to_timestamp": _rename("to_timestamp"),
}


ARITY = {"_pg_truetypid": 2, "_pg_truetypmod": 2, "json_build_object": 0, "jsonb_build_object": 0}


def rewrite_series(node: exp.Expr) -> exp.Expr:
    """`generate_series(…)`: a row for each number."""
    start, end = node.args["start"], node.args["end"]
    given = [start, end, *([node.args["step"]] if node.args.get("step") else [])]
    return call("unnest", call("generate_series", *given))
