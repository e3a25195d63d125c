"""One suite, two subjects: a vault that is opened here, and the same kind of vault over HTTP."""

from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction

import pytest

import tacit
from tacit.curator import Explanation, Listing, Release
from tacit.errors import (
    AccessDenied,
    InvalidInput,
    InvalidPlan,
    LimitExceeded,
    ServerUnavailable,
    Unbounded,
)
from tacit.server import Identities
from tests.unit.remote.serving import served
from tests.unit.server.clinics import BY_WARD, COUNT, POLICY, make_folder

MORE = POLICY.replace(
    'icd = { type = "text" }', 'icd = { type = "text" }\nage = { type = "integer" }'
)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = make_folder(tmp_path_factory.mktemp("served") / "clinic", MORE)
    (folder / "visits.csv").write_text(
        "\n".join(
            f"{line},{'age' if not n else n % 90}"
            for n, line in enumerate((folder / "visits.csv").read_text().splitlines())
        )
        + "\n"
    )
    with served(folder, Identities()) as made:
        yield made


@pytest.fixture(params=["open", "connect"])
def vault(request, server):
    """A vault of ana's, opened here or over HTTP; both have the same rows and the same ledger."""
    url, desk, identities = server
    if request.param == "open":
        yield desk._vault.of("ana")
    else:
        with tacit.connect(url, token=identities.new_token("ana")) as there:
            yield there


@pytest.fixture
def twice(server):
    """The same vault in both ways."""
    url, desk, identities = server
    with tacit.connect(url, token=identities.new_token("ana")) as there:
        yield desk._vault.of("ana"), there


QUESTIONS = [
    COUNT,
    BY_WARD,
    "SELECT MEDIAN(cost) AS m FROM visits",
    "SELECT icd, COUNT(*) AS n FROM visits GROUP BY icd",
    "SELECT day, COUNT(*) AS n FROM visits GROUP BY day ORDER BY n DESC LIMIT 3",
    "SELECT COUNT(DISTINCT icd) AS k FROM visits",
    "SELECT ward FROM visits GROUP BY ward ORDER BY COUNT(*) DESC LIMIT 1",
    "SELECT COUNT(*) AS n FROM visits UNION ALL SELECT COUNT(*) AS n FROM visits WHERE cost > 9",
    "SELECT * FROM (SELECT COUNT(*) AS n FROM visits) x LIMIT 0",
    "SELECT DISTINCT ward FROM visits",
    "SHOW TABLES",
    "DESCRIBE visits",
]


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_answer_is_the_same_either_way(twice, question):
    here, there = twice
    answer = there.sql(question, epsilon=Fraction(1, 10))
    again = here.sql(question, epsilon=Fraction(1, 10))
    assert type(answer) is type(again)
    assert (answer.columns, answer.rows, answer.measured) == (
        again.columns,
        again.rows,
        again.measured,
    )
    assert (answer.receipt, answer.left_out, answer.hiding) == (
        again.receipt,
        again.left_out,
        again.hiding,
    )
    assert there.sql(question, epsilon=Fraction(1, 10)) == again  # free, the second time
    assert str(there.sql(question, epsilon=0.1, confidence=0.5)) == str(
        here.sql(question, epsilon=0.1, confidence=0.5)
    )


BOUND = [
    ("SELECT COUNT(*) AS n FROM visits WHERE ward = ?", ["A"]),
    ("SELECT COUNT(*) AS n FROM visits WHERE cost > $1 AND cost < $2", [3, 40.5]),
    ("SELECT COUNT(*) AS n FROM visits WHERE cost > :least", {"least": Decimal("3.10")}),
    ("SELECT COUNT(*) AS n FROM visits WHERE day >= ?", [date(2025, 3, 9)]),
    (
        "SELECT COUNT(*) AS n FROM visits WHERE day < :day",
        {"day": datetime(2025, 3, 9, 12, tzinfo=UTC)},
    ),
    ("SELECT COUNT(*) AS n FROM visits WHERE icd = ?", ["'; DROP TABLE visits --"]),
    ("SELECT COUNT(*) AS n FROM visits WHERE ? IS NULL", [None]),
]


