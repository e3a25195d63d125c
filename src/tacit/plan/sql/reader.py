"""What the parts of the SQL door ask of its reader, and what they share."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from tacit.plan.model.expressions import Expression, Literal
from tacit.plan.model.schema import Table
from tacit.plan.questions.draft import Draft, Name, Named
from tacit.plan.questions.scope import Origin, Scope
from tacit.plan.sql.coverage import Account

__all__ = [
    "ROWS",
    "Reader",
    "conjuncts",
    "is_column",
    "is_unit",
    "no_end",
    "node_kind",
    "same_units",
]

ROWS: Sequence[Named] = ()
"""What names mean over rows: their columns, and nothing else."""

_FIRST_ROWS = (
    "put LIMIT at the end of the whole question, or take the first rows of each unit: WHERE k <= 3, with k from "
    "ROW_NUMBER() OVER (PARTITION BY unit ORDER BY ...)"
)
# What may stand at the end of a whole question, and not at the end of one inside.
_AT_THE_END = {
    "order": (
        "rows inside the question have no order",
        "sort the answer: put ORDER BY at the end of the whole question",
    ),
    "limit": (
        "LIMIT before rows are counted would let one unit push out the rows of another",
        _FIRST_ROWS,
    ),
    "offset": (
        "OFFSET before rows are counted would let one unit push out the rows of another",
        "leave it out",
    ),
}


class Reader(Protocol):
    """What is needed of the reader of SQL."""

    account: Account
    tables: Mapping[str, Table]
    origins: Mapping[str, Origin]
    scope: Scope | None
    depth: int

    def read(self, node: Any, draft: Draft, level: Sequence[Named]) -> Expression:
        """An expression over rows or over what comes out."""
        ...

    def nested_reader(self, origins: Mapping[str, Origin] | None = None) -> "Reader":
        """A reader of a question inside."""
        ...

    def name(self, node: Any) -> Name:
        """A name as it is written."""
        ...

    def alias_name(self, node: Any) -> Name:
        """A name that is given here, maybe after AS."""
        ...

    def split_name(self, node: Any) -> tuple[Name | None, Name]:
        """The table and the column that a name says."""
        ...

    def query(self, node: Any, name: str) -> Origin:
        """The rows that a question inside gives, by the name that they have outside."""
        ...

    def read_sources(self, select: Any, parts: Mapping[str, Any]) -> Scope:
        """What a SELECT is about."""
        ...

    def whole_number(self, node: Any) -> int:
        """A constant that counts something."""
        ...

    def constant(self, node: Any) -> Literal:
        """A constant."""
        ...


def node_kind(node: Any) -> str:
    """What a node of the parser's tree is."""
    return type(node).__name__


def conjuncts(reader: Reader, node: Any) -> Iterator[Any]:
    """The conditions that are joined by AND, also in parentheses."""
    match node_kind(node):
        case "Paren" if node_kind(node.this.unnest()) == "And":
            yield from conjuncts(reader, reader.account.take(node)["this"])
        case "And":
            sides = reader.account.take(node)
            yield from conjuncts(reader, sides["this"])
            yield from conjuncts(reader, sides["expression"])
        case _:
            yield node


def is_unit(reader: Reader, node: Any) -> bool:
    """Whether a name of a column means the unit."""
    return reader.scope is not None and reader.scope.is_unit(*reader.split_name(node))


def is_column(node: Any) -> bool:
    """Whether a node is the name of one column."""
    return node_kind(node) == "Column" and node_kind(node.this) != "Star"


def same_units(reader: Reader, node: Any, left: Scope, right: Scope) -> bool:
    """Whether a condition says that both sides are of the same unit."""
    if (
        node_kind(node) != "EQ"
        or node_kind(node.this) != "Column"
        or node_kind(node.expression) != "Column"
    ):
        return False
    if "Star" in {node_kind(node.this.this), node_kind(node.expression.this)}:
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


def no_end(reader: Reader, parts: Mapping[str, Any], *others: str) -> None:
    """Refuse what may stand at the end of a whole question only; and, inside EXISTS, some others."""
    for name, (reason, remedy) in _AT_THE_END.items():
        if parts.get(name):
            reader.account.refuse(parts[name], reason, remedy)
    for name in others:
        if parts.get(name):
            reader.account.refuse(
                parts[name],
                "this is not read inside EXISTS",
                "write unit IN (SELECT unit FROM ...)",
            )
