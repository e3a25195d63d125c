"""Where the rows of a table are in a connection."""

from collections.abc import Mapping

from tacit.frozen import frozen

__all__ = ["Relation"]


@frozen
class Relation:
    """A table or view of the connection: its name, and for each declared column where and as what it is stored."""

    name: str
    columns: Mapping[str, tuple[str, str]]
    unit: tuple[str, str] | None
    unit_rows: str | None = None
    """A column that says how many rows the row's unit has in the whole table, if there is one."""
    numbered: str | None = None
    """What numbers its units, if they are numbers that only one file knows."""
    names: str | None = None
    """A table of those numbers u, each with a name that depends on no other unit: a number does, on all before it."""
    copied: bool = False
    """Whether its rows are in memory, and stay what they are."""
