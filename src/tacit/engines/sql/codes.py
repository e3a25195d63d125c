"""The statement that codes rows: one SELECT with a small number for every axis, and what the row
weighs."""

# ruff: noqa: S608 -- this is the SQL generator: every name and literal goes through `quote_name`,
# `text` and their like

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tacit.engines.engine import conditions_of, needed_columns
from tacit.engines.sql.dialect import SqlDialect
from tacit.engines.sql.expressions import quote_name, render, whole
from tacit.engines.sql.grid_cells import cell_sql, steps_sql
from tacit.engines.sql.group_index import Enumeration, declared_place, enumeration
from tacit.engines.sql.names_of_stored_rows import Rowset
from tacit.engines.sql.read_stored_columns import read_unit, scan_conditions
from tacit.engines.sql.select_with_parameters import Select, cte
from tacit.plan import Axis, Coding, Key, Kind, Ranked, Weights, constant, type_of

__all__ = ["code_names", "code_statement"]


def code_names(coding: Coding) -> list[str]:
    """The columns of the codes, in the order of the axes."""
    return [f"code_{place}" for place in range(len(coding.axes))]


def code_statement(
    coding: Coding, weights: Weights, rowset: Rowset, enumerated: Enumeration = enumeration
) -> Select:
    """The codes of every row that counts; `weight`, what it weighs, where rows have units.

    Claim:      its rows and weights are those of the memory engine, and no row can make it fail.
    Because:    a unit's weight is made of the number of its rows that are coded, in whole numbers;
                codes are places among public values or cells of a public grid.
    Checked by: tests/laws/test_tables.py::test_engines_count_the_same_tables
    """
    relation, read = rowset.relation, rowset.reader()
    values, steps = list[str](), list[str]()
    joins, conditions, columns = "", list[str](), list[str]()
    for place, (name, axis) in enumerate(zip(code_names(coding), coding.axes, strict=True)):
        code, scaled, join = _code(place, axis, enumerated, read.dialect)
        values.append(f"{render(axis.value, read)} AS value_{place}")
        steps += [] if scaled is None else [f"{scaled} AS steps_{place}"]
        joins += join
        columns.append(f"({code})::{read.dialect.type_of_codes(axis.size)} AS {name}")
        if not axis.null:
            conditions.append(f"({code}) IS NOT NULL")
    read_conditions = scan_conditions(needed_columns(coding.question), read)
    read_conditions += [render(condition, read) for condition in conditions_of(coding.rows)]
    if relation.unit is not None:
        unit = read_unit(quote_name(relation.unit[0]), relation.unit[1], relation.dialect)
        values.append(f"{unit} AS unit")
        columns.append("unit")
        read_conditions.append(f"{unit} IS NOT NULL")
    # Each value is read once, below what is made of it: spelled out within it, it would be computed many times.
    source = quote_name(relation.name)
    values_of = f"SELECT {', '.join(values)} FROM {source}{_where(read_conditions)}"
    steps_of = f"SELECT {', '.join(['*', *steps])} FROM read_values"
    taken = f"SELECT {', '.join(columns)} FROM scaled_values{joins}{_where(conditions)}"
    codes, numbers = ", ".join(code_names(coding)), tuple(read.numbers or ())
    ctes = [
        *rowset.ctes,
        cte("read_values", values_of),
        cte("scaled_values", steps_of),
        cte("coded_rows", taken),
    ]
    if relation.unit is None:
        return Select(f"WITH {', '.join(ctes)} SELECT {codes} FROM coded_rows", numbers)
    bound, full = weights.bound, 1 << weights.bits
    dialect = relation.dialect
    whole_share = f"{bound << weights.bits}::{dialect.type('HUGEINT')}"
    share = f"({dialect.quotient(whole_share, 'count(*)', wide=True)})::BIGINT AS weight"
    heavy = f"SELECT unit, {share} FROM coded_rows GROUP BY unit HAVING count(*) > {bound}"
    ctes.append(cte("heavy_units", heavy))
    weight = f"coalesce(weight, {full})::BIGINT AS weight"
    rows = "coded_rows LEFT JOIN heavy_units USING (unit)"
    if coding.units:
        # a number that only one file knows depends on other units; its name does not
        weight += (
            f", CAST(unit AS {dialect.type('VARCHAR')}) AS unit_name"
            if relation.names is None
            else ""
        )
        if relation.names is not None:
            weight += ", CAST(name AS VARCHAR) AS unit_name"
            rows += f" LEFT JOIN {quote_name(relation.names)} USING (unit)"
    return Select(f"WITH {', '.join(ctes)} SELECT {codes}, {weight} FROM {rows}", numbers)


def _where(conditions: Sequence[str]) -> str:
    return f" WHERE {' AND '.join(conditions)}" if conditions else ""


def _code(
    place: int, axis: Axis, enumerated: Enumeration, dialect: SqlDialect
) -> tuple[str, str | None, str]:
    """The code of a row on an axis, NULL where it has none; its steps on a grid, if any; and what is joined for it."""
    value, kind, join, scaled = f"value_{place}", type_of(axis.value).kind, "", None
    if axis.grid is None:
        code, join, _ = declared_place(
            place, Key(axis.value, axis.values, null=True), value, enumerated, dialect
        )
    else:
        measure = Ranked(axis.value, axis.grid, Fraction(1, 2))
        is_scaled = axis.grid.step != 1 or kind is Kind.NUMBER
        scaled = steps_sql(measure, value, dialect) if is_scaled else None
        cell = cell_sql(measure, value, dialect, f"steps_{place}" if is_scaled else None)
        code = f"{cell} + {whole(len(axis.values))}"
        listed = [dialect.literal(constant(each, kind), kind) for each in axis.values]
        cases = "".join(
            f" WHEN {value} = {each} THEN {number}" for number, each in enumerate(listed)
        )
        code = f"CASE{cases} ELSE {code} END" if cases else code
    return (f"coalesce({code}, {whole(axis.size - 1)})" if axis.null else code), scaled, join
