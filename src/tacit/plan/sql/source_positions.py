"""The account of a text while it is read: what was read of it, and where in it a refusal belongs.

Checked by: tests/unit/plan/sql/test_statement.py
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, NoReturn

from sqlglot import exp

from tacit.errors import InvalidPlan
from tacit.plan.model.expressions import LEAVES, Called, Expression, OneOf, operands
from tacit.plan.model.function_names import Function
from tacit.plan.questions.draft import DEEPEST
from tacit.plan.semantics.regex_search import Steps
from tacit.plan.sql.allowed_syntax_nodes import (
    NODES,
    PERMITTED,
    TAUGHT_ARGUMENTS,
    TAUGHT_FUNCTIONS,
    TAUGHT_NODES,
    VARIANTS,
)
from tacit.plan.sql.precheck import SILENT, Token, kinds_of

__all__ = ["MOST_PARTS", "Account"]


MOST_PARTS = 4_000
"""Of how many parts an expression may be when it is written out: more than 2,000 tokens stand for."""

_INSTEAD = {"UNKNOWN": "write IS NULL"}
"""What to write instead of a word that cannot be left out."""
_AROUND_ARGUMENTS = {"L_PAREN", "COMMA", "R_PAREN"}
_IN_QUOTES = "write it in quotes if it is a text or a unit of time"
"""What to say of a whole argument, without which a function would mean another thing."""


def _times_again(expression: Expression) -> int:
    """How often more than once engines may look at the first operand, although it is written once."""
    match expression:
        case Called(Function.SPLIT_PART, _):
            return 2
        case Called(_, (_, *_)):
            return 1
        case OneOf(_, options):  # x = 1 OR x = 2 OR ...
            return min(len(options), 4) - 1
        case _:
            return 0


@lru_cache(maxsize=512)
def _words(text: str) -> tuple[str, ...]:
    """The words of a line of the grammar."""
    return tuple(text.split())


@dataclass(slots=True, eq=False, repr=False)
class Account:
    """What was read of a text: the places of names, and how many there were of each other word.

    `aliases` are the places of names that AS may precede, `claims` are words that the text must have, `spare` those
    that it may have.
    """

    text: str
    tokens: Sequence[Token]
    places: set[int] = field(default_factory=set)
    aliases: set[int] = field(default_factory=set)
    claims: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    spare: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    seen: set[tuple[int, str]] = field(default_factory=set)
    origins: dict[int, tuple[Expression, exp.Expr]] = field(default_factory=dict)
    parts: dict[int, tuple[Expression, int]] = field(default_factory=dict)
    """Of how many parts expressions are, each part counted as often as it would be written out."""
    depth: int = 0
    """How many expressions stand inside each other where the text is read."""
    steps: Steps = field(default_factory=Steps)
    """What functions of texts may still take."""

    def reads(self, found: Expression, node: exp.Expr) -> None:
        """Remember which node an expression was read from; refused if it is too long when it is written out.

        Claim:      what a short text costs to read is bounded, whatever it repeats.
        Because:    x BETWEEN a AND b is x >= a AND x <= b: thirty of them inside each other are a thousand million
                    parts, and what looks at an expression looks at all of them.
        Checked by: tests/unit/plan/sql/test_source_positions.py::test_what_is_written_out_is_bounded
        """
        self.origins[id(found)] = found, node
        if type(found) not in LEAVES and self._count_parts(found) > MOST_PARTS:
            reason = f"this expression has more than {MOST_PARTS:,} parts when it is written out"
            remedy = (
                "what stands in BETWEEN, or in CASE x WHEN, is needed several times: calculate it in a subquery, "
                "SELECT ... FROM (SELECT ..., <what is needed> AS x FROM t)"
            )
            self.refuse(node, reason, remedy)

    def _count_parts(self, expression: Expression) -> int:
        """Of how many parts an expression is; each is looked at once, however often it stands there."""
        known = self.parts.get(id(expression))
        if known is not None:
            return known[1]
        count = 1
        for part in operands(expression):
            count += 1 if type(part) in LEAVES else self._count_parts(part)
        again = _times_again(expression)
        if again:
            count += again * self._count_parts(operands(expression)[0])
        self.parts[id(expression)] = expression, count
        return count

    def take(self, node: exp.Expr, kind: str | None = None) -> dict[str, Any]:
        """What a node holds, all of which the caller must read; anything else that it holds is refused.

        `kind` is what it is read as, where one sort of node stands for two things.
        """
        if kind is None and type(node) not in NODES:
            self.unknown(node)
        allowed, claimed = map(_words, NODES[type(node)] if kind is None else VARIANTS[kind])
        for name, value in node.args.items():
            if value and name not in allowed:
                reason, remedy = TAUGHT_ARGUMENTS.get(
                    name, ("this part of the question is not supported", PERMITTED)
                )
                about = value[0] if isinstance(value, list) else value
                self.refuse(about if hasattr(about, "args") else node, reason, remedy)
        for word in claimed:
            self.claim(node, word)
        return node.args

    def claim(self, node: exp.Expr, word: str, times: int = 1) -> None:
        """Account for a word that a node must have or, with a ?, may have; a node that is read twice has it once."""
        if (id(node), word) not in self.seen:
            self.seen.add((id(node), word))
            if word[-1] == "?":
                self.spare[word[:-1]] += times
            else:
                self.claims[word] += times

    def take_list(self, node: exp.Expr) -> Sequence[Any]:
        """The parts of a node's list, between which there are commas."""
        parts: Sequence[Any] = self.take(node).get("expressions") or []
        self.claim(node, "COMMA", max(0, len(parts) - 1))
        return parts

    def close(self, types: Collection[str]) -> None:
        """Refuse the text if a word of it was not read, or one was read that it does not have."""
        given: defaultdict[str, int] = defaultdict(int)
        kinds = kinds_of(self.tokens, types)
        for place, (token, kind) in enumerate(zip(self.tokens, kinds, strict=True), start=1):
            if token.start in self.places or kind in SILENT:
                continue
            if kind == "ALIAS" and place < len(kinds):
                after = self.tokens[place].start
                if after in self.aliases or (after not in self.places and kinds[place] == "TYPE"):
                    continue
            given[kind] += 1
            if given[kind] > self.claims[kind] + self.spare[kind]:
                around = {each.kind for each in self.tokens[max(0, place - 2) : place + 1 : 2]}
                is_argument = len(around) == 2 or around == {"COMMA"}
                remedy = (
                    _IN_QUOTES if is_argument and around <= _AROUND_ARGUMENTS else "leave it out"
                )
                raise InvalidPlan(
                    f"{token.text!r} is not supported here",
                    _INSTEAD.get(token.text.upper(), remedy),
                    text=self.text,
                    start=token.start,
                    end=token.end,
                )
        signs = [token.kind for token in self.tokens]
        # which the parser passes over after some functions
        if signs.count("L_PAREN") != signs.count("R_PAREN"):
            reason = "the parentheses do not balance"
            raise InvalidPlan(reason, "write both", text=self.text, end=len(self.text))
        for kind in self.claims:
            if given[kind] < self.claims[kind]:
                word = kind.replace("_", " ") if kind != "COMMA" else "a comma"
                raise InvalidPlan(
                    f"{word} is missing", "write it out", text=self.text, end=len(self.text)
                )

    def unknown(self, node: exp.Expr) -> NoReturn:
        """Refuse a node that is not read, with the best remedy that is known."""
        if type(node) in TAUGHT_NODES:
            self.refuse(node, *TAUGHT_NODES[type(node)])
        if isinstance(node, exp.Func):
            start, end = self.span(node)
            name = self.text[start:end].partition("(")[0].strip()[:64]
            if "start" not in node.meta:  # which the parser does not place
                name = self._name_before(start) or node.sql_name()
            reason = f"the function {name} is not supported"
            remedy = _name_close_function(name) or PERMITTED
            self.refuse(node, *TAUGHT_FUNCTIONS.get(name.upper(), (reason, remedy)))
        self.refuse(node, "this is not supported", PERMITTED)

    def _name_before(self, start: int) -> str:
        """The name of the function in whose parentheses a place of the text is; empty if there is none."""
        inside = [token for token in self.tokens if token.start < start][-2:]
        is_call = len(inside) == 2 and inside[1].kind == "L_PAREN"
        return inside[0].text[:64] if is_call and inside[0].text.isidentifier() else ""

    def about(self, node: exp.Expr) -> _About:
        """Refusals of the plan, said about the place in the text that they come from."""
        return _About(self, node, 0)

    def nested(self, node: exp.Expr) -> _About:
        """The same, about an expression that stands inside another one; refused if too many do."""
        if self.depth >= DEEPEST:
            reason = f"expressions are nested more than {DEEPEST} levels deep"
            self.refuse(node, reason, "ask a simpler question")
        return _About(self, node, 1)

    def refuse(self, node: exp.Expr, reason: str, remedy: str) -> NoReturn:
        """Refuse a node, with its text underlined."""
        start, end = self.span(node)
        raise InvalidPlan(reason, remedy, text=self.text, start=start, end=end)

    def refuse_text(self, reason: str, remedy: str) -> NoReturn:
        """Refuse the text, of which no part can be underlined."""
        raise InvalidPlan(reason, remedy, text=self.text, end=len(self.text))

    def span(self, node: exp.Expr) -> tuple[int, int]:
        """Where a node stands in the text: from its first name or constant to its last, and the parentheses between."""
        parts = node.walk(prune=_names_type)  # whose parameters the parser may have made up
        found = [part.meta for part in parts if "start" in part.meta]
        if not found:
            return 0, len(self.text)
        start, end = min(meta["start"] for meta in found), max(meta["end"] for meta in found) + 1
        opened = 0
        for token in self.tokens:
            if token.start >= start and (token.end <= end or opened > 0):
                opened += {"L_PAREN": 1, "R_PAREN": -1}.get(token.kind, 0)
                end = max(end, token.end)
        return start, end


