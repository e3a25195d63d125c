"""Text files as people write them: every cell is read, or the curator is told that it is not."""

from pathlib import Path

import pytest

import tacit
from tacit.curator import how_cells_are_read, inspect_rows, read_policy
from tacit.errors import InvalidData, InvalidInput, InvalidPolicy

POLICY = """\
[limit]
epsilon = 100000
delta = 0

[tables.t]
source = "t.csv"
unit = "who"
contributions = 1
{format}
[tables.t.columns]
x = {{ {declared} }}
"""
INTEGER = 'type = "integer", low = 0, high = 5000'
NUMBER = 'type = "number", low = 0, high = 5000'
# What is written, as what it is declared, its format, and what the middle one means; None: the curator is told.
CASES = {
    "integers with a missing one, of pandas": (["18.0", "19.0", "20.0"], INTEGER, "", 19),
    "integers with spaces": ([" 18", "19 ", " 20 "], INTEGER, "", 19),
    "integers with an exponent": (["1e3", "2E3", "3e+3"], INTEGER, "", 2000),
    "integers with a sign": (["+18", "+19", "+20"], INTEGER, "", 19),
    "integers with fractions": (["18.5", "19.5", "20.5"], INTEGER, "", None),
    "numbers with a point": (["18.5", "19.5", "20"], NUMBER, "", 19.5),
    "numbers with a comma": (
        ['"18,5"', '"19,5"', '"20"'],
        NUMBER,
        'separator = ";", decimal = ","',
        19.5,
    ),
    "numbers with a comma that is not declared": (['"18,5"', '"19,5"', '"20,5"'], NUMBER, "", None),
    "numbers with thousands": (
        ["1.000,5", "1.500,25", "2.000"],
        NUMBER,
        'separator = ";", decimal = ",", thousands = "."',
        1500.25,
    ),
    "numbers with thousands, Swiss": (
        ["1'000.5", "1’500", "2000"],
        NUMBER,
        'thousands = "\'"',
        1500,
    ),
    "integers with thousands, French": (
        ["1 000", "1\N{NARROW NO-BREAK SPACE}500", "2\N{NO-BREAK SPACE}000"],
        INTEGER,
        'thousands = " "',
        1500,
    ),
    "integers with thousands, English": (
        ['"1,000"', '"1,500"', "2000"],
        INTEGER,
        'thousands = ","',
        1500,
    ),
    "integers with thousands that are not declared": (
        ['"1,000"', '"1,500"', '"2,000"'],
        INTEGER,
        "",
        None,
    ),
    "numbers with words for nothing": (["18", "NA", "20"], NUMBER, 'nulls = ["NA"]', "NULL"),
    "numbers with words for nothing that are not declared": (["18", "NA", "20"], NUMBER, "", None),
    "yes and no": (["yes", "No", "yes"], 'type = "boolean"', "", False),
    "y and n": (["y", "N", "y"], 'type = "boolean"', "", False),
    "one and zero": (["1", "0", "1"], 'type = "boolean"', "", False),
    "truth values of pandas": (["True", "False", "True"], 'type = "boolean"', "", False),
    "other words": (
        ["ja", "nein", "ja"],
        'type = "boolean"',
        'true = ["ja"], false = ["nein"]',
        False,
    ),
    "other words that are not declared": (["ja", "nein", "ja"], 'type = "boolean"', "", None),
    "days": (["2024-01-01", "2024-01-02", "2024-01-03"], 'type = "date"', "", "2024-01-02"),
    "days at midnight": (
        ["2024-01-01 00:00:00", "2024-01-02 00:00:00", ""],
        'type = "date"',
        "",
        "2024-01-02",
    ),
    "days in ISO": (
        ["2024-01-01T00:00:00", "2024-01-02T00:00:00Z", ""],
        'type = "date"',
        "",
        "2024-01-02",
    ),
    "days with slashes": (
        ["1/2/2024", "02/01/2024", ""],
        'type = "date"',
        'dates = "%d/%m/%Y"',
        "2024-01-02",
    ),
    "days with slashes, American": (
        ["2/1/2024", "01/02/2024", ""],
        'type = "date"',
        'dates = "%m/%d/%Y"',
        "2024-01-02",
    ),
    "days with slashes that are not declared": (
        ["1/2/2024", "02/01/2024", ""],
        'type = "date"',
        "",
        None,
    ),
    "moments": (
        ["2024-01-01 10:00", "2024-01-02 10:00:00.5", ""],
        'type = "timestamp"',
        "",
        "2024-01-02 10:00:00.5",
    ),
    "moments in a zone": (
        ["2024-01-01T10:00Z", "2024-01-02T12:00+02:00", ""],
        'type = "timestamp"',
        "",
        "2024-01-02 10:00:00",
    ),
    "moments without a time": (
        ["2024-01-01", "2024-01-02", ""],
        'type = "timestamp"',
        "",
        "2024-01-02 00:00:00",
    ),
    "texts in Latin-1": (
        ["Jörg", "Zoë", "Ann"],
        'type = "text", values = ["Zoë"]',
        'encoding = "latin-1"',
        "Zoë",
    ),
    "texts in Latin-1 that are not declared": (
        ["Jörg", "Zoë", "Ann"],
        'type = "text", values = ["Zoë"]',
        "",
        None,
    ),
    "texts in Windows-1252": (
        ["„a“", "€", "b"],
        'type = "text", values = ["€"]',
        'encoding = "windows-1252"',
        "€",
    ),
}


