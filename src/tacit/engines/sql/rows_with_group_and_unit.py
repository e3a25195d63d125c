"""The rows of a question that count, in SQL: the group and the unit of each, and what is measured of it."""

# ruff: noqa: S608 -- this is the SQL generator: every name and literal goes through `quote_name`, `text` and their like

from __future__ import annotations

from tacit.engines.engine import conditions_of, most_rows, needed_columns
from tacit.engines.sql.expressions import quote_name, render
from tacit.engines.sql.group_index import Enumeration, Grouping, found_grouping, grouping
from tacit.engines.sql.names_of_stored_rows import Rowset
from tacit.engines.sql.read_stored_columns import read_unit, scan_conditions
from tacit.engines.sql.select_with_parameters import Reader, Select, cte
from tacit.engines.sql.sums_of_terms import Recipe, Term, Terms
from tacit.frozen import frozen
from tacit.plan import Counted, Question, Summed

__all__ = ["RowColumns", "TakenRows", "row_columns"]


@frozen
class TakenRows:
    """The rows of a question that count, as common table expressions."""

    question: Question
    rowset: Rowset
    enumerated: Enumeration
    found: str | Grouping | None

    def terms(self, beside: Terms | None = None) -> Terms:
        """No terms yet; `beside` others, in the same statement."""
        return Terms(
            self.rowset.reader() if beside is None else beside.read, most_rows(self.question)
        )

    def rows(self, name: str, terms: Terms, *, placed: bool = True, once: bool = False) -> str:
        """Unit, group and what is measured of every row; without `placed`, also of those without a group.

        Rows of a table are rather read twice than joined twice; those that are read `once` are not kept.
        """
        question, relation, read = self.question, self.rowset.relation, terms.read
        listed = self._found_grouping(read) if question.unknown else None
        groups = grouping(question.public, read, self.enumerated, after=listed)
        columns, conditions = (
            [f"{groups.place} AS group_id"],
            list(groups.conditions) if placed else [],
        )
        if relation.unit is not None:
            unit = read_unit(quote_name(relation.unit[0]), relation.unit[1], relation.dialect)
            columns.append(f"{unit} AS unit")
            conditions.append(f"{unit} IS NOT NULL")
        if relation.unit_rows is not None:
            columns.append(f"{quote_name(relation.unit_rows)} AS unit_table_rows")
        columns += [f"{sql} AS {column}" for column, sql in terms.columns.items()]
        conditions += scan_conditions(needed_columns(question), read)
        conditions += [render(condition, read) for condition in conditions_of(question.rows)]
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        select = (
            f"SELECT {', '.join(columns)} FROM {quote_name(relation.name)}{groups.joins}{where}"
        )
        return cte(name, select, materialized=bool(self.rowset.ctes) and not once)

    def _found_grouping(self, read: Reader) -> Grouping:
        """The place of a row among the unknown keys that were found."""
        if isinstance(self.found, Grouping):
            return self.found
        return found_grouping(self.question, read, self.found)

    def select(self, sql: str, terms: Terms) -> Select:
        """The whole statement, with the numbers that it refers to."""
        return Select(sql, tuple(terms.read.numbers or ()))


@frozen
class RowColumns:
    """A SELECT with a row for every row that counts: its `group_id`, its `unit`, and term_t, what it adds to a term.

    No column is ever NULL.  A term that counts all rows has no column.
    """

    select: Select
    terms: tuple[Term, ...]
    recipes: tuple[Recipe, ...]


def row_columns(question: Question, rowset: Rowset, enumerated: Enumeration) -> RowColumns | None:
    """The rows of a question about units, not yet added up; None unless it counts and sums alone, by known keys.

    Claim:      whoever adds up the rows of a group, each times the weight of its unit, has the measures of `statement`.
    Because:    the rows are those of its `taken_rows`, with the same columns; NULL adds nothing to a sum or a count.
    Checked by: tests/laws/test_engines.py::test_memory_and_duckdb_agree

    >>> from tacit.engines.sql.names_of_stored_rows import Relation
    >>> from tacit.plan import Column, Kind, Table, read_sql
    >>> visits = Table("visits", (Column("cost", Kind.INTEGER, low=0, high=9),), unit="patient", contributions=3)
    >>> plan = read_sql("SELECT COUNT(*) AS n, SUM(cost) AS s FROM visits", {"visits": visits})
    >>> rows = Relation("visits", {"cost": ("cost", "TINYINT")}, ("patient", "BIGINT"))
    >>> found = row_columns(plan.question, Rowset(rows), str)
    >>> print(found.select.sql.partition(") SELECT ")[2])
    group_id, unit, coalesce(value_0, 0) AS term_0 FROM taken_rows
    """
    if rowset.relation.unit is None or question.unknown:
        return None
    plain = [each for each in question.measures if isinstance(each, Counted | Summed)]
    if len(plain) < len(question.measures):
        return None
    taken = TakenRows(question, rowset, enumerated, None)
    terms = taken.terms()
    recipes = terms.recipes(plain)
    columns = ["group_id", "unit", *(_added(each) for each in terms.listed if each.column)]
    rows = taken.rows("taken_rows", terms)
    ctes = ", ".join([*rowset.ctes, rows])
    select = taken.select(f"WITH {ctes} SELECT {', '.join(columns)} FROM taken_rows", terms)
    return RowColumns(select, tuple(terms.listed), recipes)


def _added(term: Term) -> str:
    """What one row adds to a term, as a column."""
    added = (
        f"coalesce({term.column}, 0)"
        if term.sums
        else f"({term.column} IS NOT NULL)::{term.dialect.type_of_codes(2)}"
    )
    return f"{added} AS term_{term.name}"
