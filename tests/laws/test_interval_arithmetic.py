"""Where every released number lies within its own interval, what is computed from them does too.

Statements are drawn at random, with a fixed seed, over four groups whose counts lie close to the constants that they
are compared with.  Nothing is left to chance: noise is chosen, and always such that every number is within reach, so
that one interval that does not contain what the exact numbers give is a mistake.
"""

from fractions import Fraction
from math import inf
from random import Random

import pytest

from tacit.curator.answer.divide_confidence import shown_column
from tacit.curator.answer.group_windows import sum_error
from tacit.curator.answer.intervals import Noisy
from tacit.curator.answer.view_rows import view_answer
from tacit.errors import TacitError
from tacit.mechanisms import Gaussian, Laplace
from tacit.plan import Column, Kind, Summed, Table, read_sql

WARDS = "ABCD"
TABLE = Table(
    "visits",
    (
        Column("ward", Kind.TEXT, values=tuple(WARDS)),
        Column("cost", Kind.INTEGER, -9, 9, nullable=False),
    ),
    unit="patient",
    contributions=1,
)
NOISE = (Laplace(scale=4), Gaussian(sigma=5))
SIZES = (0, 1, 5, 19, 20, 21, 96, 99, 100, 101, 103, 110, 300)
CONFIDENCE = 0.9
CHOSEN = "exact numbers might"


