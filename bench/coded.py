"""Tables of codes on which synthetic rows are tried, and how far these are off; every interpreter reads this.

Real tables come from the folder that TACIT_SYNTH names: `adult/adult_mbi_encoded.csv` with its domain,
`nist_acs/national2019.csv` and `ma2019.csv` with `data_dictionary.json`, `letter/LetterRecognition.csv` and
`diabetes130/dataset_diabetes.zip`, each where it is there; without it, from a stand-in of 40,000 people.
"""

import csv
import json
import os
import zipfile
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

SEEDS, DELTA = int(os.environ.get("TACIT_SEEDS", "5")), 1e-9
NUMBERS = {"age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"}
NIST = [
    "AGEP",
    "SEX",
    "MSP",
    "RAC1P",
    "HOUSING_TYPE",
    "OWN_RENT",
    "EDU",
    "PINCP_DECILE",
    "DVET",
    "DEYE",
]
NIST_NUMBERS = {"AGEP", "EDU", "PINCP_DECILE"}
_TRIPLES = 120


@dataclass(frozen=True)
class Codes:
    """A table of codes: its columns, how many values each has, and which are ordered."""

    rows: Any
    names: tuple[str, ...]
    sizes: tuple[int, ...]
    ordered: tuple[bool, ...]


def folder() -> Path | None:
    """Where real tables are."""
    named = os.environ.get("TACIT_SYNTH")
    return Path(named) if named else None


def tables() -> dict[str, Codes]:
    """The tables that are there, by name."""
    place = folder()
    found = {"stand-in": stand_in()} if place is None else {}
    if place is not None and (place / "adult").is_dir():
        found["Adult"] = adult(place / "adult")
    if place is not None and (place / "nist_acs").is_dir():
        found["NIST"] = nist(place / "nist_acs")
    return found


def more_tables() -> dict[str, Codes]:
    """More tables that are there, by name: few rows and many columns, numbers alone, many columns."""
    place, found = folder(), dict[str, Codes]()
    if place is None:
        return found
    if (place / "nist_acs").is_dir():
        found["Massachusetts"] = massachusetts(place / "nist_acs")
    letters = [p for p in (place / "letter", place.parent / "letter") if p.is_dir()]
    if letters:
        found["Letter"] = letter(letters[0])
    if (place / "diabetes130").is_dir():
        found["diabetes"] = diabetes(place / "diabetes130")
    return found


def adult(place: Path) -> Codes:
    """Census income, 48,842 people, 14 columns, as codes of a declared domain."""
    domain = json.loads((place / "adult_mbi_encoded-domain.json").read_text())
    lines = list(csv.DictReader((place / "adult_mbi_encoded.csv").open()))
    rows = np.array([[int(line[name]) for name in domain] for line in lines])
    return Codes(rows, tuple(domain), tuple(domain.values()), tuple(n in NUMBERS for n in domain))


def nist(place: Path) -> Codes:
    """Ten demographic columns of the American Community Survey's national excerpt."""
    words = json.loads((place / "data_dictionary.json").read_text())
    codes = []
    for name in NIST:
        if name == "AGEP":
            values = [str(age) for age in range(100)]
        else:
            values = sorted(words[name]["values"], key=lambda v: -1 if v == "N" else int(v))
        codes.append({value: code for code, value in enumerate(values)})
    lines = list(csv.DictReader((place / "national2019.csv").open()))
    rows = np.array(
        [[known[line[n]] for n, known in zip(NIST, codes, strict=True)] for line in lines]
    )
    ordered = tuple(name in NIST_NUMBERS for name in NIST)
    return Codes(rows, tuple(NIST), tuple(len(known) for known in codes), ordered)


def massachusetts(place: Path) -> Codes:
    """All 24 columns of the excerpt of Massachusetts, 7,634 people; wide numbers in 64 cells."""
    words = json.loads((place / "data_dictionary.json").read_text())
    lines = list(csv.DictReader((place / "ma2019.csv").open()))
    described = [
        _survey_column([line[name] for line in lines], words[name].get("values", {}))
        for name in lines[0]
    ]
    rows = np.stack([codes for codes, _, _ in described], 1)
    sizes, ordered = zip(*((size, order) for _, size, order in described), strict=True)
    return Codes(rows, tuple(lines[0]), sizes, ordered)


def _survey_column(cells: list[str], values: dict[str, Any]) -> tuple[Any, int, bool]:
    """Codes of a column of the survey: numbers within bounds in order, N before them; else its listed values."""
    if "min" in values or not values:
        numbers = np.array([np.nan if cell == "N" else float(cell) for cell in cells])
        low = float(values.get("min", 0))
        high = max(float(values.get("max", 0)), float(np.nanmax(numbers)))
        count = int(min(64, high - low + 1))
        codes = np.clip((numbers - low) / (high - low + 1) * count, 0, count - 1)
        return np.where(np.isnan(numbers), 0, np.nan_to_num(codes) + 1).astype(int), count + 1, True
    known = {value: code for code, value in enumerate(sorted({*values, *cells}))}
    return np.array([known[cell] for cell in cells]), len(known), False


