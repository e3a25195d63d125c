"""Statements that would show rows and can show none: SELECT * FROM visits LIMIT 0.  Tools ask so for the columns."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from tacit.errors import InvalidPlan
from tacit.plan.model.schema import Kind, Table
from tacit.plan.rewrite.free_questions import has_no_rows
from tacit.plan.sql.from_clause import read_query, read_source
from tacit.plan.sql.ordering import read_limit
from tacit.plan.sql.parameters import NO_PARAMETERS, Parameters
from tacit.plan.sql.parse import TYPES, parse, tokenise
from tacit.plan.sql.precheck import check_tokens, decimal_parts, interval_parts
from tacit.plan.sql.reading_context import Reader
from tacit.plan.sql.semi_joins import read_membership
from tacit.plan.sql.source_positions import Account

__all__ = ["read_empty_rows"]


def read_empty_rows(
    text: str, tables: Mapping[str, Table], bound: Parameters = NO_PARAMETERS
) -> tuple[tuple[str, Kind], ...] | None:
    """The columns of a statement over rows that can show none, by name and kind; None for every other text.

    >>> from tacit.plan import Column
    >>> visits = {"visits": Table("visits", (Column("age", Kind.INTEGER),), unit="patient")}
    >>> read_empty_rows("SELECT * FROM visits WHERE 1 = 0", visits)
    (('age', <Kind.INTEGER: 'integer'>), ('patient', <Kind.TEXT: 'text'>))
    >>> read_empty_rows("SELECT * FROM visits LIMIT 1", visits)

    Claim:      what is given back is a function of the text and the declared tables.
    Because:    nothing else is passed in; a statement that may show a row is not read here.
    Checked by: tests/laws/test_free.py::test_rows_are_listed_only_where_none_can_be
    """
    try:
        raw, tokens = tokenise(text, bound)
        check_tokens(text, tokens, TYPES)
        account = Account(text, tokens, places=interval_parts(tokens) | decimal_parts(tokens))
        reader = Reader(account, tables, read_query, read_source, read_membership)
        select = parse(text, raw, tokens)
        if not isinstance(select, exp.Select):
            return None
        limit = read_limit(reader, select.args.pop("limit", None))
        origin = read_query(reader, select, "the rows")
        account.close(TYPES)
    except (InvalidPlan, RecursionError):
        return None
    if limit != 0 and not has_no_rows(origin.rows):
        return None
    kinds = {column.name: column.kind for column in origin.table.columns}
    # a unit that is not declared as a column is compared, and never read
    return tuple((name, kinds.get(name, Kind.TEXT)) for name in origin.names)
