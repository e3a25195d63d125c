"""Bugs in functions that analysts type: angles, spellings of other dialects, moments of higher order."""

from tests.teeth.bug import Bug

SEMANTICS = "src/tacit/plan/semantics"
ANGLES = "tests/unit/plan/semantics/test_angles.py"
LAW = "tests/laws/test_partial.py"

BUGS = [
    Bug(
        name="typed-functions-waves-without-turning-points",
        file=f"{SEMANTICS}/angles.py",
        before="    ends = [Fraction(-1) ** (k % 2) for k in _turns(given, shift)]\n",
        after="    ends = list[Fraction]()\n",
        killed_by=f"{ANGLES}::test_values_lie_in_the_range",
        note="of angles around a right one the sine is larger than at both ends: noise would be too small",
    ),
    Bug(
        name="typed-functions-turning-points-are-those-of-the-cosine",
        file=f"{SEMANTICS}/angles.py",
        before="return _wave(given, Fraction(1, 2), lambda angle: angle.sin())",
        after="return _wave(given, Fraction(0), lambda angle: angle.sin())",
        killed_by=f"{ANGLES}::test_values_lie_in_the_range",
        note="a sine turns a quarter of a circle after a cosine",
    ),
    Bug(
        name="typed-functions-poles-are-passed-over",
        file=f"{SEMANTICS}/angles.py",
        before="_is_wide(given) or _turns(given, Fraction(1, 2)):",
        after="_is_wide(given):",
        killed_by=f"{ANGLES}::test_a_tangent_has_no_bound_where_a_pole_may_be",
        note="a row next to a right angle could change the sum by any amount",
    ),
    Bug(
        name="typed-functions-angles-turn-on-the-wrong-side",
        file=f"{SEMANTICS}/angles.py",
        before="if y.low > 0 or y.high < 0 or x.low > 0:",
        after="if y.low > 0 or y.high < 0 or x.low > 0 or x.high < 0:",
        killed_by=f"{ANGLES}::test_the_angle_of_a_point_lies_in_the_range_of_its_rectangle",
        note="west of the origin the angle jumps from half a circle to minus half a circle",
    ),
    Bug(
        name="typed-functions-zeros-with-a-sign",
        file="src/tacit/engines/sql/duckdb_functions.py",
        before='y, x = (f"(0e0 - (0e0 - {operand}))" for operand in operands)',
        after="y, x = operands",
        killed_by=f"{LAW}::test_what_a_plan_may_hold_raises_nowhere",
        note="a cell of minus zero would be half a circle away from what memory says",
    ),
    Bug(
        name="typed-functions-arcs-of-any-number",
        file=f"{SEMANTICS}/cases_without_value.py",
        before="    _beyond_one(Function.ASIN),\n",
        after="",
        killed_by="tests/unit/plan/semantics/test_cases_without_value.py::test_what_has_no_value_in_some_rows_may_be_null",
        note="to count an arc sine would be to count all rows",
    ),
]
