"""What is shown of released numbers: columns, HAVING, ORDER BY, LIMIT, arithmetic, NULL, CASE and casts."""

from datetime import UTC, date, datetime
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.curator import Noisy
from tacit.curator.answer.view_rows import view_answer
from tacit.mechanisms import Gaussian, Laplace
from tacit.plan import (
    Arithmetic,
    Case,
    Cast,
    Column,
    Compared,
    Counted,
    Field,
    Key,
    KeyOf,
    Kind,
    Literal,
    MeanOf,
    MeasureOf,
    Negated,
    Not,
    Plan,
    Question,
    Scan,
    Shown,
    Table,
    View,
    centred_sum,
    count_measure,
    read_sql,
    sum_measure,
)
from tests.unit.curator.asked import VISITS, noisy, plan_of, seen

F = Fraction
BY_WARD = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"
COUNT = MeasureOf(0)
ONE = Literal(1, Kind.INTEGER)
ZERO = Literal(0, Kind.INTEGER)


def number(value):
    return Literal(value, Kind.INTEGER if isinstance(value, int) else Kind.NUMBER)


def shown(value, integer=100, *, spread=10, confidence=0.95, raw=False, keys=(), key_values=()):
    """One row of a view with one column, `x`, over one released count."""
    question = Question(Scan(VISITS), keys, (count_measure(),))
    released = [noisy(integer, spread=spread) for _ in key_values or (0,)]
    found = view_answer(Plan(question, View((Shown("x", value),))), released, confidence, raw=raw)
    return found.rows[0]


def only(value, integer=100):
    """The shown value alone."""
    return shown(value, integer)[0]


# ---------------------------------------------------------------- columns


def test_a_released_number_brings_its_interval_and_a_key_does_not():
    found = seen(BY_WARD, noisy(100), noisy(200), noisy(300))
    assert found.columns == ("ward", "n", "n_low", "n_high")
    assert found.measured == ("n",)
    assert found.rows == (("A", 100, 80, 120), ("B", 200, 180, 220), ("C", 300, 280, 320))


def test_columns_come_in_the_order_of_the_text_whatever_the_order_of_the_measures():
    text = "SELECT SUM(gain) AS s, ward, COUNT(*) AS n, ward AS again FROM visits GROUP BY ward"
    places = [type(measure).__name__ for measure in plan_of(text).question.measures]
    group = noisy(*(7 if name == "Counted" else 99 for name in places))
    found = seen(text, group, group, group)
    assert found.columns == ("s", "s_low", "s_high", "ward", "n", "n_low", "n_high", "again")
    assert (found.rows[1][0], found.rows[1][3], found.rows[1][4], found.rows[1][7]) == (
        99,
        "B",
        7,
        "B",
    )


@pytest.mark.parametrize("names", [("severe", "ward"), ("ward", "severe")])
def test_groups_are_the_product_of_the_keys_and_stand_beside_their_numbers(names):
    text = f"SELECT {', '.join(names)}, COUNT(*) AS n FROM visits GROUP BY ward, severe"
    keys = {key.value.column.name: key.values for key in plan_of(text).question.keys}
    counts = {frozenset(group): place for place, group in enumerate(product(*keys.values()))}
    found = seen(text, *(noisy(count) for count in range(6)))
    # from left to right
    assert [row[:2] for row in found.rows] == list(product(*(keys[name] for name in names)))
    assert all(row[2] == counts[frozenset(row[:2])] for row in found.rows)


@pytest.mark.parametrize("released", [[], [noisy(1)], [noisy(1)] * 4])
def test_there_are_as_many_groups_as_keys_allow(released):
    with pytest.raises(ValueError, match="zip"):
        view_answer(plan_of(BY_WARD), released, 0.95)


