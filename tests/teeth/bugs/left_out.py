"""Bugs about what is left out: groups of NULL, captions, clipping, listed groups and constants."""

from tests.teeth.bug import Bug

LAWS = "tests/laws/test_left_out.py"
SAID = "tests/unit/curator/answer/test_left_out_captions.py"
CLIPPED = "tests/unit/curator/record/test_measure_clipping.py"
DECLARED = "tests/unit/plan/questions/test_undeclared_constants.py"
IMAGE = "tests/unit/plan/questions/test_public_values.py::test_the_groups_are_the_image_of_the_declared_domain"
MOVED = f"{LAWS}::test_a_unit_that_moves_into_the_null_group_moves_as_far_as_claimed"

BUGS = [
    Bug(
        name="null-group-forgotten-in-the-sensitivity",
        file="src/tacit/stability/question_sensitivity.py",
        before="    groups = groups_of(question)\n    once",
        after="    groups = groups_of(question) - any(key.null for key in question.keys)\n    once",
        killed_by=MOVED,
        note="one declared value and NULL are two numbers, and a unit that is replaced moves both",
    ),
    Bug(
        name="null-in-the-first-group",
        file="src/tacit/engines/sql/group_index.py",
        before="    last = whole(len(key.public_values) - 1)",
        after="    last = whole(0)",
        killed_by=f"{LAWS}::test_engines_agree_on_null_and_other_groups",
        note="rows without a ward are counted in the first ward",
    ),
    Bug(
        name="null-never-found",
        file="src/tacit/engines/sql/unknown_keys_sql.py",
        before='    return f"({name} IS NULL OR {within})" if key.null else within\n',
        after="    return within\n",
        killed_by=f"{LAWS}::test_engines_find_null_among_unknown_keys",
        note="an engine that passes over NULL answers another question than the other one",
    ),
    Bug(
        name="null-of-others-twice",
        file="src/tacit/plan/questions/draft.py",
        before="    nothing = ((e.IsNull(value), e.Literal(None, Kind.TEXT)),) if null else ()",
        after="    nothing: tuple[()] = ()",
        killed_by=f"{LAWS}::test_engines_agree_on_null_and_other_groups",
        note="NULL is counted among others, though it has a group of its own",
    ),
    Bug(
        name="null-group-of-another-question",
        file="src/tacit/plan/model/serialize.py",
        before='*(["null"] if null else [])',
        after="*[]",
        killed_by="tests/unit/plan/test_null_groups.py::test_a_group_of_null_makes_another_question",
        note="an answer without the group would be replayed for one with it",
    ),
    Bug(
        name="caption-silent",
        file="src/tacit/curator/answer/release.py",
        before="[*lines, *map(str, self.left_out)]",
        after="lines",
        killed_by=f"{SAID}::test_the_caption_and_the_receipt_say_it_too",
        note="nobody reads a field of which the table says nothing",
    ),
    Bug(
        name="left-out-units-not-said",
        file="src/tacit/curator/answer/left_out_captions.py",
        before="        *_tell_missing_units(tables, entity),\n",
        after="",
        killed_by=f"{SAID}::test_only_what_can_apply_is_said",
        note="rows without a unit are left out, and nobody is told",
    ),
    Bug(
        name="left-out-unread-cells-not-said",
        file="src/tacit/curator/answer/left_out_captions.py",
        before="        *_tell_unread_cells(parts, tables, text_tables),\n",
        after="",
        killed_by=f"{SAID}::test_cells_of_text_files_that_are_not_of_their_type_are_said_to_be_null",
        note="a column of a text file that is written in another way is NULL throughout, and nobody is told",
    ),
    Bug(
        name="left-out-text-files-of-a-folder-forgotten",
        file="src/tacit/curator/open_folder.py",
        before="for name, source in document.sources.items() if is_text_file(source)",
        after="for name, source in document.sources.items() if not is_text_file(source)",
        killed_by=f"{SAID}::test_an_opened_vault_knows_which_of_its_tables_are_text_files",
        note="the vault of a folder says it of other tables",
    ),
    Bug(
        name="left-out-keys-not-said",
        file="src/tacit/curator/answer/left_out_captions.py",
        before='(("NULL", null), ("not declared", undeclared))',
        after='(("not declared", undeclared),)',
        killed_by=f"{SAID}::test_only_what_can_apply_is_said",
        note="rows without a key are in no total and no share, and nobody is told",
    ),
    Bug(
        name="left-out-hidden-by-a-count",
        file="src/tacit/curator/answer/left_out_captions.py",
        before="    others = tuple(measure for measure in question.measures if measure not in counted)",
        after="    others = tuple(m for m in question.measures if m.value not in [each.value for each in counted])",
        killed_by=f"{SAID}::test_what_is_told_for_nothing_says_it_for_what_was_asked",
        note="a sum and a count of one column: the sum is held all the same",
    ),
    Bug(
        name="clipping-looks-before-it-pays",
        file="src/tacit/curator/find_bounds.py",
        before="    topic = clipping_topic(shared, access.scope, own.version, own.formats)\n",
        after=(
            "    topic = clipping_topic(shared, access.scope, own.version, own.formats)\n"
            "    access.engine_of(asked.tables).evaluate(plan.question, asked.terms.weights)\n"
        ),
        killed_by=f"{CLIPPED}::test_it_is_paid_for_before_a_row_is_read",
        note="rows are read though the limit refuses",
    ),
    Bug(
        name="clipping-of-held-values",
        file="src/tacit/curator/record/measure_clipping.py",
        before="        value = Field(_strip_bounds(column))",
        after="        value = Field(column)",
        killed_by=f"{CLIPPED}::test_it_counts_units_once_and_weighs_rows_as_answers_do",
        note="of values that are held between their bounds none lies outside",
    ),
    Bug(
        name="clipping-counts-rows-of-units",
        file="src/tacit/curator/record/measure_clipping.py",
        before="= Units(_null_unless(many)), Units()",
        after="= Counted(_null_unless(many)), Counted()",
        killed_by=f"{CLIPPED}::test_it_counts_units_once_and_weighs_rows_as_answers_do",
        note="the share of units is no share of rows",
    ),
    Bug(
        name="clipping-of-an-older-version",
        file="src/tacit/curator/record/measure_clipping.py",
        before='    return tag(b"clippings", scope, version, shared.contributions, about)',
        after='    return tag(b"clippings", scope, 0, shared.contributions, about)',
        killed_by=f"{CLIPPED}::test_captions_say_what_was_measured",
        note="captions would say of new rows what was measured of old ones",
    ),
    Bug(
        name="clipping-told-to-everyone",
        file="src/tacit/curator/priced_question.py",
        before="for scope in dict.fromkeys((access.scope, None))",
        after='for scope in dict.fromkeys((access.scope, None, "alice"))',
        killed_by=f"{CLIPPED}::test_one_analyst_sees_what_the_curator_measured_and_not_what_another_did",
        note="what one analyst paid for is given to another, whatever the policy says",
    ),
    Bug(
        name="groups-beyond-the-image",
        file="src/tacit/plan/questions/public_values.py",
        before="    return hull(exact) if len(exact) == len(found) else known\n",
        after="    return known\n",
        killed_by=IMAGE,
        note="ranges are rounded outward, and a bucket below the least value is listed",
    ),
    Bug(
        name="groups-of-all-that-least-chooses-from",
        file="src/tacit/plan/questions/public_values.py",
        before=(
            " for field in walk_fields(expression))\n            else self.image(expression)\n"
        ),
        after=" for field in walk_fields(expression)) else None\n",
        killed_by=IMAGE,
        note="LEAST(FLOOR(x), 3) is never 4",
    ),
    Bug(
        name="groups-of-declared-rows-alone",
        file="src/tacit/plan/questions/public_values.py",
        before="if truth and any(field.column.values",
        after="if not truth and any(field.column.values",
        killed_by="tests/unit/plan/questions/test_public_values.py::test_a_key_has_the_values_that_can_be_known",
        note="a row whose ward is not declared is in no list of wards, which is a group of its own: false",
    ),
    Bug(
        name="groups-of-branches-never-taken",
        file="src/tacit/plan/questions/public_values.py",
        before="            elif True in possible:\n",
        after="            elif possible:\n",
        killed_by=IMAGE,
        note="a branch whose condition no value within the bounds meets has no group",
    ),
    Bug(
        name="frames-compare-with-anything",
        file="src/tacit/plan/frame/column_expressions.py",
        before="        lambda scope: scope.forms.compare(operator, one.read(scope), two.read(scope)),",
        after="        lambda scope: __import__('tacit.plan').plan.Compared("
        "operator, one.read(scope), two.read(scope)),",
        killed_by=f"{DECLARED}::test_frames_refuse_it_too",
        note="a typing error that SQL refuses is paid for in a frame",
    ),
    Bug(
        name="constants-unlike-are-not-checked",
        file="src/tacit/plan/questions/build_expressions.py",
        before='        if operator in {"=", "<>"}:',
        after='        if operator == "=":',
        killed_by=f"{DECLARED}::test_a_typing_error_in_a_constant_is_refused",
        note="everything is unlike a typing error",
    ),
    Bug(
        name="constants-in-lists-are-not-checked",
        file="src/tacit/plan/questions/build_expressions.py",
        before="            check_declared(operand, constant, self.question)\n",
        after="",
        killed_by=f"{DECLARED}::test_a_typing_error_in_a_constant_is_refused",
        note="a typing error in a list is never met",
    ),
    Bug(
        name="others-lost-inside",
        file="src/tacit/plan/questions/aggregate_per_unit.py",
        before="        return replace(given, name=defined.name)",
        after="        return replace(given, name=defined.name, other=False)",
        killed_by=f"{DECLARED}::test_what_a_column_may_equal_is_read",
        note="what a column may hold does not change when a question inside names it",
    ),
    Bug(
        name="empty-groups-are-not-told",
        file="src/tacit/curator/answer/left_out_captions.py",
        before="looks & _OF_EVERY_GROUP and",
        after="looks > _OF_EVERY_GROUP and",
        killed_by="tests/unit/curator/answer/test_left_out_captions.py",
        note="a mean over groups is also over those without rows, which SQL does not have",
    ),
]
