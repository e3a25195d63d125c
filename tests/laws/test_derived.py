"""What an earlier answer tells is what the question would have been told, but for the noise."""

from fractions import Fraction
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tacit.curator.answer.intervals import Noisy
from tacit.curator.answer.view_rows import view_answer
from tacit.curator.policy.policy import Limit, Shared
from tacit.curator.pricing.noise_of_measures import Terms, terms_of
from tacit.engines import Memory
from tacit.mechanisms import RankedCells
from tacit.plan import (
    Column,
    Kind,
    Plan,
    Table,
    canonical,
    derive_plan,
    fingerprint_and_subject,
    identity,
    read_sql,
)


def subject(plan: Plan) -> bytes:
    """What a plan is about."""
    return fingerprint_and_subject(plan.question)[1]


COST = Column("cost", Kind.INTEGER, low=10, high=30, nullable=False)
AGE = Column("age", Kind.NUMBER, low=-5, high=95)
WARD = Column("ward", Kind.TEXT, values=("A", "B"))
VISITS = Table("visits", (COST, AGE, WARD), unit="patient")
ROWS = [
    {"patient": n, "cost": 10 + n % 21, "age": float(n % 60), "ward": "AB"[n % 2]}
    for n in range(50)
]
COLUMNS = [
    "COUNT(*) AS a",
    "COUNT(age) AS b",
    "SUM(cost) AS c",
    "SUM(age) AS d",
    "AVG(cost) AS e",
    "AVG(age) AS f",
    "COUNT(DISTINCT patient) AS g",
    "SUM(cost) / COUNT(*) AS h",
    "AVG(age) + SUM(age) AS i",
    "VARIANCE(cost) AS j",
    "STDDEV_POP(age) AS k",
    "COVAR_POP(cost, age) AS l",
    "CORR(age, cost) + AVG(cost) AS m",
    "COUNT(DISTINCT age) AS o",
]
some = st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=6, unique=True)


def plan_of(columns: list[str]) -> Plan:
    text = f"SELECT ward, {', '.join(columns)} FROM visits GROUP BY ward"
    return canonical(read_sql(text, {"visits": VISITS}))


def seen(plan: Plan, terms: Terms, exact: Any, places: tuple[int, ...]) -> list[tuple[Any, ...]]:
    """The view of exact numbers."""
    noise = [mechanism for mechanism in terms.mechanisms if not isinstance(mechanism, RankedCells)]
    noisy = [
        [Noisy(int(row[place]), noise[place], terms.worth(place)) for place in places]
        for row in exact
    ]
    found = view_answer(plan, noisy, 0.95, raw=True)
    keep = [
        place for place, name in enumerate(found.columns) if not name.endswith(("_low", "_high"))
    ]
    return [tuple(row[place] for place in keep) for row in found.rows]


def answered(plan: Plan) -> tuple[Terms, Any]:
    terms = terms_of(plan.question, Shared(VISITS, 5), Limit(3), Fraction(1))
    return terms, Memory({VISITS: ROWS}).evaluate(plan.question, terms.weights)


@given(some, some)
def test_what_is_derived_has_the_same_meaning(paid: list[str], asked: list[str]) -> None:
    earlier, plan = plan_of(paid), plan_of(asked)
    assert subject(earlier) == subject(plan)
    found = derive_plan(plan, [identity(measure) for measure in earlier.question.measures])
    if found is None:
        return
    terms, exact = answered(earlier)
    fresh = answered(plan)
    told, places = found
    wanted = seen(plan, *fresh, tuple(range(len(plan.question.measures))))
    for had, meant in zip(seen(told, terms, exact, places), wanted, strict=True):
        assert all(_close(a, b) for a, b in zip(had, meant, strict=True))


def _close(a: Any, b: Any) -> bool:
    return bool(a == b or abs(a - b) <= 1e-3 * max(1, abs(b)))


def test_all_that_is_listed_can_be_told_and_other_rows_cannot() -> None:
    everything = [
        identity(measure)
        for measure in plan_of(["SUM(cost) AS s", "COUNT(*) AS n"]).question.measures
    ]
    assert derive_plan(plan_of(["AVG(cost) AS m"]), everything) is not None
    assert derive_plan(plan_of(["AVG(age) AS m"]), everything) is None
    centred = [identity(measure) for measure in plan_of(["AVG(cost) AS m"]).question.measures]
    assert derive_plan(plan_of(["SUM(cost) AS s"]), centred) is None
    other = canonical(read_sql("SELECT COUNT(*) AS n FROM visits", {"visits": VISITS}))
    assert subject(other) != subject(plan_of(["COUNT(*) AS n"]))
