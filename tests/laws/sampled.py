"""Examples that are drawn each on its own: Hypothesis repeats parts of earlier ones, and begins with empty ones.

Nothing is shrunk.  An example has a number, which a failure names; `example(number)` draws it again.  A test with the
marker `drawn` draws a few in `make test` and many in `make soak`.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

import pytest
from hypothesis.control import BuildContext
from hypothesis.errors import StopTest
from hypothesis.internal.conjecture.data import ConjectureData
from hypothesis.internal.conjecture.providers import HypothesisProvider
from hypothesis.strategies import DataObject, SearchStrategy


class _Provider(HypothesisProvider):
    """Draws no constants of modules that happen to be loaded: a number is the same example everywhere."""

    def _maybe_draw_constant(self, *_: Any, **__: Any) -> None:
        return None


@contextmanager
def example(number: int) -> Iterator[DataObject]:
    """What `st.data()` gives, drawn from a generator of its own."""
    data = ConjectureData(random=Random(number), provider=_Provider)
    with BuildContext(data, wrapped_test=example):
        yield DataObject(data)


def few(examples: int, many: int) -> int:
    """The first number of examples, and in `make soak` the second."""
    return many if os.environ.get("HYPOTHESIS_PROFILE") == "soak" else examples


def sampled(check: Callable[[Any], Counter[Any] | None], examples: int) -> Counter[Any]:
    """Check so many examples; the sum of what each has counted.

    An example that cannot be drawn, since a filter refuses it again and again, is left out, and another is added.
    """
    found, number, left = Counter[Any](), 0, examples
    while left:
        assert number < 2 * examples + 10, "too many examples cannot be drawn"
        try:
            with example(number) as data:
                found += check(data) or Counter()
            left -= 1
        except StopTest:
            pass
        except BaseException as error:
            error.add_note(f"in example {number}")
            raise
        number += 1
    return found


def each_of(
    examples: int, *strategies: SearchStrategy[Any], many: int
) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """Run a test for so many examples of some strategies, and for `many` in `make soak`."""

    def decorated(test: Callable[..., None]) -> Callable[[], None]:
        def run() -> None:
            sampled(
                lambda data: test(*(data.draw(strategy) for strategy in strategies)),
                few(examples, many),
            )

        run.__name__, run.__doc__, run.__module__ = test.__name__, test.__doc__, test.__module__
        return pytest.mark.drawn(run)

    return decorated
