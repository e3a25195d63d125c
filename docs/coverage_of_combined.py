"""How often intervals of combined answers and free computations hold: the last part of docs/coverage.md.

The parts of an answer are evaluated once, exactly, and released again and again; every release is shown as a vault
would show it.  `python docs/coverage_of_combined.py [releases]` writes that part of the page.
"""

# ruff: noqa: S608, SLF001 -- the texts are read and never run; what a vault does is done step by step; as a
# script, the folder above is where `docs` is

import sys
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

if __package__ in {None, ""}:
    sys.path.insert(0, str(Path(__file__).parents[1]))

from docs.coverage import CONTRIBUTIONS, DATA, VISITS
from tacit.curator import Limit, Noisy, Policy, Shared, Vault
from tacit.curator.answer.combined_rows import ReleasedPart, view_parts
from tacit.curator.answer.view_rows import Viewed, view_answer
from tacit.curator.ask_combined import price_parts
from tacit.curator.priced_question import price_plan, read_question
from tacit.engines import Memory
from tacit.ledger import MemoryLedger
from tacit.mechanisms import RankedCells
from tacit.plan import CombinedPlan, Plan

__all__ = ["ANSWERS", "Held", "Repeated", "cover", "main"]

_PAGE = Path(__file__).parent / "coverage.md"
_MARK = "## Combined answers and free computations\n"
_DAILY = "SELECT day, COUNT(*) AS n FROM visits GROUP BY day"
_SITES = "SELECT site, COUNT(*) AS n FROM visits GROUP BY site"
ANSWERS: dict[str, str] = {
    "share of a scalar subquery": (
        "SELECT site, COUNT(*) * 1.0 / (SELECT COUNT(*) FROM visits) AS x FROM visits GROUP BY site"
    ),
    "product of two joined answers": (
        f"WITH a AS ({_SITES}), b AS (SELECT site, AVG(spend) AS m FROM visits WHERE age > 40 GROUP BY site) "
        "SELECT a.site, b.m * a.n AS x FROM a JOIN b ON a.site = b.site"
    ),
    "ratio of two joined answers": (
        f"WITH a AS ({_SITES}), b AS (SELECT site, COUNT(*) AS k FROM visits WHERE age > 40 GROUP BY site) "
        "SELECT a.site, b.k * 1.0 / a.n AS x FROM a JOIN b USING (site)"
    ),
    "difference of two scalars": (
        "SELECT (SELECT AVG(spend) FROM visits WHERE age > 40) - (SELECT AVG(spend) FROM visits WHERE age <= 40) AS x"
    ),
    "answers that are stacked": (
        "SELECT 'rows' AS what, COUNT(*) AS x FROM visits UNION ALL SELECT 'spending', AVG(spend) FROM visits"
    ),
    "ROLLUP": "SELECT site, COUNT(*) AS x FROM visits GROUP BY ROLLUP (site)",
    "CUBE": "SELECT site, age >= 50 AS old, SUM(bill) AS x FROM visits GROUP BY CUBE (site, old)",
    "mean of groups": f"SELECT AVG(n) AS x FROM ({_DAILY})",
    "sum of groups": f"SELECT SUM(n) AS x FROM ({_DAILY}) WHERE day >= 30",
    "greatest less least of groups": f"SELECT MAX(n) - MIN(n) AS x FROM ({_SITES})",
    "standard deviation of groups": f"SELECT STDDEV(n) AS x FROM ({_SITES})",
    "median of groups": f"SELECT MEDIAN(n) AS x FROM ({_SITES})",
    "mean of the first groups": f"SELECT AVG(n) AS x FROM ({_SITES} ORDER BY site LIMIT 3)",
    "share of the first group": f"SELECT site, n * 1.0 / FIRST_VALUE(n) OVER (ORDER BY site DESC) AS x FROM ({_SITES})",
    "moving average": (
        f"SELECT site, AVG(n) OVER (ORDER BY site ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS x FROM ({_SITES})"
    ),
    "running total of a sum": "SELECT site, SUM(SUM(bill)) OVER (ORDER BY site) AS x FROM visits GROUP BY site",
    "change to the one before": f"SELECT site, n - LAG(n) OVER (ORDER BY site) AS x FROM ({_SITES})",
    "growth": f"SELECT site, n * 1.0 / LAG(n) OVER (ORDER BY site) - 1 AS x FROM ({_SITES})",
    "variance of groups": f"SELECT VARIANCE(n) AS x FROM ({_SITES})",
    "sum of three groups and their neighbours": (
        f"SELECT site, SUM(n) OVER (ORDER BY site ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS x FROM ({_SITES})"
    ),
    # the conditions are such that noise decides whether the groups with 100 and 300 rows meet them
    "FILTER: sum": f"SELECT SUM(n) FILTER (WHERE n > 100) AS x FROM ({_SITES})",
    "FILTER: mean": f"SELECT AVG(n) FILTER (WHERE n > 100) AS x FROM ({_SITES})",
    "FILTER: least": f"SELECT MIN(n) FILTER (WHERE n > 100) AS x FROM ({_SITES})",
    "FILTER: number of groups": f"SELECT COUNT(*) FILTER (WHERE n > 100) AS x FROM ({_SITES})",
    "FILTER: standard deviation": f"SELECT STDDEV(n) FILTER (WHERE n > 100) AS x FROM ({_SITES})",
    "median of a CASE without ELSE": (
        f"SELECT site, MEDIAN(CASE WHEN n > 100 THEN n END) OVER () AS x FROM ({_SITES})"
    ),
    "mean of NULLIF": f"SELECT AVG(NULLIF(n, 100)) AS x FROM ({_SITES})",
    "CASE without ELSE": f"SELECT site, CASE WHEN n > 100 THEN n END AS x FROM ({_SITES})",
    "COALESCE of NULLIF": f"SELECT site, COALESCE(NULLIF(n, 100), 1000) AS x FROM ({_SITES})",
    "COALESCE of a root": f"SELECT site, COALESCE(SQRT(n - 100.5), 50) AS x FROM ({_SITES})",
    "GREATEST of a CASE": (
        f"SELECT site, GREATEST(CASE WHEN n > 100 THEN 70 END, 50) AS x FROM ({_SITES})"
    ),
    "IS NULL": f"SELECT site, CASE WHEN SQRT(n - 100.5) IS NULL THEN 1 ELSE 0 END AS x FROM ({_SITES})",
    "CASE in a condition": (
        "SELECT site, CASE WHEN CASE WHEN n > 100 THEN TRUE ELSE FALSE END THEN 1 ELSE 0 END AS x "
        f"FROM ({_SITES})"
    ),
    "IN of texts": (
        "SELECT site, CASE WHEN CASE WHEN n > 100 THEN 'a' ELSE 'b' END IN ('a', 'c') THEN 1 ELSE 0 END AS x "
        f"FROM ({_SITES})"
    ),
    "window in a condition": (
        f"SELECT site, CASE WHEN LAST_VALUE(n > 300) OVER (ORDER BY site DESC ROWS BETWEEN UNBOUNDED PRECEDING AND "
        f"UNBOUNDED FOLLOWING) THEN 1 ELSE 0 END AS x FROM ({_SITES})"
    ),
    "DIV0": f"SELECT site, DIV0(n, n - 101) AS x FROM ({_SITES})",
    "sum of groups that noise chose": f"SELECT SUM(n) AS x FROM ({_SITES}) WHERE n > 100",
    "mean of groups that noise chose": f"SELECT AVG(n) AS x FROM ({_SITES}) WHERE n > 100",
    "running total from the greatest on": f"SELECT site, SUM(n) OVER (ORDER BY n DESC) AS x FROM ({_SITES})",
    "mean of the greatest two": f"SELECT AVG(n) AS x FROM ({_SITES} ORDER BY n DESC LIMIT 2)",
}
CURRENCIES = {"zCDP": (Limit(30, 1e-6), 0.8), "pure": (Limit(30), 2)}


