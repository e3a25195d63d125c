"""What an optional library does: without it, the error says what to install."""

import sys

import polars as pl
import pytest

from tacit.curator import Price, Release
from tacit.engines.sources.source_kinds import source_of
from tacit.errors import NotInstalled, TacitError

ANSWER = Release(("n", "n_low", "n_high"), ((1, 0, 2),), ("n",), 0.95, Price(0.3, 0.01), {})


@pytest.mark.parametrize(
    ("way", "library", "extra"),
    [
        ("to_pandas", "pandas", "frames"),
        ("to_polars", "polars", "frames"),
        ("to_arrow", "pyarrow", "arrow"),
        ("plot", "matplotlib", "plot"),
    ],
)
def test_a_library_that_is_missing_is_named_with_what_brings_it(way, library, extra, monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == library]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)  # as if it were not there
    with pytest.raises(
        NotInstalled,
        match=rf"needs {library}\S*, which is not installed; pip install 'tacit-dp\[{extra}\]'",
    ):
        getattr(ANSWER, way)()


def test_it_is_a_refusal_and_an_import_error():
    assert issubclass(NotInstalled, TacitError)
    assert issubclass(NotInstalled, ImportError)


def test_a_polars_frame_without_arrow_says_what_to_install(monkeypatch):
    frame = pl.DataFrame({"ward": ["A"]})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(NotInstalled, match=r"needs pyarrow, .* pip install 'tacit-dp\[arrow\]'"):
        source_of(frame)
