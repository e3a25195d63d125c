"""A vault's policy file, read whole: a value, or every fault with its line and its remedy."""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, get_args
from urllib.parse import parse_qs, quote, urlsplit

from tacit.curator.policy.columns import WORDS, column_of
from tacit.curator.policy.public_tables import public_table
from tacit.curator.policy.surveys import StoredSurvey, read_surveys
from tacit.curator.policy.toml import BLANK, Refused, Section, root_of, spell, suggest
from tacit.curator.policy.values import Limit, Policy, Replay, Shared
from tacit.engines import (
    DIALECT_WORDS,
    MOST_ROWS,
    Linked,
    Separated,
    Source,
    Step,
    Stored,
    dialect_of,
    is_address,
    source_of,
    stored_kinds,
    with_format,
)
from tacit.errors import InvalidData, InvalidInput
from tacit.frozen import frozen
from tacit.plan import Column, Kind, Table
from tacit.privacy import Neighbours

__all__ = ["FILE", "Address", "Document", "read_policy"]

FILE = "tacit.toml"
"""What a vault's policy file is called."""

_EPSILON = "write a number above zero, without quotes, such as epsilon = 3"
_DELTA = "write 0 for pure differential privacy, or a small probability, such as delta = 1e-6"
_TABLES = "add a section for every table, as in [tables.visits]"
_UNIT = (
    'name the column that identifies a person, as in unit = "patient_id", or write "row" to '
    "protect single rows"
)
_CONTRIBUTIONS = "write how many rows of one unit count in full, as in contributions = 10"
_KEYS = "write how many undeclared keys of one unit count, as in keys = 5"
_SOURCE = (
    'write the path of a Parquet, CSV, JSON lines or DuckDB file, as in source = "visits.parquet", '
    "or the address of a table in PostgreSQL"
)
_ROWS = (
    f"write a whole number from 1 to {MOST_ROWS}: the largest number of rows that the table can "
    "ever have"
)
_REFERENCE = 'write the table and the key to which the column refers, as in visit_id = "visits.id"'
_VARIABLE_INSTEAD = (
    "write $NAME in its place and set NAME in the environment: postgresql://tacit:$NAME@host/tacit"
)
_COLUMN = 'write it as { type = "text", values = ["A", "B"] } or as { type = "number", low = 0, high = 100 }'
_TABLE = (
    "source",
    "table",
    "format",
    "public",
    "unique",
    "unit",
    "contributions",
    "keys",
    "rows",
    "references",
    "columns",
)
_PLACE = (
    'write a file name, as in place = "ledger.sqlite", or an address that begins with postgresql://'
)
_FORMAT = {
    "separator": 'write one character, such as separator = ";"',
    "decimal": 'write decimal = "." or decimal = ","',
    "encoding": 'write encoding = "utf-8", "latin-1" or "windows-1252"',
    "dates": 'write the date format, as in dates = "%d/%m/%Y"',
}
_KINDS = ", ".join(f'"{kind.value}"' for kind in Kind)
_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))", re.ASCII)


@frozen
class Address:
    """The address of a ledger in PostgreSQL; `$NAME` stands for a variable of the environment, such as a password.

    >>> str(Address("postgresql://tacit:$SECRET@host/tacit"))
    'postgresql://tacit:$SECRET@host/tacit'
    """

    written: str

    def __str__(self) -> str:
        return self.written

    def resolve(self, environment: Mapping[str, str] | None = None) -> str:
        """The address with its variables filled in.

        >>> Address("postgresql://tacit:$SECRET@host/tacit").resolve({"SECRET": "p@ss"})
        'postgresql://tacit:p%40ss@host/tacit'
        """
        known = os.environ if environment is None else environment
        whole = _VARIABLE.fullmatch(self.written)

        def value(found: re.Match[str]) -> str:
            name = found[1] or found[2]
            if name not in known:
                raise InvalidInput(
                    "the ledger's place", self.written, f"set {name} in the environment"
                )
            return known[name] if whole else quote(known[name], safe="")

        address = _VARIABLE.sub(value, self.written)
        if not _is_address(address):
            raise InvalidInput(
                "the ledger's place",
                self.written,
                "use an address that begins with postgresql://",
            )
        return address


