"""A scorecard adds up points, and leaves copies of a column as much weight as one of them."""

import numpy as np

from tacit.learn import HistogramNB, Scorecard
from tests.laws.every_estimator import protect_columns

DRAW = np.random.default_rng(7)
CAUSE = DRAW.integers(0, 4, 8_000)
ILL = DRAW.random(8_000) < np.array([0.1, 0.3, 0.6, 0.9])[CAUSE]
TABLE = {"cause": CAUSE.tolist(), "ill": ILL.tolist()} | {
    f"copy{k}": CAUSE.tolist() for k in range(4)
}
COLUMNS = {"ill": "boolean", "cause": [0, 1, 2, 3]} | {f"copy{k}": [0, 1, 2, 3] for k in range(4)}


def test_copies_of_a_column_are_not_counted_as_evidence_again():
    """Naive Bayes is five times too sure; the scorecard is not."""
    vault = protect_columns(TABLE, unit="row", columns=COLUMNS, epsilon=40, delta=1e-6)
    card = Scorecard(epsilon=10).fit(vault.table("data"), "ill")
    naive = HistogramNB(epsilon=10).fit(vault.table("data"), "ill")
    one = {name: [3] for name in COLUMNS}
    assert abs(card.predict_proba(one)[0, 1] - 0.9) < 0.06
    assert naive.predict_proba(one)[0, 1] > 0.99
    points = card.points()
    assert list(points) == [name for name in COLUMNS if name != "ill"]
    assert sum(each[3] - each[0] for each in points.values()) > 2
    assert card.decision_function(one)[0] > 0
