"""Rows to measure on: visits of persons to wards, as Parquet.

bench/rows.py FILE                 10 million rows of 1 million persons in 50 wards
bench/rows.py FILE --skewed        the same, of persons who come often or seldom, mostly to the same few wards
bench/rows.py FILE --rows 1000     fewer
"""

import argparse
from pathlib import Path

import duckdb
import numpy as np
from cases import CODES, MANY, MOST, coded, visits
from cases import WARDS as NAMES

ROWS, PERSONS, WARDS = MANY, 1_000_000, len(NAMES)


def write(path: Path, rows: int = ROWS, *, skewed: bool = False) -> Path:
    """The path of a new Parquet file with columns person, ward, cost and age, in no order."""
    generator = np.random.default_rng(20_26)
    persons = max(1, rows * PERSONS // ROWS)
    if skewed:
        often = generator.lognormal(0, 1.2, persons)
        person = generator.choice(persons, rows, p=often / often.sum())
        usual = generator.integers(0, WARDS, (persons, 3))[person, generator.integers(0, 3, rows)]
        ward = np.where(generator.random(rows) < 0.8, usual, generator.integers(0, WARDS, rows))
    else:
        person = generator.integers(0, persons, rows)
        ward = generator.integers(0, WARDS, rows)
    cost = np.minimum(np.round(generator.gamma(2, 400, rows), 2), MOST)
    age = generator.integers(0, 100, rows, dtype=np.int32)
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TYPE wards AS ENUM ({', '.join(map(repr, NAMES))})")
        connection.register(
            "drawn", {"person": person, "ward": ward.astype(np.uint8), "cost": cost, "age": age}
        )
        names = "enum_range(NULL::wards)"
        connection.execute(
            f"COPY (SELECT person, {names}[ward + 1]::VARCHAR AS ward, cost, age FROM drawn) "
            f"TO '{path}' (FORMAT parquet)"
        ).fetchall()
    return path


def kept(rows: int) -> Path:
    """The path of a file with so many rows, which is made once and kept for all benches."""
    path = visits(rows)
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path.with_suffix(".new"), rows).rename(path)
    return path


def kept_codes(rows: int) -> Path:
    """The path of a file with columns person and code, some codes much more frequent than others, made once."""
    path = coded(rows)
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        generator = np.random.default_rng(20_27)
        often = 1 / np.arange(1, CODES + 1) ** 1.2
        code = generator.choice(CODES, rows, p=often / often.sum())
        person = generator.integers(0, max(1, rows * PERSONS // ROWS), rows)
        with duckdb.connect() as connection:
            connection.register("drawn", {"person": person, "code": code})
            new = path.with_suffix(".new")
            names = "format('code {:04d}', code) AS code"
            connection.execute(
                f"COPY (SELECT person, {names} FROM drawn) TO '{new}' (FORMAT parquet)"
            ).fetchall()
        new.rename(path)
    return path


def main() -> None:
    """Write the file that the command line names."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--skewed", action="store_true")
    chosen = parser.parse_args()
    print(write(chosen.file, chosen.rows, skewed=chosen.skewed))


if __name__ == "__main__":
    main()
