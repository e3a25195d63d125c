"""The class of a question is told by its plan: its kind, its tables, its parts."""

import pytest

import tacit
from tacit.curator import PlanClass

TABLES = {
    "a": [{"p": 1, "x": 1, "k": "v"}],
    "b": [{"p": 1, "y": 2}],
}


@pytest.fixture(scope="module")
def vault():
    return tacit.protect(
        TABLES,
        unit={"a": "p", "b": "p"},
        contributions={"a": 1, "b": 1},
        columns={"a": {"x": (0, 9), "k": str}, "b": {"y": (0, 9)}},
        epsilon=9,
        delta=1e-6,
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("SELECT COUNT(*) AS n FROM a", PlanClass("sums", ("a",))),
        ("SELECT AVG(x) AS n FROM a", PlanClass("sums", ("a",))),
        ("SELECT COUNT(DISTINCT x) AS n FROM a", PlanClass("distinct", ("a",))),
        ("SELECT MEDIAN(x) AS m, COUNT(*) AS n FROM a", PlanClass("ranks", ("a",))),
        ("SELECT k, COUNT(*) AS n FROM a GROUP BY k", PlanClass("keys", ("a",))),
        (
            "SELECT COUNT(*) AS n FROM a JOIN b USING (p)",
            PlanClass("sums", ("a", "b"), joined=(("a", "b"),)),
        ),
        (
            "SELECT MEDIAN(x) AS n FROM a UNION ALL SELECT SUM(y) AS n FROM b",
            PlanClass("ranks", ("a", "b"), 2),
        ),
    ],
)
def test_the_class_of_a_question(vault, text, found):
    assert vault.classify(text, epsilon=1) == found
