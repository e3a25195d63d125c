"""Sums of clipped vectors: how far a unit moves them, that they are exact, paid for, and all that leaves."""

from collections import Counter
from contextlib import closing
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import tacit
from tacit.curator.policy.policy import Limit, Policy, Shared
from tacit.curator.tables.tables_noise import TableNoise
from tacit.curator.vault import Vault
from tacit.curator.vectors import rows_to_vectors
from tacit.curator.vectors.clip_vectors import clip_vectors as _hold
from tacit.curator.vectors.network_gradients import _hold_errors
from tacit.curator.vectors.rows_to_vectors import EncodedRows, sum_vectors
from tacit.curator.vectors.summable_vectors import (
    FINE,
    GRID,
    Assigned,
    Backpropagated,
    ClassMoments,
    Correct,
    Curvature,
    Encoding,
    FeatureMap,
    Gradient,
    Moments,
    Regression,
    Waves,
    bounds_of,
)
from tacit.curator.vectors.vectors_noise import Sampling, Sums, VectorNoise, ask_tables
from tacit.engines import CodedRows, DuckDB, Memory, Postgres, Spark
from tacit.errors import InvalidInput
from tacit.ledger import MemoryLedger
from tacit.mechanisms import Gaussian, Laplace
from tacit.plan import Column, Frame, Kind, Scan, Table
from tacit.privacy import Neighbours, Norm
from tacit.stability import sensitivity_of_sum, weights_for_vectors
from tests import database, spark

BOUND = 3
COLUMNS = (
    Column("ward", Kind.TEXT, values=("A", "B", "C")),
    Column("age", Kind.INTEGER, low=0, high=100),
    Column("cost", Kind.NUMBER, low=-10, high=100, nullable=False),
    Column("sick", Kind.BOOLEAN),
)
CLINIC = Table("clinic", COLUMNS, unit="patient")
PEOPLE = Table("people", COLUMNS)
WEIGHTS = weights_for_vectors(Scan(CLINIC), BOUND)
both_norms = pytest.mark.parametrize("norm", [Norm.L1, Norm.L2])
both_neighbours = pytest.mark.parametrize("neighbours", list(Neighbours))
WIDTH = 5


def encoding_of(width=WIDTH, cells=9, constant=True):
    """Columns of one number each, whose places run from one end of the grid to the other."""
    table = np.rint(np.linspace(-GRID, GRID, cells)).astype(np.int16)[:, None]
    return Encoding(tuple(range(width)), (table,) * width, constant)


def kernels_of(draw, radius):
    """One kernel of each kind, with public numbers at random."""
    encoding = encoding_of()
    d = encoding.width
    maps = [
        FeatureMap(encoding, radius),
        FeatureMap(encoding, radius, draw.normal(size=(d, d)) * 10 ** draw.uniform(-1, 2)),
    ]
    mapping = maps[int(draw.integers(2))]
    theta = draw.normal(size=d) * 10 ** draw.uniform(-1, 1)
    layers = (draw.normal(size=(d + 1, 4)) * 2, draw.normal(size=(5, 2)) * 2)
    return [
        Moments(mapping),
        Gradient(mapping, theta, radius * draw.uniform(0.05, 1.2)),
        Curvature(mapping, theta),
        Regression(mapping, theta, 0.3, 3.0),
        Assigned(mapping, draw.normal(size=(3, d)) * radius),
        ClassMoments(mapping, 2),
        Waves(encoding, np.rint(draw.normal(size=(d, 7)) * 500), 2),
        Backpropagated(mapping, layers, draw.uniform(0.01, 2)),
        Correct(tuple(draw.normal(size=(WIDTH, 9, 2))), draw.normal(size=2)),
    ]


