"""What a vault needs of a cluster, and what it had better not have."""

from unittest.mock import Mock

from tacit.engines.spark.rights import _rights, rights_in_spark
from tests import spark
from tests.unit.engines.postgres.test_engine import ROWS, VISITS


def test_what_is_missing_and_what_is_too_much_is_said():
    source = spark.store({VISITS: ROWS})[VISITS]
    found = rights_in_spark({VISITS: source})
    assert found.missing == ()
    assert len(found.excess) == 1  # the server of tests is here, and writes a log
    assert "event log" in found.excess[0]
    session = Mock()
    session.schema.return_value = [("ward", "string")]
    session.spark.conf.get.return_value = "false"
    far = type(source)("spark://elsewhere:15002", ("visits",))
    assert _rights(session, far, ["ward", "cost"]).missing == (
        "there is no column 'cost' in 'visits'",
    )
    assert "without encryption" in _rights(session, far, ["ward"]).excess[0]
