"""Bugs planted where an ingested table is added up by what was counted beforehand."""

from tests.teeth.bug import Bug

STRATA = "src/tacit/engines/sql/ingested_sums.py"
INGEST = "src/tacit/engines/duckdb/ingest.py"
SEAL = "src/tacit/engines/duckdb/file_seal.py"
ENGINE = "src/tacit/engines/duckdb/engine.py"
TEST = "tests/unit/engines/sql/test_ingested_sums.py"
COUNTED = "src/tacit/engines/duckdb/ingested_key_counts.py"
COUNTED_TEST = "tests/unit/engines/duckdb/test_ingested_key_counts.py"
WEIGH_ALIKE = f"{COUNTED_TEST}::test_counted_keys_weigh_alike"
SEALED = "tests/unit/engines/duckdb/test_file_seal.py"
ANEW = f"{TEST}::test_units_of_which_rows_are_not_taken_are_weighed_anew"
ALIKE = f"{TEST}::test_strata_answer_alike"

ARRAYS = "src/tacit/engines/duckdb/weigh_arrays.py"
ARRAYS_TEST = "tests/unit/engines/duckdb/test_weigh_arrays.py"

BUGS = [
    Bug(
        name="arrays-overlook-a-counter-that-ran-over",
        file=ARRAYS,
        before="    found = packed >> _ROWS_AT > largest\n",
        after="    found = np.zeros(units, bool)\n",
        killed_by=f"{ARRAYS_TEST}::test_nobody_who_is_heavy_is_overlooked",
        note="256 rows in one group look like none: the unit would weigh as if it were light",
    ),
    Bug(
        name="arrays-add-up-more-than-doubles-hold",
        file=ARRAYS,
        before="rows * term.reach < _EXACT",
        after="term.reach < _EXACT",
        killed_by=f"{ARRAYS_TEST}::test_sums_that_doubles_do_not_hold_are_left_to_sql",
        note="the last bits of a sum would depend on the order of rows",
    ),
    Bug(
        name="keys-of-units-in-too-few-bits",
        file="src/tacit/engines/duckdb/unknown_keys_in_arrays.py",
        before="bit_length() + width <= 32",
        after="bit_length() + width <= 34",
        killed_by="tests/unit/engines/duckdb/test_unknown_keys_in_arrays.py::test_rows_in_any_order_are_held_alike",
        note="two units whose numbers differ in their highest bit would be one",
    ),
    Bug(
        name="strata-weigh-units-as-if-all-their-rows-were-taken",
        file=STRATA,
        before='f"SELECT unit FROM stratum_rows SEMI JOIN (SELECT stratum FROM strata WHERE group_id IS NULL "',
        after='f"SELECT unit FROM stratum_rows SEMI JOIN (SELECT stratum FROM strata WHERE FALSE "',
        killed_by=ANEW,
        note="a weight that was counted for the whole table is taken for that of the rows of a question",
    ),
    Bug(
        name="strata-of-the-whole-table-under-a-condition",
        file=STRATA,
        before="len(question.public) != 1 or _has_conditions(question):",
        after="len(question.public) != 1:",
        killed_by=f"{TEST}::test_other_questions_do_not_ask_strata[where]",
        note="rows that a question leaves out are added up",
    ),
    Bug(
        name="a-whole-table-in-spite-of-rows-that-are-not-there",
        file=STRATA,
        before="(question.keys or _has_conditions(question) or needed_columns(question))",
        after="(question.keys or _has_conditions(question))",
        killed_by=f"{TEST}::test_a_row_that_is_not_there_weighs_on_nobody",
        note="a unit with rows that are left out at the scan would weigh too little",
    ),
    Bug(
        name="strata-forget-rows-that-are-not-there",
        file=STRATA,
        before="    if conditions:\n        gone",
        after="    if False:\n        gone",
        killed_by=f"{TEST}::test_a_row_that_is_not_there_weighs_on_nobody",
        note="a row that is left out at the scan would lessen what the others of its unit weigh",
    ),
    Bug(
        name="strata-of-null-groups",
        file=STRATA,
        before="if key.null or not plain",
        after="if not plain",
        killed_by=f"{TEST}::test_other_questions_do_not_ask_strata[null]",
        note="NULL would be looked up among strata whose units are weighed by other rows",
    ),
    Bug(
        name="strata-of-texts-that-are-cut",
        file=STRATA,
        before="        len(each) < MOST_CHARACTERS for each in texts\n",
        after="        len(each) for each in texts\n",
        killed_by=f"{TEST}::test_other_questions_do_not_ask_strata[long]",
        note="two long texts are one group and two strata: their squares are added, where the sum is to be squared",
    ),
    Bug(
        name="strata-of-rows-that-are-joined",
        file=STRATA,
        before="    if rowset.ctes or question.unknown",
        after="    if question.unknown",
        killed_by=f"{TEST}::test_rows_of_several_tables_have_no_strata",
        note="what was counted of a table is believed of what a join makes of it",
    ),
    Bug(
        name="strata-square-nothing",
        file=STRATA,
        before='"unit_rows" if has_one_number(weights, question) else "unit_squares"',
        after='"unit_rows"',
        killed_by=ALIKE,
        note="a unit's rows are taken for the sum of their squares by group: it would weigh far too much",
    ),
    Bug(
        name="strata-know-a-change-twice",
        file=STRATA,
        before='    more = "(weight_change - known_change)"\n',
        after='    more = "weight_change"\n',
        killed_by=ANEW,
        note="what was taken off for the whole unit is taken off once more",
    ),
    Bug(
        name="squares-of-all-rows-in-one-stratum",
        file=INGEST,
        before="w.n AS n, count(*) AS pair_rows",
        after="w.n AS n, 1 AS pair_rows",
        killed_by=ALIKE,
        note="a unit that comes to one place again and again would weigh as if it had come once",
    ),
    Bug(
        name="squares-of-everybody-with-as-many-rows",
        file=INGEST,
        before="SELECT place, sum(pair_rows::HUGEINT * pair_rows) AS squares FROM pairs GROUP BY place",
        after=(
            "SELECT place, max(squares) OVER (PARTITION BY n) AS squares FROM (SELECT place, n, "
            "sum(pair_rows::HUGEINT * pair_rows) AS squares FROM pairs GROUP BY place, n)"
        ),
        killed_by=f"{TEST}::test_a_unit_that_leaves_changes_the_strata_of_nobody",
        note="what a unit weighs would depend on other units, who move the answer without having a row in it",
    ),
    Bug(
        name="a-file-that-was-written-again-is-believed",
        file=SEAL,
        before="if pending or written != sealed or",
        after="if pending or",
        killed_by=f"{SEALED}::test_rows_that_were_changed_are_refused[update]",
        note="weights that were counted before rows changed",
    ),
    Bug(
        name="what-stands-beside-a-file-is-not-looked-at",
        file=SEAL,
        before="if pending or written",
        after="if written",
        killed_by=f"{SEALED}::test_rows_that_were_changed_are_refused[not yet written]",
        note="DuckDB reads changes that are not yet in the file, and weights know nothing of them",
    ),
    Bug(
        name="the-head-is-read-while-a-file-is-attached",
        file=SEAL,
        before="    if pending or written != sealed or last_change(path) != before:\n",
        after="    if pending or count_checkpoints(path) != sealed or last_change(path) != before:\n",
        killed_by=f"{SEALED}::test_nobody_changes_rows_while_they_are_read",
        note="a process that closes a file lets go of all its locks on it",
    ),
    Bug(
        name="a-change-between-two-looks-is-not-seen",
        file=SEAL,
        before=" or last_change(path) != before:",
        after=":",
        killed_by=f"{SEALED}::test_a_change_at_the_last_moment_is_seen",
        note="who writes after the head was read changes rows unseen",
    ),
    Bug(
        name="a-file-without-its-lock-is-read-on",
        file=ENGINE,
        before="            raise EngineFailed\n\n    def _sharing(",
        after="            pass\n\n    def _sharing(",
        killed_by=f"{SEALED}::test_rows_that_are_changed_all_the_same_are_not_read",
        note="another part of the process let go of the lock, and rows changed under their weights",
    ),
    Bug(
        name="a-rehearsal-reads-strata",
        file="src/tacit/engines/duckdb/empty_copies_and_checks.py",
        before="*(strata.table for strata in relation.strata), *counted):",
        after="*counted):",
        killed_by=f"{TEST}::test_a_rehearsal_reads_no_stratum",
        note="what fails in a rehearsal is told for nothing, and strata are made of rows",
    ),
    Bug(
        name="counted-keys-under-a-condition",
        file=COUNTED,
        before="len(question.keys) != 1 or any(True for _ in conditions_of(question.rows)):",
        after="len(question.keys) != 1:",
        killed_by=f"{COUNTED_TEST}::test_other_questions_count_anew[where]",
        note="units would keep keys of rows that a question leaves out",
    ),
    Bug(
        name="counted-keys-in-spite-of-rows-that-are-not-there",
        file=COUNTED,
        before="if column.kind is not Kind.TEXT or any(each != column for each in needed_columns(question)):",
        after="if column.kind is not Kind.TEXT:",
        killed_by=f"{COUNTED_TEST}::test_other_questions_count_anew[filled]",
        note="units would keep keys of rows that are left out at the scan",
    ),
    Bug(
        name="counted-keys-of-null",
        file=COUNTED,
        before="key.values is not None or key.null or",
        after="key.values is not None or",
        killed_by=f"{COUNTED_TEST}::test_other_questions_count_anew[null]",
        note="NULL is a key that nobody has counted: a unit would keep one key more than its weights allow",
    ),
    Bug(
        name="counted-keys-of-texts-that-are-not-cut",
        file=INGEST,
        before="                    cell = relation.reader()(column)\n",
        after="                    cell = relation.columns[column.name][0]\n",
        killed_by=WEIGH_ALIKE,
        note="two long texts are one key and two that were counted, and one unit would weigh twice in it",
    ),
    Bug(
        name="units-with-one-key-too-many-keep-them-all",
        file=COUNTED,
        before='f"WHERE unit_keys <= {keeping.most} GROUP BY number, unit_keys"',
        after='f"WHERE unit_keys <= {keeping.most + 1} GROUP BY number, unit_keys"',
        killed_by=WEIGH_ALIKE,
        note="a unit with more keys than it may keep would weigh in each of them",
    ),
    Bug(
        name="heavy-units-are-looked-for-among-too-few",
        file=COUNTED,
        before="WHERE unit_squares > {weights.bound**2}",
        after="WHERE unit_squares > {2 * weights.bound**2}",
        killed_by=WEIGH_ALIKE,
        note="a unit a little beyond the bound would not be scaled",
    ),
    Bug(
        name="keys-of-everybody-are-those-of-a-unit",
        file=INGEST,
        before='f"SELECT unit, count(*) AS unit_keys, {squares} FROM pairs GROUP BY unit"',
        after=(
            'f"SELECT unit, max(count(*)) OVER (PARTITION BY sum(pair_rows)) AS unit_keys, {squares} '
            'FROM pairs GROUP BY unit"'
        ),
        killed_by=f"{COUNTED_TEST}::test_who_leaves_changes_the_pairs_of_nobody",
        note="what a unit weighs would depend on how many keys others have",
    ),
    Bug(
        name="a-rehearsal-reads-pairs",
        file="src/tacit/engines/duckdb/empty_copies_and_checks.py",
        before="*(strata.table for strata in relation.strata), *counted):",
        after="*(strata.table for strata in relation.strata)):",
        killed_by=f"{COUNTED_TEST}::test_a_rehearsal_reads_no_pair",
        note="what fails in a rehearsal is told for nothing, and pairs are made of rows",
    ),
]
