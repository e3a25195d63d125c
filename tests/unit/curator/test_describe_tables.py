"""What may be asked is told by the policy alone, in Python, in SQL, and in words."""

from fractions import Fraction

import pytest

import tacit
from tacit.curator import Limit, Listing, Policy, Shared, Vault
from tacit.engines import Memory
from tacit.errors import InvalidInput
from tacit.ledger import MemoryLedger
from tacit.plan import Column, Kind, Table

LONG = tuple(f"diagnosis {n}" for n in range(40))
VISITS = Table(
    "Visits",
    (
        Column("ward", Kind.TEXT, values=("A", "B"), other=True),
        Column("code", Kind.TEXT, values=LONG),
        Column("note", Kind.TEXT),
        Column("cost", Kind.NUMBER, 0, Fraction(11, 2), nullable=False),
        Column("age", Kind.INTEGER),
        Column("size", Kind.INTEGER, 1, 2, values=(1, 2), null_group=True),
    ),
    unit="patient",
)
FLOORS = Table("floors", (Column("ward", Kind.TEXT, values=("A", "B")),), public=True)


class Untouched(Memory):
    """An engine that nobody may ask."""

    def evaluate(self, *_):
        raise AssertionError("rows were read")

    dry_run = gather = evaluate


def vault(delta=0, contributions=5, analysts=None):
    limit = Limit(3, delta)
    tables = {"Visits": Shared(VISITS, contributions), "floors": Shared(FLOORS, 1)}
    own = {name: Limit(epsilon, delta) for name, epsilon in (analysts or {}).items()}
    policy = Policy(limit, tables, "patient", own)
    engine = Untouched({VISITS: [], FLOORS: []})
    return Vault(policy, dict.fromkeys(tables, engine), MemoryLedger(limit.filter()))


def test_the_names_of_the_tables():
    assert vault().tables == ("Visits", "floors")


def test_every_column_with_what_is_declared_and_what_it_is_good_for():
    found = vault().describe("Visits")
    assert found.columns == ("column", "type", "declared", "use")
    assert found.rows == (
        ("patient", "unit", "who is protected", "COUNT(DISTINCT …), joins"),
        ("ward", "text", "A, B; others in a group of their own", "GROUP BY, WHERE"),
        ("code", "text", "diagnosis 0, diagnosis 1, … (40 values)", "GROUP BY, WHERE"),
        ("note", "text", "", "GROUP BY (keys are discovered)"),
        ("cost", "number", "0 to 5.5; rows without it are left out", "SUM, AVG, MEDIAN, WHERE"),
        (
            "age",
            "integer",
            "",
            "WHERE, GROUP BY (keys are discovered); SUM and AVG need low and high",
        ),
        ("size", "integer", "1, 2; NULL is a group", "GROUP BY, WHERE, SUM, AVG"),
    )
    assert "Visits protects all rows of one patient" in str(found)
    assert "no row was read" in str(found)


def test_undeclared_keys_are_discovered_without_a_delta_and_with_one():
    assert vault().describe("Visits").rows[3][3] == "GROUP BY (keys are discovered)"
    assert vault(1e-6).describe("Visits").rows[3][3] == "GROUP BY (keys are discovered)"


def test_all_tables_at_once():
    found = vault().describe()
    assert found.columns[0] == "table"
    assert found["table"] == ["Visits"] * 7 + ["floors"]


@pytest.mark.parametrize(
    "text",
    [
        "SHOW TABLES",
        "show all tables;",
        " DESCRIBE ",
    ],
)
def test_tables_are_listed_in_sql(text):
    found = vault().sql(text)
    assert isinstance(found, Listing)
    assert found.rows == (
        ("Visits", "all rows of one patient", 5, 6),
        ("floors", "nobody (public)", "—", 1),
    )


@pytest.mark.parametrize(
    "text",
    [
        "DESCRIBE Visits",
        "describe visits;",
        "DESC TABLE Visits",
        'SUMMARIZE "Visits"',
        "SHOW COLUMNS FROM `Visits`",
    ],
)
def test_columns_are_listed_in_sql(text):
    assert vault().sql(text).rows == vault().describe("Visits").rows