def world(draw, numbers=False):
    """Rows of a few units, many of them at the ends of every range, one of which has many rows."""
    count = int(draw.integers(1, 40))
    units = draw.integers(0, 6, count)
    units[: count // 3] = 0
    places = draw.integers(0, 9, (count, WIDTH))
    ends = draw.random(count) < 0.5
    places[ends] = draw.choice([0, 8], (int(ends.sum()), WIDTH))
    if draw.random() < 0.3:
        places[:] = 4  # on an axis: the constant alone
    goal = (
        draw.choice([-(1 << 20), 1 << 20, 12345], count) if numbers else draw.integers(0, 2, count)
    )
    return units, places, goal.astype(np.int64)


def rows_of(units, places, goal):
    """Rows with the weights that engines give them."""
    owned = Counter(units.tolist())
    most = BOUND << WEIGHTS.bits
    weights = np.array([min(1 << WEIGHTS.bits, most // owned[each]) for each in units.tolist()])
    codes = tuple(places[:, at] for at in range(WIDTH))
    targets = np.unique(goal)
    coded = CodedRows(
        (*codes, np.searchsorted(targets, goal)),
        (*(9,) * WIDTH, len(targets)),
        weights.astype(np.int64),
        WEIGHTS.bits,
    )
    orders = [*(np.arange(9),) * WIDTH, np.arange(len(targets))]
    return EncodedRows.from_codes(coded, orders, targets)


def length(vector, norm):
    """The square of a norm, in Python's integers."""
    flat = [int(each) for each in vector.reshape(-1)]
    return sum(map(abs, flat)) ** 2 if norm is Norm.L1 else sum(each * each for each in flat)


@both_norms
@both_neighbours
def test_no_unit_moves_a_sum_further_than_claimed(neighbours, norm):
    """The unit 0 leaves, or gives way to another, in tables full of extreme rows; nothing is drawn at random twice."""
    closest = Counter()
    for trial in range(60):
        draw = np.random.default_rng(trial)
        radius = 10 ** draw.uniform(-1, 1)
        for kernel in kernels_of(draw, radius):
            units, places, goal = world(draw, numbers=isinstance(kernel, Regression))
            others = units != 0
            sums = sum_vectors(kernel, rows_of(units, places, goal), WEIGHTS.bits, norm)
            if neighbours is Neighbours.REPLACE:
                moved = places.copy()
                moved[~others] = 8 - moved[~others]
                mirrored = -goal if isinstance(kernel, Regression) else 1 - goal
                changed = np.where(others, goal, mirrored)
                after = sum_vectors(kernel, rows_of(units, moved, changed), WEIGHTS.bits, norm)
            else:
                left = rows_of(units[others], places[others], goal[others])
                after = sum_vectors(kernel, left, WEIGHTS.bits, norm)
            bounds = bounds_of(kernel, norm)
            for at, (one, two, bound) in enumerate(zip(sums, after, bounds, strict=True)):
                claimed = sensitivity_of_sum(bound, one.size, WEIGHTS, neighbours, norm).bound
                share = length(one - two, norm) / claimed**2
                name = f"{type(kernel).__name__} {at}"
                assert share <= 1, (trial, name, float(share))
                closest[name] = max(closest[name], float(share))
    if neighbours is Neighbours.ADD_OR_REMOVE:
        loose = {name for name, share in closest.items() if share < 0.2}
        assert loose <= {"Waves 0", "ClassMoments 2", "Curvature 0"}, closest


@both_norms
def test_no_vector_is_longer_than_its_bound(norm):
    draw = np.random.default_rng(5)
    for width in (1, 2, 7, 300):
        vectors = np.trunc(draw.normal(size=(500, width)) * 10 ** draw.uniform(0, 9, (500, 1)))
        held, _, kept = _hold(vectors, FINE, norm)
        assert all(length(each, norm) <= FINE**2 for each in held)
        assert np.all(kept <= 1)
        small = np.array([length(each, norm) <= FINE**2 for each in vectors])
        assert np.array_equal(held[small], vectors[small])


@both_norms
def test_what_is_no_number_becomes_zero(norm):
    vectors = np.array([[np.nan, 3.0], [np.inf, 1.0], [-np.inf, np.nan], [5.0, -7.0]])
    held, size, _ = _hold(vectors, FINE, norm)
    assert np.isfinite(held).all()
    assert np.isfinite(size).all()
    assert all(length(each, norm) <= FINE**2 for each in held)
    errors = [np.array([[np.nan, 2.0], [np.inf, 1.0]])]
    for each in _hold_errors([np.ones(2)], errors, 1.0, norm):
        assert np.isfinite(each).all()
        assert all(length(row, norm) <= 1 for row in each)


@pytest.mark.parametrize("number", [0.0, -1.0, float("nan"), float("inf")])
def test_a_kernel_with_public_numbers_that_are_none_is_refused(number):
    encoding = Encoding((0,), (np.array([[-1024], [1024]], np.int16),))
    good, bad = FeatureMap(encoding, 1.0), FeatureMap(encoding, number)
    for kernel in (Moments(bad), Gradient(good, np.zeros(2), number)):
        with pytest.raises(InvalidInput):
            bounds_of(kernel, Norm.L2)


def test_samples_need_a_delta_and_add_or_remove():
    rows = [{"p": n // 5, "x": n % 10 / 10, "y": n % 2} for n in range(50)]
    plan = Sampling(100, 6554, Fraction(85, 100))
    columns = {"x": (0.0, 1.0), "y": [0, 1]}
    for neighbours, delta in (("replace", 1e-6), ("add-or-remove", 0)):
        vault = tacit.protect(
            rows, unit="row", columns=columns, epsilon=3, delta=delta, neighbours=neighbours
        )
        with pytest.raises(InvalidInput, match="samples need"):
            vault.lesson(vault.table("data"), kind="k", target="y", classes=True, sampling=plan)


@both_norms
def test_sums_do_not_depend_on_the_order_of_rows(monkeypatch, norm):
    """However rows are ordered and cut into blocks, the sums are the same to the last bit, and add up row by row."""
    for trial in range(8):
        draw = np.random.default_rng(100 + trial)
        for kernel in kernels_of(draw, 10 ** draw.uniform(-1, 1)):
            units, places, goal = world(draw, numbers=isinstance(kernel, Regression))
            units = np.arange(len(units))
            whole = sum_vectors(kernel, rows_of(units, places, goal), WEIGHTS.bits, norm)
            order = draw.permutation(len(units))
            monkeypatch.setattr(rows_to_vectors, "_BLOCK", 3)
            turned = sum_vectors(
                kernel, rows_of(units, places[order], goal[order]), WEIGHTS.bits, norm
            )
            monkeypatch.setattr(rows_to_vectors, "_BLOCK", 1)
            alone = sum_vectors(kernel, rows_of(units, places, goal), WEIGHTS.bits, norm)
            for one, two, three in zip(whole, turned, alone, strict=True):
                assert np.array_equal(one, two)
                assert np.array_equal(one, three)


def many_rows(units, each=2):
    """Rows of so many units in which columns depend on each other."""
    return [
        {
            "patient": f"u{unit}",
            "ward": "ABC"[(unit + row) % 3],
            "age": (unit * 7 + row) % 101,
            "cost": float(unit % 7 * 10),
            "sick": unit % 2 == 0,
        }
        for unit in range(units)
        for row in range(each)
    ]


def vault_of(
    rows,
    *,
    neighbours=Neighbours.ADD_OR_REMOVE,
    delta=Fraction(1, 10**6),
    owned=True,
    engine=Memory,
):
    table = CLINIC if owned else PEOPLE
    limit = Limit(20, delta, neighbours)
    policy = Policy(limit, {table.name: Shared(table, BOUND if owned else 1)})
    return Vault(policy, {table.name: engine({table: rows})}, MemoryLedger(limit.filter()))


def lesson_of(vault, sampling=None, target="sick", classes=True):
    (name,) = vault.policy.tables
    return vault.lesson(
        vault.table(name), kind="trial", target=target, classes=classes, sampling=sampling
    )


def ask_all(lesson, sampling=None):
    """An exchange with a request of every kind, which ends with all that it was sent."""
    size = tuple(feature.size for feature in lesson.features)
    tables = tuple(np.full((each, 1), 100, np.int16) for each in size)
    encoding = Encoding(tuple(range(len(size))), tables)
    d = encoding.width
    mapping = FeatureMap(encoding, 2.0)
    layers = (np.ones((d + 1, 3)), np.ones((4, 2)))
    kernels = [
        (Moments(mapping), (1,)),
        (Gradient(mapping, np.ones(d), 1.0), (1,)),
        (Curvature(mapping, np.ones(d)), (1,)),
        (Assigned(mapping, np.ones((2, d))), (1, 9)),
        (ClassMoments(mapping, 2), (1, 2, 2)),
        (Waves(encoding, np.ones((d, 5)), 2), (1,)),
        (Backpropagated(mapping, layers, 1.0), (1,)),
        (Correct(tuple(np.ones((each, 2)) for each in size), np.zeros(2)), (1,)),
    ]

    def begin(_):
        groups = [tuple(range(each)) for each in (*size, 3)]
        told = yield ask_tables([(0, 3)], groups, Fraction(1, 20))
        heard = [told[0].counts.tobytes()]
        for kernel, parts in kernels:
            share = Fraction(1, 20) if isinstance(kernel, Correct) else Fraction(1, 10)
            told = yield Sums(kernel, share, parts)
            heard += [each.counts.tobytes() + str(each.sigma).encode() for each in told]
        for _ in range(sampling.steps if sampling else 0):
            kernel = Backpropagated(mapping, layers, 1.0, sampling.rate)
            told = yield Sums(kernel, sampling.share / sampling.steps)
            heard += [each.counts.tobytes() for each in told]
        return b"".join(heard)

    return begin


SAMPLING = Sampling(3, 6554, Fraction(2, 10))


def constant_release(self, value, times=None):
    numbers = np.asarray(value)
    wide = max(1, int(self.sigma if hasattr(self, "sigma") else self.scale))
    return (np.arange(numbers.size, dtype=np.int64) * 977 % 89 * wide).reshape(numbers.shape)


@both_neighbours
@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1, 10**6)])
@pytest.mark.parametrize("owned", [True, False])
def test_with_constant_noise_a_fit_is_the_same_on_neighbours(monkeypatch, neighbours, delta, owned):
    """Grey box: where noisy numbers are a constant, no byte that leaves differs, whatever the rows are."""
    monkeypatch.setattr(Gaussian, "release", constant_release)
    monkeypatch.setattr(Laplace, "release", constant_release)
    sampled = bool(delta) and neighbours is Neighbours.ADD_OR_REMOVE
    sampling = SAMPLING if sampled else None
    rows = many_rows(20)
    odd = dict.fromkeys(("patient", "ward", "age", "sick"))
    extra = [{**odd, "patient": "me", "cost": 100.0, "age": 77, "ward": "Z"}] * 7
    found = []
    for private in (rows, [*rows, *extra], [*extra, *reversed(rows)], []):
        vault = vault_of(private, neighbours=neighbours, delta=delta, owned=owned)
        lesson = lesson_of(vault, sampling)
        answered = lesson.release(5, ask_all(lesson, sampling))
        public = [(each.name, each.kind, each.values) for each in lesson.features]
        receipt = {name: each for name, each in answered.receipt.items() if name != "hash"}
        entries = [(entry.key, entry.charge, entry.payload) for entry in vault.ledger.entries()]
        found.append((public, lesson.classes, str(answered.price), receipt, entries))
    assert all(each == found[0] for each in found[1:])


@both_neighbours
@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1, 10**6)])
def test_everything_that_is_drawn_is_paid_for(monkeypatch, neighbours, delta):
    """Every array that noise is added to is counted at the mechanism itself, and adds up to the charge."""
    hidden, looked = [], []
    for mechanism in (Gaussian, Laplace):
        release = mechanism.release
        monkeypatch.setattr(
            mechanism,
            "release",
            lambda self, value, times=None, release=release: (
                hidden.append((self, np.size(value))) or release(self, value, times)
            ),
        )
    code = Memory.code
    monkeypatch.setattr(
        Memory,
        "code",
        lambda self, *given, **how: (
            looked.append((len(hidden), how, len(list(vault.ledger.entries()))))
            or code(self, *given, **how)
        ),
    )
    vault = vault_of(many_rows(50), neighbours=neighbours, delta=delta)
    lesson = lesson_of(vault)
    lesson.release(4, ask_all(lesson))
    (start, how, entries) = looked[-1]
    assert not how.get("rehearsing")
    assert entries == 1  # it was charged before it looked
    noise = lesson.noise(4)
    (entry,) = vault.ledger.entries()
    assert vault.policy.limit.filter().price(noise.loss) == entry.charge
    norm = Norm.L2 if delta else Norm.L1
    factor = 2 if neighbours is Neighbours.REPLACE else 1
    expected = []  # written out again: what each kernel's arrays may move by
    width = 4
    fine, one = FINE, BOUND << 10
    table = 2 if delta == 0 else Fraction(2) ** Fraction(1, 2) if factor == 2 else 1
    expected.append(one * (table if factor == 2 else 1))
    waves = 5 * 4096 * 2**0.5 if norm is Norm.L1 else 5**0.5 * 4096
    moves = (
        29 * fine**2,
        fine * 1024 / 2,
        29 * fine**2 * 64,
        1,
        fine,
        1,
        fine,
        fine * width if norm is Norm.L1 else fine * width**0.5,
        waves,
        1024 * 4096,
        1,
    )
    expected += [one * move * factor for move in moves]
    drawn = [each for each, _ in hidden[start:]]
    assert len(drawn) == len(expected)
    paid = 0.0
    for mechanism, moved in zip(drawn, expected, strict=True):
        if delta:
            paid += float(moved) ** 2 / (2 * float(mechanism.sigma) ** 2)
        else:
            paid += float(moved) / float(mechanism.scale)
    assert paid == pytest.approx(0.8 * float(noise.amount), rel=1e-3)


