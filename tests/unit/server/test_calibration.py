"""Slots are chosen by what made-up rows took, and by how many rows the curator says that there are."""

import json

import pytest

import tacit
from tacit.curator import PlanClass
from tacit.engines import DuckDB
from tacit.errors import InvalidInput
from tacit.server import Calibration, calibrate, read_calibration, write_calibration
from tacit.server.calibration import _extrapolate, _time, questions_about
from tests.unit.server.clinics import make_folder


@pytest.fixture(scope="module")
def vault(tmp_path_factory):
    with tacit.open(make_folder(tmp_path_factory.mktemp("calibration") / "clinic")) as opened:
        yield opened


def test_nothing_of_the_rows_is_measured(vault, tmp_path, monkeypatch):
    engine = type(vault._access.engines["visits"])
    for look in ("evaluate", "gather", "code"):
        monkeypatch.setattr(engine, look, lambda *_: pytest.fail("rows were read"))
    found = calibrate(vault, {"visits": 10**6})
    assert set(found.measured) == {"visits"}
    assert set(found.measured["visits"]) == {"sums", "ranks", "distinct", "keys"}
    assert all(seconds > 0 for seconds in found.measured["visits"].values())
    assert list(vault.ledger.entries()) == []
    file = write_calibration(tmp_path, found)
    assert read_calibration(tmp_path) == found
    assert json.loads(file.read_text())["rows"] == {"visits": 10**6}


def test_a_question_of_each_kind_is_of_that_kind(vault):
    for kind, question in questions_about(vault, "visits").items():
        assert vault.classify(question, epsilon=1) == PlanClass(kind, ("visits",))


def test_seconds_add_up_over_tables_and_parts():
    known = Calibration({"a": {"sums": 0.5, "ranks": 2.0}, "b": {"sums": 0.25}})
    assert known.seconds(PlanClass("sums", ("a", "b"))) == 0.75
    assert known.seconds(PlanClass("sums", ("a",), 3)) == 1.5
    assert known.seconds(PlanClass("keys", ("a",))) == 1.0  # it was not measured
    assert known.seconds(PlanClass("sums", ())) == 1.0
    assert known.seconds(None) == 2.0
    assert Calibration().seconds(PlanClass("sums", ("a",))) == 1.0


def test_more_rows_take_longer_and_never_less():
    assert _extrapolate(0.01, 1_000) < _extrapolate(0.01, 32_000) < _extrapolate(0.01, 10**6)
    assert _extrapolate(0.01, 10**7) > 9  # in proportion to the rows


def test_looks_are_measured_and_not_stored_answers(vault, monkeypatch):
    looked, real = [], DuckDB.evaluate
    monkeypatch.setattr(DuckDB, "evaluate", lambda *given: looked.append(1) or real(*given))
    with vault.mock() as twin:
        _time(twin, "SELECT COUNT(*) AS n FROM visits")
    assert len(looked) == 4


def test_what_is_damaged_or_makes_no_sense_is_refused(vault, tmp_path):
    assert read_calibration(tmp_path) == Calibration()
    for wrong in ("", "[]", '{"seconds": {"a": 1}, "rows": {}}'):
        (tmp_path / "slots.json").write_text(wrong)
        with pytest.raises(InvalidInput):
            read_calibration(tmp_path)
    for rows in ({"nothing": 5}, {"visits": 0}):
        with pytest.raises(InvalidInput):
            calibrate(vault, rows)
