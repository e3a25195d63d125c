"""What the rows of heavy units weigh less than others, as SQL: exact integers, and weights for few units.

One with at most `bound` rows is never scaled, in either norm.  So everybody is added up without weights, and what the
units beyond the bound weigh too much is taken off again: `weight_change` is negative or zero.
"""

# ruff: noqa: S608 -- this is the SQL generator: names are our own, and numbers come from weights

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isqrt

from tacit.engines.engine import most_rows
from tacit.engines.sql.dialect import SqlDialect
from tacit.engines.sql.names_of_stored_rows import Relation
from tacit.engines.sql.select_with_parameters import cte
from tacit.engines.sql.sums_of_terms import Term
from tacit.engines.weights_of_rows import presence_weight
from tacit.plan import Question, Weighing, Weights, groups_of

__all__ = [
    "MASK",
    "can_sort_units",
    "change_of_rows",
    "changes_of_norms",
    "count_units",
    "has_one_number",
    "heavy_rows",
    "scale_heavy",
    "scale_known",
    "scale_total",
    "weigh_rows",
    "weigh_sorted_rows",
    "weight_changes",
]

MASK, _NARROW, _EXACT = 64, 31, 52


def has_one_number(weights: Weights, question: Question) -> bool:
    """Whether a unit's vector is one number for the weights: then both norms are its size."""
    return weights.norm is Weighing.L1 or groups_of(question) == 1


def heavy_rows(weights: Weights, relation: Relation) -> str:
    """The rows among which heavy units are looked for: where each row knows how many its unit has, only theirs."""
    if relation.unit_rows is None:
        return "taken_rows"
    return f"(SELECT * FROM taken_rows WHERE unit_table_rows > {weights.bound}) AS many_rows"


def weigh_rows(weights: Weights, terms: Sequence[Term], relation: Relation) -> Iterator[str]:
    """What rows weigh, added up: all of them or, where every row knows, those of units with more than `bound`."""
    bound, bits, rows = weights.bound, weights.bits, heavy_rows(weights, relation)
    quotient = _quotient(bound, bits, "unit_rows", relation.dialect)
    share = f"CASE WHEN unit_rows > {bound} THEN {quotient} ELSE {1 << bits} END"
    yield cte(
        "unit_weights",
        f"SELECT unit, ({share})::{_narrow_type(bits)} AS weight FROM ({_count_rows(rows)}) AS counted",
    )
    yield _scaled_totals(
        "weight", bits, terms, f"{rows} JOIN unit_weights USING (unit)", relation.dialect
    )


def can_sort_units(weights: Weights, question: Question, relation: Relation) -> bool:
    """Whether rows are weighed as a sort brings those of each unit together: roots are those of doubles."""
    return relation.dialect.sorts_units and (
        has_one_number(weights, question) or not weights.bound**2 << 2 * weights.bits >> _EXACT
    )


def weigh_sorted_rows(
    weights: Weights, terms: Sequence[Term], question: Question, relation: Relation
) -> Iterator[str]:
    """What rows weigh, added up, in one pass: windows say of every row how many its unit has, or their squares.

    Claim:      the weights are those of `weight`, exactly, in either norm.
    Because:    the rows of a unit in a group are as many for each of them, so that their sum over its rows is the sum
                of squares over groups; why the root of that is exact says `_weight_in_l2`.
    Checked by: tests/unit/engines/sql/test_unit_weights.py::test_roots_in_doubles_are_exact and
                tests/laws/test_engine_conformance.py::test_questions_have_the_same_integers_in_postgres
    """
    bound, bits, dialect = weights.bound, weights.bits, relation.dialect
    kept = ", ".join(["group_id", *dict.fromkeys(term.column for term in terms if term.column)])
    if has_one_number(weights, question):
        sizes = f"SELECT {kept}, count(*) OVER (PARTITION BY unit) AS unit_rows FROM taken_rows"
        share = _quotient(bound, bits, "unit_rows", dialect)
        weight = f"CASE WHEN unit_rows > {bound} THEN {share} ELSE {1 << bits} END"
    else:
        double = dialect.type("DOUBLE")
        pairs = f"(count(*) OVER (PARTITION BY unit, group_id))::{double} AS pair_rows"
        counted = f"SELECT unit, {kept}, {pairs} FROM taken_rows"
        square = "sum(pair_rows) OVER (PARTITION BY unit) AS square"
        sizes = f"SELECT {kept}, {square} FROM ({counted}) AS counted"
        weight = _weight_in_l2("square", bound**2, bits, dialect)
    yield cte(
        "weighed_rows",
        f"SELECT {kept}, ({weight})::{_narrow_type(bits)} AS weight FROM ({sizes}) AS sizes",
    )
    yield _scaled_totals("weight", bits, terms, "weighed_rows", dialect)