@frozen
class Document:
    """What a policy file says: the policy, where the rows of each table are, and where the ledger and its anchor are.

    `anchors` is None where the ledger's own default is meant; `digests` are those of the rows of public tables, and
    `declared` are the sources as they are written.
    """

    file: Path
    policy: Policy
    sources: Mapping[str, Source]
    ledger: Path | Address
    anchors: Path | None
    digests: Mapping[str, str]
    surveys: Mapping[str, StoredSurvey]
    declared: Mapping[str, str]

    @property
    def rows(self) -> Mapping[Table, Source]:
        """Every table with its source, as engines take them."""
        return {self.policy.tables[name].table: source for name, source in self.sources.items()}


def read_policy(path: str | Path) -> Document:
    """The document that a policy file, or the one in a folder, is; refused with all its faults at once.

    Claim:      bounds, values and kinds of private tables come from the file, and from the names and types of the
                sources' columns.
    Because:    the sources are asked for `stored_kinds` alone, which reads headers and schemas; the rows of public
                tables alone are read.
    Checked by: tests/unit/curator/policy/test_file.py::test_reading_a_policy_reads_no_values
    """
    given = Path(path)
    file = given / FILE if given.is_dir() else given
    root = root_of(file)
    folder = file.resolve().parent
    root.only(("limit", "ledger", "tables", "analysts", "surveys"))
    section = root.inner("limit", "write a section [limit] with epsilon and delta")
    limit = _limit(section) if root.holds("limit") else None
    replay = section.take("replay", _one_of(*get_args(Replay))) or "analyst"
    tables = _tables(root.inner("tables", _TABLES), folder)
    if root.values.get("tables") == {}:
        root.fault("tables", "it is empty", _TABLES)
    if tables and all(table.section.values.get("public") is True for table in tables.values()):
        told = "all of them are public, so that nobody is protected"
        root.fault("tables", told, "remove public = true where a table has rows about people")
    unit = _entity(section, tables)
    analysts = _analysts(root.inner("analysts"), limit)
    ledger, anchors = _ledger(root.inner("ledger"), folder)
    surveys = read_surveys(
        root.inner("surveys"), tables, lambda given: _resolve_path(given, folder)
    )
    root.faults.check()
    assert limit is not None, "where something is missing there is a fault"
    assert ledger is not None, "where something is missing there is a fault"
    shared = {name: table.to_shared() for name, table in tables.items()}
    sources = {name: table.to_source(tables) for name, table in tables.items()}
    policy = Policy(
        limit, shared, unit, analysts, "everyone" if replay == "everyone" else "analyst"
    )
    digests = {name: table.digest for name, table in tables.items() if table.digest is not None}
    declared = {name: str(table.section.values["source"]) for name, table in tables.items()}
    return Document(file, policy, sources, ledger, anchors, digests, surveys, declared)


# ---------------------------------------------------------------- limit, analysts, ledger


def _limit(section: Section) -> Limit | None:
    section.only(("epsilon", "delta", "neighbours", "unit", "replay"))
    epsilon = section.take("epsilon", _positive(_EPSILON), _EPSILON)
    delta = section.take("delta", _probability, _DELTA)
    neighbours = section.take("neighbours", _one_of(*(each.value for each in Neighbours)))
    if epsilon is None or delta is None or (neighbours is None and section.has("neighbours")):
        return None
    return _read_limit(section, epsilon, delta, Neighbours(neighbours or Neighbours.ADD_OR_REMOVE))


