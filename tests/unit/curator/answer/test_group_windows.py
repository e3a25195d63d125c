"""Windows over released groups: what they say, and that what is exact lies within their intervals."""

from fractions import Fraction
from itertools import combinations
from math import exp
from statistics import fmean, median, pstdev, pvariance, stdev, variance

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tacit
from tacit.curator.answer.group_windows import _centre_of_some, _totals_of_some, sum_error
from tacit.curator.answer.intervals import Interval, Noisy
from tacit.curator.answer.view_rows import view_answer
from tacit.errors import InvalidInput, InvalidPlan
from tacit.mechanisms import Gaussian, Laplace
from tacit.plan import Column, Frame, Kind, Look, Table, canonical, in_words, read_sql

WARDS = ("A", "B", "C", "D", "E")
TABLE = Table(
    "visits",
    (
        Column("ward", Kind.TEXT, values=WARDS),
        Column("urgent", Kind.BOOLEAN),
        Column("cost", Kind.INTEGER, 0, 9),
    ),
    unit="patient",
    contributions=3,
)
NOISE = {"laplace": Laplace(scale=20), "gaussian": Gaussian(sigma=20)}
WHOLE = "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
WINDOWS = {
    "SUM(COUNT(*)) OVER ()": lambda n: [sum(n)] * 5,
    "SUM(COUNT(*)) OVER (ORDER BY ward)": lambda n: list(np.cumsum(n)),
    "SUM(COUNT(*)) OVER (ORDER BY ward DESC)": lambda n: list(np.cumsum(n[::-1]))[::-1],
    "AVG(COUNT(*)) OVER ()": lambda n: [sum(n) / 5] * 5,
    "MAX(COUNT(*)) OVER ()": lambda n: [max(n)] * 5,
    "MIN(COUNT(*)) OVER (ORDER BY ward)": lambda n: list(np.minimum.accumulate(n)),
    "RANK() OVER (ORDER BY COUNT(*) DESC)": lambda n: [1 + sum(m > each for m in n) for each in n],
    "RANK() OVER (ORDER BY COUNT(*))": lambda n: [1 + sum(m < each for m in n) for each in n],
    "DENSE_RANK() OVER (ORDER BY COUNT(*))": lambda n: [
        1 + len({m for m in n if m < each}) for each in n
    ],
    "LAG(COUNT(*)) OVER (ORDER BY ward)": lambda n: [None, *n[:-1]],
    "LEAD(COUNT(*), 2) OVER (ORDER BY ward)": lambda n: [*n[2:], None, None],
    "COUNT(*) OVER (ORDER BY ward)": lambda n: [1, 2, 3, 4, 5],
    "COUNT(*) OVER (ORDER BY COUNT(*))": lambda n: [sum(m <= each for m in n) for each in n],
    "COUNT(ward) OVER (ORDER BY COUNT(*) DESC)": lambda n: [
        sum(m >= each for m in n) for each in n
    ],
    "ROW_NUMBER() OVER (ORDER BY ward DESC)": lambda n: [5, 4, 3, 2, 1],
    "MEDIAN(COUNT(*)) OVER ()": lambda n: [sorted(n)[2]] * 5,
    "MEDIAN(COUNT(*)) OVER (PARTITION BY ward < 'E')": lambda n: (
        [sum(sorted(n[:4])[1:3]) / 2] * 4 + n[4:]
    ),
    "FIRST_VALUE(COUNT(*)) OVER (ORDER BY ward DESC)": lambda n: [n[-1]] * 5,
    f"LAST_VALUE(COUNT(*)) OVER (ORDER BY ward {WHOLE})": lambda n: [n[-1]] * 5,
    f"last_value(ward) over (order by ward {WHOLE.lower()})": lambda n: ["E"] * 5,
    "CUME_DIST() OVER (ORDER BY COUNT(*))": lambda n: [sum(m <= each for m in n) / 5 for each in n],
}
FRAMES = {
    "sum(count(*)) over (order by ward rows between 1 preceding and 1 following)": lambda n: [
        sum(n[max(0, i - 1) : i + 2]) for i in range(5)
    ],
    "sum(count(*)) over (order by ward rows unbounded preceding)": lambda n: list(np.cumsum(n)),
}


