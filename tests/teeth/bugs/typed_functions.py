"""Bugs in functions that analysts type: angles, spellings of other dialects, moments of higher order."""

from tests.teeth.bug import Bug

SEMANTICS = "src/tacit/plan/semantics"
ANGLES = "tests/unit/plan/semantics/test_angles.py"
LAW = "tests/laws/test_partial.py"
SHAPE = "tests/unit/plan/questions/test_shape_of_distribution.py"
SQL = "src/tacit/plan/sql"
MEANS = "tests/laws/test_functions.py::test_a_function_means_what_duckdb_means_by_it"

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
    Bug(
        name="typed-functions-units-that-have-begun-are-complete",
        file="src/tacit/plan/questions/time_spans.py",
        before='forms.compare(">=", until, since), forms.compare("<", other, one))',
        after='forms.compare("<", until, since), forms.compare("<", other, one))',
        killed_by=f"{MEANS}[TIMESTAMPDIFF]",
        note="a minute that began a second ago would count as a whole one",
    ),
    Bug(
        name="typed-functions-spans-in-hours-keep-their-days",
        file=f"{SQL}/functions.py",
        before='_WITHIN = {"day": 0, "hour": 24, "minute": 60, "second": 60}',
        after='_WITHIN = {"day": 0, "hour": 0, "minute": 60, "second": 60}',
        killed_by=f"{MEANS}[EXTRACT]",
        note="the hours of two days and three hours are three",
    ),
    Bug(
        name="typed-functions-days-apart-the-other-way-round",
        file=f"{SQL}/other_dialect_functions.py",
        before="    until, since = (calls.read(part) for part in parts)\n    return calls.forms.in_units",
        after="    since, until = (calls.read(part) for part in parts)\n    return calls.forms.in_units",
        killed_by=f"{MEANS}[DATEDIFF]",
        note="without a unit DATEDIFF has the later day first",
    ),
    Bug(
        name="typed-functions-elements-counted-from-one",
        file=f"{SQL}/other_dialect_spellings.py",
        before="        counted += 1\n    elif words",
        after="        counted += 0\n    elif words",
        killed_by="tests/unit/plan/sql/test_other_dialect_functions.py::test_another_spelling_is_the_same_question",
        note="OFFSET counts from zero: a domain would be what stands before the sign",
    ),
    Bug(
        name="typed-functions-minutes-are-months",
        file=f"{SQL}/time_formats.py",
        before='_MYSQL = _pairs("Y:Y y:y m:m d:d H:H j:j S:S b:b a:a i:M s:S M:B W:A")',
        after='_MYSQL = _pairs("Y:Y y:y m:m d:d H:H j:j S:S b:b a:a i:m s:S M:B W:A")',
        killed_by=f"{MEANS}[DATE_FORMAT]",
        note="in MySQL %i is the minute",
    ),
    Bug(
        name="typed-functions-dates-that-are-none",
        file=f"{SQL}/time_formats.py",
        before='    return make_date(forms, parts["Y"], parts["m"], parts["d"])',
        after='    return make_date(forms, parts["Y"], parts["d"], parts["m"])',
        killed_by="tests/unit/plan/sql/test_time_formats.py::test_other_texts_are_read_in_a_few_formats",
        note="the third of December would be the twelfth of March",
    ),
    Bug(
        name="typed-functions-third-moments-about-zero",
        file="src/tacit/plan/questions/shape_of_distribution.py",
        before="third = _sum(cube, _times(-3, mean, square), _times(2, mean, mean, mean))",
        after="third = _sum(cube, _times(3, mean, square), _times(2, mean, mean, mean))",
        killed_by=f"{SHAPE}::test_the_shape_is_that_of_duckdb",
        note="the skewness would be that of another distribution",
    ),
    Bug(
        name="typed-functions-kurtosis-of-everybody",
        file="src/tacit/plan/questions/shape_of_distribution.py",
        before="    adjusted = _times(_minus(count, 1), _sum(_times(_sum(count, 1), excess), 6))\n",
        after="    adjusted = _times(_minus(count, 2), _minus(count, 3), excess)\n",
        killed_by=f"{SHAPE}::test_the_shape_is_that_of_duckdb",
        note="of few rows the excess of a sample is another number",
    ),
    Bug(
        name="typed-functions-parts-from-the-end-are-one-short",
        file=f"{SEMANTICS}/function_meanings.py",
        before="return parts[place - (place > 0)] if abs(place) <= len(parts)",
        after="return parts[place - 1] if abs(place) < len(parts)",
        killed_by=f"{MEANS}[SPLIT_PART]",
        note="the last part would be the one before it, in memory alone",
    ),
    Bug(
        name="typed-functions-any-character-but-a-line-break",
        file=f"{SQL}/like_in_between_is.py",
        before='_ANY = "(.|\\\\s)"',
        after='_ANY = "."',
        killed_by="tests/unit/plan/sql/test_other_dialect_functions.py::test_a_pattern_is_of_the_whole_text",
        note="a note of two lines would match no pattern of SIMILAR TO",
    ),
    Bug(
        name="typed-functions-a-group-for-every-number-between",
        file="src/tacit/plan/questions/public_values_of_inner_keys.py",
        before="return narrower if narrower and len(narrower) < len(found) else found",
        after="return found",
        killed_by="tests/unit/plan/questions/test_public_values_of_inner_keys.py"
        "::test_a_column_that_was_calculated_has_the_values_of_its_calculation",
        note="an answer by decades would have a row of noise for each year",
    ),
    Bug(
        name="typed-functions-true-is-no-number",
        file="src/tacit/plan/questions/build_expressions.py",
        before="                return e.Literal(bool(bit), Kind.BOOLEAN)\n",
        after="                return e.Literal(bit < 2, Kind.BOOLEAN)\n",
        killed_by=f"{MEANS}[b]",
        note="b IN (0) would be the rows in which b is true",
    ),
]
