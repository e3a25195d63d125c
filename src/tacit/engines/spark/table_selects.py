"""Where a declared table is on a Spark cluster: the SELECT of the view from which statements read it.

Checked by: tests/unit/engines/spark/test_engine.py
"""

# ruff: noqa: S608 -- this is the SQL generator: what stands in it was rendered

from __future__ import annotations

from collections.abc import Mapping

from tacit.engines.served.engine import ReadTable
from tacit.engines.served.table_selects import (
    Site,
    StoredColumn,
    address_of,
    refuse_mixed,
    select_table,
)
from tacit.engines.sources.path_to_unit import Linked
from tacit.engines.sources.spark_tables import SparkTable
from tacit.engines.spark.catalog import read_stored, scan
from tacit.engines.spark.dialect import SPARK
from tacit.engines.spark.literals import quote
from tacit.engines.sql.select_with_parameters import cte
from tacit.frozen import frozen
from tacit.plan import Table

__all__ = ["View", "cluster_of", "tables_read", "view_of"]

Columns = Mapping[SparkTable, Mapping[str, StoredColumn]]
"""Every table that is read, and its columns."""


@frozen
class View:
    """A table as statements read it, and the SELECTs of its view: as it is, and without a row."""

    read: ReadTable
    select: str
    empty: str

    @property
    def name(self) -> str:
        """What the view is called."""
        return self.read.relation.name


def tables_read(source: SparkTable | Linked) -> list[SparkTable]:
    """The tables of the cluster that a source reads, its own first.

    >>> tables_read(SparkTable("spark://host:15002", ("clinic", "visits")))[0].called
    'clinic.visits'
    """
    if isinstance(source, SparkTable):
        return [source]
    found = [source.source, *(step.source for step in source.steps)]
    tables = [each for each in found if isinstance(each, SparkTable)]
    if len(tables) < len(found):
        refuse_mixed()
    return tables


def cluster_of(sources: list[SparkTable | Linked]) -> str:
    """The address of the one cluster on which all tables are."""
    return address_of({table.address for source in sources for table in tables_read(source)})


def view_of(place: int, table: Table, source: SparkTable | Linked, columns: Columns) -> View:
    """A declared table, read from its cluster; its types are checked, and no row is looked at."""
    selected = select_table(place, table, source, columns, _SITE)
    *ways, (_, own) = selected.parts
    before = f"WITH {', '.join(cte(name, select) for name, select in ways)} " if ways else ""
    empty = f"{before}SELECT * FROM ({own}) AS whole WHERE FALSE"
    return View(ReadTable(selected.relation), f"{before}{own}", empty)


_SITE = Site[SparkTable](SPARK, tables_read, scan, quote, read_stored)
