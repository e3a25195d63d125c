"""Which bytes of a Parquet file state milliseconds: those of the columns that are asked for, and no others."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit.engines.duckdb.milliseconds_in_parquet_footer import find_milliseconds
from tacit.errors import InvalidData

MANY = {
    f"n{each}": pa.array([each]) for each in range(40)
}  # a list of more than 14 elements is written otherwise


def restated(path, names):
    """The types of a file once the bytes are changed."""
    data = bytearray(path.read_bytes())
    for place, stated in find_milliseconds(path, names).items():
        data[place] = stated
    path.write_bytes(bytes(data))
    return {each.name: each.type for each in pq.read_schema(path)}


@pytest.mark.parametrize("version", ["1.0", "2.6"])
@pytest.mark.parametrize("zone", [None, "UTC"])
def test_a_column_of_milliseconds_is_stated_to_be_of_microseconds(zone, version, tmp_path):
    path, coarse = tmp_path / "x.parquet", pa.timestamp("ms", zone)
    moments = pa.array([-5, 7, None], pa.int64())
    columns = {
        "before": moments.cast(coarse),
        "é 1": moments.cast(coarse),
        "fine": moments.cast(pa.timestamp("us")),
        "nested": pa.array(
            [{"at": 5, "flags": [True]}] * 3,
            pa.struct({"at": coarse, "flags": pa.list_(pa.bool_())}),
        ),
        "amount": pa.array([1, 2, 3], pa.decimal128(20, 2)),
    }
    rows = pa.table(columns).replace_schema_metadata({"a": "b" * 300})
    pq.write_table(rows, path, version=version, store_schema=False)
    kinds = {each.name: each.type for each in pq.read_schema(path)}
    found = restated(path, ["é 1"])
    assert found == {**kinds, "é 1": pa.timestamp("us", zone)}
    assert pq.read_table(path)["é 1"].cast(pa.int64()).to_pylist() == [-5, 7, None]
    assert pq.read_table(path)["before"].cast(pa.int64()).to_pylist() == [-5, 7, None]


def test_many_columns_are_read_to_the_last(tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(
        pa.table({**MANY, "at": pa.array([1], pa.timestamp("ms"))}), path, store_schema=False
    )
    assert restated(path, ["at"])["at"] == pa.timestamp("us")


def test_other_columns_have_nothing_to_change(tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"at": pa.array([1], pa.timestamp("us")), "n": [1]}), path)
    assert find_milliseconds(path, ["at", "n", "absent"]) == {}


@pytest.mark.parametrize(
    "data",
    [b"", b"PAR1", b"PAR1\x01\x00\x00\x00PAR1", b"PAR1\x15\x01\x00\x00\x00PAR1", b"\xff" * 99],
)
def test_what_is_no_footer_is_refused(data, tmp_path):
    path = tmp_path / "x.parquet"
    path.write_bytes(data)
    with pytest.raises(InvalidData, match="footer"):
        find_milliseconds(path, ["at"])
