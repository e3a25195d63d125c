"""Casts: types that DuckDB does not have, and PostgreSQL's types of names such as regclass.

Checked by: tests/unit/catalogue/test_database.py
"""

from __future__ import annotations

from sqlglot import exp

from tacit.catalogue.built_in import ARRAY, DUCKDB_TYPES
from tacit.catalogue.rewrite.names import type_name, whole_number
from tacit.catalogue.rewrite.session import Session
from tacit.catalogue.rewrite.walk import call, peel
from tacit.errors import CatalogueError

__all__ = [
    "KINDS_OF_NAMES",
    "as_name",
    "column_kind",
    "kind_of_name",
    "list_of",
    "marked",
    "rewrite_cast",
]

KINDS_OF_NAMES = {
    "regclass": "class",
    "regtype": "type",
    "regproc": "proc",
    "regprocedure": "proc",
    "regnamespace": "namespace",
    "regrole": "role",
    "regoper": "operator",
    "regoperator": "operator",
    "regcollation": "collation",
}
"""Types whose values are oids, written as names; and the macros that find one by the other."""

MEANT = "names_a"  # the mark of an oid that is shown as a name
TEXTS = {
    *("text", "varchar", "name", "bpchar", "char", "cstring", "unknown", "aclitem", "pg_node_tree"),
    *("sql_identifier", "character_data", "yes_or_no", "xid8", "pg_lsn", "inet", "uuid", "xml"),
}
KNOWN = {*DUCKDB_TYPES, "cardinal_number", "time_stamp"}
MISSING = {
    "regclass": ("42P01", 'relation "{}" does not exist'),
    "regtype": ("42704", 'type "{}" does not exist'),
    "regproc": ("42883", 'function "{}" does not exist'),
    "regprocedure": ("42883", 'function "{}" does not exist'),
    "regnamespace": ("3F000", 'schema "{}" does not exist'),
    "regrole": ("42704", 'role "{}" does not exist'),
}


def rewrite_cast(node: exp.Cast, session: Session) -> exp.Expr:
    """A cast as DuckDB makes it; `'labs'::regclass` becomes the oid itself."""
    name, inner = type_name(node.to), peel(node.this)
    if name in KINDS_OF_NAMES:
        return _to_name(inner, name, session)
    if name.startswith(ARRAY):
        return _to_list(inner, name[1:])
    if name in ("oid", "xid", "cid"):
        return _remove_mark(inner) if inner.meta.get(MEANT) else _cast(inner, "UINTEGER")
    if name in TEXTS:
        kind = column_kind(inner, session)
        shown = as_name(inner if kind is None else marked(inner.copy(), kind))
        return shown if shown is not inner else _cast(inner, "VARCHAR")
    if name in ("int2vector", "oidvector"):
        return inner
    if name not in KNOWN:
        if type(node.to.this) is exp.DType and node.to.this is not exp.DType.USERDEFINED:
            return node if isinstance(node, exp.TryCast) else _cast(inner, node.to.sql("duckdb"))
        raise CatalogueError("42704", f'type "{name}" does not exist')
    target = {"cardinal_number": "INTEGER", "time_stamp": "TIMESTAMPTZ"}.get(name)
    return _cast(_remove_mark(inner), target or DUCKDB_TYPES[name])


def as_name(node: exp.Expr) -> exp.Expr:
    """An oid that stands for a name, as that name; anything else as it is."""
    inner = peel(node)
    kind = inner.meta.get(MEANT)
    if kind is None:
        return node
    inner = _remove_mark(inner)
    if kind.startswith(ARRAY):
        return call("fn.types_of_oids", inner)
    if kind == "regprocedure":
        return call("fn.procedure_of_oid", inner)
    return call(f"fn.{KINDS_OF_NAMES[kind]}_of_oid", inner)


def marked(node: exp.Expr, kind: str) -> exp.Expr:
    """The oid, with a mark that it stands for a name of this kind."""
    node.meta[MEANT] = kind
    return node


def _remove_mark(node: exp.Expr) -> exp.Expr:
    """The oid as the number that it is."""
    node = node.copy()
    node.meta.pop(MEANT, None)
    return node