def in_postgres(tables):
    return Postgres(database.store(tables))


def on_spark(tables):
    return Spark(spark.store(tables))


ENGINES = [Memory, DuckDB, in_postgres, pytest.param(on_spark, marks=pytest.mark.soak)]


@pytest.mark.parametrize("engine", ENGINES)
def test_samples_are_of_units_with_all_of_their_rows(monkeypatch, engine):
    """Of 40 units with 1 to 4 rows, each is in a sample with all of its rows or with none."""
    rows = [row for n in range(40) for row in many_rows(n + 1, each=n % 4 + 1)[-(n % 4 + 1) :]]
    samples, blocks = [], rows_to_vectors._blocks

    def spy(count, rate, size, units=None):
        found = list(blocks(count, rate, size, units))
        if rate is not None and count:
            samples.append((units, np.concatenate([*found, np.zeros(0, np.int64)])))
        return iter(found)

    monkeypatch.setattr(rows_to_vectors, "_blocks", spy)
    with database.knows_password(), closing(vault_of(rows, engine=engine)) as vault:
        lesson = lesson_of(vault, SAMPLING)
        lesson.release(1, ask_all(lesson, SAMPLING))
    assert len(samples) == SAMPLING.steps
    for units, drawn in samples:
        assert sorted(np.bincount(units)) == sorted(n % 4 + 1 for n in range(40))
        assert set(np.flatnonzero(np.isin(units, units[drawn]))) == set(drawn.tolist())


