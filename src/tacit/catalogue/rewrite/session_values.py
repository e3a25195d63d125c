"""What a statement says of its session: who asks, where, its parameters, and the system columns of relations.

Checked by: tests/unit/catalogue/test_database.py
"""

from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from sqlglot import exp

from tacit.catalogue.built_in import duckdb_type
from tacit.catalogue.rewrite.names import whole_number
from tacit.catalogue.rewrite.session import Session
from tacit.catalogue.rewrite.walk import text, to_tree
from tacit.errors import CatalogueError

__all__ = ["TYPE_NAMES", "fill_parameter", "rewrite_column", "session_words"]

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


# ---------------------------------------------------------------- who and where


def session_words(session: Session) -> dict[str, str]:
    """The words that stand for who asks and where, such as current_user, with what they are."""
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


def rewrite_column(node: exp.Column, session: Session) -> exp.Expr:
    """A column; the system columns that PostgreSQL's relations have beside their own are constants."""
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
    if (
        not node.table
        and (found := session_words(session).get(name)) is not None
        and name != "version"
    ):
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


def fill_parameter(node: exp.Expr, session: Session) -> exp.Expr:
    """The value of a parameter; where columns alone are asked for, a NULL of its type."""
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
