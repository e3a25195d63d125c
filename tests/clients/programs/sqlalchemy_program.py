"""SQLAlchemy with three drivers: reflection, and questions built from reflected tables; pandas above it."""

import ssl
import sys

import pandas as pd
import sqlalchemy as sa
from steps import (
    COLUMNS,
    COUNTS,
    IS_VAULT,
    OPTIONS,
    TOO_DEAR,
    WHERE,
    cancelled_by,
    check_counts,
    dsn,
    expect,
    refused,
    step,
    until_cancelled,
)

DRIVERS = ("psycopg", "psycopg2", "pg8000")
FIRST_DAYS = {"psycopg": 7, "psycopg2": 0}
"""Which questions are cancelled, of those drivers that can: each is asked once."""


def engine(driver, **more):
    url = sa.URL.create(
        f"postgresql+{driver}",
        WHERE["name"],
        WHERE["password"],
        WHERE["host"],
        WHERE["port"],
        WHERE["database"],
    )
    if driver == "pg8000":
        arguments = (
            {"ssl_context": ssl.create_default_context(cafile=WHERE["ca"])} if IS_VAULT else {}
        )
        made = sa.create_engine(url, connect_args=arguments, **more)
        if IS_VAULT:
            sa.event.listen(made, "connect", set_price)
        return made
    arguments = (
        {"sslmode": "verify-full", "sslrootcert": WHERE["ca"], "options": OPTIONS}
        if IS_VAULT
        else {}
    )
    return sa.create_engine(url, connect_args=arguments, **more)


def set_price(connection, _):
    cursor = connection.cursor()
    cursor.execute("SET tacit.epsilon = 0.05")
    cursor.close()
    connection.commit()


def steps_of(driver):
    shared = engine(driver, poolclass=sa.pool.StaticPool)

    def inspected(name, *arguments, **more):
        return lambda: getattr(sa.inspect(engine(driver)), name)(*arguments, **more)

    def ask():
        with shared.connect() as connection:
            check_counts(connection.execute(sa.text(COUNTS)))

    def with_number():
        with shared.connect() as connection:
            check_counts(
                connection.execute(sa.text(COUNTS + " HAVING COUNT(*) > :k"), {"k": -10000})
            )

    def reflect():
        table = sa.Table("labs", sa.MetaData(), autoload_with=shared)
        expect([each.name for each in table.c] == COLUMNS)
        question = (
            sa.select(table.c.test, sa.func.count().label("n")).group_by(table.c.test).limit(10)
        )
        with shared.connect() as connection:
            check_counts(connection.execute(question))
            listed = sa.select(sa.func.count()).where(table.c.test.in_(["hdl", "sbp"]))
            expect(len(connection.execute(listed).all()) == 1)

    def reflect_all():
        found = sa.MetaData()
        found.reflect(shared)
        expect({"labs", "patients"} <= set(found.tables), list(found.tables))

    def ping():
        with engine(
            driver, isolation_level="AUTOCOMMIT", pool_pre_ping=True
        ).connect() as connection:
            connection.execute(sa.text("SELECT 1"))

    def stream():
        with shared.connect().execution_options(stream_results=True) as connection:
            check_counts(connection.execute(sa.text(COUNTS)))

    def intervals():
        with shared.connect() as connection:
            connection.execute(sa.text("SET LOCAL tacit.intervals = on"))
            expect(
                all(row.n_low <= row.n <= row.n_high for row in connection.execute(sa.text(COUNTS)))
            )

    def limit():
        with engine(driver).connect() as connection:
            connection.execute(sa.text("SET tacit.epsilon = 1000"))
            refused(lambda: connection.execute(sa.text(TOO_DEAR.format(7))), "53400", "limit")

    def encrypted():
        with shared.connect() as connection:
            expect(is_encrypted(connection))

    def cancel():
        with engine(driver, isolation_level="AUTOCOMMIT").connect() as connection:
            until_cancelled(
                FIRST_DAYS[driver],
                lambda question: cancelled_by(
                    connection.connection.driver_connection.cancel,
                    lambda text: connection.execute(sa.text(text)),
                    question,
                ),
            )

    step(f"{driver}: connect with TLS", encrypted, vault_only=True)
    step(f"{driver}: ask", ask)
    step(f"{driver}: number as a parameter", with_number)
    names = (
        "table_names",
        "view_names",
        "schema_names",
        "sequence_names",
        "materialized_view_names",
        "enums",
        "domains",
    )
    for name in names:
        step(f"{driver}: get_{name}", inspected(f"get_{name}"))
    step(f"{driver}: get_multi_columns", inspected("get_multi_columns"))
    kinds = (
        "columns",
        "pk_constraint",
        "foreign_keys",
        "indexes",
        "unique_constraints",
        "check_constraints",
    )
    for name in kinds:
        step(f"{driver}: get_{name}", inspected(f"get_{name}", "labs"))
    step(f"{driver}: get_table_comment", inspected("get_table_comment", "patients"))
    step(f"{driver}: get_columns, with schema", inspected("get_columns", "labs", schema="public"))
    step(f"{driver}: has_table", lambda: expect(sa.inspect(engine(driver)).has_table("labs")))
    step(f"{driver}: reflect and ask", reflect)
    step(f"{driver}: browse", reflect_all)
    step(f"{driver}: autocommit and ping", ping)
    step(f"{driver}: stream", stream)
    step(f"{driver}: intervals", intervals, vault_only=True)
    step(f"{driver}: the limit is kept", limit, vault_only=True)
    if driver in FIRST_DAYS:  # pg8000 has no call that cancels
        step(f"{driver}: cancel", cancel, vault_only=True)
    shared.dispose()