class Statements:
    """Random expressions over the released numbers of a group, and over those of all groups."""

    def __init__(self, seed, names, *, windows):
        self.draw, self.names, self.windows = Random(seed), names, windows

    def one(self, *choices):
        return self.draw.choice(choices)

    def number(self, depth):
        if depth <= 0 or self.draw.random() < 0.1:
            return self.one(*self.names, *self.names, "0", "1", "20", "100", "100.5", "-3")
        n, c, t = (
            lambda: self.number(depth - 1),
            lambda: self.condition(depth - 1),
            lambda: self.text(depth - 1),
        )
        forms = [
            lambda: f"({n()} {self.one('+', '-', '*', '/', '//', '%')} {n()})",
            lambda: f"CASE WHEN {c()} THEN {n()} END",
            lambda: f"CASE WHEN {c()} THEN {n()} ELSE {n()} END",
            lambda: f"CASE WHEN {c()} THEN {n()} WHEN {c()} THEN NULL ELSE {n()} END",
            lambda: f"COALESCE({n()}, {n()})",
            lambda: f"COALESCE({n()}, {n()}, {n()})",
            lambda: f"NULLIF({n()}, {n()})",
            lambda: f"{self.one('LEAST', 'GREATEST')}({n()}, {n()})",
            lambda: (
                f"{self.one('SQRT', 'LN', 'ABS', 'ROUND', 'FLOOR', 'SIGN', 'ASIN', 'EXP')}({n()})"
            ),
            lambda: f"POWER({n()}, {self.one('2', '0.5', '-1', n())})",
            lambda: f"CAST({c()} AS BIGINT)",
            lambda: f"CAST({n()} AS {self.one('BIGINT', 'DOUBLE')})",
            lambda: f"CAST({t()} AS {self.one('BIGINT', 'DOUBLE')})",
            lambda: f"LENGTH({t()})",
            lambda: f"-({n()})",
        ]
        if self.windows:
            forms += [self.window] * 4
        return self.draw.choice(forms)()

    def condition(self, depth):
        n, c, t = (
            lambda: self.number(depth - 1),
            lambda: self.condition(depth - 1),
            lambda: self.text(depth - 1),
        )
        compared = self.one("<", "<=", "=", ">=", ">", "<>")
        forms = [
            lambda: f"{n()} {compared} {n()}",
            lambda: f"{n()} {compared} {self.one('0', '20', '100', '100.5')}",
        ]
        if depth > 0:
            forms += [
                lambda: f"{n()} IS NULL",
                lambda: f"{t()} IS NOT NULL",
                lambda: f"({c()}) IS NULL",
                lambda: f"({c()}) IS TRUE",
                lambda: f"NOT ({c()})",
                lambda: f"(({c()}) {self.one('AND', 'OR')} ({c()}))",
                lambda: f"{n()} {self.one('IN', 'NOT IN')} (20, 100{self.one('', ', NULL')})",
                lambda: f"{n()} BETWEEN 20 AND 100",
                lambda: f"{n()} IS DISTINCT FROM {n()}",
                lambda: f"{t()} IN ('100', 'a')",
                lambda: f"{t()} LIKE '1%'",
                lambda: f"{t()} = 'a'",
                lambda: f"COALESCE({c()}, {self.one('TRUE', 'FALSE')})",
                lambda: f"CASE WHEN {c()} THEN {c()} ELSE {self.one('TRUE', 'FALSE')} END",
            ]
            if self.windows:
                forms.append(
                    lambda: f"FIRST_VALUE({self.plain().condition(1)}) OVER (ORDER BY ward)"
                )
        return self.draw.choice(forms)()

    def text(self, depth):
        if depth <= 0:
            return self.one("'a'", "'100'", "ward" if self.windows else "'b'")
        return self.draw.choice(
            [
                lambda: f"CASE WHEN {self.condition(depth - 1)} THEN 'a' END",
                lambda: f"CASE WHEN {self.condition(depth - 1)} THEN 'a' ELSE '7' END",
                lambda: f"CAST({self.number(depth - 1)} AS TEXT)",
                lambda: f"COALESCE({self.text(depth - 1)}, 'b')",
                lambda: f"NULLIF({self.text(depth - 1)}, 'a')",
            ]
        )()

    def plain(self):
        """What may stand in a window: an expression without one."""
        found = Statements(0, self.names, windows=False)
        found.draw = self.draw
        return found

    def window(self):
        plain = self.plain()
        of = plain.number(self.draw.randrange(3))
        order = self.one(
            "ORDER BY ward",
            "ORDER BY ward DESC",
            f"ORDER BY {plain.number(1)}",
            f"ORDER BY {self.one(*self.names)} DESC",
        )
        frame = self.one("", "", "ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING", "ROWS 2 PRECEDING")
        folded = self.one("SUM", "AVG", "MIN", "MAX", "COUNT")
        look = self.one("RANK", "DENSE_RANK", "ROW_NUMBER")
        return self.one(
            f"{folded}({of}) OVER ()",
            f"{folded}({of}) OVER ()",
            f"MEDIAN({of}) OVER ()",
            f"{folded}({of}) OVER ({order} {frame})",
            f"{self.one('LAG', 'LEAD', 'FIRST_VALUE')}({of}) OVER ({order})",
            f"{look}() OVER ({order})",
        )

    def aggregate(self):
        plain = self.plain()
        of = plain.number(self.draw.randrange(3))
        name = self.one("SUM", "AVG", "MIN", "MAX", "COUNT", "MEDIAN", "STDDEV", "VAR_POP")
        only = f" FILTER (WHERE {plain.condition(1)})" if self.draw.random() < 0.4 else ""
        return f"{name}({of}){only}"


def in_a_group(seed):
    drawn = Statements(seed, ("COUNT(*)", "SUM(cost)"), windows=seed % 2 == 0)
    return f"SELECT ward, {drawn.number(3)} AS x FROM visits GROUP BY ward"


def over_groups(seed):
    drawn = Statements(seed, ("n", "s"), windows=False)
    x = drawn.one(
        drawn.aggregate(),
        f"COALESCE({drawn.aggregate()}, 7)",
        f"{drawn.aggregate()} / {drawn.aggregate()}",
    )
    where = f" WHERE {drawn.condition(1)}" if drawn.draw.random() < 0.3 else ""
    return f"SELECT {x} AS x FROM (SELECT ward, COUNT(*) AS n, SUM(cost) AS s FROM visits GROUP BY ward){where}"


