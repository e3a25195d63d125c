"""From frames or files to a vault in one call."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

from tacit.curator.policy.policy import Limit, Policy, Shared
from tacit.curator.policy.read_column_shorthand import Declared, column_of
from tacit.curator.vault import Vault
from tacit.engines import (
    Linked,
    Source,
    Step,
    is_text_file,
    open_connection,
    open_engine,
    source_of,
    stored_kinds,
    table_name,
    with_format,
)
from tacit.errors import InvalidInput
from tacit.exact import Number
from tacit.ledger import MemoryLedger
from tacit.plan import Table
from tacit.privacy import Neighbours

__all__ = ["protect"]

T = TypeVar("T")

_begun: set[tuple[str, ...]] = set()


def protect(
    source: object,
    *,
    unit: str | Mapping[str, str],
    epsilon: Number,
    columns: Mapping[str, Any] | None = None,
    delta: Number = 0,
    contributions: int | Mapping[str, int] | None = None,
    keys: int | Mapping[str, int] | None = None,
    references: Mapping[str, Mapping[str, str]] | None = None,
    neighbours: Neighbours | str = Neighbours.ADD_OR_REMOVE,
    public: Mapping[str, object] | None = None,
    name: str | None = None,
    format: Mapping[str, object] | None = None,  # noqa: A002 -- as the policy calls it
    vault: str | Path | None = None,
) -> Vault:
    """A vault over a table, or over several that are joined by their unit.

    A table is a path to Parquet, CSV, JSON lines or DuckDB, a folder or pattern of Parquet files, a frame of pandas,
    polars or Arrow, a relation of DuckDB, a list of dictionaries, or the address of a table in
    PostgreSQL or on a Spark cluster.

    `unit` names the column whose equal values belong to one person, or is "row".  `columns` declares what may be asked
    about: a pair is a range, a list is a set of public keys; without it rows and units can be counted, nothing else.
    `contributions` is how many rows of one unit count in full; where it is left out it has to be found first:
    `vault.find_contributions`.  `keys` is how many keys
    a unit keeps of those that are not public, as many as `contributions` if nothing is said.  `format` says how a text
    file is written, where it is not written as usual: `{"separator": ";", "decimal": ","}`.

    >>> visits = [{"patient": 1, "ward": "A", "cost": 120}, {"patient": 2, "ward": "B", "cost": 80}]
    >>> columns = {"ward": ["A", "B"], "cost": (0, 5000)}
    >>> clinic = protect(visits, unit="patient", contributions=5, columns=columns, epsilon=3)
    >>> clinic.sql("SELECT ward, COUNT(*) AS n FROM data GROUP BY ward", epsilon=1).columns
    ('ward', 'n', 'n_low', 'n_high')

    Several tables are given by their names, and so are their `columns`; `unit`, `contributions` and `keys` may be, too.
    `references` says where a foreign key leads, for a table whose unit stands in another one and for joins on it alone.

    >>> patients = [{"patient": 1, "sex": "F"}, {"patient": 2, "sex": "M"}]
    >>> both = protect(
    ...     {"patients": patients, "visits": visits},
    ...     unit="patient",
    ...     contributions={"patients": 1, "visits": 5},
    ...     columns={"patients": {"sex": ["F", "M"]}, "visits": {"cost": (0, 5000)}},
    ...     epsilon=3,
    ... )
    >>> text = "SELECT sex, AVG(cost) AS mean FROM visits JOIN patients USING (patient) GROUP BY sex"
    >>> both.sql(text, epsilon=1).columns
    ('sex', 'mean', 'mean_low', 'mean_high')

    `public` are tables that protect nobody, to join with: each is rows, or a mapping with a `source` and, where they
    are declared, `columns`, `unique` columns that hold no value twice, and a `format`.  What is not declared is read
    from the rows, so that the values of a public column are keys: groups that nobody is in are answered, too.

    >>> wards = [{"ward": "A", "floor": 1}, {"ward": "B", "floor": 2}, {"ward": "C", "floor": 3}]
    >>> clinic = protect(visits, unit="patient", contributions=5, columns=columns, epsilon=3, public={"wards": wards})
    >>> text = "SELECT floor, COUNT(*) AS n FROM data JOIN wards USING (ward) GROUP BY floor"
    >>> clinic.sql(text, epsilon=1).column("floor")
    [1, 2, 3]

    What was spent is forgotten with the vault.  With `vault`, a folder, it is not: the ledger is kept there, and the
    next call that names the folder goes on with it, also with other rows, whose answers are then no longer replayed.
    """
    limit = Limit(epsilon, delta, neighbours)
    if columns is not None and not isinstance(columns, Mapping):
        # of a wrong argument only its type is told: it may be the rows
        remedy = 'say what is public about each, as in {"cost": (0, 500), "ward": ["A", "B"]}'
        raise InvalidInput("columns", type(columns).__name__, remedy)
    if not isinstance(source, Mapping):
        called = name or (table_name(source) if isinstance(source, str | Path) else "data")
        given, specs = {called: source}, {called: columns or {}}
        if references is not None:
            raise InvalidInput("references", None, "leave it out: there is one table only")
    else:
        given, specs = _several(source, columns or {}, name)
    sources = {each: source_of(rows) for each, rows in given.items()}  # a stream is read once
    if format is not None:
        sources = {each: with_format(rows, format) for each, rows in sources.items()}
    units = {each: _check_unit(_of_table(unit, each, "unit")) for each in sources}
    connection = open_connection()
    tables: dict[Table, Source] = {}
    shared: dict[str, Shared] = {}
    for each, rows in sources.items():
        linked = _link(each, units[each], sources, references or {})
        first = linked.steps[0].column if isinstance(linked, Linked) else units[each]
        stored = stored_kinds(rows, connection)
        _check_there("column", list(specs[each]), stored)
        _check_there("unit", [first] if first != "row" else [], stored)
        declared = tuple(
            column_of(column, spec, stored[column]) for column, spec in specs[each].items()
        )
        table = Table(
            each,
            declared,
            unit=None if first == "row" else units[each],
            references=_list_references(each, sources, stored, references or {}),
        )
        count = _of_table(contributions, each, "contributions")
        most = 1 if first == "row" and count is None else count
        tables[table], shared[each] = linked, Shared(table, most, _of_table(keys, each, "keys"))
    for each, spec in (public or {}).items():
        if each in sources:
            raise InvalidInput("public", each, "give the public table another name")
        from tacit.curator.policy.public_tables import public_of

        table, rows = public_of(each, spec)
        tables[table], shared[each] = rows, Shared(table, 1)
    entity = next(
        iter(units.values())
    )  # by which they are called where tables call them differently
    engine = open_engine(tables, connection=connection)
    policy = Policy(limit, shared, entity.rpartition(".")[2] if references else entity)
    engines = dict.fromkeys(shared, engine)
    texts = frozenset(each for each, rows in sources.items() if is_text_file(rows))
    if vault is None:
        _say_that_a_limit_began((entity, *sorted(sources)))
        return Vault(policy, engines, MemoryLedger(limit.filter()), text_tables=texts)
    from tacit.curator.persistent_limit import keep_ledger  # with all that ledgers on disk need
    from tacit.curator.record.encryption_key import file_secret

    try:
        ledger = keep_ledger(vault, policy, sources)
    except BaseException:
        engine.close()
        raise
    return Vault(policy, engines, ledger, text_tables=texts, secret=file_secret(Path(vault)))


def _say_that_a_limit_began(tables: tuple[str, ...]) -> None:
    """Warn if the same tables are protected a second time, at a prompt or in a notebook."""
    if tables in _begun and (hasattr(sys, "ps1") or "ipykernel" in sys.modules):
        warnings.warn(
            "a new limit begins here: earlier spending on these tables does not count against it. "
            'To keep one limit, give it a folder: protect(…, vault="clinic")',
            stacklevel=3,
        )
    _begun.add(tables)


def _several(
    source: Mapping[Any, object], columns: Mapping[str, Any], name: str | None
) -> tuple[dict[str, object], dict[str, Mapping[str, Declared]]]:
    """The tables and the columns of several sources, by their names."""
    if name is not None:
        raise InvalidInput("name", name, "leave it out: the tables have their names already")
    names = list(source)
    if not names or not all(isinstance(each, str) and each for each in names):
        raise InvalidInput("source", names, 'give each table a name, as in {"visits": visits}')
    if any(not isinstance(each, Mapping) for each in columns.values()) or set(columns) - set(names):
        remedy = (
            f'declare the columns of each table by its name, as in {{"{names[0]}": {{"cost": (0, 100)}}}}; '
            f"the tables are: {', '.join(names)}"
        )
        raise InvalidInput("columns", sorted(map(str, columns)), remedy)
    return dict(source), {each: columns.get(each, {}) for each in names}


def _of_table(given: T | Mapping[str, T], table: str, what: str) -> T:
    """What is said of a table: the same of all, or of each by its name."""
    if not isinstance(given, Mapping):
        return given
    if table not in given:
        raise InvalidInput(what, sorted(given), f"give it for table {table!r}, too")
    return given[table]


def _check_unit(unit: object) -> str:
    if not isinstance(unit, str) or not unit:
        raise InvalidInput(
            "unit",
            unit,
            'name the column that identifies a person, such as "patient", or "row" to '
            "protect single rows",
        )
    return unit


def _check_there(what: str, wanted: list[str], stored: Mapping[str, object]) -> None:
    for each in wanted:
        if each not in stored:
            close = get_close_matches(each, stored, n=1)
            hint = f"did you mean {close[0]!r}? " if close else ""
            raise InvalidInput(what, each, f"{hint}the source has: {', '.join(sorted(stored))}")


def _link(
    table: str,
    unit: str,
    sources: Mapping[str, Source],
    references: Mapping[str, Mapping[str, str]],
) -> Source:
    """The source of a table, with the foreign keys that lead to its unit if that is a path, as in "visit.patient"."""
    steps: list[Step] = []
    rows, place, end = sources[table], table, unit
    while table in references and "." in end:
        column, _, end = end.partition(".")
        target, key = _read_reference(place, column, sources, references)
        steps.append(Step(column, sources[target], key))
        place = target
    return Linked(rows, tuple(steps), end) if steps else rows


def _read_reference(
    table: str,
    column: str,
    sources: Mapping[str, Source],
    references: Mapping[str, Mapping[str, str]],
) -> tuple[str, str]:
    """The table and the key to which a column refers."""
    target, _, key = references.get(table, {}).get(column, "").partition(".")
    if target not in sources or not key:
        remedy = f"name the key that {column!r} of {table!r} refers to: {{{table!r}: {{{column!r}: 'visits.id'}}}}"
        raise InvalidInput("references", dict(references.get(table, {})), remedy)
    return target, key


def _list_references(
    table: str,
    sources: Mapping[str, Source],
    stored: Mapping[str, object],
    references: Mapping[str, Mapping[str, str]],
) -> tuple[tuple[str, str, str], ...]:
    """The foreign keys of a table, each with the table and the key that it leads to."""
    columns = list(references.get(table, {}))
    _check_there("column", columns, stored)
    return tuple(
        (column, *_read_reference(table, column, sources, references)) for column in columns
    )
