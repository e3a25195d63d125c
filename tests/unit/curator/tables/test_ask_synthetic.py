"""SQL about synthetic rows."""

import pytest

from tacit.errors import InvalidInput, InvalidPlan, TacitError
from tests.unit.curator.tables.test_synthesize import vault


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


def test_names_and_joins_that_make_no_sense_are_refused(clinic):
    made, synthetic = clinic
    asked = made.with_synthetic(synthetic)
    with pytest.raises(InvalidInput, match="another"):
        asked.with_synthetic(synthetic)
    with pytest.raises(InvalidInput, match="another"):
        made.with_synthetic(synthetic, name="visits")
    with pytest.raises(InvalidPlan):
        asked.sql(
            "SELECT COUNT(*) AS n FROM visits UNION ALL SELECT COUNT(*) AS n FROM synthetic_visits",
            epsilon=0.1,
        )
