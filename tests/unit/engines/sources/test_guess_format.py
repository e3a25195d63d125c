"""How a text file is written is guessed column by column, in words that are fixed, and told where it is unsure."""

from pathlib import Path

import pytest

from tacit.engines import Dialect, guess_format, guess_kinds
from tacit.engines.sources import guess_format as module
from tacit.plan import Kind
from tests.together import together


def written(folder: Path, columns: dict[str, list[str]], encoding: str = "utf-8") -> Path:
    file = folder / "t.csv"
    columns = {"who": ["ann"] * len(next(iter(columns.values()))), **columns}
    lines = [list(columns), *zip(*columns.values(), strict=True)]
    file.write_text("".join(f"{';'.join(line)}\n" for line in lines), encoding=encoding)
    return file


@together
@pytest.mark.parametrize(
    ("columns", "seen"),
    [
        ({"id": ["18.0", "19.0"], "a": ["1,50", "7"]}, {"decimal": ","}),
        ({"version": ["1.25", "2.5"], "a": ["1,50", "7,25"]}, {"decimal": ","}),
        # in another column than one with points, a comma before three digits may separate thousands
        ({"id": ["18.0", "19.0"], "a": ["1,500", "7,250"]}, {}),
        ({"id": ["18", "19"], "a": ["1,500", "7,250"]}, {"decimal": ","}),
        ({"id": ["18.0", "x"], "a": ["1.234,5", "7"]}, {"decimal": ",", "thousands": "."}),
        ({"id": ["18.5", "x"], "a": ["1.234.567", "7"]}, {}),
        ({"day": ["31/12/2024", "01/02/2024"]}, {"dates": "%d/%m/%Y"}),
        ({"day": ["12/31/2024", "01/02/2024"]}, {"dates": "%m/%d/%Y"}),
        ({"day": ["31-12-2024 10:30", "1-2-2024 9:00"]}, {"dates": "%d-%m-%Y"}),
        ({"day": ["1/2/2024", "3/4/2024"]}, {}),
        ({"day": ["31/12/2024", "12/31/2024"]}, {}),
        ({"day": ["31/12/2024", "1/2/2024"], "other": ["1/31/2024", "1/2/2024"]}, {}),
        ({"day": ["31/12/2024", "1/2/2024"], "other": ["1.2.2024", ""]}, {"dates": "%d.%m.%Y"}),
        ({"code": ["99/12/2024", "1/2/2024"]}, {}),
        ({"p": ["ja", "nein"]}, {"true": ["ja"], "false": ["nein"]}),
        ({"p": ["ja", ""]}, {"true": ["ja"], "false": ["nein"]}),
        ({"p": ["Oui", "NON"]}, {"true": ["Oui", "OUI"], "false": ["Non", "NON"]}),
        ({"p": ["si", "no"]}, {"true": ["si"], "false": ["no"]}),
        ({"p": ["sim", "não"]}, {"true": ["sim"], "false": ["não"]}),
        ({"p": ["wahr", "falsch"]}, {"true": ["wahr"], "false": ["falsch"]}),
        ({"p": ["j", "n"]}, {"true": ["j"], "false": ["n"]}),
        ({"p": ["n", "n"]}, {}),
        ({"p": ["yes", "no"]}, {}),
        ({"p": ["ja", "vielleicht"]}, {}),
        (
            {"p": ["ja", "nein"], "q": ["yes", "no"]},
            {"true": ["ja", "yes"], "false": ["nein", "no"]},
        ),
    ],
)
def test_each_column_is_judged_by_itself(tmp_path, columns, seen):
    assert guess_format(written(tmp_path, columns), Dialect()) == {"separator": ";", **seen}


def test_words_for_true_in_latin_1_are_known(tmp_path):
    file = written(tmp_path, {"p": ["sim", "não"]}, "latin-1")
    found = {"separator": ";", "encoding": "windows-1252", "true": ["sim"], "false": ["não"]}
    assert guess_format(file, Dialect()) == found


@together
@pytest.mark.parametrize(
    ("cells", "form", "kind", "doubt"),
    [
        (["1", "2", "3", "4", "n.a."], {}, Kind.INTEGER, module.OTHER_TEXTS),
        (["1,5", "2", "3", "4", "n.a."], {"decimal": ","}, Kind.NUMBER, module.OTHER_TEXTS),
        (["18.0", "19.0"], {"decimal": ","}, Kind.NUMBER, module.WITH_A_POINT),
        (["1/2/2024", "3/4/2024"], {}, Kind.DATE, module.DAY_OR_MONTH),
        (["1/2/2024 10:30"], {}, Kind.TIMESTAMP, module.DAY_OR_MONTH),
        (["2024-01-31"], {"dates": "%d.%m.%Y"}, Kind.DATE, module.OTHER_DAYS),
        (["ja", "nein"], {"true": ("ja",), "false": ("nein",)}, Kind.BOOLEAN, ""),
        (["1", "2", "3", "n.a."], {}, None, ""),
        (["A", "B"], {"decimal": ","}, None, ""),
        (["007", "008"], {}, None, ""),
    ],
)
def test_what_a_column_looks_like_is_told_with_what_is_to_be_settled(
    tmp_path, cells, form, kind, doubt
):
    file = written(tmp_path, {"x": cells})
    found = guess_kinds(file, Dialect(separator=";", **form))
    assert found.get("x") == (None if kind is None else module.Seeming(kind, doubt))


def test_no_cell_and_no_number_of_cells_is_told(tmp_path):
    """Of a column with other texts, neither these nor how many they are."""
    told = set()
    for others in (["canary"], ["n.a.", "canary-77"], [""]):
        cells = [*map(str, range(40)), *others, *["n.a."]]
        told.add(guess_kinds(written(tmp_path, {"x": cells}), Dialect(separator=";"))["x"])
    assert len(told) == 1
