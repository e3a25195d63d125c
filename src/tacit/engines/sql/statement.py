"""A question as one SQL statement for DuckDB: integers only, the same whatever the order of rows and threads.

Weights are needed for few units: one with at most `bound` rows is never scaled, in either norm.  So everybody is added
up without weights, and what the units beyond the bound weigh too much is taken off again.  Where one number is the
weight of a unit, sums are added up with weights instead; where every row knows how many rows its unit has, those of
units with few are added up apart, without.
"""

# ruff: noqa: S608 -- this is the SQL generator: every name and literal goes through `quoted`, `text` and their like

from collections.abc import Iterable, Iterator, Sequence
from math import isqrt

from tacit.engines.distinct import counted_by_unit
from tacit.engines.engine import conditions_of, most_rows, needed_columns
from tacit.engines.sql.casts import read_cell, read_unit, scan_conditions
from tacit.engines.sql.cells import cell_sql
from tacit.engines.sql.expressions import quote_name, render
from tacit.engines.sql.groups import Enumeration, enumeration, found_grouping, grouping
from tacit.engines.sql.relation import Relation
from tacit.engines.sql.sums import Recipe, Term, Terms
from tacit.engines.weights import presence_weight
from tacit.frozen import frozen
from tacit.plan import (
    Column,
    Distinct,
    Measure,
    Question,
    Ranked,
    Summed,
    Units,
    Weighing,
    Weights,
    groups_of,
    type_of,
)

__all__ = ["Statement", "histogram", "statement"]

_MASK, _NARROW = 64, 31


@frozen
class Statement:
    """One SELECT with a row for every group that is not empty: its place, then two integers for every term; and perhaps
    a row without a place, which stands for the rows that have none.

    The first is what everybody adds up to without weights, to be multiplied by 2**bits; the second, which may be NULL,
    is to be added to it.  Every measure has a recipe of terms.
    """

    sql: str
    recipes: tuple[Recipe, ...]

    def read_measures(
        self, rows: Iterable[Sequence[int | None]], bits: int
    ) -> Iterator[tuple[int, list[int]]]:
        """The groups that the SELECT has found, by their places, and the measures of each, multiplied by 2**bits."""
        return ((place, self._measures(parts, bits)) for place, *parts in rows if place is not None)

    def _measures(self, parts: Sequence[int | None], bits: int) -> list[int]:
        terms = [
            ((plain or 0) << bits) + (held or 0)
            for plain, held in zip(parts[::2], parts[1::2], strict=True)
        ]
        return [sum(terms[place] * times for place, times in recipe) for recipe in self.recipes]


