"""Values of parameters as JSON can hold them, and back: a client writes them and a server reads them.

Checked by: tests/unit/curator/test_parameters_as_json.py
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from tacit.errors import InvalidInput
from tacit.plan import freeze_parameters

__all__ = ["parameter_fields", "read_parameters"]

_FORMS: Mapping[str, Callable[[str], Any]] = {
    "date": date.fromisoformat,
    "moment": datetime.fromisoformat,
    "number": Decimal,
}


def parameter_fields(
    given: Sequence[Any] | Mapping[str, Any] | None,
) -> list[Any] | dict[str, Any] | None:
    """What is bound to parameters, as JSON can hold it: a list, or an object by their names.

    >>> parameter_fields(["A", 3, date(2025, 3, 1)])
    ['A', 3, {'date': '2025-03-01'}]
    """
    if given is None:
        return None
    values = {name: _plain(value) for name, value in freeze_parameters(given)}
    return values if isinstance(given, Mapping) else list(values.values())


def read_parameters(
    written: list[Any] | dict[str, Any] | None,
) -> tuple[Any, ...] | dict[str, Any] | None:
    """What `parameter_fields` wrote.

    >>> read_parameters({"ward": "A", "least": {"number": "0.10"}})
    {'ward': 'A', 'least': Decimal('0.10')}
    """
    if written is None:
        return None
    if isinstance(written, dict):
        return {name: _read(value) for name, value in written.items()}
    return tuple(_read(value) for value in written)


def _plain(value: Any) -> Any:
    match value:
        case datetime():
            return {"moment": value.isoformat()}
        case date():
            return {"date": value.isoformat()}
        case Decimal():
            return {"number": str(value)}
        case _:
            return value


def _read(written: Any) -> Any:
    if not isinstance(written, dict):
        return written
    try:
        ((form, text),) = written.items()
        return _FORMS[form](text)
    except (KeyError, TypeError, ValueError, InvalidOperation):
        remedy = (
            'write {"date": "2025-03-01"}, {"moment": "2025-03-01T12:00:00"} or {"number": "0.10"}'
        )
        raise InvalidInput("a parameter", sorted(map(str, written)), remedy) from None