def test_rows_of_unknown_units_are_not_sampled(monkeypatch):
    """An engine that forgets whose rows they are is refused: a unit of several rows would have several coins."""
    code = Memory.code
    monkeypatch.setattr(Memory, "code", lambda *a, **how: replace(code(*a, **how), units=None))
    lesson = lesson_of(vault_of(many_rows(5)), SAMPLING)
    with pytest.raises(AssertionError, match="samples are of units"):
        lesson.release(1, ask_all(lesson, SAMPLING))


@pytest.mark.parametrize("owned", [True, False])
def test_sampled_steps_are_paid_for_together(monkeypatch, owned):
    """The noise of sampled steps is the accountant's, for their share of rho and the failure that is charged."""
    drawn = []
    release = Gaussian.release
    monkeypatch.setattr(
        Gaussian,
        "release",
        lambda self, value, times=None: drawn.append(self) or release(self, value, times),
    )
    vault = vault_of(many_rows(50), owned=owned)
    lesson = lesson_of(vault, SAMPLING)
    lesson.release(4, ask_all(lesson, SAMPLING))
    noise = lesson.noise(4)
    (entry,) = vault.ledger.entries()
    rule = vault.policy.limit.filter()
    assert rule.price(noise.loss) == entry.charge
    assert noise.failure == rule.failure(entry.charge) > 0
    from tacit.accounting import sampled_rho

    moved = 1024 * 4096 * (noise.weights.bound << noise.weights.bits)
    multiplier = Fraction(drawn[-1].sigma) / moved
    proved = sampled_rho(multiplier, Fraction(6554, 1 << 16), 3, noise.failure)
    assert proved is not None
    assert 0.9 * float(noise.amount / 5) < float(proved) <= float(noise.amount / 5)
    assert len({each.sigma for each in drawn[-3:]}) == 1


