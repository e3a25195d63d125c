"""Questions about rows beyond one scan: the claimed sensitivity is attained by extreme units and never exceeded."""

from fractions import Fraction

import pytest

from tacit.engines import Memory
from tacit.plan import Weighing, canonical, read_sql
from tacit.privacy import Neighbours
from tacit.stability import sensitivity_of, weights_for
from tests.laws import clinic
from tests.laws.clinic import DOSES, PATIENTS, TABLES, TRIPS, VISITS


def length_squared(one, other, norm):
    """The square of how far two answers are apart, exactly."""
    moves = [abs(int(a) - int(b)) for a, b in zip(one, other, strict=True)]
    return sum(moves) ** 2 if norm is Weighing.L1 else sum(move * move for move in moves)


HEAVY = {
    VISITS: [
        {
            "patient": "new",
            "visit": n,
            "ward": "ABCD"[n % 4],
            "cost": 5000.0,
            "stay": 60,
            "day": None,
            "urgent": True,
        }
        for n in range(120)
    ],
    PATIENTS: [{"id": "new", "sex": "f", "age": 120, "ward": "A"} for _ in range(9)],
    DOSES: [{"person": "new", "visit": n, "drug": "x", "mg": 100.0} for n in range(130)],
}
# What is asked, and whether one heavy unit attains the bound of every measure under add-or-remove.
ASKED = [
    (
        "SELECT AVG(s) AS m, COUNT(*) AS n FROM (SELECT patient, SUM(stay) AS s FROM visits GROUP BY patient)",
        True,
    ),
    ("SELECT SUM(n) AS s FROM (SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient)", True),
    (
        "SELECT SUM(longest) AS s FROM (SELECT patient, MAX(stay) AS longest FROM visits GROUP BY patient)",
        True,
    ),
    ("SELECT SUM(m) AS s FROM (SELECT patient, AVG(stay) AS m FROM visits GROUP BY patient)", True),
    (
        "SELECT SUM(n) AS s FROM (SELECT patient, ward, COUNT(*) AS n FROM visits GROUP BY patient, ward)",
        False,
    ),
    ("SELECT COUNT(*) AS n, SUM(age) AS s FROM visits JOIN patients ON patient = id", True),
    ("SELECT COUNT(*) AS n FROM visits v JOIN visits w ON v.patient = w.patient", True),
    ("SELECT COUNT(*) AS n, SUM(stay) AS s FROM visits LEFT JOIN rooms USING (ward)", True),
    ("SELECT ward, COUNT(*) AS n FROM visits JOIN patients USING (ward) GROUP BY ward", None),
    (
        "SELECT COUNT(*) AS n FROM (SELECT patient FROM visits UNION ALL SELECT person FROM doses)",
        True,
    ),
    ("SELECT COUNT(*) AS n FROM visits WHERE patient IN (SELECT id FROM patients)", True),
    (
        "SELECT COUNT(*) AS n FROM visits WHERE patient NOT IN (SELECT id FROM patients WHERE age < 3)",
        True,
    ),
    (
        "SELECT COUNT(*) AS n FROM (SELECT ROW_NUMBER() OVER (PARTITION BY patient) AS k FROM visits) WHERE k > 0",
        True,
    ),
    (
        "SELECT SUM(t) AS s FROM (SELECT SUM(stay) OVER (PARTITION BY patient) AS t FROM visits)",
        True,
    ),
    (
        "SELECT SUM(l) AS s FROM (SELECT LAG(stay) OVER (PARTITION BY patient ORDER BY visit) AS l FROM visits)",
        False,
    ),
    ("SELECT COUNT(DISTINCT patient) AS n FROM visits JOIN doses ON patient = person", True),
]


@pytest.mark.parametrize("norm", list(Weighing))
@pytest.mark.parametrize(("text", "attained"), [each for each in ASKED if each[1] is not None])
def test_an_extreme_unit_moves_an_answer_as_far_as_is_claimed_and_no_farther(text, attained, norm):
    question = canonical(read_sql(text, TABLES)).question
    base = clinic.rows(patients=6)
    more = {table: [*rows, *HEAVY.get(table, [])] for table, rows in base.items()}
    weights = weights_for(question, 1, norm)
    claims = sensitivity_of(question, weights, Neighbours.ADD_OR_REMOVE)
    one, other = (Memory(each).evaluate(question, weights) for each in (base, more))
    for place, claim in enumerate(claims):
        moved = length_squared(one[:, place], other[:, place], norm)
        assert moved <= claim.bound**2
        if attained:
            assert moved >= claim.bound**2 * Fraction(998, 1000)


def test_what_a_unit_adds_up_to_needs_no_more_noise_than_one_row():
    question = read_sql(ASKED[0][0], TABLES).question
    assert weights_for(question, 40, Weighing.L1).bound == 1
    joined = read_sql(
        "SELECT COUNT(*) AS n FROM visits JOIN patients ON patient = id", TABLES
    ).question
    assert weights_for(joined, 40, Weighing.L1).bound == 120


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("SELECT COUNT(*) AS n FROM trips", 1),
        ("SELECT COUNT(*) AS n FROM (SELECT km FROM trips UNION ALL SELECT km FROM trips)", 2),
        (
            "SELECT COUNT(*) FROM (SELECT km FROM trips UNION ALL SELECT km FROM trips UNION ALL SELECT 1 FROM trips)",
            3,
        ),
        (
            "SELECT ward, COUNT(*) AS n FROM (SELECT * FROM trips UNION ALL SELECT * FROM trips) GROUP BY ward",
            2,
        ),
        ("SELECT COUNT(*) AS n FROM trips JOIN stations USING (ward)", 1),
    ],
)
@pytest.mark.parametrize("norm", list(Weighing))
@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_where_every_row_is_a_unit_it_moves_an_answer_as_often_as_it_is_there(
    text, times, norm, neighbours
):
    question = canonical(read_sql(text, TABLES)).question
    weights = weights_for(question, 1, norm)
    (claim,) = sensitivity_of(question, weights, neighbours)
    assert weights.bound == times
    base = clinic.rows(patients=2)
    fewer, row = base[TRIPS][:-1], {"ward": "A", "km": 3}
    rows = [*fewer, row] if neighbours is Neighbours.REPLACE else fewer
    changed = [*fewer, {"ward": "B", "km": 3}]
    one, other = (
        Memory({**base, TRIPS: each}).evaluate(question, weights) for each in (rows, changed)
    )
    moved = length_squared(one[:, 0], other[:, 0], norm)
    assert moved <= claim.bound**2
    if neighbours is Neighbours.ADD_OR_REMOVE:
        assert moved == claim.bound**2 == times**2
