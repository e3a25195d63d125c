"""Synthetic tables as people ask for them."""

from datetime import date, timedelta

import numpy as np
import pytest

import tacit
from tacit.engines import DuckDB
from tacit.errors import EngineFailed, InvalidInput, LimitExceeded, TacitError
from tacit.synth.pseudo_random import normals, uniforms

COLUMNS = {
    "ward": ["A", "B", "C"],
    "age": {"type": "integer", "low": 0, "high": 99},
    "cost": {"type": "number", "low": 0, "high": 5000},
    "admitted": {
        "type": "date",
        "low": date(2025, 1, 1),
        "high": date(2025, 3, 31),
        "nullable": False,
    },
    "discharged": {
        "type": "date",
        "low": date(2025, 1, 1),
        "high": date(2025, 4, 30),
        "nullable": False,
    },
    "note": "text",
}


def visits(count=3000):
    ages = np.clip(np.abs(normals(count, 1)) * 30, 0, 99).astype(int)
    days = (uniforms(count, 2) * 90).astype(int)
    stays = (uniforms(count, 3) * 30).astype(int)
    start = date(2025, 1, 1)
    return [
        {
            "patient": place // 2,
            "ward": "ABC"[min(2, int(age) // 15)] if place % 10 else None,
            "age": int(age),
            "cost": 0.0 if place % 3 else float(age * 20),
            "admitted": start + timedelta(days=int(day)),
            "discharged": start + timedelta(days=int(day + stay)),
            "note": f"secret {place}",
        }
        for place, (age, day, stay) in enumerate(zip(ages, days, stays, strict=True))
    ]


ROWS = visits()


def mean_age(frame, ward):
    return frame[frame["ward"] == ward]["age"].mean()


def vault(**more):
    given = {"unit": "patient", "contributions": 2, "epsilon": 20, "delta": 1e-6, **more}
    return tacit.protect(ROWS, columns=COLUMNS, name="visits", **given)


@pytest.fixture(scope="module")
def synthetic():
    return vault().synthesize("visits", epsilon=8, always=["discharged >= admitted"])


def test_a_synthetic_table_has_the_columns_and_types_of_its_table(synthetic):
    assert synthetic.columns == ("ward", "age", "cost", "admitted", "discharged")
    table = synthetic.to_arrow()
    assert [str(kind) for kind in table.schema.types] == [
        "string",
        "int64",
        "double",
        "date32[day]",
        "date32[day]",
    ]
    assert table.num_rows == len(synthetic) == pytest.approx(3000, rel=0.05)
    frame = synthetic.to_pandas()
    assert frame["age"].between(0, 99).all()
    assert set(frame["ward"].dropna()) == {"A", "B", "C"}
    assert frame["ward"].isna().mean() == pytest.approx(0.1, abs=0.04)
    assert synthetic.to_polars(10).shape == (10, 5)


def test_what_depends_in_the_table_depends_in_the_rows(synthetic):
    frame = synthetic.to_pandas()
    assert (frame["cost"] == 0).mean() == pytest.approx(2 / 3, abs=0.06)
    assert mean_age(frame, "C") > mean_age(frame, "A") + 15


def test_rules_hold_in_every_row(synthetic):
    frame = synthetic.to_pandas()
    assert (frame["discharged"] >= frame["admitted"]).all()


def test_columns_that_are_not_modelled_are_named(synthetic):
    assert synthetic.not_modelled == ("note",)
    assert "note" in str(synthetic)
    assert "note: not in the table" in str(synthetic.report())


def test_the_same_call_gives_the_same_rows_for_nothing_and_more_rows_are_free():
    clinic = vault()
    one = clinic.synthesize("visits", epsilon=4)
    spent = clinic.budget.spent
    two = clinic.synthesize("visits", epsilon=4)
    assert two.price.free
    assert two.columns_of() == one.columns_of()
    assert len(two.to_arrow(10_000)) == 10_000
    cheaper = clinic.synthesize("visits", epsilon=2)
    assert cheaper.columns_of() == one.columns_of()
    assert clinic.budget.spent == spent
    assert clinic.synthesize("visits", epsilon=4, columns=["age", "ward"]).price.free is False
    clinic.refresh("visits")
    assert clinic.synthesize("visits", epsilon=4).price.free is False


def test_the_price_is_the_ledgers_and_the_receipt_is_kept():
    clinic = vault(epsilon=4)
    found = clinic.synthesize("visits", epsilon=4)
    assert clinic.budget.left == 0
    assert clinic.check_receipt(found.receipt) == []
    assert clinic.check_receipt({**found.receipt, "mechanism": "none"}) != []
    assert found.receipt["kind"] == "synthetic table"
    (entry,) = clinic.ledger.entries()
    assert clinic.look_up(entry)["released"][0]["kind"] == "tables"
    with pytest.raises(LimitExceeded):
        clinic.synthesize("visits", epsilon=4, columns=["age"])


@pytest.mark.parametrize(
    "more", [{"delta": 0}, {"neighbours": "replace"}, {"unit": "row", "contributions": 1}]
)
def test_other_currencies_neighbours_and_units(more):
    frame = vault(**more).synthesize("visits", epsilon=15, columns=["ward", "age"]).to_pandas()
    assert mean_age(frame, "C") > mean_age(frame, "A") + 15


def test_an_engine_that_fails_says_nothing(monkeypatch):
    clinic = vault()

    def fail(self, coding, weights, *, rehearsing=False):
        if not rehearsing:
            raise ValueError("patient 7 has a cost of 40")
        return code(self, coding, weights, rehearsing=True)

    code = DuckDB.code
    monkeypatch.setattr(DuckDB, "code", fail)
    with pytest.raises(EngineFailed) as error:
        clinic.synthesize("visits", epsilon=1)
    assert error.value.__cause__ is None
    assert error.value.__context__ is None
    assert clinic.budget.spent > 0


def test_what_cannot_be_done_is_refused_before_it_is_paid_for():
    clinic = vault()
    for wrong in (
        {"epsilon": 0},
        {"epsilon": 1, "columns": ["note"]},
        {"epsilon": 1, "always": ["age > 3 AND ward = 'A' AND cost > 2"]},
        {"epsilon": 1, "always": ["nobody = 3"]},
    ):
        with pytest.raises(TacitError):
            clinic.synthesize("visits", **wrong)
    with pytest.raises(InvalidInput, match="name one of: visits"):
        clinic.synthesize("people", epsilon=1)
    assert clinic.budget.spent == 0


def test_files_are_written(tmp_path, synthetic):
    import pandas as pd

    synthetic.to_parquet(tmp_path / "a.parquet", 50)
    synthetic.to_csv(tmp_path / "a.csv", 50)
    assert len(pd.read_parquet(tmp_path / "a.parquet")) == 50
    assert list(pd.read_csv(tmp_path / "a.csv").columns) == list(synthetic.columns)
    with pytest.raises(InvalidInput, match="cannot be written"):
        synthetic.to_csv(tmp_path / "nowhere" / "a.csv", 5)


def test_the_report_draws_and_lists(tmp_path, synthetic):
    report = synthetic.report()
    assert len(report.pairs) == 10
    assert report.pairs[0].error >= report.pairs[-1].error
    assert report.to_pandas().shape == (10, 4)
    report.plot(str(tmp_path / "errors.png"))
    assert (tmp_path / "errors.png").stat().st_size > 5000


def test_numbers_that_are_whole_or_halves_by_the_release_are_synthesized_so():
    rows = [{"month": 1 + n % 12, "rating": n % 10 / 2, "size": n * 0.0137} for n in range(2000)]
    columns = {"month": (1, 12), "rating": (0, 5), "size": (0, 30)}
    clinic = tacit.protect(rows, unit="row", columns=columns, epsilon=5, delta=1e-6)
    found = clinic.synthesize("data", epsilon=5).columns_of()
    whole = [value for value in found["month"] if value is not None]
    assert sum(value == int(value) for value in whole) > 0.95 * len(whole)
    halves = [2 * value for value in found["rating"] if value is not None]
    assert sum(value == int(value) for value in halves) > 0.95 * len(halves)
    spread = [value for value in found["size"] if value is not None]
    assert sum(value == int(value) for value in spread) < 0.1 * len(spread)
    assert all(value == round(value, 3) for value in spread)
