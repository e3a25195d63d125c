"""Many tables in one release: what neighbours may move, what is paid for, and what may differ."""

from datetime import date
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tacit.curator.policy.policy import Limit, Policy, Shared
from tacit.curator.tables import release_tables
from tacit.curator.tables.column_codes import code_columns
from tacit.curator.tables.tables_noise import contrast
from tacit.curator.vault import Vault
from tacit.engines import DuckDB, Memory
from tacit.ledger import MemoryLedger
from tacit.mechanisms import Gaussian, Laplace
from tacit.plan import Coding, Column, Kind, Scan, Table
from tacit.privacy import Neighbours, Norm
from tacit.stability import (
    sensitivity_of_distances,
    sensitivity_of_residual,
    sensitivity_of_table,
    weights_for_tables,
)
from tacit.synth import mixture, table_learning

COLUMNS = (
    Column("ward", Kind.TEXT, values=("A", "B", "C")),
    Column("sex", Kind.TEXT, values=("f", "m"), nullable=False),
    Column("age", Kind.INTEGER, low=0, high=5),
    Column("cost", Kind.NUMBER, low=-10, high=100, nullable=False),
    Column("day", Kind.DATE, low=date(2025, 1, 1), high=date(2025, 1, 4)),
    Column("smokes", Kind.BOOLEAN),
)
CLINIC = Table("clinic", COLUMNS, unit="patient")
PEOPLE = Table("people", COLUMNS)
BOUND = 3

cells = st.fixed_dictionaries(
    {
        "patient": st.sampled_from(["p", "q", "r", "s", None]),
        "ward": st.sampled_from(["A", "B", "C", "D", "", None]),
        "sex": st.sampled_from(["f", "m", "x", None]),
        "age": st.sampled_from([-4, 0, 3, 5, 77, None]),
        "cost": st.sampled_from([-10.0, -1e300, 0.0, 0.1, 99.9, 100.0, float("nan"), float("inf")]),
        "day": st.sampled_from([date(2025, 1, 1), date(2025, 1, 3), date(1999, 1, 1), None]),
        "smokes": st.sampled_from([True, False, None]),
    }
)
rows_of_cells = st.lists(cells, max_size=12)
PLAIN = {
    "patient": "p",
    "ward": "A",
    "sex": "f",
    "age": 3,
    "cost": 7.5,
    "day": date(2025, 1, 2),
    "smokes": True,
}
both_neighbours = pytest.mark.parametrize("neighbours", list(Neighbours))
both_norms = pytest.mark.parametrize("norm", [Norm.L1, Norm.L2])
sets_of_columns = [*((place,) for place in range(6)), *combinations(range(6), 2), (0, 2, 4), ()]


def coded(engine_class, rows, table, cells_of_a_number=8):
    columns = code_columns(table, None, cells_of_a_number, cells_of_a_number)
    coding = Coding(Scan(table), tuple(each.axis for each in columns))
    engine = engine_class({table: rows})
    try:
        return engine.code(coding, weights_for_tables(coding.rows, BOUND)), columns
    finally:
        engine.close()


def count(found, columns, places):
    return found.count(places, [np.array(columns[place].order) for place in places])


@settings(max_examples=12, deadline=None)
@given(rows=rows_of_cells, owned=st.booleans())
@example(rows=[{**PLAIN, "age": age} for age in range(6)] * 2, owned=True)
def test_engines_count_the_same_tables(rows, owned):
    table = CLINIC if owned else PEOPLE
    memory, columns = coded(Memory, rows, table)
    duckdb, _ = coded(DuckDB, rows or [{**dict.fromkeys(cells_of()), "cost": None}], table)
    for places in sets_of_columns:
        assert np.array_equal(count(memory, columns, places), count(duckdb, columns, places))


def cells_of():
    return ["patient", *(column.name for column in COLUMNS)]


def owned_rows(rows, unit):
    return [{**row, "patient": unit} for row in rows]


extreme = st.lists(cells, min_size=1, max_size=9)


def tables_apart(others, unit, other_unit):
    """All tables of two neighbours: one unit more, or one unit in the place of another."""
    one, columns = coded(Memory, [*others, *owned_rows(unit, "me")], CLINIC)
    two, _ = coded(Memory, [*others, *owned_rows(other_unit, "me")], CLINIC)
    for places in sets_of_columns:
        yield count(one, columns, places), count(two, columns, places)


def norm_of(moved, norm):
    flat = [int(each) for each in moved.reshape(-1)]
    return sum(map(abs, flat)) ** 2 if norm is Norm.L1 else sum(each**2 for each in flat)


