"""Bugs of sums of clipped vectors, and of many steps on samples."""

from tests.teeth.bug import Bug

LAWS = "tests/laws/test_vectors.py"
MOVED = f"{LAWS}::test_no_unit_moves_a_sum_further_than_claimed"
GREY = f"{LAWS}::test_with_constant_noise_a_fit_is_the_same_on_neighbours"
PAID = f"{LAWS}::test_everything_that_is_drawn_is_paid_for"
KERNELS = "src/tacit/curator/vectors/summable_vectors.py"
ROWS = "src/tacit/curator/vectors/rows_to_vectors.py"
NOISE = "src/tacit/curator/vectors/vectors_noise.py"
LESSON = "src/tacit/curator/vectors/estimator_access_to_sums.py"
STEPS = "src/tacit/accounting/sampled_steps.py"
SUMS = "src/tacit/stability/vector_sensitivity.py"

BUGS = [
    Bug(
        name="vectors-what-is-no-number-passes",
        file="src/tacit/curator/vectors/clip_vectors.py",
        before="if np.isnan(size).any():",
        after="if np.isinf(size).any():",
        killed_by=f"{LAWS}::test_what_is_no_number_becomes_zero",
        note="a size that is no number is not above any bound",
    ),
    Bug(
        name="vectors-samples-where-units-are-replaced",
        file="src/tacit/curator/vectors/estimator_access_to_sums.py",
        before="if sampling is not None and not lesson.may_sample:",
        after="if sampling is not None and lesson.is_pure:",
        killed_by=f"{LAWS}::test_samples_need_a_delta_and_add_or_remove",
        note="the accounting of samples is about units that come and go",
    ),
    Bug(
        name="vectors-are-not-clipped",
        file="src/tacit/curator/vectors/clip_vectors.py",
        before="    over = size > most\n",
        after="    over = size > 4 * most\n",
        killed_by=f"{LAWS}::test_no_vector_is_longer_than_its_bound",
        note="a covariance that clips a copy and releases the original (SmartNoise 621)",
    ),
    Bug(
        name="vectors-diagonal-moves-by-the-lower-bound",
        file="src/tacit/curator/vectors/summable_vectors.py",
        before="        case Moments():\n            return (DIAGONAL * FINE * FINE,)",
        after="        case Moments():\n            return (DIAGONAL * FINE,)",
        killed_by=MOVED,
        note="sum of squares with a sensitivity that is not that of squares (diffprivlib 104, 105)",
    ),
    Bug(
        name="vectors-gradient-clipped-by-its-residual-alone",
        file="src/tacit/curator/vectors/exact_vector_sums.py",
        before="yield as_integers(u.T @ (np.clip(turn, -most, most) * weights))",
        after="yield as_integers(u.T @ (turn * weights))",
        killed_by=MOVED,
        note="sensitivity 1 whatever the clip norms (boosted AdaSSP)",
    ),
    Bug(
        name="vectors-network-norm-without-bias",
        file="src/tacit/curator/vectors/network_gradients.py",
        before="return size_of(signals, norm) + (SIGNAL if norm is Norm.L1 else SIGNAL**2)",
        after="return size_of(signals, norm)",
        killed_by=MOVED,
        note="the intercept moves too, and belongs into the norm (diffprivlib's logistic regression)",
    ),
    Bug(
        name="vectors-units-are-not-weighed",
        file=ROWS,
        before="weights = np.full(count, one) if rows.weights is None else rows.weights.astype(np.float64)",
        after="weights = np.full(count, one)",
        killed_by=MOVED,
        note="a patient of many encounters moves the sum with each of them",
    ),
    Bug(
        name="vectors-replacing-moves-as-far-as-adding",
        file=SUMS,
        before="apart = 2 if neighbours is Neighbours.REPLACE else 1",
        after="apart = 1",
        killed_by=f"{MOVED}[Neighbours.REPLACE-Norm.L1]",
        note="replacing a record changes two leaves, each charged once (diffprivlib's forest)",
    ),
    Bug(
        name="vectors-sums-move-by-half-the-range",
        file="src/tacit/curator/vectors/summable_vectors.py",
        before="return 1, FINE, square_bound(mapping.width, norm)",
        after="return 1, FINE // 2, square_bound(mapping.width, norm)",
        killed_by=MOVED,
        note="a row that leaves a group moves its sum by its largest value, not by the range (diffprivlib GaussianNB)",
    ),
    Bug(
        name="vectors-product-moves-with-one-factor",
        file="src/tacit/curator/vectors/summable_vectors.py",
        before="            return DIAGONAL * FINE * FINE, FINE * ERROR, ERROR * ERROR\n",
        after="            return DIAGONAL * FINE * FINE, FINE, ERROR * ERROR\n",
        killed_by=MOVED,
        note="noise for R where it has to be for R squared (diffprivlib's vector mechanism)",
    ),
    Bug(
        name="vectors-rows-told-apart-by-their-position",
        file=ROWS,
        before="            found[place][:] += part\n",
        after="            found[place][:] += part * (1 + (getattr(at, 'start', 0) or 0) % 2)\n",
        killed_by=f"{LAWS}::test_sums_do_not_depend_on_the_order_of_rows",
        note="rows are split by position, so that one that goes moves all later ones (diffprivlib's forest)",
    ),
    Bug(
        name="vectors-each-array-gets-the-whole-share",
        file=NOISE,
        before="self._fit(each, self.amount * request.share * Fraction(part, whole))",
        after="self._fit(each, self.amount * request.share * Fraction(part, part))",
        killed_by=PAID,
        note="two means of epsilon / (d + 1) each, of which one is budgeted (diffprivlib 104)",
    ),
    Bug(
        name="vectors-parts-in-the-wrong-order",
        file=NOISE,
        before="for each, part in zip(moved, request.parts, strict=True)",
        after="for each, part in zip(moved, [9 * part for part in request.parts], strict=True)",
        killed_by=PAID,
        note="shares returned in the wrong order spend more than is claimed (diffprivlib's KMeans)",
    ),
    Bug(
        name="vectors-looked-at-before-it-is-paid",
        file="src/tacit/curator/tables/release_tables.py",
        before="        nobody = engine.code(asked.coding, asked.weights, rehearsing=True)\n",
        after="        nobody = engine.code(asked.coding, asked.weights)\n",
        killed_by="tests/laws/test_tables.py::test_everything_that_is_drawn_is_paid_for",
        note="a histogram of the features is read off without a charge (DP-boost)",
    ),
    Bug(
        name="vectors-divided-by-the-exact-number-of-rows",
        file="src/tacit/curator/vectors/pay_for_vector_sums.py",
        before="    return _keep_sums(request, arrays, draws, noise.worth)",
        after="    return _keep_sums(request, arrays, draws, noise.worth / max(1, len(rows.encoded)))",
        killed_by=GREY,
        note="divides by an expected batch that is derived from the private number of rows (Opacus 571)",
    ),
    Bug(
        name="vectors-classes-from-the-data",
        file="src/tacit/curator/vectors/pay_for_vector_sums.py",
        before="        encoded = EncodedRows.from_codes(rows, orders, np.array(asked.targets, np.int64))\n",
        after=(
            "        encoded = EncodedRows.from_codes(rows, orders, np.array(asked.targets, np.int64))\n"
            "        read = asked.about + str(sorted(set(encoded.target.tolist())))\n"
            "        object.__setattr__(asked, 'about', read)\n"
            "        object.__setattr__(asked, 'kind', read)\n"
        ),
        killed_by=GREY,
        note="classes that are read off the data (diffprivlib's naive Bayes and logistic regression)",
    ),
    Bug(
        name="vectors-sampled-step-without-its-share",
        file="src/tacit/curator/vectors/pay_for_vector_sums.py",
        before="            if sampling is None or taken > sampling.steps:\n",
        after="            if sampling is None:\n",
        killed_by=f"{LAWS}::test_no_more_is_sampled_than_was_declared",
        note="more steps than were accounted for",
    ),
    Bug(
        name="vectors-fixed-batches-accounted-as-samples",
        file=ROWS,
        before="is_drawn = coins.astype(np.int64) < rate",
        after="is_drawn = np.argsort(np.argsort(coins)) < tosses * 8 // 64",
        killed_by=f"{LAWS}::test_samples_hold_each_row_with_its_rate",
        note="shuffled batches of a fixed size are no Poisson samples (private-transformers 7, jax-privacy 121)",
    ),
    Bug(
        name="vectors-rate-of-another-sampler",
        file=NOISE,
        before="if plan is None or plan.rate != rate or not self.failure:",
        after="if plan is None or not self.failure:",
        killed_by=f"{LAWS}::test_no_more_is_sampled_than_was_declared",
        note="a sampler whose rate is not the accountant's (Opacus 819)",
    ),
    Bug(
        name="vectors-sampled-noise-of-half-the-share",
        file=NOISE,
        before="self.amount * plan.share, Fraction(rate, RATES), plan.steps, self.failure",
        after="2 * self.amount * plan.share, Fraction(rate, RATES), plan.steps, self.failure",
        killed_by=f"{LAWS}::test_sampled_steps_are_paid_for_together",
        note="epsilon instead of epsilon / 2 in the measured step (PrivBayes example, mbi 11)",
    ),
    Bug(
        name="sampled-steps-ignore-large-orders",
        file=STEPS,
        before="        if order > 2:\n",
        after="        if order > 400:\n",
        killed_by="tests/unit/accounting/test_sampled_steps.py::test_no_order_below_the_cut_has_a_larger_divergence",
        note="rho has to hold at every order up to the cut",
    ),
    Bug(
        name="sampled-steps-cut-in-one-direction",
        file=STEPS,
        before="goal = -(ball(failure) / 2).log()",
        after="goal = -(ball(failure) * 10**5).log()",
        killed_by="tests/unit/accounting/test_sampled_steps.py::test_no_order_below_the_cut_has_a_larger_divergence",
        note="what is cut off has to be as rare as is charged",
    ),
]