def within_reach(draw, mechanism, confidence, groups):
    """Noise for each group, as large as may be, whose sums over the first groups or the last stay within reach."""
    reach = int(mechanism.error(confidence))
    noise = [draw.choice((-reach, reach, 0, draw.randint(-reach, reach))) for _ in range(groups)]
    far = max(
        Fraction(abs(sum(part)), max(1, sum_error(mechanism, len(part), confidence)))
        for end in range(1, groups + 1)
        for part in (noise[:end], noise[-end:])
    )
    return noise if far <= 1 else [int(each / far) for each in noise]


def released(plan, exact, noise, mechanism):
    """The numbers of groups; the noise of a measure is that of its place."""
    measures = plan.question.measures
    return [
        [
            Noisy(
                exact[isinstance(measure, Summed)][group] + noise[place][group],
                mechanism,
                Fraction(1),
            )
            for place, measure in enumerate(measures)
        ]
        for group in range(len(WARDS))
    ]


def missed(text, draw):
    """Rows whose interval does not hold, for one choice of exact numbers and of noise."""
    plan = read_sql(text, {"visits": TABLE})
    shown = next(column for column in plan.view.columns if column.name == "x")
    sure = shown_column(shown, plan.question, CONFIDENCE, raw=False).confidence
    mechanism = draw.choice(NOISE)
    counts = [draw.choice(SIZES) for _ in WARDS]
    sums = [
        draw.randint(-9 * count, 9 * count) if draw.random() < 0.5 else count for count in counts
    ]
    measures = range(len(plan.question.measures))
    nothing = [[0] * len(WARDS) for _ in measures]
    noise = [within_reach(draw, mechanism, sure, len(WARDS)) for _ in measures]
    exact = view_answer(plan, released(plan, (counts, sums), nothing, mechanism), CONFIDENCE)
    found = view_answer(plan, released(plan, (counts, sums), noise, mechanism), CONFIDENCE)
    if any(CHOSEN in note for note in found.notes):
        return
    at = found.columns.index("x")
    truth = {row[:at]: row[at] for row in exact.rows}
    for row in found.rows:
        value, low, high = row[at : at + 3] if "x" in found.measured else (row[at],) * 3
        true = truth.get(row[:at])
        if value is None:
            continue
        if true is None:
            if (low, high) != (None, None):
                yield f"{text}: {value} [{low}, {high}], exactly NULL; {counts} {sums} {noise}"
            continue
        slack = 1e-9 * max(1.0, abs(true))
        if (
            not (-inf if low is None else low) - slack
            <= true
            <= (inf if high is None else high) + slack
        ):
            yield f"{text}: {value} [{low}, {high}], exactly {true}; {counts} {sums} {noise}"


