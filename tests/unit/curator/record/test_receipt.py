"""A receipt states what the ledger keeps, and nothing else passes for one."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tacit.curator import Vault, open_vault
from tests.unit.cli.clinics import vault

COUNT = "SELECT ward, COUNT(*) AS n, AVG(cost) AS mean FROM visits GROUP BY ward"


@pytest.fixture
def clinic(tmp_path: Path) -> Vault:
    return open_vault(vault(tmp_path), analyst="alice")


def receipt(clinic: Vault, text: str = COUNT, epsilon: float = 0.3) -> dict[str, Any]:
    plain: dict[str, Any] = json.loads(json.dumps(dict(clinic.sql(text, epsilon=epsilon).receipt)))
    return plain


def test_a_receipt_says_everything_that_a_reader_needs(clinic: Vault) -> None:
    told = receipt(clinic)
    assert (told["unit"], told["neighbours"], told["analyst"]) == (
        "patient",
        "add-or-remove",
        "alice",
    )
    assert told["loss"]["currency"] == "zero-concentrated"
    assert told["loss"]["alone"]["epsilon"] == pytest.approx(0.3, rel=1e-6)
    assert told["limit"]["before"]["amount"] == "0"
    assert told["limit"]["after"] == told["loss"]["charge"]
    assert int(told["limit"]["most"]["amount"]) > int(told["limit"]["after"]["amount"])
    assert told["mechanism"] == "Gaussian"
    assert len(told["scales"]) == len(told["worths"]) >= 2
    assert len(told["hash"]) == len(told["question"]) == len(told["answer"]) == 64


def test_an_honest_receipt_has_no_faults(clinic: Vault) -> None:
    told = receipt(clinic)
    receipt(clinic, "SELECT COUNT(*) AS n FROM visits", 0.1)
    assert clinic.check_receipt(told) == []


def test_the_receipt_of_a_free_answer_is_that_of_the_one_that_was_paid_for(clinic: Vault) -> None:
    paid = receipt(clinic)
    assert receipt(clinic, COUNT.replace("AS mean", "AS other") + " LIMIT 1") == paid
    assert clinic.check_receipt(paid) == []


def paths(told: dict[str, Any], before: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """Where in a receipt something is said."""
    found = []
    for name, value in told.items():
        found += paths(value, (*before, name)) if isinstance(value, dict) else [(*before, name)]
    return found


def changes(value: Any) -> list[Any]:
    """Other values, some of which look alike."""
    match value:
        case bool():
            return [not value]
        case int() | float():
            return [value + 1, str(value), value + 0.5]
        case list():
            return [[*value, "1"], value[1:]]
        case None:
            return ["someone"]
        case _:
            return [f"{value} ", "", None]


def with_changed(told: dict[str, Any], path: tuple[str, ...], value: Any) -> dict[str, Any]:
    other = deepcopy(told)
    place: Any = other
    for step in path[:-1]:
        place = place[step]
    if value is ...:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return other


def test_a_receipt_in_which_anything_is_changed_or_left_out_has_a_fault(clinic: Vault) -> None:
    told = receipt(clinic)
    assert len(paths(told)) > 25
    for path in paths(told):
        value: Any = told
        for step in path:
            value = value[step]
        for other in (*changes(value), ...):
            assert clinic.check_receipt(with_changed(told, path, other)), (path, other)
    assert clinic.check_receipt({**told, "more": 1})


def test_a_limit_that_changed_since_leaves_receipts_as_they_were(tmp_path: Path) -> None:
    folder = vault(tmp_path)
    with open_vault(folder) as clinic:
        told = receipt(clinic)
    (folder / "tacit.toml").write_text(
        (folder / "tacit.toml").read_text().replace("epsilon = 2.0", "epsilon = 3.0")
    )
    with open_vault(folder) as clinic:
        assert clinic.check_receipt(told) == []
        assert receipt(clinic) == told


@pytest.mark.parametrize(
    "wrong", [{}, {"entry": "x"}, {"entry": 0}, {"entry": None}, {"entry": 0, "key": 5}]
)
def test_what_is_no_receipt_has_a_fault(clinic: Vault, wrong: dict[str, Any]) -> None:
    receipt(clinic)
    assert clinic.check_receipt(wrong)
