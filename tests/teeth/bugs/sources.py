"""Bugs by which a cell would mean something else because of other rows, a file's statistics, or a dtype."""

from tests.teeth.bug import Bug

ENGINES = "src/tacit/engines"
CELLS = "tests/laws/test_cells.py"
UNIT = "tests/unit/engines"

BUGS = [
    Bug(
        name="sources-statistics-of-a-file-are-believed",
        file="src/tacit/engines/duckdb/load_source.py",
        before='return f"TRY({cell})" if stored in {"DOUBLE", "FLOAT"} else _by_code_point(cell, stored)',
        after="return _by_code_point(cell, stored)",
        killed_by=f"{CELLS}::test_a_unit_out_of_bounds_moves_a_sum_by_its_own_cell",
        note="statistics leave NaN out: one cell beyond a bound would decide what the NaN of everybody else adds up to",
    ),
    Bug(
        name="sources-dtype-decides-the-kind",
        file=f"{ENGINES}/sources/pandas_frames.py",
        before="_kinds(frame[name].dtype) if _is_asked_for(frame[name].dtype) else ANY",
        after="_kinds(frame[name].dtype)",
        killed_by=f"{UNIT}/sources/test_pandas_frames.py::test_one_cell_never_decides_a_kind",
        note="one missing cell makes doubles of integers, and a question that was answered is refused",
    ),
    Bug(
        name="sources-integers-with-one-missing-are-lost",
        file=f"{ENGINES}/sources/python_cells.py",
        before="        case Kind.INTEGER if _is_whole(raw):\n",
        after="        case Kind.INTEGER if _is_whole(raw) and raw is None:\n",
        killed_by=f"{UNIT}/sources/test_pandas_frames.py::test_one_cell_never_changes_another",
        note="one missing cell makes 18.0 of 18, which would be no integer any more, for everybody",
    ),
    Bug(
        name="sources-fractions-are-rounded-to-integers",
        file=f"{ENGINES}/sql/casts.py",
        before="isfinite({raw}) AND {raw} = trunc({raw}) THEN",
        after="isfinite({raw}) THEN",
        killed_by=f"{CELLS}::test_a_cell_means_the_same_in_both_engines[pyarrow]",
        note="18.5 is no integer, and the engines would disagree on what it is",
    ),
    Bug(
        name="sources-nullable-is-believed",
        file=f"{ENGINES}/sql/casts.py",
        before="needed = [column for column in columns if not column.nullable]",
        after="needed: list[Column] = []",
        killed_by=f"{UNIT}/test_declared.py::test_a_row_without_a_value_that_must_be_there_is_left_out",
        note="what is proved of a column that is never NULL is false of a row where it is",
    ),
    Bug(
        name="sources-nullable-is-believed-in-a-nest",
        file=f"{ENGINES}/sql/rows.py",
        before="conditions = scan_conditions(table.columns, read)",
        after="conditions: list[str] = []",
        killed_by=f"{UNIT}/test_declared.py::test_it_is_left_out_of_every_nest",
        note="the same, below a subquery or a join",
    ),
    Bug(
        name="sources-nullable-is-believed-of-unknown-keys",
        file=f"{ENGINES}/duckdb/unknown_keys.py",
        before="[*groups.conditions, *scan_conditions(needed_columns(question), read)]",
        after="[*groups.conditions]",
        killed_by=f"{UNIT}/test_declared.py::test_it_brings_no_unknown_key",
        note="the same, where keys are found",
    ),
    Bug(
        name="sources-a-plan-is-believed-about-its-columns",
        file=f"{ENGINES}/engine.py",
        before="[*base.table.columns, *columns_read(question)]",
        after="[*base.table.columns]",
        killed_by=f"{UNIT}/test_declared.py::test_a_question_that_promises_more_than_its_table_is_held_to_it",
        note="whoever builds a plan may declare a column of it never to be NULL",
    ),
    Bug(
        name="sources-what-is-not-read-is-taken-for-missing",
        file=f"{ENGINES}/duckdb/inspect_rows.py",
        before="(NOT {dialect.null_sql(",
        after="(FALSE AND NOT {dialect.null_sql(",
        killed_by=f"{UNIT}/duckdb/test_inspect_rows.py::test_what_is_not_read_is_not_taken_for_missing",
        note="a file whose cells cannot be read would look like one that has none",
    ),
    Bug(
        name="sources-a-stream-is-read-twice",
        file=f"{ENGINES}/sources/kinds.py",
        before="    _READ.add(stream)\n",
        after="",
        killed_by=f"{UNIT}/sources/test_kinds.py::test_a_stream_is_read_once_and_refused_afterwards",
        note="a stream that was read is empty, and would be a table without rows",
    ),
    Bug(
        name="sources-a-stream-is-described-and-then-read",
        file="src/tacit/curator/protect.py",
        before="DuckDB({table: rows}, connection",
        after="DuckDB({table: source}, connection",
        killed_by="tests/unit/curator/test_protect.py::test_a_stream_is_read_once",
        note="asking a stream for its columns reads it, and nothing is left for the engine",
    ),
    Bug(
        name="sources-a-zone-is-not-looked-at",
        file=f"{ENGINES}/sources/text_format.py",
        before="make_timestamp(epoch_us({local}) - {ahead} * {_MINUTE})",
        after="make_timestamp(epoch_us({local}))",
        killed_by=f"{CELLS}::test_a_text_means_the_same_in_both_engines",
        note="DuckDB reads a moment with a zone as if it had none",
    ),
    Bug(
        name="sources-a-rounded-text-is-an-integer",
        file=f"{ENGINES}/sources/text_format.py",
        before=" AND {power} = trunc({power})",
        after="",
        killed_by=f"{CELLS}::test_a_text_means_the_same_in_both_engines",
        note="15e-1 would be two",
    ),
    Bug(
        name="sources-a-fraction-decides-about-joins",
        file="src/tacit/engines/sources/python_cells.py",
        before="    if wide or (kind is Kind.NUMBER and not keys):\n",
        after="    if wide:\n",
        killed_by=(
            "tests/attacks/test_units_of_several_types.py"
            "::test_one_unit_that_is_no_integer_decides_nothing_about_the_others"
        ),
        note="a unit that is no integer makes every join with its table refused, for free",
    ),
    Bug(
        name="sources-a-format-guessed-from-rows",
        file="src/tacit/engines/sources/text_files.py",
        before='line = file.readline().encode("latin-1")',
        after='line = file.read().encode("latin-1")',
        killed_by="tests/unit/curator/test_starter.py::test_how_a_text_file_is_written_is_guessed_from_its_first_line",
        note="a policy would say which letters occur in rows",
    ),
    Bug(
        name="left-out-groups-that-nobody-keeps",
        file="src/tacit/curator/answer/left_out.py",
        before="    return min(groups_of(question), kept * known) if question.unknown else known",
        after="    return groups_of(question)",
        killed_by="tests/unit/curator/answer/test_left_out.py"
        "::test_where_keys_are_found_a_unit_is_in_no_more_groups_than_it_keeps",
        note="a caption would speak of more groups than a unit is ever in",
    ),
    Bug(
        name="sources-a-long-cell-ends-the-file",
        file="src/tacit/engines/sources/text_files.py",
        before="    csv.field_size_limit(_LONGEST_CELL)",
        after="    csv.field_size_limit(131_072)",
        killed_by=f"{UNIT}/test_separated.py::test_a_long_cell_is_one_cell[latin-1]",
        note="one cell that is longer makes every question about a file of that encoding fail after it was paid for",
    ),
]