def scale_heavy(
    weights: Weights, terms: Sequence[Term], question: Question, relation: Relation
) -> Iterator[str]:
    """What the rows of heavy units weigh less than 2**bits, added up."""
    bits = weights.bits
    if has_one_number(weights, question):
        yield from weight_changes(weights, question, relation)
        yield _scaled_totals(
            "weight_change",
            bits,
            terms,
            f"{heavy_rows(weights, relation)} JOIN weight_changes USING (unit)",
            relation.dialect,
        )
        return
    sums = "".join(
        f", ({term.total}){'::BIGINT' if term.narrow_total() else ''} AS total_{term.name}"
        for term in terms
    )
    yield from weight_changes(weights, question, relation, sums)
    rows, dialect = most_rows(question), relation.dialect
    scaled = ", ".join(
        f"{scale_total(term, 'weight_change', bits, rows, dialect)} AS scaled_{term.name}"
        for term in terms
    )
    pairs = "unit_groups JOIN weight_changes USING (unit)"
    yield cte("scaled_totals", f"SELECT group_id, {scaled} FROM {pairs} GROUP BY group_id")


def scale_total(term: Term, change: str, bits: int, rows: int, dialect: SqlDialect) -> str:
    """What totals of so many rows add up to, each times the change of its unit's weight."""
    product = f"{term.widen(change, bits, rows=rows)} * total_{term.name}"
    return dialect.total(product, wide=term.is_wide(bits, rows=rows))


def scale_known(
    weights: Weights, terms: Sequence[Term], changes: str, dialect: SqlDialect
) -> Iterator[str]:
    """The same, where a table says already which units are heavy, and how much."""
    rows = f"taken_rows JOIN {changes} USING (unit)"
    yield _scaled_totals("weight_change", weights.bits, terms, rows, dialect)


def weight_changes(
    weights: Weights, question: Question, relation: Relation, sums: str = ""
) -> Iterator[str]:
    """How much less than 2**bits a row of each heavy unit weighs; in L2 also its rows by group, `unit_groups`."""
    bound, bits, rows = weights.bound, weights.bits, heavy_rows(weights, relation)
    dialect, wide = relation.dialect, relation.dialect.type("HUGEINT")
    if has_one_number(weights, question):
        less = _change_in_l1(bound, bits, "unit_rows", dialect)
        change = f"({less})::{_narrow_type(bits)} AS weight_change"
        yield cte(
            "weight_changes",
            f"SELECT unit, {change} FROM ({_count_rows(rows)}) AS counted WHERE unit_rows > {bound}",
        )
        return
    # With n rows in at least k groups, no sum of squares exceeds (n - k + 1)**2 + k - 1.
    mask = f"bit_or({dialect.bit(f'(group_id % {MASK})')})"
    seen = f"{dialect.count_bits(mask)} AS least_groups"
    owners = f"SELECT unit, count(*) AS unit_rows, {seen} FROM {rows} GROUP BY unit"
    longest = "(unit_rows - least_groups + 1)"
    most = f"{longest}::{wide} * {longest} + least_groups - 1"
    yield cte(
        "heavy_units",
        f"SELECT unit FROM ({owners}) AS counted "
        f"WHERE unit_rows > {bound} AND {most} > {bound**2}::{wide}",
    )
    among = dialect.semi_join(rows, "heavy_units")
    pairs = f"SELECT unit, group_id, count(*) AS pair_rows{sums} FROM {among}"
    yield cte(
        "unit_groups",
        f"{pairs} GROUP BY unit, group_id",
        materialized=True,
    )
    square = dialect.total(f"pair_rows::{wide} * pair_rows", wide=True)
    squares = f"SELECT unit, {square} AS square FROM unit_groups GROUP BY unit"
    yield cte("weight_changes", _change_in_l2(squares, bound**2, bits, dialect))


