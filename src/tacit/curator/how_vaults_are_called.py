"""What is said to somebody who calls a vault as another library would be called: the call that was meant.

Checked by: tests/unit/curator/test_how_vaults_are_called.py
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NoReturn

from tacit.errors import InvalidInput, InvalidPlan
from tacit.plan import Frame, Plan

__all__ = ["check_named", "check_plan", "check_question", "check_sql", "refuse_item", "say_missing"]

_SQL = 'vault.sql("SELECT …", epsilon=0.3)'
_FRAME = "frame.ask(epsilon=0.3)"

_ELSEWHERE = {
    **dict.fromkeys(
        ("query", "execute", "run", "select", "read_sql", "sql_query", "exec", "fetch", "q"), _SQL
    ),
    **dict.fromkeys(("head", "sample", "preview"), "vault.mock().table(name), of made-up rows"),
    **dict.fromkeys(("cursor", "connect"), _SQL),
    **dict.fromkeys(("schema", "columns_of", "dtypes", "info"), "vault.describe()"),
    **dict.fromkeys(("remaining", "left", "spent", "limit", "epsilon"), "vault.budget"),
    **dict.fromkeys(("cost", "price", "dry_run"), 'vault.explain("SELECT …", epsilon=0.3)'),
    **dict.fromkeys(("history", "log", "answers"), "vault.ledger.entries()"),
}
"""What is called so in other libraries, and here."""


def check_named(called: str, given: tuple[Any, ...]) -> None:
    """Refuse arguments that have no name: a number could be an epsilon or an accuracy.

    >>> check_named("sql", ())
    >>> check_named("sql", (0.3,))
    Traceback (most recent call last):
    ...
    tacit.errors.InvalidInput: what follows the question in sql(…) cannot be 0.3; name it: epsilon=0.3
    """
    if given:
        is_number = isinstance(given[0], int | float) and not isinstance(given[0], bool)
        meant = f"epsilon={given[0]}" if is_number else "epsilon=0.3"
        raise InvalidInput(
            f"what follows the question in {called}(…)", given[0], f"name it: {meant}"
        )


def check_plan(given: object) -> None:
    """Refuse what is no plan, and say how texts and frames are asked."""
    if isinstance(given, str):
        raise InvalidInput("a plan", given, f"for SQL write {_SQL}")
    if isinstance(given, Frame):
        raise InvalidPlan("a frame is no plan", f"ask it: {_FRAME}")
    if not isinstance(given, Plan):
        raise InvalidPlan(f"{_name_of(given)} is no plan", f"for SQL write {_SQL}")


def check_sql(given: object) -> None:
    """Refuse what is no text."""
    if not isinstance(given, str):
        remedy = f"ask it: {_FRAME}" if isinstance(given, Frame) else f"write {_SQL}"
        raise InvalidPlan(f"{_name_of(given)} is no SQL", remedy)


def check_question(given: object) -> None:
    """Refuse what is neither SQL nor a frame."""
    if not isinstance(given, str | Frame):
        raise InvalidPlan(
            f"{_name_of(given)} is no question",
            'give SQL, or a frame: vault.table("visits").agg(n=tacit.count())',
        )


def say_missing(name: str, tables: Collection[str]) -> str:
    """What is said of an attribute that a vault has not.

    >>> print(say_missing("query", ()))
    a vault has no 'query': here it is vault.sql("SELECT …", epsilon=0.3)
    >>> print(say_missing("visits", ["visits"]))
    a vault has no 'visits': the table is vault.table("visits")
    """
    if name in tables:
        return f'a vault has no {name!r}: the table is vault.table("{name}")'
    meant = f": here it is {_ELSEWHERE[name]}" if name in _ELSEWHERE else ""
    return f"a vault has no {name!r}{meant}"


def refuse_item(given: object) -> NoReturn:
    """Refuse `vault[…]`."""
    name = given if isinstance(given, str) else "visits"
    raise InvalidPlan("a vault has nothing to take out with [...]", f'write vault.table("{name}")')


def _name_of(given: object) -> str:
    return "a frame" if isinstance(given, Frame) else f"something of type {type(given).__name__}"
