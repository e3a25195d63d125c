"""Nobody is told that somebody is there by a question that fails, or takes long, exactly then."""

import pytest

import tacit
from tacit.curator.open_folder import _Rows
from tacit.engines import DuckDB, Memory
from tacit.engines.work_bounds import MOST_PAIRS
from tacit.errors import TooLarge
from tacit.plan import Column, Kind, Table, Weighing, Weights, read_sql
from tests.attacks.test_fan_out import DAYS, MANY, TABLES, VISITS, joined

WEIGHTS = Weights(Weighing.L1, 100, 10_000, 0)
ZIP = Column("zip", Kind.INTEGER, low=0, high=99_999)
ROWS = [{"p": i // 4, "zip": i % 50, "name": f"n{i}"} for i in range(80)]
TOWN = Table("t", (ZIP, Column("name", Kind.TEXT)), unit="p", contributions=4)


def vault_of(rows):
    columns = {"zip": (0, 99_999), "name": "text"}
    return tacit.protect(
        rows, unit="p", contributions=4, columns=columns, epsilon=1, delta=1e-6, name="t"
    )


def self_joins(number, condition="zip = 77777"):
    joins = "".join(f" JOIN a AS x{i} ON x0.p = x{i}.p" for i in range(1, number + 1))
    return f"WITH a AS (SELECT p, zip FROM t WHERE {condition}) SELECT COUNT(*) AS n FROM a AS x0{joins}"


def said(rows, text):
    """What is left by a question: whether it is answered or how it is refused, and what was spent."""
    with vault_of(rows) as vault:
        try:
            vault.sql(text, epsilon=1e-9)
        except TooLarge as refusal:
            return str(refusal), vault.budget.spent
        return "answered", vault.budget.spent


@pytest.mark.parametrize("joins", [1, 4, 11])
def test_joins_of_a_unit_with_itself_are_answered_whoever_is_there(joins):
    six = [{"p": 1_000, "zip": 77_777, "name": "Bob"}] * 6
    assert said(ROWS, self_joins(joins)) == said(ROWS + six, self_joins(joins))
    assert said(ROWS, self_joins(joins))[0] == "answered"


BOB = [{"p": 1_000, "zip": 77_777, "name": "Bob"}]
GROWN = "REPLACE(CASE WHEN name = 'Bob' THEN '{0}' ELSE '' END, 'a', '{1}')"
ONE_TEXT = f"SELECT COUNT(DISTINCT {GROWN.format('a' * 300, 'b' * 300)}) AS n FROM t"


def texts(number):
    return (
        "SELECT "
        + ", ".join(f"COUNT(DISTINCT SUBSTR(name, {i + 1})) AS m{i}" for i in range(number))
        + " FROM {0}"
    )


MANY_TEXTS, SOME_TEXTS = texts(30), texts(20)
COPIES = "(" + " UNION ALL ".join(["SELECT p, name FROM t"] * 3) + ")"
PAIRS = "SELECT x.p AS p FROM t AS x JOIN t AS y ON x.p = y.p"
CONSTANTS = ", ".join(
    f"COUNT(DISTINCT CASE WHEN name = 'Bob' THEN '{'x' * 900}{i}' END) AS m{i}" for i in range(9)
)
JOINED_AGAIN = "SELECT COUNT(*) AS n FROM t AS x0" + "".join(
    f" JOIN t AS x{i} ON x0.p = x{i}.p" for i in range(1, 18)
)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (ONE_TEXT, "are allowed; shorten it first: SUBSTR"),
        (SOME_TEXTS.format(COPIES), "times as long as the row"),
        (f"SELECT {CONSTANTS} FROM t", "times as long as the row"),
        (
            f"SELECT COUNT(*) AS n FROM ({' UNION ALL '.join([PAIRS] * 5)})",
            "by joins and UNION ALL",
        ),
        (JOINED_AGAIN, "17 joins in which a unit may have many rows"),
        (
            "SELECT COUNT(*) AS n FROM t WHERE name LIKE '%" + "a" * 11_000 + "'",
            "are allowed; compute less, or ask two questions",
        ),
    ],
    ids=["one text", "many texts", "constants", "a stack of joins", "many joins", "a long pattern"],
)
def test_what_one_unit_would_make_too_much_of_is_refused_whoever_is_there(text, reason):
    alone, beside = said(ROWS, text), said(ROWS + BOB, text)
    assert alone == beside
    assert reason in alone[0]
    assert alone[1] == 0


@pytest.mark.parametrize("kind", [DuckDB, Memory])
@pytest.mark.parametrize(
    "text",
    [
        MANY_TEXTS.format("t"),
        "SELECT COUNT(*) FROM t AS x JOIN t AS y ON x.p = y.p AND x.zip = y.zip",
        "SELECT COUNT(DISTINCT UPPER(TRIM(name))) FROM t WHERE LOWER(name) LIKE '%bob%'",
        "SELECT COUNT(DISTINCT CONCAT(name, ' ', zip, ' ', UPPER(name))) FROM t",
        "SELECT COUNT(DISTINCT REPLACE(REPLACE(name, '-', ''), ' ', '')) FROM t",
        f"SELECT COUNT(*) FROM ({' UNION ALL '.join([PAIRS] * 4)})",
    ],
    ids=["thirty texts", "a join", "letters", "texts joined", "texts replaced", "four joins"],
)
def test_ordinary_questions_are_not_refused(kind, text):
    engine = kind({TOWN: ROWS})
    engine.dry_run(read_sql(text, {"t": TOWN}).question, WEIGHTS)
    engine.close()


