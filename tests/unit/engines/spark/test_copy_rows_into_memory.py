"""Rows that are public are copied; so are those that the curator inspects."""

from tacit.engines.sources.path_to_unit import Linked, Step
from tacit.engines.sources.source_kinds import Listed
from tacit.engines.spark.copy_rows_into_memory import copy_from_spark
from tacit.plan import Column, Kind, Table
from tests import spark
from tests.unit.engines.postgres.test_engine import ROWS, VISITS


def test_rows_are_copied_with_the_columns_that_are_needed():
    source = spark.store({VISITS: ROWS})[VISITS]
    table = Table("visits", (Column("cost", Kind.INTEGER, 0, 9),), unit="patient")
    copied = copy_from_spark(source, table)
    assert isinstance(copied, Listed)
    assert sorted(map(str, copied.rows)) == sorted(
        str({"cost": row["cost"], "patient": row["patient"]}) for row in ROWS
    )
    linked = copy_from_spark(Linked(source, (Step("note", source, "note"),), "patient"), table)
    assert isinstance(linked, Linked)
    assert isinstance(linked.steps[0].source, Listed)
