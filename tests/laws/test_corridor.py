"""From a question to its release: what leaves depends on noisy integers and the plan, and is paid for first."""

import io
import logging
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import chain
from math import inf, nan
from operator import sub
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import strategies as st

from tacit.accounting import Charge
from tacit.curator import Limit, Policy, Release, Shared, Terms, Vault, terms_of
from tacit.curator.record.stored_answer import Stored
from tacit.engines import DuckDB, Memory
from tacit.errors import (
    EngineFailed,
    InvalidInput,
    InvalidPlan,
    LimitExceeded,
    TacitError,
    TooLarge,
)
from tacit.ledger import MemoryLedger
from tacit.mechanisms import Gaussian, Laplace, RankedCells
from tacit.plan import (
    Across,
    Arithmetic,
    Column,
    Compared,
    KeyOf,
    Kind,
    Literal,
    Look,
    MeasureOf,
    Ordering,
    Plan,
    Question,
    Shown,
    Table,
    View,
    Weighing,
    canonical,
    groups_of,
    read_sql,
)
from tacit.privacy import Neighbours
from tacit.stability import sensitivity_of
from tests.laws import plans
from tests.laws.neighbours import PAIRS, UNITS, VARIANTS, Pool, every_relation, pool_of
from tests.laws.sampled import sampled
from tests.together import together

F = Fraction
TEXT = "SELECT ward, COUNT(*) AS n, AVG(cost) AS m FROM visits GROUP BY ward"
COLUMNS = (
    Column("ward", Kind.TEXT, values=("A", "B", "C")),
    Column("cost", Kind.NUMBER, low=0, high=100),
    Column("note", Kind.TEXT),
)
VISITS = Table("visits", COLUMNS, unit="person")
ROWS = [
    {
        "person": f"person {n % 9}",
        "ward": "ABC"[n % 3],
        "cost": float(7 * n % 100),
        "note": f"canary-{n}-secret",
    }
    for n in range(40)
]
LIMITS = {"pure": Limit(3), "concentrated": Limit(3, 1e-6)}
both_limits = pytest.mark.parametrize("limit", list(LIMITS.values()), ids=list(LIMITS))


@pytest.fixture(autouse=True)
def _the_same_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """When a question is asked is written down, and is no part of what is compared here."""
    monkeypatch.setattr("tacit.ledger.memory.now", lambda: "2026-01-01T00:00:00Z")


@dataclass
class Watched:
    """An engine or a ledger whose calls are written down; what it returns too."""

    inner: Any
    calls: list[str] = field(default_factory=list)
    answers: list[Any] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.inner, name)

        def watched(*arguments: Any, **named: Any) -> Any:
            # what is public already
            self.calls += [] if name in ("find_answered", "version") else [name]
            found = method(*arguments, **named)
            self.answers += [found] if name == "evaluate" else []
            return found

        return watched


@dataclass(frozen=True)
class Opened:
    """A vault, and what is behind it."""

    vault: Vault
    engine: Watched
    ledger: Watched

    @property
    def entries(self) -> list[Any]:
        return list(self.ledger.inner.entries())


def opened(
    engine: Any, limit: Limit = LIMITS["pure"], table: Table = VISITS, contributions: int = 5
) -> Opened:
    """A vault over one table, with calls in one list: the order of what happens."""
    calls: list[str] = []
    engine, ledger = Watched(engine, calls), Watched(MemoryLedger(limit.filter()), calls)
    policy = Policy(limit, {table.name: Shared(table, contributions)})
    return Opened(Vault(policy, {table.name: engine}, ledger), engine, ledger)


def plan_of(text: str = TEXT) -> Plan:
    return read_sql(text, {"visits": VISITS})


@contextmanager
def constant_release() -> Iterator[None]:
    """Every mechanism releases numbers that have nothing to do with what it was given."""

    def release(_: object, value: Any, times: int | None = None) -> Any:
        return np.array(
            [(7919 * place) % 4001 - 500 for place in range(len(value))], dtype=np.int64
        )

    def cells(mechanism: RankedCells, value: Any) -> Any:
        return [
            tuple(
                (7919 * (place + draw)) % (mechanism.cells + 2) - 1
                for draw in range(mechanism.draws)
            )
            for place in range(len(value))
        ]

    with (
        patch.object(Laplace, "release", release),
        patch.object(Gaussian, "release", release),
        patch.object(RankedCells, "release", cells),
    ):
        yield