@dataclass(frozen=True)
class Held:
    """How many intervals there were, the share that held, the share of the worst row, and how many had no ends.

    `told` is what the caption says of what intervals are about.
    """

    rows: int
    share: float
    worst: float
    open: float
    told: str = ""


class Repeated:
    """An answer whose parts are evaluated once, and released as often as one likes."""

    def __init__(self, text: str, rows: list[dict[str, Any]], limit: Limit, epsilon: float) -> None:
        policy = Policy(limit, {"visits": Shared(VISITS, CONTRIBUTIONS)}, "person")
        engine = Memory({VISITS: rows})
        access = Vault(policy, {"visits": engine}, MemoryLedger(limit.filter()))._access
        tables = access.read_tables()
        plan, _ = read_question(access, text, tables, epsilon, None)
        self.plan: Plan | CombinedPlan
        if isinstance(plan, CombinedPlan):
            asked = price_parts(
                access, plan, epsilon=epsilon, within=None, confidence=0.95, tables=tables
            )
            self.plan, self.terms = asked.plan, list(asked.terms.parts)
        else:
            one = price_plan(access, plan, epsilon=epsilon, confidence=0.95, tables=tables)
            self.plan, self.terms = one.plan, [one.terms]
        self.exact = [engine.evaluate(each.question, each.weights) for each in self.terms]

    def truth(self) -> Viewed:
        """What is shown of the exact numbers."""
        return self._view([self._rows(part, None, 1)[0] for part in range(len(self.terms))])

    def releases(self, times: int) -> Any:
        """What is shown, so many times."""
        drawn = [self._rows(part, True, times) for part in range(len(self.terms))]
        for number in range(times):
            yield self._view([part[number] for part in drawn])

    def _rows(self, part: int, noisy: bool | None, times: int) -> list[list[list[Noisy]]]:
        terms, exact = self.terms[part], self.exact[part]
        columns = []
        for place, where in enumerate(terms.columns):
            mechanism, worth = terms.mechanisms[place], terms.worth(place)
            assert not isinstance(mechanism, RankedCells), "only noise is added here"
            rounded = terms.round_to_grid(place, exact[:, where][:, 0].tolist())
            integers = np.array(rounded * times, dtype=object)
            drawn = mechanism.release(integers) if noisy else integers
            columns.append([Noisy(int(each), mechanism, worth) for each in list(drawn)])
        groups = len(exact)
        return [
            [[column[number * groups + group] for column in columns] for group in range(groups)]
            for number in range(times)
        ]

    def _view(self, rows: list[list[list[Noisy]]]) -> Viewed:
        if isinstance(self.plan, Plan):
            return view_answer(self.plan, rows[0], 0.95)
        parts = [
            ReleasedPart(terms.question, tuple(map(tuple, each)))
            for terms, each in zip(self.terms, rows, strict=True)
        ]
        return view_parts(self.plan, parts, 0.95)


