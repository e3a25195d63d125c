"""ADBC, connectorx and polars: everything by COPY in binary."""

import adbc_driver_postgresql.dbapi as adbc
import connectorx
import polars as pl
from steps import COLUMNS, COUNTS, IS_VAULT, TOO_DEAR, address, expect, refused, step


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

step("adbc: ask", opened(fetch))
step("adbc: text as a parameter", opened(with_text))
step("adbc: get_objects", opened(objects))
step("adbc: table schema", opened(schema))
step("adbc: info", opened(info))
step("adbc: intervals", opened(intervals), vault_only=True)
step("adbc: the limit is kept", opened(limit), vault_only=True)
step(
    "connectorx: arrow",
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
step("polars: connectorx", lambda: height(pl.read_database_uri(COUNTS, ADDRESS).height))
step("polars: adbc", lambda: height(pl.read_database_uri(COUNTS, ADDRESS, engine="adbc").height))
step(
    "polars: rows are refused",
    lambda: refused(
        lambda: pl.read_database_uri("SELECT * FROM labs", ADDRESS), "42501", "row", "unit"
    ),
    vault_only=True,
)
