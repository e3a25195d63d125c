"""What an answer leaves out or holds back is said, by the policy and the question alone."""

import json
from datetime import date

import pytest

from tacit.curator import LeftOut, Limit, Policy, Shared, Vault, open_vault, protect
from tacit.engines import Memory
from tacit.ledger import MemoryLedger
from tacit.plan import Column, Kind, Table
from tests.together import together

COLUMNS = (
    Column("ward", Kind.TEXT, values=("A", "B")),
    Column("kind", Kind.TEXT, values=("x", "y"), other=True),
    Column("site", Kind.TEXT, values=("s", "t"), null_group=True),
    Column("sure", Kind.BOOLEAN, nullable=False),
    Column("note", Kind.TEXT),
    Column("cost", Kind.NUMBER, 0, 5000),
    Column("age", Kind.INTEGER, 0, 120),
    Column("day", Kind.DATE, date(2025, 1, 1), date(2025, 12, 31)),
    Column("least", Kind.INTEGER, low=0),
)
VISITS = Table("visits", COLUMNS, unit="person")
STAYS = Table("stays", (Column("nights", Kind.INTEGER, 0, 9),), unit="person")
WARDS = Table(
    "wards",
    (Column("name", Kind.TEXT), Column("beds", Kind.INTEGER, 0, 99)),
    public=True,
    unique=("name",),
)
LONE = Table("lone", (Column("cost", Kind.NUMBER, 0, 10, nullable=False),))
SAME = "rows with no patient are left out"
NEVER = "rows in which sure is NULL are left out"  # which is declared never to be
MANY = "a patient with more than 20 rows counts as 20"
EMPTY = (
    "empty groups are included in what is computed over groups; HAVING COUNT(*) > 0 in the query "
    "that groups removes those whose noisy count is 0"
)
OF_ONE = "OVER (PARTITION BY person ORDER BY day)"
SPREAD = "a patient with more than 20 rows may be scaled down"


def vault_of(delta=1e-6, **tables):
    shared = tables or {
        "visits": Shared(VISITS, 20),
        "stays": Shared(STAYS, 2),
        "wards": Shared(WARDS, None),
    }
    policy = Policy(Limit(3, delta), shared, unit="patient")
    engine = Memory({each.table: [] for each in shared.values()})
    return Vault(policy, dict.fromkeys(shared, engine), MemoryLedger(policy.limit.filter()))


def told(text, vault=None):
    return [str(each) for each in (vault or vault_of()).explain(text, epsilon=1).left_out]


