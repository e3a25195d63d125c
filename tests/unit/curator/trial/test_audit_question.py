"""The audit of one question: it comes close to what is claimed, and finds what is claimed wrongly."""

from dataclasses import replace
from fractions import Fraction
from unittest.mock import patch

import pytest

from tacit.curator import Limit, Policy, Shared, Vault, audit_question
from tacit.curator.trial import audit_question as questions
from tacit.engines import DuckDB, Memory
from tacit.errors import InvalidInput, InvalidPlan
from tacit.ledger import MemoryLedger
from tacit.plan import count, read_sql
from tacit.privacy import Neighbours
from tacit.stability import sensitivity_of
from tests.laws.clinic import TABLES

POLICY = Policy(
    Limit(3, 1e-6),
    {name: Shared(table, table.contributions or 4) for name, table in TABLES.items()},
    unit="patient",
)
PURE = Policy(Limit(3), POLICY.tables, unit="patient")
ASKED = {name: shared.asked_table for name, shared in POLICY.tables.items()}
BASIC = {
    "count": ("SELECT COUNT(*) AS n FROM visits WHERE cost > 100", POLICY),
    "groups": ("SELECT ward, COUNT(*) AS n, AVG(cost) AS m FROM visits GROUP BY ward", POLICY),
    "pure groups": ("SELECT ward, COUNT(*) AS n, AVG(cost) AS m FROM visits GROUP BY ward", PURE),
    "sum": ("SELECT SUM(stay) AS s FROM visits WHERE day >= DATE '2024-06-01' AND urgent", POLICY),
    "median": ("SELECT MEDIAN(stay) AS m FROM visits", POLICY),
    "keys": ("SELECT visit, COUNT(*) AS n, MEDIAN(stay) AS m FROM visits GROUP BY visit", POLICY),
    "units": ("SELECT COUNT(DISTINCT patient) AS n FROM visits", PURE),
    "rows": ("SELECT ward, SUM(km) AS s FROM trips GROUP BY ward", PURE),
}
GROUPS = BASIC["groups"][0]
every_basic_question = pytest.mark.parametrize(
    ("text", "policy"), list(BASIC.values()), ids=list(BASIC)
)


def audited(text, policy=POLICY, pairs=120, world=0):
    return audit_question(read_sql(text, ASKED, finding=True), policy, pairs=pairs, world=world)


@every_basic_question
def test_what_is_claimed_holds_and_is_nearly_reached(text, policy):
    found = audited(text, policy, pairs=80)
    assert found.held
    assert [each.relation for each in found.closest] == list(Neighbours)
    assert found.pairs == 80
    assert found.compared == 2
    assert max(each.share for each in found.closest) > 0.9
    assert str(found).endswith("Nothing refutes the claim.")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT p.sex, SUM(v.cost) AS s FROM visits v JOIN patients p ON v.patient = p.id GROUP BY p.sex",
        "WITH each AS (SELECT patient, SUM(cost) AS paid FROM visits GROUP BY patient) SELECT AVG(paid) AS m FROM each",
        "SELECT COUNT(*) AS n FROM visits v JOIN stations s ON v.ward = s.ward WHERE s.floor > 2",
        "SELECT COUNT(*) AS n FROM visits WHERE patient NOT IN (SELECT id FROM patients WHERE age > 50)",
    ],
)
def test_questions_over_several_tables_are_audited(text):
    found = audited(text, pairs=30)
    assert found.held
    assert max(each.share for each in found.closest) > 0.2


def too_small(question, weights, neighbours):

    return tuple(
        replace(each, bound=each.bound * Fraction(9, 10))
        for each in sensitivity_of(question, weights, neighbours)
    )


@every_basic_question
def test_a_claim_that_is_too_small_is_refuted(text, policy, monkeypatch):
    monkeypatch.setattr(questions, "sensitivity_of", too_small)
    found = audited(text, policy, pairs=400)
    assert not found.held
    assert found.witness is not None
    one, other = found.witness.worlds
    assert one != other
    assert "REFUTED: one unit moves" in str(found)
    assert "after:" in str(found)


def test_a_unit_that_leaves_one_group_for_another_moves_both():
    found = audited("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward", PURE, pairs=100)
    assert found.closest[1].relation is Neighbours.REPLACE
    assert (
        found.closest[1].share > 0.7
    )  # who comes or goes alone moves half of the claimed sensitivity


def test_neighbours_differ_in_one_unit():
    found = audited(GROUPS, pairs=40)
    for each in found.closest:
        one, other = ([str(row) for row in world["visits"]] for world in each.pair.worlds)
        moved = [row for row in one if row not in other] + [row for row in other if row not in one]
        assert moved
        assert all(f"'patient': {0}" in row for row in moved)
    assert not any(found.closest[0].pair.before.values())


class Fails(Memory):
    """An engine that stumbles over what a row holds."""

    def evaluate(self, question, weights):
        if any(row.cells["cost"] is None for row in self._rows["visits"]):
            raise ZeroDivisionError
        return super().evaluate(question, weights)


class Differs(DuckDB):
    """An engine that counts one too many where there is anyone."""

    def evaluate(self, question, weights):
        found = super().evaluate(question, weights)
        return found + (found > 0)


@pytest.mark.parametrize(
    ("name", "engine", "fault"),
    [
        ("Memory", Fails, "an engine failed because of the rows (ZeroDivisionError)"),
        ("DuckDB", Differs, "memory and DuckDB differ in the exact integers"),
    ],
)
def test_engines_that_fail_or_differ_are_refuted(name, engine, fault):
    with patch.object(questions, name, engine):
        found = audited(GROUPS, pairs=400)
    assert found.fault == fault
    assert found.witness is not None


def test_a_vault_audits_without_looking_at_its_rows_and_for_nothing():
    # there is no engine to look with
    vault = Vault(POLICY, {}, MemoryLedger(POLICY.limit.filter()))
    assert vault.audit(GROUPS, pairs=20).held
    assert vault.audit(vault.table("visits").agg(n=count()), pairs=20).held
    assert vault.budget.spent == 0
    with pytest.raises(InvalidPlan):
        vault.audit("SELECT patient FROM visits")


@pytest.mark.parametrize("pairs", [0, 1, -3, 1.5, None])
def test_pairs_are_counted(pairs):
    with pytest.raises(InvalidInput, match="pairs"):
        audited(GROUPS, pairs=pairs)
