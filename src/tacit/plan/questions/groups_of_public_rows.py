"""Which groups no row can have, since their keys come from public tables whose rows are known: a ward has its own beds.

Checked by: tests/laws/test_groups_of_public_rows.py
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import assert_never

from tacit.frozen import frozen
from tacit.plan.model import expressions as e
from tacit.plan.model.expressions import fields_of, walk_expression
from tacit.plan.model.function_names import INEXACT
from tacit.plan.model.nodes import (
    Computed,
    Defined,
    Inner,
    Joined,
    Kept,
    Question,
    Rows,
    Scan,
    Stacked,
    Where,
    Windowed,
)
from tacit.plan.model.ownership import tables_of
from tacit.plan.model.schema import KeyValue, Kind, PublicRows
from tacit.plan.questions.public_values import key_value
from tacit.plan.questions.row_columns import columns_of
from tacit.plan.semantics.evaluate import compile_expression
from tacit.plan.semantics.infer_expression_types import type_of
from tacit.plan.semantics.value_kinds import Value, constant

__all__ = [
    "MOST_BRANCHES",
    "MOST_ROWS",
    "has_no_null",
    "has_public_rows",
    "map_values",
    "public_group_filter",
    "value_by_keys",
]

MOST_ROWS = 20_000
"""The most combinations of public rows that are looked at; of more, those of the last table are not."""
_MOST_COMPARED = 1_000_000
MOST_BRANCHES = 500
"""The most values of keys by which a value is looked up: it is written out as a CASE."""


@frozen
class _Others:
    """Any value, NULL too, but these."""

    values: frozenset[Value]


_Facts = dict[str, "Value | _Others"]
"""What is known of a row: the values of some columns, and which values others cannot have."""

_Group = tuple[KeyValue, ...]


@frozen
class _Possible:
    """What the rows of a question can be: each of them is as one of `facts` says.

    If `exact`, there are such rows, and each column that was asked for is known.
    """

    facts: list[_Facts]
    exact: bool


def has_public_rows(question: Question) -> bool:
    """Whether keys of a question may come from public tables whose rows are known."""
    return bool(question.keys) and any(_listed(question.rows))


def public_group_filter(question: Question) -> Callable[[_Group], bool] | None:
    """Whether some row can have the keys of a group, where they come from public tables; None if all groups can.

    SELECT w.ward, w.beds, COUNT(*) … JOIN wards w … GROUP BY ALL    each ward has its own number of beds
    … WHERE w.floor = 3 GROUP BY w.ward                              the wards of this floor

    Claim:      nothing here depends on a private row; a group that is left out has no row, whatever these are.
    Because:    only the question is passed in, with the rows of public tables.  Every step keeps facts that hold for
                each row that it lets through: of a condition, those for which it may be true; of a join, those of every
                pair that may meet; of what is not computed here, nothing is known.
    Checked by: tests/laws/test_groups_of_public_rows.py::test_no_row_is_in_a_group_that_is_left_out
    """
    if not has_public_rows(question):
        return None
    values = tuple([key.value for key in question.keys])
    patterns = _list_patterns(question.rows, values, tuple(_listed(question.rows)))
    if patterns is None:
        return None
    numbers = [place for place, value in enumerate(values) if type_of(value).kind is Kind.NUMBER]

    def can_have_rows(group: _Group) -> bool:
        cells: Sequence[KeyValue | Value] = group
        if numbers:
            cells = [
                constant(cell, Kind.NUMBER) if place in numbers else cell
                for place, cell in enumerate(group)
            ]
        return any(
            tuple([cells[place] for place in places]) in found
            and not any(cells[place] in other for place, other in others)
            for (places, others), found in patterns.items()
        )

    return can_have_rows


def has_no_null(rows: Rows, value: e.Expression) -> bool:
    """Whether public rows are known, and a value is NULL in none of them."""
    found = _possible(rows, frozenset(fields_of(value)))
    compute = _computation(value)
    return found.exact and all(compute(facts) is not None for facts in found.facts)


def value_by_keys(
    rows: Rows, keys: Sequence[e.Expression], value: e.Expression
) -> e.Expression | None:
    """What a value is in every row of a group, over the group's keys; None if public rows do not say so.

    FROM visits v JOIN wards w ON v.ward = w.ward GROUP BY v.ward, and w.beds
    is CASE WHEN KeyOf(0) IN ('gyn', 'ped') THEN 15 WHEN KeyOf(0) = 'icu' THEN 8 END

    Claim:      it depends on no private row, and in each row with these keys the value is this.
    Because:    only the plan is passed in, with the rows of public tables; each row is as one of the facts says, and no
                two of them with the same keys have different values.  What the keys of rows are that are not known has
                no value in any of them.
    Checked by: tests/laws/test_groups_of_public_rows.py::test_what_keys_determine_is_what_rows_have
    """
    if not any(_listed(rows)) or _differs_by_engine(value):
        return None
    needed = frozenset(name for each in (*keys, value) for name in fields_of(each))
    facts = _possible(rows, needed).facts
    computed, target = [_computation(key) for key in keys], _computation(value)
    told = [([compute(each) for compute in computed], target(each)) for each in facts]
    known = [
        place for place in range(len(keys)) if any(_all_known([row[place]]) for row, _ in told)
    ]
    for places in ([place] for place in known):
        if (found := _look_up(keys, places, told, value)) is not None:
            return found
    return _look_up(keys, known, told, value) if len(known) > 1 else None


def _look_up(
    keys: Sequence[e.Expression],
    places: Sequence[int],
    told: Sequence[tuple[Sequence[_Known], _Known]],
    value: e.Expression,
) -> e.Expression | None:
    """A value by the keys at some places, None if these do not decide it."""
    found: dict[tuple[_Known, ...], Value] = {}
    for row, of_row in told:
        if isinstance(of_row, _Unknown | _Others):
            return None
        at = tuple([row[place] for place in places])
        if not _all_known(at):
            if of_row is not None:
                return None
        elif found.setdefault(at, of_row) != of_row:
            return None
    kinds = [type_of(keys[place]).kind for place in places]
    if not found or len(found) > MOST_BRANCHES or Kind.NUMBER in kinds:
        return None
    listed = {
        tuple(
            [
                None if isinstance(cell, _Unknown | _Others) else key_value(cell, kind)
                for cell, kind in zip(at, kinds, strict=True)
            ]
        ): key_value(of_row, type_of(value).kind)
        for at, of_row in found.items()
    }
    return map_values([e.KeyOf(place) for place in places], listed, kinds, type_of(value).kind)


def map_values(
    over: Sequence[e.Expression],
    values: Mapping[tuple[KeyValue, ...], KeyValue],
    kinds: Sequence[Kind],
    kind: Kind,
) -> e.Expression:
    """A CASE that is the value of what some expressions are together, and NULL where that is not listed."""
    by_value: dict[KeyValue, list[tuple[KeyValue, ...]]] = {}
    for at, value in values.items():
        if value is not None:
            by_value.setdefault(value, []).append(at)

    def is_one_of(listed: Sequence[tuple[KeyValue, ...]]) -> e.Expression:
        if len(over) > 1:
            return e.chain_conditions(e.Either, [_is_at(over, at, kinds) for at in listed])
        cells = tuple(e.Literal(cell, kinds[0]) for (cell,) in listed if cell is not None)
        parts: list[e.Expression] = [e.OneOf(over[0], cells)] if cells else []
        if (None,) in listed:
            parts.append(e.IsNull(over[0]))
        return e.chain_conditions(e.Either, parts)

    branches = [(is_one_of(listed), e.Literal(value, kind)) for value, listed in by_value.items()]
    return e.Case(tuple(branches), e.Literal(None, kind)) if branches else e.Literal(None, kind)


def _is_at(
    over: Sequence[e.Expression], at: Sequence[KeyValue], kinds: Sequence[Kind]
) -> e.Expression:
    return e.chain_conditions(
        e.Both,
        [
            e.IsNull(each) if cell is None else e.Compared("=", each, e.Literal(cell, kind))
            for each, cell, kind in zip(over, at, kinds, strict=True)
        ],
    )


def _listed(rows: Rows) -> Iterator[PublicRows]:
    """The public rows that are known, table by table."""
    for table in tables_of(rows):
        if table.public and table.listed is not None:
            yield table.listed


_Places = tuple[tuple[int, ...], tuple[tuple[int, frozenset[KeyValue | Value]], ...]]
_Patterns = Mapping[_Places, set[tuple[KeyValue | Value, ...]]]
"""What keys can be: the values of those at some places together, where those at others have none of some values."""


@lru_cache(maxsize=64)
def _list_patterns(
    rows: Rows, values: tuple[e.Expression, ...], _: tuple[PublicRows, ...]
) -> _Patterns | None:
    """What the keys of all groups can be that may have a row; None if they can be anything.

    The last argument is what tables of equal declarations are told apart by.
    """
    needed = frozenset(name for value in values for name in fields_of(value))
    kinds = [type_of(value).kind for value in values]
    computed = [_computation(value) for value in values]
    found: dict[_Places, set[tuple[KeyValue | Value, ...]]] = {}
    for facts in _possible(rows, needed).facts:
        places: list[int] = []
        cells: list[KeyValue | Value] = []
        others: list[tuple[int, frozenset[KeyValue | Value]]] = []
        for place, (compute, kind) in enumerate(zip(computed, kinds, strict=True)):
            known = compute(facts)
            if isinstance(known, _Others):
                others.append((place, frozenset(_as_key(each, kind) for each in known.values)))
            elif not isinstance(known, _Unknown):
                places.append(place)
                cells.append(_as_key(known, kind))
        if not places and not others:
            return None
        found.setdefault((tuple(places), tuple(others)), set()).add(tuple(cells))
    return found


def _as_key(value: Value, kind: Kind) -> KeyValue | Value:
    """A value as groups are compared: a number as the double that engines see, others as they are declared."""
    return value if kind is Kind.NUMBER else key_value(value, kind)


# ---------------------------------------------------------------- values


class _Unknown:
    """What nothing is known of."""


_UNKNOWN = _Unknown()

_Known = Value | _Others | _Unknown
_Computation = Callable[[_Facts], _Known]


def _computation(value: e.Expression) -> _Computation:
    """How a value is computed from what is known of a row."""
    names = fields_of(value)
    compute = None if _differs_by_engine(value) else compile_expression(value)
    plain = value.column.name if isinstance(value, e.Field) else None

    def known(facts: _Facts) -> _Known:
        cells = [facts.get(name, _UNKNOWN) for name in names]
        if plain is not None and isinstance(cells[0], _Others):
            return cells[0]
        if compute is None or any(isinstance(cell, _Unknown | _Others) for cell in cells):
            return _UNKNOWN
        return compute(facts)  # type: ignore[arg-type]

    return known


def _differs_by_engine(value: e.Expression) -> bool:
    """Whether a value is not the same in every engine, or not known before a subquery is answered."""
    return any(
        isinstance(part, e.SubqueryValue)
        or (isinstance(part, e.Called) and part.function in INEXACT)
        for part in walk_expression(value)
    )


def _conjuncts(condition: e.Expression) -> Iterator[e.Expression]:
    if isinstance(condition, e.Both):
        yield from _conjuncts(condition.left)
        yield from _conjuncts(condition.right)
    else:
        yield condition


# ---------------------------------------------------------------- rows


def _possible(rows: Rows, needed: frozenset[str]) -> _Possible:
    """What rows can be, as far as some of their columns say."""
    match rows:
        case Scan(table):
            if table.listed is None or not table.public:
                return _Possible([{}], exact=False)
            columns = [
                (place, column)
                for place, column in enumerate(table.columns)
                if column.name in needed
            ]
            cells = dict.fromkeys(
                tuple([row[place] for place, _ in columns]) for row in table.listed.rows
            )
            return _Possible(
                [
                    {
                        column.name: constant(cell, column.kind)
                        for (_, column), cell in zip(columns, row, strict=True)
                    }
                    for row in cells
                ],
                exact=True,
            )
        case Where(inner, condition):
            return _keep_true(inner, condition, needed)
        case Computed(inner, columns):
            return _compute(inner, columns, needed)
        case Inner(inner, keys, _):
            return _Possible(_compute(inner, keys, needed).facts, exact=False)
        case Kept(inner, _, _) | Windowed(inner, _):
            known = frozenset(column.name for column in columns_of(inner))
            return _Possible(_possible(inner, needed & known).facts, exact=False)
        case Stacked(parts):
            found = [_possible(part, needed) for part in parts]
            facts = _distinct(each for part in found for each in part.facts)
            return _Possible(facts, all(part.exact for part in found))
        case Joined(left, right, on, outer):
            return _join(left, right, on, needed, outer=outer)
        case _:
            assert_never(rows)


def _distinct(facts: Iterable[_Facts]) -> list[_Facts]:
    found = {frozenset(each.items()): each for each in facts}
    return [{}] if len(found) > MOST_ROWS else list(found.values())


def _keep_true(inner: Rows, condition: e.Expression, needed: frozenset[str]) -> _Possible:
    parts = list(_conjuncts(condition))
    read = frozenset(name for part in parts for name in fields_of(part))
    found = _possible(inner, needed | read)
    exact, facts = found.exact, found.facts
    for part in parts:
        compute = _computation(part)
        told = [(each, compute(each)) for each in facts]
        exact = exact and not any(value is _UNKNOWN for _, value in told)
        # of a column that is true or false and is none of some values nothing is concluded
        facts = [
            each for each, value in told if value is True or isinstance(value, _Unknown | _Others)
        ]
    kept = ({name: each[name] for name in each if name in needed} for each in facts)
    return _Possible(_distinct(kept), exact)


def _compute(inner: Rows, columns: Sequence[Defined], needed: frozenset[str]) -> _Possible:
    wanted = [each for each in columns if each.name in needed]
    found = _possible(inner, frozenset(name for each in wanted for name in fields_of(each.value)))
    computed = [(each.name, _computation(each.value)) for each in wanted]
    exact, facts = found.exact, list[_Facts]()
    for each in found.facts:
        made: _Facts = {}
        for name, compute in computed:
            value = compute(each)
            if isinstance(value, _Unknown):
                exact = False
            else:
                made[name] = value
        facts.append(made)
    return _Possible(_distinct(facts), exact)


# ---------------------------------------------------------------- joins

_Side = list[tuple[_Facts, tuple[_Known, ...]]]
"""What is known of the rows on one side of a join, and what each of them is joined on."""


def _join(
    left: Rows,
    right: Rows,
    on: tuple[tuple[e.Expression, e.Expression], ...],
    needed: frozenset[str],
    *,
    outer: bool,
) -> _Possible:
    alike = [pair for pair in on if type_of(pair[0]).kind is type_of(pair[1]).kind]
    ours, theirs = (frozenset(column.name for column in columns_of(side)) for side in (left, right))
    one, two = (
        _possible(
            rows, (needed & names) | {name for pair in alike for name in fields_of(pair[place])}
        )
        for place, (rows, names) in enumerate(((left, ours), (right, theirs)))
    )
    lefts, rights = (
        _with_values(side.facts, [pair[place] for pair in alike])
        for place, side in enumerate((one, two))
    )
    nothing: _Facts = dict.fromkeys(needed & theirs, None)
    # whether a row on the left that meets none of these meets none
    sure = two.exact and len(alike) == len(on) and all(_all_known(each) for _, each in rights)
    partners = _Partners(rights)
    found: list[_Facts] = []
    for facts, values in lefts:
        met = partners.of(values)
        found += [_side_by_side(facts, other, values, each, alike) for other, each in met]
        if outer and not (sure and met and _all_known(values)):
            others = _others(values, rights, alike) if sure else {}
            found.append(_merge(facts, others) | nothing)
        if len(found) > MOST_ROWS or partners.compared > _MOST_COMPARED:
            # what is on the right is anything
            return _Possible(_distinct(_only(each, needed) for each in one.facts), exact=False)
    is_whole = one.exact and sure and all(_all_known(each) for _, each in lefts)
    return _Possible(_distinct(_only(each, needed) for each in found), is_whole)


def _only(facts: _Facts, needed: frozenset[str]) -> _Facts:
    return {name: value for name, value in facts.items() if name in needed}


def _with_values(facts: Sequence[_Facts], on: Sequence[e.Expression]) -> _Side:
    computed = [_computation(value) for value in on]
    return [(each, tuple([compute(each) for compute in computed])) for each in facts]


def _all_known(values: Sequence[_Known]) -> bool:
    return not any(isinstance(value, _Unknown | _Others) for value in values)


class _Partners:
    """Those on the right that a row on the left may meet: none whose values are known to be different, or NULL."""

    def __init__(self, rights: _Side) -> None:
        self.compared = 0
        self._rights = rights
        self._known: dict[tuple[_Known, ...], _Side] = {}
        self._others: _Side = []
        for facts, values in rights:
            if _all_known(values):
                self._known.setdefault(values, []).append((facts, values))
            else:
                self._others.append((facts, values))

    def of(self, values: tuple[_Known, ...]) -> _Side:
        """Those that a row with these values may meet."""
        sure: _Side = []
        left = self._rights
        if _all_known(values):
            sure = [] if None in values else self._known.get(values, [])
            left = self._others
        self.compared += len(left)
        return sure + [
            (facts, theirs)
            for facts, theirs in left
            if all(_may_be_equal(one, two) for one, two in zip(values, theirs, strict=True))
        ]


def _may_be_equal(one: _Known, two: _Known) -> bool:
    if one is None or two is None:
        return False
    if isinstance(one, _Unknown) or isinstance(two, _Unknown):
        return True
    if isinstance(one, _Others):
        return isinstance(two, _Others) or two not in one.values
    if isinstance(two, _Others):
        return one not in two.values
    return one == two


def _side_by_side(
    one: _Facts,
    two: _Facts,
    ours: Sequence[_Known],
    theirs: Sequence[_Known],
    on: Sequence[tuple[e.Expression, e.Expression]],
) -> _Facts:
    """What is known of two rows that meet: a column that is equal to a known value has this value."""
    found = one | two
    for (left, right), our, their in zip(on, ours, theirs, strict=True):
        for side, own, other in ((left, our, their), (right, their, our)):
            if (
                isinstance(side, e.Field)
                and not _all_known([own])
                and not isinstance(other, _Unknown | _Others)
            ):
                found[side.column.name] = other
    return found


def _others(
    values: Sequence[_Known], rights: _Side, on: Sequence[tuple[e.Expression, e.Expression]]
) -> _Facts:
    """Which values a column cannot have that is compared and meets no row."""
    if len(on) != 1 or not isinstance(on[0][0], e.Field) or _all_known(values):
        return {}
    met = frozenset(
        value
        for _, (value,) in rights
        if value is not None and not isinstance(value, _Unknown | _Others)
    )
    return {on[0][0].column.name: _Others(met)}


def _merge(facts: _Facts, others: _Facts) -> _Facts:
    found = dict(facts)
    for name, more in others.items():
        known = facts.get(name)
        assert isinstance(more, _Others), "nothing else is said of a row that meets none"
        own = known.values if isinstance(known, _Others) else frozenset()
        found[name] = _Others(own | more.values)
    return found
