"""The area under the ROC curve, for all who are measured."""

from typing import Any

import numpy as np


def area(true: Any, score: Any) -> float:
    """The area under the ROC curve, ties counted by halves."""
    order = np.argsort(score, kind="stable")
    ranked, truth = np.asarray(score)[order], np.asarray(true)[order]
    _, first, counts = np.unique(ranked, return_index=True, return_counts=True)
    ranks = np.repeat(first + (counts + 1) / 2, counts)
    ones = int(truth.sum())
    return float((ranks[truth == 1].sum() - ones * (ones + 1) / 2) / (ones * (len(truth) - ones)))
