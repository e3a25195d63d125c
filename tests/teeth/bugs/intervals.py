"""Bugs planted where intervals come from: guards of quantiles, choices by noise, rounding."""

from tests.teeth.bug import Bug

RANKS = "src/tacit/mechanisms/grouped_quantiles.py"
CHOICE = "src/tacit/curator/answer/confidence_after_selection.py"
ROUNDING = "src/tacit/curator/answer/rounding_error.py"
INTERVALS = "src/tacit/curator/answer/intervals.py"
VIEW = "src/tacit/curator/answer/view_rows.py"
LAWS = "tests/laws/test_ranks.py"
CHOOSING = "tests/unit/curator/answer/test_confidence_after_selection.py"
ROUNDED = "tests/unit/curator/answer/test_rounding_error.py"
TABLES = "tests/statistics/test_coverage_tables.py::test_what_was_not_covered_once_is"
AT_ONCE = (
    "tests/statistics/test_choice.py::test_all_intervals_of_rows_that_noise_chose_hold_at_once"
)
ENDS = "tests/unit/curator/answer/test_intervals.py"
SHOWN = "src/tacit/curator/answer/evaluate_shown_columns.py"
WINDOWS = "src/tacit/curator/answer/group_windows.py"
FUNCTIONS = "src/tacit/curator/answer/released_functions.py"
ARITHMETIC = "src/tacit/curator/answer/interval_arithmetic.py"
ONES = "tests/laws/test_interval_arithmetic.py::test_a_statement_that_noise_may_turn_lies_within_its_interval"
GROUPS = "tests/unit/curator/answer/test_group_windows.py"
EMPTY = (
    "tests/unit/curator/answer/test_left_out_captions.py"
    "::test_where_a_subquery_counts_empty_groups_it_is_said_and_how_to_leave_them_out"
)
SUMS = (
    f"{ROUNDED}::test_the_sum_of_values_that_are_all_rounded_the_same_way_lies_within_its_interval"
)