def letter(place: Path) -> Codes:
    """20,000 pictures of letters: the letter, and 16 numbers from 0 to 15."""
    lines = list(csv.reader((place / "LetterRecognition.csv").open()))
    names, cells = lines[0], lines[1:]
    columns = [[ord(row[0]) - ord("A") for row in cells]]
    columns += [[int(float(row[at])) for row in cells] for at in range(1, len(names))]
    sizes, ordered = (26, *[16] * 16), (False, *[True] * 16)
    return Codes(np.array(columns).T, tuple(names), sizes, ordered)


_DIABETES_NUMBERS = {
    "time_in_hospital": 15,
    "num_lab_procedures": 150,
    "num_procedures": 8,
    "num_medications": 100,
    "number_outpatient": 50,
    "number_emergency": 100,
    "number_inpatient": 30,
    "number_diagnoses": 20,
}


def diabetes(place: Path) -> Codes:
    """101,766 stays in hospitals, 47 columns; diagnoses by their three digits."""
    with zipfile.ZipFile(place / "dataset_diabetes.zip") as packed:
        text = packed.read("dataset_diabetes/diabetic_data.csv").decode()
    lines = list(csv.DictReader(text.splitlines()))
    names = [name for name in lines[0] if name not in {"encounter_id", "patient_nbr"}]
    columns, sizes = [], []
    for name in names:
        if name in _DIABETES_NUMBERS:
            top = _DIABETES_NUMBERS[name]
            columns.append([min(int(line[name]), top - 1) for line in lines])
            sizes.append(top)
            continue
        cells = [line[name].split(".")[0] for line in lines]
        known = {value: code for code, value in enumerate(sorted(set(cells)))}
        columns.append([known[cell] for cell in cells])
        sizes.append(len(known))
    ordered = tuple(name in _DIABETES_NUMBERS for name in names)
    return Codes(np.array(columns).T, tuple(names), tuple(sizes), ordered)


def stand_in(count: int = 40_000) -> Codes:
    """Made-up people whose columns depend on each other."""
    draw = np.random.default_rng(1994)
    age = draw.gamma(5, 8, count).clip(0, 99).astype(int)
    schooling = (draw.normal(8, 3, count) + (age > 25)).clip(0, 15).astype(int)
    works = draw.random(count) < 0.3 + 0.02 * schooling
    pay = (draw.gamma(2 + schooling / 4, 6, count) * works).clip(0, 99).astype(int)
    married = (draw.random(count) < age / 80).astype(int) + (age > 60) * (draw.random(count) < 0.3)
    region = draw.integers(0, 12, count)
    columns = (age, schooling, works.astype(int), pay, married, region)
    names = ("age", "schooling", "works", "pay", "married", "region")
    ordered = (True, True, False, True, False, False)
    return Codes(np.stack(columns, 1), names, (100, 16, 2, 100, 3, 12), ordered)


def independent(rows: Any, draw: Any) -> Any:
    """Rows whose columns are those of the table, each shuffled: what knows no pair."""
    return np.stack([draw.permutation(column) for column in rows.T], 1)


def mean_distance(real: Any, made: Any, ways: int) -> float:
    """The mean L1 distance of tables over so many columns, 0 to 2; of many triples, a fixed choice of 120."""
    chosen = list(combinations(range(real.shape[1]), ways))
    chosen = [chosen[i] for i in np.random.RandomState(0).permutation(len(chosen))]
    if ways > 2:
        chosen = chosen[:_TRIPLES]
    return float(np.mean([distance(real, made, columns) for columns in chosen]))


def distance(real: Any, made: Any, columns: tuple[int, ...]) -> float:
    """The L1 distance of two tables over some columns."""
    top = np.maximum(real.max(0), made.max(0)) + 1
    shape = [int(top[c]) for c in columns]
    places = [np.ravel_multi_index([rows[:, c] for c in columns], shape) for rows in (real, made)]
    both = np.unique(np.concatenate(places), return_inverse=True)[1]
    signs = np.r_[np.full(len(real), 1 / len(real)), np.full(len(made), -1 / len(made))]
    return float(np.abs(np.bincount(both, signs)).sum())


def k_marginal(real: Any, made: Any) -> float:
    """The score of SDNist 2.5 on NIST's columns, 0 to 1,000: ages in twenty bins of the target, all pairs."""
    ages, others = real[:, 0], made[:, 0]
    bins = 20 - int(others.max() > ages.max()) - int(others.min() < ages.min())
    inner = np.percentile(ages, np.arange(bins) * 100 / bins, method="higher")
    edges = np.unique(
        np.r_[inner, ages.max(), min(ages.min(), others.min()), max(ages.max(), others.max())]
    )

    def cut(rows: Any) -> Any:
        return np.c_[np.clip(np.searchsorted(edges, rows[:, 0]) - 1, 0, None), rows[:, 1:]]

    return 500 * (2 - mean_distance(cut(real), cut(made), 2))
