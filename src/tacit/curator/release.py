"""What leaves: a small table with error bars, its price and its receipt."""

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any
from unicodedata import combining, east_asian_width

from tacit.curator.unknown import Hiding
from tacit.frozen import frozen

__all__ = ["Price", "Release", "percent", "printable"]


@frozen
class Price:
    """What an answer cost: the epsilon it was asked at, its share of the limit, and whether it was free this time."""

    epsilon: float
    share: float
    free: bool = False

    def __str__(self) -> str:
        cost = f"epsilon {self.epsilon:.3g}, {self.share:.2%} of the limit"
        return f"nothing: answered before at {cost}" if self.free else cost


@frozen
class Release:
    """A private answer.  Every number that noise has touched brings the ends of its interval: `n`, `n_low`, `n_high`.

    `rows` are tuples in the order of `columns`; `measured` names the columns that have an interval, and `notes` say
    which of these hold for more, or for less, than their row.  Where keys are not public, `hiding` says which groups
    may be missing.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    measured: tuple[str, ...]
    confidence: float
    price: Price
    receipt: Mapping[str, Any]
    hiding: Hiding | None = None
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (dict(zip(self.columns, row, strict=True)) for row in self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def column(self, name: str) -> list[Any]:
        """One column's values, from the first row to the last."""
        return [row[self.columns.index(name)] for row in self.rows]

    def to_pandas(self) -> Any:
        """The answer as a pandas DataFrame."""
        import pandas as pd

        return pd.DataFrame(list(self), columns=list(self.columns))

    def to_polars(self) -> Any:
        """The answer as a polars DataFrame."""
        import polars as pl

        return pl.DataFrame({name: self.column(name) for name in self.columns}, strict=False)

    def to_arrow(self) -> Any:
        """The answer as an Arrow table."""
        import pyarrow as pa

        return pa.table({name: [_narrowed(cell) for cell in self.column(name)] for name in self.columns})

    def plot(self, path: str | None = None) -> Any:
        """A bar for each row and measured column, with its interval as a whisker; written to `path` if one is given."""
        from tacit.curator.pictures import bars

        return bars(self, path)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(printable(name))}</th>" for name in self._headings())
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(printable(cell))}</td>" for cell in cells) + "</tr>"
            for cells in self._cells()
        )
        caption = escape(self._caption())
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody><caption>{caption}</caption></table>"

    def __str__(self) -> str:
        """The answer as a table of plain text, an interval in one column with its number."""
        names = self._headings()
        lines = [[printable(cell) for cell in cells] for cells in (names, *self._cells())]
        widths = [max(map(_width, column)) for column in zip(*lines, strict=True)]
        shown = [
            "   ".join(
                _padded(cell, width, right=name in self.measured)
                for name, cell, width in zip(names, cells, widths, strict=True)
            )
            for cells in lines
        ]
        whole = sum(widths) + 3 * len(widths) + 1  # as wide as rich draws it on a terminal
        blank, rule, framed = " " * whole, f" {'─' * (whole - 2)} ", [f"  {line}  " for line in shown]
        return "\n".join([blank, framed[0], rule, *framed[1:], blank, self._caption()])

    __repr__ = __str__

    def __rich__(self) -> Any:
        from rich.box import SIMPLE_HEAD
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text  # which is shown as it is: a key may look like mark-up

        table = Table(box=SIMPLE_HEAD)
        for name in self._headings():
            table.add_column(Text(name), justify="left" if name not in self.measured else "right")
        for cells in self._cells():
            table.add_row(*(Text(cell) for cell in cells))
        return Group(table, Text(self._caption()))

    def _caption(self) -> str:
        hold = ", ".join([f"intervals hold with {percent(self.confidence)} probability", *self.notes])
        if self.hiding is not None:
            unit = self.receipt.get("unit", "unit")
            hold += f"; groups of fewer than about {self.hiding.shown(self.confidence):,} may be hidden (unit: {unit})"
        return f"made-up rows; {hold}" if self.receipt.get("made up") else f"{hold}; cost: {self.price}"

    def _headings(self) -> list[str]:
        ends = {f"{name}{end}" for name in self.measured for end in ("_low", "_high")}
        return [name for name in self.columns if name not in ends]

    def _cells(self) -> Iterator[list[str]]:
        for row in self:
            yield [
                f"{_shown(row[name])}  [{_shown(row[name + '_low'])}, {_shown(row[name + '_high'])}]"
                if name in self.measured
                else _shown(row[name])
                for name in self._headings()
            ]


def percent(confidence: float) -> str:
    """A confidence in percent, with as many digits as it has: 99.9 % is not 100 %.

    >>> percent(0.95), percent(0.999)
    ('95%', '99.9%')
    """
    return f"{100 * confidence:.12g}%"


def printable(text: str) -> str:
    """A text on one line, without what would move a terminal's cursor.

    >>> printable("a\\tb")
    'a·b'
    """
    return text if text.isprintable() else "".join(letter if letter.isprintable() else "·" for letter in text)


def _padded(cell: str, width: int, *, right: bool) -> str:
    space = " " * (width - _width(cell))
    return space + cell if right else cell + space


def _width(text: str) -> int:
    """How many places of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(letter) else 1 + (east_asian_width(letter) in "WF") for letter in text)


def _narrowed(value: Any) -> Any:
    """A cell that a column of Arrow can hold: a whole number beyond 64 bits becomes the nearest float."""
    return float(value) if isinstance(value, int) and not -(1 << 63) <= value < 1 << 63 else value


def _shown(value: Any) -> str:
    if value is None:
        return "—"
    if isinstance(value, float):
        return f"{value:,.2f}" if value == 0 or 0.1 <= abs(value) < 1e15 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
