"""Two synthetic tables that are linked by their unit."""

import numpy as np
import pytest

import tacit
from tacit.curator import Limit, Policy, Vault
from tacit.curator.tables import linked_synthetic_tables as linking
from tacit.curator.tables import release_tables
from tacit.curator.tables.join_linked_tables_to_units import read_linked_tables as _read_parts
from tacit.engines import Memory
from tacit.errors import EngineFailed, InvalidInput, InvalidPlan, LimitExceeded, TacitError
from tacit.ledger import MemoryLedger
from tacit.mechanisms import Gaussian, Laplace

COLUMNS = {
    "patients": {
        "age": {"type": "integer", "low": 20, "high": 79, "nullable": False},
        "sex": ["f", "m"],
    },
    "visits": {
        "ward": ["A", "B", "C"],
        "cost": {"type": "number", "low": 0, "high": 100},
        "note": "text",
    },
}


def patients(count=1500):
    return [
        {"patient": place, "age": 20 + place % 60, "sex": "fm"[place % 2] if place % 9 else None}
        for place in range(count)
    ]


def visits(people):
    """Older people have more visits; men go to A."""
    return [
        {
            "patient": each["patient"],
            "ward": "A" if each["sex"] == "m" else "BC"[place % 2],
            "cost": float(each["age"]),
            "note": "x",
        }
        for each in people
        for place in range((each["age"] - 20) // 15)
    ]


PEOPLE = patients()


def vault(people=PEOPLE, rows=None, **more):
    given = {
        "unit": "patient",
        "contributions": {"patients": 1, "visits": 4},
        "epsilon": 60,
        "delta": 1e-6,
        **more,
    }
    tables = {"patients": people, "visits": visits(people) if rows is None else rows}
    return tacit.protect(tables, columns=COLUMNS, **given)


@pytest.fixture(scope="module")
def linked():
    clinic = vault()
    return clinic, clinic.synthesize(["patients", "visits"], epsilon=20)


def test_rows_of_a_unit_follow_from_its_own(linked):
    _, made = linked
    found = made.to_pandas()
    people, stays = found["patients"], found["visits"]
    assert list(people.columns) == ["patient", "age", "sex"]
    assert list(stays.columns) == ["patient", "ward", "cost"]
    assert set(stays["patient"]) <= set(people["patient"])
    assert people["patient"].is_unique
    assert abs(len(people) - 1500) < 60
    assert len(stays) == pytest.approx(len(visits(PEOPLE)), rel=0.15)
    both = stays.merge(people, on="patient")
    old, young = both[both["age"] >= 65], both[both["age"] < 50]
    assert len(old) / (people["age"] >= 65).sum() > 2.3
    assert len(young) / (people["age"] < 50).sum() < 1.6
    assert (both[both["sex"] == "m"]["ward"] == "A").mean() > 0.6
    assert (both[both["sex"] == "f"]["ward"] == "A").mean() < 0.4
    assert abs(both["cost"] - both["age"].astype(float)).mean() < 12


def test_linked_tables_cost_their_price(linked):
    clinic, made = linked
    charges = [entry.charge.amount for entry in clinic.ledger.entries()]
    assert len(charges) == 2
    assert sum(charges) == clinic.policy.limit.filter().price_of(20).amount
    assert made.price.epsilon == pytest.approx(20)
    assert all(clinic.check_receipt(receipt) == [] for receipt in made.receipts)
    again = clinic.synthesize(["patients", "visits"], epsilon=20)
    assert again.price.free
    assert again.columns_of("visits") == made.columns_of("visits")
    assert len(made.columns_of("patients", 40)["patient"]) == 40
    assert len(list(clinic.ledger.entries())) == 2


BOTH = ["patients", "visits"]


@pytest.mark.parametrize("delta", [0, 1e-6])
def test_both_parts_are_paid_for_or_neither(delta):
    clinic = vault(PEOPLE[:20], epsilon=1, delta=delta)
    with pytest.raises(LimitExceeded) as refused:
        clinic.synthesize(BOTH, epsilon=1.2)
    assert refused.value.asked > 1 == refused.value.left
    assert list(clinic.ledger.entries()) == []
    clinic.synthesize(BOTH, epsilon=1)
    assert clinic.budget.spent == pytest.approx(1)
    with pytest.raises(LimitExceeded):
        clinic.synthesize(BOTH, epsilon=1.1)
    assert len(list(clinic.ledger.entries())) == 2


def test_both_parts_fit_into_the_limit_of_an_analyst_or_neither_is_paid_for():
    whole, own = vault(PEOPLE[:20], delta=0), Limit(1)
    limits = {"ann": own, "ben": Limit(2)}
    policy = Policy(whole.policy.limit, whole.policy.tables, whole.policy.unit, limits)
    ledger = MemoryLedger(
        policy.limit.filter(), {name: each.filter() for name, each in limits.items()}
    )
    ann, ben = (Vault(policy, whole._access.engines, ledger, analyst=name) for name in limits)
    with pytest.raises(LimitExceeded, match="ann"):
        ann.synthesize(BOTH, epsilon=1.5)
    assert list(ledger.entries()) == []
    ben.synthesize(BOTH, epsilon=1.5)
    assert ledger.total_spent("ben") == ledger.total_spent() != ledger.total_spent("ann")


def test_the_second_part_is_rehearsed_before_the_first_is_paid_for(monkeypatch):
    learn, asked = linking.learn_table, []

    def learn_first(attributes, law, forbidden):
        asked.append(len(attributes))
        if len(attributes) > 3:
            raise InvalidPlan("too many columns", "name fewer")
        return (yield from learn(attributes, law, forbidden))

    monkeypatch.setattr(linking, "learn_table", learn_first)
    clinic = vault(PEOPLE[:20])
    with pytest.raises(InvalidPlan, match="too many"):
        clinic.synthesize(BOTH, epsilon=1)
    assert asked == [3, 5]
    assert list(clinic.ledger.entries()) == []


def test_a_price_without_halves_is_refused_before_it_is_paid_for():
    clinic, least = vault(PEOPLE[:20], delta=0), 1.5 * 2.0**-40
    assert clinic.policy.limit.filter().price_of(least).amount == 1
    with pytest.raises(InvalidInput, match="larger epsilon"):
        clinic.synthesize(BOTH, epsilon=least)
    assert list(clinic.ledger.entries()) == []


def test_a_half_that_was_paid_for_alone_is_not_paid_for_again(monkeypatch):
    clinic = vault(PEOPLE[:20], epsilon=1)
    charge, times = clinic.ledger.charge, []

    def charge_once(*given, **more):
        times.append(more["about"])
        if len(times) == 2:
            raise KeyboardInterrupt
        return charge(*given, **more)

    with monkeypatch.context() as patch:
        patch.setattr(clinic.ledger, "charge", charge_once)
        with pytest.raises(KeyboardInterrupt):
            clinic.synthesize(BOTH, epsilon=1)
    assert [entry.is_answered for entry in clinic.ledger.entries()] == [False]
    clinic.synthesize(BOTH, epsilon=1)
    charges = [entry.charge.amount for entry in clinic.ledger.entries()]
    assert len(charges) == 2
    assert sum(charges) == clinic.policy.limit.filter().price_of(1).amount


def test_both_parts_are_paid_for_before_a_row_is_read(monkeypatch):
    clinic = vault(PEOPLE[:20], epsilon=1)
    paid = []

    def fail(engine, asked):
        paid.append(len(list(clinic.ledger.entries())))
        raise EngineFailed

    with monkeypatch.context() as patch:
        patch.setattr(release_tables, "_code", fail)
        with pytest.raises(EngineFailed):
            clinic.synthesize(BOTH, epsilon=1)
    assert paid == [2]
    assert not clinic.synthesize(BOTH, epsilon=1).price.free, "it is answered under its own charge"
    assert len(list(clinic.ledger.entries())) == 2


@pytest.mark.parametrize("table", ["patients", "visits"])
def test_a_table_that_was_refreshed_is_learnt_again(table):
    clinic = vault(PEOPLE[:60])
    clinic.synthesize(["patients", "visits"], epsilon=1)
    assert clinic.synthesize(["patients", "visits"], epsilon=1).price.free
    clinic.refresh(table)
    assert not clinic.synthesize(["patients", "visits"], epsilon=1).price.free
    assert len(list(clinic.ledger.entries())) == 4, "each part was learnt of both tables"


def test_forms_and_reports(linked, tmp_path):
    _, made = linked
    assert made.to_arrow(10)["patients"].num_rows == 10
    assert made.to_polars(10)["patients"].shape == (10, 3)
    made.to_csv(tmp_path, 10)
    made.to_parquet(tmp_path, 10)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "patients.csv",
        "patients.parquet",
        "visits.csv",
        "visits.parquet",
    ]
    assert made.not_modelled == {"patients": (), "visits": ("note",)}
    assert "synthetic units in patients" in str(made)
    report = made.report()
    assert any("one unit" in warning for warning in report["visits"].warnings)
    assert {pair.second for pair in report["patients"].pairs} >= {"rows in visits"}


