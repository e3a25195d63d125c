"""Real data to try things on, which are shipped with the package.

Checked by: tests/docs/test_examples.py
"""

from __future__ import annotations

from pathlib import Path

from tacit.errors import InvalidInput

__all__ = ["FOLDER", "example"]

FOLDER = Path(__file__).resolve().parents[1] / "clinic"
"""The Mayo Clinic's NAFLD cohort: three tables, their notice and their licence."""


def example(name: str) -> Path:
    """The path of a table that is shipped with Tacit: "patients", "labs" or "events" of a real clinic.

    >>> example("labs").name
    'labs.parquet'
    >>> example("visits")
    Traceback (most recent call last):
    tacit.errors.InvalidInput: example cannot be 'visits'; name one of: events, labs, patients
    """
    known = sorted(path.stem for path in FOLDER.glob("*.parquet"))
    if name not in known:
        raise InvalidInput("example", name, f"name one of: {', '.join(known)}")
    return FOLDER / f"{name}.parquet"
