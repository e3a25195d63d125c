"""The schema that tests of the catalogue share, and a catalogue of it within this process."""

from functools import cache

from tacit.catalogue import Column, Schema, Table
from tacit.catalogue.database import Database

TEXT, INT8, BOOL, FLOAT8, DATE, TIMESTAMPTZ = 25, 20, 16, 701, 1082, 1184

CLINIC = Schema(
    "clinic",
    (
        Table(
            "patients",
            (
                Column("patient", TEXT),
                Column("age", INT8, comment="integer from 18 to 100"),
                Column("male", BOOL),
                Column("bmi", FLOAT8),
                Column("died", BOOL),
            ),
            comment="one row a patient",
        ),
        Table(
            "labs",
            (
                Column("patient", TEXT),
                Column("test", TEXT),
                Column("value", FLOAT8, nullable=False),
                Column("day", INT8),
            ),
        ),
        Table("events", (Column("patient", TEXT), Column("event", TEXT))),
        Table(
            "visits",
            (
                Column("id", INT8),
                Column("patient", TEXT),
                Column("ward", TEXT),
                Column("cost", FLOAT8),
                Column("at", TIMESTAMPTZ),
                Column("on_day", DATE),
            ),
        ),
    ),
)
BUDGET = Table("budget", (Column("analyst"), Column("spent", FLOAT8)), schema="tacit")


@cache
def database() -> Database:
    """A catalogue of the clinic and of `tacit.budget`, made once; it holds nothing but what every test may read."""
    return Database(Schema("clinic", (*CLINIC.tables, BUDGET)))


def rows(sql: str, *parameters: object) -> list[tuple[object, ...]]:
    """The rows that the catalogue answers with."""
    return list(database().ask(sql, parameters).rows)
