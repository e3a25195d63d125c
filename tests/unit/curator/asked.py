"""A small clinic, and plans about it, for the tests of this folder."""

from fractions import Fraction
from typing import Any

from tacit.curator import Limit, Noisy, Shared
from tacit.curator.answer.view_rows import Viewed, view_answer
from tacit.mechanisms import Gaussian, Laplace
from tacit.plan import Column, Kind, Plan, Table, canonical, read_sql

COLUMNS = (
    Column("person", Kind.TEXT),
    Column("ward", Kind.TEXT, values=("A", "B", "C")),
    Column("severe", Kind.BOOLEAN, values=(True, False)),
    Column("code", Kind.INTEGER, values=(2**53, 2**53 + 1)),
    Column("size", Kind.NUMBER, values=(Fraction(1, 2), 3)),
    Column("label", Kind.TEXT, values=("12", "x", "-3")),
    Column("age", Kind.INTEGER, low=0, high=120, nullable=False),
    Column("cost", Kind.NUMBER, low=-100, high=300),
    Column("gain", Kind.INTEGER, low=-40, high=60),
)
VISITS = Table("visits", COLUMNS, unit="person")
ROWS = Table("visits", COLUMNS)


def plan_of(text: str, table: Table = VISITS) -> Plan:
    """The plan of a text, as it is kept."""
    return canonical(read_sql(text, {"visits": table}))


def shared(contributions: int = 5, table: Table = VISITS) -> Shared:
    return Shared(table, contributions)


PURE = Limit(3)
CONCENTRATED = Limit(3, 1e-6)


def noisy(
    *integers: int, spread: Any = 10, kind: type[Laplace] | type[Gaussian] = Gaussian
) -> list[Noisy]:
    """Released integers that count in ones."""
    return [Noisy(integer, kind(spread), Fraction(1)) for integer in integers]


def seen(text: str, *released: list[Noisy], confidence: float = 0.95, raw: bool = False) -> Viewed:
    """What a text shows of released numbers, one list a group; measures in the order of the canonical question."""
    return view_answer(plan_of(text), released, confidence, raw=raw)
