"""Bugs of the core: what a ledger takes for a crash's doing, what counts as exact, what is stored and shown."""

from tests.teeth.bug import Bug

WINDOWS = "tests/unit/curator/answer/test_group_windows.py"
SIZES = "tests/unit/curator/pricing/test_answer_size.py"
FORGED = "tests/unit/ledger/test_forged_charges.py"

BUGS: list[Bug] = [
    Bug(
        name="tail-above-the-limit",
        file="src/tacit/ledger/verification.py",
        before="            _check_new_charges(session, before, since, limits)\n",
        after="",
        killed_by=f"{FORGED}::test_a_charge_above_a_limit_is_not_taken_for_what_a_crash_left",
        note="who can write the database buys an answer that nobody could afford",
    ),
    Bug(
        name="limits-raised-in-the-tail",
        file="src/tacit/ledger/verification.py",
        before="            limits = [fields, policy]\n",
        after="            limits = [fields]\n",
        killed_by=f"{FORGED}::test_limits_that_are_raised_without_the_anchor_pay_for_nothing",
        note="a limit that the policy does not know is the forger's own",
    ),
    Bug(
        name="verification-without-limits",
        file="src/tacit/ledger/verification.py",
        before="            _check_within(record, payer, self._spent[payer], [self._limited])\n",
        after="",
        killed_by=f"{FORGED}::test_a_charge_above_a_limit_is_not_taken_for_what_a_crash_left",
        note="what adopting reads in full, it must not take either",
    ),
    Bug(
        name="counts-in-a-noisy-order-are-exact",
        file="src/tacit/curator/answer/group_windows.py",
        before="            return self._counts_in_noisy_order(expression, places, ends, confidence)\n",
        after="            pass\n",
        killed_by=f"{WINDOWS}::test_the_exact_value_lies_within_the_interval",
        note="how many groups come up to this one is as noisy as its rank",
    ),
    Bug(
        name="long-keys-are-kept-whatever-they-take",
        file="src/tacit/curator/pricing/unknown_key_threshold.py",
        before="    if sum(lengths) <= room:\n",
        after="    if lengths:\n",
        killed_by=f"{SIZES}::test_long_keys_are_let_go_as_far_as_there_is_room",
        note="a cheap question fills the ledger with texts",
    ),
    Bug(
        name="a-changed-source-is-replayed",
        file="src/tacit/curator/record/table_version_by_source.py",
        before="                ledger.refresh(each)\n",
        after="                pass\n",
        killed_by="tests/unit/curator/record/test_table_version_by_source.py::test_another_source_asks_anew_of_the_table_and_of_those_that_follow_it",
        note="the answer is about rows that the policy does not name any more",
    ),
    Bug(
        name="csv-with-control-codes",
        file="src/tacit/printing.py",
        before='_CONTROLS.sub("·", text)',
        after="text",
        killed_by="tests/unit/test_printing.py::test_a_cell_of_a_spreadsheet_moves_no_cursor",
        note="`cat answer.csv` is a terminal, too",
    ),
]
