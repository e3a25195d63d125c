"""Which queries of a text are released by themselves: those that give groups, and not rows of units.

Checked by: tests/unit/plan/sql/test_answers_as_tables.py
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import takewhile

from sqlglot import exp

from tacit.frozen import frozen
from tacit.plan.sql.group_windows import is_grouped
from tacit.plan.sql.reading_context import is_column

__all__ = [
    "Query",
    "find_query",
    "gives_answer",
    "groups_by_unit",
    "is_answer",
    "is_of_public_tables",
    "list_branches",
    "list_released_withs",
    "list_scalars",
    "list_sources",
    "list_unions",
    "list_withs",
    "scalars_in",
]


@frozen
class Query:
    """A query in FROM: what stands there, the query, what WITH names before it, and its place in WITH if it has one."""

    source: exp.Expr
    query: exp.Expr
    withs: Mapping[str, exp.Expr]
    common: exp.Expr | None = None


def list_withs(query: exp.Expr, outer: Mapping[str, exp.Expr]) -> dict[str, exp.Expr]:
    """The common table expressions that a query may read, by their names."""
    clause = query.args.get("with_")
    listed = clause.expressions if clause else []
    return {**outer, **{part.alias.casefold(): part for part in listed}}


def list_released_withs(withs: Mapping[str, exp.Expr], units: frozenset[str]) -> frozenset[int]:
    """The common table expressions that are released by themselves, and give no rows."""
    found = []
    for name, part in withs.items():
        before = dict(takewhile(lambda each, part=part: each[1] is not part, withs.items()))  # type: ignore[misc]
        if gives_answer(part.this, before, units) and name:
            found.append(id(part))
    return frozenset(found)


def list_sources(select: exp.Expr) -> list[exp.Expr]:
    """What stands in FROM and after JOIN."""
    clause = select.args.get("from_")
    first = [clause.this] if clause else []
    return [*first, *(join.this for join in select.args.get("joins") or [])]


def find_query(source: exp.Expr, withs: Mapping[str, exp.Expr]) -> Query | None:
    """The query that stands in FROM, in parentheses or by its name in WITH; None if it is a table."""
    if isinstance(source, exp.Subquery):
        return Query(source, source.this, withs) if isinstance(source.this, exp.Query) else None
    if not isinstance(source, exp.Table) or not isinstance(source.this, exp.Identifier):
        return None
    if source.args.get("db"):  # public.visits is a table, whatever WITH names
        return None
    found = withs.get(source.name.casefold())
    if found is None:
        return None
    before = dict(takewhile(lambda each: each[1] is not found, withs.items()))
    return Query(source, found.this, before, found)


def is_answer(source: exp.Expr, withs: Mapping[str, exp.Expr], units: frozenset[str]) -> bool:
    """Whether what stands in FROM is released by itself: groups, and not rows of units.

    `units` are the names that a unit has somewhere: what is added up for each unit are rows.
    """
    found = find_query(source, withs)
    return found is not None and gives_answer(found.query, found.withs, units)


def is_of_public_tables(
    query: exp.Expr, withs: Mapping[str, exp.Expr], public: frozenset[str]
) -> bool:
    """Whether all tables that a query reads are public, so that nothing of it is released."""
    found = [query]
    seen: set[int] = set()
    while found:
        for table in found.pop().find_all(exp.Table):
            name = table.name.casefold()
            if name in withs and not table.args.get("db"):
                if id(withs[name]) not in seen:
                    seen.add(id(withs[name]))
                    found.append(withs[name].this)
            elif name not in public:
                return False
    return True


def gives_answer(query: exp.Expr, withs: Mapping[str, exp.Expr], units: frozenset[str]) -> bool:
    """Whether a query is released by itself."""
    known = list_withs(query, withs)
    if isinstance(query, exp.Subquery):
        return gives_answer(query.this, known, units)
    if isinstance(query, exp.Union):
        return all(gives_answer(each, known, units) for each in list_branches(query))
    if not isinstance(query, exp.Select):
        return False
    sources = list_sources(query)
    if not sources:
        return bool(list_scalars(query))
    if is_grouped(query.args, query.expressions):
        return not groups_by_unit(query, units)
    return all(is_answer(each, known, units) for each in sources)


def list_branches(query: exp.Expr) -> list[exp.Expr]:
    """The queries of a UNION, from left to right."""
    return [each for each in _walk_union(query) if not _continues(each, query)]


def list_unions(query: exp.Expr) -> list[exp.Expr]:
    """The unions that a UNION of several queries is made of: the parser nests them to the left."""
    return [each for each in _walk_union(query) if _continues(each, query)]


def _walk_union(query: exp.Expr) -> Iterator[exp.Expr]:
    rest = [query]
    while rest:
        each = rest.pop()
        yield each
        if _continues(each, query):
            rest += [each.expression, each.this]


def _continues(each: exp.Expr, query: exp.Expr) -> bool:
    ends = any(each.args.get(part) for part in ("order", "limit", "offset", "with_"))
    return isinstance(each, exp.Union) and (each is query or not ends)


def list_scalars(select: exp.Expr) -> list[exp.Subquery]:
    """The scalar subqueries of a SELECT over what is released: in its columns, HAVING, QUALIFY and ORDER BY."""
    clauses = [select.args.get(name) for name in ("having", "order", "qualify")]
    roots = [*select.expressions, *(clause for clause in clauses if clause is not None)]
    return [found for root in roots for found in scalars_in(root)]


def scalars_in(node: exp.Expr) -> Iterator[exp.Subquery]:
    """The scalar subqueries of an expression; those after IN and EXISTS are none."""
    if isinstance(node, exp.Subquery):
        yield node
        return
    if isinstance(node, exp.Select | exp.In | exp.Exists):
        return
    for value in node.args.values():
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, exp.Expr):
                yield from scalars_in(part)


def groups_by_unit(select: exp.Select, units: frozenset[str]) -> bool:
    """Whether a SELECT adds up the rows of each unit, by the name of one among its keys or columns."""
    group = select.args.get("group")
    listed = [*(group.expressions if group else []), *select.expressions]
    columns = [part.unalias() for part in listed]
    return any(is_column(part) and part.name.casefold() in units for part in columns)