@contextmanager
def no_noise() -> Iterator[None]:
    """Every mechanism releases what it was given."""

    def release(_: object, value: Any, times: int | None = None) -> Any:
        return value

    with patch.object(Laplace, "release", release), patch.object(Gaussian, "release", release):
        yield


# ---------------------------------------------------------------- grey box


class Spoken(logging.Handler):
    """Everything that is logged."""

    def __init__(self) -> None:
        super().__init__(level=0)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(f"{record.name} {record.levelname} {record.getMessage()}")


@contextmanager
def overheard() -> Iterator[list[str]]:
    """What is printed and logged meanwhile."""
    handler, out = Spoken(), io.StringIO()
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(1)
    try:
        with redirect_stdout(out), redirect_stderr(out):
            yield handler.said
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
        handler.said.append(out.getvalue())


def shown(release: Release) -> tuple[Any, ...]:
    """Everything that a release says, with the kinds of its cells."""
    kinds = [[type(cell) for cell in row] for row in release.rows]
    return (
        release.columns,
        release.rows,
        kinds,
        release.measured,
        release.confidence,
        release.price,
        dict(release.receipt),
        release._repr_html_(),
    )


def left_by(open_vault: Opened, plan: Plan | str, **asked: Any) -> tuple[Any, ...]:
    """Everything that leaves when a plan or a text is asked: release or refusal, entries, prices, prints and logs."""
    vault = open_vault.vault
    with overheard() as said:
        try:
            release = (
                vault.sql(plan, **asked) if isinstance(plan, str) else vault.ask(plan, **asked)
            )
            found: Any = shown(release)
        except TacitError as refusal:
            found = (
                type(refusal),
                str(refusal),
                refusal.args,
                repr(refusal.__cause__),
                repr(refusal.__context__),
            )
    return found, open_vault.entries, vault.budget, said


@st.composite
def views(draw: Any, question: Question) -> View:
    """Some view of a question."""
    measures = [MeasureOf(place) for place in range(len(question.measures))]
    columns = [Shown(f"k{place}", KeyOf(place)) for place in range(len(question.keys))]
    columns += [Shown(f"x{place}", measure) for place, measure in enumerate(measures)]
    columns.append(
        Shown("y", Arithmetic(draw(st.sampled_from("+-*/%")), measures[0], measures[-1]))
    )
    if draw(st.booleans()):
        look = draw(st.sampled_from([Look.SUM, Look.MEAN, Look.GREATEST, Look.BEFORE, Look.RANK]))
        order = ((measures[-1], True),) if look in {Look.BEFORE, Look.RANK} else ()
        columns.append(
            Shown("z", Across(look, None if look is Look.RANK else measures[0], (), order))
        )
    having = draw(
        st.sampled_from([None, None, Compared(">", measures[0], Literal(100, Kind.INTEGER))])
    )
    order = draw(st.sampled_from([(), (Ordering(measures[-1], descending=True),)]))
    return View(tuple(columns), having, order, draw(st.sampled_from([None, None, 3])), 0)


@st.composite
def neighbours_of(draw: Any, table: Table, rows: list[Any], relation: Neighbours) -> list[Any]:
    """The rows without one unit's, or with others in their place: heavy, poisoned, at one end."""
    cells = {column.name: plans.CELLS[column.kind] for column in table.columns}
    fresh = draw(st.fixed_dictionaries(cells))
    copies = draw(st.sampled_from([1, 1, 2, 12]))
    if table.unit is None:
        place = draw(st.integers(0, len(rows)))
        new = [fresh] if relation is Neighbours.REPLACE or place == len(rows) else []
        return [*rows[:place], *new, *rows[place + 1 :]]
    present = [row[table.unit] for row in rows if row[table.unit] is not None]
    unit = draw(st.sampled_from([*present, "new" if table.unit != "integer 0" else 77]))
    others = [row for row in rows if row[table.unit] != unit]
    gone = unit in present and relation is Neighbours.ADD_OR_REMOVE
    return others if gone else [*others[:3], *[fresh | {table.unit: unit}] * copies, *others[3:]]


