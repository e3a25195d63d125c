"""The picture of the page on synthetic tables: expected errors of all pairs of columns.

Run `python docs/pictures/synthetic.py`; it writes synthetic-tables.png beside itself.
"""

from pathlib import Path
from typing import Any

import tacit

__all__ = ["main"]

COLUMNS: dict[str, Any] = {
    "age": (18, 100),
    "male": {"type": "boolean", "nullable": False},
    "bmi": (10, 90),
    "days_followed": (0, 8000),
    "died": {"type": "boolean", "nullable": False},
}


def main() -> None:
    """Draw the report of one synthetic table."""
    patients = tacit.example("patients")
    clinic = tacit.protect(
        patients, unit="patient", contributions=1, columns=COLUMNS, epsilon=1, delta=1e-6
    )
    report = clinic.synthesize("patients", epsilon=1).report()
    report.plot(str(Path(__file__).parent / "synthetic-tables.png"))


if __name__ == "__main__":
    main()
