"""Variances, covariances, correlations, different values and some rows, in SQL and in frames."""

import pytest

import tacit
from tacit.errors import InvalidPlan
from tacit.plan import (
    Column,
    Counted,
    Distinct,
    Field,
    Frame,
    Kind,
    MomentOf,
    Summed,
    Table,
    Units,
    canonical,
    derive_plan,
    identity,
    in_words,
    read_sql,
)

AGE = Column("age", Kind.INTEGER, low=0, high=120, nullable=False)
COST, STAY = (
    Column("cost", Kind.NUMBER, low=0, high=64),
    Column("stay", Kind.INTEGER, low=0, high=2**40),
)
VISITS = Table("visits", (Column("patient", Kind.INTEGER), AGE, COST, STAY), unit="patient")
OLD = tacit.col("age") >= 65

BOTH = {
    "COUNT(*) FILTER (WHERE age >= 65)": tacit.count(where=OLD),
    "COUNT_IF(age >= 65)": tacit.count(where=OLD),
    "COUNT(cost) FILTER (WHERE age >= 65)": tacit.count("cost", where=OLD),
    "SUM(cost) FILTER (WHERE age >= 65)": tacit.sum("cost", where=OLD),
    "AVG(cost) FILTER (WHERE age >= 65)": tacit.mean("cost", where=OLD),
    "COUNT(DISTINCT patient)": tacit.count_distinct("patient"),
    "COUNT(DISTINCT patient) FILTER (WHERE age >= 65)": tacit.units(where=OLD),
    "COUNT(DISTINCT cost)": tacit.count_distinct("cost"),
    "COUNT(DISTINCT cost) FILTER (WHERE age >= 65)": tacit.count_distinct("cost", where=OLD),
    "VAR_SAMP(cost)": tacit.var("cost"),
    "VARIANCE(cost) FILTER (WHERE age >= 65)": tacit.var("cost", where=OLD),
    "VAR_POP(cost)": tacit.var("cost", population=True),
    "STDDEV(cost + age)": tacit.std(tacit.col("cost") + tacit.col("age")),
    "STDDEV_POP(age)": tacit.std("age", population=True),
    "COVAR_SAMP(cost, age)": tacit.covariance("cost", "age"),
    "COVAR_POP(age, stay)": tacit.covariance("age", "stay", population=True),
    "CORR(cost, stay) FILTER (WHERE age >= 65)": tacit.correlation("cost", "stay", where=OLD),
}


def asked(*texts):
    return read_sql(
        f"SELECT {', '.join(f'{text} AS x{i}' for i, text in enumerate(texts))} FROM visits",
        {"visits": VISITS},
    )


@pytest.mark.parametrize(("text", "term"), BOTH.items(), ids=list(BOTH))
def test_both_doors_lead_to_the_same_plan(text, term):
    assert Frame(VISITS).agg(x0=term).plan() == asked(text)
    assert in_words(asked(text))


def test_a_condition_is_a_case_inside_the_measure():
    case = "CASE WHEN age >= 65 THEN cost END"
    assert asked("SUM(cost) FILTER (WHERE age >= 65)") == asked(f"SUM({case})")
    assert asked("VAR_POP(cost) FILTER (WHERE age >= 65)") == asked(f"VAR_POP({case})")
    assert (
        asked("COUNT(DISTINCT patient) FILTER (WHERE age >= 65)").question.measures[0].value
        is not None
    )


def test_mean_variance_and_deviation_share_what_is_paid_for():
    measures = canonical(
        asked("AVG(cost)", "VARIANCE(cost)", "STDDEV_POP(cost)", "COUNT(cost)")
    ).question.measures
    assert len(measures) == 3
    assert sum(isinstance(measure, Counted) for measure in measures) == 1


def test_what_a_variance_was_made_of_tells_a_mean_and_a_deviation_for_nothing():
    released = [
        identity(measure) for measure in canonical(asked("VARIANCE(cost)")).question.measures
    ]
    assert (
        derive_plan(canonical(asked("AVG(cost)", "STDDEV(cost)", "VAR_POP(cost)")), released)
        is not None
    )
    assert derive_plan(canonical(asked("SUM(cost)")), released) is None
    plain = [
        identity(measure)
        for measure in canonical(asked("SUM(cost)", "COUNT(cost)")).question.measures
    ]
    measures = canonical(asked("VARIANCE(cost)")).question.measures
    (squares,) = (
        each for each in measures if isinstance(each, Summed) and not isinstance(each.value, Field)
    )
    # another centre
    assert derive_plan(canonical(asked("VARIANCE(cost)")), [*plain, identity(squares)]) is None


def test_squares_are_about_the_middle_of_their_own_range_and_pairs_leave_out_what_is_null():
    count, total, squares = asked("VAR_SAMP(age)").question.measures
    assert (count, total.centre, squares.low, squares.high, squares.centre) == (
        Counted(),
        60,
        0,
        3600,
        1800,
    )
    count, one, two, products = asked("COVAR_SAMP(age, cost)").question.measures
    assert count == asked("COUNT(cost)").question.measures[0]
    assert two == asked("AVG(cost)").question.measures[0]
    assert one != asked("AVG(age)").question.measures[0]  # only where the cost is known
    assert isinstance(products, Summed)
    assert products.centre == 0


def test_products_that_could_leave_the_integers_are_decimals():
    *_, squares = asked("VAR_SAMP(stay)").question.measures
    assert squares.step > 1
    assert squares.reach < 2**23


def test_different_values_are_measured_as_such_and_units_as_units():
    assert isinstance(asked("COUNT(DISTINCT cost)").question.measures[0], Distinct)
    assert asked("COUNT(DISTINCT patient)").question.measures == (Units(),)
    assert isinstance(asked("STDDEV(cost)").view.columns[0].value.operands[0], MomentOf)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT AVG(v) FROM (SELECT patient, VARIANCE(cost) AS v FROM visits GROUP BY patient)",
        "SELECT SUM(VARIANCE(cost)) FROM visits",
        "SELECT VARIANCE(patient) FROM visits",
        "SELECT COUNT(*) FILTER (WHERE age) FROM visits",
        "SELECT COUNT(*) FILTER (WHERE COUNT(*) > 1) FROM visits",
        "SELECT COUNT_IF(age) FROM visits",
        "SELECT CORR(cost) FROM visits",
        "SELECT SUM(cost) FILTER (age > 3) FROM visits",
        "SELECT FILTER (WHERE age > 3) FROM visits",
    ],
)
def test_what_has_no_meaning_is_refused_with_a_remedy(text):
    with pytest.raises(InvalidPlan) as refusal:
        read_sql(text, {"visits": VISITS})
    assert refusal.value.remedy
    assert refusal.value.text == text


def test_inside_a_unit_rows_are_chosen_too_and_its_values_counted():
    inner = (
        "SELECT patient, COUNT(*) FILTER (WHERE age > 3) AS n, COUNT(DISTINCT cost) AS d "
        "FROM visits GROUP BY patient"
    )
    held = Table("visits", VISITS.columns, unit="patient", contributions=5)
    assert read_sql(
        f"SELECT VARIANCE(n) AS v, AVG(d) AS m FROM ({inner})", {"visits": held}
    ).question.measures