@st.composite
def pools(draw: Any, table: Table, rows: list[Any], relation: Neighbours) -> Pool:
    """The rows with and without units, or with others in the place of one: as they are, heavy, poisoned."""
    cells = st.fixed_dictionaries(
        {column.name: plans.CELLS[column.kind] for column in table.columns}
    )
    count = UNITS if relation is Neighbours.ADD_OR_REMOVE else VARIANTS
    fresh = draw(st.lists(cells, min_size=count, max_size=count))
    if table.unit is None:
        return pool_of(
            relation,
            [[each] for each in fresh],
            lambda parts: [*rows[:3], *chain(*parts), *rows[3:]],
        )
    present = list(dict.fromkeys(row[table.unit] for row in rows if row[table.unit] is not None))
    new = [f"new {n}" if table.unit != "integer 0" else 77 + n for n in range(count)]
    units = draw(st.permutations([*present, *new]).map(lambda listed: listed[:count]))
    if relation is Neighbours.REPLACE:
        units = units[:1] * count
    owned = [[row for row in rows if row[table.unit] == unit] for unit in units]
    copies = [draw(st.sampled_from([1, 1, 2, 12])) for _ in units]
    made = [
        [row | {table.unit: unit}] * times
        for row, unit, times in zip(fresh, units, copies, strict=True)
    ]
    kept = [
        bool(own) and (place == 0 or relation is Neighbours.ADD_OR_REMOVE)
        for place, own in enumerate(owned)
    ]
    parts = [own if keep else new for own, keep, new in zip(owned, kept, made, strict=True)]
    others = [row for row in rows if row[table.unit] not in units]
    return pool_of(relation, parts, lambda parts: [*others[:3], *chain(*parts), *others[3:]])


def moved_within(terms: Terms, place: int, one: Any, other: Any) -> bool:
    """Whether two exact answers differ in one measure by no more than is claimed of it."""
    claim, where, norm = terms.sensitivities[place], terms.columns[place], terms.weights.norm
    mechanism = terms.mechanisms[place]
    if isinstance(mechanism, RankedCells):
        pairs = zip(one[:, where], other[:, where], strict=True)
        moves = [max(misranking_moved(aim, *pair) for aim in mechanism.aims) for pair in pairs]
    else:
        # before it is rounded
        claim = sensitivity_of(terms.question, terms.weights, claim.neighbours)[place]
        moves = [
            abs(F(int(a) - int(b)))
            for a, b in zip(one[:, where.start], other[:, where.start], strict=True)
        ]
    square = sum(moves) ** 2 if norm is Weighing.L1 else sum(move * move for move in moves)
    return bool(square <= claim.bound**2)


def misranking_moved(aim: Any, one: Any, other: Any) -> Fraction:
    """How far the misranking of any cell moves from one histogram to another."""
    here, there = aim.rank_errors(one).tolist(), aim.rank_errors(other).tolist()
    assert len(here) == len(there)
    return F(max(map(abs, map(sub, here, there))), aim.share.denominator)


def narrow(question: Question) -> Question:
    """The question with no more than a dozen groups, or one key."""
    while len(question.keys) > 1 and groups_of(question) > 12:
        question = replace(question, keys=question.keys[1:])
    return question


def check_neighbours(
    data: Any, engine: Any, relation: Neighbours, *, plans_each: int
) -> Counter[str]:
    """Ask about a table and its neighbours; how many (plan, D, D') were compared, and in how many something moved."""
    limit = data.draw(st.sampled_from([Limit(3, delta, relation) for delta in (0, 1e-6)]))
    table = data.draw(plans.tables())
    rows = data.draw(plans.rows_of(table, most=12))
    pool = data.draw(pools(table, rows, relation))
    engines, moved = [engine({table: each}) for each in pool.tables], 0
    for _ in range(plans_each):
        question = narrow(data.draw(plans.questions(table, depth=2)))
        plan = canonical(Plan(question, data.draw(views(question))))
        vaults = [opened(each, limit, table, contributions=3) for each in engines]
        with constant_release():
            left = [left_by(each, plan, epsilon=1) for each in vaults]
        assert all(each == left[0] for each in left[1:])
        if vaults[0].engine.answers:
            terms = terms_of(plan.question, Shared(table, 3), limit, F(1))
            moved += check_moves(terms, [each.engine.answers[0] for each in vaults], pool)
    for each in engines:
        each.close()
    return Counter(pairs=plans_each * len(pool.pairs), moved=moved)


def check_moves(terms: Terms, exact: list[Any], pool: Pool) -> int:
    """No neighbours are further apart than is claimed of them; how many are apart at all."""
    for one, other in pool.pairs:
        assert all(
            moved_within(terms, place, exact[one], exact[other])
            for place in range(len(terms.mechanisms))
        )
    return sum(bool((exact[one] != exact[other]).any()) for one, other in pool.pairs)


