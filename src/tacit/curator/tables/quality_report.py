"""What a synthetic table is good for, and what it is not, said from the release alone."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from tacit.curator.tables.column_codes import CodedColumn
from tacit.frozen import frozen
from tacit.printing import printable
from tacit.synth import Model, distance_of, estimate_errors

__all__ = ["PairError", "SyntheticReport", "report_on"]

_TOO_FAR = 0.25
_LISTED = 8


@frozen
class PairError:
    """How far the synthetic table of two columns is from the real one: estimated, from 0 (the same)
    to 2.

    `measured` says whether noisy counts of the pair itself were released; else its columns were
    found, or supposed, to be nearly independent.
    """

    first: str
    second: str
    error: float
    measured: bool


@frozen
class SyntheticReport:
    """Estimated errors of all pairs of columns, worst first, and what not to use the table for."""

    table: str
    pairs: tuple[PairError, ...]
    single: dict[str, float]
    warnings: tuple[str, ...]

    @property
    def mean_error(self) -> float:
        """The mean of all pairs' errors."""
        return float(np.mean([pair.error for pair in self.pairs])) if self.pairs else 0.0

    def to_pandas(self) -> Any:
        """The pairs as a pandas DataFrame."""
        from tacit.extras import extra

        with extra("frames", "to_pandas"):
            import pandas as pd

        return pd.DataFrame(
            [[p.first, p.second, p.error, p.measured] for p in self.pairs],
            columns=["first", "second", "error", "measured"],
        )

    def plot(self, path: str | None = None) -> Any:
        """The errors of all pairs as a picture of squares, dark where a pair is far off; written to
        `path` if given."""
        from tacit.curator.tables.error_picture import draw_errors

        return draw_errors(self, path)

    def __str__(self) -> str:
        lines = [
            f"synthetic {printable(self.table)}: expected distance of two-column tables from the real ones, 0 to 2",
            f"  mean over {len(self.pairs)} {'pair' if len(self.pairs) == 1 else 'pairs'}: {self.mean_error:.3f}",
        ]
        for pair in self.pairs[:_LISTED]:
            how = "measured" if pair.measured else "not measured"
            lines.append(
                f"  {pair.error:.3f}  {printable(pair.first)} x {printable(pair.second)} ({how})"
            )
        if len(self.pairs) > _LISTED:
            lines.append(f"  … and {len(self.pairs) - _LISTED} that are nearer")
        lines.append("do not use it for:")
        lines += [f"  - {warning}" for warning in self.warnings]
        return "\n".join(lines)

    __repr__ = __str__


def report_on(
    table: str,
    columns: Sequence[CodedColumn],
    model: Model,
    not_modelled: Sequence[str],
    *,
    linked: bool = False,
) -> SyntheticReport:
    """The report of a model.

    Claim:      it is a function of what was released.
    Because:    the model is, and nothing else is passed in but declarations.
    Checked by: tests/laws/test_tables.py::test_everything_but_noise_is_the_same_on_neighbours
    """
    measured = {tuple(pair) for pair in model.facts["pairs"]}
    errors = estimate_errors(model) if len(columns) > 1 else {}
    pairs = [
        PairError(columns[a].name, columns[b].name, round(errors[a, b], 4), (a, b) in measured)
        for a, b in combinations(range(len(columns)), 2)
    ]
    single = {
        each.name: round(min(2.0, distance_of(model, place) / model.total), 4)
        for place, each in enumerate(columns)
    }
    ordered = tuple(sorted(pairs, key=lambda pair: -pair.error))
    return SyntheticReport(
        table, ordered, single, tuple(_warn(columns, model, not_modelled, ordered, linked=linked))
    )


def _warn(
    columns: Sequence[CodedColumn],
    model: Model,
    not_modelled: Sequence[str],
    pairs: Sequence[PairError],
    *,
    linked: bool,
) -> list[str]:
    """What the table should not be used for."""
    found = [
        "relations among three or more columns beyond those between pairs: no such table was measured"
    ]
    sigma = max(model.facts["sigmas"])
    found.append(
        f"numbers of fewer than about {max(1, round(3 * sigma)):,} rows: noise is as large as they are"
    )
    found.append(
        "relations among the rows of one unit, beyond their number and the unit's own row"
        if linked
        else "anything about one unit: its rows are not linked to each other"
    )
    if model.facts["information"] and not model.facts["pairs"]:
        found.append(
            "relations between columns: at this price none could be measured, so all columns are independent"
        )
    far = [pair for pair in pairs if pair.error > _TOO_FAR]
    if far:
        named = ", ".join(f"{printable(p.first)} x {printable(p.second)}" for p in far[:3])
        found.append(f"{len(far)} pairs that are off by more than {_TOO_FAR}, such as {named}")
    coarse = [each.name for each in columns if not each.is_exact and each.lattice is None]
    if coarse:
        found.append(
            f"fine detail of {', '.join(map(printable, coarse))}: values are spread evenly inside cells"
        )
    if not_modelled:
        found.append(f"{', '.join(map(printable, not_modelled))}: not in the table")
    return found