def _analysts(section: Section, limit: Limit | None) -> dict[str, Limit]:
    found = {}
    for name, inner in section.inners():
        inner.only(("epsilon", "share"))
        remedy = 'write the most that this analyst may spend, as in epsilon = 1, or share = "1/3" of the limit'
        if inner.has("share"):
            if inner.has("epsilon"):
                inner.fault("share", "epsilon is given, too", "give only one of them")
            part = inner.take("share", _share)
            if part is not None and limit is not None:
                found[name] = limit.part(part)
            continue
        epsilon = inner.take("epsilon", _positive(remedy), remedy)
        if epsilon is None or limit is None:
            continue
        if epsilon > limit.epsilon:
            problem = (
                f"it is {spell(inner.values['epsilon'])}, above the common limit of "
                f"{float(limit.epsilon):g}"
            )
            inner.fault("epsilon", problem, "give an analyst at most the common limit")
        elif own := _read_limit(inner, epsilon, limit.delta, limit.neighbours):
            found[name] = own
    return found


def _share(value: Any) -> Fraction:
    """A part of the limit, as a number or as a text such as "1/3"."""
    try:
        part = Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        part = Fraction(0)
    if isinstance(value, bool) or not 0 < part <= 1:
        raise Refused('write a part of the limit, such as share = 0.25 or share = "1/3"')
    return part


def _read_limit(
    section: Section, epsilon: Fraction, delta: Fraction, neighbours: Neighbours
) -> Limit | None:
    """The limit, if it protects anybody and a ledger can count in parts of it."""
    try:
        limit = Limit(epsilon, delta, neighbours)
        limit.filter()
    except InvalidInput as refusal:
        section.fault("epsilon", f"it is {spell(section.values['epsilon'])}", refusal.remedy)
        return None
    return limit


def _ledger(section: Section, folder: Path) -> tuple[Path | Address | None, Path | None]:
    section.only(("place", "anchors"))
    place: Path | Address | None = folder / "ledger.sqlite"
    if section.has("place"):
        place = section.take("place", lambda value: _place(value, folder))
    return place, section.take("anchors", lambda value: _anchors(value, folder))


def _place(value: Any, folder: Path) -> Path | Address:
    given = _text(_PLACE)(value)
    if _VARIABLE.fullmatch(given) or _is_address(given):
        _check_secret(given)
        return Address(given)
    if "://" in given:
        raise Refused(_PLACE)
    place = _resolve_path(given, folder, follow=False)
    if place.is_dir() or not place.parent.is_dir():
        what = "a folder" if place.is_dir() else "in a folder that does not exist"
        raise Refused(_PLACE, f"{str(place)!r} is {what}")
    return place


def _check_secret(address: str) -> None:
    """Refuse a password that stands in the file."""
    try:
        parts = urlsplit(address)
        secrets = [parts.password or "", *parse_qs(parts.query).get("password", [])]
    except ValueError:
        raise Refused(_PLACE) from None
    if any(secret and not _VARIABLE.fullmatch(secret) for secret in secrets):
        raise Refused(_VARIABLE_INSTEAD, "the file contains a password")


def _anchors(value: Any, folder: Path) -> Path:
    remedy = (
        "name a folder outside the vault, so that restoring an old vault does not restore its "
        "anchor"
    )
    anchors = _resolve_path(_text(remedy)(value), folder)
    if anchors.is_relative_to(folder):
        raise Refused(remedy, f"{str(anchors)!r} is inside the vault")
    return anchors


def _is_address(text: str) -> bool:
    return text.startswith(("postgresql://", "postgres://"))


def _resolve_path(given: str, folder: Path, *, follow: bool = True) -> Path:
    """A path as seen from the folder of the policy: where links lead, or all but the last name."""
    try:
        found = folder / Path(given).expanduser()
        return (
            found.resolve()
            if follow or found.name in ("", "..")
            else found.parent.resolve() / found.name
        )
    except (OSError, RuntimeError, ValueError):
        raise Refused("write a path relative to the folder of the policy") from None