def _name_close_function(name: str) -> str:
    """The function that is likely meant by a name that is none; empty if there is no such function.

    >>> _name_close_function("MEDAIN"), _name_close_function("FROBNICATE")
    ('did you mean MEDIAN?', '')
    """
    known = [
        each
        for node in NODES
        if issubclass(node, exp.Func) and node not in (exp.Anonymous, exp.Case)
        for each in node.sql_names()
    ]
    close = get_close_matches(name.upper(), known, n=1, cutoff=0.75)
    return f"did you mean {close[0]}?" if close and close[0] != name.upper() else ""


@dataclass(slots=True, eq=False, repr=False)
class _About:
    """While a part of the text is read, refusals that do not say where they belong are about that part."""

    account: Account
    node: exp.Expr
    deeper: int

    def __enter__(self) -> None:
        self.account.depth += self.deeper

    def __exit__(self, _: object, refusal: BaseException | None, __: object) -> None:
        account = self.account
        account.depth -= self.deeper
        if isinstance(refusal, InvalidPlan) and refusal.text is not account.text:
            _, origin = account.origins.get(id(refusal.culprit), (None, self.node))
            raise refusal.locate(account.text, *account.span(origin)) from None


def _names_type(node: exp.Expr) -> bool:
    return isinstance(node, exp.DataType)
