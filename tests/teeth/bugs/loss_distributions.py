"""Bugs planted in privacy-loss distributions: on the grid, in tails, around the window, in directions, in floats."""

from tests.teeth.bug import Bug

DOTS = "src/tacit/accounting/connect_the_dots.py"
SUMS = "src/tacit/accounting/tilted_convolution.py"
NUMERICAL = "src/tacit/accounting/numerical_bound.py"
LAW = "src/tacit/privacy/loss_distributions.py"
ON_GRID = "tests/unit/accounting/test_connect_the_dots.py"
UNIT = "tests/unit/accounting/test_tilted_convolution.py"
LAW_UNIT = "tests/unit/privacy/test_loss_distributions.py"
ENCLOSED = "tests/laws/test_loss_distributions.py::test_the_certified_ends_of_delta_enclose_the_exact_value"
ALIKE = f"{ON_GRID}::test_shared_losses_keep_the_mean_of_one_and_of_the_likelihood_ratio"
CHORD = f"{ON_GRID}::test_on_the_grid_delta_is_that_of_the_law_at_every_point_and_its_chord_between"
BEYOND = f"{ON_GRID}::test_what_lies_beyond_the_grid_is_told_and_what_lies_below_is_raised"
WIDENS = f"{UNIT}::test_every_error_widens_the_end_that_it_bears_on"
WRAPS = f"{UNIT}::test_what_is_outside_the_window_wraps_around_and_no_more_of_it_than_is_bounded"
TAILS = f"{UNIT}::test_no_tail_is_heavier_than_its_bound"

DISCRETISATION = [
    Bug(
        name="losses-shared-in-proportion",
        file=DOTS,
        before="np.expm1(points[left] - losses) / np.expm1(-width)",
        after="(losses - points[left]) / width",
        killed_by=ALIKE,
        note="the mean of the loss is kept, and not that of the likelihood ratio: nothing dominates",
    ),
    Bug(
        name="losses-rounded-down",
        file=DOTS,
        before="    dots[:-1] += np.maximum(inside, 0.0) - upper\n    dots[1:] += upper\n",
        after="    dots[:-1] += np.maximum(inside, 0.0)\n",
        killed_by=CHORD,
        note="optimistic instead of pessimistic",
    ),
    Bug(
        name="chord-from-the-wrong-point",
        file=DOTS,
        before="np.exp(points[:-1]) * other",
        after="np.exp(points[1:]) * other",
        killed_by=CHORD,
        note="the likelihood ratio of a cell is taken at its other end",
    ),
    Bug(
        name="any-grid-taken-for-the-law's",
        file=DOTS,
        before="return (law.step / step).denominator == 1",
        after="return law.step >= step",
        killed_by=f"{ON_GRID}::test_a_law_is_on_the_grid_only_if_its_losses_are_whole_steps_apart",
        note="losses that are between points are moved, and nobody accounts for it",
    ),
    Bug(
        name="sharing-taken-for-exact",
        file="src/tacit/accounting/tilted_convolution.py",
        before="spread=sum(part.times for part in parts if part.dots.is_spread) * h * h / 4,",
        after="spread=0.0,",
        killed_by=f"{UNIT}::test_sharing_widens_the_lower_end",
        note="the lower end is that of the grid, which lies above the law",
    ),
    Bug(
        name="chord-not-continued",
        file="src/tacit/accounting/tilted_convolution.py",
        before="line = (1 + exp(-reach)) * nearer - exp(-reach) * farther",
        after="line = nearer + (nearer - farther) * 2",
        killed_by=f"{ENCLOSED}[gaussians]",
        note="a line through two points is continued too far",
    ),
]