def answered(text, exact, noise, mechanism, *, raw=False, confidence=0.9):
    """By ward, what a window says: the value, and its ends if it has any."""
    plan = read_sql(text, {"visits": TABLE})
    released = [[Noisy(n + z, mechanism, Fraction(1))] for n, z in zip(exact, noise, strict=True)]
    seen = view_answer(plan, released, confidence, raw=raw)
    places = [place for place, name in enumerate(seen.columns) if name in {"x", "x_low", "x_high"}]
    return {row[0]: tuple(row[place] for place in places) for row in seen.rows}


@pytest.mark.parametrize("window", [*WINDOWS, *FRAMES])
def test_without_noise_a_window_means_what_it_means_in_sql(window):
    exact = [30, 70, 50, 70, 10]
    found = answered(
        f"SELECT ward, COUNT(*) AS n, {window} AS x FROM visits GROUP BY ward",
        exact,
        [0] * 5,
        NOISE["laplace"],
    )
    assert [found[ward][0] for ward in WARDS] == [
        pytest.approx(each) if isinstance(each, float) else each
        for each in {**WINDOWS, **FRAMES}[window](exact)
    ]


def test_the_median_of_an_even_number_of_whole_numbers_may_be_a_half():
    window = "MEDIAN(COUNT(*)) OVER (PARTITION BY ward < 'E')"
    found = answered(
        f"SELECT ward, {window} AS x FROM visits GROUP BY ward",
        [1, 2, 3, 10, 7],
        [0] * 5,
        NOISE["laplace"],
    )
    assert found["A"][0] == 2.5
    assert found["E"][0] == 7


@settings(max_examples=80)
@given(
    window=st.sampled_from(sorted(WINDOWS)),
    name=st.sampled_from(sorted(NOISE)),
    exact=st.lists(st.integers(0, 300), min_size=5, max_size=5),
    share=st.lists(st.floats(-1, 1), min_size=5, max_size=5),
    raw=st.booleans(),
)
@example("MAX(COUNT(*)) OVER ()", "gaussian", [200] * 5, [-1.0] * 5, False)
@example("SUM(COUNT(*)) OVER ()", "laplace", [200] * 5, [0.5] * 5, False)
@example(
    "COUNT(*) OVER (ORDER BY COUNT(*))", "laplace", [50] * 5, [1.0, 0.5, 0.0, -0.5, -1.0], False
)
def test_the_exact_value_lies_within_the_interval(window, name, exact, share, raw):
    """Noise that stays within what it stays within at the stated confidence, of all groups at once and added up."""
    mechanism = NOISE[name]
    reach = mechanism.error(1 - 0.1 / 5)
    noise = [round(each * reach) for each in share]
    order = -1 if "DESC" in window else 1
    if "SUM" in window.upper() or "AVG" in window:
        for count in range(1, 6):
            part = noise[::order][:count]
            if abs(sum(part)) > sum_error(mechanism, count, 0.9):
                return
    if "LAG" in window or "LEAD" in window or "VALUE" in window:
        noise = [max(-mechanism.error(0.9), min(mechanism.error(0.9), each)) for each in noise]
    text = f"SELECT ward, COUNT(*) AS n, {window} AS x FROM visits GROUP BY ward"
    found = answered(text, exact, noise, mechanism, raw=raw)
    for ward, wanted in zip(WARDS, WINDOWS[window](exact), strict=True):
        value, *ends = found[ward]
        if wanted is None or not ends:
            assert value == wanted
        else:
            assert ends[0] <= wanted <= ends[1]


@settings(max_examples=20)
@given(
    name=st.sampled_from(sorted(NOISE)),
    exact=st.lists(st.integers(0, 200), min_size=5, max_size=5),
    share=st.lists(st.floats(-1, 1), min_size=5, max_size=5),
)
@example("gaussian", [200] * 5, [1.0] * 5)
def test_where_noise_chooses_the_groups_the_sum_of_those_lies_within(name, exact, share):
    mechanism = NOISE[name]
    noise = [round(each * mechanism.error(1 - 0.1 / 5)) for each in share]
    text = "SELECT ward, SUM(COUNT(*)) OVER () AS x FROM visits GROUP BY ward HAVING COUNT(*) > 60"
    found = answered(text, exact, noise, mechanism)
    wanted = sum(n for ward, n in zip(WARDS, exact, strict=True) if ward in found)
    for _, low, high in found.values():
        assert low <= wanted <= high


