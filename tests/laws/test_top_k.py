"""Groups that are chosen: how far their scores move, what a choice costs, and that nothing else leaves."""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from random import Random

import numpy as np
import pytest

import tacit
from tacit.curator import Limit, Policy, Shared, Vault
from tacit.engines import Memory
from tacit.errors import EngineFailed, LimitExceeded
from tacit.mechanisms import NoisyTopK
from tacit.plan import Column, Kind, Table, prove, read_sql, top_k_of
from tacit.privacy import Neighbours, Norm
from tacit.stability import is_monotone

WARDS = ("A", "B", "C", "D")
MEASURES = {
    "rows": "COUNT(*)",
    "units": "COUNT(DISTINCT patient)",
    "values": "COUNT(DISTINCT cost)",
    "sum": "SUM(cost)",
    "signed sum": "SUM(gain)",
}
TABLE = Table(
    "visits",
    (
        Column("patient", Kind.INTEGER),
        Column("ward", Kind.TEXT, values=WARDS),
        Column("cost", Kind.INTEGER, low=0, high=4),
        Column("gain", Kind.INTEGER, low=-3, high=2),
    ),
    unit="patient",
)
CURRENCIES = {"pure": Fraction(0), "concentrated": Fraction(1, 10**6)}
every_measure = pytest.mark.parametrize("measure", MEASURES)
every_relation = pytest.mark.parametrize("neighbours", Neighbours)
every_currency = pytest.mark.parametrize("currency", CURRENCIES)


def statement(measure, k=1, order="DESC"):
    return f"SELECT ward FROM visits GROUP BY ward ORDER BY {MEASURES[measure]} {order} LIMIT {k}"


def vault_of(rows, currency, neighbours, contributions=2, ledger=None):
    limit = Limit(4, CURRENCIES[currency], neighbours)
    policy = Policy(limit, {"visits": Shared(TABLE, contributions)}, "patient")
    return Vault(
        policy,
        {"visits": Memory({TABLE: rows})},
        ledger or tacit.ledger.MemoryLedger(limit.filter()),
    )


def extreme_rows(dice, units, most=7):
    """Units of a few rows, or of many in one ward or in all, with cells at their ends."""
    rows = []
    for unit in range(units):
        wards = dice.choice([WARDS, WARDS[:1], WARDS[2:]])
        for _ in range(dice.choice([1, 2, most])):
            cells = {"cost": dice.choice([0, 4, 2, None]), "gain": dice.choice([-3, 2, None])}
            rows.append({"patient": unit, "ward": dice.choice(wards), **cells})
    return rows


def neighbour_of(rows, dice, neighbours):
    """The rows without unit 0, or with other rows in its place."""
    others = [row for row in rows if row["patient"] != 0]
    if neighbours is Neighbours.ADD_OR_REMOVE:
        return others
    return [*others, *(row for row in extreme_rows(dice, 1, most=9))]


@cache
def terms_of_choice(measure, currency, neighbours, contributions):
    """What a choice claims: it depends on no row, as a test below says."""
    vault = vault_of([], currency, neighbours, contributions)
    return asked_of(vault, statement(measure)).selection or selection_of(vault, statement(measure))


def scores_of(rows, terms):
    """The exact scores of the wards."""
    exact = Memory({TABLE: rows}).evaluate(terms.top.question, terms.weights)
    return [int(number) for number in exact[:, 0]]


def asked_of(vault, text, epsilon=1):
    from tacit.curator.priced_question import price_plan

    return price_plan(vault._access, read_sql(text, {"visits": TABLE}), epsilon=epsilon)


def selection_of(vault, text):
    """The terms of a choice, also where releasing numbers is as accurate."""
    from tacit.curator.pricing import selection_price as room

    asked = asked_of(vault, text)
    better = replace(asked.terms, mechanisms=(_wider(asked.terms.mechanisms[0]),))
    return room.selection_terms(top_k_of(asked.plan), asked.shared, asked.limit, better)


def _wider(noise):
    return type(noise)(10**6 * (noise.sigma if hasattr(noise, "sigma") else noise.scale))


