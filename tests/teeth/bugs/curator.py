"""Bugs planted in the room curator."""

from tests.teeth.bug import Bug

CORRIDOR = "tests/laws/test_corridor.py"
UNIT = "tests/unit/curator"
ROOM = "src/tacit/curator"

BUGS = [
    Bug(
        name="curator-looks-before-it-pays",
        file=f"{ROOM}/vault.py",
        before="        entry = self._ledger.charge(self._key(asked), terms.loss)  # pay\n",
        after="        exact = _evaluated(engine, terms)\n"
        "        entry = self._ledger.charge(self._key(asked), terms.loss)  # pay\n",
        killed_by=f"{CORRIDOR}::test_a_question_is_tried_on_nothing_then_paid_for_then_looked_at_then_stored[pure]",
        note="a refusal for want of means would come after the look",
    ),
    Bug(
        name="curator-engine-speaks",
        file=f"{ROOM}/vault.py",
        before="with suppress(Exception):",
        after="with suppress(EngineFailed):",
        killed_by=f"{CORRIDOR}::test_an_engine_that_fails_after_the_charge_says_one_thing_only_and_gives_nothing_back[pure]",
        note="engines quote the cells that they could not read",
    ),
    Bug(
        name="curator-own-draw-shown",
        file=f"{ROOM}/vault.py",
        before="entry = self._ledger.settle(entry, _released(terms, exact))  # let go",
        after="entry = type(entry)(entry.number, entry.key, None, entry.charge, _released(terms, exact))",
        killed_by=f"{CORRIDOR}::test_the_same_question_is_free_and_has_the_same_numbers[0-pure]",
        note="an answer that is shown and not stored is drawn afresh the next time, for nothing",
    ),
    Bug(
        name="curator-confidence-read-after-the-charge",
        file=f"{ROOM}/vault.py",
        before="asked, sure = canonical(plan), _confidence(confidence)",
        after="asked, sure = canonical(plan), confidence",
        killed_by=f"{CORRIDOR}::test_a_price_or_confidence_that_makes_no_sense_is_refused_before_anything_happens",
        note="a typing mistake is paid for",
    ),
    Bug(
        name="curator-foreign-table-believed",
        file=f"{ROOM}/vault.py",
        before="if shared is None or shared.table != table:",
        after="if shared is None:",
        killed_by=f"{CORRIDOR}::test_a_table_that_the_vault_did_not_declare_so_is_refused[pure]",
        note="a plan that says that every row is a unit gets noise for a row, not for a person",
    ),
    Bug(
        name="curator-every-measure-at-the-full-price",
        file=f"{ROOM}/terms.py",
        before="part = amount / len(moved)",
        after="part = amount",
        killed_by=f"{UNIT}/test_terms.py::test_every_measure_gets_an_equal_part[pure]",
        note="three measures are released for the price of one",
    ),
    Bug(
        name="curator-rounding-moves-nothing",
        file=f"{ROOM}/terms.py",
        before="Sensitivity.root(steps_moved_squared(moved, Fraction(grid)), moved.neighbours, moved.dimension)",
        after="Sensitivity(moved.bound / grid, moved.norm, moved.neighbours, moved.dimension)",
        killed_by=f"{UNIT}/test_terms.py::test_rounding_many_groups_that_barely_move_keeps_the_claimed_sensitivity",
        note="two numbers just on either side of a half are one step apart however near they are",
    ),
    Bug(
        name="curator-accuracy-promised-and-not-bought",
        file=f"{ROOM}/terms.py",
        before="return max(terms.reach(place, confidence) for place in places) / allowed",
        after="return Fraction(1)",
        killed_by=f"{UNIT}/test_terms.py::test_the_price_of_an_accuracy_buys_that_accuracy_and_hardly_more",
        note="rounding to a grid adds a little noise to what was asked for",
    ),
    Bug(
        name="curator-numbers-each-at-the-full-confidence",
        file=f"{ROOM}/view.py",
        before="share = max(1, len(_places(expression)))",
        after="share = 1",
        killed_by=f"{UNIT}/test_view.py::test_several_numbers_share_the_chance_of_being_wrong",
        note="two intervals that each hold in 95 of 100 cases hold together in fewer",
    ),
    Bug(
        name="curator-divisor-never-zero",
        file=f"{ROOM}/view.py",
        before='if operator == "%" or (operator == "/" and b.low <= 0 <= b.high):',
        after='if operator == "%" or (operator == "/" and b.low == 0):',
        killed_by=f"{UNIT}/test_view.py::test_the_interval_of_an_operation_holds_every_result_of_what_its_operands_may_be",
        note="a quotient whose divisor may have either sign has no ends",
    ),
    Bug(
        name="curator-branch-taken-for-certain",
        file=f"{ROOM}/view.py",
        before="            if outcomes == {True}:\n                break\n",
        after="            if True in outcomes:\n                break\n",
        killed_by=f"{UNIT}/test_view.py::test_the_interval_of_a_case_holds_every_branch_that_may_be_the_right_one",
        note="noise may have chosen the branch",
    ),
    Bug(
        name="curator-count-of-a-mean-taken-for-exact",
        file=f"{ROOM}/intervals.py",
        before="return abs(top - ratio * bottom) - reach(1, abs(ratio))",
        after="return abs(top - ratio * bottom) - reach(1, 0)",
        killed_by=f"{UNIT}/test_intervals.py::test_a_ratio_has_the_interval_of_all_ratios_that_are_not_refuted[Laplace]",
        note="the noise of the count moves a mean too",
    ),
    Bug(
        name="curator-laplace-numbers-added-like-gaussian-ones",
        file=f"{ROOM}/intervals.py",
        before="sum_reach = _gaussian_reach if isinstance(total.mechanism, Gaussian) else _laplace_reach",
        after="sum_reach = _gaussian_reach",
        killed_by="tests/statistics/test_coverage.py::"
        "test_means_are_covered_at_least_as_often_as_stated_and_not_much_wider_than_need_be[laplace]",
        note="a Laplace number goes further than a Gaussian one of its scale",
    ),
    Bug(
        name="curator-key-taken-for-mark-up",
        file=f"{ROOM}/release.py",
        before="table.add_row(*(Text(cell) for cell in cells))",
        after="table.add_row(*cells)",
        killed_by=f"{UNIT}/test_release.py::test_a_key_that_looks_like_mark_up_is_shown_as_it_is",
        note="what stands in brackets disappears from the table",
    ),
]
