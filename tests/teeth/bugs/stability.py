"""Bugs planted in the room stability."""

from tests.teeth.bug import Bug

MOVED = "src/tacit/stability/question_sensitivity.py"
LAW = "tests/laws/test_stability.py"
CHASED = f"{LAW}::test_no_neighbour_moves_an_answer_further_than_claimed"
PERSONS = f"{LAW}::test_persons_exist_who_move_an_answer_as_far_as_claimed"

BUGS = [
    Bug(
        name="stability-replace-as-cheap-as-add",
        file=MOVED,
        before="if neighbours is Neighbours.ADD_OR_REMOVE or not reach:",
        after="if neighbours or not reach:",
        killed_by=f"{CHASED}[L1-replace]",
        note="replacing is removing one and adding another: the factor is dropped",
    ),
    Bug(
        name="stability-replace-of-signed-values-as-of-counts",
        file=MOVED,
        before="Fraction(2 * (most**2 + least**2), reach**2)",
        after="Fraction(2)",
        killed_by=f"{PERSONS}[10-3-L2-replace]",
        note="a unit that added may be replaced by one that takes away: that is twice, not root two",
    ),
    Bug(
        name="stability-several-groups-as-one",
        file=MOVED,
        before="    if groups == 1:\n        return Fraction(most - least, reach)",
        after="    if groups:\n        return Fraction(most - least, reach)",
        killed_by=f"{CHASED}[L2-replace]",
        note="replaced by a unit of another group, a count moves in two places",
    ),
    Bug(
        name="stability-one-number-without-its-span",
        file=MOVED,
        before="return Fraction(most - least, reach)",
        after="return Fraction(1)",
        killed_by=f"{PERSONS}[1-one value-L1-replace]",
        note="from the most to the least that a unit can add is further than from nothing",
    ),
    Bug(
        name="stability-reach-from-the-upper-end",
        file=MOVED,
        before="whole * weights.bound * max(measure.reach, 1)",
        after="whole * weights.bound * max(measure.high - measure.centre, 1)",
        killed_by=f"{CHASED}[L1-add-or-remove]",
        note="a sum from -5000 to 0 moves by 5000, not by 0",
    ),
    Bug(
        name="stability-reach-of-the-uncentred-value",
        file=MOVED,
        before="max(measure.high - measure.centre, 0)",
        after="max(measure.high, 0)",
        killed_by=f"{PERSONS}[10-1-L2-replace]",
        note="noise for the whole range where the centred value moves by half of it: the claim is not attained",
    ),
    Bug(
        name="stability-units-counted-once",
        file=MOVED,
        before="whole * root_at_least(Fraction(weights.units_squared))",
        after="whole",
        killed_by=f"{CHASED}[L2-add-or-remove]",
        note="one unit is in several groups, and counts in each",
    ),
    Bug(
        name="stability-units-in-the-other-norm",
        file=MOVED,
        before="present = groups if norm is Weighing.L2 else groups**2",
        after="present = groups**2",
        killed_by="tests/unit/stability/test_question_sensitivity.py::test_presence_is_held_at_the_contributions_or_at_the_groups",
        note="presence in three groups is root three, not three, in length",
    ),
    Bug(
        name="stability-bits-forgotten",
        file=MOVED,
        before="whole = Fraction(1 << weights.bits)",
        after="whole = Fraction(1)",
        killed_by=f"{CHASED}[L1-add-or-remove]",
        note="engines return multiples of 2**-bits: noise a million times too small",
    ),
    Bug(
        name="stability-bound-of-one-row",
        file=MOVED,
        before="return whole * weights.bound\n",
        after="return whole\n",
        killed_by=f"{CHASED}[L2-add-or-remove]",
        note="a unit owns more than one row",
    ),
    Bug(
        name="stability-rows-of-a-unit-held-at-one",
        file=MOVED,
        before="bound, groups = held_rows(question.rows, contributions), groups_of(question)",
        after="bound, groups = 1, groups_of(question)",
        killed_by=f"{LAW}::test_a_unit_with_no_more_rows_than_the_bound_counts_in_full[2-L2]",
        note="the rows of a unit count in full up to its contributions, not up to one",
    ),
    Bug(
        name="stability-squares-compared-with-their-root",
        file=MOVED,
        before="units_squared=min(bound**2, present)",
        after="units_squared=min(bound, present)",
        killed_by="tests/unit/stability/test_question_sensitivity.py::test_presence_is_held_at_the_contributions_or_at_the_groups",
        note="a unit with no more groups than contributions is scaled down all the same",
    ),
    Bug(
        name="stability-dimension-forgotten",
        file=MOVED,
        before="Sensitivity(bound, norm, neighbours, groups)",
        after="Sensitivity(bound, norm, neighbours)",
        killed_by=f"{LAW}::test_a_claim_is_about_all_groups_at_once",
        note="the loss of one number is claimed for many, which for Gaussian noise is another law",
    ),
]
