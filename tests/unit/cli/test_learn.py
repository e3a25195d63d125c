"""`tacit learn`, as people run it."""

import json
import pickle
from pathlib import Path

import pytest

from tacit.cli.learn import MODELS
from tacit.learn import Estimator
from tests.unit.cli.clinics import called, vault


@pytest.fixture
def run(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    return lambda *words: called(capsys, monkeypatch, *words)


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    return vault(tmp_path)


def test_a_model_is_explained_for_nothing_then_fitted_and_free_the_second_time(
    run, clinic, tmp_path
):
    words = ("learn", clinic, "visits", "--epsilon", "1", "--model", "linear", "--target", "cost")
    said = run(*words, "--explain")
    assert said.code == 0, said.err
    assert "would cost" in said.out
    out = tmp_path / "model"
    said = run(*words, "--out", out)
    assert said.code == 0, said.err
    assert "LinearRegression of visits, target cost" in said.out
    assert "do not" in said.out
    assert pickle.loads(out.read_bytes()).target_ == "cost"
    again = json.loads(run(*words, "--json").out)
    assert again["free"] is True
    assert again["features"] == ["ward"]
    assert again["receipt"]["kind"] == "LinearRegression"
    assert run(*words, "--out", tmp_path / "model.json").code == 0
    back = Estimator.from_dict(json.loads((tmp_path / "model.json").read_text()))
    assert back.target_ == "cost"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--model", "oracle"), "--model"),
        (("--model", "logistic", "--target", "ward", "--size", "3"), "no size"),
        (("--model", "k-means", "--target", "ward"), "predicts nothing"),
        (("--model", "scorecard"), "target"),
    ],
)
def test_what_makes_no_sense_is_refused(run, clinic, words, complaint):
    said = run("learn", clinic, "visits", "--epsilon", "1", *words)
    assert said.code != 0
    assert complaint in said.err


@pytest.mark.parametrize("model", MODELS)
def test_every_model_has_a_name(run, clinic, model):
    """Each is explained on a table with a category of a few values, or refused for want of two classes."""
    target = {"linear": "cost", "k-means": None, "pca": None}.get(model, "ward")
    named = () if target is None else ("--target", target)
    said = run("learn", clinic, "visits", "--epsilon", "1", "--model", model, *named, "--explain")
    assert said.code == 0 or "two classes" in said.err or "number" in said.err, said.err
