"""A remedy, applied, is answered: for every reason for which a statement or a frame is refused."""

from fractions import Fraction

import pytest

import tacit
from tacit import col
from tacit.curator import Limit, Policy, Shared, Vault
from tacit.engines import Memory
from tacit.ledger import MemoryLedger
from tacit.plan import (
    CombinedPlan,
    coalesce,
    freeze_parameters,
    prove,
    prove_combined,
    read_asked,
    when,
)
from tests.laws import clinic
from tests.together import together
from tests.unit.plan import cases, test_refusals, test_rows_sql
from tests.unit.plan.frame import test_frame
from tests.unit.plan.remedies import APPLIED, APPLIED_TO_ROWS

ELSEWHERE = {
    "nothing is bound to the parameter '1': none is given": "params are given to a vault, below",
    "this question uses public tables only": "they are read directly, without Tacit",
    "windows cannot be nested": "one of them is computed on the answer",
}
"""Reasons whose remedy is no other statement."""
DOORS = [
    *((reason, applied, cases.TABLES) for reason, applied in APPLIED.items()),
    *((reason, applied, clinic.TABLES) for reason, applied in APPLIED_TO_ROWS.items()),
]


@together
@pytest.mark.parametrize(("reason", "applied", "tables"), DOORS, ids=[each[0] for each in DOORS])
def test_a_statement_that_follows_the_remedy_is_read_and_proved(reason, applied, tables):
    text, tables = applied if isinstance(applied, tuple) else (applied, tables)
    plan, _ = read_asked(text, tables)
    parts = prove_combined(plan).parts if isinstance(plan, CombinedPlan) else (prove(plan),)
    assert all(part.question.measures for part in parts), reason


def test_every_reason_has_a_remedy_that_is_tried():
    reasons = {reason for reason, _ in (*test_refusals.CASES, *test_rows_sql.CASES)}
    assert reasons - set(APPLIED) - set(APPLIED_TO_ROWS) - set(ELSEWHERE) == set()
    assert set(ELSEWHERE) <= reasons


def test_values_that_are_given_are_bound():
    text = "SELECT COUNT(*) AS n FROM visits WHERE age > $1"
    assert prove(read_asked(text, cases.TABLES, bound=freeze_parameters([3]))[0])


VISIT = test_frame.VISIT
FRAMES = {
    "no declared column 'agee'": lambda: VISIT.where(col("age") > 5).agg(n=tacit.count()),
    "no declared column 'AGE'": lambda: VISIT.where(col("age") > 5).agg(n=tacit.count()),
    "a condition has no truth value in Python": lambda: VISIT.where(col("age").between(1, 5)).agg(
        n=tacit.count()
    ),
    "cannot be compared": lambda: VISIT.where(col("age") == 5).agg(n=tacit.count()),
    "NULL always gives NULL": lambda: VISIT.where(col("age").is_null()).agg(n=tacit.count()),
    "a condition is needed": lambda: VISIT.where(col("age") > 0).agg(n=tacit.count()),
    "an aggregate is not allowed here": lambda: VISIT.agg(n=tacit.count()).having(col("n") > 5),
    "would be shown for single rows, and single": lambda: VISIT.agg(a=tacit.mean("age")),
    "is not in GROUP BY": lambda: VISIT.group_by("ward").agg(a=tacit.mean("age")),
    "never shown": lambda: VISIT.agg(a=tacit.count_distinct("patient")),
    "is the protected unit": lambda: VISIT.group_by("ward").agg(a=tacit.units()),
    "unknown keys need delta > 0": lambda: VISIT.group_by("ward").agg(n=tacit.count()),
    "is constant": lambda: VISIT.group_by("ward").agg(n=tacit.count()),
    "ABS takes numbers": lambda: VISIT.agg(n=tacit.sum(abs(col("change")))),
    "a unit of time": lambda: VISIT.agg(n=tacit.count(col("day").date_trunc("year"))),
    "a constant number of decimals": lambda: VISIT.agg(n=tacit.sum(col("cost").round(2))),
    "this interval is too long": lambda: VISIT.where(col("day").later(9, "day") > col("day")).agg(
        n=tacit.count()
    ),
    "of NULL alone is constant": lambda: VISIT.agg(n=tacit.sum(coalesce(col("age"), 0))),
    "contains no aggregate": lambda: (
        VISIT.where(col("age") > 3).group_by("ward").agg(n=tacit.count())
    ),
    "an interval column": lambda: VISIT.agg(n=tacit.count(), other=tacit.count("age")),
    "two columns": lambda: VISIT.group_by("ward").agg(other=tacit.count()),
    "is not supported": lambda: VISIT.where(col("age") == 3).agg(n=tacit.count()),
    "the list is empty": lambda: VISIT.where(col("age").is_in([1])).agg(n=tacit.count()),
    "constants only": lambda: VISIT.where((col("age") == 1) | (col("age") == 2)).agg(
        n=tacit.count()
    ),
    "constant text": lambda: VISIT.where(col("name").like("a%")).agg(n=tacit.count()),
    "has no value": lambda: VISIT.agg(n=tacit.sum(when(col("age") > 3).then(1).otherwise(5))),
    "no condition": lambda: VISIT.agg(n=tacit.sum(when(col("age") > 3).then(1).otherwise(2))),
    "a condition has": lambda: VISIT.agg(
        n=tacit.sum(when(col("age") > 3).then(1).when(col("age") > 4).then(2).otherwise(0))
    ),
    "every branch": lambda: VISIT.agg(s=tacit.sum(when(col("age") > 3).then(1).otherwise(None))),
    "this frame does not belong to a vault": lambda: VISIT.agg(n=tacit.count()),
    "64 bits": lambda: VISIT.where(col("age") == Fraction(2**70)).agg(n=tacit.count()),
    "there is no such date": lambda: VISIT.where(col("day") == "2025-12-01").agg(n=tacit.count()),
}


@together
@pytest.mark.parametrize("reason", FRAMES)
def test_a_frame_that_follows_the_remedy_is_proved(reason):
    assert prove(FRAMES[reason]().plan()).question.measures


def test_every_reason_of_a_frame_has_a_remedy_that_is_tried():
    assert set(test_frame.REFUSED) == set(FRAMES)


def test_a_frame_of_a_vault_is_asked():
    limit = Limit(3)
    policy = Policy(limit, {"loose": Shared(cases.LOOSE, 1)}, "row")
    vault = Vault(policy, {"loose": Memory({cases.LOOSE: []})}, MemoryLedger(limit.filter()))
    assert vault.table("loose").agg(n=tacit.count()).ask(epsilon=1).columns[0] == "n"