@every_measure
@every_relation
@every_currency
def test_scores_move_no_further_than_is_claimed(measure, neighbours, currency):
    dice, furthest = Random(f"{measure} {neighbours} {currency}"), Fraction(0)
    for turn in range(40):
        rows = extreme_rows(dice, 3)
        other = neighbour_of(rows, dice, neighbours)
        contributions = (1, 2, 5)[turn % 3]
        terms = terms_of_choice(measure, currency, neighbours, contributions)
        one, two = (scores_of(each, terms) for each in (rows, other))
        moves = [a - b for a, b in zip(one, two, strict=True)]
        bound = terms.sensitivity.in_norm(Norm.LINF).bound
        assert max(map(abs, moves)) <= bound
        apart = max(moves) - min(0, *moves), max(0, *moves) - min(moves)
        claimed = (
            terms.mechanism.each.relative_sensitivity(terms.sensitivity)
            * terms.mechanism.each.scale
        )
        assert max(a - b for a in moves for b in moves) <= claimed, apart
        furthest = max(furthest, Fraction(max(a - b for a in moves for b in moves)) / claimed)
    assert furthest >= Fraction(1, 3)  # the bound is not far from what rows reach


@every_measure
def test_monotone_scores_move_the_same_way(measure):
    dice, question = (
        Random(measure),
        top_k_of(prove(read_sql(statement(measure), {"visits": TABLE}))).question,
    )
    assert not is_monotone(question, Neighbours.REPLACE)
    assert is_monotone(question, Neighbours.ADD_OR_REMOVE) == (measure != "signed sum")
    for _ in range(40):
        rows = extreme_rows(dice, 3)
        other = neighbour_of(rows, dice, Neighbours.ADD_OR_REMOVE)
        terms = terms_of_choice(measure, "pure", Neighbours.ADD_OR_REMOVE, 2)
        one, two = (scores_of(each, terms) for each in (rows, other))
        assert measure == "signed sum" or all(a >= b for a, b in zip(one, two, strict=True))


@every_measure
@every_relation
@pytest.mark.parametrize("k", [1, 2])
def test_the_price_covers_the_exact_law(measure, neighbours, k):
    dice, reached = Random(f"{measure} {neighbours} {k}"), 0.0
    terms = selection_of(vault_of([], "pure", neighbours), statement(measure, k))
    assert isinstance(terms.mechanism, NoisyTopK)
    for _ in range(12):
        rows = extreme_rows(dice, 2)
        other = neighbour_of(rows, dice, neighbours)
        laws = []
        for each in (rows, other):
            exact = Memory({TABLE: each}).evaluate(terms.top.question, terms.weights)
            laws.append(terms.mechanism.distribution([int(number) for number in exact[:, 0]]))
        for outcome, chance in laws[0].items():
            ratio = (chance / laws[1][outcome]).log()
            assert abs(ratio) <= float(terms.amount) * (1 + 1e-12)
            reached = max(reached, float(abs(ratio).mid()))
    assert reached > 0.1 * float(terms.amount)


@every_relation
def test_the_rho_of_a_choice_is_at_most_its_price(neighbours):
    for measure in MEASURES:
        for k in (1, 2, 3):
            terms = selection_of(vault_of([], "concentrated", neighbours), statement(measure, k))
            spent = terms.mechanism.loss(terms.sensitivity).rho()
            assert float(spent.upper()) <= float(terms.amount) * (1 + 1e-12)


@every_relation
@every_currency
def test_which_way_is_taken_depends_on_no_row(neighbours, currency):
    many = extreme_rows(Random(1), 30)
    for measure in MEASURES:
        ways = [
            asked_of(vault_of(rows, currency, neighbours), statement(measure))
            for rows in ([], many)
        ]
        assert ways[0].selection == ways[1].selection
        assert ways[0].terms == ways[1].terms


class Watching(Memory):
    """An engine that notes how many charges there are when it is asked for rows."""

    def __init__(self, rows, ledger, *, fails=False):
        super().__init__({TABLE: rows})
        self.ledger, self.fails, self.seen = ledger, fails, []

    def evaluate(self, question, weights):
        self.seen.append([entry.is_answered for entry in self.ledger.entries()])
        if self.fails:
            raise RuntimeError("patient 7 has a cost of 12")
        return super().evaluate(question, weights)


def watched(rows, *, fails=False):
    limit = Limit(4, 0)
    policy = Policy(limit, {"visits": Shared(TABLE, 2)}, "patient")
    ledger = tacit.ledger.MemoryLedger(limit.filter())
    engine = Watching(rows, ledger, fails=fails)
    return Vault(policy, {"visits": engine}, ledger), engine


CHOICE = statement("units")


