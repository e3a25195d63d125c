"""The threats that concern the PostgreSQL wire, each with the tests that try it and the planted bugs they detect."""

ATTACKS, UNIT, CATALOGUE = "tests/attacks", "tests/unit/server", "tests/unit/catalogue"
WIRE, TLS, TALK = (
    f"{ATTACKS}/test_wire_threats.py",
    f"{ATTACKS}/test_wire_tls.py",
    f"{UNIT}/wire/test_conversation.py",
)
FENCE, NAMES = f"{ATTACKS}/test_catalogue_fence.py", f"{ATTACKS}/test_catalogue_names.py"
FREE, PUBLIC = f"{UNIT}/test_free_reads.py", f"{UNIT}/test_public_catalogue.py"
SEQUENCES = f"{UNIT}/wire/test_sequences.py::test_a_sequence_is_charged_as_its_line_says"

# threat: (tests, planted bugs)
WIRE_THREATS = {
    "wire: describing, explaining, declaring or reading in pieces is charged, or charged twice": (
        [SEQUENCES],
        [
            *("wire-describe-asks", "wire-explain-analyze-runs", "wire-declare-asks"),
            *("wire-portal-forgets-its-answer", "wire-failed-transactions-ask"),
            "wire-errors-do-not-stop-a-pipeline",
        ],
    ),
    "wire: what is cut off or cancelled between charge and answer is lost, or charged twice": (
        [
            f"{WIRE}::test_a_connection_that_is_cut_after_any_message_pays_once_and_finds_the_same_answer",
            f"{TLS}::test_who_hangs_up_while_a_question_is_asked_pays_once_and_finds_the_answer",
            f"{TALK}::test_what_is_cancelled_is_asked_to_its_end_and_kept",
            f"{TALK}::test_a_statement_is_waited_for_as_long_as_the_session_says",
        ],
        ["wire-cancel-ends-the-question"],
    ),
    "wire: bytes in the clear behind the request for TLS are read as if encrypted": (
        [
            f"{TLS}::test_bytes_behind_the_request_for_tls_are_not_believed",
            f"{TALK}::test_encryption_is_demanded_where_it_is_offered",
        ],
        ["wire-bytes-behind-the-request-are-believed"],
    ),
    "wire: encryption is stripped, or somebody sits in between": (
        [
            f"{TLS}::test_without_tls_nothing_is_served_where_it_is_demanded",
            f"{TLS}::test_a_bound_channel_signs_in_and_one_bound_to_another_does_not",
            f"{UNIT}/wire/test_scram.py::test_every_other_exchange_is_refused",
        ],
        [
            *("wire-serves-without-tls", "wire-binding-is-not-checked"),
            "wire-hidden-binding-is-accepted",
        ],
    ),
    "wire: which names there are is told": (
        [
            f"{TALK}::test_everybody_who_cannot_sign_in_is_told_the_same",
            f"{TALK}::test_a_name_that_nobody_has_has_a_salt_of_its_own",
            f"{UNIT}/test_scram_keys.py::test_as_many_proofs_are_checked_for_a_name_that_nobody_has",
        ],
        ["wire-unknown-names-are-told-apart", "wire-salts-are-drawn"],
    ),
    "wire: tokens are guessed, or one signs in as somebody else": (
        [
            f"{WIRE}::test_tokens_are_not_guessed_quickly",
            f"{UNIT}/test_identities.py::test_every_reason_not_to_accept_a_proof_looks_alike",
        ],
        ["wire-guesses-are-free", "wire-any-token-signs-in-as-anybody"],
    ),
    "wire: one analyst reads another's answers, history or budget": (
        [
            f"{WIRE}::test_nobody_is_answered_what_somebody_else_has_paid_for_unless_the_policy_says_so",
            f"{FREE}::test_nobody_is_shown_what_was_read_for_somebody_else",
            f"{PUBLIC}::test_everyone_reads_the_own_budget_and_the_own_answers",
            f"{NAMES}::test_what_another_session_set_is_not_seen_when_described_or_asked",
        ],
        [
            *("free-reads-are-everybody-s", "wire-budgets-of-others"),
            "catalogue-describes-with-the-settings-of-the-last",
        ],
    ),
    "wire: a role does what is another's": (
        [
            f"{WIRE}::test_every_role_may_do_what_its_line_says",
            f"{UNIT}/test_rights.py::test_each_role_may_do_what_is_written_here_and_nothing_else",
        ],
        ["every-role-may-do-everything", "wire-replays-for-every-role"],
    ),
    "wire: more is spent than somebody named or has": (
        [
            f"{WIRE}::test_many_connections_exhaust_a_limit_exactly",
            f"{TALK}::test_prices_come_from_the_header_the_comment_the_settings_or_the_identity",
            f"{UNIT}/wire/test_questions_in_statement.py::test_nothing_is_charged_if_all_together_do_not_fit",
        ],
        [
            *("wire-a-price-by-surprise", "wire-settings-beat-comments"),
            "wire-parts-are-paid-one-by-one",
        ],
    ),
    "wire: the length of what is said, or the number of notices, tells about rows": (
        [f"{WIRE}::test_what_is_said_depends_on_rows_by_the_release_alone"],
        ["wire-notices-tell-the-size-of-the-table"],
    ),
    "wire: the time of a free read tells what a slot has written": (
        [f"{FREE}::test_what_a_slot_writes_changes_nothing_of_what_is_remembered_within_it"],
        ["free-reads-tell-when-a-slot-writes"],
    ),
    "wire: an old answer is shown as the present one": (
        [f"{FREE}::test_a_refreshed_table_is_read_anew"],
        ["free-reads-outlive-what-is-written"],
    ),
    "wire: keys found in data carry terminal codes into notices": (
        [
            f"{UNIT}/wire/test_notices.py::test_a_name_with_control_characters_is_printed",
            f"{UNIT}/wire/test_problems.py::test_what_is_said_can_be_printed",
        ],
        ["wire-notices-carry-terminal-codes"],
    ),
    "wire: the catalogue tells about rows": (
        [f"{CATALOGUE}/test_database.py::test_nothing_is_told_about_rows"],
        ["catalogue-tells-sizes"],
    ),
    "wire: SQL of the catalogue reaches files, settings or other processes": (
        [
            f"{FENCE}::test_no_function_of_duckdb_passes_but_those_that_are_listed",
            f"{FENCE}::test_what_reaches_beyond_the_catalogue_is_refused",
            f"{CATALOGUE}/test_database.py::test_the_duckdb_below_is_closed_and_locked",
            f"{NAMES}::test_no_text_is_run_wherever_it_stands_and_nothing_stays",
        ],
        [
            *("catalogue-nodes-not-fenced", "catalogue-functions-not-fenced"),
            *("catalogue-reaches-files", "catalogue-not-locked"),
        ],
    ),
    "wire: SQL of the catalogue burns the machine, or keeps others waiting": (
        [
            f"{FENCE}::test_what_takes_too_long_is_killed_and_the_next_is_served",
            f"{CATALOGUE}/test_catalogue.py::test_a_worker_that_dies_is_replaced",
            f"{CATALOGUE}/test_fair_turns.py::test_who_has_taken_much_is_in_the_slow_lane_until_that_fades",
        ],
        ["catalogue-process-not-replaced", "catalogue-has-one-lane"],
    ),
    "wire: the catalogue's process is given private rows": (
        [
            f"{FENCE}::test_the_process_inherits_neither_environment_nor_files",
            f"{FENCE}::test_the_process_imports_nothing_that_reaches_a_row",
        ],
        ["catalogue-inherits-the-environment"],
    ),
    "wire: messages of any shape break the server, or fill its memory": (
        [
            f"{ATTACKS}/test_wire_fuzz.py::test_mutated_recordings_crash_nothing",
            f"{UNIT}/wire/test_messages.py::test_lengths_are_checked_before_their_bytes_are_read",
            f"{TALK}::test_there_is_an_end_to_statements_and_portals",
        ],
        ["wire-long-messages-are-waited-for", "wire-endless-statements"],
    ),
    "wire: the value of a parameter breaks out of its place": (
        [
            f"{ATTACKS}/test_wire_parameters.py::test_a_value_is_a_value",
            f"{UNIT}/wire/test_list_parameters.py::test_a_value_of_a_list_is_a_value",
        ],
        ["wire-parameters-become-text", "wire-lists-become-text"],
    ),
    "wire: somebody cancels what others ask": (
        [
            f"{TALK}::test_what_is_cancelled_is_asked_to_its_end_and_kept",
            f"{TALK}::test_somebody_cancels_by_number_what_is_their_own",
        ],
        ["wire-any-key-cancels", "wire-anybody-cancels-by-number"],
    ),
    "wire: slow, silent or many clients keep others out": (
        [
            f"{TLS}::test_who_is_silent_is_cut_off",
            f"{TLS}::test_there_is_an_end_to_connections",
            f"{WIRE}::test_a_stranger_who_sends_slowly_keeps_nobody_waiting",
            f"{UNIT}/wire/test_turns.py::test_many_connections_of_one_person_keep_nobody_else_waiting",
        ],
        [
            *("wire-any-number-of-connections", "wire-catalogue-has-no-turns"),
            "wire-turn-ends-with-the-waiting",
        ],
    ),
    "wire: mistakes and logs say what is private or secret": (
        [
            f"{UNIT}/wire/test_problems.py::test_mistakes_become_one_constant_text",
            f"{CATALOGUE}/test_postgres_errors.py::test_what_duckdb_says_is_kept_for_the_curator",
            f"{WIRE}::test_refusals_are_in_the_audit_log_and_nothing_that_is_secret_is",
        ],
        ["wire-mistakes-say-what-happened", "catalogue-says-what-duckdb-says"],
    ),
    "wire: a policy changes under open connections": (
        [f"{PUBLIC}::test_another_policy_is_another_catalogue"],
        ["wire-catalogue-of-the-old-policy"],
    ),
    "wire: a connection outlives the rights of its owner": (
        [f"{TALK}::test_whoever_is_disabled_is_cut_off_at_the_next_statement"],
        ["wire-a-pass-outlives-its-token"],
    ),
    "wire: SQL around an answer reads what was not released": (
        [
            f"{TALK}::test_sql_around_an_answer_is_given_the_released_rows_alone",
            f"{PUBLIC}::test_sql_around_an_answer_reaches_nothing_else",
            f"{CATALOGUE}/test_database.py::test_released_rows_are_read_by_their_names_and_forgotten",
            f"{NAMES}::test_a_column_may_have_any_name_and_is_read_by_it",
        ],
        ["catalogue-keeps-released-rows", "catalogue-columns-end-their-quotes"],
    ),
}
