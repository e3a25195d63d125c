"""Bugs planted where it is told what was charged before and never answered."""

from tests.teeth.bug import Bug

CURATOR = "src/tacit/curator"
UNPAID = "tests/unit/curator/test_read_only_ledger.py"
SERVER = "tests/unit/server/test_paid_before.py"

BUGS = [
    Bug(
        name="charges-of-running-slots-are-paid",
        file=f"{CURATOR}/hide_new_ledger_entries.py",
        before="return (view.entry(each) for each in super().find_charged(key) if view.shows(each.number))",
        after="return (view.entry(each) for each in super().find_charged(key))",
        killed_by="tests/attacks/test_free_reads.py::test_explanations_do_not_tell_whether_a_running_question_failed",
        note="whoever polls explanations would see when a running question is charged",
    ),
    Bug(
        name="what-others-have-paid-is-ones-own",
        file=f"{CURATOR}/budget.py",
        before="own = (each for each in access.ledger.find_charged(key) if each.analyst == access.analyst)",
        after="own = access.ledger.find_charged(key)",
        killed_by=f"{UNPAID}::test_what_somebody_else_has_paid_is_not_ones_own",
        note="an explanation would tell which questions of others failed",
    ),
    Bug(
        name="a-lower-charge-pays-for-more",
        file=f"{CURATOR}/budget.py",
        before="not any(charge.fits(each.charge) for each in own)",
        after="not any(True for each in own)",
        killed_by=f"{UNPAID}::test_what_was_charged_and_not_answered_is_already_paid",
        note="an explanation would promise for nothing what the ledger charges",
    ),
    Bug(
        name="several-parts-are-never-paid",
        file=f"{CURATOR}/ask_combined.py",
        before="return with_earlier_charge(access, with_own_limit(access, whole, charge), asked.key, charge)",
        after="return with_own_limit(access, whole, charge)",
        killed_by=f"{SERVER}::test_after_a_crash_the_desk_answers_what_is_paid",
        note="after a crash a server would refuse what is paid",
    ),
    Bug(
        name="what-is-paid-takes-from-the-day",
        file="src/tacit/server/ask_in_slot.py",
        before="share=0.0 if found.free else found.share",
        after="share=found.share",
        killed_by=f"{SERVER}::test_after_a_failing_engine_what_is_paid_is_answered_and_counts_once",
        note="a question whose rows could not be read would count twice for the day",
    ),
    Bug(
        name="what-seemed-paid-is-not-counted",
        file="src/tacit/server/ask_in_slot.py",
        before="elif not share:\n",
        after="elif share < 0:\n",
        killed_by=f"{SERVER}::test_what_is_charged_anew_after_all_is_counted_for_the_day",
        note="who asks while a table is refreshed would be answered beyond the allowance",
    ),
]
