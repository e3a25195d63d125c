"""SQL about synthetic rows."""

from fractions import Fraction
from typing import ClassVar

import pytest

from tacit.errors import InvalidInput, InvalidPlan, TacitError
from tests.unit.curator.tables.test_synthesize import vault


class Dishes:
    """A survey that was collected."""

    name, values = "dishes", ("soup", "cake")
    promise: ClassVar = {"epsilon": 1}

    def estimates(self):
        return [(Fraction(7), Fraction(1)), (Fraction(3), Fraction(1))]


@pytest.fixture(scope="module")
def clinic():
    made = vault()
    return made, made.synthesize("visits", epsilon=8)


def test_questions_about_synthetic_rows_are_exact_and_free(clinic):
    made, synthetic = clinic
    asked = made.with_synthetic(synthetic)
    spent, frame = made.budget.spent, synthetic.to_pandas()
    assert asked.sql("SELECT COUNT(*) AS n FROM synthetic_visits")["n"] == [len(frame)]
    answer = asked.sql(
        "SELECT ward, COUNT(*) AS n, SUM(age) AS years, AVG(cost) AS mean, MEDIAN(age) AS middle "
        "FROM synthetic_visits WHERE age >= 10 GROUP BY ward ORDER BY ward"
    )
    old = frame[(frame["age"] >= 10) & frame["ward"].notna()].groupby("ward")
    assert answer["n"] == old.size().tolist()
    assert answer["n_low"] == answer["n_high"] == answer["n"]
    assert answer["years"] == old["age"].sum().tolist()
    assert answer["mean"] == pytest.approx(old["cost"].mean().tolist(), rel=1e-3)
    assert answer["middle"] == pytest.approx(old["age"].median().tolist(), abs=1)
    assert answer.price.epsilon == 0
    assert answer.receipt["made of"] == synthetic.receipt
    assert any("synthetic rows of visits" in note for note in answer.notes)
    assert made.budget.spent == spent


def test_the_real_table_is_asked_as_before(clinic):
    made, synthetic = clinic
    asked = made.with_synthetic(synthetic, name="twin")
    with pytest.raises(TacitError, match="epsilon"):
        asked.sql("SELECT COUNT(*) AS n FROM visits")
    assert asked.sql("SELECT COUNT(*) AS n FROM visits", epsilon=0.1).price.epsilon > 0
    assert asked.sql("SELECT COUNT(*) AS n FROM twin")["n"] == [len(synthetic)]


COMBINED = (
    "SELECT ward, COUNT(*) AS n FROM {0} GROUP BY ward "
    "UNION ALL SELECT 'all', COUNT(*) AS n FROM {1}"
)


def test_combined_questions_about_real_tables_are_asked_as_before(clinic):
    made, synthetic = clinic
    text = COMBINED.format("visits", "visits")
    before = made.sql(text, epsilon=0.1)
    after = made.with_synthetic(synthetic).sql(text, epsilon=0.1)
    assert after.price.free
    assert after.rows == before.rows


def test_combined_questions_about_synthetic_rows_are_exact_and_free(clinic):
    made, synthetic = clinic
    asked = made.with_synthetic(synthetic).with_synthetic(synthetic, name="twin")
    spent, frame = made.budget.spent, synthetic.to_pandas()
    wards = frame.groupby("ward").size().to_dict()
    for names in (("twin", "twin"), ("twin", "synthetic_visits")):
        answer = asked.sql(COMBINED.format(*names))
        told = dict(zip(answer["ward"], answer["n"], strict=True))
        assert told == {**dict.fromkeys(told, 0), **wards, "all": len(frame)}
        assert answer["n_low"] == answer["n_high"] == answer["n"]
        assert answer.price.epsilon == 0
        assert answer.receipt["table"] == ", ".join(dict.fromkeys(names))
    joined = asked.sql(
        "SELECT a.ward, a.n, b.m FROM (SELECT ward, COUNT(*) AS n FROM twin GROUP BY ward) a "
        "JOIN (SELECT ward, COUNT(*) AS m FROM twin WHERE age >= 10 GROUP BY ward) b "
        "ON a.ward = b.ward"
    )
    old = frame[frame["age"] >= 10].groupby("ward").size().to_dict()
    assert joined["n"] == [wards.get(ward, 0) for ward in joined["ward"]]
    assert joined["m"] == [old.get(ward, 0) for ward in joined["ward"]]
    assert made.budget.spent == spent


@pytest.mark.parametrize("names", [("visits", "twin"), ("twin", "visits")])
def test_answers_about_real_and_synthetic_rows_are_not_combined(clinic, names):
    made, synthetic = clinic
    spent = made.budget.spent
    with pytest.raises(InvalidPlan, match="a synthetic table cannot be asked about together"):
        made.with_synthetic(synthetic, name="twin").sql(COMBINED.format(*names), epsilon=0.1)
    assert made.budget.spent == spent


def test_a_vault_with_a_survey_and_a_synthetic_table_answers_about_each(clinic):
    made, synthetic = clinic
    asked = made.with_survey(Dishes()).with_synthetic(synthetic)
    dishes = asked.sql("SELECT answer, COUNT(*) AS n FROM dishes GROUP BY answer")
    assert dishes["n"] == [7, 3]
    assert asked.sql("SELECT COUNT(*) AS n FROM synthetic_visits")["n"] == [len(synthetic)]
    assert asked.sql(COMBINED.format("visits", "visits"), epsilon=0.1).price.epsilon > 0
    mixed = COMBINED.format("synthetic_visits", "dishes")
    with pytest.raises(InvalidPlan, match="a synthetic table cannot be asked about together"):
        asked.sql(mixed)


def test_names_and_joins_that_make_no_sense_are_refused(clinic):
    made, synthetic = clinic
    asked = made.with_synthetic(synthetic)
    with pytest.raises(InvalidInput, match="another"):
        asked.with_synthetic(synthetic)
    with pytest.raises(InvalidInput, match="another"):
        made.with_synthetic(synthetic, name="visits")
    with pytest.raises(InvalidInput, match="another"):
        made.with_synthetic(synthetic, name="dishes").with_survey(Dishes())
    with pytest.raises(InvalidPlan):
        asked.sql(
            "SELECT COUNT(*) AS n FROM visits UNION ALL SELECT COUNT(*) AS n FROM synthetic_visits",
            epsilon=0.1,
        )
