"""Small fits: these tests are about what goes in and comes out, not about how well a mixture fits."""

import pytest

from tacit.synth import mixture, table_learning


@pytest.fixture(autouse=True, scope="module")
def small_fits():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mixture, "LADDER", ((8, 300),))
        patch.setattr(table_learning, "FITS", 1)
        yield