def count_units(
    weights: Weights,
    groups: int,
    place: int,
    column: str | None,
    taken: str,
    dialect: SqlDialect,
) -> Iterator[str]:
    """How many units are present in each group, each with the weight of its presences, as unit_counts_{place}."""
    rows = (
        taken
        if column is None
        else f"(SELECT unit, group_id FROM {taken} WHERE {column} IS NOT NULL) AS present_rows"
    )
    counted, scaled = f"unit_counts_{place}", f"scaled_units_{place}"
    most = isqrt(weights.units_squared) if weights.norm is Weighing.L1 else weights.units_squared
    full, wide = 1 << weights.bits, dialect.type("HUGEINT")
    if groups <= MASK:
        masks, share = (
            f"unit_masks_{place}",
            [presence_weight(k, weights) for k in range(1, groups + 1)],
        )
        mask = f"SELECT bit_or({dialect.bit('group_id')}) AS mask FROM {rows} GROUP BY unit"
        weight = dialect.pick(share, dialect.count_bits("mask"))
        yield cte(masks, f"SELECT mask, {weight} AS weight FROM ({mask}) AS masks")
        every, here = dialect.list_numbers(groups), dialect.has_bit("mask", "group_id")
        total = f"SELECT group_id, {dialect.total('weight')} AS {scaled}"
        yield cte(counted, f"{total} FROM {masks}, {every} WHERE {here} GROUP BY group_id")
        return
    present, spread = f"present_units_{place}", f"spread_units_{place}"
    yield cte(
        present, f"SELECT unit, group_id FROM {rows} GROUP BY unit, group_id", materialized=True
    )
    if groups <= most:  # nobody is in more groups than there are
        number = f"{full}::{wide} * count(*) AS {scaled}"
        yield cte(counted, f"SELECT group_id, {number} FROM {present} GROUP BY group_id")
        return
    many = f"SELECT unit, count(*)::{wide} AS square FROM {present} GROUP BY unit HAVING count(*) > {most}"
    if weights.norm is Weighing.L1:
        less = _change_in_l1(most, weights.bits, "square", dialect, wide=True)
        yield cte(
            spread, f"SELECT unit, ({less})::BIGINT AS weight_change FROM ({many}) AS counted"
        )
    else:
        yield cte(spread, _change_in_l2(many, most, weights.bits, dialect))
    number = f"{dialect.total(f'{full} + coalesce(weight_change, 0)')} AS {scaled}"
    pairs = f"{present} LEFT JOIN {spread} USING (unit)"
    yield cte(counted, f"SELECT group_id, {number} FROM {pairs} GROUP BY group_id")


def change_of_rows(weights: Weights, rows: str, dialect: SqlDialect) -> str:
    """How much less than 2**bits a row weighs of a unit that has so many, where one number is its vector."""
    bound, bits = weights.bound, weights.bits
    less = _change_in_l1(bound, bits, rows, dialect)
    return f"(CASE WHEN {rows} > {bound} THEN {less} ELSE 0 END)::{_narrow_type(bits)}"


def changes_of_norms(
    norms: str, kept: str, weights: Weights, question: Question, dialect: SqlDialect
) -> str:
    """The same for every row of a SELECT, by its `square`: how many rows a unit has, or their squares by group.

    `kept` are the columns that stay beside it.
    """
    if has_one_number(weights, question):
        change = change_of_rows(weights, "square", dialect)
        return f"SELECT {kept}, {change} AS weight_change FROM ({norms}) AS norms"
    return _change_in_l2(norms, weights.bound**2, weights.bits, dialect, kept)


def _count_rows(rows: str) -> str:
    return f"SELECT unit, count(*) AS unit_rows FROM {rows} GROUP BY unit"


