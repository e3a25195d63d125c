"""The address of a ledger in PostgreSQL: where it leads, its parts, and how long a silent network is waited for.

Checked by: tests/unit/ledger/test_postgres.py
"""

from __future__ import annotations

from urllib.parse import quote

from tacit.errors import InvalidInput, LedgerUnavailable

__all__ = ["SECRETS", "parts_of_address", "place_of", "with_time_limits"]


# ---------------------------------------------------------------- addresses

SECRETS = ("password", "sslpassword", "oauth_client_secret")
NAMED = ("service", "options")  # parts that also say which ledger is meant


def place_of(address: str) -> str:
    """Where an address leads, whoever follows it: server, database, and what selects the schema.

    >>> place_of("postgresql://ann:secret@example.org/clinic")
    'postgresql://example.org:5432/clinic'
    """
    given = parts_of_address(address)
    from psycopg.pq import Conninfo

    usual = {
        option.keyword.decode(): option.val.decode()
        for option in Conninfo.get_defaults()
        if option.val
    }
    parts = usual | given
    host = quote(parts.get("host") or parts.get("hostaddr") or "localhost", safe=",")
    database = quote(parts.get("dbname") or parts.get("user", ""))
    query = "&".join(f"{name}={quote(parts[name], safe='')}" for name in NAMED if parts.get(name))
    return (
        f"postgresql://{host}:{parts.get('port', '5432')}/{database}{'?' if query else ''}{query}"
    )


def parts_of_address(address: str) -> dict[str, str]:
    """An address, taken apart."""
    try:
        import psycopg
        from psycopg.conninfo import conninfo_to_dict
    except ModuleNotFoundError:
        raise LedgerUnavailable(
            "this address",
            "needs psycopg, which is not installed",
            "install it with `pip install 'tacit-dp[postgres]'`",
        ) from None
    try:
        return {
            name: str(value)
            for name, value in conninfo_to_dict(address).items()
            if value is not None
        }
    except (psycopg.ProgrammingError, TypeError, AttributeError):  # its text may quote the password
        remedy = "write it as postgresql://role:password@host:port/database, with %40 for an @ in a password"
        raise InvalidInput("a PostgreSQL address", "what was given", remedy) from None


def with_time_limits(address: str) -> str:
    """The address, with limits on how long a silent network is waited for, where it states none."""
    from psycopg.conninfo import make_conninfo

    limits = {"connect_timeout": "10", "keepalives_idle": "30", "tcp_user_timeout": "30000"}
    return make_conninfo("", **(limits | {"application_name": "tacit"} | parts_of_address(address)))
