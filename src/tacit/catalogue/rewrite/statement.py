"""A statement of PostgreSQL as one of DuckDB: parsed, rewritten from the leaves, fenced, and written again.

Checked by: tests/unit/catalogue/test_database.py
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.errors import SqlglotError

from tacit.catalogue.rewrite.allow_list import check_fence
from tacit.catalogue.rewrite.casts import as_name, column_kind, marked
from tacit.catalogue.rewrite.expressions import fold_case, rewrite_expressions
from tacit.catalogue.rewrite.names import NAMELESS, column_names, name_of_column
from tacit.catalogue.rewrite.parse import parse
from tacit.catalogue.rewrite.session import Session
from tacit.catalogue.rewrite.walk import peel
from tacit.errors import CatalogueError
from tacit.frozen import frozen

__all__ = ["Rewritten", "rewrite"]

QUERIES = (exp.Select, exp.SetOperation, exp.Subquery, exp.Values)


@frozen
class Rewritten:
    """DuckDB's text, the names of the columns (None: as DuckDB names them), their types where they are those of a
    catalogue's column, and the settings that `set_config` changes."""

    sql: str
    names: tuple[str, ...] | None
    types: tuple[str | None, ...]
    settings: tuple[tuple[str, str], ...]
    reads: frozenset[str]


def rewrite(sql: str, session: Session) -> Rewritten:
    """The statement for DuckDB."""
    tree = parse(sql)
    if not isinstance(tree, QUERIES):
        raise CatalogueError("0A000", "the catalogue answers only queries")
    tree = tree.transform(fold_case)
    names = column_names(tree)
    _name_inner(tree)
    settings = _settings(tree)
    types = _types(tree, session)
    try:
        tree = rewrite_expressions(tree, session)
        _show_names(tree, session, names)
        check_fence(tree, session.relations, session.released.values())
        text = tree.sql(dialect="duckdb", comments=False)
    except SqlglotError:  # a call that the parser reads, and cannot write
        raise CatalogueError(
            "0A000", "the catalogue cannot write this statement for DuckDB"
        ) from None
    reads = frozenset(f"{each.db}.{each.name}" for each in tree.find_all(exp.Table) if each.db)
    return Rewritten(text, None if names is None else tuple(names), types, settings, reads)


def _name_inner(tree: exp.Expr) -> None:
    """Columns of inner queries that nobody named have PostgreSQL's names: what is around may use them."""
    outer = _first(tree)
    for select in tree.find_all(exp.Select):
        if select is outer or not _is_row_source(select, tree):
            continue
        for each in select.expressions:
            if isinstance(each, exp.Alias | exp.Column | exp.Star) or each.is_star:
                continue
            name = name_of_column(each)
            if name != NAMELESS:
                each.replace(exp.alias_(each.copy(), name, quoted=True))


def _settings(tree: exp.Expr) -> tuple[tuple[str, str], ...]:
    """What `SELECT set_config('name', 'value', false)` sets, where it stands for itself."""
    found = []
    for node in tree.find_all(exp.Anonymous):
        if node.name.lower() == "set_config" and len(node.expressions) == 3:
            name, value = (peel(each) for each in node.expressions[:2])
            if isinstance(name, exp.Literal) and isinstance(value, exp.Literal):
                found.append((str(name.this).lower(), str(value.this)))
    return tuple(found)


def _first(tree: exp.Expr) -> exp.Select | None:
    while isinstance(tree, exp.SetOperation | exp.Subquery | exp.Paren):
        tree = tree.this
    return tree if isinstance(tree, exp.Select) else None


def _types(tree: exp.Expr, session: Session) -> tuple[str | None, ...]:
    """The catalogue's own type of each column that is one of its columns, such as name, "char" or int2vector."""
    select = _first(tree)
    if select is None:
        return ()
    found: list[str | None] = []
    for each in select.expressions:
        inner = peel(each.this if isinstance(each, exp.Alias) else each)
        kinds = (
            {columns[inner.name] for columns in session.relations.values() if inner.name in columns}
            if isinstance(inner, exp.Column) and not inner.is_star
            else set()
        )
        found.append(kinds.pop() if len(kinds) == 1 else None)
    return tuple(found)


def _show_names(tree: exp.Expr, session: Session, names: list[str] | None) -> None:
    """Oids that stand for names are shown as these, where a SELECT puts them out; the outermost names its columns."""
    outer = _first(tree)
    for select in tree.find_all(exp.Select):
        if not _is_row_source(select, tree):
            continue
        outermost = select is outer or _first_of_part(select, tree)
        columns = names if select is outer else None
        shown = [
            _show_column(each, session, outermost, None if columns is None else columns[number])
            for number, each in enumerate(select.expressions)
        ]
        select.set("expressions", shown)


def _show_column(column: exp.Expr, session: Session, outermost: bool, name: str | None) -> exp.Expr:
    """A column of a SELECT whose oid is shown as a name; under that name, where it has one."""
    inner = column.this if isinstance(column, exp.Alias) else column
    made = _show_as_name(inner, session, outermost)
    if isinstance(column, exp.Alias):
        column.set("this", made)
        return column
    if name is not None:
        return exp.alias_(made, name, quoted=True)
    if made is not inner:
        return exp.alias_(made, inner.alias_or_name or "k__shown", quoted=True)
    return column


def _show_as_name(node: exp.Expr, session: Session, outermost: bool) -> exp.Expr:
    inner = peel(node)
    kind = column_kind(inner, session) if outermost else None
    return as_name(node if kind is None else marked(inner.copy(), kind))


def _first_of_part(select: exp.Select, tree: exp.Expr) -> bool:
    """Whether the SELECT is one side of the outermost UNION."""
    above = select.parent
    while isinstance(above, exp.SetOperation | exp.Subquery | exp.Paren):
        if above is tree:
            return True
        above = above.parent
    return False


def _is_row_source(select: exp.Select, tree: exp.Expr) -> bool:
    """Whether what the SELECT puts out is shown, or read by name: not if it is compared, as behind IN."""
    above: exp.Expr | None = select
    while above is not None and above is not tree:
        above = above.parent
        if isinstance(above, exp.In | exp.Any | exp.All | exp.Binary):
            return False
        if isinstance(above, exp.From | exp.Join | exp.CTE | exp.Lateral):
            return True
    return True
