"""Watches: how far what is compared moves, what all answers cost, and what a restart, a race or a crash leaves."""

import itertools
from fractions import Fraction
from functools import cache
from math import log
from pathlib import Path
from random import Random

import pytest

import tacit
from tacit.curator.pricing import threshold_watch_price as pricing
from tacit.curator.record.receipt import SEALED
from tacit.errors import (
    EngineFailed,
    Exhausted,
    InvalidData,
    InvalidInput,
    InvalidPlan,
    LimitExceeded,
)
from tacit.exact import ball, upper, working
from tacit.mechanisms import AboveThreshold
from tacit.plan import prove, read_sql
from tacit.privacy import Neighbours
from tests.laws.test_top_k import (
    CURRENCIES,
    MEASURES,
    TABLE,
    WARDS,
    Watching,
    extreme_rows,
    neighbour_of,
    vault_of,
    watched,
)
from tests.unit.cli.clinics import vault as folder_vault

every_relation = pytest.mark.parametrize("neighbours", Neighbours)
every_currency = pytest.mark.parametrize("currency", CURRENCIES)
every_measure = pytest.mark.parametrize("measure", MEASURES)
COUNT = "SELECT COUNT(*) AS n FROM visits"


def count_in(ward):
    return f"{COUNT} WHERE ward = '{ward}'"


def compared(vault, text, *, monotone=False):
    plan = prove(read_sql(text, {"visits": TABLE}))
    shared, limit = vault.policy.tables["visits"], vault.policy.limit
    return pricing.compared_of(plan, shared, limit, monotone=monotone)


def steps(vault, text, threshold):
    """What is compared of a question, in the rows of this vault."""
    found = compared(vault, text)
    exact = vault._access.engines["visits"].evaluate(found.question, found.weights)
    return found.steps_above(int(exact[0, 0]), Fraction(threshold))


@every_measure
@every_relation
@every_currency
def test_what_is_compared_moves_no_further_than_is_claimed(measure, neighbours, currency):
    dice, furthest = Random(f"{measure} {neighbours} {currency}"), 0
    for turn in range(40):
        rows = extreme_rows(dice, 3)
        other = neighbour_of(rows, dice, neighbours)
        contributions, threshold = (1, 2, 5)[turn % 3], dice.choice([-1, 0, Fraction(7, 3), 90])
        text = f"SELECT {MEASURES[measure]} FROM visits{' WHERE ward = ' + repr('A') if turn % 2 else ''}"
        one, two = (
            steps(vault_of(each, currency, neighbours, contributions), text, threshold)
            for each in (rows, other)
        )
        assert abs(one - two) <= pricing.STEPS
        furthest = max(furthest, abs(one - two))
    assert furthest >= pricing.STEPS / 3  # the bound is not far from what rows reach


def test_what_is_compared_is_the_distance_from_the_threshold():
    rows = [{"patient": n, "ward": "A", "cost": 2, "gain": 1} for n in range(12)]
    vault = vault_of(rows, "pure", Neighbours.ADD_OR_REMOVE, contributions=1)
    texts = {COUNT: 12, "SELECT SUM(cost) FROM visits": 24, count_in("B"): 0}
    for text, exact in texts.items():
        moved = compared(vault, text).moved
        for threshold in (0, 5, exact, 40):
            expected = Fraction(exact - threshold) * pricing.STEPS / moved
            assert steps(vault, text, threshold) == expected.__floor__()


@pytest.mark.parametrize("measure", ["signed sum", "falling sum"])
def test_a_monotone_watch_refuses_what_may_shrink(measure):
    text = {"signed sum": "SUM(gain)", "falling sum": "SUM(0 - cost)"}[measure]
    vault = vault_of([], "pure", Neighbours.ADD_OR_REMOVE)
    statement = f"SELECT {text} FROM visits"
    with pytest.raises(InvalidPlan, match="monotone=False"):
        vault.watch(threshold=1, epsilon=1).ask(statement)
    assert vault.watch(threshold=10**6, epsilon=1, monotone=False).ask(statement) is False


def test_no_watch_is_monotone_where_units_are_replaced():
    vault = vault_of([], "pure", Neighbours.REPLACE)
    with pytest.raises(InvalidInput, match="only under add-or-remove"):
        vault.watch(threshold=1, epsilon=1, monotone=True)
    assert not vault.watch(threshold=1, epsilon=1)._terms.mechanism.monotone
    assert vault.budget.spent == pytest.approx(0.25)


