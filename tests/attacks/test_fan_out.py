"""Nobody is told that somebody is there by how much work it is to join them with public rows."""

from dataclasses import replace
from fractions import Fraction

import pytest

from tacit.curator import Limit, Policy, Shared, Vault
from tacit.engines import DuckDB, Memory
from tacit.errors import TooLarge
from tacit.ledger import MemoryLedger
from tacit.plan import Column, Kind, Table, Weighing, Weights, read_sql

WARD = Column("ward", Kind.TEXT)
VISITS = Table(
    "visits",
    (Column("name", Kind.TEXT), Column("ill", Kind.TEXT), WARD),
    unit="patient",
    contributions=1,
)
DAYS = Table("days", (WARD, Column("day", Kind.INTEGER, low=0, high=9)), public=True)
TABLES = {"visits": VISITS, "days": DAYS}
BOB = {"patient": 9, "name": "Bob", "ill": "flu", "ward": "A"}
OTHERS = [{"patient": i, "name": "x", "ill": "flu", "ward": "AB"[i % 2]} for i in range(8)]
MANY = [{"ward": ward, "day": day} for day in range(365) for ward in ("A", "B", None)]
TENS = [{"ward": "A", "day": i} for i in range(10)] + [
    {"ward": f"C{i}", "day": i} for i in range(200)
]
WEIGHTS = Weights(Weighing.L1, 100, 10_000, 0)


def joined(times: int, on: str = "b.ward = m{0}.ward") -> str:
    joins = " ".join(f"JOIN days AS m{i} ON {on.format(i)}" for i in range(times))
    return f"SELECT COUNT(*) AS n FROM (SELECT patient, ward FROM visits WHERE name = 'Bob') AS b {joins}"


@pytest.mark.parametrize("kind", [DuckDB, Memory])
def test_what_one_row_would_make_too_much_of_is_refused_whoever_is_there(kind):
    said = []
    for rows in (OTHERS, [*OTHERS, BOB]):
        engine, limit = kind({VISITS: rows, DAYS: MANY}), Limit(1, Fraction(1, 10**6))
        policy = Policy(limit, {"visits": Shared(VISITS, 1), "days": Shared(DAYS, 1)}, "patient")
        vault = Vault(policy, {"visits": engine, "days": engine}, MemoryLedger(limit.filter()))
        with pytest.raises(TooLarge) as refusal:
            vault.sql(joined(2), epsilon=0.001)
        said.append((str(refusal.value), vault.budget.spent))
        assert vault.sql(joined(1), epsilon=0.001).rows
        engine.close()
    assert said[0] == said[1]
    assert "133,225 rows" in said[0][0]  # 365 of a ward, twice
    assert said[0][1] == 0


INNER = joined(5).replace("COUNT(*) AS n", "b.patient AS patient")


@pytest.mark.parametrize("kind", [DuckDB, Memory])
@pytest.mark.parametrize(
    ("text", "public", "fits"),
    [
        (joined(5), TENS, True),
        (joined(6), TENS, False),
        (f"SELECT COUNT(*) FROM ({INNER}) AS a", TENS, True),
        (f"SELECT COUNT(*) FROM ({INNER} UNION ALL {INNER}) AS a", TENS, False),
        (
            "SELECT COUNT(*) FROM visits JOIN days ON visits.ward = LOWER(days.ward)",
            TENS * 20,
            True,
        ),
        (
            "SELECT COUNT(*) FROM visits JOIN days ON visits.ward = LOWER(days.ward)",
            TENS * 500,
            False,
        ),
        ("SELECT COUNT(*) FROM visits JOIN days ON visits.ward = days.ward", TENS * 500, True),
    ],
    ids=[
        "shared by ten",
        "once more",
        "inside",
        "in a stack",
        "calculated",
        "too many",
        "by a column",
    ],
)
def test_how_much_it_is_follows_from_public_rows(kind, text, public, fits):
    engine, question = kind({VISITS: OTHERS, DAYS: public}), read_sql(text, TABLES).question
    if fits:
        engine.dry_run(question, WEIGHTS)
    else:
        with pytest.raises(TooLarge, match="are allowed; join on columns whose values occur"):
            engine.dry_run(question, WEIGHTS)
    engine.close()


@pytest.mark.parametrize("kind", [DuckDB, Memory])
def test_how_many_partners_are_known_is_asked_of_the_column_as_it_is_read(kind):
    """Without its bounds every day is another one; between them, all are the same, and one row meets all of them."""
    day = Column("day", Kind.INTEGER, low=0, high=1)
    visits, days = (
        Table("visits", (Column("stay", Kind.INTEGER),), unit="patient"),
        Table("days", (day,), public=True),
    )
    free = replace(days, columns=(replace(day, low=None, high=None),))
    asked = [
        read_sql(
            "SELECT COUNT(*) FROM visits JOIN days ON stay = day", {"visits": visits, "days": each}
        ).question
        for each in (free, days)
    ]
    engine = kind(
        {visits: [{"patient": 1, "stay": 1}] * 600, days: [{"day": i} for i in range(1, 301)]}
    )
    # 600 times 300 pairs are too many for one patient
    for question, pairs in zip(asked, (600, 0), strict=True):
        engine.dry_run(question, WEIGHTS)
        assert engine.evaluate(question, replace(WEIGHTS, bound=10**6)).tolist() == [[pairs]]
    engine.close()


@pytest.mark.parametrize("kind", [DuckDB, Memory])
def test_questions_inside_are_looked_at(kind):
    heavy = joined(2).replace("COUNT(*) AS n", "b.patient AS patient")
    engine = kind({VISITS: OTHERS, DAYS: MANY})
    for text in (
        f"SELECT COUNT(*) FROM visits WHERE patient IN ({heavy})",
        f"SELECT COUNT(*) FROM (SELECT DISTINCT patient FROM ({heavy}) AS a) AS c",
    ):
        with pytest.raises(TooLarge):
            engine.dry_run(read_sql(text, TABLES).question, WEIGHTS)
    engine.close()
