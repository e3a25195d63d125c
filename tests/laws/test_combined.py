"""Answers that are combined: one price for all parts, paid once; all else a function of what the parts released."""

from decimal import Decimal
from fractions import Fraction
from random import Random

import duckdb
import pandas as pd
import pytest

import tacit
from tacit.curator import ask_combined
from tacit.curator.answer import combined_rows
from tacit.curator.ask_combined import price_parts
from tacit.curator.priced_question import read_question
from tacit.curator.pricing.price_combined_answers import shares_of
from tacit.errors import EngineFailed, InvalidPlan, LimitExceeded
from tacit.privacy import Neighbours
from tests.laws.combined_statements import COLUMNS, KINDS, draw, rows_of

SHARE = (
    "SELECT ward, COUNT(*) * 1.0 / (SELECT COUNT(*) FROM visits) AS share FROM visits GROUP BY ward"
)
JOINED = (
    "WITH a AS (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward), "
    "b AS (SELECT ward, AVG(cost) AS m FROM visits WHERE age > 1 GROUP BY ward) "
    "SELECT ward, n, m FROM a JOIN b USING (ward)"
)
TURNED = (
    "SELECT y.ward, n, m FROM (SELECT ward, AVG(cost) AS m FROM visits WHERE 1 < age GROUP BY 1) y "
    "JOIN (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) x ON x.ward = y.ward"
)
STACKED = (
    "SELECT 'old' AS which, COUNT(*) AS n FROM visits WHERE age > 1 "
    "UNION ALL SELECT 'young', COUNT(*) FROM visits WHERE age <= 1"
)
FOUND = (
    "SELECT x.name, x.n, y.n AS old FROM (SELECT name, COUNT(*) AS n FROM visits GROUP BY name) x "
    "JOIN (SELECT name, COUNT(*) AS n FROM visits WHERE age > 1 GROUP BY name) y ON x.name = y.name"
)
STATEMENTS = {"share": SHARE, "joined": JOINED, "stacked": STACKED}
every_statement = pytest.mark.parametrize("text", STATEMENTS.values(), ids=STATEMENTS)
every_delta = pytest.mark.parametrize("delta", [0, 1e-6], ids=["pure", "concentrated"])


def vault_of(rows, *, epsilon=10, delta=1e-6, contributions=4, neighbours=Neighbours.ADD_OR_REMOVE):
    frame = pd.DataFrame(rows, columns=["patient", *COLUMNS])
    frame = frame.astype({"patient": int, "age": int, "cost": int})
    return tacit.protect(
        {"visits": frame},
        unit="patient",
        contributions=contributions,
        epsilon=epsilon,
        delta=delta,
        neighbours=neighbours,
        columns={"visits": COLUMNS},
    )


def parts_of(vault, text, epsilon=1, within=None):
    access = vault._access
    tables = access.read_tables()
    plan, price = read_question(access, text, tables, None if within else epsilon, within)
    return price_parts(access, plan, epsilon=price, within=within, confidence=0.95, tables=tables)


# ---------------------------------------------------------------- meaning


def by_keys(rows, keys):
    """Rows by what no noise has touched, in one order; NaN and NULL are None."""
    found = [tuple(None if pd.isna(cell) else cell for cell in row) for row in rows]
    return sorted(found, key=lambda row: [str(row[place]) for place in keys])


def answers_of(release):
    """The rows without the ends of intervals, and the places of columns that no noise has touched."""
    ends = {f"{name}{end}" for name in release.measured for end in ("_low", "_high")}
    names = [name for name in release.columns if name not in ends]
    keys = [place for place, name in enumerate(names) if name not in release.measured]
    places = [release.columns.index(name) for name in names]
    return [tuple(row[place] for place in places) for row in release.rows], keys


def compare_with_duckdb(kind, seeds):
    """Ask statements of a vault that adds all but no noise, and DuckDB the same of the rows."""
    for seed in seeds:
        dice = Random(f"{kind} {seed}")
        rows = rows_of(dice)
        text = KINDS[kind](dice)
        answer = vault_of(rows, epsilon=10**5, delta=0).sql(text, epsilon=10**5)
        visits = pd.DataFrame(rows)  # noqa: F841 -- DuckDB reads it by its name
        found, keys = answers_of(answer)
        exact = duckdb.sql(text).fetchall()
        if keys and not any(word in text for word in ("UNION", "FULL")):
            assert [row[keys[0]] for row in found] == [row[keys[0]] for row in exact], text
        assert len(found) == len(exact), text
        for one, two in zip(by_keys(found, keys), by_keys(exact, keys), strict=True):
            for cell, other in zip(one, two, strict=True):
                near = pytest.approx(float(other), abs=0.05) if _is_number(other) else other
                assert cell == near, f"{text}: {one} is {two}"