def test_a_table_that_is_not_there_is_named():
    for ask in (lambda: vault().sql("DESCRIBE stays"), lambda: vault().describe("stays")):
        with pytest.raises(
            InvalidInput, match="table cannot be 'stays'; name one of: Visits, floors"
        ):
            ask()


def test_other_statements_are_not_listings():
    for text in ("DESCRIBE SELECT 1", "SHOW GRANTS", "SUMMARIZE a b", "SHOWTABLES"):
        with pytest.raises(tacit.errors.TacitError):
            vault().sql(text, epsilon=1)


def test_nothing_is_looked_at():
    """The engine raises if it is asked, and nothing is charged."""
    asked = vault(contributions=None)
    assert asked.sql("SHOW TABLES").rows[0][2] == "to be found"
    asked.describe()
    assert str(asked.policy)
    assert asked.budget.spent == 0
    assert list(asked.ledger.entries()) == []


def test_a_listing_has_no_price_and_can_be_handed_on():
    found = vault().describe("floors")
    assert found.price.free
    assert found.price.share == 0
    assert "cost" not in str(found)
    assert found.to_dict()["column"] == ["ward"]
    assert found.to_csv().startswith("column,type,declared,use\r\n")
    assert found._repr_html_().startswith("<table>")


def test_facts_that_were_found_are_described():
    rows = [{"patient": n, "cost": n % 50} for n in range(4000)]
    clinic = tacit.protect(
        rows, unit="patient", contributions=1, columns={"cost": tacit_number()}, epsilon=50
    )
    assert clinic.describe("data").rows[1][2] == ""
    found = clinic.find_bounds("data.cost", epsilon=10)
    low, high = (f"{float(end):g}" for end in (found.low, found.high))
    assert clinic.describe("data").rows[1][2] == f"{low} to {high}"


def tacit_number():
    """How a number without bounds is declared."""
    return {"type": "number"}


def test_a_policy_is_told_in_words():
    told = repr(vault(analysts={"alice": 1}).policy)
    assert told.splitlines()[:4] == [
        "limit: epsilon 3, delta 0, neighbours by add-or-remove",
        "alice may spend epsilon 1 of it",
        "Visits: all rows of one patient, 5 rows count in full",
        "  patient  unit     who is protected",
    ]
    assert "floors: nobody (public)" in told


def test_everything_shows_itself_in_a_notebook():
    asked = vault()
    text = "SELECT COUNT(*) AS n FROM Visits WHERE age < 3"
    shown = (asked.policy, asked.budget, asked.explain(text, epsilon=1))
    for each in shown:
        assert each._repr_html_() == f"<pre>{str(each).replace('<', '&lt;')}</pre>"
        assert repr(each) == str(each)
    assert repr(asked) == "<vault of Visits, floors: unit 'patient', 0.0% of the limit is spent>"


def test_terminal_codes_in_declared_values_are_harmless():
    table = Table("t", (Column("k", Kind.TEXT, values=("\x1b[2J", "<b>")),))
    policy = Policy(Limit(1), {"t": Shared(table, 1)}, "row")
    asked = Vault(policy, {"t": Memory({table: []})}, MemoryLedger(Limit(1).filter()))
    assert "\x1b" not in str(asked.describe()) + str(asked.policy)
    assert "<b>" not in asked.describe()._repr_html_() + asked.policy._repr_html_()


def test_a_boolean_is_grouped_and_summed_and_other_columns_say_what_they_lack():
    columns = (Column("died", Kind.BOOLEAN), Column("day", Kind.DATE))
    table = Table("stays", columns, unit="patient")
    limit = Limit(3)
    policy = Policy(limit, {"stays": Shared(table, 1)}, "patient")
    engine = Untouched({table: []})
    opened = Vault(policy, {"stays": engine}, MemoryLedger(limit.filter()))
    assert [row[3] for row in opened.describe("stays").rows[1:]] == [
        "GROUP BY, SUM, AVG, WHERE",
        "WHERE, GROUP BY (keys are discovered); MEDIAN, MIN and MAX need low and high",
    ]
