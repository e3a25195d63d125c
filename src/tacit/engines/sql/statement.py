"""A question as one SQL statement for DuckDB: integers only, the same whatever the order of rows and threads.

Everybody is added up without weights, and what the units beyond the bound weigh too much is taken off again.  Where one
number is the weight of a unit, sums are added up with weights instead; where every row knows how many rows its unit
has, those of units with few are added up apart, without.  Whole tables that know their strata are added up by stratum.
"""

# ruff: noqa: S608 -- this is the SQL generator: every name and literal goes through `quote_name`, `text` and their like

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from tacit.engines.engine import most_rows
from tacit.engines.sql.distinct_values_sql import count_values
from tacit.engines.sql.expressions import render
from tacit.engines.sql.grid_cells import cell_sql
from tacit.engines.sql.group_index import Enumeration, Grouping, enumeration
from tacit.engines.sql.ingested_sums import (
    strata_of,
    sum_strata,
    sum_whole_table,
    takes_whole_table,
)
from tacit.engines.sql.names_of_stored_rows import Relation, Rowset
from tacit.engines.sql.rows_with_group_and_unit import TakenRows
from tacit.engines.sql.select_with_parameters import Fetched, Select, cte
from tacit.engines.sql.sums_of_terms import Plain, Recipe, Terms
from tacit.engines.sql.unit_weights import (
    can_sort_units,
    change_of_rows,
    count_units,
    has_one_number,
    heavy_rows,
    scale_heavy,
    scale_known,
    weigh_rows,
    weigh_sorted_rows,
    weight_changes,
)
from tacit.frozen import frozen
from tacit.plan import (
    Distinct,
    Question,
    Ranked,
    Units,
    Weights,
    groups_of,
    type_of,
)

__all__ = ["Statement", "histogram", "read_cells", "statement"]


@frozen
class Statement:
    """One SELECT with a row for every group that is not empty; and perhaps a row whose `group_id` is NULL, which stands
    for the rows that have no group.

    A term t has a column total_t, what everybody adds up to without weights, to be multiplied by 2**bits; or a column
    scaled_t, to be added to that; or both.  Either may be NULL.  Every measure has a recipe of terms.
    """

    select: Select
    recipes: tuple[Recipe, ...]

    def read_measures(self, fetched: Fetched, bits: int) -> Iterator[tuple[int, list[int]]]:
        """The groups that the SELECT has found, and the measures of each, multiplied by 2**bits."""
        if not fetched.rows:  # nor columns, of what need not be rehearsed
            return
        places = fetched.places()
        names = dict.fromkeys(name for recipe in self.recipes for name, _ in recipe)
        totals = [
            (name, places.get(f"total_{name}"), places.get(f"scaled_{name}")) for name in names
        ]
        assert all(one is not None or two is not None for _, one, two in totals), "each is there"
        for row in fetched.rows:
            if (group := row[places["group_id"]]) is None:
                continue
            terms = {
                name: ((0 if plain is None else row[plain] or 0) << bits)
                + (0 if scaled is None else row[scaled] or 0)
                for name, plain, scaled in totals
            }
            yield (
                group,
                [sum(terms[name] * times for name, times in recipe) for recipe in self.recipes],
            )


@frozen
class _Query:
    """A SELECT in the making: common table expressions, those that are joined by their groups, and its columns."""

    ctes: tuple[str, ...] = ()
    joined: tuple[tuple[str, str], ...] = ()
    columns: tuple[str, ...] = ()

    def with_table(
        self, ctes: Iterable[str], name: str, columns: Iterable[str], join: str = "LEFT JOIN"
    ) -> _Query:
        """The query, joined with a common table expression that has one row for every group."""
        return _Query((*self.ctes, *ctes), (*self.joined, (join, name)), (*self.columns, *columns))

    def sql(self) -> str:
        (_, first), *others = self.joined
        joins = "".join(f" {join} {name} USING (group_id)" for join, name in others)
        columns = ", ".join(["group_id", *self.columns])
        return f"WITH {', '.join(self.ctes)} SELECT {columns} FROM {first}{joins}"