@together
@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("SELECT COUNT(*) AS n FROM visits", [SAME, MANY]),
        ("SELECT COUNT(cost) AS n FROM visits WHERE age IS NULL", [SAME, MANY]),
        (
            "SELECT SUM(cost) AS n FROM visits",
            [SAME, MANY, "cost is clipped to the range 0 to 5000"],
        ),
        (
            "SELECT COUNT(*) AS n FROM visits WHERE day < DATE '2025-03-01'",
            [SAME, MANY, "day is clipped to the range 2025-01-01 to 2025-12-31"],
        ),
        (
            "SELECT COUNT(*) AS n FROM visits WHERE least > 3",
            [SAME, MANY, "least is clipped to at least 0"],
        ),
        ("SELECT COUNT(DISTINCT person) AS n FROM visits", [SAME]),
        (
            "SELECT COUNT(DISTINCT note) AS n FROM visits",
            [SAME, "a patient with more than 20 distinct values counts with 20 of them"],
        ),
        (
            "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward",
            [SAME, "rows whose ward is NULL or not declared are left out of every group", SPREAD],
        ),
        (
            "SELECT ward, COUNT(*) / SUM(COUNT(*)) OVER () AS n FROM visits GROUP BY ward",
            [
                SAME,
                "rows whose ward is NULL or not declared are left out of every group, and of totals over groups",
                SPREAD,
            ],
        ),
        (
            "SELECT AVG(n) AS m FROM (SELECT kind, COUNT(*) AS n FROM visits GROUP BY kind)",
            [SAME, EMPTY, SPREAD],
        ),
        (
            "SELECT kind, MAX(COUNT(*)) OVER () AS m FROM visits GROUP BY kind",
            [SAME, SPREAD],
        ),
        ("SELECT kind, COUNT(*) AS n FROM visits GROUP BY kind", [SAME, SPREAD]),
        (
            "SELECT site, COUNT(*) AS n FROM visits GROUP BY site",
            [SAME, "rows whose site is not declared are left out of every group", SPREAD],
        ),
        ("SELECT sure, COUNT(*) AS n FROM visits GROUP BY sure", [SAME, SPREAD]),
        ("SELECT ward, COUNT(*) AS n FROM visits WHERE ward = 'A' GROUP BY ward", [SAME, MANY]),
        (
            "SELECT ward, COUNT(*) AS n FROM visits WHERE ward IS NOT NULL GROUP BY ward",
            [SAME, "rows whose ward is not declared are left out of every group", SPREAD],
        ),
        (
            "SELECT FLOOR(age / 10) AS a, COUNT(*) AS n FROM visits GROUP BY 1",
            [
                SAME,
                "rows whose FLOOR(age / 10) is NULL are left out of every group",
                SPREAD,
                "age is clipped to the range 0 to 120",
            ],
        ),
        (
            "SELECT COUNT(*) AS n FROM visits WHERE age < 200",
            [
                SAME,
                MANY,
                "age is clipped to the range 0 to 120",
                "age < 200 is true in every row, or NULL",
            ],
        ),
        (
            "SELECT COUNT(*) AS n FROM visits WHERE age > 120",
            [
                SAME,
                MANY,
                "age is clipped to the range 0 to 120",
                "age > 120 is false in every row, or NULL",
            ],
        ),
        (
            "SELECT COUNT(*) AS n FROM visits WHERE age BETWEEN 0 AND 120",
            [SAME, MANY, "age is clipped to the range 0 to 120"],
        ),
        (
            "SELECT COUNT(*) AS n FROM visits WHERE age IN (130, 140)",
            [
                SAME,
                MANY,
                "age is clipped to the range 0 to 120",
                "age IN (130, 140) is false in every row, or NULL",
            ],
        ),
        (
            "SELECT COUNT(*) AS n FROM visits AS v JOIN wards AS w ON v.ward = w.name",
            [SAME, "rows of visits without a matching row in wards are left out", MANY],
        ),
        (
            "SELECT COUNT(*) AS n FROM visits AS v LEFT JOIN wards AS w ON v.ward = w.name",
            [SAME, MANY],
        ),
        (
            "SELECT COUNT(*) AS n FROM visits AS v JOIN stays AS s ON v.person = s.person",
            [
                SAME,
                "rows of visits and stays without a match in the other table are left out",
                "a patient with more than 131,072 pairs of rows in a join (fewer if its texts are long) is left out",
                "a patient with more than 40 rows counts as 40",
            ],
        ),
        (
            "SELECT COUNT(*) AS n FROM visits AS a JOIN visits AS b ON a.person = b.person AND b.day > a.day",
            [
                SAME,
                "rows of visits without a match on the other side of the join are left out",
                "a patient with more than 131,072 pairs of rows in a join (fewer if its texts are long) is left out",
                "a patient with more than 400 rows counts as 400",
                "day is clipped to the range 2025-01-01 to 2025-12-31",
            ],
        ),
        (
            "SELECT COUNT(*) AS n FROM (SELECT person, SUM(age) s, MAX(cost) FROM visits GROUP BY person) WHERE s > 3",
            [
                SAME,
                "age is clipped to the range 0 to 120",
                "SUM(age) of one patient is clipped to the range 0 to 2400",
            ],
        ),
        (
            f"SELECT COUNT(*) AS n FROM (SELECT ROW_NUMBER() {OF_ONE} r, LAG(cost) {OF_ONE} FROM visits) WHERE r = 1",
            [SAME, MANY, "day is clipped to the range 2025-01-01 to 2025-12-31"],
        ),
        (
            "SELECT AVG(s) AS n FROM (SELECT person, SUM(age) AS s FROM visits GROUP BY person HAVING COUNT(*) > 2)",
            [
                SAME,
                "age is clipped to the range 0 to 120",
                "COUNT(*) of one patient is clipped to the range 1 to 20",
                "SUM(age) of one patient is clipped to the range 0 to 2400",
            ],
        ),
        (
            "SELECT note, COUNT(*) AS n FROM visits GROUP BY note",
            [
                SAME,
                "rows whose note is NULL are left out of every group",
                SPREAD,
                "a patient in more than 20 groups by note counts in 20 of them",
            ],
        ),
    ],
)
def test_only_what_can_apply_is_said(text, sentences):
    assert sorted(told(text)) == sorted([*sentences, NEVER])


