"""Bugs of what people meet first: what may be asked, shares of a limit, logs."""

from tests.teeth.bug import Bug

CURATOR = "src/tacit/curator"
UNIT = "tests/unit/curator"

BUGS = [
    Bug(
        name="a-text-is-taken-for-a-plan",
        file=f"{CURATOR}/vault.py",
        before="if unnamed or not isinstance(plan, Plan):",
        after="if unnamed:",
        killed_by=f"{UNIT}/test_how_vaults_are_called.py::test_a_text_or_a_frame_is_no_plan",
        note="vault.ask of SQL would end in an AttributeError",
        crashes="AttributeError",
    ),
    Bug(
        name="a-price-without-a-name-is-lost",
        file=f"{CURATOR}/how_vaults_are_called.py",
        before="    if given:\n",
        after="    if False:\n",
        killed_by=f"{UNIT}/test_how_vaults_are_called.py::test_a_price_without_a_name_is_given_one",
        note="vault.sql(question, 0.3) would be asked as if no price had been named",
    ),
    Bug(
        name="a-vault-is-taken-for-a-question",
        file="src/tacit/cli/ask.py",
        before="    if source is None or _is_place(source):\n",
        after="    if source is None:\n",
        killed_by="tests/unit/cli/test_commands.py::test_a_vault_without_a_question_is_no_question",
        note="whoever forgets the question would be told that there is no tacit.toml",
    ),
    Bug(
        name="names-elsewhere-hide-ours",
        file="src/tacit/plan/frame/names_elsewhere.py",
        before='    "groupby": "group_by(column)",\n',
        after='    "groupby": "group_by(column)",\n    "join": "merge(other)",\n',
        killed_by="tests/unit/plan/frame/test_names.py::test_no_name_of_ours_is_said_to_be_called_otherwise",
        note="a step that is there would be said to be called otherwise",
    ),
    Bug(
        name="described-without-what-was-found",
        file=f"{CURATOR}/vault.py",
        before="return describe_columns(self.policy, self._access.read_tables(), table)",
        after="return describe_columns(self.policy, self.policy.tables, table)",
        killed_by=f"{UNIT}/test_describe_tables.py::test_facts_that_were_found_are_described",
        note="bounds that were paid for would look as if they were missing",
    ),
    Bug(
        name="described-with-terminal-codes",
        file=f"{CURATOR}/policy/describe_policy.py",
        before="    return printable(str(value))\n",
        after="    return str(value)\n",
        killed_by=f"{UNIT}/test_describe_tables.py::test_terminal_codes_in_declared_values_are_harmless",
        note="a declared key may hold a code that clears the screen",
    ),
    Bug(
        name="share-as-a-part-of-epsilon",
        file=f"{CURATOR}/policy/policy.py",
        before="            low, high = (middle, high) if fits else (low, middle)\n        return Limit(low,",
        after=(
            "            low, high = (middle, high) if fits else (low, middle)\n"
            "        low = self.epsilon * wanted\n"
            "        return Limit(low,"
        ),
        killed_by=f"{UNIT}/policy/test_policy.py::test_shares_of_a_limit_add_up_to_it",
        note="a third of epsilon is a ninth of rho",
    ),
    Bug(
        name="share-rounded-up",
        file=f"{CURATOR}/policy/policy.py",
        before="        return Limit(low, self.delta, self.neighbours)\n",
        after="        return Limit(high * (1 + Fraction(1, 10**6)), self.delta, self.neighbours)\n",
        killed_by=f"{UNIT}/policy/test_policy.py::test_shares_of_a_limit_add_up_to_it",
        note="three thirds would be more than the whole",
    ),
    Bug(
        name="explained-by-the-limit-of-one",
        file=f"{CURATOR}/budget.py",
        before="    return replace(told, own=shares, affordable=",
        after="    return replace(told, own=shares, share=shares[0], affordable=",
        killed_by=f"{UNIT}/test_budget.py::test_explain_and_sql_speak_of_the_same_limit",
        note="the same words, of two limits",
    ),
    Bug(
        name="affordable-by-everyone-but-not-by-her",
        file=f"{CURATOR}/budget.py",
        before="affordable=told.affordable and fits",
        after="affordable=told.affordable",
        killed_by=(
            f"{UNIT}/test_budget.py::"
            "test_what_the_analyst_cannot_afford_is_said_although_everyone_could"
        ),
        note="it would be refused when it is asked",
    ),
    Bug(
        name="log-of-a-question-and-its-values",
        file=f"{CURATOR}/log_answers.py",
        before='    log_answer("answered", release.receipt, release.price)\n',
        after='    log_answer(f"answered {release.rows}", release.receipt, release.price)\n',
        killed_by=f"{UNIT}/test_log_answers.py::test_every_answer_has_a_line_with_its_entry_and_its_price",
        note="a log lies where the ledger may not",
    ),
    Bug(
        name="a-kept-limit-begins-anew",
        file=f"{CURATOR}/protect.py",
        before="        ledger = keep_ledger(vault, policy, sources)\n",
        after="        ledger: object = MemoryLedger(limit.filter())\n",
        killed_by=f"{UNIT}/test_persistent_limit.py::test_a_limit_goes_on_and_answers_are_replayed",
        note="every run of a cell would have the whole limit",
    ),
    Bug(
        name="answers-about-rows-that-are-gone",
        file=f"{CURATOR}/persistent_limit.py",
        before="        refresh_changed_sources(ledger, digests, {})\n",
        after="        pass\n",
        killed_by=f"{UNIT}/test_persistent_limit.py::test_other_rows_are_asked_anew_under_the_same_limit",
        note="other rows would be answered from the ledger",
    ),
    Bug(
        name="rows-known-by-their-number",
        file="src/tacit/engines/duckdb/digest_rows.py",
        before="sum(hash({cells})::HUGEINT)",
        after="0 * sum(hash({cells})::HUGEINT)",
        killed_by=f"{UNIT}/test_persistent_limit.py::test_other_rows_are_asked_anew_under_the_same_limit",
        note="a changed cell would not be noticed",
    ),
    Bug(
        name="types-of-a-file-declared-from-its-rows",
        file="src/tacit/curator/starter_policy.py",
        before="""    return 'type = "text"', f"looks like: {{""",
        after="""    return declared, f"looks like: {{""",
        killed_by=f"{UNIT}/test_starter_policy.py::test_kinds_of_a_text_file_are_proposed_as_comments",
        note="one odd cell in the first lines would decide what analysts see declared",
    ),
    Bug(
        name="parameters-that-open-a-text",
        file="src/tacit/plan/sql/parse.py",
        before="_DIALECT = _Dialect()\n",
        after="_DIALECT = DuckDB()\n",
        killed_by="tests/unit/plan/sql/test_parameters.py::test_a_bound_question_is_that_with_the_constants",
        note="what stands between $1,$ and the next $1,$ would be a text",
    ),
    Bug(
        name="parameters-that-are-names",
        file="src/tacit/plan/sql/parameters.py",
        before="        if _is_name(tokens, place):\n",
        after="        if False:\n",
        killed_by="tests/unit/plan/sql/test_parameters.py::test_no_value_becomes_a_name",
        note="a value would choose the table",
    ),
    Bug(
        name="digests-of-rows-without-a-key",
        file=f"{CURATOR}/persistent_limit.py",
        before="_key_digest(key, digest_rows(source))",
        after="_key_digest(bytes(32), digest_rows(source))",
        killed_by=f"{UNIT}/test_persistent_limit.py::test_what_is_noted_of_the_rows_is_keyed",
        note="who reads the anchors and knows all rows but one could try out the last",
    ),
]
