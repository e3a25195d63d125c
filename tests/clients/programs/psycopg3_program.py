"""psycopg 3: both protocols, cursors on the server, COPY, pipelines, transactions, types, cancelling."""

import psycopg
from psycopg.types import TypeInfo
from psycopg.types.composite import CompositeInfo
from psycopg.types.enum import EnumInfo
from psycopg.types.range import RangeInfo
from steps import (
    BY_TEST,
    COLUMNS,
    COUNTS,
    IS_VAULT,
    TOO_DEAR,
    cancelled_by,
    check_counts,
    dsn,
    expect,
    refused,
    step,
    until_cancelled,
)


def connected(do, **more):
    def run():
        with psycopg.connect(dsn(), **more) as connection:
            return do(connection)

    return run


def named(connection):
    with connection.cursor("named") as cursor:
        cursor.execute(COUNTS)
        check_counts([*cursor.fetchmany(1), *cursor.fetchall()])


def pipeline(connection):
    with connection.pipeline():
        first, second = connection.execute(COUNTS), connection.execute("SELECT 1")
        check_counts(first.fetchall())
        expect(second.fetchall() == [(1,)])


def copy(connection):
    with connection.cursor().copy(f"COPY ({COUNTS}) TO STDOUT") as rows:
        found = list(rows.rows())
    expect(len(found) == (2 if IS_VAULT else 0), found)


def copy_binary(connection):
    with connection.cursor().copy(f"COPY ({COUNTS}) TO STDOUT (FORMAT binary)") as rows:
        rows.set_types(["text", "int8"])
        check_counts(rows.rows())


def nested(connection):
    with connection.transaction():
        refused(lambda: _in_savepoint(connection), "does not exist", "column", "nonsense")
        expect(connection.execute("SELECT 1").fetchall() == [(1,)])


def _in_savepoint(connection):
    with connection.transaction():
        connection.execute("SELECT nonsense FROM labs")


def isolation(connection):
    connection.isolation_level = psycopg.IsolationLevel.SERIALIZABLE
    connection.read_only = True
    connection.execute("SELECT 1")
    connection.rollback()


def types(connection):
    expect(TypeInfo.fetch(connection, "int4").oid == 23)
    expect(TypeInfo.fetch(connection, "hstore") is None)
    EnumInfo.fetch(connection, "nosuch")
    expect(list(CompositeInfo.fetch(connection, "labs").field_names) == COLUMNS)
    expect(RangeInfo.fetch(connection, "int4range").subtype_oid == 23)


def intervals(connection):
    connection.execute("SET tacit.intervals = on")
    cursor = connection.execute(COUNTS)
    expect([each.name for each in cursor.description] == ["test", "n", "n_low", "n_high"])
    expect(all(low <= n <= high for _, n, low, high in cursor))


def notices(connection):
    heard = []
    connection.add_notice_handler(lambda notice: heard.append(notice.message_primary))
    connection.execute(COUNTS)
    expect(heard and "±" in heard[0], heard)


def limit(connection):
    connection.execute("SET tacit.epsilon = 1000")
    refused(lambda: connection.execute(TOO_DEAR.format(3)), "53400", "limit")


def no_price():
    with psycopg.connect(dsn(options="")) as connection:
        refused(lambda: connection.execute(TOO_DEAR.format(4)), "22023", "price", "epsilon")


def cancel():
    with psycopg.connect(dsn(), autocommit=True) as connection:
        until_cancelled(
            1, lambda question: cancelled_by(connection.cancel, connection.execute, question)
        )
        expect(connection.execute("SELECT 1").fetchall() == [(1,)])


def dump(connection):
    refused(lambda: connection.execute("SELECT * FROM labs"), "42501", "row")


def explain(connection):
    expect(connection.execute("EXPLAIN " + COUNTS).fetchall())


def write(connection):
    refused(lambda: connection.execute("CREATE TABLE t (a int)"), "25006", "read-only")


def tables(connection):
    found = connection.execute(
        "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
    ).fetchall()
    expect(("labs",) in found, found)


def no_tls():
    psycopg.connect(dsn(sslmode="disable"))


step(
    "connect with TLS",
    connected(lambda c: expect(c.pgconn.ssl_in_use and c.pgconn.used_password)),
    vault_only=True,
)
step("ask", connected(lambda c: check_counts(c.execute(COUNTS).fetchall())))
step(
    "number as a parameter",
    connected(lambda c: check_counts(c.execute(COUNTS + " HAVING COUNT(*) > %s", [-10000]))),
)
step(
    "text as a parameter",
    connected(lambda c: expect(len(c.execute(BY_TEST + "%s", ["hdl"]).fetchall()) == 1)),
)
step("binary", connected(lambda c: check_counts(c.cursor(binary=True).execute(COUNTS).fetchall())))
step("cursor on the server", connected(named))
step("pipeline", connected(pipeline))
step("copy", connected(copy))
step("copy, binary", connected(copy_binary))
step("nested transactions", connected(nested), vault_only=True)
step("isolation and read-only", connected(isolation))
step("lookups of types", connected(types))
step("browse", connected(tables))
step("intervals", connected(intervals), vault_only=True)
step("notice", connected(notices), vault_only=True)
step("the limit is kept", connected(limit), vault_only=True)
step("no price, no answer", no_price, vault_only=True)
step("cancel", cancel, vault_only=True)
step("rows are refused", connected(dump), vault_only=True)
step("explain", connected(explain))
step("writes are refused", connected(write), vault_only=True)
step(
    "channel binding",
    lambda: psycopg.connect(dsn(channel_binding="require")).close(),
    vault_only=True,
)
step(
    "without TLS nobody comes in", lambda: refused(no_tls, "ssl", "tls", "encrypt"), vault_only=True
)
step(
    "a wrong token is refused",
    lambda: refused(
        lambda: psycopg.connect(dsn(password="tct_wrong")), "password", "authentication", "token"
    ),
    vault_only=True,
)
