"""Bugs of estimators: what peers published, planted in ours."""

from tests.teeth.bug import Bug

LAWS = "tests/laws/test_learn.py"
GREY = f"{LAWS}::test_with_constant_noise_a_fitted_estimator_is_the_same_on_neighbours"
PAID = f"{LAWS}::test_all_noise_of_a_fit_is_paid_for"
LESSON = "src/tacit/curator/vectors/estimator_access_to_sums.py"
NOISE = "src/tacit/curator/vectors/vectors_noise.py"
ESTIMATOR = "src/tacit/learn/estimator.py"

BUGS = [
    Bug(
        name="learning-raw-labels-on-the-fitted-object",
        file="src/tacit/curator/vectors/pay_for_vector_sums.py",
        before="        return _Both(rows, encoded)\n",
        after="        object.__setattr__(asked, 'about', str(encoded.target[:3].tolist()))\n"
        "        object.__setattr__(asked, 'kind', asked.about)\n"
        "        return _Both(rows, encoded)\n",
        killed_by=GREY,
        note="labels and inertia of the protected rows (diffprivlib's KMeans)",
    ),
    Bug(
        name="learning-norms-below-a-step",
        file="src/tacit/learn/encoders.py",
        before="if not 1 / GRID <= norm < 1e6:",
        after="if not 0 < norm < 1e6:",
        killed_by=f"{LAWS}::test_a_norm_is_refused_before_it_is_paid_for_or_fits[network on all rows]",
        note="a fit is paid for whose matrices are too large to be added exactly",
    ),
    Bug(
        name="learning-empty-clusters-are-skipped",
        file="src/tacit/curator/vectors/pay_for_vector_sums.py",
        before="        arrays = tuple(hide(draw, exact) for draw, exact in zip(draws, sums, strict=True))\n",
        after="        arrays = tuple(\n"
        "            hide(draw, exact) if exact.any() else exact for draw, exact in zip(draws, sums, strict=True)\n"
        "        )\n",
        killed_by=f"{GREY}[Neighbours.ADD_OR_REMOVE-gaussian-delta2]",
        note="a number that is left without noise where nobody is tells that nobody is (diffprivlib's KMeans)",
    ),
    Bug(
        name="learning-bounds-from-the-data",
        file="src/tacit/curator/vectors/pay_for_vector_sums.py",
        before="        both = self._encode(asked, rows)\n",
        after=(
            "        both = self._encode(asked, rows)\n"
            "        noise = replace(noise, amount=noise.amount * (1 + int(rows.codes[0].max(initial=0))))\n"
        ),
        killed_by=GREY,
        note="norm bounds that are read off the data (AdaSSP baseline)",
    ),
    Bug(
        name="learning-noise-of-the-inverse-scale",
        file="src/tacit/curator/tables/tables_noise.py",
        before="return Draw(Laplace(_widen(moved.bound / price)), moved)",
        after="return Draw(Laplace(_widen(moved.bound * min(price, 1))), moved)",
        killed_by=PAID,
        note="scale epsilon instead of 1 / epsilon (TukeyEM)",
    ),
    Bug(
        name="learning-one-table-of-many-is-budgeted",
        file="src/tacit/curator/tables/tables_noise.py",
        before="shares = [price * Fraction(part, whole) for part in request.parts]",
        after="shares = [price * Fraction(2 * part, whole) for part in request.parts]",
        killed_by=PAID,
        note="the budget counts other tables than those that are measured (mbi's aim.py)",
    ),
    Bug(
        name="learning-shares-add-up-to-more-than-the-price",
        file="src/tacit/learn/scorecard.py",
        before="            1 - EVIDENCE,\n            matrix",
        after="            Fraction(1),\n            matrix",
        killed_by=f"{LAWS}::test_a_fit_is_free_the_second_time_and_another_one_is_not[scorecard]",
        note="whatever a learner asks for, the desk stops at the price: odometers that add up wrongly (SmartNoise 622)",
    ),
    Bug(
        name="learning-the-mean-of-components-is-not-paid-for",
        file="src/tacit/learn/network_inputs.py",
        before="ask(Moments(centre), CENTRED - MEAN)",
        after="ask(Moments(centre), CENTRED)",
        killed_by=f"{LAWS}::test_a_fit_is_free_the_second_time_and_another_one_is_not[network on all rows]",
        note="the mean that rows are centred by is a release of its own (diffprivlib's LinearRegression)",
    ),
    Bug(
        name="learning-samples-where-all-rows-are-promised",
        file="src/tacit/learn/network.py",
        before="if not (self.samples and plain.may_sample):",
        after="if not plain.may_sample:",
        killed_by="tests/unit/learn/test_network.py::test_on_all_rows_it_does_so_without_spending_delta",
        note="a fit on all rows would take from the limit's delta",
    ),
    Bug(
        name="learning-samples-of-rows-accounted-as-units",
        file="src/tacit/curator/vectors/rows_to_vectors.py",
        before="    tosses = count if units is None else int(units.max(initial=-1)) + 1\n",
        after="    tosses, units = count, None\n",
        killed_by="tests/laws/test_vectors.py::test_samples_are_of_units_with_all_of_their_rows[Memory]",
        note="rows drawn one by one are no sample of units",
    ),
    Bug(
        name="learning-samples-without-the-owners-of-rows",
        file="src/tacit/curator/vectors/pay_for_vector_sums.py",
        before="        if asked.needs_units and is_owned and rows.units is None and any(map(len, rows.codes)):\n",
        after="        if False:\n",
        killed_by="tests/laws/test_vectors.py::test_rows_of_unknown_units_are_not_sampled",
        note="an engine that forgets whose rows they are would have every row drawn by a coin of its own",
    ),
    Bug(
        name="learning-rows-weigh-twice",
        file="src/tacit/curator/vectors/rows_to_vectors.py",
        before="weights = np.full(count, one) if",
        after="weights = np.full(count, 2 * one) if",
        killed_by="tests/attacks/test_learn_audit.py::test_no_transcript_of_a_fit_tells_more_than_was_paid[components-delta15]",
        note="all that a fit releases tells twice as much of a row as was paid for",
    ),
    Bug(
        name="learning-another-fit-is-replayed",
        file="src/tacit/curator/vectors/pay_for_vector_sums.py",
        before='said = "\\0".join((self.kind, fingerprint(self.coding.question).hex(), *self.more, *steps))',
        after='said = "\\0".join((self.kind, self.shared.table.name, *self.more, *steps))',
        killed_by=f"{LAWS}::test_a_fit_is_free_the_second_time_and_another_one_is_not",
        note="conditions are part of what was asked",
    ),
    Bug(
        name="learning-the-whole-lesson-is-pickled",
        file=ESTIMATOR,
        before="        self._model = dict(model)\n",
        after="        self._model = dict(model)\n        self.target_ = lesson.desk.access.policy\n",
        killed_by=f"{LAWS}::test_a_fitted_estimator_holds_nothing_of_the_vault",
        note="a fitted object goes to others: it holds the model only",
    ),
]
