"""From a cold process to a printed table: count and mean by group, person by person, ours and OpenDP's."""

import rows
from cases import SOME
from environments import interpreter, say
from report import Requirement, Result, Table, ratio, shown
from timing import best_processes_and_walls

LIMIT, TIMES, ROUNDS = 1.2, 3, 7

TACIT = """
import sys, tacit
columns = {"ward": [f"ward {i:02d}" for i in range(50)], "cost": (0, 5000)}
limit = {"epsilon": 3, "delta": 1e-6}
visits = tacit.protect(sys.argv[1], name="visits", unit="person", contributions=10, columns=columns, **limit)
print(visits.sql("SELECT ward, COUNT(*) AS n, AVG(cost) AS mean FROM visits GROUP BY ward", epsilon=0.5))
"""

OPENDP = """
import sys, warnings, polars as pl, opendp.prelude as dp
warnings.simplefilter("ignore")
dp.enable_features("contrib")
wards = pl.LazyFrame({"ward": [f"ward {i:02d}" for i in range(50)]})
context = dp.Context.compositor(
    data=pl.scan_parquet(sys.argv[1]),
    privacy_unit=dp.unit_of(contributions=1, identifier="person"),
    privacy_loss=dp.loss_of(epsilon=0.5, delta=1e-6),
    split_evenly_over=1,
    margins=[dp.polars.Margin(by=["ward"], max_length=100_000, max_groups=50)],
)
mean = pl.col("cost").cast(int).fill_null(0).dp.mean((0, 5000))
question = context.query().truncate_per_group(10).group_by("ward").agg(dp.len(), mean).with_keys(wards)
print(question.release().collect().sort("ward"))
"""


def run() -> Result:
    """The table of CPU seconds and seconds on the wall."""
    file = str(rows.kept(SOME))
    programs = {"tacit": ("tacit", TACIT), "OpenDP": ("opendp_polars", OPENDP)}
    commands = {
        name: [str(interpreter(peer)), "-c", code, file] for name, (peer, code) in programs.items()
    }
    if interpreter("opendp_polars") is None:
        del commands["OpenDP"]
    say("first: in turns")
    best_processes_and_walls(commands, 1)  # which leaves compiled files behind
    spent = best_processes_and_walls(commands, ROUNDS)
    lines = [(name, *(shown(figure) for figure in figures)) for name, figures in spent.items()]
    times = ratio(spent["OpenDP"][0] if "OpenDP" in spent else None, spent["tacit"][0])
    return Result(
        "The first question",
        [
            Table(
                f"From a cold process to a printed table, {SOME:,} rows, best of {ROUNDS}",
                ("", "CPU s", "wall s"),
                lines,
            )
        ],
        [
            Requirement(
                f"at most {LIMIT} s on an idle machine (judged by CPU seconds)",
                {"tacit": LIMIT / spent["tacit"][0]},
            ),
            Requirement(f"at least {TIMES} × faster than OpenDP", {"OpenDP": ratio(times, TIMES)}),
        ],
    )