def transcripts(terms, values):
    """The law of all answers to these values, asked one after the other, straight from the definition of a watch."""
    if terms.lines == 1:
        return terms.mechanism.distribution(values, threshold=0)
    law = {}
    for answers in itertools.product([False, True], repeat=len(values)):
        if sum(answers[:-1]) < terms.answers:  # it does not go on after the last yes
            chance, start = ball(1), 0
            for place, answer in enumerate(answers, 1):
                if answer or place == len(answers):  # here a line of questions ends
                    chance *= _line(terms.mechanism, tuple(values[start:place]))[
                        answers[start:place]
                    ]
                    start = place
            law[answers] = chance
    return law


@cache
def _line(mechanism, values):
    return mechanism.distribution(values, threshold=0)


# One unit has no row, one row or two; neighbours are one unit apart.
UNITS = [(), (("A", 4),), (("B", 4),), (("A", 4), ("B", 0))]
WORLDS = [(a, b) for a in UNITS[1:3] for b in UNITS]


def rows_of(world):
    return [
        {"patient": unit, "ward": ward, "cost": cost, "gain": 2 - cost}
        for unit, held in enumerate(world)
        for ward, cost in held
    ]


def small_pairs(neighbours):
    """Neighbouring small worlds."""
    for world in WORLDS:
        for other in UNITS:
            near = (world[0], other)
            if near == world:
                continue
            gone = (not world[1]) != (not other)
            if gone == (neighbours is Neighbours.ADD_OR_REMOVE):
                yield world, near


LINES_OF_QUESTIONS = {
    True: [count_in("A"), "SELECT SUM(cost) FROM visits", count_in("B")],
    False: ["SELECT SUM(gain) FROM visits", count_in("A"), count_in("B")],
}


@every_relation
@every_currency
@pytest.mark.parametrize("answers", [1, 2])
def test_the_price_covers_the_exact_law(neighbours, currency, answers, monkeypatch):
    monkeypatch.setattr(pricing, "STEPS", 2)
    for monotone in {False, neighbours is Neighbours.ADD_OR_REMOVE}:
        base = vault_of([], currency, neighbours, contributions=1)
        terms = pricing.watch_terms(base.policy.limit, 1, Fraction(3), answers, monotone)
        laws = {}
        for world in WORLDS:
            vault = vault_of(rows_of(world), currency, neighbours, contributions=1)
            values = [steps(vault, text, 1) for text in LINES_OF_QUESTIONS[monotone]]
            laws[world] = transcripts(terms, values)
        pairs = [(laws[one], laws[two]) for one, two in small_pairs(neighbours)]
        if currency == "pure":
            check_pure(pairs, terms)
        else:
            check_renyi(pairs, terms)


def check_pure(pairs, terms):
    """No sequence of answers is likelier by more than the price, and some is by a good part of it."""
    with working():
        worst = max(
            float(upper(abs((one[each] / two[each]).log()))) for one, two in pairs for each in one
        )
    assert 0.2 * float(terms.amount) < worst <= float(terms.amount) * (1 + 1e-9)


def check_renyi(pairs, terms):
    """Renyi divergences of several orders are at most the order times rho."""
    for (one, two), order in itertools.product(pairs, (1.01, 2, 8, 64)):
        chances = [(float(one[each].mid()), float(two[each].mid())) for each in one]
        total = sum(p * (p / q) ** (order - 1) for p, q in chances)
        assert log(total) / (order - 1) <= order * float(terms.amount) * (1 + 1e-6)


@every_relation
def test_the_rho_of_all_lines_is_the_price_and_hardly_less(neighbours):
    vault = vault_of([], "concentrated", neighbours)
    for answers in (1, 3, 40):
        terms = pricing.watch_terms(vault.policy.limit, 0, Fraction(1, 7), answers, monotone=False)
        each = terms.mechanism.loss(tacit.privacy.Sensitivity(pricing.STEPS, neighbours=neighbours))
        spent = float(upper(each.rho())) * terms.lines
        assert 0.999 / 7 <= spent <= float(Fraction(1, 7))
        assert (terms.lines, terms.mechanism.count) == (answers, 1)


def test_one_line_serves_all_answers_of_a_pure_watch():
    vault = vault_of([], "pure", Neighbours.ADD_OR_REMOVE)
    terms = pricing.watch_terms(vault.policy.limit, 0, Fraction(1), 5, None)
    assert (terms.lines, terms.mechanism.count, terms.mechanism.monotone) == (1, 5, True)
    spent = terms.mechanism.loss(pricing.STEPS).epsilon
    assert Fraction(999, 1000) <= spent <= 1


# ---------------------------------------------------------------- the corridor