def _scaled_totals(
    weight: str, bits: int, terms: Sequence[Term], rows: str, dialect: SqlDialect
) -> str:
    """What rows add up to, each times a column of weights."""
    sums = ", ".join(
        f"{dialect.total(term.scale_row(weight, bits), wide=term.sums and term.is_wide(bits, rows=1))}"
        f" AS scaled_{term.name}"
        for term in terms
    )
    return cte("scaled_totals", f"SELECT group_id, {sums} FROM {rows} GROUP BY group_id")


def _change_in_l1(
    most: int, bits: int, norm: str, dialect: SqlDialect, *, wide: bool = False
) -> str:
    """The weight of a unit in the norm L1, less 2**bits; `wide` says whether the norm has 128 bits."""
    return f"{_quotient(most, bits, norm, dialect, wide=wide)} - {1 << bits}"


def _quotient(most: int, bits: int, norm: str, dialect: SqlDialect, *, wide: bool = False) -> str:
    """The weight of a unit in the norm L1 that is larger than `most`."""
    whole = most << bits
    wide_share = bool(whole >> 63)
    share = f"{whole}::{dialect.type('HUGEINT' if wide_share else 'BIGINT')}"
    return dialect.quotient(share, norm, wide=wide or wide_share)


def _change_in_l2(
    squares: str, most: int, bits: int, dialect: SqlDialect, kept: str = "unit"
) -> str:
    """For every unit and its `square`, the largest w <= 2**bits with w**2 square <= 4**bits most; less 2**bits.

    Claim:      w is the lesser of 2**bits and isqrt(4**bits most // square), exactly.
    Because:    beyond `most` the quotient is below 4**40; its root in doubles is off by less than one, and one
                comparison of integers on either side sets it right.
    Checked by: tests/unit/engines/sql/test_unit_weights.py::test_roots_are_exact
    """
    wide, double = dialect.type("HUGEINT"), dialect.type("DOUBLE")
    share = dialect.quotient(f"{most << 2 * bits}::{wide}", "square", wide=True)
    quotient = f"SELECT {kept}, square, {share} AS quotient FROM ({squares}) AS squares"
    root = f"floor(sqrt(quotient::{double}))::{wide}"
    guess = f"SELECT *, {root} AS root FROM ({quotient}) AS quotients"
    exact = (
        "CASE WHEN root * root > quotient THEN root - 1 "
        "WHEN (root + 1) * (root + 1) <= quotient THEN root + 1 ELSE root END"
    )
    change = f"CASE WHEN square <= {most}::{wide} THEN 0 ELSE {exact} - {1 << bits} END"
    return (
        f"SELECT {kept}, ({change})::{_narrow_type(bits)} AS weight_change FROM ({guess}) AS roots"
    )


def _weight_in_l2(square: str, most: int, bits: int, dialect: SqlDialect) -> str:
    """The lesser of 2**bits and isqrt(4**bits most // square), of a double that is a sum of whole numbers.

    Claim:      it is exact as long as 4**bits most is below 2**52.
    Because:    let k be that.  A sum of whole numbers in doubles is exact up to 2**53; beyond, it stays there, and the
                quotient is zero as it is with the true sum.  For s <= k, a quotient k / s below a whole m is at least
                1 / s away from it, and m s < 2**53, so that it is not rounded to m.  The root of a whole q < 2**52 is
                the whole part of its double: just below r**2 it is more than 1 / (2 r) > 2**-27 below r, which is no
                less than the step of doubles there.
    Checked by: tests/unit/engines/sql/test_unit_weights.py::test_roots_in_doubles_are_exact
    """
    assert not most << 2 * bits >> _EXACT, "doubles are exact"
    share = f"floor({dialect.double(float(most << 2 * bits))} / {square})"
    root = f"floor(sqrt({share}))::BIGINT"
    return f"CASE WHEN {square} <= {dialect.double(float(most))} THEN {1 << bits} ELSE {root} END"


def _narrow_type(bits: int) -> str:
    """The type of what a row weighs, or weighs less than 2**bits, which is at most that much."""
    return "INTEGER" if bits < _NARROW else "BIGINT"
