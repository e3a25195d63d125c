"""What is said about spellings that mean other things elsewhere: where they stand, and nowhere else."""

import pytest

from tacit.plan import spelling_remarks
from tests.together import together

DAYS, NUMBER, MONDAY = "DAYOFWEEK counts", "WEEK is the number", "weeks begin on Monday"
BASE, ANYWHERE, COMPLETE = "LOG(x) is to base 10", "REGEXP_LIKE looks", "TIMESTAMPDIFF counts"


@together
@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("EXTRACT(DAYOFWEEK FROM v.day)", [DAYS]),
        ("dayofweek(day) + DAYOFWEEK (seen)", [DAYS]),
        ("DATE_PART('dayofweek', day)", [DAYS]),
        ("LOG(1 + LOG(x))", [BASE]),
        ("EXTRACT(WEEK FROM day)", [NUMBER]),
        ("DATEPART(wk, day)", [NUMBER]),
        ("WEEK(v.day)", [NUMBER]),
        ("DATE_TRUNC(MAX(v.day), WEEK)", [MONDAY]),
        ("DATETRUNC(week, day)", [MONDAY]),
        ("REGEXP_LIKE(name, 'a')", [ANYWHERE]),
        ("TIMESTAMPDIFF(YEAR, a, b)", [COMPLETE]),
        ("LOG(x) + EXTRACT(DAYOFWEEK FROM `day`)", [BASE, DAYS]),
    ],
)
def test_a_spelling_that_means_another_thing_elsewhere_is_named(written, told):
    found = spelling_remarks(f"SELECT COUNT(*) FROM visits WHERE {written} > 1")
    assert len(found) == len(told)
    assert all(remark.startswith(begun) for remark, begun in zip(found, told, strict=True))


@together
@pytest.mark.parametrize(
    "written",
    [
        "EXTRACT(DOW FROM day)",
        "EXTRACT(ISODOW FROM day)",
        "EXTRACT(ISOWEEK FROM day)",
        "LOG(2, x) + LOG10(x) + LN(x)",
        "DATE_TRUNC('week', day)",
        "DATE_TRUNC(day, WEEK(SUNDAY))",
        "DATE_DIFF(seen, day, WEEK(MONDAY))",
        "WEEKOFYEAR(day)",
        "dayofweek",
        "log.x + week",
        '"LOG"(x)',
        "'LOG(x)' || name -- LOG(x)",
        "name = 'not closed",
        "LOG(",
        "LOG",
        "EXTRACT()",
    ],
)
def test_nothing_is_said_about_what_means_the_same_everywhere(written):
    assert spelling_remarks(f"SELECT COUNT(*) FROM visits WHERE {written}") == ()