def test_a_watch_is_paid_for_once_and_before_rows_are_read():
    vault, engine = watched(extreme_rows(Random(2), 9))
    watch = vault.watch(threshold=10**6, epsilon=1, answers=2)
    assert engine.seen == []
    assert vault.budget.spent == pytest.approx(0.25)
    assert watch.ask(COUNT) is False
    assert engine.seen == [[True, False]]  # the watch, and this question's place
    assert vault.watch(threshold=10**6, epsilon=1, answers=2).ask(COUNT) is False
    assert [watch.ask(count_in(ward)) for ward in WARDS] == [False] * 4
    assert len(engine.seen) == 5  # the first question was answered already
    assert vault.budget.spent == pytest.approx(0.25)
    assert vault.check_receipt(watch.receipt) == []
    assert "2 of 2 answers left, 5 questions asked" in repr(watch)


@pytest.mark.parametrize(
    "other",
    [{"threshold": 7}, {"epsilon": 0.5}, {"answers": 1}, {"monotone": False}, {"name": "b"}],
)
def test_other_terms_are_another_watch(other):
    vault, _ = watched([])
    usual = {"threshold": 10**6, "epsilon": 1, "answers": 2}
    first = vault.watch(**usual)
    first.ask(COUNT)
    assert len(vault.watch(**usual | other).answers) == 0
    assert vault.budget.spent > 0.25


def test_a_watch_that_does_not_fit_is_refused_before_rows_are_looked_at():
    vault, engine = watched([])
    with pytest.raises(LimitExceeded):
        vault.watch(threshold=1, epsilon=5)
    assert engine.seen == []


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ward, COUNT(*) FROM visits GROUP BY ward",
        "SELECT AVG(cost) FROM visits",
        "SELECT MEDIAN(cost) FROM visits",
        "SELECT COUNT(*), SUM(cost) FROM visits",
        "SELECT COUNT(*) + 1 FROM visits",
        "SELECT COUNT(*) FROM visits HAVING COUNT(*) > 2",
    ],
)
def test_what_is_no_single_number_is_refused_and_takes_no_place(text):
    vault, engine = watched([])
    watch = vault.watch(threshold=1, epsilon=1)
    with pytest.raises(InvalidPlan, match="a watch compares"):
        watch.ask(text)
    assert len(list(vault.ledger.entries())) == 1
    assert engine.seen == []


def test_a_failing_engine_tells_nothing_and_its_place_is_taken_later():
    vault, engine = watched([], fails=True)
    watch = vault.watch(threshold=10**6, epsilon=1)
    with pytest.raises(EngineFailed) as failure:
        watch.ask(COUNT)
    assert "patient 7" not in str(failure.value)
    assert failure.value.__context__ is None
    engine.fails = False
    assert watch.ask(count_in("A")) is False
    assert len(list(vault.ledger.entries())) == 2


@every_currency
def test_what_is_told_is_what_the_mechanism_says_of_the_steps(currency, monkeypatch):
    rows, asked = extreme_rows(Random(5), 9), []
    said = iter([False, True, False, True])

    def is_above(self, value, noisy_threshold):
        asked.append((self, value, noisy_threshold))
        return next(said)

    drawn = itertools.count(100)
    monkeypatch.setattr(AboveThreshold, "draw_threshold", lambda self, at: at + next(drawn))
    monkeypatch.setattr(AboveThreshold, "is_above", is_above)
    vault = vault_of(rows, currency, Neighbours.ADD_OR_REMOVE)
    watch = vault.watch(threshold=3, epsilon=1, answers=2)
    texts = [count_in(ward) for ward in WARDS]
    assert [watch.ask(text) for text in texts] == [False, True, False, True]
    second = 100 if currency == "pure" else 101  # with a delta, each yes ends a line
    lines = [100, 100, second, second]
    mechanism = watch._terms.mechanism
    assert asked == [
        (mechanism, steps(vault, text, 3), line) for text, line in zip(texts, lines, strict=True)
    ]
    assert watch.left == 0


@every_relation
@every_currency
def test_with_the_noise_held_nothing_that_leaves_tells_neighbours_apart(
    neighbours, currency, monkeypatch
):
    monkeypatch.setattr(AboveThreshold, "draw_threshold", lambda self, at: at)
    monkeypatch.setattr(AboveThreshold, "is_above", lambda self, value, line: False)
    monkeypatch.setattr("tacit.curator.watch_threshold.seal", lambda key, secret, bound: secret)
    monkeypatch.setattr("tacit.curator.watch_threshold.unseal", lambda key, sealed, bound: sealed)
    monkeypatch.setattr("tacit.ledger.memory.now", lambda: "now")
    dice, left = Random(f"{neighbours}"), []
    rows = extreme_rows(dice, 4)
    for each in (rows, neighbour_of(rows, dice, neighbours)):
        vault = vault_of(each, currency, neighbours)
        watch = vault.watch(threshold=3, epsilon=1, monotone=False)
        told = [watch.ask(f"SELECT {measure} FROM visits") for measure in MEASURES.values()]
        left.append((told, repr(watch), list(vault.ledger.entries()), watch.receipt))
    assert left[0] == left[1]


