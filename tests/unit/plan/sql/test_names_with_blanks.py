"""Names with blanks are written in double quotes, and a refusal says so; a column that is not declared can be."""

import pytest

from tacit.errors import InvalidPlan
from tacit.plan import Column, Kind, Table, read_sql

VISITS = Table(
    "visits",
    (Column("Total cost", Kind.NUMBER, 0, 100), Column("Ward", Kind.TEXT, values=("A",))),
    unit="Patient No",
)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT AVG(Total cost) FROM visits",
        "SELECT AVG(total cost) FROM visits WHERE total cost > 3",
        "SELECT AVG(visits.Total cost) FROM visits",
        "SELECT COUNT(DISTINCT Patient No) FROM visits",
    ],
)
def test_a_name_with_a_blank_is_shown_in_quotes(text):
    with pytest.raises(InvalidPlan) as refusal:
        read_sql(text, {"visits": VISITS})
    name = "Patient No" if "Patient" in text else "Total cost"
    assert f'in double quotes: "{name}"' in refusal.value.remedy
    mended = text.replace(name, f'"{name}"').replace(name.lower(), f'"{name}"')
    assert read_sql(mended, {"visits": VISITS}).question.measures


def test_the_close_name_is_shown_as_it_is_written():
    with pytest.raises(InvalidPlan, match='did you mean "Total cost", in double quotes'):
        read_sql("SELECT AVG(totalcost) FROM visits", {"visits": VISITS})


def test_a_column_that_is_not_declared_says_how_to_declare_it():
    with pytest.raises(InvalidPlan) as refusal:
        read_sql("SELECT AVG(days) FROM visits", {"visits": VISITS})
    assert 'columns={"days": (..., ...)} in Python' in refusal.value.remedy
    assert "--column days=LOW..HIGH" in refusal.value.remedy
    days = Column("days", Kind.INTEGER, 0, 30)
    declared = Table(VISITS.name, (*VISITS.columns, days), unit=VISITS.unit)
    assert read_sql("SELECT AVG(days) FROM visits", {"visits": declared}).question.measures
