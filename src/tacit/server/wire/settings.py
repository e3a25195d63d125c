"""The settings of a session: PostgreSQL's own that clients set and read, and the price of questions.

Checked by: tests/unit/server/wire/test_settings.py
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction

from tacit.frozen import frozen
from tacit.server.wire.problems import Problem

__all__ = ["REPORTED", "VERSION", "Price", "Settings", "read_price_comment"]

VERSION = "15.0 (Tacit)"
"""Which PostgreSQL is spoken: clients send statements of that version."""

_DEFAULTS: Mapping[str, str] = {
    "server_version": VERSION,
    "server_version_num": "150000",
    "server_encoding": "UTF8",
    "client_encoding": "UTF8",
    "DateStyle": "ISO, MDY",
    "IntervalStyle": "postgres",
    "TimeZone": "UTC",
    "integer_datetimes": "on",
    "standard_conforming_strings": "on",
    "application_name": "",
    "is_superuser": "off",
    "in_hot_standby": "off",
    "default_transaction_read_only": "on",
    "session_authorization": "",
    "transaction_read_only": "on",
    "transaction_isolation": "read committed",
    "transaction_deferrable": "off",
    "default_transaction_isolation": "read committed",
    "default_transaction_deferrable": "off",
    "search_path": '"$user", public',
    "extra_float_digits": "1",
    "max_identifier_length": "63",
    "max_index_keys": "32",
    "statement_timeout": "0",
    "lock_timeout": "0",
    "idle_in_transaction_session_timeout": "0",
    "idle_session_timeout": "0",
    "bytea_output": "hex",
    "client_min_messages": "notice",
    "log_min_messages": "warning",
    "jit": "off",
    "lc_collate": "C.UTF-8",
    "lc_ctype": "C.UTF-8",
    "lc_messages": "C",
    "lc_monetary": "C",
    "lc_numeric": "C",
    "lc_time": "C",
    "row_security": "on",
    "check_function_bodies": "on",
    "default_tablespace": "",
    "default_table_access_method": "heap",
    "default_text_search_config": "pg_catalog.english",
    "default_with_oids": "off",
    "enable_seqscan": "on",
    "enable_nestloop": "on",
    "enable_hashjoin": "on",
    "enable_mergejoin": "on",
    "escape_string_warning": "on",
    "backslash_quote": "safe_encoding",
    "array_nulls": "on",
    "gin_fuzzy_search_limit": "0",
    "geqo": "on",
    "ksqo": "off",
    "max_parallel_workers_per_gather": "0",
    "password_encryption": "scram-sha-256",
    "quote_all_identifiers": "off",
    "role": "none",
    "ssl": "on",
    "synchronize_seqscans": "on",
    "synchronous_commit": "on",
    "timezone_abbreviations": "Default",
    "track_activities": "off",
    "transform_null_equals": "off",
    "vacuum_freeze_min_age": "50000000",
    "wal_level": "minimal",
    "work_mem": "4MB",
    "xmlbinary": "base64",
    "xmloption": "content",
    "tacit.epsilon": "",
    "tacit.within": "",
    "tacit.confidence": "0.95",
    "tacit.intervals": "off",
    "tacit.notice": "on",
    "tacit.preview": "off",
    "tacit.backend_pid": "0",
}
_FIXED = frozenset(
    {
        *("server_version", "server_version_num", "server_encoding", "integer_datetimes"),
        *("is_superuser", "in_hot_standby", "max_identifier_length", "max_index_keys", "ssl"),
        *("lc_collate", "lc_ctype", "wal_level", "session_authorization"),
        "tacit.backend_pid",
    }
)
REPORTED = (
    *("server_version", "server_encoding", "client_encoding", "DateStyle", "IntervalStyle"),
    *("TimeZone", "integer_datetimes", "standard_conforming_strings", "application_name"),
    *("is_superuser", "in_hot_standby", "default_transaction_read_only", "session_authorization"),
)
"""The settings that a client is told of when it connects and whenever they change."""

_OF_THE_CONNECTION = frozenset({"session_authorization", "tacit.backend_pid"})
_PRICES = ("tacit.epsilon", "tacit.within")
_BY_NAME = {name.lower(): name for name in _DEFAULTS}
_CUSTOM = re.compile(r"[a-z_][\w$]*(\.[a-z_][\w$]*)+", re.ASCII)
_NUMBER = re.compile(r"(\d{1,100}(\.\d{0,100})?|\.\d{1,100})([eE][-+]?\d{1,3})?", re.ASCII)
_TIME = re.compile(r"(\d{1,10}(?:\.\d{0,6})?) *(ms|s|min|h|d)?", re.ASCII)
_MILLISECONDS = {"ms": 1, "s": 1_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}
_MOST = 200
_LONGEST = 4_096


@frozen
class Price:
    """At which price, or to which accuracy, a question is asked."""

    epsilon: Fraction | None = None
    within: Fraction | None = None


class Settings:
    """What is set: for the session, for the transaction, and by the start of the connection.

    A price that was set last counts; RESET returns to what the connection began with.
    """

    def __init__(self, started: Mapping[str, str] | None = None) -> None:
        self._started: dict[str, str] = {}
        self._session: dict[str, str] = {}
        self._local: dict[str, str] = {}
        for name, value in (started or {}).items():
            key = self._key(name)
            self._started[key] = self._checked(key, value, fixed=key in _OF_THE_CONNECTION)

    def __getitem__(self, name: str) -> str:
        key = self._key(name)
        for values in (self._local, self._session, self._started):
            if key in values:
                return values[key]
        if key not in _DEFAULTS:
            raise Problem("42704", f'unrecognized configuration parameter "{name}"')
        return _DEFAULTS[key]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*_DEFAULTS, *self._started, *self._session, *self._local]))

    def items(self) -> dict[str, str]:
        """Every setting and its value."""
        return {name: self[name] for name in self}

    def set(self, name: str, value: str, *, local: bool = False) -> None:
        """Set something for the session, or for the rest of the transaction."""
        key = self._key(name)
        checked = self._checked(key, value)
        for values in (self._local,) if local else (self._local, self._session):
            values.pop(key, None)
            if key in _PRICES:  # the other one counts no more
                for other in _PRICES:
                    values.pop(other, None)
        values = self._local if local else self._session
        if key not in values and len(values) >= _MOST:
            raise Problem("54000", "too many settings")
        values[key] = checked

    def reset(self, name: str) -> None:
        """Return to what the connection began with."""
        key = self._key(name)
        for values in (self._local, self._session):
            values.pop(key, None)

    def reset_all(self) -> None:
        """Return to what the connection began with, in everything."""
        self._local, self._session = {}, {}

    def end_transaction(self) -> None:
        """Forget what was set for the transaction."""
        self._local = {}

    def saved(self) -> tuple[dict[str, str], dict[str, str]]:
        """All that is set, to return to."""
        return dict(self._session), dict(self._local)

    def restore(self, saved: tuple[dict[str, str], dict[str, str]]) -> None:
        """Return to what was saved."""
        self._session, self._local = dict(saved[0]), dict(saved[1])

    @property
    def price(self) -> Price:
        """The price that was set last, for the transaction, the session or the connection; '' sets none."""
        for values in (self._local, self._session, self._started):
            if any(name in values for name in _PRICES):
                epsilon, within = (values.get(name) for name in _PRICES)
                if within:
                    return Price(within=Fraction(within))
                return Price(epsilon=Fraction(epsilon)) if epsilon else Price()
        return Price()

    @property
    def timeout(self) -> float | None:
        """How many seconds a statement is waited for; None is as long as it takes."""
        found = _TIME.fullmatch(self["statement_timeout"])
        assert found is not None, "it was checked when it was set"
        return float(found[1]) * _MILLISECONDS[found[2] or "ms"] / 1_000 or None

    def is_on(self, name: str) -> bool:
        """Whether a setting is on."""
        return self[name] == "on"

    @staticmethod
    def _key(name: str) -> str:
        low = name.lower()
        found = _BY_NAME.get(low)
        if found is not None:
            return found
        if low.startswith("tacit.") or _CUSTOM.fullmatch(low) is None or len(low) > 100:
            hint = None
            if low.startswith("tacit."):
                known = [each for each in _DEFAULTS if each.startswith("tacit.")]
                hint = f"the settings are: {', '.join(known)}"
            raise Problem("42704", f'unrecognized configuration parameter "{name}"', hint)
        return low

    def _checked(self, key: str, value: str, *, fixed: bool = False) -> str:
        """A value as it is kept; one that cannot be is refused."""
        if len(value) > _LONGEST:
            raise Problem("22023", f'the value of "{key}" is too long')
        if key in _FIXED and not fixed:
            raise Problem("55P02", f'parameter "{key}" cannot be changed')
        check = _CHECKS.get(key)
        return value if check is None else check(key, value)


def read_price_comment(comments: tuple[str, ...]) -> Price:
    """The price that the comments of a question name: /* tacit: epsilon=0.05 */ or -- tacit: within=50.

    Claim:      a price that is named in a statement counts wherever it stands there, or the statement is refused.
    Because:    all comments of a statement are read, and two prices that differ are a refusal.
    Checked by: tests/unit/server/wire/test_prices.py

    >>> read_price_comment(("/* tacit: epsilon=0.05 */",))
    Price(epsilon=Fraction(1, 20), within=None)
    """
    found = Price()
    for comment in comments:
        said = re.fullmatch(
            r"(?:/\*|--)\s*tacit\s*:(.*?)(?:\*/)?", comment, re.DOTALL | re.IGNORECASE
        )
        if said is None:
            continue
        name, equals, value = said[1].strip().partition("=")
        name, value = name.strip().lower(), value.strip()
        if not equals or f"tacit.{name}" not in _PRICES:
            raise Problem(
                "22023",
                "this comment gives no price",
                "write /* tacit: epsilon=0.05 */ or within=50",
            )
        number = Fraction(_check_number(f"tacit.{name}", value))
        named = Price(epsilon=number) if name == "epsilon" else Price(within=number)
        if found not in {Price(), named}:
            raise Problem(
                "22023", "two comments give different prices", "give one price in a statement"
            )
        found = named
    return found


def _check_number(key: str, value: str) -> str:
    text = value.strip()
    if _NUMBER.fullmatch(text) is None or not Fraction(text):
        raise Problem(
            "22023", f'invalid value for parameter "{key}"', "give a number above zero, such as 0.1"
        )
    return text


def _check_price(key: str, value: str) -> str:
    return _check_number(key, value) if value.strip() not in {"", "default", "off"} else ""


def _check_confidence(key: str, value: str) -> str:
    text = _check_number(key, value)
    exact = Fraction(text)
    if not 0 < exact < 1 or not 0 < float(exact) < 1:
        raise Problem(
            "22023", f'invalid value for parameter "{key}"', "give a probability, such as 0.95"
        )
    return text


def _check_switch(key: str, value: str) -> str:
    low = value.strip().lower()
    if low in {"on", "true", "yes", "1", "t", "y"}:
        return "on"
    if low in {"off", "false", "no", "0", "f", "n"}:
        return "off"
    raise Problem("22023", f'parameter "{key}" requires a Boolean value')


def _check_preview(key: str, value: str) -> str:
    low = value.strip().lower()
    if low in {"made-up", "off"}:
        return low
    raise Problem("22023", f'invalid value for parameter "{key}"', "give made-up or off")


def _check_encoding(key: str, value: str) -> str:
    letters = re.sub(
        r"[^a-z0-9]", "", value.lower()
    )  # as PostgreSQL compares them: asyncpg sends quotes
    if letters not in {"utf8", "unicode", "auto", "sqlascii"}:
        raise Problem(
            "22023", f'invalid value for parameter "{key}": "{value}"', "only UTF8 is supported"
        )
    return "UTF8"


def _check_date_style(key: str, value: str) -> str:
    words = [word.strip().upper() for word in value.split(",")]
    if any(word in {"SQL", "GERMAN", "POSTGRES"} for word in words):
        raise Problem(
            "22023",
            f'invalid value for parameter "{key}"',
            "dates are written as in ISO 8601",
        )
    order = next((word for word in words if word in {"MDY", "DMY", "YMD"}), "MDY")
    return f"ISO, {order}"


def _check_time_zone(_: str, value: str) -> str:
    if re.fullmatch(r"[\w/+\-:. ]{1,64}", value, re.ASCII) is None:
        raise Problem("22023", f'invalid value for parameter "TimeZone": "{value}"')
    return value


def _check_on(key: str, value: str) -> str:
    """What is read-only stays so; a client that asks for more is told when it writes."""
    _check_switch(key, value)
    return "on"


def _check_timeout(key: str, value: str) -> str:
    """A time as PostgreSQL takes it: milliseconds, or a number with ms, s, min, h or d."""
    found = _TIME.fullmatch(value.strip())
    if found is None or float(found[1]) * _MILLISECONDS[found[2] or "ms"] > 2**31 - 1:
        hint = "give milliseconds, or a number with ms, s, min, h or d; 0 waits as long as it takes"
        raise Problem("22023", f'invalid value for parameter "{key}": "{value[:64]}"', hint)
    return value.strip()


_CHECKS = {
    "statement_timeout": _check_timeout,
    "tacit.epsilon": _check_price,
    "tacit.within": _check_price,
    "tacit.confidence": _check_confidence,
    "tacit.intervals": _check_switch,
    "tacit.notice": _check_switch,
    "tacit.preview": _check_preview,
    "client_encoding": _check_encoding,
    "DateStyle": _check_date_style,
    "TimeZone": _check_time_zone,
    "standard_conforming_strings": _check_on,
    "transaction_read_only": _check_on,
    "default_transaction_read_only": _check_on,
}