# ---------------------------------------------------------------- races, restarts, crashes


def test_no_more_answers_are_given_than_were_paid_for(monkeypatch):
    monkeypatch.setattr(AboveThreshold, "is_above", lambda self, value, line: True)
    vault, _ = watched([])
    watches = [vault.watch(threshold=0, epsilon=1, answers=3) for _ in range(2)]
    told = [watches[turn % 2].ask(count_in(ward)) for turn, ward in enumerate(WARDS[:3])]
    assert told == [True] * 3
    for watch in watches:
        assert watch.left == 0
        with pytest.raises(Exhausted, match="name of its own"):
            watch.ask(COUNT)
        assert watch.ask(count_in("A")) is True  # what was answered is still known
    assert vault.watch(threshold=0, epsilon=1, answers=3, name="b").ask(COUNT) is True


class Meanwhile(Watching):
    """An engine in which somebody else asks while rows are read for the first time."""

    def evaluate(self, question, weights):
        first = not self.seen
        found = super().evaluate(question, weights)
        if first:
            self.other()
        return found


@pytest.mark.parametrize("answers", [1, 2])
def test_two_who_ask_at_once_take_two_places(answers, monkeypatch):
    monkeypatch.setattr(AboveThreshold, "is_above", lambda self, value, line: True)
    vault, engine = watched([])
    engine = Meanwhile([], vault.ledger)
    vault._access.engines["visits"] = engine
    one, two = (vault.watch(threshold=0, epsilon=1, answers=answers) for _ in range(2))
    engine.other = lambda: two.ask(count_in("B"))
    if answers == 1:
        with pytest.raises(Exhausted):
            one.ask(count_in("A"))
        assert [each.question for each in one.answers] == [each.question for each in two.answers]
    else:
        assert one.ask(count_in("A")) is True
        assert len(one.answers) == 2
    assert one.left == two.left == 0


def test_another_process_goes_on_with_the_same_thresholds(tmp_path, monkeypatch):
    clinic, said = folder_vault(tmp_path), iter([False, True, True])
    seen = []

    def is_above(self, value, noisy_threshold):
        seen.append(noisy_threshold)
        return next(said)

    monkeypatch.setattr(AboveThreshold, "is_above", is_above)
    texts = [f"SELECT COUNT(*) FROM visits WHERE ward = '{ward}'" for ward in "AB"]
    with tacit.open(clinic) as first:
        watch = first.watch(threshold=2, epsilon=0.5, answers=2)
        assert [watch.ask(text) for text in texts] == [False, True]
        spent = first.budget.spent
    with tacit.open(clinic) as again:
        same = again.watch(threshold=2, epsilon=0.5, answers=2)
        assert (same.left, again.budget.spent) == (1, spent)
        assert [same.ask(text) for text in texts] == [False, True]  # from the record
        assert same.ask("SELECT COUNT(*) FROM visits") is True
        assert same._lines == watch._lines
        again.verify()
    with tacit.open(clinic) as last:
        assert last.watch(threshold=2, epsilon=0.5, answers=2).left == 0
    lines = watch._lines
    assert seen == [lines[0], lines[0], lines[-1]]


def test_the_thresholds_are_sealed_in_the_ledger(tmp_path, monkeypatch):
    monkeypatch.setattr(AboveThreshold, "draw_threshold", lambda self, at: 987654321)
    clinic = folder_vault(tmp_path)
    with tacit.open(clinic) as vault:
        watch = vault.watch(threshold=2, epsilon=0.5)
        assert watch._lines == [987654321]
        (entry,) = vault.ledger.entries()
        assert entry.payload.startswith(SEALED + b"\n")
        told = entry.payload, repr(vault.look_up(entry)), repr(watch.receipt), repr(watch)
        assert not any("987654321" in str(each) for each in told)
    kept = b"".join(file.read_bytes() for file in Path(clinic).iterdir() if file.is_file())
    assert b"987654321" not in kept
    key = Path(clinic) / "watch.key"
    assert key.stat().st_mode & 0o077 == 0
    key.write_bytes(bytes(32))
    with tacit.open(clinic) as vault, pytest.raises(InvalidData, match=r"restore watch\.key"):
        vault.watch(threshold=2, epsilon=0.5)


