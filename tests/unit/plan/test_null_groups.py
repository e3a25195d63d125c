"""NULL is a group where the policy says so of a column, and nowhere else."""

from dataclasses import replace

import pytest

from tacit import col, count
from tacit.curator import column_of, protect
from tacit.errors import InvalidInput
from tacit.plan import OTHER, Column, Frame, Kind, Table, fingerprint, in_words, read_sql

COLUMNS = (
    Column("ward", Kind.TEXT, values=("A", "B"), null_group=True),
    Column("kind", Kind.TEXT, values=("x",), other=True, null_group=True),
    Column("age", Kind.INTEGER, 0, 39, null_group=True),
    Column("note", Kind.TEXT, null_group=True),
    Column("word", Kind.TEXT),
    Column("site", Kind.TEXT, values=("s",)),
)
VISITS = Table("visits", COLUMNS, unit="person", contributions=2)


def key(text, where=""):
    asked = f"SELECT COUNT(*) AS n FROM visits{where} GROUP BY {text}"
    return read_sql(asked, {"visits": VISITS}, finding=True).question.keys[0]


@pytest.mark.parametrize(
    ("text", "where", "listed"),
    [
        ("ward", "", ("A", "B", None)),
        ("kind", "", ("x", OTHER, None)),
        ("site", "", ("s",)),
        ("LOWER(ward)", "", ("a", "b", None)),
        ("age // 20", "", (0, 1, None)),
        ("COALESCE(ward, 'none')", "", ("A", "B", "none")),
        ("COALESCE(site, 'none')", "", ("s", "none")),
        ("ward IS NULL", "", (False, True)),
        ("CASE WHEN ward = 'A' THEN 1 ELSE 2 END", "", (1, 2)),
        ("ward", " WHERE ward IS NOT NULL", ("A", "B")),
        ("ward", " WHERE ward <> 'A'", ("B",)),
        ("ward", " WHERE ward IS NULL", ("A", "B", None)),
        ("ward || site", "", ("As", "Bs", None)),
    ],
)
def test_null_is_listed_where_it_can_be(text, where, listed):
    assert key(text, where).public_values == listed


def test_null_is_a_value_of_keys_that_have_to_be_found():
    assert (key("note").values, key("note").null) == (None, True)
    assert (key("word").values, key("word").null) == (None, False)
    assert (key("UPPER(note)").values, key("UPPER(note)").null) == (None, True)
    assert (key("COALESCE(note, '')").values, key("COALESCE(note, '')").null) == (None, False)


@pytest.mark.parametrize(
    "rows",
    [
        "(SELECT person, ward AS w FROM visits)",
        "(SELECT person, LOWER(ward) AS w FROM visits)",
        "(SELECT person, ward AS w FROM visits GROUP BY person, ward)",
        "(SELECT person, ward AS w FROM visits UNION ALL SELECT person, site AS w FROM visits)",
        "(SELECT person, LAG(ward) OVER (PARTITION BY person ORDER BY age) AS w FROM visits)",
        "(SELECT a.person, b.ward AS w FROM visits AS a LEFT JOIN visits AS b ON a.person = b.person)",
    ],
)
def test_a_column_keeps_its_group_inside_and_out(rows):
    asked = read_sql(f"SELECT w, COUNT(*) AS n FROM {rows} GROUP BY w", {"visits": VISITS}).question
    assert asked.keys[0].public_values[-1] is None


def test_others_keep_their_group_inside_and_out():
    asked = read_sql(
        "SELECT w, COUNT(*) AS n FROM (SELECT person, kind AS w FROM visits) GROUP BY w",
        {"visits": VISITS},
    )
    assert asked.question.keys[0].public_values == ("x", OTHER, None)


def test_both_doors_list_it():
    frame = Frame(VISITS).group_by("ward").agg(n=count()).plan()
    assert fingerprint(frame.question) == fingerprint(
        read_sql(
            "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward", {"visits": VISITS}
        ).question
    )
    assert Frame(VISITS).group_by(w=col("ward")).agg(n=count()).plan().question.keys[0].null
    assert "ward ('A', 'B', NULL)" in in_words(frame)


def test_a_group_of_null_makes_another_question():
    with_it = read_sql(
        "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward", {"visits": VISITS}
    ).question
    without = replace(with_it, keys=(replace(with_it.keys[0], null=False),))
    assert fingerprint(with_it) != fingerprint(without)


def test_a_column_without_null_has_no_group_for_it():
    with pytest.raises(InvalidInput, match="a column with nullable = false has no"):
        column_of("ward", {"type": "text", "nullable": False, "null_group": True}, frozenset(Kind))
    with pytest.raises(InvalidInput, match="True or False"):
        column_of("ward", {"type": "text", "null_group": "yes"}, frozenset(Kind))


@pytest.mark.parametrize("delta", [0, 1e-6])
def test_an_answer_shows_it_and_shares_add_up_with_it(delta):
    """Rows without a ward are in the total of a share where they are a group."""
    rows = [{"p": n, "ward": ["A", "B", None, None][n % 4]} for n in range(4000)]
    declared = {"type": "text", "values": ["A", "B"], "null_group": True}
    vault = protect(
        rows, unit="p", contributions=1, columns={"ward": declared}, epsilon=900, delta=delta
    )
    text = "SELECT ward, 100.0 * COUNT(*) / SUM(COUNT(*)) OVER () AS share FROM data GROUP BY ward"
    answer = vault.sql(text, epsilon=400)
    assert answer.column("ward") == ["A", "B", None]
    assert answer.column("share") == pytest.approx([25, 25, 50], abs=0.5)
    assert "NULL" not in " ".join(map(str, answer.left_out))
    named = vault.sql(
        "SELECT COALESCE(ward, 'none') AS w, COUNT(*) AS n FROM data GROUP BY 1", epsilon=200
    )
    assert named.column("w") == ["A", "B", "none"]
    assert named.column("n")[2] == pytest.approx(2000, abs=30)


def test_an_answer_shows_null_among_keys_that_were_found():
    rows = [{"p": n, "note": ["one", "two", None][n % 3]} for n in range(3000)]
    columns = {"note": {"type": "text", "null_group": True}}
    vault = protect(rows, unit="p", contributions=1, columns=columns, epsilon=90, delta=1e-6)
    answer = vault.sql("SELECT note, COUNT(*) AS n FROM data GROUP BY note", epsilon=20)
    assert answer.column("note") == ["one", "two", None]
    again = vault.sql("SELECT note, COUNT(*) AS m FROM data GROUP BY note", epsilon=20)
    assert again.price.free
    assert again.column("m") == answer.column("n")