def test_no_more_is_sampled_than_was_declared():
    vault = vault_of(many_rows(5), owned=False)
    lesson = lesson_of(vault, SAMPLING)
    for more in (Sampling(4, 6554, SAMPLING.share), Sampling(3, 6554, Fraction(1, 10))):
        with pytest.raises(AssertionError, match=r"declared|paid"):
            lesson.release(1, ask_all(lesson, more))
    with pytest.raises(AssertionError, match="more is sampled"):
        lesson.release(1, ask_all(lesson, Sampling(4, 6554, SAMPLING.share * 4 / 3)))
    with pytest.raises(AssertionError, match="declared"):
        lesson.release(1, ask_all(lesson, Sampling(3, 6553, SAMPLING.share)))
    assert not list(vault.ledger.entries())


def test_samples_hold_each_row_with_its_rate():
    """Rows drawn in 400 samples of 1,000: six deviations, two in a billion."""
    found = [sum(len(at) for at in rows_to_vectors._blocks(1_000, 6_554, 64)) for _ in range(400)]
    mean, rate = np.mean(found), 6_554 / 65_536
    assert abs(mean - 1_000 * rate) < 6 * (1_000 * rate * (1 - rate) / 400) ** 0.5
    assert sum(len(at) for at in rows_to_vectors._blocks(1_000, 0, 64)) == 0
    owners = np.arange(2_000) // 2
    found = [
        sum(len(at) for at in rows_to_vectors._blocks(2_000, 6_554, 64, owners)) for _ in range(400)
    ]
    assert abs(np.mean(found) / 2 - 1_000 * rate) < 6 * (1_000 * rate * (1 - rate) / 400) ** 0.5


