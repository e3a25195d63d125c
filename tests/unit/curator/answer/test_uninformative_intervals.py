"""That a number says next to nothing is said in its caption, by the released numbers and the plan alone."""

from contextlib import contextmanager
from datetime import date, timedelta
from unittest.mock import patch

import pytest

from tacit.curator import protect
from tacit.mechanisms import Gaussian, Laplace, RankedCells

NOTHING = "next to nothing"


@contextmanager
def exact_release():
    """Every mechanism releases what it was given; cells are drawn at both ends of what is ranked, and in the middle."""

    def cells(mechanism, value):
        middle = [mechanism.cells // 2] * (mechanism.draws - 2)
        return [(-1, *middle, mechanism.cells)[: mechanism.draws]] * len(value)

    with (
        patch.object(Laplace, "release", lambda _, value: value),
        patch.object(Gaussian, "release", lambda _, value: value),
        patch.object(RankedCells, "release", cells),
    ):
        yield


def vault_of(rows, delta=0, epsilon=10**6):
    columns = {
        "ward": ["A", "B", "C"],
        "cost": (0, 5000),
        "los": (0, 60),
        "day": (date(2024, 1, 1), date(2024, 12, 31)),
    }
    kept = {"unit": "patient", "contributions": 1, "columns": columns, "name": "visits"}
    return protect(rows, epsilon=epsilon, delta=delta, **kept)


NOBODY = [{"patient": None, "ward": "A", "cost": 1, "los": 1, "day": date(2024, 2, 1)}]


def patients(count):
    return [
        {
            "patient": place,
            "ward": "AB"[place % 2],
            "cost": place * 13 % 5000,
            "los": place * 7 % 60,
            "day": date(2024, 1, 1) + timedelta(days=place * 11 % 366),
        }
        for place in range(count)
    ]


EVERY = [
    *("AVG(cost)", "CORR(cost, los)", "VARIANCE(cost)", "STDDEV(los)", "COVAR_POP(cost, los)"),
    *("MEDIAN(cost)", "QUANTILE_CONT(los, 0.9)", "MEDIAN(day)"),
    *("ROUND(AVG(cost), 2)", "AVG(cost) / 1000", "REGR_R2(cost, los)", "AVG(cost) - AVG(los)"),
]


@pytest.mark.parametrize("delta", [0, 1e-6])
@pytest.mark.parametrize("shown", EVERY)
def test_an_interval_that_is_the_whole_range_is_said_to_say_nothing(shown, delta):
    """Of nobody: a count of 0 may be any within the noise, and cells are drawn at both ends."""
    with exact_release():
        said = vault_of(NOBODY, delta).sql(f"SELECT {shown} AS x FROM visits", epsilon=1)
    assert said.notes[0].startswith(f"x says {NOTHING}: its interval covers 95% or more of what is")


@pytest.mark.parametrize("shown", EVERY)
def test_a_narrower_interval_is_not_said_to_say_nothing(shown):
    """Noise at this price moves a count of 5,000 by less than one, but once in more than e**1000 runs."""
    said = vault_of(patients(5000)).sql(f"SELECT {shown} AS x FROM visits", epsilon=10**5)
    assert not [note for note in said.notes if NOTHING in note]


@pytest.mark.parametrize(
    "shown", ["COUNT(*)", "SUM(cost)", "MAX(cost)", "MIN(day)", "SUM(cost) / COUNT(*)"]
)
def test_what_has_no_range_or_always_reaches_its_end_is_not_spoken_of(shown):
    with exact_release():
        said = vault_of(NOBODY).sql(f"SELECT {shown} AS x FROM visits", epsilon=1)
    assert not [note for note in said.notes if NOTHING in note]


def test_beyond_the_confidence_of_quantiles_nothing_is_said_of_them():
    said = vault_of(patients(5000)).sql(
        "SELECT MEDIAN(cost) AS x FROM visits", epsilon=1000, confidence=0.99
    )
    assert said.rows[0][1:] == (0, 5000)
    assert not [note for note in said.notes if NOTHING in note]


def test_it_is_said_in_how_many_groups():
    """Two groups of 5,000 patients, and one of nobody: a count of none is within its noise."""
    text = "SELECT ward, AVG(cost) AS a, COUNT(*) AS n FROM visits GROUP BY ward"
    with exact_release():
        said = vault_of(patients(10_000)).sql(text, epsilon=1)
    assert said.notes[0].startswith(f"a says {NOTHING} in 1 of 3 groups: ")
    assert said.notes[0] in str(said)


def test_columns_that_say_nothing_share_a_sentence():
    with exact_release():
        said = vault_of(NOBODY).sql("SELECT AVG(cost) AS a, AVG(los) AS b FROM visits", epsilon=1)
    assert said.notes[0].startswith(f"a, b say {NOTHING}: intervals cover")


def test_a_slope_that_is_null_or_has_no_interval_has_a_reason():
    text = "SELECT REGR_SLOPE(cost, los) AS s FROM visits"
    with exact_release():
        said = vault_of(NOBODY).sql(text, epsilon=1)
    assert said.rows == ((None, None, None),)
    assert (
        "s is NULL where a variance it is divided by comes out as 0, within its noise; pay more, or ask about more "
        "rows"
    ) in said.notes
