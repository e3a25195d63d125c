"""INITCAP and regular expressions of declared texts: computed when the question is read, the same in every engine."""

import pytest

import tacit
from tacit.errors import InvalidPlan
from tacit.plan import MOST_CHARACTERS, Column, Kind, Literal, Table, prove, read_sql
from tacit.plan.model.expressions import walk_expression
from tacit.plan.model.walk_expressions import list_group_expressions
from tacit.plan.questions import declared_text_functions, public_values
from tacit.plan.questions.declared_text_functions import MOST_DECLARED, MOST_NODES, capitalise_words

CLASSES = ("1st class", "2nd class", "3rd")
TABLE = Table(
    "trips",
    (
        Column("class", Kind.TEXT, values=CLASSES),
        Column("name", Kind.TEXT),
        Column("many", Kind.TEXT, values=tuple(f"v{at}" for at in range(MOST_DECLARED + 1))),
        Column("age", Kind.INTEGER, 0, 9),
    ),
)


def groups_of(shown):
    plan = prove(
        read_sql(f"SELECT {shown} AS x, COUNT(*) AS n FROM trips GROUP BY x", {"trips": TABLE})
    )
    return {group for (group,) in plan.question.groups}


@pytest.mark.parametrize(
    ("shown", "groups"),
    [
        ("INITCAP(class)", {"1st Class", "2nd Class", "3rd"}),
        ("INITCAP(UPPER(class))", {"1st Class", "2nd Class", "3rd"}),
        ("REGEXP_EXTRACT(class, '[0-9]')", {"1", "2", "3"}),
        ("REGEXP_EXTRACT(class, '^([0-9])([a-z]+)', 2)", {"st", "nd", "rd"}),
        ("REGEXP_EXTRACT(class, ' .*')", {" class", ""}),
        ("REGEXP_REPLACE(class, '[a-z]+', '-')", {"1- class", "2- class", "3-"}),
        ("REGEXP_REPLACE(class, '[a-z]+', '-', 'g')", {"1- -", "2- -", "3-"}),
    ],
)
def test_the_groups_are_what_the_function_makes_of_each_value(shown, groups):
    assert groups_of(shown) == groups


@pytest.mark.parametrize(
    ("shown", "reason"),
    [
        ("INITCAP(name)", "INITCAP needs a text with declared values"),
        ("INITCAP(many)", "has none or too many"),
        ("INITCAP(age)", "INITCAP takes texts"),
        ("INITCAP(class, ' ')", "INITCAP takes one text"),
        ("REGEXP_EXTRACT(class, 'a', 1)", "has no group 1"),
        ("REGEXP_EXTRACT(class, '(?i)a')", "this regular expression is not supported"),
        ("REGEXP_EXTRACT(class, name)", "a constant text is needed"),
        ("REGEXP_REPLACE(class, 'a*', 'b')", "matches the empty text"),
        ("REGEXP_REPLACE(class, '(a)', '\\1')", "backreferences"),
        ("REGEXP_REPLACE(class, 'a', 'b', 'i')", "has one option"),
    ],
)
def test_what_is_not_computed_is_refused(shown, reason):
    with pytest.raises(InvalidPlan, match=reason):
        groups_of(shown)


def test_what_is_released_may_be_spelled_otherwise():
    rows = [{"p": at, "ward": ("north", "south")[at % 2]} for at in range(40)]
    vault = tacit.protect(
        rows, unit="p", contributions=1, epsilon=1000, columns={"ward": ["north", "south"]}
    )
    text = "SELECT INITCAP(ward) AS w, COUNT(*) AS n FROM data GROUP BY ward"
    assert [row["w"] for row in vault.sql(text, epsilon=100)] == ["North", "South"]
    text = "SELECT COUNT(*) AS n FROM data WHERE REGEXP_EXTRACT(ward, 'o[a-z]') = 'or'"
    assert vault.sql(text, epsilon=100)["n"][0] == 20


def test_words_begin_where_no_letter_or_digit_stands_before():
    for text, expected in {
        "": "",
        "hELLO wORLD": "Hello World",
        "o'neill-smith": "O'Neill-Smith",
        "2nd 3RD": "2nd 3rd",
        "ß straße": "ẞ Straße",
    }.items():
        assert capitalise_words(text) == expected


