"""What PostgreSQL's clients browse is public to them: the policy, the own budget, the own answers, released rows."""

import pytest

from tacit.server.public_catalogue import PublicCatalogue
from tests.unit.server.clinics import BY_WARD, POLICY, make_folder, who
from tests.unit.server.wire.rooms import (
    SYNC,
    bind,
    describe,
    execute,
    fields_of,
    kinds,
    open_room,
    parse,
)


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    folder = make_folder(tmp_path_factory.mktemp("public") / "clinic")
    with open_room(folder) as found:
        found.folder = folder
        found.catalogue = found.door.catalogue = PublicCatalogue(found.desk, "clinic")
        yield found
        found.catalogue.close()


@pytest.fixture
def ana(room):
    return room.client(options="-c tacit.epsilon=0.5")


def test_declared_tables_can_be_browsed(ana):
    text = "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'visits' ORDER BY 1"
    assert ana.rows(text) == [
        ("cost", "double precision"),
        ("day", "date"),
        ("icd", "text"),
        ("patient", "text"),
        ("ward", "text"),
    ]
    said = ana.rows(
        "SELECT col_description('visits'::regclass, attnum) FROM pg_attribute WHERE attname = 'cost'"
    )
    assert said == [("number 0 to 50",)]
    assert ana.rows("SELECT current_user, current_database()") == [("ana", "clinic")]


def test_everyone_reads_the_own_budget_and_the_own_answers(room, ana):
    ana.ask(BY_WARD)
    budget = ana.rows("SELECT limit_of, epsilon, spent > 0 FROM tacit.budget")
    assert budget == [("everyone", "20", "t"), ("ana", "10", "t")]
    ((entry, sql),) = ana.rows("SELECT entry, sql FROM tacit.answers")
    assert sql == BY_WARD
    ben = room.client("ben")
    assert ben.rows("SELECT count(*) FROM tacit.answers") == [("0",)]
    assert ben.rows("SELECT spent FROM tacit.budget WHERE limit_of = 'ben'") == [("0",)]
    assert ben.rows("SELECT count(*) FROM tacit.budget WHERE limit_of = 'ana'") == [("0",)]
    assert int(entry) >= 0


def test_sql_around_an_answer_reads_the_released_rows(room, ana):
    released = {row[0]: row[1] for row in ana.rows(BY_WARD)}
    before = room.charges()
    around = f"SELECT STRING_AGG(ward, ',') AS wards, MAX(n) AS most FROM ({BY_WARD}) x"
    assert ana.rows(around) == [("A,B", max(released.values(), key=int))]
    assert kinds(ana.send(parse(around), bind(), describe(), execute(), SYNC)) == "12TNDCZ"
    assert ana.rows(f"SELECT ward FROM ({BY_WARD}) x WHERE n >= n_low ORDER BY ward DESC") == [
        ("B",),
        ("A",),
    ]
    nested = f"WITH x AS ({BY_WARD}) SELECT STRING_AGG(ward, '+') FROM x"
    assert ana.rows(nested) == [("A+B",)]
    assert room.charges() == before


def test_sql_around_an_answer_reaches_nothing_else(room, ana):
    before = room.charges()
    for text in (
        f"SELECT STRING_AGG(v.icd, ',') FROM ({BY_WARD}) x JOIN visits v ON true",
        f"SELECT STRING_AGG(ward, ',') FROM ({BY_WARD}) x, pragma_database_list()",
        f"SELECT read_text('/etc/passwd'), STRING_AGG(ward, ',') FROM ({BY_WARD}) x",
    ):
        said = ana.ask(text)
        assert [fields_of(body)["C"] for kind, body in said if kind == "E"], text
    assert room.charges() == before


def test_nothing_is_paid_for_what_cannot_be_evaluated_around_it(room, ana):
    before = room.charges()
    unpaid = "SELECT ward, COUNT(*) AS n FROM visits WHERE cost < 13 GROUP BY ward"
    for around in ("nonsense(ward)", "STRING_AGG(nothing, ',')", "read_text('/etc/passwd')"):
        said = ana.ask(f"SELECT {around}, STRING_AGG(ward, ',') FROM ({unpaid}) x")
        assert [fields_of(body)["C"] for kind, body in said if kind == "E"], around
    assert room.charges() == before
    assert ana.rows(f"SELECT STRING_AGG(ward, ',') FROM ({unpaid}) x") == [("A,B",)]
    assert room.charges() == before + 1
    bound = "SELECT STRING_AGG(ward, $2) FROM (SELECT ward, COUNT(*) AS n FROM visits WHERE cost < $1 GROUP BY ward) x"
    said = ana.send(
        parse(bound, types=(701, 25)), bind(values=(b"13", b"+")), describe(), execute(), SYNC
    )
    assert kinds(said) == "12TNDCZ", said
    assert room.charges() == before + 1


def test_made_up_rows_are_shown_to_who_asks_for_them(ana):
    ana.ask("SET tacit.preview = 'made-up'")
    rows = ana.rows("SELECT ward, cost FROM public.visits WHERE cost > 10 ORDER BY cost LIMIT 5")
    assert len(rows) == 5
    assert all(float(cost) > 10 for _, cost in rows)
    assert ana.rows("SELECT patient FROM visits LIMIT 1") == [("0",)]


def test_settings_can_be_set_by_a_function(ana):
    assert ana.rows("SELECT set_config('application_name', 'x', false)") == [("x",)]
    assert ana.rows("SELECT current_setting('application_name')") == [("x",)]


def test_another_policy_is_another_catalogue(room):
    client = room.client("cleo")
    text = "SELECT count(*) FROM information_schema.columns WHERE table_name = 'visits'"
    assert client.rows(text) == [("5",)]
    more = POLICY.replace(
        'icd = { type = "text" }',
        'icd = { type = "text" }\nage = { type = "integer", low = 0, high = 99 }',
    )
    (room.folder / "tacit.toml").write_text(more)
    rows = (room.folder / "visits.csv").read_text().splitlines()
    (room.folder / "visits.csv").write_text(
        "\n".join([rows[0] + ",age", *(f"{row},7" for row in rows[1:])]) + "\n"
    )
    room.desk.reload(who(room.desk, "cleo"))
    assert client.rows(text) == [("6",)]