def cover(answer: str, data: str, currency: str, times: int) -> Held:
    """How often the intervals of an answer hold, over so many releases."""
    repeated = Repeated(ANSWERS[answer], DATA[data], *CURRENCIES[currency])
    truth = repeated.truth()
    at = truth.columns.index("x")
    exact = [row[at] for row in truth.rows]
    held = [[0, 0] for _ in exact]
    ends, told = 0, ""
    for seen in repeated.releases(times):
        told = next(filter(None, map(_about, seen.notes)), told)
        for place, row in enumerate(seen.rows):
            value, low, high = row[at : at + 3]
            if value is None:
                continue
            ends += low is None or high is None
            held[place][0] += _holds(exact[place], low, high)
            held[place][1] += 1
    shown = [each for each in held if each[1] >= times / 4]
    rows = sum(each[1] for each in shown)
    share = sum(each[0] for each in shown) / max(1, rows)
    worst = min((each[0] / each[1] for each in shown), default=1.0)
    return Held(rows, share, worst, ends / max(1, rows), told)


def _holds(exact: float | None, low: float | None, high: float | None) -> bool:
    """Whether an interval holds an exact value; only one without ends holds NULL."""
    if exact is None:
        return low is None and high is None
    slack = 1e-9 * max(1.0, abs(exact))
    return (
        (-inf if low is None else low) - slack <= exact <= (inf if high is None else high) + slack
    )


def _about(note: str) -> str:
    """What a note says that intervals are about, where it is not what exact numbers give."""
    about = note.partition(" are for ")[2].partition(";")[0]
    return about if "noisy numbers" in about else ""


_HEAD = """
Answers that are made of several, and what is computed from released groups: {times:,} releases each, at nominal 95 %.
*Held* is the share of all intervals that contain the exact value, *worst* that of the worst row, and *no end* the share
of intervals of which an end is not known, such as that of a quotient whose divisor may be zero: such an end holds by
itself, and it alone holds a NULL. With 600 releases the worst of several rows is off by two percent either way; a test
of the long suite looks at 20,000, of which at least 94 % must hold in every row, unless the caption says that intervals
are about something else: *said in the caption*. `python docs/coverage_of_combined.py` regenerates this part.

Answers without a row here: `GROUPING SETS` is read as `ROLLUP` and `CUBE` are; `MODE` and a selection (`ORDER BY
COUNT(*) DESC LIMIT k` that shows keys alone) release no number and have no interval; where rows are compared with a
released subquery, an interval is about the question with the released constant in it, and covers as often as that of
its aggregate above.

| answer | data | currency | held | worst | no end | said in the caption |
|---|---|---|---|---|---|---|
"""


def main() -> None:
    """Write the part of the page."""
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    lines = [_MARK, _HEAD.format(times=times)]
    for answer in ANSWERS:
        for data, currency in (("lognormal", "zCDP"), ("lognormal", "pure"), ("empty", "zCDP")):
            found = cover(answer, data, currency, times)
            shares = " | ".join(f"{each:.1%}" for each in (found.share, found.worst, found.open))
            lines.append(f"| {answer} | {data} | {currency} | {shares} | {found.told} |\n")
            print(lines[-1], end="", flush=True)
    before = _PAGE.read_text(encoding="utf-8").partition(_MARK)[0].rstrip("\n")
    _PAGE.write_text(f"{before}\n\n{''.join(lines)}", encoding="utf-8")


if __name__ == "__main__":
    main()