def statement(
    question: Question,
    weights: Weights,
    relation: Relation,
    enumerated: Enumeration = enumeration,
    nested: Sequence[str] = (),
    found: str | None = None,
    light: str | None = None,
) -> Statement:
    """The statement of a question; `nested` are the parts that the relation is made of, if it is not a table.

    `found` is a table of the unknown keys that were found and their places g, `light` one of the units u whose rows
    weigh d less than 2**bits; without them, the statement lists those keys and finds those units itself.

    Claim:      its measures are those of the memory engine, bit for bit, and no row can make the SELECT fail.
    Because:    a unit's weight is 2**bits exactly if its norm is within the bound; the units that are left out of
                `heavy` have at most `bound` rows, or a sum of squares that cannot exceed bound**2 with so many rows in
                so many groups; one with at most `bound` rows in a whole table has no more among those that are taken.
                Products are of 64 bits where the plan proves that they fit, else of 128.
    Checked by: tests/laws/test_engines.py::test_memory_and_duckdb_agree, tests/unit/engines/duckdb/test_ingest.py
    """
    by_unit = relation.unit is not None
    terms = Terms(lambda column: _column(relation, column), rows=most_rows(question))
    plain = [measure for measure in question.measures if not isinstance(measure, Ranked)]
    met = [m for m in dict.fromkeys(plain) if by_unit and isinstance(m, Units | Distinct)]
    # then a count finds the column of its sum
    sums_first = sorted(plain, key=lambda m: not isinstance(m, Summed))
    known = {m: () if m in met else terms.recipe(m) for m in sums_first}
    recipes = [known[m] for m in plain]
    # rows of a table are read twice sooner than joined twice
    kept = "MATERIALIZED" if nested else "NOT MATERIALIZED"
    # What is read anew for every measure is no more than that measure needs, or texts would be made as often as k**2.
    own = [terms if nested else Terms(terms.read, rows=terms.rows) for _ in met]
    seen = [each.presence_column(measure) for measure, each in zip(met, own, strict=True)]
    # Where rows are their own units, those without a group are a group of their own: nobody has to look for them first.
    taken = f"taken AS {kept} ({_taken_rows(question, relation, terms, enumerated, found, placed=by_unit)})"
    parts, tables, columns = [*nested, taken], list[str](), list[str]()
    if terms.listed:
        added, tables, columns = _added_up(weights, terms, question, relation, light)
        parts += added
    if not terms.listed and met != [Units()]:
        parts.append("everyone AS (SELECT g FROM taken GROUP BY g)")
        tables.append("everyone")
    for place, (measure, column) in enumerate(zip(met, seen, strict=True)):
        rows = "taken" if nested else f"taken{place}"
        if not nested:
            parts.append(
                f"{rows} AS {kept} ({_taken_rows(question, relation, own[place], enumerated, found)})"
            )
        if isinstance(measure, Units):
            parts += _units(weights, groups_of(question), place, column, rows)
            columns.append(f"NULL, d{place}.m")
        else:
            assert column is not None, "there is something to tell apart"
            assert relation.unit is not None, "rows have units"
            stored, kind = relation.unit[1], type_of(measure.value).kind
            parts += counted_by_unit(
                place, column, kind, weights.bound, stored, relation.names, rows
            )
            columns.append(f"d{place}.m, NULL")
        tables.append(f"LEFT JOIN d{place} USING (g)" if tables else f"d{place}")
    extra: dict[Measure, Recipe] = {
        measure: ((len(terms.listed) + place, 1),) for place, measure in enumerate(met)
    }
    recipes = [recipe or extra[measure] for recipe, measure in zip(recipes, plain, strict=True)]
    sql = f"WITH {', '.join(parts)} SELECT {', '.join(['g', *columns])} FROM {' '.join(tables)}"
    return Statement(sql, tuple(recipes))


def _added_up(
    weights: Weights, terms: Terms, question: Question, relation: Relation, light: str | None
) -> tuple[list[str], list[str], list[str]]:
    """What the terms add up to: parts of a statement, the tables in which that is, and two columns for each term."""
    listed, by_unit = terms.listed, relation.unit is not None
    weighed = by_unit and light is None and _one_number(weights, question)
    apart = weighed and relation.unit_rows is not None
    # to sum everybody without weights, too, is dear
    if weighed and not apart and any(term.sums for term in listed):
        return (
            [*_weigh_rows(weights, listed, relation)],
            ["held"],
            [f"NULL, h{term.place}" for term in listed],
        )
    sums = ", ".join(f"{term.total} AS m{term.place}" for term in listed)
    only = f" WHERE r <= {weights.bound}" if apart else ""
    parts = [f"everyone AS (SELECT g, {sums} FROM taken{only} GROUP BY g)"]
    if not by_unit:
        return parts, ["everyone"], [f"m{term.place}, NULL" for term in listed]
    columns = [f"m{term.place}, h{term.place}" for term in listed]
    if apart:
        return (
            [*parts, *_weigh_rows(weights, listed, relation)],
            ["everyone", "FULL JOIN held USING (g)"],
            columns,
        )
    held = (
        _scale_heavy(weights, listed, question, relation)
        if light is None
        else _scale_known(weights, terms, light)
    )
    return [*parts, *held], ["everyone", "LEFT JOIN held USING (g)"], columns


