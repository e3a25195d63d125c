"""What a source says about its columns before anything is declared: names and types, never values."""

from collections.abc import Mapping

from tacit.engines.duckdb import opened
from tacit.engines.reading import kinds_of
from tacit.engines.rendering import text
from tacit.engines.sources import Frame, Listed, Parquet, Separated, Stored, source_of
from tacit.errors import InvalidData
from tacit.plan import Kind

__all__ = ["stored_kinds"]

ANY = frozenset(Kind)


def stored_kinds(given: object) -> Mapping[str, frozenset[Kind]]:
    """The columns of a source and the kinds as which each can be declared; a text file can be declared as anything.

    >>> stored_kinds([{"ward": "A"}])["ward"] == frozenset(Kind)
    True
    """
    match source_of(given):
        case Listed(rows):
            return dict.fromkeys(rows[0], ANY) if rows else {}
        case Separated(path, separator):
            with path.open(encoding="utf-8-sig", errors="replace") as file:
                header = file.readline().rstrip("\r\n").split(separator)
            return {name.strip('"'): ANY for name in header}
        case Parquet(path):
            return _described(f"read_parquet({text(str(path))})", None)
        case Frame(frame):
            return _described("given", frame)
        case Stored(path):
            raise InvalidData(f"{path.name} holds tables; declare their columns with their kinds")


def _described(scan: str, frame: object) -> Mapping[str, frozenset[Kind]]:
    connection = opened()
    try:
        if frame is not None:
            connection.register("given", frame)
        described = connection.execute(f"DESCRIBE SELECT * FROM {scan}").fetchall()  # noqa: S608 -- quoted by `text`
        return {row[0]: kinds_of(row[1]) for row in described}
    finally:
        connection.close()