# ---------------------------------------------------------------- tables


@frozen
class _Table:
    """What a section says about a table; None is what is missing or has a fault."""

    section: Section
    source: Source | None
    kinds: Mapping[str, tuple[Kind, ...]] | None
    unit: str | None
    contributions: int | None
    keys: int | None
    rows: int | None
    columns: tuple[Column, ...]
    referring: Section
    references: Mapping[str, tuple[str, str]]
    public: Table | None = None
    digest: str | None = None

    @property
    def name(self) -> str:
        return self.section.place[-1]

    @property
    def is_path(self) -> bool:
        """Whether the unit stands in another table; a column may have a point in its name."""
        return self.unit is not None and "." in self.unit and self.unit not in (self.kinds or ())

    def to_shared(self) -> Shared:
        """The table as the policy has it, once nothing is wrong with it."""
        if self.public is not None:
            held = self.public if self.rows is None else replace(self.public, rows=self.rows)
            return Shared(held, 1)
        table = Table(self.name, self.columns, None if self.unit == "row" else self.unit)
        held = table if self.rows is None else replace(table, rows=self.rows)
        return Shared(held, 1 if self.unit == "row" else self.contributions, self.keys)

    def to_source(self, tables: Mapping[str, "_Table"]) -> Source:
        """The source of the table with the steps that lead to its units, once nothing is wrong with them."""
        assert self.source is not None, "where something is missing there is a fault"
        steps, table = [], self
        while table.is_path and table.unit is not None:
            column = table.unit.partition(".")[0]
            name, key = table.references[column]
            table = tables[name]
            steps.append(Step(column, table.source, key))
        return Linked(self.source, tuple(steps), table.unit or "") if steps else self.source


def _tables(section: Section, folder: Path) -> dict[str, _Table]:
    tables = {name: _table(inner, folder) for name, inner in section.inners()}
    for name in tables:
        # the ledger could not write it down, and no question would be answered
        if not name.isprintable():
            section.fault(
                name, "the name of this table contains invisible characters", "give it another one"
            )
    loops = _loops(tables)
    for table in tables.values():
        _check_references(table, tables)
        for column in loops.get(table.name, ()):
            table.referring.fault(
                column, "this reference leads back to its own table", "remove one of them"
            )
    if not loops:
        for table in tables.values():
            _check_unit(table, tables)
    return tables


def _table(section: Section, folder: Path) -> _Table:
    section.only(_TABLE)
    source, kinds = _source(section, folder)
    if section.take("public", _truth):
        return _public(section, source, kinds)
    if section.has("unique"):
        told = "it says so of public tables"
        section.fault("unique", told, "remove it, or write public = true if nobody is in the table")
    unit = section.take("unit", _text(_UNIT), _UNIT)
    contributions = section.take("contributions", _count(_CONTRIBUTIONS))
    if unit == "row" and contributions not in (None, 1):
        section.fault(
            "contributions",
            "every row is its own unit",
            "remove it, or name the column of the unit",
        )
    keys = section.take("keys", _count(_KEYS))
    if unit == "row" and keys not in (None, 1):
        section.fault("keys", "every row is its own unit", "remove it: a row has one key")
    columns = [_column(inner, kinds) for _, inner in section.inner("columns").inners(_COLUMN)]
    references = section.inner("references")
    return _Table(
        section,
        source,
        kinds,
        unit,
        contributions,
        keys,
        section.take("rows", _count(_ROWS, MOST_ROWS)),
        tuple(column for column in columns if column is not None),
        references,
        {
            key: found
            for key in references.values
            if (found := references.take(key, _reference)) is not None
        },
    )


_PRIVATE = {
    "unit": "it is public and protects nobody",
    "contributions": "it is public: no unit has rows in it",
    "keys": "it is public: no unit has keys in it",
    "references": "it is public and leads to no unit",
}
_UNIQUE = 'list the columns that contain no value twice, as in unique = ["ward"]'


