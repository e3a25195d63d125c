"""The codes of keys: every combination of values is a number of few bits, the fewer the shorter its texts are.

A letter or digit takes 6 bits, other signs of ASCII 14, any other character 28; a digit of a number takes 4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import date, datetime, timedelta
from fractions import Fraction

from tacit.mechanisms import Code
from tacit.plan import KeyValue, Kind

__all__ = ["LETTER_BITS", "code_of", "key_of"]

LETTER_BITS = 6
"""How many bits a letter takes."""

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 "
_OTHER = len(_LETTERS)
_DIGITS = "0123456789-.e+"
_END_OF_DIGITS, _NO_DIGITS = len(_DIGITS), len(_DIGITS) + 1
_END, _NULL = 0, 1
"""What the two signs of ASCII stand for that a text writes as any other character."""
_DAY_ONE, _MOMENT_ONE = date(1970, 1, 1), datetime(1970, 1, 1)  # noqa: DTZ001 -- UTC


def code_of(values: Sequence[KeyValue], kinds: Sequence[Kind]) -> Code:
    """The code of a combination of values.

    Claim:      no two combinations have the same code.
    Because:    `key_of` reads it back.
    Checked by: tests/laws/test_key_codes.py::test_codes_are_read_back

    >>> code_of(("LAX",), (Kind.TEXT,))[0], code_of(("E10.1", 7), (Kind.TEXT, Kind.INTEGER))[0]
    (18, 56)
    """
    written = ""
    for place, (value, kind) in enumerate(zip(values, kinds, strict=True)):
        last = place == len(kinds) - 1
        written += (
            _write_text(value, last) if kind is Kind.TEXT else _write_number(value, kind, last)
        )
    return len(written), int(written or "0", 2)


def key_of(code: Code, kinds: Sequence[Kind]) -> tuple[KeyValue, ...] | None:
    """The combination of values that has a code; None if none has.

    >>> key_of(code_of(("LAX", None), (Kind.TEXT, Kind.DATE)), (Kind.TEXT, Kind.DATE))
    ('LAX', None)
    """
    length, number = code
    reader = _Bits(f"{number:0{length}b}" if length else "")
    with suppress(ValueError, OverflowError):
        values = tuple(
            _read_text(reader) if kind is Kind.TEXT else _read_number(reader, kind)
            for kind in kinds
        )
        if code_of(values, kinds) == code:  # no value has two codes
            return values
    return None


class _Bits:
    """Bits that are read from the left."""

    def __init__(self, written: str) -> None:
        self.left = written

    def take(self, count: int) -> int:
        taken, self.left = self.left[:count], self.left[count:]
        if len(taken) < count:
            raise ValueError
        return int(taken, 2)


# ---------------------------------------------------------------- texts


def _write_text(value: KeyValue, last: bool) -> str:
    if value is None:
        return _sign(_NULL) + ("" if last else _sign(_END))
    assert isinstance(value, str), "a text is one"
    return "".join(map(_write_character, value)) + ("" if last else _sign(_END))


def _write_character(character: str) -> str:
    place, code = _LETTERS.find(character), ord(character)
    if place >= 0:
        return f"{place:06b}"
    return _sign(code) if _NULL < code < 128 else f"{_OTHER:06b}1{code:021b}"


def _sign(code: int) -> str:
    return f"{_OTHER:06b}0{code:07b}"


def _read_text(reader: _Bits) -> str | None:
    found = ""
    while reader.left:
        place = reader.take(LETTER_BITS)
        if place < _OTHER:
            found += _LETTERS[place]
        elif reader.take(1):
            found += chr(reader.take(21))
        elif (code := reader.take(7)) == _NULL:
            if reader.left and (reader.take(7), reader.take(7)) != (_OTHER << 1, _END):
                raise ValueError
            return None
        elif code == _END:
            break
        else:
            found += chr(code)
    found.encode()  # half a character is none
    return found


# ---------------------------------------------------------------- numbers, days and moments


def _write_number(value: KeyValue, kind: Kind, last: bool) -> str:
    symbols = (
        [_NO_DIGITS] if value is None else [_DIGITS.index(each) for each in _DECIMALS[kind](value)]
    )
    return "".join(f"{each:04b}" for each in [*symbols, *([] if last else [_END_OF_DIGITS])])


def _read_number(reader: _Bits, kind: Kind) -> KeyValue:
    symbols: list[int] = []
    while reader.left and (symbol := reader.take(4)) != _END_OF_DIGITS:
        symbols.append(symbol)
    if symbols == [_NO_DIGITS]:
        return None
    if _NO_DIGITS in symbols:
        raise ValueError
    return _VALUES[kind]("".join(_DIGITS[each] for each in symbols))


def _decimals_of_double(value: KeyValue) -> str:
    assert isinstance(value, int | Fraction), "a number is one"
    return repr(float(value)).removesuffix(".0")


def _microseconds(value: KeyValue) -> str:
    assert isinstance(value, datetime), "a moment is one"
    return str((value - _MOMENT_ONE) // timedelta(microseconds=1))


def _days(value: KeyValue) -> str:
    assert isinstance(value, date), "a day is one"
    return str((value - _DAY_ONE).days)


def _whole(value: KeyValue) -> str:
    assert isinstance(value, int), "a whole number is one"
    return str(int(value))


def _read_whole(text: str) -> int:
    number = int(text)
    if not -(1 << 63) <= number < 1 << 63:
        raise ValueError
    return number


_DECIMALS: dict[Kind, Callable[[KeyValue], str]] = {
    Kind.BOOLEAN: _whole,
    Kind.INTEGER: _whole,
    Kind.NUMBER: _decimals_of_double,
    Kind.DATE: _days,
    Kind.TIMESTAMP: _microseconds,
}
_VALUES: dict[Kind, Callable[[str], KeyValue]] = {
    Kind.BOOLEAN: lambda text: bool(int(text)),
    Kind.INTEGER: _read_whole,
    Kind.NUMBER: lambda text: Fraction(float(text)),
    Kind.DATE: lambda text: _DAY_ONE + timedelta(days=int(text)),
    Kind.TIMESTAMP: lambda text: _MOMENT_ONE + timedelta(microseconds=int(text)),
}