@pytest.mark.parametrize(("question", "params"), BOUND)
def test_parameters_are_bound_either_way(twice, question, params):
    here, there = twice
    assert there.explain(question, epsilon=0.1, params=params) == here.explain(
        question, epsilon=0.1, params=params
    )
    answer = there.sql(question, epsilon=0.1, params=params)
    again = here.sql(question, epsilon=0.1, params=params)
    assert again.price.free
    assert (answer.rows, answer.receipt) == (again.rows, again.receipt)


@pytest.mark.parametrize(
    "params", [[], [1, 2], {"x": 1}, "A", [object()], [float("nan")], [10**401]]
)
def test_parameters_that_do_not_fit_are_refused_either_way(twice, params):
    text = "SELECT COUNT(*) AS n FROM visits WHERE ward = ?"
    refusals = []
    for vault in twice:
        with pytest.raises((InvalidInput, InvalidPlan)) as refused:
            vault.sql(text, epsilon=0.1, params=params)
        refusals.append((type(refused.value), str(refused.value)))
    assert refusals[0] == refusals[1]


@pytest.mark.parametrize("question", QUESTIONS[:8])
def test_an_explanation_is_the_same_either_way(twice, question):
    here, there = twice
    assert there.explain(question, epsilon=0.25) == here.explain(question, epsilon=0.25)


def test_what_a_vault_offers(vault):
    answer = vault.sql(BY_WARD, epsilon=0.1)
    assert isinstance(answer, Release)
    assert answer.columns[:4] == ("ward", "n", "n_low", "n_high")
    assert vault.sql(BY_WARD, epsilon=0.1).price.free
    assert isinstance(vault.explain(BY_WARD, within=500), Explanation)
    assert vault.sql("SELECT COUNT(*) AS n FROM visits WHERE cost > 20", within=200).measured == (
        "n",
    )
    assert vault.tables == ("visits",)
    assert isinstance(vault.describe("visits"), Listing)
    assert vault.describe()["column"] == vault.describe("visits")["column"]
    assert vault.policy.unit == "patient"
    assert vault.policy.analysts["ana"].epsilon == 10
    assert 0 < vault.budget.own.spent < 1
    assert vault.check_receipt(answer.receipt) == []
    assert vault.check_receipt({**answer.receipt, "version": 9}) != []
    assert vault.check_receipt({**answer.receipt, "entry": 999}) != []
    assert vault.mock().sql(BY_WARD, epsilon=1).receipt["made up"]
    assert vault.audit(COUNT, pairs=20).pairs
    assert "vault of visits" in repr(vault)


FRAMES = {
    "sums": lambda t: t.group_by("ward").agg(
        n=tacit.count(), s=tacit.sum("cost"), m=tacit.mean("cost")
    ),
    "ranks": lambda t: t.agg(m=tacit.median("cost"), q=tacit.quantile("cost", 0.9)),
    "conditions": lambda t: t.where(
        tacit.col("cost").between(3, 40), tacit.col("day") >= date(2025, 3, 9)
    ).agg(n=tacit.count(where=tacit.col("ward") == "A"), u=tacit.units()),
    "cases": lambda t: t.agg(s=tacit.sum(tacit.when(tacit.col("cost") > 10).then(1).otherwise(0))),
    "discovered keys": lambda t: t.group_by("icd").agg(n=tacit.count(), low=tacit.min("cost")),
    "view": lambda t: (
        t.group_by("day").agg(n=tacit.count()).having(tacit.col("n") > 1).order_by("n").limit(3)
    ),
    "selection": lambda t: t.group_by("ward").top(1, by=tacit.count()),
}


