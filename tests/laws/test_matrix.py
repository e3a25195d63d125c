"""Every function with every kind, NULL or not, in every place: what is accepted means what DuckDB means by it.

Questions take the whole way through a vault, without noise and with nothing clipped; tests/laws/matrix.py says what is
asked, and where our meaning differs from DuckDB's on purpose.
"""

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import product
from math import ceil, floor, isclose
from typing import Any
from unittest.mock import patch

import duckdb
import numpy as np
import pytest
import sqlglot

import tacit
from tacit.curator import Vault
from tacit.errors import InvalidPlan
from tacit.mechanisms import Gaussian, Laplace, RankedCells
from tacit.plan import MeasureOf, Summed, Table, read_asked, read_sql
from tacit.plan.sql.allowed_syntax_nodes import NODES
from tests.laws.matrix import (
    AGGREGATE_PLACES,
    AGGREGATES,
    BOTH,
    FULL,
    FUNCTIONS,
    KEYS,
    KINDS,
    NEITHER,
    NO_AGGREGATES,
    NULLABLE,
    OF_A_UNIT,
    OVER_GROUPS,
    PLACES,
    PLAIN_OF_A_UNIT,
    ROWS,
    STORED,
    UNKNOWN,
    Cell,
    Function,
    Place,
    cells_of,
    columns,
    itself,
    nested,
    of_row,
    rows_told,
    statements,
)

COLUMNS = columns()
TABLE = Table("t", tuple(column for column, _ in COLUMNS.values()))
RECORDS = [{name: cells[row] for name, (_, cells) in COLUMNS.items()} for row in range(ROWS)]


@contextmanager
def no_noise() -> Iterator[None]:
    """Every mechanism releases what it was given."""

    def release(_: object, value: Any, times: int | None = None) -> Any:
        return value

    def cells(mechanism: RankedCells, value: Any) -> Any:
        """The cell in which the rank lies; of nothing, the first."""
        upto = [np.cumsum(row) for row in value]
        ranks = [max(1, ceil(mechanism.rank * int(sums[-1]))) for sums in upto]
        found = [int(np.argmax(sums >= rank)) for sums, rank in zip(upto, ranks, strict=True)]
        return [(cell,) * mechanism.draws for cell in found]

    with (
        patch.object(Laplace, "release", release),
        patch.object(Gaussian, "release", release),
        patch.object(RankedCells, "release", cells),
    ):
        yield


def vault_of(unit: str) -> Vault:
    """The table in a vault that clips nothing."""
    declared = {name: column for name, (column, _) in COLUMNS.items()}
    return tacit.protect(
        RECORDS, unit=unit, contributions=ROWS, columns=declared, epsilon=10**6, name="t"
    )


@pytest.fixture(scope="module")
def vault() -> Iterator[Vault]:
    with no_noise():
        yield vault_of("row")


@pytest.fixture(scope="module")
def owned() -> Iterator[Vault]:
    with no_noise():
        yield vault_of("who")


@pytest.fixture(scope="module")
def plain() -> Iterator[duckdb.DuckDBPyConnection]:
    """The same rows in DuckDB, and the public values of every key in a table of its own."""
    with duckdb.connect() as connection:
        kinds = ", ".join(f'"{name}" {STORED[_letter(name)]}' for name in COLUMNS)
        connection.execute(f"CREATE TABLE t ({kinds})")
        marks = ", ".join("?" for _ in COLUMNS)
        connection.executemany(
            f"INSERT INTO t VALUES ({marks})", [list(record.values()) for record in RECORDS]
        )
        for letter, values in KEYS.items():
            for slot in "01":
                name = f"k{letter}{slot}"
                connection.execute(f"CREATE TABLE of_{name} ({name} {STORED[letter]})")
                connection.executemany(
                    f"INSERT INTO of_{name} VALUES (?)", [[_plain(each)] for each in values]
                )
        yield connection


def _letter(name: str) -> str:
    return "i" if name in {"row", "who", "code"} else name.removeprefix("k")[0]


