"""What the tests of the command line share: folders in memory, where syncs are free."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.laws.every_ledger import folder


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """A folder of the test's own, gone when the test is."""
    with folder() as anchors:
        yield anchors.parent.resolve()
