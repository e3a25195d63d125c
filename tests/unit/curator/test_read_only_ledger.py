"""A vault for another payer, and what it answers without a charge: nothing that was not answered before."""

import pytest

import tacit
from tacit.curator.read_only_ledger import PaymentNeeded, UnpaidLedger
from tacit.errors import InvalidInput, InvalidPlan
from tacit.ledger import MemoryLedger

ROWS = [{"patient": n, "ward": "AB"[n % 2], "cost": n % 50} for n in range(300)]
COLUMNS = {"ward": ["A", "B"], "cost": (0, 50), "diagnosis": str}
QUESTIONS = [
    "SELECT COUNT(*) AS n FROM data",
    "SELECT ward, COUNT(*) AS n, AVG(cost) AS mean FROM data GROUP BY ward",
    "SELECT MEDIAN(cost) AS m FROM data",
    "SELECT diagnosis, COUNT(*) AS n FROM data GROUP BY diagnosis",
    "SELECT ward FROM data GROUP BY ward ORDER BY COUNT(*) DESC LIMIT 1",
    "SELECT COUNT(*) AS n FROM data UNION ALL SELECT COUNT(*) AS n FROM data WHERE cost > 9",
]
BELOW_MEAN = "SELECT COUNT(*) AS n FROM data WHERE cost < (SELECT AVG(cost) FROM data)"


@pytest.fixture
def vault():
    rows = [{**row, "diagnosis": "flu"} for row in ROWS]
    return tacit.protect(
        rows, unit="patient", contributions=1, columns=COLUMNS, epsilon=50, delta=1e-6
    )


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_is_not_known_is_neither_charged_nor_looked_at(vault, question, monkeypatch):
    engine = vault._access.engines["data"]
    monkeypatch.setattr(type(engine), "evaluate", lambda *_: pytest.fail("rows were read"))
    monkeypatch.setattr(type(engine), "gather", lambda *_: pytest.fail("rows were read"))
    monkeypatch.setattr(type(engine), "dry_run", lambda *_: None)  # which evaluates on no rows
    assert vault.replay(question, epsilon=1) is None
    assert list(vault.ledger.entries()) == []


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_is_known_is_told_again_and_costs_nothing(vault, question):
    answer = vault.sql(question, epsilon=1)
    spent = vault.ledger.total_spent()
    again = vault.replay(question, epsilon=1)
    assert again is not None
    assert (again.rows, again.columns, again.receipt) == (
        answer.rows,
        answer.columns,
        answer.receipt,
    )
    assert again.price.free
    assert vault.ledger.total_spent() == spent


def test_a_charge_that_was_never_answered_is_no_answer(vault, monkeypatch):
    engine = vault._access.engines["data"]
    with monkeypatch.context() as broken:
        broken.setattr(type(engine), "evaluate", lambda *_: 1 / 0)
        with pytest.raises(tacit.errors.EngineFailed):
            vault.sql(QUESTIONS[0], epsilon=1)
    assert len(list(vault.ledger.entries())) == 1
    assert vault.replay(QUESTIONS[0], epsilon=1) is None


def fail(vault, question, monkeypatch, **terms):
    """Ask a question whose rows cannot be read: it is charged and not answered."""
    engine = type(next(iter(vault._access.engines.values())))
    with monkeypatch.context() as broken:
        for name in ("evaluate", "gather"):
            broken.setattr(engine, name, lambda *_: 1 / 0)
        with pytest.raises(tacit.errors.EngineFailed):
            vault.sql(question, **terms)


