"""psycopg 2: statements with their parameters put in by the client, named cursors, COPY."""

import io

import psycopg2
import psycopg2.extras
from steps import (
    BY_TEST,
    COLUMNS,
    COUNTS,
    TOO_DEAR,
    cancelled_by,
    check_counts,
    dsn,
    expect,
    refused,
    step,
    until_cancelled,
)


def asked(sql, *parameters, session=None):
    connection = psycopg2.connect(dsn())
    try:
        cursor = connection.cursor()
        for each in session or ():
            cursor.execute(each)
        cursor.execute(sql, parameters or None)
        return cursor.fetchall()
    finally:
        connection.close()


def named():
    connection = psycopg2.connect(dsn())
    cursor = connection.cursor("named")
    cursor.execute(COUNTS)
    check_counts(cursor.fetchall())
    connection.close()


def settings():
    connection = psycopg2.connect(dsn())
    connection.set_session(readonly=True, autocommit=True)
    connection.cursor().execute("SELECT 1")
    connection.close()


def composite():
    connection = psycopg2.connect(dsn())
    found = psycopg2.extras.register_composite("labs", connection)
    expect(found.attnames == COLUMNS)
    connection.close()


def copy():
    connection = psycopg2.connect(dsn())
    text = io.StringIO()
    connection.cursor().copy_expert(f"COPY ({COUNTS}) TO STDOUT WITH CSV HEADER", text)
    expect(text.getvalue().splitlines()[0] == "test,n")
    connection.close()


def notices():
    connection = psycopg2.connect(dsn())
    connection.cursor().execute(COUNTS)
    expect(any("±" in each for each in connection.notices), connection.notices)
    connection.close()


def cancel():
    connection = psycopg2.connect(dsn())
    connection.autocommit = True
    until_cancelled(
        2, lambda question: cancelled_by(connection.cancel, connection.cursor().execute, question)
    )
    connection.close()


def low_and_high():
    rows = asked(COUNTS, session=["SET tacit.intervals = on"])
    expect(all(row[2] <= row[1] <= row[3] for row in rows), rows)


def encrypted():
    connection = psycopg2.connect(dsn())
    expect(connection.info.ssl_in_use and connection.info.used_password)
    connection.close()


step("connect with TLS", encrypted, vault_only=True)
step("ask", lambda: check_counts(asked(COUNTS)))
step("number as a parameter", lambda: check_counts(asked(COUNTS + " HAVING COUNT(*) > %s", -10000)))
step("text as a parameter", lambda: expect(len(asked(BY_TEST + "%s", "hdl")) == 1))
step("named cursor", named)
step("session", settings)
step("composite types", composite)
step("copy", copy)
step(
    "browse",
    lambda: expect(
        ("labs",) in asked("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    ),
)
step("intervals", low_and_high, vault_only=True)
step("notice", notices, vault_only=True)
step(
    "the limit is kept",
    lambda: refused(
        lambda: asked(TOO_DEAR.format(5), session=["SET tacit.epsilon = 1000"]), "53400", "limit"
    ),
    vault_only=True,
)
step("cancel", cancel, vault_only=True)
step(
    "rows are refused",
    lambda: refused(lambda: asked("SELECT * FROM labs"), "42501", "row"),
    vault_only=True,
)
