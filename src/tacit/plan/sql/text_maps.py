"""INITCAP, REGEXP_EXTRACT and REGEXP_REPLACE: what they make of each declared value of a text.

Checked by: tests/unit/plan/questions/test_declared_text_functions.py
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from sqlglot import exp

from tacit.plan.model.expressions import Expression
from tacit.plan.questions.build_expressions import Forms
from tacit.plan.questions.declared_text_functions import capitalise_words, map_declared
from tacit.plan.semantics.regex_search import extract_pattern, replace_pattern
from tacit.plan.semantics.regular_expressions import count_groups, is_pattern, may_be_empty
from tacit.plan.sql.source_positions import Account

__all__ = ["read_text_map"]

_PATTERNS = "letters, [a-z0-9], \\d, \\w, ., ^, $, groups, | and repetitions: REGEXP_EXTRACT(x, '([0-9]+)', 1)"
_Read = Callable[[exp.Expr], Expression]


def read_text_map(account: Account, forms: Forms, read: _Read, node: exp.Expr) -> Expression:
    """INITCAP(ward), REGEXP_EXTRACT(ward, '[0-9]+'), REGEXP_REPLACE(ward, '[a-z]', '', 'g').

    INITCAP(ward)    CASE WHEN ward IN ('north') THEN 'North' WHEN ward IN ('south') THEN 'South' END
    """
    parts = account.take(node)
    if "start" in node.meta:
        account.places.add(node.meta["start"])
    else:
        account.claim(node, "INITCAP")
    operand = read(parts["this"])
    if isinstance(node, exp.Initcap):
        if "start" in parts["expression"].meta:
            account.refuse(node, "INITCAP takes one text", "write INITCAP(x)")
        return map_declared(forms, operand, "INITCAP", capitalise_words, account.steps)
    pattern = _constant(account, parts["expression"])
    if not is_pattern(pattern):
        account.refuse(
            parts["expression"], "this regular expression is not supported", f"use {_PATTERNS}"
        )
    if isinstance(node, exp.RegexpExtract):
        return _extract(account, forms, node, operand, pattern)
    return _replace(account, forms, node, operand, pattern)


def _extract(
    account: Account, forms: Forms, node: exp.Expr, operand: Expression, pattern: str
) -> Expression:
    written = node.args["group"]
    is_given = "start" in written.meta
    account.claim(node, "COMMA", 2 if is_given else 1)
    if is_given:
        account.take(written)
        account.places.add(written.meta["start"])
    group = int(written.name) if written.name.isdecimal() and len(written.name) < 3 else -1
    if not 0 <= group <= count_groups(pattern):
        reason = f"the regular expression has no group {written.name[:20]}"
        account.refuse(written if is_given else node, reason, "count parentheses from 1")
    return map_declared(
        forms,
        operand,
        "REGEXP_EXTRACT",
        lambda text: extract_pattern(text, pattern, group, account.steps),
        account.steps,
    )


def _replace(
    account: Account, forms: Forms, node: exp.Expr, operand: Expression, pattern: str
) -> Expression:
    new, options = _constant(account, node.args["replacement"]), node.args.get("modifiers")
    account.claim(node, "COMMA", 3 if options is not None else 2)
    if "\\" in new:
        account.refuse(
            node.args["replacement"],
            "backreferences in the replacement are not supported",
            "write a plain text",
        )
    if options is not None and _constant(account, options) != "g":
        account.refuse(options, "REGEXP_REPLACE has one option, 'g'", "write 'g', or leave it out")
    if may_be_empty(pattern):
        reason = "this pattern matches the empty text, which cannot be replaced"
        account.refuse(node.args["expression"], reason, "write + in place of *")
    every = options is not None
    return map_declared(
        forms,
        operand,
        "REGEXP_REPLACE",
        lambda text: replace_pattern(text, pattern, new, every=every, steps=account.steps),
        account.steps,
    )


def _constant(account: Account, node: exp.Expr) -> str:
    if not isinstance(node, exp.Literal) or not node.is_string:
        _refuse_constant(account, node)
    account.take(node)
    account.places.add(node.meta.get("start", -1))
    return str(node.name)


def _refuse_constant(account: Account, node: exp.Expr) -> NoReturn:
    account.refuse(node, "a constant text is needed here", "write it in quotes: '[0-9]+'")
