"""What the README shows is what its commands print, but for the noise; and it is true."""

import re

import duckdb
import pytest

from docs.outputs import NAMES, PACKAGE, README, printed, shape, shown
from tacit.curator import Limit, Shared
from tacit.curator.shipped_real_data import FOLDER, example
from tacit.plan import Column, Kind, Table, canonical, read_sql
from tacit.stability import weights_for

EVENTS = ("nafld", "diabetes", "htn", "stroke", "heart failure")
ROW = re.compile(r"(?m)^  ([a-z ]+?) +([\d,]+)  \[([\d,]+), ([\d,]+)\]$")


@pytest.mark.parametrize("name", NAMES)
def test_the_readme_shows_what_is_really_printed(name: str) -> None:
    assert shape(printed(name)) == shape(shown(name))


def test_the_first_example_fits_a_screen_and_one_command() -> None:
    lines = shown("code", "python").splitlines()
    assert len(lines) <= 15
    assert max(map(len, lines)) <= 84
    assert shown("command", "sh").replace("\\\n", "").count("\n") == 1


def test_make_demo_is_what_the_readme_shows() -> None:
    makefile = (README.parent / "Makefile").read_text(encoding="utf-8")
    assert "$(VENV)/bin/tacit demo out/demo" in makefile
    assert (
        "rm -rf out/demo" not in makefile
    )  # what was asked of it is not lost when it is typed again
    assert ".venv/bin/tacit sql out/demo/clinic" in shown("demo")


def test_shapes_tell_texts_apart() -> None:
    assert shape("n  12 [3, 4]") == shape("n 9,999.5  [-1e+03, 2]")
    assert shape("n  12 [3, 4]") != shape("m  12 [3, 4]")
    assert shape("a 1") != shape("a 1\nb 2")


def exact_answers():
    """What only the curator could compute: here the data are public."""
    found = duckdb.sql(
        f"SELECT event, count(DISTINCT patient) FROM '{example('events')}' GROUP BY event"
    ).fetchall()
    return {event: count for event, count in found if event in EVENTS}


@pytest.mark.parametrize(
    ("page", "name"), [(README, "first"), (README, "shell"), (PACKAGE, "first")]
)
def test_the_intervals_that_are_shown_hold_the_exact_answers(page, name) -> None:
    rows = ROW.findall(shown(name, page=page))
    assert [row[0] for row in rows] == list(EVENTS)
    for event, value, low, high in rows:
        least, most = int(low.replace(",", "")), int(high.replace(",", ""))
        assert least <= int(value.replace(",", "")) <= most
        assert least <= exact_answers()[event] <= most, event


@pytest.mark.parametrize("page", [README, PACKAGE])
def test_the_exact_answers_stand_beside_them(page) -> None:
    *most, last = (f"{exact_answers()[event]:,}" for event in EVENTS)
    assert f"are {', '.join(most)} and {last}" in " ".join(page.read_text(encoding="utf-8").split())


def test_no_patient_is_cut_short_in_the_first_example():
    code = shown("code", "python")
    contributions = int(re.search(r"contributions=(\d+)", code)[1])
    assert all(repr(event).replace("'", '"') in code for event in EVENTS)
    table = Table("events", (Column("event", Kind.TEXT, values=EVENTS),), unit="patient")
    text = re.search(r'sql\(\s*"(.*?)"', code)[1]
    question = canonical(read_sql(text, {"events": table})).question
    weights = weights_for(
        question, Shared(table, contributions).contributions, Limit(2, 1e-6).weighing
    )
    assert weights.units_squared >= len(EVENTS)  # whoever has all of them counts once in each
    assert contributions**2 >= len(EVENTS) > (contributions - 1) ** 2


def test_no_patient_of_the_demo_is_cut_short_and_no_value_moved():
    from tacit.cli.demo import _POLICY

    contributions = int(re.search(r"contributions = (\d+) +# a patient with", _POLICY)[1])
    counts = f"SELECT patient, test, count(*) AS n FROM '{example('labs')}' WHERE test IN ('hdl', 'fib4') GROUP BY ALL"
    ((largest,),) = duckdb.sql(
        f"SELECT max(s) FROM (SELECT sqrt(sum(n * n)) AS s FROM ({counts}) GROUP BY patient)"
    ).fetchall()
    assert 'values = ["hdl", "fib4"]' in _POLICY
    assert largest <= contributions
    beyond = [
        f"SELECT count(*) FROM '{example('labs')}' WHERE test IN ('hdl', 'fib4') AND value NOT BETWEEN 0 AND 250",
        f"SELECT count(*) FROM '{example('patients')}' WHERE bmi NOT BETWEEN 5 AND 90 OR age NOT BETWEEN 18 AND 100",
    ]
    assert [duckdb.sql(query).fetchall() for query in beyond] == [[(0,)], [(0,)]]


def test_the_page_of_the_package_stands_alone() -> None:
    page = PACKAGE.read_text(encoding="utf-8")
    assert not re.search(r"\]\(", page), (
        "there is no public address to link to, and what is relative breaks"
    )
    for name, kind in (("code", "python"), ("first", "")):
        assert shown(name, kind, PACKAGE) == shown(name, kind)


def test_the_clinics_data_come_with_their_licence() -> None:
    assert "Lesser General Public License" in (FOLDER / "NOTICE.md").read_text()
    assert "GNU LIBRARY GENERAL PUBLIC LICENSE" in (FOLDER / "LGPL-2.0.txt").read_text()
    assert "NOTICE.md" in README.read_text()
