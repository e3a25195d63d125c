"""Bugs in lists of constants, tuples, chosen rows, values that are looked up, and answers that are cut twice."""

from tests.teeth.bug import Bug

SQL = "src/tacit/plan/sql"
STATEMENTS = "tests/laws/test_statements.py::test_a_statement_is_answered_as_duckdb_answers_it"
TUPLES = "tests/unit/plan/questions/test_tuple_as_text.py"
VALUES = "tests/unit/plan/sql/test_values_table.py"
LOOKED_UP = "tests/unit/plan/test_wide.py"

BUGS = [
    Bug(
        name="tuples-without-lengths",
        file="src/tacit/plan/questions/tuple_as_text.py",
        before="whole = e.Called(Function.CONCAT, (length, _COLON, text))",
        after="whole = e.Called(Function.CONCAT, (_COLON, text))",
        killed_by=f"{TUPLES}::test_tuples_are_equal_exactly_if_their_values_are",
        note="('a:', 'b') and ('a', ':b') are two pairs",
    ),
    Bug(
        name="null-in-a-tuple-is-empty",
        file="src/tacit/plan/questions/tuple_as_text.py",
        before='_NOTHING = e.Literal("~", Kind.TEXT)',
        after='_NOTHING = e.Literal("0:", Kind.TEXT)',
        killed_by=f"{TUPLES}::test_tuples_are_equal_exactly_if_their_values_are",
        note="NULL is not the empty text",
    ),
    Bug(
        name="constants-listed-twice",
        file=f"{SQL}/values_table.py",
        before="if len(set(keys)) != len(keys) or NULL in keys:",
        after="if NULL in keys:",
        killed_by=f"{VALUES}::test_other_lists_are_refused[contains a value twice]",
        note="a row would be there once, where SQL has it twice",
    ),
    Bug(
        name="inner-join-of-constants-keeps-all",
        file=f"{SQL}/values_table.py",
        before="    if not side:\n        rows = Where",
        after="    if side:\n        rows = Where",
        killed_by=f"{VALUES}::test_it_is_the_case_that_people_write",
        note="rows that meet none of the constants leave",
    ),
    Bug(
        name="distinct-on-in-another-order",
        file=f"{SQL}/from_clause.py",
        before="        if value not in by:\n            order.append",
        after="        if value in by:\n            order.append",
        killed_by=f"{STATEMENTS}[the last stay of each patient in each ward]",
        note="which row is the first is said by ORDER BY",
    ),
    Bug(
        name="distinct-on-one-row-a-unit",
        file=f"{SQL}/from_clause.py",
        before="by = tuple(read_expression(reader, node, draft, ROWS) for node in listed if node not in units)",
        after="by = tuple(read_expression(reader, node, draft, ROWS) for node in listed if node in units[1:])",
        killed_by=f"{STATEMENTS}[the last stay of each patient in each ward]",
        note="one row for every combination of what is listed",
    ),
    Bug(
        name="pages-of-pages",
        file=f"{SQL}/outer_select.py",
        before="left = None if released.limit is None else max(0, released.limit - outer.offset)",
        after="left = released.limit",
        killed_by=f"{STATEMENTS}[a page of an answer]",
        note="what is left of three rows after the first is two",
    ),
    Bug(
        name="looked-up-nulls-are-elsewhere",
        file=f"{SQL}/semi_joins.py",
        before="    if type_of(value).nullable:\n",
        after="    if type_of(value) is None:\n",
        killed_by=f"{LOOKED_UP}::test_what_is_looked_up_is_as_in_sql",
        note="NULL NOT IN (…) is NULL",
    ),
    Bug(
        name="looked-up-among-nulls",
        file=f"{SQL}/semi_joins.py",
        before="    if column.nullable:\n        name = ",
        after="    if False:\n        name = ",
        killed_by="tests/laws/test_public_lists.py::test_a_value_is_looked_up_as_sql_says[patient-2]",
        note="x NOT IN (…, NULL) is never true",
    ),
    Bug(
        name="one-mode-for-all-groups",
        file=f"{SQL}/mode.py",
        before="for place in range(len(draft.keys)) if place != key.place)",
        after="for place in range(0) if place != key.place)",
        killed_by="tests/unit/plan/sql/test_mode.py::test_of_each_group_the_first_by_its_count_is_shown",
        note="every group has a mode of its own",
    ),
    Bug(
        name="keys-of-stacked-answers-as-doubles",
        file="src/tacit/curator/answer/evaluate_shown_columns.py",
        before="while isinstance(value, Case) and not figures_of(value):",
        after="while isinstance(value, Case) and figures_of(value):",
        killed_by="tests/unit/plan/sql/test_grouping_sets.py::test_keys_are_shown_as_they_are_declared",
        note="month 7 is 7, also in a ROLLUP",
    ),
    Bug(
        name="distinct-on-without-the-unit",
        file=f"{SQL}/from_clause.py",
        before="    if not units:\n        unit = draft.table.unit or",
        after="    if False:\n        unit = draft.table.unit or",
        killed_by="tests/laws/test_chosen_rows.py::test_rows_are_chosen_within_a_unit",
        note="which row is the first would be decided among units",
    ),
    Bug(
        name="constants-chosen-by-the-wrong-row",
        file=f"{SQL}/values_table.py",
        before="chosen = [(when, row[at]) for when, row in zip(conditions, listed.rows, strict=True)]",
        after="chosen = [(when, row[at]) for when, row in zip(conditions, listed.rows[::-1], strict=True)]",
        killed_by=f"{VALUES}::test_it_is_the_case_that_people_write",
        note="every constant belongs to its row",
    ),
]
