"""Bugs of watches: what is compared, what all answers cost, and what a restart may forget."""

from tests.teeth.bug import Bug

WATCH = "src/tacit/curator/watch_threshold.py"
TERMS = "src/tacit/curator/pricing/threshold_watch_price.py"
LAWS = "tests/laws/test_watch.py"

BUGS = [
    Bug(
        name="watch-paid-before-its-key-is-read",
        file=WATCH,
        before="    secret = access.secret()  # a key that",
        after="    secret = bytes(32)  # a key that",
        killed_by=f"{LAWS}::test_a_key_that_cannot_be_read_is_noticed_before_anything_is_paid",
        note="a damaged key would be noticed once the watch is paid for",
    ),
    Bug(
        name="watch-steps-of-half-a-unit",
        file=TERMS,
        before="* STEPS / self.sensitivity.bound)",
        after="* 2 * STEPS / self.sensitivity.bound)",
        killed_by=f"{LAWS}::test_what_is_compared_moves_no_further_than_is_claimed",
        note="what is compared would move twice as far as the noise hides",
    ),
    Bug(
        name="watch-compares-rows-instead-of-what-a-unit-moves",
        file=TERMS,
        before="* STEPS / self.sensitivity.bound)",
        after="* STEPS * self.worth)",
        killed_by=f"{LAWS}::test_what_is_compared_moves_no_further_than_is_claimed",
        note="a unit of several rows, or of large values, moves more than one row",
    ),
    Bug(
        name="watch-monotone-although-sums-have-both-signs",
        file=TERMS,
        before="if monotone and not (_grows(measure) and is_monotone(question, limit.neighbours)):",
        after="if monotone and not _grows(question):",
        killed_by=f"{LAWS}::test_a_monotone_watch_refuses_what_may_shrink",
        note="half the noise is enough only where all numbers move the same way",
    ),
    Bug(
        name="watch-monotone-whichever-way-it-goes",
        file=TERMS,
        before="(_grows(measure) and is_monotone(question, limit.neighbours))",
        after="is_monotone(question, limit.neighbours)",
        killed_by=f"{LAWS}::test_a_monotone_watch_refuses_what_may_shrink",
        note="a sum that falls beside a count that grows moves the other way",
    ),
    Bug(
        name="watch-monotone-under-replace",
        file=TERMS,
        before="same_way = adding if monotone is None else bool(monotone)",
        after="same_way = True if monotone is None else bool(monotone)",
        killed_by=f"{LAWS}::test_no_watch_is_monotone_where_units_are_replaced",
        crashes="InvalidInput",
        note="who replaces another moves one number up and the next one down",
    ),
    Bug(
        name="watch-every-line-at-the-price-of-all",
        file=TERMS,
        before="(_epsilon_of(amount / many), 1)",
        after="(_epsilon_of(amount), 1)",
        killed_by=f"{LAWS}::test_the_rho_of_all_lines_is_the_price_and_hardly_less",
        note="each line of questions costs",
    ),
    Bug(
        name="watch-epsilon-of-rho-as-if-it-were-a-bounded-range",
        file=TERMS,
        before="return upper(PureLoss(epsilon).rho())",
        after="return epsilon**2 / 8",
        killed_by=f"{LAWS}::test_the_rho_of_all_lines_is_the_price_and_hardly_less",
        note="above-threshold is pure, and no exponential mechanism",
    ),
    Bug(
        name="watch-one-yes-paid-many-given",
        file=TERMS,
        before="if concentrated else (amount, many)",
        after="if concentrated else (amount, 1)",
        killed_by=f"{LAWS}::test_one_line_serves_all_answers_of_a_pure_watch",
        note="each yes costs",
    ),
    Bug(
        name="watch-one-threshold-for-all-lines",
        file=WATCH,
        before="line = self._lines[self._given if len(self._lines) > 1 else 0]",
        after="line = self._lines[0]",
        killed_by=f"{LAWS}::test_what_is_told_is_what_the_mechanism_says_of_the_steps",
        note="with a delta each line is priced as a session of its own, with a threshold of its own",
    ),
    Bug(
        name="watch-threshold-without-noise",
        file=WATCH,
        before="drawn = [terms.mechanism.draw_threshold(0) for _ in range(terms.lines)]",
        after="drawn = [0 for _ in range(terms.lines)]",
        killed_by=f"{LAWS}::test_what_is_told_is_what_the_mechanism_says_of_the_steps",
        note="Chen et al. 2015: every no would cost",
    ),
    Bug(
        name="watch-tells-the-exact-comparison",
        file=WATCH,
        before="return self._terms.mechanism.is_above(steps, line)",
        after="return steps >= line",
        killed_by=f"{LAWS}::test_what_is_told_is_what_the_mechanism_says_of_the_steps",
        note="Stoddard et al. 2014: values without noise",
    ),
    Bug(
        name="watch-draws-a-new-threshold-after-a-restart",
        file=WATCH,
        before="        self._lines = _read_sealed(access, entry)\n",
        after=(
            "        self._lines = _read_sealed(access, entry)\n"
            "        self._lines = [terms.mechanism.draw_threshold(0) for _ in self._lines]\n"
        ),
        killed_by=f"{LAWS}::test_another_process_goes_on_with_the_same_thresholds",
        note="each new threshold is a release of its own, and nobody paid for it",
    ),
    Bug(
        name="watch-threshold-in-the-clear",
        file=WATCH,
        before='_build_stored(terms, {**_terms_said(access), "watch": said})',
        after='_build_stored(terms, {**_terms_said(access), "watch": {**said, "lines": drawn}})',
        killed_by=f"{LAWS}::test_the_thresholds_are_sealed_in_the_ledger",
        note="who knows the noisy threshold learns from every no",
    ),
    Bug(
        name="watch-never-ends",
        file=WATCH,
        before='"given": self._given + above,',
        after='"given": self._given,',
        killed_by=f"{LAWS}::test_no_more_answers_are_given_than_were_paid_for",
        note="any number of yeses for the price of a few",
    ),
    Bug(
        name="watch-tells-what-was-not-recorded",
        file=WATCH,
        before=(
            "                self._catch_up()\n"
            "                if name in self._seen:\n"
            "                    return self._seen[name].above\n"
        ),
        after=(
            "                if not entry.is_answered:\n"
            "                    return above\n"
            "                self._catch_up()\n"
        ),
        killed_by=f"{LAWS}::test_two_who_ask_at_once_take_two_places",
        note="who comes second to a place has no answer, and two would have had the last yes",
    ),
    Bug(
        name="watch-a-place-for-every-question",
        file=WATCH,
        before="        place = self._asks\n",
        after="        place = len(list(self._access.ledger.entries()))\n",
        killed_by=f"{LAWS}::test_a_failing_engine_tells_nothing_and_its_place_is_taken_later",
        note="two who ask at once would both be first",
    ),
    Bug(
        name="watch-looks-before-its-place-is-taken",
        file=WATCH,
        before="                entry = self._take_place()\n",
        after="                self._compare(engine, compared)\n                entry = self._take_place()\n",
        killed_by=f"{LAWS}::test_a_watch_is_paid_for_once_and_before_rows_are_read",
        note="a refusal of the ledger would come after the look",
    ),
    Bug(
        name="watch-same-name-on-other-terms",
        file=WATCH,
        before='        "threshold": str(terms.threshold),\n',
        after='        "threshold": "",\n',
        killed_by=f"{LAWS}::test_other_terms_are_another_watch",
        note="answers about one threshold would be told about another",
    ),
    Bug(
        name="watch-shared-by-analysts",
        file=WATCH,
        before='return tag(b"watch", access.analyst, 0,',
        after='return tag(b"watch", None, 0,',
        killed_by=f"{LAWS}::test_an_analyst_has_watches_of_her_own",
        note="answers would be replayed to whom the policy does not replay them",
    ),
    Bug(
        name="watch-tells-what-the-engine-said",
        file=WATCH,
        before="        with suppress(Exception):\n            exact = engine.evaluate",
        after="        with suppress(ValueError):\n            exact = engine.evaluate",
        killed_by=f"{LAWS}::test_a_failing_engine_tells_nothing_and_its_place_is_taken_later",
        crashes="RuntimeError",
        note="an engine's error may quote a cell",
    ),
    Bug(
        name="sealed-in-name-only",
        file="src/tacit/exact/sealing.py",
        before="return nonce + _cipher(sealing_key).encrypt(nonce, secret, bound_to)",
        after="return nonce + _cipher(sealing_key).encrypt(nonce, b'', bound_to + secret) + secret",
        killed_by="tests/unit/exact/test_sealing.py::test_sealed_bytes_do_not_hold_the_secret_and_are_others_each_time",
        note="a tag without a cipher",
    ),
    Bug(
        name="sealed-for-every-place",
        file="src/tacit/exact/sealing.py",
        before="return _cipher(sealing_key).decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], bound_to)",
        after="return _cipher(sealing_key).decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], bound_to[:5] + b' 1')",
        killed_by="tests/unit/exact/test_sealing.py::test_another_key_another_place_or_altered_bytes_do_not_open",
        note="one watch's threshold would serve another",
    ),
    Bug(
        name="a-key-that-everybody-reads",
        file="src/tacit/curator/record/encryption_key.py",
        before="os.O_EXCL, 0o600)",
        after="os.O_EXCL, 0o644)",
        killed_by="tests/unit/curator/record/test_encryption_key.py::test_a_key_in_a_folder_stays_the_same_and_belongs_to_its_owner",
        note="other users of the machine could open what is sealed",
    ),
]
