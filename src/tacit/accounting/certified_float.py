"""A certified number as people read it: a float, rounded to the safe side, that knows where it comes from."""

from __future__ import annotations

from fractions import Fraction

from tacit.exact import Number, float_at_least, float_at_most

__all__ = ["Figure", "format_parameter"]


def format_parameter(parameter: Number) -> str:
    """A parameter as people write it.

    >>> format_parameter(1e-6)
    '1e-6'
    """
    return f"{float(parameter):g}".replace("e-0", "e-")


class Figure(float):
    """A float that is never on the wrong side of the certified value, with the bound that gave it.

    Claim:      a figure of a loss is at least its certified value; a figure of what protects is at most its own.
    Because:    the conversion is `float_at_least`, or `float_at_most`, and nothing else.
    Checked by: tests/unit/accounting/test_certified_float.py

    >>> figure = Figure.above(Fraction(1, 3), by="basic")
    >>> figure > Fraction(1, 3), figure.by, figure.certified
    (True, 'basic', Fraction(1, 3))
    """

    __slots__ = ("by", "certified")

    by: str
    certified: Fraction

    @classmethod
    def above(cls, certified: Fraction, by: str) -> Figure:
        """A figure of which less would be a larger promise: rounded up."""
        return cls._of(float_at_least(certified), certified, by)

    @classmethod
    def below(cls, certified: Fraction, by: str) -> Figure:
        """A figure of which more would be a larger promise, as on a trade-off curve: rounded down."""
        return cls._of(float_at_most(certified), certified, by)

    @classmethod
    def _of(cls, shown: float, certified: Fraction, by: str) -> Figure:
        figure = cls(shown)
        figure.by = by
        figure.certified = certified
        return figure
