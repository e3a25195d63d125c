"""psqlodbc, through pyodbc and isql: the catalogue functions of ODBC, both drivers, cursors that are declared."""

import os
import subprocess
import tempfile
from pathlib import Path

import pyodbc
from steps import (
    BY_TEST,
    COLUMNS,
    COUNTS,
    IS_VAULT,
    TOO_DEAR,
    WHERE,
    cancelled_by,
    check_counts,
    expect,
    refused,
    step,
    until_cancelled,
)

pyodbc.pooling = False
PRICE = "ConnSettings=SET tacit.epsilon%3D0.05;" if IS_VAULT else ""
TLS = f"SSLmode=verify-full;pqopt={{sslrootcert={WHERE['ca']}}};" if IS_VAULT else "SSLmode=prefer;"


def string(driver="PostgreSQL Unicode", extra=""):
    place = f"SERVER={WHERE['host']};PORT={WHERE['port']};DATABASE={WHERE['database']}"
    return f"DRIVER={{{driver}}};{place};UID={WHERE['name']};PWD={WHERE['password']};{TLS}{PRICE}{extra}"


def opened(do, driver="PostgreSQL Unicode", extra="", **more):
    def run():
        connection = pyodbc.connect(string(driver, extra), timeout=60, **more)
        try:
            return do(connection.cursor())
        finally:
            connection.close()

    return run


def fetched(do, **more):
    return opened(lambda cursor: do(cursor).fetchall(), **more)


def counts(**more):
    return opened(lambda cursor: check_counts(cursor.execute(COUNTS).fetchall()), **more)


def isql(asked, settings="SET tacit.epsilon = 0.05", **more):
    """What isql says to some lines."""
    with tempfile.TemporaryDirectory() as folder:
        said = {
            "Driver": "PostgreSQL Unicode",
            "Servername": WHERE["host"],
            "Port": WHERE["port"],
            "Database": WHERE["database"],
            "UserName": WHERE["name"],
            "Password": WHERE["password"],
            **(
                {"SSLmode": "verify-full", "pqopt": f"sslrootcert={WHERE['ca']}"}
                if IS_VAULT
                else {}
            ),
            **({"ConnSettings": settings} if IS_VAULT else {}),
            **more,
        }
        file = Path(folder) / "odbc.ini"
        file.write_text("[clinic]\n" + "".join(f"{name}={value}\n" for name, value in said.items()))
        environment = {**os.environ, "ODBCINI": str(file)}
        found = subprocess.run(
            ["isql", "-v", "-b", "clinic"],
            input=asked,
            text=True,
            env=environment,
            capture_output=True,
            timeout=60,
            check=False,
        )
    return found.stdout + found.stderr


def isql_says(word, asked, *settings, unsaid="ERROR", **more):
    said = isql(asked, *settings, **more)
    expect(word in said and (not unsaid or unsaid not in said), said[-300:])


def without_tls():
    refused(lambda: pyodbc.connect(string().replace("verify-full", "disable")), "tls")


def cancel(cursor):
    until_cancelled(
        3,
        lambda question: cancelled_by(
            cursor.cancel, lambda text: cursor.execute(text.replace("day >", "day <>")), question
        ),
    )


def information(cursor):
    for number in range(180):
        try:
            cursor.connection.getinfo(number)
        except pyodbc.Error:
            continue


def intervals(cursor):
    cursor.execute("SET tacit.intervals = on")
    rows = cursor.execute(COUNTS).fetchall()
    expect(all(row[2] <= row[1] <= row[3] for row in rows), rows)


def limit(cursor):
    cursor.execute("SET tacit.epsilon = 1000")
    refused(lambda: cursor.execute(TOO_DEAR.format(9)).fetchall(), "53400", "limit")


step("ask", counts())
step(
    "number as a parameter",
    opened(lambda c: check_counts(c.execute(COUNTS + " HAVING COUNT(*) > ?", -10000).fetchall())),
)
step(
    "text as a parameter",
    opened(lambda c: expect(len(c.execute(BY_TEST + "?", "hdl").fetchall()) == 1)),
)
step("browse", fetched(lambda c: c.tables()))
step(
    "SQLTables of one",
    opened(lambda c: expect(len(c.tables(table="labs", schema="public").fetchall()) == 1)),
)
step("SQLTables by type", fetched(lambda c: c.tables(tableType="TABLE,VIEW")))
step("SQLTables: catalogues", fetched(lambda c: c.tables(catalog="%", schema="", table="")))
step("SQLTables: schemas", fetched(lambda c: c.tables(schema="%", catalog="", table="")))
step(
    "SQLColumns", opened(lambda c: expect(len(c.columns(table="labs").fetchall()) == len(COLUMNS)))
)
step("SQLColumns of all", fetched(lambda c: c.columns()))
step("SQLPrimaryKeys", fetched(lambda c: c.primaryKeys("labs")))
step("SQLForeignKeys", fetched(lambda c: c.foreignKeys("labs")))
step("SQLStatistics", fetched(lambda c: c.statistics("labs")))
step("SQLSpecialColumns", fetched(lambda c: c.rowIdColumns("labs")))
step("SQLSpecialColumns: versions", fetched(lambda c: c.rowVerColumns("labs")))
step("SQLProcedures", fetched(lambda c: c.procedures()))
step("SQLProcedureColumns", fetched(lambda c: c.procedureColumns()))
step("SQLGetTypeInfo", fetched(lambda c: c.getTypeInfo()))
step("SQLGetInfo", opened(information))
step("UseDeclareFetch", counts(extra="UseDeclareFetch=1;Fetch=100;"))
step(
    "UseServerSidePrepare=0",
    opened(
        lambda c: check_counts(c.execute(COUNTS + " HAVING COUNT(*) > ?", -10000).fetchall()),
        extra="UseServerSidePrepare=0;",
    ),
)
step("autocommit", counts(autocommit=True))
step(
    "the ANSI driver",
    opened(  # which cannot hand texts over to pyodbc, whatever the server is
        lambda c: expect(len(c.execute("SELECT COUNT(*) AS n FROM labs").fetchall()) == 1),
        driver="PostgreSQL ANSI",
    ),
)
step("isql: ask", lambda: isql_says("hdl" if IS_VAULT else "test", COUNTS + "\n"))
step("isql: browse", lambda: isql_says("labs", "help\nhelp labs\n"))
step(
    "isql: connect with TLS",
    lambda: isql_says("TLS is required", COUNTS + "\n", SSLmode="disable", unsaid=""),
    vault_only=True,
)
step(
    "isql: intervals",
    lambda: isql_says("n_low", COUNTS + "\n", "SET tacit.epsilon = 0.05; SET tacit.intervals = on"),
    vault_only=True,
)
step(
    "isql: the limit is kept",
    lambda: isql_says(
        "limit", TOO_DEAR.format(16) + "\n", "SET tacit.epsilon = 1000", unsaid="hdl"
    ),
    vault_only=True,
)
step("connect with TLS", without_tls, vault_only=True)
step("cancel", opened(cancel, autocommit=True), vault_only=True)
step("intervals", opened(intervals), vault_only=True)
step("the limit is kept", opened(limit), vault_only=True)
step(
    "rows are refused",
    opened(lambda c: refused(lambda: c.execute("SELECT * FROM labs"), "42501", "row")),
    vault_only=True,
)