STEPS_OF_A_QUESTION = ["charge", "charged", "evaluate", "settle", "settled"]


class Crash(BaseException):
    """The process ends here."""


@pytest.mark.parametrize("step", STEPS_OF_A_QUESTION)
@every_currency
def test_a_crash_between_two_questions_loses_nothing_and_forgets_nothing(
    step, currency, monkeypatch
):
    """Whatever was told is told again; nothing is answered twice; what was given stays given."""
    monkeypatch.setattr(AboveThreshold, "is_above", lambda self, value, line: True)
    vault = vault_of([], currency, Neighbours.ADD_OR_REMOVE)
    watch = vault.watch(threshold=0, epsilon=1, answers=2)
    assert watch.ask(count_in("A")) is True
    ledger, engine = vault.ledger, vault._access.engines["visits"]

    def crashing(place, name, *, after):
        whole = getattr(place, name)

        def broken(*given, **named):
            if after:
                whole(*given, **named)
            raise Crash

        return place, name, broken

    target = {
        "charge": crashing(ledger, "charge", after=False),
        "charged": crashing(ledger, "charge", after=True),
        "evaluate": crashing(engine, "evaluate", after=True),
        "settle": crashing(ledger, "settle", after=False),
        "settled": crashing(ledger, "settle", after=True),
    }[step]
    with monkeypatch.context() as patch:
        patch.setattr(*target)
        with pytest.raises(Crash):
            watch.ask(count_in("B"))
    again = vault.watch(threshold=0, epsilon=1, answers=2)
    assert again._lines == watch._lines
    assert again.left == (0 if step == "settled" else 1)
    assert again.ask(count_in("A")) is True
    assert again.ask(count_in("B")) is True
    with pytest.raises(Exhausted):
        again.ask(count_in("C"))
    assert [each.above for each in again.answers] == [True, True]
    assert vault.budget.spent == pytest.approx(
        vault.watch(threshold=0, epsilon=1, answers=2).price.share
    )


def test_a_crash_before_the_threshold_is_on_record_draws_it_again_under_the_same_charge(
    monkeypatch,
):
    vault, _ = watched([])
    with monkeypatch.context() as patch:
        patch.setattr("tacit.curator.watch_threshold.seal", lambda *_: (_ for _ in ()).throw(Crash))
        with pytest.raises(Crash):
            vault.watch(threshold=0, epsilon=1)
    assert vault.budget.spent == pytest.approx(0.25)
    vault.watch(threshold=0, epsilon=1)
    assert vault.budget.spent == pytest.approx(0.25)


def test_a_refreshed_table_is_asked_anew():
    vault, engine = watched([])
    watch = vault.watch(threshold=10**6, epsilon=1)
    watch.ask(COUNT)
    vault.refresh("visits")
    watch.ask(COUNT)
    assert len(engine.seen) == 2


def test_frames_and_sql_are_the_same_questions():
    vault, engine = watched([])
    watch = vault.watch(threshold=10**6, epsilon=1)
    frame = vault.table("visits").where(tacit.col("ward") == "A").agg(n=tacit.count())
    assert watch.ask(frame) is watch.ask(count_in("A")) is watch.ask(frame.plan()) is False
    assert len(engine.seen) == 1
    assert watch.error(frame) == watch.error(count_in("B")) > 0


def test_an_analyst_has_watches_of_her_own():
    from tacit.curator import Vault

    vault, _ = watched([])
    access = vault._access
    alice = Vault(vault.policy, access.engines, vault.ledger, analyst="alice")
    vault.watch(threshold=10**6, epsilon=1).ask(COUNT)
    assert alice.watch(threshold=10**6, epsilon=1).answers == ()
    assert vault.budget.spent == pytest.approx(0.5)


def test_a_key_that_cannot_be_read_is_noticed_before_anything_is_paid(tmp_path):
    with tacit.open(folder_vault(tmp_path)) as vault:
        next(Path(tmp_path).rglob("tacit.toml")).with_name("watch.key").write_bytes(b"short")
        with pytest.raises(InvalidData, match="damaged"):
            vault.watch(threshold=10, epsilon=0.1)
        assert vault.budget.spent == 0


@pytest.mark.parametrize("monotone", ["x", 1, 0.5])
def test_monotone_is_true_or_false(monotone):
    vault = vault_of([], "pure", Neighbours.ADD_OR_REMOVE, 1)
    with pytest.raises(InvalidInput, match="monotone"):
        vault.watch(threshold=1, epsilon=1, monotone=monotone)
    assert vault.budget.spent == 0
