"""LIKE, IN with a list, BETWEEN and IS in SQL: how the tests of a value are read.

What a pattern means is in `plan/semantics/match_like_patterns.py`; IN with a subquery is read in `semi_joins.py`.

Checked by: tests/unit/plan/sql/test_statement.py
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from tacit.frozen import frozen
from tacit.plan.model import expressions as e
from tacit.plan.model.function_names import Function
from tacit.plan.model.schema import Kind
from tacit.plan.questions.build_expressions import NULL, Forms
from tacit.plan.sql.reading_context import Reader

__all__ = ["Predicates", "like_of_glob", "regex_of_similar"]

_ANY = "(.|\\s)"  # a point is no line break


def regex_of_similar(pattern: str) -> str:
    """A pattern of SIMILAR TO as a regular expression of the whole text: % is any text, _ any character.

    >>> regex_of_similar("a.%")
    '^(a\\\\.(.|\\\\s)*)$'
    """
    found, places = [], iter(pattern)
    for letter in places:
        if letter == "\\":
            found.append(letter + next(places, ""))
        else:
            signs = {"%": f"{_ANY}*", "_": _ANY, ".": r"\.", "^": r"\^", "$": r"\$"}
            found.append(signs.get(letter, letter))
    return f"^({''.join(found)})$"


def like_of_glob(pattern: str) -> str:
    """A pattern of GLOB as one of LIKE: * is any text, ? any character.

    >>> like_of_glob("a_*")
    'a\\\\_%'
    """
    signs = {"*": "%", "?": "_", "%": r"\%", "_": r"\_", "\\": r"\\"}
    return "".join(signs.get(letter, letter) for letter in pattern)


@frozen
class Predicates:
    """Reads tests at one place of a text; `read` reads what stands inside them."""

    reader: Reader
    forms: Forms
    read: Callable[[exp.Expr], e.Expression]

    def read_like(self, node: exp.Like | exp.ILike) -> e.Expression:
        """name LIKE 'A%', name NOT ILIKE '%b', name LIKE ANY ('A%', '%b')."""
        parts = self.reader.account.take(node)
        operand, pattern = self.read(parts["this"]), parts["expression"]
        like = self.forms.like_either_case if isinstance(node, exp.ILike) else self.forms.like
        if isinstance(pattern, exp.Any | exp.All):
            if parts.get("negate"):
                reason = "NOT LIKE ANY and NOT LIKE ALL mean different things in different dialects"
                remedy = "write NOT (x LIKE ANY ('a%', 'b%')) for none of them"
                self.reader.account.refuse(node, reason, remedy)
            join = e.Either if isinstance(pattern, exp.Any) else e.Both
            each = [like(operand, self.read(part)) for part in self._patterns(pattern)]
            found = e.chain_conditions(join, each)
        else:
            found = like(operand, self.read(pattern))
        self.reader.account.claim(node, "NOT", 1 if parts.get("negate") else 0)
        return e.Not(found) if parts.get("negate") else found

    def _patterns(self, node: exp.Any | exp.All) -> list[exp.Expr]:
        """The patterns of LIKE ANY ('A%', '%b')."""
        listed = self.reader.account.take(node)["this"]
        if isinstance(listed, exp.Tuple):
            return self._row_values(listed)
        if not isinstance(listed, exp.Paren):
            remedy = "list them in parentheses: x LIKE ANY ('a%', 'b%')"
            self.reader.account.refuse(node, "LIKE ANY needs a list of patterns", remedy)
        return [self.reader.account.take(listed)["this"]]

    def read_pattern(self, node: exp.SimilarTo | exp.Glob) -> e.Expression:
        """name SIMILAR TO '(a|b)%', whose pattern is of the whole text, and name GLOB 'a*'."""
        account, parts = self.reader.account, self.reader.account.take(node)
        operand, pattern = self.read(parts["this"]), self.read(parts["expression"])
        if not isinstance(pattern, e.Literal) or not isinstance(pattern.value, str):
            account.refuse(
                parts["expression"], "a pattern must be a constant text", "write it in quotes: 'a%'"
            )
        if isinstance(node, exp.SimilarTo):
            whole = e.Literal(regex_of_similar(pattern.value), Kind.TEXT)
            return self.forms.call(Function.REGEXP, [operand, whole])
        if "[" in pattern.value:
            remedy = "write REGEXP_MATCHES(x, '^[ab]')"
            account.refuse(parts["expression"], "brackets in GLOB are not supported", remedy)
        return self.forms.like(operand, e.Literal(like_of_glob(pattern.value), Kind.TEXT))

    def read_between(self, node: exp.Between) -> e.Expression:
        """age BETWEEN 18 AND 64, and age BETWEEN SYMMETRIC 64 AND 18."""
        if node.args.get("symmetric") and any(
            each is not node and each.args.get("symmetric") for each in node.find_all(exp.Between)
        ):
            reason = "BETWEEN SYMMETRIC inside another one is not supported"  # each is read twice
            self.reader.account.refuse(
                node, reason, "write the smaller bound first: BETWEEN 1 AND 3"
            )
        parts = self.reader.account.take(node)
        operand, low, high = (self.read(parts[name]) for name in ("this", "low", "high"))
        found = self.forms.is_between(operand, low, high)
        if not parts.get("symmetric"):
            return found
        self.reader.account.claim(node, "SYMMETRIC")
        return e.Either(found, self.forms.is_between(operand, high, low))

    def read_is(self, node: exp.Is) -> e.Expression:
        """x IS NULL, x IS TRUE, x IS FALSE."""
        parts = self.reader.account.take(node)
        constant = (
            self.reader.constant(parts["expression"])
            if isinstance(parts["expression"], exp.Null | exp.Boolean)
            else None
        )
        if constant is None:
            reason = "IS is supported only with NULL, TRUE, FALSE and DISTINCT FROM"
            remedy = "write x = y, or x IS NOT DISTINCT FROM y if both may be NULL"
            self.reader.account.refuse(node, reason, remedy)
        operand = self.read(parts["this"])
        if constant == NULL:
            return e.IsNull(operand)
        return self.forms.is_truth(operand, constant.value is True)

    def read_in(self, node: exp.In) -> e.Expression:
        """ward IN ('A', 'B'), and (a, b) IN ((1, 2), (3, 4))."""
        account, parts = self.reader.account, self.reader.account.take(node)
        if isinstance(parts["this"], exp.Tuple):
            return self._read_tuple_in(node, parts["this"])
        operand = self.read(parts["this"])
        return self.forms.one_of(operand, [self.read(option) for option in account.take_list(node)])

    def _read_tuple_in(self, node: exp.In, compared: exp.Tuple) -> e.Expression:
        """(a, b) IN ((1, 2), (3, 4)): a = 1 AND b = 2 OR a = 3 AND b = 4."""
        account = self.reader.account
        values = [self.read(part) for part in self._row_values(compared)]
        found: list[e.Expression] = []
        for option in account.take_list(node):
            others = self._row_values(option) if isinstance(option, exp.Tuple) else []
            if len(others) != len(values):
                other = f"one of {len(others)}" if others else "a single value"
                reason = f"a row of {len(values)} values is compared with {other}"
                account.refuse(option, reason, "write (a, b) IN ((1, 2), (3, 4))")
            pairs = zip(values, map(self.read, others), strict=True)
            equal = [self.forms.compare("=", value, other) for value, other in pairs]
            found.append(e.chain_conditions(e.Both, equal))
        return e.chain_conditions(e.Either, found)

    def _row_values(self, node: exp.Tuple) -> list[exp.Expr]:
        """The values of (a, b)."""
        parts: list[exp.Expr] = self.reader.account.take(node, "Row")["expressions"]
        self.reader.account.claim(node, "COMMA", len(parts) - 1)
        return parts
