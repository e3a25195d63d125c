"""Bugs planted in the room ledger."""

from tests.teeth.bug import Bug

LEDGERS = "tests/laws/test_ledgers.py"
MEMORY = "src/tacit/ledger/memory.py"

BUGS = [
    Bug(
        name="ledger-check-outside-the-lock",
        file=MEMORY,
        before="""        with self._one_at_a_time:
            for place in self._by_key""",
        after="""        if True:
            for place in self._by_key""",
        killed_by=f"{LEDGERS}::test_racing_threads_are_granted_exactly_what_fits[1-memory]",
        note="sixteen threads all find that the last unit is left, and all spend it",
    ),
    Bug(
        name="ledger-lower-price-charged-again",
        file=MEMORY,
        before="if price.fits(self._entries[place].charge):",
        after="if price == self._entries[place].charge:",
        killed_by=f"{LEDGERS}::test_a_lower_price_is_free_and_has_the_earlier_answer[pure-memory]",
        note="noise that was paid for is paid for again",
    ),
    Bug(
        name="ledger-higher-price-for-nothing",
        file=MEMORY,
        before="if price.fits(self._entries[place].charge):",
        after="if self._entries[place].key == key:",
        killed_by=f"{LEDGERS}::test_a_price_is_higher_if_either_part_of_it_is[memory]",
        note="the first question at a tiny price buys every later one at any price",
    ),
    Bug(
        name="ledger-analyst-not-held",
        file=MEMORY,
        before="            for payer in {None, analyst}:\n",
        after="            for payer in {None}:\n",
        killed_by=f"{LEDGERS}::test_an_analyst_is_held_at_the_smaller_of_both_limits[part0-pure-memory]",
        note="what an analyst spends is added to everyone's sum and not to the analyst's own",
    ),
    Bug(
        name="ledger-limit-for-everyone-not-checked-for-analysts",
        file=MEMORY,
        before="            self._check(price, None, self._limit)\n            if analyst in self._analysts:",
        after="            if not analyst:\n                self._check(price, None, self._limit)\n            else:",
        killed_by=f"{LEDGERS}::test_all_analysts_together_are_held_at_the_limit_for_everyone[pure-memory]",
        note="analysts who collude spend the sum of their limits",
    ),
    Bug(
        name="ledger-recorded-before-it-is-checked",
        file=MEMORY,
        before="            self._check(price, None, self._limit)\n            if analyst in",
        after="            self._by_key.setdefault(key, []).append(len(self._entries))\n"
        "            self._check(price, None, self._limit)\n            if analyst in",
        killed_by=f"{LEDGERS}::test_a_ledger_behaves_like_a_list_that_is_added_up_each_time[pure-memory]",
        note="a refused question leaves its key behind, and finds the next entry, whose answer it gets",
    ),
    Bug(
        name="ledger-last-answer-wins",
        file=MEMORY,
        before="            if known.payload is None:\n",
        after="            if payload != known.payload:\n",
        killed_by=f"{LEDGERS}::test_an_answer_is_stored_once_and_replayed_byte_for_byte[memory]",
        note="two draws of noise leave for one charge, and their mean is twice as exact",
    ),
    Bug(
        name="ledger-spent-counts-the-last-charge-only",
        file=MEMORY,
        before="self._spent[payer] = self._total(payer) + price",
        after="self._spent[payer] = price",
        killed_by=f"{LEDGERS}::test_as_many_charges_are_granted_as_fit_and_not_one_more[0-3-pure-memory]",
        note="every charge that fits alone is granted",
    ),
]
