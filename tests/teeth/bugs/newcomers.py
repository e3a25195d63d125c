"""Bugs about what a newcomer is told: of messy text files, of intervals that say nothing, of what they do not cover."""

from tests.teeth.bug import Bug

FORMATS = "src/tacit/engines/sources/guess_format.py"
GUESSED = "tests/unit/engines/sources/test_guess_format.py"
BY_COLUMN = f"{GUESSED}::test_each_column_is_judged_by_itself"
LOOKS = f"{GUESSED}::test_what_a_column_looks_like_is_told_with_what_is_to_be_settled"
NOTHING = "src/tacit/curator/answer/uninformative_intervals.py"
SAID = "tests/unit/curator/answer/test_uninformative_intervals.py"
EXPECTED = "src/tacit/curator/answer/expected_ranges.py"
PRICES = "tests/unit/curator/answer/test_expected_ranges.py"
CAPTIONS = "src/tacit/curator/answer/left_out_captions.py"
LEFT_OUT = "tests/unit/curator/answer/test_left_out_captions.py"

BUGS = [
    Bug(
        name="formats-points-of-ids-hide-decimal-commas",
        file=FORMATS,
        before="    if not any(pointed):\n        return any(commas)\n",
        after="    if any(pointed):\n        return False\n    if not any(pointed):\n        return any(commas)\n",
        killed_by=BY_COLUMN,
        note="ids that read 18.0 would keep the decimal comma of costs from being proposed",
    ),
    Bug(
        name="formats-thousands-taken-for-decimals",
        file=FORMATS,
        before="    return any(not re.fullmatch(_LIKE_THOUSANDS, cell) for cells in commas for cell in cells)",
        after="    return any(commas)",
        killed_by=BY_COLUMN,
        note="1,500 beside points is as likely fifteen hundred",
    ),
    Bug(
        name="formats-day-and-month-exchanged",
        file=FORMATS,
        before='["%d", "%m", "%Y"] if first > second else ["%m", "%d", "%Y"]',
        after='["%d", "%m", "%Y"] if first < second else ["%m", "%d", "%Y"]',
        killed_by=BY_COLUMN,
        note="most days would be unreadable, and the others wrong",
    ),
    Bug(
        name="formats-day-first-where-it-may-be-either",
        file=FORMATS,
        before="min(first, second) <= _MONTHS < max(first, second) <= _DAYS",
        after="min(first, second) <= _MONTHS and max(first, second) <= _DAYS and first != second",
        killed_by=BY_COLUMN,
        note="which comes first is the curator's to say where the rows do not",
    ),
    Bug(
        name="formats-one-letter-is-a-truth-value",
        file=FORMATS,
        before="(lower < set(pair) and min(map(len, pair)) > 1)",
        after="lower < set(pair)",
        killed_by=BY_COLUMN,
        note="a code n would be no",
    ),
    Bug(
        name="formats-other-words-replace-yes-and-no",
        file=FORMATS,
        before="        if pair is not None:\n            styles",
        after="        if pair is not None and pair not in _USUAL_TRUTHS:\n            styles",
        killed_by=BY_COLUMN,
        note="declared words replace the usual ones, so that another column's yes would be unreadable",
    ),
    Bug(
        name="formats-one-odd-text-hides-a-type",
        file=FORMATS,
        before="    if fitting[best] >= _MOST_OF_THEM * len(cells):",
        after="    if fitting[best] >= len(cells):",
        killed_by=LOOKS,
        note="one n.a. would make a column of numbers look like texts",
    ),
    Bug(
        name="formats-how-many-other-texts-is-told",
        file=FORMATS,
        before="        yield Seeming(best, OTHER_TEXTS)",
        after='        yield Seeming(best, f"{OTHER_TEXTS}, {len(cells) - fitting[best]} of them")',
        killed_by=f"{GUESSED}::test_no_cell_and_no_number_of_cells_is_told",
        note="a policy would hold an exact count of rows",
    ),
    Bug(
        name="check-forgets-the-format",
        file="src/tacit/curator/cells_of_text.py",
        before="form = declared_format(own) if isinstance(own, Separated) else {}",
        after="form: dict[str, Any] = {}",
        killed_by="tests/unit/curator/test_text_files.py::test_how_cells_are_read_is_said_without_reading_any",
        note="the curator would be shown a number with a point where commas are declared",
    ),
    Bug(
        name="init-forgets-that-rows-are-to-be-checked",
        file="src/tacit/cli/init.py",
        before="    if has_text_files(source):",
        after="    if not has_text_files(source):",
        killed_by="tests/unit/cli/test_init.py::test_after_a_text_file_its_rows_are_to_be_checked",
        note="a column no cell of which can be read would be paid for",
    ),
    Bug(
        name="nothing-said-of-a-whole-range",
        file="src/tacit/curator/answer/view_rows.py",
        before="            *tell_uninformative(columns, groups, rows),\n",
        after="",
        killed_by=f"{SAID}::test_an_interval_that_is_the_whole_range_is_said_to_say_nothing",
        note="the middle of a range is taken for an answer",
    ),
    Bug(
        name="nothing-said-of-known-numbers",
        file=NOTHING,
        before="(high - low) / whole >= NEARLY_ALL",
        after="(high - low) / whole >= 0",
        killed_by=f"{SAID}::test_a_narrower_interval_is_not_said_to_say_nothing",
        note="a number that says much would be thrown away",
    ),
    Bug(
        name="nothing-said-of-extremes",
        file=NOTHING,
        before="isinstance(measure, Ranked) and 0 < measure.rank < 1 and confidence <= SUREST",
        after="isinstance(measure, Ranked) and confidence <= SUREST",
        killed_by=f"{SAID}::test_what_has_no_range_or_always_reaches_its_end_is_not_spoken_of",
        note="the interval of a greatest value reaches to the end at every price",
    ),
    Bug(
        name="nothing-said-of-quantiles-that-are-too-sure",
        file=NOTHING,
        before=" and confidence <= SUREST",
        after="",
        killed_by=f"{SAID}::test_beyond_the_confidence_of_quantiles_nothing_is_said_of_them",
        note="beyond that confidence the interval is the range, and the number may be good all the same",
    ),
    Bug(
        name="slope-null-without-a-reason",
        file="src/tacit/curator/answer/view_rows.py",
        before="            *[why for column in missing for why in _why_missing(column, groups)],\n",
        after="",
        killed_by=f"{SAID}::test_a_slope_that_is_null_or_has_no_interval_has_a_reason",
        note="a dash, and nobody is told why",
    ),
    Bug(
        name="expected-values-lie-at-one-place",
        file=EXPECTED,
        before="_width(plan, one) ** 2 / 12 if one == two else Fraction(0)",
        after="Fraction(0)",
        killed_by=f"{PRICES}::test_the_price_of_half_the_range_is_what_it_is_said_to_be",
        note="values that do not vary have no correlation at any price",
    ),
    Bug(
        name="expected-noise-does-not-shrink",
        file=EXPECTED,
        before="Laplace(noise.scale / times)",
        after="Laplace(noise.scale / times**2)",
        killed_by=f"{PRICES}::test_the_price_of_half_the_range_is_what_it_is_said_to_be",
        note="the price of half the range would be far too low",
    ),
    Bug(
        name="left-out-names-columns-that-nobody-reads",
        file=CAPTIONS,
        before="tuple(each for each in columns if each.name in named)",
        after="columns",
        killed_by=f"{LEFT_OUT}::test_only_what_can_apply_is_said",
        note="a join hands on every column of a table, and captions spoke of all of them",
    ),
    Bug(
        name="left-out-names-windows-that-nobody-reads",
        file=CAPTIONS,
        before="tuple(each for each in windows if _window_name(each) in named)",
        after="windows",
        killed_by=f"{LEFT_OUT}::test_only_what_can_apply_is_said",
        note="a caption spoke of a column that the question never uses",
    ),
    Bug(
        name="left-out-not-told-from-the-noise",
        file="src/tacit/curator/answer/release.py",
        before="            lines.append(_NOT_COVERED if self.measured else _LEFT_OUT)\n",
        after="            pass\n",
        killed_by=f"{LEFT_OUT}::test_the_caption_says_that_intervals_do_not_cover_what_is_left_out",
        note="an interval was taken for one of the truth, which leaves rows out",
    ),
    Bug(
        name="headings-shortened-until-they-are-alike",
        file="src/tacit/curator/answer/release.py",
        before="return tuple(short) if len(set(short)) == len(short) else self.headings",
        after="return tuple(short)",
        killed_by="tests/unit/curator/answer/test_release.py"
        "::test_names_that_would_be_alike_and_those_of_a_narrow_table_are_not_shortened",
        note="nobody could tell the columns apart",
    ),
    Bug(
        name="texts-of-days-without-a-remedy",
        file="src/tacit/engines/sql/read_stored_columns.py",
        before="conversion_of_text(column.kind) if Kind.TEXT in possible else",
        after='"convert it" if Kind.TEXT in possible else',
        killed_by="tests/unit/curator/test_protect.py"
        "::test_of_days_that_a_frame_stores_as_texts_it_is_said_how_to_convert_them",
        note="a newcomer does not know how",
    ),
    Bug(
        name="left-out-not-shown-in-the-workbench",
        file="src/tacit/server/http/pages/questions.py",
        before='"left_out": [str(each) for each in release.left_out]',
        after='"left_out": []',
        killed_by="tests/unit/server/http/test_pages.py::test_what_intervals_do_not_cover_is_said_beside_them",
        note="people who ask in a browser would not be told what is left out",
    ),
    Bug(
        name="newcomers-are-told-of-a-price-that-there-is-not",
        file="src/tacit/curator/answer/expected_ranges.py",
        before="    if len(found) == len(little):\n",
        after="    if True:\n",
        killed_by="tests/unit/curator/answer/test_expected_ranges.py::test_where_no_price_is_enough_it_is_said_how_far_was_looked",
        note="explain failed where no price was enough",
    ),
]