def _column(relation: Relation, column: Column) -> str:
    name, stored = relation.columns[column.name]
    return read_cell(quote_name(name), stored, column)


def _taken_rows(
    question: Question,
    relation: Relation,
    terms: Terms,
    enumerated: Enumeration,
    found: str | None = None,
    *,
    placed: bool = True,
) -> str:
    """The rows that count: unit, group and what is measured of them; without `placed`, also those without a group."""
    named = found_grouping(question, terms.read, found) if question.unknown else None
    groups = grouping(question.public, terms.read, enumerated, after=named)
    columns, conditions = [f"{groups.place} AS g"], list(groups.conditions) if placed else []
    if relation.unit is not None:
        unit = read_unit(quote_name(relation.unit[0]), relation.unit[1])
        columns.append(f"{unit} AS u")
        conditions.append(f"{unit} IS NOT NULL")
    if relation.unit_rows is not None:
        columns.append(f"{quote_name(relation.unit_rows)} AS r")
    columns += [f"{sql} AS {name}" for name, sql in terms.columns.items()]
    conditions += scan_conditions(needed_columns(question), terms.read)
    conditions += [render(condition, terms.read) for condition in conditions_of(question.rows)]
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    return f"SELECT {', '.join(columns)} FROM {quote_name(relation.name)}{groups.joins}{where}"


def _weigh_rows(weights: Weights, terms: list[Term], relation: Relation) -> Iterator[str]:
    """What rows weigh, added up: all of them or, where every row knows, those of units with more than `bound`."""
    bound, bits, rows = weights.bound, weights.bits, _heavy_rows(weights, relation)
    share = f"CASE WHEN n > {bound} THEN {_quotient(bound, bits, 'n')} ELSE {1 << bits} END"
    owners = f"SELECT u, count(*) AS n FROM {rows} GROUP BY u"
    yield f"light AS (SELECT u, ({share})::{_lighter(bits)} AS d FROM ({owners}))"
    sums = ", ".join(f"sum({t.weigh(bits)}) AS h{t.place}" for t in terms)
    yield f"held AS (SELECT g, {sums} FROM {rows} JOIN light USING (u) GROUP BY g)"


def _scale_heavy(
    weights: Weights, terms: list[Term], question: Question, relation: Relation
) -> Iterator[str]:
    """What the rows of heavy units weigh less than 2**bits, added up: d is negative or zero."""
    bits = weights.bits
    if _one_number(weights, question):
        yield from _light(weights, question, relation)
        sums = ", ".join(f"sum({t.weigh(bits)}) AS h{t.place}" for t in terms)
        yield f"held AS (SELECT g, {sums} FROM {_heavy_rows(weights, relation)} JOIN light USING (u) GROUP BY g)"
        return
    sums = ", ".join(
        f"({t.total}){'::BIGINT' if t.narrow_total() else ''} AS s{t.place}" for t in terms
    )
    yield from _light(weights, question, relation, f", {sums}")
    sums = ", ".join(
        f"sum({t.factor(bits, rows=most_rows(question))} * s{t.place}) AS h{t.place}" for t in terms
    )
    yield f"held AS (SELECT g, {sums} FROM pairs JOIN light USING (u) GROUP BY g)"


