"""What all tests of the mechanisms share."""

import numpy as np
import pytest

from tacit.exact import entropy


@pytest.fixture
def nothing_drawn(monkeypatch) -> None:
    """Fails the test if a single random word is asked for."""

    def refuse(count: int) -> np.ndarray:
        raise AssertionError(f"{count} words were drawn")

    monkeypatch.setattr(entropy, "words", refuse)