def _is_number(cell):
    return isinstance(cell, int | float | Decimal)


@pytest.mark.parametrize("kind", KINDS)
def test_combined_answers_mean_what_sql_says(kind):
    """Public keys of which each has rows: else DuckDB would have no group where a vault has an empty one."""
    compare_with_duckdb(kind, range(4))


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS)
def test_combined_answers_mean_what_sql_says_of_many_statements(kind):
    compare_with_duckdb(kind, range(1000, 1150))


# ---------------------------------------------------------------- price


@every_delta
@pytest.mark.parametrize("neighbours", Neighbours)
def test_the_price_covers_all_parts(delta, neighbours):
    vault = vault_of(rows_of(Random(0)), delta=delta, neighbours=neighbours)
    statements = [*STATEMENTS.values(), *([FOUND] if delta else [])]
    for text in statements:
        asked = parts_of(vault, text)
        rule = vault._access.rule
        amounts = [part.amount for part in asked.terms.parts]
        assert sum(amounts) == rule.amount(rule.price_of(1))
        assert sum(asked.terms.shares) == 1
        for part in asked.terms.parts:
            assert rule.price(part.spent).amount <= rule.price(part.loss).amount
        whole = asked.charge
        each = [rule.price(part.loss) for part in asked.terms.parts]
        assert sum(charge.amount for charge in each) >= whole.amount
        assert whole.amount >= sum(charge.amount for charge in each) - len(each)
        assert whole.failure >= sum(charge.failure for charge in each) - len(each)
        assert bool(whole.failure) == (text is FOUND)


@every_delta
def test_shares_make_the_sum_of_relative_errors_least(delta):
    vault = vault_of(rows_of(Random(0)), delta=delta)
    questions = [part.question for part in parts_of(vault, SHARE).plan.parts]
    best = [float(share) for share in shares_of(questions, concentrated=bool(delta))]
    groups = [len(list(question.groups)) for question in questions]
    power = 0.5 if delta else 1

    def errors(shares):
        return sum(many / share**power for many, share in zip(groups, shares, strict=True))

    for moved in (-0.1, -0.02, 0.02, 0.1):
        assert errors(best) <= errors([best[0] + moved, best[1] - moved])


@every_delta
@every_statement
def test_one_charge_is_made_before_anything_is_looked_at(text, delta, monkeypatch):
    vault = vault_of(rows_of(Random(1)), delta=delta)
    events = []
    ledger, release = vault.ledger, ask_combined.release_part
    charge = type(ledger).charge

    def watched(self, *given, **named):
        events.append("charge")
        return charge(self, *given, **named)

    def looking(*given):
        events.append("look")
        return release(*given)

    monkeypatch.setattr(type(ledger), "charge", watched)
    monkeypatch.setattr(ask_combined, "release_part", looking)
    vault.sql(text, epsilon=1)
    many = len(parts_of(vault, text).plan.parts)
    assert events == ["charge", *["look"] * many]
    assert len(list(ledger.entries())) == 1
    assert vault.budget.spent == pytest.approx(
        float(vault._access.rule.share(next(iter(ledger.entries())).charge))
    )


@every_delta
@every_statement
def test_the_whole_price_is_what_was_asked_for(text, delta):
    vault = vault_of(rows_of(Random(1)), epsilon=4, delta=delta)
    assert vault.explain(text, epsilon=1).share == pytest.approx(
        vault.explain("SELECT COUNT(*) AS n FROM visits", epsilon=1).share
    )
    vault.sql(text, epsilon=4)
    assert vault.budget.spent == pytest.approx(1)
    with pytest.raises(LimitExceeded):
        vault.sql("SELECT COUNT(*) AS n FROM visits", epsilon=0.1)


