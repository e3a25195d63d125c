"""Bugs that somebody found who wanted to break in."""

from tests.teeth.bug import Bug

UNITS = "tests/attacks/test_units_of_several_types.py"
FAN = "tests/attacks/test_fan_out.py"
ALIKE = "tests/attacks/test_rows_that_are_alike.py"
NUMBERED = "tests/attacks/test_units_that_are_numbered.py"

BUGS = [
    Bug(
        name="units-of-any-types-are-compared-as-texts",
        file="src/tacit/engines/sql/rows.py",
        before="    check_units_alike(stored)\n",
        after="",
        killed_by=f"{UNITS}::test_types_in_which_one_unit_has_two_texts_are_refused_by_type",
        note="patient 7 of one table and patient 7.0 of another would be two persons, held at the bound each",
    ),
    Bug(
        name="units-of-memory-are-known-by-their-texts",
        file="src/tacit/engines/memory/rows.py",
        before="            return unit_text(int(unit))",
        after="            return unit_text(unit)",
        killed_by=f"{UNITS}::test_memory_knows_a_number_by_its_value",
        note="the oracle would count 7 and 7.0 as two, and agree with an engine that does",
    ),
    Bug(
        name="unit-zero-has-a-sign",
        file="src/tacit/engines/sql/read_stored_columns.py",
        before="CASE WHEN {raw} = 0 THEN {zero} WHEN {finite}",
        after="CASE WHEN {finite}",
        killed_by=f"{UNITS}::test_a_unit_whose_number_is_zero_has_no_sign",
        note="0.0 and -0.0 are equal and have two texts: what a unit is hashed with would depend on the order of rows",
    ),
    Bug(
        name="declared-keys-are-forgotten-beside-facts",
        file="src/tacit/curator/record/found_bounds.py",
        before="contributions, shared.keys)",
        after="contributions)",
        killed_by="tests/attacks/test_policy_and_facts.py::test_declared_keys_count_where_a_column_has_no_bounds",
        note="a policy's `keys` would be ignored in every table of which one number has no bounds",
    ),
    Bug(
        name="windows-tell-rows-that-are-alike-apart-each-for-itself",
        file="src/tacit/engines/sql/rows.py",
        before="for each in rows.columns) > 1",
        after="for each in rows.columns) > 9",
        killed_by=f"{ALIKE}::test_somebody_with_one_row_changes_the_answer_by_one_row",
        note="how a sort leaves such rows depends on everybody's: one row more moves the answer by fifty",
    ),
    Bug(
        name="numbers-of-units-choose-their-values",
        file="src/tacit/engines/sql/statement.py",
        before=("stored, names = relation.unit[1], relation.names\n"),
        after="stored, names = relation.unit[1], None\n",
        killed_by=f"{NUMBERED}::test_who_leaves_an_ingested_table_takes_one_value",
        note="whoever leaves an ingested table renumbers all after them, who would then bring other values",
    ),
    Bug(
        name="linked-units-forget-who-numbered-them",
        file="src/tacit/engines/duckdb/load_tables.py",
        before="unit, None, found.numbered, found.names, copied=copied)",
        after="unit, None, None, None, copied=copied)",
        killed_by=f"{NUMBERED}::test_numbers_of_one_file_are_not_taken_for_names_of_another",
        note="the fifth patient of an ingested table would be joined with the patient whose name is 5",
    ),
    Bug(
        name="numbers-of-units-are-keys",
        file="src/tacit/engines/duckdb/ingested_layout.py",
        before="    if unit in {end.unit for end in ends[:-1]}:\n        refuse_numbers(unit)\n",
        after="",
        killed_by=f"{NUMBERED}::test_numbers_are_no_keys",
        note="a foreign key would lead to whoever has its value as a number, and to another once somebody leaves",
    ),
    Bug(
        name="a-fraction-changes-by-what-others-are-hashed",
        file="src/tacit/engines/sql/distinct_values_sql.py",
        before='(_unit_text(stored, dialect), "")',
        after='("CAST(unit AS VARCHAR)", "")',
        killed_by=f"{NUMBERED}::test_a_fraction_among_units_changes_nobody_else",
        note="one unit 0.5 in a list makes doubles of all others, whose texts, and so whose values, are others",
    ),
    Bug(
        name="any-number-of-public-partners",
        file="src/tacit/engines/duckdb/engine.py",
        before="        self._checked = question, check_work(question, self._sharing)\n        if question.unknown",
        after="        if question.unknown",
        killed_by=f"{FAN}::test_what_one_row_would_make_too_much_of_is_refused_whoever_is_there[DuckDB]",
        note="a question that fails only if Bob is ill would tell so, for next to nothing",
    ),
    Bug(
        name="partners-of-a-column-that-is-read-otherwise",
        file="src/tacit/engines/duckdb/engine.py",
        before="        place = table.name, column\n",
        after="        place = (table.name, None if column is None else column.name)\n",
        killed_by=f"{FAN}::test_how_many_partners_are_known_is_asked_of_the_column_as_it_is_read[DuckDB]",
        note="who asks first without bounds lifts the limit of pairs for everybody, and changes their answers",
    ),
    Bug(
        name="partners-in-a-stack-are-not-added",
        file="src/tacit/engines/public_join_matches.py",
        before="return _check_rows(sum(_fan(part, sharing) for part in parts))",
        after="return max(_fan(part, sharing) for part in parts)",
        killed_by=f"{FAN}::test_how_much_it_is_follows_from_public_rows[in a stack-DuckDB]",
        note="a stack of many joins would make as many rows as it likes of one",
    ),
    Bug(
        name="values-can-be-assigned",
        file="src/tacit/frozen.py",
        before="    made.__setattr__, made.__delattr__ = _refuse_assignment, _refuse_deletion\n",
        after="",
        killed_by="tests/unit/test_frozen.py::test_nothing_of_a_value_can_change",
        note="a policy, a limit or a plan could change between the price and the answer",
    ),
]
