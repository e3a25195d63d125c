"""Refusals that a newcomer meets: what they name works when it is followed to the letter."""

from datetime import date

import pytest

import tacit
from tacit.errors import InvalidPlan, LimitExceeded

ROWS = [
    {"patient": n // 3, "ward": "AB"[n % 2], "stay": n % 9, "day": date(2024, 1, 1 + n % 28)}
    for n in range(90)
]
WARDS = [{"ward": "A", "beds": 3}, {"ward": "B", "beds": 5}]

AGAIN = (
    "SELECT 1 FROM visits w WHERE w.patient = v.patient AND w.day > v.day "
    "AND w.day <= v.day + INTERVAL 30 DAY"
)
NEXT = "LEAD(day) OVER (PARTITION BY patient ORDER BY day)"
SOON = "WHERE next <= day + INTERVAL 30 DAY"


def vault_of(epsilon=1000, delta=0):
    return tacit.protect(
        {"visits": ROWS},
        unit="patient",
        contributions=3,
        columns={
            "visits": {"ward": ["A", "B"], "stay": (0, 60), "day": ("2024-01-01", "2024-12-31")}
        },
        public={"wards": WARDS},
        epsilon=epsilon,
        delta=delta,
    )


@pytest.fixture(scope="module")
def vault():
    return vault_of()


@pytest.mark.parametrize(
    ("text", "said", "instead"),
    [
        (
            "SELECT patient, COUNT(*) FROM visits GROUP BY patient LIMIT 5",
            "SELECT n, COUNT(*) FROM (SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient) GROUP BY n",
            "SELECT n, COUNT(*) FROM (SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient) GROUP BY n",
        ),
        (
            f"SELECT COUNT(*) FROM visits v WHERE EXISTS ({AGAIN})",
            f"FROM (SELECT *, {NEXT.replace('patient', 'unit')} AS next FROM t) {SOON}; or",
            f"SELECT COUNT(*) FROM (SELECT *, {NEXT} AS next FROM visits) {SOON}",
        ),
        (
            "SELECT table_name FROM information_schema.tables",
            "SHOW TABLES lists them",
            "SHOW TABLES",
        ),
        (
            "SELECT COUNT(*) FROM other.visits",
            "remove the part before the dot",
            "SELECT COUNT(*) FROM visits",
        ),
        (
            "SELECT MEDAIN(stay) FROM visits",
            "did you mean MEDIAN?",
            "SELECT MEDIAN(stay) FROM visits",
        ),
        (
            "SELECT STDEV_SAMP(stay) FROM visits",
            "did you mean STDDEV_SAMP?",
            "SELECT STDDEV_SAMP(stay) FROM visits",
        ),
        ("SELECT COUNT(*) FROM wards", "DESCRIBE wards lists columns and values", "DESCRIBE wards"),
        ("SELECT beds FROM wards WHERE ward = 'A'", "wards is not protected", "DESCRIBE wards"),
    ],
)
def test_what_a_refusal_names_is_answered(vault, text, said, instead):
    with pytest.raises(InvalidPlan) as refusal:
        vault.sql(text, epsilon=1)
    assert said in refusal.value.remedy
    assert vault.sql(instead, epsilon=1).rows


def test_no_refusal_names_a_file_of_the_repository(vault):
    with pytest.raises(InvalidPlan) as refusal:
        vault.sql("SELECT FROBNICATE(stay) FROM visits", epsilon=1)
    assert "docs/" not in str(refusal.value)
    assert "did you mean" not in str(refusal.value)


@pytest.mark.parametrize("delta", [0, 1e-6])
@pytest.mark.parametrize("columns", ["COUNT(*) AS n", "COUNT(*) AS n, SUM(stay) AS s"])
def test_an_error_that_costs_too_much_names_one_that_fits(columns, delta):
    vault = vault_of(epsilon=1, delta=delta)
    with pytest.raises(LimitExceeded) as refusal:
        vault.sql(f"SELECT {columns} FROM visits", within=0.5)
    within = refusal.value.within
    assert f"within = {within:g} or epsilon = 1" in str(refusal.value)
    assert vault.budget.spent == 0
    assert vault.sql(f"SELECT {columns} FROM visits", within=within).rows
    assert 0.8 < vault.budget.spent <= 1


def test_quoted_text_is_cut_between_words(vault):
    text = "SELECT COUNT(*) AS number FROM visits WHERE ward = 'A' AND stay < 10 AND staying > 3"
    text += " AND ward = 'A' AND stay < 100"
    with pytest.raises(InvalidPlan) as refusal:
        vault.sql(text, epsilon=1)
    _, line, carets, *_ = str(refusal.value).splitlines()
    assert line.startswith("  … ")
    words = line.strip("… ")
    assert set(words.split()) <= set(text.split())
    assert line[carets.index("^") : carets.rindex("^") + 1] == "staying"