def test_a_unit_with_many_rows_weighs_no_more_than_its_bound_in_either_engine():
    many = [{"patient": 0, "ward": "A", "cost": 1.0, "note": ""}] * 60 + visits(PEOPLE[1:40])
    clinic = vault(PEOPLE[:40], many)
    for part, bound in zip(
        _read_parts(clinic._desk(), ["patients", "visits"]), (1, 4), strict=True
    ):
        coding, weights = part.asked.coding, part.asked.weights
        tables = {
            shared.table: rows
            for shared, rows in zip(clinic.policy.tables.values(), (PEOPLE[:40], many), strict=True)
        }
        ours = Memory(tables).code(coding, weights)
        theirs = clinic._access.engine_of(part.asked.tables).code(coding, weights)
        groups = [np.arange(axis.size) for axis in coding.axes]
        axes = range(len(coding.axes))
        for places in ([0], [len(coding.axes) - 1], [0, 1], list(axes)[-2:]):
            counted = [each.count(places, [groups[at] for at in places]) for each in (ours, theirs)]
            assert np.array_equal(*counted)
        alone = vault(PEOPLE[:1], many[:60])
        (single,) = [
            each
            for each in _read_parts(alone._desk(), ["patients", "visits"])
            if each.shared.table == part.shared.table
        ]
        found = alone._access.engine_of(single.asked.tables).code(
            single.asked.coding, single.asked.weights
        )
        assert int(found.count([0], groups[:1]).sum()) <= bound << weights.bits


