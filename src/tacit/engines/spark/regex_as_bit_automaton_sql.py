"""Regular expressions in Spark, whose own take time that is exponential in the text: an automaton of bits instead."""

from __future__ import annotations

from collections.abc import Iterable

from tacit.engines.spark.literals import text_literal
from tacit.engines.spark.share_subexpression import write_once
from tacit.errors import InvalidPlan
from tacit.plan import Automaton, LetterRanges, automaton_of

__all__ = ["find_sql"]

_MOST = 61
"""So many letters of a pattern fit into a word beside two signs: that nothing is read yet, and that it was found."""
_START, _FOUND = 1 << 61, 1 << 62


def find_sql(text: str, pattern: str) -> str:
    """Whether a pattern is found somewhere in a text.

    Claim:      it is what `find_pattern` says, and takes time in proportion to the text.
    Because:    the letters of the pattern that may have been read last are the bits of one word, which is folded over
                the characters; what follows each letter is a constant.
    Checked by: tests/laws/test_engine_conformance.py and tests/unit/engines/spark/test_regex_as_bit_automaton_sql.py
    """
    automaton = automaton_of(pattern)
    if len(automaton.letters) > _MOST:
        raise InvalidPlan(
            f"in Spark a regular expression may have at most {_MOST} characters and classes once "
            "its repetitions are written out",
            "use a shorter one",
        )
    if automaton.always:
        return f"CASE WHEN {text} IS NOT NULL THEN TRUE END"
    fold = (
        f"aggregate(split({{x}}, ''), {_START}L, (seen, letter) -> {_step(automaton)}) "
        f"& {_bits(automaton.last) | _FOUND}L"
    )
    empty = str(automaton.empty).upper()
    body = f"CASE WHEN {{x}} = '' THEN {empty} ELSE ({fold}) <> 0L END"
    return write_once(text, lambda x: body.replace("{x}", x))


def _bits(places: Iterable[int]) -> int:
    return sum(1 << place for place in places)


def _step(automaton: Automaton) -> str:
    """The letters that may be the last read after one more character, from those before."""
    after: dict[int, int] = {_START: _bits(automaton.first), _FOUND: _FOUND}
    for place, follow in enumerate(automaton.follow):
        after[1 << place] = _bits(follow) | (_FOUND if place in automaton.found else 0)
    together: dict[int, int] = {}
    for bit, follow_bits in after.items():
        together[follow_bits] = together.get(follow_bits, 0) | bit
    reached = " | ".join(
        [f"{_bits(automaton.restart)}L"]
        + [
            f"CASE WHEN (seen & {bits}L) <> 0L THEN {follow_bits}L ELSE 0L END"
            for follow_bits, bits in together.items()
            if follow_bits
        ]
    )
    alike: dict[LetterRanges, int] = {}
    for place, letters in enumerate(automaton.letters):
        alike[letters] = alike.get(letters, 0) | 1 << place
    read = " | ".join(
        [f"{_FOUND}L"]
        + [
            f"CASE WHEN {_is_one(letters)} THEN {bits}L ELSE 0L END"
            for letters, bits in alike.items()
        ]
    )
    return f"({reached}) & ({read})"


def _is_one(letters: LetterRanges) -> str:
    ranges, negated = letters
    tests = [
        f"letter = {text_literal(low)}"
        if low == high
        else f"letter BETWEEN {text_literal(low)} AND {text_literal(high)}"
        for low, high in ranges
    ]
    return f"{'NOT ' if negated else ''}({' OR '.join(tests) or 'FALSE'})"
