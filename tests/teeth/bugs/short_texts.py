"""Bugs planted where it is bounded what a short text can make Tacit do."""

from tests.teeth.bug import Bug

PLAN = "src/tacit/plan"
ANSWER = "src/tacit/curator/answer"
LAW = "tests/laws/test_work_of_texts.py::test_a_short_text_is_explained_and_answered_with_bounded_work"

BUGS = [
    Bug(
        name="texts-queries-are-not-counted",
        file=f"{PLAN}/sql/bound_queries_that_with_repeats.py",
        before="return named + sum(",
        after="return sum(",
        killed_by="tests/unit/plan/sql/test_bound_queries_that_with_repeats.py::test_each_way_to_a_query_counts",
        note="an answer that names the one before it twice is read 2**k times",
    ),
    Bug(
        name="texts-units-among-units-add-nothing",
        file=f"{PLAN}/sql/from_clause.py",
        before="size = max(scope.origin.size + 3, size_of(rows))",
        after="size = scope.origin.size + 3",
        killed_by="tests/unit/plan/test_rows_sql.py::test_units_among_units_are_steps",
        note="rows grow by conditions on units, too",
    ),
    Bug(
        name="texts-sets-are-written-out-first",
        file=f"{PLAN}/sql/grouping_sets.py",
        before="if 2 ** len(parts) > MOST_SETS:",
        after="if False:",
        killed_by=f"{LAW}[repeated: CUBE of many]",
        note="CUBE of 40 keys has a million million grouping sets",
    ),
    Bug(
        name="texts-keys-are-looked-for-twice",
        file=f"{PLAN}/questions/public_values.py",
        before="known = self.known.get(id(expression))",
        after="known = None",
        killed_by="tests/unit/plan/questions/test_public_values.py::test_no_part_of_a_key_is_looked_at_twice",
        note="a choice is looked at as a choice and as a calculation: 2**depth",
    ),
    Bug(
        name="texts-released-parts-are-computed-again",
        file=f"{ANSWER}/evaluate_shown_columns.py",
        before="        self.computed[id(expression)] = expression, found\n",
        after="",
        killed_by=f"{LAW}[middle chain: choices of numbers]",
        note="a CASE looks at its parts as numbers, and again as what may hold: 2**depth",
    ),
    Bug(
        name="texts-names-of-folds-are-as-long-as-they-come",
        file=f"{PLAN}/questions/aggregate_per_unit.py",
        before="if len(inside) > _LONGEST_LABEL:",
        after="if False:",
        killed_by="tests/unit/plan/questions/test_aggregate_per_unit.py::test_names_do_not_grow_without_end",
        note="four folds of what four folds made have names of 4**k letters, which the ledger keeps",
    ),
    Bug(
        name="texts-made-up-answers-are-joined-in-full",
        file=f"{ANSWER}/combined_rows.py",
        before="if most is not None and len(found) >= most:",
        after="if False:",
        killed_by="tests/unit/curator/answer/test_combined_rows.py::test_joins_of_made_up_answers_are_short",
        note="sixteen made-up answers of which four groups have the same keys have 65,536 rows",
    ),
    Bug(
        name="texts-extremes-have-any-number-of-operands",
        file=f"{PLAN}/rewrite/canonical.py",
        before="while len(parts) > MOST_OPERANDS:",
        after="while False:",
        killed_by="tests/laws/test_work_of_texts.py::test_frames_of_many_groups_have_extremes",
        note="the greatest of 33 groups failed as a mistake of ours",
    ),
    Bug(
        name="texts-limits-are-tried-twice-at-each-level",
        file=f"{PLAN}/sql/precheck.py",
        before="if strays > _MOST_STRAYS:",
        after="if False:",
        killed_by=f"{LAW}[deeply nested: limits in parentheses]",
        note="the parser takes twice as long for each level",
    ),
    Bug(
        name="texts-operands-are-evaluated-for-every-option",
        file=f"{PLAN}/semantics/evaluate.py",
        before="    return is_one\n",
        after="    return _logical(True, *(_strict(eq, value, other) for other in others))\n",
        killed_by="tests/unit/plan/semantics/test_evaluate.py::test_what_is_one_of_several_is_computed_once",
        note="x IN (1, 2, 3) inside itself was computed 3**depth times",
    ),
    Bug(
        name="texts-views-of-many-groups-show-as-much-as-they-like",
        file=f"{PLAN}/validate_plan.py",
        before="if rows * parts > _MOST_VIEW_WORK:",
        after="if False:",
        killed_by="tests/unit/plan/test_validate_plan.py::test_what_is_computed_of_an_answer_is_bounded",
        note="a million groups, of each of which thousands of parts are computed, again at every free replay",
    ),
]