def is_within(moved, sensitivity, norm):
    return norm_of(moved, norm) <= sensitivity.bound**2


WEIGHTS = weights_for_tables(Scan(CLINIC), BOUND)


@both_norms
@both_neighbours
@settings(max_examples=25, deadline=None)
@given(others=rows_of_cells, unit=extreme, other=extreme)
def test_no_unit_moves_a_table_further_than_claimed(others, unit, other, neighbours, norm):
    other = other if neighbours is Neighbours.REPLACE else []
    for one, two in tables_apart(others, unit, other):
        assert is_within(one - two, sensitivity_of_table(one.size, WEIGHTS, neighbours, norm), norm)


@both_norms
@both_neighbours
@settings(max_examples=15, deadline=None)
@given(others=rows_of_cells, unit=extreme, other=extreme, offset=st.integers(-2, 4))
def test_no_unit_moves_distances_further_than_claimed(
    others, unit, other, offset, neighbours, norm
):
    other = other if neighbours is Neighbours.REPLACE else []
    pairs = list(tables_apart(others, unit, other))
    public = [np.full(one.shape, offset << WEIGHTS.bits) for one, _ in pairs]
    moved = [
        int(np.abs(one - each).sum()) - int(np.abs(two - each).sum())
        for (one, two), each in zip(pairs, public, strict=True)
    ]
    claimed = sensitivity_of_distances(len(pairs), WEIGHTS, neighbours, norm)
    assert is_within(np.array(moved), claimed, norm)


@both_norms
@both_neighbours
@settings(max_examples=25, deadline=None)
@given(others=rows_of_cells, unit=extreme, other=extreme)
def test_no_unit_moves_a_residual_further_than_claimed(others, unit, other, neighbours, norm):
    other = other if neighbours is Neighbours.REPLACE else []
    for one, two in tables_apart(others, unit, other):
        claimed = sensitivity_of_residual(one.shape, WEIGHTS, neighbours, norm)
        assert is_within(contrast(one) - contrast(two), claimed, norm)


@both_norms
@pytest.mark.parametrize("shape", [(2,), (3,), (2, 2), (2, 3), (3, 4), (2, 3, 2)])
def test_the_claim_about_residuals_is_reached(shape, norm):
    """Of all pairs of rows, one moves a residual as far as is claimed under replace in L2: no slack
    is left."""
    places = list(np.ndindex(*shape))
    basis = []
    for place in places:
        table = np.zeros(shape, np.int64)
        table[place] = 1
        basis.append(contrast(table))
    one = weights_for_tables(Scan(PEOPLE), None)
    furthest = max(norm_of(a - b, norm) for a in basis for b in basis)
    claimed = sensitivity_of_residual(shape, one, Neighbours.REPLACE, norm).bound ** 2
    assert furthest <= claimed
    if norm is Norm.L2:
        assert float(claimed) == pytest.approx(furthest)


def vault_of(rows, *, neighbours=Neighbours.ADD_OR_REMOVE, delta=Fraction(1, 10**6), owned=True):
    table = CLINIC if owned else PEOPLE
    limit = Limit(20, delta, neighbours)
    policy = Policy(limit, {table.name: Shared(table, BOUND if owned else 1)})
    return Vault(policy, {table.name: Memory({table: rows})}, MemoryLedger(limit.filter())), table


def many_rows(units, each=2):
    """Rows of so many units in which columns depend on each other."""
    return [
        {
            "patient": f"u{unit}",
            "ward": "ABC"[(unit + row) % 3],
            "sex": "fm"[unit % 2],
            "age": (unit + row) % 6,
            "cost": float(unit % 7 * 10),
            "day": date(2025, 1, 1 + (unit + row) % 4),
            "smokes": unit % 2 == 0,
        }
        for unit in range(units)
        for row in range(each)
    ]


def shorten_fits(monkeypatch):
    """Fit for a few steps only: how well a model fits changes nothing of what is checked here."""
    monkeypatch.setattr(mixture, "LADDER", ((1, 5), (4, 5)))
    monkeypatch.setattr(table_learning, "FITS", 1)


def without_clock(receipt):
    """A receipt without the hash of its entry, of which the time of day is part."""
    return {name: value for name, value in receipt.items() if name != "hash"}


