"""SmartNoise SQL: what a price means, what is said of accuracy, which statements are read."""

import warnings
from typing import Any

import pandas as pd
import snsql  # type: ignore[import-not-found]
from failures.telling import Seen, refusal, tell

warnings.simplefilter("ignore")
COLUMNS = {
    "person": {"type": "int", "private_id": True},
    "ward": {"type": "string"},
    "cost": {"type": "int", "lower": 0, "upper": 100},
}
ROWS = pd.DataFrame(
    {
        "person": [n // 3 for n in range(300)],
        "ward": ["AB"[n % 2] for n in range(300)],
        "cost": [n % 100 for n in range(300)],
    }
)
GROUPED = "SELECT ward, COUNT(*) AS n, AVG(cost) AS m FROM clinic.visits GROUP BY ward"
ORDINARY = {
    "an alias without AS": "SELECT COUNT(*) n FROM clinic.visits",
    "WITH": "WITH v AS (SELECT person, cost FROM clinic.visits) SELECT COUNT(*) AS n FROM v",
    "a join": "SELECT COUNT(*) AS n FROM clinic.visits AS a JOIN clinic.visits AS b ON a.person = b.person",
    "a subquery": "SELECT COUNT(*) AS n FROM (SELECT person, cost FROM clinic.visits) AS t",
    "SUM of an expression": "SELECT SUM(cost * 2) AS s FROM clinic.visits",
    "MAX": "SELECT MAX(cost) AS m FROM clinic.visits",
    "MEDIAN": "SELECT MEDIAN(cost) AS m FROM clinic.visits",
    "GROUP BY an alias": "SELECT ward AS w, COUNT(*) AS n FROM clinic.visits GROUP BY w",
}


def reader() -> Any:
    meta = {"": {"clinic": {"visits": {"max_ids": 3, **COLUMNS}}}}
    return snsql.from_df(ROWS, metadata=meta, privacy=snsql.Privacy(epsilon=1, delta=1e-6))


def price() -> Seen:
    """What one question costs, and whether anything ever stops."""
    asked = reader()
    once = float(asked.get_privacy_cost(GROUPED)[0])
    for _ in range(30):
        asked.execute("SELECT COUNT(*) AS n FROM clinic.visits")
    spent = float(asked.odometer.spent[0])
    return (
        once > 1 and spent > 1,
        f"epsilon 1: one question costs {once:g}; after 30 counts {spent:g}, and no end",
    )


def accuracy() -> Seen:
    """An answer with its accuracy."""
    said = refusal(lambda: reader().execute_with_accuracy(GROUPED))
    return said is not None, "is there" if said is None else f"raises {type(said).__name__}"


def statements() -> Seen:
    """Which ordinary statements are refused."""
    asked = reader()
    refused = [
        what
        for what, sql in ORDINARY.items()
        if refusal(lambda sql=sql: asked.execute(sql)) is not None
    ]
    return bool(refused), f"refused {len(refused)} of {len(ORDINARY)}: {', '.join(refused)}"


if __name__ == "__main__":
    tell({"V13": price, "V14": accuracy, "V15": statements})
