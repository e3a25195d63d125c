"""ADBC, connectorx and polars: everything by COPY in binary."""

import adbc_driver_postgresql.dbapi as adbc
import connectorx
import polars as pl
from steps import (
    COLUMNS,
    COUNTS,
    IS_VAULT,
    TOO_DEAR,
    address,
    cancelled_by,
    expect,
    refused,
    step,
    until_cancelled,
)


def names_of(table):
    return list(getattr(table, "column_names", None) or table.columns)


def height(found):
    expect(found == (2 if IS_VAULT else 0), found)


def opened(do):
    def run():
        with adbc.connect(address()) as connection:
            return do(connection)

    return run


def fetch(connection):
    with connection.cursor() as cursor:
        cursor.execute(COUNTS)
        table = cursor.fetch_arrow_table()
    expect(table.column_names == ["test", "n"])
    height(table.num_rows)


def with_text(connection):
    with connection.cursor() as cursor:
        cursor.execute("SELECT COUNT(*) AS n FROM labs WHERE test = $1", ["hdl"])
        expect(cursor.fetch_arrow_table().num_rows == 1)


def objects(connection):
    expect(connection.adbc_get_objects(depth="all").read_all().num_rows > 0)


def schema(connection):
    expect(connection.adbc_get_table_schema("labs").names == COLUMNS)


def info(connection):
    expect("vendor_name" in connection.adbc_get_info())
    expect("table" in connection.adbc_get_table_types())


def intervals(connection):
    with connection.cursor() as cursor:
        cursor.execute("SET tacit.intervals = 'on'")
        cursor.execute(COUNTS)
        table = cursor.fetch_arrow_table()
    expect(table.column_names == ["test", "n", "n_low", "n_high"], table.column_names)


def limit(connection):
    with connection.cursor() as cursor:
        cursor.execute("SET tacit.epsilon = 1000")
        refused(lambda: cursor.execute(TOO_DEAR.format(8)), "53400", "limit")


# connectorx knows sslmode=require alone; it checks the certificate by sslrootcert all the same.
ADDRESS = address(sslmode="require" if IS_VAULT else "")

TABLES = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
INTERVALS = {"options": "-c tacit.epsilon=0.05 -c tacit.intervals=on"}
TOO_MUCH = {"options": "-c tacit.epsilon=1000"}
NAMES = ["test", "n", "n_low", "n_high"]


def without_tls(read):
    """That a server which demands TLS is not asked without it, and is asked with it."""
    refused(lambda: read("SELECT 1 AS one", address(sslmode="disable")), "tls")
    read("SELECT 1 AS one", ADDRESS)


def adbc_read(question, where):
    with adbc.connect(where) as connection, connection.cursor() as cursor:
        cursor.execute(question)
        return cursor.fetch_arrow_table()


def cx_read(question, where):
    return connectorx.read_sql(where, question, return_type="arrow")


def pl_read(question, where):
    return pl.read_database_uri(question, where)


def require(**more):
    return address(sslmode="require", **more)


def adbc_cancel(connection):
    def ask(question):
        with connection.cursor() as cursor:
            cursor.execute(question.replace("day >", "day <>"))
            cursor.fetch_arrow_table()

    until_cancelled(6, lambda text: cancelled_by(connection.adbc_cancel, ask, text))


def polars_parameter(connection):
    found = pl.read_database(
        "SELECT COUNT(*) AS n FROM labs WHERE test = $1",
        connection,
        execute_options={"parameters": ["hdl"]},
    )
    expect(found.height == 1, found)


def polars_cancel(connection):
    def ask(question):
        pl.read_database(question.replace("day >", "day <>"), connection)

    until_cancelled(2, lambda text: cancelled_by(connection.adbc_cancel, ask, text))


step("adbc: connect with TLS", lambda: without_tls(adbc_read), vault_only=True)
step("adbc: ask", opened(fetch))
step("adbc: text as a parameter", opened(with_text))
step("adbc: browse", opened(objects))
step("adbc: table schema", opened(schema))
step("adbc: info", opened(info))
step("adbc: intervals", opened(intervals), vault_only=True)
step("adbc: the limit is kept", opened(limit), vault_only=True)
step("adbc: cancel", opened(adbc_cancel), vault_only=True)
for name, read in (("connectorx", cx_read), ("polars", pl_read)):
    step(f"{name}: connect with TLS", lambda read=read: without_tls(read), vault_only=True)
    step(
        f"{name}: browse",
        lambda read=read: expect("labs" in str(read(TABLES, ADDRESS)["table_name"])),
    )
    step(
        f"{name}: intervals",
        lambda read=read: expect(names_of(read(COUNTS, require(**INTERVALS))) == NAMES),
        vault_only=True,
    )
    day = {"connectorx": 14, "polars": 15}[name]
    step(
        f"{name}: the limit is kept",
        lambda read=read, day=day: refused(
            lambda: read(TOO_DEAR.format(day), require(**TOO_MUCH)), "53400", "limit"
        ),
        vault_only=True,
    )
step("polars: parameter", opened(polars_parameter))
step("polars: cancel", opened(polars_cancel), vault_only=True)
step(
    "connectorx: ask",
    lambda: height(connectorx.read_sql(ADDRESS, COUNTS, return_type="arrow").num_rows),
)
step(
    "connectorx: csv protocol",
    lambda: connectorx.read_sql(ADDRESS, COUNTS, return_type="arrow", protocol="csv"),
)
step(
    "connectorx: cursor protocol",
    lambda: connectorx.read_sql(ADDRESS, COUNTS, return_type="arrow", protocol="cursor"),
)
step("polars: ask", lambda: height(pl.read_database_uri(COUNTS, ADDRESS).height))
step("polars: adbc", lambda: height(pl.read_database_uri(COUNTS, ADDRESS, engine="adbc").height))
step(
    "polars: rows are refused",
    lambda: refused(
        lambda: pl.read_database_uri("SELECT * FROM labs", ADDRESS), "42501", "row", "unit"
    ),
    vault_only=True,
)
