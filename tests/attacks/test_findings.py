"""What a hostile reader found, by its meaning: the same end whoever is there, before anything is charged.

| what was found | how it ends today |
|---|---|
| texts made long by REPLACE ran out of memory if one row exists | refused before the charge, whoever is there |
| a plan of one's own claimed bounds beyond 64 bits, and overflowed on one unit | refused before the charge, as above |
| noise of very wide questions was drawn one number at a time | drawn in vectors, whatever the number of groups |

The last of them is checked where noise is priced: tests/unit/curator/pricing/test_answer_size.py
"""

from dataclasses import replace

import pytest

import tacit
from tacit.errors import InvalidPlan, TooLarge
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
    View,
    Where,
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
