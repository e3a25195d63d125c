"""How results are shown: tables of figures, and for each requirement the case that comes nearest to missing it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text under heads, printed as Markdown."""

    title: str
    heads: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]

    def __str__(self) -> str:
        widths = [
            max(len(row[i]) for row in [self.heads, *self.rows]) for i in range(len(self.heads))
        ]
        ruler = tuple(
            "-" * widths[0] if i == 0 else "-" * (width - 1) + ":" for i, width in enumerate(widths)
        )
        lines = [
            "| " + " | ".join(_cells(row, widths)) + " |" for row in [self.heads, ruler, *self.rows]
        ]
        return "\n".join([f"**{self.title}**", "", *lines])


def _cells(row: tuple[str, ...], widths: list[int]) -> Iterable[str]:
    return (
        cell.ljust(width) if i == 0 else cell.rjust(width)
        for i, (cell, width) in enumerate(zip(row, widths, strict=True))
    )


@dataclass(frozen=True, slots=True)
class Requirement:
    """What must hold in every case; a margin is how many times better than needed, below 1 is a miss."""

    text: str
    margins: dict[str, float | None]

    @property
    def missed(self) -> bool:
        """Whether a measured case falls short."""
        return any(margin < 1 for margin in self._measured().values())

    def row(self) -> tuple[str, str, str, str]:
        """The requirement, its narrowest case, the margin there, and the verdict."""
        measured = self._measured()
        if not measured:
            return self.text, "–", "–", "not measured"
        where = min(measured, key=lambda case: measured[case])
        return self.text, where, _margin(measured[where]), "MISSED" if self.missed else "holds"

    def _measured(self) -> dict[str, float]:
        return {case: margin for case, margin in self.margins.items() if margin is not None}


@dataclass(frozen=True, slots=True)
class Result:
    """What one bench found."""

    title: str
    tables: list[Table]
    requirements: list[Requirement] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        parts = [f"## {self.title}", *map(str, self.tables), *self.notes]
        if self.requirements:
            heads = ("requirement", "narrowest case", "margin", "verdict")
            parts.append(
                str(
                    Table(
                        "Verdicts", heads, [requirement.row() for requirement in self.requirements]
                    )
                )
            )
        return "\n\n".join(parts)


def _margin(value: float) -> str:
    """How many times better, with enough digits to tell it from 1."""
    return f"{value:.5f} ×" if 0.99 < value < 1.01 else f"{value:.2f} ×"


def ratio(above: float | None, below: float | None) -> float | None:
    """One over the other, where both were measured."""
    return None if above is None or below is None else above / below


def shown(value: float | None, digits: int = 3, unit: str = "") -> str:
    """A figure with so many digits, or a dash where there is none."""
    if value is None:
        return "–"
    decimals = max(0, digits - len(str(int(abs(value))))) if abs(value) >= 1 else digits
    return f"{value:,.{decimals}f}{unit}"