BY = "FROM visits GROUP BY ward"
S = "FROM (SELECT ward, COUNT(*) AS n, SUM(cost) AS s FROM visits GROUP BY ward)"
ONES = {
    "coalesce": f"SELECT ward, COALESCE(NULLIF(COUNT(*), 100), 1000) AS x {BY}",
    "root": f"SELECT ward, COALESCE(SQRT(COUNT(*) - 100.5), 50) AS x {BY}",
    "logarithm": f"SELECT ward, COALESCE(LN(COUNT(*) - 100), 50) AS x {BY}",
    "quotient": f"SELECT ward, CASE WHEN 5 / (COUNT(*) - 100) IS NULL THEN 1 ELSE 0 END AS x {BY}",
    "greatest": f"SELECT ward, GREATEST(CASE WHEN COUNT(*) > 100 THEN 7 END, 0) AS x {BY}",
    "is null": f"SELECT ward, CASE WHEN SQRT(COUNT(*) - 100.5) IS NULL THEN 1 ELSE 0 END AS x {BY}",
    "null of a condition": f"SELECT ward, CASE WHEN (SQRT(COUNT(*) - 100.5) > 0) IS NULL THEN 1 ELSE 0 END AS x {BY}",
    "null of a text": (
        f"SELECT ward, CASE WHEN CASE WHEN COUNT(*) > 100 THEN 'a' END IS NULL THEN 1 ELSE 0 END AS x {BY}"
    ),
    "case without else": f"SELECT ward, CASE WHEN COUNT(*) > 100 THEN COUNT(*) END AS x {BY}",
    "case in a condition": (
        f"SELECT ward, CASE WHEN CASE WHEN COUNT(*) > 100 THEN TRUE ELSE FALSE END THEN 1 ELSE 0 END AS x {BY}"
    ),
    "texts": (
        f"SELECT ward, CASE WHEN CASE WHEN COUNT(*) > 100 THEN 'a' ELSE 'b' END IN ('a') THEN 1 ELSE 0 END AS x {BY}"
    ),
    "numbers": f"SELECT ward, CASE WHEN COUNT(*) IN (100, 101) THEN 1 ELSE 0 END AS x {BY}",
    "numbers and null": f"SELECT ward, CASE WHEN COUNT(*) NOT IN (100, NULL) THEN 1 ELSE 0 END AS x {BY}",
    "truth of a text": f"SELECT ward, CAST(CAST(COUNT(*) AS TEXT) = '100' AS BIGINT) AS x {BY}",
    "window of a condition": (
        f"SELECT ward, CASE WHEN FIRST_VALUE(COUNT(*) > 100) OVER (ORDER BY ward) THEN 1 ELSE 0 END AS x {BY}"
    ),
    "length": f"SELECT ward, LENGTH(CAST(COUNT(*) AS TEXT)) AS x {BY}",
    "sum": f"SELECT SUM(n) FILTER (WHERE n > 100) AS x {S}",
    "mean": f"SELECT AVG(n) FILTER (WHERE n > 100) AS x {S}",
    "least": f"SELECT MIN(n) FILTER (WHERE n > 100) AS x {S}",
    "greatest of groups": f"SELECT MAX(n) FILTER (WHERE n < 100) AS x {S}",
    "median": f"SELECT MEDIAN(n) FILTER (WHERE n > 100) AS x {S}",
    "groups": f"SELECT COUNT(*) FILTER (WHERE n > 100) AS x {S}",
    "spread": f"SELECT STDDEV(n) FILTER (WHERE n > 100) AS x {S}",
    "running": f"SELECT ward, SUM(CASE WHEN n > 100 THEN n END) OVER (ORDER BY ward) AS x {S}",
    "ranks": f"SELECT ward, RANK() OVER (ORDER BY NULLIF(n, 100)) AS x {S}",
    "chosen": f"SELECT SUM(n) AS x {S} WHERE n > 100",
    "number chosen": f"SELECT COUNT(*) AS x {S} WHERE n > 100",
    "noisy order": f"SELECT ward, SUM(n) OVER (ORDER BY n DESC) AS x {S}",
}


@pytest.mark.parametrize("name", ONES)
def test_a_statement_that_noise_may_turn_lies_within_its_interval(name):
    draw = Random(1)
    wrong = [each for _ in range(40) for each in missed(ONES[name], draw)]
    assert not wrong, wrong[0]


def check_statements(statement, seeds):
    read = 0
    for seed in seeds:
        text, draw = statement(seed), Random(seed)
        try:
            wrong = [each for _ in range(5) for each in missed(text, draw)]
        except TacitError:  # what is refused has no interval
            continue
        read += 1
        assert not wrong, wrong[0]
    assert read > len(seeds) // 2


@pytest.mark.parametrize("statement", [in_a_group, over_groups])
def test_what_is_computed_from_numbers_within_their_intervals_lies_within_its_own(statement):
    check_statements(statement, range(130))


@pytest.mark.soak
@pytest.mark.parametrize("statement", [in_a_group, over_groups])
def test_what_is_computed_from_numbers_within_their_intervals_lies_within_its_own_long(statement):
    check_statements(statement, range(130, 6_000))
