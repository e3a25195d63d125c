"""Sums over whole tables that were ingested: rows of one stratum weigh the same, and nobody is counted again.

The strata of a text column divide the rows of a table: those of one stratum have the same text, and their units have
equally many rows and the same sum of squares of their numbers of rows by text.  What a row weighs is a function of
these numbers as long as all rows of its unit are taken.  Sums are made by stratum, and few strata are weighed.  Units
of which a row is not taken are found by the strata without a group; their weights are made anew.
"""

# ruff: noqa: S608 -- this is the SQL generator: names are our own, and numbers come from weights

from __future__ import annotations

from collections.abc import Sequence

from tacit.engines.engine import conditions_of, most_rows, needed_columns
from tacit.engines.sql.expressions import quote_name
from tacit.engines.sql.group_index import Enumeration, grouping
from tacit.engines.sql.names_of_stored_rows import Relation, Rowset, Strata
from tacit.engines.sql.read_stored_columns import read_unit, scan_conditions
from tacit.engines.sql.select_with_parameters import Reader, cte
from tacit.engines.sql.sums_of_terms import Term, Terms
from tacit.engines.sql.unit_weights import (
    change_of_rows,
    changes_of_norms,
    has_one_number,
    scale_total,
)
from tacit.plan import MOST_CHARACTERS, Column, Field, Question, Weights

__all__ = ["strata_of", "sum_strata", "sum_whole_table", "takes_whole_table"]


def strata_of(question: Question, rowset: Rowset) -> Strata | None:
    """The strata by which a question is answered, decided by the plan alone; None if there are none.

    Claim:      two rows of a unit have the same group exactly if they have the same text, or none has a group.
    Because:    the only key is a column, whose declared texts are different and so short that none is a cut one;
                NULL has no group.
    Checked by: tests/unit/engines/sql/test_ingested_sums.py::test_strata_answer_alike
    """
    if rowset.ctes or question.unknown or len(question.public) != 1 or _has_conditions(question):
        return None
    (key,) = question.public
    texts = [each for each in key.values or () if isinstance(each, str)]
    plain = len(set(texts)) == len(key.values or ()) and all(
        len(each) < MOST_CHARACTERS for each in texts
    )
    if key.null or not plain or not isinstance(key.value, Field):
        return None
    name = key.value.column.name
    return next((each for each in rowset.relation.strata if each.of == name), None)


def takes_whole_table(question: Question, rowset: Rowset) -> bool:
    """Whether every row of a table is taken, whose rows say how many their unit has: no key and no condition."""
    known = rowset.relation.unit_rows is not None and not rowset.ctes
    return known and not (question.keys or _has_conditions(question) or needed_columns(question))


def _has_conditions(question: Question) -> bool:
    return bool(conditions_of(question.rows))


def sum_whole_table(
    question: Question, weights: Weights, listed: Sequence[Term], relation: Relation
) -> list[str]:
    """What all rows of a table add up to as `known_totals`, with columns as those of `sum_strata`."""
    sums = ", ".join(_total(term) for term in listed)
    by_rows = f"SELECT unit_table_rows, {sums} FROM taken_rows GROUP BY unit_table_rows"
    change = change_of_rows(weights, "unit_table_rows", relation.dialect)
    scaled = ", ".join(_scale_term(term, weights.bits, question, relation) for term in listed)
    weighed = f"SELECT *, {change} AS weight_change FROM row_totals"
    return [
        cte("row_totals", by_rows),
        cte("known_totals", f"SELECT 0 AS group_id, {scaled} FROM ({weighed}) AS weighed"),
    ]


def sum_strata(
    strata: Strata,
    question: Question,
    weights: Weights,
    terms: Terms,
    relation: Relation,
    enumerated: Enumeration,
) -> list[str]:
    """What the rows of a question add up to, as two tables by group_id.

    `known_totals` has for each term known_t, what everybody adds up to without weights, and known_scaled_t, what is to
    be added to that; `changed_totals` has changed_t, what is to be added for units of which some rows are not taken.

    Claim:      the sums are those of the memory engine, bit for bit.
    Because:    the weight of a unit of which every row is taken is a function of its number of rows and of the sum of
                squares, which its strata have.  Of any other unit a row is in a stratum without a group, or fails a
                condition of the scan; one with at most `bound` rows is never scaled, and all others are
                `partial_units`, whose weights are made anew of the rows that are taken.
    Checked by: tests/unit/engines/sql/test_ingested_sums.py::test_strata_answer_alike and
                tests/unit/engines/sql/test_ingested_sums.py::test_units_of_which_rows_are_not_taken_are_weighed_anew
    """
    assert relation.unit is not None, "rows of strata have units"
    unit = read_unit(quote_name(relation.unit[0]), relation.unit[1], relation.dialect)
    conditions = scan_conditions(needed_columns(question), terms.read)
    sums = ", ".join(_total(term) for term in terms.listed)
    scaled = ", ".join(_scale_term(term, weights.bits, question, relation) for term in terms.listed)
    return [
        cte(
            "strata",
            _weigh_strata(strata, question, weights, terms.read, enumerated),
            materialized=True,
        ),
        cte(
            "stratum_rows",
            _read_rows(strata, unit, conditions, terms, relation),
            materialized=False,
        ),
        cte("stratum_totals", f"SELECT stratum, {sums} FROM stratum_rows GROUP BY stratum"),
        cte(
            "known_totals",
            f"SELECT group_id, {scaled} FROM stratum_totals LEFT JOIN strata USING (stratum) GROUP BY group_id",
        ),
        cte("partial_units", _find_partial_units(unit, conditions, relation, weights.bound)),
        *_weigh_anew(question, weights, terms, sums),
    ]


