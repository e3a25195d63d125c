"""Functions of texts whose values are declared: computed for each value when the question is read, by no engine.

Checked by: tests/unit/plan/questions/test_declared_text_functions.py
"""

from __future__ import annotations

from collections.abc import Callable

from tacit.errors import InvalidPlan
from tacit.plan.model import expressions as e
from tacit.plan.model.function_names import Function
from tacit.plan.model.schema import KeyValue, Kind
from tacit.plan.questions.build_expressions import Forms
from tacit.plan.questions.public_values import public_values
from tacit.plan.semantics.function_meanings import MEANINGS, lower
from tacit.plan.semantics.infer_expression_types import type_of
from tacit.plan.semantics.regex_search import Steps
from tacit.plan.semantics.value_kinds import MOST_CHARACTERS

__all__ = ["MOST_DECLARED", "MOST_NODES", "capitalise_words", "map_declared"]

MOST_DECLARED = 500
"""The most declared values for which a function is computed."""

MOST_NODES = 5_000
"""The most parts that a CASE over declared values has: each of its branches compares with the whole operand."""

_BRANCH = (
    10  # the steps that a branch counts as, which is read again by whatever looks at the question
)


def map_declared(
    forms: Forms, operand: e.Expression, name: str, change: Callable[[str], str], steps: Steps
) -> e.Expression:
    """What a function makes of a text, as a CASE over its declared values; of other values it is NULL.

    Claim:      for every declared value it is what the function says, the same in every engine; no value is longer
                than MOST_CHARACTERS, and functions of functions have no more branches than the text has values.
    Because:    the function is computed here, from the policy alone; engines compare with constants.  What is made of
                such a CASE is a CASE over the same text; what would be longer or larger is refused.
    Checked by: tests/unit/plan/questions/test_declared_text_functions.py
    """
    if isinstance(operand, e.Literal) and isinstance(operand.value, str):
        return e.Literal(_change(operand.value, name, change, steps), Kind.TEXT)
    if type_of(operand, forms.question).kind is not Kind.TEXT:
        raise InvalidPlan(f"{name} takes texts", "cast it first: CAST(x AS VARCHAR)")
    text, images = _images(forms, operand, name)
    found: dict[str, list[e.Literal]] = {}
    for value, given in images:
        found.setdefault(_change(value, name, change, steps), []).extend(given)
    if len(found) * _size(text) + len(images) > MOST_NODES:
        remedy = "compute the inner text first, or group by it as it is"
        raise InvalidPlan(f"{name} of this text has too many cases", remedy)
    branches = tuple(
        (e.OneOf(text, tuple(given)), e.Literal(made, Kind.TEXT)) for made, given in found.items()
    )
    return e.Case(branches, e.Literal(None, Kind.TEXT))


def _change(value: str, name: str, change: Callable[[str], str], steps: Steps) -> str:
    """What a function makes of one value, if that is not too long."""
    steps.take(len(value) + _BRANCH)
    made = change(value)
    if len(made) > MOST_CHARACTERS:
        reason = f"{name} would make a text of more than {MOST_CHARACTERS:,} characters"
        raise InvalidPlan(reason, "shorten it first: SUBSTR(x, 1, 100)")
    steps.take(len(made))
    return made


def _images(
    forms: Forms, operand: e.Expression, name: str
) -> tuple[e.Expression, list[tuple[str, tuple[e.Literal, ...]]]]:
    """The text that a CASE is over, and every value of the operand with those of the text that give it."""
    if (inner := _text_of_map(operand)) is not None:
        assert isinstance(operand, e.Case), "what such a function makes"
        return inner, [
            (then.value, when.options)
            for when, then in operand.branches
            if isinstance(when, e.OneOf)
            and isinstance(then, e.Literal)
            and isinstance(then.value, str)
        ]
    values = _values(forms, operand)
    if values is None or len(values) > MOST_DECLARED:
        remedy = (
            "declare its values in the policy, or use REGEXP_MATCHES, SPLIT_PART, SUBSTR or LOWER"
        )
        raise InvalidPlan(
            f"{name} needs a text with declared values, and this one has none or too many", remedy
        )
    texts = [value for value in values if isinstance(value, str)]
    return operand, [(value, (e.Literal(value, Kind.TEXT),)) for value in texts]


def _text_of_map(operand: e.Expression) -> e.Expression | None:
    """The text that a CASE compares with constants, each of one value, and is NULL if it is none of them."""
    if not isinstance(operand, e.Case) or operand.otherwise != e.Literal(None, Kind.TEXT):
        return None
    text, known = None, set[e.Literal]()
    for when, then in operand.branches:
        if not (isinstance(when, e.OneOf) and isinstance(then, e.Literal)):
            return None
        options = [each for each in when.options if isinstance(each, e.Literal)]
        if not isinstance(then.value, str) or known & set(options):
            return None
        if text not in {None, when.operand} or len(options) < len(when.options):
            return None
        text = when.operand
        known |= set(options)
    return text


def _size(expression: e.Expression) -> int:
    return 1 + sum(map(_size, e.operands(expression)))


def _values(forms: Forms, operand: e.Expression) -> tuple[KeyValue, ...] | None:
    """The values of a text, NULL not among them; None if they are not public."""
    question = forms.question
    if question is None:
        return public_values(operand)
    return question.keys[operand.place].values if isinstance(operand, e.KeyOf) else None


def capitalise_words(text: str) -> str:
    """Each letter in lower case, but in upper case where no letter or digit stands before it.

    >>> capitalise_words("new YORK-city 2nd"), capitalise_words("é_à")
    ('New York-City 2nd', 'É_À')
    """
    found = []
    for place, letter in enumerate(text):
        begins = place == 0 or not text[place - 1].isalnum()
        found.append(str(MEANINGS[Function.UPPER](letter)) if begins else lower(letter))
    return "".join(found)
