"""`tacit init`: a vault to begin with, from the schema of some files and from what a curator says.

Checked by: tests/unit/cli/test_init.py
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from tacit.cli.arguments import number
from tacit.cli.output import AsJson, say
from tacit.curator import columns_of, compare_limits, has_text_files, policy_text
from tacit.errors import InvalidInput

__all__ = ["init"]

T = TypeVar("T")

_USUAL = 100  # answers, where it is decided already whether there is a delta
_WHOLE = "write a whole number in digits, such as 50"
_TEXT = (
    "A cell of a text file that is not written as you declare its column counts as NULL. No answer says "
    "how many do; --rows does, for you alone."
)
_LATER = "?"  # what the policy says where a curator has yet to decide


def init(
    vault: Annotated[Path, typer.Argument(help="The directory to create.")],
    source: Annotated[
        list[str],
        typer.Option(
            help="A Parquet, CSV, JSON lines or DuckDB file, or a table as "
            "postgresql://host/database/schema.table; can be repeated."
        ),
    ],
    unit: Annotated[
        str | None,
        typer.Option(help='The column that identifies the unit, such as patient, or "row".'),
    ] = None,
    public: Annotated[
        list[str] | None,
        typer.Option(
            help="A file or table about nobody, to join with, such as codes; can be repeated."
        ),
    ] = None,
    contributions: Annotated[
        list[str] | None,
        typer.Option(
            help="How many rows of one unit count in full: 20 for every table, or visits=20; can be repeated.",
            metavar="COUNT",
        ),
    ] = None,
    epsilon: Annotated[
        str | None, typer.Option(help="The limit of all answers together.", metavar="NUMBER")
    ] = None,
    answers: Annotated[
        int | None, typer.Option(help="About how many answers you expect to give.")
    ] = None,
    delta: Annotated[
        str | None, typer.Option(help="0, or a small probability; else chosen by --answers.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Create a vault: a directory with a commented policy, from the schema of your files. No value gets into it.

    Of text files, which have no types, the first 50 lines are read: types and a format are proposed by their shape.

    It leaves what it cannot know (bounds, public values, who is protected) for you to fill in, and `tacit check` says
    what is missing. At a terminal it asks for the unit, contributions, the limit and the number of answers.
    """
    file = _check_new(vault)
    counts = _counts(contributions or [])
    options = {
        "--epsilon 3": epsilon is None,
        "--answers 50": answers is None and delta is None,
    }
    if missing := [option for option, is_missing in options.items() if is_missing]:
        tables = columns_of(source)  # a file that is not there is said first
        _check_terminal(missing)
        unit, counts = _ask_who(tables, unit, counts)
    limit = number(epsilon, "--epsilon") if epsilon is not None else _ask_limit()
    many = answers if answers is not None else _USUAL if delta is not None else _ask_answers()
    choice = compare_limits(limit, many)
    chosen = number(delta, "--delta") if delta is not None else choice.delta
    text = policy_text(
        source,
        folder=vault,
        public=public or (),
        unit=unit,
        contributions=counts,
        epsilon=limit,
        delta=chosen,
        answers=many,
    )
    _write_policy(file, text)
    why = choice.words(_same_count(counts))
    told = {"policy": str(file), "epsilon": str(limit), "delta": str(chosen), "why": why}
    rules = [line for line in text.splitlines() if not line.startswith("#")]
    is_open = any('"?"' in line for line in rules)
    first = 'Replace every "?" in it' if is_open else "Declare bounds and public values in it"
    then = f"{first}, then run: tacit check {shlex.quote(str(vault))}"
    if has_text_files(source):
        then = f"{_TEXT}\n{then} --rows"
    say(f"{why}\n\nWritten: {file}\n{then}", told, as_json=as_json)


def _check_terminal(missing: list[str]) -> None:
    """Refuse that options are missing where nobody can be asked for them."""
    if not sys.stdin.isatty():
        names = [option.split()[0] for option in missing]
        what = names[0] if len(names) == 1 else f"one of the options {' and '.join(names)}"
        raise InvalidInput(
            what, None, f"this is not an interactive terminal, so give {' '.join(missing)}"
        )


def _write_policy(file: Path, text: str) -> None:
    """Make the directory of a vault, with its policy."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        why = (
            f"it cannot be created ({str(error.strerror).lower()}); name a directory where you may "
            "write"
        )
        raise InvalidInput("vault", str(file.parent), why) from None


def _check_new(vault: Path) -> Path:
    """The file that the policy will be written to; refuse a vault that is there already."""
    file = vault / "tacit.toml"
    if file.exists():
        raise InvalidInput(
            "vault", str(vault), "it has a tacit.toml already; name another directory"
        )
    if vault.exists() and not vault.is_dir():
        raise InvalidInput(
            "vault",
            str(vault),
            "it is a file; name a directory to create, and your files with --source",
        )
    return file


def _counts(options: list[str]) -> int | Mapping[str, int] | None:
    """How many rows of one unit count in full, for all tables or for each."""
    if not options:
        return None
    if len(options) == 1 and "=" not in options[0]:
        return _whole(options[0], "--contributions")
    found = {}
    for option in options:
        table, _, count = option.rpartition("=")
        if not table:
            remedy = (
                "give it once for all tables, or for each table, as in --contributions visits=20"
            )
            raise InvalidInput("--contributions", option, remedy)
        found[table] = _whole(count, "--contributions")
    return found


def _same_count(counts: int | Mapping[str, int] | None) -> int | None:
    """How many rows of one unit count in every table, if that is the same number."""
    numbers = set(counts.values()) if isinstance(counts, Mapping) else {counts}
    return numbers.pop() if len(numbers) == 1 else None


def _ask_who(
    tables: Mapping[str, Iterable[str]],
    unit: str | None,
    counts: int | Mapping[str, int] | None,
) -> tuple[str | None, int | Mapping[str, int] | None]:
    """Who is protected, and how many of their rows count, by whoever sits at the terminal; both may wait."""
    if unit is None:
        names = dict.fromkeys(name for columns in tables.values() for name in columns)
        text = f'The column that identifies who is protected ({", ".join(names)}), or "row"'
        unit = _ask(text, _LATER)
    if unit == _LATER:
        return None, counts
    if counts is None and unit != "row":
        said = {
            table: _ask_until(
                f"How many rows of one {unit} count in full in {table}",
                _LATER,
                lambda text: None if text == _LATER else _whole(text, "--contributions"),
            )
            for table in tables
        }
        counts = {table: count for table, count in said.items() if count is not None}
    return unit, counts


def _ask_limit() -> Fraction:
    text = "The limit of all answers together (epsilon)"
    return _ask_until(text, "3", lambda answer: _above_zero(number(answer, "--epsilon")))


def _ask_answers() -> int:
    text = "About how many answers do you expect to give"
    return _ask_until(text, "50", lambda answer: _whole(answer, "--answers"))


def _above_zero(limit: Fraction) -> Fraction:
    if limit <= 0:
        raise InvalidInput("--epsilon", limit, "give a number above zero")
    return limit


def _ask_until(text: str, usual: str, read: Callable[[str], T]) -> T:
    """What somebody at the terminal answers; what cannot be read is said, and asked again."""
    while True:
        try:
            return read(_ask(text, usual))
        except InvalidInput as refusal:
            typer.echo(str(refusal), err=True)


def _whole(text: str, option: str) -> int:
    many: Fraction = number(text, option, _WHOLE)
    if many.denominator != 1:
        raise InvalidInput(option, text, _WHOLE)
    return many.numerator


def _ask(text: str, usual: str) -> str:
    answer: str = typer.prompt(text, default=usual)
    return answer
