"""Subqueries that rows are compared with: paid for once, released first, and constants from released numbers alone."""

# ruff: noqa: E501 -- a statement stands on one line

from datetime import date
from random import Random

import duckdb
import pandas as pd
import pytest

import tacit
from tacit.curator import ask_combined
from tacit.errors import EngineFailed, InvalidPlan
from tacit.plan import SubqueryValue, subqueries_in, walk_expression
from tacit.plan.model.walk_expressions import list_expressions
from tacit.privacy import Neighbours
from tests.laws.test_combined import answers_of, by_keys, every_delta, parts_of

COLUMNS = {
    "ward": ["A", "B", "C"],
    "sex": ["f", "m"],
    "cost": {"type": "integer", "low": 0, "high": 40},
    "weight": {"type": "number", "low": 0, "high": 100},
    "day": {"type": "date", "low": "2025-01-01", "high": "2025-12-31"},
}
ABOVE = "SELECT ward, COUNT(*) AS n FROM visits WHERE cost > (SELECT AVG(cost) FROM visits) GROUP BY ward"
STATEMENTS = {
    "above the mean": ABOVE,
    "a multiple": "SELECT COUNT(*) AS n FROM visits WHERE cost > 1.5 * (SELECT AVG(cost) FROM visits)",
    "two of the same rows": "SELECT COUNT(*) AS n FROM visits WHERE cost BETWEEN (SELECT AVG(cost) - STDDEV(cost) "
    "FROM visits) AND (SELECT AVG(cost) + STDDEV(cost) FROM visits)",
    "in a case": "SELECT sex, SUM(CASE WHEN cost > (SELECT AVG(cost) FROM visits WHERE sex = 'f') THEN cost ELSE 0 END) "
    "AS s FROM visits GROUP BY sex",
    "as a key": "SELECT weight > (SELECT AVG(weight) FROM visits) AS heavy, COUNT(*) AS n FROM visits GROUP BY heavy",
    "as a key by its place": "SELECT CASE WHEN cost > (SELECT AVG(cost) FROM visits) THEN 'above' ELSE 'below' END AS w, "
    "AVG(weight) AS m FROM visits GROUP BY 1",
    "in a filter": "SELECT ward, COUNT(*) FILTER (WHERE cost > (SELECT AVG(cost) FROM visits)) AS n FROM visits GROUP BY ward",
    "inside another": "SELECT COUNT(*) AS n FROM visits WHERE cost > (SELECT AVG(cost) FROM visits WHERE cost > "
    "(SELECT AVG(cost) FROM visits))",
    "shown, too": "SELECT COUNT(*) AS n, (SELECT AVG(cost) FROM visits) AS mean FROM visits "
    "WHERE cost > (SELECT AVG(cost) FROM visits)",
    "of released groups": "SELECT COUNT(*) AS n FROM visits WHERE cost > (SELECT MAX(m) FROM (SELECT sex, AVG(cost) AS m "
    "FROM visits GROUP BY sex))",
    "the largest group": "SELECT sex, COUNT(*) AS n FROM visits WHERE ward = (SELECT ward FROM visits GROUP BY ward "
    "ORDER BY COUNT(*) DESC LIMIT 1) GROUP BY sex",
    "in the largest groups": "SELECT sex, COUNT(*) AS n FROM visits WHERE ward IN (SELECT ward FROM visits GROUP BY ward "
    "ORDER BY COUNT(*) DESC LIMIT 2) GROUP BY sex",
    "not in the largest": "SELECT sex, COUNT(*) AS n FROM visits WHERE ward NOT IN (SELECT ward FROM visits GROUP BY ward "
    "ORDER BY COUNT(*) DESC LIMIT 1) GROUP BY sex",
    "in those of many rows": "SELECT COUNT(*) AS n FROM visits WHERE ward IN (SELECT ward FROM visits GROUP BY ward "
    "HAVING COUNT(*) > 60)",
    "by a name": "WITH top AS (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY n DESC LIMIT 2) "
    "SELECT sex, COUNT(*) AS n FROM visits WHERE ward IN (SELECT ward FROM top) GROUP BY sex",
    "in a common table": "WITH dear AS (SELECT * FROM visits WHERE cost > (SELECT AVG(cost) FROM visits)) "
    "SELECT ward, SUM(weight) AS s FROM dear GROUP BY ward",
    "of units": "SELECT COUNT(DISTINCT patient) AS n FROM visits WHERE patient IN (SELECT patient FROM visits "
    "WHERE cost > (SELECT AVG(cost) FROM visits))",
    "joined with the means of groups": "SELECT v.ward, COUNT(*) AS n FROM visits v JOIN (SELECT ward, AVG(cost) AS m FROM visits "
    "GROUP BY ward) a ON v.ward = a.ward WHERE v.cost > a.m GROUP BY v.ward",
    "joined from the other side": "WITH a AS (SELECT ward, sex, AVG(cost) AS m FROM visits GROUP BY ward, sex) "
    "SELECT a.sex, AVG(v.cost - a.m) AS d FROM a JOIN visits v ON a.ward = v.ward AND v.sex = a.sex GROUP BY a.sex",
    "joined by a name, inside": "WITH a AS (SELECT ward, AVG(weight) AS m FROM visits GROUP BY ward), b AS (SELECT sex, weight - m "
    "AS d, patient FROM visits JOIN a USING (ward)) SELECT sex, AVG(d) AS d FROM b GROUP BY sex",
    "beside one row": "SELECT CASE WHEN cost > s.m + 8 THEN 'high' WHEN cost < s.m - 5 THEN 'low' ELSE 'middle' END AS band, "
    "COUNT(*) AS n FROM visits, (SELECT AVG(cost) AS m FROM visits) s GROUP BY band",
    "joined with the largest groups": "SELECT t.ward, SUM(weight) AS s FROM visits v JOIN (SELECT ward FROM visits GROUP BY ward "
    "ORDER BY COUNT(*) DESC LIMIT 2) t ON v.ward = t.ward GROUP BY t.ward HAVING COUNT(*) > 10",
    "joined with groups of many rows": "SELECT sex, COUNT(*) AS n FROM visits v JOIN (SELECT ward, COUNT(*) AS k FROM visits "
    "GROUP BY ward HAVING COUNT(*) > 60) t ON v.ward = t.ward GROUP BY sex",
    "kept without a group": "SELECT sex, SUM(CASE WHEN t.k IS NULL THEN 1 ELSE 0 END) AS n FROM visits v LEFT JOIN (SELECT ward, "
    "COUNT(*) AS k FROM visits GROUP BY ward HAVING COUNT(*) > 60) t ON v.ward = t.ward GROUP BY sex",
    "joined with groups of groups": "SELECT COUNT(*) AS n FROM visits v JOIN (SELECT ward, MAX(m) AS m FROM (SELECT ward, sex, "
    "AVG(cost) AS m FROM visits GROUP BY ward, sex) GROUP BY ward) t ON v.ward = t.ward AND v.cost > t.m",
    "of the row's own group": "SELECT sex, COUNT(*) AS n FROM visits v WHERE cost > (SELECT AVG(cost) FROM visits w WHERE "
    "w.ward = v.ward AND w.weight > 11) GROUP BY sex",
    "of the row's own group of two": "SELECT COUNT(*) AS n FROM visits v WHERE cost > (SELECT AVG(w.cost) FROM visits w WHERE "
    "v.ward = w.ward AND w.sex = v.sex)",
    "the number of rows of its group": "SELECT COUNT(*) AS n FROM visits v WHERE (SELECT COUNT(*) FROM visits w WHERE "
    "w.ward = v.ward) > 60",
    "shown with its group": "SELECT v.ward, a.m, COUNT(*) AS n FROM visits v JOIN (SELECT ward, AVG(cost) AS m FROM visits "
    "GROUP BY ward) a ON v.ward = a.ward WHERE v.cost > a.m GROUP BY v.ward, a.m",
    "shown beside groups": "SELECT ward, AVG(weight) - s.m AS d FROM visits CROSS JOIN (SELECT AVG(weight) AS m FROM visits) s "
    "GROUP BY ward, s.m",
    "calculated with": "SELECT AVG(weight - (SELECT AVG(weight) FROM visits WHERE sex = 'f')) AS d FROM visits",
}
WARDS = "SELECT ward, COUNT(*) AS n, AVG(cost) AS m FROM visits GROUP BY ward"
OF_GROUPS = {
    "above the mean of other groups": "SELECT sex, COUNT(*) AS n FROM visits GROUP BY sex HAVING COUNT(*) > (SELECT AVG(n) FROM "
    f"({WARDS}) t)",
    "less than the largest": f"SELECT sex, COUNT(*) - (SELECT MAX(n) FROM ({WARDS}) t) AS d FROM visits GROUP BY sex",
    "beside a mean of groups": f"WITH d AS ({WARDS}), s AS (SELECT AVG(n) AS m, MAX(n) AS most FROM d) SELECT d.ward, d.n, "
    "d.n - s.m AS d, most FROM d CROSS JOIN s",
    "above a mean beside them": f"WITH d AS ({WARDS}), s AS (SELECT AVG(n) AS a FROM d) SELECT ward, n FROM s, d WHERE n > s.a",
    "the mean of those above one": f"SELECT SUM(n) AS n FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward "
    f"HAVING COUNT(*) > (SELECT AVG(n) FROM ({WARDS}) t)) u",
    "rows above a mean of groups above one": "SELECT COUNT(*) AS n FROM visits WHERE cost > (SELECT MIN(m) FROM (SELECT ward, "
    "AVG(cost) AS m FROM visits GROUP BY ward HAVING COUNT(*) > (SELECT AVG(n) / 2 FROM (SELECT sex, COUNT(*) AS n "
    "FROM visits WHERE weight > 11 GROUP BY sex) t)) u)",
    "the first group": "SELECT COUNT(*) AS n, (SELECT ward FROM visits GROUP BY ward ORDER BY COUNT(*) DESC LIMIT 1) AS w FROM visits",
}
OF_UNITS = {
    "of the row's own unit": "SELECT ward, COUNT(*) AS n FROM visits v WHERE cost > (SELECT AVG(cost) FROM visits w WHERE "
    "w.patient = v.patient) GROUP BY ward",
    "of its unit and its group": "SELECT COUNT(*) AS n FROM visits v WHERE weight = (SELECT MAX(weight) FROM visits w WHERE "
    "w.patient = v.patient AND w.ward = v.ward)",
    "a count of its unit": "SELECT sex, SUM((SELECT COUNT(*) FROM visits w WHERE w.patient = v.patient AND w.cost > 25)) AS s "
    "FROM visits v GROUP BY sex",
    "a count of its unit as a key": "SELECT (SELECT COUNT(*) FROM visits w WHERE w.patient = v.patient AND w.cost > 25) AS k, "
    "COUNT(*) AS n FROM visits v GROUP BY k",
}
FEW = (
    *("above the mean", "as a key", "inside another", "in the largest groups", "of units"),
    "joined with the means of groups",
)


