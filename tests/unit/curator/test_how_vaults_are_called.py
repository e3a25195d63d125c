"""Who calls a vault as another library is called is told the call that was meant, and nothing is charged."""

import copy

import pytest

import tacit
from tacit import col
from tacit.errors import InvalidInput, InvalidPlan

COUNT = "SELECT COUNT(*) AS n FROM data"


@pytest.fixture(scope="module")
def clinic():
    rows = [{"patient": n, "ward": "AB"[n % 2]} for n in range(50)]
    columns = {"ward": ["A", "B"]}
    return tacit.protect(rows, unit="patient", contributions=1, columns=columns, epsilon=3)


def test_a_text_or_a_frame_is_no_plan(clinic):
    with pytest.raises(InvalidInput, match=r'for SQL write vault\.sql\("SELECT …", epsilon=0\.3\)'):
        clinic.ask(COUNT, epsilon=0.3)
    with pytest.raises(InvalidPlan, match=r"frame\.ask\(epsilon=0\.3\)"):
        clinic.ask(clinic.table("data").agg(n=tacit.count()), epsilon=0.3)
    with pytest.raises(InvalidPlan, match="something of type int is no plan"):
        clinic.ask(3)
    assert clinic.budget.spent == 0


def test_a_frame_or_a_number_is_no_text(clinic):
    frame = clinic.table("data").agg(n=tacit.count())
    with pytest.raises(InvalidPlan, match=r"a frame is no SQL; ask it: frame\.ask"):
        clinic.sql(frame, epsilon=0.3)
    for ask in (clinic.sql, clinic.explain, clinic.refine):
        with pytest.raises(InvalidPlan, match="something of type int is no"):
            ask(3, epsilon=1)


@pytest.mark.parametrize("name", ["sql", "explain", "refine"])
def test_a_price_without_a_name_is_given_one(clinic, name):
    meant = rf"in {name}\(…\) cannot be 0\.3; name it: epsilon=0\.3"
    with pytest.raises(InvalidInput, match=meant):
        getattr(clinic, name)(COUNT, 0.3)
    with pytest.raises(InvalidInput, match=r"in ask\(…\) cannot be 0\.3; name it: epsilon=0\.3"):
        clinic.table("data").agg(n=tacit.count()).ask(0.3)
    assert clinic.budget.spent == 0


def test_the_names_of_other_libraries_lead_to_ours(clinic):
    with pytest.raises(AttributeError, match=r"a vault has no 'query': here it is vault\.sql\("):
        clinic.query(COUNT)
    with pytest.raises(AttributeError, match=r'the table is vault\.table\("data"\)'):
        clinic.data  # noqa: B018
    with pytest.raises(InvalidPlan, match=r'write vault\.table\("data"\)'):
        clinic["data"]
    with pytest.raises(AttributeError, match=r"^a vault has no 'wards'$"):
        clinic.wards  # noqa: B018
    with pytest.raises(AttributeError):
        type(clinic).__new__(type(clinic)).wards  # noqa: B018 -- which has nothing yet
    assert copy.copy(clinic).tables == ("data",)


def test_of_an_answer_too(clinic):
    answer = clinic.sql(COUNT, epsilon=0.1)
    with pytest.raises(AttributeError, match=r"here it is answer\.to_pandas\(\)"):
        answer.df()


def test_what_a_step_is_given_by_name_is_told(clinic):
    frame = clinic.table("data")
    with pytest.raises(InvalidPlan, match=r'write where\(col\("ward"\) == …\)'):
        frame.where(ward="A")
    with pytest.raises(InvalidPlan, match=r'write group_by\("ward", "age"\)'):
        frame.group_by(["ward", "age"])
    with pytest.raises(InvalidPlan, match="join has no how=…"):
        frame.join(frame, how="left")
    with pytest.raises(InvalidPlan, match=r"descending\(\)"):
        frame.agg(n=tacit.count()).order_by("n", ascending=False)
    with pytest.raises(InvalidPlan, match="is given a tuple"):
        frame.group_by(("ward", col("age")))
