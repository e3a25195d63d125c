"""Bugs planted in what is measured beyond counts, sums and means: in plan, engines, stability and curator."""

from tests.teeth.bug import Bug

MATRIX = "tests/laws/test_matrix.py::test_an_aggregate_means_what_duckdb_means"
DISTINCT = "tests/laws/test_distinct.py"
STATISTICS = "tests/unit/plan/sql/test_recognise_variance_functions.py"
AGREED = "tests/unit/curator/pricing/test_check_stated_price.py"
COVERED = (
    "tests/statistics/test_moments.py"
    "::test_moments_are_covered_at_least_as_often_as_stated_and_intervals_are_no_wider_than_need_be"
)
FEW = "tests/statistics/test_moments.py::test_variances_are_covered_where_noise_is_large_and_means_are_far_out"

BUGS = [
    Bug(
        name="moments-variance-of-a-population",
        file="src/tacit/curator/answer/variances_and_correlations.py",
        before="less=int(moment is Moment.VARIANCE)",
        after="less=0",
        killed_by=f"{MATRIX}[VARIANCE({{0}})-groups]",
        note="a sample's variance divided by the number of rows, not by one less",
    ),
    Bug(
        name="moments-squares-about-another-centre",
        file="src/tacit/plan/questions/measures.py",
        before="value, centre = measure.value, measure.centre * measure.step",
        after="value, centre = measure.value, (measure.centre + 1) * measure.step",
        killed_by=f"{MATRIX}[VAR_POP({{0}}) of i n-all rows]",
        note="squares about one point, the mean about another",
    ),
    Bug(
        name="moments-centre-of-squares-forgotten",
        file="src/tacit/curator/answer/variances_and_correlations.py",
        before="products.values + products.centre * counts",
        after="products.values",
        killed_by=f"{MATRIX}[VAR_POP({{0}}) of i n-all rows]",
        note="the sum of squares is about the middle of its own range, which has to be put back",
    ),
    Bug(
        name="moments-null-pairs-counted",
        file="src/tacit/plan/questions/measures.py",
        before="if mask is None or mask == _mask(expression):",
        after="if mask is None or mask != _mask(expression):",
        killed_by=f"{MATRIX}[COVAR_POP({{0}}, {{1}}) of ii in ni nn-all rows]",
        note="a row in which one of two values is NULL is no pair",
    ),
    Bug(
        name="moments-squares-reach-too-little",
        file="src/tacit/plan/questions/measures.py",
        before="known = Range(Fraction(0), known.furthest)",
        after="known = Range(Fraction(0), known.furthest / 4)",
        killed_by=f"{STATISTICS}::test_squares_are_about_the_middle_of_their_own_range_and_pairs_leave_out_what_is_null",
        note="squares held at a quarter of their range have a quarter of the noise, and are not squares",
    ),
    Bug(
        name="moments-derived-from-another-centre",
        file="src/tacit/plan/rewrite/answer_from_earlier.py",
        before="return moments | {part.place",
        after="return {part.place",
        killed_by=f"{STATISTICS}::test_what_a_variance_was_made_of_tells_a_mean_and_a_deviation_for_nothing",
        note="a sum about zero is not the sum that squares about the middle go with",
    ),
    Bug(
        name="moments-noise-of-the-mean-forgotten",
        file="src/tacit/curator/answer/variances_and_correlations.py",
        before="times = 1.0, -second, -first, first * second + products.centre",
        after="times = 1.0, 0 * second, 0 * first, first * second + products.centre",
        killed_by=f"{COVERED}[gaussian-VAR_SAMP(cost)]",
        note="the noise of the mean is noise of the variance, too",
    ),
    Bug(
        name="moments-scale-taken-for-deviation",
        file="src/tacit/curator/answer/variances_and_correlations.py",
        before="noisy.spread * (1 if gaussian else sqrt(2))",
        after="noisy.spread",
        killed_by=f"{COVERED}[laplace-VAR_SAMP(cost)]",
        note="the scale of Laplace noise is not its standard deviation",
    ),
    Bug(
        name="moments-means-not-far-enough",
        file="src/tacit/curator/answer/variances_and_correlations.py",
        before="return np.clip(mean + np.where(mean < 0, -off, off), total.low, total.high)",
        after="return np.clip(mean - np.where(mean < 0, -off, off), total.low, total.high)",
        killed_by=f"{FEW}[gaussian]",
        note="noise that grows with the mean is taken to be smaller than it may be",
    ),
    Bug(
        name="distinct-sensitivity-one",
        file="src/tacit/stability/question_sensitivity.py",
        before="""        case Counted() | Distinct():
            return whole * weights.bound
""",
        after="""        case Distinct():
            return whole
        case Counted():
            return whole * weights.bound
""",
        killed_by=f"{DISTINCT}::test_among_all_units_none_moves_the_count_further_than_claimed_and_some_do_as_far",
        note="a unit brings as many values as its bound says, and not one",
    ),
    Bug(
        name="distinct-replacing-is-adding",
        file="src/tacit/stability/question_sensitivity.py",
        before="    reach = max(most, -least)\n    if ",
        after="    reach = max(most, -least)\n    if isinstance(measure, Distinct) or ",
        killed_by=f"{DISTINCT}::test_among_all_units_none_moves_the_count_further_than_claimed_and_some_do_as_far",
        note="a unit that is replaced takes values from one group and brings others to another",
    ),
    Bug(
        name="distinct-values-in-every-group",
        file="src/tacit/engines/sql/distinct_values_sql.py",
        before="row_number() OVER (PARTITION BY unit ORDER BY",
        after="row_number() OVER (PARTITION BY unit, group_id ORDER BY",
        killed_by=f"{DISTINCT}::test_engines_choose_the_same_values_of_every_kind",
        note="the bound is of all groups together",
    ),
    Bug(
        name="distinct-keyed-by-row",
        file="src/tacit/engines/memory/engine.py",
        before="owned[None if most is None else unit].add((group, found))",
        after="owned[None if most is None else (unit, id(row))].add((group, found))",
        killed_by=f"{DISTINCT}::test_among_all_units_none_moves_the_count_further_than_claimed_and_some_do_as_far",
        note="every row brings its value, however many rows a unit has",
    ),
    Bug(
        name="distinct-the-same-for-everybody",
        file="src/tacit/engines/distinct_values_per_unit.py",
        before='sha256(f"{_name(unit)} {group}',
        after='sha256(f"{group}',
        killed_by=f"{DISTINCT}::test_units_with_the_same_values_bring_different_ones",
        note="units that have the same values would all bring the same few",
    ),
    Bug(
        name="distinct-zero-has-a-sign",
        file="src/tacit/engines/sql/distinct_values_sql.py",
        before='return f"({value} + {dialect.double(0)})" if kind is Kind.NUMBER else value',
        after="return value",
        killed_by=f"{DISTINCT}::test_engines_choose_the_same_values_of_every_kind[number]",
        note="0.0 and -0.0 are equal, and have different bits",
    ),
    Bug(
        name="filter-dropped",
        file="src/tacit/plan/sql/expressions.py",
        before='return self._read_aggregate(parts["this"], condition)',
        after='return self._read_aggregate(parts["this"])',
        killed_by=f"{MATRIX}[COUNT(*) FILTER (WHERE {{0}})-all rows]",
        note="an aggregate of some rows answered for all of them",
    ),
    Bug(
        name="filter-dropped-from-units",
        file="src/tacit/plan/questions/draft.py",
        before="return self._place(found if self.table.unit is None else Units(found.value))",
        after="return self._place(found if self.table.unit is None else Units())",
        killed_by=f"{STATISTICS}::test_a_condition_is_a_case_inside_the_measure",
        note="units counted that have no such row",
    ),
    Bug(
        name="header-epsilon-ignored",
        file="src/tacit/curator/priced_question.py",
        before="return plan, agreed_price(header, shown, limit, epsilon, within)",
        after="return plan, epsilon if epsilon is not None else 1",
        killed_by=f"{AGREED}::test_the_epsilon_of_the_header_is_the_price",
        note="a question is charged another price than it says",
    ),
    Bug(
        name="header-contradicted",
        file="src/tacit/curator/pricing/check_stated_price.py",
        before="if epsilon is not None and not _agree(own, epsilon):",
        after="if epsilon is None:",
        killed_by=f"{AGREED}::test_what_contradicts_is_refused_before_anything_is_paid",
        note="one of two prices is silently dropped",
    ),
    Bug(
        name="header-delta-believed",
        file="src/tacit/curator/pricing/check_stated_price.py",
        before="if delta is not None and not _agree(delta, limit.delta):",
        after="if delta is not None and delta < 0:",
        killed_by=f"{AGREED}::test_what_contradicts_is_refused_before_anything_is_paid",
        note="an analyst believes in a delta that the vault does not keep",
    ),
]
