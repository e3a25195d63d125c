"""What is known where a piece of SQL is read, as a frozen value; and how names and constants are read there.

Checked by: tests/unit/plan/test_rows_sql.py
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from sqlglot import exp

from tacit.errors import InvalidPlan
from tacit.frozen import frozen
from tacit.plan.model.expressions import Expression, Literal, SubqueryValue
from tacit.plan.model.schema import Kind, Table
from tacit.plan.questions.build_expressions import NULL, literal, number
from tacit.plan.questions.draft import Draft, Name, Named
from tacit.plan.questions.scope import Origin, Scope
from tacit.plan.sql.source_positions import Account

__all__ = [
    "ROWS",
    "Level",
    "Reader",
    "Source",
    "conjuncts",
    "is_column",
    "refuse_end",
    "same_units",
    "strip_negations",
]

Level = Sequence[Named]
"""What names mean where an expression stands: columns of the row, or what will be released."""
ROWS: Level = ()
"""What names mean over rows: their columns, and nothing else."""

_CATALOGUES = frozenset({"information_schema", "pg_catalog", "sys"})
_SCHEMA = "public"
_FIRST_ROWS = (
    "move LIMIT to the end of the whole query, or keep the first rows of each unit: WHERE k "
    "<= 3, with k from ROW_NUMBER() OVER (PARTITION BY unit ORDER BY ...)"
)
# What may stand at the end of a whole question, and not at the end of one inside.
_AT_THE_END = {
    "limit": (
        "LIMIT in a subquery would let one unit displace the rows of another",
        _FIRST_ROWS,
    ),
    "offset": (
        "OFFSET in a subquery would let one unit displace the rows of another",
        "leave it out",
    ),
    "order": (
        "ORDER BY has no effect in a subquery",
        "move ORDER BY to the end of the whole query",
    ),
}

WHOLE = {exp.DType.SMALLINT: 15, exp.DType.INT: 31, exp.DType.BIGINT: 63}


def _refuse_subquery(
    reader: Reader, node: exp.Expr, _value: Expression | None, _draft: Draft
) -> Expression:
    """Refuse a subquery where nothing is released."""
    return reader.account.unknown(node)


def _pass_exists(_reader: Reader, _node: exp.Exists, _draft: Draft) -> Expression | None:
    """EXISTS where nothing but the unit of the row outside may be named."""
    return None


def _refuse_answer(
    reader: Reader, _left: Scope, _join: exp.Expr, source: exp.Expr, _where: exp.Expr | None
) -> Source:
    """Refuse an answer among rows where nothing is released."""
    return reader.account.unknown(source)


@frozen
class Reader:
    """The tables that may be named, the queries that WITH names, and what columns mean where SQL is read.

    Reading goes one way: a statement reads its FROM, FROM its joins, all of them expressions, expressions calls and
    windows.  SQL is recursive: a query has queries inside, and expressions have IN and EXISTS.  `read_query`,
    `read_source` and those after it are the only calls that go back up.  Only the account changes, and the list of
    subqueries that rows are compared with.
    """

    account: Account
    tables: Mapping[str, Table]
    read_query: Callable[[Reader, exp.Expr, str], Origin]
    read_source: Callable[[Reader, exp.Expr, Mapping[str, Any]], Source]
    read_membership: Callable[[Reader, exp.Expr, Draft], Expression]
    read_subquery: Callable[[Reader, exp.Expr, Expression | None, Draft], Expression] = (
        _refuse_subquery
    )
    read_exists: Callable[[Reader, exp.Exists, Draft], Expression | None] = _pass_exists
    join_answer: Callable[[Reader, Scope, exp.Expr, exp.Expr, exp.Expr | None], Source] = (
        _refuse_answer
    )
    finding: bool = False
    unit_names: frozenset[str] = frozenset()
    """What units are called somewhere in the text: what is added up for each of them are rows."""
    origins: Mapping[str, Origin] = field(default_factory=dict)
    """The rows that WITH names."""
    withs: Mapping[str, exp.Expr] = field(default_factory=dict)
    """The common table expressions that a SELECT may read after they are released."""
    answers: Mapping[str, exp.Expr] = field(default_factory=dict)
    """The same, also where rows are read that are not released: their answers are joined with these rows."""
    ties: tuple[tuple[exp.Expr, exp.Expr], ...] = ()
    """Conditions of a correlated subquery, and what each compares inside: a key there."""
    scalars: Mapping[int, Expression] = field(default_factory=dict)
    """What scalar subqueries are over a release, by the identity of their nodes."""
    subqueries: list[Any] = field(default_factory=list)
    """The subqueries that rows are compared with, which are released first."""
    subquery_values: dict[Any, tuple[SubqueryValue, ...]] = field(default_factory=dict)
    """Their constants, by the identity of their nodes, and by the column of those in FROM."""
    scope: Scope | None = None
    key_kinds: frozenset[type[exp.Expr]] = frozenset()
    """What sorts of expressions GROUP BY calculates."""

    def with_origins(self, origins: Mapping[str, Origin]) -> Reader:
        """The reader of a query that may use these rows by their names."""
        return replace(self, origins=origins)

    def inside(self) -> Reader:
        """The reader of a query inside, which knows nothing of the columns outside and is not released by itself."""
        return replace(self, scope=None, key_kinds=frozenset(), withs={}, ties=(), finding=False)

    def with_withs(self, withs: Mapping[str, exp.Expr]) -> Reader:
        """The reader of a SELECT that may read these common table expressions after they are released."""
        return replace(self, withs=withs, answers=withs)

    def with_scope(self, scope: Scope) -> Reader:
        """The reader of what stands beside this FROM."""
        return replace(self, scope=scope)

    def with_keys(self, kinds: frozenset[type[exp.Expr]]) -> Reader:
        """The reader of what stands after this GROUP BY."""
        return replace(self, key_kinds=kinds)

    @property
    def public_names(self) -> frozenset[str]:
        """What public tables are called."""
        return frozenset(name.casefold() for name, table in self.tables.items() if table.public)

    # ------------------------------------------------------------ names

    def name(self, node: exp.Expr) -> Name:
        """A name as it is written: ward, "Ward"."""
        if not isinstance(node, exp.Identifier):  # a.(b), or a point before which nothing stands
            self.account.refuse_text(
                "a name is missing here", "correct or remove what is around the point"
            )
        parts = self.account.take(node)
        self.account.places.add(node.meta.get("start", -1))
        return Name(parts["this"], exact=bool(parts.get("quoted")))

    def alias_name(self, node: exp.Expr) -> Name:
        """A name that is given here, maybe after AS."""
        self.account.aliases.add(node.meta.get("start", -1))
        return self.name(node)

    def split_name(self, node: exp.Expr) -> tuple[Name | None, Name]:
        """The table and the column that v.ward says."""
        parts = self.account.take(node)
        if isinstance(parts["this"], exp.Star):
            self.account.unknown(parts["this"])
        self.account.claim(node, "DOT", 1 if parts.get("table") else 0)
        self.check_schema(parts.get("db"))
        return self.name(parts["table"]) if parts.get("table") else None, self.name(parts["this"])

    def check_schema(self, node: exp.Expr | None) -> None:
        """Read the schema before the name of a table, as in public.visits: there is one, and it is called public."""
        if node is None:
            return
        self.account.claim(node, "DOT")
        if not self.name(node).means(_SCHEMA):
            reason = f"there is no schema {node.name[:64]!r}: all tables are in {_SCHEMA!r}"
            listed = "SHOW TABLES lists them, and DESCRIBE t the columns of one"
            is_catalogue = node.name.casefold() in _CATALOGUES
            self.account.refuse(
                node,
                reason,
                listed if is_catalogue else f"remove the part before the dot; {listed}",
            )

    def column_name(self, node: exp.Expr) -> Name:
        """A column's name, whose qualifier must be a table that is asked about."""
        table, name = self.split_name(node)
        assert self.scope is not None, "there are rows before there are columns"
        if table is not None and not any(table.means(seen.alias) for seen in self.scope.names):
            known = self.scope.aliases
            called = (
                f"the table is called {known[0]!r} here"
                if len(known) == 1
                else f"there is no table {table.text[:64]!r} here"
            )
            remedy = " or ".join(
                f"{alias}.{node.name[:64]}" if alias else node.name[:64] for alias in known
            )
            self.account.refuse(node.args["table"], called, f"write {remedy}")
        return self.scope.resolve_name(table, name)

    def find_flag(self, node: exp.Expr) -> Name | None:
        """The column that says whether a side of an outer join is there, if a name is that of its unit."""
        if self.scope is None or not is_column(node):
            return None
        found = self.scope.find_flag(*self.split_name(node))
        return None if found is None else Name(found, exact=True)

    def is_unit(self, node: exp.Expr) -> bool:
        """Whether a name of a column means the unit."""
        return self.scope is not None and self.scope.is_unit(*self.split_name(node))

    # ------------------------------------------------------------ constants

    def constant(self, node: exp.Expr) -> Literal:
        """A constant: NULL, TRUE, 'text' or 1.5."""
        parts = self.account.take(node)
        if isinstance(node, exp.Null):
            return NULL
        if isinstance(node, exp.Boolean):
            self.account.claim(node, str(parts["this"]).upper())
            return literal(parts["this"])
        self.account.claim(node, "STRING" if parts["is_string"] else "NUMBER")
        # the parser writes .5 as 0.5
        self.account.claim(node, "DOT", 0 if "start" in node.meta else 1)
        return literal(parts["this"]) if parts["is_string"] else number(parts["this"])

    def whole_number(self, node: exp.Expr) -> int:
        """A constant that counts something."""
        with self.account.about(node):
            if (
                isinstance(node, exp.Cast) and node.to.this in WHOLE
            ):  # LIMIT $1::INTEGER, as drivers write it
                parts = self.account.take(node)
                bits = WHOLE[self.account.take(parts["to"])["this"]]
                inside = self.whole_number(parts["this"])
                if inside >= 1 << bits:
                    raise InvalidPlan(
                        "this number is too large for its type", "write it without the cast"
                    )
                return inside
            found = self.constant(node) if isinstance(node, exp.Literal) else NULL
            if found.kind is not Kind.INTEGER or not isinstance(found.value, int):
                raise InvalidPlan("a whole number is needed here", "write it with digits")
            return found.value

    def is_descending(self, ordered: exp.Expr) -> bool:
        """Whether an element of ORDER BY says DESC, where NULLs come last."""
        descending, first = self.direction(ordered)
        if first:
            reason = "NULLs come last here"
            self.account.refuse(ordered, reason, "leave NULLS FIRST out")
        return descending

    def direction(self, ordered: exp.Expr) -> tuple[bool, bool]:
        """Whether an element of ORDER BY says DESC, and whether it says NULLS FIRST."""
        parts = self.account.take(ordered)
        descending, first = bool(parts.get("desc")), bool(parts.get("nulls_first"))
        self.account.claim(ordered, "DESC" if descending else "ASC?")
        for word in ("NULLS", "FIRST") if first else ("NULLS?", "LAST?"):
            self.account.claim(ordered, word)
        return descending, first


