"""Estimators follow scikit-learn's conventions, and predict without it."""

import subprocess
import sys

import numpy as np
import pytest

import tacit
from tacit.errors import InvalidInput
from tacit.learn import PCA, HistogramNB, KMeans, LinearRegression, NotFitted, Scorecard
from tests.laws.every_estimator import EVERY, make_rows, make_vault, rows_of

sklearn = pytest.importorskip("sklearn")


@pytest.mark.parametrize("name", EVERY)
def test_parameters_are_cloned_and_set(name):
    from sklearn.base import clone

    estimator, _ = EVERY[name]
    copy = clone(estimator)
    assert copy is not estimator
    assert copy.get_params() == estimator.get_params()
    assert copy.set_params(epsilon=2).epsilon == 2
    assert repr(copy).startswith(type(estimator).__name__ + "(")
    with pytest.raises(InvalidInput, match="parameter"):
        copy.set_params(unheard_of=1)


@pytest.mark.parametrize("name", EVERY)
def test_scikit_learn_s_own_checks_pass_where_they_apply(name):
    """Most of them fit arrays, which nobody can do here: rows are in a vault, and the tags say so."""
    from sklearn.utils.estimator_checks import estimator_checks_generator

    estimator, _ = EVERY[name]
    with pytest.warns(sklearn.exceptions.SkipTestWarning, match="requires input"):
        checks = list(estimator_checks_generator(type(estimator)(**estimator.get_params())))
    assert checks
    for instance, check in checks:
        check(instance)


def test_scikit_learn_knows_what_they_are():
    from sklearn.base import is_classifier, is_regressor
    from sklearn.utils.validation import check_is_fitted

    assert is_classifier(HistogramNB(epsilon=1))
    assert is_regressor(LinearRegression(epsilon=1))
    assert not is_classifier(KMeans(epsilon=1))
    model = HistogramNB(epsilon=1)
    with pytest.raises(sklearn.exceptions.NotFittedError):
        check_is_fitted(model)
    check_is_fitted(model.fit(rows_of(make_vault(make_rows(9))), "ill"))


def test_a_pipeline_goes_on_after_the_private_step():
    from sklearn.linear_model import LogisticRegression as TheirLogistic
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    private = PCA(2, epsilon=20).fit(rows_of(make_vault(make_rows(200))), columns=["age", "cost"])
    own = make_rows(60)
    after = make_pipeline(StandardScaler(), TheirLogistic())
    after.fit(private.transform(own), [row["ill"] for row in own])
    assert after.score(private.transform(own), [row["ill"] for row in own]) > 0.8


def test_frames_of_pandas_and_polars_are_predicted_like_columns():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    model = Scorecard(epsilon=20).fit(rows_of(make_vault(make_rows(100))), "ill")
    rows = make_rows(20)
    expected = model.predict(rows).tolist()
    assert model.predict(pandas.DataFrame(rows)).tolist() == expected
    assert model.predict(polars.DataFrame(rows)).tolist() == expected
    assert model.score(pandas.DataFrame(rows)) == model.score(rows, [row["ill"] for row in rows])


def test_nothing_is_predicted_before_a_fit():
    with pytest.raises(NotFitted, match="fit"):
        HistogramNB(epsilon=1).predict([{}])
    with pytest.raises(NotFitted):
        KMeans(epsilon=1).card()
    for ask in (Scorecard(epsilon=1).scores, Scorecard(epsilon=1).score, PCA(epsilon=1).score):
        with pytest.raises(NotFitted):
            ask([{}])


def test_rows_come_from_a_vault_and_targets_from_its_columns():
    rows = rows_of(make_vault(make_rows(5)))
    with pytest.raises(InvalidInput, match="vault"):
        HistogramNB(epsilon=1).fit(np.zeros((3, 2)), "ill")
    with pytest.raises(InvalidInput, match="target"):
        HistogramNB(epsilon=1).fit(rows)
    with pytest.raises(InvalidInput, match="name one of"):
        HistogramNB(epsilon=1).fit(rows, "unheard of")
    with pytest.raises(InvalidInput, match="target cannot be 'ndarray'; name the column"):
        HistogramNB(epsilon=1).fit(rows, np.zeros(5))


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ("age", r"give a list of names, as in \['age'\]"),
        (["age", "age"], "name every column once"),
        ([], "name at least one besides the target"),
        (["ill"], "name at least one besides the target"),
        (["agee"], "name one of"),
    ],
)
def test_features_are_a_list_of_names_each_once(columns, said):
    rows = rows_of(make_vault(make_rows(5)))
    with pytest.raises(InvalidInput, match=said):
        HistogramNB(epsilon=1).explain(rows, "ill", columns=columns)


def test_rows_of_one_s_own_are_scored_if_their_targets_are_known():
    """R squared of rows that are all alike is 0, or 1 where they are hit: as scikit-learn has it."""
    rows, own = rows_of(make_vault(make_rows(50))), make_rows(6)
    classes = HistogramNB(epsilon=4).fit(rows, "ill")
    numbers = LinearRegression(epsilon=4).fit(rows, "cost")
    for model in (classes, numbers):
        with pytest.raises(InvalidInput, match="give one for each of the 12 rows"):
            model.score(own, [True])
        with pytest.raises(InvalidInput, match="at least one row"):
            model.score([])
    with pytest.raises(InvalidInput, match="whose target is known"):
        numbers.score([{**row, "cost": None} for row in own])
    assert numbers.score([{**own[0], "cost": 1e6}] * 2) == 0


def test_what_is_not_declared_is_named_before_anything_is_paid():
    """A target that is no column, one without classes, features without declarations: each with what to write."""
    rows = [{"age": 30, "cost": 2.0, "note": "x", "ill": True}] * 9
    columns = {"age": "integer", "cost": "number", "note": "text", "ill": "boolean"}
    clinic = tacit.protect(rows, unit="row", columns=columns, epsilon=3, delta=1e-6)
    table = clinic.table("data")
    with pytest.raises(InvalidInput, match="target cannot be 'sick'; name one of: age, cost"):
        HistogramNB(epsilon=1).fit(table, "sick")
    with pytest.raises(InvalidInput, match=r"note = \{ type = \"text\", values"):
        HistogramNB(epsilon=1).fit(table, "note")
    with pytest.raises(InvalidInput, match=r"cost = \{ type = \"number\", low"):
        LinearRegression(epsilon=1).fit(table, "cost")
    with pytest.raises(InvalidInput, match="no other column has declared values or bounds"):
        HistogramNB(epsilon=1).fit(table, "ill")
    assert not list(clinic.ledger.entries())


def test_predictions_need_no_scikit_learn(tmp_path):
    import pickle

    model = HistogramNB(epsilon=20).fit(rows_of(make_vault(make_rows(50))), "ill")
    (tmp_path / "model").write_bytes(pickle.dumps(model))
    script = (
        "import sys, pickle; sys.modules['sklearn'] = None; sys.modules['scipy'] = None\n"
        f"model = pickle.load(open({str(tmp_path / 'model')!r}, 'rb'))\n"
        "print(model.predict([{'ward': 'A', 'age': 99, 'cost': 80.0}])[0], model.card().model)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "True HistogramNB\n"