@every_delta
def test_within_is_what_every_number_that_is_shown_keeps(delta):
    vault = vault_of(rows_of(Random(1)), epsilon=1000, delta=delta)
    for row in vault.sql(STACKED, within=3, raw=True):
        assert row["n_high"] - row["n_low"] <= 2 * 3 + 1e-9
    assert vault.explain(STACKED, within=3).free
    assert vault.sql(STACKED, within=5).price.free
    assert not vault.explain(STACKED, within=1).free


def test_what_has_no_error_that_is_known_in_advance_takes_no_within():
    with pytest.raises(tacit.errors.InvalidInput, match="give epsilon instead"):
        vault_of(rows_of(Random(1))).sql(SHARE, within=3)


# ---------------------------------------------------------------- what leaves


@every_delta
def test_an_answer_is_a_function_of_what_its_parts_released(delta, monkeypatch):
    """Grey-box: two neighbouring tables whose parts release the same integers give the same answer, word for word."""
    dice, release = Random(5), ask_combined.release_part
    for turn in range(14):
        rows = rows_of(dice, units=8)
        _, text = draw(dice, turn)
        kept = []

        def remember(*given, kept=kept):
            kept.append(release(*given))
            return kept[-1]

        monkeypatch.setattr(ask_combined, "release_part", remember)
        one = vault_of(rows, delta=delta).sql(text, epsilon=1)
        replayed = iter(kept)
        monkeypatch.setattr(
            ask_combined, "release_part", lambda *_, replayed=replayed: next(replayed)
        )
        other = [row for row in rows if row["patient"] != turn % 8]
        two = vault_of(other, delta=delta).sql(text, epsilon=1)
        assert (one.columns, one.rows, one.notes, one.left_out, one.hiding) == (
            two.columns,
            two.rows,
            two.notes,
            two.left_out,
            two.hiding,
        )
        without = {"entry", "hash", "limit", "key"}
        assert {key: value for key, value in one.receipt.items() if key not in without} == {
            key: value for key, value in two.receipt.items() if key not in without
        }
        assert next(replayed, None) is None


def test_every_part_has_noise_of_its_own():
    """Of 40 pairs of totals that are both zero, all equal once in 10**40 runs or less: sigma is above 20."""
    vault = vault_of([], epsilon=1000, delta=0)
    seen = []
    for age in range(4):
        for cost in range(10):
            text = (
                f"SELECT 'a' AS k, COUNT(*) AS n FROM visits WHERE age = {age} AND cost < {cost} UNION ALL "
                f"SELECT 'b', COUNT(*) FROM visits WHERE age = {age} AND cost > {cost}"
            )
            parts = list(vault.ledger.entries())
            vault.sql(text, epsilon=0.1)
            (entry,) = [each for each in vault.ledger.entries() if each.number >= len(parts)]
            kept = ask_combined.StoredParts.from_bytes(entry.payload).parts
            seen.append([part.integers[0][0] for part in kept])
    assert all(len(set(pair)) == 2 for pair in seen) or len({tuple(pair) for pair in seen}) > 30
    assert len({one for one, _ in seen}) > 20
    assert any(one != two for one, two in seen)


def test_intervals_of_numbers_that_are_one_draw_do_not_shrink():
    """Each ward's total stands in two rows: their sum has twice its noise, not root two times."""
    vault = vault_of(rows_of(Random(2)), epsilon=1000)
    text = (
        "SELECT SUM(b.n) AS s FROM (SELECT ward, sex, COUNT(*) AS n FROM visits GROUP BY ward, sex) a "
        "JOIN (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) b ON a.ward = b.ward"
    )
    row = vault.sql(text, epsilon=1).rows[0]
    (by_ward,) = [
        terms for terms in parts_of(vault, text).terms.parts if len(terms.question.keys) == 1
    ]
    assert row[2] - row[1] >= 2 * 2 * 3**0.5 * float(by_ward.reach(0, 0.95))


def test_choosing_by_one_reading_of_a_number_is_choosing_by_the_other():
    vault = vault_of(rows_of(Random(2)), epsilon=1000, delta=0)
    joined = (
        "WITH a AS (SELECT age, COUNT(*) AS n FROM visits GROUP BY age) "
        "SELECT cur.age AS age, prev.n AS n FROM a cur JOIN a prev ON prev.age = cur.age {where}"
    )
    every = vault.sql(joined.format(where=""), epsilon=1)
    chosen = vault.sql(joined.format(where="WHERE cur.n > -1000"), epsilon=1)
    assert chosen.price.free
    assert [row["n"] for row in every] == [row["n"] for row in chosen]
    assert all(two["n_high"] > one["n_high"] for one, two in zip(every, chosen, strict=True)), (
        "intervals hold for all groups at once"
    )
    assert "simultaneously" in str(chosen)


