"""Bugs in what keeps rows from making an engine fail: the table of partial cases, the gate, and TRY."""

from tests.teeth.bug import Bug

TABLE = "src/tacit/plan/semantics/cases_without_value.py"
OWN = "tests/attacks/test_plans_of_ones_own.py"
UNIT = "tests/unit/plan"
REFUSED = f"{UNIT}/semantics/test_cases_without_value.py::test_what_could_fail_is_refused"
NULL = (
    f"{UNIT}/semantics/test_cases_without_value.py::test_what_has_no_value_in_some_rows_may_be_null"
)


def dropped(name: str, before: str, killed_by: str, note: str) -> Bug:
    """A case that is missing from the table."""
    return Bug(name=name, file=TABLE, before=before, after="", killed_by=killed_by, note=note)


BUGS = [
    dropped(
        "partial-sums-of-integers",
        '    _too_wide("+", lambda x, y: x + y, lambda x, y: x + y, _MOST, 1),\n',
        REFUSED,
        "the greatest integer and one more raise: whether somebody has it would be seen",
    ),
    dropped(
        "partial-products-of-integers",
        '    _too_wide("*", lambda x, y: x * y, lambda x, y: x * y, _LEAST, -1),\n',
        REFUSED,
        "a product that leaves 64 bits raises",
    ),
    dropped(
        "partial-rounding-of-integers",
        "    _too_wide(Function.ROUND, _round_whole, _rounded_range, _MOST, -3),\n",
        REFUSED,
        "the greatest integer, rounded to thousands, leaves 64 bits",
    ),
    dropped(
        "partial-minus-the-least-integer",
        '    _least(NEGATION, "this integer could exceed 64 bits"),\n',
        REFUSED,
        "minus the least integer does not fit into 64 bits",
    ),
    dropped(
        "partial-size-of-the-least-integer",
        '    _least(Function.ABS, "the absolute value of the smallest integer overflows"),\n',
        REFUSED,
        "the absolute value of the smallest integer overflows",
    ),
    Bug(
        name="partial-least-remainder-by-minus-one",
        file="src/tacit/engines/sql/expressions.py",
        before="    return -1 in (type_of(divisor).range or INT64)\n",
        after="    return divisor is None\n",
        killed_by="tests/unit/engines/sql/test_expressions.py::test_a_remainder_by_minus_one_is_zero_without_a_net",
        note="DuckDB fails on the least integer's remainder by minus one: an exact answer for any price",
    ),
    Bug(
        name="partial-remainders-are-not-caught",
        file="src/tacit/engines/sql/duckdb_dialect.py",
        before='return caught(f"({left} % {right})")',
        after='return f"({left} % {right})"',
        killed_by=f"{UNIT}/semantics/test_cases_without_value.py::test_a_divisor_that_should_not_be_minus_one_does_not_fail",
        note="were a divisor minus one that is proved not to be, the least integer would raise",
    ),
    dropped(
        "partial-least-quotient-by-minus-one",
        "    _least_by_minus_one(Function.QUOTIENT),\n",
        REFUSED,
        "the least integer over minus one leaves 64 bits",
    ),
    dropped(
        "partial-remainder-by-zero",
        '    _by_zero("%", Kind.INTEGER),\n',
        NULL,
        "a remainder by zero is NULL, and memory would fail where DuckDB does not",
    ),
    dropped(
        "partial-quotient-by-zero-may-be-null",
        "    _by_zero(Function.QUOTIENT, Kind.INTEGER),\n",
        NULL,
        "a quotient by zero is NULL, and to count it would be to count all rows",
    ),
    dropped(
        "partial-products-of-doubles",
        '    _too_large("*", lambda x, y: x * y, lambda x, y: x * y, 1e200, 1e200),\n',
        REFUSED,
        "a product that is too large for a double is infinite",
    ),
    dropped(
        "partial-division-by-zero",
        '    _by_zero("/", Kind.NUMBER),\n',
        NULL,
        "a division by zero is NULL",
    ),
    dropped(
        "partial-roots-of-negative-numbers",
        "    _below(Function.SQRT, 0.0, inclusive=False),\n",
        NULL,
        "the root of a negative number raises where a column is held to be positive, and is not",
    ),
    dropped(
        "partial-logarithm-of-zero-may-be-null",
        "    _below(Function.LN, 0.0, inclusive=True),\n",
        NULL,
        "the logarithm of zero is NULL, and to count it would be to count all rows",
    ),
    Bug(
        name="partial-exponentials-of-any-size",
        file=TABLE,
        before="may_be_met=lambda found: found.high is None or found.high > LARGEST_LOGARITHM,",
        after="may_be_met=lambda found: found.high is None,",
        killed_by=REFUSED,
        note="an exponential of a large number is infinite",
    ),
    Bug(
        name="partial-powers-of-any-size",
        file=TABLE,
        before="        may_be_met=_power_too_large,\n",
        after="        may_be_met=lambda *_: False,\n",
        killed_by=REFUSED,
        note="a power of a large number is infinite",
    ),
    Bug(
        name="partial-powers-of-nearly-zero",
        file=TABLE,
        before="        may_be_met=_power_has_no_bound,\n",
        after="        may_be_met=lambda *_: False,\n",
        killed_by=REFUSED,
        note="a negative power of what is nearly zero has no bound",
    ),
    Bug(
        name="partial-moments-of-any-time",
        file=TABLE,
        before="        may_be_met=_leaves_calendar,\n",
        after="        may_be_met=lambda *_: False,\n",
        killed_by=NULL,
        note="a moment long after the year 9999 is none",
    ),
    dropped(
        "partial-parts-of-moments-beyond-the-calendar",
        '    _beyond_calendar(Function.EXTRACT, Kind.TIMESTAMP, [1], "week", _FAR),\n',
        f"{UNIT}/semantics/test_cases_without_value.py::test_a_moment_that_should_not_be_has_nothing",
        "the oracle would raise on a moment that should never have come so far",
    ),
    dropped(
        "partial-quarters-before-all-time",
        '    _beyond_calendar(Function.DATE_TRUNC, Kind.TIMESTAMP, [1], "quarter", _FIRST_HELD),\n',
        f"{UNIT}/semantics/test_cases_without_value.py::test_the_first_quarter_of_all_has_no_beginning",
        "the first moment of the first quarter that DuckDB holds is none that it holds",
    ),
    Bug(
        name="partial-numbers-of-any-size-as-integers",
        file=TABLE,
        before="        may_be_met=lambda found: found.range is None or not found.range.is_within(INT64),\n",
        after="        may_be_met=lambda found: False,\n",
        killed_by=NULL,
        note="a number beyond 64 bits is NULL as an integer, and its range is not one of 64 bits",
    ),
    Bug(
        name="substr-of-any-place",
        file=TABLE,
        before='            _whole_from(1, _LAST_PLACE),\n            "SUBSTR',
        after='            _whole_from(1, _MOST),\n            "SUBSTR',
        killed_by=f"{UNIT}/semantics/test_cases_without_value.py::test_a_setting_that_is_not_allowed_is_refused",
        note="DuckDB raises on a place beyond 32 bits",
    ),
    Bug(
        name="coalesce-believes-that-a-column-is-never-null",
        file="src/tacit/plan/semantics/function_types.py",
        before=(
            "zip(*(_double_ends(found, kind) for found in possible), strict=True)\n"
            "        if possible\n"
            "        else"
        ),
        after=(
            "zip(*(_double_ends(found, kind) for found in possible[: 1 if not types[0].nullable else "
            "99])) if possible else"
        ),
        killed_by=f"{UNIT}/semantics/test_cases_without_value.py::test_no_range_relies_on_a_promise_that_a_column_is_never_null",
        note="a NULL in a column that is declared never to be NULL leaves the proved range, and what follows overflows",
    ),
    Bug(
        name="greatest-believes-that-a-column-is-never-null",
        file="src/tacit/plan/semantics/function_types.py",
        before="    sure = [_double_ends(found, kind) for part, found in pairs if isinstance(part, Literal)]\n",
        after="    sure = [_double_ends(found, kind) for part, found in pairs if not found.nullable]\n",
        killed_by=f"{UNIT}/semantics/test_cases_without_value.py::test_no_range_relies_on_a_promise_that_a_column_is_never_null",
        note="a NULL in a column that is declared never to be NULL is passed over, and the other operand is chosen",
    ),
    Bug(
        name="plans-of-ones-own-are-not-proved",
        file="src/tacit/curator/priced_question.py",
        before="    proved, sure = prove(plan), read_confidence(confidence)\n",
        after="    proved, sure = __import__('tacit.plan').plan.canonical(plan), read_confidence(confidence)\n",
        killed_by=f"{OWN}::test_a_plan_of_ones_own_is_proved_like_any_other",
        note="what is claimed in a plan that no door has made would be believed, and fail on the rows that it is about",
    ),
    Bug(
        name="explanations-of-plans-are-not-proved",
        file="src/tacit/curator/priced_question.py",
        before="    proved, sure = prove(plan), read_confidence(confidence)\n",
        after="    proved, sure = __import__('tacit.plan').plan.canonical(plan), read_confidence(confidence)\n",
        killed_by=f"{OWN}::test_free_doors_prove_what_they_are_given",
        note="a price would be told for what is never answered",
    ),
    Bug(
        name="folds-may-claim-more-than-64-bits",
        file="src/tacit/plan/validate_plan.py",
        before="fold.step == 1 and ends.is_within(INT64) and found.range.is_within(ends)",
        after="fold.step == 1 and found.range.is_within(ends)",
        killed_by=f"{UNIT}/test_validate_plan.py::"
        "test_what_rows_of_a_unit_become_may_not_be_claimed_to_be_less_or_to_be_more_than_is_held",
        note="a total beyond 64 bits is held at a bound that is beyond them, too",
    ),
    Bug(
        name="sums-may-have-more-steps-than-doubles-count",
        file="src/tacit/plan/validate_plan.py",
        before="found.range.furthest / measure.step > LARGEST",
        after="found.range.furthest > LARGEST",
        killed_by=f"{UNIT}/test_validate_plan.py::test_a_measure_that_could_not_be_held_is_refused",
        note="a row would make the memory engine fail, and a bound DuckDB's statement",
    ),
    Bug(
        name="proved-once-proved-anywhere",
        file="src/tacit/plan/validate_plan.py",
        before="known[0] is expression and known[1] == columns",
        after="known[0] is expression",
        killed_by=f"{UNIT}/test_validate_plan.py::test_what_was_proved_over_some_columns_is_not_proved_over_others",
        note="an expression is sound over the columns that it was checked with, and says nothing of others",
    ),
    Bug(
        name="columns-may-claim-to-be-narrow",
        file="src/tacit/plan/validate_plan.py",
        before="                _check_claim(column, derived)\n            case e.KeyOf()",
        after="            case e.KeyOf()",
        killed_by=f"{UNIT}/test_validate_plan.py::test_what_was_calculated_below_may_not_be_claimed_to_be_less",
        note="the canonical plan puts the calculation in the place of its column, without the bounds that were claimed",
    ),
    Bug(
        name="nothing-catches-what-raises",
        file="src/tacit/engines/sql/duckdb_functions.py",
        before='    return f"TRY({value})"\n',
        after="    return value\n",
        killed_by=f"{UNIT}/semantics/test_cases_without_value.py::test_duckdb_raises_exactly_where_the_table_says_so_and_not_within_try",
        note="a hole in the proof would be an exact answer again",
    ),
    Bug(
        name="one-try-around-many-operations",
        file="src/tacit/engines/sql/expressions.py",
        before="    left, right = _as(expression.left, kind, read), _as(expression.right, kind, read)\n",
        after="    both = (_as(part, kind, read) for part in (expression.left, expression.right))\n"
        '    left, right = (part.removeprefix("TRY") for part in both)\n',
        killed_by=f"{UNIT}/semantics/test_cases_without_value.py::test_what_is_computed_once_for_two_is_not_taken_out_of_try",
        note="the optimiser computes what is written twice once, and takes it out of the TRY that it stood in",
    ),
    Bug(
        name="powers-of-negative-numbers-to-negative-powers-are-no-numbers",
        file="src/tacit/engines/sql/duckdb_functions.py",
        before='''    if base.low is not None and base.low < 0:
        return f"nullif({found}, CAST('nan' AS DOUBLE))"''',
        after='''    if base.low is not None and base.low < 0 and value == operands[0]:
        return f"nullif({found}, CAST('nan' AS DOUBLE))"''',
        killed_by=f"{UNIT}/semantics/test_cases_without_value.py::test_a_root_of_a_negative_number_is_no_number_whatever_its_sign",
        note="a root of a negative number is NaN, which is greater than all numbers",
    ),
]