def outputs(vault, table):
    """Everything that leaves for one call of each kind, as text, and the charges."""
    synthetic = vault.synthesize(table.name, epsilon=4)
    marginals = vault.marginals(table.name, ways=2, epsilon=2)
    said = [
        str(synthetic),
        str(synthetic.report()),
        repr(synthetic.columns_of(50)),
        repr(without_clock(synthetic.receipt)),
        str(marginals),
        repr([marginals.table(columns).rows for columns in marginals.names]),
        repr(without_clock(marginals.receipt)),
    ]
    return said, [(entry.key, entry.charge, entry.payload) for entry in vault.ledger.entries()]


@both_neighbours
@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1, 10**6)])
@pytest.mark.parametrize("owned", [True, False])
def test_everything_but_noise_is_the_same_on_neighbours(monkeypatch, neighbours, delta, owned):
    """Grey box: where noisy numbers are a constant, neighbours cannot be told apart by any byte
    that leaves."""

    def constant_release(self, value, times=None):
        numbers, wide = (
            np.asarray(value),
            max(1, int(self.sigma if hasattr(self, "sigma") else self.scale)),
        )
        return (np.arange(numbers.size, dtype=np.int64) * 977 % 89 * wide).reshape(numbers.shape)

    shorten_fits(monkeypatch)
    monkeypatch.setattr(Gaussian, "release", constant_release)
    monkeypatch.setattr(Laplace, "release", constant_release)
    rows, odd = many_rows(20), dict.fromkeys(cells_of())
    extra = [{**odd, "patient": "me", "sex": "f", "cost": 100.0, "age": 5}] * 7
    first, *others = (
        outputs(*vault_of(private, neighbours=neighbours, delta=delta, owned=owned))
        for private in (rows, [*rows, *extra], [*extra, *reversed(rows)], [])
    )
    for other in others:
        assert other == first


def price_of(draw):
    """What noise costs, exactly: rho of Gaussian noise, epsilon of Laplace noise."""
    if isinstance(draw.mechanism, Gaussian):
        return draw.sensitivity.bound**2 / (2 * draw.mechanism.sigma**2)
    return draw.sensitivity.bound / draw.mechanism.scale


@both_neighbours
@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1, 10**6)])
@pytest.mark.parametrize("kind", ["synthetic", "marginals"])
def test_everything_that_is_drawn_is_paid_for(monkeypatch, neighbours, delta, kind):
    """Every number that noise is added to is counted at the mechanism itself, and adds up to the
    ledger's charge."""
    shorten_fits(monkeypatch)
    hidden, seen = [], []
    for mechanism in (Gaussian, Laplace):
        release = mechanism.release
        monkeypatch.setattr(
            mechanism,
            "release",
            lambda self, value, times=None, release=release: (
                hidden.append((self, np.size(value))) or release(self, value, times)
            ),
        )
    keep = release_tables.release

    def watch(request, rows, groups, noise):
        arrays, draws = keep(request, rows, groups, noise)
        seen.append((request.share, noise, draws, [array.size for array in arrays]))
        return arrays, draws

    monkeypatch.setattr(release_tables, "release", watch)
    vault, table = vault_of(many_rows(400), neighbours=neighbours, delta=delta)
    coded_rows = Memory.code
    looks = []
    monkeypatch.setattr(
        Memory,
        "code",
        lambda self, *given, **how: (
            looks.append((how, len(hidden))) or coded_rows(self, *given, **how)
        ),
    )
    if kind == "synthetic":
        vault.synthesize(table.name, epsilon=6)
    else:
        vault.marginals(table.name, ways=2, epsilon=6)
    real = next(place for how, place in looks if not how.get("rehearsing"))
    assert [how.get("rehearsing", False) for how, _ in looks] == [True, False]
    shares, start = [], 0
    for share, noise, draws, sizes in seen:
        for draw, size in zip(draws, sizes, strict=True):
            assert hidden[start] == (draw.mechanism, size)
            if start >= real:
                shares.append((share, noise, draw))
            start += 1
    assert start == len(hidden)
    (entry,) = vault.ledger.entries()
    noise = shares[0][1]
    assert vault.policy.limit.filter().price(noise.loss) == entry.charge
    paid = sum(price_of(draw) for _, _, draw in shares)
    assert noise.amount * (1 - Fraction(1, 10**9)) <= paid <= noise.amount


def test_a_unit_with_many_rows_weighs_no_more_than_its_bound():
    found, columns = coded(Memory, owned_rows(many_rows(1, each=100), "me"), CLINIC)
    whole = count(found, columns, ())
    assert 0.99 * (BOUND << WEIGHTS.bits) < int(whole) <= BOUND << WEIGHTS.bits