IN_MEMORY, IN_DUCKDB = 8, 2  # plans an example


@every_relation
def test_with_a_constant_release_neighbours_cannot_be_told_apart(relation):
    found = sampled(lambda data: check_neighbours(data, Memory, relation, plans_each=IN_MEMORY), 8)
    assert found["pairs"] >= 8 * IN_MEMORY * PAIRS[relation]  # 768 and 1,792
    assert found["moved"] >= found["pairs"] / 6


@every_relation
def test_with_a_constant_release_neighbours_in_duckdb_cannot_be_told_apart(relation):
    one_thread = partial(DuckDB, threads=1)
    found = sampled(
        lambda data: check_neighbours(data, one_thread, relation, plans_each=IN_DUCKDB), 2
    )
    assert found["pairs"] >= 2 * IN_DUCKDB * PAIRS[relation]  # 48 and 112
    assert found["moved"] >= found["pairs"] / 16


@pytest.mark.soak
@every_relation
def test_with_a_constant_release_many_more_neighbours_cannot_be_told_apart(relation):
    found = sampled(
        lambda data: check_neighbours(data, Memory, relation, plans_each=IN_MEMORY), 180
    )
    found += sampled(
        lambda data: check_neighbours(data, partial(DuckDB, threads=1), relation, plans_each=4), 40
    )
    assert found["pairs"] >= (180 * IN_MEMORY + 40 * 4) * PAIRS[relation]  # 19,200 and 44,800
    assert found["moved"] >= found["pairs"] / 6


POISON = [nan, -nan, inf, -inf, None, -0.0, 5e-324, 2.0**63, -(2.0**63), 1e308]


@both_limits
@pytest.mark.parametrize(
    "engine", [Memory, lambda rows: DuckDB(rows, threads=1)], ids=["memory", "duckdb"]
)
def test_one_poisoned_row_changes_nothing_but_the_numbers_before_noise(limit, engine):
    texts = [
        TEXT,
        "SELECT SUM(cost * cost - 3 * cost) AS s, COUNT(cost) AS c FROM visits WHERE cost > 5 OR note LIKE '%1%'",
        "SELECT SUM(CAST(note AS INTEGER) % 7) AS s, AVG(100 / (cost + 1)) AS m FROM visits",
    ]
    cells = [("A", 5.0, "1"), *(("A", cost, "") for cost in POISON)]
    cells += [(None, 1.0, None), ("", 1.0, "9" * 30), ("A\0", 1.0, "x" * 10**6)]
    rows = [
        dict(zip(("ward", "cost", "note"), each, strict=True), person="poisoned") for each in cells
    ]
    engines = [engine({VISITS: [*ROWS, each]}) for each in rows]
    for text in texts:
        with constant_release():
            left = [left_by(opened(each, limit), plan_of(text), epsilon=1) for each in engines]
        assert isinstance(left[0][0][1], tuple)
        assert all(each == left[0] for each in left)
    for each in engines:
        each.close()


@both_limits
def test_nothing_of_a_row_is_in_anything_that_leaves(limit):
    vault = opened(Memory({VISITS: ROWS}), limit)
    texts = [
        TEXT,
        "SELECT COUNT(note) AS n FROM visits WHERE note LIKE 'canary%'",
        "SELECT note FROM visits",
    ]
    for text in texts:
        with overheard() as said:
            try:
                release = vault.vault.sql(text, epsilon=0.3)
                left = [
                    str(release),
                    release._repr_html_(),
                    repr(release.receipt),
                    str(release.rows),
                ]
            except InvalidPlan as refusal:
                left = [str(refusal), repr(vars(refusal))]
            left.append(str(vault.vault.explain(TEXT, epsilon=0.3)))
        assert not any(
            "secret" in each for each in [*left, *said, *(str(entry) for entry in vault.entries)]
        )


# ---------------------------------------------------------------- pay, look, let go


@both_limits
def test_a_question_is_tried_on_nothing_then_paid_for_then_looked_at_then_stored(limit):
    vault = opened(Memory({VISITS: ROWS}), limit)
    vault.vault.ask(plan_of(), epsilon=1)
    assert vault.engine.calls == ["dry_run", "charge", "evaluate", "settle"]


