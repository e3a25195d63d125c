"""Where the footer of a Parquet file states that a column holds milliseconds: the bytes, and what microseconds are.

The footer is a struct in Thrift's compact protocol, followed by its length and four letters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from tacit.errors import InvalidData

__all__ = ["find_milliseconds"]

_MAGIC, _TAIL = b"PAR1", 8
# fields of FileMetaData, SchemaElement, LogicalType, TimestampType and TimeUnit
_SCHEMA, _NAME, _CONVERTED, _LOGICAL, _TIMESTAMP, _UNIT, _MILLIS = 2, 4, 6, 10, 8, 2, 1
# types of the protocol
_TRUE, _FALSE, _BYTE, _INTEGERS, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = (
    *(1, 2, 3, (4, 5, 6)),
    *(7, 8, 9, 10, 11, 12),
)
_MILLIS_BEFORE, _MICROS_BEFORE = 9 << 1, 10 << 1
"""What older files state, as whole numbers in zigzag: one byte each."""
_DELTA, _LONG = 4, 15


def find_milliseconds(path: Path, names: Iterable[str]) -> dict[int, int]:
    """Which bytes of a file to change, and into what, that columns of milliseconds are stated to hold microseconds.

    Claim:      every other column, and every cell, is read as before.
    Because:    the struct is read field by field to its end; what is changed are the two numbers by which a column says
                its unit, each for another of one byte.
    Checked by: tests/unit/engines/duckdb/test_milliseconds_in_parquet_footer.py
    """
    footer, start = _read_footer(path)
    reader = _Reader(footer)
    wanted, found = set(names), dict[int, int]()

    def column() -> None:
        called, places = "", dict[int, int]()

        def converted() -> None:
            place = reader.place
            if reader.varint() == _MILLIS_BEFORE:
                places[place] = _MICROS_BEFORE

        def millis() -> None:
            header = reader.place - 1
            if footer[header] != _MILLIS << _DELTA | _STRUCT:
                raise _broken()
            places[header] = (_MILLIS + 1) << _DELTA | _STRUCT
            reader.skip(_STRUCT)

        def name() -> None:
            nonlocal called
            called = reader.binary().decode()

        unit = reader.struct_of({_MILLIS: millis})
        stamp = reader.struct_of({_UNIT: unit})
        logical = reader.struct_of({_TIMESTAMP: stamp})
        reader.struct({_NAME: name, _CONVERTED: converted, _LOGICAL: logical})
        if called in wanted:
            found.update(places)

    reader.struct({_SCHEMA: lambda: reader.elements(column)})
    return {start + place: stated for place, stated in found.items()}


def _read_footer(path: Path) -> tuple[bytes, int]:
    """The footer of a file, and where it begins."""
    with path.open("rb") as file:
        end = file.seek(0, 2) - _TAIL
        if end < 0:
            raise _broken()
        file.seek(end)
        tail = file.read(_TAIL)
        length = int.from_bytes(tail[:4], "little")
        if tail[4:] != _MAGIC or length > end:
            raise _broken()
        file.seek(end - length)
        return file.read(length), end - length


def _broken() -> InvalidData:
    return InvalidData("a Parquet file has a footer that cannot be read; write it again")


class _Reader:
    """Reads values of the compact protocol, one after the other."""

    def __init__(self, data: bytes) -> None:
        self.data, self.place = data, 0

    def byte(self) -> int:
        """The next byte."""
        if self.place >= len(self.data):
            raise _broken()
        self.place += 1
        return self.data[self.place - 1]

    def varint(self) -> int:
        """The next number, as it is written: in zigzag, if it is signed."""
        found = shift = 0
        while (byte := self.byte()) & 0x80:
            found |= (byte & 0x7F) << shift
            shift += 7
        return found | byte << shift

    def binary(self) -> bytes:
        """The next text."""
        length = self.varint()
        self.place += length
        if self.place > len(self.data):
            raise _broken()
        return self.data[self.place - length : self.place]

    def struct(self, fields: Mapping[int, Callable[[], None]]) -> None:
        """The next struct: what is to be done with some of its fields, by their numbers; others are left out."""
        number = 0
        while header := self.byte():
            kind, delta = header & 0x0F, header >> _DELTA
            number = number + delta if delta else _signed(self.varint())
            if number in fields:
                fields[number]()
            else:
                self.skip(kind)

    def struct_of(self, fields: Mapping[int, Callable[[], None]]) -> Callable[[], None]:
        """What reads such a struct when it is its turn."""
        return lambda: self.struct(fields)

    def elements(self, each: Callable[[], None]) -> None:
        """The next list, element by element."""
        for _ in range(self._size()[0]):
            each()

    def skip(self, kind: int, *, inside: bool = False) -> None:
        """Pass over a value of a type; truth values have a byte of their own `inside` lists."""
        if kind in (_TRUE, _FALSE):
            self.place += inside
        elif kind == _BYTE:
            self.place += 1
        elif kind in _INTEGERS:
            self.varint()
        elif kind == _DOUBLE:
            self.place += 8
        elif kind == _BINARY:
            self.binary()
        elif kind in (_LIST, _SET):
            size, element = self._size()
            for _ in range(size):
                self.skip(element, inside=True)
        elif kind == _MAP:
            self._skip_map()
        elif kind == _STRUCT:
            self.struct({})
        else:
            raise _broken()

    def _size(self) -> tuple[int, int]:
        """How many elements a list has, and of which type."""
        header = self.byte()
        size = header >> _DELTA
        return (self.varint() if size == _LONG else size), header & 0x0F

    def _skip_map(self) -> None:
        size = self.varint()
        if size:
            kinds = self.byte()
            for _ in range(size):
                self.skip(kinds >> _DELTA, inside=True)
                self.skip(kinds & 0x0F, inside=True)


def _signed(zigzag: int) -> int:
    return zigzag >> 1 ^ -(zigzag & 1)
