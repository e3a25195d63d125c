"""Poison in a protected table: whatever one row holds, what leaves is what leaves without it, and it is finite."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime
from math import inf, isfinite, nan
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacit
from tacit.curator import Vault
from tacit.errors import TacitError
from tacit.mechanisms import Gaussian, Laplace

LONG = "x" * (1 << 20)
COLUMNS: dict[str, Any] = {
    "ward": ["A", "B", ""],
    "size": {"type": "integer", "values": [0, 1, 5]},
    "grade": {"type": "number", "values": [0, 0.5, 5]},
    "whole": {"type": "integer", "low": 0, "high": 10},
    "loose": {"type": "integer"},
    "cost": {"type": "number", "low": 0, "high": 10},
    "free": {"type": "number"},
    "note": {"type": "text"},
    "flag": {"type": "boolean", "values": [True, False]},
    "day": {"type": "date"},
    "month": {"type": "date", "low": date(2024, 1, 1), "high": date(2024, 12, 31)},
    "seen": {"type": "timestamp"},
}
NUMBERS = [
    nan,
    -nan,
    inf,
    -inf,
    None,
    -0.0,
    5e-324,
    -5e-324,
    2.0**63,
    -(2.0**63),
    1.7976931348623157e308,
]
WHOLES = [None, (1 << 63) - 1, -(1 << 63), 2**53 + 1, -1]
TEXTS = [
    None,
    "",
    LONG,
    "NaN",
    "-inf",
    "1e400",
    "9223372036854775808",
    "2024-02-30",
    "a,b\nc",
    "'",
    "\\",
    "é\N{GRINNING FACE}",
]
DAYS = [None, date(1, 1, 1), date(9999, 12, 31), date(1969, 12, 31)]
MOMENTS = [
    None,
    *(datetime(*day) for day in ((1, 1, 1), (9999, 12, 31), (1677, 9, 21), (2262, 4, 12))),  # noqa: DTZ001
]
POISON: dict[str, list[Any]] = {
    "ward": TEXTS,
    "size": WHOLES,
    "grade": NUMBERS,
    "whole": WHOLES,
    "loose": WHOLES[::-1],
    "cost": NUMBERS,
    "free": NUMBERS[::-1],
    "note": TEXTS[::-1],
    "flag": [None],
    "day": DAYS,
    "month": DAYS[::-1],
    "seen": MOMENTS,
}
ROUNDS = max(map(len, POISON.values()))
SQL = """
SELECT ward, COUNT(*) AS n, COUNT(cost) AS c, AVG(cost) AS m FROM data GROUP BY ward;
SELECT size, flag, SUM(whole) AS s, AVG(whole) AS m FROM data GROUP BY size, flag;
SELECT grade, COUNT(free) AS n, COUNT(DISTINCT who) AS w FROM data GROUP BY grade HAVING COUNT(free) > 0;
SELECT SUM(cost * cost - 3 * whole) AS s, AVG(100 / (whole + 1)) AS m, SUM(whole % 3) AS r,
    SUM(CASE WHEN free > 10 THEN 10 WHEN free < -0.5 THEN -0.5 ELSE free END) AS f FROM data;
SELECT COUNT(*) AS n, COUNT(loose) AS c FROM data WHERE free > 1.5 OR NOT (loose <= 3) OR note LIKE '%1%'
    OR cost BETWEEN 0 AND 5 OR day IS NULL;
SELECT SUM(CAST(note AS BIGINT) % 7) AS s, COUNT(CAST(note AS DOUBLE)) AS d, COUNT(CAST(note AS DATE)) AS t,
    COUNT(CAST(free AS BIGINT)) AS f FROM data WHERE UPPER(ward) <> 'C' OR CAST(loose AS VARCHAR) = '7';
SELECT COUNT(*) AS n FROM data WHERE CAST(seen AS DATE) >= '2024-01-01' AND seen < '2025-01-01'
    AND (day < '2030-01-01' OR month = '2024-12-31') AND note IN ('', 'x')
