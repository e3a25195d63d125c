"""Every function and operator of what is released: nothing is raised that is no refusal, whatever noise has made."""

import re
from dataclasses import replace
from datetime import UTC, date, datetime
from itertools import product

import pytest

from tacit.curator import Limit, Price, Release, Shared
from tacit.curator.answer.view_rows import view_answer
from tacit.curator.pricing.noise_of_measures import terms_of
from tacit.curator.rehearse_before_payment import look_at, made_up_answers, rehearsal_of
from tacit.errors import TacitError
from tacit.ledger import Entry
from tacit.plan import Called, Column, Function, Kind, Plan, Table, canonical, read_sql
from tacit.plan import operands as parts_of
from tests.laws.functions import CASES

COLUMNS = (
    Column("unit", Kind.INTEGER),
    Column("i", Kind.INTEGER, -100, 100),
    Column("j", Kind.INTEGER, -(1 << 62), 1 << 62),
    Column("x", Kind.NUMBER, -100, 1000),
    Column("v", Kind.NUMBER, -(10**150), 10**150),
    Column("d", Kind.DATE, date(2023, 11, 15), date(2025, 3, 10)),
    Column("e", Kind.DATE, date(1, 1, 2), date.max),
    Column(
        "s",
        Kind.TIMESTAMP,
        datetime(2024, 1, 30, 22, tzinfo=UTC),
        datetime(2024, 3, 2, 3, 30, tzinfo=UTC),
    ),
    Column("r", Kind.TIMESTAMP, datetime(1, 1, 2, tzinfo=UTC), datetime.max.replace(tzinfo=UTC)),
    Column("ki", Kind.INTEGER, values=(-(1 << 63), 0, (1 << 63) - 1)),
    Column("kx", Kind.NUMBER, values=(-1, 0)),
    Column("kt", Kind.TEXT, values=("", "=1\x1b\u202e")),
    Column("kb", Kind.BOOLEAN, values=(True, False)),
    Column("kd", Kind.DATE, values=(date.min, date.max)),
    Column(
        "ks",
        Kind.TIMESTAMP,
        values=(datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)),
    ),
    Column("u", Kind.TEXT),
)
TABLE = Table("rows", COLUMNS, unit="unit")
KEYS = ("ki", "kx", "kt", "kb", "kd", "ks")

