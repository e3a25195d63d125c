"""MODE(x): the group that comes first, which is asked for without its number, and so by private selection.

Checked by: tests/unit/plan/sql/test_mode.py
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlglot import exp

from tacit.plan.model.expressions import Expression, IsNull, KeyOf, Not
from tacit.plan.model.nodes import Ordering
from tacit.plan.questions.draft import Draft
from tacit.plan.questions.per_unit import has_null_group
from tacit.plan.sql.expressions import read_expression
from tacit.plan.sql.reader import ROWS, Reader

__all__ = ["find_mode", "read_mode"]

_OTHERS = ("group", "having", "order", "limit", "offset", "qualify", "distinct")
_REMEDY = "write SELECT x FROM ... GROUP BY x ORDER BY COUNT(*) DESC LIMIT 1"


def find_mode(
    reader: Reader, parts: Mapping[str, Any], columns: Sequence[exp.Expr]
) -> exp.Expr | None:
    """The MODE(x) that a SELECT asks for and nothing else; beside anything else it is refused."""
    modes = [node for column in columns for node in column.find_all(exp.Mode)]
    if not modes:
        return None
    alone = len(columns) == 1 and columns[0].unalias() is modes[0]
    if not alone or any(parts.get(name) for name in _OTHERS):
        reason = "MODE is asked for alone: it is chosen privately, without its number"
        reader.account.refuse(modes[0], reason, f"{_REMEDY}, for each group by WHERE")
    if modes[0].args.get("this") is None:
        reader.account.refuse(modes[0], "MODE takes a value", "write MODE(x)")
    return modes[0]


def read_mode(reader: Reader, node: exp.Expr, name: str, draft: Draft) -> list[Ordering]:
    """The key, shown by a name, and the order of which the first is the mode."""
    value: Expression = read_expression(reader, reader.account.take(node)["this"], draft, ROWS)
    reader.account.places.add(node.meta.get("start", -1))
    if has_null_group(value):
        draft.conditions.append(Not(IsNull(value)))
    with reader.account.about(node):
        draft.key(value, name)
    draft.show(name, KeyOf(0))
    return [Ordering(draft.count(), descending=True)]
