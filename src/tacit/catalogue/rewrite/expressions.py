"""Expressions of PostgreSQL as DuckDB writes them.

Checked by: tests/unit/catalogue/test_database.py
"""

import re
from collections.abc import Callable
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from sqlglot import exp

from tacit.catalogue.built_in import duckdb_type
from tacit.catalogue.rewrite.casts import as_name, kind_of_name, list_of, marked, rewrite_cast
from tacit.catalogue.rewrite.macros import MACROS
from tacit.catalogue.rewrite.names import whole_number
from tacit.catalogue.rewrite.relations import (
    SAID,
    rewrite_function,
    rewrite_table,
    rewrite_unnest,
)
from tacit.catalogue.rewrite.session import Session
from tacit.catalogue.rewrite.walk import arguments_of, call, from_leaves, peel, text, to_tree
from tacit.errors import CatalogueError

__all__ = ["TYPE_NAMES", "fold_case", "rewrite_expressions"]

TYPE_NAMES = {
    16: "bool",
    17: "bytea",
    18: "char",
    19: "name",
    20: "int8",
    21: "int2",
    22: "int2vector",
    23: "int4",
    24: "regproc",
    25: "text",
    26: "oid",
    30: "oidvector",
    700: "float4",
    701: "float8",
    1005: "_int2",
    1007: "_int4",
    1009: "_text",
    1003: "_name",
    1015: "_text",
    1016: "_int8",
    1028: "_oid",
    1042: "text",
    1043: "text",
    1082: "date",
    1083: "time",
    1114: "timestamp",
    1184: "timestamptz",
    1186: "interval",
    1700: "numeric",
    2205: "regclass",
    2206: "regtype",
}
"""The types that parameters and columns are of, by their oids."""

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
            return _column(node, session)
        case exp.Parameter() | exp.Placeholder():
            return _parameter(node, session)
        case exp.Cast():
            return rewrite_cast(node, session)
        case exp.Collate():
            return peel(node.this)
        case exp.Any() | exp.All():
            return _list_in_quantifier(node)
        case exp.Operator():
            return _operator(node)
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
            return _names_for_oids(node)
        case exp.Coalesce():
            return _first_name(node)
        case exp.ByteString():  # E'...': the parser keeps its escapes
            return text(_unescape(str(node.this)))
        case exp.Bracket():
            return _subscript(node)
        case exp.Like() | exp.ILike():
            return _escape_pattern(_rewrite_quantifier(node))
        case exp.EQ() | exp.NEQ() | exp.GT() | exp.LT() | exp.GTE() | exp.LTE():
            return _rewrite_quantifier(node)
        case exp.Div():
            return _division(node, session)
        case exp.JSONArrayAgg():
            return _json_list([node.this], session)
        case exp.Filter() | exp.Window() if _is_json_list(node.this):
            return _within_json_list(node)
        case exp.JSONObjectAgg() | exp.JSONBObjectAgg():
            return call("json_group_object", *(node.expressions or (node.this, node.expression)))
        case exp.Repeat():
            return call("fn.repeat", node.this, node.args["times"])
        case exp.GenerateSeries() | exp.ExplodingGenerateSeries():
            return _series(node)
        case exp.Lock() | exp.Hint():
            raise CatalogueError("25006", "a vault is read-only: there is nothing to lock")
        case exp.Func():
            return _function(node, session)
        case _:
            return node


# ---------------------------------------------------------------- who and where


def _words(session: Session) -> dict[str, str]:
    return {
        **dict.fromkeys(
            ("CurrentUser", "SessionUser", "CurrentRole", "current_user", "session_user"),
            session.role,
        ),
        **dict.fromkeys(("user", "current_role"), session.role),
        **dict.fromkeys(("CurrentSchema", "current_schema"), "public"),
        **dict.fromkeys(
            ("CurrentCatalog", "CurrentDatabase", "current_database"), session.database
        ),
        "current_catalog": session.database,
        **dict.fromkeys(("CurrentVersion", "Version", "version"), f"PostgreSQL {session.version}"),
    }


def _column(node: exp.Column, session: Session) -> exp.Expr:
    if node.args.get("db"):
        node.set("db", None)
        node.set("catalog", None)
    name, quoted = node.name, node.this.args.get("quoted")
    if quoted or isinstance(node.this, exp.Star):
        return node
    if name in ("xmin", "xmax", "cmin", "cmax") and _is_system(node, name, session):
        return to_tree("CAST('1' AS VARCHAR)")
    if name == "ctid" and _is_system(node, name, session):
        return to_tree("CAST('(0,1)' AS VARCHAR)")
    if name == "tableoid":
        return to_tree(f"CAST({_table_oid(node, session)} AS UINTEGER)")
    if not node.table and (found := _words(session).get(name)) is not None and name != "version":
        return text(found)
    return node


def _is_system(node: exp.Column, name: str, session: Session) -> bool:
    """Whether no relation in sight has a column of this name of its own."""
    select = node.find_ancestor(exp.Select)
    around = select.find_all(exp.Table) if select is not None else ()
    return not any(name in session.relations.get(f"{each.db}.{each.name}", ()) for each in around)


def _table_oid(node: exp.Column, session: Session) -> int:
    select = node.find_ancestor(exp.Select)
    for table in select.find_all(exp.Table) if select is not None else ():
        if not node.table or table.alias_or_name == node.table:
            for place in ("cat", "info"):
                if (found := session.oids.get(f"{place}.{table.name}")) is not None:
                    return found
    return 0


