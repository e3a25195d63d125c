"""Compressed text files and JSON lines: both engines read the same cells, and an odd line counts for itself alone."""

import gzip
import json
from collections import Counter
from contextlib import closing
from datetime import date

import pytest

from tacit.engines import DuckDB, Memory, guess_format, inspect_source, stored_kinds
from tacit.engines.duckdb.connection import open_connection
from tacit.engines.duckdb.load_tables import load_table
from tacit.engines.sources.rows import rows_of
from tacit.engines.sources.source_kinds import Separated, declared_format, source_of, with_format
from tacit.engines.sources.text_cells import Dialect
from tacit.errors import InvalidData
from tacit.plan import Column, Kind, Table, Weighing, Weights, clamp_cell, read_sql

COLUMNS = (
    Column("whole", Kind.INTEGER, low=-(10**6), high=10**6),
    Column("number", Kind.NUMBER, low=-(10**6), high=10**6),
    Column("text", Kind.TEXT),
    Column("yes", Kind.BOOLEAN),
    Column("day", Kind.DATE, low=date(2000, 1, 1), high=date(2030, 1, 1)),
    Column("seen", Kind.TIMESTAMP),
)
TABLE = Table("t", COLUMNS, unit="who")
CELLS = [
    *(None, True, False, 0, 1, -7, 18.0, 18.5, 1e300, -1e300, 2**63, -(2**70), 10**200),
    *(float("nan"), float("inf"), -0.0, "", " ", "7", " 7 ", "7,5", "7.5", "true", "ja", "NA"),
    *(
        "2024-02-29",
        "2024-02-30",
        "2024-02-29 10:30:00",
        "2024-02-29T10:30:00+02:00",
        "é",
        "\u2028",
    ),
    *([1], {"a": 1}, [], {}, "9" * 400),
]


def in_both(source, table=TABLE):
    """The rows that both engines read, which must be the same."""
    memory = Counter(
        (str(row.unit), *(clamp_cell(row.cells[c.name], c) for c in table.columns))
        for row in rows_of(source, table)
    )
    with closing(open_connection()) as connection:
        relation = load_table(connection, 0, table, source_of(source))
        read = relation.reader()
        cells = [_plain(read(column), column.kind) for column in table.columns]
        listed = ", ".join(["CAST(unit AS VARCHAR)", *cells])
        found = connection.execute(f"SELECT {listed} FROM {relation.name}").fetchall()
    assert Counter((str(unit), *rest) for unit, *rest in found) == memory
    return memory


def _plain(cell, kind):
    match kind:
        case Kind.DATE:
            return f"({cell} - DATE '1970-01-01')"
        case Kind.TIMESTAMP:
            return f"epoch_us({cell})"
        case _:
            return cell


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def row_of(place, cell):
    return {"who": place, **{column.name: cell for column in COLUMNS}}


@pytest.mark.parametrize("name", ["t.jsonl", "t.ndjson", "t.jsonl.gz"])
def test_a_cell_of_json_means_the_same_in_both_engines_whatever_the_others_are(tmp_path, name):
    file = tmp_path / name
    write = gzip.compress if name.endswith(".gz") else bytes
    file.write_bytes(write(lines([row_of(place, cell) for place, cell in enumerate(CELLS)])))
    together = in_both(file)
    assert sum(together.values()) == len(CELLS)
    alone = Counter()
    for place, cell in enumerate(CELLS):
        file.write_bytes(write(lines([row_of(place, cell)])))
        alone += in_both(file)
    assert together == alone
    assert len({row[1:] for row in together}) >= 20
    texts = {cell for cell in CELLS if isinstance(cell, str)}
    assert {row[3] for row in together} <= {*texts, None}  # what is no text is none


@pytest.mark.parametrize(
    "odd",
    [b"{", b"[1, 2]", b"7", b'{"who": 1} x', b"\xff\xfe", b"null", b"[" * 100_000, b""],
    ids=["cut", "list", "number", "two", "no UTF-8", "null", "deep", "empty"],
)
def test_an_odd_line_is_left_out_and_changes_no_other(tmp_path, odd):
    rows, file = [row_of(place, place) for place in range(5)], tmp_path / "t.jsonl"
    file.write_bytes(lines(rows))
    whole = in_both(file)
    for place in (0, 2, 5):
        file.write_bytes(lines(rows[:place]) + odd + b"\n" + lines(rows[place:]))
        assert in_both(file) == whole