def test_keys_are_shown_as_they_were_declared():
    assert [
        row[0]
        for row in seen(
            "SELECT code, COUNT(*) AS n FROM visits GROUP BY code", *[noisy(1)] * 2
        ).rows
    ] == [
        2**53,
        2**53 + 1,
    ]
    sizes = [
        row[0]
        for row in seen(
            "SELECT size, COUNT(*) AS n FROM visits GROUP BY size", *[noisy(1)] * 2
        ).rows
    ]
    assert [(type(size), size) for size in sizes] == [(float, 0.5), (int, 3)]
    flags = seen("SELECT severe, COUNT(*) AS n FROM visits GROUP BY severe", *[noisy(1)] * 2).rows
    assert [row[0] for row in flags] == [True, False]


def test_days_and_moments_are_shown_as_such():
    day = Column("day", Kind.DATE, values=(date(2025, 1, 31), date(1969, 12, 31)))
    question = Question(
        Scan(Table("visits", (day,))), (Key(Field(day), day.values or ()),), (count_measure(),)
    )
    later = Case(
        ((Compared(">", COUNT, number(5)), KeyOf(0)),), Literal(date(2000, 1, 1), Kind.DATE)
    )
    view = View(
        (
            Shown("day", KeyOf(0)),
            Shown("later", later),
            Shown("moment", Cast(KeyOf(0), Kind.TIMESTAMP)),
        )
    )
    found = view_answer(Plan(question, view), [noisy(9), noisy(3)], 0.95)
    assert found.rows[0] == (
        date(2025, 1, 31),
        date(2025, 1, 31),
        datetime(2025, 1, 31, tzinfo=UTC),
    )
    assert found.rows[1] == (
        date(1969, 12, 31),
        date(2000, 1, 1),
        datetime(1969, 12, 31, tzinfo=UTC),
    )


# ---------------------------------------------------------------- sensible values


def test_counts_are_whole_and_not_negative_unless_raw():
    small = Noisy(-7, Gaussian(8), F(1, 4))
    text = "SELECT COUNT(*) AS n FROM visits"
    assert seen(text, [small]).rows == ((0, 0, 3),)
    value, low, high = seen(text, [small], raw=True).rows[0]
    assert (value, low < -5, high) == (-1.75, True, pytest.approx(2.25))
    assert seen(text, [Noisy(43, Gaussian(8), F(1, 4))]).rows[0] == (11, 6, 15)


def test_the_ends_of_a_whole_number_are_rounded_outward():
    value, low, high = seen(
        "SELECT COUNT(*) AS n FROM visits", [Noisy(4001, Gaussian(9), F(1, 4))]
    ).rows[0]
    exact = Noisy(4001, Gaussian(9), F(1, 4)).interval(0.95)
    assert (value, type(low), type(high)) == (1000, int, int)
    assert exact.low - 1 < low <= exact.low
    assert exact.high <= high < exact.high + 1


def test_sums_keep_their_sign_and_only_those_of_integers_are_whole():
    assert (
        seen("SELECT SUM(gain) AS s FROM visits", [Noisy(-401, Gaussian(8), F(1, 2))]).rows[0][0]
        == -200
    )
    step = plan_of("SELECT SUM(cost) AS s FROM visits").question.measures[0].step
    found = seen("SELECT SUM(cost) AS s FROM visits", [Noisy(-401, Gaussian(8), step)]).rows[0]
    assert found[0] == float(-401 * step)
    assert isinstance(found[0], float)


@pytest.mark.parametrize("kind", [Gaussian, Laplace])
@pytest.mark.parametrize(
    ("total", "count"), [(0, 100), (10**9, 100), (-(10**9), 100), (50, 0), (50, -20), (50, 3)]
)
def test_means_lie_inside_their_range_with_their_interval(kind, total, count):
    text = "SELECT AVG(cost) AS m FROM visits"
    measures = plan_of(text).question.measures
    group = [
        Noisy(total, kind(8), measure.step)
        if hasattr(measure, "step")
        else Noisy(count, kind(8), F(1))
        for measure in measures
    ]
    value, low, high = seen(text, group).rows[0]
    assert -100 <= low <= value <= high <= 300
    if count <= 3:
        assert (low, high) == (-100, 300)


