"""Answers joined with public tables: what they mean, that they cost nothing more, and what to write instead."""

import pytest

import tacit
from tacit.errors import InvalidPlan

WARDS = [
    {"ward": "A", "beds": 10, "floor": 1, "half": 0.5},
    {"ward": "B", "beds": 4, "floor": 1, "half": 1.5},
    {"ward": "Z", "beds": 7, "floor": 2, "half": None},
    {"ward": None, "beds": 1, "floor": 3, "half": 2.5},
]
MANY = [{"ward": "A", "kind": 1}, {"ward": "A", "kind": 2}, {"ward": "B", "kind": 1}]
COUNTS = "(SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) c"
FIRST = "(SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY n DESC LIMIT 1) c"
SUMS = "(SELECT ward, SUM(cost) AS m FROM visits GROUP BY 1) d"
KINDS = (
    "(SELECT v.ward, kind, COUNT(*) AS n FROM visits v JOIN many m ON m.ward = v.ward "
    "GROUP BY v.ward, kind) c"
)
TWICE = "JOIN wards w ON w.ward = c.ward JOIN wards x ON x.ward = d.ward"
EPSILON = 10**4


@pytest.fixture
def vault():
    rows = [{"patient": n, "ward": "AAB"[n % 3], "cost": n % 5} for n in range(60)]
    return tacit.protect(
        {"visits": rows},
        unit="patient",
        contributions=2,
        columns={"visits": {"ward": ["A", "B", "C"], "cost": (0, 5)}},
        public={"wards": WARDS, "many": MANY, "large": [{"ward": f"W{n}"} for n in range(501)]},
        epsilon=10**5,
    )


def rows_of(vault, text):
    answer = vault.sql(text, epsilon=EPSILON)
    ends = {f"{name}{end}" for name in answer.measured for end in ("_low", "_high")}
    places = [place for place, name in enumerate(answer.columns) if name not in ends]
    return [tuple(row[place] for place in places) for row in answer.rows]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (
            f"SELECT c.ward, beds, n FROM {COUNTS} JOIN wards USING (ward)",
            [("A", 10, 40), ("B", 4, 20)],
        ),
        (
            f"SELECT c.ward, c.n / w.beds AS r FROM {COUNTS} JOIN wards w ON c.ward = w.ward",
            [("A", 4), ("B", 5)],
        ),
        (
            f"SELECT c.ward, w.beds FROM {COUNTS} LEFT JOIN wards w ON w.ward = c.ward",
            [("A", 10), ("B", 4), ("C", None)],
        ),
        (
            f"SELECT c.ward, w.half FROM wards w RIGHT JOIN {COUNTS} USING (ward)",
            [("A", 0.5), ("B", 1.5), ("C", None)],
        ),
        (
            f"SELECT w.ward, w.floor, n FROM wards w JOIN {COUNTS} ON c.ward = w.ward",
            [("A", 1, 40), ("B", 1, 20)],
        ),
        (
            f"SELECT w.floor, SUM(n) AS s FROM {COUNTS} JOIN wards w USING (ward) GROUP BY w.floor",
            [(1, 60)],
        ),
        (f"SELECT c.ward FROM {COUNTS} JOIN wards w USING (ward) WHERE w.beds > 5", [("A",)]),
        (
            f"SELECT c.ward, n FROM {COUNTS} JOIN wards w USING (ward) ORDER BY w.beds LIMIT 1",
            [("B", 20)],
        ),
        (
            f"SELECT c.ward, w.beds FROM {FIRST} LEFT JOIN wards w USING (ward)",
            [("A", 10)],
        ),
        (
            f"SELECT c.ward, m, w.beds, x.floor FROM {COUNTS} JOIN {SUMS} USING (ward) {TWICE}",
            [("A", 80, 10, 1), ("B", 40, 4, 1)],
        ),
        (
            f"SELECT c.ward, c.kind, n FROM {KINDS} JOIN many m ON c.ward = m.ward AND m.kind = c.kind",
            [("A", 1, 40), ("A", 2, 40), ("B", 1, 20)],
        ),
        (
            f"SELECT c.ward, n FROM {COUNTS} JOIN wards w ON c.ward = w.ward AND w.beds = 2 * 5",
            [("A", 40)],
        ),
        (
            f"SELECT SUM(n / w.beds) AS s FROM {COUNTS} JOIN wards w ON c.ward = w.ward",
            [(9,)],
        ),
    ],
)
def test_a_group_meets_its_row(vault, text, rows):
    found = rows_of(vault, text)
    assert len(found) == len(rows)
    for one, two in zip(found, rows, strict=True):
        assert [
            each if isinstance(each, str | None) else pytest.approx(each, abs=0.1) for each in two
        ] == list(one)


