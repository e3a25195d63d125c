"""A policy to begin with is written from schemas alone, and is accepted once it is filled in."""

import re
from datetime import date
from decimal import Decimal
from fractions import Fraction

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit.accounting import ConcentratedFilter, PureFilter
from tacit.curator import Limit, compare_limits, policy_text, read_policy
from tacit.errors import InvalidData, InvalidInput, InvalidPolicy
from tacit.mechanisms import Gaussian, Laplace
from tacit.plan import Column, Kind

VISITS = [
    {
        "patient": "canary-ann",
        "visit": 77_001,
        "ward": "canary-ward",
        "cost": 8_123.5,
        "day": date(2031, 5, 7),
        "severe": True,
        "photo": b"canary",
        'odd "name"\x7f': 1,
    }
]


@pytest.fixture
def files(tmp_path):
    (tmp_path / "data").mkdir()
    pq.write_table(pa.Table.from_pylist(VISITS), tmp_path / "data" / "visits.parquet")
    (tmp_path / "data" / "doses.csv").write_text("visit,drug,dose\n77001,canary-drug,9\n")
    (tmp_path / "vault").mkdir()
    return [tmp_path / "data" / "visits.parquet", tmp_path / "data" / "doses.csv"]


def written(files, text):
    vault = files[0].parent.parent / "vault"
    (vault / "tacit.toml").write_text(text, encoding="utf-8")
    return vault


def texts(files, **given):
    return policy_text(files, folder=files[0].parent.parent / "vault", **given)


def without_proposals(text):
    """The text without its comments on what the first lines of a text file look like."""
    return [line.partition("  # looks like: ")[0] for line in text.splitlines()]


def test_a_policy_that_is_given_everything_is_accepted_as_it_is(files):
    text = texts(files[:1], unit="patient", contributions=5, epsilon=3, delta=Decimal("1e-6"))
    document = read_policy(written(files, text))
    assert document.policy.limit == Limit(3, Fraction(1, 10**6))
    assert document.policy.unit == "patient"
    assert document.policy.tables["visits"].table.columns == (
        Column("visit", Kind.INTEGER),
        Column("ward", Kind.TEXT),
        Column("cost", Kind.NUMBER),
        Column("day", Kind.DATE),
        Column("severe", Kind.BOOLEAN, values=(True, False)),
        Column('odd "name"\x7f', Kind.INTEGER),
    )


def test_what_is_missing_is_asked_for_by_name(files):
    with pytest.raises(InvalidPolicy) as raised:
        read_policy(written(files, texts(files)))
    faults = raised.value.faults
    assert [fault.key for fault in faults] == [
        "limit.epsilon",
        "limit.delta",
        *(
            f"tables.{table}.{key}"
            for table in ("visits", "doses")
            for key in ("unit", "contributions")
        ),
    ]
    assert {fault.problem for fault in faults} == {'it is "?", to be filled in'}
    lines = texts(files).splitlines()
    assert all(lines[fault.line - 1].endswith('"?"') for fault in faults)


def test_a_policy_is_accepted_once_it_is_filled_in_as_its_comments_say(files):
    text = texts(files, unit="patient", contributions=5, epsilon=3, delta=0)
    with pytest.raises(InvalidPolicy) as raised:
        read_policy(written(files, text))
    assert [fault.key for fault in raised.value.faults] == ["tables.doses.unit"]
    example = re.search(r'# unit = "visit\.patient"\n# (references = .*)\nunit = "\?"\n', text)
    assert example is not None
    filled = text.replace(example[0], f'unit = "visit.patient"\n{example[1]}\n')
    filled = filled.replace(
        '{ type = "number" }  # low = …, high = …', '{ type = "number", low = 0, high = 9000 }'
    )
    document = read_policy(written(files, filled))
    assert document.policy.tables["doses"].table.unit == "visit.patient"
    assert document.policy.tables["visits"].table.columns[2] == Column("cost", Kind.NUMBER, 0, 9000)


def test_the_text_depends_on_names_and_types_alone(files):
    before = texts(files, unit="patient", epsilon=3)
    files[1].write_text("visit,drug,dose\n1,other,22\n")
    assert texts(files, unit="patient", epsilon=3) == before
    schema = pa.Table.from_pylist(VISITS).schema
    pq.write_table(schema.empty_table(), files[0])
    files[1].write_text("visit,drug,dose\n")
    empty = texts(files, unit="patient", epsilon=3)
    assert empty != before
    assert without_proposals(empty) == without_proposals(before)
    for value in ("canary", "77001", "77_001", "8123", "2031"):
        assert value not in before


def test_single_rows_need_no_contributions(files):
    document = read_policy(
        written(files, texts(files, unit="row", epsilon=1, delta=0, neighbours="replace"))
    )
    assert document.policy.unit == "row"
    assert document.policy.limit == Limit(1, 0, "replace")