@pytest.mark.parametrize("delta", [0, 1e-6])
def test_linked_tables_are_the_same_on_neighbours_but_for_noise(monkeypatch, delta):
    def constant_release(self, value, times=None):
        wide = max(1, int(self.sigma if hasattr(self, "sigma") else self.scale))
        size = np.size(value)
        return (np.arange(size, dtype=np.int64) * 977 % 89 * wide).reshape(np.shape(value))

    monkeypatch.setattr(Gaussian, "release", constant_release)
    monkeypatch.setattr(Laplace, "release", constant_release)
    people = PEOPLE[:30]
    extra = (
        [{"patient": "new", "age": 79, "sex": "m"}],
        [{"patient": "new", "ward": "C", "cost": 100.0, "note": ""}] * 9,
    )

    def outputs(people, rows):
        clinic = vault(
            [{**each, "patient": str(each["patient"])} for each in people],
            [{**each, "patient": str(each["patient"])} for each in rows],
            delta=delta,
        )
        made = clinic.synthesize(["patients", "visits"], epsilon=9)
        said = [repr(made.columns_of(name, 50)) for name in made.names]
        return (
            said,
            str(made),
            str(made.report()),
            [(e.key, e.charge, e.payload) for e in clinic.ledger.entries()],
        )

    first = outputs(people, visits(people))
    assert outputs([*people, *extra[0]], [*visits(people), *extra[1]]) == first
    assert outputs(people[::-1], visits(people[::-1])) == first


