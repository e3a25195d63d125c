"""What SQL's commands do in a session: settings, transactions, prepared statements, cursors, EXPLAIN, COPY.

None of them asks anything but EXECUTE, FETCH and COPY, and these as the session itself does.

Checked by: tests/unit/server/wire/test_conversation.py, tests/unit/server/wire/test_sequences.py
"""

# ruff: noqa: ARG001 -- a command need not look at everything that it is given

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tacit.printing import json_text
from tacit.server.wire.cursors import Outcome, Portal
from tacit.server.wire.lexer import Statement
from tacit.server.wire.problems import Problem
from tacit.server.wire.read_commands import question_within
from tacit.server.wire.read_cursor_commands import read_declare, read_fetch
from tacit.server.wire.read_explain_and_copy import read_copy, read_explain
from tacit.server.wire.read_prepare_and_execute import read_execute, read_prepare
from tacit.server.wire.read_set_and_show import read_set, read_show
from tacit.server.wire.read_values import read_value
from tacit.server.wire.statement_kinds import is_question, refuse_write
from tacit.server.wire.syntax_of_commands import read_name, syntax_problem
from tacit.server.wire.value_types import JSON, TEXT, Field

if TYPE_CHECKING:
    from tacit.server.wire.session import Session

__all__ = ["COMMANDS", "describe_show"]

_STORED = "these rows come from the stored answer; reading them again is free"


async def _set(session: Session, statement: Statement, *_: Any) -> Outcome:
    wanted = read_set(statement)
    if wanted.name is None:
        return Outcome("SET")
    if wanted.value is None:
        session.settings.reset(wanted.name)
    else:
        session.settings.set(
            wanted.name, wanted.value, local=wanted.local and session.transaction.is_open
        )
    return Outcome("SET")


async def _reset(session: Session, statement: Statement, *_: Any) -> Outcome:
    if statement.word(1) == "all":
        session.settings.reset_all()
    else:
        session.settings.reset(read_show(statement))
    return Outcome("RESET")


async def _show(
    session: Session, statement: Statement, values: Sequence[Any], types: Sequence[int], *_: Any
) -> Outcome:
    if statement.word(1) == "tables":
        return await session.asking.answer(statement, values, types)
    if statement.word(1) == "all":
        listed = session.settings.items()
        rows = [(name, listed[name], "") for name in listed if name != "tacit.backend_pid"]
        names = ("name", "setting", "description")
        return Outcome("SHOW", tuple(Field(name, TEXT) for name in names), rows)
    name = read_show(statement)
    if name == "tacit.budget":
        told = str(await session.asking.budget())
        return Outcome("SHOW", (Field(name, TEXT),), [(told,)])
    return Outcome("SHOW", (Field(name, TEXT),), [(session.settings[name],)])


async def describe_show(
    session: Session, statement: Statement, types: Sequence[int]
) -> tuple[Field, ...] | None:
    """The columns of what SHOW shows."""
    if statement.word(1) == "tables":
        return await session.asking.columns(statement, types, ())
    if statement.word(1) == "all":
        return tuple(Field(name, TEXT) for name in ("name", "setting", "description"))
    return (Field(read_show(statement), TEXT),)


async def _discard(session: Session, statement: Statement, *_: Any) -> Outcome:
    what = statement.word(1)
    if what == "all":
        if session.transaction.is_open:
            raise Problem("25001", "DISCARD ALL cannot run inside a transaction block")
        session.settings.reset_all()
        session.portals, session.statements = {}, {}
    elif what not in {"plans", "sequences", "temp", "temporary"}:
        raise syntax_problem(statement, 1)
    return Outcome(f"DISCARD {what.upper()}")


async def _begin(session: Session, *_: Any) -> Outcome:
    warned = session.transaction.begin()
    notices = (("there is already a transaction in progress", None),) if warned else ()
    return Outcome("BEGIN", notices=notices)


async def _commit(session: Session, *_: Any) -> Outcome:
    failed = session.transaction.status == "E"
    session.transaction.end(kept=not failed)
    session.end_portals()
    return Outcome("ROLLBACK" if failed else "COMMIT")


async def _rollback(session: Session, statement: Statement, *_: Any) -> Outcome:
    words = [token.value for token in statement.tokens]
    if "to" in words[1:]:
        at = words.index("to", 1) + 1
        at += words[at : at + 1] == ["savepoint"] and len(words) > at + 1
        session.transaction.roll_back_to(read_name(statement, at))
        return Outcome("ROLLBACK")
    session.transaction.end(kept=False)
    session.end_portals()
    return Outcome("ROLLBACK")


async def _savepoint(session: Session, statement: Statement, *_: Any) -> Outcome:
    session.transaction.save(read_name(statement, 1))
    return Outcome("SAVEPOINT")


async def _release(session: Session, statement: Statement, *_: Any) -> Outcome:
    more = statement.word(1) == "savepoint" and len(statement.tokens) > 2
    session.transaction.release(read_name(statement, 2 if more else 1))
    return Outcome("RELEASE")


async def _prepare(session: Session, statement: Statement, *_: Any) -> Outcome:
    wanted = read_prepare(statement)
    await session.prepare(wanted.name, wanted.statement, wanted.types)
    return Outcome("PREPARE")


