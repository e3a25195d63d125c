"""Joins along declared foreign keys: what they connect, through names and steps, and how many rows meet."""

import pytest

from tacit.errors import InvalidPlan
from tacit.plan import Column, Joined, Kind, Table, find_reference, held_rows, read_sql, walk_rows

STAYS = Table(
    "stays",
    (Column("id", Kind.INTEGER, 0, 99), Column("ward", Kind.TEXT, values=("A", "B"))),
    unit="patient",
    contributions=3,
)
LABS = Table(
    "labs",
    (
        Column("stay", Kind.INTEGER),
        Column("number", Kind.INTEGER),
        Column("value", Kind.NUMBER, 0, 9),
    ),
    unit="patient",
    contributions=20,
    references=(("stay", "stays", "id"),),
)
DRUGS = Table(
    "drugs",
    (Column("stay", Kind.INTEGER), Column("mg", Kind.NUMBER, 0, 9)),
    unit="stay.patient",
    contributions=7,
    references=(("stay", "stays", "id"),),
)
TABLES = {table.name: table for table in (STAYS, LABS, DRUGS)}


def joins(source):
    question = read_sql(f"SELECT COUNT(*) AS n FROM {source}", TABLES).question
    found = [part for part in walk_rows(question.rows) if isinstance(part, Joined)]
    return question.rows, [find_reference(each) for each in found]


@pytest.mark.parametrize(
    ("source", "most"),
    [
        ("labs JOIN stays ON labs.stay = stays.id", 20),
        ("stays s JOIN labs l ON s.id = l.stay", 20),
        ("labs LEFT JOIN stays ON stay = id", 20),
        ("stays LEFT JOIN labs ON stay = id", 23),
        ("labs, stays WHERE stay = id", 20),
        ("labs JOIN (SELECT id AS stay, ward FROM stays WHERE ward = 'A') s USING (stay)", 20),
        ("(SELECT stay AS x FROM labs WHERE value > 1) l JOIN stays ON x = id", 20),
        (
            "(SELECT patient, stay, COUNT(*) AS n FROM labs GROUP BY patient, stay) l JOIN stays ON stay = id",
            20,
        ),
        ("labs l JOIN stays s ON l.stay = s.id JOIN drugs d ON d.stay = s.id", 140),
        ("stays s JOIN labs l ON s.id = l.stay JOIN drugs d ON d.stay = s.id", 140),
        ("labs l JOIN drugs d ON l.stay = d.stay", 140),
        ("labs JOIN stays ON labs.patient = stays.patient AND stay = id", 20),
        ("labs JOIN stays ON labs.patient = stays.patient", 60),
    ],
)
def test_a_join_on_a_declared_foreign_key_is_read(source, most):
    rows, _ = joins(source)
    assert held_rows(rows) == most


@pytest.mark.parametrize(
    "source",
    [
        "labs JOIN stays ON labs.stay = stays.id + 0",
        "labs JOIN stays ON number = id",
        "labs l JOIN drugs d ON l.number = d.stay",
        "labs JOIN stays ON stay > id",
        "labs JOIN (SELECT id + 1 AS id FROM stays) s ON stay = id",
        "stays s JOIN stays t ON s.id = t.id",
        "stays s JOIN stays t ON s.ward = t.ward",
        "labs JOIN (SELECT id FROM stays UNION ALL SELECT id FROM stays) s ON stay = id",
        "labs FULL JOIN stays ON stay = id",
    ],
)
def test_what_is_no_foreign_key_needs_the_unit(source):
    with pytest.raises(InvalidPlan, match=r"on the protected unit|on the unit"):
        joins(source)


def test_a_path_to_the_unit_is_told_from_other_foreign_keys():
    _, (path,) = joins("drugs JOIN stays ON stay = id")
    _, (other,) = joins("labs JOIN stays ON stay = id")
    _, (both,) = joins("drugs d JOIN labs l ON d.stay = l.stay")
    assert (path.is_path, other.is_path, both.is_path) == (True, False, False)
    assert (other.table.name, other.column, other.target) == ("labs", "stay", "stays")


def test_many_joins_are_looked_at_once_each():
    """Tables that refer to each other both ways: were each side looked at twice, it would take 2**25 looks."""
    nodes = Table(
        "nodes",
        (Column("id", Kind.INTEGER), Column("next", Kind.INTEGER)),
        unit="patient",
        contributions=3,
        references=(("next", "nodes", "id"),),
    )
    more = " ".join(
        f"JOIN nodes n{i} ON n.next = n{i}.id AND n{i}.next = n.id" for i in range(1, 26)
    )
    rows = read_sql(f"SELECT COUNT(*) AS n FROM nodes n {more}", {"nodes": nodes}).question.rows
    assert held_rows(rows) == 3


def test_it_is_the_question_with_the_unit_written_out():
    short, long = (
        read_sql(f"SELECT COUNT(*) AS n FROM labs l JOIN stays s ON {on}", TABLES)
        for on in ("l.stay = s.id", "l.patient = s.patient AND l.stay = s.id")
    )
    assert short.question == long.question
