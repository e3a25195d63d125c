"""Functions of texts whose values are declared: computed for each value when the question is read, by no engine.

Checked by: tests/unit/plan/questions/test_declared_texts.py
"""

from collections.abc import Callable

from tacit.errors import InvalidPlan
from tacit.plan.model import expressions as e
from tacit.plan.model.functions import Function
from tacit.plan.model.schema import KeyValue, Kind
from tacit.plan.questions.expression_forms import Forms
from tacit.plan.questions.public_values import public_values
from tacit.plan.semantics.functions import MEANINGS, lower
from tacit.plan.semantics.infer import type_of

__all__ = ["MOST_DECLARED", "capitalise_words", "map_declared"]

MOST_DECLARED = 500
"""The most declared values for which a function is computed."""


def map_declared(
    forms: Forms, operand: e.Expression, name: str, change: Callable[[str], str]
) -> e.Expression:
    """What a function makes of a text, as a CASE over its declared values; of other values it is NULL.

    Claim:      for every declared value it is what the function says, the same in every engine.
    Because:    the function is computed here, from the policy alone; engines compare with constants.
    Checked by: tests/unit/plan/questions/test_declared_texts.py
    """
    if isinstance(operand, e.Literal) and isinstance(operand.value, str):
        return e.Literal(change(operand.value), Kind.TEXT)
    if type_of(operand, forms.question).kind is not Kind.TEXT:
        raise InvalidPlan(f"{name} takes texts", "cast it first: CAST(x AS VARCHAR)")
    values = _values(forms, operand)
    if values is None or len(values) > MOST_DECLARED:
        remedy = (
            "declare its values in the policy, or use REGEXP_MATCHES, SPLIT_PART, SUBSTR or LOWER"
        )
        raise InvalidPlan(
            f"{name} is computed for declared values, and this text has none, or too many", remedy
        )
    found: dict[str, list[e.Literal]] = {}
    for value in values:
        if isinstance(value, str):
            found.setdefault(change(value), []).append(e.Literal(value, Kind.TEXT))
    branches = tuple(
        (e.OneOf(operand, tuple(given)), e.Literal(made, Kind.TEXT))
        for made, given in found.items()
    )
    return e.Case(branches, e.Literal(None, Kind.TEXT))


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
