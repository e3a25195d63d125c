"""Noise reduction in a vault: only the difference is paid, each answer has one successor, and noise gets smaller."""

from fractions import Fraction

import pytest

import tacit
from tacit import protect
from tacit.curator import refine as room
from tacit.curator.asked import price_plan
from tacit.errors import EngineFailed, InvalidInput, InvalidPlan, LimitExceeded
from tacit.privacy import PureLoss

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


def test_an_answer_is_refined_once():
    """Of two that refine the same answer at the same time only the first is ever answered."""
    held = vault()
    plan = held.table("data").agg(n=tacit.count()).plan()
    held.ask(plan, epsilon=1)
    access, asked = held._access, price_plan(held._access, plan, epsilon=2)
    chain = room._find_chain(access, asked)
    first = room._pay(access, asked, chain, raw=False)
    key = room._key(access, asked, chain.entry)
    second = access.ledger.charge(key, PureLoss(2), None, topic=key)
    assert second.number != first.number
    room._answer(access, asked, chain, second)
    assert not any(entry.is_answered for entry in access.ledger.entries() if entry.key == key)
    # what was paid for and never answered is answered when it is asked again, for the same charge
    spent = held.ledger.total_spent()
    finer = held.refine(held.table("data").agg(n=tacit.count()), epsilon=2)
    assert held.ledger.total_spent() == spent
    assert finer.receipt["entry"] == first.number
    following = room._find_chain(access, asked)
    room._answer(access, asked, chain, first)
    assert room._find_chain(access, asked).stored == following.stored


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
def test_a_ratio_is_asked_until_it_is_accurate(delta):
    held = vault(delta)
    answer = held.sql(MEAN, within=3)
    (value, low, high) = answer.rows[0]
    assert max(high - value, value - low) <= 3
    spent = held.ledger.total_spent()
    entries = list(held.ledger.entries())
    assert spent.amount <= 2 * answer.receipt.get("refined", {"total": spent.amount})["total"]
    again = held.table("data").agg(m=tacit.mean("cost")).ask(within=3)
    assert again.price.free
    assert again.rows == answer.rows
    assert list(held.ledger.entries()) == entries
    with pytest.raises((LimitExceeded, InvalidInput)):
        held.sql(MEAN, within=1e-6)


def test_what_cannot_be_refined_is_refused_for_nothing():
    held = vault()
    first = "SELECT ward FROM data GROUP BY ward ORDER BY COUNT(*) DESC LIMIT 2"
    for question in ("SELECT MEDIAN(cost) FROM data", first):
        with pytest.raises(InvalidPlan):
            held.refine(question, epsilon=1)
    for wrong in ({}, {"epsilon": 1, "within": 3}, {"within": 0}, {"within": -1}):
        with pytest.raises(InvalidInput):
            held.refine(MEAN, **wrong)
    assert held.budget.spent == 0
