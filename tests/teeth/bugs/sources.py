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
        file=f"{ENGINES}/sql/read_stored_columns.py",
        before="isfinite({raw}) AND {raw} = trunc({raw}) THEN",
        after="isfinite({raw}) THEN",
        killed_by=f"{CELLS}::test_a_cell_means_the_same_in_both_engines[pyarrow]",
        note="18.5 is no integer, and the engines would disagree on what it is",
    ),
    Bug(
        name="sources-nullable-is-believed",
        file=f"{ENGINES}/sql/read_stored_columns.py",
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
        file=f"{ENGINES}/sql/unknown_keys_sql.py",
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
        file=f"{ENGINES}/sources/source_kinds.py",
        before="    _READ.add(stream)\n",
        after="",
        killed_by=f"{UNIT}/sources/test_source_kinds.py::test_a_stream_is_read_once_and_refused_afterwards",
        note="a stream that was read is empty, and would be a table without rows",
    ),
    Bug(
        name="sources-a-stream-is-described-and-then-read",
        file="src/tacit/curator/protect.py",
        before="tables[table], shared[each] = linked, ",
        after="tables[table], shared[each] = given[each], ",
        killed_by="tests/unit/curator/test_protect.py::test_a_stream_is_read_once",
        note="asking a stream for its columns reads it, and nothing is left for the engine",
    ),
    Bug(
        name="sources-a-zone-is-not-looked-at",
        file=f"{ENGINES}/sources/text_cells.py",
        before="make_timestamp(epoch_us({local}) - {ahead} * {_MINUTE})",
        after="make_timestamp(epoch_us({local}))",
        killed_by=f"{CELLS}::test_a_text_means_the_same_in_both_engines",
        note="DuckDB reads a moment with a zone as if it had none",
    ),
    Bug(
        name="sources-any-comma-may-separate-thousands-in-sql",
        file=f"{ENGINES}/sources/text_cells.py",
        before="CASE WHEN regexp_full_match({number}, {text(self._grouped)}) THEN",
        after="CASE WHEN {number} IS NOT NULL THEN",
        killed_by=f"{CELLS}::test_a_text_means_the_same_in_both_engines",
        note="1,5 would be 15 in one engine and nothing in the other",
    ),
    Bug(
        name="sources-a-rounded-text-is-an-integer",
        file=f"{ENGINES}/sources/text_cells.py",
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
        name="sources-a-format-tells-a-cell",
        file="src/tacit/engines/sources/guess_format.py",
        before='        found["decimal"] = ","\n',
        after='        found["decimal"] = lines[1].decode().strip()[-3:]\n',
        killed_by="tests/unit/curator/test_starter_policy.py::test_decimal_commas_are_proposed_and_no_cell_is_written",
        note="a policy that is written before anything is asked may be shown to anybody; cells are in the data",
    ),
    Bug(
        name="left-out-groups-that-nobody-keeps",
        file="src/tacit/curator/answer/left_out_captions.py",
        before="    return min(groups_of(question), kept * known) if question.unknown else known",
        after="    return groups_of(question)",
        killed_by="tests/unit/curator/answer/test_left_out_captions.py"
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
    Bug(
        name="sources-names-of-folders-are-cut-at-the-last-sign",
        file="src/tacit/engines/sources/source_kinds.py",
        before='[part.partition("=") for part in',
        after='[part.rpartition("=") for part in',
        killed_by="tests/unit/engines/sources/test_parquet_files.py::"
        "test_names_of_folders_are_cells_of_text_whatever_the_others_look_like",
        note="one folder whose value has an equals sign would have another key, and the whole table none",
    ),
    Bug(
        name="sources-names-of-folders-are-numbers-if-they-look-like-it",
        file="src/tacit/engines/sources/rows.py",
        before="        return _read_text(str(raw), kind, Dialect())\n",
        after="        return _read_object(int(raw) if raw.isdigit() else str(raw), kind)\n",
        killed_by="tests/unit/engines/sources/test_parquet_files.py::"
        "test_names_of_folders_are_cells_of_text_whatever_the_others_look_like",
        note="the name of a folder is a text: 007 and 7 are two",
    ),
    Bug(
        name="sources-files-of-one-table-of-several-types",
        file="src/tacit/engines/duckdb/load_source.py",
        before="        if first is not None and types != first:\n",
        after="        if first is None and types == first:\n",
        killed_by="tests/unit/engines/sources/test_parquet_files.py::"
        "test_files_of_one_table_store_its_columns_alike",
        note="a cell that one file stores as another type would fail when it is read, after the charge",
    ),
    Bug(
        name="sources-an-odd-line-of-json-ends-the-file",
        file="src/tacit/engines/sources/text_files.py",
        before="    except (ValueError, RecursionError):\n        return None\n",
        after="    except RecursionError:\n        return None\n",
        killed_by="tests/unit/engines/sources/test_text_files.py::"
        "test_an_odd_line_is_left_out_and_changes_no_other",
        note="one line that is no JSON decides whether all others are read",
    ),
    Bug(
        name="sources-a-compressed-file-is-read-as-it-is",
        file="src/tacit/engines/duckdb/load_source.py",
        before="{'gzip' if is_gzipped(path) else 'none'}",
        after="none",
        killed_by="tests/unit/engines/sources/test_text_files.py::"
        "test_a_compressed_text_file_is_read_as_the_file_itself",
        note="every row of a compressed file would be left out, and nobody would be told",
    ),
    Bug(
        name="sources-a-list-in-json-is-a-text",
        file="src/tacit/engines/sources/rows.py",
        before="    if isinstance(raw, str) and kind is not None:\n        return Dialect().read(raw, kind)\n",
        after="    if kind is not None:\n        return Dialect().read(str(raw), kind)\n",
        killed_by="tests/unit/engines/sources/test_text_files.py::test_a_cell_of_json_means_the_same_in_both_engines_whatever_the_others_are",
        note="a list or a number is no text, though it can be written as one",
    ),
]