def test_a_lesson_is_free_the_second_time_and_another_one_is_not():
    vault = vault_of(many_rows(30))
    lesson = lesson_of(vault)
    first = lesson.release(1, ask_all(lesson))
    again = lesson_of(vault).release(1, ask_all(lesson))
    assert again.stored.model == first.stored.model
    assert again.price.free
    assert not first.price.free
    assert len(list(vault.ledger.entries())) == 1
    assert not lesson_of(vault).release(2, ask_all(lesson)).price.free
    assert (
        not vault.lesson(
            vault.table("clinic"), kind="trial", target="sick", classes=True, settings=["other"]
        )
        .release(1, ask_all(lesson))
        .price.free
    )
    assert vault.check_receipt(first.receipt) == []


def test_engines_give_the_same_sums(monkeypatch):
    monkeypatch.setattr(Gaussian, "release", lambda self, value, times=None: np.asarray(value))
    rows = many_rows(30, each=5)
    models = []
    for engine in (Memory, DuckDB):
        lesson = lesson_of(vault_of(rows, engine=engine))
        models.append(lesson.release(1, ask_all(lesson)).stored.model)
    assert models[0] == models[1]


@pytest.mark.parametrize("change", ["group", "agg", "join"])
def test_what_is_not_rows_of_a_table_is_refused(change):
    from tacit.errors import InvalidPlan
    from tacit.plan import count

    vault = vault_of(many_rows(3))
    frame: Frame = vault.table("clinic")
    frame = {
        "group": lambda: frame.group_by("ward"),
        "agg": lambda: frame.agg(n=count()),
        "join": lambda: frame.per_unit(n=count()),
    }[change]()
    with pytest.raises(InvalidPlan, match="fitted"):
        vault.lesson(frame, kind="trial")


def test_noise_of_vectors_is_noise_of_tables_too():
    assert issubclass(VectorNoise, TableNoise)