def test_it_is_the_question_inside(vault):
    """It is free once the groups are known, and the other way round."""
    vault.sql(f"SELECT c.ward, n / beds AS r FROM {COUNTS} JOIN wards USING (ward)", epsilon=1)
    spent = vault.budget.spent
    assert vault.sql("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward", epsilon=1).price.free
    assert vault.sql(
        f"SELECT c.ward, n, w.floor FROM {COUNTS} LEFT JOIN wards w USING (ward)", epsilon=1
    ).price.free
    assert vault.budget.spent == spent


@pytest.mark.parametrize(
    ("text", "reason", "instead"),
    [
        (
            f"SELECT c.ward, w.beds FROM {COUNTS} RIGHT JOIN wards w ON c.ward = w.ward",
            "would keep rows of the public table that meet no group",
            f"SELECT c.ward, w.beds FROM {COUNTS} LEFT JOIN wards w ON c.ward = w.ward",
        ),
        (
            f"SELECT c.ward, w.beds FROM {COUNTS}, wards w WHERE c.ward = w.ward",
            "no condition connects this answer with the public table",
            f"SELECT c.ward, w.beds FROM {COUNTS} JOIN wards w ON c.ward = w.ward",
        ),
        (
            f"SELECT c.ward, w.beds FROM {COUNTS} JOIN wards w ON c.n = w.beds",
            "this is a noisy number",
            f"SELECT c.ward, w.beds FROM {COUNTS} JOIN wards w ON c.ward = w.ward WHERE c.n = w.beds",
        ),
        (
            f"SELECT c.ward, w.beds FROM {COUNTS} JOIN wards w ON c.ward = w.ward AND w.floor < 2",
            "on equalities of its keys with columns of the table",
            f"SELECT c.ward, w.beds FROM {COUNTS} JOIN wards w ON c.ward = w.ward WHERE w.floor < 2",
        ),
        (
            f"SELECT c.ward, w.beds FROM {COUNTS} JOIN wards w ON c.ward = w.beds",
            "of another type than the key",
            f"SELECT c.ward, w.beds FROM {COUNTS} JOIN wards w ON CAST(c.ward AS BIGINT) = w.beds",
        ),
        (
            f"SELECT c.ward, m.kind FROM {COUNTS} JOIN many m ON c.ward = m.ward",
            "several rows of 'many' have the same ward",
            "SELECT v.ward, m.kind, COUNT(*) AS n FROM visits v JOIN many m ON v.ward = m.ward GROUP BY v.ward, m.kind",
        ),
        (
            f"SELECT c.ward FROM {COUNTS} JOIN large ON c.ward = large.ward",
            "public tables of at most 500 rows",
            "SELECT large.ward, COUNT(*) AS n FROM visits v JOIN large ON v.ward = large.ward GROUP BY large.ward",
        ),
        (
            f"SELECT c.ward, w.beds FROM {FIRST} JOIN wards w USING (ward)",
            "may leave out groups after LIMIT",
            f"SELECT c.ward, w.beds FROM {FIRST} LEFT JOIN wards w USING (ward)",
        ),
        (
            f"SELECT c.ward, w.bed FROM {COUNTS} JOIN wards w ON c.ward = w.words",
            "has no column 'words'",
            f"SELECT c.ward, w.beds FROM {COUNTS} JOIN wards w ON c.ward = w.ward",
        ),
        (
            f"SELECT c.ward, w.beds FROM {COUNTS} JOIN wards c ON c.ward = c.ward",
            "two tables have the name 'c'",
            f"SELECT c.ward, other.beds FROM {COUNTS} JOIN wards AS other ON c.ward = other.ward",
        ),
    ],
)
def test_what_is_refused_has_a_remedy_that_works(vault, text, reason, instead):
    with pytest.raises(InvalidPlan, match=reason):
        vault.explain(text, epsilon=1)
    assert vault.sql(instead, epsilon=1) is not None