def statement(
    question: Question,
    weights: Weights,
    rowset: Rowset,
    enumerated: Enumeration = enumeration,
    found: str | Grouping | None = None,
    changes: str | None = None,
) -> Statement:
    """The statement of a question about some rows.

    `found` is a table of the unknown keys that were found and their group_id, or how rows say it themselves; `changes`
    is a table of the units whose rows weigh less than 2**bits.  Without them, the statement lists those keys and finds
    those units itself.

    Claim:      its measures are those of the memory engine, bit for bit, and no row can make the SELECT fail.
    Because:    a unit's weight is 2**bits exactly if its norm is within the bound; the units that are left out of
                `heavy_units` have at most `bound` rows, or a sum of squares that cannot exceed bound**2 with so many
                rows in so many groups; one with at most `bound` rows in a whole table has no more among those that are
                taken.  Products are of 64 bits where the plan proves that they fit, else of 128.
    Checked by: tests/laws/test_engines.py::test_memory_and_duckdb_agree, tests/unit/engines/duckdb/test_ingest.py

    >>> from tacit.plan import Column, Kind, Table, Weighing, read_sql
    >>> visits = Table("visits", (Column("ward", Kind.TEXT, values=("A", "B")),), unit="patient", contributions=3)
    >>> plan = read_sql("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward", {"visits": visits})
    >>> rows = Relation("visits", {"ward": ("ward", "VARCHAR")}, ("patient", "BIGINT"))
    >>> written = statement(plan.question, Weights(Weighing.L1, 3, 9, 10), Rowset(rows))
    >>> print(written.select.sql.replace("), ", "),\\n").replace(") SELECT", ")\\nSELECT"))  # doctest: +ELLIPSIS
    WITH taken_rows AS NOT MATERIALIZED (SELECT (enum_code(...))::UTINYINT AS group_id, "patient" AS unit ...),
    group_totals AS (SELECT group_id, count(*) AS total_0 FROM taken_rows GROUP BY group_id),
    weight_changes AS (SELECT unit, (3072::BIGINT // unit_rows - 1024)::INTEGER AS weight_change FROM ...),
    scaled_totals AS (SELECT group_id, sum(weight_change) AS scaled_0 FROM taken_rows JOIN weight_changes ...)
    SELECT group_id, total_0, scaled_0 FROM group_totals LEFT JOIN scaled_totals USING (group_id)
    """
    taken = TakenRows(question, rowset, enumerated, found)
    plain = [measure for measure in question.measures if not isinstance(measure, Ranked)]
    present = _presences(plain, rowset.relation)
    terms = taken.terms()
    known: dict[Plain, Recipe] = {
        measure: ((f"{'units' if isinstance(measure, Units) else 'values'}_{place}", 1),)
        for place, measure in enumerate(present)
    }
    recipes = terms.recipes(plain, known)
    # What is read anew for every measure is no more than that measure needs, or texts would be made as often as k**2.
    own = [terms if rowset.ctes else taken.terms(terms) for _ in present]
    columns = [each.presence_column(measure) for measure, each in zip(present, own, strict=True)]
    # Where rows are their own units, those without a group are a group of their own: nobody has to look for them first.
    by_unit = rowset.relation.unit is not None
    sorts = by_unit and can_sort_units(weights, question, rowset.relation)
    once = sorts and not present
    rows = taken.rows("taken_rows", terms, placed=by_unit, once=once)
    query, strata = _Query((*rowset.ctes, rows)), strata_of(question, rowset)
    if terms.listed and takes_whole_table(question, rowset):
        parts = sum_whole_table(question, weights, terms.listed, rowset.relation)
        query = query.with_table(parts, "known_totals", _known_columns(terms))
    elif terms.listed and strata is not None:
        given = question, weights, terms, rowset.relation, enumerated
        query = _Query().with_table(sum_strata(strata, *given), "known_totals", [])
        query = query.with_table([], "changed_totals", _known_columns(terms, changed=True))
    elif terms.listed:
        by_sort = sorts and changes is None
        query = _add_totals(
            query, weights, terms, question, rowset.relation, changes, sorts=by_sort
        )
    elif present != [Units()]:
        groups = cte("groups_present", "SELECT group_id FROM taken_rows GROUP BY group_id")
        query = query.with_table([groups], "groups_present", [])
    for place, (measure, each, column) in enumerate(zip(present, own, columns, strict=True)):
        name = "taken_rows" if rowset.ctes else f"taken_rows_{place}"
        if not rowset.ctes:
            query = replace(query, ctes=(*query.ctes, taken.rows(name, each)))
        query = _add_presence(
            query, place, measure, column, name, weights, question, rowset.relation
        )
    return Statement(taken.select(query.sql(), terms), recipes)


def _known_columns(terms: Terms, *, changed: bool = False) -> Iterator[str]:
    """The columns of totals that were made without a look at units; `changed` says that some are changed afterwards."""
    for name in (term.name for term in terms.listed):
        scaled = f"known_scaled_{name}"
        yield f"known_{name} AS total_{name}"
        yield f"{f'({scaled} + coalesce(changed_{name}, 0))' if changed else scaled} AS scaled_{name}"


def _presences(plain: Sequence[Plain], relation: Relation) -> list[Units | Distinct]:
    """The measures that ask who or what is there, where rows have units: each has columns of its own."""
    if relation.unit is None:
        return []
    return [each for each in dict.fromkeys(plain) if isinstance(each, Units | Distinct)]