BUGS = [
    Bug(
        name="guards-dropped",
        file=RANKS,
        before="[self.below, 1, self.above, self.guard]",
        after="[self.below, 1, self.above, 0]",
        killed_by=f"{LAWS}::test_cells_beyond_all_rows_are_hardly_ever_ends_however_many_they_are",
        note="in a skewed column the lower end of a high quantile lay in the tail",
    ),
    Bug(
        name="guards-stand-for-the-other-end",
        file=RANKS,
        before="        return -1 if self.beyond < 0 else cells\n",
        after="        return cells if self.beyond < 0 else -1\n",
        killed_by=f"{LAWS}::test_in_a_small_group_an_end_is_hardly_ever_on_the_wrong_side_whatever_the_rows",
        note="the wrong end of the range",
    ),
    Bug(
        name="guards-of-one-end-for-both",
        file=RANKS,
        before="        lower = self.beyond < 0\n",
        after="        lower = True\n",
        killed_by=f"{LAWS}::test_in_a_small_group_an_end_is_hardly_ever_on_the_wrong_side_whatever_the_rows",
        note="above a quantile the cells that are wrong lie below it",
    ),
    Bug(
        name="guards-weigh-half",
        file=RANKS,
        before="GUARD = 39\n",
        after="GUARD = 1\n",
        killed_by=f"{TABLES}[ninth decile-constant-pure]",
        note="half of what would be wrong was still drawn",
    ),
    Bug(
        name="guards-move-twice-as-far",
        file=RANKS,
        before="np.maximum(away, side - self.few * parts))",
        after="np.maximum(away, 2 * side - self.few * parts))",
        killed_by=f"{LAWS}::test_in_one_group_misrankings_move_as_far_as_claimed_and_no_further",
        note="what the group weighs in all moves further between neighbours than a rank",
    ),
    Bug(
        name="guards-in-large-groups-too",
        file=RANKS,
        before="np.maximum(away, side - self.few * parts))",
        after="away)",
        killed_by=f"{LAWS}::test_in_a_large_group_with_rows_on_both_sides_the_guards_change_nothing",
        note="every other interval would be the range, however many rows there are",
    ),
    Bug(
        name="range-end-dropped",
        file=INTERVALS,
        before="        return (first, first) if cell < 0 else (last, last)\n",
        after="        return (last, last) if cell < 0 else (first, first)\n",
        killed_by=f"{ENDS}::test_a_cell_outside_the_grid_is_the_end_of_the_range",
        note="in a group of few rows the interval is the range",
    ),
    Bug(
        name="two-quantiles-beyond-what-is-told",
        file=INTERVALS,
        before="_SUREST = 0.976\n",
        after="_SUREST = 0.97\n",
        killed_by=f"{ENDS}::test_two_quantiles_at_95_percent_keep_the_cells_of_their_intervals_and_three_do_not",
        note="an expression of two quantiles had the whole range",
    ),
    Bug(
        name="three-quantiles-surer-than-they-are",
        file=INTERVALS,
        before="_SUREST = 0.976\n",
        after="_SUREST = 0.999\n",
        killed_by=f"{ENDS}::test_two_quantiles_at_95_percent_keep_the_cells_of_their_intervals_and_three_do_not",
        note="outer cells are no surer than the ranks they are drawn at",
    ),
    Bug(
        name="choice-not-allowed-for",
        file=CHOICE,
        before="return all_at_once(confidence, self.groups) if self.concerns(value) else confidence",
        after="return confidence",
        killed_by=f"{AT_ONCE}[the largest-laplace]",
        note="of the ten busiest days, 41 % of the intervals held",
    ),
    Bug(
        name="choice-by-having-forgotten",
        file=CHOICE,
        before="    early = [] if view.having is None else [view.having]\n",
        after="    early: list[Expression] = []\n",
        killed_by=f"{CHOOSING}::test_what_noise_chose_by_holds_for_every_group_at_once[HAVING COUNT(*) > 50]",
        note="HAVING chooses by noise too",
    ),
    Bug(
        name="choice-by-qualify-forgotten",
        file=CHOICE,
        before="    late = [] if view.qualify is None else [view.qualify]\n",
        after="    late: list[Expression] = []\n",
        killed_by=(
            f"{CHOOSING}::test_what_noise_chose_by_holds_for_every_group_at_once"
            "[QUALIFY RANK() OVER (ORDER BY COUNT(*)) <= 2]"
        ),
        note="and so does QUALIFY",
    ),
    Bug(
        name="choice-by-offset-forgotten",
        file=CHOICE,
        before="    cut = view.offset > 0 or (",
        after="    cut = (",
        killed_by=f"{CHOOSING}::test_what_noise_chose_by_holds_for_every_group_at_once[ORDER BY n OFFSET 1]",
        note="what is passed over is chosen as well",
    ),
    Bug(
        name="choice-among-those-shown-only",
        file=VIEW,
        before="    choice = choice_of(view, len(released))\n",
        after="    choice = choice_of(view, len(groups))\n",
        killed_by=f"{CHOOSING}::test_groups_that_were_not_chosen_count_too",
        note="every group might have been chosen, not only those that were",
    ),
    Bug(
        name="choice-widens-what-took-no-part",
        file=CHOICE,
        before="return bool(self.measures & measures_in(value, windows=self.last))",
        after="return bool(self.measures)",
        killed_by=f"{CHOOSING}::test_a_column_with_other_noise_keeps_its_interval",
        note="a measure has noise of its own",
    ),
    Bug(
        name="rounding-of-sums-dropped",
        file="src/tacit/curator/answer/evaluate_shown_columns.py",
        before="            found = Interval(found.value, surer.low - off, surer.high + off)\n",
        after="            found = Interval(found.value, surer.low, surer.high)\n",
        killed_by=f"{SUMS}[COUNT(*)-False-1]",
        note="doubles are rounded before they are added",
    ),
    Bug(
        name="rounding-of-sums-on-one-side",
        file="src/tacit/curator/answer/evaluate_shown_columns.py",
        before="            found = Interval(found.value, surer.low - off, surer.high + off)\n",
        after="            found = Interval(found.value, surer.low, surer.high + off)\n",
        killed_by=f"{SUMS}[COUNT(*)-False--1]",
        note="up or down",
    ),
    Bug(
        name="rounding-of-windows-dropped",
        file="src/tacit/curator/answer/group_windows.py",
        before="found.append((each.worth_of(total - reach) - off, each.worth_of(total + reach) + off))",
        after="found.append((each.worth_of(total - reach), each.worth_of(total + reach)))",
        killed_by=f"{ROUNDED}::test_windows_over_sums_allow_for_the_rounding_of_every_group",
        note="a total of sums is rounded as often as they are",
    ),
    Bug(
        name="rounding-of-means-dropped",
        file="src/tacit/curator/answer/evaluate_shown_columns.py",
        before="        off = step / 2  # rounding moves a mean",
        after="        off = 0.0  # rounding moves a mean",
        killed_by=f"{ROUNDED}::test_a_mean_moves_by_half_a_step_at_most",
        note="many rows leave so little noise in a mean that its rounding is more",
    ),
    Bug(
        name="rounding-bounded-by-other-rows",
        file=ROUNDING,
        before="next((at for at in beside if question.measures[at] in enough), None)",
        after="next((at for at in beside if isinstance(question.measures[at], Counted)), None)",
        killed_by=f"{ROUNDED}::test_a_count_of_other_rows_bounds_nothing",
        note="a count of fewer rows is no bound",
    ),
    Bug(
        name="interval-one-sided",
        file=INTERVALS,
        before="low, high = self.integer - steps, self.integer + steps",
        after="low, high = self.integer - steps, self.integer",
        killed_by=f"{AT_ONCE}[the smallest-laplace]",
        note="noise goes both ways",
    ),
    Bug(
        name="within-approached-for-ever",
        file="src/tacit/curator/pricing/noise_of_measures.py",
        before="amount *= max(over**2, _A_STEP_MORE)",
        after="amount *= over**2",
        killed_by="tests/unit/curator/pricing/test_noise_of_measures.py::test_an_error_is_reached_in_a_few_steps",
        note="an error that is a whole step too large was made smaller by ever smaller parts of one",
    ),
    Bug(
        name="error-of-a-mean-for-fewer-rows",
        file="src/tacit/curator/answer/explanation.py",
        before="((mean.sum_place, 0), (mean.count_place, rows))",
        after="((mean.sum_place, 0), (mean.count_place, 2 * rows))",
        killed_by="tests/unit/curator/answer/test_explanation.py"
        "::test_the_error_of_a_mean_is_that_of_an_answer_for_a_group_of_that_size[pure]",
        note="a mean was promised to be twice as sure as it is",
    ),
    Bug(
        name="coalesce-ends-with-its-first-operand",
        file=FUNCTIONS,
        before="            taken = known[:surely]\n",
        after="            taken = known[:1]\n",
        killed_by=f"{ONES}[coalesce]",
        note="the second operand counts where noise made the first NULL, or might have",
    ),
    Bug(
        name="nullif-is-never-null",
        file=FUNCTIONS,
        before="return first.low, first.high, first.null or alike",
        after="return first.low, first.high, first.null",
        killed_by=f"{ONES}[coalesce]",
        note="the exact number may be the one that is NULL",
    ),
    Bug(
        name="root-is-never-null",
        file=FUNCTIONS,
        before="            return first.low < 0\n",
        after="            return first.high < 0\n",
        killed_by=f"{ONES}[root]",
        note="the root of an exact number below zero is NULL",
    ),
    Bug(
        name="logarithm-is-never-null",
        file=FUNCTIONS,
        before="            return first.low <= 0\n",
        after="            return first.low < 0 and False\n",
        killed_by=f"{ONES}[logarithm]",
        note="the logarithm of an exact number that is not positive is NULL",
    ),
    Bug(
        name="quotient-is-never-null",
        file=ARITHMETIC,
        before="return Interval(value, -inf, inf, a.null or b.null or b.low <= 0 <= b.high)",
        after="return Interval(value, -inf, inf, a.null or b.null)",
        killed_by=f"{ONES}[quotient]",
        note="the exact divisor may be zero",
    ),
    Bug(
        name="greatest-of-those-that-may-be-null-is-sure",
        file=FUNCTIONS,
        before="    sure = [each.low for each in every if not each.null]\n",
        after="    sure = [each.low for each in every]\n",
        killed_by=f"{ONES}[greatest]",
        note="GREATEST leaves out what is NULL",
    ),
    Bug(
        name="null-has-one-outcome",
        file=SHOWN,
        before="        if self._is_unsure(operand) or (isinstance(value, Interval) and value.null):\n",
        after="        if self._is_unsure(operand):\n",
        killed_by=f"{ONES}[is null]",
        note="noise decides whether the root of a difference is NULL",
    ),
    Bug(
        name="null-of-a-condition-has-one-outcome",
        file=SHOWN,
        before="            return {each is None for each in self._outcomes(operand)}\n",
        after="            return {self.of(operand) is None}\n",
        killed_by=f"{ONES}[null of a condition]",
        note="a condition is NULL where what it compares is",
    ),
    Bug(
        name="null-of-a-text-has-one-outcome",
        file=SHOWN,
        before="        if self._is_unsure(operand) or (isinstance(value, Interval) and value.null):\n",
        after="        if isinstance(value, Interval) and value.null:\n",
        killed_by=f"{ONES}[null of a text]",
        note="noise may make a text NULL",
    ),
    Bug(
        name="other-conditions-have-one-outcome",
        file=SHOWN,
        before="return {True, False, None} if figures_of(condition) else {self.of(condition)}",
        after="return {self.of(condition)}",
        killed_by=f"{ONES}[case in a condition]",
        note="a CASE in a condition may choose another branch",
    ),
    Bug(
        name="texts-are-sure",
        file=SHOWN,
        before="            case OneOf(operand, options) if not self._is_unsure(operand):\n",
        after="            case OneOf(operand, options):\n",
        killed_by=f"{ONES}[texts]",
        note="a text that a noisy number chose may be another",
    ),
    Bug(
        name="one-of-several-has-one-outcome",
        file=SHOWN,
        before='                for b in compare("=", value, self.of(option))\n',
        after='                for b in compare("=", point_of(value), self.of(option))\n',
        killed_by=f"{ONES}[numbers]",
        note="a number within its noise may be one of the list",
    ),
    Bug(
        name="comparison-forgets-null",
        file=ARITHMETIC,
        before="        return {True, False} | null\n",
        after="        return {True, False}\n",
        killed_by=f"{ONES}[null of a condition]",
        note="what may be NULL compares as NULL",
    ),
    Bug(
        name="interval-of-what-may-be-null-is-shown",
        file=SHOWN,
        before="            found = Interval(found.value, -inf, inf)\n",
        after="            found = Interval(found.value, found.low, found.high)\n",
        killed_by=f"{ONES}[case without else]",
        note="no interval holds a NULL",
    ),
    Bug(
        name="length-of-a-noisy-text-is-sure",
        file=SHOWN,
        before="                        kind in _UNORDERED and bool(figures_of(part))\n",
        after="                        kind in _UNORDERED and not parts\n",
        killed_by=f"{ONES}[length]",
        note="the digits of an exact count may be more or fewer",
    ),
    Bug(
        name="sum-of-some-groups-leaves-out-for-sure",
        file=WINDOWS,
        before="    lows = [min(0.0, each.low) if each.null else each.low for each in spans]\n",
        after="    lows = [each.low for each in spans]\n",
        killed_by=f"{ONES}[sum]",
        note="a group that straddles the condition of FILTER may not be added up",
    ),
    Bug(
        name="sum-of-some-groups-adds-those-there",
        file=WINDOWS,
        before="        if noisy and any(isinstance(value, Interval) and value.null for value in values):\n",
        after="        if noisy and not values:\n",
        killed_by=f"{ONES}[sum]",
        note="what is NULL by noise adds something where it is not",
    ),
    Bug(
        name="mean-of-some-groups-is-that-of-all",
        file=WINDOWS,
        before="    found = [end for end, null in ends if not null]\n",
        after="    found = [end for end, null in ends]\n",
        killed_by=f"{GROUPS}::test_the_mean_and_the_median_of_some_lie_within",
        note="the mean of fewer groups may be smaller, or larger",
    ),
    Bug(
        name="mean-of-some-groups-stops-too-early",
        file=WINDOWS,
        before="        if found and end >= centre(found):\n            break\n",
        after="        if found:\n            break\n",
        killed_by=f"{GROUPS}::test_the_mean_and_the_median_of_some_lie_within",
        note="every smaller number makes the mean smaller",
    ),
    Bug(
        name="groups-that-may-meet-a-condition-do",
        file=WINDOWS,
        before="        least = _running_count([not may_be_null(value) for value in values])\n",
        after="        least = counts\n",
        killed_by=f"{ONES}[groups]",
        note="a group that straddles the condition may not count",
    ),
    Bug(
        name="rank-of-what-may-be-null-is-sure",
        file=WINDOWS,
        before="if others or any(may_be_null(each) or isinstance(each, str | bool) for each in seen):",
        after="if others or any(each is None or isinstance(each, str | bool) for each in seen):",
        killed_by=f"{ONES}[ranks]",
        note="NULLs come last, wherever their number is",
    ),
    Bug(
        name="variance-of-groups-has-half-its-width",
        file=WINDOWS,
        before="    roots = around_mean, max(0.0, around_mean - off), around_mean + off\n",
        after="    roots = around_mean, max(0.0, around_mean - off / 2), around_mean + off / 2\n",
        killed_by=f"{GROUPS}::test_the_variance_of_groups_lies_within",
        note="every number may be off by as much as its interval says",
    ),
    Bug(
        name="groups-that-noise-chose-are-not-told",
        file=VIEW,
        before="    over = [name for name, parts in windows.items() if chosen and parts]\n",
        after="    over = [name for name, parts in windows.items() if not chosen and not parts]\n",
        killed_by=f"{ONES}[chosen]",
        note="an interval of a sum over groups that noise chose is not about those that exact numbers choose",
    ),
    Bug(
        name="noisy-order-is-not-told",
        file=VIEW,
        before="    return any(figures_of(value) for value, _ in window.order)\n",
        after="    return not window.order\n",
        killed_by=f"{ONES}[noisy order]",
        note="a running total in the order of noisy numbers is about that order",
    ),
    Bug(
        name="mean-of-doubles-leaves-its-interval",
        file=SHOWN,
        before="        within = value if self.group.raw else min(max(value, least), most)\n",
        after="        within = value\n",
        killed_by="tests/unit/curator/answer/test_view_rows.py::test_a_mean_of_doubles_lies_inside_its_interval_though_its_grid_is_wider",
        note="the steps of a grid reach a little beyond the range",
    ),
    Bug(
        name="constants-are-told-in-six-digits",
        file="src/tacit/curator/answer/subquery_constants.py",
        before="repr(float(value))",
        after='f"{float(value):g}"',
        killed_by="tests/unit/curator/answer/test_subquery_constants.py::test_a_constant_is_written_with_all_its_digits",
        note="rows were compared with another value than the caption named",
    ),
    Bug(
        name="caption-speaks-of-intervals-that-are-not-there",
        file="src/tacit/curator/answer/release.py",
        before="            if self.measured\n            else",
        after="            if self.columns\n            else",
        killed_by="tests/unit/curator/answer/test_release.py"
        "::test_where_no_column_has_an_interval_the_caption_does_not_speak_of_their_probability",
        note="the number of groups that noise chose has no interval",
    ),
    Bug(
        name="empty-groups-of-subqueries-are-not-told",
        file="src/tacit/curator/ask_combined.py",
        before="        *[(each.answers, each.plan) for each in plan.subqueries],\n",
        after="",
        killed_by=f"{EMPTY}[rows]",
        note="a mean over groups that rows are compared with counts the empty ones too",
    ),
    Bug(
        name="empty-groups-of-combined-answers-are-not-told",
        file="src/tacit/curator/ask_combined.py",
        before="        (plan.answers, plan.plan),\n",
        after="",
        killed_by=f"{EMPTY}[the same]",
        note="groups compared with their own mean, over those without rows too",
    ),
]
