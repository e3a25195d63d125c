"""What stands in FROM: relations of the catalogue, released tables, and functions that return rows.

Checked by: tests/unit/catalogue/test_database.py
"""

# ruff: noqa: S608 -- names are ours, expressions are written from trees that the fence has yet to pass

from __future__ import annotations

from sqlglot import exp

from tacit.catalogue.rewrite.session import Session
from tacit.catalogue.rewrite.walk import to_tree
from tacit.errors import CatalogueError

__all__ = [
    "SAID",
    "is_of_the_catalogue",
    "quoted",
    "rewrite_function",
    "rewrite_table",
    "rewrite_unnest",
    "with_name_of_cte",
]

SCHEMAS = {"pg_catalog": "cat", "information_schema": "info", "tacit": "tacit"}
SAID = "said"
"""The mark that keeps the name by which a function was called."""
FIELDS = {
    "_pg_expandarray": ("x", "n"),
    "aclexplode": ("grantor", "grantee", "privilege_type", "is_grantable"),
}
"""Functions that return rows of several columns."""
# Functions that return rows, of which there are none here, or always the same.
ROWS = {
    "pg_get_keywords": "SELECT * FROM fn.keywords",
    "pg_available_extension_versions": (
        "SELECT NULL::VARCHAR AS name, NULL::VARCHAR AS version, NULL::BOOLEAN AS superuser, NULL::BOOLEAN AS trusted, "
        "NULL::BOOLEAN AS relocatable, NULL::VARCHAR AS schema, NULL::VARCHAR[] AS requires, NULL::VARCHAR AS comment "
        "WHERE false"
    ),
    "pg_available_extensions": (
        "SELECT NULL::VARCHAR AS name, NULL::VARCHAR AS default_version, NULL::VARCHAR AS comment WHERE false"
    ),
    "pg_listening_channels": "SELECT NULL::VARCHAR AS pg_listening_channels WHERE false",
    "pg_options_to_table": "SELECT NULL::VARCHAR AS option_name, NULL::VARCHAR AS option_value WHERE false",
    "pg_timezone_names": "SELECT 'UTC' AS name, 'UTC' AS abbrev, INTERVAL 0 HOUR AS utc_offset, false AS is_dst",
    "pg_timezone_abbrevs": "SELECT 'UTC' AS abbrev, INTERVAL 0 HOUR AS utc_offset, false AS is_dst",
    "pg_get_publication_tables": "SELECT NULL::UINTEGER AS relid WHERE false",
    "pg_show_all_settings": "SELECT * FROM cat.pg_settings",
    "pg_identify_object": (
        "SELECT NULL::VARCHAR AS type, NULL::VARCHAR AS schema, NULL::VARCHAR AS name, "
        "NULL::VARCHAR AS identity WHERE false"
    ),
    "pg_stat_get_activity": "SELECT NULL::INTEGER AS pid, NULL::UINTEGER AS usesysid WHERE false",
    "pg_lock_status": "SELECT NULL::VARCHAR AS locktype, NULL::INTEGER AS pid WHERE false",
    "pg_ls_waldir": "SELECT NULL::VARCHAR AS name, NULL::BIGINT AS size WHERE false",
    "pg_partition_tree": "SELECT NULL::UINTEGER AS relid, NULL::UINTEGER AS parentrelid WHERE false",
    "pg_partition_ancestors": "SELECT NULL::UINTEGER AS relid WHERE false",
    "pg_sequence_parameters": "SELECT NULL::BIGINT AS start_value WHERE false",
}


def is_of_the_catalogue(table: exp.Table, tables_of_tacit: frozenset[str] = frozenset()) -> bool:
    """Whether a name in FROM is a relation of the catalogue or a function; decided from the name alone.

    >>> is_of_the_catalogue(exp.to_table("pg_class")), is_of_the_catalogue(exp.to_table("public.labs"))
    (True, False)
    """
    if not isinstance(table.this, exp.Identifier):
        return True
    schema, name = table.db.lower(), table.name.lower()
    if schema == "tacit":
        return name in tables_of_tacit
    return schema in SCHEMAS or (not schema and name.startswith("pg_"))


def rewrite_table(node: exp.Table, session: Session) -> exp.Expr:
    """A relation by its name inside DuckDB; what is not in the catalogue does not exist."""
    if node.args.get("rows_from"):
        lists = [inner for each in node.args["rows_from"] for inner in each.expressions]
        several = exp.Unnest(expressions=lists)
        return rewrite_unnest(several, node.args.get("alias"), bool(node.args.get("ordinality")))
    if not isinstance(node.this, exp.Identifier):
        ordinality = bool(node.args.get("ordinality"))
        return rewrite_function(node.this, node.args.get("alias"), ordinality=ordinality)
    schema, name = node.db, node.name
    if node.catalog and node.catalog != session.database:
        raise CatalogueError("0A000", f'there is no database "{node.catalog}" here')
    if not schema and with_name_of_cte(node, name):
        return node
    inside = _inner_name(schema, name, session)
    if inside is None:
        shown = f"{schema}.{name}" if schema else name
        raise CatalogueError("42P01", f'relation "{shown}" does not exist')
    alias = node.args.get("alias") or exp.TableAlias(this=exp.to_identifier(name, quoted=True))
    place, _, last = inside.partition(".")
    return exp.Table(
        this=exp.to_identifier(last, quoted=True),
        db=exp.to_identifier(place),
        alias=alias,
        joins=node.args.get("joins"),
        laterals=node.args.get("laterals"),
    )


