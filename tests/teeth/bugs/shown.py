"""Bugs planted in what is done with an answer: its rehearsal, its view, its printing, and the names of columns."""

from tests.teeth.bug import Bug

ROOM = "src/tacit/curator"
REHEARSAL = "tests/unit/curator/test_rehearse_before_payment.py"
CALLS = "tests/unit/curator/answer/test_released_functions.py"
SEARCH = "tests/laws/test_released_functions.py"
PRINTING = "tests/unit/test_printing.py"

BUGS = [
    Bug(
        name="empty-groups-have-the-first-mean",
        file="src/tacit/curator/answer/view_rows.py",
        before="    return found is not None and as_interval(found).low <= 0\n",
        after="    return found is None\n",
        killed_by="tests/unit/curator/answer/test_view_rows.py::"
        "test_groups_that_may_have_no_row_come_last_in_the_order_of_means[AVG(gain) DESC]",
        note="a declared key without rows had a mean in the middle of the range, above all real ones",
    ),
    Bug(
        name="rehearsal-skipped",
        file=f"{ROOM}/ask.py",
        before="    _rehearse(access, asked, description, fact, raw=raw)  # or here\n",
        after="",
        killed_by=f"{REHEARSAL}::test_whatever_cannot_be_shown_is_refused_before_the_charge",
        note="what cannot be shown is paid for, and asking again does not help",
    ),
    Bug(
        name="rehearsal-of-the-view-alone",
        file=f"{ROOM}/rehearse_before_payment.py",
        before="    str(release)\n    release._repr_html_()\n",
        after="",
        killed_by=f"{REHEARSAL}::test_whatever_cannot_be_shown_is_refused_before_the_charge",
        note="an answer that is computed is not yet one that is printed",
    ),
    Bug(
        name="rehearsal-of-another-confidence",
        file=f"{ROOM}/rehearse_before_payment.py",
        before="        price,\n        confidence,\n        left_out,\n        raw,\n",
        after="        price,\n        0.95,\n        left_out,\n        raw,\n",
        killed_by=f"{REHEARSAL}::test_a_shape_is_rehearsed_once_and_whatever_differs_is_another",
        note="an answer at another confidence is another one, and may be one that cannot be shown",
    ),
    Bug(
        name="rehearsal-of-numbered-columns",
        file=f"{ROOM}/rehearse_before_payment.py",
        before="look_at(_with_names(release, rehearsal.names))",
        after="look_at(release)",
        killed_by=f"{REHEARSAL}::test_names_that_cannot_be_shown_are_refused_before_the_charge",
        note="a name that cannot be shown is not looked at where numbers stand for names",
    ),
    Bug(
        name="one-row-of-a-shape-rehearsed",
        file=f"{ROOM}/rehearse_before_payment.py",
        before="look_at(_with_names(release, rehearsal.names))",
        after="look_at(_with_names(replace(release, rows=release.rows[:1]), rehearsal.names))",
        killed_by=f"{REHEARSAL}::test_a_shape_is_rehearsed_once_and_whatever_differs_is_another",
        note="of what is made up, the row that cannot be shown may be another one",
    ),
    Bug(
        name="rehearsal-at-any-price",
        file=f"{ROOM}/rehearse_before_payment.py",
        before="        entry.charge.amount.bit_length(),\n",
        after="        0,\n",
        killed_by=f"{REHEARSAL}::test_a_shape_is_rehearsed_once_and_whatever_differs_is_another",
        note="noise of another magnitude goes further than what was made up",
    ),
    Bug(
        name="rehearsal-of-one-price",
        file=f"{ROOM}/rehearse_before_payment.py",
        before="_FAR = 2 * 64",
        after="_FAR = 64",
        killed_by=f"{REHEARSAL}::test_one_reaches_as_far_as_all_prices_of_a_magnitude",
        note="a lower price of the same magnitude has up to twice as much noise",
    ),
    Bug(
        name="rehearsal-remembered-by-its-view",
        file=f"{ROOM}/rehearse_before_payment.py",
        before="    return Plan(replace(question, rows=_NO_ROWS, keys=tuple(keys)), view)",
        after=(
            "    bare = replace(question, rows=_NO_ROWS, keys=tuple(keys), measures=question.measures[:1])\n"
            "    return Plan(bare, view)"
        ),
        killed_by=f"{REHEARSAL}::test_an_answer_is_shown_without_looking_at_rows",
        note="what is measured decides what is shown",
    ),
    Bug(
        name="rehearsal-cut-by-its-limit",
        file=f"{ROOM}/rehearse_before_payment.py",
        before="        view = replace(view, limit=max(view.limit, turns * groups), offset=0)\n",
        after="        pass\n",
        killed_by=f"{REHEARSAL}::test_everything_that_is_made_up_is_shown_whatever_limit_says",
        note="what LIMIT leaves out of a rehearsal may be what comes first in the answer",
    ),
    Bug(
        name="replay-of-a-cheaper-answer",
        file=f"{ROOM}/replay_stored_answer.py",
        before="if by_price and not asked.charge.fits(entry.charge):",
        after="if by_price and asked.charge.fits(entry.charge):",
        killed_by="tests/laws/test_replay.py::"
        "test_a_higher_price_is_a_new_charge_and_a_lower_one_is_free",
        note="an answer that is passed over for being too cheap is one that is dear enough",
    ),
    Bug(
        name="rehearsal-of-usual-numbers",
        file=f"{ROOM}/rehearse_before_payment.py",
        before="return sign * (most // terms.grids[place] + ceil(_FAR * scale))",
        after="return sign * min(1_000, most // terms.grids[place] + ceil(_FAR * scale))",
        killed_by=f"{REHEARSAL}::test_few_answers_of_few_groups_are_made_up",
        note="what goes wrong goes wrong at the ends",
    ),
    Bug(
        name="rehearsal-of-facts-left-out",
        file=f"{ROOM}/rehearse_before_payment.py",
        before="_keep(rehearsal, fact(stored))",
        after="_keep(rehearsal, stored)",
        killed_by=f"{REHEARSAL}::test_what_is_found_is_rehearsed_too",
        note="bounds are read from an answer, too",
    ),
    Bug(
        name="confidence-becomes-a-float-first",
        file=f"{ROOM}/priced_question.py",
        before="if not 0 < exact < 1 or not 1e-12 <= float(exact) <= 1 - 1e-12:",
        after="if not 1e-12 <= float(exact) <= 1 - 1e-12:",
        killed_by=f"{REHEARSAL}::test_a_confidence_is_a_probability",
        note="an integer of four hundred digits is no float",
    ),
    Bug(
        name="released-day-is-a-float",
        file=f"{ROOM}/answer/intervals.py",
        before="exact = float if type_of(measure.value).kind is Kind.NUMBER else int",
        after="exact = float",
        killed_by=f"{SEARCH}::test_whatever_is_done_with_a_release_can_be_shown[extreme]",
        note="a float cannot hold every moment, and lies beyond the last one",
    ),
    Bug(
        name="released-rank-is-a-float",
        file="src/tacit/curator/answer/evaluate_shown_columns.py",
        before="return value_of_kind(seen, self._kind(expression))",
        after="return seen",
        killed_by=f"{CALLS}::test_a_rank_is_a_whole_number_wherever_it_is_used",
        note="functions of whole numbers and days are not made for floats",
    ),
    Bug(
        name="extreme-of-a-number-and-an-interval",
        file=f"{ROOM}/answer/group_windows.py",
        before="elif isinstance(value, Interval) or isinstance(last, Interval):",
        after="elif isinstance(value, Interval) and isinstance(last, Interval):",
        killed_by="tests/unit/curator/answer/test_group_windows.py::test_the_extreme_of_constants_and_noisy_numbers_is_an_interval",
        note="a CASE gives a constant in one group and a noisy number in the next",
    ),
    Bug(
        name="months-later-keeps-the-hours",
        file=f"{ROOM}/answer/released_functions.py",
        before="day = _DAY - 1 if unit in _BY_MONTHS and not whole_days else 0",
        after="day = 0",
        killed_by=f"{CALLS}::test_months_later_the_order_within_a_day_may_change",
        note="in a month without its day, a later day may come before an earlier one",
    ),
    Bug(
        name="part-of-a-moment-grows-for-ever",
        file=f"{ROOM}/answer/released_functions.py",
        before='if bounds is None or part == "year" or together:',
        after="if True:",
        killed_by=f"{CALLS}::test_parts_of_moments_have_the_ends_of_the_unit_in_which_they_grow",
        note="December comes before January",
    ),
    Bug(
        name="noisy-condition-taken-for-certain",
        file="src/tacit/curator/answer/evaluate_shown_columns.py",
        before="return unite(found, [cast_value(each, since, kind) for each in self._outcomes(operand)])",
        after="return found",
        killed_by=f"{CALLS}::test_what_noise_made_of_a_text_or_a_condition_is_not_sure",
        note="noise may have decided it",
    ),
    Bug(
        name="key-raw-in-a-terminal",
        file=f"{ROOM}/answer/release.py",
        before="return list(map(printable, [format_key(value) for value in values]))",
        after="return [format_key(value) for value in values]",
        killed_by=f"{PRINTING}::test_no_key_reaches_who_looks_at_an_answer_raw[named-rich]",
        note="a key may steer the terminal of whoever looks at it",
    ),
    Bug(
        name="heading-raw-in-a-terminal",
        file=f"{ROOM}/answer/release.py",
        before="tuple(map(printable, columns)),",
        after="tuple(columns),",
        killed_by=f"{PRINTING}::test_no_key_reaches_who_looks_at_an_answer_raw[named-rich]",
        note="a column's name may, too",
    ),
    Bug(
        name="title-raw-in-a-picture",
        file=f"{ROOM}/answer/plot.py",
        before="        printable(name),\n",
        after="        name,\n",
        killed_by=f"{PRINTING}::test_no_key_reaches_who_looks_at_an_answer_raw[named-bars]",
        note="a mark of direction turns a title round",
    ),
    Bug(
        name="fillers-are-letters",
        file="src/tacit/printing.py",
        before="if text.isprintable() and _UNSEEN.isdisjoint(text):",
        after="if text.isprintable():",
        killed_by=f"{PRINTING}::test_json_is_what_it_says_and_can_be_printed",
        note="a letter that is not seen makes two keys look alike",
    ),
    Bug(
        name="error-raw",
        file="src/tacit/errors.py",
        before="return printable_lines(super().__str__())",
        after="return super().__str__()",
        killed_by=f"{PRINTING}::test_no_error_carries_it_either",
        note="an error names a file, a column or a text",
    ),
    Bug(
        name="json-raw-on-a-terminal",
        file="src/tacit/cli/output.py",
        before="typer.echo(json_text(value, _jsonable))",
        after="import json; typer.echo(json.dumps(value, default=_jsonable, ensure_ascii=False))",
        killed_by="tests/unit/cli/test_printed.py::test_nothing_that_a_command_prints_moves_the_cursor",
        note="JSON escapes no code beyond 127",
    ),
    Bug(
        name="formula-left-in-csv",
        file=f"{ROOM}/answer/release.py",
        before=(
            "lines.writerow(\n"
            "                [spreadsheet_cell(cell) if isinstance(cell, str) else cell for cell in row]\n"
            "            )"
        ),
        after="lines.writerow(row)",
        killed_by=f"{PRINTING}::test_no_spreadsheet_computes_a_key",
        note="a spreadsheet computes what begins with =",
    ),
    Bug(
        name="headers-alike-accepted",
        file="src/tacit/engines/sources/refuse_ambiguous_names.py",
        before="        if other is not None:\n",
        after="        if other is not None and other == name:\n",
        killed_by="tests/unit/engines/sources/test_refuse_ambiguous_names.py::"
        "test_names_that_are_alike_or_missing_are_refused_before_anything_is_asked",
        note="the file passes every check, and the question is paid for and never answered",
    ),
    Bug(
        name="parquet-headers-not-looked-at",
        file="src/tacit/engines/duckdb/discover_columns.py",
        before="            _check_parquet(connection, path)\n",
        after="",
        killed_by="tests/unit/engines/sources/test_refuse_ambiguous_names.py::"
        "test_names_that_are_alike_or_missing_are_refused_before_anything_is_asked"
        "[parquet-('p', 'cost', 'cost')]",
        note="of two columns of one name the first is silently taken",
    ),
    Bug(
        name="column-without-a-name",
        file=f"{ROOM}/policy/read_column_shorthand.py",
        before="if not isinstance(name, str) or not name:",
        after="if not isinstance(name, str):",
        killed_by="tests/unit/engines/sources/test_refuse_ambiguous_names.py::"
        "test_names_that_are_alike_or_missing_are_refused_before_anything_is_asked"
        "[list-('p', '', 'cost')]",
        note="the unit's own column is called nothing, and would be summed",
    ),
    Bug(
        name="extra-not-named",
        file="src/tacit/extras.py",
        before='raise NotInstalled(for_what, missing.name or "a library", name) from None',
        after='raise NotInstalled(for_what, "a library", "all") from None',
        killed_by="tests/unit/test_extras.py::test_a_library_that_is_missing_is_named_with_what_brings_it",
        note="who lacks a library is not told what brings it",
    ),
    Bug(
        name="units-stored-unlike-are-found-after-the-charge",
        file="src/tacit/curator/open_folder.py",
        before="            check_combined([self._tables[name] for name, _ in private])\n",
        after="",
        killed_by=(
            "tests/unit/curator/test_open_folder.py"
            "::test_tables_whose_units_are_stored_unlike_are_refused_before_the_charge"
        ),
        note="a question that no engine can ever answer is paid for",
    ),
]