def test_rows_of_values_are_compared():
    text = "SELECT COUNT(*) AS n FROM trips WHERE (class, age) IN (('3rd', 1), ('1st class', 2))"
    same = (
        "SELECT COUNT(*) AS n FROM trips WHERE (class = '3rd' AND age = 1) OR "
        "(class = '1st class' AND age = 2)"
    )
    tables = {"trips": TABLE}
    assert prove(read_sql(text, tables)).question == prove(read_sql(same, tables)).question
    for other, told in {"('3rd', 1, 2)": "with one of 3", "7": "with a single value"}.items():
        with pytest.raises(InvalidPlan, match=f"a row of 2 values is compared {told}"):
            read_sql(text.replace("('3rd', 1)", other), tables)


def test_values_that_become_one_are_all_counted():
    rows = [{"p": at, "ward": ("a1", "a2", "b1")[at % 3]} for at in range(60)]
    vault = tacit.protect(
        rows, unit="p", contributions=1, epsilon=1000, columns={"ward": ["a1", "a2", "b1"]}
    )
    text = (
        "SELECT REGEXP_EXTRACT(ward, '[a-z]') AS w, COUNT(*) AS n FROM data GROUP BY w ORDER BY w"
    )
    assert [row["n"] for row in vault.sql(text, epsilon=100)] == [40, 20]


AROUND = [
    "INITCAP({})",
    "REGEXP_REPLACE({}, '[a-z]', 'aaaaaaaaaaaaaaaaaaaa', 'g')",
    "REGEXP_REPLACE({}, 'a(.*b)?', 'aab', 'g')",
    "REGEXP_REPLACE(UPPER({}), '[A-Z]', 'AA', 'g')",
    "INITCAP(REPLACE({}, 'a', 'aaaaaaaaaaaaaaaaaaaa'))",
    "INITCAP({0} || {0})",
    "REGEXP_EXTRACT(LPAD({}, 900, 'a'), '(a+)+', 1)",
    f"REPLACE({{}}, 'a', '{'a' * 900}')",
]


@pytest.mark.parametrize("depth", [1, 3, 20])
@pytest.mark.parametrize("around", AROUND)
def test_no_nest_of_functions_grows_without_bound(around, depth, monkeypatch):
    """Whatever is written, no text is computed that is longer than a cell, nor a CASE of more parts than allowed."""
    seen = []
    inside, listed = declared_text_functions._change, public_values._list_values

    def note_change(*given):
        seen.append(len(given[0]))
        return inside(*given)

    def note_values(values):
        def each():
            for value in values:
                seen.append(len(value) if isinstance(value, str) else 0)
                yield value

        return listed(each())

    monkeypatch.setattr(declared_text_functions, "_change", note_change)
    monkeypatch.setattr(public_values, "_list_values", note_values)
    wards = tuple(f"ward {at} {'aab' * 5}" for at in range(40))
    tables = {"trips": Table("trips", (Column("ward", Kind.TEXT, values=wards),))}
    shown = "ward"
    for _ in range(depth):
        longer = around.format(shown)
        shown = longer if len(longer) < 19_000 else shown
    parts = []
    for text in (shown, shown.replace("ward", "'aabaab'")):
        try:
            question = prove(
                read_sql(f"SELECT {text} AS x, COUNT(*) AS n FROM trips GROUP BY x", tables)
            ).question
        except InvalidPlan:
            continue
        parts = [
            part for each in list_group_expressions(question) for part in walk_expression(each)
        ]
        texts = [part.value for part in parts if isinstance(part, Literal)]
        assert max([len(each) for each in texts if isinstance(each, str)], default=0) <= 16_384
        assert len(parts) <= 4 * MOST_NODES
    assert max(seen, default=0) <= MOST_CHARACTERS
    assert sum(seen) <= 4_000_000


def test_a_function_of_a_function_is_one_case():
    one, nested = "INITCAP(class)", "INITCAP(REGEXP_REPLACE(INITCAP(class), 'C', 'k'))"
    assert groups_of(nested) == {"1st Klass", "2nd Klass", "3rd"}
    assert groups_of(f"INITCAP({one})") == groups_of(one)


def test_a_nest_that_cannot_be_flat_is_refused():
    wards = tuple(f"ward {at}" for at in range(400))
    tables = {"trips": Table("trips", (Column("ward", Kind.TEXT, values=wards),))}
    with pytest.raises(InvalidPlan, match="too many cases"):
        read_sql(
            "SELECT COUNT(*) AS n FROM trips WHERE INITCAP(UPPER(INITCAP(ward))) = 'a'", tables
        )
