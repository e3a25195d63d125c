"""What leaves: a small table with error bars, its price and its receipt."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, time
from html import escape
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unicodedata import combining, east_asian_width

from tacit.curator.answer.left_out_captions import LeftOut
from tacit.errors import InvalidInput
from tacit.extras import extra
from tacit.frozen import frozen
from tacit.printing import printable, spreadsheet_cell

if TYPE_CHECKING:
    from tacit.curator.pricing.unknown_key_threshold import Hiding


__all__ = ["Price", "Release", "Texts", "percent", "texts_of"]

_LEFT_OUT = "left out or clipped:"
_NOT_COVERED = "left out or clipped, which intervals do not cover:"
_WIDE_TABLE, _SHORT_HEADING = 80, 24
_ELSEWHERE = {
    **dict.fromkeys(("df", "to_df", "fetchdf", "fetch_df", "dataframe"), "answer.to_pandas()"),
    **dict.fromkeys(("pl", "to_pl"), "answer.to_polars()"),
    **dict.fromkeys(("arrow", "fetch_arrow_table"), "answer.to_arrow()"),
    **dict.fromkeys(("fetchall", "fetchone", "all", "first", "one", "values"), "answer.rows"),
    **dict.fromkeys(("scalar", "value", "result"), "answer.item()"),
    **dict.fromkeys(("iloc", "loc", "iterrows", "itertuples"), "answer.rows"),
    **dict.fromkeys(("to_dicts", "mappings"), "list(answer)"),
}
"""What is done with answers in other libraries, and here."""

_FOUR_DIGITS = 1000  # the first year that is written the same everywhere


@frozen
class Price:
    """What an answer cost: the epsilon it was asked at, its share of the limit, and whether it was free this time."""

    epsilon: float
    share: float
    free: bool = False

    def __str__(self) -> str:
        cost = f"epsilon {self.epsilon:.3g}, {self.share:.2%} of the limit"
        return f"nothing: the stored answer, which cost {cost}" if self.free else cost


@frozen
class Release:
    """A private answer.  Every noisy number has the ends of its interval: `n`, `n_low`, `n_high`.

    `rows` are tuples in the order of `columns`; `measured` names the columns that have an interval, and `notes` say
    which intervals hold for all groups simultaneously, or may miss.  Where keys are discovered, `hiding` says which
    groups may be missing.  `left_out` says what the answer leaves out or clips, judging by the policy and the
    question, not by the rows.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    measured: tuple[str, ...]
    confidence: float
    price: Price
    receipt: Mapping[str, Any]
    hiding: Hiding | None = None
    left_out: tuple[LeftOut, ...] = ()
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (dict(zip(self.columns, row, strict=True)) for row in self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def column(self, name: str) -> list[Any]:
        """One column's values, from the first row to the last."""
        if name not in self.columns:
            raise InvalidInput("column", name, f"name one of: {', '.join(self.columns)}")
        place = self.columns.index(name)
        return [row[place] for row in self.rows]

    def __getitem__(self, name: str) -> list[Any]:
        return self.column(name)

    def __getattr__(self, name: str) -> Any:
        """Nothing; but of a column it is said how to have it."""
        known = () if name.startswith("_") else self.columns
        meant = f": here it is {_ELSEWHERE[name]}" if name in _ELSEWHERE else ""
        meant = f': its column is answer["{name}"]' if name in known else meant
        raise AttributeError(f"an answer has no attribute {name!r}{meant}")

    def item(self) -> Any:
        """The number of an answer that has a single row and a single aggregate."""
        if len(self.rows) != 1 or len(self.measured) != 1:
            rows, measured = len(self.rows), len(self.measured)
            shape = f"{rows} row{'s' * (rows != 1)} and {measured} aggregate{'s' * (measured != 1)}"
            remedy = f'the answer has {shape}; name a column, as in answer["n"]'
            raise InvalidInput("a single number", None, remedy)
        return self.column(self.measured[0])[0]

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns by name, each a list of its values from the first row to the last."""
        if not self.rows:
            return {name: [] for name in self.columns}
        return dict(zip(self.columns, map(list, zip(*self.rows, strict=True)), strict=True))

    def to_markdown(self) -> str:
        """The answer as a table in Markdown, without its caption."""
        return texts_of(self).to_markdown()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The answer for any library that reads Arrow streams; it needs pyarrow."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> Any:
        """The answer as a pandas DataFrame."""
        with extra("frames", "to_pandas"):
            import pandas as pd

        return pd.DataFrame(list(self), columns=list(self.columns))

    def to_polars(self) -> Any:
        """The answer as a polars DataFrame."""
        with extra("frames", "to_polars"):
            import polars as pl

        return pl.DataFrame(self.typed_columns(), strict=False)

    def to_arrow(self) -> Any:
        """The answer as an Arrow table."""
        with extra("arrow", "to_arrow"):
            import pyarrow as pa

        return pa.table(self.typed_columns())

    def to_arrow_stream(self) -> bytes:
        """The answer as the bytes of an Arrow stream, for programs in any language."""
        with extra("arrow", "to_arrow_stream"):
            import pyarrow as pa

        table, target = self.to_arrow(), pa.BufferOutputStream()
        with pa.ipc.new_stream(target, table.schema) as stream:
            stream.write_table(table)
        written: bytes = target.getvalue().to_pybytes()
        return written

    def to_csv(self, path: str | Path | None = None) -> str:
        """The answer as CSV, written to `path` if given; a text that a spreadsheet would compute begins with '."""
        written = StringIO()
        lines = csv.writer(
            written, lineterminator="\r\n"
        )  # as the format has it: a line that breaks within a cell is quoted
        lines.writerow([spreadsheet_cell(name) for name in self.columns])
        for row in self.rows:
            lines.writerow(
                [spreadsheet_cell(cell) if isinstance(cell, str) else cell for cell in row]
            )
        text = written.getvalue()
        if path is not None:
            try:
                Path(path).write_text(text, encoding="utf-8", newline="")
            except OSError as error:
                why = f"it cannot be written ({str(error.strerror).lower()}); name a file that you may write"
                raise InvalidInput("path", str(path), why) from None
        return text

    def typed_columns(self) -> dict[str, list[Any]]:
        """The columns by name, each of one type, as frames need them: integers among other numbers become floats."""
        return {name: _of_one_type(cells) for name, cells in self.to_dict().items()}

    def plot(self, path: str | None = None, *, ax: Any = None, title: str | None = None) -> Any:
        """A chart with one panel for each measured column, and intervals as whiskers.

        A key of numbers or dates is drawn as a line, any other as bars; a second key is shown by colours.  The chart is
        written to `path` if given, and drawn into `ax` (matplotlib axes) if given, instead of a new figure.
        """
        from tacit.curator.answer.plot import bars

        return bars(self, path, ax=ax, title=title)

    def _repr_html_(self) -> str:
        return texts_of(self).to_html()

    def __str__(self) -> str:
        """The answer as a table of plain text, an interval in one column with its number."""
        return str(texts_of(self))

    __repr__ = __str__

    def __rich_console__(self, _: Any, options: Any) -> Iterator[Any]:
        """The answer on a terminal; where that is too narrow, intervals stand below their numbers."""
        from rich.box import SIMPLE_HEAD
        from rich.table import Table
        from rich.text import Text  # which reads no mark-up: a key may look like it

        texts, table = texts_of(self), Table(box=SIMPLE_HEAD)
        if len(str(texts).partition("\n")[0]) > options.max_width:
            texts = texts_of(self, between="\n")
        for heading, right in zip(texts.short_headings(), texts.right, strict=True):
            table.add_column(Text(heading), justify="right" if right else "left")
        for cells in texts.rows:
            table.add_row(*(Text(cell) for cell in cells))
        yield table
        yield Text(texts.caption)

    def caption(self) -> str:
        """What can be said about the whole answer, one thing a line."""
        hold = (
            f"intervals cover the noise with {percent(self.confidence)} probability"
            if self.measured
            else "no column has an interval"
        )
        lines = [
            f"computed on made-up rows; {hold}"
            if self.receipt.get("made up")
            else f"{hold}; cost: {self.price}",
            *self.notes,
        ]
        if self.hiding is not None:
            few = f"{self.hiding.units_shown(self.confidence):,}"
            lines.append(
                f"groups of fewer than about {few}{self.hiding.of_keys} may be hidden (unit: "
                f"{self.receipt.get('unit', 'unit')})"
            )
        if self.left_out:
            lines.append(_NOT_COVERED if self.measured else _LEFT_OUT)
        return "\n".join(map(printable, [*lines, *map(str, self.left_out)]))


@frozen
class Texts:
    """An answer as texts that can be printed: headings, which of them are over numbers, rows and the caption."""

    headings: tuple[str, ...]
    right: tuple[bool, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str

    def __str__(self) -> str:
        """A table of plain text, as wide as rich draws it on a terminal."""
        columns = zip(self.short_headings(), *self.rows, strict=True)
        aligned = list(map(_align, columns, self.right))
        whole = sum(width + 3 for _, width in aligned) + 1
        lines = [
            f"  {'   '.join(cells)}  "
            for cells in zip(*[cells for cells, _ in aligned], strict=True)
        ]
        blank, rule = " " * whole, f" {'─' * (whole - 2)} "
        return "\n".join([blank, lines[0], rule, *lines[1:], blank, self.caption])

    def short_headings(self) -> tuple[str, ...]:
        """The headings, without the middle of those that are too long for a wide table; all of them still differ."""
        wide = sum(
            max(map(_width, cells)) + 3 for cells in zip(self.headings, *self.rows, strict=True)
        )
        if wide < _WIDE_TABLE:
            return self.headings
        short = [
            _without_middle(heading, max(map(_width, cells), default=0))
            for heading, *cells in zip(self.headings, *self.rows, strict=True)
        ]
        return tuple(short) if len(set(short)) == len(short) else self.headings

    def to_html(self) -> str:
        """A table in HTML with its caption."""
        head = "".join([f"<th>{escape(heading)}</th>" for heading in self.headings])
        rows = ["".join([f"<td>{escape(cell)}</td>" for cell in cells]) for cells in self.rows]
        body = "".join([f"<tr>{row}</tr>" for row in rows])
        caption = escape(self.caption).replace("\n", "<br>")
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody><caption>{caption}</caption></table>"

    def to_markdown(self) -> str:
        """A table in Markdown, without the caption."""
        rule = ["--:" if right else ":--" for right in self.right]
        lines = [self.headings, rule, *self.rows]
        cells = ([cell.replace("|", "\\|") for cell in line] for line in lines)
        return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def texts_of(release: Release, between: str = "  ") -> Texts:
    """What is shown of an answer: its headings and cells as texts; `between` stands before every interval."""
    columns = release.to_dict()
    shown = {}
    for name in release.measured:
        ends = columns.pop(f"{name}_low"), columns.pop(f"{name}_high")
        shown[name] = _format_numbers(columns[name], *ends, between)
    cells = [
        shown[name] if name in shown else _format_keys(values) for name, values in columns.items()
    ]
    return Texts(
        tuple(map(printable, columns)),
        tuple([name in shown for name in columns]),
        tuple(zip(*cells, strict=True)),
        release.caption(),
    )


def percent(confidence: float) -> str:
    """A confidence in percent, with as many digits as it has: 99.9 % is not 100 %.

    >>> percent(0.95), percent(0.999)
    ('95%', '99.9%')
    """
    return f"{100 * confidence:.12g}%"


def _without_middle(heading: str, width: int) -> str:
    """A heading as wide as its cells, if these are not narrower than is readable.

    >>> _without_middle("QUANTILE_CONT(los,[0.25,0.5,0.75])_0.25", 21)
    'QUANTILE_CONT(…75])_0.25'
    """
    most = max(width, _SHORT_HEADING)
    if len(heading) <= most:
        return heading
    end = _SHORT_HEADING * 3 // 8
    return f"{heading[: most - end - 1]}…{heading[-end:]}"


def _align(cells: Sequence[str], right: bool) -> tuple[list[str], int]:
    """Cells of a column with as many spaces as make them equally wide, and how wide they are."""
    widths = list(map(_width, cells))
    widest = max(widths)
    spaces = [" " * (widest - width) for width in widths]
    pairs = zip(spaces, cells, strict=True) if right else zip(cells, spaces, strict=True)
    return list(map("".join, pairs)), widest


def _width(text: str) -> int:
    """How many places of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if combining(letter) else 1 + (east_asian_width(letter) in "WF") for letter in text
    )


def _of_one_type(cells: list[Any]) -> list[Any]:
    """Cells that one column can hold: beside a float, or beyond 64 bits, whole numbers become the nearest floats."""
    for cell in cells:
        is_narrow = isinstance(cell, int) and -(1 << 63) <= cell < 1 << 63
        if isinstance(cell, int | float) and not is_narrow:
            break
    else:
        return cells
    return [
        float(cell) if isinstance(cell, int) and not isinstance(cell, bool) else cell
        for cell in cells
    ]


def _format_numbers(
    values: list[Any], lows: list[Any], highs: list[Any], between: str
) -> list[str]:
    """Numbers as texts, each with its interval."""
    columns = [list(map(_format_cell, column)) for column in (values, lows, highs)]
    return [f"{value}{between}[{low}, {high}]" for value, low, high in zip(*columns, strict=True)]


def _format_keys(values: list[Any]) -> list[str]:
    """Keys as texts: a year has no thousands separator, a day no time, a month no day.

    >>> _format_keys([2024, None]), _format_keys([datetime(2024, 1, 1), datetime(2024, 2, 1)])
    (['2024', 'NULL'], ['2024-01', '2024-02'])
    >>> _format_keys([datetime(2024, 1, 1)]), _format_keys([datetime(2024, 1, 1, 12)])
    (['2024-01-01'], ['2024-01-01 12:00:00'])
    """
    moments = [value for value in values if isinstance(value, datetime)]
    form = None
    if moments and all(value.time() == time() for value in moments):
        months = len(set(moments)) > 1 and all(value.day == 1 for value in moments)
        form = "%Y-%m" if months else "%Y-%m-%d"

    def format_key(value: Any) -> str:
        if value is None:
            return "NULL"
        if isinstance(value, datetime) and form and value.year >= _FOUR_DIGITS:
            return value.strftime(form)
        return str(value) if isinstance(value, int | str) else _format_cell(value)

    return list(map(printable, [format_key(value) for value in values]))


def _format_cell(value: Any) -> str:
    if value is None:
        return "—"
    if isinstance(value, float):
        return f"{value:,.2f}" if value == 0 or 0.1 <= abs(value) < 1e15 else f"{value:.3g}"
    return (
        f"{value:,}"
        if isinstance(value, int) and not isinstance(value, bool)
        else printable(str(value))
    )