@both_limits
def test_a_question_that_was_answered_is_not_looked_at_again(limit):
    vault = opened(Memory({VISITS: ROWS}), limit)
    vault.vault.ask(plan_of(), epsilon=1)
    vault.engine.calls.clear()
    vault.vault.ask(plan_of(), epsilon=1)
    assert vault.engine.calls == []


class Failing(Memory):
    """An engine that fails, and says why."""

    def __init__(self, reason: BaseException, *, dry: bool) -> None:
        super().__init__({VISITS: ROWS})
        self.reason: BaseException | None = reason
        self.dry = dry

    def evaluate(self, question: Any, weights: Any) -> Any:
        if self.reason and not self.dry:
            raise self.reason
        return super().evaluate(question, weights)

    def dry_run(self, question: Any, weights: Any) -> None:
        if self.reason and self.dry:
            raise self.reason


REASONS = [
    RuntimeError("Could not convert string 'canary-7-secret' to INT32"),
    ValueError("row 17"),
    ZeroDivisionError(),
    OverflowError("2**63 of person 3"),
    MemoryError(),
    KeyError("canary"),
    AssertionError("person 4"),
    EngineFailed(),
    TooLarge("this one has 12 rows"),
]


@both_limits
def test_an_engine_that_fails_after_the_charge_says_one_thing_only_and_gives_nothing_back(limit):
    said = set()
    for reason in REASONS:
        vault = opened(Failing(reason, dry=False), limit)
        with pytest.raises(EngineFailed) as failure, overheard() as overhead:
            vault.vault.ask(plan_of(), epsilon=1)
        assert failure.value.__cause__ is None
        assert failure.value.__context__ is None or failure.value.__context__.args == ()
        assert overhead == [""]
        said.add((str(failure.value), failure.value.args))
        assert [entry.charge for entry in vault.entries] == [limit.filter().price_of(1)]
        assert not vault.entries[0].is_answered
    assert len(said) == 1


@both_limits
def test_after_a_failure_the_question_is_run_again_under_its_charge(limit):
    engine = Failing(RuntimeError("disk"), dry=False)
    vault = opened(engine, limit)
    with pytest.raises(EngineFailed):
        vault.vault.ask(plan_of(), epsilon=1)
    engine.reason = None
    release = vault.vault.ask(plan_of(), epsilon=1)
    assert not release.price.free
    assert len(vault.entries) == 1
    assert vault.entries[0].charge == limit.filter().price_of(1)


@both_limits
def test_a_question_run_again_for_less_has_the_noise_that_was_paid_for(limit):
    engine = Failing(RuntimeError("disk"), dry=False)
    vault, fresh = opened(engine, limit), opened(Memory({VISITS: ROWS}), limit)
    with pytest.raises(EngineFailed):
        vault.vault.ask(plan_of(), epsilon=1)
    engine.reason = None
    again = vault.vault.ask(plan_of(), epsilon=0.1)
    assert again.receipt["scales"] == fresh.vault.ask(plan_of(), epsilon=1).receipt["scales"]


@both_limits
def test_a_question_that_cannot_be_evaluated_at_all_costs_nothing(limit):
    vault = opened(
        Failing(TooLarge("this sum could exceed 128 bits; declare narrower"), dry=True), limit
    )
    with pytest.raises(TooLarge):
        vault.vault.ask(plan_of(), epsilon=1)
    assert vault.engine.calls == ["dry_run"]
    assert vault.vault.budget.spent == 0


@together
@both_limits
@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"epsilon": 1, "within": 5},
        {"epsilon": 0},
        {"epsilon": -1},
        {"epsilon": nan},
        {"epsilon": inf},
        {"epsilon": True},
        {"epsilon": "1"},
        {"within": 0},
        {"within": -5},
        {"within": nan},
        {"epsilon": 1, "confidence": 0},
        {"epsilon": 1, "confidence": 1},
        {"epsilon": 1, "confidence": 95},
        {"epsilon": 1, "confidence": nan},
        {"epsilon": 1, "confidence": "0.95"},
        {"epsilon": 1, "confidence": True},
        {"epsilon": 1, "confidence": F(10**30 - 1, 10**30)},
        {"within": 5, "confidence": 2},
    ],
    ids=str,
)
def test_a_price_or_confidence_that_makes_no_sense_is_refused_before_anything_happens(limit, asked):
    vault = opened(Memory({VISITS: ROWS}), limit)
    with pytest.raises(InvalidInput):
        vault.vault.ask(plan_of(), **asked)
    with pytest.raises(InvalidInput):
        vault.vault.explain(TEXT, **asked)
    assert vault.engine.calls in ([], ["total_spent"])
    assert vault.entries == []