IN_TAILS = [
    Bug(
        name="beyond-a-curve-forgotten",
        file=DOTS,
        before="beyond = float(p[-1] * (1 + errors[-1]))",
        after="beyond = 0.0",
        killed_by=BEYOND,
        note="a tail is cut off",
    ),
    Bug(
        name="beyond-atoms-forgotten",
        file=DOTS,
        before="lost = float(law.masses[beyond].sum()) * (1 + 1e-9) + law.lost",
        after="lost = law.lost",
        killed_by=BEYOND,
        note="a tail is cut off",
    ),
    Bug(
        name="below-dropped",
        file=DOTS,
        before="    dots[0] += below\n",
        after="",
        killed_by=BEYOND,
        note="what lies below is dropped and not raised",
    ),
    Bug(
        name="beyond-not-added",
        file="src/tacit/accounting/tilted_convolution.py",
        before="return min(1.0, self._upper_on_grid(epsilon) + self.beyond)",
        after="return min(1.0, self._upper_on_grid(epsilon))",
        killed_by=f"{WIDENS}[beyond]",
        note="a loss without bound adds nothing to delta",
    ),
    Bug(
        name="tail-of-one-release",
        file="src/tacit/accounting/convolution_errors.py",
        before="logs = sum(part.times * _log_moment(part, move) for part in parts)",
        after="logs = sum(_log_moment(part, move) for part in parts)",
        killed_by=TAILS,
        note="the tail of many releases is bounded like that of one of each",
    ),
    Bug(
        name="right-tail-not-added",
        file="src/tacit/accounting/tilted_convolution.py",
        before="        at = epsilon - self.place\n"
        "        wrong = self.rounding + self.right_tail + self.transform + _CUT",
        after="        at = epsilon - self.place\n        wrong = self.rounding + self.transform + _CUT",
        killed_by=f"{WIDENS}[right_tail]",
        note="what lies to the right of the window is lost",
    ),
]

ALIASING = [
    Bug(
        name="aliasing-not-taken-off",
        file="src/tacit/accounting/tilted_convolution.py",
        before="wrong = self.rounding + self.aliasing + self.transform\n",
        after="wrong = self.rounding + self.transform\n",
        killed_by=f"{WIDENS}[aliasing]",
        note="the lower end counts what wrapped around",
    ),
    Bug(
        name="aliasing-from-one-side",
        file="src/tacit/accounting/convolution_errors.py",
        before="for edge, side in zip(ends, (-1, 1), strict=True)",
        after="for edge, side in zip(ends[1:], (1,), strict=True)",
        killed_by=WRAPS,
        note="what lies to the left of the window wraps around too",
    ),
    Bug(
        name="window-read-from-the-wrong-place",
        file="src/tacit/accounting/tilted_convolution.py",
        before="-(first % length)",
        after="first % length",
        killed_by=WRAPS,
        note="the window is turned the other way",
    ),
    Bug(
        name="reach-of-one-release",
        file="src/tacit/accounting/tilted_law.py",
        before="lowest + sum((len(part.tilted) - 1) * part.times for part in parts)",
        after="lowest + sum(len(part.tilted) - 1 for part in parts)",
        killed_by=TAILS,
        note="a window is taken for the whole, and no aliasing is bounded",
    ),
    Bug(
        name="window-too-short-for-the-whole",
        file="src/tacit/accounting/tilted_convolution.py",
        before="return lowest, _fast_length(highest - lowest + 1), 0.0",
        after="return lowest, _fast_length((highest - lowest) // 2 + 1), 0.0",
        killed_by=f"{ENCLOSED}[responses]",
        note="half of the sum wraps around, and nobody knows",
    ),
]

DIRECTION = [
    Bug(
        name="one-direction-only",
        file="src/tacit/privacy/laws_of_samples.py",
        before="    if direction is Direction.REMOVE:\n        return Curve(tails_of_removing, reach, low, place)\n",
        after="    if direction is not None:\n        return Curve(tails_of_removing, reach, low, place)\n",
        killed_by=f"{LAW_UNIT}::test_a_sample_has_another_law_in_each_direction",
        note="a unit that is added is taken for one that is removed",
    ),
    Bug(
        name="mirror-forgotten",
        file="src/tacit/privacy/laws_of_samples.py",
        before="losses, masses, errors = -losses[::-1], masses[::-1], errors[::-1]",
        after="losses, masses, errors = losses[::-1], masses[::-1], errors[::-1]",
        killed_by=f"{LAW_UNIT}::test_a_sample_has_another_law_in_each_direction",
        note="the loss of Q against M is the negative of that of M against Q",
    ),
    Bug(
        name="curve-not-turned-round",
        file="src/tacit/privacy/laws_of_samples.py",
        before="law.tails(-undo_sampling(-at))",
        after="law.tails(undo_sampling(at))",
        killed_by=f"{LAW_UNIT}::test_a_sample_has_another_law_in_each_direction",
        note="the tails of the other direction are read at the wrong place",
    ),
    Bug(
        name="crooked-pair-from-one-side",
        file="src/tacit/privacy/laws_of_bounded_losses.py",
        before="max(forth.at(x), back.at(x))",
        after="forth.at(x)",
        killed_by=f"{LAW_UNIT}::test_a_crooked_pair_is_bounded_in_both_directions_at_once",
        note="nobody says which of two neighbours shows p",
    ),
    Bug(
        name="whole-taken-for-the-sample",
        file="src/tacit/privacy/laws_of_samples.py",
        before="return rate * p + (1 - rate) * q, q, errors + 4 * ROUNDING",
        after="return rate * p, q, errors + 4 * ROUNDING",
        killed_by=f"{LAW_UNIT}::test_a_sample_has_another_law_in_each_direction",
        note="a unit that is not drawn leaves an outcome all the same",
    ),
    Bug(
        name="added-units-not-looked-at",
        file=NUMERICAL,
        before="return tuple(Direction) if oriented else (Direction.REMOVE,)",
        after="return (Direction.ADD,) if oriented else (Direction.REMOVE,)",
        killed_by="tests/laws/test_loss_distributions.py::test_the_worse_direction_counts",
        note="the smaller of two directions is reported",
    ),
]

