"""Bugs planted where ordinary spellings are read: DISTINCT, commas, flags, QUALIFY, windows over groups."""

from tests.teeth.bug import Bug

PLAN = "src/tacit/plan"
ACROSS = "src/tacit/curator/answer/group_windows.py"
WIDE = "tests/unit/plan/test_wide.py"
OUTSIDE = "tests/unit/plan/sql/test_outer_select.py"
WINDOWS = "tests/unit/curator/answer/test_group_windows.py"
STATEMENTS = "tests/laws/test_statements.py::test_a_statement_is_answered_as_duckdb_answers_it"

BUGS = [
    Bug(
        name="distinct-over-units",
        file=f"{PLAN}/questions/unit_membership.py",
        before="if owner_of(rows) is not Owner.UNIT or not unit:",
        after="if owner_of(rows) is not Owner.UNIT:",
        killed_by=f"{WIDE}::test_rows_of_different_units_never_become_one",
        note="SELECT DISTINCT inside is read without the unit, though SQL would make rows of different units one",
    ),
    Bug(
        name="flag-drops-rows",
        file=f"{PLAN}/questions/unit_membership.py",
        before="Joined(rows, one, (), outer=True)",
        after="Joined(rows, one, (), outer=False)",
        killed_by="tests/laws/test_wide_rows.py::test_a_flag_says_of_every_row_whether_its_unit_is_among_others",
        note="IN under OR keeps only the rows of units that are among the others",
    ),
    Bug(
        name="comma-forgets-a-condition",
        file=f"{PLAN}/sql/joins.py",
        before="return _on(reader, place_side_by_side(left, right, outer=False), on)",
        after="return _on(reader, place_side_by_side(left, right, outer=False), on[:1])",
        killed_by=f"{STATEMENTS}[two tables beside each other, the condition in parentheses and among others]",
        note="of what WHERE says of two tables beside each other only the first is asked",
    ),
    Bug(
        name="public-column-looked-up-twice",
        file=f"{PLAN}/sql/semi_joins.py",
        before="    if cells not in unique_columns(there):\n",
        after="    if cells in unique_columns(there):\n",
        killed_by="tests/laws/test_public_lists.py::test_a_value_is_looked_up_as_sql_says[patient-0]",
        note="x IN (SELECT x FROM public) counts a row as often as the public table has its value",
    ),
    Bug(
        name="qualify-dropped",
        file=f"{PLAN}/sql/from_clause.py",
        before='        having = _read_qualify(reader, account.take(clause)["this"], draft)',
        after='        _read_qualify(reader, account.take(clause)["this"], draft)',
        killed_by=f"{STATEMENTS}[the first visit of everybody, chosen where it is numbered]",
        note="QUALIFY is read, accounted for and left out",
    ),
    Bug(
        name="dense-rank-with-gaps",
        file="src/tacit/engines/sql/unit_folds.py",
        before='[f"dense_rank() {over} AS window_{i}"]',
        after='[f"rank() {over} AS window_{i}"]',
        killed_by=f"{STATEMENTS}[different wards, counted on]",
        note="DENSE_RANK counts rows, not different values",
    ),
    Bug(
        name="rows-taken-for-groups",
        file=f"{PLAN}/sql/group_windows.py",
        before="return not (isinstance(node.parent, exp.Window) and node.parent.this is node)",
        after="return True",
        killed_by="tests/attacks/test_conformance.py::test_v11_a_window_is_never_left_out",
        note="COUNT(*) OVER () of rows is read as the number of groups",
    ),
    Bug(
        name="chosen-by-noise-as-if-not",
        file=ACROSS,
        before="        by_noise = self.chosen or any(",
        after="        by_noise = any(",
        killed_by=f"{WINDOWS}::test_where_noise_chooses_the_groups_the_sum_of_those_lies_within",
        note="the sum of groups that HAVING chose by their noise gets the interval of a sum that nothing chose",
    ),
    Bug(
        name="windows-without-bonferroni",
        file=ACROSS,
        before="return all_at_once(confidence, count * max(1, self.every))",
        after="return all_at_once(confidence, count)",
        killed_by=f"{WINDOWS}::test_the_exact_value_lies_within_the_interval",
        note="a window over many groups takes each of them at the confidence of one",
    ),
    Bug(
        name="sum-of-gaussians-like-one",
        file=ACROSS,
        before="sqrt(2 * count * room)",
        after="sqrt(2 * room)",
        killed_by=f"{WINDOWS}::test_sums_of_noise_stay_within_their_error[7-0.9-8]",
        note="the noise of a sum of groups is taken for that of one",
    ),
    Bug(
        name="sum-of-laplaces-like-one",
        file=ACROSS,
        before="(count * _log_moments(least, s) + room) / s",
        after="(_log_moments(least, s) + room) / s",
        killed_by=f"{WINDOWS}::test_sums_of_noise_stay_within_their_error[7-0.9-8]",
        note="the moments of one draw in the bound for many",
    ),
    Bug(
        name="names-from-inside",
        file=f"{PLAN}/sql/outer_select.py",
        before="        key_names=nameless,\n",
        after="",
        killed_by=f"{OUTSIDE}::test_a_key_is_known_outside_by_the_name_that_it_was_given",
        note="a question outside names a key inside that it does not see",
    ),
    Bug(
        name="limit-inside-forgotten",
        file=f"{PLAN}/sql/outer_select.py",
        before="    if (released.limit is not None or released.offset) and (",
        after="    if released.offset and (",
        killed_by=f"{OUTSIDE}::test_groups_are_not_chosen_after_a_limit_inside",
        note="WHERE outside is asked before LIMIT inside",
    ),
    Bug(
        name="joins-wait-for-ever",
        file=f"{PLAN}/sql/precheck.py",
        before="        if waiting > MOST_JOINS:",
        after="        if waiting > MOST_TOKENS:",
        killed_by="tests/attacks/test_fuzzed_texts.py::"
        "test_joins_that_wait_for_their_conditions_are_refused_before_they_take_long[7]",
        note="the parser tries twice as many ways for every join whose condition is still to come: thirty never end",
    ),
    Bug(
        name="decimal-of-any-size",
        file=f"{PLAN}/questions/build_expressions.py",
        before="(known is None or known.furthest >= 10 ** (digits - decimals))",
        after="known is None",
        killed_by=f"{WIDE}::test_digits_before_the_point_are_proved_to_suffice",
        note="a row that DuckDB would raise on is answered as DECIMAL(5, 2)",
    ),
]