@frozen
class Source:
    """What a SELECT is about: the rows and names of FROM, and the conditions of WHERE that its tables are joined on."""

    scope: Scope
    ties: frozenset[int] = frozenset()


def is_column(node: exp.Expr | None) -> bool:
    """Whether a node is the name of one column."""
    return isinstance(node, exp.Column) and not isinstance(node.this, exp.Star)


def strip_negations(node: exp.Expr) -> exp.Expr:
    """What NOT and parentheses stand around."""
    while isinstance(node, exp.Not | exp.Paren):
        node = node.this
    return node


def conjuncts(account: Account, node: exp.Expr) -> Iterator[exp.Expr]:
    """The conditions that are joined by AND, also in parentheses."""
    if isinstance(node, exp.Paren) and isinstance(node.unnest(), exp.And):
        yield from conjuncts(account, account.take(node)["this"])
    elif isinstance(node, exp.And):
        sides = account.take(node)
        yield from conjuncts(account, sides["this"])
        yield from conjuncts(account, sides["expression"])
    else:
        yield node


def same_units(reader: Reader, node: exp.Expr, left: Scope, right: Scope) -> bool:
    """Whether a condition says that both sides are of the same unit."""
    if not (isinstance(node, exp.EQ) and is_column(node.this) and is_column(node.expression)):
        return False
    one, two = reader.split_name(node.this), reader.split_name(node.expression)
    for first, second in ((one, two), (two, one)):
        if (
            left.is_unit(*first)
            and right.is_unit(*second)
            and not (right.finds(*first) or left.finds(*second))
        ):
            reader.account.take(node)
            return True
    return False


def refuse_end(account: Account, parts: Mapping[str, Any], *others: str) -> None:
    """Refuse what may stand at the end of a whole question only; and, inside EXISTS, some others."""
    for name, (reason, remedy) in _AT_THE_END.items():
        if parts.get(name):
            account.refuse(parts[name], reason, remedy)
    for name in others:
        if parts.get(name):
            account.refuse(
                parts[name],
                "this is not supported inside EXISTS",
                "write unit IN (SELECT unit FROM ...)",
            )
