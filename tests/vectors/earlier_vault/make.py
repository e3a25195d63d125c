"""Makes the vault of this folder anew: `python make.py /tmp/clinic`, with the version of Tacit to be remembered.

The one that lies here was made by the commit 4ef0904, before files and functions were renamed.
"""

import json
import os
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

POLICY = """\
[limit]
epsilon = 1000
delta = 1e-6

[tables.visits]
source = "visits.csv"
unit = "patient"
contributions = 3
keys = 2

[tables.visits.columns]
patient = { type = "integer" }
ward = { type = "text", values = ["A", "B"] }
cost = { type = "number", low = 0, high = 500 }
days = { type = "integer", low = 0, high = 30, nullable = false }
seen = { type = "date", low = 2024-01-01, high = 2024-12-31 }
age = { type = "integer" }
diagnosis = { type = "text" }

[tables.stays]
source = "stays.csv"
unit = "patient"

[tables.stays.columns]
night = { type = "integer", low = 0, high = 9 }

[tables.bills]
source = "bills.csv"
unit = "patient"
contributions = 2

[tables.bills.columns]
paid = { type = "integer", low = 0, high = 90 }

[analysts.alice]
epsilon = 300
"""

QUESTIONS = {
    "count": "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward",
    "count and mean": "SELECT ward, COUNT(*) AS n, AVG(cost) AS m FROM visits WHERE days > 3 GROUP BY ward",
    "sum of integers": "SELECT SUM(days) AS s FROM visits",
    "sum of doubles": "SELECT ward, SUM(cost * 2) AS s, COUNT(cost) AS n FROM visits GROUP BY ward",
    "median": "SELECT ward, MEDIAN(cost) AS m FROM visits GROUP BY ward",
    "quantiles": "SELECT MIN(days) AS a, MAX(days) AS b, QUANTILE_CONT(cost, 0.9) AS q FROM visits",
    "median of dates": "SELECT MEDIAN(seen) AS m FROM visits",
    "variance": "SELECT ward, VARIANCE(cost) AS v, STDDEV(days) AS d FROM visits GROUP BY ward",
    "correlation": "SELECT CORR(cost, days) AS c, COVAR_POP(cost, days) AS p FROM visits",
    "people": "SELECT ward, COUNT(DISTINCT patient) AS n FROM visits GROUP BY ward",
    "different values": "SELECT COUNT(DISTINCT days) AS n FROM visits",
    "unknown keys": "SELECT diagnosis, COUNT(*) AS n, AVG(cost) AS m FROM visits GROUP BY diagnosis",
    "unknown and public keys": "SELECT ward, diagnosis, COUNT(*) AS n FROM visits GROUP BY ward, diagnosis",
    "calculated keys": "SELECT days // 10 AS tens, COUNT(*) AS n FROM visits GROUP BY 1",
    "conditions": "SELECT COUNT(*) AS n FROM visits WHERE ward = 'A' AND cost BETWEEN 10 AND 90 OR diagnosis LIKE 'f%'",
    "case and filter": "SELECT SUM(CASE WHEN days > 9 THEN cost ELSE 0 END) AS s, "
    "COUNT(*) FILTER (WHERE cost IS NOT NULL) AS n FROM visits",
    "dates": "SELECT MONTH(seen) AS m, COUNT(*) AS n FROM visits GROUP BY 1",
    "join": "SELECT v.ward, COUNT(*) AS n, SUM(b.paid) AS s FROM visits v JOIN bills b USING (patient) GROUP BY v.ward",
    "left join": "SELECT COUNT(b.paid) AS n FROM visits v LEFT JOIN bills b USING (patient)",
    "semi-join": "SELECT COUNT(*) AS n FROM visits WHERE patient IN (SELECT patient FROM bills WHERE paid > 40)",
    "per unit": "SELECT AVG(total) AS m FROM (SELECT patient, SUM(cost) AS total FROM visits GROUP BY patient) AS p",
    "window in a unit": "SELECT COUNT(*) AS n FROM (SELECT ROW_NUMBER() OVER (PARTITION BY patient ORDER BY seen) AS r "
    "FROM visits) AS w WHERE r = 1",
    "union": "SELECT COUNT(*) AS n FROM (SELECT days FROM visits WHERE ward = 'A' UNION ALL "
    "SELECT days FROM visits WHERE days > 5) AS u",
    "having and order": "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward HAVING COUNT(*) > 5 "
    "ORDER BY n DESC LIMIT 1",
    "group windows": "SELECT ward, SUM(COUNT(*)) OVER (ORDER BY ward) AS s FROM visits GROUP BY ward",
    "found bounds": "SELECT ward, AVG(age) AS m FROM visits GROUP BY ward",
    "found contributions": "SELECT night, COUNT(*) AS n FROM stays WHERE night < 9 GROUP BY night",
}


def found(release: Any) -> dict[str, Any]:
    """What is compared: the numbers that were released, and what the ledger says of them."""
    names = [
        name
        for name in release.columns
        if name.removesuffix("_low").removesuffix("_high") not in release.measured
        or name in release.measured
    ]
    rows = [
        [str(value) for name, value in zip(release.columns, row, strict=True) if name in names]
        for row in release.rows
    ]
    receipt = {name: release.receipt[name] for name in ("entry", "key", "answer", "hash")}
    return {"rows": rows, "receipt": receipt}


def write_rows(folder: Path) -> None:
    """Rows of three hundred patients, the same every time."""
    visits = ["patient,ward,cost,days,seen,age,diagnosis"]
    for n in range(600):
        day = f"2024-{1 + n % 12:02d}-{1 + n % 28:02d}"
        illness = ("flu", "fever", "cough")[n % 3] if n % 50 else "gout"
        visits.append(
            f"{n % 300},{'AB'[n % 2]},{n * 7 % 499}.5,{n % 29},{day},{20 + n % 60},{illness}"
        )
    stays = ["patient,night", *(f"{n % 90},{n % 9}" for n in range(200))]
    bills = ["patient,paid", *(f"{n % 250},{n * 3 % 90}" for n in range(300))]
    for name, lines in (("visits", visits), ("stays", stays), ("bills", bills)):
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def ask_everything(folder: Path) -> dict[str, Any]:
    """Every question of the vault, and what was answered."""
    import tacit

    with tacit.open(folder) as vault:
        bounds = vault.find_bounds("visits.age", epsilon=20)
        contributions = vault.find_contributions("stays", epsilon=20)
        clipping = vault.clipping("visits", epsilon=5)
        facts = {
            "bounds": [str(bounds.low), str(bounds.high), bounds.receipt["answer"]],
            "contributions": [contributions.contributions, contributions.receipt["answer"]],
            "clipping": [str(clipping.units), clipping.receipt["answer"]],
        }
        answers = {name: found(vault.sql(text, epsilon=8)) for name, text in QUESTIONS.items()}
    with tacit.open(folder, analyst="alice") as hers:
        alice = found(hers.sql(QUESTIONS["count"], epsilon=8))
    return {"facts": facts, "answers": answers, "alice": alice}


def main() -> None:
    """Make the vault in a folder that the command line names."""
    folder = Path(sys.argv[1])
    folder.mkdir()
    (folder / "tacit.toml").write_text(POLICY, encoding="utf-8")
    write_rows(folder)
    with TemporaryDirectory() as anchors:
        os.environ["TACIT_ANCHORS"] = anchors
        answers = ask_everything(folder)
        (anchor,) = Path(anchors).glob("*.anchor")
        shutil.copyfile(anchor, folder / "anchor")
    (folder / "answers.json").write_text(json.dumps(answers, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
