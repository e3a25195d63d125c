"""A policy to begin with: written from the names and types of columns, with what only a curator knows left open."""

import json
import os
import re
from collections.abc import Collection, Iterable, Mapping
from decimal import Context, Decimal, Inexact
from fractions import Fraction
from pathlib import Path
from textwrap import fill

from tacit.accounting import Charge
from tacit.curator.policy.policy import Limit, Shared
from tacit.curator.policy.toml_sections import BLANK, suggest
from tacit.curator.pricing.noise_of_measures import terms_of
from tacit.engines import (
    Separated,
    Source,
    Stored,
    guess_format,
    guess_kinds,
    is_address,
    source_of,
    stored_kinds,
    stored_types,
    table_name,
    tables_inside,
    with_format,
)
from tacit.errors import InvalidInput
from tacit.exact import Number, count_of
from tacit.frozen import frozen
from tacit.plan import Counted, Kind, Question, Scan, Table
from tacit.printing import printable
from tacit.privacy import Neighbours

__all__ = ["SMALL_DELTA", "Comparison", "columns_of", "compare_limits", "policy_text"]

SMALL_DELTA = Fraction(1, 10**6)
"""The delta that is proposed where one pays: a chance of one in a million."""

_CONFIDENCE = 0.95
_MOST_ANSWERS = 10**6
_LONGEST_TYPE = 40
_KEY = re.compile(r"[A-Za-z0-9_-]+")


@frozen
class Comparison:
    """The ± of each of some answers of equal price, for every row that a unit may have, without a delta and with one.

    From `turning` answers on, a delta gives less noise.
    """

    epsilon: Fraction
    answers: int
    pure: float
    concentrated: float
    small: Fraction
    turning: int

    @property
    def delta(self) -> Fraction:
        """The delta that gives these answers less noise: 0, or the small one."""
        return Fraction(0) if self.answers < self.turning else self.small

    def __str__(self) -> str:
        small = _write_number(self.small)
        return (
            f"With epsilon = {_write_number(self.epsilon)} and {self.answers} answers of equal "
            f"price, each count is within ±{self.pure:.3g} with delta = 0 (pure differential "
            f"privacy) and within ±{self.concentrated:.3g} with delta = {small} (zCDP), 95 "
            "times in 100, if a unit has one row; with contributions = k it is k times that. "
            f"Below {self.turning} answers delta = 0 gives less noise, from {self.turning} on "
            f"delta = {small} does."
        )


