"""How long questions of a class take, measured on made-up rows and written into the vault: slots are chosen by it."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tacit.curator import KINDS, PlanClass, Vault
from tacit.errors import InvalidInput
from tacit.frozen import frozen

__all__ = ["FILE", "Calibration", "calibrate", "read_calibration", "write_calibration"]

FILE = "slots.json"
"""Where the measured seconds of a vault are kept, beside its policy."""

_UNKNOWN = 1.0  # seconds that a question of a class takes that was not measured
_MARGIN = 5.0  # how many times as long a question may take as one that was measured: others use the machine, too
_TURNS = 3
_MADE_UP = 1_000  # rows of a twin's table
_TIMES = 32  # how many times as many are asked about


@frozen
class Calibration:
    """Seconds by table and kind of question, for so many rows of each table as were declared to `tacit calibrate`.

    Claim:      how long a slot is depends on public facts alone.
    Because:    seconds were measured on made-up rows, and the numbers of rows were given by the curator.
    Checked by: tests/unit/server/test_calibration.py::test_nothing_of_the_rows_is_measured
    """

    measured: Mapping[str, Mapping[str, float]] | None = None
    rows: Mapping[str, int] | None = None

    def seconds(self, asked: PlanClass | None) -> float:
        """The seconds that a question of this class may take; without a class, of any.

        >>> known = Calibration({"visits": {"sums": 0.2, "ranks": 0.5}})
        >>> known.seconds(PlanClass("ranks", ("visits",))), Calibration().seconds(None)
        (0.5, 1.0)
        """
        if self.measured is None:
            return _UNKNOWN
        if asked is None:
            return max(max(kinds.values(), default=_UNKNOWN) for kinds in self.measured.values())
        each = [self.measured.get(table, {}).get(asked.kind, _UNKNOWN) for table in asked.tables]
        return asked.parts * (sum(each) or _UNKNOWN)

    def told(self) -> dict[str, Any]:
        """What was measured, as JSON can hold it."""
        return {"seconds": dict(self.measured or {}), "rows": dict(self.rows or {})}


def calibrate(vault: Vault, rows: Mapping[str, int]) -> Calibration:
    """Measure how long each kind of question takes on each table, of so many made-up rows.

    The twin has 32 thousand rows; what a row costs is at most a question's seconds divided by them, and the rest is a
    straight line, with a margin of five.
    """
    for name, many in rows.items():
        if name not in vault.policy.tables or many < 1:
            remedy = f"give a number of rows for each of: {', '.join(vault.policy.tables)}"
            raise InvalidInput("--rows", f"{name}={many}", remedy)
    with vault.mock(times=_TIMES) as twin:
        measured = {
            name: {
                kind: _extrapolate(_time(twin, question), rows.get(name, _MADE_UP))
                for kind, question in questions_about(twin, name).items()
            }
            for name, shared in vault.policy.tables.items()
            if not shared.table.public
        }
    return Calibration(measured, dict(rows))


def questions_about(vault: Vault, table: str) -> dict[str, str]:
    """A question of each kind about a table, where its columns allow one."""
    shared = vault.policy.tables[table].table
    name = f'"{table}"'
    columns = [column for column in shared.columns if column.name != shared.unit]
    bounded = [each.name for each in columns if each.low is not None and each.high is not None]
    texts = [each.name for each in columns if each.values is None and each.kind.value == "text"]
    found = {"sums": f"SELECT COUNT(*) AS n FROM {name}"}  # noqa: S608 -- a declared name, in quotes
    if bounded:
        found["sums"] = f'SELECT COUNT(*) AS n, AVG("{bounded[0]}") AS m FROM {name}'  # noqa: S608
        found["ranks"] = f'SELECT MEDIAN("{bounded[0]}") AS m FROM {name}'  # noqa: S608
    if columns:
        found["distinct"] = f'SELECT COUNT(DISTINCT "{columns[0].name}") AS n FROM {name}'  # noqa: S608
    if texts:
        key = texts[0]
        found["keys"] = f'SELECT "{key}", COUNT(*) AS n FROM {name} GROUP BY "{key}"'  # noqa: S608
    assert set(found) <= set(KINDS), "these are kinds of questions"
    return found


def read_calibration(folder: Path) -> Calibration:
    """What was measured for a vault; nothing, if nothing was."""
    try:
        said = json.loads((folder / FILE).read_text(encoding="utf-8"))
        seconds = {
            str(table): {str(kind): float(each) for kind, each in kinds.items()}
            for table, kinds in said["seconds"].items()
        }
        rows = {str(table): int(many) for table, many in said["rows"].items()}
    except FileNotFoundError:
        return Calibration()
    except (ValueError, KeyError, AttributeError, TypeError):
        remedy = "measure again: tacit calibrate"
        raise InvalidInput("the file", str(folder / FILE), remedy) from None
    return Calibration(seconds, rows)


def write_calibration(folder: Path, found: Calibration) -> Path:
    """Write what was measured beside the policy of a vault."""
    file = folder / FILE
    file.write_text(json.dumps(found.told(), indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return file


def _time(vault: Vault, question: str) -> float:
    """The seconds of one question, the longest of a few turns; the first is not counted. A twin looks each time."""
    price, taken = vault.policy.limit.epsilon / 100, []
    for _ in range(_TURNS + 1):
        before = time.perf_counter()
        vault.sql(question, epsilon=price)
        taken.append(time.perf_counter() - before)
    return max(taken[1:])


def _extrapolate(seconds: float, rows: int) -> float:
    """The seconds for so many rows, at most in proportion to those that were measured."""
    return round(_MARGIN * seconds * (1 + rows / (_TIMES * _MADE_UP)), 4)