@pytest.mark.parametrize(
    ("tables", "more"),
    [
        (["patients"], {}),
        (["patients", "patients"], {}),
        (["visits", "patients"], {}),
        (["patients", "stays"], {}),
        (["patients", "visits"], {"always": ["note = 'x'"]}),
        (["patients", "visits"], {"always": ["cost > age AND ward = 'A'"]}),
        (["patients", "visits"], {"always": ["weight < 30"]}),
        (["patients", "visits"], {"unit": {"patients": "row", "visits": "patient"}}),
    ],
)
def test_what_cannot_be_linked_is_refused_before_it_is_paid_for(tables, more):
    always = {"always": more.pop("always")} if "always" in more else {}
    clinic = vault(PEOPLE[:20], **more)
    with pytest.raises(TacitError):
        clinic.synthesize(tables, epsilon=1, **always)
    assert clinic.budget.spent == 0


def test_columns_of_one_name_are_refused():
    columns = {"patients": {"age": (0, 99)}, "visits": {"age": (0, 99)}}
    rows = {"patients": [{"patient": 1, "age": 3}], "visits": [{"patient": 1, "age": 4}]}
    clinic = tacit.protect(
        rows,
        unit="patient",
        contributions={"patients": 1, "visits": 2},
        columns=columns,
        epsilon=1,
        delta=1e-6,
    )
    with pytest.raises(InvalidInput, match="rename"):
        clinic.synthesize(["patients", "visits"], epsilon=1)
    assert clinic.budget.spent == 0


def labs(people):
    """Every other person has two results; those of women are no higher than 40."""
    return [
        {"patient": each["patient"], "result": each["age"] % 40 if each["sex"] != "m" else 90}
        for each in people
        if each["patient"] % 2
        for _ in range(2)
    ]


RULES = ["age < 78", "cost >= age", "result <= 40 OR sex = 'm'"]


def test_several_tables_are_linked_and_keep_rules_of_their_own_and_of_the_first():
    columns = {**COLUMNS, "labs": {"result": {"type": "integer", "low": 0, "high": 90}}}
    people = [each for each in PEOPLE if each["age"] < 78]
    clinic = tacit.protect(
        {"patients": people, "visits": visits(people), "labs": labs(people)},
        unit="patient",
        contributions={"patients": 1, "visits": 4, "labs": 2},
        columns=columns,
        epsilon=60,
        delta=1e-6,
    )
    made = clinic.synthesize(["patients", "visits", "labs"], epsilon=30, always=RULES)
    charges = [entry.charge.amount for entry in clinic.ledger.entries()]
    assert len(charges) == 3
    assert sum(charges) == clinic.policy.limit.filter().price_of(30).amount
    assert "rows in visits and" in str(made)
    found = made.to_pandas()
    assert len(found["visits"]) == pytest.approx(len(visits(people)), rel=0.2)
    assert len(found["labs"]) == pytest.approx(len(labs(people)), rel=0.2)
    assert found["patients"]["age"].max() < 78
    stays, tests = (found[name].merge(found["patients"], on="patient") for name in made.names[1:])
    assert ((stays["cost"] >= stays["age"].astype(float)) | stays["cost"].isna()).all()
    assert ((tests["result"] <= 40) | (tests["sex"] != "f") | tests["result"].isna()).all()
    assert (tests[tests["sex"] == "m"]["result"] > 80).mean() > 0.5
    assert clinic.synthesize(["patients", "visits", "labs"], epsilon=30, always=RULES).price.free
