"""What texts were read as, remembered: dashboards ask the same again and again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from threading import Lock
from typing import Any

from tacit.curator.policy.policy import Shared
from tacit.frozen import frozen
from tacit.plan import CombinedPlan, Header, Parameters, Plan, read_asked

__all__ = ["PlanCache"]

_MOST = 256  # texts that are remembered, each of at most 20,000 bytes

Read = tuple[Plan | CombinedPlan, Header]
"""What a text asks for, and what its header says."""


@frozen
class _Kept:
    tables: Mapping[str, Shared]
    read: Read


class PlanCache:
    """The plans of the texts that were read last, for as long as the tables are declared as they were.

    Claim:      what is given back is what reading the text anew would give.
    Because:    reading is a function of the text, the values of its parameters (of which 1, 1.0 and TRUE are told
                apart), the declared tables with their facts, and whether keys may be found: a plan is given back only
                if all of these are equal.  Refusals are not remembered.
    Checked by: tests/unit/curator/test_plan_cache.py
    """

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._kept: OrderedDict[Any, _Kept] = OrderedDict()
        self._lock = Lock()

    def read(
        self, text: str, tables: Mapping[str, Shared], bound: Parameters, *, finding: bool
    ) -> Read:
        """What a text asks for."""
        key = text, finding, tuple((name, type(value), repr(value)) for name, value in bound)
        with self._lock:
            known = self._kept.get(key)
            if known is not None:
                self._kept.move_to_end(key)
        if known is not None and (known.tables is tables or known.tables == tables):
            return known.read
        asked = {name: shared.asked_table for name, shared in tables.items()}
        read = read_asked(text, asked, finding=finding, bound=bound)
        with self._lock:
            self._kept[key] = _Kept(tables, read)
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return read

    def __len__(self) -> int:
        return len(self._kept)