@pytest.mark.parametrize("epsilon", [1e-14, F(1, 10**30)])
def test_a_price_below_the_smallest_unit_is_refused_before_anything_happens(epsilon):
    vault = opened(Memory({VISITS: ROWS}))
    with pytest.raises(InvalidInput, match="larger epsilon"):
        vault.vault.ask(plan_of(), epsilon=epsilon)
    assert vault.engine.calls == []


@both_limits
def test_a_price_beyond_the_limit_is_refused_before_the_look(limit):
    vault = opened(Memory({VISITS: ROWS}), limit)
    with pytest.raises(LimitExceeded):
        vault.vault.ask(plan_of(), epsilon=F(301, 100))
    assert "evaluate" not in vault.engine.calls
    assert vault.vault.budget.spent == 0


@both_limits
def test_a_table_that_the_vault_did_not_declare_so_is_refused(limit):
    vault = opened(Memory({VISITS: ROWS}), limit)
    for other in (
        Table("visits", COLUMNS),
        Table("visits", COLUMNS, unit="note"),
        Table("visits", COLUMNS[:2], unit="person"),
        Table("elsewhere", COLUMNS, unit="person"),
    ):
        plan = read_sql(f"SELECT COUNT(*) AS n FROM {other.name}", {other.name: other})
        with pytest.raises(InvalidInput):
            vault.vault.ask(plan, epsilon=1)
    assert vault.entries == []


# ---------------------------------------------------------------- one question, one answer


SAME = [
    (TEXT, TEXT),
    (TEXT, "select WARD, count(*) as n, avg(COST) as m from Visits group by 1"),
    (
        TEXT,
        "SELECT AVG(cost) AS mean, COUNT(*) AS number, ward FROM visits GROUP BY ward ORDER BY mean DESC LIMIT 1",
    ),
    (
        "SELECT COUNT(*) AS n FROM visits WHERE cost > 5 AND ward = 'A'",
        "SELECT COUNT(*) AS n FROM visits WHERE 'A' = ward AND 5.0 < cost",
    ),
    (
        "SELECT COUNT(*) AS n FROM visits",
        "SELECT COUNT(*) * 2 AS twice FROM visits HAVING COUNT(*) > 0",
    ),
]


@both_limits
@pytest.mark.parametrize(("first", "second"), SAME, ids=range(len(SAME)))
def test_the_same_question_is_free_and_has_the_same_numbers(limit, first, second):
    vault = opened(Memory({VISITS: ROWS}), limit)
    paid = vault.vault.sql(first, epsilon=1)
    spent = vault.vault.budget
    again = vault.vault.sql(second, epsilon=1)
    assert (paid.price.free, again.price.free) == (False, True)
    assert vault.vault.budget == spent
    assert len(vault.entries) == 1
    assert dict(paid.receipt) == dict(again.receipt)
    if first == second:
        assert shown(paid)[:5] == shown(again)[:5]


@both_limits
def test_a_lower_price_and_another_confidence_are_free(limit):
    vault = opened(Memory({VISITS: ROWS}), limit)
    paid = vault.vault.ask(plan_of(), epsilon=1, raw=True)
    cheap = vault.vault.ask(plan_of(), epsilon=0.2, raw=True)
    sure = vault.vault.ask(plan_of(), epsilon=1, confidence=0.999, raw=True)
    assert cheap.rows == paid.rows
    assert cheap.price.share == paid.price.share
    assert sure.price.free
    assert len(vault.entries) == 1
    assert sure.rows[0][3] > paid.rows[0][3]


@both_limits
def test_a_higher_price_is_a_new_charge_and_a_new_answer(limit):
    vault = opened(Memory({VISITS: ROWS}), limit)
    rough = vault.vault.ask(plan_of(), epsilon=0.5, raw=True)
    fine = vault.vault.ask(plan_of(), epsilon=1, raw=True)
    assert not fine.price.free
    assert fine.receipt["scales"] != rough.receipt["scales"]
    assert fine.rows[0][3] - fine.rows[0][2] < rough.rows[0][3] - rough.rows[0][2]
    charged = [limit.filter().price_of(F(1, 2)), limit.filter().price_of(1)]
    assert [entry.charge for entry in vault.entries] == charged