def histogram(
    question: Question,
    measure: Ranked,
    weights: Weights,
    relation: Relation,
    enumerated: Enumeration = enumeration,
    nested: Sequence[str] = (),
    found: str | None = None,
) -> str:
    """The statement of what is ranked: one SELECT with a row for every cell of a group that is not empty.

    Its group, its cell, how many rows lie there, to be multiplied by 2**bits, and what is to be added to that.

    Claim:      every row has the weight that it has in `statement`, and lies in the cell of `cell_in`.
    Because:    the weights are made of the same rows by the same parts; a row without a value has no cell, and weighs
                in its unit's vector all the same.
    Checked by: tests/laws/test_ranks.py::test_engines_give_the_same_cells
    """
    terms = Terms(lambda column: _column(relation, column), rows=most_rows(question))
    terms.columns["v"] = cell_sql(measure, render(measure.value, terms.read))
    kept = "MATERIALIZED" if nested else "NOT MATERIALIZED"
    parts = [
        *nested,
        f"taken AS {kept} ({_taken_rows(question, relation, terms, enumerated, found)})",
    ]
    parts.append(
        "everyone AS (SELECT g, v, count(*) AS m FROM taken WHERE v IS NOT NULL GROUP BY g, v)"
    )
    if relation.unit is None:
        return f"WITH {', '.join(parts)} SELECT g, v, m, 0 AS h FROM everyone"
    parts += _light(weights, question, relation)
    rows = _heavy_rows(weights, relation)
    parts.append(
        f"held AS (SELECT g, v, sum(d) AS h FROM {rows} JOIN light USING (u) WHERE v IS NOT NULL GROUP BY g, v)"
    )
    narrow = not most_rows(question) << weights.bits >> 63
    held = f"coalesce(h, 0)::{'BIGINT' if narrow else 'HUGEINT'}"
    return f"WITH {', '.join(parts)} SELECT g, v, m, {held} AS h FROM everyone LEFT JOIN held USING (g, v)"


def _one_number(weights: Weights, question: Question) -> bool:
    """Whether a unit's vector is one number for the weights: then both norms are its size."""
    return weights.norm is Weighing.L1 or groups_of(question) == 1


def _heavy_rows(weights: Weights, relation: Relation) -> str:
    """The rows among which heavy units are looked for: where each row knows how many its unit has, only theirs."""
    return (
        "taken"
        if relation.unit_rows is None
        else f"(SELECT * FROM taken WHERE r > {weights.bound})"
    )


def _light(
    weights: Weights, question: Question, relation: Relation, sums: str = ""
) -> Iterator[str]:
    """How much less than 2**bits a row of each heavy unit weighs, `light`; its rows by group, `pairs`."""
    bound, bits, rows = weights.bound, weights.bits, _heavy_rows(weights, relation)
    if _one_number(weights, question):
        owners = f"SELECT u, count(*) AS n FROM {rows} GROUP BY u"
        weighed = f"({_weight_in_l1(bound, bits, 'n')})::{_lighter(bits)} AS d"
        yield f"light AS (SELECT u, {weighed} FROM ({owners}) WHERE n > {bound})"
        return
    # With n rows in at least k groups, no sum of squares exceeds (n - k + 1)**2 + k - 1.
    mask = f"bit_count(bit_or(1::UBIGINT << (g % {_MASK})::UBIGINT))"
    owners = f"SELECT u, count(*) AS n, {mask} AS k FROM {rows} GROUP BY u"
    most = "(n - k + 1)::HUGEINT * (n - k + 1) + k - 1"
    yield f"heavy AS (SELECT u FROM ({owners}) WHERE n > {bound} AND {most} > {bound**2}::HUGEINT)"
    pairs = f"SELECT u, g, count(*) AS n{sums} FROM {rows} SEMI JOIN heavy USING (u) GROUP BY u, g"
    yield f"pairs AS MATERIALIZED ({pairs})"
    squares = "SELECT u, sum(n::HUGEINT * n) AS x FROM pairs GROUP BY u"
    yield f"light AS ({_weight_in_l2(squares, bound**2, bits)})"


def _scale_known(weights: Weights, terms: Terms, light: str) -> Iterator[str]:
    """The same, where it is known already which units are heavy, and how much."""
    sums = ", ".join(f"sum({t.weigh(weights.bits)}) AS h{t.place}" for t in terms.listed)
    yield f"held AS (SELECT g, {sums} FROM taken JOIN {light} USING (u) GROUP BY g)"