def test_where_rows_are_units_nothing_is_said_of_units():
    vault = vault_of(lone=Shared(LONE, None))
    never = "rows in which cost is NULL are left out"
    assert told("SELECT SUM(cost) AS n FROM lone", vault) == [
        never,
        "cost is clipped to the range 0 to 10",
    ]
    assert told("SELECT COUNT(*) AS n FROM lone", vault) == [never]


def test_without_a_delta_many_rows_count_for_no_more_in_all_groups():
    text = "SELECT ward, COUNT(*) AS n, COUNT(DISTINCT person) AS u FROM visits GROUP BY ward"
    assert MANY in told(text, vault_of(delta=0))


def test_a_unit_in_many_groups_counts_for_less_in_each():
    vault = vault_of(delta=0, visits=Shared(VISITS, 2))
    sentence = "a patient in more than 2 groups counts for less in each"
    assert sentence in told(
        "SELECT age, COUNT(DISTINCT person) AS u FROM visits GROUP BY age", vault
    )


def test_where_keys_are_found_a_unit_is_in_no_more_groups_than_it_keeps():
    said = told("SELECT note, COUNT(DISTINCT person) AS u FROM visits GROUP BY note")
    assert "a patient in more than 20 groups by note counts in 20 of them" in said
    assert not any("counts for less in each" in each for each in said)


def test_the_caption_and_the_receipt_say_it_too():
    vault = vault_of()
    text = "SELECT ward, SUM(cost) AS s FROM visits GROUP BY ward"
    answer, explained = vault.sql(text, epsilon=1), vault.explain(text, epsilon=1)
    assert answer.left_out == explained.left_out
    assert (
        LeftOut("bounds", "visits.cost", "cost is clipped to the range 0 to 5000")
        in answer.left_out
    )
    assert answer.receipt["left out"] == [str(each) for each in answer.left_out]
    for each in answer.left_out:
        assert f"\n{each}" in str(answer)
        assert str(each) in answer._repr_html_()
        assert f"\n  {each}\n" in str(explained)
    assert vault.check_receipt(json.loads(json.dumps(dict(answer.receipt)))) == []


def test_the_caption_says_that_intervals_do_not_cover_what_is_left_out():
    """The noise alone is within them, and what follows the line is not."""
    vault = vault_of()
    lines = (
        vault.sql("SELECT COUNT(*) AS n FROM visits WHERE cost > 3", epsilon=1)
        .caption()
        .splitlines()
    )
    assert lines[0].startswith("intervals cover the noise with 95% probability; cost: ")
    assert lines[1] == "left out or clipped, which intervals do not cover:"
    assert lines[2:] == [SAME, NEVER, MANY, "cost is clipped to the range 0 to 5000"]


def test_what_is_told_for_nothing_says_it_for_what_was_asked():
    vault = vault_of()
    both = vault.sql("SELECT SUM(cost) AS s, COUNT(cost) AS n FROM visits", epsilon=1)
    again = vault.sql("SELECT COUNT(cost) AS n FROM visits", epsilon=0.5)
    assert again.price.free
    assert "cost is clipped to the range 0 to 5000" in map(str, both.left_out)
    assert [str(each) for each in again.left_out] == [SAME, NEVER, MANY]


