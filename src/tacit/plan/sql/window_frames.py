"""Frames and shares of windows over groups: ROWS BETWEEN, NTILE, PERCENT_RANK, CUME_DIST, made of plainer ones.

A frame of so many groups before and after is made of LAG and LEAD, so a moving average has an interval where they do.

Checked by: tests/laws/test_statements.py
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction

from sqlglot import exp

from tacit.plan.model import expressions as e
from tacit.plan.model.function_names import Function
from tacit.plan.model.schema import Kind
from tacit.plan.questions.build_expressions import Forms
from tacit.plan.sql.reading_context import Reader

__all__ = ["FRAMED", "Extent", "MOST_GROUPS", "SHARES", "fold_frame", "read_frame", "share"]

MOST_GROUPS = 60
"""The most groups that a frame reaches before and after."""
_NO_FRAME = "write ROWS BETWEEN 6 PRECEDING AND CURRENT ROW, with whole numbers"

Look = Callable[[e.Look, e.Expression | None, bool, int], e.Expression]
"""Makes a window: what it looks for, its operand, whether it is ordered, and how far away it looks."""
Extent = tuple[int | None, int | None]
"""How many groups before and after belong to a frame; None for all of them."""
FRAMED = {e.Look.COUNT, e.Look.SUM, e.Look.MEAN, e.Look.LEAST, e.Look.GREATEST}
"""The windows that look at a frame."""
SHARES = (exp.Ntile, exp.PercentRank, exp.CumeDist)
"""The functions of windows that are made of ranks and counts."""


def read_frame(reader: Reader, spec: exp.Expr, *, has_order: bool) -> Extent:
    """ROWS BETWEEN 6 PRECEDING AND CURRENT ROW gives (6, 0)."""
    account, parts = reader.account, reader.account.take(spec)
    if str(parts.get("kind")).upper() != "ROWS":
        account.refuse(spec.parent or spec, "a frame counts groups", _NO_FRAME)
    _claim_words(reader, spec)
    start = _read_end(reader, spec, "start")
    end = _read_end(reader, spec, "end") if parts.get("end") else 0
    before = None if start is None else -start
    if not has_order and (before, end) != (None, None):
        account.refuse(spec.parent or spec, "a frame needs an order", "write ORDER BY before ROWS")
    if any(size is not None and not 0 <= size <= MOST_GROUPS for size in (before, end)):
        reason = "this window frame is not supported, or reaches too far"
        account.refuse(spec.parent or spec, reason, f"{_NO_FRAME} up to {MOST_GROUPS}")
    if (before is None) != (end is None) and (before, end) != (None, 0):
        reason = "a window frame with an end on one side only is not supported"
        account.refuse(spec.parent or spec, reason, _NO_FRAME)
    return before, end


def _claim_words(reader: Reader, spec: exp.Expr) -> None:
    """Account for the words of a frame, which the parser keeps as texts."""
    parts = spec.args
    words = Counter({"ROWS": 1})
    if parts.get("end"):
        words += Counter({"BETWEEN": 1, "AND": 1})
    for name in ("start", "end"):
        if parts.get(name) == "CURRENT ROW":
            words += Counter({"CURRENT": 1, "TYPE": 1})  # the parser takes ROW for a type
        elif parts.get(name) == "UNBOUNDED":
            words += Counter({"UNBOUNDED": 1})
        if parts.get(f"{name}_side"):
            words += Counter({parts[f"{name}_side"].upper(): 1})
    for word, times in words.items():
        reader.account.claim(spec, word, times)


def _read_end(reader: Reader, spec: exp.Expr, name: str) -> int | None:
    """How many groups after the present one a frame begins or ends; None if it is open."""
    value, side = spec.args[name], (spec.args.get(f"{name}_side") or "").upper()
    if value == "CURRENT ROW":
        return 0
    if value == "UNBOUNDED":
        return None
    count = reader.whole_number(value)
    return -count if side == "PRECEDING" else count


def fold_frame(
    look: e.Look, operand: e.Expression | None, frame: Extent, window: Look
) -> e.Expression:
    """What the groups of a frame add up to.

    SUM(n) OVER (ORDER BY day ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)    COALESCE(LAG(n), 0) + n, NULL if both are
    """
    before, after = frame
    if before is None:
        return window(look, operand, after is not None, 1)
    value = e.Literal(1, Kind.INTEGER) if operand is None else operand
    reached = [
        *(window(e.Look.BEFORE, value, True, away) for away in range(before, 0, -1)),
        value,
        *(window(e.Look.AFTER, value, True, away) for away in range(1, (after or 0) + 1)),
    ]
    if look in {e.Look.LEAST, e.Look.GREATEST}:
        function = Function.LEAST if look is e.Look.LEAST else Function.GREATEST
        return _by_twos(reached, lambda one, two: e.Called(function, (one, two)))
    zero, one = e.Literal(0, Kind.INTEGER), e.Literal(1, Kind.INTEGER)
    counts = [Forms().case([(e.IsNull(each), zero)], one) for each in reached]
    count = _add_up(counts)
    if look is e.Look.COUNT:
        return count
    total = _add_up([e.Called(Function.COALESCE, (each, zero)) for each in reached])
    if look is e.Look.MEAN:
        return e.Arithmetic("/", total, count)
    return e.Case(((e.Compared(">", count, zero), total),), e.Literal(None, Kind.NUMBER))


def _add_up(parts: Sequence[e.Expression]) -> e.Expression:
    return _by_twos(parts, lambda one, two: e.Arithmetic("+", one, two))


def _by_twos(
    parts: Sequence[e.Expression], join: Callable[[e.Expression, e.Expression], e.Expression]
) -> e.Expression:
    """Many parts joined as a tree that is no deeper than it must be."""
    return e.chain_conditions(join, parts)


def share(node: exp.Expr, reader: Reader, window: Look) -> e.Expression:
    """NTILE(4), PERCENT_RANK() and CUME_DIST(), from ranks and counts."""
    total = window(e.Look.COUNT, None, False, 1)
    if isinstance(node, exp.CumeDist):
        return e.Arithmetic("/", window(e.Look.COUNT, None, True, 1), total)
    one = e.Literal(1, Kind.INTEGER)
    if isinstance(node, exp.PercentRank):
        rank = e.Arithmetic("-", window(e.Look.RANK, None, True, 1), one)
        share_of_others = e.Arithmetic("/", rank, e.Arithmetic("-", total, one))
        alone = e.Compared("=", total, one)
        return e.Case(((alone, e.Literal(Fraction(0), Kind.NUMBER)),), share_of_others)
    parts = reader.whole_number(node.this)
    if not 1 <= parts <= _MOST_PARTS:
        reason = f"groups are divided into 1 to {_MOST_PARTS} parts"
        reader.account.refuse(node, reason, "write NTILE(4)")
    return _tile(window(e.Look.NUMBER, None, True, 1), total, parts)


_MOST_PARTS = 1_000


def _tile(number: e.Expression, total: e.Expression, parts: int) -> e.Expression:
    """In which of so many parts a row stands: the first ones are one longer if they cannot be alike."""
    one, many = e.Literal(1, Kind.INTEGER), e.Literal(parts, Kind.INTEGER)
    short = e.Called(Function.QUOTIENT, (total, many))
    long = e.Arithmetic("+", short, one)
    longer = e.Arithmetic("%", total, many)
    edge = e.Arithmetic("*", longer, long)
    before = e.Arithmetic("-", number, one)
    first = e.Arithmetic("+", e.Called(Function.QUOTIENT, (before, long)), one)
    rest = e.Called(Function.QUOTIENT, (e.Arithmetic("-", before, edge), short))
    second = e.Arithmetic("+", e.Arithmetic("+", longer, rest), one)
    return e.Case(((e.Compared("<=", number, edge), first),), second)
