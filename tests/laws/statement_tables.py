"""The tables that generated statements ask about: private ones of one unit, one of rows that are units, public ones."""

from datetime import UTC, date, datetime

from tacit.plan import Column, Kind, Table

__all__ = ["DOSES", "LABS", "PRICES", "STATIONS", "TABLES", "TRIPS", "VISITS", "WARDS"]

WARDS = ("A", "B", "é b")
VISITS = Table(
    "visits",
    (
        Column("person", Kind.TEXT),
        Column("ward", Kind.TEXT, values=WARDS),
        Column("Two Words", Kind.TEXT),
        Column("age", Kind.INTEGER, 0, 120),
        Column("cost", Kind.NUMBER, -50, 500),
        Column("big", Kind.INTEGER),
        Column("score", Kind.NUMBER),
        Column("urgent", Kind.BOOLEAN),
        Column("day", Kind.DATE, date(2024, 1, 1), date(2024, 12, 31)),
        Column("seen", Kind.TIMESTAMP),
    ),
    unit="person",
    contributions=2,
    references=(("big", "visits", "age"), ("score", "doses", "mg"), ("day", "doses", "given")),
)
DOSES = Table(
    "doses",
    (
        Column("drug", Kind.TEXT, null_group=True),
        Column("mg", Kind.NUMBER, 0, 10),
        Column("times", Kind.INTEGER, -4, 9),
        Column("given", Kind.DATE),
        Column("oral", Kind.BOOLEAN, values=(False, True), null_group=True),
    ),
    unit="who",
    contributions=3,
    references=(("drug", "visits", "Two Words"), ("times", "labs", "code")),
)
LABS = Table(
    "labs",
    (
        Column("id", Kind.INTEGER),
        Column("test", Kind.TEXT, values=("hdl", "sbp"), other=True),
        Column("value", Kind.NUMBER, 0, 250),
        Column(
            "taken",
            Kind.TIMESTAMP,
            datetime(2023, 1, 1, tzinfo=UTC),
            datetime(2025, 1, 1, tzinfo=UTC),
        ),
        Column("code", Kind.INTEGER, values=(0, 1, 2)),
    ),
    unit="id",
    contributions=1,
    references=(("code", "visits", "age"), ("value", "visits", "age")),
)
TRIPS = Table(
    "trips",
    (
        Column("ward", Kind.TEXT, values=WARDS),
        Column("km", Kind.INTEGER, 0, 50),
        Column("fare", Kind.NUMBER, 0, 99),
        Column("note", Kind.TEXT),
        Column("on day", Kind.DATE, date(2024, 1, 1), date(2024, 12, 31)),
        Column("late", Kind.BOOLEAN),
    ),
)
STATIONS = Table(
    "stations",
    (
        Column("ward", Kind.TEXT, values=WARDS),
        Column("floor", Kind.INTEGER, 1, 3, values=(1, 2, 3)),
    ),
    public=True,
    unique=("ward",),
)
PRICES = Table(
    "prices",
    (
        Column("drug", Kind.TEXT),
        Column("price", Kind.NUMBER, 0, 20),
        Column("class", Kind.TEXT, values=("x", "y")),
    ),
    public=True,
)
TABLES = {table.name: table for table in (VISITS, DOSES, LABS, TRIPS, STATIONS, PRICES)}
