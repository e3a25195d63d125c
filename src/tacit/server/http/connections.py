"""How programs connect: what to type or paste for each of them, with a price filled in.

Checked by: tests/unit/server/http/test_connections.py
"""

from collections.abc import Callable
from fractions import Fraction
from urllib.parse import quote, urlsplit

from tacit.frozen import frozen

__all__ = ["Connection", "WirePlace", "connections"]

WirePlace = Callable[[], tuple[int, str] | None]
"""Where the PostgreSQL door is, its port and its database; None if it is closed."""

_EXAMPLE_PRICE = "1/10"


@frozen
class Connection:
    """What to paste for one kind of program."""

    program: str
    text: str


def connections(
    url: str, sql: str, name: str, price: str | None, wire: tuple[int, str] | None = None
) -> list[Connection]:
    """What to paste: for Python and curl, and, where a port of the PostgreSQL protocol is open, for its clients.

    >>> sql = "SELECT COUNT(*) AS n FROM labs"
    >>> found = connections("https://localhost:8443", sql, "ana", "1/20", (5432, "clinic"))
    >>> [each.program for each in found]
    ['Python', 'curl', 'psql', 'SQLAlchemy', 'JDBC', 'DBeaver', 'Metabase']
    """
    epsilon = f"{float(Fraction(price or _EXAMPLE_PRICE)):g}"
    found = [
        Connection(
            "Python",
            "import tacit\n"
            f'vault = tacit.connect("{url}", token="tct_…")\n'
            f'print(vault.sql("{sql}", epsilon={epsilon}))',
        ),
        Connection(
            "curl",
            'curl -H "Authorization: Bearer tct_…" -H "Content-Type: application/json" \\\n'
            f"""  -d '{{"sql": "{sql}", "epsilon": {epsilon}}}' {url}/api/v1/answers""",
        ),
    ]
    return found if wire is None else [*found, *_wire_clients(url, name, epsilon, *wire)]


def _wire_clients(url: str, name: str, epsilon: str, port: int, database: str) -> list[Connection]:
    """The clients of the PostgreSQL protocol; each is told the price by its own way to pass options on."""
    host, login = urlsplit(url).hostname or "localhost", quote(name, safe="")
    option = quote(f"-c tacit.epsilon={epsilon}", safe="")
    mode = "verify-full" if url.startswith("https:") else "disable"
    path = f"{host}:{port}/{quote(database, safe='')}"
    place = f"{login}@{path}?sslmode={mode}&options={option}"
    jdbc = f"jdbc:postgresql://{path}?user={login}&sslmode={mode}&options={option}"
    return [
        Connection("psql", f'psql "postgresql://{place}"'),
        Connection("SQLAlchemy", f'create_engine("postgresql+psycopg://{place}")'),
        Connection("JDBC", jdbc),
        Connection(
            "DBeaver",
            f"Host {host}, port {port}, database {database}, user {name}; "
            f"driver property options = -c tacit.epsilon={epsilon}",
        ),
        Connection(
            "Metabase",
            f"Host {host}, port {port}, database {database}, user {name}, SSL on; "
            f"additional JDBC options: options={option}",
        ),
    ]
