"""What a hostile reader found, by its meaning: the same end whoever is there, before anything is charged.

| what was found | how it ends today |
|---|---|
| texts made long by REPLACE ran out of memory if one row exists | refused before the charge, whoever is there |
| a plan of one's own claimed bounds beyond 64 bits, and overflowed on one unit | refused before the charge, as above |
| noise of very wide questions was drawn one number at a time | drawn in vectors, whatever the number of groups |
"""

import time

import pytest

import tacit
from tacit.curator import Limit, Shared
from tacit.curator.pricing.terms import terms_of
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


@pytest.mark.parametrize("bob", [0, 1], ids=["without", "with the row"])
def test_long_texts_are_refused_before_the_charge_whoever_is_there(bob):
    """Forty texts of four megabytes each, made of constants where a name is Bob."""
    rows = [{"p": at, "name": f"n{at}"} for at in range(50)] + [{"p": 1000, "name": "Bob"}] * bob
    vault = tacit.protect(
        rows, unit="p", contributions=1, columns={"name": "text"}, epsilon=1, delta=1e-6, name="t"
    )
    made = f"REPLACE(CASE WHEN name = 'Bob' THEN '{'a' * 1000}' ELSE '' END, 'a', '{chr(0x1F600) * 1000}')"
    copies = " UNION ALL ".join(["SELECT p, x FROM a"] * 3)
    counts = ", ".join(f"COUNT(DISTINCT SUBSTR(x, {at + 1})) AS m{at}" for at in range(40))
    text = f"WITH a AS (SELECT p, {made} AS x FROM t WHERE name = 'Bob') SELECT {counts} FROM ({copies})"
    with pytest.raises(TooLarge):
        vault.sql(text, epsilon=1e-9)
    assert vault.budget.spent == 0


@pytest.mark.parametrize("bob", [0, 3], ids=["without", "with the rows"])
def test_a_fold_that_claims_too_much_is_refused_before_the_charge_whoever_is_there(bob):
    """A sum whose column claims bounds beyond 64 bits, in a plan that no door made."""
    columns = {"name": "text", "big": {"type": "integer", "low": 0, "high": 2**62}}
    rows = [{"p": at // 2, "name": f"n{at // 2}", "big": 2**61} for at in range(40)]
    rows += [{"p": 900, "name": "Bob", "big": 2**62}] * bob
    vault = tacit.protect(
        rows, unit="p", contributions=2, columns=columns, epsilon=1, delta=1e-6, name="t"
    )
    table = vault._access.read_tables()["t"].asked_table
    name, big = (
        Field(next(each for each in table.columns if each.name == called))
        for called in ("name", "big")
    )
    total = Column("s", Kind.INTEGER, -(10**30), 10**30)
    of_bob = Where(Scan(table), Compared("=", name, Literal("Bob", Kind.TEXT)))
    rows_of_one = Inner(of_bob, (), (Folded(total, Folding.SUM, big),))
    question = Question(rows_of_one, (), (Counted(Field(total)),))
    with pytest.raises(InvalidPlan):
        vault.ask(Plan(question, View((Shown("n", MeasureOf(0)),))), epsilon=1e-6)
    assert vault.budget.spent == 0


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
        start = time.process_time()
        discrete_gaussian(law.parameter, 3_000)
        cost[wide] = time.process_time() - start
    assert cost[1000] < 20 * cost[200] + 0.05