def compare_limits(
    epsilon: Number,
    answers: int,
    *,
    delta: Number = SMALL_DELTA,
    neighbours: Neighbours | str = Neighbours.ADD_OR_REMOVE,
) -> Comparison:
    """How accurate so many answers can be, with delta = 0 and with a small one; computed from the ledger's own rules.

    >>> compare_limits(3, 4).delta, compare_limits(3, 100).delta
    (Fraction(0, 1), Fraction(1, 1000000))
    """
    many = count_of(answers, "answers", least=1, most=_MOST_ANSWERS)
    pure, concentrated = (
        Limit(_exact(epsilon), 0, neighbours),
        Limit(_exact(epsilon), _exact(delta), neighbours),
    )
    if not concentrated.delta:
        raise InvalidInput(
            "delta", delta, "compare with a small probability above zero, such as 1e-6"
        )
    # the first number of answers at which a delta pays lies above low, and at high or below
    low, high = 0, 1
    while high < _MOST_ANSWERS and _reach(pure, high) <= _reach(concentrated, high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (
            (middle, high)
            if _reach(pure, middle) <= _reach(concentrated, middle)
            else (low, middle)
        )
    return Comparison(
        pure.epsilon,
        many,
        float(_reach(pure, many)),
        float(_reach(concentrated, many)),
        concentrated.delta,
        high,
    )


def _reach(limit: Limit, answers: int) -> Fraction:
    """The ± of a count when so many answers share a limit equally and a unit has one row."""
    rule, table = limit.filter(), Table("rows", (), unit="unit")
    price = rule.amount(Charge(rule.limit.amount // answers))
    return terms_of(Question(Scan(table), (), (Counted(),)), Shared(table, 1), limit, price).reach(
        0, _CONFIDENCE
    )


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
        1 if epsilon is None else _exact(epsilon), 0 if delta is None else _exact(delta), neighbours
    )
    limit.filter()
    where = None if folder is None else Path(folder)
    tables, beside = _tables(sources, where), list(public)
    most = _of_each(contributions, [table.name for table in tables])
    open_tables = _tables(beside, where, {table.name for table in tables}) if beside else []
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
    return {table.name: tuple(table.kinds) for table in _tables(sources, None)}


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


@frozen
class _Table:
    name: str
    path: str
    inside: str | None
    kinds: Mapping[str, tuple[Kind, ...]]
    form: Mapping[str, str] | None  # how it is written, if it is a text file
    types: Mapping[str, str]  # as what columns are stored, in the words of the source
    likely: Mapping[
        str, Kind
    ]  # as what the first cells of a text file's columns seem to be written

    @property
    def is_untyped(self) -> bool:
        """Whether its source says nothing about the types of its columns."""
        return self.form is not None or (bool(self.kinds) and not self.types)


def _tables(
    sources: Iterable[str | Path], folder: Path | None, taken: Collection[str] = ()
) -> list[_Table]:
    found: dict[str, _Table] = {}
    for given in sources:
        path: str | Path = str(given) if is_address(str(given)) else Path(given)
        seen = _as_seen_from(path, folder)
        inside = tables_inside(path)
        for name in [table_name(path)] if inside is None else inside:
            if name in found or name in taken:
                raise InvalidInput(
                    "sources", name, "two tables have this name; rename one of the files"
                )
            source: Source = source_of(path) if inside is None else Stored(_source_path(path), name)
            form = (
                guess_format(source.path, source.dialect) if isinstance(source, Separated) else None
            )
            if form:
                source = with_format(source, form)
            found[name] = _Table(
                name,
                seen,
                None if inside is None else name,
                stored_kinds(source),
                form,
                stored_types(source),
                guess_kinds(source.path, source.dialect) if isinstance(source, Separated) else {},
            )
    if not found:
        raise InvalidInput(
            "sources",
            [],
            "name at least one Parquet, CSV, JSON lines or DuckDB file with a table in it, or a table "
            "in PostgreSQL or on a Spark cluster",
        )
    return list(found.values())


def _as_seen_from(path: str | Path, folder: Path | None) -> str:
    """A path as it is written into a policy in a folder; an address as it is."""
    if isinstance(path, str):
        return path
    if folder is None:
        return path.as_posix()
    return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()


def _source_path(path: str | Path) -> Path:
    source = source_of(path)
    assert isinstance(source, Stored), "only DuckDB files contain several tables"
    return source.path


_HEAD = (
    "# The policy of a vault: what may be asked, and how much all answers together may reveal "
    "about one unit.\n"
    "# It was written from the names and types of the columns, and for text files from the "
    "shape of\n# their first lines; it contains no value.\n"
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
    lines += _comment(
        "epsilon: how much all answers together may reveal about one unit. Any conclusion "
        "drawn from them is at most e^epsilon times as likely with a unit's rows as without: "
        "2.7 times at 1, 20 times at 3, 22,000 times at 10."
    )
    lines.append(f"epsilon = {_value(epsilon)}")
    lines += _comment(
        "delta: 0 is pure differential privacy: Laplace noise, and prices add up. A small "
        "probability, far below one over the number of units, is zCDP: Gaussian noise, and "
        "many small prices add up to less."
    )
    if epsilon is not None:
        lines += _comment(str(compare_limits(epsilon, answers, neighbours=neighbours)))
    lines.append(f"delta = {_value(delta)}")
    lines += _comment(
        'neighbours: "add-or-remove" also hides whether a unit is in the data at all; '
        '"replace" treats the number of units as public. After the first question this, the '
        "unit, and whether delta is 0 cannot change."
    )
    lines.append(f'neighbours = "{neighbours.value}"')
    lines += _comment(
        "unit: what the units are called, if the tables have different columns for them."
    )
    lines.append('# unit = "patient"')
    lines += _comment(
        'replay: who may repeat an earlier question for free: the "analyst" who paid for '
        'it, or "everyone".'
    )
    lines.append('# replay = "analyst"')
    return "\n".join([*lines, ""])


def _describe_table(
    table: _Table, tables: list[_Table], unit: str | None, contributions: int | None
) -> str:
    lines = [f"[tables.{_key(table.name)}]", f"source = {_text(table.path)}"]
    if table.inside is not None:
        lines.append(f"table = {_text(table.inside)}")
    if table.form is not None:
        lines += _format(table.form)
    if table is tables[0]:
        lines += _comment(
            "unit: the column that identifies a unit, such as a patient; all rows of a unit "
            'are protected together. "row" protects single rows. A path such as '
            '"visit_id.patient_id" follows foreign keys to the unit of another table.'
        )
    here = unit is not None and (unit == "row" or unit in table.kinds)
    if unit is not None and not here:
        lines += _path_to(unit, table, tables)
    else:
        lines += _likely_references(table, tables)
    lines.append(f"unit = {_text(unit) if here and unit is not None else _text(BLANK)}")
    if unit == "row":
        return "\n".join([*lines, ""])
    if table is tables[0]:
        lines += _comment(
            "contributions: how many rows of one unit count in full; the rows of a unit with "
            "more are scaled down together. Noise grows with it."
        )
    lines.append(f"contributions = {_text(BLANK) if contributions is None else contributions}")
    if table is tables[0]:
        lines += _comment(
            "keys: how many keys of one unit count if their values are not declared; by "
            "default as many as contributions. With fewer, smaller groups become visible."
        )
        lines.append("# keys = 5")
    return "\n".join([*lines, ""])


def _describe_public(table: _Table) -> str:
    """A table about nobody: what is not declared of it is read from its rows, when the vault is opened."""
    lines = [f"[tables.{_key(table.name)}]", f"source = {_text(table.path)}", "public = true"]
    if table.inside is not None:
        lines.insert(2, f"table = {_text(table.inside)}")
    if table.form:
        lines += _format(table.form)
    lines += _comment(
        "A table about nobody. The values and ends of its columns, and which of them contain no value twice, are "
        "read from its rows unless they are declared; once its rows change, questions about it are paid for again."
    )
    for name, kinds in table.kinds.items():
        if not kinds:
            lines += _comment(_why_unusable(name, table))
    return "\n".join([*lines, ""])


def _format(form: Mapping[str, str]) -> list[str]:
    """How a text file is written, as far as its first lines show it, and what else may be declared."""
    lines = _comment(
        'format: how the file differs from 1.5, 2025-01-31, true or yes: decimal = ",", '
        'dates = "%d/%m/%Y", encoding = "latin-1", nulls = ["NA"], true = ["ja"], '
        'false = ["nein"]. Cells that cannot be read are NULL.'
    )
    written = ", ".join(f"{name} = {_text(value)}" for name, value in form.items())
    return [
        *lines,
        f"format = {{ {written} }}" if form else '# format = { separator = ";", decimal = "," }',
    ]


def _path_to(unit: str, table: _Table, tables: list[_Table]) -> list[str]:
    """An example of a path to the unit, by a column that seems to be a foreign key if there is one."""
    owner = next(other for other in tables if unit in other.kinds)
    likely = [each for each in foreign_keys(table, tables) if each[1] is owner]
    common = next((name for name in table.kinds if name in owner.kinds), "…")
    column, key = (likely[0][0], likely[0][2]) if likely else (common, common)
    return [
        "# If this table is about nobody, write public = true in place of unit, contributions and columns.",
        (
            f"# {owner.name} has {unit}. If a column here refers to a key there, write a path to "
            "it, for example:"
        ),
        f"# unit = {_text(f'{column}.{unit}')}",
        f"# references = {{ {_key(column)} = {_text(f'{owner.name}.{key}')} }}",
    ]


def _likely_references(table: _Table, tables: list[_Table]) -> list[str]:
    """What seem to be foreign keys, by their names alone, as a comment."""
    found = ", ".join(
        f"{_key(column)} = {_text(f'{other.name}.{key}')}"
        for column, other, key in foreign_keys(table, tables)
    )
    if not found:
        return []
    lines = _comment(
        "references: by their names, these columns seem to refer to keys of other tables. Check that each key is "
        "there once, and declare them if the unit is found by way of them."
    )
    return [*lines, f"# references = {{ {found} }}"]


def foreign_keys(table: _Table, tables: list[_Table]) -> list[tuple[str, _Table, str]]:
    """The columns that are called after another table, each with that table and its key: by their names alone.

    A column `patient` or `patient_id` of visits seems to refer to `id` of patients, or to a column of the same name.
    """
    found = []
    for column in table.kinds:
        for other in tables:
            key = _key_in(column, other) if other is not table else None
            if key is not None:
                found.append((column, other, key))
                break
    return found


def _key_in(column: str, other: _Table) -> str | None:
    """The key of a table that a column seems to refer to."""
    name = column.lower().replace(" ", "_")
    called = other.name.lower().replace(" ", "_")
    single = {called, called.removesuffix("s"), called.removesuffix("es")}
    if called.endswith("ies"):
        single.add(called.removesuffix("ies") + "y")
    stem = name.removesuffix("_id").removesuffix("id").rstrip("_") or name
    if stem not in single:
        return None
    names = {each.lower(): each for each in reversed(list(other.kinds))}
    return names.get("id") or names.get(name)


def _columns(table: _Table, tables: list[_Table], unit: str | None) -> str:
    lines = [f"[tables.{_key(table.name)}.columns]"]
    if table is tables[0]:
        lines += _comment(
            "The columns that may be used. Sums and means need low and high, grouping needs "
            "values: write what is possible, never what occurs in the data. Values outside "
            "the bounds are clipped; rows with an undeclared value are left out."
        )
    if table.is_untyped:
        lines += _comment(
            "The file has no types: each column is text, for grouping with values = […], "
            'until you write another type: "integer", "number", "date", "timestamp" '
            'or "boolean", with low = …, high = … where it has bounds. Where the first lines look like another type, '
            "the end of the line says so: check it."
        )
    listed = {name: kinds for name, kinds in table.kinds.items() if name != unit}
    width = max((len(_key(name)) for name in listed), default=0)
    for name, kinds in listed.items():
        if not kinds:
            lines += _comment(_why_unusable(name, table))
            continue
        declared, hint = _seeming(table.likely.get(name)) if table.is_untyped else _guess(kinds)
        lines.append(f"{_key(name):{width}} = {{ {declared} }}" + (f"  # {hint}" if hint else ""))
    return "\n".join([*lines, ""])


def _why_unusable(name: str, table: _Table) -> str:
    """Why nothing can be asked about a column, and what to do about it."""
    stored = table.types.get(name, "something else")
    shown = stored if len(stored) <= _LONGEST_TYPE else f"{stored[:_LONGEST_TYPE]}…"
    return (
        f"{_key(name)}: left out, since it is stored as {printable(shown)}; to ask about it, store it as a number, a "
        "text, a truth value, a date or a timestamp"
    )


def _seeming(kind: Kind | None) -> tuple[str, str]:
    """A column of a text file is text until a curator says otherwise; what it looks like is a comment."""
    if kind is None:
        return 'type = "text"', ""
    declared, hint = _guess((kind,))
    return 'type = "text"', f"looks like: {{ {declared}{', ' if hint else ''}{hint} }}"


def _guess(kinds: tuple[Kind, ...]) -> tuple[str, str]:
    """What the stored type says about a column, and what is left to be said."""
    match kinds[0]:
        case Kind.BOOLEAN:
            return 'type = "boolean", values = [true, false]', ""
        case Kind.TEXT:
            return 'type = "text"', "values = […]"
        case first:
            return f'type = "{first.value}"', "low = …, high = …"


def _comment(prose: str) -> list[str]:
    return fill(
        prose, 100, initial_indent="# ", subsequent_indent="#   ", break_on_hyphens=False
    ).splitlines()


def _key(name: str) -> str:
    return name if _KEY.fullmatch(name) else _text(name)


def _text(value: str) -> str:
    """A text between quotes, as TOML and JSON both write it, but for signs that are not seen."""
    text = json.dumps(value, ensure_ascii=False)
    return "".join(letter if printable(letter) == letter else _escape(letter) for letter in text)


def _escape(letter: str) -> str:
    """A sign that is not seen, as TOML writes it."""
    return f"\\u{ord(letter):04x}" if ord(letter) < 1 << 16 else f"\\U{ord(letter):08x}"


def _value(number: Number | None) -> str:
    return _text(BLANK) if number is None else _write_number(number)


def _exact(number: Number) -> Number:
    """The number that is meant: a float stands for the decimal that it prints, since the policy is read so."""
    return Decimal(repr(number)) if isinstance(number, float) else number


def _write_number(number: Number) -> str:
    """A number in decimal digits, all of them."""
    exact = Fraction(_exact(number))
    if exact.denominator == 1:
        return str(exact.numerator)
    context = Context(prec=60)
    digits = context.divide(Decimal(exact.numerator), Decimal(exact.denominator)).normalize(context)
    if context.flags[Inexact]:
        raise InvalidInput("a number", number, "give one with finitely many decimal digits")
    return format(digits, "e" if digits.adjusted() < -3 else "f")
