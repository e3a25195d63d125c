"""The section of a policy file that says where the ledger and its anchor are.

Checked by: tests/unit/curator/policy/test_policy_file.py
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

from tacit.curator.policy.read_values import read_text, resolve_path
from tacit.curator.policy.toml_sections import Refused, Section
from tacit.errors import InvalidInput
from tacit.frozen import frozen

__all__ = ["Address", "read_ledger"]
_VARIABLE_INSTEAD = (
    "write $NAME in its place and set NAME in the environment: postgresql://tacit:$NAME@host/tacit"
)
_PLACE = (
    'write a file name, as in place = "ledger.sqlite", or an address that begins with postgresql://'
)
_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))", re.ASCII)


@frozen
class Address:
    """The address of a ledger in PostgreSQL; `$NAME` stands for a variable of the environment, such as a password.

    >>> str(Address("postgresql://tacit:$SECRET@host/tacit"))
    'postgresql://tacit:$SECRET@host/tacit'
    """

    written: str

    def __str__(self) -> str:
        return self.written

    def resolve(self, environment: Mapping[str, str] | None = None) -> str:
        """The address with its variables filled in.

        >>> Address("postgresql://tacit:$SECRET@host/tacit").resolve({"SECRET": "p@ss"})
        'postgresql://tacit:p%40ss@host/tacit'
        """
        known = os.environ if environment is None else environment
        whole = _VARIABLE.fullmatch(self.written)

        def value(found: re.Match[str]) -> str:
            name = found[1] or found[2]
            if name not in known:
                raise InvalidInput(
                    "the ledger's place", self.written, f"set {name} in the environment"
                )
            return known[name] if whole else quote(known[name], safe="")

        address = _VARIABLE.sub(value, self.written)
        if not _is_address(address):
            raise InvalidInput(
                "the ledger's place",
                self.written,
                "use an address that begins with postgresql://",
            )
        return address


def read_ledger(section: Section, folder: Path) -> tuple[Path | Address | None, Path | None]:
    """The places of the ledger and of its anchor; None is what is left to the ledger, or has a fault."""
    section.only(("place", "anchors"))
    place: Path | Address | None = folder / "ledger.sqlite"
    if section.has("place"):
        place = section.take("place", lambda value: _place(value, folder))
    return place, section.take("anchors", lambda value: _anchors(value, folder))


def _place(value: Any, folder: Path) -> Path | Address:
    given = read_text(_PLACE)(value)
    if _VARIABLE.fullmatch(given) or _is_address(given):
        _check_secret(given)
        return Address(given)
    if "://" in given:
        raise Refused(_PLACE)
    place = resolve_path(given, folder, follow=False)
    if place.is_dir() or not place.parent.is_dir():
        what = "a folder" if place.is_dir() else "in a folder that does not exist"
        raise Refused(_PLACE, f"{str(place)!r} is {what}")
    return place


def _check_secret(address: str) -> None:
    """Refuse a password that stands in the file."""
    try:
        parts = urlsplit(address)
        secrets = [parts.password or "", *parse_qs(parts.query).get("password", [])]
    except ValueError:
        raise Refused(_PLACE) from None
    if any(secret and not _VARIABLE.fullmatch(secret) for secret in secrets):
        raise Refused(_VARIABLE_INSTEAD, "the file contains a password")


def _anchors(value: Any, folder: Path) -> Path:
    remedy = (
        "name a folder outside the vault, so that restoring an old vault does not restore its "
        "anchor"
    )
    anchors = resolve_path(read_text(remedy)(value), folder)
    if anchors.is_relative_to(folder):
        raise Refused(remedy, f"{str(anchors)!r} is inside the vault")
    return anchors


def _is_address(text: str) -> bool:
    return text.startswith(("postgresql://", "postgres://"))
