"""The names of a source's columns, which an engine has to tell apart."""

from __future__ import annotations

from collections.abc import Iterable

from tacit.errors import InvalidData

__all__ = ["check_names"]


def check_names(
    names: Iterable[str], called: str, remedy: str = "give them different names"
) -> None:
    """Refuse columns of one name, or of names that differ by the case of A to Z alone: an engine takes them for one.

    >>> check_names(["cost", "Cost"], "visits.csv")
    Traceback (most recent call last):
    tacit.errors.InvalidData: visits.csv has two columns 'cost' and 'Cost', which differ only in case; give them ...
    """
    known: dict[str, str] = {}
    for name in names:
        folded = "".join(letter.lower() if letter.isascii() else letter for letter in name)
        other = known.get(folded)
        if other == name:
            raise InvalidData(f"{called} has two columns {name!r}; {remedy}")
        if other is not None:
            raise InvalidData(
                f"{called} has two columns {other!r} and {name!r}, which differ only in case; "
                f"{remedy}"
            )
        known[folded] = name
