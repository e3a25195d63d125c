"""The header of a SELECT is read whole, and what it says is never dropped."""

from fractions import Fraction

import pytest

from tacit.errors import InvalidPlan
from tacit.plan import Column, Kind, Table, read_priced, read_sql

VISITS = {
    "visits": Table("visits", (Column("ward", Kind.TEXT, values=("A", "B")),), unit="patient")
}
PLAIN = "SELECT ward, COUNT(*) FROM visits GROUP BY ward"


def headed(options: str, text: str = PLAIN) -> str:
    return text.replace("SELECT", f"SELECT WITH DIFFERENTIAL_PRIVACY {options}", 1)


@pytest.mark.parametrize(
    ("options", "epsilon", "delta", "unit"),
    [
        ("", None, None, None),
        ("OPTIONS(epsilon = 0.5)", Fraction(1, 2), None, None),
        ("options (EPSILON=2, Delta = 1e-6)", Fraction(2), Fraction(1, 10**6), None),
        ("OPTIONS(epsilon = .25, privacy_unit_column = patient)", Fraction(1, 4), None, "patient"),
        ('OPTIONS(privacy_unit_column = visits."patient")', None, None, "patient"),
    ],
)
def test_a_header_is_read_and_the_plan_is_that_of_the_question_without_it(
    options, epsilon, delta, unit
):
    plan, header = read_priced(headed(options), VISITS)
    assert plan == read_sql(PLAIN, VISITS)
    assert (header.number("epsilon"), header.number("delta"), header.unit) == (epsilon, delta, unit)


def test_columns_keep_their_names_and_a_header_may_follow_what_with_names():
    text = "WITH w AS (SELECT ward FROM visits) SELECT WITH ANONYMIZATION OPTIONS(epsilon = 1) COUNT(*) FROM w"
    plan, header = read_priced(text, VISITS)
    assert [shown.name for shown in plan.view.columns] == ["COUNT(*)"]
    assert header.number("epsilon") == 1


REFUSED = {
    "OPTIONS(«max_groups_contributed = 3»)": "the option 'max_groups_contributed' is not supported",
    "OPTIONS(«epsilon_ = 3»)": "the option 'epsilon_' is not supported",
    "OPTIONS(epsilon = 1, «epsilon = 2»)": "epsilon is given twice",
    "OPTIONS(epsilon = «'1'»)": "epsilon is a number",
    "OPTIONS(epsilon = «-»1)": "epsilon is a number",
    "OPTIONS(epsilon «1»)": "an option needs a value",
    "OPTIONS(epsilon = 1 «delta» = 2)": "a comma or a parenthesis is missing before this",
    "OPTIONS(privacy_unit_column = «7»)": "privacy_unit_column is a column",
    "OPTIONS«()»": "the option ')' is not supported",
}


@pytest.mark.parametrize(("options", "reason"), REFUSED.items())
def test_what_is_not_understood_is_refused_with_its_text_underlined(options, reason):
    text = headed(options.replace("«", "").replace("»", ""))
    with pytest.raises(InvalidPlan) as refusal:
        read_priced(text, VISITS)
    assert refusal.value.reason == reason
    assert refusal.value.remedy
    if "()" not in options:
        assert (
            text[refusal.value.start : refusal.value.end]
            == options[options.index("«") + 1 : options.index("»")]
        )


@pytest.mark.parametrize(
    "text",
    [
        "SELECT COUNT(*) FROM (SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1) ward FROM visits)",
        headed("OPTIONS(epsilon = 1)", headed("OPTIONS(epsilon = 1)")),
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1",
        "SELECT WITH SOMETHING COUNT(*) FROM visits",
        "SELECT WITH",
    ],
)
def test_a_header_elsewhere_or_unfinished_is_refused(text):
    with pytest.raises(InvalidPlan):
        read_priced(text, VISITS)


def test_a_plan_has_no_price_so_that_none_is_dropped():
    with pytest.raises(InvalidPlan, match="a plan has no price"):
        read_sql(headed("OPTIONS(epsilon = 0.5)"), VISITS)
