"""The names that PostgreSQL gives to the columns of an answer.

Checked by: tests/unit/catalogue/test_database.py
"""

from __future__ import annotations

from sqlglot import exp

from tacit.catalogue.rewrite.walk import peel

__all__ = ["NAMELESS", "column_names", "name_of_column", "type_name", "whole_number"]

NAMELESS = "?column?"
_MOST_DIGITS = 10  # of an oid
SPELLED = {
    "GroupConcat": "string_agg",
    "ArrayAgg": "array_agg",
    "CurrentUser": "current_user",
    "SessionUser": "session_user",
    "CurrentSchema": "current_schema",
    "CurrentSchemas": "current_schemas",
    "CurrentCatalog": "current_catalog",
    "CurrentDatabase": "current_database",
    "CurrentRole": "current_role",
    "CurrentVersion": "version",
    "CurrentTimestamp": "now",
    "StrPosition": "position",
    "LogicalAnd": "bool_and",
    "LogicalOr": "bool_or",
    "Explode": "unnest",
    "ExplodingGenerateSeries": "generate_series",
    "GenerateSeries": "generate_series",
    "Extract": "extract",
    "ArraySize": "array_length",
    "JSONArrayAgg": "json_agg",
    "JSONObjectAgg": "json_object_agg",
    "JSONBObjectAgg": "jsonb_object_agg",
    "Substring": "substring",
    "StringToArray": "string_to_array",
    "ArrayToString": "array_to_string",
    "TimestampTrunc": "date_trunc",
    "Length": "length",
    "Stddev": "stddev",
    "Pad": "lpad",
    "Trim": "btrim",
}
TYPES = {
    "character varying": "varchar",
    "bigint": "int8",
    "integer": "int4",
    "int": "int4",
    "smallint": "int2",
    "boolean": "bool",
    "double precision": "float8",
    "real": "float4",
    "decimal": "numeric",
    "char": "bpchar",
}


def column_names(tree: exp.Expr) -> list[str] | None:
    """The names of a query's columns; None where a star stands for some that only the tables know.

    >>> from tacit.catalogue.rewrite.parse import parse
    >>> column_names(parse("SELECT relname, c.oid::int8, count(*), 1, 'a'::text FROM pg_class c"))
    ['relname', 'oid', 'count', '?column?', 'text']
    """
    while isinstance(tree, exp.SetOperation | exp.Subquery | exp.Paren):
        tree = tree.this
    if isinstance(tree, exp.Values):
        first = tree.expressions[0]
        width = len(first.expressions) if isinstance(first, exp.Tuple) else 1
        return [f"column{number}" for number in range(1, width + 1)]
    if not isinstance(tree, exp.Select) or any(each.is_star for each in tree.expressions):
        return None
    return [name_of_column(each) for each in tree.expressions]


def type_name(to: exp.Expr) -> str:
    """The name of a type as PostgreSQL's catalogue has it, without a length: int8, varchar, _text, regclass.

    >>> type_name(exp.DataType.build("double precision[]", dialect="postgres"))
    '_float8'
    """
    if isinstance(to, exp.DataType) and to.this is exp.DType.ARRAY and to.expressions:
        return "_" + type_name(to.expressions[0])
    said = to.sql(dialect="postgres").lower().replace('"', "").partition("(")[0].strip()
    if said.endswith("[]"):
        return "_" + TYPES.get(said[:-2], said[:-2])
    plain = said.removeprefix("pg_catalog.").removeprefix("information_schema.")
    if isinstance(to, exp.DataType) and to.this is exp.DType.USERDEFINED:
        return plain  # "char" is a type of its own, one byte long
    return TYPES.get(plain, plain)


def name_of_column(node: exp.Expr) -> str:
    """The name that PostgreSQL gives to one column."""
    return _read_name(node)[0]


def _read_name(node: exp.Expr) -> tuple[str, bool]:
    """A name, and whether it is one that a cast around it keeps: names of columns and functions are, of types not."""
    node = peel(node)
    match node:
        case exp.Alias():
            return str(node.alias), True
        case exp.Column() | exp.Identifier():
            return str(node.name), True
        case exp.Cast():
            inner, is_kept = _read_name(node.this)
            return (inner, True) if is_kept else (type_name(node.to).removeprefix("_"), False)
        case exp.Dot():
            return _read_name(node.expression)
        case exp.Anonymous():
            return str(node.name).lower(), True
        case exp.Bracket() | exp.Collate() | exp.Filter() | exp.Window() | exp.WithinGroup():
            return _read_name(node.this)
        case exp.AtTimeZone():
            return "timezone", True
        case exp.Case():
            default = node.args.get("default")
            inner, is_kept = (NAMELESS, False) if default is None else _read_name(default)
            return (inner, True) if is_kept else ("case", False)
        case exp.Subquery():
            inner_query = node.this
            if getattr(inner_query, "selects", None):
                return name_of_column(inner_query.selects[0]), True
            return NAMELESS, False
        case exp.Exists():
            return "exists", True
        case exp.Array():
            return "array", True
        case exp.Tuple():
            return "row", True
        case exp.And() | exp.Or() | exp.Binary() | exp.Unary():
            return NAMELESS, False
        case exp.Func():
            return SPELLED.get(type(node).__name__, node.sql_name().lower()), True
        case _:
            return NAMELESS, False


def whole_number(text: str) -> int | None:
    """The number that a text of digits writes, as PostgreSQL reads one; None for any other text.

    >>> whole_number("1259"), whole_number("²"), whole_number("٣"), whole_number("9" * 5_000)
    (1259, None, None, None)
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else None