def _add_totals(
    query: _Query,
    weights: Weights,
    terms: Terms,
    question: Question,
    relation: Relation,
    changes: str | None,
    *,
    sorts: bool,
) -> _Query:
    """The query, and what the terms add up to: without weights, and what weights take off again.

    It `sorts` rows by their units where these are weighed like that.
    """
    listed, by_unit = terms.listed, relation.unit is not None
    totals, scaled = ([f"{what}_{term.name}" for term in listed] for what in ("total", "scaled"))
    if sorts:
        sorted_rows = weigh_sorted_rows(weights, listed, question, relation)
        return query.with_table(sorted_rows, "scaled_totals", scaled)
    weighed = by_unit and changes is None and has_one_number(weights, question)
    apart = weighed and relation.unit_rows is not None
    # to sum everybody without weights, too, is dear
    if weighed and not apart and any(term.sums for term in listed):
        return query.with_table(weigh_rows(weights, listed, relation), "scaled_totals", scaled)
    sums = ", ".join(f"{term.total} AS total_{term.name}" for term in listed)
    only = f" WHERE unit_table_rows <= {weights.bound}" if apart else ""
    everybody = f"SELECT group_id, {sums} FROM taken_rows{only} GROUP BY group_id"
    query = query.with_table([cte("group_totals", everybody)], "group_totals", totals)
    if not by_unit:
        return query
    if apart:
        heavy, join = weigh_rows(weights, listed, relation), "FULL JOIN"
    elif changes is None:
        heavy, join = scale_heavy(weights, listed, question, relation), "LEFT JOIN"
    else:
        heavy, join = scale_known(weights, listed, changes, relation.dialect), "LEFT JOIN"
    return query.with_table(heavy, "scaled_totals", scaled, join)


def _add_presence(
    query: _Query,
    place: int,
    measure: Units | Distinct,
    column: str | None,
    rows: str,
    weights: Weights,
    question: Question,
    relation: Relation,
) -> _Query:
    """The query, and how many units, or different values of units, are in each group."""
    if isinstance(measure, Units):
        dialect = relation.dialect
        parts = count_units(weights, groups_of(question), place, column, rows, dialect)
        return query.with_table(parts, f"unit_counts_{place}", [f"scaled_units_{place}"])
    assert column is not None, "there is something to tell apart"
    assert relation.unit is not None, "rows have units"
    kind = type_of(measure.value).kind
    stored, names = relation.unit[1], relation.names
    known = weights.bound, stored, names, rows, relation.dialect
    parts = count_values(place, column, kind, *known)
    return query.with_table(parts, f"value_counts_{place}", [f"total_values_{place}"])


def histogram(
    question: Question,
    measure: Ranked,
    weights: Weights,
    rowset: Rowset,
    enumerated: Enumeration = enumeration,
    found: str | None = None,
) -> Select:
    """The statement of what is ranked: one SELECT with a row for every cell of a group that is not empty.

    Its `group_id`, its `cell`, how many rows lie there, `total`, to be multiplied by 2**bits, and what is to be added
    to that, `scaled`.

    Claim:      every row has the weight that it has in `statement`, and lies in the cell of `cell_in`.
    Because:    the weights are made of the same rows by the same parts; a row without a value has no cell, and weighs
                in its unit's vector all the same.
    Checked by: tests/laws/test_ranks.py::test_engines_give_the_same_cells
    """
    taken, relation = TakenRows(question, rowset, enumerated, found), rowset.relation
    terms = taken.terms()
    value = render(measure.value, terms.read)
    terms.columns["cell"] = cell_sql(measure, value, relation.dialect)
    totals = "SELECT group_id, cell, count(*) AS total FROM taken_rows WHERE cell IS NOT NULL"
    ctes = [
        *rowset.ctes,
        taken.rows("taken_rows", terms),
        cte("cell_totals", f"{totals} GROUP BY group_id, cell"),
    ]
    if relation.unit is None:
        sql = f"WITH {', '.join(ctes)} SELECT group_id, cell, total, 0 AS scaled FROM cell_totals"
        return taken.select(sql, terms)
    if takes_whole_table(question, rowset):
        change = change_of_rows(weights, "unit_table_rows", relation.dialect)
        sums = f"count(*) AS total, {relation.dialect.total(change)} AS scaled"
        cells = f"SELECT group_id, cell, {sums} FROM taken_rows WHERE cell IS NOT NULL"
        sql = f"WITH {', '.join(ctes[:-1])} {cells} GROUP BY group_id, cell"
        return taken.select(sql, terms)
    heavy = f"{heavy_rows(weights, relation)} JOIN weight_changes USING (unit)"
    less = relation.dialect.total("weight_change")
    changed = f"SELECT group_id, cell, {less} AS scaled FROM {heavy}"
    ctes += weight_changes(weights, question, relation)
    ctes.append(cte("scaled_cells", f"{changed} WHERE cell IS NOT NULL GROUP BY group_id, cell"))
    narrow = not most_rows(question) << weights.bits >> 63
    scaled = (
        f"coalesce(scaled, 0)::{relation.dialect.type('BIGINT' if narrow else 'HUGEINT')} AS scaled"
    )
    cells = "cell_totals LEFT JOIN scaled_cells USING (group_id, cell)"
    return taken.select(
        f"WITH {', '.join(ctes)} SELECT group_id, cell, total, {scaled} FROM {cells}", terms
    )


def read_cells(fetched: Fetched, bits: int) -> Iterator[tuple[int, int, int]]:
    """The groups and cells that a histogram has found, and what the rows in each weigh, multiplied by 2**bits."""
    places = fetched.places()
    for row in fetched.rows:
        weight = (row[places["total"]] << bits) + row[places["scaled"]]
        yield row[places["group_id"]], row[places["cell"]], weight
