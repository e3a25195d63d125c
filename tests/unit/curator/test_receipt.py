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
    assert (told["unit"], told["neighbours"], told["analyst"]) == ("patient", "add-or-remove", "alice")
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
    assert receipt(clinic, "SELECT ward, AVG(cost) AS other FROM visits GROUP BY ward LIMIT 1") == paid
    assert clinic.check_receipt(paid) == []


def changed(told: dict[str, Any], *path: str) -> dict[str, Any]:
    """The receipt with one thing changed."""
    other = deepcopy(told)
    place: Any = other
    for step in path[:-1]:
        place = place[step]
    was = place[path[-1]]
    place[path[-1]] = {"int": lambda: was + 1, "list": lambda: [*was, "1"]}.get(
        type(was).__name__, lambda: ("2" if str(was)[0] == "1" else "1") + str(was)[1:]
    )()
    return other


PATHS = [
    ("entry",),
    ("key",),
    ("hash",),
    ("answer",),
    ("analyst",),
    ("question",),
    ("version",),
    ("contributions",),
    ("mechanism",),
    ("scales",),
    ("worths",),
    ("loss", "charge", "amount"),
    ("loss", "charge", "failure"),
    ("limit", "before", "amount"),
    ("limit", "after", "amount"),
]


@pytest.mark.parametrize("path", PATHS, ids=".".join)
def test_a_receipt_in_which_anything_is_changed_has_a_fault(clinic: Vault, path: tuple[str, ...]) -> None:
    told = receipt(clinic)
    assert clinic.check_receipt(changed(told, *path))


@pytest.mark.parametrize("wrong", [{}, {"entry": "x"}, {"entry": 0}, {"entry": None}, {"entry": 0, "key": 5}])
def test_what_is_no_receipt_has_a_fault(clinic: Vault, wrong: dict[str, Any]) -> None:
    receipt(clinic)
    assert clinic.check_receipt(wrong)