def test_paths_are_written_as_seen_from_the_vault(files):
    assert 'source = "../data/visits.parquet"\n' in texts(files)
    assert f'source = "{files[0].as_posix()}"\n' in policy_text(files)


def test_every_table_of_a_database_has_a_section(files):
    path = files[0].parent / "clinic.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute(
            "CREATE TABLE stays AS SELECT 1 AS patient; CREATE TABLE tests AS SELECT 2 AS patient"
        )
    text = texts([path], unit="patient", contributions=1, epsilon=1, delta=0)
    assert list(read_policy(written(files, text)).sources) == ["stays", "tests"]


@pytest.mark.parametrize(
    "number", [0.1, 3, Fraction(1, 8), Decimal("2.50"), 1e-7, Fraction(1, 10**9), 12.0]
)
def test_numbers_are_written_in_full(files, number):
    (found,) = re.findall(r"\nepsilon = (\S+)\n", texts(files[:1], epsilon=number))
    assert Fraction(found) == Fraction(str(number))
    assert len(found) < 8


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"unit": "patients"}, "did you mean 'patient'"),
        ({"unit": "nobody"}, "the columns are: cost, day"),
        ({"contributions": 0}, "contributions"),
        ({"epsilon": 0}, "epsilon"),
        ({"epsilon": float("nan")}, "epsilon"),
        ({"epsilon": Fraction(1, 3)}, "finitely many decimal digits"),
        ({"epsilon": 1, "delta": 2}, "delta"),
        ({"neighbours": "swap"}, '"add-or-remove" or "replace"'),
    ],
)
def test_what_makes_no_sense_is_refused(files, given, told):
    with pytest.raises(InvalidInput, match=told):
        texts(files, **given)


def test_there_must_be_a_table(files):
    with pytest.raises(InvalidInput, match="name at least one"):
        policy_text([])
    with pytest.raises(InvalidInput, match="two tables have this name"):
        texts([files[0], files[0]])
    with pytest.raises(InvalidData, match="there is no file"):
        texts([files[0].with_name("gone.csv")])


# ---------------------------------------------------------------- pure or zero-concentrated


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), 1, 3, 10])
@pytest.mark.parametrize("neighbours", ["add-or-remove", "replace"])
def test_a_delta_is_proposed_from_the_first_number_of_answers_at_which_it_gives_less_noise(
    epsilon, neighbours
):
    """The ± of a count, from the filters and the mechanisms themselves."""

    def errors(answers):
        pure, concentrated = PureFilter(epsilon), ConcentratedFilter(epsilon, Fraction(1, 10**6))
        each = pure.epsilon / answers
        rho = concentrated.amount(concentrated.limit) / answers
        fine = 1 << 20  # as counts are weighed
        return (
            Laplace.calibrate(each, fine).error(0.95) / fine,
            Gaussian(Fraction(fine) / Fraction(float(2 * rho) ** 0.5)).error(0.95) / fine,
        )

    found = compare_limits(epsilon, 4, neighbours=neighbours)
    turning = found.turning
    assert 5 < turning < 20
    assert errors(turning - 1)[0] <= errors(turning - 1)[1] * 1.001
    assert errors(turning)[0] > errors(turning)[1] * 0.999
    assert (found.pure, found.concentrated) == pytest.approx(errors(4), rel=1e-3)
    assert found.delta == 0
    assert compare_limits(epsilon, turning - 1, neighbours=neighbours).delta == 0
    assert compare_limits(epsilon, turning, neighbours=neighbours).delta == Fraction(1, 10**6)


def test_the_comparison_says_what_it_found():
    told = str(compare_limits(3, 100))
    assert re.search(r"±99\.9 with delta = 0 .* ±33\.1 with delta = 1e-6 .* Below 11 answers", told)


@pytest.mark.parametrize(
    ("answers", "delta"), [(0, 1e-6), (True, 1e-6), (2.5, 1e-6), (10**7, 1e-6), (5, 0), (5, 1)]
)
def test_a_comparison_that_makes_no_sense_is_refused(answers, delta):
    with pytest.raises(InvalidInput):
        compare_limits(3, answers, delta=delta)


