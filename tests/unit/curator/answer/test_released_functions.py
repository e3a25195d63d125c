"""Functions of released numbers, and whether their intervals hold what they promise."""

from math import inf, isfinite

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tacit.curator.answer.intervals import Interval
from tacit.curator.answer.released_functions import called_value, value_of_kind
from tacit.plan import ANGLES, MEANINGS, Function, Kind
from tacit.plan.semantics.function_meanings import FIRST, LAST
from tests.unit.curator.asked import noisy, seen

F = Function
ENDS = st.one_of(
    st.integers(-40, 40).map(float), st.floats(-50, 50), st.sampled_from([0.0, 1.0, -1.0, 0.5])
)
SETTINGS = {F.ROUND: st.integers(-2, 3)}
OF_ONE = [F.ABS, F.SIGN, F.ROUND, F.FLOOR, F.CEIL, F.SQRT, F.LN, F.LOG10, F.EXP]
OF_ONE += sorted(ANGLES - {F.ATAN2}, key=str)
OF_TWO = [F.LEAST, F.GREATEST, F.COALESCE, F.NULLIF, F.POWER, F.QUOTIENT]


@st.composite
def intervals(draw):
    """An interval, a value in it that was released, and another one that may be the exact one."""
    low, value, exact, high = sorted(draw(st.lists(ENDS, min_size=4, max_size=4)))
    if draw(st.booleans()):
        value, exact = exact, value
    low, high = draw(st.sampled_from([(low, high), (-inf, high), (low, inf)]))
    return Interval(value, low, high), exact


@given(st.data())
def test_the_exact_value_lies_within_the_interval(data):
    function = data.draw(st.sampled_from(OF_ONE + OF_TWO))
    count = 1 if function in OF_ONE else 2
    drawn = [data.draw(intervals()) for _ in range(count)]
    if count == 2 and data.draw(st.booleans()):
        constant = float(data.draw(st.integers(-3, 3)))
        drawn[1] = (constant, constant)
    if function is F.QUOTIENT:
        drawn = [_whole(each) for each in drawn]
    rest = [data.draw(SETTINGS[function])] if function in SETTINGS else []
    found = called_value(function, [*(value for value, _ in drawn), *rest], noisy=False)
    exact = MEANINGS[function](*(each for _, each in drawn), *rest)
    if exact is None:
        assert found is None or found.null
    assume(found is not None and exact is not None)
    if not isinstance(found, Interval):
        found = Interval(found, found, found)
    if found.value is not None:
        assert isfinite(found.value)
        assert found.low <= found.value <= found.high
    slack = 1e-9 * max(1, abs(exact))
    assert found.low - slack <= exact <= found.high + slack


def _whole(drawn):
    value, exact = drawn
    if isinstance(value, Interval):
        parts = [
            part if abs(part) == inf else float(round(part))
            for part in (value.value, value.low, value.high)
        ]
        return Interval(*parts), round(exact)
    return int(value), int(exact)


@pytest.mark.parametrize(
    ("function", "values", "found"),
    [
        (F.ROUND, [Interval(12.34, 11.96, 12.71), 1], Interval(12.3, 12.0, 12.7)),
        (F.ABS, [Interval(-2.0, -5.0, 1.0)], Interval(2.0, 0.0, 5.0)),
        (F.GREATEST, [Interval(-2.0, -5.0, 1.0), 0], Interval(0.0, 0.0, 1.0)),
        (F.LEAST, [Interval(-2.0, -5.0, 1.0), None], Interval(-2.0, -5.0, 1.0)),
        (F.COALESCE, [None, Interval(1.0, 0.0, 2.0)], Interval(1.0, 0.0, 2.0)),
        (F.NULLIF, [Interval(0.0, -1.0, 1.0), 0], Interval(None, -1.0, 1.0, null=True)),
        (F.SQRT, [Interval(4.0, -1.0, 9.0)], Interval(2.0, 0.0, 3.0, null=True)),
        (F.SQRT, [Interval(-4.0, -9.0, -1.0)], None),
        (F.LN, [Interval(1.0, -1.0, inf)], Interval(0.0, -inf, inf, null=True)),
        (F.EXP, [Interval(0.0, -inf, 0.0)], Interval(1.0, 0.0, 1.0)),
        (F.POWER, [Interval(2.0, -1.0, 3.0), 2], Interval(4.0, 0.0, 9.0)),
        (F.POWER, [Interval(2.0, -1.0, 3.0), 0.5], Interval(2.0**0.5, -inf, inf, null=True)),
        (F.LENGTH, ["abc"], Interval(3.0, -inf, inf, null=True)),
        (F.ABS, [None], None),
        (F.COALESCE, [Interval(5.0, 4.0, 6.0, null=True), 9.0], Interval(5.0, 4.0, 9.0)),
        (F.COALESCE, [Interval(None, 4.0, 6.0, null=True), 9.0], Interval(9.0, 4.0, 9.0)),
        (F.LEAST, [Interval(5.0, 4.0, 6.0, null=True), 9.0], Interval(5.0, 4.0, 9.0)),
        (F.GREATEST, [Interval(5.0, 4.0, 6.0, null=True), 1.0], Interval(5.0, 1.0, 6.0)),
        (F.ABS, [Interval(None, 4.0, 6.0, null=True)], Interval(None, 4.0, 6.0, null=True)),
    ],
)
def test_an_interval_goes_through_a_function(function, values, found):
    assert called_value(function, values, noisy=function is F.LENGTH) == found