def vault_of(folder: Path, cells: list[str], declared: str, form: str) -> Path:
    mark = ";" if 'separator = ";"' in form else ","
    rows = "".join(f"{cell}{mark}u{n}\n" for n, cell in enumerate(cells))
    encoding = (
        "cp1252"
        if "1252" in form
        else "latin-1"
        if declared.startswith('type = "text"')
        else "utf-8"
    )
    (folder / "t.csv").write_bytes(f"x{mark}who\n{rows}".encode(encoding))
    form = form.replace(", ", "\n") if form else ""
    (folder / "tacit.toml").write_text(
        POLICY.format(format=f"[tables.t.format]\n{form}\n" if form else "", declared=declared)
    )
    return folder


def test_letters_of_a_column_that_nobody_declared_leave_no_row_out(tmp_path: Path) -> None:
    vault = vault_of(tmp_path, ["1", "2", "3"], 'type = "integer", low = 0, high = 9', "")
    (vault / "t.csv").write_bytes("x,who,name\n1,u1,Jörg\n2,u2,Ann\n3,u3,Zoë\n".encode("latin-1"))
    found = inspect_rows(vault)
    assert found.lost == 0
    assert found.tables[0].rows == 3
    (vault / "t.csv").write_bytes("x,who,name\n1,Jörg,a\n2,u2,b\n3,u3,c\n".encode("latin-1"))
    found = inspect_rows(vault)
    assert (found.tables[0].unreadable, found.tables[0].rows) == (1, 2)


@pytest.mark.parametrize("case", CASES)
def test_a_cell_is_read_as_it_is_meant_or_the_curator_is_told(case: str, tmp_path: Path) -> None:
    cells, declared, form, meant = CASES[case]
    vault = vault_of(tmp_path, cells, declared, form)
    found = inspect_rows(vault)
    told = str(found)
    assert all(line.startswith("NOT PRIVATE | ") for line in told.splitlines())
    if meant is None:
        assert found.lost >= 1
        assert "unreadable cells" in told or "invalid in the encoding" in told
        return
    assert found.lost == 0
    literal = {str: f"'{meant}'", bool: str(meant).upper()}.get(type(meant), str(meant))
    if declared.startswith(('type = "date"', 'type = "timestamp"')):
        literal = ("TIMESTAMP " if "timestamp" in declared else "DATE ") + literal
    condition = "x IS NULL" if meant == "NULL" else f"x = {literal}"
    with tacit.open(vault) as opened:
        (row,) = opened.sql(f"SELECT COUNT(*) AS n FROM t WHERE {condition}", epsilon=1000)
        (every,) = opened.sql("SELECT COUNT(x) AS n FROM t", epsilon=1000)
    assert row["n_low"] <= 1 <= row["n_high"]
    assert row["n"] == 1
    assert every["n"] == sum(bool(cell) and cell != "NA" for cell in cells)


INLINE = 'format = { separator = ";", decimal = "," }\n'
SECTION = '[tables."Kosten März".format]\nseparator = ";"\ndecimal = ","\n'


@pytest.mark.parametrize(
    ("form", "place"),
    [
        (
            INLINE,
            """in [tables."Kosten März"], add to format = { separator = ";", decimal = "," } what""",
        ),
        (SECTION, 'add to [tables."Kosten März".format] what applies'),
    ],
)
def test_what_is_said_of_cells_that_are_not_read_can_be_pasted(
    form: str, place: str, tmp_path: Path
) -> None:
    policy = POLICY.replace("tables.t", 'tables."Kosten März"')
    (tmp_path / "tacit.toml").write_text(policy.format(format=form, declared=NUMBER), "utf-8")
    (tmp_path / "t.csv").write_text("x;who\n1.000,5;1\nNA;2\n3;3\n")
    told = str(inspect_rows(tmp_path))
    assert place in told
    assert 'what separates thousands, thousands = ".", or words for NULL, nulls = ["NA"]' in told
    assert "(decimal is declared)" in told
    assert 'decimal = ",", or' not in told.partition("what applies")[2]


def test_values_that_differ_by_blanks_alone_are_counted(tmp_path: Path) -> None:
    declared = 'type = "text", values = ["Nord", "Ost"]'
    folder = vault_of(tmp_path, ["Nord ", "Ost", "\tNord", "West"], declared, "")
    found = inspect_rows(folder)
    (column,) = found.tables[0].columns
    assert (column.undeclared, column.padded) == (3, 2)
    assert "2 of these are declared but for blanks at their ends; remove the blanks" in str(found)
    (folder / "tacit.toml").write_text(POLICY.format(format="", declared='type = "text"'))
    assert "if these are numbers or dates, declare that type" in str(inspect_rows(folder))


