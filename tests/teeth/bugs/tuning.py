"""Bugs of tuning by private selection: its price, the number of trials, and what leaves."""

from tests.teeth.bug import Bug

LAWS = "tests/laws/test_tune.py"
PRICES = "src/tacit/accounting/selected_trials.py"
LESSON = "src/tacit/curator/vectors/estimator_access_to_sums.py"
TRIALS = "src/tacit/mechanisms/random_trials.py"
DRAWN = f"{LAWS}::test_what_is_drawn_in_a_trial_is_what_its_price_allows"

BUGS = [
    Bug(
        name="tuning-a-trial-has-the-whole-price",
        file=PRICES,
        before="return epsilon / 2",
        after="return epsilon / 1",
        killed_by=DRAWN,
        note="settings tuned on private data at the price of one fit",
    ),
    Bug(
        name="tuning-a-trial-has-the-whole-rho",
        file="src/tacit/curator/vectors/vectors_noise.py",
        before="trial_rho(plain.amount, trials.stop, failure)",
        after="plain.amount",
        killed_by=DRAWN,
        note="the same with a delta",
    ),
    Bug(
        name="tuning-scores-are-free",
        file="src/tacit/learn/tuning.py",
        before="reply = yield replace(request, share=request.share * part)",
        after="reply = yield replace(request, share=request.share)",
        killed_by=DRAWN,
        note="a fit for the whole price, and then a score",
    ),
    Bug(
        name="tuning-a-geometric-number-of-trials",
        file=TRIALS,
        before="if below(count) == 0:",
        after="if below(count) >= 0:",
        killed_by=f"{LAWS}::test_the_number_of_trials_has_its_law",
        note="whose best costs three times a trial's price, not twice",
    ),
    Bug(
        name="tuning-no-fewer-trials-than-candidates",
        file="src/tacit/curator/vectors/pay_for_vector_sums.py",
        before="for _ in range(draw_trials(trials.stop)):",
        after="for _ in range(max(draw_trials(trials.stop), trials.candidates)):",
        killed_by=f"{LAWS}::test_only_the_best_of_independent_trials_leaves",
        note="the price holds for a random number alone",
    ),
    Bug(
        name="tuning-tries-the-next-candidate",
        file="src/tacit/curator/vectors/pay_for_vector_sums.py",
        before="begin(below(trials.candidates))",
        after="begin((trials.candidates, 0 if best is None else 1))",
        killed_by=f"{LAWS}::test_only_the_best_of_independent_trials_leaves",
        note="trials have to be independent, and all of one law",
    ),
    Bug(
        name="tuning-the-last-of-equals",
        file="src/tacit/curator/vectors/pay_for_vector_sums.py",
        before="if best is None or score > highest:",
        after="if best is None or score >= highest:",
        killed_by=f"{LAWS}::test_only_the_best_of_independent_trials_leaves",
        note="harmless for the price; but the same bytes are to give the same model",
    ),
    Bug(
        name="tuning-the-smaller-end-of-the-losses",
        file=PRICES,
        before="divergence = (share * above.max(below)).log1p() / s",
        after="divergence = (share * above.min(below)).log1p() / s",
        killed_by=f"{LAWS}::test_no_law_of_that_second_moment_has_a_larger_divergence",
        note="both ends are possible: the larger counts",
    ),
    Bug(
        name="tuning-orders-judged-by-their-upper-end",
        file=PRICES,
        before="worst = max(worst, upper(divergence.min(cut) / ball(order)))",
        after="worst = max(worst, upper(divergence.min(cut) / ball(order * 2)))",
        killed_by=f"{LAWS}::test_no_law_of_that_second_moment_has_a_larger_divergence",
        note="a divergence grows between two orders",
    ),
    Bug(
        name="tuning-without-the-tilt",
        file=PRICES,
        before="spread = (lost + moved)",
        after="spread = (lost)",
        killed_by=f"{LAWS}::test_the_tilt_and_the_second_moment_bound_those_of_gaussian_trials",
        note="the probability of being best moves, too",
    ),
    Bug(
        name="tuning-as-if-a-trial-were-not-chosen",
        file=PRICES,
        before="lost = _root_mean_square_loss(price, _entropy(chance))",
        after="lost = _root_mean_square_loss(price, ball(0))",
        killed_by=f"{LAWS}::test_the_tilt_and_the_second_moment_bound_those_of_gaussian_trials",
        note="the best of many trials is an unlikely outcome of one",
    ),
    Bug(
        name="tuning-half-of-the-entropy",
        file=PRICES,
        before="((1 - stop) / range_of_tilt).log() + range_of_tilt / 2",
        after="((1 - stop) / range_of_tilt).log() + range_of_tilt / 4",
        killed_by=f"{LAWS}::test_the_tilt_and_the_second_moment_bound_those_of_gaussian_trials",
        note="the chance of being best is uniform in its logarithm: half of the range in the mean",
    ),
    Bug(
        name="tuning-half-of-the-tilt",
        file=PRICES,
        before="return rho + (2 * rho * range_of_tilt).sqrt()",
        after="return rho + (rho * range_of_tilt).sqrt()",
        killed_by=f"{LAWS}::test_the_tilt_and_the_second_moment_bound_those_of_gaussian_trials",
        note="Gaussian trials come close to the bound",
    ),
    Bug(
        name="tuning-a-loss-without-its-tail",
        file=PRICES,
        before="entropy + rho / 4 - (1 - part).log() / 2",
        after="entropy + rho / 4",
        killed_by=f"{LAWS}::test_the_tilt_and_the_second_moment_bound_those_of_gaussian_trials",
        note="what a trial's own loss is in the mean, before any choice",
    ),
    Bug(
        name="tuning-scores-without-weights",
        file="src/tacit/curator/vectors/exact_vector_sums.py",
        before="yield as_integers(np.array([(weights * (total.argmax(1) == block.target)).sum()]))",
        after="yield as_integers(np.array([(weights.max(initial=0) * (total.argmax(1) == block.target)).sum()]))",
        killed_by="tests/laws/test_vectors.py::test_no_unit_moves_a_sum_further_than_claimed",
        note="a unit with many rows would count with all of them",
    ),
]