def test_what_is_no_number_has_no_interval():
    assert called_value(F.UPPER, ["abc"], noisy=False, kind=Kind.TEXT) == "ABC"
    assert (
        called_value(F.DISTINCT, [Interval(1.0, 0.0, 2.0), 1.0], noisy=False, kind=Kind.BOOLEAN)
        is False
    )


def test_what_no_noise_has_touched_has_no_interval():
    assert called_value(F.LENGTH, ["abc"], noisy=False) == 3


def test_functions_of_released_numbers_and_keys_are_shown():
    text = (
        "SELECT LOWER(ward) AS w, ROUND(COUNT(*) / 7, 1) AS r, GREATEST(COUNT(*), 150) AS g, "
        "CASE WHEN COALESCE(COUNT(*) > 90, FALSE) THEN 1 ELSE 0 END AS c FROM visits GROUP BY ward"
    )
    found = seen(text, noisy(100), noisy(200), noisy(300))
    assert found.measured == ("r", "g", "c")
    assert [row[0] for row in found.rows] == ["a", "b", "c"]
    assert found.rows[0][1:] == (14.3, 11.4, 17.1, 150.0, 150.0, 150.0, 1, 0, 1)


def test_released_numbers_are_written_as_texts():
    text = (
        "SELECT ward, CONCAT(ROUND(100.0 * COUNT(*) / 300, 1), '%') AS share, CAST(COUNT(*) AS VARCHAR) AS n, "
        "'n = ' || COUNT(*) / 4 AS quarter, COUNT(*) - 1 || '' AS less FROM visits GROUP BY ward"
    )
    found = seen(text, noisy(100), noisy(201), noisy(300))
    assert list(found.rows) == [
        ("A", "33.3%", "100", "n = 25.0", "99"),
        ("B", "67.0%", "201", "n = 50.25", "200"),
        ("C", "100.0%", "300", "n = 75.0", "299"),
    ]


def test_groups_can_be_kept_and_sorted_by_functions():
    text = (
        "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward HAVING ABS(n - 200) < 101 "
        "ORDER BY ROUND(n, -3), LOWER(ward) DESC"
    )
    assert [row[0] for row in seen(text, noisy(100), noisy(200), noisy(300)).rows] == [
        "C",
        "B",
        "A",
    ]


def test_a_calculated_key_is_shown_as_it_is():
    text = "SELECT ward || '!' AS w, COUNT(*) AS n FROM visits GROUP BY w"
    assert [row[0] for row in seen(text, *[noisy(1)] * 3).rows] == ["A!", "B!", "C!"]


# ---------------------------------------------------------------- days and moments

DAY = 86_400_000_000
MOMENTS = st.one_of(
    st.integers(-3 * 366, 3 * 366).map(lambda day: day * DAY),
    st.integers(-3 * 366 * DAY, 3 * 366 * DAY),
    st.sampled_from([FIRST, LAST, FIRST + DAY, LAST - DAY]),
)
UNITS = ["year", "quarter", "month", "week", "day", "hour", "minute", "second"]
PARTS = [*UNITS, "dow", "isodow", "doy", "epoch"]


