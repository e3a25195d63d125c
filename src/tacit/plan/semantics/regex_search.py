"""Where a regular expression is found in a text, and the text with it replaced: leftmost, greedy, in linear time.

Checked by: tests/unit/plan/semantics/test_regex_search.py
"""

from __future__ import annotations

from dataclasses import dataclass

from tacit.errors import InvalidPlan
from tacit.plan.semantics.regular_expressions import Step, compile_pattern, count_groups
from tacit.plan.semantics.value_kinds import MOST_CHARACTERS

__all__ = ["MOST_STEPS", "Steps", "extract_pattern", "replace_pattern"]

MOST_STEPS = 500_000
"""The most steps that functions of texts take while one statement is read."""


_Thread = tuple[int, tuple[int, ...]]
"""A state, and where the match began, ended, and its groups did."""


@dataclass(slots=True, eq=False, repr=False)
class Steps:
    """The steps that functions of texts may still take while a statement is read.

    Claim:      whoever writes the statement, its texts take no more than `MOST_STEPS` in all.
    Because:    each character that is read or written, each state that is entered is taken here first.
    Checked by: tests/unit/plan/questions/test_declared_text_functions.py::test_no_nest_of_functions_grows_without_bound
    """

    left: int = MOST_STEPS

    def take(self, many: int) -> None:
        """Take so many; refuse if fewer are left."""
        self.left -= many
        if self.left < 0:
            reason = f"functions of texts take more than {MOST_STEPS:,} steps here"
            raise InvalidPlan(reason, "call fewer of them, or group by the text as it is")


def extract_pattern(text: str, pattern: str, group: int = 0, steps: Steps | None = None) -> str:
    """The first match of a pattern or of one of its groups, as DuckDB gives it; an empty text if there is none.

    >>> extract_pattern("ward 12b", "[0-9]+"), extract_pattern("Smith, Ann", ", ([A-Za-z]+)", 1)
    ('12', 'Ann')
    """
    found = _find(text, pattern, 0, steps or Steps())
    if found is None:
        return ""
    start, end = found[2 * group : 2 * group + 2]
    return text[start:end] if start >= 0 else ""


def replace_pattern(
    text: str, pattern: str, new: str, *, every: bool, steps: Steps | None = None
) -> str:
    """The text with the first match of a pattern replaced, or with all of them; the pattern matches no empty text.

    Claim:      it makes no text of more than MOST_CHARACTERS beyond what it was given, and takes no more than `steps`.
    Because:    both are counted at each match, and it is refused there.
    Checked by: tests/unit/plan/semantics/test_regex_search.py::test_what_is_replaced_does_not_grow_without_bound

    >>> replace_pattern("a1b22", "[0-9]+", "#", every=True)
    'a#b#'
    """
    parts, place, grown = [], 0, 0
    steps = steps or Steps()
    while (found := _find(text, pattern, place, steps)) is not None:
        parts += [text[place : found[0]], new]
        place = found[1]
        grown += len(new)
        if grown > MOST_CHARACTERS:
            reason = f"the result of a replacement would exceed {MOST_CHARACTERS:,} characters"
            raise InvalidPlan(reason, "replace with a shorter text")
        if not every:
            break
    return "".join([*parts, text[place:]])


def _find(text: str, pattern: str, place: int, steps: Steps) -> tuple[int, ...] | None:
    """The ends of the leftmost match from a place on and of its groups; of several, the one that is tried first.

    Claim:      a text takes at most as many steps for each character as the pattern has.
    Because:    all ways are followed at once, in the order in which they are tried, and no state is entered twice.
    Checked by: tests/unit/plan/semantics/test_regex_search.py::test_no_pattern_takes_long
    """
    program = compile_pattern(pattern)
    groups = count_groups(pattern)
    nothing = (-1,) * (2 * groups + 2)
    threads: list[_Thread] = []
    best: tuple[int, ...] | None = None
    for at in range(place, len(text) + 1):
        waiting = list(threads)
        if best is None:
            waiting.append((0, (at, *nothing[1:])))
        threads, seen = [], set[int]()
        for thread in waiting:
            ended = _follow(program, thread, at, len(text), seen, threads)
            if ended is not None:
                best = (ended[0], at, *ended[2:])
                break  # what is tried later is worse
        steps.take(1 + len(seen))
        if at == len(text):
            break
        letter = text[at]
        threads = [
            (state + 1, marks)
            for state, marks in threads
            if (letters := program[state][1]) is not None and letter in letters
        ]
        if not threads and best is not None:
            break
    return best


def _follow(
    program: tuple[Step, ...],
    thread: _Thread,
    at: int,
    end: int,
    seen: set[int],
    threads: list[_Thread],
) -> tuple[int, ...] | None:
    """Follow a thread to the states that read a letter, in the order of trial; its marks if it comes to the end."""
    left = [thread]
    while left:
        state, marks = left.pop()
        if state in seen:
            continue
        seen.add(state)
        if state == len(program):
            return marks
        kind, _, targets = program[state]
        if kind == "letter":
            threads.append((state, marks))
        elif kind == "split":
            left += [(target, marks) for target in reversed(targets)]
        elif kind in {"open", "close"}:
            place = 2 * targets[0] + (kind == "close")
            left.append((state + 1, (*marks[:place], at, *marks[place + 1 :])))
        elif (kind == "start" and at == 0) or (kind == "end" and at == end):
            left.append((state + 1, marks))
    return None
