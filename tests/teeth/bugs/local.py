"""Bugs planted in the room local, and in the loss of shuffled reports."""

from tests.teeth.bug import Bug

LAWS = "tests/laws/test_local.py"
SHUFFLE = "tests/laws/test_shuffle.py"
UNIT = "tests/unit/local"
LOCAL = "src/tacit/local"

BUGS = [
    Bug(
        name="last-bit-never-randomised",
        file=f"{LOCAL}/unary.py",
        before="return hex_of([draws.coin(coin.yes, coin.no) for coin in coins])",
        after=(
            "drawn = [draws.coin(coin.yes, coin.no) for coin in coins]\n"
            "        return hex_of([*drawn[:-1], index == len(self.values) - 1])"
        ),
        killed_by=f"{LAWS}::test_encode_has_the_exact_law[unary, optimised]",
        note="one value in k is told as it is",
    ),
    Bug(
        name="held-bit-keeps-the-coin-of-the-others",
        file=f"{LOCAL}/unary.py",
        before="bits[np.arange(len(some)), some] = draws.coins(held.yes, held.no, len(some))",
        after="bits[np.arange(len(some)), some] |= draws.coins(held.yes, held.no, len(some))",
        killed_by=f"{LAWS}::test_many_at_once_have_the_same_law[unary, optimised]",
        note="many at once have another law than one, and a larger loss",
    ),
    Bug(
        name="length-that-identifies-the-input",
        file=f"{LOCAL}/bits.py",
        before="return bytes(np.packbits(np.array(bits, dtype=np.bool_))).hex()",
        after='return bytes(np.packbits(np.array(bits, dtype=np.bool_))).hex().rstrip("0")',
        killed_by=f"{LAWS}::test_the_length_of_a_report_says_nothing[unary, optimised]",
        note="a report whose length depends on its last bit set is told by its length",
    ),
    Bug(
        name="wrong-hash-range",
        file=f"{LOCAL}/local_hashing.py",
        before="place = (place + 1 + draws.below(self.family.prime - 1)) % self.family.prime",
        after="place = (place + 1 + draws.below(self.family.prime)) % self.family.prime",
        killed_by=f"{LAWS}::test_encode_has_the_exact_law[local hashing]",
        note="a lie may be the truth: the odds are others than those claimed",
    ),
    Bug(
        name="hash-by-a-number-that-is-not-prime",
        file=f"{LOCAL}/hashing.py",
        before="return number > 1 and all(number % each for each in range(2, int(number**0.5) + 1))",
        after="return number > 1",
        killed_by=f"{UNIT}/test_hashing.py::test_a_family_needs_a_prime_and_seeds_that_fit",
        note="values whose difference shares a factor with the places meet too often: counts are biased",
    ),
    Bug(
        name="estimator-that-forgets-q",
        file=f"{LOCAL}/frequencies.py",
        before="return (self.supports[self.protocol.index_of(value)] - self.people * q) / (p - q)",
        after="return Fraction(self.supports[self.protocol.index_of(value)]) / p",
        killed_by=f"{LAWS}::test_estimates_are_unbiased_and_have_the_stated_variance[k-ary]",
        note="lies are counted as truths",
    ),
    Bug(
        name="memo-keyed-by-the-report",
        file=f"{LOCAL}/memo.py",
        before="key = self._key(value)",
        after="key = self._protocol.encode(value)  # type: ignore[arg-type]",
        killed_by=f"{UNIT}/test_memo.py::test_reports_are_kept_by_the_value",
        note="every report is fresh, and averaging reveals the value",
    ),
    Bug(
        name="odds-rounded-up",
        file=f"{LOCAL}/odds.py",
        before="return cls(int(grown), 1 << _PLACES)",
        after="return cls(int(grown) + 1, 1 << _PLACES)",
        killed_by=f"{UNIT}/test_odds.py::test_odds_never_exceed_the_price",
        note="the report costs more than was asked",
    ),
    Bug(
        name="a-tie-of-coins-is-tails",
        file=f"{LOCAL}/draws.py",
        before="        if rest:\n            tied",
        after="        if rest < 0:\n            tied",
        killed_by=f"{UNIT}/test_draws.py::test_many_coins_have_the_exact_probability",
        note="the probability is rounded to 16 bits, and the claimed one is another",
    ),
    Bug(
        name="client-uniform-by-remainder",
        file=f"{LOCAL}/draws.py",
        before="            if drawn < bound:\n                return drawn",
        after="            return drawn % bound",
        killed_by=f"{UNIT}/test_draws.py::test_every_integer_below_the_bound_is_equally_likely[3]",
        note="small numbers are twice as likely",
    ),
    Bug(
        name="rappor-lasts-by-one-bit",
        file=f"{LOCAL}/rappor.py",
        before="return ((2 - self.lie) / self.lie) ** 2",
        after="return (2 - self.lie) / self.lie",
        killed_by=f"{UNIT}/test_rappor.py::test_the_permanent_bits_themselves_cost_the_lasting_loss",
        note="two values differ in two permanent bits",
    ),
    Bug(
        name="subset-with-one-other-too-many",
        file=f"{LOCAL}/subset.py",
        before="chosen[every, place] |= ~inside if last == width - 1 - self.size else True",
        after="chosen[every, place] = True",
        killed_by=f"{LAWS}::test_many_at_once_have_the_same_law[subsets of two]",
        note="a set with the true value is larger than one without it",
    ),
    Bug(
        name="sign-of-the-row-flipped-by-the-truth",
        file=f"{LOCAL}/hadamard.py",
        before="bits ^= draws.coins(self.odds.lie, self.odds.truth, len(indices))",
        after="bits ^= draws.coins(self.odds.truth, self.odds.lie, len(indices))",
        killed_by=f"{LAWS}::test_many_at_once_have_the_same_law[Hadamard]",
        note="the two coins differ in which side is the lie",
    ),
    Bug(
        name="window-one-cell-wider-outside",
        file=f"{LOCAL}/means.py",
        before="return outside if outside < place else outside + self.window",
        after="return outside if outside <= place else outside + self.window",
        killed_by=f"{LAWS}::test_a_number_is_encoded_by_the_exact_law[piecewise]",
        note="the first cell of the window is likelier than its weight, the cell behind it impossible",
    ),
    Bug(
        name="interval-with-the-variance-of-an-absent-value",
        file=f"{LOCAL}/frequencies.py",
        before="slope = float(p * (1 - p) - q * (1 - q))",
        after="slope = 0.0 * float(p)",
        killed_by="tests/laws/test_local_intervals.py::test_intervals_cover_as_often_as_they_say[local hashing]",
        note="a frequent value has another variance than an absent one",
    ),
    Bug(
        name="a-report-counts-as-often-as-it-is-sent",
        file=f"{LOCAL}/collecting.py",
        before="self.seen.add(number)",
        after="pass",
        killed_by=f"{UNIT}/test_collecting.py::test_a_duplicate_counts_once_wherever_it_stands",
        note="one report sent a thousand times is a thousand people",
    ),
    Bug(
        name="a-question-ends-the-script",
        file=f"{LOCAL}/page.py",
        before='told.replace("<", "\\\\u003c").replace(">", "\\\\u003e").replace("&", "\\\\u0026")',
        after="told",
        killed_by=f"{UNIT}/test_questionnaire.py::test_no_text_of_a_questionnaire_ends_a_script",
        note="a text of the questionnaire is run by who answers",
    ),
    Bug(
        name="survey-costs-its-dearest-question",
        file=f"{LOCAL}/questionnaire.py",
        before="ratio *= question.protocol.ratio",
        after="ratio = max(ratio, question.protocol.ratio)",
        killed_by=f"{UNIT}/test_questionnaire.py::test_a_person_pays_the_sum_of_all_questions",
        note="answers of one person add up",
    ),
    Bug(
        name="every-randomiser-shuffled-like-a-response",
        file="src/tacit/privacy/shuffle.py",
        before="        rate = 2 / (odds + 1) if loss.response else 1 / odds\n        masses",
        after="        rate = 2 / (odds + 1)\n        masses",
        killed_by=f"{SHUFFLE}::test_the_bound_is_that_of_the_exact_sum[7-False]",
        note="twice the clones, for which there is no proof",
    ),
    Bug(
        name="blocks-judged-by-their-most-clones",
        file="src/tacit/privacy/shuffle.py",
        before="for first, mass in zip(edges[:-1], sums, strict=True)",
        after="for first, mass in zip(edges[1:], sums, strict=True)",
        killed_by=f"{SHUFFLE}::test_blocks_widen_the_bound_a_little_and_never_narrow_it[False]",
        note="delta falls with the clones: the bound is below the truth",
    ),
]
