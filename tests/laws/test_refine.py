"""Noise reduction in a vault: only the difference is paid, each answer has one successor, and noise gets smaller."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from threading import Barrier

import pytest

import tacit
from tacit import protect
from tacit.accounting import Charge
from tacit.curator import refine_answer as room
from tacit.curator.priced_question import price_plan
from tacit.curator.pricing.noise_of_measures import terms_at
from tacit.errors import EngineFailed, InvalidInput, InvalidPlan, LimitExceeded

WARDS = [f"w{n}" for n in range(20)]
ROWS = [{"who": n, "ward": WARDS[n % 20], "cost": n % 50} for n in range(400)]
COUNTS = "SELECT ward, COUNT(*) AS n, SUM(cost) AS s FROM data GROUP BY ward"
MEAN = "SELECT AVG(cost) AS m FROM data"


def vault(delta=0, rows=ROWS):
    columns = {"ward": WARDS, "cost": (0, 50)}
    return protect(rows, unit="who", contributions=1, columns=columns, epsilon=8, delta=delta)


@pytest.mark.parametrize("delta", [0, 1e-6])
def test_only_the_difference_is_paid(delta):
    """After any chain of refinements as much is spent as one answer at the last price costs."""
    held, once = vault(delta), vault(delta)
    held.sql(COUNTS, epsilon=0.25)
    for epsilon in (0.5, 1, 2):
        finer = held.refine(COUNTS, epsilon=epsilon)
        assert not finer.price.free
        assert held.check_receipt(finer.receipt) == []
    once.sql(COUNTS, epsilon=2)
    assert held.ledger.total_spent() == once.ledger.total_spent()
    assert finer.receipt["refined"]["total"] == once.ledger.total_spent().amount
    for epsilon in (2, 1, 0.1):
        again = held.refine(COUNTS, epsilon=epsilon)
        assert again.price.free
        assert again.rows == finer.rows
    frame = held.table("data").group_by("ward").agg(n=tacit.count(), s=tacit.sum("cost"))
    assert held.refine(frame, epsilon=2).rows == finer.rows


def test_a_question_that_was_never_asked_is_asked():
    held = vault()
    assert held.refine(COUNTS, epsilon=1).rows == held.sql(COUNTS, epsilon=1).rows
    assert held.budget.spent == pytest.approx(1 / 8)


def test_laplace_noise_is_refined_and_not_drawn_anew():
    """Refined by a hair, nearly every number stays; drawn anew, hardly any would."""
    held = vault()
    first = held.sql(COUNTS, epsilon=1)
    finer = held.refine(COUNTS, epsilon=Fraction(10001, 10000))
    same = sum(a == b for a, b in zip(first["n"], finer["n"], strict=True))
    same += sum(a == b for a, b in zip(first["s"], finer["s"], strict=True))
    assert same >= 35  # each of 40 differs with a chance of 2e-4


def test_each_number_is_refined_from_its_own_scale_to_that_of_the_total(monkeypatch):
    seen = []

    class Spy(room.GradualLaplace):
        def release(self, value, released):
            seen.append((self.before, self.after, value, released))
            return 7

    monkeypatch.setattr(room, "GradualLaplace", Spy)
    held = vault()
    asked = [
        price_plan(held._access, held.table("data").agg(n=tacit.count()).plan(), epsilon=e)
        for e in (1, 3)
    ]
    first = held.ask(asked[0].plan, epsilon=1)
    held.refine(held.table("data").agg(n=tacit.count()), epsilon=3)
    ((before, after, value, released),) = seen
    worth = asked[0].terms.worth(0)
    assert (before, after) == tuple(each.terms.mechanisms[0].scale for each in asked)
    assert (value * worth, round(released * worth)) == (400, first.item())


def test_gaussian_releases_are_averaged_by_their_precisions():
    """The noise is that of one answer at the total price: neither less, which nobody paid for, nor much more."""
    held, once = vault(1e-6), vault(1e-6)
    held.sql(COUNTS, epsilon=0.5)
    finer, whole = held.refine(COUNTS, epsilon=2), once.sql(COUNTS, epsilon=2)
    for name in ("n", "s"):
        widths = [answer[f"{name}_high"][0] - answer[f"{name}_low"][0] for answer in (finer, whole)]
        assert widths[0] == pytest.approx(widths[1], rel=0.02, abs=2)
    scales = [
        [Fraction(s) * Fraction(w) for s, w in zip(r["scales"], r["worths"], strict=True)]
        for r in (finer.receipt, whole.receipt)
    ]
    for ours, theirs in zip(*scales, strict=True):
        assert 0.9999 <= ours / theirs <= 1.01
    assert all(abs(n - 20) < 200 for n in finer["n"])  # forty deviations


def test_an_answer_is_refined_once(monkeypatch):
    """Of a chain each answer refines the one before it, once, also where several were paid for at the same time."""
    held, seen = vault(), []

    class Spy(room.GradualLaplace):
        def release(self, value, released):
            seen.append((self.before, self.after, released))
            return 7 + len(seen)

    monkeypatch.setattr(room, "GradualLaplace", Spy)
    plan = held.table("data").agg(n=tacit.count()).plan()
    held.ask(plan, epsilon=1)
    access = held._access
    priced = [price_plan(access, plan, epsilon=each) for each in (2, 3)]
    chain = room._find_chain(access, priced[0])
    paid = [room._pay(access, asked, chain, raw=False) for asked in priced]
    assert paid[0] == paid[1]  # the second finds the first, and pays the rest later
    assert held.ledger.total_spent() == priced[0].charge
    finer = held.refine(held.table("data").agg(n=tacit.count()), epsilon=3)
    assert held.ledger.total_spent() == priced[1].charge
    assert finer.receipt["entry"] == paid[0].number + 1
    assert finer.receipt["refined"]["total"] == priced[1].charge.amount
    scales = [
        terms_at(plan.question, priced[0].shared, priced[0].limit, Charge(total))
        .mechanisms[0]
        .scale
        for total in (chain.total.amount, *(asked.charge.amount for asked in priced))
    ]
    assert [each[:2] for each in seen] == list(pairwise(scales))
    assert seen[1][2] == 8
    # who answers late what was answered is not heard
    following = room._find_chain(access, priced[0])
    room._answer(access, priced[0], replace(chain, begun=paid[0]))
    assert room._find_chain(access, priced[0]).entry.payload == following.entry.payload


@pytest.mark.parametrize("delta", [0, 1e-6])
def test_another_who_refines_meanwhile_takes_nothing_away(delta, monkeypatch):
    """Whoever pays is answered at no lower a price, for no other charge, and the next time for nothing."""
    held = vault(delta)
    plan = held.table("data").agg(n=tacit.count()).plan()
    held.ask(plan, epsilon=1)
    pay, others = room._pay, [2]

    def meanwhile(access, asked, chain, *, raw):
        if others:
            pay(access, price_plan(access, plan, epsilon=others.pop()), chain, raw=raw)
        return pay(access, asked, chain, raw=raw)

    monkeypatch.setattr(room, "_pay", meanwhile)
    frame = held.table("data").agg(n=tacit.count())
    finer = held.refine(frame, epsilon=3)
    asked = price_plan(held._access, plan, epsilon=3)
    assert finer.receipt["refined"]["total"] == asked.charge.amount
    assert held.ledger.total_spent() == asked.charge
    assert all(entry.is_answered for entry in held.ledger.entries())
    assert held.refine(frame, epsilon=3).price.free


def test_all_who_refine_at_one_moment_pay_no_more_than_the_dearest(tmp_path):
    """Eight threads and two vaults over one ledger on the disk, each with a price of its own."""
    write_vault(tmp_path, 1e-6, 400)
    prices = [Fraction(20 + n, 20) for n in range(1, 9)]
    text = "SELECT COUNT(*) AS n FROM data"
    with tacit.open(tmp_path) as held, tacit.open(tmp_path) as other:
        held.sql(text, epsilon=1)
        barrier = Barrier(len(prices))

        def refine_at(place):
            barrier.wait()
            return (held, other)[place % 2].refine(text, epsilon=prices[place])

        with ThreadPoolExecutor(len(prices)) as pool:
            found = list(pool.map(refine_at, range(len(prices))))
        dearest = held._access.rule.price_of(prices[-1])
        assert held.ledger.total_spent() == dearest
        assert all(entry.is_answered for entry in held.ledger.entries())
        for price, finer in zip(prices, found, strict=True):
            total = finer.receipt.get("refined", {}).get("total", 0)
            assert held._access.rule.price_of(price).amount <= total <= dearest.amount


@pytest.mark.parametrize("delta", [0, 1e-6])
def test_what_was_paid_for_and_not_answered_is_no_answer_at_a_higher_price(delta, monkeypatch):
    """After a crash between charge and answer the rest is paid, and nothing twice."""
    held, once = vault(delta), vault(delta)
    held.sql(COUNTS, epsilon=1)

    def crash(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(room, "_answer", crash)
        with pytest.raises(KeyboardInterrupt):
            held.refine(COUNTS, epsilon=1.01)
    finer = held.refine(COUNTS, epsilon=5)
    once.sql(COUNTS, epsilon=5)
    assert finer.receipt["refined"]["total"] == once.ledger.total_spent().amount
    assert held.ledger.total_spent() == once.ledger.total_spent()
    assert not finer.price.free
    assert held.refine(COUNTS, epsilon=5).rows == finer.rows


def test_an_answer_asked_anew_does_not_hide_what_was_refined_further():
    held = vault()
    held.sql(COUNTS, epsilon=1)
    finer = held.refine(COUNTS, epsilon=4)
    held.sql(COUNTS, epsilon=2)
    assert held.refine(COUNTS, epsilon=3).rows == finer.rows


def write_vault(folder, delta, rows):
    lines = "".join(f"{n},{WARDS[n % 20]},{n % 50}\n" for n in range(rows))
    (folder / "data.csv").write_text(f"who,ward,cost\n{lines}")
    (folder / "tacit.toml").write_text(
        f"""[limit]
