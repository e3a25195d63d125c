"""Bugs of functions that are computed for declared texts, and of the matches of regular expressions."""

from tests.teeth.bug import Bug

PLAN = "src/tacit/plan"
MATCH = "tests/unit/plan/semantics/test_regex_search.py"
TEXTS = "tests/unit/plan/questions/test_declared_text_functions.py"

BUGS = [
    Bug(
        name="matches-are-not-greedy",
        file=f"{PLAN}/semantics/regex_search.py",
        before="for target in reversed(targets)]",
        after="for target in targets]",
        killed_by=f"{MATCH}::test_a_match_is_the_one_that_duckdb_takes",
        note="ways are tried in their order",
    ),
    Bug(
        name="matches-are-not-leftmost",
        file=f"{PLAN}/semantics/regex_search.py",
        before="        waiting = list(threads)\n",
        after="        waiting = list(reversed(threads))\n",
        killed_by=f"{MATCH}::test_a_match_is_the_one_that_duckdb_takes",
        note="what begins earlier is tried first",
    ),
    Bug(
        name="matches-forget-their-groups",
        file=f"{PLAN}/semantics/regex_search.py",
        before='place = 2 * targets[0] + (kind == "close")',
        after='place = 2 * targets[0] + (kind == "open")',
        killed_by=f"{MATCH}::test_a_match_is_the_one_that_duckdb_takes",
        note="a group has a beginning and an end",
    ),
    Bug(
        name="matches-enter-states-twice",
        file=f"{PLAN}/semantics/regex_search.py",
        before="                break  # what is tried later is worse\n",
        after="                pass\n",
        killed_by=f"{MATCH}::test_a_match_is_the_one_that_duckdb_takes",
        note="what is tried after a match is worse",
    ),
    Bug(
        name="replaced-once-means-everywhere",
        file=f"{PLAN}/semantics/regex_search.py",
        before="        if not every:\n            break\n",
        after="",
        killed_by=f"{MATCH}::test_a_match_is_the_one_that_duckdb_takes",
        note="without 'g' the first match is replaced",
    ),
    Bug(
        name="words-begin-after-spaces-only",
        file=f"{PLAN}/questions/declared_text_functions.py",
        before="not text[place - 1].isalnum()",
        after='text[place - 1] == " "',
        killed_by=f"{TEXTS}::test_words_begin_where_no_letter_or_digit_stands_before",
        note="O'Neill-Smith",
    ),
    Bug(
        name="values-with-one-image-keep-the-last",
        file=f"{PLAN}/questions/declared_text_functions.py",
        before="found.setdefault(_change(value, name, change, steps), []).extend(given)",
        after="found[_change(value, name, change, steps)] = list(given)",
        killed_by=f"{TEXTS}::test_values_that_become_one_are_all_counted",
        note="two values may become one",
    ),
    Bug(
        name="texts-grow-as-they-are-replaced",
        file=f"{PLAN}/semantics/regex_search.py",
        before="        if grown > MOST_CHARACTERS:\n",
        after="        if grown > MOST_CHARACTERS**2:\n",
        killed_by=f"{MATCH}::test_what_is_replaced_does_not_grow_without_bound",
        note="a short statement made gigabytes of text when it was read",
    ),
    Bug(
        name="texts-take-steps-that-nobody-counts",
        file=f"{PLAN}/semantics/regex_search.py",
        before="        steps.take(1 + len(seen))\n",
        after="        steps.take(0)\n",
        killed_by=f"{MATCH}::test_what_is_replaced_does_not_grow_without_bound",
        note="a match that looks on to the end, at each letter, takes the square of the text",
    ),
    Bug(
        name="functions-of-texts-nest-cases",
        file=f"{PLAN}/questions/declared_text_functions.py",
        before="    if len(found) * _size(text) + len(images) > MOST_NODES:\n",
        after="    if len(images) > MOST_NODES:\n",
        killed_by=f"{TEXTS}::test_a_nest_that_cannot_be_flat_is_refused",
        note="every branch holds the whole text: branches to the power of the depth",
    ),
    Bug(
        name="texts-of-keys-are-listed-at-any-length",
        file=f"{PLAN}/questions/public_values.py",
        before="length_of(part).characters) > MOST_CHARACTERS:",
        after="length_of(part).characters) < 0:",
        killed_by=f"{TEXTS}::test_no_nest_of_functions_grows_without_bound",
        note="REPLACE by a long text made gigabytes when the groups were listed",
    ),
    Bug(
        name="rows-of-values-are-equal-in-one",
        file=f"{PLAN}/sql/like_in_between_is.py",
        before="            found.append(e.chain_conditions(e.Both, equal))\n",
        after="            found.append(e.chain_conditions(e.Either, equal))\n",
        killed_by=f"{TEXTS}::test_rows_of_values_are_compared",
        note="all values of a row are equal",
    ),
]
