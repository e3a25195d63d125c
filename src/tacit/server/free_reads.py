"""What was read for free last, remembered for as long as the ledger stays as it is: dashboards ask the same again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeVar

from tacit.curator import Vault, View
from tacit.frozen import frozen
from tacit.server.jobs import Question

__all__ = ["FreeReads", "parameter_key", "question_key", "seen_state"]

_MOST = 512
_MOST_ROWS = 1_000  # a longer answer is read anew

T = TypeVar("T")


@frozen
class _Kept:
    vault: Vault
    state: Hashable
    found: Any


class FreeReads:
    """What free reads of a vault found: replays, columns, budgets.

    Claim:      what is given back is what reading anew would give; and whether it was remembered tells nothing of what
                is written in a slot that has not ended.
    Because:    a free read is a function of what is read, the payer, the vault, and what of its ledger may be seen when
                it begins.  All are compared: the payer and what is read are the key, a vault is replaced and never
                changed, and `seen_state` has all that may be seen and nothing else.
    Checked by: tests/unit/server/test_free_reads.py
    """

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, _Kept] = OrderedDict()
        self._lock = threading.Lock()

    def read(self, vault: Vault, state: Hashable, key: Hashable, work: Callable[[], T]) -> T:
        """What the work finds, or what it found before."""
        with self._lock:
            known = self._kept.get(key)
            if known is not None:
                self._kept.move_to_end(key)
        if known is not None and known.vault is vault and known.state == state:
            found: T = known.found
            return found
        found = work()
        if found is not None and len(getattr(found, "rows", ())) <= _MOST_ROWS:
            with self._lock:
                self._kept[key] = _Kept(vault, state, found)
                self._kept.move_to_end(key)
                while len(self._kept) > self._most:
                    self._kept.popitem(last=False)
        return found


def seen_state(vault: Vault, view: View) -> Hashable:
    """What is another one if and only if a read with this view may find something else: entries, answers, versions.

    Claim:      two views that show the same have the same state, and two that do not have others.
    Because:    it lists the entries that are shown, and those of them without an answer, by what the view itself says.
                By which part of a view an entry is shown is not in it: whether one was written, or answered, when some
                slot was reserved depends on how long rows took.
    Checked by: tests/unit/server/test_free_reads.py::test_what_is_remembered_depends_on_what_is_shown_alone
    """
    length = view.length
    while view.shows(length):
        length += 1
    beyond = frozenset(number for number in view.released if number > length)
    unanswered = frozenset(
        number
        for number in view.open.union(view.released)
        if view.shows(number) and not view.shows_answer(number)
    )
    versions = tuple(vault.ledger.version(name) for name in sorted(vault.policy.tables))
    return length, beyond, unanswered, versions


def question_key(payer: str | None, question: Question) -> Hashable:
    """What is the same for the same question of the same payer, and for no other."""
    price = question.epsilon, question.within, question.confidence, question.raw
    return payer, question.sql, parameter_key(price), parameter_key(question.params)


def parameter_key(params: Sequence[Any] | Mapping[str, Any] | None) -> Hashable:
    """What is the same for the same values of parameters: 1, 1.0 and TRUE are told apart.

    >>> parameter_key([1]) == parameter_key([1.0])
    False
    """
    if params is None:
        return None
    named = params.items() if isinstance(params, Mapping) else enumerate(params)
    return isinstance(params, Mapping), tuple(
        (name, type(each), repr(each)) for name, each in named
    )
