"""ROLLUP, CUBE and GROUPING SETS: by which sets of keys a SELECT groups.

Checked by: tests/unit/plan/sql/test_grouping_sets.py
"""

from __future__ import annotations

from itertools import combinations

from sqlglot import exp

from tacit.plan.sql.source_positions import Account

__all__ = ["MOST_SETS", "Set", "Sets", "has_sets", "list_sets"]

Set = tuple[exp.Expr, ...]
"""The keys of one grouping set, as they are written."""
Sets = tuple[Set, list[Set]]
"""One grouping set among all of a SELECT."""
MOST_SETS = 64
"""The most grouping sets that one SELECT may have."""

_SPECIAL = (exp.Rollup, exp.Cube, exp.GroupingSets)


def has_sets(group: exp.Expr | None) -> bool:
    """Whether GROUP BY has ROLLUP, CUBE or GROUPING SETS."""
    if group is None:
        return False
    return bool(group.args.get("rollup")) or any(
        isinstance(part, _SPECIAL) for part in group.expressions
    )


def list_sets(account: Account, select: exp.Expr) -> list[Set]:
    """The grouping sets of a SELECT, the finest first as they are written, each once.

    ROLLUP (a, b)       (a, b), (a), ()
    CUBE (a, b)         (a, b), (a), (b), ()
    a, ROLLUP (b)       (a, b), (a)
    """
    group = select.args["group"]
    parts = account.take_list(group)
    choices = [_choices(account, part) for part in parts]
    after = group.args.get("rollup")
    if after:  # GROUP BY a, b WITH ROLLUP
        account.take(after[0])
        account.claim(after[0], "WITH")
        choices = [_prefixes([((part),) for part in parts])]
    listed: list[Set] = [()]
    for each in choices:
        listed = _different([_once(before + more) for before in listed for more in each])
        if len(listed) > MOST_SETS:
            reason = (
                f"this has {'more than ' * (each is not choices[-1])}{len(listed)} grouping sets"
            )
            account.refuse(group, reason, f"use at most {MOST_SETS}: fewer keys in CUBE or ROLLUP")
    return listed


def _choices(account: Account, node: exp.Expr) -> list[Set]:
    """The sets that one element of GROUP BY stands for."""
    match node:
        case exp.Rollup():
            return _prefixes([_keys(account, part) for part in account.take_list(node)])
        case exp.Cube():
            parts = _different([_keys(account, part) for part in account.take_list(node)])
            if 2 ** len(parts) > MOST_SETS:
                reason = f"this has {2 ** len(parts)} grouping sets"
                account.refuse(
                    node, reason, f"use at most {MOST_SETS}: fewer keys in CUBE or ROLLUP"
                )
            return [
                sum(chosen, ())
                for size in range(len(parts), -1, -1)
                for chosen in combinations(parts, size)
            ]
        case exp.GroupingSets():
            return [each for part in account.take_list(node) for each in _choices(account, part)]
        case _:
            return [_keys(account, node)]


def _prefixes(parts: list[Set]) -> list[Set]:
    return [sum(parts[:size], ()) for size in range(len(parts), -1, -1)]


def _keys(account: Account, node: exp.Expr) -> Set:
    """The keys of (a, b), (a), () or a."""
    if isinstance(node, exp.Tuple):
        parts = account.take(node, "GroupingSet").get("expressions") or []
        account.claim(node, "COMMA", max(0, len(parts) - 1))
        return tuple(parts)
    if isinstance(node, exp.Paren):
        return (account.take(node)["this"],)
    return (node,)


def _different(sets: list[Set]) -> list[Set]:
    """The sets without those that are there already, as they are written."""
    return list({tuple(part.sql() for part in each): each for each in sets}.values())


def _once(keys: Set) -> Set:
    return tuple({key.sql(): key for key in keys}.values())