def _plain(value: Any) -> Any:
    """A value as DuckDB shows it: numbers are alike and zeros too, moments have no zone."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=None)
    return (
        value
        if value is None or isinstance(value, bool | str) or hasattr(value, "day")
        else float(value) + 0.0
    )


# ---------------------------------------------------------------- what is compared


def shown(vault: Vault, text: str) -> list[tuple[Any, ...]]:
    """The rows of an answer, without the ends of intervals."""
    release = vault.sql(text, epsilon=1, raw=True)
    kept = [i for i, name in enumerate(release.columns) if not name.endswith(("_low", "_high"))]
    return [tuple(_plain(row[i]) for i in kept) for row in release.rows]


def expected(plain: duckdb.DuckDBPyConnection, text: str) -> list[tuple[Any, ...]]:
    return [tuple(map(_plain, row)) for row in plain.execute(text).fetchall()]


def steps_of(text: str) -> list[float | None]:
    """Of every column of an answer: the step of the grid on which it is a sum, if it is one."""
    plan = read_sql(text, {"t": TABLE})
    measures = [
        plan.question.measures[shown.value.place] if isinstance(shown.value, MeasureOf) else None
        for shown in plan.view.columns
    ]
    return [float(measure.step) if isinstance(measure, Summed) else None for measure in measures]


def stepped(value: Any, step: float | None) -> Any:
    """What a single row adds to a sum: a number in whole steps, nothing where it is NULL; the sum of nothing is 0."""
    return value if step is None else 0.0 if value is None else floor(value / step + 0.5) * step


def same(one: Any, other: Any) -> bool:
    """Whether two cells are the same; what is divided may differ in the last bits."""
    if isinstance(one, float) and isinstance(other, float):
        return one == other or isclose(one, other, rel_tol=1e-13)
    return type(one) is type(other) and bool(one == other)


def check_same(text: str, found: list[tuple[Any, ...]], wanted: list[tuple[Any, ...]]) -> None:
    assert len(found) == len(wanted), (text, found, wanted)
    for one, other in zip(found, wanted, strict=True):
        assert len(one) == len(other)
        assert all(map(same, one, other)), (text, one, other)


def check(batch: Sequence[Cell], vault: Vault, plain: duckdb.DuckDBPyConnection) -> None:
    """Ask for some cells, and DuckDB for the same."""
    place = batch[0].place
    ours, theirs = statements(batch)
    wanted = expected(plain, theirs)
    if (
        place.name == "a key"
        and batch[0].result != "b"
        and all(value is None for value, *_ in wanted)
    ):
        check_refused(vault, ours, UNKNOWN)  # there is no value to be listed
        return
    found = shown(vault, ours)
    if place.of_rows:
        steps = steps_of(ours) if place.name == "a sum" else [1.0] * len(found[0])
        wanted = [tuple(map(stepped, row, steps)) for row in wanted]
    # groups are those that follow from the plan: none is missing, and there are no others
    if place.name == "a key":
        public = [
            _plain(value) for value in read_sql(ours, {"t": TABLE}).question.keys[0].values or ()
        ]
        counted = {value: (value, count, total or 0.0) for value, count, total in wanted}
        # all columns are declared, and what is no full key may be NULL: a constant is none that one groups by
        full = all(null == FULL for null in batch[0].nulls)
        assert not full or counted.keys() - {None} <= set(public), ours
        wanted = [counted.get(value, (value, 0.0, 0.0)) for value in public]
    if place.name != "order":
        found, wanted = sorted(found, key=str), sorted(wanted, key=str)
    check_same(ours, found, wanted)


def check_refused(vault: Vault, text: str, reason: str) -> None:
    """Ask what is refused; keys without public values are refused by a reader that may not find them."""
    tables = {name: shared.asked_table for name, shared in vault.policy.tables.items()}
    with pytest.raises(InvalidPlan) as refusal:
        read_asked(text, tables) if reason == UNKNOWN else vault.sql(text, epsilon=1)
    assert reason, text
    assert re.fullmatch(reason, refusal.value.reason), (text, refusal.value.reason)
    assert refusal.value.remedy
    assert refusal.value.text == text
    assert refusal.value.start < refusal.value.end


def batches(cells: Iterable[Cell]) -> Iterator[list[Cell]]:
    """Cells that are asked for together: as many as their place allows, and with the same keys."""
    alike: dict[tuple[str, ...], list[Cell]] = {}
    for cell in cells:
        alike.setdefault(cell.keys, []).append(cell)
    for found in alike.values():
        size = found[0].place.together
        yield from (found[first : first + size] for first in range(0, len(found), size))


def name_of(function: Function) -> str:
    text = f"{function.text} of {function.over}" if function.over else function.text
    return text.replace("\\", "!") + " with ! for a backslash" if "\\" in text else text


def compares_with_what_is_not_declared(cell: Cell, vault: Vault) -> bool:
    """Whether a key is compared with a constant that it cannot be; only one of another kind, or a text, is none."""
    if (
        cell.place.name not in {"a key", "having", "order"}
        or cell.kinds not in {"in", "ni", "dm", "md", "t"}
        or not re.search(r"\{\d\.|'", cell.function.text)
    ):
        return False
    return is_refused_for_its_constant(cell, vault)


def is_refused_for_its_constant(cell: Cell, vault: Vault) -> bool:
    """Whether a statement is refused as a key of it is compared with a constant that it cannot be."""
    try:
        vault.explain(statements([cell])[0], epsilon=1)
    except InvalidPlan as refusal:
        return "is not among the declared values of k" in str(refusal)
    return False


OUTSIDE = [place for place in PLACES if not place.inside]
INSIDE = [place for place in PLACES if place.inside]
ALONE = [place for place in OUTSIDE if place.together == 1]
TOGETHER = [place for place in OUTSIDE if place.together > 1]
PARTS = 4
every_function = pytest.mark.parametrize("function", FUNCTIONS, ids=map(name_of, FUNCTIONS))


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("place", TOGETHER, ids=[place.name for place in TOGETHER])
def test_functions_beside_each_other_mean_what_duckdb_means(place, part, vault, plain):
    """Of a place that many stand in at once: cells of several functions share a statement."""
    functions = FUNCTIONS[part * len(FUNCTIONS) // PARTS : (part + 1) * len(FUNCTIONS) // PARTS]
    cells = [cell for function in functions for cell in cells_of(function, place)]
    assert all(cell.accepted for cell in cells)
    assert cells
    for batch in batches(cells):
        check(batch, vault, plain)


@pytest.mark.parametrize("place", ALONE, ids=[place.name for place in ALONE])
@every_function
def test_what_is_accepted_means_what_duckdb_means_and_the_rest_is_refused(
    function, place, vault, plain
):
    cells = list(cells_of(function, place))
    impossible = [
        cell for cell in cells if cell.accepted and compares_with_what_is_not_declared(cell, vault)
    ]
    for batch in batches(cell for cell in cells if cell.accepted and cell not in impossible):
        check(batch, vault, plain)
    for cell in cells:
        if not cell.accepted:
            check_refused(vault, statements([cell])[0], cell.reason)


@pytest.mark.parametrize("place", INSIDE, ids=[place.name for place in INSIDE])
def test_what_stands_in_a_question_inside_means_what_duckdb_means(place, owned, plain):
    cells = (cell for function in FUNCTIONS for cell in cells_of(function, place))
    for batch in batches(cell for cell in cells if cell.accepted):
        check(batch, owned, plain)


@pytest.mark.soak
@pytest.mark.parametrize("place", PLACES, ids=[place.name for place in PLACES])
@every_function
def test_all_ways_to_be_null_are_tried(function, place, vault, owned, plain):
    accepted = [cell for cell in cells_of(function, place, thorough=True) if cell.accepted]
    if place.name in {"a key", "having", "order"}:
        accepted = [cell for cell in accepted if not is_refused_for_its_constant(cell, vault)]
    for batch in batches(accepted):
        check(batch, owned if place.inside else vault, plain)


def check_aggregate(function, place, vault, owned, plain, *, thorough):
    """Ask for an aggregate of all kinds; where each is a question of its own, for the first of each result."""
    form, written = AGGREGATE_PLACES[place]
    together = 12 if "{i}" in written else 1
    cells = list(aggregates_of(function))
    accepted = [cell for cell in cells if cell.accepted]
    if together == 1 and not thorough:
        accepted = list({cell.result: cell for cell in reversed(accepted)}.values())

    def text_of(texts):
        return form.format(x=", ".join(written.format(x=text, i=i) for i, text in enumerate(texts)))

    for asked in (vault, owned) if place == "groups" else (owned,):
        refused = [cell for cell in cells if not cell.accepted]
        for cell in refused if place == "all rows" else refused[:1]:
            check_refused(asked, text_of([cell.ours]), cell.reason)
        for first in range(0, len(accepted), together):
            batch = accepted[first : first + together]
            text = text_of(cell.ours for cell in batch)
            found, wanted = (
                shown(asked, text),
                expected(plain, text_of(cell.plain for cell in batch)),
            )
            check_same(
                text, *((found, wanted) if place == "order" else (sorted(found), sorted(wanted)))
            )


every_aggregate = pytest.mark.parametrize("function", AGGREGATES, ids=map(name_of, AGGREGATES))


@pytest.mark.parametrize("place", AGGREGATE_PLACES)
@every_aggregate
def test_an_aggregate_means_what_duckdb_means(function, place, vault, owned, plain):
    check_aggregate(function, place, vault, owned, plain, thorough=False)


@pytest.mark.soak
@pytest.mark.parametrize("place", ["having", "order"])
@every_aggregate
def test_an_aggregate_of_every_kind_means_what_duckdb_means(function, place, vault, owned, plain):
    check_aggregate(function, place, vault, owned, plain, thorough=True)


@pytest.mark.parametrize(("form", "reason"), NO_AGGREGATES.items())
@pytest.mark.parametrize("function", AGGREGATES, ids=map(name_of, AGGREGATES))
def test_an_aggregate_is_refused_where_there_are_only_rows(function, form, reason, owned):
    for cell in aggregates_of(function):
        check_refused(owned, form.format(x=cell.ours), reason)


@pytest.mark.parametrize(
    ("form", "fold", "kinds"),
    [(form, fold, kinds) for form, folds in OF_A_UNIT.items() for fold, kinds in folds.items()],
    ids=[fold for folds in OF_A_UNIT.values() for fold in folds],
)
def test_what_the_rows_of_a_unit_become_means_what_duckdb_means(form, fold, kinds, owned, plain):
    for kind, null in product(kinds, (NULLABLE, FULL)):
        text, _ = of_row(kind, null, 0)
        counts = fold.startswith(("COUNT", "ROW", "RANK", "DENSE"))
        result = "i" if counts else "n" if fold.startswith(("SUM", "AVG")) else kind
        observed = ", ".join(f"{each} AS x{i}" for i, each in enumerate(rows_told("v", result)))
        asked = form.format(x=observed, v=fold.format(text))
        theirs = form.format(x=observed, v=PLAIN_OF_A_UNIT.get(fold, fold).format(text))
        wanted = [tuple(value or 0.0 for value in row) for row in expected(plain, theirs)]
        check_same(asked, shown(owned, asked), wanted)


@pytest.mark.parametrize("window", sorted(OVER_GROUPS))
def test_a_window_over_groups_means_what_duckdb_means(window, owned, plain):
    text = f"SELECT kt0_full, COUNT(*) AS n, {window} AS x FROM t GROUP BY kt0_full"
    check_same(text, sorted(shown(owned, text)), sorted(expected(plain, text)))


def aggregates_of(function: Function) -> Iterator[Cell]:
    return cells_of(
        function, Place("an aggregate", of_row, [BOTH, NEITHER], itself, "", refuses=True)
    )


# ---------------------------------------------------------------- functions inside functions


def check_nested(seed: int, times: int, vault: Vault, plain: duckdb.DuckDBPyConnection) -> None:
    """Ask for expressions that are three functions deep; what has no bounds is refused."""
    dice = random.Random(seed)
    refused = 0
    for _ in range(times):
        kind = dice.choice("bbb" + "".join(KINDS))
        ours, theirs = (
            f"SELECT {', '.join(f'{each} AS x{i}' for i, each in enumerate(rows_told(text, kind)))} FROM t"
            for text in nested(dice, kind, 3)
        )
        try:
            found = shown(vault, ours)
        except InvalidPlan:
            refused += 1
            continue
        check_same(
            ours, found, [tuple(value or 0.0 for value in row) for row in expected(plain, theirs)]
        )
    assert refused < times / 5


@pytest.mark.parametrize("seed", range(4))
def test_functions_inside_functions_mean_what_duckdb_means(seed, vault, plain):
    check_nested(seed, 15, vault, plain)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 140))
def test_many_functions_inside_functions_mean_what_duckdb_means(seed, vault, plain):
    check_nested(seed, 100, vault, plain)


WHOLE = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT"}


@pytest.mark.parametrize("function", [each for each in FUNCTIONS if each.takes], ids=name_of)
def test_what_duckdb_is_asked_has_the_type_that_is_declared(function, plain):
    """Otherwise it is right by itself and wrong inside another function.

    A DECIMAL where a double is meant is cast to BIGINT by another rule, and a double where an integer is meant has a
    point as text.
    """
    cells = [cell for cell in cells_of(function, PLACES[0], thorough=True) if cell.accepted]
    listed = ", ".join(f"{cell.plain} AS x{i}" for i, cell in enumerate(cells))
    types = [row[1] for row in plain.execute(f"DESCRIBE SELECT {listed} FROM t").fetchall()]
    for cell, found in zip(cells, types, strict=True):
        assert found in (WHOLE if cell.result == "i" else {STORED[cell.result]}), (str(cell), found)


# ---------------------------------------------------------------- nothing is missing

STATEMENT = {
    # of declared texts alone: tests/unit/plan/questions/test_declared_text_functions.py holds them against DuckDB
    *("Initcap", "RegexpExtract", "RegexpReplace"),
    *(
        "Select",
        "From",
        "Table",
        "TableAlias",
        "Where",
        "Group",
        "Having",
        "Order",
        "Ordered",
        "Limit",
        "Offset",
    ),
    *(
        "With",
        "CTE",
        "Subquery",
        "Union",
        "Join",
        "Exists",
        "Qualify",
        "Intersect",
        "Except",
    ),
    # see tests/unit/plan/sql/test_quantiles.py
    *("Array", "Quantile", "PercentileCont", "PercentileDisc", "WithinGroup"),
    *("Rollup", "Cube", "GroupingSets", "Grouping", "GroupingId"),
    "Mode",  # a statement of its own: tests/unit/plan/sql/test_mode.py
    "Fetch",  # the end of a statement: tests/unit/plan/sql/test_ordering.py
    "LimitOptions",
    "Values",  # a table: tests/unit/plan/sql/test_values_table.py
}
"""What makes a statement and no expression; and spellings of ranks, which are one measure."""


def test_every_node_that_is_read_stands_in_a_cell():
    texts = [
        cell.ours
        for function in FUNCTIONS
        for cell in cells_of(function, PLACES[0])
        if cell.accepted
    ]
    texts += [
        cell.ours for function in AGGREGATES for cell in aggregates_of(function) if cell.accepted
    ]
    texts += [fold.format("i0") for folds in OF_A_UNIT.values() for fold in folds]
    texts += OVER_GROUPS
    met = {
        type(node).__name__
        for text in texts
        for node in sqlglot.parse_one(f"SELECT {text} AS x", "duckdb").walk()
    }
    # sums of powers on a grid are near DuckDB's, not next to them: test_shape_of_distribution.py has them
    shapes = {"Skewness", "Kurtosis"}
    assert {node.__name__ for node in NODES} - STATEMENT - shapes <= met


def test_every_function_meets_every_kind_in_every_place():
    """A function that is not tried with a kind in haste has to say so in `over`."""
    for function, place in product(FUNCTIONS, PLACES):
        tried = {cell.kinds for cell in cells_of(function, place)}
        every = set(function.tried)
        taken = {kinds for kinds in every if Cell(function, place, kinds, ()).taken}
        seen = {kinds for kinds in taken if function.result(kinds) in place.kinds}
        expected = (
            every if place.refuses else seen if place.name != "a sum" or function.bounded else set()
        )
        if not place.sampled:
            assert tried == expected
            continue
        assert tried <= expected
        if place.sampled == "first arguments":
            assert {kinds[:1] for kinds in tried} == {kinds[:1] for kinds in expected}
        assert {function.result(kinds) for kinds in tried & taken} == {
            function.result(kinds) for kinds in expected & taken
        }
        if place.sampled == "accepted":
            assert tried - taken == expected - taken
        else:
            assert bool(tried - taken) == bool(expected - taken)


def test_there_are_thousands_of_cells():
    cells = [
        cell for function, place in product(FUNCTIONS, PLACES) for cell in cells_of(function, place)
    ]
    accepted = sum(cell.accepted for cell in cells)
    print(f"{len(cells)} cells, {accepted} accepted")
    assert accepted >= 2_000
    assert len(cells) - accepted >= 1_500  # each of them once