def test_a_raw_mean_is_what_the_numbers_say_and_nothing_if_there_is_nobody():
    question = Question(Scan(VISITS), (), (count_measure(), centred_sum(Field(VISITS.columns[6]))))
    plan = Plan(question, View((Shown("m", MeanOf(1, 0)),)))
    assert view_answer(plan, [noisy(100, 100 * 300)], 0.95, raw=True).rows[0][0] == 60 + 300
    assert view_answer(plan, [noisy(100, 100 * 300)], 0.95).rows[0][0] == 120
    assert view_answer(plan, [noisy(100, 100 * 7)], 0.95).rows[0][0] == 67
    assert view_answer(plan, [noisy(0, 70)], 0.95, raw=True).rows == ((None, None, None),)


def test_a_mean_of_doubles_lies_inside_its_interval_though_its_grid_is_wider():
    table = Table("visits", (Column("x", Kind.NUMBER, 0, 100, nullable=False),), unit="patient")
    plan = read_sql("SELECT AVG(EXP(x / 50)) AS m FROM visits", {"visits": table})
    group = [
        Noisy(1000 * (measure.high - measure.centre), Gaussian(8), measure.step)
        if hasattr(measure, "step")
        else Noisy(1000, Gaussian(8), F(1))
        for measure in plan.question.measures
    ]
    value, low, high = view_answer(plan, [group], 0.95).rows[0]
    assert low < value == high
    assert view_answer(plan, [group], 0.95, raw=True).rows[0][0] > high


# ---------------------------------------------------------------- HAVING, ORDER BY, LIMIT


def test_having_keeps_groups_by_their_released_numbers_and_keys():
    groups = [noisy(5), noisy(50), noisy(500)]
    for condition, kept in [
        ("COUNT(*) > 5", "BC"),
        ("COUNT(*) >= 5", "ABC"),
        ("COUNT(*) > 10 AND ward <> 'C'", "B"),
        ("COUNT(*) > 400 OR ward = 'A'", "AC"),
        ("NOT COUNT(*) = 50", "AC"),
        ("ward LIKE '_' AND ward NOT LIKE 'B%'", "AC"),
        ("ward IN ('A', 'C') AND COUNT(*) IN (5, 50)", "A"),
        ("COUNT(*) BETWEEN 50 AND 500", "BC"),
        ("COUNT(*) / 0 > 1", ""),
        ("COUNT(*) / 0 IS NULL", "ABC"),
        ("ward IN ('A', NULL)", "A"),
        ("ward NOT IN ('A', NULL)", ""),
        ("CAST(ward AS INTEGER) IS NULL", "ABC"),
    ]:
        found = seen(f"{BY_WARD} HAVING {condition}", *groups)
        assert "".join(row[0] for row in found.rows) == kept


def test_having_judges_what_is_shown():
    groups = [[Noisy(quarters, Gaussian(8), F(1, 4))] for quarters in (39, 41, 43)]
    for condition, kept in (
        ("> 10", [11]),
        (">= 10", [10, 10, 11]),
        ("= 10", [10, 10]),
        ("< 10", []),
    ):
        found = seen(f"{BY_WARD} HAVING COUNT(*) {condition}", *groups)
        assert [row[1] for row in found.rows] == kept


def test_rows_are_sorted_by_released_numbers_and_ties_keep_their_order():
    groups = [noisy(50), noisy(5), noisy(50)]
    for order, expected in [
        ("n", "BAC"),
        ("n DESC", "ACB"),
        ("n DESC, ward DESC", "CAB"),
        ("ward DESC", "CBA"),
        ("-n", "ACB"),
        ("n / (n - 50), ward DESC", "BCA"),
        ("n / (n - 5) DESC", "ACB"),
        ("CASE WHEN ward = 'B' THEN NULL ELSE n END, ward", "ACB"),
    ]:
        found = seen(f"{BY_WARD} ORDER BY {order}", *groups)
        assert "".join(row[0] for row in found.rows) == expected, order