def _weight_in_l1(most: int, bits: int, norm: str) -> str:
    """The weight of a unit in the norm L1, less 2**bits."""
    return f"{_quotient(most, bits, norm)} - {1 << bits}"


def _quotient(most: int, bits: int, norm: str) -> str:
    """The weight of a unit in the norm L1 that is larger than `most`."""
    whole = most << bits
    return f"{whole}{'::HUGEINT' if whole >> 63 else '::BIGINT'} // {norm}"


def _weight_in_l2(squares: str, most: int, bits: int) -> str:
    """For every unit and its square x, the largest w <= 2**bits with w**2 x <= 4**bits most; less 2**bits.

    Claim:      w is the lesser of 2**bits and isqrt(4**bits most // x), exactly.
    Because:    beyond `most` the quotient q is below 4**40; its root in doubles is off by less than one, and one
                comparison of integers on either side sets it right.
    Checked by: tests/unit/engines/sql/test_statement.py::test_roots_are_exact
    """
    quotient = f"SELECT u, x, {most << 2 * bits}::HUGEINT // x AS q FROM ({squares})"
    guess = f"SELECT u, x, q, floor(sqrt(q::DOUBLE))::HUGEINT AS w FROM ({quotient})"
    right = "CASE WHEN w * w > q THEN w - 1 WHEN (w + 1) * (w + 1) <= q THEN w + 1 ELSE w END"
    less = f"CASE WHEN x <= {most}::HUGEINT THEN 0 ELSE {right} - {1 << bits} END"
    return f"SELECT u, ({less})::{_lighter(bits)} AS d FROM ({guess})"


def _lighter(bits: int) -> str:
    """The type of what a row weighs less than 2**bits, which is at most that much."""
    return "INTEGER" if bits < _NARROW else "BIGINT"


def _units(
    weights: Weights, groups: int, place: int, column: str | None, taken: str
) -> Iterator[str]:
    """How many units are present in each group, each with the weight of its presences, as d{place}."""
    rows = taken if column is None else f"(SELECT u, g FROM {taken} WHERE {column} IS NOT NULL)"
    most = isqrt(weights.units_squared) if weights.norm is Weighing.L1 else weights.units_squared
    full = 1 << weights.bits
    if groups <= _MASK:
        mask = "bit_or(1::UBIGINT << g::UBIGINT)"
        share = [presence_weight(k, weights) for k in range(1, groups + 1)]
        masks = f"SELECT {mask} AS b FROM {rows} GROUP BY u"
        yield f"masks{place} AS (SELECT b, {share}[bit_count(b)] AS w FROM ({masks}))"
        seen = f"masks{place}, range({groups}) AS place(g) WHERE (b >> g::UBIGINT) & 1 = 1"
        yield f"d{place} AS (SELECT g, sum(w) AS m FROM {seen} GROUP BY g)"
        return
    yield f"met{place} AS MATERIALIZED (SELECT u, g FROM {rows} GROUP BY u, g)"
    if groups <= most:  # nobody is in more groups than there are
        yield f"d{place} AS (SELECT g, {full}::HUGEINT * count(*) AS m FROM met{place} GROUP BY g)"
        return
    spread = f"SELECT u, count(*)::HUGEINT AS x FROM met{place} GROUP BY u HAVING count(*) > {most}"
    if weights.norm is Weighing.L1:
        yield f"spread{place} AS (SELECT u, ({_weight_in_l1(most, weights.bits, 'x')})::BIGINT AS d FROM ({spread}))"
    else:
        yield f"spread{place} AS ({_weight_in_l2(spread, most, weights.bits)})"
    held = f"met{place} LEFT JOIN spread{place} USING (u)"
    yield f"d{place} AS (SELECT g, sum({full} + coalesce(d, 0)) AS m FROM {held} GROUP BY g)"