def is_encrypted(connection):
    """Whether the driver of a connection speaks through TLS."""
    raw = connection.connection.driver_connection
    if connection.engine.driver == "pg8000":
        return isinstance(raw._usock, ssl.SSLSocket)
    return (raw.pgconn if connection.engine.driver == "psycopg" else raw.info).ssl_in_use


def with_settings(*settings):
    """A connection of pandas with settings of its own."""
    connection = engine("psycopg", isolation_level="AUTOCOMMIT").connect()
    for each in settings:
        connection.execute(sa.text(each))
    return connection


def encrypted_frame():
    with with_settings() as connection:
        pd.read_sql("SELECT 1", connection)
        expect(is_encrypted(connection))


def intervals_of_frame():
    with with_settings("SET tacit.intervals = on") as connection:
        found = pd.read_sql(COUNTS, connection)
    expect(((found.n_low <= found.n) & (found.n <= found.n_high)).all(), found)


def limit_of_frame():
    with with_settings("SET tacit.epsilon = 1000") as connection:
        refused(lambda: pd.read_sql(TOO_DEAR.format(13), connection), "53400", "limit")


def cancel_frame():
    with with_settings() as connection:
        until_cancelled(
            1,
            lambda question: cancelled_by(
                connection.connection.driver_connection.cancel,
                lambda text: pd.read_sql(text.replace("day >", "day <>"), connection),
                question,
            ),
        )


def frames():
    made = engine("psycopg")
    step("pandas: connect with TLS", encrypted_frame, vault_only=True)
    step("pandas: browse", lambda: expect(pd.io.sql.has_table("labs", made)))
    step("pandas: intervals", intervals_of_frame, vault_only=True)
    step("pandas: the limit is kept", limit_of_frame, vault_only=True)
    step("pandas: cancel", cancel_frame, vault_only=True)
    found = step("pandas: ask", lambda: pd.read_sql(COUNTS, made))
    step("pandas: columns", lambda: expect(list(found.columns) == ["test", "n"]))
    step(
        "pandas: parameters",
        lambda: pd.read_sql(sa.text(COUNTS + " HAVING COUNT(*) > :k"), made, params={"k": -10000}),
    )
    step("pandas: chunks", lambda: list(pd.read_sql(COUNTS, made, chunksize=1)))
    step("pandas: from psycopg", from_psycopg)
    step(
        "pandas: rows are refused",
        lambda: refused(lambda: pd.read_sql_table("labs", made), "42501", "row"),
        vault_only=True,
    )
    step(
        "pandas: budget",
        lambda: expect(len(pd.read_sql("SELECT * FROM tacit.budget", made)) > 0),
        vault_only=True,
    )
    if not IS_VAULT:
        step("pandas: read_sql_table", lambda: pd.read_sql_table("labs", made))


def from_psycopg():
    import warnings

    import psycopg

    with psycopg.connect(dsn()) as connection, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pd.read_sql(COUNTS, connection)


for each in sys.argv[1:] or DRIVERS:
    steps_of(each)
frames()