def test_limit_and_offset_cut_after_sorting():
    groups = [noisy(1), noisy(3), noisy(2)]
    for end, expected in [
        ("LIMIT 2", "BC"),
        ("LIMIT 0", ""),
        ("LIMIT 9", "BCA"),
        ("LIMIT 1 OFFSET 1", "C"),
    ]:
        found = seen(f"{BY_WARD} ORDER BY n DESC {end}", *groups)
        assert "".join(row[0] for row in found.rows) == expected


def test_an_empty_answer_still_has_its_columns():
    found = seen(f"{BY_WARD} HAVING COUNT(*) > 10", *[noisy(0)] * 3)
    assert (found.columns, found.rows, found.measured) == (
        ("ward", "n", "n_low", "n_high"),
        (),
        ("n",),
    )


# ---------------------------------------------------------------- arithmetic


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        (Arithmetic("+", COUNT, ONE), 101),
        (Arithmetic("-", ONE, COUNT), -99),
        (Arithmetic("*", COUNT, number(F(1, 2))), 50),
        (Arithmetic("/", COUNT, number(8)), 12.5),
        (Arithmetic("%", COUNT, number(7)), 2),
        (Arithmetic("%", Negated(COUNT), number(7)), -2),
        (Negated(COUNT), -100),
        (Arithmetic("/", COUNT, number(0)), None),
        (Arithmetic("%", COUNT, number(0)), None),
        (Arithmetic("/", COUNT, Arithmetic("-", COUNT, number(100))), None),
        (Arithmetic("+", COUNT, Literal(None, Kind.NUMBER)), None),
        (Negated(Arithmetic("/", COUNT, number(0))), None),
        (Arithmetic("*", COUNT, Arithmetic("*", number(F(10**299)), number(F(10**299)))), None),
        (Arithmetic("*", Arithmetic("*", COUNT, number(F(10**299))), number(F(10**299))), None),
        (Arithmetic("/", COUNT, number(F(1, 10**307))), None),
        (Arithmetic("%", COUNT, number(F(1, 10**307))), pytest.approx(0, abs=1e-300)),
    ],
)
def test_numbers_are_calculated_with_as_engines_do(expression, value):
    assert only(expression) == value


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        (Arithmetic("+", number(2**60), number(1)), 2**60 + 1),
        (Arithmetic("%", number(-7), number(3)), -1),
        (Arithmetic("%", number(7), number(-3)), 1),
        (Arithmetic("/", number(7), number(2)), 3.5),
        (Arithmetic("*", number(2**62), number(2**62)), None),
        (Arithmetic("*", Arithmetic("*", number(2**62), number(2**62)), number(F(1, 2))), None),
        (number(F(1, 4)), 0.25),
        (Cast(number(F(5, 2)), Kind.INTEGER), 2),
        (Cast(number(F(7, 2)), Kind.INTEGER), 4),
        (Cast(Literal("12", Kind.TEXT), Kind.INTEGER), 12),
        (Cast(Literal("1e3", Kind.TEXT), Kind.NUMBER), 1000.0),
        (Cast(Literal("x", Kind.TEXT), Kind.NUMBER), None),
        (Cast(Literal(True, Kind.BOOLEAN), Kind.INTEGER), 1),
        (Cast(number(12), Kind.TEXT), "12"),
    ],
)
def test_constants_are_calculated_with_as_engines_do_and_have_no_interval(expression, value):
    found = shown(expression)
    assert found == (value,)
    assert type(found[0]) is type(value)


@pytest.mark.parametrize(
    ("value", "cast", "text"),
    [(100, 100, "100"), (-3, 0, "0"), (2**70, None, None)],
)
def test_a_released_number_is_cast_by_the_value_that_is_shown(value, cast, text):
    whole = Cast(COUNT, Kind.INTEGER)
    assert only(whole, value) == cast
    assert only(Cast(whole, Kind.TEXT), value) == text


def test_casts_of_halves_go_to_even_as_in_engines():
    for quarters, expected in ((2, 0), (6, 2), (10, 2)):
        half = Arithmetic("/", number(quarters), number(4))
        assert only(Cast(half, Kind.INTEGER)) == expected
        noisy_half = Arithmetic("*", Arithmetic("/", COUNT, number(400)), number(quarters))
        assert only(Cast(noisy_half, Kind.INTEGER)) == expected


