"""Functions with a unit of time mean the same however the unit is spelled and whatever they are given, as in DuckDB."""

from contextlib import closing

import duckdb
import pytest

from tacit.plan import compile_expression, plain, read_sql, type_of
from tests.laws import clinic
from tests.laws.functions import COLUMNS, TABLES, rows
from tests.laws.test_functions import filled, value_of
from tests.together import together

OPERANDS = {
    "a column": ("{0}", "{0}"),
    "of a table": ("v.{0}", "v.{0}"),
    "in quotes": ('v."{0}"', 'v."{0}"'),
    "a cast": ("CAST(v.{0} AS TIMESTAMP)", "CAST(v.{0} AS TIMESTAMP)"),
    "later": ("v.{0} + INTERVAL '1 day'", "v.{0} + INTERVAL '1 day'"),
    "a choice": ("CASE WHEN v.i > 0 THEN v.{0} END", "CASE WHEN v.i > 0 THEN v.{0} END"),
    "a call": ("COALESCE(v.{0}, DATE '2024-02-29')", "COALESCE(v.{0}, DATE '2024-02-29')"),
}
"""What stands last, in the spelling that is read and in DuckDB's."""
ABBREVIATED = {
    "year": ("yy", "yyyy"),
    "quarter": ("qq", "qtr"),
    "month": ("mm", "mon"),
    "week": ("wk", "isoweek"),
    "day": ("dd", "d"),
    "hour": ("hh",),
}
UNITS = tuple(ABBREVIATED)
FIRST = {
    "DATEDIFF({unit}, {one}, {other})": "date_diff('{plain}', {one}, {other})",
    "DATE_DIFF({unit}, {one}, {other})": "date_diff('{plain}', {one}, {other})",
    "DATE_TRUNC({unit}, {other})": "date_trunc('{plain}', {other})",
    "DATETRUNC({unit}, {other})": "date_trunc('{plain}', {other})",
    "DATEPART({unit}, {other})": "date_part('{plain}', {other})",
    "DATE_PART({unit}, {other})": "date_part('{plain}', {other})",
    "DATEADD({unit}, 3, {other})": "{other} + INTERVAL 3 {plain}",
    "DATEADD({unit}, v.k, {other})": "{other} + INTERVAL 1 {plain} * v.k",
    "TIMESTAMPADD({unit}, -3, {other})": "{other} - INTERVAL 3 {plain}",
    "DATE_ADD({unit}, 3, {other})": "{other} + INTERVAL 3 {plain}",
    "TIMESTAMPDIFF({unit}, {one}, {other})": "date_sub('{plain}', {one}, {other})",
    "DATE_SUB({unit}, {one}, {other})": "date_sub('{plain}', {one}, {other})",
}
"""Functions whose unit comes first, and what DuckDB calls them."""
LAST = {
    "DATE_DIFF({other}, {one}, {unit})": "date_diff('{plain}', {one}, {other})",
    "DATETIME_DIFF({other}, {one}, {unit})": "date_diff('{plain}', {one}, {other})",
    "DATE_TRUNC({other}, {unit})": "date_trunc('{plain}', {other})",
    "TIMESTAMP_TRUNC({other}, {unit})": "date_trunc('{plain}', {other})",
    "TRUNC({other}, '{unit}')": "date_trunc('{plain}', {other})",
}
WEEK_BEGINS = {"MONDAY": 0, "SUNDAY": 1, "SATURDAY": 2, "WEDNESDAY": 5}


@pytest.fixture(scope="module")
def peer():
    with closing(duckdb.connect()) as connection:
        yield filled(connection, rows())


CELLS = [
    {column.name: plain(row[column.name], column.kind) for column in COLUMNS} for row in rows()
]


def read(written):
    condition = read_sql(f"SELECT COUNT(*) AS n FROM rows v WHERE ({written}) IS NOT NULL", TABLES)
    return condition.question.rows.condition.operand.operand


def check(written, meant, peer):
    """Both are equal in all rows."""
    expression = read(written)
    kind, value = type_of(expression).kind, compile_expression(expression)
    theirs = peer.execute(f"SELECT {meant} FROM rows v").fetchall()
    for cells, (cell,) in zip(CELLS, theirs, strict=True):
        assert value(cells) == value_of(cell, kind), (cells, cell)


def is_read(form, unit):
    """Whether a function takes a unit: how many weeks apart two days are differs between dialects."""
    return unit != "week" or ("_DIFF" not in form and "DATEDIFF" not in form)