def _public(
    section: Section, source: Source | None, kinds: Mapping[str, tuple[Kind, ...]] | None
) -> _Table:
    """A table that protects nobody: what is not declared of it is read from its rows."""
    for key, told in _PRIVATE.items():
        if section.has(key):
            section.fault(key, told, "remove it, or remove public = true")
    before = len(section.faults.found)
    columns = [_column(inner, kinds) for _, inner in section.inner("columns").inners(_COLUMN)]
    unique = section.take("unique", lambda value: _names(value, _UNIQUE)) or []
    rows = section.take("rows", _count(_ROWS, MOST_ROWS))
    found, digest = None, None
    if source is not None and len(section.faults.found) == before:
        declared = [column for column in columns if column is not None]
        try:
            found, digest = public_table(section.place[-1], source, declared, unique)
        except InvalidInput as refusal:
            section.fault("unique", f"there is no column {refusal.given}", refusal.remedy)
        except InvalidData as refusal:
            problem, _, remedy = str(refusal).partition("; ")
            section.fault("unique" if section.has("unique") else "source", problem, remedy)
    return _Table(
        section=section,
        source=source,
        kinds=kinds,
        unit=None,
        contributions=None,
        keys=None,
        rows=rows,
        columns=(),
        referring=section.inner("references"),
        references={},
        public=found,
        digest=digest,
    )


