"""Sessions of a Spark cluster: settings that hold whatever the cluster's are, and failures in sentences of ours."""

from unittest.mock import Mock, patch

import pytest

from tacit.engines.spark.session import (
    SETTINGS,
    Sessions,
    _connection,
    check_server,
    refusal_of,
)
from tacit.errors import EngineFailed, InvalidData
from tests import spark

CANARY = "canary-93d0"


class Told(Exception):
    """An error as Spark's client raises it."""

    def __init__(self, condition: str | None) -> None:
        self.condition = condition
        super().__init__(f"[{condition}] {CANARY}")

    def getCondition(self) -> str | None:  # noqa: N802 -- as the library calls it
        return self.condition


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("TABLE_OR_VIEW_NOT_FOUND", "no such table"),
        ("PATH_NOT_FOUND", "no such folder"),
        ("UNRESOLVED_COLUMN.WITH_SUGGESTION", "lacks a column"),
        ("UNAUTHENTICATED", "refuses this user or token"),
        ("UNAVAILABLE", "does not answer"),
    ],
)
def test_what_is_known_has_a_sentence(condition, said):
    outer = RuntimeError(CANARY)
    outer.__cause__ = Told(condition)
    for error in (Told(condition), outer):
        refusal = refusal_of(error)
        assert isinstance(refusal, InvalidData)
        assert said in str(refusal)
        assert CANARY not in str(refusal)


@pytest.mark.parametrize("error", [Told("CAST_INVALID_INPUT"), Told(None), ValueError(CANARY)])
def test_what_has_no_sentence_says_nothing(error):
    refusal = refusal_of(error)
    assert isinstance(refusal, EngineFailed)
    assert CANARY not in str(refusal)


def test_the_token_is_that_of_the_environment():
    with patch.dict("os.environ", {"TACIT_SPARK_TOKEN": "a;b/c"}):
        assert _connection("spark://ann@host:9?use_ssl=true") == (
            "sc://host:9/;user_agent=tacit;user_id=ann;use_ssl=true;token=a%3Bb%2Fc"
        )
    with patch.dict("os.environ", clear=True):
        assert _connection("spark://host:15002") == "sc://host:15002/;user_agent=tacit"


def test_settings_are_those_that_statements_rely_on():
    """The cluster's own zone is another one, and a session of somebody else's changes nothing."""
    with Sessions(spark.running().address, 60).session() as session:
        known = session.spark.conf.getAll
        assert {name: known[name] for name in SETTINGS} == SETTINGS
        found = session.fetch('SELECT current_timezone() AS "zone", CAST(7 AS DECIMAL(38,0)) AS n')
        assert found.rows == [("UTC", 7)]
        check_server(session)


def test_what_the_server_says_of_a_failure_is_not_printed(capfd, caplog):
    """The client's own logs would quote the cell that could not be cast."""
    with Sessions(spark.running().address, 60).session() as session:
        for sql in (
            f"SELECT CAST(t AS BIGINT) FROM VALUES ('{CANARY}') AS v(t)",
            f'SELECT "{CANARY}" FROM VALUES (1) AS v(t)',
        ):
            with pytest.raises(Exception, match=CANARY):
                session.fetch(sql)
    assert CANARY not in "".join(capfd.readouterr()) + caplog.text


def test_a_server_that_is_too_old_or_keeps_its_settings_is_refused():
    session = Mock()
    session.spark.version = "3.5.1"
    with pytest.raises(InvalidData, match="older than Spark 4"):
        check_server(session)
    session.spark.version, session.spark.conf.getAll = (
        "4.0.0",
        {**SETTINGS, "spark.sql.ansi.enabled": "false"},
    )
    with pytest.raises(InvalidData, match=r"does not let a session set spark\.sql\.ansi\.enabled"):
        check_server(session)


def test_no_session_is_opened_after_the_end():
    sessions = Sessions("spark://127.0.0.1:1", 60)
    sessions.close()
    with pytest.raises(EngineFailed), sessions.session():
        pass