@given(st.data())
def test_the_exact_moment_lies_within_the_interval(data):
    low, value, exact, high = sorted(data.draw(st.lists(MOMENTS, min_size=4, max_size=4)))
    if data.draw(st.booleans()):
        value, exact = exact, value
    whole_days = data.draw(st.booleans())
    if whole_days:
        low, value, exact, high = (moment // DAY * DAY for moment in (low, value, exact, high))
    seen = Interval(value, *data.draw(st.sampled_from([(low, high), (-inf, high), (low, inf)])))
    function = data.draw(st.sampled_from([F.DATE_TRUNC, F.EXTRACT, F.DATE_DIFF, F.DATE_ADD]))
    kind = Kind.TIMESTAMP
    match function:
        case F.DATE_TRUNC:
            unit = data.draw(st.sampled_from(UNITS))
            values, exactly = [unit, seen], [unit, exact]
        case F.EXTRACT:
            part = data.draw(st.sampled_from(PARTS))
            values, exactly, kind = (
                [part, seen],
                [part, exact],
                Kind.NUMBER if part == "epoch" else Kind.INTEGER,
            )
        case F.DATE_ADD:
            unit, count = data.draw(st.sampled_from(UNITS)), data.draw(st.integers(-40, 40))
            values, exactly = [seen, count, unit], [exact, count, unit]
        case _:
            unit, other = data.draw(st.sampled_from(UNITS)), data.draw(MOMENTS)
            turned = data.draw(st.booleans())
            values, exactly = (
                [unit, *((other, each) if turned else (each, other))] for each in (seen, exact)
            )
            kind = Kind.INTEGER
    found, meant = (
        called_value(function, values, noisy=False, kind=kind, whole_days=whole_days),
        MEANINGS[function](*exactly),
    )
    if meant is None:
        assert found is None or found.null
    assume(found is not None and meant is not None)
    if found.value is not None:
        assert isinstance(found.value, float if kind is Kind.NUMBER else int)
        assert found.low <= found.value <= found.high
    assert found.low <= meant <= found.high


def test_parts_of_moments_have_the_ends_of_the_unit_in_which_they_grow():
    march, may = (MEANINGS[F.DATE_ADD](0, months, "month") for months in (2, 4))
    within = called_value(
        F.EXTRACT, ["month", Interval(march, march, may)], noisy=False, kind=Kind.INTEGER
    )
    beyond = called_value(
        F.EXTRACT, ["month", Interval(march, march - 90 * DAY, may)], noisy=False, kind=Kind.INTEGER
    )
    assert within == Interval(3, 3, 5)
    assert beyond == Interval(3, 1, 12)


@pytest.mark.parametrize(
    ("value", "kind", "found"),
    [
        (Interval(2.0, -1.5, 2.5), Kind.INTEGER, Interval(2, -2, 3)),
        (Interval(1e300, 0.0, inf), Kind.INTEGER, Interval(None, 0, inf, null=True)),
        (Interval(1.0, -1e300, float("nan")), Kind.INTEGER, Interval(1, -inf, inf, null=True)),
        (float("nan"), Kind.NUMBER, None),
        (inf, Kind.NUMBER, None),
        (3, Kind.NUMBER, 3.0),
        (True, Kind.BOOLEAN, True),
        ("a", Kind.TEXT, "a"),
        (None, Kind.DATE, None),
    ],
)
def test_a_value_is_computed_with_as_its_kind_is(value, kind, found):
    held = value_of_kind(value, kind)
    assert held == found
    assert type(held) is type(found)


def test_what_noise_made_of_a_text_or_a_condition_is_not_sure():
    text = (
        "SELECT CAST(COUNT(*) > 95 AS INTEGER) AS one, "
        "CAST(CAST(CAST(COUNT(*) AS BIGINT) AS VARCHAR) AS INTEGER) AS t, "
        "CASE WHEN CAST(CAST(COUNT(*) AS BIGINT) AS VARCHAR) = '100' THEN 1 ELSE 0 END AS c FROM visits"
    )
    assert seen(text, noisy(100)).rows == ((1, 0, 1, 100, None, None, 1, 0, 1),)


def test_months_later_the_order_within_a_day_may_change():
    # 30 January at 23:00, 31 January at 1:00
    late, early = 29 * DAY + 23 * 3_600_000_000, 30 * DAY + 3_600_000_000
    found = called_value(
        F.DATE_ADD, [Interval(early, late, early), 1, "month"], noisy=False, kind=Kind.TIMESTAMP
    )
    exact = MEANINGS[F.DATE_ADD](late, 1, "month")
    assert exact > found.value  # both become the last of February
    assert found.low <= exact <= found.high
    days = called_value(
        F.DATE_ADD,
        [Interval(0, 0, DAY), 1, "month"],
        noisy=False,
        kind=Kind.TIMESTAMP,
        whole_days=True,
    )
    assert days == Interval(31 * DAY, 31 * DAY, 32 * DAY)


def test_a_rank_is_a_whole_number_wherever_it_is_used():
    text = (
        "SELECT ward, CAST(RANK() OVER (ORDER BY COUNT(*)) AS VARCHAR) AS r, "
        "CAST(CAST(SUM(COUNT(*)) OVER () AS BIGINT) AS VARCHAR) AS s FROM visits GROUP BY ward"
    )
    rows = seen(text, noisy(100), noisy(200), noisy(300)).rows
    assert [row[1:] for row in rows] == [("1", "600"), ("2", "600"), ("3", "600")]