# ---------------------------------------------------------------- intervals of expressions


@settings(max_examples=120)
@given(
    first=st.integers(-60, 200),
    second=st.integers(-60, 200),
    operator=st.sampled_from("+-*/"),
    where=st.tuples(st.floats(0, 1), st.floats(0, 1)),
)
def test_the_interval_of_an_operation_holds_every_result_of_what_its_operands_may_be(
    first, second, operator, where
):
    gain = sum_measure(Field(VISITS.columns[8]))
    question = Question(Scan(VISITS), (), (count_measure(), gain))
    view = View(
        (
            Shown("x", Arithmetic(operator, MeasureOf(0), MeasureOf(1))),
            Shown("a", MeasureOf(0)),
            Shown("b", MeasureOf(1)),
        )
    )
    found = view_answer(Plan(question, view), [noisy(first, second)], 0.95, raw=True)
    row = dict(zip(found.columns, found.rows[0], strict=True))
    # Each operand's own interval is at the full confidence, and so inside the one that the operation used.
    a = row["a_low"] + where[0] * (row["a_high"] - row["a_low"])
    b = row["b_low"] + where[1] * (row["b_high"] - row["b_low"])
    if row["x_low"] is None:
        assert operator == "/"
        assert row["b_low"] <= 25 or row["b_high"] >= -25
        return
    result = {"+": a + b, "-": a - b, "*": a * b, "/": a / b if b else 0}[operator]
    assert row["x_low"] - 1e-9 <= result <= row["x_high"] + 1e-9


def test_several_numbers_share_the_chance_of_being_wrong():
    question = Question(Scan(VISITS), (), (count_measure(), sum_measure(Field(VISITS.columns[8]))))
    view = View(
        (
            Shown("x", Arithmetic("+", MeasureOf(0), MeasureOf(1))),
            Shown("y", Arithmetic("+", COUNT, COUNT)),
        )
    )
    released = noisy(1000, 1000)
    row = view_answer(Plan(question, view), [released], 0.9).rows[0]
    each = released[0].interval(0.95)
    assert (row[1], row[2]) == (2 * each.low, 2 * each.high)
    alone = released[0].interval(0.9)
    assert (row[4], row[5]) == (2 * alone.low, 2 * alone.high)


def test_a_divisor_that_may_be_zero_leaves_the_ends_open():
    assert shown(Arithmetic("/", ONE, COUNT), 10) == (0.1, None, None)
    value, low, high = shown(Arithmetic("/", number(1000), COUNT), 100)
    assert (value, low, high) == (10, pytest.approx(1000 / 120), pytest.approx(1000 / 80))


def test_an_open_end_stays_open():
    open_ended = Arithmetic("/", ONE, COUNT)
    for expression in (
        Arithmetic("+", open_ended, ONE),
        Negated(open_ended),
        Arithmetic("*", open_ended, number(0)),
        Arithmetic("%", COUNT, number(7)),
        Cast(open_ended, Kind.NUMBER),
    ):
        assert shown(expression, 10)[1:] == (None, None)


# ---------------------------------------------------------------- CASE


def case(*branches, otherwise=ZERO):
    return Case(
        tuple(
            (Compared(operator, COUNT, number(bound)), value) for operator, bound, value in branches
        ),
        otherwise,
    )


@pytest.mark.parametrize(
    ("integer", "expected"),
    [
        (500, (500, 480, 520)),  # surely above
        (10, (0, 0, 0)),  # surely not
        (105, (105, 0, 125)),  # above by chance, perhaps
        (95, (0, 0, 115)),  # not above by chance, perhaps
    ],
)
def test_the_interval_of_a_case_holds_every_branch_that_may_be_the_right_one(integer, expected):
    assert shown(case((">", 100, COUNT)), integer) == expected


def test_a_case_of_constants_that_noise_decides_has_an_interval_too():
    flag = case((">", 100, ONE))
    assert shown(flag, 500) == (1, 1, 1)
    assert shown(flag, 105) == (1, 0, 1)
    assert shown(flag, 95) == (0, 0, 1)
    assert [type(part) for part in shown(flag, 105)] == [int, int, int]