"""
QUESTIONS = SQL.split(";")

ARROW = pa.schema(
    [
        ("who", pa.string()),
        ("ward", pa.string()),
        ("size", pa.int64()),
        ("grade", pa.float64()),
        ("whole", pa.int64()),
        ("loose", pa.int64()),
        ("cost", pa.float64()),
        ("free", pa.float64()),
        ("note", pa.string()),
        ("flag", pa.bool_()),
        ("day", pa.date32()),
        ("month", pa.date32()),
        ("seen", pa.timestamp("us")),
    ]
)


def as_arrow(rows: list[dict[str, Any]], folder: Path) -> object:
    return pa.Table.from_pylist(rows, ARROW)


def as_parquet(rows: list[dict[str, Any]], folder: Path) -> object:
    pq.write_table(as_arrow(rows, folder), folder / "data.parquet")
    return folder / "data.parquet"


def as_csv(rows: list[dict[str, Any]], folder: Path) -> object:
    """Every cell as it prints; NULL is an empty cell."""
    frame = pd.DataFrame([{name: _cell(cell) for name, cell in row.items()} for row in rows])
    frame.to_csv(folder / "data.csv", index=False)
    return folder / "data.csv"


def _cell(cell: object) -> str:
    if isinstance(cell, date):
        return cell.isoformat().replace("T", " ")
    return "" if cell is None else str(cell)


def as_pandas(rows: list[dict[str, Any]], folder: Path) -> object:
    """Columns of Arrow's types, and of NumPy's for numbers, whose NULL is NaN."""
    frame = pa.Table.from_pylist(rows, ARROW).to_pandas(types_mapper=pd.ArrowDtype)
    return frame.assign(
        **{
            name: frame[name].to_numpy(np.float64, na_value=nan)
            for name in ("grade", "cost", "free")
        }
    )


def as_polars(rows: list[dict[str, Any]], folder: Path) -> object:
    return pl.from_arrow(pa.Table.from_pylist(rows, ARROW))


SOURCES = {
    "list": lambda rows, folder: rows,
    "objects": lambda rows, folder: pd.DataFrame(rows, dtype=object),
    "pandas": as_pandas,
    "polars": as_polars,
    "arrow": as_arrow,
    "parquet": as_parquet,
    "csv": as_csv,
}
every_source = pytest.mark.parametrize("write", SOURCES.values(), ids=SOURCES)
CLEAN = {
    "ward": "A",
    "size": 1,
    "grade": 0.5,
    "whole": 3,
    "loose": 7,
    "cost": 2.5,
    "free": 1.5,
    "note": "12",
    "flag": True,
    "day": date(2024, 5, 6),
    "month": date(2024, 7, 8),
    "seen": datetime(2024, 5, 6, 7, 8, 9),  # noqa: DTZ001 -- columns without a zone hold UTC
}
OTHERS = [
    {"who": f"w{n % 4}"} | CLEAN | {"ward": "AB"[n % 2], "whole": n, "cost": n / 4}
    for n in range(8)
]


def poisoned(turn: int) -> dict[str, Any]:
    return {name: cells[turn % len(cells)] for name, cells in POISON.items()}


def opened(source: object, delta: float = 0) -> Vault:
    return tacit.protect(
        source, unit="who", contributions=2, columns=COLUMNS, epsilon=100, delta=delta, name="data"
    )


@contextmanager
def constant_release() -> Iterator[None]:
    """Every mechanism releases numbers that have nothing to do with what it was given."""

    def release(_: object, value: Any, times: int | None = None) -> Any:
        return np.array(
            [(7919 * place) % 4001 - 500 for place in range(len(value))], dtype=np.int64
        )

    with patch.object(Laplace, "release", release), patch.object(Gaussian, "release", release):
        yield


@contextmanager
def no_noise() -> Iterator[None]:
    def release(_: object, value: Any, times: int | None = None) -> Any:
        return value

    with patch.object(Laplace, "release", release), patch.object(Gaussian, "release", release):
        yield


def left_by(vault: Vault) -> list[Any]:
    """All that leaves when everything is asked: releases or refusals."""
    left: list[Any] = []
    for text in QUESTIONS:
        try:
            release = vault.sql(text, epsilon=1)
        except TacitError as refusal:
            left.append((type(refusal), str(refusal), refusal.args))
            continue
        kinds = [[type(cell) for cell in row] for row in release.rows]
        left.append(
            (
                release.columns,
                release.rows,
                kinds,
                str(release),
                release._repr_html_(),
                release.price,
            )
        )
    return [*left, vault.budget]


@every_source
def test_with_a_constant_release_a_poisoned_unit_cannot_be_told_from_a_clean_one(write, tmp_path):
    with constant_release():
        clean = left_by(opened(write([*OTHERS, {"who": "new"} | CLEAN], tmp_path)))
        assert not any(each[0] in TacitError.__subclasses__() for each in clean[:-1])
        for first in (0, ROUNDS // 2):
            rows = [{"who": "new"} | poisoned(turn) for turn in range(first, first + ROUNDS // 2)]
            assert left_by(opened(write([*OTHERS, *rows], tmp_path))) == clean, first


def readable(cell: Any) -> Any:
    """What a CSV can say of a cell: an empty text is NULL there, and numbers are digits, with two for an exponent."""
    return None if cell == "" or (isinstance(cell, float) and not abs(cell) < 1e99) else cell


@every_source
def test_poison_means_the_same_in_every_source_and_is_never_released(write, tmp_path):
    """Without noise: NaN is NULL, infinities are held by bounds or are NULL, as in a list of dictionaries."""
    rows = [{"who": f"w{n}"} | poisoned(n) for n in range(ROUNDS)]
    if write is as_csv:
        rows = [{name: readable(cell) for name, cell in row.items()} for row in rows]
    with no_noise():
        meant, found = opened(rows), opened(write(rows, tmp_path))
        for text in QUESTIONS:
            answer = found.sql(text, epsilon=1, raw=True).rows
            assert answer == meant.sql(text, epsilon=1, raw=True).rows, text
            numbers = [cell for row in answer for cell in row if isinstance(cell, int | float)]
            assert all(map(isfinite, numbers))


@pytest.mark.parametrize("who", [None, "", LONG, "NaN"], ids=["NULL", "empty", "long", "NaN"])
@pytest.mark.parametrize("name", ["list", "pandas", "parquet", "csv"])
def test_the_name_of_a_unit_cannot_be_told(name, who, tmp_path):
    text = "SELECT ward, COUNT(*) AS n, COUNT(DISTINCT who) AS w FROM data GROUP BY ward"
    with constant_release():
        clean, other = (
            opened(SOURCES[name]([*OTHERS, {"who": unit} | CLEAN], tmp_path)).sql(text, epsilon=1)
            for unit in ("new", who)
        )
    assert (other.rows, str(other), other.price) == (clean.rows, str(clean), clean.price)


WIDE = {
    "list": [2**63, -(2**63) - 1, 2**70, 5],
    "uint64": [2**63, 2**64 - 1, 0, 5],
    "csv": [2**63, -(2**63), 10**30, 5],
}


@pytest.mark.parametrize("how", WIDE)
def test_integers_beyond_64_bits_tell_nothing(how, tmp_path):
    columns: dict[str, Any] = {"whole": {"type": "integer", "low": 0, "high": 10}}
    text = "SELECT COUNT(*) AS n, COUNT(whole) AS c, SUM(whole) AS s, AVG(whole) AS m FROM data WHERE whole >= 0"
    seen = []
    for cell in WIDE[how]:
        source: object = [{"who": "a", "whole": 3}, {"who": "b", "whole": cell}]
        if how == "uint64":
            source = pa.table({"who": ["a", "b"], "whole": pa.array([3, cell], pa.uint64())})
        if how == "csv":
            source = tmp_path / "data.csv"
            source.write_text(f"who,whole\na,3\nb,{cell}\n", encoding="utf-8")
        vault = tacit.protect(
            source, unit="who", contributions=1, columns=columns, epsilon=100, name="data"
        )
        with constant_release():
            seen.append(str(vault.sql(text, epsilon=1)))
    assert len(set(seen)) == 1