def _inner_name(schema: str, name: str, session: Session) -> str | None:
    shown = f"{schema}.{name}" if schema else name
    if shown in session.released:
        return session.released[shown]
    if schema == "public" and name in session.released:
        return session.released[name]
    inside = f"{SCHEMAS.get(schema, '') if schema else 'cat'}.{name}"
    return inside if inside in session.relations else None


def with_name_of_cte(node: exp.Expr, name: str) -> bool:
    """Whether a WITH around the node defines this name."""
    above: exp.Expr | None = node
    while above is not None:
        found = above.args.get("with_")
        if found is not None and any(each.alias_or_name == name for each in found.expressions):
            return True
        above = above.parent
    return False


def rewrite_function(
    function: exp.Expr, alias: exp.TableAlias | None, *, ordinality: bool = False
) -> exp.Expr:
    """A function that stands in FROM, as a subquery that selects it."""
    said = str(function.meta.get(SAID) or _name_of(function))
    if said in ROWS:
        return _subquery(ROWS[said], alias, said)
    if isinstance(function, exp.Unnest):
        return rewrite_unnest(function, alias, function.args.get("offset") or ordinality)
    if isinstance(function, exp.Explode):
        several = exp.Unnest(expressions=[function.this, *function.expressions])
        if said not in FIELDS:
            return rewrite_unnest(several, alias, ordinality)
    name = alias.name if alias is not None and alias.this else said
    columns = [each.name for each in alias.columns] if alias is not None else []
    if (fields := FIELDS.get(said)) is not None:
        named = [*columns, *fields[len(columns) :]]
        selected = ", ".join(
            f"k__row.{field} AS {quoted(as_)}" for field, as_ in zip(fields, named, strict=True)
        )
        inner = f"SELECT {selected} FROM (SELECT {function.sql('duckdb')} AS k__row)"
        return _subquery(inner, None, name)
    inner = f"SELECT {function.sql('duckdb')} AS {quoted(columns[0] if columns else name)}"
    if ordinality:
        last = columns[1] if len(columns) > 1 else "ordinality"
        inner = f"SELECT *, row_number() OVER () AS {quoted(last)} FROM ({inner})"
    return _subquery(inner, None, name)


def rewrite_unnest(
    node: exp.Unnest, alias: exp.TableAlias | None, offset: exp.Expr | bool | None
) -> exp.Expr:
    """`unnest(a, b) WITH ORDINALITY AS t(x, y, n)` as a subquery of as many columns.

    DuckDB's own takes one list in FROM. In a SELECT it takes several, and fills the shorter ones with NULL as
    PostgreSQL does.
    """
    lists = node.expressions
    name = alias.name if alias is not None and alias.this else "unnest"
    columns = [each.name for each in alias.columns] if alias is not None else []
    default = [name] if len(lists) == 1 else ["unnest"] * len(lists)
    named = [*columns[: len(lists)], *default[len(columns) :]]
    texts = [each.sql("duckdb") for each in lists]
    selected = [f"unnest({one}) AS {quoted(as_)}" for one, as_ in zip(texts, named, strict=True)]
    if offset:
        last = offset.name if isinstance(offset, exp.Identifier) else "ordinality"
        last = columns[len(lists)] if len(columns) > len(lists) else last
        longest = f"greatest({', '.join(f'coalesce(len({one}), 0)' for one in texts)})"
        selected.append(f"unnest(range(1, {longest} + 1)) AS {quoted(last)}")
    return _subquery(f"SELECT {', '.join(selected)}", None, name)


def quoted(name: str) -> str:
    """A name in quotes."""
    return '"' + name.replace('"', '""') + '"'


def _subquery(inner: str, alias: exp.TableAlias | None, name: str) -> exp.Expr:
    made = to_tree(f"SELECT * FROM ({inner}) AS {quoted(name)}").find(exp.Subquery)
    assert made is not None
    if alias is not None:
        made.set("alias", alias)
    return made


def _name_of(function: exp.Expr) -> str:
    if isinstance(function, exp.Anonymous):
        return str(function.name).lower().removeprefix("fn.")
    return function.sql_name().lower() if isinstance(function, exp.Func) else "column1"
