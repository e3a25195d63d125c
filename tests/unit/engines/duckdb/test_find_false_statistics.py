"""What a file states of its columns is believed where it is true, and never proves a bound away."""

import struct
from datetime import date
from fractions import Fraction

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit.engines import DuckDB
from tacit.engines.duckdb.engine import FEW
from tacit.engines.duckdb.find_false_statistics import find_misstated
from tacit.engines.duckdb.rename_columns import column_types
from tacit.plan import (
    Column,
    Counted,
    Field,
    Kind,
    Question,
    Scan,
    Summed,
    Table,
    Weighing,
    Weights,
)

COST = Column("cost", Kind.INTEGER, 0, 100)
TABLE = Table("visits", (COST,), unit="who")
FAR = 1_000_000_007


def write(path, columns, *, told=()):
    """A file of these columns whose statistics have other numbers: of each pair, the second instead of the first."""
    pq.write_table(pa.table(columns), path, use_dictionary=False, compression="none")
    written = path.read_bytes()
    start = len(written) - 8 - struct.unpack("<I", written[-8:-4])[0]
    footer = written[start:]
    for true, other in told:
        assert struct.pack("<q", true) in footer
        footer = footer.replace(struct.pack("<q", true), struct.pack("<q", other))
    path.write_bytes(written[:start] + footer)
    return path


def misstated(path):
    with duckdb.connect() as connection:
        scan = f"'{path}'"
        types = column_types(connection, scan)
        return find_misstated(connection, scan, types, list(types))


def test_true_statistics_are_believed(tmp_path):
    columns = {
        "who": [1, 2, 3],
        "day": [date(2024, 1, 1), None, date(2024, 2, 29)],
        "note": ["a", None, "b"],
        "high": [True, False, None],
        "x": [1.5, float("nan"), None],
        "none": pa.array([None] * 3, pa.int64()),
    }
    moments = {"day"}  # of which nothing is believed
    assert misstated(write(tmp_path / "a.parquet", columns)) == moments
    empty = pa.table(columns).schema.empty_table()
    assert misstated(write(tmp_path / "b.parquet", {n: empty[n] for n in columns})) == moments


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([5, FAR, 7], (FAR, 7)),
        ([5, -FAR, 7], (-FAR, 5)),
        ([5, FAR, None], (FAR, 7)),
    ],
    ids=["beyond the greatest", "below the least", "beside a NULL"],
)
def test_a_column_that_leaves_what_is_stated_is_read_without_it(values, told, tmp_path):
    columns = {"who": [1, 2, 3], "cost": pa.array(values, pa.int64())}
    assert misstated(write(tmp_path / "a.parquet", columns, told=[told])) == {"cost"}


def evaluate(path, *measures):
    with DuckDB({TABLE: path}) as engine:
        question = Question(Scan(TABLE), (), measures)
        return engine.evaluate(question, Weights(Weighing.L1, 2, 1, 0)).tolist()


@pytest.mark.parametrize("column", ["cost", "who"])
def test_no_statement_of_a_file_proves_a_bound_away(column, tmp_path):
    """One row of a table that is optimised, beyond what its file states: in a sum, or as the number of its unit."""
    rows = {"who": list(range(FEW + 1)), "cost": [at % 90 for at in range(FEW + 1)]}
    rows[column][7] = FAR
    greatest = sorted(rows[column])[-2]
    file = write(tmp_path / "a.parquet", rows, told=[(FAR, greatest)])
    (found,) = evaluate(file, Counted(), Summed(Field(COST), Fraction(1), 0, 100))
    held = sum(min(cost, 100) for cost in rows["cost"])
    assert found == [FEW + 1, held]
