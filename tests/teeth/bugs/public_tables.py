"""Bugs of tables that protect nobody: what is read from them, what hangs on it, and when a question is asked anew."""

from tests.teeth.bug import Bug

ROWS = "src/tacit/engines/duckdb/public_table_facts.py"
POLICY = "src/tacit/curator/policy"
UNIT = "tests/unit/curator/test_public_tables.py"
GROUPS = "src/tacit/plan/questions/groups_of_public_rows.py"
GROUPS_LAW = "tests/laws/test_groups_of_public_rows.py"

BUGS = [
    Bug(
        name="public-tables-every-column-is-unique",
        file=ROWS,
        before="    return bool(cells == values)\n",
        after="    return bool(cells >= values)\n",
        killed_by=f"{UNIT}::test_a_row_that_is_a_unit_meets_one_public_row_at_most",
        note="a row that is a unit would meet any number of public rows, and weigh as one",
    ),
    Bug(
        name="public-tables-change-is-not-noticed",
        file="src/tacit/curator/open_folder.py",
        before="        if name in document.digests:\n",
        after="        if name in document.digests and any(told):\n",
        killed_by=f"{UNIT}::test_a_changed_public_table_asks_anew",
        note="the answer about another public table would be replayed",
    ),
    Bug(
        name="public-tables-digest-depends-on-the-order",
        file=ROWS,
        before=" AS h FROM {rows} ORDER BY h",
        after=" AS h FROM {rows}",
        killed_by=f"{UNIT}::test_a_changed_public_table_asks_anew",
        note="a file written anew would be paid for again",
    ),
    Bug(
        name="public-tables-digest-forgets-a-column",
        file=ROWS,
        before="        for cell in map(read, columns)\n",
        after="        for cell in map(read, columns[:1])\n",
        killed_by=f"{UNIT}::test_a_changed_public_table_asks_anew",
        note="a change in another column would not be noticed",
    ),
    Bug(
        name="public-tables-codes-become-numbers",
        file=ROWS,
        before="Kind.TEXT if coded[place] or not fitting else",
        after="Kind.TEXT if not fitting else",
        killed_by=f"{UNIT}::test_codes_stay_texts",
        note="0151 and 151 would become one value, and meet no text of a private table",
    ),
    Bug(
        name="public-tables-declared-values-are-overwritten",
        file=ROWS,
        before="    if column.values is not None or column.low is not None or column.high is not None:\n",
        after="    if column.low is not None or column.high is not None:\n",
        killed_by=f"{UNIT}::test_what_is_declared_of_a_public_table_holds",
        note="a curator who lists keys means those",
    ),
    Bug(
        name="public-tables-any-number-of-keys",
        file=ROWS,
        before="        if 0 < len(found) <= MOST_KEYS:\n",
        after="        if found:\n",
        killed_by=f"{UNIT}::test_many_values_are_no_keys",
        note="the keys of a large table would be cut off at random",
    ),
    Bug(
        name="public-tables-a-false-unique-is-believed",
        file=ROWS,
        before="            if name not in unique:\n",
        after="            if name not in unique and not table.public:\n",
        killed_by=f"{UNIT}::test_what_a_public_table_cannot_have_is_a_fault",
        note="what is declared unique and is not would only be noticed by the first question",
    ),
    Bug(
        name="public-tables-lead-to-units",
        file=f"{POLICY}/references.py",
        before='        elif tables[name].section.values.get("public") is True:\n',
        after='        elif tables[name].section.values.get("public") is None and not tables:\n',
        killed_by=f"{UNIT}::test_a_unit_is_never_found_by_way_of_a_public_table",
        note="units would stand in a table that protects nobody",
    ),
    Bug(
        name="public-tables-have-a-unit-that-is-dropped",
        file=f"{POLICY}/table_sections.py",
        before="    for key, told in _PRIVATE.items():\n",
        after="    for key, told in list(_PRIVATE.items())[1:]:\n",
        killed_by=f"{UNIT}::test_what_a_public_table_cannot_have_is_a_fault",
        note="a curator who names a unit and leaves public = true would protect nobody, and not be told",
    ),
    Bug(
        name="public-tables-alone-are-accepted",
        file=f"{POLICY}/policy_file.py",
        before="    if tables and all(table.section",
        after="    if not tables and all(table.section",
        killed_by=f"{UNIT}::test_a_policy_of_public_tables_alone_protects_nobody",
        note="a vault that protects nobody would be opened, or fail with a riddle",
    ),
    Bug(
        name="public-groups-forget-rows-that-meet-none",
        file=GROUPS,
        before="if outer and not (sure and met and _all_known(values)):",
        after="if outer and not (sure and met):",
        killed_by=f"{GROUPS_LAW}::test_no_row_is_in_a_group_that_is_left_out",
        note="a visit of an unknown ward is in a group of a left join, too",
    ),
    Bug(
        name="public-groups-keep-what-may-be-true",
        file=GROUPS,
        before="if value is True or isinstance(value, _Unknown | _Others)",
        after="if value is True",
        killed_by=f"{GROUPS_LAW}::test_no_row_is_in_a_group_that_is_left_out",
        note="a condition on a private column may be true in some row",
    ),
    Bug(
        name="public-groups-every-pair-of-values",
        file=GROUPS,
        before="                found[side.column.name] = other\n",
        after="                found.pop(side.column.name, None)\n",
        killed_by=f"{GROUPS_LAW}::test_what_is_left_is_what_the_public_table_contains",
        note="a private column that is equal to a public one has its value",
    ),
    Bug(
        name="public-groups-of-kept-rows-are-forgotten",
        file="src/tacit/plan/sql/joins.py",
        before="        return with_all_groups(_join_sides(reader, left, right, node, outer=False))\n",
        after="        return _join_sides(reader, left, right, node, outer=False)\n",
        killed_by="tests/unit/plan/sql/test_outer_joins_with_public_tables.py"
        "::test_a_row_that_is_kept_alone_has_its_group",
        note="an outer join has a group for every public row, whatever its ON says",
    ),
    Bug(
        name="public-rows-before-their-bounds",
        file=ROWS,
        before="listed = _list_rows(connection, relation.name, columns, read)",
        after="listed = _list_rows(connection, relation.name, table.columns, read)",
        killed_by=f"{UNIT}::test_rows_are_listed_as_questions_see_them",
        note="an infinite number is the end of its column in a question",
    ),
    Bug(
        name="choices-among-groups-without-rows",
        file="src/tacit/curator/ask_first_groups.py",
        before="        if can_have_rows is None or can_have_rows(group)\n",
        after="",
        killed_by="tests/laws/test_top_k.py::test_no_group_is_chosen_that_can_have_no_row",
        note="a group that can have no row is no choice",
    ),
]
