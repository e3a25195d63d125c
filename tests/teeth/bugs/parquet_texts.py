"""Bugs planted where Parquet files are read whose texts are no texts, or whose statistics are not true."""

from tests.teeth.bug import Bug

TEXTS = "src/tacit/engines/duckdb/parquet_texts.py"
LOAD = "src/tacit/engines/duckdb/load_source.py"
TEST = "tests/unit/engines/test_parquet_texts.py"

STATISTICS = "tests/unit/engines/duckdb/test_find_false_statistics.py"

MOMENTS = "src/tacit/engines/duckdb/parquet_milliseconds.py"
FILES = "tests/unit/engines/sources/test_parquet_files.py"

BUGS = [
    Bug(
        name="a-far-moment-closes-the-file",
        file=MOMENTS,
        before="        return False\n",
        after="        return True\n",
        killed_by=f"{FILES}::test_a_far_moment_changes_no_other_cell",
        note="one row would decide whether a file can be opened",
    ),
    Bug(
        name="milliseconds-beside-a-far-moment-stay-microseconds",
        file=MOMENTS,
        before="epoch_us({cell}) * 1000",
        after="epoch_us({cell})",
        killed_by=f"{FILES}::test_a_far_moment_changes_no_other_cell",
        note="one row would change what the cells of others mean",
    ),
    Bug(
        name="units-that-are-far-moments-are-one",
        file=MOMENTS,
        before='("NULL", "NULL") if is_unit else',
        after='("NULL", "NULL") if not name else',
        killed_by=f"{FILES}::test_a_unit_that_is_a_far_moment_is_nobody",
        note="two units would be one, and each would change what the other's rows weigh",
    ),
    Bug(
        name="every-column-of-milliseconds-is-restated",
        file="src/tacit/engines/duckdb/milliseconds_in_parquet_footer.py",
        before="        if called in wanted:\n",
        after="        if wanted:\n",
        killed_by="tests/unit/engines/duckdb/test_milliseconds_in_parquet_footer.py::"
        "test_a_column_of_milliseconds_is_stated_to_be_of_microseconds",
        note="a column that nobody asked for would be read as if it were a thousand times nearer to 1970",
    ),
    Bug(
        name="what-a-file-states-of-missing-texts-is-believed",
        file="src/tacit/engines/duckdb/find_false_statistics.py",
        before=" or re.fullmatch(_TEXTS, types[each])",
        after="",
        killed_by=(
            "tests/laws/test_false_statistics.py::"
            "test_no_false_statement_of_a_file_changes_an_answer[duckdb-missing]"
        ),
        note="a text that is NULL was counted, as the file states that none is",
    ),
    Bug(
        name="what-a-file-states-is-believed",
        file=LOAD,
        before="if name in misstated else",
        after="if not name else",
        killed_by=f"{STATISTICS}::test_no_statement_of_a_file_proves_a_bound_away[cost]",
        note="a cell beyond what is stated of its column is added up without its bounds",
    ),
    Bug(
        name="what-a-file-states-is-compared-with-itself",
        file="src/tacit/engines/duckdb/find_false_statistics.py",
        before="""        parts.append(f"max({read}) > {ends['max']}")""",
        after="""        parts.append(f"max({cell}) > {ends['max']}")""",
        killed_by=f"{STATISTICS}::test_a_column_that_leaves_what_is_stated_is_read_without_it[beyond the greatest]",
        note="what is stated is compared with itself",
    ),
    Bug(
        name="a-day-beyond-all-years-closes-the-file",
        file="src/tacit/engines/duckdb/find_false_statistics.py",
        before='|BOOLEAN|DECIMAL.*"',
        after='|DATE|BOOLEAN|DECIMAL.*"',
        killed_by="tests/unit/engines/test_poison.py::test_days_beyond_all_years_clamp_or_are_null",
        note="one row would decide whether a file can be opened",
    ),
    Bug(
        name="a-unit-that-is-no-text-gets-question-marks",
        file=TEXTS,
        before='f"CASE WHEN r.{name} = i.{name} THEN r.{name} END AS {name}"',
        after='f"r.{name} AS {name}"',
        killed_by=f"{TEST}::test_a_unit_whose_name_is_no_text_counts_as_if_it_were_not_there[62ff62-True]",
        note="two units become one, and each changes what the other's rows weigh",
    ),
    Bug(
        name="texts-are-believed-to-be-texts",
        file=TEXTS,
        before="return False  # what is wrong with the file besides is found when it is read",
        after="return True",
        killed_by=f"{TEST}::test_a_replacement_character_is_a_text_like_any_other",
        note="the file is read as if each of its units had a name",
    ),
    Bug(
        name="keys-are-believed-to-be-texts",
        file=LOAD,
        before='scan, _ = scan_parquet_file(connection, f"{name}_read", path, columns, columns)',
        after='scan, _ = scan_parquet_file(connection, f"{name}_read", path, columns, ())',
        killed_by=f"{TEST}::test_a_key_that_is_no_text_leads_nowhere",
        note="a key with a question mark belongs to whoever's is broken",
    ),
    Bug(
        name="units-of-several-files-are-believed-to-be-texts",
        file=LOAD,
        before='_scan_files(connection, f"{ours}_files", source, table, _unit_of(table))',
        after='_scan_files(connection, f"{ours}_files", source, table, ())',
        killed_by=f"{TEST}::test_of_several_files_one_may_have_such_units",
        note="what holds of one file holds of many",
    ),
    Bug(
        name="a-column-is-refused-only-where-a-row-needs-it",
        file=TEXTS,
        before="    if texts:\n        _check_place(stored)\n    broken =",
        after="    broken =",
        killed_by=f"{TEST}::test_a_column_by_whose_name_rows_are_numbered_is_refused_whatever_it_holds",
        note="whether a file can be opened tells of a row",
    ),
]
