"""Bugs of the mechanisms."""

from tests.teeth.bug import Bug

MECHANISMS = "src/tacit/mechanisms"
LAWS = "tests/laws/test_mechanisms.py"
STEPS = "tests/laws/test_steps.py"
AFTER = "tests/laws/test_after.py"
UNIT = "tests/unit/mechanisms"
THEORY = "tests/vectors/test_theory.py"
STATISTICS = "tests/statistics/test_mechanisms.py"
SPARSE = "tests/laws/test_sparse_vector.py"
QUANTILES = "tests/laws/test_quantiles.py"
SELECTION = "tests/laws/test_selection.py"
CHOSEN = f"{SELECTION}::test_no_pair_of_neighbours_exceeds_the_claimed_epsilon_and_one_attains_nearly_all_of_it"
CHOSEN_BY_RHO = (
    f"{SELECTION}::test_delta_divergence_and_rho_bound_those_of_every_pair_of_neighbours"
)

BUGS = [
    Bug(
        name="steps-forget-coordinates-that-barely-move",
        file=f"{MECHANISMS}/grid_steps.py",
        before="return -(-bound // grid) + sensitivity.dimension - 1",
        after="return -(-bound // grid)",
        killed_by=f"{STEPS}::test_rounded_numbers_move_no_further_than_is_charged",
        note="a coordinate that moves by next to nothing may still cross a half",
    ),
    Bug(
        name="steps-count-the-rounding-of-one-answer-only",
        file=f"{MECHANISMS}/grid_steps.py",
        before="root_at_least(Fraction(sensitivity.dimension))) ** 2)",
        after="root_at_least(Fraction(sensitivity.dimension)) / 2) ** 2)",
        killed_by=f"{STEPS}::test_rounded_numbers_move_no_further_than_is_charged",
        note="both answers are rounded, and in opposite directions",
    ),
    Bug(
        name="steps-lose-one-to-a-float",
        file=f"{MECHANISMS}/grid_steps.py",
        before="return floor(bound * (1 + Fraction(1, 1 << 50)))",
        after="return floor(bound)",
        killed_by=f"{STEPS}::test_a_root_that_a_float_rounded_down_loses_no_step",
        note="math.sqrt(3)**2 is below 3: the loss of three counts would be stated as that of two",
    ),
    Bug(
        name="steps-of-float-ties-rounded-down",
        file=f"{MECHANISMS}/grid_steps.py",
        before="(scaled - whole >= 0.5)",
        after="(scaled - whole > 0.5)",
        killed_by=f"{UNIT}/test_grid_steps.py::test_floats_are_rounded_as_their_exact_values_are",
        note="arrays and single numbers would be rounded differently",
    ),
    Bug(
        name="steps-of-lists-made-floats",
        file=f"{MECHANISMS}/grid_steps.py",
        before="return array if all(isinstance(number, float) for number in each.flat) else each",
        after="return array",
        killed_by=f"{UNIT}/test_grid_steps.py::test_a_list_is_not_turned_into_floats_that_lie_further_apart",
        note="floats next to large integers lie further apart than the integers did",
    ),
    Bug(
        name="grid-read-as-it-prints",
        file=f"{MECHANISMS}/grid_steps.py",
        before="    if isinstance(grid, float):\n",
        after="    if grid is float:\n",
        killed_by=f"{UNIT}/test_grid_steps.py::test_every_power_of_two_is_a_grid_whichever_way_it_is_written",
        note="2.0**-24 prints as a little more than it is and was refused",
    ),
    Bug(
        name="sums-wrap-around",
        file=f"{MECHANISMS}/grid_steps.py",
        before="if not ((steps ^ total) & (drawn ^ total) < 0).any():",
        after="if not ((steps > 0) & (drawn > 0) & (total < 0)).any():",
        killed_by=f"{UNIT}/test_grid_steps.py::test_sums_never_wrap_around",
        note="negative sums wrap around too",
    ),
    Bug(
        name="noise-broadcast-over-an-array",
        file=f"{MECHANISMS}/grid_steps.py",
        before="drawn = noise(steps.size).reshape(steps.shape)",
        after=(
            "row = steps.shape[-1:]\n    drawn = np.broadcast_to(noise(int(np.prod(row))).reshape(row), steps.shape)"
        ),
        killed_by=f"{STATISTICS}::test_cells_columns_and_repeats_are_equal_no_more_often_than_chance",
        note="one draw for a whole column: the difference of two of its cells is exact",
    ),
    Bug(
        name="noise-shared-by-columns",
        file=f"{MECHANISMS}/grid_steps.py",
        before="return {name: _on_grid(_add_noise(column, noise), grid) for name, column in columns.items()}",
        after=(
            "shared = __import__('functools').cache(noise)\n"
            "        return {name: _on_grid(_add_noise(column, shared), grid) for name, column in "
            "columns.items()}"
        ),
        killed_by=f"{STATISTICS}::test_cells_columns_and_repeats_are_equal_no_more_often_than_chance",
        note="columns of the same length got the same noise",
    ),
    Bug(
        name="noise-drawn-before-all-is-checked",
        file=f"{MECHANISMS}/grid_steps.py",
        before=(
            "columns = {name: rounded_steps(column, grid) for name, column in value.items()}\n"
            "        return {name: _on_grid(_add_noise(column, noise), grid) for name, column in "
            "columns.items()}"
        ),
        after=(
            "return {name: _on_grid(_add_noise(rounded_steps(c, grid), noise), grid) for name, c in value.items()}"
        ),
        killed_by=f"{UNIT}/test_refusals.py::test_nothing_is_drawn_for_a_table_if_one_of_its_columns_is_wrong",
        note="a refusal must not come after half of the noise",
    ),
    Bug(
        name="refusal-depends-on-the-value",
        file=f"{MECHANISMS}/grid_steps.py",
        before="    if isinstance(value, Integral) and grid is None:\n        return int(value)",
        after=(
            "    if isinstance(value, Rational) and grid is None and value.denominator == 1:\n"
            "        return int(value.numerator)"
        ),
        killed_by=f"{UNIT}/test_refusals.py::test_what_is_refused_is_a_kind_and_not_a_value",
        note="a Fraction was released if it happened to be whole, and refused if not: the refusal told which",
    ),
    Bug(
        name="error-forgets-the-rounding",
        file=f"{MECHANISMS}/grid_steps.py",
        before="float_at_least((steps + Fraction(1, 2)) * grid)",
        after="float_at_least(steps * grid)",
        killed_by=f"{LAWS}::test_the_error_is_measured_from_the_exact_answer_and_not_from_the_rounded_one",
        note="on a grid the answer itself moved by up to half a step",
    ),
    Bug(
        name="release-beyond-floats-is-infinite",
        file=f"{MECHANISMS}/grid_steps.py",
        before="return sys.float_info.max if exact > 0 else -sys.float_info.max",
        after='return float("inf") if exact > 0 else -float("inf")',
        killed_by=f"{UNIT}/test_grid_steps.py::test_a_release_beyond_the_largest_float_is_that_float",
        note="no NaN or infinity is ever released",
    ),
    Bug(
        name="laplace-loss-forgets-the-relation",
        file=f"{MECHANISMS}/laplace.py",
        before="return DiscreteLaplaceLoss(self.law.scale, steps, moved.neighbours)",
        after="return DiscreteLaplaceLoss(self.law.scale, steps)",
        killed_by=f"{LAWS}::test_the_relation_is_that_of_the_sensitivity",
        note="a loss that ignores the relation is a bug",
    ),
    Bug(
        name="laplace-loss-in-other-units",
        file=f"{MECHANISMS}/laplace.py",
        before="return DiscreteLaplaceLoss(self.law.scale, steps, moved.neighbours)",
        after="return DiscreteLaplaceLoss(self.scale, steps, moved.neighbours)",
        killed_by=f"{LAWS}::test_delta_is_that_of_the_worst_pair_of_answers",
        note="the move was counted in steps and the scale in units: right without a grid",
    ),
    Bug(
        name="laplace-draws-again-until-non-negative",
        file=f"{MECHANISMS}/laplace.py",
        before="return noisy(value, self.grid, lambda size: discrete_laplace(self.law.scale, size), times)",
        after=(
            "def draw() -> Any:\n"
            "            return noisy(value, self.grid, lambda size: discrete_laplace(self.law.scale, size), times)\n\n"
            "        released = draw()\n"
            "        while isinstance(released, int) and released < 0 <= value:\n"
            "            released = self.release(value, times)\n"
            "        return released"
        ),
        killed_by=f"{AFTER}::test_no_mechanism_loops_until_it_likes_what_it_drew",
        note="not epsilon-DP: at scale 1 it costs 1.21 times what is claimed",
    ),
    Bug(
        name="gaussian-calibrated-by-the-continuous-formula",
        file=f"{MECHANISMS}/gaussian.py",
        before="reached = cls(sigma * (step or 1), step).loss(moved).delta(price)",
        after="reached = GaussianLoss(steps_moved_squared(moved, step) / sigma**2).delta(price)",
        killed_by=f"{THEORY}::test_calibrated_on_its_own_law_discrete_delta_is_what_was_asked_for",
        note="at (8, 1e-6) the discrete delta is three times as large",
    ),
    Bug(
        name="gaussian-vector-priced-by-mu",
        file=f"{MECHANISMS}/gaussian.py",
        before="return ZeroConcentratedLoss(squared / (2 * self.law.parameter), 0, moved.neighbours)",
        after="return GaussianLoss(squared / self.law.parameter, moved.neighbours)",
        killed_by=f"{LAWS}::test_two_numbers_cost_at_least_what_any_move_within_the_norm_tells",
        note="a vector of discrete noise has no mu: only rho is proved for it",
    ),
    Bug(
        name="gaussian-search-ends-at-a-thousandth",
        file=f"{MECHANISMS}/gaussian.py",
        before="narrowest(keeps, 1 / price, least=Fraction(1, 1 << 64)) * bound",
        after="narrowest(lambda sigma: keeps(sigma / bound), bound / price)",
        killed_by=f"{UNIT}/test_bisection.py::test_the_analytic_sigma_scales_with_the_sensitivity",
        note="shares of many people need a sigma below the narrowest that can be drawn",
    ),
    Bug(
        name="errors-of-many-answers-as-of-one",
        file=f"{MECHANISMS}/noise_law.py",
        before="return -(kept / answers).expm1() / 2",
        after="return -kept.expm1() / 2",
        killed_by=f"{LAWS}::test_the_error_holds_and_no_smaller_one_does",
        note="of ten thousand cells one in a hundred would lie outside a 99 % error bar, and so one at least always",
    ),
    Bug(
        name="tails-counted-on-one-side",
        file=f"{MECHANISMS}/noise_law.py",
        before="return -(kept / answers).expm1() / 2",
        after="return -(kept / answers).expm1()",
        killed_by=f"{LAWS}::test_the_error_holds_and_no_smaller_one_does",
        note="noise leaves to either side",
    ),
    Bug(
        name="price-read-generously",
        file=f"{MECHANISMS}/parameters.py",
        before='price = at_most(epsilon, "epsilon")',
        after='price = at_least(epsilon, "epsilon")',
        killed_by=f"{UNIT}/test_parameters.py::test_prices_and_failures_are_never_more_than_was_meant_and_confidence_never_less",
        note="0.1 stands for two numbers, and only the smaller one was surely granted",
    ),
    Bug(
        name="response-lies-include-the-truth",
        file=f"{MECHANISMS}/randomized_response.py",
        before="others = answers + 1 + below(self.categories - 1, len(answers))",
        after="others = answers + below(self.categories, len(answers))",
        killed_by=f"{STATISTICS}::test_reports_follow_the_stated_law_and_a_truth_2_percent_rarer_is_seen",
        note="the truth is then told more often than is paid for",
    ),
    Bug(
        name="response-of-many-priced-as-of-two",
        file=f"{MECHANISMS}/randomized_response.py",
        before="truth = lower(grown / (grown + (kinds - 1)))",
        after="truth = lower(grown / (grown + 1))",
        killed_by=f"{LAWS}::test_randomized_response_spends_all_but_a_trillionth_of_its_price",
        note="with k answers each lie is k - 1 times as rare",
    ),
    Bug(
        name="response-variance-of-the-smaller-spread",
        file=f"{MECHANISMS}/randomized_response.py",
        before="spread = max(self.truth * (1 - self.truth), self.lie * (1 - self.lie))",
        after="spread = min(self.truth * (1 - self.truth), self.lie * (1 - self.lie))",
        killed_by=f"{LAWS}::test_the_estimated_counts_are_unbiased_and_their_variance_is_at_most_the_claimed_one",
        note="both are equal for two answers",
    ),
    Bug(
        name="response-reports-paid-once",
        file=f"{MECHANISMS}/randomized_response.py",
        before="return one if reports == 1 else one * reports",
        after="return one",
        killed_by=f"{LAWS}::test_several_reports_of_one_unit_are_several_releases",
        note="five reports priced as one",
    ),
    Bug(
        name="rounding-wraps-around",
        file=f"{MECHANISMS}/postprocess.py",
        before=(
            "not (\n"
            "        numbers.size and (numbers.min() < -(2**62) or numbers.max() > 2**62)\n"
            "    )"
        ),
        after="True",
        killed_by=f"{AFTER}::test_an_array_of_integers_is_rounded_number_by_number_and_never_wraps",
        note="2**63 - 1, rounded to tens, became negative",
    ),
    Bug(
        name="rounding-of-floats-adds-before-it-divides",
        file=f"{MECHANISMS}/postprocess.py",
        before="    left = np.fmod(numbers, to)  # exact, with the number's own sign\n",
        after="    return np.asarray(np.floor((2 * numbers + to) / (2 * to)) * to)\n    left = np.fmod(numbers, to)\n",
        killed_by=f"{AFTER}::test_a_number_is_rounded_to_the_nearest_multiple_halves_upward",
        note="0.49999999999999994 became 1, and 1e308 infinite",
    ),
    Bug(
        name="noise-for-monotone-scores-where-they-are-not",
        file=f"{MECHANISMS}/scores.py",
        before="        return 2 * each\n",
        after="        return each\n",
        killed_by=f"{CHOSEN}[votes by replace-noisy max, Laplace]",
        note="report noisy max with the sensitivity taken once: a replaced vote leaves one count and joins another",
    ),
    Bug(
        name="exponential-mechanism-without-the-2",
        file=f"{MECHANISMS}/exponential.py",
        before=("return BoundedRangeLoss(\n            self.relative_sensitivity(sensitivity), "),
        after="return BoundedRangeLoss(self.relative_sensitivity(sensitivity) / 2, ",
        killed_by=f"{CHOSEN_BY_RHO}[duels by add-or-remove-exponential]",
        note="scores that rise and fall move twice as far apart as each moves",
    ),
    Bug(
        name="permute-and-flip-priced-as-bounded-range",
        file=f"{MECHANISMS}/permute_and_flip.py",
        before="from tacit.privacy import Loss, PureLoss, Sensitivity",
        after="from tacit.privacy import BoundedRangeLoss as PureLoss, Loss, Sensitivity",
        killed_by=f"{CHOSEN_BY_RHO}[votes by replace-permute-and-flip]",
        note="the exponential mechanism's rho is four times too small for it",
    ),
    Bug(
        name="noisy-max-priced-as-bounded-range",
        file=f"{MECHANISMS}/noisy_max.py",
        before="from tacit.privacy import Loss, PureLoss, Sensitivity, fill",
        after="from tacit.privacy import BoundedRangeLoss as PureLoss, Loss, Sensitivity, fill",
        killed_by=f"{SELECTION}::test_all_others_have_losses_that_span_more_and_are_priced_as_pure",
        note="its loss spans more than epsilon; with Gumbel noise, which is the exponential mechanism, it does not",
    ),
    Bug(
        name="scores-called-monotone-by-replace",
        file=f"{MECHANISMS}/scores.py",
        before="        if moved.neighbours is Neighbours.REPLACE:\n",
        after="        if moved.neighbours is None:\n",
        killed_by=f"{SELECTION}::test_scores_are_never_monotone_by_replace",
        note="half the noise, by a flag that is true of another relation",
    ),
    Bug(
        name="two-scores-in-l2-as-far-apart-as-one-moves",
        file=f"{MECHANISMS}/scores.py",
        before=("moved.neighbours, dimension=2), grid),\n    )"),
        after="moved.neighbours), grid))",
        killed_by=f"{SELECTION}::test_two_scores_move_apart_by_no_more_than_is_charged"
        "[L2-None-False]",
        note="one rises and one falls: the root of two times the L2 norm",
    ),
    Bug(
        name="equal-noisy-scores-to-the-first",
        file=f"{MECHANISMS}/noisy_max.py",
        before=(
            "chosen.append(\n"
            "                uniform_choice(np.asarray(sums == sums.max(axis=1, keepdims=True), "
            "dtype=np.bool_))\n"
            "            )"
        ),
        after="chosen.append(np.asarray(sums == sums.max(axis=1, keepdims=True)).argmax(axis=1))",
        killed_by=f"{UNIT}/test_noisy_max.py::test_equal_sums_are_decided_by_lot",
        note="integer noise ties often; whoever is listed first would win every tie",
    ),
    Bug(
        name="best-few-paid-once",
        file=f"{MECHANISMS}/top_k.py",
        before="return self.each.loss(sensitivity) * self.k",
        after="return self.each.loss(sensitivity) * 1",
        killed_by=f"{SELECTION}::test_the_best_few_cost_one_choice_each[votes by add-or-remove-exponential]",
        note="k choices priced as one",
    ),
    Bug(
        name="best-few-with-repetition",
        file=f"{MECHANISMS}/top_k.py",
        before="left = np.delete(left, place)",
        after="left = left.copy()",
        killed_by=f"{UNIT}/test_noisy_max.py::test_the_best_few_leave_in_order",
        note="the best one would leave k times",
    ),
    Bug(
        name="choice-error-one-step-short",
        file=f"{MECHANISMS}/selection.py",
        before="mechanism.misses(candidates, distance + 1)",
        after="mechanism.misses(candidates, distance + 2)",
        killed_by=f"{SELECTION}::test_the_error_holds_and_no_smaller_one_does",
        note="the error would be exceeded more often than is said",
    ),
    Bug(
        name="smallest-score-negated",
        file=f"{MECHANISMS}/scores.py",
        before="return ~whole if smallest else whole",
        after="return -whole if smallest else whole",
        killed_by=f"{UNIT}/test_exponential.py::test_scores_are_turned_round_without_overflow",
        note="-2**63 has no opposite in 64 bits: the smallest of all would be the last chosen",
    ),
    Bug(
        name="permute-and-flip-integrated-too-coarsely",
        file=f"{MECHANISMS}/permute_and_flip.py",
        before="in unit_rule(candidates - 1):",
        after="in unit_rule(max(0, candidates - 3)):",
        killed_by=f"{SELECTION}::test_permute_and_flip_has_the_law_of_its_definition",
        note="a place too few for the degree of the polynomial",
    ),
    Bug(
        name="laplace-difference-of-one-draw",
        file=f"{MECHANISMS}/noisy_max.py",
        before="        level = distance + (1 + r * r) / (rest * (1 + r)) + r / rest\n",
        after="        level = (1 + r) / rest\n",
        killed_by=f"{SELECTION}::test_no_scores_are_missed_by_more_than_is_said[noisy max, Laplace]",
        note="both scores are noisy: the tail of a difference is longer than that of one",
    ),
    Bug(
        name="sparse-vector-noise-forgets-the-count",
        file=f"{MECHANISMS}/above_threshold.py",
        before="weight = often * (1 if monotone else 2)",
        after="weight = 1 if monotone else 2",
        killed_by=f"{SPARSE}::test_the_mechanism_keeps_its_claim_on_every_pair_of_neighbours[2-add-or-remove]",
        note="Lee and Clifton 2014: noise of one yes for all of them",
    ),
    Bug(
        name="sparse-vector-values-without-noise",
        file=f"{MECHANISMS}/above_threshold.py",
        before="return _integer(value) + discrete_laplace(self.value_scale) >= noisy_threshold",
        after="return _integer(value) >= noisy_threshold",
        killed_by=f"{UNIT}/test_above_threshold.py::test_each_kind_of_noise_has_its_scale_and_the_threshold_is_drawn_once",
        note="Stoddard et al. 2014: noise on the threshold alone",
    ),
    Bug(
        name="sparse-vector-tells-what-it-compared",
        file=f"{MECHANISMS}/above_threshold.py",
        before=(
            "answer = mechanism.is_above(value, line)\n"
            "        if mechanism.answer_scale is not None:\n"
            "            # drawn in any case: the work is the same\n"
            "            number = value + discrete_laplace(mechanism.answer_scale)"
        ),
        after=(
            "number = value + discrete_laplace(mechanism.value_scale)\n"
            "        answer = number >= line\n"
            "        if mechanism.answer_scale is not None:\n"
            "            discrete_laplace(mechanism.answer_scale)"
        ),
        killed_by=f"{UNIT}/test_above_threshold.py::test_numbers_come_with_noise_of_their_own",
        note="Roth 2011: the number that is told bounds the noisy threshold",
    ),
    Bug(
        name="sparse-vector-never-stops",
        file=f"{MECHANISMS}/above_threshold.py",
        before="self._left -= answer is not False",
        after="self._left -= 0",
        killed_by=f"{UNIT}/test_above_threshold.py::test_a_session_ends_after_the_answers_that_were_paid_for",
        note="Chen et al. 2015: any number of yeses for the price of one",
    ),
    Bug(
        name="sparse-vector-renews-its-threshold-for-free",
        file=f"{MECHANISMS}/above_threshold.py",
        before="        value = yield answer\n",
        after=(
            "        value = yield answer\n"
            "        if answer:\n"
            "            line = mechanism.draw_threshold(threshold)\n"
        ),
        killed_by=f"{UNIT}/test_above_threshold.py::test_each_kind_of_noise_has_its_scale_and_the_threshold_is_drawn_once",
        note="each new threshold is a release of its own",
    ),
    Bug(
        name="sparse-vector-monotone-under-replace",
        file=f"{MECHANISMS}/above_threshold.py",
        before="if monotone and unit.neighbours is Neighbours.REPLACE:",
        after="if monotone and unit.neighbours is None:",
        killed_by=f"{UNIT}/test_above_threshold.py::test_monotone_is_for_add_or_remove_only",
        note="a unit that is replaced moves some values up and others down",
    ),
    Bug(
        name="sparse-vector-errs-as-for-one-question",
        file=f"{MECHANISMS}/above_threshold.py",
        before="np.exp(answers * np.log(",
        after="np.exp(np.log(",
        killed_by=f"{SPARSE}::test_the_error_holds_for_values_just_beyond_it",
        note="of many values one is more likely to be called wrongly",
    ),
    Bug(
        name="quantile-without-the-two",
        file=f"{MECHANISMS}/quantile.py",
        before="2 * unit.bound * steepness(wanted, unit.neighbours) / price_of(epsilon)",
        after="unit.bound * steepness(wanted, unit.neighbours) / price_of(epsilon)",
        killed_by=f"{QUANTILES}::test_every_pair_of_neighbours_is_as_hard_to_tell_apart_as_claimed[median-add-or-remove]",
        note="what all cells share moves as far as one of them",
    ),
    Bug(
        name="quantile-moved-as-if-added",
        file=f"{MECHANISMS}/quantile.py",
        before="return Fraction(1) if neighbours is Neighbours.REPLACE else max(rank, 1 - rank)",
        after="return max(rank, 1 - rank)",
        killed_by=f"{QUANTILES}::test_the_claim_for_a_median_is_attained_to_a_twentieth[Quantile-replace]",
        note="a row that changes sides moves a rank by a whole row",
    ),
    Bug(
        name="quantile-error-forgets-the-other-cells",
        file=f"{MECHANISMS}/quantile.py",
        before="odds = (many - 1) * wanted / (1 - wanted)",
        after="odds = wanted / (1 - wanted)",
        killed_by=f"{QUANTILES}::test_a_quantile_is_misranked_by_no_more_than_its_error",
        note="many unlikely cells are likely together",
    ),
    Bug(
        name="joint-quantiles-move-one-part-only",
        file=f"{MECHANISMS}/joint_quantiles.py",
        before="return Fraction(2) if neighbours is Neighbours.REPLACE else 2 * (1 - smallest)",
        after="return Fraction(1) if neighbours is Neighbours.REPLACE else 1 - smallest",
        killed_by=f"{QUANTILES}::test_the_loss_spans_no_more_than_the_claimed_range[joint ends-replace]",
        note="what one part gains, the others are missing",
    ),
    Bug(
        name="joint-quantiles-forget-the-last-part",
        file=f"{MECHANISMS}/joint_quantiles.py",
        before="excess = self.least[j] + np.abs(self.upto[last] - self.upto - self.wanted[j + 1])",
        after="excess = self.least[j] + np.abs(self.upto[last] - self.upto - self.wanted[j + 1]) * (after is not None)",
        killed_by=f"{QUANTILES}::test_the_chain_of_a_joint_draw_sums_to_the_stated_law_and_its_floats_are_within_their_slack",
        note="the draw then has another law than the one that was proved private",
    ),
    Bug(
        name="recursive-quantiles-replaced-as-if-added",
        file=f"{MECHANISMS}/recursive_quantiles.py",
        before="each = 4 if unit.neighbours is Neighbours.REPLACE else 2",
        after="each = 2",
        killed_by=f"{QUANTILES}::test_the_claim_for_a_median_is_attained_to_a_twentieth[RecursiveQuantiles-replace]",
        note="a unit that is replaced leaves one segment and enters another",
    ),
    Bug(
        name="recursive-quantiles-parts-of-full-weight",
        file=f"{MECHANISMS}/recursive_quantiles.py",
        before=(
            "self.scale * self.parts * max(\n"
            "            rank, 1 - rank\n"
            "        ) * rank.denominator"
        ),
        after="self.scale * max(rank, 1 - rank) * rank.denominator",
        killed_by=f"{QUANTILES}::test_the_loss_spans_no_more_than_the_claimed_range"
        "[recursive ends in parts-add-or-remove]",
        note="cut into parts, a row must not count for each of them",
    ),
    Bug(
        name="histogram-levels-paid-once",
        file=f"{MECHANISMS}/histogram_quantiles.py",
        before="return PureLoss(len(self.shape) * _each(unit) / self.scale, unit.neighbours)",
        after="return PureLoss(_each(unit) / self.scale, unit.neighbours)",
        killed_by=f"{QUANTILES}::test_the_ranges_of_a_histogram_move_by_exactly_what_is_paid_for",
        note="a row lies in a range of every level",
    ),
    Bug(
        name="histogram-fitted-to-exact-weights",
        file=f"{MECHANISMS}/histogram_quantiles.py",
        before="[level.astype(np.float64) for level in levels]",
        after="[level.astype(np.float64) for level in (*levels[:-1], self.ranges(counts)[-1])]",
        killed_by=f"{QUANTILES}::test_what_is_read_off_a_noisy_histogram_depends_on_the_noisy_integers_alone",
        note="everything after the noise sees the noisy integers alone",
    ),
    Bug(
        name="contributions-weigh-a-unit-by-its-rows",
        file=f"{MECHANISMS}/quantiles.py",
        before="self.cut.release(self.grid.weigh(rows))",
        after="self.cut.release(self.grid.weigh(rows, rows))",
        killed_by=f"{UNIT}/test_quantiles.py::test_contributions_cover_the_share_of_units_without_noise",
        note="then a unit of many rows moves the bound further than is paid for",
    ),
]
