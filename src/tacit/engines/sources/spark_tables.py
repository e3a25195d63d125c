"""Tables that stay on a Spark cluster, named by the address of its Spark Connect server, without a token."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, unquote, urlsplit

from tacit.errors import InvalidData
from tacit.frozen import frozen

__all__ = ["SparkTable", "is_spark_address", "spark_table"]

PORT = 15002
"""Where Spark Connect listens unless it is told otherwise."""
TOKEN = "TACIT_SPARK_TOKEN"  # noqa: S105 -- the name of a variable of the environment, which holds the token
_FORMATS = ("parquet", "delta", "iceberg", "orc")
_FORM = (
    "write it as spark://host:15002/schema.table, or spark://host:15002/parquet:/folder for files "
    f"({', '.join(_FORMATS)})"
)
_MOST_PARTS = 3


@frozen
class SparkTable:
    """A table or view of a cluster's catalogue, or a folder of files; its rows do not leave the cluster.

    `address` is the Spark Connect server.  `format` is None for a table, whose catalogue, schema and name are `parts`.
    """

    address: str
    parts: tuple[str, ...]
    format: str | None = None

    @property
    def called(self) -> str:
        """The table with its schema, or the folder, for messages."""
        return ".".join(self.parts) if self.format is None else f"{self.format}:{self.parts[0]}"

    @property
    def name(self) -> str:
        """What the table is called alone; of a folder, its last part."""
        last = self.parts[-1].rstrip("/").rpartition("/")[2] if self.format else self.parts[-1]
        return last.partition(".")[0] or last


def is_spark_address(given: str) -> bool:
    """Whether a text is the address of a table on a Spark cluster.

    >>> is_spark_address("spark://host/clinic.visits"), is_spark_address("visits.csv")
    (True, False)
    """
    return given.lower().startswith("spark://")


def spark_table(given: str) -> SparkTable:
    """The table at an address.

    Claim:      no token is in the source, nor in what is declared, recorded or shown of it.
    Because:    an address that holds a password, or a parameter that could hold a token, is refused; the token is in
                the environment.
    Checked by: tests/unit/engines/sources/test_spark_tables.py

    >>> spark_table("spark://host/clinic.visits")
    SparkTable(address='spark://host:15002', parts=('clinic', 'visits'), format=None)
    >>> spark_table("spark://host:15003/parquet:s3a://bucket/visits").parts
    ('s3a://bucket/visits',)
    """
    try:
        parts = urlsplit(given)
        port = parts.port or PORT
    except ValueError:
        raise InvalidData(f"the address of the table cannot be read; {_FORM}") from None
    if parts.password is not None:
        raise InvalidData(
            "the address of the table contains a password; leave it out, and put the token into the "
            f"environment variable {TOKEN}"
        )
    host, path = parts.hostname or "", unquote(parts.path[1:])
    if not host or not path or "\0" in path or parts.fragment:
        raise InvalidData(f"the address names no table; {_FORM}")
    host = f"[{host}]" if ":" in host else host
    who = "" if parts.username is None else f"{parts.username}@"
    address = f"spark://{who}{host}:{port}{_secured(parts.query)}"
    form, colon, folder = path.partition(":")
    if colon:
        if form not in _FORMATS or not folder.strip("/"):
            raise InvalidData(f"the address names no folder of files; {_FORM}")
        return SparkTable(address, (folder,), form)
    names = tuple(path.split("."))
    if not all(names) or len(names) > _MOST_PARTS or "/" in path:
        raise InvalidData(f"the address names no table; {_FORM}")
    return SparkTable(address, names)


def _secured(query: str) -> str:
    """The one parameter that an address may have: that the connection is encrypted."""
    found = dict(parse_qsl(query, keep_blank_values=True))
    odd = [name for name in found if name != "use_ssl"]
    if odd:
        name = odd[0] if re.fullmatch("[a-z_]{1,30}", odd[0]) else "one"
        raise InvalidData(
            f"the address of the table has the parameter {name!r}; it may have use_ssl, and a token "
            f"belongs in the environment variable {TOKEN}"
        )
    if found and found["use_ssl"] not in {"true", "false"}:
        raise InvalidData("use_ssl in the address of a table is true or false")
    return "?use_ssl=true" if found.get("use_ssl") == "true" else ""
