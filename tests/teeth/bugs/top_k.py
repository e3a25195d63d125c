"""Bugs of groups that are chosen: what their scores move by, what a choice costs, and what leaves."""

from tests.teeth.bug import Bug

CURATOR, STABILITY = "src/tacit/curator", "src/tacit/stability"
LAWS = "tests/laws/test_top_k.py"

BUGS = [
    Bug(
        name="top-k-units-move-half-a-unit",
        file=f"{STABILITY}/scores.py",
        before="Sensitivity(1 << weights.bits, Norm.LINF",
        after="Sensitivity((1 << weights.bits) // 2, Norm.LINF",
        killed_by=f"{LAWS}::test_scores_move_no_further_than_is_claimed",
        note="a unit counts for one in each of its groups",
    ),
    Bug(
        name="top-k-counts-move-like-units",
        file=f"{STABILITY}/scores.py",
        before="if isinstance(question.measures[0], Units) and weights.bits:",
        after="if isinstance(question.measures[0], Units | Counted) and weights.bits:",
        killed_by=f"{LAWS}::test_scores_move_no_further_than_is_claimed",
        note="many rows of one unit may lie in one group",
    ),
    Bug(
        name="top-k-monotone-under-replace",
        file=f"{STABILITY}/scores.py",
        before="if neighbours is not Neighbours.ADD_OR_REMOVE:",
        after="if neighbours is None:",
        killed_by=f"{LAWS}::test_monotone_scores_move_the_same_way",
        note="who replaces another takes from one group and gives to the next",
    ),
    Bug(
        name="top-k-signed-sums-are-monotone",
        file=f"{STABILITY}/scores.py",
        before="return min(measure.low, 0) == 0 or max(measure.high, 0) == 0",
        after="return True",
        killed_by=f"{LAWS}::test_monotone_scores_move_the_same_way[signed sum]",
        note="values of both signs raise one group and lower another",
    ),
    Bug(
        name="top-k-many-for-the-price-of-one",
        file=f"{CURATOR}/pricing/selection_price.py",
        before="return NoisyTopK.calibrate(k, amount, moved,",
        after="return NoisyTopK.calibrate(k, amount * k, moved,",
        killed_by=f"{LAWS}::test_the_price_covers_the_exact_law[2-Neighbours.ADD_OR_REMOVE-rows]",
        note="each of k choices costs",
    ),
    Bug(
        name="top-k-rho-for-the-price-of-one",
        file=f"{CURATOR}/pricing/selection_price.py",
        before="return NoisyTopK.calibrate_rho(k, amount, moved,",
        after="return NoisyTopK.calibrate_rho(k, amount * k, moved,",
        killed_by=f"{LAWS}::test_the_rho_of_a_choice_is_at_most_its_price",
        note="each of k choices costs",
    ),
    Bug(
        name="top-k-the-true-order-leaves",
        file=f"{CURATOR}/ask_first_groups.py",
        before="    places = terms.mechanism.release(scores, smallest=top.smallest)\n",
        after="    places = np.argsort(scores if top.smallest else -scores, kind='stable')[: top.k]\n",
        killed_by=f"{LAWS}::test_what_leaves_is_the_choice_of_the_mechanism",
        note="the exact order of groups is as private as their numbers",
    ),
    Bug(
        name="top-k-the-wrong-end",
        file=f"{CURATOR}/ask_first_groups.py",
        before="terms.mechanism.release(scores, smallest=top.smallest)",
        after="terms.mechanism.release(scores)",
        killed_by=f"{LAWS}::test_clear_winners_are_chosen_from_either_end",
        note="the fewest are asked for by ORDER BY without DESC",
    ),
    Bug(
        name="top-k-looks-before-it-pays",
        file=f"{CURATOR}/ask_first_groups.py",
        before="    about = one_line(in_words(asked.plan))\n",
        after="    about = one_line(in_words(asked.plan))\n    _choose(engine, terms)\n",
        killed_by=f"{LAWS}::test_a_choice_is_paid_for_before_rows_are_looked_at",
        note="a refusal of the ledger would come after the look",
    ),
    Bug(
        name="top-k-replayed-for-another-k",
        file=f"{CURATOR}/ask_first_groups.py",
        before="{terms.top.k} {'smallest' if terms.top.smallest else 'greatest'}",
        after="{'smallest' if terms.top.smallest else 'greatest'}",
        killed_by=f"{LAWS}::test_other_choices_are_other_questions",
        note="the first two are another choice than the first one",
    ),
    Bug(
        name="top-k-both-ends-are-one",
        file=f"{CURATOR}/ask_first_groups.py",
        before="{terms.top.k} {'smallest' if terms.top.smallest else 'greatest'}",
        after="{terms.top.k}",
        killed_by=f"{LAWS}::test_other_choices_are_other_questions",
        note="the fewest are another choice than the most",
    ),
    Bug(
        name="top-k-engine-speaks",
        file=f"{CURATOR}/ask_first_groups.py",
        before="    with suppress(Exception):\n        exact = engine.evaluate(top.question, terms.weights)\n",
        after="    exact = engine.evaluate(top.question, terms.weights)\n",
        killed_by=f"{LAWS}::test_a_failing_engine_tells_nothing",
        note="what an engine says may be about a row",
    ),
    Bug(
        name="top-k-conditions-on-numbers-are-free",
        file="src/tacit/plan/rewrite/top_k.py",
        before="or view.having is not None",
        after="",
        killed_by="tests/unit/plan/rewrite/test_top_k.py::test_every_other_plan_is_none",
        note="HAVING needs the numbers, which are not released",
    ),
]
