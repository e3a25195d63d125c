"""A policy to begin with: written from the names and types of columns, with what only a curator knows left open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from tacit.curator.accuracy_with_and_without_delta import compare_limits
from tacit.curator.guess_references import suggest_path, suggest_references
from tacit.curator.policy.policy import Limit
from tacit.curator.policy.toml_sections import BLANK, suggest
from tacit.curator.tables_in_files import FileTable, find_tables
from tacit.curator.write_toml import (
    as_printed,
    write_comment,
    write_key,
    write_text,
    write_value,
    write_words,
)
from tacit.engines import Seeming
from tacit.errors import InvalidInput
from tacit.exact import Number, count_of
from tacit.plan import Kind
from tacit.printing import printable
from tacit.privacy import Neighbours

__all__ = ["columns_of", "policy_text"]
_LONGEST_TYPE = 40


def policy_text(
    sources: Iterable[str | Path],
    *,
    public: Iterable[str | Path] = (),
    unit: str | None = None,
    contributions: int | Mapping[str, int] | None = None,
    epsilon: Number | None = None,
    delta: Number | None = None,
    neighbours: Neighbours | str = Neighbours.ADD_OR_REMOVE,
    folder: str | Path | None = None,
    answers: int = 100,
) -> str:
    """The text of a policy for some files; what is not given, and every bound, is left to be filled in.

    `public` are files about nobody, to join with.  `folder` is where the policy will be: paths are written as seen
    from there.  `contributions` is the same for all tables, or given by their names.  `answers` is about how many are
    expected; a comment says how accurate so many can be.

    Claim:      the text is the same for all files with the same names and types of columns; of text files, also with
                first lines of the same shape.
    Because:    the files are asked for `stored_kinds` and `stored_types`, which read headers and schemas, and for
                `guess_format` and `guess_kinds`, of which fixed words come out; the latter only into comments.
    Checked by: tests/unit/curator/test_starter_policy.py::test_the_text_depends_on_names_and_types_alone
    """
    limit = Limit(
        1 if epsilon is None else as_printed(epsilon),
        0 if delta is None else as_printed(delta),
        neighbours,
    )
    limit.filter()
    where = None if folder is None else Path(folder)
    tables, beside = find_tables(sources, where), list(public)
    most = _of_each(contributions, [table.name for table in tables])
    open_tables = find_tables(beside, where, {table.name for table in tables}) if beside else []
    if unit is not None and unit != "row" and not any(unit in table.kinds for table in tables):
        names = sorted({name for table in tables for name in table.kinds})
        raise InvalidInput(
            "unit", unit, f"{suggest(unit, names)}the columns are: {', '.join(names)}"
        )
    parts = [_HEAD, _limit(epsilon, delta, limit.neighbours, answers)]
    for table in tables:
        parts += [
            _describe_table(table, tables, unit, most.get(table.name)),
            _columns(table, tables, unit),
        ]
    parts += [_describe_public(table) for table in open_tables]
    return "\n".join([*parts, _TAIL])


def columns_of(sources: Iterable[str | Path]) -> dict[str, tuple[str, ...]]:
    """The columns of the tables in some files, by the tables' names; no row is read but a text file's first lines."""
    return {table.name: tuple(table.kinds) for table in find_tables(sources, None)}


def _of_each(contributions: int | Mapping[str, int] | None, tables: list[str]) -> dict[str, int]:
    """How many rows of one unit count in full, by table; what nobody said is missing."""
    if contributions is None:
        return {}
    if not isinstance(contributions, Mapping):
        contributions = dict.fromkeys(tables, contributions)
    for name, most in contributions.items():
        if name not in tables:
            remedy = f"{suggest(name, tables)}the tables are: {', '.join(tables)}"
            raise InvalidInput("contributions", name, remedy)
        count_of(most, "contributions", least=1)
    return dict(contributions)


_HEAD = (
    "# The policy of a vault: what may be asked, and how much all answers together may reveal "
    "about one unit.\n"
    "# It was written from the names and types of the columns, and for text files from the "
    "shape of\n# their first 50 lines; it contains no value.\n"
    '# Replace every "?", declare bounds and public values, then run: tacit check\n'
)

_TAIL = (
    "# Analysts may have limits of their own, within the common limit:\n"
    "# [analysts.alice]\n"
    "# epsilon = 1\n"
)


def _limit(
    epsilon: Number | None, delta: Number | None, neighbours: Neighbours, answers: int
) -> str:
    lines = ["[limit]"]
    lines += write_comment(
        "epsilon: how much all answers together may reveal about one unit. Any conclusion "
        "drawn from them is at most e^epsilon times as likely with a unit's rows as without: "
        "2.7 times at 1, 20 times at 3, 22,000 times at 10."
    )
    lines.append(f"epsilon = {write_value(epsilon)}")
    lines += write_comment(
        "delta: 0 is pure differential privacy: Laplace noise, and prices add up. A small "
        "probability, far below one over the number of units, is zCDP: Gaussian noise, and "
        "many small prices add up to less."
    )
    if epsilon is not None:
        lines += write_comment(str(compare_limits(epsilon, answers, neighbours=neighbours)))
    lines.append(f"delta = {write_value(delta)}")
    lines += write_comment(
        'neighbours: "add-or-remove" also hides whether a unit is in the data at all; '
        '"replace" treats the number of units as public. After the first question this, the '
        "unit, and whether delta is 0 cannot change."
    )
    lines.append(f'neighbours = "{neighbours.value}"')
    lines += write_comment(
        "unit: what the units are called, if the tables have different columns for them."
    )
    lines.append('# unit = "patient"')
    lines += write_comment(
        'replay: who may repeat an earlier question for free: the "analyst" who paid for '
        'it, or "everyone".'
    )
    lines.append('# replay = "analyst"')
    return "\n".join([*lines, ""])


def _describe_table(
    table: FileTable, tables: list[FileTable], unit: str | None, contributions: int | None
) -> str:
    lines = [f"[tables.{write_key(table.name)}]", f"source = {write_text(table.path)}"]
    if table.inside is not None:
        lines.append(f"table = {write_text(table.inside)}")
    if table.form is not None:
        lines += _format(table.form)
    if table is tables[0]:
        lines += write_comment(
            "unit: the column that identifies a unit, such as a patient; all rows of a unit "
            'are protected together. "row" protects single rows. A path such as '
            '"visit_id.patient_id" follows foreign keys to the unit of another table.'
        )
    here = unit is not None and (unit == "row" or unit in table.kinds)
    if unit is not None and not here:
        lines += suggest_path(unit, table, tables)
    else:
        lines += suggest_references(table, tables)
    lines.append(f"unit = {write_text(unit) if here and unit is not None else write_text(BLANK)}")
    if unit == "row":
        return "\n".join([*lines, ""])
    if table is tables[0]:
        lines += write_comment(
            "contributions: how many rows of one unit count in full; the rows of a unit with "
            "more are scaled down together. Noise grows with it."
        )
    lines.append(f"contributions = {write_text(BLANK) if contributions is None else contributions}")
    if table is tables[0]:
        lines += write_comment(
            "keys: how many keys of one unit count if their values are not declared; by "
            "default as many as contributions. With fewer, smaller groups become visible."
        )
        lines.append("# keys = 5")
    return "\n".join([*lines, ""])


def _describe_public(table: FileTable) -> str:
    """A table about nobody: what is not declared of it is read from its rows, when the vault is opened."""
    lines = [
        f"[tables.{write_key(table.name)}]",
        f"source = {write_text(table.path)}",
        "public = true",
    ]
    if table.inside is not None:
        lines.insert(2, f"table = {write_text(table.inside)}")
    if table.form:
        lines += _format(table.form)
    lines += write_comment(
        "A table about nobody. The values and ends of its columns, and which of them contain no value twice, are "
        "read from its rows unless they are declared; once its rows change, questions about it are paid for again."
    )
    for name, kinds in table.kinds.items():
        if not kinds:
            lines += write_comment(_why_unusable(name, table))
    return "\n".join([*lines, ""])


def _format(form: Mapping[str, str | list[str]]) -> list[str]:
    """How a text file is written, as far as its first lines show it, and what else may be declared."""
    lines = write_comment(
        'format: how the file differs from 1.5, 2025-01-31, true or yes: decimal = ",", '
        'thousands = ".", dates = "%d/%m/%Y", encoding = "latin-1", nulls = ["NA"], true = ["ja"], '
        'false = ["nein"]. Cells that cannot be read are NULL.'
    )
    written = ", ".join(f"{name} = {write_words(value)}" for name, value in form.items())
    return [
        *lines,
        f"format = {{ {written} }}" if form else '# format = { separator = ";", decimal = "," }',
    ]


def _columns(table: FileTable, tables: list[FileTable], unit: str | None) -> str:
    lines = [f"[tables.{write_key(table.name)}.columns]"]
    if table is tables[0]:
        lines += write_comment(
            "The columns that may be used. Sums and means need low and high, grouping needs "
            "values: write what is possible, never what occurs in the data. Values outside "
            "the bounds are clipped; rows with an undeclared value are left out."
        )
    if table.is_untyped:
        lines += write_comment(
            "The file has no types: each column is text, for grouping with values = […], "
            'until you write another type: "integer", "number", "date", "timestamp" '
            'or "boolean", with low = …, high = … where it has bounds. Where the first 50 lines look like another '
            "type, the end of the line says so: check it."
        )
    listed = {name: kinds for name, kinds in table.kinds.items() if name != unit}
    width = max((len(write_key(name)) for name in listed), default=0)
    for name, kinds in listed.items():
        if not kinds:
            lines += write_comment(_why_unusable(name, table))
            continue
        declared, hint = _seeming(table.likely.get(name)) if table.is_untyped else _guess(kinds)
        if name != name.strip():
            hint += f"{'; ' if hint else ''}there are blanks around this name in the file"
        lines.append(
            f"{write_key(name):{width}} = {{ {declared} }}" + (f"  # {hint}" if hint else "")
        )
    return "\n".join([*lines, ""])


def _why_unusable(name: str, table: FileTable) -> str:
    """Why nothing can be asked about a column, and what to do about it."""
    stored = table.types.get(name, "something else")
    shown = stored if len(stored) <= _LONGEST_TYPE else f"{stored[:_LONGEST_TYPE]}…"
    return (
        f"{write_key(name)}: left out, since it is stored as {printable(shown)}; to ask about it, store it as a "
        "number, a text, a truth value, a date or a timestamp"
    )


def _seeming(likely: Seeming | None) -> tuple[str, str]:
    """A column of a text file is text until a curator says otherwise; what it looks like is a comment."""
    if likely is None:
        return 'type = "text"', ""
    declared, hint = _guess((likely.kind,))
    doubt = f", {likely.doubt}" if likely.doubt else ""
    return 'type = "text"', f"looks like: {{ {declared}{', ' if hint else ''}{hint} }}{doubt}"


def _guess(kinds: tuple[Kind, ...]) -> tuple[str, str]:
    """What the stored type says about a column, and what is left to be said."""
    match kinds[0]:
        case Kind.BOOLEAN:
            return 'type = "boolean", values = [true, false]', ""
        case Kind.TEXT:
            return 'type = "text"', "values = […]"
        case first:
            return f'type = "{first.value}"', "low = …, high = …"