@together
@pytest.mark.parametrize(("form", "plainly"), FIRST.items(), ids=list(FIRST))
@pytest.mark.parametrize("operand", OPERANDS)
@pytest.mark.parametrize("unit", UNITS)
def test_a_unit_that_comes_first_means_what_it_means_in_duckdb(form, plainly, operand, unit, peer):
    ours, theirs = OPERANDS[operand]
    for first, second in (("d", "s"), ("s", "d")):
        if not is_read(form, unit):
            break
        given = {"one": ours.format(first), "other": ours.format(second)}
        meant = {"one": theirs.format(first), "other": theirs.format(second)}
        check(form.format(unit=unit, **given), plainly.format(plain=unit, **meant), peer)
        bare = read(form.format(unit=unit, **given))
        for spelled in (unit.upper(), f"'{unit}'", *ABBREVIATED[unit]):
            assert read(form.format(unit=spelled, **given)) == bare, spelled


@together
@pytest.mark.parametrize(("form", "plainly"), LAST.items(), ids=list(LAST))
@pytest.mark.parametrize("operand", OPERANDS)
@pytest.mark.parametrize("unit", UNITS)
def test_a_unit_that_comes_last_means_what_it_means_in_duckdb(form, plainly, operand, unit, peer):
    ours, theirs = OPERANDS[operand]
    for first, second in (("d", "s"), ("s", "d")):
        if not is_read(form, unit):
            break
        given = {"one": ours.format(first), "other": ours.format(second)}
        meant = {"one": theirs.format(first), "other": theirs.format(second)}
        check(form.format(unit=unit.upper(), **given), plainly.format(plain=unit, **meant), peer)


@together
@pytest.mark.parametrize("unit", ["month", "week", "day", "hour"])
@pytest.mark.parametrize("column", ["d", "s"])
def test_an_interval_may_be_as_long_as_a_row_says(unit, column, peer):
    for written in (
        f"v.{column} + INTERVAL '2 {unit}' * v.k",
        f"v.{column} - (v.k + 1) * INTERVAL '1 {unit}'",
        f"(v.k * INTERVAL '3 {unit}') + v.{column}",
    ):
        check(written, written, peer)


@together
@pytest.mark.parametrize("day", WEEK_BEGINS)
@pytest.mark.parametrize("column", ["d", "s"])
def test_a_week_begins_on_the_day_that_it_names(day, column, peer):
    moved = WEEK_BEGINS[day]

    def begun(moment):
        return f"date_trunc('week', {moment} + INTERVAL {moved} DAY) - INTERVAL {moved} DAY"

    meant = f"CAST({begun(f'v.{column}')} AS {'DATE' if column == 'd' else 'TIMESTAMP'})"
    check(f"DATE_TRUNC(v.{column}, WEEK({day}))", meant, peer)
    check(
        f"DATE_DIFF(v.s, v.{column}, WEEK({day}))",
        f"date_diff('day', {begun(f'v.{column}')}, {begun('v.s')}) // 7",
        peer,
    )


@together
@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("spelled", ["{0}", "'{0}'"])
def test_a_unit_is_read_beside_aggregates(unit, spelled):
    def plan(text):
        return read_sql(text, clinic.TABLES)

    named = spelled.format(unit)
    inside = (
        "SELECT AVG(apart) AS m FROM (SELECT patient, {} AS apart FROM visits GROUP BY patient) x"
    )
    later = inside.format("MAX(day)")
    assert plan(
        inside.format(f"DATE_TRUNC({named}, MAX(day))").replace("AVG(apart)", "COUNT(apart)")
    )
    assert plan(later.replace("AVG(apart)", f"COUNT(DATE_TRUNC({named}, x.apart))"))
    if unit != "week":
        one = plan(inside.format(f"DATEDIFF({named}, MIN(day), MAX(day))"))
        assert one == plan(inside.format(f"DATE_DIFF(MAX(day), MIN(day), {named})"))
        assert one == plan(inside.format(f"DATE_DIFF('{unit}', MIN(day), MAX(day))"))


def test_a_column_that_is_called_like_a_unit_is_a_column():
    def condition(text):
        return read_sql(f"SELECT COUNT(*) AS n FROM visits WHERE {text} IS NOT NULL", clinic.TABLES)

    trunc, diff = "DATE_TRUNC('month', day)", "DATE_DIFF('month', day, day)"
    assert condition("DATE_TRUNC(day, MONTH)") == condition("DATE_TRUNC(month, day)")
    assert condition("DATE_TRUNC(month, day)") == condition(trunc)
    assert condition("DATE_DIFF(month, day, day)") == condition(diff)
    assert condition("DATEDIFF(month, day, day)") == condition(diff)
    assert condition('DATE_TRUNC("day", MONTH)') == condition(trunc)
