"""Bugs of plans: what is dropped, what is taken to be bounded, and what is taken to be the same."""

from tests.teeth.bug import Bug

PLAN = "src/tacit/plan"
UNIT = "tests/unit/plan"

BUGS = [
    Bug(
        name="plan-not-like-is-like",
        file=f"{PLAN}/sql.py",
        before='return Not(found) if parts.get("negate") else found',
        after="return found",
        killed_by=f"{UNIT}/test_sql.py::test_a_statement_is_read",
        note="the parser keeps the NOT of NOT LIKE in an argument of its own",
    ),
    Bug(
        name="plan-nulls-first-dropped",
        file=f"{PLAN}/grammar.py",
        before='"Ordered": ("this desc", ',
        after='"Ordered": ("this desc nulls_first", ',
        killed_by=f"{UNIT}/test_refusals.py::test_a_statement_is_refused_for_its_reason",
        note="an argument that is allowed and never read changes the answer without a word",
    ),
    Bug(
        name="plan-words-not-accounted-for",
        file=f"{PLAN}/account.py",
        before="if given[kind] > self.claims[kind] + self.spare[kind]:",
        after="if given[kind] > 1000:",
        killed_by=f"{UNIT}/test_sql.py::test_no_word_can_be_inserted_without_a_trace",
        note="the parser takes words that leave no trace in its tree",
    ),
    Bug(
        name="plan-else-knows-the-condition",
        file=f"{PLAN}/narrowing.py",
        before="holds=i == branch))",
        after="holds=i <= branch))",
        killed_by=f"{UNIT}/test_types.py::test_a_computed_value_lies_in_its_range",
        note="in a later branch of a CASE the earlier conditions did not hold",
    ),
    Bug(
        name="plan-range-rounded-inward",
        file=f"{PLAN}/ranges.py",
        before="return ceil(number / step) * step",
        after="return (number / step).__floor__() * step",
        killed_by=f"{UNIT}/test_ranges.py::test_no_computed_double_leaves_its_range",
        note="a computed double may lie just outside the exact range",
    ),
    Bug(
        name="plan-quotient-of-numbers-bounded",
        file=f"{PLAN}/types.py",
        before="quotient = x.over(y, whole=right.kind is Kind.INTEGER)",
        after="quotient = x.over(y, whole=True)",
        killed_by=f"{UNIT}/test_types.py::test_what_has_no_type_is_refused",
        note="only whole divisors that are not zero keep a distance from it",
    ),
    Bug(
        name="plan-zero-divisor-not-null",
        file=f"{PLAN}/measures.py",
        before='case Arithmetic("+" | "-" | "*", left, right)',
        after='case Arithmetic("+" | "-" | "*" | "/", left, right)',
        killed_by=f"{UNIT}/test_measures.py::test_other_masks_are_counted_as_they_are",
        note="a quotient is NULL where its divisor is zero, and such rows do not count",
    ),
    Bug(
        name="plan-mean-over-all-rows",
        file=f"{PLAN}/draft.py",
        before="self._place(counted(value)).place)",
        after="self._place(counted()).place)",
        killed_by=f"{UNIT}/test_sql.py::test_a_mean_is_a_centred_sum_and_a_count_of_the_same_rows",
        note="one count serves only identical null masks",
    ),
    Bug(
        name="plan-differences-commute",
        file=f"{PLAN}/canonical.py",
        before='if operator in {"+", "*"} and',
        after='if operator in {"+", "*", "-"} and',
        killed_by=f"{UNIT}/test_canonical.py::test_other_questions_have_other_fingerprints",
        note="two questions with one fingerprint: the second is answered with the first one's answer",
    ),
    Bug(
        name="plan-fingerprint-without-bounds",
        file=f"{PLAN}/serial.py",
        before="column.kind.value, _scalar(column.low), _scalar(column.high)]",
        after="column.kind.value]",
        killed_by=f"{UNIT}/test_canonical.py::test_bounds_units_and_values_are_part_of_a_question",
        note="after the curator changes a bound the stored answer is one to another question",
    ),
    Bug(
        name="plan-view-keeps-old-places",
        file=f"{PLAN}/canonical.py",
        before="return MeasureOf(measures[place])",
        after="return MeasureOf(place)",
        killed_by=f"{UNIT}/test_canonical.py::test_the_view_follows_its_keys_and_measures",
        note="measures are sorted, and the columns must follow them",
    ),
    Bug(
        name="plan-quoted-name-without-case",
        file=f"{PLAN}/draft.py",
        before="return self.text == other if self.exact else",
        after="return self.text.casefold() == other.casefold() if self.exact else",
        killed_by=f"{UNIT}/test_sql.py::test_names_without_quotes_have_no_case",
        note="a name in double quotes is meant exactly",
    ),
    Bug(
        name="plan-overflow-past-the-weights",
        file=f"{PLAN}/measures.py",
        before="rows * _reach(measure) << bits < 1 << _ENGINE_BITS",
        after="rows * _reach(measure) < 1 << _ENGINE_BITS",
        killed_by=f"{UNIT}/test_measures.py::test_sums_are_proved_to_fit",
        note="sums are formed of values times weights",
    ),
]