@pytest.mark.parametrize("count", [2, 8])
@pytest.mark.parametrize("confidence", [0.9, 0.999])
@pytest.mark.parametrize("scale", [Fraction(1, 2), 7])
def test_sums_of_noise_stay_within_their_error(count, confidence, scale):
    span = np.arange(-250, 251)
    for mechanism, law in (
        (Laplace(scale=scale), np.array([exp(-abs(z) / scale) for z in span])),
        (Gaussian(sigma=scale), np.array([exp(-z * z / (2 * float(scale) ** 2)) for z in span])),
    ):
        one = law / law.sum()
        total = one
        for _ in range(count - 1):
            total = np.convolve(total, one)
        away = np.abs(np.arange(len(total)) - len(total) // 2)
        reach = sum_error(mechanism, count, confidence)
        assert total[away > reach].sum() <= 1 - confidence
        assert reach <= count * mechanism.error(1 - (1 - confidence) / count)


@pytest.mark.parametrize("scale", [10**24, 2**180])
def test_the_error_of_a_sum_grows_with_the_scale_however_large_it_is(scale):
    small, large = (sum_error(Laplace(scale=each), 8, 0.95) for each in (10**6, scale))
    assert large * 10**6 == pytest.approx(small * scale, rel=1e-3)


def test_the_sum_of_many_groups_is_surer_than_its_groups_one_by_one():
    for mechanism in NOISE.values():
        assert sum_error(mechanism, 100, 0.95) < 100 * mechanism.error(1 - 0.05 / 100) / 4


def test_a_share_of_the_whole_has_an_interval():
    text = "SELECT ward, COUNT(*) / SUM(COUNT(*)) OVER () AS x FROM visits GROUP BY ward"
    found = answered(text, [3000, 7000, 5000, 6000, 1000], [5, -9, 0, 7, 3], NOISE["laplace"])
    value, low, high = found["B"]
    assert low < 7000 / 22000 < high
    assert low < value < high
    assert high - low < 0.05


def test_ranks_that_noise_cannot_change_are_sure():
    text = "SELECT ward, RANK() OVER (ORDER BY COUNT(*) DESC) AS x FROM visits GROUP BY ward"
    found = answered(text, [10, 1000, 1010, 5000, 9000], [0, 0, 0, 0, 0], NOISE["gaussian"])
    assert found == {"A": (5, 5, 5), "B": (4, 3, 4), "C": (3, 3, 4), "D": (2, 2, 2), "E": (1, 1, 1)}


def test_frames_look_at_other_groups_too():
    frame = (
        Frame(TABLE)
        .group_by("ward")
        .agg(
            n=tacit.count(),
            share=tacit.count() / tacit.over("sum", tacit.count()),
            place=tacit.over("rank", order=[tacit.count().descending()]),
            before=tacit.over("lag", tacit.count(), order=["ward"], offset=2),
        )
        .qualify(tacit.over("rank", order=[tacit.count().descending()]) <= 3)
    )
    text = """SELECT ward, COUNT(*) AS n, COUNT(*) / SUM(COUNT(*)) OVER () AS share, RANK() OVER w AS place,
        LAG(COUNT(*), 2) OVER (ORDER BY ward) AS before FROM visits GROUP BY ward WINDOW w AS (ORDER BY n DESC)
        QUALIFY RANK() OVER w <= 3"""
    assert canonical(frame.plan()) == canonical(read_sql(text, {"visits": TABLE}))
    assert "Of these, only those with RANK() over all groups" in in_words(frame.plan())


def test_what_no_window_over_groups_means_is_refused():
    with pytest.raises(InvalidInput, match="a window function"):
        tacit.over("mode", tacit.count())
    with pytest.raises(InvalidPlan, match="MEDIAN over groups has no order"):
        Frame(TABLE).group_by("ward").agg(n=tacit.over("median", tacit.count(), order=["ward"]))
    with pytest.raises(InvalidPlan, match="a window over groups is not allowed here"):
        Frame(TABLE).where(tacit.over("count") > 1).agg(n=tacit.count())
    with pytest.raises(InvalidPlan, match="SUM needs an argument"):
        Frame(TABLE).group_by("ward").agg(n=tacit.over("sum"))
    with pytest.raises(InvalidPlan, match="HAVING cannot contain a window"):
        Frame(TABLE).group_by("ward").agg(n=tacit.count()).having(tacit.over("count") > 1)


def test_the_extreme_of_constants_and_noisy_numbers_is_an_interval():
    rows = [{"ward": "AB"[i % 2]} for i in range(4000)]
    vault = tacit.protect(rows, unit="row", columns={"ward": ["A", "B"]}, epsilon=9, name="visits")
    text = "SELECT ward, MAX(CASE WHEN ward = 'A' THEN COUNT(*) ELSE 7 END) OVER () AS m FROM visits GROUP BY ward"
    answer = vault.sql(text, epsilon=3)
    assert answer.column("m_low")[0] <= answer.column("m")[0] <= answer.column("m_high")[0]
    assert answer.column("m")[1] == answer.column("m")[0] > 1000


def test_running_means_of_very_many_groups_of_which_some_may_be_null_lie_among_their_numbers():
    values = [None, *(Interval(each, each, each + 1, each % 2 == 0) for each in range(1200))]
    ends = range(1, len(values) + 1)
    found = _totals_of_some(Look.MEAN, values, ends)
    assert found[:2] == [None, Interval(0.0, 0, 1, null=True)]
    assert found[-1] == Interval(599.5, 0, 1200)
    sums = _totals_of_some(Look.SUM, values, ends)
    assert sums[:3] == [None, Interval(0.0, 0.0, 1.0, null=True), Interval(1.0, 1.0, 3.0)]


SPANS = st.tuples(st.integers(-9, 9), st.integers(0, 4), st.booleans()).map(
    lambda drawn: Interval(drawn[0], drawn[0], drawn[0] + drawn[1], drawn[2])
)


@given(spans=st.lists(SPANS, min_size=1, max_size=6), centre=st.sampled_from([fmean, median]))
@example(
    [Interval(0, 0, 0), Interval(-1, -1, 3, null=True), Interval(-2, -2, -2, null=True)], fmean
)
def test_the_mean_and_the_median_of_some_lie_within(spans, centre):
    low, high, null = _centre_of_some(centre, spans)
    sure = [each for each in spans if not each.null]
    others = [each for each in spans if each.null]
    every = [
        [*sure, *some] for size in range(len(others) + 1) for some in combinations(others, size)
    ]
    lows, highs = (
        [centre([getattr(each, end) for each in some]) for some in every if some]
        for end in ("low", "high")
    )
    assert low == pytest.approx(min(lows))
    assert high == pytest.approx(max(highs))
    assert null == (not sure)


def test_where_there_are_too_many_that_may_be_null_the_ends_are_those_of_all():
    spans = [Interval(each, each, each, each != 600) for each in range(1200)]
    assert _centre_of_some(fmean, spans) == (0, 1199, False)


@settings(max_examples=60)
@given(
    exact=st.lists(st.integers(0, 300), min_size=5, max_size=5),
    share=st.lists(st.floats(-1, 1), min_size=5, max_size=5),
    name=st.sampled_from(["STDDEV", "VARIANCE", "STDDEV_POP", "VAR_POP"]),
)
@example([0, 300, 0, 300, 150], [1.0, -1.0, 1.0, -1.0, 0.0], "STDDEV")
@example([100] * 5, [1.0, -1.0, 1.0, -1.0, 0.0], "VARIANCE")
def test_the_variance_of_groups_lies_within(exact, share, name):
    mechanism = NOISE["laplace"]
    noise = [round(each * mechanism.error(1 - 0.1 / 15)) for each in share]
    text = f"SELECT {name}(n) AS x FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward)"
    plan = read_sql(text, {"visits": TABLE})
    released = [[Noisy(n + z, mechanism, Fraction(1))] for n, z in zip(exact, noise, strict=True)]
    ((value, low, high),) = view_answer(plan, released, 0.9).rows
    meant = {"STDDEV": stdev, "VARIANCE": variance, "STDDEV_POP": pstdev, "VAR_POP": pvariance}
    seen = [max(0, n + z) for n, z in zip(exact, noise, strict=True)]
    assert value == pytest.approx(meant[name](seen))
    assert low - 1e-6 <= meant[name](exact) <= high + 1e-6


def test_the_variance_of_as_few_groups_as_it_is_divided_by_is_null():
    text = "SELECT VARIANCE(n) AS x FROM (SELECT ward, COUNT(*) AS n FROM visits WHERE ward = 'A' GROUP BY ward)"
    plan = read_sql(text, {"visits": TABLE})
    released = [[Noisy(9, NOISE["laplace"], Fraction(1))] for _ in plan.question.groups]
    assert view_answer(plan, released, 0.9).rows == ((None, None, None),)


S = "(SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward)"
CHOSEN = "the groups that noisy numbers chose; exact numbers might choose others"
ORDERED = "the order of noisy numbers; exact numbers might be in another"
TELL = {
    f"SELECT SUM(n) AS x FROM {S} WHERE n > 20": [f"intervals of x are for {CHOSEN}"],
    f"SELECT COUNT(*) AS x FROM {S} WHERE n > 20": [f"x: for {CHOSEN}"],
    f"SELECT COUNT(*) AS x, SUM(n) AS s FROM {S} WHERE n > 20": [
        f"intervals of s are for {CHOSEN}",
        f"x: for {CHOSEN}",
    ],
    f"SELECT ward AS x FROM {S} WHERE n > 20": [
        "the rows were selected by noisy numbers; exact numbers might select others"
    ],
    f"SELECT SUM(n) AS x FROM {S} WHERE ward > 'A'": [],
    f"SELECT ward, SUM(n) OVER (ORDER BY n DESC) AS x FROM {S}": [
        f"intervals of x are for {ORDERED}"
    ],
    f"SELECT AVG(n) AS x FROM {S[:-1]} ORDER BY n DESC LIMIT 3)": [
        f"intervals of x are for {ORDERED}",
    ],
    f"SELECT ARG_MAX(ward, n) AS x FROM {S}": [f"x: for {ORDERED}"],
    f"SELECT ward, RANK() OVER (ORDER BY n DESC) AS x FROM {S}": [],
    f"SELECT ward, SUM(n) OVER (ORDER BY ward) AS x FROM {S}": [],
}


@pytest.mark.parametrize("text", TELL)
def test_where_noise_chose_the_groups_or_their_order_the_caption_says_so(text):
    plan = read_sql(text, {"visits": TABLE})
    released = [[Noisy(n, NOISE["laplace"], Fraction(1))] for n in (10, 50, 90, 400, 900)]
    notes = view_answer(plan, released, 0.9).notes
    assert [note for note in notes if "exact numbers might" in note] == TELL[text]


OPEN = {
    f"SELECT ward, CASE WHEN n > 90 THEN n END AS x FROM {S}": "it may be NULL within its noise",
    f"SELECT ward, n / (n - 90) AS x FROM {S}": "the divisor may be zero within its noise",
    f"SELECT ward, n / NULLIF(n - 90, 0) AS x FROM {S}": (
        "the divisor may be zero within its noise"
    ),
    f"SELECT ward, n % 90 AS x FROM {S}": "the remainder of a noisy number may be anything",
    f"SELECT ward, LENGTH(CAST(n AS TEXT)) AS x FROM {S}": "it has no known bound",
    f"SELECT ward, AVG(n) OVER (ORDER BY ward ROWS 2 PRECEDING) AS x FROM {S}": "",
    f"SELECT ward, SUM(n) OVER (ORDER BY ward ROWS 2 PRECEDING) AS x FROM {S}": "",
    f"SELECT STDDEV(n) AS x FROM {S}": "",
}


@pytest.mark.parametrize("text", OPEN)
def test_an_interval_without_ends_says_why(text):
    plan = read_sql(text, {"visits": TABLE})
    released = [[Noisy(n, NOISE["laplace"], Fraction(1))] for n in (90, 100, 500, 600, 700)]
    notes = [note for note in view_answer(plan, released, 0.9).notes if "no end" in note]
    wanted = f"intervals of x have no end where they are NULL: {OPEN[text]}"
    assert notes == ([wanted] if OPEN[text] else [])


SOME = ["SUM(n) FILTER (WHERE n > 100)", "SUM(CASE WHEN n > 100 THEN n ELSE 0 END)"]


@pytest.mark.parametrize("form", SOME)
def test_a_sum_of_some_groups_is_as_sure_as_that_of_the_others_as_zero(form):
    plan = read_sql(f"SELECT {form} AS x FROM {S}", {"visits": TABLE})
    released = [[Noisy(n, Gaussian(sigma=5), Fraction(1))] for n in (95, 105, 20, 500, 600)]
    ((value, low, high),) = view_answer(plan, released, 0.9).rows
    assert value == 105 + 500 + 600
    reach = Gaussian(sigma=5).error(1 - 0.1 / 5)
    assert (low, high) == (1100 - 2 * reach, 95 + 105 + 1100 + 4 * reach)


def test_how_many_groups_meet_a_condition_lies_between_those_that_surely_do_and_those_that_may():
    plan = read_sql(f"SELECT COUNT(*) FILTER (WHERE n > 100) AS x FROM {S}", {"visits": TABLE})
    released = [[Noisy(n, Gaussian(sigma=5), Fraction(1))] for n in (95, 105, 20, 500, 600)]
    assert view_answer(plan, released, 0.9).rows == ((3, 2, 4),)