def rows_of(dice, units=120):
    """Rows whose means lie far from every cell: 1 and 2 of A, 3 of B, less of C."""
    return [
        {
            "patient": unit,
            "ward": "AAABBC"[dice.randrange(6)],
            "sex": "fm"[dice.randrange(2)],
            "cost": dice.choice([2, 3, 4, 20, 21, 30, 31]),
            "weight": dice.choice([10.0, 12.5, 80.25, 81.0]),
            "day": date(2025, 1 + dice.randrange(12), 3),
        }
        for unit in range(units)
        for _ in range(2)
    ]


def vault_of(rows, *, epsilon=10, delta=1e-6, neighbours=Neighbours.ADD_OR_REMOVE):
    frame = pd.DataFrame(rows, columns=["patient", *COLUMNS])
    return tacit.protect(
        {"visits": frame},
        unit="patient",
        contributions=2,
        epsilon=epsilon,
        delta=delta,
        neighbours=neighbours,
        columns={"visits": COLUMNS},
    )


# ---------------------------------------------------------------- meaning


@pytest.fixture
def exact():
    rows = rows_of(Random("subqueries"))
    return pd.DataFrame(rows), vault_of(rows, epsilon=10**6, delta=0)


@pytest.mark.parametrize(
    "text", [*STATEMENTS.values(), *OF_UNITS.values()], ids=[*STATEMENTS, *OF_UNITS]
)
def test_rows_are_compared_as_sql_says(text, exact):
    """At a price that leaves noise of a hundredth at most; means are far from every cell: no row changes sides."""
    visits, vault = exact  # DuckDB reads the rows by their name
    answer = vault.sql(text, epsilon=10**6)
    found, keys = answers_of(answer)
    expected = duckdb.sql(text).fetchall()
    assert len(found) == len(expected)
    assert len(visits) == 240
    for one, two in zip(by_keys(found, keys), by_keys(expected, keys), strict=True):
        for cell, other in zip(one, two, strict=True):
            near = pytest.approx(float(other), abs=0.1) if isinstance(other, int | float) else other
            assert cell == near, f"{text}: {one} is {two}"


