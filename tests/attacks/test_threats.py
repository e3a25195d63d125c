"""The threats that came with the server, each with the tests that try it and the planted bugs that they detect."""

from pathlib import Path

import pytest

from tests.attacks.wire_threats import WIRE_THREATS
from tests.teeth.bug import all_bugs

ROOT = Path(__file__).resolve().parents[2]
ATTACKS, LAWS, UNIT = "tests/attacks", "tests/laws", "tests/unit/server"
HIDING = "tests/unit/curator/test_hide_new_ledger_entries.py"
SLOTS, FREE = f"{ATTACKS}/test_slots.py", f"{ATTACKS}/test_free_reads.py"
FORGED, SECRETS = f"{ATTACKS}/test_forged_requests.py", f"{ATTACKS}/test_server_secrets.py"
CUT, DOORS = f"{ATTACKS}/test_cut_connections.py", f"{LAWS}/test_doors.py"

# threat: (tests, planted bugs)
THREATS = {
    "the time of a paid answer tells about rows": (
        [
            f"{SLOTS}::test_when_two_hundred_answers_leave_tells_nothing_of_the_rows",
            f"{SLOTS}::test_when_two_thousand_answers_leave_tells_nothing_of_the_rows",
        ],
        ["answers-leave-when-they-are-ready", "late-answers-leave-when-they-are-ready", "no-slots"],
    ),
    "the time in a queue tells about the rows of others": (
        [f"{SLOTS}::test_queueing_behind_somebody_else_tells_nothing_of_their_rows"],
        ["workers-not-reserved", "queues-tell-of-others"],
    ),
    "free reads tell what a slot has written before it ends": (
        [f"{FREE}::test_nothing_that_is_free_changes_before_the_slot_ends"],
        ["free-reads-show-what-slots-wrote"],
    ),
    "a second server shows what a slot of the first has written": (
        [
            f"{UNIT}/test_serve_vault.py::test_a_vault_has_one_server",
            f"{UNIT}/test_shared_tables.py::test_a_server_hides_what_is_written_in_slots_of_another",
            "tests/laws/test_two_servers.py::test_two_servers_keep_one_limit_and_know_the_same_people",
        ],
        ["two-servers-of-one-vault", "servers-have-boards-of-their-own"],
    ),
    "a free read that lasts into a slot sees into it": (
        [
            f"{HIDING}::test_a_read_that_began_before_a_slot_sees_nothing_of_it",
            f"{HIDING}::test_a_slot_that_begins_while_a_read_does_is_hidden_from_it",
        ],
        ["reads-see-what-slots-write-later", "the-board-is-read-before-the-ledger"],
    ),
    "a failure tells about rows": (
        [
            f"{DOORS}::test_what_fails_in_a_look_says_one_sentence_when_its_slot_ends",
            f"{SECRETS}::test_a_mistake_anywhere_is_one_constant_text",
        ],
        ["mistakes-are-told", "failures-are-told"],
    ),
    "a retry, or a connection that is cut, is charged twice": (
        [
            f"{CUT}::test_a_request_that_is_cut_after_a_chunk_is_charged_once",
            f"{CUT}::test_a_response_that_is_cut_after_a_piece_is_charged_once",
            f"{UNIT}/test_idempotency.py::test_a_key_pins_the_answer_also_after_a_refresh",
        ],
        [
            "every-try-has-another-key",
            "keys-do-not-pin",
            "crashed-keys-ask-the-new-rows",
            "answers-are-not-kept",
        ],
    ),
    "a crash between charge and answer is charged twice, or lets go what was not paid for": (
        [
            f"{LAWS}/test_server_crashes.py::test_fifty_killed_servers_charge_each_answer_once_and_keep_it",
            f"{LAWS}/test_server_crashes.py::test_servers_that_are_wrong_are_caught",
        ],
        [],  # that module plants its own, in processes of their own
    ),
    "which names there are is told by messages or by time": (
        [
            f"{UNIT}/test_identities.py::test_every_reason_not_to_sign_in_looks_alike",
            f"{UNIT}/test_identities.py::test_one_hash_is_checked_whoever_tries",
            f"{DOORS}::test_only_who_has_a_password_comes_in",
        ],
        ["unknown-names-are-not-hashed"],
    ),
    "passwords and tokens are guessed": (
        [
            f"{UNIT}/test_people.py::test_a_stranger_keeps_nobody_out",
            f"{UNIT}/test_identities.py::test_the_file_signs_nobody_in",
        ],
        ["guesses-from-many-places-are-not-counted", "tokens-kept-in-the-clear"],
    ),
    "a stranger keeps a person out": (
        [f"{UNIT}/test_people.py::test_a_stranger_keeps_nobody_out"],
        ["strangers-lock-people-out", "many-strangers-lock-people-out"],
    ),
    "one analyst reads what is another's": (
        [
            f"{FORGED}::test_each_role_gets_in_where_the_table_says_so",
            f"{UNIT}/test_ledger_views.py::test_receipts_and_history_are_ones_own",
        ],
        ["jobs-of-others-are-read", "receipts-of-others-are-read"],
    ),
    "a role does what is another's": (
        [
            f"{FORGED}::test_every_route_of_the_interface_is_in_the_table",
            f"{FORGED}::test_each_role_gets_in_where_the_table_says_so",
            f"{DOORS}::test_an_auditor_asks_nothing",
            f"{UNIT}/test_rights.py::test_each_role_may_do_what_is_written_here_and_nothing_else",
        ],
        ["every-role-may-do-everything"],
    ),
    "one analyst spends everyone's limit": (
        [
            f"{LAWS}/test_last_unit.py::test_the_last_unit_is_spent_once",
            f"{UNIT}/test_desk.py::test_an_analyst_without_a_limit_is_refused",
        ],
        [
            "analysts-without-a-limit-are-served",
            "payer-stays-the-same",
            "allowance-not-compared",
            "limits-are-not-the-ledgers",
        ],
    ),
    "a browser is made to send what nobody meant": (
        [
            f"{FORGED}::test_no_unsafe_request_of_a_browser_counts_unless_a_page_of_ours_sent_it",
            f"{FORGED}::test_every_page_that_changes_something_refuses_what_no_page_of_ours_sent",
        ],
        ["forged-requests-count", "other-sites-may-send", "sessions-not-signed"],
    ),
    "keys found in data carry mark-up": (
        [
            f"{UNIT}/http/test_charts.py::test_whatever_a_key_holds_it_is_text",
            f"{UNIT}/http/test_pages.py::test_what_people_type_stays_text",
        ],
        ["keys-are-mark-up-in-a-chart", "pages-are-not-escaped"],
    ),
    "errors, headers and logs hold what is private or secret": (
        [
            f"{SECRETS}::test_a_mistake_anywhere_is_one_constant_text",
            f"{SECRETS}::test_no_secret_and_no_text_of_a_question_is_logged",
            f"{UNIT}/test_people.py::test_refused_sign_ins_are_logged_with_name_and_address",
            f"{DOORS}::test_a_mistake_of_ours_says_one_sentence",
        ],
        ["anything-is-logged", "wrong-names-are-logged"],
    ),
    "requests of any shape break the server": (
        [
            f"{ATTACKS}/test_openapi.py::test_no_request_fails_or_is_answered_by_what_is_not_declared",
            f"{UNIT}/http/test_app.py::test_what_is_not_found_is_declared_where_something_is_named",
            f"{UNIT}/http/test_authenticate_requests.py::test_a_body_within_the_limit_passes_and_a_longer_one_does_not",
        ],
        ["long-lengths-are-read", "problems-are-not-declared"],
    ),
    "a parameter breaks out of its place": (
        [
            "tests/unit/plan/sql/test_parameters.py::test_no_value_becomes_syntax",
            "tests/unit/remote/test_vault.py::test_parameters_are_bound_either_way",
        ],
        ["parameters-become-floats", "parameters-left-at-home"],
    ),
    "a policy changes under a running server": (
        [
            f"{UNIT}/test_desk.py::test_new_limits_are_read_once_or_refused",
            f"{UNIT}/test_desk.py::test_an_old_copy_of_the_policy_never_sets_limits_back",
        ],
        ["old-copies-set-limits-back"],
    ),
    "sessions outlive a change of rights": (
        [
            f"{FORGED}::test_a_session_ends_with_a_change_of_rights",
            f"{UNIT}/test_identities.py::test_what_was_signed_before_a_change_counts_no_more",
            f"{DOORS}::test_who_is_disabled_is_out_at_once",
        ],
        ["old-sessions-count", "disabled-people-come-in", "links-used-twice"],
    ),
    "answers and tokens cross the network in the clear": (
        [f"{UNIT}/test_serve_vault.py::test_without_tls_only_this_machine_is_served"],
        ["served-to-everybody-without-tls"],
    ),
    "strangers fill the log": (
        [f"{UNIT}/test_people.py::test_refused_sign_ins_are_logged_with_name_and_address"],
        ["strangers-fill-the-log"],
    ),
}


THREATS |= WIRE_THREATS


@pytest.mark.parametrize("threat", sorted(THREATS))
def test_every_threat_has_its_tests_and_its_planted_bugs(threat):
    tests, bugs = THREATS[threat]
    assert tests
    for each in tests:
        file, _, name = each.partition("::")
        assert f"def {name}(" in (ROOT / file).read_text(), each
    killers = {bug.name: bug.killed_by for bug in all_bugs()}
    assert set(bugs) <= killers.keys()
    if bugs:  # at least one of them dies by a test of this very line
        assert {killers[bug].partition("[")[0] for bug in bugs} & set(tests)