FAULTS = [
    ('separator = ";;"', "format.separator", "write one character"),
    ('separator = "a"', "format.separator", "write one character"),
    ("separator = 3", "format.separator", "write one character"),
    ('decimal = ";"', "format.decimal", 'write "." or ","'),
    ('decimal = ","', "format.decimal", "different from the separator"),
    ('thousands = "-"', "format.thousands", "it may be one of"),
    ('thousands = "."', "format.thousands", "not the decimal mark"),
    ("thousands = 3", "format.thousands", "what separates thousands"),
    ('dates = "%d.%m.%y"', "format.dates", "years of two digits cannot be read"),
    ('encoding = "utf-16"', "format.encoding", '"latin-1"'),
    ('dates = "%d/%m/%y"', "format.dates", '"%d/%m/%Y"'),
    ('dates = "%d/%d/%Y"', "format.dates", "once each"),
    ('dates = "DD/MM/YYYY"', "format.dates", "once each"),
    ('dates = "%dth %m %Y"', "format.dates", "between them"),
    ('true = ["ja"]', "format.false", "together"),
    ('true = ["ja"]\nfalse = ["ja"]', "format.true", "only one of true, false and NULL"),
    ('true = "ja"\nfalse = ["nein"]', "format.true", "in brackets"),
    ('nulls = [""]', "format.nulls", "in brackets"),
    ('nulls = ["NA", "NA"]', "format.nulls", "each word once"),
    ('null = ["NA"]', "format.null", "did you mean 'nulls'"),
]


@pytest.mark.parametrize(("form", "key", "remedy"), FAULTS, ids=[form for form, _, _ in FAULTS])
def test_a_format_that_makes_no_sense_is_refused_by_its_key(
    form: str, key: str, remedy: str, tmp_path: Path
) -> None:
    vault = vault_of(tmp_path, ["1"], INTEGER, "")
    (vault / "tacit.toml").write_text(
        POLICY.format(format=f"[tables.t.format]\n{form}\n", declared=INTEGER)
    )
    with pytest.raises(InvalidPolicy) as refusal:
        read_policy(vault)
    faults = [fault for fault in refusal.value.faults if fault.key == f"tables.t.{key}"]
    assert faults, refusal.value
    assert any(remedy in fault.remedy for fault in faults), faults


def test_only_a_text_file_has_a_format(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"x": [1], "who": [1]}), tmp_path / "t.parquet")
    text = POLICY.format(format='[tables.t.format]\ndecimal = ","\n', declared=INTEGER).replace(
        "t.csv", "t.parquet"
    )
    (tmp_path / "tacit.toml").write_text(text)
    with pytest.raises(InvalidPolicy, match="remove it: only text files, such as CSV,"):
        read_policy(tmp_path)
    with pytest.raises(InvalidInput, match="remove it: only text files, such as CSV,"):
        tacit.protect(
            [{"x": 1}], unit="row", columns={"x": (0, 1)}, epsilon=1, format={"decimal": ","}
        )


def test_a_format_may_be_given_in_one_call(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('x;who\n"1,5";a\n')
    given = {"separator": ";", "decimal": ","}
    with tacit.protect(
        tmp_path / "t.csv",
        unit="who",
        contributions=1,
        columns={"x": (0, 2)},
        epsilon=10**5,
        format=given,
    ) as opened:
        (row,) = opened.sql("SELECT COUNT(*) AS n FROM t WHERE x = 1.5", epsilon=1000)
        assert row["n"] == 1


def test_a_file_separated_otherwise_says_what_to_declare(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("x;who\n1;a\n")
    with pytest.raises(InvalidData, match='separator = ";"'):
        tacit.protect(tmp_path / "t.csv", unit="who", columns={"x": (0, 2)}, epsilon=1)


def test_how_cells_are_read_is_said_without_reading_any(tmp_path):
    """The file is there and has a header: what follows it does not matter."""
    (tmp_path / "t.csv").write_text("who;a;b;c;d;e\n\0;;;;\n")
    policy = POLICY.format(format="", declared="").replace("x = {  }\n", "")
    (tmp_path / "tacit.toml").write_text(
        policy
        + 'a = { type = "number" }\nb = { type = "integer" }\nc = { type = "date" }\nd = { type = "boolean" }\n'
        'e = { type = "text" }\n[tables.t.format]\nseparator = ";"\ndecimal = ","\nthousands = "."\n'
        'dates = "%d/%m/%Y"\nencoding = "latin-1"\ntrue = ["ja"]\nfalse = ["nein"]\n'
    )
    form = "in latin-1: a as 1.234,5, b as 1.234, c as 31/12/2024, d as ja or nein"
    assert how_cells_are_read(tmp_path) == {"t": form}


def test_of_a_text_file_with_texts_alone_and_of_other_files_nothing_is_said(tmp_path):
    (tmp_path / "t.csv").write_text("who,x\n")
    (tmp_path / "tacit.toml").write_text(POLICY.format(format="", declared='type = "text"'))
    assert how_cells_are_read(tmp_path) == {}
