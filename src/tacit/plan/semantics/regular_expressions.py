"""Regular expressions in the part of RE2 that every engine means the same by, matched in linear time.

A pattern is made of letters, `.` (any character but a line break), classes such as `[a-z0-9_]` and `[^,]`,
`\\d`, `\\w`, `\\s` and their opposites (of ASCII), `^` and `$` (the ends of the text), groups, `|`, and
`* + ? {2} {2,5}` after a character, a class or a group.  Case matters.  Nothing else is read: no look-around,
back-references, flags, `\\b` or lazy repetition.  A text matches if the pattern is found somewhere in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from tacit.frozen import frozen

__all__ = [
    "LONGEST_PATTERN",
    "MOST_STATES",
    "Automaton",
    "LetterRanges",
    "Step",
    "automaton_of",
    "compile_pattern",
    "count_groups",
    "find_pattern",
    "is_pattern",
    "may_be_empty",
    "spell_out",
]

LONGEST_PATTERN = 200
"""The most characters of a pattern."""
MOST_STATES = 1_000
"""The most steps of a pattern after repetitions are written out: a text takes at most so many for each character."""

_DIGITS = frozenset("0123456789")
_WORDS = _DIGITS | frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_")
_SPACES = frozenset("\t\n\f\r ")
_CLASSES = {"d": _DIGITS, "w": _WORDS, "s": _SPACES}
_SPECIAL = frozenset("\\.^$|?*+()[]{}")
_ESCAPED = _SPECIAL | frozenset("-/,:;=!@#%&~")
_MOST_TIMES = 100


@frozen
class _Letters:
    """One character: of these ranges or, if `negated`, any other one."""

    ranges: tuple[tuple[str, str], ...]
    negated: bool = False

    def __contains__(self, letter: str) -> bool:
        return any(low <= letter <= high for low, high in self.ranges) is not self.negated


_ANY = _Letters((("\n", "\n"),), negated=True)


@frozen
class _Node:
    """A part of a pattern: a letter, an end of the text, a sequence, a choice or a repetition."""

    kind: str
    letters: _Letters | None = None
    parts: tuple[_Node, ...] = ()
    least: int = 1
    most: int | None = 1


class _NotRead(ValueError):
    """The pattern is none of those that are read."""


def is_pattern(pattern: str) -> bool:
    """Whether a pattern is one of those that are read.

    >>> [is_pattern(each) for each in ("^A[0-9]+$", "a|b", "(?i)a", "a{2,", "x*?")]
    [True, True, False, False, False]
    """
    if not 0 < len(pattern) <= LONGEST_PATTERN or not pattern.isprintable():
        return False
    try:
        compile_pattern(pattern)
    except _NotRead:
        return False
    return True


def find_pattern(text: str, pattern: str) -> bool:
    """Whether a pattern is found somewhere in a text, as RE2 finds it.

    >>> find_pattern("ward 12", "[0-9]{2}$"), find_pattern("ward 12", "^[0-9]")
    (True, False)

    Claim:      the text takes at most MOST_STATES steps for each of its characters, whatever pattern and text are.
    Because:    all ways of matching are followed at once, and no state is entered twice at one place.
    Checked by: tests/unit/plan/semantics/test_regular_expressions.py::test_no_pattern_takes_long
    """
    program = compile_pattern(pattern)
    states = _follow(program, {0}, at_start=True, at_end=not text)
    for place, letter in enumerate(text):
        if len(program) in states:
            return True
        reached = {state + 1 for state in states if _reads(program[state], letter)}
        reached.add(0)  # a match may begin at every place
        states = _follow(program, reached, at_start=False, at_end=place + 1 == len(text))
    return len(program) in states


LetterRanges = tuple[tuple[tuple[str, str], ...], bool]
"""Ranges of characters, and whether all others are meant."""


@frozen
class Automaton:
    """A pattern by its letters, numbered from zero: which may be read first, and which after which.

    For engines that have to match in linear time by themselves.  A text matches if `always`; if it is empty and
    `empty`; if a letter of `found` was read, or one of `last` at its end.  At every place the letters of `restart` may
    be read, at the first place also those of `first`.
    """

    letters: tuple[LetterRanges, ...]
    first: frozenset[int]
    restart: frozenset[int]
    follow: tuple[frozenset[int], ...]
    found: frozenset[int]
    last: frozenset[int]
    empty: bool
    always: bool


def automaton_of(pattern: str) -> Automaton:
    """The automaton of a pattern.

    >>> automaton_of("^ab").first, automaton_of("^ab").restart, automaton_of("ab$").last
    (frozenset({0}), frozenset(), frozenset({1}))

    Claim:      it matches the texts in which `find_pattern` finds the pattern.
    Because:    its letters are the steps that read one, and what follows each is what is reached without reading.
    Checked by: tests/unit/plan/semantics/test_regular_expressions.py::test_an_automaton_finds_the_same
    """
    program = compile_pattern(pattern)
    places = [state for state, step in enumerate(program) if step[0] == "letter"]
    number, end = {state: n for n, state in enumerate(places)}, len(program)

    def reach(state: int, *, at_start: bool = False, at_end: bool = False) -> set[int]:
        return _follow(program, {state}, at_start=at_start, at_end=at_end)

    def letters(states: set[int]) -> frozenset[int]:
        return frozenset(number[state] for state in states if state != end)

    begun, later = reach(0, at_start=True), reach(0)
    after = [reach(state + 1) for state in places]
    ends = [reach(state + 1, at_end=True) for state in places]
    found = frozenset(n for n, states in enumerate(after) if end in states)
    last = frozenset(n for n, states in enumerate(ends) if end in states)
    # what needs no letter is found at once, or in between, or where the text ends
    always = end in begun | later or end in reach(0, at_end=True)
    classes = [program[state][1] for state in places]
    return Automaton(
        tuple((each.ranges, each.negated) for each in classes if each is not None),
        letters(begun),
        letters(later),
        tuple(letters(states) for states in after),
        found,
        last,
        end in reach(0, at_start=True, at_end=True),
        always,
    )


def spell_out(pattern: str) -> str:
    """The same pattern in signs that engines agree on: classes are lists of code points, and no group is remembered.

    >>> print(spell_out("a.|[^b-c]{2}$"))
    (?:a[^\\u000a]|(?:[^b-c]){2}$)
    """
    node, _ = _choice(pattern, 0)
    return f"(?:{_spell(node)})"


def _spell(node: _Node) -> str:
    match node.kind:
        case "letter":
            assert node.letters is not None
            return _spell_letters(node.letters)
        case "start" | "end":
            return "^" if node.kind == "start" else "$"
        case "sequence":
            return "".join(
                f"(?:{_spell(part)})" if _is_choice(part) else _spell(part) for part in node.parts
            )
        case "choice":
            return "|".join(_spell(part) for part in node.parts)
        case "group":
            return _spell(node.parts[0])
        case _:
            times = f"{node.least}," if node.most is None else f"{node.least},{node.most}"
            return (
                f"(?:{_spell(node.parts[0])}){{{node.least if node.least == node.most else times}}}"
            )


def _is_choice(node: _Node) -> bool:
    return _is_choice(node.parts[0]) if node.kind == "group" else node.kind == "choice"


def _spell_letters(letters: _Letters) -> str:
    ranges = [
        _point(low) if low == high else f"{_point(low)}-{_point(high)}"
        for low, high in letters.ranges
    ]
    if len(ranges) == 1 and not letters.negated and letters.ranges[0][0] == letters.ranges[0][1]:
        return ranges[0]
    return f"[{'^' if letters.negated else ''}{''.join(ranges)}]"


def _point(letter: str) -> str:
    """A character by its code point, unless it is a letter or digit of ASCII."""
    if letter.isascii() and letter.isalnum():
        return letter
    return f"\\u{ord(letter):04x}" if ord(letter) < 1 << 16 else f"\\U{ord(letter):08x}"


Step = tuple[str, _Letters | None, tuple[int, ...]]
"""What is done next: read a letter, be at an end, try several ways in their order, or mark an end of a group."""


def _reads(step: Step, letter: str) -> bool:
    return step[0] == "letter" and step[1] is not None and letter in step[1]


def _follow(
    program: tuple[Step, ...], states: set[int], *, at_start: bool, at_end: bool
) -> set[int]:
    """The states that are reached without reading a character."""
    found: set[int] = set()
    left = list(states)
    while left:
        state = left.pop()
        if state in found:
            continue
        found.add(state)
        if state == len(program):
            continue
        kind, _, targets = program[state]
        if kind == "split":
            left += targets
        elif (
            kind in {"open", "close"}
            or (kind == "start" and at_start)
            or (kind == "end" and at_end)
        ):
            left.append(state + 1)
    return {state for state in found if state == len(program) or program[state][0] == "letter"}


# ---------------------------------------------------------------- from text to steps


@lru_cache(maxsize=200)
def compile_pattern(pattern: str) -> tuple[Step, ...]:
    """The steps of a pattern, of which each leads to the next."""
    node, place = _choice(pattern, 0)
    if place != len(pattern):
        raise _NotRead
    program: list[Step] = []
    _write(node, program)
    numbers: dict[int, int] = {}  # groups are numbered as they are opened in the text
    for kind, _, places in program:
        if kind == "open":
            numbers.setdefault(places[0], 0)
    numbers = {place: number for number, place in enumerate(sorted(numbers), 1)}
    return tuple(
        (kind, letters, (numbers[targets[0]],))
        if kind in {"open", "close"}
        else (kind, letters, targets)
        for kind, letters, targets in program
    )


def count_groups(pattern: str) -> int:
    """How many groups of a pattern are remembered.

    >>> count_groups("(a)(?:b)([0-9]+)")
    2
    """
    return max(
        (places[0] for kind, _, places in compile_pattern(pattern) if kind == "open"), default=0
    )


def may_be_empty(pattern: str) -> bool:
    """Whether a pattern is found in an empty text, or between two letters."""
    program = compile_pattern(pattern)
    return len(program) in _follow(program, {0}, at_start=True, at_end=True)


def _write(node: _Node, program: list[Step]) -> None:
    """Append the steps of a part: each leads to the next, a split to several."""
    match node.kind:
        case "group":
            program.append(("open", None, (node.least,)))
            _write(node.parts[0], program)
            program.append(("close", None, (node.least,)))
        case "letter" | "start" | "end":
            program.append((node.kind, node.letters, ()))
        case "sequence":
            for part in node.parts:
                _write(part, program)
        case "choice":
            _write_choice(node.parts, program)
        case _:
            for _ in range(node.least):
                _write(node.parts[0], program)
            if node.most is None:
                _write_loop(node.parts[0], program)
            else:
                _write_options(node.parts[0], node.most - node.least, program)
    if len(program) > MOST_STATES:
        raise _NotRead


def _write_choice(parts: tuple[_Node, ...], program: list[Step]) -> None:
    *some, last = parts
    ends = []
    for part in some:
        split = len(program)
        program.append(("split", None, ()))
        _write(part, program)
        ends.append(len(program))
        program.append(("split", None, ()))
        program[split] = ("split", None, (split + 1, len(program)))
    _write(last, program)
    for end in ends:
        program[end] = ("split", None, (len(program),))


def _write_loop(part: _Node, program: list[Step]) -> None:
    split = len(program)
    program.append(("split", None, ()))
    _write(part, program)
    program.append(("split", None, (split,)))
    program[split] = ("split", None, (split + 1, len(program)))


def _write_options(part: _Node, times: int, program: list[Step]) -> None:
    splits = []
    for _ in range(times):
        splits.append(len(program))
        program.append(("split", None, ()))
        _write(part, program)
    for split in splits:
        program[split] = ("split", None, (split + 1, len(program)))


def _choice(pattern: str, place: int) -> tuple[_Node, int]:
    """a|b|c, up to a closing parenthesis or the end."""
    parts = []
    while True:
        part, place = _sequence(pattern, place)
        parts.append(part)
        if pattern[place : place + 1] != "|":
            return (parts[0] if len(parts) == 1 else _Node("choice", parts=tuple(parts))), place
        place += 1


def _sequence(pattern: str, place: int) -> tuple[_Node, int]:
    parts: list[_Node] = []
    while place < len(pattern) and pattern[place] not in "|)":
        atom, place = _atom(pattern, place)
        times, place = _repetition(pattern, place)
        if times is not None:
            if atom.kind in {"start", "end"} or pattern[place : place + 1] in set("*+?{"):
                raise _NotRead
            atom = _Node("repeat", parts=(atom,), least=times[0], most=times[1])
        parts.append(atom)
    return _Node("sequence", parts=tuple(parts)), place


def _atom(pattern: str, place: int) -> tuple[_Node, int]:
    letter = pattern[place]
    match letter:
        case "(":
            opened, is_kept = place, not pattern.startswith("(?:", place)
            place += 1 if is_kept else 3
            if pattern[place : place + 1] == "?":
                raise _NotRead
            inside, place = _choice(pattern, place)
            if pattern[place : place + 1] != ")":
                raise _NotRead
            kept = _Node("group", parts=(inside,), least=opened) if is_kept else inside
            return kept, place + 1
        case "[":
            return _letter_class(pattern, place + 1)
        case ".":
            return _Node("letter", _ANY), place + 1
        case "^":
            return _Node("start"), place + 1
        case "$":
            return _Node("end"), place + 1
        case "\\":
            return _Node("letter", _escape(pattern, place + 1)), place + 2
        case _ if letter in _SPECIAL:
            raise _NotRead
        case _:
            return _Node("letter", _Letters(((letter, letter),))), place + 1


def _escape(pattern: str, place: int) -> _Letters:
    letter = pattern[place : place + 1]
    if letter.lower() in _CLASSES and letter:
        ranges = tuple((each, each) for each in sorted(_CLASSES[letter.lower()]))
        return _Letters(ranges, negated=letter.isupper())
    if letter and letter in _ESCAPED:
        return _Letters(((letter, letter),))
    raise _NotRead


def _repetition(pattern: str, place: int) -> tuple[tuple[int, int | None] | None, int]:
    """How often what stands before is repeated."""
    known: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
    sign = pattern[place : place + 1]
    if sign in known and sign:
        return known[sign], place + 1
    if sign != "{":
        return None, place
    closing = pattern.find("}", place)
    first, comma, last = pattern[place + 1 : max(place, closing)].partition(",")
    if closing < 0 or not _is_count(first) or (comma and last and not _is_count(last)):
        raise _NotRead
    least = int(first)
    most = least if not comma else int(last) if last else None
    if most is not None and most < least:
        raise _NotRead
    return (least, most), closing + 1


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 3 and int(text) <= _MOST_TIMES


def _letter_class(pattern: str, place: int) -> tuple[_Node, int]:
    """[a-z_], [^0-9]."""
    negated = pattern[place : place + 1] == "^"
    place += negated
    ranges: list[tuple[str, str]] = []
    while pattern[place : place + 1] != "]":
        listed, place = _class_part(pattern, place)
        ranges += listed
    if not ranges:
        raise _NotRead
    return _Node("letter", _Letters(tuple(ranges), negated)), place + 1


def _class_part(pattern: str, place: int) -> tuple[Iterator[tuple[str, str]], int]:
    low, place = _class_letter(pattern, place)
    if low is None:
        letters = _CLASSES[pattern[place - 1]]
        return iter(sorted((each, each) for each in letters)), place
    if pattern[place : place + 1] == "-" and pattern[place + 1 : place + 2] not in {"]", ""}:
        high, place = _class_letter(pattern, place + 1)
        if high is None or high < low:
            raise _NotRead
        return iter([(low, high)]), place
    return iter([(low, low)]), place


def _class_letter(pattern: str, place: int) -> tuple[str | None, int]:
    """A character of a class, or None after \\d, \\w or \\s."""
    letter = pattern[place : place + 1]
    if letter == "\\":
        escaped = pattern[place + 1 : place + 2]
        if escaped in _CLASSES:
            return None, place + 2
        if escaped and escaped in _ESCAPED:
            return escaped, place + 2
        raise _NotRead
    if not letter or letter in "[&~":
        raise _NotRead
    return letter, place + 1
