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
        name="median-of-groups-whole",
        file="src/tacit/curator/answer/divide_confidence.py",
        before="if look not in {Look.MEAN, Look.MIDDLE}:",
        after="if look is not Look.MEAN:",
        killed_by="tests/unit/curator/answer/test_group_windows.py"
        "::test_the_median_of_an_even_number_of_whole_numbers_may_be_a_half",
        note="2.5 was shown as 2",
    ),
    Bug(
        name="cell-outside-the-range-ends-before-it",
        file=INTERVALS,
        before="exact(min(max(each, first), last)) for each in shown",
        after="exact(each) for each in shown",
        killed_by=f"{ENDS}::test_a_cell_where_no_value_can_be_is_drawn_to_the_end_of_the_range",
        note="an interval ended before it began, and a division by it failed",
    ),
]