@pytest.mark.parametrize("name", sorted(FRAMES))
def test_a_frame_is_explained_and_answered_the_same_either_way(twice, name):
    here, there = (FRAMES[name](vault.table("visits")) for vault in twice)
    told = [
        vault.explain(frame, epsilon=0.3) for vault, frame in zip(twice, (here, there), strict=True)
    ]
    assert told[0] == told[1]
    answer, again = there.ask(epsilon=0.3), here.ask(epsilon=0.3)
    assert again.price.free
    assert (answer.columns, answer.rows, answer.receipt) == (
        again.columns,
        again.rows,
        again.receipt,
    )
    assert there.ask(epsilon=0.3) == again


def test_frames_are_asked_either_way(vault):
    visits = vault.table("visits")
    frame = visits.where(tacit.col("cost") >= 10).group_by("ward").agg(n=tacit.count())
    answer = frame.ask(epsilon=0.2)
    assert answer.columns == ("ward", "n", "n_low", "n_high")
    assert frame.ask(epsilon=0.2).price.free
    assert vault.explain(frame, epsilon=0.2).free
    found = visits.group_by("icd").agg(n=tacit.count(), m=tacit.mean("cost")).ask(epsilon=0.2)
    assert found.measured == ("n", "m")


@pytest.mark.parametrize(
    ("call", "refusal"),
    [
        (lambda v: v.sql("SELECT cost FROM visits", epsilon=1), InvalidPlan),
        (lambda v: v.sql("SELECT SUM(age) AS s FROM visits", epsilon=1), Unbounded),
        (lambda v: v.explain("SELECT x FROM visits", epsilon=1), InvalidPlan),
        (lambda v: v.sql(COUNT), InvalidInput),
        (lambda v: v.sql(COUNT, epsilon=-1), InvalidInput),
        (lambda v: v.sql(COUNT, epsilon="much"), InvalidInput),
        (lambda v: v.sql(COUNT, epsilon=1, within=5), InvalidInput),
        (lambda v: v.sql(COUNT, epsilon=1, confidence=2), InvalidInput),
        (lambda v: v.sql("SELECT SUM(cost) AS s FROM visits", epsilon=19), LimitExceeded),
        (lambda v: v.table("others"), InvalidInput),
        (lambda v: v.describe("others"), InvalidInput),
        (lambda v: v.table("visits").agg(n=tacit.sum("nothing")).ask(epsilon=1), InvalidPlan),
    ],
)
def test_a_refusal_is_the_same_either_way(twice, call, refusal):
    here, there = twice
    with pytest.raises(refusal) as first:
        call(here)
    with pytest.raises(refusal) as second:
        call(there)
    assert type(first.value) is type(second.value)
    if refusal is not LimitExceeded and "epsilon" not in str(first.value):
        assert str(first.value) == str(second.value)


def test_nobody_is_let_in_by_a_wrong_token(server):
    url, _, identities = server
    with tacit.connect(url, token="tct_wrong") as there, pytest.raises(AccessDenied):
        _ = there.budget
    otto = identities.new_token("otto")
    with tacit.connect(url, token=otto) as there, pytest.raises(AccessDenied):
        there.sql(COUNT, epsilon=1)


def test_a_server_that_is_not_there(monkeypatch):
    from tacit.remote.connection import Connection
    from tacit.remote.vault import RemoteVault

    waits = []
    gone = RemoteVault(Connection("http://127.0.0.1:1", "tct_x", sleep=waits.append))
    with pytest.raises(ServerUnavailable):
        _ = gone.budget
    assert len(waits) == 3
    with gone:
        pass


@pytest.mark.parametrize(
    "url", ["", "ftp://x", "http://example.org", "https://", "https://x/y", "x"]
)
def test_an_address_that_would_show_the_token_is_refused(url):
    with pytest.raises(InvalidInput):
        tacit.connect(url, token="tct_x")


@pytest.mark.parametrize("token", ["", "a\nb", "ä"])
def test_a_token_that_cannot_be_one_is_refused(token):
    with pytest.raises(InvalidInput):
        tacit.connect("https://example.org", token=token)
