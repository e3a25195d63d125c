"""The small table that tests of engines share."""

from datetime import date, datetime
from fractions import Fraction

from tacit.plan import (
    Column,
    Counted,
    Field,
    Key,
    Kind,
    Question,
    Scan,
    Summed,
    Table,
    Units,
    Weighing,
    Weights,
)

WARD = Column("ward", Kind.TEXT, values=("A", "B"))
COST = Column("cost", Kind.NUMBER, low=0, high=10)
AGE = Column("age", Kind.INTEGER, low=0, high=120)
WELL = Column("well", Kind.BOOLEAN)
DAY = Column("day", Kind.DATE, low=date(2025, 1, 1), high=date(2025, 12, 31))
SEEN = Column("seen", Kind.TIMESTAMP)
VISITS = Table("visits", (WARD, COST, AGE, WELL, DAY, SEEN), unit="who")

ROWS = [
    {
        "who": who,
        "ward": ward,
        "cost": cost,
        "age": age,
        "well": age > 30,
        "day": date(2025, 1, 1 + age % 28),
        "seen": datetime(2025, 1, 1, age % 24),  # noqa: DTZ001 -- a column without a zone
    }
    for who, ward, cost, age in [
        ("ann", "A", 1.5, 30),
        ("ann", "A", 2.0, 30),
        ("ann", "B", 30.0, 31),
        ("bob", "A", 0.25, 64),
        ("bob", "C", 9.0, 64),
        (None, "A", 5.0, 20),
        ("eve", None, 5.0, 20),
    ]
]

BY_WARD = (Key(Field(WARD), ("A", "B")),)
COSTS = Summed(Field(COST), Fraction(1, 4), 0, 40)
EVERYTHING = Question(Scan(VISITS), BY_WARD, (Counted(), COSTS, Units()))
LOOSE = Weights(Weighing.L2, 100, 100, 0)