async def _execute(
    session: Session,
    statement: Statement,
    values: Sequence[Any],
    types: Sequence[int],
    level: int,
) -> Outcome:
    wanted = read_execute(statement)
    prepared = session.statement(wanted.name)
    if prepared.statement is None:
        return Outcome("EXECUTE")
    if len(wanted.values) != len(prepared.types):
        said = f'wrong number of parameters for prepared statement "{wanted.name[:64]}"'
        raise Problem("42601", said)
    bound = tuple(
        read_value(None if value is None else value.encode(), 0, oid)
        for value, oid in zip(wanted.values, prepared.types, strict=True)
    )
    asked = prepared.statement.with_comments(statement.comments)
    return await session.run(asked, bound, prepared.types, level + 1)


async def _deallocate(session: Session, statement: Statement, *_: Any) -> Outcome:
    place = 2 if statement.word(1) == "prepare" and len(statement.tokens) > 2 else 1
    if statement.word(place) == "all":
        session.statements = {}
        return Outcome("DEALLOCATE ALL")
    name = read_name(statement, place)
    session.statement(name)
    del session.statements[name]
    return Outcome("DEALLOCATE")


async def _declare(
    session: Session, statement: Statement, values: Sequence[Any], types: Sequence[int], *_: Any
) -> Outcome:
    wanted = read_declare(statement)
    if not wanted.hold and not session.transaction.is_open:
        raise Problem("25P01", "DECLARE CURSOR can only be used in transaction blocks")
    if wanted.name in session.portals:
        raise Problem("42P03", f'cursor "{wanted.name[:64]}" already exists')
    portal = Portal(wanted.question, tuple(values), tuple(types), is_cursor=True, hold=wanted.hold)
    await session.describe_portal(portal)
    session.open(wanted.name, portal)
    return Outcome("DECLARE CURSOR")


async def _fetch(session: Session, statement: Statement, *_: Any) -> Outcome:
    wanted = read_fetch(statement)
    portal = session.cursor(wanted.name)
    if portal.statement is not None and portal.outcome is None:
        portal.statement = portal.statement.with_comments(statement.comments)
    outcome = await session.run_portal(portal)
    assert outcome is not None, "a cursor has a question"
    notices = outcome.notices
    if portal.is_told:
        notices = ((_STORED, None),) if notices and portal.place == 0 else ()
    portal.is_told = True
    rows = portal.fetch(wanted)
    if statement.word(0) == "move":
        return Outcome(f"MOVE {len(rows)}", notices=notices)
    return Outcome(f"FETCH {len(rows)}", outcome.fields, rows, notices)


async def _close(session: Session, statement: Statement, *_: Any) -> Outcome:
    if statement.word(1) == "all":
        session.portals = {
            name: each for name, each in session.portals.items() if not each.is_cursor
        }
        return Outcome("CLOSE CURSOR ALL")
    name = read_name(statement, 1)
    session.cursor(name)
    del session.portals[name]
    return Outcome("CLOSE CURSOR")


async def _explain(
    session: Session, statement: Statement, values: Sequence[Any], types: Sequence[int], *_: Any
) -> Outcome:
    wanted = read_explain(statement)
    inner = question_within(wanted.question)
    if inner is None:
        refuse_write(wanted.question)
        raise syntax_problem(wanted.question)
    field = Field("QUERY PLAN", JSON if wanted.form == "json" else TEXT)
    lines, told = await session.asking.explain(inner, values)
    if wanted.form == "json":
        lines = [json_text([{"Plan": told}])]
    return Outcome("EXPLAIN", (field,), [(line,) for line in lines])


async def _copy(
    session: Session,
    statement: Statement,
    values: Sequence[Any],
    types: Sequence[int],
    level: int,
) -> Outcome:
    wanted = read_copy(statement)
    if not is_question(wanted.question) and not wanted.question.text.startswith("SELECT"):
        raise syntax_problem(wanted.question)
    answer = await session.asking.answer(wanted.question, values, types)
    return Outcome(f"COPY {len(answer.rows)}", answer.fields, answer.rows, answer.notices, wanted)


async def _nothing(session: Session, statement: Statement, *_: Any) -> Outcome:
    return Outcome(statement.word(0).upper())


COMMANDS: Mapping[str, Callable[..., Coroutine[Any, Any, Outcome]]] = {
    "set": _set,
    "reset": _reset,
    "show": _show,
    "discard": _discard,
    **dict.fromkeys(("begin", "start"), _begin),
    **dict.fromkeys(("commit", "end"), _commit),
    **dict.fromkeys(("rollback", "abort"), _rollback),
    "savepoint": _savepoint,
    "release": _release,
    "prepare": _prepare,
    "execute": _execute,
    "deallocate": _deallocate,
    "declare": _declare,
    **dict.fromkeys(("fetch", "move"), _fetch),
    "close": _close,
    "explain": _explain,
    "copy": _copy,
    **dict.fromkeys(("listen", "unlisten"), _nothing),
}
"""What is done by its first word; each takes the session, the statement, its values and types, and how deep it is."""
