"""Random words that a test has written itself, or forbids."""

from collections.abc import Callable, Iterable

import numpy as np
import pytest

from tacit.exact import entropy


class Script:
    """Stands in for `entropy.words`: hands out the words it was given, in order, and not one more."""

    def __init__(self, words: Iterable[int]) -> None:
        self.left = list(words)[::-1]
        self.asked: list[int] = []

    def __call__(self, count: int) -> np.ndarray:
        self.asked.append(count)
        assert count <= len(self.left), f"{count} words are asked for and {len(self.left)} are left"
        return np.array([self.left.pop() for _ in range(count)], np.uint64)

    def followed_by(self, *words: int) -> "Script":
        """The same script with more words at its end."""
        self.left = [*words[::-1], *self.left]
        return self


@pytest.fixture
def script(monkeypatch) -> Callable[..., Script]:
    """Replaces the secure words by those given; what the test does not use up is in `left`."""

    def script(*words: int) -> Script:
        made = Script(words)
        monkeypatch.setattr(entropy, "words", made)
        return made

    return script


@pytest.fixture
def nothing_drawn(monkeypatch) -> None:
    """Fails the test if a single random word is asked for."""

    def refuse(count: int) -> np.ndarray:
        raise AssertionError(f"{count} words were drawn")

    monkeypatch.setattr(entropy, "words", refuse)