def test_json_lines_are_asked_about_as_any_other_table(tmp_path):
    file = tmp_path / "visits.jsonl"
    file.write_bytes(
        lines([{"who": i % 3, "cost": i, "day": f"2024-01-{i + 1:02}"} for i in range(9)])
    )
    table = Table(
        "visits",
        (Column("cost", Kind.INTEGER, low=0, high=10), Column("day", Kind.DATE)),
        unit="who",
        contributions=9,
    )
    text = "SELECT COUNT(*), SUM(cost) FROM visits WHERE day > DATE '2024-01-05'"
    question, weights = read_sql(text, {"visits": table}).question, Weights(Weighing.L1, 9, 81, 0)
    with DuckDB({table: file}) as engine:
        assert engine.evaluate(question, weights)[0][0] == 4
        memory = Memory({table: file}).evaluate(question, weights)
        assert engine.evaluate(question, weights).tolist() == memory.tolist()
    assert stored_kinds(file) == dict.fromkeys(["who", "cost", "day"], tuple(Kind))
    seen = inspect_source(table, file)
    assert [column.unread for column in seen.columns] == [0, 0]
    file.write_bytes(file.read_bytes() + lines([{"who": 1, "cost": "x", "day": 7}]))
    assert [column.unread for column in inspect_source(table, file).columns] == [1, 1]


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_a_compressed_text_file_is_read_as_the_file_itself(tmp_path, encoding):
    text = "who;cost\nann;1,5\nbób;2\nno\neve;x\n".encode(encoding)
    (tmp_path / "t.csv").write_bytes(text)
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(text))
    table = Table("t", (Column("cost", Kind.NUMBER, low=0, high=9),), unit="who")
    form = {"separator": ";", "decimal": ",", "encoding": encoding}
    plain, packed = (
        with_format(source_of(tmp_path / each), form) for each in ("t.csv", "t.csv.gz")
    )
    assert in_both(plain, table) == in_both(packed, table)
    assert sum(in_both(packed, table).values()) == 3
    assert inspect_source(table, packed) == inspect_source(table, plain)
    assert declared_format(packed) == declared_format(plain)


def test_a_compressed_file_of_tabs_is_one(tmp_path):
    (tmp_path / "t.tsv.gz").write_bytes(gzip.compress(b"who\tcost\nann\t1\n"))
    source = source_of(tmp_path / "t.tsv.gz")
    assert isinstance(source, Separated)
    assert declared_format(source) == {}
    assert list(stored_kinds(source)) == ["who", "cost"]


@pytest.mark.parametrize("name", ["t.csv.gz", "t.jsonl.gz"])
@pytest.mark.parametrize("damage", ["not compressed", "cut"])
def test_what_is_not_compressed_is_refused_in_a_sentence(tmp_path, name, damage):
    whole = gzip.compress(b'{"who": 1, "cost": 1}\n' * 9)
    (tmp_path / name).write_bytes(b"who,cost\n" if damage == "not compressed" else whole[:-12])
    table = Table("t", (Column("cost", Kind.NUMBER),), unit="who")
    with pytest.raises(InvalidData, match=r"; (check|declare)"):
        DuckDB({table: tmp_path / name})


def test_other_files_are_not_decompressed(tmp_path):
    (tmp_path / "t.parquet.gz").write_bytes(b"")
    with pytest.raises(InvalidData, match=r"end in '\.gz'"):
        source_of(tmp_path / "t.parquet.gz")


@pytest.mark.parametrize(
    ("rows", "seen"),
    [
        ("ann;1,5\nbob;2\n", {"decimal": ","}),
        ("ann;1.234,5\n", {"decimal": ",", "thousands": "."}),
        ("ann;12\nbob;7\n", {}),
        ("ann;1.5\nbob;2,5\n", {}),
        ("ann;x,y\n", {}),
        ("ann;31.12.2024\n", {"dates": "%d.%m.%Y"}),
        ("ann;1/2/2024\nbob;2024-01-31\n", {}),
        ("", {}),
    ],
)
def test_decimal_commas_and_days_are_seen_in_the_shape_of_the_first_rows(tmp_path, rows, seen):
    file = tmp_path / "t.csv"
    file.write_text(f"who;cost\n{rows}")
    expected = {"separator": ";", **seen}
    assert guess_format(file, Dialect()) == expected
    packed = tmp_path / "t.csv.gz"
    packed.write_bytes(gzip.compress(file.read_bytes()))
    assert guess_format(packed, Dialect()) == expected


@pytest.mark.parametrize(("mark", "option"), [(";", '"separator=;"'), ("\t", "$'separator=\\t'")])
def test_another_separator_is_refused_with_what_declares_it_on_the_shell(mark, option, tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text(f"ward{mark}cost\nA{mark}1\n")
    with pytest.raises(InvalidData) as refused:
        stored_kinds(path)
    assert f"--format {option} on the shell" in str(refused.value)
