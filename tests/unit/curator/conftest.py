"""What all tests of vaults share: a database that the vault of an earlier test let go of."""

import pytest

from tests.scratch import reused_databases


@pytest.fixture(scope="module", autouse=True)
def _opened_seldom():
    with reused_databases():
        yield