FLOATS = [
    Bug(
        name="transform-exact",
        file="src/tacit/accounting/tilted_convolution.py",
        before="        at = epsilon - self.place\n"
        "        wrong = self.rounding + self.right_tail + self.transform + _CUT",
        after="        at = epsilon - self.place\n        wrong = self.rounding + self.right_tail + _CUT",
        killed_by=f"{WIDENS}[transform]",
        note="rounding inside the transform is not added",
    ),
    Bug(
        name="transform-errs-once",
        file="src/tacit/accounting/convolution_errors.py",
        before="grown = sum(part.times * each * norm for part, norm in zip(parts, norms, strict=True))",
        after="grown = sum(each * norm for part, norm in zip(parts, norms, strict=True))",
        killed_by=f"{UNIT}::test_rounding_is_bounded_for_each_release",
        note="a power multiplies the error of what is raised to it",
    ),
    Bug(
        name="masses-err-once",
        file="src/tacit/accounting/convolution_errors.py",
        before="wrong = sum(part.wrong * part.times for part in parts)",
        after="wrong = sum(part.wrong for part in parts)",
        killed_by=f"{UNIT}::test_rounding_is_bounded_for_each_release",
        note="every release has its own wrong masses",
    ),
    Bug(
        name="places-exact",
        file="src/tacit/accounting/tilted_convolution.py",
        before="        at = epsilon - self.place\n",
        after="        at = epsilon\n",
        killed_by=f"{WIDENS}[place]",
        note="a loss that is rounded down past epsilon is not counted",
    ),
    Bug(
        name="library-exact",
        file="src/tacit/privacy/loss_law.py",
        before="LIBRARY = 16 * ROUNDING",
        after="LIBRARY = ROUNDING / 4",
        killed_by=f"{LAW_UNIT}::test_library_functions_err_by_no_more_than_is_assumed",
        note="exp and erfc are not rounded correctly",
    ),
    Bug(
        name="errors-of-masses-untold",
        file=DOTS,
        before="wrong = 4 * (errors[:-1] + 8 * ROUNDING) * p[:-1]",
        after="wrong = 0 * p[:-1]",
        killed_by=f"{ON_GRID}::test_the_errors_of_masses_are_told",
        note="a difference of two tails is less exact than they are",
    ),
]

OTHERS = [
    Bug(
        name="gaussian-calibrated-at-the-first-edge",
        file="src/tacit/mechanisms/gaussian.py",
        before="        if moved.dimension == 1:\n            distance = ",
        after="        if moved.dimension == 0:\n            distance = ",
        killed_by="tests/laws/test_mechanisms.py::test_no_smaller_sigma_keeps_the_promise",
        note="delta is not monotone in sigma",
    ),
    Bug(
        name="negative-epsilon-believed",
        file="src/tacit/privacy/loss.py",
        before="or epsilon < 0:",
        after="or epsilon < -1:",
        killed_by="tests/unit/privacy/test_arguments.py::test_a_delta_is_stated_at_exact_epsilons_of_at_least_zero",
        note="the figures below zero are those of another direction",
    ),
    Bug(
        name="order-of-one-believed",
        file="src/tacit/privacy/loss.py",
        before="or not order > 1:",
        after="or not order >= 1:",
        killed_by="tests/unit/privacy/test_arguments.py::test_a_divergence_is_stated_at_orders_above_one",
        note="a divergence of order one is a limit that no formula here takes",
    ),
    Bug(
        name="wide-noise-corrected-twice",
        file="src/tacit/privacy/laws_of_noise.py",
        before="slope / 24, 0.0)",
        after="slope / 12, 0.0)",
        killed_by=f"{LAW_UNIT}::test_wide_discrete_noise_has_the_tails_of_its_own_law",
        note="a sum is not its integral",
    ),
]

BUGS = [*DISCRETISATION, *IN_TAILS, *ALIASING, *DIRECTION, *FLOATS, *OTHERS]
