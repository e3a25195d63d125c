"""Names of columns: whatever is not refused when a vault is opened can be asked about, and is the right column."""

import csv
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacit
from tacit.engines.sources.refuse_ambiguous_names import check_names
from tacit.errors import InvalidData, TacitError

ROWS = [(unit, 2, 7) for unit in range(60)]
ALIKE = [("p", "Cost", "cost"), ("p", "cost", "cost"), ("P", "p", "cost"), ("p", "aé", "Aé")]
APART = [
    ("p", "É", "é"),  # an engine folds nothing but A to Z
    ("p", "é", "e\u0301"),
    ("p", "\u212a", "k"),
    ("p", "ß", "SS"),
    ("p", "ﬀ", "ff"),
    ("p", "İ", "i"),
    ("p", " cost", "cost"),
    ("p", "select", "group"),
    ("p", 'a"b', "a'b"),
    ("p", "rowid", "filename"),
    ("p", "u", "c0"),
    ("p", "t0", "t0.c0"),
    ("p", "unit", "group_id"),
    ("p", "value_0", "taken_rows"),
    ("p", "a\nb", "a;b"),
    ("p", "x" * 300, "tacit unit"),
    ("p", "=1+1", "\u202ecost"),
]
NAMELESS = [("p", "", "cost"), ("p", "", "")]


def a_folder(folder, names, ending):
    if ending == "csv":
        with (folder / "t.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([names, *ROWS])
    else:
        pq.write_table(in_arrow(names), folder / "t.parquet")
    columns = "\n".join(
        f'{json.dumps(name)} = {{ type = "integer", low = 0, high = 9 }}'
        for name in dict.fromkeys(names[1:])
    )
    (folder / "tacit.toml").write_text(
        f'[limit]\nepsilon = 900\ndelta = 1e-6\nunit = "person"\n\n[tables.t]\nsource = "t.{ending}"\n'
        f"unit = {json.dumps(names[0])}\ncontributions = 1\n\n[tables.t.columns]\n{columns}\n",
        encoding="utf-8",
    )
    return tacit.open(folder)


def in_arrow(names):
    return pa.Table.from_arrays(
        [pa.array(cells) for cells in zip(*ROWS, strict=True)], names=list(names)
    )


def in_memory(source, names):
    columns = {name: {"type": "integer", "low": 0, "high": 9} for name in names[1:]}
    return tacit.protect(
        source, unit=names[0], contributions=1, columns=columns, epsilon=900, delta=1e-6, name="t"
    )


OPENED = {
    "csv": lambda folder, names: a_folder(folder, names, "csv"),
    "parquet": lambda folder, names: a_folder(folder, names, "parquet"),
    "arrow": lambda _, names: in_memory(in_arrow(names), names),
    "list": lambda _, names: in_memory([dict(zip(names, row, strict=True)) for row in ROWS], names),
}


def check_answers(vault, names):
    """Every column is answered, and with its own numbers: noise of a few units at most."""
    with vault:
        sums = ", ".join(
            f"""SUM("{name.replace('"', '""')}") AS s{place}"""
            for place, name in enumerate(names[1:])
        )
        ((one, _, _, two, _, _),) = vault.sql(f"SELECT {sums} FROM t", epsilon=300).rows
        assert abs(one - 2 * len(ROWS)) < 60 < 4 * 60 < abs(two - one) + 60


@pytest.mark.parametrize("names", APART, ids=[repr(names[1:])[:40] for names in APART])
@pytest.mark.parametrize("source", ["csv", "parquet"])
def test_names_that_an_engine_tells_apart_can_be_asked_about(source, names, tmp_path):
    check_answers(OPENED[source](tmp_path, names), names)


@pytest.mark.parametrize("names", [*ALIKE, *NAMELESS], ids=repr)
@pytest.mark.parametrize("source", OPENED)
def test_names_that_are_alike_or_missing_are_refused_before_anything_is_asked(
    source, names, tmp_path
):
    if source == "list" and names in ALIKE:
        if len(set(names)) == 3:  # a list is read by name
            check_answers(OPENED[source](tmp_path, names), names)
        return
    with pytest.raises(TacitError, match=r"two columns|has no such column|name|the source has"):
        OPENED[source](tmp_path, names)


def test_what_lies_within_a_column_of_parquet_is_no_column(tmp_path):
    nested = pa.array([{"p": 1, "x": 2}] * 60)
    table = pa.table(
        {
            "p": pa.array(range(60)),
            "n": nested,
            "x": pa.array([2] * 60),
            "l": pa.array([[1, 2]] * 60),
        }
    )
    pq.write_table(table, tmp_path / "t.parquet")
    with in_memory(tmp_path / "t.parquet", ("p", "x")) as vault:
        assert vault.sql("SELECT SUM(x) AS s FROM t", epsilon=300).column("s")[0] > 60


def test_the_refusal_names_both():
    with pytest.raises(
        InvalidData,
        match="'Cost' and 'cost', which differ only in case; give them different names",
    ):
        check_names(["p", "Cost", "cost"], "visits.csv")
