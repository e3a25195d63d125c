"""Bugs planted in the room accounting."""

from tests.teeth.bug import Bug

ROOM = "src/tacit/accounting"
LAWS = "tests/laws/test_accounting.py"
POINTS = "tests/laws/test_accounting_exact.py::test_every_view_is_at_least_the_exact_value"
UNIT = "tests/unit/accounting"
VECTORS = "tests/vectors/test_accounting.py"

BUGS = [
    Bug(
        name="gaussians-counted-once",
        file=f"{ROOM}/exact_law.py",
        before="(part.squared * times for part, times in gaussians)",
        after="(part.squared for part, times in gaussians)",
        killed_by=f"{POINTS}[many_gaussians]",
        note="the count is dropped where the squares of mu are added",
    ),
    Bug(
        name="basic-composition-without-the-count",
        file=f"{ROOM}/basic_composition.py",
        before="pure += own * times",
        after="pure += own",
        killed_by=f"{UNIT}/test_totals.py::test_compare_lists_every_bound_that_speaks_and_the_tightest_is_among_them",
        note="the count is dropped where epsilons are added",
    ),
    Bug(
        name="failure-not-added-to-delta",
        file=f"{ROOM}/totals.py",
        before="return ball(failure) + ball(1 - failure) * best[0]",
        after="return ball(1 - failure) * best[0]",
        killed_by=f"{POINTS}[failing_responses]",
        note="what can tell all is split off and never put back",
    ),
    Bug(
        name="figure-rounded-to-nearest",
        file=f"{ROOM}/certified_float.py",
        before="return cls._of(float_at_least(certified), certified, by)",
        after="return cls._of(float(certified), certified, by)",
        killed_by=f"{UNIT}/test_certified_float.py::test_a_loss_is_shown_rounded_up_and_a_protection_rounded_down",
        note="half of all claims would be a hair too small",
    ),
    Bug(
        name="protection-rounded-up",
        file=f"{ROOM}/certified_float.py",
        before="float_at_most(certified)",
        after="float_at_least(certified)",
        killed_by=f"{UNIT}/test_certified_float.py::test_a_loss_is_shown_rounded_up_and_a_protection_rounded_down",
        note="on a trade-off curve the safe side is below",
    ),
    Bug(
        name="delta-read-rounded-up",
        file=f"{ROOM}/totals.py",
        before=(
            'goal = _probability(at_most(delta, "delta"), "delta", delta)\n'
            "        failure, rest = self.losses.split_failure()\n"
            "        if goal < failure:"
        ),
        after=(
            'goal = _probability(at_least(delta, "delta"), "delta", delta)\n'
            "        failure, rest = self.losses.split_failure()\n"
            "        if goal < failure:"
        ),
        killed_by=f"{UNIT}/test_totals.py::test_floats_are_read_on_the_safe_side",
        note="0.1 is more than a tenth; the smaller reading is the safe one for an allowance",
    ),
    Bug(
        name="classical-gaussian-beyond-one",
        file=f"{ROOM}/exact_law.py",
        before="return lambda epsilon: require_delta(one.delta(epsilon))",
        after=(
            "return lambda e: 1.25 * (-(Ball(float(e)) ** 2) / (2 * require_delta(one.renyi(Fraction(2))))).exp()"
        ),
        killed_by=f"{POINTS}[many_gaussians]",
        note="delta = 1.25 exp(-epsilon**2 / (2 mu**2)) is proved for epsilon below one only",
    ),
    Bug(
        name="conversion-divides-by-the-order",
        file=f"{ROOM}/conversion.py",
        before="ball(delta * order).log() / ball(order - 1)",
        after="ball(delta * order).log() / ball(order)",
        killed_by=f"{VECTORS}::test_the_conversion_from_one_renyi_divergence",
        note="an order off by one in the price of delta",
    ),
    Bug(
        name="one-rho-converted-as-a-quarter",
        file=f"{ROOM}/conversion.py",
        before="upper(epsilon_at(rho * ball(order), order, delta))",
        after="upper(epsilon_at(rho / 4 * ball(order), order, delta))",
        killed_by=f"{UNIT}/test_conversion.py::test_one_rho_is_converted_as_in_any_total",
        note="an answer would be shown at half of its price",
    ),
    Bug(
        name="advanced-composition-without-its-mean",
        file=f"{ROOM}/basic_composition.py",
        before="beyond = ball(epsilon) - mean",
        after="beyond = ball(epsilon)",
        killed_by=f"{UNIT}/test_totals.py::test_compare_lists_every_bound_that_speaks_and_the_tightest_is_among_them",
        note="only the root is left of k epsilon (e**epsilon - 1) + root",
    ),
    Bug(
        name="optimal-composition-forgets-an-edge",
        file=f"{ROOM}/optimal_composition.py",
        before="first = max(0, floor((epsilon / own + times) / 2) + 1)",
        after="first = max(0, floor((epsilon / own + times) / 2) + 2)",
        killed_by=f"{UNIT}/test_optimal_composition.py::test_the_sum_is_enclosed_and_narrow",
        note="the first number of truths that tells more than epsilon is left out",
    ),
    Bug(
        name="optimal-composition-drops-its-tail",
        file=f"{ROOM}/optimal_composition.py",
        before="if first < usual:\n        first, skipped = usual, (-2 * ball(reach) ** 2 / times).exp()",
        after="if first < usual + reach:\n        first, skipped = usual + reach, ball(0)",
        killed_by=f"{UNIT}/test_optimal_composition.py::test_thousands_of_responses_are_summed_in_part",
        note="what is left out must be bounded and added",
    ),
    Bug(
        name="parallel-under-replace-as-under-add-or-remove",
        file=f"{ROOM}/parallel_composition.py",
        before="self.size * self.neighbours.steps",
        after="self.size",
        killed_by=f"{LAWS}::test_parts_cost_the_two_largest_when_a_unit_is_replaced",
        note="a replaced unit leaves one part and enters another",
    ),
    Bug(
        name="parallel-takes-the-smallest",
        file=f"{ROOM}/parallel_composition.py",
        before="max((one for one in found if one is not None), key=upper)",
        after="min((one for one in found if one is not None), key=upper)",
        killed_by=f"{LAWS}::test_parallel_figures_are_the_largest_figure_by_figure",
        note="nobody says in which part the unit is",
    ),
    Bug(
        name="charge-rounded-down",
        file=f"{ROOM}/privacy_filters.py",
        before="ceil(upper(rho) / RHO_UNIT)",
        after="floor(upper(rho) / RHO_UNIT)",
        killed_by=f"{UNIT}/test_privacy_filters.py::test_charges_are_rounded_up",
        note="a million charges, each a unit short",
    ),
    Bug(
        name="limit-rounded-up",
        file=f"{ROOM}/privacy_filters.py",
        before="floor(lower(rho_within(budget, self.delta / 2)) / RHO_UNIT)",
        after="ceil(upper(rho_within(budget, self.delta / 2)) / RHO_UNIT)",
        killed_by=f"{UNIT}/test_privacy_filters.py::test_the_limit_is_the_largest_that_keeps_the_promise",
        note="limits go down",
    ),
    Bug(
        name="delta-spent-twice",
        file=f"{ROOM}/privacy_filters.py",
        before="floor(failure / 2 / DELTA_UNIT)",
        after="floor(failure / DELTA_UNIT)",
        killed_by=f"{UNIT}/test_privacy_filters.py::test_the_limit_is_the_largest_that_keeps_the_promise",
        note="half of delta already pays for the conversion",
    ),
    Bug(
        name="conversion-at-the-whole-delta",
        file=f"{ROOM}/privacy_filters.py",
        before="rho_within(budget, self.delta / 2)",
        after="rho_within(budget, self.delta)",
        killed_by=f"{UNIT}/test_privacy_filters.py::test_a_price_alone_keeps_its_epsilon",
        note="the other half is the reserve",
    ),
    Bug(
        name="optimal-composition-as-a-filter",
        file=f"{ROOM}/privacy_filters.py",
        before="return (spent + charge).fits(self.limit)",
        after="from tacit.accounting.totals import total\n        from tacit.privacy import PureLoss\n\n"
        "        count = spent.amount // max(charge.amount, 1) + 1\n"
        "        so_far = total(PureLoss(charge.amount * EPSILON_UNIT) * count).epsilon(Fraction(1, 100))\n"
        "        return so_far <= self.limit.amount * EPSILON_UNIT",
        killed_by=f"{UNIT}/test_privacy_filters.py::test_optimal_composition_would_grant_more_than_a_filter_may",
        note="it holds for losses fixed in advance; an analyst who chooses after each answer can exceed it",
    ),
    Bug(
        name="filter-admits-whatever-does-not-fail",
        file=f"{ROOM}/privacy_filters.py",
        before="return self.amount <= limit.amount and self.failure <= limit.failure",
        after="return self.amount <= limit.amount",
        killed_by=f"{UNIT}/test_privacy_filters.py::test_nothing_fits_beyond_the_limit_by_a_single_unit",
        note="failures have a limit of their own",
    ),
    Bug(
        name="filter-deaf-to-the-relation",
        file=f"{ROOM}/privacy_filters.py",
        before="if loss.neighbours is not neighbours:",
        after="if loss.neighbours is None:",
        killed_by=f"{UNIT}/test_privacy_filters.py::test_a_loss_for_other_neighbours_is_refused",
        note="under replace the same noise hides half as much",
    ),
    Bug(
        name="pure-filter-forgives-failures",
        file=f"{ROOM}/privacy_filters.py",
        before="if failure or epsilon is None:",
        after="if epsilon is None:",
        killed_by=f"{UNIT}/test_privacy_filters.py::test_a_pure_filter_refuses_what_has_no_pure_epsilon",
        note="a pure vault has no delta to fail with",
    ),
    Bug(
        name="shares-in-proportion-to-weights",
        file=f"{ROOM}/calibration.py",
        before='return _shares(at_most(epsilon, "epsilon"), weights, Fraction(1, 2))',
        after='return _shares(at_most(epsilon, "epsilon"), weights, Fraction(1))',
        killed_by=f"{UNIT}/test_calibration.py::test_moving_a_share_elsewhere_makes_the_errors_larger",
        note="what minimises the sum of weight / share is the root",
    ),
]