@both_limits
def test_a_question_at_the_whole_epsilon_spends_the_whole_limit_and_nothing_fits_after(limit):
    vault = opened(Memory({VISITS: ROWS}), limit)
    release = vault.vault.ask(plan_of(), epsilon=3)
    assert vault.entries[0].charge == Charge(limit.filter().limit.amount)
    assert (vault.vault.budget.left, release.price.share) == (0, 1)
    assert release.price.epsilon == pytest.approx(3)
    with pytest.raises(LimitExceeded):
        vault.vault.sql("SELECT COUNT(*) AS n FROM visits", epsilon=0.001)
    assert vault.vault.ask(plan_of(), epsilon=3).price.free


@both_limits
def test_threads_that_ask_the_same_pay_once_and_are_told_the_same(limit):
    vault = opened(Memory({VISITS: ROWS}), limit)
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(lambda _: vault.vault.ask(plan_of(), epsilon=1), range(16)))
    assert len({release.rows for release in found}) == 1
    assert len(vault.entries) == 1


@both_limits
def test_an_accuracy_is_bought_at_its_price_and_kept(limit):
    vault = opened(Memory({VISITS: ROWS}), limit)
    text = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"
    release = vault.vault.sql(text, within=60, confidence=0.9, raw=True)
    for _, number, low, high in release.rows:
        assert number - low == pytest.approx(high - number)
        assert 59 < high - number <= 60
    explanation = vault.vault.explain(text, within=60, confidence=0.9)
    assert explanation.share == release.price.share
    assert "evaluate" not in vault.engine.calls[4:]


# ---------------------------------------------------------------- let only noise out


@both_limits
def test_without_noise_the_answer_is_the_exact_one(limit):
    vault = opened(Memory({VISITS: ROWS}), limit, contributions=40)
    with no_noise():
        release = vault.vault.ask(plan_of(), epsilon=1, raw=True)
    for row in release:
        costs = [each["cost"] for each in ROWS if each["ward"] == row["ward"]]
        assert row["n"] == pytest.approx(len(costs), abs=1e-3)
        assert row["m"] == pytest.approx(sum(costs) / len(costs), abs=1e-2)


@both_limits
def test_what_is_stored_is_the_exact_integers_plus_the_noise_of_each_mechanism_and_no_more(limit):
    vault = opened(Memory({VISITS: ROWS}), limit)
    given_to: list[tuple[Any, list[int]]] = []

    def release(self: Any, value: Any, times: int | None = None) -> Any:
        given_to.append((self, [int(number) for number in value]))
        return np.arange(len(value)) + 10 * len(given_to)

    with patch.object(Laplace, "release", release), patch.object(Gaussian, "release", release):
        vault.vault.ask(plan_of(), epsilon=1)
    terms = terms_of(
        canonical(plan_of()).question,
        Shared(VISITS, 5),
        limit,
        limit.filter().amount(vault.entries[0].charge),
    )
    exact = vault.engine.answers[0]
    for place, (mechanism, numbers) in enumerate(given_to):
        assert mechanism == terms.mechanisms[place]
        assert numbers == terms.round_to_grid(place, [int(number) for number in exact[:, place]])
    assert Stored.from_bytes(vault.entries[0].payload).integers == (
        (10, 20, 30),
        (11, 21, 31),
        (12, 22, 32),
    )


@both_limits
def test_every_cell_has_noise_of_its_own(limit):
    many = Table("visits", (Column("key", Kind.INTEGER, values=tuple(range(200))),), unit="person")
    vault = opened(Memory({many: []}), limit, many)
    release = vault.vault.sql(
        "SELECT key, COUNT(*) AS n FROM visits GROUP BY key", epsilon=1, raw=True
    )
    other = vault.vault.sql(
        "SELECT key, COUNT(*) AS n FROM visits WHERE key > 0 GROUP BY key", epsilon=1, raw=True
    )
    drawn = [*release.column("n"), *other.column("n")]
    assert len(set(drawn)) > 390


def test_explaining_looks_at_nothing_and_costs_nothing():
    vault = opened(Memory({VISITS: ROWS}))
    assert "Laplace" in str(vault.vault.explain(TEXT, epsilon=1))
    assert vault.engine.calls == ["total_spent", "find_charged"]
    assert vault.entries == []
