"""Questions as they are sent, and the jobs they become."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from tacit.curator import Release, View, parameter_fields
from tacit.exact import Number
from tacit.frozen import frozen
from tacit.server.passwords import new_secret
from tacit.server.slots import Slot

__all__ = ["Job", "Jobs", "Question"]

_KEPT = 1_000
_EACH = 32  # of one person


@frozen
class Question:
    """What somebody asks: a text, the values of its parameters, and a price or an accuracy."""

    sql: str
    epsilon: Number | None = None
    within: Number | None = None
    confidence: float = 0.95
    raw: bool = False
    params: Sequence[Any] | Mapping[str, Any] | None = None

    def terms(self) -> dict[str, Any]:
        """All but the text, as a vault takes it."""
        return {
            "epsilon": self.epsilon,
            "within": self.within,
            "confidence": self.confidence,
            "raw": self.raw,
            "params": self.params,
        }

    def body(self) -> dict[str, Any]:
        """The question as JSON can hold it: the same for the same question."""
        price = {name: None if value is None else str(value) for name, value in self._price()}
        bound = {} if self.params is None else {"params": parameter_fields(self.params)}
        return {"sql": self.sql, **price, "confidence": self.confidence, "raw": self.raw, **bound}

    def _price(self) -> list[tuple[str, Number | None]]:
        return [("epsilon", self.epsilon), ("within", self.within)]


class Job:
    """A question that is being asked, or was: it has an owner, and ends when its slot does."""

    def __init__(
        self, owner: str, slot: Slot | None = None, hidden: str = "", day: str = ""
    ) -> None:
        self.id = new_secret()[:22]
        self.owner = owner
        self.slot = slot
        self.hidden = hidden  # the name under which free reads are told that its slot runs
        self.day = day  # from whose allowance its share was taken
        self.keys: list[str] = []  # the idempotency keys under which it was asked
        self.written: dict[int, bool] = {}  # entries of the ledger, and whether they are answered
        self.view: View | None = None  # what was shown when its slot was reserved
        self._ended = asyncio.Event()
        self._release: Release | None = None
        self._error: Exception | None = None

    @property
    def is_done(self) -> bool:
        """Whether its slot has ended."""
        return self._ended.is_set()

    def end(self, result: Release | Exception) -> None:
        """Say what came of it."""
        if isinstance(result, Exception):
            self._error = result
        else:
            self._release = result
        self._ended.set()

    async def result(self) -> Release:
        """The answer, once the slot has ended; whoever stops waiting changes nothing."""
        await self._ended.wait()
        return self.outcome()

    def outcome(self) -> Release:
        """The answer of a job that is done, or the refusal that it ended in."""
        if self._error is not None:
            raise self._error
        assert self._release is not None, "a job ends in an answer or a refusal"
        return self._release


class Jobs:
    """The jobs that are known: those that run, and the last that are done."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}

    def get(self, id: str) -> Job | None:  # noqa: A002 -- as it is called
        """A job by its name."""
        return self._jobs.get(id)

    def keep(self, job: Job) -> None:
        """Remember a job, and forget the oldest that are done."""
        self._jobs[job.id] = job
        self._forget([each for each in self._done() if each.owner == job.owner], _EACH)
        if len(self._jobs) > _KEPT:
            self._forget(self._done(), _KEPT)

    def _done(self) -> list[Job]:
        return [each for each in self._jobs.values() if each.is_done]

    def _forget(self, done: list[Job], most: int) -> None:
        for job in done[: max(0, len(done) - most)]:
            del self._jobs[job.id]