# What stands for the columns of tests/laws/functions.py: released values of every kind, usual and extreme, and NULL.
NULL_NUMBER = "AVG(x) / (COUNT(*) - COUNT(*))"
RELEASED = (
    # medians of usual columns
    {
        "i": "MEDIAN(i)",
        "k": "MIN(i)",
        "p": "MAX(i)",
        "x": "AVG(x)",
        "y": "COUNT(*)",
        "z": "SUM(x)",
        "t": "CAST(MEDIAN(i) AS VARCHAR)",
        "w": "STRFTIME(MEDIAN(d), '%B')",
        "b": "COUNT(*) > 3",
        "d": "MEDIAN(d)",
        "e": "MIN(d)",
        "s": "MEDIAN(s)",
        "r": "MAX(s)",
    },
    # of columns that go to the ends
    {
        "i": "MEDIAN(j)",
        "k": "MAX(j)",
        "p": "CAST(COUNT(*) AS BIGINT)",
        "x": "SUM(v)",
        "y": "VARIANCE(x)",
        "z": "MEDIAN(v)",
        "t": "STRFTIME(MAX(r), '%Y')",
        "w": "kt",
        "b": "MEDIAN(e) > DATE '2024-01-01'",
        "d": "MAX(e)",
        "e": "MEDIAN(e)",
        "s": "MAX(r)",
        "r": "MEDIAN(r)",
    },
    # keys of every kind
    {
        "i": "ki",
        "k": "ki",
        "p": "MIN(i)",
        "x": "kx",
        "y": "SUM(i)",
        "z": "kx",
        "t": "kt",
        "w": "kt",
        "b": "kb",
        "d": "kd",
        "e": "MIN(d)",
        "s": "ks",
        "r": "MIN(s)",
    },
    # values that may be missing, and those of other groups
    {
        "i": "CASE WHEN AVG(x) > 0 THEN MEDIAN(i) END",
        "k": "RANK() OVER (ORDER BY COUNT(*))",
        "p": "COUNT(*) OVER ()",
        "x": NULL_NUMBER,
        "y": "SUM(COUNT(*)) OVER ()",
        "z": "LAG(SUM(v)) OVER (ORDER BY kd)",
        "t": "CASE WHEN AVG(x) > 0 THEN kt END",
        "w": "MAX(kt) OVER ()",
        "b": f"{NULL_NUMBER} > 0",
        "d": "CASE WHEN COUNT(*) > 5 THEN MEDIAN(d) ELSE kd END",
        "e": "MAX(MAX(e)) OVER ()",
        "s": "LEAD(MEDIAN(r)) OVER (ORDER BY COUNT(*))",
        "r": "CASE WHEN kb THEN MAX(s) END",
    },
)
OPERATORS = [
    *(
        f"{one} {operator} {other}"
        for operator in "+-*/%"
        for one, other in ("ik", "ix", "xi", "xy", "zz", "pp")
    ),
    *(
        f"{one} {compare} {other}"
        for compare in ("=", "<>", "<", "<=", ">", ">=")
        for one, other in ("ix", "tw", "de", "sr")
    ),
    *(f"-{name}" for name in "ikpxyz"),
    *(
        f"CAST({name} AS {kind})"
        for name in "ikpxyztbdesr"
        for kind in ("BIGINT", "DOUBLE", "VARCHAR", "DATE", "TIMESTAMP")
    ),
    *(f"{name} IS NULL" for name in "ixtbds"),
    *(f"{name} IS NOT NULL" for name in "ixtbds"),
    *(
        "t LIKE '%1%'",
        "w NOT LIKE '_'",
        "NOT b",
        "b AND x > 0",
        "b OR i IN (1, NULL)",
        "b = (i > 3)",
    ),
    *(
        "i IN (1, 2)",
        "x NOT IN (1.5, NULL)",
        "t IN ('', '2024')",
        "d IN (DATE '2024-02-29')",
        "s BETWEEN r AND s",
    ),
    *(f"CASE WHEN x > 5 THEN {name} END" for name in "ixtbds"),
    *(f"CASE WHEN b THEN {one} ELSE {other} END" for one, other in ("ik", "ix", "tw", "de", "sr")),
    *(
        f"{look}({name}) OVER (ORDER BY {by})"
        for look in ("MIN", "MAX", "LAG", "LEAD", "COUNT")
        for name, by in ("ix", "xi", "td", "dt", "sb")
    ),
    *(f"{look}({name}) OVER ()" for look in ("SUM", "AVG") for name in "ikpxyz"),
    *(
        f"{look}() OVER (PARTITION BY {by} ORDER BY {name} DESC)"
        for look in ("ROW_NUMBER", "RANK", "DENSE_RANK")
        for name, by in ("it", "xb", "ti", "ds", "sd")
    ),
    "MAX(CASE WHEN kb THEN i ELSE 0 END) OVER ()",
]
NAME = re.compile(r"'[^']*'|\b[a-z]\b")
LIMITS = {"pure": Limit(3), "concentrated": Limit(3, 1e-6)}
SHARED = Shared(TABLE, 5, 2)


def over_the_release(text, released):
    """An expression over columns, over what is released instead."""
    return NAME.sub(
        lambda found: f"({released[found[0]]})" if found[0] in released else found[0], text
    )


def read(columns, rest="", keys=KEYS):
    listed = ", ".join(f"{text} AS c{place}" for place, text in enumerate(columns))
    return canonical(
        read_sql(
            f"SELECT {listed} FROM rows GROUP BY {', '.join(keys)} {rest}",
            {"rows": TABLE},
            finding=True,
        )
    )


def is_read(text):
    try:
        read([text, "COUNT(*)"])
    except TacitError:
        return False
    return True


def functions_of(plan: Plan):
    """The functions that the columns of a plan call."""

    def walk(expression):
        if isinstance(expression, Called):
            yield expression.function
        for part in parts_of(expression):
            yield from walk(part)

    return {function for shown in plan.view.columns for function in walk(shown.value)}


def releases(plan, limit, confidence, *, raw):
    """What is shown of every answer that is made up for a plan."""
    charge = limit.filter().price_of(1)
    terms = terms_of(plan.question, SHARED, limit, limit.filter().amount(charge))
    entry = Entry(0, b"", None, charge)
    rehearsal = rehearsal_of(plan, terms, {}, entry, Price(1.0, 0.5), confidence, (), raw=raw)
    small = rehearsal.plan
    for stored in made_up_answers(rehearsal):
        asked = replace(small, question=replace(small.question, found=stored.found))
        seen = view_answer(asked, stored.noisy(range(len(stored.measures))), confidence, raw=raw)
        yield Release(
            seen.columns, seen.rows, seen.measured, confidence, Price(1.0, 0.5), {}, stored.hiding
        )


