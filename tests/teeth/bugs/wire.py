"""Bugs planted in the PostgreSQL door: charges, encryption, signing in, errors, parameters, portals."""

from tests.teeth.bug import Bug

WIRE = "src/tacit/server/wire"
UNIT = "tests/unit/server/wire"
SEQUENCES = f"{UNIT}/test_sequences.py::test_a_sequence_is_charged_as_its_line_says"
TALK = f"{UNIT}/test_conversation.py"
TLS = "tests/attacks/test_wire_tls.py"

BUGS = [
    Bug(
        name="wire-describe-asks",
        file=f"{WIRE}/session.py",
        before="            portal.fields = await self.describe(portal.statement, portal.types, portal.values)",
        after=(
            "            portal.fields = await self.describe(portal.statement, portal.types, portal.values)\n"
            "            await self.run_portal(portal)"
        ),
        killed_by=f"{SEQUENCES}[Bind and Describe]",
        note="describing a portal would ask its question, and be charged",
    ),
    Bug(
        name="wire-explain-analyze-runs",
        file=f"{WIRE}/run_commands.py",
        before="    lines, told = await session.asking.explain(inner, values)",
        after=(
            "    lines, told = await session.asking.explain(inner, values)\n"
            "    await session.asking.answer(inner, values, types)"
        ),
        killed_by=f"{SEQUENCES}[EXPLAIN ANALYZE]",
        note="EXPLAIN ANALYZE would run the question",
    ),
    Bug(
        name="wire-declare-asks",
        file=f"{WIRE}/run_commands.py",
        before="    await session.describe_portal(portal)\n    session.open(wanted.name, portal)",
        after="    await session.run_portal(portal)\n    session.open(wanted.name, portal)",
        killed_by=f"{SEQUENCES}[DECLARE]",
        note="a cursor that is never read would be charged",
    ),
    Bug(
        name="wire-portal-forgets-its-answer",
        file=f"{WIRE}/session.py",
        before="        if portal.outcome is None and portal.statement is not None:",
        after="        if portal.statement is not None:",
        killed_by=f"{SEQUENCES}[a portal goes on after a refresh]",
        note="each Execute of a portal would ask its question again",
    ),
    Bug(
        name="wire-bytes-behind-the-request-are-believed",
        file="src/tacit/server/wire/conversation.py",
        before="        if self.is_encrypted or self.incoming.pending:",
        after="        if self.is_encrypted:",
        killed_by=f"{TALK}::test_encryption_is_demanded_where_it_is_offered",
        note="what was sent in the clear behind SSLRequest would be read as if it had come through TLS",
    ),
    Bug(
        name="wire-serves-without-tls",
        file="src/tacit/server/wire/conversation.py",
        before="        if self._door.encrypted and not self.is_encrypted:",
        after="        if False:",
        killed_by=f"{TLS}::test_without_tls_nothing_is_served_where_it_is_demanded",
        note="a client that asks for no encryption would be served without",
    ),
    Bug(
        name="wire-binding-is-not-checked",
        file=f"{WIRE}/scram.py",
        before='_decoded(fields.get("c", "")) != header:',
        after='not _decoded(fields.get("c", "")).startswith(header[:1]):',
        killed_by=f"{TLS}::test_a_bound_channel_signs_in_and_one_bound_to_another_does_not",
        note="a channel bound to somebody else's certificate would sign in",
    ),
    Bug(
        name="wire-hidden-binding-is-accepted",
        file=f"{WIRE}/scram.py",
        before='        if flag == "y" and self._binding is not None:\n            raise ScramFailed',
        after='        if flag == "y" and self._binding is not None:\n            pass',
        killed_by=f"{UNIT}/test_scram.py::test_every_other_exchange_is_refused",
        note="who sits in between could hide that channels can be bound",
    ),
    Bug(
        name="wire-unknown-names-are-told-apart",
        file="src/tacit/server/scram_keys.py",
        before="    missing = -len(keys) % _AT_ONCE or (_AT_ONCE if not keys else 0)",
        after="    missing = 0",
        killed_by="tests/unit/server/test_scram_keys.py::test_as_many_proofs_are_checked_for_a_name_that_nobody_has",
        note="the time of a failure would tell whether a name is known",
    ),
    Bug(
        name="wire-salts-are-drawn",
        file="src/tacit/server/scram_keys.py",
        before='    return hmac.digest(secret.encode(), name.encode(), "sha256")[:16]',
        after='    return __import__("os").urandom(16)',
        killed_by=f"{TALK}::test_a_name_that_nobody_has_has_a_salt_of_its_own",
        note="a name that nobody has would show another salt at each attempt",
    ),
    Bug(
        name="wire-any-token-signs-in-as-anybody",
        file="src/tacit/server/identities.py",
        before='"WHERE name = ? AND expires >= ? AND disabled = 0 AND stored_key IS NOT NULL "',
        after='"WHERE name >= ? AND expires >= ? AND stored_key IS NOT NULL "',
        killed_by="tests/unit/server/test_identities.py::test_every_reason_not_to_accept_a_proof_looks_alike",
        note="a disabled person would be let in",
    ),
    Bug(
        name="wire-a-pass-outlives-its-token",
        file=f"{WIRE}/questions_of_connection.py",
        before="        return self._desk.people.of_pass(self._held)",
        after=(
            "        known = self.__dict__\n"
            "        if 'held by' not in known:\n"
            "            known['held by'] = self._desk.people.of_pass(self._held)\n"
            "        return known['held by']"
        ),
        killed_by=f"{TALK}::test_whoever_is_disabled_is_cut_off_at_the_next_statement",
        note="a connection would outlive the token and the rights of its owner",
    ),
    Bug(
        name="wire-mistakes-say-what-happened",
        file=f"{WIRE}/problems.py",
        before='            return Problem("XX000", INTERNAL)',
        after='            return Problem("XX000", f"{INTERNAL}: {wrong}")',
        killed_by=f"{UNIT}/test_problems.py::test_mistakes_become_one_constant_text",
        note="the text of an exception may hold a private value",
    ),
    Bug(
        name="wire-any-key-cancels",
        file="src/tacit/server/wire/door.py",
        before="        found = self._open.get(key)",
        after="        found = next(iter(self._open.values()), None)",
        killed_by=f"{TALK}::test_what_is_cancelled_is_asked_to_its_end_and_kept",
        note="a stranger could cancel what others ask",
    ),
    Bug(
        name="wire-long-messages-are-waited-for",
        file="src/tacit/server/wire/client_messages.py",
        before="        if not 4 <= length <= (MOST if self.signed_in else _MOST_UNTIL_SIGNED_IN):",
        after="        if not 4 <= length:",
        killed_by=f"{UNIT}/test_messages.py::test_lengths_are_checked_before_their_bytes_are_read",
        note="a stranger could make the server keep two gigabytes",
    ),
    Bug(
        name="wire-endless-statements",
        file=f"{WIRE}/session.py",
        before="        if len(self.statements) >= _MOST_STATEMENTS or size > _MOST_TEXT:",
        after="        if size > _MOST_TEXT:",
        killed_by=f"{TALK}::test_there_is_an_end_to_statements_and_portals",
        note="a client could make the server keep any number of statements",
    ),
    Bug(
        name="wire-parameters-become-text",
        file=f"{WIRE}/questions_of_connection.py",
        before="        return Question(\n            statement.text,",
        after=(
            "        text = statement.text\n"
            "        for place, value in enumerate(values, 1):\n"
            "            text = text.replace(f'${place}', f\"'{value}'\")\n"
            "        values = ()\n"
            "        return Question(\n            text,"
        ),
        killed_by="tests/attacks/test_wire_parameters.py::test_a_value_is_a_value",
        note="a quote in a value would end its literal",
    ),
    Bug(
        name="wire-a-price-by-surprise",
        file=f"{WIRE}/settings.py",
        before="if epsilon else Price()\n        return Price()",
        after="if epsilon else Price()\n        return Price(epsilon=Fraction(1))",
        killed_by=f"{TALK}::test_prices_come_from_the_header_the_comment_the_settings_or_the_identity",
        note="who names no price would pay one that nobody chose",
    ),
    Bug(
        name="wire-settings-beat-comments",
        file=f"{WIRE}/questions_of_connection.py",
        before="            if price == Price():\n                price = terms[0]",
        after="            if terms[0] != Price():\n                price = terms[0]",
        killed_by=f"{TALK}::test_prices_come_from_the_header_the_comment_the_settings_or_the_identity",
        note="a question would be asked at another price than its comment names",
    ),
    Bug(
        name="wire-failed-transactions-ask",
        file=f"{WIRE}/session.py",
        before='        if self.transaction.status != "E" or statement is None:',
        after="        if True:",
        killed_by=f"{SEQUENCES}[in a transaction that failed]",
        note="questions behind an error would be asked, and paid for",
    ),
    Bug(
        name="wire-errors-do-not-stop-a-pipeline",
        file="src/tacit/server/wire/conversation.py",
        before="        else:\n            self._skips = True",
        after="        else:\n            pass",
        killed_by=f"{SEQUENCES}[a pipeline with an error in front]",
        note="questions behind an error would be asked, and paid for",
    ),
    Bug(
        name="wire-previews-look-at-rows",
        file=f"{WIRE}/questions_of_connection.py",
        before='        if self._settings["tacit.preview"] != "made-up" or problem_from(refusal).code != "42501":',
        after='        if problem_from(refusal).code != "42501":',
        killed_by=f"{TALK}::test_rows_are_refused_or_made_up",
        note="made-up rows would be taken for real ones by who did not ask for them",
    ),
    Bug(
        name="wire-wrapped-questions-are-asked-before-all-are-read",
        file=f"{WIRE}/wrapped_questions.py",
        before="    if not places or len(places) > _MOST:",
        after="    if not places:",
        killed_by=f"{UNIT}/test_wrapped_questions.py::test_other_statements_have_none",
        note="one statement could ask any number of questions",
    ),
    Bug(
        name="wire-guesses-are-free",
        file="src/tacit/server/people.py",
        before="            for what, whose in rates.items():\n                self._rates.take(what, whose)",
        after="            for what, whose in rates.items():\n                self._rates.check(what, whose)",
        killed_by="tests/attacks/test_wire_threats.py::test_tokens_are_not_guessed_quickly",
        note="tokens could be tried as fast as connections open",
    ),
    Bug(
        name="wire-budgets-of-others",
        file="src/tacit/server/public_catalogue.py",
        before="        budget = self._desk.budget(who)",
        after="        known = self.__dict__\n        budget = known.setdefault('budget', self._desk.budget(who))",
        killed_by="tests/unit/server/test_public_catalogue.py::test_everyone_reads_the_own_budget_and_the_own_answers",
        note="one analyst would read the budget of another",
    ),
    Bug(
        name="wire-pays-before-it-reads-what-is-around",
        file=f"{WIRE}/questions_of_connection.py",
        before=(
            "        await self._columns_otherwise(who, asked, refusal)\n"
            "        return await self._answer_parts(who, statement, wrapped, values)"
        ),
        after="        return await self._answer_parts(who, statement, wrapped, values)",
        killed_by=(
            "tests/unit/server/test_public_catalogue.py::"
            "test_nothing_is_paid_for_what_cannot_be_evaluated_around_it"
        ),
        note="a question would be paid for, and its answer never shown",
    ),
    Bug(
        name="wire-statements-are-not-counted",
        file="src/tacit/server/wire/conversation.py",
        before=(
            "            await self._cancellable(session.asking.wait_for_rate())\n"
            "            outcome = await self._cancellable(session.run(statement), session"
        ),
        after="            outcome = await self._cancellable(session.run(statement), session",
        killed_by=f"{UNIT}/test_turns.py::test_every_statement_is_counted_as_a_request",
        note="statements of a connection would take no rate",
    ),
    Bug(
        name="wire-catalogue-has-no-turns",
        file="src/tacit/server/wire/conversation.py",
        before="            run_catalogue=lambda work: self._door.run_in_turn(self.name, work),",
        after="            run_catalogue=self._door.run_catalogue,",
        killed_by=f"{UNIT}/test_turns.py::test_many_connections_of_one_person_keep_nobody_else_waiting",
        note="the connections of one person would fill the threads of the catalogue",
    ),
    Bug(
        name="wire-turn-ends-with-the-waiting",
        file="src/tacit/server/wire/door.py",
        before="        return await asyncio.shield(running)",
        after="        return await running",
        killed_by=f"{UNIT}/test_turns.py::test_a_statement_that_nobody_waits_for_still_has_its_turn",
        note="who cancels statements would have many of them run at once",
    ),
    Bug(
        name="wire-each-part-pays-the-whole-price",
        file=f"{WIRE}/questions_in_statement.py",
        before="                question = replace(question, epsilon=Fraction(question.epsilon or 0) / count)",
        after="                question = replace(question, epsilon=Fraction(question.epsilon or 0))",
        killed_by=f"{UNIT}/test_questions_in_statement.py::test_three_questions_cost_the_named_price_together_and_nothing_the_second_time",
        note="each question of a statement would pay the price that the statement names",
    ),
    Bug(
        name="wire-parts-are-paid-one-by-one",
        file=f"{WIRE}/questions_of_connection.py",
        before="        refuse_sum(who, parts, standing.spent_today)",
        after="        refuse_sum(who, (), standing.spent_today)",
        killed_by=f"{UNIT}/test_questions_in_statement.py::test_nothing_is_charged_if_all_together_do_not_fit",
        note="two parts would be paid for, and the third refused",
    ),
    Bug(
        name="wire-outer-statement-is-not-tried",
        file=f"{WIRE}/questions_of_connection.py",
        before="            await self._try_outer(who, outer, given, parts, columns)",
        after="            pass",
        killed_by=f"{UNIT}/test_questions_in_statement.py::test_nothing_is_charged_for_what_is_too_large_around_a_question",
        note="a question would be paid for and what stands around it refused for its size",
    ),
    Bug(
        name="wire-price-counts-in-front-alone",
        file=f"{WIRE}/lexer.py",
        before="            comments.append(token.value)",
        after="            comments += [] if kept else [token.value]",
        killed_by=f"{UNIT}/test_prices.py::test_a_price_in_a_comment_counts_wherever_it_stands",
        note="a price behind a question would be ignored, and the session's paid",
    ),
    Bug(
        name="wire-parameter-zero-is-the-last-value",
        file=f"{WIRE}/lexer.py",
        before="len(token.value) > _MOST_DIGITS or not int(token.value)",
        after="len(token.value) > _MOST_DIGITS",
        killed_by=f"{UNIT}/test_lexer.py::test_a_parameter_that_cannot_be_is_refused_once",
        note="values are counted from 1: $0 was an internal error, or somebody else's value",
    ),
    Bug(
        name="wire-notice-halves-what-is-cut-off",
        file=f"{WIRE}/notices.py",
        before="        for length in (high - value, value - low)",
        after="        for length in ((high - low) / 2,)",
        killed_by=f"{UNIT}/test_notices.py::test_an_interval_that_is_cut_off_is_told_by_its_longer_side",
        note="an interval that was cut off at zero would be told as half as wide",
    ),
    Bug(
        name="free-reads-are-everybody-s",
        file="src/tacit/server/free_reads.py",
        before="    return payer, question.sql, parameter_key(price)",
        after="    return question.sql, parameter_key(price)",
        killed_by="tests/unit/server/test_free_reads.py::test_nobody_is_shown_what_was_read_for_somebody_else",
        note="an answer that one person paid for would be shown to another",
    ),
    Bug(
        name="free-reads-outlive-what-is-written",
        file="src/tacit/server/free_reads.py",
        before="known.vault is vault and known.state == state:",
        after="known.vault is vault:",
        killed_by="tests/unit/server/test_free_reads.py::test_a_refreshed_table_is_read_anew",
        note="an answer about rows that were replaced would be shown as the present one",
    ),
    Bug(
        name="free-reads-tell-when-a-slot-writes",
        file="src/tacit/server/free_reads.py",
        before="        if view.shows(number) and not view.shows_answer(number)\n",
        after="        if number in view.open\n",
        killed_by=(
            "tests/unit/server/test_free_reads.py::"
            "test_what_a_slot_writes_changes_nothing_of_what_is_remembered_within_it"
        ),
        note="the time of a free read would tell when the rows of a running question were read",
    ),
    Bug(
        name="free-reads-tell-when-an-answer-was-ready",
        file="src/tacit/server/free_reads.py",
        before="        if view.shows(number) and not view.shows_answer(number)\n",
        after="        if number in view.open and number < view.length\n",
        killed_by=(
            "tests/unit/server/test_free_reads.py::"
            "test_when_an_answer_was_ready_changes_nothing_that_is_remembered"
        ),
        note="the time of a free read would tell whether a question was answered when the next was reserved",
    ),
    Bug(
        name="free-reads-tell-when-a-charge-was-written",
        file="src/tacit/server/free_reads.py",
        before="    while view.shows(length):\n        length += 1\n",
        after="",
        killed_by=(
            "tests/unit/server/test_free_reads.py::test_what_is_remembered_depends_on_what_is_shown_alone"
        ),
        note="the time of a free read would tell whether a question was charged when the next was reserved",
    ),
    Bug(
        name="free-reads-take-a-price-for-another",
        file="src/tacit/server/free_reads.py",
        before="question.sql, parameter_key(price), parameter_key",
        after="question.sql, tuple(map(str, price)), parameter_key",
        killed_by=(
            "tests/unit/server/test_free_reads.py::test_another_price_confidence_or_value_is_another_question"
        ),
        note="a price that is refused would be answered as one that is not",
    ),
    Bug(
        name="wire-cancel-ends-the-question",
        file=f"{WIRE}/questions_of_connection.py",
        before="        return await job.result()",
        after=(
            "        try:\n"
            "            return await job.result()\n"
            "        except asyncio.CancelledError:\n"
            "            for each in self._desk.asking._running:\n"
            "                each.cancel()\n"
            "            raise"
        ),
        killed_by=f"{TALK}::test_what_is_cancelled_is_asked_to_its_end_and_kept",
        note="a question would be charged and its answer lost when its sender leaves",
    ),
    Bug(
        name="wire-replays-for-every-role",
        file="src/tacit/server/ask_in_slot.py",
        before='        check_right(who, "ask")\n        self._rates.check("questions", who.name)',
        after='        self._rates.check("questions", who.name)',
        killed_by=f"{UNIT.removesuffix('/wire')}/test_free_reads.py::test_an_auditor_is_replayed_nothing",
        note="who may not ask would be shown answers all the same",
    ),
    Bug(
        name="wire-notices-tell-the-size-of-the-table",
        file=f"{WIRE}/questions_of_connection.py",
        before="        notices = (describe_answer(release, budget),) if told else ()",
        after=(
            "        notices = (describe_answer(release, budget),) if told else ()\n"
            "        files = (self._desk._folder or __import__('pathlib').Path('.')).glob('*.csv')\n"
            "        notices += tuple((f'{each.stat().st_size} bytes', None) for each in files)"
        ),
        killed_by="tests/attacks/test_wire_threats.py::test_what_is_said_depends_on_rows_by_the_release_alone",
        note="what is said with an answer would tell how many rows there are",
    ),
    Bug(
        name="wire-notices-carry-terminal-codes",
        file=f"{WIRE}/notices.py",
        before='    return printable("; ".join(parts)), ',
        after='    return "; ".join(parts), ',
        killed_by=f"{UNIT}/test_notices.py::test_a_name_with_control_characters_is_printed",
        note="a key found in data could move the cursor of a terminal",
    ),
    Bug(
        name="wire-lists-become-text",
        file=f"{WIRE}/list_parameters.py",
        before="    return Spread(_write(statement, numbers), tuple(spread), tuple(oids))",
        after=(
            "    made = _write(statement, numbers)\n"
            "    text = made.text\n"
            "    for number, each in enumerate(spread, 1):\n"
            "        text = text.replace(f'${number}', f\"'{each}'\")\n"
            "    return Spread(split_statements(text)[0])"
        ),
        killed_by=f"{UNIT}/test_list_parameters.py::test_a_value_of_a_list_is_a_value",
        note="a quote in a value of a list would end its literal",
    ),
    Bug(
        name="wire-anybody-cancels-by-number",
        file="src/tacit/server/wire/door.py",
        before="            if each.name == name and number_of(key) == number",
        after="            if number_of(key) == number",
        killed_by=f"{TALK}::test_somebody_cancels_by_number_what_is_their_own",
        note="one person could cancel what another asks",
    ),
    Bug(
        name="wire-any-number-of-connections",
        file=f"{WIRE}/connection.py",
        before="        if len(self._clients) >= _ALL_AT_ONCE or near >= _FROM_ONE_ADDRESS:",
        after="        if len(self._clients) >= _ALL_AT_ONCE:",
        killed_by=f"{TLS}::test_there_is_an_end_to_connections",
        note="one address could take all connections",
    ),
    Bug(
        name="wire-catalogue-of-the-old-policy",
        file="src/tacit/server/public_catalogue.py",
        before="            if self._made is None or self._made_from is not policy:",
        after="            if self._made is None:",
        killed_by="tests/unit/server/test_public_catalogue.py::test_another_policy_is_another_catalogue",
        note="clients would browse tables as an earlier policy declared them",
    ),
]