@pytest.mark.parametrize("kind", [DuckDB, Memory])
@pytest.mark.parametrize(
    ("right", "rows", "expected"),
    [
        ("t", 30, 900),
        ("t", 400, 0),
        ("(SELECT p, COUNT(*) AS n FROM t GROUP BY p)", 400, 400),
        (
            "(SELECT p, zip, COUNT(*) AS n FROM t GROUP BY p, zip) AS y ON x.p = y.p AND x.zip = y.zip --",
            400,
            400,
        ),
        ("(SELECT p, zip, COUNT(*) AS n FROM t GROUP BY p, zip)", 400, 0),
        ("t AS y ON x.p = y.p AND x.zip = y.zip --", 400, 400),
    ],
    ids=[
        "few",
        "too many",
        "by unit",
        "by unit and value",
        "by a value, on the unit",
        "on a value",
    ],
)
def test_a_unit_leaves_a_join_in_which_it_would_have_too_many_pairs(kind, right, rows, expected):
    """400 rows have 160,000 pairs, more than there may be; on a column with different values they have 400."""
    assert 400**2 > MOST_PAIRS > 900
    text = f"SELECT COUNT(*) FROM t AS x JOIN {right}"
    text = text.replace(" --", "") if "--" in text else f"{text} AS y ON x.p = y.p"
    engine = kind({TOWN: [{"p": 1, "zip": i, "name": None} for i in range(rows)]})
    question = read_sql(text, {"t": TOWN}).question
    found = engine.evaluate(question, Weights(Weighing.L1, 10**6, 1, 0))
    engine.close()
    assert found.tolist() == [[expected]]


@pytest.mark.parametrize("text", [joined(2), joined(1)])
def test_partners_are_counted_where_a_vault_rehearses_on_empty_tables(text):
    rows = [{"patient": 9, "name": "Bob", "ill": "flu", "ward": "A"}]
    engine = _Rows({"visits": (VISITS, rows), "days": (DAYS, MANY)}, lambda name: 1)
    question = read_sql(text, TABLES).question
    if text == joined(1):
        engine.dry_run(question, WEIGHTS)
    else:
        with pytest.raises(TooLarge, match="133,225 rows"):
            engine.dry_run(question, WEIGHTS)
    assert not engine._opened  # no private row was read
    engine.close()


@pytest.mark.parametrize("kind", [DuckDB, Memory])
def test_a_unit_with_many_rows_leaves_a_join_with_many_public_rows(kind):
    for rows, expected in ((300, 300 * 365), (400, 0)):
        owned = [{"patient": 9, "name": "Bob", "ill": "flu", "ward": "A"}] * rows
        engine = kind({VISITS: owned, DAYS: [day for day in MANY if day["ward"] == "A"]})
        found = engine.evaluate(
            read_sql(joined(1), TABLES).question, Weights(Weighing.L1, 10**6, 1, 0)
        )
        engine.close()
        assert found.tolist() == [[expected]]


def test_public_rows_do_not_meet_each_other_without_end():
    inside = "SELECT a.ward AS ward FROM days AS a JOIN days AS b ON {0}"
    text = f"SELECT COUNT(*) FROM visits JOIN ({inside}) AS m USING (ward)"
    public = [{"ward": f"W{i}", "day": i % 10} for i in range(4_000)]
    engine = DuckDB({VISITS: [], DAYS: public})
    engine.dry_run(read_sql(text.format("a.ward = b.ward"), TABLES).question, WEIGHTS)
    with pytest.raises(TooLarge, match="joining the public tables could give 16,000,000"):
        engine.dry_run(
            read_sql(text.format("LOWER(a.ward) = LOWER(b.ward)"), TABLES).question, WEIGHTS
        )
    engine.close()


@pytest.mark.parametrize("kind", [DuckDB, Memory])
def test_texts_that_are_not_read_leave_nobody_out(kind):
    """A hundred rows have 10,000 pairs; with both their notes, each pair would take more than a kilobyte."""
    engine = kind({TOWN: [{"p": 1, "zip": 7, "name": "x" * 2_000}] * 100})
    for column, expected in (("zip", 10_000), ("name", 0)):
        text = f"SELECT COUNT(x.{column}) FROM t AS x JOIN t AS y ON x.p = y.p"
        found = engine.evaluate(
            read_sql(text, {"t": TOWN}).question, Weights(Weighing.L1, 10**6, 1, 0)
        )
        assert found.tolist() == [[expected]]
    engine.close()


def test_texts_are_made_once_for_every_measure():
    """Each of thirty measures reads the rows again: with all thirty texts, they would be made nine hundred times."""
    with DuckDB({TOWN: ROWS}) as engine:
        asked = engine._statements(
            read_sql(MANY_TEXTS.format("t"), {"t": TOWN}).question, WEIGHTS
        ).measures
        assert asked is not None
        assert asked.select.sql.count('substr(CASE WHEN strlen("c1_name")') == 30


def test_rows_are_joined_in_the_order_of_the_plan():
    """In another order, rows that are few together could be many on the way."""
    with DuckDB({TOWN: ROWS}) as engine, engine._connection.cursor() as cursor:
        ((disabled,),) = cursor.execute("SELECT current_setting('disabled_optimizers')").fetchall()
        assert {"join_order", "build_side_probe_side"} <= set(disabled.split(","))


def test_who_is_left_out_of_a_join_is_told_before():
    with vault_of(ROWS) as vault:
        assert "more than 131,072 pairs" in str(vault.explain(self_joins(1), epsilon=0.1))
        assert "pairs" not in str(vault.explain("SELECT COUNT(*) AS n FROM t", epsilon=0.1))