def test_a_case_of_texts_has_none():
    words = Case(
        ((Compared(">", COUNT, number(100)), Literal("many", Kind.TEXT)),),
        Literal("few", Kind.TEXT),
    )
    assert shown(words, 105) == ("many",)
    assert shown(words, 95) == ("few",)


def test_a_case_is_decided_by_its_first_condition_that_is_true():
    steps = case(("<", 10, number(1)), ("<", 1000, number(2)), ("<", 10**6, number(3)))
    assert [shown(steps, integer) for integer in (-60, 500, 5000, 10**9)] == [
        (1, 1, 1),
        (2, 2, 2),
        (3, 3, 3),
        (0, 0, 0),
    ]
    assert shown(steps, 1005) == (3, 2, 3)


def test_a_condition_that_is_null_is_not_true():
    nothing = Compared(">", Arithmetic("/", COUNT, number(0)), ONE)
    assert only(Case(((nothing, number(7)),), number(8))) == 8
    assert only(Case(((Not(nothing), number(7)),), number(8))) == 8
    assert shown(Case(((nothing, COUNT),), Literal(None, Kind.NUMBER))) == (None, None, None)


# ---------------------------------------------------------------- logic


@pytest.mark.parametrize("raw", [False, True])
def test_three_valued_logic(raw):
    values = {"true": "COUNT(*) > 1", "false": "COUNT(*) < 1", "null": "COUNT(*) / 0 > 1"}
    truths = {"true": True, "false": False, "null": None}

    def both(a, b):
        return False if False in (a, b) else None if None in (a, b) else True

    def either(a, b):
        return True if True in (a, b) else None if None in (a, b) else False

    for first, a in values.items():
        text = f"SELECT NOT ({a}) AS x FROM visits"
        assert seen(text, noisy(100), raw=raw).rows[0] == (
            {True: False, False: True, None: None}[truths[first]],
        )
        for second, b in values.items():
            for word, rule in (("AND", both), ("OR", either)):
                text = f"SELECT ({a}) {word} ({b}) AS x FROM visits"
                found = seen(text, noisy(100), raw=raw)
                assert found.rows[0] == (rule(truths[first], truths[second]),)
                assert found.measured == ()


@pytest.mark.parametrize(
    "order", ["AVG(gain) DESC", "AVG(gain)", "2 * AVG(gain) DESC", "STDDEV(gain)"]
)
def test_groups_that_may_have_no_row_come_last_in_the_order_of_means(order):
    """A has no row, and its mean is anything; B and C have some: in SQL there is no A."""
    plan = plan_of(f"SELECT ward FROM visits GROUP BY ward ORDER BY {order}")
    count = next(at for at, each in enumerate(plan.question.measures) if isinstance(each, Counted))
    found = []
    for far in (-900, 900):
        groups = [
            [
                Noisy(n if at == count else s, Gaussian(10), F(1))
                for at in range(len(plan.question.measures))
            ]
            for n, s in ((0, far), (1000, 1), (2000, 3))
        ]
        answer = view_answer(plan, groups, 0.95)
        found.append([row[0] for row in answer.rows])
        assert any("may have no row" in note for note in answer.notes)
    assert [each[2] for each in found] == ["A", "A"]


def test_groups_that_all_may_have_no_row_are_in_the_order_of_their_means():
    plan = plan_of("SELECT ward, AVG(gain) AS m FROM visits GROUP BY ward ORDER BY m DESC")
    count = next(at for at, each in enumerate(plan.question.measures) if isinstance(each, Counted))
    groups = [
        [Noisy(5 if at == count else far, Gaussian(10), F(1)) for at in range(2)]
        for far in (-20, 30, 0)
    ]
    answer = view_answer(plan, groups, 0.95)
    values = [row[1] for row in answer.rows]
    assert values == sorted(values, reverse=True)
    assert not any("may have no row" in note for note in answer.notes)