def _names(value: Any, remedy: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
        raise Refused(remedy)
    return value


def _source(
    section: Section, folder: Path
) -> tuple[Source | None, Mapping[str, tuple[Kind, ...]] | None]:
    """Where the rows are, and the kinds of its columns."""
    inside = section.take("table", _text('name a table of the file, as in table = "visits"'))
    path = section.take("source", lambda value: _file(value, folder), _SOURCE)
    if path is None:
        return None, None
    try:
        source = source_of(path)
        if isinstance(source, Stored):
            source = Stored(source.path, inside or section.place[-1])
        elif section.has("table"):
            section.fault(
                "table",
                f"{Path(path).name} is one table",
                "remove it: only DuckDB files contain several tables",
            )
        if section.has("format"):
            source = _read_format(section, source)
        return source, stored_kinds(source)
    except InvalidData as refusal:
        problem, _, remedy = str(refusal).partition("; ")
        section.fault(
            "table" if section.has("table") else "source",
            problem,
            remedy or "write the path relative to the folder of the policy",
        )
    except OSError:
        section.fault(
            "source",
            f"{str(path)!r} cannot be read",
            "check that it is a file that you may read",
        )
    return None, None


def _read_format(section: Section, source: Source) -> Source:
    """The source, its text read as the section `format` declares; every key is judged by itself."""
    inner = section.inner("format")
    if not isinstance(source, Separated):
        section.fault(
            "format",
            "the source is not a text file",
            "remove it: only text files, such as CSV, have a format",
        )
        return source
    inner.only(DIALECT_WORDS)
    declared: dict[str, Any] = {}
    for key in [each for each in DIALECT_WORDS if inner.has(each)]:
        partner = {"true": "false", "false": "true"}.get(key)
        read = _words if key in {"true", "false", "nulls"} else _text(_FORMAT[key])
        value = inner.take(key, read)
        if value is None or (partner is not None and partner in declared):
            if value is not None:
                declared[key] = value
            continue
        # which is judged when its turn comes
        others = {partner: ["\0"]} if partner is not None else {}
        try:
            dialect_of(
                {key: value, **others}, source.dialect.separator if key != "decimal" else "\t"
            )
            declared[key] = value
        except InvalidInput as refusal:
            inner.fault(key, f"it is {spell(inner.values[key])}", refusal.remedy)
    try:
        return with_format(source, declared)
    except InvalidInput as refusal:
        inner.fault(refusal.name, "it does not agree with the rest of the format", refusal.remedy)
        return source


def _words(value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise Refused('list words in brackets, as in ["NA", "-"]')
    return value


def _file(value: Any, folder: Path) -> Path | str:
    given = _text(_SOURCE)(value)
    if is_address(given):
        return given
    if "://" in given:
        raise Refused(f"other URLs than postgresql:// are not supported; {_SOURCE}")
    return _resolve_path(given, folder)


def _reference(value: Any) -> tuple[str, str]:
    table, point, key = _text(_REFERENCE)(value).partition(".")
    if not (table and point and key):
        raise Refused(_REFERENCE)
    return table, key


def _check_references(table: _Table, tables: Mapping[str, _Table]) -> None:
    """Remember what is wrong with the places to which a table refers."""
    section = table.referring
    for column, (name, key) in table.references.items():
        _check_key(section, column, table, column)
        if name not in tables:
            listed = ", ".join(sorted(tables))
            section.fault(
                column,
                f"there is no table {name!r}",
                f"{suggest(name, tables)}the tables are: {listed}",
            )
        elif tables[name].section.values.get("public") is True:
            told = f"{name!r} is public: it leads to no unit"
            section.fault(column, told, "remove it: a public table is joined without a reference")
        else:
            _check_key(section, column, tables[name], key)


def _check_key(section: Section, at: str, table: _Table, column: str) -> None:
    """Remember that a key is not there, or is of a kind that is not compared exactly."""
    if table.kinds is None or not _is_there(section, at, table, column):
        return
    kinds = table.kinds[column]
    if kinds and len(kinds) < len(Kind) and kinds[0] not in {Kind.INTEGER, Kind.TEXT}:
        problem = f"{column!r} of {table.name} is stored as {kinds[0].value}"
        section.fault(at, problem, "store keys as integers or texts")


def _is_there(section: Section, at: str, table: _Table, column: str) -> bool:
    if table.kinds is None or column in table.kinds:
        return True
    section.fault(
        at, f"the source of {table.name} has no column {column!r}", _columns_of(column, table.kinds)
    )
    return False


def _columns_of(name: str, kinds: Mapping[str, object]) -> str:
    listed = ", ".join(list(kinds)[:12]) + (" and others" if len(kinds) > 12 else "")
    return f"{suggest(name, kinds)}its columns are: {listed}" if kinds else "it has no columns"


def _loops(tables: Mapping[str, _Table]) -> dict[str, list[str]]:
    """The columns of each table through which references come back to it."""

    def reached(name: str) -> set[str]:
        seen: set[str] = set()
        ahead = [name]
        while ahead:
            for other, _ in tables[ahead.pop()].references.values():
                if other in tables and other not in seen:
                    seen.add(other)
                    ahead.append(other)
        return seen

    back = {
        name: [
            column
            for column, (other, _) in table.references.items()
            if other == name or (other in tables and name in reached(other))
        ]
        for name, table in tables.items()
    }
    return {name: columns for name, columns in back.items() if columns}


def _check_unit(table: _Table, tables: Mapping[str, _Table]) -> None:
    """Remember what is wrong with the unit of a table.

    Claim:      a row comes and goes with its unit, and with no other.
    Because:    a path goes on as the unit of the table it enters: every row on it belongs to the unit at its end.  Were
                it to end elsewhere, removing the unit of a row on the way would take another unit's rows along.
    Checked by: tests/unit/curator/policy/test_file.py::test_a_path_goes_along_the_units_of_the_tables_it_enters
    """
    section, unit = table.section, table.unit
    if unit is None or unit == "row":
        return
    if not table.is_path or (
        table.kinds is None and unit.partition(".")[0] not in table.references
    ):
        _is_there(section, "unit", table, unit)
        return
    column, _, rest = unit.partition(".")
    if column not in table.references:
        if _is_there(section, "unit", table, column) and not table.referring.has(column):
            where = f'[tables.{table.name}.references] {column} = "table.key"'
            section.fault(
                "unit",
                f"{column!r} refers to no table",
                f"write which table and key it refers to: {where}",
            )
        return
    other = tables.get(table.references[column][0])
    if other is not None and other.unit is not None and other.unit != rest:
        problem = f"the unit of {other.name} is {other.unit!r}, not {rest!r}"
        remedy = (
            f'write unit = "{column}.{other.unit}"'
            if other.unit != "row"
            else f"give {other.name} a unit"
        )
        section.fault("unit", problem, remedy)


def _entity(section: Section, tables: Mapping[str, _Table]) -> str | None:
    """What is protected: the entity that is named, or the column that names it in every table."""
    remedy = 'name who is protected, as in unit = "patient"'
    named = section.take("unit", _text(remedy))
    units = {table.unit for table in tables.values() if table.unit is not None}
    if "row" in units and len(units) > 1:
        for table in tables.values():
            if table.unit == "row":
                told = (
                    "name the unit's column here, too; if each row belongs to another unit, with "
                    "contributions = 1"
                )
                table.section.fault(
                    "unit", "other tables have a unit, but this one protects single rows", told
                )
        return named
    if units == {"row"} and named not in (None, "row"):
        told = f"the tables protect single rows, but this says that a {named} is protected"
        section.fault(
            "unit", told, 'name the unit\'s column in every table, or write unit = "row" here'
        )
        return named
    ends = {_end(table) for table in tables.values() if table.unit is not None}
    if section.has("unit"):
        return named
    if len(ends) > 1 and section.values:
        listed = ", ".join(sorted(ends))
        section.fault("unit", f"the tables have different unit columns: {listed}", remedy)
    return next(iter(ends), None)


def _end(table: _Table) -> str:
    """The column at the end of a path of units."""
    unit = table.unit or ""
    return unit.rpartition(".")[2] if table.is_path else unit


# ---------------------------------------------------------------- columns


def _column(section: Section, kinds: Mapping[str, tuple[Kind, ...]] | None) -> Column | None:
    """The column that a section declares; every key is judged by itself, so that all faults are told."""
    section.only(WORDS)
    stored = _stored_kinds(section, kinds)
    before = len(section.faults.found)
    declared = _read_declaration(section, stored)
    if declared is None:
        return None
    for key, keys in _JUDGED.items():
        if key in declared:
            _judge(section, key, keys, _problem(section, key), declared, stored)
    if len(section.faults.found) == before and {"low", "high"} <= set(declared):
        low, high = (spell(section.values[end]) for end in ("low", "high"))
        problem = f"it is {high}, and low is {low}"
        _judge(section, "high", ("low", "high"), problem, declared, stored)
    if len(section.faults.found) > before:
        return None
    problem = (
        "its bounds and values have different types"
        if declared
        else "its type is missing, and the source has none"
    )
    return _judge(section, None, tuple(declared), problem, declared, stored)


_JUDGED = {
    "low": ("low",),
    "high": ("high",),
    "values": ("values",),
    "other": ("values", "other"),
    "null_group": ("nullable", "null_group"),
}
"""The keys of a column that may be wrong by themselves, each with those that it is judged with."""


def _problem(section: Section, key: str) -> str:
    """What is said of a key that is wrong."""
    if key == "values":
        return "it is empty, or contains a value of another type or a value twice"
    return f"it is {spell(section.values[key])}"


def _stored_kinds(
    section: Section, kinds: Mapping[str, tuple[Kind, ...]] | None
) -> tuple[Kind, ...]:
    """The kinds that a column may have by its source: any, where that is not known or was refused."""
    name = section.place[-1]
    if kinds is None:
        return tuple(Kind)
    if name not in kinds:
        section.fault(None, "the source has no such column", _columns_of(name, kinds))
        return tuple(Kind)
    if not kinds[name]:
        section.fault(
            None,
            "its storage type is not supported",
            "convert it, or remove it",
        )
    return kinds[name] or tuple(Kind)


def _read_declaration(section: Section, stored: tuple[Kind, ...]) -> dict[str, Any] | None:
    """The keys of a column that are declared, each read by itself; None if its type is no type."""
    kind = section.take("type", _kind(stored))
    parts: dict[str, Any] = {
        "type": kind,
        "low": section.take("low", _scalar),
        "high": section.take("high", _scalar),
        "values": section.take("values", _scalars),
        "nullable": section.take("nullable", _truth),
        "other": section.take("other", _truth),
        "null_group": section.take("null_group", _truth),
    }
    if "type" in section.values and kind is None:
        return None
    return {key: value for key, value in parts.items() if value is not None}


def _judge(
    section: Section,
    at: str | None,
    keys: tuple[str, ...],
    problem: str,
    declared: Mapping[str, Any],
    stored: tuple[Kind, ...],
) -> Column | None:
    """The column as its type and some of its keys declare it."""
    try:
        return column_of(
            section.place[-1],
            {key: declared[key] for key in {"type", *keys} & set(declared)},
            stored,
        )
    except InvalidInput as refusal:
        section.fault(at, problem, refusal.remedy)
        return None


def _kind(stored: tuple[Kind, ...]) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        known = [kind.value for kind in Kind]
        if value not in known:
            raise Refused(
                f"{suggest(value, known) if isinstance(value, str) else ''}it may be: {_KINDS}"
            )
        if Kind(value) not in stored:
            possible = " or ".join(f'"{kind}"' for kind in known if Kind(kind) in stored)
            raise Refused(
                f"write type = {possible}, or convert the column",
                f'it is "{value}", but the source stores another type',
            )
        return str(value)

    return read


def _scalar(value: Any) -> Any:
    """A bound or a public value, with decimals as the rationals that they are."""
    if isinstance(value, Decimal | int) and not isinstance(value, bool):
        number = _number(value)
        if number is None:
            raise Refused("declare a finite number in the range of doubles")
        return value if isinstance(value, int) else number
    if isinstance(value, list | dict) or value == BLANK:
        raise Refused("write a number or a date, without brackets")
    return value


def _scalars(value: Any) -> list[Any]:
    remedy = 'list the public values in brackets, as in values = ["A", "B"]'
    if not isinstance(value, list):
        raise Refused(remedy)
    try:
        return [_scalar(each) for each in value]
    except Refused:
        raise Refused(remedy, "it contains something that is not a value") from None


# ---------------------------------------------------------------- values


def _text(remedy: str) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if not isinstance(value, str) or not value or value == BLANK:
            raise Refused(remedy)
        return value

    return read


def _one_of(*words: str) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if value not in words:
            guess = suggest(value, words) if isinstance(value, str) else ""
            raise Refused(guess + "write " + " or ".join(f'"{word}"' for word in words))
        return str(value)

    return read


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise Refused("write true or false, without quotes")
    return value


def _count(remedy: str, most: int = (1 << 62) - 1) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if type(value) is not int or not 1 <= value <= most:
            raise Refused(remedy)
        return value

    return read


def _positive(remedy: str) -> Callable[[Any], Fraction]:
    def read(value: Any) -> Fraction:
        number = _number(value)
        if number is None or number <= 0:
            raise Refused(remedy)
        return number

    return read


def _probability(value: Any) -> Fraction:
    number = _number(value)
    if number is None or not 0 <= number < 1:
        raise Refused(_DELTA)
    return number


def _number(value: Any) -> Fraction | None:
    """A number of the file, exactly as it is written; None if it is none, or none that a double can hold."""
    if (
        isinstance(value, Decimal)
        and value.is_finite()
        and abs(value.adjusted()) <= 300
        and len(str(value)) <= 600
    ):
        return Fraction(value)
    if type(value) is int and value.bit_length() <= 1000:
        return Fraction(value)
    return None
