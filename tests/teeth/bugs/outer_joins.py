"""Bugs of outer joins on the unit, of groups that no row can be in, and of rows that are left out by their letters."""

from tests.teeth.bug import Bug

SIDES = "src/tacit/plan/sql/full_joins_and_is_side_missing.py"
SIDES_TEST = "tests/unit/plan/sql/test_full_joins_and_is_side_missing.py"
GROUPS = "src/tacit/plan/questions/impossible_groups.py"
GROUPS_TEST = "tests/unit/plan/questions/test_impossible_groups.py"

BUGS = [
    Bug(
        name="full-join-keeps-units-twice",
        file=SIDES,
        before="Kept(theirs, left.origin.rows, present=False)",
        after="Kept(theirs, left.origin.rows, present=True)",
        killed_by=f"{SIDES_TEST}::test_a_full_join_is_a_left_join_above_the_units_that_the_left_has_not",
        note="what stands alone are the units that the left has not",
    ),
    Bug(
        name="full-join-shows-a-unit-that-may-be-missing",
        file=SIDES,
        before="names = [each for each in names if each.called != unit]",
        after="names = list(names)",
        killed_by=f"{SIDES_TEST}::test_a_unit_that_may_be_missing_is_the_same_without_its_table",
        note="a unit of one side is NULL in rows of the other",
    ),
    Bug(
        name="full-join-of-calculated-columns-is-refused",
        file=SIDES,
        before="        known = ceil(known)\n",
        after="        pass\n",
        killed_by=f"{SIDES_TEST}::test_calculated_columns_may_be_beside_all_units",
        note="the gate of all plans refuses a fraction among whole numbers",
    ),
    Bug(
        name="flag-of-a-side-is-a-column",
        file="src/tacit/plan/questions/scope.py",
        before="            and not seen.is_flag\n",
        after="",
        killed_by=f"{SIDES_TEST}::test_the_unit_of_a_side_is_not_used_otherwise",
        note="a flag stands for a unit in IS NULL and COUNT alone",
    ),
    Bug(
        name="units-of-a-side-are-all-units",
        file="src/tacit/plan/sql/expressions.py",
        before="return self.draft.units(there if condition is None else e.Both(there, condition))",
        after="return self.draft.units(condition)",
        killed_by="tests/unit/plan/test_rows_sql.py"
        "::test_the_unit_that_is_kept_by_an_outer_join_is_not_the_one_that_may_be_missing",
        note="units without that side do not count",
    ),
    Bug(
        name="possible-groups-by-the-coarsest-step",
        file=GROUPS,
        before="step = min(steps)",
        after="step = max(steps)",
        killed_by=f"{GROUPS_TEST}::test_no_row_is_in_a_group_that_is_left_out",
        note="each stretch of time is one on which every key is constant",
    ),
    Bug(
        name="possible-groups-without-null",
        file=GROUPS,
        before="for cell in (*cells, None)",
        after="for cell in cells",
        killed_by=f"{GROUPS_TEST}::test_no_row_is_in_a_group_that_is_left_out",
        note="a row without a value has keys, too",
    ),
    Bug(
        name="letters-of-unread-columns-leave-rows-out",
        file="src/tacit/engines/sources/text_files.py",
        before='read = "".join([cells[at] for at in places])',
        after='read = "".join(cells)',
        killed_by="tests/unit/engines/test_separated.py::test_the_oracle_reads_odd_rows_alike",
        note="what nobody reads does not matter, in either engine",
    ),
]
