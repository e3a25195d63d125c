"""The sections of a policy file that declare columns.

Checked by: tests/unit/curator/policy/test_policy_file.py
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tacit.curator.policy.read_column_shorthand import WORDS, column_of
from tacit.curator.policy.read_values import read_scalar, read_scalars, read_truth
from tacit.curator.policy.toml_sections import Refused, Section, spell, suggest
from tacit.errors import InvalidInput
from tacit.plan import Column, Kind

__all__ = ["list_columns", "read_column"]
_KINDS = ", ".join(f'"{kind.value}"' for kind in Kind)


def list_columns(name: str, kinds: Mapping[str, object]) -> str:
    """What to write in the place of a column that is not there: one that is."""
    listed = ", ".join(list(kinds)[:12]) + (" and others" if len(kinds) > 12 else "")
    return f"{suggest(name, kinds)}its columns are: {listed}" if kinds else "it has no columns"


def read_column(section: Section, kinds: Mapping[str, tuple[Kind, ...]] | None) -> Column | None:
    """The column that a section declares; every key is judged by itself, so that all faults are told."""
    section.only(WORDS)
    stored = _stored_kinds(section, kinds)
    before = len(section.faults.found)
    declared = _read_declaration(section, stored)
    if declared is None:
        return None
    for key, keys in _JUDGED.items():
        if key in declared:
            _judge(section, key, keys, _problem(section, key), declared, stored)
    if len(section.faults.found) == before and {"low", "high"} <= set(declared):
        low, high = (spell(section.values[end]) for end in ("low", "high"))
        problem = f"it is {high}, and low is {low}"
        _judge(section, "high", ("low", "high"), problem, declared, stored)
    if len(section.faults.found) > before:
        return None
    problem = (
        "its bounds and values have different types"
        if declared
        else "its type is missing, and the source has none"
    )
    return _judge(section, None, tuple(declared), problem, declared, stored)


_JUDGED = {
    "low": ("low",),
    "high": ("high",),
    "values": ("values",),
    "other": ("values", "other"),
    "null_group": ("nullable", "null_group"),
}
"""The keys of a column that may be wrong by themselves, each with those that it is judged with."""


def _problem(section: Section, key: str) -> str:
    """What is said of a key that is wrong."""
    if key == "values":
        return "it is empty, or contains a value of another type or a value twice"
    return f"it is {spell(section.values[key])}"


def _stored_kinds(
    section: Section, kinds: Mapping[str, tuple[Kind, ...]] | None
) -> tuple[Kind, ...]:
    """The kinds that a column may have by its source: any, where that is not known or was refused."""
    name = section.place[-1]
    if kinds is None:
        return tuple(Kind)
    if name not in kinds:
        section.fault(None, "the source has no such column", list_columns(name, kinds))
        return tuple(Kind)
    if not kinds[name]:
        section.fault(
            None,
            "its storage type is not supported",
            "convert it, or remove it",
        )
    return kinds[name] or tuple(Kind)


def _read_declaration(section: Section, stored: tuple[Kind, ...]) -> dict[str, Any] | None:
    """The keys of a column that are declared, each read by itself; None if its type is no type."""
    kind = section.take("type", _kind(stored))
    parts: dict[str, Any] = {
        "type": kind,
        "low": section.take("low", read_scalar),
        "high": section.take("high", read_scalar),
        "values": section.take("values", read_scalars),
        "nullable": section.take("nullable", read_truth),
        "other": section.take("other", read_truth),
        "null_group": section.take("null_group", read_truth),
    }
    if "type" in section.values and kind is None:
        return None
    return {key: value for key, value in parts.items() if value is not None}


def _judge(
    section: Section,
    at: str | None,
    keys: tuple[str, ...],
    problem: str,
    declared: Mapping[str, Any],
    stored: tuple[Kind, ...],
) -> Column | None:
    """The column as its type and some of its keys declare it."""
    try:
        return column_of(
            section.place[-1],
            {key: declared[key] for key in {"type", *keys} & set(declared)},
            stored,
        )
    except InvalidInput as refusal:
        section.fault(at, problem, refusal.remedy)
        return None


def _kind(stored: tuple[Kind, ...]) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        known = [kind.value for kind in Kind]
        if value not in known:
            raise Refused(
                f"{suggest(value, known) if isinstance(value, str) else ''}it may be: {_KINDS}"
            )
        if Kind(value) not in stored:
            possible = " or ".join(f'"{kind}"' for kind in known if Kind(kind) in stored)
            raise Refused(
                f"write type = {possible}, or convert the column",
                f'it is "{value}", but the source stores another type',
            )
        return str(value)

    return read