def test_a_choice_is_paid_for_before_rows_are_looked_at():
    vault, engine = watched(extreme_rows(Random(2), 9))
    release = vault.sql(CHOICE, epsilon=1)
    assert engine.seen == [[False]]
    assert release.columns == ("ward",)
    assert release.measured == ()
    assert vault.budget.spent == pytest.approx(0.25)
    assert vault.sql(CHOICE, epsilon=1).rows == release.rows
    assert vault.sql(CHOICE, epsilon=0.5).rows == release.rows
    assert engine.seen == [[False]]
    assert vault.budget.spent == pytest.approx(0.25)
    assert vault.check_receipt(release.receipt) == []


def test_what_leaves_is_the_choice_of_the_mechanism(monkeypatch):
    rows, asked = extreme_rows(Random(5), 9), []

    def release(self, scores, times=None, *, smallest=False):
        asked.append((self, list(scores), smallest))
        return np.array([3, 1][: self.k])

    monkeypatch.setattr(NoisyTopK, "release", release)
    vault, _ = watched(rows)
    assert vault.sql(statement("units", 2), epsilon=1).column("ward") == ["D", "B"]
    terms = asked_of(vault, statement("units", 2)).selection
    exact = Memory({TABLE: rows}).evaluate(terms.top.question, terms.weights)
    assert asked == [(terms.mechanism, exact[:, 0].tolist(), False)]


def test_a_failing_engine_tells_nothing():
    vault, engine = watched([], fails=True)
    with pytest.raises(EngineFailed) as failure:
        vault.sql(CHOICE, epsilon=1)
    assert "patient 7" not in str(failure.value)
    assert failure.value.__context__ is None
    assert vault.budget.spent == pytest.approx(0.25)
    engine.fails = False
    assert vault.sql(CHOICE, epsilon=1).rows  # paid for already
    assert vault.budget.spent == pytest.approx(0.25)


def test_a_choice_that_does_not_fit_is_refused_before_rows_are_looked_at():
    vault, engine = watched([])
    with pytest.raises(LimitExceeded):
        vault.sql(CHOICE, epsilon=5)
    assert engine.seen == []


def test_other_choices_are_other_questions():
    vault, engine = watched(extreme_rows(Random(3), 9))
    texts = [statement("units", k, order) for k in (1, 2) for order in ("ASC", "DESC")]
    for text in texts:
        vault.sql(text, epsilon=0.5)
    assert len(engine.seen) == len(set(texts)) == 4


def test_clear_winners_are_chosen_from_either_end():
    rows = [{"patient": i, "ward": "AABBBC"[i % 6], "cost": 1, "gain": 1} for i in range(6_000)]
    for currency in CURRENCIES:
        vault = vault_of(rows, currency, Neighbours.ADD_OR_REMOVE)
        found = [vault.sql(statement("units", 2, order), epsilon=1) for order in ("DESC", "ASC")]
        assert [each.column("ward") for each in found] == [["B", "A"], ["D", "C"]]
        assert "private selection" in str(found[0])


def test_sorted_numbers_that_are_known_answer_a_choice_for_free():
    vault, engine = watched(extreme_rows(Random(4), 9))
    vault.sql(f"SELECT ward, {MEASURES['units']} AS n FROM visits GROUP BY ward", epsilon=3)
    assert vault.sql(CHOICE, epsilon=0.5).price.free
    assert len(engine.seen) == 1


def test_no_group_is_chosen_that_can_have_no_row():
    """Of sixty wards with sixty numbers of beds there are sixty groups, and the first of them are chosen."""
    names = [f"W{n}" for n in range(60)]
    wards = [{"name": name, "beds": 90 - place} for place, name in enumerate(names)]
    clinic = tacit.protect(
        {"visits": [{"patient": n, "ward": names[n % 50]} for n in range(300)]},
        unit="patient",
        contributions=1,
        columns={"visits": {"ward": names}},
        public={"wards": wards},
        epsilon=100,
    )
    grouped = "FROM visits JOIN wards ON ward = name GROUP BY name, beds ORDER BY COUNT(*)"
    known = {(each["name"], each["beds"]) for each in wards}
    first = clinic.sql(f"SELECT name, beds {grouped} ASC LIMIT 2", epsilon=0.5)
    assert "the smallest 2 of 60 groups" in str(first)
    assert len(first.rows) == 2
    assert set(first.rows) <= known
    every = clinic.sql(f"SELECT name, beds {grouped} DESC LIMIT 70", epsilon=1)
    assert set(every.rows) == known