@pytest.mark.parametrize("question", [*QUESTIONS, BELOW_MEAN])
def test_what_was_charged_and_not_answered_is_already_paid(question, monkeypatch):
    rows = [{**row, "diagnosis": "flu"} for row in ROWS]
    vault = tacit.protect(
        rows, unit="patient", contributions=1, columns=COLUMNS, epsilon=1, delta=1e-6
    )
    before = vault.explain(question, epsilon=0.9)
    assert (before.free, before.paid, before.affordable) == (False, False, True)
    fail(vault, question, monkeypatch, epsilon=0.9)
    told = vault.explain(question, epsilon=0.9)
    assert (told.free, told.paid, told.affordable) == (True, True, True)
    assert "already paid" in str(told)
    assert told.share == before.share
    assert vault.explain(question, epsilon=0.5).paid  # a charge that was no lower
    dearer = vault.explain(question, epsilon=0.95)
    assert (dearer.free, dearer.paid, dearer.affordable) == (False, False, False)
    spent = vault.ledger.total_spent()
    assert vault.replay(question, epsilon=0.9) is None  # rows are to be read
    vault.sql(question, epsilon=0.9)
    assert vault.ledger.total_spent() == spent
    again = vault.explain(question, epsilon=0.9)
    assert (again.free, again.paid) == (True, False)
    assert "follows from earlier answers" in str(again)


@pytest.mark.parametrize("replay", ["analyst", "everyone"])
def test_what_somebody_else_has_paid_is_not_ones_own(tmp_path, replay, monkeypatch):
    (tmp_path / "v.csv").write_text("patient,ward\n1,A\n")
    (tmp_path / "tacit.toml").write_text(
        f'[limit]\nreplay = "{replay}"\nepsilon = 3\ndelta = 0\n[tables.v]\nsource = "v.csv"\nunit = "patient"\n'
        'contributions = 1\n[tables.v.columns]\nward = { type = "text", values = ["A"] }\n'
        "[analysts.ana]\nepsilon = 1\n[analysts.ben]\nepsilon = 1\n"
    )
    question = "SELECT COUNT(*) AS n FROM v"
    with tacit.open(tmp_path) as vault:
        fail(vault.of("ana"), question, monkeypatch, epsilon=0.9)
        assert vault.of("ana").explain(question, epsilon=0.9).paid
        for other in (vault.of("ben"), vault.of(None)):
            told = other.explain(question, epsilon=0.9)
            assert (told.free, told.paid) == (False, False)


def test_listings_are_answered_and_refusals_refused(vault):
    assert vault.replay("SHOW TABLES")["table"] == ["data"]
    with pytest.raises(InvalidPlan):
        vault.replay("SELECT cost FROM data", epsilon=1)
    with pytest.raises(InvalidInput):
        vault.replay(QUESTIONS[0])


def test_a_ledger_that_is_read_alone_is_never_written(vault):
    unpaid = UnpaidLedger(vault.ledger)
    assert isinstance(vault.ledger, MemoryLedger)
    for write in (
        lambda: unpaid.charge(b"x", None),
        lambda: unpaid.settle(None, b""),
        lambda: unpaid.refresh("data"),
    ):
        with pytest.raises(PaymentNeeded):
            write()
    assert vault.ledger.version("data") == 0


def test_each_payer_pays_for_their_own_and_sees_their_own(vault):
    ana, ben = vault.of("ana"), vault.of("ben")
    ana.sql(QUESTIONS[0], epsilon=1)
    assert [entry.analyst for entry in vault.ledger.entries()] == ["ana"]
    assert ana.replay(QUESTIONS[0], epsilon=1) is not None
    assert ben.replay(QUESTIONS[0], epsilon=1) is None  # replay is for who paid
    assert ben.of("ana").replay(QUESTIONS[0], epsilon=1) is not None
    assert ana.ledger is vault.ledger


def test_a_payer_whom_the_policy_does_not_name_is_refused(tmp_path):
    (tmp_path / "v.csv").write_text("patient,ward\n1,A\n")
    (tmp_path / "tacit.toml").write_text(
        '[limit]\nepsilon = 3\ndelta = 0\n[tables.v]\nsource = "v.csv"\nunit = "patient"\ncontributions = 1\n'
        '[tables.v.columns]\nward = { type = "text", values = ["A"] }\n[analysts.ana]\nepsilon = 1\n'
    )
    with tacit.open(tmp_path) as vault:
        assert vault.of("ana").budget.own is not None
        assert vault.of("ana").of(None).budget.own is None
        with pytest.raises(InvalidInput, match="ana"):
            vault.of("eve")
