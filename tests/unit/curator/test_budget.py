"""What an answer costs is said of one limit: everyone's; an analyst's own is named beside it."""

from pathlib import Path

import pytest

import tacit
from tacit.errors import InvalidPolicy
from tests.unit.cli.clinics import POLICY, vault

COUNT = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"


def test_explain_and_sql_speak_of_the_same_limit(tmp_path: Path) -> None:
    with tacit.open(vault(tmp_path), analyst="alice") as clinic:
        told = clinic.explain(COUNT, epsilon=0.3)
        paid = clinic.sql(COUNT, epsilon=0.3).price.share
        assert told.share == pytest.approx(paid)
        assert told.own is not None
        share, left = told.own
        assert (share > 5 * told.share, left) == (True, 1.0)
        assert f"of the analyst's own limit: {share:.2%}; 100.00% is left." in str(told)
        after = clinic.explain(COUNT + " LIMIT 1", epsilon=0.3).own
        assert after is not None
        assert after[1] == pytest.approx(1 - share)


def test_what_the_analyst_cannot_afford_is_said_although_everyone_could(tmp_path: Path) -> None:
    clinic = vault(tmp_path)
    with tacit.open(clinic, analyst="alice") as alice, tacit.open(clinic) as curator:
        assert not alice.explain(COUNT, epsilon=1).affordable
        assert curator.explain(COUNT, epsilon=1).affordable
        assert curator.explain(COUNT, epsilon=1).own is None


@pytest.mark.parametrize("share", ['"1/3"', "0.25", "1"])
def test_an_analyst_has_a_share_of_the_limit(tmp_path: Path, share: str) -> None:
    policy = POLICY.replace("[analysts.alice]\nepsilon = 0.5", f"[analysts.alice]\nshare = {share}")
    with tacit.open(vault(tmp_path, policy), analyst="alice") as clinic:
        own = clinic.policy.analysts["alice"].filter().limit.amount
        whole = clinic.policy.limit.filter().limit.amount
    part = {'"1/3"': 1 / 3, "0.25": 0.25, "1": 1}[share]
    assert own / whole == pytest.approx(part)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("share = 0", 'share = 0.25 or share = "1/3"'),
        ("share = 2", "write a part of the limit"),
        ("share = true", "write a part of the limit"),
        ('share = "1/0"', "write a part of the limit"),
        ("share = 0.5\nepsilon = 1", "give only one of them"),
    ],
)
def test_a_share_that_is_none_is_refused_with_its_line(
    tmp_path: Path, lines: str, words: str
) -> None:
    policy = POLICY.replace("[analysts.alice]\nepsilon = 0.5", f"[analysts.alice]\n{lines}")
    with pytest.raises(InvalidPolicy, match="line") as refusal:
        tacit.open(vault(tmp_path, policy))
    assert words in str(refusal.value)


def test_a_missing_vault_is_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="tacit init"):
        tacit.open(tmp_path / "nowhere")
    with pytest.raises(InvalidPolicy):
        tacit.open(tmp_path / "nowhere")
