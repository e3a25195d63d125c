"""What tables are called in a ledger: pinned, since stored answers are found by it."""

from datetime import date

import pytest

from tacit.curator.policy.policy import Shared
from tacit.curator.tables.column_codes import code_columns
from tacit.curator.tables.release_tables import TablesAsked
from tacit.plan import Column, Kind, Table

COLUMNS = (
    Column("ward", Kind.TEXT, values=("A", "B"), other=True),
    Column("age", Kind.INTEGER, low=0, high=120, nullable=False),
    Column("cost", Kind.NUMBER, low=0, high=1000),
    Column("day", Kind.DATE, low=date(2025, 1, 1), high=date(2025, 12, 31)),
    Column("smokes", Kind.BOOLEAN),
)
TABLE = Table("visits", COLUMNS, unit="patient")
AGES_WITH_NULL = (COLUMNS[0], Column("age", Kind.INTEGER, low=0, high=120), *COLUMNS[2:])
OTHER_WARDS = (Column("ward", Kind.TEXT, values=("A", "C"), other=True), *COLUMNS[1:])


def asked(table=TABLE, kind="synthetic table", more=(), cells=128, names=None):
    return TablesAsked(kind, Shared(table, 3), code_columns(table, names, cells), "", more)


def test_fingerprints_are_pinned():
    """A change of these digits makes every vault forget what it has answered and paid for."""
    assert (
        asked().fingerprint.hex()
        == "c735f9e5a2d55f656ef94cbabe96c76f8f9cdc0bb43631aa6345488cb6c32792"
    )
    marginals = asked(kind="marginals", more=("2", "0,1:10.0"), cells=16)
    assert (
        marginals.fingerprint.hex()
        == "ab2de41e777e4319cc9a6737e02612b9759119e120b6f1fd614be2cc0d6b91c5"
    )


@pytest.mark.parametrize(
    "other",
    [
        asked(kind="marginals"),
        asked(more=("age < 3",)),
        asked(cells=64),
        asked(names=["ward", "age"]),
        asked(Table("stays", COLUMNS, unit="patient")),
        asked(Table("visits", COLUMNS, unit="doctor")),
        asked(
            Table(
                "visits",
                (*COLUMNS[:1], Column("age", Kind.INTEGER, low=0, high=120), *COLUMNS[2:]),
                unit="patient",
            )
        ),
        asked(
            Table(
                "visits",
                (Column("ward", Kind.TEXT, values=("A", "C"), other=True), *COLUMNS[1:]),
                unit="patient",
            )
        ),
    ],
)
def test_other_tables_have_other_fingerprints(other):
    assert other.fingerprint != asked().fingerprint
