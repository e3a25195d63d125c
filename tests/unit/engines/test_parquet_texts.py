"""A unit whose name is no text is none: no row decides whether a file can be opened, and no two units become one."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit.engines import DuckDB, Linked, Step
from tacit.errors import InvalidData
from tacit.plan import Column, Counted, Field, Key, Kind, Question, Scan, Table, Weighing, Weights

WARD = Column("ward", Kind.TEXT, values=("A", "B"))
TABLE = Table("visits", (WARD,), unit="who")
ONE_EACH = Weights(Weighing.L2, 1, 1, 3)  # of two rows of a unit neither counts in full
WHOLE = 8

BROKEN = [b"b\xffb", b"b\xfeb", b"\xff", b"caf\xc3", b"\xed\xa0\x80", b"\xf5\x80\x80\x80"]


def texts(names):
    """Bytes as a column of texts, which nobody has looked at."""
    spans = np.cumsum([0, *map(len, names)]).astype(np.int32)
    return pa.StringArray.from_buffers(
        len(names), pa.py_buffer(spans.tobytes()), pa.py_buffer(b"".join(names))
    )


def write(path, names, wards, **options):
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"who": texts(names), "ward": wards}), path, **options)
    return path


def by_ward(source, table=TABLE):
    question = Question(Scan(table), (Key(Field(WARD), ("A", "B")),), (Counted(),))
    with DuckDB({table: source}) as engine:
        return [count for (count,) in engine.evaluate(question, ONE_EACH).tolist()]


@pytest.mark.parametrize("dictionary", [True, False])
@pytest.mark.parametrize("bad", BROKEN, ids=bytes.hex)
def test_a_unit_whose_name_is_no_text_counts_as_if_it_were_not_there(bad, dictionary, tmp_path):
    """Not even a unit that is called as it would be with a question mark in its place is touched."""
    names, wards = [b"ann", b"b?b", b"?", b"caf?", b"", "é".encode()], ["A"] * 5 + ["B"]
    without = by_ward(write(tmp_path / "a.parquet", names, wards, use_dictionary=dictionary))
    assert without == [5 * WHOLE, WHOLE]
    for rows in (1, 2):
        file = write(
            tmp_path / f"b{rows}.parquet",
            [*names, *[bad] * rows],
            [*wards, *["A"] * rows],
            use_dictionary=dictionary,
        )
        assert by_ward(file) == without


def test_a_replacement_character_is_a_text_like_any_other(tmp_path):
    file = write(tmp_path / "a.parquet", ["\ufffd".encode(), b"\xff"], ["A", "A"])
    assert by_ward(file) == [WHOLE, 0]


def test_of_several_files_one_may_have_such_units(tmp_path):
    table = Table("visits", (WARD,), unit="who")
    write(tmp_path / "v" / "ward=A" / "x.parquet", [b"ann", b"\xff", b"\xfe"], ["?"] * 3)
    write(tmp_path / "v" / "ward=B" / "x.parquet", [b"ann", b"eve"], ["?"] * 2)
    for file in (tmp_path / "v").rglob("*.parquet"):  # the ward is in the name of the folder
        pq.write_table(pq.read_table(file, partitioning=None).drop(["ward"]), file)
    found = by_ward(tmp_path / "v", table)
    assert found[1] > WHOLE  # eve in full, and ann in part
    assert found[0] < WHOLE
    write(tmp_path / "w" / "1.parquet", [b"ann", b"\xff"], ["A", "B"])
    write(tmp_path / "w" / "2.parquet", [b"eve"], ["B"])
    assert by_ward(tmp_path / "w") == [WHOLE, WHOLE]


def test_a_key_that_is_no_text_leads_nowhere(tmp_path):
    """Along foreign keys, too: neither a key, nor what it leads to, becomes another one."""
    visits = write(
        tmp_path / "visits.parquet", [b"k1", b"k?", b"k\xff", b"k2"], ["A", "A", "B", "B"]
    )
    owners = tmp_path / "owners.parquet"
    pq.write_table(
        pa.table(
            {
                "id": texts([b"k1", b"k?", b"k\xfe", b"k2"]),
                "patient": texts([b"ann", b"bob", b"eve", b"\xff"]),
            }
        ),
        owners,
    )
    linked = Linked(visits, (Step("who", owners, "id"),), "patient")
    table = Table("visits", (WARD,), unit=linked.path)
    assert by_ward(linked, table) == [2 * WHOLE, 0]


def test_a_column_by_whose_name_rows_are_numbered_is_refused_whatever_it_holds(tmp_path):
    for names in ([b"ann"], [b"\xff"]):
        file = tmp_path / "x.parquet"
        pq.write_table(pa.table({"who": texts(names), "ward": ["A"], "File_Row_Number": [1]}), file)
        with pytest.raises(InvalidData, match="rename it"):
            by_ward(file)