epsilon = 8
delta = {delta}
[tables.data]
source = "data.csv"
unit = "who"
contributions = 1
[tables.data.columns]
ward = {{ type = "text", values = {WARDS} }}
cost = {{ type = "integer", low = 0, high = 50 }}
"""
    )


def test_laplace_noise_is_refined_on_rows_that_cannot_change_alone(tmp_path, monkeypatch):
    """Noise that is drawn given earlier noise needs the earlier rows: where files may have changed it is refused."""
    write_vault(tmp_path, 0, 400)
    for ask in ({"epsilon": 2}, {"epsilon": 2, "within": 3}, {"epsilon": 0.1}):
        with tacit.open(tmp_path) as held:
            held.sql(COUNTS, epsilon=1)
            held.sql(MEAN, epsilon=0.01)
            spent = held.ledger.total_spent()
            for question in (COUNTS, MEAN):
                with pytest.raises(InvalidPlan, match="rows cannot have changed"):
                    held.refine(question, **ask)
            assert held.ledger.total_spent() == spent
    # Parquet is read anew for every question, also by a vault in memory
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.Table.from_pylist(ROWS), tmp_path / "data.parquet")
    held = vault(rows=str(tmp_path / "data.parquet"))
    held.sql(COUNTS, epsilon=1)
    with pytest.raises(InvalidPlan, match="rows cannot have changed"):
        held.refine(COUNTS, epsilon=2)
    assert held.budget.spent == pytest.approx(1 / 8)
    # what is copied stays as it was, whatever becomes of its source
    mine, seen = [dict(row) for row in ROWS], []
    held = vault(rows=mine)
    held.sql("SELECT COUNT(*) AS n FROM data", epsilon=1)
    mine.clear()

    class Spy(room.GradualLaplace):
        def release(self, value, released):
            seen.append(value)
            return 7

    monkeypatch.setattr(room, "GradualLaplace", Spy)
    held.refine("SELECT COUNT(*) AS n FROM data", epsilon=2)
    assert seen[0] > 0
    # and an engine alone is not enough: a ledger on the disk knows answers about the rows of another day
    monkeypatch.setattr(room, "MemoryLedger", int)
    with pytest.raises(InvalidPlan, match="rows cannot have changed"):
        held.refine("SELECT COUNT(*) AS n FROM data", epsilon=3)


def test_gaussian_releases_are_independent_of_how_rows_have_changed(tmp_path):
    """After 400 rows became 4,000, the finer answer is the average by precision of two releases: one of each."""
    text = "SELECT COUNT(*) AS n FROM data"
    write_vault(tmp_path, 1e-6, 400)
    with tacit.open(tmp_path) as held:
        held.sql(text, epsilon=2)
    write_vault(tmp_path, 1e-6, 4000)
    with tacit.open(tmp_path) as held:
        finer = held.refine(text, epsilon=Fraction(201, 100))
        assert abs(finer.item() - 400) < 400  # nearly all of its weight lies on the rows of before


def test_it_is_paid_for_before_rows_are_looked_at(monkeypatch):
    held, order = vault(), []
    held.sql(COUNTS, epsilon=0.5)
    engine, ledger = held._access.engines["data"], held.ledger
    evaluate, charge = engine.evaluate, ledger.charge
    monkeypatch.setattr(engine, "evaluate", lambda *a: order.append("look") or evaluate(*a))
    monkeypatch.setattr(ledger, "charge", lambda *a, **k: order.append("pay") or charge(*a, **k))
    held.refine(COUNTS, epsilon=1)
    assert order == ["pay", "look"]

    def fail(*_):
        raise RuntimeError("private")

    monkeypatch.setattr(engine, "evaluate", fail)
    with pytest.raises(EngineFailed) as failure:
        held.refine(COUNTS, epsilon=2)
    assert "private" not in str(failure.value)


@pytest.mark.parametrize("delta", [0, 1e-6])
def test_a_ratio_is_refined_until_it_is_accurate(delta):
    held = vault(delta)
    answer = held.refine(MEAN, within=3, epsilon=6)
    (value, low, high) = answer.rows[0]
    assert max(high - value, value - low) <= 3
    assert answer.notes == ()
    spent = held.ledger.total_spent()
    entries = list(held.ledger.entries())
    assert spent.fits(held._access.rule.price_of(6))
    assert spent.amount == answer.receipt.get("refined", {"total": spent.amount})["total"]
    again = held.refine(held.table("data").agg(m=tacit.mean("cost")), within=3, epsilon=6)
    assert again.price.free
    assert again.rows == answer.rows
    assert list(held.ledger.entries()) == entries


HEADER = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1)"
EMPTY = "SELECT ward, AVG(cost) AS m FROM data WHERE ward = 'w0' GROUP BY ward"


@pytest.mark.parametrize("delta", [0, 1e-6])
@pytest.mark.parametrize(
    ("question", "within"), [(MEAN, 1e-6), (EMPTY, 0.5)], ids=["mean", "empty"]
)
def test_what_cannot_become_accurate_stops_at_its_price(question, within, delta):
    """The last answer is given, says that it is not as accurate, and costs what was named, not what is left."""
    held = vault(delta)
    answer = held.refine(question, within=within, epsilon=2.5)
    most = held._access.rule.price_of(2.5)
    assert held.ledger.total_spent() == most
    assert answer.receipt["refined"]["total"] == most.amount
    assert "Not within" in answer.notes[-1]
    assert "Not within" in str(answer)
    again = held.refine(question, within=within, epsilon=2.5)
    assert (again.rows, again.notes, again.price.free) == (answer.rows, answer.notes, True)
    assert held.ledger.total_spent() == most
    # a price that is higher than what is left ends with the last answer that there was
    beyond = held.refine(question, within=within, epsilon=20)
    assert "Not within" in beyond.notes[-1]
    assert held.ledger.total_spent().fits(held._access.rule.limit)
    with pytest.raises(LimitExceeded):
        held.refine(COUNTS, within=1, epsilon=20)


@pytest.mark.parametrize("delta", [0, 1e-6])
def test_the_error_of_a_ratio_needs_a_price(delta):
    """`within` alone is refused for ratios, for nothing, and says what to do instead."""
    held = vault(delta)
    frame = held.table("data").agg(m=tacit.mean("cost"))
    calls = [
        lambda: held.sql(MEAN, within=3),
        lambda: frame.ask(within=3),
        lambda: held.ask(frame.plan(), within=3),
        lambda: held.explain(MEAN, within=3),
    ]
    for call in calls:
        with pytest.raises(InvalidInput, match=r"vault\.refine\(question, within=\.\.\., epsilon="):
            call()
    for question in (MEAN, frame):
        with pytest.raises(InvalidInput, match="epsilon is missing"):
            held.refine(question, within=3)
    assert held.budget.spent == 0
    stated = held.refine(MEAN.replace("SELECT", HEADER), within=1e-6)
    assert held.ledger.total_spent() == held._access.rule.price_of(1), stated


def test_what_cannot_be_refined_is_refused_for_nothing():
    held = vault()
    first = "SELECT ward FROM data GROUP BY ward ORDER BY COUNT(*) DESC LIMIT 2"
    for question in ("SELECT MEDIAN(cost) FROM data", first):
        with pytest.raises(InvalidPlan):
            held.refine(question, epsilon=1)
    for wrong in ({}, {"within": 3}, {"within": 0, "epsilon": 1}, {"within": -1, "epsilon": 1}):
        with pytest.raises(InvalidInput):
            held.refine(MEAN, **wrong)
    assert held.budget.spent == 0
