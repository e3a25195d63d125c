"""What the tests of this folder share ends with them."""

from tests.docs.sources import parsed


def pytest_sessionfinish() -> None:
    # A million small objects, through which the collections of garbage at the end would look.
    parsed.cache_clear()