def test_nothing_in_a_caption_moves_a_cursor():
    column = Column("co\x1bst", Kind.NUMBER, 0, 5)
    vault = vault_of(visits=Shared(Table("visits", (column,), unit="person"), 20))
    answer = vault.sql('SELECT SUM("co\x1bst") AS s FROM visits', epsilon=1)
    assert "co·st is clipped to the range 0 to 5" in str(answer)
    assert "\x1b" not in str(answer)


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_cells_of_text_files_that_are_not_of_their_type_are_said_to_be_null(tmp_path, suffix):
    rows = {
        "csv": "person,ward,cost,day\n1,A,3,2025-01-02\n2,B,x,y\n",
        "jsonl": '{"person": 1, "ward": "A", "cost": 3, "day": "2025-01-02"}\n',
    }
    file = tmp_path / f"visits.{suffix}"
    file.write_text(rows[suffix])
    columns = {"ward": ["A", "B"], "cost": (0, 9), "day": {"type": "date"}}
    kept = {"unit": "person", "contributions": 1, "columns": columns, "epsilon": 9}
    vault = protect(file, **kept)
    unread = "a cell of {} that cannot be read as its declared type counts as NULL"
    text = "SELECT ward, SUM(cost) AS total FROM visits GROUP BY ward"
    assert unread.format("cost") in told(text, vault)
    both = "SELECT SUM(cost) AS total FROM visits WHERE day > DATE '2025-01-01'"
    assert unread.format("cost or day") in told(both, vault)
    texts = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"
    assert not any("declared type" in each for each in told(texts, vault))
    answer = vault.sql(text, epsilon=1)
    assert unread.format("cost") in str(answer)
    assert unread.format("cost") in json.dumps(answer.receipt)
    listed = protect([{"person": 1, "ward": "A", "cost": 3, "day": None}], name="visits", **kept)
    assert not any("declared type" in each for each in told(text, listed))


def test_an_opened_vault_knows_which_of_its_tables_are_text_files(tmp_path):
    (tmp_path / "visits.csv").write_text("person,ward,cost\n1,A,3\n")
    (tmp_path / "tacit.toml").write_text(
        '[limit]\nepsilon = 3\ndelta = 0\n[tables.visits]\nsource = "visits.csv"\nunit = "person"\n'
        'contributions = 2\n[tables.visits.columns]\ncost = { type = "number", low = 0, high = 9 }\n'
    )
    with open_vault(tmp_path) as vault:
        said = told("SELECT SUM(cost) AS total FROM visits", vault)
    assert "a cell of cost that cannot be read as its declared type counts as NULL" in said


GROUPS = "SELECT kind, COUNT(*) AS n FROM visits GROUP BY kind"
AGAINST_GROUPS = {
    "the same": f"WITH g AS ({GROUPS}) SELECT kind, n FROM g WHERE n > (SELECT AVG(n) FROM g)",
    "others": f"{GROUPS} HAVING COUNT(*) > (SELECT AVG(n) FROM ({GROUPS}) g)",
    "rows": f"SELECT COUNT(*) AS n FROM visits WHERE cost > (SELECT AVG(n) FROM ({GROUPS}) g)",
    "beside": f"SELECT kind, n, m FROM ({GROUPS}) d CROSS JOIN (SELECT MIN(n) AS m FROM ({GROUPS}) g) s",
}


@pytest.mark.parametrize("text", AGAINST_GROUPS.values(), ids=AGAINST_GROUPS)
def test_where_a_subquery_counts_empty_groups_it_is_said_and_how_to_leave_them_out(text):
    rows = [{"patient": i, "kind": "ab"[i % 2], "cost": i % 9} for i in range(400)]
    policy = {"unit": "patient", "contributions": 1, "name": "visits", "epsilon": 99, "delta": 0}

    def tell_empty(text):
        vault = protect(rows, columns={"kind": ["a", "b", "c"], "cost": (0, 9)}, **policy)
        left_out = vault.sql(text, epsilon=90).left_out
        return [each.sentence for each in left_out if each.kind == "empty"]

    assert tell_empty(text) == [EMPTY]
    place = text.rindex(GROUPS) + len(GROUPS)
    assert tell_empty(f"{text[:place]} HAVING COUNT(*) > 0{text[place:]}") == []