def _weigh_strata(
    strata: Strata, question: Question, weights: Weights, read: Reader, enumerated: Enumeration
) -> str:
    """The group of every stratum, and what its rows weigh if every row of their units is taken."""
    # places are looked up in the table of strata, where a text is as long as it is
    cells = Reader(_cell, read.numbers, read.dialect, _cell)
    groups = grouping(question.public, cells, enumerated)
    assert not groups.joins, "texts are found without a join"
    norm = "unit_rows" if has_one_number(weights, question) else "unit_squares"
    size = f"{norm}::{read.dialect.type('HUGEINT')} AS square"
    norms = f"SELECT stratum, {groups.place} AS group_id, unit_rows, {size} FROM {strata.table}"
    return changes_of_norms(norms, "stratum, group_id, unit_rows", weights, question, read.dialect)


def _read_rows(
    strata: Strata, unit: str, conditions: Sequence[str], terms: Terms, relation: Relation
) -> str:
    """The stratum and the unit of every row that is there, and what is measured of it."""
    columns = [f"{strata.column} AS stratum", f"{unit} AS unit"]
    columns += [f"{sql} AS {column}" for column, sql in terms.columns.items()]
    there = " AND ".join([f"{unit} IS NOT NULL", *conditions])
    return f"SELECT {', '.join(columns)} FROM {quote_name(relation.name)} WHERE {there}"


def _find_partial_units(
    unit: str, conditions: Sequence[str], relation: Relation, bound: int
) -> str:
    """The units with more than `bound` rows of which one is in no group, or not there."""
    partial = (
        f"SELECT unit FROM stratum_rows SEMI JOIN (SELECT stratum FROM strata WHERE group_id IS NULL "
        f"AND unit_rows > {bound}) AS odd_strata USING (stratum)"
    )
    if conditions:
        gone = f"({' AND '.join(conditions)}) IS NOT TRUE"
        rows = f"{quote_name(relation.name)} WHERE unit_table_rows > {bound}"
        partial += f" UNION ALL SELECT {unit} AS unit FROM {rows} AND {gone}"
    return f"SELECT DISTINCT unit FROM ({partial}) AS partial"


def _weigh_anew(question: Question, weights: Weights, terms: Terms, sums: str) -> list[str]:
    """What is to be added for the units of which some rows are not taken, as `changed_totals`."""
    dialect = terms.read.dialect
    size = "pair_rows" if has_one_number(weights, question) else "pair_rows * pair_rows"
    totals = ", ".join(f"total_{term.name}" for term in terms.listed)
    pairs = (
        f"SELECT unit, stratum, count(*)::HUGEINT AS pair_rows, {sums} "
        "FROM stratum_rows SEMI JOIN partial_units USING (unit) GROUP BY unit, stratum"
    )
    # a window, since to look at pairs twice takes longer even where there are none
    anew = (
        f"SELECT group_id, weight_change AS known_change, {totals}, sum({size}) OVER (PARTITION BY unit) AS square "
        "FROM unit_groups JOIN strata USING (stratum) WHERE group_id IS NOT NULL"
    )
    kept = f"group_id, known_change, {totals}"
    more = "(weight_change - known_change)"
    changed = ", ".join(
        f"{scale_total(term, more, weights.bits, most_rows(question), dialect)} AS changed_{term.name}"
        for term in terms.listed
    )
    return [
        cte("unit_groups", pairs),
        cte("changed_groups", changes_of_norms(anew, kept, weights, question, dialect)),
        cte(
            "changed_totals",
            f"SELECT group_id, {changed} FROM changed_groups GROUP BY group_id",
        ),
    ]


def _cell(_: Column) -> str:
    return "cell"


def _total(term: Term) -> str:
    """What rows add up to, in 64 bits where it fits."""
    return f"({term.total}){'::BIGINT' if term.narrow_total() else ''} AS total_{term.name}"


def _scale_term(term: Term, bits: int, question: Question, relation: Relation) -> str:
    """What totals add up to: without weights, and what weights take off again."""
    scaled = scale_total(term, "weight_change", bits, most_rows(question), relation.dialect)
    return f"sum(total_{term.name}) AS known_{term.name}, {scaled} AS known_scaled_{term.name}"
