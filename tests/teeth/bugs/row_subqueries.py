"""Bugs of subqueries that rows are compared with: when they are released, what they are, and what they cost."""

from tests.teeth.bug import Bug

CURATOR, PLAN = "src/tacit/curator", "src/tacit/plan"
LAWS = "tests/laws/test_row_subqueries.py"
MEANING = f"{LAWS}::test_rows_are_compared_as_sql_says"
REWRITE = "tests/unit/plan/rewrite/test_fill_in_subqueries.py"
PROVE = "tests/unit/plan/test_prove_subqueries.py"
GENERATED = (
    "tests/laws/test_generated_statements.py::test_generated_statements_keep_their_promise[0]"
)
READ = "tests/unit/plan/sql/test_row_subqueries.py"

BUGS = [
    Bug(
        name="row-subqueries-are-named-without-their-constants",
        file=f"{CURATOR}/ask_combined.py",
        before="        about += name_subqueries(plan, {place: number for number, place in enumerate(order)})\n",
        after="        pass\n",
        killed_by=f"{LAWS}::test_another_constant_is_another_question",
        note="twice the mean is another constant of the same parts",
    ),
    Bug(
        name="days-of-subqueries-have-no-bounds",
        file=f"{PLAN}/sql/row_subqueries.py",
        before="        return Column(name, kind, first, last)\n",
        after="        return Column(name, kind)\n",
        killed_by=f"{READ}::test_a_day_has_the_bounds_of_its_grid",
        note="the days between two days were summed with the noise of the whole calendar",
    ),
    Bug(
        name="subqueries-number-parts-as-they-are-written",
        file=f"{CURATOR}/answer/subquery_constants.py",
        before="replace(leaf, part=numbers[leaf.part])",
        after="replace(leaf, part=leaf.part)",
        killed_by="tests/laws/test_row_subqueries.py::test_the_same_parts_in_another_order_are_free",
        note="the same parts in another order were charged and drawn again",
    ),
    Bug(
        name="row-subqueries-are-not-held-between-bounds",
        file=f"{PLAN}/rewrite/fill_in_subqueries.py",
        before="            found = end\n",
        after="            pass\n",
        killed_by=f"{REWRITE}::test_a_released_value_is_held_between_the_bounds_of_its_column",
        note="what was proved holds between the bounds alone",
    ),
    Bug(
        name="row-subqueries-of-no-rows-are-zero",
        file=f"{PLAN}/rewrite/fill_in_subqueries.py",
        before="isfinite(value)):\n        return None",
        after="isfinite(value)):\n        return 0",
        killed_by=f"{REWRITE}::test_a_released_value_is_held_between_the_bounds_of_its_column",
        note="a mean of nothing is NULL, and nothing is greater than it",
    ),
    Bug(
        name="row-subqueries-fill-in-another-place",
        file=f"{PLAN}/rewrite/fill_in_subqueries.py",
        before="Literal(values[node.place], node.column.kind)",
        after="Literal(values[min(values)], node.column.kind)",
        killed_by=f"{MEANING}[two of the same rows]",
        note="each subquery has a constant of its own",
    ),
    Bug(
        name="row-subqueries-wait-for-themselves",
        file=f"{PLAN}/rewrite/fill_in_subqueries.py",
        before="max((1 + stages[place] for place in subqueries_in(question)), default=0)",
        after="max((0 * stages[place] for place in subqueries_in(question)), default=0)",
        killed_by=f"{REWRITE}::test_what_is_compared_is_not_measured_with_what_it_is_compared_with",
        note="a part cannot be released before itself",
    ),
    Bug(
        name="row-subqueries-in-lists-compare-with-the-first",
        file=f"{CURATOR}/answer/subquery_constants.py",
        before="rows[each.row][0]",
        after="rows[0][0]",
        killed_by=f"{MEANING}[in the largest groups]",
        note="IN compares with every row of the answer",
    ),
    Bug(
        name="row-subqueries-that-are-missing-make-not-in-unknown",
        file=f"{PLAN}/sql/row_subqueries.py",
        before='found.append(e.Both(there, forms.compare("=", value, each)))',
        after='found.append(forms.compare("=", value, each))',
        killed_by=f"{LAWS}::test_not_in_fewer_groups_than_there_might_be_is_true",
        note="of fewer rows than LIMIT allows, the others are no values",
    ),
    Bug(
        name="row-subqueries-may-give-several-rows",
        file=f"{PLAN}/sql/row_subqueries.py",
        before="if not alone and plan.plan.view.limit != 1 and",
        after="if alone and plan.plan.view.limit != 1 and",
        killed_by=f"{LAWS}::test_what_would_not_be_a_constant_is_refused_before_it_is_paid_for",
        note="a scalar is one value",
    ),
    Bug(
        name="row-subqueries-may-be-correlated",
        file=f"{PLAN}/sql/row_subqueries.py",
        before="    if reader.scope is None:\n        return\n    inside",
        after="    if reader.scope is not None:\n        return\n    inside",
        killed_by=f"{LAWS}::test_what_would_not_be_a_constant_is_refused_before_it_is_paid_for",
        note="another question for each row is no constant",
    ),
    Bug(
        name="row-subqueries-pass-the-gate-alone",
        file=f"{PLAN}/validate_plan.py",
        before="    _check_constants(question, subqueries)\n",
        after="    _check_constants(question, subqueries) if subqueries else None\n",
        killed_by=f"{PROVE}::test_a_part_alone_may_not_wait_for_anything",
        note="a plan of its own has nothing to wait for",
    ),
    Bug(
        name="row-subqueries-are-filled-in-by-hand",
        file=f"{PLAN}/validate_plan.py",
        before="                part.value is None\n                and _is_place",
        after="                _is_place",
        killed_by=f"{PROVE}::test_a_constant_that_was_filled_in_by_hand_is_refused",
        note="a constant beyond its bounds is not what was proved",
    ),
    Bug(
        name="row-subqueries-claim-narrower-bounds",
        file=f"{PLAN}/validate_plan.py",
        before="and subqueries[part.place].column == part.column",
        after="and subqueries[part.place].column.kind is part.column.kind",
        killed_by=f"{PROVE}::test_bounds_that_a_part_claims_are_those_of_the_subquery",
        note="a constant is held between the bounds of its subquery",
    ),
    Bug(
        name="row-subqueries-are-never-null",
        file=f"{PLAN}/validate_plan.py",
        before="        if not each.column.nullable:\n            _refuse_malformed()\n",
        after="",
        killed_by=f"{PROVE}::test_a_constant_claims_what_its_subquery_is",
        note="an answer may have no row",
    ),
    Bug(
        name="row-subqueries-are-looked-at-in-any-order",
        file=f"{CURATOR}/ask_combined.py",
        before="for place in order_parts(asked.plan):  # look, and let go",
        after="for place in reversed(order_parts(asked.plan)):  # look, and let go",
        killed_by=f"{LAWS}::test_what_was_charged_and_never_answered_is_answered_without_a_second_charge",
        note="what rows are compared with is released before",
    ),
    Bug(
        name="row-subqueries-are-a-leaf-of-known-values",
        file=f"{PLAN}/questions/public_values.py",
        before="    if isinstance(expression, e.SubqueryValue):\n        return True\n",
        after="    if isinstance(expression, e.SubqueryValue):\n        return False\n",
        killed_by=f"{MEANING}[as a key by its place]",
        note="which groups there are cannot hang on a constant that is not released yet",
    ),
    Bug(
        name="public-lists-of-nobody-have-owners",
        file=f"{PLAN}/model/ownership.py",
        before="        case Inner(inner, _, ()) if owner_of(inner) is Owner.NOBODY:\n",
        after="        case Inner(inner, _, _) if owner_of(inner) is Owner.ROW:\n",
        killed_by="tests/laws/test_public_lists.py::test_a_value_is_looked_up_as_sql_says[patient-0]",
        note="which values a public column has is nobody's",
    ),
    Bug(
        name="public-lists-with-null-find-the-others",
        file=f"{PLAN}/sql/semi_joins.py",
        before="        unknown.append(e.Both(e.Not(found), there_too))\n",
        after="        unknown.append(e.Both(found, there_too))\n",
        killed_by="tests/laws/test_public_lists.py::test_a_value_is_looked_up_as_sql_says[patient-2]",
        note="what is not found among values and NULL may be that NULL",
    ),
    Bug(
        name="public-lists-count-a-row-for-each-equal-value",
        file="src/tacit/engines/sql/rows.py",
        before='who = ["unit"] if found.unit else []  # of public rows, which values there are',
        after='who = ["unit"] if found.unit else ["row_number() OVER ()"]',
        killed_by="tests/laws/test_public_lists.py::test_a_value_is_looked_up_as_sql_says[patient-0]",
        note="each value meets a row once",
    ),
    Bug(
        name="row-subqueries-are-null-in-memory",
        file=f"{PLAN}/semantics/evaluate.py",
        before="            return compile_expression(value)\n",
        after="            return compile_expression(e.Literal(None, value.kind))\n",
        killed_by=GENERATED,
        environment={"FIRST_STATEMENT": "456"},
        note="engines compare rows with the same constant",
    ),
    Bug(
        name="row-subqueries-are-null-in-sql",
        file="src/tacit/engines/sql/expressions.py",
        before="            return render(value, read)\n",
        after="            return render(Literal(None, value.kind), read)\n",
        killed_by=GENERATED,
        environment={"FIRST_STATEMENT": "456"},
        note="engines compare rows with the same constant",
    ),
]