# ---------------------------------------------------------------- replay, crashes, refusals


@every_delta
def test_the_same_parts_are_answered_once(delta):
    vault = vault_of(rows_of(Random(3)), delta=delta)
    first = vault.sql(JOINED, epsilon=1)
    spent = vault.budget.spent
    others = [
        JOINED,
        JOINED.replace("SELECT ward, n, m FROM", "SELECT ward AS w, m / n AS q, m - 1 AS less FROM")
        + " WHERE n > 3 ORDER BY n DESC LIMIT 2",
        TURNED,
    ]
    for text in others:
        again = vault.sql(text, epsilon=0.7)
        assert again.price.free, text
        assert vault.budget.spent == spent
    assert [row["n"] for row in vault.sql(others[-1], epsilon=1)] == [row["n"] for row in first]
    assert not vault.sql(JOINED, epsilon=2).price.free
    assert vault.budget.spent > spent


@every_delta
def test_other_parts_are_other_questions(delta):
    vault = vault_of(rows_of(Random(3)), delta=delta)
    vault.sql(JOINED, epsilon=1)
    for text in (JOINED.replace("age > 1", "age > 2"), JOINED.replace("AVG(cost)", "SUM(cost)")):
        assert not vault.sql(text, epsilon=1).price.free


def test_an_answer_of_an_earlier_version_is_not_replayed():
    vault = vault_of(rows_of(Random(3)))
    vault.sql(STACKED, epsilon=1)
    vault.refresh("visits")
    assert not vault.sql(STACKED, epsilon=1).price.free


def test_what_was_charged_and_never_answered_is_answered_without_a_second_charge(monkeypatch):
    vault = vault_of(rows_of(Random(3)))
    release = ask_combined.release_part

    def fail(*_):
        raise EngineFailed

    monkeypatch.setattr(ask_combined, "release_part", fail)
    with pytest.raises(EngineFailed):
        vault.sql(STACKED, epsilon=2)
    spent = vault.budget.spent
    assert spent > 0
    monkeypatch.setattr(ask_combined, "release_part", release)
    found = vault.sql(STACKED, epsilon=1)
    assert vault.budget.spent == spent
    assert found.price.epsilon == pytest.approx(2, rel=1e-3)
    kept = ask_combined.StoredParts.from_bytes(next(iter(vault.ledger.entries())).payload)
    paid = parts_of(vault, STACKED, epsilon=2)
    assert kept.scales == tuple(
        scale for place in paid.order for scale in [paid.terms.parts[place].mechanisms[0].sigma]
    )


def test_a_receipt_says_what_the_ledger_keeps():
    vault = vault_of(rows_of(Random(3)))
    found = vault.sql(JOINED, epsilon=1)
    assert vault.check_receipt(found.receipt) == []
    assert vault.check_receipt({**found.receipt, "mechanism": "none"}) != []
    entry = next(iter(vault.ledger.entries()))
    assert len(vault.look_up(entry)["parts"]) == 2


def test_what_cannot_be_computed_is_refused_before_it_is_paid_for(monkeypatch):
    vault = vault_of(rows_of(Random(3)))

    def overflow(*_given, **_named):
        raise OverflowError

    monkeypatch.setattr(combined_rows, "view_answer", overflow)
    with pytest.raises(InvalidPlan, match="could fail after the charge"):
        vault.sql(STACKED, epsilon=1)
    assert vault.budget.spent == 0
    assert not list(vault.ledger.entries())


def test_an_answer_that_is_not_in_the_ledger_is_not_free():
    vault = vault_of(rows_of(Random(3)), delta=0)
    assert not vault.explain(JOINED, epsilon=1).free
    vault.sql("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward", epsilon=1)
    assert not vault.explain(JOINED, epsilon=1).free
    told = str(vault.explain(JOINED, epsilon=1))
    assert "2 questions at one price" in told
    assert "33.3% of the price" in told
    assert Fraction(1, 3) in parts_of(vault, JOINED).terms.shares
