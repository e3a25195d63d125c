"""Bugs planted where it is bounded what one unit can make an engine do."""

from tests.teeth.bug import Bug

ENGINES = "src/tacit/engines"
LAWS = "tests/laws/test_bounds.py"
WORK = "tests/attacks/test_work.py"
REFUSED = f"{WORK}::test_what_one_unit_would_make_too_much_of_is_refused_whoever_is_there"

BUGS = [
    Bug(
        name="duckdb-leaves-nobody-out",
        file=f"{ENGINES}/sql/rows.py",
        before="if self.bounds.limits(rows):",
        after="if False:",
        killed_by=f"{LAWS}::test_both_engines_leave_out_the_same_units",
        note="six rows that are joined with themselves eleven times are 362 million",
    ),
    Bug(
        name="memory-leaves-nobody-out",
        file=f"{ENGINES}/memory/rows.py",
        before="        if limited:\n",
        after="        if False:\n",
        killed_by=f"{LAWS}::test_a_unit_becomes_no_more_rows_than_is_proved",
        note="the same in the oracle, whose rows are then more than is proved",
    ),
    Bug(
        name="suspects-are-all-left-out",
        file=f"{ENGINES}/sql/rows.py",
        before=("        if not public and not rows.on:\n            return among\n"),
        after="        if not public:\n            return among\n",
        killed_by=f"{WORK}::test_a_unit_leaves_a_join_in_which_it_would_have_too_many_pairs[on a value-DuckDB]",
        note="a unit whose rows meet few others would be left out for those that they might have met",
    ),
    Bug(
        name="pairs-have-no-texts",
        file=f"{ENGINES}/sql/units_with_huge_joins.py",
        before='*(f"coalesce({dialect.byte_length(text)}, 0)" for text in texts)',
        after='*(f"0 * {len(text)}" for text in texts)',
        killed_by=f"{LAWS}::test_a_pair_is_as_long_as_both_its_texts",
        note="a hundred thousand pairs with texts of 64 KiB are 13 GB",
    ),
    Bug(
        name="columns-that-nobody-reads-take-room",
        file=f"{ENGINES}/sql/rows.py",
        before=("if self.bounds.reads(name)\n            else"),
        after="if True else",
        killed_by=f"{WORK}::test_texts_that_are_not_read_leave_nobody_out",
        note="whoever has long notes would be left out of joins that are about something else, in one engine",
    ),
    Bug(
        name="a-stack-of-joins-is-as-one",
        file=f"{ENGINES}/work_bounds.py",
        before="return sum((self.load(part) for part in parts), Load(0)), False",
        after="return self.load(parts[0]), False",
        killed_by=f"{LAWS}::test_a_unit_becomes_no_more_rows_than_is_proved",
        note="UNION ALL is not added up",
    ),
    Bug(
        name="rows-by-unit-and-value-are-one-by-unit",
        file=f"{ENGINES}/work_bounds.py",
        before="return {key.name for key in keys} <= names",
        after="return True",
        killed_by=f"{WORK}::test_a_unit_leaves_a_join_in_which_it_would_have_too_many_pairs"
        "[by a value, on the unit-DuckDB]",
        note="a unit with many values would meet all of them with every row",
    ),
    Bug(
        name="replaced-once",
        file="src/tacit/plan/semantics/text_lengths.py",
        before="text.characters + text.characters // len(old) * more",
        after="text.characters + more",
        killed_by=f"{LAWS}::test_what_is_replaced_is_as_long_as_its_bound_at_worst",
        note="REPLACE of every letter of a text is taken for one of a single letter",
    ),
    Bug(
        name="replaced-without-bytes",
        file="src/tacit/plan/semantics/text_lengths.py",
        before="Fraction(len(new.encode()), len(old.encode()))",
        after="Fraction(len(new), len(old))",
        killed_by=f"{LAWS}::test_what_is_replaced_is_as_long_as_its_bound_at_worst",
        note="a letter that becomes one of four bytes is counted as before",
    ),
    Bug(
        name="long-cells-are-read-whole",
        file=f"{ENGINES}/sql/read_stored_columns.py",
        before="return whole_text if uncut else dialect.cut_text(whole_text, MOST_CHARACTERS)",
        after="return whole_text",
        killed_by=f"{LAWS}::test_both_engines_read_as_much_of_a_cell",
        note="a cell of a gigabyte would be what one question fails for",
    ),
    Bug(
        name="long-texts-are-made",
        file=f"{ENGINES}/work_bounds.py",
        before="    _check_lengths(work)\n",
        after="",
        killed_by=f"{REFUSED}[one text]",
        note="a row that is there makes megabytes of a constant",
    ),
    Bug(
        name="copies-of-texts-are-not-counted",
        file=f"{ENGINES}/work_bounds.py",
        before="kept += each.times * weight if weight else 0",
        after="kept += weight",
        killed_by=f"{REFUSED}[many texts]",
        note="UNION ALL makes every text again",
    ),
    Bug(
        name="partners-are-those-of-a-rehearsal",
        file="src/tacit/curator/open_folder.py",
        before="source if table.public else []",
        after="[]",
        killed_by=f"{WORK}::test_partners_are_counted_where_a_vault_rehearses_on_empty_tables",
        note="a public table that is empty where the question is rehearsed has no partners for anybody",
    ),
    Bug(
        name="every-measure-makes-all-texts",
        file=f"{ENGINES}/sql/statement.py",
        before="own = [terms if rowset.ctes else taken.terms(terms) for _ in present]",
        after="own = [terms for _ in present]",
        killed_by=f"{WORK}::test_texts_are_made_once_for_every_measure",
        note="forty texts would be made sixteen hundred times: gigabytes that no limit of DuckDB's sees",
    ),
    Bug(
        name="joins-in-any-order",
        file="src/tacit/engines/duckdb/connection.py",
        before='"disabled_optimizers": "join_order,build_side_probe_side",',
        after='"disabled_optimizers": "",',
        killed_by=f"{WORK}::test_rows_are_joined_in_the_order_of_the_plan",
        note="what is proved of the plan's joins says nothing of those that are made",
    ),
    Bug(
        name="long-patterns-take-a-dot-for-a-dot",
        file=f"{ENGINES}/sql/duckdb_dialect.py",
        before="character.isascii() and not character.isalnum()",
        after='character in "%_"',
        killed_by=f"{LAWS}::test_long_patterns_mean_the_same_in_both_engines",
        note="signs of a pattern would be those of a regular expression",
    ),
]