@pytest.mark.parametrize(
    ("header", "declared", "columns"),
    [
        ("patient;cost", 'format = { separator = ";" }', ["patient", "cost"]),
        (
            "patient|größe",
            'format = { separator = "|", encoding = "windows-1252" }',
            ["patient", "größe"],
        ),
        ("patient,größe", 'format = { encoding = "windows-1252" }', ["patient", "größe"]),
        ("patient,cost", '# format = { separator = ";", decimal = "," }', ["patient", "cost"]),
    ],
)
def test_how_a_text_file_is_written_is_guessed_from_its_shape(tmp_path, header, declared, columns):
    file, found = tmp_path / "visits.csv", set()
    for rows in ("", "1;2\r\n", "|;|\t\r\n", '"'):
        file.write_bytes(f"{header}\r\n{rows}".encode("cp1252"))
        text = policy_text(
            [file], folder=tmp_path, unit="patient", contributions=5, epsilon=3, delta=0
        )
        found.add(tuple(without_proposals(text)))
    assert len(found) == 1
    assert declared in text.splitlines()
    (tmp_path / "tacit.toml").write_text(text, encoding="utf-8")
    table = read_policy(tmp_path).policy.tables["visits"].table
    assert [table.unit, *(column.name for column in table.columns)] == columns


def test_letters_of_the_first_rows_propose_an_encoding_and_no_cell_is_written(tmp_path):
    file, found = tmp_path / "visits.csv", set()
    for cell in ("Jörg", "ÿ", "canary-Zoë"):
        file.write_bytes(f"patient,ward\r\nann,{cell}\r\n".encode("latin-1"))
        found.add(policy_text([file], folder=tmp_path, unit="patient", contributions=5, epsilon=3))
    (text,) = found
    assert 'format = { encoding = "windows-1252" }' in text.splitlines()
    assert "canary" not in text
    file.write_text("patient,ward\r\nann,Jörg\r\n", encoding="utf-8")
    assert "windows-1252" not in policy_text([file], folder=tmp_path, unit="patient", epsilon=3)


def test_decimal_commas_are_proposed_and_no_cell_is_written(tmp_path):
    file, found = tmp_path / "visits.csv", set()
    for cell in ("1,5", "77321,25", "-0,125"):
        file.write_text(f"patient;cost\ncanary-ann;{cell}\ncanary-bob;3\n")
        found.add(policy_text([file], folder=tmp_path, unit="patient", contributions=5, epsilon=3))
    (text,) = found
    assert 'format = { separator = ";", decimal = "," }' in text.splitlines()
    assert "canary" not in text


def test_what_is_to_be_settled_of_a_column_is_written_in_fixed_words(tmp_path):
    file, found = tmp_path / "visits.csv", set()
    header = "patient;cost;day;los;private;rate"
    for row, odd in (
        ("canary-ann;1,50;1/2/2031;7;ja;18.0", "n.a."),
        ("canary-bob;77001,25;3/4/2031;23;nein;77.5", "canary"),
    ):
        rows = [row] * 9 + [row.replace(";7;", f";{odd};").replace(";23;", f";{odd};")]
        file.write_text("\n".join([header, *rows]))
        found.add(policy_text([file], folder=tmp_path, unit="patient", contributions=5, epsilon=3))
    (text,) = found
    form = 'format = { separator = ";", decimal = ",", true = ["ja"], false = ["nein"] }'
    assert form in text.splitlines()
    number, date, integer = (
        f'# looks like: {{ type = "{kind}", low = …, high = … }}'
        for kind in ("number", "date", "integer")
    )
    for line in (
        f'cost    = {{ type = "text" }}  {number}',
        f'{date}, once it is said which comes first, the day (dates = "%d/%m/%Y" in format,',
        f"{integer}, but for other texts in it: nulls = […]?",
        f'{number}, but with a decimal point, which decimal = "," does not read',
        'private = { type = "text" }  # looks like: { type = "boolean", values = [true, false] }',
    ):
        assert line in text
    for cell in ("canary", "n.a.", "77", "2031", "18.0"):
        assert cell not in text
    (tmp_path / "tacit.toml").write_text(text.replace('delta = "?"', "delta = 0"), encoding="utf-8")
    assert read_policy(tmp_path)


@pytest.mark.parametrize(
    ("cells", "form", "kind"),
    [
        (("4.706,79", "1.234.567,5"), 'decimal = ",", thousands = "."', "number"),
        (("1.234.567", "-9.999.999"), 'thousands = ".", decimal = ","', "number"),
        (("1,234.50", "1,234,567"), 'thousands = ","', "number"),
        (("1'234", "9’999.5"), 'thousands = "\'"', "number"),
        (
            ("1 234,5", "1\N{NARROW NO-BREAK SPACE}234,5"),
            'decimal = ",", thousands = " "',
            "number",
        ),
        (("4.706", "1.234"), "", "number"),  # as likely three decimals
        (("030 123 456", "5.12"), "", None),
    ],
)
def test_separated_thousands_are_proposed_and_no_cell_is_written(tmp_path, cells, form, kind):
    file, found = tmp_path / "visits.csv", set()
    for cell in cells:
        file.write_text(f"patient;cost\ncanary-ann;{cell}\ncanary-bob;3\n", encoding="utf-8")
        found.add(policy_text([file], folder=tmp_path, unit="patient", contributions=5, epsilon=3))
    text = min(found)
    assert len(found) == 1 or kind is None
    written = f", {form}" if form else ""
    assert f'format = {{ separator = ";"{written} }}' in text.splitlines()
    assert (f'type = "{kind}"' in text) == (kind is not None)
    assert "canary" not in text
    (tmp_path / "tacit.toml").write_text(text.replace('delta = "?"', "delta = 0"), encoding="utf-8")
    assert read_policy(tmp_path)