@pytest.mark.parametrize("text", OF_GROUPS.values(), ids=OF_GROUPS)
def test_groups_are_compared_as_sql_says(text, exact):
    test_rows_are_compared_as_sql_says(text, exact)


def test_what_is_computed_with_other_groups_has_no_known_end(exact):
    answer = exact[1].sql(OF_GROUPS["less than the largest"], epsilon=10**6)
    assert answer.columns == ("sex", "d", "d_low", "d_high")
    assert {row[2:] for row in answer.rows} == {(None, None)}
    assert any("whose own error is not known" in note for note in answer.notes)
    assert any("was released as" in note for note in answer.notes)


def test_days_are_compared():
    rows = rows_of(Random("days"))
    text = "SELECT COUNT(*) AS n FROM visits WHERE day >= (SELECT MEDIAN(day) FROM visits)"
    answer = vault_of(rows, epsilon=10**6, delta=0).sql(text, epsilon=10**6)
    days = sorted(row["day"] for row in rows)
    middle = days[len(days) // 2]
    assert answer["n"][0] in {
        sum(day >= middle for day in days),
        sum(day > middle for day in days),
    }


def test_of_no_rows_a_constant_is_null_and_nothing_is_equal_to_it():
    vault = vault_of([], epsilon=10**6, delta=0)
    empty = "(SELECT AVG(cost) FROM visits)"
    text = f"SELECT COUNT(*) AS n FROM visits WHERE NOT (cost > {empty}) OR cost > {empty}"
    answer = vault.sql(text, epsilon=10**5)
    assert answer["n"][0] == 0
    wards = "SELECT COUNT(*) AS n FROM visits WHERE ward IN (SELECT ward FROM visits GROUP BY ward HAVING COUNT(*) > 5)"
    assert "NULL" in str(vault.sql(wards, epsilon=1000).notes)


def test_not_in_fewer_groups_than_there_might_be_is_true(exact):
    """Two of three wards have so many rows; the third value that IN might compare with is missing."""
    visits, vault = exact
    text = (
        "SELECT COUNT(*) AS n FROM visits WHERE ward NOT IN (SELECT ward FROM visits GROUP BY ward "
        "HAVING COUNT(*) > 60)"
    )
    counts = visits["ward"].value_counts()
    assert vault.sql(text, epsilon=10**4)["n"][0] == sum(each for each in counts if each <= 60) > 0


# ---------------------------------------------------------------- price


@every_delta
@pytest.mark.parametrize("text", [STATEMENTS[name] for name in FEW], ids=FEW)
def test_everything_is_paid_for_at_once_and_before_anything_is_looked_at(text, delta, monkeypatch):
    vault = vault_of(rows_of(Random(1)), delta=delta)
    events, release = [], ask_combined.release_part
    charge = type(vault.ledger).charge

    def watched(self, *given, **named):
        events.append("charge")
        return charge(self, *given, **named)

    def looking(engine, terms, described):
        events.append("look")
        for each in values_in(terms.question):
            assert each.value is not None, "what rows are compared with is known"
        return release(engine, terms, described)

    monkeypatch.setattr(type(vault.ledger), "charge", watched)
    monkeypatch.setattr(ask_combined, "release_part", looking)
    told = vault.explain(text, epsilon=1)
    assert "released first" in str(told)
    assert told.share == pytest.approx(
        vault.explain("SELECT COUNT(*) AS n FROM visits", epsilon=1).share
    )
    answer = vault.sql(text, epsilon=1)
    asked = parts_of(vault, text)
    assert events == ["charge", *["look"] * len(asked.plan.parts)]
    assert len(list(vault.ledger.entries())) == 1
    rule = vault._access.rule
    assert sum(part.amount for part in asked.terms.parts) == rule.amount(rule.price_of(1))
    assert any("released first" in note for note in answer.notes)


def values_in(question):
    return [
        part
        for expression in list_expressions(question)
        for part in walk_expression(expression)
        if isinstance(part, SubqueryValue)
    ]


# ---------------------------------------------------------------- what leaves


@every_delta
@pytest.mark.parametrize("neighbours", Neighbours)
def test_a_constant_is_a_function_of_what_was_released(delta, neighbours, monkeypatch):
    """Grey-box: on neighbours whose first parts release the same, the same questions are asked, and priced alike."""
    release, rows = ask_combined.release_part, rows_of(Random(7), units=12)
    other = [row for row in rows if row["patient"] != 5]
    if neighbours is Neighbours.REPLACE:
        other += [{**rows[0], "patient": 5, "cost": 40, "weight": 100.0}] * 3
    before, after = (
        vault_of(each, epsilon=1000, delta=delta, neighbours=neighbours) for each in (rows, other)
    )
    first = 2 * (neighbours is Neighbours.REPLACE) + bool(delta)
    for text in [*STATEMENTS.values(), *OF_GROUPS.values()][first::4]:  # each of them once in four
        questions, kept = [], []

        def remember(engine, terms, described, questions=questions, kept=kept):
            questions.append((terms.question, terms.mechanisms, terms.weights))
            kept.append(release(engine, terms, described))
            return kept[-1]

        monkeypatch.setattr(ask_combined, "release_part", remember)
        one = before.sql(text, epsilon=1)
        replayed, again = iter(kept), []

        def repeat(engine, terms, described, replayed=replayed, again=again):
            again.append((terms.question, terms.mechanisms, terms.weights))
            return next(replayed)

        monkeypatch.setattr(ask_combined, "release_part", repeat)
        two = after.sql(text, epsilon=1)
        assert questions == again
        assert (one.columns, one.rows, one.notes, one.left_out) == (
            two.columns,
            two.rows,
            two.notes,
            two.left_out,
        )


def test_a_constant_is_held_between_its_bounds(monkeypatch):
    """A mean that noise moved beyond what is declared is the nearest bound: what was proved of it holds."""
    vault, seen = vault_of([], epsilon=1000, delta=0), []
    release = ask_combined.release_part

    def looking(engine, terms, described):
        seen.extend(values_in(terms.question))
        return release(engine, terms, described)

    monkeypatch.setattr(ask_combined, "release_part", looking)
    for ends in range(12):
        text = ABOVE.replace("FROM visits)", f"FROM visits WHERE cost <> {ends})")
        vault.sql(text, epsilon=0.05)
    known = [each.value.value for each in seen if each.value.value is not None]
    assert all(0 <= value <= 40 for value in known)
    assert len(seen) == 12


# ---------------------------------------------------------------- names, crashes, refusals


def test_another_constant_is_another_question():
    vault = vault_of(rows_of(Random(3)), epsilon=1000)
    vault.sql(ABOVE, epsilon=1)
    assert vault.sql(ABOVE, epsilon=1).price.free
    assert vault.sql(
        ABOVE.replace("GROUP BY ward", "GROUP BY 1 ORDER BY n"), epsilon=0.5
    ).price.free
    for changed in ("2 * AVG(cost)", "AVG(cost) + 1", "AVG(cost) - AVG(weight)", "MEDIAN(cost)"):
        assert not vault.sql(ABOVE.replace("AVG(cost)", changed), epsilon=1).price.free, changed
    top = "SELECT COUNT(*) AS n FROM visits WHERE ward IN (SELECT ward FROM visits GROUP BY ward ORDER BY COUNT(*) LIMIT 1)"
    vault.sql(top, epsilon=1)
    for changed in (
        top.replace("LIMIT 1", "LIMIT 2"),
        top.replace("COUNT(*) LIMIT", "COUNT(*) DESC LIMIT"),
    ):
        assert not vault.sql(changed, epsilon=1).price.free, changed


def test_the_same_parts_in_another_order_are_free():
    vault = vault_of(rows_of(Random(3)), epsilon=1000)
    mean = "(SELECT AVG(cost) FROM visits)"
    first = vault.sql(f"SELECT COUNT(*) AS n FROM visits WHERE cost > {mean}", epsilon=1)
    spent = vault.budget.spent
    for shown in (f"COUNT(*) AS n, {mean} AS m", f"{mean} AS m, COUNT(*) AS n"):
        again = vault.sql(f"SELECT {shown} FROM visits WHERE cost > {mean}", epsilon=1)
        assert again.price.free, shown
        assert again["n"] == first["n"]
        assert f"{again['m'][0]:g}"[:4] in first.notes[0]
    assert vault.budget.spent == spent


def test_what_was_charged_and_never_answered_is_answered_without_a_second_charge(monkeypatch):
    vault, release = vault_of(rows_of(Random(3))), ask_combined.release_part
    turns = iter(range(100))

    def fail(engine, terms, described):
        if next(turns) == 1:  # after the subquery, before the rows
            raise EngineFailed
        return release(engine, terms, described)

    monkeypatch.setattr(ask_combined, "release_part", fail)
    with pytest.raises(EngineFailed):
        vault.sql(ABOVE, epsilon=2)
    spent = vault.budget.spent
    assert spent > 0
    assert len(vault.sql(ABOVE, epsilon=2).rows) == 3
    assert vault.budget.spent == spent
    assert len(list(vault.ledger.entries())) == 1


def test_parts_that_are_equal_are_asked_once():
    vault = vault_of(rows_of(Random(3)))
    for name, many in (("two of the same rows", 2), ("shown, too", 2), ("inside another", 3)):
        plan = parts_of(vault, STATEMENTS[name]).plan
        assert len(plan.parts) == many, name
    deepest = parts_of(vault, STATEMENTS["inside another"]).plan
    assert sorted(len(subqueries_in(part.question)) for part in deepest.parts) == [0, 1, 1]


@pytest.mark.parametrize(
    ("where", "reason"),
    [
        (
            "cost > (SELECT AVG(cost) FROM visits b WHERE b.weight < a.weight)",
            "correlated subquery",
        ),
        ("cost > (SELECT cost FROM visits b)", "single rows"),
        ("cost > (SELECT AVG(b.cost) FROM visits b GROUP BY b.ward)", "may give several"),
        ("cost > (SELECT AVG(b.cost), COUNT(*) FROM visits b)", "more than one column"),
        ("ward > (SELECT AVG(b.cost) FROM visits b)", "compare"),
    ],
)
def test_what_would_not_be_a_constant_is_refused_before_it_is_paid_for(where, reason):
    vault = vault_of(rows_of(Random(3)))
    with pytest.raises(InvalidPlan, match=reason):
        vault.sql(f"SELECT COUNT(*) AS n FROM visits a WHERE {where}", epsilon=1)
    assert vault.budget.spent == 0


def test_a_synthetic_table_compares_rows_with_its_own_answers():
    vault = vault_of(rows_of(Random(4)), epsilon=1000)
    columns = ["ward", "sex"]
    made = vault.synthesize("visits", columns=columns, epsilon=100)
    asked = vault.with_synthetic(made, "made")
    text = (
        "SELECT COUNT(*) AS n FROM made WHERE ward = (SELECT ward FROM made GROUP BY ward "
        "ORDER BY COUNT(*) DESC LIMIT 1)"
    )
    counts = pd.DataFrame(list(made))["ward"].value_counts()
    assert asked.sql(text)["n"][0] == counts.max()
