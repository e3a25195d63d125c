"""diffprivlib: bounds that are missing."""

import warnings

import numpy as np
from diffprivlib import tools  # type: ignore[import-not-found]
from failures.telling import Seen, tell


def bounds() -> Seen:
    """Means without bounds: of equal rows, and of the same rows with one other among them."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        exact = {top: sum(mean(top) == 37.25 for _ in range(20)) for top in (37.25, 1e9)}
    told = f"exact in {exact[37.25]} of 20 answers and, with one other row, in {exact[1e9]}"
    return exact[37.25] == 20, f"answered with a warning ({said[-1].category.__name__}); {told}"


def mean(top: float) -> float:
    return float(tools.mean(np.array([37.25] * 99 + [top]), epsilon=1.0))


if __name__ == "__main__":
    tell({"V16, bounds": bounds})
