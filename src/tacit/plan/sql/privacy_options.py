"""The header that a SELECT may have, in Google's spelling: WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.5).

What it says is no part of the plan, which knows no price; whoever answers has to hold to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from fractions import Fraction
from typing import NoReturn

from tacit.errors import InvalidPlan
from tacit.frozen import frozen
from tacit.plan.questions.build_expressions import number
from tacit.plan.sql.precheck import Token

__all__ = ["Header", "Option", "header_of"]

_CALLED = ("DIFFERENTIAL_PRIVACY", "ANONYMIZATION")
_NUMBERS = ("epsilon", "delta")
_UNIT = "privacy_unit_column"
_READ = "the options are: epsilon, delta and privacy_unit_column"
_POLICY = "remove it: the policy sets the contribution bound and the threshold for groups"


@frozen
class Option:
    """What an option says: a number, or the name of a column; it stands at text[start:end]."""

    value: Fraction | str
    start: int
    end: int


@frozen
class Header:
    """The options that a text gives, by their names."""

    text: str = ""
    options: dict[str, Option] = field(default_factory=dict)

    def number(self, name: str) -> Fraction | None:
        """The number that an option is, None if it is not given."""
        found = self.options.get(name)
        return found.value if found is not None and isinstance(found.value, Fraction) else None

    @property
    def unit(self) -> str | None:
        """The column that is said to be the unit."""
        found = self.options.get(_UNIT)
        return str(found.value) if found is not None else None

    def refuse(self, name: str, reason: str, remedy: str) -> NoReturn:
        """Refuse what an option says, with its text underlined."""
        option = self.options[_UNIT if name == "unit" else name]
        raise InvalidPlan(reason, remedy, text=self.text, start=option.start, end=option.end)


def header_of(text: str, tokens: Sequence[Token]) -> tuple[Header, range]:
    """The header of a text, and the places of its tokens, which are read herewith; none, if it has none."""
    words = [token.text.upper() if token.kind == "VAR" else token.kind for token in tokens]
    found = [
        i
        for i in range(1, len(words) - 1)
        if words[i - 1 : i + 1] == ["SELECT", "WITH"] and words[i + 1] in _CALLED
    ]
    if not found:
        return Header(), range(0)
    first = found[0]
    depth = sum({"L_PAREN": 1, "R_PAREN": -1}.get(token.kind, 0) for token in tokens[:first])
    if depth or len(found) > 1:
        about = tokens[found[-1]]
        remedy = "write it once, after the SELECT of the whole question"
        raise InvalidPlan(
            "a price is paid for a whole question",
            remedy,
            text=text,
            start=about.start,
            end=about.end,
        )
    if words[first + 2 : first + 4] != ["OPTIONS", "L_PAREN"]:
        return Header(text), range(first, first + 2)
    options, place = dict[str, Option](), first + 4
    while True:
        name, option, place = _option(text, tokens, place)
        if name in options:
            _refuse(text, option, f"{name} is given twice", "write it once")
        options[name] = option
        closing = _at(text, tokens, place)
        place += 1
        if closing.kind == "R_PAREN":
            return Header(text, options), range(first, place)
        if closing.kind != "COMMA":
            _refuse(
                text,
                closing,
                "a comma or a parenthesis is missing before this",
                "write name = value, ...",
            )


def _option(text: str, tokens: Sequence[Token], place: int) -> tuple[str, Option, int]:
    """The option that begins at a place, and the place after it."""
    named, sign, value = (_at(text, tokens, place + i) for i in range(3))
    name = named.text.lower()
    if name not in (*_NUMBERS, _UNIT) or named.kind == "STRING":
        whole = Option("", named.start, value.end if sign.kind == "EQ" else named.end)
        _refuse(
            text,
            whole,
            f"the option {named.text[:64]!r} is not supported",
            f"{_POLICY}; {_READ}",
        )
    if sign.kind != "EQ":
        _refuse(text, sign, "an option needs a value", f"write {name} = ...")
    place += 3
    if (
        value.kind == "DOT"
        and (after := _at(text, tokens, place)).kind == "NUMBER"
        and after.start == value.end
    ):
        value, place = Token("NUMBER", f".{after.text}", value.start, after.end), place + 1
    if name in _NUMBERS:
        if value.kind != "NUMBER":
            _refuse(text, value, f"{name} is a number", f"write it with digits: {name} = 0.5")
        try:
            read = Fraction(number(value.text).value or 0)  # type: ignore[arg-type]
        except InvalidPlan as refusal:
            raise refusal.locate(text, value.start, value.end) from None
        return name, Option(read, named.start, value.end), place
    while place + 1 < len(tokens) and tokens[place].kind == "DOT":  # the table that it is in
        value, place = tokens[place + 1], place + 2
    if value.kind in {"STRING", "NUMBER", "L_PAREN", "R_PAREN", "COMMA"}:
        _refuse(text, value, f"{name} is a column", f"write its name: {name} = patient")
    return name, Option(value.text, named.start, value.end), place


def _at(text: str, tokens: Sequence[Token], place: int) -> Token:
    return tokens[place] if place < len(tokens) else Token("", "", len(text), len(text))


def _refuse(text: str, about: Token | Option, reason: str, remedy: str) -> NoReturn:
    raise InvalidPlan(reason, remedy, text=text, start=about.start, end=about.end)
