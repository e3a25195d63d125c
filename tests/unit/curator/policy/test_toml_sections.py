"""A TOML file section by section: where its keys stand, and what is taken from it."""

from datetime import date, time
from decimal import Decimal

import pytest

from tacit.curator.policy.toml_sections import Refused, lines_of, root_of, spell, suggest
from tacit.errors import InvalidPolicy


def test_lines_are_found_however_the_file_is_written():
    text = '''
# [not] a = "section"
limit.epsilon = 3

[tables."my # table".columns]
a = { type = "text", values = ["]", '#', "\\"]"] }
b.values = [
  "x",   # a comment with ] and "
  """one
[two]
""",
  \'\'\'three " ]\'\'\',
]
[tables."my # table"]
unit = "row"
'''
    lines = lines_of(text)
    table = ("tables", "my # table")
    assert lines["limit", "epsilon"] == 3
    assert lines[table] == 14
    assert lines[*table, "columns"] == 5
    assert lines[*table, "columns", "a", "values"] == 6
    assert lines[*table, "columns", "b"] == lines[*table, "columns", "b", "values"] == 7
    assert lines[*table, "unit"] == 15


def test_texts_that_end_in_quotes_do_not_hide_what_follows():
    text = 'a = """say "hi""""\nb = \'\'\'it\'\'\'\'\nc = "\\\\"\nd = [ # ]\n]\ne = 1\n'
    assert {key: line for (key,), line in lines_of(text).items()} == {
        "a": 1,
        "b": 2,
        "c": 3,
        "d": 4,
        "e": 6,
    }


def test_what_is_no_toml_has_no_lines():
    assert lines_of("= = =\n[\n") == {(): 2}


@pytest.fixture
def root(tmp_path):
    def read(text):
        file = tmp_path / "tacit.toml"
        file.write_text(text, encoding="utf-8")
        return root_of(file)

    return read


def test_what_is_taken_is_read_and_what_is_refused_is_remembered(root):
    section = root("a = 1\nb = 2\n")

    def even(value):
        if value % 2:
            raise Refused("give an even number")
        return value

    assert (section.take("b", even), section.take("c", even)) == (2, None)
    section.faults.check()
    assert section.take("a", even) is None
    assert section.take("d", even, "write it") is None
    with pytest.raises(InvalidPolicy) as raised:
        section.faults.check()
    assert [str(fault) for fault in raised.value.faults] == [
        "line 1: a: it is 1; give an even number",
        "line 1: d: it is missing; write it",
    ]


def test_numbers_with_a_point_are_decimals(root):
    assert root("a = 0.10").values == {"a": Decimal("0.10")}


def test_values_are_shown_as_they_are_written():
    shown = [
        spell(value) for value in (True, 7, 1 << 300, date(2025, 1, 2), time(7), {}, "é" * 100)
    ]
    assert shown[:6] == [
        "true",
        "7",
        "an integer of too many digits",
        "2025-01-02",
        "07:00:00",
        "a section",
    ]
    assert shown[6] == '"' + "é" * 56 + "..., a text"


def test_a_similar_name_is_asked_for_whatever_its_case():
    assert suggest("EPSILOM", ["epsilon", "delta"]) == "did you mean 'epsilon'? "
    assert suggest("x" * 10_000, ["epsilon"]) == ""