def rehearsed(plan, limit, confidence=0.95, *, raw=False):
    """How many cells were looked at."""
    count = 0
    for release in releases(plan, limit, confidence, raw=raw):
        look_at(release)
        count += len(release.rows) * len(release.columns)
        for name in release.measured:
            cells = zip(
                release.column(f"{name}_low"),
                release.column(name),
                release.column(f"{name}_high"),
                strict=True,
            )
            for low, value, high in cells:
                assert None in (low, value) or low <= value, name
                assert None in (value, high) or value <= high, name
    return count


@pytest.mark.parametrize("place", range(len(RELEASED)), ids=["usual", "extreme", "keys", "missing"])
def test_whatever_is_done_with_a_release_can_be_shown(place):
    cases = CASES if place < 2 else CASES[place % 2 :: 2]
    texts = [
        over_the_release(text, RELEASED[place])
        for text in [*(case.text for case in cases), *OPERATORS]
    ]
    taken = [text for text in dict.fromkeys(texts) if is_read(text)]
    assert len(taken) >= (700, 700, 360, 390)[place], len(taken)
    called, cells = set(), 0
    both = list(LIMITS.values())
    limits = (both, both, both[:1], both[1:])[place]
    for turn, first in enumerate(range(0, len(taken), 40)):
        # of the first one two values are looked at
        keys = KEYS[turn % len(KEYS) :] + KEYS[: turn % len(KEYS)]
        plan = read([*taken[first : first + 40], "COUNT(*)"], keys=keys)
        called |= functions_of(plan)
        # The price decides about intervals alone: one after the other, with cells rounded and raw.
        cells += rehearsed(plan, limits[turn // 2 % len(limits)], raw=turn % 2 == 1)
    assert called == set(Function) if place < 2 else len(called) >= 25
    assert cells >= 4 * len(taken)


@pytest.mark.parametrize("limit", LIMITS.values(), ids=LIMITS)
@pytest.mark.parametrize("confidence", [1e-12, 0.5, 1 - 1e-12])
def test_every_confidence_that_is_taken_can_be_shown(limit, confidence):
    columns = ["COUNT(*)", "SUM(x)", "AVG(x)", "MEDIAN(d)", "VARIANCE(x)", "COUNT(*) / SUM(i)"]
    for raw in (False, True):
        assert rehearsed(read(columns), limit, confidence, raw=raw) > 0


def test_unknown_keys_of_every_kind_can_be_shown():
    columns = [
        "u",
        "LENGTH(u)",
        "COUNT(*)",
        "MEDIAN(d) + INTERVAL 1 MONTH",
        "RANK() OVER (ORDER BY u)",
    ]
    plan = read(columns, keys=("u", "kd"))
    assert rehearsed(plan, LIMITS["concentrated"]) > 0
    for kind, expression in {"i": "i", "x": "x", "d": "d", "s": "s", "b": "i > 3"}.items():
        text = f"SELECT k, COUNT(*) AS n FROM (SELECT unit, {expression} AS k FROM rows) GROUP BY k"
        plan = canonical(read_sql(text, {"rows": TABLE}, finding=True))
        assert rehearsed(plan, LIMITS["concentrated"]) > 0, kind


def test_what_chooses_and_sorts_groups_can_be_shown():
    clauses = [
        "HAVING {b}",
        "HAVING {x} > 5 ORDER BY {d}, {t} DESC",
        "ORDER BY {x}, {s} LIMIT 2 OFFSET 1",
        "QUALIFY RANK() OVER (ORDER BY {d}) < 3",
    ]
    for released, clause in product(RELEASED[:3], clauses):
        rest = clause.format(**{name: f"({text})" for name, text in released.items()})
        for limit in LIMITS.values():
            rehearsed(read(["COUNT(*)", "kt"], rest), limit)


def test_frames_and_pictures_take_what_is_shown(tmp_path):
    columns = [
        "ki",
        "kx",
        "kd",
        "COUNT(*)",
        "SUM(v)",
        "MEDIAN(j)",
        "MEDIAN(e)",
        "MAX(r) + INTERVAL 1 MONTH",
        "AVG(x)",
    ]
    looked = 0
    for limit in LIMITS.values():
        for release in releases(read(columns), limit, 0.95, raw=True):
            frames = release.to_arrow(), release.to_pandas(), release.to_polars()
            assert {frame.shape for frame in frames} == {(len(release), len(release.columns))}
            assert len(release.plot(str(tmp_path / "answer.svg")).axes) == len(release.measured)
            looked += 1
    assert looked == len(LIMITS)
