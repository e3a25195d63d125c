"""What is expected of correlations and their like beforehand is what comes of them."""

import re
from datetime import date
from unittest.mock import patch

import numpy as np
import pytest

from tacit.curator import protect
from tacit.mechanisms import Gaussian, Laplace

COLUMNS = {"x": (0, 60), "y": (0, 10_000), "ward": ["A", "B"]}
NAMES = {
    "CORR(x, y)": (2, "all that is possible"),
    "VARIANCE(x)": (60**2 / 2, "all that is possible"),
    "STDDEV(y)": (10_000 / 2**0.5, "all that is possible"),
    "AVG(y)": (10_000, "all that is possible"),
    "REGR_SLOPE(y, x)": (None, "no interval"),
}


def vault_of(rows, delta):
    kept = {"unit": "p", "contributions": 1, "columns": COLUMNS, "name": "t"}
    return protect(rows, epsilon=10**6, delta=delta, **kept)


def evenly(count):
    """Values that lie evenly over their bounds, and independently of each other."""
    side = round(count**0.5)
    x, y = np.meshgrid(np.linspace(0, 60, side), np.linspace(0, 10_000, side))
    pairs = zip(x.ravel().tolist(), y.ravel().tolist(), strict=True)
    return [{"p": at, "x": one, "y": two, "ward": "A"} for at, (one, two) in enumerate(pairs)]


def exact_release():
    """Every mechanism releases what it was given."""
    return patch.multiple(Laplace, release=lambda _, value: value), patch.multiple(
        Gaussian, release=lambda _, value: value
    )


@pytest.mark.parametrize("delta", [0, 1e-6])
@pytest.mark.parametrize("shown", NAMES)
def test_the_price_of_half_the_range_is_what_it_is_said_to_be(shown, delta):
    rows, text = evenly(1_024), f"SELECT {shown} AS a FROM t"
    (told,) = vault_of(rows, delta).explain(text, epsilon=0.001).remarks
    whole, what = NAMES[shown]
    assert told.startswith(
        f"a: expect {'an interval of ' * (whole is not None)}{what} in a group of 100"
    )
    (prices,) = re.findall(r"takes an epsilon of about ([^)]*)", told)
    epsilon = float(re.split(", | or ", prices)[1])  # with 1,000 rows
    first, second = exact_release()
    with first, second:
        _, low, high = vault_of(rows, delta).sql(text, epsilon=epsilon * 1.3).rows[0]
        _, least, most = vault_of(rows, delta).sql(text, epsilon=epsilon / 1.5).rows[0]
    if whole is None:
        assert None not in (low, high)
        assert (least, most) == (None, None)
    else:
        assert high - low <= whole / 2 < most - least


def test_it_is_said_of_no_count_and_of_no_mean_that_is_known_well():
    vault = vault_of(evenly(4), 0)
    for shown in ("COUNT(*)", "SUM(x)", "MEDIAN(x)", "AVG(x)"):
        assert vault.explain(f"SELECT {shown} AS a FROM t", epsilon=10).remarks == ()


def test_what_is_expected_does_not_depend_on_a_row():
    text = "SELECT ward, CORR(x, y) AS a, REGR_SLOPE(y, x) AS b FROM t GROUP BY ward"
    told = {
        vault_of(rows, 0).explain(text, epsilon=0.1).remarks for rows in (evenly(4), evenly(100))
    }
    assert len(told) == 1
    assert len(*told) == 2


def test_of_an_answer_that_is_stored_nothing_is_to_be_expected():
    vault, text = vault_of(evenly(100), 0), "SELECT CORR(x, y) AS a FROM t"
    assert vault.explain(text, epsilon=0.1).remarks
    vault.sql(text, epsilon=0.1)
    assert vault.explain(text, epsilon=0.1).remarks == ()


def test_where_no_price_is_enough_it_is_said_how_far_was_looked():
    """No noise is so small, or no price that was tried is so high."""
    columns = {
        "day": {"type": "date", "low": "2024-01-01", "high": "2024-12-31"},
        "big": (0, 2**40),
    }
    rows = [{"p": 1, "day": date(2024, 5, 1), "big": 3}]
    vault = protect(
        rows, unit="p", contributions=1, columns=columns, name="t", epsilon=10**6, delta=1e-6
    )
    for shown in (
        "NULLIF(AVG(CASE WHEN big BETWEEN 0 AND 9 THEN big END), 0)",
        "NULLIF(CORR(CASE WHEN big BETWEEN 0 AND 9 THEN big END, MONTH(day)), 0)",
        "NULLIF(AVG(MONTH(day) % 3), 0)",
        "CORR(big, big)",
    ):
        for epsilon in (1e-6, 1, 10**4):
            told = str(vault.explain(f"SELECT {shown} AS a FROM t", epsilon=epsilon))
            assert "Price:" in told
            assert "about )" not in told