def _parameter(node: exp.Expr, session: Session) -> exp.Expr:
    counted = whole_number(node.name)
    if not counted:
        raise CatalogueError("42601", "a parameter is written $1, $2, ...")
    number = counted - 1
    if session.parameter_types is not None:
        types = session.parameter_types
        kind = TYPE_NAMES.get(types[number]) if number < len(types) else None
        return to_tree(f"CAST(NULL AS {duckdb_type(kind)})") if kind else exp.Null()
    if not 0 <= number < len(session.parameters):
        raise CatalogueError("08P01", f"there is no parameter ${number + 1}")
    return _literal(session.parameters[number])


def _literal(value: Any) -> exp.Expr:
    """A parameter's value, as a node of the tree: it is never read as SQL."""
    match value:
        case None:
            return exp.Null()
        case bool():
            return exp.Boolean(this=value)
        case int():
            return (
                exp.Literal.number(value)
                if value >= 0
                else exp.Neg(this=exp.Literal.number(-value))
            )
        case float() | Decimal():
            return exp.Cast(this=text(str(value)), to=exp.DataType.build("DOUBLE"))
        case list() | tuple():
            return exp.Array(expressions=[_literal(each) for each in value])
        case datetime() | date() | time():
            return text(value.isoformat())
        case bytes():
            return text(value.decode("utf-8", "replace"))
        case _:
            return text(str(value))


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


def _function(node: exp.Func, session: Session) -> exp.Expr:
    if (found := _words(session).get(type(node).__name__)) is not None:
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
        return _list_in_quantifier(exp.All(this=exp.Paren(this=arguments[0])))
    if (found := _words(session).get(name)) is not None and not arguments:
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


def _json_list(arguments: list[exp.Expr], _session: Session) -> exp.Expr:
    """`json_agg(x ORDER BY y)`: the list of the values, as JSON."""
    return call("to_json", exp.ArrayAgg(this=arguments[0]))


def _row_to_json(arguments: list[exp.Expr], _session: Session) -> exp.Expr:
    """`row_to_json(t.*)`: a row is what its table is called."""
    given = arguments[0]
    if isinstance(given, exp.Column) and given.is_star and given.table:
        given = exp.column(given.table, quoted=True)
    return call("to_json", given)


def _is_json_list(node: exp.Expr) -> bool:
    return (
        isinstance(node, exp.Anonymous)
        and node.name == "to_json"
        and isinstance(node.expressions[0], exp.ArrayAgg)
    )


def _within_json_list(node: exp.Expr) -> exp.Expr:
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
    "json_agg": _json_list,
    "jsonb_agg": _json_list,
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


def _series(node: exp.Expr) -> exp.Expr:
    start, end = node.args["start"], node.args["end"]
    given = [start, end, *([node.args["step"]] if node.args.get("step") else [])]
    return call("unnest", call("generate_series", *given))


# ---------------------------------------------------------------- operators and lists


def _names_for_oids(node: exp.Expr) -> exp.Expr:
    """Where texts are joined, an oid that stands for a name is that name."""
    for key in ("this", "expression"):
        if isinstance(node.args.get(key), exp.Expr):
            node.set(key, as_name(node.args[key]))
    if node.args.get("expressions"):
        node.set("expressions", [as_name(each) for each in node.expressions])
    return node


def _first_name(node: exp.Coalesce) -> exp.Expr:
    """The first of several oids that stand for names stands for one, too."""
    kinds = {kind_of_name(each) for each in (node.this, *node.expressions)}
    kind = kinds.pop() if len(kinds) == 1 else None
    return node if kind is None else marked(node, kind)


ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


def _unescape(said: str) -> str:
    return re.sub(r"\\(.)", lambda found: ESCAPES.get(found[1], found[1]), said)


def _operator(node: exp.Operator) -> exp.Expr:
    said = node.args["operator"]
    name = (said if isinstance(said, str) else said.name).rpartition(".")[2].strip()
    if name not in OPERATORS:
        raise CatalogueError("42883", f"operator does not exist: {name}")
    return _escape_pattern(_rewrite_quantifier(OPERATORS[name](node.this, node.expression)))


def _escape_pattern(node: exp.Expr) -> exp.Expr:
    """A backslash escapes in LIKE, which DuckDB has to be told."""
    if not isinstance(node, exp.Like | exp.ILike) or isinstance(node.parent, exp.Escape):
        return node
    pattern = peel(node.expression)
    if isinstance(pattern, exp.Literal) and "\\" not in str(pattern.this):
        return node
    return exp.Escape(this=node.copy(), expression=text("\\"))


def _list_in_quantifier(node: exp.Expr) -> exp.Expr:
    inner = peel(node.this)
    if isinstance(inner, exp.Literal) and inner.is_string and str(inner.this).startswith("{"):
        node.set("this", exp.Paren(this=list_of(str(inner.this), "text")))
    return node


def _rewrite_quantifier(node: exp.Expr) -> exp.Expr:
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


def _subscript(node: exp.Bracket) -> exp.Expr:
    base = peel(node.this)
    if isinstance(base, exp.Column) and base.name in FROM_ZERO and len(node.expressions) == 1:
        following = exp.Add(
            this=exp.Paren(this=node.expressions[0]), expression=exp.Literal.number(1)
        )
        node.set("expressions", [following])
    return node


def _division(node: exp.Div, session: Session) -> exp.Expr:
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


def _lateral(node: exp.Lateral) -> exp.Expr:
    """`LATERAL f(x)` is `f(x)`: what stands in FROM sees the tables before it anyway."""
    if isinstance(node.this, exp.Subquery):
        return node
    return rewrite_function(
        node.this, node.args.get("alias"), ordinality=bool(node.args.get("ordinality"))
    )