def kind_of_name(node: exp.Expr) -> str | None:
    """What an oid stands for, if it is marked."""
    found = peel(node).meta.get(MEANT)
    return None if found is None else str(found)


def column_kind(node: exp.Expr, session: Session) -> str | None:
    """What a column of the catalogue stands for whose values are oids that are shown as names, such as typinput."""
    if not isinstance(node, exp.Column) or node.is_star:
        return None
    kinds = {columns[node.name] for columns in session.relations.values() if node.name in columns}
    return kinds.pop() if len(kinds) == 1 and kinds <= {"regproc", "regclass", "regtype"} else None


def list_of(literal: str, element: str) -> exp.Expr:
    """PostgreSQL's text of an array, `{a,"b c"}`, as a list.

    >>> list_of('{23,25}', "oid").sql("duckdb"), list_of('{a,"b,c",NULL}', "text").sql("duckdb")
    ('CAST([23, 25] AS UINTEGER[])', "CAST(['a', 'b,c', NULL] AS TEXT[])")
    >>> list_of("{-5,--5,²}", "int4").sql("duckdb")
    "CAST([-5, '--5', '²'] AS INT[])"
    """
    items: list[exp.Expr] = []
    for quoted, item in _split(literal.strip()[1:-1]):
        if not quoted and item.upper() == "NULL":
            items.append(exp.Null())
        elif DUCKDB_TYPES.get(element, "VARCHAR") == "VARCHAR" or not _is_whole(item):
            items.append(exp.Literal.string(item))
        else:
            items.append(exp.Literal.number(item))
    return _cast(exp.Array(expressions=items), DUCKDB_TYPES.get(element, "VARCHAR") + "[]")


def _is_whole(item: str) -> bool:
    """Whether an item is a whole number in digits of ASCII, with one sign at most: `--5` would begin a comment."""
    digits = item.removeprefix("-")
    return digits.isascii() and digits.isdigit()


def _split(inside: str) -> list[tuple[bool, str]]:
    """The items between the braces, each with whether it was quoted."""
    items: list[tuple[bool, str]] = []
    item, was_quoted, in_quotes, escaped = "", False, False, False
    for letter in inside:
        if escaped:
            item, escaped = item + letter, False
        elif letter == "\\":
            escaped = True
        elif letter == '"':
            in_quotes, was_quoted = not in_quotes, True
        elif letter == "," and not in_quotes:
            items.append((was_quoted, item if was_quoted else item.strip()))
            item, was_quoted = "", False
        else:
            item += letter
    if inside.strip():
        items.append((was_quoted, item if was_quoted else item.strip()))
    return items


def _to_name(inner: exp.Expr, kind: str, session: Session) -> exp.Expr:
    """`x::regclass`: a number stays one, a text is looked up, at once if it is a literal."""
    if isinstance(inner, exp.Literal) and inner.is_string:
        name = str(inner.this)
        oid = whole_number(name)
        if oid is None:
            oid = session.find_oid(KINDS_OF_NAMES[kind], name)
        if oid is None:
            code, said = MISSING.get(kind, ("42704", '"{}" does not exist'))
            raise CatalogueError(code, said.format(name))
        return marked(_cast(exp.Literal.number(oid), "UINTEGER"), kind)
    if inner.meta.get(MEANT) or isinstance(inner, exp.Null):
        return marked(_cast(inner, "UINTEGER"), kind)
    # The type of an expression is not known here: texts of digits and numbers are oids, other texts are names.
    found = call(f"fn.oid_of_{KINDS_OF_NAMES[kind]}", inner)
    return marked(found, kind)


def _to_list(inner: exp.Expr, element: str) -> exp.Expr:
    if isinstance(inner, exp.Literal) and inner.is_string:
        return list_of(str(inner.this), element)
    if element in TEXTS and inner.meta.get(MEANT):
        return as_name(inner)
    if element == "regtype":
        return marked(_cast(inner, "UINTEGER[]"), ARRAY + element)
    if element in KINDS_OF_NAMES:
        return _cast(inner, "UINTEGER[]")
    return _cast(inner, DUCKDB_TYPES.get(element, "VARCHAR") + "[]")


def _cast(inner: exp.Expr, to: str) -> exp.Expr:
    return exp.Cast(this=inner.copy(), to=exp.DataType.build(to, dialect="duckdb"))
