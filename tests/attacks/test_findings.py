"""What a hostile reader found, by its meaning: the same end whoever is there, before anything is charged.

| what was found | how it ends today |
|---|---|
| texts made long by REPLACE ran out of memory if one row exists | refused before the charge, whoever is there |
| a plan of one's own claimed bounds beyond 64 bits, and overflowed on one unit | refused before the charge, as above |
| noise of very wide questions was drawn one number at a time | drawn in vectors, whatever the number of groups |
"""

import time
from dataclasses import replace

import pytest

import tacit
from tacit.curator import Limit, Shared
from tacit.curator.pricing.noise_and_price import terms_of
from tacit.errors import InvalidPlan, TooLarge
from tacit.exact import discrete_gaussian
from tacit.plan import (
    Column,
    Compared,
    Counted,
    Field,
    Folded,
    Folding,
    Inner,
    Kind,
    Literal,
    MeasureOf,
    Plan,
    Question,
    Scan,
    Shown,
    Table,
    View,
    Where,
    canonical,
    read_sql,
)


def test_long_texts_are_refused_before_the_charge_whoever_is_there():
    """Three copies of forty texts of four megabytes each, made of constants where a name is Bob."""
    rows = [{"p": at, "name": f"n{at}"} for at in range(300)]
    made = f"REPLACE(CASE WHEN name = 'Bob' THEN '{'a' * 1000}' ELSE '' END, 'a', '{chr(0x1F600) * 1000}')"
    copies = " UNION ALL ".join(["SELECT p, x FROM a"] * 3)
    counts = ", ".join(f"COUNT(DISTINCT SUBSTR(x, {at + 1})) AS m{at}" for at in range(40))
    text = f"WITH a AS (SELECT p, {made} AS x FROM t WHERE name = 'Bob') SELECT {counts} FROM ({copies})"
    ends = []
    for bob in ([], [{"p": 1000, "name": "Bob"}]):
        vault = tacit.protect(
            rows + bob,
            unit="p",
            contributions=1,
            columns={"name": "text"},
            epsilon=1,
            delta=1e-6,
            name="t",
        )
        with pytest.raises(TooLarge) as refusal:
            vault.sql(text, epsilon=1e-9)
        ends.append((str(refusal.value), vault.budget.spent))
    assert ends[0] == ends[1]
    assert ends[0][1] == 0


def test_a_fold_that_claims_too_much_is_refused_before_the_charge_whoever_is_there():
    """A sum whose column claims bounds beyond 64 bits, in a plan that no door made."""
    columns = {"name": "text", "big": {"type": "integer", "low": 0, "high": 2**62}}
    rows = [{"p": at // 2, "name": f"n{at // 2}", "big": 2**61} for at in range(100)]
    ends = []
    for bob in ([], [{"p": 900, "name": "Bob", "big": 2**62}] * 3):
        vault = tacit.protect(
            rows + bob,
            unit="p",
            contributions=2,
            columns=columns,
            epsilon=1,
            delta=1e-6,
            name="t",
        )
        table = replace(vault.policy.tables["t"].table, contributions=2)
        name, big = (
            Field(next(each for each in table.columns if each.name == called))
            for called in ("name", "big")
        )
        total = Column("s", Kind.INTEGER, -(10**30), 10**30)
        of_bob = Where(Scan(table), Compared("=", name, Literal("Bob", Kind.TEXT)))
        rows_of_one = Inner(of_bob, (), (Folded(total, Folding.SUM, big),))
        question = Question(rows_of_one, (), (Counted(Field(total)),))
        with pytest.raises(InvalidPlan) as refusal:
            vault.ask(Plan(question, View((Shown("n", MeasureOf(0)),))), epsilon=1e-6)
        ends.append((str(refusal.value), vault.budget.spent))
    assert ends[0] == ends[1]
    assert ends[0][1] == 0


def test_noise_costs_the_same_for_each_group_however_many_there_are():
    """At a price of 1e-9, a number of 1,000,000 groups took a hundred times one of 40,000."""
    cost = {}
    for wide in (200, 1000):
        columns = (Column("a", Kind.INTEGER, 0, wide - 1), Column("b", Kind.INTEGER, 0, wide - 1))
        table = Table("t", columns, unit="p", contributions=1)
        text = "SELECT a, b, COUNT(*) AS n FROM t GROUP BY a, b"
        plan, limit = canonical(read_sql(text, {"t": table})), Limit(1, 1e-6)
        rule = limit.filter()
        amount = rule.amount(rule.price_of(1e-9))
        law = terms_of(plan.question, Shared(table, 1), limit, amount).mechanisms[0].law
        discrete_gaussian(law.parameter, 5)
        drawn = 10_000 if wide == 200 else 3_000
        start = time.process_time()
        discrete_gaussian(law.parameter, drawn)
        cost[wide] = (time.process_time() - start) / drawn
    assert cost[1000] < 20 * cost[200]  # a hundred times, when it was broken
