"""The statement that codes rows: one SELECT with a small number for every axis, and what the row
weighs."""

# ruff: noqa: S608 -- this is the SQL generator: every name and literal goes through `quote_name`,
# `text` and their like

from collections.abc import Sequence
from fractions import Fraction

from tacit.engines.coded_rows import code_type
from tacit.engines.engine import conditions_of, needed_columns
from tacit.engines.sql.casts import read_unit, scan_conditions
from tacit.engines.sql.cells import cell_sql
from tacit.engines.sql.expressions import Reader, literal, quote_name, render, whole
from tacit.engines.sql.groups import Enumeration, declared_place, enumeration
from tacit.engines.sql.relation import Relation
from tacit.engines.sql.rows import reader
from tacit.plan import Axis, Coding, Key, Ranked, Weights, constant, type_of

__all__ = ["code_statement"]


def code_statement(
    coding: Coding,
    weights: Weights,
    relation: Relation,
    enumerated: Enumeration = enumeration,
    nested: Sequence[str] = (),
) -> str:
    """The codes of every row that counts, c0, c1, …; w, what it weighs, where rows have units.

    Claim:      its rows and weights are those of the memory engine, and no row can make it fail.
    Because:    a unit's weight is made of the number of its rows that are coded, in whole numbers;
                codes are places among public values or cells of a public grid.
    Checked by: tests/laws/test_tables.py::test_engines_count_the_same_tables
    """
    read, joins, conditions, columns = reader(relation), "", list[str](), list[str]()
    for place, axis in enumerate(coding.axes):
        code, join = _code(place, axis, read, enumerated)
        joins += join
        columns.append(f"({code})::{code_type(axis.size)} AS c{place}")
        if not axis.null:
            conditions.append(f"({code}) IS NOT NULL")
    if relation.unit is not None:
        unit = read_unit(quote_name(relation.unit[0]), relation.unit[1])
        columns.append(f"{unit} AS u")
        conditions.append(f"{unit} IS NOT NULL")
    conditions += scan_conditions(needed_columns(coding.question), read)
    conditions += [render(condition, read) for condition in conditions_of(coding.rows)]
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    taken = f"SELECT {', '.join(columns)} FROM {quote_name(relation.name)}{joins}{where}"
    codes = ", ".join(f"c{place}" for place in range(len(coding.axes)))
    if relation.unit is None:
        before = f"WITH {', '.join(nested)} " if nested else ""
        return f"{before}SELECT {codes} FROM ({taken})"
    bound, full = weights.bound, 1 << weights.bits
    share = f"({bound << weights.bits}::HUGEINT // count(*))::BIGINT"
    heavy = f"SELECT u, {share} AS w FROM coded GROUP BY u HAVING count(*) > {bound}"
    parts = ", ".join([*nested, f"coded AS ({taken})", f"heavy AS ({heavy})"])
    weight = f"coalesce(w, {full})::BIGINT AS w"
    return f"WITH {parts} SELECT {codes}, {weight} FROM coded LEFT JOIN heavy USING (u)"


def _code(place: int, axis: Axis, read: Reader, enumerated: Enumeration) -> tuple[str, str]:
    """The code of a row on an axis, NULL where it has none, and what is joined for it."""
    value, kind, join = render(axis.value, read), type_of(axis.value).kind, ""
    if axis.grid is None:
        code, join, _ = declared_place(
            place, Key(axis.value, axis.values, null=True), value, enumerated
        )
    else:
        cell = cell_sql(Ranked(axis.value, axis.grid, Fraction(1, 2)), value)
        code = f"{cell} + {whole(len(axis.values))}"
        listed = [literal(constant(each, kind), kind) for each in axis.values]
        cases = "".join(
            f" WHEN {value} = {each} THEN {number}" for number, each in enumerate(listed)
        )
        code = f"CASE{cases} ELSE {code} END" if cases else code
    return (f"coalesce({code}, {whole(axis.size - 1)})" if axis.null else code), join
