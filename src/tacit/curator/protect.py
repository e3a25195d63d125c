"""From a frame or a file to a vault in one call."""

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path

from tacit.curator.policy.columns import Declared, column_of
from tacit.curator.policy.values import Limit, Policy, Shared
from tacit.curator.vault import Vault
from tacit.engines import DuckDB, open_connection, source_of, stored_kinds, with_format
from tacit.errors import InvalidInput
from tacit.exact import Number
from tacit.ledger import MemoryLedger
from tacit.plan import Table
from tacit.privacy import Neighbours

__all__ = ["protect"]


def protect(
    source: object,
    *,
    unit: str,
    columns: Mapping[str, Declared],
    epsilon: Number,
    delta: Number = 0,
    contributions: int | None = None,
    keys: int | None = None,
    neighbours: Neighbours | str = Neighbours.ADD_OR_REMOVE,
    name: str | None = None,
    format: Mapping[str, object] | None = None,  # noqa: A002 -- as the policy calls it
) -> Vault:
    """A vault over one table: a path to Parquet or CSV, a frame of pandas, polars or Arrow, or a list of dictionaries.

    `unit` names the column whose equal values belong to one person, or is "row".  `columns` declares what may be asked
    about: a pair is a range, a list is a set of public keys.  `contributions` is how many rows of one unit count in
    full; where it is left out it has to be found first: `vault.find_contributions`.  `keys` is how many keys
    a unit keeps of those that are not public, as many as `contributions` if nothing is said.  `format` says how a text
    file is written, where it is not written as usual: `{"separator": ";", "decimal": ","}`.

    >>> visits = [{"patient": 1, "ward": "A", "cost": 120}, {"patient": 2, "ward": "B", "cost": 80}]
    >>> columns = {"ward": ["A", "B"], "cost": (0, 5000)}
    >>> clinic = protect(visits, unit="patient", contributions=5, columns=columns, epsilon=3)
    >>> clinic.sql("SELECT ward, COUNT(*) AS n FROM data GROUP BY ward", epsilon=1).columns
    ('ward', 'n', 'n_low', 'n_high')
    """
    if not isinstance(unit, str) or not unit:
        raise InvalidInput(
            "unit",
            unit,
            'name the column that identifies a person, such as "patient", or "row" to '
            "protect single rows",
        )
    rows = source_of(source)  # once: a stream that is asked again is empty
    if format is not None:
        rows = with_format(rows, format)
    connection = open_connection()
    stored = stored_kinds(rows, connection)
    for wanted in [*columns, *([unit] if unit != "row" else [])]:
        if wanted not in stored:
            close = get_close_matches(wanted, stored, n=1)
            hint = f"did you mean {close[0]!r}? " if close else ""
            raise InvalidInput(
                "column", wanted, f"{hint}the source has: {', '.join(sorted(stored))}"
            )
    called = name or (Path(source).stem if isinstance(source, str | Path) else "data")
    declared = tuple(column_of(each, spec, stored[each]) for each, spec in columns.items())
    table = Table(called, declared, unit=None if unit == "row" else unit)
    limit = Limit(epsilon, delta, neighbours)
    engine = DuckDB({table: rows}, connection=connection)
    return Vault(
        Policy(
            limit,
            {
                called: Shared(
                    table, 1 if unit == "row" and contributions is None else contributions, keys
                )
            },
        ),
        {called: engine},
        MemoryLedger(limit.filter()),
    )