def test_blanks_around_a_name_and_another_encoding_are_said(tmp_path):
    file = tmp_path / "visits.csv"
    file.write_text("patient;cost ;ward\nann;1;a\n")
    (line,) = [
        line
        for line in policy_text([file], folder=tmp_path, unit="patient").splitlines()
        if line.startswith('"cost "')
    ]
    assert line.endswith("there are blanks around this name in the file")
    for encoding in ("utf-16", "utf-16-be", "utf-16-le"):
        file.write_text("patient;cost\nann;1\n", encoding=encoding)
        with pytest.raises(InvalidData, match="encoded as UTF-16; save it as UTF-8"):
            policy_text([file], folder=tmp_path, unit="patient")


def test_kinds_of_a_text_file_are_proposed_as_comments(tmp_path):
    file, found = tmp_path / "visits.csv", set()
    header = "patient;cost;day;age;code;died;seen;ward"
    for row in (
        "canary-ann;1,5;2031-01-03;77;007;yes;2031-01-03 10:11:12;A",
        "canary-bob;77001,25;2031-12-31;-8123;00815;NO;2031-12-31T23:59;4B\n;;;;;;;",
    ):
        file.write_text(f"{header}\n{row}\n")
        found.add(policy_text([file], folder=tmp_path, unit="patient", contributions=5, epsilon=3))
    (text,) = found
    lines = text[text.index("[tables.visits.columns]") :].splitlines()
    proposed = {
        line.split(" ")[0]: line.partition("# looks like: ")[2] for line in lines if " = { " in line
    }
    assert proposed == {
        "cost": '{ type = "number", low = …, high = … }',
        "day": '{ type = "date", low = …, high = … }',
        "age": '{ type = "integer", low = …, high = … }',
        "code": "",
        "died": '{ type = "boolean", values = [true, false] }',
        "seen": '{ type = "timestamp", low = …, high = … }',
        "ward": "",
    }
    assert all('= { type = "text" }' in line for line in lines if " = { " in line)
    for cell in ("canary", "77", "8123", "2031"):
        assert cell not in text


def test_a_column_that_cannot_be_used_is_written_down_with_the_reason(files):
    text = " ".join(texts(files).replace("#", "").split())
    assert "photo: left out, since it is stored as BLOB; to ask about it, store it as" in text


def test_likely_foreign_keys_are_proposed_by_their_names_alone(tmp_path):
    tables = {
        "patients": "id,sex",
        "visits": "id,patient_id,cost",
        "doses": "visit,drug,dose,clinic_id",
        "drugs": "drug,price",
    }
    for name, header in tables.items():
        (tmp_path / f"{name}.csv").write_text(f"{header}\n")
    every = [tmp_path / f"{name}.csv" for name in tables]
    text = policy_text(every, folder=tmp_path)
    assert '# references = { patient_id = "patients.id" }' in text.splitlines()
    assert '# references = { visit = "visits.id", drug = "drugs.drug" }' in text.splitlines()
    assert text.count("# references =") == 2
    with_unit = policy_text(every, folder=tmp_path, unit="patient_id")
    assert '# unit = "visit.patient_id"' in with_unit.splitlines()
    assert '# references = { visit = "visits.id" }' in with_unit.splitlines()


def test_json_lines_and_folders_are_written_down_like_other_files(tmp_path):
    (tmp_path / "visits.jsonl").write_text('{"patient": "canary", "cost": 1}\n')
    folder = tmp_path / "labs" / "year=2024"
    folder.mkdir(parents=True)
    pq.write_table(pa.table({"patient": ["canary"], "value": [1.5]}), folder / "a.parquet")
    every = [tmp_path / "visits.jsonl", tmp_path / "labs"]
    text = policy_text(every, folder=tmp_path, unit="patient", contributions=5, epsilon=3, delta=0)
    (tmp_path / "tacit.toml").write_text(text, encoding="utf-8")
    found = read_policy(tmp_path).policy.tables
    assert [column.name for column in found["labs"].table.columns] == ["value", "year"]
    assert [column.kind for column in found["visits"].table.columns] == [Kind.TEXT]
    assert "canary" not in text


def test_the_comment_speaks_of_as_many_answers_as_are_expected(files):
    assert "and 30 answers of equal price" in " ".join(
        texts(files, epsilon=3, answers=30).replace("#", "").split()
    )
